// SPDX-License-Identifier: GPL-2.0-only
/*
 * Life of a device: every legal transition, every illegal one, its holders, and the
 * conditions that a cleanup waits for.
 *
 * Processors: 2
 * Every: 2
 */
#include "obd_fixture.h"

enum life_op { OP_SETUP, OP_CLEANUP, OP_DETACH, OP_COUNT };

static int life_do(struct obd_device *obd, enum life_op op)
{
	switch (op) {
	case OP_SETUP:
		return kt_set_up(obd);
	case OP_CLEANUP:
		return class_cleanup(obd, false, false, NULL);
	default:
		return class_detach(obd, NULL);
	}
}

/* Result of each operation in each stable state. */
static const struct life_row {
	enum obd_state	state;
	const char	*letters;
	int		rc[OP_COUNT];
} life_rows[] = {
	{ OBD_ATTACHED, "AT", { 0, -ENODEV, 0 } },
	{ OBD_SET_UP, "UP", { -EEXIST, 0, -EBUSY } },
	{ OBD_CLEANED_UP, "ST", { -ENODEV, -ENODEV, 0 } },
	{ OBD_DETACHED, "--", { -ENODEV, -ENODEV, -ENODEV } },
};

static struct obd_device *life_in(struct kunit *test, enum obd_state state)
{
	struct obd_device *obd = kt_attach(test, "life");

	if (state >= OBD_SET_UP)
		KUNIT_ASSERT_EQ(test, life_do(obd, OP_SETUP), 0);
	if (state >= OBD_CLEANED_UP)
		KUNIT_ASSERT_EQ(test, life_do(obd, OP_CLEANUP), 0);
	if (state >= OBD_DETACHED)
		KUNIT_ASSERT_EQ(test, life_do(obd, OP_DETACH), 0);
	KUNIT_ASSERT_EQ(test, obd->obd_state, state);
	return obd;
}

static void every_operation_in_every_state(struct kunit *test)
{
	struct obd_device *obd;
	enum life_op op;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(life_rows); n++)
		for (op = 0; op < OP_COUNT; op++) {
			const struct life_row *row = &life_rows[n];

			obd = life_in(test, row->state);
			KUNIT_EXPECT_STREQ(test, row->letters,
					   obd_status_letters(class_obd_status(obd)));
			KUNIT_EXPECT_EQ_MSG(test, row->rc[op], life_do(obd, op),
					    "operation %d in state %d", op,
					    row->state);
			if (obd->obd_state != OBD_DETACHED)
				kt_end(test, obd);
			else
				class_decref(obd, OBD_REF_LOOKUP);
		}
}

static long aside_setup(void *obd)
{
	return kt_set_up(obd);
}

static void nothing_else_while_setup_runs(struct kunit *test)
{
	struct obd_device *obd = kt_attach(test, "life");
	struct aside setup;
	struct gate gate;

	gate_init(&gate);
	kt.setup_gate = &gate;
	aside_start(test, &setup, aside_setup, obd);
	gate_await(test, &gate);
	KUNIT_EXPECT_EQ(test, life_do(obd, OP_SETUP), -EEXIST);
	KUNIT_EXPECT_EQ(test, life_do(obd, OP_CLEANUP), -ENODEV);
	KUNIT_EXPECT_EQ(test, life_do(obd, OP_DETACH), -EBUSY);
	KUNIT_EXPECT_STREQ(test, "AT", obd_status_letters(class_obd_status(obd)));
	complete(&gate.leave);
	KUNIT_EXPECT_EQ(test, aside_join(test, &setup), 0);
	kt_end(test, obd);
}

static void a_failed_setup_leaves_it_attached(struct kunit *test)
{
	struct obd_device *obd = kt_attach(test, "life");
	unsigned int held = refcount_read(&obd->obd_refcount);
	struct obd_why why = { "" };
	struct lcfg_view cfg;

	kt.setup_rc = -ENXIO;
	lcfg_init(&cfg, LCFG_SETUP, obd->obd_name);
	KUNIT_EXPECT_EQ(test, class_setup(obd, &cfg, &why), -ENXIO);
	KUNIT_EXPECT_STREQ(test, why.text, "told to fail");
	KUNIT_EXPECT_EQ(test, obd->obd_state, OBD_ATTACHED);
	KUNIT_EXPECT_EQ(test, held, refcount_read(&obd->obd_refcount));
	KUNIT_EXPECT_EQ(test, client_read(fx.client, KT_NAME "/life/uuid"),
			-ENOENT);
	kt.setup_rc = 0;
	KUNIT_EXPECT_EQ(test, kt_set_up(obd), 0);
	kt_end(test, obd);
}

