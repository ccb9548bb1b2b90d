/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A user of /dev/libcfs inside a KUnit suite: the calls of the boundary, with
 * arguments in real user memory, so that a case sees what a program would.
 *
 * The user memory belongs to the program that loads the suite (insmod); cases
 * run in a kernel thread, which borrows that address space for one call at a
 * time. A suite's suite_init must call client_suite_init().
 */
#ifndef _KUNIT_CLIENT_H
#define _KUNIT_CLIENT_H

#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <lustre_lite/params.h>

#define CLIENT_ARG	0		/* offsets in the user memory */
#define CLIENT_PATH	4096
#define CLIENT_TEXT	12288
#define CLIENT_REASON	(CLIENT_TEXT + 16384)
#define CLIENT_BUF	65536
#define CLIENT_BUF_LEN	(1024 * 1024)
#define CLIENT_SIZE	(CLIENT_BUF + CLIENT_BUF_LEN)

static struct mm_struct *client_mm;

/**
 * struct client - an open /dev/libcfs and user memory to talk through
 * @file: the device
 * @base: start of the user memory
 * @reason: words of the last refusal
 * @version: version that the last call reported
 * @used: bytes that the last call filled
 * @buf: copy of what the last call filled
 */
struct client {
	struct file	*file;
	unsigned long	base;
	char		reason[PARAMS_REASON_MAX + 1];
	u32		version;
	u32		used;
	char		*buf;
};

static inline int client_suite_init(struct kunit_suite *suite)
{
	client_mm = current->mm;
	return client_mm ? 0 : -ENOENT;
}

/* Whether the calling thread has an address space of its own. */
static inline bool client_borrow(void)
{
	if (current->mm)
		return false;
	kthread_use_mm(client_mm);
	return true;
}

static inline void client_return(bool borrowed)
{
	if (borrowed)
		kthread_unuse_mm(client_mm);
}

static inline void client_close(struct client *c)
{
	bool borrowed = client_borrow();

	if (!IS_ERR_OR_NULL(c->file))
		filp_close(c->file, NULL);
	if (c->base && !IS_ERR_VALUE(c->base))
		vm_munmap(c->base, CLIENT_SIZE);
	client_return(borrowed);
	flush_delayed_fput();
	kvfree(c->buf);
	kfree(c);
}

static inline struct client *client_open(void)
{
	struct client *c = kzalloc(sizeof(*c), GFP_KERNEL);
	bool borrowed;

	if (!c)
		return NULL;
	c->buf = kvzalloc(CLIENT_BUF_LEN, GFP_KERNEL);
	c->file = filp_open(LIBCFS_DEV_PATH, O_RDWR, 0);
	borrowed = client_borrow();
	c->base = vm_mmap(NULL, 0, CLIENT_SIZE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, 0);
	client_return(borrowed);
	if (c->buf && !IS_ERR(c->file) && !IS_ERR_VALUE(c->base))
		return c;
	client_close(c);
	return NULL;
}

static inline int client_put(struct client *c, unsigned long at,
			     const void *from, size_t len)
{
	bool borrowed = client_borrow();
	unsigned long left;

	left = copy_to_user((void __user *)(c->base + at), from, len);
	client_return(borrowed);
	return left ? -EFAULT : 0;
}

static inline int client_get(struct client *c, unsigned long at, void *to,
			     size_t len)
{
	bool borrowed = client_borrow();
	unsigned long left;

	left = copy_from_user(to, (void __user *)(c->base + at), len);
	client_return(borrowed);
	return left ? -EFAULT : 0;
}

/* One ioctl whose argument, @size bytes at @arg, goes in and comes back. */
static inline long client_call(struct client *c, unsigned int cmd, void *arg,
			       size_t size)
{
	bool borrowed;
	long rc;

	if (client_put(c, CLIENT_ARG, arg, size))
		return -EFAULT;
	borrowed = client_borrow();
	rc = c->file->f_op->unlocked_ioctl(c->file, cmd, c->base + CLIENT_ARG);
	client_return(borrowed);
	if (client_get(c, CLIENT_ARG, arg, size))
		return -EFAULT;
	return rc;
}

