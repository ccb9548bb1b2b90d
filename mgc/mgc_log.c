// SPDX-License-Identifier: GPL-2.0-only
/*
 * A followed log: create, start and end. Its life is drawn in mgc_internal.h.
 *
 * Callbacks of the lock have a number, not a pointer: after the end of a log
 * they find none.
 */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/err.h>
#include <linux/file.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/path.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/xarray.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "mgc_internal.h"

/* Every log that has not ended, by ml_id; its lock guards taking a reference. */
static DEFINE_XARRAY_ALLOC1(logs_by_id);

static const u8 log_moves[MGC_LOG_STATE_COUNT] = {
	[MGC_LOG_NEW]		= BIT(MGC_LOG_CURRENT) | BIT(MGC_LOG_ENDED),
	[MGC_LOG_CURRENT]	= BIT(MGC_LOG_BEHIND) | BIT(MGC_LOG_ENDED),
	[MGC_LOG_BEHIND]	= BIT(MGC_LOG_CURRENT) | BIT(MGC_LOG_ENDED),
};

/**
 * mgc_log_move() - change the state of a log; no other function does
 * @log: log
 * @to: new state; an illegal transition has no effect
 *
 * Context: under ml_lock
 */
void mgc_log_move(struct mgc_log *log, enum mgc_log_state to)
{
	lockdep_assert_held(&log->ml_lock);
	if (log_moves[log->ml_state] & BIT(to))
		WRITE_ONCE(log->ml_state, to);
}

/* "lustre" of "lustre-OST0001". Return: 0; -EINVAL for a log of no file system */
static int log_fsname(const char *log, char *fsname, size_t size)
{
	const char *end = strrchr(log, '-');

	if (!end || end == log || end - log >= size)
		return -EINVAL;
	memcpy(fsname, log, end - log);
	fsname[end - log] = '\0';
	return 0;
}

/**
 * mgc_log_get() - take a reference
 * @log: log that the caller references
 *
 * Context: any
 * Return: @log
 */
struct mgc_log *mgc_log_get(struct mgc_log *log)
{
	refcount_inc(&log->ml_refcount);
	return log;
}

static void log_free(struct mgc_log *log)
{
	WARN_ON_ONCE(log->ml_dlm);
	mgc_rules_free(log);
	mgc_conns_free(log);
	mgc_created_free(log);
	mgc_nidtbl_free(log);
	if (log->ml_file)
		fput(log->ml_file);
	if (log->ml_copies.mnt)
		path_put(&log->ml_copies);
	libcfs_free(log->ml_exclude, log->ml_exclude_size);
	mutex_destroy(&log->ml_rules_mutex);
	mutex_destroy(&log->ml_mutex);
	libcfs_free(log, sizeof(*log));
}

/**
 * mgc_log_put() - drop a reference; the last put frees it
 * @log: log
 *
 * Context: may sleep
 */
void mgc_log_put(struct mgc_log *log)
{
	if (refcount_dec_and_test(&log->ml_refcount))
		log_free(log);
}

/**
 * mgc_log_by_id() - look up a log
 * @id: number
 *
 * Context: any but an interrupt
 * Return: log, referenced; NULL if it has ended
 */
struct mgc_log *mgc_log_by_id(u32 id)
{
	struct mgc_log *log;

	xa_lock(&logs_by_id);
	log = xa_load(&logs_by_id, id);
	if (log)
		mgc_log_get(log);
	xa_unlock(&logs_by_id);
	return log;
}

/**
 * mgc_log_next() - iterate over the logs of a device
 * @mg: device
 * @seq: in: start after the log of that number; out: of the returned one
 *
 * Context: any
 * Return: log, referenced, or NULL at the end
 */
struct mgc_log *mgc_log_next(struct mgc_device *mg, u64 *seq)
{
	struct mgc_log *log, *found = NULL;

	spin_lock(&mg->mg_lock);
	list_for_each_entry(log, &mg->mg_logs, ml_item) {
		if (log->ml_seq <= *seq)
			continue;
		found = mgc_log_get(log);
		*seq = log->ml_seq;
		break;
	}
	spin_unlock(&mg->mg_lock);
	return found;
}

static int log_copy_follow(struct mgc_log *log, const struct mgc_follow *follow,
			   struct obd_why *why)
{
	struct config_rules *rules = &log->ml_cfg.cfg_rules;
	const char *exclude = follow->exclude ?: "";
	const char *uuid = follow->uuid ?: "";

