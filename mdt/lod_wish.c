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
	wish->lw_stripe_size = wish->lw_stripe_size ?: ea->stripe_size;
	wish->lw_stripe_count = wish->lw_stripe_count ?: ea->stripe_count;
	if (wish->lw_offset == LOD_ANY && !*wish->lw_pool && ea->gen != U16_MAX)
		wish->lw_offset = ea->gen;
	if (!*wish->lw_pool)
		strscpy(wish->lw_pool, ea->pool, sizeof(wish->lw_pool));
}

/* The default of a directory. One of another kind, such as a composite one, is left alone. */
static void wish_add_dir(struct lod_wish *wish, const struct mdt_object *dir)
{
	u8 bytes[LOD_LAYOUT_SMALL];
	ssize_t len = osd_ea_get(&dir->mo_osd, XATTR_NAME_LOV, bytes, sizeof(bytes));
	struct lov_ea ea;

	if (len > 0 && !lov_ea_decode(bytes, len, &ea))
		lod_wish_add(wish, &ea);
}

int lod_wish_complete(struct mdt_device *mdt, const struct mdt_object *dir,
		      struct lod_wish *wish)
{
	struct dt_desc desc;
	int rc;

	if (dir)
		wish_add_dir(wish, dir);
	if (dir != mdt->mdt_root)
		wish_add_dir(wish, mdt->mdt_root);
	rc = dt_desc(mdt->mdt_lod->ld_lov, &desc);
	if (rc)
		return -EAGAIN;
	wish->lw_stripe_size = wish->lw_stripe_size ?: desc.dd_stripe_size;
	wish->lw_stripe_count = wish->lw_stripe_count ?: min_t(u32, desc.dd_stripe_count, LOD_ALL);
	wish->lw_stripe_count = wish->lw_stripe_count ?: 1;
	if (wish->lw_offset == LOD_ANY && !*wish->lw_pool)
		wish->lw_offset = desc.dd_stripe_offset;
	return 0;
}
