// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks and a server that restarts and knows its clients: they tell it what they have.
 *
 * Processors: 2
 */
#include "ldlm_net_fixture.h"

/* Down as if its machine had failed: it notifies no client, and keeps its state. */
static void nl_server_fails(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0, class_cleanup(nl.server, true, true, NULL));
	KUNIT_EXPECT_EQ(test, 0, class_detach(nl.server, NULL));
	class_decref(nl.server, OBD_REF_LOOKUP);
	nl.server = NULL;
}

/* A server that remembers its clients; the former ones connect again. */
static void nl_server_with_journal(struct kunit *test)
{
	unsigned int n;

	for (n = 0; n < NL_CLIENTS; n++) {
		obd_disconnect(nl.exp[n]);
		nl.exp[n] = NULL;
	}
	kt_end(test, nl.server);
	nl.server = ty_start(test, "obdecho", NL_SERVER, "nls_UUID", "0",
			     NL_FOLDER);
	for (n = 0; n < NL_CLIENTS; n++)
		nl.exp[n] = ty_connect(test, nl.client[n],
				       nl.client[n]->obd_uuid.uuid);
}

static long nl_recover(void *arg)
{
	struct obd_device *obd = arg;
	unsigned int tries;
	int rc;

	for (tries = 0; tries < 5; tries++) {
		rc = import_recover(obd->obd_cli->cl_import, NULL, NULL);
		if (!rc)
			break;
	}
	return rc;
}

/* As if its machine had failed; and again, with what it wrote down. */
static void nl_restart(struct kunit *test)
{
	struct aside asides[NL_CLIENTS];
	unsigned int n;

	nl_server_fails(test);
	msleep(300);
	nl.server = ty_start(test, "obdecho", NL_SERVER, "nls_UUID", "0",
			     NL_FOLDER);
	/* They would come by themselves, later. */
	for (n = 0; n < NL_CLIENTS; n++)
		aside_start(test, &asides[n], nl_recover, nl.client[n]);
	for (n = 0; n < NL_CLIENTS; n++)
		KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &asides[n]));
}

/*
 * Holders still have their locks, waiters wait, and requests are sent again: only the clients
 * know all that.
 */
static void a_server_that_restarts_is_told(struct kunit *test)
{
	struct nl_ask ask = { .client = 1, .name = 1, .mode = LCK_EX };
	struct ldlm_lock *lock, *other;
	struct aside aside;

	nl_server_with_journal(test);
	lock = nl_lock(test, 0, 1, LCK_EX);
	other = nl_lock(test, 2, 2, LCK_PR);
	nl_drop(nl_lock(test, 3, 3, LCK_PW));
	aside_start(test, &aside, nl_enqueue, &ask);
	nl_await(test, nl_server_waiting, 1);
	aside_await_sleep(test, &aside);
	nl_restart(test);
	nl_await(test, nl_server_locks, 4);
	nl_await(test, nl_server_waiting, 1);
	KUNIT_EXPECT_FALSE(test, aside_is_done(&aside));
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(lock));
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(other));
	nl_drop(lock);
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &aside));
	nl_drop(ask.lock);
	nl_drop(other);
	/* By the cookies that the new server gave. */
	KUNIT_EXPECT_EQ(test, 1, ldlm_cli_cancel_unused(nl.client[2]));
	KUNIT_EXPECT_EQ(test, 1, ldlm_cli_cancel_unused(nl.client[3]));
	nl_await(test, nl_server_locks, 1);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&nl.owner[2].blocked));
}

static int nl_first_cancelled(void)
{
	return atomic_read(&nl.owner[0].cancelled);
}

/* The owner of the first client's lock has written all: the other client gets the lock. */
static void nl_written(struct kunit *test, struct gate *writer, struct aside *other)
{
	KUNIT_EXPECT_FALSE(test, aside_is_done(other));
	KUNIT_EXPECT_EQ(test, 0, nl_first_cancelled());
	complete_all(&writer->leave);
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, other));
	KUNIT_EXPECT_EQ(test, 1, nl_first_cancelled());
	KUNIT_EXPECT_EQ(test, 0, nl_server_timeouts());
	nl_await(test, nl_server_locks, 1);
}

