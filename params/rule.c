// SPDX-License-Identifier: GPL-2.0
/*
 * The rules that there are, and finding those that match an entry.
 *
 * A rule is filed under the last component of its pattern where that is a plain
 * name, as most are: so an entry that appears asks for its own name, and looks at
 * few rules but those that are about it. A count by first component says of a
 * directory that no rule can match below it.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/rwsem.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringhash.h>

#include <lustre_lite/libcfs.h>

#include "params_internal.h"
#include "glob.h"
#include "rule.h"

#define PARAMS_RULES_BITS	8
#define PARAMS_RULES_SIZE	(1U << PARAMS_RULES_BITS)
#define PARAMS_RULES_ODD	PARAMS_RULES_SIZE	/* what is no plain name */

/**
 * struct params_rules - all rules
 * @rules_sem: guards all below. Held over matching of names; no callback, no
 *	allocation, no other lock but that of an active reference
 * @by_last: by hash of the last component, each list in the order of numbers
 * @by_first: how many there are by hash of the first component
 * @count: how many there are
 * @last_id: number of the newest one
 */
static struct {
	struct rw_semaphore	rules_sem;
	struct list_head	by_last[PARAMS_RULES_SIZE + 1];
	unsigned int		by_first[PARAMS_RULES_SIZE + 1];
	unsigned int		count;
	u64			last_id;
} params_rules;

/**
 * params_rules_init() - there are no rules yet
 *
 * Context: any
 */
void params_rules_init(void)
{
	unsigned int n;

	init_rwsem(&params_rules.rules_sem);
	for (n = 0; n <= PARAMS_RULES_SIZE; n++)
		INIT_LIST_HEAD(&params_rules.by_last[n]);
}

static unsigned int params_name_slot(const char *name, size_t len)
{
	return full_name_hash(NULL, name, len) & (PARAMS_RULES_SIZE - 1);
}

static unsigned int params_part_slot(const char *part)
{
	if (strpbrk(part, "*?[\\"))
		return PARAMS_RULES_ODD;
	return params_name_slot(part, strlen(part));
}

static unsigned int params_rule_last(const struct params_rule *rule)
{
	return params_part_slot(rule->pr_glob->pg_part[rule->pr_glob->pg_count - 1]);
}

static unsigned int params_rule_first(const struct params_rule *rule)
{
	return params_part_slot(rule->pr_glob->pg_part[0]);
}

/* From here on it is found. */
static void params_rule_file(struct params_rule *rule)
{
	down_write(&params_rules.rules_sem);
	rule->pr_id = ++params_rules.last_id;
	list_add_tail(&rule->pr_node,
		      &params_rules.by_last[params_rule_last(rule)]);
	params_rules.by_first[params_rule_first(rule)]++;
	WRITE_ONCE(params_rules.count, params_rules.count + 1);
	up_write(&params_rules.rules_sem);
	params_appear_changed();
}

static void params_rule_unfile(struct params_rule *rule)
{
	down_write(&params_rules.rules_sem);
	list_del_init(&rule->pr_node);
	params_rules.by_first[params_rule_first(rule)]--;
	WRITE_ONCE(params_rules.count, params_rules.count - 1);
	up_write(&params_rules.rules_sem);
}

/**
 * params_rules_any() - whether there are rules
 *
 * Context: any
 * Return: true when there are
 */
bool params_rules_any(void)
{
	return READ_ONCE(params_rules.count);
}

/**
 * params_rules_below() - whether a rule could match something below a directory
 * @dir: directory
 *
 * Context: may sleep
 * Return: false when none can
 */
bool params_rules_below(const struct lustre_params_entry *dir)
{
	const struct lustre_params_entry *top = dir;
	bool any;

	if (!params_rules_any())
		return false;
	if (!dir->lpe_parent)
		return true;
	while (top->lpe_parent->lpe_parent)
		top = top->lpe_parent;
	down_read(&params_rules.rules_sem);
	any = params_rules.by_first[PARAMS_RULES_ODD] ||
		params_rules.by_first[params_name_slot(top->lpe_name,
						       top->lpe_name_len)];
	up_read(&params_rules.rules_sem);
	return any;
}

/* Take rules of one list, as many as there is room for. */
static void params_rules_take(struct params_rules_some *some,
			      struct list_head *list,
			      const struct lustre_params_entry *lpe)
{
	struct params_rule *rule;

	list_for_each_entry(rule, list, pr_node) {
		if (some->rs_count == PARAMS_RULES_BATCH)
			return;
		if (rule->pr_id <= some->rs_after ||
		    !params_glob_names(rule->pr_glob, lpe) ||
		    !libcfs_active_get(&rule->pr_active))
			continue;
		some->rs_rules[some->rs_count++] = rule;
		some->rs_after = rule->pr_id;
	}
}

/**
 * params_rules_find() - the next of the rules that match an entry
 * @some: zeroed for the first ones; out, params_rules_put() is due when this
 *	returns true
 * @lpe: entry or link
 *
 * Context: may sleep
 * Return: false when there are no more
 */
