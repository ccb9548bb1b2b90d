// SPDX-License-Identifier: GPL-2.0-only
/*
 * llite.ko: file system type lustre-lite.
 */
#include <linux/module.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/version.h>

#include "llite_inode.h"

static int __init llite_init(void)
{
	int rc = ll_inodes_init();

	if (rc)
		return rc;
	rc = ll_pages_init();
	if (rc)
		goto exit_inodes;
	rc = llite_params_init();
	if (rc)
		goto exit_pages;
	rc = llite_fs_register();
	if (rc)
		goto exit_params;
	return 0;

exit_params:
	llite_params_exit();
exit_pages:
	ll_pages_exit();
exit_inodes:
	ll_inodes_exit();
	return rc;
}

/* Mounts pin the module: none is left. */
static void __exit llite_exit(void)
{
	llite_fs_unregister();
	llite_params_exit();
	ll_pages_exit();
	ll_inodes_exit();
}

module_init(llite_init);
module_exit(llite_exit);

MODULE_DESCRIPTION("lustre-lite: file system type lustre-lite");
MODULE_AUTHOR("lustre-lite");
MODULE_VERSION(LUSTRE_LITE_VERSION);
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
