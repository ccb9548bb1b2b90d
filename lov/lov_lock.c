// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks of a file: one of each object, of all of its bytes. A client that has them all may cache
 * the file, for reading (LCK_PR) or also for writing (LCK_PW).
 *
 * Tasks of all clients take them in the order of the layout, and keep those that they have until
 * they have them all: two that want the same file do not wait for each other. But they do not keep
 * them while a target is not connected: the others would evict the client, as it does not return
 * their locks. The task waits for a lock of that target alone, and starts again.
 *
 *	lock (ldlm) --> slot, which its segment owns --> segment --> header --> owner (llite)
 *
 * A lock that is cancelled, or lost, has the owner write and forget what the file has in its cache.
 */
#define DEBUG_SUBSYSTEM S_LOV

#include <linux/err.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lustre_dlm.h>
#include <lustre_lite/lustre_ost.h>

#include "lov_batch.h"
#include "lov_dev.h"
#include "lov_driver.h"
#include "lov_internal.h"

static const struct ldlm_policy whole = { .extent = { .first = 0, .last = LDLM_EXTENT_EOF } };

static struct dt_owner *slot_owner(const struct lov_object_slot *slot)
{
	return slot->los_seg->lsg_layout->lly_owner;
}

/* Connection to the target, referenced; NULL: there is none, or no request was sent to it. */
static struct obd_export *slot_target(const struct lov_object_slot *slot)
{
	return lov_dev_target(READ_ONCE(slot->los_dev));
}

/*
 * A change that a killed task has left is made under the lock, or never. The server bounds the
 * wait: it evicts a client that keeps the lock for too long, and the change ends.
 */
static void slot_settle(const struct lov_object_slot *slot)
{
	struct obd_export *target = slot_target(slot);

	if (!target)
		return;
	ost_settle(target, &slot->los_fid, false);
	class_export_put(target);
}

static void slot_cancelled(struct ldlm_lock *lock, void *data)
{
	struct dt_owner *owner = slot_owner(data);

	if (!ldlm_lock_is_lost(lock))
		slot_settle(data);
	owner->dto_ops->do_lost(owner, ldlm_lock_is_lost(lock));
}

/* The share of the object in the size that the file has at this client. */
static u32 slot_glimpse(struct ldlm_lock *lock, void *data, void *lvb)
{
	const struct lov_object_slot *slot = data;
	const struct lov_seg *seg = slot->los_seg;
	struct dt_owner *owner = slot_owner(slot);
	struct md_attr attr = {};
	u64 size;

	if (!owner->dto_ops->do_attr(owner, &attr))
		return 0;
	/* How many of the blocks are those of the object only the target knows. */
	attr.blocks = 0;
	size = min(attr.size, seg->lsg_end);
	attr.size = size <= seg->lsg_start ? 0 :
		    seg->lsg_driver->ldv_object_end(seg, slot - seg->lsg_slots, size);
	ost_lvb_encode(lvb, &attr);
	return sizeof(struct ost_lvb);
}

static void slot_get(void *data)
{
	struct lov_seg *seg = ((struct lov_object_slot *)data)->los_seg;

	lov_count(seg->lsg_layout->lly_lov, LOV_COUNT_SEG_LOCK, 1);
	refcount_inc(&seg->lsg_refcount);
}

static void slot_put(void *data)
{
	struct lov_seg *seg = ((struct lov_object_slot *)data)->los_seg;

	lov_count(seg->lsg_layout->lly_lov, LOV_COUNT_SEG_LOCK, -1);
	lov_seg_put_later(seg);
}

static bool slot_unwanted(void *data)
{
	return lov_seg_is_unsure(((struct lov_object_slot *)data)->los_seg);
}

static const struct ldlm_callbacks slot_callbacks = {
	.lcb_cancelled	= slot_cancelled,
	.lcb_glimpse	= slot_glimpse,
	.lcb_get		= slot_get,
	.lcb_put		= slot_put,
	.lc_unwanted	= slot_unwanted,
	.lcb_module	= THIS_MODULE,
	.lcb_hold	= true,
};

