// SPDX-License-Identifier: GPL-2.0
/*
 * Logs that stay open between changes: the header of a log and where it ends, as the
 * change that was last in it left them. So the next change need not look through
 * the log for its end.
 *
 * One is good for the generation that it is of. What changes a log and does not
 * leave it open leaves an older one behind, which is of no use any more.
 */
#include <linux/slab.h>

#include <lustre_lite/libcfs.h>

#include "store_internal.h"

/**
 * mgs_kept_alloc() - room for a log that is to stay open
 * @log: name
 *
 * Context: sleeps for memory
 * Return: it, for mgs_kept_free() or mgs_kept_put(); NULL
 */
struct mgs_kept *mgs_kept_alloc(const char *log)
{
	struct mgs_kept *kept = libcfs_zalloc(sizeof(*kept), GFP_KERNEL);

	if (!kept)
		return NULL;
	INIT_LIST_HEAD(&kept->kp_item);
	memcpy(kept->kp_name, log, strlen(log));
	return kept;
}

/**
 * mgs_kept_free() - it is not kept any more
 * @kept: log, in a list or in none; or NULL
 *
 * Context: any that may free
 */
void mgs_kept_free(struct mgs_kept *kept)
{
	if (!kept)
		return;
	list_del_init(&kept->kp_item);
	libcfs_free(kept->kp_store.chunk0, kept->kp_memory);
	libcfs_free(kept, sizeof(*kept));
}

static struct mgs_kept *kept_find(const struct mgs_store *store,
				  const char *log)
{
	struct mgs_kept *kept;

	list_for_each_entry(kept, &store->ms_kept, kp_item)
		if (!strcmp(kept->kp_name, log))
			return kept;
	return NULL;
}

/**
 * mgs_kept_get() - a log as its last change left it
 * @store: store
 * @log: name
 *
 * Context: any
 * Return: it, until the next change is committed; NULL
 */
const struct mgs_kept *mgs_kept_get(struct mgs_store *store, const char *log)
{
	const struct mgs_kept *kept = kept_find(store, log);
	const struct mgs_log *now = mgs_store_find(store, log);

	if (!kept || !now || now->ml_damaged ||
	    kept->kp_generation != now->ml_info.li_generation)
		return NULL;
	return kept;
}

/**
 * mgs_kept_put() - a log stays open; the one that was changed longest ago goes
 * @store: store
 * @kept: log, the store's then
 *
 * Context: any that may free
 */
void mgs_kept_put(struct mgs_store *store, struct mgs_kept *kept)
{
	struct mgs_kept *other;
	u32 count = 0;

	mgs_kept_free(kept_find(store, kept->kp_name));
	list_add_tail(&kept->kp_item, &store->ms_kept);
	list_for_each_entry(other, &store->ms_kept, kp_item)
		count++;
	if (count > MGS_KEPT_MAX)
		mgs_kept_free(list_entry(store->ms_kept.next, struct mgs_kept,
					 kp_item));
}

/**
 * mgs_kept_drop() - nothing stays open
 * @store: store
 *
 * Context: any that may free
 */
void mgs_kept_drop(struct mgs_store *store)
{
	while (!list_empty(&store->ms_kept))
		mgs_kept_free(list_entry(store->ms_kept.next, struct mgs_kept,
					 kp_item));
}
