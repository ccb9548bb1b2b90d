// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rings of the debug log: one for each processor, so that writers do not
 * contend, and one sequence of numbers, by which readers order the records.
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include <lustre_lite/debug.h>

#include "debug_internal.h"

#define LOG_DEFAULT_MB_PER_CPU	2
/* Sanity limit of the size. */
#define LOG_MAX_MB		(16 * 1024)
#define LOG_MOVE_RECORDS	256

static struct debug_cpu __percpu *log_cpus;
/* Number of the newest record; advanced under the lock of its ring. */
static atomic64_t log_seq;
/* Records up to this number were cleared; they stay in the rings, unread. */
static atomic64_t log_cleared;
/* Serializes changes of the size. */
static DEFINE_MUTEX(log_size_lock);
static unsigned int log_mb;

/* The records of one processor. */
struct debug_cpu *debug_log_cpu(int cpu)
{
	return per_cpu_ptr(log_cpus, cpu);
}

/**
 * debug_log_newest() - number of the newest record
 *
 * A record up to it is in its ring already, or will be when the ring's lock can
 * be taken.
 *
 * Context: any
 * Return: the number, 0 while there is no record
 */
u64 debug_log_newest(void)
{
	return atomic64_read(&log_seq);
}

/* Number up to which records were cleared, 0 for none. */
u64 debug_log_cleared(void)
{
	return atomic64_read(&log_cleared);
}

/**
 * debug_log_clear() - clear the records up to a number
 * @seq: the number; earlier clears stay in force
 *
 * Context: any
 */
void debug_log_clear(u64 seq)
{
	s64 old = atomic64_read(&log_cleared);

	while (old < (s64)seq &&
	       !atomic64_try_cmpxchg(&log_cleared, &old, seq))
		;
}

/* Stack in use; 0 on an interrupt's own stack. */
static u32 log_stack_used(void)
{
	unsigned long base = (unsigned long)task_stack_page(current);
	unsigned long here = (unsigned long)__builtin_frame_address(0);

	if (here < base || here >= base + THREAD_SIZE)
		return 0;
	return base + THREAD_SIZE - here;
}

static u16 log_put_name(char *to, const char *name)
{
	ssize_t len = strscpy(to, name, DEBUG_NAME_MAX);

	return len < 0 ? DEBUG_NAME_MAX : len + 1;
}

/* The message with a newline and a NUL, truncated if needed. */
__printf(2, 0)
static u32 log_put_text(char *to, const char *fmt, va_list args)
{
	int len = vscnprintf(to, DEBUG_TEXT_MAX - 1, fmt, args);

	if (!len || to[len - 1] != '\n')
		to[len++] = '\n';
	to[len++] = '\0';
	return len;
}

__printf(4, 0)
static void log_fill(struct libcfs_debug_rec *rec,
		     const struct libcfs_debug_site *site, u32 level,
		     const char *fmt, va_list args)
{
	char *end = rec->dr_data;
	u32 used;

	memset(rec, 0, sizeof(*rec));
	rec->dr_cpu = smp_processor_id();
	rec->dr_subsys = site->ds_subsys;
	rec->dr_mask = level;
	rec->dr_time_ns = ktime_get_real_ns();
	rec->dr_pid = current->pid;
	rec->dr_line = site->ds_line;
	rec->dr_stack = log_stack_used();
	rec->dr_file_len = log_put_name(end, kbasename(site->ds_file));
	end += rec->dr_file_len;
	rec->dr_func_len = log_put_name(end, site->ds_func);
	end += rec->dr_func_len;
	rec->dr_text_len = log_put_text(end, fmt, args);
	end += rec->dr_text_len;
	used = end - (char *)rec;
	rec->dr_len = ALIGN(used, 8);
	memset(end, 0, rec->dr_len - used);
}

/**
 * debug_log_add() - log a message
 * @site: call site
 * @level: one bit of the level mask
 * @fmt: format
 * @args: its arguments
 *
 * Context: any; in an NMI, which may have interrupted the holder of the ring's
 *  lock, nothing is logged
 */
void debug_log_add(const struct libcfs_debug_site *site, u32 level,
		   const char *fmt, va_list args)
{
	struct debug_cpu *dc;
	unsigned long flags;

	BUILD_BUG_ON(DEBUG_REC_MAX % 8);
	if (in_nmi() || !log_cpus)
		return;
	local_irq_save(flags);
	dc = this_cpu_ptr(log_cpus);
	raw_spin_lock(&dc->dc_lock);
	log_fill(&dc->dc_rec, site, level, fmt, args);
	dc->dc_rec.dr_seq = atomic64_inc_return(&log_seq);
	debug_ring_append(&dc->dc_ring, &dc->dc_rec);
	raw_spin_unlock(&dc->dc_lock);
	local_irq_restore(flags);
}

/* Even share of the total size. */
static size_t log_ring_size(unsigned int mb)
{
	u64 bytes = (u64)mb << 20;

	return max_t(size_t, PAGE_SIZE,
		     div_u64(bytes, num_possible_cpus()) & PAGE_MASK);
}

