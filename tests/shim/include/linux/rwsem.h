/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_RWSEM_H
#define _SHIM_LINUX_RWSEM_H

#include <shim/locks.h>

struct rw_semaphore {
	struct shim_lock shim;
};

#define init_rwsem(sem)		shim_lock_init(&(sem)->shim, SHIM_RWSEM)
#define down_read(sem)		shim_lock_read(&(sem)->shim)
#define up_read(sem)		shim_unlock(&(sem)->shim)
#define down_write(sem)		shim_lock_write(&(sem)->shim)
#define up_write(sem)		shim_unlock(&(sem)->shim)

#endif /* _SHIM_LINUX_RWSEM_H */
