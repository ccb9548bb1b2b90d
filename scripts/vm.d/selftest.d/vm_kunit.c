// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite for scripts/vm --selftest. Its cases pass; vm_kunit_fails.c and
 * vm_kunit_aborts.c are the same suite with a wrong expectation and a wrong
 * assertion. (A module parameter could not say which: 6.1 runs the suites
 * before it parses the parameters.)
 */

#include <kunit/test.h>
#include <linux/module.h>

#ifndef VM_KUNIT_WRONG
#define VM_KUNIT_WRONG 0
#endif

static void vm_kunit_passes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 4, 2 + 2);
}

static void vm_kunit_obeys(struct kunit *test)
{
	KUNIT_EXPECT_NE(test, 1, VM_KUNIT_WRONG);
	KUNIT_ASSERT_NE(test, 2, VM_KUNIT_WRONG);
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
