/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Active reference: the right to use data that its owner may take away.
 *
 * A reference count pins memory. An active reference pins the *owner's data*. It is
 * taken around one use and is refused once the owner has started removal. The owner
 * waits until the admitted users have left.
 *
 *          libcfs_active_open()         libcfs_active_kill()
 *  CLOSED ---------------------> OPEN ---------------------> DEAD
 *     |                                                        ^
 *     +--------------------------------------------------------+
 *                          libcfs_active_kill()
 *
 * DEAD is final. Only OPEN admits users.
 *
 * The memory of struct libcfs_active belongs to the object that embeds it; the caller
 * of each function here holds a reference on that object.
 *
 * For lockdep a use is a lock held for reading, and libcfs_active_drain() takes that
 * lock for writing even when there is nothing to wait for. An owner that drains with
 * a lock held that a user takes is reported the first time, not when it hangs.
 */
#ifndef _LUSTRE_LITE_ACTIVE_H
#define _LUSTRE_LITE_ACTIVE_H

#include <linux/atomic.h>
#include <linux/lockdep.h>
#include <linux/types.h>

#include <lustre_lite/compat.h>

/**
 * struct libcfs_active - gate and count of users
 * @a_count: users, plus LIBCFS_ACTIVE_CLOSED or LIBCFS_ACTIVE_DEAD while the
 *  gate admits none
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
 * typedef libcfs_active_name_t - name the object that a drain waits for
 * @arg: as given to libcfs_active_drain()
 * @buf: buffer for the name and its NUL
 * @size: bytes of @buf
 */
typedef void (libcfs_active_name_t)(void *arg, char *buf, size_t size);

void __libcfs_active_init(struct libcfs_active *a, const char *name,
			  struct lock_class_key *key);

/**
 * libcfs_active_init() - start CLOSED, with a lockdep class for this call site
 * @a: the gate
 * @name: name of the lockdep class
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
