// SPDX-License-Identifier: GPL-2.0-only
/*
 * ACLs. The access ACL comes with the attributes, and is valid while PERM is covered. A default ACL
 * is one of the extended attributes, which the server alone uses. The VFS caches neither: it would
 * not ask whether another client has changed them.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <linux/xattr.h>

#include <lustre_lite/compat.h>

#include "llite_inode.h"

static const char *acl_name(int type)
{
	return type == ACL_TYPE_ACCESS ? XATTR_NAME_POSIX_ACL_ACCESS :
					 XATTR_NAME_POSIX_ACL_DEFAULT;
}

void ll_init_acl(struct inode *inode)
{
	inode->i_acl = ACL_DONT_CACHE;
	inode->i_default_acl = ACL_DONT_CACHE;
}

/* The access ACL of a reply, referenced; NULL: none; an ERR_PTR: it is malformed. */
struct posix_acl *ll_reply_acl(struct inode *inode, const struct md_reply *rep)
{
	if (!IS_POSIXACL(inode) || S_ISLNK(inode->i_mode) || !rep->acl_len)
		return NULL;
	return posix_acl_from_xattr(&init_user_ns, rep->acl, rep->acl_len);
}

/*
 * Under lli_lock. @acl: referenced by the caller; an ERR_PTR: it is malformed, and each use fails
 */
void ll_update_acl(struct inode *inode, struct posix_acl *acl)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	struct posix_acl *old;

	lockdep_assert_held(&lli->lli_lock);
	old = rcu_replace_pointer(lli->lli_acl, IS_ERR(acl) ? acl : posix_acl_dup(acl),
				  lockdep_is_held(&lli->lli_lock));
	if (!IS_ERR(old))
		posix_acl_release(old);
}

/* The inode ends; the ACL is freed after a grace period. */
void ll_free_acl(struct inode *inode)
{
	struct ll_inode_info *lli = ll_i2info(inode);

	spin_lock(&lli->lli_lock);
	ll_update_acl(inode, NULL);
	spin_unlock(&lli->lli_lock);
}

static struct posix_acl *access_get(struct inode *inode)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	struct posix_acl *acl;
	int rc = ll_attr_is_covered(inode, MDS_INODELOCK_PERM) ? 0 : ll_inode_refresh(inode);

	if (rc)
		return ERR_PTR(rc);
	spin_lock(&lli->lli_lock);
	acl = rcu_dereference_protected(lli->lli_acl, lockdep_is_held(&lli->lli_lock));
	if (!IS_ERR(acl))
		posix_acl_dup(acl);
	spin_unlock(&lli->lli_lock);
	return acl;
}

static struct posix_acl *acl_ask(struct inode *inode, const char *name, void *value)
{
	ssize_t len = ll_xattr_get(inode, name, value, MDS_XATTR_MAX);

	if (len == -ENODATA || len == -EOPNOTSUPP)
		return NULL;
	if (len < 0)
		return ERR_PTR(len);
	return posix_acl_from_xattr(&init_user_ns, value, len);
}

/* The caller is under RCU, and takes no reference. */
static struct posix_acl *acl_peek(struct inode *inode, int type)
{
	if (type != ACL_TYPE_ACCESS || !ll_attr_is_covered(inode, MDS_INODELOCK_PERM))
		return ERR_PTR(-ECHILD);
	return rcu_dereference(ll_i2info(inode)->lli_acl);
}

/* The VFS calls this for each use of an ACL. */
struct posix_acl *ll_get_acl(struct inode *inode, int type, bool rcu)
{
	struct posix_acl *acl;
	void *value;

	if (rcu)
		return acl_peek(inode, type);
	if (type == ACL_TYPE_ACCESS)
		return access_get(inode);
	value = kvmalloc(MDS_XATTR_MAX, GFP_KERNEL);
	if (!value)
		return ERR_PTR(-ENOMEM);
	acl = acl_ask(inode, acl_name(type), value);
	kvfree(value);
	return acl;
}

/* The value of the attribute that has the ACL: kernels differ in how they make it. */
static void *acl_encode(const struct posix_acl *acl, size_t *size)
{
	struct posix_acl_xattr_header *head;
	struct posix_acl_xattr_entry *to;
	const struct posix_acl_entry *pa;

	*size = posix_acl_xattr_size(acl->a_count);
	head = kvmalloc(*size, GFP_KERNEL);
	if (!head)
		return NULL;
	head->a_version = cpu_to_le32(POSIX_ACL_XATTR_VERSION);
	to = (struct posix_acl_xattr_entry *)(head + 1);
	for (pa = acl->a_entries; pa < acl->a_entries + acl->a_count; pa++, to++) {
		u32 id = ACL_UNDEFINED_ID;

		if (pa->e_tag == ACL_USER)
			id = from_kuid(&init_user_ns, pa->e_uid);
		else if (pa->e_tag == ACL_GROUP)
			id = from_kgid(&init_user_ns, pa->e_gid);
		to->e_tag = cpu_to_le16(pa->e_tag);
		to->e_perm = cpu_to_le16(pa->e_perm);
		to->e_id = cpu_to_le32(id);
	}
	return head;
}

/**
 * ll_set_acl() - set or remove an ACL
 * @inode: inode
 * @acl: ACL; NULL: remove it
 * @type: ACL_TYPE_*
 *
 * The server changes the mode accordingly.
 *
 * Context: sleeps
 * Return: 0 or a negative errno
 */
int ll_set_acl(struct inode *inode, struct posix_acl *acl, int type)
{
	void *value = NULL;
	size_t size = 0;
	int rc;

	if (type == ACL_TYPE_DEFAULT && !S_ISDIR(inode->i_mode))
		return acl ? -EACCES : 0;
	if (acl) {
		value = acl_encode(acl, &size);
		if (!value)
			return -ENOMEM;
	}
	rc = ll_xattr_set(inode, acl_name(type), value, size, 0);
	kvfree(value);
	return rc == -ENODATA && !acl ? 0 : rc;
}
