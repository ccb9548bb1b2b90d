// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client's cache of unused locks: up to lru_size of them, or as many as the size of memory
 * suggests; up to lru_max_age; and while memory allows.
 */
#define DEBUG_SUBSYSTEM S_LDLM
#define LUSTRE_LITE_SHRINKER

#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/mm.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

static struct compat_shrinker lru_shrinker;

/* The part of all memory that unused locks and their resources fill without a limit: 1/32. */
#define LRU_MEMORY_PART	32

/* Most unused locks of a client whose lru_size is 0. */
unsigned int ldlm_lru_auto = LDLM_LRU_AUTO_MIN;
EXPORT_FOR_KUNIT(ldlm_lru_auto);

/**
 * ldlm_lru_auto_set() - clients share the memory for unused locks
 * @clients: their number
 *
 * Context: any; calls do not overlap
 */
void ldlm_lru_auto_set(unsigned int clients)
{
	u64 bytes = (u64)totalram_pages() * PAGE_SIZE / LRU_MEMORY_PART;

	bytes = div_u64(bytes, max(clients, 1U) * (sizeof(struct ldlm_lock) +
						   sizeof(struct ldlm_resource)));
	WRITE_ONCE(ldlm_lru_auto, clamp_t(u64, bytes, LDLM_LRU_AUTO_MIN,
					  LDLM_LRU_AUTO_MAX));
}
EXPORT_FOR_KUNIT(ldlm_lru_auto_set);

static u32 lru_limit(const struct ldlm_namespace *ns)
{
	return READ_ONCE(ns->ns_lru_size) ?: READ_ONCE(ldlm_lru_auto);
}

/**
 * ldlm_lru_add() - cache an unused lock
 * @lock: granted lock of a client
 *
 * Context: under r_lock
 */
void ldlm_lru_add(struct ldlm_lock *lock)
{
	struct ldlm_namespace *ns = ldlm_lock_ns(lock);

	lockdep_assert_held(ldlm_lock_lock(lock));
	spin_lock(&ns->ns_lock);
	lock->l_unused_ns = ktime_get_ns();
	if (list_empty(&lock->l_lru_item)) {
		list_add_tail(&lock->l_lru_item, &ns->ns_lru);
		ns->ns_unused++;
	}
	if (ns->ns_unused > lru_limit(ns))
		__ldlm_namespace_work(ns, 0, true);
	else
		__ldlm_namespace_work(ns,
				      nsecs_to_jiffies(READ_ONCE(ns->ns_lru_age)) +
				      1, false);
	spin_unlock(&ns->ns_lock);
}

/**
 * ldlm_lru_del() - remove a lock that is used again or destroyed
 * @lock: lock
 *
 * Context: under r_lock
 */
void ldlm_lru_del(struct ldlm_lock *lock)
{
	struct ldlm_namespace *ns = ldlm_lock_ns(lock);

	lockdep_assert_held(ldlm_lock_lock(lock));
	spin_lock(&ns->ns_lock);
	if (!list_empty(&lock->l_lru_item)) {
		list_del_init(&lock->l_lru_item);
		ns->ns_unused--;
	}
	spin_unlock(&ns->ns_lock);
}

/* The least recently used lock, referenced; NULL if none is old enough. */
static struct ldlm_lock *lru_oldest(struct ldlm_namespace *ns,
				    u64 unused_before)
{
	struct ldlm_lock *lock;

	spin_lock(&ns->ns_lock);
	lock = list_first_entry_or_null(&ns->ns_lru, struct ldlm_lock,
					l_lru_item);
	if (lock && lock->l_unused_ns <= unused_before)
		ldlm_lock_get(lock);
	else
		lock = NULL;
	spin_unlock(&ns->ns_lock);
	return lock;
}

