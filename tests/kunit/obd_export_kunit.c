// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exports: permission to connect, holders of an export, its end, and the tasks that wait for
 * that.
 *
 * Every: 2
 */
#include <linux/ktime.h>
#include <linux/sched/signal.h>

#include "obd_client.h"

static int held(struct obd_device *obd)
{
	return atomic_read(&obd->obd_refs[OBD_REF_EXPORT]);
}

static void each_holder_is_counted(struct kunit *test)
{
	struct obd_device *obd = kt_start(test, "ex");
	struct obd_export *exp = ke_connect(test, obd, "a", NULL);
	struct obd_uuid uuid = kt_uuid("a");

	/* The list of the device, and the connected client. */
	KUNIT_EXPECT_EQ(test, refcount_read(&exp->exp_refcount), 2U);
	KUNIT_EXPECT_PTR_EQ(test, class_export_rpc_inc(exp), exp);
	KUNIT_EXPECT_EQ(test, atomic_read(&exp->exp_rpc_count), 1);
	KUNIT_EXPECT_PTR_EQ(test, class_export_lock_get(exp), exp);
	KUNIT_EXPECT_EQ(test, atomic_read(&exp->exp_locks_count), 1);
	KUNIT_EXPECT_EQ(test, refcount_read(&exp->exp_refcount), 4U);
	KUNIT_EXPECT_PTR_EQ(test, obd_export_by_uuid(obd, &uuid), exp);
	KUNIT_EXPECT_PTR_EQ(test, class_conn2export(exp->exp_handle.h_cookie),
			    exp);
	KUNIT_EXPECT_EQ(test, refcount_read(&exp->exp_refcount), 6U);
	class_export_put(exp);
	class_export_put(exp);
	class_export_lock_put(exp);
	class_export_rpc_dec(exp);
	KUNIT_EXPECT_EQ(test, refcount_read(&exp->exp_refcount), 2U);
	KUNIT_EXPECT_EQ(test, held(obd), 2);
	KUNIT_EXPECT_PTR_EQ(test, exp->exp_obd, obd);
	class_disconnect(exp);
	obd_zombie_barrier();
	KUNIT_EXPECT_EQ(test, atomic_read(&ke.destroyed), 1);
	KUNIT_EXPECT_EQ(test, held(obd), 1);
	kt_end(test, obd);
}

/* The last reference, of each kind: the export exists until then. */
static void each_holder_keeps_it(struct kunit *test)
{
	static void (*const put[])(struct obd_export *exp) = {
		class_export_put, class_export_rpc_dec, class_export_lock_put,
	};
	static struct obd_export *(*const get[])(struct obd_export *exp) = {
		class_export_get, class_export_rpc_inc, class_export_lock_get,
	};
	struct obd_device *obd = kt_start(test, "ex");
	struct obd_export *exp;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(put); n++) {
		exp = ke_connect(test, obd, "a", NULL);
		get[n](exp);
		class_disconnect(exp);
		obd_zombie_barrier();
		KUNIT_EXPECT_EQ(test, atomic_read(&ke.destroyed), (int)n);
		KUNIT_EXPECT_FALSE(test, class_connected_export(exp));
		KUNIT_EXPECT_EQ(test, held(obd), 2);
		put[n](exp);
		obd_zombie_barrier();
		KUNIT_EXPECT_EQ(test, atomic_read(&ke.destroyed), (int)n + 1);
		KUNIT_EXPECT_EQ(test, held(obd), 1);
	}
	kt_end(test, obd);
}

