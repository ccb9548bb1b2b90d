/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Folders of targets. Who mounts a target says which folder it is, under the
 * target's name; the device that its config log makes then finds it by its own
 * name. Real Lustre does the same, with super blocks.
 */
#ifndef _LUSTRE_LITE_OBD_MOUNT_H
#define _LUSTRE_LITE_OBD_MOUNT_H

#include <linux/path.h>

#include <lustre_lite/obd.h>

/* Number of a start of a target: above all that were given before. */
u32 obd_mount_new_instance(void);
/*
 * @folder: referenced by the registry from here on, too. @instance: of this start.
 * -EALREADY: a target of that name runs in this kernel; -ENOMEM
 */
int obd_mount_register(const char *name, const struct path *folder,
		       u32 instance);
/* Who has the folder keeps it. */
void obd_mount_unregister(const char *name);
/* @folder: out, referenced: path_put(). @instance: out, or NULL. -ENOENT */
int obd_mount_find(const char *name, struct path *folder, u32 *instance);
/*
 * The folder of a device: the one that buffer @n of @cfg names, where that begins
 * with '/'; else the one that was registered under the device's name. @folder: out,
 * referenced: path_put(). @instance: out, or NULL
 */
int obd_mount_of(struct obd_device *obd, const struct lcfg_view *cfg, u32 n,
		 struct path *folder, u32 *instance, struct obd_why *why);
/* Room in it. */
int obd_mount_statfs(const struct path *folder, struct obd_statfs *st);

#endif /* _LUSTRE_LITE_OBD_MOUNT_H */
