// SPDX-License-Identifier: GPL-2.0
/*
 * Logs followed along with a log, once for all logs of a client: settings of
 * all nodes, trials of settings, and the table of NIDs of its file system.
 */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/err.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "mgc_internal.h"

static struct mgc_log *sub_find(struct mgc_device *mg, enum config_type type,
				const char *name)
{
	struct mgc_log *log, *found = NULL;

	spin_lock(&mg->mg_lock);
	list_for_each_entry(log, &mg->mg_logs, ml_item) {
		if (log->ml_type != type || !log->ml_users ||
		    strcmp(log->ml_name, name))
			continue;
		log->ml_users++;
		found = mgc_log_get(log);
		break;
	}
	spin_unlock(&mg->mg_lock);
	return found;
}

/* Two tasks may start the same log concurrently: one of both is used. */
static struct mgc_log *sub_get(struct mgc_device *mg, enum config_type type,
			       const char *name, struct obd_why *why)
{
	static const struct mgc_follow plain;
	struct mgc_log *log;
	int rc;

	do {
		log = sub_find(mg, type, name);
		if (log)
			return log;
		log = mgc_log_new(mg, type, name, &plain, why);
		if (IS_ERR(log))
			return log;
		rc = mgc_log_begin(log);
		if (!rc)
			return log;
		mgc_log_put(log);
		cond_resched();
	} while (rc == -EEXIST);
	return ERR_PTR(rc);
}

/* @owner's work may still read it: it takes a reference under the lock. */
static void sub_put(struct mgc_log *owner, struct mgc_log **sub)
{
	struct mgc_log *log;
	bool last;

	spin_lock(&owner->ml_lock);
	log = *sub;
	*sub = NULL;
	spin_unlock(&owner->ml_lock);
	if (!log)
		return;
	spin_lock(&log->ml_mgc->mg_lock);
	last = !--log->ml_users;
	if (last)
		list_del_init(&log->ml_item);
	spin_unlock(&log->ml_mgc->mg_lock);
	if (last)
		mgc_log_stop(log);
	mgc_log_put(log);
}

static int sub_take(struct mgc_log **to, struct mgc_log *from)
{
	if (IS_ERR(from))
		return PTR_ERR(from);
	*to = from;
	return 0;
}

/**
 * mgc_subs_get() - follow the logs that a log needs
 * @log: log of type CONFIG, not started yet
 * @why: out: reason of a failure
 *
 * Context: may sleep; does not wait for the service
 * Return: 0, the caller must call mgc_subs_put(); as mgc_log_new() and
 *  mgc_log_begin()
 */
int mgc_subs_get(struct mgc_log *log, struct obd_why *why)
{
	struct mgc_device *mg = log->ml_mgc;
	int rc;

	rc = sub_take(&log->ml_params, sub_get(mg, CONFIG_T_PARAMS,
					       CONFIG_RES_PARAMS, why));
	if (!rc)
		rc = sub_take(&log->ml_trial, sub_get(mg, CONFIG_T_TRIAL,
						      CONFIG_RES_PARAMS, why));
	if (!rc && !(log->ml_flags & MGC_FOLLOW_NO_IR))
		rc = sub_take(&log->ml_recover, sub_get(mg, CONFIG_T_RECOVER,
							log->ml_fsname, why));
	if (rc)
		mgc_subs_put(log);
	return rc;
}

/**
 * mgc_subs_put() - undo mgc_subs_get()
 * @log: log
 *
 * Context: as mgc_log_stop()
 */
void mgc_subs_put(struct mgc_log *log)
{
	sub_put(log, &log->ml_recover);
	sub_put(log, &log->ml_trial);
	sub_put(log, &log->ml_params);
}
