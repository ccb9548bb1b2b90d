// SPDX-License-Identifier: GPL-2.0
/*
 * Applying the bytes of a log: devices and settings.
 *
 * A log that was written from scratch is read whole again. Existing devices
 * stay: commands that would create them again are skipped. New devices and
 * targets are created. Servers that the log no longer names are removed from
 * imports (mgc_conns.c), its former settings are reverted (mgc_rules.c), and
 * its former targets and devices are removed (mgc_created.c).
 */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/err.h>
#include <linux/file.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "mgc_internal.h"

static struct mgc_log *cfg_log(struct config_llog_instance *cfg)
{
	return cfg->cfg_data;
}

static bool is_again(const struct mgc_log *log)
{
	return log->ml_pass > 1;
}

/* Whether the device of a command exists, and for SETUP whether it is set up. */
static bool device_exists(const struct lcfg_view *view)
{
	const char *name = lcfg_string(view, 0) ?: "";
	struct obd_device *obd;
	bool exists;

	if (view->command != LCFG_ATTACH && view->command != LCFG_SETUP)
		return false;
	obd = class_name2obd(name);
	if (!obd)
		return false;
	exists = view->command == LCFG_ATTACH || obd_is_set_up(obd);
	class_decref(obd, OBD_REF_LOOKUP);
	return exists;
}

/* Called before each command. */
static int apply_hook(struct config_llog_instance *cfg, u32 index,
		      const struct lcfg_view *view, struct obd_why *why)
{
	struct mgc_log *log = cfg_log(cfg);
	bool exists;

	if (mgc_rules_mine(view))
		return mgc_rules_note(log, index, view, why);
	mgc_created_hook(log, view);
	exists = is_again(log) && device_exists(view);
	mgc_conns_hook(log, view, exists);
	return exists ? 0 : CONFIG_NOT_MINE;
}

/**
 * mgc_apply_failed() - report a failed record to the console and the service
 * @log: log
 * @index: of the record
 * @what: kind of record
 * @rc: a negative errno
 * @fmt: reason
 *
 * Context: under ml_mutex
 */
void mgc_apply_failed(struct mgc_log *log, u32 index, const char *what, int rc,
		      const char *fmt, ...)
{
	struct mgc_counts *counts = &log->ml_counts;
	struct obd_why words = {};
	va_list args;

	lockdep_assert_held(&log->ml_mutex);
	va_start(args, fmt);
	vscnprintf(words.text, sizeof(words.text), fmt, args);
	va_end(args);
	CWARN("%s: log %s, record %u %s: %s: rc = %d\n",
	      log->ml_mgc->mg_obd->obd_name, log->ml_name, index, what,
	      words.text, rc);
	if (!counts->failed++) {
		counts->failed_index = index;
		counts->why = words;
	}
}

/* An earlier pass has created the object: not an error. */
static bool is_there_already(const struct mgc_log *log, u32 command, int status)
{
	if (!is_again(log))
		return false;
	switch (command) {
	case LCFG_LOV_ADD_OBD:
	case LCFG_LOV_ADD_INA:
	case LCFG_ADD_MDC:
	case LCFG_POOL_NEW:
	case LCFG_POOL_ADD:
	case LCFG_MOUNTOPT:
		return status == -EEXIST || status == -EALREADY;
	case LCFG_LOV_DEL_OBD:
	case LCFG_DEL_MDC:
	case LCFG_POOL_DEL:
	case LCFG_POOL_REM:
	case LCFG_DEL_CONN:
	case LCFG_DEL_UUID:
	case LCFG_DEL_MOUNTOPT:
	case LCFG_CLEANUP:
	case LCFG_DETACH:
		return status == -ENOENT || status == -ENODEV;
	default:
		return false;
	}
}

static int apply_report(struct config_llog_instance *cfg, u32 index,
			const struct lcfg_view *view, enum obd_replay_done done,
			int status, const struct obd_why *why)
{
	struct mgc_log *log = cfg_log(cfg);

	if (done == OBD_REPLAY_FAILED &&
	    !is_there_already(log, view->command, status))
		mgc_apply_failed(log, index, lcfg_command_name(view->command),
				 status, "%s", why->text);
	else if (done == OBD_REPLAY_APPLIED || done == OBD_REPLAY_FAILED)
		log->ml_counts.applied++;
	return mgc_log_ended(log) ? LLOG_PROC_BREAK : 0;
}

