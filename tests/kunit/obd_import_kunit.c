// SPDX-License-Identifier: GPL-2.0-only
/*
 * Imports: states, holders, servers, what a connect does and all that ends one.
 * The target is the suite's own transport.
 *
 * Every: 2
 */
#include "obd_import_fixture.h"

#define A	"10.0.0.1@tcp77"
#define B	"10.0.0.2@tcp77"
#define C	"10.0.0.3@tcp77"
#define FAR	"far_UUID"	/* a server on a network of unknown type */

/* Which state may follow which, a row for each, columns in the same order. */
static const char * const moves[LUSTRE_IMP_LAST] = {
	/*			  CNDcrlwRFEI */
	[LUSTRE_IMP_CLOSED]	= ".x.........",
	[LUSTRE_IMP_NEW]	= "x.xx.......",
	[LUSTRE_IMP_DISCON]	= "x..x.......",
	[LUSTRE_IMP_CONNECTING]	= "x.x.x..xxx.",
	[LUSTRE_IMP_REPLAY]	= "x.x..x.....",
	[LUSTRE_IMP_REPLAY_LOCKS] = "x.x...x....",
	[LUSTRE_IMP_REPLAY_WAIT] = "x.x....x...",
	[LUSTRE_IMP_RECOVER]	= "x.x.....x..",
	[LUSTRE_IMP_FULL]	= "x.x.......x",
	[LUSTRE_IMP_EVICTED]	= "x.x....x...",
	[LUSTRE_IMP_IDLE]	= "x.xx.......",
};

static struct obd_import *new_import(struct kunit *test, struct obd_device *obd)
{
	struct obd_uuid target = kt_uuid("srv_UUID");
	struct obd_import *imp = class_new_import(obd, &target);

	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(imp));
	return imp;
}

static void every_move_in_every_state(struct kunit *test)
{
	struct obd_device *obd = kt_attach(test, "dev");
	struct obd_import *imp = new_import(test, obd);
	unsigned int from, to, next;
	bool may;
	int rc;

	for (from = LUSTRE_IMP_CLOSED; from < LUSTRE_IMP_LAST; from++)
		for (to = 0; to <= LUSTRE_IMP_LAST; to++) {
			may = to && to < LUSTRE_IMP_LAST &&
			      moves[from][to - 1] == 'x';
			imp->imp_state = from;
			next = imp->imp_hist_next;
			rc = import_set_state(imp, to);
			KUNIT_EXPECT_EQ_MSG(test, rc, may ? 0 : -EINVAL,
					    "from %u to %u", from, to);
			KUNIT_EXPECT_EQ(test, (u32)imp->imp_state, may ? to : from);
			KUNIT_EXPECT_EQ(test, imp->imp_hist_next,
					(next + may) % IMP_STATE_HIST_LEN);
		}
	class_destroy_import(imp);
	kt_end(test, obd);
}

static void states_have_their_numbers_and_names(struct kunit *test)
{
	static const char * const names[] = {
		"UNKNOWN", "CLOSED", "NEW", "DISCONN", "CONNECTING", "REPLAY",
		"REPLAY_LOCKS", "REPLAY_WAIT", "RECOVER", "FULL", "EVICTED",
		"IDLE", "UNKNOWN",
	};
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(names); n++)
		KUNIT_EXPECT_STREQ(test, import_state_name(n), names[n]);
}

static void history_keeps_the_last_16_states(struct kunit *test)
{
	struct obd_device *obd = kt_attach(test, "dev");
	struct obd_import *imp = new_import(test, obd);
	time64_t before = ktime_get_real_seconds();
	unsigned int n;

	/* 1 + 2 * 12 states: the first nine are forgotten. */
	KUNIT_EXPECT_EQ(test, import_set_state(imp, LUSTRE_IMP_DISCON), 0);
	for (n = 0; n < 12; n++) {
		KUNIT_EXPECT_EQ(test, import_set_state(imp, LUSTRE_IMP_CONNECTING), 0);
		KUNIT_EXPECT_EQ(test, import_set_state(imp, LUSTRE_IMP_DISCON), 0);
	}
	for (n = 0; n < IMP_STATE_HIST_LEN; n++) {
		KUNIT_EXPECT_EQ(test, (u32)ki_past(imp, n),
				(u32)(n % 2 ? LUSTRE_IMP_CONNECTING :
					      LUSTRE_IMP_DISCON));
		KUNIT_EXPECT_GE(test, imp->imp_hist[n].ish_time, before);
	}
	KUNIT_EXPECT_EQ(test, imp->imp_hist_next, 25U % IMP_STATE_HIST_LEN);
	class_destroy_import(imp);
	kt_end(test, obd);
}

static unsigned int refs(const struct obd_import *imp)
{
	return refcount_read(&imp->imp_refcount);
}

