// SPDX-License-Identifier: GPL-2.0-only
/* Renames. */
#include <linux/err.h>
#include <linux/namei.h>

#include <lustre_lite/compat.h>

#include "osd_internal.h"

/**
 * struct osd_names - the two names of a rename, under the locks of their directories
 * @from: old, referenced
 * @to: new, referenced
 */
struct osd_names {
	struct dentry	*from;
	struct dentry	*to;
};

static void names_put(struct osd_names *names)
{
	dput(names->from);
	dput(names->to);
	*names = (struct osd_names){};
}

/* @trap: what lock_rename() returned: an ancestor of one directory that is below the other. */
static int __names_get(const struct osd_rename *ren, const struct dentry *trap,
		       struct osd_names *names)
{
	struct dentry *dentry = __osd_name(ren->orn_from, &ren->orn_from_name, ren->orn_obj);

	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	names->from = dentry;
	if (dentry == trap)
		return -EINVAL;
	dentry = __osd_name(ren->orn_to, &ren->orn_to_name, ren->orn_victim);
	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	names->to = dentry;
	return dentry == trap ? -ENOTEMPTY : 0;
}

static int __rename(const struct osd_rename *ren, const struct osd_names *names,
		    struct osd_stamp *stamp)
{
	struct renamedata rd = {
		.old_dir = d_inode(ren->orn_from->oo_dentry),
		.old_dentry = names->from,
		.new_dir = d_inode(ren->orn_to->oo_dentry),
		.new_dentry = names->to,
	};

	int rc;

	compat_renamedata_mnt(&rd, ren->orn_from->oo_osd->osd_path.mnt);
	rc = vfs_rename(&rd);
	if (rc)
		return rc;
	__osd_names_changed(ren->orn_obj, &ren->orn_xattrs);
	osd_stamped(stamp);
	return 0;
}

static int rename_locked(const struct osd_rename *ren, struct osd_stamp *stamp)
{
	struct dentry *from = ren->orn_from->oo_dentry, *to = ren->orn_to->oo_dentry;
	struct dentry *trap = lock_rename(from, to);
	struct osd_names names = {};
	int rc;

	if (IS_ERR(trap))
		return PTR_ERR(trap);
	rc = __names_get(ren, trap, &names);
	if (!rc)
		rc = __rename(ren, &names, stamp);
	unlock_rename(from, to);
	names_put(&names);
	return rc;
}

/* Whether the victim loses its last name, and stays. */
static bool victim_stays(const struct osd_rename *ren)
{
	const struct osd_object *victim = ren->orn_victim;

	return victim && ren->orn_flags & OSD_REMOVE_PENDING && osd_pending_wanted(victim) &&
	       d_inode(victim->oo_dentry) != d_inode(ren->orn_obj->oo_dentry);
}

int osd_rename(const struct osd_rename *ren, struct osd_stamp *stamp)
{
	struct osd_device *osd = ren->orn_from->oo_osd;
	bool pending = victim_stays(ren);
	int rc;

	if (!d_is_dir(ren->orn_from->oo_dentry) || !d_is_dir(ren->orn_to->oo_dentry))
		return -ENOTDIR;
	rc = osd_want_write(osd);
	if (rc)
		return rc;
	rc = pending ? __osd_pending_add(ren->orn_victim) : 0;
	if (!rc) {
		osd_step(ren->orn_obj->oo_dentry);
		rc = rename_locked(ren, stamp);
		if (pending)
			rc = rc ? __osd_pending_undo(ren->orn_victim, rc) : 1;
	}
	osd_drop_write(osd);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(osd_rename, LUSTRE_LITE);
