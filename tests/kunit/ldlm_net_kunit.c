// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks over the loopback network: clients of one server, which they reach
 * through sockets, compete; one does not answer; one is killed while it waits.
 *
 * Processors: 2
 */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/sched/signal.h>

#include <net/net_namespace.h>

#include "obd_types.h"

#include "../../ptlrpc/ldlm/ldlm_internal.h"

#define NL_NID		"127.0.0.1@tcp"
#define NL_SERVER	"kunit_nls"
#define NL_CLIENTS	4
/* Where a server writes down who its clients are. */
#define NL_FOLDER	"/tmp"
/* Longest that anything here takes that is not told to wait. */
#define NL_SOON_MS	15000

/**
 * struct nl_owner - what the owner of a lock heard
 * @blocked: calls of lcb_blocking
 * @cancelled: calls of lcb_cancelled
 * @gives: gives the lock up when it is asked to
 */
struct nl_owner {
	atomic_t	blocked;
	atomic_t	cancelled;
	bool		gives;
};

static struct {
	struct obd_device	*server;
	struct obd_device	*client[NL_CLIENTS];
	struct obd_export	*exp[NL_CLIENTS];
	struct nl_owner		owner[NL_CLIENTS];
	unsigned int		timeout;
} nl;

static void nl_blocking(struct ldlm_lock *lock, void *data)
{
	struct nl_owner *owner = data;

	atomic_inc(&owner->blocked);
	if (owner->gives)
		ldlm_lock_decref(lock);
}

static void nl_cancelled(struct ldlm_lock *lock, void *data)
{
	struct nl_owner *owner = data;

	atomic_inc(&owner->cancelled);
}

static const struct ldlm_callbacks nl_cbs = {
	.lcb_blocking = nl_blocking,
	.lcb_cancelled = nl_cancelled,
};

static int nl_loopback(void)
{
	struct net_device *lo = init_net.loopback_dev;
	int rc = 0;

	rtnl_lock();
	if (!(lo->flags & IFF_UP))
		rc = dev_change_flags(lo, lo->flags | IFF_UP, NULL);
	rtnl_unlock();
	return rc;
}

static void nl_start(struct kunit *test, unsigned int n)
{
	char name[16], uuid[16];

	scnprintf(name, sizeof(name), "kunit_nl%u", n);
	scnprintf(uuid, sizeof(uuid), "nl%u_UUID", n);
	nl.client[n] = ty_start(test, "osc", name, uuid, "nls_UUID", NL_NID);
	nl.exp[n] = ty_connect(test, nl.client[n], uuid);
}

static int nl_init(struct kunit *test)
{
	int rc = obd_fixture_init(test) ?: nl_loopback();
	unsigned int n;

	if (rc)
		return rc;
	memset(&nl, 0, sizeof(nl));
	nl.timeout = ldlm_timeout;
	nl.server = ty_start(test, "obdecho", NL_SERVER, "nls_UUID", NULL, NULL);
	for (n = 0; n < NL_CLIENTS; n++)
		nl_start(test, n);
	return 0;
}

/*
 * Nodes that are known, and what services write down of requests, outlive a case:
 * it is when the modules go that nothing may be left.
 */
static void nl_exit(struct kunit *test)
{
	unsigned int n;

	ldlm_timeout = nl.timeout;
	for (n = 0; n < NL_CLIENTS; n++) {
		if (nl.exp[n])
			obd_disconnect(nl.exp[n]);
		kt_end(test, nl.client[n]);
	}
	kt_end(test, nl.server);
	lnet_reset(&init_net, NULL);
	fixture_is_outlived();
	obd_fixture_exit(test);
}

/* A client's request; an extent of zeros: all of a PLAIN resource. */
struct nl_ask {
	unsigned int		client;
	u64			name;
	u32			mode;
	u32			flags;
	struct ldlm_policy	part;
	struct ldlm_lock	*lock;
};

static long nl_enqueue(void *arg)
{
	struct nl_ask *ask = arg;
	struct ldlm_res_id id = { .name = { ask->name, 0, 7, ~0ULL } };

	return ldlm_cli_enqueue(nl.client[ask->client],
				ask->part.extent.last ? LDLM_EXTENT : LDLM_PLAIN,
				&id, ask->mode, &ask->part, ask->flags, &nl_cbs,
				&nl.owner[ask->client], &ask->lock);
}