static void maker_and_lookups_hold_an_import(struct kunit *test)
{
	struct obd_device *obd = kt_attach(test, "dev");
	struct obd_import *imp = new_import(test, obd), *found;
	u64 cookie = imp->imp_handle.h_cookie;

	KUNIT_EXPECT_EQ(test, refs(imp), 1U);
	KUNIT_EXPECT_NE(test, cookie, 0ULL);
	found = class_handle2import(cookie);
	KUNIT_EXPECT_PTR_EQ(test, found, imp);
	KUNIT_EXPECT_EQ(test, refs(imp), 2U);
	KUNIT_EXPECT_PTR_EQ(test, class_import_get(imp), imp);
	KUNIT_EXPECT_EQ(test, refs(imp), 3U);
	class_import_put(imp);
	class_destroy_import(imp);
	/* The cookie leads nowhere now, the lookup's reference is left. */
	KUNIT_EXPECT_EQ(test, refs(found), 1U);
	KUNIT_EXPECT_TRUE(test, class_handle2import(cookie) == NULL);
	KUNIT_EXPECT_TRUE(test, test_bit(IMPF_INVALID, &found->imp_flags));
	class_import_put(found);
	kt_end(test, obd);
}

static void import_holds_its_device(struct kunit *test)
{
	struct obd_device *obd = kt_attach(test, "dev");
	unsigned int before = refcount_read(&obd->obd_refcount);
	struct obd_import *imp = new_import(test, obd);

	KUNIT_EXPECT_EQ(test, atomic_read(&obd->obd_refs[OBD_REF_IMPORT]), 1);
	class_import_get(imp);
	class_destroy_import(imp);
	obd_zombie_barrier();
	KUNIT_EXPECT_EQ(test, atomic_read(&obd->obd_refs[OBD_REF_IMPORT]), 1);
	class_import_put(imp);
	obd_zombie_barrier();
	KUNIT_EXPECT_EQ(test, atomic_read(&obd->obd_refs[OBD_REF_IMPORT]), 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&obd->obd_refcount), before);
	kt_end(test, obd);
}

static long aside_statfs(void *exp)
{
	struct obd_statfs st;

	return obd_statfs(exp, &st, 0);
}

static void a_call_holds_the_import(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = ki_import(obd);
	struct obd_export *exp = NULL;
	struct aside call;
	struct gate gate;

	ki.answers = A " ";
	exp = ki_connected(test, obd);
	gate_init(&gate);
	ki.statfs_gate = &gate;
	aside_start(test, &call, aside_statfs, exp);
	gate_await(test, &gate);
	KUNIT_EXPECT_EQ(test, refs(imp), 2U);
	KUNIT_EXPECT_EQ(test, atomic_read(&imp->imp_inflight), 1);
	complete(&gate.leave);
	KUNIT_EXPECT_EQ(test, aside_join(test, &call), 0L);
	KUNIT_EXPECT_EQ(test, refs(imp), 1U);
	KUNIT_EXPECT_EQ(test, atomic_read(&imp->imp_inflight), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&imp->imp_calls), 1LL);
	KUNIT_EXPECT_EQ(test, obd_disconnect(exp), 0);
	kt_end(test, obd);
}

/* Names of the servers in the order of the list, each followed by a blank. */
static void servers(struct obd_import *imp, char *buf, size_t size)
{
	struct obd_import_conn *conn;

	buf[0] = '\0';
	list_for_each_entry(conn, &imp->imp_conn_list, oic_item) {
		strlcat(buf, conn->oic_uuid.uuid, size);
		strlcat(buf, " ", size);
	}
}

#define EXPECT_SERVERS(test, imp, text)					\
do {									\
	char __buf[128];						\
									\
	servers(imp, __buf, sizeof(__buf));				\
	KUNIT_EXPECT_STREQ(test, __buf, text);				\
} while (0)

static void servers_have_priorities_and_no_doubles(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = ki_import(obd);

	ki_add_conn(test, imp, B, false);
	EXPECT_SERVERS(test, imp, A " " B " ");
	ki_add_conn(test, imp, C, true);
	EXPECT_SERVERS(test, imp, C " " A " " B " ");
	ki_add_conn(test, imp, B, false);
	EXPECT_SERVERS(test, imp, C " " A " " B " ");
	ki_add_conn(test, imp, B, true);
	EXPECT_SERVERS(test, imp, B " " C " " A " ");
	kt_end(test, obd);
}

static void a_server_must_lead_to_a_nid(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = ki_import(obd);
	struct obd_uuid node = kt_uuid("node");
	struct obd_why why = {};
	struct lnet_nid nid;

	KUNIT_EXPECT_EQ(test, import_add_conn(imp, &node, false, &why), -ENOENT);
	KUNIT_EXPECT_TRUE(test, strstr(why.text, "cli:") == why.text);
	KUNIT_EXPECT_TRUE(test, strstr(why.text, "'node'") != NULL);
	KUNIT_EXPECT_TRUE(test, strstr(why.text, "add_uuid node") != NULL);
	KUNIT_ASSERT_EQ(test, libcfs_nid_parse(B, strlen(B), &nid, NULL), 0);
	KUNIT_ASSERT_EQ(test, class_add_uuid(0, "node", &nid), 0);
	KUNIT_EXPECT_EQ(test, import_add_conn(imp, &node, false, &why), 0);
	EXPECT_SERVERS(test, imp, A " node ");
	kt_end(test, obd);
}

