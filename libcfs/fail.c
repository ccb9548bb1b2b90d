// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fault injection.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include <lustre_lite/compat.h>
#define DEBUG_SUBSYSTEM S_LIBCFS
#include <lustre_lite/debug.h>
#include <lustre_lite/fail.h>
#include <lustre_lite/params.h>

#include "libcfs_internal.h"

/* Keeps the key in step with fail_loc. */
static DEFINE_MUTEX(fail_key_lock);

/* On while fail_loc is not 0. */
DEFINE_STATIC_KEY_FALSE(libcfs_fail_key);
EXPORT_SYMBOL_NS_GPL(libcfs_fail_key, LUSTRE_LITE);

/**
 * struct libcfs_fail_state - settings and counts of fault injection
 * @lock: guards all below except @val and @err, which are single words
 * @wait: tasks at a fault point that sleep
 * @loc: fail_loc
 * @val: fail_val
 * @err: fail_err, a positive errno
 * @skipped: passes that SKIP let through
 * @failed: injected faults
 * @set: rises with each write of fail_loc: ends sleeps
 * @met: rises with each pair that met: ends the sleep of the first task
 * @racer: a task sleeps until a second one arrives
 */
static struct libcfs_fail_state {
	spinlock_t		lock;
	wait_queue_head_t	wait;
	u32			loc;
	u32			val;
	u32			err;
	u32			skipped;
	u32			failed;
	u32			set;
	u32			met;
	bool			racer;
} fail = {
	.lock = __SPIN_LOCK_UNLOCKED(fail.lock),
	.wait = __WAIT_QUEUE_HEAD_INITIALIZER(fail.wait),
};

static bool fail_is_here(u32 id)
{
	id &= CFS_FAIL_MASK_LOC;
	return id && (fail.loc & CFS_FAIL_MASK_LOC) == id;
}

/* Whether to fail now, at the point of fail_loc. */
static bool fail_is_now(void)
{
	u32 val = READ_ONCE(fail.val);

	lockdep_assert_held(&fail.lock);
	if ((fail.loc & CFS_FAIL_ONCE) && (fail.loc & CFS_FAILED))
		return false;
	if ((fail.loc & CFS_FAIL_RAND) && (!val || get_random_u32() % val))
		return false;
	if ((fail.loc & CFS_FAIL_SKIP) && fail.skipped < val) {
		fail.skipped++;
		return false;
	}
	if ((fail.loc & CFS_FAIL_SOME) && fail.failed >= val)
		return false;
	fail.failed++;
	WRITE_ONCE(fail.loc, fail.loc | CFS_FAILED);
	return true;
}

/* @set tells a sleeper whether fail_loc was written meanwhile. */
static bool fail_hit(u32 id, const u32 *value, u32 *set)
{
	unsigned long flags;
	bool hit;

	spin_lock_irqsave(&fail.lock, flags);
	hit = fail_is_here(id) && (!value || *value == READ_ONCE(fail.val)) &&
	      fail_is_now();
	*set = fail.set;
	spin_unlock_irqrestore(&fail.lock, flags);
	if (hit)
		CWARN("fail_loc 0x%x: fault injected\n", id);
	return hit;
}

/* libcfs_fail_check() while fail_loc is set. */
bool __libcfs_fail_check(u32 id)
{
	u32 set;

	return fail_hit(id, NULL, &set);
}
EXPORT_SYMBOL_NS_GPL(__libcfs_fail_check, LUSTRE_LITE);

/* libcfs_fail_check_value() while fail_loc is set. */
bool __libcfs_fail_check_value(u32 id, u32 value)
{
	u32 set;

	return fail_hit(id, &value, &set);
}
EXPORT_FOR_KUNIT(__libcfs_fail_check_value);

static bool fail_was_set(u32 set)
{
	return READ_ONCE(fail.set) != set;
}

/* libcfs_fail_timeout() while fail_loc is set. */
bool __libcfs_fail_timeout(u32 id, unsigned int ms)
{
	u32 set;

	if (!fail_hit(id, NULL, &set))
		return false;
	ms = min_t(unsigned int, ms, CFS_FAIL_TIMEOUT_MAX_MS);
	wait_event_interruptible_timeout(fail.wait, fail_was_set(set),
					 msecs_to_jiffies(ms));
	return true;
}
EXPORT_SYMBOL_NS_GPL(__libcfs_fail_timeout, LUSTRE_LITE);

/*
 * Return: true if the caller is the first to arrive and must sleep; the second
 *  one wakes it.
 */
