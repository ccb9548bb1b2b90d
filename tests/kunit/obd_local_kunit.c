// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client device and its target in one kernel: connect, calls, eviction, and
 * the end of either while the other is connected.
 *
 * Every: 2
 */
#include "obd_import_fixture.h"

#define SOON	(60 * HZ)	/* no end of a device may take longer */

static int statfs(struct obd_export *exp)
{
	struct obd_statfs st = {};
	int rc = obd_statfs(exp, &st, 0);

	return rc ?: st.os_blocks == 77 ? 0 : -EBADMSG;
}

static long aside_statfs(void *exp)
{
	return statfs(exp);
}

static long aside_cleanup(void *obd)
{
	return class_cleanup(obd, false, false, NULL);
}

/* The client's export at the target, referenced. */
static struct obd_export *target_export(struct kunit *test,
					struct obd_device *srv)
{
	struct obd_uuid uuid = kt_uuid("cli_UUID");
	struct obd_export *exp = obd_export_by_uuid(srv, &uuid);

	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(exp));
	return exp;
}

static void evict(struct kunit *test, struct obd_device *srv)
{
	struct obd_export *exp = target_export(test, srv);

	class_fail_export(exp);
	class_export_put(exp);
}

static void a_client_calls_its_target(struct kunit *test)
{
	struct obd_device *srv = ki_start_target(test);
	struct obd_device *cli = ki_start_client(test, KI_LO);
	struct obd_export *exp = ki_connected(test, cli), *peer;
	u32 val = 5, len = sizeof(val);

	KI_EXPECT_STATE(test, ki_import(cli), FULL);
	peer = target_export(test, srv);
	KUNIT_EXPECT_EQ(test, peer->exp_conn_cnt, 1U);
	KUNIT_EXPECT_EQ(test, peer->exp_handle.h_cookie,
			ki_import(cli)->imp_remote_handle.cookie);
	class_export_put(peer);
	KUNIT_EXPECT_EQ(test, statfs(exp), 0);
	KUNIT_EXPECT_EQ(test, obd_set_info_async(exp, "value", &val, len), 0);
	KUNIT_EXPECT_EQ(test, ki.value, 5U);
	val = 0;
	KUNIT_EXPECT_EQ(test, obd_get_info(exp, "value", &val, &len), 0);
	KUNIT_EXPECT_EQ(test, val, 5U);
	/* What the target says is handed back as it is. */
	KUNIT_EXPECT_EQ(test, obd_get_info(exp, "nosuch", &val, &len), -EINVAL);
	ki.statfs_rc = -EIO;
	KUNIT_EXPECT_EQ(test, statfs(exp), -EIO);
	KI_EXPECT_STATE(test, ki_import(cli), FULL);
	KUNIT_EXPECT_EQ(test, obd_disconnect(exp), 0);
	KI_EXPECT_STATE(test, ki_import(cli), CLOSED);
	KUNIT_EXPECT_EQ(test, ki.disconnects, 1U);
	kt_end(test, cli);
	kt_end(test, srv);
}

static void users_share_one_connection(struct kunit *test)
{
	struct obd_device *srv = ki_start_target(test);
	struct obd_device *cli = ki_start_client(test, KI_LO);
	struct obd_export *one = ki_connected(test, cli);
	struct obd_export *two = ki_connected(test, cli);

	KUNIT_EXPECT_PTR_EQ(test, one, two);
	KUNIT_EXPECT_EQ(test, cli->obd_cli->cl_conn_count, 2U);
	KUNIT_EXPECT_EQ(test, ki.connects, 1U);
	KUNIT_EXPECT_EQ(test, obd_disconnect(one), 0);
	KUNIT_EXPECT_EQ(test, ki.disconnects, 0U);
	KUNIT_EXPECT_EQ(test, statfs(two), 0);
	KUNIT_EXPECT_EQ(test, obd_disconnect(two), 0);
	KUNIT_EXPECT_EQ(test, ki.disconnects, 1U);
	KUNIT_EXPECT_TRUE(test, cli->obd_cli->cl_export == NULL);
	/* And once more from the start. */
	one = ki_connected(test, cli);
	KUNIT_EXPECT_EQ(test, statfs(one), 0);
	KI_EXPECT_STATE(test, ki_import(cli), FULL);
	KUNIT_EXPECT_EQ(test, obd_disconnect(one), 0);
	KUNIT_EXPECT_EQ(test, ki.connects, 2U);
	kt_end(test, cli);
	kt_end(test, srv);
}

