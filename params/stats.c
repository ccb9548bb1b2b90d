// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters and histograms: per processor, read and cleared as one.
 *
 * Each processor counts in a slot of its own, under the slot's lock. Readers
 * and clears take the locks of all slots. So they see one moment of all
 * counters and processors, and a clear loses no sample and counts none twice.
 */
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include <lustre_lite/libcfs.h>

#include "params_internal.h"
#include "wide.h"

#define PARAMS_SLOTS_MAX	64

/**
 * struct params_cell - one counter in one slot
 * @count: samples
 * @min: smallest, where @count is not 0
 * @max: largest
 * @sum: of the samples
 * @sumsq: of their squares
 */
struct params_cell {
	u64			count;
	u64			min;
	u64			max;
	struct params_wide	sum;
	struct params_wide	sumsq;
};

/**
 * struct params_slot - the counters of some processors
 * @lock: guards @words; taken from any context
 * @words: the counters and histograms, at the offsets in ps_place: a struct
 *  params_cell, or a word for each bucket
 */
struct params_slot {
	spinlock_t	lock;
	u64		words[] ____cacheline_aligned_in_smp;
};

/**
 * struct params_stats - counters and histograms of an object
 * @ps_desc: declarations
 * @ps_count: their number
 * @ps_slots: slots
 * @ps_words: words of a slot
 * @ps_stride: bytes from one slot to the next
 * @ps_lock: serializes tasks that take the locks of all slots; guards the times
 * @ps_begin_wall: start of counting, nanoseconds since 1970
 * @ps_begin: the same, on the monotonic clock
 * @ps_mem: memory of the slots
 * @ps_mem_size: its bytes
 * @ps_first: the first slot, in @ps_mem at the start of a cache line
 * @ps_place: offset of each counter or histogram in the words of a slot
 */
struct params_stats {
	const struct params_stat_desc	*ps_desc;
	unsigned int			ps_count;
	unsigned int			ps_slots;
	size_t				ps_words;
	size_t				ps_stride;
	spinlock_t			ps_lock;
	s64				ps_begin_wall;
	s64				ps_begin;
	void				*ps_mem;
	size_t				ps_mem_size;
	void				*ps_first;
	u32				ps_place[];
};

#define PARAMS_CELL_WORDS	(sizeof(struct params_cell) / sizeof(u64))
#define PARAMS_BARS_MAX		65	/* 0, and each power of two of a u64 */

static struct params_slot *params_slot(struct params_stats *stats,
				       unsigned int slot)
{
	return stats->ps_first + slot * stats->ps_stride;
}

static void *params_place(struct params_stats *stats, u64 *words,
			  unsigned int idx)
{
	return words + stats->ps_place[idx];
}

static size_t params_desc_words(const struct params_stat_desc *desc)
{
	return desc->buckets ?: PARAMS_CELL_WORDS;
}

static bool params_desc_valid(const struct params_stat_desc *desc)
{
	return desc->name && desc->unit < PARAMS_UNIT_MAX &&
		desc->buckets != 1 && desc->buckets <= PARAMS_BARS_MAX;
}

static size_t params_stats_size(unsigned int count)
{
	return struct_size((struct params_stats *)NULL, ps_place, count);
}

static int params_slots_alloc(struct params_stats *stats, unsigned int slots)
{
	unsigned int n;

	stats->ps_slots = slots;
	stats->ps_stride = ALIGN(struct_size((struct params_slot *)NULL, words,
					     stats->ps_words), L1_CACHE_BYTES);
	stats->ps_mem_size = stats->ps_slots * stats->ps_stride +
			     L1_CACHE_BYTES;
	stats->ps_mem = libcfs_zalloc(stats->ps_mem_size, GFP_KERNEL);
	if (!stats->ps_mem)
		return -ENOMEM;
	stats->ps_first = PTR_ALIGN(stats->ps_mem, L1_CACHE_BYTES);
	for (n = 0; n < stats->ps_slots; n++)
		spin_lock_init(&params_slot(stats, n)->lock);
	return 0;
}

