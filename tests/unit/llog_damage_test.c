// SPDX-License-Identifier: GPL-2.0-only
/*
 * llog: damaged logs. With any damage, each byte is accounted for, and intact records are
 * found.
 */
#include "shim_cmocka.h"

#include <stdlib.h>

#include "llog_golden.h"

#define RECORDS_MAX	64

/**
 * struct found - what a walk came upon
 * @offset: of each record
 * @index: of each record
 * @records: how many
 * @faults: how many faults
 * @first: the first of them
 * @lost: bytes that were skipped
 */
struct found {
	u64			offset[RECORDS_MAX];
	u32			index[RECORDS_MAX];
	u32			records;
	u32			faults;
	struct llog_fault	first;
	u64			lost;
};

static void note(const struct llog_record *rec, const struct llog_fault *fault,
		 void *data)
{
	struct found *found = data;

	if (rec) {
		assert_true(found->records < RECORDS_MAX);
		found->offset[found->records] = rec->offset;
		found->index[found->records++] = rec->index;
		return;
	}
	if (!found->faults++)
		found->first = *fault;
	found->lost += fault->lost;
}

static void look(const u8 *bytes, size_t len, struct found *found)
{
	struct llog_fault fault;
	struct llog_head head;

	memset(found, 0, sizeof(*found));
	if (llog_head_decode(bytes, len, &head, &fault)) {
		assert_non_null(fault.what);
		found->faults = 1;
		found->first = fault;
		return;
	}
	golden_walk(&head, bytes, len, note, found);
}

/* Where record number @n of the whole log begins; its end for one too many. */
static u64 begins(const struct found *whole, u32 n, size_t len)
{
	return n < whole->records ? whole->offset[n] : len;
}

static void a_log_cut_anywhere_gives_its_whole_records(void **state)
{
	struct found whole, found;
	struct golden log;
	unsigned int n;
	size_t len;
	u32 want;
	u8 *cut;

	(void)state;
	for (n = 0; n < GOLDEN_LOGS; n++) {
		log = golden_load(n);
		look(log.bytes, log.len, &whole);
		for (want = 0, len = 0; len < log.len; len++) {
			cut = malloc(len ? len : 1);
			memcpy(cut, log.bytes, len);
			look(cut, len, &found);
			if (len > LLOG_MIN_CHUNK_SIZE &&
			    len == begins(&whole, want + 1, log.len))
				want++;
			assert_int_equal(found.records, want);
			if (len < LLOG_MIN_CHUNK_SIZE)
				assert_int_equal(found.faults, 1);
			else
				assert_int_equal(found.lost, len -
						 begins(&whole, want, log.len));
			free(cut);
		}
		golden_free(&log);
	}
}

/* Every record but number @hit is found; that one too, or a fault is in it. */
static void check_others(const struct found *whole, const struct found *found,
			 u32 hit, size_t len)
{
	u32 n, at = 0;

	for (n = 0; n < whole->records; n++) {
		if (at < found->records && found->offset[at] == whole->offset[n]) {
			assert_int_equal(found->index[at], whole->index[n]);
			at++;
			continue;
		}
		assert_int_equal(n, hit);
		assert_true(found->faults);
		assert_true(found->first.offset >= whole->offset[n]);
		assert_true(found->first.offset < begins(whole, n + 1, len));
		assert_int_equal(found->first.index, whole->index[n]);
		assert_int_equal(found->lost, begins(whole, n + 1, len) -
				 whole->offset[n]);
	}
	assert_int_equal(at, found->records);
}

static void flip_each_byte(unsigned int n, u8 mask)
{
	struct found whole, found;
	struct golden log = golden_load(n);
	u32 hit = 0;
	size_t at;

	look(log.bytes, log.len, &whole);
	for (at = 0; at < log.len; at++) {
		log.bytes[at] ^= mask;
		look(log.bytes, log.len, &found);
		if (at >= LLOG_MIN_CHUNK_SIZE) {
			if (at >= begins(&whole, hit + 1, log.len))
				hit++;
			check_others(&whole, &found, hit, log.len);
		} else if (at >= LLOG_HEADER_SIZE &&
			   at < LLOG_MIN_CHUNK_SIZE - 8) {
			assert_int_equal(found.records, whole.records);
		}
		log.bytes[at] ^= mask;
	}
	golden_free(&log);
}

static void any_byte_that_is_wrong_costs_its_own_record_only(void **state)
{
	unsigned int n;

	(void)state;
	for (n = 0; n < GOLDEN_LOGS; n++) {
		flip_each_byte(n, 0xff);
		flip_each_byte(n, 0x01);
		flip_each_byte(n, 0x80);
	}
}