	if (strscpy(rules->cr_uuid, uuid, sizeof(rules->cr_uuid)) < 0)
		return obd_refuse(why, -ENAMETOOLONG,
				  "uuid '%.64s' is longer than %d bytes", uuid,
				  UUID_MAX - 1);
	rules->cr_instance = follow->instance;
	rules->cr_plain = follow->flags & MGC_FOLLOW_SERVER;
	log->ml_flags = follow->flags;
	log->ml_exclude_size = strlen(exclude) + 1;
	log->ml_exclude = libcfs_zalloc(log->ml_exclude_size, GFP_KERNEL);
	if (!log->ml_exclude)
		return -ENOMEM;
	memcpy(log->ml_exclude, exclude, log->ml_exclude_size);
	rules->cr_exclude = log->ml_exclude;
	if (follow->copies) {
		log->ml_copies = *follow->copies;
		path_get(&log->ml_copies);
	}
	return 0;
}

/* Restrict the commands by kind of log; ml_name is set. */
static void log_limit(struct mgc_log *log)
{
	struct config_rules *rules = &log->ml_cfg.cfg_rules;

	if (log->ml_type != CONFIG_T_CONFIG) {
		rules->cr_log = CONFIG_LOG_PARAMS;
	} else if (log->ml_flags & MGC_FOLLOW_SERVER) {
		rules->cr_log = CONFIG_LOG_TARGET;
		rules->cr_target = log->ml_name;
	} else {
		rules->cr_log = CONFIG_LOG_CLIENT;
	}
}

static int log_names(struct mgc_log *log, const char *name, struct obd_why *why)
{
	int rc = -EINVAL;

	/* It is the name of copies, too. */
	if (strscpy(log->ml_name, name, sizeof(log->ml_name)) <= 0 ||
	    name[0] == '.' || strchr(name, '/'))
		return obd_refuse(why, rc, "'%.64s' is not the name of a log", name);
	if (log->ml_type != CONFIG_T_CONFIG) {
		strscpy(log->ml_fsname, name, sizeof(log->ml_fsname));
		return 0;
	}
	rc = log_fsname(name, log->ml_fsname, sizeof(log->ml_fsname));
	if (rc)
		obd_refuse(why, rc,
			   "'%.64s' is not a log of a file system; use FSNAME-client or FSNAME-OST0001, FSNAME has 1 to %d bytes",
			   name, LUSTRE_MAXFSNAME);
	return rc;
}

static void log_init(struct mgc_log *log, struct mgc_device *mg,
		     enum config_type type)
{
	refcount_set(&log->ml_refcount, 1);
	log->ml_mgc = mg;
	log->ml_net = mg->mg_obd->obd_net;
	log->ml_users = 1;
	log->ml_type = type;
	INIT_LIST_HEAD(&log->ml_item);
	INIT_DELAYED_WORK(&log->ml_work, mgc_follow_work);
	INIT_DELAYED_WORK(&log->ml_save, mgc_copy_save_work);
	init_completion(&log->ml_first);
	spin_lock_init(&log->ml_lock);
	mutex_init(&log->ml_mutex);
	INIT_LIST_HEAD(&log->ml_rules);
	log->ml_rules_by_key = RB_ROOT;
	INIT_LIST_HEAD(&log->ml_next);
	mutex_init(&log->ml_rules_mutex);
	INIT_LIST_HEAD(&log->ml_conns);
	INIT_LIST_HEAD(&log->ml_nids);
	INIT_LIST_HEAD(&log->ml_created);
	hash_init(log->ml_created_hash);
}

/* Return: log in MGC_LOG_NEW, referenced; -EINVAL, -ENAMETOOLONG, -ENOMEM */
static struct mgc_log *log_new(struct mgc_device *mg, enum config_type type,
			       const char *name, const struct mgc_follow *follow,
			       struct obd_why *why)
{
	struct mgc_log *log = libcfs_zalloc(sizeof(*log), GFP_KERNEL_ACCOUNT);
	int rc;

	if (!log)
		return ERR_PTR(-ENOMEM);
	log_init(log, mg, type);
	rc = log_names(log, name, why) ?: log_copy_follow(log, follow, why);
	if (!rc) {
		log_limit(log);
		return log;
	}
	mgc_log_put(log);
	return ERR_PTR(rc);
}

/*
 * Return: -EEXIST if it is followed already; -ESHUTDOWN if the device is
 *  stopping.
 */
