// SPDX-License-Identifier: GPL-2.0-only
/* Layouts of files: the header of each inode, and which of its segments are valid. lov_layout.h */
#define DEBUG_SUBSYSTEM S_LOV

#include <linux/err.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "lov_internal.h"

static void __state_set(struct lov_layout *layout, enum lov_layout_state state, int error)
{
	lov_count(layout->lly_lov, LOV_COUNT_STATE + layout->lly_state, -1);
	lov_count(layout->lly_lov, LOV_COUNT_STATE + state, 1);
	layout->lly_state = state;
	layout->lly_error = error;
}

/**
 * lov_layout_new() - d_layout of type lov
 * @exp: export of the device
 * @file: FID of the file
 * @owner: of its data, whose reference the header takes over if there is one; or NULL
 *
 * Context: may sleep
 * Return: empty header, referenced; ERR_PTR(-ENOMEM)
 */
struct lov_layout *lov_layout_new(struct obd_export *exp, const struct lu_fid *file,
				  struct dt_owner *owner)
{
	struct lov_device *lov = lov_device(exp->exp_obd);
	struct lov_layout *layout = libcfs_zalloc(sizeof(*layout), GFP_NOFS | __GFP_ACCOUNT);

	if (!layout)
		return ERR_PTR(-ENOMEM);
	refcount_set(&layout->lly_refcount, 1);
	refcount_inc(&lov->lov_refcount);
	layout->lly_lov = lov;
	layout->lly_file = *file;
	layout->lly_owner = owner;
	if (owner)
		__module_get(owner->dto_ops->do_module);
	spin_lock_init(&layout->lly_lock);
	layout->lly_error = -ENODATA;
	INIT_LIST_HEAD(&layout->lly_segs);
	lov_count(lov, LOV_COUNT_STATE + LOV_LAYOUT_EMPTY, 1);
	lov_count(lov, LOV_COUNT_INODE, 1);
	return layout;
}

static void owner_put(struct dt_owner *owner)
{
	struct module *module;

	if (!owner)
		return;
	module = owner->dto_ops->do_module;
	owner->dto_ops->do_put(owner);
	module_put(module);
}

/* Drop a reference. May sleep. */
void lov_layout_drop(struct lov_layout *layout)
{
	struct lov_device *lov = layout->lly_lov;

	if (!refcount_dec_and_test(&layout->lly_refcount))
		return;
	lov_count(lov, LOV_COUNT_STATE + layout->lly_state, -1);
	owner_put(layout->lly_owner);
	libcfs_free(layout->lly_value, layout->lly_value_len);
	libcfs_free(layout, sizeof(*layout));
	lov_device_put(lov);
}

/* The references of the VALID bits go to the caller, with the list. */
static void __segs_invalidate(struct lov_layout *layout, struct list_head *old)
{
	struct lov_seg *seg;

	lockdep_assert_held(&layout->lly_lock);
	list_for_each_entry(seg, &layout->lly_segs, lsg_item)
		WRITE_ONCE(seg->lsg_valid, false);
	list_splice_init(&layout->lly_segs, old);
	layout->lly_count = 0;
}

/* Drop them, without locks. */
static void segs_drop(struct lov_layout *layout, struct list_head *old)
{
	struct lov_seg *seg, *next;

	list_for_each_entry_safe(seg, next, old, lsg_item) {
		lov_count(layout->lly_lov, LOV_COUNT_SEG_VALID, -1);
		lov_seg_locks_end(seg);
		lov_seg_put(seg);
	}
}

/**
 * lov_layout_put() - d_layout_put of type lov: the inode ends
 * @layout: header
 *
 * I/O of the inode has ended, but for tasks that still clean up.
 *
 * Context: may sleep
 */
void lov_layout_put(struct lov_layout *layout)
{
	struct lov_device *lov = layout->lly_lov;
	LIST_HEAD(old);

	spin_lock(&layout->lly_lock);
	__state_set(layout, LOV_LAYOUT_DEAD, -ESTALE);
	__segs_invalidate(layout, &old);
	spin_unlock(&layout->lly_lock);
	segs_drop(layout, &old);
	lov_count(lov, LOV_COUNT_INODE, -1);
	lov_layout_drop(layout);
}

