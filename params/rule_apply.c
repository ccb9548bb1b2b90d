// SPDX-License-Identifier: GPL-2.0-only
/*
 * Setting an entry to the value of its rules.
 *
 * A rule's write and a user's may overlap. Then the rule's comes last: it is
 * repeated until no other write has overlapped, see version.c. A user's write
 * that starts later wins, and the source tells so.
 */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/wait_bit.h>

#include <lustre_lite/libcfs.h>

#include "params_internal.h"
#include "change.h"
#include "rule.h"

/* Attempts of a rule to write without overlap; each waits up to 20 ms. */
#define PARAMS_RULE_TRIES	250

/**
 * struct params_rule_write - a rule's write in progress
 * @rw_change: the write
 * @rw_ruled: the entry's rules
 * @rw_force: override a user's value
 * @rw_wrote: the value was set, but another write overlapped
 * @rw_stays: a user's value was not overridden
 * @rw_source: previous enum params_source
 * @rw_why: reason of a refusal
 */
struct params_rule_write {
	struct params_change	rw_change;
	struct params_ruled	*rw_ruled;
	bool			rw_force;
	bool			rw_wrote;
	bool			rw_stays;
	u8			rw_source;
	struct params_reason	rw_why;
};

/* Drop the saved value of a claimed entry. May sleep. */
void params_ruled_drop_saved(struct params_ruled *ruled)
{
	if (ruled->rud_text)
		libcfs_free(ruled->rud_text, ruled->rud_len + 1);
	ruled->rud_text = NULL;
	ruled->rud_saved = false;
}

/* A value that cannot be read is restored to the declared default. */
static void params_save_default(struct params_ruled *ruled,
				const struct lustre_params_attr *attr)
{
	params_ruled_drop_saved(ruled);
	ruled->rud_saved = attr->has_def && params_type_is_number(attr->type);
	ruled->rud_bits = attr->def;
	ruled->rud_source = PARAMS_SOURCE_DEFAULT;
}

static int params_save_number(struct params_rule_write *rw)
{
	struct params_ruled *ruled = rw->rw_ruled;
	struct params_change *ch = &rw->rw_change;
	u64 bits;
	int rc;

	rc = params_value_number(ch->ch_lpe, &bits);
	if (rc)
		return rc;
	/* After an overlapping write it may be the rule's own value. */
	if (rw->rw_wrote && bits == ch->ch_number.u)
		return 0;
	ruled->rud_bits = bits;
	ruled->rud_source = rw->rw_source;
	ruled->rud_saved = true;
	return 0;
}

static int params_save_text(struct params_rule_write *rw)
{
	struct params_ruled *ruled = rw->rw_ruled;
	struct params_change *ch = &rw->rw_change;
	char *text, *copy;
	size_t len;
	int rc;

	rc = params_value_text(ch->ch_lpe, &text, &len);
	if (rc)
		return rc;
	if (rw->rw_wrote && len == ch->ch_len && !memcmp(text, ch->ch_text, len))
		goto free_text;
	rc = -ENOMEM;
	copy = libcfs_zalloc(len + 1, GFP_KERNEL);
	if (!copy)
		goto free_text;
	memcpy(copy, text, len);
	params_ruled_drop_saved(ruled);
	ruled->rud_text = copy;
	ruled->rud_len = len;
	ruled->rud_source = rw->rw_source;
	ruled->rud_saved = true;
	rc = 0;
free_text:
	kvfree(text);
	return rc;
}

/* Save the value from before the rules; the write has started. */
static int params_rule_save(struct params_rule_write *rw)
{
	struct lustre_params_entry *lpe = rw->rw_change.ch_lpe;
	const struct lustre_params_attr *attr = lpe->lpe_attr;
	int rc = -EACCES;

	if (params_type_is_number(attr->type))
		rc = params_save_number(rw);
	else if (attr->type == PARAMS_T_STRING && attr->get_str)
		rc = params_save_text(rw);
	if (!rc || rc == -ENOMEM)
		return rc;
	params_save_default(rw->rw_ruled, attr);
	return 0;
}

