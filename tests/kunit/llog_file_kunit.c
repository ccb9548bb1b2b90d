// SPDX-License-Identifier: GPL-2.0-only
/*
 * Logs in files: opening, appending, cancelling, reading, and what a failure
 * leaves.
 *
 * Every: 2
 */
#include <linux/sched/signal.h>

#include "llog_fixture.h"

/**
 * struct seen - what a walk shows
 * @index: indexes
 * @number: numbers of the bodies, 0 where one is not whole
 * @live: whether each is live
 * @count: how many
 * @stop_at: index at which to return @rc
 * @rc: that
 * @append: append one more record at each of that many
 * @log: to that log
 */
struct seen {
	u32			index[64];
	u32			number[64];
	bool			live[64];
	u32			count;
	u32			stop_at;
	int			rc;
	u32			append;
	struct llog_handle	*log;
};

static int see(const struct llog_record *rec, void *data)
{
	struct seen *seen = data;
	u8 body[16];
	int rc;

	if (seen->count == ARRAY_SIZE(seen->index))
		return -E2BIG;
	seen->index[seen->count] = rec->index;
	seen->live[seen->count] = rec->live;
	seen->number[seen->count++] = lt_body_number(rec);
	if (seen->append) {
		seen->append--;
		lt_body_make(body, sizeof(body), 1000 + rec->index);
		rc = llog_append(seen->log, OBD_CFG_REC, body, sizeof(body),
				 NULL);
		if (rc)
			return rc;
	}
	return rec->index == seen->stop_at ? seen->rc : 0;
}

static struct seen *seen_alloc(struct kunit *test)
{
	struct seen *seen = kunit_kzalloc(test, sizeof(*seen), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, seen);
	seen->log = lt.log;
	return seen;
}

/* All of the log: numbers 1 to @count in order. */
static void expect_all(struct kunit *test, u32 count)
{
	struct seen *seen = seen_alloc(test);
	struct llog_result result;
	u32 n;

	KUNIT_EXPECT_EQ(test, llog_process(lt.log, 0, U32_MAX, 0, see, seen,
					   &result), 0);
	KUNIT_EXPECT_EQ(test, seen->count, count);
	KUNIT_EXPECT_EQ(test, result.records, count);
	KUNIT_EXPECT_NULL(test, result.fault.what);
	for (n = 0; n < seen->count; n++)
		KUNIT_EXPECT_EQ(test, seen->number[n], n + 1);
}

static void append_numbers(struct kunit *test, u32 len, u32 first, u32 last)
{
	u32 n;

	for (n = first; n <= last; n++)
		KUNIT_EXPECT_EQ(test, lt_append(len, n, NULL), 0);
}

static void new_log_is_on_the_disk_when_open_returns(struct kunit *test)
{
	const struct llog_head *head;

	lt_open(test, LLOG_O_CREATE);
	KUNIT_EXPECT_EQ(test, lt_size(test), (loff_t)LLOG_MIN_CHUNK_SIZE);
	head = llog_handle_head(lt.log);
	KUNIT_EXPECT_EQ(test, head->count, 1U);
	KUNIT_EXPECT_EQ(test, head->last_index, 0U);
	KUNIT_EXPECT_EQ(test, head->flags, (u32)LLOG_F_IS_PLAIN);
	KUNIT_EXPECT_STREQ(test, head->tgtuuid, LT_UUID);
	KUNIT_EXPECT_GT(test, head->timestamp, 0ULL);
	expect_all(test, 0);
	lt_reopen(test, 0);
	expect_all(test, 0);
}