#define CLIENT_HDR(type)						\
	{ .ioh_size = sizeof(type), .ioh_abi = LIBCFS_ABI_VERSION }

static inline u64 client_at(struct client *c, unsigned long at)
{
	return c->base + at;
}

/* Copy out the bytes that a call filled. */
static inline long client_filled(struct client *c, long rc, u32 used)
{
	c->used = rc ? 0 : used;
	if (!rc && client_get(c, CLIENT_BUF, c->buf, used))
		return -EFAULT;
	return rc;
}

/* READ with the flags and limits of @pr; path and buffer are set here. */
static inline long client_read_with(struct client *c, const char *path,
				    struct params_ioc_read *pr)
{
	long rc;

	pr->pr_hdr = (struct libcfs_ioc_hdr)CLIENT_HDR(*pr);
	pr->pr_path = client_at(c, CLIENT_PATH);
	pr->pr_path_len = strlen(path);
	pr->pr_buf = client_at(c, CLIENT_BUF);
	if (!pr->pr_buf_len)
		pr->pr_buf_len = CLIENT_BUF_LEN;
	if (client_put(c, CLIENT_PATH, path, strlen(path)))
		return -EFAULT;
	rc = client_call(c, PARAMS_IOC_READ, pr, sizeof(*pr));
	c->version = pr->pr_version;
	return client_filled(c, rc, pr->pr_used);
}

static inline long client_read(struct client *c, const char *path)
{
	struct params_ioc_read pr = {};

	return client_read_with(c, path, &pr);
}

/* Size of a record with its padding. */
static inline size_t client_rec_len(const struct params_value_rec *rec)
{
	return sizeof(*rec) + PARAMS_ALIGN((size_t)rec->vr_name_len) +
		PARAMS_ALIGN((size_t)rec->vr_len);
}

/* Record @index of the last READ; NULL after the end. */
static inline struct params_value_rec *client_rec(struct client *c,
						  unsigned int index)
{
	size_t at = 0;

	while (at + sizeof(struct params_value_rec) <= c->used) {
		struct params_value_rec *rec = (void *)(c->buf + at);

		if (!index--)
			return rec;
		at += client_rec_len(rec);
	}
	return NULL;
}

/*
 * Number of records of the debug log, from position *@cursor on, whose message contains @text;
 * or -1. *@cursor: out: position after the last record
 */
static inline int client_log_count(struct client *c, u64 *cursor, const char *text)
{
	struct libcfs_ioc_debug arg;
	struct libcfs_debug_rec *rec;
	int found = 0;
	size_t at;
	long rc;

	do {
		arg = (struct libcfs_ioc_debug) {
			.dbg_hdr = CLIENT_HDR(arg),
			.dbg_buf = client_at(c, CLIENT_BUF),
			.dbg_buf_len = CLIENT_BUF_LEN,
			.dbg_cursor = *cursor,
		};
		rc = client_call(c, LIBCFS_IOC_DEBUG_READ, &arg, sizeof(arg));
		if (client_filled(c, rc, arg.dbg_used))
			return -1;
		for (at = 0; at < c->used; at += rec->dr_len) {
			rec = (void *)(c->buf + at);
			if (strstr(rec->dr_data + rec->dr_file_len + rec->dr_func_len, text))
				found++;
		}
		*cursor = arg.dbg_cursor;
	} while (!arg.dbg_eof);
	return found;
}

static inline void *client_rec_value(struct params_value_rec *rec)
{
	return (char *)(rec + 1) + PARAMS_ALIGN((size_t)rec->vr_name_len);
}