static struct ldlm_lock *nl_lock(struct kunit *test, unsigned int client,
				 u64 name, u32 mode)
{
	struct nl_ask ask = { .client = client, .name = name, .mode = mode };

	KUNIT_ASSERT_EQ(test, 0L, nl_enqueue(&ask));
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(ask.lock));
	return ask.lock;
}

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

static void nl_drop(struct ldlm_lock *lock)
{
	ldlm_lock_decref(lock);
	ldlm_lock_put(lock);
}

static int nl_server_locks(void)
{
	return atomic_read(&nl.server->obd_namespace->ns_locks);
}

static int nl_server_waiting(void)
{
	return atomic_read(&nl.server->obd_namespace->ns_waiting);
}

static int nl_server_timeouts(void)
{
	return atomic_read(&nl.server->obd_namespace->ns_timeouts);
}

static int nl_client_locks(unsigned int n)
{
	return atomic_read(&nl.client[n]->obd_namespace->ns_locks);
}

/* How often the first client was asked to give something back. */
static int nl_first_blocked(void)
{
	return atomic_read(&nl.owner[0].blocked);
}

static int nl_all_client_locks(void)
{
	unsigned int n;
	int all = 0;

	for (n = 0; n < NL_CLIENTS; n++)
		all += nl_client_locks(n);
	return all;
}

/* Until @get gives @want. */
static void nl_await(struct kunit *test, int (*get)(void), int want)
{
	unsigned int ms;

	for (ms = 0; ms < NL_SOON_MS && get() != want; ms += 20)
		msleep(20);
	KUNIT_EXPECT_EQ(test, want, get());
}

static void a_lock_is_known_to_both(struct kunit *test)
{
	struct ldlm_lock *lock = nl_lock(test, 0, 1, LCK_PR), *other;

	KUNIT_EXPECT_EQ(test, 1, nl_server_locks());
	other = nl_lock(test, 1, 1, LCK_PR);
	KUNIT_EXPECT_EQ(test, 2, nl_server_locks());
	nl_drop(other);
	/* The next use needs no server. */
	other = nl_lock(test, 1, 1, LCK_CR);
	KUNIT_EXPECT_EQ(test, 2, nl_server_locks());
	KUNIT_EXPECT_EQ(test, (u32)LCK_PR, ldlm_lock_mode(other));
	nl_drop(other);
	KUNIT_EXPECT_EQ(test, -EBUSY, ldlm_cli_cancel(lock));
	ldlm_lock_decref(lock);
	KUNIT_EXPECT_EQ(test, 0, ldlm_cli_cancel(lock));
	KUNIT_EXPECT_EQ(test, 1, nl_server_locks());
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&nl.owner[0].cancelled));
	ldlm_lock_put(lock);
	KUNIT_EXPECT_EQ(test, 1, ldlm_cli_cancel_unused(nl.client[1]));
	nl_await(test, nl_server_locks, 0);
	KUNIT_EXPECT_EQ(test, 0, nl_client_locks(0));
}

static void what_is_unused_goes_to_who_wants_it(struct kunit *test)
{
	struct ldlm_lock *lock;

	nl_drop(nl_lock(test, 0, 1, LCK_EX));
	lock = nl_lock(test, 1, 1, LCK_EX);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&nl.owner[0].blocked));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&nl.owner[0].cancelled));
	nl_drop(lock);
	/* And back again. */
	nl_drop(nl_lock(test, 0, 1, LCK_PW));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&nl.owner[1].cancelled));
}

static void what_is_used_goes_when_its_owner_is_done(struct kunit *test)
{
	struct nl_ask ask = { .client = 1, .name = 1, .mode = LCK_EX };
	struct ldlm_lock *lock = nl_lock(test, 0, 1, LCK_EX);
	struct aside aside;

	aside_start(test, &aside, nl_enqueue, &ask);
	nl_await(test, nl_server_waiting, 1);
	nl_await(test, nl_first_blocked, 1);
	KUNIT_EXPECT_FALSE(test, aside_is_done(&aside));
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(lock));
	nl_drop(lock);
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &aside));
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(ask.lock));
	nl_drop(ask.lock);
}

static void an_owner_may_give_up_when_asked(struct kunit *test)
{
	struct ldlm_lock *lock = nl_lock(test, 0, 1, LCK_EX), *other;

	nl.owner[0].gives = true;
	other = nl_lock(test, 1, 1, LCK_PR);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&nl.owner[0].blocked));
	nl_drop(other);
	ldlm_lock_put(lock);
}

