// SPDX-License-Identifier: GPL-2.0-only
/*
 * Open objects. The request that opened one is kept for replay until its close is on the
 * target's disk: a target that restarts gives a new handle. An open whose task is killed goes on,
 * and is closed when its answer comes; a close goes on in any case.
 */
#define DEBUG_SUBSYSTEM S_MDC

#include <linux/err.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/obd_export.h>

#include "mdc_internal.h"

/* enum open_state - where the answer to an open goes */
enum open_state {
	OPEN_ASKED,	/* to the task that waits for it */
	OPEN_ANSWERED,	/* it was read */
	OPEN_LEFT,	/* the task was killed: the object is closed */
};

/**
 * struct mdc_open - an open object
 * @mo_open: what the caller of m_open gets; has the export
 * @mo_refcount: held by the open until rq_committed, by the caller of m_open until m_close, by
 *	the close until rq_committed
 * @mo_state: enum open_state
 * @mo_rc: result of the open, once answered
 * @mo_generation: of the import when it was opened; the target knows no handle of an earlier one
 * @mo_object: the object
 * @mo_lock: guards what follows
 * @mo_handle: the target's handle, 0: the target has not opened it
 * @mo_replayed: a replay has given it
 * @mo_open_req: request that opened it, until rq_committed of it
 * @mo_close_req: request that closes it, likewise
 */
struct mdc_open {
	struct md_open		mo_open;
	refcount_t		mo_refcount;
	atomic_t		mo_state;
	int			mo_rc;
	u32			mo_generation;
	struct md_object	mo_object;
	spinlock_t		mo_lock;
	u64			mo_handle;
	bool			mo_replayed;
	struct ptlrpc_request	*mo_open_req;
	struct ptlrpc_request	*mo_close_req;
};

static void open_put(struct mdc_open *mo)
{
	if (!refcount_dec_and_test(&mo->mo_refcount))
		return;
	class_export_put(mo->mo_open.mop_exp);
	libcfs_free(mo, sizeof(*mo));
}

/* The open need not be replayed any more: it is closed, or there was nothing to open. */
static void open_release(struct mdc_open *mo)
{
	struct ptlrpc_request *req;

	spin_lock(&mo->mo_lock);
	req = mo->mo_open_req ? ptlrpc_request_get(mo->mo_open_req) : NULL;
	spin_unlock(&mo->mo_lock);
	if (!req)
		return;
	ptlrpc_replay_release(req);
	ptlrpc_request_put(req);
}

/* rq_committed of an open: it is not replayed from here on. */
static void open_committed(struct ptlrpc_request *req, int rc)
{
	struct mdc_open *mo = req->rq_cb_data;

	spin_lock(&mo->mo_lock);
	mo->mo_open_req = NULL;
	spin_unlock(&mo->mo_lock);
	open_put(mo);
}

static void handle_fill(struct ptlrpc_request *req, u64 handle)
{
	struct mdt_rec *rec = ptlrpc_req_buf(req, MDS_REC);

	rec->mr_handle = cpu_to_le64(handle);
}

/* The request names what is open. One that is sent again after a restart has the old handle. */
void mdc_open_handle_put(struct ptlrpc_request *req, struct md_open *open)
{
	struct mdc_open *mo = container_of(open, struct mdc_open, mo_open);

	spin_lock(&mo->mo_lock);
	handle_fill(req, mo->mo_handle);
	spin_unlock(&mo->mo_lock);
}

/* rq_replayed of an open: a close that was sent already has the new handle, too. */
static void open_replayed(struct ptlrpc_request *req, const struct ptlrpc_request *answer)
{
	struct mdc_open *mo = req->rq_cb_data;
	struct md_reply rep;

	if (md_reply_decode(&answer->rq_rep, &rep) || !(rep.flags & MDS_BODY_OPENED))
		return;
	mdc_note_object(req, answer);
	spin_lock(&mo->mo_lock);
	mo->mo_handle = rep.handle;
	mo->mo_replayed = true;
	if (mo->mo_close_req)
		handle_fill(mo->mo_close_req, rep.handle);
	spin_unlock(&mo->mo_lock);
}

