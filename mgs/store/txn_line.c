// SPDX-License-Identifier: GPL-2.0
/*
 * The line of a change in mgs_changes:
 *
 *	17 2026-11-21T19:20:53Z root 10.0.0.1@tcp set_param osc.*.max_dirty_mb=64
 *
 * Generation, time, who, from where, what. The file is part of the change, and is
 * cut to its later half when it is long.
 */
#include <linux/slab.h>

#include <lustre_lite/libcfs.h>

#include "store_internal.h"

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

/**
 * mgs_txn_line() - the line of a change
 * @txn: change
 * @generation: of the configuration after it
 *
 * Context: as the folder
 * Return: 0; -ENOMEM; as the folder
 */
int mgs_txn_line(struct mgs_txn *txn, u64 generation)
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
