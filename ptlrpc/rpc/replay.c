// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replay, at the client: requests that a target executed and has not on disk yet are
 * kept, and executed again when the target restarts.
 *
 * A request is kept from its reply until the target reports that its transaction is on
 * disk. None is dropped before, however many there are: a target that restarts would miss
 * it, and so would clients that depend on it. The target bounds their number, by writing
 * to disk; a large number is logged.
 *
 * One with rq_sticky is kept until its maker releases it, and replayed though it is on disk.
 * It moves to a list of its own then: all of these come before the others, and nothing looks
 * at them until a replay.
 *
 * The bulk data of a request is its maker's. One that has rq_committed keeps it until that
 * is called, and the request is replayed with it. One without is not kept: the target
 * answers it when the data is on disk.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lustre_fid.h>
#include <uapi/lustre_lite/wire_mds.h>
#include <uapi/lustre_lite/wire_ost.h>

#include "import.h"

/* So many kept requests are logged; the next time at twice as many. */
#define REPLAY_MANY		4096
/* A target is in recovery for so many obd_timeout at most. */
#define RECOVERY_TIMEOUTS	9

/*
 * Users of the bulk data of a request that has rq_committed. The last one to leave tells its
 * maker, so that no page is freed while the network still sends it.
 */

static void bulk_user_get(struct ptlrpc_request *req)
{
	if (req->rq_committed)
		atomic_inc(&req->rq_bulk_users);
}

/* @rc: why the transaction is not on disk, or 0 */
static void bulk_user_put(struct ptlrpc_request *req, int rc)
{
	if (!req->rq_committed)
		return;
	if (rc)
		WRITE_ONCE(req->rq_commit_rc, rc);
	if (!atomic_dec_and_test(&req->rq_bulk_users))
		return;
	req->rq_committed(req, req->rq_commit_rc);
	module_put(req->rq_owner);
}

/**
 * ptlrpc_replay_begin() - a request is added to a set
 * @req: request in RQ_NEW
 *
 * Context: any task; by the driver
 */
void ptlrpc_replay_begin(struct ptlrpc_request *req)
{
	if (req->rq_committed)
		__module_get(req->rq_owner);
	bulk_user_get(req);
}

/**
 * ptlrpc_replay_end() - a request is over
 * @req: request in RQ_COMPLETE; unless it is kept, rq_committed is called now
 *
 * Context: may sleep; by the driver
 */
void ptlrpc_replay_end(struct ptlrpc_request *req)
{
	bulk_user_put(req, req->rq_status);
}

/* It is kept no longer than others; those up to imp_last_committed have been collected. */
static void __replay_release(struct obd_import *imp, struct ptlrpc_request *req,
			     struct list_head *gone)
{
	lockdep_assert_held(&imp->imp_rq_lock);
	req->rq_sticky = false;
	if (!req->rq_kept || req->rq_rep.transno > imp->imp_last_committed)
		return;
	req->rq_kept = false;
	list_move_tail(&req->rq_replay_item, gone);
}

/* @req is on disk. */
static void __releases_end(struct obd_import *imp, const struct ptlrpc_request *req,
			   struct list_head *gone)
{
	const struct ptlrpc_releases *more = req->rq_releases_more;
	u32 n;

	if (req->rq_releases)
		__replay_release(imp, req->rq_releases, gone);
	for (n = 0; more && n < more->rls_count; n++)
		if (more->rls_req[n])
			__replay_release(imp, more->rls_req[n], gone);
}

/* Take requests up to @committed off the list, and the sticky ones that they release. */
static void replay_collect(struct obd_import *imp, u64 committed,
			   struct list_head *gone)
{
	struct ptlrpc_request *req, *next;

	lockdep_assert_held(&imp->imp_rq_lock);
	list_for_each_entry_safe(req, next, &imp->imp_replay,
				 rq_replay_item) {
		if (req->rq_rep.transno > committed)
			break;
		imp->imp_replay_count--;
		req->rq_kept = req->rq_sticky;
		list_move_tail(&req->rq_replay_item, req->rq_sticky ? &imp->imp_sticky : gone);
	}
	list_for_each_entry(req, gone, rq_replay_item)
		__releases_end(imp, req, gone);
}

/* @rc: why they are not on disk, or 0 */
static void replay_put(struct list_head *gone, int rc)
{
	struct ptlrpc_request *req, *next;

	list_for_each_entry_safe(req, next, gone, rq_replay_item) {
		list_del_init(&req->rq_replay_item);
		bulk_user_put(req, rc);
		ptlrpc_request_put(req);
	}
}

