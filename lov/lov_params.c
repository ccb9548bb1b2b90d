// SPDX-License-Identifier: GPL-2.0-only
/*
 * lov: parameters.
 */
#define DEBUG_SUBSYSTEM S_LOV

#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "lov_dev.h"
#include "lov_internal.h"

static int stripesize_get(void *data, u64 *val)
{
	const struct lov_device *lov = data;

	*val = READ_ONCE(lov->lov_stripe_size);
	return 0;
}

static int stripesize_set(void *data, u64 val)
{
	struct lov_device *lov = data;

	WRITE_ONCE(lov->lov_stripe_size,
		   lov_stripe_size(lov->lov_obd->obd_name, val));
	return 0;
}

static int stripetype_get(void *data, u64 *val)
{
	const struct lov_device *lov = data;

	*val = READ_ONCE(lov->lov_pattern);
	return 0;
}

static int stripetype_set(void *data, u64 val)
{
	struct lov_device *lov = data;

	if (!lov_pattern_known(val)) {
		CERROR("%s: stripetype=%#llx is not one of %#x (raid0), %#x (on the metadata target), %#x (overstriped): rc = %d\n",
		       lov->lov_obd->obd_name, val, LOV_PATTERN_RAID0,
		       LOV_PATTERN_MDT,
		       LOV_PATTERN_RAID0 | LOV_PATTERN_OVERSTRIPING, -EINVAL);
		return -EINVAL;
	}
	WRITE_ONCE(lov->lov_pattern, val);
	return 0;
}

static u64 count_of(const struct lov_device *lov, unsigned int what)
{
	return atomic_read(&lov->lov_counts[what]);
}

static int layouts_read(struct params_sink *sink, void *data)
{
	const struct lov_device *lov = data;

	params_put_u64(sink, "empty", count_of(lov, LOV_COUNT_STATE + LOV_LAYOUT_EMPTY));
	params_put_u64(sink, "valid", count_of(lov, LOV_COUNT_STATE + LOV_LAYOUT_VALID));
	params_put_u64(sink, "dead", count_of(lov, LOV_COUNT_STATE + LOV_LAYOUT_DEAD));
	params_put_u64(sink, "refs_inode", count_of(lov, LOV_COUNT_INODE));
	params_put_u64(sink, "refs_segment", count_of(lov, LOV_COUNT_SEG));
	return params_sink_error(sink);
}

static int segments_read(struct params_sink *sink, void *data)
{
	const struct lov_device *lov = data;

	params_put_u64(sink, "segments", count_of(lov, LOV_COUNT_SEG));
	params_put_u64(sink, "refs_valid", count_of(lov, LOV_COUNT_SEG_VALID));
	params_put_u64(sink, "refs_io", count_of(lov, LOV_COUNT_SEG_IO));
	params_put_u64(sink, "refs_lock", count_of(lov, LOV_COUNT_SEG_LOCK));
	return params_sink_error(sink);
}

static const struct lustre_params_attr lov_attrs[] = {
	LP_BYTES_RW("stripesize", stripesize_get, stripesize_set,
		    .unit = PARAMS_UNIT_BYTES, .max = LOV_STRIPE_SIZE_MAX,
		    LP_DEF(LOV_STRIPE_SIZE_DEFAULT),
		    .doc = "stripe size of a new file, bytes, rounded down to a multiple of 64 KiB; less than that: 1 MiB"),
	LP_S32_FIELD("stripecount", struct lov_device, lov_stripe_count,
		     .min = (u64)-1LL, .max = LOV_STRIPE_COUNT_MAX, LP_DEF(1),
		     .doc = "stripes of a new file; 0: default of the file system, -1: one on each target"),
	LP_S32_FIELD("stripeoffset", struct lov_device, lov_stripe_offset,
		     .min = (u64)-1LL, .max = OBD_TARGET_INDEX_MAX,
		     LP_DEF((u64)-1LL),
		     .doc = "index of the target of a new file's first stripe; -1: any"),
	LP_U32_RW("stripetype", stripetype_get, stripetype_set,
		  .max = U16_MAX, LP_DEF(LOV_PATTERN_RAID0),
		  .doc = "striping pattern of a new file; 1: raid0"),
	LP_TIME_FIELD("qos_maxage", struct lov_device, lov_qos_maxage,
		      .unit = PARAMS_UNIT_SEC, .min = NSEC_PER_SEC,
		      .max = (u64)LOV_QOS_MAXAGE_MAX * NSEC_PER_SEC,
		      LP_DEF((u64)LOV_QOS_MAXAGE_DEFAULT * NSEC_PER_SEC),
		      .doc = "lifetime of cached free space of targets on a metadata server; has no effect on a client, config logs of Lustre set it"),
	LP_READER("layouts", layouts_read,
		  .doc = "layouts of files by state, and references on them by holder"),
	LP_READER("segments", segments_read,
		  .doc = "segments of layouts, and references on them by holder"),
	LP_READER("devices", lov_devs_read,
		  .doc = "targets that layouts have found, and references on them by holder"),
	LP_READER("servers", lov_servers_read,
		  .doc = "the same targets by server, with the state of the connection and references"),
};

/* Add the parameters of a device. Return: 0 or a negative errno */
int lov_params_add(struct lov_device *lov)
{
	struct lustre_params_entry *dir = lov->lov_obd->obd_params;
	struct lustre_params_entry *pools;
	int rc;

	rc = params_add_attrs(dir, lov_attrs, ARRAY_SIZE(lov_attrs), lov);
	if (!rc)
		rc = obd_targets_params_add(&lov->lov_targets);
	if (rc)
		return rc;
	pools = params_add_dir(dir, LOV_POOLS_DIR, lov);
	return PTR_ERR_OR_ZERO(pools);
}
