/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the cases of the log suites start from: fixture.h, a file of their own in
 * the root of the file system, and bodies that say whether they are whole.
 */
#ifndef _KUNIT_LLOG_FIXTURE_H
#define _KUNIT_LLOG_FIXTURE_H

#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/namei.h>
#include <linux/slab.h>

#include <lustre_lite/llog.h>

#include "fixture.h"

#define LT_PATH		"/llog_kunit.log"
#define LT_UUID		"config_uuid"
#define LT_BODY_MAX	2048

static struct {
	struct llog_handle	*log;
	u8			*body;
} lt;

/* A file of the test, created by the operation of the directory, which has no other users. */
static inline void lt_unlink(const char *name)
{
	struct dentry *parent;
	struct path path;

	if (kern_path(name, 0, &path))
		return;
	parent = dget_parent(path.dentry);
	inode_lock(d_inode(parent));
	if (!d_inode(parent)->i_op->unlink(d_inode(parent), path.dentry))
		d_delete(path.dentry);
	inode_unlock(d_inode(parent));
	dput(parent);
	path_put(&path);
}

static inline struct llog_handle *lt_open(struct kunit *test, unsigned int flags)
{
	lt.log = llog_open(LT_PATH, flags, LT_UUID);
	KUNIT_ASSERT_FALSE(test, IS_ERR(lt.log));
	return lt.log;
}

static inline void lt_close(void)
{
	llog_close(lt.log);
	lt.log = NULL;
}

static inline struct llog_handle *lt_reopen(struct kunit *test,
					    unsigned int flags)
{
	lt_close();
	return lt_open(test, flags);
}

static inline int lt_init(struct kunit *test)
{
	int rc = fixture_init(test);

	if (rc)
		return rc;
	lt_unlink(LT_PATH);
	lt.body = kunit_kzalloc(test, LT_BODY_MAX, GFP_KERNEL);
	return lt.body ? 0 : -ENOMEM;
}

static inline void lt_exit(struct kunit *test)
{
	lt_close();
	lt_unlink(LT_PATH);
	/* The last reference of a file is put by a work of its own. */
	flush_delayed_fput();
	fixture_exit(test);
}

/* A body of @len bytes, 8 at least: its length, a number, and bytes derived from it. */
static inline void lt_body_make(u8 *body, u32 len, u32 number)
{
	u32 n;

	memcpy(body, &len, 4);
	memcpy(body + 4, &number, 4);
	for (n = 8; n < len; n++)
		body[n] = number + n;
}

/* Return: the number, or 0 where the body is not whole. */
static inline u32 lt_body_number(const struct llog_record *rec)
{
	const u8 *body = rec->body;
	u32 len, number, n;

	if (rec->type != OBD_CFG_REC || rec->body_len < 8)
		return 0;
	memcpy(&len, body, 4);
	memcpy(&number, body + 4, 4);
	if (len > rec->body_len || len + 7 < rec->body_len)
		return 0;
	for (n = 8; n < len; n++)
		if (body[n] != (u8)(number + n))
			return 0;
	return number;
}

static inline int lt_append(u32 len, u32 number, u32 *index)
{
	lt_body_make(lt.body, len, number);
	return llog_append(lt.log, OBD_CFG_REC, lt.body, len, index);
}

/* The file itself. */
static inline struct file *lt_file(struct kunit *test)
{
	struct file *file = filp_open(LT_PATH, O_RDWR | O_CREAT, 0600);

	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	return file;
}

static inline void lt_poke(struct kunit *test, loff_t pos, const void *bytes,
			   size_t len)
{
	struct file *file = lt_file(test);

	KUNIT_EXPECT_EQ(test, (size_t)kernel_write(file, bytes, len, &pos), len);
	fput(file);
}

static inline loff_t lt_size(struct kunit *test)
{
	struct file *file = lt_file(test);
	loff_t size = i_size_read(file_inode(file));

	fput(file);
	return size;
}

#endif /* _KUNIT_LLOG_FIXTURE_H */