/* Whether rules may set a parameter of this type. */
static int params_rule_type_check(const struct lustre_params_entry *lpe,
				  struct params_reason *why)
{
	if (lpe->lpe_type == PARAMS_T_TRIGGER)
		params_refuse(why, "is a trigger and has no value");
	else if (lpe->lpe_type == PARAMS_T_STATS)
		params_refuse(why, "is statistics and cannot be set");
	else if (!(lpe->lpe_traits & PARAMS_EF_TUNABLE))
		params_refuse(why, "cannot be set");
	else
		return 0;
	return -EACCES;
}

/*
 * Names of bits with a sign start from the value before the rules: so the
 * result does not depend on the order in which rules and entries appear.
 */
static int params_rule_check(struct params_rule_write *rw)
{
	struct params_change *ch = &rw->rw_change;

	ch->ch_from_base = rw->rw_source == PARAMS_SOURCE_PERMANENT &&
		rw->rw_ruled->rud_saved && ch->ch_lpe->lpe_type == PARAMS_T_MASK;
	ch->ch_base = rw->rw_ruled->rud_bits;
	return params_change_check(ch, &rw->rw_why);
}

/* The write has started: save, and set. */
static int params_rule_set(struct params_rule_write *rw)
{
	int rc = 0;

	if (rw->rw_source != PARAMS_SOURCE_PERMANENT)
		rc = params_rule_save(rw);
	return rc ?: params_change_set(&rw->rw_change);
}

/* One attempt to write without overlap; *alone: it succeeded. */
static int params_rule_try(struct params_rule_write *rw, bool *alone)
{
	struct lustre_params_entry *lpe = rw->rw_change.ch_lpe;
	s64 state = params_state(lpe);
	int rc;

	*alone = true;
	rw->rw_source = params_state_source(state);
	rw->rw_stays = rw->rw_source == PARAMS_SOURCE_LOCAL && !rw->rw_force;
	if (rw->rw_stays)
		return 0;
	rc = params_rule_check(rw);
	if (rc)
		return rc;
	*alone = params_write_begin_alone(lpe, &state);
	if (!*alone)
		return 0;
	rc = params_rule_set(rw);
	if (rc) {
		params_write_end(lpe);
		return rc;
	}
	*alone = params_write_end_alone(lpe, state, PARAMS_SOURCE_PERMANENT);
	if (!*alone) {
		rw->rw_wrote = true;
		rw->rw_force = true;
	}
	return 0;
}

/* The end of other writes wakes no one: poll. */
static void params_rule_pause(struct lustre_params_entry *lpe)
{
	cond_resched();
	wait_var_event_timeout(&lpe->lpe_version,
			       params_state_quiet(params_state(lpe)),
			       max_t(long, HZ / 50, 1));
}

static int params_rule_try_all(struct params_rule_write *rw)
{
	bool alone = false;
	int tries;
	int rc;

	rc = params_rule_type_check(rw->rw_change.ch_lpe, &rw->rw_why);
	if (rc)
		return rc;
	for (tries = 0; tries < PARAMS_RULE_TRIES; tries++) {
		rc = params_rule_try(rw, &alone);
		if (rc || alone)
			return rc;
		params_rule_pause(rw->rw_change.ch_lpe);
	}
	params_refuse(&rw->rw_why, "other tasks keep setting it");
	return -EBUSY;
}

/* Record a refusal and its reason. */
static void params_match_refuse(struct params_match *match, int rc,
				const struct params_reason *why)
{
	struct lustre_params_entry *lpe = match->pm_lpe;
	struct params_rule *rule = match->pm_rule;
	char words[24] = "";

	if (!why->text[0])
		scnprintf(words, sizeof(words), "refused, errno %d", -rc);
	spin_lock(&params_ruled_lock);
	match->pm_refused = true;
	if (!rule->prl_refused++)
		scnprintf(rule->prl_why, sizeof(rule->prl_why), "%.32s/%.32s: %s%s",
			  lpe->lpe_parent->lpe_name, lpe->lpe_name, why->text,
			  words);
	spin_unlock(&params_ruled_lock);
}

