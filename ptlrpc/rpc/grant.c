// SPDX-License-Identifier: GPL-2.0-only
/*
 * Grant of clients: see ost_grant.h. Writeback goes through here, so nothing allocates or sleeps.
 */
#include <linux/bvec.h>
#include <linux/pagemap.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/ost_grant.h>
#include <lustre_lite/ptlrpc.h>

/**
 * ost_grant_new() - grant of an import that is not connected
 *
 * Context: may sleep
 * Return: grant, for ost_grant_put(); NULL on allocation failure
 */
struct ost_grant *ost_grant_new(void)
{
	struct ost_grant *gr = libcfs_zalloc(sizeof(*gr), GFP_KERNEL_ACCOUNT);

	if (!gr)
		return NULL;
	refcount_set(&gr->gr_refcount, 1);
	spin_lock_init(&gr->gr_lock);
	return gr;
}
EXPORT_SYMBOL_NS_GPL(ost_grant_new, LUSTRE_LITE);

/* Drop a reference; NULL is permitted. Any task. */
void ost_grant_put(struct ost_grant *gr)
{
	if (gr && refcount_dec_and_test(&gr->gr_refcount))
		libcfs_free(gr, sizeof(*gr));
}
EXPORT_SYMBOL_NS_GPL(ost_grant_put, LUSTRE_LITE);

/**
 * ost_grant_sums() - all of it, as of one moment
 * @gr: grant
 *
 * Context: any task
 * Return: sums
 */
struct ost_grant_sums ost_grant_sums(struct ost_grant *gr)
{
	struct ost_grant_sums sums;

	spin_lock(&gr->gr_lock);
	sums = gr->gr_sums;
	spin_unlock(&gr->gr_lock);
	return sums;
}
EXPORT_SYMBOL_NS_GPL(ost_grant_sums, LUSTRE_LITE);

/* Under gr_lock. */
static u64 __available(const struct ost_grant *gr)
{
	return max_t(s64, ost_grant_available(&gr->gr_sums), 0);
}

/* --- pages ---------------------------------------------------------------------------- */

/**
 * ost_grant_take() - charge a page that is going to be dirty
 * @gr: grant of the target that has its bytes
 * @folio: one page of a file, locked, not in writeback
 *
 * The charge is folio_get_private(). One that has a charge keeps it.
 *
 * Context: any task
 * Return: false: there is not enough
 */
bool ost_grant_take(struct ost_grant *gr, struct folio *folio)
{
	bool taken;

	if (folio_test_private(folio))
		return true;
	spin_lock(&gr->gr_lock);
	taken = __available(gr) >= OST_GRANT_PAGE;
	if (taken) {
		gr->gr_sums.dirty += OST_GRANT_PAGE;
		gr->gr_takes++;
	}
	spin_unlock(&gr->gr_lock);
	if (taken)
		folio_attach_private(folio, ost_grant_get(gr));
	return taken;
}
EXPORT_SYMBOL_NS_GPL(ost_grant_take, LUSTRE_LITE);

/**
 * ost_grant_drop() - the page is not written: its charge is available again
 * @folio: page, locked or in writeback; one without a charge is left alone
 *
 * Context: any task
 */
void ost_grant_drop(struct folio *folio)
{
	struct ost_grant *gr = folio_detach_private(folio);

	if (!gr)
		return;
	spin_lock(&gr->gr_lock);
	gr->gr_sums.dirty -= OST_GRANT_PAGE;
	spin_unlock(&gr->gr_lock);
	ost_grant_put(gr);
}
EXPORT_SYMBOL_NS_GPL(ost_grant_drop, LUSTRE_LITE);

/* --- requests ------------------------------------------------------------------------- */

/* The charges of the pages of a write. Return: how many */
static unsigned int charges_detach(struct ost_grant *gr, const struct ptlrpc_bulk *bulk)
{
	unsigned int n, found = 0;
	struct folio *folio;

	for (n = 0; n < bulk->bk_nr; n++) {
		folio = page_folio(bulk->bk_vec[n].bv_page);
		if (!folio_test_private(folio) || folio_get_private(folio) != gr)
			continue;
		folio_detach_private(folio);
		found++;
	}
	return found;
}

/**
 * ost_grant_use() - grant for a request
 * @gr: grant
 * @bulk: bytes to write; pages of the cache are in writeback. NULL: a request without bytes
 * @len: bytes of the object that it gives space
 *
 * Charges of the pages, and for the rest what is available: a client does not lack space because it
 * holds it itself.
 *
 * Context: any task
 * Return: grant that the request uses, for ost_grant_end()
 */
u64 ost_grant_use(struct ost_grant *gr, const struct ptlrpc_bulk *bulk, u64 len)
{
	unsigned int pages = bulk ? charges_detach(gr, bulk) : 0, n;
	u64 charged = pages * OST_GRANT_PAGE, used = charged;
	u64 need = ost_grant_bytes(len);

	spin_lock(&gr->gr_lock);
	gr->gr_sums.dirty -= charged;
	if (used < need)
		used += min(need - used, __available(gr));
	/* Pages have counted when they were charged. */
	gr->gr_takes += used > charged;
	gr->gr_sums.sent += used;
	spin_unlock(&gr->gr_lock);
	for (n = 0; n < pages; n++)
		ost_grant_put(gr);
	return used;
}
EXPORT_SYMBOL_NS_GPL(ost_grant_use, LUSTRE_LITE);

