// SPDX-License-Identifier: GPL-2.0
/*
 * mdt.ko: metadata target.
 */
#include <linux/module.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/version.h>

MODULE_DESCRIPTION("lustre-lite: metadata target");
MODULE_AUTHOR("lustre-lite");
MODULE_VERSION(LUSTRE_LITE_VERSION);
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
