// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctls of files and directories: uapi/lustre_lite/lustre_user.h.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/lov_ea.h>
#include <lustre_lite/obd_ops.h>

#include <uapi/lustre_lite/lustre_user.h>

#include "llite_inode.h"
#include "stats.h"

/* Bytes of a plain layout with @objects objects. */
static size_t plain_size(const struct lov_mds_md *lmm, unsigned int objects)
{
	bool v1 = le32_to_cpu(lmm->lmm_magic) == LOV_MAGIC_V1;

	return sizeof(*lmm) + (v1 ? 0 : LOV_MAXPOOLNAME + 1) +
	       objects * sizeof(struct lov_ost_data);
}

/* Objects that the start of a layout names. */
static unsigned int plain_objects(const struct lov_mds_md *lmm)
{
	return min_t(unsigned int, le16_to_cpu(lmm->lmm_stripe_count), LOV_MAX_STRIPE_COUNT);
}

/* Bytes of a composite layout; 0: of none that a message has space for. */
static size_t comp_size(const struct lov_mds_md *lmm)
{
	u32 size = le32_to_cpu(((const struct lov_comp_md_v1 *)lmm)->lcm_size);

	return size < sizeof(*lmm) || size > MDS_XATTR_MAX ? 0 : size;
}

/* Bytes of the layout that a user asks for; 0: it is of a kind that cannot be asked for. */
static size_t wanted_size(const struct lov_mds_md *lmm)
{
	switch (le32_to_cpu(lmm->lmm_magic)) {
	case LOV_MAGIC_V1:
	case LOV_MAGIC_V3:
		return plain_size(lmm, 0);
	case LOV_USER_MAGIC_SPECIFIC:
		return plain_size(lmm, plain_objects(lmm));
	case LOV_MAGIC_COMP_V1:
		return comp_size(lmm);
	default:
		return 0;
	}
}

/* What follows the start is copied once: the start is what decided its length. */
static int wanted_get(const void __user *arg, void **value, size_t *size)
{
	struct lov_mds_md lmm;

	if (copy_from_user(&lmm, arg, sizeof(lmm)))
		return -EFAULT;
	*size = wanted_size(&lmm);
	if (!*size)
		return -EINVAL;
	*value = kvmalloc(*size, GFP_KERNEL);
	if (!*value)
		return -ENOMEM;
	memcpy(*value, &lmm, sizeof(lmm));
	if (!copy_from_user(*value + sizeof(lmm), arg + sizeof(lmm), *size - sizeof(lmm)))
		return 0;
	kvfree(*value);
	return -EFAULT;
}

static int lov_setstripe(struct file *file, const void __user *arg)
{
	struct inode *inode = file_inode(file);
	size_t size;
	void *value;
	int rc;

	if (!S_ISDIR(inode->i_mode) && !(file->f_mode & FMODE_WRITE))
		return -EBADF;
	rc = wanted_get(arg, &value, &size);
	if (rc)
		return rc;
	rc = mnt_want_write_file(file);
	if (rc)
		goto free_value;
	rc = inode_permission(compat_nop_idmap, inode, MAY_WRITE);
	if (!rc)
		rc = ll_lov_set(inode, value, size);
	mnt_drop_write_file(file);
free_value:
	kvfree(value);
	return rc;
}

/* Space of the caller's buffer, by what it starts with. */
static size_t space_of(const struct lov_mds_md *lmm)
{
	const struct lov_comp_md_v1 *comp = (const struct lov_comp_md_v1 *)lmm;

	if (le32_to_cpu(lmm->lmm_magic) == LOV_MAGIC_COMP_V1)
		return le32_to_cpu(comp->lcm_size);
	return plain_size(lmm, plain_objects(lmm));
}

/*
 * @lmm: says how much space there is; NULL: the caller has enough for any layout.
 * Return: bytes of the layout; a negative errno
 */
static int layout_put(struct inode *inode, void __user *arg, const struct lov_mds_md *lmm)
{
	ssize_t len, space = lmm ? space_of(lmm) : MDS_XATTR_MAX;
	void *value;
	int rc;

	value = kvzalloc(MDS_XATTR_MAX, GFP_KERNEL);
	if (!value)
		return -ENOMEM;
	len = ll_lov_get(inode, value, MDS_XATTR_MAX);
	rc = len;
	if (len > 0 && copy_to_user(arg, value, len <= space ? len : sizeof(*lmm)))
		rc = -EFAULT;
	else if (len > space)
		rc = -EOVERFLOW;
	kvfree(value);
	return rc;
}

static int lov_getstripe(struct inode *inode, void __user *arg)
{
	struct lov_mds_md lmm;

	if (copy_from_user(&lmm, arg, sizeof(lmm)))
		return -EFAULT;
	return layout_put(inode, arg, &lmm);
}

