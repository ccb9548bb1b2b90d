// SPDX-License-Identifier: GPL-2.0-only
/*
 * Appends of several clients: each one gets the size of the file, and writes there, under a lock
 * for writing of all bytes of the file's first object. Nothing else takes that lock. It is cached:
 * a client that appends alone asks once.
 */
#define DEBUG_SUBSYSTEM S_LOV

#include <linux/err.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lustre_dlm.h>

#include "lov_batch.h"
#include "lov_internal.h"

static int first_lock(struct obd_export *exp, struct lov_seg *seg, struct ldlm_lock **lock)
{
	const struct ldlm_res_id res = { .name = { fid_idif_object(&seg->ls_slots[0].los_fid) } };
	const struct ldlm_policy all = { .extent = { .first = 0, .last = U64_MAX } };
	struct obd_export *target = lov_seg_target(exp, seg, 0);
	int rc;

	if (!target)
		return -EIO;
	rc = ldlm_cli_enqueue(target->exp_obd, LDLM_EXTENT, &res, LCK_PW, &all, 0, NULL, NULL,
			      lock);
	class_export_put(target);
	return rc == -ESHUTDOWN || rc == -ENOTCONN ? -EIO : rc;
}

/**
 * lov_append_lock() - d_append_lock of type lov
 * @exp: export of the device
 * @layout: the file
 * @lock: out
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: 0; -EIO if the target is not there or not used; -EOPNOTSUPP: the file has no objects
 *  yet; as lov_segs_get() and ldlm_cli_enqueue()
 */
int lov_append_lock(struct obd_export *exp, struct lov_layout *layout, struct ldlm_lock **lock)
{
	struct lov_segs segs;
	int rc = lov_segs_get(layout, &segs);

	if (rc)
		return rc;
	/* The first component has objects from the creation of the file on. */
	rc = segs.sg_nr && segs.sg_seg[0]->ls_count ? first_lock(exp, segs.sg_seg[0], lock) :
						      -EOPNOTSUPP;
	lov_segs_put(&segs);
	return rc;
}

/* d_append_unlock of type lov: it is cancelled when another client waits for it. May sleep. */
void lov_append_unlock(struct ldlm_lock *lock)
{
	ldlm_lock_decref(lock);
	ldlm_lock_put(lock);
}
