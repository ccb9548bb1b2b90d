// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parameters TYPE.NAME.* that every device has, and its health. The health
 * check of the node calls each device's o_health_check, and names the first unhealthy one.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/health.h>
#include <lustre_lite/params.h>

#include "obd_internal.h"

static ssize_t device_uuid_get(void *data, char *buf, size_t size)
{
	const struct obd_device *obd = data;
	ssize_t len = strscpy(buf, obd->obd_uuid.uuid, size);

	return len < 0 ? -EOVERFLOW : len;
}

static struct params_stats *device_stats_get(void *data)
{
	const struct obd_device *obd = data;

	return obd->obd_stats;
}

static struct params_stats *device_md_stats_get(void *data)
{
	const struct obd_device *obd = data;

	return obd->obd_md_stats;
}

static const char * const ref_names[OBD_REF_COUNT] = {
	[OBD_REF_TABLE] = "attached",
	[OBD_REF_SETUP] = "set_up",
	[OBD_REF_EXPORT] = "exports",
	[OBD_REF_IMPORT] = "imports",
	[OBD_REF_TARGET] = "devices_above",
	[OBD_REF_LOOKUP] = "lookups",
};

static int device_refs_read(struct params_sink *sink, void *data)
{
	const struct obd_device *obd = data;
	enum obd_ref ref;
	int held;

	params_put_u64(sink, "total", refcount_read(&obd->obd_refcount));
	for (ref = 0; ref < OBD_REF_COUNT; ref++) {
		held = atomic_read(&obd->obd_refs[ref]);
		if (held)
			params_put_s64(sink, ref_names[ref], held);
	}
	return params_sink_error(sink);
}

static const struct lustre_params_attr device_attrs[] = {
	LP_STR_RO("uuid", device_uuid_get, .doc = "uuid of the device"),
	LP_STATS_RWC("ops_stats", device_stats_get,
		     .doc = "calls of the device's operations and their times; writing \"clear\" resets them"),
	LP_READER("refs", device_refs_read,
		  .doc = "references on the device, by holder"),
};

static const struct lustre_params_attr md_attrs[] = {
	LP_STATS_RWC("md_stats", device_md_stats_get,
		     .doc = "requests to metadata targets and their times; writing \"clear\" resets them"),
};

static int params_add_all(struct obd_device *obd)
{
	const struct obd_type *type = obd->obd_type;
	int rc;

	rc = params_add_attrs(obd->obd_params, device_attrs,
			      ARRAY_SIZE(device_attrs), obd);
	if (!rc && obd->obd_md_stats)
		rc = params_add_attrs(obd->obd_params, md_attrs, ARRAY_SIZE(md_attrs), obd);
	if (!rc)
		rc = obd_exports_params_add(obd);
	if (!rc && type->typ_import)
		rc = type->typ_import->io_params_add(obd);
	if (!rc && type->typ_attr_count)
		rc = params_add_attrs(obd->obd_params, type->typ_attrs,
				      type->typ_attr_count, obd);
	return rc;
}

int obd_params_add(struct obd_device *obd)
{
	struct lustre_params_entry *dir;
	int rc;

	dir = params_add_dir_hidden(obd->obd_type->typ_params, obd->obd_name,
				    obd);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	obd->obd_params = dir;
	rc = params_add_all(obd);
	if (rc)
		obd_params_remove(obd);
	return rc;
}

int obd_params_publish(struct obd_device *obd)
{
	return params_publish(obd->obd_params);
}

/* Waits for running callbacks; the borrowed references end here. */
void obd_params_remove(struct obd_device *obd)
{
	obd_exports_params_close(obd);
	params_remove(obd->obd_params);
	obd->obd_params = NULL;
}

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