static bool lru_cancel_begin(struct ldlm_lock *lock)
{
	bool begun;

	spin_lock(ldlm_lock_lock(lock));
	begun = !lock->l_users && lock->l_state == LOCK_GRANTED &&
		ldlm_cancel_begin(lock);
	spin_unlock(ldlm_lock_lock(lock));
	return begun;
}

/**
 * ldlm_lru_take() - take unused locks, the oldest first
 * @ns: namespace of a client
 * @max: most locks to take
 * @unused_before: ktime_get_ns(); locks used later stay
 * @locks: out, locks in LOCK_CANCELLING by l_todo_item, each referenced
 *
 * Context: any but an interrupt
 * Return: how many
 */
unsigned int ldlm_lru_take(struct ldlm_namespace *ns, unsigned int max,
			   u64 unused_before, struct list_head *locks)
{
	unsigned int count = 0;
	struct ldlm_lock *lock;

	while (count < max && (lock = lru_oldest(ns, unused_before))) {
		if (lru_cancel_begin(lock)) {
			list_add_tail(&lock->l_todo_item, locks);
			count++;
		} else {
			ldlm_lock_put(lock);
		}
	}
	return count;
}
EXPORT_FOR_KUNIT(ldlm_lru_take);

/**
 * ldlm_lru_cancel() - cancel unused locks, the oldest first
 * @ns: namespace of a client
 * @max: most locks to cancel
 * @unused_before: as ldlm_lru_take()
 * @bounded: as ldlm_cancel_send()
 *
 * Context: sleeps as the owners do
 * Return: how many
 */
unsigned int ldlm_lru_cancel(struct ldlm_namespace *ns, unsigned int max,
			     u64 unused_before, bool bounded)
{
	unsigned int total = 0, count;
	struct ldlm_lock *lock;
	LIST_HEAD(locks);

	do {
		count = ldlm_lru_take(ns, min_t(unsigned int, max - total,
						LDLM_CANCEL_BATCH),
				      unused_before, &locks);
		list_for_each_entry(lock, &locks, l_todo_item)
			ldlm_cancel_notify(lock);
		ldlm_cancel_send(&locks, count, bounded);
		total += count;
	} while (count && total < max);
	return total;
}
EXPORT_FOR_KUNIT(ldlm_lru_cancel);

/* As ldlm_lru_cancel(), but does not wait for the owners. */
static unsigned int lru_cancel_start(struct ldlm_namespace *ns, unsigned int max,
				     u64 unused_before)
{
	unsigned int count;
	struct ldlm_lock *lock, *next;
	LIST_HEAD(locks);

	count = ldlm_lru_take(ns, max, unused_before, &locks);
	list_for_each_entry_safe(lock, next, &locks, l_todo_item) {
		list_del_init(&lock->l_todo_item);
		ldlm_cancel_start(lock);
		ldlm_lock_put(lock);
	}
	return count;
}

/* Locks beyond the limit, and locks to cancel for the shrinker. */
static unsigned int lru_excess(struct ldlm_namespace *ns)
{
	unsigned int excess = atomic_xchg(&ns->ns_shrink, 0);
	u32 limit = lru_limit(ns);

	spin_lock(&ns->ns_lock);
	if (ns->ns_unused > limit)
		excess = max_t(unsigned int, excess, ns->ns_unused - limit);
	spin_unlock(&ns->ns_lock);
	return excess;
}

/**
 * ldlm_lru_shorten() - cancel unused locks beyond the limits of number and age
 * @ns: namespace of a client
 *
 * The locks leave the cache at once; works notify their owners.
 *
 * Context: any but an interrupt
 * Return: how many
 */
unsigned int ldlm_lru_shorten(struct ldlm_namespace *ns)
{
	u64 age = READ_ONCE(ns->ns_lru_age), now = ktime_get_ns();
	unsigned int excess = lru_excess(ns), count = 0;

	if (excess)
		count = lru_cancel_start(ns, excess, U64_MAX);
	if (now > age)
		count += lru_cancel_start(ns, UINT_MAX, now - age);
	return count;
}
EXPORT_FOR_KUNIT(ldlm_lru_shorten);

