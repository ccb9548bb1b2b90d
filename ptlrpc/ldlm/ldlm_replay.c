// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client's locks after a failure of its server: replayed if the server still
 * knows the client, else dropped.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

/* Most replays in flight. */
#define REPLAY_WINDOW	64

/**
 * ldlm_client_drop() - drop a lock locally, without a cancel to the server
 * @lock: lock of a client; the caller holds it
 * @error: for tasks that wait for it
 *
 * A work notifies the owner of a granted lock. The task that cancels a lock
 * notifies the owner itself: the state is tested and ended in one critical
 * section, so the owner is notified once.
 *
 * Context: any but an interrupt
 */
void ldlm_client_drop(struct ldlm_lock *lock, int error)
{
	bool notify = false, first, placed = false;

	ptlrpc_test_at(PTP_LOCK_DROP, lock);
	spin_lock(ldlm_lock_lock(lock));
	lock->l_error = lock->l_error ?: error;
	lock->l_users = 0;
	first = lock->l_state != LOCK_DESTROYED;
	if (first) {
		notify = ldlm_lock_is_granted(lock);
		placed = __ldlm_lock_destroy(lock);
	}
	spin_unlock(ldlm_lock_lock(lock));
	if (notify)
		ldlm_lock_notify(lock, LDLM_LF_NOTIFY_CANCELLED);
	if (first)
		ldlm_lock_destroyed(lock, placed);
}
EXPORT_FOR_KUNIT(ldlm_client_drop);

/* The next one to drop, referenced, or NULL. */
static struct ldlm_lock *list_drop_next(struct list_head *list,
					const u32 *generation)
{
	struct ldlm_lock *lock;

	list_for_each_entry(lock, list, l_res_item) {
		if (!generation || lock->l_generation != *generation)
			return ldlm_lock_get(lock);
	}
	return NULL;
}

static struct ldlm_lock *drop_next(struct ldlm_resource *res,
				   const u32 *generation)
{
	struct ldlm_lock *lock;

	spin_lock(&res->r_lock);
	lock = list_drop_next(&res->r_waiting.lset_locks, generation) ?:
	       list_drop_next(&res->r_granted.lset_locks, generation);
	spin_unlock(&res->r_lock);
	return lock;
}

/* Its process goes on without it. */
static void flock_is_lost(const struct ldlm_lock *lock)
{
	const struct ldlm_resource *res = lock->l_resource;

	CWARN("%s: file [%#llx:%#x:%#x]: lock of process %u was lost\n",
	      res->r_ns->ns_name, res->r_id.name[0], lower_32_bits(res->r_id.name[1]),
	      upper_32_bits(res->r_id.name[1]), wire_flock_pid(&lock->l_policy.flock));
}

/**
 * ldlm_client_drop_all() - drop locks locally, without cancels to the server
 * @ns: namespace of a client
 * @generation: of the import: locks of other generations; NULL: all
 * @error: for tasks that wait for one
 *
 * Context: any but an interrupt
 */
void ldlm_client_drop_all(struct ldlm_namespace *ns, const u32 *generation,
			  int error)
{
	struct ldlm_resource *res = NULL;
	struct ldlm_lock *lock;

	while ((res = ldlm_resource_next(ns, res))) {
		while ((lock = drop_next(res, generation))) {
			if (generation && res->r_type == LDLM_FLOCK)
				flock_is_lost(lock);
			ldlm_client_drop(lock, error);
			ldlm_lock_put(lock);
		}
	}
}
EXPORT_FOR_KUNIT(ldlm_client_drop_all);

/**
 * ldlm_import_invalidated() - drop all locks of an invalidated import
 * @imp: import, whose generation has risen
 *
 * Tasks that wait for a lock get -EIO; a work notifies the owners.
 *
 * Context: any but an interrupt, does not sleep
 */
static void ldlm_import_invalidated(struct obd_import *imp)
{
	struct ldlm_namespace *ns = ldlm_namespace_of_import(imp);
	u32 generation = READ_ONCE(imp->imp_generation);

	if (!ns)
		return;
	ldlm_client_drop_all(ns, &generation, -EIO);
	ldlm_namespace_put(ns);
}

/**
 * ldlm_import_has_locks() - whether the connection to the server must be kept
 * @imp: import that the caller holds
 *
 * Context: any
 * Return: true if there are granted or requested locks
 */
static bool ldlm_import_has_locks(struct obd_import *imp)
{
	struct ldlm_namespace *ns = ldlm_namespace_of_import(imp);
	bool has;

	if (!ns)
		return false;
	has = atomic_read(&ns->ns_locks);
	ldlm_namespace_put(ns);
	return has;
}

/*
 * The lock has a new cookie, which the cancel has if its owner still writes. Return: whether the
 * cancel may have the old cookie, or the lock was dropped
 */
static bool replay_accept(struct ldlm_lock *lock, u64 remote)
{
	bool over;

	spin_lock(ldlm_lock_lock(lock));
	lock->l_remote = remote;
	over = test_bit(LDLM_LF_RELEASED, &lock->l_flags) || lock->l_state == LOCK_DESTROYED;
	spin_unlock(ldlm_lock_lock(lock));
	return over;
}

/* Whether the server has decided about the lock. */
static bool is_refused(const struct ptlrpc_request *req, int rc)
{
	return req->rq_rep.type && rc != -ENOMEM && rc != -EINPROGRESS && rc != -ENOTCONN;
}

