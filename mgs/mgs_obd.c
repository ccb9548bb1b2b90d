// SPDX-License-Identifier: GPL-2.0-only
/*
 * Device type mgs: setup and cleanup of the service, connections of its clients.
 *
 *	attach mgs MGS MGS
 *	setup [DIRECTORY]	directory of the service; default: that of the target
 *				mounted under the name of the device
 *
 * A network namespace has one service, and a directory belongs to one.
 */
#define DEBUG_SUBSYSTEM S_MGS

#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/string.h>
#include <net/net_namespace.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_config.h>
#include <lustre_lite/obd_mount.h>
#include <lustre_lite/version.h>

#include "mgs_internal.h"

/* Buffer of LCFG_SETUP. */
#define SETUP_DIRECTORY		1

/* Connect flags that are granted. */
#define MGS_CONNECT_FLAGS	(OBD_CONNECT_VERSION | OBD_CONNECT_AT)
/* Version of the protocol, 0.1.0, as in ocd_version. */
#define MGS_VERSION		(1 << 16)

#define NOTIFY_FIRST_DEFAULT	256
#define NOTIFY_RATE_DEFAULT	2000
#define TRIAL_WAIT_DEFAULT	(5 * NSEC_PER_SEC)

/* Guards the list of services, from the start of setup to the end of cleanup. */
static DEFINE_MUTEX(services_lock);
static LIST_HEAD(services);

/* Take a reference on the memory of a service. Return: @md */
struct mgs_device *mgs_device_get(struct mgs_device *md)
{
	refcount_inc(&md->md_refs);
	return md;
}

void mgs_device_put(struct mgs_device *md)
{
	if (refcount_dec_and_test(&md->md_refs))
		libcfs_free(md, sizeof(*md));
}

/*
 * The service of a network namespace.
 * Return: device, inside its gate, for mgs_find_done(); NULL
 */
struct obd_device *mgs_find(const struct net *net)
{
	struct obd_device *obd = NULL;
	struct mgs_device *md;

	mutex_lock(&services_lock);
	list_for_each_entry(md, &services, md_item) {
		if (net_eq(md->md_obd->obd_net, net)) {
			obd = md->md_obd;
			class_incref(obd, OBD_REF_LOOKUP);
			break;
		}
	}
	mutex_unlock(&services_lock);
	if (obd && !obd_op_enter(obd)) {
		class_decref(obd, OBD_REF_LOOKUP);
		obd = NULL;
	}
	return obd;
}

void mgs_find_done(struct obd_device *obd)
{
	obd_op_leave(obd);
	class_decref(obd, OBD_REF_LOOKUP);
}

static int service_refused(const struct mgs_device *md,
			   const struct mgs_device *other, struct obd_why *why)
{
	if (net_eq(md->md_obd->obd_net, other->md_obd->obd_net))
		return obd_refuse(why, -EEXIST,
				  "%s: this node has a management service already, %s",
				  md->md_obd->obd_name, other->md_obd->obd_name);
	if (d_inode(md->md_path.dentry) == d_inode(other->md_path.dentry))
		return obd_refuse(why, -EBUSY,
				  "%s: its directory is in use by %s; give it another one",
				  md->md_obd->obd_name, other->md_obd->obd_name);
	return 0;
}

static int service_add(struct mgs_device *md, struct obd_why *why)
{
	struct mgs_device *other;
	int rc = 0;

	mutex_lock(&services_lock);
	list_for_each_entry(other, &services, md_item) {
		rc = service_refused(md, other, why);
		if (rc)
			break;
	}
	if (!rc)
		list_add_tail(&md->md_item, &services);
	mutex_unlock(&services_lock);
	return rc;
}

static void service_del(struct mgs_device *md)
{
	mutex_lock(&services_lock);
	list_del(&md->md_item);
	mutex_unlock(&services_lock);
}

static struct mgs_device *service_alloc(struct obd_device *obd)
{
	struct mgs_device *md = libcfs_zalloc(sizeof(*md), GFP_KERNEL_ACCOUNT);