/* The valid slot of the object of @slot. */
static struct lov_object_slot *__slot_twin(struct lov_layout *layout,
					   const struct lov_object_slot *slot)
{
	struct lov_seg *seg;
	u32 n;

	lockdep_assert_held(&layout->lly_lock);
	list_for_each_entry(seg, &layout->lly_segs, lsg_item) {
		for (n = 0; n < seg->lsg_count; n++)
			if (seg->lsg_slots[n].los_ost == slot->los_ost &&
			    lu_fid_eq(&seg->lsg_slots[n].los_fid, &slot->los_fid))
				return &seg->lsg_slots[n];
	}
	return NULL;
}

static struct ost_writes *writes_get(struct ost_writes *writes)
{
	if (writes)
		refcount_inc(&writes->ow_refcount);
	return writes;
}

/* Before the old segments go: what of their writes is not on disk is that of the new ones, too. */
static void __writes_inherit(struct lov_layout *layout, struct list_head *segs)
{
	struct lov_object_slot *twin;
	struct lov_seg *seg;
	u32 n;

	list_for_each_entry(seg, segs, lsg_item) {
		for (n = 0; n < seg->lsg_count; n++) {
			twin = __slot_twin(layout, &seg->lsg_slots[n]);
			if (twin)
				seg->lsg_slots[n].los_writes = writes_get(twin->los_writes);
		}
	}
}

/* The same part of the file, in the same objects. */
static bool seg_is_same(const struct lov_seg *a, const struct lov_seg *b)
{
	u32 n;

	if (a->lsg_comp != b->lsg_comp || a->lsg_start != b->lsg_start ||
	    a->lsg_end != b->lsg_end ||
	    a->lsg_driver != b->lsg_driver || a->lsg_count != b->lsg_count ||
	    a->lsg_stripes.size != b->lsg_stripes.size)
		return false;
	for (n = 0; n < a->lsg_count; n++)
		if (a->lsg_slots[n].los_ost != b->lsg_slots[n].los_ost ||
		    !lu_fid_eq(&a->lsg_slots[n].los_fid, &b->lsg_slots[n].los_fid))
			return false;
	return true;
}

static struct lov_seg *__seg_same(struct lov_layout *layout, const struct lov_seg *wanted)
{
	struct lov_seg *seg;

	list_for_each_entry(seg, &layout->lly_segs, lsg_item)
		if (seg_is_same(seg, wanted))
			return seg;
	return NULL;
}

/*
 * Valid segments that @segs has, too, take their places there. @spare: out: those that they replace
 */
static void __segs_keep(struct lov_layout *layout, struct list_head *segs, struct list_head *spare)
{
	struct lov_seg *seg, *next, *same;

	list_for_each_entry_safe(seg, next, segs, lsg_item) {
		same = __seg_same(layout, seg);
		if (!same)
			continue;
		list_del(&same->lsg_item);
		list_replace(&seg->lsg_item, &same->lsg_item);
		list_add(&seg->lsg_item, spare);
	}
}

static void __segs_publish(struct lov_layout *layout, struct list_head *segs)
{
	struct lov_seg *seg;

	list_for_each_entry(seg, segs, lsg_item) {
		layout->lly_count++;
		if (seg->lsg_valid)
			continue;
		seg->lsg_valid = true;
		lov_count(layout->lly_lov, LOV_COUNT_SEG_VALID, 1);
	}
	list_splice_init(segs, &layout->lly_segs);
}

static u32 objects_of(const struct list_head *segs)
{
	const struct lov_seg *seg;
	u32 count = 0;

	list_for_each_entry(seg, segs, lsg_item)
		count += seg->lsg_count;
	return count;
}

/* Generations wrap around. */
static bool __is_older(const struct lov_layout *layout, const struct lov_value *value)
{
	u32 ahead = value->lv_gen - layout->lly_gen;

	if (!layout->lly_gen_bits || !value->lv_gen_bits)
		return false;
	if (layout->lly_gen_bits == 16 && value->lv_gen_bits == 16)
		return (s16)ahead < 0;
	return (s32)ahead < 0;
}

