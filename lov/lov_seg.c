// SPDX-License-Identifier: GPL-2.0-only
/*
 * Segments from the value of trusted.lov: one of a plain file, one for each component of a
 * composite one. What is not served is refused by its name in the log: a file whose bytes are
 * elsewhere must not look like an empty one.
 */
#define DEBUG_SUBSYSTEM S_LOV

#include <linux/err.h>
#include <linux/overflow.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lov_ea.h>

#include "lov_dev.h"
#include "lov_driver.h"
#include "lov_internal.h"
#include "lov_layout.h"

/**
 * struct lov_seg_reader - a value that is being read
 * @layout: header of the segments
 * @value: out
 * @what: what the value has that is not served, or its fault
 */
struct lov_seg_reader {
	struct lov_layout	*layout;
	struct lov_value	*value;
	const char		*what;
};

/* Frees segments. */
static struct workqueue_struct *lov_seg_wq;

int lov_segs_init(void)
{
	lov_seg_wq = alloc_workqueue("lov_seg", WQ_MEM_RECLAIM | COMPAT_WQ_PERCPU, 0);
	return lov_seg_wq ? 0 : -ENOMEM;
}

/* No lock and no layout is left; their last segments may still be freed. */
void lov_segs_exit(void)
{
	destroy_workqueue(lov_seg_wq);
}

static int refuse(struct lov_seg_reader *rd, const char *what)
{
	rd->what = what;
	return -EOPNOTSUPP;
}

static int malformed(struct lov_seg_reader *rd, const char *fault)
{
	rd->what = fault;
	return -EUCLEAN;
}

/**
 * lov_seg_alloc() - ldv_seg_alloc of drivers that need no more
 * @ea: plain layout
 *
 * Context: may sleep
 * Return: segment with space for the objects, for lov_seg_free(); NULL on allocation failure
 */
struct lov_seg *lov_seg_alloc(const struct lov_ea *ea)
{
	struct lov_seg *seg;

	seg = libcfs_zalloc(struct_size(seg, lsg_slots, ea->object_count),
			    GFP_NOFS | __GFP_ACCOUNT);
	if (seg)
		seg->lsg_count = ea->object_count;
	return seg;
}
EXPORT_SYMBOL_NS_GPL(lov_seg_alloc, LUSTRE_LITE);

/* ldv_seg_free of drivers that need no more. */
void lov_seg_free(struct lov_seg *seg)
{
	libcfs_free(seg, struct_size(seg, lsg_slots, seg->lsg_count));
}
EXPORT_SYMBOL_NS_GPL(lov_seg_free, LUSTRE_LITE);

static void seg_destroy(struct lov_seg *seg)
{
	const struct lov_driver *driver = seg->lsg_driver;
	struct lov_layout *layout = seg->lsg_layout;
	u32 n;

	might_sleep();
	for (n = 0; n < seg->lsg_count; n++) {
		ost_writes_put(seg->lsg_slots[n].los_writes);
		if (!seg->lsg_slots[n].los_dev)
			continue;
		lov_count(layout->lly_lov, LOV_COUNT_DEV_SLOT, -1);
		lov_dev_put(seg->lsg_slots[n].los_dev);
	}
	driver->ldv_seg_free(seg);
	lov_driver_put(driver);
	lov_count(layout->lly_lov, LOV_COUNT_SEG, -1);
	lov_layout_drop(layout);
}

static void seg_free_work(struct work_struct *work)
{
	seg_destroy(container_of(work, struct lov_seg, lsg_free_work));
}

/**
 * lov_seg_put() - drop a reference
 * @seg: segment
 *
 * Context: may sleep
 */
void lov_seg_put(struct lov_seg *seg)
{
	if (!refcount_dec_and_test(&seg->lsg_refcount))
		return;
	WARN_ON_ONCE(seg->lsg_valid);
	seg_destroy(seg);
}

/**
 * lov_seg_put_later() - drop a reference
 * @seg: segment
 *
 * Context: any but an interrupt
 */
void lov_seg_put_later(struct lov_seg *seg)
{
	if (refcount_dec_and_test(&seg->lsg_refcount))
		queue_work(lov_seg_wq, &seg->lsg_free_work);
}

/* Free segments that were not published. May sleep. */
void lov_segs_free(struct list_head *segs)
{
	struct lov_seg *seg, *next;

	list_for_each_entry_safe(seg, next, segs, lsg_item)
		seg_destroy(seg);
	INIT_LIST_HEAD(segs);
}

static int objects_fill(struct lov_seg_reader *rd, struct lov_seg *seg, const struct lov_ea *ea)
{
	struct lov_object object;
	u32 n;

	for (n = 0; n < ea->object_count; n++) {
		object = lov_ea_object(ea, n);
		if (!fid_is_idif(&object.fid))
			return refuse(rd, "objects that another metadata target has numbered");
		seg->lsg_slots[n].los_seg = seg;
		seg->lsg_slots[n].los_fid = object.fid;
		seg->lsg_slots[n].los_ost = object.ost;
		CDEBUG(D_INODE, "lsm objid 0x%llx, stripe size %u, stripe %u of %u: OST%04x, object %llu\n",
		       ea->oi_id, ea->stripe_size, n, ea->object_count, object.ost,
		       fid_idif_object(&object.fid));
	}
	return 0;
}

