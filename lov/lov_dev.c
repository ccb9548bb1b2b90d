// SPDX-License-Identifier: GPL-2.0-only
/* Devices of layouts, and the table of each volume: lov_dev.h. */
#define DEBUG_SUBSYSTEM S_LOV

#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/xarray.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/nid.h>
#include <lustre_lite/ptlrpc_test_point.h>

#include "lov_dev.h"
#include "lov_internal.h"

/* Drop a reference. Any context. */
void lov_dev_put(struct lov_dev *dev)
{
	if (!dev || !refcount_dec_and_test(&dev->dv_refcount))
		return;
	lov_count(dev->dv_lov, LOV_COUNT_DEV, -1);
	kfree_rcu(dev, dv_rcu);
}

/**
 * lov_dev_target() - connection to the target of a device
 * @dev: device, referenced; or NULL
 *
 * Context: may sleep
 * Return: it, referenced; NULL: the target is not there, or there is no device
 */
struct obd_export *lov_dev_target(const struct lov_dev *dev)
{
	return dev ? obd_targets_export_of(&dev->dv_lov->lov_targets, &dev->dv_spec) : NULL;
}

/* At @index or after it; @index: out: its own. Only dv_refcount is looked at before it is held. */
static struct lov_dev *dev_find(struct lov_device *lov, unsigned long *index, unsigned long max)
{
	struct lov_dev *dev;

	rcu_read_lock();
	do {
		dev = xa_find(&lov->lov_devs, index, max, XA_PRESENT);
		/* One that ends has left the table, or leaves it now. */
	} while (dev && !refcount_inc_not_zero(&dev->dv_refcount));
	rcu_read_unlock();
	return dev;
}

/* Out of the table; it stays that of its slots. */
static void dev_forget(struct lov_device *lov, struct lov_dev *dev)
{
	if (xa_cmpxchg(&lov->lov_devs, dev->dv_spec.index, dev, NULL, GFP_NOFS) != dev)
		return;
	lov_count(lov, LOV_COUNT_DEV_TABLE, -1);
	lov_dev_put(dev);
}

static bool dev_is_current(struct lov_device *lov, const struct lov_dev *dev)
{
	struct obd_target_spec spec;

	return obd_targets_spec(&lov->lov_targets, dev->dv_spec.index, &spec) &&
	       obd_target_is_same(&spec, &dev->dv_spec);
}

/*
 * Insert @dev, or drop it if another task was quicker. Return: the one in the table; NULL: -ENOMEM
 */
static struct lov_dev *dev_insert(struct lov_device *lov, struct lov_dev *dev)
{
	struct lov_dev *other;

	/* One reference is the table's, one the lookup's. */
	refcount_set(&dev->dv_refcount, 2);
	xa_lock(&lov->lov_devs);
	other = __xa_cmpxchg(&lov->lov_devs, dev->dv_spec.index, NULL, dev,
			     GFP_NOFS | __GFP_ACCOUNT);
	/* The table references what it has. */
	if (other && !xa_is_err(other))
		refcount_inc(&other->dv_refcount);
	xa_unlock(&lov->lov_devs);
	if (other) {
		kfree(dev);
		return xa_is_err(other) ? NULL : other;
	}
	lov_count(lov, LOV_COUNT_DEV, 1);
	lov_count(lov, LOV_COUNT_DEV_TABLE, 1);
	return dev;
}

/**
 * lov_dev_get() - the device of an index
 * @lov: volume, whose gate the caller is in
 * @index: index of a target
 *
 * Context: may sleep
 * Return: device, for lov_dev_put(); NULL: there is no such target, or no memory
 */
struct lov_dev *lov_dev_get(struct lov_device *lov, u32 index)
{
	unsigned long at = index;
	struct lov_dev *dev = dev_find(lov, &at, index);

	if (dev)
		return dev;
	dev = kzalloc(sizeof(*dev), GFP_NOFS | __GFP_ACCOUNT);
	if (!dev)
		return NULL;
	dev->dv_lov = lov;
	if (!obd_targets_spec(&lov->lov_targets, index, &dev->dv_spec)) {
		kfree(dev);
		return NULL;
	}
	ptlrpc_test_at(PTP_DEV_INSERT, dev);
	dev = dev_insert(lov, dev);
	/* The target may have gone before the insertion, when nothing was found to forget. */
	if (!dev || dev_is_current(lov, dev))
		return dev;
	dev_forget(lov, dev);
	lov_dev_put(dev);
	return NULL;
}

