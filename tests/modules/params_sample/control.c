// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers. A callback must not delete entries, so what is asked for is put on
 * a queue: control.pending is 0 when all of it was done.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "sample.h"

#define TICK_MAX	1000000

/**
 * struct sample_job - something to do outside of a callback
 * @sj_work: on control_wq
 * @sj_delete: delete, else create
 * @sj_count: create: groups
 * @sj_name: name below sample/dyn
 */
struct sample_job {
	struct work_struct	sj_work;
	bool			sj_delete;
	unsigned int		sj_count;
	char			sj_name[64];
};

static struct workqueue_struct *control_wq;
static struct lustre_params_entry *control_dir;
static atomic_t pending, created, deleted, last_error;

static void job_run(struct work_struct *work)
{
	struct sample_job *job = container_of(work, struct sample_job, sj_work);
	int rc;

	if (job->sj_delete)
		rc = sample_dyn_delete(job->sj_name);
	else
		rc = sample_dyn_create(job->sj_name, job->sj_count);
	atomic_set(&last_error, rc);
	if (!rc)
		atomic_inc(job->sj_delete ? &deleted : &created);
	kfree(job);
	atomic_dec(&pending);
}

/* @text: "NAME" or "NAME GROUPS" */
static int job_queue(const char *text, bool delete)
{
	struct sample_job *job = kzalloc(sizeof(*job), GFP_KERNEL);
	int fields;

	if (!job)
		return -ENOMEM;
	job->sj_count = 1;
	fields = sscanf(text, "%63s %u", job->sj_name, &job->sj_count);
	if (fields < 1 || strlen(job->sj_name) > 31 ||
	    strchr(job->sj_name, '/')) {
		kfree(job);
		return -EINVAL;
	}
	job->sj_delete = delete;
	INIT_WORK(&job->sj_work, job_run);
	atomic_inc(&pending);
	queue_work(control_wq, &job->sj_work);
	return 0;
}

static int create_write(const char *text, size_t len, void *data)
{
	return job_queue(text, false);
}

static int delete_write(const char *text, size_t len, void *data)
{
	return job_queue(text, true);
}

static int tick_write(const char *text, size_t len, void *data)
{
	unsigned int samples;
	int rc = kstrtouint(text, 0, &samples);

	if (rc)
		return rc;
	if (samples > TICK_MAX)
		return -ERANGE;
	sample_groups_sample(samples);
	return 0;
}

/* An owner that changes a value by itself says so. */
static int change_write(const char *text, size_t len, void *data)
{
	struct lustre_params_entry *entry;

	entry = params_lookup_entry(NULL, text);
	if (IS_ERR(entry))
		return PTR_ERR(entry);
	if (!entry)
		return -ENOENT;
	params_changed(entry);
	params_entry_put(entry);
	return 0;
}

static int pending_get(void *data, u64 *val)
{
	*val = atomic_read(&pending);
	return 0;
}

static int created_get(void *data, u64 *val)
{
	*val = atomic_read(&created);
	return 0;
}

static int deleted_get(void *data, u64 *val)
{
	*val = atomic_read(&deleted);
	return 0;
}

static int last_error_get(void *data, s64 *val)
{
	*val = atomic_read(&last_error);
	return 0;
}

static int cycles_get(void *data, u64 *val)
{
	*val = sample_churn_cycles();
	return 0;
}

static const struct lustre_params_attr control_attrs[] = {
	LP_TRIGGER("change", change_write,
		   .doc = "announce a change of this path (with /)"),
	LP_TRIGGER("create", create_write,
		   .doc = "NAME [GROUPS]: add sample.dyn.NAME"),
	LP_U32_RO("created", created_get, .doc = "subtrees created"),
	LP_U64_RO("cycles", cycles_get,
		  .doc = "subtrees added and deleted by the churn threads"),
	LP_TRIGGER("delete", delete_write, .doc = "NAME: delete sample.dyn.NAME"),
	LP_U32_RO("deleted", deleted_get, .doc = "subtrees deleted"),
	LP_S32_RO("last_error", last_error_get, .doc = "status of the last job"),
	LP_U32_RO("pending", pending_get, .doc = "jobs not done yet"),
	LP_TRIGGER("tick", tick_write,
		   .doc = "let each group count this many requests"),
};

/**
 * sample_control_add() - add control/
 * @root: the sample directory; dyn must be there
 *
 * Return: 0 or a negative errno; sample_control_remove() undoes it either way
 */
int sample_control_add(struct lustre_params_entry *root)
{
	struct lustre_params_entry *dir;

	control_wq = alloc_ordered_workqueue("params_sample", 0);
	if (!control_wq)
		return -ENOMEM;
	dir = params_add_dir(root, "control", NULL);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	control_dir = dir;
	return params_add_attrs(dir, control_attrs, ARRAY_SIZE(control_attrs),
				NULL);
}

/**
 * sample_control_remove() - no further jobs, and those queued are done
 */
void sample_control_remove(void)
{
	if (control_dir)
		params_remove(control_dir);
	control_dir = NULL;
	if (control_wq)
		destroy_workqueue(control_wq);
	control_wq = NULL;
}
