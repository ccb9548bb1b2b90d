// SPDX-License-Identifier: GPL-2.0-only
/*
 * Imports: replay after a restart of the target, idleness, a connect that is interrupted,
 * and an import that the other end made. The target is the fixture's stand-in.
 *
 * Every: 2
 */
#include "obd_import_fixture.h"

#define A	"10.0.0.1@tcp77"
#define B	"10.0.0.2@tcp77"

/* The states an import went through last, the newest first. */
#define EXPECT_PAST(test, imp, ...)					\
do {									\
	static const enum lustre_imp_state __want[] = { __VA_ARGS__ };	\
	unsigned int __n;						\
									\
	for (__n = 0; __n < ARRAY_SIZE(__want); __n++)			\
		KUNIT_EXPECT_EQ(test, (u32)ki_past(imp, __n),		\
				(u32)__want[__n]);			\
} while (0)

static struct obd_import *connected(struct kunit *test, struct obd_device *obd)
{
	struct obd_import *imp = ki_import(obd);

	ki.answers = A " ";
	KUNIT_ASSERT_EQ(test, import_connect(imp, NULL), 0);
	return imp;
}

static void a_target_that_remembers_is_given_what_it_lost(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = connected(test, obd);
	u32 generation = imp->imp_generation;

	ki.replay = true;
	ki.cookie++;
	KUNIT_EXPECT_EQ(test, import_recover(imp, NULL, NULL), 0);
	KUNIT_EXPECT_EQ(test, ki.replays, 1U);
	EXPECT_PAST(test, imp, LUSTRE_IMP_FULL, LUSTRE_IMP_RECOVER,
		    LUSTRE_IMP_REPLAY_WAIT, LUSTRE_IMP_REPLAY_LOCKS,
		    LUSTRE_IMP_REPLAY, LUSTRE_IMP_CONNECTING, LUSTRE_IMP_DISCON);
	/* Another cookie, and yet no eviction. */
	KUNIT_EXPECT_EQ(test, imp->imp_generation, generation);
	KUNIT_EXPECT_TRUE(test, test_bit(IMPF_REPLAYABLE, &imp->imp_flags));
	KUNIT_EXPECT_EQ(test, imp->imp_remote_handle.cookie, ki.cookie);
	kt_end(test, obd);
}

static void who_comes_first_has_nothing_to_replay(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = ki_import(obd);

	ki.answers = A " ";
	ki.replay = true;
	KUNIT_EXPECT_EQ(test, import_connect(imp, NULL), 0);
	KUNIT_EXPECT_EQ(test, ki.replays, 0U);
	EXPECT_PAST(test, imp, LUSTRE_IMP_FULL, LUSTRE_IMP_CONNECTING);
	kt_end(test, obd);
}

static void a_replay_that_fails_ends_the_connection(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = connected(test, obd);

	ki_add_conn(test, imp, B, false);
	ki.answers = A " " B " ";
	ki.replay = true;
	ki.replay_rc = -EIO;
	ki.try_count = 0;
	KUNIT_EXPECT_EQ(test, import_recover(imp, NULL, NULL), -EIO);
	KI_EXPECT_STATE(test, imp, DISCON);
	/* No other server is asked in the same connect. */
	KUNIT_EXPECT_EQ(test, ki.try_count, 1U);
	KUNIT_EXPECT_EQ(test, imp->imp_link, IMP_LINK_NONE);
	ki.replay_rc = 0;
	KUNIT_EXPECT_EQ(test, import_connect(imp, NULL), 0);
	KUNIT_EXPECT_EQ(test, ki.replays, 2U);
	KI_EXPECT_STATE(test, imp, FULL);
	kt_end(test, obd);
}

static void idle_says_goodbye_and_comes_back(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = connected(test, obd);
	u32 generation = imp->imp_generation;

	ki.event_count = 0;
	KUNIT_EXPECT_EQ(test, import_idle(imp), 0);
	KI_EXPECT_STATE(test, imp, IDLE);
	KUNIT_EXPECT_EQ(test, ki.goodbyes, 1U);
	KUNIT_EXPECT_EQ(test, ki.event_count, 0U);
	KUNIT_EXPECT_EQ(test, import_idle(imp), -EBUSY);
	ki.cookie++;
	KUNIT_EXPECT_EQ(test, import_connect(imp, NULL), 0);
	EXPECT_PAST(test, imp, LUSTRE_IMP_FULL, LUSTRE_IMP_CONNECTING,
		    LUSTRE_IMP_IDLE, LUSTRE_IMP_FULL);
	KUNIT_EXPECT_EQ(test, imp->imp_generation, generation);
	kt_end(test, obd);
}

