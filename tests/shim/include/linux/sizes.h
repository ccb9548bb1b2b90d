/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_SIZES_H
#define _SHIM_LINUX_SIZES_H

#define SZ_1K	0x400
#define SZ_64K	0x10000
#define SZ_1M	0x100000

#endif /* _SHIM_LINUX_SIZES_H */