static inline unsigned int client_rec_count(struct client *c)
{
	unsigned int n = 0;

	while (client_rec(c, n))
		n++;
	return n;
}

/* The bits of a value that is one number; ~0 if it is not. */
static inline u64 client_number(struct client *c)
{
	struct params_value_rec *rec = client_rec(c, 0);

	if (!rec || rec->vr_len < sizeof(u64))
		return ~0ULL;
	return *(u64 *)client_rec_value(rec);
}

/* Whether a value is exactly this text. */
static inline bool client_text_is(struct client *c, const char *text)
{
	struct params_value_rec *rec = client_rec(c, 0);

	return rec && rec->vr_type == PARAMS_V_STRING &&
		rec->vr_len == strlen(text) &&
		!memcmp(client_rec_value(rec), text, strlen(text));
}

/* WRITE with flags and version in @pw. */
static inline long client_write_with(struct client *c, const char *path,
				     const void *value, size_t len,
				     struct params_ioc_write *pw)
{
	long rc;

	pw->pw_hdr = (struct libcfs_ioc_hdr)CLIENT_HDR(*pw);
	pw->pw_path = client_at(c, CLIENT_PATH);
	pw->pw_path_len = strlen(path);
	pw->pw_value = client_at(c, CLIENT_TEXT);
	pw->pw_value_len = len;
	pw->pw_reason = client_at(c, CLIENT_REASON);
	pw->pw_reason_len = PARAMS_REASON_MAX;
	if (client_put(c, CLIENT_PATH, path, strlen(path)) ||
	    client_put(c, CLIENT_TEXT, value, len))
		return -EFAULT;
	rc = client_call(c, PARAMS_IOC_WRITE, pw, sizeof(*pw));
	memset(c->reason, 0, sizeof(c->reason));
	if (pw->pw_reason_len <= PARAMS_REASON_MAX)
		client_get(c, CLIENT_REASON, c->reason, pw->pw_reason_len);
	c->version = pw->pw_version;
	return rc;
}

static inline long client_write(struct client *c, const char *path,
				const char *text)
{
	struct params_ioc_write pw = {};

	return client_write_with(c, path, text, strlen(text), &pw);
}

/* LIST into buf; @after may be NULL. */
static inline long client_list_with(struct client *c, const char *path,
				    const char *after,
				    struct params_ioc_list *pl)
{
	size_t after_len = after ? strlen(after) : 0;
	long rc;

	pl->pl_hdr = (struct libcfs_ioc_hdr)CLIENT_HDR(*pl);
	pl->pl_path = client_at(c, CLIENT_PATH);
	pl->pl_path_len = strlen(path);
	pl->pl_after = client_at(c, CLIENT_TEXT);
	pl->pl_after_len = after_len;
	pl->pl_buf = client_at(c, CLIENT_BUF);
	if (!pl->pl_buf_len)
		pl->pl_buf_len = CLIENT_BUF_LEN;
	if (client_put(c, CLIENT_PATH, path, strlen(path)) ||
	    client_put(c, CLIENT_TEXT, after ?: "", after_len))
		return -EFAULT;
	rc = client_call(c, PARAMS_IOC_LIST, pl, sizeof(*pl));
	return client_filled(c, rc, pl->pl_used);
}

/* Number of children of a directory, or a negative errno. */
static inline long client_count(struct client *c, const char *path)
{
	struct params_ioc_list pl = { .pl_depth = 1 };
	long rc = client_list_with(c, path, NULL, &pl);

	return rc ?: pl.pl_count;
}

/**
 * struct client_set - one write of a batch
 * @path: entry
 * @text: value
 * @version: version expected, 0 for any
 * @status: out, what became of it
 */
struct client_set {
	const char	*path;
	const char	*text;
	u32		version;
	int		status;
};

