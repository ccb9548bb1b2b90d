// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attributes and permissions. The server has them, and the objects of a file its size; those of the
 * inode are what they said last. A lock may cover those of the server.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/stat.h>

#include <lustre_lite/compat.h>

#include "llite_inode.h"
#include "stats.h"

/* st_blksize of a regular file: what real Lustre says. */
#define LL_BLKSIZE	(4U << 20)

/* @flags: MDS_GETATTR_*. Return: the answered request, or a negative errno */
static struct ll_op *attr_ask(struct inode *inode, u32 flags)
{
	struct ll_op *lo = ll_op_new(inode->i_sb, current_cred(), MDS_GETATTR, 0);
	int rc;

	if (IS_ERR(lo))
		return lo;
	lo->lop_data.flags = flags;
	ll_op_object(lo, inode);
	ll_op_ask(lo, inode);
	rc = ll_op_call(lo);
	if (!rc)
		return lo;
	ll_op_free(lo);
	return ERR_PTR(rc);
}

static int inode_ask(struct inode *inode, u32 flags)
{
	struct ll_op *lo = attr_ask(inode, flags);

	/* In use, but not open at the server: what is known of it is all there is. */
	if (IS_ERR(lo) && PTR_ERR(lo) == -ESTALE && !inode->i_nlink)
		return 0;
	if (IS_ERR(lo))
		return PTR_ERR(lo);
	ll_update_inode(inode, lo);
	ll_op_free(lo);
	return ll_layout_missed(inode);
}

/**
 * ll_inode_refresh() - ask the server for the attributes of an inode
 * @inode: inode
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: 0; -ESTALE: the object is gone, and this client has not removed it; -ENOMEM, also if
 *  there is none for the layout; other negative errno
 */
int ll_inode_refresh(struct inode *inode)
{
	return inode_ask(inode, 0);
}

/**
 * ll_inode_used() - likewise, and the file is used with its present layout, unless the reply has
 *  another
 * @inode: inode, regular file
 *
 * The caller has locks of all objects of the layout. A file does not get other objects then.
 *
 * Context: as ll_inode_refresh()
 * Return: as ll_inode_refresh()
 */
int ll_inode_used(struct inode *inode)
{
	return inode_ask(inode, MDS_GETATTR_USED);
}

/**
 * ll_inode_layout_ask() - ask the server for the layout of a file, which is not used yet
 * @inode: inode, regular file
 * @use: called with its value, unless the server is not connected, or has none
 * @data: for @use
 *
 * The caller may have locks and pages of the file.
 *
 * Context: sleeps; a signal that kills the task ends it
 */
void ll_inode_layout_ask(struct inode *inode, dt_value_t *use, void *data)
{
	struct ll_op *lo = ll_op_new(inode->i_sb, current_cred(), MDS_GETATTR, 0);

	if (IS_ERR(lo))
		return;
	lo->lop_data.once = true;
	ll_op_object(lo, inode);
	if (!ll_op_call(lo) && lo->lop_rep.layout)
		use(data, lo->lop_rep.layout, lo->lop_rep.layout_len);
	ll_op_free(lo);
}

/* Ask the objects for what they know. */
static int data_ask(struct inode *inode, u32 mask)
{
	const u32 theirs = STATX_SIZE | STATX_BLOCKS | STATX_MTIME | STATX_CTIME;

	if (!S_ISREG(inode->i_mode) || !(mask & theirs))
		return 0;
	return ll_data_refresh(inode, mask & STATX_BLOCKS);
}

/**
 * ll_inode_fresh() - ask the server for the attributes of an inode, unless a lock covers them
 * @inode: inode
 * @bits: MDS_INODELOCK_UPDATE for all but, MDS_INODELOCK_PERM for owner, group, mode and ACL
 *
 * Context: as ll_inode_refresh()
 * Return: as ll_inode_refresh()
 */
int ll_inode_fresh(struct inode *inode, u32 bits)
{
	/* Size and times are those of the objects. */
	if (S_ISREG(inode->i_mode) && !ll_layout_is_known(inode))
		return ll_inode_refresh(inode);
	return ll_attr_is_covered(inode, bits) ? 0 : ll_inode_refresh(inode);
}

