// SPDX-License-Identifier: GPL-2.0-only
/*
 * The debug log as its reader sees it: which messages it takes, their order,
 * what is lost when it wraps, and what survives a change of its size.
 *
 * Every: 2
 */
#define DEBUG_SUBSYSTEM S_LIBCFS
#include <lustre_lite/debug.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "fixture.h"

static struct libcfs_ioc_debug log_arg;

/* READ from a cursor; records are in the client's buffer. */
static long log_read(u64 cursor, u32 room)
{
	long rc;

	log_arg = (struct libcfs_ioc_debug) {
		.dbg_hdr = CLIENT_HDR(log_arg),
		.dbg_buf = client_at(fx.client, CLIENT_BUF),
		.dbg_buf_len = room,
		.dbg_cursor = cursor,
	};
	rc = client_call(fx.client, LIBCFS_IOC_DEBUG_READ, &log_arg,
			 sizeof(log_arg));
	return client_filled(fx.client, rc, log_arg.dbg_used);
}

static long log_clear(u64 cursor)
{
	log_arg = (struct libcfs_ioc_debug) {
		.dbg_hdr = CLIENT_HDR(log_arg),
		.dbg_cursor = cursor,
	};
	return client_call(fx.client, LIBCFS_IOC_DEBUG_CLEAR, &log_arg,
			   sizeof(log_arg));
}

static long log_mark(const char *text, size_t len)
{
	log_arg = (struct libcfs_ioc_debug) {
		.dbg_hdr = CLIENT_HDR(log_arg),
		.dbg_buf = client_at(fx.client, CLIENT_TEXT),
		.dbg_buf_len = len,
	};
	client_put(fx.client, CLIENT_TEXT, text, min_t(size_t, len, 4096));
	return client_call(fx.client, LIBCFS_IOC_DEBUG_MARK, &log_arg,
			   sizeof(log_arg));
}

/* A position after all records that were logged so far. */
static u64 log_end(struct kunit *test)
{
	u64 cursor = 0;

	do {
		KUNIT_ASSERT_EQ(test, log_read(cursor, CLIENT_BUF_LEN), 0);
		cursor = log_arg.dbg_cursor;
	} while (!log_arg.dbg_eof);
	return cursor;
}

static const struct libcfs_debug_rec *log_rec(unsigned int index)
{
	size_t at = 0;

	while (at + sizeof(struct libcfs_debug_rec) <= fx.client->used) {
		struct libcfs_debug_rec *rec = (void *)(fx.client->buf + at);

		if (!index--)
			return rec;
		at += rec->dr_len;
	}
	return NULL;
}

static unsigned int log_count(void)
{
	unsigned int n = 0;

	while (log_rec(n))
		n++;
	return n;
}

/* The message of a record; "" if there is no such record. */
static const char *log_text(unsigned int index)
{
	const struct libcfs_debug_rec *rec = log_rec(index);

	return rec ? rec->dr_data + rec->dr_file_len + rec->dr_func_len : "";
}

static int debug_case_init(struct kunit *test)
{
	int rc = fixture_init(test);

	if (!rc)
		rc = client_write(fx.client, "debug", "+trace");
	return rc;
}

static void debug_case_exit(struct kunit *test)
{
	if (fx.client) {
		client_write(fx.client, "debug",
			     "ioctl neterror warning error emerg ha config console lfsck");
		client_write(fx.client, "subsystem_debug", "0xffffffff");
		client_write(fx.client, "debug_mb", "2");
	}
	fixture_exit(test);
}

