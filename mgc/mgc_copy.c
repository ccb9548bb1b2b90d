// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies of logs, for mounts without the service:
 *
 *	NAME		the log
 *	NAME.copy	struct ll_log_copy: its version and CRC
 *	NAME.new	the log, until it is renamed to NAME
 *
 * A copy is used if the log matches NAME.copy. Both are written to temporary names and
 * synced before they are renamed: NAME.copy first, so that a log without one is never a
 * copy. Such a log is not overwritten: it may be the service's own.
 *
 * Each rename is on disk before the next one. So after a power cut the log that NAME.copy
 * describes exists: as NAME, or as NAME.new if the power was cut between the two renames;
 * then it becomes NAME before NAME.new is written again.
 */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/crc32c.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/file.h>
#include <lustre_lite/llog_format.h>

#include "mgc_internal.h"

#define NEW_SUFFIX	".new"
#define COPY_CHUNK	65536U
#define COPY_MAX	(256U << 20)
/* Changes within this time are saved together. */
#define SAVE_DELAY_MS	100

/**
 * struct mgc_copy - a copy being read or written
 * @dir: directory
 * @name: log
 * @info: NAME.copy: its name
 * @name_new: NAME.new
 * @info_new: temporary name of NAME.copy
 * @head: first bytes of the log, if the file may have others meanwhile
 * @head_len: their number
 * @buf: COPY_CHUNK bytes
 */
struct mgc_copy {
	const struct path	*dir;
	char			name[WIRE_LOGNAME_LEN];
	char			info[WIRE_LOGNAME_LEN + 16];
	char			name_new[WIRE_LOGNAME_LEN + 16];
	char			info_new[WIRE_LOGNAME_LEN + 16];
	const void		*head;
	u32			head_len;
	char			buf[COPY_CHUNK];
};

/*
 * Serializes writers, which write to a file system and do not wait for the
 * service. Guards ml_saved, ml_saved_params and ml_save_error of all logs. The state of a
 * log is taken within it, under ml_mutex, so that no copy replaces a newer one.
 */
static DEFINE_MUTEX(save_mutex);

/* Return: file, or an ERR_PTR; -EINVAL unless it is a regular file */
static struct file *file_open(const struct path *dir, const char *name, int flags)
{
	struct file *file = file_open_root(dir, name, flags | O_LARGEFILE |
					   O_NONBLOCK | O_NOFOLLOW, 0644);

	if (!IS_ERR(file) && !S_ISREG(file_inode(file)->i_mode)) {
		fput(file);
		return ERR_PTR(-EINVAL);
	}
	return file;
}

/* Return: false if the file certainly does not exist */
static bool file_exists(const struct path *dir, const char *name)
{
	struct file *file = file_open(dir, name, O_RDONLY);

	if (IS_ERR(file))
		return PTR_ERR(file) != -ENOENT;
	fput(file);
	return true;
}

static struct mgc_copy *copy_new(const struct path *dir, const char *name)
{
	struct mgc_copy *copy = kvzalloc(sizeof(*copy), GFP_KERNEL);

	if (!copy)
		return NULL;
	copy->dir = dir;
	strscpy(copy->name, name, sizeof(copy->name));
	scnprintf(copy->info, sizeof(copy->info), "%s" LL_LOG_COPY_SUFFIX,
		  name);
	scnprintf(copy->name_new, sizeof(copy->name_new), "%s" NEW_SUFFIX,
		  name);
	scnprintf(copy->info_new, sizeof(copy->info_new), "%s" NEW_SUFFIX,
		  copy->info);
	return copy;
}

static u32 info_crc(const struct ll_log_copy *info)
{
	return ~crc32c(~0U, info, offsetof(struct ll_log_copy, copy_self));
}

/* Reading. */

static int info_read(struct mgc_copy *copy, struct ll_log_copy *info)
{
	struct file *file = file_open(copy->dir, copy->info, O_RDONLY);
	int rc;

	if (IS_ERR(file))
		return PTR_ERR(file);
	rc = libcfs_pread(file, 0, info, sizeof(*info));
	fput(file);
	if (rc < 0)
		return rc;
	if (rc != sizeof(*info) ||
	    info->copy_magic != cpu_to_le32(LL_LOG_COPY_MAGIC) ||
	    le32_to_cpu(info->copy_self) != info_crc(info) ||
	    le64_to_cpu(info->copy_size) > COPY_MAX)
		return -EBADMSG;
	return 0;
}

