// SPDX-License-Identifier: GPL-2.0-only
/*
 * The consumer of config logs: from a record to an applied command, and a
 * report of its result.
 *
 * A failed record does not end the log: later ones are often independent of it,
 * and the report has all results. A device whose setup failed is detached.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "../obd_internal.h"

/**
 * struct obd_config_step - a record being processed; too large for a stack
 * @index: of the record
 * @in: as in the log
 * @out: as applied
 * @names: rewritten names
 * @why: reason of a failure
 */
struct obd_config_step {
	u32			index;
	struct lcfg_view	in;
	struct lcfg_view	out;
	struct config_names	names;
	struct obd_why		why;
};

static const char *step_device(const struct obd_config_step *step)
{
	if (!step->out.bufcount || !step->out.buf[0].len)
		return "";
	return lcfg_string(&step->out, 0) ?: "";
}

/* Without cfg_report failures go to the console. */
static void step_log(const struct obd_config_step *step, enum obd_replay_done done,
		     int status)
{
	const char *name = lcfg_command_name(step->out.command);

	if (done == OBD_REPLAY_FAILED)
		CWARN("%s: record %u %s (0x%x): %s: rc = %d\n",
		      step_device(step), step->index, name, step->out.command,
		      step->why.text, status);
	else
		CDEBUG(D_CONFIG, "%s: record %u %s (0x%x) done as %d %s\n",
		       step_device(step), step->index, name, step->out.command,
		       done, step->why.text);
}

static int step_report(struct config_llog_instance *cfg,
		       const struct obd_config_step *step,
		       enum obd_replay_done done, int status)
{
	switch (done) {
	case OBD_REPLAY_APPLIED:
		cfg->cfg_applied++;
		break;
	case OBD_REPLAY_FAILED:
		cfg->cfg_failed++;
		break;
	case OBD_REPLAY_SKIPPED:
	case OBD_REPLAY_IGNORED:
		cfg->cfg_skipped++;
		break;
	case OBD_REPLAY_MARKER:
		break;
	}
	cfg->cfg_last_idx = step->index;
	if (cfg->cfg_report)
		return cfg->cfg_report(cfg, step->index, &step->out, done,
				       status, &step->why);
	step_log(step, done, status);
	return 0;
}

/* A device attached by this log is useless if its setup failed. */
static void step_detach(struct obd_config_step *step, struct obd_device *obd)
{
	size_t len = strlen(step->why.text);

	if (READ_ONCE(obd->obd_state) != OBD_ATTACHED ||
	    class_detach(obd, NULL))
		return;
	scnprintf(step->why.text + len, sizeof(step->why.text) - len,
		  "%sit was detached", len ? "; " : "");
}

/*
 * Optional commands may be unknown here, and parameters of other nodes may be
 * missing.
 */
static bool step_may_ignore(u32 command, int rc)
{
	if (command & LCFG_REQUIRED)
		return false;
	return rc == -EOPNOTSUPP ||
	       (rc == -ENOENT && command == LCFG_SET_PARAM);
}

/*
 * A log of a service may only reach devices that it attached: a record that
 * cleans up the management client would wait for itself. The device is held
 * until the command, so that it is the one checked.
 */
static int step_device_own(const struct config_rules *rules,
			   struct obd_config_step *step, struct obd_device **own)
{
	const char *name = step_device(step);
	struct obd_device *obd;

	if (rules->cr_log == CONFIG_LOG_LOCAL || !*name ||
	    !config_for_device(step->out.command))
		return 0;
	obd = class_name2obd(name);
	if (!obd)
		return 0;
	if (rules->cr_instance && obd->obd_instance == rules->cr_instance) {
		/*
		 * ATTACH creates another device: this one may be being removed.
		 */
		if (step->out.command == LCFG_ATTACH)
			class_decref(obd, OBD_REF_LOOKUP);
		else
			*own = obd;
		return 0;
	}
	class_decref(obd, OBD_REF_LOOKUP);
	return obd_refuse(&step->why, -EPERM,
			  "%.128s: is not a device that this log attached",
			  name);
}

/*
 * The hook comes first: it sets parameters by rules of its own, and notes the objects that a record
 * creates. Refused records do not reach it.
 */
static int step_run(struct config_llog_instance *cfg, struct obd_config_step *step,
		    struct obd_device **obd)
{
	int rc = step_device_own(&cfg->cfg_rules, step, obd);

	if (rc)
		return rc;
	rc = CONFIG_NOT_MINE;
	if (cfg->cfg_hook)
		rc = cfg->cfg_hook(cfg, step->index, &step->out, &step->why);
	if (rc != CONFIG_NOT_MINE)
		return rc;
	return obd_config_run(&step->out, cfg->cfg_rules.cr_instance,
			      cfg->cfg_net, cfg->cfg_dry_run, obd, &step->why);
}

