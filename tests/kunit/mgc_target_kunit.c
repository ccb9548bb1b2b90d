// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets: their registration, whose time is bounded for any behaviour of the service, and
 * their NIDs in the table.
 *
 * Every: 2
 */
#include "mgc_fixture.h"

#define TARGET	"lustre-OST0001"

static const struct mgc_target the_target = {
	.flags = LDD_F_SV_TYPE_OST,
	.index = 1,
	.fsname = MF_FS,
	.svname = TARGET,
	.uuid = TARGET "_UUID",
	.params = "",
	.instance = 7,
};

static int register_target(unsigned int wait_sec, struct obd_why *why)
{
	struct mgc_target target = the_target;

	why->text[0] = '\0';
	return mgc_target_register(mf.mgc, &target, wait_sec, why);
}

static void target_is_registered(struct kunit *test)
{
	struct obd_why why;

	KUNIT_EXPECT_EQ_MSG(test, register_target(MF_WAIT_SEC, &why), 0, "%s", why.text);
}

static void register_without_service(struct kunit *test)
{
	struct obd_why why;

	KUNIT_EXPECT_EQ(test, KT_RETRIED(register_target(1, &why)), -ENOTCONN);
	KUNIT_EXPECT_EQ(test, KT_RETRIED(register_target(0, &why)), -ENOTCONN);
}

static void no_service_is_waited_for_once(struct kunit *test)
{
	mf_server_stop(test);
	KUNIT_EXPECT_TRUE(test, MF_IS_QUICK(register_without_service(test), 4000));
}

static long register_aside(void *why)
{
	return KT_RETRIED(register_target(1, why));
}

/* It disconnected, which is not noticed yet. */
static void service_that_went_unseen_is_not_waited_for(struct kunit *test)
{
	struct obd_why why;
	struct aside aside;

	KUNIT_EXPECT_TRUE(test, MF_AWAIT(mf_connected()));
	mf_server_stop(test);
	lnet_reset(&init_net, NULL);
	aside_start(test, &aside, register_aside, &why);
	KUNIT_EXPECT_EQ(test, (long)-ENOTCONN, aside_join(test, &aside));
}

static void register_without_answer(struct kunit *test)
{
	struct obd_why why;

	KUNIT_EXPECT_NE(test, register_target(1, &why), 0);
	kc_expect_says(test, &why, "management service");
}

/* The service is reachable, and does not answer: the wait is bounded. */
static void silent_service_is_waited_for_once(struct kunit *test)
{
	unsigned int adaptive = at_max;
	struct obd_why why;

	KUNIT_ASSERT_EQ_MSG(test, register_target(MF_WAIT_SEC, &why), 0, "%s", why.text);
	WRITE_ONCE(mf.held, true);
	/* It sends no early reply either. */
	WRITE_ONCE(at_max, 0);
	KUNIT_EXPECT_TRUE(test, MF_IS_QUICK(register_without_answer(test), 6000));
	WRITE_ONCE(at_max, adaptive);
	complete_all(&mf.hold);
}

static void follow_without_time(struct kunit *test)
{
	struct obd_why why;

	KUNIT_EXPECT_TRUE(test, IS_ERR(mf_follow_with(test, MF_INSTANCE, NULL, 0, &why)));
	kc_expect_says(test, &why, "does not answer");
}

/* The time is over, and the service is reachable: the caller does not wait. */
static void log_without_time_is_not_waited_for(struct kunit *test)
{
	mf_server_stop(test);
	KUNIT_EXPECT_TRUE(test, MF_IS_QUICK(follow_without_time(test), 4000));
}

/* A target that started without the service. */

#define TARGETS		"mgc/MGC" MF_NID "/targets"

/* struct told - results that the target got */
struct told {
	unsigned int	times;
	u32		instance;
	int		rc;
};

static int tell(void *data, const struct mgc_target *target,
		struct obd_why *why)
{
	struct told *told = data;

	told->instance = target->instance;
	WRITE_ONCE(told->times, told->times + 1);
	return told->rc ? obd_refuse(why, told->rc, "the disk is full") : 0;
}

/* Whether a text of the parameter has @text in it. */
static bool targets_warn(struct kunit *test, const char *text)
{
	struct params_value_rec *rec;
	unsigned int n;

	KUNIT_EXPECT_EQ(test, client_read(fx.client, TARGETS), 0L);
	for (n = 0; (rec = client_rec(fx.client, n)); n++)
		if (rec->vr_type == PARAMS_V_STRING &&
		    strnstr(client_rec_value(rec), text, rec->vr_len))
			return true;
	return false;
}