int ll_getattr(struct compat_idmap *idmap, const struct path *path, struct kstat *stat,
	       u32 mask, unsigned int flags)
{
	struct inode *inode = d_inode(path->dentry);
	struct ll_inode_info *lli = ll_i2info(inode);
	int rc = 0;
	LL_DEFINE_TIMED(path->dentry->d_sb, LL_STAT_GETATTR);

	ll_ahead_asked(path->dentry);
	if (flags & AT_STATX_FORCE_SYNC)
		rc = ll_inode_refresh(inode);
	else if (!(flags & AT_STATX_DONT_SYNC))
		rc = ll_inode_fresh(inode, MDS_INODELOCK_UPDATE | MDS_INODELOCK_PERM);
	if (!rc && !(flags & AT_STATX_DONT_SYNC))
		rc = data_ask(inode, mask);
	if (rc)
		return rc;
	/* Attributes of one reply. */
	spin_lock(&lli->lli_lock);
	compat_fillattr(idmap, mask, inode, stat);
	if (lli->lli_btime.tv_sec || lli->lli_btime.tv_nsec) {
		stat->btime = lli->lli_btime;
		stat->result_mask |= STATX_BTIME;
	}
	if (S_ISREG(inode->i_mode))
		stat->blksize = LL_BLKSIZE;
	spin_unlock(&lli->lli_lock);
	return 0;
}

static const struct {
	unsigned int	valid;
	u64		wire;
} attr_bits[] = {
	{ ATTR_MODE, MDS_ATTR_MODE },
	{ ATTR_UID, MDS_ATTR_UID },
	{ ATTR_GID, MDS_ATTR_GID },
	{ ATTR_SIZE, MDS_ATTR_SIZE },
	{ ATTR_ATIME, MDS_ATTR_ATIME },
	{ ATTR_MTIME, MDS_ATTR_MTIME },
	{ ATTR_CTIME, MDS_ATTR_CTIME },
	{ ATTR_ATIME_SET, MDS_ATTR_ATIME_SET },
	{ ATTR_MTIME_SET, MDS_ATTR_MTIME_SET },
	{ ATTR_KILL_SUID, MDS_ATTR_KILL_SUID },
	{ ATTR_KILL_SGID, MDS_ATTR_KILL_SGID },
	{ ATTR_KILL_PRIV, MDS_ATTR_KILL_PRIV },
};

static void attr_pack(struct md_attr *to, const struct iattr *attr)
{
	unsigned int valid = attr->ia_valid;
	size_t n;

	/* The VFS made a mode of these, from one that may be old. */
	if (valid & (ATTR_KILL_SUID | ATTR_KILL_SGID))
		valid &= ~ATTR_MODE;
	for (n = 0; n < ARRAY_SIZE(attr_bits); n++)
		if (valid & attr_bits[n].valid)
			to->valid |= attr_bits[n].wire;
	to->mode = attr->ia_mode;
	to->size = attr->ia_size;
	if (valid & ATTR_UID)
		to->uid = from_kuid(&init_user_ns, attr->ia_uid);
	if (valid & ATTR_GID)
		to->gid = from_kgid(&init_user_ns, attr->ia_gid);
	to->atime = ll_md_time_of(&attr->ia_atime);
	to->mtime = ll_md_time_of(&attr->ia_mtime);
	to->ctime = ll_md_time_of(&attr->ia_ctime);
}

/* The server removes capabilities: the caller may write, and need not be able to set them. */
static int attr_prepare(struct compat_idmap *idmap, struct dentry *dentry, struct iattr *attr)
{
	unsigned int kill = attr->ia_valid & ATTR_KILL_PRIV;
	int rc;

	attr->ia_valid &= ~ATTR_KILL_PRIV;
	rc = setattr_prepare(idmap, dentry, attr);
	attr->ia_valid |= kill;
	return rc;
}

/* The attributes that decide may be old. RLIMIT_FSIZE holds for sizes above that of the file. */
static int attr_check(struct compat_idmap *idmap, struct dentry *dentry, struct iattr *attr)
{
	int rc = 0;

	if (attr->ia_valid & ATTR_SIZE && rlimit(RLIMIT_FSIZE) != RLIM_INFINITY)
		rc = ll_data_refresh(d_inode(dentry), false);
	rc = rc ?: attr_prepare(idmap, dentry, attr);
	if (rc != -EPERM)
		return rc;
	return ll_inode_refresh(d_inode(dentry)) ?: attr_prepare(idmap, dentry, attr);
}

/*
 * A file has a size once it has objects, also in the component of its last byte. One whose layout
 * is not served is not truncated.
 */
