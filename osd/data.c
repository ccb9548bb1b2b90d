// SPDX-License-Identifier: GPL-2.0-only
/*
 * Data of objects. A file is opened once, and stays open as long as its object is located: its
 * read-ahead goes on from one request to the next.
 */
#include <linux/err.h>
#include <linux/falloc.h>
#include <linux/file.h>
#include <linux/uio.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/file.h>

#include "osd_internal.h"

static struct file *file_open(const struct osd_object *obj)
{
	struct path path = osd_object_path(obj);

	if (!d_is_reg(obj->oo_dentry))
		return ERR_PTR(d_is_dir(obj->oo_dentry) ? -EISDIR : -EINVAL);
	return dentry_open(&path, O_RDWR | O_LARGEFILE, obj->oo_osd->osd_cred);
}

/* Tasks may open it at the same time: the first one wins. */
static struct file *object_file(struct osd_object *obj)
{
	struct file *file = READ_ONCE(obj->oo_file), *first;

	if (file)
		return file;
	file = file_open(obj);
	if (IS_ERR(file))
		return file;
	first = cmpxchg(&obj->oo_file, NULL, file);
	if (!first)
		return file;
	libcfs_file_close(file);
	return first;
}

ssize_t osd_read(struct osd_object *obj, struct iov_iter *iter, loff_t pos)
{
	struct file *file = object_file(obj);
	ssize_t done = 0, rc;

	if (IS_ERR(file))
		return PTR_ERR(file);
	while (iov_iter_count(iter)) {
		rc = vfs_iter_read(file, iter, &pos, 0);
		if (rc < 0)
			return rc;
		if (!rc)
			break;
		done += rc;
	}
	return done;
}
EXPORT_SYMBOL_NS_GPL(osd_read, LUSTRE_LITE);

int osd_write(struct osd_object *obj, struct iov_iter *iter, loff_t pos)
{
	struct file *file = object_file(obj);
	ssize_t rc;

	if (IS_ERR(file))
		return PTR_ERR(file);
	while (iov_iter_count(iter)) {
		rc = compat_iter_write(file, iter, &pos);
		if (rc <= 0)
			return rc ?: -EIO;
	}
	return 0;
}
EXPORT_SYMBOL_NS_GPL(osd_write, LUSTRE_LITE);

int osd_fallocate(struct osd_object *obj, int mode, loff_t pos, loff_t len)
{
	struct file *file = object_file(obj);
	loff_t most;

	if (IS_ERR(file))
		return PTR_ERR(file);
	most = file_inode(file)->i_sb->s_maxbytes;
	if (mode & FALLOC_FL_PUNCH_HOLE) {
		if (pos >= most)
			return 0;
		len = min(len, most - pos);
	}
	return vfs_fallocate(file, mode, pos, len);
}
EXPORT_SYMBOL_NS_GPL(osd_fallocate, LUSTRE_LITE);

/* The position that the open file keeps of it has no users. */
loff_t osd_seek(struct osd_object *obj, bool hole, loff_t pos)
{
	struct file *file = object_file(obj);

	return IS_ERR(file) ? PTR_ERR(file) : vfs_llseek(file, pos, hole ? SEEK_HOLE : SEEK_DATA);
}
EXPORT_SYMBOL_NS_GPL(osd_seek, LUSTRE_LITE);

int osd_sync(struct osd_object *obj)
{
	struct file *file = object_file(obj);

	return IS_ERR(file) ? PTR_ERR(file) : vfs_fsync(file, 0);
}
EXPORT_SYMBOL_NS_GPL(osd_sync, LUSTRE_LITE);
