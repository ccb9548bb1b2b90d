// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects of removed files.
 *
 * A file with objects goes to PENDING with its last name. When no client has it open any more, and
 * that is on disk, its targets destroy the objects. When that is on their disks, the file leaves
 * PENDING:
 *
 *	lod_destroy()		in the transaction that ended the file
 *	orphan_committed()	it is on disk: each object is queued at its target
 *	lod_target_destroy()	OST_DESTROY of up to OST_OBJECTS_MAX objects, then OST_SYNC
 *	reap()			all objects are gone: the file leaves PENDING
 *
 * A target that does not answer holds up its own files. A restart finds the files in PENDING, and
 * starts from the beginning: to destroy an object twice is harmless.
 */
#define DEBUG_SUBSYSTEM S_MDS

#include <linux/err.h>
#include <linux/jhash.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/lustre_ost.h>
#include <lustre_lite/obd_class.h>
#include <lustre_lite/obd_client.h>
#include <lustre_lite/obd_export.h>
#include <lustre_lite/obd_ops.h>

#include "lod.h"
#include "mdt_internal.h"

/* Time in which objects of a target are collected for one request, jiffies. */
#define COLLECT		HZ

/**
 * struct lod_doomed - an object of a removed file
 * @ldm_item: in ltg_doomed of its target, or in a list of its work
 * @ldm_orphan: the file
 * @ldm_object: the object
 */
struct lod_doomed {
	struct list_head	ldm_item;
	struct lod_orphan	*ldm_orphan;
	struct lov_object	ldm_object;
};

/**
 * struct lod_orphan - a removed file with objects
 * @lor_node: in lodd_orphans
 * @lor_item: in lodd_gone, once @lor_left is 0
 * @lor_lod: device
 * @lor_fid: its FID
 * @lor_commit: waits for the transaction that ended it
 * @lor_left: objects that are not destroyed yet, guarded by lodd_lock
 * @lor_nr: objects
 * @lor_doomed: the objects
 *
 * In lodd_orphans from lod_destroy() until it has left PENDING, or the device ends.
 */
struct lod_orphan {
	struct hlist_node	lor_node;
	struct list_head	lor_item;
	struct lod_device	*lor_lod;
	struct lu_fid		lor_fid;
	struct tgt_commit_cb	lor_commit;
	u32			lor_left;
	u32			lor_nr;
	struct lod_doomed	lor_doomed[];
};

static u32 fid_hash(const struct lu_fid *fid)
{
	return jhash(fid, sizeof(*fid), 0);
}

bool lod_is_orphan(struct mdt_device *mdt, const struct lu_fid *fid)
{
	struct lod_device *lod = mdt->mdt_lod;
	struct lod_orphan *orphan;
	bool is = false;

	if (!lod || !READ_ONCE(lod->lodd_nr_orphans))
		return false;
	spin_lock(&lod->lodd_lock);
	hash_for_each_possible(lod->lodd_orphans, orphan, lor_node, fid_hash(fid))
		is |= lu_fid_eq(&orphan->lor_fid, fid);
	spin_unlock(&lod->lodd_lock);
	return is;
}

static void orphan_add(struct lod_orphan *orphan)
{
	struct lod_device *lod = orphan->lor_lod;

	spin_lock(&lod->lodd_lock);
	hash_add(lod->lodd_orphans, &orphan->lor_node, fid_hash(&orphan->lor_fid));
	WRITE_ONCE(lod->lodd_nr_orphans, lod->lodd_nr_orphans + 1);
	spin_unlock(&lod->lodd_lock);
}

static void orphan_free(struct lod_orphan *orphan)
{
	struct lod_device *lod = orphan->lor_lod;

	spin_lock(&lod->lodd_lock);
	hash_del(&orphan->lor_node);
	WRITE_ONCE(lod->lodd_nr_orphans, lod->lodd_nr_orphans - 1);
	spin_unlock(&lod->lodd_lock);
	kvfree(orphan);
}

/* Of a file that ends: objects of its layout. */

