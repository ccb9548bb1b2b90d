// SPDX-License-Identifier: GPL-2.0-only
/*
 * Active reference: one counter whose high bits refuse users.
 *
 * It has no wait queue, so that an object that is hardly ever waited for pays
 * four bytes: drainers sleep on the kernel's shared queues, by the address of
 * the counter.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/wait_bit.h>

#include <lustre_lite/active.h>

/* A drainer logs what it waits for after a while, and then repeatedly. */
#define ACTIVE_REPORT_FIRST	(2 * HZ)
#define ACTIVE_REPORT_PERIOD	(10 * HZ)
#define ACTIVE_NAME_LEN		256

#ifdef CONFIG_DEBUG_LOCK_ALLOC
#define active_map(a)	(&(a)->a_map)
#else
#define active_map(a)	((struct lockdep_map *)NULL)
#endif

/**
 * __libcfs_active_init() - start CLOSED; libcfs_active_init() provides a
 * lockdep class for each call site
 * @a: the gate
 * @name: name of the lockdep class
 * @key: lockdep class
 *
 * Context: any
 */
void __libcfs_active_init(struct libcfs_active *a, const char *name,
			  struct lock_class_key *key)
{
	atomic_set(&a->a_count, LIBCFS_ACTIVE_CLOSED);
	lockdep_init_map(active_map(a), name, key, 0);
}
EXPORT_SYMBOL_NS_GPL(__libcfs_active_init, LUSTRE_LITE);

/**
 * libcfs_active_get() - start one use, unless CLOSED or DEAD
 * @a: gate of an object on which the caller holds a reference
 *
 * A user sees all writes before libcfs_active_open().
 *
 * Context: any
 * Return: true on success; the caller then calls libcfs_active_put(), from the
 *  same task
 */
bool libcfs_active_get(struct libcfs_active *a)
{
	int old = atomic_read(&a->a_count);

	do {
		/*
		 * At the limit the gate is closed: one more user would set the
		 * CLOSED bit.
		 */
		if (unlikely(old >= LIBCFS_ACTIVE_USERS))
			return false;
	} while (!atomic_try_cmpxchg(&a->a_count, &old, old + 1));
	rwsem_acquire_read(active_map(a), 0, 1, _RET_IP_);
	return true;
}
EXPORT_SYMBOL_NS_GPL(libcfs_active_get, LUSTRE_LITE);

/**
 * libcfs_active_put() - end one use
 * @a: the gate; the caller still holds its reference on the object, so the
 *  woken task cannot have freed it
 *
 * The decrement is the last access to @a: the wakeup needs the address only.
 *
 * Context: any
 */
void libcfs_active_put(struct libcfs_active *a)
{
	int left;

	rwsem_release(active_map(a), _RET_IP_);
	left = atomic_dec_return(&a->a_count);
	if (unlikely(left >= LIBCFS_ACTIVE_DEAD && !(left & LIBCFS_ACTIVE_USERS)))
		wake_up_var(&a->a_count);
}
EXPORT_SYMBOL_NS_GPL(libcfs_active_put, LUSTRE_LITE);

/**
 * libcfs_active_open() - admit users
 * @a: initialized gate
 *
 * Context: any
 * Return: true if it is open now, false if it was killed before
 */
bool libcfs_active_open(struct libcfs_active *a)
{
	int old = atomic_cmpxchg(&a->a_count, LIBCFS_ACTIVE_CLOSED, 0);

	return !(old & LIBCFS_ACTIVE_DEAD);
}
EXPORT_SYMBOL_NS_GPL(libcfs_active_open, LUSTRE_LITE);

/**
 * libcfs_active_kill() - admit no more users, for good
 * @a: the gate
 *
 * Current users are not affected: see libcfs_active_drain().
 *
 * Context: any
 * Return: true if this call killed it, false if it was dead already
 */
bool libcfs_active_kill(struct libcfs_active *a)
{
	return !(atomic_fetch_or(LIBCFS_ACTIVE_DEAD, &a->a_count) &
		 LIBCFS_ACTIVE_DEAD);
}
EXPORT_SYMBOL_NS_GPL(libcfs_active_kill, LUSTRE_LITE);

static int active_users(struct libcfs_active *a)
{
	/* Pairs with the decrement: the uses ended before the owner goes on. */
	return atomic_read_acquire(&a->a_count) & LIBCFS_ACTIVE_USERS;
}

/* Return: true if the users left in time. */
static bool active_wait(struct libcfs_active *a, long jiffies)
{
	return wait_var_event_timeout(&a->a_count, !active_users(a), jiffies);
}

static void active_report(struct libcfs_active *a, libcfs_active_name_t *name,
			  void *arg)
{
	char buf[ACTIVE_NAME_LEN];

	name(arg, buf, sizeof(buf));
	pr_warn("libcfs: %s: removal is waiting for %d users, task %s:%d\n",
		buf, active_users(a), current->comm, current->pid);
}

/**
 * libcfs_active_drain() - wait until the last user has left
 * @a: gate that was killed; the caller keeps the object's memory
 * @name: names the object, for a message after two seconds and every ten after
 *  that
 * @arg: argument of @name
 *
 * Several tasks may wait. After the return all writes of the users are visible.
 *
 * Context: sleeps, for as long as the users take; must not be called by a user,
 *  nor under a lock that a user takes
 */
void libcfs_active_drain(struct libcfs_active *a, libcfs_active_name_t *name,
			 void *arg)
{
	WARN_ON_ONCE(!libcfs_active_is_dead(a));
	rwsem_acquire(active_map(a), 0, 0, _RET_IP_);
	if (active_users(a)) {
		long patience = ACTIVE_REPORT_FIRST;

		lock_contended(active_map(a), _RET_IP_);
		for (; !active_wait(a, patience); patience = ACTIVE_REPORT_PERIOD)
			active_report(a, name, arg);
	}
	lock_acquired(active_map(a), _RET_IP_);
	rwsem_release(active_map(a), _RET_IP_);
}
EXPORT_SYMBOL_NS_GPL(libcfs_active_drain, LUSTRE_LITE);
