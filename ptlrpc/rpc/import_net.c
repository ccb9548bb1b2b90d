// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages of an import to its target: connect, disconnect, ping, and the operations that
 * are the same for all client types. On another node they are requests; a target in this
 * kernel is called (loopback.c).
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_client.h>

#include "import.h"

/* Timeout of a disconnect, seconds. */
#define DISCONNECT_TIMEOUT	3

/* enum import_opc - operations that each service has under a number of its own */
enum import_opc {
	OP_CONNECT,
	OP_DISCONNECT,
	OP_STATFS,
	OP_GET_INFO,
	OP_SET_INFO,
	OP_COUNT
};

/* Numbers by service; 0: not there. */
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

static unsigned int connect_timeout(void)
{
	return connect_seconds(READ_ONCE(obd_timeout));
}

/* The portal of the operations of the import's target. */
u16 import_portal(const struct obd_import *imp)
{
	return services[imp->imp_obd->obd_type->typ_service].portal;
}

static struct ptlrpc_request *new_request(struct obd_import *imp, enum import_opc op,
					  const u32 *lens, unsigned int count)
{
	u32 opc = services[imp->imp_obd->obd_type->typ_service].opc[op];

	if (!opc)
		return ERR_PTR(-EOPNOTSUPP);
	return ptlrpc_request_new(imp, opc, import_portal(imp), lens, count) ?:
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
		answer->ia_reason = rc == -ENODEV ? "the node does not serve the target" :
						    "the target refuses";
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
 * A target that does not answer over an open connection never will: the connection is
 * closed, and the next try makes a new one.
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
static const char *refusal_reason(int rc)
{
	switch (rc) {
	case -EACCES:
		return "the node refuses connections from this node (its parameters ptlrpc.accept, ptlrpc.accept_networks)";
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
			answer->ia_reason = refusal_reason(rc);
		else if (rc == -EACCES)
			answer->ia_reason = "this node is not permitted to connect (route, firewall)";
		return rc;
	}
	import_set_node(imp, peer);
	rc = connect_over(imp, conn, answer);
	if (rc)
		import_set_node(imp, NULL);
	lnet_conn_put(conn);
	return rc;
}

int import_net_connect(struct obd_import *imp, const struct lnet_nid *nid,
		       struct import_answer *answer)
{
	struct lnet_peer *peer;
	int rc;

	/* From the first try on, recovery looks after the import. */
	WRITE_ONCE(imp->imp_networked, true);
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

/*
 * A target that does not reply in time evicts the client later. The connection is closed
 * then, so that requests of other imports to its node do not wait either.
 */
static int disconnect_ask(struct obd_import *imp, struct lnet_conn *conn)
{
	struct ptlrpc_request *req = new_request(imp, OP_DISCONNECT, NULL, 0);
	int rc;

	if (IS_ERR(req))
		return PTR_ERR(req);
	req->rq_send_state = import_state(imp);
	req->rq_timeout = DISCONNECT_TIMEOUT;
	req->rq_no_resend = true;
	req->rq_no_delay = true;
	req->rq_no_slot = true;
	rc = wait_and_put(req);
	if (rc)
		CDEBUG(D_HA, "%s: disconnect from %s failed: rc = %d\n",
		       imp->imp_obd->obd_name, imp->imp_target_uuid.uuid, rc);
	if (rc == -ETIMEDOUT)
		lnet_conn_close(conn, rc);
	return rc;
}

/* Return: 0: the target has forgotten the client; a negative errno */
int import_net_disconnect(struct obd_import *imp, bool failed)
{
	struct lnet_conn *conn = failed ? NULL : import_node_conn(imp, LNET_CONTROL);
	int rc = -ENOTCONN;

	if (!IS_ERR_OR_NULL(conn)) {
		rc = disconnect_ask(imp, conn);
		lnet_conn_put(conn);
	}
	import_set_node(imp, NULL);
	return rc;
}

/*
 * Operations over the network.
 */

static int net_ping(struct obd_import *imp)
{
	struct ptlrpc_request *req = ptlrpc_request_new(imp, OBD_PING,
							import_portal(imp),
							NULL, 0);
	bool answered;
	int rc;

	if (!req)
		return -ENOMEM;
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
		.os_state = le32_to_cpu(ws->ws_state),
	};
}

/*
 * The sum over many targets waits for one that does not reply no longer than for a ping:
 * such a target is down, and the next statfs asks it again.
 */
static int net_statfs(struct obd_import *imp, struct obd_statfs *st, u64 max_age)
{
	static const u32 lens[] = { sizeof(struct lustre_statfs_req) };
	struct ptlrpc_request *req = new_request(imp, OP_STATFS, lens,
						 ARRAY_SIZE(lens));
	struct lustre_statfs_req *sq;
	const struct lustre_statfs *ws;
	int rc;

	if (IS_ERR(req))
		return PTR_ERR(req);
	req->rq_timeout = import_patience(imp);
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
	/* The target is not on that node, or does not answer. */
	return rc == -ENODEV || rc == -ETIMEDOUT ? -ENOTCONN : rc;
}

/* Return: 0, -EOVERFLOW for a value that is longer than the buffer. */
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

static int net_get_info(struct obd_import *imp, const char *key, void *val,
			u32 *vallen)
{
	u32 lens[] = { strlen(key) + 1, sizeof(struct lustre_info) };
	struct ptlrpc_request *req = new_request(imp, OP_GET_INFO, lens,
						 ARRAY_SIZE(lens));
	struct lustre_info *wi;
	int rc;

	if (IS_ERR(req))
		return PTR_ERR(req);
	memcpy(ptlrpc_req_buf(req, 0), key, lens[0]);
	wi = ptlrpc_req_buf(req, 1);
	wi->wi_room = cpu_to_le32(*vallen);
	req->rq_rep_size = max_t(u32, wire_msg_size(vallen, 1), RQ_REPLY_SIZE);
	rc = ptlrpc_queue_wait(req);
	if (!rc)
		rc = info_read(req, val, vallen);
	ptlrpc_request_put(req);
	return rc;
}

static int net_set_info(struct obd_import *imp, const char *key,
			const void *val, u32 vallen)
{
	u32 lens[] = { strlen(key) + 1, vallen };
	struct ptlrpc_request *req;

	if (vallen > WIRE_MSG_MAX / 2)
		return -E2BIG;
	req = new_request(imp, OP_SET_INFO, lens, ARRAY_SIZE(lens));
	if (IS_ERR(req))
		return PTR_ERR(req);
	memcpy(ptlrpc_req_buf(req, 0), key, lens[0]);
	if (vallen)
		memcpy(ptlrpc_req_buf(req, 1), val, vallen);
	return wait_and_put(req);
}

/*
 * Operations.
 */

/**
 * struct import_op - an operation of the target
 * @imp: import, referenced
 * @link: how the target is reached
 * @conn_cnt: imp_conn_cnt when the operation started
 */
struct import_op {
	struct obd_import	*imp;
	enum imp_link		link;
	u32			conn_cnt;
};

static bool op_start(struct obd_import *imp, struct import_op *op)
{
	spin_lock(&imp->imp_lock);
	op->link = imp->imp_state == LUSTRE_IMP_FULL ? imp->imp_link : IMP_LINK_NONE;
	op->conn_cnt = imp->imp_conn_cnt;
	spin_unlock(&imp->imp_lock);
	if (op->link == IMP_LINK_NONE)
		return false;
	op->imp = class_import_get(imp);
	return true;
}

/*
 * Find the import connected, or connect it. Return: 0; -ESHUTDOWN when it is deactivated;
 * -ENOTCONN when it is not connected and cannot be.
 */
static int op_begin(struct obd_import *imp, struct import_op *op)
{
	struct obd_why why = {};
	int rc;

	if (test_bit(IMPF_DEACTIVE, &imp->imp_flags))
		return -ESHUTDOWN;
	if (op_start(imp, op))
		return 0;
	if (import_state(imp) == LUSTRE_IMP_NEW)
		return -ENOTCONN;
	rc = import_connect(imp, &why);
	if (!rc && op_start(imp, op))
		return 0;
	CDEBUG(D_HA, "%s: no call to %s: %s: rc = %d\n", imp->imp_obd->obd_name,
	       imp->imp_target_uuid.uuid, why.text, rc);
	return -ENOTCONN;
}

/* A client whose export was taken away has to connect again. */
static int client_op_begin(struct obd_export *exp, struct import_op *op)
{
	if (!class_connected_export(exp))
		return -ENOTCONN;
	return op_begin(exp->exp_obd->obd_cli->cl_import, op);
}

/* -ENOTCONN of an operation: that connection is lost. */
static int op_end(struct import_op *op, int rc)
{
	if (rc == -ENOTCONN)
		import_lost(op->imp, op->conn_cnt);
	class_import_put(op->imp);
	return rc;
}

/**
 * import_ping() - ask the target whether it still knows this client
 * @imp: import; the caller holds it
 *
 * An import that is not connected, and is to be, is connected first, as with all
 * operations here.
 *
 * Context: as import_connect()
 * Return: 0; -ESHUTDOWN when the import is deactivated; -ENOTCONN when it is not connected
 * and cannot be, or the target does not know the client or does not answer; -EIO when it
 * was invalidated meanwhile; -EINTR
 */
int import_ping(struct obd_import *imp)
{
	struct import_op op;
	int rc = op_begin(imp, &op);

	if (rc)
		return rc;
	return op_end(&op, op.link == IMP_LINK_NET ? net_ping(imp) : loopback_ping(imp));
}
EXPORT_SYMBOL_NS_GPL(import_ping, LUSTRE_LITE);

/**
 * client_statfs() - o_statfs of a client type
 * @exp: export of the client device
 * @st: out, space on the target
 * @max_age: how old it may be, nanoseconds
 *
 * Context: as import_connect()
 * Return: 0; as import_ping(); -ENOTCONN when @exp was evicted; the status of the target
 */
int client_statfs(struct obd_export *exp, struct obd_statfs *st, u64 max_age)
{
	struct import_op op;
	int rc = client_op_begin(exp, &op);

	if (rc)
		return rc;
	rc = op.link == IMP_LINK_NET ? net_statfs(op.imp, st, max_age) :
				       loopback_statfs(op.imp, st, max_age);
	return op_end(&op, rc);
}
EXPORT_SYMBOL_NS_GPL(client_statfs, LUSTRE_LITE);

/**
 * client_get_info() - o_get_info of a client type
 * @exp: export of the client device
 * @key: which value of the target
 * @val: out, the value
 * @vallen: in: size of @val, out: bytes of the value
 *
 * Context: as import_connect()
 * Return: as client_statfs(); -EOVERFLOW for a longer value
 */
int client_get_info(struct obd_export *exp, const char *key, void *val,
		    u32 *vallen)
{
	struct import_op op;
	int rc = client_op_begin(exp, &op);

	if (rc)
		return rc;
	rc = op.link == IMP_LINK_NET ? net_get_info(op.imp, key, val, vallen) :
				       loopback_get_info(op.imp, key, val, vallen);
	return op_end(&op, rc);
}
EXPORT_SYMBOL_NS_GPL(client_get_info, LUSTRE_LITE);

/**
 * client_set_info() - o_set_info_async of a client type
 * @exp: export of the client device
 * @key: which value of the target
 * @val: value
 * @vallen: its bytes
 *
 * Context: as import_connect()
 * Return: as client_statfs(); -E2BIG for a value that no message can carry
 */
int client_set_info(struct obd_export *exp, const char *key, const void *val,
		    u32 vallen)
{
	struct import_op op;
	int rc = client_op_begin(exp, &op);

	if (rc)
		return rc;
	rc = op.link == IMP_LINK_NET ? net_set_info(op.imp, key, val, vallen) :
				       loopback_set_info(op.imp, key, val, vallen);
	return op_end(&op, rc);
}
EXPORT_SYMBOL_NS_GPL(client_set_info, LUSTRE_LITE);
