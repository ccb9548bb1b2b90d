// SPDX-License-Identifier: GPL-2.0-only
/*
 * lov.ko: a volume of object storage targets. It stands above an osc for each.
 *
 *	setup DESC		struct lov_desc
 *
 * It works without unreachable targets. obd_targets.h describes how targets are
 * added and removed.
 */
#define DEBUG_SUBSYSTEM S_LOV

#include <linux/err.h>
#include <linux/module.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/obd_client.h>
#include <lustre_lite/obd_ops.h>
#include <lustre_lite/version.h>

#include "lov_dev.h"
#include "lov_driver.h"
#include "lov_internal.h"

/**
 * lov_device_put() - drop a reference
 * @lov: device
 *
 * Context: any
 */
void lov_device_put(struct lov_device *lov)
{
	unsigned int n;

	if (!refcount_dec_and_test(&lov->lov_refcount))
		return;
	for (n = 0; n < LOV_COUNTS; n++)
		WARN_ON_ONCE(atomic_read(&lov->lov_counts[n]));
	libcfs_free(lov, sizeof(*lov));
}

/*
 * A client device that comes later has the setting of the mount, too, unless that is the default.
 */
static void lov_target_found(struct obd_targets *ts, struct obd_device *client)
{
	const u32 off = 0;

	if (!READ_ONCE(lov_device(ts->ts_obd)->lov_checksums))
		obd_set_info_async(client->obd_self_export, KEY_CHECKSUM, &off, sizeof(off));
}

static int lov_setup(struct obd_device *obd, const struct lcfg_view *cfg,
		     struct obd_why *why)
{
	struct lov_device *lov = libcfs_zalloc(sizeof(*lov),
					       GFP_KERNEL_ACCOUNT);
	int rc;

	if (!lov)
		return -ENOMEM;
	refcount_set(&lov->lov_refcount, 1);
	lov->lov_obd = obd;
	rc = lov_desc_apply(lov, cfg, why);
	if (rc)
		goto free_device;
	obd_targets_init(&lov->lov_targets, obd, "osc");
	lov->lov_targets.ts_found = lov_target_found;
	lov->lov_checksums = true;
	xa_init(&lov->lov_devs);
	lov_pools_init(lov);
	rc = lov_params_add(lov);
	if (rc)
		goto fini_pools;
	obd->obd_data = lov;
	return 0;

fini_pools:
	lov_pools_fini(lov);
	obd_targets_fini(&lov->lov_targets);
free_device:
	libcfs_free(lov, sizeof(*lov));
	return rc;
}

static int lov_precleanup(struct obd_device *obd)
{
	obd_targets_release(&lov_device(obd)->lov_targets);
	return 0;
}

static int lov_cleanup(struct obd_device *obd)
{
	struct lov_device *lov = lov_device(obd);

	lov_pools_fini(lov);
	lov_devs_fini(lov);
	obd_targets_fini(&lov->lov_targets);
	obd->obd_data = NULL;
	lov_device_put(lov);
	return 0;
}

static int lov_connect(struct obd_export **exp, struct obd_device *obd,
		       const struct obd_uuid *uuid,
		       const struct lnet_nid *nid,
		       struct obd_connect_data *ocd)
{
	return obd_targets_connect(&lov_device(obd)->lov_targets, exp, uuid,
				   ocd);
}

static int lov_disconnect(struct obd_export *exp)
{
	return obd_targets_disconnect(&lov_device(exp->exp_obd)->lov_targets,
				      exp);
}

static int lov_target_config(struct lov_device *lov,
			     const struct lcfg_view *cfg, struct obd_why *why)
{
	struct obd_target_spec spec;
	int rc;

	rc = obd_target_parse(cfg, &spec, why);
	if (rc)
		return rc;
	if (cfg->command == LCFG_LOV_DEL_OBD)
		rc = obd_targets_del(&lov->lov_targets, &spec, why);
	else
		rc = obd_targets_add(&lov->lov_targets, &spec, why);
	lov_dev_check(lov, spec.index);
	if (!rc && cfg->command == LCFG_LOV_DEL_OBD)
		lov_pools_target_del(lov, &spec.uuid);
	return rc;
}

static int lov_process_config(struct obd_device *obd,
			      const struct lcfg_view *cfg, struct obd_why *why)
{
	struct lov_device *lov = lov_device(obd);

	switch (cfg->command) {
	case LCFG_LOV_ADD_OBD:
	case LCFG_LOV_ADD_INA:
	case LCFG_LOV_DEL_OBD:
		return lov_target_config(lov, cfg, why);
	case LCFG_POOL_NEW:
	case LCFG_POOL_ADD:
	case LCFG_POOL_REM:
	case LCFG_POOL_DEL:
		return lov_pool_config(lov, cfg, why);
	case LCFG_PARAM:
		return class_modify_config(obd, cfg, why);
	default:
		return obd_refuse(why, -EOPNOTSUPP,
				  "%s: unknown command %s for a device of type lov",
				  obd->obd_name,
				  lcfg_command_name(cfg->command));
	}
}

static int lov_notify(struct obd_device *obd, struct obd_device *watched,
		      enum obd_notify_event event)
{
	return obd_targets_notify(&lov_device(obd)->lov_targets, watched,
				  event);
}

