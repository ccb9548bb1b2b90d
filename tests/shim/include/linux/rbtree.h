/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_RBTREE_H
#define _SHIM_LINUX_RBTREE_H

#include <linux/kernel.h>

/*
 * The interface of the kernel's red-black tree over a treap: a node is above
 * those of lesser priority, and the priority is a hash of its address.
 */
struct rb_node {
	struct rb_node	*rb_above;
	struct rb_node	*rb_left;
	struct rb_node	*rb_right;
};

struct rb_root {
	struct rb_node	*rb_node;
};

struct rb_root_cached {
	struct rb_root	rb_root;
	struct rb_node	*rb_leftmost;
};

#define RB_ROOT			((struct rb_root){ NULL })
#define RB_ROOT_CACHED		((struct rb_root_cached){ { NULL }, NULL })
#define RB_CLEAR_NODE(node)	((node)->rb_above = (node))
#define RB_EMPTY_NODE(node)	((node)->rb_above == (node))
#define RB_EMPTY_ROOT(root)	(!(root)->rb_node)
#define rb_entry(ptr, type, member)	container_of(ptr, type, member)
#define rb_entry_safe(ptr, type, member) ({			\
	__typeof__(ptr) __node = (ptr);				\
	__node ? rb_entry(__node, type, member) : NULL;		\
})
#define rb_first_cached(root)	((root)->rb_leftmost)

void rb_link_node(struct rb_node *node, struct rb_node *parent,
		  struct rb_node **link);
void rb_insert_color(struct rb_node *node, struct rb_root *root);
void rb_insert_color_cached(struct rb_node *node, struct rb_root_cached *root,
			    bool leftmost);
void rb_erase(struct rb_node *node, struct rb_root *root);
struct rb_node *rb_erase_cached(struct rb_node *node,
				struct rb_root_cached *root);
struct rb_node *rb_first(const struct rb_root *root);
struct rb_node *rb_last(const struct rb_root *root);
struct rb_node *rb_next(const struct rb_node *node);
struct rb_node *rb_prev(const struct rb_node *node);

#endif /* _SHIM_LINUX_RBTREE_H */
