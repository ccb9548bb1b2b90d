// SPDX-License-Identifier: GPL-2.0-only
/*
 * A target mount:
 *
 *	CONFIGS/mountdata -> the management service, if the directory has one
 *	-> registration -> log SVNAME -> devices, one of them named SVNAME
 *
 * A target that has registered before starts from the copy of its log if the
 * management service does not answer, and registers when it does.
 */
#define DEBUG_SUBSYSTEM S_LLITE

#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/math.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uuid.h>
#include <net/net_namespace.h>

#include <lustre_lite/codec.h>
#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_mount.h>
#include <lustre_lite/ptlrpc_net.h>

#include "llite_internal.h"

static u32 target_flags(const struct llite_target *lt)
{
	return le32_to_cpu(lt->llt_ldd->ldd_flags);
}

/* The directory has a target besides a management service, or instead of one. */
static bool has_target(const struct llite_target *lt)
{
	return target_flags(lt) & (LDD_F_SV_TYPE_MDT | LDD_F_SV_TYPE_OST);
}

/* It has registered before, and its logs need not be written from scratch. */
static bool may_use_copy(const struct llite_mount *lm)
{
	return !(target_flags(&lm->llm_target) &
		 (LDD_F_VIRGIN | LDD_F_NEED_INDEX | LDD_F_WRITECONF)) &&
	       !(lm->llm_options.op_given & LLITE_OPT_NOLOCALLOGS);
}

/* The wait for the service is limited in total, for all requests to it. */
static void wait_begin(struct llite_mount *lm)
{
	unsigned int sec = llite_mgs_wait(may_use_copy(lm) ?
					  LLITE_WAIT_TARGET_COPY :
					  LLITE_WAIT_MGS);

	lm->llm_target.llt_wait_end = jiffies + sec * HZ;
}

/* Remaining seconds; 0 at the end. */
static unsigned int wait_left(const struct llite_mount *lm)
{
	long left = lm->llm_target.llt_wait_end - jiffies;

	return left > 0 ? DIV_ROUND_UP(left, HZ) : 0;
}

static int target_options(struct llite_mount *lm, struct obd_why *why)
{
	struct llite_options *op = &lm->llm_options;
	struct llite_target *lt = &lm->llm_target;
	bool mgs = target_flags(lt) & LDD_F_SV_TYPE_MGS;

	if (op->op_svname[0] && strcmp(op->op_svname, lt->llt_ldd->ldd_svname))
		return obd_refuse(why, -EINVAL,
				  "option 'svname' is %s, but the directory has %s",
				  op->op_svname, lt->llt_ldd->ldd_svname);
	if (((op->op_given & LLITE_OPT_NOSVC) && !mgs) ||
	    ((op->op_given & LLITE_OPT_NOMGS) && !has_target(lt)))
		return obd_refuse(why, -EINVAL,
				  "%s: option '%s' leaves nothing to start",
				  lt->llt_ldd->ldd_svname,
				  mgs ? "nomgs" : "nosvc");
	if (op->op_given & LLITE_OPT_WRITECONF)
		lt->llt_ldd->ldd_flags |= cpu_to_le32(LDD_F_WRITECONF);
	return 0;
}

/* The first NID of this node, which is its own management service. */
static int own_nodes(struct net *net, char *nodes, size_t size,
		     struct obd_why *why)
{
	struct lnet_nid nid;

	if (lnet_nids(net, &nid, 1) &&
	    libcfs_nid_print(&nid, nodes, size) > 0)
		return 0;
	return obd_refuse(why, -ENETDOWN,
			  "this node has no NID; configure an address, then check 'lctl list_nids'");
}

static int mgs_nodes(const struct llite_mount *lm, struct net *net,
		     char *nodes, size_t size, struct obd_why *why)
{
	const struct llite_target *lt = &lm->llm_target;
	int rc;

	if (lm->llm_options.op_mgsnode[0]) {
		strscpy(nodes, lm->llm_options.op_mgsnode, size);
		return 0;
	}
	if (target_flags(lt) & LDD_F_SV_TYPE_MGS)
		return own_nodes(net, nodes, size, why);
	rc = llite_mountdata_mgsnodes(lt->llt_ldd, nodes, size, why->text);
	if (!rc && !nodes[0])
		rc = obd_refuse(why, -EINVAL,
				"%s: the node of its management service is unknown; mount with mgsnode=NID, or use tunefs.lustre-lite --mgsnode=NID",
				lt->llt_ldd->ldd_svname);
	return rc;
}

static int mgc_start(struct llite_mount *lm, struct net *net,
		     struct obd_why *why)
{
	char *nodes = kzalloc(LLITE_NODES_MAX, GFP_KERNEL_ACCOUNT);
	struct obd_device *mgc;
	int rc;