static bool __has_value(const struct lov_layout *layout, const void *ea, size_t len)
{
	return layout->lly_value && layout->lly_value_len == len &&
	       !memcmp(layout->lly_value, ea, len);
}

static bool has_value(struct lov_layout *layout, const void *ea, size_t len, int *rc)
{
	bool has;

	spin_lock(&layout->lly_lock);
	has = __has_value(layout, ea, len);
	*rc = layout->lly_error;
	spin_unlock(&layout->lly_lock);
	return has;
}

/* Whether the layout stays as it is: -ESTALE; -ENOMEM; or 0 */
static int __value_refused(const struct lov_layout *layout, const struct lov_value *value, int rc)
{
	if (layout->lly_state == LOV_LAYOUT_DEAD || (!value->lv_sure && __is_older(layout, value)))
		return -ESTALE;
	/* Pages that were written under the locks of the old value are still its own. */
	return rc == -ENOMEM && layout->lly_value ? rc : 0;
}

/*
 * @value is that of the file now, with @rc as the reason if it has no segments. @copy: its bytes;
 * out: those that are not needed any more. @old: out: the segments of before. Return: as
 * lov_layout_set()
 */
static int __value_accept(struct lov_layout *layout, struct lov_value *value, int rc, void **copy,
			  size_t *len, struct list_head *old)
{
	bool had = objects_of(&layout->lly_segs);
	LIST_HEAD(spare);
	int refused;

	lockdep_assert_held(&layout->lly_lock);
	/* Another reply may have brought it, too. */
	if (*copy && __has_value(layout, *copy, *len))
		return layout->lly_error;
	refused = __value_refused(layout, value, rc);
	if (refused)
		return refused;
	__writes_inherit(layout, &value->lv_segs);
	__segs_keep(layout, &value->lv_segs, &spare);
	__segs_invalidate(layout, old);
	__segs_publish(layout, &value->lv_segs);
	list_splice(&spare, &value->lv_segs);
	WRITE_ONCE(layout->lly_changes, layout->lly_changes + 1);
	__state_set(layout, rc ? LOV_LAYOUT_EMPTY : LOV_LAYOUT_VALID, rc);
	layout->lly_gen = value->lv_gen;
	layout->lly_gen_bits = value->lv_gen_bits;
	swap(layout->lly_value, *copy);
	swap(layout->lly_value_len, *len);
	return rc ?: had && !objects_of(old) ? 2 : 1;
}

/**
 * lov_layout_set() - d_layout_set of type lov: the value of trusted.lov in a reply
 * @exp: export of the device
 * @layout: header; the caller has a reference
 * @ea: value
 * @len: its bytes
 * @sure: it is that of the file now, of any generation: it came with the lock of the layout
 *
 * Segments that the value does not have become invalid; I/O that has them ends on them. A value
 * that is refused is remembered, so the log has it once. After -ENOMEM the next reply is tried, and
 * the layout stays as it is: the caller knows that it is not that of the file.
 *
 * Context: sleeps
 * Return: 0: the layout has that value; 1: it has it now; 2: likewise, and all objects of before
 *  are in it, of which there was one; -ESTALE: the value is older than that of the layout, which
 *  stays, or the inode has ended. Of a value without segments: -EOPNOTSUPP: of a kind that is not
 *  served; -EUCLEAN: malformed; -ENOMEM
 */
int lov_layout_set(struct obd_export *exp, struct lov_layout *layout, const void *ea, size_t len,
		   bool sure)
{
	struct lov_value value = { .lv_segs = LIST_HEAD_INIT(value.lv_segs), .lv_sure = sure };
	size_t copy_len = len;
	LIST_HEAD(old);
	void *copy;
	int rc;

	if (has_value(layout, ea, len, &rc))
		return rc;
	copy = libcfs_zalloc(len, GFP_NOFS | __GFP_ACCOUNT);
	if (copy)
		memcpy(copy, ea, len);
	rc = copy ? lov_segs_read(layout, ea, len, &value) : -ENOMEM;
	if (rc == -ENOMEM && copy) {
		libcfs_free(copy, len);
		copy = NULL;
	}
	spin_lock(&layout->lly_lock);
	rc = __value_accept(layout, &value, rc, &copy, &copy_len, &old);
	spin_unlock(&layout->lly_lock);
	segs_drop(layout, &old);
	lov_segs_free(&value.lv_segs);
	libcfs_free(copy, copy_len);
	return rc;
}

