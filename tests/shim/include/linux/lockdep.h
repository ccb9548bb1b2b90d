/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_LOCKDEP_H
#define _SHIM_LINUX_LOCKDEP_H

#include <linux/types.h>
#include <shim/locks.h>

struct lock_class_key {
	char dummy;
};

struct lockdep_map;

#define lockdep_init_map(map, name, key, sub)	\
	((void)(map), (void)(name), (void)(key))
#define rwsem_acquire(map, sub, trylock, ip)		((void)(map))
#define rwsem_acquire_read(map, sub, trylock, ip)	((void)(map))
#define rwsem_release(map, ip)				((void)(map))
#define lock_acquired(map, ip)				((void)(map))
#define lock_contended(map, ip)				((void)(map))
#define lockdep_assert_held(lock)	shim_assert_held(&(lock)->shim, false)
#define lockdep_assert_held_write(lock)	shim_assert_held(&(lock)->shim, true)
#define lockdep_is_held(lock)		shim_is_held(&(lock)->shim)

#endif /* _SHIM_LINUX_LOCKDEP_H */
