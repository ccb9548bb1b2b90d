// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests to a metadata target. A change is kept for replay by ptlrpc, as its reply has a
 * transaction, and goes on when its task is killed: the target may have executed it, and another
 * client may see it. Changes at the same time are limited, so that lookups find a free slot.
 */
#define DEBUG_SUBSYSTEM S_MDC

#include <linux/err.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lustre_ea.h>
#include <lustre_lite/obd_export.h>

#include "mdc_internal.h"

/* Memory reserved for an ACL in a reply, and at most for the target of a symbolic link. */
#define REPLY_ACL		256
#define REPLY_TARGET		512

/* Memory for the usual reply: a larger one is received, too. */
static u32 reply_size(const struct md_op_data *op)
{
	const u32 most = op->opc == MDS_GETXATTR ? MDS_XATTR_MAX : REPLY_TARGET;

	return max_t(u32, WIRE_MSG_SIZE + sizeof(struct mdt_body) + sizeof(struct lustre_attr) +
			  sizeof(struct lustre_lock) + REPLY_ACL + codec_round8(min(op->size, most)), RQ_REPLY_SIZE);
}

/**
 * mdc_request_new() - a request to the target
 * @exp: export of the device
 * @opc: operation
 * @lens: bytes of each buffer
 * @count: buffers
 *
 * Context: may sleep
 * Return: request in RQ_NEW; ERR_PTR: -ENOTCONN if the export was evicted, -EOPNOTSUPP if the
 *  target is called and not sent messages, -ENOMEM
 */
struct ptlrpc_request *mdc_request_new(struct obd_export *exp, u32 opc, const u32 *lens,
				       unsigned int count)
{
	struct obd_import *imp = exp->exp_obd->obd_cli->cl_import;

	if (!class_connected_export(exp))
		return ERR_PTR(-ENOTCONN);
	if (READ_ONCE(imp->imp_link) == IMP_LINK_LOOPBACK) {
		CERROR("%s: files of %s are not accessible at 0@lo; use another NID of this node: rc = %d\n",
		       exp->exp_obd->obd_name, imp->imp_target_uuid.uuid, -EOPNOTSUPP);
		return ERR_PTR(-EOPNOTSUPP);
	}
	return ptlrpc_request_new(imp, opc, MDS_REQUEST_PORTAL, lens, count) ?: ERR_PTR(-ENOMEM);
}

/* Whether it may give a file a layout: a replay has the same one. */
static bool may_give_layout(const struct md_op_data *op)
{
	if (op->opc != MDS_REINT)
		return false;
	if (op->reint == REINT_SETXATTR)
		return md_xattr_is_layout(op->name);
	return op->reint == REINT_SETATTR || op->reint == REINT_OPEN || op->reint == REINT_LAYOUT;
}

/* A request for an operation; an ERR_PTR. @locks: NULL: it has no locks */
struct ptlrpc_request *mdc_op_request(struct obd_export *exp, const struct md_op_data *op,
				      const struct mdc_locks *locks)
{
	u32 lens[MDS_REQUEST_BUFS];
	struct ptlrpc_request *req;

	md_op_lens(op, lens);
	if (locks)
		mdc_locks_lens(locks, lens);
	req = mdc_request_new(exp, op->opc, lens, ARRAY_SIZE(lens));
	if (IS_ERR(req))
		return req;
	md_op_encode(req->rq_req_msg, op);
	if (locks)
		mdc_locks_pack(locks, req);
	if (op->open)
		mdc_open_handle_put(req, op->open);
	req->rq_rep_size = reply_size(op);
	if (op->once) {
		req->rq_no_resend = true;
		req->rq_no_delay = true;
	}
	if (may_give_layout(op)) {
		req->rq_replay_buf = MDS_VALUE;
		req->rq_replay_from = MDS_LAYOUT;
	}
	return req;
}

/* The target of a symbolic link is a text that fits where it was to go. */
static const char *result_fault(const struct md_op_data *op, const struct md_reply *rep)
{
	if (rep->result_len > op->size)
		return "a longer result than was asked for";
	if (op->opc != MDS_GETXATTR && rep->result_len &&
	    memchr(rep->result, '\0', rep->result_len))
		return "a target with a NUL";
	return NULL;
}

/**
 * mdc_reply_read() - decode a reply
 * @req: request, answered with status 0
 * @op: its operation
 * @rep: out; zeros on failure
 *
 * Context: any
 * Return: 0 or -EPROTO
 */
int mdc_reply_read(struct ptlrpc_request *req, const struct md_op_data *op, struct md_reply *rep)
{
	const char *fault = md_reply_decode(&req->rq_rep, rep) ?: result_fault(op, rep);

	if (!fault) {
		rep->req = ptlrpc_request_get(req);
		return 0;
	}
	memset(rep, 0, sizeof(*rep));
	CERROR("%s: malformed reply of %s to operation %u: %s: rc = %d\n",
	       req->rq_import->imp_obd->obd_name, req->rq_import->imp_target_uuid.uuid,
	       op->opc, fault, -EPROTO);
	return -EPROTO;
}

/**
 * struct mdc_mod - a task that waits to make a change
 * @mod_item: in mdc_mod_waiting
 * @mod_wait: where it sleeps
 * @mod_goes: it is its turn
 */
