// SPDX-License-Identifier: GPL-2.0
/*
 * Trial of a setting: before it becomes permanent the service asks each node
 * whether any parameter would accept it. Nothing is set. It is not refused if
 * no parameter matches; one of conf_param (LCFG_PARAM) is, if the device
 * exists.
 */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "mgc_internal.h"

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

/**
 * mgc_trial_apply() - try a setting, unless it was tried before
 * @log: log of type TRIAL
 * @part: fetched bytes
 *
 * Context: under ml_mutex; sleeps as parameters do
 * Return: 0
 */
int mgc_trial_apply(struct mgc_log *log, const struct mgc_part *part)
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