static int path2fid(struct file *file, void __user *arg)
{
	const struct ll_user_fid user = ll_user_fid_of(ll_inode2fid(file_inode(file)));

	return copy_to_user(arg, &user, sizeof(user)) ? -EFAULT : 0;
}

static int volume_name(const struct obd_export *exp, void __user *arg)
{
	char name[MAX_OBD_NAME] = { };

	strscpy(name, exp->exp_obd->obd_name, sizeof(name));
	return copy_to_user(arg, name, sizeof(name)) ? -EFAULT : 0;
}

/*
 * The object that a name in a directory stands for, and its layout, or the default of a directory.
 */
static int name_getstripe(struct file *dir, void __user *arg)
{
	struct dentry *child;
	char *name;
	int rc;

	if (!S_ISDIR(file_inode(dir)->i_mode))
		return -ENOTDIR;
	name = strndup_user(arg, NAME_MAX + 1);
	if (IS_ERR(name))
		return PTR_ERR(name) == -EINVAL ? -ENAMETOOLONG : PTR_ERR(name);
	child = compat_lookup_unlocked(file_dentry(dir), name, strlen(name));
	kfree(name);
	if (IS_ERR(child))
		return PTR_ERR(child);
	rc = d_really_is_positive(child) ? layout_put(d_inode(child), arg, NULL) : -ENOENT;
	dput(child);
	return min(rc, 0);
}

static int mdt_index(void __user *arg)
{
	/* This release has one metadata target. */
	return put_user(0, (int __user *)arg);
}

/* Return: the index; -EINVAL; -EFAULT */
static int fid_mdt_index(const void __user *arg)
{
	struct ll_user_fid user;
	struct lu_fid fid;

	if (copy_from_user(&user, arg, sizeof(user)))
		return -EFAULT;
	fid = ll_fid_of_user(&user);
	return fid_is_in_tree(&fid) ? 0 : -EINVAL;
}

/**
 * ll_ioctl() - unlocked_ioctl of files and directories
 * @file: file
 * @cmd: number; those of real Lustre have no size of their argument, so it is not looked at
 * @arg: argument
 *
 * Context: sleeps
 * Return: 0 or a negative errno; -ENOTTY: no such call
 */
long ll_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	const struct llite_client *lc = ll_s2client(file_inode(file)->i_sb);
	void __user *user = (void __user *)arg;
	LL_DEFINE_TIMED(file_inode(file)->i_sb, LL_STAT_IOCTL);

	if (cmd == LL_IOC_TARGET)
		return ll_target_get(lc, user);
	if (cmd == LL_IOC_ROOT_DEFAULT)
		return lov_getstripe(d_inode(file_inode(file)->i_sb->s_root), user);
	if (_IOC_TYPE(cmd) == _IOC_TYPE(IOC_MDC_GETFILESTRIPE) &&
	    _IOC_NR(cmd) == _IOC_NR(IOC_MDC_GETFILESTRIPE))
		return name_getstripe(file, user);
	if (_IOC_TYPE(cmd) != _IOC_TYPE(LL_IOC_LOV_SETSTRIPE))
		return -ENOTTY;
	switch (_IOC_NR(cmd)) {
	case _IOC_NR(OBD_IOC_GETDTNAME):
		return volume_name(lc->llc_dt, user);
	case _IOC_NR(OBD_IOC_GETMDNAME):
		return volume_name(lc->llc_md, user);
	case _IOC_NR(LL_IOC_LOV_SETSTRIPE):
		return lov_setstripe(file, user);
	case _IOC_NR(LL_IOC_LOV_GETSTRIPE):
		return min(lov_getstripe(file_inode(file), user), 0);
	case _IOC_NR(OBD_IOC_FID2PATH):
		return ll_fid2path(file_inode(file)->i_sb, user);
	case _IOC_NR(LL_IOC_DATA_VERSION):
		return ll_data_version(file, user);
	case _IOC_NR(LL_IOC_LOV_SWAP_LAYOUTS):
		return ll_swap_layouts(file, user);
	case _IOC_NR(LL_IOC_PATH2FID):
		return path2fid(file, user);
	case _IOC_NR(IOC_OBD_STATFS):
		return ll_target_statfs(lc, user);
	case _IOC_NR(LL_IOC_GETOBDCOUNT):
		return ll_target_count(lc, user);
	case _IOC_NR(LL_IOC_GET_MDTIDX):
		return mdt_index(user);
	case _IOC_NR(LL_IOC_FID2MDTIDX):
		return fid_mdt_index(user);
	case _IOC_NR(LL_IOC_GETPARENT):
		return ll_getparent(file_inode(file), user);
	case _IOC_NR(LL_IOC_GET_CONNECT_FLAGS):
		return ll_target_flags(lc, user);
	default:
		return -ENOTTY;
	}
}