/* Copy bytes between files; with @to NULL only compute their CRC. */
static int bytes_copy(struct mgc_copy *copy, struct file *from, struct file *to,
		      u64 size, u32 *crc)
{
	u32 sum = ~0U;
	u64 at = 0;
	int len, rc;

	while (at < size) {
		len = libcfs_pread(from, at, copy->buf,
				   min_t(u64, size - at, COPY_CHUNK));
		if (len <= 0)
			return len ?: -EBADMSG;
		if (at < copy->head_len)
			memcpy(copy->buf, copy->head + at,
			       min_t(u64, len, copy->head_len - at));
		sum = crc32c(sum, copy->buf, len);
		rc = to ? libcfs_pwrite(to, at, copy->buf, len) : 0;
		if (rc)
			return rc;
		at += len;
	}
	*crc = ~sum;
	return 0;
}

/*
 * Return: 0 if file @name is the log that @info describes; its bytes are in @to
 */
static int log_read(struct mgc_copy *copy, const char *name,
		    const struct ll_log_copy *info, struct file *to)
{
	struct file *file = file_open(copy->dir, name, O_RDONLY);
	u64 size = le64_to_cpu(info->copy_size);
	u32 crc = 0;
	int rc;

	if (IS_ERR(file))
		return PTR_ERR(file) == -ENOENT ? -EBADMSG : PTR_ERR(file);
	if (i_size_read(file_inode(file)) == size)
		rc = bytes_copy(copy, file, to, size, &crc);
	else
		rc = -EBADMSG;
	fput(file);
	if (!rc && crc != le32_to_cpu(info->copy_crc))
		rc = -EBADMSG;
	return rc;
}

static int log_read_new(struct mgc_copy *copy, const char *name,
			const struct ll_log_copy *info, struct mgc_part *part)
{
	struct file *file = mgc_file_new(copy->name);
	int rc;

	if (IS_ERR(file))
		return PTR_ERR(file);
	rc = log_read(copy, name, info, file);
	if (rc)
		fput(file);
	else
		part->mpt_file = file;
	return rc;
}

static int copy_read(struct mgc_copy *copy, struct mgc_part *part)
{
	struct ll_log_copy info = {};
	int rc = info_read(copy, &info);

	if (rc)
		return rc;
	part->mpt_copy = true;
	part->mpt_version.epoch = le64_to_cpu(info.copy_epoch);
	part->mpt_version.generation = le64_to_cpu(info.copy_generation);
	part->mpt_version.size = le64_to_cpu(info.copy_size);
	part->mpt_version.last_index = le32_to_cpu(info.copy_last_index);
	rc = log_read_new(copy, copy->name, &info, part);
	if (rc == -EBADMSG)
		rc = log_read_new(copy, copy->name_new, &info, part);
	return rc;
}

/* @part: out, for mgc_part_drop(), also after an error */
static int copy_load(struct mgc_device *mg, const struct path *dir,
		     const char *name, struct mgc_part *part)
{
	struct mgc_copy *copy = copy_new(dir, name);
	int rc;

	if (!copy)
		return -ENOMEM;
	rc = copy_read(copy, part);
	kvfree(copy);
	if (rc && rc != -ENOENT)
		CERROR("%s: ignoring the local copy of log %s, which is %s: rc = %d\n",
		       mg->mg_obd->obd_name, name, rc == -EBADMSG ?
		       "damaged" : "unreadable", rc);
	return rc;
}

static int copy_apply(struct mgc_log *log, const struct path *dir)
{
	struct mgc_part part = {};
	int rc;

	mutex_lock(&log->ml_mutex);
	rc = log->ml_have.generation ? 0 :
	     copy_load(log->ml_mgc, dir, log->ml_name, &part);
	if (!rc && part.mpt_file)
		rc = mgc_apply(log, &part);
	mutex_unlock(&log->ml_mutex);
	mgc_part_drop(&part);
	return rc;
}

/**
 * mgc_copy_use() - apply the copies of a log, whose service is unreachable
 * @log: log; the settings of all nodes are applied before it
 *
 * Context: may sleep; sleeps as long as the records take
 * Return: 0, also if the log was read from the service meanwhile; -ENOENT if there is no
 *  copy; -EBADMSG if it is damaged; -ENOMEM; errors of the file system
 */
int mgc_copy_use(struct mgc_log *log)
{
	struct mgc_log *params = log->ml_params;
	int rc;

	if (!log->ml_copies.mnt || (log->ml_flags & MGC_FOLLOW_NO_COPY))
		return -ENOENT;
	if (params)
		copy_apply(params, &log->ml_copies);
	rc = copy_apply(log, &log->ml_copies);
	if (!rc && mgc_log_stale(log))
		CWARN("%s: management service is unreachable; using the local copy of log %s, generation %llu, which may be outdated\n",
		      log->ml_mgc->mg_obd->obd_name, log->ml_name,
		      log->ml_have.generation);
	return rc;
}

