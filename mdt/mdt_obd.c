// SPDX-License-Identifier: GPL-2.0-only
/*
 * mdt.ko: metadata target over a directory, type mdt.
 *
 *	setup UUID INDEX [LOV [f|n [DIR]]]	uuid and index of the target; the
 *				volume of its object storage targets, which it connects
 *				to; failover or failout, which is the clients' matter;
 *				directory, where it is not the one that is mounted under the
 *				device's name
 */
#define DEBUG_SUBSYSTEM S_MDS

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/obd_class.h>
#include <lustre_lite/obd_config.h>
#include <lustre_lite/obd_export.h>
#include <lustre_lite/obd_ops.h>
#include <lustre_lite/version.h>

#include "mdt_internal.h"

/* enum setup_buf - buffers of LCFG_SETUP */
enum setup_buf {
	SETUP_UUID	= 1,
	SETUP_INDEX	= 2,
	SETUP_LOV	= 3,
	SETUP_DIRECTORY	= 5,
};

#define MDT_CONNECT_FLAGS	(OBD_CONNECT_INDEX | OBD_CONNECT_VERSION | \
				 OBD_CONNECT_BRW_SIZE | OBD_CONNECT_AT)
/* Requested flags for object storage targets. */
#define MDT_LOV_FLAGS		(OBD_CONNECT_MDS | OBD_CONNECT_VERSION | \
				 OBD_CONNECT_AT)

/* Key of get_info: a struct lu_fid; mdc asks for it. */
#define MDT_KEY_ROOT		"root_fid"

static const char *setup_arg(const struct lcfg_view *cfg, u32 n)
{
	return (n < cfg->bufcount ? lcfg_string(cfg, n) : NULL) ?: "";
}

static int mdt_index(struct mdt_device *mdt, struct obd_device *obd,
		     const struct lcfg_view *cfg, struct obd_why *why)
{
	const char *text = setup_arg(cfg, SETUP_INDEX);
	u32 *index = &mdt->mdt_dir.td_index;
	u32 named;

	if (target_dir_name_index(obd->obd_name, "MDT", &named))
		return obd_refuse(why, -EINVAL,
				  "'%s' is not the name of a metadata target; use one such as lustre-MDT0000",
				  obd->obd_name);
	if (kstrtou32(text, 10, index) || *index != named)
		return obd_refuse(why, -EINVAL,
				  "%s: index is '%.32s', expected %u",
				  obd->obd_name, text, named);
	if (strcmp(setup_arg(cfg, SETUP_UUID), obd->obd_uuid.uuid))
		return obd_refuse(why, -EINVAL,
				  "%s: uuid is '%.64s', expected %s",
				  obd->obd_name, setup_arg(cfg, SETUP_UUID),
				  obd->obd_uuid.uuid);
	return 0;
}

/* Targets that do not exist yet or do not answer are added later. */
static int mdt_lov_connect(struct mdt_device *mdt, const struct lcfg_view *cfg,
			   struct obd_why *why)
{
	struct obd_device *obd = mdt->mdt_dir.td_obd, *lov;
	struct obd_connect_data ocd = {
		.ocd_connect_flags = MDT_LOV_FLAGS,
	};
	const char *name = setup_arg(cfg, SETUP_LOV);
	int rc;

	if (!*name)
		return 0;
	lov = class_name2obd(name);
	if (!lov)
		return obd_refuse(why, -ENODEV,
				  "%s: volume '%.128s' does not exist; set it up first",
				  obd->obd_name, name);
	rc = obd_connect(&mdt->mdt_lov, lov, &obd->obd_uuid, NULL, &ocd);
	class_decref(lov, OBD_REF_LOOKUP);
	if (rc)
		return obd_refuse(why, rc, "%s: cannot connect to volume '%s'",
				  obd->obd_name, name);
	return 0;
}

static void mdt_lov_disconnect(struct mdt_device *mdt)
{
	struct obd_export *lov = mdt->mdt_lov;

	mdt->mdt_lov = NULL;
	if (lov)
		obd_disconnect(lov);
}

static int mdt_commit(struct obd_device *obd, u64 transno)
{
	return osd_commit(mdt_device(obd)->mdt_osd, transno);
}

static const struct lu_target_ops mdt_lut_ops = {
	.lto_commit	= mdt_commit,
};

/* A file system that forgets all in a power cut has no transactions. */
static int mdt_trans_init(struct mdt_device *mdt, struct obd_why *why)
{
	struct tgt_conf conf = {
		.tgc_ops = &mdt_lut_ops,
		.tgc_dir = &mdt->mdt_dir.td_path,
		.tgc_name = OSD_LAST_RCVD,
		.tgc_incompat = OBD_INCOMPAT_MDT,
		.tgc_interval = TGT_COMMIT_INTERVAL,
	};
	struct obd_device *obd = mdt->mdt_dir.td_obd;
	int rc = mdt_som_init(mdt);

	if (rc)
		return obd_refuse(why, rc, "%s: cannot read or write its incarnation at "
				  OSD_LAST_RCVD, obd->obd_name);
	if (!osd_device_durable(mdt->mdt_osd))
		return 0;
	rc = osd_committed(mdt->mdt_osd, &conf.tgc_committed);
	if (rc)
		return obd_refuse(why, rc,
				  "%s: cannot read its last transaction from " OSD_LAST_RCVD,
				  obd->obd_name);
	return tgt_init(obd, &conf, why);
}

