/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common definitions of obdclass. Each file owns one noun:
 *
 *	type.c device.c life.c ops.c		types, the table, life, calls
 *	device_ref.c				memory of a device; freeing what had its last put
 *	device_params.c				parameters of a device, health
 *	handle.c				cookies
 *	export.c export_connect.c export_hash.c
 *	export_params.c				exports; export_connect.c eviction, too
 *	connect_flags.c uuid.c			names of connect flags; NIDs of servers
 *	client_stats.c job_stats.c		operations of a target by client and by job
 *	lu_object.c lu_site.c			objects of targets by FID
 *	llog/					logs in files, and their codec
 *	config/					commands, config logs, parameters of the node, directories of
 *						targets; ioctl.c the boundary
 *	netlink.c				boundary
 *	refuse.c				the reason of a refusal
 *	module.c				order of start and end
 */
#ifndef _OBD_INTERNAL_H
#define _OBD_INTERNAL_H

#include <lustre_lite/libcfs.h>
#include <lustre_lite/obd_class.h>
#include <lustre_lite/obd_config.h>
#include <lustre_lite/obd_export.h>
#include <lustre_lite/obd_ops.h>
#include <lustre_lite/obd_stats.h>

struct obd_jobs;
struct params_sink;
struct params_stat_desc;

/* Each returns 0 or a negative errno; the exits undo, in reverse order. */
int obd_handle_init(void);
void obd_handle_exit(void);
int obd_zombie_init(void);
void obd_zombie_exit(void);
int obd_export_init(void);
void obd_export_exit(void);
int obd_uuid_init(void);
void obd_uuid_exit(void);
int obd_device_init(unsigned int max);
void obd_device_exit(void);
int obd_lu_init(void);
void obd_lu_exit(void);
int obd_globals_init(void);
void obd_globals_exit(void);
int obd_health_init(void);
void obd_health_exit(void);
void obd_profile_exit(void);
int obd_netlink_init(void);
void obd_netlink_exit(void);
int obd_ioctl_init(void);
void obd_ioctl_exit(void);

/*
 * device.c: call @fn for every device from index @next on, in order, under RCU.
 * A device may be being removed:
 * @fn may access the device itself, but no object that it points to, unless it
 * enters the gate. @fn does not sleep and returns false to stop; @next is then
 * the index it stopped at.
 */
void obd_devs_walk(u32 *next, bool (*fn)(struct obd_device *obd, void *data),
		   void *data);

/* export_connect.c: text for the holders of an unlinked export. */
#define OBD_HOLDER_MAX	160
void obd_exports_holder(struct obd_device *obd, char *buf, size_t size);

/**
 * struct obd_export_list - some exports, each referenced
 * @exl_exports: the exports
 * @exl_count: their number
 */
struct obd_export_list {
	struct obd_export	**exl_exports;
	unsigned int		exl_count;
};

/* Under RCU: take a reference, if the last put has not happened. */
static inline bool obd_export_try_get(struct obd_export *exp)
{
	return refcount_inc_not_zero(&exp->exp_refcount);
}

/* export_connect.c: remove it from the unlinked ones. */
void obd_export_leave(struct obd_export *exp);
/* Evict uuid, uuid:UUID or nid:NID. Return: 0 or an errno, which is logged. */
int obd_export_evict(struct obd_device *obd, const char *text);

/*
 * client_stats.c: NULL: the device counts nothing by client; -ENOMEM. NULL is permitted, but for
 * _of()
 */
struct obd_nid_stats *obd_nid_stats_new(const struct obd_device *obd);
struct obd_nid_stats *obd_nid_stats_get(struct obd_nid_stats *ns);
void obd_nid_stats_put(struct obd_nid_stats *ns);
struct params_stats *obd_nid_stats_of(const struct obd_nid_stats *ns);
/* How a target packs the open files of a client, or NULL. */
obd_export_put_t *obd_open_files_of(const struct obd_device *obd);

/* export_params.c */
int obd_nid_dirs_init(void);
void obd_nid_dirs_exit(void);

/* export_hash.c: -EALREADY when the device has that client. */
int obd_export_hash_init(void);
void obd_export_hash_exit(void);
int obd_export_hash_add(struct obd_export *exp);
void obd_export_hash_del(struct obd_export *exp);
int obd_exports_at_nid(struct obd_device *obd, const struct lnet_nid *nid,
		       struct obd_export_list *out);
void obd_export_list_put(struct obd_export_list *list);

/* job_stats.c. Most jobs of a target. */
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

/* Default of obd_timeout, seconds. */
#define OBD_TIMEOUT_DEFAULT	100

/* life.c: changes obd_state; no other function does. */
bool obd_move(struct obd_device *obd, enum obd_state from, enum obd_state to);

/* device_params.c: TYPE.NAME.*, hidden until published. */
int obd_params_add(struct obd_device *obd);
int obd_params_publish(struct obd_device *obd);
void obd_params_remove(struct obd_device *obd);

/* ops.c */
int obd_stats_alloc(struct obd_device *obd);
void obd_stats_free(struct obd_device *obd);

/*
 * export_params.c: parameters of a device about its exports, and the part of
 * one export in them. They are closed before the device's directory is removed:
 * no export adds to them afterwards.
 */
int obd_exports_params_add(struct obd_device *obd);
void obd_exports_params_close(struct obd_device *obd);
int obd_export_params_add(struct obd_export *exp);
void obd_export_params_remove(struct obd_export *exp);

/*
 * config.c, param.c, globals.c: as in obd_config.h; with @dry_run (@flags:
 * PARAMS_W_DRY_RUN) only the validation. *@obd is in: NULL, or the device; out:
 * the device, held by the caller, or NULL.
 */
int obd_config_run(const struct lcfg_view *cfg, u64 instance, struct net *net,
		   bool dry_run, struct obd_device **obd, struct obd_why *why);
int obd_config_param(struct obd_device *obd, const struct lcfg_view *cfg,
		     u64 instance, bool dry_run, struct obd_why *why);
int obd_config_set_param(const struct lcfg_view *cfg, bool dry_run,
			 struct obd_why *why);
int obd_global_set(const char *name, const char *value, u32 flags,
		   struct obd_why *why);

/*
 * replay.c: OBD_IOC_REPLAY. @call is a copy that is copied back to the caller
 * in any case; or_exclude and or_buf point to user memory.
 */
long obd_replay_ioctl(struct obd_ioc_replay *call);

#endif /* _OBD_INTERNAL_H */