/* @flags: LDLM_FL_NO_DELAY or 0 */
static int slot_lock(struct obd_export *target, struct lov_object_slot *slot, u32 mode,
		     enum dt_wait wait, u32 flags, struct ldlm_lock **lock)
{
	const struct ldlm_res_id res = { .name = { fid_idif_object(&slot->los_fid) } };
	struct obd_device *obd = target->exp_obd;

	if (wait == DT_LOCK_CACHED) {
		*lock = ldlm_cli_match(obd, &res, mode, &whole, &slot_callbacks, slot);
		return *lock ? 0 : -EWOULDBLOCK;
	}
	flags |= wait == DT_LOCK_NOWAIT ? LDLM_FL_BLOCK_NOWAIT : 0;
	/* They may be those of another inode of the file, which is gone: its lock covers them. */
	return ost_settle(target, &slot->los_fid, true) ?:
	       ldlm_cli_enqueue(obd, LDLM_EXTENT, &res, mode, &whole, flags, &slot_callbacks, slot,
				lock);
}

static bool locks_drop(struct dt_locks *locks)
{
	bool lost = false;
	u32 n;

	for (n = 0; n < locks->dk_nr; n++) {
		lost |= ldlm_lock_is_lost(locks->dk_lock[n]);
		ldlm_lock_decref(locks->dk_lock[n]);
		ldlm_lock_put(locks->dk_lock[n]);
	}
	locks->dk_nr = 0;
	return lost;
}

/*
 * One more lock. If its target is not connected, those of before are dropped, and the lock is
 * waited for.
 * Return: 0; 1: all are to be taken again; as lov_enqueue()
 */
static int lock_add(struct obd_export *target, struct lov_object_slot *slot, u32 mode,
		    enum dt_wait wait, struct dt_locks *locks)
{
	struct ldlm_lock *lock;
	bool alone = !locks->dk_nr;
	int rc = slot_lock(target, slot, mode, wait, alone ? 0 : LDLM_FL_NO_DELAY, &lock);

	if (rc == -ENOTCONN && !alone) {
		locks_drop(locks);
		rc = slot_lock(target, slot, mode, wait, 0, &lock);
		if (!rc) {
			ldlm_lock_decref(lock);
			ldlm_lock_put(lock);
			return 1;
		}
	}
	if (!rc)
		locks->dk_lock[locks->dk_nr++] = lock;
	return lov_error_of(rc);
}

/* Return: as lock_add() */
static int seg_lock(struct obd_export *exp, struct lov_seg *seg, u32 mode, enum dt_wait wait,
		    struct dt_locks *locks)
{
	struct obd_export *target;
	int rc = 0;
	u32 n;

	for (n = 0; !rc && n < seg->lsg_count; n++) {
		target = lov_seg_target(exp, seg, n);
		if (!target)
			return -EIO;
		rc = -EIO;
		if (obd_op_enter(target->exp_obd)) {
			rc = lock_add(target, &seg->lsg_slots[n], mode, wait, locks);
			obd_op_leave(target->exp_obd);
		}
		class_export_put(target);
		/* The object was destroyed. */
		if (rc == -ESTALE && lov_seg_has_moved(seg))
			rc = -EREMCHG;
	}
	return rc;
}

/*
 * With all of the locks: what was granted with them. One whose value was taken already may have
 * been used to change the file since.
 */
static void values_take(const struct lov_segs *segs, struct dt_locks *locks)
{
	const struct lov_seg *seg;
	struct md_attr attr;
	struct ost_lvb lvb;
	u32 s, n, at = 0;

	locks->dk_known = true;
	for (s = 0; s < segs->sg_nr; s++) {
		seg = segs->sg_seg[s];
		for (n = 0; n < seg->lsg_count; n++, at++) {
			if (!ldlm_lock_lvb_take(locks->dk_lock[at], &lvb, sizeof(lvb)) ||
			    !ost_lvb_decode(&lvb, &attr))
				locks->dk_known = false;
			else
				lov_attr_merge(seg, n, &attr, &locks->dk_attr);
		}
	}
}

