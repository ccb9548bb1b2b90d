// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walking a subtree, depth first, names of one directory in byte order.
 *
 * A walk takes a batch of siblings at a time under their directory's lock, a
 * reference on each, and holds no lock while its caller uses them. The position
 * is a name, so entries may come and go meanwhile: an entry that exists during
 * the whole walk is returned exactly once.
 */
#include <linux/rwsem.h>
#include <linux/string.h>

#include "params_internal.h"

/**
 * params_walk_start() - start a walk before the first entry
 * @walk: walk
 * @root: directory whose subtree to walk, itself not returned; the caller keeps
 *  a reference until params_walk_end()
 * @levels: levels to descend: 1 is the children only, 0 is all
 *
 * Context: may sleep
 */
void params_walk_start(struct params_walk *walk,
		       struct lustre_params_entry *root, unsigned int levels)
{
	walk->wk_dir = params_entry_get(root);
	walk->wk_depth = 0;
	walk->wk_levels = levels ?: PARAMS_DEPTH_MAX + 1;
	walk->wk_all = false;
	walk->wk_begun = false;
	walk->wk_here = 0;
	walk->wk_count = 0;
}

/* Drop the rest of the batch, from the entry returned last on. */
static void params_walk_drop(struct params_walk *walk)
{
	unsigned int n;

	for (n = walk->wk_here ? walk->wk_here - 1 : 0; n < walk->wk_count; n++)
		params_entry_put(walk->wk_batch[n]);
	walk->wk_here = 0;
	walk->wk_count = 0;
}

/* Drop the references of a walk. May sleep. */
void params_walk_end(struct params_walk *walk)
{
	params_walk_drop(walk);
	params_entry_put(walk->wk_dir);
	walk->wk_dir = NULL;
}

static bool params_walk_enters(const struct params_walk *walk,
			       const struct lustre_params_entry *lpe)
{
	return params_is_dir(lpe) && walk->wk_depth + 1 < walk->wk_levels;
}

/*
 * Take siblings from @lpe on, up to and including one to be entered. Return:
 * true if there was any.
 */
static bool params_walk_take(struct params_walk *walk,
			     struct lustre_params_entry *lpe)
{
	struct params_dir *dir = walk->wk_dir->lpe_dir;
	unsigned int n = 0;

	lockdep_assert_held(&dir->pd_rw_sem);
	for (; lpe && n < PARAMS_WALK_BATCH; lpe = params_dir_next(dir, lpe)) {
		if (!walk->wk_all && params_entry_gate(lpe))
			continue;
		walk->wk_batch[n++] = params_entry_get(lpe);
		if (params_walk_enters(walk, lpe))
			break;
	}
	walk->wk_here = 0;
	walk->wk_count = n;
	return n;
}

/* The siblings after @prev, which is or was a child of wk_dir. */
static bool params_walk_after(struct params_walk *walk,
			      struct lustre_params_entry *prev)
{
	struct params_dir *dir = walk->wk_dir->lpe_dir;
	bool any;

	down_read(&dir->pd_rw_sem);
	any = params_walk_take(walk, params_dir_next(dir, prev));
	up_read(&dir->pd_rw_sem);
	return any;
}

/* The children of @lpe, which becomes wk_dir; consumes the caller's reference. */
static bool params_walk_enter(struct params_walk *walk,
			      struct lustre_params_entry *lpe)
{
	struct params_dir *dir = lpe->lpe_dir;
	bool any;

	params_entry_put(walk->wk_dir);
	walk->wk_dir = lpe;
	walk->wk_depth++;
	down_read(&dir->pd_rw_sem);
	any = params_walk_take(walk, params_dir_first(dir));
	up_read(&dir->pd_rw_sem);
	return any;
}

