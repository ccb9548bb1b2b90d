// SPDX-License-Identifier: GPL-2.0
/*
 * The transport to targets on other nodes: NIDs of tcp. Operations are requests.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "import_peer.h"

/* How long a goodbye is waited for, seconds. */
#define DISCONNECT_TIMEOUT	3

/* enum transport_op - operations that each service has under a number of its own */
enum transport_op {
	OP_CONNECT,
	OP_DISCONNECT,
	OP_STATFS,
	OP_GET_INFO,
	OP_SET_INFO,
	OP_COUNT
};

/* Numbers by service; 0 for what it has not. */
static const struct {
	u16	portal;
	u32	opc[OP_COUNT];
} services[] = {
	[OBD_SERVICE_OST] = { OST_REQUEST_PORTAL, {
		OST_CONNECT, OST_DISCONNECT, OST_STATFS, OST_GET_INFO,
		OST_SET_INFO } },
	[OBD_SERVICE_MDS] = { MDS_REQUEST_PORTAL, {
		MDS_CONNECT, MDS_DISCONNECT, MDS_STATFS, MDS_GET_INFO,
		MDS_SET_INFO } },
	[OBD_SERVICE_MGS] = { MGS_REQUEST_PORTAL, {
		MGS_CONNECT, MGS_DISCONNECT, 0, 0, MGS_SET_INFO } },
};

static bool tcp_reaches(const struct lnet_nid *nid)
{
	return nid->nid_type == LNET_TCP;
}

static unsigned int connect_timeout(void)
{
	return connect_seconds(READ_ONCE(obd_timeout));
}

/* Where the operations of the import's target are answered. */
u16 transport_portal(const struct obd_import *imp)
{
	return services[imp->imp_obd->obd_type->typ_service].portal;
}

static u32 transport_opc(const struct obd_import *imp, enum transport_op op)
{
	return services[imp->imp_obd->obd_type->typ_service].opc[op];
}

static struct ptlrpc_request *new_request(struct obd_import *imp,
					  enum transport_op op, const u32 *lens,
					  unsigned int count)
{
	u32 opc = transport_opc(imp, op);

	if (!opc)
		return ERR_PTR(-EOPNOTSUPP);
	return ptlrpc_request_new(imp, opc, transport_portal(imp), lens, count) ?:
	       ERR_PTR(-ENOMEM);
}

static int wait_and_put(struct ptlrpc_request *req)
{
	int rc = ptlrpc_queue_wait(req);

	ptlrpc_request_put(req);
	return rc;
}

/*
 * Connect.
 */

/* enum connect_buf - buffers of a connect request */
enum connect_buf {
	CONNECT_TARGET,
	CONNECT_CLIENT,
	CONNECT_IMPORT,
	CONNECT_DATA,
	CONNECT_BUFS
};

static const u32 connect_lens[CONNECT_BUFS] = {
	[CONNECT_TARGET] = UUID_MAX,
	[CONNECT_CLIENT] = UUID_MAX,
	[CONNECT_IMPORT] = sizeof(struct lustre_connect),
	[CONNECT_DATA] = WIRE_OCD_SIZE,
};

static void connect_fill(struct ptlrpc_request *req,
			 const struct import_answer *asked)
{
	struct obd_import *imp = req->rq_import;
	struct lustre_connect *co = ptlrpc_req_buf(req, CONNECT_IMPORT);

	memcpy(ptlrpc_req_buf(req, CONNECT_TARGET), imp->imp_target_uuid.uuid,
	       UUID_MAX);
	memcpy(ptlrpc_req_buf(req, CONNECT_CLIENT), imp->imp_obd->obd_uuid.uuid,
	       UUID_MAX);
	co->co_import = cpu_to_le64(imp->imp_handle.h_cookie);
	co->co_generation = cpu_to_le32(READ_ONCE(imp->imp_generation));
	wire_ocd_encode(ptlrpc_req_buf(req, CONNECT_DATA), &asked->ia_data);
	req->rq_handle = asked->ia_remote.cookie;
	if (!req->rq_handle)
		req->rq_op_flags |= MSG_CONNECT_INITIAL;
	req->rq_send_state = LUSTRE_IMP_CONNECTING;
	req->rq_timeout = connect_timeout();
	req->rq_no_resend = true;
	req->rq_no_delay = true;
	req->rq_no_slot = true;
}

