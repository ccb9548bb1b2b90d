// SPDX-License-Identifier: GPL-2.0-only
/*
 * Grant of a device: see ost_grant.h. The target gives some with the answer to a connect, to a
 * write, and to OST_GRANT, which is sent
 *
 *	by a task that has none		and waits for the answer
 *	by a work			if no page was charged for a while, to return what is above the grant
 *					of a request, and after grant_shrink_interval all; and after an
 *					error, to tell what was spent
 */
#define DEBUG_SUBSYSTEM S_OSC

#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/sizes.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_export.h>

#include "osc_internal.h"

/* Bytes that a client needs under way to one target at most. */
#define WANTED_MAX	SZ_64M
/* The most that an OST_FALLOCATE uses grant for. */
#define ALLOCATED_MAX	SZ_1G
/* How often the work looks. */
#define LOOK_PERIOD	(5 * HZ)
/* A client that charged no page for a time keeps grant for the bytes of a request. In ns */
#define KEPT_AFTER	(10ULL * NSEC_PER_SEC)
/* Seconds that a target has to answer the work. */
#define REPORT_TIMEOUT	20

/**
 * osc_grant() - t_grant of type osc
 * @exp: export of the device
 *
 * Context: any task
 * Return: grant, for ost_grant_put()
 */
struct ost_grant *osc_grant(struct obd_export *exp)
{
	return ost_grant_get(osc_device(exp->exp_obd)->osc_grant);
}

/**
 * osc_grant_claim() - what a request says of the client's grant
 * @osc: device
 * @claim: out: dirty, undirty
 *
 * Context: any task
 */
void osc_grant_claim(const struct osc_device *osc, struct ost_claim *claim)
{
	u64 wanted = min_t(u64, READ_ONCE(osc->osc_io.cio_max_dirty), WANTED_MAX);

	claim->dirty = ost_grant_sums(osc->osc_grant).dirty;
	claim->undirty = ost_grant_bytes(wanted);
}

/* rq_interpret of OST_FALLOCATE. @data: grant that it used */
static int allocate_interpret(struct ptlrpc_request *req, void *data, int rc)
{
	struct ost_grant *gr = req->rq_import->imp_grant;
	struct ost_reply rep;

	ost_grant_end(gr, (unsigned long)data, !rc);
	if (!rc && !ost_reply_decode(&req->rq_rep, &rep))
		ost_grant_given(gr, req->rq_rep.handle, rep.first);
	return rc;
}

/**
 * osc_grant_allocate() - grant that OST_FALLOCATE uses: what is available
 * @osc: device
 * @req: request, in RQ_NEW
 * @op: operation
 *
 * Context: any task
 * Return: bytes, until @req has ended
 */
u64 osc_grant_allocate(struct osc_device *osc, struct ptlrpc_request *req, const struct ost_op *op)
{
	u64 used = 0;

	if (!(op->flags & OST_FALLOC_PUNCH_HOLE))
		used = ost_grant_use(osc->osc_grant, NULL, min_t(u64, op->len, ALLOCATED_MAX));
	req->rq_interpret = allocate_interpret;
	req->rq_interpret_data = (void *)(unsigned long)used;
	return used;
}

/* OST_GRANT, to be sent. Return: NULL on allocation failure */
static struct ptlrpc_request *request_new(struct osc_device *osc, const struct ost_claim *claim)
{
	const struct ost_op op = { .opc = OST_GRANT, .claim = *claim };
	struct ptlrpc_request *req;
	u32 lens[OST_REQUEST_BUFS];

	ost_op_lens(&op, lens);
	req = ptlrpc_request_new(osc->osc_cli.cl_import, OST_GRANT, OST_REQUEST_PORTAL, lens,
				 ARRAY_SIZE(lens));
	if (req)
		ost_op_encode(req->rq_req_msg, &op);
	return req;
}

/* Send it, and note the answer. @req: its reference is dropped. Return: 0 or a negative errno */
static int request_wait(struct osc_device *osc, struct ptlrpc_request *req,
			const struct ost_claim *claim)
{
	struct ost_reply rep;
	int rc = ptlrpc_queue_wait(req) ?: osc_reply(req, &rep);

	if (!rc) {
		ost_grant_given(osc->osc_grant, req->rq_rep.handle, rep.first);
		ost_grant_returned(osc->osc_grant, claim, rep.count);
	}
	ptlrpc_request_put(req);
	return rc;
}

