// SPDX-License-Identifier: GPL-2.0-only
/*
 * Extended attributes that are cached: all of an object, as one reply had them. So those that it
 * does not have are known as well. The server's own (trusted.lov and others) are not among them.
 *
 *	inode --lli_xattrs--> all attributes, with the epoch of the cover of XATTR
 *
 * They are valid as long as the inode has a cover with that epoch. Nothing is dropped when the lock
 * goes: the next reader finds another epoch, or none, and asks again. An own change leaves the lock
 * alone, and has them dropped when it is answered; replies of requests that were made before are
 * not cached.
 *
 * An object has up to LL_XATTRS_MAX bytes of them, accounted to the task that reads them first, and
 * freed with the inode. Values that do not fit are asked for each time.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/xattr.h>

#include <lustre_lite/compat.h>

#include "llite_inode.h"

#define LL_XATTRS_MAX	4096

/**
 * struct ll_xattrs - all extended attributes of an object
 * @xs_ref: held by the inode while they are cached, and by each reader
 * @xs_epoch: of the cover of XATTR
 * @xs_trusted: trusted.* are among them, for users with CAP_SYS_ADMIN
 * @xs_len: bytes of @xs_bytes
 * @xs_bytes: struct lustre_xattr each; validated. Constant
 */
struct ll_xattrs {
	refcount_t	xs_ref;
	unsigned long	xs_epoch;
	bool		xs_trusted;
	u32		xs_len;
	u8		xs_bytes[] __aligned(8);
};

/* Drop a reference; NULL is permitted. Any context */
void ll_xattrs_put(struct ll_xattrs *xs)
{
	if (xs && refcount_dec_and_test(&xs->xs_ref))
		kfree(xs);
}

/* The next attribute from *@at on. Return: false: there is no other one */
static bool xattr_next(const struct ll_xattrs *xs, u32 *at, struct md_xattr *xa)
{
	if (*at >= xs->xs_len || md_xattr_decode(xs->xs_bytes + *at, xs->xs_len - *at, xa))
		return false;
	*at += xa->len;
	return true;
}

static bool is_valid(const struct ll_xattrs *xs)
{
	struct md_xattr xa;
	u32 at = 0;

	while (xattr_next(xs, &at, &xa))
		;
	return at == xs->xs_len;
}

/* Return: referenced; -EIO: the reply is malformed; -ENOMEM */
static struct ll_xattrs *xattrs_new(const struct ll_op *lo)
{
	const struct md_reply *rep = &lo->lop_rep;
	struct ll_xattrs *xs = kmalloc(struct_size(xs, xs_bytes, rep->result_len), GFP_KERNEL_ACCOUNT);

	if (!xs)
		return ERR_PTR(-ENOMEM);
	refcount_set(&xs->xs_ref, 1);
	xs->xs_epoch = 0;
	xs->xs_trusted = lo->lop_data.caps & BIT_ULL(CAP_SYS_ADMIN);
	xs->xs_len = rep->result_len;
	memcpy(xs->xs_bytes, rep->result, rep->result_len);
	if (is_valid(xs))
		return xs;
	ll_xattrs_put(xs);
	return ERR_PTR(-EIO);
}

/* They replace those that are cached, if a lock covers them. */
static void xattrs_cache(struct inode *inode, struct ll_xattrs *xs, const struct ll_op *lo)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	struct ll_xattrs *old = NULL;

	spin_lock(&lli->lli_lock);
	xs->xs_epoch = ll_cover_xattrs(inode, lo);
	if (xs->xs_epoch) {
		old = lli->lli_xattrs;
		refcount_inc(&xs->xs_ref);
		lli->lli_xattrs = xs;
	}
	spin_unlock(&lli->lli_lock);
	ll_xattrs_put(old);
}

/**
 * ll_xattrs_known() - the cached attributes of an inode
 * @inode: inode
 *
 * Context: any but an interrupt
 * Return: for ll_xattrs_put(); NULL: they are not cached, or may have changed since
 */
struct ll_xattrs *ll_xattrs_known(struct inode *inode)
{
	unsigned long epoch = ll_cover_epoch(inode, MDS_INODELOCK_XATTR);
	struct ll_inode_info *lli = ll_i2info(inode);
	struct ll_xattrs *xs;

