// SPDX-License-Identifier: GPL-2.0
/*
 * A target mount:
 *
 *	CONFIGS/mountdata -> the management service, where the directory has one
 *	-> registration -> log SVNAME -> devices, one of them named SVNAME
 *
 * A target that registered before starts from the copy of its log when the
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
	return le32_to_cpu(lt->lt_ldd->ldd_flags);
}

/* The directory has a target besides a management service, or instead of one. */
static bool has_target(const struct llite_target *lt)
{
	return target_flags(lt) & (LDD_F_SV_TYPE_MDT | LDD_F_SV_TYPE_OST);
}

/* It was registered, and its logs are not to be written anew. */
static bool may_use_copy(const struct llite_mount *lm)
{
	return !(target_flags(&lm->lm_target) &
		 (LDD_F_VIRGIN | LDD_F_NEED_INDEX | LDD_F_WRITECONF)) &&
	       !(lm->lm_options.op_given & LLITE_OPT_NOLOCALLOGS);
}

/* It is waited for as long in all, whatever it is asked. */
static void wait_begin(struct llite_mount *lm)
{
	unsigned int sec = llite_mgs_wait(may_use_copy(lm) ?
					  LLITE_WAIT_TARGET_COPY :
					  LLITE_WAIT_MGS);

	lm->lm_target.lt_wait_end = jiffies + sec * HZ;
}

/* Seconds that are left of it; 0 when it was waited for in vain. */
static unsigned int wait_left(const struct llite_mount *lm)
{
	long left = lm->lm_target.lt_wait_end - jiffies;

	return left > 0 ? DIV_ROUND_UP(left, HZ) : 0;
}

static int target_options(struct llite_mount *lm, struct obd_why *why)
{
	struct llite_options *op = &lm->lm_options;
	struct llite_target *lt = &lm->lm_target;
	bool mgs = target_flags(lt) & LDD_F_SV_TYPE_MGS;

	if (op->op_svname[0] && strcmp(op->op_svname, lt->lt_ldd->ldd_svname))
		return obd_refuse(why, -EINVAL,
				  "option 'svname' says %s, and the directory is %s",
				  op->op_svname, lt->lt_ldd->ldd_svname);
	if (((op->op_given & LLITE_OPT_NOSVC) && !mgs) ||
	    ((op->op_given & LLITE_OPT_NOMGS) && !has_target(lt)))
		return obd_refuse(why, -EINVAL,
				  "%s: with option '%s' there is nothing to start",
				  lt->lt_ldd->ldd_svname,
				  mgs ? "nomgs" : "nosvc");
	if (op->op_given & LLITE_OPT_WRITECONF)
		lt->lt_ldd->ldd_flags |= cpu_to_le32(LDD_F_WRITECONF);
	return 0;
}

/* This node's own first NID: it is its own management service. */
static int own_nodes(struct net *net, char *nodes, size_t size,
		     struct obd_why *why)
{
	struct lnet_nid nid;

	if (lnet_nids(net, &nid, 1) &&
	    libcfs_nid_print(&nid, nodes, size) > 0)
		return 0;
	return obd_refuse(why, -ENETDOWN,
			  "this node has no NID: give it an address, then see 'lctl list_nids'");
}

static int mgs_nodes(const struct llite_mount *lm, struct net *net,
		     char *nodes, size_t size, struct obd_why *why)
{
	const struct llite_target *lt = &lm->lm_target;
	int rc;

	if (lm->lm_options.op_mgsnode[0]) {
		strscpy(nodes, lm->lm_options.op_mgsnode, size);
		return 0;
	}
	if (target_flags(lt) & LDD_F_SV_TYPE_MGS)
		return own_nodes(net, nodes, size, why);
	rc = llite_mountdata_mgsnodes(lt->lt_ldd, nodes, size, why->text);
	if (!rc && !nodes[0])
		rc = obd_refuse(why, -EINVAL,
				"%s: nobody knows where its management service is; mount with mgsnode=NID, or use tunefs.lustre-lite --mgsnode=NID",
				lt->lt_ldd->ldd_svname);
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
		lm->lm_target.lt_mgc = rc ? NULL : mgc;
	}
	kfree(nodes);
	return rc;
}

