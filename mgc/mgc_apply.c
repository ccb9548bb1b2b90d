// SPDX-License-Identifier: GPL-2.0-only
/*
 * Applying the bytes of a log: devices and settings.
 *
 * A log that was written from scratch is read whole again, and so is one that does not
 * continue what was applied: the service's directory was restored from a backup. Existing
 * devices stay: commands that would create them again are skipped. New devices and
 * targets are created. Servers that the log no longer names are removed from
 * imports (mgc_conns.c), its former settings are reverted (mgc_rules.c), and
 * its former targets and devices are removed (mgc_created.c).
 */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/err.h>
#include <linux/file.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/file.h>
#include <lustre_lite/llog_format.h>

#include "mgc_internal.h"

/*
 * Appended bytes: the rest of the log is not read again, so that the cost of one more record
 * does not depend on the size of the log.
 *
 * The bytes are appended to the file, their records are applied, and then the head of the
 * log is updated to include them: until then they are not part of it. A concurrent reader
 * of the file (mgc_copy.c) has a copy of the head.
 */

/**
 * struct mgc_tail - appended bytes being processed
 * @log: log
 * @part: fetched bytes
 * @head: head of the log, as it will be
 * @head_bytes: the same, one chunk; followed by another chunk
 * @chunk: that one
 * @walk: position
 */
struct mgc_tail {
	struct mgc_log		*log;
	const struct mgc_part	*part;
	struct llog_head	head;
	u8			*head_bytes;
	u8			*chunk;
	struct llog_walk	walk;
};

static int tail_damaged(const struct mgc_tail *tail)
{
	CDEBUG(D_CONFIG, "%s: log %s: appended records do not match: reading all of it\n",
	       tail->log->ml_mgc->mg_obd->obd_name, tail->log->ml_name);
	return -EBADMSG;
}

/* The current head, which has the size of a chunk. */
static int tail_head(struct mgc_tail *tail)
{
	struct file *file = tail->log->ml_file;
	u8 start[sizeof(struct llog_rec_hdr)];
	struct llog_fault fault;
	u32 size;
	int rc;

	rc = libcfs_pread(file, 0, start, sizeof(start));
	if (rc < 0)
		return rc;
	if (llog_head_chunk_size(start, rc, &size))
		return tail_damaged(tail);
	tail->head_bytes = kvmalloc(2 * size, GFP_KERNEL);
	if (!tail->head_bytes)
		return -ENOMEM;
	tail->chunk = tail->head_bytes + size;
	rc = libcfs_pread(file, 0, tail->head_bytes, size);
	if (rc < 0)
		return rc;
	if (llog_head_decode(tail->head_bytes, rc, &tail->head, &fault) ||
	    tail->head.swapped)
		return tail_damaged(tail);
	tail->head.last_index = tail->part->mpt_version.last_index;
	return 0;
}

/* Add a record to the log; padding has no bit. Return: as the handler */
static int tail_record(struct mgc_tail *tail, struct llog_record *rec)
{
	u8 *byte = tail->head_bytes + tail->head.bitmap_offset + rec->index / 8;
	u8 bit = 1U << (rec->index % 8);

	if (rec->type != LLOG_PAD_MAGIC && !(*byte & bit)) {
		*byte |= bit;
		tail->head.count++;
	}
	rec->live = true;
	/* It was applied before an earlier failure; apply_file() has checked that it may be. */
	if (rec->index <= tail->log->ml_cfg.cfg_last_idx)
		return 0;
	return class_config_llog_handler(rec, &tail->log->ml_cfg);
}

/* Process the records of the current chunk. */
static int tail_records(struct mgc_tail *tail)
{
	struct llog_fault fault;
	struct llog_record rec;
	enum llog_step step;
	int rc = 0;

	while (!rc) {
		step = llog_walk_next(&tail->walk, &rec, &fault);
		if (step == LLOG_STEP_END)
			break;
		rc = step == LLOG_STEP_RECORD ? tail_record(tail, &rec) :
						tail_damaged(tail);
	}
	return rc;
}

