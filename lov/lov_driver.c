// SPDX-License-Identifier: GPL-2.0-only
/* Drivers of layouts, and the striped one: lov_driver.h. */
#define DEBUG_SUBSYSTEM S_LOV

#include <linux/kmod.h>
#include <linux/module.h>
#include <linux/spinlock.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <uapi/lustre_lite/lustre_ea.h>

#include "lov_driver.h"
#include "lov_layout.h"

/* Objects take turns: RAID 0, see lov_stripe.h. */

static u64 striped_object_end(const struct lov_seg *seg, u32 stripe, u64 end)
{
	return lov_object_end(&seg->lsg_stripes, stripe, end);
}

static u64 striped_file_pos(const struct lov_seg *seg, u32 stripe, u64 pos, u64 *run)
{
	*run = seg->lsg_stripes.size - pos % seg->lsg_stripes.size;
	return lov_file_pos(&seg->lsg_stripes, stripe, pos);
}

static u64 striped_file_end(const struct lov_seg *seg, u32 stripe, u64 size)
{
	return lov_file_end(&seg->lsg_stripes, stripe, size);
}

struct lov_driver lov_striped = {
	.ldv_id		= LOV_PATTERN_RAID0,
	.ldv_name	= "striped",
	.ldv_seg_alloc	= lov_seg_alloc,
	.ldv_seg_free	= lov_seg_free,
	.ldv_object_end	= striped_object_end,
	.ldv_file_pos	= striped_file_pos,
	.ldv_file_end	= striped_file_end,
};

/* Guards the list. A leaf. */
static DEFINE_SPINLOCK(lov_drivers_lock);
static LIST_HEAD(lov_drivers);

static struct lov_driver *__driver_find(u32 id)
{
	struct lov_driver *driver;

	lockdep_assert_held(&lov_drivers_lock);
	list_for_each_entry(driver, &lov_drivers, ldv_item)
		if (driver->ldv_id == id)
			return driver;
	return NULL;
}

/**
 * lov_driver_register() - add a driver
 * @driver: driver, all but ldv_item is set
 *
 * Context: any but an interrupt
 * Return: 0; -EINVAL: it has number 0, or lacks an operation; -EEXIST: its number is taken
 */
int lov_driver_register(struct lov_driver *driver)
{
	const struct lov_driver *other;

	if (!driver->ldv_id || !driver->ldv_seg_alloc || !driver->ldv_seg_free ||
	    !driver->ldv_object_end || !driver->ldv_file_pos || !driver->ldv_file_end)
		return -EINVAL;
	spin_lock(&lov_drivers_lock);
	other = __driver_find(driver->ldv_id);
	if (!other)
		list_add(&driver->ldv_item, &lov_drivers);
	spin_unlock(&lov_drivers_lock);
	if (!other)
		return 0;
	CERROR("layout driver %s: number %u is taken: rc = %d\n", driver->ldv_name, driver->ldv_id,
	       -EEXIST);
	return -EEXIST;
}
EXPORT_SYMBOL_NS_GPL(lov_driver_register, LUSTRE_LITE);

/**
 * lov_driver_unregister() - remove a driver
 * @driver: registered; its segments pin its module, so none is left
 *
 * Context: any but an interrupt
 */
void lov_driver_unregister(struct lov_driver *driver)
{
	spin_lock(&lov_drivers_lock);
	list_del(&driver->ldv_item);
	spin_unlock(&lov_drivers_lock);
}
EXPORT_SYMBOL_NS_GPL(lov_driver_unregister, LUSTRE_LITE);

/* A module that is being removed is not found. */
static struct lov_driver *driver_try(u32 id)
{
	struct lov_driver *driver;

	spin_lock(&lov_drivers_lock);
	driver = __driver_find(id);
	if (driver && !try_module_get(driver->ldv_owner))
		driver = NULL;
	spin_unlock(&lov_drivers_lock);
	return driver;
}

/**
 * lov_driver_get() - find a driver, or load its module
 * @id: number
 *
 * Context: sleeps
 * Return: driver, for lov_driver_put(); NULL: there is none
 */
const struct lov_driver *lov_driver_get(u32 id)
{
	struct lov_driver *driver = driver_try(id);

	if (!driver && !request_module("lustre-lite-layout-%u", id))
		driver = driver_try(id);
	return driver;
}

/* Drop the reference on its module. Any context. */
void lov_driver_put(const struct lov_driver *driver)
{
	module_put(driver->ldv_owner);
}
