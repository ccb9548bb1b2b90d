// SPDX-License-Identifier: GPL-2.0-only
/*
 * The end of open objects. A close goes on in any case. One that its caller does not wait for is
 * parked for PARK_TIME at most, or until PARK_MAX are: one request closes all of these.
 *
 * Until then the target has the object open: to other clients it is busy that much longer, and it
 * keeps an object that has no name. Such a client asks again for a while; this one has the closes
 * sent.
 */
#define DEBUG_SUBSYSTEM S_MDC

#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_export.h>

#include "mdc_internal.h"

#define PARK_MAX	(MDS_CLOSES_MAX + 1)
#define PARK_TIME	(HZ / 20)
/* Longest wait of mdc_closes(), as of an umount for its management service. */
#define CLOSES_WAIT	(10 * HZ)

/* Slot 0 is the handle of every request, the others follow in its value. Under mop_lock. */
void mdc_handle_fill(struct ptlrpc_request *req, u32 slot, u64 handle)
{
	struct mdt_rec *rec = ptlrpc_req_buf(req, MDS_REC);
	struct lustre_close *more = ptlrpc_req_buf(req, MDS_VALUE);

	if (slot)
		more[slot - 1].lc_handle = cpu_to_le64(handle);
	else
		rec->mr_handle = cpu_to_le64(handle);
}

/* Likewise, of a close. */
static void flags_fill(struct ptlrpc_request *req, u32 slot, u32 flags)
{
	struct mdt_rec *rec = ptlrpc_req_buf(req, MDS_REC);
	struct lustre_close *more = ptlrpc_req_buf(req, MDS_VALUE);

	if (slot)
		more[slot - 1].lc_flags = cpu_to_le32(flags);
	else
		rec->mr_flags = cpu_to_le32(flags);
}

static void close_ended(struct mdc_open *mo)
{
	spin_lock(&mo->mop_lock);
	mo->mop_close_req = NULL;
	spin_unlock(&mo->mop_lock);
	mdc_open_release(mo);
	mdc_open_put(mo);
}

/* rq_committed of a close: it is on disk, or failed. */
static void close_committed(struct ptlrpc_request *req, int rc)
{
	close_ended(req->rq_cb_data);
}

/* @req closes @mo. Return: the request that opened it, referenced, or NULL */
static struct ptlrpc_request *close_bind(struct mdc_open *mo, struct ptlrpc_request *req, u32 slot)
{
	struct ptlrpc_request *open;

	spin_lock(&mo->mop_lock);
	mo->mop_close_req = req;
	mo->mop_close_slot = slot;
	open = mo->mop_open_req ? ptlrpc_request_get(mo->mop_open_req) : NULL;
	mdc_handle_fill(req, slot, mo->mop_handle);
	flags_fill(req, slot, mo->mop_flags);
	spin_unlock(&mo->mop_lock);
	return open;
}

static void close_prepare(struct ptlrpc_request *req, ptlrpc_committed_t *committed, void *data)
{
	req->rq_detach = true;
	req->rq_detach_unsent = true;
	req->rq_committed = committed;
	req->rq_cb_data = data;
	req->rq_owner = THIS_MODULE;
}

/* A request with a reference on @mo, until rq_committed; an ERR_PTR. */
struct ptlrpc_request *mdc_close_request(struct mdc_open *mo, const struct md_op_data *op)
{
	struct ptlrpc_request *req = mdc_op_request(mo->mop_open.mop_exp, op, NULL);

	if (IS_ERR(req))
		return req;
	refcount_inc(&mo->mop_refcount);
	close_prepare(req, close_committed, mo);
	req->rq_releases = close_bind(mo, req, 0);
	return req;
}

/* Whether the target has forgotten the client since. */
bool mdc_open_is_lost(const struct mdc_open *mo)
{
	const struct obd_device *obd = mo->mop_open.mop_exp->exp_obd;

	return READ_ONCE(obd->obd_cli->cl_import->imp_generation) != mo->mop_generation;
}

/* m_lost of type mdc. */
bool mdc_lost(const struct md_open *open)
{
	return mdc_open_is_lost(container_of(open, struct mdc_open, mop_open));
}

static bool may_wait_for(const struct obd_device *obd)
{
	return !(current->flags & PF_EXITING) && import_is_usable(obd->obd_cli->cl_import);
}

/*
 * A task that exits cannot be killed any more, and a target that is not connected may be away for
 * long: ptlrpcd closes.
 */
static int close_wait(struct mdc_open *mo, struct ptlrpc_request *req,
		      const struct md_op_data *op, struct md_reply *rep)
{
	int rc;

	if (!may_wait_for(mo->mop_open.mop_exp->exp_obd)) {
		ptlrpcd_add(req);
		return 0;
	}
	rc = ptlrpc_queue_wait(req);
	if (rc)
		return rc == -ESTALE ? 0 : rc;
	return mdc_reply_read(req, op, rep);
}

