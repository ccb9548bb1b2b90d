// SPDX-License-Identifier: GPL-2.0
/* Targets of a device: parameters. */
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/params.h>

#include "targets_internal.h"

static int numobd_get(void *data, u64 *val)
{
	u32 all;

	obd_targets_count(data, &all, NULL);
	*val = all;
	return 0;
}

static int activeobd_get(void *data, u64 *val)
{
	u32 active;

	obd_targets_count(data, NULL, &active);
	*val = active;
	return 0;
}

static ssize_t desc_uuid_get(void *data, char *buf, size_t size)
{
	const struct obd_targets *ts = data;
	ssize_t len = strscpy(buf, ts->ts_desc_uuid, size);

	return len < 0 ? -EOVERFLOW : len;
}

static int target_obd_read(struct params_sink *sink, void *data)
{
	struct obd_target_info info;
	u32 index = 0;

	while (obd_targets_next(data, &index, &info))
		params_put_strf(sink, NULL, "%u: %s %sACTIVE", info.index,
				info.uuid.uuid, info.active ? "" : "IN");
	return params_sink_error(sink);
}

static const struct lustre_params_attr targets_attrs[] = {
	LP_U32_RO("numobd", numobd_get, .doc = "targets"),
	LP_U32_RO("activeobd", activeobd_get, .doc = "active targets"),
	LP_STR_RO("desc_uuid", desc_uuid_get, .doc = "uuid of the volume"),
	LP_READER("target_obd", target_obd_read,
		  .doc = "index, uuid and state of each target"),
};

/**
 * obd_targets_params_add() - add the parameters of the targets
 * @ts: table; they go into the directory of its device
 *
 * Context: may sleep; setup of the device
 * Return: 0 or a negative errno
 */
int obd_targets_params_add(struct obd_targets *ts)
{
	return params_add_attrs(ts->ts_obd->obd_params, targets_attrs,
				ARRAY_SIZE(targets_attrs), ts);
}
EXPORT_SYMBOL_NS_GPL(obd_targets_params_add, LUSTRE_LITE);
