/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rules of a config log: what a record means to this reader. Nothing here
 * allocates, locks or touches a device, so it runs unchanged in user space,
 * under a fuzzer.
 *
 *	marker START		a section starts; with CM_SKIP it was cancelled;
 *				with CM_EXCLUDE, or of an excluded target, it is
 *				excluded
 *	marker END		the section is over
 *	outside of a section	skipped, with a reason
 *	in a SKIP section	skipped
 *	in an EXCLUDE section	LOV_ADD_OBD becomes LOV_ADD_INA
 *	name of a device	NAME becomes NAME-%016llx of the instance: buffer 0 of
 *				commands of a device, buffers 2 and 3 of MOUNTOPT
 *	uuid of ATTACH		becomes the reader's own, where it has one
 *
 * A reader may have an instance by which its devices are found (obd_instance)
 * and still leave the names as they are: a target's devices.
 *
 * A log from a management service is trusted less than an administrator:
 *
 *	command			only those found in logs of its kind
 *	ATTACH			not mgc, mgs or echo, which serve the node; a target
 *				only in its own log
 *	SETUP of the target	no path: the mount names the backend directory
 *
 * The consumer refuses commands for devices that the log did not attach.
 *
 * Uuids do not get the instance. Its 17 bytes would not always fit, and a uuid
 * that two records share, by which a lov finds its oscs, must stay the same.
 * The devices of two instances of a log differ in obd_instance, or each reader
 * has its own uuid.
 */
#ifndef _LUSTRE_LITE_CONFIG_RULES_H
#define _LUSTRE_LITE_CONFIG_RULES_H

#include <lustre_lite/lustre_cfg.h>
#include <uapi/lustre_lite/obd.h>
#include <uapi/lustre_lite/obd_ioctl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Device of a PARAM that applies to every device of the parameter's type. */
#define CONFIG_WILDCARD	"general"

/* enum config_log - kind of log, which limits its commands */
enum config_log {
	CONFIG_LOG_LOCAL,	/* written by an administrator of this node: all */
	CONFIG_LOG_CLIENT,	/* from a service: devices and settings of a mount */
	CONFIG_LOG_TARGET,	/* from a service: a target and its devices */
	CONFIG_LOG_PARAMS,	/* from a service: settings for all nodes */
};

/**
 * struct config_rules - a reader of a config log
 * @cr_log: kind of log
 * @cr_target: of CONFIG_LOG_TARGET: name of the target
 * @cr_instance: instance of the devices; suffix of their names, 0 for none
 * @cr_plain: names stay unchanged despite @cr_instance
 * @cr_uuid: replaces the uuid of attached devices, "" to leave it
 * @cr_exclude: targets to leave inactive, joined by ':', "" or NULL for none
 * @cr_state: CFG_F_*, position of the reader relative to sections
 */
struct config_rules {
	enum config_log		cr_log;
	const char		*cr_target;
	u64			cr_instance;
	bool			cr_plain;
	char			cr_uuid[UUID_MAX];
	const char		*cr_exclude;
	u32			cr_state;
};

/* enum config_verdict - what to do with a record */
enum config_verdict {
	CONFIG_APPLY,		/* as in the rewritten view */
	CONFIG_MARKER,		/* nothing: it changed the reader's state */
	CONFIG_SKIP,		/* nothing: cancelled, or outside of a section */
	CONFIG_BAD,		/* refuse: not a command, or names do not fit */
};

/**
 * struct config_names - buffers for rewritten names
 * @device: name of the command's device, or of a profile's first
 * @other: name of a profile's second device
 */
struct config_names {
	char	device[MAX_OBD_NAME];
	char	other[MAX_OBD_NAME];
};

enum config_verdict config_rule(struct config_rules *rules,
				const struct lcfg_view *in,
				struct lcfg_view *out,
				struct config_names *names, const char **why);
bool config_for_device(u32 command);

#ifdef __cplusplus
}
#endif

#endif /* _LUSTRE_LITE_CONFIG_RULES_H */
