// SPDX-License-Identifier: GPL-2.0
/*
 * Rules and what appears.
 *
 * An entry is given its value before it can be seen, and right after, if a rule
 * or an entry was added meanwhile. Whoever adds a rule lets it be found first,
 * then counts it, and then goes through what can be seen. So of an entry that
 * appears and a rule that is added at the same time at least one meets the
 * other; that both do is noticed by the match that is there.
 *
 * No setter runs for what is hidden: its owner is not ready yet. What is noted
 * instead is that there is something to do when it is shown, so showing what no
 * rule is for costs no more than it did.
 */
#include <linux/atomic.h>
#include <linux/string.h>

#include "params_internal.h"
#include "rule.h"

/* Rises when a rule is added. */
static atomic_t params_appear_count;

/**
 * params_appear_changed() - a rule was added, and can be found
 *
 * Context: any
 */
void params_appear_changed(void)
{
	atomic_inc_return(&params_appear_count);
}

/**
 * params_appear_seq() - rules that were added until now
 *
 * Context: any
 * Return: a number that changes when one more is added
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
		params_ruled_meet(rules, some.rs_count, lpe, seen);
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

/* Twice: what is refused because of a neighbour's value may be taken after it. */
static void params_appear_below(struct lustre_params_entry *dir, bool seen)
{
	if (!params_rules_below(dir))
		return;
	params_appear_walk(dir, seen, params_appear_one);
	params_appear_walk(dir, seen, params_ruled_retry);
}

/* Whether something may be below that has not met its rules; it is noted no more. */
static bool params_appear_due(struct params_dir *dir)
{
	bool due = READ_ONCE(dir->pd_appear);
	int seq = params_appear_seq();

	due |= READ_ONCE(dir->pd_appear_seq) != seq;
	WRITE_ONCE(dir->pd_appear, false);
	WRITE_ONCE(dir->pd_appear_seq, seq);
	/* Before the walk: what is noted from here on, it may not see. */
	smp_mb();
	return due;
}

/**
 * params_appear_open() - a directory that is hidden is going to be shown, or was
 * @dir: directory; its gate is opened by an operation that orders
 *
 * Called before and after.
 *
 * Context: may sleep, for as long as setters do
 */
void params_appear_open(struct lustre_params_entry *dir)
{
	/* What is below a directory that is hidden waits for that. */
	if (!params_entry_hidden(dir->lpe_parent) &&
	    params_appear_due(dir->lpe_dir))
		params_appear_below(dir, !params_entry_hidden(dir));
}

/* Who shows one of the directories above has something to do. */
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
 * params_appear_linking() - entries are going to be added, their gates are open
 * @dir: to this directory
 * @lpes: the entries
 * @count: how many
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
 * @count: how many
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
	/* Who shows a directory above sees the note, or is seen to have shown it. */
	smp_mb();
	if (!params_entry_hidden(dir))
		params_appear_each(lpes, count, true);
}