/* By transno; the newest nearly always has the largest. */
static void replay_insert(struct obd_import *imp, struct ptlrpc_request *req)
{
	bool committed = req->rq_rep.transno <= imp->imp_last_committed;
	struct list_head *head = committed ? &imp->imp_sticky : &imp->imp_replay;
	struct ptlrpc_request *at;

	lockdep_assert_held(&imp->imp_rq_lock);
	list_for_each_entry_reverse(at, head, rq_replay_item) {
		if (at->rq_rep.transno < req->rq_rep.transno)
			break;
	}
	list_add(&req->rq_replay_item, &at->rq_replay_item);
	req->rq_kept = true;
	imp->imp_replay_count += !committed;
	bulk_user_get(req);
}

/* Whether what an answered request did is lost with the server. */
static bool is_volatile(const struct obd_import *imp,
			const struct ptlrpc_request *req)
{
	return test_bit(IMPF_REPLAYABLE, &imp->imp_flags) &&
	       (req->rq_sticky || req->rq_rep.transno > imp->imp_last_committed) &&
	       !req->rq_replay_transno && list_empty(&req->rq_replay_item);
}

/* Keep a request that needs it and that can be replayed. Return: whether it is kept. */
static bool replay_keep(struct obd_import *imp, struct ptlrpc_request *req)
{
	lockdep_assert_held(&imp->imp_rq_lock);
	if (!is_volatile(imp, req) || (req->rq_bulk_out && !req->rq_committed))
		return false;
	/* The target evicted this client meanwhile. */
	if (req->rq_generation != READ_ONCE(imp->imp_generation)) {
		WRITE_ONCE(req->rq_commit_rc, -EIO);
		return false;
	}
	replay_insert(imp, ptlrpc_request_get(req));
	return true;
}

/*
 * Whether an earlier life of the target has answered, which knew the client by another cookie.
 * The cookie changes before a replay: one that does not find the request in the list under
 * imp_rq_lock has let this see the new cookie.
 */
static bool is_of_the_past(const struct obd_import *imp, const struct ptlrpc_request *req)
{
	u64 cookie = READ_ONCE(imp->imp_remote_handle.cookie);

	lockdep_assert_held(&imp->imp_rq_lock);
	return cookie && req->rq_rep.handle && req->rq_rep.handle != cookie;
}

/* A request that is not kept, as it was on disk when it was answered. */
static void replay_note_committed(struct obd_import *imp, struct ptlrpc_request *req,
				  struct list_head *gone)
{
	lockdep_assert_held(&imp->imp_rq_lock);
	if ((!req->rq_releases && !req->rq_releases_more) ||
	    req->rq_rep.transno > imp->imp_last_committed)
		return;
	replay_collect(imp, imp->imp_last_committed, gone);
	__releases_end(imp, req, gone);
}

/* Return: whether their number is to be logged. */
static bool replay_is_long(struct obd_import *imp)
{
	lockdep_assert_held(&imp->imp_rq_lock);
	if (imp->imp_replay_count < max_t(unsigned int, REPLAY_MANY,
					 2 * imp->imp_replay_warned))
		return false;
	imp->imp_replay_warned = imp->imp_replay_count;
	return true;
}

/**
 * ptlrpc_replay_note() - a reply with a transaction came
 * @req: request, answered; kept until its transaction is on disk
 *
 * Context: any task
 * Return: false if the target has restarted since it answered: it may have lost the
 *  transaction, and the replay may be over. The request has to be sent again
 */
bool ptlrpc_replay_note(struct ptlrpc_request *req)
{
	struct obd_import *imp = req->rq_import;
	bool many = false, past;
	LIST_HEAD(gone);

	if (!req->rq_rep.transno || !test_bit(IMPF_REPLAYABLE, &imp->imp_flags))
		return true;
	spin_lock(&imp->imp_rq_lock);
	past = is_of_the_past(imp, req);
	if (!past && replay_keep(imp, req))
		many = replay_is_long(imp);
	else if (!past)
		replay_note_committed(imp, req, &gone);
	spin_unlock(&imp->imp_rq_lock);
	replay_put(&gone, 0);
	if (many)
		CWARN("%s: target %s has not written %u requests to disk\n",
		      imp->imp_obd->obd_name, imp->imp_target_uuid.uuid,
		      imp->imp_replay_warned);
	return !past;
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

	spin_lock(&imp->imp_rq_lock);
	replay_collect(imp, imp->imp_last_committed, &gone);
	if (imp->imp_replay_count < REPLAY_MANY)
		imp->imp_replay_warned = 0;
	spin_unlock(&imp->imp_rq_lock);
	replay_put(&gone, 0);
}