/**
 * enum params_verdict - result of a match
 * @PARAMS_TAKEN: the entry has its value
 * @PARAMS_REFUSED: the entry refuses it
 * @PARAMS_STAYS: a user's value stays
 */
enum params_verdict {
	PARAMS_TAKEN,
	PARAMS_REFUSED,
	PARAMS_STAYS,
};

static enum params_verdict params_match_write(struct params_match *match,
					      struct params_rule_write *rw)
{
	struct params_change *ch = &rw->rw_change;
	int rc;

	ch->ch_lpe = params_entry_get(match->pm_lpe);
	ch->ch_text = match->pm_rule->prl_value;
	ch->ch_len = strlen(ch->ch_text);
	rc = params_rule_try_all(rw);
	if (rc)
		params_match_refuse(match, rc, &rw->rw_why);
	params_change_fini(ch);
	if (rc)
		return PARAMS_REFUSED;
	return rw->rw_stays ? PARAMS_STAYS : PARAMS_TAKEN;
}

static enum params_verdict params_match_apply(struct params_ruled *ruled,
					      struct params_match *match)
{
	static const struct params_reason none;
	struct params_rule_write *rw = kzalloc(sizeof(*rw), GFP_KERNEL);
	enum params_verdict verdict;

	if (!rw) {
		params_match_refuse(match, -ENOMEM, &none);
		return PARAMS_REFUSED;
	}
	rw->rw_ruled = ruled;
	rw->rw_force = match->pm_rule->prl_id > ruled->rud_top;
	verdict = params_match_write(match, rw);
	kfree(rw);
	if (verdict == PARAMS_TAKEN) {
		ruled->rud_winner = match;
		ruled->rud_top = max_t(u64, ruled->rud_top,
				       match->pm_rule->prl_id);
	}
	return verdict;
}

/* The newest match that was not refused. */
static struct params_match *params_ruled_best(struct params_ruled *ruled)
{
	struct params_match *match, *best = NULL;

	spin_lock(&params_ruled_lock);
	list_for_each_entry(match, &ruled->rud_matches, pm_of_entry) {
		if (match->pm_refused)
			continue;
		best = match;
		break;
	}
	spin_unlock(&params_ruled_lock);
	return best;
}

/* Restore the value from before the rules; needs no memory. */
static int params_saved_set(struct lustre_params_entry *lpe,
			    const struct params_ruled *ruled)
{
	int rc;

	if (ruled->rud_text)
		rc = lpe->lpe_attr->write(ruled->rud_text, ruled->rud_len,
					  lpe->lpe_data);
	else
		rc = params_value_set_number(lpe, ruled->rud_bits);
	return min_t(int, rc, 0);
}

/*
 * No rule with a value for the entry is left. A value that cannot be restored
 * stays and counts as set locally.
 */
static bool params_ruled_restore(struct lustre_params_entry *lpe,
				 struct params_ruled *ruled)
{
	enum params_source source = PARAMS_SOURCE_LOCAL;
	bool ours;

	ours = params_write_begin_if(lpe, true);
	if (ours) {
		if (ruled->rud_saved && !params_saved_set(lpe, ruled))
			source = ruled->rud_source;
		params_write_end_unruled(lpe, source);
	}
	params_ruled_drop_saved(ruled);
	ruled->rud_top = 0;
	return ours;
}

/**
 * params_ruled_decide() - set an entry to the value of its rules
 * @lpe: entry, active
 * @ruled: its rules, claimed
 * @seen: it is visible, so an event is sent
 *
 * Context: may sleep, for as long as its setter does
 */
void params_ruled_decide(struct lustre_params_entry *lpe,
			 struct params_ruled *ruled, bool seen)
{
	enum params_verdict verdict = PARAMS_REFUSED;
	struct params_match *best;

	while (verdict == PARAMS_REFUSED) {
		best = params_ruled_best(ruled);
		if (best && best == ruled->rud_winner)
			return;
		if (!best) {
			if (params_ruled_restore(lpe, ruled))
				verdict = PARAMS_TAKEN;
			break;
		}
		verdict = params_match_apply(ruled, best);
	}
	if (verdict == PARAMS_TAKEN && seen)
		params_event(LL_PARAMS_CHANGED, lpe);
}
