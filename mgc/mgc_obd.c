// SPDX-License-Identifier: GPL-2.0-only
/*
 * mgc.ko: management client. It keeps the configuration of this node up to date with a
 * management service.
 *
 * A device of type mgc: setup, cleanup, events of its import.
 *
 *	setup TARGET SERVER	uuid of the service, name of a server
 *
 * The works of its logs do not use the gate of the device. Precleanup ends the
 * import, which ends them, and waits for them.
 */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/module.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/version.h>

#include "mgc_internal.h"

/* Delay until the first connect is retried: initially, and at most. */
#define CONNECT_RETRY_MS	500
#define CONNECT_RETRY_MAX_MS	4000

/* All devices that are set up. */
LIST_HEAD(mgc_devices);
/* Guards mgc_devices. A mg_lock may be taken inside. */
DEFINE_SPINLOCK(mgc_devices_lock);

/**
 * mgc_is_full() - whether the service is connected
 * @mg: device
 *
 * Context: any
 * Return: true if its import is FULL
 */
bool mgc_is_full(const struct mgc_device *mg)
{
	return READ_ONCE(mg->mg_cli.cl_import->imp_state) == LUSTRE_IMP_FULL;
}

/**
 * mgc_wait_full() - wait for the service
 * @mg: device
 * @seconds: at most
 * @why: out: reason of a failure
 *
 * Context: sleeps
 * Return: 0; -EINTR when killed; -ENOTCONN
 */
int mgc_wait_full(struct mgc_device *mg, unsigned int seconds,
		  struct obd_why *why)
{
	long left = wait_event_killable_timeout(mg->mg_wait, mgc_is_full(mg) ||
						READ_ONCE(mg->mg_stopping),
						seconds * HZ);

	if (mgc_is_full(mg))
		return 0;
	if (left < 0)
		return obd_refuse(why, -EINTR, "%s: interrupted",
				  mg->mg_obd->obd_name);
	if (READ_ONCE(mg->mg_stopping))
		return obd_refuse(why, -ENOTCONN, "%s: is being cleaned up", mg->mg_obd->obd_name);
	return obd_refuse(why, -ENOTCONN,
			  "%s: no management service answered within %u s",
			  mg->mg_obd->obd_name, seconds);
}

static int device_connect(struct mgc_device *mg)
{
	struct obd_connect_data ocd = {
		.ocd_connect_flags = OBD_CONNECT_AT | OBD_CONNECT_IMP_RECOV,
	};
	struct obd_export *exp;
	int rc = obd_connect(&exp, mg->mg_obd, &mg->mg_obd->obd_uuid, NULL,
			     &ocd);

	if (rc)
		return rc;
	spin_lock(&mg->mg_lock);
	if (!mg->mg_exp && !mg->mg_stopping) {
		mg->mg_exp = exp;
		exp = NULL;
	}
	spin_unlock(&mg->mg_lock);
	if (exp)
		obd_disconnect(exp);
	return 0;
}

static void connect_later(struct mgc_device *mg, unsigned int ms)
{
	spin_lock(&mg->mg_lock);
	if (!mg->mg_stopping && !mg->mg_exp)
		mod_delayed_work(mg->mg_wq, &mg->mg_connect,
				 msecs_to_jiffies(ms));
	spin_unlock(&mg->mg_lock);
}

/*
 * Runs until the first success; later reconnects are ptlrpc's. Tasks that need
 * the service wait for the import.
 */
static void connect_work(struct work_struct *work)
{
	struct mgc_device *mg = container_of(to_delayed_work(work),
					     struct mgc_device, mg_connect);
	u32 tries = READ_ONCE(mg->mg_cli.cl_import->imp_conn_cnt);
	int rc = device_connect(mg);

	if (!rc)
		return;
	CDEBUG(D_HA, "%s: cannot connect yet: rc = %d\n", mg->mg_obd->obd_name,
	       rc);
	connect_later(mg, min_t(u32, CONNECT_RETRY_MS << min_t(u32, tries, 8),
				CONNECT_RETRY_MAX_MS));
}

/* Start to connect. */
void mgc_connect(struct mgc_device *mg)
{
	connect_later(mg, 0);
}

static void device_free(struct mgc_device *mg)
{
	if (mg->mg_wq)
		destroy_workqueue(mg->mg_wq);
	libcfs_free(mg, sizeof(*mg));
}

static struct mgc_device *device_alloc(struct obd_device *obd)
{
	struct mgc_device *mg = libcfs_zalloc(sizeof(*mg), GFP_KERNEL_ACCOUNT);

	if (!mg)
		return NULL;
	mg->mg_obd = obd;
	spin_lock_init(&mg->mg_lock);
	INIT_LIST_HEAD(&mg->mg_item);
	INIT_LIST_HEAD(&mg->mg_logs);
	INIT_DELAYED_WORK(&mg->mg_connect, connect_work);
	init_waitqueue_head(&mg->mg_wait);
	mg->mg_wq = alloc_workqueue("mgc", WQ_UNBOUND, WQ_MAX_ACTIVE);
	if (mg->mg_wq)
		return mg;
	device_free(mg);
	return NULL;
}

static int mgc_setup(struct obd_device *obd, const struct lcfg_view *cfg,
		     struct obd_why *why)
{
	struct mgc_device *mg = device_alloc(obd);
	int rc;