/* It is revoked when the server fails. */
static void a_lock_whose_owner_writes_is_replayed(struct kunit *test)
{
	struct nl_ask ask = { .client = 1, .name = 1, .mode = LCK_PR };
	struct aside aside;
	struct gate writer;

	gate_init(&writer);
	nl_server_with_journal(test);
	nl.owner[0].writes = &writer;
	nl_drop(nl_lock(test, 0, 1, LCK_PW));
	aside_start(test, &aside, nl_enqueue, &ask);
	gate_await(test, &writer);
	aside_await_sleep(test, &aside);
	nl_restart(test);
	/* The other client asks again. */
	nl_await(test, nl_server_waiting, 1);
	KUNIT_EXPECT_EQ(test, 2, nl_server_locks());
	nl_written(test, &writer, &aside);
	nl_drop(ask.lock);
}

static struct nl_revoked {
	struct kunit		*test;
	struct ldlm_lock	*lock;
	struct gate		writer;
} nl_revoked;

static void nl_revoke(enum ptlrpc_test_point at, void *object)
{
	if (at != PTP_LOCK_REPLAY || object != nl_revoked.lock)
		return;
	ldlm_client_blocking(nl.client[0]->obd_cli->cl_import,
			     nl_revoked.lock->l_handle.h_cookie, 0);
	gate_await(nl_revoked.test, &nl_revoked.writer);
}

/* Its owner starts to write after the replay was sent. */
static void a_lock_whose_owner_writes_during_its_replay_stays(struct kunit *test)
{
	struct nl_ask ask = { .client = 1, .name = 1, .mode = LCK_PR };
	struct ldlm_lock *lock;
	struct aside aside;

	gate_init(&nl_revoked.writer);
	nl_server_with_journal(test);
	nl.owner[0].writes = &nl_revoked.writer;
	lock = nl_lock(test, 0, 1, LCK_PW);
	ldlm_lock_decref(lock);
	nl_revoked.test = test;
	nl_revoked.lock = lock;
	WRITE_ONCE(ptlrpc_test_hook, nl_revoke);
	nl_restart(test);
	WRITE_ONCE(ptlrpc_test_hook, NULL);
	/* Time for a cancel; without it the case proves less. */
	msleep(300);
	KUNIT_EXPECT_EQ(test, 1, nl_server_locks());
	aside_start(test, &aside, nl_enqueue, &ask);
	nl_await(test, nl_server_waiting, 1);
	nl_written(test, &nl_revoked.writer, &aside);
	nl_drop(ask.lock);
	ldlm_lock_put(lock);
}

/* A request that takes a lock along while the lock is being replayed. */
static struct nl_taken {
	struct ldlm_lock	*lock;
	struct ldlm_elc		elc;
} nl_taken;

static void nl_take(enum ptlrpc_test_point at, void *object)
{
	const struct ldlm_res_id id = { .name = { 1, 0, 7, ~0ULL } };
	const struct ldlm_policy all = {};

	if (at == PTP_LOCK_REPLAY && object == nl_taken.lock)
		ldlm_elc_take(nl.client[0], &id, LCK_EX, &all, &nl_taken.elc);
}

/*
 * The request has the cookie of before the restart: the server does not find the lock by it. A
 * client that answers a blocking AST meanwhile has promised a cancel.
 */
static void a_lock_that_goes_during_its_replay_is_given_back(struct kunit *test)
{
	struct nl_ask ask = { .client = 1, .name = 1, .mode = LCK_EX };
	struct ldlm_lock *lock;
	struct aside aside;

	nl_server_with_journal(test);
	lock = nl_lock(test, 0, 1, LCK_PR);
	ldlm_lock_decref(lock);
	nl_taken = (struct nl_taken){ .lock = lock };
	WRITE_ONCE(ptlrpc_test_hook, nl_take);
	nl_restart(test);
	WRITE_ONCE(ptlrpc_test_hook, NULL);
	KUNIT_EXPECT_EQ(test, 1U, nl_taken.elc.elc_count);
	aside_start(test, &aside, nl_enqueue, &ask);
	/* Time for the AST; without it the case proves less. */
	msleep(300);
	ldlm_elc_done(&nl_taken.elc, 0);
	ldlm_lock_put(lock);
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &aside));
	KUNIT_EXPECT_EQ(test, 0, nl_server_timeouts());
	nl_drop(ask.lock);
}

static int nl_first_locks(void)
{
	return nl_client_locks(0);
}

