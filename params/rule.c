// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules: adding and deleting them, their results, and entries that appear.
 *
 * An entry is set to the value of its rules before it becomes visible, and once
 * more after that if a rule or an entry was added meanwhile. A new rule is
 * added to the index first, then counted, and then applied to the visible
 * entries. So if an entry and a rule appear at the same time, at least one of
 * the two finds the other; if both do, the second one finds the match.
 *
 * No setter runs for a hidden entry: its owner is not ready yet. Its directory
 * is marked instead, for the time when it is published. So publishing entries
 * without rules costs nothing.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/libcfs.h>

#include "params_internal.h"
#include "glob.h"
#include "rule.h"

static void params_rule_free(struct params_rule *rule)
{
	if (rule->prl_value)
		libcfs_free(rule->prl_value, strlen(rule->prl_value) + 1);
	params_glob_free(rule->prl_glob);
	libcfs_free(rule, sizeof(*rule));
}

static struct params_rule *params_rule_alloc(const struct params_rule_spec *spec,
					     struct params_reason *why)
{
	struct params_rule *rule = libcfs_zalloc(sizeof(*rule), GFP_KERNEL);
	size_t len = strlen(spec->value);
	int rc;

	if (!rule)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&rule->prl_matches);
	libcfs_active_init(&rule->prl_active, "params_rule");
	rule->prl_applies = spec->applies;
	rule->prl_data = spec->data;
	rule->prl_glob = params_glob_parse(spec->pattern, why);
	rc = PTR_ERR_OR_ZERO(rule->prl_glob);
	if (rc) {
		libcfs_free(rule, sizeof(*rule));
		return ERR_PTR(rc);
	}
	rule->prl_value = libcfs_zalloc(len + 1, GFP_KERNEL);
	if (!rule->prl_value) {
		params_rule_free(rule);
		return ERR_PTR(-ENOMEM);
	}
	memcpy(rule->prl_value, spec->value, len);
	libcfs_active_open(&rule->prl_active);
	return rule;
}

/* Number of rules added so far. */
static atomic_t params_appear_count;

/* A rule and a visible entry that it matches. */
static void params_rule_hit(struct lustre_params_entry *lpe, void *data)
{
	struct params_rule *rule = data;

	params_ruled_apply(&rule, 1, lpe, true);
}

static struct params_rule *params_rule_make(const struct params_rule_spec *spec,
					    struct params_reason *why)
{
	struct params_rule *rule = params_rule_alloc(spec, why);
	int rc;

	if (IS_ERR(rule))
		return rule;
	rc = params_rule_file(rule);
	if (rc) {
		params_rule_free(rule);
		return ERR_PTR(rc);
	}
	/* It can be found from here on. */
	atomic_inc_return(&params_appear_count);
	params_glob_walk(rule->prl_glob, params_rule_hit, rule);
	return rule;
}

/**
 * params_rule_add() - add a rule, and set the matching entries
 * @spec: the rule; copied except the object at @spec->data
 * @result: out, result so far; of a refused pattern the reason. May be NULL
 *
 * Context: may sleep, for as long as setters do. Not from a setter, nor under a
 *  lock that a setter, or @spec->applies, takes
 * Return: the rule, for params_rule_del(); ERR_PTR of -EINVAL for a malformed
 *  pattern, or -ENOMEM
 */
struct params_rule *params_rule_add(const struct params_rule_spec *spec,
				    struct params_rule_result *result)
{
	struct params_reason why = { "" };
	struct params_rule *rule = params_rule_make(spec, &why);

	if (!result)
		return rule;
	if (IS_ERR(rule)) {
		memset(result, 0, sizeof(*result));
		strscpy(result->why, why.text, sizeof(result->why));
	} else {
		params_rule_result(rule, result);
	}
	return rule;
}
EXPORT_SYMBOL_NS_GPL(params_rule_add, LUSTRE_LITE);

static void params_rule_name(void *arg, char *buf, size_t size)
{
	const struct params_glob *glob = arg;
	unsigned int n;
	int len = 0;

	for (n = 0; n < glob->pg_count; n++)
		len += scnprintf(buf + len, size - len, "%s%s", n ? "." : "rule ",
				 glob->pg_part[n]);
}

/**
 * params_rule_del() - delete a rule, and revert its settings
 * @rule: rule; NULL or ERR_PTR is ignored
 *
 * An entry that it was the last one to set gets the value of the previous rule,
 * or without one its value from before the rules, unless a user has set it
 * since.
 *
 * Context: as params_rule_add(); not from prl_applies of the rule
 */
void params_rule_del(struct params_rule *rule)
{
	if (IS_ERR_OR_NULL(rule))
		return;
	params_rule_unfile(rule);
	libcfs_active_kill(&rule->prl_active);
	libcfs_active_drain(&rule->prl_active, params_rule_name, rule->prl_glob);
	params_ruled_leave_all(rule);
	params_rule_free(rule);
}
EXPORT_SYMBOL_NS_GPL(params_rule_del, LUSTRE_LITE);

