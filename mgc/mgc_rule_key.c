// SPDX-License-Identifier: GPL-2.0-only
/* Identity of settings; see mgc_rule_key.h. */
#include <linux/kernel.h>
#include <linux/string.h>

#include "mgc_rule_key.h"

/* By hash first: so texts are rarely compared. */
static int key_compare(const struct mgc_rule_key *a, const struct mgc_rule_key *b)
{
	if (a->rk_hash != b->rk_hash)
		return a->rk_hash < b->rk_hash ? -1 : 1;
	if (a->rk_instance != b->rk_instance)
		return a->rk_instance < b->rk_instance ? -1 : 1;
	return strcmp(a->rk_owner, b->rk_owner) ?:
	       strcmp(a->rk_pattern, b->rk_pattern);
}

/**
 * mgc_rule_key_same() - whether two settings set the same parameters
 * @a: one
 * @b: another
 *
 * Context: any
 * Return: true if they do
 */
bool mgc_rule_key_same(const struct mgc_rule_key *a,
		       const struct mgc_rule_key *b)
{
	return !key_compare(a, b);
}

/**
 * mgc_rule_key_put() - insert a setting into a tree, replacing the one of the
 * same key
 * @root: tree; the caller has its lock
 * @key: setting, in no tree
 *
 * Context: any
 * Return: the replaced one, which is in no tree any more; or NULL
 */
struct mgc_rule_key *mgc_rule_key_put(struct rb_root *root,
				      struct mgc_rule_key *key)
{
	struct rb_node **link = &root->rb_node, *parent = NULL;
	struct mgc_rule_key *there;
	int order;

	while (*link) {
		parent = *link;
		there = rb_entry(parent, struct mgc_rule_key, rk_node);
		order = key_compare(key, there);
		if (!order) {
			rb_erase(&there->rk_node, root);
			mgc_rule_key_put(root, key);
			return there;
		}
		link = order < 0 ? &parent->rb_left : &parent->rb_right;
	}
	rb_link_node(&key->rk_node, parent, link);
	rb_insert_color(&key->rk_node, root);
	return NULL;
}
