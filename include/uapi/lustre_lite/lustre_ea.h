/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Extended attributes of the files of a target, as real Lustre has them. All integers are
 * little-endian, but for the entries of trusted.link.
 */
#ifndef _UAPI_LUSTRE_LITE_LUSTRE_EA_H
#define _UAPI_LUSTRE_LITE_LUSTRE_EA_H

#include <linux/types.h>

#include "check.h"
#include "lustre_fid.h"

#define XATTR_NAME_LMA		"trusted.lma"	/* struct lustre_mdt_attrs */
#define XATTR_NAME_LOV		"trusted.lov"	/* struct lov_mds_md, struct lov_comp_md_v1 */
/* Requests, which no object has: add components after the last one, remove the last ones. */
#define XATTR_NAME_LOV_ADD	"trusted.lov.add"
#define XATTR_NAME_LOV_DEL	"trusted.lov.del"
#define XATTR_NAME_LINK		"trusted.link"	/* struct link_ea_header */
#define XATTR_NAME_SWAP		"trusted.lite.swap"	/* struct ll_swap_record; not of real Lustre */
#define XATTR_NAME_FID		"trusted.fid"	/* struct filter_fid */
#define XATTR_NAME_LMV		"trusted.lmv"	/* struct lmv_mds_md_v1 */
#define XATTR_NAME_DEFAULT_LMV	"trusted.dmv"	/* default of new directories in it, over several MDTs */
#define XATTR_NAME_SOM		"trusted.som"	/* struct lustre_som_attrs */
#define XATTR_NAME_HSM		"trusted.hsm"	/* struct hsm_attrs */
#define XATTR_NAME_VERSION	"trusted.version"	/* __le64: transaction of the last change */

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

/**
 * struct filter_fid - value of trusted.fid
 * @ff_parent: FID of the file; its version is the stripe
 * @ff_stripe_size: bytes
 * @ff_stripe_count: stripes of the component
 * @ff_comp_start: first byte of the component
 * @ff_comp_end: first byte after it, zero in a plain file
 * @ff_comp_id: component, zero in a plain file
 * @ff_layout_version: version of the layout
 * @ff_range: versions of the layout that may write
 *
 * Releases 2.4 to 2.9 write the parent alone, 2.10 all but the last two.
 */
struct filter_fid {
	struct lustre_fid	ff_parent;
	__le32			ff_stripe_size;
	__le32			ff_stripe_count;
	__le64			ff_comp_start;
	__le64			ff_comp_end;
	__le32			ff_comp_id;
	__le32			ff_layout_version;
	__le32			ff_range;
} __attribute__((packed));

/**
 * struct filter_fid_old - value of trusted.fid before 2.4
 * @ff_parent: as above
 * @ff_objid: the object
 * @ff_seq: its sequence
 */
struct filter_fid_old {
	struct lustre_fid	ff_parent;
	__le64			ff_objid;
	__le64			ff_seq;
};

/* lsa_valid */
#define SOM_FL_STRICT		0x0001		/* size and blocks are exact */
#define SOM_FL_STALE		0x0002		/* they were exact once */
#define SOM_FL_LAZY		0x0004		/* they may be exact */

/**
 * struct lustre_som_attrs - value of trusted.som: size on the MDT
 * @lsa_valid: SOM_FL_*
 * @lsa_reserved: zero in real Lustre; the last two are the low and the high half of the incarnation
 *  of the target: with another one the value is not exact
 * @lsa_size: bytes
 * @lsa_blocks: of 512 bytes
 */
struct lustre_som_attrs {
	__le16	lsa_valid;
	__le16	lsa_reserved[3];
	__le64	lsa_size;
	__le64	lsa_blocks;
};

/**
 * struct hsm_attrs - value of trusted.hsm: copies in an archive
 * @hsm_compat: features
 * @hsm_flags: state
 * @hsm_arch_id: archive
 * @hsm_arch_ver: version of the data there
 */
struct hsm_attrs {
	__le32	hsm_compat;
	__le32	hsm_flags;
	__le64	hsm_arch_id;
	__le64	hsm_arch_ver;
};

#define LINK_EA_MAGIC		0x11eaf1dfU
/* Of the whole value, on every backend. */
#define MAX_LINKEA_SIZE		4096

/**
 * struct link_ea_header - start of trusted.link
 * @leh_magic: LINK_EA_MAGIC; a server of the other byte order wrote a swapped one
 * @leh_reccount: entries
 * @leh_len: bytes, this header included
 * @leh_overflow_time: when an entry did not fit for the first time, else zero
 * @leh_padding: zero
 */