/*
 * The server's answer to a replay. A refused lock is dropped; another error
 * ends the replay, and the next connect tries again.
 */
static int replay_done(struct ptlrpc_request *req, void *data, int rc)
{
	const struct lustre_lock *answer;
	struct ldlm_lock *lock = data;

	answer = rc ? NULL : ptlrpc_rep_buf(req, 0, sizeof(*answer));
	if (!rc && !answer)
		rc = -EPROTO;
	if (answer) {
		if (replay_accept(lock, le64_to_cpu(answer->wl_server)))
			ldlm_cancel_cookie(ldlm_lock_ns(lock), lock->l_handle.h_cookie);
	} else if (is_refused(req, rc)) {
		CWARN("%s: the server refused the replay of a lock: rc = %d\n",
		      ldlm_lock_ns(lock)->ns_name, rc);
		ldlm_client_drop(lock, -EIO);
	} else {
		WRITE_ONCE(ldlm_lock_ns(lock)->ns_replay_error, rc);
	}
	ldlm_lock_put(lock);
	return rc;
}

/*
 * Granted locks are replayed, and those that are being cancelled while their owner may still write:
 * other clients get them when it has. Waiting locks that the server has answered are enqueued again
 * by the waiting task; unanswered enqueues are resent by ptlrpc.
 */
static void replay_sort(struct ldlm_lock *lock, struct list_head *replay)
{
	lockdep_assert_held(ldlm_lock_lock(lock));
	if (lock->l_state == LOCK_WAITING && lock->l_remote) {
		set_bit(LDLM_LF_REENQUEUE, &lock->l_flags);
		wake_up_all(&lock->l_wait);
		lock->l_remote = 0;
	}
	if (!lock->l_granted_mode || test_bit(LDLM_LF_RELEASED, &lock->l_flags))
		return;
	ldlm_lock_get(lock);
	list_add_tail(&lock->l_exp_item, replay);
}

static void replay_collect(struct ldlm_namespace *ns, struct list_head *replay)
{
	struct ldlm_resource *res = NULL;
	struct ldlm_lock *lock;

	while ((res = ldlm_resource_next(ns, res))) {
		spin_lock(&res->r_lock);
		list_for_each_entry(lock, &res->r_granted.lset_locks, l_res_item)
			replay_sort(lock, replay);
		list_for_each_entry(lock, &res->r_waiting.lset_locks, l_res_item)
			replay_sort(lock, replay);
		spin_unlock(&res->r_lock);
	}
}

static int replay_send(struct ptlrpc_request_set *set, struct ldlm_lock *lock)
{
	struct ptlrpc_request *req;

	ptlrpc_test_at(PTP_LOCK_REPLAY, lock);
	req = ldlm_client_request(lock, LDLM_ENQUEUE, LDLM_FL_REPLAY);
	if (IS_ERR(req))
		return PTR_ERR(req);
	req->rq_send_state = LUSTRE_IMP_REPLAY_LOCKS;
	req->rq_msg_flags = MSG_REPLAY;
	req->rq_no_resend = true;
	req->rq_no_delay = true;
	req->rq_no_slot = true;
	req->rq_interpret = replay_done;
	req->rq_interpret_data = ldlm_lock_get(lock);
	ptlrpc_set_add(set, req);
	ptlrpc_set_run(set);
	ptlrpc_request_put(req);
	return ptlrpc_set_wait(set, REPLAY_WINDOW);
}

static void replay_drop(struct list_head *replay)
{
	struct ldlm_lock *lock, *next;

	list_for_each_entry_safe(lock, next, replay, l_exp_item) {
		list_del_init(&lock->l_exp_item);
		ldlm_lock_put(lock);
	}
}

/**
 * ldlm_replay_locks() - replay all locks to the restarted server
 * @imp: import in LUSTRE_IMP_REPLAY_LOCKS
 *
 * Context: sleeps; one at a time for an import
 * Return: 0, also if the server refused some, which are dropped; -ENOMEM,
 *  -EINTR; the error of a request that was not answered
 */
static int ldlm_replay_locks(struct obd_import *imp)
{
	struct ldlm_namespace *ns = ldlm_namespace_of_import(imp);
	struct ptlrpc_request_set *set;
	struct ldlm_lock *lock;
	LIST_HEAD(replay);
	int rc = 0;

	if (!ns)
		return 0;
	set = ptlrpc_set_new();
	if (IS_ERR_OR_NULL(set)) {
		ldlm_namespace_put(ns);
		return -ENOMEM;
	}
	WRITE_ONCE(ns->ns_replay_error, 0);
	replay_collect(ns, &replay);
	list_for_each_entry(lock, &replay, l_exp_item) {
		rc = replay_send(set, lock) ?: READ_ONCE(ns->ns_replay_error);
		if (rc)
			break;
	}
	if (!rc)
		rc = ptlrpc_set_wait(set, 0) ?: READ_ONCE(ns->ns_replay_error);
	replay_drop(&replay);
	ptlrpc_set_put(set);
	ldlm_namespace_put(ns);
	return rc;
}

const struct import_lock_ops ldlm_import_ops = {
	.il_replay	= ldlm_replay_locks,
	.il_invalidated	= ldlm_import_invalidated,
	.il_has_locks	= ldlm_import_has_locks,
};