bool params_rules_find(struct params_rules_some *some,
		       const struct lustre_params_entry *lpe)
{
	unsigned int slot = params_name_slot(lpe->lpe_name, lpe->lpe_name_len);

	some->rs_count = 0;
	down_read(&params_rules.rules_sem);
	if (!some->rs_odd)
		params_rules_take(some, &params_rules.by_last[slot], lpe);
	if (!some->rs_odd && !some->rs_count) {
		some->rs_odd = true;
		some->rs_after = 0;
	}
	if (some->rs_odd)
		params_rules_take(some,
				  &params_rules.by_last[PARAMS_RULES_ODD], lpe);
	up_read(&params_rules.rules_sem);
	return some->rs_count;
}

/**
 * params_rules_put() - done with some rules
 * @some: from params_rules_find()
 *
 * Context: any
 */
void params_rules_put(struct params_rules_some *some)
{
	unsigned int n = some->rs_count;

	while (n-- > 0)
		libcfs_active_put(&some->rs_rules[n]->pr_active);
}

static void params_rule_free(struct params_rule *rule)
{
	if (rule->pr_value)
		libcfs_free(rule->pr_value, strlen(rule->pr_value) + 1);
	params_glob_free(rule->pr_glob);
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
	INIT_LIST_HEAD(&rule->pr_matches);
	libcfs_active_init(&rule->pr_active, "params_rule");
	rule->pr_applies = spec->applies;
	rule->pr_data = spec->data;
	rule->pr_glob = params_glob_parse(spec->pattern, why);
	rc = PTR_ERR_OR_ZERO(rule->pr_glob);
	if (rc) {
		libcfs_free(rule, sizeof(*rule));
		return ERR_PTR(rc);
	}
	rule->pr_value = libcfs_zalloc(len + 1, GFP_KERNEL);
	if (!rule->pr_value) {
		params_rule_free(rule);
		return ERR_PTR(-ENOMEM);
	}
	memcpy(rule->pr_value, spec->value, len);
	libcfs_active_open(&rule->pr_active);
	return rule;
}

/* What a rule matches and can be seen by now. */
static void params_rule_hit(struct lustre_params_entry *lpe, void *data)
{
	struct params_rule *rule = data;

	params_ruled_meet(&rule, 1, lpe, true);
}

/**
 * params_rule_add() - add a rule, and set all that it is for
 * @spec: what is to be set; copied but for what @spec->data points to
 * @result: out, what became of it so far; of a refused pattern the words. NULL:
 *	nobody wants to know
 *
 * Context: may sleep, for as long as setters do. Not from a setter, nor under a
 * lock that a setter, or @spec->applies, takes
 * Return: the rule, params_rule_del() ends it; ERR_PTR of -EINVAL for what is no
 * pattern, or -ENOMEM
 */
struct params_rule *params_rule_add(const struct params_rule_spec *spec,
				    struct params_rule_result *result)
{
	struct params_reason why = { "" };
	struct params_rule *rule = params_rule_alloc(spec, &why);

	if (!IS_ERR(rule)) {
		params_rule_file(rule);
		params_glob_walk(rule->pr_glob, params_rule_hit, rule);
		if (result)
			params_rule_result(rule, result);
	} else if (result) {
		memset(result, 0, sizeof(*result));
		strscpy(result->why, why.text, sizeof(result->why));
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
 * params_rule_del() - end a rule, and give back what it had set
 * @rule: rule; NULL or ERR_PTR is ignored
 *
 * What it is the last one to have set gets the value of the rule before, else
 * the one that no rule gave, unless a person set it since.
 *
 * Context: as params_rule_add(); not from pr_applies of the rule
 */
void params_rule_del(struct params_rule *rule)
{
	if (IS_ERR_OR_NULL(rule))
		return;
	params_rule_unfile(rule);
	libcfs_active_kill(&rule->pr_active);
	libcfs_active_drain(&rule->pr_active, params_rule_name, rule->pr_glob);
	params_ruled_part(rule);
	params_rule_free(rule);
}
EXPORT_SYMBOL_NS_GPL(params_rule_del, LUSTRE_LITE);

/**
 * params_rule_result() - what became of a rule so far
 * @rule: rule
 * @result: out; of what is there now
 *
 * Context: any
 */
void params_rule_result(struct params_rule *rule,
			struct params_rule_result *result)
{
	spin_lock(&params_ruled_lock);
	result->matched = rule->pr_matched + rule->pr_lost;
	result->refused = rule->pr_refused + rule->pr_lost;
	strscpy(result->why, rule->pr_why, sizeof(result->why));
	spin_unlock(&params_ruled_lock);
	if (rule->pr_lost && !result->why[0])
		strscpy(result->why, "out of memory", sizeof(result->why));
}
EXPORT_SYMBOL_NS_GPL(params_rule_result, LUSTRE_LITE);