	if (!nodes)
		return -ENOMEM;
	rc = mgs_nodes(lm, net, nodes, LLITE_NODES_MAX, why);
	if (!rc) {
		mgc = mgc_get(net, nodes, why);
		rc = PTR_ERR_OR_ZERO(mgc);
		lm->llm_target.llt_mgc = rc ? NULL : mgc;
	}
	kfree(nodes);
	return rc;
}

/*
 * mkfs gives a directory a permanent identity. Older directories have none, or
 * their name with "_UUID" appended.
 */
static bool has_identity(const struct lustre_disk_data *ldd)
{
	return uuid_is_valid(ldd->ldd_uuid) &&
	       !ldd->ldd_uuid[UUID_STRING_LEN];
}

/* Store the answer of the service in the directory. */
static int target_registered(struct llite_target *lt,
			     const struct mgc_target *mt, struct obd_why *why)
{
	struct lustre_disk_data *ldd = lt->llt_ldd;
	struct obd_why wrong = { "" };
	u32 flags = mt->flags;

	if (mt->offer)
		llite_secret_known(lt);
	if (flags == target_flags(lt) &&
	    mt->index == le32_to_cpu(ldd->ldd_svindex) &&
	    !strcmp(mt->svname, ldd->ldd_svname) &&
	    (has_identity(ldd) || !strcmp(mt->uuid, ldd->ldd_uuid)))
		return 0;
	ldd->ldd_flags = cpu_to_le32(flags);
	ldd->ldd_svindex = cpu_to_le32(mt->index);
	strscpy_pad(ldd->ldd_svname, mt->svname, sizeof(ldd->ldd_svname));
	if (!has_identity(ldd))
		strscpy_pad(ldd->ldd_uuid, mt->uuid, sizeof(ldd->ldd_uuid));
	if (llite_mountdata_check(ldd, wrong.text))
		return obd_refuse(why, -EPROTO,
				  "%s: the management service answered with an invalid description: it %s",
				  mt->svname, wrong.text);
	ldd->ldd_config_ver =
		cpu_to_le32(le32_to_cpu(ldd->ldd_config_ver) + 1);
	return llite_mountdata_write(&lt->llt_claim, ldd, why);
}

/* The service is back, and has registered the running target. */
static int deferred_registered(void *data, const struct mgc_target *mt,
			       struct obd_why *why)
{
	struct llite_target *lt = data;
	int rc;

	if (strcmp(mt->svname, lt->llt_ldd->ldd_svname))
		return obd_refuse(why, -ESTALE,
				  "%s: the management service registered it as %s; umount it and see tunefs.lustre-lite --print",
				  lt->llt_ldd->ldd_svname, mt->svname);
	rc = target_registered(lt, mt, why);
	if (rc && !why->text[0])
		obd_refuse(why, rc, "%s: cannot write its mountdata",
			   mt->svname);
	return rc;
}

static int keep_registered(struct llite_target *lt, const struct mgc_target *mt,
			   bool registered)
{
	if (!registered)
		CWARN("%s: management service does not answer; starting from the copy of its log\n",
		      lt->llt_ldd->ldd_svname);
	lt->llt_deferred = mgc_deferred_start(lt->llt_mgc, mt, registered, deferred_registered,
					      lt);
	return lt->llt_deferred ? 0 : -ENOMEM;
}

/* It does not run, or no longer does: it may start elsewhere. */
static void target_gone(struct llite_target *lt, bool force)
{
	mgc_target_stop(lt->llt_mgc, lt->llt_ldd->ldd_svname, lt->llt_start,
			!force);
}

static void deferred_end(struct llite_target *lt)
{
	if (lt->llt_deferred)
		mgc_deferred_end(lt->llt_deferred);
	lt->llt_deferred = NULL;
}

static void target_fill(const struct llite_target *lt, struct mgc_target *mt)
{
	const struct lustre_disk_data *ldd = lt->llt_ldd;

	mt->flags = target_flags(lt);
	mt->index = le32_to_cpu(ldd->ldd_svindex);
	strscpy(mt->fsname, ldd->ldd_fsname, sizeof(mt->fsname));
	strscpy(mt->svname, ldd->ldd_svname, sizeof(mt->svname));
	strscpy(has_identity(ldd) ? mt->id : mt->uuid, ldd->ldd_uuid,
		sizeof(mt->id));
	mt->params = ldd->ldd_params;
	mt->instance = lt->llt_start;
}

static int ask_service(struct llite_mount *lm, struct mgc_target *mt,
		       struct obd_why *why)
{
	struct llite_target *lt = &lm->llm_target;
	int rc = mgc_target_register(lt->llt_mgc, mt, wait_left(lm), why);

