// SPDX-License-Identifier: GPL-2.0-only
/*
 * ASTs from a server to the clients that hold locks: cancel it (blocking AST),
 * it is granted (completion AST), what is the value of the resource (glimpse AST).
 * A client that does not cancel a lock or answer a completion or glimpse AST within
 * ldlm_timeout is evicted, so that others can go on.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/bits.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

/* l_flags: the client has something to answer. */
#define PENDING		(BIT(LDLM_LF_BL_PENDING) | BIT(LDLM_LF_CP_PENDING) | \
			 BIT(LDLM_LF_GL_PENDING))

/* Period of the check for late clients. */
#define WAITING_LOCKS_PERIOD	(HZ / 2)

/**
 * struct ldlm_callback - an AST to send
 * @lock: lock, referenced
 * @exp: its client, referenced
 * @opc: LDLM_BL_CALLBACK, LDLM_CP_CALLBACK or LDLM_GL_CALLBACK
 * @body: the lock in the message
 * @lvb: LDLM_CP_CALLBACK: value of the resource
 * @lvb_len: bytes of @lvb, 0 for none
 */
struct ldlm_callback {
	struct ldlm_lock	*lock;
	struct obd_export	*exp;
	u32			opc;
	struct lustre_lock	body;
	u8			lvb[LDLM_LVB_MAX];
	u32			lvb_len;
};

static void deadline_start(struct ldlm_lock *lock)
{
	lock->l_deadline = jiffies + READ_ONCE(ldlm_timeout) * HZ;
	lock->l_deadline_max = jiffies + READ_ONCE(ldlm_timeout) * HZ *
					 LDLM_PROLONG_MAX;
}

/**
 * ldlm_waiting_lock_add() - start the deadline of a lock's client
 * @lock: lock that is not LOCK_DESTROYED
 * @what: LDLM_LF_BL_PENDING, LDLM_LF_CP_PENDING or LDLM_LF_GL_PENDING
 *
 * Context: under r_lock
 */
void ldlm_waiting_lock_add(struct ldlm_lock *lock, unsigned int what)
{
	struct ldlm_namespace *ns = ldlm_lock_ns(lock);
	bool other;

	lockdep_assert_held(ldlm_lock_lock(lock));
	spin_lock(&ns->ns_lock);
	other = lock->l_flags & PENDING;
	/*
	 * An AST that is sent again does not start it again; nor do glimpses, which may
	 * come all the time, while another answer is due.
	 */
	if (!test_and_set_bit(what, &lock->l_flags) &&
	    !(other && what == LDLM_LF_GL_PENDING))
		deadline_start(lock);
	if (list_empty(&lock->l_waiting_item))
		list_add_tail(&lock->l_waiting_item, &ns->ns_waiting_locks);
	__ldlm_namespace_work(ns, WAITING_LOCKS_PERIOD, false);
	spin_unlock(&ns->ns_lock);
}

/**
 * ldlm_waiting_lock_del() - the client has answered
 * @lock: lock that the caller holds
 * @what: as in ldlm_waiting_lock_add()
 *
 * Context: any; not under ns_lock
 */
void ldlm_waiting_lock_del(struct ldlm_lock *lock, unsigned int what)
{
	struct ldlm_namespace *ns = ldlm_lock_ns(lock);

	spin_lock(&ns->ns_lock);
	clear_bit(what, &lock->l_flags);
	if (!(lock->l_flags & PENDING)) {
		clear_bit(LDLM_LF_RESEND, &lock->l_flags);
		list_del_init(&lock->l_waiting_item);
	}
	spin_unlock(&ns->ns_lock);
}
EXPORT_FOR_KUNIT(ldlm_waiting_lock_del);

static void __prolong(struct ldlm_lock *lock)
{
	unsigned long deadline = jiffies + READ_ONCE(ldlm_timeout) * HZ;

	lockdep_assert_held(&ldlm_lock_ns(lock)->ns_lock);
	if (time_after(deadline, lock->l_deadline_max))
		deadline = lock->l_deadline_max;
	if (time_after(deadline, lock->l_deadline))
		lock->l_deadline = deadline;
}

/**
 * ldlm_server_progress() - a client makes progress under its revoked locks
 * @obd: device with the namespace of a server; the caller keeps it set up
 * @exp: client
 * @id: EXTENT resource
 * @part: bytes that it has read or written
 *
 * A client that writes much back before it cancels is not evicted meanwhile, up to
 * LDLM_PROLONG_MAX times ldlm_timeout after the revocation.
 *
 * Context: any but an interrupt
 */
