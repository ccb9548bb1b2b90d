// SPDX-License-Identifier: GPL-2.0-only
/*
 * Logs in files of a local file system: open, close and I/O. store.c has the
 * order of writes.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/namei.h>
#include <linux/timekeeping.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/file.h>
#include <lustre_lite/libcfs.h>

#include "llog_internal.h"

/*
 * Chunks of memory of a handle: the header, and two for a padding and a record.
 */
#define LLOG_CHUNKS	3

static DEFINE_MUTEX(llog_writers_lock);	/* guards llog_writers */
static LIST_HEAD(llog_writers);

/**
 * llog_file_read() - read from a log's file
 * @file: struct file
 * @offset: offset
 * @bytes: out
 * @len: their number
 *
 * Context: may sleep
 * Return: bytes, fewer at the end of the file only; or a negative errno
 */
ssize_t llog_file_read(void *file, u64 offset, void *bytes, size_t len)
{
	return libcfs_pread(file, offset, bytes, len);
}

static int llog_file_write(void *file, u64 offset, const void *bytes, size_t len)
{
	return libcfs_pwrite(file, offset, bytes, len);
}

static int llog_file_sync(void *file)
{
	return vfs_fsync(file, 0);
}

static int llog_file_truncate(void *file, u64 size)
{
	struct file *filp = file;

	return vfs_truncate(&filp->f_path, size);
}

static const struct llog_store_io llog_file_io = {
	.read	= llog_file_read,
	.write	= llog_file_write,
	.sync	= llog_file_sync,
	.truncate = llog_file_truncate,
};

/* fsync makes the name of a new file survive a power cut. */
static int llog_dir_sync(struct file *file)
{
	struct path dir = { .mnt = file->f_path.mnt };
	int rc;

	dir.dentry = dget_parent(file->f_path.dentry);
	rc = libcfs_path_sync(&dir);
	dput(dir.dentry);
	return rc;
}

/* One writing handle for each file: two would overwrite each other's records. */
static int llog_writer_add(struct llog_handle *log)
{
	struct llog_handle *other;
	int rc = 0;

	mutex_lock(&llog_writers_lock);
	list_for_each_entry(other, &llog_writers, writer_link)
		if (file_inode(other->file) == file_inode(log->file))
			rc = -EBUSY;
	if (!rc)
		list_add(&log->writer_link, &llog_writers);
	mutex_unlock(&llog_writers_lock);
	if (rc)
		CERROR("%pD: another handle writes to this log: rc = %d\n",
		       log->file, rc);
	return rc;
}

static void llog_writer_del(struct llog_handle *log)
{
	mutex_lock(&llog_writers_lock);
	list_del_init(&log->writer_link);
	mutex_unlock(&llog_writers_lock);
}

static int llog_file_check(struct file *file, unsigned int flags)
{
	fmode_t want = FMODE_READ;

	if (flags & LLOG_O_WRITE)
		want |= FMODE_WRITE;
	if ((file->f_mode & want) != want)
		return -EBADF;
	if (!S_ISREG(file_inode(file)->i_mode) ||
	    !(file->f_mode & FMODE_CAN_READ))
		return -EINVAL;
	return 0;
}

static void llog_free(struct llog_handle *log)
{
	libcfs_free(log->store.chunk0, log->size);
	mutex_destroy(&log->head_lock);
	mutex_destroy(&log->write_lock);
	fput(log->file);
	libcfs_free(log, sizeof(*log));
}

/* Takes over the caller's reference of @file, also on failure. */
static struct llog_handle *llog_alloc(struct file *file)
{
	struct llog_handle *log = libcfs_zalloc(sizeof(*log), GFP_KERNEL);

	if (!log) {
		fput(file);
		return NULL;
	}
	log->file = file;
	INIT_LIST_HEAD(&log->writer_link);
	mutex_init(&log->write_lock);
	mutex_init(&log->head_lock);
	log->store.io = &llog_file_io;
	log->store.file = file;
	return log;
}

static int llog_memory(struct llog_handle *log, u32 chunk_size)
{
	struct llog_store *store = &log->store;

	libcfs_free(store->chunk0, log->size);
	log->size = LLOG_CHUNKS * (size_t)chunk_size;
	store->chunk0 = libcfs_zalloc(log->size, GFP_KERNEL);
	if (!store->chunk0)
		return -ENOMEM;
	store->buf = store->chunk0 + chunk_size;
	store->chunk_size = chunk_size;
	return 0;
}

static int llog_create(struct llog_handle *log, const char *tgtuuid)
{
	int rc;

	rc = llog_store_create(&log->store, tgtuuid, ktime_get_real_seconds());
	if (!rc)
		rc = llog_dir_sync(log->file);
	if (rc)
		CERROR("%pD: cannot create a log: rc = %d\n", log->file, rc);
	return rc;
}

