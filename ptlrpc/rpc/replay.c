// SPDX-License-Identifier: GPL-2.0
/*
 * Replay, at the client: what a target did and has not on disk yet is kept, and
 * done again when the target restarted.
 *
 * A request is kept from its reply until the target says that its transaction is
 * on disk. None is dropped before, however many they are: a target that restarts
 * would miss it, and the clients behind it. So the target bounds them, by writing
 * to disk; that there are many is said.
 *
 * Bulk data is not kept: a target that keeps transactions answers a request that
 * brought bulk data when it is on disk.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "import_peer.h"

/* So many requests kept are worth a word; the next one at twice as many. */
#define REPLAY_MANY		4096
/* A target is in recovery for so many obd_timeout at most. */
#define RECOVERY_TIMEOUTS	9

/* Take what is on disk off the list, or with ~0 all. */
static void replay_collect(struct import_own *own, u64 committed,
			   struct list_head *gone)
{
	struct ptlrpc_request *req, *next;

	lockdep_assert_held(&own->po_import.pi_lock);
	list_for_each_entry_safe(req, next, &own->po_import.pi_replay,
				 rq_replay_item) {
		if (req->rq_rep.transno > committed)
			break;
		list_move_tail(&req->rq_replay_item, gone);
		own->po_replay_count--;
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

/* By transno; what comes last has the largest, nearly always. */
static void replay_insert(struct import_own *own, struct ptlrpc_request *req)
{
	struct list_head *head = &own->po_import.pi_replay;
	struct ptlrpc_request *at;

	lockdep_assert_held(&own->po_import.pi_lock);
	list_for_each_entry_reverse(at, head, rq_replay_item) {
		if (at->rq_rep.transno < req->rq_rep.transno)
			break;
	}
	list_add(&req->rq_replay_item, &at->rq_replay_item);
	own->po_replay_count++;
}

/* Whether it has to be kept, and is not yet. */
static bool replay_wants(const struct import_own *own,
			 const struct ptlrpc_request *req)
{
	const struct obd_import *imp = req->rq_import;

	return test_bit(IMPF_REPLAYABLE, &imp->imp_flags) &&
	       req->rq_rep.transno > own->po_import.pi_last_committed &&
	       req->rq_generation == READ_ONCE(imp->imp_generation) &&
	       !req->rq_replay_transno && !req->rq_bulk_out &&
	       list_empty(&req->rq_replay_item);
}

/* Return: whether it is time to say that they are many. */
static bool replay_is_long(struct import_own *own)
{
	lockdep_assert_held(&own->po_import.pi_lock);
	if (own->po_replay_count < max_t(unsigned int, REPLAY_MANY,
					 2 * own->po_replay_told))
		return false;
	own->po_replay_told = own->po_replay_count;
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
	struct import_own *own = import_own(imp);
	bool many = false;

	if (!own || !req->rq_rep.transno)
		return;
	spin_lock(&own->po_import.pi_lock);
	if (replay_wants(own, req)) {
		replay_insert(own, ptlrpc_request_get(req));
		many = replay_is_long(own);
	}
	spin_unlock(&own->po_import.pi_lock);
	if (many)
		CWARN("%s: target %s has %u requests that it has not put on disk\n",
		      imp->imp_obd->obd_name, imp->imp_target_uuid.uuid,
		      own->po_replay_told);
}

/**
 * ptlrpc_replay_drop() - forget what is on disk, up to pi_last_committed
 * @imp: import
 *
 * Context: any task
 */
void ptlrpc_replay_drop(struct obd_import *imp)
{
	struct import_own *own = import_own(imp);
	LIST_HEAD(gone);
	u64 committed;

	if (!own)
		return;
	spin_lock(&own->po_import.pi_lock);
	committed = own->po_import.pi_last_committed;
	replay_collect(own, committed, &gone);
	if (own->po_replay_count < REPLAY_MANY)
		own->po_replay_told = 0;
	spin_unlock(&own->po_import.pi_lock);
	WRITE_ONCE(imp->imp_peer_committed, committed);
	WRITE_ONCE(imp->imp_last_checked, committed);
	replay_put(&gone);
}

/* Each one kept holds the import, so this comes before the import's end. */
void replay_forget(struct import_own *own)
{
	LIST_HEAD(gone);

	spin_lock(&own->po_import.pi_lock);
	replay_collect(own, U64_MAX, &gone);
	own->po_import.pi_last_committed = 0;
	spin_unlock(&own->po_import.pi_lock);
	replay_put(&gone);
}

void replay_import_changed(struct obd_import *imp)
{
	struct import_own *own = import_own(imp);
	u32 generation = READ_ONCE(imp->imp_generation);
	bool stale;

	spin_lock(&own->po_import.pi_lock);
	stale = own->po_generation != generation;
	own->po_generation = generation;
	spin_unlock(&own->po_import.pi_lock);
	if (stale)
		replay_forget(own);
}

/*
 * Doing it again.
 */

/* The one behind @transno, referenced, or NULL. */
static struct ptlrpc_request *replay_next(struct import_own *own, u64 transno)
{
	struct ptlrpc_request *req, *found = NULL;

	spin_lock(&own->po_import.pi_lock);
	list_for_each_entry(req, &own->po_import.pi_replay, rq_replay_item) {
		if (req->rq_rep.transno > transno) {
			found = ptlrpc_request_get(req);
			break;
		}
	}
	spin_unlock(&own->po_import.pi_lock);
	return found;
}

/* The same message under the same xid, in a request of its own. */
static struct ptlrpc_request *replay_copy(struct ptlrpc_request *old)
{
	struct ptlrpc_request *req = ptlrpc_request_again(old);

	if (!req)
		return ERR_PTR(-ENOMEM);
	req->rq_msg_flags = MSG_REPLAY;
	req->rq_replay_transno = old->rq_rep.transno;
	return req;
}

/* One of those that bring the import back: sent once, in its present state. */
static int replay_send(struct ptlrpc_request *req, u32 timeout)
{
	req->rq_send_state = READ_ONCE(req->rq_import->imp_state);
	req->rq_timeout = timeout;
	req->rq_no_resend = true;
	req->rq_no_delay = true;
	req->rq_no_slot = true;
	return ptlrpc_queue_wait(req);
}

/* Replays of others may have to come first: as long as recovery may take. */
static u32 replay_timeout(void)
{
	return READ_ONCE(obd_timeout) * RECOVERY_TIMEOUTS;
}

/*
 * A status that the handler returned is what came of it the first time, too. These
 * are not the handler's: it was not done, and the next connect replays it again.
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

/* One at a time, in the order in which they were done. */
static int replay_requests(struct obd_import *imp)
{
	struct import_own *own = import_own(imp);
	struct ptlrpc_request *old;
	u64 transno = 0;
	int rc = 0;

	while (!rc && (old = replay_next(own, transno))) {
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

/* Answered when the target's recovery is over. */
static int replay_wait(struct obd_import *imp)
{
	struct ptlrpc_request *req = ptlrpc_request_new(imp, OBD_PING,
							transport_portal(imp),
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
 * ptlrpc_replay() - tr_replay: give a target that restarted what it lost
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
