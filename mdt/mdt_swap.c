// SPDX-License-Identifier: GPL-2.0-only
/*
 * MDS_SWAP_LAYOUTS: a file gets the objects of another one, which its client has open without a
 * name, and has filled. Clients use the objects of a file under the lock of its layout, or ask when
 * they have locked the objects (MDS_GETATTR_USED). So
 *
 *	MDS_SWAP_LEASE		all clients return the locks of the layout and of the attributes, and get
 *				none: they have to ask
 *	the client		makes sure that it still has the locks of all objects: no other client has
 *				changed them, or does
 *	MDS_SWAP_LAYOUTS	swaps, unless a client has asked since
 *
 * The swap is on disk before a client sees it: it needs no replay. A restart ends leases.
 *
 *	file --mo_leased, not counted--> lease <--mo_lease, counted-- file without a name
 *	  ^                                |
 *	  +------- LU_HOLDER_STATE --------+
 */
#define DEBUG_SUBSYSTEM S_MDS

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/refcount.h>
#include <linux/stat.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/lustre_dlm.h>

#include "mdt_internal.h"

/* Longest wait for clients, seconds. One that does not return a lock is evicted much earlier. */
#define LEASE_LOCK_SEC	300

/**
 * struct mdt_lease - no client has the lock of a layout
 * @mle_refcount: held by the file without a name, and by requests
 * @mle_file: file whose layout it is, referenced
 * @mle_lock: lock of the server, LCK_CW; NULL: the lease has ended. Taken out by xchg()
 * @mle_swapping: the swap was made, and is not on disk yet; guarded by mo_lock of @mle_file
 */
struct mdt_lease {
	refcount_t		mle_refcount;
	struct mdt_object	*mle_file;
	struct ldlm_lock	*mle_lock;
	bool			mle_swapping;
};

static void lease_put(struct mdt_lease *lease)
{
	if (!lease || !refcount_dec_and_test(&lease->mle_refcount))
		return;
	lu_object_put(&lease->mle_file->mo_lu, LU_HOLDER_STATE);
	libcfs_free(lease, sizeof(*lease));
}

void mdt_lease_end(struct mdt_lease *lease)
{
	struct ldlm_lock *lock;

	if (!lease)
		return;
	mutex_lock(&lease->mle_file->mo_lock);
	if (lease->mle_file->mo_leased == lease)
		lease->mle_file->mo_leased = NULL;
	mutex_unlock(&lease->mle_file->mo_lock);
	lock = xchg(&lease->mle_lock, NULL);
	if (lock)
		ldlm_local_unlock(lock);
	lease_put(lease);
}

int mdt_lease_break(struct mdt_object *obj)
{
	int rc = 0;

	mutex_lock(&obj->mo_lock);
	if (obj->mo_leased && obj->mo_leased->mle_swapping)
		rc = -EINPROGRESS;
	else
		obj->mo_leased = NULL;
	mutex_unlock(&obj->mo_lock);
	return rc;
}

/* All clients, that of the request too, return the lock of the layout. */
static int lease_lock(struct mdt_call *call, struct mdt_lease *lease)
{
	/* Blocks change, too: stat() has them under UPDATE. */
	const struct ldlm_policy part = {
		.ibits = { .bits = MDS_INODELOCK_LAYOUT | MDS_INODELOCK_UPDATE },
	};
	struct ldlm_res_id res;

	ldlm_res_of_fid(&lease->mle_file->mo_lu.lo_fid, &res);
	return ldlm_local_lock(call->mtc_mdt->mdt_dir.td_obd, LDLM_IBITS, &res, LCK_CW, &part, 0,
			       LEASE_LOCK_SEC, NULL, &lease->mle_lock);
}

/* Return: a lease with a reference for the caller; or an ERR_PTR */
static struct mdt_lease *lease_new(struct mdt_call *call, struct mdt_object *file)
{
	struct mdt_lease *lease = libcfs_zalloc(sizeof(*lease), GFP_KERNEL_ACCOUNT);
	int rc;

	if (!lease)
		return ERR_PTR(-ENOMEM);
	refcount_set(&lease->mle_refcount, 1);
	lu_object_get(&file->mo_lu, LU_HOLDER_STATE);
	lease->mle_file = file;
	rc = lease_lock(call, lease);
	if (rc) {
		lease_put(lease);
		return ERR_PTR(rc);
	}
	mutex_lock(&file->mo_lock);
	file->mo_leased = lease;
	mutex_unlock(&file->mo_lock);
	return lease;
}

