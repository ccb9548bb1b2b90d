// SPDX-License-Identifier: GPL-2.0-only
/*
 * ACLs. The access ACL comes with the attributes, for permission checks of the VFS. A default ACL
 * is used by the server only, and is asked for each time.
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

/* The default ACL is never cached. */
void ll_init_acl(struct inode *inode)
{
	inode->i_default_acl = ACL_DONT_CACHE;
}

/* The access ACL of a reply, referenced; NULL: none; an ERR_PTR: it is malformed. */
struct posix_acl *ll_reply_acl(struct inode *inode, const struct md_reply *rep)
{
	if (!IS_POSIXACL(inode) || S_ISLNK(inode->i_mode) || !rep->acl_len)
		return NULL;
	return posix_acl_from_xattr(&init_user_ns, rep->acl, rep->acl_len);
}

/* One that is malformed is asked for again, which fails. Does not sleep. */
void ll_update_acl(struct inode *inode, struct posix_acl *acl)
{
	if (!IS_POSIXACL(inode) || S_ISLNK(inode->i_mode))
		return;
	if (IS_ERR(acl))
		forget_cached_acl(inode, ACL_TYPE_ACCESS);
	else
		set_cached_acl(inode, ACL_TYPE_ACCESS, acl);
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

/* The VFS calls this for an ACL that it has not cached. */
struct posix_acl *ll_get_acl(struct inode *inode, int type, bool rcu)
{
	struct posix_acl *acl;
	void *value;

	if (rcu)
		return ERR_PTR(-ECHILD);
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
