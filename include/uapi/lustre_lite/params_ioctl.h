/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The parameters tree's calls on /dev/libcfs.
 *
 * Paths are components joined by '/', without a leading or trailing one; the
 * empty path is the root. A component may contain any byte but '/' and NUL,
 * dots included: user space parses the names that users type ("a.b", "a\.b").
 * Path and buffer lengths never count a NUL.
 *
 * No kernel pointer, handle or index crosses the boundary: a listing resumes
 * after the name that it returned last, even if that entry is gone.
 *
 * Errors of any call, one per condition:
 *	ENOENT		no such path
 *	ENODEV		being deleted
 *	EACCES		the mode does not allow it to anyone
 *	EPERM		CAP_SYS_ADMIN is needed
 *	EISDIR, ENOTDIR	a directory in place of a value, or the reverse
 *	EINVAL		text that is not a value; an invalid structure
 *	ERANGE		a value outside its range
 *	ESTALE		the version, or the snapshot, is no longer the one named
 *	EOVERFLOW	the buffer cannot hold even one record; the needed size is
 *			in the length field
 *	E2BIG		a structure, count or value above its limit
 *	ENAMETOOLONG	a name or path above its limit
 *	EPROTO		another ABI major
 *	EFAULT, ENOMEM	as everywhere
 */
#ifndef _UAPI_LUSTRE_LITE_PARAMS_IOCTL_H
#define _UAPI_LUSTRE_LITE_PARAMS_IOCTL_H

#include <linux/types.h>
#include <uapi/lustre_lite/libcfs_ioctl.h>
#include <uapi/lustre_lite/params_value.h>

#define PARAMS_PATH_MAX		4096
#define PARAMS_DEPTH_MAX	32
#define PARAMS_BUF_MAX		(4U * 1024 * 1024)	/* any buffer of one call */
#define PARAMS_BATCH_MAX	(64U * 1024)		/* entries of one batch */
#define PARAMS_REASON_MAX	256			/* reason of a refusal */

/* enum params_type - type of an entry */
enum params_type {
	PARAMS_T_DIR		= 1,
	PARAMS_T_LINK		= 2,
	PARAMS_T_U32		= 3,
	PARAMS_T_U64		= 4,
	PARAMS_T_S32		= 5,
	PARAMS_T_S64		= 6,
	PARAMS_T_BOOL		= 7,
	PARAMS_T_STRING		= 8,
	PARAMS_T_ENUM		= 9,
	PARAMS_T_BYTES		= 10,
	PARAMS_T_TIME		= 11,
	PARAMS_T_STATS		= 12,	/* counters and histograms */
	PARAMS_T_RECORDS	= 13,	/* records that its callback packs */
	PARAMS_T_MASK		= 14,	/* names of bits, "+name -name" */
	PARAMS_T_TRIGGER	= 15,	/* write-only */
	PARAMS_T_MAX
};

/* Mode: S_IFDIR, S_IFREG or S_IFLNK and the permission bits, as in stat(2). */

/* lr_flags, er_flags: declared properties of the entry */
#define PARAMS_EF_VOLATILE	0x01	/* a read has a side effect */
#define PARAMS_EF_TUNABLE	0x02	/* a setting, rather than a statistic */
#define PARAMS_EF_MORE		0x80	/* READ_BATCH: value waits as a snapshot */

/**
 * struct params_ioc_list - PARAMS_IOC_LIST, names below a directory
 * @pl_hdr: head
 * @pl_path: directory
 * @pl_path_len: its bytes
 * @pl_after_len: bytes of @pl_after, 0 starts at the first entry
 * @pl_after: path, relative to @pl_path, of the entry after which to continue;
 *  it may be gone. Entries come in depth-first order, names of one directory in
 *  byte order.
 * @pl_buf: buffer for struct params_list_rec
 * @pl_buf_len: its bytes; on -EOVERFLOW out: size of the next record
 * @pl_used: out, bytes filled
 * @pl_flags: must be zero
 * @pl_depth: levels to list: 1 is the children, 0 is all
 * @pl_count: out, records
 * @pl_eof: out, 1 at the end
 */
struct params_ioc_list {
	struct libcfs_ioc_hdr	pl_hdr;
	__u64			pl_path;
	__u32			pl_path_len;
	__u32			pl_after_len;
	__u64			pl_after;
	__u64			pl_buf;
	__u32			pl_buf_len;
	__u32			pl_used;
	__u32			pl_flags;
	__u32			pl_depth;
	__u32			pl_count;
	__u32			pl_eof;
};

