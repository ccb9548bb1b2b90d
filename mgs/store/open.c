// SPDX-License-Identifier: GPL-2.0
/*
 * How a store begins: what the journal has is done, mgs_state is read, and the logs
 * that are in the folder are looked at. Where the two differ, logs of a real server
 * above all, mgs_state is put right by a change.
 */
#include <linux/slab.h>

#include <lustre_lite/libcfs.h>

#include "store_internal.h"

/**
 * struct opening - a store that is being opened
 * @store: store
 * @fault: out, first thing that is wrong
 * @txn: change that puts mgs_state right
 * @rc: why it cannot be opened
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

static int state_read(struct mgs_store *store, struct mgs_file *file,
		      struct mgs_fault *fault)
{
	struct mgs_image *image = &store->ms_image;
	size_t size = file->mf_bytes.by_size;
	const char *what;

	image->im_bytes = libcfs_zalloc(size, GFP_KERNEL);
	if (!image->im_bytes)
		return -ENOMEM;
	image->im_room = size;
	mgs_bytes_read(&file->mf_bytes, 0, image->im_bytes, size);
	what = mgs_image_load(image, size, &store->ms_generation,
			      &store->ms_seed);
	return what ? state_damage(fault, what) : 0;
}

/* The logs that it has; of what they are in the folder nothing is known yet. */
static int state_logs(struct mgs_store *store, struct mgs_fault *fault)
{
	struct mgs_log log;
	u32 n;
	int rc;

	rc = mgs_store_room(store, store->ms_image.im_count);
	for (n = 0; n < store->ms_image.im_count && !rc; n++) {
		mgs_image_get(&store->ms_image, n, &log);
		if (mgs_store_find(store, log.ml_info.li_name))
			return state_damage(fault, "it has a log twice");
		mgs_store_put(store, &log);
	}
	return rc;
}

static int state_load(struct mgs_store *store, struct mgs_fault *fault)
{
	struct mgs_file *file;
	int rc;

	rc = mgs_file_have(store, MGS_STATE_FILE, &file);
	if (rc)
		return rc;
	if (file->mf_unread)
		return -EIO;
	if (!file->mf_there)
		return 0;
	if (!file->mf_bytes.by_size || file->mf_bytes.by_size > MGS_STATE_MAX)
		return state_damage(fault, "it is not as long as it can be");
	rc = state_read(store, file, fault);
	return rc ? rc : state_logs(store, fault);
}

static int txn_have(struct opening *opening)
{
	static const struct mgs_who nobody = { .who = "", .from = "" };

	return opening->txn ? 0 :
		mgs_txn_begin(opening->store, &nobody, &opening->txn);
}

/* Look at a log, and fill in what is known of it. */
static int log_look(struct opening *opening, struct mgs_log *log)
{
	struct mgs_store *store = opening->store;
	struct mgs_fault fault;
	char name[MGS_FILE_MAX];
	int rc;

	memset(&fault, 0, sizeof(fault));
	mgs_store_file_name(log->ml_info.li_name, name);
	rc = mgs_file_have(store, name, &log->ml_file);
	if (rc)
		return rc;
	if (!log->ml_file->mf_there)
		return -ENOENT;
	log->ml_info.li_size = log->ml_file->mf_bytes.by_size;
	rc = mgs_log_scan(store, NULL, log, NULL, NULL, &fault);
	if (rc != -EIO)
		return rc;
	if (!fault.what) {
		memcpy(fault.name, name, sizeof(name));
		fault.what = "it cannot be read";
	}
	log->ml_damaged = true;
	if (!opening->fault->what)
		*opening->fault = fault;
	return 0;
}

/* A log that mgs_state does not know, or knows as another one. */
static int log_adopt(struct opening *opening, const struct mgs_log *log,
		     const char *how)
{
	struct mgs_txn_log *tl;
	int rc;

	rc = txn_have(opening);
	if (!rc)
		rc = mgs_txn_log_get(opening->txn, log->ml_info.li_name, &tl);
	if (rc)
		return rc;
	tl->tl_log = *log;
	tl->tl_there = true;
	tl->tl_changed = true;
	tl->tl_reborn = true;
	mgs_txn_say(opening->txn, how);
	return mgs_txn_say(opening->txn, log->ml_info.li_name);
}