void ldlm_server_progress(struct obd_device *obd, struct obd_export *exp,
			  const struct ldlm_res_id *id,
			  const struct ldlm_extent *part)
{
	struct ldlm_namespace *ns = ldlm_namespace_of_obd(obd, LDLM_SERVER);
	const struct ldlm_policy policy = { .extent = *part };
	struct ldlm_resource *res = NULL;
	struct ldlm_lock *lock = NULL;

	/* Most of the time no lock at all is revoked. */
	if (ns && !list_empty_careful(&ns->ns_waiting_locks))
		res = ldlm_resource_find(ns, id);
	if (!res)
		return;
	spin_lock(&res->r_lock);
	while (res->r_type == LDLM_EXTENT &&
	       (lock = ldlm_set_next(&res->r_granted, LDLM_EXTENT, ~0U, &policy,
				     lock))) {
		if (lock->l_export != exp)
			continue;
		spin_lock(&ns->ns_lock);
		if (test_bit(LDLM_LF_BL_PENDING, &lock->l_flags))
			__prolong(lock);
		spin_unlock(&ns->ns_lock);
	}
	spin_unlock(&res->r_lock);
	ldlm_resource_put(res);
}
EXPORT_SYMBOL_NS_GPL(ldlm_server_progress, LUSTRE_LITE);

/**
 * ldlm_callback_failed() - an AST was not sent, or was answered with an error
 * @lock: lock that the caller holds
 * @rc: reason
 *
 * It is sent again by the work that checks the deadlines, as long as it is pending. The
 * client is not to blame for a server without memory: its deadline starts again.
 *
 * Context: any but an interrupt
 */
void ldlm_callback_failed(struct ldlm_lock *lock, int rc)
{
	struct ldlm_namespace *ns = ldlm_lock_ns(lock);

	CDEBUG(D_DLMTRACE, "%s: callback of a lock failed, it is sent again: rc = %d\n",
	       ns->ns_name, rc);
	spin_lock(&ns->ns_lock);
	if (!list_empty(&lock->l_waiting_item)) {
		set_bit(LDLM_LF_RESEND, &lock->l_flags);
		if (rc == -ENOMEM)
			__prolong(lock);
	}
	spin_unlock(&ns->ns_lock);
}
EXPORT_FOR_KUNIT(ldlm_callback_failed);

/*
 * A blocking AST names the bits that others wait for as optional ones. With a completion AST
 * the policy is that of the grant. Under r_lock.
 */
static void blocking_fill(struct ldlm_callback *cb, bool cp)
{
	struct ldlm_policy policy = cb->lock->l_policy;

	cb->body.wl_flags = cpu_to_le32(LDLM_FL_CBPENDING);
	if (cp || cb->lock->l_resource->r_type != LDLM_IBITS)
		return;
	policy.ibits.try_bits = ldlm_queue_wanted(cb->lock);
	wire_policy_encode(&cb->body, &policy);
}

/* The message, and the deadline of its answer; under r_lock. */
static void callback_fill(struct ldlm_callback *cb, bool bl, bool cp)
{
	struct ldlm_lock *lock = cb->lock;

	cb->lvb_len = cp ? ldlm_lvb_grant(lock, cb->lvb) : 0;
	ldlm_lock_to_wire(lock, &cb->body, LDLM_SERVER);
	if (bl) {
		blocking_fill(cb, cp);
		ldlm_waiting_lock_add(lock, LDLM_LF_BL_PENDING);
	}
	if (cp)
		ldlm_waiting_lock_add(lock, LDLM_LF_CP_PENDING);
	if (!bl && !cp)
		ldlm_waiting_lock_add(lock, LDLM_LF_GL_PENDING);
	if (bl || cp)
		cb->opc = cp ? LDLM_CP_CALLBACK : LDLM_BL_CALLBACK;
	else
		cb->opc = LDLM_GL_CALLBACK;
}

/*
 * Take the first lock out of the list and prepare its AST. One completion AST
 * serves for a lock that was granted and already blocks others. A lock of the server
 * itself needs none: its grant wakes the waiting task.
 */
static bool callback_take(struct list_head *todo, struct ldlm_callback *cb)
{
	struct ldlm_lock *lock = list_first_entry(todo, struct ldlm_lock,
						  l_todo_item);
	bool bl, cp, gl;

	cb->lock = lock;
	cb->exp = NULL;
	spin_lock(ldlm_lock_lock(lock));
	bl = test_and_clear_bit(LDLM_LF_SEND_BL, &lock->l_flags);
	cp = test_and_clear_bit(LDLM_LF_SEND_CP, &lock->l_flags);
	gl = !bl && !cp && test_and_clear_bit(LDLM_LF_SEND_GL, &lock->l_flags);
	/* A glimpse is a message of its own: the lock stays in the list for it. */
	if (test_bit(LDLM_LF_SEND_GL, &lock->l_flags))
		ldlm_lock_get(lock);
	else
		list_del_init(&lock->l_todo_item);
	if (lock->l_state != LOCK_DESTROYED && lock->l_export && (bl || cp || gl)) {
		cb->exp = class_export_get(lock->l_export);
		callback_fill(cb, bl, cp);
	}
	spin_unlock(ldlm_lock_lock(lock));
	return cb->exp;
}

