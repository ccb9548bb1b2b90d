// SPDX-License-Identifier: GPL-2.0
/*
 * What a server tells the clients that have locks: give it back (blocking
 * callback), you have it now (completion callback). And what becomes of clients
 * that do not react: a lock is given back, and a completion callback answered,
 * within ldlm_timeout, or the client is evicted and the others go on.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/err.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

/* How often it is looked for clients that are late. */
#define OWING_CHECK_JIFFIES	(HZ / 2)

/**
 * struct callback - a callback that is to be sent
 * @lock: lock, referenced
 * @exp: its client, referenced
 * @opc: LDLM_BL_CALLBACK or LDLM_CP_CALLBACK
 * @body: the lock as the client is told of it
 */
struct callback {
	struct ldlm_lock	*lock;
	struct obd_export	*exp;
	u32			opc;
	struct lustre_lock	body;
};

/**
 * ldlm_owes() - the client of a lock has to react from now on
 * @lock: lock that is not LOCK_DESTROYED
 * @what: LDLM_LF_OWES_*
 *
 * Context: under r_lock
 */
void ldlm_owes(struct ldlm_lock *lock, unsigned int what)
{
	struct ldlm_namespace *ns = ldlm_lock_ns(lock);

	lockdep_assert_held(ldlm_lock_lock(lock));
	spin_lock(&ns->ns_lock);
	set_bit(what, &lock->l_flags);
	lock->l_deadline = jiffies + READ_ONCE(ldlm_timeout) * HZ;
	if (list_empty(&lock->l_owe_item))
		list_add_tail(&lock->l_owe_item, &ns->ns_owing);
	__ldlm_namespace_work(ns, OWING_CHECK_JIFFIES, false);
	spin_unlock(&ns->ns_lock);
}

/**
 * ldlm_paid() - it reacted
 * @lock: lock that the caller holds
 * @what: LDLM_LF_OWES_*
 *
 * Context: any; not under ns_lock
 */
void ldlm_paid(struct ldlm_lock *lock, unsigned int what)
{
	struct ldlm_namespace *ns = ldlm_lock_ns(lock);

	spin_lock(&ns->ns_lock);
	clear_bit(what, &lock->l_flags);
	if (!test_bit(LDLM_LF_OWES_CANCEL, &lock->l_flags) &&
	    !test_bit(LDLM_LF_OWES_ANSWER, &lock->l_flags))
		list_del_init(&lock->l_owe_item);
	spin_unlock(&ns->ns_lock);
}
EXPORT_SYMBOL_NS_GPL(ldlm_paid, LUSTRE_LITE);

/*
 * Take the first lock out of the list and note what its client is to be told. A
 * lock that was granted and is in the way of others already makes one callback.
 */
static bool callback_take(struct list_head *todo, struct callback *cb)
{
	struct ldlm_lock *lock = list_first_entry(todo, struct ldlm_lock,
						  l_todo_item);
	bool bl, cp;

	cb->lock = lock;
	cb->exp = NULL;
	spin_lock(ldlm_lock_lock(lock));
	list_del_init(&lock->l_todo_item);
	bl = test_and_clear_bit(LDLM_LF_SEND_BL, &lock->l_flags);
	cp = test_and_clear_bit(LDLM_LF_SEND_CP, &lock->l_flags);
	if (lock->l_state != LOCK_DESTROYED && (bl || cp)) {
		cb->exp = class_export_get(lock->l_export);
		cb->opc = cp ? LDLM_CP_CALLBACK : LDLM_BL_CALLBACK;
		ldlm_lock_to_wire(lock, &cb->body, LDLM_SERVER);
		if (bl)
			cb->body.wl_flags = cpu_to_le32(LDLM_FL_CBPENDING);
		if (bl)
			ldlm_owes(lock, LDLM_LF_OWES_CANCEL);
		if (cp)
			ldlm_owes(lock, LDLM_LF_OWES_ANSWER);
	}
	spin_unlock(ldlm_lock_lock(lock));
	return cb->exp;
}

