// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets: connecting and disconnecting, requests that are handled once and answered again,
 * and refusals; the case plays the client node.
 */
#include "ptlrpc_service_fixture.h"

#define OTHER_IMPORT	78

/* Connecting. */

static int connect_again(struct kunit *test, u64 handle, u32 conn_cnt,
			 u64 import)
{
	struct wire_msg msg = ks_msg(OST_CONNECT);

	msg.handle = handle;
	msg.conn_cnt = conn_cnt;
	return ks_connect_as(test, msg, KS_TARGET, "client_UUID", import);
}

static struct wire_msg ping_msg(u64 handle)
{
	struct wire_msg msg = ks_msg(OBD_PING);

	msg.handle = handle;
	msg.portal = OST_REQUEST_PORTAL;
	return msg;
}

static void unknown_target_is_refused(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ks_connect_as(test, ks_msg(OST_CONNECT),
					    "nowhere_UUID", "client_UUID", 77),
			-ENODEV);
	KUNIT_EXPECT_EQ(test, ks_connect_as(test, ks_msg(OST_CONNECT), KS_TARGET,
					    "", 77), -EPROTO);
}

static void client_is_known_by_its_handle(struct kunit *test)
{
	const __le64 *blocks;
	struct wire_msg msg;
	u64 handle = ks_connect(test);

	KUNIT_EXPECT_EQ(test, ks.wp->rep.op_flags, 0U);
	KUNIT_EXPECT_EQ(test, ks_call(test, ping_msg(handle)), 0);
	KUNIT_EXPECT_EQ(test, ks_call(test, ping_msg(handle + 1)), -ENOTCONN);
	msg = ks_msg(OST_STATFS);
	msg.handle = handle;
	msg.portal = OST_REQUEST_PORTAL;
	KUNIT_ASSERT_EQ(test, wire_peer_send(ks.wp, &msg, (u32[]){ 8 }, NULL, 1,
					     0), 0);
	KUNIT_ASSERT_EQ(test, wire_peer_recv(ks.wp), 0);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.status, 0);
	blocks = wire_buf(&ks.wp->rep, 0, sizeof(struct lustre_statfs));
	KUNIT_ASSERT_TRUE(test, blocks != NULL);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(blocks[2]), 42ULL);
}

static void client_comes_back(struct kunit *test)
{
	u64 handle = ks_connect(test);

	KUNIT_EXPECT_EQ(test, ks_call(test, ping_msg(handle)), 0);
	KUNIT_EXPECT_EQ(test, connect_again(test, handle, 2, 77), 0);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.handle, handle);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.op_flags, (u32)MSG_CONNECT_RECONNECT);
	/* What was sent before that is not wanted any more. */
	ks_send(test, ping_msg(handle));
	KUNIT_EXPECT_TRUE(test, wire_peer_is_quiet(ks.wp));
	/* Nor is a connect that was late. */
	KUNIT_EXPECT_EQ(test, connect_again(test, handle, 1, 77), -EALREADY);
}

static struct gate disconnect_gate;

static void disconnect_waits(enum ptlrpc_test_point at, void *object)
{
	if (at == PTP_DISCONNECT)
		gate_set(&disconnect_gate, 0);
}

/* It did not wait until its transactions were on disk. */
static void client_comes_back_while_it_disconnects(struct kunit *test)
{
	u64 handle = ks_connect(test);
	struct wire_msg msg = ping_msg(handle);

	gate_init(&disconnect_gate);
	WRITE_ONCE(ptlrpc_test_hook, disconnect_waits);
	msg.opc = OST_DISCONNECT;
	ks_send(test, msg);
	gate_await(test, &disconnect_gate);
	KUNIT_EXPECT_EQ(test, connect_again(test, handle, 2, 77), 0);
	complete(&disconnect_gate.leave);
	KUNIT_ASSERT_EQ(test, wire_peer_recv(ks.wp), 0);
	WRITE_ONCE(ptlrpc_test_hook, NULL);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.status, -EALREADY);
	msg = ping_msg(handle);
	msg.conn_cnt = 2;
	KUNIT_EXPECT_EQ(test, ks_call(test, msg), 0);
}

