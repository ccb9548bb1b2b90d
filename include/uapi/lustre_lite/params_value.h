/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * A parameter's value at the ioctl boundary: a sequence of typed records, the
 * packed form of params_value_entry in the parameters design of 2008. The
 * kernel packs, user space prints.
 *
 * A plain value is one unnamed record. A structured value (an import, a table
 * of counters) is several named records, nested with LIST_BEGIN / LIST_END.
 * A record is
 *
 *	struct params_value_rec	head, 8 bytes
 *	name			vr_name_len bytes, no NUL, padded to 8
 *	value			vr_len bytes, padded to 8
 *
 * Padding is zero, byte order the host's. No record is longer than
 * PARAMS_REC_MAX: a longer text is split into several records, all but the last
 * with PARAMS_VF_CONT, so a value of any size can be read in chunks.
 */
#ifndef _UAPI_LUSTRE_LITE_PARAMS_VALUE_H
#define _UAPI_LUSTRE_LITE_PARAMS_VALUE_H

#include <linux/types.h>
#include <uapi/lustre_lite/libcfs_ioctl.h>

/**
 * enum params_value_type - type of a record's value
 * @PARAMS_V_U64: __u64
 * @PARAMS_V_S64: __s64
 * @PARAMS_V_BOOL: __u64, 0 or 1
 * @PARAMS_V_STRING: text, vr_len bytes, no NUL
 * @PARAMS_V_BYTES: __u64, a number of bytes
 * @PARAMS_V_BLOB: vr_len octets, not text
 * @PARAMS_V_TIME: struct params_time
 * @PARAMS_V_COUNTER: struct params_counter
 * @PARAMS_V_BUCKET: struct params_bucket, one bar of a histogram
 * @PARAMS_V_LIST_BEGIN: __u64 of enum params_list_kind; contains all up to the
 *  matching END
 * @PARAMS_V_LIST_END: no value
 * @PARAMS_V_HEX: __u64, to be printed in hexadecimal
 */
enum params_value_type {
	PARAMS_V_U64		= 1,
	PARAMS_V_S64		= 2,
	PARAMS_V_BOOL		= 3,
	PARAMS_V_STRING		= 4,
	PARAMS_V_BYTES		= 5,
	PARAMS_V_BLOB		= 6,
	PARAMS_V_TIME		= 7,
	PARAMS_V_COUNTER	= 8,
	PARAMS_V_BUCKET		= 9,
	PARAMS_V_LIST_BEGIN	= 10,
	PARAMS_V_LIST_END	= 11,
	PARAMS_V_HEX		= 12,
};

/* vr_flags */
#define PARAMS_VF_CONT		0x01	/* the next record continues this text */

/**
 * struct params_value_rec - head of a record
 * @vr_type: enum params_value_type
 * @vr_flags: PARAMS_VF_*
 * @vr_name_len: bytes of the name, at most PARAMS_NAME_MAX
 * @vr_len: bytes of the value
 */
struct params_value_rec {
	__u8	vr_type;
	__u8	vr_flags;
	__u16	vr_name_len;
	__u32	vr_len;
};

#define PARAMS_NAME_MAX		255
#define PARAMS_REC_MAX		(64 * 1024)	/* head, name, value, padding */
#define PARAMS_TEXT_CHUNK	(32 * 1024)	/* most text in one record */
#define PARAMS_VALUE_MAX	(64U * 1024 * 1024)	/* all records of a value */
#define PARAMS_NEST_MAX		8		/* lists within lists */

#define PARAMS_ALIGN(n)		(((n) + 7) & ~(__typeof__(n))7)

enum params_list_kind {
	PARAMS_LIST_MAP		= 1,	/* named members, on lines of their own */
	PARAMS_LIST_SEQ		= 2,	/* unnamed members, on lines of their own */
	PARAMS_LIST_FLOW_MAP	= 3,	/* { a: 1, b: 2 } on one line */
	PARAMS_LIST_FLOW_SEQ	= 4,	/* [ a, b ] on one line */
};

