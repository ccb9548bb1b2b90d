// SPDX-License-Identifier: GPL-2.0-only
/*
 * llite.ko: file system type lustre-lite.
 */
#include <linux/module.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/version.h>

#include "llite_internal.h"

static int __init llite_init(void)
{
	int rc = llite_params_init();

	if (rc)
		return rc;
	rc = llite_fs_register();
	if (rc)
		llite_params_exit();
	return rc;
}

/* Mounts pin the module: none is left. */
static void __exit llite_exit(void)
{
	llite_fs_unregister();
	llite_params_exit();
}

module_init(llite_init);
module_exit(llite_exit);

MODULE_DESCRIPTION("lustre-lite: file system type lustre-lite");
MODULE_AUTHOR("lustre-lite");
MODULE_VERSION(LUSTRE_LITE_VERSION);
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
