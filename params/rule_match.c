// SPDX-License-Identifier: GPL-2.0-only
/* Matches of rules and entries, and the claim that serializes their changes. */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>

#include <lustre_lite/libcfs.h>

#include "params_internal.h"
#include "rule.h"

/*
 * Guards lpe_ruled, matches, and counts of rules. Held over list operations
 * only.
 */
DEFINE_SPINLOCK(params_ruled_lock);

/* The rules of an entry, unless another task has claimed it. */
static bool params_ruled_try(struct lustre_params_entry *lpe,
			     struct params_ruled **ruled)
{
	bool free;

	spin_lock(&params_ruled_lock);
	*ruled = lpe->lpe_ruled;
	free = !*ruled || !(*ruled)->rud_claimed;
	if (*ruled)
		(*ruled)->rud_claimed = true;
	spin_unlock(&params_ruled_lock);
	return free;
}

/*
 * Claim an entry; NULL if it has no rules. Waits for the setters of another
 * task, as a writer of the same parameter might.
 */
static struct params_ruled *params_ruled_claim(struct lustre_params_entry *lpe)
{
	struct params_ruled *ruled;

	might_sleep();
	wait_var_event(&lpe->lpe_ruled, params_ruled_try(lpe, &ruled));
	return ruled;
}

/* Install @made, unless another task was faster. */
static bool params_ruled_install(struct lustre_params_entry *lpe,
				 struct params_ruled *made)
{
	bool first;

	spin_lock(&params_ruled_lock);
	first = !lpe->lpe_ruled;
	if (first)
		lpe->lpe_ruled = made;
	spin_unlock(&params_ruled_lock);
	return first;
}

/* As params_ruled_claim(), but NULL means allocation failure. */
static struct params_ruled *params_ruled_make(struct lustre_params_entry *lpe)
{
	struct params_ruled *ruled;
	struct params_ruled *made;

	while (!(ruled = params_ruled_claim(lpe))) {
		made = libcfs_zalloc(sizeof(*made), GFP_KERNEL);
		if (!made)
			return NULL;
		INIT_LIST_HEAD(&made->rud_matches);
		made->rud_claimed = true;
		if (params_ruled_install(lpe, made))
			return made;
		libcfs_free(made, sizeof(*made));
	}
	return ruled;
}

/* Release a claim; free @ruled if no rule applies any more. */
static void params_ruled_release(struct lustre_params_entry *lpe,
				 struct params_ruled *ruled)
{
	bool last;

	spin_lock(&params_ruled_lock);
	last = list_empty(&ruled->rud_matches);
	if (last)
		lpe->lpe_ruled = NULL;
	ruled->rud_claimed = false;
	spin_unlock(&params_ruled_lock);
	if (last) {
		params_ruled_drop_saved(ruled);
		libcfs_free(ruled, sizeof(*ruled));
	}
	/* A waiting task then sees the writes above. */
	smp_mb();
	wake_up_var(&lpe->lpe_ruled);
}

/*
 * The match of a rule in the list of an entry, or the match to insert it
 * before.
 */
static bool params_match_place(const struct params_ruled *ruled,
			       const struct params_rule *rule,
			       struct list_head **before)
{
	struct params_match *match;

	list_for_each_entry(match, &ruled->rud_matches, pm_of_entry) {
		*before = &match->pm_of_entry;
		if (match->pm_rule->prl_id <= rule->prl_id)
			return match->pm_rule == rule;
	}
	*before = (struct list_head *)&ruled->rud_matches;
	return false;
}

static bool params_match_is_there(struct lustre_params_entry *lpe,
				  const struct params_rule *rule)
{
	struct list_head *before;
	bool there;

	spin_lock(&params_ruled_lock);
	there = lpe->lpe_ruled &&
		params_match_place(lpe->lpe_ruled, rule, &before);
	spin_unlock(&params_ruled_lock);
	return there;
}

/* Add a match, unless there is one; the entry is claimed. Takes over @match. */
static void params_match_add(struct params_ruled *ruled,
			     struct params_match *match)
{
	struct params_rule *rule = match->pm_rule;
	struct list_head *before;
	bool there;

	spin_lock(&params_ruled_lock);
	there = params_match_place(ruled, rule, &before);
	if (!there) {
		/* The tail of the list whose head is @before: in front of it. */
		list_add_tail(&match->pm_of_entry, before);
		list_add_tail(&match->pm_of_rule, &rule->prl_matches);
		rule->prl_matched++;
	}
	spin_unlock(&params_ruled_lock);
	if (there)
		libcfs_free(match, sizeof(*match));
}