/*
 * Segments that have become invalid while the locks were waited for: another call does not find
 * these locks. They go with this use.
 */
static void invalid_segs_end(const struct lov_segs *segs)
{
	u32 s;

	/*
	 * The task that made a segment invalid has either found its locks under r_lock, or was
	 * there before they were granted, and this sees it.
	 */
	for (s = 0; s < segs->sg_nr; s++) {
		if (!READ_ONCE(segs->sg_seg[s]->lsg_valid))
			lov_seg_locks_end(segs->sg_seg[s]);
	}
}

static int segs_lock(struct obd_export *exp, const struct lov_segs *segs, u32 mode,
		     enum dt_wait wait, struct dt_locks *locks)
{
	u32 count = lov_segs_objects(segs), s;
	int rc;

	if (count > DT_LOCKS_FEW) {
		locks->dk_lock = kvmalloc_array(count, sizeof(*locks->dk_lock),
						GFP_NOFS | __GFP_ACCOUNT);
		if (!locks->dk_lock) {
			locks->dk_lock = locks->dk_few;
			return -ENOMEM;
		}
	}
	do {
		for (s = 0, rc = 0; !rc && s < segs->sg_nr; s++)
			rc = seg_lock(exp, segs->sg_seg[s], mode, wait, locks);
	} while (rc > 0);
	if (rc)
		return rc;
	values_take(segs, locks);
	invalid_segs_end(segs);
	return 0;
}

/*
 * No locks yet, of the segments that are valid now. Return: 0, for lov_segs_put(); as
 * lov_segs_get()
 */
static int locks_begin(struct lov_layout *layout, struct lov_segs *segs, struct dt_locks *locks)
{
	int rc = WARN_ON_ONCE(!layout->lly_owner) ? -EINVAL : lov_segs_get(layout, segs);

	if (rc)
		return rc;
	locks->dk_nr = 0;
	locks->dk_changes = segs->sg_changes;
	locks->dk_lock = locks->dk_few;
	memset(&locks->dk_attr, 0, sizeof(locks->dk_attr));
	return 0;
}

/**
 * lov_enqueue() - d_enqueue of type lov
 * @exp: export of the device
 * @layout: the file
 * @mode: LCK_PR or LCK_PW
 * @wait: where the locks may come from
 * @locks: out, for lov_decref() if the result is 0
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: 0; -EWOULDBLOCK; -EREMCHG: as do_unsure says, or the server after -ESTALE; -ESTALE: an
 *  object was destroyed; -EIO if a target is not there or not used; -ENOMEM; as lov_segs_get() and
 *  ldlm_cli_enqueue()
 */
int lov_enqueue(struct obd_export *exp, struct lov_layout *layout, u32 mode, enum dt_wait wait,
		struct dt_locks *locks)
{
	struct lov_segs segs;
	int rc = locks_begin(layout, &segs, locks);

	if (rc)
		return rc;
	rc = segs_lock(exp, &segs, mode, wait, locks);
	if (rc)
		lov_decref(locks);
	lov_segs_put(&segs);
	return rc;
}

/**
 * lov_decref() - d_decref of type lov
 * @locks: locks of lov_enqueue()
 *
 * Context: may sleep
 * Return: true if one of them was lost while it was used
 */
bool lov_decref(struct dt_locks *locks)
{
	bool lost = locks_drop(locks);

	if (locks->dk_lock != locks->dk_few)
		kvfree(locks->dk_lock);
	return lost;
}

/* The only object of the file, if all bytes of @io are in it; else NULL */
static struct lov_object_slot *only_slot(const struct lov_segs *segs, const struct dt_io *io)
{
	struct lov_seg *seg;
	u32 s;

	for (s = 0; lov_segs_objects(segs) == 1 && s < segs->sg_nr; s++) {
		seg = segs->sg_seg[s];
		if (seg->lsg_count && !seg->lsg_start && io->di_range->dtr_len <= seg->lsg_end)
			return seg->lsg_slots;
	}
	return NULL;
}