static void records_are_seen_in_order_and_after_reopening(struct kunit *test)
{
	u32 index = 0;

	lt_open(test, LLOG_O_CREATE);
	append_numbers(test, 1001, 1, 30);
	expect_all(test, 30);
	lt_reopen(test, LLOG_O_WRITE);
	expect_all(test, 30);
	KUNIT_EXPECT_EQ(test, lt_append(8, 31, &index), 0);
	/* Seven records to a chunk, and padding, which has an index. */
	KUNIT_EXPECT_EQ(test, index, 31U + 30 / 7);
	lt_reopen(test, LLOG_O_CREATE);
	expect_all(test, 31);
	lt_reopen(test, 0);
	expect_all(test, 31);
	KUNIT_EXPECT_EQ(test, llog_handle_head(lt.log)->count, 32U);
}

static void cancelled_record_is_seen_raw_only(struct kunit *test)
{
	struct seen *seen = seen_alloc(test);

	lt_open(test, LLOG_O_CREATE);
	append_numbers(test, 16, 1, 3);
	KUNIT_EXPECT_EQ(test, llog_cancel(lt.log, 2), 0);
	KUNIT_EXPECT_EQ(test, llog_cancel(lt.log, 2), -ENOENT);
	KUNIT_EXPECT_EQ(test, llog_cancel(lt.log, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, llog_cancel(lt.log, 4), -ENOENT);
	lt_reopen(test, 0);
	KUNIT_EXPECT_EQ(test, llog_process(lt.log, 0, U32_MAX, 0, see, seen,
					   NULL), 0);
	KUNIT_EXPECT_EQ(test, seen->count, 2U);
	KUNIT_EXPECT_EQ(test, seen->index[1], 3U);
	seen->count = 0;
	KUNIT_EXPECT_EQ(test, llog_process(lt.log, 0, U32_MAX, LLOG_P_RAW, see,
					   seen, NULL), 0);
	KUNIT_EXPECT_EQ(test, seen->count, 3U);
	KUNIT_EXPECT_EQ(test, seen->number[1], 2U);
	KUNIT_EXPECT_FALSE(test, seen->live[1]);
	KUNIT_EXPECT_TRUE(test, seen->live[2]);
}

static void walk_keeps_to_first_and_last(struct kunit *test)
{
	struct seen *seen = seen_alloc(test);
	struct llog_result result;

	lt_open(test, LLOG_O_CREATE);
	append_numbers(test, 16, 1, 9);
	KUNIT_EXPECT_EQ(test, llog_process(lt.log, 4, 6, 0, see, seen,
					   &result), 0);
	KUNIT_EXPECT_EQ(test, seen->count, 3U);
	KUNIT_EXPECT_EQ(test, seen->index[0], 4U);
	KUNIT_EXPECT_EQ(test, result.last, 6U);
	KUNIT_EXPECT_EQ(test, result.records, 3U);
	KUNIT_EXPECT_EQ(test, llog_process(lt.log, 10, U32_MAX, 0, see, seen,
					   &result), 0);
	KUNIT_EXPECT_EQ(test, result.records, 0U);
	KUNIT_EXPECT_EQ(test, result.last, 0U);
}

static void what_a_callback_returns_ends_the_walk_and_changes_nothing(struct kunit *test)
{
	static const int codes[] = { LLOG_PROC_BREAK, -EIO, -EINVAL, -ENOENT };
	struct seen *seen = seen_alloc(test);
	struct llog_result result;
	size_t n;

	lt_open(test, LLOG_O_CREATE);
	append_numbers(test, 16, 1, 9);
	for (n = 0; n < ARRAY_SIZE(codes); n++) {
		seen->count = 0;
		seen->stop_at = 5;
		seen->rc = codes[n];
		KUNIT_EXPECT_EQ(test, llog_process(lt.log, 0, U32_MAX, 0, see,
						   seen, &result),
				codes[n] == LLOG_PROC_BREAK ? 0 : codes[n]);
		KUNIT_EXPECT_EQ(test, seen->count, 5U);
		KUNIT_EXPECT_EQ(test, result.last, 5U);
		expect_all(test, 9);
	}
	lt_reopen(test, 0);
	expect_all(test, 9);
}

static void walk_sees_what_is_appended_meanwhile(struct kunit *test)
{
	struct seen *seen = seen_alloc(test);

	lt_open(test, LLOG_O_CREATE);
	seen->log = lt.log;
	append_numbers(test, 16, 1, 2);
	seen->append = 5;
	KUNIT_EXPECT_EQ(test, llog_process(lt.log, 0, U32_MAX, 0, see, seen,
					   NULL), 0);
	KUNIT_EXPECT_EQ(test, seen->count, 7U);
	KUNIT_EXPECT_EQ(test, seen->number[6], 1005U);
}

static void one_handle_writes_others_read(struct kunit *test)
{
	struct llog_handle *other;

	lt_open(test, LLOG_O_CREATE);
	other = llog_open(LT_PATH, LLOG_O_WRITE, NULL);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(other), -EBUSY);
	other = llog_open(LT_PATH, 0, NULL);
	KUNIT_EXPECT_FALSE(test, IS_ERR(other));
	KUNIT_EXPECT_EQ(test, llog_append(other, OBD_CFG_REC, "x", 1, NULL),
			-EBADF);
	KUNIT_EXPECT_EQ(test, llog_cancel(other, 1), -EBADF);
	llog_close(other);
	lt_close();
	other = llog_open(LT_PATH, LLOG_O_WRITE, NULL);
	KUNIT_EXPECT_FALSE(test, IS_ERR(other));
	llog_close(other);
}

