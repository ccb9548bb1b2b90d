// SPDX-License-Identifier: GPL-2.0-only
/* Ranges of ioctl numbers on /dev/libcfs, and their handlers. */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/ioctl.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/uaccess.h>

#include <lustre_lite/libcfs.h>

#include "libcfs_internal.h"

/* Serializes changes of the table; a call looks it up under RCU. */
static DEFINE_MUTEX(ranges_lock);
static struct libcfs_ioctl_range __rcu *ranges[LIBCFS_IOC_NR_END];

static struct libcfs_ioctl_range *
range_overlapping(const struct libcfs_ioctl_range *range)
{
	struct libcfs_ioctl_range *other = NULL;
	unsigned int nr;

	for (nr = range->lir_first; nr <= range->lir_last && !other; nr++)
		other = rcu_dereference_protected(ranges[nr],
						  lockdep_is_held(&ranges_lock));
	return other;
}

static void range_fill(const struct libcfs_ioctl_range *range,
		       struct libcfs_ioctl_range *with)
{
	unsigned int nr;

	lockdep_assert_held(&ranges_lock);
	for (nr = range->lir_first; nr <= range->lir_last; nr++)
		rcu_assign_pointer(ranges[nr], with);
}

/**
 * libcfs_register_ioctl() - register a range of ioctl numbers
 * @range: name, owner, numbers and handler filled in; still owned by the caller
 *
 * Context: may sleep
 * Return: 0, -EINVAL for an invalid range, -EBUSY if it overlaps another
 */
int libcfs_register_ioctl(struct libcfs_ioctl_range *range)
{
	struct libcfs_ioctl_range *other;

	if (!range->lir_handler || range->lir_first > range->lir_last ||
	    range->lir_last >= LIBCFS_IOC_NR_END)
		return -EINVAL;
	libcfs_active_init(&range->lir_active, "libcfs_ioctl");
	libcfs_active_open(&range->lir_active);
	mutex_lock(&ranges_lock);
	other = range_overlapping(range);
	if (other)
		pr_err("libcfs: ioctl range %s 0x%02x..0x%02x overlaps %s 0x%02x..0x%02x: rc = %d\n",
		       range->lir_name, range->lir_first, range->lir_last,
		       other->lir_name, other->lir_first, other->lir_last,
		       -EBUSY);
	else
		range_fill(range, range);
	mutex_unlock(&ranges_lock);
	return other ? -EBUSY : 0;
}
EXPORT_SYMBOL_NS_GPL(libcfs_register_ioctl, LUSTRE_LITE);

static void range_name(void *arg, char *buf, size_t size)
{
	struct libcfs_ioctl_range *range = arg;

	snprintf(buf, size, "ioctl range %s", range->lir_name);
}

/**
 * libcfs_deregister_ioctl() - unregister a range
 * @range: range of libcfs_register_ioctl()
 *
 * When it returns no call runs in the handler or will: unpublish, wait for RCU
 * readers of the table, drain.
 *
 * Context: may sleep, for as long as calls take; not from the handler
 */
void libcfs_deregister_ioctl(struct libcfs_ioctl_range *range)
{
	mutex_lock(&ranges_lock);
	range_fill(range, NULL);
	mutex_unlock(&ranges_lock);
	libcfs_active_kill(&range->lir_active);
	synchronize_rcu();
	libcfs_active_drain(&range->lir_active, range_name, range);
}
EXPORT_SYMBOL_NS_GPL(libcfs_deregister_ioctl, LUSTRE_LITE);

/*
 * The ranges of libcfs end with libcfs, which every open file pins. Their calls
 * need no reference, and calls on several processors do not write to the same
 * counters.
 */
static bool range_is_own(const struct libcfs_ioctl_range *range)
{
	return range->lir_owner == THIS_MODULE;
}

/*
 * Pin a range's module and its owner's data. The active reference pins the
 * range's memory, too, as its owner drains: the call does not touch the range
 * after libcfs_active_put().
 */
static bool range_get(struct libcfs_ioctl_range *range)
{
	if (range_is_own(range))
		return true;
	if (!try_module_get(range->lir_owner))
		return false;
	if (libcfs_active_get(&range->lir_active))
		return true;
	module_put(range->lir_owner);
	return false;
}

/* Enter a range for one call. */
static struct libcfs_ioctl_range *range_enter(unsigned int nr)
{
	struct libcfs_ioctl_range *range;

	rcu_read_lock();
	range = rcu_dereference(ranges[nr]);
	if (range && !range_get(range))
		range = NULL;
	rcu_read_unlock();
	return range;
}

static void range_leave(struct libcfs_ioctl_range *range)
{
	struct module *owner = range->lir_owner;

	if (range_is_own(range))
		return;
	libcfs_active_put(&range->lir_active);
	module_put(owner);
}

/* Only the head is read here: the handler reads the rest. */
static int head_read(unsigned int nr, const void __user *arg, size_t *size)
{
	struct libcfs_ioc_hdr hdr;

	if (copy_from_user(&hdr, arg, sizeof(hdr)))
		return -EFAULT;
	if (hdr.ioh_size < sizeof(hdr))
		return -EINVAL;
	if (hdr.ioh_size > PAGE_SIZE)
		return -E2BIG;
	if (LIBCFS_ABI_MAJOR_OF(hdr.ioh_abi) != LIBCFS_ABI_MAJOR &&
	    nr != _IOC_NR(LIBCFS_IOC_VERSION))
		return -EPROTO;
	*size = hdr.ioh_size;
	return 0;
}

/**
 * libcfs_iocontrol() - dispatch an ioctl of /dev/libcfs
 * @lf: the open file
 * @cmd: command; only type and number are used, not size and direction
 * @arg: the caller's argument, starts with struct libcfs_ioc_hdr
 *
 * Context: may sleep
 * Return: the result of the handler; -ENOTTY for an unknown command; -EFAULT,
 *  -EINVAL, -E2BIG or -EPROTO for an invalid head
 */
long libcfs_iocontrol(struct libcfs_file *lf, unsigned int cmd,
		      void __user *arg)
{
	struct libcfs_ioctl_range *range;
	unsigned int nr = _IOC_NR(cmd);
	size_t size;
	long rc;

	BUILD_BUG_ON(LIBCFS_IOC_NR_END <= _IOC_NRMASK);
	if (_IOC_TYPE(cmd) != LIBCFS_IOC_MAGIC)
		return -ENOTTY;
	range = range_enter(nr);
	if (!range)
		return -ENOTTY;
	rc = head_read(nr, arg, &size);
	if (!rc)
		rc = range->lir_handler(lf, nr, arg, size);
	range_leave(range);
	return rc;
}
