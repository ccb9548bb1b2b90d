// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parameters of the choice of targets, lod.VOLUME.*, under real Lustre's names. The defaults of the
 * file system are those of the volume: its parameters have a second name here.
 */
#include <linux/err.h>
#include <linux/kernel.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_class.h>
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

static int active_get(void *data, u64 *val)
{
	*val = lod_active(data);
	return 0;
}

static const struct lustre_params_attr lod_attrs[] = {
	LP_U32_RO("activeobd", active_get,
		  .doc = "targets that new files can use: connected, with numbers for objects, and not full"),
	LP_U64_RW("qos_threshold_rr", threshold_get, threshold_set, .max = PERCENT, LP_DEF(17),
		  .doc = "difference of the free space of targets, percent, from which on new files are placed by weight; 100: always in turn"),
	LP_U64_RW("qos_prio_free", prio_free_get, prio_free_set, .max = PERCENT, LP_DEF(90),
		  .doc = "weight of free space against spreading over targets and servers, percent"),
	LP_U64_RO("removed_files", removed_get,
		  .doc = "removed files whose objects are not destroyed yet"),
};

/* Of the volume. */
static const char *const lod_links[] = {
	"stripesize", "stripecount", "stripeoffset", "qos_maxage", "numobd",
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

static int links_add(struct lustre_params_entry *dir, const struct obd_device *lov)
{
	char path[2 * MAX_OBD_NAME];
	u32 n;
	int rc = 0;

	for (n = 0; !rc && n < ARRAY_SIZE(lod_links); n++) {
		snprintf(path, sizeof(path), "%s/%s/%s", lov->obd_type->typ_name, lov->obd_name,
			 lod_links[n]);
		rc = params_add_link(dir, lod_links[n], path);
	}
	return rc;
}

int lod_params_init(struct lod_device *lod)
{
	const struct obd_device *lov = lod->lodd_lov->exp_obd;
	struct lustre_params_entry *dir;
	int rc;

	dir = params_add_dir(lod_dir, lov->obd_name, lod);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	lod->lodd_params = dir;
	rc = params_add_attrs(dir, lod_attrs, ARRAY_SIZE(lod_attrs), lod) ?: links_add(dir, lov);
	if (rc)
		lod_params_fini(lod);
	return rc;
}

void lod_params_fini(struct lod_device *lod)
{
	params_remove(lod->lodd_params);
	lod->lodd_params = NULL;
}
