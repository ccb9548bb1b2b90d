// SPDX-License-Identifier: GPL-2.0-only
/*
 * The index of objects: hints by FID, in memory. The caller serializes all calls.
 *
 * The number of chains is fixed: a chain has 30 of a million objects.
 */
#include <linux/jhash.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/libcfs.h>

#include "mdt_internal.h"

#define OI_BITS		15
/* Short memory ends an index, not other tasks. Objects are added in transactions, too. */
#define OI_GFP		(GFP_NOFS | __GFP_NORETRY | __GFP_NOWARN)

/* struct mdt_entry - an object, 56 bytes */
struct mdt_entry {
	struct mdt_entry	*next;
	struct lu_fid		fid;
	struct osd_hint		hint;
};

/**
 * struct mdt_oi - an index
 * @moi_count: number of entries
 * @moi_chains: entries, by a hash of the FID
 */
struct mdt_oi {
	unsigned long		moi_count;
	struct mdt_entry	*moi_chains[1 << OI_BITS];
};

struct mdt_oi *mdt_oi_new(void)
{
	return kvzalloc(sizeof(struct mdt_oi), GFP_KERNEL | __GFP_NOWARN);
}

void mdt_oi_free(struct mdt_oi *oi)
{
	struct mdt_entry *entry;
	unsigned int n;

	for (n = 0; oi && n < 1 << OI_BITS; n++) {
		while (oi->moi_chains[n]) {
			entry = oi->moi_chains[n];
			oi->moi_chains[n] = entry->next;
			libcfs_free(entry, sizeof(*entry));
		}
		cond_resched();
	}
	kvfree(oi);
}

/* Where the pointer to the entry of a FID is, or would be. */
static struct mdt_entry **entry_at(struct mdt_oi *oi, const struct lu_fid *fid)
{
	u32 hash = jhash(fid, sizeof(*fid), 0) >> (32 - OI_BITS);
	struct mdt_entry **at = &oi->moi_chains[hash];

	while (*at && !lu_fid_eq(&(*at)->fid, fid))
		at = &(*at)->next;
	return at;
}

int mdt_oi_add(struct mdt_oi *oi, const struct lu_fid *fid, const struct osd_hint *hint)
{
	struct mdt_entry **at = entry_at(oi, fid);

	if (!*at) {
		*at = libcfs_zalloc(sizeof(**at), OI_GFP);
		if (!*at)
			return -ENOMEM;
		(*at)->fid = *fid;
		WRITE_ONCE(oi->moi_count, oi->moi_count + 1);
	}
	(*at)->hint = *hint;
	return 0;
}

bool mdt_oi_find(struct mdt_oi *oi, const struct lu_fid *fid, struct osd_hint *hint)
{
	const struct mdt_entry *entry = *entry_at(oi, fid);

	if (entry)
		*hint = entry->hint;
	return entry;
}

void mdt_oi_del(struct mdt_oi *oi, const struct lu_fid *fid)
{
	struct mdt_entry **at = entry_at(oi, fid), *entry = *at;

	if (!entry)
		return;
	*at = entry->next;
	WRITE_ONCE(oi->moi_count, oi->moi_count - 1);
	libcfs_free(entry, sizeof(*entry));
}

unsigned long mdt_oi_count(const struct mdt_oi *oi)
{
	return READ_ONCE(oi->moi_count);
}
