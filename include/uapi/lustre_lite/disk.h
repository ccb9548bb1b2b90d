/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * A target on disk: a backend directory in any local file system.
 *
 *	CONFIGS/mountdata	struct lustre_disk_data: identity of the target
 *	CONFIGS/LOG		a management service: its config logs; any other
 *				target: verified copies of those it subscribes to
 *	CONFIGS/LOG.copy	struct ll_log_copy: log and generation of the copy
 *	target_secret		struct ll_target_secret, mode 0600: by its
 *				key the management service identifies the target
 *
 * mountdata is that of real Lustre, byte for byte; all integers are
 * little-endian. The other files of a management service are in mgs_disk.h.
 */
#ifndef _UAPI_LUSTRE_LITE_DISK_H
#define _UAPI_LUSTRE_LITE_DISK_H

#include <linux/types.h>

#include "check.h"
#include "lustre_fid.h"

#define MOUNT_CONFIGS_DIR	"CONFIGS"
#define MOUNT_DATA_FILE		"CONFIGS/mountdata"
#define MOUNT_SECRET_FILE	"target_secret"
/* Log of the settings for all nodes; names of logs of file systems begin with their name. */
#define PARAMS_FILENAME		"params"

#define LDD_MAGIC		0x1dd00001U
#define LDD_FSNAME_LEN		64
#define LDD_SVNAME_LEN		64
#define LDD_UUID_LEN		40
#define LDD_OPTS_LEN		4096
#define LDD_PARAMS_LEN		4096

/* Most bytes of a file system's name; letters, digits, '_' and '-', a letter first. */
#define LUSTRE_MAXFSNAME	8
/* ldd_svindex and names while no index is assigned: "lustre-OSTffff". */
#define LDD_INDEX_NONE		0xffffU

/* ldd_flags; also those of a registration */
#define LDD_F_SV_TYPE_MDT	0x0001
#define LDD_F_SV_TYPE_OST	0x0002
#define LDD_F_SV_TYPE_MGS	0x0004
#define LDD_F_NEED_INDEX	0x0010	/* an index must be assigned */
#define LDD_F_VIRGIN		0x0020	/* never registered */
#define LDD_F_UPDATE		0x0040	/* update the logs at the next start */
#define LDD_F_WRITECONF		0x0100	/* write the logs from scratch at the next start */
#define LDD_F_PARAM		0x0400	/* ldd_params must be written into the logs */
#define LDD_F_NO_PRIMNODE	0x1000	/* all NIDs are those of service nodes */
#define LDD_F_SV_TYPES		0x0007

/* ldd_mount_type: a directory, no disk of its own. Real Lustre has 0 to 8. */
#define LDD_MT_DIRECTORY	0x464c

/**
 * struct lustre_disk_data - CONFIGS/mountdata
 * @ldd_magic: LDD_MAGIC
 * @ldd_feature_compat: 0
 * @ldd_feature_rocompat: 0
 * @ldd_feature_incompat: 0
 * @ldd_config_ver: rises each time this file is written
 * @ldd_flags: LDD_F_*
 * @ldd_svindex: index of the target, LDD_INDEX_NONE
 * @ldd_mount_type: LDD_MT_DIRECTORY
 * @ldd_fsname: file system, empty for a management service alone
 * @ldd_svname: "lustre-MDT0000", "MGS"
 * @ldd_uuid: identity of the directory for the management service: a random
 *  uuid made by mkfs; older targets have "lustre-OST0001_UUID" or an empty text
 * @ldd_userdata: comment of the administrator
 * @ldd_padding: zero
 * @ldd_mount_opts: options of every mount of the target
 * @ldd_params: "name=value" joined by blanks: mgsnode=NID[,NID][:NID],
 *  failover.node=NID[,NID][:NID], and parameters of the target
 */
