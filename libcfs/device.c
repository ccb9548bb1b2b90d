// SPDX-License-Identifier: GPL-2.0-only
/* /dev/libcfs, and libcfs's own ioctls. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <lustre_lite/libcfs.h>
#include <lustre_lite/version.h>
#include <uapi/lustre_lite/params_ioctl.h>

#include "debug_internal.h"
#include "libcfs_internal.h"

/*
 * An open file is charged to the opener's control group, and not counted in
 * memused: reading that would change it.
 */
static int device_open(struct inode *inode, struct file *file)
{
	struct libcfs_file *lf = kzalloc(sizeof(*lf), GFP_KERNEL_ACCOUNT);

	if (!lf)
		return -ENOMEM;
	file->private_data = lf;
	return nonseekable_open(inode, file);
}

static int device_release(struct inode *inode, struct file *file)
{
	struct libcfs_file *lf = file->private_data;

	if (lf->lf_release)
		lf->lf_release(lf);
	kfree(lf);
	return 0;
}

static long device_ioctl(struct file *file, unsigned int cmd,
			 unsigned long arg)
{
	return libcfs_iocontrol(file->private_data, cmd, (void __user *)arg);
}

static const struct file_operations device_fops = {
	.owner		= THIS_MODULE,
	.open		= device_open,
	.release	= device_release,
	.unlocked_ioctl	= device_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

static struct miscdevice device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= LIBCFS_DEV_NAME,
	.fops	= &device_fops,
	.mode	= 0666,
};

/* Every caller learns the module's ABI, even with another one of its own. */
static long device_version(void __user *arg, size_t size)
{
	struct libcfs_ioc_version version = {
		.v_hdr.ioh_size = size,
		.v_hdr.ioh_abi = LIBCFS_ABI_VERSION,
		.v_abi = LIBCFS_ABI_VERSION,
		.v_name_max = PARAMS_NAME_MAX,
		.v_path_max = PARAMS_PATH_MAX,
		.v_depth_max = PARAMS_DEPTH_MAX,
		.v_buf_max = PARAMS_BUF_MAX,
		.v_release = LUSTRE_LITE_VERSION,
	};
	size_t known = min(size, sizeof(version));

	if (copy_to_user(arg, &version, known) ||
	    clear_user(arg + known, size - known))
		return -EFAULT;
	return 0;
}

static long device_core_ioctl(struct libcfs_file *lf, unsigned int nr,
			      void __user *arg, size_t size)
{
	switch (nr) {
	case _IOC_NR(LIBCFS_IOC_VERSION):
		return device_version(arg, size);
	case _IOC_NR(LIBCFS_IOC_DEBUG_READ):
	case _IOC_NR(LIBCFS_IOC_DEBUG_CLEAR):
	case _IOC_NR(LIBCFS_IOC_DEBUG_MARK):
		return debug_ioctl(nr, arg, size);
	}
	return -ENOTTY;
}

static struct libcfs_ioctl_range device_range = {
	.lir_name	= "libcfs",
	.lir_owner	= THIS_MODULE,
	.lir_first	= LIBCFS_IOC_NR_CORE,
	.lir_last	= LIBCFS_IOC_NR_PARAMS - 1,
	.lir_handler	= device_core_ioctl,
};

/* Register libcfs's own ioctls and the device. Return: 0 or a negative errno */
int libcfs_device_init(void)
{
	int rc;

	rc = libcfs_register_ioctl(&device_range);
	if (rc)
		return rc;
	rc = misc_register(&device);
	if (rc)
		libcfs_deregister_ioctl(&device_range);
	return rc;
}

/* Unregister the device. */
void libcfs_device_exit(void)
{
	misc_deregister(&device);
	libcfs_deregister_ioctl(&device_range);
}
