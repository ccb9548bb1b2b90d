// SPDX-License-Identifier: GPL-2.0-only
/* The parameters tree: its root, and adding to it. */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/libcfs.h>

#include "params_internal.h"
#include "rule.h"

static struct lustre_params_entry *params_root_entry;

/* Allocate the root. Return: 0 or -ENOMEM */
int params_tree_init(void)
{
	struct lustre_params_entry *root;

	root = params_entry_alloc(NULL, "", S_IFDIR | 0555, NULL, NULL);
	if (IS_ERR(root))
		return PTR_ERR(root);
	libcfs_active_open(&root->lpe_active);
	params_root_entry = root;
	return 0;
}

/*
 * Remove all that is left, and the root. May sleep; the tree has no other user.
 */
void params_tree_exit(void)
{
	params_delete_entry(params_root_entry, NULL);
	params_entry_put(params_root_entry);
	params_root_entry = NULL;
}

/**
 * params_root() - the root of the tree
 *
 * Context: any
 * Return: the root; no reference is taken, it exists as long as libcfs
 */
struct lustre_params_entry *params_root(void)
{
	return params_root_entry;
}

/*
 * Link entries into a directory, all or none; their references pass to the
 * tree.
 */
static int params_link_all(struct lustre_params_entry *parent,
			   struct lustre_params_entry **lpes, size_t count)
{
	struct params_dir *dir = parent->lpe_dir;
	struct params_table table;
	size_t n;
	int rc;

	rc = params_table_reserve(&table, dir, count);
	if (rc)
		return rc;
	down_write(&dir->pd_rw_sem);
	params_table_install(&table, dir);
	for (n = 0; n < count && !rc; n++)
		rc = params_dir_link(dir, lpes[n]);
	if (rc)
		for (n--; n-- > 0;)
			params_dir_unlink(dir, lpes[n]);
	up_write(&dir->pd_rw_sem);
	params_table_free(&table);
	if (!rc)
		params_version_raise(parent);
	return rc;
}

/* Add one new entry to the tree; freed on failure. */
static struct lustre_params_entry *
params_add_one(struct lustre_params_entry *parent,
	       struct lustre_params_entry *lpe, bool visible)
{
	struct params_appear ap;
	int rc;

	if (visible)
		libcfs_active_open(&lpe->lpe_active);
	params_appear_linking(parent, &lpe, !params_is_dir(lpe), &ap);
	/*
	 * Once it is linked any task may remove it: the event needs a
	 * reference.
	 */
	params_entry_get(lpe);
	rc = params_link_all(parent, &lpe, 1);
	if (rc) {
		params_ruled_undo(lpe);
		params_entry_put(lpe);
	} else if (visible) {
		params_event(LL_PARAMS_ADDED, lpe);
		params_appear_linked(parent, &lpe, !params_is_dir(lpe), &ap);
	}
	params_entry_put(lpe);
	return rc ? ERR_PTR(rc) : lpe;
}

static struct lustre_params_entry *
params_add_dir_gate(struct lustre_params_entry *parent, const char *name,
		    void *data, bool visible)
{
	struct lustre_params_entry *lpe;

	parent = parent ?: params_root_entry;
	if (!params_is_dir(parent))
		return ERR_PTR(-ENOTDIR);
	lpe = params_entry_alloc(parent, name, S_IFDIR | 0555, NULL, data);
	if (IS_ERR(lpe))
		return lpe;
	return params_add_one(parent, lpe, visible);
}

/**
 * params_add_dir() - add a directory
 * @parent: parent directory, NULL for the root
 * @name: name
 * @data: for lookups in the kernel
 *
 * Context: may sleep
 * Return: the directory, borrowed: the tree's reference pins it until it is
 *  removed; or ERR_PTR of -EEXIST, -ENODEV, -ENOTDIR, -EINVAL, -ENAMETOOLONG or
 *  -ENOMEM
 */
struct lustre_params_entry *
params_add_dir(struct lustre_params_entry *parent, const char *name, void *data)
{
	return params_add_dir_gate(parent, name, data, true);
}
EXPORT_SYMBOL_NS_GPL(params_add_dir, LUSTRE_LITE);

