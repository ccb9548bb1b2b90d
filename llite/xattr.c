// SPDX-License-Identifier: GPL-2.0-only
/*
 * Extended attributes: each call is a request. ACLs are in acl.c.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/posix_acl_xattr.h>
#include <linux/string.h>
#include <linux/xattr.h>

#include <lustre_lite/compat.h>

#include "llite_inode.h"

/* Return: the answered request, or a negative errno. @name: NULL: names of all */
static struct ll_op *xattr_ask(struct inode *inode, const char *name, size_t size)
{
	struct ll_op *lo = ll_op_new(inode->i_sb, current_cred(), MDS_GETXATTR, 0);
	int rc;

	if (IS_ERR(lo))
		return lo;
	ll_op_object(lo, inode);
	lo->lo_data.name = name;
	lo->lo_data.name_len = name ? strlen(name) : 0;
	lo->lo_data.size = min_t(size_t, size, MDS_XATTR_MAX);
	rc = ll_op_call(lo);
	if (!rc)
		return lo;
	ll_op_free(lo);
	return ERR_PTR(rc);
}

/**
 * ll_xattr_get() - the value of an attribute
 * @inode: inode
 * @name: its full name
 * @value: out
 * @size: bytes of @value; 0: only the length is wanted
 *
 * Context: sleeps
 * Return: length; -ENODATA; -ERANGE: @value is too small; other negative errno
 */
ssize_t ll_xattr_get(struct inode *inode, const char *name, void *value, size_t size)
{
	struct ll_op *lo = xattr_ask(inode, name, size);
	const struct md_reply *rep;
	ssize_t rc;

	if (IS_ERR(lo))
		return PTR_ERR(lo);
	rep = &lo->lo_rep;
	if (!size) {
		rc = rep->length;
	} else if (rep->length > size || rep->length != rep->result_len) {
		rc = -ERANGE;
	} else {
		memcpy(value, rep->result, rep->result_len);
		rc = rep->result_len;
	}
	ll_op_free(lo);
	return rc;
}

/**
 * ll_xattr_set() - set or remove an attribute
 * @inode: inode
 * @name: its full name
 * @value: value; NULL: remove it
 * @size: bytes of @value
 * @flags: XATTR_CREATE, XATTR_REPLACE
 *
 * Context: sleeps
 * Return: 0; -E2BIG: the value does not fit a message; other negative errno
 */
int ll_xattr_set(struct inode *inode, const char *name, const void *value, size_t size,
		 u32 flags)
{
	struct ll_op *lo;
	int rc;

	if (size > MDS_XATTR_MAX)
		return -E2BIG;
	lo = ll_op_new(inode->i_sb, current_cred(), MDS_REINT, REINT_SETXATTR);
	if (IS_ERR(lo))
		return PTR_ERR(lo);
	ll_op_object(lo, inode);
	lo->lo_data.name = name;
	lo->lo_data.name_len = strlen(name);
	lo->lo_data.value = value;
	lo->lo_data.value_len = value ? size : 0;
	lo->lo_data.flags = value ? flags : MDS_XATTR_REMOVE;
	rc = ll_op_call(lo);
	if (!rc)
		ll_update_inode(inode, lo);
	ll_op_free(lo);
	return rc;
}

static bool name_is_listed(struct inode *inode, const char *name)
{
	u32 given = llite_mount(inode->i_sb)->llm_options.op_given;

	if (strstarts(name, XATTR_TRUSTED_PREFIX))
		return capable(CAP_SYS_ADMIN);
	if (strstarts(name, XATTR_USER_PREFIX))
		return !(given & LLITE_OPT_NOUSER_XATTR);
	if (strstarts(name, XATTR_SYSTEM_PREFIX))
		return IS_POSIXACL(inode);
	return true;
}

/* Each ends in a NUL. Return: bytes of those that the caller may see, or -ERANGE */
static ssize_t names_copy(struct inode *inode, const struct md_reply *rep, char *names,
			  size_t size)
{
	const char *name = rep->result, *end = name + rep->result_len;
	ssize_t used = 0;
	size_t len;

	for (; name < end; name += len) {
		len = strnlen(name, end - name) + 1;
		if (len > end - name)
			return -EIO;
		if (!name_is_listed(inode, name))
			continue;
		if (size && used + len > size)
			return -ERANGE;
		if (size)
			memcpy(names + used, name, len);
		used += len;
	}
	return used;
}

/* All names are asked for, as their length depends on who may see them. */
ssize_t ll_listxattr(struct dentry *dentry, char *names, size_t size)
{
	struct inode *inode = d_inode(dentry);
	struct ll_op *lo = xattr_ask(inode, NULL, MDS_XATTR_MAX);
	ssize_t rc;

	if (IS_ERR(lo))
		return PTR_ERR(lo);
	rc = names_copy(inode, &lo->lo_rep, names, size);
	ll_op_free(lo);
	return rc;
}

static bool is_refused(const struct xattr_handler *handler, struct inode *inode)
{
	u32 given = llite_mount(inode->i_sb)->llm_options.op_given;

	return handler->flags & given;
}

static int handler_get(const struct xattr_handler *handler, struct dentry *dentry,
		       struct inode *inode, const char *name, void *value, size_t size)
{
	if (is_refused(handler, inode))
		return -EOPNOTSUPP;
	return ll_xattr_get(inode, xattr_full_name(handler, name), value, size);
}

static int handler_set(const struct xattr_handler *handler, struct compat_idmap *idmap,
		       struct dentry *dentry, struct inode *inode, const char *name,
		       const void *value, size_t size, int flags)
{
	if (is_refused(handler, inode))
		return -EOPNOTSUPP;
	return ll_xattr_set(inode, xattr_full_name(handler, name), value, size, flags);
}

/* flags: the option that refuses them */
static const struct xattr_handler user_handler = {
	.prefix	= XATTR_USER_PREFIX,
	.flags	= LLITE_OPT_NOUSER_XATTR,
	.get	= handler_get,
	.set	= handler_set,
};

static const struct xattr_handler trusted_handler = {
	.prefix	= XATTR_TRUSTED_PREFIX,
	.get	= handler_get,
	.set	= handler_set,
};

static const struct xattr_handler security_handler = {
	.prefix	= XATTR_SECURITY_PREFIX,
	.get	= handler_get,
	.set	= handler_set,
};

/* A handler of one name comes before that of its prefix. */
const struct xattr_handler *ll_xattr_handlers[] = {
	&user_handler,
	&ll_lustre_lov_handler,
	&ll_trusted_lov_handler,
	&trusted_handler,
	&security_handler,
	COMPAT_ACL_XATTR_HANDLERS
	NULL
};