static void params_stats_begin(struct params_stats *stats)
{
	stats->ps_begin_wall = ktime_get_real_ns();
	stats->ps_begin = ktime_get_ns();
}

static struct params_stats *stats_alloc(const struct params_stat_desc *desc,
					unsigned int count, unsigned int slots)
{
	struct params_stats *stats;
	unsigned int n;

	stats = libcfs_zalloc(params_stats_size(count), GFP_KERNEL);
	if (!stats)
		return NULL;
	stats->ps_desc = desc;
	stats->ps_count = count;
	spin_lock_init(&stats->ps_lock);
	for (n = 0; n < count; n++) {
		if (WARN_ON_ONCE(!params_desc_valid(&desc[n])))
			goto free_stats;
		stats->ps_place[n] = stats->ps_words;
		stats->ps_words += params_desc_words(&desc[n]);
	}
	if (params_slots_alloc(stats, slots))
		goto free_stats;
	params_stats_begin(stats);
	return stats;

free_stats:
	libcfs_free(stats, params_stats_size(count));
	return NULL;
}

/**
 * params_stats_alloc() - allocate counters and histograms, all zero
 * @desc: declarations; valid until params_stats_free()
 * @count: their number
 *
 * Context: may sleep
 * Return: the counters, or NULL on allocation failure or for an invalid
 *  declaration
 */
struct params_stats *params_stats_alloc(const struct params_stat_desc *desc,
					unsigned int count)
{
	return stats_alloc(desc, count,
			   min_t(unsigned int, nr_cpu_ids, PARAMS_SLOTS_MAX));
}
EXPORT_SYMBOL_NS_GPL(params_stats_alloc, LUSTRE_LITE);

/**
 * params_stats_alloc_small() - the same, in as little memory as there can be
 * @desc: declarations; valid until params_stats_free()
 * @count: their number
 *
 * All processors share a lock: for counters of which there are many, each with
 * few samples.
 *
 * Context: may sleep
 * Return: as params_stats_alloc()
 */
struct params_stats *params_stats_alloc_small(const struct params_stat_desc *desc,
					      unsigned int count)
{
	return stats_alloc(desc, count, 1);
}
EXPORT_SYMBOL_NS_GPL(params_stats_alloc_small, LUSTRE_LITE);

/* Free counters without users, or NULL. May sleep. */
void params_stats_free(struct params_stats *stats)
{
	if (!stats)
		return;
	libcfs_free(stats->ps_mem, stats->ps_mem_size);
	libcfs_free(stats, params_stats_size(stats->ps_count));
}
EXPORT_SYMBOL_NS_GPL(params_stats_free, LUSTRE_LITE);

static void params_cell_add(struct params_cell *cell, u8 flags, u64 val)
{
	if (flags & (PARAMS_CF_MINMAX | PARAMS_CF_STDDEV)) {
		if (!cell->count || val < cell->min)
			cell->min = val;
		if (val > cell->max)
			cell->max = val;
		params_wide_add(&cell->sum, (struct params_wide){ .lo = val });
	}
	if (flags & PARAMS_CF_STDDEV)
		params_wide_add(&cell->sumsq, params_wide_square(val));
	cell->count++;
}

/*
 * Bucket 0 counts 0, bucket N counts 2^(N-1) to 2^N - 1, the last one
 * everything above.
 */
static unsigned int params_bar_of(u64 val, unsigned int bars)
{
	return val ? min_t(unsigned int, ilog2(val) + 1, bars - 1) : 0;
}

/**
 * params_stats_add() - count a sample
 * @stats: counters
 * @idx: which counter or histogram
 * @val: sample
 *
 * Context: any but NMI
 */