static int connect_read(const struct ptlrpc_request *req,
			struct import_answer *answer)
{
	const struct wire_msg *rep = &req->rq_rep;
	const void *ocd = ptlrpc_rep_buf(req, 0, WIRE_OCD_SIZE);

	if (!rep->handle || !ocd ||
	    !wire_ocd_decode(ocd, WIRE_OCD_SIZE, &answer->ia_data)) {
		CERROR("%s: the answer of %s to a connect is incomplete: rc = %d\n",
		       req->rq_import->imp_obd->obd_name,
		       req->rq_import->imp_target_uuid.uuid, -EPROTO);
		return -EPROTO;
	}
	answer->ia_remote.cookie = rep->handle;
	answer->ia_replay = rep->op_flags & MSG_CONNECT_RECOVERING;
	answer->ia_replayable = rep->op_flags & MSG_CONNECT_REPLAYABLE;
	return 0;
}

static int connect_ask(struct obd_import *imp, struct import_answer *answer)
{
	struct ptlrpc_request *req = new_request(imp, OP_CONNECT, connect_lens,
						 CONNECT_BUFS);
	int rc;

	if (IS_ERR(req))
		return PTR_ERR(req);
	connect_fill(req, answer);
	rc = ptlrpc_queue_wait(req);
	if (rc && req->rq_rep.type) {
		answer->ia_refused = true;
		answer->ia_words = "the target refuses";
	}
	if (!rc)
		rc = connect_read(req, answer);
	ptlrpc_request_put(req);
	return rc;
}

static bool connect_cancelled(void *arg)
{
	struct obd_import *imp = arg;

	return atomic_read(&imp->imp_cancel);
}

/*
 * Over an open connection whose other end does not answer nothing will ever come:
 * the next try makes a new one.
 */
static int connect_over(struct obd_import *imp, struct lnet_conn *conn,
			struct import_answer *answer)
{
	int rc = connect_ask(imp, answer);

	if (rc == -ETIMEDOUT)
		lnet_conn_close(conn, rc);
	return rc;
}

/* Its network layer answered HELLO with a status. */
static const char *refusal_words(int rc)
{
	switch (rc) {
	case -EACCES:
		return "the node refuses connections from here (its parameters ptlrpc.accept, ptlrpc.accept_networks)";
	case -EADDRNOTAVAIL:
		return "the node does not have this NID";
	case -EUSERS:
		return "the node has too many connections of this address (its parameter ptlrpc.conns_addr_max)";
	case -EPROTO:
		return "the node speaks another version of the protocol";
	default:
		return "the node refuses the connection";
	}
}

static int connect_peer(struct obd_import *imp, struct lnet_peer *peer,
			struct import_answer *answer)
{
	struct lnet_conn *conn;
	int rc;

	conn = lnet_peer_connect(peer, connect_timeout() * HZ, connect_cancelled,
				 imp);
	if (IS_ERR(conn)) {
		rc = PTR_ERR(conn);
		if (lnet_peer_refuses(peer))
			answer->ia_words = refusal_words(rc);
		else if (rc == -EACCES)
			answer->ia_words = "this node may not connect there (a route, a firewall)";
		return rc;
	}
	ptlrpc_import_set_peer(imp, peer);
	rc = connect_over(imp, conn, answer);
	if (rc)
		ptlrpc_import_set_peer(imp, NULL);
	lnet_conn_put(conn);
	return rc;
}

static int tcp_connect(struct obd_import *imp, const struct lnet_nid *nid,
		       struct import_answer *answer)
{
	struct lnet_peer *peer;
	int rc;

