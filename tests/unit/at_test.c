// SPDX-License-Identifier: GPL-2.0-only
/*
 * Adaptive timeouts: remembered service times, when they expire, and the resulting
 * timeouts.
 */
#include "shim_cmocka.h"

#include <lustre_lite/at.h>

static const struct at_settings usual = {
	.min = 0, .max = 600, .history = 600, .timeout = 100,
};

static void without_a_measurement_the_first_estimate_holds(void **state)
{
	struct adaptive_timeout at;

	(void)state;
	at_init(&at, 7, 1000);
	assert_int_equal(at_get(&at, &usual), 7);
	assert_int_equal(at.at_worst, 7);
	assert_int_equal(at.at_worst_time, 1000);
	assert_int_equal(at_measured(&at, &usual, 0, 2000), 7);
	assert_int_equal(at_get(&at, &usual), 7);
	assert_int_equal(at.at_bin_start, 0);
}

static void the_first_measurement_replaces_the_estimate(void **state)
{
	struct adaptive_timeout at;

	(void)state;
	at_init(&at, 30, 1000);
	assert_int_equal(at_measured(&at, &usual, 2, 1001), 30);
	assert_int_equal(at_get(&at, &usual), 2);
	assert_int_equal(at.at_worst, 30);
}

static void the_worst_of_a_bin_counts(void **state)
{
	struct adaptive_timeout at;

	(void)state;
	at_init(&at, 0, 1000);
	at_measured(&at, &usual, 3, 1000);
	assert_int_equal(at_measured(&at, &usual, 9, 1010), 3);
	assert_int_equal(at_measured(&at, &usual, 4, 1020), 9);
	assert_int_equal(at_get(&at, &usual), 9);
	assert_int_equal(at.at_worst, 9);
	assert_int_equal(at.at_worst_time, 1010);
	assert_int_equal(at.at_hist[0], 9);
	assert_int_equal(at.at_hist[1], 0);
}

/* Four bins of 150 s: a time measured at 1000 is dropped at 1600. */
static void a_worst_time_is_forgotten_with_its_bin(void **state)
{
	struct adaptive_timeout at;
	u64 now;

	(void)state;
	at_init(&at, 0, 1000);
	at_measured(&at, &usual, 50, 1000);
	for (now = 1001; now < 1600; now++) {
		at_measured(&at, &usual, 2, now);
		assert_int_equal(at_get(&at, &usual), 50);
	}
	at_measured(&at, &usual, 2, 1600);
	assert_int_equal(at_get(&at, &usual), 2);
	assert_int_equal(at.at_worst, 50);
	assert_int_equal(at.at_worst_time, 1000);
}

static void bins_move_on_by_as_many_as_have_passed(void **state)
{
	struct adaptive_timeout at;

	(void)state;
	at_init(&at, 0, 1000);
	at_measured(&at, &usual, 8, 1000);
	at_measured(&at, &usual, 6, 1150);
	at_measured(&at, &usual, 4, 1459);
	assert_int_equal(at.at_hist[0], 4);
	assert_int_equal(at.at_hist[1], 0);
	assert_int_equal(at.at_hist[2], 6);
	assert_int_equal(at.at_hist[3], 8);
	assert_int_equal(at.at_bin_start, 1450);
	at_measured(&at, &usual, 1, 1600);
	assert_int_equal(at_get(&at, &usual), 6);
	assert_int_equal(at.at_bin_start, 1600);
}

static void a_long_silence_forgets_all(void **state)
{
	struct adaptive_timeout at;

	(void)state;
	at_init(&at, 0, 1000);
	at_measured(&at, &usual, 500, 1000);
	at_measured(&at, &usual, 1, 1000000000000ULL);
	assert_int_equal(at_get(&at, &usual), 1);
	assert_int_equal(at.at_bin_start, 1000000000000ULL);
	assert_int_equal(at.at_hist[1] | at.at_hist[2] | at.at_hist[3], 0);
}

