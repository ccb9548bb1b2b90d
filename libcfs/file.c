// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files and directories of a local file system.
 */
#define LUSTRE_LITE_RENAME

#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/file.h>

/**
 * libcfs_pread() - read from a file
 * @file: file
 * @offset: offset
 * @bytes: out
 * @len: their number
 *
 * Context: may sleep
 * Return: bytes, fewer at the end of the file only; or a negative errno
 */
ssize_t libcfs_pread(struct file *file, u64 offset, void *bytes, size_t len)
{
	loff_t pos = offset;
	size_t done = 0;
	ssize_t rc;

	while (done < len) {
		rc = kernel_read(file, bytes + done, len - done, &pos);
		if (rc < 0)
			return rc;
		if (!rc)
			break;
		done += rc;
	}
	return done;
}
EXPORT_SYMBOL_NS_GPL(libcfs_pread, LUSTRE_LITE);

/**
 * libcfs_file_close() - drop a reference on a file whose file system may be unmounted next
 * @file: file
 *
 * A kernel thread closes it here: fput() would leave that to a work, after the unmount.
 *
 * Context: may sleep
 */
void libcfs_file_close(struct file *file)
{
	if (current->flags & PF_KTHREAD)
		__fput_sync(file);
	else
		fput(file);
}
EXPORT_SYMBOL_NS_GPL(libcfs_file_close, LUSTRE_LITE);

static int write_all(struct file *file, loff_t pos, const void *bytes,
		     size_t len)
{
	size_t done = 0;
	ssize_t rc;

	while (done < len) {
		rc = kernel_write(file, bytes + done, len - done, &pos);
		if (rc <= 0)
			return rc ?: -EIO;
		done += rc;
	}
	return 0;
}

/**
 * struct libcfs_writing - a write by a worker for a waiting task
 * @work: work
 * @file: file
 * @offset: offset
 * @bytes: bytes
 * @len: their number
 * @rc: out
 */
struct libcfs_writing {
	struct work_struct	work;
	struct file		*file;
	u64			offset;
	const void		*bytes;
	size_t			len;
	int			rc;
};

static void writing_run(struct work_struct *work)
{
	struct libcfs_writing *wr = container_of(work, struct libcfs_writing, work);

	wr->rc = write_all(wr->file, wr->offset, wr->bytes, wr->len);
}

/**
 * libcfs_pwrite() - write all bytes to a file
 * @file: file
 * @offset: offset
 * @bytes: bytes
 * @len: their number
 *
 * For a task of user space a worker writes, and the task waits: file systems
 * abort a write on a pending fatal signal and at RLIMIT_FSIZE. Neither concerns
 * the files of modules. Permissions are those of the opener.
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int libcfs_pwrite(struct file *file, u64 offset, const void *bytes, size_t len)
{
	struct libcfs_writing wr = {
		.file = file,
		.offset = offset,
		.bytes = bytes,
		.len = len,
	};

	if (current->flags & PF_KTHREAD)
		return write_all(file, offset, bytes, len);
	INIT_WORK_ONSTACK(&wr.work, writing_run);
	queue_work(compat_unbound_wq, &wr.work);
	flush_work(&wr.work);
	destroy_work_on_stack(&wr.work);
	return wr.rc;
}
EXPORT_SYMBOL_NS_GPL(libcfs_pwrite, LUSTRE_LITE);

/**
 * libcfs_dir_sync() - make the names in a directory survive a power cut
 * @dir: directory, open
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int libcfs_dir_sync(struct file *dir)
{
	/* Directories of some file systems need no fsync. */
	return dir->f_op->fsync ? vfs_fsync(dir, 0) : 0;
}
EXPORT_SYMBOL_NS_GPL(libcfs_dir_sync, LUSTRE_LITE);

/**
 * libcfs_path_sync() - make the names in a directory survive a power cut
 * @dir: directory
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int libcfs_path_sync(const struct path *dir)
{
	struct file *file = dentry_open(dir, O_RDONLY | O_DIRECTORY,
					current_cred());
	int rc;

	if (IS_ERR(file))
		return PTR_ERR(file);
	rc = libcfs_dir_sync(file);
	fput(file);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(libcfs_path_sync, LUSTRE_LITE);

static int rename_names(const struct path *dir, const char *from, const char *to)
{
	const struct qstr old = QSTR_INIT(from, strlen(from)), new = QSTR_INIT(to, strlen(to));
	struct compat_renamedata rd = {
		.mnt_idmap = compat_path_idmap(dir),
		.old_parent = dir->dentry,
		.new_parent = dir->dentry,
	};
	int rc = compat_start_renaming(&rd, &old, &new);

	if (rc)
		return rc;
	rc = compat_vfs_rename(&rd);
	compat_end_renaming(&rd);
	return rc;
}

/**
 * libcfs_rename() - rename a file within its directory, replacing @to
 * @dir: directory
 * @from: old name
 * @to: new name
 *
 * The new name survives a power cut after the next sync of the directory.
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int libcfs_rename(const struct path *dir, const char *from, const char *to)
{
	int rc = mnt_want_write(dir->mnt);

	if (rc)
		return rc;
	rc = rename_names(dir, from, to);
	mnt_drop_write(dir->mnt);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(libcfs_rename, LUSTRE_LITE);

/**
 * libcfs_path_text() - a path as text, for a parameter
 * @path: path
 * @buf: out, without a NUL
 * @size: its bytes
 *
 * Context: may sleep
 * Return: bytes; -EOVERFLOW if @size is too small; a negative errno
 */
ssize_t libcfs_path_text(const struct path *path, char *buf, size_t size)
{
	const char *text = d_path(path, buf, size);
	size_t len;

	if (IS_ERR(text))
		return PTR_ERR(text) == -ENAMETOOLONG ? -EOVERFLOW :
							PTR_ERR(text);
	len = strlen(text);
	memmove(buf, text, len);
	return len;
}
EXPORT_SYMBOL_NS_GPL(libcfs_path_text, LUSTRE_LITE);
