/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * lustre_cfg: one configuration command, in a config log or passed to the
 * kernel. The format is that of real Lustre, byte for byte; all integers are
 * little-endian.
 *
 *	struct lustre_cfg	32 bytes and a length for each buffer, padded to 8
 *	buffer 0		name of the device, with its NUL; may be empty
 *	buffer 1 ...		arguments; each buffer is padded to 8
 *
 * A record whose lcfg_version is byte-swapped was written on a machine of the
 * other byte order; all its integers are swapped.
 */
#ifndef _UAPI_LUSTRE_LITE_LUSTRE_CFG_H
#define _UAPI_LUSTRE_LITE_LUSTRE_CFG_H

#include <linux/types.h>

#include "check.h"

#define LUSTRE_CFG_VERSION		0x1cf60001U
#define LUSTRE_CFG_VERSION_SWAPPED	0x0100f61cU

/* Most buffers, the name of the device included. */
#define LUSTRE_CFG_MAX_BUFCOUNT		8
/* Most bytes of a whole lustre_cfg; a record of a config log has at most 8 KiB. */
#define LUSTRE_CFG_SIZE_MAX		8192

/* A command with this bit must not be ignored if it is unknown. */
#define LCFG_REQUIRED			0x0001000U

enum lcfg_command_type {
	LCFG_ATTACH		= 0x00cf001,	/* device; type, uuid */
	LCFG_DETACH		= 0x00cf002,	/* device */
	LCFG_SETUP		= 0x00cf003,	/* device; arguments of the type */
	LCFG_CLEANUP		= 0x00cf004,	/* device; letters F (force), A (failover) */
	LCFG_ADD_UUID		= 0x00cf005,	/* -; uuid. lcfg_nid, or buffer 2: NID */
	LCFG_DEL_UUID		= 0x00cf006,	/* -; uuid, none for all */
	LCFG_MOUNTOPT		= 0x00cf007,	/* -; profile, lov or osc, lmv or mdc */
	LCFG_DEL_MOUNTOPT	= 0x00cf008,	/* -; profile */
	LCFG_SET_TIMEOUT	= 0x00cf009,	/* -; lcfg_num: seconds */
	LCFG_SET_UPCALL		= 0x00cf00a,	/* no longer in use */
	LCFG_ADD_CONN		= 0x00cf00b,	/* device; uuid. lcfg_num: priority */
	LCFG_DEL_CONN		= 0x00cf00c,	/* device; uuid */
	LCFG_LOV_ADD_OBD	= 0x00cf00d,	/* lov; target uuid, index, generation */
	LCFG_LOV_DEL_OBD	= 0x00cf00e,	/* as LCFG_LOV_ADD_OBD */
	LCFG_PARAM		= 0x00cf00f,	/* device; "name=value" ... */
	LCFG_MARKER		= 0x00cf010,	/* -; struct cfg_marker */
	LCFG_LOG_START		= 0x00ce011,
	LCFG_LOG_END		= 0x00ce012,
	LCFG_LOV_ADD_INA	= 0x00ce013,	/* as LCFG_LOV_ADD_OBD, inactive */
	LCFG_ADD_MDC		= 0x00cf014,	/* lmv; target uuid, index, generation, uuid of the mdc */
	LCFG_DEL_MDC		= 0x00cf015,	/* as LCFG_ADD_MDC */
	LCFG_SPTLRPC_CONF	= 0x00ce016,
	LCFG_POOL_NEW		= 0x00ce020,	/* lov; file system, pool */
	LCFG_POOL_ADD		= 0x00ce021,	/* lov; file system, pool, target */
	LCFG_POOL_REM		= 0x00ce022,	/* as LCFG_POOL_ADD */
	LCFG_POOL_DEL		= 0x00ce023,	/* as LCFG_POOL_NEW */
	LCFG_SET_LDLM_TIMEOUT	= 0x00ce030,	/* -; lcfg_num: seconds */
	LCFG_PRE_CLEANUP	= 0x00cf031,	/* device */
	LCFG_SET_PARAM		= 0x00ce032,	/* owner; "pattern=value", "lctl" */
};

