/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_CACHE_H
#define _SHIM_LINUX_CACHE_H

#define L1_CACHE_BYTES	64

#endif /* _SHIM_LINUX_CACHE_H */
