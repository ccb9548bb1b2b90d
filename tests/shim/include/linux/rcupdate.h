/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_RCUPDATE_H
#define _SHIM_LINUX_RCUPDATE_H

#include <linux/compiler.h>
#include <shim/rcu.h>

#define __rcu
#define rcu_read_lock()			shim_rcu_read_lock()
#define rcu_read_unlock()		shim_rcu_read_unlock()
#define synchronize_rcu()		shim_rcu_wait()
#define rcu_dereference(p)		smp_load_acquire(&(p))
#define rcu_dereference_protected(p, c)	({ WARN_ON(!(c)); (p); })
#define rcu_assign_pointer(p, v)	smp_store_release(&(p), v)

#endif /* _SHIM_LINUX_RCUPDATE_H */