static void a_record_says_where_it_is_from(struct kunit *test)
{
	u64 from = log_end(test);
	u64 before = ktime_get_real_ns();
	const struct libcfs_debug_rec *rec;

	CDEBUG(D_TRACE, "one %d\n", 1); u32 line = __LINE__;
	CDEBUG(D_TRACE, "two");
	KUNIT_ASSERT_EQ(test, log_read(from, CLIENT_BUF_LEN), 0);
	KUNIT_ASSERT_EQ(test, log_count(), 2U);
	KUNIT_EXPECT_EQ(test, log_arg.dbg_eof, 1U);
	KUNIT_EXPECT_EQ(test, log_arg.dbg_lost, 0ULL);
	KUNIT_EXPECT_EQ(test, log_arg.dbg_cursor, from + 2);
	rec = log_rec(0);
	KUNIT_EXPECT_EQ(test, rec->dr_len % 8, 0U);
	KUNIT_EXPECT_EQ(test, rec->dr_seq, from);
	KUNIT_EXPECT_EQ(test, rec->dr_subsys, (u32)S_LIBCFS);
	KUNIT_EXPECT_EQ(test, rec->dr_mask, (u32)D_TRACE);
	KUNIT_EXPECT_EQ(test, rec->dr_line, line);
	KUNIT_EXPECT_EQ(test, rec->dr_pid, (u32)current->pid);
	KUNIT_EXPECT_GT(test, rec->dr_stack, 0U);
	KUNIT_EXPECT_LT(test, rec->dr_stack, (u32)THREAD_SIZE);
	KUNIT_EXPECT_GE(test, rec->dr_time_ns, before);
	KUNIT_EXPECT_STREQ(test, rec->dr_data, "libcfs_debug_kunit.c");
	KUNIT_EXPECT_STREQ(test, rec->dr_data + rec->dr_file_len, __func__);
	KUNIT_EXPECT_STREQ(test, log_text(0), "one 1\n");
	/* A message ends with a newline, even if its text had none. */
	KUNIT_EXPECT_STREQ(test, log_text(1), "two\n");
}

static void a_long_message_is_cut(struct kunit *test)
{
	u64 from = log_end(test);
	char *text = kunit_kzalloc(test, 4096, GFP_KERNEL);
	const struct libcfs_debug_rec *rec;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, text);
	memset(text, 'x', 4095);
	CDEBUG(D_TRACE, "%s", text);
	KUNIT_ASSERT_EQ(test, log_read(from, CLIENT_BUF_LEN), 0);
	rec = log_rec(0);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, rec);
	KUNIT_EXPECT_EQ(test, rec->dr_text_len, 1024U);
	KUNIT_EXPECT_EQ(test, log_text(0)[1021], 'x');
	KUNIT_EXPECT_STREQ(test, log_text(0) + 1022, "\n");
}

static void masks_choose_what_is_logged(struct kunit *test)
{
	u64 from = log_end(test);

	KUNIT_ASSERT_EQ(test, client_write(fx.client, "debug", "-trace"), 0);
	CDEBUG(D_TRACE, "level is off\n");
	CDEBUG(D_HA, "level is on by default\n");
	KUNIT_ASSERT_EQ(test, client_write(fx.client, "debug", "+rpctrace -ha"),
			0);
	CDEBUG(D_RPCTRACE, "level was switched on\n");
	CDEBUG(D_HA, "level was switched off\n");
	KUNIT_ASSERT_EQ(test, client_write(fx.client, "subsystem_debug",
					   "-libcfs"), 0);
	CDEBUG(D_RPCTRACE, "subsystem is off\n");
	CWARN("always\n");
	KUNIT_ASSERT_EQ(test, log_read(from, CLIENT_BUF_LEN), 0);
	KUNIT_ASSERT_EQ(test, log_count(), 3U);
	KUNIT_EXPECT_STREQ(test, log_text(0),
			   "level is on by default\n");
	KUNIT_EXPECT_STREQ(test, log_text(1),
			   "level was switched on\n");
	KUNIT_EXPECT_STREQ(test, log_text(2), "always\n");
}

/* Names belong to bits; bits without a name are not set. */
static void all_subsystems_have_names(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, client_write(fx.client, "subsystem_debug",
					   "0xffffffff"), 0);
	KUNIT_ASSERT_EQ(test, client_read(fx.client, "subsystem_debug"), 0);
	KUNIT_EXPECT_TRUE(test, client_text_is(fx.client,
					       "undefined mdc mds osc ost class log llite rpc mgmt lnet lnd pinger filter libcfs echo ldlm lov lquota osd lfsck snapshot lmv sec gss mgc mgs fid fld"));
	KUNIT_EXPECT_EQ(test, libcfs_debug_subsys, S_ALL);
}