struct link_ea_header {
	__le32	leh_magic;
	__le32	leh_reccount;
	__le64	leh_len;
	__le32	leh_overflow_time;
	__le32	leh_padding;
};

/**
 * struct link_ea_entry - one name of the file
 * @lee_reclen: bytes, this one and the name included; big-endian
 * @lee_parent_fid: FID of the directory, big-endian
 * @lee_name: the name, without a NUL
 */
struct link_ea_entry {
	__u8	lee_reclen[2];
	__u8	lee_parent_fid[16];
	__u8	lee_name[];
};

#define LOV_MAGIC_V1		0x0bd10bd0
#define LOV_MAGIC_V3		0x0bd30bd0
#define LOV_MAGIC_SPECIFIC	0x0bd50bd0	/* as LOV_MAGIC_V3, for a file on listed OSTs */
#define LOV_MAGIC_COMP_V1	0x0bd60bd0
#define LOV_MAGIC_FOREIGN	0x0bd70bd0

/* lmm_pattern */
#define LOV_PATTERN_RAID0	0x00000001
#define LOV_PATTERN_MDT		0x00000100	/* data on the MDT */
#define LOV_PATTERN_OVERSTRIPING 0x00000200	/* stripes may share an OST */
#define LOV_PATTERN_F_HOLE	0x40000000	/* stripes are missing */
#define LOV_PATTERN_F_RELEASED	0x80000000	/* data is in an archive */

#define LOV_MAXPOOLNAME		15
#define LOV_MAX_STRIPE_COUNT	2000
/* Most stripes that a file is given: its layout is a part of a reply. */
#define LOD_STRIPES_MAX		1024
#define LOV_MIN_STRIPE_SIZE	65536

/**
 * struct lov_mds_md - start of a plain layout
 * @lmm_magic: LOV_MAGIC_V1, or LOV_MAGIC_V3
 * @lmm_pattern: LOV_PATTERN_*
 * @lmm_oi_id: number of the file's FID
 * @lmm_oi_seq: sequence of the file's FID
 * @lmm_stripe_size: bytes
 * @lmm_stripe_count: stripes
 * @lmm_layout_gen: generation; in a directory's default the first OST, or 0xffff
 *
 * With LOV_MAGIC_V3 the name of a pool follows, of LOV_MAXPOOLNAME + 1 bytes. Then comes a
 * struct lov_ost_data for each stripe. With LOV_MAGIC_SPECIFIC these are no objects: their
 * l_ost_idx are the OSTs to use.
 */
struct lov_mds_md {
	__le32	lmm_magic;
	__le32	lmm_pattern;
	__le64	lmm_oi_id;
	__le64	lmm_oi_seq;
	__le32	lmm_stripe_size;
	__le16	lmm_stripe_count;
	__le16	lmm_layout_gen;
};

/**
 * struct lov_ost_data - an object
 * @l_ost_oi_id: its number and a zero, or a FID
 * @l_ost_oi_seq: second half
 * @l_ost_gen: zero
 * @l_ost_idx: index of the OST
 */
struct lov_ost_data {
	__le64	l_ost_oi_id;
	__le64	l_ost_oi_seq;
	__le32	l_ost_gen;
	__le32	l_ost_idx;
};

/**
 * struct lov_comp_md_v1 - start of a composite layout
 * @lcm_magic: LOV_MAGIC_COMP_V1
 * @lcm_size: bytes of the whole value
 * @lcm_layout_gen: generation
 * @lcm_flags: state of the mirrors
 * @lcm_entry_count: entries that follow
 * @lcm_mirror_count: mirrors, without the first one
 * @lcm_ec_count: components with erasure codes
 * @lcm_padding: zero
 */
struct lov_comp_md_v1 {
	__le32	lcm_magic;
	__le32	lcm_size;
	__le32	lcm_layout_gen;
	__le16	lcm_flags;
	__le16	lcm_entry_count;
	__le16	lcm_mirror_count;
	__u8	lcm_ec_count;
	__u8	lcm_padding[13];
};

/* lcme_flags */
#define LCME_FL_STALE		0x00000001
#define LCME_FL_PREF_RD		0x00000002
#define LCME_FL_PREF_WR		0x00000004
#define LCME_FL_OFFLINE		0x00000008
#define LCME_FL_INIT		0x00000010	/* has objects */
#define LCME_FL_NOSYNC		0x00000020
#define LCME_FL_EXTENSION	0x00000040
#define LCME_FL_PARITY		0x00000080
/* Of a request: components without the flag that is next to it. */
#define LCME_FL_NEG		0x80000000

