// SPDX-License-Identifier: GPL-2.0
/*
 * What a change can do. All of it is in memory until it is committed.
 */
#include <linux/slab.h>

#include <lustre_lite/libcfs.h>

#include "store_internal.h"

/* Bytes of a log that are copied at a time. */
#define COPY_STEP	65536

/**
 * mgs_txn_begin() - begin a change
 * @store: store
 * @who: who makes it
 * @txn: out, for mgs_txn_commit() or mgs_txn_abort()
 *
 * Context: sleeps for memory; the caller's lock, until it is over
 * Return: 0; -ENOMEM; why nothing is written any more
 */
int mgs_txn_begin(struct mgs_store *store, const struct mgs_who *who,
		  struct mgs_txn **txn)
{
	struct mgs_txn *made;

	*txn = NULL;
	if (store->ms_failed)
		return store->ms_failed;
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
	int rc = mgs_txn_log_get(txn, log, &tl);

	if (rc)
		return rc;
	if (!tl->tl_there)
		return -ENOENT;
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
	int rc = mgs_txn_log_get(txn, log, &tl);

	if (rc)
		return rc;
	if (!tl->tl_there)
		return -ENOENT;
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

/* The bytes. */
static int copy_bytes(struct mgs_txn *txn, const char *from, u64 size,
		      struct mgs_file *file)
{
	u8 *bytes = libcfs_zalloc(COPY_STEP, GFP_KERNEL);
	u64 offset = 0;
	ssize_t len;
	int rc = 0;

	if (!bytes)
		return -ENOMEM;
	mgs_file_cut(file, 0);
	while (offset < size && !rc) {
		len = mgs_store_pread(txn->mt_store, txn, from, offset, bytes,
				      min_t(u64, COPY_STEP, size - offset));
		if (len <= 0)
			rc = len ? (int)len : -EIO;
		else
			rc = mgs_file_write(file, offset, bytes, len);
		offset += COPY_STEP;
	}
	libcfs_free(bytes, COPY_STEP);
	return rc;
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
	char name[MGS_FILE_MAX];
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
	mgs_store_file_name(from, name);
	rc = copy_bytes(txn, name, info.li_size, tl->tl_file);
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

/* Has the file just these bytes? */
static int same_bytes(struct mgs_file *file, const u8 *bytes, size_t len,
		      bool *same)
{
	u8 *now;
	ssize_t got;

	*same = file->mf_there && file->mf_size == len;
	if (!*same || !len)
		return 0;
	now = libcfs_zalloc(len, GFP_KERNEL);
	if (!now)
		return -ENOMEM;
	got = mgs_file_read(file, 0, now, len);
	*same = got == (ssize_t)len && !memcmp(now, bytes, len);
	libcfs_free(now, len);
	return got < 0 ? (int)got : 0;
}

/* A file that nobody else of the store cares for. */
static bool is_free_name(const char *name)
{
	const char *slash = strchr(name, '/');

	return slash && slash != name && slash[1] && name[0] != '.' &&
		slash[1] != '.' && !strchr(slash + 1, '/') &&
		strncmp(name, MOUNT_CONFIGS_DIR "/",
			sizeof(MOUNT_CONFIGS_DIR)) != 0;
}

/**
 * mgs_txn_put() - a small file besides the logs, whole
 * @txn: change
 * @name: "FOLDER/NAME"; not of CONFIGS/
 * @bytes: what is to be in it
 * @len: how many
 *
 * Context: as the folder
 * Return: 0; -EINVAL for a name that it cannot have; -ENAMETOOLONG; -ENOMEM, and the
 * change cannot be committed; as the folder
 */
int mgs_txn_put(struct mgs_txn *txn, const char *name, const void *bytes,
		size_t len)
{
	struct mgs_file *file;
	bool same;
	int rc;

	if (!is_free_name(name))
		return -EINVAL;
	rc = mgs_file_get(txn, name, &file);
	if (rc)
		return rc;
	rc = same_bytes(file, bytes, len, &same);
	if (!rc && !same) {
		mgs_file_cut(file, 0);
		rc = mgs_file_write(file, 0, bytes, len);
	}
	if (rc)
		txn->mt_failed = rc;
	return rc;
}

/**
 * mgs_txn_get() - read a small file besides the logs
 * @txn: change
 * @name: as mgs_txn_put()
 * @bytes: out
 * @len: how many at most
 *
 * Context: as the folder
 * Return: bytes, fewer at the end; -ENOENT; -EINVAL for a name that it cannot have;
 * as the folder
 */
ssize_t mgs_txn_get(struct mgs_txn *txn, const char *name, void *bytes,
		    size_t len)
{
	if (!is_free_name(name))
		return -EINVAL;
	return mgs_store_pread(txn->mt_store, txn, name, 0, bytes, len);
}

/**
 * mgs_txn_drop() - have no such small file
 * @txn: change
 * @name: as mgs_txn_put(); there may be none
 *
 * Context: as the folder
 * Return: 0; as mgs_txn_put()
 */
int mgs_txn_drop(struct mgs_txn *txn, const char *name)
{
	struct mgs_file *file;
	int rc;

	if (!is_free_name(name))
		return -EINVAL;
	rc = mgs_file_get(txn, name, &file);
	if (rc)
		txn->mt_failed = rc;
	else if (file->mf_there)
		mgs_file_remove(file);
	return rc;
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
		if (tl->tl_changed && (tl->tl_was || tl->tl_there))
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
			return tl->tl_changed && (tl->tl_was || tl->tl_there);
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