static void log_free_rings(struct debug_ring *rings)
{
	int cpu;

	for_each_possible_cpu(cpu)
		vfree(rings[cpu].ring_buf);
	kvfree(rings);
}

/* New rings for all processors, or NULL; indexed by processor. */
static struct debug_ring *log_alloc_rings(unsigned int mb)
{
	size_t size = log_ring_size(mb);
	struct debug_ring *rings;
	char *buf;
	int cpu;

	rings = kvcalloc(nr_cpu_ids, sizeof(*rings), GFP_KERNEL);
	if (!rings)
		return NULL;
	for_each_possible_cpu(cpu) {
		buf = vmalloc_node(size, cpu_to_node(cpu));
		if (!buf) {
			log_free_rings(rings);
			return NULL;
		}
		debug_ring_init(&rings[cpu], buf, size);
	}
	return rings;
}

/*
 * Copy some records, from @pos on; under the lock for a bounded time. The last
 * ones are copied together with replacing the ring.
 *
 * Return: true if there is more to do
 */
static bool log_move_some(struct debug_cpu *dc, struct debug_ring *ring,
			  struct debug_pos *pos, struct libcfs_debug_rec *rec)
{
	unsigned long flags;
	bool more = true;
	int n;

	raw_spin_lock_irqsave(&dc->dc_lock, flags);
	for (n = 0; n < LOG_MOVE_RECORDS && more; n++) {
		more = debug_ring_peek(&dc->dc_ring, pos, rec);
		if (more) {
			debug_ring_copy(&dc->dc_ring, *pos, rec, rec->dr_len);
			debug_ring_next(&dc->dc_ring, pos, rec->dr_len);
			debug_ring_append(ring, rec);
		}
	}
	if (!more) {
		debug_ring_follow(ring, &dc->dc_ring);
		swap(*ring, dc->dc_ring);
	}
	raw_spin_unlock_irqrestore(&dc->dc_lock, flags);
	return more;
}

/*
 * Move the newest records that fit to the new ring; @ring is the old one
 * afterwards.
 */
static void log_move_ring(struct debug_cpu *dc, struct debug_ring *ring,
			  struct libcfs_debug_rec *rec)
{
	struct debug_pos pos = { };

	while (log_move_some(dc, ring, &pos, rec))
		cond_resched();
}

static unsigned long log_ram_mb(void)
{
	return totalram_pages() >> (20 - PAGE_SHIFT);
}

/* Largest size of the log, a quarter of the memory, MiB. */
unsigned int debug_log_max_mb(void)
{
	return clamp_t(unsigned long, log_ram_mb() / 4, 1, LOG_MAX_MB);
}

/**
 * debug_log_resize() - change the size of the log, keeping the newest records
 * @mb: MiB for all processors together, 1 to debug_log_max_mb()
 *
 * Context: may sleep
 * Return: 0, -ENOMEM or -ERANGE
 */
int debug_log_resize(unsigned int mb)
{
	struct libcfs_debug_rec *rec;
	struct debug_ring *rings;
	int cpu, rc = -ENOMEM;

	if (mb > debug_log_max_mb())
		return -ERANGE;
	rec = kmalloc(DEBUG_REC_MAX, GFP_KERNEL);
	if (!rec)
		return -ENOMEM;
	mutex_lock(&log_size_lock);
	rings = log_alloc_rings(mb);
	if (rings) {
		for_each_possible_cpu(cpu)
			log_move_ring(debug_log_cpu(cpu), &rings[cpu], rec);
		log_free_rings(rings);
		WRITE_ONCE(log_mb, mb);
		rc = 0;
	}
	mutex_unlock(&log_size_lock);
	kfree(rec);
	return rc;
}

/* Size of the log, MiB for all processors together. */
unsigned int debug_log_mb(void)
{
	return READ_ONCE(log_mb);
}

/* Two MiB a processor, but at most a fiftieth of the memory. */
static unsigned int log_default_mb(void)
{
	return clamp_t(unsigned long, log_ram_mb() / 50, 1,
		       LOG_DEFAULT_MB_PER_CPU * num_possible_cpus());
}

/**
 * debug_log_init() - allocate the log
 * @mb: MiB for all processors together, 0 for the default
 *
 * Context: module init
 * Return: 0, -ENOMEM or -ERANGE
 */
int debug_log_init(unsigned int mb)
{
	int cpu, rc;

	log_cpus = alloc_percpu(struct debug_cpu);
	if (!log_cpus)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		raw_spin_lock_init(&debug_log_cpu(cpu)->dc_lock);
	rc = debug_log_resize(mb ?: log_default_mb());
	if (rc) {
		free_percpu(log_cpus);
		log_cpus = NULL;
	}
	return rc;
}

/* Module exit; no messages follow. */
void debug_log_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		vfree(debug_log_cpu(cpu)->dc_ring.ring_buf);
	free_percpu(log_cpus);
	log_cpus = NULL;
}
