// SPDX-License-Identifier: GPL-2.0-only
/*
 * A request of a client mount: on whose behalf it is, and for which objects. Allocated, because
 * request and reply together would take a large part of the stack of a path walk.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/fs_struct.h>
#include <linux/limits.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include <lustre_lite/obd_ops.h>
#include <lustre_lite/ptlrpc.h>

#include "llite_inode.h"

/*
 * Capabilities are those of the initial user namespace, as ids are: a container that has its own
 * namespace has no power over objects of other users.
 */
static u64 op_caps(const struct cred *cred)
{
	return cred->user_ns == &init_user_ns ? compat_cred_caps(cred) : 0;
}

static int op_groups(struct ll_op *lo, const struct cred *cred)
{
	const struct group_info *info = cred->group_info;
	__le32 *groups = lo->lop_few;
	int n;

	if (info->ngroups > MDS_GROUPS_MAX)
		return -E2BIG;
	if (info->ngroups > LL_GROUPS_FEW) {
		lo->lop_groups = kvmalloc_array(info->ngroups, sizeof(*groups), GFP_KERNEL);
		if (!lo->lop_groups)
			return -ENOMEM;
		groups = lo->lop_groups;
	}
	for (n = 0; n < info->ngroups; n++)
		groups[n] = cpu_to_le32(from_kgid(&init_user_ns, info->gid[n]));
	lo->lop_data.groups = groups;
	lo->lop_data.nr_groups = info->ngroups;
	return 0;
}

/**
 * ll_op_new() - a request
 * @sb: super block of a client mount
 * @cred: credentials on whose behalf it is
 * @opc: MDS_*
 * @reint: REINT_* of MDS_REINT, or 0
 *
 * Context: may sleep
 * Return: request, for ll_op_free(); -ENOMEM; -E2BIG: more groups than a request can name
 */
struct ll_op *ll_op_new(struct super_block *sb, const struct cred *cred, u32 opc, u32 reint)
{
	struct ll_op *lo = kzalloc(sizeof(*lo), GFP_KERNEL);
	int rc;

	if (!lo)
		return ERR_PTR(-ENOMEM);
	lo->lop_exp = ll_s2client(sb)->llc_md;
	ll_op_start(lo);
	lo->lop_data.opc = opc;
	lo->lop_data.reint = reint;
	/* Any reply about a symbolic link has its target. */
	lo->lop_data.size = PATH_MAX;
	lo->lop_data.uid = from_kuid(&init_user_ns, cred->fsuid);
	lo->lop_data.gid = from_kgid(&init_user_ns, cred->fsgid);
	lo->lop_data.caps = op_caps(cred);
	lo->lop_data.umask = current->fs ? current_umask() : 0;
	rc = op_groups(lo, cred);
	if (!rc)
		return lo;
	kfree(lo);
	return ERR_PTR(rc);
}

static void object_of(struct inode *inode, struct md_object *object)
{
	struct ll_inode_info *lli = ll_i2info(inode);

	object->fid = lli->lli_fid;
	spin_lock(&lli->lli_lock);
	object->hint = lli->lli_hint;
	spin_unlock(&lli->lli_lock);
}

/**
 * ll_op_object() - add an object to a request
 * @lo: request
 * @inode: its inode; NULL: an object that is absent
 *
 * Context: any
 */
void ll_op_object(struct ll_op *lo, struct inode *inode)
{
	u32 n = lo->lop_data.objects++;

	if (!inode)
		return;
	ll_op_covered(lo, n, inode);
	object_of(inode, &lo->lop_data.object[n]);
}

/* Add the directory of an object, which the request does not change; NULL: it is not known. */
void ll_op_found_in(struct ll_op *lo, struct inode *dir)
{
	u32 n = lo->lop_data.objects++;

	if (dir && !ll_inode_is_own(dir))
		object_of(dir, &lo->lop_data.object[n]);
}

/* The name of a request; the caller keeps it. */
void ll_op_name(struct ll_op *lo, const struct qstr *name)
{
	lo->lop_data.name = name->name;
	lo->lop_data.name_len = name->len;
}

/**
 * ll_op_changed() - a change was answered: on a synchronous mount wait for the disk
 * @lo: request
 *
 * The change has happened in any case. A target that cannot commit refuses the next one.
 *
 * Context: sleeps, if the mount is synchronous
 */
void ll_op_changed(const struct ll_op *lo)
{
	struct inode *inode = lo->lop_inode[0];

	if (inode && IS_DIRSYNC(inode))
		ll_sync(inode);
}

/* Directories among the objects get other names. */
static void names_change(const struct ll_op *lo)
{
	u32 n;

	if (lo->lop_data.reint == REINT_SETATTR || lo->lop_data.reint == REINT_SETXATTR)
		return;
	for (n = 0; n < lo->lop_data.objects; n++)
		if (lo->lop_inode[n] && S_ISDIR(lo->lop_inode[n]->i_mode))
			ll_names_forget(lo->lop_inode[n]);
}

/**
 * ll_op_call() - send a request and wait for its reply
 * @lo: request; lop_rep is the reply if the result is 0
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: 0 or a negative errno, as md_call()
 */
int ll_op_call(struct ll_op *lo)
{
	int rc;

	if (lo->lop_data.opc == MDS_REINT)
		names_change(lo);
	rc = md_call(lo->lop_exp, &lo->lop_data, &lo->lop_rep);
	if (!rc && lo->lop_data.opc == MDS_REINT)
		ll_op_changed(lo);
	if (rc == -EINTR && lo->lop_rep.req)
		ll_op_left(lo);
	return rc;
}

/* The reply, and its lock, are not used any more. */
void ll_op_reply_end(struct ll_op *lo)
{
	md_reply_put(&lo->lop_rep);
	ll_op_covers_end(lo);
}

/* Free it with its reply. */
void ll_op_free(struct ll_op *lo)
{
	ll_op_reply_end(lo);
	kvfree(lo->lop_groups);
	kfree(lo);
}
