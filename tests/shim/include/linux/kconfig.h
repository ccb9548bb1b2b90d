/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_KCONFIG_H
#define _SHIM_LINUX_KCONFIG_H

/* No option of the kernel is set in user space. */
#define IS_ENABLED(option)	0

#endif /* _SHIM_LINUX_KCONFIG_H */
