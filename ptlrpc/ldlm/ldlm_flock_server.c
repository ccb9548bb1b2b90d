// SPDX-License-Identifier: GPL-2.0-only
/*
 * A server's FLOCK locks: a request is granted, refused, or waits for other owners; POSIX
 * requests that would wait for each other are refused.
 *
 * There are no blocking ASTs: an owner keeps its locks until it releases them, or its
 * client is gone. A waiting lock is granted as soon as no other owner is in its way.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

/* The request of a lock that waits, or is about to be granted. */
static struct ldlm_flock_op op_of(struct ldlm_lock *lock)
{
	return (struct ldlm_flock_op) {
		.res = lock->l_resource,
		.exp = lock->l_export,
		.mode = lock->l_req_mode,
		.asked = lock->l_flock.asked,
		.lock = lock,
	};
}

/*
 * Whether waiting for a lock would deadlock: follows the owners of blocking locks to the locks
 * that they wait for, on any resource, until it finds the owner of @lock. Each waiting lock is
 * visited once.
 */
static bool is_deadlock(struct ldlm_lock *lock)
{
	struct ldlm_namespace *ns = ldlm_lock_ns(lock);
	struct ldlm_lock *todo = lock, *holder, *other;
	u32 walk = ++ns->ns_flock_walk;
	struct ldlm_flock_op op;

	lock->l_flock.next = NULL;
	while (todo) {
		op = op_of(todo);
		todo = todo->l_flock.next;
		for (holder = NULL; (holder = ldlm_flock_blocker(&op, holder));) {
			if (ldlm_flock_is_owner(holder, lock->l_export,
						&lock->l_flock.asked))
				return true;
			list_for_each_entry(other, &ns->ns_flocks, l_flock.item) {
				if (other->l_flock.walk == walk ||
				    !ldlm_flock_is_owner(other, holder->l_export,
							 &holder->l_policy.flock))
					continue;
				other->l_flock.walk = walk;
				other->l_flock.next = todo;
				todo = other;
			}
		}
	}
	return false;
}

/* Grant a lock that no other owner is in the way of. */
static int flock_grant(struct ldlm_lock *lock)
{
	const struct ldlm_flock_op op = op_of(lock);
	int rc = ldlm_flock_apply(&op);

	if (rc)
		return rc;
	list_del_init(&lock->l_flock.item);
	spin_lock(ldlm_lock_lock(lock));
	ldlm_lock_grant(lock, op.mode, NULL);
	spin_unlock(ldlm_lock_lock(lock));
	return 0;
}

/* The first waiting lock that no other owner is in the way of, or NULL. */
static struct ldlm_lock *waiting_free(struct ldlm_resource *res)
{
	struct ldlm_flock_op op;
	struct ldlm_lock *lock;

	list_for_each_entry(lock, &res->r_waiting.lset_locks, l_res_item) {
		op = op_of(lock);
		if (!ldlm_flock_blocker(&op, NULL))
			return lock;
	}
	return NULL;
}

/* Bytes were released: grant waiting locks. Without memory they go on waiting. */
static void flock_wake(struct ldlm_resource *res, struct list_head *todo)
{
	struct ldlm_lock *lock;

	lockdep_assert_held(&res->r_ns->ns_flock_mutex);
	if (ldlm_is_stopping(res->r_ns))
		return;
	while ((lock = waiting_free(res)) && !flock_grant(lock)) {
		spin_lock(&res->r_lock);
		set_bit(LDLM_LF_SEND_CP, &lock->l_flags);
		if (list_empty(&lock->l_todo_item))
			list_add_tail(&ldlm_lock_get(lock)->l_todo_item, todo);
		spin_unlock(&res->r_lock);
	}
}

/*
 * As flock() has it, an owner that wants a file in another mode gives up what it had if that is not
 * free: two that share it and want it alone would wait for each other.
 */
