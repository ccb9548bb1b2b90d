// SPDX-License-Identifier: GPL-2.0-only
/*
 * Inodes of a client mount: found by FID, with the attributes of the last reply.
 */
#define DEBUG_SUBSYSTEM S_LLITE
#define LUSTRE_LITE_INODE_OPS

#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/posix_acl.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lustre_fid.h>

#include "llite_inode.h"

static struct kmem_cache *ll_inode_cache;

static const struct inode_operations dir_iops = {
	.lookup		= ll_lookup,
	.create		= compat_iop_create,
	.atomic_open	= ll_atomic_open,
	.link		= ll_link,
	.unlink		= ll_unlink,
	.symlink	= ll_symlink,
	.mkdir		= compat_iop_mkdir,
	.rmdir		= ll_rmdir,
	.mknod		= ll_mknod,
	.rename		= ll_rename,
	.setattr	= ll_setattr,
	.getattr	= ll_getattr,
	.permission	= ll_permission,
	.listxattr	= ll_listxattr,
	.compat_get_acl	= ll_get_acl,
	.set_acl	= compat_iop_set_acl,
};

static const struct inode_operations file_iops = {
	.setattr	= ll_setattr,
	.getattr	= ll_getattr,
	.permission	= ll_permission,
	.listxattr	= ll_listxattr,
	.compat_get_acl	= ll_get_acl,
	.set_acl	= compat_iop_set_acl,
};

/* i_link is set before others see the inode. */
static const struct inode_operations symlink_iops = {
	.get_link	= simple_get_link,
	.setattr	= ll_setattr,
	.getattr	= ll_getattr,
	.permission	= ll_permission,
	.listxattr	= ll_listxattr,
};

static void info_init_once(void *at)
{
	struct ll_inode_info *lli = at;

	inode_init_once(&lli->lli_vfs_inode);
}

/* Create the cache of inodes. */
int ll_inodes_init(void)
{
	ll_inode_cache = kmem_cache_create("ll_inode", sizeof(struct ll_inode_info), 0,
					   SLAB_RECLAIM_ACCOUNT | SLAB_ACCOUNT, info_init_once);
	return ll_inode_cache ? 0 : -ENOMEM;
}

/* No inode is left. Inodes are freed after a grace period. */
void ll_inodes_exit(void)
{
	rcu_barrier();
	kmem_cache_destroy(ll_inode_cache);
}

struct inode *ll_alloc_inode(struct super_block *sb)
{
	struct ll_inode_info *lli = alloc_inode_sb(sb, ll_inode_cache, GFP_KERNEL);

	if (!lli)
		return NULL;
	/* All but the VFS's own, which the constructor has initialized. */
	memset(lli, 0, offsetof(struct ll_inode_info, lli_vfs_inode));
	spin_lock_init(&lli->lli_lock);
	mutex_init(&lli->lli_layout_mutex);
	INIT_LIST_HEAD(&lli->lli_som_item);
	return &lli->lli_vfs_inode;
}

/* Devices are there until all inodes are evicted, not until they are freed. */
void ll_evict_inode(struct inode *inode)
{
	struct ll_inode_info *lli = ll_i2info(inode);

	ll_reopen_evict(inode);
	ll_som_evict(inode);
	truncate_inode_pages_final(&inode->i_data);
	if (!IS_ERR_OR_NULL(lli->lli_layout))
		ll_cache_end(inode);
	clear_inode(inode);
	ll_covers_free(inode);
	ll_free_acl(inode);
	ll_xattrs_forget(inode);
	ll_names_forget(inode);
	ll_layout_put(lli->lli_layout);
	lli->lli_layout = NULL;
}

void ll_free_inode(struct inode *inode)
{
	if (S_ISLNK(inode->i_mode))
		kfree(inode->i_link);
	kmem_cache_free(ll_inode_cache, ll_i2info(inode));
}

/**
 * ll_inode_path() - the end of a path of an inode, for the log
 * @inode: inode
 * @text: out; "?" if no name is known
 *
 * No dentry is referenced: the last reference would end the inode, for which the caller may hold it
 * up.
 *
 * Context: any but an interrupt
 */