	if (!mg)
		return -ENOMEM;
	obd->obd_data = mg;
	rc = ldlm_client_setup(obd, &mg->mg_cli, cfg, why);
	if (rc)
		goto free_device;
	rc = mgc_params_add(obd, mg);
	if (rc)
		goto cleanup_client;
	spin_lock(&mgc_devices_lock);
	list_add_tail(&mg->mg_item, &mgc_devices);
	spin_unlock(&mgc_devices_lock);
	return 0;

cleanup_client:
	client_obd_precleanup(obd);
	ldlm_client_cleanup(obd);
free_device:
	obd->obd_data = NULL;
	device_free(mg);
	return rc;
}

/* Afterwards the device cannot be reached, and sends no events. */
static void device_stop(struct mgc_device *mg)
{
	spin_lock(&mg->mg_lock);
	mg->mg_stopping = true;
	spin_unlock(&mg->mg_lock);
	cancel_delayed_work_sync(&mg->mg_connect);
	wake_up_all(&mg->mg_wait);
}

/**
 * mgc_abort() - end all waits for the service, for good
 * @mg: device, set up
 *
 * Context: sleeps, for as long as a disconnect from the service takes
 */
void mgc_abort(struct mgc_device *mg)
{
	struct obd_export *exp;

	import_set_active(mg->mg_cli.cl_import, false, NULL);
	device_stop(mg);
	spin_lock(&mg->mg_lock);
	exp = mg->mg_exp;
	mg->mg_exp = NULL;
	spin_unlock(&mg->mg_lock);
	if (exp)
		obd_disconnect(exp);
}

static struct mgc_log *first_log(struct mgc_device *mg)
{
	u64 seq = 0;

	return mgc_log_next(mg, &seq);
}

/* A cleanup by hand ends the logs that are still followed. */
static void stop_logs(struct mgc_device *mg)
{
	struct mgc_log *log;

	while ((log = first_log(mg))) {
		CWARN("%s: log %s is no longer followed: the device is being cleaned up\n",
		      mg->mg_obd->obd_name, log->ml_name);
		mgc_log_stop(log);
		mgc_log_put(log);
	}
}

/*
 * The connection of the self export counts as one of the device's, and ends by
 * itself.
 */
static int mgc_precleanup(struct obd_device *obd)
{
	struct mgc_device *mg = mgc_device(obd);

	spin_lock(&mgc_devices_lock);
	list_del_init(&mg->mg_item);
	spin_unlock(&mgc_devices_lock);
	client_obd_precleanup(obd);
	device_stop(mg);
	stop_logs(mg);
	flush_workqueue(mg->mg_wq);
	if (mg->mg_exp)
		class_export_put(mg->mg_exp);
	mg->mg_exp = NULL;
	return 0;
}

static int mgc_cleanup(struct obd_device *obd)
{
	struct mgc_device *mg = mgc_device(obd);

	ldlm_client_cleanup(obd);
	obd->obd_data = NULL;
	device_free(mg);
	return 0;
}

/* Retry failed reads at once. */
static void wake_logs(struct mgc_device *mg)
{
	struct mgc_log *log;
	u64 seq = 0;

	while ((log = mgc_log_next(mg, &seq))) {
		mgc_follow_wake(log);
		mgc_log_put(log);
	}
}

static int mgc_import_event(struct obd_device *obd, struct obd_import *imp,
			    enum obd_import_event event)
{
	struct mgc_device *mg = mgc_device(obd);

	if (event == IMP_EVENT_ACTIVE) {
		connect_later(mg, 0);
		wake_logs(mg);
		mgc_deferred_wake(mg);
	}
	if (event == IMP_EVENT_INVALIDATE)
		mgc_deferred_lost(mg);
	wake_up_all(&mg->mg_wait);
	return 0;
}

static int mgc_process_config(struct obd_device *obd,
			      const struct lcfg_view *cfg, struct obd_why *why)
{
	if (cfg->command == LCFG_PARAM)
		return class_modify_config(obd, cfg, why);
	return obd_refuse(why, -EOPNOTSUPP, "%s: %s is not a command of type mgc",
			  obd->obd_name, lcfg_command_name(cfg->command));
}

static const struct obd_ops mgc_ops = {
	.o_owner		= THIS_MODULE,
	.o_setup		= mgc_setup,
	.o_precleanup		= mgc_precleanup,
	.o_cleanup		= mgc_cleanup,
	.o_connect		= client_connect_import,
	.o_disconnect		= client_disconnect_export,
	.o_add_conn		= client_import_add_conn,
	.o_del_conn		= client_import_del_conn,
	.o_process_config	= mgc_process_config,
	.o_set_info_async	= client_set_info,
	.o_import_event		= mgc_import_event,
	.o_health_check		= client_health_check,
	.o_get_uuid		= client_get_uuid,
};

static struct obd_type mgc_type = {
	.typ_name	= "mgc",
	.typ_dt_ops	= &mgc_ops,
	.typ_import	= &client_import_ops,
	.typ_service	= OBD_SERVICE_MGS,
};

static int __init mgc_init(void)
{
	return class_register_type(&mgc_type);
}

/* Devices pin the module: none is left. */
static void __exit mgc_exit(void)
{
	class_unregister_type(&mgc_type);
}

module_init(mgc_init);
module_exit(mgc_exit);

MODULE_DESCRIPTION("lustre-lite: management client");
MODULE_AUTHOR("lustre-lite");
MODULE_VERSION(LUSTRE_LITE_VERSION);
MODULE_LICENSE("GPL");
MODULE_ALIAS("lustre-lite-type-mgc");
MODULE_IMPORT_NS(LUSTRE_LITE);
