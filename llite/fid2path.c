// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of objects, which the metadata target knows: a path (OBD_IOC_FID2PATH), and the last
 * component of one with its directory (LL_IOC_GETPARENT).
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/lustre_linkea.h>

#include <uapi/lustre_lite/lustre_user.h>

#include "llite_inode.h"

/**
 * struct ll_naming - a call
 * @gf: what the caller gave
 * @path: path, without a NUL
 * @len: its bytes
 * @next: number of the next name
 * @lo: answered request that has the path, or NULL
 */
struct ll_naming {
	struct getinfo_fid2path	gf;
	const char		*path;
	u32			len;
	u32			next;
	struct ll_op		*lo;
};

/* The client's own directories. Return: path, or NULL */
static const char *own_path(const struct lu_fid *fid)
{
	if (fid->f_seq != FID_SEQ_DOT_LUSTRE || fid->f_ver)
		return NULL;
	if (fid->f_oid == FID_OID_DOT_LUSTRE)
		return LL_DOT_LUSTRE;
	return fid->f_oid == FID_OID_DOT_LUSTRE_FID ? LL_DOT_LUSTRE "/fid" : NULL;
}

static int path_ask(struct super_block *sb, const struct lu_fid *fid, struct ll_naming *nm)
{
	struct ll_op *lo = ll_op_new(sb, current_cred(), MDS_FID2PATH, 0);
	int rc;

	if (IS_ERR(lo))
		return PTR_ERR(lo);
	nm->lo = lo;
	lo->lop_data.object[0].fid = *fid;
	lo->lop_data.objects = 1;
	lo->lop_data.cookie = nm->gf.gf_linkno;
	lo->lop_data.size = nm->gf.gf_pathlen;
	rc = ll_op_call(lo);
	if (rc)
		return rc;
	nm->path = lo->lop_rep.result;
	nm->len = lo->lop_rep.result_len;
	nm->next = lo->lop_rep.length;
	return nm->len ? 0 : -EPROTO;
}

static int path_find(struct super_block *sb, struct ll_naming *nm)
{
	const struct lu_fid fid = ll_fid_of_user(&nm->gf.gf_fid);

	nm->path = own_path(&fid);
	if (!nm->path)
		return fid_is_in_tree(&fid) ? path_ask(sb, &fid, nm) : -EINVAL;
	nm->len = strlen(nm->path);
	nm->next = nm->gf.gf_linkno;
	return 0;
}

static int path_return(const struct ll_naming *nm, struct getinfo_fid2path __user *user)
{
	if (nm->len >= nm->gf.gf_pathlen)
		return -EOVERFLOW;
	if (put_user(nm->next, &user->gf_linkno) ||
	    copy_to_user(user->gf_path, nm->path, nm->len) ||
	    put_user('\0', user->gf_path + nm->len))
		return -EFAULT;
	return 0;
}

/**
 * ll_fid2path() - OBD_IOC_FID2PATH
 * @sb: super block
 * @user: struct getinfo_fid2path of the caller
 *
 * Context: sleeps, perhaps until the target has searched its tree; a signal that kills the task
 *  ends it
 * Return: 0 or a negative errno, see lustre_user.h
 */
int ll_fid2path(struct super_block *sb, void __user *user)
{
	struct ll_naming nm = {};
	int rc;

	if (!ll_may_use_fids(sb))
		return -EPERM;
	if (copy_from_user(&nm.gf, user, sizeof(nm.gf)))
		return -EFAULT;
	if (nm.gf.gf_pathlen > PATH_MAX)
		return -E2BIG;
	rc = path_find(sb, &nm) ?: path_return(&nm, user);
	if (nm.lo)
		ll_op_free(nm.lo);
	return rc;
}

/* @link: trusted.link. Return: 0; -ENODATA */
static int parent_find(const struct linkea *link, u32 number, struct linkea_entry *entry)
{
	size_t at = 0;

	while (linkea_next(link, &at, entry))
		if (!number--)
			return 0;
	return -ENODATA;
}

static int parent_return(const struct linkea_entry *entry, u32 size, struct getparent __user *user)
{
	const struct ll_user_fid fid = ll_user_fid_of(&entry->parent);

	if (entry->name_len >= size)
		return -EOVERFLOW;
	if (copy_to_user(&user->gp_fid, &fid, sizeof(fid)) ||
	    copy_to_user(user->gp_name, entry->name, entry->name_len) ||
	    put_user('\0', user->gp_name + entry->name_len))
		return -EFAULT;
	return 0;
}

/**
 * ll_getparent() - LL_IOC_GETPARENT
 * @inode: object
 * @user: struct getparent of the caller
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: 0; -EUCLEAN: the server's list of names is damaged; other negative errno, see
 *  lustre_user.h
 */
int ll_getparent(struct inode *inode, void __user *user)
{
	struct linkea_entry entry;
	struct getparent gp;
	struct linkea link;
	void *value;
	ssize_t len;
	int rc;

	if (!ll_may_use_fids(inode->i_sb))
		return -EPERM;
	if (copy_from_user(&gp, user, sizeof(gp)))
		return -EFAULT;
	if (gp.gp_name_size > PATH_MAX)
		return -ENAMETOOLONG;
	value = kvmalloc(MDS_XATTR_MAX, GFP_KERNEL);
	if (!value)
		return -ENOMEM;
	len = ll_xattr_get(inode, XATTR_NAME_LINK, value, MDS_XATTR_MAX);
	if (len < 0)
		rc = len;
	else if (linkea_decode(value, len, &link))
		rc = -EUCLEAN;
	else
		rc = parent_find(&link, gp.gp_linkno, &entry) ?:
		     parent_return(&entry, gp.gp_name_size, user);
	kvfree(value);
	return rc;
}