struct mdc_mod {
	struct list_head	mod_item;
	wait_queue_head_t	mod_wait;
	bool			mod_goes;
};

/* One after the other, the first one first. */
static void __mods_grant(struct mdc_device *mdc)
{
	struct mdc_mod *mod;

	lockdep_assert_held(&mdc->mdc_mod_lock);
	while (mdc->mdc_mod_rpcs < READ_ONCE(mdc->mdc_max_mod_rpcs)) {
		mod = list_first_entry_or_null(&mdc->mdc_mod_waiting, struct mdc_mod, mod_item);
		if (!mod)
			break;
		list_del_init(&mod->mod_item);
		mdc->mdc_mod_rpcs++;
		WRITE_ONCE(mod->mod_goes, true);
		wake_up(&mod->mod_wait);
	}
}

/**
 * mdc_mod_begin() - wait until another change may be sent
 * @mdc: device
 *
 * Tasks go in the order in which they came.
 *
 * Context: sleeps
 * Return: 0, and mdc_mod_end() is to be called; -EINTR when the task is killed
 */
int mdc_mod_begin(struct mdc_device *mdc)
{
	struct mdc_mod mod = {};
	bool goes;

	init_waitqueue_head(&mod.mod_wait);
	spin_lock(&mdc->mdc_mod_lock);
	list_add_tail(&mod.mod_item, &mdc->mdc_mod_waiting);
	__mods_grant(mdc);
	spin_unlock(&mdc->mdc_mod_lock);
	compat_wait_event_task_timeout(mod.mod_wait, READ_ONCE(mod.mod_goes), MAX_SCHEDULE_TIMEOUT);
	/* The task that woke it uses @mod no more. */
	spin_lock(&mdc->mdc_mod_lock);
	goes = mod.mod_goes;
	list_del(&mod.mod_item);
	spin_unlock(&mdc->mdc_mod_lock);
	return goes ? 0 : -EINTR;
}

/* A change was answered, or its task waits for it no longer. Any context but an interrupt. */
void mdc_mod_end(struct mdc_device *mdc)
{
	spin_lock(&mdc->mdc_mod_lock);
	mdc->mdc_mod_rpcs--;
	__mods_grant(mdc);
	spin_unlock(&mdc->mdc_mod_lock);
}

/* Any context but an interrupt. */
void mdc_mods_set(struct mdc_device *mdc, u32 most)
{
	spin_lock(&mdc->mdc_mod_lock);
	WRITE_ONCE(mdc->mdc_max_mod_rpcs, most);
	__mods_grant(mdc);
	spin_unlock(&mdc->mdc_mod_lock);
}

/**
 * mdc_note_object() - a create or open was answered: its replay names the object of the reply
 * @req: request that may be replayed; also as its rq_replayed
 * @answer: @req, or its replay
 *
 * The target finds the object then although another request has renamed or removed it since. A
 * replay that begins just now has the FID alone, and the name leads to the object.
 *
 * Context: any
 */
void mdc_note_object(struct ptlrpc_request *req, const struct ptlrpc_request *answer)
{
	const struct mdt_body *body = ptlrpc_rep_buf(answer, MDS_BODY, sizeof(*body));
	const struct lustre_msg *msg = req->rq_req_msg;
	struct lustre_object *objects = ptlrpc_req_buf(req, MDS_OBJECTS);

	if (body && le32_to_cpu(msg->lm_buflens[MDS_OBJECTS]) == 2 * sizeof(*objects))
		objects[1] = body->mb_object;
}

/* @locks: they end with the request */
static int call_send(struct ptlrpc_request *req, const struct md_op_data *op,
		     struct mdc_locks *locks, struct md_reply *rep)
{
	bool change = op->opc == MDS_REINT;
	int rc;

	req->rq_detach = change;
	if (change && op->reint == REINT_CREATE)
		req->rq_replayed = mdc_note_object;
	rc = ptlrpc_queue_wait(req) ?: mdc_reply_read(req, op, rep);
	if (!rc && req->rq_replayed)
		mdc_note_object(req, req);
	mdc_locks_end(locks, req, rc, rep);
	if (rc == -EINTR && change)
		rep->req = ptlrpc_request_get(req);
	return rc;
}

/**
 * mdc_call() - m_call of type mdc
 * @exp: export of the device
 * @op: operation
 * @rep: out
 *
 * Context: sleeps
 * Return: 0; the status of the target; -EPROTO; as ptlrpc_queue_wait() and mdc_request_new()
 */
int mdc_call(struct obd_export *exp, const struct md_op_data *op, struct md_reply *rep)
{
	struct mdc_device *mdc = mdc_device(exp->exp_obd);
	bool change = op->opc == MDS_REINT;
	struct ptlrpc_request *req;
	struct mdc_locks locks;
	int rc = change ? mdc_mod_begin(mdc) : 0;

	if (rc)
		return rc;
	mdc_locks_begin(&locks, exp, op);
	req = mdc_op_request(exp, op, &locks);
	if (IS_ERR(req)) {
		rc = PTR_ERR(req);
		mdc_locks_end(&locks, NULL, rc, rep);
	} else {
		rc = call_send(req, op, &locks, rep);
		ptlrpc_request_put(req);
	}
	if (change)
		mdc_mod_end(mdc);
	return rc;
}
