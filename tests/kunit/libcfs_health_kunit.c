// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parameters at the top of the tree: health_check, memused, version.
 *
 * Every: 2
 */
#include <lustre_lite/health.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/version.h>

#include "fixture.h"

static bool is_well(void *data, char *why, size_t size)
{
	return true;
}

static bool is_unwell(void *data, char *why, size_t size)
{
	strscpy(why, data, size);
	return false;
}

static bool is_slow(void *data, char *why, size_t size)
{
	u64 val;

	gate_get(data, &val);
	return true;
}

static void nobody_is_unwell(struct kunit *test)
{
	struct libcfs_health well = { .lh_name = "well", .lh_check = is_well };

	KUNIT_EXPECT_EQ(test, client_read(fx.client, "health_check"), 0);
	KUNIT_EXPECT_TRUE(test, client_text_is(fx.client, "healthy"));
	libcfs_health_register(&well);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, "health_check"), 0);
	KUNIT_EXPECT_TRUE(test, client_text_is(fx.client, "healthy"));
	libcfs_health_deregister(&well);
}

static void all_who_are_unwell_are_named(struct kunit *test)
{
	struct libcfs_health mgc = {
		.lh_name = "MGC10.0.0.1@tcp",
		.lh_check = is_unwell,
		.lh_data = "not connected",
	};
	struct libcfs_health well = { .lh_name = "well", .lh_check = is_well };
	struct libcfs_health mgs = {
		.lh_name = "MGS",
		.lh_check = is_unwell,
		.lh_data = "disk is full",
	};

	libcfs_health_register(&mgc);
	libcfs_health_register(&well);
	libcfs_health_register(&mgs);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, "health_check"), 0);
	KUNIT_EXPECT_TRUE(test, client_text_is(fx.client,
					       "NOT HEALTHY MGC10.0.0.1@tcp: not connected; MGS: disk is full"));
	libcfs_health_deregister(&mgc);
	libcfs_health_deregister(&well);
	libcfs_health_deregister(&mgs);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, "health_check"), 0);
	KUNIT_EXPECT_TRUE(test, client_text_is(fx.client, "healthy"));
}

static long deregister_aside(void *health)
{
	libcfs_health_deregister(health);
	return 0;
}

static void deregistration_waits_for_a_check(struct kunit *test)
{
	static struct libcfs_health slow, other;
	static struct aside reader, owner;
	static struct gate gate;

	gate_init(&gate);
	slow = (struct libcfs_health) {
		.lh_name = "slow", .lh_check = is_slow, .lh_data = &gate,
	};
	other = (struct libcfs_health) {
		.lh_name = "other", .lh_check = is_unwell, .lh_data = "other",
	};
	libcfs_health_register(&slow);
	libcfs_health_register(&other);
	aside_start(test, &reader, aside_read, "health_check");
	gate_await(test, &gate);
	aside_start(test, &owner, deregister_aside, &slow);
	aside_await_sleep(test, &owner);
	/* Another callback is deregistered meanwhile. */
	libcfs_health_deregister(&other);
	complete(&gate.leave);
	KUNIT_EXPECT_EQ(test, aside_join(test, &owner), 0);
	KUNIT_EXPECT_EQ(test, aside_join(test, &reader), 0);
}

static void memory_is_accounted_for(struct kunit *test)
{
	u64 before = fixture_memused();
	void *small = libcfs_zalloc(100, GFP_KERNEL);
	void *large = libcfs_zalloc(8 << 20, GFP_KERNEL);

	KUNIT_EXPECT_NOT_ERR_OR_NULL(test, small);
	KUNIT_EXPECT_NOT_ERR_OR_NULL(test, large);
	KUNIT_EXPECT_EQ(test, fixture_memused(), before + 100 + (8 << 20));
	libcfs_free(small, 100);
	libcfs_free(large, 8 << 20);
	libcfs_free(NULL, 1);
	KUNIT_EXPECT_EQ(test, fixture_memused(), before);
	KUNIT_ASSERT_EQ(test, client_read(fx.client, "memused_max"), 0);
	KUNIT_EXPECT_GE(test, client_number(fx.client),
			before + 100 + (8 << 20));
}

static void version_is_the_release(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, client_read(fx.client, "version"), 0);
	KUNIT_EXPECT_TRUE(test, client_text_is(fx.client, LUSTRE_LITE_VERSION));
}

static struct kunit_case health_cases[] = {
	KUNIT_CASE(nobody_is_unwell),
	KUNIT_CASE(all_who_are_unwell_are_named),
	KUNIT_CASE(deregistration_waits_for_a_check),
	KUNIT_CASE(memory_is_accounted_for),
	KUNIT_CASE(version_is_the_release),
	{}
};

static struct kunit_suite health_suite = {
	.name = "libcfs_health",
	.suite_init = client_suite_init,
	.init = fixture_init,
	.exit = fixture_exit,
	.test_cases = health_cases,
};
kunit_test_suite(health_suite);

MODULE_DESCRIPTION("health, memory and release");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
