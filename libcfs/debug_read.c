// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading the rings of the debug log as one log.
 *
 * A record gets its number under the lock of its ring. So once a reader has the
 * newest number, every record up to it is found under its ring's lock unless it
 * was overwritten: a missing number is a lost record.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "debug_internal.h"

#define READ_SEEK_RECORDS	256

/* Advance to the first record from @next on, in bounded time. */
static bool head_seek_some(struct debug_head *head, struct debug_cpu *dc,
			   u64 next)
{
	struct libcfs_debug_rec rec;
	int n;

	lockdep_assert_held(&dc->dc_lock);
	for (n = 0; n < READ_SEEK_RECORDS; n++) {
		if (!debug_ring_peek(&dc->dc_ring, &head->dh_pos, &rec)) {
			head->dh_seq = U64_MAX;
			return false;
		}
		if (rec.dr_seq >= next) {
			head->dh_seq = rec.dr_seq;
			head->dh_len = rec.dr_len;
			return false;
		}
		debug_ring_next(&dc->dc_ring, &head->dh_pos, rec.dr_len);
	}
	return true;
}

static void head_seek(struct debug_head *head, struct debug_cpu *dc, u64 next)
{
	unsigned long flags;
	bool more;

	do {
		raw_spin_lock_irqsave(&dc->dc_lock, flags);
		more = head_seek_some(head, dc, next);
		raw_spin_unlock_irqrestore(&dc->dc_lock, flags);
		cond_resched();
	} while (more);
}

/* Start at the last position of a reader, if that is not beyond @next. */
static void head_start(struct debug_head *head, struct debug_cpu *dc, u64 next)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&dc->dc_lock, flags);
	if (dc->dc_hint_seq <= next)
		head->dh_pos = dc->dc_hint;
	raw_spin_unlock_irqrestore(&dc->dc_lock, flags);
	head_seek(head, dc, next);
}

/* Save the position for the next reader. */
static void head_end(const struct debug_head *head, struct debug_cpu *dc,
		     u64 next)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&dc->dc_lock, flags);
	dc->dc_hint = head->dh_pos;
	dc->dc_hint_seq = next;
	raw_spin_unlock_irqrestore(&dc->dc_lock, flags);
}

/**
 * debug_reader_start() - read the log as it is now
 * @cursor: number of the first record wanted, 0 for the oldest one
 *
 * Context: may sleep
 * Return: a reader, for debug_reader_end(); ERR_PTR of -ENOMEM, or of -EINVAL
 *  for a cursor in the future
 */
struct debug_reader *debug_reader_start(u64 cursor)
{
	u64 limit = debug_log_newest() + 1;
	struct debug_reader *reader;
	int cpu;

	if (cursor > limit)
		return ERR_PTR(-EINVAL);
	reader = kvzalloc(struct_size(reader, dbr_heads, nr_cpu_ids),
			  GFP_KERNEL);
	if (!reader)
		return ERR_PTR(-ENOMEM);
	reader->dbr_limit = limit;
	reader->dbr_next = max(cursor, debug_log_cleared() + 1);
	reader->dbr_oldest = !cursor;
	for_each_possible_cpu(cpu)
		head_start(&reader->dbr_heads[cpu], debug_log_cpu(cpu),
			   reader->dbr_next);
	return reader;
}

static int reader_first(const struct debug_reader *reader)
{
	u64 least = reader->dbr_limit;
	int cpu, first = -1;

	for_each_possible_cpu(cpu) {
		if (reader->dbr_heads[cpu].dh_seq < least) {
			least = reader->dbr_heads[cpu].dh_seq;
			first = cpu;
		}
	}
	return first;
}

/* The reader is at a record, or at the end: the numbers before are lost. */
static void reader_advance(struct debug_reader *reader, u64 seq)
{
	if (!reader->dbr_oldest && seq > reader->dbr_next)
		reader->dbr_lost += seq - reader->dbr_next;
	reader->dbr_next = max(reader->dbr_next, seq);
}

/**
 * debug_reader_peek() - bytes of the next record
 * @reader: reader
 *
 * Context: any
 * Return: the bytes, 0 at the end; dbr_next and dbr_lost are final then
 */
u32 debug_reader_peek(struct debug_reader *reader)
{
	int cpu = reader_first(reader);

	if (cpu >= 0)
		return reader->dbr_heads[cpu].dh_len;
	reader_advance(reader, reader->dbr_limit);
	return 0;
}

/**
 * debug_reader_take() - copy the next record
 * @reader: reader of which debug_reader_peek() did not return 0
 * @rec: buffer of at least that size
 *
 * Context: may sleep
 * Return: false if it was overwritten meanwhile: peek again
 */
bool debug_reader_take(struct debug_reader *reader,
		       struct libcfs_debug_rec *rec)
{
	int cpu = reader_first(reader);
	struct debug_cpu *dc = debug_log_cpu(cpu);
	struct debug_head *head = &reader->dbr_heads[cpu];
	struct libcfs_debug_rec now;
	unsigned long flags;
	bool same;

	raw_spin_lock_irqsave(&dc->dc_lock, flags);
	same = debug_ring_peek(&dc->dc_ring, &head->dh_pos, &now) &&
	       now.dr_seq == head->dh_seq;
	if (same) {
		debug_ring_copy(&dc->dc_ring, head->dh_pos, rec, now.dr_len);
		debug_ring_next(&dc->dc_ring, &head->dh_pos, now.dr_len);
	}
	raw_spin_unlock_irqrestore(&dc->dc_lock, flags);
	if (same) {
		reader_advance(reader, now.dr_seq);
		reader->dbr_next++;
		reader->dbr_oldest = false;
	}
	head_seek(head, dc, reader->dbr_next);
	return same;
}

/**
 * debug_reader_end() - end reading
 * @reader: reader
 *
 * Context: may sleep
 */
void debug_reader_end(struct debug_reader *reader)
{
	int cpu;

	for_each_possible_cpu(cpu)
		head_end(&reader->dbr_heads[cpu], debug_log_cpu(cpu),
			 reader->dbr_next);
	kvfree(reader);
}
