/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Layouts of files: where the bytes of a file are. "Reference counting in pNFS" has the objects and
 * their references.
 *
 *	inode --> header <--> segment (bytes of the file) --> slots (objects) <-- locks
 *	            |            |                              |
 *	            |            +--> driver                    +--> account of changes
 *	            |                                           +--> device (lov_dev.h)
 *	            +--> volume
 *	            +--> owner: what is cached of the file
 *
 * Down the picture each arrow is a reference. A segment references its header, too; the header
 * lists its segments without a reference beside that of their VALID bit.
 *
 * State of a header:
 *
 *	           lov_layout_set(): segments
 *	EMPTY ------------------------------------> VALID ---+
 *	  ^  |                                       |  ^    | a value that is not older
 *	  |  +--- a value that is refused ---+       |  +----+
 *	  |                                  |       |
 *	  +----------------------------------+-------+
 *	any of them --- lov_layout_put(): the inode ends ---> DEAD
 *
 * I/O uses the segments that are valid when it starts, and ends on them. Those that a new value
 * also has stay, with the locks of their objects; it makes the others invalid, and the next I/O
 * gets the new ones. What waits for a target that is not connected ends with -EREMCHG, and starts
 * again: reads and questions once the owner is not sure of the layout, and a change or an fsync of
 * a task (lb_asks) once the server says that its objects are not those of the file any more.
 */
#ifndef _LOV_LAYOUT_H
#define _LOV_LAYOUT_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <lustre_lite/lov_ea.h>
#include <lustre_lite/lustre_fid.h>
#include <lustre_lite/ost_writes.h>

#include "lov_stripe.h"

struct dt_locks;
struct dt_owner;
struct lov_dev;
struct lov_device;
struct lov_driver;
struct obd_export;

/* enum lov_layout_state - the drawing above has the changes */
enum lov_layout_state {
	LOV_LAYOUT_EMPTY,
	LOV_LAYOUT_VALID,
	LOV_LAYOUT_DEAD,
	LOV_LAYOUT_STATES
};

/**
 * struct lov_layout - header: the layout of a file
 * @lly_refcount: see below
 * @lly_lov: volume, referenced
 * @lly_file: the file
 * @lly_owner: of its data at the client, referenced
 * @lly_lock: guards what follows, and lsg_valid, lsg_item and the accounts of its segments. A leaf
 * @lly_state: state
 * @lly_error: errno of what left it without segments; 0 in LOV_LAYOUT_VALID
 * @lly_gen: generation of the value
 * @lly_gen_bits: bits of @lly_gen; 0: the value has none
 * @lly_changes: number of the value, from 0 on
 * @lly_value: trusted.lov that the segments are from, or that was refused; NULL: none
 * @lly_value_len: its bytes
 * @lly_segs: valid segments, by their first byte
 * @lly_count: number of them
 *
 * Created by lov_layout_new(). The last reference frees it; may sleep.
 *
 *	holder			from			to
 *	the inode		lov_layout_new()	lov_layout_put()
 *	each segment		its list is published	the segment is freed
 */
struct lov_layout {
	refcount_t		lly_refcount;
	struct lov_device	*lly_lov;
	struct lu_fid		lly_file;
	struct dt_owner		*lly_owner;
	spinlock_t		lly_lock;
	enum lov_layout_state	lly_state;
	int			lly_error;
	u32			lly_gen;
	u32			lly_gen_bits;
	u32			lly_changes;
	void			*lly_value;
	size_t			lly_value_len;
	struct list_head	lly_segs;
	u32			lly_count;
};

/**
 * struct lov_object_slot - an object of a segment
 * @los_seg: the segment
 * @los_fid: its FID, an IDIF
 * @los_ost: index of its target
 * @los_writes: account of its changes, referenced, from the first one or the first sync on; or
 *	NULL. Segments of one file that have the same object share it
 * @los_dev: the target, referenced, from the first request on; or NULL. It does not change
 * @los_cover: 1 + the generation of the locks under which bytes of it are cached; 0: none are
 */
struct lov_object_slot {
	struct lov_seg		*los_seg;
	struct lu_fid		los_fid;
	u32			los_ost;
	struct ost_writes	*los_writes;
	struct lov_dev		*los_dev;
	u64			los_cover;
};

