/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Layouts of files: where the bytes of a file are. A plain file has one segment, which is part of
 * the header of its layout.
 */
#ifndef _LOV_LAYOUT_H
#define _LOV_LAYOUT_H

#include <linux/refcount.h>

#include <lustre_lite/lustre_fid.h>
#include <lustre_lite/ost_writes.h>

#include "lov_stripe.h"

struct obd_export;

/**
 * struct lov_object_slot - an object of a file
 * @los_fid: its FID, an IDIF
 * @los_ost: index of its target
 * @los_writes: account of its changes, from the first one or the first sync on; or NULL
 */
struct lov_object_slot {
	struct lu_fid		los_fid;
	u32			los_ost;
	struct ost_writes	*los_writes;
};

/**
 * struct lov_layout - layout of a file
 * @lo_refcount: held by the inode; by a task as long as it uses the layout
 * @lo_file: the file
 * @lo_stripes: how it is striped
 * @lo_objects: its objects, lo_stripes.count of them
 *
 * Made by lov_layout_new(), does not change. The last put frees it; any context. Its changes may
 * outlive it.
 */
struct lov_layout {
	refcount_t		lo_refcount;
	struct lu_fid		lo_file;
	struct lov_stripes	lo_stripes;
	struct lov_object_slot	lo_objects[];
};

struct lov_layout * __must_check lov_layout_new(struct obd_export *exp, const struct lu_fid *file,
						const void *ea, size_t len);
void lov_layout_put(struct lov_layout *layout);
struct ost_writes *lov_layout_writes(struct lov_layout *layout, u32 stripe);
int lov_layout_error(struct lov_layout *layout);

#endif /* _LOV_LAYOUT_H */
