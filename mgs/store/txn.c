// SPDX-License-Identifier: GPL-2.0-only
/*
 * A change: its start, its commit, its line in mgs_changes.
 *
 * A change is in memory until it commits. The commit first prepares all that it needs:
 * mgs_state, the line, the next view. Then it writes the journal entry and syncs it:
 * from there on the change is committed, and readers get the next view. Writing the
 * files of the directory comes last. If that fails, on a full disk above all, the
 * journal has the change, and further changes are refused until a retry succeeds.
 *
 * If the sync of the journal fails, it is unknown whether the entry is on the disk. The
 * change is refused, and its view not published. Writing all files from memory and
 * starting a new round of the journal makes sure that no restart finds it.
 *
 * A line of mgs_changes has generation, time, who, from where, what:
 *
 *	17 2026-11-21T19:20:53Z root 10.0.0.1@tcp set_param osc.*.max_dirty_mb=64
 */
#include <linux/slab.h>
#include <linux/time.h>

#include <lustre_lite/libcfs.h>

#include "store_internal.h"

/* Whether the change modified the log: creating and deleting it again does not count. */
static bool txn_log_counts(const struct mgs_txn_log *tl)
{
	return tl->tl_changed && (tl->tl_was || tl->tl_there);
}

/**
 * mgs_txn_begin() - start a change
 * @store: store
 * @who: who makes it
 * @txn: out, for mgs_txn_commit() or mgs_txn_end()
 *
 * Context: the writer, until the change is over; may write to the directory
 * Return: 0; -ENOMEM; why the directory cannot be written to
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
	made->mt_base = mgs_store_view(store);
	made->mt_view.vw_txn = made;
	made->mt_view.vw_generation = made->mt_base->vw_generation;
	made->mt_view.vw_count = made->mt_base->vw_count;
	made->mt_view.vw_logs = made->mt_base->vw_logs;
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
 * mgs_txn_at_end() - call a function when a change is over
 * @txn: change
 * @fn: called once, before the change is freed
 * @data: its argument
 *
 * A change has one such function. An earlier one is called now, as for an abort.
 *
 * Context: as @fn
 */
void mgs_txn_at_end(struct mgs_txn *txn, mgs_txn_end_fn fn, void *data)
{
	txn_ends(txn);
	txn->mt_end = fn;
	txn->mt_end_data = data;
}

/**
 * mgs_txn_end() - drop a change
 * @txn: change, freed here; or NULL
 *
 * Context: the writer
 */
void mgs_txn_end(struct mgs_txn *txn)
{
	if (!txn)
		return;
	txn_ends(txn);
	mgs_txn_logs_free(txn);
	mgs_files_free(&txn->mt_files);
	mgs_image_free(&txn->mt_image);
	mgs_view_put(txn->mt_next);
	mgs_view_put(txn->mt_base);
	libcfs_free(txn, sizeof(*txn));
}

/**
 * mgs_txn_store() - the store of a change
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
 * mgs_txn_view() - the logs as the change sees them
 * @txn: change
 *
 * Context: any
 * Return: view, good as long as the change is; not for mgs_view_put()
 */
const struct mgs_view *mgs_txn_view(const struct mgs_txn *txn)
{
	return &txn->mt_view;
}

/**
 * mgs_txn_who() - who makes a change
 * @txn: change
 *
 * Context: any
 * Return: good as long as the change is
 */
const struct mgs_who *mgs_txn_who(const struct mgs_txn *txn)
{
	return &txn->mt_who;
}

/**
 * mgs_txn_count() - the size of a change so far
 * @txn: change
 * @logs: out: logs that it modified
 * @records: out: records that it wrote or cancelled
 *
 * Context: any
 */
void mgs_txn_count(const struct mgs_txn *txn, u32 *logs, u32 *records)
{
	const struct mgs_txn_log *tl;

	*logs = 0;
	*records = txn->mt_records;
	list_for_each_entry(tl, &txn->mt_logs, tl_item)
		if (txn_log_counts(tl))
			(*logs)++;
}

/**
 * mgs_txn_each() - iterate over the logs that a change modified
 * @txn: change
 * @fn: called for each, also for one that it deleted
 * @data: its argument
 *
 * Context: as @fn
 */
void mgs_txn_each(const struct mgs_txn *txn,
		  void (*fn)(void *data, const char *log), void *data)
{
	const struct mgs_txn_log *tl;

	list_for_each_entry(tl, &txn->mt_logs, tl_item)
		if (txn_log_counts(tl))
			fn(data, tl->tl_log.lg_info.li_name);
}

/**
 * mgs_txn_touched() - whether a change modified a log
 * @txn: change
 * @log: name
 *
 * Context: any
 * Return: true also if it deleted the log
 */
bool mgs_txn_touched(const struct mgs_txn *txn, const char *log)
{
	const struct mgs_txn_log *tl = mgs_txn_log_find(txn, log);

	return tl && txn_log_counts(tl);
}