/* A node of several NIDs: one of them does not work any more. */
static void client_comes_back_from_another_nid(struct kunit *test)
{
	u64 handle = ks_connect(test);
	struct wire_peer *first = ks.wp;
	struct wire_msg msg = ping_msg(handle);

	KUNIT_EXPECT_EQ(test, ks_call(test, msg), 0);
	ks.wp = wire_peer_open_at(test, 1);
	KUNIT_EXPECT_EQ(test, ks_call(test, ping_msg(handle)), -ENOTCONN);
	/* Another client of the same uuid does not know the cookie. */
	KUNIT_EXPECT_EQ(test, connect_again(test, 0, 2, OTHER_IMPORT), -EALREADY);
	KUNIT_EXPECT_EQ(test, connect_again(test, handle, 2, 77), 0);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.handle, handle);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.op_flags, (u32)MSG_CONNECT_RECONNECT);
	msg = ping_msg(handle);
	msg.conn_cnt = 2;
	KUNIT_EXPECT_EQ(test, ks_call(test, msg), 0);
	swap(ks.wp, first);
	msg.xid = ks.xid++;
	KUNIT_EXPECT_EQ(test, ks_call(test, msg), -ENOTCONN);
	wire_peer_close(first);
}

static void connect_that_comes_twice_is_one(struct kunit *test)
{
	struct wire_msg msg = ks_msg(OST_CONNECT);
	u64 handle;

	KUNIT_ASSERT_EQ(test, ks_connect_as(test, msg, KS_TARGET, "client_UUID",
					    77), 0);
	handle = ks.wp->rep.handle;
	KUNIT_ASSERT_EQ(test, ks_connect_as(test, msg, KS_TARGET, "client_UUID",
					    77), 0);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.handle, handle);
	KUNIT_EXPECT_EQ(test, ks_call(test, ping_msg(handle)), 0);
}

static void connect_without_an_answer_is_tried_again(struct kunit *test)
{
	u64 handle = ks_connect(test);

	KUNIT_EXPECT_EQ(test, connect_again(test, 0, 2, 77), 0);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.handle, handle);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.op_flags, 0U);
}

/* It names the export that it had, as it did not hear of the new one. */
static void evicted_client_without_an_answer_is_the_same(struct kunit *test)
{
	u64 before = ks_connect(test), handle;
	struct wire_msg msg;

	KUNIT_EXPECT_EQ(test, class_disconnect_stale_exports(ks.obd,
			ktime_get_seconds() + 60), 1U);
	KUNIT_EXPECT_EQ(test, connect_again(test, before, 2, 77), 0);
	handle = ks.wp->rep.handle;
	KUNIT_EXPECT_NE(test, handle, before);
	KUNIT_EXPECT_EQ(test, connect_again(test, before, 3, 77), 0);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.handle, handle);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.op_flags, 0U);
	msg = ping_msg(handle);
	msg.conn_cnt = 3;
	KUNIT_EXPECT_EQ(test, ks_call(test, msg), 0);
}

/* The copy comes when the export is in use already. */
static void copy_of_a_connect_evicts_nobody(struct kunit *test, u64 before)
{
	struct wire_msg msg = ks_msg(OST_CONNECT);
	u64 handle;

	msg.handle = before;
	KUNIT_ASSERT_EQ(test, ks_connect_as(test, msg, KS_TARGET, "client_UUID",
					    77), 0);
	handle = ks.wp->rep.handle;
	KUNIT_EXPECT_EQ(test, ks_call(test, ping_msg(handle)), 0);
	KUNIT_ASSERT_EQ(test, ks_connect_as(test, msg, KS_TARGET, "client_UUID",
					    77), 0);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.handle, handle);
	KUNIT_EXPECT_EQ(test, ks_call(test, ping_msg(handle)), 0);
}

static void late_copy_of_a_first_connect(struct kunit *test)
{
	copy_of_a_connect_evicts_nobody(test, 0);
}

static void late_copy_of_an_evicted_clients_connect(struct kunit *test)
{
	copy_of_a_connect_evicts_nobody(test, 12345);
}

static void client_that_restarted_is_new(struct kunit *test)
{
	u64 handle = ks_connect(test);

	KUNIT_EXPECT_EQ(test, connect_again(test, 0, 1, OTHER_IMPORT), 0);
	KUNIT_EXPECT_NE(test, ks.wp->rep.handle, handle);
	KUNIT_EXPECT_EQ(test, ks_call(test, ping_msg(handle)), -ENOTCONN);
}