static void its_own_export_is_no_client(struct kunit *test)
{
	struct obd_device *obd = kt_start(test, "ex");
	struct obd_export *self = obd->obd_self_export;

	KUNIT_EXPECT_TRUE(test, test_bit(EXPF_SELF, &self->exp_flags));
	KUNIT_EXPECT_TRUE(test, class_connected_export(self));
	KUNIT_EXPECT_NULL(test, obd_export_by_uuid(obd, &obd->obd_uuid));
	KUNIT_EXPECT_EQ(test, self->exp_handle.h_cookie, 0ULL);
	KUNIT_EXPECT_EQ(test, refcount_read(&self->exp_refcount), 2U);
	KUNIT_EXPECT_EQ(test, refcount_read(&obd->obd_users), 1U);
	KUNIT_EXPECT_EQ(test, ke_clients(obd), 0U);
	KUNIT_EXPECT_EQ(test, client_read(fx.client,
					  KT_NAME "/ex/num_exports"), 0);
	KUNIT_EXPECT_EQ(test, client_number(fx.client), 0ULL);
	class_disconnect_exports(obd);
	KUNIT_EXPECT_TRUE(test, class_connected_export(self));
	kt_end(test, obd);
}

static void a_client_connects_once(struct kunit *test)
{
	struct obd_device *obd = kt_start(test, "ex");
	struct obd_device *other = kt_start(test, "ey");
	struct obd_export *exp = ke_connect(test, obd, "a", NULL);
	struct obd_export *elsewhere, *again;

	KUNIT_EXPECT_EQ(test, ke_try_connect(obd, "a", "10.0.0.9@tcp", &again),
			-EALREADY);
	KUNIT_EXPECT_EQ(test, ke_clients(obd), 1U);
	elsewhere = ke_connect(test, other, "a", NULL);
	class_disconnect(exp);
	again = ke_connect(test, obd, "a", NULL);
	KUNIT_EXPECT_EQ(test, ke_clients(obd), 1U);
	class_disconnect(again);
	class_disconnect(elsewhere);
	kt_end(test, other);
	kt_end(test, obd);
}

static void nobody_connects_to_what_is_not_set_up(struct kunit *test)
{
	struct obd_device *obd = kt_attach(test, "ex");
	struct obd_export *exp = NULL;

	KUNIT_EXPECT_EQ(test, ke_try_connect(obd, "a", NULL, &exp), -ENODEV);
	KUNIT_EXPECT_EQ(test, kt_set_up(obd), 0);
	set_bit(OBDF_NO_CONN, &obd->obd_flags);
	KUNIT_EXPECT_EQ(test, ke_try_connect(obd, "a", NULL, &exp), -ENODEV);
	clear_bit(OBDF_NO_CONN, &obd->obd_flags);
	KUNIT_EXPECT_EQ(test, ke_try_connect(obd, "", NULL, &exp), -EINVAL);
	exp = ke_connect(test, obd, "a", NULL);
	class_disconnect(exp);
	KUNIT_EXPECT_EQ(test, class_cleanup(obd, false, false, NULL), 0);
	KUNIT_EXPECT_EQ(test, ke_try_connect(obd, "a", NULL, &exp), -ENODEV);
	KUNIT_EXPECT_NULL(test, obd_export_by_uuid(obd, &obd->obd_uuid));
	kt_end(test, obd);
}

static void an_uuid_without_an_end_is_refused(struct kunit *test)
{
	struct obd_device *obd = kt_start(test, "ex");
	struct lustre_handle conn;
	struct obd_uuid uuid;

	memset(&uuid, 'u', sizeof(uuid));
	KUNIT_EXPECT_EQ(test, class_connect(&conn, obd, &uuid, NULL), -EINVAL);
	KUNIT_EXPECT_NULL(test, obd_export_by_uuid(obd, &uuid));
	uuid.uuid[UUID_MAX - 1] = '\0';
	KUNIT_EXPECT_EQ(test, class_connect(&conn, obd, &uuid, NULL), 0);
	class_disconnect(class_conn2export(conn.cookie));
	kt_end(test, obd);
}

