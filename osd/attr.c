// SPDX-License-Identifier: GPL-2.0-only
/* Attributes of inodes, targets of symbolic links, space of the file system. */
#include <linux/namei.h>
#include <linux/statfs.h>

#include <lustre_lite/compat.h>

#include "osd_internal.h"

int osd_getattr(const struct osd_object *obj, struct kstat *stat)
{
	struct path path = osd_object_path(obj);

	return vfs_getattr_nosec(&path, stat, STATX_BASIC_STATS | STATX_BTIME,
				 AT_STATX_SYNC_AS_STAT);
}
EXPORT_SYMBOL_NS_GPL(osd_getattr, LUSTRE_LITE);

/* A truncate needs that no task executes the file. */
static int __setattr(struct dentry *dentry, struct iattr *attr)
{
	struct inode *inode = d_inode(dentry);
	bool size = attr->ia_valid & ATTR_SIZE;
	int rc = size ? get_write_access(inode) : 0;

	if (rc)
		return rc;
	rc = notify_change(compat_nop_idmap, dentry, attr, NULL);
	if (size)
		put_write_access(inode);
	return rc;
}

int osd_permission(const struct osd_object *obj, int mask)
{
	return inode_permission(compat_nop_idmap, d_inode(obj->oo_dentry), mask);
}
EXPORT_SYMBOL_NS_GPL(osd_permission, LUSTRE_LITE);

int osd_setattr(struct osd_object *obj, struct iattr *attr, struct osd_stamp *stamp)
{
	struct inode *inode = d_inode(obj->oo_dentry);
	int rc;

	/* The type of an object does not change. */
	attr->ia_mode = (attr->ia_mode & S_IALLUGO) | (inode->i_mode & S_IFMT);
	if (attr->ia_valid & ATTR_SIZE && !S_ISREG(inode->i_mode))
		return S_ISDIR(inode->i_mode) ? -EISDIR : -EINVAL;
	rc = osd_change_begin(obj);
	if (rc)
		return rc;
	return osd_change_end(obj, __setattr(obj->oo_dentry, attr), stamp);
}
EXPORT_SYMBOL_NS_GPL(osd_setattr, LUSTRE_LITE);

ssize_t osd_readlink(const struct osd_object *obj, char *buf, size_t size)
{
	DEFINE_DELAYED_CALL(done);
	const char *link;
	ssize_t len;

	if (!d_is_symlink(obj->oo_dentry))
		return -EINVAL;
	link = vfs_get_link(obj->oo_dentry, &done);
	if (IS_ERR(link))
		return PTR_ERR(link);
	len = strscpy(buf, link, size);
	do_delayed_call(&done);
	return len < 0 ? -ERANGE : len;
}
EXPORT_SYMBOL_NS_GPL(osd_readlink, LUSTRE_LITE);

int osd_statfs(struct osd_device *osd, struct kstatfs *st)
{
	return vfs_statfs(&osd->osd_path, st);
}
EXPORT_SYMBOL_NS_GPL(osd_statfs, LUSTRE_LITE);