	if (!md)
		return NULL;
	md->md_obd = obd;
	md->md_started = ktime_get_seconds();
	refcount_set(&md->md_refs, 1);
	mutex_init(&md->md_changed_lock);
	mutex_init(&md->md_nodes_lock);
	mutex_init(&md->md_trial_lock);
	mutex_init(&md->md_nidtbl_lock);
	mutex_init(&md->md_live_lock);
	INIT_LIST_HEAD(&md->md_changed);
	INIT_LIST_HEAD(&md->md_nodes);
	INIT_LIST_HEAD(&md->md_peers);
	INIT_LIST_HEAD(&md->md_serving);
	INIT_LIST_HEAD(&md->md_patterns);
	INIT_LIST_HEAD(&md->md_nidtbls);
	INIT_LIST_HEAD(&md->md_lives);
	hash_init(md->md_resources);
	init_waitqueue_head(&md->md_wait);
	INIT_DELAYED_WORK(&md->md_wave, mgs_notify_work);
	md->md_notify_first = NOTIFY_FIRST_DEFAULT;
	md->md_notify_rate = NOTIFY_RATE_DEFAULT;
	md->md_allow_register = true;
	ratelimit_state_init(&md->md_refusals, DEFAULT_RATELIMIT_INTERVAL,
			     DEFAULT_RATELIMIT_BURST);
	md->md_trial_wait = TRIAL_WAIT_DEFAULT;
	/* Higher than the numbers of an earlier start of the service. */
	md->md_trial.trial_number = (u64)ktime_get_real_seconds() << 20;
	return md;
}

static int store_refused(struct mgs_device *md, int rc,
			 const struct mgs_fault *fault, struct obd_why *why)
{
	if (fault->what)
		return obd_refuse(why, rc,
				  "%s: '%s' in its directory is damaged at byte %llu: %s",
				  md->md_obd->obd_name, fault->name,
				  fault->offset, fault->what);
	if (rc == -ENOSPC || rc == -EDQUOT)
		return obd_refuse(why, rc,
				  "%s: its directory is full, and its logs have changed since it was mounted last; free space and mount it again",
				  md->md_obd->obd_name);
	return obd_refuse(why, rc,
			  "%s: its directory cannot be used; it must be writable",
			  md->md_obd->obd_name);
}

/* struct mgs_opening - arguments of the job that opens the store */
struct mgs_opening {
	struct mgs_device	*md;
	struct mgs_fault	fault;
};

static int open_job(void *data)
{
	struct mgs_opening *opening = data;
	struct mgs_device *md = opening->md;
	int rc;

	rc = mgs_store_open(&mgs_backend_io, md->md_backend,
			    get_random_u32() ?: 1, &md->md_store,
			    &opening->fault);
	md->md_writer.wtr_store = md->md_store;
	if (!rc)
		mgs_nidtbl_load(md);
	return rc;
}

static int store_open(struct mgs_device *md, struct obd_why *why)
{
	struct mgs_opening opening = { .md = md };
	const struct mgs_fault *fault = &opening.fault;
	int rc;

	md->md_backend = mgs_backend_open(&md->md_path);
	if (IS_ERR(md->md_backend))
		return PTR_ERR(md->md_backend);
	rc = mgs_writer_start(&md->md_writer, md->md_obd->obd_name,
			      &md->md_path);
	if (rc)
		goto close_directory;
	rc = mgs_writer_run(&md->md_writer, open_job, &opening, false);
	if (rc) {
		mgs_writer_stop(&md->md_writer);
		rc = store_refused(md, rc, fault, why);
		goto close_directory;
	}
	if (fault->what)
		CWARN("%s: '%s' is damaged at byte %llu, nodes cannot read it: %s\n",
		      md->md_obd->obd_name, fault->name, fault->offset,
		      fault->what);
	return 0;

close_directory:
	mgs_backend_close(md->md_backend);
	return rc;
}