static int close_now(struct mdc_open *mo, const struct md_op_data *op, struct md_reply *rep)
{
	struct ptlrpc_request *req = mdc_open_is_lost(mo) ? NULL : mdc_close_request(mo, op);
	int rc;

	if (IS_ERR_OR_NULL(req)) {
		rc = PTR_ERR_OR_ZERO(req);
		mdc_open_release(mo);
	} else {
		rc = close_wait(mo, req, op, rep);
		ptlrpc_request_put(req);
	}
	WRITE_ONCE(mo->mop_closed, true);
	mdc_open_put(mo);
	return rc;
}

/*
 * Parked closes.
 */

/**
 * struct mdc_batch - opens that one request closes
 * @mdc: device
 * @count: their number
 * @mo: opens, referenced until rq_committed
 */
struct mdc_batch {
	struct mdc_device	*mdc;
	u32			count;
	struct mdc_open		*mo[PARK_MAX];
};

/* Under mdc_close_lock: mdc_closes() waits for it from now on. */
void __mdc_pending_begin(struct mdc_device *mdc, struct mdc_pending *pe)
{
	lockdep_assert_held(&mdc->mdc_close_lock);
	pe->mpe_ticket = ++mdc->mdc_ticket;
	list_add_tail(&pe->mpe_item, &mdc->mdc_pending);
}

/* Likewise: no more. The caller wakes mdc_close_wait. */
void __mdc_pending_end(struct mdc_pending *pe)
{
	list_del(&pe->mpe_item);
}

/* The opens of their exports keep the device: nothing of it is used after the last one. */
static void closes_end(struct mdc_device *mdc, struct mdc_open *const *mo, u32 count)
{
	u32 n;

	spin_lock(&mdc->mdc_close_lock);
	for (n = 0; n < count; n++)
		__mdc_pending_end(&mo[n]->mop_closing);
	spin_unlock(&mdc->mdc_close_lock);
	wake_up_all(&mdc->mdc_close_wait);
}

/* rq_interpret: the target has closed them, or an error says why not. */
static int batch_answered(struct ptlrpc_request *req, void *data, int rc)
{
	struct mdc_batch *batch = data;
	const struct obd_device *obd = batch->mo[0]->mop_open.mop_exp->exp_obd;
	u32 n;

	for (n = 0; n < batch->count; n++)
		WRITE_ONCE(batch->mo[n]->mop_closed, true);
	if (rc)
		CDEBUG(D_INODE, "%s: cannot close %u files: rc = %d\n", obd->obd_name, batch->count,
		       rc);
	closes_end(batch->mdc, batch->mo, batch->count);
	return rc;
}

static void batch_committed(struct ptlrpc_request *req, int rc)
{
	struct mdc_batch *batch = req->rq_cb_data;
	u32 n;

	for (n = 0; n < batch->count; n++)
		close_ended(batch->mo[n]);
	kfree(batch);
}

/*
 * The opens of an eviction are closed, and those without memory for a request stay open until then.
 */
static void batch_drop(struct mdc_batch *batch)
{
	u32 n;

	closes_end(batch->mdc, batch->mo, batch->count);
	for (n = 0; n < batch->count; n++) {
		WRITE_ONCE(batch->mo[n]->mop_closed, true);
		mdc_open_release(batch->mo[n]);
		mdc_open_put(batch->mo[n]);
	}
	kfree(batch);
}

static struct ptlrpc_request *batch_request(struct mdc_batch *batch)
{
	static const struct lustre_close zeros[MDS_CLOSES_MAX];
	const struct md_op_data op = {
		.opc = MDS_CLOSE,
		.objects = 1,
		.object = { batch->mo[0]->mop_object },
		.value = batch->count > 1 ? zeros : NULL,
		.value_len = (batch->count - 1) * sizeof(zeros[0]),
	};

	return mdc_op_request(batch->mo[0]->mop_open.mop_exp, &op, NULL);
}

static void batch_send(struct mdc_batch *batch)
{
	struct ptlrpc_request *req = batch_request(batch);
	struct ptlrpc_releases *more;
	u32 n;

	more = kzalloc(struct_size(more, rls_req, MDS_CLOSES_MAX), GFP_NOFS | __GFP_NOFAIL);
	if (IS_ERR(req)) {
		kfree(more);
		batch_drop(batch);
		return;
	}
	close_prepare(req, batch_committed, batch);
	req->rq_interpret = batch_answered;
	req->rq_interpret_data = batch;
	req->rq_releases = close_bind(batch->mo[0], req, 0);
	more->rls_count = batch->count - 1;
	for (n = 1; n < batch->count; n++)
		more->rls_req[n - 1] = close_bind(batch->mo[n], req, n);
	req->rq_releases_more = more;
	ptlrpcd_add(req);
	ptlrpc_request_put(req);
}

/* Take up to PARK_MAX that the target knows, and end the others. */
static void batch_take(struct mdc_batch *batch, struct list_head *parked)
{
	struct mdc_open *mo, *next;

	list_for_each_entry_safe(mo, next, parked, mop_parked) {
		if (batch->count == PARK_MAX)
			break;
		list_del_init(&mo->mop_parked);
		if (!mdc_open_is_lost(mo)) {
			batch->mo[batch->count++] = mo;
			continue;
		}
		closes_end(batch->mdc, &mo, 1);
		WRITE_ONCE(mo->mop_closed, true);
		mdc_open_release(mo);
		mdc_open_put(mo);
	}
}