static void open_file_takes_what_is_open_for_it(struct kunit *test)
{
	struct file *file;

	lt_open(test, LLOG_O_CREATE);
	append_numbers(test, 16, 1, 3);
	lt_close();
	file = filp_open(LT_PATH, O_RDONLY, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	lt.log = llog_open_file(file, LLOG_O_WRITE);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(lt.log), -EBADF);
	lt.log = llog_open_file(file, LLOG_O_CREATE);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(lt.log), -EINVAL);
	lt.log = llog_open_file(file, 0);
	fput(file);
	KUNIT_ASSERT_FALSE(test, IS_ERR(lt.log));
	expect_all(test, 3);
}

static int open_rc(const char *path, unsigned int flags)
{
	struct llog_handle *log = llog_open(path, flags, LT_UUID);
	int rc = PTR_ERR_OR_ZERO(log);

	llog_close(log);
	return rc;
}

static void what_is_no_log_is_refused(struct kunit *test)
{
	static const char text[] = "this is a text, and no log\n";

	KUNIT_EXPECT_EQ(test, open_rc(LT_PATH, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, open_rc(LT_PATH, LLOG_O_WRITE), -ENOENT);
	KUNIT_EXPECT_EQ(test, open_rc("/", 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, open_rc("/", LLOG_O_CREATE), -EISDIR);
	fput(lt_file(test));
	KUNIT_EXPECT_EQ(test, open_rc(LT_PATH, 0), -ENODATA);
	KUNIT_EXPECT_EQ(test, open_rc(LT_PATH, LLOG_O_WRITE), -ENODATA);
	lt_poke(test, 0, text, sizeof(text));
	KUNIT_EXPECT_EQ(test, open_rc(LT_PATH, 0), -EBADMSG);
	KUNIT_EXPECT_EQ(test, open_rc(LT_PATH, LLOG_O_CREATE), -EBADMSG);
	KUNIT_EXPECT_EQ(test, lt_size(test), (loff_t)sizeof(text));
}

static void empty_file_is_made_a_log(struct kunit *test)
{
	fput(lt_file(test));
	lt_open(test, LLOG_O_CREATE);
	append_numbers(test, 16, 1, 1);
	lt_reopen(test, 0);
	expect_all(test, 1);
}

static void uuid_that_is_too_long_is_refused(struct kunit *test)
{
	struct llog_handle *log;

	log = llog_open(LT_PATH, LLOG_O_CREATE,
			"0123456789012345678901234567890123456789");
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(log), -EINVAL);
	lt_open(test, LLOG_O_CREATE);
}

static void append_that_was_cut_is_ignored_by_readers_and_cut_by_writers(struct kunit *test)
{
	struct seen *seen = seen_alloc(test);
	struct llog_result result;
	u8 record[64];
	loff_t size;
	int len;

	lt_open(test, LLOG_O_CREATE);
	append_numbers(test, 16, 1, 3);
	lt_close();
	size = lt_size(test);
	len = llog_record_encode(record, sizeof(record), OBD_CFG_REC, 4,
				 "a record", 8);
	KUNIT_ASSERT_EQ(test, len, 32);
	for (; len > 0; len--) {
		lt_poke(test, size, record, len);
		lt_open(test, 0);
		seen->count = 0;
		KUNIT_EXPECT_EQ(test, llog_process(lt.log, 0, U32_MAX, 0, see,
						   seen, &result), 0);
		KUNIT_EXPECT_EQ(test, seen->count, 3U);
		KUNIT_EXPECT_NULL(test, result.fault.what);
		KUNIT_EXPECT_EQ(test, lt_size(test), size + len);
		lt_reopen(test, LLOG_O_WRITE);
		KUNIT_EXPECT_EQ(test, lt_size(test), size);
		lt_close();
	}
	lt_open(test, LLOG_O_WRITE);
	append_numbers(test, 16, 4, 4);
	expect_all(test, 4);
}

static void header_that_a_power_cut_left_is_put_right(struct kunit *test)
{
	static const __le32 wrong = cpu_to_le32(1);

	lt_open(test, LLOG_O_CREATE);
	append_numbers(test, 16, 1, 3);
	lt_close();
	lt_poke(test, offsetof(struct llog_log_hdr, llh_count), &wrong, 4);
	lt_poke(test, LLOG_MIN_CHUNK_SIZE - 4, &wrong, 4);
	lt_open(test, 0);
	expect_all(test, 3);
	lt_reopen(test, LLOG_O_WRITE);
	KUNIT_EXPECT_EQ(test, llog_handle_head(lt.log)->count, 4U);
	KUNIT_EXPECT_EQ(test, llog_handle_head(lt.log)->last_index, 3U);
	append_numbers(test, 16, 4, 4);
	expect_all(test, 4);
}

static void damaged_record_is_reported_and_the_others_are_seen(struct kunit *test)
{
	struct seen *seen = seen_alloc(test);
	struct llog_result result;

	lt_open(test, LLOG_O_CREATE);
	append_numbers(test, 16, 1, 5);
	lt_close();
	lt_poke(test, LLOG_MIN_CHUNK_SIZE + 40, "\xff", 1);
	lt_open(test, 0);
	KUNIT_EXPECT_EQ(test, llog_process(lt.log, 0, U32_MAX, 0, see, seen,
					   &result), 0);
	KUNIT_EXPECT_EQ(test, seen->count, 4U);
	KUNIT_EXPECT_EQ(test, seen->index[1], 3U);
	KUNIT_EXPECT_STREQ(test, result.fault.what ?: "",
			   "the length is not a multiple of 8");
	KUNIT_EXPECT_EQ(test, result.fault.index, 2U);
	KUNIT_EXPECT_EQ(test, result.fault.offset,
			LLOG_MIN_CHUNK_SIZE + 40ULL);
	KUNIT_EXPECT_EQ(test, result.fault.lost, 40ULL);
}

static void log_without_its_end_is_read_and_not_written_to(struct kunit *test)
{
	struct seen *seen = seen_alloc(test);
	struct llog_result result;
	struct file *file;

	lt_open(test, LLOG_O_CREATE);
	append_numbers(test, 16, 1, 5);
	lt_close();
	file = lt_file(test);
	KUNIT_EXPECT_EQ(test, vfs_truncate(&file->f_path, LLOG_MIN_CHUNK_SIZE +
					   3 * 40), 0L);
	fput(file);
	KUNIT_EXPECT_EQ(test, open_rc(LT_PATH, LLOG_O_WRITE), -EBADMSG);
	lt_open(test, 0);
	KUNIT_EXPECT_EQ(test, llog_process(lt.log, 0, U32_MAX, 0, see, seen,
					   &result), 0);
	KUNIT_EXPECT_EQ(test, seen->count, 3U);
	KUNIT_EXPECT_STREQ(test, result.fault.what ?: "",
			   "the log ends before its last record");
	KUNIT_EXPECT_EQ(test, result.fault.want, 5ULL);
}

/* The file may not grow: a partly written record is removed. */
static void failed_write_leaves_the_log_as_it_was(struct kunit *test)
{
	struct rlimit *limit = &current->signal->rlim[RLIMIT_FSIZE];
	unsigned long cur = limit->rlim_cur;
	loff_t size;

	lt_open(test, LLOG_O_CREATE);
	append_numbers(test, 16, 1, 3);
	size = lt_size(test);
	WRITE_ONCE(limit->rlim_cur, size + 10);
	KUNIT_EXPECT_EQ(test, lt_append(16, 4, NULL), -EFBIG);
	KUNIT_EXPECT_EQ(test, lt_append(16, 4, NULL), -EFBIG);
	WRITE_ONCE(limit->rlim_cur, cur);
	KUNIT_EXPECT_EQ(test, lt_size(test), size);
	expect_all(test, 3);
	append_numbers(test, 16, 4, 5);
	lt_reopen(test, LLOG_O_WRITE);
	expect_all(test, 5);
}

static void what_fits_no_chunk_is_refused(struct kunit *test)
{
	u8 *body = kunit_kzalloc(test, LLOG_MIN_CHUNK_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, body);
	lt_open(test, LLOG_O_CREATE);
	KUNIT_EXPECT_EQ(test, llog_append(lt.log, OBD_CFG_REC, body,
					  LLOG_MIN_CHUNK_SIZE, NULL), -E2BIG);
	KUNIT_EXPECT_EQ(test, llog_append(lt.log, 1, body, 8, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, llog_append(lt.log, OBD_CFG_REC, body,
					  LLOG_MIN_CHUNK_SIZE - 24, NULL), 0);
	KUNIT_EXPECT_EQ(test, llog_handle_head(lt.log)->last_index, 1U);
}

static struct kunit_case llog_file_cases[] = {
	KUNIT_CASE(new_log_is_on_the_disk_when_open_returns),
	KUNIT_CASE(records_are_seen_in_order_and_after_reopening),
	KUNIT_CASE(cancelled_record_is_seen_raw_only),
	KUNIT_CASE(walk_keeps_to_first_and_last),
	KUNIT_CASE(what_a_callback_returns_ends_the_walk_and_changes_nothing),
	KUNIT_CASE(walk_sees_what_is_appended_meanwhile),
	KUNIT_CASE(one_handle_writes_others_read),
	KUNIT_CASE(open_file_takes_what_is_open_for_it),
	KUNIT_CASE(what_is_no_log_is_refused),
	KUNIT_CASE(empty_file_is_made_a_log),
	KUNIT_CASE(uuid_that_is_too_long_is_refused),
	KUNIT_CASE(append_that_was_cut_is_ignored_by_readers_and_cut_by_writers),
	KUNIT_CASE(header_that_a_power_cut_left_is_put_right),
	KUNIT_CASE(damaged_record_is_reported_and_the_others_are_seen),
	KUNIT_CASE(log_without_its_end_is_read_and_not_written_to),
	KUNIT_CASE(failed_write_leaves_the_log_as_it_was),
	KUNIT_CASE(what_fits_no_chunk_is_refused),
	{}
};

static struct kunit_suite llog_file_suite = {
	.name		= "llog_file",
	.suite_init	= client_suite_init,
	.init		= lt_init,
	.exit		= lt_exit,
	.test_cases	= llog_file_cases,
};

kunit_test_suite(llog_file_suite);

MODULE_DESCRIPTION("KUnit: logs in files");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
