// SPDX-License-Identifier: GPL-2.0-only
/* Renames. */
#define LUSTRE_LITE_RENAME

#include <linux/err.h>
#include <linux/namei.h>

#include <lustre_lite/compat.h>

#include "osd_internal.h"

static int __rename(const struct osd_rename *ren, struct compat_renamedata *rd,
		    struct osd_stamp *stamp)
{
	int rc = osd_name_check(rd->old_dentry, ren->orn_obj) ?:
		 osd_name_check(rd->new_dentry, ren->orn_victim) ?:
		 compat_vfs_rename(rd);

	if (rc)
		return rc;
	__osd_names_changed(ren->orn_obj, &ren->orn_xattrs);
	osd_stamped(stamp);
	return 0;
}

static int rename_locked(const struct osd_rename *ren, struct osd_stamp *stamp)
{
	struct compat_renamedata rd = {
		.mnt_idmap = compat_nop_idmap,
		.old_parent = ren->orn_from->oo_dentry,
		.new_parent = ren->orn_to->oo_dentry,
	};
	int rc = compat_start_renaming(&rd, &ren->orn_from_name, &ren->orn_to_name);

	if (rc)
		return rc;
	rc = __rename(ren, &rd, stamp);
	compat_end_renaming(&rd);
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