/**
 * struct params_list_rec - an entry in a listing
 * @lr_len: bytes of the record, name and padding to 8 included
 * @lr_mode: kind and permission bits
 * @lr_name_len: bytes of the name
 * @lr_type: enum params_type; of a link its target's
 * @lr_depth: 0 for a child of the directory asked for, 1 for its child ...
 * @lr_version: rises when the value or the children change
 * @lr_flags: PARAMS_EF_*
 * @lr_name: own name, no NUL, padded with zeros
 */
struct params_list_rec {
	__u16	lr_len;
	__u16	lr_mode;
	__u16	lr_name_len;
	__u8	lr_type;
	__u8	lr_depth;
	__u32	lr_version;
	__u32	lr_flags;
	char	lr_name[];
};

/**
 * struct params_ioc_read - PARAMS_IOC_READ, the value of one entry
 * @pr_hdr: head
 * @pr_path: entry; not used with @pr_snapshot
 * @pr_path_len: its bytes
 * @pr_index: in, first record wanted (of a snapshot); out, the next one
 * @pr_buf: buffer for records
 * @pr_buf_len: its bytes; on -EOVERFLOW out: size of the next record
 * @pr_used: out, bytes filled, whole records
 * @pr_snapshot: in, 0 reads the value, else continues with that snapshot; out,
 *  the snapshot with the rest, 0 at the end. An open file has one snapshot, the
 *  newest; the number of an older one is -ESTALE.
 * @pr_version: out, version of the entry before the value was read
 * @pr_flags: must be zero
 * @pr_type: out, enum params_type
 * @pr_mode: out, mode
 * @pr_eof: out, 1 at the end of the value
 * @pr_reserved: must be zero
 */
struct params_ioc_read {
	struct libcfs_ioc_hdr	pr_hdr;
	__u64			pr_path;
	__u32			pr_path_len;
	__u32			pr_index;
	__u64			pr_buf;
	__u32			pr_buf_len;
	__u32			pr_used;
	__u64			pr_snapshot;
	__u32			pr_version;
	__u32			pr_flags;
	__u32			pr_type;
	__u32			pr_mode;
	__u32			pr_eof;
	__u32			pr_reserved;
};

/* rb_flags */
#define PARAMS_RB_SUBTREE	0x1	/* @rb_paths is one directory, not a list */

/**
 * struct params_ioc_read_batch - PARAMS_IOC_READ_BATCH, many values
 * @rb_hdr: head
 * @rb_paths: paths, each ended by a NUL; with PARAMS_RB_SUBTREE one directory,
 *  its NUL counted or not, of which every entry is returned, directories too,
 *  depth first, links and entries whose read has a side effect without their
 *  value
 * @rb_paths_len: bytes, NULs included
 * @rb_count: number of paths
 * @rb_buf: buffer for struct params_entry_rec
 * @rb_buf_len: its bytes; on -EOVERFLOW out: size of the next record
 * @rb_used: out, bytes filled
 * @rb_next: list: in, first path to read; out, path to continue with
 * @rb_flags: PARAMS_RB_*
 * @rb_after: subtree: as @pl_after
 * @rb_after_len: its bytes
 * @rb_eof: out, 1 at the end
 *
 * A path that fails gives a record with er_status; the others are read all the
 * same. A value that does not fit into the rest of the buffer comes as
 * PARAMS_EF_MORE with a snapshot, to be read with PARAMS_IOC_READ on the same
 * open file before the batch continues; the batch ends after it. So a callback
 * runs once for each value read.
 */
struct params_ioc_read_batch {
	struct libcfs_ioc_hdr	rb_hdr;
	__u64			rb_paths;
	__u32			rb_paths_len;
	__u32			rb_count;
	__u64			rb_buf;
	__u32			rb_buf_len;
	__u32			rb_used;
	__u32			rb_next;
	__u32			rb_flags;
	__u64			rb_after;
	__u32			rb_after_len;
	__u32			rb_eof;
};

