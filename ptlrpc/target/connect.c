// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clients that connect and disconnect.
 *
 * A connecting client is in one of these cases:
 *
 *	names its export by the cookie		it has lost the connection, and is back
 *	names none or another one, and has	the answer to its connect was lost: it
 *	  made no request on its export		cannot know that export
 *	the connect in force			it was delivered twice
 *	has an export but does not know it	it restarted, or dropped the export and
 *						its disconnect was lost: that export is
 *						evicted, and a new one is made
 *	has no export				new; or it comes back to a target that
 *						restarted, see recovery.c
 *
 * Connects of one client have rising xids: a connect after a later one is stale.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/err.h>
#include <linux/jhash.h>
#include <linux/mutex.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/ptlrpc_test_point.h>

#include "target.h"

/* Most clients of one target on one node. */
#define NODE_CLIENTS_MAX	2048

/**
 * struct target_connect - a connect request
 * @tc_sr: request
 * @tc_obd: target, referenced
 * @tc_client: client
 * @tc_import: cookie of its import
 * @tc_data: in: requested; out: granted
 */
struct target_connect {
	struct ptlrpc_svc_req	*tc_sr;
	struct obd_device	*tc_obd;
	struct obd_uuid		tc_client;
	u64			tc_import;
	struct obd_connect_data	tc_data;
};

static bool get_uuid(const struct wire_msg *msg, unsigned int n,
		     struct obd_uuid *uuid)
{
	const char *text = wire_buf(msg, n, 1);
	size_t len = strnlen(text, msg->buflens[n]);

	if (!len || len == msg->buflens[n] || len >= sizeof(uuid->uuid))
		return false;
	memset(uuid, 0, sizeof(*uuid));
	memcpy(uuid->uuid, text, len);
	return true;
}

/* Return: 0; -EPROTO; -ENODEV if there is no such target here. */
static int connect_parse(struct target_connect *co)
{
	const struct ptlrpc_svc_req *sr = co->tc_sr;
	const struct wire_msg *msg = &sr->sr_msg;
	const struct lustre_connect *wire = wire_buf(msg, 2, sizeof(*wire));
	struct obd_uuid target;

	if (!get_uuid(msg, 0, &target) || !get_uuid(msg, 1, &co->tc_client) ||
	    !wire_ocd_decode(msg->bufs[3], msg->buflens[3], &co->tc_data))
		return -EPROTO;
	co->tc_import = le64_to_cpu(wire->co_import);
	co->tc_obd = target_find(lnet_peer_net(sr->sr_conn->cn_peer), &target);
	if (co->tc_obd)
		return 0;
	CDEBUG(D_HA, "client %s: connect to unknown target %s\n",
	       co->tc_client.uuid, target.uuid);
	return -ENODEV;
}

/* The client's current export, referenced, or NULL. */
static struct obd_export *connect_known(const struct target_connect *co)
{
	struct obd_export *exp = obd_export_by_uuid(co->tc_obd, &co->tc_client);

	if (IS_ERR_OR_NULL(exp))
		return NULL;
	if (class_connected_export(exp) && READ_ONCE(exp->exp_rpc))
		return exp;
	class_export_put(exp);
	return NULL;
}

/* Older than the connect in force. */
static bool is_stale(const struct target_connect *co, struct obd_export *exp)
{
	const struct ptlrpc_export *pe = ptlrpc_export(exp);

	return co->tc_import == pe->pe_client_import &&
	       (co->tc_sr->sr_msg.xid < pe->pe_connect_xid ||
		co->tc_sr->sr_msg.conn_cnt < READ_ONCE(exp->exp_conn_cnt));
}

static bool is_same_node(const struct target_connect *co, struct obd_export *exp)
{
	return ptlrpc_export(exp)->pe_peer == co->tc_sr->sr_conn->cn_peer;
}

static bool knows_export(const struct target_connect *co, struct obd_export *exp)
{
	return co->tc_sr->sr_msg.handle == exp->exp_handle.h_cookie;
}

/*
 * It names its export, also from another of its NIDs, or cannot know it. It may
 * name an earlier one, of before a restart of the target or an eviction. If that
 * were taken for a restarted client, it would be evicted a second time, or from a
 * recovery.
 */
static bool is_same_client(const struct target_connect *co, struct obd_export *exp)
{
	const struct ptlrpc_export *pe = ptlrpc_export(exp);

	if (knows_export(co, exp))
		return true;
	return is_same_node(co, exp) && co->tc_import == pe->pe_client_import &&
	       (!pe->pe_used || co->tc_sr->sr_msg.xid == pe->pe_connect_xid);
}

