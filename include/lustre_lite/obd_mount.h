/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Backend directories of targets. The mount registers the directory under the
 * target's name; the device that the config log creates finds it by its own
 * name. Real Lustre does the same with super blocks.
 */
#ifndef _LUSTRE_LITE_OBD_MOUNT_H
#define _LUSTRE_LITE_OBD_MOUNT_H

#include <linux/path.h>

#include <lustre_lite/obd.h>

/* Number of a start of a target, larger than all previous ones. */
u32 obd_mount_new_instance(void);
/*
 * @dir: referenced by the registry, too. @instance: number of this start.
 *  -EALREADY: a target of that name runs in this kernel; -ENOMEM
 */
int obd_mount_register(const char *name, const struct path *dir,
		       u32 instance);
/* References of earlier lookups stay valid. */
void obd_mount_unregister(const char *name);
/* Look up a directory that a user names. @who: start of the reason, or NULL; @dir: path_put() */
int obd_directory(const char *who, const char *name, struct path *dir, struct obd_why *why);
/*
 * The backend directory of a device: buffer @n of @cfg if it starts with '/',
 * else the one registered under the device's name. @dir: out, referenced:
 * path_put(). @instance: out, or NULL
 */
int obd_mount_of(struct obd_device *obd, const struct lcfg_view *cfg, u32 n,
		 struct path *dir, u32 *instance, struct obd_why *why);
/* Its free space. */
int obd_mount_statfs(const struct path *dir, struct obd_statfs *st);

#endif /* _LUSTRE_LITE_OBD_MOUNT_H */