/**
 * lov_dev_check() - a target has been added or deleted
 * @lov: volume
 * @index: its index
 *
 * Context: may sleep
 */
void lov_dev_check(struct lov_device *lov, u32 index)
{
	unsigned long at = index;
	struct lov_dev *dev = dev_find(lov, &at, index);

	if (dev && !dev_is_current(lov, dev))
		dev_forget(lov, dev);
	lov_dev_put(dev);
}

/* The cleanup of the volume. May sleep. */
void lov_devs_fini(struct lov_device *lov)
{
	unsigned long index;
	struct lov_dev *dev;

	xa_for_each(&lov->lov_devs, index, dev)
		dev_forget(lov, dev);
	xa_destroy(&lov->lov_devs);
}

/* The parameter "devices". */
int lov_devs_read(struct params_sink *sink, void *data)
{
	struct lov_device *lov = data;
	unsigned long at = 0;
	struct lov_dev *dev;

	params_put_u64(sink, "devices", atomic_read(&lov->lov_counts[LOV_COUNT_DEV]));
	params_put_u64(sink, "refs_table", atomic_read(&lov->lov_counts[LOV_COUNT_DEV_TABLE]));
	params_put_u64(sink, "refs_slot", atomic_read(&lov->lov_counts[LOV_COUNT_DEV_SLOT]));
	for (; (dev = dev_find(lov, &at, OBD_TARGET_INDEX_MAX)); at++) {
		/* Without that of this lookup. */
		params_put_strf(sink, NULL, "%u: %s generation %u, references %u",
				dev->dv_spec.index, dev->dv_spec.uuid.uuid,
				dev->dv_spec.generation, refcount_read(&dev->dv_refcount) - 1);
		lov_dev_put(dev);
	}
	return params_sink_error(sink);
}

/* A device, referenced, the server that its target is on, and the state of the connection. */
struct dev_server {
	struct lov_dev	*dev;
	const char	*state;
	char		server[LNET_NID_TEXT_MAX];
};

static int server_cmp(const void *a, const void *b)
{
	const struct dev_server *x = a, *y = b;
	int order = strcmp(x->server, y->server);

	return order ?: (int)x->dev->dv_spec.index - (int)y->dev->dv_spec.index;
}

static void server_find(struct dev_server *ds, struct lov_dev *dev)
{
	struct obd_export *exp = lov_dev_target(dev);

	ds->dev = dev;
	if (exp) {
		ds->state = obd_target_server(exp, ds->server, sizeof(ds->server));
		class_export_put(exp);
	}
	if (!ds->state)
		ds->state = "not connected";
	if (!ds->server[0])
		strscpy(ds->server, "<none>", sizeof(ds->server));
}

/* The parameter "servers": devices by server. What is added meanwhile may be missing. */
int lov_servers_read(struct params_sink *sink, void *data)
{
	struct lov_device *lov = data;
	unsigned int most = atomic_read(&lov->lov_counts[LOV_COUNT_DEV_TABLE]);
	struct dev_server *list = kvcalloc(most, sizeof(*list), GFP_KERNEL_ACCOUNT);
	unsigned int n, count = 0, servers = 0;
	unsigned long at = 0;
	struct lov_dev *dev;

	if (!list)
		return -ENOMEM;
	for (; count < most && (dev = dev_find(lov, &at, OBD_TARGET_INDEX_MAX)); at++)
		server_find(&list[count++], dev);
	sort(list, count, sizeof(*list), server_cmp, NULL);
	for (n = 0; n < count; n++)
		servers += !n || strcmp(list[n].server, list[n - 1].server);
	params_put_u64(sink, "servers", servers);
	for (n = 0; n < count; n++) {
		dev = list[n].dev;
		params_put_strf(sink, NULL, "%s: %u: %s %s, references %u", list[n].server,
				dev->dv_spec.index, dev->dv_spec.uuid.uuid, list[n].state,
				refcount_read(&dev->dv_refcount) - 1);
		lov_dev_put(dev);
	}
	kvfree(list);
	return params_sink_error(sink);
}
