// SPDX-License-Identifier: GPL-2.0-only
/*
 * ofd.ko: object storage target over a directory, type obdfilter.
 *
 *	setup [DIR] ...	directory, where it is not the one that is mounted under
 *				the device's name; real Lustre's "dev type f" name none
 */
#define DEBUG_SUBSYSTEM S_FILTER

#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/module.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/obd_config.h>
#include <lustre_lite/obd_ops.h>
#include <lustre_lite/version.h>

#include <uapi/lustre_lite/lustre_user.h>

#include "ofd_internal.h"

/* Buffer of LCFG_SETUP that may name a directory. */
#define SETUP_FOLDER	1

#define OFD_CONNECT_FLAGS	(OBD_CONNECT_INDEX | OBD_CONNECT_VERSION | \
				 OBD_CONNECT_BRW_SIZE | OBD_CONNECT_AT | OBD_CONNECT_GRANT | \
				 OBD_CONNECT_CKSUM)

static int ofd_commit(struct obd_device *obd, u64 transno)
{
	return osd_commit(ofd_device(obd)->ofd_osd, transno);
}

static const struct lu_target_ops ofd_lut_ops = {
	.lto_commit	= ofd_commit,
};

/* A file system that forgets all in a power cut has no transactions. */
static int ofd_trans_init(struct ofd_device *ofd, struct obd_why *why)
{
	struct tgt_conf conf = {
		.tgc_ops = &ofd_lut_ops,
		.tgc_dir = &ofd->ofd_dir.td_path,
		.tgc_name = OSD_LAST_RCVD,
		.tgc_incompat = OBD_INCOMPAT_OST,
		.tgc_interval = TGT_COMMIT_INTERVAL,
	};
	struct obd_device *obd = ofd->ofd_dir.td_obd;
	int rc;

	if (!osd_device_durable(ofd->ofd_osd))
		return 0;
	rc = osd_committed(ofd->ofd_osd, &conf.tgc_committed);
	if (rc)
		return obd_refuse(why, rc,
				  "%s: cannot read its last transaction from " OSD_LAST_RCVD,
				  obd->obd_name);
	return tgt_init(obd, &conf, why);
}

/* The backend, and what is in memory above it. */
static int ofd_store_init(struct ofd_device *ofd, struct obd_why *why)
{
	struct osd_device *osd = osd_device_open(&ofd->ofd_dir.td_path, OSD_KIND_OST,
						 ofd->ofd_dir.td_obd->obd_name, why);
	int rc;

	if (IS_ERR(osd))
		return PTR_ERR(osd);
	ofd->ofd_osd = osd;
	rc = ofd_ids_init(ofd, why);
	if (rc)
		goto close_osd;
	rc = ofd_objects_init(ofd);
	if (rc)
		goto free_ids;
	rc = ofd_trans_init(ofd, why);
	if (rc)
		goto free_objects;
	return 0;

free_objects:
	ofd_objects_fini(ofd);
free_ids:
	ofd_ids_fini(ofd);
close_osd:
	osd_device_close(osd);
	return rc;
}

static void ofd_store_fini(struct ofd_device *ofd)
{
	tgt_fini(ofd->ofd_dir.td_obd);
	ofd_objects_fini(ofd);
	ofd_ids_fini(ofd);
	osd_device_close(ofd->ofd_osd);
}

/* Above the directory of the target. */
static int ofd_parts_init(struct ofd_device *ofd, struct obd_why *why)
{
	int rc = ofd_params_init(ofd);

	if (rc)
		return rc;
	rc = ofd_brw_init(ofd);
	if (rc)
		goto free_params;
	rc = ofd_store_init(ofd, why);
	if (rc)
		goto free_brw;
	ofd_lock_init(ofd);
	rc = ptlrpc_target_start(ofd->ofd_dir.td_obd, why);
	if (rc)
		goto free_store;
	return 0;

free_store:
	ofd_store_fini(ofd);
free_brw:
	ofd_brw_fini(ofd);
free_params:
	ofd_params_fini(ofd);
	return rc;
}

static int ofd_build(struct ofd_device *ofd, struct obd_device *obd,
		     const struct lcfg_view *cfg, struct obd_why *why)
{
	int rc = target_dir_setup(&ofd->ofd_dir, obd, cfg, SETUP_FOLDER,
				  why);

	if (rc)
		return rc;
	rc = ofd_parts_init(ofd, why);
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
	ofd->ofd_brw_size = WIRE_BULK_DEFAULT;
	ofd_grant_init(ofd);
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
	struct ofd_device *ofd = ofd_device(obd);

	ofd_store_fini(ofd);
	ofd_brw_fini(ofd);
	ofd_params_fini(ofd);
	target_dir_cleanup(&ofd->ofd_dir);
	obd->obd_data = NULL;
	libcfs_free(ofd, sizeof(*ofd));
	return 0;
}

/* A client gets no larger requests than the target takes. */
static void limit_brw(struct obd_device *obd, struct obd_connect_data *ocd)
{
	if (ocd)
		ocd->ocd_brw_size = min(ocd->ocd_brw_size,
					READ_ONCE(ofd_device(obd)->ofd_brw_size));
}

static int ofd_connect(struct obd_export **exp, struct obd_device *obd,
		       const struct obd_uuid *uuid, const struct lnet_nid *nid,
		       struct obd_connect_data *ocd)
{
	struct obd_export *new;
	int rc;

	limit_brw(obd, ocd);
	rc = target_dir_connect(&new, obd, uuid, nid, ocd);
	if (rc)
		return rc;
	rc = ofd_grant_connect(new, ocd);
	if (rc)
		class_disconnect(new);
	else
		*exp = new;
	return rc;
}

static int ofd_reconnect(struct obd_export *exp, struct obd_device *obd,
			 const struct obd_uuid *uuid, struct obd_connect_data *ocd)
{
	limit_brw(obd, ocd);
	return target_dir_reconnect(exp, obd, uuid, ocd) ?: ofd_grant_connect(exp, ocd);
}

static int ofd_statfs(struct obd_export *exp, struct obd_statfs *st, u64 max_age)
{
	u64 start = ktime_get_ns();
	int rc = target_dir_statfs(exp, st, max_age);

	if (rc)
		return rc;
	if (READ_ONCE(ofd_device(exp->exp_obd)->ofd_degraded))
		st->os_state |= OS_STATFS_DEGRADED;
	ofd_stats_statfs(exp, ktime_get_ns() - start);
	return 0;
}

static const struct obd_ops ofd_ops = {
	.o_owner		= THIS_MODULE,
	.o_setup		= ofd_setup,
	.o_precleanup		= ofd_precleanup,
	.o_cleanup		= ofd_cleanup,
	.o_connect		= ofd_connect,
	.o_reconnect		= ofd_reconnect,
	.o_disconnect		= class_disconnect,
	.o_process_config	= class_process_param,
	.o_health_check		= target_dir_health_check,
	.o_statfs		= ofd_statfs,
	.o_get_uuid		= target_dir_get_uuid,
};

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