static void reading_goes_on_at_the_cursor(struct kunit *test)
{
	u64 from = log_end(test);
	u32 one;
	int n;

	for (n = 0; n < 5; n++)
		CDEBUG(D_TRACE, "message %d\n", n);
	KUNIT_ASSERT_EQ(test, log_read(from, CLIENT_BUF_LEN), 0);
	KUNIT_ASSERT_EQ(test, log_count(), 5U);
	one = log_rec(0)->dr_len;

	KUNIT_EXPECT_EQ(test, log_read(from, one - 1), -EOVERFLOW);
	KUNIT_EXPECT_EQ(test, log_arg.dbg_buf_len, one);
	KUNIT_EXPECT_EQ(test, log_arg.dbg_cursor, from);
	for (n = 0; n < 5; n++) {
		KUNIT_ASSERT_EQ(test, log_read(from + n, one), 0);
		KUNIT_ASSERT_EQ(test, log_count(), 1U);
		KUNIT_EXPECT_EQ(test, log_rec(0)->dr_seq, from + n);
		KUNIT_EXPECT_EQ(test, log_arg.dbg_cursor, from + n + 1);
		KUNIT_EXPECT_EQ(test, log_arg.dbg_eof, n == 4 ? 1U : 0U);
	}
	KUNIT_ASSERT_EQ(test, log_read(from + 5, one), 0);
	KUNIT_EXPECT_EQ(test, log_count(), 0U);
	KUNIT_EXPECT_EQ(test, log_arg.dbg_eof, 1U);
	KUNIT_EXPECT_EQ(test, log_read(from + 6, one), -EINVAL);
}

/*
 * 4000 messages of about 1 KiB are more than 1 MiB holds. All from one
 * processor: records of several are not overwritten in the order of their
 * numbers.
 */
static void fill_and_wrap(char *text)
{
	int n;

	memset(text, '.', 900);
	set_cpus_allowed_ptr(current, cpumask_of(0));
	for (n = 0; n < 4000; n++)
		CDEBUG(D_TRACE, "%d%s\n", n, text);
	set_cpus_allowed_ptr(current, cpu_possible_mask);
}

static void wrapping_loses_the_oldest_and_says_so(struct kunit *test)
{
	char *text = kunit_kzalloc(test, 901, GFP_KERNEL);
	u64 from, next, got = 0, lost = 0;
	unsigned int n;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, text);
	KUNIT_ASSERT_EQ(test, client_write(fx.client, "debug_mb", "1"), 0);
	KUNIT_ASSERT_EQ(test, log_clear(0), 0);
	from = log_end(test);
	fill_and_wrap(text);
	next = from;
	do {
		KUNIT_ASSERT_EQ(test, log_read(next, CLIENT_BUF_LEN), 0);
		for (n = 0; n < log_count() && got < 3; n++)
			KUNIT_EXPECT_GE(test, log_rec(n)->dr_seq, next);
		got += log_count();
		lost += log_arg.dbg_lost;
		next = log_arg.dbg_cursor;
	} while (!log_arg.dbg_eof);
	KUNIT_EXPECT_EQ(test, got + lost, 4000ULL);
	KUNIT_EXPECT_EQ(test, next, from + 4000);
	KUNIT_EXPECT_GT(test, got, 400ULL);
	KUNIT_EXPECT_LT(test, got, 1100ULL);

	/* Starting at the oldest record, the overwritten ones do not count as lost. */
	KUNIT_ASSERT_EQ(test, log_read(0, 2048), 0);
	KUNIT_EXPECT_EQ(test, log_arg.dbg_lost, 0ULL);
}