/* @objects: out, or NULL: to count. Return: their number; -EOPNOTSUPP; -EUCLEAN */
static int plain_objects(const void *bytes, size_t len, struct lov_object *objects)
{
	struct lov_object object;
	struct lov_ea ea;
	u32 n, nr = 0;

	if (lov_ea_decode(bytes, len, &ea))
		return -EUCLEAN;
	for (n = 0; n < ea.object_count; n++) {
		object = lov_ea_object(&ea, n);
		if (fid_is_zero(&object.fid))
			continue;
		if (!fid_is_idif(&object.fid))
			return -EOPNOTSUPP;
		if (objects)
			objects[nr] = object;
		nr++;
	}
	return nr;
}

static int comp_objects(const struct lod_layout *layout, struct lov_object *objects)
{
	struct lov_comp_entry entry;
	struct lov_comp comp;
	int nr = 0, more;
	u32 n;

	if (lov_comp_decode(layout->ll_bytes, layout->ll_len, &comp))
		return -EUCLEAN;
	for (n = 0; n < comp.entry_count; n++) {
		entry = lov_comp_get(&comp, n);
		if (!(entry.flags & LCME_FL_INIT) ||
		    lov_ea_magic(entry.layout, entry.layout_len) == LOV_MAGIC_FOREIGN)
			continue;
		more = plain_objects(entry.layout, entry.layout_len,
				     objects ? objects + nr : NULL);
		if (more < 0)
			return more;
		nr += more;
	}
	return nr;
}

static int layout_objects(const struct lod_layout *layout, struct lov_object *objects)
{
	switch (lov_ea_magic(layout->ll_bytes, layout->ll_len)) {
	case LOV_MAGIC_COMP_V1:
		return comp_objects(layout, objects);
	case LOV_MAGIC_FOREIGN:
		return 0;
	default:
		return plain_objects(layout->ll_bytes, layout->ll_len, objects);
	}
}

bool lod_layout_first(const struct lod_layout *layout, struct lov_object *object)
{
	int nr = layout->ll_len ? layout_objects(layout, NULL) : 0;
	struct lov_object *objects;

	objects = nr > 0 ? kvmalloc_array(nr, sizeof(*objects), GFP_KERNEL) : NULL;
	if (!objects)
		return false;
	layout_objects(layout, objects);
	*object = objects[0];
	kvfree(objects);
	return true;
}

static struct lod_orphan *orphan_new(struct lod_device *lod, const struct lu_fid *fid,
				     const struct lov_object *objects, u32 nr)
{
	struct lod_orphan *orphan = kvzalloc(struct_size(orphan, lor_doomed, nr),
					     GFP_KERNEL_ACCOUNT);
	u32 n;

	if (!orphan)
		return NULL;
	orphan->lor_lod = lod;
	orphan->lor_fid = *fid;
	orphan->lor_left = nr;
	orphan->lor_nr = nr;
	for (n = 0; n < nr; n++) {
		orphan->lor_doomed[n].ldm_orphan = orphan;
		orphan->lor_doomed[n].ldm_object = objects[n];
	}
	return orphan;
}

/* The file, with @nr objects of its layout. Return: or an ERR_PTR */
static struct lod_orphan *orphan_of(struct lod_device *lod, const struct lu_fid *fid,
				    const struct lod_layout *layout, u32 nr)
{
	struct lov_object *objects = kvmalloc_array(nr, sizeof(*objects), GFP_KERNEL);
	struct lod_orphan *orphan = NULL;

	if (objects) {
		layout_objects(layout, objects);
		orphan = orphan_new(lod, fid, objects, nr);
	}
	kvfree(objects);
	return orphan ?: ERR_PTR(-ENOMEM);
}

/* It has left PENDING when this is done; lodd_reap does that. */
static void __orphan_gone(struct lod_orphan *orphan)
{
	struct lod_device *lod = orphan->lor_lod;

	lockdep_assert_held(&lod->lodd_lock);
	list_add_tail(&orphan->lor_item, &lod->lodd_gone);
	if (!lod->lodd_stopped)
		queue_work(lod->lodd_wq, &lod->lodd_reap);
}

