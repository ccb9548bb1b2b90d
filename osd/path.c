// SPDX-License-Identifier: GPL-2.0-only
/* Paths of directories. A directory that was located is connected to the root. */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>

#include "osd_internal.h"

/* Whether the client may search each directory above @dir. */
static int above_check(const struct osd_object *dir)
{
	struct dentry *at = dget(dir->oo_dentry), *up;
	int rc = 0;

	while (!rc && at != dir->oo_osd->osd_root) {
		if (IS_ROOT(at)) {
			rc = -ESTALE;
			break;
		}
		up = dget_parent(at);
		dput(at);
		at = up;
		rc = inode_permission(compat_nop_idmap, d_inode(at), MAY_EXEC);
	}
	dput(at);
	return rc;
}

/* Bytes of the path of the root in its file system, or a negative errno. */
static ssize_t root_length(struct osd_device *osd)
{
	char *buf = kmalloc(PATH_MAX, GFP_KERNEL), *path;
	ssize_t len;

	if (!buf)
		return -ENOMEM;
	path = dentry_path_raw(osd->osd_root, buf, PATH_MAX);
	len = IS_ERR(path) ? PTR_ERR(path) : strlen(path);
	kfree(buf);
	return len;
}

/* Whether a directory has a path that the client may know. */
static int path_check(const struct osd_object *dir)
{
	if (!d_is_dir(dir->oo_dentry))
		return -ENOTDIR;
	if (!dir->oo_osd->osd_root)
		return -ESTALE;
	return d_unlinked(dir->oo_dentry) ? -ENOENT : above_check(dir);
}

char *osd_dir_path(const struct osd_object *dir, char *buf, size_t size)
{
	ssize_t root;
	char *path;
	int rc = path_check(dir);

	if (rc)
		return ERR_PTR(rc);
	root = root_length(dir->oo_osd);
	if (root < 0)
		return ERR_PTR(root);
	path = dentry_path_raw(dir->oo_dentry, buf, size);
	if (IS_ERR(path))
		return path;
	/* The root of the tree is never the root of its file system, nor renamed. */
	path += root;
	if (path > buf + size - 1 || (*path && *path != '/'))
		return ERR_PTR(-ESTALE);
	return *path ? path + 1 : path;
}
EXPORT_SYMBOL_NS_GPL(osd_dir_path, LUSTRE_LITE);
