/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables of NIDs, for the two files that know them: nidtbl.c what is in memory,
 * nidtbl_file.c what is in the folder.
 */
#ifndef _MGS_NIDTBL_H
#define _MGS_NIDTBL_H

#include "mgs_internal.h"

/**
 * struct nidtbl_entry - a target
 * @ne_item: in nt_entries
 * @ne_version: of the table when it registered
 * @ne_instance: of its start
 * @ne_index: index
 * @ne_type: LL_NIDTBL_*
 * @ne_count: NIDs
 * @ne_nids: NIDs
 */
struct nidtbl_entry {
	struct list_head	ne_item;
	u64			ne_version;
	u32			ne_instance;
	u32			ne_index;
	u8			ne_type;
	u8			ne_count;
	struct ll_wire_nid	ne_nids[MGS_TARGET_NIDS_MAX];
};

/**
 * struct nidtbl - the table of a file system
 * @nt_item: in md_nidtbls
 * @nt_fsname: file system
 * @nt_version: version
 * @nt_entries: struct nidtbl_entry, in the order of versions
 * @nt_total_ns: how long it took until all who follow had a version, all times
 * @nt_max_ns: the longest of them
 * @nt_count: how many
 *
 * Guarded by md_nidtbl_lock; there until the service is cleaned up. What is in the
 * directory is read by the writer.
 */
struct nidtbl {
	struct list_head	nt_item;
	char			nt_fsname[LUSTRE_MAXFSNAME + 1];
	u64			nt_version;
	struct list_head	nt_entries;
	u64			nt_total_ns;
	u64			nt_max_ns;
	u32			nt_count;
};

static inline u8 nidtbl_type(const struct mgs_target *target)
{
	return target->flags & LDD_F_SV_TYPE_MDT ? LL_NIDTBL_MDT :
						   LL_NIDTBL_OST;
}

/* nidtbl_file.c */
struct nidtbl_entry *nidtbl_entry_find(struct nidtbl *nt, u8 type, u32 index);
void nidtbl_entry_fill(struct nidtbl_entry *ne, const struct mgs_target *target,
		       u32 instance, u64 version,
		       const struct ll_wire_nid *nids);
u32 nidtbl_entry_len(const struct nidtbl_entry *ne);
void nidtbl_entry_encode(const struct nidtbl_entry *ne, void *to);
int nidtbl_load_version(struct mgs_device *md, const char *fsname, u64 *version);
void nidtbl_load_entries(struct mgs_device *md, struct nidtbl *nt);

#endif /* _MGS_NIDTBL_H */