/*
 * enum params_unit - unit of a number; selects how it prints and how a bare
 * number that a user types is interpreted. KIB, MIB and GIB are powers of 1024;
 * REQS, LOCKS and REGS are units of real Lustre's counters.
 */
enum params_unit {
	PARAMS_UNIT_NONE	= 0,
	PARAMS_UNIT_BYTES	= 1,
	PARAMS_UNIT_KIB		= 2,
	PARAMS_UNIT_MIB		= 3,
	PARAMS_UNIT_GIB		= 4,
	PARAMS_UNIT_PAGES	= 5,
	PARAMS_UNIT_SEC		= 6,
	PARAMS_UNIT_MSEC	= 7,
	PARAMS_UNIT_USEC	= 8,
	PARAMS_UNIT_NSEC	= 9,
	PARAMS_UNIT_PERCENT	= 10,
	PARAMS_UNIT_REQS	= 11,
	PARAMS_UNIT_LOCKS	= 12,
	PARAMS_UNIT_REGS	= 13,
	PARAMS_UNIT_MAX
};

enum params_time_kind {
	PARAMS_TIME_SPAN	= 0,	/* a duration */
	PARAMS_TIME_WALL	= 1,	/* since 1970 */
};

/**
 * struct params_time - a duration or a moment
 * @pt_ns: nanoseconds, may be negative for a duration
 * @pt_unit: enum params_unit (SEC .. NSEC) to print a duration in
 * @pt_kind: enum params_time_kind
 * @pt_reserved: zero
 */
struct params_time {
	__s64	pt_ns;
	__u16	pt_unit;
	__u16	pt_kind;
	__u32	pt_reserved;
};

#define PARAMS_CF_MINMAX	0x1	/* min, max and sum are valid */
#define PARAMS_CF_STDDEV	0x2	/* sumsq is valid, too */

/**
 * struct params_counter - a counter, summed over all processors at one moment
 * @pc_count: samples
 * @pc_min: smallest sample; 0 while @pc_count is 0
 * @pc_max: largest sample
 * @pc_sum_lo: sum of the samples, low 64 bits
 * @pc_sum_hi: its high 64 bits; a sum saturates instead of wrapping
 * @pc_sumsq_lo: sum of their squares, low 64 bits
 * @pc_sumsq_hi: its high 64 bits
 * @pc_unit: enum params_unit
 * @pc_flags: PARAMS_CF_*
 */
struct params_counter {
	__u64	pc_count;
	__u64	pc_min;
	__u64	pc_max;
	__u64	pc_sum_lo;
	__u64	pc_sum_hi;
	__u64	pc_sumsq_lo;
	__u64	pc_sumsq_hi;
	__u32	pc_unit;
	__u32	pc_flags;
};

/**
 * struct params_bucket - a bucket of a histogram: samples from @pb_low to
 * @pb_high
 * @pb_low: smallest value of the bucket
 * @pb_high: largest value of the bucket, ~0 in the last one
 * @pb_count: samples
 * @pb_unit: enum params_unit of the samples
 * @pb_reserved: zero
 */
struct params_bucket {
	__u64	pb_low;
	__u64	pb_high;
	__u64	pb_count;
	__u32	pb_unit;
	__u32	pb_reserved;
};

LL_UAPI_ASSERT(sizeof(struct params_value_rec) == 8);
LL_UAPI_ASSERT(sizeof(struct params_time) == 16);
LL_UAPI_ASSERT(sizeof(struct params_counter) == 64);
LL_UAPI_ASSERT(sizeof(struct params_bucket) == 32);
LL_UAPI_ASSERT(__builtin_offsetof(struct params_counter, pc_unit) == 56);
LL_UAPI_ASSERT(__builtin_offsetof(struct params_bucket, pb_unit) == 24);
LL_UAPI_ASSERT(__builtin_offsetof(struct params_time, pt_unit) == 8);

#endif /* _UAPI_LUSTRE_LITE_PARAMS_VALUE_H */
