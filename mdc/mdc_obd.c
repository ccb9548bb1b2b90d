// SPDX-License-Identifier: GPL-2.0-only
/*
 * mdc.ko: client of a metadata target.
 *
 *	setup TARGET SERVER	uuid of the target, name of a server
 */
#define DEBUG_SUBSYSTEM S_MDC

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sizes.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/lustre_dlm.h>
#include <lustre_lite/obd_config.h>
#include <lustre_lite/obd_ops.h>
#include <lustre_lite/params.h>
#include <lustre_lite/version.h>

#include "mdc_internal.h"

/* Key of get_info, answered with a struct lu_fid. */
#define MDC_KEY_ROOT		"root_fid"

#define MDC_MOD_RPCS_DEFAULT	7
#define MDC_MOD_RPCS_MAX	255
#define MDC_DOM_REPLY_DEFAULT	SZ_8K
#define MDC_DOM_REPLY_MAX	SZ_128K

static int mod_rpcs_get(void *data, u64 *val)
{
	const struct mdc_device *mdc = data;

	*val = READ_ONCE(mdc->mdc_max_mod_rpcs);
	return 0;
}

/* One slot is reserved for requests that modify nothing. */
static int mod_rpcs_set(void *data, u64 val)
{
	struct mdc_device *mdc = data;
	u32 all = READ_ONCE(mdc->mdc_cli.cl_max_rpcs_in_flight);

	if (val >= all) {
		CERROR("%s: max_mod_rpcs_in_flight=%llu must be below max_rpcs_in_flight=%u; raise that first: rc = %d\n",
		       mdc->mdc_cli.cl_obd->obd_name, val, all, -ERANGE);
		return -ERANGE;
	}
	mdc_mods_set(mdc, val);
	return 0;
}

static const char * const on_off[] = { "off", "on", NULL };

static const struct lustre_params_attr mdc_attrs[] = {
	LP_U32_RW("max_mod_rpcs_in_flight", mod_rpcs_get, mod_rpcs_set,
		  .min = 1, .max = MDC_MOD_RPCS_MAX,
		  LP_DEF(MDC_MOD_RPCS_DEFAULT),
		  .doc = "changes of this client that wait for an answer, below max_rpcs_in_flight"),
	LP_BYTES_FIELD("mdc_dom_min_repsize", struct mdc_device, mdc_dom_reply,
		       .unit = PARAMS_UNIT_BYTES, .max = MDC_DOM_REPLY_MAX,
		       LP_DEF(MDC_DOM_REPLY_DEFAULT),
		       .doc = "buffer for data of the file in the reply to an open; has no effect, config logs of Lustre set it"),
	__LP_FIELD("mdc_lsom", ENUM, struct mdc_device, mdc_lsom,
		   .names = on_off, LP_DEF(1),
		   .doc = "report the size of a file to the target on close; off: the size is asked of its objects"),
};

static int mdc_params_add(struct obd_device *obd, struct mdc_device *mdc)
{
	int rc = client_io_params_add(obd->obd_params, &mdc->mdc_io, false);

	return rc ?: params_add_attrs(obd->obd_params, mdc_attrs,
				      ARRAY_SIZE(mdc_attrs), mdc);
}

static struct mdc_device *mdc_alloc(void)
{
	struct mdc_device *mdc = libcfs_zalloc(sizeof(*mdc),
					       GFP_KERNEL_ACCOUNT);

	if (!mdc)
		return NULL;
	client_io_init(&mdc->mdc_io);
	mdc->mdc_max_mod_rpcs = MDC_MOD_RPCS_DEFAULT;
	mdc->mdc_dom_reply = MDC_DOM_REPLY_DEFAULT;
	mdc->mdc_lsom = 1;
	spin_lock_init(&mdc->mdc_mod_lock);
	INIT_LIST_HEAD(&mdc->mdc_mod_waiting);
	mdc_seq_init(&mdc->mdc_seq);
	mdc_closes_init(mdc);
	return mdc;
}