static void each_setup_is_undone_once(struct kunit *test)
{
	struct obd_device *obd = kt_start(test, "life");

	KUNIT_EXPECT_EQ(test, class_cleanup(obd, false, false, NULL), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&kt.setups), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&kt.precleanups), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&kt.cleanups), 1);
	kt_end(test, obd);
	KUNIT_EXPECT_EQ(test, atomic_read(&kt.cleanups), 1);
}

static int held_as(struct obd_device *obd, enum obd_ref ref)
{
	return atomic_read(&obd->obd_refs[ref]);
}

static void each_holder_is_counted(struct kunit *test)
{
	struct obd_device *obd = kt_attach(test, "life");

	KUNIT_EXPECT_EQ(test, held_as(obd, OBD_REF_LOOKUP), 1);
	KUNIT_EXPECT_EQ(test, held_as(obd, OBD_REF_TABLE), 1);
	KUNIT_EXPECT_EQ(test, held_as(obd, OBD_REF_EXPORT), 1);
	KUNIT_EXPECT_EQ(test, held_as(obd, OBD_REF_SETUP), 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&obd->obd_refcount), 3U);
	KUNIT_EXPECT_EQ(test, kt_set_up(obd), 0);
	KUNIT_EXPECT_EQ(test, held_as(obd, OBD_REF_SETUP), 1);
	class_incref(obd, OBD_REF_TARGET);
	KUNIT_EXPECT_EQ(test, held_as(obd, OBD_REF_TARGET), 1);
	KUNIT_EXPECT_EQ(test, refcount_read(&obd->obd_refcount), 5U);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, KT_NAME "/life/refs"), 0);
	KUNIT_EXPECT_EQ(test, client_number(fx.client), 5ULL);
	class_decref(obd, OBD_REF_TARGET);
	KUNIT_EXPECT_EQ(test, class_cleanup(obd, false, false, NULL), 0);
	KUNIT_EXPECT_EQ(test, held_as(obd, OBD_REF_SETUP), 0);
	KUNIT_EXPECT_EQ(test, class_detach(obd, NULL), 0);
	KUNIT_EXPECT_EQ(test, held_as(obd, OBD_REF_TABLE), 0);
	obd_zombie_barrier();
	KUNIT_EXPECT_EQ(test, held_as(obd, OBD_REF_EXPORT), 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&obd->obd_refcount), 1U);
	class_decref(obd, OBD_REF_LOOKUP);
}

static long aside_statfs(void *data)
{
	struct obd_device *obd = data;
	struct obd_statfs st = {};

	return obd_statfs(obd->obd_self_export, &st, 0);
}

static long aside_cleanup(void *obd)
{
	return class_cleanup(obd, false, false, NULL);
}

static void cleanup_waits_for_an_operation(struct kunit *test)
{
	struct obd_device *obd = kt_start(test, "life");
	struct aside call, cleanup;
	struct gate gate;

	gate_init(&gate);
	kt.statfs_gate = &gate;
	aside_start(test, &call, aside_statfs, obd);
	gate_await(test, &gate);
	aside_start(test, &cleanup, aside_cleanup, obd);
	aside_await_sleep(test, &cleanup);
	KUNIT_EXPECT_EQ(test, atomic_read(&kt.cleanups), 0);
	KUNIT_EXPECT_EQ(test, aside_statfs(obd), -ENODEV);
	KUNIT_EXPECT_STREQ(test, "ST", obd_status_letters(class_obd_status(obd)));
	complete(&gate.leave);
	KUNIT_EXPECT_EQ(test, aside_join(test, &call), 0);
	KUNIT_EXPECT_EQ(test, aside_join(test, &cleanup), 0);
	kt_end(test, obd);
}

