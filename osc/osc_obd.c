// SPDX-License-Identifier: GPL-2.0-only
/*
 * osc.ko: client of an object storage target.
 *
 *	setup TARGET SERVER	uuid of the target, name of a server
 */
#define DEBUG_SUBSYSTEM S_OSC

#include <linux/kernel.h>
#include <linux/module.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/lustre_dlm.h>
#include <lustre_lite/obd_config.h>
#include <lustre_lite/obd_ops.h>
#include <lustre_lite/params.h>
#include <lustre_lite/version.h>

#include "osc_internal.h"

#define OSC_RESENDS_DEFAULT	10
#define OSC_IDLE_DEFAULT	(20ULL * NSEC_PER_SEC)
#define OSC_IDLE_MAX		(86400ULL * NSEC_PER_SEC)
#define OSC_CONTENTION_DEFAULT	(2ULL * NSEC_PER_SEC)

static int idle_get(void *data, s64 *val)
{
	const struct osc_device *osc = data;

	*val = READ_ONCE(osc->osc_cli.cl_import->imp_idle_ns);
	return 0;
}

static int idle_set(void *data, s64 val)
{
	struct osc_device *osc = data;

	WRITE_ONCE(osc->osc_cli.cl_import->imp_idle_ns, val);
	return 0;
}

static int unstable_read(struct params_sink *sink, void *data)
{
	const struct osc_device *osc = data;
	u64 bytes = atomic64_read(&osc->osc_unstable->ou_bytes);

	params_put_strf(sink, NULL, "unstable_pages: %12llu", bytes >> PAGE_SHIFT);
	params_put_strf(sink, NULL, "unstable_mb:        %8llu", bytes >> 20);
	return params_sink_error(sink);
}

static struct ost_grant_sums sums_of(void *data)
{
	const struct osc_device *osc = data;

	return ost_grant_sums(osc->osc_grant);
}

static int cur_dirty_get(void *data, u64 *val)
{
	*val = sums_of(data).dirty / OST_GRANT_PAGE * PAGE_SIZE;
	return 0;
}

static int cur_dirty_grant_get(void *data, u64 *val)
{
	struct ost_grant_sums sums = sums_of(data);

	*val = sums.dirty + sums.sent;
	return 0;
}

static int cur_grant_get(void *data, u64 *val)
{
	struct ost_grant_sums sums = sums_of(data);

	*val = max_t(s64, ost_grant_available(&sums), 0);
	return 0;
}

static const struct lustre_params_attr osc_attrs[] = {
	LP_U64_RO("cur_dirty_bytes", cur_dirty_get, .unit = PARAMS_UNIT_BYTES,
		  .doc = "bytes in pages that are written later, and have grant"),
	LP_U64_RO("cur_dirty_grant_bytes", cur_dirty_grant_get, .unit = PARAMS_UNIT_BYTES,
		  .doc = "grant of these pages, and of writes under way"),
	LP_U64_RO("cur_grant_bytes", cur_grant_get, .unit = PARAMS_UNIT_BYTES,
		  .doc = "grant of the target that more pages may use"),
	LP_READER("unstable_stats", unstable_read,
		  .doc = "written data that the target has answered, and not on disk yet"),
	LP_READER_RW("rpc_stats", osc_stats_read, osc_stats_write, .not_setting = 1,
		     .doc = "sizes, numbers and times of reads and writes; writing \"clear\" or 0 resets them"),
	LP_U32_FIELD("resend_count", struct osc_device, osc_resend_count,
		     .max = 1000, LP_DEF(OSC_RESENDS_DEFAULT),
		     .doc = "most resends of a request after an error; has no effect, config logs of Lustre set it"),
	LP_TIME_RW("idle_timeout", idle_get, idle_set, .unit = PARAMS_UNIT_SEC,
		   .max = OSC_IDLE_MAX, LP_DEF(OSC_IDLE_DEFAULT),
		   .doc = "idle time after which the connection is closed until it is needed, 0: never"),
	LP_TIME_FIELD("contention_seconds", struct osc_device, osc_contention,
		      .unit = PARAMS_UNIT_SEC, .max = OSC_IDLE_MAX,
		      LP_DEF(OSC_CONTENTION_DEFAULT),
		      .doc = "time to use a contended object without locks; has no effect, config logs of Lustre set it"),
	LP_BOOL_FIELD("lockless_truncate", struct osc_device,
		      osc_lockless_truncate, LP_DEF(0),
		      .doc = "truncate without a lock of the client's own; has no effect, config logs of Lustre set it"),
};

static int osc_params_add(struct obd_device *obd, struct osc_device *osc)
{
	int rc = client_io_params_add(obd->obd_params, &osc->osc_io, true);

	return rc ?: params_add_attrs(obd->obd_params, osc_attrs,
				      ARRAY_SIZE(osc_attrs), osc);
}

static void osc_free(struct osc_device *osc)
{
	osc_stats_put(osc->osc_stats);
	osc_unstable_put(osc->osc_unstable);
	ost_grant_put(osc->osc_grant);
	libcfs_free(osc, sizeof(*osc));
}

static struct osc_device *osc_alloc(void)
{
	struct osc_device *osc = libcfs_zalloc(sizeof(*osc),
					       GFP_KERNEL_ACCOUNT);