static void an_export_ends_once(struct kunit *test)
{
	struct obd_device *obd = kt_start(test, "ex");
	struct obd_export *exp = ke_connect(test, obd, "a", NULL);
	u64 cookie = exp->exp_handle.h_cookie;

	class_export_get(exp);
	KUNIT_EXPECT_EQ(test, class_disconnect(class_export_get(exp)), 0);
	KUNIT_EXPECT_EQ(test, class_disconnect(class_export_get(exp)), 0);
	class_fail_export(exp);
	class_unlink_export(exp);
	KUNIT_EXPECT_FALSE(test, test_bit(EXPF_FAILED, &exp->exp_flags));
	KUNIT_EXPECT_EQ(test, ke_clients(obd), 0U);
	KUNIT_EXPECT_EQ(test, refcount_read(&exp->exp_refcount), 2U);
	KUNIT_EXPECT_NULL(test, class_conn2export(cookie));
	class_export_put(exp);
	class_export_put(exp);
	obd_zombie_barrier();
	KUNIT_EXPECT_EQ(test, atomic_read(&ke.destroyed), 1);
	kt_end(test, obd);
}

#define CROWD	40

static void a_cleanup_disconnects_all(struct kunit *test)
{
	struct obd_device *obd = ke_start(test, "ex");
	struct obd_export *exp;
	char client[16];
	int n;

	for (n = 0; n < CROWD; n++) {
		scnprintf(client, sizeof(client), "client-%d", n);
		exp = ke_connect(test, obd, client, NULL);
		class_export_put(exp);
	}
	KUNIT_EXPECT_EQ(test, ke_clients(obd), (unsigned int)CROWD);
	KUNIT_EXPECT_EQ(test, class_cleanup(obd, false, false, NULL), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ke.disconnects), CROWD);
	KUNIT_EXPECT_EQ(test, atomic_read(&ke.destroyed), CROWD);
	KUNIT_EXPECT_EQ(test, ke_clients(obd), 0U);
	KUNIT_EXPECT_FALSE(test, ke.flags & BIT(EXPF_FORCE));
	kt_end(test, obd);
}

static void a_forced_cleanup_says_so(struct kunit *test)
{
	struct obd_device *obd = ke_start(test, "ex");

	class_export_put(ke_connect(test, obd, "a", NULL));
	KUNIT_EXPECT_EQ(test, class_cleanup(obd, true, true, NULL), 0);
	KUNIT_EXPECT_TRUE(test, ke.flags & BIT(EXPF_FORCE));
	KUNIT_EXPECT_TRUE(test, ke.flags & BIT(EXPF_FAILOVER));
	KUNIT_EXPECT_FALSE(test, ke.flags & BIT(EXPF_FAILED));
	kt_end(test, obd);
}

static void a_type_that_does_not_let_go_is_overruled(struct kunit *test)
{
	struct obd_device *obd = ke_start(test, "ex");

	class_export_put(ke_connect(test, obd, "a", NULL));
	ke.keeps = true;
	ke.rc = -EIO;
	KUNIT_EXPECT_EQ(test, class_cleanup(obd, false, false, NULL), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ke.disconnects), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&ke.destroyed), 1);
	kt_end(test, obd);
}

static void only_those_who_do_not_call_are_stale(struct kunit *test)
{
	struct obd_device *obd = kt_start(test, "ex");
	struct obd_export *old = ke_connect(test, obd, "old", "10.0.0.1@tcp");
	struct obd_export *young = ke_connect(test, obd, "young",
					      "10.0.0.2@tcp");
	struct obd_export *here = ke_connect(test, obd, "here", NULL);
	time64_t now = ktime_get_seconds();

	old->exp_last_request_time = now - 100;
	here->exp_last_request_time = now - 100;
	young->exp_last_request_time = now;
	KUNIT_EXPECT_EQ(test, class_disconnect_stale_exports(obd, now - 100),
			0U);
	KUNIT_EXPECT_EQ(test, class_disconnect_stale_exports(obd, now - 50),
			1U);
	KUNIT_EXPECT_FALSE(test, class_connected_export(old));
	KUNIT_EXPECT_TRUE(test, test_bit(EXPF_FAILED, &old->exp_flags));
	KUNIT_EXPECT_TRUE(test, class_connected_export(young));
	KUNIT_EXPECT_TRUE(test, class_connected_export(here));
	class_export_put(old);
	class_disconnect(young);
	class_disconnect(here);
	kt_end(test, obd);
}