static void the_server_in_use_is_not_forgotten(struct kunit *test)
{
	struct obd_uuid a = kt_uuid(A), b = kt_uuid(B), c = kt_uuid(C);
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = ki_import(obd);

	ki_add_conn(test, imp, B, false);
	ki.answers = A " ";
	KUNIT_EXPECT_EQ(test, import_connect(imp, NULL), 0);
	KUNIT_EXPECT_EQ(test, import_del_conn(imp, &a), -EBUSY);
	KUNIT_EXPECT_EQ(test, import_del_conn(imp, &c), -ENOENT);
	KUNIT_EXPECT_EQ(test, import_del_conn(imp, &b), 0);
	EXPECT_SERVERS(test, imp, A " ");
	KUNIT_EXPECT_EQ(test, import_disconnect(imp), 0);
	KUNIT_EXPECT_EQ(test, import_del_conn(imp, &a), 0);
	KUNIT_EXPECT_EQ(test, import_del_conn(imp, &a), -ENOENT);
	EXPECT_SERVERS(test, imp, "");
	kt_end(test, obd);
}

/* Servers that were tried since the last call, each followed by a blank. */
#define EXPECT_TRIED(test, text)					\
do {									\
	char __buf[256] = "";						\
	unsigned int __n;						\
									\
	for (__n = 0; __n < ki.try_count; __n++) {			\
		strlcat(__buf, ki.tried[__n], sizeof(__buf));		\
		strlcat(__buf, " ", sizeof(__buf));			\
	}								\
	KUNIT_EXPECT_STREQ(test, __buf, text);				\
	ki.try_count = 0;						\
} while (0)

static void servers_are_tried_in_order(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = ki_import(obd);

	ki_add_conn(test, imp, B, false);
	ki_add_conn(test, imp, C, false);
	/* None answers: each once, and then the one tried longest ago. */
	KUNIT_EXPECT_EQ(test, import_connect(imp, NULL), -ETIMEDOUT);
	EXPECT_TRIED(test, A " " B " " C " ");
	ki.answers = B " ";
	KUNIT_EXPECT_EQ(test, import_connect(imp, NULL), 0);
	EXPECT_TRIED(test, A " " B " ");
	/* After a success the first of the list is the next again. */
	KUNIT_EXPECT_EQ(test, import_recover(imp, NULL, NULL), 0);
	EXPECT_TRIED(test, A " " B " ");
	ki.answers = "";
	KUNIT_EXPECT_EQ(test, import_recover(imp, NULL, NULL), -ETIMEDOUT);
	EXPECT_TRIED(test, A " " B " " C " ");
	ki.answers = A " " B " " C " ";
	KUNIT_EXPECT_EQ(test, import_connect(imp, NULL), 0);
	EXPECT_TRIED(test, A " ");
	kt_end(test, obd);
}

static void the_least_recently_tried_is_next(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = ki_import(obd);

	KUNIT_EXPECT_EQ(test, import_connect(imp, NULL), -ETIMEDOUT);
	ki_add_conn(test, imp, B, false);
	KUNIT_EXPECT_EQ(test, import_connect(imp, NULL), -ETIMEDOUT);
	/* B was never tried, so it came before A. */
	EXPECT_TRIED(test, A " " B " " A " ");
	KUNIT_EXPECT_EQ(test, import_connect(imp, NULL), -ETIMEDOUT);
	EXPECT_TRIED(test, B " " A " ");
	kt_end(test, obd);
}

static void each_nid_of_a_server_is_tried(struct kunit *test)
{
	struct obd_device *obd;
	struct lnet_nid nid;
	char text[LNET_NID_TEXT_MAX];

	KUNIT_ASSERT_EQ(test, libcfs_nid_parse(A, strlen(A), &nid, NULL), 0);
	KUNIT_ASSERT_EQ(test, class_add_uuid(0, "node", &nid), 0);
	KUNIT_ASSERT_EQ(test, libcfs_nid_parse(B, strlen(B), &nid, NULL), 0);
	KUNIT_ASSERT_EQ(test, class_add_uuid(0, "node", &nid), 0);
	obd = ki_start_client(test, "node");
	ki.answers = B " ";
	KUNIT_EXPECT_EQ(test, import_connect(ki_import(obd), NULL), 0);
	EXPECT_TRIED(test, A " " B " ");
	import_server_text(ki_import(obd), text, sizeof(text));
	KUNIT_EXPECT_STREQ(test, text, B);
	kt_end(test, obd);
}

static void attempts_and_replies_are_counted(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = ki_import(obd);
	struct obd_import_conn *a, *b;

	ki_add_conn(test, imp, B, false);
	a = list_first_entry(&imp->imp_conn_list, struct obd_import_conn, oic_item);
	b = list_next_entry(a, oic_item);
	KUNIT_EXPECT_EQ(test, a->oic_last_attempt, 0LL);
	ki.answers = B " ";
	KUNIT_EXPECT_EQ(test, import_connect(imp, NULL), 0);
	KUNIT_EXPECT_EQ(test, a->oic_attempts, 1U);
	KUNIT_EXPECT_EQ(test, a->oic_replied, 0U);
	KUNIT_EXPECT_FALSE(test, a->oic_uptodate);
	KUNIT_EXPECT_GT(test, a->oic_last_attempt, 0LL);
	KUNIT_EXPECT_EQ(test, b->oic_attempts, 1U);
	KUNIT_EXPECT_EQ(test, b->oic_replied, 1U);
	KUNIT_EXPECT_TRUE(test, b->oic_uptodate);
	KUNIT_EXPECT_EQ(test, imp->imp_conn_cnt, 1U);
	ki.answers = A " ";
	KUNIT_EXPECT_EQ(test, import_recover(imp, NULL, NULL), 0);
	KUNIT_EXPECT_TRUE(test, a->oic_uptodate);
	KUNIT_EXPECT_EQ(test, imp->imp_conn_cnt, 2U);
	kt_end(test, obd);
}

