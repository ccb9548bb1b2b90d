// SPDX-License-Identifier: GPL-2.0-only
/*
 * Open regular files. Data is not stored yet: a file that the server says is empty reads as
 * empty, and everything else is refused.
 */
#define DEBUG_SUBSYSTEM S_LLITE

#include <linux/cred.h>
#include <linux/err.h>
#include <linux/splice.h>
#include <linux/uio.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "llite_inode.h"

/* The first refusal of a mount is explained. */
int ll_data_refuse(struct inode *inode)
{
	struct llite_client *lc = ll_s2client(inode->i_sb);

	if (!test_and_set_bit(LLC_DATA_REFUSED, &lc->llc_flags))
		CWARN("%s: this release stores no data of files: reading, writing and mapping them is refused\n",
		      llite_mount(inode->i_sb)->llm_source.src_fsname);
	return -EOPNOTSUPP;
}

static ssize_t ll_file_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct inode *inode = file_inode(iocb->ki_filp);

	if (!iov_iter_count(to) || iocb->ki_pos >= i_size_read(inode))
		return 0;
	return ll_data_refuse(inode);
}

static ssize_t ll_file_write_iter(struct kiocb *iocb, struct iov_iter *from)
{
	return iov_iter_count(from) ? ll_data_refuse(file_inode(iocb->ki_filp)) : 0;
}

static int ll_file_mmap(struct file *file, struct vm_area_struct *vma)
{
	return ll_data_refuse(file_inode(file));
}

/* Another client may have changed the size. */
static loff_t ll_file_llseek(struct file *file, loff_t offset, int whence)
{
	int rc = 0;

	if (whence != SEEK_SET && whence != SEEK_CUR)
		rc = ll_inode_refresh(file_inode(file));
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
	return ll_sync(file_inode(file));
}

const struct file_operations ll_file_operations = {
	.open		= ll_file_open,
	.release	= ll_file_release,
	.llseek		= ll_file_llseek,
	.read_iter	= ll_file_read_iter,
	.write_iter	= ll_file_write_iter,
	.splice_read	= compat_splice_read,
	.mmap		= ll_file_mmap,
	.fsync		= ll_fsync,
	.setlease	= compat_nosetlease,
};