static void resizing_keeps_the_newest(struct kunit *test)
{
	u64 from = log_end(test);
	int n;

	for (n = 0; n < 100; n++)
		CDEBUG(D_TRACE, "message %d\n", n);
	KUNIT_ASSERT_EQ(test, log_read(from, 4096), 0);
	KUNIT_ASSERT_EQ(test, client_write(fx.client, "debug_mb", "4"), 0);
	KUNIT_ASSERT_EQ(test, log_read(from, CLIENT_BUF_LEN), 0);
	KUNIT_EXPECT_EQ(test, log_count(), 100U);
	KUNIT_ASSERT_EQ(test, client_write(fx.client, "debug_mb", "1"), 0);
	CDEBUG(D_TRACE, "after\n");
	KUNIT_ASSERT_EQ(test, log_read(from, CLIENT_BUF_LEN), 0);
	KUNIT_EXPECT_EQ(test, log_count(), 101U);
	KUNIT_EXPECT_EQ(test, log_arg.dbg_lost, 0ULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, log_rec(100));
	KUNIT_EXPECT_STREQ(test, log_text(100), "after\n");
	KUNIT_EXPECT_EQ(test, client_write(fx.client, "debug_mb", "0"),
			-ERANGE);
	KUNIT_EXPECT_EQ(test, client_write(fx.client, "debug_mb", "16384"),
			-ERANGE);
}

static void clearing_ends_at_the_cursor(struct kunit *test)
{
	u64 from = log_end(test);

	CDEBUG(D_TRACE, "one\n");
	CDEBUG(D_TRACE, "two\n");
	KUNIT_ASSERT_EQ(test, log_clear(from + 1), 0);
	KUNIT_ASSERT_EQ(test, log_read(0, CLIENT_BUF_LEN), 0);
	KUNIT_ASSERT_EQ(test, log_count(), 1U);
	KUNIT_EXPECT_STREQ(test, log_text(0), "two\n");
	KUNIT_ASSERT_EQ(test, log_clear(0), 0);
	KUNIT_ASSERT_EQ(test, log_read(0, CLIENT_BUF_LEN), 0);
	KUNIT_EXPECT_EQ(test, log_count(), 0U);
	KUNIT_EXPECT_EQ(test, log_arg.dbg_eof, 1U);
	/* Cleared messages do not count as lost. */
	KUNIT_ASSERT_EQ(test, log_read(from, CLIENT_BUF_LEN), 0);
	KUNIT_EXPECT_EQ(test, log_arg.dbg_lost, 0ULL);
	KUNIT_EXPECT_EQ(test, log_clear(from + 3), -EINVAL);
}

static void a_mark_is_one_line(struct kunit *test)
{
	u64 from = log_end(test);

	KUNIT_ASSERT_EQ(test, log_mark("here\n", 5), 0);
	KUNIT_EXPECT_EQ(test, log_mark("", 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, log_mark("a\nb", 3), -EINVAL);
	KUNIT_EXPECT_EQ(test, log_mark("a\0b", 3), -EINVAL);
	KUNIT_EXPECT_EQ(test, log_mark("", LIBCFS_DEBUG_MARK_MAX + 1), -E2BIG);
	KUNIT_ASSERT_EQ(test, log_read(from, CLIENT_BUF_LEN), 0);
	KUNIT_ASSERT_EQ(test, log_count(), 1U);
	KUNIT_EXPECT_STREQ(test, log_text(0), "DEBUG MARKER: here\n");
	KUNIT_EXPECT_EQ(test, log_rec(0)->dr_mask, (u32)D_CONSOLE);
}

static void the_log_is_for_the_administrator(struct kunit *test)
{
	const struct cred *old;
	struct cred *user = prepare_creds();
	long read, clear, mark;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, user);
	cap_clear(user->cap_effective);
	old = override_creds(user);
	read = log_read(0, 4096);
	clear = log_clear(0);
	mark = log_mark("no", 2);
	revert_creds(old);
	put_cred(user);
	KUNIT_EXPECT_EQ(test, read, -EPERM);
	KUNIT_EXPECT_EQ(test, clear, -EPERM);
	KUNIT_EXPECT_EQ(test, mark, -EPERM);
}