/**
 * struct params_entry_rec - an entry and its value in a batch
 * @er_len: bytes of the record, name and value included, a multiple of 8
 * @er_status: 0 or a negative errno; then there is no value
 * @er_index: list: number of the path; subtree: depth, as lr_depth
 * @er_version: version before the value was read
 * @er_mode: kind and permission bits
 * @er_name_len: subtree: bytes of the own name; list: 0
 * @er_type: enum params_type; of a link its target's
 * @er_flags: PARAMS_EF_*
 * @er_reserved: zero
 * @er_data: name padded to 8, then value records up to @er_len; with
 *  PARAMS_EF_MORE a __u64 instead of the records: the snapshot
 */
struct params_entry_rec {
	__u32	er_len;
	__s32	er_status;
	__u32	er_index;
	__u32	er_version;
	__u16	er_mode;
	__u16	er_name_len;
	__u8	er_type;
	__u8	er_flags;
	__u16	er_reserved;
	char	er_data[];
};

/* pw_flags, bw_flags, wr_flags */
#define PARAMS_W_TYPED		0x1	/* pw_/wr_: value is records, not text */
#define PARAMS_W_VERSION	0x2	/* pw_/wr_: only if the version is this one */
#define PARAMS_W_DRY_RUN	0x4	/* pw_/bw_: check everything, change nothing */
#define PARAMS_W_ATOMIC		0x8	/* bw_: all or nothing */

/**
 * struct params_ioc_write - PARAMS_IOC_WRITE, set one entry; needs
 * CAP_SYS_ADMIN
 * @pw_hdr: head
 * @pw_path: entry
 * @pw_path_len: its bytes
 * @pw_flags: PARAMS_W_TYPED, PARAMS_W_VERSION, PARAMS_W_DRY_RUN
 * @pw_value: text as a user types it, or records
 * @pw_value_len: its bytes
 * @pw_version: in, version expected; out, version now
 * @pw_reason: buffer for the reason of a refusal, 0 for none
 * @pw_reason_len: in, its bytes; out, bytes filled (no NUL)
 * @pw_reserved: must be zero
 */
struct params_ioc_write {
	struct libcfs_ioc_hdr	pw_hdr;
	__u64			pw_path;
	__u32			pw_path_len;
	__u32			pw_flags;
	__u64			pw_value;
	__u32			pw_value_len;
	__u32			pw_version;
	__u64			pw_reason;
	__u32			pw_reason_len;
	__u32			pw_reserved;
};

/**
 * struct params_ioc_write_batch - PARAMS_IOC_WRITE_BATCH, set many entries;
 * needs CAP_SYS_ADMIN
 * @bw_hdr: head
 * @bw_in: array of struct params_write_rec
 * @bw_in_len: bytes
 * @bw_count: records
 * @bw_out: buffer for struct params_reply_rec, one for each record, in order
 * @bw_out_len: in, its bytes: @bw_count * PARAMS_REPLY_MAX always suffices;
 *  less than @bw_count heads is -EOVERFLOW before anything is done; a reason
 *  that does not fit is omitted
 * @bw_used: out, bytes filled
 * @bw_flags: PARAMS_W_ATOMIC, PARAMS_W_DRY_RUN
 * @bw_failed: out, records with a status other than 0
 * @bw_reserved: must be zero
 *
 * The call itself succeeds once every record was processed. With
 * PARAMS_W_ATOMIC and
 * @bw_failed other than 0 nothing has changed: every value was checked before
 * the first was set, and values set before one was refused were restored (a
 * record whose value could not be restored has the status -EIO). The refused
 * record has its own errno, all others -ECANCELED.
 */
struct params_ioc_write_batch {
	struct libcfs_ioc_hdr	bw_hdr;
	__u64			bw_in;
	__u32			bw_in_len;
	__u32			bw_count;
	__u64			bw_out;
	__u32			bw_out_len;
	__u32			bw_used;
	__u32			bw_flags;
	__u32			bw_failed;
	__u64			bw_reserved;
};

/**
 * struct params_write_rec - one write of a batch
 * @wr_len: bytes of the record, a multiple of 8
 * @wr_flags: PARAMS_W_TYPED, PARAMS_W_VERSION
 * @wr_version: version expected
 * @wr_value_len: bytes of the value
 * @wr_path_len: bytes of the path
 * @wr_reserved: must be zero
 * @wr_reserved2: must be zero
 * @wr_data: path padded to 8, then the value padded to 8
 */
struct params_write_rec {
	__u32	wr_len;
	__u32	wr_flags;
	__u32	wr_version;
	__u32	wr_value_len;
	__u16	wr_path_len;
	__u16	wr_reserved;
	__u32	wr_reserved2;
	char	wr_data[];
};