/* Another one, which the client connects to at once. */
static void service_restarts(struct kunit *test)
{
	mf_server_stop(test);
	mf_server_start(test);
	KUNIT_EXPECT_EQ(test, mf_recover(), 0);
}

/* So often, and no more often than an answer came too late. */
static bool registrations_are(unsigned int times)
{
	unsigned int now = READ_ONCE(mf.registrations);

	return now >= times && now <= times + mf_timeouts();
}

static void target_registers_when_the_service_is_back(struct kunit *test)
{
	struct told told = {};
	struct mgc_deferred *la;

	mf_server_stop(test);
	la = mgc_deferred_start(mf.mgc, &the_target, false, tell, &told);
	KUNIT_ASSERT_NOT_NULL(test, la);
	KUNIT_EXPECT_TRUE(test, targets_warn(test, "waiting"));
	mf_server_start(test);
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(targets_warn(test, "registered")));
	KUNIT_EXPECT_EQ(test, told.times, 1U);
	KUNIT_EXPECT_EQ(test, told.instance, 7U);
	/* It registers once, also if the connection is lost and restored. */
	mf_recover();
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(mf_connected()));
	KUNIT_EXPECT_TRUE(test, targets_warn(test, "registered"));
	mgc_deferred_end(la);
	KUNIT_EXPECT_TRUE(test, registrations_are(1));
	KUNIT_EXPECT_EQ(test, told.times, 1U);
	KUNIT_EXPECT_FALSE(test, targets_warn(test, TARGET));
}

static void evict_client(struct kunit *test)
{
	struct obd_export *exp = mf_client_export(test);

	class_fail_export(exp);
	class_export_put(exp);
	KUNIT_EXPECT_EQ(test, mf_recover(), 0);
}

static bool registered_times(struct kunit *test, unsigned int times)
{
	return MF_AWAIT(READ_ONCE(mf.registrations) >= times) &&
	       MF_AWAIT(targets_warn(test, "registered")) && registrations_are(times);
}

/* The service has forgotten the targets of this node: they could start elsewhere. */
static void target_registers_again_where_it_is_forgotten(struct kunit *test)
{
	struct mgc_target target = the_target;
	struct mgc_deferred *la;
	struct obd_why why = {};

	KUNIT_ASSERT_EQ_MSG(test, mgc_target_register(mf.mgc, &target, MF_WAIT_SEC, &why),
			    0, "%s", why.text);
	la = mgc_deferred_start(mf.mgc, &target, true, NULL, NULL);
	KUNIT_ASSERT_NOT_NULL(test, la);
	KUNIT_EXPECT_TRUE(test, registered_times(test, 1));
	service_restarts(test);
	KUNIT_EXPECT_TRUE(test, registered_times(test, 2));
	evict_client(test);
	KUNIT_EXPECT_TRUE(test, registered_times(test, 3));
	mgc_deferred_end(la);
}

/* ... also when that happens before it has begun to be kept registered. */
static void target_forgotten_at_its_start_registers_again(struct kunit *test)
{
	struct mgc_target target = the_target;
	struct mgc_deferred *la;
	struct obd_why why = {};

	KUNIT_ASSERT_EQ_MSG(test, mgc_target_register(mf.mgc, &target, MF_WAIT_SEC, &why),
			    0, "%s", why.text);
	evict_client(test);
	la = mgc_deferred_start(mf.mgc, &target, true, NULL, NULL);
	KUNIT_ASSERT_NOT_NULL(test, la);
	KUNIT_EXPECT_TRUE(test, registered_times(test, 2));
	mgc_deferred_end(la);
}

static int tell_and_evict(void *data, const struct mgc_target *target,
			  struct obd_why *why)
{
	if (READ_ONCE(mf.registrations) == 1)
		evict_client(data);
	return 0;
}

/* The service forgets it before the answer is processed. */
static void target_that_is_forgotten_meanwhile_registers_again(struct kunit *test)
{
	struct mgc_deferred *la;

	KUNIT_EXPECT_TRUE(test, MF_AWAIT(mf_connected()));
	la = mgc_deferred_start(mf.mgc, &the_target, false, tell_and_evict, test);
	KUNIT_ASSERT_NOT_NULL(test, la);
	KUNIT_EXPECT_TRUE(test, registered_times(test, 2));
	mgc_deferred_end(la);
}