void __lod_destroy_kick(struct lod_target *lt)
{
	lockdep_assert_held(&lt->ltg_lod->lodd_lock);
	if (!list_empty(&lt->ltg_doomed) && lt->ltg_active && !lt->ltg_lod->lodd_stopped)
		queue_delayed_work(lt->ltg_lod->lodd_wq, &lt->ltg_destroy, COLLECT);
}

static void doomed_queue(struct lod_doomed *doomed)
{
	struct lod_device *lod = doomed->ldm_orphan->lor_lod;
	struct lod_target *lt = lod_target_get(lod, doomed->ldm_object.ost);

	/* Without memory the file stays in PENDING until the next start. */
	if (!lt)
		return;
	spin_lock(&lod->lodd_lock);
	list_add_tail(&doomed->ldm_item, &lt->ltg_doomed);
	__lod_destroy_kick(lt);
	spin_unlock(&lod->lodd_lock);
}

/* The end of the file is on disk, or never will be: then the next start decides. */
static void orphan_committed(struct tgt_commit_cb *cb, int rc)
{
	struct lod_orphan *orphan = container_of(cb, struct lod_orphan, lor_commit);
	const u32 nr = orphan->lor_nr;
	u32 n;

	/* The work of the last object may free it. */
	for (n = 0; !rc && n < nr; n++)
		doomed_queue(&orphan->lor_doomed[n]);
}

/* Return: 1: the file stays in PENDING; a negative errno: likewise, until the next start */
static int destroy_layout(struct lod_device *lod, struct mdt_object *obj, struct mdt_trans *mt,
			  const struct lod_layout *layout)
{
	int nr = layout_objects(layout, NULL);
	struct lod_orphan *orphan;

	if (nr <= 0)
		return nr;
	orphan = orphan_of(lod, &obj->mo_lu.lo_fid, layout, nr);
	if (IS_ERR(orphan))
		return PTR_ERR(orphan);
	orphan_add(orphan);
	/* The removal of the name has a smaller number, or this one. */
	mdt_trans_note(mt);
	orphan->lor_commit.tcc_transno = mt->mtr_transno;
	orphan->lor_commit.tcc_fn = orphan_committed;
	tgt_commit_cb_add(mt->mtr_obd, &orphan->lor_commit);
	return 1;
}

int lod_destroy(struct mdt_device *mdt, struct mdt_object *obj, struct mdt_trans *mt)
{
	struct lod_layout layout = {};
	int rc;

	lockdep_assert_held(&obj->mo_lock);
	rc = lod_swap_layout(&obj->mo_osd, &layout);
	if (!rc && layout.ll_len)
		rc = mdt->mdt_lod ? destroy_layout(mdt->mdt_lod, obj, mt, &layout) :
				    min(layout_objects(&layout, NULL), 1);
	lod_layout_free(&layout);
	return rc;
}

/* The work of a target. */

/* Move up to OST_OBJECTS_MAX objects to @sent. Return: their number, and their FIDs */
static u32 batch_take(struct lod_target *lt, struct list_head *sent, struct lustre_fid *fids)
{
	struct lod_doomed *doomed, *next;
	u32 nr = 0;

	spin_lock(&lt->ltg_lod->lodd_lock);
	list_for_each_entry_safe(doomed, next, &lt->ltg_doomed, ldm_item) {
		fid_le_put(&fids[nr++], &doomed->ldm_object.fid);
		list_move_tail(&doomed->ldm_item, sent);
		if (nr == OST_OBJECTS_MAX)
			break;
	}
	spin_unlock(&lt->ltg_lod->lodd_lock);
	return nr;
}

static int batches_send(struct lod_target *lt, struct obd_export *exp, struct list_head *sent,
			struct lustre_fid *fids)
{
	struct ost_op op = { .opc = OST_DESTROY, .objects = fids };
	struct ost_reply rep;
	int rc = 0;