/**
 * struct lov_seg - a segment: a part of a file
 * @lsg_refcount: see below
 * @lsg_valid: the VALID bit, which holds one reference. It is cleared once
 * @lsg_item: in lly_segs while it is valid
 * @lsg_layout: header, referenced
 * @lsg_driver: driver, its module referenced
 * @lsg_start: first byte of the file
 * @lsg_end: first byte after it, or all ones
 * @lsg_comp: number of the component; 0: of a plain file
 * @lsg_stripes: how its objects are striped
 * @lsg_count: objects; 0: a component that was not written yet, which reads as zeros
 * @lsg_free_work: frees it after the last reference, where the holder does not sleep
 * @lsg_slots: the objects
 *
 * Created by lov_segs_read(). But for the fields that lly_lock guards it does not change. The last
 * reference frees it; may sleep.
 *
 *	holder			from			to
 *	the VALID bit		it is published		another value; the inode ends
 *	each I/O		lov_segs_get()		lov_segs_put(), after its last reply
 *	each lock of a slot	the enqueue		the last reference on the lock
 */
struct lov_seg {
	refcount_t		lsg_refcount;
	bool			lsg_valid;
	struct list_head	lsg_item;
	struct lov_layout	*lsg_layout;
	const struct lov_driver	*lsg_driver;
	u64			lsg_start;
	u64			lsg_end;
	u32			lsg_comp;
	struct lov_stripes	lsg_stripes;
	u32			lsg_count;
	struct work_struct	lsg_free_work;
	struct lov_object_slot	lsg_slots[];
};

/* Segments that need no allocation of their own. */
#define LOV_SEGS_FEW	4

/**
 * struct lov_segs - the segments of an I/O
 * @sg_seg: segments, referenced, by their first byte
 * @sg_nr: number of them
 * @sg_changes: lly_changes when they were taken
 * @sg_few: @sg_seg of a few
 */
struct lov_segs {
	struct lov_seg	**sg_seg;
	u32		sg_nr;
	u32		sg_changes;
	struct lov_seg	*sg_few[LOV_SEGS_FEW];
};

static inline u32 lov_segs_objects(const struct lov_segs *segs)
{
	u32 count = 0, n;

	for (n = 0; n < segs->sg_nr; n++)
		count += segs->sg_seg[n]->lsg_count;
	return count;
}

/**
 * struct lov_value - a decoded value of trusted.lov
 * @lv_gen: generation
 * @lv_gen_bits: its bits; 0: it has none
 * @lv_sure: it is that of the file now, also if @lv_gen is an older one
 * @lv_segs: segments, not published
 */
struct lov_value {
	u32			lv_gen;
	u32			lv_gen_bits;
	bool			lv_sure;
	struct list_head	lv_segs;
};

/* lov_layout.c */
struct lov_layout * __must_check lov_layout_new(struct obd_export *exp,
						const struct lu_fid *file,
						struct dt_owner *owner);
int lov_layout_set(struct obd_export *exp, struct lov_layout *layout, const void *ea, size_t len,
		   bool sure);
void lov_layout_put(struct lov_layout *layout);
void lov_layout_drop(struct lov_layout *layout);
bool lov_layout_current(const struct lov_layout *layout, const struct dt_locks *locks);
bool lov_layout_lacks(struct lov_layout *layout, u64 end);
int lov_layout_error(struct lov_layout *layout);
int lov_layout_stable(struct lov_layout *layout);
int __must_check lov_segs_get(struct lov_layout *layout, struct lov_segs *segs);
void lov_segs_put(struct lov_segs *segs);
struct ost_writes *lov_seg_writes(struct lov_seg *seg, u32 stripe);
bool lov_seg_is_unsure(const struct lov_seg *seg);
bool lov_seg_has_moved(struct lov_seg *seg);

/* lov_seg.c */
int lov_segs_read(struct lov_layout *layout, const void *ea, size_t len, struct lov_value *value);
void lov_segs_free(struct list_head *segs);
void lov_seg_put(struct lov_seg *seg);
void lov_seg_put_later(struct lov_seg *seg);
int lov_segs_init(void);
void lov_segs_exit(void);
struct lov_seg * __must_check lov_seg_alloc(const struct lov_ea *ea);
void lov_seg_free(struct lov_seg *seg);

#endif /* _LOV_LAYOUT_H */
