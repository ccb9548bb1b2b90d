// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cancelling a client's lock. The task that moves it to LOCK_CANCELLING does
 * the rest: it notifies the owner, then the server, then destroys the lock.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/ktime.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

/**
 * ldlm_cancel_begin() - start to cancel an unused lock
 * @lock: lock of a client
 *
 * Context: under r_lock
 * Return: true if this call made it LOCK_CANCELLING
 */
bool ldlm_cancel_begin(struct ldlm_lock *lock)
{
	bool granted = lock->l_granted_mode;

	lockdep_assert_held(ldlm_lock_lock(lock));
	if (!ldlm_lock_may(lock->l_state, LOCK_CANCELLING))
		return false;
	ldlm_lock_move(lock, LOCK_CANCELLING);
	ldlm_lru_del(lock);
	if (granted)
		set_bit(LDLM_LF_NOTIFY_CANCELLED, &lock->l_flags);
	return true;
}

/**
 * ldlm_cancel_notify() - notify the owner that the lock is gone, once
 * @lock: lock of a client, which the caller cancels, or which is LOCK_DESTROYED; referenced
 *
 * The lock is replayed to a restarted server until the owner has returned: it may be writing.
 *
 * Context: sleeps as the owner does
 */
void ldlm_cancel_notify(struct ldlm_lock *lock)
{
	if (test_and_clear_bit(LDLM_LF_NOTIFY_CANCELLED, &lock->l_flags) &&
	    lock->l_cbs && lock->l_cbs->lcb_cancelled)
		lock->l_cbs->lcb_cancelled(lock, lock->l_data);
	/* Before l_remote is read for the cancel, see replay_accept(). */
	spin_lock(ldlm_lock_lock(lock));
	set_bit(LDLM_LF_RELEASED, &lock->l_flags);
	spin_unlock(ldlm_lock_lock(lock));
}
EXPORT_FOR_KUNIT(ldlm_cancel_notify);

/**
 * ldlm_cancel_end() - destroy locks whose cancel the server has answered
 * @locks: locks in LOCK_CANCELLING by l_todo_item, each referenced by the list; empty
 *  afterwards
 *
 * Context: any but an interrupt
 */
void ldlm_cancel_end(struct list_head *locks)
{
	struct ldlm_lock *lock, *next;

	list_for_each_entry_safe(lock, next, locks, l_todo_item) {
		list_del_init(&lock->l_todo_item);
		ldlm_lock_destroy(lock);
		ldlm_lock_put(lock);
	}
}

/* rq_interpret of a cancel. @data: the first one of its locks, which are a ring without a head */
static int cancel_done(struct ptlrpc_request *req, void *data, int rc)
{
	struct ldlm_lock *first = data;
	LIST_HEAD(locks);

	list_add_tail(&locks, &first->l_todo_item);
	ldlm_cancel_end(&locks);
	return rc;
}

/*
 * The server's cookie of a lock, or this client's while the enqueue has not been answered:
 * the reply may be on its way, or lost.
 */
static void cancel_fill(struct ptlrpc_request *req, struct list_head *locks,
			unsigned int known)
{
	__le64 *server = ptlrpc_req_buf(req, 0);
	__le64 *client = ptlrpc_req_buf(req, 1);
	struct ldlm_lock *lock;

	list_for_each_entry(lock, locks, l_todo_item) {
		u64 remote = READ_ONCE(lock->l_remote);

		/* A cookie that became known after counting has both. */
		if (remote && known) {
			*server++ = cpu_to_le64(remote);
			known--;
		} else {
			*client++ = cpu_to_le64(lock->l_handle.h_cookie);
		}
	}
}

static unsigned int count_known(struct list_head *locks)
{
	struct ldlm_lock *lock;
	unsigned int known = 0;

	list_for_each_entry(lock, locks, l_todo_item)
		known += !!READ_ONCE(lock->l_remote);
	return known;
}