static int mdc_setup(struct obd_device *obd, const struct lcfg_view *cfg,
		     struct obd_why *why)
{
	struct mdc_device *mdc = mdc_alloc();
	int rc;

	if (!mdc)
		return -ENOMEM;
	obd->obd_data = mdc;
	rc = ldlm_client_setup(obd, &mdc->mdc_cli, cfg, why);
	if (rc)
		goto free_device;
	rc = mdc_params_add(obd, mdc);
	if (rc)
		goto cleanup_client;
	return 0;

cleanup_client:
	client_obd_precleanup(obd);
	ldlm_client_cleanup(obd);
free_device:
	obd->obd_data = NULL;
	libcfs_free(mdc, sizeof(*mdc));
	return rc;
}

static int mdc_cleanup(struct obd_device *obd)
{
	struct mdc_device *mdc = mdc_device(obd);

	mdc_closes_fini(mdc);
	ldlm_client_cleanup(obd);
	obd->obd_data = NULL;
	libcfs_free(mdc, sizeof(*mdc));
	return 0;
}

static int mdc_import_event(struct obd_device *obd, struct obd_import *imp,
			    enum obd_import_event event)
{
	if (event == IMP_EVENT_OCD)
		client_io_granted(&mdc_device(obd)->mdc_io, imp);
	else if (event == IMP_EVENT_INVALIDATE)
		mdc_seq_flush(&mdc_device(obd)->mdc_seq);
	return 0;
}

static int mdc_get_root(struct obd_export *exp, struct lu_fid *fid)
{
	u32 len = sizeof(*fid);
	int rc = client_get_info(exp, MDC_KEY_ROOT, fid, &len);

	if (!rc && len != sizeof(*fid))
		rc = -EPROTO;
	return rc;
}

static const struct obd_ops mdc_ops = {
	.o_owner		= THIS_MODULE,
	.o_setup		= mdc_setup,
	.o_precleanup		= client_obd_precleanup,
	.o_cleanup		= mdc_cleanup,
	.o_connect		= client_connect_import,
	.o_disconnect		= client_disconnect_export,
	.o_add_conn		= client_import_add_conn,
	.o_del_conn		= client_import_del_conn,
	.o_process_config	= class_process_param,
	.o_get_info		= client_get_info,
	.o_set_info_async	= client_set_info,
	.o_import_event		= mdc_import_event,
	.o_health_check		= client_health_check,
	.o_statfs		= client_statfs,
	.o_get_uuid		= client_get_uuid,
};

static const struct md_ops mdc_md_ops = {
	.m_get_root	= mdc_get_root,
	.m_statfs	= client_statfs,
	.m_call		= mdc_call,
	.m_open		= mdc_open,
	.m_close	= mdc_close,
	.m_done		= mdc_done,
	.m_lost		= mdc_lost,
	.m_closes	= mdc_closes,
	.m_readdir	= mdc_readdir,
	.m_fid_alloc	= mdc_fid_alloc,
	.m_flock	= mdc_flock,
};

static struct obd_type mdc_type = {
	.typ_name	= "mdc",
	.typ_dt_ops	= &mdc_ops,
	.typ_md_ops	= &mdc_md_ops,
	.typ_import	= &client_import_ops,
	.typ_service	= OBD_SERVICE_MDS,
};

static int __init mdc_init(void)
{
	return class_register_type(&mdc_type);
}

/* Devices pin the module: none is left. */
static void __exit mdc_exit(void)
{
	class_unregister_type(&mdc_type);
}

module_init(mdc_init);
module_exit(mdc_exit);

MODULE_DESCRIPTION("lustre-lite: client of a metadata target");
MODULE_AUTHOR("lustre-lite");
MODULE_VERSION(LUSTRE_LITE_VERSION);
MODULE_LICENSE("GPL");
MODULE_ALIAS("lustre-lite-type-mdc");
MODULE_IMPORT_NS(LUSTRE_LITE);