/* The export that users share is taken from all of them. */
static void evicted_users_reconnect(struct kunit *test)
{
	struct obd_device *srv = ki_start_target(test);
	struct obd_device *cli = ki_start_client(test, KI_LO);
	struct obd_export *one = ki_connected(test, cli);
	struct obd_export *two = ki_connected(test, cli), *again;

	class_fail_export(one);
	KI_EXPECT_STATE(test, ki_import(cli), CLOSED);
	KUNIT_EXPECT_EQ(test, cli->obd_cli->cl_conn_count, 0U);
	KUNIT_EXPECT_EQ(test, statfs(two), -ENOTCONN);
	again = ki_connected(test, cli);
	KUNIT_EXPECT_PTR_NE(test, again, one);
	/* Evicted clients send neither requests nor a disconnect. */
	KUNIT_EXPECT_EQ(test, statfs(two), -ENOTCONN);
	KUNIT_EXPECT_EQ(test, obd_disconnect(one), 0);
	KUNIT_EXPECT_EQ(test, obd_disconnect(two), 0);
	KUNIT_EXPECT_EQ(test, cli->obd_cli->cl_conn_count, 1U);
	KUNIT_EXPECT_EQ(test, statfs(again), 0);
	KUNIT_EXPECT_EQ(test, obd_disconnect(again), 0);
	kt_end(test, cli);
	kt_end(test, srv);
}

static void a_failed_connect_leaves_nothing(struct kunit *test)
{
	struct obd_device *cli = ki_start_client(test, KI_LO);
	struct obd_export *exp = NULL;
	struct obd_device *srv;
	struct obd_why why = {};

	KUNIT_EXPECT_EQ(test, ki_connect(cli, &exp), -ENODEV);
	KI_EXPECT_STATE(test, ki_import(cli), DISCON);
	KUNIT_EXPECT_EQ(test, cli->obd_cli->cl_conn_count, 0U);
	KUNIT_EXPECT_EQ(test, cli->obd_num_exports, 1U);
	KUNIT_EXPECT_EQ(test, import_connect(ki_import(cli), &why), -ENODEV);
	KUNIT_EXPECT_STREQ(test, why.text,
			   "cli: cannot connect to srv_UUID; server 0@lo at 0@lo: rc = -19");
	/* Attached and not set up is not there either. */
	srv = ki_attach(test, "kunit_srv", "srv", "srv_UUID");
	KUNIT_EXPECT_EQ(test, ki_connect(cli, &exp), -ENODEV);
	KUNIT_EXPECT_EQ(test, ki_set_up(srv, NULL, NULL, NULL), 0);
	ki.connect_rc = -ENOSPC;
	KUNIT_EXPECT_EQ(test, ki_connect(cli, &exp), -ENOSPC);
	ki.connect_rc = 0;
	KUNIT_EXPECT_EQ(test, ki_connect(cli, &exp), 0);
	KUNIT_EXPECT_EQ(test, obd_disconnect(exp), 0);
	kt_end(test, cli);
	kt_end(test, srv);
}

static void a_target_is_no_client(struct kunit *test)
{
	struct obd_device *cli = ki_start_client(test, KI_LO), *other;
	struct obd_export *exp = NULL;

	other = ki_attach(test, "kunit_cli", "other", "srv_UUID");
	KUNIT_ASSERT_EQ(test, ki_set_up(other, "cli_UUID", KI_LO, NULL), 0);
	KUNIT_EXPECT_EQ(test, ki_connect(cli, &exp), -EINVAL);
	KUNIT_EXPECT_EQ(test, ki_connect(other, &exp), -EINVAL);
	kt_end(test, other);
	kt_end(test, cli);
}

/* A client that is watched does not wait for its target, which says no here. */
static void a_target_is_not_the_device_above(struct kunit *test)
{
	struct obd_device *srv = ki_start_target(test);
	struct obd_device *cli = ki_start_client(test, KI_LO);
	struct obd_export *exp;

	client_set_watcher(cli, srv);
	exp = ki_connected(test, cli);
	flush_work(&cli->obd_cli->cl_connect);
	KI_EXPECT_STATE(test, ki_import(cli), DISCON);
	KUNIT_EXPECT_EQ(test, ki.connects, 0U);
	KUNIT_EXPECT_EQ(test, obd_disconnect(exp), 0);
	client_set_watcher(cli, NULL);
	exp = ki_connected(test, cli);
	KI_EXPECT_STATE(test, ki_import(cli), FULL);
	KUNIT_EXPECT_EQ(test, ki.connects, 1U);
	KUNIT_EXPECT_EQ(test, obd_disconnect(exp), 0);
	kt_end(test, cli);
	kt_end(test, srv);
}