static struct ptlrpc_request *cancel_request(struct list_head *locks,
					     unsigned int count)
{
	struct ldlm_lock *first = list_first_entry(locks, struct ldlm_lock,
						   l_todo_item);
	struct ldlm_namespace *ns = ldlm_lock_ns(first);
	unsigned int known = count_known(locks);
	u32 lens[] = { known * sizeof(__le64),
		       (count - known) * sizeof(__le64) };
	struct ptlrpc_request *req;

	if (!ns->ns_import)
		return NULL;
	req = ptlrpc_request_new(ns->ns_import, LDLM_CANCEL,
				 LDLM_CANCEL_REQUEST_PORTAL, lens,
				 ARRAY_SIZE(lens));
	if (IS_ERR_OR_NULL(req))
		return NULL;
	req->rq_no_slot = true;
	cancel_fill(req, locks, known);
	return req;
}

/**
 * ldlm_cancel_send() - send cancels to the server, without waiting
 * @locks: locks of one namespace in LOCK_CANCELLING, whose owners were
 *  notified, by l_todo_item, each referenced by the list; empty afterwards
 * @count: their number, at most LDLM_CANCEL_BATCH
 * @bounded: do not resend to a server that does not answer soon
 *
 * It allocates nothing but a request from the reserve: a cancel that a blocking AST has promised
 * cannot fail.
 *
 * Context: may sleep
 */
void ldlm_cancel_send(struct list_head *locks, unsigned int count, bool bounded)
{
	struct ptlrpc_request *req;

	if (list_empty(locks))
		return;
	req = cancel_request(locks, count);
	if (!req) {
		ldlm_cancel_end(locks);
		return;
	}
	req->rq_interpret = cancel_done;
	req->rq_interpret_data = list_first_entry(locks, struct ldlm_lock, l_todo_item);
	list_del_init(locks);
	if (bounded) {
		req->rq_no_delay = true;
		req->rq_no_resend = true;
		req->rq_timeout = LDLM_FREE_SEC;
	}
	ptlrpcd_add(req);
	ptlrpc_request_put(req);
}
EXPORT_FOR_KUNIT(ldlm_cancel_send);

/**
 * ldlm_cancel_one() - cancel one lock, without waiting
 * @lock: lock in LOCK_CANCELLING; the caller holds it
 *
 * Context: sleeps as the owner does
 */
void ldlm_cancel_one(struct ldlm_lock *lock)
{
	LIST_HEAD(locks);

	ldlm_cancel_notify(lock);
	list_add(&ldlm_lock_get(lock)->l_todo_item, &locks);
	ldlm_cancel_send(&locks, 1, false);
}

/**
 * ldlm_cancel_cookies() - cancel locks that the server may have granted, without waiting
 * @ns: namespace of a client
 * @client: cookies that the client gave
 * @count: their number, at most LDLM_CANCEL_MAX
 *
 * Context: may sleep
 */
void ldlm_cancel_cookies(struct ldlm_namespace *ns, const __le64 *client, unsigned int count)
{
	const u32 lens[] = { 0, count * sizeof(*client) };
	struct ptlrpc_request *req;

	if (!ns->ns_import)
		return;
	req = ptlrpc_request_new(ns->ns_import, LDLM_CANCEL,
				 LDLM_CANCEL_REQUEST_PORTAL, lens, ARRAY_SIZE(lens));
	if (IS_ERR_OR_NULL(req))
		return;
	req->rq_no_slot = true;
	memcpy(ptlrpc_req_buf(req, 1), client, lens[1]);
	ptlrpcd_add(req);
	ptlrpc_request_put(req);
}

/* Likewise one of them. */
void ldlm_cancel_cookie(struct ldlm_namespace *ns, u64 client)
{
	const __le64 cookie = cpu_to_le64(client);

	ldlm_cancel_cookies(ns, &cookie, 1);
}

/**
 * ldlm_cancel_queue() - cancel a lock together with others, without waiting
 * @lock: lock in LOCK_CANCELLING whose owner was notified; the caller holds it
 *
 * While a work sends cancels, more locks gather for its next request: a client whose
 * locks are revoked by the thousand does not send as many requests.
 *
 * Context: any but an interrupt
 */
void ldlm_cancel_queue(struct ldlm_lock *lock)
{
	struct ldlm_namespace *ns = ldlm_lock_ns(lock);

	atomic_inc(&ns->ns_busy);
	spin_lock(&ns->ns_lock);
	list_add_tail(&ldlm_lock_get(lock)->l_todo_item, &ns->ns_cancels);
	spin_unlock(&ns->ns_lock);
	queue_work(ldlm_wq, &ns->ns_cancel_work);
}

