/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Clients of a target: their operations, by client (exports.NID.stats) and by job (job_stats), and
 * their open files (exports.NID.open_files).
 *
 *	device --obd_client_stats--> declarations of the counters, jobs
 *	export --exp_stats--> counters of its NID <-- directory exports.NID
 *
 * All clients of a NID share its counters, as in real Lustre. They end with the last of these
 * clients. A job is a text of the client's choice (jobid_var, jobid_name), which comes with each
 * request.
 */
#ifndef _LUSTRE_LITE_OBD_STATS_H
#define _LUSTRE_LITE_OBD_STATS_H

#include <linux/types.h>

struct obd_device;
struct obd_export;
struct params_sink;
struct params_stat_desc;

/* Pack something of a client. Sleeps */
typedef void obd_export_put_t(struct params_sink *sink, struct obd_export *exp);

/**
 * obd_client_stats_init() - a target counts by client and by job
 * @obd: device whose setup runs: no client is connected
 * @desc: declarations of the counters, valid until obd_client_stats_fini()
 * @count: their number
 * @open_files: pack the open files of a client, a record for each; called until
 *  obd_client_stats_fini(), also for a client that is connecting or was disconnected. NULL: no
 *  object is opened at such a target
 *
 * Adds the parameters job_stats and job_cleanup_interval.
 *
 * Context: sleeps
 * Return: 0 or a negative errno
 */
int obd_client_stats_init(struct obd_device *obd, const struct params_stat_desc *desc,
			  unsigned int count, obd_export_put_t *open_files);

/* The end of it: neither its parameters nor clients use it. NULL in @obd is permitted. Sleeps */
void obd_client_stats_fini(struct obd_device *obd);

/**
 * obd_client_stats_add() - count a sample
 * @exp: export of the client
 * @job: its job, "" for none
 * @idx: which counter
 * @val: sample
 *
 * A job is not counted if there is no memory for it.
 *
 * Context: may sleep, for a job's first sample
 */
void obd_client_stats_add(struct obd_export *exp, const char *job, unsigned int idx, u64 val);

#endif /* _LUSTRE_LITE_OBD_STATS_H */