static u64 number_of(const char *path)
{
	return client_read(fx.client, path) ? ~0ULL : client_number(fx.client);
}

static void clients_of_a_nid_share_a_directory(struct kunit *test)
{
	struct obd_device *obd = kt_start(test, "ex");
	struct obd_export *a = ke_connect(test, obd, "a", "10.0.0.1@tcp");
	struct obd_export *b = ke_connect(test, obd, "b", "10.0.0.1");
	struct obd_export *c = ke_connect(test, obd, "c", NULL);
	static const char at1[] = KT_NAME "/ex/exports/10.0.0.1@tcp/uuid";

	KUNIT_EXPECT_EQ(test, number_of(KT_NAME "/ex/num_exports"), 3ULL);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, at1), 0);
	KUNIT_EXPECT_EQ(test, client_rec_count(fx.client), 2U);
	KUNIT_EXPECT_EQ(test, client_read(fx.client,
					  KT_NAME "/ex/exports/0@lo/uuid"), 0);
	KUNIT_EXPECT_TRUE(test, client_text_is(fx.client, "c"));
	class_disconnect(a);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, at1), 0);
	KUNIT_EXPECT_TRUE(test, client_text_is(fx.client, "b"));
	class_disconnect(b);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, at1), -ENOENT);
	b = ke_connect(test, obd, "b", "10.0.0.1@tcp");
	KUNIT_EXPECT_EQ(test, client_read(fx.client, at1), 0);
	KUNIT_EXPECT_EQ(test, class_cleanup(obd, true, false, NULL), -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, at1), -ENOENT);
	class_export_put(b);
	class_export_put(c);
	obd_zombie_barrier();
	kt_end(test, obd);
}

static bool record_is(unsigned int index, const char *name, const char *text)
{
	struct params_value_rec *rec = client_rec(fx.client, index);

	return rec && rec->vr_name_len == strlen(name) &&
		!memcmp(rec + 1, name, strlen(name)) &&
		(!text || (rec->vr_len == strlen(text) &&
			   !memcmp(client_rec_value(rec), text, strlen(text))));
}

static void an_export_is_described(struct kunit *test)
{
	static const char * const order[][2] = {
		{ "a", NULL }, { "name", "ex" }, { "client", "10.0.0.1@tcp" },
		{ "connect_flags", NULL }, { "", "lov_index" }, { "", "" },
		{ "connect_data", NULL }, { "flags", NULL },
		{ "instance", NULL }, { "target_index", NULL }, { "", "" },
		{ "export_flags", NULL }, { "", "" }, { "", "" },
	};
	struct obd_device *obd = kt_start(test, "ex");
	struct obd_export *exp = ke_connect(test, obd, "a", "10.0.0.1@tcp");
	size_t n;

	exp->exp_connect_data.ocd_connect_flags = OBD_CONNECT_INDEX;
	exp->exp_connect_data.ocd_index = 7;
	KUNIT_EXPECT_EQ(test, client_read(fx.client,
					  KT_NAME "/ex/exports/10.0.0.1@tcp/export"),
			0);
	for (n = 0; n < ARRAY_SIZE(order); n++)
		KUNIT_EXPECT_TRUE_MSG(test, record_is(n, order[n][0],
						      order[n][1]),
				      "record %zu is not %s", n, order[n][0]);
	KUNIT_EXPECT_EQ(test, client_rec_count(fx.client),
			(unsigned int)ARRAY_SIZE(order));
	class_disconnect(exp);
	kt_end(test, obd);
}

