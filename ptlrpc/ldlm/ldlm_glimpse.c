// SPDX-License-Identifier: GPL-2.0-only
/*
 * Glimpses: a client learns the newest value (LVB) of a resource without waiting for the
 * locks of others.
 *
 * The server grants the lock if it is free. Otherwise it sends a glimpse AST to each
 * client with a lock for writing that may know more than the server, and answers with
 * the newest of all values. A holder that cancels its lock meanwhile has written what it
 * knew; one that does not answer is evicted, as with a blocking AST.
 *
 * A glimpse needs an answer that was given after the glimpse came. One AST for a lock is in
 * flight at a time; glimpses that come meanwhile share the next one.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/err.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/wait.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

static const struct ldlm_policy whole = { .extent = { 0, LDLM_EXTENT_EOF } };

/*
 * The server.
 */

/**
 * struct ldlm_holder - a lock whose client is asked
 * @lock: lock, referenced
 * @need: number of the AST whose answer counts
 */
struct ldlm_holder {
	struct ldlm_lock	*lock;
	u32			need;
};

/* The next lock for writing that may know more; under r_lock. */
static struct ldlm_lock *holder_next(struct ldlm_resource *res, struct ldlm_lock *prev)
{
	const struct ldlm_lvb_ops *ops = res->r_ns->ns_lvb;
	struct ldlm_lock *lock = prev;

	while ((lock = ldlm_set_next(&res->r_granted, LDLM_EXTENT,
				     ldlm_modes_conflicting(LCK_PR), &whole, lock))) {
		if (lock->l_export && ops->lvbo_asks(res->r_lvb, &lock->l_policy.extent))
			break;
	}
	return lock;
}

static unsigned int holders_count(struct ldlm_resource *res)
{
	struct ldlm_lock *lock = NULL;
	unsigned int count = 0;

	spin_lock(&res->r_lock);
	while ((lock = holder_next(res, lock)))
		count++;
	spin_unlock(&res->r_lock);
	return count;
}

/*
 * Locks granted after holders_count() need not be asked: what is written under them is
 * written after the glimpse came.
 */
static unsigned int holders_take(struct ldlm_resource *res, struct ldlm_holder *holders,
				 unsigned int max)
{
	struct ldlm_lock *lock = NULL;
	unsigned int count = 0;

	spin_lock(&res->r_lock);
	while (count < max && (lock = holder_next(res, lock))) {
		holders[count].lock = ldlm_lock_get(lock);
		holders[count].need = lock->l_gl_sent + 1;
		count++;
	}
	spin_unlock(&res->r_lock);
	return count;
}

static bool is_answered(const struct ldlm_holder *holder)
{
	return (s32)(READ_ONCE(holder->lock->l_gl_done) - holder->need) >= 0;
}

/* Send an AST unless one is in flight. Return: whether there is nothing to wait for. */
static bool holder_step(const struct ldlm_holder *holder)
{
	struct ldlm_lock *lock = holder->lock;
	LIST_HEAD(todo);
	bool done;

	spin_lock(ldlm_lock_lock(lock));
	done = !ldlm_lock_is_granted(lock) || is_answered(holder);
	if (!done && lock->l_gl_sent == lock->l_gl_done) {
		lock->l_gl_sent++;
		set_bit(LDLM_LF_SEND_GL, &lock->l_flags);
		if (list_empty(&lock->l_todo_item))
			list_add_tail(&ldlm_lock_get(lock)->l_todo_item, &todo);
	}
	spin_unlock(ldlm_lock_lock(lock));
	ldlm_callbacks_send(&todo);
	return done;
}

/* The deadline of the AST bounds the wait: the client is evicted then. */
static int holder_wait(const struct ldlm_holder *holder)
{
	struct ldlm_lock *lock = holder->lock;

	while (!holder_step(holder)) {
		if (ldlm_is_stopping(ldlm_lock_ns(lock)))
			return -ESHUTDOWN;
		wait_event_timeout(lock->l_wait,
				   !ldlm_lock_is_granted(lock) || is_answered(holder) ||
				   READ_ONCE(lock->l_gl_sent) ==
				   READ_ONCE(lock->l_gl_done), LDLM_STOP_LOOK);
	}
	return 0;
}

/*
 * The device's value, read after the waits, and those of the holders. A stopping server has dropped
 * locks whose holders have not written what they know.
 */
