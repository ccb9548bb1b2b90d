/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_USER_H
#define _SHIM_USER_H

#include <linux/types.h>

/*
 * User space: the ranges that the calling thread registered. An access to
 * anything else faults.
 */
void shim_user_add(const void *at, size_t len, bool writable);
void shim_user_reset(void);

#endif /* _SHIM_USER_H */
