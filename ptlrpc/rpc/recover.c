// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recovery: from a lost connection back to FULL. One work for each import tries again and
 * again, later each time, until the import is connected, closed or deactivated. It looks
 * after imports that were used over the network (imp_networked).
 *
 * A queued work holds a reference on its import. A close or a deactivation takes it out of
 * the queue, and ends the connect of one that runs by imp_cancel; so no cleanup waits for
 * a server.
 *
 * The pinger: one work for all imports, some times in each ping_interval. It asks targets
 * that were silent for ping_interval whether they are there, has lost imports connected
 * again, and gives up connections that are not used. Nothing waits for its requests.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/sched/mm.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_client.h>

#include "import.h"

/* A queued work stays as it is, unless it is to run @sooner. */
static void recover_queue(struct obd_import *imp, unsigned int ms, bool sooner)
{
	struct delayed_work *work = &imp->imp_recover;
	unsigned long delay = msecs_to_jiffies(ms);
	bool was_queued;

	if (!refcount_inc_not_zero(&imp->imp_refcount))
		return;
	if (sooner)
		was_queued = mod_delayed_work(ptlrpc_wq, work, delay);
	else
		was_queued = !queue_delayed_work(ptlrpc_wq, work, delay);
	if (was_queued)
		class_import_put(imp);
}

static void recover_dequeue(struct obd_import *imp)
{
	if (cancel_delayed_work(&imp->imp_recover))
		class_import_put(imp);
}

static unsigned int recover_delay(const struct obd_import *imp)
{
	return recover_delay_ms(READ_ONCE(imp->imp_backoff),
				get_random_u32());
}

static unsigned int backoff_max(void)
{
	return min_t(unsigned int, obd_ping_interval(), RECOVER_BACKOFF_MAX);
}

/* The connection is not wanted. */
static bool is_out_of_use(const struct obd_import *imp)
{
	enum lustre_imp_state state = import_state(imp);

	return state == LUSTRE_IMP_CLOSED || state == LUSTRE_IMP_NEW ||
	       test_bit(IMPF_DEACTIVE, &imp->imp_flags);
}

/* enum in_use - whether the device has users that need the connection */
enum in_use { IN_USE, NOT_IN_USE, GOING_AWAY };

static enum in_use device_in_use(struct obd_device *obd, bool wanted)
{
	enum in_use use = IN_USE;

	if (!obd_is_set_up(obd) || !obd_op_enter(obd))
		return GOING_AWAY;
	if (!wanted && obd->obd_cli && !READ_ONCE(obd->obd_cli->cl_conn_count))
		use = NOT_IN_USE;
	obd_op_leave(obd);
	return use;
}

/* IDLE, and DISCON with IMPF_NO_PINGER_RECOVER, connect only for a request that waits. */
static bool should_connect(struct obd_import *imp, bool wanted)
{
	switch (import_state(imp)) {
	case LUSTRE_IMP_DISCON:
		return wanted ||
		       !test_bit(IMPF_NO_PINGER_RECOVER, &imp->imp_flags);
	case LUSTRE_IMP_IDLE:
		return wanted;
	default:
		return false;
	}
}

/* Act on what was noted. Return: whether a request waits. */
static bool take_notes(struct obd_import *imp)
{
	bool lost, idle, wanted;
	u32 cnt;

	spin_lock(&imp->imp_rq_lock);
	lost = imp->imp_lost;
	cnt = imp->imp_lost_cnt;
	wanted = imp->imp_wanted;
	idle = imp->imp_want_idle;
	imp->imp_lost = false;
	imp->imp_want_idle = false;
	spin_unlock(&imp->imp_rq_lock);
	if (lost)
		import_lost(imp, cnt);
	else if (idle && !wanted && !import_idle(imp))
		CDEBUG(D_HA, "%s: is idle\n", imp->imp_obd->obd_name);
	return wanted;
}

void recover_log(struct obd_import *imp, const struct obd_why *why, int rc)
{
	if (rc == READ_ONCE(imp->imp_said_rc) || !why->text[0] || is_out_of_use(imp))
		CDEBUG(D_HA, "%s: %s: rc = %d\n", imp->imp_obd->obd_name,
		       why->text, rc);
	else
		CWARN("%s, trying again\n", why->text);
	WRITE_ONCE(imp->imp_said_rc, rc);
}

/*
 * The time until the next try is set before this one: recover_import_changed() sees a
 * failure, and queues the next one.
 */
