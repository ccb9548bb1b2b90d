// SPDX-License-Identifier: GPL-2.0-only
/*
 * The queue of a resource at the server: grants, blocking ASTs to the holders,
 * and the order of the waiting locks.
 *
 * First come, first served: a new lock that conflicts with an older waiting one
 * waits, even if the resource is free for it; a lock without conflicts is
 * granted at once.
 *
 * Each holder gets one blocking AST. A lock that starts to wait sends it to the
 * current holders. A lock granted later that blocks waiting ones gets it at
 * once.
 *
 * A lock of the server itself may be for a request of a client (l_for). Locks of that client do
 * not conflict with it. If the client has one of that part, it does not wait for older locks
 * either: they may wait for the client's lock, which is used until the request has ended.
 * The client's next locks wait for it, as all others do.
 *
 * The EXTENT locks of one client do not conflict with each other if the device says so (lvbo_own).
 *
 * A stopping server grants nothing: it drops its clients' locks one after the other, and does not
 * notify the clients, which still have them and replay them when it starts again.
 *
 * Everything here is called under r_lock. ASTs to send go into a list, by
 * l_todo_item and with a reference; ldlm_callbacks_send() sends them later.
 */
#include <linux/bits.h>
#include <linux/export.h>
#include <linux/kernel.h>

#include <lustre_lite/compat.h>

#include "ldlm_internal.h"

/* The client whose locks do not conflict with @lock, or NULL. */
static const struct obd_export *client_of(const struct ldlm_lock *lock)
{
	const struct ldlm_resource *res = lock->l_resource;
	const struct ldlm_lvb_ops *ops = res->r_ns->ns_lvb;

	if (res->r_type == LDLM_EXTENT && ops && ops->lvbo_own)
		return lock->l_export;
	return lock->l_for;
}

/* Whether @other is of the client that @lock is for, and does not conflict with it. */
static bool is_for(const struct ldlm_lock *lock, const struct ldlm_lock *other)
{
	const struct obd_export *exp = client_of(lock);

	return exp && other->l_export == exp;
}

/* Whether a lock of @set conflicts with @lock in @mode. */
static bool conflicts(struct ldlm_set *set, const struct ldlm_lock *lock, u32 mode)
{
	const u32 type = lock->l_resource->r_type;
	const u32 modes = ldlm_modes_conflicting(mode);
	struct ldlm_lock *other = NULL;

	if (!ldlm_set_conflicts(set, type, mode, &lock->l_policy))
		return false;
	if (!client_of(lock))
		return true;
	while ((other = ldlm_set_next(set, type, modes, &lock->l_policy, other))) {
		if (!is_for(lock, other))
			return true;
	}
	return false;
}

/* Whether a granted lock conflicts with @lock in @mode. */
static bool held_by_others(const struct ldlm_lock *lock, u32 mode)
{
	return conflicts(&lock->l_resource->r_granted, lock, mode);
}

/* Whether a waiting lock conflicts with @lock in @mode. */
static bool wanted_by_others(const struct ldlm_lock *lock, u32 mode)
{
	return conflicts(&lock->l_resource->r_waiting, lock, mode);
}

/* Whether the client that @lock is for has a lock of that part, in any mode. */
static bool held_for(const struct ldlm_lock *lock)
{
	struct ldlm_resource *res = lock->l_resource;
	struct ldlm_lock *other = NULL;

	if (!lock->l_for)
		return false;
	while ((other = ldlm_set_next(&res->r_granted, res->r_type, ~0U, &lock->l_policy,
				      other))) {
		if (is_for(lock, other))
			return true;
	}
	return false;
}

static void todo_add(struct ldlm_lock *lock, unsigned int what,
		     struct list_head *todo)
{
	set_bit(what, &lock->l_flags);
	if (!list_empty(&lock->l_todo_item))
		return;
	ldlm_lock_get(lock);
	list_add_tail(&lock->l_todo_item, todo);
}

static void block_holder(struct ldlm_lock *holder, struct list_head *todo)
{
	if (!test_and_set_bit(LDLM_LF_AST_SENT, &holder->l_flags))
		todo_add(holder, LDLM_LF_SEND_BL, todo);
}