static long aside_zombies(void *unused)
{
	obd_zombie_barrier();
	return 0;
}

static void the_barrier_waits_until_it_is_destroyed(struct kunit *test)
{
	struct obd_device *obd = kt_start(test, "ex");
	struct aside zombies;
	struct gate gate;

	gate_init(&gate);
	ke.destroy_gate = &gate;
	class_disconnect(ke_connect(test, obd, "a", NULL));
	gate_await(test, &gate);
	aside_start(test, &zombies, aside_zombies, NULL);
	aside_await_sleep(test, &zombies);
	KUNIT_EXPECT_EQ(test, held(obd), 2);
	complete(&gate.leave);
	KUNIT_EXPECT_EQ(test, aside_join(test, &zombies), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ke.destroyed), 1);
	KUNIT_EXPECT_EQ(test, held(obd), 1);
	kt_end(test, obd);
}

/* Each export, when destroyed, drops the last reference on the next one. */
static void destroy_next(struct obd_export *exp)
{
	msleep(20);
	if (exp->exp_data)
		class_export_put(exp->exp_data);
	atomic_inc(&ke.destroyed);
}

#define CHAIN	8

static void the_barrier_waits_for_a_whole_chain(struct kunit *test)
{
	struct obd_device *obd = kt_start(test, "ex");
	struct obd_export *exp, *next = NULL;
	char client[16];
	int n;

	for (n = 0; n < CHAIN; n++) {
		scnprintf(client, sizeof(client), "link-%d", n);
		exp = ke_connect(test, obd, client, NULL);
		exp->exp_destroy = destroy_next;
		exp->exp_data = next;
		class_unlink_export(exp);
		next = exp;
	}
	class_export_put(next);
	obd_zombie_barrier();
	KUNIT_EXPECT_EQ(test, atomic_read(&ke.destroyed), CHAIN);
	KUNIT_EXPECT_EQ(test, held(obd), 1);
	kt_end(test, obd);
}

/* The export may hold the last reference of a device, which is then freed as well. */
static void the_last_export_ends_the_device(struct kunit *test)
{
	struct obd_device *obd = kt_start(test, "ex");
	struct obd_export *exp = ke_connect(test, obd, "a", NULL);

	KUNIT_EXPECT_EQ(test, class_cleanup(obd, true, false, NULL), -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, atomic_read(&kt.cleanups), 0);
	class_export_put(exp);
	obd_zombie_barrier();
	KUNIT_EXPECT_EQ(test, atomic_read(&kt.cleanups), 1);
	KUNIT_EXPECT_EQ(test, obd->obd_state, OBD_CLEANED_UP);
	kt_end(test, obd);
}

#define RACERS	4
#define RACES	300

static atomic_t race_connected;

static long aside_come_and_go(void *data)
{
	struct obd_device *obd = data;
	struct obd_export *exp;
	char client[16];
	int n;

	for (n = 0; n < RACES; n++) {
		scnprintf(client, sizeof(client), "racer-%d", n % 3);
		if (ke_try_connect(obd, client, n & 1 ? "10.0.0.1@tcp" : NULL,
				   &exp))
			continue;
		exp->exp_destroy = ke_destroy;
		atomic_inc(&race_connected);
		obd_disconnect(exp);
		cond_resched();
	}
	return 0;
}

static long aside_evict(void *data)
{
	struct obd_device *obd = data;
	struct obd_why why;
	int n;

	for (n = 0; n < RACES; n++) {
		if (n % 3)
			obd_export_evict_by_nid(obd, "0@lo", &why);
		else
			obd_export_evict_by_uuid(obd, "racer-1", &why);
		cond_resched();
	}
	return 0;
}

static long aside_look(void *data)
{
	struct client *c = client_open();
	int n;

	if (!c)
		return -ENOMEM;
	for (n = 0; n < RACES; n++) {
		client_read(c, KE_NAME "/ex/exports/0@lo/export");
		client_read(c, KE_NAME "/ex/exports/10.0.0.1@tcp/uuid");
	}
	client_close(c);
	return 0;
}