static void whole_file_give_up(struct ldlm_flock_op op, struct list_head *todo)
{
	op.mode = LCK_NL;
	op.lock = NULL;
	if (!ldlm_flock_apply(&op))
		flock_wake(op.res, todo);
}

/* Return: 0 if it was granted, 1 if it waits, or an errno. */
static int flock_decide(struct ldlm_lock *lock, const struct ldlm_enqueue *enq,
			struct list_head *todo)
{
	const struct ldlm_flock_op op = op_of(lock);
	int rc;

	if (lock->l_state != LOCK_NEW)
		return -ENOTCONN;
	if (ldlm_is_stopping(ldlm_lock_ns(lock)))
		return -ESHUTDOWN;
	if (!ldlm_flock_blocker(&op, NULL)) {
		rc = flock_grant(lock);
		/* The old locks of the owner may have been in the way of others. */
		flock_wake(lock->l_resource, todo);
		return rc;
	}
	if (enq->flags & LDLM_FL_REPLAY)
		return -ESTALE;
	if (wire_flock_kind(&op.asked) == LDLM_FLOCK_WHOLE)
		whole_file_give_up(op, todo);
	if (enq->flags & LDLM_FL_BLOCK_NOWAIT)
		return -EWOULDBLOCK;
	if (wire_flock_kind(&op.asked) == LDLM_FLOCK_POSIX && is_deadlock(lock))
		return -EDEADLK;
	spin_lock(ldlm_lock_lock(lock));
	ldlm_lock_wait(lock);
	spin_unlock(ldlm_lock_lock(lock));
	list_add_tail(&lock->l_flock.item, &ldlm_lock_ns(lock)->ns_flocks);
	return 1;
}

static int flock_lock(struct ldlm_namespace *ns, struct obd_export *exp,
		      const struct ldlm_enqueue *enq, struct lustre_lock *answer)
{
	struct ldlm_lock *lock = ldlm_server_lock_new(ns, exp, enq);
	LIST_HEAD(todo);
	int rc;

	if (lock == ERR_PTR(-EEXIST))
		return ldlm_server_again(ns, exp, enq, answer);
	if (IS_ERR(lock))
		return PTR_ERR(lock);
	mutex_lock(&ns->ns_flock_mutex);
	lock->l_flock.asked = enq->policy.flock;
	rc = flock_decide(lock, enq, &todo);
	spin_lock(ldlm_lock_lock(lock));
	ldlm_lock_to_wire(lock, answer, LDLM_SERVER);
	spin_unlock(ldlm_lock_lock(lock));
	if (rc < 0)
		ldlm_flock_end(lock);
	mutex_unlock(&ns->ns_flock_mutex);
	if (rc > 0)
		answer->wl_flags = cpu_to_le32(LDLM_FL_BLOCK_GRANTED);
	ldlm_callbacks_send(&todo);
	ldlm_lock_put(lock);
	return min(rc, 0);
}

/* Release bytes of an owner. */
static int flock_release(struct ldlm_resource *res, struct obd_export *exp,
			 const struct ldlm_flock *asked)
{
	const struct ldlm_flock_op op = {
		.res = res,
		.exp = exp,
		.mode = LCK_NL,
		.asked = *asked,
	};
	LIST_HEAD(todo);
	int rc;

	mutex_lock(&res->r_ns->ns_flock_mutex);
	rc = ldlm_flock_apply(&op);
	if (!rc)
		flock_wake(res, &todo);
	mutex_unlock(&res->r_ns->ns_flock_mutex);
	ldlm_callbacks_send(&todo);
	return rc;
}

/* The answer is a lock that is in the way, or mode NL. */
static void flock_test(struct ldlm_resource *res, struct obd_export *exp,
		       const struct ldlm_enqueue *enq, struct lustre_lock *answer)
{
	const struct ldlm_flock_op op = {
		.res = res,
		.exp = exp,
		.mode = enq->mode,
		.asked = enq->policy.flock,
	};
	struct ldlm_lock *lock;

	mutex_lock(&res->r_ns->ns_flock_mutex);
	lock = ldlm_flock_blocker(&op, NULL);
	answer->wl_granted_mode = cpu_to_le32(lock ? lock->l_granted_mode : LCK_NL);
	if (lock)
		wire_policy_encode(answer, &lock->l_policy);
	mutex_unlock(&res->r_ns->ns_flock_mutex);
}

