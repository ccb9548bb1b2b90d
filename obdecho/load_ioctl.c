// SPDX-License-Identifier: GPL-2.0-only
/* The ioctl of loads on /dev/libcfs. */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/libcfs.h>

#include "echo_internal.h"

/*
 * The connection of a client to its server; no reference on the client's device
 * remains.
 */
static int way_of(u32 index, struct echo_use *use, struct obd_why *why)
{
	struct obd_device *obd = class_num2obd(index);
	int rc = -ENODEV;

	if (!obd)
		return obd_refuse(why, rc, "no device has that number");
	if (obd_op_enter(obd)) {
		rc = echo_client_use(obd, use, why);
		obd_op_leave(obd);
	} else {
		obd_refuse(why, rc, "%s: is not set up", obd->obd_name);
	}
	class_decref(obd, OBD_REF_LOOKUP);
	return rc;
}

/* Clear the out members; et_why is set at the end. */
static void results_clear(struct ll_rpc_ioc_echo *et)
{
	const size_t from = offsetof(struct ll_rpc_ioc_echo, et_done);
	const size_t to = offsetof(struct ll_rpc_ioc_echo, et_mode);

	memset((u8 *)et + from, 0, to - from);
	memset(et->et_histogram, 0, sizeof(et->et_histogram));
	memset(et->et_granted, 0, sizeof(et->et_granted));
}

static int echo_test(struct ll_rpc_ioc_echo *et)
{
	struct obd_why why = { "" };
	struct echo_use use;
	int rc;

	results_clear(et);
	rc = way_of(et->et_index, &use, &why);
	if (!rc) {
		rc = echo_load_run(&use, et, &why);
		echo_client_unuse(&use);
	}
	strscpy_pad(et->et_why, why.text, sizeof(et->et_why));
	return rc;
}

static long ioctl_echo_test(void __user *arg, size_t size)
{
	struct ll_rpc_ioc_echo *et;
	int rc;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	et = kzalloc(sizeof(*et), GFP_KERNEL);
	if (!et)
		return -ENOMEM;
	rc = copy_struct_from_user(et, sizeof(*et), arg, size);
	if (!rc) {
		rc = echo_test(et);
		if (copy_to_user(arg, et, min(sizeof(*et), size)))
			rc = -EFAULT;
	}
	kfree(et);
	return rc;
}

static long echo_ioctl(struct libcfs_file *lf, unsigned int nr,
		       void __user *arg, size_t size)
{
	return nr == _IOC_NR(LL_RPC_IOC_ECHO_TEST) ? ioctl_echo_test(arg, size) :
						     -ENOTTY;
}

static struct libcfs_ioctl_range echo_range = {
	.lir_name = "obdecho",
	.lir_owner = THIS_MODULE,
	.lir_first = LIBCFS_IOC_NR_ECHO,
	.lir_last = LIBCFS_IOC_NR_ECHO + 0xf,
	.lir_handler = echo_ioctl,
};

/* Register LL_RPC_IOC_ECHO_TEST. */
int echo_ioctl_init(void)
{
	return libcfs_register_ioctl(&echo_range);
}

/* Unregister it; waits for running calls. */
void echo_ioctl_exit(void)
{
	libcfs_deregister_ioctl(&echo_range);
}
