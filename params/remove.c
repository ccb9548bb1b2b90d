// SPDX-License-Identifier: GPL-2.0-only
/*
 * Removing from the parameters tree, in three steps:
 *
 *	mark	no new callback of the subtree starts, no child is added
 *	drain	children first: running callbacks end
 *	unlink	children first: the tree drops its references
 *
 * When params_remove() returns, no callback of the subtree runs or will run: the owner
 * may free lpe_data, and the module may be unloaded. Several tasks may remove the same
 * subtree, or one inside another's; each waits for all of it.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/rwsem.h>
#include <linux/slab.h>

#include "params_internal.h"
#include "rule.h"

static void params_mark_one(struct lustre_params_entry *lpe)
{
	libcfs_active_kill(&lpe->lpe_active);
	if (!params_is_dir(lpe))
		return;
	/* From here on no child is added, so the walk below visits them all. */
	down_write(&lpe->lpe_dir->pd_rw_sem);
	lpe->lpe_dir->pd_dead = true;
	up_write(&lpe->lpe_dir->pd_rw_sem);
}

static void params_mark(struct lustre_params_entry *top)
{
	struct lustre_params_entry *lpe;
	struct params_walk walk;

	params_mark_one(top);
	if (!params_is_dir(top))
		return;
	params_walk_start(&walk, top, 0);
	walk.wk_all = true;
	while ((lpe = params_walk_next(&walk)))
		params_mark_one(lpe);
	params_walk_end(&walk);
}

/* The first child of a directory, referenced; NULL if it has none. */
static struct lustre_params_entry *
params_first_child(struct lustre_params_entry *lpe)
{
	struct lustre_params_entry *child;

	if (!params_is_dir(lpe))
		return NULL;
	down_read(&lpe->lpe_dir->pd_rw_sem);
	child = params_dir_first(lpe->lpe_dir);
	if (child)
		params_entry_get(child);
	up_read(&lpe->lpe_dir->pd_rw_sem);
	return child;
}

/* Name of an entry for the message of a removal that waits for it. */
static void params_drain_name(void *arg, char *buf, size_t size)
{
	if (params_entry_path(arg, buf, size) < 0)
		strscpy(buf, "parameter with a long path", size);
}

static void params_drain_one(struct lustre_params_entry *lpe)
{
	/* Callbacks of a link run under its target's active reference. */
	libcfs_active_drain(&lpe->lpe_active, params_drain_name, lpe);
}

/* Unlink an entry, unless another task has. */
static bool params_unlink_one(struct lustre_params_entry *lpe)
{
	struct params_dir *dir = lpe->lpe_parent->lpe_dir;
	bool linked;

	down_write(&dir->pd_rw_sem);
	linked = lpe->lpe_flags & LPE_LINKED;
	if (linked)
		params_dir_unlink(dir, lpe);
	up_write(&dir->pd_rw_sem);
	if (!linked)
		return false;
	params_version_raise(lpe->lpe_parent);
	params_ruled_drop(lpe);
	params_entry_put(lpe);
	return true;
}

/* Drain and unlink all below @top, deepest first. */
static void params_clear_below(struct lustre_params_entry *top)
{
	struct lustre_params_entry *lpe = params_entry_get(top);

	for (;;) {
		struct lustre_params_entry *child = params_first_child(lpe);

		if (child) {
			params_entry_put(lpe);
			lpe = child;
			continue;
		}
		if (lpe == top)
			break;
		params_drain_one(lpe);
		params_unlink_one(lpe);
		child = lpe;
		lpe = params_entry_get(lpe->lpe_parent);
		params_entry_put(child);
	}
	params_entry_put(lpe);
}

/**
 * params_remove() - remove an entry and all below it
 * @entry: entry, not the root; NULL or ERR_PTR is ignored. The caller borrows
 *  the tree's reference, as from the adders, or holds one of its own: tasks
 *  that may remove the same entry concurrently need their own
 *
 * Waits until no callback of the subtree runs; during a long wait it logs every
 * ten seconds the entry and the waiting task. Must not be called from a
 * callback of the subtree, nor under a lock that such a callback takes: lockdep
 * reports that.
 *
 * Context: may sleep, for as long as callbacks do
 */
void params_remove(struct lustre_params_entry *entry)
{
	bool removed;

	if (IS_ERR_OR_NULL(entry))
		return;
	params_entry_get(entry);
	params_mark(entry);
	if (params_is_dir(entry))
		params_clear_below(entry);
	params_drain_one(entry);
	removed = params_unlink_one(entry);
	if (removed)
		params_event(LL_PARAMS_REMOVED, entry);
	params_entry_put(entry);
}
EXPORT_SYMBOL_NS_GPL(params_remove, LUSTRE_LITE);

static void params_remove_children(struct lustre_params_entry *dir)
{
	struct lustre_params_entry *child;

	while ((child = params_first_child(dir))) {
		params_remove(child);
		params_entry_put(child);
	}
}

/**
 * params_delete_entry() - remove by name
 * @lpe: directory, NULL for the root
 * @name: child to remove with all below it; NULL removes all children and
 *	leaves @lpe
 *
 * Context: as params_remove()
 * Return: 0, -ENOENT or -ENOTDIR
 */
int params_delete_entry(struct lustre_params_entry *lpe, const char *name)
{
	struct lustre_params_entry *child;

	lpe = lpe ?: params_root();
	if (!params_is_dir(lpe))
		return -ENOTDIR;
	if (!name) {
		params_remove_children(lpe);
		return 0;
	}
	/* Not by params_find(): hidden and half removed entries count, too. */
	down_read(&lpe->lpe_dir->pd_rw_sem);
	child = params_dir_find(lpe->lpe_dir, name, strlen(name));
	if (child)
		params_entry_get(child);
	up_read(&lpe->lpe_dir->pd_rw_sem);
	if (!child)
		return -ENOENT;
	params_remove(child);
	params_entry_put(child);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(params_delete_entry, LUSTRE_LITE);
