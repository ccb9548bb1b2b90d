// SPDX-License-Identifier: GPL-2.0-only
/* Targets in turn: each is equally often the first one of a file, and is used equally often. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "lod_qos.h"

#define MAX		8
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Each target of @nr is as often the first one, and as often used, within @rounds of all. */
static void expect_even(u32 nr, u32 stripes)
{
	u32 first[MAX] = {}, used[MAX] = {}, files = nr * nr * stripes, file, n;
	struct lod_turn turn = {};

	for (file = 0; file < files; file++) {
		u32 at = lod_turn_begin(&turn, nr, stripes);

		assert_true(at < nr);
		first[at]++;
		for (n = 0; n < stripes; n++)
			used[(at + n) % nr]++;
		lod_turn_end(&turn, stripes, stripes);
	}
	for (n = 0; n < nr; n++) {
		assert_in_range(first[n], files / nr - 1, files / nr + 1);
		assert_in_range(used[n], files * stripes / nr - stripes,
				files * stripes / nr + stripes);
	}
}

static void each_target_is_first_equally_often(void **state)
{
	u32 nr, stripes;

	(void)state;
	for (nr = 1; nr <= MAX; nr++)
		for (stripes = 1; stripes <= nr; stripes++)
			expect_even(nr, stripes);
}

static void the_next_round_starts_one_later(void **state)
{
	static const struct {
		u32	nr;
		u32	stripes;
		u32	first[5];
	} table[] = {
		{ 4, 1, { 0, 1, 2, 3, 0 } },
		{ 4, 4, { 0, 1, 2, 3, 0 } },
		{ 4, 2, { 0, 2, 1, 3, 2 } },
		{ 4, 3, { 0, 3, 2, 1, 0 } },
	};
	size_t n, file;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(table); n++) {
		struct lod_turn turn = {};

		for (file = 0; file < ARRAY_SIZE(table[n].first); file++)
			assert_int_equal(lod_turn_begin(&turn, table[n].nr, table[n].stripes),
					 table[n].first[file]);
	}
}

/* One that cannot be used has its turn, too. */
static void a_target_that_is_skipped_had_its_turn(void **state)
{
	struct lod_turn turn = {};

	(void)state;
	assert_int_equal(lod_turn_begin(&turn, 4, 1), 0);
	lod_turn_end(&turn, 1, 2);
	assert_int_equal(lod_turn_begin(&turn, 4, 1), 2);
}

/* Fewer targets than before. */
static void a_start_beyond_the_targets_wraps(void **state)
{
	struct lod_turn turn = { .start = 7, .offset = 6 };

	(void)state;
	assert_int_equal(lod_turn_begin(&turn, 3, 1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_target_is_first_equally_often),
		cmocka_unit_test(the_next_round_starts_one_later),
		cmocka_unit_test(a_target_that_is_skipped_had_its_turn),
		cmocka_unit_test(a_start_beyond_the_targets_wraps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
