/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernel versions, all of them; no other file asks for the
 * version of the kernel.
 */
#ifndef _LUSTRE_LITE_COMPAT_H
#define _LUSTRE_LITE_COMPAT_H

#include <linux/version.h>

/*
 * Symbol namespaces are string literals since 6.13, and were bare words before:
 * EXPORT_SYMBOL_NS_GPL(symbol, LUSTRE_LITE) and MODULE_IMPORT_NS(LUSTRE_LITE)
 * are right for both.
 */
#if KERNEL_VERSION(6, 13, 0) <= LINUX_VERSION_CODE
#define LUSTRE_LITE "LUSTRE_LITE"
#endif

#endif /* _LUSTRE_LITE_COMPAT_H */
