// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads that bring the lock of the only object of a file.
 *
 * Processors: 2
 */
#include "lov_file.h"

#include "../../ptlrpc/ldlm/ldlm_internal.h"

/* Locks that were cancelled, and lost, of both clients. */
static atomic_t ended;

static void owner_lost(struct dt_owner *owner, bool gone)
{
	atomic_inc(&ended);
}

static bool owner_attr(struct dt_owner *owner, struct md_attr *attr)
{
	return false;
}

static bool owner_unsure(struct dt_owner *owner)
{
	return false;
}

static void owner_put(struct dt_owner *owner)
{
}

static const struct dt_owner_ops owner_ops = {
	.do_lost = owner_lost,
	.do_attr = owner_attr,
	.do_unsure = owner_unsure,
	.do_put = owner_put,
	.do_module = THIS_MODULE,
};

static struct dt_owner mine = { .dto_ops = &owner_ops }, others = { .dto_ops = &owner_ops };

static int read_lock_init(struct kunit *test)
{
	atomic_set(&ended, 0);
	return lf_init(test);
}

/* Read @len bytes, and get the lock with them. @locks: not used any more */
static int read_with_lock(struct kunit *test, struct lov_layout *layout, u64 len, struct dt_locks *locks)
{
	struct dt_io io;
	int rc;

	pages_get(test, len);
	each_byte(true, 0, 0, U64_MAX, 0x5a);
	io = io_of(false, 0, len);
	rc = dt_read_lock(lf.exp, layout, &io, locks);
	if (!rc && dt_decref(lf.exp, locks))
		rc = -ESTALE;
	return rc;
}

static void a_read_may_bring_the_lock(struct kunit *test)
{
	struct lov_layout *layout;
	struct dt_locks locks;

	lf_connect(test);
	layout = layout_get_owned(test, lf.exp, &mine, 1);
	KUNIT_ASSERT_EQ(test, 0, write_at(test, layout, 0, 5000, 1, false));
	KUNIT_ASSERT_EQ(test, 0, read_with_lock(test, layout, 3 * PAGE_SIZE, &locks));
	/* Zeros after the end. */
	KUNIT_EXPECT_EQ(test, 0ULL, each_byte(false, 0, 0, 5000, 1));
	pages_put();
	KUNIT_EXPECT_TRUE(test, locks.dk_known);
	KUNIT_EXPECT_EQ(test, 5000ULL, locks.dk_attr.size);
	KUNIT_EXPECT_EQ(test, 101LL, locks.dk_attr.mtime.sec);
	KUNIT_EXPECT_EQ(test, 0, lock_once(lf.exp, layout, LCK_PR, DT_LOCK_CACHED, &locks));
	KUNIT_EXPECT_TRUE(test, dt_current(lf.exp, layout, &locks));
	dt_layout_put(lf.exp, layout);
}

/* A file with several objects has several locks; one whose object has not all of the bytes, too. */
static void a_read_brings_no_second_lock(struct kunit *test)
{
	struct lov_layout *layout;
	struct dt_locks locks;
	u8 bytes[512];
	size_t len;

	lf_connect(test);
	layout = layout_get_owned(test, lf.exp, &mine, 2);
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, read_with_lock(test, layout, 100, &locks));
	make_comp(bytes, 1, 1, 2);
	add_comp(bytes, 0, 0, STRIPE, 0, 1, LOV_PATTERN_RAID0, OBJECT_ID, 0);
	len = add_comp(bytes, 1, STRIPE, U64_MAX, 0, 0, LOV_PATTERN_RAID0, 0, 0);
	KUNIT_ASSERT_EQ(test, 1, dt_layout_set(lf.exp, layout, bytes, len, true));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, read_with_lock(test, layout, STRIPE + 1, &locks));
	KUNIT_EXPECT_EQ(test, 0, read_with_lock(test, layout, STRIPE, &locks));
	pages_put();
	dt_layout_put(lf.exp, layout);
}

