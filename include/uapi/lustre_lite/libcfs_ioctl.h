/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The ioctl device /dev/libcfs: the common part of all calls, the version
 * handshake and the debug log.
 *
 * Every argument starts with struct libcfs_ioc_hdr. ioh_size is the size of the
 * structure as the caller knows it. The module zero-fills members that the
 * caller does not know, and refuses (-E2BIG) members that it does not know
 * itself unless they are zero. So either side may be newer within one ABI
 * major. For the same reason the size that _IOWR() encodes in the command
 * number is ignored: type and number alone identify a call.
 *
 * All integers have host byte order, all pointers are __u64, every field is
 * naturally aligned, and no structure has a hole: a 32-bit program works with a
 * 64-bit kernel unchanged.
 */
#ifndef _UAPI_LUSTRE_LITE_LIBCFS_IOCTL_H
#define _UAPI_LUSTRE_LITE_LIBCFS_IOCTL_H

#include <linux/ioctl.h>
#include <linux/types.h>

#include "check.h"

#define LIBCFS_DEV_NAME		"libcfs"
#define LIBCFS_DEV_PATH		"/dev/libcfs"

/* ABI version: a new major is incompatible, a new minor adds. */
#define LIBCFS_ABI_MAJOR	1
#define LIBCFS_ABI_MINOR	0
#define LIBCFS_ABI_VERSION	((LIBCFS_ABI_MAJOR << 16) | LIBCFS_ABI_MINOR)
#define LIBCFS_ABI_MAJOR_OF(v)	((v) >> 16)
#define LIBCFS_ABI_MINOR_OF(v)	((v) & 0xffff)

/**
 * struct libcfs_ioc_hdr - head of every ioctl argument
 * @ioh_size: size of the whole argument in bytes, this head included
 * @ioh_abi: LIBCFS_ABI_VERSION the caller was built with; another major is
 *	refused with -EPROTO by every call but LIBCFS_IOC_VERSION
 */
struct libcfs_ioc_hdr {
	__u32	ioh_size;
	__u32	ioh_abi;
};

#define LIBCFS_IOC_MAGIC	0xb9

/* Number ranges: each module registers its own. */
#define LIBCFS_IOC_NR_CORE	0x00	/* .. 0x0f libcfs itself */
#define LIBCFS_IOC_NR_PARAMS	0x10	/* .. 0x1f parameters tree */
#define LIBCFS_IOC_NR_OBD	0x20	/* .. 0x3f obdclass */
#define LIBCFS_IOC_NR_RPC	0x40	/* .. 0x4f ptlrpc */
#define LIBCFS_IOC_NR_ECHO	0x50	/* .. 0x5f obdecho */
#define LIBCFS_IOC_NR_MGS	0x60	/* .. 0x6f mgs */
#define LIBCFS_IOC_NR_TEST	0xf0	/* .. 0xff test modules */
#define LIBCFS_IOC_NR_END	0x100

#define LIBCFS_RELEASE_LEN	32

/**
 * struct libcfs_ioc_version - LIBCFS_IOC_VERSION, versions and limits
 * @v_hdr: head; any ABI version is accepted here
 * @v_abi: out, LIBCFS_ABI_VERSION of the module
 * @v_name_max: out, longest name of one entry in bytes, without NUL
 * @v_path_max: out, longest path in bytes, without NUL
 * @v_depth_max: out, most components in a path
 * @v_buf_max: out, most bytes of any buffer of one call
 * @v_reserved: out, zero
 * @v_release: out, release of the module as text, NUL-terminated
 */
struct libcfs_ioc_version {
	struct libcfs_ioc_hdr	v_hdr;
	__u32			v_abi;
	__u32			v_name_max;
	__u32			v_path_max;
	__u32			v_depth_max;
	__u32			v_buf_max;
	__u32			v_reserved;
	char			v_release[LIBCFS_RELEASE_LEN];
};

#define LIBCFS_DEBUG_MARK_MAX	512