static void an_evicted_client_comes_back(struct kunit *test)
{
	struct obd_device *srv = ki_start_target(test);
	struct obd_device *cli = ki_start_client(test, KI_LO);
	struct obd_export *exp = ki_connected(test, cli);
	struct obd_import *imp = ki_import(cli);
	u64 cookie = imp->imp_remote_handle.cookie;

	ki.event_count = 0;
	evict(test, srv);
	KI_EXPECT_STATE(test, imp, FULL);
	KUNIT_EXPECT_EQ(test, statfs(exp), -ENOTCONN);
	KI_EXPECT_STATE(test, imp, DISCON);
	KI_EXPECT_EVENTS(test, IMP_EVENT_DISCON);
	KUNIT_EXPECT_EQ(test, statfs(exp), 0);
	KI_EXPECT_STATE(test, imp, FULL);
	KI_EXPECT_EVENTS(test, IMP_EVENT_INACTIVE, IMP_EVENT_INVALIDATE,
			 IMP_EVENT_ACTIVE);
	KUNIT_EXPECT_EQ(test, (u32)ki_past(imp, 2), (u32)LUSTRE_IMP_EVICTED);
	KUNIT_EXPECT_NE(test, imp->imp_remote_handle.cookie, cookie);
	KUNIT_EXPECT_EQ(test, imp->imp_generation, 1U);
	KUNIT_EXPECT_EQ(test, ki.connects, 2U);
	KUNIT_EXPECT_EQ(test, obd_disconnect(exp), 0);
	kt_end(test, cli);
	kt_end(test, srv);
}

static void a_client_that_is_known_reconnects(struct kunit *test)
{
	struct obd_device *srv = ki_start_target(test);
	struct obd_device *cli = ki_start_client(test, KI_LO);
	struct obd_export *exp = ki_connected(test, cli), *peer;
	struct obd_import *imp = ki_import(cli);
	u64 cookie = imp->imp_remote_handle.cookie;

	KUNIT_EXPECT_EQ(test, import_recover(imp, NULL, NULL), 0);
	KUNIT_EXPECT_EQ(test, imp->imp_remote_handle.cookie, cookie);
	KUNIT_EXPECT_EQ(test, ki.reconnects, 1U);
	KUNIT_EXPECT_EQ(test, ki.connects, 1U);
	KUNIT_EXPECT_EQ(test, imp->imp_generation, 0U);
	peer = target_export(test, srv);
	KUNIT_EXPECT_EQ(test, peer->exp_conn_cnt, 2U);
	class_export_put(peer);
	KUNIT_EXPECT_EQ(test, statfs(exp), 0);
	KUNIT_EXPECT_EQ(test, obd_disconnect(exp), 0);
	kt_end(test, cli);
	kt_end(test, srv);
}

static void eviction_lets_a_call_end(struct kunit *test)
{
	struct obd_device *srv = ki_start_target(test);
	struct obd_device *cli = ki_start_client(test, KI_LO);
	struct obd_export *exp = ki_connected(test, cli);
	struct aside call;
	struct gate gate;

	gate_init(&gate);
	ki.statfs_gate = &gate;
	aside_start(test, &call, aside_statfs, exp);
	gate_await(test, &gate);
	evict(test, srv);
	KUNIT_EXPECT_FALSE(test, aside_is_done(&call));
	complete(&gate.leave);
	KUNIT_EXPECT_EQ(test, aside_join(test, &call), 0L);
	ki.statfs_gate = NULL;
	KUNIT_EXPECT_EQ(test, statfs(exp), -ENOTCONN);
	KUNIT_EXPECT_EQ(test, obd_disconnect(exp), 0);
	kt_end(test, cli);
	kt_end(test, srv);
}

static void a_ping_notices_eviction(struct kunit *test)
{
	struct obd_device *srv = ki_start_target(test);
	struct obd_device *cli = ki_start_client(test, KI_LO);
	struct obd_export *exp = ki_connected(test, cli);
	struct obd_import *imp = ki_import(cli);

	KUNIT_EXPECT_EQ(test, import_ping(imp), 0);
	evict(test, srv);
	KUNIT_EXPECT_EQ(test, import_ping(imp), -ENOTCONN);
	KI_EXPECT_STATE(test, imp, DISCON);
	KUNIT_EXPECT_EQ(test, import_ping(imp), 0);
	KI_EXPECT_STATE(test, imp, FULL);
	KUNIT_EXPECT_EQ(test, obd_disconnect(exp), 0);
	KUNIT_EXPECT_EQ(test, import_ping(imp), -ENOTCONN);
	kt_end(test, cli);
	kt_end(test, srv);
}