static int values_merge(struct ldlm_resource *res, const struct ldlm_holder *holders,
			unsigned int count, void *lvb)
{
	unsigned int n;
	int rc;

	spin_lock(&res->r_lock);
	ldlm_lvb_read(res, lvb);
	for (n = 0; n < count; n++) {
		if (is_answered(&holders[n]) && holders[n].lock->l_lvb_len)
			res->r_ns->ns_lvb->lvbo_merge(lvb, holders[n].lock->l_lvb);
	}
	rc = ldlm_is_stopping(res->r_ns) ? -ESHUTDOWN : 0;
	spin_unlock(&res->r_lock);
	return rc;
}

static int holders_ask(struct ldlm_resource *res, void *lvb)
{
	unsigned int max = holders_count(res), count, n;
	struct ldlm_holder *holders = NULL;
	int rc = 0;

	if (max) {
		holders = kvmalloc_array(max, sizeof(*holders), GFP_NOFS);
		if (!holders)
			return -ENOMEM;
	}
	count = holders_take(res, holders, max);
	/* All at once, and then one after the other. */
	for (n = 0; n < count; n++)
		holder_step(&holders[n]);
	for (n = 0; !rc && n < count; n++)
		rc = holder_wait(&holders[n]);
	if (!rc)
		rc = values_merge(res, holders, count, lvb);
	for (n = 0; n < count; n++)
		ldlm_lock_put(holders[n].lock);
	kvfree(holders);
	return rc;
}

static int value_ask(struct ldlm_namespace *ns, const struct ldlm_res_id *id, void *lvb)
{
	struct ldlm_resource *res = ldlm_resource_make(ns, LDLM_EXTENT, id);
	int rc;

	if (IS_ERR(res))
		return PTR_ERR(res);
	rc = ldlm_lvb_init(res) ?: holders_ask(res, lvb);
	ldlm_resource_put(res);
	return rc;
}

/**
 * ldlm_server_value() - the newest value of a resource
 * @obd: device with the namespace of a server
 * @id: name of an EXTENT resource
 * @lvb: out, value
 *
 * Context: sleeps until the holders of locks for writing have answered or are evicted
 * Return: 0; -ENODATA for a server without values; -ESHUTDOWN if it stops; -ENOMEM; of lvbo_init
 */
int ldlm_server_value(struct obd_device *obd, const struct ldlm_res_id *id, void *lvb)
{
	struct ldlm_namespace *ns = ldlm_namespace_of_obd(obd, LDLM_SERVER);

	return ns && ns->ns_lvb ? value_ask(ns, id, lvb) : -ENODATA;
}
EXPORT_SYMBOL_NS_GPL(ldlm_server_value, LUSTRE_LITE);

/**
 * ldlm_server_glimpse() - handle an enqueue with LDLM_FL_GLIMPSE
 * @ns: namespace
 * @exp: client; the caller holds it
 * @enq: request, not validated
 * @answer: out, the lock; without a granted mode and a cookie if it was not free
 *
 * Context: sleeps until the holders have answered or are evicted
 * Return: 0; -ENODATA for a server without values; -ESHUTDOWN if it stops; -ENOMEM; as
 *  ldlm_server_enqueue()
 */
int ldlm_server_glimpse(struct ldlm_namespace *ns, struct obd_export *exp,
			const struct ldlm_enqueue *enq, struct lustre_lock *answer)
{
	struct ldlm_enqueue nowait = *enq;
	int rc;

	if (!enq->lvb)
		return -ENODATA;
	nowait.flags |= LDLM_FL_BLOCK_NOWAIT;
	rc = ldlm_server_enqueue(ns, exp, &nowait, answer);
	if (rc != -EWOULDBLOCK)
		return rc;
	answer->wl_server = 0;
	answer->wl_granted_mode = 0;
	/* The answer has no lock. */
	return value_ask(ns, &enq->res, enq->lvb);
}
EXPORT_FOR_KUNIT(ldlm_server_glimpse);

/**
 * ldlm_glimpse_answered() - a client has answered a glimpse AST
 * @lock: its lock, which the caller holds
 * @lvb: value, not validated
 * @len: its bytes; 0: the server has the newest value
 *
 * Context: any but an interrupt
 */
