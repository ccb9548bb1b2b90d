// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suites for scripts/vm --selftest: with wrong=1 one case fails, with
 * wrong=2 one case dies half-way.
 */

#include <kunit/test.h>
#include <linux/module.h>

static int wrong;
module_param(wrong, int, 0444);
MODULE_PARM_DESC(wrong, "0: all cases pass, 1: one fails, 2: one is aborted");

static void vm_kunit_passes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 4, 2 + 2);
}

static void vm_kunit_obeys(struct kunit *test)
{
	KUNIT_EXPECT_NE(test, 1, wrong);
	KUNIT_ASSERT_NE(test, 2, wrong);
}

static void vm_kunit_is_skipped(struct kunit *test)
{
	kunit_skip(test, "on purpose");
}

static struct kunit_case vm_kunit_cases[] = {
	KUNIT_CASE(vm_kunit_passes),
	KUNIT_CASE(vm_kunit_obeys),
	KUNIT_CASE(vm_kunit_is_skipped),
	{}
};

static struct kunit_suite vm_kunit_suite = {
	.name = "vm_kunit",
	.test_cases = vm_kunit_cases,
};

kunit_test_suites(&vm_kunit_suite);
MODULE_DESCRIPTION("KUnit suite for the test bed's own test");
MODULE_LICENSE("GPL");