static void cleanup_gives_up_and_names_the_holder(struct kunit *test)
{
	struct obd_device *obd = kt_start(test, "life");
	struct obd_uuid uuid = kt_uuid("a_client");
	struct obd_connect_data ocd = {};
	struct obd_why why = { "" };
	struct obd_export *exp = NULL;

	KUNIT_ASSERT_EQ(test, obd_connect(&exp, obd, &uuid, NULL, &ocd), 0);
	KUNIT_EXPECT_EQ(test, class_cleanup(obd, true, false, &why), -ETIMEDOUT);
	KUNIT_EXPECT_TRUE(test, strstr(why.text, "client a_client"));
	KUNIT_EXPECT_EQ(test, obd->obd_state, OBD_STOPPING);
	KUNIT_EXPECT_EQ(test, atomic_read(&kt.cleanups), 0);
	KUNIT_EXPECT_EQ(test, class_detach(obd, NULL), -EBUSY);
	class_export_put(exp);
	obd_zombie_barrier();
	KUNIT_EXPECT_EQ(test, obd->obd_state, OBD_CLEANED_UP);
	KUNIT_EXPECT_EQ(test, atomic_read(&kt.cleanups), 1);
	kt_end(test, obd);
}

static void parameters_live_from_setup_to_cleanup(struct kunit *test)
{
	struct obd_device *obd = kt_attach(test, "life");

	KUNIT_EXPECT_EQ(test, client_read(fx.client, KT_NAME "/life/uuid"),
			-ENOENT);
	KUNIT_EXPECT_EQ(test, kt_set_up(obd), 0);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, KT_NAME "/life/uuid"), 0);
	KUNIT_EXPECT_TRUE(test, client_text_is(fx.client, "kunit_UUID"));
	KUNIT_EXPECT_EQ(test, class_cleanup(obd, false, false, NULL), 0);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, KT_NAME "/life/uuid"),
			-ENOENT);
	kt_end(test, obd);
}

static void an_unwell_device_is_named(struct kunit *test)
{
	struct obd_device *obd = kt_start(test, "life");

	KUNIT_EXPECT_EQ(test, client_read(fx.client, "health_check"), 0);
	KUNIT_EXPECT_TRUE(test, client_text_is(fx.client, "healthy"));
	kt.health_rc = -EIO;
	KUNIT_EXPECT_EQ(test, client_read(fx.client, "health_check"), 0);
	KUNIT_EXPECT_TRUE(test, client_text_is(fx.client,
					       "NOT HEALTHY device: life: told to be unwell"));
	kt_end(test, obd);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, "health_check"), 0);
	KUNIT_EXPECT_TRUE(test, client_text_is(fx.client, "healthy"));
}

static void operations_are_refused_or_counted(struct kunit *test)
{
	struct obd_device *obd = kt_attach(test, "life");
	struct params_counter counter;
	struct obd_statfs st = {};
	u32 len = 0;

	KUNIT_EXPECT_EQ(test, obd_statfs(obd->obd_self_export, &st, 0),
			-ENODEV);
	KUNIT_EXPECT_EQ(test, kt_set_up(obd), 0);
	KUNIT_EXPECT_EQ(test, obd_statfs(obd->obd_self_export, &st, 0), 0);
	KUNIT_EXPECT_EQ(test, st.os_blocks, 42ULL);
	KUNIT_EXPECT_EQ(test, obd_get_info(obd->obd_self_export, "x", NULL,
					   &len), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, params_stats_read(obd->obd_stats, OBD_OP_STATFS,
						&counter), 0);
	KUNIT_EXPECT_EQ(test, counter.pc_count, 1ULL);
	KUNIT_EXPECT_EQ(test, params_stats_read(obd->obd_stats, OBD_OP_GET_INFO,
						&counter), 0);
	KUNIT_EXPECT_EQ(test, counter.pc_count, 0ULL);
	kt_end(test, obd);
}

#define CONTENDERS	4
#define CONTESTS	200

static long aside_contend(void *data)
{
	struct obd_device *obd;
	struct obd_why why;
	unsigned int n;
	long won = 0;

	for (n = 0; n < CONTESTS; n++) {
		obd = class_attach(KT_NAME, "contested", "kunit_UUID", 0, &why);
		if (IS_ERR(obd))
			obd = class_name2obd("contested");
		if (!obd)
			continue;
		if (!kt_set_up(obd))
			won++;
		class_manual_cleanup(obd, true, &why);
		class_decref(obd, OBD_REF_LOOKUP);
		cond_resched();
	}
	return won;
}

static void contenders_for_a_name_leave_nothing(struct kunit *test)
{
	struct aside asides[CONTENDERS];
	long won = 0;
	int n;

	for (n = 0; n < CONTENDERS; n++)
		aside_start(test, &asides[n], aside_contend, NULL);
	for (n = 0; n < CONTENDERS; n++)
		won += aside_join(test, &asides[n]);
	KUNIT_EXPECT_GT(test, won, 0L);
	KUNIT_EXPECT_EQ(test, (long)atomic_read(&kt.setups), won);
	KUNIT_EXPECT_EQ(test, (long)atomic_read(&kt.cleanups), won);
}

