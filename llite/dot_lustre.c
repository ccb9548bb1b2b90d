// SPDX-License-Identifier: GPL-2.0-only
/*
 * .lustre in the root, and its directory fid, whose names are FIDs of objects. Both are the
 * client's own: the server does not know them, and nothing in them changes.
 *
 *	.lustre		lists "fid"; the listing of the root does not have it
 *	.lustre/fid/F	the object whose FID is F, with or without brackets; not listed
 *
 * A directory has one dentry: it moves to .lustre/fid when it is looked up there, and back with the
 * next lookup of its name.
 */
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/namei.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/lustre_fid.h>

#include <uapi/lustre_lite/lustre_user.h>

#include "llite_inode.h"

#define NAME_FID	"fid"

static bool is_fid_dir(struct inode *inode)
{
	return ll_inode2fid(inode)->f_oid == FID_OID_DOT_LUSTRE_FID;
}

static bool name_is(const struct qstr *name, const char *text)
{
	return name->len == strlen(text) && !memcmp(name->name, text, name->len);
}

bool ll_is_dot_lustre(struct inode *dir, const struct qstr *name)
{
	return ll_inode2fid(dir)->f_seq == FID_SEQ_ROOT && name_is(name, LL_DOT_LUSTRE);
}

/* An object by its FID alone. Return: answered request; an ERR_PTR */
static struct ll_op *fid_ask(struct super_block *sb, const struct lu_fid *fid,
			     struct inode *known)
{
	struct ll_op *lo = ll_op_new(sb, current_cred(), MDS_GETATTR, 0);
	int rc;

	if (IS_ERR(lo))
		return lo;
	lo->lop_data.object[0].fid = *fid;
	lo->lop_data.objects = 1;
	ll_op_ask(lo, known);
	rc = ll_op_call(lo);
	if (!rc && !lu_fid_eq(&lo->lop_rep.object.fid, fid))
		rc = -EPROTO;
	if (!rc)
		return lo;
	ll_op_free(lo);
	return ERR_PTR(rc == -ESTALE ? -ENOENT : rc);
}

/* The root is above the name, so it cannot be below it. */
static struct dentry *fid_lookup(struct inode *dir, struct dentry *dentry)
{
	struct dentry *other;
	struct lu_fid fid;
	struct ll_op *lo;

	if (fid_parse(dentry->d_name.name, dentry->d_name.len, &fid) || !fid_is_in_tree(&fid)) {
		d_add(dentry, NULL);
		return NULL;
	}
	if (fid.f_seq == FID_SEQ_ROOT)
		return ERR_PTR(-ELOOP);
	lo = fid_ask(dir->i_sb, &fid, NULL);
	if (lo == ERR_PTR(-ENOENT)) {
		d_add(dentry, NULL);
		return NULL;
	}
	if (IS_ERR(lo))
		return ERR_CAST(lo);
	other = d_splice_alias(ll_iget(dir->i_sb, lo), dentry);
	if (!IS_ERR(other))
		ll_dentry_claim(other ?: dentry, lo, 0);
	ll_op_free(lo);
	return other;
}

static struct inode *own_iget(struct super_block *sb, u32 oid);

static struct dentry *own_lookup(struct inode *dir, struct dentry *dentry, unsigned int flags)
{
	if (dentry->d_name.len > NAME_MAX)
		return ERR_PTR(-ENAMETOOLONG);
	if (is_fid_dir(dir))
		return fid_lookup(dir, dentry);
	if (name_is(&dentry->d_name, NAME_FID))
		return d_splice_alias(own_iget(dir->i_sb, FID_OID_DOT_LUSTRE_FID), dentry);
	d_add(dentry, NULL);
	return NULL;
}

/**
 * ll_dot_lustre_lookup() - look .lustre up in the root
 * @dir: root
 * @dentry: its name
 *
 * Context: may sleep
 * Return: as ll_lookup()
 */
struct dentry *ll_dot_lustre_lookup(struct inode *dir, struct dentry *dentry)
{
	return d_splice_alias(own_iget(dir->i_sb, FID_OID_DOT_LUSTRE), dentry);
}

