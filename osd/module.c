// SPDX-License-Identifier: GPL-2.0-only
/*
 * osd.ko: a library for mdt and ofd. It has no state of its own; devices of its users pin it.
 */
#include <linux/module.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/version.h>

MODULE_DESCRIPTION("lustre-lite: object storage device");
MODULE_AUTHOR("lustre-lite");
MODULE_VERSION(LUSTRE_LITE_VERSION);
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
