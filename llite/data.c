// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the objects of a file say of it: size, blocks and times. They are asked each time; what they
 * said last serves the VFS, and spares reads a request.
 *
 * Times are those of the objects if these have changed last. Else the metadata target has them,
 * but does not know of all writes: the newer mtime counts.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/string.h>
#include <linux/time64.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/lustre_ost.h>
#include <lustre_lite/obd_client.h>
#include <lustre_lite/obd_ops.h>

#include "llite_inode.h"

/* Under lli_lock: the VFS' attributes from those of the server and of the objects. */
void __ll_data_merge(struct inode *inode)
{
	const struct ll_inode_info *lli = ll_i2info(inode);
	const struct ll_data *data = &lli->lli_data;
	struct timespec64 mtime = lli->lli_mtime;
	struct timespec64 ctime = lli->lli_ctime;

	if (timespec64_compare(&data->ld_ctime, &ctime) >= 0) {
		mtime = data->ld_mtime;
		ctime = data->ld_ctime;
	} else if (timespec64_compare(&data->ld_mtime, &mtime) > 0) {
		mtime = data->ld_mtime;
	}
	i_size_write(inode, data->ld_size);
	inode->i_blocks = data->ld_blocks;
	compat_inode_set_mtime(inode, mtime);
	compat_inode_set_ctime(inode, ctime);
}

static void data_set(struct inode *inode, const struct ll_data *data)
{
	struct ll_inode_info *lli = ll_i2info(inode);

	spin_lock(&lli->lli_lock);
	lli->lli_data = *data;
	__ll_data_merge(inode);
	spin_unlock(&lli->lli_lock);
}

/**
 * ll_data_refresh() - ask the objects of a file for its size, blocks and times
 * @inode: inode; one without layout is left as it is
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: 0 or a negative errno
 */
int ll_data_refresh(struct inode *inode)
{
	struct ll_layout *ly = ll_layout_get(inode);
	struct md_attr attr = { };
	int rc;

	if (IS_ERR_OR_NULL(ly))
		return PTR_ERR_OR_ZERO(ly);
	rc = dt_getattr(ly->ly_exp, ly->ly_lov, &attr);
	if (!rc)
		data_set(inode, &(struct ll_data){
			.ld_size = attr.size,
			.ld_blocks = attr.blocks,
			.ld_mtime = ll_timespec_of(&attr.mtime),
			.ld_ctime = ll_timespec_of(&attr.ctime),
		});
	ll_layout_put(ly);
	return rc;
}

/**
 * ll_data_written() - this client has written to the objects
 * @inode: inode
 * @end: position after the last byte
 * @now: their mtime and ctime
 *
 * Context: any
 */
void ll_data_written(struct inode *inode, u64 end, const struct timespec64 *now)
{
	struct ll_inode_info *lli = ll_i2info(inode);

	spin_lock(&lli->lli_lock);
	lli->lli_data.ld_size = max(lli->lli_data.ld_size, end);
	lli->lli_data.ld_mtime = *now;
	lli->lli_data.ld_ctime = *now;
	__ll_data_merge(inode);
	spin_unlock(&lli->lli_lock);
}

/**
 * ll_data_setattr() - set attributes of the objects of a file
 * @inode: inode; i_rwsem is held
 * @to: attributes: mtime, ctime, and perhaps the size
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: 0 or a negative errno
 */
int ll_data_setattr(struct inode *inode, const struct md_attr *to)
{
	struct ll_layout *ly = ll_layout_get(inode);
	struct ll_data data;
	int rc;

	if (IS_ERR_OR_NULL(ly))
		return PTR_ERR_OR_ZERO(ly);
	rc = dt_setattr(ly->ly_exp, ly->ly_lov, to);
	ll_layout_put(ly);
	if (rc)
		return rc;
	data = ll_i2info(inode)->lli_data;
	data.ld_mtime = ll_timespec_of(&to->mtime);
	data.ld_ctime = ll_timespec_of(&to->ctime);
	if (to->valid & MDS_ATTR_SIZE)
		data.ld_size = to->size;
	data_set(inode, &data);
	return 0;
}

/* A target that is down is not waited for. */
static int target_sync(struct obd_export *exp)
{
	const struct ost_op op = { .opc = OST_SYNC };
	struct ost_reply rep;
	bool down;

	if (!obd_op_enter(exp->exp_obd))
		return 0;
	down = llite_import_down(exp->exp_obd);
	obd_op_leave(exp->exp_obd);
	return down ? -ENOTCONN : ost_call(exp, &op, &rep);
}

/**
 * ll_data_sync_all() - until all that was written is on the disks of the targets
 * @lc: client
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: 0; -ENOTCONN: a target is down, the others have been synced; other negative errno
 */
int ll_data_sync_all(struct llite_client *lc)
{
	struct obd_export *exp;
	u32 index = 0;
	int rc = 0;

	while ((exp = dt_target_next(lc->llc_dt, &index))) {
		int status = target_sync(exp);

		rc = rc ?: status;
		class_export_put(exp);
	}
	return rc;
}
