// SPDX-License-Identifier: GPL-2.0
/*
 * A log as a change sees it, and what a change does to it. It is opened for writing
 * over the file as the change sees that; what llog_store writes then is what the change
 * does.
 */
#include <linux/slab.h>

#include <lustre_lite/libcfs.h>

#include "store_internal.h"

/* As real Lustre's config logs say. */
#define TXN_LOG_UUID	"config_uuid"
#define TXN_LOG_SIZE	80

/* Header, padding, record. */
#define TXN_LOG_CHUNKS	3

/* A log that a change has to do with. Return: log, or NULL */
struct mgs_txn_log *mgs_txn_log_find(struct mgs_txn *txn, const char *log)
{
	struct mgs_txn_log *tl;

	list_for_each_entry(tl, &txn->mt_logs, tl_item)
		if (!strcmp(tl->tl_log.ml_info.li_name, log))
			return tl;
	return NULL;
}

/*
 * A log for a change to work on. @out: log, also where it is not there.
 * Return: 0; -EINVAL for a name that no log can have; -ENOMEM, and the change cannot
 * be committed
 */
int mgs_txn_log_get(struct mgs_txn *txn, const char *log,
		    struct mgs_txn_log **out)
{
	struct mgs_txn_log *tl = mgs_txn_log_find(txn, log);
	struct mgs_log *was;
	int rc;

	*out = tl;
	if (tl)
		return 0;
	rc = mgs_store_name_check(log);
	if (rc)
		return rc;
	tl = libcfs_zalloc(sizeof(*tl), GFP_KERNEL);
	if (!tl) {
		txn->mt_failed = -ENOMEM;
		return -ENOMEM;
	}
	was = mgs_store_find(txn->mt_store, log);
	if (was)
		tl->tl_log = *was;
	else
		memcpy(tl->tl_log.ml_info.li_name, log, strlen(log));
	tl->tl_was = was;
	tl->tl_there = was;
	list_add_tail(&tl->tl_item, &txn->mt_logs);
	*out = tl;
	return 0;
}

/* Close a log; what was written stays */
static void txn_log_shut(struct mgs_txn_log *tl)
{
	libcfs_free(tl->tl_store.chunk0, tl->tl_memory);
	tl->tl_memory = 0;
	memset(&tl->tl_store, 0, sizeof(tl->tl_store));
}

/* Free all logs of a change */
void mgs_txn_logs_free(struct mgs_txn *txn)
{
	struct mgs_txn_log *tl;

	while (!list_empty(&txn->mt_logs)) {
		tl = list_entry(txn->mt_logs.next, struct mgs_txn_log, tl_item);
		txn_log_shut(tl);
		list_del_init(&tl->tl_item);
		libcfs_free(tl, sizeof(*tl));
	}
}

/* A log as it will be */
void mgs_txn_log_info(const struct mgs_txn *txn, const struct mgs_txn_log *tl,
		      struct mgs_log *log)
{
	u64 generation = txn->mt_store->ms_generation + 1;

	*log = tl->tl_log;
	if (tl->tl_changed)
		log->ml_info.li_generation = generation;
	if (tl->tl_reborn)
		log->ml_info.li_born = generation;
	if (tl->tl_changed && tl->tl_file)
		log->ml_info.li_size = tl->tl_file->mf_bytes.by_size;
	if (tl->tl_store.chunk0) {
		log->ml_info.li_records = tl->tl_store.head.count - 1;
		log->ml_info.li_last_index = tl->tl_store.head.last_index;
		log->ml_end = tl->tl_store.end;
	}
}

/* Have the file of a log. Return: as mgs_file_get() */
static int txn_log_file(struct mgs_txn *txn, struct mgs_txn_log *tl)
{
	char name[MGS_FILE_MAX];

	if (tl->tl_file)
		return 0;
	mgs_store_file_name(tl->tl_log.ml_info.li_name, name);
	return mgs_file_get(txn, name, &tl->tl_file);
}