static int log_listed(void *data, const char *name)
{
	struct opening *opening = data;
	struct mgs_log *known;
	struct mgs_log log;
	int rc;

	if (mgs_store_name_check(name))
		return 0;
	known = mgs_store_find(opening->store, name);
	if (known)
		return 0;
	memset(&log, 0, sizeof(log));
	memcpy(log.ml_info.li_name, name, strlen(name));
	rc = log_look(opening, &log);
	/* An empty file is no log yet. */
	if (rc == -ENOENT)
		return 0;
	rc = rc ? rc : log_adopt(opening, &log, "found ");
	opening->rc = rc;
	return rc;
}

/* A log that mgs_state knows and that is gone. */
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

/* A log that mgs_state knows. */
static int log_known(struct opening *opening, struct mgs_log *log)
{
	u64 size = log->ml_info.li_size;
	u32 crc = log->ml_crc;
	int rc = log_look(opening, log);

	if (rc == -ENOENT)
		return log_miss(opening, log->ml_info.li_name);
	if (rc || log->ml_file->mf_unread)
		return rc;
	log->ml_crc = mgs_bytes_crc(&log->ml_file->mf_bytes);
	if (log->ml_info.li_size == size && log->ml_crc == crc)
		return 0;
	return log_adopt(opening, log, "written by somebody else: ");
}

static int logs_known(struct opening *opening)
{
	struct mgs_store *store = opening->store;
	int rc = 0;
	u32 n;

	for (n = 0; n < store->ms_log_count && !rc; n++)
		rc = log_known(opening, &store->ms_logs[n]);
	return rc;
}

static int logs_load(struct opening *opening)
{
	struct mgs_store *store = opening->store;
	int rc;

	rc = logs_known(opening);
	if (!rc)
		rc = store->ms_io->list(store->ms_folder, MOUNT_CONFIGS_DIR,
					log_listed, opening);
	if (!rc)
		rc = opening->rc;
	if (rc || !opening->txn)
		return rc;
	rc = mgs_txn_commit_forced(opening->txn);
	opening->txn = NULL;
	return rc;
}

static void store_init(struct mgs_store *store)
{
	u32 n;

	init_rwsem(&store->ms_lock);
	store->ms_journal.jn_max = MGS_JOURNAL_MAX;
	for (n = 0; n < MGS_FILE_CHAINS; n++)
		INIT_LIST_HEAD(&store->ms_files[n]);
	INIT_LIST_HEAD(&store->ms_unsynced);
}

/**
 * mgs_store_open() - open a store
 * @io: how to get at its folder
 * @folder: argument of @io
 * @seed: random number for a folder that has none yet
 * @store: out, for mgs_store_close()
 * @fault: out, what is wrong where it cannot be opened, or the first log that is
 *	damaged
 *
 * On a disk that is full it is opened, too, and mgs_store_failed() says so, unless the
 * state has to be put right first.
 *
 * Context: as the folder
 * Return: 0; -EBADMSG for a journal or state that is damaged otherwise than by a
 * power cut; -ENOMEM; as the folder
 */
int mgs_store_open(const struct mgs_folder_io *io, void *folder, u32 seed,
		   struct mgs_store **store, struct mgs_fault *fault)
{
	struct opening opening = { .fault = fault };
	struct mgs_store *made;
	int rc;

	*store = NULL;
	memset(fault, 0, sizeof(*fault));
	made = libcfs_zalloc(sizeof(*made), GFP_KERNEL);
	if (!made)
		return -ENOMEM;
	store_init(made);
	made->ms_io = io;
	made->ms_folder = folder;
	made->ms_seed = seed;
	opening.store = made;
	rc = mgs_journal_replay(made, fault);
	if (!rc)
		rc = mgs_file_have(made, MGS_CHANGES_FILE, &made->ms_changes);
	if (!rc)
		rc = state_load(made, fault);
	if (!rc)
		rc = logs_load(&opening);
	if (!rc) {
		*store = made;
		return 0;
	}
	mgs_txn_abort(opening.txn);
	/* Nothing more is written to what could not be opened. */
	mgs_store_free(made);
	return rc;
}
