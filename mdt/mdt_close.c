// SPDX-License-Identifier: GPL-2.0-only
/*
 * MDS_CLOSE and MDS_DONE_WRITING: the end of open handles (mdt_open.c). The handle of a file that
 * its client has written to stays after the close, until the client has said the size, or nothing.
 */
#define DEBUG_SUBSYSTEM S_MDS

#include <linux/err.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>

#include "mdt_internal.h"

/* The caller closes it, and no other task does. */
static void mfd_take(struct mdt_device *mdt, struct mdt_file_data *mfd)
{
	lockdep_assert_held(&mdt->mdt_lock);
	xa_erase(&mdt->mdt_opens, mfd->mfd_number);
	list_del(&mfd->mfd_item);
}

/* @done: it is one of those whose size is to come. Its number is not given to another open. */
static struct mdt_file_data *mfd_take_cookie(struct mdt_call *call, u64 cookie, bool done)
{
	struct mdt_device *mdt = call->mtc_mdt;
	struct mdt_file_data *mfd;

	mutex_lock(&mdt->mdt_lock);
	mfd = mfd_find(mdt, mdt_call_client(call), cookie);
	if (mfd && mfd->mfd_done == done) {
		xa_store(&mdt->mdt_opens, mfd->mfd_number, XA_ZERO_ENTRY, GFP_KERNEL);
		list_del(&mfd->mfd_item);
	} else {
		mfd = NULL;
	}
	mutex_unlock(&mdt->mdt_lock);
	return mfd;
}

/* @mt: NULL: keep an object without a name. @flags: MDS_CLOSE_* */
static void mfd_close(struct mdt_device *mdt, struct mdt_file_data *mfd, u32 flags,
		      struct mdt_trans *mt)
{
	struct mdt_object *obj = mfd->mfd_obj;
	struct mdt_lease *lease = NULL;

	mutex_lock(&obj->mo_lock);
	__mdt_opens_add(obj, mfd->mfd_mode, -1);
	if (mfd->mfd_mode & MDS_FMODE_WRITE)
		mdt_som_close(mdt, obj, flags, mt);
	if (!obj->mo_opens)
		swap(lease, obj->mo_lease);
	if (mt) {
		mdd_orphan_destroy(mdt, obj, mt);
		mdt_trans_note(mt);
	}
	mutex_unlock(&obj->mo_lock);
	mdt_lease_end(lease);
}

static void mfd_free(struct mdt_file_data *mfd)
{
	lu_object_put(&mfd->mfd_obj->mo_lu, LU_HOLDER_OPEN);
	libcfs_free(mfd, sizeof(*mfd));
}

/* A close that was executed before a restart has no handle, unless its open was replayed. */
static int close_unknown(struct mdt_call *call, struct mdt_trans *mt)
{
	if (!mdt_call_is_again(call))
		return -ESTALE;
	mdt_trans_note(mt);
	call->mtc_rep.object = call->mtc_op.object[0];
	return 0;
}

/* Free its number, and itself. */
static void mfd_drop(struct mdt_device *mdt, struct mdt_file_data *mfd)
{
	mutex_lock(&mdt->mdt_lock);
	xa_release(&mdt->mdt_opens, mfd->mfd_number);
	mutex_unlock(&mdt->mdt_lock);
	mfd_free(mfd);
}

/* It is closed. If its client will say the size, the handle stays for that. */
static void close_end(struct mdt_call *call, struct mdt_file_data *mfd, u32 flags)
{
	struct mdt_device *mdt = call->mtc_mdt;

	if (!(flags & MDS_CLOSE_DONE_LATER) || !(mfd->mfd_mode & MDS_FMODE_WRITE)) {
		mfd_drop(mdt, mfd);
		return;
	}
	mfd->mfd_done = true;
	mutex_lock(&mdt->mdt_lock);
	xa_store(&mdt->mdt_opens, mfd->mfd_number, mfd, GFP_KERNEL);
	list_add_tail(&mfd->mfd_item, &mfd->mfd_me->me_opens);
	mutex_unlock(&mdt->mdt_lock);
}

static int close_handle(struct mdt_call *call, struct mdt_trans *mt)
{
	struct mdt_file_data *mfd = mfd_take_cookie(call, call->mtc_op.handle, false);
	int rc;

	if (!mfd)
		return close_unknown(call, mt);
	mfd_close(call->mtc_mdt, mfd, call->mtc_op.flags, mt);
	rc = mdt_reply_object(call, mfd->mfd_obj);
	close_end(call, mfd, call->mtc_op.flags);
	return rc;
}