/**
 * mgs_txn_writes() - how often a change modified a log
 * @txn: change
 * @log: name
 *
 * Context: any
 * Return: number of modifications
 */
u32 mgs_txn_writes(const struct mgs_txn *txn, const char *log)
{
	const struct mgs_txn_log *tl = mgs_txn_log_find(txn, log);

	return tl ? tl->tl_writes : 0;
}

/* 9999-12-31: later times are shown as that. */
#define TIME_MAX	253402300799ULL

#define LINE_SIZE	(MGS_SAY_MAX + 2 * MTI_NAME_MAXLEN + 64)

/* One word, without blanks and line ends; "-" if it is empty. */
static void put_word(char *to, const char *word)
{
	if (!*word)
		*to++ = '-';
	for (; *word; word++)
		*to++ = *word <= ' ' || *word >= 0x7f ? '_' : *word;
	*to = '\0';
}

static int line_make(const struct mgs_txn *txn, u64 generation, char *line,
		     size_t size)
{
	char from[MTI_NAME_MAXLEN + 1];
	char who[MTI_NAME_MAXLEN + 1];
	struct tm when;

	time64_to_tm(min_t(u64, txn->mt_who.when, TIME_MAX), 0, &when);
	put_word(who, txn->mt_who.who);
	put_word(from, txn->mt_who.from);
	return scnprintf(line, size,
			 "%llu %04d-%02d-%02dT%02d:%02d:%02dZ %s %s %s\n",
			 (unsigned long long)generation,
			 (int)when.tm_year + 1900, when.tm_mon + 1,
			 when.tm_mday, when.tm_hour, when.tm_min, when.tm_sec,
			 who, from, txn->mt_said ? txn->mt_say : "-");
}

/**
 * mgs_txn_say() - add to the description of a change
 * @txn: change
 * @text: text; a character that cannot be printed becomes '?', what is too long is
 *	truncated
 *
 * Context: any
 * Return: 0
 */
int mgs_txn_say(struct mgs_txn *txn, const char *text)
{
	const char *joint = txn->mt_said ? "; " : "";

	for (; *joint && txn->mt_said < MGS_SAY_MAX - 1; joint++)
		txn->mt_say[txn->mt_said++] = *joint;
	for (; *text && txn->mt_said < MGS_SAY_MAX - 1; text++)
		txn->mt_say[txn->mt_said++] =
			(u8)*text < ' ' || *text == 0x7f ? '?' : *text;
	txn->mt_say[txn->mt_said] = '\0';
	return 0;
}

/* Keep the last lines. */
static int lines_truncate(struct mgs_file *file)
{
	char *bytes = libcfs_zalloc(MGS_CHANGES_KEEP, GFP_KERNEL);
	const char *begin;
	u64 size = file->mf_bytes->by_size;
	ssize_t len;
	int rc;

	if (!bytes)
		return -ENOMEM;
	len = mgs_file_read(file, size - MGS_CHANGES_KEEP, bytes,
			    MGS_CHANGES_KEEP);
	rc = len < 0 ? (int)len : 0;
	if (!rc) {
		begin = memchr(bytes, '\n', len);
		begin = begin ? begin + 1 : bytes + len;
		mgs_file_truncate(file, 0);
		rc = mgs_file_write(file, 0, begin, bytes + len - begin);
	}
	libcfs_free(bytes, MGS_CHANGES_KEEP);
	return rc;
}

/* Append the line of the change. @file: out. Return: 0; -ENOMEM; as the directory */
static int txn_line(struct mgs_txn *txn, u64 generation)
{
	struct mgs_file *file;
	char *line;
	int rc, len;

	rc = mgs_file_get(txn, MGS_CHANGES_FILE, &file);
	if (rc)
		return rc;
	line = libcfs_zalloc(LINE_SIZE, GFP_KERNEL);
	if (!line)
		return -ENOMEM;
	len = line_make(txn, generation, line, LINE_SIZE);
	if (file->mf_bytes->by_size + len > MGS_CHANGES_MAX &&
	    file->mf_bytes->by_size > MGS_CHANGES_KEEP)
		rc = lines_truncate(file);
	if (!rc)
		rc = mgs_file_write(file, file->mf_bytes->by_size, line, len);
	libcfs_free(line, LINE_SIZE);
	return rc;
}

static bool txn_changed(const struct mgs_txn *txn)
{
	const struct mgs_txn_log *tl;
	const struct mgs_file *file;

	list_for_each_entry(tl, &txn->mt_logs, tl_item)
		if (txn_log_counts(tl))
			return true;
	list_for_each_entry(file, &txn->mt_files, mf_item)
		if (mgs_file_changed(file))
			return true;
	return false;
}

