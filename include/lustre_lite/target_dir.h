/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common parts of metadata and object storage targets: their backend directory,
 * its free space, their locks, clients that connect and disconnect, health.
 */
#ifndef _LUSTRE_LITE_TARGET_DIR_H
#define _LUSTRE_LITE_TARGET_DIR_H

#include <linux/path.h>

#include <lustre_lite/obd.h>

/**
 * struct target_dir - a target with a backend directory
 * @td_obd: its device
 * @td_path: directory, referenced
 * @td_instance: number of this start
 * @td_index: index of the target
 * @td_flags: OBD_CONNECT_* granted to clients
 *
 * The first member of the type's own data, so that obd_data points to it.
 */
struct target_dir {
	struct obd_device	*td_obd;
	struct path		td_path;
	u32			td_instance;
	u32			td_index;
	u64			td_flags;
};

/*
 * o_setup: directory (buffer @n of @cfg, or the mounted one), locks,
 * parameters. The type's own setup follows, and ptlrpc_target_start() last.
 */
int target_dir_setup(struct target_dir *td, struct obd_device *obd,
		     const struct lcfg_view *cfg, u32 n,
		     struct obd_why *why);
/*
 * o_cleanup, after ptlrpc_target_stop() and the last export; also undoes the
 * setup.
 */
void target_dir_cleanup(struct target_dir *td);

/* Index in the name of a target, "lustre-OST001f"; -EINVAL. */
int target_dir_name_index(const char *name, const char *kind, u32 *index);

/* Operations of the type. */
int target_dir_connect(struct obd_export **exp, struct obd_device *obd,
		       const struct obd_uuid *uuid,
		       const struct lnet_nid *nid,
		       struct obd_connect_data *ocd);
int target_dir_reconnect(struct obd_export *exp, struct obd_device *obd,
			 const struct obd_uuid *uuid,
			 struct obd_connect_data *ocd);
int target_dir_statfs(struct obd_export *exp, struct obd_statfs *st,
		      u64 max_age);
int target_dir_health_check(struct obd_device *obd, struct obd_why *why);
int target_dir_get_uuid(struct obd_export *exp, struct obd_uuid *uuid);

#endif /* _LUSTRE_LITE_TARGET_DIR_H */
