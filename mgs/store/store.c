// SPDX-License-Identifier: GPL-2.0
/*
 * The store: which logs there are, and reading them, which is from memory.
 */
#include <linux/compiler.h>
#include <linux/slab.h>

#include <lustre_lite/libcfs.h>

#include "store_internal.h"

static bool ends_with(const char *name, const char *suffix)
{
	size_t len = strlen(name), end = strlen(suffix);

	return len >= end && !strcmp(name + len - end, suffix);
}

/*
 * Files of CONFIGS/ that are no logs; ".new": a file that was about to take the place
 * of another one when the power went.
 */
static bool is_other_file(const char *name)
{
	return !strcmp(name, "mountdata") || !strcmp(name, "nodemap") ||
		ends_with(name, LL_LOG_COPY_SUFFIX) || ends_with(name, ".new");
}

/* Whether a log can have this name. Return: 0, -EINVAL */
int mgs_store_name_check(const char *log)
{
	const char *p;

	if (!log[0] || log[0] == '.' || strlen(log) >= MGS_LOGNAME_MAX ||
	    is_other_file(log))
		return -EINVAL;
	for (p = log; *p; p++)
		if (*p <= ' ' || *p >= 0x7f || *p == '/')
			return -EINVAL;
	return 0;
}

/* File of a log */
void mgs_store_file_name(const char *log, char *name)
{
	static const char dir[] = MOUNT_CONFIGS_DIR "/";

	memset(name, 0, MGS_FILE_MAX);
	memcpy(name, dir, sizeof(dir) - 1);
	memcpy(name + sizeof(dir) - 1, log, strlen(log));
}

