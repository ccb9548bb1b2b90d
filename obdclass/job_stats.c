// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters of jobs. A request finds its job under RCU and counts under the lock of the job's
 * counters.
 *
 * A job that was not seen for the cleanup interval is removed. There are JOBS_MAX of them at most:
 * a new one beyond that is not counted until the work has removed those that it was longest ago of.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/refcount.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/stringhash.h>
#include <linux/workqueue.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/params.h>
#include <uapi/lustre_lite/wire.h>

#include "obd_internal.h"

#define JOBS_HASH_BITS	8
/* Seconds of real Lustre's job_cleanup_interval. */
#define JOBS_INTERVAL	600

/**
 * struct obd_job - a job
 * @jb_node: in js_hash
 * @jb_item: in js_list, or in a list of removed ones
 * @jb_ref: held by the hash, and by a reader of the parameter
 * @jb_used: seconds since boot of its last sample
 * @jb_stats: counters
 * @jb_id: its id
 */
struct obd_job {
	struct hlist_node	jb_node;
	struct list_head	jb_item;
	refcount_t		jb_ref;
	time64_t		jb_used;
	struct params_stats	*jb_stats;
	char			jb_id[WIRE_MSG_JOBID_LEN + 1];
};

/**
 * struct obd_jobs - jobs of a target
 * @js_lock: guards @js_list, @js_nr and changes of @js_hash
 * @js_list: jobs, the newest last
 * @js_nr: their number
 * @js_interval: seconds, 0: jobs stay
 * @js_desc: declarations of the counters
 * @js_count: their number
 * @js_work: removes jobs that were not seen for a while
 * @js_hash: jobs by id
 */
struct obd_jobs {
	spinlock_t			js_lock;
	struct list_head		js_list;
	u32				js_nr;
	u32				js_interval;
	const struct params_stat_desc	*js_desc;
	unsigned int			js_count;
	struct delayed_work		js_work;
	DECLARE_HASHTABLE(js_hash, JOBS_HASH_BITS);
};

static void job_free(struct obd_job *job)
{
	params_stats_free(job->jb_stats);
	libcfs_free(job, sizeof(*job));
}

static void job_put(struct obd_job *job)
{
	if (refcount_dec_and_test(&job->jb_ref))
		job_free(job);
}

static struct obd_job *job_new(const struct obd_jobs *jobs, const char *id)
{
	struct obd_job *job = libcfs_zalloc(sizeof(*job), GFP_KERNEL);

	if (!job)
		return NULL;
	refcount_set(&job->jb_ref, 1);
	strscpy(job->jb_id, id, sizeof(job->jb_id));
	job->jb_used = ktime_get_seconds();
	job->jb_stats = params_stats_alloc_small(jobs->js_desc, jobs->js_count);
	if (job->jb_stats)
		return job;
	job_free(job);
	return NULL;
}

static u32 job_hash(const char *id)
{
	return full_name_hash(NULL, id, strlen(id));
}

/* Under RCU, or under js_lock. */
static struct obd_job *job_find(struct obd_jobs *jobs, const char *id)
{
	struct obd_job *job;

	hash_for_each_possible_rcu(jobs->js_hash, job, jb_node, job_hash(id),
				   lockdep_is_held(&jobs->js_lock))
		if (!strcmp(job->jb_id, id))
			return job;
	return NULL;
}

static void __job_unlink(struct obd_jobs *jobs, struct obd_job *job, struct list_head *removed)
{
	lockdep_assert_held(&jobs->js_lock);
	hash_del_rcu(&job->jb_node);
	list_move(&job->jb_item, removed);
	jobs->js_nr--;
}

/* Free what was unlinked: requests may still count. */
static void jobs_drop(struct list_head *removed)
{
	struct obd_job *job, *next;

	if (list_empty(removed))
		return;
	synchronize_rcu();
	list_for_each_entry_safe(job, next, removed, jb_item)
		job_put(job);
}