static void who_may_not_wait_hears_so(struct kunit *test)
{
	struct nl_ask ask = { .client = 1, .name = 1, .mode = LCK_PR,
			      .flags = LDLM_FL_BLOCK_NOWAIT };
	struct ldlm_lock *lock = nl_lock(test, 0, 1, LCK_EX);

	KUNIT_EXPECT_EQ(test, (long)-EWOULDBLOCK, nl_enqueue(&ask));
	KUNIT_EXPECT_EQ(test, 0, nl_client_locks(1));
	KUNIT_EXPECT_EQ(test, 1, nl_server_locks());
	nl_drop(lock);
}

/* A server that is left for a while forgets the client, and what it had. */
static void who_has_locks_is_not_idle(struct kunit *test)
{
	struct obd_import *imp = nl.client[0]->obd_cli->cl_import;
	struct ldlm_lock *lock = nl_lock(test, 0, 1, LCK_PR);

	KUNIT_EXPECT_EQ(test, 1, atomic_read(&imp->imp_locks));
	KUNIT_EXPECT_EQ(test, -EBUSY, import_idle(imp));
	ldlm_lock_decref(lock);
	KUNIT_EXPECT_EQ(test, -EBUSY, import_idle(imp));
	KUNIT_EXPECT_EQ(test, 0, ldlm_cli_cancel(lock));
	ldlm_lock_put(lock);
	KUNIT_EXPECT_EQ(test, 0, import_idle(imp));
	KUNIT_EXPECT_EQ(test, LUSTRE_IMP_IDLE, imp->imp_state);
	/* The next one wakes it up. */
	nl_drop(nl_lock(test, 0, 1, LCK_PR));
	KUNIT_EXPECT_EQ(test, LUSTRE_IMP_FULL, imp->imp_state);
}

/* A task of its own that can be killed. */
struct nl_victim {
	struct nl_ask		ask;
	struct task_struct	*task;
	struct completion	begun;
	struct aside		aside;
};

static long nl_victim_run(void *arg)
{
	struct nl_victim *victim = arg;

	allow_signal(SIGKILL);
	victim->task = current;
	complete(&victim->begun);
	return nl_enqueue(&victim->ask);
}

static void nl_victim_start(struct kunit *test, struct nl_victim *victim)
{
	init_completion(&victim->begun);
	aside_start(test, &victim->aside, nl_victim_run, victim);
	wait_for_completion(&victim->begun);
	nl_await(test, nl_server_waiting, 1);
	msleep(20);
}

static long nl_victim_kill(struct kunit *test, struct nl_victim *victim)
{
	send_sig(SIGKILL, victim->task, 1);
	return aside_join(test, &victim->aside);
}

static void who_is_killed_waits_no_more(struct kunit *test)
{
	struct nl_victim victim = { .ask = { 1, 1, LCK_EX } };
	struct ldlm_lock *lock = nl_lock(test, 0, 1, LCK_EX);

	nl_victim_start(test, &victim);
	KUNIT_EXPECT_EQ(test, (long)-EINTR, nl_victim_kill(test, &victim));
	nl_await(test, nl_server_waiting, 0);
	nl_await(test, nl_server_locks, 1);
	nl_await(test, nl_all_client_locks, 1);
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(lock));
	nl_drop(lock);
}

/* It is asked, and goes on to use the lock: it is evicted, and comes back. */
static void who_does_not_give_back_loses_all(struct kunit *test)
{
	struct nl_ask ask = { .client = 1, .name = 1, .mode = LCK_EX };
	struct ldlm_lock *lock = nl_lock(test, 0, 1, LCK_EX);
	struct ldlm_lock *other = nl_lock(test, 0, 2, LCK_PR);
	unsigned long before = jiffies;
	struct obd_statfs st;
	struct aside aside;
	unsigned int ms;

	ldlm_timeout = 1;
	aside_start(test, &aside, nl_enqueue, &ask);
	nl_await(test, nl_first_blocked, 1);
	/* The next owner of the lock has all the time that it may need. */
	ldlm_timeout = nl.timeout;
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &aside));
	KUNIT_EXPECT_TRUE(test, time_after_eq(jiffies, before + HZ));
	/* It is that of this case, and not the one from before. */
	KUNIT_EXPECT_TRUE(test, time_before(jiffies, before + 12 * HZ));
	KUNIT_EXPECT_EQ(test, 1, nl_server_timeouts());
	/* It hears of it when it calls next. */
	obd_statfs(nl.exp[0], &st, 0);
	for (ms = 0; ms < NL_SOON_MS && nl_client_locks(0); ms += 20)
		msleep(20);
	KUNIT_EXPECT_FALSE(test, ldlm_lock_is_granted(lock));
	KUNIT_EXPECT_FALSE(test, ldlm_lock_is_granted(other));
	for (ms = 0; ms < NL_SOON_MS &&
	     atomic_read(&nl.owner[0].cancelled) != 2; ms += 20)
		msleep(20);
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&nl.owner[0].cancelled));
	nl_drop(lock);
	nl_drop(other);
	nl_drop(ask.lock);
	nl_drop(nl_lock(test, 0, 1, LCK_EX));
}