/* The file without a name has this lease, or none, from now on. Its last close ends it. */
static int lease_set(struct mdt_object *other, struct mdt_lease *lease)
{
	struct mdt_lease *old = lease;
	int rc = 0;

	mutex_lock(&other->mo_lock);
	if (other->mo_opens)
		swap(other->mo_lease, old);
	else
		rc = -ESTALE;
	mutex_unlock(&other->mo_lock);
	mdt_lease_end(old);
	return rc;
}

static struct mdt_lease *lease_get(struct mdt_object *other)
{
	struct mdt_lease *lease;

	mutex_lock(&other->mo_lock);
	lease = other->mo_lease;
	if (lease)
		refcount_inc(&lease->mle_refcount);
	mutex_unlock(&other->mo_lock);
	return lease;
}

static int is_file(const struct mdt_object *obj)
{
	struct md_attr attr;
	int rc = mdt_object_attr(&obj->mo_osd, &attr);

	return rc ?: S_ISREG(attr.mode) ? 0 : -EINVAL;
}

/*
 * Return: 0; -EINVAL: not two files, or the second one has a name; -ENOENT; -EBADF; -EACCES; others
 */
static int check(struct mdt_call *call, const struct mdt_object *file, struct mdt_object *other)
{
	if (file == other || !READ_ONCE(other->mo_pending))
		return -EINVAL;
	if (READ_ONCE(file->mo_pending))
		return -ENOENT;
	if (!mdt_open_permits(call, other, MDS_FMODE_WRITE))
		return -EBADF;
	return is_file(file) ?: is_file(other) ?: osd_permission(&file->mo_osd, MAY_WRITE);
}

static int lease_take(struct mdt_call *call, struct mdt_object *file, struct mdt_object *other)
{
	struct mdt_lease *lease;
	int rc = lease_set(other, NULL);

	if (rc)
		return rc;
	lease = lease_new(call, file);
	return IS_ERR(lease) ? PTR_ERR(lease) : lease_set(other, lease);
}

/* With mo_lock of both. @lease: NULL: none. Return: 1: it was done before; 0; -EAGAIN: no lease */
static int __swap(struct mdt_call *call, struct mdt_object *file, struct mdt_object *other,
		  struct mdt_lease *lease, struct mdt_trans *mt)
{
	int rc;

	if (READ_ONCE(file->mo_lu.lo_state) != LU_OBJECT_LIVE || !other->mo_opens)
		return -ESTALE;
	if (lod_swap_is_done(file, other))
		return 1;
	if (!lease || file->mo_leased != lease)
		return -EAGAIN;
	rc = mdt_som_forget(call->mtc_mdt, file, mt) ?: lod_swap(file, other, mt);
	lease->mle_swapping = !rc;
	return rc;
}

static int swap_locked(struct mdt_call *call, struct mdt_object *file, struct mdt_object *other,
		       struct mdt_lease *lease, struct mdt_trans *mt)
{
	int rc;

	mdt_objects_lock(file, other);
	rc = __swap(call, file, other, lease, mt);
	mdt_objects_unlock(file, other);
	return rc;
}

/* The transaction is the server's own: no client replays it. */
static int swap_commit(struct mdt_call *call, struct mdt_object *file, struct mdt_object *other,
		       struct mdt_lease *lease)
{
	struct mdt_trans mt;
	int rc = mdt_own_trans_start(call->mtc_mdt, &mt);

	if (rc)
		return rc;
	rc = swap_locked(call, file, other, lease, &mt);
	mdt_own_trans_stop(&mt);
	return rc ? min(rc, 0) : tgt_commit(mt.mtr_obd, mt.mtr_transno);
}

static int layouts_swap(struct mdt_call *call, struct mdt_object *file, struct mdt_object *other)
{
	struct mdt_lease *lease = lease_get(other);
	int rc = swap_commit(call, file, other, lease);

	lease_set(other, NULL);
	lease_put(lease);
	return rc ?: mdt_reply_object(call, file);
}

static int swap_run(struct mdt_call *call)
{
	struct mdt_object *file = mdt_call_object(call, 0), *other = mdt_call_object(call, 1);
	int rc;

	if (IS_ERR(file) || IS_ERR(other))
		return IS_ERR(file) ? PTR_ERR(file) : PTR_ERR(other);
	rc = check(call, file, other);
	if (rc || !(call->mtc_op.flags & MDS_SWAP_LEASE))
		return rc ?: layouts_swap(call, file, other);
	call->mtc_rep.object = call->mtc_op.object[0];
	return lease_take(call, file, other);
}

int mdt_swap_layouts(struct ptlrpc_svc_req *sr)
{
	return mdt_call_run(sr, swap_run);
}