void ll_inode_path(struct inode *inode, char text[LL_PATH_TEXT])
{
	const struct dentry *dentry;

	strscpy(text, "?", LL_PATH_TEXT);
	spin_lock(&inode->i_lock);
	dentry = hlist_entry_safe(inode->i_dentry.first, struct dentry, d_u.d_alias);
	if (dentry)
		snprintf(text, LL_PATH_TEXT, "%pd4", dentry);
	spin_unlock(&inode->i_lock);
}

static int fid_test(struct inode *inode, void *fid)
{
	return lu_fid_eq(ll_inode2fid(inode), fid);
}

static int fid_set(struct inode *inode, void *fid)
{
	ll_i2info(inode)->lli_fid = *(const struct lu_fid *)fid;
	inode->i_ino = fid_flatten(fid);
	return 0;
}

/**
 * ll_inode_get() - the inode of a FID
 * @sb: super block
 * @fid: FID
 *
 * Context: may sleep
 * Return: inode, referenced; a new one is locked, and the caller fills it in; -ENOMEM
 */
struct inode *ll_inode_get(struct super_block *sb, const struct lu_fid *fid)
{
	struct inode *inode = iget5_locked(sb, fid_flatten(fid), fid_test, fid_set, (void *)fid);

	return inode ?: ERR_PTR(-ENOMEM);
}

/* Under lli_lock: what the objects of data do not know better. */
static void __size_update(struct inode *inode, const struct md_attr *attr)
{
	struct ll_inode_info *lli = ll_i2info(inode);

	lli->lli_mtime = ll_timespec_of(&attr->mtime);
	lli->lli_ctime = ll_timespec_of(&attr->ctime);
	if (!IS_ERR_OR_NULL(lli->lli_layout) && !ll_layout_is_refused(lli->lli_layout->ly_rc)) {
		__ll_data_merge(inode);
		return;
	}
	/* No object says more: the file has none, or its layout is not served. */
	i_size_write(inode, attr->size);
	inode->i_blocks = attr->blocks;
	compat_inode_set_mtime(inode, lli->lli_mtime);
	compat_inode_set_ctime(inode, lli->lli_ctime);
}

/* Under lli_lock. The type of an object does not change. */
static void __attr_update(struct inode *inode, const struct md_attr *attr)
{
	inode->i_mode = (inode->i_mode & S_IFMT) | (attr->mode & ~S_IFMT);
	inode->i_uid = make_kuid(&init_user_ns, attr->uid);
	inode->i_gid = make_kgid(&init_user_ns, attr->gid);
	set_nlink(inode, attr->nlink);
	compat_inode_set_atime(inode, ll_timespec_of(&attr->atime));
	ll_i2info(inode)->lli_btime = ll_timespec_of(&attr->btime);
	__size_update(inode, attr);
}

/**
 * ll_update_inode() - the attributes of a reply
 * @inode: inode
 * @lo: answered request; a reply about another object changes nothing
 *
 * Context: may sleep
 */
void ll_update_inode(struct inode *inode, const struct ll_op *lo)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	const struct md_reply *rep = &lo->lop_rep;
	struct posix_acl *acl;

	if (!lu_fid_eq(&lli->lli_fid, &rep->object.fid))
		return;
	if (S_ISREG(inode->i_mode))
		ll_layout_update(inode, lo);
	/* The next write asks for attributes that it has to remove. */
	inode_set_flags(inode, 0, S_NOSEC);
	acl = ll_reply_acl(inode, rep);
	spin_lock(&lli->lli_lock);
	lli->lli_hint = rep->object.hint;
	if (!ll_reply_is_stale(inode, lo)) {
		__ll_som_reply(inode, lo);
		__attr_update(inode, &rep->attr);
		if (rep->flags & MDS_BODY_GONE)
			clear_nlink(inode);
		ll_update_acl(inode, acl);
		ll_cover_reply(inode, lo);
	}
	spin_unlock(&lli->lli_lock);
	if (!IS_ERR(acl))
		posix_acl_release(acl);
}

/**
 * ll_update_parent() - the attributes of a directory that was changed
 * @dir: its inode, the first object of the request
 * @lo: answered request of the change
 *
 * Context: any
 */
void ll_update_parent(struct inode *dir, const struct ll_op *lo)
{
	struct ll_inode_info *lli = ll_i2info(dir);

	if (!lo->lop_rep.has_parent)
		return;
	spin_lock(&lli->lli_lock);
	__attr_update(dir, &lo->lop_rep.parent);
	ll_cover_parent(dir, lo);
	spin_unlock(&lli->lli_lock);
}

