// SPDX-License-Identifier: GPL-2.0-only
/*
 * The same values as a sysfs tree, to measure against: one kobject for each
 * group, one attribute for each value, text in and out as sysfs drivers do it.
 * The attributes themselves are shared by all groups, so what a group costs is
 * what sysfs itself keeps.
 */
#include <linux/kstrtox.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/sysfs.h>

#include "sample.h"

/**
 * struct twin_attr - a value's twin
 * @ta_attr: what sysfs sees
 * @ta_lp: the declaration that both share
 */
struct twin_attr {
	struct kobj_attribute			ta_attr;
	const struct lustre_params_attr		*ta_lp;
};

static struct twin_attr twin_attrs[SAMPLE_GROUP_ATTRS];
static struct attribute *twin_list[SAMPLE_GROUP_ATTRS + 1];
static struct kobject *twin_root;

static u64 value_u(const struct lustre_params_attr *lp, void *data)
{
	u64 val = 0;

	if (!lp->field) {
		lp->get_u(data, &val);
		return val;
	}
	switch (lp->type) {
	case PARAMS_T_BOOL:
		return READ_ONCE(*(bool *)(data + lp->offset));
	case PARAMS_T_U32:
		return READ_ONCE(*(u32 *)(data + lp->offset));
	default:
		return READ_ONCE(*(u64 *)(data + lp->offset));
	}
}

static s64 value_s(const struct lustre_params_attr *lp, void *data)
{
	if (lp->type == PARAMS_T_S32)
		return READ_ONCE(*(s32 *)(data + lp->offset));
	return READ_ONCE(*(s64 *)(data + lp->offset));
}

static ssize_t show_mask(const struct lustre_params_attr *lp, u64 mask, char *buf)
{
	ssize_t len = 0;
	unsigned int bit;

	for (bit = 0; lp->names[bit]; bit++)
		if (mask & BIT_ULL(bit))
			len += sysfs_emit_at(buf, len, "%s%s", len ? " " : "",
					     lp->names[bit]);
	return len + sysfs_emit_at(buf, len, "\n");
}

static ssize_t show_stats(struct params_stats *stats, char *buf)
{
	struct params_counter c;
	ssize_t len = 0;
	unsigned int i;

	for (i = 0; i < SAMPLE_OP_COUNT && !params_stats_read(stats, i, &c); i++)
		len += sysfs_emit_at(buf, len,
				     "%-25u %llu samples [%u] %llu %llu %llu %llu\n",
				     i, c.pc_count, c.pc_unit, c.pc_min,
				     c.pc_max, c.pc_sum_lo, c.pc_sumsq_lo);
	return len;
}

static ssize_t show_import(const struct sample_group *group, char *buf)
{
	return sysfs_emit(buf,
			  "import:\n"
			  "    name: lustre-OST%04x-osc\n"
			  "    target: lustre-OST%04x_UUID\n"
			  "    state: FULL\n"
			  "    connect_flags: [ lov_index, version, adaptive_timeouts ]\n"
			  "    connect_data:\n"
			  "       flags: 0x%llx\n"
			  "       instance: %u\n"
			  "       target_version: %s\n"
			  "       target_index: %u\n",
			  group->sg_index, group->sg_index,
			  0xa040401443000026ULL, 1, "2.17.57.0",
			  group->sg_index);
}

static ssize_t show_text(const struct lustre_params_attr *lp, void *data,
			 char *buf)
{
	ssize_t len = lp->get_str(data, buf, PAGE_SIZE - 1);

	if (len < 0)
		return len;
	buf[len++] = '\n';
	return len;
}

static ssize_t twin_show(struct kobject *kobj, struct kobj_attribute *attr,
			 char *buf)
{
	struct sample_group *group = container_of(kobj, struct sample_group,
						  sg_kobj);
	const struct lustre_params_attr *lp =
		container_of(attr, struct twin_attr, ta_attr)->ta_lp;

	switch (lp->type) {
	case PARAMS_T_S32:
	case PARAMS_T_S64:
		return sysfs_emit(buf, "%lld\n", value_s(lp, group));
	case PARAMS_T_TIME:
		return sysfs_emit(buf, "%lld\n",
				  div_s64(value_s(lp, group), NSEC_PER_SEC));
	case PARAMS_T_STRING:
		return show_text(lp, group, buf);
	case PARAMS_T_ENUM:
		return sysfs_emit(buf, "%s\n", lp->names[value_u(lp, group)]);
	case PARAMS_T_MASK:
		return show_mask(lp, value_u(lp, group), buf);
	case PARAMS_T_STATS:
		return show_stats(lp->get_stats(group), buf);
	case PARAMS_T_RECORDS:
		return show_import(group, buf);
	default:
		return sysfs_emit(buf, lp->hex ? "0x%llx\n" : "%llu\n",
				  value_u(lp, group));
	}
}

