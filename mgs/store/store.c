// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of a store: it is opened, what could not be written is retried, everything is
 * synced, it is closed.
 *
 * Opening replays the journal, reads mgs_state, and looks at the logs in the directory. If
 * these differ from what mgs_state says (logs of a real server, above all), a change
 * corrects mgs_state. Then the first view is published.
 */
#include <linux/compiler.h>
#include <linux/slab.h>

#include <lustre_lite/libcfs.h>

#include "store_internal.h"

/* The directory is not up to date. Return: @rc */
int mgs_store_fail(struct mgs_store *store, int rc)
{
	WRITE_ONCE(store->ms_failed, rc);
	return rc;
}

/* Write all that is missing; what is in memory counts. */
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
 * mgs_store_retry() - try again to write what could not be written
 * @store: store
 *
 * Context: the writer; writes to the directory
 * Return: 0: the directory is up to date, changes are accepted; as the directory
 */
int mgs_store_retry(struct mgs_store *store)
{
	return store->ms_failed ? mgs_store_fail(store, store_mend(store)) : 0;
}

/**
 * mgs_store_failed() - whether the directory is up to date
 * @store: store
 *
 * Context: any
 * Return: 0; the errno of the failed write
 */
int mgs_store_failed(const struct mgs_store *store)
{
	return READ_ONCE(store->ms_failed);
}

/**
 * mgs_store_doubt() - whether the last refused change may be on the disk
 * @store: store
 *
 * Context: the writer
 * Return: true: the next opening may find it
 */
bool mgs_store_doubt(const struct mgs_store *store)
{
	return store->ms_unknown;
}

/**
 * mgs_store_seed() - the random number of a directory
 * @store: store
 *
 * Context: any
 * Return: number, constant for a directory
 */
u32 mgs_store_seed(const struct mgs_store *store)
{
	return store->ms_seed;
}

/**
 * mgs_store_settings() - the cached index of the settings
 * @store: store
 *
 * Context: the writer
 * Return: index, or NULL
 */
struct mgs_settings *mgs_store_settings(const struct mgs_store *store)
{
	return store->ms_settings;
}

/**
 * mgs_store_settings_put() - cache an index of the settings
 * @store: store
 * @settings: index, owned by the store from here on; or NULL
 * @free: frees it
 *
 * Context: the writer
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
 * mgs_store_fsdbs() - the cached state of file systems
 * @store: store
 *
 * Context: the writer
 * Return: state, or NULL
 */
struct mgs_fsdbs *mgs_store_fsdbs(const struct mgs_store *store)
{
	return store->ms_fsdbs;
}

/**
 * mgs_store_fsdbs_put() - cache the state of file systems
 * @store: store
 * @fsdbs: state, owned by the store from here on; or NULL
 * @free: frees it
 *
 * Context: the writer
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
 * mgs_store_sync() - write and sync all files, and start a new round of the journal
 * @store: store
 *
 * Context: the writer, between changes; writes to the directory
 * Return: 0; as the directory, and mgs_store_retry() tries again
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
 * mgs_store_free() - free a store without writing
 * @store: store, or NULL
 *
 * Context: any that may free memory. The store has no users any more; views of it may live on
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
	mgs_view_put(store->ms_view);
	libcfs_free(store, sizeof(*store));
}

/**
 * mgs_store_close() - sync and free a store
 * @store: store, or NULL
 *
 * Context: as mgs_store_sync() and mgs_store_free()
 * Return: 0; as mgs_store_sync(): the next opening does the rest
 */
int mgs_store_close(struct mgs_store *store)
{
	int rc = store ? mgs_store_sync(store) : 0;

	mgs_store_free(store);
	return rc;
}

/**
 * struct opening - a store that is being opened
 * @store: store
 * @fault: out: the first damage
 * @txn: change that corrects mgs_state, or NULL
 * @rc: why the store cannot be opened
 */
struct opening {
	struct mgs_store	*store;
	struct mgs_fault	*fault;
	struct mgs_txn		*txn;
	int			rc;
};

static int state_damage(struct mgs_fault *fault, const char *what)
{
	memset(fault, 0, sizeof(*fault));
	memcpy(fault->name, MGS_STATE_FILE, sizeof(MGS_STATE_FILE));
	fault->what = what;
	return -EBADMSG;
}