static void a_client_that_leaves_has_no_locks(struct kunit *test)
{
	struct nl_ask ask = { .client = 1, .name = 1, .mode = LCK_EX };
	struct ldlm_lock *lock = nl_lock(test, 0, 1, LCK_EX);
	struct aside aside;

	aside_start(test, &aside, nl_enqueue, &ask);
	nl_await(test, nl_server_waiting, 1);
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(nl.exp[0]));
	nl.exp[0] = NULL;
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &aside));
	KUNIT_EXPECT_FALSE(test, ldlm_lock_is_granted(lock));
	KUNIT_EXPECT_EQ(test, 1, nl_server_locks());
	nl_drop(lock);
	nl_drop(ask.lock);
}

/* The server goes while one waits and one has: both hear of it, in time. */
static void a_server_that_goes_keeps_nobody(struct kunit *test)
{
	struct nl_victim victim = { .ask = { 1, 1, LCK_EX } };
	struct ldlm_lock *lock = nl_lock(test, 0, 1, LCK_EX);

	nl_victim_start(test, &victim);
	KUNIT_EXPECT_EQ(test, 0, class_cleanup(nl.server, true, false, NULL));
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(nl.exp[1]));
	nl.exp[1] = NULL;
	KUNIT_EXPECT_NE(test, 0L, aside_join(test, &victim.aside));
	nl_await(test, nl_all_client_locks, 1);
	nl_drop(lock);
}

static long nl_recover(void *arg)
{
	struct obd_device *obd = arg;

	return import_recover(obd->obd_cli->cl_import, NULL, NULL);
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

/* The request of the first client is not sent before the other client has the lock. */
static void a_lock_that_a_request_takes_along_may_be_wanted_sooner(struct kunit *test)
{
	const struct ldlm_res_id id = { .name = { 1, 0, 7, ~0ULL } };
	const struct ldlm_policy all = {};
	struct ldlm_elc elc;

	nl_drop(nl_lock(test, 0, 1, LCK_PR));
	ldlm_elc_take(nl.client[0], &id, LCK_EX, &all, &elc);
	KUNIT_EXPECT_EQ(test, 1U, elc.elc_count);
	nl_drop(nl_lock(test, 1, 1, LCK_EX));
	KUNIT_EXPECT_EQ(test, 0, nl_server_timeouts());
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&nl.owner[0].cancelled));
	ldlm_elc_done(&elc, 0);
	KUNIT_EXPECT_EQ(test, 0, nl_client_locks(0));
}

/* The server grants the lock that an intent of the first client asks for. @body: out */
static void nl_grant(struct kunit *test, struct ldlm_intent *intent, struct lustre_lock *body)
{
	struct obd_export *exp = obd_export_by_uuid(nl.server, &nl.client[0]->obd_uuid);
	struct ldlm_enqueue enq = { .type = LDLM_PLAIN, .mode = LCK_PR,
				    .res = { .name = { 1, 0, 7, ~0ULL } } };

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, exp);
	ldlm_intent_pack(intent, body);
	enq.client = le64_to_cpu(body->wl_client);
	KUNIT_EXPECT_TRUE(test, ldlm_server_bind(nl.server->obd_namespace, exp, &enq, NULL,
						 body));
	class_export_put(exp);
}

static struct ldlm_intent *nl_intent(struct kunit *test)
{
	const struct ldlm_policy all = {};
	struct ldlm_intent *intent;

	intent = ldlm_intent_new(nl.client[0], LDLM_PLAIN, LCK_PR, &all, &nl_cbs,
				 &nl.owner[0]);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, intent);
	return intent;
}

