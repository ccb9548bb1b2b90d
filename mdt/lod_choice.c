// SPDX-License-Identifier: GPL-2.0-only
/*
 * Choice of targets for the stripes of a new file.
 *
 * Targets that cannot be used are skipped, and those that are degraded or read-only as long as
 * others suffice. A file has fewer stripes than wanted where fewer targets can be used. Without a
 * first target that is asked for, targets are used in turn; where their free space differs, they
 * are drawn by weight.
 */
#define DEBUG_SUBSYSTEM S_MDS

#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_class.h>
#include <lustre_lite/obd_export.h>
#include <lustre_lite/obd_ops.h>

#include "lod.h"
#include "mdt_internal.h"

/**
 * struct lod_choice - the targets of a file, while they are chosen
 * @lod: device
 * @wish: what is wanted
 * @objects: out
 * @wanted: stripes
 * @nr: stripes so far
 * @steps: targets that were looked at
 * @start: index where the search begins
 * @full: a target is full
 * @more: also targets that are avoided, as the others do not suffice
 */
struct lod_choice {
	struct lod_device	*lod;
	const struct lod_wish	*wish;
	struct lov_object	*objects;
	u32			wanted;
	u32			nr;
	u32			steps;
	u32			start;
	bool			full;
	bool			more;
};

static bool in_pool(const struct lod_choice *ch, u32 index)
{
	return !*ch->wish->lw_pool || !dt_pool(ch->lod->lodd_lov, ch->wish->lw_pool, index);
}

/* It may have gone since lod_ids.c looked. */
static bool is_connected(const struct lod_choice *ch, u32 index)
{
	u32 next = index;
	struct obd_export *exp = dt_target_next(ch->lod->lodd_lov, &next);

	if (!exp)
		return false;
	class_export_put(exp);
	return next == index + 1;
}

static bool may_take(const struct lod_choice *ch, u32 index)
{
	return in_pool(ch, index) && is_connected(ch, index);
}

/* Return: whether the file got an object of it */
static bool __take(struct lod_choice *ch, struct lod_target *lt)
{
	struct lov_object *object = &ch->objects[ch->nr];
	u64 id = 0;

	lockdep_assert_held(&ch->lod->lodd_lock);
	if (__lod_target_usable(lt))
		id = __lod_id_take(lt);
	else
		ch->full |= __lod_target_full(lt);
	if (!id || fid_idif_make(id, lt->ltg_index, &object->fid))
		return false;
	object->ost = lt->ltg_index;
	ch->nr++;
	return true;
}

static bool take(struct lod_choice *ch, struct lod_target *lt)
{
	bool taken;

	if (!may_take(ch, lt->ltg_index))
		return false;
	spin_lock(&ch->lod->lodd_lock);
	taken = __take(ch, lt);
	spin_unlock(&ch->lod->lodd_lock);
	return taken;
}

static bool has_object_of(const struct lod_choice *ch, u32 index)
{
	u32 n;

	for (n = 0; n < ch->nr; n++)
		if (ch->objects[n].ost == index)
			return true;
	return false;
}

static bool is_next(const struct lod_choice *ch, const struct lod_target *lt)
{
	return ch->more ? !has_object_of(ch, lt->ltg_index) : !READ_ONCE(lt->ltg_avoided);
}

static void take_range(struct lod_choice *ch, u32 from, u32 to)
{
	struct lod_target *lt;
	unsigned long index;

	xa_for_each_range(&ch->lod->lodd_targets, index, lt, from, to) {
		if (ch->nr == ch->wanted)
			break;
		ch->steps++;
		if (is_next(ch, lt))
			take(ch, lt);
	}
}

static void take_after(struct lod_choice *ch, u32 start)
{
	take_range(ch, start + 1, U32_MAX);
	if (start)
		take_range(ch, 0, start - 1);
}

static void take_from(struct lod_choice *ch, u32 start)
{
	take_range(ch, start, start);
	take_after(ch, start);
}

/* The target that is asked for, also if others would be better; then those after it. */
static void take_offset(struct lod_choice *ch)
{
	ch->start = ch->wish->lw_offset;
	take(ch, xa_load(&ch->lod->lodd_targets, ch->start));
	take_after(ch, ch->start);
}

/* Index of the target at a place among all. */
static u32 index_at(struct lod_device *lod, u32 place)
{
	struct lod_target *lt;
	unsigned long index;

	xa_for_each(&lod->lodd_targets, index, lt)
		if (!place--)
			return index;
	return 0;
}

static void take_turns(struct lod_choice *ch)
{
	struct lod_device *lod = ch->lod;
	u32 place = 0;

	spin_lock(&lod->lodd_lock);
	if (lod->lodd_nr)
		place = lod_turn_begin(&lod->lodd_turn, lod->lodd_nr, ch->wanted);
	spin_unlock(&lod->lodd_lock);
	ch->start = index_at(lod, place);
	take_from(ch, ch->start);
	spin_lock(&lod->lodd_lock);
	lod_turn_end(&lod->lodd_turn, ch->wanted, ch->nr ? ch->steps : 0);
	spin_unlock(&lod->lodd_lock);
}

