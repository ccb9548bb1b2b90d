// SPDX-License-Identifier: GPL-2.0
/*
 * Files and directories of a local file system.
 */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/file.h>

/**
 * libcfs_pread() - read from a file
 * @file: file
 * @offset: from where
 * @bytes: out
 * @len: how many
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
 * struct writing - bytes that a worker writes for a task, which waits
 * @work: work
 * @file: file
 * @offset: where to
 * @bytes: bytes
 * @len: how many
 * @rc: out
 */
struct writing {
	struct work_struct	work;
	struct file		*file;
	u64			offset;
	const void		*bytes;
	size_t			len;
	int			rc;
};

static void writing_run(struct work_struct *work)
{
	struct writing *wr = container_of(work, struct writing, work);

	wr->rc = write_all(wr->file, wr->offset, wr->bytes, wr->len);
}

/**
 * libcfs_pwrite() - write all of it into a file
 * @file: file
 * @offset: where to
 * @bytes: bytes
 * @len: how many
 *
 * A task of user space has a worker write, and waits for it: file systems end a write
 * where a signal that kills is pending, and at RLIMIT_FSIZE. Neither has to do with the
 * files of modules. The rights are those of who opened the file.
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int libcfs_pwrite(struct file *file, u64 offset, const void *bytes, size_t len)
{
	struct writing wr = {
		.file = file,
		.offset = offset,
		.bytes = bytes,
		.len = len,
	};

	if (current->flags & PF_KTHREAD)
		return write_all(file, offset, bytes, len);
	INIT_WORK_ONSTACK(&wr.work, writing_run);
	queue_work(system_unbound_wq, &wr.work);
	flush_work(&wr.work);
	destroy_work_on_stack(&wr.work);
	return wr.rc;
}
EXPORT_SYMBOL_NS_GPL(libcfs_pwrite, LUSTRE_LITE);

/**
 * libcfs_dir_sync() - names in a directory are to survive a power cut
 * @dir: directory, open
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int libcfs_dir_sync(struct file *dir)
{
	/* There are file systems whose directories need none. */
	return dir->f_op->fsync ? vfs_fsync(dir, 0) : 0;
}
EXPORT_SYMBOL_NS_GPL(libcfs_dir_sync, LUSTRE_LITE);

/**
 * libcfs_path_text() - a path as text, for a parameter
 * @path: path
 * @buf: out, without a NUL
 * @size: room in it
 *
 * Context: may sleep
 * Return: bytes; -EOVERFLOW when there is too little room; a negative errno
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
