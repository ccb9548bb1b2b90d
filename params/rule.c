// SPDX-License-Identifier: GPL-2.0
/* Rules: adding and deleting them, and their results. */
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

/* A rule and a visible entry that it matches. */
static void params_rule_hit(struct lustre_params_entry *lpe, void *data)
{
	struct params_rule *rule = data;

	params_ruled_meet(&rule, 1, lpe, true);
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
