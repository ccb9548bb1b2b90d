/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lov: a volume of object storage targets, a client device (osc) for each.
 *
 *	lov_obd.c	the device: setup, targets, operations
 *	lov_desc.c	defaults for new files
 *	lov_pool.c	pools
 *	lov_layout.c	layouts of files: the header of each inode
 *	lov_seg.c	their segments, from trusted.lov
 *	lov_dev.c	devices: the targets of their objects
 *	lov_driver.c	drivers of layouts, and the striped one
 *	lov_io.c	reads and writes
 *	lov_space.c	space of files, and holes in them
 *	lov_attr.c	sizes and times; what is on disk
 *	lov_lock.c	locks of all objects of a file
 *	lov_grant.c	grant of the objects of a file
 *	lov_params.c	parameters
 *	lov_batch.c	requests to several objects, side by side
 *	lov_stripe.c	from bytes of a file to bytes of its objects
 */
#ifndef _LOV_INTERNAL_H
#define _LOV_INTERNAL_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include <lustre_lite/obd_class.h>
#include <lustre_lite/obd_config.h>
#include <lustre_lite/obd_ops.h>
#include <lustre_lite/obd_targets.h>
#include <lustre_lite/params.h>
#include <uapi/lustre_lite/lustre_ea.h>

#include "lov_layout.h"

#define LOV_STRIPE_SIZE_UNIT	65536ULL
#define LOV_STRIPE_SIZE_DEFAULT	(1ULL << 20)
#define LOV_STRIPE_SIZE_MAX	((1ULL << 32) - LOV_STRIPE_SIZE_UNIT)
#define LOV_STRIPE_COUNT_MAX	2000
#define LOV_QOS_MAXAGE_DEFAULT	5
#define LOV_QOS_MAXAGE_MAX	3600

/* Directory of parameters in which each pool has one. */
#define LOV_POOLS_DIR		"pools"
/* Bytes of the name of a pool, with its NUL. */
#define LOV_POOL_NAME_MAX	16

/* enum lov_count - what a volume has, by state, and its references, by holder */
enum lov_count {
	LOV_COUNT_STATE,		/* headers: enum lov_layout_state */
	LOV_COUNT_INODE = LOV_COUNT_STATE + LOV_LAYOUT_STATES,
	LOV_COUNT_SEG,			/* segments, and their references on headers */
	LOV_COUNT_SEG_VALID,
	LOV_COUNT_SEG_IO,
	LOV_COUNT_SEG_LOCK,
	LOV_COUNT_DEV,			/* devices */
	LOV_COUNT_DEV_TABLE,
	LOV_COUNT_DEV_SLOT,
	LOV_COUNTS
};

/**
 * struct lov_device - a device of type lov
 * @lov_refcount: held from setup to cleanup of the device, and by each header of a layout. The last
 *  one frees it, in any context
 * @lov_counts: enum lov_count
 * @lov_obd: its device; not for holders that outlive its cleanup
 * @lov_targets: its targets
 * @lov_devs: struct lov_dev, by the index of the target; found under RCU
 * @lov_stripe_size: bytes of a stripe of a new file
 * @lov_stripe_count: stripes of a new file, 0: default of the file system, -1:
 *  one on each target
 * @lov_stripe_offset: index of the first target, -1: any
 * @lov_pattern: LOV_PATTERN_*
 * @lov_qos_maxage: lifetime of cached free space, nanoseconds
 * @lov_checksums: data has checksums: what was set last for all client devices
 * @lov_pools_change: serializes adding and removing pools and members; held
 *  while a pool's parameter is added or removed
 * @lov_pools_lock: guards @lov_pools and the members of every pool; readers of
 *  a pool's parameter take it alone. Nests in @lov_pools_change
 * @lov_pools: struct lov_pool
 *
 * Settings are accessed with READ_ONCE() and WRITE_ONCE().
 */
struct lov_device {
	refcount_t			lov_refcount;
	atomic_t			lov_counts[LOV_COUNTS];
	struct obd_device		*lov_obd;
	struct obd_targets		lov_targets;
	struct xarray			lov_devs;
	u64				lov_stripe_size;
	u32				lov_stripe_count;
	u32				lov_stripe_offset;
	u32				lov_pattern;
	u64				lov_qos_maxage;
	bool				lov_checksums;
	struct mutex			lov_pools_change;
	struct mutex			lov_pools_lock;
	struct list_head		lov_pools;
};

static inline struct lov_device *lov_device(const struct obd_device *obd)
{
	return obd->obd_data;
}

static inline void lov_count(struct lov_device *lov, unsigned int what, int by)
{
	atomic_add(by, &lov->lov_counts[what]);
}

/* lov_obd.c */
void lov_device_put(struct lov_device *lov);

/* lov_desc.c */
u64 lov_stripe_size(const char *name, u64 size);
bool lov_pattern_known(u64 pattern);
int lov_desc_apply(struct lov_device *lov, const struct lcfg_view *cfg,
		   struct obd_why *why);

/* lov_params.c */
int lov_params_add(struct lov_device *lov);

/* lov_pool.c */
void lov_pools_init(struct lov_device *lov);
void lov_pools_fini(struct lov_device *lov);
int lov_pool_config(struct lov_device *lov, const struct lcfg_view *cfg,
		    struct obd_why *why);
void lov_pools_target_del(struct lov_device *lov, const struct obd_uuid *target);
int lov_pool_has(struct obd_export *exp, const char *name, u32 index);

/* lov_io.c */
int lov_io(struct obd_export *exp, struct lov_layout *layout, const struct dt_io *io);
void lov_io_zero(const struct bio_vec *part, u64 skip, u64 len);
u32 lov_rpc_bytes(struct obd_export *exp, struct lov_layout *layout);

/* lov_grant.c */
struct ost_grant *lov_grant(struct obd_export *exp, struct lov_layout *layout, u64 pos, u64 *end);
bool lov_grant_ask(struct obd_export *exp, struct lov_layout *layout, u64 pos);

/* lov_space.c */
int lov_fallocate(struct obd_export *exp, struct lov_layout *layout, const struct dt_falloc *fa);
int lov_seek(struct obd_export *exp, struct lov_layout *layout, bool hole, u64 size, u64 *pos);

/* lov_attr.c */
void lov_attr_merge(const struct lov_seg *seg, u32 stripe, const struct md_attr *object,
		    struct md_attr *attr);
int lov_settle(struct obd_export *exp, struct lov_layout *layout);
int lov_getattr(struct obd_export *exp, struct lov_layout *layout, struct md_attr *attr, bool wait);
int lov_setattr(struct obd_export *exp, struct lov_layout *layout, struct md_attr *attr);
int lov_sync(struct obd_export *exp, struct lov_layout *layout);

/* lov_lock.c */
int lov_read_lock(struct obd_export *exp, struct lov_layout *layout, const struct dt_io *io,
		  struct dt_locks *locks);
int lov_enqueue(struct obd_export *exp, struct lov_layout *layout, u32 mode, enum dt_wait wait,
		struct dt_locks *locks);
bool lov_decref(struct dt_locks *locks);
bool lov_lost(struct obd_export *exp, const struct dt_locks *locks);
enum dt_cover lov_cover_state(const struct dt_locks *locks);
void lov_cover(const struct dt_locks *locks);
void lov_seg_locks_end(struct lov_seg *seg);

#endif /* _LOV_INTERNAL_H */
