/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Active reference: the right to use something that its owner may take away.
 *
 * A reference count keeps memory. An active reference keeps the *owner's data*:
 * it is taken around one use, is refused once the owner began to take the thing
 * away, and the owner waits until the uses that were let in have ended.
 *
 *	        libcfs_active_open()         libcfs_active_kill()
 *	CLOSED ---------------------> OPEN ---------------------> DEAD
 *	   |                                                        ^
 *	   +--------------------------------------------------------+
 *	                        libcfs_active_kill()
 *
 * There is no way back from DEAD. Only OPEN lets users in.
 *
 * The memory of struct libcfs_active is kept by the object that it is part of:
 * whoever calls in here holds a reference on that object.
 *
 * Lockdep takes a use for a lock held for reading, and the wait of
 * libcfs_active_drain() for taking that lock for writing, even when there is
 * nothing to wait for: an owner that drains while it holds a lock which a user
 * takes is reported the first time, not when it hangs.
 */
#ifndef _LUSTRE_LITE_ACTIVE_H
#define _LUSTRE_LITE_ACTIVE_H

#include <linux/atomic.h>
#include <linux/lockdep.h>
#include <linux/types.h>

#include <lustre_lite/compat.h>

/**
 * struct libcfs_active - gate and count of users
 * @a_count: users, plus LIBCFS_ACTIVE_CLOSED or LIBCFS_ACTIVE_DEAD while no one
 *	is let in
 * @a_map: what lockdep sees
 */
struct libcfs_active {
	atomic_t		a_count;
#ifdef CONFIG_DEBUG_LOCK_ALLOC
	struct lockdep_map	a_map;
#endif
};

#define LIBCFS_ACTIVE_CLOSED	(1 << 29)
#define LIBCFS_ACTIVE_DEAD	(1 << 30)
#define LIBCFS_ACTIVE_USERS	(LIBCFS_ACTIVE_CLOSED - 1)

/**
 * typedef libcfs_active_name_t - say what is being waited for
 * @arg: as given to libcfs_active_drain()
 * @buf: where to put the name, with a NUL
 * @size: bytes of @buf
 */
typedef void (libcfs_active_name_t)(void *arg, char *buf, size_t size);

void __libcfs_active_init(struct libcfs_active *a, const char *name,
			  struct lock_class_key *key);

/**
 * libcfs_active_init() - start CLOSED, with a lockdep class for this call site
 * @a: the gate
 * @name: what lockdep calls it
 */
#define libcfs_active_init(a, name)					\
do {									\
	static struct lock_class_key __key;				\
									\
	__libcfs_active_init(a, name, &__key);				\
} while (0)

bool __must_check libcfs_active_get(struct libcfs_active *a);
void libcfs_active_put(struct libcfs_active *a);
bool libcfs_active_open(struct libcfs_active *a);
bool libcfs_active_kill(struct libcfs_active *a);
void libcfs_active_drain(struct libcfs_active *a, libcfs_active_name_t *name,
			 void *arg);

static inline bool libcfs_active_is_open(struct libcfs_active *a)
{
	return atomic_read(&a->a_count) < LIBCFS_ACTIVE_CLOSED;
}

static inline bool libcfs_active_is_dead(struct libcfs_active *a)
{
	return atomic_read(&a->a_count) >= LIBCFS_ACTIVE_DEAD;
}

#endif /* _LUSTRE_LITE_ACTIVE_H */
