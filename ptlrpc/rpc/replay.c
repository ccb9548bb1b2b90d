// SPDX-License-Identifier: GPL-2.0
/*
 * Replay, at the client: requests that a target executed and has not on disk yet are
 * kept, and executed again when the target restarts.
 *
 * A request is kept from its reply until the target reports that its transaction is on
 * disk. None is dropped before, however many there are: a target that restarts would miss
 * it, and so would clients that depend on it. The target bounds their number, by writing
 * to disk; a large number is logged.
 *
 * Bulk data is not kept: a target that keeps transactions answers a request with bulk data
 * when it is on disk.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "import.h"

/* So many kept requests are logged; the next time at twice as many. */
#define REPLAY_MANY		4096
/* A target is in recovery for so many obd_timeout at most. */
#define RECOVERY_TIMEOUTS	9

/* Take requests up to @committed off the list; with ~0 all. */
static void replay_collect(struct obd_import *imp, u64 committed,
			   struct list_head *gone)
{
	struct ptlrpc_request *req, *next;

	lockdep_assert_held(&imp->imp_rq_lock);
	list_for_each_entry_safe(req, next, &imp->imp_replay,
				 rq_replay_item) {
		if (req->rq_rep.transno > committed)
			break;
		list_move_tail(&req->rq_replay_item, gone);
		imp->imp_replay_count--;
	}
}

static void replay_put(struct list_head *gone)
{
	struct ptlrpc_request *req, *next;

	list_for_each_entry_safe(req, next, gone, rq_replay_item) {
		list_del_init(&req->rq_replay_item);
		ptlrpc_request_put(req);
	}
}

/* By transno; the newest nearly always has the largest. */
static void replay_insert(struct obd_import *imp, struct ptlrpc_request *req)
{
	struct list_head *head = &imp->imp_replay;
	struct ptlrpc_request *at;

	lockdep_assert_held(&imp->imp_rq_lock);
	list_for_each_entry_reverse(at, head, rq_replay_item) {
		if (at->rq_rep.transno < req->rq_rep.transno)
			break;
	}
	list_add(&req->rq_replay_item, &at->rq_replay_item);
	imp->imp_replay_count++;
}

/* Whether the request has to be kept, and is not yet. */
static bool replay_wants(const struct obd_import *imp,
			 const struct ptlrpc_request *req)
{
	return test_bit(IMPF_REPLAYABLE, &imp->imp_flags) &&
	       req->rq_rep.transno > imp->imp_last_committed &&
	       req->rq_generation == READ_ONCE(imp->imp_generation) &&
	       !req->rq_replay_transno && !req->rq_bulk_out &&
	       list_empty(&req->rq_replay_item);
}

/* Return: whether their number is to be logged. */
static bool replay_is_long(struct obd_import *imp)
{
	lockdep_assert_held(&imp->imp_rq_lock);
	if (imp->imp_replay_count < max_t(unsigned int, REPLAY_MANY,
					 2 * imp->imp_replay_told))
		return false;
	imp->imp_replay_told = imp->imp_replay_count;
	return true;
}

/**
 * ptlrpc_replay_note() - a reply with a transaction came
 * @req: request, answered; kept until its transaction is on disk
 *
 * Context: any task
 */
void ptlrpc_replay_note(struct ptlrpc_request *req)
{
	struct obd_import *imp = req->rq_import;
	bool many = false;

	if (!req->rq_rep.transno)
		return;
	spin_lock(&imp->imp_rq_lock);
	if (replay_wants(imp, req)) {
		replay_insert(imp, ptlrpc_request_get(req));
		many = replay_is_long(imp);
	}
	spin_unlock(&imp->imp_rq_lock);
	if (many)
		CWARN("%s: target %s has not written %u requests to disk\n",
		      imp->imp_obd->obd_name, imp->imp_target_uuid.uuid,
		      imp->imp_replay_told);
}

/**
 * ptlrpc_replay_drop() - drop requests that are on disk, up to imp_last_committed
 * @imp: import
 *
 * Context: any task
 */
void ptlrpc_replay_drop(struct obd_import *imp)
{
	LIST_HEAD(gone);
	u64 committed;

	spin_lock(&imp->imp_rq_lock);
	committed = imp->imp_last_committed;
	replay_collect(imp, committed, &gone);
	if (imp->imp_replay_count < REPLAY_MANY)
		imp->imp_replay_told = 0;
	spin_unlock(&imp->imp_rq_lock);
	WRITE_ONCE(imp->imp_peer_committed, committed);
	replay_put(&gone);
}

/* Each kept request holds the import, so this comes before the import's end. */
void replay_forget(struct obd_import *imp)
{
	LIST_HEAD(gone);

	spin_lock(&imp->imp_rq_lock);
	replay_collect(imp, U64_MAX, &gone);
	imp->imp_last_committed = 0;
	spin_unlock(&imp->imp_rq_lock);
	replay_put(&gone);
}