	if (!ptlrpc_import_make(imp))
		return -ENOMEM;
	peer = lnet_peer_find(imp->imp_obd->obd_net, nid);
	if (IS_ERR(peer))
		return PTR_ERR(peer);
	rc = connect_peer(imp, peer, answer);
	lnet_peer_put(peer);
	if (!rc)
		set_bit(IMPF_PINGABLE, &imp->imp_flags);
	return rc;
}

/*
 * Disconnect.
 */

/* Whose node does not answer is not asked on behalf of other imports. */
static void close_conn(struct obd_import *imp, int why)
{
	struct lnet_conn *conn = ptlrpc_import_conn(imp);

	if (!conn)
		return;
	lnet_conn_close(conn, why);
	lnet_conn_put(conn);
}

/* A target that does not answer in time will find out by itself. */
static void say_goodbye(struct obd_import *imp)
{
	struct ptlrpc_request *req = new_request(imp, OP_DISCONNECT, NULL, 0);
	int rc;

	if (IS_ERR(req))
		return;
	req->rq_send_state = READ_ONCE(imp->imp_state);
	req->rq_timeout = DISCONNECT_TIMEOUT;
	req->rq_no_resend = true;
	req->rq_no_delay = true;
	req->rq_no_slot = true;
	rc = wait_and_put(req);
	if (rc)
		CDEBUG(D_HA, "%s: no goodbye to %s: rc = %d\n",
		       imp->imp_obd->obd_name, imp->imp_target_uuid.uuid, rc);
	if (rc == -ETIMEDOUT)
		close_conn(imp, rc);
}

static bool has_conn(struct obd_import *imp)
{
	struct lnet_conn *conn = ptlrpc_import_conn(imp);

	if (conn)
		lnet_conn_put(conn);
	return conn;
}

static void tcp_disconnect(struct obd_import *imp, bool failed)
{
	if (!failed && has_conn(imp))
		say_goodbye(imp);
	ptlrpc_import_set_peer(imp, NULL);
}

/*
 * Operations.
 */

static int tcp_ping(struct obd_import *imp)
{
	struct ptlrpc_request *req = ptlrpc_request_new(imp, OBD_PING,
							transport_portal(imp),
							NULL, 0);
	bool answered;
	int rc;

	if (!req)
		return -ENOMEM;
	req->rq_in_call = true;
	req->rq_no_resend = true;
	req->rq_no_slot = true;
	rc = ptlrpc_queue_wait(req);
	answered = req->rq_rep.type;
	ptlrpc_request_put(req);
	return answered || rc == -EINTR || rc == -EIO || rc == -ESHUTDOWN ?
	       rc : -ENOTCONN;
}

static void statfs_read(const struct lustre_statfs *ws, struct obd_statfs *st)
{
	*st = (struct obd_statfs) {
		.os_type = le64_to_cpu(ws->ws_type),
		.os_bsize = le32_to_cpu(ws->ws_bsize),
		.os_namelen = le32_to_cpu(ws->ws_namelen),
		.os_blocks = le64_to_cpu(ws->ws_blocks),
		.os_bfree = le64_to_cpu(ws->ws_bfree),
		.os_bavail = le64_to_cpu(ws->ws_bavail),
		.os_files = le64_to_cpu(ws->ws_files),
		.os_ffree = le64_to_cpu(ws->ws_ffree),
	};
}

/*
 * It asks, and changes nothing. Nobody who adds up room waits for a target that does
 * not answer longer than for a ping: it is down then, and who wants to asks again.
 */