static void recover_try(struct obd_import *imp)
{
	bool idle = import_state(imp) == LUSTRE_IMP_IDLE;
	struct obd_why why = {};
	int rc;

	WRITE_ONCE(imp->imp_backoff,
		   recover_backoff_next(imp->imp_backoff, backoff_max()));
	rc = import_connect(imp, &why);
	if (rc) {
		recover_log(imp, &why, rc);
		if (!is_out_of_use(imp))
			recover_queue(imp, recover_delay(imp), false);
		if (is_out_of_use(imp))
			recover_dequeue(imp);
		return;
	}
	WRITE_ONCE(imp->imp_said_rc, 0);
	/* It was given up, not lost. */
	if (idle)
		CDEBUG(D_HA, "%s: is not idle any more\n", imp->imp_obd->obd_name);
	else
		CWARN("%s: connection to %s is restored\n", imp->imp_obd->obd_name,
		      imp->imp_target_uuid.uuid);
}

static void recover_work(struct work_struct *work)
{
	struct obd_import *imp = container_of(to_delayed_work(work),
					      struct obd_import, imp_recover);
	unsigned int noio = memalloc_noio_save();
	bool wanted = take_notes(imp);

	if (!is_out_of_use(imp) && should_connect(imp, wanted)) {
		switch (device_in_use(imp->imp_obd, wanted)) {
		case IN_USE:
			recover_try(imp);
			break;
		case NOT_IN_USE:
			break;
		case GOING_AWAY:
			/* Operations inside the gate wait for a reply. */
			import_disconnect(imp);
			break;
		}
	}
	class_import_put(imp);
	memalloc_noio_restore(noio);
}

void recover_init_import(struct obd_import *imp)
{
	INIT_DELAYED_WORK(&imp->imp_recover, recover_work);
}

/* FULL again: the next loss is recovered from at once. */
static void recover_done(struct obd_import *imp)
{
	spin_lock(&imp->imp_rq_lock);
	imp->imp_wanted = false;
	spin_unlock(&imp->imp_rq_lock);
	WRITE_ONCE(imp->imp_backoff, 0);
}

void recover_import_changed(struct obd_import *imp)
{
	if (!READ_ONCE(imp->imp_networked))
		return;
	if (is_out_of_use(imp))
		recover_dequeue(imp);
	else if (import_state(imp) == LUSTRE_IMP_FULL)
		recover_done(imp);
	else if (import_state(imp) == LUSTRE_IMP_DISCON)
		recover_queue(imp, recover_delay(imp), false);
}

/**
 * import_note_loss() - a connection was found lost; recovery sees to it
 * @imp: import; the caller holds it
 * @conn_cnt: its imp_conn_cnt when the connection was there
 *
 * Nothing happens to an import that the other end made: the client comes back,
 * or does not. The newest of several losses that are not seen to yet is kept: an older
 * one, which a slow driver may report last, says nothing of the present connection.
 *
 * Context: any task
 */
void import_note_loss(struct obd_import *imp, u32 conn_cnt)
{
	if (!import_is_on_net(imp))
		return;
	spin_lock(&imp->imp_rq_lock);
	if (!imp->imp_lost || (s32)(conn_cnt - imp->imp_lost_cnt) > 0)
		imp->imp_lost_cnt = conn_cnt;
	imp->imp_lost = true;
	spin_unlock(&imp->imp_rq_lock);
	recover_queue(imp, 0, true);
}
EXPORT_FOR_KUNIT(import_note_loss);

/**
 * import_note_wanted() - a request waits for the import to be connected
 * @imp: import; the caller holds it
 *
 * Context: any task
 */
void import_note_wanted(struct obd_import *imp)
{
	enum lustre_imp_state state = import_state(imp);

	if (is_out_of_use(imp) ||
	    (state != LUSTRE_IMP_DISCON && state != LUSTRE_IMP_IDLE))
		return;
	spin_lock(&imp->imp_rq_lock);
	imp->imp_wanted = true;
	spin_unlock(&imp->imp_rq_lock);
	recover_queue(imp, recover_delay(imp), false);
}

/*
 * The pinger.
 */

/* Rounds in each ping_interval, and the longest time between two, seconds. */
#define ROUNDS_PER_INTERVAL	4
#define ROUND_MAX		5

static void pinger_round(struct work_struct *work);
static DECLARE_DELAYED_WORK(pinger_work, pinger_round);

static void ping_end(struct obd_import *imp)
{
	spin_lock(&imp->imp_rq_lock);
	imp->imp_pinging = false;
	spin_unlock(&imp->imp_rq_lock);
}

