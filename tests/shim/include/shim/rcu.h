/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_RCU_H
#define _SHIM_RCU_H

/* Readers hold one lock for reading; synchronize_rcu() takes it for writing. */
void shim_rcu_read_lock(void);
void shim_rcu_read_unlock(void);
void shim_rcu_wait(void);

#endif /* _SHIM_RCU_H */
