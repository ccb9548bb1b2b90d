// SPDX-License-Identifier: GPL-2.0
/*
 * What a change does to the records of a log.
 */
#include <linux/slab.h>

#include <lustre_lite/libcfs.h>

#include "store_internal.h"

/* What may have been done in part cannot be committed. */
static int txn_result(struct mgs_txn *txn, const struct mgs_txn_log *tl, int rc)
{
	if (rc == -ENOMEM || tl->tl_store.failed)
		txn->mt_failed = rc;
	return rc;
}

static int txn_log_ready(struct mgs_txn *txn, const char *log, bool make,
		    struct mgs_txn_log **tl)
{
	int rc = mgs_txn_log_get(txn, log, tl);

	return rc ? rc : mgs_txn_log_open(txn, *tl, make);
}

static void log_changed(struct mgs_txn *txn, struct mgs_txn_log *tl)
{
	tl->tl_changed = true;
	tl->tl_writes++;
	txn->mt_records++;
}

/**
 * mgs_txn_append() - a command at the end of a log
 * @txn: change
 * @log: name; it is made where it is not there
 * @cfg: struct lustre_cfg
 * @len: its bytes
 * @index: out, number of the record; or NULL
 *
 * Context: as the folder
 * Return: 0; -EINVAL for a name, or what is no command; -E2BIG; -ENOSPC where the
 * log has no numbers left; -EIO for a damaged log, -EOPNOTSUPP for one that can only
 * be read; -ENOMEM, and the change cannot be committed; as the folder
 */
int mgs_txn_append(struct mgs_txn *txn, const char *log, const void *cfg,
		   size_t len, u32 *index)
{
	struct llog_store_change change;
	struct mgs_txn_log *tl;
	struct lcfg_view view;
	int rc;

	if (lustre_cfg_decode(cfg, len, &view, NULL))
		return -EINVAL;
	rc = txn_log_ready(txn, log, true, &tl);
	if (rc)
		return rc;
	rc = llog_store_append(&tl->tl_store, OBD_CFG_REC, cfg, len, &change);
	if (rc)
		return txn_result(txn, tl, rc);
	llog_store_apply(&tl->tl_store, &change);
	log_changed(txn, tl);
	txn->mt_appended = change.end - llog_record_size(len);
	if (index)
		*index = change.index;
	return 0;
}

/**
 * mgs_txn_appended() - where the record is that was appended last
 * @txn: change
 *
 * Context: any
 * Return: where in its log it begins
 */
u64 mgs_txn_appended(const struct mgs_txn *txn)
{
	return txn->mt_appended;
}

/**
 * struct wanted - a record that is looked for
 * @index: it
 * @offset: out, where it is in the file; 0: there is none
 */
struct wanted {
	u32	index;
	u64	offset;
};

static int want_record(void *data, const struct llog_record *rec)
{
	struct wanted *wanted = data;

	if (rec->index == wanted->index)
		wanted->offset = rec->offset;
	return rec->index >= wanted->index;
}

static int mark_find(struct mgs_txn *txn, struct mgs_txn_log *tl, u32 index,
		     u64 *offset)
{
	struct wanted wanted = { .index = index };
	struct mgs_log look = tl->tl_log;
	struct mgs_fault fault;
	int rc;

	rc = mgs_log_scan(txn->mt_store, txn, &look, want_record, &wanted,
			  &fault);
	*offset = wanted.offset;
	if (rc < 0)
		return rc;
	return wanted.offset ? 0 : -ENOENT;
}

/* Where in the record at @offset the marker is: it is to be just that one. */
static int mark_place(struct mgs_txn_log *tl, u32 index, u64 offset, u64 *place)
{
	struct llog_store *store = &tl->tl_store;
	struct llog_fault fault;
	struct lcfg_marker marker;
	struct llog_record rec;
	struct llog_walk walk;
	struct lcfg_view view;
	u64 chunk = offset - offset % store->chunk_size;
	ssize_t len;

	if (offset < store->chunk_size)
		return -EINVAL;
	len = mgs_file_read(tl->tl_file, chunk, store->room, store->chunk_size);
	if (len < 0)
		return (int)len;
	llog_walk_init(&walk, &store->head);
	llog_walk_chunk(&walk, store->room, (u32)len, chunk);
	walk.at = (u32)(offset - chunk);
	walk.next_index = index;
	if (llog_walk_next(&walk, &rec, &fault) != LLOG_STEP_RECORD ||
	    rec.index != index || rec.type != OBD_CFG_REC ||
	    lustre_cfg_decode(rec.body, rec.body_len, &view, NULL) ||
	    lcfg_marker_decode(&view, &marker))
		return -EINVAL;
	*place = offset + sizeof(struct llog_rec_hdr) +
		(view.buf[1].data - (const char *)rec.body);
	return 0;
}

/**
 * mgs_txn_mark() - another marker in the place of one
 * @txn: change
 * @log: name
 * @index: record of the marker
 * @offset: where it begins; 0: it is looked for
 * @marker: what it is to be
 *
 * Context: as the folder
 * Return: 0; -ENOENT where there is no such log or record; -EINVAL where it is no
 * marker; as mgs_txn_append()
 */
int mgs_txn_mark(struct mgs_txn *txn, const char *log, u32 index, u64 offset,
		 const struct cfg_marker *marker)
{
	struct mgs_txn_log *tl;
	u64 place;
	int rc;

	rc = txn_log_ready(txn, log, false, &tl);
	if (rc)
		return rc;
	if (!offset)
		rc = mark_find(txn, tl, index, &offset);
	if (!rc)
		rc = mark_place(tl, index, offset, &place);
	if (!rc)
		rc = mgs_file_write(tl->tl_file, place, marker,
				    sizeof(*marker));
	if (rc)
		return txn_result(txn, tl, rc);
	log_changed(txn, tl);
	return 0;
}

/**
 * mgs_txn_cancel() - take a record back
 * @txn: change
 * @log: name
 * @index: record
 *
 * Context: as the folder
 * Return: 0; -ENOENT where there is no such log, or no such record is live; as
 * mgs_txn_append()
 */
int mgs_txn_cancel(struct mgs_txn *txn, const char *log, u32 index)
{
	struct llog_store_change change;
	struct mgs_txn_log *tl;
	int rc;

	rc = txn_log_ready(txn, log, false, &tl);
	if (rc)
		return rc;
	rc = llog_store_cancel(&tl->tl_store, index, &change);
	if (rc)
		return txn_result(txn, tl, rc);
	llog_store_apply(&tl->tl_store, &change);
	log_changed(txn, tl);
	return 0;
}