static void a_connected_client_does_not_keep_its_target(struct kunit *test)
{
	struct obd_device *srv = ki_start_target(test);
	struct obd_device *cli = ki_start_client(test, KI_LO);
	struct obd_export *exp = ki_connected(test, cli);
	unsigned long start = jiffies;

	KUNIT_EXPECT_EQ(test, class_cleanup(srv, false, false, NULL), 0);
	KUNIT_EXPECT_TRUE(test, time_before(jiffies, start + SOON));
	KUNIT_EXPECT_EQ(test, ki.cleanups, 1U);
	kt_end(test, srv);
	KUNIT_EXPECT_EQ(test, statfs(exp), -ENOTCONN);
	KI_EXPECT_STATE(test, ki_import(cli), DISCON);
	KUNIT_EXPECT_EQ(test, statfs(exp), -ENOTCONN);
	/* It comes back, with nothing of what it knew. */
	srv = ki_start_target(test);
	KUNIT_EXPECT_EQ(test, statfs(exp), 0);
	KI_EXPECT_STATE(test, ki_import(cli), FULL);
	KUNIT_EXPECT_EQ(test, (u32)ki_past(ki_import(cli), 2),
			(u32)LUSTRE_IMP_EVICTED);
	KUNIT_EXPECT_EQ(test, obd_disconnect(exp), 0);
	kt_end(test, cli);
	kt_end(test, srv);
}

static void a_target_waits_for_calls_only(struct kunit *test)
{
	struct obd_device *srv = ki_start_target(test);
	struct obd_device *cli = ki_start_client(test, KI_LO);
	struct obd_export *exp = ki_connected(test, cli);
	struct aside call, end;
	struct gate gate;

	gate_init(&gate);
	ki.statfs_gate = &gate;
	aside_start(test, &call, aside_statfs, exp);
	gate_await(test, &gate);
	aside_start(test, &end, aside_cleanup, srv);
	aside_await_sleep(test, &end);
	KUNIT_EXPECT_EQ(test, ki.cleanups, 0U);
	complete(&gate.leave);
	KUNIT_EXPECT_EQ(test, aside_join(test, &call), 0L);
	KUNIT_EXPECT_EQ(test, aside_join(test, &end), 0L);
	KUNIT_EXPECT_EQ(test, ki.cleanups, 1U);
	kt_end(test, srv);
	KUNIT_EXPECT_EQ(test, obd_disconnect(exp), 0);
	kt_end(test, cli);
}

static void cleanup_of_a_client_says_goodbye(struct kunit *test)
{
	struct obd_device *srv = ki_start_target(test);
	struct obd_device *cli = ki_start_client(test, KI_LO);
	struct obd_export *exp = ki_connected(test, cli);
	struct obd_export *again = ki_connected(test, cli);
	unsigned long until = jiffies + FIXTURE_WAIT;
	struct aside end;

	aside_start(test, &end, aside_cleanup, cli);
	while (time_before(jiffies, until) && !READ_ONCE(ki.disconnects))
		msleep(20);
	aside_await_sleep(test, &end);
	/* The target is rid of it; what waits is for those above. */
	KUNIT_EXPECT_EQ(test, ki.disconnects, 1U);
	KUNIT_EXPECT_EQ(test, srv->obd_num_exports, 1U);
	KUNIT_EXPECT_FALSE(test, aside_is_done(&end));
	KUNIT_EXPECT_EQ(test, cli->obd_cli->cl_conn_count, 0U);
	KUNIT_EXPECT_TRUE(test, cli->obd_cli->cl_export == NULL);
	KUNIT_EXPECT_EQ(test, statfs(exp), -ENODEV);
	KUNIT_EXPECT_EQ(test, obd_disconnect(exp), 0);
	KUNIT_EXPECT_FALSE(test, aside_is_done(&end));
	KUNIT_EXPECT_EQ(test, obd_disconnect(again), 0);
	KUNIT_EXPECT_EQ(test, aside_join(test, &end), 0L);
	kt_end(test, cli);
	kt_end(test, srv);
}

/* Clients that call without a pause, while the target throws them out. */
struct caller {
	struct obd_export	*exp;
	bool			stop;
	unsigned int		good;
	unsigned int		lost;
	int			other;
};

