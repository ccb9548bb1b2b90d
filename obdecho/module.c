// SPDX-License-Identifier: GPL-2.0-only
/* obdecho.ko: registers its two types, and the ioctl of loads. */
#define DEBUG_SUBSYSTEM S_ECHO

#include <linux/module.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/version.h>

#include "echo_internal.h"

static int __init obdecho_init(void)
{
	int rc = class_register_type(&echo_server_type);

	if (rc)
		return rc;
	rc = class_register_type(&echo_client_type);
	if (rc)
		goto unregister_server;
	rc = echo_ioctl_init();
	if (rc)
		goto unregister_client;
	return 0;

unregister_client:
	class_unregister_type(&echo_client_type);
unregister_server:
	class_unregister_type(&echo_server_type);
	return rc;
}

/* Devices pin the module: none is left. */
static void __exit obdecho_exit(void)
{
	echo_ioctl_exit();
	class_unregister_type(&echo_client_type);
	class_unregister_type(&echo_server_type);
	echo_pattern_free();
}

module_init(obdecho_init);
module_exit(obdecho_exit);

MODULE_DESCRIPTION("lustre-lite: a server that returns the data it gets");
MODULE_AUTHOR("lustre-lite");
MODULE_VERSION(LUSTRE_LITE_VERSION);
MODULE_LICENSE("GPL");
MODULE_ALIAS("lustre-lite-type-obdecho");
MODULE_ALIAS("lustre-lite-type-echo_client");
MODULE_IMPORT_NS(LUSTRE_LITE);