static int close_job(void *data)
{
	struct mgs_device *md = data;
	int rc = mgs_store_close(md->md_store);

	if (rc)
		CERROR("%s: cannot write all files, the journal has the rest: rc = %d\n",
		       md->md_obd->obd_name, rc);
	md->md_store = NULL;
	md->md_writer.wtr_store = NULL;
	return rc;
}

static void store_close(struct mgs_device *md)
{
	mgs_writer_idle(&md->md_writer);
	mgs_writer_run(&md->md_writer, close_job, md, false);
	mgs_writer_stop(&md->md_writer);
	mgs_nidtbl_free(md);
	mgs_backend_close(md->md_backend);
}

/* Start the service; the last step lets clients in. */
static int service_build(struct mgs_device *md, struct obd_why *why)
{
	struct ldlm_namespace *ns;
	int rc = mgs_params_add(md) ?: mgs_live_init(md);

	if (rc)
		return rc;
	ns = ldlm_namespace_new(md->md_obd, LDLM_SERVER);
	if (IS_ERR(ns)) {
		rc = PTR_ERR(ns);
		goto free_live;
	}
	rc = ptlrpc_target_start(md->md_obd, why);
	if (rc)
		goto free_namespace;
	return 0;

free_namespace:
	ldlm_namespace_free(ns);
free_live:
	mgs_live_free(md);
	return rc;
}

static int service_start(struct mgs_device *md, struct obd_why *why)
{
	int rc = service_add(md, why);

	if (rc)
		return rc;
	rc = store_open(md, why);
	if (rc)
		goto del_service;
	rc = service_build(md, why);
	if (rc)
		goto close_store;
	return 0;

close_store:
	store_close(md);
del_service:
	service_del(md);
	return rc;
}

static int mgs_setup(struct obd_device *obd, const struct lcfg_view *cfg,
		     struct obd_why *why)
{
	struct mgs_device *md = service_alloc(obd);
	int rc;

	if (!md)
		return -ENOMEM;
	rc = obd_mount_of(obd, cfg, SETUP_DIRECTORY, &md->md_path, NULL, why);
	if (rc)
		goto put_device;
	obd->obd_data = md;
	rc = service_start(md, why);
	if (rc)
		goto put_directory;
	return 0;

put_directory:
	obd->obd_data = NULL;
	path_put(&md->md_path);
put_device:
	mgs_device_put(md);
	return rc;
}

/* Stop requests, notifications and waiting tasks. */
static int mgs_precleanup(struct obd_device *obd)
{
	struct mgs_device *md = mgs_device(obd);

	ptlrpc_target_stop(obd);
	WRITE_ONCE(md->md_stopping, true);
	mgs_wait_wake(md);
	cancel_delayed_work_sync(&md->md_wave);
	return 0;
}

static int mgs_cleanup(struct obd_device *obd)
{
	struct mgs_device *md = mgs_device(obd);

	service_del(md);
	cancel_delayed_work_sync(&md->md_wave);
	ldlm_namespace_free(obd->obd_namespace);
	WARN_ON(!list_empty(&md->md_nodes));
	WARN_ON(md->md_resource_count);
	WARN_ON(!list_empty(&md->md_serving));
	mgs_peers_free(md);
	mgs_live_free(md);
	mgs_trial_free(md);
	mgs_changed_free(md);
	store_close(md);
	path_put(&md->md_path);
	obd->obd_data = NULL;
	mgs_device_put(md);
	return 0;
}

/* The last reference on the export was dropped. */
static void mgs_export_destroy(struct obd_export *exp)
{
	struct mgs_node *node = exp->exp_data;

	mgs_node_gone(mgs_device(exp->exp_obd), node);
	libcfs_free(node, sizeof(*node));
}

static void mgs_grant(struct obd_export *exp, struct obd_connect_data *ocd)
{
	if (!ocd)
		return;
	ocd->ocd_connect_flags &= MGS_CONNECT_FLAGS;
	ocd->ocd_connect_flags2 = 0;
	if (ocd->ocd_connect_flags & OBD_CONNECT_VERSION)
		ocd->ocd_version = MGS_VERSION;
	spin_lock(&exp->exp_lock);
	exp->exp_connect_data = *ocd;
	spin_unlock(&exp->exp_lock);
}