static int step_apply(struct config_llog_instance *cfg,
		      struct obd_config_step *step)
{
	u32 command = step->out.command;
	struct obd_device *obd = NULL;
	int rc;

	rc = step_run(cfg, step, &obd);
	if (rc && obd && command == LCFG_SETUP && !cfg->cfg_dry_run)
		step_detach(step, obd);
	if (obd)
		class_decref(obd, OBD_REF_LOOKUP);
	if (!rc)
		return step_report(cfg, step, OBD_REPLAY_APPLIED, 0);
	return step_report(cfg, step, step_may_ignore(command, rc) ?
			   OBD_REPLAY_IGNORED : OBD_REPLAY_FAILED, rc);
}

static int step_bad(struct config_llog_instance *cfg, struct obd_config_step *step,
		    const char *words)
{
	const char *name = step_device(step);

	obd_refuse(&step->why, -EINVAL, "%.128s%s%s", name,
		   *name ? ": " : "", words);
	return step_report(cfg, step, OBD_REPLAY_FAILED, -EINVAL);
}

static int step_do(struct config_llog_instance *cfg, struct obd_config_step *step,
		   const struct llog_record *rec)
{
	const char *words = "is not a lustre_cfg";

	if (rec->type != OBD_CFG_REC)
		return step_bad(cfg, step, "is not a record of a config log");
	if (lustre_cfg_decode(rec->body, rec->body_len, &step->in, &words)) {
		memset(&step->out, 0, sizeof(step->out));
		return step_bad(cfg, step, words);
	}
	switch (config_rule(&cfg->cfg_rules, &step->in, &step->out,
			    &step->names, &words)) {
	case CONFIG_APPLY:
		return step_apply(cfg, step);
	case CONFIG_MARKER:
		return step_report(cfg, step, OBD_REPLAY_MARKER, 0);
	case CONFIG_SKIP:
		obd_refuse(&step->why, 0, "%s", words);
		return step_report(cfg, step, OBD_REPLAY_SKIPPED, 0);
	default:
		return step_bad(cfg, step, words);
	}
}

/**
 * class_config_llog_handler() - apply a record of a config log
 * @rec: record
 * @data: struct config_llog_instance
 *
 * For llog_process(). The result goes to cfg_report and into the counts;
 * ignored records count as skipped, markers do not count.
 *
 * Context: may sleep, for as long as the command does
 * Return: 0, also if the record failed; LLOG_PROC_BREAK from the report;
 *  -ENOMEM or -EINTR, and the record was not processed
 */
int class_config_llog_handler(const struct llog_record *rec, void *data)
{
	struct config_llog_instance *cfg = data;
	struct obd_config_step *step;
	int rc;

	if (rec->type == LLOG_PAD_MAGIC) {
		cfg->cfg_last_idx = rec->index;
		return 0;
	}
	if (fatal_signal_pending(current))
		return -EINTR;
	step = kzalloc(sizeof(*step), GFP_KERNEL_ACCOUNT);
	if (!step)
		return -ENOMEM;
	step->index = rec->index;
	rc = step_do(cfg, step, rec);
	kfree(step);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(class_config_llog_handler, LUSTRE_LITE);

static int config_log_check(struct llog_handle *log, struct llog_fault *fault)
{
	const struct llog_head *head = llog_handle_head(log);

	if ((head->flags & LLOG_F_IS_PLAIN) && !(head->flags & LLOG_F_IS_CAT))
		return 0;
	fault->what = "is not a config log, which is a plain log";
	fault->seen = head->flags;
	fault->want = LLOG_F_IS_PLAIN;
	return -EINVAL;
}

/**
 * class_config_parse_llog() - apply a config log, from the last position on
 * @log: log
 * @cfg: consumer; cfg_last_idx and the position relative to sections are
 *  preserved, so that a further call applies records appended meanwhile
 * @fault: out, first fault of the log; its text is NULL if there is none
 *
 * Context: may sleep, for as long as the commands do
 * Return: 0, also if records failed; -EINVAL unless it is a config log; -EIO
 *  for a damaged one, whose readable records were applied; as
 *  class_config_llog_handler() and llog_process()
 */
int class_config_parse_llog(struct llog_handle *log,
			    struct config_llog_instance *cfg,
			    struct llog_fault *fault)
{
	struct llog_result result = { 0 };
	int rc;

	memset(fault, 0, sizeof(*fault));
	rc = config_log_check(log, fault);
	if (rc)
		return rc;
	if (cfg->cfg_last_idx == U32_MAX)
		return 0;
	rc = llog_process(log, cfg->cfg_last_idx + 1, U32_MAX, 0,
			  class_config_llog_handler, cfg, &result);
	*fault = result.fault;
	return !rc && fault->what ? -EIO : rc;
}
EXPORT_SYMBOL_NS_GPL(class_config_parse_llog, LUSTRE_LITE);