	spin_lock(&lli->lli_lock);
	xs = lli->lli_xattrs;
	if (xs && epoch && xs->xs_epoch == epoch)
		refcount_inc(&xs->xs_ref);
	else
		xs = NULL;
	spin_unlock(&lli->lli_lock);
	return xs;
}

/**
 * ll_xattrs_ask() - ask the server for the attributes of an inode, and cache them
 * @inode: inode
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: for ll_xattrs_put(); -ERANGE: the names alone are too long; -EIO: the reply is malformed;
 *  -ENOMEM; as ll_op_call()
 */
struct ll_xattrs *ll_xattrs_ask(struct inode *inode)
{
	struct ll_op *lo = ll_op_new(inode->i_sb, current_cred(), MDS_GETXATTR, 0);
	struct ll_xattrs *xs;
	int rc;

	if (IS_ERR(lo))
		return ERR_CAST(lo);
	ll_op_object(lo, inode);
	ll_op_ask_xattrs(lo, inode);
	lo->lop_data.flags = MDS_XATTR_ALL;
	lo->lop_data.size = LL_XATTRS_MAX;
	rc = ll_op_call(lo);
	xs = rc ? ERR_PTR(rc) : xattrs_new(lo);
	if (!IS_ERR(xs))
		xattrs_cache(inode, xs, lo);
	ll_op_free(lo);
	return xs;
}

/**
 * ll_xattrs_value() - a value among the attributes of an inode
 * @xs: attributes
 * @name: full name
 * @value: out
 * @size: bytes of @value; 0: only the length is wanted
 *
 * Context: any
 * Return: length; -ENODATA: there is none; -ERANGE: @value is too small; -EACCES: the user that
 *  asked for them may not read it; -EAGAIN: it has to be asked for by its name
 */
ssize_t ll_xattrs_value(const struct ll_xattrs *xs, const char *name, void *value, size_t size)
{
	struct md_xattr xa;
	u32 at = 0;

	while (xattr_next(xs, &at, &xa)) {
		if (strlen(name) != xa.name_len || memcmp(name, xa.name, xa.name_len))
			continue;
		if (xa.flags)
			return xa.flags & MDS_XATTR_DENIED ? -EACCES : -EAGAIN;
		if (size && size < xa.value_len)
			return -ERANGE;
		if (size)
			memcpy(value, xa.value, xa.value_len);
		return xa.value_len;
	}
	/* The server's own are not among them. */
	return strstarts(name, XATTR_TRUSTED_PREFIX) ? -EAGAIN : -ENODATA;
}

/*
 * The name of the next attribute from *@at on, without a NUL. Return: false: there is no other one
 */
bool ll_xattrs_next(const struct ll_xattrs *xs, u32 *at, const char **name, u32 *len)
{
	struct md_xattr xa;

	if (!xattr_next(xs, at, &xa))
		return false;
	*name = xa.name;
	*len = xa.name_len;
	return true;
}

/* Whether all names are among them that the calling task may see. */
bool ll_xattrs_list_is_whole(const struct ll_xattrs *xs)
{
	return xs->xs_trusted || !capable(CAP_SYS_ADMIN);
}

static bool has_caps(const struct ll_xattrs *xs)
{
	return xs && ll_xattrs_value(xs, XATTR_NAME_CAPS, NULL, 0) != -ENODATA;
}

static void xattrs_drop(struct inode *inode, bool caps_only)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	struct ll_xattrs *xs = NULL;

	spin_lock(&lli->lli_lock);
	if (!caps_only || has_caps(lli->lli_xattrs)) {
		xs = lli->lli_xattrs;
		lli->lli_xattrs = NULL;
	}
	lli->lli_xattrs_used = ll_clock_next();
	spin_unlock(&lli->lli_lock);
	ll_xattrs_put(xs);
}

/**
 * ll_xattrs_forget() - an own request that may have changed attributes has ended, or the inode ends
 * @inode: inode
 *
 * Context: any but an interrupt
 */
void ll_xattrs_forget(struct inode *inode)
{
	xattrs_drop(inode, false);
}

/*
 * Likewise, and it has changed nothing but the capabilities, which it has removed if there were
 * any.
 */
void ll_xattrs_forget_caps(struct inode *inode)
{
	xattrs_drop(inode, true);
}
