// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests to a target in recovery: some go on at once, others are held until
 * their turn or until recovery is over.
 *
 * They are collected under tr_lock and released without it.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/ktime.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "lu_target.h"
#include "recovery.h"

/**
 * struct target_recovery_wait - a held request
 * @replay: in tr_order, for a replay
 * @item: in tr_held, for another
 * @sr: request
 */
struct target_recovery_wait {
	struct ro_replay	replay;
	struct list_head	item;
	struct ptlrpc_svc_req	*sr;
};

static void wait_free(struct target_recovery_wait *wait)
{
	libcfs_free(wait, sizeof(*wait));
}

static struct target_recovery_wait *wait_new(struct ptlrpc_svc_req *sr)
{
	struct target_recovery_wait *wait = libcfs_zalloc(sizeof(*wait), GFP_KERNEL);

	if (!wait)
		return NULL;
	INIT_LIST_HEAD(&wait->replay.item);
	INIT_LIST_HEAD(&wait->item);
	wait->replay.transno = sr->sr_msg.transno;
	wait->sr = sr;
	return wait;
}

void recovery_release(struct list_head *waits)
{
	struct target_recovery_wait *wait, *next;

	list_for_each_entry_safe(wait, next, waits, item) {
		list_del_init(&wait->item);
		ptlrpc_svc_requeue(wait->sr);
		wait_free(wait);
	}
}

/* The next replay, if it may be executed now. */
static void collect_next(struct target_recovery *tr, struct list_head *waits)
{
	struct target_recovery_wait *wait;
	struct ro_replay *replay;

	lockdep_assert_held(&tr->tr_lock);
	replay = recovery_order_take(&tr->tr_order);
	if (!replay)
		return;
	wait = container_of(replay, struct target_recovery_wait, replay);
	tr->tr_running = wait->sr;
	tr->tr_running_exp = wait->sr->sr_exp;
	list_add_tail(&wait->item, waits);
}

/* Recovery is over: release all. */
void recovery_collect_rest(struct target_recovery *tr, struct list_head *waits)
{
	struct ro_replay *replay, *next;
	struct target_recovery_wait *wait;

	lockdep_assert_held(&tr->tr_lock);
	list_for_each_entry_safe(replay, next, &tr->tr_order.ro_waiting, item) {
		list_del_init(&replay->item);
		wait = container_of(replay, struct target_recovery_wait, replay);
		list_add_tail(&wait->item, waits);
	}
	list_splice_tail_init(&tr->tr_held, waits);
	tr->tr_held_count = 0;
	tr->tr_running = NULL;
	tr->tr_running_exp = NULL;
	tr->tr_end = ktime_get_seconds();
	WRITE_ONCE(tr->tr_state, RECOVERY_COMPLETE);
}

/* Collect after a change. Return: true if recovery is over. */
bool recovery_collect(struct target_recovery *tr, struct list_head *waits)
{
	lockdep_assert_held(&tr->tr_lock);
	if (tr->tr_state != RECOVERY_RUNS)
		return false;
	if (!recovery_order_is_over(&tr->tr_order)) {
		collect_next(tr, waits);
		return false;
	}
	recovery_collect_rest(tr, waits);
	queue_work(compat_unbound_wq, &tr->tr_over);
	return true;
}

/* Admission. */

/* Hold it until the end. Return: 1, or 0 if recovery is over. */
static int hold(struct target_recovery *tr, struct ptlrpc_svc_req *sr)
{
	struct target_recovery_wait *wait = wait_new(sr);
	int rc = 0;

	if (!wait)
		return -ENOMEM;
	spin_lock(&tr->tr_lock);
	if (tr->tr_state == RECOVERY_RUNS) {
		list_add_tail(&wait->item, &tr->tr_held);
		tr->tr_held_count++;
		rc = 1;
	}
	spin_unlock(&tr->tr_lock);
	if (!rc)
		wait_free(wait);
	return rc;
}

static bool is_running(struct target_recovery *tr,
		       const struct ptlrpc_svc_req *sr)
{
	bool is;

	spin_lock(&tr->tr_lock);
	is = tr->tr_running == sr && tr->tr_running_exp == sr->sr_exp;
	spin_unlock(&tr->tr_lock);
	return is;
}

/*
 * Hold a replay until its turn, which may be now: then it comes back through
 * the queue, too.
 */
static int admit_replay(struct target_recovery *tr, struct ptlrpc_svc_req *sr,
			unsigned int client)
{
	struct target_recovery_wait *wait;
	LIST_HEAD(waits);
	int rc = 0;

	if (is_running(tr, sr))
		return 0;
	wait = wait_new(sr);
	if (!wait)
		return -ENOMEM;
	wait->replay.client = client;
	spin_lock(&tr->tr_lock);
	if (tr->tr_state == RECOVERY_RUNS) {
		recovery_order_add(&tr->tr_order, &wait->replay);
		recovery_collect(tr, &waits);
		rc = 1;
	}
	spin_unlock(&tr->tr_lock);
	recovery_release(&waits);
	if (!rc)
		wait_free(wait);
	return rc;
}

