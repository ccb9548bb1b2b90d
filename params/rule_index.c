// SPDX-License-Identifier: GPL-2.0-only
/*
 * Index of the rules: a tree of the components of all patterns.
 *
 * Patterns with a common prefix share nodes. Below a node plain names are found
 * by hash, others ("fs-*") by matching; so only rules whose pattern matches the
 * path so far are visited.
 */
#include <linux/kernel.h>
#include <linux/rwsem.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringhash.h>

#include <lustre_lite/libcfs.h>

#include "params_internal.h"
#include "glob.h"
#include "rule.h"

#define PARAMS_EDGES_BITS	10
#define PARAMS_EDGES_SIZE	(1U << PARAMS_EDGES_BITS)

/**
 * struct params_rule_node - a component of patterns
 * @prn_edge: in the hash table, or in @prn_odd of the previous node
 * @prn_before: the node of the previous component; NULL for the first
 * @prn_odd: following nodes whose component is not a plain name
 * @prn_rules: rules whose pattern ends here
 * @prn_uses: rules that end here and following nodes
 * @prn_plain: the component is a plain name
 * @prn_len: its bytes
 * @prn_part: the component
 *
 * Exists as long as a rule's pattern contains it. Guarded by rules_sem.
 */
struct params_rule_node {
	struct list_head	prn_edge;
	struct params_rule_node	*prn_before;
	struct list_head	prn_odd;
	struct list_head	prn_rules;
	unsigned int		prn_uses;
	bool			prn_plain;
	u32			prn_len;
	char			prn_part[];
};

/**
 * struct params_rules - all rules
 * @rules_sem: guards all below. Held over matching of names; no callback, no
 *  other lock
 * @plain: nodes of plain names, by hash of name and previous node
 * @root: before the first components
 * @count: number of rules
 * @last_id: number of the newest one
 */
static struct params_rules {
	struct rw_semaphore	rules_sem;
	struct list_head	plain[PARAMS_EDGES_SIZE];
	struct params_rule_node	root;
	unsigned int		count;
	u64			last_id;
} params_rules = {
	.root.prn_odd	= LIST_HEAD_INIT(params_rules.root.prn_odd),
	.root.prn_rules	= LIST_HEAD_INIT(params_rules.root.prn_rules),
};

/* Initialize the index. */
void params_rules_init(void)
{
	unsigned int n;

	init_rwsem(&params_rules.rules_sem);
	for (n = 0; n < PARAMS_EDGES_SIZE; n++)
		INIT_LIST_HEAD(&params_rules.plain[n]);
}

static bool params_part_plain(const char *part)
{
	return !strpbrk(part, "*?[\\");
}

static struct list_head *params_plain_list(const struct params_rule_node *before,
					   const char *name, size_t len)
{
	u32 hash = full_name_hash(before, name, len);

	return &params_rules.plain[hash & (PARAMS_EDGES_SIZE - 1)];
}

/* The node of a plain name after @before, or NULL. */
static struct params_rule_node *
params_node_plain(const struct params_rule_node *before, const char *name,
		  size_t len)
{
	struct params_rule_node *node;

	list_for_each_entry(node, params_plain_list(before, name, len), prn_edge)
		if (node->prn_before == before && node->prn_len == len &&
		    !memcmp(node->prn_part, name, len))
			return node;
	return NULL;
}

static struct params_rule_node *
params_node_same(const struct params_rule_node *before, const char *part)
{
	struct params_rule_node *node;

	if (params_part_plain(part))
		return params_node_plain(before, part, strlen(part));
	list_for_each_entry(node, &before->prn_odd, prn_edge)
		if (!strcmp(node->prn_part, part))
			return node;
	return NULL;
}

static size_t params_node_size(size_t len)
{
	return sizeof(struct params_rule_node) + len + 1;
}

static struct params_rule_node *params_node_alloc(const char *part)
{
	size_t len = strlen(part);
	struct params_rule_node *node;

	node = libcfs_zalloc(params_node_size(len), GFP_KERNEL);
	if (!node)
		return NULL;
	INIT_LIST_HEAD(&node->prn_odd);
	INIT_LIST_HEAD(&node->prn_rules);
	node->prn_plain = params_part_plain(part);
	node->prn_len = len;
	memcpy(node->prn_part, part, len + 1);
	return node;
}

static void params_nodes_free(struct list_head *nodes)
{
	struct params_rule_node *node, *next;

	list_for_each_entry_safe(node, next, nodes, prn_edge)
		libcfs_free(node, params_node_size(node->prn_len));
}

/* Allocate nodes for the components that have none yet. */
static int params_nodes_alloc(const struct params_glob *glob,
			      struct list_head *nodes)
{
	struct params_rule_node *node;
	unsigned int n;