/* The backend, and what is in memory above it. */
static int mdt_store_init(struct mdt_device *mdt, struct obd_why *why)
{
	const char *name = mdt->mdt_dir.td_obd->obd_name;
	struct osd_device *osd = osd_device_open(&mdt->mdt_dir.td_path, OSD_KIND_MDT, name, why);
	int rc;

	if (IS_ERR(osd))
		return PTR_ERR(osd);
	mdt->mdt_osd = osd;
	mutex_init(&mdt->mdt_lock);
	mdt->mdt_som_strict = true;
	mdt_opens_init(mdt);
	mdt_dirs_init(mdt);
	rc = mdt_objects_init(mdt);
	if (rc) {
		obd_refuse(why, rc, "%s: cannot find the root of its tree", name);
		goto close_osd;
	}
	rc = mdt_seq_init(mdt, why);
	if (rc)
		goto free_objects;
	rc = mdd_orphans_init(mdt);
	if (rc) {
		obd_refuse(why, rc, "%s: cannot read PENDING", name);
		goto free_orphans;
	}
	rc = mdt_scrub_init(mdt);
	if (rc)
		goto free_orphans;
	return 0;

free_orphans:
	mdd_orphans_fini(mdt);
	mdt_seq_fini(mdt);
free_objects:
	mdt_objects_fini(mdt);
close_osd:
	osd_device_close(osd);
	return rc;
}

static void mdt_store_fini(struct mdt_device *mdt)
{
	mdt_scrub_fini(mdt);
	mdt_dirs_fini(mdt);
	mdd_orphans_fini(mdt);
	mdt_opens_fini(mdt);
	mdt_seq_fini(mdt);
	mdt_objects_fini(mdt);
	osd_device_close(mdt->mdt_osd);
}

/* Above the directory of the target. */
static int mdt_parts_init(struct mdt_device *mdt, const struct lcfg_view *cfg,
			  struct obd_why *why)
{
	int rc = mdt_params_init(mdt);

	if (rc)
		return rc;
	rc = mdt_store_init(mdt, why);
	if (rc)
		goto free_params;
	rc = mdt_lov_connect(mdt, cfg, why);
	if (rc)
		goto free_store;
	rc = lod_init(mdt);
	if (rc)
		goto disconnect_lov;
	rc = mdt_trans_init(mdt, why);
	if (rc)
		goto free_lod;
	return 0;

free_lod:
	lod_stop(mdt);
	lod_fini(mdt);
disconnect_lov:
	mdt_lov_disconnect(mdt);
free_store:
	mdt_store_fini(mdt);
free_params:
	mdt_params_fini(mdt);
	return rc;
}

/* The volume is disconnected. */
static void mdt_parts_fini(struct mdt_device *mdt)
{
	lod_stop(mdt);
	tgt_fini(mdt->mdt_dir.td_obd);
	lod_fini(mdt);
	mdt_store_fini(mdt);
	mdt_ident_fini(mdt);
	mdt_params_fini(mdt);
}

static int mdt_build(struct mdt_device *mdt, struct obd_device *obd,
		     const struct lcfg_view *cfg, struct obd_why *why)
{
	int rc = target_dir_setup(&mdt->mdt_dir, obd, cfg, SETUP_DIRECTORY,
				  why);

	if (rc)
		return rc;
	rc = mdt_parts_init(mdt, cfg, why);
	if (rc)
		goto cleanup_dir;
	rc = ptlrpc_target_start(obd, why);
	if (rc)
		goto cleanup_parts;
	return 0;

cleanup_parts:
	mdt_lov_disconnect(mdt);
	mdt_parts_fini(mdt);
cleanup_dir:
	target_dir_cleanup(&mdt->mdt_dir);
	return rc;
}

static int mdt_setup(struct obd_device *obd, const struct lcfg_view *cfg,
		     struct obd_why *why)
{
	struct mdt_device *mdt = libcfs_zalloc(sizeof(*mdt),
					       GFP_KERNEL_ACCOUNT);
	int rc;

	if (!mdt)
		return -ENOMEM;
	mdt->mdt_dir.td_flags = MDT_CONNECT_FLAGS;
	obd->obd_data = mdt;
	rc = mdt_index(mdt, obd, cfg, why) ?: mdt_build(mdt, obd, cfg, why);
	if (rc) {
		obd->obd_data = NULL;
		libcfs_free(mdt, sizeof(*mdt));
	}
	return rc;
}