/* Writing. */

static struct file *new_file(struct mgc_copy *copy, const char *name)
{
	return file_open(copy->dir, name, O_WRONLY | O_CREAT | O_TRUNC);
}

static int log_write(struct mgc_copy *copy, struct file *from, u64 size, u32 *crc)
{
	struct file *file = new_file(copy, copy->name_new);
	int rc;

	if (IS_ERR(file))
		return PTR_ERR(file);
	rc = bytes_copy(copy, from, file, size, crc);
	if (!rc)
		rc = vfs_fsync(file, 0);
	fput(file);
	return rc;
}

static int info_write(struct mgc_copy *copy, const struct mgc_version *version,
		      u32 crc)
{
	struct ll_log_copy info = {
		.copy_magic = cpu_to_le32(LL_LOG_COPY_MAGIC),
		.copy_last_index = cpu_to_le32(version->last_index),
		.copy_epoch = cpu_to_le64(version->epoch),
		.copy_generation = cpu_to_le64(version->generation),
		.copy_size = cpu_to_le64(version->size),
		.copy_crc = cpu_to_le32(crc),
	};
	struct file *file = new_file(copy, copy->info_new);
	int rc;

	if (IS_ERR(file))
		return PTR_ERR(file);
	info.copy_self = cpu_to_le32(info_crc(&info));
	rc = libcfs_pwrite(file, 0, &info, sizeof(info));
	if (!rc)
		rc = vfs_fsync(file, 0);
	fput(file);
	return rc;
}

static int copy_rename(struct mgc_copy *copy, const char *from, const char *to)
{
	return libcfs_rename(copy->dir, from, to) ?: libcfs_path_sync(copy->dir);
}

/* After a power cut NAME.new may be the log that NAME.copy describes. */
static int copy_settle(struct mgc_copy *copy)
{
	struct ll_log_copy info = {};

	lockdep_assert_held(&save_mutex);
	if (!file_exists(copy->dir, copy->name_new) ||
	    info_read(copy, &info) ||
	    !log_read(copy, copy->name, &info, NULL) ||
	    log_read(copy, copy->name_new, &info, NULL))
		return 0;
	return copy_rename(copy, copy->name_new, copy->name);
}

static int copy_write(struct mgc_copy *copy, struct file *from,
		      const struct mgc_version *version)
{
	u32 crc = 0;
	int rc;

	lockdep_assert_held(&save_mutex);
	if (file_exists(copy->dir, copy->name) &&
	    !file_exists(copy->dir, copy->info))
		return -EEXIST;
	rc = log_write(copy, from, version->size, &crc) ?:
	     info_write(copy, version, crc) ?:
	     libcfs_path_sync(copy->dir);
	if (rc)
		return rc;
	return copy_rename(copy, copy->info_new, copy->info) ?:
	       copy_rename(copy, copy->name_new, copy->name);
}

/**
 * struct mgc_snapshot - a log at some time
 * @file: its bytes, referenced; the head may change
 * @version: its version
 * @head: its head, from kvmalloc()
 * @head_len: bytes of that
 */
struct mgc_snapshot {
	struct file		*file;
	struct mgc_version	version;
	void			*head;
	u32			head_len;
};

static int snapshot_head(struct mgc_snapshot *shot)
{
	int rc;

	shot->head = kvmalloc(LLOG_MAX_CHUNK_SIZE, GFP_KERNEL);
	if (!shot->head)
		return -ENOMEM;
	rc = libcfs_pread(shot->file, 0, shot->head,
			  min_t(u64, shot->version.size,
				LLOG_MIN_CHUNK_SIZE));
	if (rc < 0 || llog_head_chunk_size(shot->head, rc, &shot->head_len))
		return rc < 0 ? rc : -EBADMSG;
	rc = libcfs_pread(shot->file, 0, shot->head, shot->head_len);
	return rc < 0 ? rc : 0;
}

static void snapshot_end(struct mgc_snapshot *shot)
{
	if (shot->file)
		fput(shot->file);
	kvfree(shot->head);
}

/* The current state of a log. Return: 0; file NULL if it need not be saved */
static int snapshot_take(struct mgc_log *log, struct mgc_snapshot *shot)
{
	int rc = 0;

	mutex_lock(&log->ml_mutex);
	if (log->ml_file && log->ml_have.epoch && !log->ml_stale) {
		shot->file = get_file(log->ml_file);
		shot->version = log->ml_have;
		rc = snapshot_head(shot);
	}
	mutex_unlock(&log->ml_mutex);
	return rc;
}

