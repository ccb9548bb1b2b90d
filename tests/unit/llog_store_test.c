// SPDX-License-Identifier: GPL-2.0-only
/* The log store: writes, refusals, and I/O errors. */
#include "shim_cmocka.h"

#include <stdlib.h>

#include "llog_disk.h"
#include "llog_golden.h"

#define ROOM	(256 * 1024)

static struct disk disk;
static struct disk_log mylog;

static int setup(void **state)
{
	(void)state;
	disk_init(&disk, ROOM);
	disk_log_init(&mylog, &disk, LLOG_MIN_CHUNK_SIZE);
	return llog_store_create(&mylog.store, "config_uuid", 7);
}

static int teardown(void **state)
{
	(void)state;
	disk_log_free(&mylog);
	disk_free(&disk);
	return 0;
}

static int reopen(bool write, struct llog_fault *fault)
{
	return llog_store_open(&mylog.store, write, fault);
}

static u32 append(size_t len)
{
	static u8 body[LLOG_MAX_CHUNK_SIZE];
	u32 index = 0;

	memset(body, 0x5a, len);
	assert_int_equal(disk_log_append(&mylog, body, len, &index), 0);
	return index;
}

static u32 word(size_t at)
{
	return codec_get32(disk.bytes + at, false);
}

static void an_append_is_laid_out_as_real_lustre_does(void **state)
{
	(void)state;
	assert_int_equal(append(8), 1);
	assert_int_equal(word(24), 2);
	assert_int_equal(disk.bytes[88], 3);
	assert_int_equal(word(8188), 1);
	assert_int_equal(word(8192), 32);
	assert_int_equal(word(8196), 1);
	assert_int_equal(word(8200), OBD_CFG_REC);
	assert_int_equal(disk.size, 8192 + 32);
	assert_int_equal(disk_log_cancel(&mylog, 1), 0);
	assert_int_equal(word(24), 1);
	assert_int_equal(disk.bytes[88], 1);
	assert_int_equal(word(8188), 1);
	assert_int_equal(append(8), 2);
	assert_int_equal(word(24), 2);
	assert_int_equal(disk.bytes[88], 5);
	assert_int_equal(word(8188), 2);
}

/* Bodies before and of the last record; how much padding there is between. */
static const struct fit {
	size_t	before;
	size_t	len;
	u32	pad;
} fits[] = {
	{ 8192 - 24 - 32, 8, 0 },	/* exactly the remaining bytes */
	{ 8192 - 24 - 56, 8, 0 },	/* leaves 24 */
	{ 8192 - 24 - 48, 8, 48 },	/* would leave 16 */
	{ 8192 - 24 - 40, 8, 40 },	/* would leave 8 */
	{ 8192 - 24 - 24, 8, 24 },	/* does not fit */
	{ 8192 - 24, 8, 0 },		/* begins a chunk */
	{ 8192 - 24, 8192 - 24, 0 },	/* a chunk after a chunk */
	{ 8, 8192 - 24, 8160 },
};

static void padding_fills_what_a_record_would_not_leave_room_in(void **state)
{
	u64 at;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(fits); n++) {
		teardown(state);
		setup(state);
		append(fits[n].before);
		at = mylog.store.end;
		assert_int_equal(append(fits[n].len), fits[n].pad ? 3 : 2);
		if (fits[n].pad) {
			assert_int_equal(word(at), fits[n].pad);
			assert_int_equal(word(at + 4), 2);
			assert_int_equal(word(at + 8), LLOG_PAD_MAGIC);
			assert_int_equal(disk.bytes[88], 0x0b);
			assert_int_equal(word(24), 3);
		}
		assert_int_equal(word(at + fits[n].pad),
				 llog_record_size(fits[n].len));
		assert_int_equal(mylog.store.end, at + fits[n].pad +
				 llog_record_size(fits[n].len));
	}
}

static void what_does_not_fit_or_is_no_record_is_refused(void **state)
{
	static const size_t wrong[] = {
		8192 - 23, 8192 - 24 - 1 - 7, 8192 - 24 - 16, 8192, 1 << 20,
	};
	struct llog_store_change change;
	static u8 body[1 << 20];
	u32 index;
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(wrong); n++)
		assert_int_equal(disk_log_append(&mylog, body, wrong[n], &index),
				 -E2BIG);
	assert_int_equal(llog_store_append(&mylog.store, 5, body, 8, &change),
			 -EINVAL);
	assert_int_equal(disk.size, 8192);
	assert_int_equal(append(8192 - 24), 1);
	assert_int_equal(append(8192 - 48), 2);
}