void params_stats_add(struct params_stats *stats, unsigned int idx, u64 val)
{
	const struct params_stat_desc *desc;
	struct params_slot *slot;
	unsigned long flags;
	u64 *place;

	if (WARN_ON_ONCE(idx >= stats->ps_count))
		return;
	desc = &stats->ps_desc[idx];
	/*
	 * Migration to another processor meanwhile is harmless: the slot has a
	 * lock.
	 */
	slot = params_slot(stats, raw_smp_processor_id() % stats->ps_slots);
	place = params_place(stats, slot->words, idx);
	spin_lock_irqsave(&slot->lock, flags);
	if (desc->buckets)
		place[params_bar_of(val, desc->buckets)]++;
	else
		params_cell_add((void *)place, desc->flags, val);
	spin_unlock_irqrestore(&slot->lock, flags);
}
EXPORT_SYMBOL_NS_GPL(params_stats_add, LUSTRE_LITE);

/* Stop counting on all processors. */
static unsigned long params_stats_lock(struct params_stats *stats)
	__acquires(&stats->ps_lock)
{
	unsigned long flags;
	unsigned int n;

	spin_lock_irqsave(&stats->ps_lock, flags);
	for (n = 0; n < stats->ps_slots; n++) {
		spin_lock_nest_lock(&params_slot(stats, n)->lock,
				    &stats->ps_lock);
		/*
		 * Sparse cannot count locks in a loop: ps_lock represents them
		 * all.
		 */
		__release(&params_slot(stats, n)->lock);
	}
	return flags;
}

static void params_stats_unlock(struct params_stats *stats, unsigned long flags)
	__releases(&stats->ps_lock)
{
	unsigned int n = stats->ps_slots;

	while (n-- > 0) {
		__acquire(&params_slot(stats, n)->lock);
		spin_unlock(&params_slot(stats, n)->lock);
	}
	spin_unlock_irqrestore(&stats->ps_lock, flags);
}

static void params_cell_fold(struct params_cell *into,
			     const struct params_cell *cell)
{
	if (!cell->count)
		return;
	if (!into->count || cell->min < into->min)
		into->min = cell->min;
	if (cell->max > into->max)
		into->max = cell->max;
	into->count += cell->count;
	params_wide_add(&into->sum, cell->sum);
	params_wide_add(&into->sumsq, cell->sumsq);
}

/* Sum one counter or histogram over all slots, which are locked. */
static void params_fold(struct params_stats *stats, unsigned int idx, u64 *into)
{
	unsigned int bars = stats->ps_desc[idx].buckets;
	unsigned int slot;
	unsigned int bar;

	lockdep_assert_held(&stats->ps_lock);
	for (slot = 0; slot < stats->ps_slots; slot++) {
		u64 *place = params_place(stats,
					  params_slot(stats, slot)->words, idx);

		if (!bars)
			params_cell_fold((void *)into, (void *)place);
		for (bar = 0; bar < bars; bar++)
			into[bar] += place[bar];
	}
}

/**
 * params_stats_clear() - reset all counters, at one moment on all processors
 * @stats: counters
 *
 * Context: any but NMI
 */
void params_stats_clear(struct params_stats *stats)
{
	unsigned long flags = params_stats_lock(stats);
	unsigned int n;

	for (n = 0; n < stats->ps_slots; n++)
		memset(params_slot(stats, n)->words, 0,
		       stats->ps_words * sizeof(u64));
	params_stats_begin(stats);
	params_stats_unlock(stats, flags);
}
EXPORT_FOR_KUNIT(params_stats_clear);

static void params_cell_figures(const struct params_cell *cell,
				const struct params_stat_desc *desc,
				struct params_counter *counter)
{
	*counter = (struct params_counter){
		.pc_count = cell->count,
		.pc_min = cell->min,
		.pc_max = cell->max,
		.pc_sum_lo = cell->sum.lo,
		.pc_sum_hi = cell->sum.hi,
		.pc_sumsq_lo = cell->sumsq.lo,
		.pc_sumsq_hi = cell->sumsq.hi,
		.pc_unit = desc->unit,
		.pc_flags = desc->flags,
	};
}

/**
 * params_stats_read() - the values of one counter
 * @stats: counters
 * @idx: index
 * @counter: out, its values at one moment
 *
 * Context: any but NMI
 * Return: 0, or -EINVAL if there is no such counter
 */