static void a_way_that_leads_nowhere_is_named(struct kunit *test)
{
	static const struct lnet_nid nid = { .nid_type = 99, .nid_len = 4 };
	struct obd_uuid far = kt_uuid(FAR);
	struct obd_why why = {};
	struct obd_device *obd;
	struct obd_import *imp;

	KUNIT_ASSERT_EQ(test, class_add_uuid(0, FAR, &nid), 0);
	obd = ki_start_client(test, FAR);
	imp = ki_import(obd);
	KUNIT_EXPECT_EQ(test, import_connect(imp, &why), -EHOSTUNREACH);
	KUNIT_EXPECT_STREQ(test, why.text,
			   "cli: cannot connect to srv_UUID; server " FAR " at ?: the network type is not supported");
	KI_EXPECT_STATE(test, imp, DISCON);
	KI_EXPECT_EVENTS(test);
	KUNIT_EXPECT_EQ(test, import_del_conn(imp, &far), 0);
	KUNIT_EXPECT_EQ(test, import_connect(imp, &why), -EHOSTUNREACH);
	KUNIT_EXPECT_TRUE(test, strstr(why.text, "no server") != NULL);
	kt_end(test, obd);
}

static void a_first_connect_is_told(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = ki_import(obd);

	ki.answers = A " ";
	KI_EXPECT_STATE(test, imp, NEW);
	KUNIT_EXPECT_EQ(test, import_connect(imp, NULL), 0);
	KI_EXPECT_STATE(test, imp, FULL);
	KUNIT_EXPECT_EQ(test, (u32)ki_past(imp, 1), (u32)LUSTRE_IMP_CONNECTING);
	KI_EXPECT_EVENTS(test, IMP_EVENT_OCD, IMP_EVENT_ACTIVE);
	/* Again: it is, nothing happens. */
	KUNIT_EXPECT_EQ(test, import_connect(imp, NULL), 0);
	KI_EXPECT_EVENTS(test);
	KUNIT_EXPECT_EQ(test, ki.try_count, 1U);
	KUNIT_EXPECT_EQ(test, imp->imp_conn_cnt, 1U);
	kt_end(test, obd);
}

static void what_was_not_asked_for_is_refused(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = ki_import(obd);
	struct obd_export *exp = NULL;
	struct obd_why why = {};

	ki.answers = A " ";
	ki.grant_more = OBD_CONNECT_INDEX;
	KUNIT_EXPECT_EQ(test, ki_connect(obd, &exp), -EPROTO);
	KI_EXPECT_STATE(test, imp, DISCON);
	KUNIT_EXPECT_EQ(test, ki.goodbyes, 1U);
	KUNIT_EXPECT_EQ(test, imp->imp_link, IMP_LINK_NONE);
	KUNIT_EXPECT_EQ(test, import_connect(imp, &why), -EPROTO);
	KUNIT_EXPECT_TRUE(test, strstr(why.text, "grants 0x23 0x0, asked were 0x21 0x0") != NULL);
	ki.grant_more = 0;
	ki.grant_more2 = 4;
	KUNIT_EXPECT_EQ(test, import_connect(imp, &why), -EPROTO);
	KUNIT_EXPECT_TRUE(test, strstr(why.text, "grants 0x21 0x4") != NULL);
	/* Less than asked for is fine. */
	ki.grant_more2 = 0;
	ki.grant = OBD_CONNECT_VERSION;
	KUNIT_EXPECT_EQ(test, ki_connect(obd, &exp), 0);
	KUNIT_EXPECT_EQ(test, imp->imp_connect_data.ocd_connect_flags,
			OBD_CONNECT_VERSION);
	KUNIT_EXPECT_EQ(test, obd_disconnect(exp), 0);
	kt_end(test, obd);
}

static void a_reconnect_asks_for_all_again(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = ki_import(obd);
	struct obd_export *exp = NULL;

	ki.answers = A " ";
	ki.grant = OBD_CONNECT_VERSION;
	exp = ki_connected(test, obd);
	ki.event_count = 0;
	ki.grant = OBD_CONNECT_VERSION | OBD_CONNECT_RDONLY;
	KUNIT_EXPECT_EQ(test, import_recover(imp, NULL, NULL), 0);
	KUNIT_EXPECT_EQ(test, imp->imp_connect_data.ocd_connect_flags,
			OBD_CONNECT_VERSION | OBD_CONNECT_RDONLY);
	KI_EXPECT_EVENTS(test, IMP_EVENT_DISCON, IMP_EVENT_OCD, IMP_EVENT_ACTIVE);
	/* Nothing new: no OCD. The target knew us, nothing is invalid. */
	KUNIT_EXPECT_EQ(test, import_recover(imp, NULL, NULL), 0);
	KI_EXPECT_EVENTS(test, IMP_EVENT_DISCON, IMP_EVENT_ACTIVE);
	KUNIT_EXPECT_EQ(test, imp->imp_generation, 0U);
	KUNIT_EXPECT_EQ(test, (u32)ki_past(imp, 1), (u32)LUSTRE_IMP_RECOVER);
	KUNIT_EXPECT_EQ(test, ki.drops, 2U);
	KUNIT_EXPECT_EQ(test, ki.goodbyes, 0U);
	KUNIT_EXPECT_EQ(test, obd_disconnect(exp), 0);
	KUNIT_EXPECT_EQ(test, ki.goodbyes, 1U);
	kt_end(test, obd);
}