static int overlay_memory(struct mgs_txn_log *tl, u32 chunk_size)
{
	txn_log_shut(tl);
	tl->tl_store.chunk0 = libcfs_zalloc(TXN_LOG_CHUNKS * (size_t)chunk_size,
					    GFP_KERNEL);
	if (!tl->tl_store.chunk0)
		return -ENOMEM;
	tl->tl_memory = TXN_LOG_CHUNKS * (size_t)chunk_size;
	tl->tl_store.room = tl->tl_store.chunk0 + chunk_size;
	tl->tl_store.chunk_size = chunk_size;
	tl->tl_store.io = &mgs_file_llog_io;
	tl->tl_store.file = tl->tl_file;
	return 0;
}

static int overlay_make(struct mgs_txn *txn, struct mgs_txn_log *tl)
{
	struct llog_store *store = &tl->tl_store;
	int rc;

	rc = overlay_memory(tl, LLOG_MIN_CHUNK_SIZE);
	if (rc)
		return rc;
	mgs_file_cut(tl->tl_file, 0);
	rc = llog_store_create(store, TXN_LOG_UUID, txn->mt_who.when);
	if (rc)
		return rc;
	store->head.size = TXN_LOG_SIZE;
	llog_head_put(store->chunk0, &store->head);
	rc = mgs_file_write(tl->tl_file, 0, store->chunk0, store->chunk_size);
	if (rc)
		return rc;
	tl->tl_log.ml_damaged = false;
	tl->tl_there = true;
	tl->tl_changed = true;
	tl->tl_reborn = true;
	tl->tl_writes++;
	return 0;
}

/* Where the end is known, from the change before, it is not looked for. */
static int overlay_open(struct mgs_txn_log *tl)
{
	u32 chunk_size = LLOG_MIN_CHUNK_SIZE;
	u64 end = tl->tl_log.ml_end;
	struct llog_fault fault;
	int rc;

	rc = overlay_memory(tl, chunk_size);
	if (!rc)
		rc = llog_store_probe(&mgs_file_llog_io, tl->tl_file,
				      tl->tl_store.chunk0, &chunk_size);
	if (!rc && chunk_size != LLOG_MIN_CHUNK_SIZE)
		rc = overlay_memory(tl, chunk_size);
	if (!rc)
		rc = llog_store_open(&tl->tl_store, !end, &fault);
	if (!rc && end) {
		tl->tl_store.end = end;
		tl->tl_store.writable = true;
	}
	return rc == -EBADMSG || rc == -ENODATA ? -EIO : rc;
}

/*
 * Open a log for writing. @make: make it where it is not there.
 * Return: 0; -ENOENT; -EIO for a damaged one; -EOPNOTSUPP for one that can only be
 * read; -ENOMEM, and the change cannot be committed; as the folder
 */
static int txn_log_open(struct mgs_txn *txn, struct mgs_txn_log *tl, bool make)
{
	int rc;

	if (tl->tl_store.chunk0)
		return 0;
	if (!tl->tl_there && !make)
		return -ENOENT;
	if (tl->tl_there && tl->tl_log.ml_damaged)
		return -EIO;
	rc = txn_log_file(txn, tl);
	if (!rc)
		rc = tl->tl_there ? overlay_open(tl) : overlay_make(txn, tl);
	if (rc)
		txn_log_shut(tl);
	if (rc == -ENOMEM)
		txn->mt_failed = rc;
	return rc;
}

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

	return rc ? rc : txn_log_open(txn, *tl, make);
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
	rc = txn_log_file(txn, tl);
	if (rc)
		return rc;
	txn_log_shut(tl);
	mgs_file_remove(tl->tl_file);
	tl->tl_log.ml_end = 0;
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
		rc = txn_log_file(txn, tl);
	if (rc)
		return rc;
	txn_log_shut(tl);
	tl->tl_log.ml_end = 0;
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