/* Jobs that were seen before this are removed. @full: also the less recent half of all */
static time64_t __jobs_limit(const struct obd_jobs *jobs, bool full)
{
	time64_t now = ktime_get_seconds(), sum = 0;
	struct obd_job *job;

	lockdep_assert_held(&jobs->js_lock);
	if (!full)
		return now - jobs->js_interval;
	list_for_each_entry(job, &jobs->js_list, jb_item)
		sum += now - READ_ONCE(job->jb_used);
	return now - div_u64(sum, jobs->js_nr);
}

/* Half of the interval: a job is removed soon after its time. */
static void jobs_work_later(struct obd_jobs *jobs)
{
	u32 interval = READ_ONCE(jobs->js_interval);

	if (interval)
		mod_delayed_work(compat_unbound_wq, &jobs->js_work, (unsigned long)interval * HZ / 2);
}

static void jobs_work(struct work_struct *work)
{
	struct obd_jobs *jobs = container_of(to_delayed_work(work), struct obd_jobs, js_work);
	struct obd_job *job, *next;
	LIST_HEAD(removed);
	time64_t limit;
	bool full, some;

	spin_lock(&jobs->js_lock);
	full = jobs->js_nr >= JOBS_MAX;
	limit = full || jobs->js_interval ? __jobs_limit(jobs, full) : S64_MIN;
	list_for_each_entry_safe(job, next, &jobs->js_list, jb_item)
		if (READ_ONCE(job->jb_used) <= limit)
			__job_unlink(jobs, job, &removed);
	some = jobs->js_nr;
	spin_unlock(&jobs->js_lock);
	jobs_drop(&removed);
	if (some)
		jobs_work_later(jobs);
}

struct obd_jobs *obd_jobs_new(const struct params_stat_desc *desc, unsigned int count)
{
	struct obd_jobs *jobs = libcfs_zalloc(sizeof(*jobs), GFP_KERNEL);

	if (!jobs)
		return NULL;
	spin_lock_init(&jobs->js_lock);
	INIT_LIST_HEAD(&jobs->js_list);
	jobs->js_interval = JOBS_INTERVAL;
	jobs->js_desc = desc;
	jobs->js_count = count;
	INIT_DELAYED_WORK(&jobs->js_work, jobs_work);
	hash_init(jobs->js_hash);
	return jobs;
}
EXPORT_FOR_KUNIT(obd_jobs_new);

void obd_jobs_free(struct obd_jobs *jobs)
{
	if (!jobs)
		return;
	cancel_delayed_work_sync(&jobs->js_work);
	obd_jobs_remove(jobs, "clear");
	libcfs_free(jobs, sizeof(*jobs));
}
EXPORT_FOR_KUNIT(obd_jobs_free);

static bool job_count(struct obd_jobs *jobs, const char *id, unsigned int idx, u64 val)
{
	struct obd_job *job;

	rcu_read_lock();
	job = job_find(jobs, id);
	if (job) {
		WRITE_ONCE(job->jb_used, ktime_get_seconds());
		params_stats_add(job->jb_stats, idx, val);
	}
	rcu_read_unlock();
	return job;
}

/* Return: false: there are too many, or another task was quicker */
static bool job_link(struct obd_jobs *jobs, struct obd_job *job)
{
	bool linked, first;

	spin_lock(&jobs->js_lock);
	linked = jobs->js_nr < JOBS_MAX && !job_find(jobs, job->jb_id);
	if (linked) {
		hash_add_rcu(jobs->js_hash, &job->jb_node, job_hash(job->jb_id));
		list_add_tail(&job->jb_item, &jobs->js_list);
		jobs->js_nr++;
	}
	first = jobs->js_nr == 1;
	spin_unlock(&jobs->js_lock);
	if (linked && first)
		jobs_work_later(jobs);
	return linked;
}

