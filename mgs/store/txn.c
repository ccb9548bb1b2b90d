// SPDX-License-Identifier: GPL-2.0
/*
 * A change: its start, its end, and how it comes on the disk and is seen by all. All of
 * it is in memory until it is committed.
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
 *
 * Its line in mgs_changes is part of the change; the file is cut to its later half
 * when it is long:
 *
 *	17 2026-11-21T19:20:53Z root 10.0.0.1@tcp set_param osc.*.max_dirty_mb=64
 *
 * Generation, time, who, from where, what.
 */
#include <linux/slab.h>

#include <lustre_lite/libcfs.h>

#include "store_internal.h"

/* Whether the change does something to the log: not where it made and removed it. */
static bool txn_log_counts(const struct mgs_txn_log *tl)
{
	return tl->tl_changed && (tl->tl_was || tl->tl_there);
}

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
		if (txn_log_counts(tl))
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
			return txn_log_counts(tl);
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

#define DAY		86400U
/* Days from 0000-03-01 to 1970-01-01; of 400 years, 100, 4 and 1. */
#define DAYS_1970	719468U
#define DAYS_400	146097U
#define DAYS_100	36524U
#define DAYS_4		1461U
#define DAYS_1		365U
/* Later than that no clock is: 9999-12-31. */
#define TIME_MAX	253402300799ULL

#define LINE_ROOM	(MGS_SAY_MAX + 2 * MTI_NAME_MAXLEN + 64)

/**
 * struct date - a day
 * @year: year
 * @month: 1 to 12
 * @day: 1 to 31
 */
struct date {
	u32	year;
	u32	month;
	u32	day;
};

/* Years begin in March here, so that the day of a leap year is the last one. */
static void date_of(u32 days, struct date *date)
{
	u32 left = days + DAYS_1970;
	u32 centuries = left / DAYS_400;
	u32 part, march;

	date->year = centuries * 400;
	left %= DAYS_400;
	part = min_t(u32, left / DAYS_100, 3);
	date->year += part * 100;
	left -= part * DAYS_100;
	part = left / DAYS_4;
	date->year += part * 4;
	left -= part * DAYS_4;
	part = min_t(u32, left / DAYS_1, 3);
	date->year += part;
	left -= part * DAYS_1;
	march = (5 * left + 2) / 153;
	date->day = left - (153 * march + 2) / 5 + 1;
	date->month = march < 10 ? march + 3 : march - 9;
	if (march >= 10)
		date->year++;
}

/* A word: nothing in it ends a word or a line. Empty, it is "-". */
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
	u64 when = min_t(u64, txn->mt_who.when, TIME_MAX);
	u32 second = (u32)(when % DAY);
	char from[MTI_NAME_MAXLEN + 1];
	char who[MTI_NAME_MAXLEN + 1];
	struct date date;

	date_of((u32)(when / DAY), &date);
	put_word(who, txn->mt_who.who);
	put_word(from, txn->mt_who.from);
	return scnprintf(line, size,
			 "%llu %04u-%02u-%02uT%02u:%02u:%02uZ %s %s %s\n",
			 (unsigned long long)generation, date.year, date.month,
			 date.day, second / 3600, second / 60 % 60, second % 60,
			 who, from, txn->mt_said ? txn->mt_say : "-");
}

/**
 * mgs_txn_say() - what there is to be said of a change
 * @txn: change
 * @text: text; what is no printable character becomes '?', what is too long is left
 *	out
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

/* Keep the later lines of a long file. */
static int lines_cut(struct mgs_file *file)
{
	char *bytes = libcfs_zalloc(MGS_CHANGES_KEEP, GFP_KERNEL);
	const char *begin;
	u64 size = file->mf_bytes.by_size;
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
		mgs_file_cut(file, 0);
		rc = mgs_file_write(file, 0, begin, bytes + len - begin);
	}
	libcfs_free(bytes, MGS_CHANGES_KEEP);
	return rc;
}

/* The line of a change. Return: 0; -ENOMEM; as the folder */
static int txn_line(struct mgs_txn *txn, u64 generation)
{
	struct mgs_file *file;
	char *line;
	int rc, len;

	rc = mgs_file_get(txn, MGS_CHANGES_FILE, &file);
	if (rc)
		return rc;
	line = libcfs_zalloc(LINE_ROOM, GFP_KERNEL);
	if (!line)
		return -ENOMEM;
	len = line_make(txn, generation, line, LINE_ROOM);
	if (file->mf_bytes.by_size + len > MGS_CHANGES_MAX &&
	    file->mf_bytes.by_size > MGS_CHANGES_KEEP)
		rc = lines_cut(file);
	if (!rc)
		rc = mgs_file_write(file, file->mf_bytes.by_size, line, len);
	libcfs_free(line, LINE_ROOM);
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

/* Generations, and how many logs are new. */
static u32 logs_settle(struct mgs_txn *txn, u64 generation)
{
	struct mgs_txn_log *tl;
	struct mgs_log log;
	u32 fresh = 0;

	list_for_each_entry(tl, &txn->mt_logs, tl_item) {
		if (!txn_log_counts(tl))
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
		if (!txn_log_counts(tl))
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
		rc = txn_line(txn, generation);
	return rc;
}

static void log_show(struct mgs_txn *txn, struct mgs_txn_log *tl)
{
	if (!txn_log_counts(tl))
		return;
	if (tl->tl_file)
		tl->tl_log.ml_file = tl->tl_file->mf_base;
	if (tl->tl_there)
		mgs_store_put(txn->mt_store, &tl->tl_log);
	else
		mgs_store_drop(txn->mt_store, tl->tl_log.ml_info.li_name);
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
		log_show(txn, tl);
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

/*
 * Commit a change of mgs_state alone, or any other. @txn: change, gone then.
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