/* The reply was lost, and the request that came again found another result. */
static void a_lock_that_no_reply_brings_is_given_back(struct kunit *test)
{
	struct nl_ask ask = { .client = 1, .name = 1, .mode = LCK_EX };
	struct ldlm_intent *intent = nl_intent(test);
	struct lustre_lock body;
	struct ldlm_lock *lock;
	struct aside aside;

	nl_grant(test, intent, &body);
	aside_start(test, &aside, nl_enqueue, &ask);
	nl_await(test, nl_server_waiting, 1);
	/* Time for the AST; without it the case proves less. */
	msleep(300);
	KUNIT_EXPECT_EQ(test, -ENOENT, ldlm_intent_done(intent, NULL, 0, -ENOENT, &lock));
	KUNIT_EXPECT_NULL(test, lock);
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

#define NL_NAMES	3
#define NL_SLOTS	8
#define NL_ROUNDS_MS	2000

static atomic_t nl_holders[NL_SLOTS];	/* readers, or -1 for a writer */
static atomic_t nl_broken;

/* Be a reader (PR), or alone (EX), and see whether that is so. */
static void nl_use(u64 name, u32 mode)
{
	atomic_t *holders = &nl_holders[name];
	bool alone = mode == LCK_EX;

	if (alone && atomic_cmpxchg(holders, 0, -1))
		atomic_inc(&nl_broken);
	if (!alone && atomic_inc_return(holders) < 1)
		atomic_inc(&nl_broken);
	usleep_range(10, 50);
	if (alone && atomic_cmpxchg(holders, -1, 0) != -1)
		atomic_inc(&nl_broken);
	if (!alone && atomic_dec_return(holders) < 0)
		atomic_inc(&nl_broken);
}

/* One task for each client. */
static long nl_compete(void *arg)
{
	u64 end = ktime_get_ns() + NL_ROUNDS_MS * NSEC_PER_MSEC;
	struct nl_ask ask = { .client = (unsigned long)arg };
	long rc, rounds = 0;

	/* Some, however slow the machine is. */
	for (; rounds <= 10 || ktime_get_ns() < end; rounds++) {
		ask.name = (rounds + ask.client) % NL_NAMES;
		ask.mode = (rounds * 5 + ask.client) % 4 ? LCK_PR : LCK_EX;
		rc = nl_enqueue(&ask);
		if (rc)
			return rc;
		nl_use(ask.name, ldlm_lock_mode(ask.lock));
		ldlm_lock_decref(ask.lock);
		if (rounds % 7 == 0)
			ldlm_cli_cancel(ask.lock);
		ldlm_lock_put(ask.lock);
	}
	return rounds;
}

static void many_compete_and_nothing_is_left(struct kunit *test)
{
	struct aside asides[NL_CLIENTS];
	unsigned long n;

	atomic_set(&nl_broken, 0);
	for (n = 0; n < NL_CLIENTS; n++)
		aside_start(test, &asides[n], nl_compete, (void *)n);
	for (n = 0; n < NL_CLIENTS; n++)
		KUNIT_EXPECT_GT(test, aside_join(test, &asides[n]), 10L);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&nl_broken));
	for (n = 0; n < NL_CLIENTS; n++)
		KUNIT_EXPECT_GE(test, ldlm_cli_cancel_unused(nl.client[n]), 0);
	nl_await(test, nl_server_locks, 0);
	KUNIT_EXPECT_EQ(test, 0, nl_server_timeouts());
	nl_await(test, nl_all_client_locks, 0);
}

/* One task for each client; bytes of one resource take the place of resources. */
static long nl_compete_for_bytes(void *arg)
{
	u64 end = ktime_get_ns() + NL_ROUNDS_MS * NSEC_PER_MSEC, slot;
	struct nl_ask ask = { .client = (unsigned long)arg, .name = 9 };
	struct ldlm_extent *part = &ask.part.extent;
	long rc, rounds = 0;

	for (; rounds <= 10 || ktime_get_ns() < end; rounds++) {
		part->first = (rounds * 3 + ask.client) % NL_SLOTS;
		part->last = min_t(u64, part->first + 1 + rounds % 3, NL_SLOTS - 1);
		ask.mode = (rounds * 5 + ask.client) % 4 ? LCK_PR : LCK_EX;
		ask.flags = rounds % 3 ? 0 : LDLM_FL_NO_EXPANSION;
		rc = nl_enqueue(&ask);
		if (rc)
			return rc;
		for (slot = part->first; slot <= part->last; slot++)
			nl_use(slot, ldlm_lock_mode(ask.lock));
		ldlm_lock_decref(ask.lock);
		if (rounds % 7 == 0)
			ldlm_cli_cancel(ask.lock);
		ldlm_lock_put(ask.lock);
	}
	return rounds;
}

