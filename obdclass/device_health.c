// SPDX-License-Identifier: GPL-2.0
/*
 * Health: calls every device's o_health_check, and names the first unhealthy
 * one.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/health.h>

#include "obd_internal.h"

static bool device_well(struct obd_device *obd, char *text, size_t size)
{
	struct obd_why why = { "" };
	int rc = obd_health_check(obd, &why);

	/* Not set up, or without o_health_check. */
	if (!rc || rc == -ENODEV || rc == -EOPNOTSUPP)
		return true;
	scnprintf(text, size, "%s: %s", obd->obd_name,
		  why.text[0] ? why.text : "its type reports it as unhealthy");
	return false;
}

static bool devices_well(void *data, char *text, size_t size)
{
	struct obd_device *obd;
	bool well = true;
	u32 next = 0;

	while (well && (obd = class_next_obd(&next))) {
		well = device_well(obd, text, size);
		class_decref(obd, OBD_REF_LOOKUP);
	}
	return well;
}

static struct libcfs_health obd_health = {
	.lh_name = "device",
	.lh_check = devices_well,
};

int obd_health_init(void)
{
	libcfs_health_register(&obd_health);
	return 0;
}

void obd_health_exit(void)
{
	libcfs_health_deregister(&obd_health);
}