static int mdt_precleanup(struct obd_device *obd)
{
	ptlrpc_target_stop(obd);
	mdt_scrub_stop(obd->obd_data);
	mdt_lov_disconnect(obd->obd_data);
	return 0;
}

static int mdt_cleanup(struct obd_device *obd)
{
	struct mdt_device *mdt = obd->obd_data;

	mdt_parts_fini(mdt);
	target_dir_cleanup(&mdt->mdt_dir);
	obd->obd_data = NULL;
	libcfs_free(mdt, sizeof(*mdt));
	return 0;
}

/* The last reference on the export was dropped. */
static void mdt_export_destroy(struct obd_export *exp)
{
	struct mdt_export *me = exp->exp_data;

	mdt_dirs_drop(mdt_device(exp->exp_obd), me);
	mdt_opens_drop(mdt_device(exp->exp_obd), me);
	libcfs_free(me, sizeof(*me));
}

static int mdt_export_init(struct obd_export *exp)
{
	struct mdt_export *me = libcfs_zalloc(sizeof(*me), GFP_KERNEL_ACCOUNT);

	if (!me)
		return -ENOMEM;
	me->me_exp = exp;
	INIT_LIST_HEAD(&me->me_opens);
	/* Its open_files may be read already. */
	smp_store_release(&exp->exp_data, me);
	exp->exp_destroy = mdt_export_destroy;
	return 0;
}

static int mdt_connect(struct obd_export **exp, struct obd_device *obd,
		       const struct obd_uuid *uuid, const struct lnet_nid *nid,
		       struct obd_connect_data *ocd)
{
	struct obd_export *new;
	int rc = target_dir_connect(&new, obd, uuid, nid, ocd);

	if (rc)
		return rc;
	rc = mdt_export_init(new);
	if (rc) {
		class_disconnect(new);
		return rc;
	}
	*exp = new;
	return 0;
}

static int mdt_get_root(struct obd_export *exp, struct lu_fid *fid)
{
	*fid = mdt_device(exp->exp_obd)->mdt_root->mo_lu.lo_fid;
	return 0;
}

static int mdt_get_info(struct obd_export *exp, const char *key, void *val,
			u32 *vallen)
{
	u32 space = *vallen;

	if (strcmp(key, MDT_KEY_ROOT))
		return -EOPNOTSUPP;
	*vallen = sizeof(struct lu_fid);
	if (space < sizeof(struct lu_fid))
		return -EOVERFLOW;
	return mdt_get_root(exp, val);
}

static int mdt_statfs(struct obd_export *exp, struct obd_statfs *st, u64 max_age)
{
	u64 start = ktime_get_ns();
	int rc = target_dir_statfs(exp, st, max_age);

	if (!rc)
		mdt_stats_statfs(exp, ktime_get_ns() - start);
	return rc;
}

static const struct obd_ops mdt_ops = {
	.o_owner		= THIS_MODULE,
	.o_setup		= mdt_setup,
	.o_precleanup		= mdt_precleanup,
	.o_cleanup		= mdt_cleanup,
	.o_connect		= mdt_connect,
	.o_reconnect		= target_dir_reconnect,
	.o_disconnect		= class_disconnect,
	.o_process_config	= class_process_param,
	.o_get_info		= mdt_get_info,
	.o_health_check		= target_dir_health_check,
	.o_statfs		= mdt_statfs,
	.o_get_uuid		= target_dir_get_uuid,
};

static const struct md_ops mdt_md_ops = {
	.m_get_root	= mdt_get_root,
	.m_statfs	= mdt_statfs,
};

static struct obd_type mdt_type = {
	.typ_name	= "mdt",
	.typ_dt_ops	= &mdt_ops,
	.typ_md_ops	= &mdt_md_ops,
	.typ_target	= &mdt_target_ops,
};

static int __init mdt_init(void)
{
	int rc = lod_module_init();

	if (rc)
		return rc;
	rc = mdt_scrub_module_init();
	if (rc)
		goto exit_lod;
	rc = class_register_type(&mdt_type);
	if (rc)
		goto exit_scrub;
	return 0;

exit_scrub:
	mdt_scrub_module_exit();
exit_lod:
	lod_module_exit();
	return rc;
}

/* Devices pin the module: none is left. */
static void __exit mdt_exit(void)
{
	class_unregister_type(&mdt_type);
	mdt_scrub_module_exit();
	lod_module_exit();
}

module_init(mdt_init);
module_exit(mdt_exit);

MODULE_DESCRIPTION("lustre-lite: metadata target");
MODULE_AUTHOR("lustre-lite");
MODULE_VERSION(LUSTRE_LITE_VERSION);
MODULE_LICENSE("GPL");
MODULE_ALIAS("lustre-lite-type-mdt");
MODULE_IMPORT_NS(LUSTRE_LITE);
