// SPDX-License-Identifier: GPL-2.0-only
/*
 * Object devices on /dev/libcfs. Every length, flag and text from user space is
 * validated here. The reason of a refusal is copied out besides the errno.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <lustre_lite/compat.h>

#include "../obd_internal.h"

/* Copy the structure back to the caller, on failure too. */
static long reply(void __user *arg, const void *args, size_t known, size_t size,
		  long rc)
{
	if (copy_to_user(arg, args, min(known, size)))
		return -EFAULT;
	return rc;
}

static bool has_nul(const char *text, size_t size)
{
	return strnlen(text, size) < size;
}

/* Validate a text in a field of @size bytes; zero the bytes after it. */
static bool text_settle(char *text, size_t size)
{
	size_t len = strnlen(text, size);

	if (len == size)
		return false;
	memset(text + len, 0, size - len);
	return true;
}

/* The device of a command that comes with a number: held. */
static int config_device(u32 index, struct obd_device **obd,
			 struct obd_why *why)
{
	*obd = NULL;
	if (index == OBD_INDEX_NONE)
		return 0;
	*obd = class_num2obd(index);
	return *obd ? 0 : obd_refuse(why, -ENODEV,
				     "no device has that number");
}

static int config_bytes(struct obd_ioc_config *oc, const void *bytes,
			struct obd_why *why)
{
	const char *fault = NULL;
	struct obd_device *obd;
	struct lcfg_view cfg;
	int rc;

	rc = lustre_cfg_decode(bytes, oc->oc_cfg_len, &cfg, &fault);
	if (rc)
		return obd_refuse(why, rc, "not a lustre_cfg: %s",
				  fault ?: "it is damaged");
	rc = config_device(oc->oc_index, &obd, why);
	oc->oc_index = OBD_INDEX_NONE;
	if (!rc)
		rc = class_process_config(&cfg, 0, &obd, why);
	if (!obd)
		return rc;
	oc->oc_index = READ_ONCE(obd->obd_minor);
	if (!rc && cfg.command == LCFG_DETACH)
		class_put_detached(obd, OBD_FREE_WAIT);
	else
		class_decref(obd, OBD_REF_LOOKUP);
	return rc;
}

static int config_user(struct obd_ioc_config *oc, struct obd_why *why)
{
	void *bytes;
	int rc;

	if (oc->oc_flags || oc->oc_reserved)
		return -EINVAL;
	if (oc->oc_cfg_len > LUSTRE_CFG_SIZE_MAX)
		return obd_refuse(why, -E2BIG,
				  "a lustre_cfg of %u bytes is too long; at most %u",
				  oc->oc_cfg_len, LUSTRE_CFG_SIZE_MAX);
	if (oc->oc_cfg_len < sizeof(struct lustre_cfg))
		return obd_refuse(why, -EINVAL,
				  "%u bytes are too short for a lustre_cfg; at least %zu",
				  oc->oc_cfg_len, sizeof(struct lustre_cfg));
	bytes = memdup_user(u64_to_user_ptr(oc->oc_cfg), oc->oc_cfg_len);
	if (IS_ERR(bytes))
		return PTR_ERR(bytes);
	rc = config_bytes(oc, bytes, why);
	kfree(bytes);
	return rc;
}

static long ioctl_config(void __user *arg, size_t size)
{
	struct obd_ioc_config oc;
	struct obd_why why = { "" };
	int rc;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	rc = copy_struct_from_user(&oc, sizeof(oc), arg, size);
	if (rc)
		return rc;
	rc = config_user(&oc, &why);
	strscpy_pad(oc.oc_why, why.text, sizeof(oc.oc_why));
	return reply(arg, &oc, sizeof(oc), size, rc);
}

/* By number, by name or by uuid: see struct obd_ioc_device. */
static struct obd_device *device_find(struct obd_ioc_device *od)
{
	struct obd_uuid uuid;

	if (od->od_index != OBD_INDEX_NONE)
		return class_num2obd(od->od_index);
	if (*od->od_name)
		return class_name2obd(od->od_name);
	strscpy_pad(uuid.uuid, od->od_uuid, sizeof(uuid.uuid));
	return class_uuid2obd(&uuid);
}

static void device_describe(struct obd_ioc_device *od,
			    const struct obd_device *obd)
{
	od->od_index = READ_ONCE(obd->obd_minor);
	od->od_status = class_obd_status(obd);
	/* Do not count the reference of this call. */
	od->od_refcount = refcount_read(&obd->obd_refcount) - 1;
	strscpy_pad(od->od_name, obd->obd_name, sizeof(od->od_name));
	strscpy_pad(od->od_uuid, obd->obd_uuid.uuid, sizeof(od->od_uuid));
	strscpy_pad(od->od_type, obd->obd_type_name, sizeof(od->od_type));
}

