// SPDX-License-Identifier: GPL-2.0
/*
 * Rules and what appears.
 *
 * An entry is given its value before it can be seen, and once more, if a rule or
 * an entry was added meanwhile, right after. Whoever adds a rule lets it be found
 * first, and then goes through what can be seen. So of an entry that appears and
 * a rule that is added at the same time at least one meets the other; that both
 * do is noticed by the match that is there.
 */
#include <linux/atomic.h>
#include <linux/string.h>

#include "params_internal.h"
#include "rule.h"

/* Rises when a rule is added, and when something is added that is hidden. */
static atomic_t params_appear_seq;

/**
 * params_appear_changed() - who is just publishing has to look again
 *
 * Context: any
 */
void params_appear_changed(void)
{
	atomic_inc_return(&params_appear_seq);
}

static void params_appear_one(struct lustre_params_entry *lpe, bool seen)
{
	struct params_rules_some some = { .rs_count = 0 };

	while (params_rules_find(&some, lpe)) {
		struct params_rule *rules[PARAMS_RULES_BATCH];

		memcpy(rules, some.rs_rules, sizeof(rules));
		params_ruled_meet(rules, some.rs_count, lpe, seen);
		params_rules_put(&some);
	}
}

static void params_appear_below(struct lustre_params_entry *dir, bool seen)
{
	struct lustre_params_entry *lpe;
	struct params_walk walk;

	if (!params_rules_below(dir))
		return;
	params_walk_start(&walk, dir, 0);
	while ((lpe = params_walk_next(&walk)))
		if (!params_is_dir(lpe))
			params_appear_one(lpe, seen);
	params_walk_end(&walk);
}

/**
 * params_appear_begin() - a directory that is hidden is going to be shown
 * @dir: directory
 *
 * Context: may sleep, for as long as setters do
 * Return: for params_appear_end()
 */
int params_appear_begin(struct lustre_params_entry *dir)
{
	int begun = atomic_read(&params_appear_seq);

	if (!params_entry_hidden(dir->lpe_parent))
		params_appear_below(dir, false);
	return begun;
}

/**
 * params_appear_end() - a directory was shown
 * @dir: directory; the gate was opened by an operation that orders
 * @begun: from params_appear_begin()
 *
 * Context: may sleep, for as long as setters do
 */
void params_appear_end(struct lustre_params_entry *dir, int begun)
{
	if (atomic_read(&params_appear_seq) != begun &&
	    !params_entry_hidden(dir))
		params_appear_below(dir, true);
}

/**
 * params_appear_linking() - an entry is going to be added
 * @lpe: entry that nobody can find yet; its gate is open
 *
 * Context: may sleep, for as long as its setter does
 */
void params_appear_linking(struct lustre_params_entry *lpe)
{
	if (params_rules_any() && !params_is_dir(lpe) &&
	    !params_entry_hidden(lpe))
		params_appear_one(lpe, false);
}

/**
 * params_appear_linked() - an entry was added
 * @lpe: entry on which the caller has a reference; it may be removed by now
 *
 * Context: may sleep, for as long as its setter does
 */
void params_appear_linked(struct lustre_params_entry *lpe)
{
	if (!params_rules_any() || params_is_dir(lpe))
		return;
	/* Who publishes a directory above either sees this, or is seen here. */
	params_appear_changed();
	if (!params_entry_hidden(lpe))
		params_appear_one(lpe, true);
}