static long aside_calls(void *data)
{
	struct caller *c = data;
	int rc;

	while (!READ_ONCE(c->stop)) {
		rc = statfs(c->exp);
		if (!rc)
			c->good++;
		else if (rc == -ENOTCONN)
			c->lost++;
		else if (rc != -EIO)
			c->other = rc;
		cond_resched();
	}
	return 0;
}

static bool few_lost(const struct caller *callers)
{
	return READ_ONCE(callers[0].lost) + READ_ONCE(callers[1].lost) <= 10;
}

static void calls_survive_evictions(struct kunit *test)
{
	struct obd_device *srv = ki_start_target(test);
	struct obd_device *cli = ki_start_client(test, KI_LO);
	struct obd_uuid uuid = kt_uuid("cli_UUID");
	struct obd_export *exp = ki_connected(test, cli), *peer;
	struct caller callers[2] = { { exp }, { exp } };
	struct aside asides[2];
	unsigned int n;

	for (n = 0; n < 2; n++)
		aside_start(test, &asides[n], aside_calls, &callers[n]);
	for (n = 0; n < 50 || (few_lost(callers) && n < 500); n++) {
		peer = obd_export_by_uuid(srv, &uuid);
		if (!IS_ERR_OR_NULL(peer)) {
			class_fail_export(peer);
			class_export_put(peer);
		}
		msleep(20);
	}
	for (n = 0; n < 2; n++) {
		WRITE_ONCE(callers[n].stop, true);
		aside_join(test, &asides[n]);
		KUNIT_EXPECT_GT(test, callers[n].good, 0U);
		KUNIT_EXPECT_EQ(test, callers[n].other, 0);
	}
	KUNIT_EXPECT_FALSE(test, few_lost(callers));
	KUNIT_EXPECT_EQ(test, obd_disconnect(exp), 0);
	kt_end(test, cli);
	kt_end(test, srv);
}

static void calls_survive_the_end_of_the_target(struct kunit *test)
{
	struct obd_device *srv = ki_start_target(test);
	struct obd_device *cli = ki_start_client(test, KI_LO);
	struct obd_export *exp = ki_connected(test, cli);
	struct caller caller = { exp };
	struct aside aside;
	unsigned int n;

	aside_start(test, &aside, aside_calls, &caller);
	for (n = 0; n < 10; n++) {
		msleep(20);
		kt_end(test, srv);
		msleep(20);
		srv = ki_start_target(test);
	}
	msleep(20);
	WRITE_ONCE(caller.stop, true);
	aside_join(test, &aside);
	KUNIT_EXPECT_GT(test, caller.good, 0U);
	KUNIT_EXPECT_GT(test, caller.lost, 0U);
	KUNIT_EXPECT_EQ(test, caller.other, 0);
	KUNIT_EXPECT_EQ(test, ki.cleanups, 10U);
	KUNIT_EXPECT_EQ(test, obd_disconnect(exp), 0);
	kt_end(test, cli);
	kt_end(test, srv);
}

/* Those who connect and disconnect, beside one who steers the import. */
struct visitor {
	struct obd_device	*cli;
	bool			stop;
	unsigned int		turns;
	int			other;
};

static long aside_visitor(void *data)
{
	struct visitor *v = data;
	struct obd_export *exp = NULL;
	int rc;

	while (!READ_ONCE(v->stop)) {
		rc = ki_connect(v->cli, &exp);
		if (!rc) {
			statfs(exp);
			rc = obd_disconnect(exp);
		}
		/* It may be deactivated and activated between its turns. */
		if (rc && rc != -ENOTCONN)
			v->other = rc;
		v->turns++;
		cond_resched();
	}
	return 0;
}

/* As many of each make a race. */
#define VISITOR_TURNS	50

static long aside_steer(void *data)
{
	struct visitor *v = data;
	struct obd_import *imp = ki_import(v->cli);

	while (!READ_ONCE(v->stop)) {
		import_set_active(imp, false, NULL);
		import_set_active(imp, true, NULL);
		import_recover(imp, NULL, NULL);
		import_invalidate(imp);
		v->turns++;
		usleep_range(500, 1000);
	}
	return 0;
}