/* -ESTALE: the client has no such lock: it gave it up before it heard of it. */
static int callback_done(struct ptlrpc_request *req, void *data, int rc)
{
	struct ldlm_lock *lock = data;

	if (rc == -ESTALE)
		ldlm_server_drop(lock);
	else if (!rc)
		ldlm_paid(lock, LDLM_LF_OWES_ANSWER);
	else
		CDEBUG(D_DLMTRACE, "%s: callback %u was not answered: rc = %d\n",
		       ldlm_lock_ns(lock)->ns_name, req->rq_opc, rc);
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

static struct ptlrpc_request *callback_request(const struct callback *cb)
{
	static const u32 lens[] = { sizeof(struct lustre_lock) };
	struct obd_import *imp = reverse_import(cb->exp);
	struct ptlrpc_request *req;

	if (!imp)
		return NULL;
	req = ptlrpc_request_new(imp, cb->opc, LDLM_CB_REQUEST_PORTAL, lens,
				 ARRAY_SIZE(lens));
	class_import_put(imp);
	return IS_ERR(req) ? NULL : req;
}

/*
 * Resent until it is answered, or the client is evicted: the lock's deadline bounds
 * it. A client that cannot be told has that deadline, too.
 */
static void callback_send(const struct callback *cb)
{
	struct ptlrpc_request *req = callback_request(cb);

	if (!req) {
		CDEBUG(D_DLMTRACE, "%s: client %s cannot be told of its lock\n",
		       ldlm_lock_ns(cb->lock)->ns_name,
		       cb->exp->exp_client_uuid.uuid);
		return;
	}
	*(struct lustre_lock *)ptlrpc_req_buf(req, 0) = cb->body;
	req->rq_handle = ptlrpc_export(cb->exp)->pe_client_import;
	req->rq_no_slot = true;
	req->rq_interpret = callback_done;
	req->rq_interpret_data = ldlm_lock_get(cb->lock);
	ptlrpcd_add(req);
	ptlrpc_request_put(req);
}

/**
 * ldlm_callbacks_send() - tell the clients
 * @todo: locks, each referenced by the list; empty afterwards
 *
 * Context: may sleep for memory, and waits for nobody
 */
void ldlm_callbacks_send(struct list_head *todo)
{
	struct callback cb;

	while (!list_empty(todo)) {
		if (callback_take(todo, &cb)) {
			callback_send(&cb);
			class_export_put(cb.exp);
		}
		ldlm_lock_put(cb.lock);
	}
}

/* A lock whose client is late, referenced and out of the list; or NULL. */
static struct ldlm_lock *owing_late(struct ldlm_namespace *ns)
{
	struct ldlm_lock *lock;

	spin_lock(&ns->ns_lock);
	list_for_each_entry(lock, &ns->ns_owing, l_owe_item) {
		if (time_before(jiffies, lock->l_deadline))
			continue;
		list_del_init(&lock->l_owe_item);
		ldlm_lock_get(lock);
		spin_unlock(&ns->ns_lock);
		return lock;
	}
	spin_unlock(&ns->ns_lock);
	return NULL;
}

/* The client that is to be evicted, referenced. */
static struct obd_export *late_client(struct ldlm_lock *lock)
{
	struct obd_export *exp = NULL;

	spin_lock(ldlm_lock_lock(lock));
	if (lock->l_state != LOCK_DESTROYED)
		exp = class_export_get(lock->l_export);
	spin_unlock(ldlm_lock_lock(lock));
	return exp;
}

static void evict(struct ldlm_lock *lock, struct obd_export *exp)
{
	struct ldlm_namespace *ns = ldlm_lock_ns(lock);
	char res[LDLM_RES_TEXT_MAX], nid[LNET_NID_TEXT_MAX];

	ldlm_resource_text(&lock->l_resource->r_id, res, sizeof(res));
	if (libcfs_nid_print(&exp->exp_nid, nid, sizeof(nid)) < 0)
		strscpy(nid, "?", sizeof(nid));
	CWARN("%s: client %s at %s %s %s lock of %s within %u s, it is evicted\n",
	      ns->ns_name, exp->exp_client_uuid.uuid, nid,
	      test_bit(LDLM_LF_OWES_CANCEL, &lock->l_flags) ?
	      "did not give back its" : "did not say that it has its",
	      ldlm_mode_name(ldlm_lock_mode(lock)), res,
	      READ_ONCE(ldlm_timeout));
	atomic_inc(&ns->ns_timeouts);
	class_fail_export(exp);
}

/**
 * ldlm_owing_check() - evict the clients that are late
 * @ns: namespace of a server
 *
 * Context: may sleep
 * Return: how many
 */
unsigned int ldlm_owing_check(struct ldlm_namespace *ns)
{
	unsigned int evicted = 0;
	struct ldlm_lock *lock;
	struct obd_export *exp;

	while ((lock = owing_late(ns))) {
		exp = late_client(lock);
		if (exp) {
			evict(lock, exp);
			evicted++;
			class_export_put(exp);
		}
		ldlm_lock_put(lock);
	}
	return evicted;
}
EXPORT_SYMBOL_NS_GPL(ldlm_owing_check, LUSTRE_LITE);

/**
 * ldlm_owing_work() - look for clients that are late, as long as any owes something
 * @work: ns_work of a server
 *
 * Context: process
 */
void ldlm_owing_work(struct work_struct *work)
{
	struct ldlm_namespace *ns = container_of(to_delayed_work(work),
						 struct ldlm_namespace,
						 ns_work);

	ldlm_owing_check(ns);
	spin_lock(&ns->ns_lock);
	if (!list_empty(&ns->ns_owing))
		__ldlm_namespace_work(ns, OWING_CHECK_JIFFIES, false);
	spin_unlock(&ns->ns_lock);
}
