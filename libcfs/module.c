// SPDX-License-Identifier: GPL-2.0-only
/* libcfs.ko: order of init and exit. */
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/params.h>
#include <lustre_lite/version.h>

#include "../params/params_internal.h"
#include "debug_internal.h"
#include "libcfs_internal.h"

static unsigned int debug = D_DEFAULT;
module_param(debug, uint, 0);
MODULE_PARM_DESC(debug, "levels to log, a mask; at run time: lctl set_param debug=...");

static unsigned int subsystem_debug = ~0U;
module_param(subsystem_debug, uint, 0);
MODULE_PARM_DESC(subsystem_debug, "subsystems to log, a mask; at run time: lctl set_param subsystem_debug=...");

static unsigned int debug_mb;
module_param(debug_mb, uint, 0);
MODULE_PARM_DESC(debug_mb, "MiB of the debug log, all processors together; 0 for 2 a processor, at most 1/50 of the memory");

static ssize_t version_get(void *data, char *buf, size_t size)
{
	ssize_t len = strscpy(buf, LUSTRE_LITE_VERSION, size);

	return len < 0 ? -EOVERFLOW : len;
}

static const struct lustre_params_attr version_attrs[] = {
	LP_STR_RO("version", version_get, .doc = "release of lustre-lite"),
};

/* Parameters at the top of the tree; on failure some may have been added. */
static int __init add_params(void)
{
	int rc;

	rc = params_add_attrs(NULL, version_attrs, ARRAY_SIZE(version_attrs),
			      NULL);
	if (!rc)
		rc = libcfs_health_params_add(params_add_attrs);
	if (!rc)
		rc = libcfs_mem_params_add(params_add_attrs);
	if (!rc)
		rc = debug_params_add(params_add_attrs);
	if (!rc)
		rc = libcfs_fail_params_add(params_add_attrs);
	return rc;
}

static int __init libcfs_init(void)
{
	int rc;

	rc = debug_init(debug, subsystem_debug, debug_mb);
	if (rc)
		return rc;
	rc = params_init();
	if (rc)
		goto exit_debug;
	rc = add_params();
	if (rc)
		goto remove_params;
	libcfs_mem_baseline();
	rc = libcfs_device_init();
	if (rc)
		goto remove_params;
	return 0;

remove_params:
	params_delete_entry(NULL, NULL);
	params_exit();
exit_debug:
	debug_exit();
	libcfs_mem_check();
	pr_err("libcfs: cannot start: rc = %d\n", rc);
	return rc;
}

static void __exit libcfs_exit(void)
{
	libcfs_device_exit();
	params_delete_entry(NULL, NULL);
	params_exit();
	debug_exit();
	libcfs_mem_check();
}

module_init(libcfs_init);
module_exit(libcfs_exit);

MODULE_DESCRIPTION("lustre-lite: parameters tree, debug log, fault injection");
MODULE_AUTHOR("lustre-lite");
MODULE_VERSION(LUSTRE_LITE_VERSION);
MODULE_LICENSE("GPL");