	if ((rc == -ENOTCONN || rc == -ETIMEDOUT) && may_use_copy(lm))
		return keep_registered(lt, mt, false);
	rc = rc ?: target_registered(lt, mt, why);
	if (rc)
		return rc;
	mt->offer = false;
	return keep_registered(lt, mt, true);
}

static int target_register(struct llite_mount *lm, struct obd_why *why)
{
	struct llite_target *lt = &lm->llm_target;
	struct mgc_target *mt = kzalloc(sizeof(*mt), GFP_KERNEL_ACCOUNT);
	int rc;

	if (!mt)
		return -ENOMEM;
	target_fill(lt, mt);
	rc = llite_secret_load(lt, mt, why) ?: ask_service(lm, mt, why);
	kfree_sensitive(mt);
	return rc;
}

static int target_log_start(struct llite_mount *lm, struct obd_why *why)
{
	struct llite_target *lt = &lm->llm_target;
	struct mgc_follow follow = {
		.log = lt->llt_ldd->ldd_svname,
		.instance = lt->llt_instance,
		.uuid = "",
		.exclude = lm->llm_options.op_exclude,
		/* The directory of a service has the logs themselves. */
		.copies = target_flags(lt) & LDD_F_SV_TYPE_MGS ? NULL :
								 &lt->llt_claim.fc_configs,
		.flags = MGC_FOLLOW_SERVER,
		.wait_sec = wait_left(lm),
	};

	if (lm->llm_options.op_given & LLITE_OPT_NOLOCALLOGS)
		follow.flags |= MGC_FOLLOW_NO_COPY;
	if (lm->llm_options.op_given & LLITE_OPT_NOIR)
		follow.flags |= MGC_FOLLOW_NO_IR;
	lt->llt_log = mgc_log_start(lt->llt_mgc, &follow, why);
	if (!IS_ERR(lt->llt_log))
		return 0;
	if (!why->text[0])
		obd_refuse(why, PTR_ERR(lt->llt_log),
			   "%s: neither the management service nor a copy has its log",
			   lt->llt_ldd->ldd_svname);
	return PTR_ERR(lt->llt_log);
}

/* The log must have created a device of the target's name. */
static int target_runs(const struct llite_mount *lm, struct obd_why *why)
{
	const char *name = lm->llm_target.llt_ldd->ldd_svname;
	struct obd_device *obd = class_name2obd(name);
	bool runs = obd && obd_is_set_up(obd);

	if (obd)
		class_decref(obd, OBD_REF_LOOKUP);
	if (runs)
		return 0;
	return obd_refuse(why, -EIO,
			  "%s: its log was applied, but has not set up a device of that name; see the kernel log",
			  name);
}

/*
 * Start the target itself; its management client exists, and it may be
 * registered.
 */
static int devices_start(struct llite_mount *lm, struct fs_context *fc,
			 struct obd_why *why)
{
	struct llite_target *lt = &lm->llm_target;
	const char *name = lt->llt_ldd->ldd_svname;
	int rc;

	rc = obd_mount_register(name, &lt->llt_claim.fc_path, lt->llt_start);
	if (rc)
		return obd_refuse(why, rc,
				  rc == -EALREADY ?
				  "%s: a target of that name already runs in this kernel, in any network namespace; umount that one, or start this one on another machine" :
				  "%s: cannot register its directory", name);
	rc = target_log_start(lm, why);
	if (rc)
		goto devices_down;
	rc = target_runs(lm, why);
	if (rc)
		goto end_log;
	if (mgc_log_stale(lt->llt_log))
		llite_warn(fc, "%s: started from the copy of its log, which is updated when the management service is back",
			   name);
	return 0;

end_log:
	mgc_log_end(lt->llt_log);
devices_down:
	lt->llt_log = NULL;
	llite_devices_down(lt->llt_instance, name, true);
	obd_mount_unregister(name);
	return rc;
}

/*
 * A second directory of a target that runs at this node: the service would take
 * it for a restart of the running one.
 */
static int runs_here(const struct llite_target *lt, const struct net *net,
		     struct obd_why *why)
{
	const char *name = lt->llt_ldd->ldd_svname;
	struct obd_device *obd = class_name2obd(name);
	bool runs = obd && net_eq(obd->obd_net, net);

	if (obd)
		class_decref(obd, OBD_REF_LOOKUP);
	if (!runs)
		return 0;
	return obd_refuse(why, -EALREADY,
			  "%s: a target of that name already runs on this node; umount that one first",
			  name);
}

static int service_start(struct llite_mount *lm, struct fs_context *fc,
			 struct obd_why *why)
{
	int rc;

