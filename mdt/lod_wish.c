// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a new file wants: what its directory says, else the root, else the volume. As in real
 * Lustre, each of them fills in what those before it leave open.
 */
#define DEBUG_SUBSYSTEM S_MDS

#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lustre_ea.h>
#include <lustre_lite/obd_ops.h>

#include "lod.h"
#include "mdt_internal.h"

void lod_wish_init(struct lod_wish *wish)
{
	*wish = (struct lod_wish){ .lw_offset = LOD_ANY };
}

void lod_wish_add(struct lod_wish *wish, const struct lov_ea *ea)
{
	if (ea->osts) {
		wish->lw_osts = ea->osts;
		wish->lw_nr_osts = ea->ost_count;
		wish->lw_stripe_count = min_t(u32, ea->ost_count, LOD_STRIPES_MAX);
	}
	wish->lw_stripe_size = wish->lw_stripe_size ?: ea->stripe_size;
	wish->lw_stripe_count = wish->lw_stripe_count ?: ea->stripe_count;
	if (!ea->osts && wish->lw_offset == LOD_ANY && !*wish->lw_pool && ea->gen != U16_MAX)
		wish->lw_offset = ea->gen;
	if (!*wish->lw_pool)
		strscpy(wish->lw_pool, ea->pool, sizeof(wish->lw_pool));
}

void lod_wish_fini(struct lod_wish *wish)
{
	lod_layout_free(&wish->lw_comp);
	lod_layout_free(&wish->lw_list);
}

/* A list has its own number of stripes. A request of a user has no list of a default. */
static bool list_counts(const struct lod_wish *wish)
{
	return !wish->lw_asked && !wish->lw_osts && !wish->lw_stripe_count &&
	       wish->lw_offset == LOD_ANY && !*wish->lw_pool;
}

/* A default with a list of targets, which stays with @wish if it counts. */
static void wish_add_list(struct lod_wish *wish, struct lod_layout *layout)
{
	bool counts = list_counts(wish);
	struct lov_ea ea;

	if (counts) {
		lod_layout_move(&wish->lw_list, layout);
		layout = &wish->lw_list;
	}
	if (lov_ea_decode(layout->ll_bytes, layout->ll_len, &ea))
		return;
	if (!counts) {
		ea.osts = NULL;
		ea.gen = U16_MAX;
	}
	lod_wish_add(wish, &ea);
}

/* Once, while the directory is in memory. */
static void say_lost(const struct mdt_device *mdt, struct mdt_object *dir, const char *lost)
{
	char text[FID_TEXT_SIZE];

	if (lost && !xchg(&dir->mo_lost, true))
		CWARN("%s: [%s]: ignoring part of the default layout of this directory, which is not supported: %s\n",
		      mdt->mdt_dir.td_obd->obd_name, fid_text(&dir->mo_lu.lo_fid, text), lost);
}

/*
 * The default of a directory. @said: something was said before: a composite one does not count. Return:
 * whether there is one
 */
static bool wish_add_dir(const struct mdt_device *mdt, struct lod_wish *wish,
			 struct mdt_object *dir, bool said)
{
	struct lod_layout layout = {};
	struct lov_ea ea;
	bool has = !lod_layout_read(&dir->mo_osd, &layout) && layout.ll_len;

	if (has && lod_is_comp(layout.ll_bytes, layout.ll_len)) {
		say_lost(mdt, dir, lod_comp_lost(layout.ll_bytes, layout.ll_len));
		if (!said)
			lod_layout_move(&wish->lw_comp, &layout);
	} else if (has && lov_ea_magic(layout.ll_bytes, layout.ll_len) == LOV_MAGIC_SPECIFIC) {
		wish_add_list(wish, &layout);
	} else if (has && !lov_ea_decode(layout.ll_bytes, layout.ll_len, &ea)) {
		lod_wish_add(wish, &ea);
	}
	lod_layout_free(&layout);
	return has;
}

int lod_wish_volume(struct lod_device *lod, struct lod_wish *wish)
{
	struct dt_desc desc;

	if (dt_desc(lod->lodd_lov, &desc))
		return -EAGAIN;
	wish->lw_stripe_size = wish->lw_stripe_size ?: desc.dd_stripe_size;
	wish->lw_stripe_count = wish->lw_stripe_count ?: min_t(u32, desc.dd_stripe_count, LOD_ALL);
	wish->lw_stripe_count = wish->lw_stripe_count ?: 1;
	if (wish->lw_offset == LOD_ANY && !*wish->lw_pool)
		wish->lw_offset = desc.dd_stripe_offset;
	return 0;
}

int lod_wish_complete(struct mdt_device *mdt, struct mdt_object *dir, struct lod_wish *wish)
{
	bool said = wish->lw_asked;

	if (dir)
		said |= wish_add_dir(mdt, wish, dir, said);
	if (dir != mdt->mdt_root && !wish->lw_comp.ll_len)
		wish_add_dir(mdt, wish, mdt->mdt_root, said);
	return wish->lw_comp.ll_len ? 0 : lod_wish_volume(mdt->mdt_lod, wish);
}