/* The notice of an eviction arrives after the target has registered again. */
static void late_notice_of_an_eviction_is_no_news(struct kunit *test)
{
	struct mgc_deferred *la;

	KUNIT_EXPECT_TRUE(test, MF_AWAIT(mf_connected()));
	la = mgc_deferred_start(mf.mgc, &the_target, false, NULL, NULL);
	KUNIT_ASSERT_NOT_NULL(test, la);
	KUNIT_EXPECT_TRUE(test, registered_times(test, 1));
	mf.mgc->obd_type->typ_dt_ops->o_import_event(
		mf.mgc, mf.mgc->obd_cli->cl_import, IMP_EVENT_INVALIDATE);
	KUNIT_EXPECT_TRUE(test, targets_warn(test, "registered"));
	mgc_deferred_end(la);
}

/* The service is reachable again when the target registers. */
static void target_registers_at_once(struct kunit *test)
{
	struct mgc_deferred *la;

	KUNIT_EXPECT_TRUE(test, MF_AWAIT(mf_connected()));
	la = mgc_deferred_start(mf.mgc, &the_target, false, NULL, NULL);
	KUNIT_ASSERT_NOT_NULL(test, la);
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(targets_warn(test, "registered")));
	mgc_deferred_end(la);
}

static void refused_target_is_shown(struct kunit *test)
{
	struct told told = { .rc = -ENOSPC };
	struct mgc_deferred *la;

	mf.refuse = -EACCES;
	la = mgc_deferred_start(mf.mgc, &the_target, false, tell, &told);
	KUNIT_ASSERT_NOT_NULL(test, la);
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(targets_warn(test, "refused")));
	KUNIT_EXPECT_TRUE(test, targets_warn(test, "errno 13"));
	KUNIT_EXPECT_EQ(test, told.times, 0U);
	/* The service accepts it now, and the target refuses the result. */
	mf.refuse = 0;
	service_restarts(test);
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(targets_warn(test, "the disk is full")));
	mgc_deferred_end(la);
}

/* The reason passes while the connection lives; it counts, and is logged once. */
static void passing_refusal_is_tried_again(struct kunit *test)
{
	struct mgc_deferred *la;
	u64 cursor = 0;

	KUNIT_EXPECT_TRUE(test, MF_AWAIT(mf_connected()));
	KUNIT_ASSERT_GE(test, client_log_count(fx.client, &cursor, TARGET), 0);
	mf.refuse = -EBUSY;
	mf.refuse_left = 2;
	la = mgc_deferred_start(mf.mgc, &the_target, false, NULL, NULL);
	KUNIT_ASSERT_NOT_NULL(test, la);
	/*
	 * If the connection is new to the target, it has been tried again already; or the answer
	 * that says so came too late.
	 */
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(targets_warn(test, "in 1 s") || mf_timeouts()));
	KUNIT_EXPECT_TRUE(test, registered_times(test, 3));
	KUNIT_EXPECT_EQ(test, client_log_count(fx.client, &cursor, "but not registered"), 1);
	mgc_deferred_end(la);
}

/* A service that is gone, or does not answer, does not delay the end. */
static void target_ends_before_it_is_registered(struct kunit *test)
{
	unsigned int adaptive = at_max;
	struct mgc_deferred *la;
	ktime_t begin;

	KUNIT_EXPECT_TRUE(test, MF_AWAIT(mf_connected()));
	WRITE_ONCE(mf.held, true);
	WRITE_ONCE(at_max, 0);
	la = mgc_deferred_start(mf.mgc, &the_target, false, NULL, NULL);
	KUNIT_ASSERT_NOT_NULL(test, la);
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(atomic_read(&mf.waiting)));
	begin = ktime_get();
	mgc_deferred_end(la);
	KUNIT_EXPECT_LT(test, ktime_ms_delta(ktime_get(), begin), MF_SOON_MS);
	WRITE_ONCE(at_max, adaptive);
	complete_all(&mf.hold);
	mf_server_stop(test);
	begin = ktime_get();
	la = mgc_deferred_start(mf.mgc, &the_target, false, NULL, NULL);
	KUNIT_ASSERT_NOT_NULL(test, la);
	mgc_deferred_end(la);
	KUNIT_EXPECT_LT(test, ktime_ms_delta(ktime_get(), begin), MF_SOON_MS);
}

/* NIDs of the table. */