/* Return: status of an intent whose reply of connect @conn_cnt has @body. */
static int nl_reply(struct kunit *test, struct ldlm_intent *intent, struct lustre_lock *body,
		    u32 conn_cnt, struct ldlm_lock **lock)
{
	struct ptlrpc_request *req = kunit_kzalloc(test, sizeof(*req), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, req);
	req->rq_import = nl.client[0]->obd_cli->cl_import;
	req->rq_conn_cnt = conn_cnt;
	req->rq_rep_msg = (void *)req;
	req->rq_rep.bufcount = 1;
	req->rq_rep.bufs[0] = (void *)body;
	req->rq_rep.buflens[0] = sizeof(*body);
	return ldlm_intent_done(intent, req, 0, 0, lock);
}

/* The task of the request runs again when the replay is over: the server does not know the lock. */
static void a_lock_that_is_bound_after_the_replay_is_not_cached(struct kunit *test)
{
	struct obd_import *imp = nl.client[0]->obd_cli->cl_import;
	struct ldlm_intent *intent;
	struct lustre_lock body;
	struct ldlm_lock *lock;
	u32 before;

	nl_server_with_journal(test);
	intent = nl_intent(test);
	nl_grant(test, intent, &body);
	before = imp->imp_conn_cnt;
	nl_restart(test);
	KUNIT_EXPECT_EQ(test, 0, nl_server_locks());
	KUNIT_ASSERT_EQ(test, 0, nl_reply(test, intent, &body, before, &lock));
	nl_drop(lock);
	nl_await(test, nl_first_locks, 0);
	/* One of this connection is. */
	intent = nl_intent(test);
	nl_grant(test, intent, &body);
	KUNIT_ASSERT_EQ(test, 0, nl_reply(test, intent, &body, imp->imp_conn_cnt, &lock));
	nl_drop(lock);
	KUNIT_EXPECT_EQ(test, 1, nl_client_locks(0));
	KUNIT_EXPECT_EQ(test, 1, nl_server_locks());
}

static struct nl_answered {
	struct kunit	*test;
	unsigned int	answers;
} nl_answered;

static void nl_restart_once(enum ptlrpc_test_point at, void *object)
{
	if (at == PTP_LOCK_ANSWER && !nl_answered.answers++)
		nl_restart(nl_answered.test);
}

static void nl_answers_end(struct kunit *test)
{
	WRITE_ONCE(ptlrpc_test_hook, NULL);
	KUNIT_EXPECT_EQ(test, 2U, nl_answered.answers);
	KUNIT_EXPECT_EQ(test, 1, nl_server_locks());
}

static void nl_answers_begin(struct kunit *test)
{
	nl_answered = (struct nl_answered){ .test = test };
	WRITE_ONCE(ptlrpc_test_hook, nl_restart_once);
}

/* The server restarts after it has answered. It does not know the lock: the client asks again. */
static void an_answer_from_before_the_restart_is_not_used(struct kunit *test)
{
	struct nl_ask other = { .client = 1, .name = 1, .mode = LCK_PR,
				.flags = LDLM_FL_BLOCK_NOWAIT };
	struct ldlm_lock *lock;

	nl_server_with_journal(test);
	nl_answers_begin(test);
	lock = nl_lock(test, 0, 1, LCK_PW);
	nl_answers_end(test);
	KUNIT_EXPECT_EQ(test, (long)-EWOULDBLOCK, nl_enqueue(&other));
	ldlm_lock_decref(lock);
	/* By the cookie that the new server gave. */
	KUNIT_EXPECT_EQ(test, 0, ldlm_cli_cancel(lock));
	KUNIT_EXPECT_EQ(test, 0, nl_server_locks());
	ldlm_lock_put(lock);
}

/* Likewise the lock that a glimpse brings. */
static void a_glimpse_from_before_the_restart_is_not_used(struct kunit *test)
{
	const struct ldlm_res_id id = { .name = { 9, 0, 7, ~0ULL } };
	struct ldlm_lock *lock = NULL;
	u8 lvb[LDLM_LVB_MAX];

	nl_server_with_journal(test);
	nl_answers_begin(test);
	KUNIT_EXPECT_EQ(test, 0, ldlm_cli_glimpse(nl.client[0], &id, &nl_cbs, &nl.owner[0], lvb,
						  nl.server->obd_namespace->ns_lvb->lvbo_size,
						  &lock));
	nl_answers_end(test);
	KUNIT_ASSERT_NOT_NULL(test, lock);
	nl_drop(lock);
}