	if (!osc)
		return NULL;
	osc->osc_unstable = osc_unstable_new();
	if (!osc->osc_unstable) {
		libcfs_free(osc, sizeof(*osc));
		return NULL;
	}
	osc->osc_stats = osc_stats_new();
	if (!osc->osc_stats || osc_grant_init(osc)) {
		osc_free(osc);
		return NULL;
	}
	client_io_init(&osc->osc_io);
	osc->osc_resend_count = OSC_RESENDS_DEFAULT;
	osc->osc_contention = OSC_CONTENTION_DEFAULT;
	return osc;
}

static int osc_setup(struct obd_device *obd, const struct lcfg_view *cfg,
		     struct obd_why *why)
{
	struct osc_device *osc = osc_alloc();
	int rc;

	if (!osc)
		return -ENOMEM;
	obd->obd_data = osc;
	rc = ldlm_client_setup(obd, &osc->osc_cli, cfg, why);
	if (rc)
		goto free_device;
	osc->osc_cli.cl_import->imp_idle_ns = OSC_IDLE_DEFAULT;
	rc = osc_params_add(obd, osc);
	if (rc)
		goto cleanup_client;
	osc_grant_start(osc);
	return 0;

cleanup_client:
	client_obd_precleanup(obd);
	ldlm_client_cleanup(obd);
free_device:
	obd->obd_data = NULL;
	osc_free(osc);
	return rc;
}

static int osc_precleanup(struct obd_device *obd)
{
	int rc = client_obd_precleanup(obd);

	osc_grant_stop(osc_device(obd));
	return rc;
}

static int osc_cleanup(struct obd_device *obd)
{
	struct osc_device *osc = osc_device(obd);

	ldlm_client_cleanup(obd);
	obd->obd_data = NULL;
	osc_free(osc);
	return 0;
}

/* A metadata target writes nothing. */
static int osc_connect(struct obd_export **exp, struct obd_device *obd,
		       const struct obd_uuid *uuid, const struct lnet_nid *nid,
		       struct obd_connect_data *ocd)
{
	if (ocd && !(ocd->ocd_connect_flags & OBD_CONNECT_MDS)) {
		ocd->ocd_connect_flags |= OBD_CONNECT_GRANT | OBD_CONNECT_CKSUM |
					  OBD_CONNECT_BRW_SIZE;
		ocd->ocd_cksum_types = OBD_CKSUM_CRC32C;
		ocd->ocd_brw_size = WIRE_BULK_MAX;
	}
	return client_connect_import(exp, obd, uuid, nid, ocd);
}

static int osc_import_event(struct obd_device *obd, struct obd_import *imp,
			    enum obd_import_event event)
{
	if (event == IMP_EVENT_OCD)
		client_io_granted(&osc_device(obd)->osc_io, imp);
	return 0;
}

/* A setting of its mount, or a key of the target. */
static int osc_set_info(struct obd_export *exp, const char *key, const void *val, u32 vallen)
{
	struct osc_device *osc = osc_device(exp->exp_obd);
	bool on;
	int rc;

	if (strcmp(key, KEY_CHECKSUM))
		return client_set_info(exp, key, val, vallen);
	rc = client_checksum_value(val, vallen, &on);
	if (!rc)
		WRITE_ONCE(osc->osc_io.cio_checksums, on);
	return rc;
}

static const struct obd_ops osc_ops = {
	.o_owner		= THIS_MODULE,
	.o_setup		= osc_setup,
	.o_precleanup		= osc_precleanup,
	.o_cleanup		= osc_cleanup,
	.o_connect		= osc_connect,
	.o_disconnect		= client_disconnect_export,
	.o_add_conn		= client_import_add_conn,
	.o_del_conn		= client_import_del_conn,
	.o_process_config	= class_process_param,
	.o_get_info		= client_get_info,
	.o_set_info_async	= osc_set_info,
	.o_import_event		= osc_import_event,
	.o_health_check		= client_health_check,
	.o_statfs		= client_statfs,
	.o_get_uuid		= client_get_uuid,
};

static const struct ost_ops osc_ost_ops = {
	.t_request	= osc_request,
	.t_reply	= osc_reply,
	.t_call		= osc_call,
	.t_settle	= osc_settle,
	.t_rpc_bytes	= osc_rpc_bytes,
	.t_grant	= osc_grant,
	.t_grant_ask	= osc_grant_ask,
};

static struct obd_type osc_type = {
	.typ_name	= "osc",
	.typ_dt_ops	= &osc_ops,
	.typ_ost_ops	= &osc_ost_ops,
	.typ_import	= &client_import_ops,
	.typ_service	= OBD_SERVICE_OST,
};

static int __init osc_init(void)
{
	return class_register_type(&osc_type);
}

/* Devices pin the module: none is left. */
static void __exit osc_exit(void)
{
	class_unregister_type(&osc_type);
}

module_init(osc_init);
module_exit(osc_exit);

MODULE_DESCRIPTION("lustre-lite: client of an object storage target");
MODULE_AUTHOR("lustre-lite");
MODULE_VERSION(LUSTRE_LITE_VERSION);
MODULE_LICENSE("GPL");
MODULE_ALIAS("lustre-lite-type-osc");
MODULE_IMPORT_NS(LUSTRE_LITE);
