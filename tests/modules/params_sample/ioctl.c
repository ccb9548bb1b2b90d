// SPDX-License-Identifier: GPL-2.0-only
/*
 * A range of ioctls, for the tests of the dispatch table.
 */
#include <linux/capability.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include "sample.h"
#include "sample_ioctl.h"

#define DYN_NAME	"ioctl"

static int do_sleep(u64 ms)
{
	if (ms > SAMPLE_SLEEP_MAX)
		return -ERANGE;
	msleep(ms);
	return 0;
}

static int do_alloc(u64 bytes)
{
	void *buf;

	if (!bytes || bytes > SAMPLE_ALLOC_MAX)
		return -ERANGE;
	buf = libcfs_zalloc(bytes, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	libcfs_free(buf, bytes);
	return 0;
}

static int do_create(u64 groups)
{
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	return sample_dyn_create(DYN_NAME, min_t(u64, groups, UINT_MAX));
}

static int do_delete(void)
{
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	return sample_dyn_delete(DYN_NAME);
}

static long dispatch(unsigned int nr, struct sample_ioc *ioc)
{
	ioc->s_result = 0;
	switch (nr) {
	case _IOC_NR(SAMPLE_IOC_ECHO):
		ioc->s_result = ioc->s_value + 1;
		return 0;
	case _IOC_NR(SAMPLE_IOC_SLEEP):
		return do_sleep(ioc->s_value);
	case _IOC_NR(SAMPLE_IOC_FAIL):
		return -(long)(ioc->s_value % MAX_ERRNO);
	case _IOC_NR(SAMPLE_IOC_ALLOC):
		return do_alloc(ioc->s_value);
	case _IOC_NR(SAMPLE_IOC_CREATE):
		return do_create(ioc->s_value);
	case _IOC_NR(SAMPLE_IOC_DELETE):
		return do_delete();
	default:
		return -ENOTTY;
	}
}

static long sample_ioctl(struct libcfs_file *lf, unsigned int nr,
			 void __user *arg, size_t size)
{
	struct sample_ioc ioc;
	long rc;

	rc = copy_struct_from_user(&ioc, sizeof(ioc), arg, size);
	if (rc)
		return rc;
	rc = dispatch(nr, &ioc);
	if (copy_to_user(arg, &ioc, min(size, sizeof(ioc))))
		return -EFAULT;
	return rc;
}

static struct libcfs_ioctl_range sample_range = {
	.lir_name	= "params_sample",
	.lir_owner	= THIS_MODULE,
	.lir_first	= SAMPLE_NR_FIRST,
	.lir_last	= SAMPLE_NR_LAST,
	.lir_handler	= sample_ioctl,
};

/**
 * sample_ioctl_register() - take the range
 *
 * Return: 0 or a negative errno
 */
int sample_ioctl_register(void)
{
	return libcfs_register_ioctl(&sample_range);
}

/**
 * sample_ioctl_deregister() - give the range back; no call is in it any more
 */
void sample_ioctl_deregister(void)
{
	libcfs_deregister_ioctl(&sample_range);
}