/**
 * struct lov_comp_md_entry_v1 - a component
 * @lcme_id: mirror << 16 | number; zero in what programs ask for, and in defaults of directories
 * @lcme_flags: LCME_FL_*
 * @lcme_start: first byte
 * @lcme_end: first byte after it, or all ones
 * @lcme_offset: where its layout is in the value
 * @lcme_size: bytes of its layout
 * @lcme_layout_gen: generation
 * @lcme_timestamp: seconds, 48 bits; the rest is a link to another mirror
 * @lcme_rest: erasure code, compression
 */
struct lov_comp_md_entry_v1 {
	__le32	lcme_id;
	__le32	lcme_flags;
	__le64	lcme_start;
	__le64	lcme_end;
	__le32	lcme_offset;
	__le32	lcme_size;
	__le32	lcme_layout_gen;
	__u8	lcme_timestamp[8];
	__u8	lcme_rest[4];
};

/**
 * struct lov_foreign_md - start of a layout that Lustre does not know
 * @lfm_magic: LOV_MAGIC_FOREIGN
 * @lfm_length: bytes of the value that follows
 * @lfm_type: what it is for
 * @lfm_flags: of that type
 */
struct lov_foreign_md {
	__le32	lfm_magic;
	__le32	lfm_length;
	__le32	lfm_type;
	__le32	lfm_flags;
};

#define LMV_MAGIC_V1		0x0cd20cd0	/* a striped directory */
#define LMV_MAGIC_STRIPE	0x0cd40cd0	/* a shard of a striped directory */

/**
 * struct lmv_mds_md_v1 - value of trusted.lmv
 * @lmv_magic: LMV_MAGIC_V1, LMV_MAGIC_STRIPE
 * @lmv_stripe_count: shards
 * @lmv_master_mdt_index: MDT of the directory; in a shard its number
 * @lmv_hash_type: hash of names, and flags
 * @lmv_layout_version: version
 * @lmv_migrate_offset: first shard that moves
 * @lmv_migrate_hash: hash before the move
 * @lmv_padding2: zero
 * @lmv_padding3: zero
 * @lmv_pool_name: pool of MDTs, padded with NULs
 *
 * FIDs of the shards may follow.
 */
struct lmv_mds_md_v1 {
	__le32	lmv_magic;
	__le32	lmv_stripe_count;
	__le32	lmv_master_mdt_index;
	__le32	lmv_hash_type;
	__le32	lmv_layout_version;
	__le32	lmv_migrate_offset;
	__le32	lmv_migrate_hash;
	__le32	lmv_padding2;
	__le64	lmv_padding3;
	__u8	lmv_pool_name[LOV_MAXPOOLNAME + 1];
};

LL_UAPI_ASSERT(sizeof(struct filter_fid) == 52);
LL_UAPI_ASSERT(__builtin_offsetof(struct filter_fid, ff_layout_version) == 44);
LL_UAPI_ASSERT(sizeof(struct filter_fid_old) == 32);
LL_UAPI_ASSERT(sizeof(struct lustre_som_attrs) == 24);
LL_UAPI_ASSERT(sizeof(struct hsm_attrs) == 24);
LL_UAPI_ASSERT(sizeof(struct link_ea_header) == 24);
LL_UAPI_ASSERT(sizeof(struct link_ea_entry) == 18);
LL_UAPI_ASSERT(sizeof(struct lov_mds_md) == 32);
LL_UAPI_ASSERT(sizeof(struct lov_ost_data) == 24);
LL_UAPI_ASSERT(sizeof(struct lov_comp_md_v1) == 32);
LL_UAPI_ASSERT(sizeof(struct lov_comp_md_entry_v1) == 48);
LL_UAPI_ASSERT(__builtin_offsetof(struct lov_comp_md_entry_v1, lcme_timestamp) == 36);
LL_UAPI_ASSERT(sizeof(struct lov_foreign_md) == 16);
LL_UAPI_ASSERT(sizeof(struct lmv_mds_md_v1) == 56);
LL_UAPI_ASSERT(sizeof(struct lustre_mdt_attrs) == 24);
LL_UAPI_ASSERT(sizeof(struct lustre_ost_attrs) == 64);

#endif /* _UAPI_LUSTRE_LITE_LUSTRE_EA_H */
