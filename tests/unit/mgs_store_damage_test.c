// SPDX-License-Identifier: GPL-2.0-only
/*
 * With damage that a power cut does not cause, in journal or state, the store is not opened:
 * the error has the offset, and nothing is written. Lines of mgs_changes.
 */
#include "mgs_store_fixture.h"

#include <stdio.h>
#include <stdlib.h>

#define CHANGES	4

/* Start of each entry, and the end of the last one. */
static u64 begins[CHANGES + 1];

/* CHANGES entries of the journal, which are applied to no file. */
static int setup_changes(void **state)
{
	unsigned int n;

	setup(state);
	begins[0] = MGS_JOURNAL_BEGIN;
	for (n = 0; n < CHANGES; n++) {
		assert_int_equal(set("params", "a=1"), n + 1);
		begins[n + 1] = store->ms_journal.jn_at;
	}
	close_unapplied();
	backend.ops = 0;
	assert_null(mem_find(&backend, "CONFIGS/params"));
	return 0;
}

static u8 *journal(void)
{
	return mem_find(&backend, MGS_JOURNAL_FILE)->now.bytes;
}

#define REFUSED	(~0ULL)

/* Return: generation; REFUSED if @file is damaged. */
static u64 try_open(const char *file)
{
	struct mgs_fault fault;
	u64 generation;
	int rc;

	rc = mgs_store_open(&mem_io, &backend, 7, &store, &fault);
	if (!rc) {
		assert_null(fault.what);
		generation = mgs_view_generation(mgs_now(store));
		mgs_store_close(store);
		store = NULL;
		return generation;
	}
	assert_int_equal(rc, -EBADMSG);
	assert_null(store);
	assert_string_equal(fault.name, file);
	assert_non_null(fault.what);
	return REFUSED;
}

static void every_byte_of_an_entry_before_the_last_one_counts(void **state)
{
	u64 at;

	(void)state;
	for (at = begins[0]; at < begins[CHANGES - 1]; at++) {
		journal()[at] ^= 0x41;
		assert_int_equal(try_open(MGS_JOURNAL_FILE), REFUSED);
		journal()[at] ^= 0x41;
	}
	assert_int_equal(try_open(NULL), CHANGES);
}

static void the_last_entry_is_torn_and_the_others_are_there(void **state)
{
	u64 at;

	for (at = begins[CHANGES - 1]; at < begins[CHANGES]; at += 7) {
		journal()[at] ^= 0x41;
		assert_int_equal(try_open(NULL), CHANGES - 1);
		teardown(state);
		setup_changes(state);
	}
	assert_int_equal(try_open(NULL), CHANGES);
}

static void a_journal_that_is_cut_short_has_its_first_entries(void **state)
{
	unsigned int n;
	u64 at;

	for (at = begins[0] + 1; at < begins[CHANGES]; at += 31) {
		for (n = 0; begins[n + 1] <= at; n++)
			;
		mem_find(&backend, MGS_JOURNAL_FILE)->now.size = at;
		assert_int_equal(try_open(NULL), n);
		teardown(state);
		setup_changes(state);
	}
}

static void without_any_head_the_journal_is_damaged(void **state)
{
	(void)state;
	journal()[MGS_JOURNAL_HEAD_STEP] ^= 1;
	assert_int_equal(try_open(MGS_JOURNAL_FILE), REFUSED);
	journal()[MGS_JOURNAL_HEAD_STEP] ^= 1;
	assert_int_equal(try_open(NULL), CHANGES);
}

/* The whole block of the next head. */
static void a_torn_block_of_a_head_takes_nothing_else(void **state)
{
	u64 round;

	(void)state;
	assert_true(mgs_head_decode(journal() + MGS_JOURNAL_HEAD_STEP, &round));
	memset(journal() + (round + 1) % 2 * MGS_JOURNAL_HEAD_STEP, 0x5a, 4096);
	assert_int_equal(try_open(NULL), CHANGES);
}

static void entries_of_the_round_before_are_left_overs(void **state)
{
	(void)state;
	mgs_head_encode(journal(), 2);
	assert_int_equal(try_open(NULL), 0);
}

static void an_entry_without_the_head_of_its_round_is_damage(void **state)
{
	setup(state);
	assert_int_equal(store->ms_journal.jn_round, 2);
	assert_int_equal(set("params", "a=1"), CHANGES + 1);
	close_unapplied();
	journal()[8] ^= 1;
	assert_int_equal(try_open(MGS_JOURNAL_FILE), REFUSED);
	journal()[8] ^= 1;
	assert_int_equal(try_open(NULL), CHANGES + 1);
}