/* The VFS does not change times: the server does. */
static void inode_ops_set(struct inode *inode, umode_t mode, dev_t dev)
{
	inode->i_mode = mode;
	inode->i_flags |= S_NOATIME | S_NOCMTIME;
	ll_init_acl(inode);
	if (S_ISDIR(mode)) {
		inode->i_op = &dir_iops;
		inode->i_fop = &ll_dir_operations;
	} else if (S_ISREG(mode)) {
		inode->i_op = &file_iops;
		inode->i_fop = &ll_file_operations;
		inode->i_mapping->a_ops = &ll_aops;
	} else if (S_ISLNK(mode)) {
		inode->i_op = &symlink_iops;
	} else {
		inode->i_op = &file_iops;
		init_special_inode(inode, mode, dev);
	}
}

/* The target of a symbolic link comes with its attributes, and never changes. */
static int link_set(struct inode *inode, const struct md_reply *rep)
{
	if (!rep->result_len || rep->result_len >= PATH_MAX ||
	    memchr(rep->result, 0, rep->result_len))
		return -EIO;
	inode->i_link = kmemdup_nul(rep->result, rep->result_len, GFP_KERNEL_ACCOUNT);
	return inode->i_link ? 0 : -ENOMEM;
}

/* A file that its open has created has no capabilities: the first write need not ask for them. */
static void inode_note_created(struct inode *inode, const struct md_reply *rep)
{
	if (rep->flags & MDS_BODY_CREATED)
		inode_has_no_xattr(inode);
}

static int inode_fill(struct inode *inode, const struct md_reply *rep)
{
	int rc = 0;

	inode_ops_set(inode, rep->attr.mode, new_decode_dev(rep->attr.rdev));
	if (S_ISLNK(inode->i_mode))
		rc = link_set(inode, rep);
	return rc;
}

static bool reply_is_valid(const struct md_reply *rep)
{
	switch (rep->attr.mode & S_IFMT) {
	case S_IFREG:
	case S_IFDIR:
	case S_IFLNK:
	case S_IFCHR:
	case S_IFBLK:
	case S_IFIFO:
	case S_IFSOCK:
		/* .lustre is the client's own. */
		return !fid_is_zero(&rep->object.fid) &&
		       rep->object.fid.f_seq != FID_SEQ_DOT_LUSTRE;
	}
	return false;
}

/**
 * ll_iget() - the inode of the object that a reply is about
 * @sb: super block
 * @lo: answered request. Its reply has FID, hint, attributes, ACL, target of a symbolic link
 *
 * Context: may sleep
 * Return: inode with the attributes of the reply, referenced; -ENOMEM; -EIO: the reply is
 *  invalid; -ESTALE: the object was of another type
 */
struct inode *ll_iget(struct super_block *sb, const struct ll_op *lo)
{
	const struct md_reply *rep = &lo->lop_rep;
	struct inode *inode;
	int rc = 0;

	if (!reply_is_valid(rep))
		return ERR_PTR(-EIO);
	inode = ll_inode_get(sb, &rep->object.fid);
	if (IS_ERR(inode))
		return inode;
	if (compat_inode_is_new(inode))
		rc = inode_fill(inode, rep);
	else if ((inode->i_mode ^ rep->attr.mode) & S_IFMT)
		rc = -ESTALE;
	if (!rc)
		ll_update_inode(inode, lo);
	if (!compat_inode_is_new(inode)) {
		if (rc)
			iput(inode);
	} else if (rc) {
		iget_failed(inode);
	} else {
		inode_note_created(inode, rep);
		unlock_new_inode(inode);
	}
	return rc ? ERR_PTR(rc) : inode;
}

/**
 * ll_root_iget() - the inode of the root
 * @sb: super block
 *
 * The mount does not wait for the server: attributes are defaults until its first reply.
 *
 * Context: may sleep
 * Return: inode, referenced; -ENOMEM
 */
struct inode *ll_root_iget(struct super_block *sb)
{
	static const struct lu_fid root = { .f_seq = FID_SEQ_ROOT, .f_oid = FID_OID_ROOT };
	struct inode *inode = ll_inode_get(sb, &root);

	if (IS_ERR(inode))
		return inode;
	inode_ops_set(inode, S_IFDIR | 0755, 0);
	compat_inode_times_now(inode);
	set_nlink(inode, 2);
	unlock_new_inode(inode);
	return inode;
}
