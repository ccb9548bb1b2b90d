// SPDX-License-Identifier: GPL-2.0-only
/*
 * EXTENT locks by their extent: an interval tree for each mode of a set of locks, and
 * how far a lock can be widened before it is granted. A lookup takes the time of the
 * tree's height, with any number of locks.
 */
#include <linux/interval_tree_generic.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "ldlm_internal.h"

/* A wide lock would be revoked soon: limits by the number of locks in conflicting modes. */
#define WIDEN_DOWN_CONFLICTS	4	/* not downwards with more of them */
#define WIDEN_FAR_CONFLICTS	32	/* no more than WIDEN_BYTES with more of them */
#define WIDEN_BYTES		(32ULL << 20)

#define EXTENT_FIRST(lock)	((lock)->l_policy.extent.first)
#define EXTENT_LAST(lock)	((lock)->l_policy.extent.last)

INTERVAL_TREE_DEFINE(struct ldlm_lock, l_extent_node, u64, l_extent_last,
		     EXTENT_FIRST, EXTENT_LAST, static, extents)

/**
 * ldlm_extent_add() - add a lock to a tree
 * @tree: tree of the lock's mode
 * @lock: lock
 *
 * Locks with the same first byte stay in the order in which they were added.
 *
 * Context: under r_lock
 */
void ldlm_extent_add(struct rb_root_cached *tree, struct ldlm_lock *lock)
{
	extents_insert(lock, tree);
}

/**
 * ldlm_extent_del() - remove a lock from its tree
 * @tree: tree
 * @lock: lock
 *
 * Context: under r_lock
 */
void ldlm_extent_del(struct rb_root_cached *tree, struct ldlm_lock *lock)
{
	extents_remove(lock, tree);
}

/**
 * ldlm_extent_first() - the first lock that overlaps an extent
 * @tree: tree
 * @part: extent
 *
 * Context: under r_lock
 * Return: the one with the lowest first byte, or NULL
 */
struct ldlm_lock *ldlm_extent_first(struct rb_root_cached *tree,
				    const struct ldlm_extent *part)
{
	return extents_iter_first(tree, part->first, part->last);
}

/**
 * ldlm_extent_next() - the next lock that overlaps an extent
 * @lock: the previous one, in its tree
 * @part: extent
 *
 * Context: under r_lock
 * Return: lock, or NULL
 */
struct ldlm_lock *ldlm_extent_next(struct ldlm_lock *lock,
				   const struct ldlm_extent *part)
{
	return extents_iter_next(lock, part->first, part->last);
}

/* The last byte of all extents that start before @first; false if there are none. */
static bool last_before(const struct rb_root_cached *tree, u64 first, u64 *last)
{
	const struct rb_node *node = tree->rb_root.rb_node;
	const struct ldlm_lock *lock, *left;
	bool any = false;

	while (node) {
		lock = rb_entry(node, struct ldlm_lock, l_extent_node);
		if (EXTENT_FIRST(lock) >= first) {
			node = node->rb_left;
			continue;
		}
		*last = any ? max(*last, EXTENT_LAST(lock)) : EXTENT_LAST(lock);
		any = true;
		if (node->rb_left) {
			left = rb_entry(node->rb_left, struct ldlm_lock,
					l_extent_node);
			*last = max(*last, left->l_extent_last);
		}
		node = node->rb_right;
	}
	return any;
}

/* Shrink @wide to what is between the neighbours of @extent, which overlaps none. */
static void stay_between(struct rb_root_cached *tree,
			 const struct ldlm_extent *extent,
			 struct ldlm_extent *wide)
{
	const struct ldlm_extent above = {
		.first = extent->last + 1,
		.last = LDLM_EXTENT_EOF,
	};
	const struct ldlm_lock *lock;
	u64 last;

	lock = above.first ? ldlm_extent_first(tree, &above) : NULL;
	if (lock)
		wide->last = min(wide->last, EXTENT_FIRST(lock) - 1);
	if (last_before(tree, extent->first, &last))
		wide->first = max(wide->first, last + 1);
}

/**
 * ldlm_extent_widen() - the extent that a lock is granted
 * @res: resource
 * @mode: mode of the lock, which is in no set of @res
 * @extent: in: requested extent; no granted lock of another client conflicts with it. out: granted
 *  extent
 *
 * Neither a granted nor a waiting lock conflicts with the bytes that are added.
 * Nothing is added to an extent that a waiting lock conflicts with, as it will be
 * revoked at once, nor if the client has a lock there already.
 *
 * Context: under r_lock
 */
void ldlm_extent_widen(struct ldlm_resource *res, u32 mode,
		       struct ldlm_extent *extent)
{
	u32 modes = ldlm_modes_conflicting(mode);
	unsigned int count = ldlm_set_count(&res->r_granted, modes) +
			     ldlm_set_count(&res->r_waiting, modes);
	const struct ldlm_policy requested = { .extent = *extent };
	struct ldlm_extent wide = { .last = LDLM_EXTENT_EOF };
	unsigned int n;

	lockdep_assert_held(&res->r_lock);
	/* A granted one is of the same client. */
	if (ldlm_set_conflicts(&res->r_waiting, LDLM_EXTENT, mode, &requested) ||
	    ldlm_set_conflicts(&res->r_granted, LDLM_EXTENT, mode, &requested))
		return;
	for (n = 0; n < LDLM_MODE_COUNT; n++) {
		if (!(modes & BIT(n)))
			continue;
		stay_between(&res->r_granted.lset_trees[n], extent, &wide);
		stay_between(&res->r_waiting.lset_trees[n], extent, &wide);
	}
	if (count <= WIDEN_DOWN_CONFLICTS)
		extent->first = wide.first;
	if (count > WIDEN_FAR_CONFLICTS &&
	    wide.last - extent->first >= WIDEN_BYTES)
		wide.last = extent->first + WIDEN_BYTES - 1;
	extent->last = max(extent->last, wide.last);
}