/* Fields of record 5 of a log, at @at from its head or, below 0, its end. */
static const struct damage {
	int		at;
	u32		value;
	u32		offset;
	const char	*what;
} damages[] = {
	{ 0, 16, 0, "shorter than a record can be" },
	{ 0, 0, 0, "shorter than a record can be" },
	{ 0, 100, 0, "the length is not a multiple of 8" },
	{ 0, 8192, 0, "the record crosses the end of its chunk" },
	{ 0, 0xfffffff8, 0, "the record crosses the end of its chunk" },
	{ 0, 7000, 0, "the file ends inside the record" },
	{ 0, 32, 0, "the tail's length is not the head's" },
	{ 4, 6, 0, "the tail's index is not the head's" },
	{ -4, 6, 0, "the tail's index is not the head's" },
	{ -8, 24, 0, "the tail's length is not the head's" },
	{ 8, 0, 8, "no record" },
	{ 8, 0x10500000, 8, "not the type of a record" },
};

static void each_damage_of_a_record_is_named_and_located(void **state)
{
	struct found whole, found;
	struct golden log = golden_load(0);
	u64 begin, end;
	size_t n;
	u8 saved[4];

	(void)state;
	look(log.bytes, log.len, &whole);
	begin = whole.offset[4];
	end = whole.offset[5];
	for (n = 0; n < ARRAY_SIZE(damages); n++) {
		const struct damage *d = &damages[n];
		u8 *at = log.bytes + (d->at < 0 ? end : begin) + d->at;

		memcpy(saved, at, 4);
		codec_put32(at, d->value);
		look(log.bytes, log.len, &found);
		assert_string_equal(found.first.what, d->what);
		assert_int_equal(found.first.offset, begin + d->offset);
		assert_int_equal(found.first.index, 5);
		assert_int_equal(found.first.lost, end - begin);
		assert_int_equal(found.faults, 1);
		assert_int_equal(found.records, whole.records - 1);
		memcpy(at, saved, 4);
	}
	golden_free(&log);
}

static u8 *made;
static size_t made_len;

static void add(u32 index, size_t body_len)
{
	int rc = llog_record_encode(made + made_len, 4 * 8192 - made_len,
				    OBD_CFG_REC, index, NULL, body_len);

	assert_true(rc > 0);
	made_len += (size_t)rc;
}

/* A log of 8 KiB chunks, all bits up to @last set. */
static void make(u32 last)
{
	u32 n;

	memset(made, 0, 4 * 8192);
	llog_head_encode(made, 8192, LLOG_F_IS_PLAIN, "x", 1);
	for (n = 1; n <= last; n++)
		made[LLOG_HEADER_SIZE + n / 8] |= (u8)(1U << (n % 8));
	codec_put32(made + 24, last + 1);
	codec_put32(made + 8188, last);
	made_len = 8192;
}

static int make_setup(void **state)
{
	(void)state;
	made = malloc(4 * 8192);
	return made ? 0 : -1;
}

static int make_teardown(void **state)
{
	(void)state;
	free(made);
	made = NULL;
	return 0;
}

static void missing_indexes_are_a_fault_that_loses_nothing(void **state)
{
	struct found found;

	(void)state;
	make(5);
	add(1, 8);
	add(4, 8);
	add(5, 8);
	look(made, made_len, &found);
	assert_int_equal(found.records, 3);
	assert_int_equal(found.faults, 1);
	assert_string_equal(found.first.what,
			    "records are missing before this one");
	assert_int_equal(found.first.seen, 4);
	assert_int_equal(found.first.want, 2);
	assert_int_equal(found.first.index, 4);
	assert_int_equal(found.first.lost, 0);
}

static void an_index_that_goes_back_is_no_record(void **state)
{
	struct found found;

	(void)state;
	make(5);
	add(1, 8);
	add(2, 8);
	add(2, 8);
	add(3, 8);
	look(made, made_len, &found);
	assert_int_equal(found.records, 3);
	assert_int_equal(found.faults, 1);
	assert_string_equal(found.first.what, "the index goes back");
	assert_int_equal(found.first.lost, 32);
	assert_int_equal(found.index[2], 3);
}

static void an_append_that_was_cut_is_told_from_a_record(void **state)
{
	struct found found;

	(void)state;
	make(2);
	add(1, 8);
	add(2, 8);
	add(3, 8);
	look(made, made_len, &found);
	assert_int_equal(found.records, 2);
	assert_int_equal(found.faults, 1);
	assert_string_equal(found.first.what,
			    "a record beyond the last index of the header, an interrupted append");
	assert_int_equal(found.first.seen, 3);
	assert_int_equal(found.first.want, 2);
	/* Its bit counts more than the tail of the header. */
	made[LLOG_HEADER_SIZE] |= 8;
	look(made, made_len, &found);
	assert_int_equal(found.records, 3);
	assert_int_equal(found.faults, 0);
}