static struct ptlrpc_request *read_request(struct obd_export *target, struct lov_object_slot *slot,
					   const struct ldlm_intent *intent,
					   const struct ptlrpc_bulk *bulk)
{
	struct lustre_lock lock;
	const struct ost_op op = {
		.opc = OST_READ, .object = slot->los_fid, .len = bulk->bk_len, .lock = &lock,
	};
	struct ptlrpc_request *req;

	ldlm_intent_pack(intent, &lock);
	req = ost_request(target, &op, bulk, NULL);
	if (IS_ERR(req))
		return req;
	req->rq_unwanted = slot_unwanted;
	req->rq_unwanted_data = slot;
	return req;
}

/* Return: 0, and @lock, used and referenced; as lov_read_lock() */
static int slot_read(struct obd_export *target, struct lov_object_slot *slot,
		     const struct ptlrpc_bulk *bulk, struct ost_reply *rep, struct ldlm_lock **lock)
{
	struct ldlm_intent *intent = ldlm_intent_new(target->exp_obd, LDLM_EXTENT, LCK_PR, &whole,
						     &slot_callbacks, slot);
	struct ptlrpc_request *req;
	int rc, fault;

	if (IS_ERR(intent))
		return PTR_ERR(intent);
	req = read_request(target, slot, intent, bulk);
	if (IS_ERR(req))
		return ldlm_intent_done(intent, NULL, OST_GRANTED, PTR_ERR(req), lock);
	rc = ptlrpc_queue_wait(req);
	fault = rc ?: ost_reply(target, req, rep);
	rc = ldlm_intent_done(intent, req, OST_GRANTED, rc, lock);
	ptlrpc_request_put(req);
	if (!*lock)
		return rc ?: -EWOULDBLOCK;
	if (!fault)
		return 0;
	ldlm_lock_decref(*lock);
	ldlm_lock_put(*lock);
	return fault;
}

static int segs_read_lock(struct obd_export *exp, const struct lov_segs *segs, const struct dt_io *io,
			  struct dt_locks *locks)
{
	const struct ptlrpc_bulk bulk = {
		.bk_vec = io->di_vec, .bk_nr = io->di_nr, .bk_len = io->di_range->dtr_len,
	};
	struct lov_object_slot *slot = only_slot(segs, io);
	struct obd_export *target;
	struct ost_reply rep;
	int rc = -EIO;

	if (!slot)
		return -EOPNOTSUPP;
	target = lov_seg_target(exp, slot->los_seg, 0);
	if (!target)
		return -EIO;
	if (obd_op_enter(target->exp_obd)) {
		rc = ost_settle(target, &slot->los_fid, true) ?:
		     slot_read(target, slot, &bulk, &rep, &locks->dk_few[0]);
		obd_op_leave(target->exp_obd);
	}
	class_export_put(target);
	if (rc)
		return rc;
	locks->dk_nr = 1;
	locks->dk_known = true;
	lov_attr_merge(slot->los_seg, 0, &rep.attr, &locks->dk_attr);
	lov_io_zero(io->di_vec, rep.count, bulk.bk_len - rep.count);
	invalid_segs_end(segs);
	return 0;
}

/**
 * lov_read_lock() - d_read_lock of type lov
 * @exp: export of the device
 * @layout: the file
 * @io: a read of one range, from the begin of the file
 * @locks: out, for lov_decref() if the result is 0
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: 0; -EWOULDBLOCK: the lock is not free; -EOPNOTSUPP: the file has another number of
 *  objects, or the object has not all of the bytes; -EIO if the target is not there or not used;
 *  -EREMCHG: as do_unsure says; -ENOMEM; as lov_segs_get() and ptlrpc_queue_wait()
 */
int lov_read_lock(struct obd_export *exp, struct lov_layout *layout, const struct dt_io *io,
		  struct dt_locks *locks)
{
	struct lov_segs segs;
	int rc = locks_begin(layout, &segs, locks);

