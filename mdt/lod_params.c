// SPDX-License-Identifier: GPL-2.0-only
/* Parameters of the choice of targets, lod.VOLUME.*, under real Lustre's names. */
#include <linux/err.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_export.h>
#include <lustre_lite/params.h>

#include "lod.h"
#include "mdt_internal.h"

#define PERCENT		100

static struct lustre_params_entry *lod_dir;

/* Parts of QOS_WHOLE, rounded as real Lustre shows them. */
static u64 percent_of(u32 parts)
{
	return (parts * PERCENT + QOS_WHOLE / 2) / QOS_WHOLE;
}

static u32 parts_of(u64 percent)
{
	return percent * QOS_WHOLE / PERCENT;
}

static int threshold_get(void *data, u64 *val)
{
	const struct lod_device *lod = data;

	*val = percent_of(READ_ONCE(lod->lodd_qos.threshold));
	return 0;
}

static int threshold_set(void *data, u64 val)
{
	struct lod_device *lod = data;

	spin_lock(&lod->lodd_lock);
	lod->lodd_qos.threshold = parts_of(val);
	spin_unlock(&lod->lodd_lock);
	lod_targets_compare(lod);
	return 0;
}

static int prio_free_get(void *data, u64 *val)
{
	const struct lod_device *lod = data;

	*val = percent_of(READ_ONCE(lod->lodd_qos.prio_free));
	return 0;
}

static int prio_free_set(void *data, u64 val)
{
	struct lod_device *lod = data;

	spin_lock(&lod->lodd_lock);
	lod->lodd_qos.prio_free = parts_of(val);
	spin_unlock(&lod->lodd_lock);
	return 0;
}

static int removed_get(void *data, u64 *val)
{
	const struct lod_device *lod = data;

	*val = READ_ONCE(lod->lodd_nr_orphans);
	return 0;
}

static const struct lustre_params_attr lod_attrs[] = {
	LP_U64_RW("qos_threshold_rr", threshold_get, threshold_set, .max = PERCENT, LP_DEF(17),
		  .doc = "difference of the free space of targets, percent, from which on new files are placed by weight; 100: always in turn"),
	LP_U64_RW("qos_prio_free", prio_free_get, prio_free_set, .max = PERCENT, LP_DEF(90),
		  .doc = "weight of free space against spreading over targets and servers, percent"),
	LP_U64_RO("removed_files", removed_get,
		  .doc = "removed files whose objects are not destroyed yet"),
};

int lod_module_init(void)
{
	struct lustre_params_entry *dir = params_add_dir(NULL, "lod", NULL);

	if (IS_ERR(dir))
		return PTR_ERR(dir);
	lod_dir = dir;
	return 0;
}

void lod_module_exit(void)
{
	params_remove(lod_dir);
	lod_dir = NULL;
}

int lod_params_init(struct lod_device *lod)
{
	struct lustre_params_entry *dir;
	int rc;

	dir = params_add_dir(lod_dir, lod->lodd_lov->exp_obd->obd_name, lod);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	lod->lodd_params = dir;
	rc = params_add_attrs(dir, lod_attrs, ARRAY_SIZE(lod_attrs), lod);
	if (rc)
		lod_params_fini(lod);
	return rc;
}

void lod_params_fini(struct lod_device *lod)
{
	params_remove(lod->lodd_params);
	lod->lodd_params = NULL;
}
