// SPDX-License-Identifier: GPL-2.0-only
/* A sorted tree that stays flat by chance: see linux/rbtree.h. */
#include <linux/rbtree.h>

static u64 priority(const struct rb_node *node)
{
	u64 hash = (unsigned long)node * 0x9e3779b97f4a7c15ULL;

	return (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9ULL;
}

/* The pointer that leads to @node from above. */
static struct rb_node **link_to(struct rb_node *node, struct rb_root *root)
{
	struct rb_node *above = node->rb_above;

	if (!above)
		return &root->rb_node;
	return above->rb_left == node ? &above->rb_left : &above->rb_right;
}

/* Swap a node with the child below it on one side; the order stays. */
static void rotate_up(struct rb_node *child, struct rb_root *root)
{
	struct rb_node *node = child->rb_above;
	struct rb_node **link = link_to(node, root);
	bool left = node->rb_left == child;
	struct rb_node *inner = left ? child->rb_right : child->rb_left;

	*link = child;
	child->rb_above = node->rb_above;
	if (left) {
		child->rb_right = node;
		node->rb_left = inner;
	} else {
		child->rb_left = node;
		node->rb_right = inner;
	}
	node->rb_above = child;
	if (inner)
		inner->rb_above = node;
}

void rb_link_node(struct rb_node *node, struct rb_node *parent,
		  struct rb_node **link)
{
	node->rb_above = parent;
	node->rb_left = NULL;
	node->rb_right = NULL;
	*link = node;
}

void rb_insert_color(struct rb_node *node, struct rb_root *root)
{
	while (node->rb_above && priority(node) > priority(node->rb_above))
		rotate_up(node, root);
}

void rb_insert_color_cached(struct rb_node *node, struct rb_root_cached *root,
			    bool leftmost)
{
	if (leftmost)
		root->rb_leftmost = node;
	rb_insert_color(node, &root->rb_root);
}

void rb_erase(struct rb_node *node, struct rb_root *root)
{
	while (node->rb_left && node->rb_right)
		rotate_up(priority(node->rb_left) > priority(node->rb_right) ?
			  node->rb_left : node->rb_right, root);

	struct rb_node *below = node->rb_left ? node->rb_left : node->rb_right;

	*link_to(node, root) = below;
	if (below)
		below->rb_above = node->rb_above;
}

struct rb_node *rb_erase_cached(struct rb_node *node,
				struct rb_root_cached *root)
{
	struct rb_node *leftmost = NULL;

	if (root->rb_leftmost == node) {
		leftmost = rb_next(node);
		root->rb_leftmost = leftmost;
	}
	rb_erase(node, &root->rb_root);
	return leftmost;
}

struct rb_node *rb_first(const struct rb_root *root)
{
	struct rb_node *node = root->rb_node;

	while (node && node->rb_left)
		node = node->rb_left;
	return node;
}

struct rb_node *rb_last(const struct rb_root *root)
{
	struct rb_node *node = root->rb_node;

	while (node && node->rb_right)
		node = node->rb_right;
	return node;
}

struct rb_node *rb_next(const struct rb_node *node)
{
	if (node->rb_right)
		return rb_first(&(struct rb_root){ node->rb_right });
	while (node->rb_above && node->rb_above->rb_right == node)
		node = node->rb_above;
	return node->rb_above;
}

struct rb_node *rb_prev(const struct rb_node *node)
{
	if (node->rb_left)
		return rb_last(&(struct rb_root){ node->rb_left });
	while (node->rb_above && node->rb_above->rb_left == node)
		node = node->rb_above;
	return node->rb_above;
}