static void a_clock_that_stands_or_goes_back_is_no_harm(void **state)
{
	struct adaptive_timeout at;

	(void)state;
	at_init(&at, 0, 1000);
	at_measured(&at, &usual, 5, 1000);
	at_measured(&at, &usual, 3, 1000);
	at_measured(&at, &usual, 4, 900);
	assert_int_equal(at_get(&at, &usual), 5);
	assert_int_equal(at.at_bin_start, 1000);
}

static void a_change_of_history_counts_from_the_next_measurement(void **state)
{
	struct at_settings set = usual;
	struct adaptive_timeout at;

	(void)state;
	at_init(&at, 0, 1000);
	at_measured(&at, &set, 40, 1000);
	at_measured(&at, &set, 2, 1100);
	assert_int_equal(at_get(&at, &set), 40);
	/* Bins of 10 s: 100 s are more than all four. */
	set.history = 40;
	at_measured(&at, &set, 2, 1100);
	assert_int_equal(at_get(&at, &set), 2);
	/* Longer bins: no time is dropped early. */
	set.history = 4000;
	at_measured(&at, &set, 30, 1101);
	at_measured(&at, &set, 2, 4900);
	assert_int_equal(at_get(&at, &set), 30);
	/* Less than a second for each bin is a second. */
	set.history = 1;
	at_measured(&at, &set, 3, 5000);
	at_measured(&at, &set, 2, 5003);
	assert_int_equal(at_get(&at, &set), 3);
	at_measured(&at, &set, 2, 5004);
	assert_int_equal(at_get(&at, &set), 2);
}

static void an_estimate_has_bounds(void **state)
{
	struct at_settings set = { .min = 5, .max = 60, .history = 600 };
	struct adaptive_timeout at;

	(void)state;
	at_init(&at, 0, 1000);
	assert_int_equal(at_get(&at, &set), 5);
	at_measured(&at, &set, 1, 1000);
	assert_int_equal(at_get(&at, &set), 5);
	at_measured(&at, &set, 1000, 1001);
	assert_int_equal(at_get(&at, &set), 60);
	assert_int_equal(at.at_worst, 1000);
	/* The bound is that of the node as it is now. */
	set.max = 20;
	assert_int_equal(at_get(&at, &set), 20);
	set.min = 30;
	assert_int_equal(at_get(&at, &set), 30);
}

static void a_timeout_is_the_estimate_a_quarter_and_five(void **state)
{
	static const struct {
		u32 estimate;
		u32 timeout;
	} cases[] = {
		{ 0, 5 }, { 1, 6 }, { 3, 8 }, { 4, 10 }, { 5, 11 }, { 8, 15 },
		{ 20, 30 }, { 100, 130 }, { 600, 755 },
		{ 0xffffffff, 0xffffffff },
	};
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(cases); n++)
		assert_int_equal(at_est2timeout(cases[n].estimate),
				 cases[n].timeout);
}

static void a_request_waits_for_service_and_network(void **state)
{
	struct at_settings set = usual;

	(void)state;
	assert_int_equal(at_request_timeout(&set, 20, 3), 33);
	assert_int_equal(at_request_timeout(&set, 0, 0), 5);
	assert_int_equal(at_request_timeout(&set, 0xffffffff, 10), 0xffffffff);
	set.max = 0;
	assert_int_equal(at_request_timeout(&set, 20, 3), 100);
	set.timeout = 7;
	assert_int_equal(at_request_timeout(&set, 500, 500), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_measurement_the_first_estimate_holds),
		cmocka_unit_test(the_first_measurement_replaces_the_estimate),
		cmocka_unit_test(the_worst_of_a_bin_counts),
		cmocka_unit_test(a_worst_time_is_forgotten_with_its_bin),
		cmocka_unit_test(bins_move_on_by_as_many_as_have_passed),
		cmocka_unit_test(a_long_silence_forgets_all),
		cmocka_unit_test(a_clock_that_stands_or_goes_back_is_no_harm),
		cmocka_unit_test(a_change_of_history_counts_from_the_next_measurement),
		cmocka_unit_test(an_estimate_has_bounds),
		cmocka_unit_test(a_timeout_is_the_estimate_a_quarter_and_five),
		cmocka_unit_test(a_request_waits_for_service_and_network),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