static void users_come_and_go_meanwhile(struct kunit *test)
{
	struct obd_device *srv = ki_start_target(test);
	struct obd_device *cli = ki_start_client(test, KI_LO);
	struct visitor visitors[4] = { { cli }, { cli }, { cli }, { cli } };
	struct obd_import *imp = ki_import(cli);
	struct aside asides[4];
	unsigned long end = jiffies + FIXTURE_WAIT;
	unsigned int n;

	for (n = 0; n < 4; n++)
		aside_start(test, &asides[n], n < 3 ? aside_visitor : aside_steer,
			    &visitors[n]);
	for (n = 0; n < 4; n++) {
		while (READ_ONCE(visitors[n].turns) < VISITOR_TURNS && time_before(jiffies, end))
			msleep(20);
	}
	for (n = 0; n < 4; n++) {
		WRITE_ONCE(visitors[n].stop, true);
		aside_join(test, &asides[n]);
		KUNIT_EXPECT_GT(test, visitors[n].turns, 0U);
		KUNIT_EXPECT_EQ(test, visitors[n].other, 0);
	}
	KUNIT_EXPECT_EQ(test, import_disconnect(imp), 0);
	KI_EXPECT_STATE(test, imp, CLOSED);
	KUNIT_EXPECT_EQ(test, cli->obd_cli->cl_conn_count, 0U);
	KUNIT_EXPECT_EQ(test, cli->obd_num_exports, 1U);
	KUNIT_EXPECT_EQ(test, srv->obd_num_exports, 1U);
	KUNIT_EXPECT_EQ(test, refcount_read(&imp->imp_refcount), 1U);
	KUNIT_EXPECT_EQ(test, atomic_read(&imp->imp_inval_count), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&imp->imp_inflight), 0);
	kt_end(test, cli);
	kt_end(test, srv);
}

#define EXPECT_NOTICES(test, ...)					\
do {									\
	static const enum obd_notify_event __want[] = { __VA_ARGS__ };	\
	unsigned int __n;						\
									\
	KUNIT_EXPECT_EQ(test, ki.notice_count,				\
			(unsigned int)ARRAY_SIZE(__want));		\
	for (__n = 0; __n < min_t(unsigned int, ki.notice_count,	\
				  ARRAY_SIZE(__want)); __n++)		\
		KUNIT_EXPECT_EQ(test, (u32)ki.notices[__n],		\
				(u32)__want[__n]);			\
	ki.notice_count = 0;						\
} while (0)

static void the_device_above_is_told(struct kunit *test)
{
	struct obd_device *srv = ki_start_target(test);
	struct obd_device *cli = ki_start_client(test, KI_LO);
	struct obd_device *up = ki_attach(test, "kunit_up", "up", "up_UUID");
	struct obd_export *exp = NULL;

	KUNIT_ASSERT_EQ(test, ki_set_up(up, NULL, NULL, NULL), 0);
	client_set_watcher(cli, up);
	KUNIT_EXPECT_EQ(test, atomic_read(&up->obd_refs[OBD_REF_TARGET]), 1);
	exp = ki_connected(test, cli);
	flush_work(&cli->obd_cli->cl_connect);
	/* The last one is the end of the first try. */
	EXPECT_NOTICES(test, OBD_NOTIFY_OCD, OBD_NOTIFY_ACTIVE,
		       OBD_NOTIFY_ACTIVE);
	KUNIT_EXPECT_EQ(test, import_set_active(ki_import(cli), false, NULL), 0);
	EXPECT_NOTICES(test, OBD_NOTIFY_INACTIVE);
	KUNIT_EXPECT_EQ(test, import_set_active(ki_import(cli), true, NULL), 0);
	EXPECT_NOTICES(test, OBD_NOTIFY_OCD, OBD_NOTIFY_ACTIVE);
	KUNIT_EXPECT_EQ(test, obd_disconnect(exp), 0);
	EXPECT_NOTICES(test, OBD_NOTIFY_INACTIVE);
	/* The end of the client is told too, and is the end of the watch. */
	KUNIT_EXPECT_EQ(test, class_cleanup(cli, false, false, NULL), 0);
	EXPECT_NOTICES(test, OBD_NOTIFY_INACTIVE);
	KUNIT_EXPECT_EQ(test, atomic_read(&up->obd_refs[OBD_REF_TARGET]), 0);
	kt_end(test, cli);
	kt_end(test, up);
	kt_end(test, srv);
}