static void glimpse_answered(struct ldlm_lock *lock, const struct wire_msg *msg)
{
	ldlm_glimpse_answered(lock, msg->bufs[0], msg->bufcount ? msg->buflens[0] : 0);
}

/* -ESTALE: the client has no such lock: it abandoned it before the AST came. */
static int callback_done(struct ptlrpc_request *req, void *data, int rc)
{
	struct ldlm_lock *lock = data;

	if (rc == -ESTALE && lock->l_resource->r_type == LDLM_FLOCK)
		ldlm_flock_cancel(lock);
	else if (rc == -ESTALE)
		ldlm_server_drop(lock);
	else if (rc)
		ldlm_callback_failed(lock, rc);
	else if (req->rq_opc == LDLM_GL_CALLBACK)
		glimpse_answered(lock, &req->rq_rep);
	else
		ldlm_waiting_lock_del(lock, LDLM_LF_CP_PENDING);
	ldlm_lock_put(lock);
	return rc;
}

static struct obd_import *reverse_import(struct obd_export *exp)
{
	struct obd_import *imp;

	spin_lock(&exp->exp_lock);
	imp = exp->exp_imp_reverse;
	if (imp)
		class_import_get(imp);
	spin_unlock(&exp->exp_lock);
	return imp;
}

static struct ptlrpc_request *callback_request(const struct ldlm_callback *cb)
{
	const u32 lens[] = { sizeof(struct lustre_lock), cb->lvb_len };
	struct obd_import *imp = reverse_import(cb->exp);
	struct ptlrpc_request *req;

	if (!imp)
		return ERR_PTR(-ENOTCONN);
	req = ptlrpc_request_new(imp, cb->opc, LDLM_CB_REQUEST_PORTAL, lens,
				 cb->lvb_len ? 2 : 1);
	class_import_put(imp);
	return req ?: ERR_PTR(-ENOMEM);
}

/*
 * Resent until it is answered without an error or the client is evicted: the lock's
 * deadline bounds it. The deadline also runs for a client that cannot be reached.
 */
static void callback_send(const struct ldlm_callback *cb)
{
	struct ptlrpc_request *req = callback_request(cb);

	ptlrpc_test_at(PTP_LOCK_AST, cb->lock);
	if (IS_ERR(req)) {
		ldlm_callback_failed(cb->lock, PTR_ERR(req));
		return;
	}
	*(struct lustre_lock *)ptlrpc_req_buf(req, LDLM_LOCK_BUF) = cb->body;
	if (cb->lvb_len)
		memcpy(ptlrpc_req_buf(req, LDLM_LVB_BUF), cb->lvb, cb->lvb_len);
	req->rq_handle = ptlrpc_export(cb->exp)->pe_client_import;
	req->rq_no_slot = true;
	req->rq_interpret = callback_done;
	req->rq_interpret_data = ldlm_lock_get(cb->lock);
	ptlrpcd_add(req);
	ptlrpc_request_put(req);
}

/**
 * ldlm_callbacks_send() - send ASTs
 * @todo: locks, each referenced by the list; empty afterwards
 *
 * Context: may sleep for memory, does not wait for peers
 */
void ldlm_callbacks_send(struct list_head *todo)
{
	struct ldlm_callback cb;

	while (!list_empty(todo)) {
		if (callback_take(todo, &cb)) {
			callback_send(&cb);
			class_export_put(cb.exp);
		}
		ldlm_lock_put(cb.lock);
	}
}

/* A lock whose AST must be sent again, referenced; or NULL. */
static struct ldlm_lock *waiting_lock_unsent(struct ldlm_namespace *ns)
{
	struct ldlm_lock *lock;

	spin_lock(&ns->ns_lock);
	list_for_each_entry(lock, &ns->ns_waiting_locks, l_waiting_item) {
		if (!test_and_clear_bit(LDLM_LF_RESEND, &lock->l_flags))
			continue;
		/* The next search need not pass it. */
		list_move_tail(&lock->l_waiting_item, &ns->ns_waiting_locks);
		ldlm_lock_get(lock);
		spin_unlock(&ns->ns_lock);
		return lock;
	}
	spin_unlock(&ns->ns_lock);
	return NULL;
}