/*
 * Too late; or a client of the same uuid on another node: one that moved would
 * know its cookie.
 */
static bool is_refused(const struct target_connect *co, struct obd_export *exp)
{
	return is_stale(co, exp) ||
	       (!is_same_node(co, exp) && !knows_export(co, exp));
}

/*
 * Connects of a client are serialized, so no other task creates it. If the
 * export is unlinked meanwhile, the import is dropped when that is freed.
 */
static struct obd_import *reverse_make(struct target_connect *co,
				       struct obd_export *exp)
{
	struct obd_import *imp = class_new_import(co->tc_obd, &co->tc_client);

	if (IS_ERR(imp))
		return imp;
	class_import_get(imp);
	spin_lock(&exp->exp_lock);
	WARN_ON_ONCE(exp->exp_imp_reverse);
	exp->exp_imp_reverse = imp;
	spin_unlock(&exp->exp_lock);
	return imp;
}

/* The import to the client, referenced, or an ERR_PTR. */
static struct obd_import *reverse_import(struct target_connect *co,
					 struct obd_export *exp)
{
	struct obd_import *imp;

	spin_lock(&exp->exp_lock);
	imp = exp->exp_imp_reverse;
	if (imp)
		class_import_get(imp);
	spin_unlock(&exp->exp_lock);
	return imp ?: reverse_make(co, exp);
}

/* Direct callbacks for the client to its node, as of this connect. */
static int connect_reverse(struct target_connect *co, struct obd_export *exp)
{
	struct obd_import *imp = reverse_import(co, exp);

	if (IS_ERR(imp))
		return PTR_ERR(imp);
	spin_lock(&imp->imp_lock);
	imp->imp_remote_handle.cookie = co->tc_import;
	imp->imp_conn_nid = *ptlrpc_svc_nid(co->tc_sr);
	imp->imp_conn_cnt = co->tc_sr->sr_msg.conn_cnt;
	spin_unlock(&imp->imp_lock);
	import_set_node(imp, co->tc_sr->sr_conn->cn_peer);
	import_adopt(imp);
	class_import_put(imp);
	return 0;
}

/* Make this connect the one in force. */
static int connect_note(struct target_connect *co, struct obd_export *exp)
{
	const struct wire_msg *msg = &co->tc_sr->sr_msg;
	struct ptlrpc_export *pe = ptlrpc_export(exp);

	spin_lock(&exp->exp_lock);
	exp->exp_conn_cnt = msg->conn_cnt;
	exp->exp_connect_data = co->tc_data;
	WRITE_ONCE(exp->exp_last_request_time, ktime_get_seconds());
	spin_unlock(&exp->exp_lock);
	spin_lock(&pe->pe_lock);
	pe->pe_connect_xid = msg->xid;
	pe->pe_client_import = co->tc_import;
	/* The request holds it until the import of callbacks does. */
	WRITE_ONCE(pe->pe_peer, co->tc_sr->sr_conn->cn_peer);
	spin_unlock(&pe->pe_lock);
	return connect_reverse(co, exp);
}

/* The recovery's decision about it. */
static int connect_recovery(struct target_connect *co)
{
	return target_recovery_connect(co->tc_obd, &co->tc_client,
				       !co->tc_sr->sr_msg.handle);
}

/* A type without o_reconnect grants what it granted before. */
static int connect_again(struct target_connect *co, struct obd_export *exp)
{
	int rc = connect_recovery(co);

	if (rc < 0)
		return rc;
	co->tc_sr->sr_rep_op_flags |= rc;
	if (knows_export(co, exp))
		co->tc_sr->sr_rep_op_flags |= MSG_CONNECT_RECONNECT;
	rc = obd_reconnect(exp, co->tc_obd, &co->tc_client, &co->tc_data);
	if (rc == -EOPNOTSUPP) {
		spin_lock(&exp->exp_lock);
		co->tc_data = exp->exp_connect_data;
		spin_unlock(&exp->exp_lock);
		rc = 0;
	}
	return rc ?: connect_note(co, exp);
}

/* Store the client on disk, unless it is there from before a restart. */
static int connect_write(struct target_connect *co, struct obd_export *exp)
{
	bool known = co->tc_sr->sr_rep_op_flags & MSG_CONNECT_RECOVERING;
	int rc = known ? 0 : tgt_client_add(co->tc_obd, &co->tc_client);

	if (!rc)
		ptlrpc_export(exp)->pe_written = true;
	return rc;
}