static bool race_enter(u32 id, u32 *set, u32 *met)
{
	bool second, sleep = false;

	spin_lock_irq(&fail.lock);
	second = fail_is_here(id) && fail.racer;
	if (second) {
		fail.racer = false;
		WRITE_ONCE(fail.met, fail.met + 1);
	} else if (fail_is_here(id) && fail_is_now()) {
		fail.racer = true;
		sleep = true;
	}
	*set = fail.set;
	*met = fail.met;
	spin_unlock_irq(&fail.lock);
	if (second)
		wake_up_all(&fail.wait);
	return sleep;
}

/* The first task gives up waiting. */
static void race_leave(u32 set, u32 met)
{
	spin_lock_irq(&fail.lock);
	if (fail.set == set && fail.met == met)
		fail.racer = false;
	spin_unlock_irq(&fail.lock);
}

/*
 * libcfs_fail_race() while fail_loc is set; sleeps at most
 * CFS_FAIL_TIMEOUT_MAX_MS.
 */
void __libcfs_fail_race(u32 id)
{
	u32 set, met;

	if (!race_enter(id, &set, &met))
		return;
	CWARN("fail_loc 0x%x: waiting for a second task\n", id);
	wait_event_interruptible_timeout(fail.wait,
					 fail_was_set(set) ||
					 READ_ONCE(fail.met) != met,
					 msecs_to_jiffies(CFS_FAIL_TIMEOUT_MAX_MS));
	race_leave(set, met);
}
EXPORT_FOR_KUNIT(__libcfs_fail_race);

/**
 * libcfs_fail_err() - the error to inject
 * @rc: negative errno for fail_err 0
 *
 * Context: any
 * Return: negative errno
 */
int libcfs_fail_err(int rc)
{
	u32 err = READ_ONCE(fail.err);

	return err ? -(int)err : rc;
}
EXPORT_SYMBOL_NS_GPL(libcfs_fail_err, LUSTRE_LITE);

static int fail_loc_get(void *data, u64 *val)
{
	*val = READ_ONCE(fail.loc);
	return 0;
}

static int fail_loc_set(void *data, u64 val)
{
	mutex_lock(&fail_key_lock);
	spin_lock_irq(&fail.lock);
	WRITE_ONCE(fail.loc, val);
	fail.skipped = 0;
	fail.failed = 0;
	fail.racer = false;
	WRITE_ONCE(fail.set, fail.set + 1);
	spin_unlock_irq(&fail.lock);
	wake_up_all(&fail.wait);
	if (val)
		static_branch_enable(&libcfs_fail_key);
	else
		static_branch_disable(&libcfs_fail_key);
	mutex_unlock(&fail_key_lock);
	return 0;
}

static int fail_word_get(void *data, u64 *val)
{
	*val = READ_ONCE(*(u32 *)data);
	return 0;
}

static int fail_word_set(void *data, u64 val)
{
	WRITE_ONCE(*(u32 *)data, val);
	return 0;
}

static const struct lustre_params_attr fail_loc_attr[] = {
	LP_U32_RW("fail_loc", fail_loc_get, fail_loc_set, .hex = 1,
		  .not_setting = 1, LP_DEF(0),
		  .doc = "fault point to trigger; ONCE 0x80000000 SKIP 0x20000000 SOME 0x10000000"),
};

static const struct lustre_params_attr fail_val_attr[] = {
	LP_U32_RW("fail_val", fail_word_get, fail_word_set,
		  .not_setting = 1, LP_DEF(0),
		  .doc = "number of times, or value to fail for, depending on fail_loc"),
};

static const struct lustre_params_attr fail_err_attr[] = {
	LP_U32_RW("fail_err", fail_word_get, fail_word_set, .max = MAX_ERRNO,
		  .not_setting = 1, LP_DEF(0),
		  .doc = "errno to inject, 0 for the default"),
};

/**
 * libcfs_fail_params_add() - add fail_loc, fail_val and fail_err
 * @add: params_add_attrs()
 *
 * Context: may sleep
 * Return: 0 or a negative errno; entries already added stay
 */
int libcfs_fail_params_add(libcfs_add_attrs_t *add)
{
	int rc;

	rc = add(NULL, fail_loc_attr, 1, NULL);
	if (!rc)
		rc = add(NULL, fail_val_attr, 1, &fail.val);
	if (!rc)
		rc = add(NULL, fail_err_attr, 1, &fail.err);
	return rc;
}