/* @generation: out, unless there is no state yet */
static int state_read(struct opening *opening, u64 *generation)
{
	struct mgs_store *store = opening->store;
	struct mgs_image *image = &store->ms_image;
	struct mgs_file *file;
	const char *what;
	size_t size;
	int rc = mgs_file_have(store, MGS_STATE_FILE, &file);

	if (rc || !file->mf_there)
		return rc;
	if (file->mf_unread)
		return -EIO;
	size = file->mf_bytes->by_size;
	if (!size || size > MGS_STATE_MAX)
		return state_damage(opening->fault, "its size is invalid");
	image->im_bytes = libcfs_zalloc(size, GFP_KERNEL);
	if (!image->im_bytes)
		return -ENOMEM;
	image->im_capacity = size;
	mgs_bytes_read(file->mf_bytes, 0, image->im_bytes, size);
	what = mgs_image_load(image, size, generation, &store->ms_seed);
	return what ? state_damage(opening->fault, what) : 0;
}

/* The first view: the logs that mgs_state lists. Their files are not looked at here. */
static int state_load(struct opening *opening)
{
	struct mgs_store *store = opening->store;
	struct mgs_image *image = &store->ms_image;
	struct mgs_buffer *buffer;
	struct mgs_view *view;
	u64 generation = 0;
	struct mgs_log log;
	int rc = state_read(opening, &generation);
	u32 n;

	if (rc)
		return rc;
	view = mgs_view_new(image->im_count);
	if (!view)
		return -ENOMEM;
	store->ms_view = view;
	view->vw_generation = generation;
	if (!store->ms_changes->mf_unread)
		view->vw_changes = mgs_bytes_get(store->ms_changes->mf_bytes);
	for (n = 0; n < image->im_count; n++) {
		mgs_image_get(image, n, &log);
		if (mgs_view_find(view, log.lg_info.li_name))
			return state_damage(opening->fault,
					    "it lists a log twice");
		buffer = mgs_buffer_new(&log, NULL);
		if (!buffer)
			return -ENOMEM;
		mgs_view_set(view, buffer);
	}
	return 0;
}

static int txn_have(struct opening *opening)
{
	static const struct mgs_who nobody = { .who = "", .from = "" };

	return opening->txn ? 0 :
		mgs_txn_begin(opening->store, &nobody, &opening->txn);
}

/*
 * Fill in what the file of a log says. @look: out, its file.
 * Return: 0, for a damaged log too; -ENOENT; -ENOMEM; as the directory
 */
static int log_look(struct opening *opening, struct mgs_log *log,
		    struct mgs_file **look)
{
	char name[MGS_FILE_MAX];
	struct mgs_fault fault;
	struct mgs_file *file;
	int rc;

	memset(&fault, 0, sizeof(fault));
	mgs_log_file_name(log->lg_info.li_name, name);
	rc = mgs_file_have(opening->store, name, &file);
	if (rc)
		return rc;
	if (!file->mf_there)
		return -ENOENT;
	*look = file;
	log->lg_info.li_size = file->mf_bytes->by_size;
	rc = file->mf_unread ? -EIO :
	     mgs_log_scan_from(file->mf_bytes, log, 0, 0, NULL, NULL, &fault);
	if (rc != -EIO)
		return rc;
	if (!fault.what) {
		memcpy(fault.name, name, sizeof(name));
		fault.what = "it cannot be read";
	}
	log->lg_damaged = true;
	if (!opening->fault->what)
		*opening->fault = fault;
	return 0;
}

/* A log that mgs_state does not list, or lists with other contents. */
static int log_adopt(struct opening *opening, const struct mgs_log *log,
		     struct mgs_bytes *bytes, const char *how)
{
	struct mgs_txn_log *tl;
	int rc;

	rc = txn_have(opening);
	if (!rc)
		rc = mgs_txn_log_get(opening->txn, log->lg_info.li_name, &tl);
	if (rc)
		return rc;
	mgs_bytes_put(tl->tl_bytes);
	tl->tl_bytes = mgs_bytes_get(bytes);
	tl->tl_log = *log;
	tl->tl_there = true;
	tl->tl_changed = true;
	tl->tl_new_epoch = true;
	mgs_txn_say(opening->txn, how);
	return mgs_txn_say(opening->txn, log->lg_info.li_name);
}

static int log_listed(void *data, const char *name)
{
	struct opening *opening = data;
	struct mgs_file *file;
	struct mgs_log log;
	int rc;

	if (mgs_log_name_check(name) ||
	    mgs_view_find(opening->store->ms_view, name))
		return 0;
	memset(&log, 0, sizeof(log));
	memcpy(log.lg_info.li_name, name, strlen(name));
	rc = log_look(opening, &log, &file);
	/* An empty file is not a log yet. */
	if (rc == -ENOENT)
		return 0;
	rc = rc ? rc : log_adopt(opening, &log, file->mf_bytes, "found ");
	opening->rc = rc;
	return rc;
}