static int connect_new_export(struct target_connect *co, struct obd_export *exp)
{
	int rc;

	if (!ptlrpc_export_make(exp))
		return -ENOMEM;
	rc = connect_write(co, exp);
	if (!rc)
		rc = connect_note(co, exp);
	if (!rc)
		rc = connect_recovery(co);
	if (rc < 0)
		return rc;
	co->tc_sr->sr_rep_op_flags |= rc;
	return class_connected_export(exp) ? 0 : -ENOTCONN;
}

/*
 * Whether a node has the most clients of the target allowed. Each takes a few
 * kilobytes for one message.
 */
static bool node_is_full(const struct target_connect *co)
{
	const struct lnet_nid *nid = ptlrpc_svc_nid(co->tc_sr);
	struct obd_device *obd = co->tc_obd;
	struct obd_export *exp;
	unsigned int count = 0;

	if (READ_ONCE(obd->obd_num_exports) <= NODE_CLIENTS_MAX)
		return false;
	spin_lock(&obd->obd_export_lock);
	list_for_each_entry(exp, &obd->obd_exports, exp_obd_chain)
		count += libcfs_nid_same(&exp->exp_nid, nid);
	spin_unlock(&obd->obd_export_lock);
	return count >= NODE_CLIENTS_MAX;
}

static int refuse_full(const struct target_connect *co)
{
	char nid[LNET_NID_TEXT_MAX] = "?";

	libcfs_nid_print(ptlrpc_svc_nid(co->tc_sr), nid, sizeof(nid));
	CWARN("%s: node %s has %u clients of it, refusing another one: rc = %d\n",
	      co->tc_obd->obd_name, nid, NODE_CLIENTS_MAX, -EUSERS);
	return -EUSERS;
}

/* Return: export, referenced, or an ERR_PTR. */
static struct obd_export *connect_new(struct target_connect *co)
{
	struct obd_export *exp = NULL;
	int rc = node_is_full(co) ? refuse_full(co) : connect_recovery(co);

	if (rc < 0)
		return ERR_PTR(rc);
	co->tc_sr->sr_rep_op_flags |= rc;
	rc = obd_connect(&exp, co->tc_obd, &co->tc_client,
			 ptlrpc_svc_nid(co->tc_sr), &co->tc_data);
	if (rc)
		return ERR_PTR(rc);
	rc = connect_new_export(co, exp);
	if (!rc)
		return exp;
	/* Drops the reference. */
	obd_disconnect(exp);
	return ERR_PTR(rc);
}

/*
 * Return: export, referenced; -EALREADY if the client has connected since, or
 *  is on another node.
 */
static struct obd_export *connect_export(struct target_connect *co)
{
	struct obd_export *exp = connect_known(co);
	int rc;

	if (!exp)
		return connect_new(co);
	rc = is_refused(co, exp) ? -EALREADY : 0;
	if (!rc && is_same_client(co, exp)) {
		rc = connect_again(co, exp);
		if (!rc)
			return exp;
	} else if (!rc) {
		CWARN("%s: client %s reconnects and does not know its export: evicting the old export\n",
		      co->tc_obd->obd_name, co->tc_client.uuid);
		class_fail_export(exp);
	}
	class_export_put(exp);
	return rc ? ERR_PTR(rc) : connect_new(co);
}

static int connect_reply(struct target_connect *co, struct obd_export *exp)
{
	void *ocd = ptlrpc_svc_rep_buf(co->tc_sr, 0);

	if (!ocd)
		return -ENOMEM;
	wire_ocd_encode(ocd, &co->tc_data);
	co->tc_sr->sr_rep_handle = exp->exp_handle.h_cookie;
	/* Before it replays, the client drops what is on disk. */
	co->tc_sr->sr_rep_committed = tgt_last_committed(co->tc_obd);
	return 0;
}

#define CONNECT_LOCKS	16

/*
 * Serializes the connects of a client, which has one of these: a delayed or
 * duplicated connect finds the result of the other one. Held over operations of
 * the target.
 */
static struct mutex connect_locks[CONNECT_LOCKS];

static struct mutex *connect_lock(const struct obd_uuid *client)
{
	u32 hash = jhash(client->uuid, sizeof(client->uuid), 0);

	return &connect_locks[hash % CONNECT_LOCKS];
}

/* Initialize the locks. */
void target_connect_init(void)
{
	size_t n;

	for (n = 0; n < CONNECT_LOCKS; n++)
		mutex_init(&connect_locks[n]);
}

