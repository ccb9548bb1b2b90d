// SPDX-License-Identifier: GPL-2.0-only
/*
 * lmv.ko: a volume of metadata targets. It stands above an mdc for each.
 *
 *	setup DESC	struct lov_desc, of which only the uuid is used
 *
 * It works without unreachable targets. obd_targets.h describes how targets are
 * added and removed.
 */
#define DEBUG_SUBSYSTEM S_LMV

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/obd_config.h>
#include <lustre_lite/obd_ops.h>
#include <lustre_lite/params.h>
#include <lustre_lite/version.h>

#include "lmv_internal.h"

#define LMV_QOS_MAXAGE_DEFAULT	60
#define LMV_QOS_MAXAGE_MAX	3600

static const struct lustre_params_attr lmv_attrs[] = {
	LP_TIME_FIELD("qos_maxage", struct lmv_device, lmvd_qos_maxage,
		      .unit = PARAMS_UNIT_SEC, .min = NSEC_PER_SEC,
		      .max = (u64)LMV_QOS_MAXAGE_MAX * NSEC_PER_SEC,
		      LP_DEF((u64)LMV_QOS_MAXAGE_DEFAULT * NSEC_PER_SEC),
		      .doc = "lifetime of cached free space of targets; has no effect, config logs of Lustre set it"),
};

static int lmv_desc_apply(struct obd_device *obd, struct lmv_device *lmv,
			  const struct lcfg_view *cfg, struct obd_why *why)
{
	struct lcfg_lov_desc desc;

	if (lcfg_lov_desc_decode(cfg, &desc))
		return obd_refuse(why, -EINVAL,
				  "%s: setup of an lmv needs a struct lov_desc of %zu bytes in buffer 1, not %u bytes",
				  obd->obd_name, sizeof(struct lov_desc),
				  cfg->buf[1].len);
	if (desc.magic && desc.magic != LOV_DESC_MAGIC)
		return obd_refuse(why, -EINVAL,
				  "%s: the struct lov_desc has magic %#x, neither 0 nor %#x",
				  obd->obd_name, desc.magic, LOV_DESC_MAGIC);
	strscpy(lmv->lmvd_targets.ts_desc_uuid, desc.uuid,
		sizeof(lmv->lmvd_targets.ts_desc_uuid));
	lmv->lmvd_qos_maxage = clamp_t(u64, desc.qos_maxage ?:
					   LMV_QOS_MAXAGE_DEFAULT,
				       1, LMV_QOS_MAXAGE_MAX) * NSEC_PER_SEC;
	return 0;
}

static int lmv_setup(struct obd_device *obd, const struct lcfg_view *cfg,
		     struct obd_why *why)
{
	struct lmv_device *lmv = libcfs_zalloc(sizeof(*lmv),
					       GFP_KERNEL_ACCOUNT);
	int rc;

	if (!lmv)
		return -ENOMEM;
	rc = lmv_desc_apply(obd, lmv, cfg, why);
	if (rc)
		goto free_device;
	obd_targets_init(&lmv->lmvd_targets, obd, "mdc");
	rc = params_add_attrs(obd->obd_params, lmv_attrs,
			      ARRAY_SIZE(lmv_attrs), lmv);
	if (!rc)
		rc = obd_targets_params_add(&lmv->lmvd_targets);
	if (rc)
		goto fini_targets;
	obd->obd_data = lmv;
	return 0;

fini_targets:
	obd_targets_fini(&lmv->lmvd_targets);
free_device:
	libcfs_free(lmv, sizeof(*lmv));
	return rc;
}

static int lmv_precleanup(struct obd_device *obd)
{
	obd_targets_release(&lmv_device(obd)->lmvd_targets);
	return 0;
}

static int lmv_cleanup(struct obd_device *obd)
{
	struct lmv_device *lmv = lmv_device(obd);

	obd_targets_fini(&lmv->lmvd_targets);
	obd->obd_data = NULL;
	libcfs_free(lmv, sizeof(*lmv));
	return 0;
}

static int lmv_connect(struct obd_export **exp, struct obd_device *obd,
		       const struct obd_uuid *uuid,
		       const struct lnet_nid *nid,
		       struct obd_connect_data *ocd)
{
	return obd_targets_connect(&lmv_device(obd)->lmvd_targets, exp, uuid,
				   ocd);
}