/**
 * struct params_reply_rec - result of one write of a batch
 * @rr_len: bytes of the record, a multiple of 8
 * @rr_status: 0 or a negative errno
 * @rr_version: version now, 0 if there is no such entry: a callback may return the same
 *  errno
 * @rr_reason_len: bytes of the reason
 * @rr_reason: reason as text, no NUL, padded with zeros
 */
struct params_reply_rec {
	__u32	rr_len;
	__s32	rr_status;
	__u32	rr_version;
	__u32	rr_reason_len;
	char	rr_reason[];
};

#define PARAMS_REPLY_MAX	(sizeof(struct params_reply_rec) + PARAMS_REASON_MAX)

/**
 * struct params_ioc_describe - PARAMS_IOC_DESCRIBE, the declaration of an entry
 * @dsc_hdr: head
 * @dsc_path: entry
 * @dsc_path_len: its bytes
 * @dsc_flags: must be zero
 * @dsc_buf: buffer for named records: "type" (string), "mode" (u64), "flags"
 *  (list of strings), of a setting "source" (string: "default": never set,
 *  "local": set on this node, "permanent": set by the management service), and
 *  if declared "unit" (string), "min", "max", "default" (typed as the value),
 *  "values" (list of strings, of an enum or a mask), "doc" (string), "target"
 *  (string, path of a link's target)
 * @dsc_buf_len: its bytes; on -EOVERFLOW out: bytes needed
 * @dsc_used: out, bytes filled
 */
struct params_ioc_describe {
	struct libcfs_ioc_hdr	dsc_hdr;
	__u64			dsc_path;
	__u32			dsc_path_len;
	__u32			dsc_flags;
	__u64			dsc_buf;
	__u32			dsc_buf_len;
	__u32			dsc_used;
};

#define PARAMS_IOC_LIST		_IOWR(LIBCFS_IOC_MAGIC, 0x10, struct params_ioc_list)
#define PARAMS_IOC_READ		_IOWR(LIBCFS_IOC_MAGIC, 0x11, struct params_ioc_read)
#define PARAMS_IOC_READ_BATCH	_IOWR(LIBCFS_IOC_MAGIC, 0x12, struct params_ioc_read_batch)
#define PARAMS_IOC_WRITE	_IOWR(LIBCFS_IOC_MAGIC, 0x13, struct params_ioc_write)
#define PARAMS_IOC_WRITE_BATCH	_IOWR(LIBCFS_IOC_MAGIC, 0x14, struct params_ioc_write_batch)
#define PARAMS_IOC_DESCRIBE	_IOWR(LIBCFS_IOC_MAGIC, 0x15, struct params_ioc_describe)

LL_UAPI_ASSERT(sizeof(struct params_ioc_list) == 64);
LL_UAPI_ASSERT(sizeof(struct params_list_rec) == 16);
LL_UAPI_ASSERT(sizeof(struct params_ioc_read) == 72);
LL_UAPI_ASSERT(sizeof(struct params_ioc_read_batch) == 64);
LL_UAPI_ASSERT(sizeof(struct params_entry_rec) == 24);
LL_UAPI_ASSERT(sizeof(struct params_ioc_write) == 56);
LL_UAPI_ASSERT(sizeof(struct params_ioc_write_batch) == 56);
LL_UAPI_ASSERT(sizeof(struct params_write_rec) == 24);
LL_UAPI_ASSERT(sizeof(struct params_reply_rec) == 16);
LL_UAPI_ASSERT(sizeof(struct params_ioc_describe) == 40);
LL_UAPI_ASSERT(__builtin_offsetof(struct params_ioc_list, pl_buf) == 32);
LL_UAPI_ASSERT(__builtin_offsetof(struct params_ioc_read, pr_snapshot) == 40);
LL_UAPI_ASSERT(__builtin_offsetof(struct params_ioc_read_batch, rb_after) == 48);
LL_UAPI_ASSERT(__builtin_offsetof(struct params_entry_rec, er_data) == 24);
LL_UAPI_ASSERT(__builtin_offsetof(struct params_ioc_write, pw_reason) == 40);
LL_UAPI_ASSERT(__builtin_offsetof(struct params_ioc_write_batch, bw_out) == 24);
LL_UAPI_ASSERT(__builtin_offsetof(struct params_write_rec, wr_data) == 24);

#endif /* _UAPI_LUSTRE_LITE_PARAMS_IOCTL_H */
