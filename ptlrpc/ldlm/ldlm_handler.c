// SPDX-License-Identifier: GPL-2.0
/*
 * What clients ask a server over the wire: enqueue, cancel. All of it is
 * decided at once; who has to wait is told so, and a callback follows.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

/* Buffers of LDLM_CANCEL: the server's cookies, and the client's. */
#define CANCEL_BUFS	2

#define CANCEL_THREADS_MIN	2
#define CANCEL_THREADS_MAX	32

static void ask_from_wire(const struct ll_wire_lock *from, struct ldlm_ask *ask)
{
	ask->type = le32_to_cpu(from->wl_type);
	ask->flags = le32_to_cpu(from->wl_flags);
	ask->mode = le32_to_cpu(from->wl_req_mode);
	ask->granted = le32_to_cpu(from->wl_granted_mode);
	ask->client = le64_to_cpu(from->wl_client);
	ldlm_res_from_wire(from, &ask->res);
	ldlm_policy_from_wire(from, &ask->policy);
}

/* The namespace of the client's target, which is there while its export is. */
static struct ldlm_namespace *request_namespace(struct ptlrpc_svc_req *sr)
{
	struct obd_device *obd = sr->sr_exp->exp_obd;
	struct ldlm_namespace *ns = ldlm_namespace_of_obd(obd, LDLM_SERVER);

	if (!ns)
		CERROR("%s: client %s asks for locks, and it has none to give: rc = %d\n",
		       obd->obd_name, sr->sr_exp->exp_client_uuid.uuid,
		       -EOPNOTSUPP);
	return ns;
}

static int handle_enqueue(struct ptlrpc_svc_req *sr)
{
	struct ldlm_namespace *ns = request_namespace(sr);
	const struct ll_wire_lock *from;
	struct ll_wire_lock *answer;
	struct ldlm_ask ask;

	if (!ns)
		return -EOPNOTSUPP;
	from = wire_buf(&sr->sr_msg, 0, sizeof(*from));
	if (!from)
		return -EPROTO;
	/* Before anything is done: no lock is given that nobody is told of. */
	answer = ptlrpc_svc_rep_buf(sr, 0);
	if (!answer)
		return -ENOMEM;
	ask_from_wire(from, &ask);
	return ldlm_server_enqueue(ns, sr->sr_exp, &ask, answer);
}

/* Cookies in a buffer; -EPROTO for what is not a number of them. */
static int cancel_count(const struct ptlrpc_svc_req *sr, unsigned int buf)
{
	u32 bytes = buf < sr->sr_msg.bufcount ? sr->sr_msg.buflens[buf] : 0;

	if (bytes % sizeof(__le64) || bytes / sizeof(__le64) > LDLM_CANCEL_MAX)
		return -EPROTO;
	return bytes / sizeof(__le64);
}

/* Locks that the client does not have are no error: they went on another way. */
static void cancel_buffer(struct ptlrpc_svc_req *sr, struct ldlm_namespace *ns,
			  unsigned int buf, unsigned int count)
{
	const __le64 *cookies = sr->sr_msg.bufs[buf];
	unsigned int n;
	u64 cookie;

	for (n = 0; n < count; n++) {
		cookie = le64_to_cpu(cookies[n]);
		ldlm_server_cancel(ns, sr->sr_exp, buf ? 0 : cookie,
				   buf ? cookie : 0);
	}
}

static int handle_cancel(struct ptlrpc_svc_req *sr)
{
	struct ldlm_namespace *ns = request_namespace(sr);
	int counts[CANCEL_BUFS];
	unsigned int n;

	if (!ns)
		return -EOPNOTSUPP;
	for (n = 0; n < CANCEL_BUFS; n++) {
		counts[n] = cancel_count(sr, n);
		if (counts[n] < 0)
			return counts[n];
	}
	for (n = 0; n < CANCEL_BUFS; n++)
		cancel_buffer(sr, ns, n, counts[n]);
	return 0;
}

static const struct ptlrpc_handler cancel_handlers[] = {
	{
		.shd_opc = LDLM_CANCEL,
		.shd_flags = SVH_EXPORT | SVH_QUICK | SVH_HIGH,
		.shd_fn = handle_cancel,
	},
};

static const struct ptlrpc_service_conf cancel_conf = {
	.psc_name = "ldlm_canceld",
	.psc_params = "ldlm.services.ldlm_canceld",
	.psc_portals = { LDLM_CANCEL_REQUEST_PORTAL },
	.psc_threads_min = CANCEL_THREADS_MIN,
	.psc_threads_max = CANCEL_THREADS_MAX,
	.psc_handlers = cancel_handlers,
	.psc_handler_count = ARRAY_SIZE(cancel_handlers),
};

static struct ptlrpc_service *cancel_service;

/**
 * ldlm_server_init() - hear cancels
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int ldlm_server_init(void)
{
	cancel_service = ptlrpc_register_service(&cancel_conf);
	return PTR_ERR_OR_ZERO(cancel_service);
}

/**
 * ldlm_server_exit() - hear none any more
 *
 * Context: may sleep
 */
void ldlm_server_exit(void)
{
	ptlrpc_unregister_service(cancel_service);
}

static struct ldlm_namespace *target_namespace_new(struct obd_device *obd)
{
	return ldlm_namespace_new(obd, LDLM_SERVER);
}

const struct target_lock_ops ldlm_target_ops = {
	.tl_enqueue		= handle_enqueue,
	.tl_export_gone		= ldlm_export_gone,
	.tl_namespace_new	= target_namespace_new,
	.tl_namespace_free	= ldlm_namespace_free,
};
