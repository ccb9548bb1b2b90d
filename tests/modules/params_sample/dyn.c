// SPDX-License-Identifier: GPL-2.0-only
/*
 * Subtrees that come and go: sample/dyn/NAME with some groups, all of which
 * appear at once and whose data is freed as soon as they are deleted.
 */
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "sample.h"

#define DYN_NAME_MAX	32
#define DYN_GROUPS_MAX	64
#define DYN_MAX		1024

/**
 * struct sample_dyn - a subtree
 * @sd_list: in dyn_list
 * @sd_name: its name
 * @sd_dir: its directory, lent by the tree
 * @sd_count: groups
 * @sd_groups: their data
 */
struct sample_dyn {
	struct list_head		sd_list;
	char				sd_name[DYN_NAME_MAX];
	struct lustre_params_entry	*sd_dir;
	unsigned int			sd_count;
	struct sample_group		*sd_groups[];
};

/* Guards dyn_list and dyn_count. Never held while a subtree is deleted. */
static DEFINE_MUTEX(dyn_lock);
static LIST_HEAD(dyn_list);
static unsigned int dyn_count;
static struct lustre_params_entry *dyn_root;

static struct sample_dyn *find_locked(const char *name)
{
	struct sample_dyn *dyn;

	lockdep_assert_held(&dyn_lock);
	list_for_each_entry(dyn, &dyn_list, sd_list)
		if (!strcmp(dyn->sd_name, name))
			return dyn;
	return NULL;
}

/* Unpublish, then free what the callbacks used. */
static void destroy(struct sample_dyn *dyn)
{
	unsigned int i;

	if (!IS_ERR_OR_NULL(dyn->sd_dir))
		params_remove(dyn->sd_dir);
	for (i = 0; i < dyn->sd_count && dyn->sd_groups[i]; i++)
		sample_group_free(dyn->sd_groups[i]);
	libcfs_free(dyn, struct_size(dyn, sd_groups, dyn->sd_count));
}

static int fill_one(struct sample_dyn *dyn, unsigned int i)
{
	struct lustre_params_entry *dir;
	char name[16];

	dyn->sd_groups[i] = sample_group_alloc(i, NULL);
	if (!dyn->sd_groups[i])
		return -ENOMEM;
	scnprintf(name, sizeof(name), "g%02u", i);
	dir = params_add_dir(dyn->sd_dir, name, dyn->sd_groups[i]);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	return params_add_attrs(dir, sample_group_attrs, SAMPLE_GROUP_ATTRS,
				dyn->sd_groups[i]);
}

static int fill(struct sample_dyn *dyn)
{
	unsigned int i;
	int rc = 0;

	dyn->sd_dir = params_add_dir_hidden(dyn_root, dyn->sd_name, dyn);
	if (IS_ERR(dyn->sd_dir))
		return PTR_ERR(dyn->sd_dir);
	for (i = 0; !rc && i < dyn->sd_count; i++)
		rc = fill_one(dyn, i);
	return rc ?: params_publish(dyn->sd_dir);
}

static int enlist(struct sample_dyn *dyn)
{
	int rc = 0;

	mutex_lock(&dyn_lock);
	if (find_locked(dyn->sd_name)) {
		rc = -EEXIST;
	} else if (dyn_count >= DYN_MAX) {
		rc = -ENOSPC;
	} else {
		list_add(&dyn->sd_list, &dyn_list);
		dyn_count++;
	}
	mutex_unlock(&dyn_lock);
	return rc;
}

/**
 * sample_dyn_create() - add sample/dyn/@name
 * @name: name, 1 to 31 bytes
 * @count: groups in it, at most 64
 *
 * Context: may sleep.
 * Return: 0 or a negative errno; then nothing was added
 */
int sample_dyn_create(const char *name, unsigned int count)
{
	struct sample_dyn *dyn;
	int rc;

	if (count > DYN_GROUPS_MAX)
		return -ERANGE;
	dyn = libcfs_zalloc(struct_size(dyn, sd_groups, count), GFP_KERNEL);
	if (!dyn)
		return -ENOMEM;
	dyn->sd_count = count;
	rc = -ENAMETOOLONG;
	if (strscpy(dyn->sd_name, name, sizeof(dyn->sd_name)) < 0)
		goto destroy;
	rc = fill(dyn);
	if (rc)
		goto destroy;
	/* The tree refused a second one of this name, so only DYN_MAX can fail. */
	rc = enlist(dyn);
	if (rc)
		goto destroy;
	return 0;

destroy:
	destroy(dyn);
	return rc;
}

/**
 * sample_dyn_delete() - delete sample/dyn/@name
 * @name: name
 *
 * Context: may sleep, for as long as a callback of it runs; not to be called
 * from a callback of the tree.
 * Return: 0, or -ENOENT
 */
int sample_dyn_delete(const char *name)
{
	struct sample_dyn *dyn;

	mutex_lock(&dyn_lock);
	dyn = find_locked(name);
	if (dyn) {
		list_del(&dyn->sd_list);
		dyn_count--;
	}
	mutex_unlock(&dyn_lock);
	if (!dyn)
		return -ENOENT;
	destroy(dyn);
	return 0;
}

/**
 * sample_dyn_init() - add sample/dyn
 * @root: the sample directory
 *
 * Return: 0 or a negative errno
 */
int sample_dyn_init(struct lustre_params_entry *root)
{
	dyn_root = params_add_dir(root, "dyn", NULL);
	return PTR_ERR_OR_ZERO(dyn_root);
}

/**
 * sample_dyn_exit() - delete every subtree that is left
 */
void sample_dyn_exit(void)
{
	struct sample_dyn *dyn, *next;

	list_for_each_entry_safe(dyn, next, &dyn_list, sd_list) {
		list_del(&dyn->sd_list);
		destroy(dyn);
	}
	dyn_count = 0;
}
