/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_SPINLOCK_H
#define _SHIM_LINUX_SPINLOCK_H

#include <linux/compiler.h>
#include <linux/lockdep.h>
#include <shim/locks.h>

typedef struct {
	struct shim_lock shim;
} spinlock_t;

#define DEFINE_SPINLOCK(name)	\
	spinlock_t name = { SHIM_LOCK_INIT(SHIM_SPIN) }
#define spin_lock_init(l)		shim_lock_init(&(l)->shim, SHIM_SPIN)
#define spin_lock(l)			shim_lock_write(&(l)->shim)
#define spin_unlock(l)			shim_unlock(&(l)->shim)
#define spin_lock_nest_lock(l, nest)	\
	do { lockdep_assert_held(nest); spin_lock(l); } while (0)
#define spin_lock_irqsave(l, flags)	\
	do { (flags) = 0; spin_lock(l); } while (0)
#define spin_unlock_irqrestore(l, flags)	\
	do { (void)(flags); spin_unlock(l); } while (0)

#endif /* _SHIM_LINUX_SPINLOCK_H */