static int tail_walk(struct mgc_tail *tail)
{
	const struct mgc_version *to = &tail->part->mpt_version;
	u32 size = tail->head.chunk_size;
	u64 from = tail->part->mpt_from.size, offset;
	int rc;

	llog_walk_init(&tail->walk, &tail->head);
	tail->walk.next_index = tail->part->mpt_from.last_index + 1;
	for (offset = round_down(from, size); offset < to->size; offset += size) {
		rc = libcfs_pread(tail->log->ml_file, offset, tail->chunk,
				  min_t(u64, size, to->size - offset));
		if (rc < 0)
			return rc;
		llog_walk_chunk(&tail->walk, tail->chunk, rc, offset);
		if (offset < from)
			tail->walk.at = from - offset;
		rc = tail_records(tail);
		if (rc)
			return rc;
	}
	return tail->walk.next_index == to->last_index + 1 ? 0 :
							     tail_damaged(tail);
}

static int tail_run(struct mgc_tail *tail)
{
	const struct mgc_part *part = tail->part;
	struct file *file = tail->log->ml_file;
	int rc;

	rc = libcfs_pwrite(file, part->mpt_from.size, part->mpt_bytes,
			   part->mpt_len) ?: tail_head(tail) ?: tail_walk(tail);
	if (rc)
		return rc;
	llog_head_put(tail->head_bytes, &tail->head);
	return libcfs_pwrite(file, 0, tail->head_bytes,
			     tail->head.chunk_size);
}

/* Return: 0, also if records failed, or the log ended meanwhile; -EAGAIN: fetch it whole */
static int tail_apply(struct mgc_log *log, const struct mgc_part *part)
{
	struct mgc_tail tail = { .log = log, .part = part };
	int rc;

	lockdep_assert_held(&log->ml_mutex);
	rc = tail_run(&tail);
	kvfree(tail.head_bytes);
	if (rc == -EBADMSG) {
		log->ml_whole = true;
		return -EAGAIN;
	}
	return rc == LLOG_PROC_BREAK ? 0 : rc;
}

/*
 * Trial of a setting: before it becomes permanent the service asks each node whether any
 * parameter would accept it. Nothing is set. It is not refused if no parameter matches; one
 * of conf_param (LCFG_PARAM) is, if the device exists.
 */

static int trial_set(struct mgc_log *log, const struct lcfg_view *view,
		     char *text, char *eq, struct obd_why *why)
{
	struct mgc_scope scope;
	struct params_rule_spec spec = {
		.pattern = text,
		.value = eq + 1,
		.applies = mgc_scope_applies,
		.data = &scope,
	};
	int rc;

	*eq = '\0';
	mgc_scope_init(&scope, log->ml_mgc, lcfg_string(view, 0) ?: "");
	rc = params_set_matching_where(&spec, PARAMS_W_DRY_RUN, why->text,
				       sizeof(why->text));
	if (rc == -ENOENT && view->command == LCFG_PARAM &&
	    class_param_missing(&spec))
		obd_refuse(why, -ENOENT,
			   "its device exists, but has no parameter '%.128s'",
			   text);
	return rc;
}

static bool is_trial(const struct lcfg_view *view)
{
	return (view->command == LCFG_SET_PARAM ||
		view->command == LCFG_PARAM) && view->bufcount >= 2;
}

/* Return: parameters that would accept it, or the first error */
static int trial_run(struct mgc_log *log, const struct mgc_part *part,
		     struct obd_why *why)
{
	const char *words = "is not a lustre_cfg";
	struct lcfg_view view;
	char *text, *eq;
	int rc;

