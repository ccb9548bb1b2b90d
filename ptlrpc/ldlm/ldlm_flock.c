// SPDX-License-Identifier: GPL-2.0-only
/*
 * FLOCK locks: ranges that belong to an owner on a client, as POSIX locks and flock()
 * have them. A lock of an owner replaces what the owner has of these bytes: ranges are cut,
 * split, and merged with their neighbours. Client and server do the same, so that the
 * client can replay what it has.
 *
 * All changes of FLOCK resources of a namespace are made under ns_flock_mutex, and each
 * step under r_lock. Only a client whose import is invalidated drops ranges without the
 * mutex.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

/**
 * ldlm_flock_is_owner() - whether two locks have the same owner
 * @lock: lock
 * @exp: client of the other one, NULL at a client
 * @flock: policy of the other one
 *
 * Context: under r_lock or ns_flock_mutex
 * Return: true if they have
 */
bool ldlm_flock_is_owner(const struct ldlm_lock *lock, const struct obd_export *exp,
			 const struct ldlm_flock *flock)
{
	const struct ldlm_flock *mine = &lock->l_policy.flock;

	return lock->l_export == exp && mine->owner == flock->owner &&
	       wire_flock_kind(mine) == wire_flock_kind(flock);
}

static bool overlap(const struct ldlm_flock *a, const struct ldlm_flock *b)
{
	return a->first <= b->last && b->first <= a->last;
}

static bool adjacent(const struct ldlm_flock *a, const struct ldlm_flock *b)
{
	return (a->last != LDLM_EXTENT_EOF && a->last + 1 == b->first) ||
	       (b->last != LDLM_EXTENT_EOF && b->last + 1 == a->first);
}

/**
 * ldlm_flock_blocker() - iterate over granted locks that a request conflicts with
 * @op: request
 * @prev: the previous one, or NULL
 *
 * Context: under ns_flock_mutex of a server
 * Return: lock, not referenced; or NULL
 */
struct ldlm_lock *ldlm_flock_blocker(const struct ldlm_flock_op *op,
				     struct ldlm_lock *prev)
{
	struct list_head *locks = &op->res->r_granted.lset_locks;
	struct ldlm_lock *lock = prev ?: list_entry(locks, struct ldlm_lock, l_res_item);

	lockdep_assert_held(&op->res->r_ns->ns_flock_mutex);
	list_for_each_entry_continue(lock, locks, l_res_item) {
		const struct ldlm_flock *has = &lock->l_policy.flock;

		if (overlap(has, &op->asked) &&
		    wire_flock_kind(has) == wire_flock_kind(&op->asked) &&
		    !lockmode_compat(lock->l_granted_mode, op->mode) &&
		    !ldlm_flock_is_owner(lock, op->exp, &op->asked))
			return lock;
	}
	return NULL;
}

/* The next range of the owner; under r_lock. */
static struct ldlm_lock *own_next(const struct ldlm_flock_op *op, struct ldlm_lock *prev)
{
	struct list_head *locks = &op->res->r_granted.lset_locks;
	struct ldlm_lock *lock = prev ?: list_entry(locks, struct ldlm_lock, l_res_item);

	lockdep_assert_held(&op->res->r_lock);
	list_for_each_entry_continue(lock, locks, l_res_item) {
		if (lock != op->lock && ldlm_flock_is_owner(lock, op->exp, &op->asked))
			return lock;
	}
	return NULL;
}

/**
 * ldlm_flock_has_any() - whether the owner has any of the bytes of a request, in any mode
 * @op: request
 *
 * Context: does not sleep
 * Return: true if it has
 */
bool ldlm_flock_has_any(const struct ldlm_flock_op *op)
{
	struct ldlm_lock *lock = NULL;

	spin_lock(&op->res->r_lock);
	do {
		lock = own_next(op, lock);
	} while (lock && !overlap(&lock->l_policy.flock, &op->asked));
	spin_unlock(&op->res->r_lock);
	return lock;
}

/**
 * ldlm_flock_end() - destroy a range, or a waiting lock
 * @lock: lock that the caller holds; may be destroyed already
 *
 * Context: under ns_flock_mutex; may sleep for memory
 * Return: true if this call destroyed it
 */
bool ldlm_flock_end(struct ldlm_lock *lock)
{
	struct obd_export *exp = lock->l_export;

	if (!ldlm_lock_destroy(lock))
		return false;
	list_del_init(&lock->l_flock.item);
	if (!exp)
		return true;
	ldlm_export_detach(lock);
	ldlm_waiting_lock_del(lock, LDLM_LF_CP_PENDING);
	class_export_lock_put(exp);
	return true;
}

/* A range like another one, not placed yet. */
static struct ldlm_lock *part_new(struct ldlm_lock *like)
{
	struct ldlm_lock *part = ldlm_lock_new(like->l_resource, like->l_req_mode,
					       &like->l_policy);
	int rc = 0;