static void client_that_forgot_its_export_is_new(struct kunit *test)
{
	u64 handle = ks_connect(test);

	KUNIT_EXPECT_EQ(test, ks_call(test, ping_msg(handle)), 0);
	KUNIT_EXPECT_EQ(test, connect_again(test, 0, 2, 77), 0);
	KUNIT_EXPECT_NE(test, ks.wp->rep.handle, handle);
	KUNIT_EXPECT_EQ(test, ks_call(test, ping_msg(handle)), -ENOTCONN);
}

static void client_says_goodbye(struct kunit *test)
{
	struct wire_msg msg = ks_msg(OST_DISCONNECT);

	msg.handle = ks_connect(test);
	msg.portal = OST_REQUEST_PORTAL;
	KUNIT_EXPECT_EQ(test, ks_call(test, msg), 0);
	KUNIT_EXPECT_EQ(test, ks_call(test, ping_msg(msg.handle)), -ENOTCONN);
}

static void evicted_client_is_not_known(struct kunit *test)
{
	u64 handle = ks_connect(test);
	struct obd_export *exp = class_conn2export(handle);

	KUNIT_ASSERT_TRUE(test, exp != NULL);
	KUNIT_EXPECT_TRUE(test, exp->exp_imp_reverse != NULL);
	class_fail_export(exp);
	KUNIT_EXPECT_TRUE(test, exp->exp_imp_reverse == NULL);
	class_export_put(exp);
	KUNIT_EXPECT_EQ(test, ks_call(test, ping_msg(handle)), -ENOTCONN);
}

static void silent_client_is_evicted(struct kunit *test)
{
	u64 handle = ks_connect(test);
	time64_t now = ktime_get_seconds();

	KUNIT_EXPECT_EQ(test, class_disconnect_stale_exports(ks.obd, now - 60),
			0U);
	KUNIT_EXPECT_EQ(test, ks_call(test, ping_msg(handle)), 0);
	KUNIT_EXPECT_EQ(test, class_disconnect_stale_exports(ks.obd, now + 60),
			1U);
	KUNIT_EXPECT_EQ(test, ks_call(test, ping_msg(handle)), -ENOTCONN);
}

/* An export of this kernel's own clients is not for those elsewhere. */
static void handle_of_another_node_is_refused(struct kunit *test)
{
	const struct obd_uuid uuid = kt_uuid("inside_UUID");
	struct lustre_handle conn;
	struct obd_export *exp;

	KUNIT_ASSERT_EQ(test, class_connect(&conn, ks.obd, &uuid, NULL), 0);
	KUNIT_EXPECT_EQ(test, ks_call(test, ping_msg(conn.cookie)), -ENOTCONN);
	exp = class_conn2export(conn.cookie);
	KUNIT_ASSERT_TRUE(test, exp != NULL);
	class_disconnect(exp);
}

static void stopped_target_is_not_found(struct kunit *test)
{
	u64 handle = ks_connect(test);

	KUNIT_EXPECT_EQ(test, class_cleanup(ks.obd, true, false, NULL), 0);
	KUNIT_EXPECT_TRUE(test, wire_peer_send(ks.wp, &(struct wire_msg) {
			  .type = PTL_RPC_MSG_REQUEST, .opc = OBD_PING,
			  .xid = ks.xid, .handle = handle, .conn_cnt = 1,
			  .portal = OST_REQUEST_PORTAL }, NULL, NULL, 0, 0) ||
			  wire_peer_recv(ks.wp) || ks.wp->rep.status == -ENOTCONN);
}

/* What a node gets for a message has an end. */
static void clients_of_a_node_are_bounded(struct kunit *test)
{
	char uuid[32];
	int n, rc = 0;

	for (n = 0; n < 3000 && !rc; n++) {
		scnprintf(uuid, sizeof(uuid), "client%d_UUID", n);
		rc = ks_connect_as(test, ks_msg(OST_CONNECT), KS_TARGET, uuid,
				   n + 1);
	}
	KUNIT_EXPECT_EQ(test, rc, -EUSERS);
	KUNIT_EXPECT_EQ(test, n, 2049);
}