/**
 * ost_grant_end() - a request that used grant has ended
 * @gr: grant
 * @used: what it used
 * @answered: with status 0; else the target may not have seen it
 *
 * Context: any task
 */
void ost_grant_end(struct ost_grant *gr, u64 used, bool answered)
{
	spin_lock(&gr->gr_lock);
	gr->gr_sums.sent -= used;
	gr->gr_sums.spent += used;
	if (used && !answered)
		gr->gr_unsure = true;
	spin_unlock(&gr->gr_lock);
}
EXPORT_SYMBOL_NS_GPL(ost_grant_end, LUSTRE_LITE);

/**
 * ost_grant_given() - a reply says what was given
 * @gr: grant
 * @export: handle of the export that says it
 * @given: since it was made
 *
 * Answers of an earlier export are void.
 *
 * Context: any task
 */
void ost_grant_given(struct ost_grant *gr, u64 export, u64 given)
{
	spin_lock(&gr->gr_lock);
	if (export == gr->gr_sums.export && given <= S64_MAX) {
		gr->gr_sums.given = max(gr->gr_sums.given, given);
		gr->gr_full = __available(gr) < OST_GRANT_PAGE;
	} else {
		gr->gr_unsure = true;
	}
	spin_unlock(&gr->gr_lock);
}
EXPORT_SYMBOL_NS_GPL(ost_grant_given, LUSTRE_LITE);

/**
 * ost_grant_return() - spend what is not used, and tell the target all that was spent
 * @gr: grant
 * @keep: bytes that stay available
 * @claim: out: spent, export, dirty
 *
 * Context: any task
 * Return: false: writes are under way, or the client is not connected: not now
 */
bool ost_grant_return(struct ost_grant *gr, u64 keep, struct ost_claim *claim)
{
	u64 available;
	bool may;

	spin_lock(&gr->gr_lock);
	may = !gr->gr_sums.sent && gr->gr_sums.export;
	if (may) {
		available = __available(gr);
		if (available > keep)
			gr->gr_sums.spent += available - keep;
		claim->spent = gr->gr_sums.spent;
		claim->export = gr->gr_sums.export;
		claim->dirty = gr->gr_sums.dirty;
		gr->gr_unsure = true;
	}
	spin_unlock(&gr->gr_lock);
	return may;
}
EXPORT_SYMBOL_NS_GPL(ost_grant_return, LUSTRE_LITE);

/**
 * ost_grant_returned() - the target has answered OST_GRANT
 * @gr: grant
 * @claim: what it was told
 * @spent: all that the export knows to be spent
 *
 * After ost_grant_given().
 *
 * If a write was sent meanwhile, the target may have spent less than both: it is told again. One
 * that was asked for nothing may have some.
 *
 * Context: any task
 */
void ost_grant_returned(struct ost_grant *gr, const struct ost_claim *claim, u64 spent)
{
	spin_lock(&gr->gr_lock);
	if (!claim->undirty)
		gr->gr_full = false;
	if (claim->export == gr->gr_sums.export && spent == claim->spent &&
	    spent == gr->gr_sums.spent && !gr->gr_sums.sent)
		gr->gr_unsure = false;
	spin_unlock(&gr->gr_lock);
}
EXPORT_SYMBOL_NS_GPL(ost_grant_returned, LUSTRE_LITE);

/* --- connections ---------------------------------------------------------------------- */

/**
 * ost_grant_held() - all that the client holds, for a connect
 * @gr: grant
 *
 * Pages that become dirty during the connect, and those that are written or dropped, do not change
 * it.
 *
 * Context: any task
 * Return: bytes
 */
u32 ost_grant_held(struct ost_grant *gr)
{
	u64 held;

	spin_lock(&gr->gr_lock);
	held = __available(gr) + gr->gr_sums.dirty + gr->gr_sums.sent;
	spin_unlock(&gr->gr_lock);
	return min_t(u64, held, U32_MAX);
}
EXPORT_FOR_KUNIT(ost_grant_held);

/**
 * ost_grant_connected() - the import is connected, or the target has forgotten the client
 * @gr: grant
 * @export: handle of its export; 0: the target does not know the client any more
 * @bytes: what the client holds now, as a new export says
 *
 * Context: any task; under imp_connect_mutex
 */
void ost_grant_connected(struct ost_grant *gr, u64 export, u32 bytes)
{
	spin_lock(&gr->gr_lock);
	if (export != gr->gr_sums.export) {
		gr->gr_sums.export = export;
		gr->gr_sums.given = bytes;
		gr->gr_sums.spent = 0;
		gr->gr_unsure = false;
		gr->gr_full = false;
	}
	spin_unlock(&gr->gr_lock);
}
EXPORT_FOR_KUNIT(ost_grant_connected);