/*
 * Close.
 */

/* rq_committed of a close: it is on disk, or failed. */
static void close_committed(struct ptlrpc_request *req, int rc)
{
	struct mdc_open *mo = req->rq_cb_data;

	spin_lock(&mo->mo_lock);
	mo->mo_close_req = NULL;
	spin_unlock(&mo->mo_lock);
	open_release(mo);
	open_put(mo);
}

/* A request with a reference on @mo, until rq_committed; an ERR_PTR. */
static struct ptlrpc_request *close_request(struct mdc_open *mo, const struct md_op_data *op)
{
	struct ptlrpc_request *req = mdc_op_request(mo->mo_open.mop_exp, op, NULL);

	if (IS_ERR(req))
		return req;
	refcount_inc(&mo->mo_refcount);
	req->rq_detach = true;
	req->rq_committed = close_committed;
	req->rq_cb_data = mo;
	req->rq_owner = THIS_MODULE;
	spin_lock(&mo->mo_lock);
	mo->mo_close_req = req;
	if (mo->mo_open_req)
		req->rq_releases = ptlrpc_request_get(mo->mo_open_req);
	handle_fill(req, mo->mo_handle);
	spin_unlock(&mo->mo_lock);
	return req;
}

/* Whether the target has forgotten the client since. */
static bool is_lost(const struct mdc_open *mo)
{
	const struct obd_device *obd = mo->mo_open.mop_exp->exp_obd;

	return READ_ONCE(obd->obd_cli->cl_import->imp_generation) != mo->mo_generation;
}

/*
 * A task that exits cannot be killed any more, and a target that is not connected may be away for
 * long: ptlrpcd closes.
 */
static bool may_wait(const struct mdc_open *mo)
{
	const struct obd_device *obd = mo->mo_open.mop_exp->exp_obd;

	return !(current->flags & PF_EXITING) && import_is_usable(obd->obd_cli->cl_import);
}

static int close_wait(struct mdc_open *mo, struct ptlrpc_request *req,
		      const struct md_op_data *op, struct md_reply *rep)
{
	int rc;

	if (!may_wait(mo)) {
		ptlrpcd_add(req);
		return 0;
	}
	rc = ptlrpc_queue_wait(req);
	if (rc)
		return rc == -ESTALE ? 0 : rc;
	return mdc_reply_read(req, op, rep);
}

/**
 * mdc_close() - m_close of type mdc
 * @exp: export of the device
 * @open: what mdc_open() gave
 * @op: MDS_CLOSE; its handle is ignored
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
	struct mdc_open *mo = container_of(open, struct mdc_open, mo_open);
	struct ptlrpc_request *req = is_lost(mo) ? NULL : close_request(mo, op);
	int rc;

	if (IS_ERR_OR_NULL(req)) {
		rc = PTR_ERR_OR_ZERO(req);
		open_release(mo);
	} else {
		rc = close_wait(mo, req, op, rep);
		ptlrpc_request_put(req);
	}
	open_put(mo);
	return rc;
}

/* The task that opened it was killed. Context: rq_interpret of the open. */
static void open_undo(struct mdc_open *mo)
{
	const struct md_op_data op = {
		.opc = MDS_CLOSE,
		.objects = 1,
		.object = { mo->mo_object },
	};
	struct ptlrpc_request *req = close_request(mo, &op);

	if (IS_ERR(req)) {
		open_release(mo);
		return;
	}
	ptlrpcd_add(req);
	ptlrpc_request_put(req);
}

/*
 * Open.
 */

/* Return: 0, and the object is open if @mo has a handle; -EPROTO */
static int open_read(struct mdc_open *mo, struct ptlrpc_request *req)
{
	struct md_reply rep;

	if (md_reply_decode(&req->rq_rep, &rep))
		return -EPROTO;
	mo->mo_object = rep.object;
	mo->mo_generation = req->rq_generation;
	spin_lock(&mo->mo_lock);
	/* The target may have restarted since it answered. */
	if (!mo->mo_replayed && rep.flags & MDS_BODY_OPENED)
		mo->mo_handle = rep.handle;
	/* A replay that came first has noted its own. */
	if (!mo->mo_replayed)
		mdc_note_object(req, req);
	spin_unlock(&mo->mo_lock);
	return 0;
}

