/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Object devices for the kernel, the tools and the wire: names, states, connect
 * data. Numbers are those of real Lustre.
 */
#ifndef _UAPI_LUSTRE_LITE_OBD_H
#define _UAPI_LUSTRE_LITE_OBD_H

#include <linux/types.h>

#include "check.h"

/* Bytes with the NUL. */
#define MAX_OBD_NAME	128
#define MAX_OBD_TYPE	32
#define UUID_MAX	40

struct obd_uuid {
	char uuid[UUID_MAX];
};

/* enum obd_status - status in a device list; the letters are real Lustre's */
enum obd_status {
	OBD_STATUS_NONE		= 0,	/* -- */
	OBD_STATUS_ATTACHED	= 1,	/* AT */
	OBD_STATUS_UP		= 2,	/* UP */
	OBD_STATUS_INACTIVE	= 3,	/* IN: set up, and deactivated */
	OBD_STATUS_STOPPING	= 4,	/* ST */
};

/* enum lustre_imp_state - state of an import */
enum lustre_imp_state {
	LUSTRE_IMP_CLOSED	= 1,
	LUSTRE_IMP_NEW		= 2,
	LUSTRE_IMP_DISCON	= 3,
	LUSTRE_IMP_CONNECTING	= 4,
	LUSTRE_IMP_REPLAY	= 5,
	LUSTRE_IMP_REPLAY_LOCKS	= 6,
	LUSTRE_IMP_REPLAY_WAIT	= 7,
	LUSTRE_IMP_RECOVER	= 8,
	LUSTRE_IMP_FULL		= 9,
	LUSTRE_IMP_EVICTED	= 10,
	LUSTRE_IMP_IDLE		= 11,
	LUSTRE_IMP_LAST
};

/* enum obd_import_event - events of an import for its device */
enum obd_import_event {
	IMP_EVENT_DISCON	= 0x808001,
	IMP_EVENT_INACTIVE	= 0x808002,
	IMP_EVENT_INVALIDATE	= 0x808003,
	IMP_EVENT_ACTIVE	= 0x808004,
	IMP_EVENT_OCD		= 0x808005,
	IMP_EVENT_DEACTIVATE	= 0x808006,
	IMP_EVENT_ACTIVATE	= 0x808007,
};

/* ocd_connect_flags that lustre-lite knows; the names are in obdclass/connect_flags.c */
#define OBD_CONNECT_RDONLY		0x1ULL
#define OBD_CONNECT_INDEX		0x2ULL
#define OBD_CONNECT_MDS			0x4ULL
#define OBD_CONNECT_GRANT		0x8ULL
#define OBD_CONNECT_VERSION		0x20ULL
#define OBD_CONNECT_REQPORTAL		0x40ULL
#define OBD_CONNECT_BRW_SIZE		0x40000ULL
#define OBD_CONNECT_AT			0x1000000ULL
#define OBD_CONNECT_REAL		0x8000000ULL
#define OBD_CONNECT_CKSUM		0x20000000ULL
/* ocd_cksum_types: that of the network, which a client that has the flag may leave out. */
#define OBD_CKSUM_CRC32C		0x4
#define OBD_CONNECT_IMP_RECOV		0x10000000000ULL
#define OBD_CONNECT_FLAGS2		0x8000000000000000ULL

/**
 * struct obd_connect_data - negotiated by the two ends of a connection
 * @ocd_connect_flags: requested, and in the reply the subset granted
 * @ocd_version: version of lustre-lite or Lustre: major << 24 | minor << 16 |
 *  patch << 8 | fix
 * @ocd_grant: bytes of grant
 * @ocd_index: index of the target
 * @ocd_brw_size: most bytes of a bulk request
 * @ocd_ibits_known: supported inode bits of locks
 * @ocd_grant_blkbits: log2 of the block size of the target
 * @ocd_grant_inobits: log2 of the bytes an inode takes
 * @ocd_grant_tax_kb: KiB for each extent
 * @ocd_grant_max_blks: blocks of the largest extent
 * @ocd_transno: first transaction to be replayed
 * @ocd_group: group of objects
 * @ocd_cksum_types: supported checksums
 * @ocd_max_easize: most bytes of a layout
 * @ocd_instance: incarnation of the target
 * @ocd_maxbytes: most bytes of a file
 * @ocd_maxmodrpcs: modifying requests in flight
 * @ocd_conn_policy: policy of choosing networks
 * @ocd_padding0: zero
 * @ocd_padding1: zero
 * @ocd_connect_flags2: second word of flags
 * @ocd_compr_type: kinds of compression
 * @ocd_paddings: zero
 */
struct obd_connect_data {
	__u64	ocd_connect_flags;
	__u32	ocd_version;
	__u32	ocd_grant;
	__u32	ocd_index;
	__u32	ocd_brw_size;
	__u64	ocd_ibits_known;
	__u8	ocd_grant_blkbits;
	__u8	ocd_grant_inobits;
	__u16	ocd_grant_tax_kb;
	__u32	ocd_grant_max_blks;
	__u64	ocd_transno;
	__u32	ocd_group;
	__u32	ocd_cksum_types;
	__u32	ocd_max_easize;
	__u32	ocd_instance;
	__u64	ocd_maxbytes;
	__u16	ocd_maxmodrpcs;
	__u8	ocd_conn_policy;
	__u8	ocd_padding0;
	__u32	ocd_padding1;
	__u64	ocd_connect_flags2;
	__u64	ocd_compr_type;
	__u64	ocd_paddings[12];
};

LL_UAPI_ASSERT(sizeof(struct obd_uuid) == UUID_MAX);
LL_UAPI_ASSERT(sizeof(struct obd_connect_data) == 192);
LL_UAPI_ASSERT(__builtin_offsetof(struct obd_connect_data, ocd_transno) == 40);
LL_UAPI_ASSERT(__builtin_offsetof(struct obd_connect_data, ocd_maxbytes) == 64);
LL_UAPI_ASSERT(__builtin_offsetof(struct obd_connect_data, ocd_paddings) == 96);

#endif /* _UAPI_LUSTRE_LITE_OBD_H */
