/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The management service on /dev/libcfs: changes of the configuration, waiting
 * until the nodes have applied them, and its logs. libcfs_ioctl.h describes the
 * common part of all calls. All calls need CAP_SYS_ADMIN; -ENODEV unless the
 * service runs on this node.
 */
#ifndef _UAPI_LUSTRE_LITE_MGS_IOCTL_H
#define _UAPI_LUSTRE_LITE_MGS_IOCTL_H

#include "libcfs_ioctl.h"
#include "obd_ioctl.h"

#define MGS_LOGNAME_MAX		64

/*
 * enum mgs_change_op - mc_op, and its texts. FS is the name of a file system,
 * TARGET that of a target, such as "lustre-OST0001".
 */
enum mgs_change_op {
	MGS_SET_PARAM		= 1,	/* PATTERN, VALUE */
	MGS_DEL_PARAM		= 2,	/* PATTERN */
	MGS_CONF_PARAM		= 3,	/* "TARGET.NAME" or "FS.NAME", VALUE */
	MGS_DEL_CONF_PARAM	= 4,	/* "TARGET.NAME" or "FS.NAME" */
	MGS_REPLACE_NIDS	= 5,	/* TARGET, "NID[,NID][:NID[,NID]]" */
	MGS_CLEAR_CONF		= 6,	/* FS or a log */
	MGS_FORK_LCFG		= 7,	/* FS, new name */
	MGS_ERASE_LCFG		= 8,	/* FS */
	MGS_DEL_OST		= 9,	/* TARGET */
	MGS_POOL_NEW		= 10,	/* FS, pool */
	MGS_POOL_ADD		= 11,	/* FS, pool, TARGET */
	MGS_POOL_REM		= 12,	/* FS, pool, TARGET */
	MGS_POOL_DEL		= 13,	/* FS, pool */
	MGS_CANCEL_RECORD	= 14,	/* log; mc_index */
	MGS_WRITECONF		= 15,	/* FS or TARGET: logs written from scratch at registration */
	MGS_REPLACE_TARGET	= 16,	/* TARGET: the next to register takes its place */
};

/* mc_flags, in */
#define MGS_CHANGE_DRY_RUN	0x1	/* check and report only */
#define MGS_CHANGE_FORCE	0x2	/* SET_PARAM, CONF_PARAM: even if no parameter matches */

#define MGS_CHANGE_ARGS_MAX	8192

/**
 * struct mgs_ioc_change - MGS_IOC_CHANGE, one change, whole or not at all
 * @mc_hdr: head
 * @mc_op: enum mgs_change_op
 * @mc_flags: MGS_CHANGE_*
 * @mc_args: texts, each with its NUL
 * @mc_args_len: bytes of all, at most MGS_CHANGE_ARGS_MAX
 * @mc_index: see enum mgs_change_op
 * @mc_generation: out, generation of the configuration after the change, for
 *  MGS_IOC_WAIT. 0: nothing had to be changed
 * @mc_records: out, records written or cancelled
 * @mc_logs: out, logs changed
 * @mc_why: out, as oc_why; after success a remark or empty
 *
 * It is on the disk when this returns 0.
 */
struct mgs_ioc_change {
	struct libcfs_ioc_hdr	mc_hdr;
	__u32			mc_op;
	__u32			mc_flags;
	__u64			mc_args;
	__u32			mc_args_len;
	__u32			mc_index;
	__u64			mc_generation;
	__u32			mc_records;
	__u32			mc_logs;
	char			mc_why[OBD_WHY_MAX];
};

/**
 * struct mgs_ioc_wait - MGS_IOC_WAIT, wait until the connected nodes have a
 * generation
 * @mw_hdr: head
 * @mw_generation: of the configuration
 * @mw_timeout_ms: milliseconds, at most 3600000; 0: do not wait
 * @mw_nodes: out, nodes subscribed to a log that this generation changed
 * @mw_behind: out, nodes that do not have it yet
 * @mw_failed: out, nodes that have it and failed to apply a record
 * @mw_reserved: zero
 * @mw_why: out, the first failed node and its reason
 *
 * -ETIMEDOUT while some are behind.
 */
struct mgs_ioc_wait {
	struct libcfs_ioc_hdr	mw_hdr;
	__u64			mw_generation;
	__u32			mw_timeout_ms;
	__u32			mw_nodes;
	__u32			mw_behind;
	__u32			mw_failed;
	__u64			mw_reserved;
	char			mw_why[OBD_WHY_MAX];
};

/**
 * struct mgs_log_info - a log of the service
 * @li_name: name
 * @li_epoch: generation in which it was written from scratch
 * @li_generation: generation in which it was changed last
 * @li_size: bytes
 * @li_records: live records
 * @li_last_index: index of the last one
 */
struct mgs_log_info {
	char	li_name[MGS_LOGNAME_MAX];
	__u64	li_epoch;
	__u64	li_generation;
	__u64	li_size;
	__u32	li_records;
	__u32	li_last_index;
};

/**
 * struct mgs_ioc_logs - MGS_IOC_LOGS, list the logs by name
 * @logs_hdr: head
 * @logs_buf: buffer for struct mgs_log_info
 * @logs_max: its capacity
 * @logs_count: out, number of logs; if more than logs_max, call again
 */
struct mgs_ioc_logs {
	struct libcfs_ioc_hdr	logs_hdr;
	__u64			logs_buf;
	__u32			logs_max;
	__u32			logs_count;
};

/**
 * struct mgs_ioc_read - MGS_IOC_READ, bytes of a log
 * @mr_hdr: head
 * @mr_name: log
 * @mr_offset: first byte
 * @mr_buf: buffer
 * @mr_len: its bytes, at most 1 MiB
 * @mr_used: out, bytes filled; fewer at the end
 * @mr_size: out, bytes of the log
 * @mr_generation: in: 0, or the expected generation, else -ESTALE; out: its
 *  generation. A reader of several parts passes it on to see one state
 */
struct mgs_ioc_read {
	struct libcfs_ioc_hdr	mr_hdr;
	char			mr_name[MGS_LOGNAME_MAX];
	__u64			mr_offset;
	__u64			mr_buf;
	__u32			mr_len;
	__u32			mr_used;
	__u64			mr_size;
	__u64			mr_generation;
};

#define MGS_IOC_CHANGE	_IOWR(LIBCFS_IOC_MAGIC, 0x60, struct mgs_ioc_change)
#define MGS_IOC_WAIT	_IOWR(LIBCFS_IOC_MAGIC, 0x61, struct mgs_ioc_wait)
#define MGS_IOC_LOGS	_IOWR(LIBCFS_IOC_MAGIC, 0x62, struct mgs_ioc_logs)
#define MGS_IOC_READ	_IOWR(LIBCFS_IOC_MAGIC, 0x63, struct mgs_ioc_read)

LL_UAPI_ASSERT(sizeof(struct mgs_log_info) == 96);

#endif /* _UAPI_LUSTRE_LITE_MGS_IOCTL_H */
