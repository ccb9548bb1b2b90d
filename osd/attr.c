// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attributes of inodes, targets of symbolic links, space of the file system; and extended
 * attributes: those of the object itself, without checks, and those of clients, with the checks
 * of the file system. ACLs are not attributes to all kernels.
 */
#include <linux/namei.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <linux/statfs.h>
#include <linux/xattr.h>

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

ssize_t osd_ea_get(const struct osd_object *obj, const char *name, void *value, size_t size)
{
	return __vfs_getxattr(obj->oo_dentry, d_inode(obj->oo_dentry), name, value, size);
}
EXPORT_SYMBOL_NS_GPL(osd_ea_get, LUSTRE_LITE);

/* @mtime: NULL: it stays. The VFS has no way to set a ctime. */
static void times_set(struct inode *inode, const struct timespec64 *mtime,
		      const struct timespec64 *ctime)
{
	if (mtime)
		compat_inode_set_mtime(inode, timestamp_truncate(*mtime, inode));
	compat_inode_set_ctime(inode, timestamp_truncate(*ctime, inode));
	mark_inode_dirty(inode);
}

int __osd_ea_set(struct dentry *dentry, const struct osd_xattrs *xattrs)
{
	const struct timespec64 ctime = compat_inode_ctime(d_inode(dentry));
	const struct osd_xattr *xattr;
	int rc = 0;
	u32 n;

	for (n = 0; n < xattrs->oxs_nr && !rc; n++) {
		xattr = &xattrs->oxs_list[n];
		osd_step(dentry);
		rc = __vfs_setxattr(compat_nop_idmap, dentry, d_inode(dentry), xattr->ox_name,
				    xattr->ox_value, xattr->ox_len, 0);
	}
	if (xattrs->oxs_times && !rc)
		times_set(d_inode(dentry), &xattrs->oxs_times->ot_mtime, &xattrs->oxs_times->ot_ctime);
	else if (xattrs->oxs_keep_ctime)
		times_set(d_inode(dentry), NULL, &ctime);
	return rc;
}

int osd_ea_set(struct osd_object *obj, const struct osd_xattrs *xattrs, struct osd_stamp *stamp)
{
	int rc = osd_change_begin(obj);

	if (rc)
		return rc;
	return osd_change_end(obj, __osd_ea_set(obj->oo_dentry, xattrs), stamp);
}
EXPORT_SYMBOL_NS_GPL(osd_ea_set, LUSTRE_LITE);

/* Return: ACL_TYPE_*, or 0: not the name of an ACL */
static int acl_type(const char *name)
{
	if (!strcmp(name, XATTR_NAME_POSIX_ACL_ACCESS))
		return ACL_TYPE_ACCESS;
	if (!strcmp(name, XATTR_NAME_POSIX_ACL_DEFAULT))
		return ACL_TYPE_DEFAULT;
	return 0;
}

static ssize_t acl_get(const struct osd_object *obj, int type, void *value, size_t size)
{
	struct inode *inode = d_inode(obj->oo_dentry);
	struct posix_acl *acl;
	ssize_t rc;

	if (!IS_ENABLED(CONFIG_FS_POSIX_ACL) || !IS_POSIXACL(inode))
		return -EOPNOTSUPP;
	acl = compat_acl_get(inode, type);
	if (IS_ERR(acl))
		return PTR_ERR(acl);
	if (!acl)
		return -ENODATA;
	rc = compat_acl_to_xattr(acl, value, size);
	posix_acl_release(acl);
	return rc;
}

static int __acl_set(struct dentry *dentry, int type, const struct osd_xattr *xattr)
{
	struct posix_acl *acl;
	int rc;

	if (!IS_ENABLED(CONFIG_FS_POSIX_ACL) || !IS_POSIXACL(d_inode(dentry)))
		return -EOPNOTSUPP;
	acl = xattr->ox_value ?
	      posix_acl_from_xattr(&init_user_ns, xattr->ox_value, xattr->ox_len) : NULL;
	if (IS_ERR(acl))
		return PTR_ERR(acl);
	rc = compat_acl_set(dentry, type, acl);
	posix_acl_release(acl);
	return rc;
}

ssize_t osd_getxattr(const struct osd_object *obj, const char *name, void *value, size_t size)
{
	int type = acl_type(name);

	return type ? acl_get(obj, type, value, size) :
		      vfs_getxattr(compat_nop_idmap, obj->oo_dentry, name, value, size);
}
EXPORT_SYMBOL_NS_GPL(osd_getxattr, LUSTRE_LITE);

ssize_t osd_listxattr(const struct osd_object *obj, char *list, size_t size)
{
	return vfs_listxattr(obj->oo_dentry, list, size);
}
EXPORT_SYMBOL_NS_GPL(osd_listxattr, LUSTRE_LITE);

static int __setxattr(struct dentry *dentry, const struct osd_xattr *xattr, int flags)
{
	int type = acl_type(xattr->ox_name);

	if (type)
		return __acl_set(dentry, type, xattr);
	if (!xattr->ox_value)
		return __vfs_removexattr_locked(compat_nop_idmap, dentry, xattr->ox_name, NULL);
	return __vfs_setxattr_locked(compat_nop_idmap, dentry, xattr->ox_name, xattr->ox_value,
				     xattr->ox_len, flags, NULL);
}

int osd_setxattr(struct osd_object *obj, const struct osd_xattr *xattr, int flags,
		 struct osd_stamp *stamp)
{
	int rc = osd_change_begin(obj);

	if (rc)
		return rc;
	return osd_change_end(obj, __setxattr(obj->oo_dentry, xattr, flags), stamp);
}
EXPORT_SYMBOL_NS_GPL(osd_setxattr, LUSTRE_LITE);