	if (rc)
		return rc;
	rc = segs_read_lock(exp, &segs, io, locks);
	lov_segs_put(&segs);
	return lov_error_of(rc);
}

static u64 cover_of(const struct ldlm_lock *lock)
{
	return 1 + (u64)ldlm_lock_generation(lock);
}

/* Its target has evicted the client since, which may not know it yet, or is not used any more. */
static bool lock_is_lost(struct obd_export *exp, const struct ldlm_lock *lock)
{
	struct lov_object_slot *slot = ldlm_lock_data(lock);
	struct obd_export *target = lov_seg_target(exp, slot->los_seg,
						   slot - slot->los_seg->lsg_slots);
	bool lost = true;

	if (!target)
		return true;
	if (obd_op_enter(target->exp_obd)) {
		lost = ldlm_lock_is_lost(lock) ||
		       ldlm_lock_generation(lock) != ldlm_cli_generation(target->exp_obd);
		obd_op_leave(target->exp_obd);
	}
	class_export_put(target);
	return lost;
}

/**
 * lov_lost() - d_lost of type lov
 * @exp: export of the device
 * @locks: locks of lov_enqueue()
 *
 * Context: may sleep
 * Return: true if one of them may be gone
 */
bool lov_lost(struct obd_export *exp, const struct dt_locks *locks)
{
	bool lost = false;
	u32 n;

	for (n = 0; n < locks->dk_nr; n++)
		lost |= lock_is_lost(exp, locks->dk_lock[n]);
	return lost;
}

/**
 * lov_cover_state() - d_cover_state of type lov
 * @locks: locks of lov_enqueue()
 *
 * Context: any
 * Return: whether they cover what was cached under the locks of the last lov_cover()
 */
enum dt_cover lov_cover_state(const struct dt_locks *locks)
{
	enum dt_cover state = DT_COVERED;
	const struct lov_object_slot *slot;
	u64 cover;
	u32 n;

	for (n = 0; n < locks->dk_nr; n++) {
		slot = ldlm_lock_data(locks->dk_lock[n]);
		cover = READ_ONCE(slot->los_cover);
		if (!cover)
			state = DT_COVER_NEW;
		else if (cover != cover_of(locks->dk_lock[n]))
			return DT_COVER_LOST;
	}
	return state;
}

/**
 * lov_cover() - d_cover of type lov
 * @locks: locks of lov_enqueue()
 *
 * Context: any; the caller serializes
 */
void lov_cover(const struct dt_locks *locks)
{
	struct lov_object_slot *slot;
	u32 n;

	for (n = 0; n < locks->dk_nr; n++) {
		slot = ldlm_lock_data(locks->dk_lock[n]);
		WRITE_ONCE(slot->los_cover, cover_of(locks->dk_lock[n]));
	}
}

static void slot_lock_end(struct lov_object_slot *slot)
{
	const struct ldlm_res_id res = { .name = { fid_idif_object(&slot->los_fid) } };
	struct obd_export *target = slot_target(slot);
	struct ldlm_lock *lock;

	if (!target)
		return;
	if (obd_op_enter(target->exp_obd)) {
		/* Tasks that asked at the same time have got a lock each. */
		while ((lock = ldlm_cli_match(target->exp_obd, &res, LCK_PR, &whole,
					      &slot_callbacks, slot))) {
			ldlm_lock_decref_and_cancel(lock);
			ldlm_lock_put(lock);
		}
		obd_op_leave(target->exp_obd);
	}
	class_export_put(target);
}

/**
 * lov_seg_locks_end() - the locks of a segment are of no more use
 * @seg: segment, referenced by the caller
 *
 * They are cancelled, without waiting: locks of the same objects that another inode or segment of
 * this client asks for would be in their way.
 *
 * Context: may sleep
 */
void lov_seg_locks_end(struct lov_seg *seg)
{
	u32 n;

	for (n = 0; n < seg->lsg_count; n++)
		slot_lock_end(&seg->lsg_slots[n]);
}