static int save_file(const struct path *dir, const char *name,
		     const struct mgc_snapshot *shot)
{
	struct mgc_copy *copy = copy_new(dir, name);
	int rc;

	if (!copy)
		return -ENOMEM;
	rc = copy_settle(copy);
	copy->head = shot->head;
	copy->head_len = shot->head_len;
	rc = rc ?: copy_write(copy, shot->file, &shot->version);
	kvfree(copy);
	return rc;
}

/* Warn once, until the error changes. */
static void save_failed(struct mgc_log *log, const char *name, int rc)
{
	lockdep_assert_held(&save_mutex);
	if (rc && rc != log->ml_save_error)
		CWARN("%s: cannot save a copy of log %s%s: rc = %d\n",
		      log->ml_mgc->mg_obd->obd_name, name, rc == -EEXIST ?
		      ": a log of that name exists that is not a copy" : "", rc);
	log->ml_save_error = rc;
}

/*
 * Save the state of @log in @owner's directory of copies, unless it is up to
 * date.
 */
static void save_log(struct mgc_log *owner, struct mgc_log *log,
		     struct mgc_version *saved)
{
	struct mgc_snapshot shot = {};
	int rc;

	mutex_lock(&save_mutex);
	rc = snapshot_take(log, &shot);
	if (shot.file && (shot.version.epoch != saved->epoch ||
			  shot.version.generation != saved->generation)) {
		rc = rc ?: save_file(&owner->ml_copies, log->ml_name, &shot);
		if (!rc)
			*saved = shot.version;
		save_failed(owner, log->ml_name, rc);
	}
	mutex_unlock(&save_mutex);
	snapshot_end(&shot);
}

static void save_with_params(struct mgc_log *log)
{
	struct mgc_log *params = NULL;

	save_log(log, log, &log->ml_saved);
	spin_lock(&log->ml_lock);
	if (log->ml_params)
		params = mgc_log_get(log->ml_params);
	spin_unlock(&log->ml_lock);
	if (!params)
		return;
	save_log(log, params, &log->ml_saved_params);
	mgc_log_put(params);
}

/* Settings of all nodes are saved in the directory of each log with copies. */
static void save_params(struct mgc_log *params)
{
	struct mgc_device *mg = params->ml_mgc;
	struct mgc_log *log;
	u64 seq = 0;

	while ((log = mgc_log_next(mg, &seq))) {
		if (log->ml_copies.mnt)
			save_log(log, params, &log->ml_saved_params);
		mgc_log_put(log);
	}
}

/**
 * mgc_copy_save_end() - save copies of a log that ends
 * @log: log that has ended; its settings for all nodes still exist
 *
 * Context: may sleep; ml_mutex is not held
 */
void mgc_copy_save_end(struct mgc_log *log)
{
	if (log->ml_copies.mnt)
		save_with_params(log);
}

/**
 * mgc_copy_save_work() - save copies of a changed log
 * @work: ml_save
 *
 * Errors are only logged.
 *
 * Context: process
 */
void mgc_copy_save_work(struct work_struct *work)
{
	struct mgc_log *log = container_of(to_delayed_work(work),
					   struct mgc_log, ml_save);

	if (mgc_log_ended(log))
		goto put_log;
	if (log->ml_type == CONFIG_T_PARAMS)
		save_params(log);
	else
		save_with_params(log);
put_log:
	mgc_log_put(log);
}

/**
 * mgc_copy_save_deferred() - schedule saving copies of a changed log
 * @log: log; the caller holds it
 *
 * Changes in quick succession are saved together; the first copy is saved at
 * once. The end of the log saves pending changes.
 *
 * Context: any task
 */
void mgc_copy_save_deferred(struct mgc_log *log)
{
	unsigned int ms = SAVE_DELAY_MS;

	if (!log->ml_copies.mnt && log->ml_type != CONFIG_T_PARAMS)
		return;
	if (log->ml_copies.mnt && !READ_ONCE(log->ml_saved.generation))
		ms = 0;
	mgc_log_get(log);
	if (mgc_log_ended(log) ||
	    !queue_delayed_work(log->ml_mgc->mg_wq, &log->ml_save,
				msecs_to_jiffies(ms)))
		mgc_log_put(log);
	/* It ended meanwhile, and may have missed the work. */
	if (mgc_log_ended(log) && cancel_delayed_work(&log->ml_save))
		mgc_log_put(log);
}
