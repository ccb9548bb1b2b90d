// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client mount:
 *
 *	management client -> log FSNAME-client -> devices, profile FSNAME-client
 *	-> connections to the volumes of data and metadata that it names
 *
 * Unreachable targets of either kind do not delay it: reachable data can be
 * used, and the console names the missing targets.
 */
#define DEBUG_SUBSYSTEM S_LLITE

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/uuid.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_mount.h>
#include <lustre_lite/obd_ops.h>

#include "llite_inode.h"
#include "stats.h"

#define PROFILE_MAX		(LUSTRE_MAXFSNAME + sizeof("-client"))

static void client_name(const struct llite_mount *lm, char *name, size_t size)
{
	snprintf(name, size, "%s-client", lm->llm_source.src_fsname);
}

static void client_identify(struct llite_client *lc)
{
	uuid_t uuid;

	uuid_gen(&uuid);
	memset(&lc->llc_uuid, 0, sizeof(lc->llc_uuid));
	snprintf(lc->llc_uuid.uuid, sizeof(lc->llc_uuid.uuid), "%pUb", &uuid);
	lc->llc_instance = llite_instance_new();
}

static int client_log_follow(struct llite_mount *lm, const char *name,
			     const struct path *cache, struct obd_why *why)
{
	const struct llite_options *op = &lm->llm_options;
	struct llite_client *lc = &lm->llm_client;
	struct mgc_follow follow = {
		.log = name,
		.instance = lc->llc_instance,
		.uuid = lc->llc_uuid.uuid,
		.exclude = op->op_exclude,
		.copies = cache,
		.flags = op->op_given & LLITE_OPT_NOIR ? MGC_FOLLOW_NO_IR : 0,
		.wait_sec = llite_mgs_wait(cache ? LLITE_WAIT_CLIENT_COPY :
						   LLITE_WAIT_MGS),
	};
	int rc;

	lc->llc_log = mgc_log_start(lc->llc_mgc, &follow, why);
	if (!IS_ERR(lc->llc_log))
		return 0;
	rc = PTR_ERR(lc->llc_log);
	lc->llc_log = NULL;
	if (rc == -ENOENT)
		return obd_refuse(why, rc,
				  "the management service at %s has no file system '%s'; check the name, and that its targets have been mounted at least once",
				  lm->llm_source.src_nodes,
				  lm->llm_source.src_fsname);
	if (!why->text[0])
		return obd_refuse(why, rc,
				  "%s: cannot read its log from the management service at %s",
				  name, lm->llm_source.src_nodes);
	return rc;
}

static int client_log_start(struct llite_mount *lm, const char *name,
			    struct obd_why *why)
{
	const char *cache = lm->llm_options.op_cache;
	struct path path;
	int rc;

	if (!cache[0])
		return client_log_follow(lm, name, NULL, why);
	rc = obd_directory("cache=", cache, &path, why);
	if (rc)
		return rc;
	rc = client_log_follow(lm, name, &path, why);
	path_put(&path);
	return rc;
}

static int volume_connect(const struct llite_client *lc, const char *name,
			  struct obd_export **exp, struct obd_why *why)
{
	struct obd_connect_data ocd = {
		.ocd_connect_flags = OBD_CONNECT_AT | OBD_CONNECT_IMP_RECOV,
	};
	struct obd_device *obd = name[0] ? class_name2obd(name) : NULL;
	int rc;

	if (!obd)
		return obd_refuse(why, -ENODEV,
				  "the log names volume '%s' but has not set it up; see the kernel log",
				  name);
	rc = obd_connect(exp, obd, &lc->llc_uuid, NULL, &ocd);
	class_decref(obd, OBD_REF_LOOKUP);
	if (rc)
		return obd_refuse(why, rc, "cannot connect to %s", name);
	return 0;
}

static int client_connect(struct llite_client *lc, const char *name,
			  struct obd_why *why)
{
	struct lustre_profile *lp = class_get_profile(name, lc->llc_instance);
	int rc;