static int llog_load(struct llog_handle *log, unsigned int flags)
{
	struct llog_fault fault;
	int rc;

	rc = llog_store_open(&log->store, flags & LLOG_O_WRITE, &fault);
	if (fault.what)
		CWARN("%pD: offset %llu, record %u: %s: %#llx, not %#llx: rc = %d\n",
		      log->file, fault.offset, fault.index, fault.what,
		      fault.seen, fault.want, rc);
	else if (rc)
		CERROR("%pD: cannot open the log: rc = %d\n", log->file, rc);
	return rc;
}

/* Opens the store and, for a writer, adds the handle to the list. */
static int llog_start(struct llog_handle *log, unsigned int flags,
		      const char *tgtuuid)
{
	u32 chunk_size = LLOG_MIN_CHUNK_SIZE;
	int rc;

	rc = llog_memory(log, chunk_size);
	if (rc)
		return rc;
	rc = llog_store_probe(&llog_file_io, log->file, log->store.chunk0,
			      &chunk_size);
	if (rc == -ENODATA && (flags & LLOG_O_CREATE))
		return llog_create(log, tgtuuid);
	if (rc) {
		CWARN("%pD: %s: rc = %d\n", log->file, rc == -ENODATA ?
		      "empty, or a log whose creation was interrupted" :
		      "not a log", rc);
		return rc;
	}
	if (chunk_size != LLOG_MIN_CHUNK_SIZE) {
		rc = llog_memory(log, chunk_size);
		if (rc)
			return rc;
	}
	return llog_load(log, flags);
}

/* Takes over the caller's reference of @file, also on failure. */
static struct llog_handle *llog_open_common(struct file *file,
					    unsigned int flags,
					    const char *tgtuuid)
{
	struct llog_handle *log = llog_alloc(file);
	int rc;

	if (!log)
		return ERR_PTR(-ENOMEM);
	rc = llog_file_check(file, flags);
	if (rc)
		goto free_log;
	if (flags & LLOG_O_WRITE) {
		rc = llog_writer_add(log);
		if (rc)
			goto free_log;
	}
	rc = llog_start(log, flags, tgtuuid);
	if (rc)
		goto del_writer;
	return log;

del_writer:
	llog_writer_del(log);
free_log:
	llog_free(log);
	return ERR_PTR(rc);
}

/**
 * llog_open() - open a log by its path
 * @path: path, as the calling task sees it
 * @flags: LLOG_O_WRITE to append and cancel; LLOG_O_CREATE also creates a
 *  missing log, which is on disk with its name before this returns
 * @tgtuuid: for LLOG_O_CREATE, uuid in the header, such as "config_uuid"
 *
 * Opening for writing repairs the effects of a power cut. One handle can be
 * open for writing.
 *
 * Context: may sleep
 * Return: handle for llog_close(); -EBUSY if another handle writes; -ENODATA
 *  for an empty file, without LLOG_O_CREATE; -EBADMSG unless it is a log, or
 *  for a damaged one to be written; -EOPNOTSUPP for a log of the other byte
 *  order or another kind, to be written; -EINVAL unless it is a regular file;
 *  errors of the file system
 */
struct llog_handle *llog_open(const char *path, unsigned int flags,
			      const char *tgtuuid)
{
	int how = O_RDONLY;
	struct file *file;

	if (flags & LLOG_O_CREATE) {
		flags |= LLOG_O_WRITE;
		how |= O_CREAT;
	}
	if (flags & LLOG_O_WRITE)
		how |= O_RDWR;
	file = filp_open(path, how | O_LARGEFILE | O_NONBLOCK, 0644);
	if (IS_ERR(file))
		return ERR_CAST(file);
	return llog_open_common(file, flags, tgtuuid);
}
EXPORT_FOR_KUNIT(llog_open);

/**
 * llog_open_file() - open a log in an open file
 * @file: file, open for reading, and for writing with LLOG_O_WRITE; the handle
 *  takes a reference
 * @flags: as llog_open(), without LLOG_O_CREATE
 *
 * Context: may sleep
 * Return: as llog_open(); -EBADF if the file is not open for that
 */
struct llog_handle *llog_open_file(struct file *file, unsigned int flags)
{
	if (flags & LLOG_O_CREATE)
		return ERR_PTR(-EINVAL);
	return llog_open_common(get_file(file), flags, NULL);
}
EXPORT_SYMBOL_NS_GPL(llog_open_file, LUSTRE_LITE);

/**
 * llog_close() - close a log
 * @log: handle; NULL and errors of llog_open() are ignored
 *
 * Context: may sleep; the handle has no user any more
 */
void llog_close(struct llog_handle *log)
{
	if (IS_ERR_OR_NULL(log))
		return;
	llog_writer_del(log);
	llog_free(log);
}
EXPORT_SYMBOL_NS_GPL(llog_close, LUSTRE_LITE);

/**
 * llog_handle_head() - the header of an open log
 * @log: handle
 *
 * Chunk size, flags, timestamp and uuid are constant while the log is open.
 * Count, last index and bitmap are not: they may only be read while no task
 * writes.
 *
 * Context: any
 * Return: header, valid until the handle is closed
 */
const struct llog_head *llog_handle_head(struct llog_handle *log)
{
	return &log->store.head;
}
EXPORT_FOR_KUNIT(llog_handle_head);
