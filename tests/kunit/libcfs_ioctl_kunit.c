// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ranges of ioctl numbers: who may register, what reaches a handler, and that a
 * range does not go away under a call.
 *
 * Every: 2
 */
#include <lustre_lite/libcfs.h>
#include <lustre_lite/version.h>

#include "fixture.h"

#define TEST_NR		(LIBCFS_IOC_NR_TEST + 8)
#define TEST_CMD	_IO(LIBCFS_IOC_MAGIC, TEST_NR)

static struct gate in_call;
static size_t seen_size;
static unsigned int seen_nr;

static long handle_note(struct libcfs_file *lf, unsigned int nr,
			void __user *arg, size_t size)
{
	seen_nr = nr;
	seen_size = size;
	return 0;
}

static long handle_slowly(struct libcfs_file *lf, unsigned int nr,
			  void __user *arg, size_t size)
{
	u64 val;

	return gate_get(&in_call, &val);
}

static struct libcfs_ioctl_range test_range(const char *name, unsigned int first,
					    unsigned int last)
{
	return (struct libcfs_ioctl_range) {
		.lir_name	= name,
		.lir_owner	= THIS_MODULE,
		.lir_first	= first,
		.lir_last	= last,
		.lir_handler	= handle_note,
	};
}

static long call(unsigned int cmd, u32 size, u32 abi)
{
	struct libcfs_ioc_hdr hdr = { .ioh_size = size, .ioh_abi = abi };

	return client_call(fx.client, cmd, &hdr, sizeof(hdr));
}

static void ranges_do_not_overlap(struct kunit *test)
{
	struct libcfs_ioctl_range one = test_range("one", TEST_NR, TEST_NR + 2);
	struct libcfs_ioctl_range two = test_range("two", TEST_NR + 2,
						   TEST_NR + 3);
	struct libcfs_ioctl_range core = test_range("core", 0, 0);

	KUNIT_ASSERT_EQ(test, libcfs_register_ioctl(&one), 0);
	KUNIT_EXPECT_EQ(test, libcfs_register_ioctl(&two), -EBUSY);
	KUNIT_EXPECT_EQ(test, libcfs_register_ioctl(&core), -EBUSY);
	/* The refused registration left nothing. */
	KUNIT_EXPECT_EQ(test, call(TEST_CMD + 3, 8, LIBCFS_ABI_VERSION),
			-ENOTTY);
	libcfs_deregister_ioctl(&one);
	KUNIT_ASSERT_EQ(test, libcfs_register_ioctl(&two), 0);
	libcfs_deregister_ioctl(&two);
}

static void senseless_ranges_are_refused(struct kunit *test)
{
	struct libcfs_ioctl_range backward = test_range("backward", TEST_NR,
							TEST_NR - 1);
	struct libcfs_ioctl_range high = test_range("high", TEST_NR,
						    LIBCFS_IOC_NR_END);
	struct libcfs_ioctl_range mute = test_range("mute", TEST_NR, TEST_NR);

	mute.lir_handler = NULL;
	KUNIT_EXPECT_EQ(test, libcfs_register_ioctl(&backward), -EINVAL);
	KUNIT_EXPECT_EQ(test, libcfs_register_ioctl(&high), -EINVAL);
	KUNIT_EXPECT_EQ(test, libcfs_register_ioctl(&mute), -EINVAL);
}

static void head_is_checked_before_the_handler(struct kunit *test)
{
	struct libcfs_ioctl_range range = test_range("head", TEST_NR, TEST_NR);

	KUNIT_ASSERT_EQ(test, libcfs_register_ioctl(&range), 0);
	seen_nr = 0;
	KUNIT_EXPECT_EQ(test, call(TEST_CMD, 7, LIBCFS_ABI_VERSION), -EINVAL);
	KUNIT_EXPECT_EQ(test, call(TEST_CMD, PAGE_SIZE + 1, LIBCFS_ABI_VERSION),
			-E2BIG);
	KUNIT_EXPECT_EQ(test, call(TEST_CMD, 8, LIBCFS_ABI_VERSION + 0x10000),
			-EPROTO);
	KUNIT_EXPECT_EQ(test, call(TEST_CMD + 1, 8, LIBCFS_ABI_VERSION),
			-ENOTTY);
	KUNIT_EXPECT_EQ(test, call(_IO('T', TEST_NR), 8, LIBCFS_ABI_VERSION),
			-ENOTTY);
	/* A thread of user-mode Linux cannot fault: it has no mm. */
	if (!IS_ENABLED(CONFIG_UML))
		KUNIT_EXPECT_EQ(test, fx.client->file->f_op->unlocked_ioctl(fx.client->file,
								      TEST_CMD, 8),
				-EFAULT);
	KUNIT_EXPECT_EQ(test, seen_nr, 0);
	KUNIT_EXPECT_EQ(test, call(TEST_CMD, PAGE_SIZE, LIBCFS_ABI_VERSION + 1),
			0);
	KUNIT_EXPECT_EQ(test, seen_nr, TEST_NR);
	KUNIT_EXPECT_EQ(test, seen_size, PAGE_SIZE);
	libcfs_deregister_ioctl(&range);
	KUNIT_EXPECT_EQ(test, call(TEST_CMD, 8, LIBCFS_ABI_VERSION), -ENOTTY);
}

