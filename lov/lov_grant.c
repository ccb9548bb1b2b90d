// SPDX-License-Identifier: GPL-2.0-only
/* Grant of the objects of a file: lustre_lite/ost_grant.h. Each byte needs that of its target. */
#define DEBUG_SUBSYSTEM S_LOV

#include <linux/err.h>
#include <linux/kernel.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/ost_grant.h>

#include "lov_batch.h"
#include "lov_driver.h"
#include "lov_internal.h"

/* The object that has the byte at @pos of the file, which is in @seg. Return: false: none has it */
static bool stripe_of(const struct lov_seg *seg, u64 pos, u32 *stripe)
{
	u32 n;

	for (n = 0; n < seg->lsg_count; n++) {
		if (seg->lsg_driver->ldv_object_end(seg, n, pos) <
		    seg->lsg_driver->ldv_object_end(seg, n, pos + 1))
			break;
	}
	*stripe = n;
	return n < seg->lsg_count;
}

/*
 * Bytes of the file in a row from @pos on that are in object @stripe; up to the end of the segment.
 */
static u64 run_end(const struct lov_seg *seg, u64 pos, u32 stripe)
{
	u64 run;

	seg->lsg_driver->ldv_file_pos(seg, stripe,
				      seg->lsg_driver->ldv_object_end(seg, stripe, pos),
				      &run);
	return min(seg->lsg_end, run < LOV_POS_MAX - pos ? pos + run : LOV_POS_MAX);
}

/* The target of the byte at @pos, for class_export_put(). Return: NULL: none has it */
static struct obd_export *target_at(struct obd_export *exp, struct lov_layout *layout, u64 pos,
				    u64 *end)
{
	struct obd_export *target = NULL;
	struct lov_segs segs;
	struct lov_seg *seg;
	u32 n, stripe;

	if (pos >= LOV_POS_MAX || lov_segs_get(layout, &segs))
		return NULL;
	for (n = 0; n < segs.sg_nr; n++) {
		seg = segs.sg_seg[n];
		if (pos < seg->lsg_start || pos >= seg->lsg_end)
			continue;
		if (stripe_of(seg, pos, &stripe)) {
			target = lov_seg_target(exp, seg, stripe);
			*end = run_end(seg, pos, stripe);
		}
		break;
	}
	lov_segs_put(&segs);
	return target;
}

/**
 * lov_grant() - d_grant of type lov
 * @exp: export of the device
 * @layout: the file
 * @pos: position
 * @end: out: position after the last byte in a row of the same object
 *
 * Context: sleeps if the target is not known yet
 * Return: grant, for ost_grant_put(); NULL: the byte has no object, or no target
 */
struct ost_grant *lov_grant(struct obd_export *exp, struct lov_layout *layout, u64 pos, u64 *end)
{
	struct obd_export *target = target_at(exp, layout, pos, end);
	struct ost_grant *gr;

	if (!target)
		return NULL;
	gr = ost_grant_of(target);
	class_export_put(target);
	return gr;
}

/**
 * lov_grant_ask() - d_grant_ask of type lov
 * @exp: export of the device
 * @layout: the file
 * @pos: position
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: true if there is some
 */
bool lov_grant_ask(struct obd_export *exp, struct lov_layout *layout, u64 pos)
{
	u64 end;
	struct obd_export *target = target_at(exp, layout, pos, &end);
	bool some;

	if (!target)
		return false;
	some = ost_grant_ask(target);
	class_export_put(target);
	return some;
}