/* Blocking ASTs to all holders that conflict with @lock in @mode. */
static void block_holders(struct ldlm_lock *lock, u32 mode, struct list_head *todo)
{
	struct ldlm_resource *res = lock->l_resource;
	u32 modes = ldlm_modes_conflicting(mode);
	struct ldlm_lock *holder = NULL;

	while ((holder = ldlm_set_next(&res->r_granted, res->r_type, modes,
				       &lock->l_policy, holder))) {
		if (!is_for(lock, holder))
			block_holder(holder, todo);
	}
}

/* The optional bits that are free are granted, the others are not. */
static void choose_bits(const struct ldlm_lock *lock, u32 mode,
			struct ldlm_ibits *ibits)
{
	const struct ldlm_resource *res = lock->l_resource;
	unsigned long try = ibits->try_bits & ~ibits->bits;
	unsigned int bit;

	for_each_set_bit(bit, &try, LDLM_IBITS_COUNT) {
		if (!ldlm_bits_conflict(res->r_granted.lset_bits, mode, BIT(bit)) &&
		    !ldlm_bits_conflict(res->r_waiting.lset_bits, mode, BIT(bit)))
			ibits->bits |= BIT(bit);
	}
	ibits->try_bits = 0;
}

/*
 * Grant a lock that no granted lock conflicts with, and which is in no set.
 * Return: 0; -EWOULDBLOCK if all of its bits were optional and none is free
 */
static int grant(struct ldlm_lock *lock, u32 mode)
{
	struct ldlm_resource *res = lock->l_resource;
	struct ldlm_policy granted = lock->l_policy;

	if (res->r_type == LDLM_IBITS) {
		choose_bits(lock, mode, &granted.ibits);
		if (!granted.ibits.bits)
			return -EWOULDBLOCK;
	} else if (res->r_type == LDLM_EXTENT &&
		   !test_bit(LDLM_LF_EXACT, &lock->l_flags)) {
		ldlm_extent_widen(res, mode, &granted.extent);
	}
	ldlm_lock_grant(lock, mode, &granted);
	return 0;
}

/**
 * ldlm_queue_enter() - grant a new lock, or let it wait
 * @lock: lock in LOCK_NEW
 * @flags: LDLM_FL_BLOCK_NOWAIT
 * @todo: out, ASTs
 *
 * Context: under r_lock
 * Return: 0 if it was granted; 1 if it waits; -EWOULDBLOCK if it may not, or if
 *  it has only optional bits, none of which is free; -ESHUTDOWN if the server stops
 */
int ldlm_queue_enter(struct ldlm_lock *lock, u32 flags, struct list_head *todo)
{
	u32 mode = lock->l_req_mode;

	lockdep_assert_held(ldlm_lock_lock(lock));
	if (ldlm_is_stopping(ldlm_lock_ns(lock)))
		return -ESHUTDOWN;
	if (!held_by_others(lock, mode) &&
	    (!wanted_by_others(lock, mode) || held_for(lock)))
		return grant(lock, mode);
	if (flags & LDLM_FL_BLOCK_NOWAIT)
		return -EWOULDBLOCK;
	ldlm_lock_wait(lock);
	block_holders(lock, mode, todo);
	return 1;
}

/**
 * ldlm_queue_revoke() - revoke locks that no lock conflicts with
 * @res: resource
 * @mode: mode of these locks
 * @max: most of those without a blocking AST, the oldest first
 * @todo: out, ASTs
 *
 * Context: under r_lock
 * Return: number of blocking ASTs
 */
unsigned int ldlm_queue_revoke(struct ldlm_resource *res, u32 mode,
			       unsigned int max, struct list_head *todo)
{
	struct ldlm_lock *lock;
	unsigned int count = 0;

	lockdep_assert_held(&res->r_lock);
	list_for_each_entry(lock, &res->r_granted.lset_locks, l_res_item) {
		if (count == max)
			break;
		if (lock->l_granted_mode != mode || !lock->l_export ||
		    test_bit(LDLM_LF_AST_SENT, &lock->l_flags))
			continue;
		block_holder(lock, todo);
		count++;
	}
	return count;
}