/*
 * mkfs gives a directory an identity, which stays. One of before has none, or its name
 * with "_UUID" behind.
 */
static bool has_identity(const struct lustre_disk_data *ldd)
{
	return uuid_is_valid(ldd->ldd_uuid) &&
	       !ldd->ldd_uuid[UUID_STRING_LEN];
}

/* What the service said becomes that of the directory. */
static int target_registered(struct llite_target *lt,
			     const struct mgc_target *mt, struct obd_why *why)
{
	struct lustre_disk_data *ldd = lt->lt_ldd;
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
	if (llite_mountdata_check(ldd, why->text))
		return -EPROTO;
	ldd->ldd_config_ver =
		cpu_to_le32(le32_to_cpu(ldd->ldd_config_ver) + 1);
	return llite_mountdata_write(&lt->lt_claim.fc_path, ldd, why);
}

/* The service is back, and has registered the target, which runs. */
static int late_registered(void *data, const struct mgc_target *mt,
			   struct obd_why *why)
{
	struct llite_target *lt = data;
	int rc;

	if (strcmp(mt->svname, lt->lt_ldd->ldd_svname))
		return obd_refuse(why, -ESTALE,
				  "%s: is %s to the management service; umount it and see tunefs.lustre-lite --print",
				  lt->lt_ldd->ldd_svname, mt->svname);
	rc = target_registered(lt, mt, why);
	if (rc && !why->text[0])
		obd_refuse(why, rc, "%s: its mountdata cannot be written",
			   mt->svname);
	return rc;
}

static int keep_registered(struct llite_target *lt, const struct mgc_target *mt,
			   bool registered)
{
	if (!registered)
		CWARN("%s: the management service does not answer; starting from the copy of its log\n",
		      lt->lt_ldd->ldd_svname);
	lt->lt_late = mgc_late_start(lt->lt_mgc, mt, registered, late_registered,
				     lt);
	return lt->lt_late ? 0 : -ENOMEM;
}

/* It does not run, or not any more: it may start elsewhere. */
static void target_gone(struct llite_target *lt, bool force)
{
	mgc_target_stop(lt->lt_mgc, lt->lt_ldd->ldd_svname, lt->lt_start,
			!force);
}

static void late_end(struct llite_target *lt)
{
	if (lt->lt_late)
		mgc_late_end(lt->lt_late);
	lt->lt_late = NULL;
}

static void target_fill(const struct llite_target *lt, struct mgc_target *mt)
{
	const struct lustre_disk_data *ldd = lt->lt_ldd;

	mt->flags = target_flags(lt);
	mt->index = le32_to_cpu(ldd->ldd_svindex);
	strscpy(mt->fsname, ldd->ldd_fsname, sizeof(mt->fsname));
	strscpy(mt->svname, ldd->ldd_svname, sizeof(mt->svname));
	strscpy(has_identity(ldd) ? mt->id : mt->uuid, ldd->ldd_uuid,
		sizeof(mt->id));
	mt->params = ldd->ldd_params;
	mt->instance = lt->lt_start;
}

static int ask_service(struct llite_mount *lm, struct mgc_target *mt,
		       struct obd_why *why)
{
	struct llite_target *lt = &lm->lm_target;
	int rc = mgc_target_register(lt->lt_mgc, mt, wait_left(lm), why);

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
	struct llite_target *lt = &lm->lm_target;
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
	struct llite_target *lt = &lm->lm_target;
	struct mgc_follow follow = {
		.log = lt->lt_ldd->ldd_svname,
		.instance = lt->lt_instance,
		.uuid = "",
		.exclude = lm->lm_options.op_exclude,
		/* In the directory of a service are the logs themselves. */
		.copies = target_flags(lt) & LDD_F_SV_TYPE_MGS ? NULL :
								 lt->lt_configs,
		.flags = MGC_FOLLOW_SERVER,
		.wait_sec = wait_left(lm),
	};