/* Set generations. Return: how many logs are new */
static u32 logs_settle(struct mgs_txn *txn, u64 generation)
{
	struct mgs_txn_log *tl;
	struct mgs_log log;
	u32 fresh = 0;

	list_for_each_entry(tl, &txn->mt_logs, tl_item) {
		if (!txn_log_counts(tl))
			continue;
		mgs_txn_log_facts(txn, tl, &log);
		log.lg_info.li_generation = generation;
		log.lg_crc = tl->tl_there ?
			     mgs_bytes_crc(mgs_txn_log_bytes(tl)) : 0;
		tl->tl_log = log;
		if (!tl->tl_was)
			fresh++;
	}
	return fresh;
}

/* mgs_state after the change. */
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
		if (!txn_log_counts(tl))
			continue;
		if (tl->tl_there)
			mgs_image_put(&txn->mt_image, &tl->tl_log);
		else
			mgs_image_drop(&txn->mt_image,
				       tl->tl_log.lg_info.li_name);
	}
	mgs_image_seal(&txn->mt_image, generation, store->ms_seed);
	rc = mgs_file_get(txn, MGS_STATE_FILE, &file);
	return rc ? rc : mgs_image_stage(&store->ms_image, &txn->mt_image,
					 file);
}

/* The history of the next view. */
static int changes_settle(struct mgs_txn *txn)
{
	struct mgs_file *file;
	int rc = mgs_file_get(txn, MGS_CHANGES_FILE, &file);

	if (rc)
		return rc;
	mgs_bytes_put(txn->mt_next->vw_changes);
	txn->mt_next->vw_changes = file->mf_unread ? NULL :
				   mgs_bytes_get(file->mf_bytes);
	return 0;
}

/* The view after the change. */
static int view_settle(struct mgs_txn *txn, u64 generation, u32 fresh)
{
	struct mgs_buffer *buffer;
	struct mgs_txn_log *tl;
	int rc;

	rc = mgs_view_next(&txn->mt_next, txn->mt_base, fresh);
	if (rc)
		return rc;
	txn->mt_next->vw_generation = generation;
	list_for_each_entry(tl, &txn->mt_logs, tl_item) {
		if (!txn_log_counts(tl))
			continue;
		if (!tl->tl_there) {
			mgs_view_drop(txn->mt_next, tl->tl_log.lg_info.li_name);
			continue;
		}
		buffer = mgs_buffer_new(&tl->tl_log, mgs_txn_log_bytes(tl));
		if (!buffer)
			return -ENOMEM;
		mgs_view_set(txn->mt_next, buffer);
	}
	return changes_settle(txn);
}

/* All that the commit needs. */
static int txn_settle(struct mgs_txn *txn, u64 generation)
{
	u32 fresh = logs_settle(txn, generation);
	int rc;

	rc = state_settle(txn, generation, fresh);
	if (!rc && (txn->mt_said || !list_empty(&txn->mt_logs)))
		rc = txn_line(txn, generation);
	return rc ? rc : view_settle(txn, generation, fresh);
}

/* Publish: readers get the next view. */
static void txn_show(struct mgs_txn *txn)
{
	struct mgs_store *store = txn->mt_store;
	struct mgs_file *file;

	list_for_each_entry(file, &txn->mt_files, mf_item)
		if (mgs_file_changed(file))
			mgs_file_show(file);
	mgs_image_free(&store->ms_image);
	store->ms_image = txn->mt_image;
	memset(&txn->mt_image, 0, sizeof(txn->mt_image));
	mgs_view_publish(store, txn->mt_next);
	txn->mt_next = NULL;
	txn->mt_committed = true;
}

/* The journal has the change: write the files. */
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
	*generation = txn->mt_base->vw_generation + 1;
	rc = txn_settle(txn, *generation);
	if (!rc)
		rc = mgs_journal_write(store, *generation, &txn->mt_files);
	if (rc)
		return rc;
	txn_show(txn);
	txn_apply(store);
	return 0;
}

/*
 * As mgs_txn_commit(), also for a change of mgs_state alone. @txn: freed here.
 * Return: as mgs_txn_commit()
 */
int mgs_txn_commit_forced(struct mgs_txn *txn)
{
	u64 generation;
	int rc = txn_write(txn, &generation);

	mgs_txn_end(txn);
	return rc;
}

/**
 * mgs_txn_commit() - write a change to the journal and publish it
 * @txn: change, freed here
 * @generation: out: generation after it; 0: it modified nothing
 *
 * Context: the writer; writes to the directory
 * Return: 0; -ENOMEM; -EFBIG; -ENOSPC; why the directory cannot be written to. After an
 * error, mgs_store_doubt() says whether the change may be on the disk; else it is not
 */
int mgs_txn_commit(struct mgs_txn *txn, u64 *generation)
{
	int rc = txn->mt_failed;

	*generation = 0;
	if (!rc && txn_changed(txn))
		rc = txn_write(txn, generation);
	if (rc)
		*generation = 0;
	mgs_txn_end(txn);
	return rc;
}
