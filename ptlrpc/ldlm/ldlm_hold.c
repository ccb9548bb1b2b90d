// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holding a lock that is in steady use: a client returns it a little later than it is asked to.
 *
 * Clients that write to the same file take turns. Without a hold each turn is one write, as the
 * lock of the next one is asked for as soon as it is granted, and a turn costs a flush, a cancel
 * and an enqueue. So a blocking AST waits while the lock is used again and again, HOLD_MS at most:
 *
 *	AST --> in use, or a moment ago? --no--> handled at once
 *	              | yes
 *	              v
 *	        each jiffy: used since? --no, or HOLD_MS are over--> handled
 *
 * Where clients take turns on purpose, one call each, a hold is only a delay. If the lock was not
 * used in a hold, the next HOLD_SKIP ASTs of the namespace are handled at once.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/workqueue.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/libcfs.h>

#include "ldlm_internal.h"

/* Far below the time after which a server evicts a client. */
#define HOLD_MS		100
#define HOLD_SKIP	16

/**
 * struct ldlm_hold - a blocking AST that waits
 * @lh_work: looks whether the lock is still used
 * @lh_lock: lock, referenced
 * @lh_end: jiffies of its end
 * @lh_paid: the lock was used since
 */
struct ldlm_hold {
	struct delayed_work	lh_work;
	struct ldlm_lock	*lh_lock;
	unsigned long		lh_end;
	bool			lh_paid;
};

/* Return: false: the hold is over */
static bool __hold_goes_on(struct ldlm_hold *hold)
{
	struct ldlm_lock *lock = hold->lh_lock;
	bool used = test_and_clear_bit(LDLM_LF_HELD_USED, &lock->l_flags);

	lockdep_assert_held(ldlm_lock_lock(lock));
	hold->lh_paid |= used;
	return lock->l_state == LOCK_GRANTED && (used || lock->l_users) &&
	       time_before(jiffies, hold->lh_end);
}

static void hold_look(struct work_struct *work)
{
	struct ldlm_hold *hold = container_of(to_delayed_work(work), struct ldlm_hold, lh_work);
	struct ldlm_lock *lock = hold->lh_lock;
	struct ldlm_namespace *ns = ldlm_namespace_get(ldlm_lock_ns(lock));
	bool over;

	spin_lock(ldlm_lock_lock(lock));
	over = !__hold_goes_on(hold);
	if (over) {
		clear_bit(LDLM_LF_HELD, &lock->l_flags);
		ldlm_lock_blocked(lock, 0);
	}
	spin_unlock(ldlm_lock_lock(lock));
	if (over) {
		atomic_set(&ns->ns_hold_skip, hold->lh_paid ? 0 : HOLD_SKIP);
		libcfs_free(hold, sizeof(*hold));
		ldlm_lock_put(lock);
		ldlm_work_end(ns, 1);
	} else {
		queue_delayed_work(ldlm_wq, &hold->lh_work, 1);
	}
	ldlm_namespace_put(ns);
}

/* Whether a lock is used, or was a moment ago, and its owner wants to hold it. */
static bool is_in_use(const struct ldlm_lock *lock)
{
	if (lock->l_state != LOCK_GRANTED || !lock->l_cbs || !lock->l_cbs->lcb_hold ||
	    lockmode_compat(lock->l_granted_mode, LCK_PR))
		return false;
	return lock->l_users || ktime_get_ns() - lock->l_unused_ns < TICK_NSEC;
}

/**
 * ldlm_hold_begin() - a blocking AST came: whether it waits
 * @lock: lock of a client, referenced by the caller
 *
 * Context: under r_lock
 * Return: true: it does, and ldlm_lock_blocked() is called later
 */
bool ldlm_hold_begin(struct ldlm_lock *lock)
{
	struct ldlm_namespace *ns = ldlm_lock_ns(lock);
	struct ldlm_hold *hold;

	lockdep_assert_held(ldlm_lock_lock(lock));
	if (test_bit(LDLM_LF_HELD, &lock->l_flags))
		return true;
	if (!is_in_use(lock) || atomic_dec_if_positive(&ns->ns_hold_skip) >= 0)
		return false;
	hold = libcfs_zalloc(sizeof(*hold), GFP_NOWAIT | __GFP_NOWARN);
	if (!hold)
		return false;
	hold->lh_lock = ldlm_lock_get(lock);
	hold->lh_end = jiffies + msecs_to_jiffies(HOLD_MS);
	INIT_DELAYED_WORK(&hold->lh_work, hold_look);
	set_bit(LDLM_LF_HELD, &lock->l_flags);
	atomic_inc(&ns->ns_busy);
	queue_delayed_work(ldlm_wq, &hold->lh_work, 1);
	return true;
}