/*
 * A request that a client does not send before it has replayed: a client that
 * sends one has lost its state.
 */
static bool is_ordinary(const struct ptlrpc_svc_req *sr)
{
	switch (sr->sr_msg.opc) {
	case OST_CONNECT:
	case OST_DISCONNECT:
	case MDS_CONNECT:
	case MDS_DISCONNECT:
	case MGS_CONNECT:
	case MGS_DISCONNECT:
		return false;
	default:
		return true;
	}
}

/* Derive the client's progress from the flags. */
static void note_progress(struct target_recovery *tr, unsigned int client,
			  const struct ptlrpc_svc_req *sr)
{
	u32 flags = sr->sr_msg.flags;

	if (flags & MSG_LOCK_REPLAY_DONE)
		recovery_client_moves(tr, client, RO_DONE);
	else if (flags & (MSG_REPLAY | MSG_REQ_REPLAY_DONE))
		recovery_client_moves(tr, client, RO_LOCKS);
	else if (is_ordinary(sr))
		recovery_client_moves(tr, client, RO_DONE);
}

/* Whether it need not wait for the end. */
static bool goes_on(const struct ptlrpc_svc_req *sr)
{
	u32 flags = sr->sr_msg.flags;

	if (flags & (MSG_REQ_REPLAY_DONE | MSG_LOCK_REPLAY_DONE))
		return false;
	return flags & MSG_REPLAY || sr->sr_handler->shd_flags & SVH_RECOVERY;
}

static int admit(struct target_recovery *tr, struct ptlrpc_svc_req *sr)
{
	int client = recovery_client_of(tr, sr->sr_exp);

	if (client >= 0 && sr->sr_msg.flags & MSG_REPLAY && sr->sr_msg.transno)
		return admit_replay(tr, sr, client);
	if (client >= 0)
		note_progress(tr, client, sr);
	return goes_on(sr) ? 0 : hold(tr, sr);
}

/*
 * A number of this start, or a later one, would become the last one on disk for good: clients would
 * drop what is not.
 */
static bool target_recovery_may_replay(const struct ptlrpc_svc_req *sr)
{
	const struct obd_device *obd = sr->sr_exp->exp_obd;

	if (!obd->obd_lut || sr->sr_msg.transno < obd->obd_lut->lut_first)
		return true;
	CERROR("%s: client %s replays operation %u as transaction 0x%llx, which is none of before the start: rc = %d\n",
	       obd->obd_name, sr->sr_exp->exp_client_uuid.uuid, sr->sr_msg.opc, sr->sr_msg.transno,
	       -EPROTO);
	return false;
}

/**
 * target_recovery_admit() - a request is about to be handled
 * @sr: request
 *
 * Context: may sleep
 * Return: 0: go on; 1: it is held, and comes back by ptlrpc_svc_requeue();
 *  -ENOMEM
 */
static int target_recovery_admit(struct ptlrpc_svc_req *sr)
{
	struct target_recovery *tr;
	int rc;

	if (!sr->sr_exp || !target_in_recovery(sr->sr_exp->exp_obd))
		return 0;
	tr = recovery_running(sr->sr_exp->exp_obd);
	if (!tr)
		return 0;
	rc = admit(tr, sr);
	recovery_put(tr);
	return rc;
}

/**
 * target_recovery_replayed() - a request is over
 * @sr: request; a replay was executed if its handler was called, and never will
 *  be otherwise
 *
 * Context: may sleep
 */
static void target_recovery_replayed(struct ptlrpc_svc_req *sr)
{
	struct target_recovery *tr;
	LIST_HEAD(waits);

	if (!(sr->sr_msg.flags & MSG_REPLAY) || !sr->sr_exp)
		return;
	tr = recovery_running(sr->sr_exp->exp_obd);
	if (!tr)
		return;
	spin_lock(&tr->tr_lock);
	if (tr->tr_running == sr && tr->tr_running_exp == sr->sr_exp) {
		tr->tr_running = NULL;
		tr->tr_running_exp = NULL;
		tr->tr_replayed += sr->sr_handled;
		recovery_order_done(&tr->tr_order,
				    sr->sr_handled ? sr->sr_msg.transno : 0);
		recovery_window_extend(tr);
		recovery_collect(tr, &waits);
	}
	spin_unlock(&tr->tr_lock);
	recovery_release(&waits);
	recovery_put(tr);
}

const struct svc_recovery_ops target_recovery_ops = {
	.rv_is_running	= target_in_recovery,
	.rv_may_replay	= target_recovery_may_replay,
	.rv_admit	= target_recovery_admit,
	.rv_replayed	= target_recovery_replayed,
	.rv_last_committed = tgt_last_committed,
};