/* Where a log of that name is, or would be. */
static u32 place_of(const struct mgs_store *store, const char *log, bool *found)
{
	u32 low = 0, high = store->ms_log_count, middle;
	int way;

	*found = false;
	while (low < high) {
		middle = low + (high - low) / 2;
		way = strcmp(store->ms_logs[middle].ml_info.li_name, log);
		if (!way) {
			*found = true;
			return middle;
		}
		if (way < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A log as it was committed last. Return: log, until logs come or go; NULL */
struct mgs_log *mgs_store_find(struct mgs_store *store, const char *log)
{
	bool found;
	u32 at = place_of(store, log, &found);

	return found ? &store->ms_logs[at] : NULL;
}

/* Have room for more logs. Return: 0, -ENOMEM */
int mgs_store_room(struct mgs_store *store, u32 count)
{
	u32 room = store->ms_log_count + count;
	struct mgs_log *logs;

	if (room <= store->ms_log_room)
		return 0;
	room = max_t(u32, room, 2 * store->ms_log_room);
	logs = libcfs_zalloc((size_t)room * sizeof(*logs), GFP_KERNEL);
	if (!logs)
		return -ENOMEM;
	if (store->ms_log_count)
		memcpy(logs, store->ms_logs,
		       store->ms_log_count * sizeof(*logs));
	libcfs_free(store->ms_logs, store->ms_log_room * sizeof(*logs));
	store->ms_logs = logs;
	store->ms_log_room = room;
	return 0;
}

/*
 * A log is new, or another one now. @store: store; there is room where the log is new.
 */
void mgs_store_put(struct mgs_store *store, const struct mgs_log *log)
{
	bool found;
	u32 at = place_of(store, log->ml_info.li_name, &found);

	if (!found) {
		memmove(store->ms_logs + at + 1, store->ms_logs + at,
			(store->ms_log_count - at) * sizeof(*log));
		store->ms_log_count++;
	}
	store->ms_logs[at] = *log;
}

/* A log is no more */
void mgs_store_drop(struct mgs_store *store, const char *log)
{
	bool found;
	u32 at = place_of(store, log, &found);

	if (!found)
		return;
	store->ms_log_count--;
	memmove(store->ms_logs + at, store->ms_logs + at + 1,
		(store->ms_log_count - at) * sizeof(*store->ms_logs));
}

/* The folder does not have what it is to have. Return: @rc */
int mgs_store_fail(struct mgs_store *store, int rc)
{
	WRITE_ONCE(store->ms_failed, rc);
	return rc;
}

/* All of it again; what is in memory counts. */
static int store_mend(struct mgs_store *store)
{
	struct mgs_journal *jn = &store->ms_journal;
	int rc = mgs_files_apply(store);

	if (rc || (!jn->jn_doubt && jn->jn_at <= jn->jn_max))
		return rc;
	rc = mgs_files_sync(store);
	return rc ? rc : mgs_journal_empty(store);
}

/**
 * mgs_store_retry() - try again what could not be written
 * @store: store
 *
 * Context: as the folder; the caller's lock
 * Return: 0: nothing is left, changes are taken again; as the folder
 */
int mgs_store_retry(struct mgs_store *store)
{
	return store->ms_failed ? mgs_store_fail(store, store_mend(store)) : 0;
}

/**
 * mgs_store_generation() - generation of the configuration
 * @store: store
 *
 * Context: the caller's lock
 * Return: generation; 0 before the first change
 */
u64 mgs_store_generation(const struct mgs_store *store)
{
	return store->ms_generation;
}

/**
 * mgs_store_failed() - whether the folder has what it is to have
 * @store: store
 *
 * Context: any
 * Return: 0; why it does not: a negative errno
 */
int mgs_store_failed(const struct mgs_store *store)
{
	return READ_ONCE(store->ms_failed);
}

/**
 * mgs_store_doubt() - whether it is not known if a change is on the disk
 * @store: store
 *
 * Context: the caller's lock
 * Return: whether, of the change that was refused last
 */
bool mgs_store_doubt(const struct mgs_store *store)
{
	return store->ms_unknown;
}

/**
 * mgs_store_history() - the last lines of mgs_changes
 * @store: store
 * @bytes: out
 * @len: how many at most
 * @cut: out, there are more before them
 *
 * Context: between mgs_store_lock() and mgs_store_unlock()
 * Return: bytes; -EIO for a file that cannot be read
 */
ssize_t mgs_store_history(struct mgs_store *store, void *bytes, size_t len,
			  bool *cut)
{
	struct mgs_file *file = store->ms_changes;
	u64 size = file->mf_bytes.by_size;
	ssize_t got;

	*cut = size > len;
	got = mgs_file_read(file, *cut ? size - len : 0, bytes, len);
	return got == -ENOENT ? 0 : got;
}

/**
 * mgs_store_lock() - what is read of logs stays as it is
 * @store: store
 *
 * Context: may sleep, for other readers at most: never for the folder
 */
void mgs_store_lock(struct mgs_store *store)
{
	down_read(&store->ms_lock);
}

/**
 * mgs_store_unlock() - the opposite of mgs_store_lock()
 * @store: store
 *
 * Context: any
 */
void mgs_store_unlock(struct mgs_store *store)
{
	up_read(&store->ms_lock);
}

/**
 * mgs_store_seed() - the random number of a folder
 * @store: store
 *
 * Context: any
 * Return: it, always the same
 */
u32 mgs_store_seed(const struct mgs_store *store)
{
	return store->ms_seed;
}

/*
 * The file of a log. @txn: change whose doing is to be seen, or NULL.
 * Return: file; NULL
 */
const struct mgs_file *mgs_store_file(struct mgs_store *store,
				      struct mgs_txn *txn, const char *log)
{
	struct mgs_txn_log *tl = txn ? mgs_txn_log_find(txn, log) : NULL;
	const struct mgs_log *found;

	if (tl && tl->tl_file)
		return tl->tl_file;
	found = mgs_store_find(store, log);
	return found ? found->ml_file : NULL;
}

/* Return: 0, -ENOENT, -EINVAL; a damaged one is filled in, too. */
static int log_find(struct mgs_store *store, struct mgs_txn *txn,
		    const char *name, struct mgs_log *log)
{
	struct mgs_txn_log *tl = txn ? mgs_txn_log_find(txn, name) : NULL;
	struct mgs_log *found;
	int rc = mgs_store_name_check(name);

	if (rc)
		return rc;
	if (tl) {
		mgs_txn_log_info(txn, tl, log);
		return tl->tl_there ? 0 : -ENOENT;
	}
	found = mgs_store_find(store, name);
	if (!found)
		return -ENOENT;
	*log = *found;
	return 0;
}

/**
 * mgs_store_info() - what is known of a log
 * @store: store
 * @txn: change whose doing is to be seen, or NULL
 * @log: name
 * @info: out, also for a damaged one
 *
 * Context: the caller's lock
 * Return: 0; -ENOENT; -EIO for a damaged one; -EINVAL for a name that no log has
 */
int mgs_store_info(struct mgs_store *store, struct mgs_txn *txn,
		   const char *log, struct mgs_log_info *info)
{
	struct mgs_log found;
	int rc = log_find(store, txn, log, &found);

	if (rc)
		return rc;
	*info = found.ml_info;
	return found.ml_damaged ? -EIO : 0;
}

/**
 * mgs_store_read() - bytes of a log
 * @store: store
 * @txn: change whose doing is to be seen, or NULL
 * @log: name
 * @offset: from where
 * @bytes: out
 * @len: how many
 *
 * Context: as the folder; the caller's lock
 * Return: bytes, fewer at the end; as mgs_store_info(); as the folder
 */
ssize_t mgs_store_read(struct mgs_store *store, struct mgs_txn *txn,
		       const char *log, u64 offset, void *bytes, size_t len)
{
	const struct mgs_file *file;
	struct mgs_log found;
	int rc = log_find(store, txn, log, &found);

	if (rc)
		return rc;
	file = mgs_store_file(store, txn, log);
	if (found.ml_damaged || !file)
		return -EIO;
	/* No more than the log has: behind it may be left-overs. */
	if (offset >= found.ml_info.li_size)
		return 0;
	len = min_t(u64, len, found.ml_info.li_size - offset);
	return mgs_file_read((void *)file, offset, bytes, len);
}

/* The log whose name comes next after @name; those of the change, too. */
static bool log_after(struct mgs_store *store, struct mgs_txn *txn,
		      const char *name, struct mgs_log *log)
{
	struct mgs_txn_log *tl;
	const char *best = NULL;
	bool found;
	u32 at = place_of(store, name, &found);

	if (found)
		at++;
	if (at < store->ms_log_count)
		best = store->ms_logs[at].ml_info.li_name;
	if (txn) {
		list_for_each_entry(tl, &txn->mt_logs, tl_item) {
			const char *other = tl->tl_log.ml_info.li_name;

			if (strcmp(other, name) > 0 &&
			    (!best || strcmp(other, best) < 0))
				best = other;
		}
	}
	if (!best)
		return false;
	memset(log, 0, sizeof(*log));
	memcpy(log->ml_info.li_name, best, sizeof(log->ml_info.li_name));
	return true;
}

/**
 * mgs_store_each() - each log, by name
 * @store: store
 * @txn: change whose doing is to be seen, or NULL
 * @fn: called for each, damaged ones too, until it returns something else than 0
 * @data: its argument
 *
 * Context: the caller's lock
 * Return: what @fn returned last
 */
int mgs_store_each(struct mgs_store *store, struct mgs_txn *txn,
		   int (*fn)(void *data, const struct mgs_log_info *info),
		   void *data)
{
	char name[MGS_LOGNAME_MAX] = "";
	struct mgs_log log;
	int rc = 0;

	while (!rc && log_after(store, txn, name, &log)) {
		memcpy(name, log.ml_info.li_name, sizeof(name));
		if (!log_find(store, txn, name, &log))
			rc = fn(data, &log.ml_info);
	}
	return rc;
}

/**
 * mgs_store_settings() - where the settings are
 * @store: store
 *
 * Context: the caller's lock
 * Return: what was put there, or NULL
 */
struct mgs_settings *mgs_store_settings(const struct mgs_store *store)
{
	return store->ms_settings;
}

/**
 * mgs_store_settings_put() - keep where the settings are
 * @store: store
 * @settings: that, the store's then; or NULL
 * @free: frees it
 *
 * Context: any that may free; the caller's lock
 */
void mgs_store_settings_put(struct mgs_store *store,
			    struct mgs_settings *settings,
			    void (*free)(struct mgs_settings *settings))
{
	if (store->ms_settings)
		store->ms_settings_free(store->ms_settings);
	store->ms_settings = settings;
	store->ms_settings_free = free;
}

/**
 * mgs_store_fsdbs() - what file systems have
 * @store: store
 *
 * Context: the caller's lock
 * Return: what was put there, or NULL
 */
struct mgs_fsdbs *mgs_store_fsdbs(const struct mgs_store *store)
{
	return store->ms_fsdbs;
}

/**
 * mgs_store_fsdbs_put() - keep what file systems have
 * @store: store
 * @fsdbs: that, the store's then; or NULL
 * @free: frees it
 *
 * Context: any that may free; the caller's lock
 */
void mgs_store_fsdbs_put(struct mgs_store *store, struct mgs_fsdbs *fsdbs,
			 void (*free)(struct mgs_fsdbs *fsdbs))
{
	if (store->ms_fsdbs)
		store->ms_fsdbs_free(store->ms_fsdbs);
	store->ms_fsdbs = fsdbs;
	store->ms_fsdbs_free = free;
}

/**
 * mgs_store_sync() - have everything in its file, and the journal empty
 * @store: store
 *
 * Context: as the folder; the caller's lock, no change is under way
 * Return: 0; as the folder, and mgs_store_retry() tries again
 */
int mgs_store_sync(struct mgs_store *store)
{
	int rc = mgs_files_apply(store);

	if (!rc)
		rc = mgs_files_sync(store);
	if (!rc)
		rc = mgs_journal_empty(store);
	return mgs_store_fail(store, rc);
}

/**
 * mgs_store_free() - free a store; nothing is written
 * @store: store, or NULL
 *
 * Context: any that may free; nobody uses it any more
 */
void mgs_store_free(struct mgs_store *store)
{
	u32 n;

	if (!store)
		return;
	for (n = 0; n < MGS_FILE_CHAINS; n++)
		mgs_files_free(&store->ms_files[n]);
	mgs_store_settings_put(store, NULL, NULL);
	mgs_store_fsdbs_put(store, NULL, NULL);
	mgs_image_free(&store->ms_image);
	libcfs_free(store->ms_logs,
		    store->ms_log_room * sizeof(*store->ms_logs));
	libcfs_free(store, sizeof(*store));
}

/**
 * mgs_store_close() - done with a store
 * @store: store, or NULL
 *
 * Context: as the folder; nobody uses it any more
 * Return: 0; as mgs_store_sync(): the next opening does the rest
 */
int mgs_store_close(struct mgs_store *store)
{
	int rc = store ? mgs_store_sync(store) : 0;

	mgs_store_free(store);
	return rc;
}
