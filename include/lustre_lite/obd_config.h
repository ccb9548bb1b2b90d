/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Configuration: single commands, config logs, profiles.
 *
 *	log -> llog_process() -> class_config_llog_handler()
 *		-> config_rule()	what the record means here, pure
 *		-> class_process_config() does it
 *
 * All errors are reported. Real Lustre makes a 0 of those of DETACH, CLEANUP, ADD_CONN,
 * DEL_CONN, POOL_* and SET_PARAM, and of every optional command. Here a command returns
 * its own result, and a log continues after a failed record. Unknown optional commands
 * and parameters of other nodes are ignored and reported as ignored.
 */
#ifndef _LUSTRE_LITE_OBD_CONFIG_H
#define _LUSTRE_LITE_OBD_CONFIG_H

#include <lustre_lite/config_rules.h>
#include <lustre_lite/llog.h>
#include <lustre_lite/obd.h>

struct config_llog_instance;
struct params_rule_spec;

/**
 * typedef config_report_t - receive the result of a record
 * @cfg: consumer
 * @index: of the record
 * @view: the command as it was applied, names rewritten
 * @done: what was done
 * @status: 0 or a negative errno
 * @why: reason, may be empty
 *
 * Return: 0 to go on, LLOG_PROC_BREAK to stop after this record
 */
typedef int (*config_report_t)(struct config_llog_instance *cfg, u32 index,
			       const struct lcfg_view *view,
			       enum obd_replay_done done, int status,
			       const struct obd_why *why);

/* Result of a config_hook_t for a command that it does not handle. */
#define CONFIG_NOT_MINE	1

/**
 * typedef config_hook_t - handle a command in place of obdclass
 * @cfg: consumer
 * @index: of the record
 * @view: the command, names rewritten
 * @why: out: reason of an error
 *
 * Return: 0 or a negative errno; CONFIG_NOT_MINE
 */
typedef int (*config_hook_t)(struct config_llog_instance *cfg, u32 index,
			     const struct lcfg_view *view, struct obd_why *why);

/**
 * struct config_llog_instance - a consumer of a config log
 * @cfg_rules: instance, uuid, exclusions and position relative to sections
 * @cfg_last_idx: index of the last record processed, 0 at first; preserved
 *  between calls
 * @cfg_net: network namespace of attached devices; NULL: that of the task
 * @cfg_dry_run: validate only
 * @cfg_hook: called first for each command, or NULL
 * @cfg_report: called for each record, or NULL
 * @cfg_data: private to the owner
 * @cfg_applied: records by result
 * @cfg_skipped: ...
 * @cfg_failed: ...
 */
struct config_llog_instance {
	struct config_rules	cfg_rules;
	u32			cfg_last_idx;
	struct net		*cfg_net;
	bool			cfg_dry_run;
	config_hook_t		cfg_hook;
	config_report_t		cfg_report;
	void			*cfg_data;
	u32			cfg_applied;
	u32			cfg_skipped;
	u32			cfg_failed;
};

int class_process_config(const struct lcfg_view *cfg, u64 instance,
			 struct obd_device **obd, struct obd_why *why);
int class_process_param(struct obd_device *obd, const struct lcfg_view *cfg,
			struct obd_why *why);
int class_modify_config(struct obd_device *obd, const struct lcfg_view *cfg,
			struct obd_why *why);
const char *class_param_type(const char *prefix, size_t len);
bool class_param_missing(const struct params_rule_spec *spec);
int class_config_llog_handler(const struct llog_record *rec, void *data);
int class_config_parse_llog(struct llog_handle *log,
			    struct config_llog_instance *cfg,
			    struct llog_fault *fault);

/**
 * struct lustre_profile - the devices that make a file system
 * @lp_list: in the list of profiles
 * @lp_refcount: the list, and each lookup
 * @lp_instance: instance of the log that defined it, or 0
 * @lp_profile: name
 * @lp_dt: data device (lov), may be empty
 * @lp_md: metadata device (lmv), may be empty
 */
struct lustre_profile {
	struct list_head	lp_list;
	refcount_t		lp_refcount;
	u64			lp_instance;
	char			lp_profile[MAX_OBD_NAME];
	char			lp_dt[MAX_OBD_NAME];
	char			lp_md[MAX_OBD_NAME];
};

int class_add_profile(const char *name, const char *dt, const char *md,
		      u64 instance);
struct lustre_profile * __must_check class_get_profile(const char *name,
						       u64 instance);
void class_put_profile(struct lustre_profile *profile);
int class_del_profile(const char *name, u64 instance);
void class_del_profiles(u64 instance);

#endif /* _LUSTRE_LITE_OBD_CONFIG_H */