/**
 * struct lustre_cfg - head of a command
 * @lcfg_version: LUSTRE_CFG_VERSION
 * @lcfg_command: enum lcfg_command_type
 * @lcfg_num: argument of some commands
 * @lcfg_flags: undefined; zero
 * @lcfg_nid: ADD_UUID: the NID: type << 16 | network in its upper 32 bits and
 *  an IPv4 address below; zero if buffer 2 has it as text
 * @lcfg_nal: no longer in use
 * @lcfg_bufcount: buffers, 1 to LUSTRE_CFG_MAX_BUFCOUNT
 * @lcfg_buflens: bytes of each buffer without its padding
 */
struct lustre_cfg {
	__le32	lcfg_version;
	__le32	lcfg_command;
	__le32	lcfg_num;
	__le32	lcfg_flags;
	__le64	lcfg_nid;
	__le32	lcfg_nal;
	__le32	lcfg_bufcount;
	__le32	lcfg_buflens[];
};

/* cm_flags */
#define CM_START		0x01	/* the section starts */
#define CM_END			0x02	/* the section ends */
#define CM_SKIP			0x04	/* the section was cancelled */
#define CM_UPGRADE146		0x08	/* made by an upgrade from 1.4 */
#define CM_EXCLUDE		0x10	/* the target is excluded on this client */

#define MTI_NAME_MAXLEN		64

/**
 * struct cfg_marker - buffer 1 of LCFG_MARKER: one end of a section
 * @cm_step: number of the change, the same at both ends
 * @cm_flags: CM_*
 * @cm_vers: version of the writer: major << 24 | minor << 16 | patch << 8 | fix
 * @cm_padding: zero
 * @cm_createtime: seconds since 1970
 * @cm_canceltime: seconds since 1970; 0 unless cancelled
 * @cm_tgtname: target or device of the change, NUL-terminated; bytes after the
 *  NUL are undefined, and not always zero
 * @cm_comment: kind of the change, NUL-terminated
 */
struct cfg_marker {
	__le32	cm_step;
	__le32	cm_flags;
	__le32	cm_vers;
	__le32	cm_padding;
	__le64	cm_createtime;
	__le64	cm_canceltime;
	char	cm_tgtname[MTI_NAME_MAXLEN];
	char	cm_comment[MTI_NAME_MAXLEN];
};

#define LOV_DESC_MAGIC		0xB0CCDE5CU
#define LOV_DESC_UUID_LEN	40

/**
 * struct lov_desc - buffer 1 of the SETUP of a lov or lmv
 * @ld_tgt_count: targets; ADD_OBD defines them today
 * @ld_magic: LOV_DESC_MAGIC; 0 in the setup of an lmv
 * @ld_default_stripe_count: stripes of a new file, -1 for all targets
 * @ld_pattern: kind of striping, 1 for RAID0
 * @ld_default_stripe_size: bytes
 * @ld_default_stripe_offset: index of the first target, -1 for any
 * @ld_padding_0: zero
 * @ld_qos_maxage: lifetime of cached free space, seconds
 * @ld_padding_1: zero
 * @ld_padding_2: zero
 * @ld_uuid: uuid of the device
 */
struct lov_desc {
	__le32	ld_tgt_count;
	__le32	ld_magic;
	__le32	ld_default_stripe_count;
	__le32	ld_pattern;
	__le64	ld_default_stripe_size;
	__le64	ld_default_stripe_offset;
	__le32	ld_padding_0;
	__le32	ld_qos_maxage;
	__le32	ld_padding_1;
	__le32	ld_padding_2;
	char	ld_uuid[LOV_DESC_UUID_LEN];
};

LL_UAPI_ASSERT(sizeof(struct lustre_cfg) == 32);
LL_UAPI_ASSERT(__builtin_offsetof(struct lustre_cfg, lcfg_nid) == 16);
LL_UAPI_ASSERT(__builtin_offsetof(struct lustre_cfg, lcfg_bufcount) == 28);
LL_UAPI_ASSERT(sizeof(struct cfg_marker) == 160);
LL_UAPI_ASSERT(__builtin_offsetof(struct cfg_marker, cm_tgtname) == 32);
LL_UAPI_ASSERT(sizeof(struct lov_desc) == 88);
LL_UAPI_ASSERT(__builtin_offsetof(struct lov_desc, ld_uuid) == 48);

#endif /* _UAPI_LUSTRE_LITE_LUSTRE_CFG_H */
