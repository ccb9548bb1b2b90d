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
#include <lustre_lite/version.h>

#include "lov_internal.h"
#include "lov_layout.h"

static int lov_setup(struct obd_device *obd, const struct lcfg_view *cfg,
		     struct obd_why *why)
{
	struct lov_device *lov = libcfs_zalloc(sizeof(*lov),
					       GFP_KERNEL_ACCOUNT);
	int rc;

	if (!lov)
		return -ENOMEM;
	lov->lov_obd = obd;
	rc = lov_desc_apply(lov, cfg, why);
	if (rc)
		goto free_device;
	obd_targets_init(&lov->lov_targets, obd, "osc");
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
	obd_targets_fini(&lov->lov_targets);
	obd->obd_data = NULL;
	libcfs_free(lov, sizeof(*lov));
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
	if (cfg->command != LCFG_LOV_DEL_OBD)
		return obd_targets_add(&lov->lov_targets, &spec, why);
	rc = obd_targets_del(&lov->lov_targets, &spec, why);
	if (!rc)
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

static int lov_set_info(struct obd_export *exp, const char *key,
			const void *val, u32 vallen)
{
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

/**
 * lov_target_of() - the connection to the target of an object
 * @lov: volume
 * @index: index of the target
 *
 * A target that the config log has not brought yet is waited for.
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: connection, referenced, or NULL: there is no such target, or it is not connected to
 */
struct obd_export *lov_target_of(struct lov_device *lov, u32 index)
{
	struct obd_export *exp = obd_targets_export_at(&lov->lov_targets, index);

	if (exp || !obd_targets_await(&lov->lov_targets, index))
		return exp;
	return obd_targets_export_at(&lov->lov_targets, index);
}

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
	return 0;
}

static const struct dt_ops lov_dt_ops = {
	.d_layout	= lov_layout_new,
	.d_layout_put	= lov_layout_put,
	.d_io		= lov_io,
	.d_getattr	= lov_getattr,
	.d_setattr	= lov_setattr,
	.d_sync		= lov_sync,
	.d_error	= lov_layout_error,
	.d_append_lock	= lov_append_lock,
	.d_append_unlock = lov_append_unlock,
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
	return class_register_type(&lov_type);
}

/* Devices pin the module: none is left. */
static void __exit lov_exit(void)
{
	class_unregister_type(&lov_type);
}

module_init(lov_init);
module_exit(lov_exit);

MODULE_DESCRIPTION("lustre-lite: a volume of object storage targets");
MODULE_AUTHOR("lustre-lite");
MODULE_VERSION(LUSTRE_LITE_VERSION);
MODULE_LICENSE("GPL");
MODULE_ALIAS("lustre-lite-type-lov");
MODULE_IMPORT_NS(LUSTRE_LITE);
