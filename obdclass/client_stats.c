// SPDX-License-Identifier: GPL-2.0-only
/* Operations of a target by client and by job: obd_stats.h. */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/refcount.h>

#include <lustre_lite/libcfs.h>
#include <lustre_lite/obd.h>
#include <lustre_lite/obd_export.h>
#include <lustre_lite/params.h>

#include "obd_internal.h"

/**
 * struct obd_client_stats - what a target counts
 * @ocs_desc: declarations of the counters
 * @ocs_count: their number
 * @ocs_jobs: counters of jobs
 * @oc_open_files: packs the open files of a client, or NULL
 */
struct obd_client_stats {
	const struct params_stat_desc	*ocs_desc;
	unsigned int			ocs_count;
	struct obd_jobs			*ocs_jobs;
	obd_export_put_t		*oc_open_files;
};

/**
 * struct obd_nid_stats - counters of the clients at a NID
 * @ons_ref: held by the directory exports.NID and by each export
 * @ons_stats: counters
 */
struct obd_nid_stats {
	refcount_t		ons_ref;
	struct params_stats	*ons_stats;
};

struct obd_nid_stats *obd_nid_stats_new(const struct obd_device *obd)
{
	const struct obd_client_stats *oc = obd->obd_client_stats;
	struct obd_nid_stats *ns;

	if (!oc)
		return NULL;
	ns = libcfs_zalloc(sizeof(*ns), GFP_KERNEL_ACCOUNT);
	if (!ns)
		return ERR_PTR(-ENOMEM);
	refcount_set(&ns->ons_ref, 1);
	ns->ons_stats = params_stats_alloc_small(oc->ocs_desc, oc->ocs_count);
	if (ns->ons_stats)
		return ns;
	libcfs_free(ns, sizeof(*ns));
	return ERR_PTR(-ENOMEM);
}

struct obd_nid_stats *obd_nid_stats_get(struct obd_nid_stats *ns)
{
	if (ns)
		refcount_inc(&ns->ons_ref);
	return ns;
}

void obd_nid_stats_put(struct obd_nid_stats *ns)
{
	if (!ns || !refcount_dec_and_test(&ns->ons_ref))
		return;
	params_stats_free(ns->ons_stats);
	libcfs_free(ns, sizeof(*ns));
}

struct params_stats *obd_nid_stats_of(const struct obd_nid_stats *ns)
{
	return ns->ons_stats;
}

obd_export_put_t *obd_open_files_of(const struct obd_device *obd)
{
	return obd->obd_client_stats ? obd->obd_client_stats->oc_open_files : NULL;
}

static int job_stats_read(struct params_sink *sink, void *data)
{
	const struct obd_client_stats *oc = data;

	return obd_jobs_print(oc->ocs_jobs, sink);
}

static int job_stats_write(const char *text, size_t len, void *data)
{
	const struct obd_client_stats *oc = data;

	return obd_jobs_remove(oc->ocs_jobs, text);
}

static int interval_get(void *data, u64 *val)
{
	const struct obd_client_stats *oc = data;

	*val = obd_jobs_interval(oc->ocs_jobs);
	return 0;
}

static int interval_set(void *data, u64 val)
{
	const struct obd_client_stats *oc = data;

	obd_jobs_set_interval(oc->ocs_jobs, val);
	return 0;
}

static const struct lustre_params_attr job_attrs[] = {
	LP_READER_RW("job_stats", job_stats_read, job_stats_write, .not_setting = 1,
		     .doc = "operations by job, see jobid_var; a job's id removes it, \"clear\" removes all"),
	LP_U32_RW("job_cleanup_interval", interval_get, interval_set, .unit = PARAMS_UNIT_SEC,
		  .max = 7 * 86400,
		  .doc = "seconds after its last operation that a job is removed; 0: jobs stay until there are 4096"),
};

int obd_client_stats_init(struct obd_device *obd, const struct params_stat_desc *desc,
			  unsigned int count, obd_export_put_t *open_files)
{
	struct obd_client_stats *oc = libcfs_zalloc(sizeof(*oc), GFP_KERNEL);
	int rc = -ENOMEM;

	if (!oc)
		return -ENOMEM;
	obd->obd_client_stats = oc;
	oc->ocs_desc = desc;
	oc->ocs_count = count;
	oc->oc_open_files = open_files;
	oc->ocs_jobs = obd_jobs_new(desc, count);
	if (oc->ocs_jobs)
		rc = params_add_attrs(obd->obd_params, job_attrs, ARRAY_SIZE(job_attrs), oc);
	if (rc)
		obd_client_stats_fini(obd);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(obd_client_stats_init, LUSTRE_LITE);

void obd_client_stats_fini(struct obd_device *obd)
{
	struct obd_client_stats *oc = obd->obd_client_stats;

	if (!oc)
		return;
	obd->obd_client_stats = NULL;
	obd_jobs_free(oc->ocs_jobs);
	libcfs_free(oc, sizeof(*oc));
}
EXPORT_SYMBOL_NS_GPL(obd_client_stats_fini, LUSTRE_LITE);

void obd_client_stats_add(struct obd_export *exp, const char *job, unsigned int idx, u64 val)
{
	if (exp->exp_stats)
		params_stats_add(exp->exp_stats->ons_stats, idx, val);
	obd_jobs_add(exp->exp_obd->obd_client_stats->ocs_jobs, job, idx, val);
}
EXPORT_SYMBOL_NS_GPL(obd_client_stats_add, LUSTRE_LITE);