static void a_new_cookie_is_an_eviction(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = ki_import(obd);

	ki.answers = A " ";
	KUNIT_EXPECT_EQ(test, import_connect(imp, NULL), 0);
	ki.event_count = 0;
	ki.cookie++;
	KUNIT_EXPECT_EQ(test, import_recover(imp, NULL, NULL), 0);
	KI_EXPECT_EVENTS(test, IMP_EVENT_DISCON, IMP_EVENT_INACTIVE,
			 IMP_EVENT_INVALIDATE, IMP_EVENT_ACTIVE);
	KUNIT_EXPECT_EQ(test, (u32)ki_past(imp, 0), (u32)LUSTRE_IMP_FULL);
	KUNIT_EXPECT_EQ(test, (u32)ki_past(imp, 1), (u32)LUSTRE_IMP_RECOVER);
	KUNIT_EXPECT_EQ(test, (u32)ki_past(imp, 2), (u32)LUSTRE_IMP_EVICTED);
	KUNIT_EXPECT_EQ(test, (u32)ki_past(imp, 3), (u32)LUSTRE_IMP_CONNECTING);
	KUNIT_EXPECT_EQ(test, (u32)ki_past(imp, 4), (u32)LUSTRE_IMP_DISCON);
	KUNIT_EXPECT_EQ(test, imp->imp_generation, 1U);
	KUNIT_EXPECT_EQ(test, imp->imp_remote_handle.cookie, ki.cookie);
	KUNIT_EXPECT_FALSE(test, test_bit(IMPF_INVALID, &imp->imp_flags));
	KUNIT_EXPECT_EQ(test, atomic_read(&imp->imp_inval_count), 0);
	kt_end(test, obd);
}

static long aside_connect(void *imp)
{
	return import_connect(imp, NULL);
}

static void of_two_who_connect_one_does(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = ki_import(obd);
	struct obd_uuid a = kt_uuid(A);
	struct aside one, two;
	struct gate gate;

	ki.answers = A " ";
	gate_init(&gate);
	ki.connect_gate = &gate;
	aside_start(test, &one, aside_connect, imp);
	gate_await(test, &gate);
	KI_EXPECT_STATE(test, imp, CONNECTING);
	KUNIT_EXPECT_EQ(test, import_del_conn(imp, &a), -EBUSY);
	aside_start(test, &two, aside_connect, imp);
	aside_await_sleep(test, &two);
	complete(&gate.leave);
	KUNIT_EXPECT_EQ(test, aside_join(test, &one), 0L);
	KUNIT_EXPECT_EQ(test, aside_join(test, &two), 0L);
	KUNIT_EXPECT_EQ(test, ki.try_count, 1U);
	KUNIT_EXPECT_EQ(test, imp->imp_conn_cnt, 1U);
	kt_end(test, obd);
}

static void expect_deactivated(struct kunit *test, struct obd_device *obd,
			       struct obd_import *imp)
{
	struct obd_why why = {};

	KI_EXPECT_STATE(test, imp, DISCON);
	KUNIT_EXPECT_EQ(test, (u32)class_obd_status(obd), (u32)OBD_STATUS_INACTIVE);
	KUNIT_EXPECT_EQ(test, import_connect(imp, &why), -ESHUTDOWN);
	KUNIT_EXPECT_TRUE(test, strstr(why.text, "activate it first") != NULL);
}

static void a_refusal_for_good_deactivates(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = ki_import(obd);

	ki_add_conn(test, imp, B, false);
	ki.answers = A " " B " ";
	ki.answer_rc = -EACCES;
	KUNIT_EXPECT_EQ(test, import_connect(imp, NULL), -EACCES);
	EXPECT_TRIED(test, A " ");
	KI_EXPECT_EVENTS(test, IMP_EVENT_DEACTIVATE);
	expect_deactivated(test, obd, imp);
	kt_end(test, obd);
}

/* Locks and data of the target are void: it is another client when it is activated again. */
static void a_refusal_for_good_ends_what_was_connected(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = ki_import(obd);

	ki.answers = A " ";
	KUNIT_EXPECT_EQ(test, import_connect(imp, NULL), 0);
	ki.event_count = 0;
	ki.answer_rc = -EACCES;
	KUNIT_EXPECT_EQ(test, import_recover(imp, NULL, NULL), -EACCES);
	KI_EXPECT_EVENTS(test, IMP_EVENT_DISCON, IMP_EVENT_DEACTIVATE,
			 IMP_EVENT_INACTIVE, IMP_EVENT_INVALIDATE);
	KUNIT_EXPECT_EQ(test, imp->imp_remote_handle.cookie, 0ULL);
	KUNIT_EXPECT_TRUE(test, test_bit(IMPF_INVALID, &imp->imp_flags));
	expect_deactivated(test, obd, imp);
	kt_end(test, obd);
}