/**
 * params_rule_result() - result of a rule so far
 * @rule: rule
 * @result: out; for the current entries
 *
 * Context: any
 */
void params_rule_result(struct params_rule *rule,
			struct params_rule_result *result)
{
	spin_lock(&params_ruled_lock);
	result->matched = rule->prl_matched + rule->prl_lost;
	result->refused = rule->prl_refused + rule->prl_lost;
	strscpy(result->why, rule->prl_why, sizeof(result->why));
	spin_unlock(&params_ruled_lock);
	if (rule->prl_lost && !result->why[0])
		strscpy(result->why, "out of memory", sizeof(result->why));
}
EXPORT_SYMBOL_NS_GPL(params_rule_result, LUSTRE_LITE);

/**
 * params_appear_seq() - number of rules added so far
 *
 * Context: any
 * Return: a number that changes with each rule
 */
int params_appear_seq(void)
{
	return atomic_read(&params_appear_count);
}

static void params_appear_one(struct lustre_params_entry *lpe, bool seen)
{
	struct params_rules_some some = { .rs_count = 0 };

	while (params_rules_find(&some, lpe)) {
		struct params_rule *rules[PARAMS_RULES_BATCH];

		memcpy(rules, some.rs_rules, sizeof(rules));
		params_ruled_apply(rules, some.rs_count, lpe, seen);
		params_rules_put(&some);
	}
}

static void params_appear_walk(struct lustre_params_entry *dir, bool seen,
			       void (*visit)(struct lustre_params_entry *lpe,
					     bool seen))
{
	struct lustre_params_entry *lpe;
	struct params_walk walk;

	params_walk_start(&walk, dir, 0);
	while ((lpe = params_walk_next(&walk)))
		if (!params_is_dir(lpe))
			visit(lpe, seen);
	params_walk_end(&walk);
}

/*
 * Twice: a value refused because of a neighbour's value may be accepted after
 * that changed.
 */
static void params_appear_below(struct lustre_params_entry *dir, bool seen)
{
	if (!params_rules_below(dir))
		return;
	params_appear_walk(dir, seen, params_appear_one);
	params_appear_walk(dir, seen, params_ruled_retry);
}

/* Test and clear the mark of entries below that have not met their rules. */
static bool params_appear_due(struct params_dir *dir)
{
	bool due = READ_ONCE(dir->pd_appear);
	int seq = params_appear_seq();

	due |= READ_ONCE(dir->pd_appear_seq) != seq;
	WRITE_ONCE(dir->pd_appear, false);
	WRITE_ONCE(dir->pd_appear_seq, seq);
	/* Before the walk, which may miss entries marked from here on. */
	smp_mb();
	return due;
}

/**
 * params_appear_open() - a hidden directory is about to be published, or was
 * @dir: directory; its gate is opened by an ordering operation
 *
 * Called before and after.
 *
 * Context: may sleep, for as long as setters do
 */
void params_appear_open(struct lustre_params_entry *dir)
{
	/* Entries below a hidden directory wait for its publication. */
	if (!params_entry_hidden(dir->lpe_parent) &&
	    params_appear_due(dir->lpe_dir))
		params_appear_below(dir, !params_entry_hidden(dir));
}

/* Mark the directories above, for the task that publishes one of them. */
static void params_appear_note(struct lustre_params_entry *dir)
{
	for (; dir; dir = dir->lpe_parent)
		WRITE_ONCE(dir->lpe_dir->pd_appear, true);
}

static void params_appear_each(struct lustre_params_entry **lpes, size_t count,
			       bool seen)
{
	size_t n;

	for (n = 0; n < count; n++)
		params_appear_one(lpes[n], seen);
	for (n = 0; n < count; n++)
		params_ruled_retry(lpes[n], seen);
}

/**
 * params_appear_linking() - entries are about to be added, with open gates
 * @dir: to this directory
 * @lpes: the entries
 * @count: their number
 * @ap: out, for params_appear_linked()
 *
 * Context: may sleep, for as long as setters do
 */
void params_appear_linking(struct lustre_params_entry *dir,
			   struct lustre_params_entry **lpes, size_t count,
			   struct params_appear *ap)
{
	ap->ap_seq = params_appear_seq();
	ap->ap_match = params_rules_match_any(dir, lpes, count);
	if (ap->ap_match && !params_entry_hidden(dir))
		params_appear_each(lpes, count, false);
}

/**
 * params_appear_linked() - entries were added
 * @dir: to this directory
 * @lpes: the entries; the caller has a reference on each, they may be removed
 * @count: their number
 * @ap: from params_appear_linking()
 *
 * Context: may sleep, for as long as setters do
 */
void params_appear_linked(struct lustre_params_entry *dir,
			  struct lustre_params_entry **lpes, size_t count,
			  const struct params_appear *ap)
{
	if (!ap->ap_match && ap->ap_seq == params_appear_seq())
		return;
	params_appear_note(dir);
	/*
	 * The task that publishes a directory above sees the mark, or this task
	 * sees it published.
	 */
	smp_mb();
	if (!params_entry_hidden(dir))
		params_appear_each(lpes, count, true);
}
