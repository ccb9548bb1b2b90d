// SPDX-License-Identifier: GPL-2.0-only
/* Renames. */
#include <linux/err.h>
#include <linux/namei.h>

#include <lustre_lite/compat.h>

#include "osd_internal.h"

/**
 * struct names - the two names of a rename, under the locks of their directories
 * @from: old, referenced
 * @to: new, referenced
 */
struct names {
	struct dentry	*from;
	struct dentry	*to;
};

static void names_put(struct names *names)
{
	dput(names->from);
	dput(names->to);
	*names = (struct names){};
}

/* @trap: what lock_rename() returned: an ancestor of one directory that is below the other. */
static int __names_get(const struct osd_rename *ren, const struct dentry *trap,
		       struct names *names)
{
	struct dentry *dentry = __osd_name(ren->or_from, &ren->or_from_name, ren->or_obj);

	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	names->from = dentry;
	if (dentry == trap)
		return -EINVAL;
	dentry = __osd_name(ren->or_to, &ren->or_to_name, ren->or_victim);
	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	names->to = dentry;
	return dentry == trap ? -ENOTEMPTY : 0;
}

static int __rename(const struct osd_rename *ren, const struct names *names,
		    struct osd_stamp *stamp)
{
	struct renamedata rd = {
		.old_dir = d_inode(ren->or_from->oo_dentry),
		.old_dentry = names->from,
		.new_dir = d_inode(ren->or_to->oo_dentry),
		.new_dentry = names->to,
	};

	int rc;

	compat_renamedata_mnt(&rd, ren->or_from->oo_osd->osd_path.mnt);
	rc = vfs_rename(&rd);
	if (rc)
		return rc;
	__osd_names_changed(ren->or_obj, &ren->or_xattrs);
	osd_stamped(stamp);
	return 0;
}

static int rename_locked(const struct osd_rename *ren, struct osd_stamp *stamp)
{
	struct dentry *from = ren->or_from->oo_dentry, *to = ren->or_to->oo_dentry;
	struct dentry *trap = lock_rename(from, to);
	struct names names = {};
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
	const struct osd_object *victim = ren->or_victim;

	return victim && ren->or_flags & OSD_REMOVE_PENDING && osd_pending_wanted(victim) &&
	       d_inode(victim->oo_dentry) != d_inode(ren->or_obj->oo_dentry);
}

int osd_rename(const struct osd_rename *ren, struct osd_stamp *stamp)
{
	struct osd_device *osd = ren->or_from->oo_osd;
	bool pending = victim_stays(ren);
	int rc;

	if (!d_is_dir(ren->or_from->oo_dentry) || !d_is_dir(ren->or_to->oo_dentry))
		return -ENOTDIR;
	rc = osd_want_write(osd);
	if (rc)
		return rc;
	rc = pending ? __osd_pending_add(ren->or_victim) : 0;
	if (!rc) {
		osd_step(ren->or_obj->oo_dentry);
		rc = rename_locked(ren, stamp);
		if (pending)
			rc = rc ? __osd_pending_undo(ren->or_victim, rc) : 1;
	}
	osd_drop_write(osd);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(osd_rename, LUSTRE_LITE);
