/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Devices of layouts: a target that objects are on, identified by index, uuid and generation. A
 * segment knows the index of the target of an object. Its first request to the object finds the
 * device, which stays that of the object: another target that gets the index has other objects.
 *
 *	table of the volume (xarray by index; readers: RCU) --> device <-- slots of segments
 *
 * Whether the target is there, and how it is connected, is asked of the table of targets each time
 * (obd_targets.h). Connections to a server are shared by all targets on it, in each network
 * namespace, by its NID: ptlrpc/net.
 */
#ifndef _LOV_DEV_H
#define _LOV_DEV_H

#include <linux/atomic.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>

#include <lustre_lite/obd_targets.h>

struct lov_device;
struct params_sink;

/**
 * struct lov_dev - a device
 * @dv_refcount: see below
 * @dv_lov: volume; the holders reference it
 * @dv_spec: the target
 * @dv_late: requests under way whose work did not wait for them
 * @dv_rcu: frees it
 *
 * Created by lov_dev_get(). But for @dv_late it does not change. The last reference frees it after
 * a grace period; any context.
 *
 *	holder				from			to
 *	the table			insertion		the target is deleted or gets
 *								another generation; cleanup
 *	each slot that found it		its first request	the segment is freed
 *	a lookup			lov_dev_get()		its end, or it becomes that of a
 *								slot
 */
struct lov_dev {
	refcount_t		dv_refcount;
	struct lov_device	*dv_lov;
	struct obd_target_spec	dv_spec;
	atomic_t		dv_late;
	struct rcu_head		dv_rcu;
};

struct lov_dev * __must_check lov_dev_get(struct lov_device *lov, u32 index);
void lov_dev_put(struct lov_dev *dev);
struct obd_export * __must_check lov_dev_target(const struct lov_dev *dev);
void lov_dev_check(struct lov_device *lov, u32 index);
void lov_devs_fini(struct lov_device *lov);
int lov_devs_read(struct params_sink *sink, void *data);
int lov_servers_read(struct params_sink *sink, void *data);

#endif /* _LOV_DEV_H */
