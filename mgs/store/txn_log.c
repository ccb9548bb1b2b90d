// SPDX-License-Identifier: GPL-2.0
/*
 * A log as a change sees it. It is opened for writing over the file as the change
 * sees that; what llog_store writes then is what the change does.
 */
#include <linux/slab.h>

#include <lustre_lite/libcfs.h>

#include "store_internal.h"

/* As real Lustre's config logs say. */
#define TXN_LOG_UUID	"config_uuid"
#define TXN_LOG_SIZE	80

/* Header, padding, record. */
#define TXN_LOG_CHUNKS	3

/**
 * mgs_txn_log_find() - a log that a change has to do with
 * @txn: change
 * @log: name
 *
 * Context: any
 * Return: log, or NULL
 */
struct mgs_txn_log *mgs_txn_log_find(struct mgs_txn *txn, const char *log)
{
	struct mgs_txn_log *tl;

	list_for_each_entry(tl, &txn->mt_logs, tl_item)
		if (!strcmp(tl->tl_log.ml_info.li_name, log))
			return tl;
	return NULL;
}

/**
 * mgs_txn_log_get() - a log for a change to work on
 * @txn: change
 * @log: name
 * @out: log, also where it is not there
 *
 * Context: sleeps for memory
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

/**
 * mgs_txn_log_shut() - close a log; what was written stays
 * @tl: log
 *
 * Context: any that may free
 */
void mgs_txn_log_shut(struct mgs_txn_log *tl)
{
	libcfs_free(tl->tl_store.chunk0, tl->tl_memory);
	mgs_kept_free(tl->tl_kept);
	tl->tl_kept = NULL;
	tl->tl_memory = 0;
	memset(&tl->tl_store, 0, sizeof(tl->tl_store));
}

/**
 * mgs_txn_logs_free() - free all logs of a change
 * @txn: change
 *
 * Context: any that may free
 */
void mgs_txn_logs_free(struct mgs_txn *txn)
{
	struct mgs_txn_log *tl;

	while (!list_empty(&txn->mt_logs)) {
		tl = list_entry(txn->mt_logs.next, struct mgs_txn_log, tl_item);
		mgs_txn_log_shut(tl);
		list_del_init(&tl->tl_item);
		libcfs_free(tl, sizeof(*tl));
	}
}

/**
 * mgs_txn_log_info() - a log as it will be
 * @txn: change
 * @tl: its log
 * @log: out
 *
 * Context: any
 */
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
	}
}

/**
 * mgs_txn_log_file() - have the file of a log
 * @txn: change
 * @tl: its log
 *
 * Context: as mgs_file_get()
 * Return: as mgs_file_get()
 */
int mgs_txn_log_file(struct mgs_txn *txn, struct mgs_txn_log *tl)
{
	char name[MGS_FILE_MAX];

	if (tl->tl_file)
		return 0;
	mgs_store_file_name(tl->tl_log.ml_info.li_name, name);
	return mgs_file_get(txn, name, &tl->tl_file);
}

static int overlay_memory(struct mgs_txn_log *tl, u32 chunk_size)
{
	mgs_txn_log_shut(tl);
	tl->tl_kept = mgs_kept_alloc(tl->tl_log.ml_info.li_name);
	if (!tl->tl_kept)
		return -ENOMEM;
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

/* As the last change left it. */
static int overlay_again(struct mgs_txn_log *tl, const struct mgs_kept *kept)
{
	const struct llog_store *was = &kept->kp_store;
	struct llog_store *store = &tl->tl_store;
	int rc;

	rc = overlay_memory(tl, was->chunk_size);
	if (rc)
		return rc;
	memcpy(store->chunk0, was->chunk0, was->chunk_size);
	store->head = was->head;
	store->head.bitmap = store->chunk0 + was->head.bitmap_offset;
	store->end = was->end;
	store->writable = true;
	return 0;
}

static int overlay_look(struct mgs_txn_log *tl)
{
	u32 chunk_size = LLOG_MIN_CHUNK_SIZE;
	struct llog_fault fault;
	int rc;

	rc = overlay_memory(tl, chunk_size);
	if (!rc)
		rc = llog_store_probe(&mgs_file_llog_io, tl->tl_file,
				      tl->tl_store.chunk0, &chunk_size);
	if (!rc && chunk_size != LLOG_MIN_CHUNK_SIZE)
		rc = overlay_memory(tl, chunk_size);
	if (!rc)
		rc = llog_store_open(&tl->tl_store, true, &fault);
	return rc == -EBADMSG || rc == -ENODATA ? -EIO : rc;
}

static int overlay_open(struct mgs_txn *txn, struct mgs_txn_log *tl)
{
	const struct mgs_kept *kept = NULL;

	if (!tl->tl_writes)
		kept = mgs_kept_get(txn->mt_store, tl->tl_log.ml_info.li_name);
	return kept ? overlay_again(tl, kept) : overlay_look(tl);
}

/**
 * mgs_txn_log_open() - open a log for writing
 * @txn: change
 * @tl: its log
 * @make: make it where it is not there
 *
 * Context: as the folder
 * Return: 0; -ENOENT; -EIO for a damaged one; -EOPNOTSUPP for one that can only be
 * read; -ENOMEM, and the change cannot be committed; as the folder
 */
int mgs_txn_log_open(struct mgs_txn *txn, struct mgs_txn_log *tl, bool make)
{
	int rc;

	if (tl->tl_store.chunk0)
		return 0;
	if (!tl->tl_there && !make)
		return -ENOENT;
	if (tl->tl_there && tl->tl_log.ml_damaged)
		return -EIO;
	rc = mgs_txn_log_file(txn, tl);
	if (!rc)
		rc = tl->tl_there ? overlay_open(txn, tl) : overlay_make(txn, tl);
	if (rc)
		mgs_txn_log_shut(tl);
	if (rc == -ENOMEM)
		txn->mt_failed = rc;
	return rc;
}

/**
 * mgs_txn_log_keep() - a log that is open stays open: its change is committed
 * @txn: change
 * @tl: its log; shut then
 * @generation: of the log
 *
 * Context: any that may free
 */
void mgs_txn_log_keep(struct mgs_txn *txn, struct mgs_txn_log *tl, u64 generation)
{
	struct mgs_kept *kept = tl->tl_kept;

	if (!tl->tl_there || !tl->tl_store.chunk0)
		return;
	kept->kp_generation = generation;
	kept->kp_store = tl->tl_store;
	kept->kp_store.file = NULL;
	kept->kp_memory = tl->tl_memory;
	tl->tl_kept = NULL;
	tl->tl_memory = 0;
	memset(&tl->tl_store, 0, sizeof(tl->tl_store));
	mgs_kept_put(txn->mt_store, kept);
}