/* Close what is parked. Context: may sleep */
static void parked_send(struct mdc_device *mdc)
{
	struct mdc_batch *batch;
	LIST_HEAD(parked);

	spin_lock(&mdc->mdc_close_lock);
	list_splice_init(&mdc->mdc_parked, &parked);
	mdc->mdc_parked_nr = 0;
	spin_unlock(&mdc->mdc_close_lock);
	while (!list_empty(&parked)) {
		batch = kzalloc(sizeof(*batch), GFP_NOFS | __GFP_NOFAIL);
		batch->mdc = mdc;
		batch_take(batch, &parked);
		if (batch->count)
			batch_send(batch);
		else
			kfree(batch);
	}
}

static void close_work(struct work_struct *work)
{
	parked_send(container_of(work, struct mdc_device, mdc_close_work.work));
}

/* The caller's reference on @mo is that of the list. */
static void close_park(struct mdc_open *mo)
{
	struct obd_export *exp = class_export_get(mo->mop_open.mop_exp);
	struct mdc_device *mdc = mdc_device(exp->exp_obd);
	bool full;

	spin_lock(&mdc->mdc_close_lock);
	__mdc_pending_begin(mdc, &mo->mop_closing);
	list_add_tail(&mo->mop_parked, &mdc->mdc_parked);
	full = ++mdc->mdc_parked_nr >= PARK_MAX;
	spin_unlock(&mdc->mdc_close_lock);
	if (full)
		parked_send(mdc);
	else
		schedule_delayed_work(&mdc->mdc_close_work, PARK_TIME);
	class_export_put(exp);
}

void mdc_closes_init(struct mdc_device *mdc)
{
	spin_lock_init(&mdc->mdc_close_lock);
	INIT_LIST_HEAD(&mdc->mdc_parked);
	INIT_LIST_HEAD(&mdc->mdc_pending);
	init_waitqueue_head(&mdc->mdc_close_wait);
	INIT_DELAYED_WORK(&mdc->mdc_close_work, close_work);
	mdc_dones_init(mdc);
}

/* No export is left, and so no open. */
void mdc_closes_fini(struct mdc_device *mdc)
{
	WARN_ON_ONCE(!list_empty(&mdc->mdc_parked));
	cancel_delayed_work_sync(&mdc->mdc_close_work);
	mdc_dones_fini(mdc);
}

/* Whether the target has answered all up to a ticket. */
static bool is_answered(struct mdc_device *mdc, u64 ticket)
{
	const struct mdc_pending *first;
	bool answered;

	spin_lock(&mdc->mdc_close_lock);
	first = list_first_entry_or_null(&mdc->mdc_pending, struct mdc_pending, mpe_item);
	answered = !first || first->mpe_ticket > ticket;
	spin_unlock(&mdc->mdc_close_lock);
	return answered;
}

/**
 * mdc_closes() - m_closes of type mdc: send parked closes, and wait for all that were made before
 * @exp: export of the device
 * @obj: not used: the device has one target
 *
 * Does not wait for closes that are made during the call.
 *
 * Context: sleeps
 * Return: 0; -EINTR when the task is killed; -ENOTCONN, -ETIMEDOUT: the target does not answer
 */
int mdc_closes(struct obd_export *exp, const struct md_object *obj)
{
	struct mdc_device *mdc = mdc_device(exp->exp_obd);
	u64 ticket;
	long left;

	spin_lock(&mdc->mdc_close_lock);
	ticket = mdc->mdc_ticket;
	spin_unlock(&mdc->mdc_close_lock);
	parked_send(mdc);
	if (!may_wait_for(exp->exp_obd))
		return -ENOTCONN;
	left = compat_wait_event_task_timeout(mdc->mdc_close_wait, is_answered(mdc, ticket),
					      CLOSES_WAIT);
	return left > 0 ? 0 : left ? -EINTR : -ETIMEDOUT;
}

/**
 * mdc_close() - m_close of type mdc
 * @exp: export of the device
 * @open: what mdc_open() gave
 * @op: MDS_CLOSE; its handle is ignored. With MDS_CLOSE_DONE_LATER mdc_done() ends @open
 * @rep: out; zeros also where there is no answer, or the target knew no such open
 *
 * It waits neither for max_mod_rpcs_in_flight nor for a target that is not connected.
 *
 * Context: sleeps
 * Return: 0, also if the target has evicted this client since; as mdc_call()
 */
int mdc_close(struct obd_export *exp, struct md_open *open, const struct md_op_data *op,
	      struct md_reply *rep)
{
	struct mdc_open *mo = container_of(open, struct mdc_open, mop_open);

	mo->mop_flags = op->flags;
	if (op->flags & MDS_CLOSE_DONE_LATER)
		refcount_inc(&mo->mop_refcount);
	if (!op->later)
		return close_now(mo, op, rep);
	close_park(mo);
	return 0;
}