/* rq_interpret of an open: by its task, or by ptlrpcd after the task was killed. */
static int open_interpret(struct ptlrpc_request *req, void *data, int rc)
{
	struct mdc_open *mo = data;

	mo->mo_rc = rc ?: open_read(mo, req);
	if (atomic_xchg(&mo->mo_state, OPEN_ANSWERED) == OPEN_LEFT) {
		if (!mo->mo_rc && mo->mo_handle)
			open_undo(mo);
		else
			open_release(mo);
		open_put(mo);
	}
	return mo->mo_rc;
}

/* With a reference for the request, until rq_committed, and one for the caller. */
static struct mdc_open *open_new(struct obd_export *exp, struct ptlrpc_request *req)
{
	struct mdc_open *mo = libcfs_zalloc(sizeof(*mo), GFP_KERNEL_ACCOUNT);

	if (!mo)
		return NULL;
	mo->mo_open.mop_exp = class_export_get(exp);
	refcount_set(&mo->mo_refcount, 2);
	atomic_set(&mo->mo_state, OPEN_ASKED);
	spin_lock_init(&mo->mo_lock);
	mo->mo_open_req = req;
	req->rq_detach = true;
	req->rq_sticky = true;
	req->rq_interpret = open_interpret;
	req->rq_interpret_data = mo;
	req->rq_committed = open_committed;
	req->rq_replayed = open_replayed;
	req->rq_cb_data = mo;
	req->rq_owner = THIS_MODULE;
	return mo;
}

/* The answer is there: what it says, and what the caller gets. */
static int open_done(struct mdc_open *mo, struct ptlrpc_request *req,
		     const struct md_op_data *op, struct md_reply *rep, struct md_open **open)
{
	int rc = mo->mo_rc ?: mdc_reply_read(req, op, rep);

	if (!rc && mo->mo_handle) {
		*open = &mo->mo_open;
		return 0;
	}
	/* Not a file that is opened, or a malformed answer. */
	if (mo->mo_handle)
		open_undo(mo);
	else
		open_release(mo);
	open_put(mo);
	return rc;
}

/**
 * mdc_open() - m_open of type mdc
 * @exp: export of the device
 * @op: REINT_OPEN
 * @rep: out
 * @open: out, for mdc_close(); NULL if the object was not opened
 *
 * Context: sleeps
 * Return: as mdc_call()
 */
int mdc_open(struct obd_export *exp, const struct md_op_data *op, struct md_reply *rep,
	     struct md_open **open)
{
	struct mdc_device *mdc = mdc_device(exp->exp_obd);
	struct ptlrpc_request *req;
	struct mdc_locks locks;
	struct mdc_open *mo;
	int rc = mdc_mod_begin(mdc);

	if (rc)
		return rc;
	mdc_locks_begin(&locks, exp, op);
	req = mdc_op_request(exp, op, &locks);
	if (IS_ERR(req)) {
		rc = PTR_ERR(req);
		mdc_locks_end(&locks, NULL, rc, rep);
		goto end;
	}
	mo = open_new(exp, req);
	rc = mo ? ptlrpc_queue_wait(req) : -ENOMEM;
	/* Killed: what the answer opens is closed when it comes. */
	if (mo && (rc != -EINTR || atomic_xchg(&mo->mo_state, OPEN_LEFT) == OPEN_ANSWERED))
		rc = open_done(mo, req, op, rep, open);
	mdc_locks_end(&locks, req, rc, rep);
	if (rc == -EINTR && mo)
		rep->req = ptlrpc_request_get(req);
	ptlrpc_request_put(req);
end:
	mdc_mod_end(mdc);
	return rc;
}
