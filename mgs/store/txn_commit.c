// SPDX-License-Identifier: GPL-2.0
/*
 * How a change comes on the disk, and is seen by all.
 *
 * Before its entry of the journal is written nothing of the store is touched, and
 * all memory is there. Once it is, the change is: what is left is writing into the
 * files of the folder. Where that fails, on a full disk above all, the journal has
 * the change and readers get it from memory; it is tried again before the next
 * change, which is refused while it fails, and by mgs_store_retry().
 *
 * When the sync of the journal fails nobody knows whether the entry is on the disk,
 * and the change is not shown. What is in memory counts: with all of that in its
 * files and a new round of the journal the change is not done, and never will be.
 */
#include <linux/slab.h>

#include <lustre_lite/libcfs.h>

#include "store_internal.h"

static bool txn_changed(const struct mgs_txn *txn)
{
	const struct mgs_txn_log *tl;
	const struct mgs_file *file;

	list_for_each_entry(tl, &txn->mt_logs, tl_item)
		if (mgs_txn_log_counts(tl))
			return true;
	list_for_each_entry(file, &txn->mt_files, mf_item)
		if (mgs_file_changed(file))
			return true;
	return false;
}

/* Generations, and how many logs are new. */
static u32 logs_settle(struct mgs_txn *txn, u64 generation)
{
	struct mgs_txn_log *tl;
	struct mgs_log log;
	u32 fresh = 0;

	list_for_each_entry(tl, &txn->mt_logs, tl_item) {
		if (!mgs_txn_log_counts(tl))
			continue;
		mgs_txn_log_info(txn, tl, &log);
		log.ml_info.li_generation = generation;
		tl->tl_log = log;
		if (!tl->tl_was)
			fresh++;
	}
	return fresh;
}

/* A log as mgs_state will have it. */
static void log_settle(struct mgs_txn *txn, struct mgs_txn_log *tl)
{
	struct mgs_log *log = &tl->tl_log;
	const struct mgs_file *file;

	file = mgs_store_file(txn->mt_store, txn, log->ml_info.li_name);
	/* One that is found when the store is opened. */
	if (!file)
		file = log->ml_file;
	log->ml_crc = mgs_bytes_crc(&file->mf_bytes);
	mgs_image_put(&txn->mt_image, log);
}

/* mgs_state as it will be. */
static int state_settle(struct mgs_txn *txn, u64 generation, u32 fresh)
{
	struct mgs_store *store = txn->mt_store;
	struct mgs_txn_log *tl;
	struct mgs_file *file;
	int rc;

	rc = mgs_image_copy(&txn->mt_image, &store->ms_image, fresh);
	if (rc)
		return rc;
	list_for_each_entry(tl, &txn->mt_logs, tl_item) {
		if (!mgs_txn_log_counts(tl))
			continue;
		if (tl->tl_there)
			log_settle(txn, tl);
		else
			mgs_image_drop(&txn->mt_image,
				       tl->tl_log.ml_info.li_name);
	}
	mgs_image_seal(&txn->mt_image, generation, store->ms_seed);
	rc = mgs_file_get(txn, MGS_STATE_FILE, &file);
	return rc ? rc : mgs_image_stage(&store->ms_image, &txn->mt_image,
					 file);
}

/* All that is needed for it. */
static int txn_settle(struct mgs_txn *txn, u64 generation)
{
	u32 fresh = logs_settle(txn, generation);
	int rc;

	rc = mgs_store_room(txn->mt_store, fresh);
	if (!rc)
		rc = state_settle(txn, generation, fresh);
	if (!rc && (txn->mt_said || !list_empty(&txn->mt_logs)))
		rc = mgs_txn_line(txn, generation);
	return rc;
}

static void log_show(struct mgs_txn *txn, struct mgs_txn_log *tl, u64 generation)
{
	if (!mgs_txn_log_counts(tl))
		return;
	if (tl->tl_file)
		tl->tl_log.ml_file = tl->tl_file->mf_base;
	if (tl->tl_there)
		mgs_store_put(txn->mt_store, &tl->tl_log);
	else
		mgs_store_drop(txn->mt_store, tl->tl_log.ml_info.li_name);
	mgs_txn_log_keep(txn, tl, generation);
}

/* Everybody sees it. */
static void txn_show(struct mgs_txn *txn, u64 generation)
{
	struct mgs_store *store = txn->mt_store;
	struct mgs_txn_log *tl;
	struct mgs_file *file;

	down_write(&store->ms_lock);
	list_for_each_entry(file, &txn->mt_files, mf_item)
		if (mgs_file_changed(file))
			mgs_file_show(file);
	list_for_each_entry(tl, &txn->mt_logs, tl_item)
		log_show(txn, tl, generation);
	store->ms_generation = generation;
	up_write(&store->ms_lock);
	mgs_image_free(&store->ms_image);
	store->ms_image = txn->mt_image;
	memset(&txn->mt_image, 0, sizeof(txn->mt_image));
	txn->mt_committed = true;
}

/* It is in the journal: have it in the files, too. */
static void txn_apply(struct mgs_store *store)
{
	int rc = mgs_files_apply(store);

	if (rc)
		mgs_store_fail(store, rc);
	else if (store->ms_journal.jn_at > store->ms_journal.jn_max)
		mgs_store_sync(store);
}

static int txn_write(struct mgs_txn *txn, u64 *generation)
{
	struct mgs_store *store = txn->mt_store;
	int rc;

	if (txn->mt_failed)
		return txn->mt_failed;
	store->ms_unknown = false;
	rc = mgs_store_retry(store);
	if (rc)
		return rc;
	*generation = store->ms_generation + 1;
	rc = txn_settle(txn, *generation);
	if (!rc)
		rc = mgs_journal_write(store, *generation, &txn->mt_files);
	if (rc)
		return rc;
	txn_show(txn, *generation);
	txn_apply(store);
	return 0;
}

/**
 * mgs_txn_commit_forced() - commit a change of mgs_state alone, or any other
 * @txn: change, gone then
 *
 * Context: as mgs_txn_commit()
 * Return: as mgs_txn_commit()
 */
int mgs_txn_commit_forced(struct mgs_txn *txn)
{
	u64 generation;
	int rc = txn_write(txn, &generation);

	mgs_txn_abort(txn);
	return rc;
}

/**
 * mgs_txn_commit() - have a change on the disk, and seen by all
 * @txn: change, gone then
 * @generation: out, of the configuration after it; 0: it changed nothing
 *
 * Context: as the folder; the caller's lock, and it does not hold that of readers
 * Return: 0; -ENOMEM; -EFBIG; -ENOSPC; why the folder cannot be written to. Then
 * mgs_store_doubt() says whether it is not known if the change is on the disk; else it
 * is not
 */
int mgs_txn_commit(struct mgs_txn *txn, u64 *generation)
{
	int rc = txn->mt_failed;

	*generation = 0;
	if (!rc && txn_changed(txn))
		rc = txn_write(txn, generation);
	if (rc)
		*generation = 0;
	mgs_txn_abort(txn);
	return rc;
}
