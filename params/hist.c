// SPDX-License-Identifier: GPL-2.0-only
/* Tables of reads and writes. Counting is an atomic addition, so that it orders no requests. */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/params.h>
#include <lustre_lite/params_hist.h>

static unsigned int bar_of(u64 val, u8 scale)
{
	u64 bar = val;

	if (scale == PARAMS_HIST_LOG2)
		bar = val > 1 ? ilog2(val - 1) + 1 : 0;
	else if (scale == PARAMS_HIST_OFFSET)
		bar = val ? ilog2(val) + 1 : 0;
	return min_t(u64, bar, PARAMS_HIST_BARS - 1);
}

/**
 * params_hist_add() - count a read or write
 * @hist: counts
 * @desc: their table
 * @is_write: a write
 * @val: value
 *
 * Context: any
 */
void params_hist_add(struct params_hist *hist, const struct params_hist_desc *desc, bool is_write,
		     u64 val)
{
	atomic64_inc(&hist->ph_bars[is_write][bar_of(val, desc->scale)]);
}
EXPORT_SYMBOL_NS_GPL(params_hist_add, LUSTRE_LITE);

/**
 * params_hist_clear() - count from now on
 * @hist: counts of the tables
 * @nr: number of tables
 * @since: out: now
 *
 * A request that is counted meanwhile may be counted in some of the tables only.
 *
 * Context: any
 */
void params_hist_clear(struct params_hist *hist, unsigned int nr, struct params_hist_since *since)
{
	unsigned int n, bar;

	for (n = 0; n < nr; n++) {
		for (bar = 0; bar < PARAMS_HIST_BARS; bar++) {
			atomic64_set(&hist[n].ph_bars[0][bar], 0);
			atomic64_set(&hist[n].ph_bars[1][bar], 0);
		}
	}
	WRITE_ONCE(since->wall, ktime_get_real_ns());
	WRITE_ONCE(since->mono, ktime_get_ns());
}
EXPORT_SYMBOL_NS_GPL(params_hist_clear, LUSTRE_LITE);

static void put_time(struct params_sink *sink, const char *name, s64 ns)
{
	u32 rest;
	u64 seconds = div_u64_rem(max_t(s64, ns, 0), NSEC_PER_SEC, &rest);

	params_put_strf(sink, NULL, "%-25s %llu.%09u secs.nsecs", name, seconds, rest);
}

/**
 * params_hist_put_times() - the times before the tables
 * @sink: destination
 * @since: when counting began
 *
 * Context: may sleep
 */
void params_hist_put_times(struct params_sink *sink, const struct params_hist_since *since)
{
	put_time(sink, "snapshot_time:", ktime_get_real_ns());
	put_time(sink, "start_time:", READ_ONCE(since->wall));
	put_time(sink, "elapsed_time:", ktime_get_ns() - READ_ONCE(since->mono));
}
EXPORT_SYMBOL_NS_GPL(params_hist_put_times, LUSTRE_LITE);

/**
 * struct params_side - the counts of reads, or of writes, at one moment
 * @bars: counts
 * @sum: of all
 * @cum: of those up to a row
 */
struct params_side {
	u64	bars[PARAMS_HIST_BARS];
	u64	sum;
	u64	cum;
};

static unsigned int percent(u64 part, u64 whole)
{
	return whole ? div64_u64(part * 100, whole) : 0;
}

static void row_name(char *name, size_t size, const struct params_hist_desc *desc, unsigned int bar)
{
	u64 val = bar;

	if (desc->scale == PARAMS_HIST_LOG2)
		val = 1ULL << bar;
	else if (desc->scale == PARAMS_HIST_OFFSET)
		val = bar ? 1ULL << (bar - 1) : 0;
	if (!desc->compact || val < SZ_1K)
		snprintf(name, size, "%llu", val);
	else if (val < SZ_1M)
		snprintf(name, size, "%lluK", val / SZ_1K);
	else
		snprintf(name, size, "%lluM", val / SZ_1M);
}

static void put_row(struct params_sink *sink, const struct params_hist_desc *desc,
		    const struct params_side *sides, unsigned int bar)
{
	const struct params_side *rd = &sides[0], *wr = &sides[1];
	char name[24];

	row_name(name, sizeof(name), desc, bar);
	params_put_strf(sink, NULL, "%s:\t\t%10llu %3u %3u   | %*llu %3u %3u", name, rd->bars[bar],
			percent(rd->bars[bar], rd->sum), percent(rd->cum, rd->sum),
			desc->compact ? 4 : 10, wr->bars[bar], percent(wr->bars[bar], wr->sum),
			percent(wr->cum, wr->sum));
}

static void sides_read(struct params_side *sides, const struct params_hist *hist)
{
	unsigned int side, bar;

	for (side = 0; side < 2; side++) {
		for (bar = 0; bar < PARAMS_HIST_BARS; bar++) {
			sides[side].bars[bar] = atomic64_read(&hist->ph_bars[side][bar]);
			sides[side].sum += sides[side].bars[bar];
		}
	}
}

/**
 * params_hist_put() - a table, after an empty line
 * @sink: destination
 * @hist: counts
 * @desc: their table
 *
 * It ends with the last row that has a count.
 *
 * Context: may sleep
 */
void params_hist_put(struct params_sink *sink, const struct params_hist *hist,
		     const struct params_hist_desc *desc)
{
	struct params_side sides[2] = {};
	unsigned int bar;

	sides_read(sides, hist);
	params_put_str(sink, NULL, "");
	params_put_str(sink, NULL, desc->over);
	params_put_str(sink, NULL, desc->head);
	for (bar = 0; bar < PARAMS_HIST_BARS; bar++) {
		if (sides[0].cum == sides[0].sum && sides[1].cum == sides[1].sum)
			break;
		sides[0].cum += sides[0].bars[bar];
		sides[1].cum += sides[1].bars[bar];
		if (!desc->compact || sides[0].cum || sides[1].cum)
			put_row(sink, desc, sides, bar);
	}
}
EXPORT_SYMBOL_NS_GPL(params_hist_put, LUSTRE_LITE);