/**
 * struct libcfs_ioc_debug - the debug log's calls
 * @dbg_hdr: head
 * @dbg_buf: READ: buffer for records; MARK: the text (no NUL needed)
 * @dbg_buf_len: bytes of @dbg_buf; READ, on -EOVERFLOW out: size of the next
 *  record; MARK: at most LIBCFS_DEBUG_MARK_MAX
 * @dbg_used: out, READ: bytes filled, a whole number of records
 * @dbg_cursor: READ, in and out: 0 starts at the oldest record in the log; pass
 *  the returned value to continue. CLEAR, in: only records before the cursor
 *  are cleared, 0 clears all
 * @dbg_lost: out, READ: records overwritten before they could be read, in the
 *  range of this call; with a cursor of 0 that range starts at the oldest
 *  record in the log
 * @dbg_eof: out, READ: 1 if the log has no record after the cursor
 * @dbg_reserved: must be zero
 *
 * READ, CLEAR and MARK need CAP_SYS_ADMIN.
 */
struct libcfs_ioc_debug {
	struct libcfs_ioc_hdr	dbg_hdr;
	__u64			dbg_buf;
	__u32			dbg_buf_len;
	__u32			dbg_used;
	__u64			dbg_cursor;
	__u64			dbg_lost;
	__u32			dbg_eof;
	__u32			dbg_reserved;
};

/**
 * struct libcfs_debug_rec - one record of the debug log
 * @dr_len: bytes of the record: this head, the three texts with a NUL each,
 *  padding to 8
 * @dr_cpu: processor that wrote it
 * @dr_subsys: one bit of the subsystem mask
 * @dr_mask: one bit of the level mask
 * @dr_seq: rises by one with every record of all processors
 * @dr_time_ns: wall clock, nanoseconds since 1970
 * @dr_pid: task
 * @dr_line: line of the source file
 * @dr_stack: bytes of kernel stack in use, 0 if unknown
 * @dr_file_len: bytes of the file name, with its NUL
 * @dr_func_len: bytes of the function name, with its NUL
 * @dr_text_len: bytes of the message, with its NUL; the message ends in a
 *  newline
 * @dr_reserved: zero
 * @dr_data: file name, function name, message
 */
struct libcfs_debug_rec {
	__u32	dr_len;
	__u32	dr_cpu;
	__u32	dr_subsys;
	__u32	dr_mask;
	__u64	dr_seq;
	__u64	dr_time_ns;
	__u32	dr_pid;
	__u32	dr_line;
	__u32	dr_stack;
	__u16	dr_file_len;
	__u16	dr_func_len;
	__u32	dr_text_len;
	__u32	dr_reserved;
	char	dr_data[];
};

#define LIBCFS_IOC_VERSION	_IOWR(LIBCFS_IOC_MAGIC, 0x00, struct libcfs_ioc_version)
#define LIBCFS_IOC_DEBUG_READ	_IOWR(LIBCFS_IOC_MAGIC, 0x01, struct libcfs_ioc_debug)
#define LIBCFS_IOC_DEBUG_CLEAR	_IOWR(LIBCFS_IOC_MAGIC, 0x02, struct libcfs_ioc_debug)
#define LIBCFS_IOC_DEBUG_MARK	_IOWR(LIBCFS_IOC_MAGIC, 0x03, struct libcfs_ioc_debug)

LL_UAPI_ASSERT(sizeof(struct libcfs_ioc_hdr) == 8);
LL_UAPI_ASSERT(sizeof(struct libcfs_ioc_version) == 64);
LL_UAPI_ASSERT(sizeof(struct libcfs_ioc_debug) == 48);
LL_UAPI_ASSERT(sizeof(struct libcfs_debug_rec) == 56);
LL_UAPI_ASSERT(__builtin_offsetof(struct libcfs_ioc_version, v_release) == 32);
LL_UAPI_ASSERT(__builtin_offsetof(struct libcfs_ioc_debug, dbg_cursor) == 24);
LL_UAPI_ASSERT(__builtin_offsetof(struct libcfs_debug_rec, dr_pid) == 32);
LL_UAPI_ASSERT(__builtin_offsetof(struct libcfs_debug_rec, dr_data) == 56);

#endif /* _UAPI_LUSTRE_LITE_LIBCFS_IOCTL_H */