/* Only plain numbers are written when measuring. */
static ssize_t twin_store(struct kobject *kobj, struct kobj_attribute *attr,
			  const char *buf, size_t count)
{
	struct sample_group *group = container_of(kobj, struct sample_group,
						  sg_kobj);
	const struct lustre_params_attr *lp =
		container_of(attr, struct twin_attr, ta_attr)->ta_lp;
	u64 val;
	int rc;

	if (lp->type != PARAMS_T_U32 && lp->type != PARAMS_T_U64)
		return -EOPNOTSUPP;
	rc = kstrtou64(buf, 0, &val);
	if (rc)
		return rc;
	if (val < lp->min || (lp->max && val > lp->max))
		return -ERANGE;
	if (lp->type == PARAMS_T_U32)
		WRITE_ONCE(*(u32 *)((void *)group + lp->offset), val);
	else
		WRITE_ONCE(*(u64 *)((void *)group + lp->offset), val);
	return count;
}

/* The creator of the group owns and frees it. */
static void twin_release(struct kobject *kobj)
{
}

static const struct kobj_type twin_type = {
	.release	= twin_release,
	.sysfs_ops	= &kobj_sysfs_ops,
};

static ssize_t big_read(struct file *file, struct kobject *kobj,
			struct bin_attribute *attr, char *buf, loff_t off,
			size_t count)
{
	size_t len;
	const char *text = sample_special_text(&len);

	return memory_read_from_buffer(buf, count, &off, text, len);
}

static struct bin_attribute big_attr = {
	.attr = { .name = "big", .mode = 0444 },
	.read = big_read,
};

static int add_big(void)
{
	size_t len;

	sample_special_text(&len);
	big_attr.size = len;
	return len ? sysfs_create_bin_file(twin_root, &big_attr) : 0;
}

/**
 * sample_sysfs_init() - make /sys/kernel/params_sample
 *
 * Return: 0 or a negative errno
 */
int sample_sysfs_init(void)
{
	unsigned int i;
	int rc;

	for (i = 0; i < SAMPLE_GROUP_ATTRS; i++) {
		struct twin_attr *twin = &twin_attrs[i];
		const struct lustre_params_attr *lp = &sample_group_attrs[i];

		twin->ta_lp = lp;
		twin->ta_attr = (struct kobj_attribute)
			__ATTR(unset, 0444, twin_show, twin_store);
		twin->ta_attr.attr.name = lp->name;
		twin->ta_attr.attr.mode = lp->mode;
		sysfs_attr_init(&twin->ta_attr.attr);
		twin_list[i] = &twin->ta_attr.attr;
	}
	twin_root = kobject_create_and_add("params_sample", kernel_kobj);
	if (!twin_root)
		return -ENOMEM;
	rc = add_big();
	if (rc)
		sample_sysfs_exit();
	return rc;
}

/**
 * sample_sysfs_exit() - take /sys/kernel/params_sample away
 *
 * The groups must be gone from it.
 */
void sample_sysfs_exit(void)
{
	if (!twin_root)
		return;
	if (big_attr.size)
		sysfs_remove_bin_file(twin_root, &big_attr);
	kobject_put(twin_root);
	twin_root = NULL;
}

/**
 * sample_sysfs_add() - add a group's twin
 * @group: group
 * @count: how many of its values
 *
 * Return: 0, also when there is no sysfs tree; or a negative errno
 */
int sample_sysfs_add(struct sample_group *group, size_t count)
{
	size_t i;
	int rc;

	if (!twin_root)
		return 0;
	rc = kobject_init_and_add(&group->sg_kobj, (struct kobj_type *)&twin_type,
				  twin_root, "lustre-OST%04x", group->sg_index);
	for (i = 0; !rc && i < count; i++)
		rc = sysfs_create_file(&group->sg_kobj, twin_list[i]);
	if (rc)
		kobject_put(&group->sg_kobj);
	else
		group->sg_in_sysfs = true;
	return rc;
}

/**
 * sample_sysfs_remove() - take a group's twin away
 * @group: group, with or without a twin
 */
void sample_sysfs_remove(struct sample_group *group)
{
	if (!group->sg_in_sysfs)
		return;
	kobject_del(&group->sg_kobj);
	kobject_put(&group->sg_kobj);
	group->sg_in_sysfs = false;
}