static void an_index_beyond_the_bitmap_is_no_record(void **state)
{
	struct found found;

	(void)state;
	make(2);
	add(1, 8);
	add(64768, 8);
	look(made, made_len, &found);
	assert_int_equal(found.records, 1);
	assert_string_equal(found.first.what,
			    "the bitmap has no bit of that index");
	assert_int_equal(found.first.seen, 64768);
}

/* Zeros in the middle: one fault, and the search ends at the next record. */
static void a_hole_is_one_fault(void **state)
{
	struct found found;

	(void)state;
	make(4);
	add(1, 8);
	add(2, 200);
	add(3, 8);
	add(4, 8);
	memset(made + 8192 + 32, 0, 224 + 32);
	look(made, made_len, &found);
	assert_int_equal(found.records, 2);
	assert_int_equal(found.index[1], 4);
	assert_int_equal(found.faults, 1);
	assert_string_equal(found.first.what, "no record");
	assert_int_equal(found.first.lost, 224 + 32);
}

/*
 * The body of a record that is lost looks like a record itself: its index does not match its
 * position, and it is skipped for the one that does.
 */
static void what_only_looks_like_a_record_is_passed_over(void **state)
{
	struct found found;

	(void)state;
	make(4);
	add(1, 8);
	add(2, 400);
	assert_int_equal(llog_record_encode(made + 8192 + 32 + 16 + 8, 32,
					    OBD_CFG_REC, 40, NULL, 8), 32);
	add(3, 8);
	add(4, 8);
	codec_put32(made + 8192 + 32, 12);
	look(made, made_len, &found);
	assert_int_equal(found.records, 3);
	assert_int_equal(found.index[1], 3);
	assert_int_equal(found.faults, 1);
	assert_int_equal(found.first.lost, llog_record_size(400));
}

static void a_lost_end_of_a_chunk_does_not_make_the_next_one_suspect(void **state)
{
	struct found found;

	(void)state;
	make(3);
	add(1, 8);
	add(2, 8192 - 32 - 24);
	assert_int_equal(made_len, 2 * 8192);
	add(3, 8);
	made[8192 + 32] = 1;
	look(made, made_len, &found);
	assert_int_equal(found.records, 2);
	assert_int_equal(found.index[1], 3);
	assert_int_equal(found.faults, 1);
	assert_int_equal(found.first.lost, 8192 - 32);
}

static void a_chunk_given_again_is_read_on(void **state)
{
	struct llog_record rec;
	struct llog_fault fault;
	struct llog_head head;
	struct llog_walk walk;

	(void)state;
	make(3);
	add(1, 8);
	add(2, 8);
	assert_int_equal(llog_head_decode(made, 8192, &head, &fault), 0);
	llog_walk_init(&walk, &head);
	llog_walk_chunk(&walk, made + 8192, 32, 8192);
	assert_int_equal(llog_walk_next(&walk, &rec, &fault), LLOG_STEP_RECORD);
	assert_int_equal(llog_walk_next(&walk, &rec, &fault), LLOG_STEP_END);
	llog_walk_chunk(&walk, made + 8192, 64, 8192);
	assert_int_equal(llog_walk_next(&walk, &rec, &fault), LLOG_STEP_RECORD);
	assert_int_equal(rec.index, 2);
	assert_int_equal(llog_walk_next(&walk, &rec, &fault), LLOG_STEP_END);
	add(3, 8192 - 64 - 24);
	llog_walk_chunk(&walk, made + 8192, 8192, 8192);
	assert_int_equal(llog_walk_next(&walk, &rec, &fault), LLOG_STEP_RECORD);
	assert_int_equal(rec.index, 3);
	llog_walk_chunk(&walk, made + 2 * 8192, 0, 2 * 8192);
	assert_int_equal(llog_walk_next(&walk, &rec, &fault), LLOG_STEP_END);
	assert_int_equal(walk.at, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_log_cut_anywhere_gives_its_whole_records),
		cmocka_unit_test(any_byte_that_is_wrong_costs_its_own_record_only),
		cmocka_unit_test(each_damage_of_a_record_is_named_and_located),
		cmocka_unit_test(missing_indexes_are_a_fault_that_loses_nothing),
		cmocka_unit_test(an_index_that_goes_back_is_no_record),
		cmocka_unit_test(an_append_that_was_cut_is_told_from_a_record),
		cmocka_unit_test(an_index_beyond_the_bitmap_is_no_record),
		cmocka_unit_test(a_hole_is_one_fault),
		cmocka_unit_test(what_only_looks_like_a_record_is_passed_over),
		cmocka_unit_test(a_lost_end_of_a_chunk_does_not_make_the_next_one_suspect),
		cmocka_unit_test(a_chunk_given_again_is_read_on),
	};

	return cmocka_run_group_tests(tests, make_setup, make_teardown);
}
