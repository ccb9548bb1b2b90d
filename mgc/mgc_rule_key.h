/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Identity of settings: which of them set the same parameters. Pure, so that it
 * is tested in user space.
 */
#ifndef _MGC_RULE_KEY_H
#define _MGC_RULE_KEY_H

#include <linux/rbtree.h>
#include <linux/types.h>

/**
 * struct mgc_rule_key - the key of a setting; embedded in the setting
 * @rk_node: in a tree of settings
 * @rk_hash: of @rk_owner and @rk_pattern
 * @rk_instance: instance of its log, or 0
 * @rk_owner: file system, "general" or device
 * @rk_pattern: pattern of parameters
 */
struct mgc_rule_key {
	struct rb_node	rk_node;
	u32		rk_hash;
	u64		rk_instance;
	const char	*rk_owner;
	const char	*rk_pattern;
};

struct mgc_rule_key *mgc_rule_key_put(struct rb_root *root,
				      struct mgc_rule_key *key);
bool mgc_rule_key_same(const struct mgc_rule_key *a,
		       const struct mgc_rule_key *b);

#endif /* _MGC_RULE_KEY_H */
