/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_GFP_H
#define _SHIM_LINUX_GFP_H

#include <linux/types.h>

#define __GFP_SLEEPS		1u
#define GFP_ATOMIC		0u
#define GFP_KERNEL		__GFP_SLEEPS
#define GFP_KERNEL_ACCOUNT	__GFP_SLEEPS
#define GFP_USER		__GFP_SLEEPS
#define __GFP_NOWARN		0u
#define __GFP_NORETRY		0u

#endif /* _SHIM_LINUX_GFP_H */
