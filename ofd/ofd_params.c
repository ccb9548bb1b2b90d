// SPDX-License-Identifier: GPL-2.0-only
/* Parameters and statistics of the device, under real Lustre's names. */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/sizes.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_export.h>
#include <lustre_lite/obd_stats.h>
#include <lustre_lite/params.h>

#include "ofd_internal.h"

#define STAT_BYTES(n)	{ .name = (n), .unit = PARAMS_UNIT_BYTES, .flags = PARAMS_CF_MINMAX }
#define STAT_TIME(n)	PARAMS_STAT_SAMPLES(n, PARAMS_UNIT_USEC)

static const struct params_stat_desc stat_descs[OFD_STAT_COUNT] = {
	[OFD_STAT_READ_BYTES]	= STAT_BYTES("read_bytes"),
	[OFD_STAT_WRITE_BYTES]	= STAT_BYTES("write_bytes"),
	[OFD_STAT_READ]		= STAT_TIME("read"),
	[OFD_STAT_WRITE]	= STAT_TIME("write"),
	[OFD_STAT_GETATTR]	= STAT_TIME("getattr"),
	[OFD_STAT_SETATTR]	= STAT_TIME("setattr"),
	[OFD_STAT_PUNCH]	= STAT_TIME("punch"),
	[OFD_STAT_SYNC]		= STAT_TIME("sync"),
	[OFD_STAT_DESTROY]	= STAT_TIME("destroy"),
	[OFD_STAT_CREATE]	= STAT_TIME("create"),
	[OFD_STAT_STATFS]	= STAT_TIME("statfs"),
	[OFD_STAT_PREALLOC]	= STAT_TIME("prealloc"),
	[OFD_STAT_SEEK]		= STAT_TIME("seek"),
	[OFD_STAT_GRANT]	= STAT_TIME("grant"),
};

static void stats_add(struct obd_export *exp, const char *job, enum ofd_stat stat, u64 value)
{
	params_stats_add(ofd_device(exp->exp_obd)->ofd_stats, stat, value);
	obd_client_stats_add(exp, job, stat, value);
}

void ofd_stats_bytes(const struct ofd_call *call, enum ofd_stat stat, u64 bytes)
{
	stats_add(call->ofc_sr->sr_exp, call->ofc_sr->sr_msg.jobid, stat, bytes);
}

void ofd_stats_time(const struct ofd_call *call, enum ofd_stat stat, u64 nsec)
{
	stats_add(call->ofc_sr->sr_exp, call->ofc_sr->sr_msg.jobid, stat, nsec / NSEC_PER_USEC);
}

void ofd_stats_statfs(struct obd_export *exp, u64 nsec)
{
	stats_add(exp, "", OFD_STAT_STATFS, nsec / NSEC_PER_USEC);
}

static struct params_stats *stats_get(void *data)
{
	struct ofd_device *ofd = data;

	return ofd->ofd_stats;
}

static int site_read(struct params_sink *sink, void *data)
{
	struct ofd_device *ofd = data;

	return lu_site_print(ofd->ofd_site, sink);
}

static ssize_t last_id_get(void *data, char *buf, size_t size)
{
	struct ofd_device *ofd = data;

	return scnprintf(buf, size, "0x0: %llu", READ_ONCE(ofd->ofd_last_id));
}

static int brw_size_get(void *data, u64 *val)
{
	const struct ofd_device *ofd = data;

	*val = READ_ONCE(ofd->ofd_brw_size);
	return 0;
}

static int brw_size_set(void *data, u64 val)
{
	struct ofd_device *ofd = data;

	if (!is_power_of_2(val)) {
		CERROR("%s: brw_size=%llu is not a power of two from 1 to %u MiB: rc = %d\n",
		       ofd->ofd_dir.td_obd->obd_name, val / SZ_1M, WIRE_BULK_MAX / SZ_1M, -EINVAL);
		return -EINVAL;
	}
	WRITE_ONCE(ofd->ofd_brw_size, val);
	return 0;
}

static int tot_granted_get(void *data, u64 *val)
{
	const struct ofd_device *ofd = data;

	*val = READ_ONCE(ofd->ofd_grant.og_granted);
	return 0;
}

static int tot_dirty_get(void *data, u64 *val)
{
	const struct ofd_device *ofd = data;

	*val = READ_ONCE(ofd->ofd_grant.og_dirty);
	return 0;
}

static int tot_pending_get(void *data, u64 *val)
{
	const struct ofd_device *ofd = data;

	*val = READ_ONCE(ofd->ofd_grant.og_pending);
	return 0;
}

static const struct lustre_params_attr ofd_attrs[] = {
	LP_BYTES_RW("brw_size", brw_size_get, brw_size_set, .unit = PARAMS_UNIT_MIB, .min = SZ_1M,
		    .max = WIRE_BULK_MAX, LP_DEF(WIRE_BULK_DEFAULT),
		    .doc = "most data in a request of a client, in MiB, a power of two up to 16; clients learn it when they connect (osc.*.max_pages_per_rpc shows what they use)"),
	LP_U64_RO("tot_granted", tot_granted_get, .unit = PARAMS_UNIT_BYTES,
		  .doc = "space that is reserved for what clients write later"),
	LP_U64_RO("tot_dirty", tot_dirty_get, .unit = PARAMS_UNIT_BYTES,
		  .doc = "of that, for what they had accepted when they wrote last"),
	LP_U64_RO("tot_pending", tot_pending_get, .unit = PARAMS_UNIT_BYTES,
		  .doc = "space that writes under way may take"),
	LP_STATS_RWC("stats", stats_get,
		     .doc = "operations of clients, their bytes and times; writing \"clear\" resets the counters"),
	LP_BOOL_FIELD("degraded", struct ofd_device, ofd_degraded, LP_DEF(0),
		      .doc = "1: new files use other targets where these suffice, e.g. while a disk is rebuilt"),
	LP_STR_RO("last_id", last_id_get,
		  .doc = "sequence of objects, and the highest number in it that was given out"),
	LP_READER("site", site_read,
		  .doc = "number of objects in memory, and of those not in use; the holders of each"),
};

int ofd_params_init(struct ofd_device *ofd)
{
	int rc;

	ofd->ofd_stats = params_stats_alloc(stat_descs, OFD_STAT_COUNT);
	if (!ofd->ofd_stats)
		return -ENOMEM;
	rc = params_add_attrs(ofd->ofd_dir.td_obd->obd_params, ofd_attrs, ARRAY_SIZE(ofd_attrs),
			      ofd) ?:
	     obd_client_stats_init(ofd->ofd_dir.td_obd, stat_descs, OFD_STAT_COUNT, NULL);
	if (rc)
		ofd_params_fini(ofd);
	return rc;
}

void ofd_params_fini(struct ofd_device *ofd)
{
	obd_client_stats_fini(ofd->ofd_dir.td_obd);
	params_stats_free(ofd->ofd_stats);
	ofd->ofd_stats = NULL;
}