static inline size_t client_pack_set(char *to, const struct client_set *set)
{
	struct params_write_rec *rec = (void *)to;
	size_t path_len = strlen(set->path);

	memset(rec, 0, sizeof(*rec));
	rec->wr_path_len = path_len;
	rec->wr_value_len = strlen(set->text);
	rec->wr_version = set->version;
	rec->wr_flags = set->version ? PARAMS_W_VERSION : 0;
	memset(rec->wr_data, 0, PARAMS_ALIGN(path_len) +
	       PARAMS_ALIGN(strlen(set->text)));
	memcpy(rec->wr_data, set->path, path_len);
	memcpy(rec->wr_data + PARAMS_ALIGN(path_len), set->text,
	       strlen(set->text));
	rec->wr_len = sizeof(*rec) + PARAMS_ALIGN(path_len) +
		PARAMS_ALIGN(strlen(set->text));
	return rec->wr_len;
}

/* WRITE_BATCH. Return: the errno of the call, or the number of failed records */
static inline long client_write_batch(struct client *c, u32 flags,
				      struct client_set *sets,
				      unsigned int count)
{
	struct params_ioc_write_batch wb = {
		.bw_hdr = CLIENT_HDR(wb),
		.bw_in = client_at(c, CLIENT_BUF),
		.bw_count = count,
		.bw_out = client_at(c, CLIENT_BUF + CLIENT_BUF_LEN / 2),
		.bw_out_len = CLIENT_BUF_LEN / 2,
		.bw_flags = flags,
	};
	size_t at = 0;
	unsigned int i;
	long rc;

	for (i = 0; i < count; i++)
		at += client_pack_set(c->buf + at, &sets[i]);
	wb.bw_in_len = at;
	if (client_put(c, CLIENT_BUF, c->buf, at))
		return -EFAULT;
	rc = client_call(c, PARAMS_IOC_WRITE_BATCH, &wb, sizeof(wb));
	if (rc)
		return rc;
	client_get(c, CLIENT_BUF + CLIENT_BUF_LEN / 2, c->buf, wb.bw_used);
	for (i = 0, at = 0; i < count && at < wb.bw_used; i++) {
		struct params_reply_rec *rr = (void *)(c->buf + at);

		sets[i].status = rr->rr_status;
		at += rr->rr_len;
	}
	return i == count ? wb.bw_failed : -EPROTO;
}

/* READ_BATCH of a subtree. */
static inline long client_read_subtree(struct client *c, const char *dir,
				       struct params_ioc_read_batch *rb)
{
	long rc;

	rb->rb_hdr = (struct libcfs_ioc_hdr)CLIENT_HDR(*rb);
	rb->rb_paths = client_at(c, CLIENT_PATH);
	rb->rb_paths_len = strlen(dir);
	rb->rb_flags = PARAMS_RB_SUBTREE;
	rb->rb_buf = client_at(c, CLIENT_BUF);
	if (!rb->rb_buf_len)
		rb->rb_buf_len = CLIENT_BUF_LEN;
	if (client_put(c, CLIENT_PATH, dir, strlen(dir) + 1))
		return -EFAULT;
	rc = client_call(c, PARAMS_IOC_READ_BATCH, rb, sizeof(*rb));
	return client_filled(c, rc, rb->rb_used);
}

static inline long client_describe(struct client *c, const char *path)
{
	struct params_ioc_describe pd = {
		.dsc_hdr = CLIENT_HDR(pd),
		.dsc_path = client_at(c, CLIENT_PATH),
		.dsc_path_len = strlen(path),
		.dsc_buf = client_at(c, CLIENT_BUF),
		.dsc_buf_len = CLIENT_BUF_LEN,
	};
	long rc;

	if (client_put(c, CLIENT_PATH, path, strlen(path)))
		return -EFAULT;
	rc = client_call(c, PARAMS_IOC_DESCRIBE, &pd, sizeof(pd));
	return client_filled(c, rc, pd.dsc_used);
}

#endif /* _KUNIT_CLIENT_H */
