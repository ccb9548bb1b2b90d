/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The file last_rcvd of a target, as real Lustre has it: what the target is, and its
 * clients. All integers are little-endian.
 *
 *	0				struct lr_server_data
 *	LR_CLIENT_START			struct lsd_client_data of slot 0
 *	+ n * LR_CLIENT_SIZE		... of slot n
 *
 * A slot whose uuid starts with a NUL is free. Neither structure crosses a sector of 512
 * bytes, so that a power cut leaves the old or the new one.
 */
#ifndef _UAPI_LUSTRE_LITE_LAST_RCVD_H
#define _UAPI_LUSTRE_LITE_LAST_RCVD_H

#include <linux/types.h>

#include "check.h"

#define LR_SERVER_SIZE		512
#define LR_CLIENT_START		8192
#define LR_CLIENT_SIZE		128

/* lsd_feature_compat */
#define OBD_COMPAT_OST		0x00000002
#define OBD_COMPAT_MDT		0x00000004
/* lsd_feature_incompat */
#define OBD_INCOMPAT_OST	0x00000002
#define OBD_INCOMPAT_MDT	0x00000004
#define OBD_INCOMPAT_COMMON_LR	0x00000008

/**
 * struct lr_server_data - the target
 * @lsd_uuid: uuid of the target, NUL-terminated
 * @lsd_last_transno: a transaction that is on disk; later ones may be, too
 * @lsd_compat14: unused, zero
 * @lsd_mount_count: starts of the target
 * @lsd_feature_compat: OBD_COMPAT_*
 * @lsd_feature_rocompat: a reader may ignore these, a writer must know them; zero
 * @lsd_feature_incompat: OBD_INCOMPAT_*
 * @lsd_server_size: LR_SERVER_SIZE
 * @lsd_client_start: LR_CLIENT_START
 * @lsd_client_size: LR_CLIENT_SIZE
 * @lsd_subdir_count: directories of objects, zero: unused
 * @lsd_catalog_oid: unused, zero
 * @lsd_catalog_ogen: unused, zero
 * @lsd_peeruuid: unused, zero
 * @lsd_osd_index: index of the target; unused, zero
 * @lsd_max_clients: unused, zero
 * @lsd_start_epoch: number of the last start: high half of its transactions
 * @lsd_trans_table: unused, zero
 * @lsd_trans_table_time: unused, zero
 * @lsd_expire_intervals: unused, zero
 * @lsd_padding: zero
 */
struct lr_server_data {
	__u8	lsd_uuid[40];
	__le64	lsd_last_transno;
	__le64	lsd_compat14;
	__le64	lsd_mount_count;
	__le32	lsd_feature_compat;
	__le32	lsd_feature_rocompat;
	__le32	lsd_feature_incompat;
	__le32	lsd_server_size;
	__le32	lsd_client_start;
	__le16	lsd_client_size;
	__le16	lsd_subdir_count;
	__le64	lsd_catalog_oid;
	__le32	lsd_catalog_ogen;
	__u8	lsd_peeruuid[40];
	__le32	lsd_osd_index;
	__le32	lsd_max_clients;
	__le32	lsd_start_epoch;
	__le64	lsd_trans_table[16];
	__le32	lsd_trans_table_time;
	__le32	lsd_expire_intervals;
	__u8	lsd_padding[224];
};

/**
 * struct lsd_client_data - a client
 * @lcd_uuid: its uuid, NUL-terminated; zeros: the slot is free
 * @lcd_last_transno: unused, zero: replies are not stored here
 * @lcd_last_xid: likewise
 * @lcd_last_result: likewise
 * @lcd_last_data: likewise
 * @lcd_last_close_transno: likewise
 * @lcd_last_close_xid: likewise
 * @lcd_last_close_result: likewise
 * @lcd_last_close_data: likewise
 * @lcd_pre_versions: likewise
 * @lcd_last_epoch: number of the start in which it connected first
 * @lcd_generation: unused, zero
 */
struct lsd_client_data {
	__u8	lcd_uuid[40];
	__le64	lcd_last_transno;
	__le64	lcd_last_xid;
	__le32	lcd_last_result;
	__le32	lcd_last_data;
	__le64	lcd_last_close_transno;
	__le64	lcd_last_close_xid;
	__le32	lcd_last_close_result;
	__le32	lcd_last_close_data;
	__le64	lcd_pre_versions[4];
	__le32	lcd_last_epoch;
	__le32	lcd_generation;
};

LL_UAPI_ASSERT(sizeof(struct lr_server_data) == LR_SERVER_SIZE);
LL_UAPI_ASSERT(__builtin_offsetof(struct lr_server_data, lsd_last_transno) == 40);
LL_UAPI_ASSERT(__builtin_offsetof(struct lr_server_data, lsd_feature_compat) == 64);
LL_UAPI_ASSERT(__builtin_offsetof(struct lr_server_data, lsd_client_start) == 80);
LL_UAPI_ASSERT(__builtin_offsetof(struct lr_server_data, lsd_catalog_oid) == 88);
LL_UAPI_ASSERT(__builtin_offsetof(struct lr_server_data, lsd_start_epoch) == 148);
LL_UAPI_ASSERT(__builtin_offsetof(struct lr_server_data, lsd_expire_intervals) == 284);
LL_UAPI_ASSERT(sizeof(struct lsd_client_data) == LR_CLIENT_SIZE);
LL_UAPI_ASSERT(__builtin_offsetof(struct lsd_client_data, lcd_last_result) == 56);
LL_UAPI_ASSERT(__builtin_offsetof(struct lsd_client_data, lcd_pre_versions) == 88);
LL_UAPI_ASSERT(__builtin_offsetof(struct lsd_client_data, lcd_last_epoch) == 120);

#endif /* _UAPI_LUSTRE_LITE_LAST_RCVD_H */