/* What waits at one portal must not use up the threads of another. */
static void operation_belongs_to_its_portal(struct kunit *test)
{
	static const struct {
		u32	opc;
		u16	portal;
	} wrong[] = {
		{ LDLM_ENQUEUE, LDLM_CANCEL_REQUEST_PORTAL },
		{ LDLM_ENQUEUE, LDLM_CB_REQUEST_PORTAL },
		{ LDLM_ENQUEUE, OST_IO_PORTAL },
		{ LDLM_CANCEL, OST_REQUEST_PORTAL },
		{ LDLM_CANCEL, MDS_REQUEST_PORTAL },
		{ LDLM_CANCEL, MGS_REQUEST_PORTAL },
		{ LDLM_BL_CALLBACK, OST_REQUEST_PORTAL },
		{ LDLM_CONVERT, OST_REQUEST_PORTAL },
		{ OST_STATFS, OST_IO_PORTAL },
		{ OST_STATFS, MDS_REQUEST_PORTAL },
		{ OST_CONNECT, MGS_REQUEST_PORTAL },
		{ MDS_STATFS, OST_REQUEST_PORTAL },
		{ MDS_GET_ROOT, MGS_REQUEST_PORTAL },
		{ MGS_SET_INFO, MDS_REQUEST_PORTAL },
		{ OBD_PING, LDLM_CANCEL_REQUEST_PORTAL },
		{ OBD_PING, OST_IO_PORTAL },
		/* An operation of the type of the target. */
		{ KS_ONCE, OST_REQUEST_PORTAL },
		{ KS_ONCE, LDLM_CANCEL_REQUEST_PORTAL },
	};
	u64 handle = ks_connect(test);
	struct wire_msg msg;
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(wrong); n++) {
		msg = ks_msg(wrong[n].opc);
		msg.handle = handle;
		msg.portal = wrong[n].portal;
		KUNIT_EXPECT_EQ_MSG(test, ks_call(test, msg), -EOPNOTSUPP,
				    "operation %u at portal %u", wrong[n].opc,
				    wrong[n].portal);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&ks.once), 0);
	KUNIT_EXPECT_EQ(test, ks_call(test, ping_msg(handle)), 0);
	KUNIT_EXPECT_EQ(test, ks_call(test, ks_once_msg(handle)), 0);
}

/* At most once. */

static void once(struct kunit *test, struct wire_msg msg, u64 count)
{
	KUNIT_EXPECT_EQ(test, ks_call(test, msg), 0);
	KUNIT_EXPECT_EQ(test, ks_once_count(), count);
}

static void what_was_done_is_answered_again(struct kunit *test)
{
	struct wire_msg msg = ks_once_msg(ks_connect(test));

	once(test, msg, 1);
	once(test, msg, 1);
	msg.flags = MSG_RESENT;
	once(test, msg, 1);
	once(test, ks_once_msg(msg.handle), 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&ks.once), 2);
}

static void what_the_client_has_is_forgotten(struct kunit *test)
{
	struct wire_msg first = ks_once_msg(ks_connect(test)), second;

	once(test, first, 1);
	second = ks_once_msg(first.handle);
	second.last_xid = first.xid;
	once(test, second, 2);
	/* It is neither done nor answered. */
	ks_send(test, first);
	KUNIT_EXPECT_TRUE(test, wire_peer_is_quiet(ks.wp));
	once(test, second, 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&ks.once), 2);
}

/* While the first one is at it: one answer, where the second one came by. */
static void again_while_it_runs(struct kunit *test, u32 flags)
{
	struct wire_msg msg = ks_once_msg(ks_connect(test));
	struct wire_peer *first = ks.wp;

	msg.op_flags = 1;
	ks_send(test, msg);
	ks_await(test, 1);
	ks.wp = wire_peer_open(test);
	msg.flags = flags;
	ks_send(test, msg);
	ks_await_counted(test, SVC_STAT_ATTACHED, 1);
	complete_all(&ks.gate);
	KUNIT_EXPECT_EQ(test, wire_peer_recv(ks.wp), 0);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.xid, msg.xid);
	KUNIT_EXPECT_EQ(test, ks_once_count(), 1ULL);
	/* It may have been ended, as there is a newer one; it got no answer. */
	KUNIT_EXPECT_NE(test, wire_peer_recv_within(first, WIRE_PEER_QUIET), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ks.once), 1);
	wire_peer_close(first);
}

static void resent_while_it_runs_is_not_done_twice(struct kunit *test)
{
	again_while_it_runs(test, MSG_RESENT);
}

