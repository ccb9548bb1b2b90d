// SPDX-License-Identifier: GPL-2.0
/*
 * Rules and entries that appear.
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
#include <linux/string.h>

#include "params_internal.h"
#include "rule.h"

/* Number of rules added so far. */
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