	if (lm->lm_options.op_given & LLITE_OPT_NOLOCALLOGS)
		follow.flags |= MGC_FOLLOW_NO_COPY;
	if (lm->lm_options.op_given & LLITE_OPT_NOIR)
		follow.flags |= MGC_FOLLOW_NO_IR;
	lt->lt_log = mgc_log_start(lt->lt_mgc, &follow, why);
	if (!IS_ERR(lt->lt_log))
		return 0;
	if (!why->text[0])
		obd_refuse(why, PTR_ERR(lt->lt_log),
			   "%s: neither the management service nor a copy has its log",
			   lt->lt_ldd->ldd_svname);
	return PTR_ERR(lt->lt_log);
}

/* The log was to make a device of the target's name. */
static int target_runs(const struct llite_mount *lm, struct obd_why *why)
{
	const char *name = lm->lm_target.lt_ldd->ldd_svname;
	struct obd_device *obd = class_name2obd(name);
	bool runs = obd && obd_is_set_up(obd);

	if (obd)
		class_decref(obd, OBD_REF_LOOKUP);
	if (runs)
		return 0;
	return obd_refuse(why, -EIO,
			  "%s: its log was applied, and no device of that name is set up; the kernel log says why",
			  name);
}

/* The target itself; its management client is there, and it may be registered. */
static int devices_start(struct llite_mount *lm, struct fs_context *fc,
			 struct obd_why *why)
{
	struct llite_target *lt = &lm->lm_target;
	const char *name = lt->lt_ldd->ldd_svname;
	int rc;

	rc = obd_mount_register(name, &lt->lt_claim.fc_path, lt->lt_start);
	if (rc)
		return obd_refuse(why, rc,
				  rc == -EALREADY ?
				  "%s: a target of that name runs in this kernel already, be it in another network namespace: umount that one, or start this one on another machine" :
				  "%s: cannot say which directory it is", name);
	rc = target_log_start(lm, why);
	if (rc)
		goto devices_down;
	rc = target_runs(lm, why);
	if (rc)
		goto end_log;
	if (mgc_log_stale(lt->lt_log))
		llite_warn(fc, "%s: started from the copy of its log; it catches up with the management service by itself",
			   name);
	return 0;

end_log:
	mgc_log_end(lt->lt_log);
devices_down:
	lt->lt_log = NULL;
	llite_devices_down(lt->lt_instance, name, true);
	obd_mount_unregister(name);
	return rc;
}

/*
 * A second directory of a target that runs at this node: to the service it would be a
 * restart of the one that runs.
 */
static int runs_here(const struct llite_target *lt, const struct net *net,
		     struct obd_why *why)
{
	const char *name = lt->lt_ldd->ldd_svname;
	struct obd_device *obd = class_name2obd(name);
	bool runs = obd && net_eq(obd->obd_net, net);

	if (obd)
		class_decref(obd, OBD_REF_LOOKUP);
	if (!runs)
		return 0;
	return obd_refuse(why, -EALREADY,
			  "%s: a target of that name runs on this node already: umount that one first",
			  name);
}

static int service_start(struct llite_mount *lm, struct fs_context *fc,
			 struct obd_why *why)
{
	int rc;

	wait_begin(lm);
	rc = runs_here(&lm->lm_target, fc->net_ns, why);
	rc = rc ?: target_register(lm, why);
	if (rc)
		return rc;
	rc = devices_start(lm, fc, why);
	if (rc) {
		late_end(&lm->lm_target);
		target_gone(&lm->lm_target, false);
	}
	return rc;
}

