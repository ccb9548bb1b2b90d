/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The start of the cases of the lock manager: a server's namespace whose clients
 * are exports without a network, and a client's namespace without a server. What
 * would come over the wire is called by hand.
 */
#ifndef _KUNIT_LDLM_FIXTURE_H
#define _KUNIT_LDLM_FIXTURE_H

#include "obd_client.h"

#include "../../ptlrpc/ldlm/ldlm_internal.h"

#define KL_SERVER	"kunit_locks"
#define KL_CLIENT	"kunit_client"

static struct {
	struct obd_device	*server_obd;
	struct obd_device	*client_obd;
	struct ldlm_namespace	*server;
	struct ldlm_namespace	*client;
	unsigned int		timeout;
	atomic_t		blocked;
	atomic_t		cancelled;
	u64			cookies;
} kl;

static inline int kl_init(struct kunit *test)
{
	int rc = ke_init(test);

	if (rc)
		return rc;
	memset(&kl, 0, sizeof(kl));
	kl.timeout = ldlm_timeout;
	kl.server_obd = ke_start(test, KL_SERVER);
	kl.client_obd = ke_start(test, KL_CLIENT);
	kl.server = ldlm_namespace_new(kl.server_obd, LDLM_SERVER);
	kl.client = ldlm_namespace_new(kl.client_obd, LDLM_CLIENT);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, kl.server);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, kl.client);
	return 0;
}

static inline void kl_exit(struct kunit *test)
{
	int tries = 500;

	ldlm_timeout = kl.timeout;
	class_disconnect_exports(kl.server_obd);
	obd_zombie_barrier();
	/* The work that ended a lock may still hold it. */
	while (READ_ONCE(kl.server->ns_resource_count) && --tries)
		msleep(20);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.server->ns_locks));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.server->ns_waiting));
	KUNIT_EXPECT_EQ(test, 0U, kl.server->ns_resource_count);
	ldlm_namespace_free(kl.client);
	ldlm_namespace_free(kl.server);
	kt_end(test, kl.client_obd);
	kt_end(test, kl.server_obd);
	ke_exit(test);
}

/*
 * The server.
 */

static inline void kl_export_free(struct obd_export *exp)
{
	kfree(exp->exp_rpc);
}

static const struct obd_export_ops kl_export_ops = {
	.eo_unlinked = ldlm_export_gone,
	.eo_free = kl_export_free,
};

/* A client, which holds itself: the end of the case disconnects it. */
static inline struct obd_export *kl_join(struct kunit *test, const char *name)
{
	struct obd_export *exp = ke_connect(test, kl.server_obd, name,
					    "10.0.0.9@tcp");
	struct ptlrpc_export *pe = kzalloc(sizeof(*pe), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, pe);
	spin_lock_init(&pe->pe_lock);
	INIT_LIST_HEAD(&pe->pe_locks);
	INIT_LIST_HEAD(&pe->pe_replies);
	exp->exp_rpc = pe;
	exp->exp_ops = &kl_export_ops;
	class_export_put(exp);
	return exp;
}

static inline struct ldlm_enqueue kl_ask(u64 name, u32 mode)
{
	return (struct ldlm_enqueue) {
		.type = LDLM_PLAIN,
		.mode = mode,
		.client = ++kl.cookies,
		.res = { .name = { name } },
	};
}

/* Ask; the server's cookie, or a negative errno. */
static inline int kl_enqueue(struct obd_export *exp, const struct ldlm_enqueue *ask,
			     u64 *cookie)
{
	struct lustre_lock answer = { 0 };
	int rc = ldlm_server_enqueue(kl.server, exp, ask, &answer);

	*cookie = le64_to_cpu(answer.wl_server);
	if (rc)
		return rc;
	return answer.wl_flags & cpu_to_le32(LDLM_FL_BLOCK_GRANTED) ? 1 : 0;
}

/* A lock in a mode, granted (0) or waiting (1). */
static inline u64 kl_lock(struct kunit *test, struct obd_export *exp, u64 name,
			  u32 mode, int waits)
{
	struct ldlm_enqueue ask = kl_ask(name, mode);
	u64 cookie;

	KUNIT_EXPECT_EQ_MSG(test, waits, kl_enqueue(exp, &ask, &cookie),
			    "%s of %s", exp->exp_client_uuid.uuid,
			    ldlm_mode_name(mode));
	return cookie;
}

