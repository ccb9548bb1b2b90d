/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Drivers of layouts: what the bytes of a segment have to do with those of its objects. A driver is
 * registered by its number, the pattern of a plain layout without flags. One that is not registered
 * is searched as the module alias lustre-lite-layout-NUMBER.
 *
 *	1	striped, in lov.ko
 */
#ifndef _LOV_DRIVER_H
#define _LOV_DRIVER_H

#include <linux/list.h>
#include <linux/types.h>

struct lov_ea;
struct lov_seg;
struct module;

/**
 * struct lov_driver - a driver
 * @ldv_id: number, not 0
 * @ldv_name: name, for messages
 * @ldv_owner: its module, pinned while a segment uses the driver; NULL: lov.ko itself
 * @ldv_item: in the list of drivers
 * @ldv_seg_alloc: a segment for a plain layout, with space for its objects: lov_seg_alloc(),
 *	perhaps as part of something larger. The caller fills it in. Return: NULL on allocation
 *	failure. May sleep
 * @ldv_seg_free: free it: lov_seg_free(). Called after the last reference, without locks; may
 *	sleep
 * @ldv_object_end: how many bytes of an object are among the first @end ones of the file
 * @ldv_file_pos: where a byte of an object is in the file. @run: out: so many bytes of the object
 *	from there on are contiguous in the file
 * @ldv_file_end: the size of the file of which an object of that size has the last byte; 0 of an
 *	empty one
 *
 * The last three do not sleep and have no side effects.
 */
struct lov_driver {
	u32			ldv_id;
	const char		*ldv_name;
	struct module		*ldv_owner;
	struct list_head	ldv_item;
	struct lov_seg		*(*ldv_seg_alloc)(const struct lov_ea *ea);
	void			(*ldv_seg_free)(struct lov_seg *seg);
	u64			(*ldv_object_end)(const struct lov_seg *seg, u32 stripe, u64 end);
	u64			(*ldv_file_pos)(const struct lov_seg *seg, u32 stripe, u64 pos,
						u64 *run);
	u64			(*ldv_file_end)(const struct lov_seg *seg, u32 stripe, u64 size);
};

extern struct lov_driver lov_striped;

int lov_driver_register(struct lov_driver *driver);
void lov_driver_unregister(struct lov_driver *driver);
const struct lov_driver * __must_check lov_driver_get(u32 id);
void lov_driver_put(const struct lov_driver *driver);

#endif /* _LOV_DRIVER_H */