	wait_begin(lm);
	rc = runs_here(&lm->llm_target, fc->net_ns, why);
	rc = rc ?: target_register(lm, why);
	if (rc)
		return rc;
	rc = devices_start(lm, fc, why);
	if (rc) {
		deferred_end(&lm->llm_target);
		target_gone(&lm->llm_target, false);
	}
	return rc;
}

static void service_stop(struct llite_mount *lm)
{
	struct llite_target *lt = &lm->llm_target;
	const char *name = lt->llt_ldd->ldd_svname;

	if (!lt->llt_log)
		return;
	deferred_end(lt);
	mgc_log_end(lt->llt_log);
	if (lm->llm_force)
		llite_imports_abort(lt->llt_instance);
	llite_devices_down(lt->llt_instance, name, lm->llm_force);
	obd_mount_unregister(name);
	target_gone(lt, lm->llm_force);
}

static int parts_start(struct llite_mount *lm, struct fs_context *fc,
		       struct obd_why *why)
{
	const struct llite_options *op = &lm->llm_options;
	struct llite_target *lt = &lm->llm_target;
	int rc = 0;

	if ((target_flags(lt) & LDD_F_SV_TYPE_MGS) &&
	    !(op->op_given & LLITE_OPT_NOMGS))
		rc = llite_mgs_start(lt, fc->net_ns, why);
	if (rc || !has_target(lt) || (op->op_given & LLITE_OPT_NOSVC))
		return rc;
	rc = mgc_start(lm, fc->net_ns, why);
	if (rc)
		goto stop_mgs;
	rc = service_start(lm, fc, why);
	if (!rc)
		return 0;
	mgc_put(lt->llt_mgc);
stop_mgs:
	llite_mgs_stop(lt, true);
	return rc;
}

/*
 * mount.lustre-lite passes the options of the directory; plain mount(2) does
 * not.
 */
static void options_warn(const struct llite_mount *lm)
{
	const struct lustre_disk_data *ldd = lm->llm_target.llt_ldd;
	const char *name;
	size_t len;

	name = llite_options_missing(&lm->llm_options, ldd->ldd_mount_opts,
				     &len);
	if (name)
		CWARN("%s: option '%.*s' of its directory is not in effect: mount.lustre-lite passes it, mount(2) does not\n",
		      ldd->ldd_svname, (int)len, name);
}

static int target_prepare(struct llite_mount *lm, const struct fs_context *fc,
			  struct obd_why *why)
{
	struct llite_target *lt = &lm->llm_target;
	int rc;

	lt->llt_instance = llite_instance_new();
	lt->llt_start = obd_mount_new_instance();
	lt->llt_ldd = libcfs_zalloc(sizeof(*lt->llt_ldd), GFP_KERNEL_ACCOUNT);
	if (!lt->llt_ldd)
		return -ENOMEM;
	rc = llite_mountdata_read(&lt->llt_claim, lt->llt_ldd, why);
	if (!rc && has_identity(lt->llt_ldd))
		rc = llite_dir_identify(&lt->llt_claim, lt->llt_ldd, fc->net_ns, why);
	rc = rc ?: target_options(lm, why);
	if (!rc)
		options_warn(lm);
	return rc;
}

static void target_free(struct llite_target *lt)
{
	if (lt->llt_ldd)
		libcfs_free(lt->llt_ldd, sizeof(*lt->llt_ldd));
	llite_dir_release(&lt->llt_claim);
}

/**
 * llite_target_start() - start a target mount, without the super block
 * @lm: mount: options
 * @fc: context: directory, network namespace, and log for warnings
 * @why: out: reason of a failure
 *
 * Context: may sleep, in bounded time; can be killed
 * Return: 0 or a negative errno; as llite_mgs_start(), mgc_target_register()
 *  and mgc_log_start()
 */
int llite_target_start(struct llite_mount *lm, struct fs_context *fc,
		       struct obd_why *why)
{
	struct llite_target *lt = &lm->llm_target;
	int rc = llite_dir_claim(&lt->llt_claim, fc->source, why);

	if (rc)
		return rc;
	rc = target_prepare(lm, fc, why);
	if (!rc)
		rc = parts_start(lm, fc, why);
	if (rc)
		target_free(lt);
	return rc;
}

/**
 * llite_target_stop() - undo llite_target_start(); the management service goes
 * last
 * @lm: mount
 *
 * Context: may sleep, in bounded time even without any peer
 */
void llite_target_stop(struct llite_mount *lm)
{
	struct llite_target *lt = &lm->llm_target;

	service_stop(lm);
	if (lt->llt_mgc)
		mgc_put(lt->llt_mgc);
	llite_mgs_stop(lt, lm->llm_force);
	target_free(lt);
}