/**
 * ldlm_queue_replayed() - a client replays a granted lock
 * @lock: lock in LOCK_NEW, with the policy it had
 * @mode: mode it had
 *
 * Context: under r_lock
 * Return: 0; -ESTALE if another client has a conflicting lock: the client was
 *  evicted and does not know
 */
int ldlm_queue_replayed(struct ldlm_lock *lock, u32 mode)
{
	lockdep_assert_held(ldlm_lock_lock(lock));
	if (held_by_others(lock, mode))
		return -ESTALE;
	ldlm_lock_grant(lock, mode, NULL);
	return 0;
}

/*
 * Grant it, send a completion AST, and a blocking one if others wait. It leaves the
 * waiting locks first, so that it does not conflict with itself.
 */
static void grant_waiting(struct ldlm_lock *lock, struct list_head *todo)
{
	ldlm_set_del(&lock->l_resource->r_waiting, lock);
	/* It has a bit that was not free: this cannot fail. */
	WARN_ON_ONCE(grant(lock, lock->l_req_mode));
	todo_add(lock, LDLM_LF_SEND_CP, todo);
}

/* Whether locks of a mode on a bit conflict with a granted or an earlier lock. */
static bool bit_is_blocked(const struct ldlm_resource *res,
			   const struct ldlm_bit_counts *passed,
			   unsigned int bit, unsigned int mode)
{
	unsigned long modes = ldlm_modes_conflicting(BIT(mode));
	unsigned int n;

	for_each_set_bit(n, &modes, LDLM_MODE_COUNT) {
		if (ldlm_set_bit_count(&res->r_granted, bit, n) ||
		    passed->lbc_count[bit][n])
			return true;
	}
	return false;
}

/* Whether the granted and the earlier locks conflict with all waiting ones. */
static bool none_could(const struct ldlm_resource *res,
		       const struct ldlm_bit_counts *passed)
{
	unsigned int bit, n;

	for (bit = 0; bit < LDLM_IBITS_COUNT; bit++) {
		for (n = 0; n < LDLM_MODE_COUNT; n++) {
			if (ldlm_set_bit_count(&res->r_waiting, bit, n) &&
			    !bit_is_blocked(res, passed, bit, n))
				return false;
		}
	}
	return true;
}

/* Whether a lock that waits longer conflicts with @lock, and comes first. */
static bool older_comes_first(const struct ldlm_lock *lock)
{
	struct ldlm_resource *res = lock->l_resource;
	u32 modes = ldlm_modes_conflicting(lock->l_req_mode);
	struct ldlm_lock *other = NULL;

	while ((other = ldlm_set_next(&res->r_waiting, res->r_type, modes,
				      &lock->l_policy, other))) {
		if (other->l_order < lock->l_order && !is_for(lock, other))
			return !held_for(lock);
	}
	return false;
}

/* PLAIN and IBITS: @passed counts the locks that wait longer. */
static bool bits_come_first(const struct ldlm_lock *lock,
			    const struct ldlm_bit_counts *passed)
{
	if (!ldlm_bits_conflict(passed, lock->l_req_mode,
				ldlm_policy_bits(lock->l_resource->r_type,
						 &lock->l_policy)))
		return false;
	return !lock->l_for || older_comes_first(lock);
}

/* PLAIN and IBITS: one walk over the waiting locks, in their order. */
static void bits_next(struct ldlm_resource *res, struct list_head *todo)
{
	struct ldlm_bit_counts passed = {};
	struct ldlm_lock *lock, *next;

	list_for_each_entry_safe(lock, next, &res->r_waiting.lset_locks, l_res_item) {
		if (!res->r_waiting.lset_for && none_could(res, &passed))
			break;
		if (!held_by_others(lock, lock->l_req_mode) &&
		    !bits_come_first(lock, &passed))
			grant_waiting(lock, todo);
		else
			ldlm_bits_count(&passed, lock, 1);
	}
}

/*
 * EXTENT: only locks that conflicted with the one that is gone can be granted now. The
 * order in which they are visited does not matter: of two that conflict with each
 * other, the younger one waits for the older one, whether that still waits or was
 * granted.
 */