void ldlm_glimpse_answered(struct ldlm_lock *lock, const void *lvb, u32 len)
{
	u32 size = ldlm_lvb_size(ldlm_lock_ns(lock), LDLM_EXTENT);

	/* First: the next AST is not sent before l_gl_done says so, and is pending then. */
	ldlm_waiting_lock_del(lock, LDLM_LF_GL_PENDING);
	spin_lock(ldlm_lock_lock(lock));
	lock->l_lvb_len = len == size ? len : 0;
	if (lock->l_lvb_len)
		memcpy(lock->l_lvb, lvb, len);
	WRITE_ONCE(lock->l_gl_done, lock->l_gl_sent);
	spin_unlock(ldlm_lock_lock(lock));
	wake_up_all(&lock->l_wait);
}
EXPORT_FOR_KUNIT(ldlm_glimpse_answered);

/*
 * The client.
 */

/* Return: 0, and the lock may be granted; 1: once more; or an errno. */
static int glimpse_send(struct ldlm_lock *lock, void *lvb, u32 size)
{
	struct ptlrpc_request *req = ldlm_client_request(lock, LDLM_ENQUEUE,
							 LDLM_FL_GLIMPSE);
	const struct lustre_lock *answer;
	const void *value;
	int rc;

	if (IS_ERR(req))
		return PTR_ERR(req);
	rc = ptlrpc_queue_wait(req);
	answer = rc ? NULL : ptlrpc_rep_buf(req, LDLM_LOCK_BUF, sizeof(*answer));
	value = rc ? NULL : ptlrpc_rep_buf(req, LDLM_LVB_BUF, size);
	if (!rc && (!answer || !value))
		rc = -EPROTO;
	if (!rc && answer->wl_granted_mode)
		rc = ldlm_client_answered(lock, req);
	if (!rc)
		memcpy(lvb, value, size);
	ptlrpc_request_put(req);
	return rc;
}

/* A new lock, granted; NULL: it was not free; or ERR_PTR. */
static struct ldlm_lock *glimpse_enqueue(struct ldlm_namespace *ns,
					 const struct ldlm_res_id *id,
					 const struct ldlm_callbacks *cbs, void *data,
					 void *lvb, u32 size)
{
	struct ldlm_lock *lock = ldlm_client_lock_new(ns, LDLM_EXTENT, id, LCK_PR,
						      &whole, cbs, data);
	int rc;

	if (IS_ERR(lock))
		return lock;
	do {
		rc = glimpse_send(lock, lvb, size);
	} while (rc > 0);
	if (!rc && ldlm_lock_is_granted(lock))
		return lock;
	rc = rc ?: lock->l_error;
	ldlm_client_abandon(lock, rc);
	ldlm_lock_put(lock);
	return rc ? ERR_PTR(rc) : NULL;
}

/**
 * ldlm_cli_glimpse() - the newest value of a resource
 * @obd: client device; the caller keeps it set up
 * @id: name of an EXTENT resource
 * @cbs: callbacks of the owner, or NULL; valid as long as the lock
 * @data: their data
 * @lvb: out, value
 * @size: its bytes
 * @lockp: out, a PR lock of all of the resource, referenced and used once; NULL if it
 *  was not free
 *
 * The owner of a cached lock knows more than @lvb, which is the server's value at the time
 * of the grant: all changes since then are its own.
 *
 * Context: sleeps, until the holders of conflicting locks have answered or are evicted
 * Return: 0; -ENODATA if the server has no values, or none of that size; as
 *  ldlm_cli_enqueue()
 */
int ldlm_cli_glimpse(struct obd_device *obd, const struct ldlm_res_id *id,
		     const struct ldlm_callbacks *cbs, void *data,
		     void *lvb, u32 size, struct ldlm_lock **lockp)
{
	struct ldlm_namespace *ns = ldlm_namespace_of_obd(obd, LDLM_CLIENT);
	struct ldlm_lock *lock;

	if (!ns)
		return -EOPNOTSUPP;
	lock = ldlm_client_match(ns, id, LCK_PR, &whole, cbs, data);
	if (lock && !ldlm_lock_lvb(lock, lvb, size)) {
		ldlm_lock_decref(lock);
		ldlm_lock_put(lock);
		return -ENODATA;
	}
	if (!lock)
		lock = glimpse_enqueue(ns, id, cbs, data, lvb, size);
	if (IS_ERR(lock))
		return PTR_ERR(lock);
	*lockp = lock;
	return 0;
}
EXPORT_SYMBOL_NS_GPL(ldlm_cli_glimpse, LUSTRE_LITE);
