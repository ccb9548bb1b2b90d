/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Object devices on /dev/libcfs: commands, single devices, replay of a config
 * log. libcfs_ioctl.h describes the common part of all calls. All calls need
 * CAP_SYS_ADMIN except OBD_IOC_DEVICE, which reveals no more than a device
 * list.
 */
#ifndef _UAPI_LUSTRE_LITE_OBD_IOCTL_H
#define _UAPI_LUSTRE_LITE_OBD_IOCTL_H

#include "libcfs_ioctl.h"
#include "lustre_cfg.h"
#include "obd.h"

/* An index of no device. */
#define OBD_INDEX_NONE		0xffffffffU

/* Most bytes of the reason of a refusal, NUL included. */
#define OBD_WHY_MAX		256

/**
 * struct obd_ioc_config - OBD_IOC_CONFIG, apply one lustre_cfg
 * @oc_hdr: head
 * @oc_cfg: the lustre_cfg
 * @oc_cfg_len: its bytes, at most LUSTRE_CFG_SIZE_MAX
 * @oc_flags: none yet, zero
 * @oc_index: in: device of the command, OBD_INDEX_NONE to use the name in
 *  buffer 0; out: the device, OBD_INDEX_NONE if there is none
 * @oc_reserved: zero
 * @oc_why: out, reason of a refusal as text, else empty
 */
struct obd_ioc_config {
	struct libcfs_ioc_hdr	oc_hdr;
	__u64			oc_cfg;
	__u32			oc_cfg_len;
	__u32			oc_flags;
	__u32			oc_index;
	__u32			oc_reserved;
	char			oc_why[OBD_WHY_MAX];
};

/**
 * struct obd_ioc_device - OBD_IOC_DEVICE, find a device
 * @od_hdr: head
 * @od_index: in: number, or OBD_INDEX_NONE to find it by @od_name or, if that
 *  is empty, by @od_uuid; out: number
 * @od_status: out, enum obd_status
 * @od_refcount: out
 * @od_reserved: zero
 * @od_name: name, NUL-terminated
 * @od_uuid: uuid; of several devices the lowest number is found
 * @od_type: out, name of the type
 *
 * -ENODEV if there is none.
 */
struct obd_ioc_device {
	struct libcfs_ioc_hdr	od_hdr;
	__u32			od_index;
	__u32			od_status;
	__u32			od_refcount;
	__u32			od_reserved;
	char			od_name[MAX_OBD_NAME];
	char			od_uuid[UUID_MAX];
	char			od_type[MAX_OBD_TYPE];
};

/* enum obd_import_op - oi_op */
enum obd_import_op {
	OBD_IMPORT_ACTIVATE	= 1,
	OBD_IMPORT_DEACTIVATE	= 2,
	OBD_IMPORT_RECOVER	= 3,	/* oi_uuid: server to connect to, may be empty */
};

/**
 * struct obd_ioc_import - OBD_IOC_IMPORT, control a device's import
 * @oi_hdr: head
 * @oi_index: device
 * @oi_op: enum obd_import_op
 * @oi_uuid: see enum obd_import_op
 * @oi_why: out, as oc_why
 *
 * -EOPNOTSUPP if the device has no import.
 */
struct obd_ioc_import {
	struct libcfs_ioc_hdr	oi_hdr;
	__u32			oi_index;
	__u32			oi_op;
	char			oi_uuid[UUID_MAX];
	char			oi_why[OBD_WHY_MAX];
};

/* enum obd_replay_done - what the consumer did with a record */
enum obd_replay_done {
	OBD_REPLAY_APPLIED	= 1,
	OBD_REPLAY_SKIPPED	= 2,	/* cancelled, or outside of any section */
	OBD_REPLAY_FAILED	= 3,
	OBD_REPLAY_IGNORED	= 4,	/* optional, and unknown or not possible here */
	OBD_REPLAY_MARKER	= 5,
};

/**
 * struct obd_replay_rec - result of one record
 * @orr_len: bytes of this, a multiple of 8
 * @orr_index: index in the log
 * @orr_command: lcfg_command
 * @orr_done: enum obd_replay_done
 * @orr_status: 0 or a negative errno
 * @orr_device_len: bytes of the device's name, no NUL
 * @orr_why_len: bytes of the reason, no NUL
 * @orr_text: device, reason
 */