static void extents_next(const struct ldlm_lock *gone, struct list_head *todo)
{
	struct ldlm_resource *res = gone->l_resource;
	u32 modes = ldlm_modes_conflicting(gone->l_req_mode);
	struct ldlm_lock *lock, *next;

	lock = ldlm_set_next(&res->r_waiting, res->r_type, modes,
			     &gone->l_policy, NULL);
	for (; lock; lock = next) {
		next = ldlm_set_next(&res->r_waiting, res->r_type, modes,
				     &gone->l_policy, lock);
		if (!held_by_others(lock, lock->l_req_mode) &&
		    !older_comes_first(lock))
			grant_waiting(lock, todo);
	}
}

/* Whether a waiting lock conflicts with a lock of a client that was granted just now. */
static bool blocks_others(const struct ldlm_lock *lock)
{
	struct ldlm_resource *res = lock->l_resource;
	u32 modes = ldlm_modes_conflicting(lock->l_granted_mode);
	struct ldlm_lock *other = NULL;

	/* Most of the time this is not a walk. */
	if (!res->r_waiting.lset_for)
		return wanted_by_others(lock, lock->l_granted_mode);
	while ((other = ldlm_set_next(&res->r_waiting, res->r_type, modes,
				      &lock->l_policy, other))) {
		if (!is_for(other, lock))
			return true;
	}
	return false;
}

/* Blocking ASTs to locks granted just now that block waiting ones. */
static void block_the_new(struct list_head *todo, struct list_head *begun)
{
	struct ldlm_lock *lock;
	struct list_head *at;

	for (at = begun->next; at != todo; at = at->next) {
		lock = list_entry(at, struct ldlm_lock, l_todo_item);
		if (test_bit(LDLM_LF_SEND_CP, &lock->l_flags) &&
		    blocks_others(lock) &&
		    !test_and_set_bit(LDLM_LF_AST_SENT, &lock->l_flags))
			set_bit(LDLM_LF_SEND_BL, &lock->l_flags);
	}
}

/**
 * ldlm_queue_next() - a lock was removed: grant waiting ones
 * @gone: lock that was granted or waited, and is in no set
 * @todo: out, ASTs
 *
 * Context: under r_lock
 */
void ldlm_queue_next(const struct ldlm_lock *gone, struct list_head *todo)
{
	struct ldlm_resource *res = gone->l_resource;
	struct list_head *begun = todo->prev;

	lockdep_assert_held(&res->r_lock);
	if (ldlm_is_stopping(res->r_ns))
		return;
	if (res->r_type == LDLM_EXTENT)
		extents_next(gone, todo);
	else
		bits_next(res, todo);
	block_the_new(todo, begun);
}

/**
 * ldlm_queue_converted() - a granted IBITS lock has lost bits: grant waiting ones
 * @lock: lock, with the bits that are left
 * @todo: out, ASTs; one to @lock if others wait for what is left
 *
 * Context: under r_lock
 */
void ldlm_queue_converted(struct ldlm_lock *lock, struct list_head *todo)
{
	struct list_head *begun = todo->prev;

	lockdep_assert_held(ldlm_lock_lock(lock));
	if (ldlm_is_stopping(ldlm_lock_ns(lock)))
		return;
	clear_bit(LDLM_LF_AST_SENT, &lock->l_flags);
	bits_next(lock->l_resource, todo);
	block_the_new(todo, begun);
	if (blocks_others(lock))
		block_holder(lock, todo);
}

/**
 * ldlm_queue_wanted() - the bits of a granted IBITS lock that others wait for
 * @lock: lock
 *
 * Context: under r_lock
 * Return: bits; 0 if none does
 */
u64 ldlm_queue_wanted(const struct ldlm_lock *lock)
{
	struct ldlm_resource *res = lock->l_resource;
	u32 modes = ldlm_modes_conflicting(lock->l_granted_mode);
	struct ldlm_lock *other = NULL;
	u64 wanted = 0;

	lockdep_assert_held(&res->r_lock);
	while ((other = ldlm_set_next(&res->r_waiting, res->r_type, modes, &lock->l_policy,
				      other))) {
		if (!is_for(other, lock))
			wanted |= other->l_policy.ibits.bits;
	}
	return wanted & lock->l_policy.ibits.bits;
}
EXPORT_FOR_KUNIT(ldlm_queue_wanted);
