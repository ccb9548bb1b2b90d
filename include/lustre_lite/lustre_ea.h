/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Extended attributes that real Lustre has on the files of its targets: from bytes to values and
 * back. Nothing here allocates, locks, logs or does I/O; it is for the kernel and for user space.
 *
 *	attribute	on				here
 *	trusted.lma	every object			struct lustre_lma
 *	trusted.fid	objects of OSTs			struct lustre_filter_fid
 *	trusted.som	files on an MDT			struct lustre_som
 *	trusted.hsm	files with a copy elsewhere	struct lustre_hsm
 *	trusted.lmv	striped directories, shards	struct lustre_lmv
 *	trusted.link	files and directories		lustre_linkea.h
 *	trusted.lov	files; defaults of directories	lov_ea.h
 *
 * A decoder gets bytes that anyone may have written. It checks every length before it reads, and
 * gives NULL, or the fault as text. What an encoder writes is what real Lustre writes.
 */
#ifndef _LUSTRE_LITE_LUSTRE_EA_H
#define _LUSTRE_LITE_LUSTRE_EA_H

#include <lustre_lite/lustre_fid.h>
#include <uapi/lustre_lite/lustre_ea.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LUSTRE_LMA_SIZE	sizeof(struct lustre_mdt_attrs)

/**
 * struct ea_stripe - the place of an OST object in its file
 * @parent: FID of the file
 * @index: stripe
 * @size: bytes of a stripe, zero if it is not known
 * @count: stripes of the component, zero if it is not known
 * @comp_id: component, zero in a plain file
 * @comp_start: first byte of the component
 * @comp_end: first byte after it, zero in a plain file
 */
struct ea_stripe {
	struct lu_fid	parent;
	u32		index;
	u32		size;
	u32		count;
	u32		comp_id;
	u64		comp_start;
	u64		comp_end;
};

/**
 * struct lustre_lma - trusted.lma
 * @compat: LMAC_*
 * @incompat: LMAI_*; an object with a flag that the caller does not know is left alone
 * @self: FID of the object
 * @stripe: the place of the object, with LMAC_STRIPE_INFO; else zero
 */
struct lustre_lma {
	u32			compat;
	u32			incompat;
	struct lu_fid		self;
	struct ea_stripe	stripe;
};

const char *lustre_lma_decode(const void *bytes, size_t len, struct lustre_lma *lma);
void lustre_lma_encode(void *bytes, const struct lustre_lma *lma);

/* Lengths of trusted.fid: before 2.4, of 2.4 to 2.9, of 2.10, since 2.11. */
#define FILTER_FID_SIZE_OLD	sizeof(struct filter_fid_old)
#define FILTER_FID_SIZE_PARENT	FID_SIZE
#define FILTER_FID_SIZE_LAYOUT	offsetof(struct filter_fid, ff_layout_version)
#define FILTER_FID_SIZE		sizeof(struct filter_fid)

/**
 * struct lustre_filter_fid - trusted.fid
 * @size: FILTER_FID_SIZE*: which of the following it has
 * @stripe: the place of the object; of the shorter ones only parent and index
 * @layout_version: version of the layout, with FILTER_FID_SIZE
 * @range: versions of the layout that may write, with FILTER_FID_SIZE
 * @object: number of the object, with FILTER_FID_SIZE_OLD
 * @object_seq: its sequence, with FILTER_FID_SIZE_OLD
 */
struct lustre_filter_fid {
	size_t			size;
	struct ea_stripe	stripe;
	u32			layout_version;
	u32			range;
	u64			object;
	u64			object_seq;
};

/**
 * struct lustre_som - trusted.som
 * @valid: SOM_FL_*
 * @size: bytes
 * @blocks: of 512 bytes
 * @incarnation: of the target that it is exact in; real Lustre's is 0
 */
struct lustre_som {
	u16	valid;
	u64	size;
	u64	blocks;
	u32	incarnation;
};

/**
 * struct lustre_hsm - trusted.hsm
 * @compat: features
 * @flags: state
 * @archive: archive
 * @version: version of the data there
 */
struct lustre_hsm {
	u32	compat;
	u32	flags;
	u64	archive;
	u64	version;
};

/**
 * struct lustre_lmv - trusted.lmv
 * @magic: LMV_MAGIC_V1, LMV_MAGIC_STRIPE
 * @stripe_count: shards
 * @master: MDT of the directory; in a shard its number
 * @hash_type: hash of names, and flags
 * @layout_version: version
 * @migrate_offset: first shard that moves
 * @migrate_hash: hash before the move
 * @pool: pool of MDTs, NUL-terminated
 * @fids: FIDs of the shards in the caller's bytes, for fid_le_get(); NULL if they are not there
 */
struct lustre_lmv {
	u32		magic;
	u32		stripe_count;
	u32		master;
	u32		hash_type;
	u32		layout_version;
	u32		migrate_offset;
	u32		migrate_hash;
	char		pool[LOV_MAXPOOLNAME + 1];
	const u8	*fids;
};

const char *lustre_filter_fid_decode(const void *bytes, size_t len,
				     struct lustre_filter_fid *ff);
void lustre_filter_fid_encode(void *bytes, const struct lustre_filter_fid *ff);
const char *lustre_som_decode(const void *bytes, size_t len, struct lustre_som *som);
void lustre_som_encode(void *bytes, const struct lustre_som *som);
const char *lustre_hsm_decode(const void *bytes, size_t len, struct lustre_hsm *hsm);
const char *lustre_lmv_decode(const void *bytes, size_t len, struct lustre_lmv *lmv);

#ifdef __cplusplus
}
#endif

#endif /* _LUSTRE_LITE_LUSTRE_EA_H */
