// SPDX-License-Identifier: GPL-2.0
/*
 * What a change does to a log as a whole.
 */
#include <linux/slab.h>

#include <lustre_lite/libcfs.h>

#include "store_internal.h"

/* A log that the change finds there. */
static int txn_log_there(struct mgs_txn *txn, const char *log,
			 struct mgs_txn_log **tl)
{
	int rc = mgs_txn_log_get(txn, log, tl);

	if (!rc && !(*tl)->tl_there)
		rc = -ENOENT;
	return rc;
}

/**
 * mgs_txn_reborn() - who applied a log has to read all of it again
 * @txn: change
 * @log: name
 *
 * Context: sleeps for memory
 * Return: 0; -ENOENT; -EINVAL; -ENOMEM, and the change cannot be committed
 */
int mgs_txn_reborn(struct mgs_txn *txn, const char *log)
{
	struct mgs_txn_log *tl;
	int rc = txn_log_there(txn, log, &tl);

	if (rc)
		return rc;
	tl->tl_changed = true;
	tl->tl_reborn = true;
	return 0;
}

/**
 * mgs_txn_remove() - have no such log
 * @txn: change
 * @log: name; it may be damaged
 *
 * Context: as the folder
 * Return: 0; -ENOENT; -EINVAL; -ENOMEM, and the change cannot be committed
 */
int mgs_txn_remove(struct mgs_txn *txn, const char *log)
{
	struct mgs_txn_log *tl;
	int rc = txn_log_there(txn, log, &tl);

	if (rc)
		return rc;
	rc = mgs_txn_log_file(txn, tl);
	if (rc)
		return rc;
	mgs_txn_log_shut(tl);
	mgs_file_remove(tl->tl_file);
	tl->tl_there = false;
	tl->tl_changed = true;
	tl->tl_writes++;
	return 0;
}

/* Both have the same bytes in memory until one of them is changed. */
static int copy_bytes(const struct mgs_file *from, u64 size,
		      struct mgs_file *to)
{
	struct mgs_bytes bytes;
	int rc;

	if (!from || from->mf_unread)
		return -EIO;
	rc = mgs_bytes_copy(&bytes, &from->mf_bytes);
	if (rc)
		return rc;
	mgs_bytes_cut(&bytes, size);
	mgs_file_cut(to, 0);
	mgs_bytes_free(&to->mf_bytes);
	to->mf_bytes = bytes;
	return 0;
}

/**
 * mgs_txn_copy() - a log that is what another one is
 * @txn: change
 * @from: name of the other one
 * @to: name; it may be there, and be damaged
 *
 * Context: as the folder
 * Return: 0; -ENOENT; -EINVAL, also for a log onto itself; -EIO for a damaged one;
 * after -ENOMEM and what the folder says the change cannot be committed
 */
int mgs_txn_copy(struct mgs_txn *txn, const char *from, const char *to)
{
	struct mgs_log_info info;
	struct mgs_txn_log *tl;
	int rc;

	if (!strcmp(from, to))
		return -EINVAL;
	rc = mgs_store_info(txn->mt_store, txn, from, &info);
	if (!rc)
		rc = mgs_txn_log_get(txn, to, &tl);
	if (!rc)
		rc = mgs_txn_log_file(txn, tl);
	if (rc)
		return rc;
	mgs_txn_log_shut(tl);
	tl->tl_writes++;
	rc = copy_bytes(mgs_store_file(txn->mt_store, txn, from), info.li_size,
			tl->tl_file);
	if (rc) {
		txn->mt_failed = rc;
		return rc;
	}
	tl->tl_log.ml_damaged = false;
	tl->tl_log.ml_info.li_records = info.li_records;
	tl->tl_log.ml_info.li_last_index = info.li_last_index;
	tl->tl_there = true;
	tl->tl_changed = true;
	tl->tl_reborn = true;
	txn->mt_records += info.li_records;
	return 0;
}