void obd_jobs_add(struct obd_jobs *jobs, const char *id, unsigned int idx, u64 val)
{
	struct obd_job *job;
	unsigned int flags;

	if (!*id || job_count(jobs, id, idx, val))
		return;
	if (READ_ONCE(jobs->js_nr) >= JOBS_MAX) {
		mod_delayed_work(compat_unbound_wq, &jobs->js_work, 0);
		return;
	}
	/* A client may wait for the reply with its memory. */
	flags = memalloc_noio_save();
	job = job_new(jobs, id);
	memalloc_noio_restore(flags);
	if (!job)
		return;
	params_stats_add(job->jb_stats, idx, val);
	if (job_link(jobs, job))
		return;
	job_put(job);
	job_count(jobs, id, idx, val);
}
EXPORT_FOR_KUNIT(obd_jobs_add);

/* As real Lustre has them: other characters as \\xHH. */
static void id_print(const char *id, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (; *id; id++)
		used += isascii(*id) && (isalnum(*id) || strchr(".@_:/-", *id)) ?
			scnprintf(text + used, size - used, "%c", *id) :
			scnprintf(text + used, size - used, "\\x%02x", (u8)*id);
}

static void job_print(const struct obd_job *job, struct params_sink *sink)
{
	char text[4 * WIRE_MSG_JOBID_LEN + 1];

	id_print(job->jb_id, text, sizeof(text));
	params_list_begin(sink, NULL, PARAMS_LIST_MAP);
	params_put_str(sink, "job_id", text);
	params_stats_put(sink, job->jb_stats);
	params_list_end(sink);
}

/* Jobs, each referenced, as an array of *@nr; NULL: none; an ERR_PTR */
static struct obd_job **jobs_take(struct obd_jobs *jobs, u32 *nr)
{
	u32 room = READ_ONCE(jobs->js_nr);
	struct obd_job **all, *job;

	*nr = 0;
	if (!room)
		return NULL;
	all = kvmalloc_array(room, sizeof(struct obd_job *), GFP_KERNEL);
	if (!all)
		return ERR_PTR(-ENOMEM);
	spin_lock(&jobs->js_lock);
	list_for_each_entry(job, &jobs->js_list, jb_item) {
		if (*nr == room)
			break;
		refcount_inc(&job->jb_ref);
		all[(*nr)++] = job;
	}
	spin_unlock(&jobs->js_lock);
	return all;
}

int obd_jobs_print(struct obd_jobs *jobs, struct params_sink *sink)
{
	struct obd_job **all;
	u32 nr, n;

	all = jobs_take(jobs, &nr);
	if (IS_ERR(all))
		return PTR_ERR(all);
	params_list_begin(sink, "job_stats", PARAMS_LIST_SEQ);
	for (n = 0; n < nr; n++) {
		job_print(all[n], sink);
		job_put(all[n]);
	}
	params_list_end(sink);
	kvfree(all);
	return params_sink_error(sink);
}

int obd_jobs_remove(struct obd_jobs *jobs, const char *id)
{
	bool all = !strcmp(id, "clear");
	struct obd_job *job, *next;
	LIST_HEAD(removed);

	spin_lock(&jobs->js_lock);
	list_for_each_entry_safe(job, next, &jobs->js_list, jb_item)
		if (all || !strcmp(job->jb_id, id))
			__job_unlink(jobs, job, &removed);
	spin_unlock(&jobs->js_lock);
	if (list_empty(&removed) && !all)
		return -EINVAL;
	jobs_drop(&removed);
	return 0;
}
EXPORT_FOR_KUNIT(obd_jobs_remove);

u32 obd_jobs_count(const struct obd_jobs *jobs)
{
	return READ_ONCE(jobs->js_nr);
}
EXPORT_FOR_KUNIT(obd_jobs_count);

u32 obd_jobs_interval(const struct obd_jobs *jobs)
{
	return READ_ONCE(jobs->js_interval);
}

void obd_jobs_set_interval(struct obd_jobs *jobs, u32 seconds)
{
	WRITE_ONCE(jobs->js_interval, seconds);
	mod_delayed_work(compat_unbound_wq, &jobs->js_work, 0);
}
EXPORT_FOR_KUNIT(obd_jobs_set_interval);
