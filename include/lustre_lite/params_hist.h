/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables of the sizes, numbers and times of reads and writes, as osc.*.rpc_stats and
 * obdfilter.*.brw_stats show them. Scripts read these texts, so they are real Lustre's.
 */
#ifndef _LUSTRE_LITE_PARAMS_HIST_H
#define _LUSTRE_LITE_PARAMS_HIST_H

#include <linux/atomic.h>
#include <linux/types.h>

struct params_sink;

#define PARAMS_HIST_BARS	32

/*
 * enum params_hist_scale - what a row counts; the last one everything above, too
 * @PARAMS_HIST_LINEAR: row N: N
 * @PARAMS_HIST_LOG2: row 2^N: values above 2^(N-1), up to 2^N
 * @PARAMS_HIST_OFFSET: row 0: 0; row 2^N: values from 2^N on, below 2^(N+1)
 */
enum params_hist_scale {
	PARAMS_HIST_LINEAR,
	PARAMS_HIST_LOG2,
	PARAMS_HIST_OFFSET,
};

/**
 * struct params_hist_desc - a table
 * @over: line above its head
 * @head: title, and heads of the columns
 * @scale: enum params_hist_scale
 * @compact: rows before the first one with a count are omitted, and large numbers have a suffix
 */
struct params_hist_desc {
	const char	*over;
	const char	*head;
	u8		scale;
	bool		compact;
};

/* struct params_hist - counts of a table: reads, writes; zeros at the start */
struct params_hist {
	atomic64_t	ph_bars[2][PARAMS_HIST_BARS];
};

/**
 * struct params_hist_since - when counting began
 * @wall: since 1970, nanoseconds
 * @mono: on the monotonic clock
 */
struct params_hist_since {
	s64	wall;
	s64	mono;
};

void params_hist_add(struct params_hist *hist, const struct params_hist_desc *desc, bool is_write,
		     u64 val);
void params_hist_clear(struct params_hist *hist, unsigned int nr, struct params_hist_since *since);
void params_hist_put_times(struct params_sink *sink, const struct params_hist_since *since);
void params_hist_put(struct params_sink *sink, const struct params_hist *hist,
		     const struct params_hist_desc *desc);

#endif /* _LUSTRE_LITE_PARAMS_HIST_H */
