// SPDX-License-Identifier: GPL-2.0
/*
 * The pinger: it asks each target that was not heard of for ping_interval whether
 * it is there still, has imports that were lost connected again, and gives up
 * connections that nobody needs.
 *
 * One work looks at all imports, some times in each interval; what it sends is
 * waited for by nobody.
 */
#define DEBUG_SUBSYSTEM S_PINGER

#include <linux/jiffies.h>
#include <linux/ktime.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "import_peer.h"

/* Rounds in each ping_interval, and the longest time between two, seconds. */
#define ROUNDS_PER_INTERVAL	4
#define ROUND_MAX		5

static void pinger_round(struct work_struct *work);
static DECLARE_DELAYED_WORK(pinger_work, pinger_round);

/* The answer says that the target is there, or it is not. */
static int ping_interpret(struct ptlrpc_request *req, void *data, int rc)
{
	struct import_own *own = import_own(req->rq_import);
	bool gone = rc == -ENOTCONN || !req->rq_rep.type;

	spin_lock(&own->po_import.pi_lock);
	own->po_pinging = false;
	spin_unlock(&own->po_import.pi_lock);
	if (rc && gone) {
		CDEBUG(D_HA, "%s: %s does not answer a ping: rc = %d\n",
		       req->rq_import->imp_obd->obd_name,
		       req->rq_import->imp_target_uuid.uuid, rc);
		ptlrpc_import_lost(req->rq_import, (u32)(unsigned long)data);
	}
	return rc;
}

/* Return: whether there was none on its way. */
static bool ping_begin(struct import_own *own)
{
	bool first;

	spin_lock(&own->po_import.pi_lock);
	first = !own->po_pinging;
	own->po_pinging = true;
	spin_unlock(&own->po_import.pi_lock);
	return first;
}

static void ping_send(struct obd_import *imp)
{
	struct import_own *own = import_own(imp);
	struct ptlrpc_request *req;

	if (!ping_begin(own))
		return;
	req = ptlrpc_request_new(imp, OBD_PING, transport_portal(imp), NULL, 0);
	if (!req) {
		spin_lock(&own->po_import.pi_lock);
		own->po_pinging = false;
		spin_unlock(&own->po_import.pi_lock);
		return;
	}
	req->rq_timeout = ptlrpc_import_patience(imp);
	req->rq_no_resend = true;
	req->rq_no_delay = true;
	req->rq_no_slot = true;
	req->rq_in_call = true;
	req->rq_interpret = ping_interpret;
	req->rq_interpret_data =
		(void *)(unsigned long)READ_ONCE(imp->imp_conn_cnt);
	ptlrpcd_add(req);
	ptlrpc_request_put(req);
}

/* Locks and what may have to be replayed need the target to know us. */
static bool may_idle(struct obd_import *imp)
{
	struct import_own *own = import_own(imp);
	u64 limit = READ_ONCE(imp->imp_idle_ns);
	u64 ns = import_unused_ns(own, ktime_get_ns());

	if (!limit || ns < limit)
		return false;
	return !READ_ONCE(own->po_replay_count) &&
	       !import_locks->il_has_locks(imp);
}

static void ping_full(struct obd_import *imp)
{
	time64_t heard = READ_ONCE(imp->imp_last_reply_time);

	if (may_idle(imp))
		recover_idle(imp);
	else if (ktime_get_seconds() - heard >= obd_ping_interval())
		ping_send(imp);
}

static void ping_import(struct obd_import *imp)
{
	if (!import_own(imp))
		return;
	if (READ_ONCE(imp->imp_state) == LUSTRE_IMP_DISCON)
		recover_kick(imp);
	else if (READ_ONCE(imp->imp_state) == LUSTRE_IMP_FULL &&
		 transport_is_tcp(imp))
		ping_full(imp);
}

/* The device's import, referenced, while it is set up. */
static struct obd_import *device_import(struct obd_device *obd)
{
	struct obd_import *imp = NULL;

	if (!obd->obd_type->typ_has_import || !obd_op_enter(obd))
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
}

/**
 * ptlrpc_pinger_init() - begin
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