/* The successor of wk_dir, on its own level or above. */
static void params_walk_leave(struct params_walk *walk)
{
	bool any = false;

	while (walk->wk_depth && !any) {
		struct lustre_params_entry *was = walk->wk_dir;

		walk->wk_dir = params_entry_get(was->lpe_parent);
		walk->wk_depth--;
		any = params_walk_after(walk, was);
		params_entry_put(was);
	}
}

static void params_walk_begin(struct params_walk *walk)
{
	struct params_dir *dir = walk->wk_dir->lpe_dir;

	walk->wk_begun = true;
	down_read(&dir->pd_rw_sem);
	params_walk_take(walk, params_dir_first(dir));
	up_read(&dir->pd_rw_sem);
}

/* The batch is used up: @prev, whose reference this owns, was the last. */
static void params_walk_refill(struct params_walk *walk,
			       struct lustre_params_entry *prev)
{
	bool any;

	walk->wk_here = 0;
	walk->wk_count = 0;
	if (params_walk_enters(walk, prev)) {
		any = params_walk_enter(walk, prev);
	} else {
		any = params_walk_after(walk, prev);
		params_entry_put(prev);
	}
	if (!any)
		params_walk_leave(walk);
}

/**
 * params_walk_next() - the next entry
 * @walk: walk
 *
 * Context: may sleep
 * Return: the entry, borrowed until the next call on this walk; wk_depth is its
 *  depth. NULL at the end.
 */
struct lustre_params_entry *params_walk_next(struct params_walk *walk)
{
	unsigned int here = walk->wk_here;

	if (!walk->wk_begun)
		params_walk_begin(walk);
	else if (here && here < walk->wk_count)
		params_entry_put(walk->wk_batch[here - 1]);
	else if (here)
		params_walk_refill(walk, walk->wk_batch[here - 1]);
	if (walk->wk_here == walk->wk_count)
		return NULL;
	return walk->wk_batch[walk->wk_here++];
}

/* Take the siblings after a name; go up if there are none. */
static void params_walk_after_name(struct params_walk *walk, const char *name,
				   size_t len)
{
	struct params_dir *dir = walk->wk_dir->lpe_dir;
	bool any;

	down_read(&dir->pd_rw_sem);
	any = params_walk_take(walk, params_dir_after(dir, name, len));
	up_read(&dir->pd_rw_sem);
	if (!any)
		params_walk_leave(walk);
}

static struct lustre_params_entry *
params_walk_child(struct params_walk *walk, const char *name, size_t len)
{
	struct params_dir *dir = walk->wk_dir->lpe_dir;
	struct lustre_params_entry *lpe;

	down_read(&dir->pd_rw_sem);
	lpe = params_dir_find(dir, name, len);
	/* Skip hidden entries. */
	if (lpe && !walk->wk_all && params_entry_gate(lpe))
		lpe = NULL;
	if (lpe)
		params_entry_get(lpe);
	up_read(&dir->pd_rw_sem);
	return lpe;
}

/**
 * params_walk_resume() - continue after an entry that an earlier walk returned
 * @walk: walk that was just started
 * @after: path of that entry, relative to the root of the walk, validated; it
 *  may be gone
 * @len: its bytes, not 0
 *
 * Context: may sleep
 */
void params_walk_resume(struct params_walk *walk, const char *after,
			size_t len)
{
	walk->wk_begun = true;
	for (;;) {
		size_t part = params_path_component(after, len);
		struct lustre_params_entry *lpe;

		lpe = params_walk_child(walk, after, part);
		if (!lpe)
			return params_walk_after_name(walk, after, part);
		if (part == len) {
			/* As if it had just been returned. */
			walk->wk_batch[0] = lpe;
			walk->wk_count = 1;
			walk->wk_here = 1;
			return;
		}
		if (!params_walk_enters(walk, lpe)) {
			params_entry_put(lpe);
			return params_walk_after_name(walk, after, part);
		}
		params_entry_put(walk->wk_dir);
		walk->wk_dir = lpe;
		walk->wk_depth++;
		after += part + 1;
		len -= part + 1;
	}
}
