// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations of open regular files, besides reading and writing (rw.c), and mapping (mmap.c).
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/splice.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_ops.h>

#include "llite_inode.h"
#include "stats.h"

/* Another client may have changed the size, or written to a file that had no layout. */
static loff_t ll_file_llseek(struct file *file, loff_t offset, int whence)
{
	struct inode *inode = file_inode(file);
	int rc = 0;
	LL_DEFINE_TIMED(inode->i_sb, LL_STAT_SEEK);

	if (whence != SEEK_SET && whence != SEEK_CUR)
		rc = ll_inode_fresh(inode, MDS_INODELOCK_UPDATE);
	if (!rc && (whence == SEEK_DATA || whence == SEEK_HOLE))
		return ll_file_seek_space(file, offset, whence == SEEK_HOLE);
	if (!rc && whence == SEEK_END)
		rc = ll_data_refresh(inode, false);
	return rc ?: generic_file_llseek(file, offset, whence);
}

/**
 * ll_sync() - wait until the changes of an object are on the server's disk
 * @inode: its inode
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: 0 or a negative errno
 */
int ll_sync(struct inode *inode)
{
	struct ll_op *lo = ll_op_new(inode->i_sb, current_cred(), MDS_SYNC, 0);
	int rc;

	if (IS_ERR(lo))
		return PTR_ERR(lo);
	ll_op_object(lo, inode);
	rc = ll_op_call(lo);
	ll_op_free(lo);
	return rc;
}

int ll_fsync(struct file *file, loff_t start, loff_t end, int datasync)
{
	LL_DEFINE_TIMED(file_inode(file)->i_sb, LL_STAT_FSYNC);

	return ll_sync(file_inode(file));
}

static int ll_file_fsync(struct file *file, loff_t start, loff_t end, int datasync)
{
	struct inode *inode = file_inode(file);
	struct ll_layout *ly = ll_layout_get(inode);
	int rc, lost, err = 0;
	LL_DEFINE_TIMED(inode->i_sb, LL_STAT_FSYNC);

	rc = ll_pages_sync(inode, start, end);
	/* Each of these reports an error once: all are asked. */
	lost = file_check_and_advance_wb_err(file);
	if (!IS_ERR_OR_NULL(ly) && rc != -EINTR) {
		do {
			err = dt_sync(ly->ly_exp, ly->ly_lov);
		} while (err == -EREMCHG && !(err = ll_inode_refresh(inode)));
	}
	if (err == -EROFS)
		err = -EIO;
	ll_layout_put(ly);
	if (rc == -EINTR)
		return rc;
	return err ?: lost ?: ll_sync(inode);
}

/* close() reports writes that were lost, once, and waits for none. */
static int ll_file_flush(struct file *file, fl_owner_t id)
{
	struct ll_layout *ly;
	int rc, err;

	if (!(file->f_mode & FMODE_WRITE))
		return 0;
	rc = file_check_and_advance_wb_err(file);
	ly = ll_layout_get(file_inode(file));
	err = IS_ERR_OR_NULL(ly) ? 0 : dt_error(ly->ly_exp, ly->ly_lov);
	ll_layout_put(ly);
	return err ?: rc;
}

const struct file_operations ll_file_operations = {
	.open		= ll_file_open,
	.release	= ll_file_release,
	.llseek		= ll_file_llseek,
	.read_iter	= ll_file_read_iter,
	.write_iter	= ll_file_write_iter,
	.splice_read	= compat_splice_read,
	.splice_write	= iter_file_splice_write,
	.mmap		= ll_file_mmap,
	.unlocked_ioctl	= ll_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.flush		= ll_file_flush,
	.fsync		= ll_file_fsync,
	.fallocate	= ll_file_fallocate,
	.lock		= ll_file_lock,
	.flock		= ll_file_flock,
	.setlease	= compat_nosetlease,
};