struct lustre_disk_data {
	__le32	ldd_magic;
	__le32	ldd_feature_compat;
	__le32	ldd_feature_rocompat;
	__le32	ldd_feature_incompat;
	__le32	ldd_config_ver;
	__le32	ldd_flags;
	__le32	ldd_svindex;
	__le32	ldd_mount_type;
	char	ldd_fsname[LDD_FSNAME_LEN];
	char	ldd_svname[LDD_SVNAME_LEN];
	char	ldd_uuid[LDD_UUID_LEN];
	char	ldd_userdata[1024 - 200];
	__u8	ldd_padding[4096 - 1024];
	char	ldd_mount_opts[LDD_OPTS_LEN];
	char	ldd_params[LDD_PARAMS_LEN];
};

#define LL_LOG_COPY_MAGIC	0x59504c4cU	/* "LLPY" */
#define LL_LOG_COPY_SUFFIX	".copy"

/**
 * struct ll_log_copy - the log that a copy was taken from
 * @copy_magic: LL_LOG_COPY_MAGIC
 * @copy_last_index: index of its last record
 * @copy_epoch: epoch of the log, ci_epoch
 * @copy_generation: its generation
 * @copy_size: bytes of the copy
 * @copy_crc: CRC32C of those bytes, as in wire.h
 * @copy_self: CRC32C of the preceding members
 *
 * A copy that does not match this is not used.
 */
struct ll_log_copy {
	__le32	copy_magic;
	__le32	copy_last_index;
	__le64	copy_epoch;
	__le64	copy_generation;
	__le64	copy_size;
	__le32	copy_crc;
	__le32	copy_self;
};

#define LL_TARGET_SECRET_MAGIC	0x53544c4cU	/* "LLTS" */
#define LL_TARGET_SECRET_LEN	32

/* se_flags */
#define LL_TARGET_SECRET_KNOWN	0x1	/* the service has the key of it */

/**
 * struct ll_target_secret - target_secret
 * @se_magic: LL_TARGET_SECRET_MAGIC
 * @se_flags: LL_TARGET_SECRET_*
 * @se_secret: random bytes, made before the first registration. Their SHA-256
 *  is the key of wire.h that the management service stores
 * @se_reserved: zero
 * @se_crc: CRC32C of the preceding members, as in wire.h
 *
 * Mode 0600. Without this file the service takes the target for a different
 * one.
 */
struct ll_target_secret {
	__le32	se_magic;
	__le32	se_flags;
	__u8	se_secret[LL_TARGET_SECRET_LEN];
	__le32	se_reserved;
	__le32	se_crc;
};

#define LL_SWAP_RECORD_MAGIC	0x57534c4cU	/* "LLSW" */

/**
 * struct ll_swap_record - trusted.lite.swap of a file in PENDING: it swaps its layout with another
 *	one
 * @sr_magic: LL_SWAP_RECORD_MAGIC
 * @sr_len: bytes of the value of trusted.lov that the other file had, which follow
 * @sr_file: FID of the other file; zeros: none, the record is not used
 * @sr_hint: where the server finds it
 *
 * Written before either of the two layouts changes. A power cut may leave the other file with the
 * objects of this one, before this one has those of the record.
 */
struct ll_swap_record {
	__le32			sr_magic;
	__le32			sr_len;
	struct lustre_fid	sr_file;
	__u8			sr_hint[32];
};

LL_UAPI_ASSERT(sizeof(struct ll_swap_record) == 56);
LL_UAPI_ASSERT(sizeof(struct ll_target_secret) == 48);
LL_UAPI_ASSERT(sizeof(struct lustre_disk_data) == 12288);
LL_UAPI_ASSERT(__builtin_offsetof(struct lustre_disk_data, ldd_fsname) == 32);
LL_UAPI_ASSERT(__builtin_offsetof(struct lustre_disk_data, ldd_userdata) == 200);
LL_UAPI_ASSERT(__builtin_offsetof(struct lustre_disk_data, ldd_mount_opts) == 4096);
LL_UAPI_ASSERT(__builtin_offsetof(struct lustre_disk_data, ldd_params) == 8192);
LL_UAPI_ASSERT(sizeof(struct ll_log_copy) == 40);

#endif /* _UAPI_LUSTRE_LITE_DISK_H */