static void a_full_bitmap_is_enospc(void **state)
{
	struct llog_fault fault;
	u32 index, n;

	(void)state;
	append(8);
	/* As if all indexes but one had been used and cancelled. */
	codec_put32(disk.bytes + 8188, 64766);
	codec_put32(disk.bytes + 8192 + 4, 64766);
	codec_put32(disk.bytes + 8192 + 28, 64766);
	disk.bytes[88] = 1;
	assert_int_equal(reopen(true, &fault), 0);
	assert_int_equal(append(8), 64767);
	assert_int_equal(disk.bytes[88 + 64767 / 8], 0x80);
	for (n = 0; n < 3; n++)
		assert_int_equal(disk_log_append(&mylog, "x", 1, &index),
				 -ENOSPC);
	assert_int_equal(disk_log_cancel(&mylog, 64767), 0);
	assert_int_equal(disk_log_append(&mylog, "x", 1, &index), -ENOSPC);
}

static void cancel_wants_a_live_record(void **state)
{
	(void)state;
	append(8);
	append(8192 - 24);
	assert_int_equal(disk_log_cancel(&mylog, 0), -ENOENT);
	assert_int_equal(disk_log_cancel(&mylog, 2), -ENOENT);
	assert_int_equal(disk_log_cancel(&mylog, 4), -ENOENT);
	assert_int_equal(disk_log_cancel(&mylog, 0xffffffff), -ENOENT);
	assert_int_equal(disk_log_cancel(&mylog, 3), 0);
	assert_int_equal(disk_log_cancel(&mylog, 3), -ENOENT);
	assert_int_equal(disk_log_cancel(&mylog, 1), 0);
	assert_int_equal(word(24), 1);
}

static void a_log_for_reading_is_not_written_to(void **state)
{
	struct llog_fault fault;
	unsigned int ops;
	u32 index;

	(void)state;
	append(8);
	codec_put32(disk.bytes + 24, 99);
	disk.bytes[disk.size] = 1;
	disk.size += 5;
	ops = disk.ops;
	assert_int_equal(reopen(false, &fault), 0);
	assert_null(fault.what);
	assert_int_equal(mylog.store.head.count, 2);
	assert_int_equal(disk_log_append(&mylog, "x", 1, &index), -EBADF);
	assert_int_equal(disk_log_cancel(&mylog, 1), -EBADF);
	assert_int_equal(disk.ops, ops);
	assert_int_equal(reopen(true, &fault), 0);
	assert_int_equal(word(24), 2);
	assert_int_equal(disk.size, 8192 + 32);
}

static void refused(bool write, int rc, const char *what)
{
	struct llog_fault fault;
	unsigned int ops = disk.ops;

	assert_int_equal(reopen(write, &fault), rc);
	assert_string_equal(fault.what, what);
	assert_int_equal(disk.ops, ops);
}

static void what_is_no_plain_log_of_ours_is_not_written_to(void **state)
{
	struct golden log = golden_load(0);
	struct llog_fault fault;

	(void)state;
	golden_swap(&log);
	memcpy(disk.bytes, log.bytes, log.len);
	disk.size = log.len;
	golden_free(&log);
	refused(true, -EOPNOTSUPP,
		"written in the other byte order: read-only");
	assert_int_equal(reopen(false, &fault), 0);
	teardown(state);
	setup(state);
	codec_put32(disk.bytes + 36, LLOG_F_IS_CAT);
	refused(true, -EOPNOTSUPP, "not a plain log: read-only");
	codec_put32(disk.bytes + 36, LLOG_F_IS_PLAIN | LLOG_F_IS_FIXSIZE);
	refused(true, -EOPNOTSUPP, "not a plain log: read-only");
	assert_int_equal(reopen(false, &fault), 0);
}

static void a_damaged_end_is_not_written_behind(void **state)
{
	struct llog_fault fault;
	unsigned int ops;

	(void)state;
	append(8);
	append(8);
	disk.bytes[8192 + 32] ^= 0xff;
	ops = disk.ops;
	assert_int_equal(reopen(true, &fault), -EBADMSG);
	assert_string_equal(fault.what,
			    "it ends before its last record: read-only");
	assert_int_equal(fault.seen, 1);
	assert_int_equal(fault.want, 2);
	assert_int_equal(fault.offset, 8192 + 32);
	assert_int_equal(disk.ops, ops + 1);
	assert_int_equal(disk.size, 8192 + 64);
	assert_int_equal(reopen(false, &fault), 0);
}

