// SPDX-License-Identifier: GPL-2.0
/*
 * mgc.ko: management client. It keeps the configuration of this node up to date
 * with a management service.
 */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/module.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/version.h>

#include "mgc_internal.h"

static struct obd_type mgc_type = {
	.typ_name	= "mgc",
	.typ_dt_ops	= &mgc_ops,
	.typ_import	= &client_import_ops,
	.typ_service	= OBD_SERVICE_MGS,
};

static int __init mgc_init(void)
{
	return class_register_type(&mgc_type);
}

/* Devices pin the module: none is left. */
static void __exit mgc_exit(void)
{
	class_unregister_type(&mgc_type);
}

module_init(mgc_init);
module_exit(mgc_exit);

MODULE_DESCRIPTION("lustre-lite: management client");
MODULE_AUTHOR("lustre-lite");
MODULE_VERSION(LUSTRE_LITE_VERSION);
MODULE_LICENSE("GPL");
MODULE_ALIAS("lustre-lite-type-mgc");
MODULE_IMPORT_NS(LUSTRE_LITE);
