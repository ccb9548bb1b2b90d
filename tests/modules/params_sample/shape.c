// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trees of extreme shape, symbolic links, and a clock for lookups: what one
 * costs must not depend on how many siblings there are.
 */
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>

#include "sample.h"

#define FEW		10
#define LOOKUPS_MAX	10000000

static uint wide;
module_param(wide, uint, 0444);
MODULE_PARM_DESC(wide, "children of sample/wide");

static uint depth = 8;
module_param(depth, uint, 0444);
MODULE_PARM_DESC(depth, "levels of sample/deep");

static struct lustre_params_entry *wide_dir;
static u64 few_ns, wide_ns;

static int number_read(struct params_sink *sink, void *data)
{
	return params_put_u64(sink, NULL, (unsigned long)data);
}

static struct lustre_params_entry *
add_children(struct lustre_params_entry *root, const char *name,
	     unsigned int count)
{
	struct lustre_params_entry *dir = params_add_dir(root, name, NULL);
	ktime_t start = ktime_get();
	char child[16];
	unsigned int i;
	int rc = 0;

	if (IS_ERR(dir))
		return dir;
	for (i = 0; !rc && i < count; i++) {
		scnprintf(child, sizeof(child), "e%07u", i);
		rc = params_add_entry(dir, child, number_read, NULL,
				      (void *)(unsigned long)i);
		cond_resched();
	}
	pr_info("params_sample: added %u children to %s in %lld us\n", i, name,
		ktime_us_delta(ktime_get(), start));
	return rc ? ERR_PTR(rc) : dir;
}

/* sample/deep/d0/d1/.../bottom */
static int add_deep(struct lustre_params_entry *root)
{
	struct lustre_params_entry *dir = params_add_dir(root, "deep", NULL);
	char name[16];
	unsigned int i;

	for (i = 0; i < depth && !IS_ERR(dir); i++) {
		scnprintf(name, sizeof(name), "d%u", i);
		dir = params_add_dir(dir, name, NULL);
	}
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	return params_add_entry(dir, "bottom", number_read, NULL,
				(void *)(unsigned long)depth);
}

static int add_links(struct lustre_params_entry *root)
{
	struct lustre_params_entry *dir = params_add_dir(root, "links", NULL);
	int rc;

	if (IS_ERR(dir))
		return PTR_ERR(dir);
	rc = params_add_link(dir, "plain", "sample/special/plain");
	if (!rc)
		rc = params_add_link(dir, "slow", "sample/special/slow");
	if (!rc)
		rc = params_add_link(dir, "deep", "sample/deep");
	return rc;
}

/* Average time of a lookup of @count names all over sample/@dir. */
static int time_lookups(const char *dir, unsigned int children,
			unsigned int count, u64 *ns)
{
	ktime_t start = ktime_get();
	char path[40];
	unsigned int i;

	for (i = 0; i < count; i++) {
		struct lustre_params_entry *entry;

		scnprintf(path, sizeof(path), "sample/%s/e%07u", dir,
			  (u32)(i * 2654435761U) % children);
		entry = params_lookup_entry(NULL, path);
		if (IS_ERR_OR_NULL(entry))
			return -ENOENT;
		params_entry_put(entry);
		cond_resched();
	}
	*ns = ktime_to_ns(ktime_sub(ktime_get(), start)) / count;
	return 0;
}

static int lookups_write(const char *text, size_t len, void *data)
{
	unsigned int count;
	int rc = kstrtouint(text, 0, &count);

	if (rc)
		return rc;
	if (!count || count > LOOKUPS_MAX)
		return -ERANGE;
	rc = time_lookups("few", FEW, count, &few_ns);
	if (!rc && wide)
		rc = time_lookups("wide", wide, count, &wide_ns);
	return rc;
}

static int few_ns_get(void *data, u64 *val)
{
	*val = few_ns;
	return 0;
}

static int wide_ns_get(void *data, u64 *val)
{
	*val = wide_ns;
	return 0;
}

static const struct lustre_params_attr measure_attrs[] = {
	LP_U64_RO("few_ns", few_ns_get,
		  .doc = "time of a lookup among ten siblings"),
	LP_TRIGGER("lookups", lookups_write,
		   .doc = "look up this many names and take the time"),
	LP_U64_RO("wide_ns", wide_ns_get,
		  .doc = "time of a lookup among the children of wide"),
};

static int add_measure(struct lustre_params_entry *root)
{
	struct lustre_params_entry *dir;

	dir = params_add_dir(root, "measure", NULL);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	return params_add_attrs(dir, measure_attrs, ARRAY_SIZE(measure_attrs),
				NULL);
}

/**
 * sample_shape_add() - add few, wide, deep, links and measure
 * @root: the sample directory; special must be there
 *
 * Return: 0 or a negative errno; what was added goes with @root
 */
int sample_shape_add(struct lustre_params_entry *root)
{
	struct lustre_params_entry *dir = add_children(root, "few", FEW);
	int rc;

	if (IS_ERR(dir))
		return PTR_ERR(dir);
	if (wide) {
		dir = add_children(root, "wide", wide);
		if (IS_ERR(dir))
			return PTR_ERR(dir);
		wide_dir = dir;
	}
	rc = add_deep(root);
	if (!rc)
		rc = add_links(root);
	return rc ?: add_measure(root);
}

/**
 * sample_shape_remove() - delete wide and say how long it took
 *
 * The rest goes with the sample directory.
 */
void sample_shape_remove(void)
{
	ktime_t start = ktime_get();

	if (!wide_dir)
		return;
	params_remove(wide_dir);
	wide_dir = NULL;
	pr_info("params_sample: removed %u children of wide in %lld us\n", wide,
		ktime_us_delta(ktime_get(), start));
}