static void who_comes_goes_and_is_evicted_leaves_nothing(struct kunit *test)
{
	struct obd_device *obd = ke_start(test, "ex");
	struct aside come[RACERS], evict, look;
	int n;

	atomic_set(&race_connected, 0);
	for (n = 0; n < RACERS; n++)
		aside_start(test, &come[n], aside_come_and_go, obd);
	aside_start(test, &evict, aside_evict, obd);
	aside_start(test, &look, aside_look, obd);
	for (n = 0; n < RACERS; n++)
		KUNIT_EXPECT_EQ(test, aside_join(test, &come[n]), 0);
	KUNIT_EXPECT_EQ(test, aside_join(test, &evict), 0);
	KUNIT_EXPECT_EQ(test, aside_join(test, &look), 0);
	obd_zombie_barrier();
	KUNIT_EXPECT_GT(test, atomic_read(&race_connected), 0);
	KUNIT_EXPECT_EQ(test, ke_clients(obd), 0U);
	KUNIT_EXPECT_EQ(test, held(obd), 1);
	KUNIT_EXPECT_EQ(test, refcount_read(&obd->obd_users), 1U);
	KUNIT_EXPECT_EQ(test, lookup_rc(KE_NAME "/ex/exports/0@lo"), -ENOENT);
	kt_end(test, obd);
}

/* Clients connect while the device is cleaned up: each is refused or disconnected. */
static void who_comes_while_the_device_goes(struct kunit *test)
{
	struct aside come[RACERS];
	struct obd_device *obd;
	int n, round;

	for (round = 0; round < 20; round++) {
		obd = ke_start(test, "ex");
		for (n = 0; n < RACERS; n++)
			aside_start(test, &come[n], aside_come_and_go, obd);
		usleep_range(100, 2000);
		KUNIT_EXPECT_EQ(test, class_cleanup(obd, false, false, NULL), 0);
		for (n = 0; n < RACERS; n++)
			KUNIT_EXPECT_EQ(test, aside_join(test, &come[n]), 0);
		KUNIT_EXPECT_EQ(test, ke_clients(obd), 0U);
		kt_end(test, obd);
	}
}

static struct kunit_case export_cases[] = {
	KUNIT_CASE(each_holder_is_counted),
	KUNIT_CASE(each_holder_keeps_it),
	KUNIT_CASE(its_own_export_is_no_client),
	KUNIT_CASE(a_client_connects_once),
	KUNIT_CASE(nobody_connects_to_what_is_not_set_up),
	KUNIT_CASE(an_uuid_without_an_end_is_refused),
	KUNIT_CASE(an_export_ends_once),
	KUNIT_CASE(a_cleanup_disconnects_all),
	KUNIT_CASE(a_forced_cleanup_says_so),
	KUNIT_CASE(a_type_that_does_not_let_go_is_overruled),
	KUNIT_CASE(only_those_who_do_not_call_are_stale),
	KUNIT_CASE(clients_of_a_nid_share_a_directory),
	KUNIT_CASE(an_export_is_described),
	KUNIT_CASE(the_barrier_waits_until_it_is_destroyed),
	KUNIT_CASE(the_barrier_waits_for_a_whole_chain),
	KUNIT_CASE(the_last_export_ends_the_device),
	KUNIT_CASE(who_comes_goes_and_is_evicted_leaves_nothing),
	KUNIT_CASE(who_comes_while_the_device_goes),
	{}
};

static struct kunit_suite export_suite = {
	.name = "obd_export",
	.suite_init = client_suite_init,
	.init = ke_init,
	.exit = ke_exit,
	.test_cases = export_cases,
};
kunit_test_suite(export_suite);

MODULE_DESCRIPTION("exports");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