static int __log_may_begin(const struct mgc_log *log)
{
	const struct mgc_log *other;

	if (log->ml_mgc->mg_stopping)
		return -ESHUTDOWN;
	list_for_each_entry(other, &log->ml_mgc->mg_logs, ml_item)
		if (other->ml_type == log->ml_type &&
		    !strcmp(other->ml_name, log->ml_name) &&
		    other->ml_cfg.cfg_rules.cr_instance ==
		    log->ml_cfg.cfg_rules.cr_instance)
			return -EEXIST;
	return 0;
}

/*
 * Start to follow a log. Return: 0, the caller must call mgc_log_stop(); -EEXIST if it is
 * followed with that instance; -ESHUTDOWN, -ENOMEM
 */
static int log_begin(struct mgc_log *log)
{
	struct mgc_device *mg = log->ml_mgc;
	int rc = xa_alloc(&logs_by_id, &log->ml_id, log, xa_limit_31b,
			  GFP_KERNEL);

	if (rc)
		return rc;
	spin_lock(&mg->mg_lock);
	rc = __log_may_begin(log);
	if (!rc) {
		log->ml_seq = ++mg->mg_seq;
		list_add_tail(&mgc_log_get(log)->ml_item, &mg->mg_logs);
	}
	spin_unlock(&mg->mg_lock);
	if (rc)
		xa_erase(&logs_by_id, log->ml_id);
	else
		mgc_follow_notice(log, true);
	return rc;
}

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
		log = log_new(mg, type, name, &plain, why);
		if (IS_ERR(log))
			return log;
		rc = log_begin(log);
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

static void subs_put(struct mgc_log *log)
{
	sub_put(log, &log->ml_recover);
	sub_put(log, &log->ml_trial);
	sub_put(log, &log->ml_params);
}

/*
 * Follow the logs that a log of type CONFIG needs: settings of all nodes, trials of settings,
 * and the table of NIDs of its file system, each once for all logs of a client.
 */
static int subs_get(struct mgc_log *log, struct obd_why *why)
{
	struct mgc_device *mg = log->ml_mgc;
	int rc;

	rc = sub_take(&log->ml_params, sub_get(mg, CONFIG_T_PARAMS,
					       PARAMS_FILENAME, why));
	if (!rc)
		rc = sub_take(&log->ml_trial, sub_get(mg, CONFIG_T_TRIAL,
						      PARAMS_FILENAME, why));
	if (!rc && !(log->ml_flags & MGC_FOLLOW_NO_IR))
		rc = sub_take(&log->ml_recover, sub_get(mg, CONFIG_T_RECOVER,
							log->ml_fsname, why));
	if (rc)
		subs_put(log);
	return rc;
}

/**
 * mgc_log_stop() - end a log
 * @log: log; may have ended already
 *
 * When this returns no record of it is being applied, its settings are
 * reverted, and the cancel of its lock is on its way. A work that waits for the
 * service notices later.
 *
 * Context: sleeps, for as long as a record that is being applied takes
 */
void mgc_log_stop(struct mgc_log *log)
{
	struct mgc_device *mg = log->ml_mgc;
	bool first;

	spin_lock(&log->ml_lock);
	first = log->ml_state != MGC_LOG_ENDED;
	mgc_log_move(log, MGC_LOG_ENDED);
	spin_unlock(&log->ml_lock);
	if (!first)
		return;
	spin_lock(&mg->mg_lock);
	list_del_init(&log->ml_item);
	spin_unlock(&mg->mg_lock);
	xa_erase(&logs_by_id, log->ml_id);
	complete_all(&log->ml_first);
	wake_up_all(&mg->mg_wait);
	mgc_follow_unlock(log);
	if (cancel_delayed_work(&log->ml_work))
		mgc_log_put(log);
	if (cancel_delayed_work(&log->ml_save))
		mgc_log_put(log);
	mutex_lock(&log->ml_mutex);
	mgc_rules_free(log);
	mutex_unlock(&log->ml_mutex);
	mgc_copy_save_end(log);
	mgc_follow_unsubscribe(log);
	subs_put(log);
	mgc_log_put(log);
}

/* The service did not answer in time. */
static int log_without_service(struct mgc_log *log, struct obd_why *why)
{
	struct mgc_device *mg = log->ml_mgc;
	bool full = mgc_is_full(mg);
	int rc = mgc_copy_use(log);

	if (!rc)
		return 0;
	if (rc != -ENOENT)
		return obd_refuse(why, rc,
				  "%s: log %s: the management service does not answer, and the local copy %s",
				  mg->mg_obd->obd_name, log->ml_name,
				  rc == -EBADMSG ? "is damaged" :
						   "cannot be read");
	return obd_refuse(why, full ? -ETIMEDOUT : -ENOTCONN,
			  "%s: log %s: the management service does not answer, and there is no local copy",
			  mg->mg_obd->obd_name, log->ml_name);
}