	if (!lp)
		return obd_refuse(why, -ENOENT,
				  "log %s has no profile of that name; start the targets of the file system first",
				  name);
	rc = volume_connect(lc, lp->lp_dt, &lc->llc_dt, why);
	if (rc)
		goto put_profile;
	rc = volume_connect(lc, lp->lp_md, &lc->llc_md, why);
	if (rc) {
		obd_disconnect(lc->llc_dt);
		lc->llc_dt = NULL;
	}
put_profile:
	class_put_profile(lp);
	return rc;
}

static void client_disconnect(struct llite_client *lc)
{
	if (lc->llc_md)
		obd_disconnect(lc->llc_md);
	if (lc->llc_dt)
		obd_disconnect(lc->llc_dt);
	lc->llc_md = NULL;
	lc->llc_dt = NULL;
}

static void client_warn(const struct llite_mount *lm, const char *name,
			struct fs_context *fc)
{
	const struct llite_client *lc = &lm->llm_client;

	if (mgc_log_stale(lc->llc_log))
		llite_warn(fc, "%s: management service at %s does not answer; mounted from a copy of its log, which is updated when the service is back",
			   name, lm->llm_source.src_nodes);
	llite_imports_warn(lc->llc_instance, name, fc);
}

/**
 * llite_client_start() - start a client mount, without the super block
 * @lm: mount: source and options
 * @fc: context: network namespace, and log for warnings
 * @why: out: reason of a failure
 *
 * Context: may sleep, in bounded time; can be killed
 * Return: 0 or a negative errno; as mgc_get() and mgc_log_start()
 */
int llite_client_start(struct llite_mount *lm, struct fs_context *fc,
		       struct obd_why *why)
{
	struct llite_client *lc = &lm->llm_client;
	char name[PROFILE_MAX];
	int rc;

	client_name(lm, name, sizeof(name));
	client_identify(lc);
	lc->llc_checksums = true;
	llite_space_init(&lc->llc_space);
	ll_som_init(lc);
	ll_reopen_init(lc);
	lc->llc_stats = ll_stats_new();
	if (!lc->llc_stats)
		return -ENOMEM;
	lc->llc_mgc = mgc_get(fc->net_ns, lm->llm_source.src_nodes, why);
	if (IS_ERR(lc->llc_mgc)) {
		rc = PTR_ERR(lc->llc_mgc);
		goto free_stats;
	}
	rc = client_log_start(lm, name, why);
	if (rc)
		goto devices_down;
	rc = client_connect(lc, name, why);
	if (rc)
		goto end_log;
	rc = llite_client_params_add(lm);
	if (rc) {
		obd_refuse(why, rc, "%s: cannot add its parameters", name);
		goto disconnect;
	}
	client_warn(lm, name, fc);
	return 0;

disconnect:
	client_disconnect(lc);
end_log:
	mgc_log_end(lc->llc_log);
devices_down:
	llite_devices_down(lc->llc_instance, name, true);
	mgc_put(lc->llc_mgc);
free_stats:
	params_stats_free(lc->llc_stats);
	return rc;
}

/**
 * llite_client_stop() - undo llite_client_start()
 * @lm: mount
 *
 * Context: may sleep, in bounded time even without any server
 */
void llite_client_stop(struct llite_mount *lm)
{
	struct llite_client *lc = &lm->llm_client;
	char name[PROFILE_MAX];

	client_name(lm, name, sizeof(name));
	llite_client_params_del(lm);
	mgc_log_end(lc->llc_log);
	if (lm->llm_force)
		llite_imports_abort(lc->llc_instance);
	ll_closes_drain(lm);
	cancel_work_sync(&lc->llc_space.lls_work);
	client_disconnect(lc);
	llite_devices_down(lc->llc_instance, name, lm->llm_force);
	mgc_put(lc->llc_mgc);
	params_stats_free(lc->llc_stats);
}
