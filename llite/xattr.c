// SPDX-License-Identifier: GPL-2.0-only
/*
 * Extended attributes: from the cache (xattr_cache.c), or of a request. ACLs are in acl.c.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/posix_acl_xattr.h>
#include <linux/string.h>
#include <linux/xattr.h>

#include <lustre_lite/compat.h>
#include <uapi/lustre_lite/lustre_user.h>

#include "llite_inode.h"
#include "stats.h"

static ssize_t value_copy(const struct md_reply *rep, void *value, size_t size)
{
	if (!size)
		return rep->length;
	if (rep->length > size || rep->length != rep->result_len)
		return -ERANGE;
	memcpy(value, rep->result, rep->result_len);
	return rep->result_len;
}

/* By its name: a value that is not cached. Return: as ll_xattr_get() */
static ssize_t value_ask(struct inode *inode, const char *name, void *value, size_t size)
{
	struct ll_op *lo = ll_op_new(inode->i_sb, current_cred(), MDS_GETXATTR, 0);
	ssize_t rc;

	if (IS_ERR(lo))
		return PTR_ERR(lo);
	ll_op_object(lo, inode);
	lo->lop_data.name = name;
	lo->lop_data.name_len = strlen(name);
	lo->lop_data.size = min_t(size_t, size, MDS_XATTR_MAX);
	rc = ll_op_call(lo) ?: value_copy(&lo->lop_rep, value, size);
	ll_op_free(lo);
	return rc;
}

