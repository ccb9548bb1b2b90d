/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rules of a config log: what a record means to this reader. Pure: nothing
 * here allocates, locks or touches a device, so that it runs in user space, under
 * a fuzzer, as it does in the kernel.
 *
 *	marker START		a section begins; with CM_SKIP it was taken back;
 *				with CM_EXCLUDE, or of an excluded target, it is
 *				excluded
 *	marker END		the section is over
 *	outside of a section	skipped, with a reason
 *	in a SKIP section	skipped
 *	in an EXCLUDE section	LOV_ADD_OBD becomes LOV_ADD_INA
 *	name of a device	NAME becomes NAME-%016llx of the instance: buffer 0
 *				of what is for a device, buffers 2 and 3 of MOUNTOPT
 *	uuid of ATTACH		becomes the reader's own, where it has one
 *
 * A reader may have an instance by which its devices are found again (obd_instance)
 * and leave the names as they are: a target's devices.
 *
 * A log that a management service serves is not trusted as an administrator is:
 *
 *	command			only those that logs of its kind have
 *	ATTACH			not of what serves the node (mgc, mgs, echo); a target
 *				only in its own log
 *	SETUP of the target	no path: the mount says which directory it has
 *
 * The consumer refuses commands for a device that the log did not attach.
 *
 * Uuids do not get the instance: with the 17 bytes that it takes they would not
 * always fit, and a uuid that two records have in common, by which a lov finds
 * its oscs, has to stay one. Of two instances of a log the devices are told
 * apart by obd_instance, or by giving each reader a uuid.
 */
#ifndef _LUSTRE_LITE_CONFIG_RULES_H
#define _LUSTRE_LITE_CONFIG_RULES_H

#include <lustre_lite/lustre_cfg.h>
#include <uapi/lustre_lite/obd.h>
#include <uapi/lustre_lite/obd_ioctl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Device of a PARAM that is meant for every device of the parameter's type. */
#define CONFIG_WILDCARD	"general"

/* enum config_log - whose log it is, which limits its commands */
enum config_log {
	CONFIG_LOG_LOCAL,	/* of an administrator of this node: all */
	CONFIG_LOG_CLIENT,	/* of a service: a mount's devices and settings */
	CONFIG_LOG_TARGET,	/* of a service: a target and its devices */
	CONFIG_LOG_PARAMS,	/* of a service: settings for all nodes */
};

/**
 * struct config_rules - a reader of a config log
 * @cr_log: whose log it is
 * @cr_target: of CONFIG_LOG_TARGET: name of the target
 * @cr_instance: of the devices; ends their names, 0 for none
 * @cr_plain: names stay as they are all the same
 * @cr_uuid: replaces the uuid of attached devices, "" to keep it
 * @cr_exclude: targets to leave inactive, joined by ':', "" or NULL for none
 * @cr_state: CFG_F_*, where in a section the reader stands
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
	CONFIG_APPLY,		/* as it stands in the rewritten view */
	CONFIG_MARKER,		/* nothing: the reader took note of it */
	CONFIG_SKIP,		/* nothing: taken back, or outside of a section */
	CONFIG_BAD,		/* refuse: not a command, or names do not fit */
};

/**
 * struct config_names - room for what is rewritten
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