static int flock_without_lock(struct ldlm_namespace *ns, struct obd_export *exp,
			      const struct ldlm_enqueue *enq, struct lustre_lock *answer)
{
	struct ldlm_resource *res = ldlm_resource_find(ns, &enq->res);
	int rc = 0;

	answer->wl_type = cpu_to_le32(LDLM_FLOCK);
	answer->wl_granted_mode = cpu_to_le32(LCK_NL);
	wire_policy_encode(answer, &enq->policy);
	if (res && res->r_type != LDLM_FLOCK)
		rc = -EINVAL;
	else if (res && enq->flags & LDLM_FL_TEST)
		flock_test(res, exp, enq, answer);
	else if (res)
		rc = flock_release(res, exp, &enq->policy.flock);
	if (res)
		ldlm_resource_put(res);
	/* Afterwards: a lock in the way may have been dropped before. */
	if (!rc && enq->flags & LDLM_FL_TEST && ldlm_is_stopping(ns))
		rc = -ESHUTDOWN;
	return rc;
}

/**
 * ldlm_flock_enqueue() - handle an enqueue of type FLOCK
 * @ns: namespace
 * @exp: client; the caller holds it
 * @enq: request, valid
 * @answer: out, the lock; LDLM_FL_BLOCK_GRANTED if it waits. With LDLM_FL_TEST: mode and
 *  policy of a lock that is in the way, or mode NL. No cookie of the server for this, and
 *  for mode NL, which releases bytes
 *
 * Context: may sleep for memory, does not wait for peers
 * Return: 0; -EWOULDBLOCK with LDLM_FL_BLOCK_NOWAIT; -EDEADLK; as ldlm_server_enqueue()
 */
int ldlm_flock_enqueue(struct ldlm_namespace *ns, struct obd_export *exp,
		       const struct ldlm_enqueue *enq, struct lustre_lock *answer)
{
	if (enq->flags & LDLM_FL_TEST || enq->mode == LCK_NL)
		return flock_without_lock(ns, exp, enq, answer);
	return flock_lock(ns, exp, enq, answer);
}

/**
 * ldlm_flock_drop() - destroy a lock and grant waiting ones
 * @lock: lock that the caller holds
 *
 * Context: may sleep for memory
 */
void ldlm_flock_drop(struct ldlm_lock *lock)
{
	struct ldlm_namespace *ns = ldlm_lock_ns(lock);
	LIST_HEAD(todo);

	mutex_lock(&ns->ns_flock_mutex);
	if (ldlm_flock_end(lock))
		flock_wake(lock->l_resource, &todo);
	mutex_unlock(&ns->ns_flock_mutex);
	ldlm_callbacks_send(&todo);
}

/**
 * ldlm_flock_cancel() - the client does not want a lock that it has requested
 * @lock: lock that the caller holds
 *
 * A waiting lock ends. One that was granted meanwhile has been merged with others of its
 * owner: what was requested is released, as far as a later request has not taken it over.
 *
 * Context: may sleep for memory
 */
void ldlm_flock_cancel(struct ldlm_lock *lock)
{
	struct ldlm_flock asked = lock->l_flock.asked;
	bool granted;

	spin_lock(ldlm_lock_lock(lock));
	granted = ldlm_lock_is_granted(lock);
	asked.first = max(asked.first, lock->l_policy.flock.first);
	asked.last = min(asked.last, lock->l_policy.flock.last);
	spin_unlock(ldlm_lock_lock(lock));
	if (!granted)
		ldlm_flock_drop(lock);
	else if (asked.first <= asked.last)
		flock_release(lock->l_resource, lock->l_export, &asked);
}