	if (lustre_cfg_decode(part->mpt_bytes, part->mpt_len, &view, &words) ||
	    !is_trial(&view))
		return obd_refuse(why, -EPROTO, "the trial %s", words ?: "is not a setting");
	text = kstrdup(lcfg_string(&view, 1) ?: "", GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	eq = strchr(text, '=');
	if (eq && eq != text)
		rc = trial_set(log, &view, text, eq, why);
	else
		rc = obd_refuse(why, -EINVAL,
				"'%.128s' is not a setting; use NAME=VALUE", text);
	kfree(text);
	return rc;
}

/* Try a setting, unless it was tried before. */
static int trial_apply(struct mgc_log *log, const struct mgc_part *part)
{
	struct mgc_counts *counts = &log->ml_counts;
	int rc;

	if (!part->mpt_len ||
	    part->mpt_version.generation == log->ml_have.generation)
		return 0;
	memset(counts, 0, sizeof(*counts));
	rc = trial_run(log, part, &counts->why);
	CDEBUG(D_CONFIG, "%s: trial %llu: %s: rc = %d\n",
	       log->ml_mgc->mg_obd->obd_name, part->mpt_version.generation,
	       counts->why.text, rc);
	if (rc >= 0) {
		counts->applied = rc;
	} else if (rc != -ENOENT || counts->why.text[0]) {
		counts->failed = 1;
		if (!counts->why.text[0])
			obd_refuse(&counts->why, rc,
				   "the value was refused: errno %d", -rc);
	}
	if (!counts->failed)
		counts->why.text[0] = '\0';
	return 0;
}

/* Records, into devices and settings. */

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
	    !is_there_already(log, view->command, status)) {
		log->ml_counts.hidden |= mgc_created_hidden(view->command, status);
		mgc_apply_failed(log, index, lcfg_command_name(view->command),
				 status, "%s", why->text);
	} else if (done == OBD_REPLAY_APPLIED || done == OBD_REPLAY_FAILED) {
		log->ml_counts.applied++;
	}
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
	if (!log->ml_have.epoch)
		return;
	CWARN("%s: the management service has removed log %s\n",
	      log->ml_mgc->mg_obd->obd_name, log->ml_name);
	mgc_rules_discard(log);
	mgc_rules_sync(log, true);
	memset(&log->ml_counts, 0, sizeof(log->ml_counts));
}

/*
 * Whether a log is not the continuation of the applied one: it was rewritten, or it is an
 * older one of that epoch, of a restored directory, which may have changed since.
 */
static bool is_other(const struct mgc_log *log, const struct mgc_part *part)
{
	const struct mgc_version *to = &part->mpt_version;

	return log->ml_other || to->epoch != log->ml_have.epoch ||
	       to->generation < log->ml_have.generation ||
	       to->last_index < log->ml_cfg.cfg_last_idx;
}

/* Apply all of a log. Return: as apply_records(); -EAGAIN: fetch it whole */
static int apply_whole(struct mgc_log *log, const struct mgc_part *part)
{
	log->ml_other = true;
	if (part->mpt_tail)
		return -EAGAIN;
	if (part->mpt_version.epoch == log->ml_have.epoch)
		CWARN("%s: log %s does not continue the one that was applied; was the directory of the management service restored? Applying all of it\n",
		      log->ml_mgc->mg_obd->obd_name, log->ml_name);
	apply_restart(log);
	return apply_records(log, part->mpt_file);
}

static int apply_file(struct mgc_log *log, struct mgc_part *part)
{
	bool whole = is_other(log, part), sound;
	int rc;

	if (whole)
		rc = apply_whole(log, part);
	else
		rc = part->mpt_tail ? tail_apply(log, part) : apply_records(log, part->mpt_file);
	if (mgc_log_ended(log)) {
		mgc_rules_discard(log);
		return -ESHUTDOWN;
	}
	/*
	 * The readable part of a damaged log is applied, but nothing is
	 * reverted: a record that cannot be read may be of what it seems to miss.
	 */
	sound = !rc && !log->ml_counts.hidden;
	mgc_rules_sync(log, whole && sound);
	if (whole && sound)
		mgc_conns_sync(log);
	if (sound)
		mgc_created_sync(log, whole);
	mgc_nidtbl_again(log->ml_mgc);
	return rc;
}

static int apply_log(struct mgc_log *log, struct mgc_part *part)
{
	int rc = 0;

	if (!part->mpt_version.epoch)
		apply_none(log);
	else if (is_other(log, part) ||
		 part->mpt_version.generation != log->ml_have.generation)
		rc = apply_file(log, part);
	if (rc || part->mpt_tail)
		return rc;
	swap(log->ml_file, part->mpt_file);
	log->ml_whole = false;
	log->ml_other = false;
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
		rc = trial_apply(log, part);
	else
		rc = mgc_nidtbl_apply(log, part);
	if (rc)
		return rc;
	log->ml_have = part->mpt_version;
	WRITE_ONCE(log->ml_stale, part->mpt_copy);
	return 0;
}