static void delivered_twice_is_not_done_twice(struct kunit *test)
{
	again_while_it_runs(test, 0);
}

static void resent_while_it_waits_is_not_done_twice(struct kunit *test)
{
	struct wire_msg msg = ks_once_msg(ks_connect(test));

	KUNIT_ASSERT_EQ(test, ks_set("threads_max", "1"), 0L);
	ks_send(test, ks_msg(KS_WAIT));
	ks_await(test, 1);
	ks_send(test, msg);
	msg.flags = MSG_RESENT;
	ks_send(test, msg);
	ks_await_counted(test, SVC_STAT_ATTACHED, 1);
	complete_all(&ks.gate);
	KUNIT_EXPECT_EQ(test, wire_peer_recv(ks.wp), 0);
	KUNIT_EXPECT_EQ(test, wire_peer_recv(ks.wp), 0);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.xid, msg.xid);
	KUNIT_EXPECT_TRUE(test, wire_peer_is_quiet(ks.wp));
	KUNIT_EXPECT_EQ(test, atomic_read(&ks.once), 1);
}

static void reply_is_there_after_the_connection(struct kunit *test)
{
	struct wire_msg msg = ks_once_msg(ks_connect(test));

	msg.op_flags = 1;
	ks_send(test, msg);
	ks_await(test, 1);
	wire_peer_close(ks.wp);
	ks.wp = NULL;
	complete_all(&ks.gate);
	msleep(300);
	ks.wp = wire_peer_open(test);
	KUNIT_EXPECT_EQ(test, connect_again(test, msg.handle, 2, 77), 0);
	msg.conn_cnt = 2;
	msg.flags = MSG_RESENT;
	once(test, msg, 1);
}

/* A client that never says what it has is refused after a while. */
static void replies_are_bounded(struct kunit *test)
{
	u64 handle = ks_connect(test);
	struct wire_msg msg;
	int n, rc = 0;

	for (n = 0; n < 600 && !rc; n++)
		rc = ks_call(test, ks_once_msg(handle));
	KUNIT_EXPECT_EQ(test, rc, -EINPROGRESS);
	KUNIT_EXPECT_EQ(test, n, 513);
	msg = ks_once_msg(handle);
	msg.last_xid = msg.xid - 1;
	KUNIT_EXPECT_EQ(test, ks_call(test, msg), 0);
}

static unsigned int replies_kept(struct kunit *test, u64 handle)
{
	struct obd_export *exp = class_conn2export(handle);
	unsigned int kept;

	KUNIT_ASSERT_TRUE(test, exp != NULL);
	kept = READ_ONCE(ptlrpc_export(exp)->pe_reply_count);
	class_export_put(exp);
	return kept;
}

/* A client waits long for an answer, and says by tags that it has those to later requests. */
static void a_later_request_with_the_tag_forgets(struct kunit *test)
{
	struct wire_msg first = ks_once_msg(ks_connect(test)), msg = first;
	int n;

	first.tag = 1;
	once(test, first, 1);
	for (n = 2; n <= 600; n++) {
		msg = ks_once_msg(first.handle);
		msg.tag = 1 + n % 2;
		KUNIT_ASSERT_EQ(test, ks_call(test, msg), 0);
	}
	KUNIT_EXPECT_EQ(test, replies_kept(test, first.handle), 2U);
	once(test, msg, 600);
	/* It is neither done nor answered. */
	ks_send(test, first);
	KUNIT_EXPECT_TRUE(test, wire_peer_is_quiet(ks.wp));
	KUNIT_EXPECT_EQ(test, atomic_read(&ks.once), 600);
}

/* The client gave it up while it was being done, and used its tag again. */
static void a_reply_that_comes_after_the_tag_is_not_kept(struct kunit *test)
{
	struct wire_msg first = ks_once_msg(ks_connect(test)), second;

	first.op_flags = 1;
	first.tag = WIRE_TAG_MAX;
	ks_send(test, first);
	ks_await(test, 1);
	second = ks_once_msg(first.handle);
	second.tag = WIRE_TAG_MAX;
	once(test, second, 2);
	complete_all(&ks.gate);
	KUNIT_EXPECT_EQ(test, wire_peer_recv(ks.wp), 0);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.xid, first.xid);
	KUNIT_EXPECT_EQ(test, replies_kept(test, first.handle), 1U);
	ks_send(test, first);
	KUNIT_EXPECT_TRUE(test, wire_peer_is_quiet(ks.wp));
	once(test, second, 2);
}