static void a_deactivated_client_connects_when_activated(struct kunit *test)
{
	struct obd_device *srv = ki_start_target(test);
	struct obd_device *cli = ki_start_client(test, KI_LO);
	struct obd_export *exp = NULL;

	KUNIT_EXPECT_EQ(test, import_set_active(ki_import(cli), false, NULL), 0);
	exp = ki_connected(test, cli);
	KUNIT_EXPECT_EQ(test, ki.connects, 0U);
	KUNIT_EXPECT_EQ(test, statfs(exp), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, import_set_active(ki_import(cli), true, NULL), 0);
	KUNIT_EXPECT_EQ(test, ki.connects, 1U);
	KUNIT_EXPECT_EQ(test, statfs(exp), 0);
	KUNIT_EXPECT_EQ(test, obd_disconnect(exp), 0);
	kt_end(test, cli);
	kt_end(test, srv);
}

static void setup_wants_a_target_and_a_server(struct kunit *test)
{
	static const struct {
		const char	*target;
		const char	*server;
		int		rc;
		const char	*word;
	} rows[] = {
		{ NULL, NULL, -EINVAL, "a target as argument 1" },
		{ "", KI_LO, -EINVAL, "a target as argument 1" },
		{ "srv_UUID", NULL, -EINVAL, "a server as argument 2" },
		{ "srv_UUID", "nosuch", -ENOENT, "add_uuid nosuch" },
		{ "0123456789012345678901234567890123456789", KI_LO,
		  -ENAMETOOLONG, "more than 39 bytes" },
	};
	struct obd_device *cli = ki_attach(test, "kunit_cli", "cli", "cli_UUID");
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(rows); n++) {
		struct obd_why why = {};

		KUNIT_EXPECT_EQ(test, ki_set_up(cli, rows[n].target,
						rows[n].server, &why),
				rows[n].rc);
		KUNIT_EXPECT_TRUE_MSG(test, strstr(why.text, rows[n].word),
				      "%s", why.text);
		KUNIT_EXPECT_TRUE(test, cli->obd_cli == NULL);
	}
	KUNIT_EXPECT_EQ(test, ki_set_up(cli, "srv_UUID", KI_LO, NULL), 0);
	kt_end(test, cli);
}

/* Whether the value has this text among its records. */
static bool has_text(const char *path, const char *name, const char *text)
{
	struct params_value_rec *rec;
	unsigned int n;

	if (client_read(fx.client, path))
		return false;
	for (n = 0; (rec = client_rec(fx.client, n)); n++) {
		if (rec->vr_type == PARAMS_V_STRING &&
		    rec->vr_name_len == strlen(name) &&
		    !memcmp(rec + 1, name, strlen(name)) &&
		    rec->vr_len == strlen(text) &&
		    !memcmp(client_rec_value(rec), text, strlen(text)))
			return true;
	}
	return false;
}

static void parameters_show_the_import(struct kunit *test)
{
	struct obd_device *srv = ki_start_target(test);
	struct obd_device *cli = ki_start_client(test, KI_LO);
	struct obd_export *exp = NULL;

	KUNIT_EXPECT_TRUE(test, has_text("kunit_cli/cli/conn_uuid", "", "<none>"));
	KUNIT_EXPECT_TRUE(test, has_text("kunit_cli/cli/server_uuid", "",
					 "srv_UUID\tNEW"));
	exp = ki_connected(test, cli);
	KUNIT_EXPECT_TRUE(test, has_text("kunit_cli/cli/conn_uuid", "", KI_LO));
	KUNIT_EXPECT_TRUE(test, has_text("kunit_cli/cli/server_uuid", "",
					 "srv_UUID\tFULL"));
	KUNIT_EXPECT_TRUE(test, has_text("kunit_cli/cli/state", "current_state",
					 "FULL"));
	KUNIT_EXPECT_TRUE(test, has_text("kunit_cli/cli/state", "",
					 "CONNECTING"));
	KUNIT_EXPECT_TRUE(test, has_text("kunit_cli/cli/import", "target",
					 "srv_UUID"));
	KUNIT_EXPECT_TRUE(test, has_text("kunit_cli/cli/import",
					 "current_connection", KI_LO));
	KUNIT_EXPECT_TRUE(test, has_text("kunit_cli/cli/import", "",
					 "IMPF_CONNECT_TRIED"));
	KUNIT_EXPECT_TRUE(test, has_text("kunit_cli/cli/connect_flags", "",
					 "flags=0x21"));
	KUNIT_EXPECT_TRUE(test, has_text("kunit_cli/cli/connect_flags", "",
					 "version"));
	KUNIT_EXPECT_EQ(test, obd_disconnect(exp), 0);
	kt_end(test, cli);
	kt_end(test, srv);
}

