// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics of reads and writes, brw_stats. Disk I/O is a call of the backend for a contiguous
 * range, which its cache may serve.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/params.h>
#include <lustre_lite/params_hist.h>

#include "ofd_internal.h"

enum ofd_brw_hist {
	OFD_BRW_PAGES,
	OFD_BRW_DISCONTIGUOUS,
	OFD_BRW_FLIGHT,
	OFD_BRW_TIME,
	OFD_BRW_SIZE,
	OFD_BRW_COUNT
};

/**
 * struct ofd_brw_stats - statistics of a device
 * @obs_flight: calls of the backend under way: reads, writes
 * @obs_since: when counting began
 * @obs_hists: counts, by enum ofd_brw_hist
 */
struct ofd_brw_stats {
	atomic_t			obs_flight[2];
	struct params_hist_since	obs_since;
	struct params_hist		obs_hists[OFD_BRW_COUNT];
};

#define OVER	"                           read      |     write"

static const struct params_hist_desc descs[OFD_BRW_COUNT] = {
	[OFD_BRW_PAGES] = {
		.over = OVER,
		.head = "pages per bulk r/w     rpcs  % cum % |  rpcs        % cum %",
		.scale = PARAMS_HIST_LOG2,
		.compact = true,
	},
	[OFD_BRW_DISCONTIGUOUS] = {
		.over = OVER,
		.head = "discontiguous pages    rpcs  % cum % |  rpcs        % cum %",
		.scale = PARAMS_HIST_LINEAR,
		.compact = true,
	},
	[OFD_BRW_FLIGHT] = {
		.over = OVER,
		.head = "disk I/Os in flight    ios   % cum % |  ios         % cum %",
		.scale = PARAMS_HIST_LINEAR,
		.compact = true,
	},
	[OFD_BRW_TIME] = {
		.over = OVER,
		.head = "I/O time (1/1000s)     ios   % cum % |  ios         % cum %",
		.scale = PARAMS_HIST_LOG2,
		.compact = true,
	},
	[OFD_BRW_SIZE] = {
		.over = OVER,
		.head = "disk I/O size          ios   % cum % |  ios         % cum %",
		.scale = PARAMS_HIST_LOG2,
		.compact = true,
	},
};

static void count(struct ofd_brw_stats *stats, enum ofd_brw_hist hist, bool is_write, u64 val)
{
	params_hist_add(&stats->obs_hists[hist], &descs[hist], is_write, val);
}

void ofd_brw_request(struct ofd_device *ofd, bool is_write, u64 len, u32 ranges)
{
	count(ofd->ofd_brw, OFD_BRW_PAGES, is_write, DIV_ROUND_UP_ULL(len, PAGE_SIZE));
	count(ofd->ofd_brw, OFD_BRW_DISCONTIGUOUS, is_write, ranges - 1);
}

u64 ofd_brw_io_begin(struct ofd_device *ofd, bool is_write)
{
	struct ofd_brw_stats *stats = ofd->ofd_brw;

	count(stats, OFD_BRW_FLIGHT, is_write, atomic_inc_return(&stats->obs_flight[is_write]));
	return ktime_get_ns();
}

void ofd_brw_io_end(struct ofd_device *ofd, bool is_write, u64 begun, u64 len)
{
	struct ofd_brw_stats *stats = ofd->ofd_brw;

	atomic_dec(&stats->obs_flight[is_write]);
	count(stats, OFD_BRW_TIME, is_write, div_u64(ktime_get_ns() - begun, NSEC_PER_MSEC));
	count(stats, OFD_BRW_SIZE, is_write, len);
}

static int brw_read(struct params_sink *sink, void *data)
{
	const struct ofd_device *ofd = data;
	unsigned int n;

	params_hist_put_times(sink, &ofd->ofd_brw->obs_since);
	for (n = 0; n < OFD_BRW_COUNT; n++)
		params_hist_put(sink, &ofd->ofd_brw->obs_hists[n], &descs[n]);
	return params_sink_error(sink);
}

static int brw_write(const char *text, size_t len, void *data)
{
	struct ofd_device *ofd = data;

	if (strcmp(text, "clear") && strcmp(text, "0"))
		return -EINVAL;
	params_hist_clear(ofd->ofd_brw->obs_hists, OFD_BRW_COUNT, &ofd->ofd_brw->obs_since);
	return 0;
}

static const struct lustre_params_attr brw_attrs[] = {
	LP_READER_RW("brw_stats", brw_read, brw_write, .not_setting = 1,
		     .doc = "sizes, numbers and times of reads and writes; writing \"clear\" or 0 resets them"),
};

int ofd_brw_init(struct ofd_device *ofd)
{
	int rc;

	ofd->ofd_brw = kzalloc(sizeof(*ofd->ofd_brw), GFP_KERNEL);
	if (!ofd->ofd_brw)
		return -ENOMEM;
	params_hist_clear(ofd->ofd_brw->obs_hists, OFD_BRW_COUNT, &ofd->ofd_brw->obs_since);
	rc = params_add_attrs(ofd->ofd_dir.td_obd->obd_params, brw_attrs, ARRAY_SIZE(brw_attrs),
			      ofd);
	if (rc)
		ofd_brw_fini(ofd);
	return rc;
}

void ofd_brw_fini(struct ofd_device *ofd)
{
	kfree(ofd->ofd_brw);
	ofd->ofd_brw = NULL;
}
