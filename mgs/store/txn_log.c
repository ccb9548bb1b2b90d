// SPDX-License-Identifier: GPL-2.0-only
/*
 * A log as a change sees it, and what a change does to it. It is opened for writing
 * over the change's version of its file, into which llog_store writes.
 */
#include <linux/slab.h>

#include <lustre_lite/libcfs.h>

#include "store_internal.h"

/* As in config logs of real Lustre. */
#define TXN_LOG_UUID	"config_uuid"
#define TXN_LOG_SIZE	80

/* Header, padding, record. */
#define TXN_LOG_CHUNKS	3

/* A log that the change got. Return: log, or NULL */
struct mgs_txn_log *mgs_txn_log_find(const struct mgs_txn *txn, const char *log)
{
	struct mgs_txn_log *tl;

	list_for_each_entry(tl, &txn->mt_logs, tl_item)
		if (!strcmp(tl->tl_log.lg_info.li_name, log))
			return tl;
	return NULL;
}

/*
 * A log for a change to work on. @out: also set if there is no such log.
 * Return: 0; -EINVAL for a name that no log can have; -ENOMEM, and the change cannot
 * be committed
 */
int mgs_txn_log_get(struct mgs_txn *txn, const char *log,
		    struct mgs_txn_log **out)
{
	struct mgs_txn_log *tl = mgs_txn_log_find(txn, log);
	struct mgs_buffer *was;
	int rc;

	*out = tl;
	if (tl)
		return 0;
	rc = mgs_log_name_check(log);
	if (rc)
		return rc;
	tl = libcfs_zalloc(sizeof(*tl), GFP_KERNEL);
	if (!tl) {
		txn->mt_failed = -ENOMEM;
		return -ENOMEM;
	}
	was = mgs_view_find(txn->mt_base, log);
	if (was)
		tl->tl_log = was->bf_log;
	else
		memcpy(tl->tl_log.lg_info.li_name, log, strlen(log));
	if (was && was->bf_bytes)
		tl->tl_bytes = mgs_bytes_get(was->bf_bytes);
	tl->tl_was = was;
	tl->tl_there = was;
	list_add_tail(&tl->tl_item, &txn->mt_logs);
	*out = tl;
	return 0;
}

static void txn_log_shut(struct mgs_txn_log *tl)
{
	libcfs_free(tl->tl_store.chunk0, tl->tl_memory);
	tl->tl_memory = 0;
	memset(&tl->tl_store, 0, sizeof(tl->tl_store));
}

void mgs_txn_logs_free(struct mgs_txn *txn)
{
	struct mgs_txn_log *tl;

	while (!list_empty(&txn->mt_logs)) {
		tl = list_entry(txn->mt_logs.next, struct mgs_txn_log, tl_item);
		txn_log_shut(tl);
		mgs_bytes_put(tl->tl_bytes);
		list_del_init(&tl->tl_item);
		libcfs_free(tl, sizeof(*tl));
	}
}

/* The bytes of a log as the change sees them. Return: bytes, borrowed; NULL */
struct mgs_bytes *mgs_txn_log_bytes(const struct mgs_txn_log *tl)
{
	return tl->tl_file ? tl->tl_file->mf_bytes : tl->tl_bytes;
}

/* Facts about a log after the change */
void mgs_txn_log_facts(const struct mgs_txn *txn, const struct mgs_txn_log *tl,
		       struct mgs_log *log)
{
	u64 generation = txn->mt_base->vw_generation + 1;

	*log = tl->tl_log;
	if (tl->tl_changed)
		log->lg_info.li_generation = generation;
	if (tl->tl_new_epoch)
		log->lg_info.li_epoch = generation;
	if (tl->tl_changed && tl->tl_file)
		log->lg_info.li_size = tl->tl_file->mf_bytes->by_size;
	if (tl->tl_store.chunk0) {
		log->lg_info.li_records = tl->tl_store.head.count - 1;
		log->lg_info.li_last_index = tl->tl_store.head.last_index;
		log->lg_end = tl->tl_store.end;
	}
}