static void every_byte_of_the_state_counts(void **state)
{
	struct mem_file *file;
	u64 at;

	(void)state;
	assert_int_equal(try_open(NULL), CHANGES);
	file = mem_find(&backend, MGS_STATE_FILE);
	for (at = 0; at < file->now.size; at++) {
		file->now.bytes[at] ^= 0x41;
		assert_int_equal(try_open(MGS_STATE_FILE), REFUSED);
		file->now.bytes[at] ^= 0x41;
	}
	file->now.size--;
	assert_int_equal(try_open(MGS_STATE_FILE), REFUSED);
	file->now.size = 0;
	assert_int_equal(try_open(MGS_STATE_FILE), REFUSED);
}

static void nothing_is_written_to_what_cannot_be_opened(void **state)
{
	(void)state;
	journal()[begins[CHANGES - 1] - 1] ^= 1;
	backend.ops = 0;
	assert_int_equal(try_open(MGS_JOURNAL_FILE), REFUSED);
	assert_int_equal(backend.ops, 0);
}

static void assert_changes(const char *text)
{
	struct mem_file *file = mem_find(&backend, MGS_CHANGES_FILE);

	assert_non_null(file);
	assert_int_equal(file->now.size, strlen(text));
	assert_memory_equal(file->now.bytes, text, strlen(text));
}

static void say(const struct mgs_who *who, const char *text)
{
	struct mgs_txn *txn;

	assert_int_equal(mgs_txn_begin(store, who, &txn), 0);
	assert_int_equal(mgs_append_setting(txn, "params", "a=1"), 0);
	if (text)
		assert_int_equal(mgs_txn_say(txn, text), 0);
	if (text && !strcmp(text, "one"))
		assert_int_equal(mgs_txn_say(txn, "two"), 0);
	mgs_done(txn);
}

static void each_change_has_a_line(void **state)
{
	teardown(state);
	setup(state);
	say(&(struct mgs_who){ "root", "10.0.0.1@tcp", 0 }, "first");
	say(&(struct mgs_who){ "a b", "", 951782399 }, NULL);
	say(&(struct mgs_who){ "", "x\ny", 951782400 }, "one");
	say(&(struct mgs_who){ "r", "h", 4107542400 }, "new\nline");
	say(&(struct mgs_who){ "r", "h", 1795288853 }, "v=\xc3\xa4");
	say(&(struct mgs_who){ "r", "h", ~0ULL }, "x");
	say(&(struct mgs_who){ "r", "h", 1709164800 + 86399 }, "leap");
	assert_changes("1 1970-01-01T00:00:00Z root 10.0.0.1@tcp first\n"
		       "2 2000-02-28T23:59:59Z a_b - -\n"
		       "3 2000-02-29T00:00:00Z - x_y one; two\n"
		       "4 2100-03-01T00:00:00Z r h new?line\n"
		       "5 2026-11-21T19:20:53Z r h v=\xc3\xa4\n"
		       "6 9999-12-31T23:59:59Z r h x\n"
		       "7 2024-02-29T23:59:59Z r h leap\n");
}

static void the_lines_are_bounded(void **state)
{
	struct mem_file *file;
	unsigned int n, cuts = 0;
	char text[MGS_SAY_MAX + 100];
	u64 last = 0;

	teardown(state);
	setup(state);
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (n = 0; n < 250; n++) {
		say(&(struct mgs_who){ "r", "h", n }, text);
		file = mem_find(&backend, MGS_CHANGES_FILE);
		assert_true(file->now.size <= MGS_CHANGES_MAX);
		cuts += file->now.size < last;
		last = file->now.size;
	}
	assert_true(cuts > 1);
	/* It starts with a complete line. */
	assert_true(file->now.bytes[0] >= '1' && file->now.bytes[0] <= '9');
	assert_int_equal(file->now.bytes[file->now.size - 1], '\n');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define CASE(name)	cmocka_unit_test_setup_teardown(name, setup_changes, teardown)
		CASE(every_byte_of_an_entry_before_the_last_one_counts),
		CASE(the_last_entry_is_torn_and_the_others_are_there),
		CASE(a_journal_that_is_cut_short_has_its_first_entries),
		CASE(without_any_head_the_journal_is_damaged),
		CASE(a_torn_block_of_a_head_takes_nothing_else),
		CASE(entries_of_the_round_before_are_left_overs),
		CASE(an_entry_without_the_head_of_its_round_is_damage),
		CASE(every_byte_of_the_state_counts),
		CASE(nothing_is_written_to_what_cannot_be_opened),
		CASE(each_change_has_a_line),
		CASE(the_lines_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
