/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What targets over a folder have in common: metadata and object storage targets.
 * Their folder, its room, their locks, clients that come and go, health.
 */
#ifndef _LUSTRE_LITE_TARGET_FOLDER_H
#define _LUSTRE_LITE_TARGET_FOLDER_H

#include <linux/path.h>

#include <lustre_lite/obd.h>

/**
 * struct target_folder - a target over a folder
 * @tf_obd: its device
 * @tf_path: folder, referenced
 * @tf_instance: number of this start
 * @tf_index: index of the target
 * @tf_flags: what clients are granted of OBD_CONNECT_*
 *
 * Part of the type's own data, which obd_data points to first of all.
 */
struct target_folder {
	struct obd_device	*tf_obd;
	struct path		tf_path;
	u32			tf_instance;
	u32			tf_index;
	u64			tf_flags;
};

/*
 * o_setup: folder (buffer @n of @cfg, or the one that is mounted), locks, parameters.
 * The type's own setup follows, and ptlrpc_target_start() last.
 */
int target_folder_setup(struct target_folder *tf, struct obd_device *obd,
			const struct lcfg_view *cfg, u32 n,
			struct obd_why *why);
/* o_cleanup, after ptlrpc_target_stop() and the last export; or undoes the setup. */
void target_folder_cleanup(struct target_folder *tf);

/* Index in the name of a target, "lustre-OST001f"; -EINVAL. */
int target_folder_name_index(const char *name, const char *kind, u32 *index);

/* Operations of the type. */
int target_folder_connect(struct obd_export **exp, struct obd_device *obd,
			  const struct obd_uuid *uuid,
			  const struct lnet_nid *nid,
			  struct obd_connect_data *ocd);
int target_folder_reconnect(struct obd_export *exp, struct obd_device *obd,
			    const struct obd_uuid *uuid,
			    struct obd_connect_data *ocd);
int target_folder_statfs(struct obd_export *exp, struct obd_statfs *st,
			 u64 max_age);
int target_folder_health_check(struct obd_device *obd, struct obd_why *why);
int target_folder_get_uuid(struct obd_export *exp, struct obd_uuid *uuid);

#endif /* _LUSTRE_LITE_TARGET_FOLDER_H */