/* The disk of the target is read-only, until it is repaired. */
static void a_target_that_is_read_only_is_tried_again(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = ki_import(obd);

	ki.answers = A " ";
	ki.answer_rc = -EROFS;
	KUNIT_EXPECT_EQ(test, import_connect(imp, NULL), -EROFS);
	KI_EXPECT_EVENTS(test);
	ki.answer_rc = 0;
	KUNIT_EXPECT_EQ(test, import_connect(imp, NULL), 0);
	kt_end(test, obd);
}

/* The same errors, of the network layer: another node is asked, and retries go on. */
static void a_refusal_on_the_way_is_not_for_good(struct kunit *test)
{
	static const int refusals[] = { -EACCES, -EROFS };
	struct obd_device *obd;
	struct obd_import *imp;
	struct obd_why why;
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(refusals); n++) {
		memset(&why, 0, sizeof(why));
		obd = ki_start_client(test, A);
		imp = ki_import(obd);
		ki_add_conn(test, imp, B, false);
		ki.answers = "";
		ki.network_rc = refusals[n];
		KUNIT_EXPECT_EQ(test, import_connect(imp, &why), refusals[n]);
		EXPECT_TRIED(test, A " " B " ");
		KUNIT_EXPECT_TRUE(test, strstr(why.text, "the node says no") != NULL);
		KI_EXPECT_EVENTS(test);
		KI_EXPECT_STATE(test, imp, DISCON);
		KUNIT_EXPECT_FALSE(test, test_bit(IMPF_DEACTIVE, &imp->imp_flags));
		/* One node refuses, the other one has the target. */
		ki.answers = B " ";
		KUNIT_EXPECT_EQ(test, import_connect(imp, NULL), 0);
		EXPECT_TRIED(test, A " " B " ");
		KI_EXPECT_STATE(test, imp, FULL);
		kt_end(test, obd);
		ki.network_rc = 0;
		ki.event_count = 0;
	}
}

static void deactivation_says_goodbye(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = ki_import(obd);

	ki.answers = A " ";
	KUNIT_EXPECT_EQ(test, import_connect(imp, NULL), 0);
	ki.event_count = 0;
	KUNIT_EXPECT_EQ(test, import_set_active(imp, false, NULL), 0);
	KI_EXPECT_EVENTS(test, IMP_EVENT_DEACTIVATE, IMP_EVENT_DISCON,
			 IMP_EVENT_INACTIVE, IMP_EVENT_INVALIDATE);
	KI_EXPECT_STATE(test, imp, DISCON);
	KUNIT_EXPECT_EQ(test, ki.goodbyes, 1U);
	KUNIT_EXPECT_TRUE(test, test_bit(OBDF_INACTIVE, &obd->obd_flags));
	KUNIT_EXPECT_EQ(test, import_recover(imp, NULL, NULL), -ESHUTDOWN);
	/* Twice is once. */
	KUNIT_EXPECT_EQ(test, import_set_active(imp, false, NULL), 0);
	KI_EXPECT_EVENTS(test);
	KUNIT_EXPECT_EQ(test, import_set_active(imp, true, NULL), 0);
	KI_EXPECT_EVENTS(test, IMP_EVENT_ACTIVATE, IMP_EVENT_OCD, IMP_EVENT_ACTIVE);
	KI_EXPECT_STATE(test, imp, FULL);
	KUNIT_EXPECT_FALSE(test, test_bit(OBDF_INACTIVE, &obd->obd_flags));
	KUNIT_EXPECT_EQ(test, import_set_active(imp, true, NULL), 0);
	KI_EXPECT_EVENTS(test);
	kt_end(test, obd);
}

static void activation_connects_only_what_is_wanted(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = ki_import(obd);

	KUNIT_EXPECT_EQ(test, import_set_active(imp, false, NULL), 0);
	KUNIT_EXPECT_EQ(test, import_set_active(imp, true, NULL), 0);
	KI_EXPECT_STATE(test, imp, NEW);
	KUNIT_EXPECT_EQ(test, ki.try_count, 0U);
	kt_end(test, obd);
}

static void recovery_goes_where_it_is_sent(struct kunit *test)
{
	struct obd_uuid b = kt_uuid(B), c = kt_uuid(C);
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = ki_import(obd);
	struct obd_why why = {};
	char text[LNET_NID_TEXT_MAX];

	ki_add_conn(test, imp, B, false);
	ki.answers = A " " B " ";
	KUNIT_EXPECT_EQ(test, import_connect(imp, NULL), 0);
	EXPECT_TRIED(test, A " ");
	KUNIT_EXPECT_EQ(test, import_recover(imp, &b, &why), 0);
	EXPECT_TRIED(test, B " ");
	import_server_text(imp, text, sizeof(text));
	KUNIT_EXPECT_STREQ(test, text, B);
	KUNIT_EXPECT_EQ(test, import_recover(imp, &c, &why), -ENOENT);
	KUNIT_EXPECT_TRUE(test, strstr(why.text, C) != NULL);
	KI_EXPECT_STATE(test, imp, FULL);
	/* It does not answer: another is better than none, but no success. */
	ki_add_conn(test, imp, C, false);
	KUNIT_EXPECT_EQ(test, import_recover(imp, &c, &why), -EHOSTUNREACH);
	EXPECT_TRIED(test, C " " B " ");
	KI_EXPECT_STATE(test, imp, FULL);
	kt_end(test, obd);
}

