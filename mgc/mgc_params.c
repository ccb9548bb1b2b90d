// SPDX-License-Identifier: GPL-2.0-only
/* Parameters of a device: mgc.NAME.*, besides those of every import. */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "mgc_internal.h"

static const char * const type_names[] = {
	[CONFIG_T_CONFIG] = "config",
	[CONFIG_T_RECOVER] = "recover",
	[CONFIG_T_PARAMS] = "params",
	[CONFIG_T_TRIAL] = "trial",
};

static const char * const state_names[MGC_LOG_STATE_COUNT] = {
	[MGC_LOG_NEW] = "new",
	[MGC_LOG_CURRENT] = "current",
	[MGC_LOG_BEHIND] = "behind",
	[MGC_LOG_ENDED] = "ended",
};

static int put_log(struct mgc_log *log, struct params_sink *sink)
{
	bool locked;
	u64 want, done;
	int error;

	spin_lock(&log->ml_lock);
	want = log->ml_want;
	done = log->ml_done;
	error = log->ml_error;
	locked = log->ml_dlm;
	spin_unlock(&log->ml_lock);
	params_list_begin(sink, NULL, PARAMS_LIST_MAP);
	params_put_str(sink, "name", log->ml_name);
	params_put_str(sink, "type", type_names[log->ml_type]);
	if (log->ml_cfg.cfg_rules.cr_instance)
		params_put_strf(sink, "instance", "%016llx",
				log->ml_cfg.cfg_rules.cr_instance);
	params_put_str(sink, "state", state_names[READ_ONCE(log->ml_state)]);
	params_put_u64(sink, "want", want);
	params_put_u64(sink, "have", done);
	/* The upper half is a random number, useless for users. */
	params_put_u64(sink, "born",
		       lower_32_bits(READ_ONCE(log->ml_have.epoch)));
	params_put_u64(sink, "generation", READ_ONCE(log->ml_have.generation));
	params_put_bool(sink, "locked", locked);
	params_put_bool(sink, "stale", READ_ONCE(log->ml_stale));
	params_put_u64(sink, "applied", READ_ONCE(log->ml_counts.applied));
	params_put_u64(sink, "failed", READ_ONCE(log->ml_counts.failed));
	params_put_s64(sink, "error", error);
	return params_list_end(sink);
}

static int each_log(struct mgc_device *mg, struct params_sink *sink,
		    int (*put)(struct mgc_log *log, struct params_sink *sink))
{
	struct mgc_log *log;
	u64 seq = 0;
	int rc = 0;

	while (!rc && (log = mgc_log_next(mg, &seq))) {
		rc = put(log, sink);
		mgc_log_put(log);
	}
	return rc;
}

static int logs_read(struct params_sink *sink, void *data)
{
	params_list_begin(sink, "logs", PARAMS_LIST_SEQ);
	each_log(data, sink, put_log);
	return params_list_end(sink);
}

static int permanent_read(struct params_sink *sink, void *data)
{
	params_list_begin(sink, "permanent", PARAMS_LIST_SEQ);
	each_log(data, sink, mgc_rules_put);
	return params_list_end(sink);
}

static int targets_read(struct params_sink *sink, void *data)
{
	params_list_begin(sink, "targets", PARAMS_LIST_SEQ);
	mgc_deferred_put_all(data, sink);
	return params_list_end(sink);
}

static int put_table(struct mgc_log *log, struct params_sink *sink)
{
	if (log->ml_type != CONFIG_T_RECOVER)
		return 0;
	params_list_begin(sink, NULL, PARAMS_LIST_MAP);
	params_put_str(sink, "client", log->ml_name);
	params_put_u64(sink, "nidtbl_version",
		       READ_ONCE(log->ml_have.generation));
	return params_list_end(sink);
}

static int ir_state_read(struct params_sink *sink, void *data)
{
	params_put_str(sink, "imperative_recovery", "ENABLED");
	params_list_begin(sink, "client_state", PARAMS_LIST_SEQ);
	each_log(data, sink, put_table);
	return params_list_end(sink);
}

static int dynamic_nids_get(void *data, u64 *val)
{
	const struct mgc_device *mg = data;

	*val = READ_ONCE(mg->mg_dynamic_nids);
	return 0;
}

static int dynamic_nids_set(void *data, u64 val)
{
	struct mgc_device *mg = data;

	WRITE_ONCE(mg->mg_dynamic_nids, val);
	mgc_nidtbl_again(mg);
	return 0;
}

static const struct lustre_params_attr mgc_attrs[] = {
	LP_BOOL_RW("dynamic_nids", dynamic_nids_get, dynamic_nids_set, LP_DEF(0),
		   .doc = "use NIDs that targets have registered but no log names"),
	LP_READER("ir_state", ir_state_read,
		  .doc = "tables of NIDs, which report restarted targets, by file system"),
	LP_READER("logs", logs_read,
		  .doc = "followed logs: version of each, and whether it is up to date"),
	LP_READER("permanent", permanent_read,
		  .doc = "permanent settings in force, and their results on this node"),
	LP_READER("targets", targets_read,
		  .doc = "targets that run here, and whether they are registered"),
};

/**
 * mgc_params_add() - add the parameters of a device
 * @obd: device that is being set up
 * @mg: its own part
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int mgc_params_add(struct obd_device *obd, struct mgc_device *mg)
{
	return params_add_attrs(obd->obd_params, mgc_attrs,
				ARRAY_SIZE(mgc_attrs), mg);
}
