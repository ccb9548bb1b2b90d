// SPDX-License-Identifier: GPL-2.0
/*
 * llite.ko: file system type lustre-lite.
 */
#include <linux/module.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/version.h>

MODULE_DESCRIPTION("lustre-lite: file system type lustre-lite");
MODULE_AUTHOR("lustre-lite");
MODULE_VERSION(LUSTRE_LITE_VERSION);
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
