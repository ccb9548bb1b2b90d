/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rules: settings that stay, for what is there and for what appears.
 *
 * Each parameter that a rule is for has a match with it. The matches of an entry
 * hang off it, the newest rule's first, together with what the entry had before
 * any rule set it. Giving an entry its value is then a decision about the entry
 * alone:
 *
 *	the newest rule whose value it takes has it; if no rule is left, what was
 *	there before is given back; what a person set stays until a newer rule
 *	comes
 *
 * One task at a time decides for an entry: it claims it, changes the matches,
 * sets what has to be set, and lets go. Whoever changes something decides
 * afterwards, so the last one to do so has seen all of it.
 */
#ifndef _PARAMS_RULE_H
#define _PARAMS_RULE_H

#include <linux/list.h>
#include <linux/spinlock.h>

#include <lustre_lite/active.h>
#include <lustre_lite/params.h>

#include "params_text.h"

struct lustre_params_entry;
struct params_glob;
struct params_rule_node;

/**
 * struct params_rule - a rule
 * @pr_node: place among the rules of @pr_at
 * @pr_at: the node of the index where its pattern ends
 * @pr_id: number; a rule that was added later has a larger one
 * @pr_active: held around @pr_applies
 * @pr_glob: what it is for
 * @pr_value: text, its own copy
 * @pr_applies: see struct params_rule_spec
 * @pr_data: for it
 * @pr_matches: its matches
 * @pr_matched: how many those are
 * @pr_refused: how many of them did not take the value
 * @pr_lost: entries for which there was no memory for a match
 * @pr_why: words of the first refusal that there still is
 *
 * Belongs to who added it. It is found through the index, under its lock, and
 * through its matches, which are gone before it is.
 *
 * From @pr_matches on all is guarded by params_ruled_lock.
 */
struct params_rule {
	struct list_head	pr_node;
	struct params_rule_node	*pr_at;
	u64			pr_id;
	struct libcfs_active	pr_active;
	struct params_glob	*pr_glob;
	char			*pr_value;
	bool			(*pr_applies)(const char *path, void *data);
	void			*pr_data;
	struct list_head	pr_matches;
	u32			pr_matched;
	u32			pr_refused;
	u32			pr_lost;
	char			pr_why[PARAMS_RULE_WHY];
};

/**
 * struct params_match - a rule is for an entry
 * @pm_of_rule: place among the rule's matches
 * @pm_of_entry: place among the entry's, newest rule first
 * @pm_rule: rule
 * @pm_lpe: entry; no reference: it takes its matches along
 * @pm_refused: the entry did not take the value
 *
 * Guarded by params_ruled_lock; added and taken away by who claimed the entry.
 */
struct params_match {
	struct list_head		pm_of_rule;
	struct list_head		pm_of_entry;
	struct params_rule		*pm_rule;
	struct lustre_params_entry	*pm_lpe;
	bool				pm_refused;
};

/**
 * struct params_ruled - what rules have to do with an entry
 * @ru_matches: matches, newest rule first
 * @ru_claimed: a task decides
 * @ru_winner: whose value was set last; it may be overridden by a person's
 * @ru_top: number of the newest rule that ever won here: what a person sets
 *	stays in spite of this one and those before it
 * @ru_saved: there is a value to be given back
 * @ru_source: enum params_source of that value
 * @ru_bits: that value, of a numeric type
 * @ru_text: that value, of a STRING, with a NUL
 * @ru_len: its bytes
 *
 * @ru_matches and @ru_claimed are guarded by params_ruled_lock, the rest belongs
 * to who claimed the entry.
 */
struct params_ruled {
	struct list_head	ru_matches;
	bool			ru_claimed;
	struct params_match	*ru_winner;
	u64			ru_top;
	bool			ru_saved;
	u8			ru_source;
	u64			ru_bits;
	char			*ru_text;
	size_t			ru_len;
};

/**
 * struct params_appear - entries that are being added
 * @ap_seq: what params_appear_seq() was at first
 * @ap_match: rules match some of them
 */
struct params_appear {
	int	ap_seq;
	bool	ap_match;
};

extern spinlock_t params_ruled_lock;

/* rule_index.c */

#define PARAMS_RULES_BATCH	16

/**
 * struct params_rules_some - some of the rules that match an entry
 * @rs_count: how many
 * @rs_after: number of the last one
 * @rs_rules: the rules; libcfs_active_get() on each
 */
struct params_rules_some {
	unsigned int		rs_count;
	u64			rs_after;
	struct params_rule	*rs_rules[PARAMS_RULES_BATCH];
};

void params_rules_init(void);
int params_rule_file(struct params_rule *rule);
void params_rule_unfile(struct params_rule *rule);
bool params_rules_any(void);
bool params_rules_match_any(const struct lustre_params_entry *dir,
			    struct lustre_params_entry **lpes, size_t count);
bool params_rules_below(const struct lustre_params_entry *dir);
bool params_rules_find(struct params_rules_some *some,
		       const struct lustre_params_entry *lpe);
void params_rules_put(struct params_rules_some *some);

/* rule_match.c */
void params_ruled_meet(struct params_rule **rules, unsigned int count,
		       struct lustre_params_entry *lpe, bool seen);
void params_ruled_part(struct params_rule *rule);
void params_ruled_settle(struct lustre_params_entry *lpe);
void params_ruled_retry(struct lustre_params_entry *lpe, bool seen);
void params_ruled_forget(struct lustre_params_entry *lpe);
void params_ruled_undo(struct lustre_params_entry *lpe);

/* rule_apply.c */
void params_ruled_decide(struct lustre_params_entry *lpe,
			 struct params_ruled *ruled, bool seen);
void params_ruled_drop_saved(struct params_ruled *ruled);

/* rule_appear.c */
void params_appear_changed(void);
int params_appear_seq(void);
void params_appear_open(struct lustre_params_entry *dir);
void params_appear_linking(struct lustre_params_entry *dir,
			   struct lustre_params_entry **lpes, size_t count,
			   struct params_appear *ap);
void params_appear_linked(struct lustre_params_entry *dir,
			  struct lustre_params_entry **lpes, size_t count,
			  const struct params_appear *ap);

#endif /* _PARAMS_RULE_H */