static void close_one(struct mdt_call *call, struct mdt_trans *mt, u64 handle, u32 flags)
{
	struct mdt_file_data *mfd = mfd_take_cookie(call, handle, false);

	if (!mfd)
		return;
	mfd_close(call->mtc_mdt, mfd, flags, mt);
	close_end(call, mfd, flags);
}

/* Files that the client has closed a while ago. One that is unknown was closed before. */
static int close_many(struct mdt_call *call, struct mdt_trans *mt)
{
	const struct lustre_close *more = call->mtc_op.value;
	u32 n;

	close_one(call, mt, call->mtc_op.handle, call->mtc_op.flags);
	for (n = 0; n < call->mtc_op.value_len / sizeof(*more); n++)
		close_one(call, mt, le64_to_cpu(more[n].lc_handle), le32_to_cpu(more[n].lc_flags));
	mdt_trans_note(mt);
	call->mtc_rep.object = call->mtc_op.object[0];
	return 0;
}

static int close_run(struct mdt_call *call)
{
	struct mdt_trans mt;
	int rc = mdt_trans_start(call, &mt);

	if (rc)
		return rc;
	rc = call->mtc_op.value_len ? close_many(call, &mt) : close_handle(call, &mt);
	return mdt_trans_stop(call, &mt, rc);
}

int mdt_close(struct ptlrpc_svc_req *sr)
{
	return mdt_call_run(sr, close_run);
}

/* Sizes of files. */

static int done_one(struct mdt_call *call, struct mdt_trans *mt, const struct lustre_done *from)
{
	struct mdt_device *mdt = call->mtc_mdt;
	struct mdt_file_data *mfd;
	struct mdt_object *obj;
	struct md_done done;
	const char *fault = md_done_decode(from, &done);

	if (fault) {
		CERROR("%s: malformed size from %s: %s: rc = %d\n", mdt->mdt_dir.td_obd->obd_name,
		       call->mtc_sr->sr_exp->exp_client_uuid.uuid, fault, -EPROTO);
		return -EPROTO;
	}
	mfd = mfd_take_cookie(call, done.handle, true);
	if (!mfd)
		return 0;
	obj = mfd->mfd_obj;
	mutex_lock(&obj->mo_lock);
	mdt_som_done(mdt, obj, mfd->mfd_som, &done, mt);
	mutex_unlock(&obj->mo_lock);
	mfd_drop(mdt, mfd);
	return 0;
}

/* A request that is lost has no replay: the sizes stay unknown. */
static int done_run(struct mdt_call *call)
{
	const struct lustre_done *from = call->mtc_op.value;
	struct mdt_trans mt;
	u32 n, nr = call->mtc_op.value_len / sizeof(*from);
	int rc = mdt_own_trans_start(call->mtc_mdt, &mt);

	if (rc)
		return rc;
	for (n = 0; n < nr && !rc; n++)
		rc = done_one(call, &mt, &from[n]);
	mdt_own_trans_stop(&mt);
	call->mtc_rep.object = call->mtc_op.object[0];
	return rc;
}

int mdt_done(struct ptlrpc_svc_req *sr)
{
	return mdt_call_run(sr, done_run);
}

/* A device that stops leaves objects in PENDING: clients open them again at the next start. */
static void close_for_client(struct mdt_device *mdt, struct mdt_file_data *mfd)
{
	bool stops = READ_ONCE(mdt->mdt_dir.td_obd->obd_state) != OBD_SET_UP;
	struct mdt_trans mt;

	if (mfd->mfd_done)
		return;
	if (stops || mdt_own_trans_start(mdt, &mt)) {
		mfd_close(mdt, mfd, 0, NULL);
		return;
	}
	mfd_close(mdt, mfd, 0, &mt);
	mdt_own_trans_stop(&mt);
}

void mdt_opens_drop(struct mdt_device *mdt, struct mdt_export *me)
{
	struct mdt_file_data *mfd, *next;
	LIST_HEAD(opens);

	mutex_lock(&mdt->mdt_lock);
	list_for_each_entry_safe(mfd, next, &me->me_opens, mfd_item) {
		mfd_take(mdt, mfd);
		list_add_tail(&mfd->mfd_item, &opens);
	}
	mutex_unlock(&mdt->mdt_lock);
	list_for_each_entry_safe(mfd, next, &opens, mfd_item) {
		close_for_client(mdt, mfd);
		mfd_free(mfd);
	}
}