/**
 * ptlrpc_replay_release() - keep a sticky request no longer than others
 * @req: request with rq_sticky; the caller has a reference. May be one that is not kept
 *
 * Context: may sleep; calls rq_committed if it was kept and is on disk
 */
void ptlrpc_replay_release(struct ptlrpc_request *req)
{
	struct obd_import *imp = req->rq_import;
	LIST_HEAD(gone);

	spin_lock(&imp->imp_rq_lock);
	replay_collect(imp, imp->imp_last_committed, &gone);
	__replay_release(imp, req, &gone);
	spin_unlock(&imp->imp_rq_lock);
	replay_put(&gone, 0);
}
EXPORT_SYMBOL_NS_GPL(ptlrpc_replay_release, LUSTRE_LITE);

/* Each kept request holds the import, so this comes before the import's end. */
void replay_forget(struct obd_import *imp)
{
	struct ptlrpc_request *req;
	LIST_HEAD(gone);

	spin_lock(&imp->imp_rq_lock);
	list_splice_init(&imp->imp_sticky, &gone);
	list_splice_tail_init(&imp->imp_replay, &gone);
	list_for_each_entry(req, &gone, rq_replay_item)
		req->rq_kept = false;
	imp->imp_replay_count = 0;
	imp->imp_last_committed = 0;
	spin_unlock(&imp->imp_rq_lock);
	replay_put(&gone, -EIO);
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

/*
 * The request after @transno, referenced and with its bulk data, or NULL. @last: the one that
 * was replayed last, or NULL: the search starts there while it is kept.
 */
static struct ptlrpc_request *replay_next(struct obd_import *imp,
					  struct ptlrpc_request *last, u64 transno)
{
	struct ptlrpc_request *req, *found = NULL;
	struct list_head *at;

	spin_lock(&imp->imp_rq_lock);
	at = last && last->rq_kept ? &last->rq_replay_item : &imp->imp_sticky;
	while (!found) {
		at = at->next;
		/* The sticky ones are on disk, so the others come after them. */
		if (at == &imp->imp_sticky)
			at = imp->imp_replay.next;
		if (at == &imp->imp_replay)
			break;
		req = list_entry(at, struct ptlrpc_request, rq_replay_item);
		if (req->rq_rep.transno > transno)
			found = ptlrpc_request_get(req);
	}
	if (found)
		bulk_user_get(found);
	spin_unlock(&imp->imp_rq_lock);
	return found;
}

static void replay_leave(struct ptlrpc_request *req)
{
	bulk_user_put(req, 0);
	ptlrpc_request_put(req);
}

/* The same message and xid in a new request, which sends @bulk. */
static struct ptlrpc_request *replay_copy(struct ptlrpc_request *old,
					  const struct ptlrpc_bulk *bulk)
{
	struct ptlrpc_request *req = ptlrpc_request_again(old);

	if (!req)
		return ERR_PTR(-ENOMEM);
	req->rq_msg_flags |= MSG_REPLAY;
	req->rq_replay_transno = old->rq_rep.transno;
	req->rq_bulk_out = bulk;
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
 * These are not of the handler: it was not executed, and the next connect replays it again. One
 * that the network refuses is refused each time: the other server accepts no such large one.
 */
static bool replay_failed(const struct ptlrpc_request *req, int rc)
{
	if (!req->rq_rep.type)
		return rc && rc != -EMSGSIZE;
	return rc == -ENOTCONN || rc == -ENODEV || rc == -ESHUTDOWN || rc == -ESTALE ||
	       rc == -ENOMEM || rc == -EAGAIN || rc == -EINPROGRESS;
}

/* It is not replayed again: rq_committed is called with @rc as soon as nothing uses its pages. */
static void replay_lose(struct ptlrpc_request *req, int rc)
{
	struct obd_import *imp = req->rq_import;
	LIST_HEAD(gone);

	spin_lock(&imp->imp_rq_lock);
	if (req->rq_kept && !req->rq_sticky) {
		req->rq_kept = false;
		imp->imp_replay_count--;
		list_move_tail(&req->rq_replay_item, &gone);
	}
	spin_unlock(&imp->imp_rq_lock);
	replay_put(&gone, rc);
}

/* Object that a change names first, for the log; zeros if there is none. */
static struct lu_fid object_of(struct ptlrpc_request *req)
{
	bool md = req->rq_opc == MDS_REINT || req->rq_opc == MDS_CLOSE;
	unsigned int buf = md ? MDS_OBJECTS : OST_REC;
	u32 size = md ? sizeof(struct lustre_object) : sizeof(struct ost_rec);
	const struct lustre_msg *msg = req->rq_req_msg;

	if (buf >= le16_to_cpu(msg->lm_bufcount) || le32_to_cpu(msg->lm_buflens[buf]) < size)
		return (struct lu_fid){};
	return fid_le_get(ptlrpc_req_buf(req, buf));
}

/*
 * The target did @old before it restarted, and refuses it now: its disk has less space, or fails.
 * So the change is lost. Of one that has rq_committed the maker hears; others are kept, as the
 * target may have space after its next restart.
 */
static void replay_refused(struct ptlrpc_request *old, int rc)
{
	struct obd_import *imp = old->rq_import;
	struct lu_fid fid = object_of(old);
	char text[FID_TEXT_SIZE];

	CERROR("%s: %s refuses the replay of %s of object [%s], transaction %llu: rc = %d\n",
	       imp->imp_obd->obd_name, imp->imp_target_uuid.uuid,
	       wire_opcode_name(old->rq_opc) ?: "an operation", fid_text(&fid, text),
	       old->rq_rep.transno, rc);
	if (old->rq_committed)
		replay_lose(old, rc);
}

/* Return: 0: the next one may be sent; a negative errno: this one is replayed again later */
static int replay_result(struct ptlrpc_request *old, const struct ptlrpc_request *req, int rc)
{
	struct obd_import *imp = old->rq_import;

	if (replay_failed(req, rc)) {
		CWARN("%s: replay of transaction %llu at %s: rc = %d\n", imp->imp_obd->obd_name,
		      req->rq_replay_transno, imp->imp_target_uuid.uuid, rc);
		return rc;
	}
	/* A change that failed the first time may fail again. */
	if (rc && !old->rq_rep.status)
		replay_refused(old, rc);
	WRITE_ONCE(imp->imp_last_replay, req->rq_replay_transno);
	if (!rc && old->rq_replayed)
		old->rq_replayed(old, req);
	return 0;
}

/* Pages that are written while they are sent do not match their CRC, and were not executed. */
static bool is_damaged(const struct ptlrpc_request *req, int rc)
{
	return rc == -EINPROGRESS && req->rq_rep.type && req->rq_bulk_out;
}

/*
 * Send it once more, with a copy of its pages. Without memory for that there is no CRC, if the
 * target can do without.
 */
static int replay_damaged(struct ptlrpc_request *old)
{
	struct ptlrpc_bulk *copy = ptlrpc_bulk_copy(old->rq_bulk_out);
	u64 flags = READ_ONCE(old->rq_import->imp_connect_data.ocd_connect_flags);
	struct ptlrpc_request *req = replay_copy(old, copy ?: old->rq_bulk_out);
	int rc = PTR_ERR_OR_ZERO(req);

	if (!rc) {
		if (!copy && flags & OBD_CONNECT_CKSUM)
			req->rq_msg_flags |= MSG_BULK_PLAIN;
		rc = replay_send(req, replay_timeout());
		rc = replay_result(old, req, rc);
		ptlrpc_request_put(req);
	}
	ptlrpc_bulk_copy_free(copy);
	return rc;
}

static int replay_one(struct ptlrpc_request *old)
{
	struct ptlrpc_request *req = replay_copy(old, old->rq_bulk_out);
	bool damaged;
	int rc;

	if (IS_ERR(req))
		return PTR_ERR(req);
	rc = replay_send(req, replay_timeout());
	damaged = is_damaged(req, rc);
	if (!damaged)
		rc = replay_result(old, req, rc);
	ptlrpc_request_put(req);
	return damaged ? replay_damaged(old) : rc;
}

/*
 * The last transaction that the target has answered a replay of since it restarted: it gives
 * the client another cookie in each of its lives.
 */
static u64 replay_answered(struct obd_import *imp)
{
	u64 cookie = imp->imp_remote_handle.cookie;

	lockdep_assert_held(&imp->imp_connect_mutex);
	if (imp->imp_replayed_to != cookie)
		WRITE_ONCE(imp->imp_last_replay, 0);
	imp->imp_replayed_to = cookie;
	return imp->imp_last_replay;
}

/*
 * One at a time, in the order of their transactions. After a lost connection they go on where
 * they were: the target does not have the replies of all of them, and would execute twice.
 */
static int replay_requests(struct obd_import *imp)
{
	struct ptlrpc_request *req, *last = NULL;
	u64 transno = replay_answered(imp);
	int rc = 0;

	while (!rc && (req = replay_next(imp, last, transno))) {
		if (last)
			replay_leave(last);
		last = req;
		transno = req->rq_rep.transno;
		if (atomic_read(&imp->imp_cancel))
			rc = -ECANCELED;
		else
			rc = replay_one(req);
	}
	if (last)
		replay_leave(last);
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
