// SPDX-License-Identifier: GPL-2.0-only
/*
 * A ping of a node: OBD_PING without a handle, answered by the node with its NIDs. Its
 * import has no target, lasts for one request, and belongs to a device that is not in the
 * table of devices.
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/ktime.h>

#include <lustre_lite/debug.h>

#include "import.h"
#include "../net/net.h"

static struct obd_type ping_type = {
	.typ_name = "node_ping",
};

/* Never freed: it holds its own first reference. */
static struct obd_device ping_device = {
	.obd_type = &ping_type,
	.obd_name = "node_ping",
	.obd_refcount = REFCOUNT_INIT(1),
};

/* Copy the node's NIDs, except invalid ones. */
static void answer_take(struct node_ping_answer *answer,
			const struct wire_msg *msg)
{
	const struct lustre_nid *from;
	struct wire_nid nid;
	u32 count, n;

	if (!msg->bufcount)
		return;
	from = msg->bufs[0];
	count = msg->buflens[0] / sizeof(*from);
	for (n = 0; n < count && answer->pa_count < NODE_PING_NIDS; n++) {
		if (wire_nid_decode(&from[n], &nid) != WIRE_OK)
			continue;
		BUILD_BUG_ON(sizeof(nid) != sizeof(answer->pa_nids[0]));
		memcpy(&answer->pa_nids[answer->pa_count++], &nid, sizeof(nid));
	}
}

/*
 * Like an import that the other end made, it is FULL from the start and never reconnects.
 * Nothing else can see it yet, so its state needs no transition and no event.
 */
static struct obd_import *ping_import(const struct lnet_nid *nid)
{
	struct obd_uuid node = {};
	struct obd_import *imp;

	libcfs_nid_print(nid, node.uuid, sizeof(node.uuid));
	imp = class_new_import(&ping_device, &node);
	if (!IS_ERR(imp))
		imp->imp_state = LUSTRE_IMP_FULL;
	return imp;
}

/* -ENOTCONN without a reply: the connection ended. */
static int ping_send(struct obd_import *imp, u64 limit_ns,
		     struct node_ping_answer *answer)
{
	const u32 nids_len = NODE_PING_NIDS * sizeof(struct lustre_nid);
	/* Every node has that service, and it is never without a thread. */
	struct ptlrpc_request *req = ptlrpc_request_new(imp, OBD_PING,
							OST_REQUEST_PORTAL,
							NULL, 0);
	u64 start = ktime_get_ns();
	int rc;

	if (!req)
		return -ENOMEM;
	req->rq_timeout = DIV_ROUND_UP_ULL(limit_ns, NSEC_PER_SEC);
	req->rq_rep_size = wire_msg_size(&nids_len, 1);
	req->rq_limit_ns = limit_ns;
	req->rq_no_resend = true;
	req->rq_no_delay = true;
	req->rq_no_slot = true;
	rc = ptlrpc_queue_wait(req);
	answer->pa_usec = div_u64(ktime_get_ns() - start, NSEC_PER_USEC);
	if (!rc)
		answer_take(answer, &req->rq_rep);
	else if (rc == -ENOTCONN && !req->rq_rep.type)
		rc = -ECONNRESET;
	ptlrpc_request_put(req);
	return rc;
}

/* Refuse a ping with a reason. */
static int ping_refuse(struct obd_why *why, const struct lnet_nid *nid, int rc)
{
	u32 port = READ_ONCE(lnet_settings.lns_port);
	char text[LNET_NID_TEXT_MAX] = "";

	libcfs_nid_print(nid, text, sizeof(text));
	switch (rc) {
	case -ECONNREFUSED:
		return obd_refuse(why, rc,
				  "%s: no listener on port %u; start a target or run `lctl network up` there, and set parameter ptlrpc.port to the same port on every node",
				  text, port);
	case -EHOSTUNREACH:
	case -ENETUNREACH:
		return obd_refuse(why, rc, "%s: no route to that address",
				  text);
	case -ETIMEDOUT:
		return obd_refuse(why, rc, "%s: no reply in time", text);
	case -EACCES:
		return obd_refuse(why, rc,
				  "%s: refuses connections from this node; see its parameters ptlrpc.accept and ptlrpc.accept_networks",
				  text);
	case -EPROTO:
		return obd_refuse(why, rc,
				  "%s: no common protocol version on port %u",
				  text, port);
	case -ECONNRESET:
		return obd_refuse(why, rc,
				  "%s: closed the connection; see its log",
				  text);
	case -EAFNOSUPPORT:
		return obd_refuse(why, rc,
				  "%s: only networks of type tcp are supported",
				  text);
	default:
		return obd_refuse(why, rc, "%s: errno %d", text, -rc);
	}
}

static int ping_peer(struct obd_import *imp, struct lnet_peer *peer, u32 timeout_ms,
		     struct node_ping_answer *answer)
{
	u64 end = ktime_get_ns() + timeout_ms * (u64)NSEC_PER_MSEC, now;
	struct lnet_conn *conn;
	int rc;

	conn = lnet_peer_connect(peer, msecs_to_jiffies(timeout_ms), NULL, NULL);
	if (IS_ERR(conn))
		return PTR_ERR(conn);
	now = ktime_get_ns();
	import_set_node(imp, peer);
	rc = now < end ? ping_send(imp, end - now, answer) : -ETIMEDOUT;
	import_set_node(imp, NULL);
	lnet_conn_put(conn);
	return rc;
}

/**
 * node_ping() - check whether a node replies
 * @ns: namespace
 * @nid: node
 * @timeout_ms: limit of the connect and of the reply together
 * @answer: out
 * @why: out, reason of a failure
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int node_ping(struct net *ns, const struct lnet_nid *nid, u32 timeout_ms,
	      struct node_ping_answer *answer, struct obd_why *why)
{
	struct lnet_peer *peer = lnet_peer_find(ns, nid);
	struct obd_import *imp;
	int rc;

	answer->pa_count = 0;
	if (IS_ERR(peer))
		return ping_refuse(why, nid, PTR_ERR(peer));
	imp = ping_import(nid);
	rc = IS_ERR(imp) ? PTR_ERR(imp) : ping_peer(imp, peer, timeout_ms, answer);
	if (!IS_ERR(imp))
		class_destroy_import(imp);
	lnet_peer_put(peer);
	return rc && rc != -EINTR ? ping_refuse(why, nid, rc) : rc;
}