/* The target is there, or does not answer. */
static int ping_interpret(struct ptlrpc_request *req, void *data, int rc)
{
	struct obd_import *imp = req->rq_import;
	bool gone = rc == -ENOTCONN || !req->rq_rep.type;

	ping_end(imp);
	if (rc && gone) {
		CDEBUG(D_HA, "%s: %s does not answer a ping: rc = %d\n",
		       imp->imp_obd->obd_name, imp->imp_target_uuid.uuid, rc);
		import_note_loss(imp, (u32)(unsigned long)data);
	}
	return rc;
}

/* Return: whether none is under way. */
static bool ping_begin(struct obd_import *imp)
{
	bool first;

	spin_lock(&imp->imp_rq_lock);
	first = !imp->imp_pinging;
	imp->imp_pinging = true;
	spin_unlock(&imp->imp_rq_lock);
	return first;
}

static void ping_send(struct obd_import *imp)
{
	struct ptlrpc_request *req;

	if (!ping_begin(imp))
		return;
	req = ptlrpc_request_new(imp, OBD_PING, import_portal(imp), NULL, 0);
	if (!req) {
		ping_end(imp);
		return;
	}
	req->rq_timeout = import_patience(imp);
	req->rq_no_resend = true;
	req->rq_no_delay = true;
	req->rq_no_slot = true;
	req->rq_no_count = true;
	req->rq_interpret = ping_interpret;
	req->rq_interpret_data =
		(void *)(unsigned long)READ_ONCE(imp->imp_conn_cnt);
	ptlrpcd_add(req);
	ptlrpc_request_put(req);
}

/* For locks and requests that may be replayed the target has to keep the client. */
static bool may_idle(struct obd_import *imp)
{
	u64 limit = READ_ONCE(imp->imp_idle_ns);
	u64 ns = import_unused_ns(imp, ktime_get_ns());

	if (!limit || ns < limit)
		return false;
	/* A disconnect would close what is open. */
	return !READ_ONCE(imp->imp_replay_count) && list_empty_careful(&imp->imp_sticky) &&
	       !import_locks->il_has_locks(imp);
}

static void ping_full(struct obd_import *imp)
{
	time64_t heard = READ_ONCE(imp->imp_last_reply_time);

	if (may_idle(imp)) {
		spin_lock(&imp->imp_rq_lock);
		imp->imp_want_idle = true;
		spin_unlock(&imp->imp_rq_lock);
		recover_queue(imp, 0, true);
	} else if (ktime_get_seconds() - heard >= obd_ping_interval()) {
		ping_send(imp);
	}
}

static void ping_import(struct obd_import *imp)
{
	if (!READ_ONCE(imp->imp_networked))
		return;
	if (import_state(imp) == LUSTRE_IMP_FULL && import_is_on_net(imp))
		ping_full(imp);
	else if (import_state(imp) == LUSTRE_IMP_DISCON && !is_out_of_use(imp))
		recover_queue(imp, recover_delay(imp), false);
}

/* The device's import, referenced, while it is set up. */
static struct obd_import *device_import(struct obd_device *obd)
{
	struct obd_import *imp = NULL;

	if (!obd->obd_type->typ_import || !obd_op_enter(obd))
		return NULL;
	if (obd->obd_cli)
		imp = class_import_get(obd->obd_cli->cl_import);
	obd_op_leave(obd);
	return imp;
}

static unsigned long round_time(void)
{
	unsigned int seconds = obd_ping_interval() / ROUNDS_PER_INTERVAL;

	return clamp_t(unsigned int, seconds, 1, ROUND_MAX) * HZ;
}

static void pinger_round(struct work_struct *work)
{
	unsigned int noio = memalloc_noio_save();
	struct obd_device *obd;
	struct obd_import *imp;
	u32 minor = 0;

	for (obd = class_next_obd(&minor); obd; obd = class_next_obd(&minor)) {
		imp = device_import(obd);
		if (imp) {
			ping_import(imp);
			class_import_put(imp);
		}
		class_decref(obd, OBD_REF_LOOKUP);
		cond_resched();
	}
	queue_delayed_work(ptlrpc_wq, &pinger_work, round_time());
	memalloc_noio_restore(noio);
}

/**
 * ptlrpc_pinger_init() - start the pinger
 *
 * Context: may sleep
 * Return: 0
 */
int ptlrpc_pinger_init(void)
{
	queue_delayed_work(ptlrpc_wq, &pinger_work, round_time());
	return 0;
}

/**
 * ptlrpc_pinger_exit() - the opposite
 *
 * Context: may sleep
 */
void ptlrpc_pinger_exit(void)
{
	cancel_delayed_work_sync(&pinger_work);
}