static int apply_damaged(struct mgc_log *log, const struct llog_fault *fault)
{
	CERROR("%s: log %s is damaged at offset %llu, record %u: %s: rc = %d\n",
	       log->ml_mgc->mg_obd->obd_name, log->ml_name, fault->offset,
	       fault->index, fault->what ?: "cannot be read as a log", -EBADMSG);
	return -EBADMSG;
}

/* Apply the records of @file from the last position on. */
static int apply_records(struct mgc_log *log, struct file *file)
{
	struct llog_handle *handle = llog_open_file(file, 0);
	struct llog_fault fault = {};
	int rc;

	if (IS_ERR(handle)) {
		rc = PTR_ERR(handle);
		return rc == -ENOMEM ? rc : apply_damaged(log, &fault);
	}
	rc = class_config_parse_llog(handle, &log->ml_cfg, &fault);
	llog_close(handle);
	return rc == -EIO || rc == -EINVAL ? apply_damaged(log, &fault) : rc;
}

/* Restart at the first record, with counts of zero. */
static void apply_restart(struct mgc_log *log)
{
	struct config_llog_instance *cfg = &log->ml_cfg;

	log->ml_pass++;
	cfg->cfg_last_idx = 0;
	cfg->cfg_rules.cr_state = 0;
	cfg->cfg_net = log->ml_net;
	cfg->cfg_hook = apply_hook;
	cfg->cfg_report = apply_report;
	cfg->cfg_data = log;
	memset(&log->ml_counts, 0, sizeof(log->ml_counts));
}

/* The log does not exist, or no longer does. */
static void apply_none(struct mgc_log *log)
{
	if (!log->ml_have.born)
		return;
	CWARN("%s: the management service has removed log %s\n",
	      log->ml_mgc->mg_obd->obd_name, log->ml_name);
	mgc_rules_discard(log);
	mgc_rules_sync(log, true);
	memset(&log->ml_counts, 0, sizeof(log->ml_counts));
}

static int apply_file(struct mgc_log *log, struct mgc_part *part)
{
	bool anew = part->mpt_version.born != log->ml_have.born;
	int rc;

	if (anew)
		apply_restart(log);
	rc = part->mpt_tail ? mgc_tail_apply(log, part) :
			     apply_records(log, part->mpt_file);
	if (mgc_log_ended(log)) {
		mgc_rules_discard(log);
		return -ESHUTDOWN;
	}
	/*
	 * The readable part of a damaged log is applied, but nothing is
	 * reverted.
	 */
	mgc_rules_sync(log, anew && !rc);
	if (anew && !rc)
		mgc_conns_sync(log);
	if (!rc)
		mgc_created_sync(log, anew);
	mgc_nidtbl_again(log->ml_mgc);
	return rc;
}

static int apply_log(struct mgc_log *log, struct mgc_part *part)
{
	int rc = 0;

	if (!part->mpt_version.born)
		apply_none(log);
	else if (part->mpt_version.born != log->ml_have.born ||
		 part->mpt_version.generation != log->ml_have.generation)
		rc = apply_file(log, part);
	if (rc || part->mpt_tail)
		return rc;
	swap(log->ml_file, part->mpt_file);
	log->ml_whole = false;
	return 0;
}

/**
 * mgc_apply() - apply fetched bytes
 * @log: log
 * @part: fetched bytes, the continuation of the state of @log
 *
 * Context: under ml_mutex; sleeps, for as long as records take
 * Return: 0, also if records failed; -EBADMSG for a damaged log; -ENOMEM;
 *  -ESHUTDOWN if the log ended meanwhile
 */
int mgc_apply(struct mgc_log *log, struct mgc_part *part)
{
	int rc;

	lockdep_assert_held(&log->ml_mutex);
	if (mgc_is_log(log))
		rc = apply_log(log, part);
	else if (log->ml_type == CONFIG_T_TRIAL)
		rc = mgc_trial_apply(log, part);
	else
		rc = mgc_nidtbl_apply(log, part);
	if (rc)
		return rc;
	log->ml_have = part->mpt_version;
	WRITE_ONCE(log->ml_stale, part->mpt_copy);
	return 0;
}