static void a_damaged_middle_is_reported_and_written_behind(void **state)
{
	struct llog_fault fault;

	(void)state;
	append(8);
	append(8);
	append(8);
	disk.bytes[8192 + 32] ^= 0xff;
	assert_int_equal(reopen(true, &fault), 0);
	assert_string_equal(fault.what, "the length is not a multiple of 8");
	assert_int_equal(fault.index, 2);
	assert_int_equal(append(8), 4);
	assert_int_equal(mylog.store.end, 8192 + 4 * 32);
}

static void a_damaged_header_is_refused(void **state)
{
	struct llog_fault fault;
	u32 chunk_size = 0;

	(void)state;
	append(8);
	codec_put32(disk.bytes + 8184, 1);
	assert_int_equal(llog_store_probe(&disk_io, &disk, mylog.store.buf,
					  &chunk_size), 0);
	refused(false, -EBADMSG, "the header's tail has another length");
	refused(true, -EBADMSG, "the header's tail has another length");
	codec_put32(disk.bytes + 8184, 8192);
	codec_put32(disk.bytes, 16384);
	assert_int_equal(llog_store_probe(&disk_io, &disk, mylog.store.buf,
					  &chunk_size), 0);
	assert_int_equal(chunk_size, 16384);
	assert_int_equal(reopen(false, &fault), -EBADMSG);
}

static void only_a_file_without_a_byte_of_its_own_is_made_a_log(void **state)
{
	static const char text[] = "10.0.0.1 mgs\n";
	u32 chunk_size;
	u8 *room = mylog.store.buf;

	(void)state;
	/* A record after a header that is missing. */
	append(8);
	memset(disk.bytes, 0, 8192);
	assert_int_equal(llog_store_probe(&disk_io, &disk, room, &chunk_size),
			 -EBADMSG);
	memset(disk.bytes, 0, ROOM);
	memcpy(disk.bytes, text, sizeof(text));
	disk.size = sizeof(text);
	assert_int_equal(llog_store_probe(&disk_io, &disk, room, &chunk_size),
			 -EBADMSG);
	memset(disk.bytes, 0, ROOM);
	disk.size = 8192;
	assert_int_equal(llog_store_probe(&disk_io, &disk, room, &chunk_size),
			 -ENODATA);
	disk.bytes[4000] = 1;
	assert_int_equal(llog_store_probe(&disk_io, &disk, room, &chunk_size),
			 -EBADMSG);
	disk.bytes[4000] = 0;
	disk.size = 8193;
	assert_int_equal(llog_store_probe(&disk_io, &disk, room, &chunk_size),
			 -EBADMSG);
}

/* Each operation of an append fails once; the log is opened again where it must be. */
static void an_append_that_fails_leaves_the_log_as_it_was(void **state)
{
	/* write, sync, bit, count, last index, sync; and the cut that undoes */
	static const struct {
		unsigned int	op;
		int		rc;
		bool		goes_on;
	} cases[] = {
		{ 1, -ENOSPC, true }, { 2, -EIO, false }, { 3, -ENOSPC, false },
		{ 4, -ENOSPC, false }, { 5, -ENOSPC, false }, { 6, -EIO, false },
	};
	struct llog_fault fault;
	u32 index, last;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(cases); n++) {
		teardown(state);
		setup(state);
		append(100);
		disk.fail_at = disk.ops + cases[n].op;
		assert_int_equal(disk_log_append(&mylog, "body", 5, &index),
				 cases[n].rc);
		assert_int_equal(mylog.store.head.last_index, 1);
		if (!cases[n].goes_on) {
			assert_int_equal(disk_log_append(&mylog, "b", 1, &index),
					 cases[n].rc);
			assert_int_equal(disk_log_cancel(&mylog, 1), cases[n].rc);
			assert_int_equal(reopen(true, &fault), 0);
			assert_null(fault.what);
		}
		last = mylog.store.head.last_index;
		assert_true(last == 1 || (last == 2 && cases[n].op > 2));
		assert_int_equal(disk.size, mylog.store.end);
		assert_int_equal(append(8), last + 1);
		assert_int_equal(reopen(true, &fault), 0);
		assert_null(fault.what);
		assert_int_equal(mylog.store.head.last_index, last + 1);
	}
}

static void an_append_that_cannot_be_taken_back_ends_writing(void **state)
{
	struct llog_fault fault;
	u32 index;

	(void)state;
	append(100);
	disk.fail_at = disk.ops + 1;
	disk.dead_at = disk.ops + 2;
	assert_int_equal(disk_log_append(&mylog, "body", 5, &index), -ENOSPC);
	assert_true(disk.size > mylog.store.end);
	disk.dead_at = 0;
	assert_int_equal(disk_log_append(&mylog, "body", 5, &index), -EIO);
	assert_int_equal(reopen(true, &fault), 0);
	assert_null(fault.what);
	assert_int_equal(disk.size, mylog.store.end);
	assert_int_equal(append(8), 2);
}

