// SPDX-License-Identifier: GPL-2.0-only
/*
 * The groups that stay from load to unload: entries=N values of them, in the
 * parameters tree, in sysfs, or only in memory to measure what the trees add.
 */
#include <linux/ktime.h>
#include <linux/math.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>

#include "sample.h"

static unsigned int entries = 360;
module_param(entries, uint, 0444);
MODULE_PARM_DESC(entries, "values in sample/lustre-OST*, 36 to a group");

static bool tree = true;
module_param(tree, bool, 0444);
MODULE_PARM_DESC(tree, "add the groups to the parameters tree");

static bool sysfs;
module_param(sysfs, bool, 0444);
MODULE_PARM_DESC(sysfs, "add the groups below /sys/kernel/params_sample");

static bool own_stats = true;
module_param(own_stats, bool, 0444);
MODULE_PARM_DESC(own_stats, "counters for each group, not one set for all");

static struct sample_group **groups;
static unsigned int group_count;

/* Values in group @i: the last group takes what is left. */
static size_t values_in(unsigned int i)
{
	return min(entries - i * SAMPLE_GROUP_ATTRS, SAMPLE_GROUP_ATTRS + 0U);
}

static int add_one(struct lustre_params_entry *root, unsigned int i)
{
	char name[24];
	int rc = 0;

	scnprintf(name, sizeof(name), "lustre-OST%04x", i);
	if (tree)
		rc = sample_group_publish(groups[i], root, name, values_in(i));
	if (!rc)
		rc = sample_sysfs_add(groups[i], values_in(i));
	return rc;
}

static int alloc_groups(void)
{
	unsigned int i;

	group_count = DIV_ROUND_UP(entries, SAMPLE_GROUP_ATTRS);
	if (!group_count)
		return 0;
	groups = kvcalloc(group_count, sizeof(*groups), GFP_KERNEL);
	if (!groups)
		return -ENOMEM;
	for (i = 0; i < group_count; i++) {
		groups[i] = sample_group_alloc(i, own_stats ? NULL : groups[0]);
		if (!groups[i])
			return -ENOMEM;
		cond_resched();
	}
	return 0;
}

static int populate(struct lustre_params_entry *root)
{
	ktime_t start = ktime_get();
	unsigned int i;
	int rc = 0;

	for (i = 0; !rc && i < group_count; i++) {
		rc = add_one(root, i);
		cond_resched();
	}
	if (!rc)
		pr_info("params_sample: added %u values in %lld us\n", entries,
			ktime_us_delta(ktime_get(), start));
	return rc;
}

/**
 * sample_groups_add() - make the groups and add them where they were asked for
 * @root: the sample directory
 *
 * Return: 0 or a negative errno; sample_groups_remove() undoes it either way
 */
int sample_groups_add(struct lustre_params_entry *root)
{
	int rc = alloc_groups();

	if (!rc && sysfs)
		rc = sample_sysfs_init();
	return rc ?: populate(root);
}

/**
 * sample_groups_remove() - take the groups out of both trees and free them
 */
void sample_groups_remove(void)
{
	ktime_t start = ktime_get();
	unsigned int i;

	if (!groups)
		goto out;
	for (i = 0; i < group_count && groups[i]; i++) {
		sample_group_unpublish(groups[i]);
		sample_sysfs_remove(groups[i]);
		cond_resched();
	}
	pr_info("params_sample: removed %u values in %lld us\n", entries,
		ktime_us_delta(ktime_get(), start));
	/* The first group may own the counters of all, so it goes last. */
	while (i-- > 0)
		sample_group_free(groups[i]);
	kvfree(groups);
	groups = NULL;
out:
	sample_sysfs_exit();
}

/**
 * sample_groups_sample() - let each group count some requests
 * @samples: how many
 */
void sample_groups_sample(unsigned int samples)
{
	unsigned int i;

	for (i = 0; i < group_count; i++) {
		sample_group_sample(groups[i], samples);
		cond_resched();
	}
}

/**
 * sample_groups_first() - a group that is there from load to unload
 *
 * Return: the group, or NULL with entries=0
 */
struct sample_group *sample_groups_first(void)
{
	return group_count ? groups[0] : NULL;
}