static int __segs_take(struct lov_layout *layout, struct lov_segs *segs, u32 space)
{
	struct lov_seg *seg;

	lockdep_assert_held(&layout->lly_lock);
	if (layout->lly_error)
		return layout->lly_error;
	if (layout->lly_count > space)
		return -EAGAIN;
	list_for_each_entry(seg, &layout->lly_segs, lsg_item) {
		refcount_inc(&seg->lsg_refcount);
		segs->sg_seg[segs->sg_nr++] = seg;
	}
	segs->sg_changes = layout->lly_changes;
	lov_count(layout->lly_lov, LOV_COUNT_SEG_IO, segs->sg_nr);
	return 0;
}

/**
 * lov_segs_get() - the segments that are valid now
 * @layout: header
 * @segs: out, for lov_segs_put()
 *
 * Context: may sleep
 * Return: 0; why there are none: as lov_layout_set(), -ESTALE: the inode has ended; -ENOMEM
 */
int lov_segs_get(struct lov_layout *layout, struct lov_segs *segs)
{
	u32 space = LOV_SEGS_FEW;
	int rc;

	segs->sg_seg = segs->sg_few;
	segs->sg_nr = 0;
	for (;;) {
		spin_lock(&layout->lly_lock);
		rc = __segs_take(layout, segs, space);
		space = layout->lly_count;
		spin_unlock(&layout->lly_lock);
		if (segs->sg_seg != segs->sg_few && rc)
			kvfree(segs->sg_seg);
		if (rc != -EAGAIN)
			return rc;
		segs->sg_seg = kvmalloc_array(space, sizeof(*segs->sg_seg),
					      GFP_NOFS | __GFP_ACCOUNT);
		if (!segs->sg_seg)
			return -ENOMEM;
	}
}

/**
 * lov_segs_put() - an I/O has ended
 * @segs: its segments
 *
 * Context: may sleep
 */
void lov_segs_put(struct lov_segs *segs)
{
	u32 n;

	for (n = 0; n < segs->sg_nr; n++) {
		lov_count(segs->sg_seg[n]->lsg_layout->lly_lov, LOV_COUNT_SEG_IO, -1);
		lov_seg_put(segs->sg_seg[n]);
	}
	if (segs->sg_seg != segs->sg_few)
		kvfree(segs->sg_seg);
}

/* Under lly_lock. The segment may have become invalid since the I/O got it. */
static struct ost_writes *__writes_set(struct lov_seg *seg, struct lov_object_slot *slot,
				       struct ost_writes **made)
{
	struct lov_object_slot *twin = seg->lsg_valid ? NULL : __slot_twin(seg->lsg_layout, slot);

	if (twin && !slot->los_writes)
		slot->los_writes = writes_get(twin->los_writes);
	if (!slot->los_writes)
		swap(slot->los_writes, *made);
	if (twin && !twin->los_writes)
		twin->los_writes = writes_get(slot->los_writes);
	return slot->los_writes;
}

/**
 * lov_seg_writes() - the account of the changes of an object
 * @seg: segment, which the caller's I/O has
 * @stripe: number of the object
 *
 * Context: may sleep
 * Return: account, the segment's; NULL on allocation failure
 */
struct ost_writes *lov_seg_writes(struct lov_seg *seg, u32 stripe)
{
	struct lov_object_slot *slot = &seg->lsg_slots[stripe];
	struct ost_writes *writes = READ_ONCE(slot->los_writes), *made;

	if (writes)
		return writes;
	made = ost_writes_new();
	if (!made)
		return NULL;
	spin_lock(&seg->lsg_layout->lly_lock);
	writes = __writes_set(seg, slot, &made);
	spin_unlock(&seg->lsg_layout->lly_lock);
	ost_writes_put(made);
	return writes;
}

/**
 * lov_seg_is_unsure() - whether the file may have other objects by now
 * @seg: segment
 *
 * Context: any but an interrupt
 * Return: true: it is not valid any more, or the owner is not sure of the layout
 */