static int log_answered(struct mgc_log *log, struct obd_why *why)
{
	const char *name = log->ml_mgc->mg_obd->obd_name;
	int rc = READ_ONCE(log->ml_error);

	if (mgc_log_ended(log))
		return obd_refuse(why, -ESHUTDOWN, "%s: is being cleaned up",
				  name);
	if (rc)
		return obd_refuse(why, rc == -EBADMSG ? -EIO : rc,
				  "%s: log %s %s", name, log->ml_name,
				  rc == -EBADMSG ? "is damaged" :
						   "cannot be read");
	if (log->ml_have.epoch)
		return 0;
	return obd_refuse(why, -ENOENT,
			  "%s: the management service has no log %s; check the name of the file system, and that its targets have registered",
			  name, log->ml_name);
}

static int log_wait(struct mgc_log *log, unsigned int seconds,
		    struct obd_why *why)
{
	long left = wait_for_completion_killable_timeout(&log->ml_first,
							 seconds * HZ);

	if (left > 0)
		return log_answered(log, why);
	if (left < 0)
		return obd_refuse(why, -EINTR, "%s: log %s: interrupted",
				  log->ml_mgc->mg_obd->obd_name, log->ml_name);
	return log_without_service(log, why);
}

/**
 * mgc_log_start() - follow a log
 * @mgc: device, of mgc_get()
 * @follow: options
 * @why: out: reason of a failure
 *
 * The settings of all nodes, trials of settings and, unless @follow says
 * otherwise, the table of NIDs of its file system are followed too, once for
 * all logs of the client that want them. Records that failed do not fail this:
 * they are reported on the console and to the service.
 *
 * Context: sleeps, up to follow->wait_sec for the service and then as long as
 *  the records take; can be killed
 * Return: log that was applied once, settings first; the caller must call
 *  mgc_log_end(). -ENOENT if the service has no such log; -ENOTCONN, -ETIMEDOUT
 *  if neither the service nor a copy is available; -EINTR; -EEXIST if it is
 *  followed with that instance already; -EIO for a damaged log
 */
struct mgc_log *mgc_log_start(struct obd_device *mgc,
			      const struct mgc_follow *follow,
			      struct obd_why *why)
{
	struct mgc_device *mg = mgc_device(mgc);
	struct mgc_log *log;
	int rc;

	if (!mg)
		return ERR_PTR(obd_refuse(why, -ENODEV, "%s: is not set up",
					  mgc->obd_name));
	log = log_new(mg, CONFIG_T_CONFIG, follow->log, follow, why);
	if (IS_ERR(log))
		return log;
	rc = subs_get(log, why);
	if (rc)
		goto put_log;
	rc = log_begin(log);
	if (rc) {
		obd_refuse(why, rc, "%s: log %s %s", mgc->obd_name,
			   log->ml_name, rc == -EEXIST ?
			   "is followed with that instance already" :
			   "cannot be followed");
		goto put_subs;
	}
	rc = log_wait(log, follow->wait_sec, why);
	if (!rc)
		return log;
	mgc_log_end(log);
	return ERR_PTR(rc);

put_subs:
	subs_put(log);
put_log:
	mgc_log_put(log);
	return ERR_PTR(rc);
}
EXPORT_SYMBOL_NS_GPL(mgc_log_start, LUSTRE_LITE);

/**
 * mgc_log_end() - stop following a log
 * @log: log, of mgc_log_start(); the caller's reference is dropped
 *
 * Its devices stay; its settings are reverted.
 *
 * Context: as mgc_log_stop()
 */
void mgc_log_end(struct mgc_log *log)
{
	mgc_log_stop(log);
	mgc_log_put(log);
}
EXPORT_SYMBOL_NS_GPL(mgc_log_end, LUSTRE_LITE);

/**
 * mgc_log_stale() - whether a log came from a copy
 * @log: log
 *
 * Context: any
 * Return: true until the service has confirmed it
 */
bool mgc_log_stale(const struct mgc_log *log)
{
	return READ_ONCE(log->ml_stale);
}
EXPORT_SYMBOL_NS_GPL(mgc_log_stale, LUSTRE_LITE);