static void closed_is_closed(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = ki_import(obd);
	struct obd_why why = {};
	char text[LNET_NID_TEXT_MAX];

	ki.answers = A " ";
	KUNIT_EXPECT_EQ(test, import_connect(imp, NULL), 0);
	ki.event_count = 0;
	KUNIT_EXPECT_EQ(test, import_disconnect(imp), 0);
	KI_EXPECT_STATE(test, imp, CLOSED);
	KI_EXPECT_EVENTS(test, IMP_EVENT_INACTIVE, IMP_EVENT_INVALIDATE);
	KUNIT_EXPECT_EQ(test, ki.goodbyes, 1U);
	KUNIT_EXPECT_EQ(test, imp->imp_remote_handle.cookie, 0ULL);
	import_server_text(imp, text, sizeof(text));
	KUNIT_EXPECT_STREQ(test, text, "");
	KUNIT_EXPECT_EQ(test, import_disconnect(imp), 0);
	KI_EXPECT_EVENTS(test);
	KUNIT_EXPECT_EQ(test, import_connect(imp, &why), -ENOTCONN);
	KUNIT_EXPECT_EQ(test, import_recover(imp, NULL, &why), -ENOTCONN);
	KUNIT_EXPECT_TRUE(test, strstr(why.text, "no device is connected") != NULL);
	kt_end(test, obd);
}

static void an_invalidated_call_fails(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = ki_import(obd);
	struct obd_export *exp = NULL;
	struct aside call;
	struct gate gate;

	ki.answers = A " ";
	exp = ki_connected(test, obd);
	ki.event_count = 0;
	gate_init(&gate);
	ki.statfs_gate = &gate;
	aside_start(test, &call, aside_statfs, exp);
	gate_await(test, &gate);
	import_invalidate(imp);
	KI_EXPECT_EVENTS(test, IMP_EVENT_DISCON, IMP_EVENT_INACTIVE,
			 IMP_EVENT_INVALIDATE);
	KUNIT_EXPECT_EQ(test, imp->imp_generation, 1U);
	complete(&gate.leave);
	KUNIT_EXPECT_EQ(test, aside_join(test, &call), (long)-EIO);
	/* The next one connects first. */
	ki.statfs_gate = NULL;
	KUNIT_EXPECT_EQ(test, aside_statfs(exp), 0L);
	KI_EXPECT_STATE(test, imp, FULL);
	KUNIT_EXPECT_EQ(test, obd_disconnect(exp), 0);
	kt_end(test, obd);
}

/* Of several calls that find the target gone, one ends the connection. */
static void a_loss_is_noticed_once(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = ki_import(obd);
	struct obd_export *exp = NULL;
	struct aside one, two;
	struct gate gate;

	ki.answers = A " ";
	exp = ki_connected(test, obd);
	ki.event_count = 0;
	gate_init(&gate);
	ki.statfs_gate = &gate;
	ki.statfs_rc = -ENOTCONN;
	aside_start(test, &one, aside_statfs, exp);
	gate_await(test, &gate);
	aside_start(test, &two, aside_statfs, exp);
	gate_await(test, &gate);
	complete(&gate.leave);
	complete(&gate.leave);
	KUNIT_EXPECT_EQ(test, aside_join(test, &one), (long)-ENOTCONN);
	KUNIT_EXPECT_EQ(test, aside_join(test, &two), (long)-ENOTCONN);
	KI_EXPECT_EVENTS(test, IMP_EVENT_DISCON);
	KUNIT_EXPECT_EQ(test, ki.drops, 1U);
	KI_EXPECT_STATE(test, imp, DISCON);
	ki.statfs_gate = NULL;
	ki.statfs_rc = 0;
	KUNIT_EXPECT_EQ(test, aside_statfs(exp), 0L);
	KUNIT_EXPECT_EQ(test, obd_disconnect(exp), 0);
	kt_end(test, obd);
}

static void end_it_again(struct obd_import *imp, enum obd_import_event event)
{
	if (event == IMP_EVENT_ACTIVE)
		import_disconnect(imp);
}

/* A callback may act; the event that follows from that comes in its turn. */
static void who_is_told_may_use_the_import(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = ki_import(obd);

	ki.answers = A " ";
	ki.on_event = end_it_again;
	KUNIT_EXPECT_EQ(test, import_connect(imp, NULL), 0);
	KI_EXPECT_EVENTS(test, IMP_EVENT_OCD, IMP_EVENT_ACTIVE,
			 IMP_EVENT_INACTIVE, IMP_EVENT_INVALIDATE);
	KI_EXPECT_STATE(test, imp, CLOSED);
	kt_end(test, obd);
}

static unsigned int invalidated, reconnects;

/* While the first event is told: an invalidation, and then more than the queue has. */
static void flood(struct obd_import *imp, enum obd_import_event event)
{
	invalidated += event == IMP_EVENT_INVALIDATE;
	if (reconnects)
		return;
	import_invalidate(imp);
	for (; reconnects < IMP_EVENTS_MAX; reconnects++)
		import_recover(imp, NULL, NULL);
}

