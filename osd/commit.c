// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commits: everything so far, and the number of the last transaction in it, in one commit of the
 * file system's own journal.
 *
 * The record is written last, as a change of metadata. On a file system whose journal commits
 * changes in their order it is never durable before them. The others are synced before the record
 * as well. So is btrfs: an fsync of the file alone, as by a client that connects meanwhile, writes
 * that file and its attributes before what was changed earlier.
 */
#include <linux/err.h>
#include <linux/magic.h>
#include <linux/namei.h>
#include <linux/writeback.h>
#include <linux/xattr.h>

#include <lustre_lite/compat.h>

#include "osd_internal.h"

#define XATTR_COMMITTED		"trusted.lite.committed"
#define XATTR_INCARNATION	"trusted.lite.incarnation"
#define EXT4_JOURNAL_INO	8
#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC		0x58465342
#endif

/* The inode of an internal journal of ext4 is in memory as long as the file system is mounted. */
static bool ext4_has_journal(struct super_block *sb)
{
	struct inode *inode = ilookup(sb, EXT4_JOURNAL_INO);
	bool journal = inode && S_ISREG(inode->i_mode);

	iput(inode);
	return journal;
}

/* Whether the journal commits changes of metadata in the order in which they were made. */
static bool is_ordered(struct super_block *sb)
{
	switch (sb->s_magic) {
	case EXT4_SUPER_MAGIC:
		return ext4_has_journal(sb);
	case XFS_SUPER_MAGIC:
		return true;
	default:
		return false;
	}
}

/* Return: 0, and @file is referenced; -ENOENT */
static int record_find(struct osd_device *osd, struct dentry **file)
{
	struct dentry *dentry = compat_lookup_unlocked(osd->osd_path.dentry, OSD_LAST_RCVD,
						       strlen(OSD_LAST_RCVD));

	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	if (d_is_negative(dentry)) {
		dput(dentry);
		return -ENOENT;
	}
	*file = dentry;
	return 0;
}

/* A number that belongs to the target, at its list of clients. */
static int record_write(struct osd_device *osd, const char *name, u64 number)
{
	const __le64 value = cpu_to_le64(number);
	struct dentry *file;
	int rc = record_find(osd, &file);

	if (rc)
		return rc;
	rc = osd_want_write(osd);
	if (!rc) {
		inode_lock(d_inode(file));
		rc = __vfs_setxattr(compat_nop_idmap, file, d_inode(file), name, &value,
				    sizeof(value), 0);
		inode_unlock(d_inode(file));
		osd_drop_write(osd);
	}
	dput(file);
	return rc;
}

static int record_read(struct osd_device *osd, const char *name, u64 *number)
{
	const struct cred *old = override_creds(osd->osd_cred);
	struct dentry *file;
	__le64 value;
	ssize_t rc;

	*number = 0;
	rc = record_find(osd, &file);
	if (!rc) {
		rc = __vfs_getxattr(file, d_inode(file), name, &value, sizeof(value));
		dput(file);
	}
	revert_creds(old);
	if (rc == -ENOENT || rc == -ENODATA)
		return 0;
	if (rc < 0)
		return rc == -ERANGE ? -EUCLEAN : rc;
	if (rc != sizeof(value))
		return -EUCLEAN;
	*number = le64_to_cpu(value);
	return 0;
}

int osd_committed(struct osd_device *osd, u64 *transno)
{
	return record_read(osd, XATTR_COMMITTED, transno);
}
EXPORT_SYMBOL_NS_GPL(osd_committed, LUSTRE_LITE);

int osd_incarnation_get(struct osd_device *osd, u64 *number)
{
	return record_read(osd, XATTR_INCARNATION, number);
}
EXPORT_SYMBOL_NS_GPL(osd_incarnation_get, LUSTRE_LITE);

int osd_incarnation_set(struct osd_device *osd, u64 number)
{
	const struct cred *old = override_creds(osd->osd_cred);
	int rc = record_write(osd, XATTR_INCARNATION, number);

	revert_creds(old);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(osd_incarnation_set, LUSTRE_LITE);

/* Sync before the record: data always, metadata unless the journal is ordered. */
static int sync_before(struct osd_device *osd, struct super_block *sb, bool ordered)
{
	int rc = 0;

	down_read(&sb->s_umount);
	if (!ordered)
		rc = sync_filesystem(sb);
	else if (osd->osd_kind == OSD_KIND_OST)
		sync_inodes_sb(sb);
	up_read(&sb->s_umount);
	return rc ?: errseq_check_and_advance(&sb->s_wb_err, &osd->osd_wb_err);
}

static int sync_record(struct osd_device *osd, struct super_block *sb, bool ordered)
{
	int rc;

	down_read(&sb->s_umount);
	rc = ordered ? sb->s_op->sync_fs(sb, 1) : sync_filesystem(sb);
	up_read(&sb->s_umount);
	return rc ?: errseq_check_and_advance(&sb->s_wb_err, &osd->osd_wb_err);
}

int osd_commit(struct osd_device *osd, u64 transno)
{
	struct super_block *sb = osd->osd_path.dentry->d_sb;
	const struct cred *old = override_creds(osd->osd_cred);
	bool ordered = is_ordered(sb);
	int rc;

	if (!osd->osd_durable)
		rc = record_write(osd, XATTR_COMMITTED, transno);
	else
		rc = sync_before(osd, sb, ordered) ?: record_write(osd, XATTR_COMMITTED, transno) ?:
		     sync_record(osd, sb, ordered);
	revert_creds(old);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(osd_commit, LUSTRE_LITE);
