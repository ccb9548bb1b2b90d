// SPDX-License-Identifier: GPL-2.0
/*
 * How a change comes on the disk, and is seen by all.
 *
 * Before its entry of the journal is written nothing of the store is touched, and
 * all memory is there. Once it is, the change is: what is left is writing into the
 * files, and where that fails they are read through what is in memory, and nothing
 * is written any more.
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
			mgs_image_put(&txn->mt_image, &tl->tl_log.ml_info);
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

/* Everybody sees it. */
static void txn_show(struct mgs_txn *txn, u64 generation)
{
	struct mgs_store *store = txn->mt_store;
	struct mgs_txn_log *tl;

	list_for_each_entry(tl, &txn->mt_logs, tl_item) {
		if (!mgs_txn_log_counts(tl))
			continue;
		if (tl->tl_there)
			mgs_store_put(store, &tl->tl_log);
		else
			mgs_store_drop(store, tl->tl_log.ml_info.li_name);
		mgs_txn_log_keep(txn, tl, generation);
	}
	mgs_image_free(&store->ms_image);
	store->ms_image = txn->mt_image;
	memset(&txn->mt_image, 0, sizeof(txn->mt_image));
	store->ms_generation = generation;
	txn->mt_committed = true;
}

/* The store keeps the files: they are to be synced before the journal is emptied. */
static void files_move(struct mgs_txn *txn, bool applied)
{
	struct mgs_store *store = txn->mt_store;
	struct mgs_file *file, *known;

	while (!list_empty(&txn->mt_files)) {
		file = list_entry(txn->mt_files.next, struct mgs_file, mf_item);
		known = mgs_file_find(&store->ms_files, file->mf_name);
		if (known)
			mgs_file_free(known);
		list_del_init(&file->mf_item);
		list_add_tail(&file->mf_item, &store->ms_files);
		if (applied)
			mgs_file_forget(file);
	}
}

/* It is in the journal: have it in the files, too. */
static void txn_apply(struct mgs_txn *txn)
{
	struct mgs_store *store = txn->mt_store;
	struct mgs_file *file;
	int rc = 0;

	list_for_each_entry(file, &txn->mt_files, mf_item) {
		rc = mgs_file_apply(file);
		if (rc)
			break;
	}
	if (rc)
		mgs_store_fail(store, rc);
	files_move(txn, !rc);
	if (!rc && store->ms_journal.jn_at > store->ms_journal.jn_max)
		mgs_store_sync(store);
}

static int txn_write(struct mgs_txn *txn, u64 *generation)
{
	struct mgs_store *store = txn->mt_store;
	int rc;

	if (txn->mt_failed)
		return txn->mt_failed;
	if (store->ms_failed)
		return store->ms_failed;
	*generation = store->ms_generation + 1;
	rc = txn_settle(txn, *generation);
	if (!rc)
		rc = mgs_journal_write(store, *generation, &txn->mt_files);
	if (rc)
		return rc;
	txn_show(txn, *generation);
	txn_apply(txn);
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
 * Context: as the folder; the caller's lock, and nobody reads
 * Return: 0; -ENOMEM; -EFBIG; -ENOSPC; why nothing is written any more, also where
 * this change is the reason: then it is not known whether it is on the disk
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