struct obd_replay_rec {
	__u32	orr_len;
	__u32	orr_index;
	__u32	orr_command;
	__u32	orr_done;
	__s32	orr_status;
	__u16	orr_device_len;
	__u16	orr_why_len;
	char	orr_text[];
};

/* or_flags, in */
#define OBD_REPLAY_DRY_RUN	0x1	/* validate and report only */
/*
 * or_state: position of the reader relative to sections; in and out, 0 at first
 */
#define CFG_F_START		0x01	/* inside of a section */
#define CFG_F_SKIP		0x04	/* ... that was cancelled */
#define CFG_F_EXCLUDE		0x10	/* ... of an excluded target */

#define OBD_EXCLUDE_MAX		4096

/**
 * struct obd_ioc_replay - OBD_IOC_REPLAY, feed a config log to the consumer
 * @or_hdr: head
 * @or_fd: the log, open for reading
 * @or_flags: OBD_REPLAY_DRY_RUN
 * @or_instance: suffix of the names of devices, 0 for none
 * @or_uuid: replaces the uuid of attached devices, unless empty
 * @or_exclude: names of targets to leave inactive, joined by ':', or 0
 * @or_exclude_len: bytes of @or_exclude, at most OBD_EXCLUDE_MAX
 * @or_state: CFG_F_*
 * @or_last: in: index of the record before the first one to process; out: the
 *  last one processed
 * @or_eof: out, 1 at the end of the log; 0 if @or_buf is full: call again with
 *  the returned values
 * @or_buf: buffer for struct obd_replay_rec
 * @or_buf_len: its bytes, at least 1024
 * @or_used: out, bytes filled
 * @or_applied: out, records of this call by result
 * @or_skipped: out
 * @or_failed: out
 * @or_reserved: zero
 * @or_why: out, as oc_why: why the log could not be read on
 *
 * Failed records are in the report and do not end the replay. The call fails if
 * the log is not a config log or is damaged.
 */
struct obd_ioc_replay {
	struct libcfs_ioc_hdr	or_hdr;
	__s32			or_fd;
	__u32			or_flags;
	__u64			or_instance;
	char			or_uuid[UUID_MAX];
	__u64			or_exclude;
	__u32			or_exclude_len;
	__u32			or_state;
	__u32			or_last;
	__u32			or_eof;
	__u64			or_buf;
	__u32			or_buf_len;
	__u32			or_used;
	__u32			or_applied;
	__u32			or_skipped;
	__u32			or_failed;
	__u32			or_reserved;
	char			or_why[OBD_WHY_MAX];
};

/**
 * struct obd_ioc_instance - OBD_IOC_INSTANCE_CLEANUP, remove an instance
 * @on_hdr: head
 * @on_instance: instance; its devices are cleaned up and detached, the youngest
 *  first, and its profiles removed
 * @on_force: do not wait for peers
 * @on_count: out, devices removed
 * @on_why: out, as oc_why
 */
struct obd_ioc_instance {
	struct libcfs_ioc_hdr	on_hdr;
	__u64			on_instance;
	__u32			on_force;
	__u32			on_count;
	char			on_why[OBD_WHY_MAX];
};

#define OBD_IOC_CONFIG	_IOWR(LIBCFS_IOC_MAGIC, 0x20, struct obd_ioc_config)
#define OBD_IOC_DEVICE	_IOWR(LIBCFS_IOC_MAGIC, 0x21, struct obd_ioc_device)
#define OBD_IOC_IMPORT	_IOWR(LIBCFS_IOC_MAGIC, 0x22, struct obd_ioc_import)
#define OBD_IOC_REPLAY	_IOWR(LIBCFS_IOC_MAGIC, 0x23, struct obd_ioc_replay)
#define OBD_IOC_INSTANCE_CLEANUP \
	_IOWR(LIBCFS_IOC_MAGIC, 0x24, struct obd_ioc_instance)

LL_UAPI_ASSERT(sizeof(struct obd_ioc_config) == 288);
LL_UAPI_ASSERT(sizeof(struct obd_ioc_device) == 224);
LL_UAPI_ASSERT(sizeof(struct obd_ioc_import) == 312);
LL_UAPI_ASSERT(sizeof(struct obd_replay_rec) == 24);
LL_UAPI_ASSERT(sizeof(struct obd_ioc_replay) == 376);
LL_UAPI_ASSERT(sizeof(struct obd_ioc_instance) == 280);

#endif /* _UAPI_LUSTRE_LITE_OBD_IOCTL_H */