static long ioctl_device(void __user *arg, size_t size)
{
	struct obd_device *obd;
	struct obd_ioc_device od;
	int rc;

	rc = copy_struct_from_user(&od, sizeof(od), arg, size);
	if (rc)
		return rc;
	if (od.od_reserved || !has_nul(od.od_name, sizeof(od.od_name)) ||
	    !has_nul(od.od_uuid, sizeof(od.od_uuid)))
		return -EINVAL;
	obd = device_find(&od);
	if (!obd)
		return -ENODEV;
	device_describe(&od, obd);
	class_decref(obd, OBD_REF_LOOKUP);
	/* It was detached meanwhile. */
	if (od.od_index == OBD_INDEX_NONE)
		return -ENODEV;
	return reply(arg, &od, sizeof(od), size, 0);
}

/* Inside of the device's gate: its import is valid. */
static int import_do(struct obd_device *obd, const struct obd_ioc_import *oi,
		     struct obd_why *why)
{
	if (!obd->obd_cli || !obd->obd_type->typ_import)
		return obd_refuse(why, -EOPNOTSUPP,
				  "%s: a device of type %s has no import",
				  obd->obd_name, obd->obd_type_name);
	return obd->obd_type->typ_import->io_control(obd, oi, why);
}

static int import_user(struct obd_ioc_import *oi, struct obd_why *why)
{
	struct obd_device *obd;
	int rc = -ENODEV;

	if (!text_settle(oi->oi_uuid, sizeof(oi->oi_uuid)))
		return obd_refuse(why, -EINVAL, "the uuid is not NUL-terminated");
	obd = class_num2obd(oi->oi_index);
	if (!obd)
		return obd_refuse(why, -ENODEV,
				  "no device has that number");
	if (obd_op_enter(obd)) {
		rc = import_do(obd, oi, why);
		obd_op_leave(obd);
	} else {
		obd_refuse(why, rc, "%s: is not set up", obd->obd_name);
	}
	class_decref(obd, OBD_REF_LOOKUP);
	return rc;
}

static long ioctl_import(void __user *arg, size_t size)
{
	struct obd_ioc_import oi;
	struct obd_why why = { "" };
	int rc;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	rc = copy_struct_from_user(&oi, sizeof(oi), arg, size);
	if (rc)
		return rc;
	rc = import_user(&oi, &why);
	strscpy_pad(oi.oi_why, why.text, sizeof(oi.oi_why));
	return reply(arg, &oi, sizeof(oi), size, rc);
}

static long ioctl_replay(void __user *arg, size_t size)
{
	struct obd_ioc_replay replay;
	long rc;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	rc = copy_struct_from_user(&replay, sizeof(replay), arg, size);
	if (rc)
		return rc;
	memset(replay.or_why, 0, sizeof(replay.or_why));
	rc = obd_replay_ioctl(&replay);
	return reply(arg, &replay, sizeof(replay), size, rc);
}

static int instance_cleanup(struct obd_ioc_instance *on, struct obd_why *why)
{
	int gone;

	if (on->on_force > 1)
		return -EINVAL;
	if (!on->on_instance)
		return obd_refuse(why, -EINVAL,
				  "instance 0 is invalid: it has devices that were attached one by one");
	gone = class_cleanup_instance(on->on_instance, on->on_force, why);
	if (gone < 0)
		return gone;
	on->on_count = gone;
	/*
	 * If some stay, their log may still be followed, and its profiles and
	 * servers are needed.
	 */
	if (why->text[0])
		return -EBUSY;
	class_del_profiles(on->on_instance);
	class_del_uuids(on->on_instance);
	return 0;
}

static long ioctl_instance_cleanup(void __user *arg, size_t size)
{
	struct obd_ioc_instance on;
	struct obd_why why = { "" };
	int rc;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	rc = copy_struct_from_user(&on, sizeof(on), arg, size);
	if (rc)
		return rc;
	rc = instance_cleanup(&on, &why);
	strscpy_pad(on.on_why, why.text, sizeof(on.on_why));
	return reply(arg, &on, sizeof(on), size, rc);
}

static long obd_ioctl(struct libcfs_file *lf, unsigned int nr, void __user *arg,
		      size_t size)
{
	switch (nr) {
	case _IOC_NR(OBD_IOC_CONFIG):
		return ioctl_config(arg, size);
	case _IOC_NR(OBD_IOC_DEVICE):
		return ioctl_device(arg, size);
	case _IOC_NR(OBD_IOC_IMPORT):
		return ioctl_import(arg, size);
	case _IOC_NR(OBD_IOC_REPLAY):
		return ioctl_replay(arg, size);
	case _IOC_NR(OBD_IOC_INSTANCE_CLEANUP):
		return ioctl_instance_cleanup(arg, size);
	default:
		return -ENOTTY;
	}
}

static struct libcfs_ioctl_range obd_range = {
	.lir_name = "obdclass",
	.lir_owner = THIS_MODULE,
	.lir_first = LIBCFS_IOC_NR_OBD,
	.lir_last = LIBCFS_IOC_NR_RPC - 1,
	.lir_handler = obd_ioctl,
};

/* Register the calls of obd_ioctl.h. */
int obd_ioctl_init(void)
{
	return libcfs_register_ioctl(&obd_range);
}

/* Unregister them; waits for running calls. */
void obd_ioctl_exit(void)
{
	libcfs_deregister_ioctl(&obd_range);
}