static void an_instance_goes_youngest_first(struct kunit *test)
{
	static const char * const names[] = { "i0", "i1", "i2" };
	struct obd_device *obd, *other = kt_start(test, "other");
	size_t n;

	for (n = 0; n < ARRAY_SIZE(names); n++) {
		obd = class_attach(KT_NAME, names[n], "kunit_UUID", 0x77, NULL);
		KUNIT_ASSERT_FALSE(test, IS_ERR(obd));
		KUNIT_EXPECT_EQ(test, kt_set_up(obd), 0);
		class_decref(obd, OBD_REF_LOOKUP);
	}
	KUNIT_EXPECT_EQ(test, class_cleanup_instance(0x78, true, NULL), 0);
	KUNIT_EXPECT_EQ(test, class_cleanup_instance(0x77, true, NULL), 3);
	KUNIT_EXPECT_STREQ(test, kt.order, "i2i1i0");
	KUNIT_EXPECT_EQ(test, class_obd_devs_count(), kt.devices + 1);
	kt_end(test, other);
}

static struct gate *leave_gate;

/* The work that frees a device's own export waits here. */
static void leave_late(struct obd_export *exp)
{
	kt_pass(leave_gate);
}

/* The device is detached; the work that frees it has started, and waits. */
static struct obd_device *life_leaving(struct kunit *test, struct gate *gate)
{
	struct obd_device *obd = kt_start(test, "life");

	gate_init(gate);
	leave_gate = gate;
	obd->obd_self_export->exp_destroy = leave_late;
	KUNIT_ASSERT_EQ(test, class_manual_cleanup(obd, false, NULL), 0);
	gate_await(test, gate);
	return obd;
}

static long aside_put_detached(void *obd)
{
	return class_put_detached(obd, FIXTURE_WAIT);
}

static unsigned int devices_of_type(void)
{
	return READ_ONCE(kt_type.typ_refcnt);
}

static void what_was_detached_is_freed_before_the_return(struct kunit *test)
{
	struct obd_device *obd;
	struct aside put;
	struct gate gate;

	obd = life_leaving(test, &gate);
	aside_start(test, &put, aside_put_detached, obd);
	aside_await_sleep(test, &put);
	KUNIT_EXPECT_EQ(test, devices_of_type(), 1U);
	complete(&gate.leave);
	KUNIT_EXPECT_GT(test, aside_join(test, &put), 0L);
	KUNIT_EXPECT_EQ(test, devices_of_type(), 0U);
}

static void who_looked_it_up_is_waited_for(struct kunit *test)
{
	struct obd_device *obd = kt_start(test, "life");
	struct aside put;

	class_incref(obd, OBD_REF_LOOKUP);
	KUNIT_ASSERT_EQ(test, class_manual_cleanup(obd, false, NULL), 0);
	aside_start(test, &put, aside_put_detached, obd);
	aside_await_sleep(test, &put);
	class_decref(obd, OBD_REF_LOOKUP);
	KUNIT_EXPECT_GT(test, aside_join(test, &put), 0L);
	KUNIT_EXPECT_EQ(test, devices_of_type(), 0U);
}

static void who_stays_is_waited_for_with_a_bound(struct kunit *test)
{
	struct obd_device *obd = kt_start(test, "life");
	ktime_t start;

	class_incref(obd, OBD_REF_LOOKUP);
	KUNIT_ASSERT_EQ(test, class_manual_cleanup(obd, false, NULL), 0);
	start = ktime_get();
	KUNIT_EXPECT_EQ(test, class_put_detached(obd, HZ / 5), 0L);
	KUNIT_EXPECT_GE(test, ktime_ms_delta(ktime_get(), start), 190LL);
	KUNIT_EXPECT_EQ(test, devices_of_type(), 1U);
	obd_zombie_barrier();
	class_decref(obd, OBD_REF_LOOKUP);
	KUNIT_EXPECT_EQ(test, devices_of_type(), 0U);
}