static bool has_some(const struct osc_device *osc)
{
	struct ost_grant_sums sums = ost_grant_sums(osc->osc_grant);

	return ost_grant_available(&sums) >= (s64)OST_GRANT_PAGE;
}

/**
 * osc_grant_ask() - t_grant_ask of type osc
 * @exp: export of the device
 *
 * A target that had none with its last answer is not asked: a write does that.
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: true if there is some
 */
bool osc_grant_ask(struct obd_export *exp)
{
	struct osc_device *osc = osc_device(exp->exp_obd);
	struct ost_claim claim = {};
	struct ptlrpc_request *req;

	if (has_some(osc))
		return true;
	if (READ_ONCE(osc->osc_grant->gr_full))
		return false;
	ost_grant_return(osc->osc_grant, U64_MAX, &claim);
	osc_grant_claim(osc, &claim);
	req = request_new(osc, &claim);
	return req && !request_wait(osc, req, &claim) && has_some(osc);
}

/* --- the work ------------------------------------------------------------------------- */

/* How much of what is available is kept. */
static u64 kept(struct osc_device *osc)
{
	u64 takes = READ_ONCE(osc->osc_grant->gr_takes), now = ktime_get_ns(), unused;

	if (takes != osc->osc_grant_takes) {
		osc->osc_grant_takes = takes;
		osc->osc_grant_used = now;
	}
	unused = now - osc->osc_grant_used;
	if (!READ_ONCE(osc->osc_io.cio_grant_shrink))
		return U64_MAX;
	if (unused >= READ_ONCE(osc->osc_io.cio_grant_shrink_interval))
		return 0;
	if (unused < KEPT_AFTER)
		return U64_MAX;
	return ost_grant_bytes(max(client_io_rpc_bytes(&osc->osc_io), WIRE_BULK_DEFAULT));
}

/* It does not count as a use of the connection, and asks for nothing. */
static void report(struct osc_device *osc, u64 keep)
{
	struct ost_claim claim = {};
	struct ptlrpc_request *req;

	if (!ost_grant_return(osc->osc_grant, keep, &claim))
		return;
	req = request_new(osc, &claim);
	if (!req)
		return;
	req->rq_timeout = REPORT_TIMEOUT;
	req->rq_no_resend = true;
	req->rq_no_delay = true;
	req->rq_no_count = true;
	request_wait(osc, req, &claim);
}

static void grant_work(struct work_struct *work)
{
	struct osc_device *osc = container_of(to_delayed_work(work), struct osc_device,
					      osc_grant_work);

	struct ost_grant_sums sums = ost_grant_sums(osc->osc_grant);
	u64 keep = kept(osc);

	if (READ_ONCE(osc->osc_grant->gr_unsure) ||
	    max_t(s64, ost_grant_available(&sums), 0) > keep)
		report(osc, keep);
	queue_delayed_work(compat_unbound_wq, &osc->osc_grant_work, LOOK_PERIOD);
}

/**
 * osc_grant_init() - grant of a new device
 * @osc: device
 *
 * Context: may sleep
 * Return: 0, and ost_grant_put() of osc_grant must follow; -ENOMEM
 */
int osc_grant_init(struct osc_device *osc)
{
	osc->osc_grant = ost_grant_new();
	if (!osc->osc_grant)
		return -ENOMEM;
	osc->osc_grant_used = ktime_get_ns();
	INIT_DELAYED_WORK(&osc->osc_grant_work, grant_work);
	return 0;
}

/* The device has an import, which has no user yet. May sleep; osc_grant_stop() must follow. */
void osc_grant_start(struct osc_device *osc)
{
	osc->osc_cli.cl_import->imp_grant = ost_grant_get(osc->osc_grant);
	queue_delayed_work(compat_unbound_wq, &osc->osc_grant_work, LOOK_PERIOD);
}

/* The import is closed: requests of the work have ended. Sleeps. */
void osc_grant_stop(struct osc_device *osc)
{
	cancel_delayed_work_sync(&osc->osc_grant_work);
}
