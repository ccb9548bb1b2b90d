// SPDX-License-Identifier: GPL-2.0-only
/*
 * Open objects. The request that opened one is kept for replay until its close is on the
 * target's disk: a target that restarts gives a new handle. An open whose task is killed goes on,
 * and is closed when its answer comes.
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

/* Drop a reference. Any context. */
void mdc_open_put(struct mdc_open *mo)
{
	if (!refcount_dec_and_test(&mo->mop_refcount))
		return;
	class_export_put(mo->mop_open.mop_exp);
	libcfs_free(mo, sizeof(*mo));
}

/* The open need not be replayed any more: it is closed, or there was nothing to open. */
void mdc_open_release(struct mdc_open *mo)
{
	struct ptlrpc_request *req;

	spin_lock(&mo->mop_lock);
	req = mo->mop_open_req ? ptlrpc_request_get(mo->mop_open_req) : NULL;
	spin_unlock(&mo->mop_lock);
	if (!req)
		return;
	ptlrpc_replay_release(req);
	ptlrpc_request_put(req);
}

/* rq_committed of an open: it is not replayed from here on. */
static void open_committed(struct ptlrpc_request *req, int rc)
{
	struct mdc_open *mo = req->rq_cb_data;

	spin_lock(&mo->mop_lock);
	mo->mop_open_req = NULL;
	spin_unlock(&mo->mop_lock);
	mdc_open_put(mo);
}

/* The request names what is open. One that is sent again after a restart has the old handle. */
void mdc_open_handle_put(struct ptlrpc_request *req, struct md_open *open)
{
	struct mdc_open *mo = container_of(open, struct mdc_open, mop_open);

	spin_lock(&mo->mop_lock);
	mdc_handle_fill(req, 0, mo->mop_handle);
	spin_unlock(&mo->mop_lock);
}

/* rq_replayed of an open: a close that was sent already has the new handle, too. */
static void open_replayed(struct ptlrpc_request *req, const struct ptlrpc_request *answer)
{
	struct mdc_open *mo = req->rq_cb_data;
	struct md_reply rep;

	if (md_reply_decode(&answer->rq_rep, &rep) || !(rep.flags & MDS_BODY_OPENED))
		return;
	mdc_note_object(req, answer);
	spin_lock(&mo->mop_lock);
	mo->mop_handle = rep.handle;
	mo->mop_replayed = true;
	if (mo->mop_close_req)
		mdc_handle_fill(mo->mop_close_req, mo->mop_close_slot, rep.handle);
	spin_unlock(&mo->mop_lock);
}

/* The task that opened it was killed. Context: rq_interpret of the open. */
static void open_undo(struct mdc_open *mo)
{
	const struct md_op_data op = {
		.opc = MDS_CLOSE,
		.objects = 1,
		.object = { mo->mop_object },
	};
	struct ptlrpc_request *req = mdc_close_request(mo, &op);

	if (IS_ERR(req)) {
		mdc_open_release(mo);
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
	mo->mop_object = rep.object;
	mo->mop_generation = req->rq_generation;
	spin_lock(&mo->mop_lock);
	/* The target may have restarted since it answered. */
	if (!mo->mop_replayed && rep.flags & MDS_BODY_OPENED)
		mo->mop_handle = rep.handle;
	/* A replay that came first has noted its own. */
	if (!mo->mop_replayed)
		mdc_note_object(req, req);
	spin_unlock(&mo->mop_lock);
	return 0;
}

/* rq_interpret of an open: by its task, or by ptlrpcd after the task was killed. */
static int open_interpret(struct ptlrpc_request *req, void *data, int rc)
{
	struct mdc_open *mo = data;

	mo->mop_rc = rc ?: open_read(mo, req);
	if (atomic_xchg(&mo->mop_state, OPEN_ANSWERED) == OPEN_LEFT) {
		if (!mo->mop_rc && mo->mop_handle)
			open_undo(mo);
		else
			mdc_open_release(mo);
		mdc_open_put(mo);
	}
	return mo->mop_rc;
}

/* With a reference for the request, until rq_committed, and one for the caller. */
static struct mdc_open *open_new(struct obd_export *exp, struct ptlrpc_request *req)
{
	struct mdc_open *mo = libcfs_zalloc(sizeof(*mo), GFP_KERNEL_ACCOUNT);

	if (!mo)
		return NULL;
	mo->mop_open.mop_exp = class_export_get(exp);
	refcount_set(&mo->mop_refcount, 2);
	atomic_set(&mo->mop_state, OPEN_ASKED);
	spin_lock_init(&mo->mop_lock);
	mo->mop_open_req = req;
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
	int rc = mo->mop_rc ?: mdc_reply_read(req, op, rep);

	if (!rc && mo->mop_handle) {
		*open = &mo->mop_open;
		return 0;
	}
	/* Not a file that is opened, or a malformed answer. */
	if (mo->mop_handle)
		open_undo(mo);
	else
		mdc_open_release(mo);
	mdc_open_put(mo);
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
	if (mo && (rc != -EINTR || atomic_xchg(&mo->mop_state, OPEN_LEFT) == OPEN_ANSWERED))
		rc = open_done(mo, req, op, rep, open);
	mdc_locks_end(&locks, req, rc, rep);
	if (rc == -EINTR && mo)
		rep->req = ptlrpc_request_get(req);
	ptlrpc_request_put(req);
end:
	mdc_mod_end(mdc);
	return rc;
}