/* A call with the right type and number, and another size: a tool of another ABI. */
static void version_is_told_to_any_abi(struct kunit *test)
{
	struct {
		struct libcfs_ioc_version version;
		u64 newer;
	} arg = {
		.version.v_hdr.ioh_size = sizeof(arg),
		.version.v_hdr.ioh_abi = 0x70000,
		.newer = 1,
	};

	KUNIT_ASSERT_EQ(test, client_call(fx.client, LIBCFS_IOC_VERSION, &arg,
					  sizeof(arg)), 0);
	KUNIT_EXPECT_EQ(test, arg.version.v_abi, LIBCFS_ABI_VERSION);
	KUNIT_EXPECT_EQ(test, arg.version.v_name_max, PARAMS_NAME_MAX);
	KUNIT_EXPECT_EQ(test, arg.version.v_path_max, PARAMS_PATH_MAX);
	KUNIT_EXPECT_EQ(test, arg.version.v_buf_max, PARAMS_BUF_MAX);
	KUNIT_EXPECT_STREQ(test, arg.version.v_release, LUSTRE_LITE_VERSION);
	KUNIT_EXPECT_EQ(test, arg.newer, 0ULL);

	/* An older tool gets the bytes that it knows, and no more. */
	memset(&arg, 0xff, sizeof(arg));
	arg.version.v_hdr.ioh_size = offsetof(struct libcfs_ioc_version, v_name_max);
	KUNIT_ASSERT_EQ(test, client_call(fx.client, LIBCFS_IOC_VERSION, &arg,
					  sizeof(arg)), 0);
	KUNIT_EXPECT_EQ(test, arg.version.v_abi, LIBCFS_ABI_VERSION);
	KUNIT_EXPECT_EQ(test, arg.version.v_name_max, ~0U);
}

static long call_aside(void *arg)
{
	struct libcfs_ioc_hdr hdr = {
		.ioh_size = sizeof(hdr),
		.ioh_abi = LIBCFS_ABI_VERSION,
	};
	struct client *c = client_open();
	long rc = c ? client_call(c, TEST_CMD, &hdr, sizeof(hdr)) : -ENOMEM;

	if (c)
		client_close(c);
	return rc;
}

static long deregister_aside(void *range)
{
	libcfs_deregister_ioctl(range);
	return 0;
}

static void deregistration_waits_for_a_call(struct kunit *test)
{
	static struct libcfs_ioctl_range range;
	static struct aside caller, owner;
	int users = module_refcount(THIS_MODULE);

	range = test_range("slow", TEST_NR, TEST_NR);
	range.lir_handler = handle_slowly;
	gate_init(&in_call);
	KUNIT_ASSERT_EQ(test, libcfs_register_ioctl(&range), 0);
	aside_start(test, &caller, call_aside, NULL);
	gate_await(test, &in_call);
	KUNIT_EXPECT_EQ(test, module_refcount(THIS_MODULE), users + 1);
	aside_start(test, &owner, deregister_aside, &range);
	aside_await_sleep(test, &owner);
	KUNIT_EXPECT_EQ(test, call(TEST_CMD, 8, LIBCFS_ABI_VERSION), -ENOTTY);
	KUNIT_EXPECT_EQ(test, atomic_read(&in_call.calls), 1);
	complete(&in_call.leave);
	KUNIT_EXPECT_EQ(test, aside_join(test, &owner), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&in_call.inside), 0);
	KUNIT_EXPECT_EQ(test, aside_join(test, &caller), 0);
	KUNIT_EXPECT_EQ(test, module_refcount(THIS_MODULE), users);
}

#define RACE_CALLS	300

static long call_often(void *arg)
{
	struct libcfs_ioc_hdr hdr = {
		.ioh_size = sizeof(hdr),
		.ioh_abi = LIBCFS_ABI_VERSION,
	};
	struct client *c = client_open();
	long rc = 0;
	int n;

	if (!c)
		return -ENOMEM;
	for (n = 0; n < RACE_CALLS && (!rc || rc == -ENOTTY); n++)
		rc = client_call(c, TEST_CMD, &hdr, sizeof(hdr));
	client_close(c);
	return rc == -ENOTTY ? 0 : rc;
}

/* The range is on its owner's stack: a late call would crash. */
static void ranges_come_and_go_under_calls(struct kunit *test)
{
	static struct aside caller[2];
	struct libcfs_ioctl_range range;

	aside_start(test, &caller[0], call_often, NULL);
	aside_start(test, &caller[1], call_often, NULL);
	do {
		range = test_range("brief", TEST_NR, TEST_NR);
		KUNIT_ASSERT_EQ(test, libcfs_register_ioctl(&range), 0);
		cond_resched();
		libcfs_deregister_ioctl(&range);
		memset(&range, 0x6b, sizeof(range));
	} while (!aside_is_done(&caller[0]) || !aside_is_done(&caller[1]));
	KUNIT_EXPECT_EQ(test, caller[0].rc, 0);
	KUNIT_EXPECT_EQ(test, caller[1].rc, 0);
}

static struct kunit_case ioctl_cases[] = {
	KUNIT_CASE(ranges_do_not_overlap),
	KUNIT_CASE(senseless_ranges_are_refused),
	KUNIT_CASE(head_is_checked_before_the_handler),
	KUNIT_CASE(version_is_told_to_any_abi),
	KUNIT_CASE(deregistration_waits_for_a_call),
	KUNIT_CASE(ranges_come_and_go_under_calls),
	{}
};

static struct kunit_suite ioctl_suite = {
	.name = "libcfs_ioctl",
	.suite_init = client_suite_init,
	.init = fixture_init,
	.exit = fixture_exit,
	.test_cases = ioctl_cases,
};
kunit_test_suite(ioctl_suite);

MODULE_DESCRIPTION("ioctl ranges of /dev/libcfs");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