/* Targets that the file may have. Return: their number */
static u32 candidates(struct lod_choice *ch, struct qos_target **list, u32 max)
{
	struct lod_target *lt;
	unsigned long index;
	u32 nr = 0;

	xa_for_each(&ch->lod->lodd_targets, index, lt)
		if (nr < max && may_take(ch, index))
			list[nr++] = &lt->ltg_qos;
	return nr;
}

/* Those of them that can be used now. Return: their number */
static u32 __usable(struct qos_target **list, u32 nr)
{
	struct lod_target *lt;
	u32 n, left = 0;

	for (n = 0; n < nr; n++) {
		lt = container_of(list[n], struct lod_target, ltg_qos);
		lockdep_assert_held(&lt->ltg_lod->lodd_lock);
		lt->ltg_qos.usable = __lod_target_usable(lt) && !lt->ltg_avoided;
		lt->ltg_qos.space = lt->ltg_free >> 8;
		if (lt->ltg_qos.usable)
			list[left++] = list[n];
	}
	return left;
}

static void __take_drawn(struct lod_choice *ch, struct qos_target **list, u32 nr)
{
	struct lod_qos *qos = &ch->lod->lodd_qos;
	u64 now = ktime_get_seconds();
	u32 drawn = 0;

	lockdep_assert_held(&ch->lod->lodd_lock);
	nr = __usable(list, nr);
	if (!qos_prepare(qos, list, nr, now))
		return;
	while (ch->nr < ch->wanted && drawn < nr) {
		drawn = qos_draw(qos, list, nr, get_random_u64(), now);
		if (drawn < nr)
			__take(ch, container_of(list[drawn], struct lod_target, ltg_qos));
	}
}

/* By weight, if the free space differs. Without memory the targets are used in turn. */
static void take_drawn(struct lod_choice *ch)
{
	u32 max = READ_ONCE(ch->lod->lodd_nr), nr;
	struct qos_target **list = kvmalloc_array(max, sizeof(*list), GFP_KERNEL);

	if (!list)
		return;
	nr = candidates(ch, list, max);
	spin_lock(&ch->lod->lodd_lock);
	__take_drawn(ch, list, nr);
	spin_unlock(&ch->lod->lodd_lock);
	kvfree(list);
}

/* Just these, in their order. */
static int take_list(struct lod_choice *ch)
{
	struct lod_target *lt;

	while (ch->nr < ch->wanted) {
		lt = xa_load(&ch->lod->lodd_targets, lov_ea_ost(ch->wish->lw_osts, ch->nr));
		if (!lt || !take(ch, lt))
			return ch->full ? -ENOSPC : -ENODEV;
	}
	return 0;
}

/* Return: 0; -EINVAL: there is no such pool, or no such target in it */
static int wish_check(struct lod_device *lod, const struct lod_wish *wish)
{
	const bool any = wish->lw_offset == LOD_ANY;
	int rc;

	if (!any && !xa_load(&lod->lodd_targets, wish->lw_offset))
		return -EINVAL;
	if (!*wish->lw_pool)
		return 0;
	rc = dt_pool(lod->lodd_lov, wish->lw_pool, any ? 0 : wish->lw_offset);
	return rc == -ENOENT || (rc && !any) ? -EINVAL : 0;
}

static int choose(struct lod_choice *ch)
{
	const struct lod_wish *wish = ch->wish;
	bool any = wish->lw_offset == LOD_ANY;

	if (wish->lw_osts)
		return take_list(ch);
	if (any && READ_ONCE(ch->lod->lodd_uneven))
		take_drawn(ch);
	if (!any)
		take_offset(ch);
	else if (!ch->nr)
		take_turns(ch);
	if (ch->nr < ch->wanted) {
		ch->more = true;
		take_from(ch, ch->start);
	}
	if (ch->nr)
		return 0;
	return ch->full ? -ENOSPC : -EAGAIN;
}

int lod_choose(struct lod_device *lod, const struct lod_wish *wish, struct lov_object *objects,
	       u32 *nr)
{
	struct lod_choice ch = {
		.lod = lod,
		.wish = wish,
		.objects = objects,
		.wanted = *nr,
	};
	int rc = wish_check(lod, wish) ?: choose(&ch);

	*nr = ch.nr;
	return rc;
}

u32 lod_active(struct lod_device *lod)
{
	struct lod_target *lt;
	unsigned long index;
	u32 nr = 0;

	spin_lock(&lod->lodd_lock);
	xa_for_each(&lod->lodd_targets, index, lt)
		nr += __lod_target_usable(lt);
	spin_unlock(&lod->lodd_lock);
	return nr;
}
