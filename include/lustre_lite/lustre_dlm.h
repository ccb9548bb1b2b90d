/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lock manager. A server's namespace grants locks. A client's namespace caches the
 * locks granted to the client, so that it can use them again without an RPC.
 *
 * A lock's life at the server:
 *
 *              no conflict
 *  LOCK_NEW ---------------------------> LOCK_GRANTED ---> LOCK_DESTROYED
 *      |                                  ^                  ^  cancelled, or
 *      | conflict: blocking ASTs to       |                  |  its client is
 *      v the holders                      |                  |  gone
 *  LOCK_WAITING --------------------------+                  |
 *      |            granted: completion AST                  |
 *      +-----------------------------------------------------+
 *
 * At the client: LOCK_NEW -> LOCK_WAITING (for the server) -> LOCK_GRANTED ->
 * LOCK_CANCELLING (unused, and blocking another client or aged) -> LOCK_DESTROYED.
 */
#ifndef _LUSTRE_LITE_DLM_H
#define _LUSTRE_LITE_DLM_H

#include <linux/types.h>

#include <lustre_lite/handle.h>
#include <lustre_lite/obd.h>
#include <lustre_lite/wire.h>

struct client_obd;
struct lcfg_view;
struct ldlm_lock;
struct ldlm_namespace;
struct obd_export;
struct obd_why;

#define LDLM_MODE_COUNT		6
#define LDLM_RES_WORDS		4
/* A revoked lock's deadline, ldlm_timeout, is prolonged up to so many times that time. */
#define LDLM_PROLONG_MAX	10

/* struct ldlm_res_id - name of a resource */
struct ldlm_res_id {
	u64 name[LDLM_RES_WORDS];
};

enum ldlm_side {
	LDLM_SERVER,
	LDLM_CLIENT,
};

enum ldlm_lock_state {
	LOCK_NEW,
	LOCK_WAITING,
	LOCK_GRANTED,
	LOCK_CANCELLING,
	LOCK_DESTROYED,
	LOCK_STATE_COUNT
};

/*
 * Types of resources. Two locks with incompatible modes conflict if their policies
 * (struct ldlm_policy, wire.h) have something in common:
 *
 *	LDLM_PLAIN	always
 *	LDLM_EXTENT	a byte. The server grants the largest extent that conflicts with no
 *			other lock, see ldlm_extent_widen() for the bounds.
 *	LDLM_IBITS	a bit. Optional bits that are not free are left out of the grant; a
 *			request of optional bits only, none of which is free, is refused.
 */

/* The compatibility matrix; modes are one LCK_* each. */
bool lockmode_compat(u32 exists, u32 wanted);
const char *ldlm_mode_name(u32 mode);

/*
 * Namespaces. One belongs to a device, obd->obd_namespace: its o_setup creates
 * it and its o_cleanup frees it. Parameters are ldlm.namespaces.NAME.*; NAME is
 * "filter-NAME_UUID" for a server and the device's name for a client.
 */
struct ldlm_namespace * __must_check
ldlm_namespace_new(struct obd_device *obd, enum ldlm_side side);
/* Drops all locks locally; the last one frees the namespace. Bounded. */
void ldlm_namespace_free(struct ldlm_namespace *ns);

/* Lock clients: a struct client_obd (obd_client.h) and a namespace. */
int ldlm_client_setup(struct obd_device *obd, struct client_obd *cli,
		      const struct lcfg_view *cfg, struct obd_why *why);
void ldlm_client_cleanup(struct obd_device *obd);

/*
 * A server revokes the granted locks of @mode on a resource although no lock
 * conflicts with them: at most @max of those without a blocking AST yet, the
 * oldest first.
 * Return: how many. Does not wait; a client that does not answer in time is
 *  evicted.
 */
unsigned int ldlm_server_revoke(struct obd_device *obd,
				const struct ldlm_res_id *res, u32 mode,
				unsigned int max);

/*
 * A client makes progress under its locks: bytes @part of an EXTENT resource are read or
 * written. The deadlines of those locks that were revoked start again; see
 * LDLM_PROLONG_MAX for the bound. Context: does not sleep.
 */
void ldlm_server_progress(struct obd_device *obd, struct obd_export *exp,
			  const struct ldlm_res_id *res,
			  const struct ldlm_extent *part);

/*
 * Locks of a server itself, which conflict with those of its clients. Not cached; the
 * holder is not notified of a conflict, so it does not wait for a client meanwhile.
 * @seconds: longest wait
 * Return: 0; -EWOULDBLOCK; -ETIMEDOUT; -EINTR; -ESHUTDOWN; -EAGAIN during recovery
 */
int ldlm_local_lock(struct obd_device *obd, u32 type,
		    const struct ldlm_res_id *id, u32 mode,
		    const struct ldlm_policy *policy, u32 flags,
		    unsigned int seconds, struct ldlm_lock **lock);
void ldlm_local_unlock(struct ldlm_lock *lock);

/* Locks of a client. */

/**
 * struct ldlm_callbacks - notifications to the owner of a client's lock
 * @lc_blocking: a blocking AST came: stop using the lock soon. Called by a
 *  thread of ldlm, may sleep, waits for no other lock
 * @lc_cancelled: the lock is gone: its cancel is about to be sent to the
 *  server, or the client was evicted. Once for each granted lock; by a thread
 *  of ldlm or by the cancelling task; may sleep
 *
 * Either may be NULL.
 */
struct ldlm_callbacks {
	void (*lc_blocking)(struct ldlm_lock *lock, void *data);
	void (*lc_cancelled)(struct ldlm_lock *lock, void *data);
};

/*
 * Get a lock of at least @mode: a cached one, or one from the server. Waits
 * until it is granted. On success the caller has one use (ldlm_lock_decref())
 * and one reference (ldlm_lock_put()). ldlm_lock_policy() is what was granted.
 * @type: LDLM_PLAIN, LDLM_EXTENT or LDLM_IBITS
 * @policy: NULL: all of a PLAIN resource
 * @flags: LDLM_FL_BLOCK_NOWAIT, LDLM_FL_NO_EXPANSION
 * Return: 0; -EWOULDBLOCK; -EINTR; -EIO if the import was invalidated
 *  meanwhile; as ptlrpc_queue_wait()
 */
int ldlm_cli_enqueue(struct obd_device *obd, u32 type,
		     const struct ldlm_res_id *res, u32 mode,
		     const struct ldlm_policy *policy, u32 flags,
		     const struct ldlm_callbacks *cbs, void *data,
		     struct ldlm_lock **lock);
/* Drop one use. An unused lock with a blocking AST pending is cancelled. */
void ldlm_lock_decref(struct ldlm_lock *lock);
struct ldlm_lock *ldlm_lock_get(struct ldlm_lock *lock);
void ldlm_lock_put(struct ldlm_lock *lock);
/* Cancel it now; -EBUSY while it is in use. */
int ldlm_cli_cancel(struct ldlm_lock *lock);
/* Cancel all unused locks. Return: how many, or a negative errno */
int ldlm_cli_cancel_unused(struct obd_device *obd);
u32 ldlm_lock_mode(const struct ldlm_lock *lock);
bool ldlm_lock_is_granted(const struct ldlm_lock *lock);
/* The granted policy. It does not change while the lock is granted. */
const struct ldlm_policy *ldlm_lock_policy(const struct ldlm_lock *lock);

#endif /* _LUSTRE_LITE_DLM_H */