static void many_compete_for_bytes(struct kunit *test)
{
	struct aside asides[NL_CLIENTS];
	unsigned long n;

	atomic_set(&nl_broken, 0);
	for (n = 0; n < NL_CLIENTS; n++)
		aside_start(test, &asides[n], nl_compete_for_bytes, (void *)n);
	for (n = 0; n < NL_CLIENTS; n++)
		KUNIT_EXPECT_GT(test, aside_join(test, &asides[n]), 10L);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&nl_broken));
	for (n = 0; n < NL_CLIENTS; n++)
		KUNIT_EXPECT_GE(test, ldlm_cli_cancel_unused(nl.client[n]), 0);
	nl_await(test, nl_server_locks, 0);
	KUNIT_EXPECT_EQ(test, 0, nl_server_timeouts());
	nl_await(test, nl_all_client_locks, 0);
}

static long nl_break(void *arg)
{
	u64 end = ktime_get_ns() + NL_ROUNDS_MS * NSEC_PER_MSEC;

	while (ktime_get_ns() < end) {
		msleep(70);
		lnet_reset(&init_net, NULL);
	}
	return 0;
}

/* Connections end all the time: each call succeeds, once, and no client is evicted. */
static void many_compete_on_bad_connections(struct kunit *test)
{
	struct aside asides[NL_CLIENTS], breaks;
	unsigned long n;

	atomic_set(&nl_broken, 0);
	for (n = 0; n < NL_CLIENTS; n++)
		aside_start(test, &asides[n], nl_compete, (void *)n);
	aside_start(test, &breaks, nl_break, NULL);
	for (n = 0; n < NL_CLIENTS; n++)
		KUNIT_EXPECT_GT(test, aside_join(test, &asides[n]), 0L);
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &breaks));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&nl_broken));
	for (n = 0; n < NL_CLIENTS; n++)
		KUNIT_EXPECT_GE(test, ldlm_cli_cancel_unused(nl.client[n]), 0);
	nl_await(test, nl_server_locks, 0);
	nl_await(test, nl_all_client_locks, 0);
	KUNIT_EXPECT_EQ(test, 0, nl_server_timeouts());
}

static struct kunit_case ldlm_net_cases[] = {
	KUNIT_CASE(a_lock_is_known_to_both),
	KUNIT_CASE(what_is_unused_goes_to_who_wants_it),
	KUNIT_CASE(what_is_used_goes_when_its_owner_is_done),
	KUNIT_CASE(an_owner_may_give_up_when_asked),
	KUNIT_CASE(who_may_not_wait_hears_so),
	KUNIT_CASE(who_has_locks_is_not_idle),
	KUNIT_CASE(who_is_killed_waits_no_more),
	KUNIT_CASE(who_does_not_give_back_loses_all),
	KUNIT_CASE(a_client_that_leaves_has_no_locks),
	KUNIT_CASE(a_server_that_goes_keeps_nobody),
	KUNIT_CASE(a_server_that_restarts_is_told),
	KUNIT_CASE(a_lock_that_goes_during_its_replay_is_given_back),
	KUNIT_CASE(a_lock_that_a_request_takes_along_may_be_wanted_sooner),
	KUNIT_CASE(a_lock_that_no_reply_brings_is_given_back),
	KUNIT_CASE(a_lock_that_is_bound_after_the_replay_is_not_cached),
	KUNIT_CASE(a_widened_lock_is_replayed),
	KUNIT_CASE(many_compete_and_nothing_is_left),
	KUNIT_CASE(many_compete_for_bytes),
	KUNIT_CASE(many_compete_on_bad_connections),
	{}
};

static struct kunit_suite ldlm_net_suite = {
	.name = "ldlm_net",
	.suite_init = ty_suite_init,
	.init = nl_init,
	.exit = nl_exit,
	.test_cases = ldlm_net_cases,
};
kunit_test_suite(ldlm_net_suite);

MODULE_DESCRIPTION("locks over the network");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