static void no_event_is_lost_in_a_flood(struct kunit *test)
{
	struct obd_device *obd = ki_start_client(test, A);
	struct obd_import *imp = ki_import(obd);

	invalidated = 0;
	reconnects = 0;
	ki.answers = A " ";
	ki.on_event = flood;
	KUNIT_EXPECT_EQ(test, import_connect(imp, NULL), 0);
	KUNIT_EXPECT_EQ(test, invalidated, 1U);
	KUNIT_EXPECT_EQ(test, atomic_read(&imp->imp_inval_count), 0);
	KI_EXPECT_STATE(test, imp, FULL);
	/* The last one told says how it is. */
	KUNIT_EXPECT_EQ(test, ki.last_event, IMP_EVENT_ACTIVE);
	kt_end(test, obd);
}

static const char *flag_name(u64 flag)
{
	return obd_connect_flag_name(__ffs64(flag));
}

static void connect_flags_have_names(struct kunit *test)
{
	KUNIT_EXPECT_STREQ(test, obd_connect_flag_name(0), "read_only");
	KUNIT_EXPECT_STREQ(test, obd_connect_flag_name(5), "version");
	KUNIT_EXPECT_STREQ(test, obd_connect_flag_name(24), "adaptive_timeouts");
	KUNIT_EXPECT_STREQ(test, obd_connect_flag_name(63), "second_flags");
	KUNIT_EXPECT_STREQ(test, obd_connect_flag_name(64), "file_secctx");
	KUNIT_EXPECT_STREQ(test, flag_name(OBD_CONNECT_INDEX), "lov_index");
	KUNIT_EXPECT_STREQ(test, flag_name(OBD_CONNECT_MDS), "connect_from_mds");
	KUNIT_EXPECT_STREQ(test, flag_name(OBD_CONNECT_GRANT), "write_grant");
	KUNIT_EXPECT_STREQ(test, flag_name(OBD_CONNECT_REQPORTAL), "request_portal");
	KUNIT_EXPECT_STREQ(test, flag_name(OBD_CONNECT_BRW_SIZE), "max_byte_per_rpc");
	KUNIT_EXPECT_STREQ(test, flag_name(OBD_CONNECT_AT), "adaptive_timeouts");
	KUNIT_EXPECT_STREQ(test, flag_name(OBD_CONNECT_REAL), "real_conn");
	KUNIT_EXPECT_STREQ(test, flag_name(OBD_CONNECT_CKSUM), "alt_checksum_algorithm");
	KUNIT_EXPECT_STREQ(test, flag_name(OBD_CONNECT_IMP_RECOV), "imp_recov");
	KUNIT_EXPECT_STREQ(test, flag_name(OBD_CONNECT_FLAGS2), "second_flags");
	KUNIT_EXPECT_TRUE(test, obd_connect_flag_name(55) == NULL);
	KUNIT_EXPECT_TRUE(test, obd_connect_flag_name(127) == NULL);
	KUNIT_EXPECT_TRUE(test, obd_connect_flag_name(~0U) == NULL);
}

static struct kunit_case import_cases[] = {
	KUNIT_CASE(every_move_in_every_state),
	KUNIT_CASE(states_have_their_numbers_and_names),
	KUNIT_CASE(history_keeps_the_last_16_states),
	KUNIT_CASE(maker_and_lookups_hold_an_import),
	KUNIT_CASE(import_holds_its_device),
	KUNIT_CASE(a_call_holds_the_import),
	KUNIT_CASE(servers_have_priorities_and_no_doubles),
	KUNIT_CASE(a_server_must_lead_to_a_nid),
	KUNIT_CASE(the_server_in_use_is_not_forgotten),
	KUNIT_CASE(servers_are_tried_in_order),
	KUNIT_CASE(the_least_recently_tried_is_next),
	KUNIT_CASE(each_nid_of_a_server_is_tried),
	KUNIT_CASE(attempts_and_replies_are_counted),
	KUNIT_CASE(a_way_that_leads_nowhere_is_named),
	KUNIT_CASE(a_first_connect_is_told),
	KUNIT_CASE(what_was_not_asked_for_is_refused),
	KUNIT_CASE(a_reconnect_asks_for_all_again),
	KUNIT_CASE(a_new_cookie_is_an_eviction),
	KUNIT_CASE(of_two_who_connect_one_does),
	KUNIT_CASE(a_refusal_for_good_deactivates),
	KUNIT_CASE(a_refusal_for_good_ends_what_was_connected),
	KUNIT_CASE(a_target_that_is_read_only_is_tried_again),
	KUNIT_CASE(a_refusal_on_the_way_is_not_for_good),
	KUNIT_CASE(deactivation_says_goodbye),
	KUNIT_CASE(activation_connects_only_what_is_wanted),
	KUNIT_CASE(recovery_goes_where_it_is_sent),
	KUNIT_CASE(closed_is_closed),
	KUNIT_CASE(an_invalidated_call_fails),
	KUNIT_CASE(a_loss_is_noticed_once),
	KUNIT_CASE(who_is_told_may_use_the_import),
	KUNIT_CASE(no_event_is_lost_in_a_flood),
	KUNIT_CASE(connect_flags_have_names),
	{}
};

static struct kunit_suite import_suite = {
	.name = "obd_import",
	.suite_init = client_suite_init,
	.init = import_fixture_init,
	.exit = import_fixture_exit,
	.test_cases = import_cases,
};
kunit_test_suite(import_suite);

MODULE_DESCRIPTION("imports");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