/**
 * params_add_dir_hidden() - add a directory that is not visible yet
 * @parent: parent directory, NULL for the root
 * @name: name; reserved from now on
 * @data: for lookups in the kernel
 *
 * Fill it, then params_publish() makes it and all below it visible at once.
 * params_remove() undoes it before that.
 *
 * Context: may sleep
 * Return: as params_add_dir()
 */
struct lustre_params_entry *
params_add_dir_hidden(struct lustre_params_entry *parent, const char *name,
		      void *data)
{
	return params_add_dir_gate(parent, name, data, false);
}
EXPORT_SYMBOL_NS_GPL(params_add_dir_hidden, LUSTRE_LITE);

/**
 * params_publish() - make a hidden directory and all below it visible
 * @dir: directory of params_add_dir_hidden()
 *
 * Rules are applied before: so the setters of entries below may run.
 *
 * Context: may sleep, for as long as setters do; under no lock that they take
 * Return: 0, or -ENODEV if it is being removed
 */
int params_publish(struct lustre_params_entry *dir)
{
	params_appear_open(dir);
	if (!libcfs_active_open(&dir->lpe_active))
		return -ENODEV;
	params_event(LL_PARAMS_ADDED, dir);
	params_appear_open(dir);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(params_publish, LUSTRE_LITE);

static bool params_attr_known(const struct lustre_params_attr *attr)
{
	return attr->type > PARAMS_T_LINK && attr->type < PARAMS_T_MAX &&
		attr->unit < PARAMS_UNIT_MAX;
}

/*
 * There are permission bits, and callbacks for the operations that they permit.
 */
static bool params_attr_mode_ok(const struct lustre_params_attr *attr)
{
	bool reads = attr->field || attr->get_u;
	bool writes = attr->field || attr->set_u || attr->type == PARAMS_T_STATS;

	if (!attr->mode || (attr->mode & ~0777))
		return false;
	return (reads || !(attr->mode & 0444)) &&
		(writes || !(attr->mode & 0222));
}

/* An invalid table is refused when it is added, not when it is used. */
static int params_attr_check(const struct lustre_params_attr *attr)
{
	if (!params_attr_known(attr) || !params_attr_mode_ok(attr))
		return -EINVAL;
	if (attr->field && !params_type_is_number(attr->type))
		return -EINVAL;
	if ((attr->type == PARAMS_T_ENUM || attr->type == PARAMS_T_MASK) &&
	    !attr->names)
		return -EINVAL;
	return 0;
}

static struct lustre_params_entry *
params_attr_alloc(struct lustre_params_entry *dir,
		  const struct lustre_params_attr *attr, void *data)
{
	struct lustre_params_entry *lpe;

	if (WARN_ON_ONCE(params_attr_check(attr)))
		return ERR_PTR(-EINVAL);
	lpe = params_entry_alloc(dir, attr->name, S_IFREG | attr->mode, attr,
				 data);
	if (!IS_ERR(lpe))
		libcfs_active_open(&lpe->lpe_active);
	return lpe;
}

/* Several entries were added: one event each, as tables are short. */
static void params_added(struct lustre_params_entry **lpes, size_t count)
{
	size_t n;

	for (n = 0; n < count; n++)
		params_event(LL_PARAMS_ADDED, lpes[n]);
}

/**
 * params_add_attrs() - add typed parameters to a directory, all or none
 * @dir: directory, NULL for the root
 * @attrs: table, valid as long as the entries
 * @count: its length
 * @data: argument of the callbacks
 *
 * They become visible at the same moment. If the directory is visible, rules
 * are applied before, so their setters may run.
 *
 * Context: may sleep, for as long as setters do; under no lock that they take
 * Return: 0, -EEXIST, -ENODEV, -EINVAL (an invalid declaration), -ENAMETOOLONG
 *  or -ENOMEM
 */
int params_add_attrs(struct lustre_params_entry *dir,
		     const struct lustre_params_attr *attrs, size_t count,
		     void *data)
{
	struct lustre_params_entry **lpes;
	struct params_appear ap;
	size_t n;
	int rc = 0;

	dir = dir ?: params_root_entry;
	if (!params_is_dir(dir))
		return -ENOTDIR;
	lpes = kvcalloc(count, sizeof(*lpes), GFP_KERNEL);
	if (!lpes)
		return -ENOMEM;
	for (n = 0; n < count; n++) {
		lpes[n] = params_attr_alloc(dir, &attrs[n], data);
		if (IS_ERR(lpes[n])) {
			rc = PTR_ERR(lpes[n]);
			goto put_entries;
		}
		params_entry_get(lpes[n]);
	}
	params_appear_linking(dir, lpes, count, &ap);
	rc = params_link_all(dir, lpes, count);
	if (!rc) {
		params_added(lpes, count);
		params_appear_linked(dir, lpes, count, &ap);
	}
put_entries:
	while (n-- > 0) {
		if (rc) {
			params_ruled_undo(lpes[n]);
			params_entry_put(lpes[n]);
		}
		params_entry_put(lpes[n]);
	}
	kvfree(lpes);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(params_add_attrs, LUSTRE_LITE);

/**
 * params_add_link() - add a symbolic link
 * @parent: parent directory, NULL for the root
 * @name: name
 * @target: path of the target from the root, which must exist; the target of a
 *  link to a link is the target of that link
 *
 * Context: may sleep
 * Return: 0, -ENOENT, -EEXIST, -ENODEV, -ENOTDIR, -EINVAL, -ENAMETOOLONG or
 *  -ENOMEM
 */
int params_add_link(struct lustre_params_entry *parent, const char *name,
		    const char *target)
{
	struct lustre_params_entry *lpe;
	struct lustre_params_entry *to;

	parent = parent ?: params_root_entry;
	if (!params_is_dir(parent))
		return -ENOTDIR;
	to = params_lookup_entry(NULL, target);
	if (IS_ERR(to))
		return PTR_ERR(to);
	to = params_follow(to);
	lpe = params_entry_alloc(parent, name, S_IFLNK | 0777, NULL, NULL);
	if (IS_ERR(lpe)) {
		params_entry_put(to);
		return PTR_ERR(lpe);
	}
	lpe->lpe_target = to;
	return PTR_ERR_OR_ZERO(params_add_one(parent, lpe, true));
}
EXPORT_SYMBOL_NS_GPL(params_add_link, LUSTRE_LITE);

/**
 * params_add_entry() - add an entry by its callbacks
 * @lpe: directory, NULL for the root
 * @name: name
 * @read_cb: packs the value, NULL if it cannot be read
 * @write_cb: takes the value as text, NULL if it cannot be written
 * @data: argument of the callbacks
 *
 * With neither callback it adds a directory. For typed parameters use
 * params_add_attrs().
 *
 * Context: may sleep
 * Return: 0, -EEXIST, -ENODEV, -ENOTDIR, -EINVAL, -ENAMETOOLONG or -ENOMEM
 */
int params_add_entry(struct lustre_params_entry *lpe, const char *name,
		     lustre_params_read_t *read_cb,
		     lustre_params_write_t *write_cb, void *data)
{
	struct lustre_params_attr *attr;
	struct lustre_params_entry *new;

	lpe = lpe ?: params_root_entry;
	if (!params_is_dir(lpe))
		return -ENOTDIR;
	if (!read_cb && !write_cb)
		return PTR_ERR_OR_ZERO(params_add_dir(lpe, name, data));
	attr = libcfs_zalloc(sizeof(*attr), GFP_KERNEL);
	if (!attr)
		return -ENOMEM;
	attr->type = read_cb ? PARAMS_T_RECORDS : PARAMS_T_TRIGGER;
	attr->mode = (read_cb ? 0444 : 0) | (write_cb ? 0200 : 0);
	attr->read = read_cb;
	attr->write = write_cb;
	attr->dynamic = 1;
	new = params_entry_alloc(lpe, name, S_IFREG | attr->mode, attr, data);
	if (IS_ERR(new)) {
		libcfs_free(attr, sizeof(*attr));
		return PTR_ERR(new);
	}
	return PTR_ERR_OR_ZERO(params_add_one(lpe, new, true));
}
EXPORT_SYMBOL_NS_GPL(params_add_entry, LUSTRE_LITE);

/**
 * params_changed() - a value has changed by other means than a write
 * @entry: entry
 *
 * Raises its version and sends an event.
 *
 * Context: may sleep
 */
void params_changed(struct lustre_params_entry *entry)
{
	params_version_raise(entry);
	params_event(LL_PARAMS_CHANGED, entry);
}
EXPORT_SYMBOL_NS_GPL(params_changed, LUSTRE_LITE);