int params_stats_read(struct params_stats *stats, unsigned int idx,
		      struct params_counter *counter)
{
	struct params_cell cell = { };
	unsigned long flags;

	if (idx >= stats->ps_count || stats->ps_desc[idx].buckets)
		return -EINVAL;
	flags = params_stats_lock(stats);
	params_fold(stats, idx, (u64 *)&cell);
	params_stats_unlock(stats, flags);
	params_cell_figures(&cell, &stats->ps_desc[idx], counter);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(params_stats_read, LUSTRE_LITE);

static void params_put_bars(struct params_sink *sink,
			    const struct params_stat_desc *desc, const u64 *bars)
{
	struct params_bucket bucket = { .pb_unit = desc->unit };
	unsigned int used = desc->buckets;
	unsigned int n;

	while (used && !bars[used - 1])
		used--;
	if (!used)
		return;
	params_list_begin(sink, desc->name, PARAMS_LIST_MAP);
	for (n = 0; n < used; n++) {
		bucket.pb_low = n ? 1ULL << (n - 1) : 0;
		bucket.pb_high = n ? bucket.pb_low * 2 - 1 : 0;
		if (n == desc->buckets - 1)
			bucket.pb_high = U64_MAX;
		bucket.pb_count = bars[n];
		params_put_bucket(sink, &bucket);
	}
	params_list_end(sink);
}

static void params_put_cell(struct params_sink *sink,
			    const struct params_stat_desc *desc,
			    const struct params_cell *cell)
{
	struct params_counter counter;

	if (!cell->count)
		return;
	params_cell_figures(cell, desc, &counter);
	params_put_counter(sink, desc->name, &counter);
}

/**
 * struct params_times - time of a snapshot, nanoseconds
 * @now: since 1970
 * @begin: start of counting, since 1970
 * @elapsed: between them, on the monotonic clock
 */
struct params_times {
	s64	now;
	s64	begin;
	s64	elapsed;
};

static void params_put_times(struct params_sink *sink,
			     const struct params_times *times)
{
	params_put_time(sink, "snapshot_time", times->now, PARAMS_UNIT_SEC,
			PARAMS_TIME_WALL);
	params_put_time(sink, "start_time", times->begin, PARAMS_UNIT_SEC,
			PARAMS_TIME_WALL);
	params_put_time(sink, "elapsed_time", times->elapsed, PARAMS_UNIT_SEC,
			PARAMS_TIME_SPAN);
}

static void params_stats_snapshot(struct params_stats *stats, u64 *words,
				  struct params_times *times)
{
	unsigned long flags = params_stats_lock(stats);
	unsigned int n;

	for (n = 0; n < stats->ps_count; n++)
		params_fold(stats, n, params_place(stats, words, n));
	times->now = ktime_get_real_ns();
	times->begin = stats->ps_begin_wall;
	times->elapsed = ktime_get_ns() - stats->ps_begin;
	params_stats_unlock(stats, flags);
}

/**
 * params_stats_put() - pack all counters and histograms
 * @sink: destination
 * @stats: counters
 *
 * The times first, then those that have samples, as of one moment.
 *
 * Context: may sleep
 * Return: 0, -ENOMEM, or the error of the sink
 */
int params_stats_put(struct params_sink *sink, struct params_stats *stats)
{
	const struct params_stat_desc *desc = stats->ps_desc;
	struct params_times times;
	unsigned int n;
	u64 *words;

	words = kvcalloc(stats->ps_words + 1, sizeof(u64), GFP_KERNEL);
	if (!words)
		return -ENOMEM;
	params_stats_snapshot(stats, words, &times);
	params_put_times(sink, &times);
	for (n = 0; n < stats->ps_count; n++, desc++) {
		const void *place = params_place(stats, words, n);

		if (desc->buckets)
			params_put_bars(sink, desc, place);
		else
			params_put_cell(sink, desc, place);
	}
	kvfree(words);
	return params_sink_error(sink);
}
EXPORT_SYMBOL_NS_GPL(params_stats_put, LUSTRE_LITE);
