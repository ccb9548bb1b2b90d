// SPDX-License-Identifier: GPL-2.0-only
/*
 * What rules cost those who add parameters that no rule is for, and what they
 * cost where they match. The bound is generous, for a machine that does other
 * things too; the figures are printed.
 *
 * Every: 4
 */
#include <linux/ktime.h>

#include "fixture.h"

#define DIRS		100U
#define ATTRS		36U	/* for each */
#define RULES		100U
#define ROUNDS		3U
/* Number of repetitions of a measurement that seems too slow. */
#define TRIES		5U

static char names[ATTRS][16];
static struct lustre_params_attr attrs[ATTRS];
static struct params_rule *rules[RULES];
static u32 values[DIRS][ATTRS];

static void declare(void)
{
	unsigned int i;

	for (i = 0; i < ATTRS; i++) {
		snprintf(names[i], sizeof(names[i]), "parameter_%02u", i);
		attrs[i] = (struct lustre_params_attr){
			.name = names[i], .type = PARAMS_T_U32, .mode = 0644,
			.field = 1, .offset = i * sizeof(u32),
		};
	}
}

static int add_rules(unsigned int count, const char *pattern)
{
	char text[64];
	struct params_rule_spec spec = { .pattern = text, .value = "7" };
	unsigned int i;

	for (i = 0; i < count; i++) {
		snprintf(text, sizeof(text), pattern, i);
		rules[i] = params_rule_add(&spec, NULL);
		if (IS_ERR(rules[i]))
			return PTR_ERR(rules[i]);
	}
	return 0;
}

static void del_rules(unsigned int count)
{
	while (count-- > 0)
		params_rule_del(rules[count]);
}

static int add_one_dir(unsigned int n, bool hidden)
{
	struct lustre_params_entry *dir;
	char name[24];
	int rc;

	snprintf(name, sizeof(name), "device-%04u", n);
	dir = hidden ? params_add_dir_hidden(fx.dir, name, NULL) :
		       params_add_dir(fx.dir, name, NULL);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	rc = params_add_attrs(dir, attrs, ATTRS, values[n]);
	if (!rc && hidden)
		rc = params_publish(dir);
	return rc;
}

/* Nanoseconds for each of 3 600 parameters that appear; 0 on failure. */
static u64 appear_ns(bool hidden)
{
	ktime_t start;
	unsigned int n;
	u64 ns;
	int rc = 0;

	memset(values, 0, sizeof(values));
	start = ktime_get();
	for (n = 0; n < DIRS && !rc; n++) {
		rc = add_one_dir(n, hidden);
		cond_resched();
	}
	ns = ktime_to_ns(ktime_sub(ktime_get(), start));
	params_delete_entry(fx.dir, NULL);
	return rc ? 0 : ns / (DIRS * ATTRS);
}

/* The minimum of several rounds, alternately without and with rules. */
static void compare(struct kunit *test, bool hidden, const char *pattern,
		    u64 *without, u64 *with)
{
	unsigned int i;

	*without = ~0ULL;
	*with = ~0ULL;
	for (i = 0; i < ROUNDS; i++) {
		*without = min(*without, appear_ns(hidden));
		KUNIT_ASSERT_EQ(test, add_rules(RULES, pattern), 0);
		*with = min(*with, appear_ns(hidden));
		del_rules(RULES);
	}
	kunit_info(test, "%s, 100 rules %s: %llu ns each, without %llu\n",
		   hidden ? "published" : "added to what is seen", pattern,
		   *with, *without);
	KUNIT_EXPECT_NE(test, *without, 0ULL);
	KUNIT_EXPECT_NE(test, *with, 0ULL);
}

/*
 * Times of a machine that shares its processors are rough: what is too slow has to
 * be so every time.
 */
static void expect_little(struct kunit *test, bool hidden, const char *pattern)
{
	u64 without = 0, with = U64_MAX;
	unsigned int tries;

	for (tries = 0; tries < TRIES && with > 2 * without + 100; tries++)
		compare(test, hidden, pattern, &without, &with);
	KUNIT_EXPECT_LE(test, with, 2 * without + 100);
}

/* Rules that match no parameter here: other directories, devices, names. */
static void rules_for_others_cost_little(struct kunit *test)
{
	static const char *const patterns[] = {
		"elsewhere.*.parameter_%02u",
		FIXTURE_DIR ".other-%u.parameter_00",
		FIXTURE_DIR ".*.another_%02u",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(patterns); i++) {
		expect_little(test, true, patterns[i]);
		expect_little(test, false, patterns[i]);
	}
}

/* All of them match: each value is set once, for any number of rules. */
static void rules_that_match_are_measured(struct kunit *test)
{
	u64 without, with;

	compare(test, true, FIXTURE_DIR ".*.parameter_%02u", &without, &with);
	compare(test, false, FIXTURE_DIR ".*.parameter_%02u", &without, &with);
	KUNIT_EXPECT_EQ(test, values[0][0], 7U);
	KUNIT_EXPECT_EQ(test, values[DIRS - 1][ATTRS - 1], 7U);
}

static struct kunit_case rule_scale_cases[] = {
	KUNIT_CASE(rules_for_others_cost_little),
	KUNIT_CASE(rules_that_match_are_measured),
	{}
};

static int rule_scale_init(struct kunit *test)
{
	declare();
	return fixture_init(test);
}

static struct kunit_suite rule_scale_suite = {
	.name = "params_rule_scale",
	.suite_init = client_suite_init,
	.init = rule_scale_init,
	.exit = fixture_exit,
	.test_cases = rule_scale_cases,
};
kunit_test_suite(rule_scale_suite);

MODULE_DESCRIPTION("what rules of the parameters tree cost");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
