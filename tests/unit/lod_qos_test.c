// SPDX-License-Identifier: GPL-2.0-only
/* Choice of targets by free space: the distribution of many files, and real Lustre's formulas. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "lod_qos.h"

#define TARGETS		8
#define FILES		10000
#define GIB		(1ULL << 30)
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Free space of unequal targets, GiB; two targets a server. */
static const u64 spaces[TARGETS] = { 100, 200, 300, 400, 500, 800, 1000, 4000 };

static struct volume {
	struct lod_qos		qos;
	struct qos_target	target[TARGETS];
	struct qos_target	*list[TARGETS];
} vol;

static void volume_init(u32 prio_free)
{
	u32 n;

	memset(&vol, 0, sizeof(vol));
	vol.qos.threshold = QOS_THRESHOLD;
	vol.qos.prio_free = prio_free;
	vol.qos.maxage = 5;
	for (n = 0; n < TARGETS; n++) {
		vol.target[n].space = spaces[n] * GIB >> 8;
		vol.target[n].server = n / 2;
		vol.list[n] = &vol.target[n];
	}
}

static void all_usable(void)
{
	u32 n;

	for (n = 0; n < TARGETS; n++)
		vol.target[n].usable = true;
}

/* xorshift64: the same numbers in each run. */
static u64 next_random(void)
{
	static u64 state = 88172645463325252ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static u64 sum_of_spaces(void)
{
	u64 sum = 0;
	u32 n;

	for (n = 0; n < TARGETS; n++)
		sum += spaces[n];
	return sum;
}

/* Place FILES files of one stripe. */
static void place(u32 *counts)
{
	u32 n, drawn;

	memset(counts, 0, TARGETS * sizeof(*counts));
	for (n = 0; n < FILES; n++) {
		all_usable();
		assert_true(qos_prepare(&vol.qos, vol.list, TARGETS, 1000));
		drawn = qos_draw(&vol.qos, vol.list, TARGETS, next_random(), 1000);
		assert_in_range(drawn, 0, TARGETS - 1);
		counts[drawn]++;
	}
}

/* The difference of two numbers. */
static u64 apart(u64 a, u64 b)
{
	return a > b ? a - b : b - a;
}

static void without_penalties_the_space_decides(void **state)
{
	u32 counts[TARGETS], n;
	u64 expected;

	(void)state;
	volume_init(QOS_WHOLE);
	place(counts);
	for (n = 0; n < TARGETS; n++) {
		expected = FILES * spaces[n] / sum_of_spaces();
		/* 4 standard deviations and more: at most sqrt(expected) each. */
		assert_true(apart(counts[n], expected) * apart(counts[n], expected) <=
			    16 * expected + 16);
	}
}

static void penalties_leave_the_order(void **state)
{
	u32 counts[TARGETS], n;
	u64 expected;

	(void)state;
	volume_init(QOS_PRIO_FREE);
	place(counts);
	for (n = 0; n < TARGETS; n++) {
		expected = FILES * spaces[n] / sum_of_spaces();
		if (n && spaces[n] >= 2 * spaces[n - 1])
			assert_true(counts[n] > counts[n - 1]);
		assert_true(apart(counts[n], expected) <= expected / 2 + 100);
	}
}

/* The formulas of real Lustre once more, as plainly as they can be written. */
struct plain {
	u64	space[TARGETS];
	u64	pen[TARGETS];
	u64	per[TARGETS];
	u64	server_pen[TARGETS / 2];
	u64	server_per[TARGETS / 2];
};

static u64 minus(u64 a, u64 b)
{
	return a < b ? 0 : a - b;
}

static void plain_prepare(struct plain *p)
{
	const u64 wide = 256 - QOS_PRIO_FREE;
	u32 n;

	for (n = 0; n < TARGETS; n++)
		p->per[n] = (wide * p->space[n] / 512) / (TARGETS - 1);
	for (n = 0; n < TARGETS / 2; n++)
		p->server_per[n] = wide * (p->space[2 * n] + p->space[2 * n + 1]) / 256 /
				   (2 * (TARGETS / 2 - 1)) / 2;
}

static u32 plain_draw(struct plain *p, u64 random)
{
	u64 weight[TARGETS], sum = 0, at = 0;
	u32 n, drawn = TARGETS;

	for (n = 0; n < TARGETS; n++) {
		weight[n] = minus(p->space[n], p->pen[n] + p->server_pen[n / 2]);
		sum += weight[n];
	}
	random %= sum;
	for (n = 0; n < TARGETS && drawn == TARGETS; n++) {
		at += weight[n];
		if (random < at)
			drawn = n;
	}
	p->pen[drawn] = p->pen[drawn] / 2 + p->per[drawn] * TARGETS;
	p->server_pen[drawn / 2] = p->server_pen[drawn / 2] / 2 +
				   p->server_per[drawn / 2] * (TARGETS / 2);
	for (n = 0; n < TARGETS; n++)
		p->pen[n] = minus(p->pen[n], p->per[n]);
	for (n = 0; n < TARGETS / 2; n++)
		p->server_pen[n] = minus(p->server_pen[n], p->server_per[n]);
	return drawn;
}

static void each_choice_follows_the_formulas(void **state)
{
	struct plain plain = {};
	u64 random;
	u32 n;

	(void)state;
	volume_init(QOS_PRIO_FREE);
	for (n = 0; n < TARGETS; n++)
		plain.space[n] = vol.target[n].space;
	plain_prepare(&plain);
	for (n = 0; n < FILES; n++) {
		random = next_random();
		all_usable();
		assert_true(qos_prepare(&vol.qos, vol.list, TARGETS, 1000));
		assert_int_equal(qos_draw(&vol.qos, vol.list, TARGETS, random, 1000),
				 plain_draw(&plain, random));
	}
}

static void a_file_has_each_target_once(void **state)
{
	u32 n, drawn, seen = 0;

	(void)state;
	volume_init(QOS_PRIO_FREE);
	all_usable();
	assert_true(qos_prepare(&vol.qos, vol.list, TARGETS, 0));
	for (n = 0; n < TARGETS; n++) {
		drawn = qos_draw(&vol.qos, vol.list, TARGETS, next_random(), 0);
		assert_in_range(drawn, 0, TARGETS - 1);
		assert_false(seen & 1U << drawn);
		seen |= 1U << drawn;
	}
	assert_int_equal(qos_draw(&vol.qos, vol.list, TARGETS, next_random(), 0), TARGETS);
}

static void equal_targets_are_used_in_turn(void **state)
{
	static const struct {
		u64	space;		/* of all but the first */
		u32	threshold;
		bool	weighted;
	} table[] = {
		{ 100, QOS_THRESHOLD, false },
		{ 90, QOS_THRESHOLD, false },
		{ 80, QOS_THRESHOLD, true },
		{ 80, QOS_WHOLE, false },
		{ 100, 0, true },
	};
	size_t n;
	u32 i;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(table); n++) {
		volume_init(QOS_PRIO_FREE);
		vol.qos.threshold = table[n].threshold;
		for (i = 0; i < TARGETS; i++)
			vol.target[i].space = (i ? table[n].space : 100) * GIB >> 8;
		vol.target[0].cost.penalty = 1;
		assert_int_equal(qos_prepare(&vol.qos, vol.list, TARGETS, 0), table[n].weighted);
		if (!table[n].weighted)
			assert_int_equal(vol.target[0].cost.penalty, 0);
		assert_false(qos_prepare(&vol.qos, vol.list, 1, 0));
	}
}

static void penalties_fall_with_time(void **state)
{
	static const struct {
		u64	age;		/* of a penalty of 1024 */
		u64	left;
	} table[] = {
		{ 0, 1024 }, { 47, 1024 }, { 48, 512 }, { 80, 256 }, { 8 * 32 * 5 + 8, 0 },
	};
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(table); n++) {
		volume_init(QOS_PRIO_FREE);
		vol.target[0].cost.penalty = 1024;
		vol.target[0].cost.used = 1000;
		assert_true(qos_prepare(&vol.qos, vol.list, TARGETS, 1000 + table[n].age));
		assert_int_equal(vol.target[0].cost.penalty, table[n].left);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_penalties_the_space_decides),
		cmocka_unit_test(penalties_leave_the_order),
		cmocka_unit_test(each_choice_follows_the_formulas),
		cmocka_unit_test(a_file_has_each_target_once),
		cmocka_unit_test(equal_targets_are_used_in_turn),
		cmocka_unit_test(penalties_fall_with_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