/* The server that comes back knows what was granted, not what was requested. */
static void a_widened_lock_is_replayed(struct kunit *test)
{
	struct nl_ask first = { .client = 0, .name = 9, .mode = LCK_PW,
				.part.extent = { 100, 199 } };
	struct nl_ask other = { .client = 1, .name = 9, .mode = LCK_PW,
				.part.extent = { 5000, 5999 },
				.flags = LDLM_FL_BLOCK_NOWAIT };
	const struct ldlm_extent *has;

	nl_server_with_journal(test);
	KUNIT_ASSERT_EQ(test, 0L, nl_enqueue(&first));
	has = &ldlm_lock_policy(first.lock)->extent;
	KUNIT_EXPECT_EQ(test, 0ULL, has->first);
	KUNIT_EXPECT_EQ(test, LDLM_EXTENT_EOF, has->last);
	nl_restart(test);
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(first.lock));
	KUNIT_EXPECT_EQ(test, LDLM_EXTENT_EOF, has->last);
	KUNIT_EXPECT_EQ(test, (long)-EWOULDBLOCK, nl_enqueue(&other));
	nl_drop(first.lock);
	other.flags = 0;
	KUNIT_ASSERT_EQ(test, 0L, nl_enqueue(&other));
	has = &ldlm_lock_policy(other.lock)->extent;
	KUNIT_EXPECT_EQ(test, 0ULL, has->first);
	nl_drop(other.lock);
}

static struct nl_short {
	struct ldlm_lvb_ops		ops;
	const struct ldlm_lvb_ops	*own;
	unsigned int			calls;
} nl_short;

static int nl_short_init(struct obd_device *obd, const struct ldlm_res_id *res, void *lvb)
{
	return nl_short.calls++ ? nl_short.own->lvbo_init(obd, res, lvb) : -ENOMEM;
}

static void nl_short_of_memory(enum ptlrpc_test_point at, void *object)
{
	if (at != PTP_LOCK_REPLAY || nl_short.own)
		return;
	nl_short.own = nl.server->obd_namespace->ns_lvb;
	nl_short.ops = *nl_short.own;
	nl_short.ops.lvbo_init = nl_short_init;
	ldlm_server_lvb_ops(nl.server, &nl_short.ops);
}

/* It refuses no lock: what was written under it would be lost. */
static void a_server_that_restarts_without_memory_is_told_again(struct kunit *test)
{
	struct nl_ask ask = { .client = 0, .name = 9, .mode = LCK_PW, .part.extent = { 0, 99 } };

	memset(&nl_short, 0, sizeof(nl_short));
	nl_server_with_journal(test);
	KUNIT_ASSERT_EQ(test, 0L, nl_enqueue(&ask));
	WRITE_ONCE(ptlrpc_test_hook, nl_short_of_memory);
	nl_restart(test);
	WRITE_ONCE(ptlrpc_test_hook, NULL);
	KUNIT_EXPECT_EQ(test, 2U, nl_short.calls);
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(ask.lock));
	KUNIT_EXPECT_EQ(test, 1, nl_server_locks());
	nl_drop(ask.lock);
}

static struct kunit_case ldlm_restart_cases[] = {
	KUNIT_CASE(a_server_that_restarts_is_told),
	KUNIT_CASE(a_lock_whose_owner_writes_is_replayed),
	KUNIT_CASE(a_lock_whose_owner_writes_during_its_replay_stays),
	KUNIT_CASE(a_lock_that_goes_during_its_replay_is_given_back),
	KUNIT_CASE(a_lock_that_is_bound_after_the_replay_is_not_cached),
	KUNIT_CASE(an_answer_from_before_the_restart_is_not_used),
	KUNIT_CASE(a_glimpse_from_before_the_restart_is_not_used),
	KUNIT_CASE(a_server_that_restarts_without_memory_is_told_again),
	KUNIT_CASE(a_widened_lock_is_replayed),
	{}
};

static struct kunit_suite ldlm_restart_suite = {
	.name = "ldlm_restart",
	.suite_init = ty_suite_init,
	.init = nl_init,
	.exit = nl_exit,
	.test_cases = ldlm_restart_cases,
};
kunit_test_suite(ldlm_restart_suite);

MODULE_DESCRIPTION("locks and the restart of their server");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