	while (!rc && (op.nr_objects = batch_take(lt, sent, fids)))
		rc = ost_call(exp, &op, &rep);
	return rc;
}

/*
 * Destroyed, and on the target's disk. A target that has evicted this one meanwhile may have lost
 * what it answered.
 */
static int batches_run(struct lod_target *lt, struct obd_export *exp, struct list_head *sent)
{
	const struct ost_op sync = { .opc = OST_SYNC };
	struct lustre_fid *fids = kvmalloc_array(OST_OBJECTS_MAX, sizeof(*fids), GFP_KERNEL);
	u32 generation = lod_generation(exp);
	struct ost_reply rep;
	int rc;

	if (!fids)
		return -ENOMEM;
	rc = batches_send(lt, exp, sent, fids);
	kvfree(fids);
	if (!rc && !list_empty(sent))
		rc = ost_call(exp, &sync, &rep);
	return rc ?: lod_generation(exp) == generation ? 0 : -EAGAIN;
}

/* After a failure they are sent again when lod_ids.c looks at the targets. */
static void batches_end(struct lod_target *lt, struct list_head *sent, int rc)
{
	struct lod_doomed *doomed, *next;

	spin_lock(&lt->ltg_lod->lodd_lock);
	if (rc)
		list_splice_init(sent, &lt->ltg_doomed);
	list_for_each_entry_safe(doomed, next, sent, ldm_item) {
		list_del(&doomed->ldm_item);
		if (!--doomed->ldm_orphan->lor_left)
			__orphan_gone(doomed->ldm_orphan);
	}
	spin_unlock(&lt->ltg_lod->lodd_lock);
}

void lod_target_destroy(struct work_struct *work)
{
	struct lod_target *lt = container_of(to_delayed_work(work), struct lod_target,
					     ltg_destroy);
	struct obd_export *exp = dt_target(lt->ltg_lod->lodd_lov, lt->ltg_index);
	LIST_HEAD(sent);

	if (!exp)
		return;
	batches_end(lt, &sent, batches_run(lt, exp, &sent));
	class_export_put(exp);
}

/* Files that have lost their objects. */

static struct lod_orphan *gone_take(struct lod_device *lod)
{
	struct lod_orphan *orphan;

	spin_lock(&lod->lodd_lock);
	orphan = list_first_entry_or_null(&lod->lodd_gone, struct lod_orphan, lor_item);
	if (orphan)
		list_del(&orphan->lor_item);
	spin_unlock(&lod->lodd_lock);
	return orphan;
}

static void orphan_leave(struct lod_orphan *orphan)
{
	struct mdt_device *mdt = orphan->lor_lod->lodd_mdt;
	char text[FID_TEXT_SIZE];
	struct mdt_trans mt;
	int rc = mdt_own_trans_start(mdt, &mt);

	/* After a failed commit it stays. */
	if (rc)
		return;
	rc = osd_pending_destroy(mdt->mdt_osd, &orphan->lor_fid, &mt.mtr_stamp);
	mdt_own_trans_stop(&mt);
	if (rc && rc != -ENOENT)
		CERROR("%s: cannot destroy [%s], which stays in PENDING: rc = %d\n",
		       mdt->mdt_dir.td_obd->obd_name, fid_text(&orphan->lor_fid, text), rc);
}

static void reap(struct work_struct *work)
{
	struct lod_device *lod = container_of(work, struct lod_device, lodd_reap);
	struct lod_orphan *orphan;

	while ((orphan = gone_take(lod))) {
		orphan_leave(orphan);
		orphan_free(orphan);
	}
}

void lod_destroy_init(struct lod_device *lod)
{
	hash_init(lod->lodd_orphans);
	INIT_LIST_HEAD(&lod->lodd_gone);
	INIT_WORK(&lod->lodd_reap, reap);
}

void lod_destroy_fini(struct lod_device *lod)
{
	struct lod_orphan *orphan;
	struct hlist_node *next;
	int bucket;

	hash_for_each_safe(lod->lodd_orphans, bucket, next, orphan, lor_node)
		orphan_free(orphan);
}