#define OSC(n)	"lustre-OST000" n "-osc"
/* No node has these NIDs. */
#define NAMED		"198.51.100.2@tcp"
#define ELSEWHERE	"198.51.100.9@tcp"
#define DYNAMIC		"mgc/MGC" MF_NID "/dynamic_nids"

static void add_osc(const char *osc, const char *target)
{
	mf_add(MF_LOG, LCFG_ADD_UUID, NULL, KC_ARGS("server-b", NAMED));
	mf_add(MF_LOG, LCFG_ATTACH, osc, KC_ARGS("osc", "osc_UUID"));
	mf_add(MF_LOG, LCFG_SETUP, osc, KC_ARGS(target, "server-b"));
}

/* Two servers, or without the parameter only that of the log. */
static bool servers_have(struct kunit *test, const char *osc, bool elsewhere)
{
	char servers[128];

	mf_import_servers(test, osc, servers, sizeof(servers));
	return strlen(servers) == strlen("server-b ") +
				  (elsewhere ? strlen(ELSEWHERE " ") : 0) &&
	       strstr(servers, "server-b ") &&
	       !strstr(servers, ELSEWHERE " ") == !elsewhere;
}

static bool table_is_read(void)
{
	return mf_acked(MF_FS, CONFIG_T_RECOVER) == mf.table;
}

static void nids_of_the_table_are_used(struct kunit *test)
{
	struct mgc_log *log;

	add_osc(OSC("1"), TARGET "_UUID");
	mf_tell_table(1, 7, NAMED);
	log = mf_follow(test);
	/* They are not used by default. */
	mf_tell_table(1, 8, ELSEWHERE);
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(table_is_read()));
	KUNIT_EXPECT_TRUE(test, servers_have(test, OSC("1") MF_SUFFIX, false));
	KUNIT_EXPECT_EQ(test, client_write(fx.client, DYNAMIC, "1"), 0L);
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(servers_have(test, OSC("1") MF_SUFFIX, true)));
	/* A server that the log names is not added again. */
	mf_tell_table(1, 9, NAMED);
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(table_is_read()));
	KUNIT_EXPECT_TRUE(test, servers_have(test, OSC("1") MF_SUFFIX, true));
	mgc_log_end(log);
}

static void nids_of_the_table_wait_for_devices(struct kunit *test)
{
	struct mgc_log *log;

	KUNIT_EXPECT_EQ(test, client_write(fx.client, DYNAMIC, "1"), 0L);
	mf_add(MF_LOG, LCFG_ADD_UUID, NULL, KC_ARGS("server-b", NAMED));
	log = mf_follow(test);
	mf_tell_table(2, 7, ELSEWHERE);
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(table_is_read()));
	add_osc(OSC("2"), "lustre-OST0002_UUID");
	mf_tell(MF_FS, CONFIG_T_CONFIG);
	KUNIT_EXPECT_TRUE(test, mf_await_ack(MF_LOG, CONFIG_T_CONFIG));
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(servers_have(test, OSC("2") MF_SUFFIX, true)));
	mgc_log_end(log);
}

static struct kunit_case mgc_target_cases[] = {
	KUNIT_CASE(target_is_registered),
	KUNIT_CASE(no_service_is_waited_for_once),
	KUNIT_CASE(service_that_went_unseen_is_not_waited_for),
	KUNIT_CASE(silent_service_is_waited_for_once),
	KUNIT_CASE(log_without_time_is_not_waited_for),
	KUNIT_CASE(target_registers_when_the_service_is_back),
	KUNIT_CASE(target_registers_again_where_it_is_forgotten),
	KUNIT_CASE(target_forgotten_at_its_start_registers_again),
	KUNIT_CASE(target_that_is_forgotten_meanwhile_registers_again),
	KUNIT_CASE(late_notice_of_an_eviction_is_no_news),
	KUNIT_CASE(target_registers_at_once),
	KUNIT_CASE(refused_target_is_shown),
	KUNIT_CASE(passing_refusal_is_tried_again),
	KUNIT_CASE(target_ends_before_it_is_registered),
	KUNIT_CASE(nids_of_the_table_are_used),
	KUNIT_CASE(nids_of_the_table_wait_for_devices),
	{}
};

static struct kunit_suite mgc_target_suite = {
	.name = "mgc_target",
	.suite_init = mf_suite_init,
	.init = mf_init,
	.exit = mf_exit,
	.test_cases = mgc_target_cases,
};
kunit_test_suite(mgc_target_suite);

MODULE_DESCRIPTION("the management client of a target");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
