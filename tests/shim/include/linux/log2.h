/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_LOG2_H
#define _SHIM_LINUX_LOG2_H

#define ilog2(n)	(63 - __builtin_clzll(n))

#endif /* _SHIM_LINUX_LOG2_H */