void replay_import_changed(struct obd_import *imp)
{
	u32 generation = READ_ONCE(imp->imp_generation);
	bool stale;

	spin_lock(&imp->imp_rq_lock);
	stale = imp->imp_replay_generation != generation;
	imp->imp_replay_generation = generation;
	spin_unlock(&imp->imp_rq_lock);
	if (stale)
		replay_forget(imp);
}

/*
 * Replay.
 */

/* The request after @transno, referenced, or NULL. */
static struct ptlrpc_request *replay_next(struct obd_import *imp, u64 transno)
{
	struct ptlrpc_request *req, *found = NULL;

	spin_lock(&imp->imp_rq_lock);
	list_for_each_entry(req, &imp->imp_replay, rq_replay_item) {
		if (req->rq_rep.transno > transno) {
			found = ptlrpc_request_get(req);
			break;
		}
	}
	spin_unlock(&imp->imp_rq_lock);
	return found;
}

/* The same message and xid, in a new request. */
static struct ptlrpc_request *replay_copy(struct ptlrpc_request *old)
{
	struct ptlrpc_request *req = ptlrpc_request_again(old);

	if (!req)
		return ERR_PTR(-ENOMEM);
	req->rq_msg_flags = MSG_REPLAY;
	req->rq_replay_transno = old->rq_rep.transno;
	return req;
}

/* A request of recovery: sent once, in the present state of the import. */
static int replay_send(struct ptlrpc_request *req, u32 timeout)
{
	req->rq_send_state = READ_ONCE(req->rq_import->imp_state);
	req->rq_timeout = timeout;
	req->rq_no_resend = true;
	req->rq_no_delay = true;
	req->rq_no_slot = true;
	return ptlrpc_queue_wait(req);
}

/* Replays of other clients may have to come first: as long as recovery may take. */
static u32 replay_timeout(void)
{
	return READ_ONCE(obd_timeout) * RECOVERY_TIMEOUTS;
}

/*
 * A status of the handler is the result that it had the first time, too. These are not of
 * the handler: the request was not executed, and the next connect replays it again.
 */
static bool replay_failed(const struct ptlrpc_request *req, int rc)
{
	return rc && (!req->rq_rep.type || rc == -ENOTCONN || rc == -ESTALE ||
		      rc == -ENOMEM || rc == -EAGAIN || rc == -EINPROGRESS);
}

static int replay_one(struct ptlrpc_request *old)
{
	struct ptlrpc_request *req = replay_copy(old);
	struct obd_import *imp = old->rq_import;
	int rc;

	if (IS_ERR(req))
		return PTR_ERR(req);
	rc = replay_send(req, replay_timeout());
	if (rc)
		CWARN("%s: replay of transaction %llu at %s: rc = %d\n",
		      imp->imp_obd->obd_name, req->rq_replay_transno,
		      imp->imp_target_uuid.uuid, rc);
	if (replay_failed(req, rc)) {
		ptlrpc_request_put(req);
		return rc;
	}
	WRITE_ONCE(imp->imp_last_replay, req->rq_replay_transno);
	ptlrpc_request_put(req);
	return 0;
}

/* One at a time, in the order of their transactions. */
static int replay_requests(struct obd_import *imp)
{
	struct ptlrpc_request *old;
	u64 transno = 0;
	int rc = 0;

	while (!rc && (old = replay_next(imp, transno))) {
		transno = old->rq_rep.transno;
		if (atomic_read(&imp->imp_cancel))
			rc = -ECANCELED;
		else
			rc = replay_one(old);
		ptlrpc_request_put(old);
	}
	return rc;
}

static int replay_locks(struct obd_import *imp)
{
	if (!imp->imp_obd->obd_namespace)
		return 0;
	return import_locks->il_replay(imp);
}

/* The answer comes when the target's recovery is over. */
static int replay_wait(struct obd_import *imp)
{
	struct ptlrpc_request *req = ptlrpc_request_new(imp, OBD_PING,
							import_portal(imp),
							NULL, 0);
	int rc;

	if (!req)
		return -ENOMEM;
	req->rq_msg_flags = MSG_REQ_REPLAY_DONE | MSG_LOCK_REPLAY_DONE;
	rc = replay_send(req, replay_timeout());
	ptlrpc_request_put(req);
	return rc;
}

/**
 * ptlrpc_replay() - replay requests and locks to a target that restarted
 * @imp: import in LUSTRE_IMP_REPLAY, its connect mutex held; it is in
 *	LUSTRE_IMP_REPLAY_WAIT in the end
 *
 * Context: may sleep, for as long as the target's recovery may take; ended by
 * imp_cancel
 * Return: 0 or a negative errno
 */
int ptlrpc_replay(struct obd_import *imp)
{
	int rc = replay_requests(imp);

	if (!rc)
		rc = import_set_state(imp, LUSTRE_IMP_REPLAY_LOCKS);
	if (!rc)
		rc = replay_locks(imp);
	if (!rc)
		rc = import_set_state(imp, LUSTRE_IMP_REPLAY_WAIT);
	return rc ?: replay_wait(imp);
}
