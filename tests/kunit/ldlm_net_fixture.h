/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The start of the cases of locks over the loopback network: clients of one server, which they
 * reach through sockets.
 */
#ifndef _KUNIT_LDLM_NET_FIXTURE_H
#define _KUNIT_LDLM_NET_FIXTURE_H

#include <linux/delay.h>

#include "loopback.h"
#include "obd_types.h"

#include "../../ptlrpc/ldlm/ldlm_internal.h"

#define NL_NID		"127.0.0.1@tcp"
#define NL_SERVER	"kunit_nls"
#define NL_CLIENTS	4
/* Where a server writes down who its clients are. */
#define NL_FOLDER	"/tmp"
/* Longest that anything here takes that is not told to wait. */
#define NL_SOON_MS	60000

/**
 * struct nl_owner - what the owner of a lock heard
 * @blocked: calls of lcb_blocking
 * @cancelled: calls of lcb_cancelled
 * @gives: gives the lock up when it is asked to
 * @writes: lcb_cancelled waits there; or NULL
 */
struct nl_owner {
	atomic_t	blocked;
	atomic_t	cancelled;
	bool		gives;
	struct gate	*writes;
};

static struct {
	struct obd_device	*server;
	struct obd_device	*client[NL_CLIENTS];
	struct obd_export	*exp[NL_CLIENTS];
	struct nl_owner		owner[NL_CLIENTS];
	unsigned int		timeout;
} nl;

static inline void nl_blocking(struct ldlm_lock *lock, void *data)
{
	struct nl_owner *owner = data;

	atomic_inc(&owner->blocked);
	if (owner->gives)
		ldlm_lock_decref(lock);
}

static inline void nl_cancelled(struct ldlm_lock *lock, void *data)
{
	struct nl_owner *owner = data;

	kt_pass(owner->writes);
	atomic_inc(&owner->cancelled);
}

static const struct ldlm_callbacks nl_cbs = {
	.lcb_blocking = nl_blocking,
	.lcb_cancelled = nl_cancelled,
};

static inline void nl_start(struct kunit *test, unsigned int n)
{
	char name[16], uuid[16];

	scnprintf(name, sizeof(name), "kunit_nl%u", n);
	scnprintf(uuid, sizeof(uuid), "nl%u_UUID", n);
	nl.client[n] = ty_start(test, "osc", name, uuid, "nls_UUID", NL_NID);
	nl.exp[n] = ty_connect(test, nl.client[n], uuid);
}

static inline int nl_init(struct kunit *test)
{
	int rc = obd_fixture_init(test) ?: loopback_up();
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
static inline void nl_exit(struct kunit *test)
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

static inline long nl_enqueue(void *arg)
{
	struct nl_ask *ask = arg;
	struct ldlm_res_id id = { .name = { ask->name, 0, 7, ~0ULL } };

	return ldlm_cli_enqueue(nl.client[ask->client],
				ask->part.extent.last ? LDLM_EXTENT : LDLM_PLAIN,
				&id, ask->mode, &ask->part, ask->flags, &nl_cbs,
				&nl.owner[ask->client], &ask->lock);
}

static inline struct ldlm_lock *nl_lock(struct kunit *test, unsigned int client, u64 name,
					u32 mode)
{
	struct nl_ask ask = { .client = client, .name = name, .mode = mode };

	KUNIT_ASSERT_EQ(test, 0L, nl_enqueue(&ask));
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(ask.lock));
	return ask.lock;
}

static inline void nl_drop(struct ldlm_lock *lock)
{
	ldlm_lock_decref(lock);
	ldlm_lock_put(lock);
}

static inline int nl_server_locks(void)
{
	return atomic_read(&nl.server->obd_namespace->ns_locks);
}

static inline int nl_server_waiting(void)
{
	return atomic_read(&nl.server->obd_namespace->ns_waiting);
}

static inline int nl_server_timeouts(void)
{
	return atomic_read(&nl.server->obd_namespace->ns_timeouts);
}

static inline int nl_client_locks(unsigned int n)
{
	return atomic_read(&nl.client[n]->obd_namespace->ns_locks);
}

/* Until @get gives @want. */
static inline void nl_await(struct kunit *test, int (*get)(void), int want)
{
	unsigned int ms;

	for (ms = 0; ms < NL_SOON_MS && get() != want; ms += 20)
		msleep(20);
	KUNIT_EXPECT_EQ(test, want, get());
}

/* The server grants the lock that an intent of the first client asks for. @body: out */
static inline void nl_grant(struct kunit *test, struct ldlm_intent *intent,
			    struct lustre_lock *body)
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

static inline struct ldlm_intent *nl_intent(struct kunit *test)
{
	const struct ldlm_policy all = {};
	struct ldlm_intent *intent;

	intent = ldlm_intent_new(nl.client[0], LDLM_PLAIN, LCK_PR, &all, &nl_cbs,
				 &nl.owner[0]);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, intent);
	return intent;
}

#endif /* _KUNIT_LDLM_NET_FIXTURE_H */
