// SPDX-License-Identifier: GPL-2.0-only
/*
 * Choice of targets for the stripes of a new file.
 *
 * Targets that cannot be used are skipped. A file has fewer stripes than wanted where fewer targets
 * can be used.
 */
#define DEBUG_SUBSYSTEM S_MDS

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_class.h>
#include <lustre_lite/obd_export.h>
#include <lustre_lite/obd_ops.h>

#include "lod.h"
#include "mdt_internal.h"

/**
 * struct choice - the targets of a file, while they are chosen
 * @lod: device
 * @wish: what is wanted
 * @objects: out
 * @wanted: stripes
 * @nr: stripes so far
 * @full: a target is full
 */
struct choice {
	struct lod_device	*lod;
	const struct lod_wish	*wish;
	struct lov_object	*objects;
	u32			wanted;
	u32			nr;
	bool			full;
};

static bool in_pool(const struct choice *ch, u32 index)
{
	return !*ch->wish->lw_pool || !dt_pool(ch->lod->ld_lov, ch->wish->lw_pool, index);
}

/* It may have gone since lod_ids.c looked. */
static bool is_connected(const struct choice *ch, u32 index)
{
	u32 next = index;
	struct obd_export *exp = dt_target_next(ch->lod->ld_lov, &next);

	if (!exp)
		return false;
	class_export_put(exp);
	return next == index + 1;
}

/* Return: whether the file got an object of it */
static bool take(struct choice *ch, struct lod_target *lt)
{
	struct lov_object *object = &ch->objects[ch->nr];
	u64 id = 0;

	if (!in_pool(ch, lt->lt_index) || !is_connected(ch, lt->lt_index))
		return false;
	spin_lock(&ch->lod->ld_lock);
	if (__lod_target_usable(lt))
		id = __lod_id_take(lt);
	else
		ch->full |= __lod_target_full(lt);
	if (id)
		ch->lod->ld_next = lt->lt_index + 1;
	spin_unlock(&ch->lod->ld_lock);
	if (!id || fid_idif_make(id, lt->lt_index, &object->fid))
		return false;
	object->ost = lt->lt_index;
	ch->nr++;
	return true;
}

static void take_range(struct choice *ch, u32 from, u32 to)
{
	struct lod_target *lt;
	unsigned long index;

	xa_for_each_range(&ch->lod->ld_targets, index, lt, from, to) {
		if (ch->nr == ch->wanted)
			break;
		take(ch, lt);
	}
}

/* Just these, in their order. */
static int take_list(struct choice *ch)
{
	struct lod_target *lt;

	while (ch->nr < ch->wanted) {
		lt = xa_load(&ch->lod->ld_targets, lod_wish_ost(ch->wish, ch->nr));
		if (!lt || !take(ch, lt))
			return ch->full ? -ENOSPC : -ENODEV;
	}
	return 0;
}

int lod_choose(struct lod_device *lod, const struct lod_wish *wish, struct lov_object *objects,
	       u32 *nr)
{
	struct choice ch = {
		.lod = lod,
		.wish = wish,
		.objects = objects,
		.wanted = *nr,
	};
	u32 start = wish->lw_offset == LOD_ANY ? READ_ONCE(lod->ld_next) : wish->lw_offset;

	if (*wish->lw_pool && dt_pool(lod->ld_lov, wish->lw_pool, 0) == -ENOENT)
		return -EINVAL;
	if (wish->lw_offset != LOD_ANY && !xa_load(&lod->ld_targets, wish->lw_offset))
		return -EINVAL;
	if (wish->lw_osts)
		return take_list(&ch);
	take_range(&ch, start, U32_MAX);
	if (start)
		take_range(&ch, 0, start - 1);
	*nr = ch.nr;
	if (ch.nr)
		return 0;
	return ch.full ? -ENOSPC : -EAGAIN;
}

u32 lod_active(struct lod_device *lod)
{
	struct lod_target *lt;
	unsigned long index;
	u32 nr = 0;

	spin_lock(&lod->ld_lock);
	xa_for_each(&lod->ld_targets, index, lt)
		nr += __lod_target_usable(lt);
	spin_unlock(&lod->ld_lock);
	return nr;
}