/* A log that mgs_state lists and that is gone. */
static int log_miss(struct opening *opening, const char *name)
{
	struct mgs_txn_log *tl;
	int rc;

	rc = txn_have(opening);
	if (!rc)
		rc = mgs_txn_log_get(opening->txn, name, &tl);
	if (rc)
		return rc;
	tl->tl_there = false;
	tl->tl_changed = true;
	mgs_txn_say(opening->txn, "missed ");
	return mgs_txn_say(opening->txn, name);
}

/* A log that mgs_state lists. @buffer: of the view, which is not published yet */
static int log_known(struct opening *opening, struct mgs_buffer *buffer)
{
	struct mgs_log *log = &buffer->bf_log;
	u64 size = log->lg_info.li_size;
	struct mgs_file *file;
	u32 crc = log->lg_crc;
	int rc = log_look(opening, log, &file);

	if (rc == -ENOENT)
		return log_miss(opening, log->lg_info.li_name);
	if (rc)
		return rc;
	buffer->bf_bytes = mgs_bytes_get(file->mf_bytes);
	if (file->mf_unread)
		return 0;
	log->lg_crc = mgs_bytes_crc(file->mf_bytes);
	if (log->lg_info.li_size == size && log->lg_crc == crc)
		return 0;
	return log_adopt(opening, log, file->mf_bytes, "modified outside of the service: ");
}

static int logs_load(struct opening *opening)
{
	struct mgs_store *store = opening->store;
	struct mgs_view *view = store->ms_view;
	int rc = 0;
	u32 n;

	for (n = 0; n < view->vw_count && !rc; n++)
		rc = log_known(opening, view->vw_logs[n]);
	if (!rc)
		rc = store->ms_io->list(store->ms_backend, MOUNT_CONFIGS_DIR,
					log_listed, opening);
	if (!rc)
		rc = opening->rc;
	if (rc || !opening->txn)
		return rc;
	rc = mgs_txn_commit_forced(opening->txn);
	opening->txn = NULL;
	return rc;
}

static struct mgs_store *store_new(const struct mgs_backend_io *io, void *backend,
				   u32 seed)
{
	struct mgs_store *store = libcfs_zalloc(sizeof(*store), GFP_KERNEL);
	u32 n;

	if (!store)
		return NULL;
	store->ms_io = io;
	store->ms_backend = backend;
	store->ms_seed = seed;
	store->ms_file_max = MGS_FILE_SIZE_MAX;
	store->ms_journal.jn_max = MGS_JOURNAL_MAX;
	spin_lock_init(&store->ms_view_lock);
	for (n = 0; n < MGS_FILE_CHAINS; n++)
		INIT_LIST_HEAD(&store->ms_files[n]);
	INIT_LIST_HEAD(&store->ms_unsynced);
	return store;
}

/**
 * mgs_store_open() - open a store
 * @io: operations of its directory
 * @backend: their argument
 * @seed: random number for a directory that has none yet
 * @store: out, for mgs_store_close()
 * @fault: out: why it cannot be opened, or the first damaged log
 *
 * A store on a full disk is opened, and mgs_store_failed() says so, unless mgs_state must
 * be corrected first.
 *
 * Context: the writer; reads and writes the directory
 * Return: 0; -EBADMSG for a journal or mgs_state with damage that a power failure does
 * not cause; -ENOMEM; as the directory
 */
int mgs_store_open(const struct mgs_backend_io *io, void *backend, u32 seed,
		   struct mgs_store **store, struct mgs_fault *fault)
{
	struct opening opening = { .fault = fault };
	struct mgs_store *made = store_new(io, backend, seed);
	int rc;

	*store = NULL;
	memset(fault, 0, sizeof(*fault));
	if (!made)
		return -ENOMEM;
	opening.store = made;
	rc = mgs_journal_replay(made, fault);
	if (!rc)
		rc = mgs_file_have(made, MGS_CHANGES_FILE, &made->ms_changes);
	if (!rc)
		rc = state_load(&opening);
	if (!rc)
		rc = logs_load(&opening);
	if (!rc) {
		*store = made;
		return 0;
	}
	mgs_txn_end(opening.txn);
	/* A directory that cannot be opened is not written to. */
	mgs_store_free(made);
	return rc;
}