static void a_read_takes_no_lock_from_a_writer(struct kunit *test)
{
	struct lov_layout *layout, *other;
	struct dt_locks locks, held;

	lf_connect(test);
	lf_connect_other(test);
	layout = layout_get_owned(test, lf.exp, &mine, 1);
	other = layout_get_owned(test, lf.other_exp, &others, 1);
	KUNIT_ASSERT_EQ(test, 0, dt_enqueue(lf.other_exp, other, LCK_PW, DT_LOCK_WAIT, &held));
	KUNIT_EXPECT_EQ(test, -EWOULDBLOCK, read_with_lock(test, layout, 100, &locks));
	pages_put();
	KUNIT_EXPECT_FALSE(test, dt_decref(lf.other_exp, &held));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&ended));
	KUNIT_EXPECT_EQ(test, -EWOULDBLOCK,
			lock_once(lf.exp, layout, LCK_PR, DT_LOCK_CACHED, &locks));
	dt_layout_put(lf.exp, layout);
	dt_layout_put(lf.other_exp, other);
}

static struct dt_io aside_io;

static long aside_read_with_lock(void *layout)
{
	struct dt_locks locks;
	int rc;

	allow_signal(SIGKILL);
	rc = dt_read_lock(lf.exp, layout, &aside_io, &locks);
	if (!rc)
		dt_decref(lf.exp, &locks);
	return rc;
}

static bool one_runs(void)
{
	return atomic_read(&lf.running) == 1;
}

static bool none_runs(void)
{
	return !atomic_read(&lf.running);
}

/* The target grants it afterwards. */
static void a_killed_read_keeps_no_lock(struct kunit *test)
{
	struct lov_layout *layout, *other;
	struct dt_locks locks;
	struct aside caller;

	lf_connect(test);
	lf_connect_other(test);
	layout = layout_get_owned(test, lf.exp, &mine, 1);
	other = layout_get_owned(test, lf.other_exp, &others, 1);
	KUNIT_ASSERT_EQ(test, 0, write_at(test, layout, 0, 1000, 1, false));
	pages_get(test, 1000);
	each_byte(true, 0, 0, U64_MAX, 2);
	aside_io = io_of(false, 0, 1000);
	WRITE_ONCE(lf.wait, true);
	aside_start(test, &caller, aside_read_with_lock, layout);
	KUNIT_EXPECT_TRUE(test, lf_await(one_runs));
	send_sig(SIGKILL, caller.task, 1);
	KUNIT_EXPECT_EQ(test, (long)-EINTR, aside_join(test, &caller));
	WRITE_ONCE(lf.wait, false);
	KUNIT_EXPECT_TRUE(test, lf_await(none_runs));
	KUNIT_EXPECT_EQ(test, -EWOULDBLOCK, lock_once(lf.exp, layout, LCK_PR, DT_LOCK_CACHED, &locks));
	KUNIT_EXPECT_EQ(test, 0, lock_once(lf.other_exp, other, LCK_PW, DT_LOCK_WAIT, &locks));
	/* The memory is not the request's any more. */
	KUNIT_EXPECT_EQ(test, 0ULL, each_byte(false, 0, 0, U64_MAX, 2));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&ended));
	pages_put();
	dt_layout_put(lf.exp, layout);
	dt_layout_put(lf.other_exp, other);
}

static struct kunit_case lov_read_lock_cases[] = {
	KUNIT_CASE(a_read_may_bring_the_lock),
	KUNIT_CASE(a_read_brings_no_second_lock),
	KUNIT_CASE(a_read_takes_no_lock_from_a_writer),
	KUNIT_CASE(a_killed_read_keeps_no_lock),
	{}
};

static struct kunit_suite lov_read_lock_suite = {
	.name = "lov_read_lock",
	.suite_init = ty_suite_init,
	.init = read_lock_init,
	.exit = lf_exit,
	.test_cases = lov_read_lock_cases,
};
kunit_test_suite(lov_read_lock_suite);

MODULE_DESCRIPTION("reads that bring locks");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