static void service_stop(struct llite_mount *lm)
{
	struct llite_target *lt = &lm->lm_target;
	const char *name = lt->lt_ldd->ldd_svname;

	if (!lt->lt_log)
		return;
	late_end(lt);
	mgc_log_end(lt->lt_log);
	if (lm->lm_force)
		llite_imports_hang_up(lt->lt_instance);
	llite_devices_down(lt->lt_instance, name, lm->lm_force);
	obd_mount_unregister(name);
	target_gone(lt, lm->lm_force);
}

static int parts_start(struct llite_mount *lm, struct fs_context *fc,
		       struct obd_why *why)
{
	const struct llite_options *op = &lm->lm_options;
	struct llite_target *lt = &lm->lm_target;
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
	mgc_put(lt->lt_mgc);
stop_mgs:
	llite_mgs_stop(lt, true);
	return rc;
}

/* mount.lustre-lite gives the options of the directory; mount(2) alone does not. */
static void options_say(const struct llite_mount *lm)
{
	const struct lustre_disk_data *ldd = lm->lm_target.lt_ldd;
	const char *name;
	size_t len;

	name = llite_options_left_out(&lm->lm_options, ldd->ldd_mount_opts,
				      &len);
	if (name)
		CWARN("%s: option '%.*s' of its directory is not in force: mount.lustre-lite gives those, mount(2) has to be given them\n",
		      ldd->ldd_svname, (int)len, name);
}

static int target_prepare(struct llite_mount *lm, const char *dir,
			  struct obd_why *why)
{
	struct llite_target *lt = &lm->lm_target;
	int rc;

	lt->lt_instance = llite_instance_new();
	lt->lt_start = obd_mount_new_instance();
	lt->lt_configs = kasprintf(GFP_KERNEL_ACCOUNT, "%s/" MOUNT_CONFIGS_DIR,
				   dir);
	lt->lt_ldd = libcfs_zalloc(sizeof(*lt->lt_ldd), GFP_KERNEL_ACCOUNT);
	if (!lt->lt_configs || !lt->lt_ldd)
		return -ENOMEM;
	rc = llite_mountdata_read(&lt->lt_claim.fc_path, lt->lt_ldd, why);
	rc = rc ?: target_options(lm, why);
	if (!rc)
		options_say(lm);
	return rc;
}

static void target_free(struct llite_target *lt)
{
	if (lt->lt_ldd)
		libcfs_free(lt->lt_ldd, sizeof(*lt->lt_ldd));
	kfree(lt->lt_configs);
	llite_dir_release(&lt->lt_claim);
}

/**
 * llite_target_start() - all of a target mount but the super block
 * @lm: mount: options
 * @fc: context: directory, network namespace, and where warnings go
 * @why: out, why not
 *
 * Context: may sleep, in bounded time; can be killed
 * Return: 0 or a negative errno; as llite_mgs_start(), mgc_target_register() and
 * mgc_log_start()
 */
int llite_target_start(struct llite_mount *lm, struct fs_context *fc,
		       struct obd_why *why)
{
	struct llite_target *lt = &lm->lm_target;
	int rc = llite_dir_claim(&lt->lt_claim, fc->source, why);

	if (rc)
		return rc;
	rc = target_prepare(lm, fc->source, why);
	if (!rc)
		rc = parts_start(lm, fc, why);
	if (rc)
		target_free(lt);
	return rc;
}

/**
 * llite_target_stop() - the opposite; the management service goes last
 * @lm: mount
 *
 * Context: may sleep, in bounded time whatever is dead
 */
void llite_target_stop(struct llite_mount *lm)
{
	struct llite_target *lt = &lm->lm_target;

	service_stop(lm);
	if (lt->lt_mgc)
		mgc_put(lt->lt_mgc);
	llite_mgs_stop(lt, lm->lm_force);
	target_free(lt);
}
