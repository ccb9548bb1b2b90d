/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * llog: a log file of numbered records, in the format of real Lustre. All integers are
 * little-endian; a log whose magic is byte-swapped was written on a machine of the
 * other byte order, and all its integers are swapped.
 *
 *	chunk 0		struct llog_log_hdr: header, bitmap, tail
 *	chunk 1 ...	records: llog_rec_hdr, body, llog_rec_tail
 *
 * The size of a chunk is the length of the header. No record crosses the end of a
 * chunk: a record of type LLOG_PAD_MAGIC fills the rest. Index numbers rise by one
 * from 1, padding included. A record is live while its bit in the bitmap is set; bit 0
 * is the header's.
 */
#ifndef _UAPI_LUSTRE_LITE_LLOG_H
#define _UAPI_LUSTRE_LITE_LLOG_H

#include <linux/types.h>

#include "check.h"

#define LLOG_OP_MAGIC		0x10600000U
#define LLOG_OP_MASK		0xfff00000U

/* lrh_type */
#define LLOG_PAD_MAGIC		0x10600000U
#define OBD_CFG_REC		0x10620000U	/* body: struct lustre_cfg */
#define LLOG_GEN_REC		0x10640000U
#define LLOG_HDR_MAGIC		0x10645539U
#define LLOG_LOGID_MAGIC	0x1064553bU

/* llh_flags */
#define LLOG_F_ZAP_WHEN_EMPTY	0x0001
#define LLOG_F_IS_CAT		0x0002
#define LLOG_F_IS_PLAIN		0x0004
#define LLOG_F_EXT_JOBID	0x0008
#define LLOG_F_IS_FIXSIZE	0x0010

#define LLOG_MIN_CHUNK_SIZE	8192
#define LLOG_MAX_CHUNK_SIZE	65536
#define LLOG_MIN_REC_SIZE	24
#define LLOG_HEADER_SIZE	88	/* bytes before the bitmap */
#define LLOG_TGTUUID_LEN	40
/* Body alignment and rounding of lrh_len. */
#define LLOG_ALIGN		8

/**
 * struct llog_rec_hdr - head of a record
 * @lrh_len: bytes of the record, this head and the tail included; multiple of 8
 * @lrh_index: number
 * @lrh_type: type
 * @lrh_id: 0
 */
struct llog_rec_hdr {
	__le32	lrh_len;
	__le32	lrh_index;
	__le32	lrh_type;
	__le32	lrh_id;
};

/**
 * struct llog_rec_tail - end of a record, repeats the head
 * @lrt_len: as lrh_len
 * @lrt_index: as lrh_index; in the log's header: the last index allocated
 */
struct llog_rec_tail {
	__le32	lrt_len;
	__le32	lrt_index;
};

/**
 * struct llog_log_hdr - chunk 0, without bitmap and tail
 * @llh_hdr: head: length is the chunk size, index 0, type LLOG_HDR_MAGIC
 * @llh_timestamp: creation of the log, seconds since 1970
 * @llh_count: live records, the header included
 * @llh_bitmap_offset: offset of the bitmap, 88
 * @llh_size: size of each record with LLOG_F_IS_FIXSIZE; 80 without a meaning
 *  in config logs
 * @llh_flags: LLOG_F_*
 * @llh_cat_idx: index in the catalog
 * @llh_tgtuuid: "config_uuid" in config logs of servers that fill it
 * @llh_reserved: zero
 * @llh_bitmap: up to the tail, which ends the chunk
 */
struct llog_log_hdr {
	struct llog_rec_hdr	llh_hdr;
	__le64			llh_timestamp;
	__le32			llh_count;
	__le32			llh_bitmap_offset;
	__le32			llh_size;
	__le32			llh_flags;
	__le32			llh_cat_idx;
	char			llh_tgtuuid[LLOG_TGTUUID_LEN];
	__le32			llh_reserved;
	__u8			llh_bitmap[];
};

/* Bits for records in a chunk of that size. */
#define LLOG_BITMAP_BITS(chunk)	(((chunk) - LLOG_HEADER_SIZE - 8U) * 8U)

LL_UAPI_ASSERT(sizeof(struct llog_rec_hdr) == 16);
LL_UAPI_ASSERT(sizeof(struct llog_rec_tail) == 8);
LL_UAPI_ASSERT(sizeof(struct llog_log_hdr) == LLOG_HEADER_SIZE);
LL_UAPI_ASSERT(__builtin_offsetof(struct llog_log_hdr, llh_timestamp) == 16);
LL_UAPI_ASSERT(__builtin_offsetof(struct llog_log_hdr, llh_tgtuuid) == 44);
LL_UAPI_ASSERT(LLOG_BITMAP_BITS(LLOG_MIN_CHUNK_SIZE) == 64768);

#endif /* _UAPI_LUSTRE_LITE_LLOG_H */