/**
 * ll_dot_lustre_revalidate() - whether a name of .lustre, or in it, is still valid
 * @dir: directory
 * @dentry: name
 * @flags: LOOKUP_*
 *
 * A name that is missing is looked up again.
 *
 * Context: sleeps
 * Return: as ll_revalidate()
 */
int ll_dot_lustre_revalidate(struct inode *dir, struct dentry *dentry, unsigned int flags)
{
	struct inode *inode = d_inode(dentry);
	struct ll_op *lo;

	if (!inode)
		return 0;
	if (ll_inode_is_own(inode))
		return 1;
	if (!(flags & LOOKUP_REVAL) && ll_dentry_is_covered(dir, dentry))
		return 1;
	lo = fid_ask(dir->i_sb, ll_inode2fid(inode), inode);
	if (IS_ERR(lo))
		return PTR_ERR(lo) == -ENOENT ? 0 : PTR_ERR(lo);
	ll_update_inode(inode, lo);
	ll_dentry_claim(dentry, lo, 0);
	ll_op_free(lo);
	return 1;
}

/* Objects are open to all users of the mount with user_fid2path, as far as their modes permit. */
static int own_permission(struct compat_idmap *idmap, struct inode *inode, int mask)
{
	if (mask & MAY_WRITE)
		return -EPERM;
	if (is_fid_dir(inode) && !(mask & MAY_READ) && ll_may_use_fids(inode->i_sb))
		return 0;
	return generic_permission(idmap, inode, mask);
}

static int own_setattr(struct compat_idmap *idmap, struct dentry *dentry, struct iattr *attr)
{
	return -EPERM;
}

static const struct inode_operations own_iops = {
	.lookup		= own_lookup,
	.setattr	= own_setattr,
	.permission	= own_permission,
};

static int own_readdir(struct file *file, struct dir_context *ctx)
{
	const struct lu_fid fid = { FID_SEQ_DOT_LUSTRE, FID_OID_DOT_LUSTRE_FID, 0 };

	if (is_fid_dir(file_inode(file)))
		return -EPERM;
	if (!dir_emit_dots(file, ctx))
		return 0;
	if (ctx->pos == 2 && dir_emit(ctx, NAME_FID, strlen(NAME_FID), fid_flatten(&fid), DT_DIR))
		ctx->pos++;
	return 0;
}

static long own_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	if (_IOC_TYPE(cmd) == _IOC_TYPE(LL_IOC_LOV_SETSTRIPE)) {
		if (_IOC_NR(cmd) == _IOC_NR(LL_IOC_LOV_SETSTRIPE))
			return -EPERM;
		if (_IOC_NR(cmd) == _IOC_NR(LL_IOC_LOV_GETSTRIPE))
			return -ENODATA;
	}
	return ll_ioctl(file, cmd, arg);
}

static const struct file_operations own_fops = {
	.llseek		= generic_file_llseek,
	.read		= generic_read_dir,
	.iterate_shared	= own_readdir,
	.unlocked_ioctl	= own_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.fsync		= noop_fsync,
};

/* Modes are real Lustre's for .lustre/fid: for the superuser. */
static struct inode *own_iget(struct super_block *sb, u32 oid)
{
	const struct lu_fid fid = { FID_SEQ_DOT_LUSTRE, oid, 0 };
	struct inode *inode = ll_inode_get(sb, &fid);

	if (IS_ERR(inode) || !compat_inode_is_new(inode))
		return inode;
	inode->i_mode = S_IFDIR | (oid == FID_OID_DOT_LUSTRE ? 0555 : 0100);
	inode->i_flags |= S_NOATIME | S_NOCMTIME;
	inode->i_opflags &= ~IOP_XATTR;
	inode->i_op = &own_iops;
	inode->i_fop = &own_fops;
	compat_inode_times_now(inode);
	set_nlink(inode, oid == FID_OID_DOT_LUSTRE ? 3 : 2);
	unlock_new_inode(inode);
	return inode;
}
