// SPDX-License-Identifier: GPL-2.0
/*
 * From a lost connection back to FULL: one work for each import, which tries again
 * and again, later each time, until the import is connected, closed or
 * deactivated.
 *
 * A work that is queued holds a reference on its import. A close or a
 * deactivation takes it out of the queue, and ends the connect of one that runs by
 * imp_cancel; so no cleanup waits for a server.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/jiffies.h>
#include <linux/random.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "import_peer.h"
#include "../net/test_point.h"

static enum lustre_imp_state import_state(const struct obd_import *imp)
{
	return READ_ONCE(imp->imp_state);
}

/* What is queued already stays as it is, unless it is to be run @sooner. */
static void recover_queue(struct import_own *own, unsigned int ms, bool sooner)
{
	struct obd_import *imp = own->po_import.pi_import;
	struct delayed_work *work = &own->po_import.pi_recover;
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

static void recover_dequeue(struct import_own *own)
{
	if (cancel_delayed_work(&own->po_import.pi_recover))
		class_import_put(own->po_import.pi_import);
}

static unsigned int recover_delay(const struct import_own *own)
{
	return recover_delay_ms(READ_ONCE(own->po_import.pi_backoff),
				get_random_u32());
}

static unsigned int backoff_max(void)
{
	return min_t(unsigned int, obd_ping_interval(), RECOVER_BACKOFF_MAX);
}

/* Nobody wants it connected, whatever happens. */
static bool is_out_of_use(const struct obd_import *imp)
{
	enum lustre_imp_state state = import_state(imp);

	return state == LUSTRE_IMP_CLOSED || state == LUSTRE_IMP_NEW ||
	       test_bit(IMPF_DEACTIVE, &imp->imp_flags);
}

/* enum in_use - whether the device has somebody who needs the connection */
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

/* IDLE, and after a loss that the pinger must not mend, only when it is wanted. */
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

/* See to what was noted. Return: whether a request waits. */
static bool take_notes(struct import_own *own)
{
	struct ptlrpc_import *pi = &own->po_import;
	bool lost, idle, wanted;
	u32 cnt;

	spin_lock(&pi->pi_lock);
	lost = own->po_lost;
	cnt = own->po_lost_cnt;
	wanted = own->po_wanted;
	idle = own->po_idle;
	own->po_lost = false;
	own->po_idle = false;
	spin_unlock(&pi->pi_lock);
	if (lost)
		import_lost(pi->pi_import, cnt);
	else if (idle && !wanted && !import_idle(pi->pi_import))
		CDEBUG(D_HA, "%s: is idle\n", pi->pi_import->imp_obd->obd_name);
	return wanted;
}

/* Each reason why it does not come back is said once, until it is back. */
static void recover_say(struct import_own *own, const struct obd_why *why, int rc)
{
	const struct obd_import *imp = own->po_import.pi_import;

	if (rc == own->po_said_rc || !why->text[0] || is_out_of_use(imp))
		CDEBUG(D_HA, "%s: %s: rc = %d\n", imp->imp_obd->obd_name,
		       why->text, rc);
	else
		CWARN("%s, trying again\n", why->text);
	own->po_said_rc = rc;
}

/*
 * The time until the next try is set before this one: a failure is seen by
 * recover_import_changed(), which queues the next one.
 */
static void recover_try(struct import_own *own)
{
	struct obd_import *imp = own->po_import.pi_import;
	struct obd_why why = {};
	int rc;

	WRITE_ONCE(own->po_import.pi_backoff,
		   recover_backoff_next(own->po_import.pi_backoff,
					backoff_max()));
	rc = import_connect(imp, &why);
	if (rc) {
		recover_say(own, &why, rc);
		if (!is_out_of_use(imp))
			recover_queue(own, recover_delay(own), false);
		if (is_out_of_use(imp))
			recover_dequeue(own);
		return;
	}
	own->po_said_rc = 0;
	CWARN("%s: connection to %s is restored\n", imp->imp_obd->obd_name,
	      imp->imp_target_uuid.uuid);
}

static void recover_work(struct work_struct *work)
{
	struct ptlrpc_import *pi = container_of(to_delayed_work(work),
						struct ptlrpc_import,
						pi_recover);
	struct import_own *own = container_of(pi, struct import_own, po_import);
	struct obd_import *imp = pi->pi_import;
	bool wanted = take_notes(own);

	if (!is_out_of_use(imp) && should_connect(imp, wanted)) {
		switch (device_in_use(imp->imp_obd, wanted)) {
		case IN_USE:
			recover_try(own);
			break;
		case NOT_IN_USE:
			break;
		case GOING_AWAY:
			/* Operations that are inside wait for a reply. */
			import_disconnect(imp);
			break;
		}
	}
	class_import_put(imp);
}

void recover_init_import(struct import_own *own)
{
	INIT_DELAYED_WORK(&own->po_import.pi_recover, recover_work);
}

/* FULL again: from here on a loss is mended at once. */
static void recover_done(struct import_own *own)
{
	struct ptlrpc_import *pi = &own->po_import;

	spin_lock(&pi->pi_lock);
	own->po_wanted = false;
	spin_unlock(&pi->pi_lock);
	WRITE_ONCE(pi->pi_backoff, 0);
}

void recover_import_changed(struct obd_import *imp)
{
	struct import_own *own = import_own(imp);

	if (is_out_of_use(imp))
		recover_dequeue(own);
	else if (import_state(imp) == LUSTRE_IMP_FULL)
		recover_done(own);
	else if (import_state(imp) == LUSTRE_IMP_DISCON)
		recover_queue(own, recover_delay(own), false);
}

void recover_kick(struct obd_import *imp)
{
	struct import_own *own = import_own(imp);

	if (own && !is_out_of_use(imp))
		recover_queue(own, recover_delay(own), false);
}

void recover_idle(struct obd_import *imp)
{
	struct import_own *own = import_own(imp);

	spin_lock(&own->po_import.pi_lock);
	own->po_idle = true;
	spin_unlock(&own->po_import.pi_lock);
	recover_queue(own, 0, true);
}

/**
 * ptlrpc_import_lost() - a connection was found to be gone
 * @imp: import; the caller holds it
 * @conn_cnt: its imp_conn_cnt when the connection was there
 *
 * Nothing happens to an import that the other end made: the client comes back,
 * or does not. Of several losses that were not seen to yet the newest is kept: an
 * older one, which a slow driver may report last, says nothing of the connection
 * that is there.
 *
 * Context: any task
 */
void ptlrpc_import_lost(struct obd_import *imp, u32 conn_cnt)
{
	struct import_own *own = import_own(imp);

	if (!own || !transport_is_tcp(imp))
		return;
	spin_lock(&own->po_import.pi_lock);
	if (!own->po_lost || (s32)(conn_cnt - own->po_lost_cnt) > 0)
		own->po_lost_cnt = conn_cnt;
	own->po_lost = true;
	spin_unlock(&own->po_import.pi_lock);
	recover_queue(own, 0, true);
}
PTLRPC_EXPORT_FOR_KUNIT(ptlrpc_import_lost);

/**
 * ptlrpc_import_wanted() - a request waits for the import to be connected
 * @imp: import; the caller holds it
 *
 * Context: any task
 */
void ptlrpc_import_wanted(struct obd_import *imp)
{
	struct import_own *own = import_own(imp);
	enum lustre_imp_state state = import_state(imp);

	if (!own || is_out_of_use(imp) ||
	    (state != LUSTRE_IMP_DISCON && state != LUSTRE_IMP_IDLE))
		return;
	spin_lock(&own->po_import.pi_lock);
	own->po_wanted = true;
	spin_unlock(&own->po_import.pi_lock);
	recover_queue(own, recover_delay(own), false);
}