/**
 * ldlm_cancel_start() - cancel a lock, without waiting for its owner
 * @lock: lock in LOCK_CANCELLING; the caller holds it
 *
 * Context: any but an interrupt
 */
void ldlm_cancel_start(struct ldlm_lock *lock)
{
	if (lock->l_cbs && lock->l_cbs->lcb_cancelled)
		ldlm_lock_notify(lock, LDLM_LF_CANCEL);
	else
		ldlm_cancel_queue(lock);
}

/* Return: how many locks of ns_cancels were moved to @locks. */
static unsigned int queue_take(struct ldlm_namespace *ns, struct list_head *locks)
{
	unsigned int count = 0;

	spin_lock(&ns->ns_lock);
	while (count < LDLM_CANCEL_BATCH && !list_empty(&ns->ns_cancels)) {
		list_move_tail(ns->ns_cancels.next, locks);
		count++;
	}
	spin_unlock(&ns->ns_lock);
	return count;
}

/**
 * ldlm_cancel_work() - send the cancels of the queued locks
 * @work: ns_cancel_work of a client
 *
 * Context: process
 */
void ldlm_cancel_work(struct work_struct *work)
{
	struct ldlm_namespace *ns = container_of(work, struct ldlm_namespace,
						 ns_cancel_work);
	unsigned int count;
	LIST_HEAD(locks);

	ptlrpc_test_at(PTP_CANCEL_WORK, ns);
	while ((count = queue_take(ns, &locks))) {
		ldlm_cancel_send(&locks, count, false);
		ldlm_work_end(ns, count);
	}
}

/**
 * ldlm_cancel_wait() - cancel one lock, and wait for the server's answer
 * @lock: lock in LOCK_CANCELLING; the caller holds it
 *
 * If the task is killed, a thread completes the cancel.
 *
 * Context: sleeps
 * Return: 0; as ptlrpc_queue_wait(): the lock is gone in any case
 */
int ldlm_cancel_wait(struct ldlm_lock *lock)
{
	struct ptlrpc_request *req;
	LIST_HEAD(locks);
	int rc = 0;

	ldlm_cancel_notify(lock);
	list_add(&ldlm_lock_get(lock)->l_todo_item, &locks);
	req = cancel_request(&locks, 1);
	if (req) {
		rc = ptlrpc_queue_wait(req);
		ptlrpc_request_put(req);
	}
	if (rc == -EINTR)
		ldlm_cancel_send(&locks, 1, false);
	else
		ldlm_cancel_end(&locks);
	return rc;
}

/**
 * ldlm_cli_cancel() - cancel a lock now
 * @lock: lock of a client; the caller holds it
 *
 * Context: sleeps
 * Return: 0, also if it is gone or being cancelled; -EBUSY while it is used; as
 *  ptlrpc_queue_wait(), and the lock is gone then
 */
int ldlm_cli_cancel(struct ldlm_lock *lock)
{
	bool busy, begun;

	spin_lock(ldlm_lock_lock(lock));
	busy = lock->l_users || lock->l_state == LOCK_WAITING;
	begun = !busy && ldlm_cancel_begin(lock);
	spin_unlock(ldlm_lock_lock(lock));
	if (busy)
		return -EBUSY;
	return begun ? ldlm_cancel_wait(lock) : 0;
}
EXPORT_SYMBOL_NS_GPL(ldlm_cli_cancel, LUSTRE_LITE);

/**
 * ldlm_cli_cancel_unused() - cancel all unused locks
 * @obd: client device; the caller keeps it set up
 *
 * Context: may sleep; a thread sends the cancels
 * Return: how many; -EOPNOTSUPP for a device without locks
 */
int ldlm_cli_cancel_unused(struct obd_device *obd)
{
	struct ldlm_namespace *ns = ldlm_namespace_of_obd(obd, LDLM_CLIENT);

	if (!ns)
		return -EOPNOTSUPP;
	return ldlm_lru_cancel(ns, INT_MAX, ktime_get_ns(), false);
}
EXPORT_SYMBOL_NS_GPL(ldlm_cli_cancel_unused, LUSTRE_LITE);