/* Return: as ll_xattrs_value(); -EACCES: the calling task may not, or another one may not */
static ssize_t value_known(struct inode *inode, const char *name, void *value, size_t size)
{
	struct ll_xattrs *xs = ll_xattrs_known(inode);
	ssize_t rc = -EACCES;

	if (xs)
		rc = ll_xattrs_value(xs, name, value, size);
	ll_xattrs_put(xs);
	if (rc >= 0)
		params_stats_add(ll_s2client(inode->i_sb)->llc_stats, LL_STAT_GETXATTR_HITS, 1);
	return rc;
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
	ssize_t rc = value_known(inode, name, value, size);
	struct ll_xattrs *xs;

	if (rc == -EACCES) {
		xs = ll_xattrs_ask(inode);
		if (IS_ERR(xs))
			return PTR_ERR(xs) == -ERANGE ? value_ask(inode, name, value, size) :
							PTR_ERR(xs);
		rc = ll_xattrs_value(xs, name, value, size);
		ll_xattrs_put(xs);
	}
	return rc == -EAGAIN ? value_ask(inode, name, value, size) : rc;
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
	lo->lop_data.name = name;
	lo->lop_data.name_len = strlen(name);
	lo->lop_data.value = value;
	lo->lop_data.value_len = value ? size : 0;
	lo->lop_data.flags = value ? flags : MDS_XATTR_REMOVE;
	rc = ll_op_call(lo);
	ll_xattrs_forget(inode);
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

/**
 * struct ll_names - a list of names
 * @ln_to: out; each name ends in a NUL
 * @ln_size: bytes of @ln_to; 0: only the length is wanted
 * @ln_used: bytes of the names
 */
struct ll_names {
	char	*ln_to;
	size_t	ln_size;
	size_t	ln_used;
};

/* @name ends in a NUL after @len bytes. Return: 0 or -ERANGE */
static int name_add(struct inode *inode, struct ll_names *names, const char *name, size_t len)
{
	if (!name_is_listed(inode, name))
		return 0;
	if (names->ln_size && names->ln_used + len + 1 > names->ln_size)
		return -ERANGE;
	if (names->ln_size)
		memcpy(names->ln_to + names->ln_used, name, len + 1);
	names->ln_used += len + 1;
	return 0;
}

/*
 * The layout of a file, or the default of a directory, has a name that is not among the server's:
 * programs that copy all attributes bring it.
 */
static bool has_layout(struct inode *inode)
{
	struct ll_layout *ly;

	if (S_ISDIR(inode->i_mode))
		return ll_xattr_get(inode, XATTR_NAME_LOV, NULL, 0) > 0;
	if (!S_ISREG(inode->i_mode) || (!ll_layout_is_known(inode) && ll_inode_refresh(inode)))
		return false;
	ly = ll_layout_get(inode);
	if (!IS_ERR_OR_NULL(ly))
		ll_layout_put(ly);
	/* An error: one that this client cannot use. */
	return ly;
}

/* All names are asked for, as their length depends on who may see them. */
static int names_ask(struct inode *inode, struct ll_names *names)
{
	struct ll_op *lo = ll_op_new(inode->i_sb, current_cred(), MDS_GETXATTR, 0);
	const char *name, *end;
	int rc;

	if (IS_ERR(lo))
		return PTR_ERR(lo);
	ll_op_object(lo, inode);
	lo->lop_data.size = MDS_XATTR_MAX;
	rc = ll_op_call(lo);
	name = lo->lop_rep.result;
	end = name + lo->lop_rep.result_len;
	for (; !rc && name < end; name += strlen(name) + 1)
		rc = strnlen(name, end - name) == end - name ? -EIO :
		     name_add(inode, names, name, strlen(name));
	ll_op_free(lo);
	return rc;
}

static int names_of(struct inode *inode, const struct ll_xattrs *xs, struct ll_names *names)
{
	char text[XATTR_NAME_MAX + 1];
	const char *name;
	u32 at = 0, len;
	int rc = 0;

	while (!rc && ll_xattrs_next(xs, &at, &name, &len)) {
		memcpy(text, name, len);
		text[len] = '\0';
		rc = name_add(inode, names, text, len);
	}
	return rc;
}

ssize_t ll_listxattr(struct dentry *dentry, char *list, size_t size)
{
	struct ll_names names = { .ln_to = list, .ln_size = size };
	struct inode *inode = d_inode(dentry);
	struct ll_xattrs *xs = ll_xattrs_known(inode);
	int rc;
	LL_DEFINE_TIMED(dentry->d_sb, LL_STAT_LISTXATTR);

	if (xs && !ll_xattrs_list_is_whole(xs)) {
		ll_xattrs_put(xs);
		xs = NULL;
	}
	xs = xs ?: ll_xattrs_ask(inode);
	if (xs == ERR_PTR(-ERANGE))
		rc = names_ask(inode, &names);
	else
		rc = IS_ERR(xs) ? PTR_ERR(xs) : names_of(inode, xs, &names);
	if (!IS_ERR(xs))
		ll_xattrs_put(xs);
	if (!rc && has_layout(inode))
		rc = name_add(inode, &names, LL_XATTR_NAME_LOV, sizeof(LL_XATTR_NAME_LOV) - 1);
	return rc ?: names.ln_used;
}

static bool is_refused(const struct xattr_handler *handler, struct inode *inode)
{
	u32 given = llite_mount(inode->i_sb)->llm_options.op_given;

	return handler->flags & given;
}

static int handler_get(const struct xattr_handler *handler, struct dentry *dentry,
		       struct inode *inode, const char *name, void *value, size_t size)
{
	LL_DEFINE_TIMED(inode->i_sb, LL_STAT_GETXATTR);

	if (is_refused(handler, inode))
		return -EOPNOTSUPP;
	return ll_xattr_get(inode, xattr_full_name(handler, name), value, size);
}

static int handler_set(const struct xattr_handler *handler, struct compat_idmap *idmap,
		       struct dentry *dentry, struct inode *inode, const char *name,
		       const void *value, size_t size, int flags)
{
	LL_DEFINE_TIMED(inode->i_sb, value ? LL_STAT_SETXATTR : LL_STAT_REMOVEXATTR);

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

/* No request is sent: the inode has it. */
static int fid_xattr_get(const struct xattr_handler *handler, struct dentry *dentry,
			 struct inode *inode, const char *name, void *value, size_t size)
{
	const struct ll_user_fid fid = ll_user_fid_of(ll_inode2fid(inode));

	if (size && size < sizeof(fid))
		return -ERANGE;
	if (size)
		memcpy(value, &fid, sizeof(fid));
	return sizeof(fid);
}

static const struct xattr_handler fid_handler = {
	.name	= LL_XATTR_NAME_FID,
	.get	= fid_xattr_get,
};

/* A handler of one name comes before that of its prefix. */
const struct xattr_handler *ll_xattr_handlers[] = {
	&user_handler,
	&fid_handler,
	&ll_lustre_lov_handler,
	&ll_lustre_comps_handler,
	&ll_trusted_lov_handler,
	&trusted_handler,
	&security_handler,
	COMPAT_ACL_XATTR_HANDLERS
	NULL
};
