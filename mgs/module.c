// SPDX-License-Identifier: GPL-2.0
/*
 * mgs.ko: management service. Registers its type, and answers who changes the
 * configuration.
 */
#define DEBUG_SUBSYSTEM S_MGS

#include <linux/module.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/version.h>

#include "mgs_internal.h"

static int __init mgs_init(void)
{
	int rc = class_register_type(&mgs_type);

	if (rc)
		return rc;
	rc = mgs_ioctl_init();
	if (rc)
		class_unregister_type(&mgs_type);
	return rc;
}

/* Devices pin the module: there is none any more. */
static void __exit mgs_exit(void)
{
	mgs_ioctl_exit();
	class_unregister_type(&mgs_type);
}

module_init(mgs_init);
module_exit(mgs_exit);

MODULE_DESCRIPTION("lustre-lite: management service");
MODULE_AUTHOR("lustre-lite");
MODULE_VERSION(LUSTRE_LITE_VERSION);
MODULE_LICENSE("GPL");
MODULE_ALIAS("lustre-lite-type-mgs");
MODULE_IMPORT_NS(LUSTRE_LITE);