static void params_match_unlink(struct params_ruled *ruled,
				struct params_match *match)
{
	struct params_rule *rule = match->pm_rule;

	lockdep_assert_held(&params_ruled_lock);
	list_del_init(&match->pm_of_entry);
	list_del_init(&match->pm_of_rule);
	rule->prl_matched--;
	if (match->pm_refused && !--rule->prl_refused)
		rule->prl_why[0] = '\0';
	if (ruled->rud_winner == match)
		ruled->rud_winner = NULL;
}

/* Record that allocation of a match has failed. */
static void params_rule_lost(struct params_rule *rule)
{
	spin_lock(&params_ruled_lock);
	rule->prl_lost++;
	spin_unlock(&params_ruled_lock);
}

static void params_match_new(struct lustre_params_entry *lpe,
			     struct params_ruled *ruled,
			     struct params_rule *rule)
{
	struct params_match *match = libcfs_zalloc(sizeof(*match), GFP_KERNEL);

	if (!match) {
		params_rule_lost(rule);
		return;
	}
	match->pm_rule = rule;
	match->pm_lpe = lpe;
	params_match_add(ruled, match);
}

/* Whether a rule applies to a matching entry. -ENOMEM: unknown. */
static int params_rule_wants(const struct params_rule *rule,
			     struct lustre_params_entry *lpe)
{
	char *path;
	int rc;

	if (params_match_is_there(params_resolve(lpe), rule))
		return 0;
	if (!rule->prl_applies)
		return 1;
	path = kmalloc(PARAMS_PATH_MAX + 1, GFP_KERNEL);
	if (!path)
		return -ENOMEM;
	rc = params_entry_path(lpe, path, PARAMS_PATH_MAX + 1);
	rc = rc >= 0 && rule->prl_applies(path, rule->prl_data);
	kfree(path);
	return rc;
}

/* Reduce to the rules that apply to the entry and have no match yet. */
static unsigned int params_rules_filter(struct params_rule **rules,
				      unsigned int count,
				      struct lustre_params_entry *lpe)
{
	unsigned int left = 0;
	unsigned int n;
	int rc;

	for (n = 0; n < count; n++) {
		rc = params_rule_wants(rules[n], lpe);
		if (rc < 0)
			params_rule_lost(rules[n]);
		else if (rc)
			rules[left++] = rules[n];
	}
	return left;
}

static void params_ruled_join(struct params_rule **rules, unsigned int count,
			      struct lustre_params_entry *lpe, bool seen)
{
	struct params_ruled *ruled = params_ruled_make(lpe);
	unsigned int n;

	for (n = 0; n < count; n++) {
		if (ruled)
			params_match_new(lpe, ruled, rules[n]);
		else
			params_rule_lost(rules[n]);
	}
	if (!ruled)
		return;
	params_ruled_decide(lpe, ruled, seen);
	params_ruled_release(lpe, ruled);
}

/**
 * params_ruled_apply() - apply rules to an entry that their patterns match
 * @rules: the rules, in the order of their numbers; the array is consumed
 * @count: their number
 * @lpe: entry or link
 * @seen: it is visible, so an event is sent
 *
 * The entry has the value of its rules when this returns, unless it is being
 * removed. Rules do not apply to directories.
 *
 * Context: may sleep, for as long as setters do; no lock is held over these nor
 *  over prl_applies
 */
void params_ruled_apply(struct params_rule **rules, unsigned int count,
		       struct lustre_params_entry *lpe, bool seen)
{
	struct lustre_params_entry *target = params_resolve(lpe);

	if (params_is_dir(target))
		return;
	count = params_rules_filter(rules, count, lpe);
	if (!count || params_entry_activate(target))
		return;
	params_ruled_join(rules, count, target, seen);
	params_entry_deactivate(target);
}

/* The entry of a rule's first match, referenced; NULL without a match. */
static struct lustre_params_entry *params_rule_entry(struct params_rule *rule)
{
	struct lustre_params_entry *lpe = NULL;
	struct params_match *match;

	spin_lock(&params_ruled_lock);
	list_for_each_entry(match, &rule->prl_matches, pm_of_rule) {
		if (refcount_inc_not_zero(&match->pm_lpe->lpe_refcount))
			lpe = match->pm_lpe;
		else
			lpe = ERR_PTR(-EAGAIN);
		break;
	}
	spin_unlock(&params_ruled_lock);
	return lpe;
}

