// SPDX-License-Identifier: GPL-2.0
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
 * Everything here is called under r_lock. ASTs to send go into a list, by
 * l_todo_item and with a reference; ldlm_callbacks_send() sends them later.
 */
#include <linux/bits.h>
#include <linux/kernel.h>

#include "ldlm_internal.h"

static bool conflicts(const struct ldlm_lock *a, u32 a_mode,
		      const struct ldlm_lock *b, u32 b_mode)
{
	return ldlm_type_conflicts(a->l_resource->r_type, a_mode, &a->l_policy,
				   b_mode, &b->l_policy);
}

/* Whether @mode conflicts with one of the counted modes. */
static bool counts_in_way(const unsigned int *counts, u32 mode)
{
	unsigned int n;

	for (n = 0; n < LDLM_MODE_COUNT; n++) {
		if (counts[n] && !lockmode_compat(BIT(n), mode))
			return true;
	}
	return false;
}

/* Whether another lock is granted that conflicts with @lock in @mode. */
static bool held_by_others(const struct ldlm_lock *lock, u32 mode)
{
	const struct ldlm_resource *res = lock->l_resource;
	const struct ldlm_lock *holder;

	if (!counts_in_way(res->r_modes, mode))
		return false;
	if (!res->r_type->lt_conflicts)
		return true;
	list_for_each_entry(holder, &res->r_granted, l_res_item) {
		if (conflicts(lock, mode, holder, holder->l_granted_mode))
			return true;
	}
	return false;
}

/* Whether a waiting lock before @lock conflicts with it. */
static bool waiter_in_way(const struct ldlm_lock *lock, u32 mode)
{
	const struct ldlm_lock *waiter;

	list_for_each_entry(waiter, &lock->l_resource->r_waiting, l_res_item) {
		if (waiter == lock)
			break;
		if (conflicts(lock, mode, waiter, waiter->l_req_mode))
			return true;
	}
	return false;
}

/* A new lock comes after all waiting ones. */
static bool others_come_first(const struct ldlm_lock *lock)
{
	const struct ldlm_resource *res = lock->l_resource;
	u32 mode = lock->l_req_mode;

	if (!counts_in_way(res->r_wanted, mode))
		return false;
	return !res->r_type->lt_conflicts || waiter_in_way(lock, mode);
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
	struct ldlm_lock *holder;

	list_for_each_entry(holder, &lock->l_resource->r_granted, l_res_item) {
		if (conflicts(lock, mode, holder, holder->l_granted_mode))
			block_holder(holder, todo);
	}
}

/* Whether @holder blocks a waiting lock. */
static bool is_in_the_way(const struct ldlm_lock *holder)
{
	const struct ldlm_resource *res = holder->l_resource;
	u32 mode = holder->l_granted_mode;

	if (!counts_in_way(res->r_wanted, mode))
		return false;
	return !res->r_type->lt_conflicts || waiter_in_way(holder, mode);
}

/**
 * ldlm_queue_enter() - grant a new lock, or let it wait
 * @lock: lock in LOCK_NEW
 * @flags: LDLM_FL_BLOCK_NOWAIT
 * @todo: out, ASTs
 *
 * Context: under r_lock
 * Return: 0 if it was granted; 1 if it waits; -EWOULDBLOCK if it may not
 */
int ldlm_queue_enter(struct ldlm_lock *lock, u32 flags, struct list_head *todo)
{
	u32 mode = lock->l_req_mode;

	lockdep_assert_held(ldlm_lock_lock(lock));
	if (!held_by_others(lock, mode) && !others_come_first(lock)) {
		ldlm_lock_grant(lock, mode);
		return 0;
	}
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
	list_for_each_entry(lock, &res->r_granted, l_res_item) {
		if (count == max)
			break;
		if (lock->l_granted_mode != mode ||
		    test_bit(LDLM_LF_AST_SENT, &lock->l_flags))
			continue;
		block_holder(lock, todo);
		count++;
	}
	return count;
}

/**
 * ldlm_queue_replayed() - a client replays a granted lock
 * @lock: lock in LOCK_NEW
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
	ldlm_lock_grant(lock, mode);
	return 0;
}

/* Grant it, send a completion AST, and a blocking one if others wait. */
static void grant_waiting(struct ldlm_lock *lock, struct list_head *todo)
{
	ldlm_lock_grant(lock, lock->l_req_mode);
	todo_add(lock, LDLM_LF_SEND_CP, todo);
}

/* Whether the granted locks conflict with all waiting ones. */
static bool none_could(const struct ldlm_resource *res, const unsigned int *passed)
{
	unsigned int n;

	if (res->r_type->lt_conflicts)
		return false;
	for (n = 0; n < LDLM_MODE_COUNT; n++) {
		if (res->r_wanted[n] && !counts_in_way(res->r_modes, BIT(n)) &&
		    !counts_in_way(passed, BIT(n)))
			return false;
	}
	return true;
}

static bool may_pass(const struct ldlm_lock *lock, const unsigned int *passed)
{
	const struct ldlm_resource *res = lock->l_resource;
	u32 mode = lock->l_req_mode;

	if (held_by_others(lock, mode))
		return false;
	if (!counts_in_way(passed, mode))
		return true;
	return res->r_type->lt_conflicts && !waiter_in_way(lock, mode);
}

static void waiting_next(struct ldlm_resource *res, struct list_head *todo)
{
	unsigned int passed[LDLM_MODE_COUNT] = { 0 };
	struct ldlm_lock *lock, *next;

	list_for_each_entry_safe(lock, next, &res->r_waiting, l_res_item) {
		if (none_could(res, passed))
			break;
		/* A lock abandoned by its client is being destroyed. */
		if (lock->l_state != LOCK_WAITING)
			continue;
		if (may_pass(lock, passed))
			grant_waiting(lock, todo);
		else
			passed[ldlm_mode_index(lock->l_req_mode)]++;
	}
}

/* Blocking ASTs to locks granted just now that block waiting ones. */
static void block_the_new(struct list_head *todo, struct list_head *begun)
{
	struct ldlm_lock *lock;
	struct list_head *at;

	for (at = begun->next; at != todo; at = at->next) {
		lock = list_entry(at, struct ldlm_lock, l_todo_item);
		if (test_bit(LDLM_LF_SEND_CP, &lock->l_flags) &&
		    is_in_the_way(lock) &&
		    !test_and_set_bit(LDLM_LF_AST_SENT, &lock->l_flags))
			set_bit(LDLM_LF_SEND_BL, &lock->l_flags);
	}
}

/**
 * ldlm_queue_next() - a lock was removed: grant waiting ones
 * @res: resource
 * @todo: out, ASTs
 *
 * Context: under r_lock
 */
void ldlm_queue_next(struct ldlm_resource *res, struct list_head *todo)
{
	struct list_head *begun = todo->prev;

	lockdep_assert_held(&res->r_lock);
	waiting_next(res, todo);
	block_the_new(todo, begun);
}
