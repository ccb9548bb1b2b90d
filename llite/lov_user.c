// SPDX-License-Identifier: GPL-2.0-only
/*
 * Layouts as users see and set them: by the attributes lustre.lov and trusted.lov, and by ioctls.
 * The metadata target keeps the layout and checks what is asked for.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/xattr.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/lov_ea.h>
#include <lustre_lite/obd_ops.h>

#include <uapi/lustre_lite/lustre_user.h>

#include "llite_inode.h"

/* lmm_layout_gen of a request: any target. */
#define LOV_ANY		0xffff

static bool is_root(struct inode *inode)
{
	return inode == d_inode(inode->i_sb->s_root);
}

/* The defaults of the volume are those of a root without a default of its own. */
static ssize_t volume_default(struct super_block *sb, void *value, size_t size)
{
	struct lov_mds_md lmm = {
		.lmm_magic = cpu_to_le32(LOV_MAGIC_V1),
		.lmm_oi_seq = cpu_to_le64(FID_SEQ_LOV_DEFAULT),
	};
	struct dt_desc desc;

	if (dt_desc(ll_s2client(sb)->llc_dt, &desc))
		return -ENODATA;
	lmm.lmm_pattern = cpu_to_le32(desc.dd_pattern);
	lmm.lmm_stripe_size = cpu_to_le32(desc.dd_stripe_size);
	lmm.lmm_stripe_count = cpu_to_le16(desc.dd_stripe_count ?: 1);
	lmm.lmm_layout_gen = cpu_to_le16(desc.dd_stripe_offset);
	if (size && size < sizeof(lmm))
		return -ERANGE;
	if (size)
		memcpy(value, &lmm, sizeof(lmm));
	return sizeof(lmm);
}

/**
 * ll_lov_get() - the layout of a file, or the default of a directory
 * @inode: inode
 * @value: out
 * @size: bytes of @value; 0: only the length is wanted
 *
 * Context: sleeps
 * Return: length; -ENODATA: there is none; -ERANGE: @value is too small; other negative errno
 */
ssize_t ll_lov_get(struct inode *inode, void *value, size_t size)
{
	ssize_t rc = ll_xattr_get(inode, XATTR_NAME_LOV, value, size);

	return rc == -ENODATA && is_root(inode) ? volume_default(inode->i_sb, value, size) : rc;
}

static int layout_set(struct inode *inode, const char *name, const void *value, size_t size)
{
	int rc;

	if (!S_ISREG(inode->i_mode) && !S_ISDIR(inode->i_mode))
		return -EOPNOTSUPP;
	if (size < sizeof(struct lov_mds_md))
		return -ERANGE;
	rc = ll_xattr_set(inode, name, value, size, 0);
	/* The client learns the layout that the server has chosen. */
	if (!rc && S_ISREG(inode->i_mode))
		rc = ll_inode_refresh(inode);
	return rc;
}

/**
 * ll_lov_set() - give a file its layout, or a directory its default
 * @inode: inode
 * @value: in the format of trusted.lov
 * @size: bytes of @value
 *
 * Context: sleeps
 * Return: 0; -EEXIST: the file has a layout; -EINVAL: the layout is invalid; other negative errno
 */
int ll_lov_set(struct inode *inode, const void *value, size_t size)
{
	return layout_set(inode, XATTR_NAME_LOV, value, size);
}

static int default_remove(struct inode *dir)
{
	const struct lov_mds_md none = {
		.lmm_magic = cpu_to_le32(LOV_MAGIC_V1),
		.lmm_pattern = cpu_to_le32(LOV_PATTERN_RAID0),
		.lmm_layout_gen = cpu_to_le16(LOV_ANY),
	};

	return ll_lov_set(dir, &none, sizeof(none));
}

/* The layout of another file: the new one is to be like it, on any targets. */
static int copied_set(struct inode *inode, const void *value, size_t size)
{
	bool v3 = lov_ea_magic(value, size) == LOV_MAGIC_V3;
	struct {
		struct lov_mds_md	lmm;
		char			pool[LOV_MAXPOOLNAME + 1];
	} head;
	size_t len = v3 ? sizeof(head) : sizeof(head.lmm);

	if (size > len) {
		memcpy(&head, value, len);
		head.lmm.lmm_layout_gen = cpu_to_le16(LOV_ANY);
		value = &head;
		size = len;
	}
	return ll_lov_set(inode, value, size);
}

static int lov_xattr_get(const struct xattr_handler *handler, struct dentry *dentry,
			 struct inode *inode, const char *name, void *value, size_t size)
{
	return ll_lov_get(inode, value, size);
}

/*
 * Programs that copy files with their attributes also set the layout of a file that has one, or
 * remove it as the original has none (rsync -X). That succeeds and changes nothing.
 */
static int lov_xattr_set(const struct xattr_handler *handler, struct compat_idmap *idmap,
			 struct dentry *dentry, struct inode *inode, const char *name,
			 const void *value, size_t size, int flags)
{
	u32 magic = value ? lov_ea_magic(value, size) : 0;
	int rc;

	if (!size && S_ISREG(inode->i_mode))
		return 0;
	if (!size)
		return S_ISDIR(inode->i_mode) ? default_remove(inode) : -EOPNOTSUPP;
	if (magic == LOV_MAGIC_V1 || magic == LOV_MAGIC_V3)
		rc = copied_set(inode, value, size);
	else
		rc = ll_lov_set(inode, value, size);
	return rc == -EEXIST && S_ISREG(inode->i_mode) ? 0 : rc;
}

static int comps_xattr_set(const struct xattr_handler *handler, struct compat_idmap *idmap,
			   struct dentry *dentry, struct inode *inode, const char *name,
			   const void *value, size_t size, int flags)
{
	if (!strcmp(name, "add"))
		return layout_set(inode, XATTR_NAME_LOV_ADD, value, size);
	if (!strcmp(name, "del"))
		return layout_set(inode, XATTR_NAME_LOV_DEL, value, size);
	return -EOPNOTSUPP;
}

/*
 * Of any user. Flags of components (lustre.lov.set.flags) are those of mirrors, which files do not
 * have.
 */
const struct xattr_handler ll_lustre_comps_handler = {
	.prefix	= LL_XATTR_NAME_LOV ".",
	.set	= comps_xattr_set,
};

/* Of any user. */
const struct xattr_handler ll_lustre_lov_handler = {
	.name	= LL_XATTR_NAME_LOV,
	.get	= lov_xattr_get,
	.set	= lov_xattr_set,
};

/* Of root. */
const struct xattr_handler ll_trusted_lov_handler = {
	.name	= XATTR_NAME_LOV,
	.get	= lov_xattr_get,
	.set	= lov_xattr_set,
};