	for (n = 0; n < glob->pg_count; n++) {
		node = params_node_alloc(glob->pg_part[n]);
		if (!node) {
			params_nodes_free(nodes);
			return -ENOMEM;
		}
		list_add_tail(&node->prn_edge, nodes);
	}
	return 0;
}

static void params_node_link(struct params_rule_node *before,
			     struct params_rule_node *node)
{
	list_del_init(&node->prn_edge);
	node->prn_before = before;
	list_add_tail(&node->prn_edge, node->prn_plain ?
		      params_plain_list(before, node->prn_part, node->prn_len) :
		      &before->prn_odd);
	before->prn_uses++;
}

/* Walk along the pattern, inserting missing nodes from @nodes. */
static void params_rule_link(struct params_rule *rule, struct list_head *nodes)
{
	struct params_rule_node *at = &params_rules.root;
	struct params_rule_node *node, *next, *same;

	lockdep_assert_held_write(&params_rules.rules_sem);
	list_for_each_entry_safe(node, next, nodes, prn_edge) {
		same = params_node_same(at, node->prn_part);
		if (!same)
			params_node_link(at, node);
		at = same ?: node;
	}
	at->prn_uses++;
	rule->prl_at = at;
	rule->prl_id = ++params_rules.last_id;
	list_add_tail(&rule->prl_node, &at->prn_rules);
	WRITE_ONCE(params_rules.count, params_rules.count + 1);
}

/**
 * params_rule_file() - add a rule to the index
 * @rule: rule; gets its number
 *
 * Context: may sleep
 * Return: 0 or -ENOMEM
 */
int params_rule_file(struct params_rule *rule)
{
	LIST_HEAD(nodes);

	if (params_nodes_alloc(rule->prl_glob, &nodes))
		return -ENOMEM;
	down_write(&params_rules.rules_sem);
	params_rule_link(rule, &nodes);
	up_write(&params_rules.rules_sem);
	params_nodes_free(&nodes);
	return 0;
}

/* Remove a rule from the index. May sleep. */
void params_rule_unfile(struct params_rule *rule)
{
	struct params_rule_node *node = rule->prl_at;
	LIST_HEAD(nodes);

	down_write(&params_rules.rules_sem);
	list_del_init(&rule->prl_node);
	node->prn_uses--;
	/* Free unused nodes, from the end on. */
	while (node->prn_before && !node->prn_uses) {
		struct params_rule_node *before = node->prn_before;

		list_del_init(&node->prn_edge);
		list_add_tail(&node->prn_edge, &nodes);
		before->prn_uses--;
		node = before;
	}
	WRITE_ONCE(params_rules.count, params_rules.count - 1);
	up_write(&params_rules.rules_sem);
	params_nodes_free(&nodes);
}

/* Whether there are rules. */
bool params_rules_any(void)
{
	return READ_ONCE(params_rules.count);
}

/**
 * struct params_way - enumeration of the nodes that match a path
 * @wy_count: components of the path
 * @wy_lpe: the entries of the path, the one below the root first
 * @wy_depth: components matched by @wy_node
 * @wy_node: current node
 */
struct params_way {
	unsigned int				wy_count;
	const struct lustre_params_entry	*wy_lpe[PARAMS_DEPTH_MAX];
	unsigned int				wy_depth;
	const struct params_rule_node		*wy_node;
};

static void params_way_start(struct params_way *way,
			     const struct lustre_params_entry *lpe)
{
	const struct lustre_params_entry *at;
	unsigned int depth = 0;

	for (at = lpe; at->lpe_parent; at = at->lpe_parent)
		depth++;
	way->wy_count = depth;
	for (at = lpe; at->lpe_parent; at = at->lpe_parent)
		way->wy_lpe[--depth] = at;
	way->wy_depth = 0;
	way->wy_node = NULL;
}

/* The next node after @before and @at that is not a plain name and matches. */
static const struct params_rule_node *
params_node_odd(const struct params_rule_node *before,
		const struct list_head *at, const struct lustre_params_entry *lpe)
{
	const struct params_rule_node *node;

	for (at = READ_ONCE(at->next); at != &before->prn_odd;
	     at = READ_ONCE(at->next)) {
		node = list_entry(at, struct params_rule_node, prn_edge);
		if (params_part_matches(node->prn_part, lpe))
			return node;
	}
	return NULL;
}

static const struct params_rule_node *
params_node_first(const struct params_rule_node *before,
		  const struct lustre_params_entry *lpe)
{
	return params_node_plain(before, lpe->lpe_name, lpe->lpe_name_len) ?:
		params_node_odd(before, &before->prn_odd, lpe);
}

/* The next node besides @node that a name matches. */
static const struct params_rule_node *
params_node_beside(const struct params_rule_node *node,
		   const struct lustre_params_entry *lpe)
{
	const struct params_rule_node *before = node->prn_before;

	return params_node_odd(before, node->prn_plain ? &before->prn_odd :
			       &node->prn_edge, lpe);
}

