/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Extended attributes of the files of a target, as real Lustre has them. All integers are
 * little-endian.
 */
#ifndef _UAPI_LUSTRE_LITE_LUSTRE_EA_H
#define _UAPI_LUSTRE_LITE_LUSTRE_EA_H

#include <linux/types.h>

#include "check.h"
#include "lustre_fid.h"

#define XATTR_NAME_LMA		"trusted.lma"

/* lma_compat */
#define LMAC_HSM		0x00000001	/* has trusted.hsm */
#define LMAC_NOT_IN_OI		0x00000004	/* not in the index of objects */
#define LMAC_FID_ON_OST		0x00000008	/* object of an OST */
#define LMAC_STRIPE_INFO	0x00000010	/* struct lustre_ost_attrs: parent and stripe */
#define LMAC_COMP_INFO		0x00000020	/* struct lustre_ost_attrs: component */
#define LMAC_IDX_BACKUP		0x00000040	/* backup of an index */

/* lma_incompat: a server that does not know a flag leaves the object alone */
#define LMAI_RELEASED		0x00000001	/* data is in an archive */
#define LMAI_AGENT		0x00000002	/* stands for an object of another MDT */
#define LMAI_REMOTE_PARENT	0x00000004	/* its parent is on another MDT */
#define LMAI_STRIPED		0x00000008	/* a shard of a striped directory */
#define LMAI_ORPHAN		0x00000010	/* unlinked while open */
#define LMAI_ENCRYPT		0x00000020	/* encrypted by the client */

/**
 * struct lustre_mdt_attrs - value of trusted.lma
 * @lma_compat: LMAC_*
 * @lma_incompat: LMAI_*
 * @lma_self_fid: FID of the object
 */
struct lustre_mdt_attrs {
	__le32			lma_compat;
	__le32			lma_incompat;
	struct lustre_fid	lma_self_fid;
};

/**
 * struct lustre_ost_attrs - value of trusted.lma of an OST object without space for trusted.fid
 * @loa_lma: with LMAC_STRIPE_INFO, LMAC_COMP_INFO
 * @loa_parent_fid: FID of the file; its version is the stripe count << 16 | the stripe
 * @loa_stripe_size: bytes
 * @loa_comp_id: component
 * @loa_comp_start: its first byte
 * @loa_comp_end: first byte after it
 */
struct lustre_ost_attrs {
	struct lustre_mdt_attrs	loa_lma;
	struct lustre_fid	loa_parent_fid;
	__le32			loa_stripe_size;
	__le32			loa_comp_id;
	__le64			loa_comp_start;
	__le64			loa_comp_end;
};

LL_UAPI_ASSERT(sizeof(struct lustre_mdt_attrs) == 24);
LL_UAPI_ASSERT(sizeof(struct lustre_ost_attrs) == 64);

#endif /* _UAPI_LUSTRE_LITE_LUSTRE_EA_H */
