// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules that come and go, while people set and parameters come and go. The
 * owners' data and the rules' is freed as soon as removing them has returned.
 *
 * CMocka's assertions are for the test's own thread: the others return an errno.
 */
#include "shim_cmocka.h"

#include <stdlib.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <shim/task.h>

#include "params/params_internal.h"
#include "params_client.h"
#include "params_subject.h"
#include "params_threads.h"

#define STRESS_MS	1000

/* Values: at start, of people, of rules, of the one rule that stays. */
#define START		8U
#define PERSON		10U
#define RULED		100U
#define STAYING		77U

static struct subject s;
static bool stop;

static int setup(void **state)
{
	return tree_setup(state) ?: subject_add(&s, "s");
}

static int teardown(void **state)
{
	subject_remove(&s);
	return tree_teardown(state);
}

/* Checked after the first round: each thread runs at least one, also if it starts late. */
static bool stopped(void)
{
	return __atomic_load_n(&stop, __ATOMIC_RELAXED);
}

static bool any_path(const char *path, void *data)
{
	unsigned int *asked = data;

	__atomic_fetch_add(asked, 1, __ATOMIC_RELAXED);
	return *path;
}

static long rules(void *pattern)
{
	long cycles = 0;

	do {
		unsigned int *asked = calloc(1, sizeof(*asked));
		struct params_rule_spec spec = { pattern, "100", any_path, asked };
		struct params_rule *rule = params_rule_add(&spec, NULL);

		if (IS_ERR(rule))
			return PTR_ERR(rule);
		params_rule_del(rule);
		free(asked);
		cycles++;
	} while (!stopped());
	return cycles;
}

static long writes(void *path)
{
	struct client own;
	long count = 0;
	long rc = 0;

	client_open(&own, 4096);
	do {
		rc = client_set(&own, path, count % 2 ? "10" : "11");
		count++;
	} while (!stopped() && !rc);
	client_close(&own);
	return rc ?: count;
}

static const struct lustre_params_attr churn_attrs[] = {
	LP_U32_FIELD("u32", struct subject, field),
};

/* A directory of its own is made, shown and removed, again and again. */
static long churn(void *name)
{
	long cycles = 0;

	do {
		struct subject *own = calloc(1, sizeof(*own));
		struct lustre_params_entry *dir;
		u32 value;
		int rc;

		own->field = START;
		dir = params_add_dir_hidden(NULL, name, NULL);
		rc = PTR_ERR_OR_ZERO(dir);
		if (!rc)
			rc = params_add_attrs(dir, churn_attrs, 1, own);
		if (!rc)
			rc = params_publish(dir);
		/* No rule is older than the one that stays, and each may go. */
		value = READ_ONCE(own->field);
		if (!rc && value != STAYING && value != RULED)
			rc = -EILSEQ;
		params_remove(dir);
		free(own);
		if (rc)
			return rc;
		cycles++;
	} while (!stopped());
	return cycles;
}

struct racer {
	long	(*fn)(void *arg);
	char	*arg;
};

static void race(const struct racer *racers, size_t count)
{
	struct aside asides[8];
	size_t n;

	assert_true(count <= ARRAY_SIZE(asides));
	__atomic_store_n(&stop, false, __ATOMIC_RELAXED);
	for (n = 0; n < count; n++)
		aside_start(&asides[n], racers[n].fn, racers[n].arg);
	sleep_ms(STRESS_MS);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (n = 0; n < count; n++) {
		long done = aside_join(&asides[n]);

		print_message("%s: %ld\n", racers[n].arg, done);
		assert_true(done > 0);
	}
}

static void rules_against_people(void **state)
{
	static const struct racer racers[] = {
		{ rules, "s.u32" }, { rules, "?.*32" }, { writes, "s/u32" },
	};

	race(racers, ARRAY_SIZE(racers));
	/* A value that no rule gave. */
	assert_true(s.u32 < RULED);
}

static void rules_against_what_appears(void **state)
{
	static const struct racer racers[] = {
		{ rules, "*.u32" }, { rules, "a.*" }, { rules, "s.s32" },
		{ churn, "a" }, { churn, "b" },
	};
	struct params_rule_spec spec = { .pattern = "*.u32", .value = "77" };
	struct params_rule *rule = params_rule_add(&spec, NULL);

	assert_false(IS_ERR(rule));
	race(racers, ARRAY_SIZE(racers));
	assert_int_equal(s.u32, STAYING);
	params_rule_del(rule);
	assert_int_equal(s.u32, START);
	assert_int_equal(s.s32, -5);
}

int main(void)
{
#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(rules_against_people),
		TEST(rules_against_what_appears),
	};

	return cmocka_run_group_tests_name("params_rule_tsan", tests, NULL, NULL);
}
