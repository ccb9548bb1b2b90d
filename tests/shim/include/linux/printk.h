/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_PRINTK_H
#define _SHIM_LINUX_PRINTK_H

#include <linux/compiler.h>

__printf(1, 2) void shim_printk(const char *fmt, ...);

#define pr_err(...)	shim_printk(__VA_ARGS__)
#define pr_warn(...)	shim_printk(__VA_ARGS__)
#define pr_notice(...)	shim_printk(__VA_ARGS__)
#define pr_info(...)	shim_printk(__VA_ARGS__)
#define pr_debug(...)	shim_printk(__VA_ARGS__)

#endif /* _SHIM_LINUX_PRINTK_H */