/**
 * target_handle_connect() - handle a connect
 * @sr: request
 *
 * Context: may sleep
 * Return: 0; -EPROTO; -ENODEV if there is no such target; -EALREADY if the
 *  client has connected since, or is on another node; -EBUSY if it is unknown
 *  and the target is in recovery; -EUSERS if its node has too many; the status
 *  of o_connect
 */
int target_handle_connect(struct ptlrpc_svc_req *sr)
{
	struct target_connect co = { .tc_sr = sr };
	struct obd_export *exp;
	struct mutex *lock;
	int rc = connect_parse(&co);

	if (rc)
		return rc;
	lock = connect_lock(&co.tc_client);
	mutex_lock(lock);
	exp = connect_export(&co);
	mutex_unlock(lock);
	rc = PTR_ERR_OR_ZERO(exp);
	if (!rc) {
		rc = connect_reply(&co, exp);
		class_export_put(exp);
	}
	class_decref(co.tc_obd, OBD_REF_LOOKUP);
	return rc;
}

/**
 * target_handle_disconnect() - handle a disconnect
 * @sr: request
 *
 * The transactions of the client are on disk first: it replays nothing any more. A commit that
 * fails is reported by the committer. A client that does not wait for it may connect meanwhile.
 *
 * Context: may sleep
 * Return: 0 or the status of o_disconnect; -EALREADY if the client has connected since
 */
int target_handle_disconnect(struct ptlrpc_svc_req *sr)
{
	struct obd_export *exp = sr->sr_exp;
	struct mutex *lock = connect_lock(&exp->exp_client_uuid);
	int rc = -EALREADY;

	tgt_sync(exp->exp_obd);
	ptlrpc_test_at(PTP_DISCONNECT, exp);
	mutex_lock(lock);
	if (sr->sr_msg.conn_cnt >= READ_ONCE(exp->exp_conn_cnt))
		rc = obd_disconnect(class_export_get(exp));
	mutex_unlock(lock);
	return rc;
}

/* A stopping target remembers its clients: they may come back. */
static bool is_removed(struct obd_export *exp)
{
	return ptlrpc_export(exp)->pe_written &&
	       !libcfs_active_is_dead(&exp->exp_obd->obd_active);
}

static void export_unlinked(struct obd_export *exp)
{
	struct obd_import *imp;

	spin_lock(&exp->exp_lock);
	imp = exp->exp_imp_reverse;
	exp->exp_imp_reverse = NULL;
	spin_unlock(&exp->exp_lock);
	/* Fail callbacks on their way to the client. */
	if (imp) {
		import_set_node(imp, NULL);
		class_destroy_import(imp);
	}
	/* Before others get its locks: after a restart it must not come back to replay. */
	if (is_removed(exp))
		tgt_client_del(exp->exp_obd, &exp->exp_client_uuid);
	target_locks->tlo_export_gone(exp);
	target_recovery_disconnect(exp->exp_obd, exp);
}

static void export_free(struct obd_export *exp)
{
	struct ptlrpc_export *pe = ptlrpc_export(exp);

	/* It was made while the export was unlinked. */
	if (exp->exp_imp_reverse)
		class_destroy_import(exp->exp_imp_reverse);
	WARN_ON_ONCE(!list_empty(&pe->pe_locks));
	reply_cache_free(pe);
	exp->exp_rpc = NULL;
	libcfs_free(pe, sizeof(*pe));
}

static const struct obd_export_ops export_ops = {
	.eo_unlinked	= export_unlinked,
	.eo_free	= export_free,
};

/**
 * ptlrpc_export_make() - ptlrpc's part of an export, created if needed
 * @exp: export that the caller holds
 *
 * If it was unlinked before, no notification follows: the caller tests
 * afterwards whether it is connected.
 *
 * Context: may sleep
 * Return: the same object for each call; NULL on allocation failure
 */
struct ptlrpc_export *ptlrpc_export_make(struct obd_export *exp)
{
	struct ptlrpc_export *pe = libcfs_zalloc(sizeof(*pe), GFP_KERNEL);
	struct ptlrpc_export *made;

	if (!pe)
		return NULL;
	spin_lock_init(&pe->pe_lock);
	INIT_LIST_HEAD(&pe->pe_requests);
	INIT_LIST_HEAD(&pe->pe_replies);
	INIT_LIST_HEAD(&pe->pe_locks);
	spin_lock(&exp->exp_lock);
	if (!exp->exp_ops) {
		WRITE_ONCE(exp->exp_rpc, pe);
		exp->exp_ops = &export_ops;
		pe = NULL;
	}
	made = exp->exp_rpc;
	spin_unlock(&exp->exp_lock);
	libcfs_free(pe, sizeof(*pe));
	return made;
}
