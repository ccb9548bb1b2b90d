/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of jobs: job_stats.c. */
#ifndef _JOB_STATS_H
#define _JOB_STATS_H

#include <linux/types.h>

struct obd_jobs;
struct params_sink;
struct params_stat_desc;

/* Most jobs of a target. */
#define JOBS_MAX	4096

/* Sleeps. Return: jobs, none yet; NULL on allocation failure */
struct obd_jobs *obd_jobs_new(const struct params_stat_desc *desc, unsigned int count);
/* No task uses it. NULL is permitted. Sleeps */
void obd_jobs_free(struct obd_jobs *jobs);
/* Count a sample of a job. May sleep, for its first one */
void obd_jobs_add(struct obd_jobs *jobs, const char *id, unsigned int idx, u64 val);
/* Number of jobs. Any context */
u32 obd_jobs_count(const struct obd_jobs *jobs);
/* All jobs and their counters. Sleeps. Return: 0 or a negative errno */
int obd_jobs_print(struct obd_jobs *jobs, struct params_sink *sink);
/* Remove a job, or all for "clear". Sleeps. Return: 0; -EINVAL: there is no such job */
int obd_jobs_remove(struct obd_jobs *jobs, const char *id);
/* Seconds after its last sample that a job is removed; 0: never. */
u32 obd_jobs_interval(const struct obd_jobs *jobs);
void obd_jobs_set_interval(struct obd_jobs *jobs, u32 seconds);

#endif /* _JOB_STATS_H */
