/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The client's side of grant: space that an object storage target reserves for bytes that the
 * client has accepted and not written yet. A page is dirtied only with a charge, so that its write
 * finds space. Charges are of whole pages, with a part for metadata: ost_grant_bytes().
 *
 *	             ost_grant_take()             ost_grant_use()          ost_grant_end()
 *	available ---------------------> dirty ------------------> sent ------------------> spent
 *	    ^                              |
 *	    +------------------------------+  ost_grant_drop(): the page is not written
 *
 *	available = given - spent - dirty - sent
 *
 * Target and client count the bytes that were given and that were spent since the export was made.
 * A reply says all that was given until then, so one that is lost does no harm, nor one that comes
 * late. Another export starts from what the client holds when it connects: see
 * ost_grant_connected().
 */
#ifndef _LUSTRE_LITE_OST_GRANT_H
#define _LUSTRE_LITE_OST_GRANT_H

#include <linux/mm.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>

#include <lustre_lite/lustre_ost.h>

struct ptlrpc_bulk;

/* Grant of a dirty page. */
#define OST_GRANT_PAGE		ost_grant_bytes(PAGE_SIZE)

/**
 * struct ost_grant_sums - bytes of grant
 * @export: handle of the export that has given it; 0: the client is not connected
 * @given: by that export
 * @spent: of @given: by writes that have ended, and returned
 * @dirty: of pages that were not sent
 * @sent: of writes that have not ended
 */
struct ost_grant_sums {
	u64	export;
	u64	given;
	u64	spent;
	u64	dirty;
	u64	sent;
};

/**
 * struct ost_grant - grant of an import
 * @gr_refcount: held by its device, each charged page, and each write until it is on disk
 * @gr_lock: guards what follows; a leaf, taken by tasks only
 * @gr_sums: see above
 * @gr_unsure: the target may not know of something that was spent
 * @gr_full: the target had nothing to give when it was asked last
 * @gr_takes: charges, and requests that used what was available: whether there were any
 *
 * The last put frees it; any task.
 */
struct ost_grant {
	refcount_t		gr_refcount;
	spinlock_t		gr_lock;
	struct ost_grant_sums	gr_sums;
	bool			gr_unsure;
	bool			gr_full;
	u64			gr_takes;
};

struct ost_grant * __must_check ost_grant_new(void);
void ost_grant_put(struct ost_grant *gr);

static inline struct ost_grant *ost_grant_get(struct ost_grant *gr)
{
	refcount_inc(&gr->gr_refcount);
	return gr;
}

struct ost_grant_sums ost_grant_sums(struct ost_grant *gr);

/* Bytes that may become dirty; negative: the target has given less than the client had. */
static inline s64 ost_grant_available(const struct ost_grant_sums *sums)
{
	return sums->given - sums->spent - sums->dirty - sums->sent;
}

bool ost_grant_take(struct ost_grant *gr, struct folio *folio);
void ost_grant_drop(struct folio *folio);
u64 ost_grant_use(struct ost_grant *gr, const struct ptlrpc_bulk *bulk, u64 len);
void ost_grant_end(struct ost_grant *gr, u64 used, bool answered);
void ost_grant_given(struct ost_grant *gr, u64 export, u64 given);
bool ost_grant_return(struct ost_grant *gr, u64 keep, struct ost_claim *claim);
void ost_grant_returned(struct ost_grant *gr, const struct ost_claim *claim, u64 spent);

u32 ost_grant_held(struct ost_grant *gr);
void ost_grant_connected(struct ost_grant *gr, u64 export, u32 bytes);

#endif /* _LUSTRE_LITE_OST_GRANT_H */