/* As with any other number there: it says nothing. */
static void a_tag_that_is_too_large_is_none(struct kunit *test)
{
	struct wire_msg first = ks_once_msg(ks_connect(test)), second;

	first.tag = WIRE_TAG_MAX + 1;
	once(test, first, 1);
	second = ks_once_msg(first.handle);
	second.tag = WIRE_TAG_MAX + 1;
	once(test, second, 2);
	once(test, first, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&ks.once), 2);
}

/*
 * A client with many locks replays all of them, though it still waits for an answer from before the
 * restart. The last ones are not done twice.
 */
static void replays_of_any_number_are_taken(struct kunit *test)
{
	u64 handle = ks_connect(test);
	struct wire_msg msg = {};
	int n, rc = 0;

	for (n = 0; n < 600 && !rc; n++) {
		msg = ks_once_msg(handle);
		msg.flags = MSG_REPLAY;
		rc = ks_call(test, msg);
	}
	KUNIT_EXPECT_EQ(test, rc, 0);
	once(test, msg, 600);
	once(test, ks_once_msg(handle), 601);
	KUNIT_EXPECT_EQ(test, atomic_read(&ks.once), 601);
}

/* Nothing of a client holds its target up. */
static void target_stops_beside_a_request(struct kunit *test)
{
	struct wire_msg msg = ks_once_msg(ks_connect(test));

	msg.op_flags = 1;
	ks_send(test, msg);
	ks_await(test, 1);
	KUNIT_EXPECT_EQ(test, READ_ONCE(ks.obd->obd_num_exports), 2U);
	complete_all(&ks.gate);
	KUNIT_EXPECT_EQ(test, class_cleanup(ks.obd, true, false, NULL), 0);
}

static struct kunit_case target_cases[] = {
	KUNIT_CASE(unknown_target_is_refused),
	KUNIT_CASE(client_is_known_by_its_handle),
	KUNIT_CASE(client_comes_back),
	KUNIT_CASE(client_comes_back_while_it_disconnects),
	KUNIT_CASE(client_comes_back_from_another_nid),
	KUNIT_CASE(connect_that_comes_twice_is_one),
	KUNIT_CASE(connect_without_an_answer_is_tried_again),
	KUNIT_CASE(evicted_client_without_an_answer_is_the_same),
	KUNIT_CASE(late_copy_of_a_first_connect),
	KUNIT_CASE(late_copy_of_an_evicted_clients_connect),
	KUNIT_CASE(client_that_restarted_is_new),
	KUNIT_CASE(client_that_forgot_its_export_is_new),
	KUNIT_CASE(client_says_goodbye),
	KUNIT_CASE(evicted_client_is_not_known),
	KUNIT_CASE(silent_client_is_evicted),
	KUNIT_CASE(handle_of_another_node_is_refused),
	KUNIT_CASE(stopped_target_is_not_found),
	KUNIT_CASE(clients_of_a_node_are_bounded),
	KUNIT_CASE(operation_belongs_to_its_portal),
	KUNIT_CASE(what_was_done_is_answered_again),
	KUNIT_CASE(what_the_client_has_is_forgotten),
	KUNIT_CASE(resent_while_it_runs_is_not_done_twice),
	KUNIT_CASE(delivered_twice_is_not_done_twice),
	KUNIT_CASE(resent_while_it_waits_is_not_done_twice),
	KUNIT_CASE(reply_is_there_after_the_connection),
	KUNIT_CASE(replies_are_bounded),
	KUNIT_CASE(a_later_request_with_the_tag_forgets),
	KUNIT_CASE(a_reply_that_comes_after_the_tag_is_not_kept),
	KUNIT_CASE(a_tag_that_is_too_large_is_none),
	KUNIT_CASE(replays_of_any_number_are_taken),
	KUNIT_CASE(target_stops_beside_a_request),
	{}
};

static struct kunit_suite target_suite = {
	.name = "ptlrpc_target",
	.suite_init = ks_suite_init,
	.init = ks_init,
	.exit = ks_exit,
	.test_cases = target_cases,
};
kunit_test_suite(target_suite);

MODULE_DESCRIPTION("KUnit suite of ptlrpc's targets");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
