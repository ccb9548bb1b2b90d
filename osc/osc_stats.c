// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics of reads and writes, rpc_stats. Each request is counted when it is made, and its time
 * when it has ended.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math.h>
#include <linux/mm.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/params.h>
#include <lustre_lite/params_hist.h>

#include "osc_internal.h"

enum osc_hist {
	OSC_HIST_PAGES,
	OSC_HIST_FLIGHT,
	OSC_HIST_OFFSET,
	OSC_HIST_TIME,
	OSC_HIST_COUNT
};

/**
 * struct osc_stats - statistics of a device
 * @oss_refcount: held by the device, and by each request that is counted until it has ended
 * @oss_flight: requests under way: reads, writes
 * @oss_since: when counting began
 * @oss_hists: counts, by enum osc_hist
 */
struct osc_stats {
	refcount_t			oss_refcount;
	atomic_t			oss_flight[2];
	struct params_hist_since	oss_since;
	struct params_hist		oss_hists[OSC_HIST_COUNT];
};

#define OVER	"\t\t\tread\t\t\twrite"

static const struct params_hist_desc descs[OSC_HIST_COUNT] = {
	[OSC_HIST_PAGES] = {
		.over = OVER,
		.head = "pages per rpc         rpcs   % cum % |       rpcs   % cum %",
		.scale = PARAMS_HIST_LOG2,
	},
	[OSC_HIST_FLIGHT] = {
		.over = OVER,
		.head = "rpcs in flight        rpcs   % cum % |       rpcs   % cum %",
		.scale = PARAMS_HIST_LINEAR,
	},
	[OSC_HIST_OFFSET] = {
		.over = OVER,
		.head = "offset                rpcs   % cum % |       rpcs   % cum %",
		.scale = PARAMS_HIST_OFFSET,
	},
	[OSC_HIST_TIME] = {
		.over = OVER,
		.head = "RPC latency (us)       count   % cum % |       count   % cum %",
		.scale = PARAMS_HIST_LOG2,
	},
};

/* For osc_stats_put(); NULL on allocation failure. */
struct osc_stats *osc_stats_new(void)
{
	struct osc_stats *stats = libcfs_zalloc(sizeof(*stats), GFP_KERNEL_ACCOUNT);

	if (!stats)
		return NULL;
	refcount_set(&stats->oss_refcount, 1);
	params_hist_clear(stats->oss_hists, OSC_HIST_COUNT, &stats->oss_since);
	return stats;
}

/* The last one frees it. Any context. */
void osc_stats_put(struct osc_stats *stats)
{
	if (stats && refcount_dec_and_test(&stats->oss_refcount))
		libcfs_free(stats, sizeof(*stats));
}

static void count(struct osc_stats *stats, enum osc_hist hist, bool is_write, u64 val)
{
	params_hist_add(&stats->oss_hists[hist], &descs[hist], is_write, val);
}

/**
 * osc_stats_begin() - a read or write is sent
 * @stats: statistics
 * @is_write: a write
 * @pos: its first byte in the object
 * @len: bytes
 *
 * Context: any
 * Return: @stats, for osc_stats_end()
 */
struct osc_stats *osc_stats_begin(struct osc_stats *stats, bool is_write, u64 pos, u32 len)
{
	refcount_inc(&stats->oss_refcount);
	count(stats, OSC_HIST_PAGES, is_write, DIV_ROUND_UP(len, PAGE_SIZE));
	count(stats, OSC_HIST_FLIGHT, is_write, atomic_inc_return(&stats->oss_flight[is_write]));
	count(stats, OSC_HIST_OFFSET, is_write, (pos & (WIRE_BULK_DEFAULT - 1)) >> PAGE_SHIFT);
	return stats;
}

/**
 * osc_stats_end() - it has ended
 * @stats: of osc_stats_begin()
 * @is_write: likewise
 * @req: its request
 *
 * Context: any
 */
void osc_stats_end(struct osc_stats *stats, bool is_write, const struct ptlrpc_request *req)
{
	u64 ns = ktime_get_ns() - req->rq_start_ns;

	count(stats, OSC_HIST_TIME, is_write, div_u64(ns, NSEC_PER_USEC));
	atomic_dec(&stats->oss_flight[is_write]);
	osc_stats_put(stats);
}

/* rpc_stats. Reads wait for no other ones, so that no pages of them are pending. */
int osc_stats_read(struct params_sink *sink, void *data)
{
	const struct osc_device *osc = data;
	struct osc_stats *stats = osc->osc_stats;
	unsigned int n;

	params_hist_put_times(sink, &stats->oss_since);
	params_put_strf(sink, NULL, "read RPCs in flight:  %d", atomic_read(&stats->oss_flight[0]));
	params_put_strf(sink, NULL, "write RPCs in flight: %d", atomic_read(&stats->oss_flight[1]));
	params_put_strf(sink, NULL, "pending write pages:  %llu",
			ost_grant_sums(osc->osc_grant).dirty / OST_GRANT_PAGE);
	params_put_str(sink, NULL, "pending read pages:   0");
	for (n = 0; n < OSC_HIST_COUNT; n++)
		params_hist_put(sink, &stats->oss_hists[n], &descs[n]);
	return params_sink_error(sink);
}

int osc_stats_write(const char *text, size_t len, void *data)
{
	struct osc_device *osc = data;

	if (strcmp(text, "clear") && strcmp(text, "0"))
		return -EINVAL;
	params_hist_clear(osc->osc_stats->oss_hists, OSC_HIST_COUNT, &osc->osc_stats->oss_since);
	return 0;
}