/* The wait does not include the reference of a device above. */
static void a_device_above_is_not_waited_for(struct kunit *test)
{
	struct obd_device *obd = kt_start(test, "life");
	ktime_t start;

	class_incref(obd, OBD_REF_TARGET);
	KUNIT_ASSERT_EQ(test, class_manual_cleanup(obd, false, NULL), 0);
	start = ktime_get();
	KUNIT_EXPECT_EQ(test, class_put_detached(obd, FIXTURE_WAIT), 0L);
	KUNIT_EXPECT_LT(test, ktime_ms_delta(ktime_get(), start),
			jiffies_to_msecs(FIXTURE_WAIT));
	/* Its own export has a reference until a work has freed it. */
	obd_zombie_barrier();
	class_decref(obd, OBD_REF_TARGET);
	KUNIT_EXPECT_EQ(test, devices_of_type(), 0U);
}

static struct task_struct *victim;

static long aside_killed(void *obd)
{
	allow_signal(SIGKILL);
	WRITE_ONCE(victim, current);
	return class_put_detached(obd, FIXTURE_WAIT);
}

static void who_waits_for_it_can_be_killed(struct kunit *test)
{
	struct obd_device *obd;
	struct aside put;
	struct gate gate;

	obd = life_leaving(test, &gate);
	victim = NULL;
	aside_start(test, &put, aside_killed, obd);
	while (!READ_ONCE(victim))
		msleep(20);
	send_sig(SIGKILL, victim, 1);
	KUNIT_EXPECT_EQ(test, aside_join(test, &put), 0L);
	KUNIT_EXPECT_EQ(test, devices_of_type(), 1U);
	complete(&gate.leave);
	obd_zombie_barrier();
	KUNIT_EXPECT_EQ(test, devices_of_type(), 0U);
}

static void what_could_not_be_attached_is_freed(struct kunit *test)
{
	struct obd_device *obd = kt_attach(test, "life");

	KUNIT_EXPECT_EQ(test, PTR_ERR(class_attach(KT_NAME, "life", "kunit_UUID",
						   0, NULL)), -EEXIST);
	KUNIT_EXPECT_EQ(test, devices_of_type(), 1U);
	kt_end(test, obd);
}

static long aside_cleanup_instance(void *unused)
{
	return class_cleanup_instance(0x77, true, NULL);
}

static void an_instance_is_freed_before_the_return(struct kunit *test)
{
	struct obd_device *obd;
	struct aside cleanup;
	struct gate gate;

	gate_init(&gate);
	leave_gate = &gate;
	obd = class_attach(KT_NAME, "i0", "kunit_UUID", 0x77, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(obd));
	obd->obd_self_export->exp_destroy = leave_late;
	class_decref(obd, OBD_REF_LOOKUP);
	aside_start(test, &cleanup, aside_cleanup_instance, NULL);
	gate_await(test, &gate);
	aside_await_sleep(test, &cleanup);
	complete(&gate.leave);
	KUNIT_EXPECT_EQ(test, aside_join(test, &cleanup), 1L);
	KUNIT_EXPECT_EQ(test, devices_of_type(), 0U);
}

static struct kunit_case life_cases[] = {
	KUNIT_CASE(every_operation_in_every_state),
	KUNIT_CASE(nothing_else_while_setup_runs),
	KUNIT_CASE(a_failed_setup_leaves_it_attached),
	KUNIT_CASE(each_setup_is_undone_once),
	KUNIT_CASE(each_holder_is_counted),
	KUNIT_CASE(cleanup_waits_for_an_operation),
	KUNIT_CASE(cleanup_gives_up_and_names_the_holder),
	KUNIT_CASE(parameters_live_from_setup_to_cleanup),
	KUNIT_CASE(an_unwell_device_is_named),
	KUNIT_CASE(operations_are_refused_or_counted),
	KUNIT_CASE(contenders_for_a_name_leave_nothing),
	KUNIT_CASE(an_instance_goes_youngest_first),
	KUNIT_CASE(what_was_detached_is_freed_before_the_return),
	KUNIT_CASE(who_looked_it_up_is_waited_for),
	KUNIT_CASE(who_stays_is_waited_for_with_a_bound),
	KUNIT_CASE(a_device_above_is_not_waited_for),
	KUNIT_CASE(who_waits_for_it_can_be_killed),
	KUNIT_CASE(what_could_not_be_attached_is_freed),
	KUNIT_CASE(an_instance_is_freed_before_the_return),
	{}
};

static struct kunit_suite life_suite = {
	.name = "obd_life",
	.suite_init = client_suite_init,
	.init = obd_fixture_init,
	.exit = obd_fixture_exit,
	.test_cases = life_cases,
};
kunit_test_suite(life_suite);

MODULE_DESCRIPTION("life of a device");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