/* Run again when the oldest lock reaches the age limit. */
static void lru_work_again(struct ldlm_namespace *ns)
{
	u64 age = READ_ONCE(ns->ns_lru_age), now = ktime_get_ns(), left = 0;
	const struct ldlm_lock *lock;

	spin_lock(&ns->ns_lock);
	lock = list_first_entry_or_null(&ns->ns_lru, struct ldlm_lock,
					l_lru_item);
	if (lock && lock->l_unused_ns + age > now)
		left = lock->l_unused_ns + age - now;
	if (lock)
		__ldlm_namespace_work(ns, nsecs_to_jiffies(left) + 1, false);
	spin_unlock(&ns->ns_lock);
}

/**
 * ldlm_lru_work() - cancel unused locks beyond the limits, and schedule the
 * next run
 * @work: ns_work of a client
 *
 * Context: process
 */
void ldlm_lru_work(struct work_struct *work)
{
	struct ldlm_namespace *ns = container_of(to_delayed_work(work),
						 struct ldlm_namespace,
						 ns_work);

	ptlrpc_test_at(PTP_LRU_WORK, ns);
	ldlm_lru_shorten(ns);
	lru_work_again(ns);
}

/* Unused locks that the shrinker has not chosen yet. */
static unsigned int lru_idle(struct ldlm_namespace *ns)
{
	unsigned int unused = READ_ONCE(ns->ns_unused);

	return unused - min_t(unsigned int, unused, atomic_read(&ns->ns_shrink));
}

static unsigned long lru_count(struct shrinker *shrinker,
			       struct shrink_control *sc)
{
	struct ldlm_namespace *ns = NULL;
	unsigned long count = 0;

	while ((ns = ldlm_namespace_next(ns)))
		count += lru_idle(ns);
	return count ?: SHRINK_EMPTY;
}

/*
 * Return: how many of at most @left unused locks of a namespace will be
 *  cancelled.
 */
static unsigned int lru_shrink_one(struct ldlm_namespace *ns, unsigned long left)
{
	unsigned int count;

	spin_lock(&ns->ns_lock);
	count = ns->ns_dead ? 0 : min_t(unsigned long, lru_idle(ns), left);
	if (count) {
		atomic_add(count, &ns->ns_shrink);
		__ldlm_namespace_work(ns, 0, true);
	}
	spin_unlock(&ns->ns_lock);
	return count;
}

/**
 * ldlm_lru_shrink() - memory is short: cancel unused locks
 * @want: how many, of all namespaces
 *
 * The caller may hold any lock, so this only records how many locks to cancel, besides
 * those of earlier calls; the work of each namespace cancels them.
 *
 * Context: any but an interrupt; does not sleep
 * Return: how many will be cancelled; SHRINK_STOP: none, or the caller would ask for the rest again
 */
unsigned long ldlm_lru_shrink(unsigned long want)
{
	struct ldlm_namespace *ns = NULL;
	unsigned long left = want;

	while ((ns = ldlm_namespace_next(ns))) {
		ptlrpc_test_at(PTP_LRU_SCAN, ns);
		left -= lru_shrink_one(ns, left);
	}
	return want - left ?: SHRINK_STOP;
}
EXPORT_FOR_KUNIT(ldlm_lru_shrink);

static unsigned long lru_scan(struct shrinker *shrinker,
			      struct shrink_control *sc)
{
	return ldlm_lru_shrink(sc->nr_to_scan);
}

/* Register the shrinker. */
int ldlm_lru_init(void)
{
	return compat_shrinker_start(&lru_shrinker, "lustre-lite-ldlm", lru_count,
				     lru_scan);
}

/* Unregister it. */
void ldlm_lru_exit(void)
{
	compat_shrinker_stop(&lru_shrinker);
}