static inline bool kl_cancel(struct obd_export *exp, u64 cookie)
{
	return ldlm_server_cancel(kl.server, exp, cookie, 0);
}

static inline enum ldlm_lock_state kl_state(u64 cookie)
{
	struct ldlm_lock *lock = ldlm_lock_find(cookie);
	enum ldlm_lock_state state = LOCK_DESTROYED;

	if (!lock)
		return state;
	state = READ_ONCE(lock->l_state);
	ldlm_lock_put(lock);
	return state;
}

static inline bool kl_asked(u64 cookie)
{
	struct ldlm_lock *lock = ldlm_lock_find(cookie);
	bool asked;

	if (!lock)
		return false;
	asked = test_bit(LDLM_LF_AST_SENT, &lock->l_flags);
	ldlm_lock_put(lock);
	return asked;
}

static inline u32 kl_mode(u64 cookie)
{
	struct ldlm_lock *lock = ldlm_lock_find(cookie);
	u32 mode = 0;

	if (lock) {
		mode = ldlm_lock_mode(lock);
		ldlm_lock_put(lock);
	}
	return mode;
}

/*
 * As class_cleanup() does: nothing is granted from here on, and the clients end one after the
 * other, @first first.
 */
static inline void kl_stop(struct obd_export *first)
{
	libcfs_active_kill(&kl.server_obd->obd_active);
	ldlm_export_gone(first);
}

#define KL_GRANTED(test, cookie)					\
	KUNIT_EXPECT_EQ(test, LOCK_GRANTED, kl_state(cookie))
#define KL_WAITS(test, cookie)						\
	KUNIT_EXPECT_EQ(test, LOCK_WAITING, kl_state(cookie))

/*
 * The client.
 */

static inline void kl_blocking(struct ldlm_lock *lock, void *data)
{
	atomic_inc(&kl.blocked);
}

static inline void kl_cancelled(struct ldlm_lock *lock, void *data)
{
	atomic_inc(&kl.cancelled);
}

static const struct ldlm_callbacks kl_cbs = {
	.lcb_blocking = kl_blocking,
	.lcb_cancelled = kl_cancelled,
};

static const struct ldlm_policy kl_all;

/* A lock that waits for its server; used once, referenced by the caller. */
static inline struct ldlm_lock *kl_client_ask(struct kunit *test, u64 name,
					      u32 mode)
{
	struct ldlm_res_id id = { .name = { name } };
	struct ldlm_lock *lock;

	lock = ldlm_client_lock_new(kl.client, LDLM_PLAIN, &id, mode,
				    &kl_all, &kl_cbs, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, lock);
	return lock;
}

/* A completion callback: it grants the requested lock. */
static inline int kl_client_cp(struct ldlm_lock *lock, u32 mode)
{
	const struct ldlm_policy policy = lock->l_policy;

	return ldlm_client_completion(NULL, lock->l_handle.h_cookie, 0x77, mode,
				      &policy, NULL);
}

static inline int kl_client_bl(struct ldlm_lock *lock)
{
	return ldlm_client_blocking(NULL, lock->l_handle.h_cookie, 0);
}

static inline struct ldlm_lock *kl_client_lock(struct kunit *test, u64 name,
					       u32 mode)
{
	struct ldlm_lock *lock = kl_client_ask(test, name, mode);

	KUNIT_EXPECT_EQ(test, 0, kl_client_cp(lock, mode));
	return lock;
}

static inline struct ldlm_lock *kl_match(u64 name, u32 mode)
{
	struct ldlm_res_id id = { .name = { name } };

	return ldlm_client_match(kl.client, &id, mode, &kl_all, &kl_cbs, NULL);
}

/* All works of locks have run. */
static inline void kl_settle(struct kunit *test)
{
	long left = wait_event_timeout(kl.client->ns_idle,
				       !atomic_read(&kl.client->ns_busy),
				       FIXTURE_WAIT);

	KUNIT_EXPECT_NE(test, 0L, left);
}

#endif /* _KUNIT_LDLM_FIXTURE_H */