/* Remove the match of @rule, or with NULL all of them. */
static void params_match_end(struct params_ruled *ruled,
			     const struct params_rule *rule)
{
	struct params_match *match, *next;
	LIST_HEAD(ended);

	spin_lock(&params_ruled_lock);
	list_for_each_entry_safe(match, next, &ruled->rud_matches, pm_of_entry) {
		if (rule && match->pm_rule != rule)
			continue;
		params_match_unlink(ruled, match);
		list_add_tail(&match->pm_of_entry, &ended);
	}
	spin_unlock(&params_ruled_lock);
	list_for_each_entry_safe(match, next, &ended, pm_of_entry)
		libcfs_free(match, sizeof(*match));
}

/* Remove matches of an entry, and set its value accordingly. */
static void params_ruled_leave(struct lustre_params_entry *lpe,
			       const struct params_rule *rule, bool seen)
{
	struct params_ruled *ruled = params_ruled_claim(lpe);

	if (!ruled)
		return;
	params_match_end(ruled, rule);
	/* An entry being removed keeps its value. */
	if (!params_entry_activate(lpe)) {
		params_ruled_decide(lpe, ruled, seen);
		params_entry_deactivate(lpe);
	}
	params_ruled_release(lpe, ruled);
}

/*
 * Remove all matches of a rule that gets no new ones. May sleep, for as long as
 * setters do.
 */
void params_ruled_leave_all(struct params_rule *rule)
{
	struct lustre_params_entry *lpe;

	while ((lpe = params_rule_entry(rule))) {
		/* Its last put is in progress, and frees its matches. */
		if (!IS_ERR(lpe)) {
			params_ruled_leave(lpe, rule, true);
			params_entry_put(lpe);
		}
		cond_resched();
	}
}

/**
 * params_ruled_settle() - check that the rule of a restored value still exists
 * @lpe: entry on which the caller has a reference
 *
 * Context: may sleep, for as long as setters do
 */
void params_ruled_settle(struct lustre_params_entry *lpe)
{
	struct params_ruled *ruled;

	if (params_entry_activate(lpe))
		return;
	ruled = params_ruled_claim(lpe);
	if (ruled) {
		params_ruled_decide(lpe, ruled, true);
		params_ruled_release(lpe, ruled);
	} else if (params_write_begin_if(lpe, true)) {
		params_write_end_unruled(lpe, PARAMS_SOURCE_LOCAL);
	}
	params_entry_deactivate(lpe);
}

/* Clear refusals; returns whether there were any. The entry is claimed. */
static bool params_ruled_again(struct params_ruled *ruled)
{
	struct params_match *match;
	bool any = false;

	spin_lock(&params_ruled_lock);
	list_for_each_entry(match, &ruled->rud_matches, pm_of_entry) {
		if (!match->pm_refused)
			continue;
		any = true;
		match->pm_refused = false;
		if (!--match->pm_rule->prl_refused)
			match->pm_rule->prl_why[0] = '\0';
	}
	spin_unlock(&params_ruled_lock);
	return any;
}

/**
 * params_ruled_retry() - retry rules that were refused
 * @lpe: entry on which the caller has a reference, not a directory
 * @seen: it is visible, so an event is sent
 *
 * A value may depend on others that appear along with it.
 *
 * Context: may sleep, for as long as setters do
 */
void params_ruled_retry(struct lustre_params_entry *lpe, bool seen)
{
	struct params_ruled *ruled;

	lpe = params_resolve(lpe);
	if (params_is_dir(lpe) || params_entry_activate(lpe))
		return;
	ruled = params_ruled_claim(lpe);
	if (ruled) {
		if (params_ruled_again(ruled))
			params_ruled_decide(lpe, ruled, seen);
		params_ruled_release(lpe, ruled);
	}
	params_entry_deactivate(lpe);
}

/* Drop the rules of a removed entry; no callback of it runs. May sleep. */
void params_ruled_drop(struct lustre_params_entry *lpe)
{
	struct params_ruled *ruled;

	if (!S_ISREG(lpe->lpe_mode))
		return;
	ruled = params_ruled_claim(lpe);
	if (!ruled)
		return;
	params_match_end(ruled, NULL);
	params_ruled_release(lpe, ruled);
}

/**
 * params_ruled_undo() - an entry could not be added
 * @lpe: entry, possibly set by rules, and never linked
 *
 * Context: may sleep, for as long as its setter does
 */
void params_ruled_undo(struct lustre_params_entry *lpe)
{
	if (S_ISREG(lpe->lpe_mode))
		params_ruled_leave(lpe, NULL, false);
}