static int size_check(struct inode *inode, const struct iattr *attr)
{
	struct file *file = attr->ia_valid & ATTR_FILE ? attr->ia_file : NULL;
	struct ll_layout *ly;
	int rc;

	if (!(attr->ia_valid & ATTR_SIZE))
		return 0;
	ly = attr->ia_size ? ll_layout_make(inode) : ll_layout_get(inode);
	if (IS_ERR_OR_NULL(ly))
		return PTR_ERR_OR_ZERO(ly);
	rc = ll_layout_extend(inode, ly, file, attr->ia_size);
	ll_layout_put(ly);
	return rc;
}

/* Size and times are also those of the objects, with the times of the server. */
static int data_setattr(struct inode *inode, const struct iattr *attr, const struct md_attr *set)
{
	struct md_attr to = {
		.valid = MDS_ATTR_MTIME | MDS_ATTR_CTIME,
		.mtime = set->mtime,
		.ctime = set->ctime,
	};

	if (!S_ISREG(inode->i_mode) || !(attr->ia_valid & (ATTR_SIZE | ATTR_MTIME)))
		return 0;
	if (attr->ia_valid & ATTR_SIZE) {
		to.valid |= MDS_ATTR_SIZE;
		to.size = attr->ia_size;
		to.mtime = set->ctime;
	}
	return ll_data_setattr(inode, &to);
}

/* @open: open for writing, or NULL */
static int setattr_call(struct inode *inode, const struct iattr *attr, struct md_open *open)
{
	struct ll_op *lo;
	int rc;

	lo = ll_op_new(inode->i_sb, current_cred(), MDS_REINT, REINT_SETATTR);
	if (IS_ERR(lo))
		return PTR_ERR(lo);
	ll_op_object(lo, inode);
	attr_pack(&lo->lop_data.attr, attr);
	lo->lop_data.open = open;
	rc = ll_op_call(lo);
	/* The server removes capabilities with these. */
	if (attr->ia_valid & (ATTR_UID | ATTR_GID | ATTR_SIZE | ATTR_KILL_PRIV))
		ll_xattrs_forget_caps(inode);
	if (!rc) {
		ll_update_inode(inode, lo);
		rc = data_setattr(inode, attr, &lo->lop_rep.attr);
	}
	ll_op_free(lo);
	return rc;
}

/*
 * The server says the size to no other client from the time when it is asked until the objects are
 * truncated: the file is open for writing for so long.
 */
static int truncate_call(struct inode *inode, const struct iattr *attr)
{
	struct file *file = attr->ia_valid & ATTR_FILE ? attr->ia_file : NULL;
	struct ll_file *lf;
	int rc;

	if (!S_ISREG(inode->i_mode) || !(attr->ia_valid & ATTR_SIZE) ||
	    (file && file->f_mode & FMODE_WRITE))
		return setattr_call(inode, attr, file ? ll_file_md_open(file) : NULL);
	lf = ll_open_to_write(inode, MDS_OPEN_DELAY);
	if (IS_ERR(lf))
		return PTR_ERR(lf);
	rc = setattr_call(inode, attr, ll_written_open(lf));
	ll_close_written(lf);
	return rc;
}

int ll_setattr(struct compat_idmap *idmap, struct dentry *dentry, struct iattr *attr)
{
	struct inode *inode = d_inode(dentry);
	unsigned int tries = 0;
	int rc;
	LL_DEFINE_TIMED(dentry->d_sb, attr->ia_valid & ATTR_SIZE ? LL_STAT_TRUNCATE : LL_STAT_SETATTR);

	rc = attr_check(idmap, dentry, attr) ?: size_check(inode, attr);
	if (rc)
		return rc;
	do {
		rc = truncate_call(inode, attr);
	} while (rc == -ETXTBSY && ll_busy_again(inode, &tries));
	return rc;
}

/**
 * ll_permission() - whether the caller may use an inode
 * @idmap: id mapping of the mount
 * @inode: inode
 * @mask: MAY_*
 *
 * Names are cached, so that the server does not see a path walk: the attributes that decide are
 * current.
 *
 * Context: sleeps, unless @mask has MAY_NOT_BLOCK
 * Return: 0 or a negative errno
 */
int ll_permission(struct compat_idmap *idmap, struct inode *inode, int mask)
{
	int rc = 0;

	if (!ll_attr_is_covered(inode, MDS_INODELOCK_PERM)) {
		if (mask & MAY_NOT_BLOCK)
			return -ECHILD;
		rc = ll_inode_refresh(inode);
	}
	return rc ?: generic_permission(idmap, inode, mask);
}