static void log_here(void *count)
{
	int n;

	for (n = 0; n < *(int *)count; n++)
		CDEBUG(D_TRACE, "%d on %d\n", n, smp_processor_id());
}

static long log_on_all(void *count)
{
	on_each_cpu(log_here, count, 1);
	return 0;
}

/* Several processors log, in interrupts, while the reader reads. */
static void processors_are_read_as_one(struct kunit *test)
{
	static struct aside writer;
	static int count = 1000;
	u64 from, next, end;
	u64 bad = 0, lost = 0;
	unsigned int n, records;

	KUNIT_ASSERT_EQ(test, client_write(fx.client, "debug_mb", "4"), 0);
	from = log_end(test);
	end = from + (u64)count * num_online_cpus();
	aside_start(test, &writer, log_on_all, &count);
	for (next = from; next < end; next = log_arg.dbg_cursor) {
		bool last = aside_is_done(&writer);

		KUNIT_ASSERT_EQ(test, log_read(next, 16384), 0);
		records = log_count();
		for (n = 0; n < records; n++)
			bad += log_rec(n)->dr_seq != next + n;
		lost += log_arg.dbg_lost;
		if (last && log_arg.dbg_cursor == next)
			break;
		cond_resched();
	}
	KUNIT_EXPECT_EQ(test, aside_join(test, &writer), 0);
	KUNIT_EXPECT_EQ(test, next, end);
	KUNIT_EXPECT_EQ(test, bad, 0ULL);
	KUNIT_EXPECT_EQ(test, lost, 0ULL);
}

/* The size changes while processors log: missing messages count as lost. */
static void resizing_under_load_accounts_for_all(struct kunit *test)
{
	static struct aside writer;
	static int count = 3000;
	u64 from, next, end, got = 0, lost = 0;
	int n;

	from = log_end(test);
	end = from + (u64)count * num_online_cpus();
	aside_start(test, &writer, log_on_all, &count);
	for (n = 0; n < 8 || !aside_is_done(&writer); n++)
		KUNIT_EXPECT_EQ(test, client_write(fx.client, "debug_mb",
						   n % 2 ? "1" : "3"), 0);
	KUNIT_EXPECT_EQ(test, aside_join(test, &writer), 0);
	for (next = from; next < end; next = log_arg.dbg_cursor) {
		KUNIT_ASSERT_EQ(test, log_read(next, CLIENT_BUF_LEN), 0);
		got += log_count();
		lost += log_arg.dbg_lost;
		if (log_arg.dbg_eof)
			break;
	}
	KUNIT_EXPECT_EQ(test, got + lost, end - from);
	KUNIT_EXPECT_GT(test, got, 0ULL);
}

static struct kunit_case debug_cases[] = {
	KUNIT_CASE(a_record_says_where_it_is_from),
	KUNIT_CASE(a_long_message_is_cut),
	KUNIT_CASE(masks_choose_what_is_logged),
	KUNIT_CASE(all_subsystems_have_names),
	KUNIT_CASE(reading_goes_on_at_the_cursor),
	KUNIT_CASE(wrapping_loses_the_oldest_and_says_so),
	KUNIT_CASE(resizing_keeps_the_newest),
	KUNIT_CASE(clearing_ends_at_the_cursor),
	KUNIT_CASE(a_mark_is_one_line),
	KUNIT_CASE(the_log_is_for_the_administrator),
	KUNIT_CASE(processors_are_read_as_one),
	KUNIT_CASE(resizing_under_load_accounts_for_all),
	{}
};

static struct kunit_suite debug_suite = {
	.name = "libcfs_debug",
	.suite_init = client_suite_init,
	.init = debug_case_init,
	.exit = debug_case_exit,
	.test_cases = debug_cases,
};
kunit_test_suite(debug_suite);

MODULE_DESCRIPTION("the debug log");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