/* The pattern of a plain layout. @driver: out, referenced */
static int pattern_read(struct lov_seg_reader *rd, const struct lov_ea *ea,
			const struct lov_driver **driver)
{
	if (ea->pattern & LOV_PATTERN_F_RELEASED)
		return refuse(rd, "a released file, whose data is in an archive");
	if (ea->pattern & LOV_PATTERN_MDT)
		return refuse(rd, "data on the metadata target");
	if (ea->pattern & LOV_PATTERN_F_HOLE)
		return refuse(rd, "a file with missing objects");
	*driver = lov_driver_get(ea->pattern & ~LOV_PATTERN_OVERSTRIPING);
	return *driver ? 0 : refuse(rd, "an unknown pattern");
}

/* A segment for a plain layout. @entry: its component, or NULL */
static int seg_read(struct lov_seg_reader *rd, const struct lov_ea *ea,
		    const struct lov_comp_entry *entry)
{
	const struct lov_driver *driver;
	struct lov_seg *seg;
	int rc = pattern_read(rd, ea, &driver);

	if (rc)
		return rc;
	seg = driver->ldv_seg_alloc(ea);
	if (!seg) {
		lov_driver_put(driver);
		return -ENOMEM;
	}
	refcount_set(&seg->lsg_refcount, 1);
	INIT_WORK(&seg->lsg_free_work, seg_free_work);
	refcount_inc(&rd->layout->lly_refcount);
	lov_count(rd->layout->lly_lov, LOV_COUNT_SEG, 1);
	seg->lsg_layout = rd->layout;
	seg->lsg_driver = driver;
	seg->lsg_start = entry ? entry->start : 0;
	seg->lsg_end = entry ? entry->end : U64_MAX;
	seg->lsg_comp = entry ? entry->id : 0;
	seg->lsg_stripes.size = ea->stripe_size;
	seg->lsg_stripes.count = ea->object_count;
	list_add_tail(&seg->lsg_item, &rd->value->lv_segs);
	return objects_fill(rd, seg, ea);
}

static int entry_read(struct lov_seg_reader *rd, const struct lov_comp_entry *entry)
{
	struct lov_ea ea;
	const char *fault;

	if (lov_ea_magic(entry->layout, entry->layout_len) == LOV_MAGIC_FOREIGN)
		return refuse(rd, "a component for other programs");
	if (entry->flags & LCME_FL_STALE)
		return refuse(rd, "a component with old data");
	if (entry->flags & LCME_FL_PARITY)
		return refuse(rd, "erasure codes");
	fault = lov_ea_decode(entry->layout, entry->layout_len, &ea);
	return fault ? malformed(rd, fault) : seg_read(rd, &ea, entry);
}

/* The components of a mirror follow each other. There may be bytes between them. */
static int comp_read(struct lov_seg_reader *rd, const void *bytes, size_t len)
{
	struct lov_comp_entry entry;
	struct lov_comp comp;
	const char *fault = lov_comp_decode(bytes, len, &comp);
	u64 end = 0;
	int rc = 0;
	u32 n;

	if (fault)
		return malformed(rd, fault);
	rd->value->lv_gen = comp.gen;
	rd->value->lv_gen_bits = 32;
	if (comp.mirror_count > 1)
		return refuse(rd, "mirrors");
	for (n = 0; n < comp.entry_count && !rc; n++) {
		entry = lov_comp_get(&comp, n);
		if (entry.start < end)
			return malformed(rd, "components that overlap");
		end = entry.end;
		rc = entry_read(rd, &entry);
	}
	return rc;
}

static int plain_read(struct lov_seg_reader *rd, const void *bytes, size_t len)
{
	struct lov_ea ea;
	const char *fault = lov_ea_decode(bytes, len, &ea);

	if (fault)
		return malformed(rd, fault);
	rd->value->lv_gen = ea.gen;
	rd->value->lv_gen_bits = 16;
	return seg_read(rd, &ea, NULL) ?: ea.object_count ? 0 : malformed(rd, "no objects");
}

/**
 * lov_segs_read() - the segments of a value of trusted.lov
 * @layout: their header
 * @ea: value
 * @len: its bytes
 * @value: out; after a failure it has no segments
 *
 * Context: sleeps
 * Return: 0; -EOPNOTSUPP: of a kind that is not served; -EUCLEAN: malformed, the log names both;
 *  -ENOMEM
 */
int lov_segs_read(struct lov_layout *layout, const void *ea, size_t len, struct lov_value *value)
{
	struct lov_seg_reader rd = { .layout = layout, .value = value };
	u32 magic = lov_ea_magic(ea, len);
	char text[FID_TEXT_SIZE];
	int rc;

	value->lv_gen_bits = 0;
	INIT_LIST_HEAD(&value->lv_segs);
	if (magic == LOV_MAGIC_FOREIGN)
		rc = refuse(&rd, "a layout for other programs");
	else
		rc = magic == LOV_MAGIC_COMP_V1 ? comp_read(&rd, ea, len) :
						  plain_read(&rd, ea, len);
	if (!rc)
		return 0;
	lov_segs_free(&value->lv_segs);
	if (rd.what)
		CERROR("%s: file [%s]: %s%s: rc = %d\n", layout->lly_lov->lov_obd->obd_name,
		       fid_text(&layout->lly_file, text),
		       rc == -EUCLEAN ? "malformed layout: " : "this release does not serve ",
		       rd.what, rc);
	return rc;
}