/* Advance to a sibling of the current node, or of one before it. */
static bool params_way_beside(struct params_way *way)
{
	const struct params_rule_node *next = NULL;

	while (way->wy_depth && !next) {
		next = params_node_beside(way->wy_node,
					  way->wy_lpe[way->wy_depth - 1]);
		if (next) {
			way->wy_node = next;
		} else {
			way->wy_node = way->wy_node->prn_before;
			way->wy_depth--;
		}
	}
	return next;
}

/* Descend from the current node to one that matches the whole path. */
static bool params_way_down(struct params_way *way)
{
	const struct params_rule_node *next;

	while (way->wy_depth < way->wy_count) {
		next = params_node_first(way->wy_node,
					 way->wy_lpe[way->wy_depth]);
		if (next) {
			way->wy_node = next;
			way->wy_depth++;
		} else if (!params_way_beside(way)) {
			return false;
		}
	}
	return true;
}

/* The next node that matches the path; NULL at the end. */
static const struct params_rule_node *params_way_next(struct params_way *way)
{
	lockdep_assert_held(&params_rules.rules_sem);
	if (!way->wy_node)
		way->wy_node = &params_rules.root;
	else if (!params_way_beside(way))
		return NULL;
	return params_way_down(way) ? way->wy_node : NULL;
}

/**
 * params_rules_below() - whether a rule could match an entry below a directory
 * @dir: directory
 *
 * Context: may sleep
 * Return: false if none can
 */
bool params_rules_below(const struct lustre_params_entry *dir)
{
	struct params_way way;
	bool any;

	if (!params_rules_any())
		return false;
	params_way_start(&way, dir);
	down_read(&params_rules.rules_sem);
	any = params_way_next(&way);
	up_read(&params_rules.rules_sem);
	return any;
}

/**
 * params_rules_match_any() - whether rules match some of a directory's entries
 * @dir: directory
 * @lpes: its present or future entries
 * @count: their number
 *
 * Context: may sleep
 * Return: false if there is no such rule
 */
bool params_rules_match_any(const struct lustre_params_entry *dir,
			    struct lustre_params_entry **lpes, size_t count)
{
	const struct params_rule_node *node;
	struct params_way way;
	bool any = false;
	size_t n;

	if (!params_rules_any())
		return false;
	params_way_start(&way, dir);
	down_read(&params_rules.rules_sem);
	while (!any && (node = params_way_next(&way)))
		for (n = 0; n < count && !any; n++)
			any = params_node_first(node, lpes[n]);
	up_read(&params_rules.rules_sem);
	return any;
}

/* Insert a rule, if it is among the oldest ones that fit. */
static void params_rules_insert(struct params_rules_some *some,
				struct params_rule *rule)
{
	unsigned int n = some->rs_count;

	if (n == PARAMS_RULES_BATCH) {
		if (some->rs_rules[n - 1]->prl_id < rule->prl_id)
			return;
		n--;
	} else {
		some->rs_count++;
	}
	for (; n && some->rs_rules[n - 1]->prl_id > rule->prl_id; n--)
		some->rs_rules[n] = some->rs_rules[n - 1];
	some->rs_rules[n] = rule;
}

static void params_rules_collect(struct params_rules_some *some,
				 const struct lustre_params_entry *lpe)
{
	const struct params_rule_node *node;
	struct params_rule *rule;
	struct params_way way;

	params_way_start(&way, lpe);
	while ((node = params_way_next(&way)))
		list_for_each_entry(rule, &node->prn_rules, prl_node)
			if (rule->prl_id > some->rs_after)
				params_rules_insert(some, rule);
}

/**
 * params_rules_find() - the next batch of the rules that match an entry
 * @some: zeroed for the first ones; out, params_rules_put() is needed when this
 *  returns true
 * @lpe: entry or link
 *
 * Context: may sleep
 * Return: false at the end
 */
bool params_rules_find(struct params_rules_some *some,
		       const struct lustre_params_entry *lpe)
{
	unsigned int n;

	some->rs_count = 0;
	down_read(&params_rules.rules_sem);
	params_rules_collect(some, lpe);
	/* A rule in the index is alive: params_rule_del() removes it first. */
	for (n = 0; n < some->rs_count; n++)
		if (WARN_ON_ONCE(!libcfs_active_get(&some->rs_rules[n]->prl_active)))
			break;
	some->rs_count = n;
	if (n)
		some->rs_after = some->rs_rules[n - 1]->prl_id;
	up_read(&params_rules.rules_sem);
	return n;
}

/* Drop a batch of rules. */
void params_rules_put(struct params_rules_some *some)
{
	unsigned int n = some->rs_count;

	while (n-- > 0)
		libcfs_active_put(&some->rs_rules[n]->prl_active);
}
