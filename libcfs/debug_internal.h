/* SPDX-License-Identifier: GPL-2.0-only */
/* Common definitions of the debug log. */
#ifndef _LIBCFS_DEBUG_INTERNAL_H
#define _LIBCFS_DEBUG_INTERNAL_H

#include <linux/spinlock.h>
#include <linux/stdarg.h>
#include <linux/types.h>

#include <uapi/lustre_lite/libcfs_ioctl.h>

#include "debug_ring.h"
#include "libcfs_internal.h"

struct libcfs_debug_site;

/* Longest file or function name and message in a record, NUL included. */
#define DEBUG_NAME_MAX		64
#define DEBUG_TEXT_MAX		1024
#define DEBUG_REC_MAX							\
	(sizeof(struct libcfs_debug_rec) + 2 * DEBUG_NAME_MAX + DEBUG_TEXT_MAX)

/**
 * struct debug_cpu - the records of one processor
 * @dc_lock: guards all below; taken with interrupts off, for one record or a
 *  bounded number of them
 * @dc_ring: the records
 * @dc_hint: last position of a reader in the ring
 * @dc_hint_seq: every record before @dc_hint has a lower number
 * @dc_rec: buffer of the record being built
 * @dc_space: memory of @dc_rec
 */
struct debug_cpu {
	raw_spinlock_t			dc_lock;
	struct debug_ring		dc_ring;
	struct debug_pos		dc_hint;
	u64				dc_hint_seq;
	union {
		struct libcfs_debug_rec	dc_rec;
		char			dc_space[DEBUG_REC_MAX];
	};
};

/* debug.c */
int debug_set_mask(u32 mask);
int debug_set_subsys(u32 subsys);
int debug_init(u32 mask, u32 subsys, unsigned int mb);
void debug_exit(void);

/* debug_log.c */
int debug_log_init(unsigned int mb);
void debug_log_exit(void);
int debug_log_resize(unsigned int mb);
unsigned int debug_log_mb(void);
unsigned int debug_log_max_mb(void);
__printf(3, 0)
void debug_log_add(const struct libcfs_debug_site *site, u32 level,
		   const char *fmt, va_list args);
struct debug_cpu *debug_log_cpu(int cpu);
u64 debug_log_newest(void);
u64 debug_log_cleared(void);
void debug_log_clear(u64 seq);

/* debug_read.c */

/**
 * struct debug_head - the next record of one processor
 * @dh_pos: position before it
 * @dh_seq: its sequence number, U64_MAX if there is none
 * @dh_len: its bytes
 */
struct debug_head {
	struct debug_pos	dh_pos;
	u64			dh_seq;
	u32			dh_len;
};

/**
 * struct debug_reader - reading all rings, in the order of the records
 * @dbr_next: next sequence number
 * @dbr_limit: end of the range to read
 * @dbr_lost: numbers skipped because their records are overwritten
 * @dbr_oldest: nothing was read yet, and records before the first one are not
 *  lost
 * @dbr_heads: for each processor
 */
struct debug_reader {
	u64			dbr_next;
	u64			dbr_limit;
	u64			dbr_lost;
	bool			dbr_oldest;
	struct debug_head	dbr_heads[];
};

struct debug_reader *debug_reader_start(u64 cursor);
u32 debug_reader_peek(struct debug_reader *reader);
bool debug_reader_take(struct debug_reader *reader,
		       struct libcfs_debug_rec *rec);
void debug_reader_end(struct debug_reader *reader);

/* debug_ioctl.c */
long debug_ioctl(unsigned int nr, void __user *arg, size_t size);

/* debug_params.c */
int debug_params_add(libcfs_add_attrs_t *add);

#endif /* _LIBCFS_DEBUG_INTERNAL_H */
