// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that get the objects of others, as lfs migrate needs it: a program copies a file to one
 * without a name, which has the layout that is wanted, and the two swap their layouts. The copy is
 * exact if the content of the file has the same number (LL_IOC_DATA_VERSION) before it and at the
 * swap:
 *
 *	the copy is written, and on disk
 *	MDS_SWAP_LEASE: clients that do not answer are evicted here, and not below
 *	no task uses the file, of this client or of another one: ll_data_freeze()
 *	MDS_SWAP_LEASE: from here on other clients ask the server before they use the objects
 *	each target answers: so this client still has the locks of all objects, after the lease
 *	MDS_SWAP_LAYOUTS: the server swaps, if no client has asked since
 *
 * mdt_swap.c has the server's part. If the result of the swap is not known, the next operation on
 * the file asks for the layout.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_ops.h>
#include <uapi/lustre_lite/lustre_user.h>

#include "llite_inode.h"

/*
 * The number, and what was changed before it is written: a mapping that changes more takes a fault.
 */
static int number_get(struct inode *inode, struct ll_layout *ly, u64 *number)
{
	struct dt_locks locks;
	int rc = ll_data_lock(inode, ly, LCK_PR, DT_LOCK_WAIT, &locks);

	if (rc)
		return rc;
	*number = ll_data_number(inode);
	rc = ll_pages_sync(inode, 0, LLONG_MAX);
	ll_data_unlock(inode, ly, &locks);
	return rc;
}

/**
 * ll_data_version() - LL_IOC_DATA_VERSION
 * @file: file
 * @user: argument, struct ioc_data_version
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: 0; -ENOTTY: not a regular file; -EINVAL: unknown flags; -ENODATA: it has no layout; other
 *  negative errno
 */
int ll_data_version(struct file *file, void __user *user)
{
	struct inode *inode = file_inode(file);
	struct ioc_data_version version;
	struct ll_layout *ly;
	int rc;

	if (!S_ISREG(inode->i_mode))
		return -ENOTTY;
	if (copy_from_user(&version, user, sizeof(version)))
		return -EFAULT;
	if (version.idv_flags & ~(LL_DV_RD_FLUSH | LL_DV_WR_FLUSH))
		return -EINVAL;
	rc = ll_layout_is_known(inode) ? 0 : ll_inode_refresh(inode);
	ly = rc ? ERR_PTR(rc) : ll_layout_get(inode);
	if (IS_ERR_OR_NULL(ly))
		return ly ? PTR_ERR(ly) : -ENODATA;
	rc = number_get(inode, ly, &version.idv_version);
	ll_layout_put(ly);
	version.idv_layout_version = 0;
	return rc ?: copy_to_user(user, &version, sizeof(version)) ? -EFAULT : 0;
}

/* @flags: MDS_SWAP_*. Return: the answered request, for ll_op_free(); or an ERR_PTR */
static struct ll_op *swap_ask(struct inode *inode, struct file *other, u32 flags)
{
	struct ll_op *lo = ll_op_new(inode->i_sb, current_cred(), MDS_SWAP_LAYOUTS, 0);
	int rc;

	if (IS_ERR(lo))
		return lo;
	ll_op_object(lo, inode);
	ll_op_object(lo, file_inode(other));
	lo->lop_data.flags = flags;
	lo->lop_data.open = ll_file_md_open(other);
	/* A restart of the target ends what it is for. */
	lo->lop_data.once = true;
	rc = ll_op_call(lo);
	if (!rc)
		return lo;
	ll_op_free(lo);
	return ERR_PTR(rc);
}

static int lease_take(struct inode *inode, struct file *other)
{
	struct ll_op *lo = swap_ask(inode, other, MDS_SWAP_LEASE);

	if (IS_ERR(lo))
		return PTR_ERR(lo);
	ll_op_free(lo);
	return 0;
}

/* The targets have not evicted this client until now. Return: 0; -EAGAIN: one may have */
static int locks_prove(struct ll_layout *ly, const struct dt_locks *locks)
{
	struct md_attr attr;
	int rc = dt_getattr(ly->ly_exp, ly->ly_lov, &attr, true);

	return rc == -EREMCHG || (!rc && dt_lost(ly->ly_exp, locks)) ? -EAGAIN : rc;
}

/* With i_rwsem. The reply is used while no task uses the file. */
static int __swap(struct inode *inode, struct ll_layout *ly, struct file *other, u64 number)
{
	struct ll_op *lo = NULL;
	struct dt_locks locks;
	int rc = ll_data_freeze(inode, ly, number, &locks);

	if (rc)
		return rc;
	rc = lease_take(inode, other) ?: locks_prove(ly, &locks);
	if (!rc)
		lo = swap_ask(inode, other, 0);
	dt_decref(ly->ly_exp, &locks);
	if (IS_ERR(lo)) {
		rc = PTR_ERR(lo);
	} else if (lo) {
		/* First the locks of the other file go: its size is not asked for by mistake. */
		ll_cover_layout_drop(file_inode(other));
		ll_inode_refresh(file_inode(other));
		ll_update_inode(inode, lo);
		ll_op_free(lo);
	}
	ll_data_thaw(inode);
	return rc;
}

static int layouts_swap(struct inode *inode, struct file *other, u64 number)
{
	struct ll_layout *ly;
	int rc = vfs_fsync(other, 0) ?: lease_take(inode, other);

	if (rc)
		return rc;
	ly = ll_layout_get(inode);
	if (IS_ERR_OR_NULL(ly))
		return ly ? PTR_ERR(ly) : -ENODATA;
	inode_lock(inode);
	rc = __swap(inode, ly, other, number);
	inode_unlock(inode);
	ll_layout_put(ly);
	return rc;
}

static int check(struct file *file, struct file *other)
{
	struct inode *inode = file_inode(file);

	if (!S_ISREG(inode->i_mode))
		return -ENOTTY;
	if (!other || !(other->f_mode & FMODE_WRITE))
		return -EBADF;
	if (file_inode(other)->i_sb != inode->i_sb)
		return -EXDEV;
	if (!ll_file_md_open(other) || file_inode(other) == inode)
		return -EINVAL;
	return 0;
}

/**
 * ll_swap_layouts() - LL_IOC_LOV_SWAP_LAYOUTS
 * @file: file
 * @user: argument, struct lustre_swap_layouts
 *
 * Context: sleeps; a signal that kills the task ends it, and the layouts may be swapped or not
 * Return: 0; -EAGAIN and others, as lustre_user.h says
 */
int ll_swap_layouts(struct file *file, void __user *user)
{
	struct lustre_swap_layouts swap;
	struct file *other;
	int rc;

	if (copy_from_user(&swap, user, sizeof(swap)))
		return -EFAULT;
	if (swap.sl_flags != SWAP_LAYOUTS_CHECK_DV1)
		return -EINVAL;
	other = fget(swap.sl_fd);
	rc = check(file, other) ?: mnt_want_write_file(file);
	if (!rc) {
		rc = layouts_swap(file_inode(file), other, swap.sl_dv1);
		mnt_drop_write_file(file);
	}
	if (other)
		fput(other);
	return rc;
}
