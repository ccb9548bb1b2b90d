// SPDX-License-Identifier: GPL-2.0-only
/*
 * Settings by key: the later of two with the same key replaces the other, for any number
 * of settings.
 */
#include "shim_cmocka.h"

#include <stdio.h>
#include <stdlib.h>

#include <linux/kernel.h>
#include <linux/string.h>

#include "mgc/mgc_rule_key.h"

#define SETTINGS	20000

static struct mgc_rule_key key_of(u32 hash, u64 instance, const char *owner,
				  const char *pattern)
{
	return (struct mgc_rule_key){
		.rk_hash = hash, .rk_instance = instance, .rk_owner = owner,
		.rk_pattern = pattern,
	};
}

static void same_means_all_of_it(void **state)
{
	struct mgc_rule_key a = key_of(1, 2, "lustre", "osc.*.x");
	struct mgc_rule_key others[] = {
		key_of(2, 2, "lustre", "osc.*.x"),
		key_of(1, 3, "lustre", "osc.*.x"),
		key_of(1, 2, "lustre2", "osc.*.x"),
		key_of(1, 2, "lustre", "osc.*.y"),
	};
	struct mgc_rule_key again = key_of(1, 2, "lustre", "osc.*.x");
	struct rb_root root = RB_ROOT;
	size_t n;

	(void)state;
	assert_null(mgc_rule_key_put(&root, &a));
	for (n = 0; n < ARRAY_SIZE(others); n++) {
		assert_false(mgc_rule_key_same(&a, &others[n]));
		assert_null(mgc_rule_key_put(&root, &others[n]));
	}
	assert_true(mgc_rule_key_same(&a, &again));
	assert_ptr_equal(mgc_rule_key_put(&root, &again), &a);
	/* A replaced setting is in no tree, and may be inserted again. */
	assert_ptr_equal(mgc_rule_key_put(&root, &a), &again);
}

/* Depth of the tree: the cost of a setting. */
static unsigned int depth(const struct rb_node *node)
{
	unsigned int left, right;

	if (!node)
		return 0;
	left = depth(node->rb_left);
	right = depth(node->rb_right);
	return 1 + max(left, right);
}

static unsigned int count(const struct rb_node *node)
{
	return node ? 1 + count(node->rb_left) + count(node->rb_right) : 0;
}

/* As a log that has all that one can have: each pattern, then each of them again. */
static void what_one_costs_does_not_depend_on_how_many_there_are(void **state)
{
	struct mgc_rule_key *keys = calloc(2 * SETTINGS, sizeof(*keys));
	char (*patterns)[32] = calloc(SETTINGS, sizeof(*patterns));
	struct rb_root root = RB_ROOT;
	u32 n;

	(void)state;
	assert_non_null(keys);
	assert_non_null(patterns);
	for (n = 0; n < 2 * SETTINGS; n++) {
		snprintf(patterns[n % SETTINGS], sizeof(*patterns), "osc.*.p%u",
			 n % SETTINGS);
		/* In order, which is the worst for a tree that is not kept in balance. */
		keys[n] = key_of(n % SETTINGS / 2, 0, "lustre",
				 patterns[n % SETTINGS]);
		assert_ptr_equal(mgc_rule_key_put(&root, &keys[n]),
				 n < SETTINGS ? NULL : &keys[n - SETTINGS]);
	}
	assert_int_equal(count(root.rb_node), SETTINGS);
	assert_true(depth(root.rb_node) < 64);
	free(patterns);
	free(keys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_means_all_of_it),
		cmocka_unit_test(what_one_costs_does_not_depend_on_how_many_there_are),
	};

	return cmocka_run_group_tests_name("mgc_rule_key", tests, NULL, NULL);
}
