/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_MUTEX_H
#define _SHIM_LINUX_MUTEX_H

#include <shim/locks.h>

struct mutex {
	struct shim_lock shim;
};

#define DEFINE_MUTEX(name)	\
	struct mutex name = { SHIM_LOCK_INIT(SHIM_MUTEX) }
#define mutex_init(m)		shim_lock_init(&(m)->shim, SHIM_MUTEX)
#define mutex_lock(m)		shim_lock_write(&(m)->shim)
#define mutex_unlock(m)		shim_unlock(&(m)->shim)
#define mutex_destroy(m)	shim_lock_destroy(&(m)->shim)

#endif /* _SHIM_LINUX_MUTEX_H */
