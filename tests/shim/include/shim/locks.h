/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LOCKS_H
#define _SHIM_LOCKS_H

#include <pthread.h>

#include <linux/types.h>

enum shim_lock_kind {
	SHIM_RWSEM,
	SHIM_MUTEX,
	SHIM_SPIN,
};

/**
 * struct shim_lock - any lock of the kernel's
 * @rwlock: the lock
 * @kind: which
 *
 * Each thread knows what it holds. Who takes a lock that may sleep under a
 * spinlock, one rw_semaphore under another, or asserts a lock that it does not
 * hold, is warned.
 */
struct shim_lock {
	pthread_rwlock_t	rwlock;
	enum shim_lock_kind	kind;
};

#define SHIM_LOCK_INIT(k)	{ PTHREAD_RWLOCK_INITIALIZER, k }

void shim_lock_init(struct shim_lock *lock, enum shim_lock_kind kind);
void shim_lock_destroy(struct shim_lock *lock);
void shim_lock_read(struct shim_lock *lock);
void shim_lock_write(struct shim_lock *lock);
void shim_unlock(struct shim_lock *lock);
bool shim_is_held(const struct shim_lock *lock);
void shim_assert_held(const struct shim_lock *lock, bool write);

/* How many locks of a kind the calling thread holds. */
unsigned int shim_locks_held(enum shim_lock_kind kind);

/*
 * To be called where nothing may be held that keeps others out of the tree:
 * around callbacks, copies to and from user space, sleeping allocations.
 */
void shim_assert_no_rwsem(const char *what);

#endif /* _SHIM_LOCKS_H */