/* The target may have lost its power: after its restart it waits for the clients that it knows. */
static void idle_without_an_answer_connects_again(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = connected(test, obd);
	u64 cookie = imp->imp_remote_handle.cookie;

	ki.goodbye_rc = -ETIMEDOUT;
	KUNIT_EXPECT_EQ(test, import_idle(imp), -ENOTCONN);
	KI_EXPECT_STATE(test, imp, DISCON);
	KUNIT_EXPECT_EQ(test, imp->imp_remote_handle.cookie, cookie);
	KUNIT_EXPECT_EQ(test, imp->imp_link, IMP_LINK_NONE);
	KUNIT_EXPECT_EQ(test, import_connect(imp, NULL), 0);
	KI_EXPECT_STATE(test, imp, FULL);
	ki.goodbye_rc = 0;
	KUNIT_EXPECT_EQ(test, import_idle(imp), 0);
	KI_EXPECT_STATE(test, imp, IDLE);
	kt_end(test, obd);
}

static long aside_statfs(void *exp)
{
	struct obd_statfs st;

	return obd_statfs(exp, &st, 0);
}

static void an_import_in_use_is_not_idle(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = ki_import(obd);
	struct obd_export *exp;
	struct aside call;
	struct gate gate;

	ki.answers = A " ";
	exp = ki_connected(test, obd);
	gate_init(&gate);
	ki.statfs_gate = &gate;
	aside_start(test, &call, aside_statfs, exp);
	gate_await(test, &gate);
	KUNIT_EXPECT_EQ(test, import_idle(imp), -EBUSY);
	KI_EXPECT_STATE(test, imp, FULL);
	complete(&gate.leave);
	KUNIT_EXPECT_EQ(test, aside_join(test, &call), 0L);
	KUNIT_EXPECT_EQ(test, import_idle(imp), 0);
	KUNIT_EXPECT_EQ(test, obd_disconnect(exp), 0);
	kt_end(test, obd);
}

static long aside_connect(void *imp)
{
	return import_connect(imp, NULL);
}

static long aside_disconnect(void *imp)
{
	return import_disconnect(imp);
}

static void an_end_interrupts_a_connect(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = ki_import(obd);
	struct aside one, two;
	struct gate gate;

	ki_add_conn(test, imp, B, false);
	gate_init(&gate);
	ki.connect_gate = &gate;
	aside_start(test, &one, aside_connect, imp);
	gate_await(test, &gate);
	aside_start(test, &two, aside_disconnect, imp);
	while (!atomic_read(&imp->imp_cancel))
		usleep_range(1000, 2000);
	complete(&gate.leave);
	/* The first server does not answer, and the second is not asked. */
	KUNIT_EXPECT_EQ(test, aside_join(test, &one), (long)-ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, aside_join(test, &two), 0L);
	KUNIT_EXPECT_EQ(test, ki.try_count, 1U);
	KI_EXPECT_STATE(test, imp, CLOSED);
	KUNIT_EXPECT_EQ(test, atomic_read(&imp->imp_cancel), 0);
	kt_end(test, obd);
}

static void one_that_the_other_end_made_is_full(struct kunit *test)
{
	struct obd_device *obd = kt_attach(test, "dev");
	struct obd_uuid client = kt_uuid("client_UUID");
	struct obd_import *imp = class_new_import(obd, &client);

	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(imp));
	import_adopt(imp);
	KI_EXPECT_STATE(test, imp, FULL);
	import_adopt(imp);
	KI_EXPECT_STATE(test, imp, FULL);
	KUNIT_EXPECT_EQ(test, import_set_state(imp, LUSTRE_IMP_DISCON), 0);
	import_adopt(imp);
	KI_EXPECT_STATE(test, imp, FULL);
	KUNIT_EXPECT_EQ(test, import_disconnect(imp), 0);
	class_destroy_import(imp);
	kt_end(test, obd);
}

static struct kunit_case replay_cases[] = {
	KUNIT_CASE(a_target_that_remembers_is_given_what_it_lost),
	KUNIT_CASE(who_comes_first_has_nothing_to_replay),
	KUNIT_CASE(a_replay_that_fails_ends_the_connection),
	KUNIT_CASE(idle_says_goodbye_and_comes_back),
	KUNIT_CASE(idle_without_an_answer_connects_again),
	KUNIT_CASE(an_import_in_use_is_not_idle),
	KUNIT_CASE(an_end_interrupts_a_connect),
	KUNIT_CASE(one_that_the_other_end_made_is_full),
	{}
};

static struct kunit_suite replay_suite = {
	.name = "obd_import_replay",
	.suite_init = client_suite_init,
	.init = import_fixture_init,
	.exit = import_fixture_exit,
	.test_cases = replay_cases,
};
kunit_test_suite(replay_suite);

MODULE_DESCRIPTION("imports: replay, idleness, interruption");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
