// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backend directories of targets, by name: registered by the mount, looked up
 * by the target's device.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/namei.h>
#include <linux/statfs.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_mount.h>

#include "../obd_internal.h"

/**
 * struct obd_mount - a registered directory
 * @om_item: in the list
 * @om_name: name of the target
 * @om_path: directory, referenced
 * @om_instance: number of the start
 */
struct obd_mount {
	struct list_head	om_item;
	char			om_name[MAX_OBD_NAME];
	struct path		om_path;
	u32			om_instance;
};

/* Guards the list and the last instance. */
static DEFINE_MUTEX(mounts_lock);
static LIST_HEAD(mounts);
static u32 last_instance;

static struct obd_mount *mount_find(const char *name)
{
	struct obd_mount *om;

	lockdep_assert_held(&mounts_lock);
	list_for_each_entry(om, &mounts, om_item) {
		if (!strcmp(om->om_name, name))
			return om;
	}
	return NULL;
}

/**
 * obd_mount_new_instance() - number of a start of a target
 *
 * Derived from the time, so that it rises over a restart of the machine, too.
 *
 * Context: may sleep
 * Return: number, larger than all previous ones
 */
u32 obd_mount_new_instance(void)
{
	u32 now = ktime_get_real_seconds(), instance;

	mutex_lock(&mounts_lock);
	instance = now > last_instance ? now : last_instance + 1;
	last_instance = instance;
	mutex_unlock(&mounts_lock);
	return instance;
}
EXPORT_SYMBOL_NS_GPL(obd_mount_new_instance, LUSTRE_LITE);

/**
 * obd_mount_register() - register the directory of a target
 * @name: name of the target
 * @dir: directory; a reference on it is taken
 * @instance: of this start, see obd_mount_new_instance()
 *
 * Context: may sleep
 * Return: 0; -EALREADY: a target of that name runs in this kernel;
 *  -ENAMETOOLONG; -ENOMEM
 */
int obd_mount_register(const char *name, const struct path *dir,
		       u32 instance)
{
	struct obd_mount *om;
	bool known;

	if (strlen(name) >= MAX_OBD_NAME)
		return -ENAMETOOLONG;
	om = libcfs_zalloc(sizeof(*om), GFP_KERNEL_ACCOUNT);
	if (!om)
		return -ENOMEM;
	strscpy(om->om_name, name, sizeof(om->om_name));
	om->om_path = *dir;
	om->om_instance = instance;
	mutex_lock(&mounts_lock);
	known = mount_find(name);
	if (!known) {
		path_get(dir);
		list_add(&om->om_item, &mounts);
	}
	mutex_unlock(&mounts_lock);
	if (known)
		libcfs_free(om, sizeof(*om));
	return known ? -EALREADY : 0;
}
EXPORT_SYMBOL_NS_GPL(obd_mount_register, LUSTRE_LITE);

/**
 * obd_mount_unregister() - undo obd_mount_register(); references of lookups
 * stay valid
 * @name: name of the target
 *
 * Context: may sleep
 */
void obd_mount_unregister(const char *name)
{
	struct obd_mount *om;

	mutex_lock(&mounts_lock);
	om = mount_find(name);
	if (om)
		list_del(&om->om_item);
	mutex_unlock(&mounts_lock);
	if (!om)
		return;
	path_put(&om->om_path);
	libcfs_free(om, sizeof(*om));
}
EXPORT_SYMBOL_NS_GPL(obd_mount_unregister, LUSTRE_LITE);

/* obd_mount_find() - the directory of a target, referenced; -ENOENT: none. */
static int obd_mount_find(const char *name, struct path *dir, u32 *instance)
{
	struct obd_mount *om;

	mutex_lock(&mounts_lock);
	om = mount_find(name);
	if (om) {
		*dir = om->om_path;
		path_get(dir);
		if (instance)
			*instance = om->om_instance;
	}
	mutex_unlock(&mounts_lock);
	return om ? 0 : -ENOENT;
}

/**
 * obd_directory() - look up a directory that a user names
 * @who: start of the reason, or NULL
 * @name: path
 * @dir: out, for path_put()
 * @why: out: reason of a failure
 *
 * Context: may sleep
 * Return: 0; as kern_path()
 */
int obd_directory(const char *who, const char *name, struct path *dir, struct obd_why *why)
{
	int rc = kern_path(name, LOOKUP_FOLLOW | LOOKUP_DIRECTORY, dir);

	if (!rc)
		return 0;
	return obd_refuse(why, rc, rc == -ENOENT ? "%s%sdirectory '%.128s' does not exist" :
						   "%s%scannot use '%.128s' as a directory",
			  who ?: "", who ? ": " : "", name);
}
EXPORT_SYMBOL_NS_GPL(obd_directory, LUSTRE_LITE);

/**
 * obd_mount_of() - the directory of a device that is being set up
 * @obd: device
 * @cfg: its setup
 * @n: buffer that names the directory if it starts with '/'; otherwise it is
 *  the one registered under the device's name
 * @dir: out, directory, for path_put()
 * @instance: out, number of its start; or NULL
 * @why: out: reason of a failure
 *
 * Context: may sleep
 * Return: 0; -ENOENT if there is none; -ENOTDIR; as kern_path()
 */
int obd_mount_of(struct obd_device *obd, const struct lcfg_view *cfg, u32 n,
		 struct path *dir, u32 *instance, struct obd_why *why)
{
	const char *name = n < cfg->bufcount ? lcfg_string(cfg, n) : NULL;
	int rc;

	if (name && name[0] == '/') {
		rc = obd_directory(obd->obd_name, name, dir, why);
		if (rc)
			return rc;
		if (instance)
			*instance = obd_mount_new_instance();
		return 0;
	}
	rc = obd_mount_find(obd->obd_name, dir, instance);
	if (rc)
		return obd_refuse(why, rc,
				  "%s: its directory is unknown; mount the target, or set it up with a path",
				  obd->obd_name);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(obd_mount_of, LUSTRE_LITE);

/**
 * obd_mount_statfs() - free space in the file system of a directory
 * @dir: directory
 * @st: out
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int obd_mount_statfs(const struct path *dir, struct obd_statfs *st)
{
	struct kstatfs stat;
	int rc = vfs_statfs(dir, &stat);

	if (rc)
		return rc;
	memset(st, 0, sizeof(*st));
	st->os_type = stat.f_type;
	st->os_bsize = stat.f_bsize;
	st->os_namelen = stat.f_namelen;
	st->os_blocks = stat.f_blocks;
	st->os_bfree = stat.f_bfree;
	st->os_bavail = stat.f_bavail;
	st->os_files = stat.f_files;
	st->os_ffree = stat.f_ffree;
	return 0;
}
EXPORT_SYMBOL_NS_GPL(obd_mount_statfs, LUSTRE_LITE);
