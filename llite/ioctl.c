// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctls of files and directories: uapi/lustre_lite/lustre_user.h.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mount.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/lov_ea.h>
#include <lustre_lite/obd_client.h>
#include <lustre_lite/obd_import.h>
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

static int lov_getstripe(struct file *file, void __user *arg)
{
	struct lov_mds_md lmm;
	ssize_t len, space;
	void *value;
	int rc = 0;

	if (copy_from_user(&lmm, arg, sizeof(lmm)))
		return -EFAULT;
	value = kvzalloc(MDS_XATTR_MAX, GFP_KERNEL);
	if (!value)
		return -ENOMEM;
	len = ll_lov_get(file_inode(file), value, MDS_XATTR_MAX);
	space = space_of(&lmm);
	if (len < 0)
		rc = len;
	else if (copy_to_user(arg, value, len <= space ? len : sizeof(lmm)))
		rc = -EFAULT;
	else if (len > space)
		rc = -EOVERFLOW;
	kvfree(value);
	return rc;
}

static int path2fid(struct file *file, void __user *arg)
{
	const struct lu_fid *fid = ll_inode2fid(file_inode(file));
	struct ll_user_fid user = {
		.f_seq = fid->f_seq,
		.f_oid = fid->f_oid,
		.f_ver = fid->f_ver,
	};

	return copy_to_user(arg, &user, sizeof(user)) ? -EFAULT : 0;
}

static int volume_name(const struct obd_export *exp, void __user *arg)
{
	char name[MAX_OBD_NAME] = { };

	strscpy(name, exp->exp_obd->obd_name, sizeof(name));
	return copy_to_user(arg, name, sizeof(name)) ? -EFAULT : 0;
}

/**
 * struct target_search - a search for a target
 * @service: type of the target
 * @least: lowest index that is wanted
 * @index: lowest index that was found
 * @found: one was found
 * @deactivated: it is not to be used
 * @down: it cannot be used
 * @uuid: its uuid
 */
struct target_search {
	enum obd_service	service;
	u32			least;
	u32			index;
	bool			found;
	bool			deactivated;
	bool			down;
	struct obd_uuid		uuid;
};

/* "FSNAME-OST0000_UUID" */
static bool target_index(const struct obd_uuid *uuid, u32 *index)
{
	const char *kind = strrchr(uuid->uuid, '-');
	char digits[5];

	if (!kind || strlen(kind) < 8)
		return false;
	strscpy(digits, kind + 4, sizeof(digits));
	return !kstrtou32(digits, 16, index);
}

static void target_look(struct obd_device *obd, void *arg)
{
	const struct client_obd *cli = obd->obd_cli;
	struct target_search *search = arg;
	u32 index;

	if (obd->obd_type->typ_service != search->service ||
	    !target_index(&cli->cl_target_uuid, &index) || index < search->least)
		return;
	if (search->found && index >= search->index)
		return;
	search->found = true;
	search->index = index;
	search->uuid = cli->cl_target_uuid;
	search->deactivated = test_bit(IMPF_DEACTIVE, &cli->cl_import->imp_flags);
	search->down = llite_import_down(obd);
}

/**
 * struct target_space - a request for the free space of a target
 * @uuid: its uuid
 * @st: out
 * @rc: out
 */
struct target_space {
	const struct obd_uuid	*uuid;
	struct obd_statfs	st;
	int			rc;
};

static void target_ask(struct obd_device *obd, void *arg)
{
	struct target_space *space = arg;

	if (!strcmp(obd->obd_cli->cl_target_uuid.uuid, space->uuid->uuid))
		space->rc = obd_statfs(obd->obd_self_export, &space->st, 0);
}

/* A target that is known to be down is not waited for. */
static void target_statfs(u64 instance, const struct target_search *search,
			  struct ll_user_target *user)
{
	struct target_space space = { .uuid = &search->uuid, .rc = -ENOTCONN };

	if (search->deactivated)
		space.rc = -ENODATA;
	else if (!search->down)
		llite_imports_each(instance, target_ask, &space);
	user->lt_error = -space.rc;
	if (space.rc)
		return;
	user->lt_bsize = space.st.os_bsize;
	user->lt_blocks = space.st.os_blocks;
	user->lt_bfree = space.st.os_bfree;
	user->lt_bavail = space.st.os_bavail;
	user->lt_files = space.st.os_files;
	user->lt_ffree = space.st.os_ffree;
}

static int target_get(const struct llite_client *lc, void __user *arg)
{
	struct target_search search = { };
	struct ll_user_target user;

	if (copy_from_user(&user, arg, sizeof(user)))
		return -EFAULT;
	if (user.lt_type != LL_TARGET_MDT && user.lt_type != LL_TARGET_OST)
		return -EINVAL;
	search.service = user.lt_type == LL_TARGET_MDT ? OBD_SERVICE_MDS : OBD_SERVICE_OST;
	search.least = user.lt_index;
	llite_imports_each(lc->llc_instance, target_look, &search);
	if (!search.found)
		return -ENODEV;
	memset(&user, 0, sizeof(user));
	user.lt_type = search.service == OBD_SERVICE_MDS ? LL_TARGET_MDT : LL_TARGET_OST;
	user.lt_index = search.index;
	strscpy(user.lt_uuid, search.uuid.uuid, sizeof(user.lt_uuid));
	target_statfs(lc->llc_instance, &search, &user);
	return copy_to_user(arg, &user, sizeof(user)) ? -EFAULT : 0;
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
		return target_get(lc, user);
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
		return lov_getstripe(file, user);
	case _IOC_NR(OBD_IOC_FID2PATH):
		return ll_fid2path(file_inode(file)->i_sb, user);
	case _IOC_NR(LL_IOC_DATA_VERSION):
		return ll_data_version(file, user);
	case _IOC_NR(LL_IOC_LOV_SWAP_LAYOUTS):
		return ll_swap_layouts(file, user);
	case _IOC_NR(LL_IOC_PATH2FID):
		return path2fid(file, user);
	default:
		return -ENOTTY;
	}
}