static int mgs_connect(struct obd_export **exp, struct obd_device *obd,
		       const struct obd_uuid *uuid, const struct lnet_nid *nid,
		       struct obd_connect_data *ocd)
{
	struct lustre_handle conn = { };
	struct obd_export *new;
	int rc = class_connect(&conn, obd, uuid, nid);

	if (rc)
		return rc;
	new = class_conn2export(conn.cookie);
	if (!new)
		return -ENOTCONN;
	new->exp_destroy = mgs_export_destroy;
	rc = mgs_node_new(mgs_device(obd), new);
	if (rc) {
		new->exp_destroy = NULL;
		class_disconnect(new);
		return rc;
	}
	mgs_grant(new, ocd);
	*exp = new;
	return 0;
}

static int mgs_reconnect(struct obd_export *exp, struct obd_device *obd,
			 const struct obd_uuid *uuid,
			 struct obd_connect_data *ocd)
{
	mgs_grant(exp, ocd);
	return 0;
}

/* A client disconnects or is evicted: tasks stop waiting for it. */
static int mgs_disconnect(struct obd_export *exp)
{
	if (exp->exp_data)
		mgs_node_gone(mgs_device(exp->exp_obd), exp->exp_data);
	return class_disconnect(exp);
}

static int mgs_health_check(struct obd_device *obd, struct obd_why *why)
{
	struct mgs_device *md = mgs_device(obd);
	int rc;

	rc = mgs_store_failed(md->md_store);
	if (rc == -ENOSPC || rc == -EDQUOT)
		return obd_refuse(why, rc,
				  "its directory is full: changes are refused until there is space");
	return rc ? obd_refuse(why, rc,
			       "its directory cannot be written to: changes are refused until it can") :
		    0;
}

static int mgs_statfs(struct obd_export *exp, struct obd_statfs *st,
		      u64 max_age)
{
	return obd_mount_statfs(&mgs_device(exp->exp_obd)->md_path, st);
}

static int mgs_get_uuid(struct obd_export *exp, struct obd_uuid *uuid)
{
	*uuid = exp->exp_obd->obd_uuid;
	return 0;
}

static const struct obd_ops mgs_ops = {
	.o_owner		= THIS_MODULE,
	.o_setup		= mgs_setup,
	.o_precleanup		= mgs_precleanup,
	.o_cleanup		= mgs_cleanup,
	.o_connect		= mgs_connect,
	.o_reconnect		= mgs_reconnect,
	.o_disconnect		= mgs_disconnect,
	.o_process_config	= class_process_param,
	.o_set_info_async	= mgs_set_info,
	.o_health_check		= mgs_health_check,
	.o_statfs		= mgs_statfs,
	.o_get_uuid		= mgs_get_uuid,
};

struct obd_type mgs_type = {
	.typ_name	= MGS_TYPE,
	.typ_dt_ops	= &mgs_ops,
	.typ_target	= &mgs_target_ops,
};

static int __init mgs_init(void)
{
	int rc = class_register_type(&mgs_type);

	if (rc)
		return rc;
	rc = mgs_ioctl_init();
	if (rc)
		class_unregister_type(&mgs_type);
	return rc;
}

/* Devices pin the module, so none is left. */
static void __exit mgs_exit(void)
{
	mgs_ioctl_exit();
	class_unregister_type(&mgs_type);
}

module_init(mgs_init);
module_exit(mgs_exit);

MODULE_DESCRIPTION("lustre-lite: management service");
MODULE_AUTHOR("lustre-lite");
MODULE_VERSION(LUSTRE_LITE_VERSION);
MODULE_LICENSE("GPL");
MODULE_ALIAS("lustre-lite-type-mgs");
MODULE_IMPORT_NS(LUSTRE_LITE);