/* Into a list of ASTs to send, unless it is in one already. */
static void send_again(struct ldlm_lock *lock, struct list_head *todo)
{
	spin_lock(ldlm_lock_lock(lock));
	if (test_bit(LDLM_LF_BL_PENDING, &lock->l_flags))
		set_bit(LDLM_LF_SEND_BL, &lock->l_flags);
	if (test_bit(LDLM_LF_CP_PENDING, &lock->l_flags))
		set_bit(LDLM_LF_SEND_CP, &lock->l_flags);
	if (test_bit(LDLM_LF_GL_PENDING, &lock->l_flags))
		set_bit(LDLM_LF_SEND_GL, &lock->l_flags);
	if (list_empty(&lock->l_todo_item))
		list_add_tail(&ldlm_lock_get(lock)->l_todo_item, todo);
	spin_unlock(ldlm_lock_lock(lock));
}

/* Send the ASTs that could not be sent, or were answered with an error. */
static void waiting_locks_resend(struct ldlm_namespace *ns)
{
	struct ldlm_lock *lock;
	LIST_HEAD(todo);

	while ((lock = waiting_lock_unsent(ns))) {
		send_again(lock, &todo);
		ldlm_lock_put(lock);
	}
	ldlm_callbacks_send(&todo);
}

/* A lock whose client is late, referenced and unlinked; or NULL. */
static struct ldlm_lock *waiting_lock_late(struct ldlm_namespace *ns)
{
	struct ldlm_lock *lock;

	spin_lock(&ns->ns_lock);
	list_for_each_entry(lock, &ns->ns_waiting_locks, l_waiting_item) {
		if (time_before(jiffies, lock->l_deadline))
			continue;
		list_del_init(&lock->l_waiting_item);
		ldlm_lock_get(lock);
		spin_unlock(&ns->ns_lock);
		return lock;
	}
	spin_unlock(&ns->ns_lock);
	return NULL;
}

/* The client to evict, referenced. */
static struct obd_export *late_client(struct ldlm_lock *lock)
{
	struct obd_export *exp = NULL;

	spin_lock(ldlm_lock_lock(lock));
	if (lock->l_state != LOCK_DESTROYED)
		exp = class_export_get(lock->l_export);
	spin_unlock(ldlm_lock_lock(lock));
	return exp;
}

static const char *what_is_late(const struct ldlm_lock *lock)
{
	if (test_bit(LDLM_LF_BL_PENDING, &lock->l_flags))
		return "did not cancel its";
	if (test_bit(LDLM_LF_CP_PENDING, &lock->l_flags))
		return "did not acknowledge the grant of its";
	return "did not answer a glimpse of its";
}

static void evict(struct ldlm_lock *lock, struct obd_export *exp)
{
	struct ldlm_namespace *ns = ldlm_lock_ns(lock);
	char res[LDLM_RES_TEXT_MAX], nid[LNET_NID_TEXT_MAX];

	ldlm_resource_text(&lock->l_resource->r_id, res, sizeof(res));
	if (libcfs_nid_print(&exp->exp_nid, nid, sizeof(nid)) < 0)
		strscpy(nid, "?", sizeof(nid));
	CWARN("%s: client %s at %s %s %s lock of %s within %u s, evicting it\n",
	      ns->ns_name, exp->exp_client_uuid.uuid, nid,
	      what_is_late(lock),
	      ldlm_mode_name(ldlm_lock_mode(lock)), res,
	      READ_ONCE(ldlm_timeout));
	atomic_inc(&ns->ns_timeouts);
	class_fail_export(exp);
}

/* ldlm_waiting_locks_check() - evict late clients. */
static void ldlm_waiting_locks_check(struct ldlm_namespace *ns)
{
	struct ldlm_lock *lock;
	struct obd_export *exp;

	while ((lock = waiting_lock_late(ns))) {
		exp = late_client(lock);
		if (exp) {
			evict(lock, exp);
			class_export_put(exp);
		}
		ldlm_lock_put(lock);
	}
}

/**
 * ldlm_waiting_locks_work() - send ASTs again and check for late clients, as long as any
 * lock has a deadline
 * @work: ns_work of a server
 *
 * Context: process
 */
void ldlm_waiting_locks_work(struct work_struct *work)
{
	struct ldlm_namespace *ns = container_of(to_delayed_work(work),
						 struct ldlm_namespace,
						 ns_work);

	waiting_locks_resend(ns);
	ldlm_waiting_locks_check(ns);
	spin_lock(&ns->ns_lock);
	if (!list_empty(&ns->ns_waiting_locks))
		__ldlm_namespace_work(ns, WAITING_LOCKS_PERIOD, false);
	spin_unlock(&ns->ns_lock);
}