static int txn_log_file(struct mgs_txn *txn, struct mgs_txn_log *tl)
{
	char name[MGS_FILE_MAX];

	if (tl->tl_file)
		return 0;
	mgs_log_file_name(tl->tl_log.lg_info.li_name, name);
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
	tl->tl_store.buf = tl->tl_store.chunk0 + chunk_size;
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
	mgs_file_truncate(tl->tl_file, 0);
	rc = llog_store_create(store, TXN_LOG_UUID, txn->mt_who.when);
	if (rc)
		return rc;
	store->head.size = TXN_LOG_SIZE;
	llog_head_put(store->chunk0, &store->head);
	rc = mgs_file_write(tl->tl_file, 0, store->chunk0, store->chunk_size);
	if (rc)
		return rc;
	tl->tl_log.lg_damaged = false;
	tl->tl_there = true;
	tl->tl_changed = true;
	tl->tl_new_epoch = true;
	tl->tl_writes++;
	return 0;
}

/* The end is searched for only if no earlier change stored it. */
static int overlay_open(struct mgs_txn_log *tl)
{
	u32 chunk_size = LLOG_MIN_CHUNK_SIZE;
	u64 end = tl->tl_log.lg_end;
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
 * Open a log for writing. @make: create it if it does not exist.
 * Return: 0; -ENOENT; -EIO for a damaged one; -EOPNOTSUPP for one of the other byte
 * order; -ENOMEM, and the change cannot be committed; as the directory
 */
static int txn_log_open(struct mgs_txn *txn, struct mgs_txn_log *tl, bool make)
{
	int rc;

	if (tl->tl_store.chunk0)
		return 0;
	if (!tl->tl_there && !make)
		return -ENOENT;
	if (tl->tl_there && tl->tl_log.lg_damaged)
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

/* A modification that failed half way cannot be committed. */
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
 * mgs_txn_append() - append a command to a log
 * @txn: change
 * @log: name; the log is created if it does not exist
 * @cfg: struct lustre_cfg
 * @len: its length
 * @index: out: number of the record; or NULL
 *
 * Context: the writer; may read the directory
 * Return: 0; -EINVAL for an invalid name or command; -E2BIG; -ENOSPC if the log has no
 * record numbers left; -EFBIG if it would be too large; -EIO for a damaged log;
 * -EOPNOTSUPP for one of the other byte order; -ENOMEM, and the change cannot be
 * committed; as the directory
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
 * mgs_txn_appended() - the offset of the last appended record
 * @txn: change
 *
 * Context: any
 * Return: where in its log the record starts
 */
u64 mgs_txn_appended(const struct mgs_txn *txn)
{
	return txn->mt_appended;
}

/**
 * struct mgs_wanted - a search for a record
 * @index: its number
 * @offset: out: where it starts; 0: there is none
 */
struct mgs_wanted {
	u32	index;
	u64	offset;
};

static int want_record(void *data, const struct llog_record *rec)
{
	struct mgs_wanted *wanted = data;

	if (rec->index == wanted->index)
		wanted->offset = rec->offset;
	return rec->index >= wanted->index;
}

static int mark_find(const struct mgs_txn_log *tl, u32 index, u64 *offset)
{
	struct mgs_wanted wanted = { .index = index };
	struct mgs_log look = tl->tl_log;
	struct mgs_fault fault;
	int rc;

	rc = mgs_log_scan_from(mgs_txn_log_bytes(tl), &look, 0, 0, want_record,
			       &wanted, &fault);
	*offset = wanted.offset;
	if (rc < 0)
		return rc;
	return wanted.offset ? 0 : -ENOENT;
}

/* @place: out: where the marker of record @index is. The record starts at @offset. */
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
	len = mgs_file_read(tl->tl_file, chunk, store->buf, store->chunk_size);
	if (len < 0)
		return (int)len;
	llog_walk_init(&walk, &store->head);
	llog_walk_chunk(&walk, store->buf, (u32)len, chunk);
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
 * mgs_txn_mark() - replace a marker by another one
 * @txn: change
 * @log: name
 * @index: number of the record
 * @offset: where the record starts; 0: search for it
 * @marker: new marker
 *
 * The record keeps its length and the log its epoch.
 *
 * Context: the writer; may read the directory
 * Return: 0; -ENOENT if there is no such log or record; -EINVAL if the record is not a
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
		rc = mark_find(tl, index, &offset);
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
 * mgs_txn_cancel() - cancel a record
 * @txn: change
 * @log: name
 * @index: number of the record
 *
 * The log keeps its epoch.
 *
 * Context: the writer; may read the directory
 * Return: 0; -ENOENT if there is no such log, or no such record is live; as
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

static int txn_log_there(struct mgs_txn *txn, const char *log,
			 struct mgs_txn_log **tl)
{
	int rc = mgs_txn_log_get(txn, log, tl);

	if (!rc && !(*tl)->tl_there)
		rc = -ENOENT;
	return rc;
}

/**
 * mgs_txn_new_epoch() - have nodes read a log from the start
 * @txn: change
 * @log: name
 *
 * Context: the writer
 * Return: 0; -ENOENT; -EINVAL; -ENOMEM, and the change cannot be committed
 */
int mgs_txn_new_epoch(struct mgs_txn *txn, const char *log)
{
	struct mgs_txn_log *tl;
	int rc = txn_log_there(txn, log, &tl);

	if (rc)
		return rc;
	tl->tl_changed = true;
	tl->tl_new_epoch = true;
	return 0;
}

/**
 * mgs_txn_remove() - delete a log
 * @txn: change
 * @log: name; the log may be damaged
 *
 * Context: the writer; may read the directory
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
	tl->tl_log.lg_end = 0;
	tl->tl_there = false;
	tl->tl_changed = true;
	tl->tl_writes++;
	return 0;
}

/* @to gets a copy of @from, which shares its pieces. Return: 0, -EIO, -ENOMEM */
static int copy_bytes(const struct mgs_bytes *from, u64 size,
		      struct mgs_file *to)
{
	struct mgs_bytes *bytes;

	if (!from)
		return -EIO;
	bytes = mgs_bytes_copy(from);
	if (!bytes)
		return -ENOMEM;
	mgs_bytes_truncate(bytes, size);
	/* It exists from here on, and may be read. */
	mgs_file_truncate(to, 0);
	mgs_bytes_put(to->mf_bytes);
	to->mf_bytes = bytes;
	return 0;
}

/**
 * mgs_txn_copy() - make a log a copy of another one
 * @txn: change
 * @from: name of the other log
 * @to: name; the log may exist, and may be damaged
 *
 * Context: the writer; may read the directory
 * Return: 0; -ENOENT; -EINVAL, also for a copy onto itself; -EIO for a damaged log;
 * after -ENOMEM and errors of the directory the change cannot be committed
 */
int mgs_txn_copy(struct mgs_txn *txn, const char *from, const char *to)
{
	struct mgs_txn_log *tl, *source;
	struct mgs_log_info info;
	int rc;

	if (!strcmp(from, to))
		return -EINVAL;
	rc = mgs_view_info(&txn->mt_view, from, &info);
	if (!rc)
		rc = mgs_txn_log_get(txn, from, &source);
	if (!rc)
		rc = mgs_txn_log_get(txn, to, &tl);
	if (!rc)
		rc = txn_log_file(txn, tl);
	if (rc)
		return rc;
	txn_log_shut(tl);
	tl->tl_log.lg_end = 0;
	tl->tl_writes++;
	rc = copy_bytes(mgs_txn_log_bytes(source), info.li_size, tl->tl_file);
	if (rc) {
		txn->mt_failed = rc;
		return rc;
	}
	tl->tl_log.lg_damaged = false;
	tl->tl_log.lg_info.li_records = info.li_records;
	tl->tl_log.lg_info.li_last_index = info.li_last_index;
	tl->tl_there = true;
	tl->tl_changed = true;
	tl->tl_new_epoch = true;
	txn->mt_records += info.li_records;
	return 0;
}