bool lov_seg_is_unsure(const struct lov_seg *seg)
{
	struct dt_owner *owner = seg->lsg_layout->lly_owner;

	if (!owner || !owner->dto_ops->do_unsure)
		return false;
	return !READ_ONCE(seg->lsg_valid) || owner->dto_ops->do_unsure(owner);
}

/**
 * struct lov_sought - a segment that is looked for in a value of the server
 * @seg: segment
 * @moved: the file has other objects there
 */
struct lov_sought {
	struct lov_seg	*seg;
	bool		moved;
};

static void seg_seek(void *data, const void *ea, size_t len)
{
	struct lov_value value = { .lv_segs = LIST_HEAD_INIT(value.lv_segs) };
	struct lov_sought *sought = data;
	struct lov_seg *seg;

	if (lov_segs_read(sought->seg->lsg_layout, ea, len, &value))
		return;
	sought->moved = true;
	list_for_each_entry(seg, &value.lv_segs, lsg_item)
		if (seg_is_same(seg, sought->seg))
			sought->moved = false;
	lov_segs_free(&value.lv_segs);
}

/**
 * lov_seg_has_moved() - ask the server whether the file has other objects by now
 * @seg: segment
 *
 * The layout stays as it is: the caller may have locks and pages of the file.
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: true: the server says so; false also if it does not answer
 */
bool lov_seg_has_moved(struct lov_seg *seg)
{
	struct lov_sought sought = { .seg = seg };
	struct dt_owner *owner = seg->lsg_layout->lly_owner;

	if (owner && owner->dto_ops->do_value)
		owner->dto_ops->do_value(owner, seg_seek, &sought);
	return sought.moved;
}

/**
 * lov_layout_current() - d_current of type lov
 * @layout: layout
 * @locks: locks of lov_enqueue()
 *
 * Context: any
 * Return: true if the layout has had no other value since the locks were asked for
 */
bool lov_layout_current(const struct lov_layout *layout, const struct dt_locks *locks)
{
	return READ_ONCE(layout->lly_changes) == locks->dk_changes;
}

/**
 * lov_layout_lacks() - d_lacks of type lov
 * @layout: layout
 * @end: bytes of the file
 *
 * Context: any
 * Return: true if a component that starts before @end has no objects
 */
bool lov_layout_lacks(struct lov_layout *layout, u64 end)
{
	struct lov_seg *seg;
	bool lacks = false;

	spin_lock(&layout->lly_lock);
	list_for_each_entry(seg, &layout->lly_segs, lsg_item)
		lacks |= !seg->lsg_count && seg->lsg_start < end;
	spin_unlock(&layout->lly_lock);
	return lacks;
}

/**
 * lov_layout_error() - d_error of type lov
 * @layout: layout
 *
 * Context: any
 * Return: 0; -EIO if changes were lost since the last call
 */
int lov_layout_error(struct lov_layout *layout)
{
	struct lov_seg *seg;
	bool lost = false;
	u32 n;

	spin_lock(&layout->lly_lock);
	list_for_each_entry(seg, &layout->lly_segs, lsg_item)
		for (n = 0; n < seg->lsg_count; n++)
			lost |= ost_writes_error(seg->lsg_slots[n].los_writes) != 0;
	spin_unlock(&layout->lly_lock);
	return lost ? -EIO : 0;
}

/**
 * lov_layout_stable() - d_stable of type lov
 * @layout: layout
 *
 * Context: any
 * Return: 1: all changes are on disk; 0: not yet; -EIO: some were lost since the last call
 */
int lov_layout_stable(struct lov_layout *layout)
{
	struct ost_writes *writes;
	bool pending = false, lost = false;
	struct lov_seg *seg;
	u32 n;

	spin_lock(&layout->lly_lock);
	list_for_each_entry(seg, &layout->lly_segs, lsg_item)
		for (n = 0; n < seg->lsg_count; n++) {
			writes = seg->lsg_slots[n].los_writes;
			pending |= ost_writes_pending(writes);
			lost |= ost_writes_lost(writes);
		}
	spin_unlock(&layout->lly_lock);
	return lost ? -EIO : !pending;
}