static int lmv_disconnect(struct obd_export *exp)
{
	return obd_targets_disconnect(&lmv_device(exp->exp_obd)->lmvd_targets,
				      exp);
}

static int lmv_process_config(struct obd_device *obd,
			      const struct lcfg_view *cfg, struct obd_why *why)
{
	struct obd_targets *ts = &lmv_device(obd)->lmvd_targets;
	struct obd_target_spec spec;
	int rc;

	if (cfg->command == LCFG_PARAM)
		return class_modify_config(obd, cfg, why);
	if (cfg->command != LCFG_ADD_MDC && cfg->command != LCFG_DEL_MDC)
		return obd_refuse(why, -EOPNOTSUPP,
				  "%s: unknown command %s for a device of type lmv",
				  obd->obd_name,
				  lcfg_command_name(cfg->command));
	rc = obd_target_parse(cfg, &spec, why);
	if (rc)
		return rc;
	return cfg->command == LCFG_ADD_MDC ? obd_targets_add(ts, &spec, why) :
					      obd_targets_del(ts, &spec, why);
}

static int lmv_notify(struct obd_device *obd, struct obd_device *watched,
		      enum obd_notify_event event)
{
	return obd_targets_notify(&lmv_device(obd)->lmvd_targets, watched,
				  event);
}

static int lmv_statfs(struct obd_export *exp, struct obd_statfs *st,
		      u64 max_age)
{
	return obd_targets_statfs(&lmv_device(exp->exp_obd)->lmvd_targets, st,
				  max_age);
}

static int lmv_set_info(struct obd_export *exp, const char *key,
			const void *val, u32 vallen)
{
	return obd_targets_set_info(&lmv_device(exp->exp_obd)->lmvd_targets,
				    key, val, vallen);
}

static int lmv_get_uuid(struct obd_export *exp, struct obd_uuid *uuid)
{
	const struct lmv_device *lmv = lmv_device(exp->exp_obd);

	strscpy(uuid->uuid, lmv->lmvd_targets.ts_desc_uuid,
		sizeof(uuid->uuid));
	return 0;
}

/* The target with index 0 has the root. */
static int lmv_get_root(struct obd_export *exp, struct lu_fid *fid)
{
	struct obd_targets *ts = &lmv_device(exp->exp_obd)->lmvd_targets;
	struct obd_export *first;
	u32 index = 0;
	int rc = -ENOTCONN;

	first = obd_targets_export(ts, &index);
	if (!first)
		return rc;
	if (index == 1)
		rc = md_get_root(first, fid);
	class_export_put(first);
	return rc;
}

static const struct obd_ops lmv_ops = {
	.o_owner		= THIS_MODULE,
	.o_setup		= lmv_setup,
	.o_precleanup		= lmv_precleanup,
	.o_cleanup		= lmv_cleanup,
	.o_connect		= lmv_connect,
	.o_disconnect		= lmv_disconnect,
	.o_process_config	= lmv_process_config,
	.o_set_info_async	= lmv_set_info,
	.o_notify		= lmv_notify,
	.o_statfs		= lmv_statfs,
	.o_get_uuid		= lmv_get_uuid,
};

static const struct md_ops lmv_md_ops = {
	.m_get_root	= lmv_get_root,
	.m_statfs	= lmv_statfs,
	.m_call		= lmv_call,
	.m_open		= lmv_open,
	.m_close	= lmv_close,
	.m_done		= lmv_done,
	.m_closes	= lmv_closes,
	.m_readdir	= lmv_readdir,
	.m_fid_alloc	= lmv_fid_alloc,
	.m_flock	= lmv_flock,
};

static struct obd_type lmv_type = {
	.typ_name	= "lmv",
	.typ_dt_ops	= &lmv_ops,
	.typ_md_ops	= &lmv_md_ops,
};

static int __init lmv_init(void)
{
	return class_register_type(&lmv_type);
}

/* Devices pin the module: none is left. */
static void __exit lmv_exit(void)
{
	class_unregister_type(&lmv_type);
}

module_init(lmv_init);
module_exit(lmv_exit);

MODULE_DESCRIPTION("lustre-lite: a volume of metadata targets");
MODULE_AUTHOR("lustre-lite");
MODULE_VERSION(LUSTRE_LITE_VERSION);
MODULE_LICENSE("GPL");
MODULE_ALIAS("lustre-lite-type-lmv");
MODULE_IMPORT_NS(LUSTRE_LITE);
