// SPDX-License-Identifier: GPL-2.0-only
/*
 * ofd.ko: object storage target over a directory, type obdfilter.
 *
 *	setup [DIR] ...	directory, where it is not the one that is mounted under
 *				the device's name; real Lustre's "dev type f" name none
 */
#define DEBUG_SUBSYSTEM S_FILTER

#include <linux/module.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/obd_config.h>
#include <lustre_lite/obd_ops.h>
#include <lustre_lite/ptlrpc_target.h>
#include <lustre_lite/target_dir.h>
#include <lustre_lite/version.h>

/* Buffer of LCFG_SETUP that may name a directory. */
#define SETUP_FOLDER	1

#define OFD_CONNECT_FLAGS	(OBD_CONNECT_INDEX | OBD_CONNECT_VERSION | \
				 OBD_CONNECT_BRW_SIZE | OBD_CONNECT_AT)

/**
 * struct ofd_device - a device of type obdfilter
 * @ofd_dir: its directory; must be the first member
 */
struct ofd_device {
	struct target_dir	ofd_dir;
};

static int ofd_build(struct ofd_device *ofd, struct obd_device *obd,
		     const struct lcfg_view *cfg, struct obd_why *why)
{
	int rc = target_dir_setup(&ofd->ofd_dir, obd, cfg, SETUP_FOLDER,
				  why);

	if (rc)
		return rc;
	rc = ptlrpc_target_start(obd, why);
	if (rc)
		target_dir_cleanup(&ofd->ofd_dir);
	return rc;
}

static int ofd_setup(struct obd_device *obd, const struct lcfg_view *cfg,
		     struct obd_why *why)
{
	struct ofd_device *ofd = libcfs_zalloc(sizeof(*ofd),
					       GFP_KERNEL_ACCOUNT);
	int rc;

	if (!ofd)
		return -ENOMEM;
	ofd->ofd_dir.td_flags = OFD_CONNECT_FLAGS;
	rc = target_dir_name_index(obd->obd_name, "OST",
				   &ofd->ofd_dir.td_index);
	if (rc) {
		obd_refuse(why, rc,
			   "'%s' is not the name of an object storage target; use one such as lustre-OST0000",
			   obd->obd_name);
		goto free_device;
	}
	obd->obd_data = ofd;
	rc = ofd_build(ofd, obd, cfg, why);
	if (rc)
		goto free_device;
	return 0;

free_device:
	obd->obd_data = NULL;
	libcfs_free(ofd, sizeof(*ofd));
	return rc;
}

static int ofd_precleanup(struct obd_device *obd)
{
	ptlrpc_target_stop(obd);
	return 0;
}

static int ofd_cleanup(struct obd_device *obd)
{
	struct ofd_device *ofd = obd->obd_data;

	target_dir_cleanup(&ofd->ofd_dir);
	obd->obd_data = NULL;
	libcfs_free(ofd, sizeof(*ofd));
	return 0;
}

static const struct obd_ops ofd_ops = {
	.o_owner		= THIS_MODULE,
	.o_setup		= ofd_setup,
	.o_precleanup		= ofd_precleanup,
	.o_cleanup		= ofd_cleanup,
	.o_connect		= target_dir_connect,
	.o_reconnect		= target_dir_reconnect,
	.o_disconnect		= class_disconnect,
	.o_process_config	= class_process_param,
	.o_health_check		= target_dir_health_check,
	.o_statfs		= target_dir_statfs,
	.o_get_uuid		= target_dir_get_uuid,
};

/* Only the common operations so far: data comes with the data path. */
static const struct ptlrpc_target_ops ofd_target_ops;

static struct obd_type ofd_type = {
	.typ_name	= "obdfilter",
	.typ_dt_ops	= &ofd_ops,
	.typ_target	= &ofd_target_ops,
};

static int __init ofd_init(void)
{
	return class_register_type(&ofd_type);
}

/* Devices pin the module: none is left. */
static void __exit ofd_exit(void)
{
	class_unregister_type(&ofd_type);
}

module_init(ofd_init);
module_exit(ofd_exit);

MODULE_DESCRIPTION("lustre-lite: object storage target");
MODULE_AUTHOR("lustre-lite");
MODULE_VERSION(LUSTRE_LITE_VERSION);
MODULE_LICENSE("GPL");
MODULE_ALIAS("lustre-lite-type-obdfilter");
MODULE_IMPORT_NS(LUSTRE_LITE);