static void parameters_steer_the_import(struct kunit *test)
{
	struct obd_device *srv = ki_start_target(test);
	struct obd_device *cli = ki_start_client(test, KI_LO);
	struct obd_export *exp = ki_connected(test, cli);
	struct client *c = fx.client;

	KUNIT_EXPECT_EQ(test, client_write(c, "kunit_cli/cli/active", "0"), 0L);
	KUNIT_EXPECT_EQ(test, client_read(c, "kunit_cli/cli/active"), 0L);
	KUNIT_EXPECT_EQ(test, client_number(c), 0ULL);
	KUNIT_EXPECT_EQ(test, (u32)class_obd_status(cli), (u32)OBD_STATUS_INACTIVE);
	KUNIT_EXPECT_TRUE(test, has_text("kunit_cli/cli/server_uuid", "",
					 "srv_UUID\tDISCONN\tDEACTIVATED"));
	KUNIT_EXPECT_EQ(test, client_write(c, "kunit_cli/cli/ping", "1"),
			(long)-ESHUTDOWN);
	/* Refused for good: it stays inactive, and that is said. */
	ki.connect_rc = -EACCES;
	KUNIT_EXPECT_EQ(test, client_write(c, "kunit_cli/cli/active", "1"),
			(long)-EACCES);
	KUNIT_EXPECT_EQ(test, (u32)class_obd_status(cli), (u32)OBD_STATUS_INACTIVE);
	/* Without an answer it is active. */
	ki.connect_rc = -ENOSPC;
	KUNIT_EXPECT_EQ(test, client_write(c, "kunit_cli/cli/active", "1"), 0L);
	KUNIT_EXPECT_EQ(test, (u32)class_obd_status(cli), (u32)OBD_STATUS_UP);
	KUNIT_EXPECT_EQ(test, client_write(c, "kunit_cli/cli/ping", "1"),
			(long)-ENOTCONN);
	ki.connect_rc = 0;
	KUNIT_EXPECT_EQ(test, client_write(c, "kunit_cli/cli/ping", "1"), 0L);
	KUNIT_EXPECT_EQ(test, client_read(c, "kunit_cli/cli/max_rpcs_in_flight"), 0L);
	KUNIT_EXPECT_EQ(test, client_number(c), 8ULL);
	KUNIT_EXPECT_EQ(test, client_write(c, "kunit_cli/cli/max_rpcs_in_flight",
					   "256"), 0L);
	KUNIT_EXPECT_EQ(test, client_write(c, "kunit_cli/cli/max_rpcs_in_flight",
					   "257"), (long)-ERANGE);
	KUNIT_EXPECT_EQ(test, cli->obd_cli->cl_max_rpcs_in_flight, 256U);
	KUNIT_EXPECT_EQ(test, obd_disconnect(exp), 0);
	kt_end(test, cli);
	kt_end(test, srv);
}

static struct kunit_case local_cases[] = {
	KUNIT_CASE(a_client_calls_its_target),
	KUNIT_CASE(users_share_one_connection),
	KUNIT_CASE(evicted_users_reconnect),
	KUNIT_CASE(a_failed_connect_leaves_nothing),
	KUNIT_CASE(a_target_is_no_client),
	KUNIT_CASE(a_target_is_not_the_device_above),
	KUNIT_CASE(an_evicted_client_comes_back),
	KUNIT_CASE(a_client_that_is_known_reconnects),
	KUNIT_CASE(eviction_lets_a_call_end),
	KUNIT_CASE(a_ping_notices_eviction),
	KUNIT_CASE(a_connected_client_does_not_keep_its_target),
	KUNIT_CASE(a_target_waits_for_calls_only),
	KUNIT_CASE(cleanup_of_a_client_says_goodbye),
	KUNIT_CASE(calls_survive_evictions),
	KUNIT_CASE(calls_survive_the_end_of_the_target),
	KUNIT_CASE(users_come_and_go_meanwhile),
	KUNIT_CASE(the_device_above_is_told),
	KUNIT_CASE(a_deactivated_client_connects_when_activated),
	KUNIT_CASE(setup_wants_a_target_and_a_server),
	KUNIT_CASE(parameters_show_the_import),
	KUNIT_CASE(parameters_steer_the_import),
	{}
};

static struct kunit_suite local_suite = {
	.name = "obd_local",
	.suite_init = client_suite_init,
	.init = import_fixture_init,
	.exit = import_fixture_exit,
	.test_cases = local_cases,
};
kunit_test_suite(local_suite);

MODULE_DESCRIPTION("clients and targets in one kernel");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