static int lov_statfs(struct obd_export *exp, struct obd_statfs *st,
		      u64 max_age)
{
	return obd_targets_statfs(&lov_device(exp->exp_obd)->lov_targets, st,
				  max_age);
}

static int lov_set_checksums(struct lov_device *lov, const void *val, u32 vallen)
{
	bool on;
	int rc = client_checksum_value(val, vallen, &on);

	if (rc)
		return rc;
	/* A device that is found with the old value is in the table before it is looked through. */
	WRITE_ONCE(lov->lov_checksums, on);
	return obd_targets_set_clients(&lov->lov_targets, KEY_CHECKSUM, val, vallen);
}

static int lov_set_info(struct obd_export *exp, const char *key,
			const void *val, u32 vallen)
{
	if (!strcmp(key, KEY_CHECKSUM))
		return lov_set_checksums(lov_device(exp->exp_obd), val, vallen);
	return obd_targets_set_info(&lov_device(exp->exp_obd)->lov_targets,
				    key, val, vallen);
}

static int lov_get_uuid(struct obd_export *exp, struct obd_uuid *uuid)
{
	const struct lov_device *lov = lov_device(exp->exp_obd);

	strscpy(uuid->uuid, lov->lov_targets.ts_desc_uuid,
		sizeof(uuid->uuid));
	return 0;
}

static const struct obd_ops lov_ops = {
	.o_owner		= THIS_MODULE,
	.o_setup		= lov_setup,
	.o_precleanup		= lov_precleanup,
	.o_cleanup		= lov_cleanup,
	.o_connect		= lov_connect,
	.o_disconnect		= lov_disconnect,
	.o_process_config	= lov_process_config,
	.o_set_info_async	= lov_set_info,
	.o_notify		= lov_notify,
	.o_statfs		= lov_statfs,
	.o_get_uuid		= lov_get_uuid,
};

static struct obd_export *lov_target(struct obd_export *exp, u32 index)
{
	return obd_targets_export_at(&lov_device(exp->exp_obd)->lov_targets, index);
}

static struct obd_export *lov_target_next(struct obd_export *exp, u32 *index)
{
	return obd_targets_export(&lov_device(exp->exp_obd)->lov_targets, index);
}

static int lov_desc_get(struct obd_export *exp, struct dt_desc *desc)
{
	const struct lov_device *lov = lov_device(exp->exp_obd);

	desc->dd_stripe_size = READ_ONCE(lov->lov_stripe_size);
	desc->dd_stripe_count = READ_ONCE(lov->lov_stripe_count);
	desc->dd_stripe_offset = READ_ONCE(lov->lov_stripe_offset);
	desc->dd_pattern = READ_ONCE(lov->lov_pattern);
	desc->dd_targets = READ_ONCE(lov->lov_targets.ts_count);
	desc->dd_qos_maxage = READ_ONCE(lov->lov_qos_maxage);
	return 0;
}

static const struct dt_ops lov_dt_ops = {
	.d_layout	= lov_layout_new,
	.d_layout_set	= lov_layout_set,
	.d_layout_put	= lov_layout_put,
	.d_io		= lov_io,
	.d_getattr	= lov_getattr,
	.d_setattr	= lov_setattr,
	.d_fallocate	= lov_fallocate,
	.d_seek		= lov_seek,
	.d_settle	= lov_settle,
	.d_sync		= lov_sync,
	.d_stable	= lov_layout_stable,
	.d_error	= lov_layout_error,
	.d_enqueue	= lov_enqueue,
	.d_read_lock	= lov_read_lock,
	.d_current	= lov_layout_current,
	.d_lacks	= lov_layout_lacks,
	.d_decref	= lov_decref,
	.d_lost		= lov_lost,
	.d_cover_state	= lov_cover_state,
	.d_cover	= lov_cover,
	.d_grant	= lov_grant,
	.d_grant_ask	= lov_grant_ask,
	.d_rpc_bytes	= lov_rpc_bytes,
	.d_target	= lov_target,
	.d_target_next	= lov_target_next,
	.d_pool		= lov_pool_has,
	.d_desc		= lov_desc_get,
};

static struct obd_type lov_type = {
	.typ_name	= "lov",
	.typ_dt_ops	= &lov_ops,
	.typ_dv_ops	= &lov_dt_ops,
};

static int __init lov_init(void)
{
	int rc = lov_segs_init();

	if (rc)
		return rc;
	rc = lov_driver_register(&lov_striped);
	if (rc)
		goto exit_segs;
	rc = class_register_type(&lov_type);
	if (rc)
		goto unregister_driver;
	return 0;

unregister_driver:
	lov_driver_unregister(&lov_striped);
exit_segs:
	lov_segs_exit();
	return rc;
}

/* Devices pin the module: none is left. */
static void __exit lov_exit(void)
{
	class_unregister_type(&lov_type);
	lov_segs_exit();
	lov_driver_unregister(&lov_striped);
}

module_init(lov_init);
module_exit(lov_exit);

MODULE_DESCRIPTION("lustre-lite: a volume of object storage targets");
MODULE_AUTHOR("lustre-lite");
MODULE_VERSION(LUSTRE_LITE_VERSION);
MODULE_LICENSE("GPL");
MODULE_ALIAS("lustre-lite-type-lov");
MODULE_IMPORT_NS(LUSTRE_LITE);
