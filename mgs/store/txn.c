// SPDX-License-Identifier: GPL-2.0
/*
 * A change: its begin, its end, and what it did so far. All of it is in memory until
 * it is committed.
 */
#include <linux/slab.h>

#include <lustre_lite/libcfs.h>

#include "store_internal.h"

/**
 * mgs_txn_begin() - begin a change
 * @store: store
 * @who: who makes it
 * @txn: out, for mgs_txn_commit() or mgs_txn_abort()
 *
 * Context: as the folder; the caller's lock, until it is over
 * Return: 0; -ENOMEM; why the folder cannot be written to
 */
int mgs_txn_begin(struct mgs_store *store, const struct mgs_who *who,
		  struct mgs_txn **txn)
{
	struct mgs_txn *made;
	int rc;

	*txn = NULL;
	store->ms_unknown = false;
	rc = mgs_store_retry(store);
	if (rc)
		return rc;
	made = libcfs_zalloc(sizeof(*made), GFP_KERNEL);
	if (!made)
		return -ENOMEM;
	made->mt_store = store;
	made->mt_who = *who;
	made->mt_who.who[sizeof(made->mt_who.who) - 1] = '\0';
	made->mt_who.from[sizeof(made->mt_who.from) - 1] = '\0';
	INIT_LIST_HEAD(&made->mt_logs);
	INIT_LIST_HEAD(&made->mt_files);
	*txn = made;
	return 0;
}

static void txn_ends(struct mgs_txn *txn)
{
	mgs_txn_end_fn fn = txn->mt_end;

	txn->mt_end = NULL;
	if (fn)
		fn(txn, txn->mt_end_data, txn->mt_committed);
}

/**
 * mgs_txn_at_end() - tell somebody when the change is over
 * @txn: change
 * @fn: told, once; before the change is gone
 * @data: its argument
 *
 * Who was to be told before is told now that it is not done.
 *
 * Context: any in which that one can be told
 */
void mgs_txn_at_end(struct mgs_txn *txn, mgs_txn_end_fn fn, void *data)
{
	txn_ends(txn);
	txn->mt_end = fn;
	txn->mt_end_data = data;
}

/**
 * mgs_txn_abort() - nothing of it was meant
 * @txn: change, gone then; or NULL
 *
 * Context: any that may free
 */
void mgs_txn_abort(struct mgs_txn *txn)
{
	if (!txn)
		return;
	txn_ends(txn);
	mgs_txn_logs_free(txn);
	mgs_files_free(&txn->mt_files);
	mgs_image_free(&txn->mt_image);
	libcfs_free(txn, sizeof(*txn));
}

/**
 * mgs_txn_store() - the store that it changes
 * @txn: change
 *
 * Context: any
 * Return: store
 */
struct mgs_store *mgs_txn_store(const struct mgs_txn *txn)
{
	return txn->mt_store;
}

/**
 * mgs_txn_who() - who makes it
 * @txn: change
 *
 * Context: any
 * Return: who, as long as the change is
 */
const struct mgs_who *mgs_txn_who(const struct mgs_txn *txn)
{
	return &txn->mt_who;
}

/**
 * mgs_txn_count() - how much it did so far
 * @txn: change
 * @logs: out, logs that it changed
 * @records: out, records that it wrote or took back
 *
 * Context: any
 */
void mgs_txn_count(const struct mgs_txn *txn, u32 *logs, u32 *records)
{
	const struct mgs_txn_log *tl;

	*logs = 0;
	*records = txn->mt_records;
	list_for_each_entry(tl, &txn->mt_logs, tl_item)
		if (mgs_txn_log_counts(tl))
			(*logs)++;
}

/**
 * mgs_txn_touched() - whether it changed a log
 * @txn: change
 * @log: name
 *
 * Context: any
 * Return: whether, also by removing it
 */
bool mgs_txn_touched(const struct mgs_txn *txn, const char *log)
{
	const struct mgs_txn_log *tl;

	list_for_each_entry(tl, &txn->mt_logs, tl_item)
		if (!strcmp(tl->tl_log.ml_info.li_name, log))
			return mgs_txn_log_counts(tl);
	return false;
}

/**
 * mgs_txn_writes() - how often it wrote to a log
 * @txn: change
 * @log: name
 *
 * Context: any
 * Return: how often; 0 for a log that it did not write to
 */
u32 mgs_txn_writes(struct mgs_txn *txn, const char *log)
{
	const struct mgs_txn_log *tl = mgs_txn_log_find(txn, log);

	return tl ? tl->tl_writes : 0;
}