static void opening_says_that_it_cannot_repair(void **state)
{
	struct llog_fault fault;
	unsigned int op;
	int rc = -1;

	(void)state;
	append(100);
	append(8);
	for (op = 1; rc; op++) {
		codec_put32(disk.bytes + 24, 77);
		codec_put32(disk.bytes + 8188, 1);
		disk.bytes[disk.size] = 7;
		disk.size = 8192 + 124 + 4 + 32 + 9;
		disk.dead_at = disk.ops + op;
		rc = reopen(true, &fault);
		assert_true(!rc || rc == -EIO);
		assert_int_equal(mylog.store.writable, !rc);
	}
	assert_int_equal(op, 7);
	assert_int_equal(word(24), 3);
	assert_int_equal(word(8188), 2);
}

static void chunks_of_every_size_are_written_to(void **state)
{
	struct llog_fault fault;
	u32 size, got = 0;

	(void)state;
	for (size = 16384; size <= LLOG_MAX_CHUNK_SIZE; size *= 2) {
		disk_log_free(&mylog);
		memset(disk.bytes, 0, ROOM);
		llog_head_encode(disk.bytes, size, LLOG_F_IS_PLAIN, "x", 1);
		disk.size = size;
		disk_log_init(&mylog, &disk, size);
		assert_int_equal(llog_store_probe(&disk_io, &disk,
						  mylog.store.buf, &got), 0);
		assert_int_equal(got, size);
		assert_int_equal(reopen(true, &fault), 0);
		assert_int_equal(append(size - 24), 1);
		assert_int_equal(append(8), 2);
		assert_int_equal(append(size - 24), 4);
		assert_int_equal(reopen(true, &fault), 0);
		assert_null(fault.what);
		assert_int_equal(mylog.store.end, 4 * size);
	}
}

static void check_old(const struct golden *log)
{
	size_t at;

	for (at = 0; at < log->len; at++) {
		if ((at >= 24 && at < 28) || (at >= 88 && at < 96) || at == 8188)
			continue;
		assert_int_equal(disk.bytes[at], log->bytes[at]);
	}
}

static void a_log_of_real_lustre_is_appended_to_and_cancelled_from(void **state)
{
	struct llog_fault fault;
	struct golden log;
	unsigned int n;
	u32 last;

	(void)state;
	for (n = 0; n < GOLDEN_LOGS; n++) {
		log = golden_load(n);
		memset(disk.bytes, 0, ROOM);
		memcpy(disk.bytes, log.bytes, log.len);
		disk.size = log.len;
		assert_int_equal(reopen(true, &fault), 0);
		assert_null(fault.what);
		assert_memory_equal(disk.bytes, log.bytes, log.len);
		assert_int_equal(disk.size, log.len);
		last = mylog.store.head.last_index;
		assert_int_equal(append(40), last + 1);
		assert_int_equal(disk_log_cancel(&mylog, last), 0);
		check_old(&log);
		assert_int_equal(reopen(true, &fault), 0);
		assert_null(fault.what);
		assert_int_equal(mylog.store.head.count, last + 1);
		golden_free(&log);
	}
}

static void a_uuid_that_is_too_long_makes_no_log(void **state)
{
	(void)state;
	disk.size = 0;
	assert_int_equal(llog_store_create(&mylog.store,
		"0123456789012345678901234567890123456789", 7), -EINVAL);
	assert_int_equal(disk.size, 0);
}

#define CASE(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(an_append_is_laid_out_as_real_lustre_does),
		CASE(padding_fills_what_a_record_would_not_leave_room_in),
		CASE(what_does_not_fit_or_is_no_record_is_refused),
		CASE(a_full_bitmap_is_enospc),
		CASE(cancel_wants_a_live_record),
		CASE(a_log_for_reading_is_not_written_to),
		CASE(what_is_no_plain_log_of_ours_is_not_written_to),
		CASE(a_damaged_end_is_not_written_behind),
		CASE(a_damaged_middle_is_reported_and_written_behind),
		CASE(a_damaged_header_is_refused),
		CASE(only_a_file_without_a_byte_of_its_own_is_made_a_log),
		CASE(an_append_that_fails_leaves_the_log_as_it_was),
		CASE(an_append_that_cannot_be_taken_back_ends_writing),
		CASE(opening_says_that_it_cannot_repair),
		CASE(chunks_of_every_size_are_written_to),
		CASE(a_log_of_real_lustre_is_appended_to_and_cancelled_from),
		CASE(a_uuid_that_is_too_long_makes_no_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