	if (IS_ERR(part))
		return part;
	if (like->l_export)
		rc = ldlm_export_attach(part, like->l_export);
	else
		ldlm_client_lock_own(part, NULL, NULL, like->l_generation);
	if (!rc)
		return part;
	ldlm_flock_end(part);
	ldlm_lock_put(part);
	return ERR_PTR(rc);
}

/* A range of another mode around the requested one, referenced; or NULL. */
static struct ldlm_lock *range_around(const struct ldlm_flock_op *op)
{
	struct ldlm_lock *lock = NULL;

	spin_lock(&op->res->r_lock);
	while ((lock = own_next(op, lock))) {
		if (lock->l_granted_mode != op->mode &&
		    lock->l_policy.flock.first < op->asked.first &&
		    lock->l_policy.flock.last > op->asked.last) {
			ldlm_lock_get(lock);
			break;
		}
	}
	spin_unlock(&op->res->r_lock);
	return lock;
}

/* Split it: the bytes after the requested ones become a lock of its own. */
static int range_split(const struct ldlm_flock_op *op)
{
	struct ldlm_lock *lock = range_around(op), *part;
	bool split;

	if (!lock)
		return 0;
	part = part_new(lock);
	if (IS_ERR(part)) {
		ldlm_lock_put(lock);
		return PTR_ERR(part);
	}
	spin_lock(&op->res->r_lock);
	split = ldlm_lock_is_granted(lock) && part->l_state == LOCK_NEW;
	if (split) {
		part->l_policy.flock.first = op->asked.last + 1;
		ldlm_lock_grant(part, lock->l_granted_mode, NULL);
		lock->l_policy.flock.last = op->asked.first - 1;
	}
	spin_unlock(&op->res->r_lock);
	if (!split)
		ldlm_flock_end(part);
	ldlm_lock_put(part);
	ldlm_lock_put(lock);
	return 0;
}

/* Make the request's range that of all ranges of its mode that touch it; under r_lock. */
static void ranges_merge(const struct ldlm_flock_op *op, struct ldlm_flock *merged)
{
	struct ldlm_lock *lock = NULL;

	while (op->mode != LCK_NL && (lock = own_next(op, lock))) {
		const struct ldlm_flock *has = &lock->l_policy.flock;

		if (lock->l_granted_mode != op->mode ||
		    !(overlap(has, &op->asked) || adjacent(has, &op->asked)))
			continue;
		merged->first = min(merged->first, has->first);
		merged->last = max(merged->last, has->last);
	}
}

/* A range that the request makes superfluous, referenced; or NULL. */
static struct ldlm_lock *range_covered(const struct ldlm_flock_op *op,
				       const struct ldlm_flock *merged)
{
	struct ldlm_lock *lock = NULL;

	spin_lock(&op->res->r_lock);
	while ((lock = own_next(op, lock))) {
		const struct ldlm_flock *by = lock->l_granted_mode == op->mode ?
					      merged : &op->asked;

		if (lock->l_policy.flock.first >= by->first &&
		    lock->l_policy.flock.last <= by->last) {
			ldlm_lock_get(lock);
			break;
		}
	}
	spin_unlock(&op->res->r_lock);
	return lock;
}

/* Cut the requested bytes off the ranges of another mode that have them at an end. */
static void ranges_cut(const struct ldlm_flock_op *op)
{
	struct ldlm_lock *lock = NULL;

	lockdep_assert_held(&op->res->r_lock);
	while ((lock = own_next(op, lock))) {
		struct ldlm_flock *has = &lock->l_policy.flock;

		if (lock->l_granted_mode == op->mode || !overlap(has, &op->asked))
			continue;
		if (has->first < op->asked.first)
			has->last = op->asked.first - 1;
		else
			has->first = op->asked.last + 1;
	}
}

/**
 * ldlm_flock_apply() - change the ranges of an owner for its request
 * @op: request that conflicts with no other owner; mode NL: release the bytes
 *
 * The policy of @op->lock becomes the merged range; the caller grants it.
 *
 * Context: under ns_flock_mutex; may sleep for memory
 * Return: 0; -ENOMEM, -ENOLCK, -ENOTCONN: nothing has changed
 */
int ldlm_flock_apply(const struct ldlm_flock_op *op)
{
	struct ldlm_flock merged = op->asked;
	struct ldlm_lock *lock;
	int rc;

	lockdep_assert_held(&op->res->r_ns->ns_flock_mutex);
	rc = range_split(op);
	if (rc)
		return rc;
	spin_lock(&op->res->r_lock);
	ranges_merge(op, &merged);
	spin_unlock(&op->res->r_lock);
	while ((lock = range_covered(op, &merged))) {
		ldlm_flock_end(lock);
		ldlm_lock_put(lock);
	}
	spin_lock(&op->res->r_lock);
	ranges_cut(op);
	if (op->lock)
		op->lock->l_policy.flock = merged;
	spin_unlock(&op->res->r_lock);
	return 0;
}
EXPORT_FOR_KUNIT(ldlm_flock_apply);