static int tcp_statfs(struct obd_import *imp, struct obd_statfs *st, u64 max_age)
{
	static const u32 lens[] = { sizeof(struct lustre_statfs_req) };
	struct ptlrpc_request *req = new_request(imp, OP_STATFS, lens,
						 ARRAY_SIZE(lens));
	struct lustre_statfs_req *sq;
	const struct lustre_statfs *ws;
	int rc;

	if (IS_ERR(req))
		return PTR_ERR(req);
	req->rq_in_call = true;
	req->rq_timeout = ptlrpc_import_patience(imp);
	req->rq_no_resend = true;
	req->rq_no_delay = true;
	sq = ptlrpc_req_buf(req, 0);
	sq->sq_max_age = cpu_to_le64(max_age);
	rc = ptlrpc_queue_wait(req);
	ws = ptlrpc_rep_buf(req, 0, sizeof(*ws));
	if (!rc && !ws)
		rc = -EPROTO;
	if (!rc)
		statfs_read(ws, st);
	ptlrpc_request_put(req);
	/* No target of ours is there, or it does not answer. */
	return rc == -ENODEV || rc == -ETIMEDOUT ? -ENOTCONN : rc;
}

/* Return: 0, -EOVERFLOW for a value that is longer than the room. */
static int info_read(const struct ptlrpc_request *req, void *val, u32 *vallen)
{
	const struct wire_msg *rep = &req->rq_rep;
	u32 len = rep->bufcount ? rep->buflens[0] : 0;

	if (len > *vallen)
		return -EOVERFLOW;
	if (len)
		memcpy(val, rep->bufs[0], len);
	*vallen = len;
	return 0;
}

static int tcp_get_info(struct obd_import *imp, const char *key, void *val,
			u32 *vallen)
{
	u32 lens[] = { strlen(key) + 1, sizeof(struct lustre_info) };
	struct ptlrpc_request *req = new_request(imp, OP_GET_INFO, lens,
						 ARRAY_SIZE(lens));
	struct lustre_info *wi;
	int rc;

	if (IS_ERR(req))
		return PTR_ERR(req);
	req->rq_in_call = true;
	memcpy(ptlrpc_req_buf(req, 0), key, lens[0]);
	wi = ptlrpc_req_buf(req, 1);
	wi->wi_room = cpu_to_le32(*vallen);
	rc = ptlrpc_queue_wait(req);
	if (!rc)
		rc = info_read(req, val, vallen);
	ptlrpc_request_put(req);
	return rc;
}

static int tcp_set_info(struct obd_import *imp, const char *key,
			const void *val, u32 vallen)
{
	u32 lens[] = { strlen(key) + 1, vallen };
	struct ptlrpc_request *req;

	if (vallen > WIRE_MSG_MAX / 2)
		return -E2BIG;
	req = new_request(imp, OP_SET_INFO, lens, ARRAY_SIZE(lens));
	if (IS_ERR(req))
		return PTR_ERR(req);
	req->rq_in_call = true;
	memcpy(ptlrpc_req_buf(req, 0), key, lens[0]);
	if (vallen)
		memcpy(ptlrpc_req_buf(req, 1), val, vallen);
	return wait_and_put(req);
}

static struct obd_transport tcp_transport = {
	.tr_name = "tcp",
	.tr_owner = THIS_MODULE,
	.tr_reaches = tcp_reaches,
	.tr_connect = tcp_connect,
	.tr_replay = ptlrpc_replay,
	.tr_disconnect = tcp_disconnect,
	.tr_ping = tcp_ping,
	.tr_statfs = tcp_statfs,
	.tr_get_info = tcp_get_info,
	.tr_set_info = tcp_set_info,
};

/* Whether it is connected by this transport now. */
bool transport_is_tcp(const struct obd_import *imp)
{
	return READ_ONCE(imp->imp_transport) == &tcp_transport;
}

/**
 * ptlrpc_transport_init() - offer the transport
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int ptlrpc_transport_init(void)
{
	return obd_transport_register(&tcp_transport);
}

/**
 * ptlrpc_transport_exit() - the opposite; an import that uses it pins the module
 *
 * Context: may sleep
 */
void ptlrpc_transport_exit(void)
{
	obd_transport_deregister(&tcp_transport);
}
