// SPDX-License-Identifier: GPL-2.0-only
/* obdclass.ko: order of init and exit. */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/kernel.h>
#include <linux/module.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/version.h>

#include "obd_internal.h"

static unsigned int max_devices = OBD_DEVICES_DEFAULT;
module_param(max_devices, uint, 0444);
MODULE_PARM_DESC(max_devices, "most object devices at a time (1 to 1000000, default 8192)");

static int obdclass_devices_init(void)
{
	return obd_device_init(max_devices);
}

/* Each part uses those above it. */
static const struct {
	const char *name;
	int (*init)(void);
	void (*exit)(void);
} parts[] = {
	{ "handles", obd_handle_init, obd_handle_exit },
	{ "zombies", obd_zombie_init, obd_zombie_exit },
	{ "exports", obd_export_init, obd_export_exit },
	{ "uuids", obd_uuid_init, obd_uuid_exit },
	{ "objects", obd_lu_init, obd_lu_exit },
	{ "devices", obdclass_devices_init, obd_device_exit },
	{ "settings", obd_globals_init, obd_globals_exit },
	{ "profiles", NULL, obd_profile_exit },
	{ "health", obd_health_init, obd_health_exit },
	{ "netlink", obd_netlink_init, obd_netlink_exit },
	{ "ioctl", obd_ioctl_init, obd_ioctl_exit },
};

/* Undo the first @count parts, the last first. */
static void obdclass_stop(size_t count)
{
	while (count--)
		parts[count].exit();
}

static int __init obdclass_init(void)
{
	size_t n;
	int rc;

	for (n = 0; n < ARRAY_SIZE(parts); n++) {
		rc = parts[n].init ? parts[n].init() : 0;
		if (rc) {
			CERROR("obdclass: cannot start %s: rc = %d\n",
			       parts[n].name, rc);
			obdclass_stop(n);
			return rc;
		}
	}
	return 0;
}

static void __exit obdclass_exit(void)
{
	obdclass_stop(ARRAY_SIZE(parts));
}

module_init(obdclass_init);
module_exit(obdclass_exit);

MODULE_DESCRIPTION("lustre-lite: object devices, exports, config logs");
MODULE_AUTHOR("lustre-lite");
MODULE_VERSION(LUSTRE_LITE_VERSION);
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
