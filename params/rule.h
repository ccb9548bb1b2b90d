/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules: settings that persist, for entries that exist and for those that
 * appear.
 *
 * An entry has a match for each rule that applies to it. The matches hang off
 * the entry, newest rule first, with the entry's value from before the rules.
 * So the value of an entry depends on the entry alone: the newest rule that the
 * entry does not refuse sets it; without a rule the previous value is restored;
 * a value set by a user stays until a newer rule is added.
 *
 * One task at a time decides for an entry: it claims it, changes the matches,
 * sets the value, and releases the claim. A task that changes matches decides
 * afterwards, so the last one has seen all changes.
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
 * @prl_node: in the list of rules of @prl_at
 * @prl_at: the node of the index where its pattern ends
 * @prl_id: number; rises with each rule
 * @prl_active: held around @prl_applies
 * @prl_glob: pattern
 * @prl_value: text, its own copy
 * @prl_applies: see struct params_rule_spec
 * @prl_data: its argument
 * @prl_matches: its matches
 * @prl_matched: number of matches
 * @prl_refused: matches whose entry refused the value
 * @prl_lost: entries without a match because of allocation failures
 * @prl_why: reason of the first current refusal
 *
 * Owned by the task that added it. It is found through the index, under its
 * lock, and through its matches, which are freed before it.
 *
 * params_ruled_lock guards everything from @prl_matches on.
 */
struct params_rule {
	struct list_head	prl_node;
	struct params_rule_node	*prl_at;
	u64			prl_id;
	struct libcfs_active	prl_active;
	struct params_glob	*prl_glob;
	char			*prl_value;
	bool			(*prl_applies)(const char *path, void *data);
	void			*prl_data;
	struct list_head	prl_matches;
	u32			prl_matched;
	u32			prl_refused;
	u32			prl_lost;
	char			prl_why[PARAMS_RULE_WHY];
};

/**
 * struct params_match - a rule applies to an entry
 * @pm_of_rule: in the rule's list of matches
 * @pm_of_entry: in the entry's list, newest rule first
 * @pm_rule: rule
 * @pm_lpe: entry; not referenced: its matches are freed with it
 * @pm_refused: the entry refused the value
 *
 * Guarded by params_ruled_lock; added and removed by the task that has claimed
 * the entry.
 */
struct params_match {
	struct list_head		pm_of_rule;
	struct list_head		pm_of_entry;
	struct params_rule		*pm_rule;
	struct lustre_params_entry	*pm_lpe;
	bool				pm_refused;
};

/**
 * struct params_ruled - an entry's rules
 * @rud_matches: matches, newest rule first
 * @rud_claimed: a task decides
 * @rud_winner: the rule that set the value last; a user may have overridden it
 * @rud_top: number of the newest rule that ever won here: a user's value
 *  overrides this one and older ones
 * @rud_saved: a previous value is saved
 * @rud_source: enum params_source of that value
 * @rud_bits: that value, of a numeric type
 * @rud_text: that value, of a STRING, with a NUL
 * @rud_len: its bytes
 *
 * params_ruled_lock guards @rud_matches and @rud_claimed; the rest belongs to the
 * task that has claimed the entry.
 */
struct params_ruled {
	struct list_head	rud_matches;
	bool			rud_claimed;
	struct params_match	*rud_winner;
	u64			rud_top;
	bool			rud_saved;
	u8			rud_source;
	u64			rud_bits;
	char			*rud_text;
	size_t			rud_len;
};

/**
 * struct params_appear - entries being added
 * @ap_seq: params_appear_seq() at the start
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
 * struct params_rules_some - a batch of the rules that match an entry
 * @rs_count: number of rules
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
void params_ruled_apply(struct params_rule **rules, unsigned int count,
		       struct lustre_params_entry *lpe, bool seen);
void params_ruled_leave_all(struct params_rule *rule);
void params_ruled_settle(struct lustre_params_entry *lpe);
void params_ruled_retry(struct lustre_params_entry *lpe, bool seen);
void params_ruled_drop(struct lustre_params_entry *lpe);
void params_ruled_undo(struct lustre_params_entry *lpe);

/* rule_apply.c */
void params_ruled_decide(struct lustre_params_entry *lpe,
			 struct params_ruled *ruled, bool seen);
void params_ruled_drop_saved(struct params_ruled *ruled);

/* rule.c */
int params_appear_seq(void);
void params_appear_open(struct lustre_params_entry *dir);
void params_appear_linking(struct lustre_params_entry *dir,
			   struct lustre_params_entry **lpes, size_t count,
			   struct params_appear *ap);
void params_appear_linked(struct lustre_params_entry *dir,
			  struct lustre_params_entry **lpes, size_t count,
			  const struct params_appear *ap);

#endif /* _PARAMS_RULE_H */
