// SPDX-License-Identifier: GPL-2.0
/*
 * A ping of a node: OBD_PING without a handle, which needs no import. The node
 * answers with its NIDs. It has a table of its own of those that wait: they are
 * few, and a person waits for each.
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/completion.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/obd_class.h>

#include "../net/net.h"
#include "rpc.h"

/* How often the wait looks whether the connection is still there. */
#define PING_PERIOD	(HZ / 10)

/**
 * struct node_ping - a ping on its way
 * @np_item: in pings
 * @np_conn: connection that it went out on
 * @np_xid: number
 * @np_tx: request
 * @np_msg: it
 * @np_done: completed when the answer was there
 * @np_answer: where the answer goes
 * @np_rc: what came of it
 */
struct node_ping {
	struct list_head	np_item;
	struct lnet_conn		*np_conn;
	u64			np_xid;
	struct lnet_tx		np_tx;
	struct lustre_msg	np_msg;
	struct completion	np_done;
	struct node_ping_answer	*np_answer;
	int			np_rc;
};

/* Guards the list, and np_answer and np_rc of what is in it. */
static DEFINE_SPINLOCK(pings_lock);
static LIST_HEAD(pings);

static struct node_ping *__ping_find(const struct lnet_rx *rx)
{
	struct node_ping *ping;

	lockdep_assert_held(&pings_lock);
	list_for_each_entry(ping, &pings, np_item) {
		if (ping->np_xid == rx->rx_view.xid &&
		    ping->np_conn == rx->rx_conn)
			return ping;
	}
	return NULL;
}

/* The node's NIDs; what makes no sense is left out. */
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

/**
 * lnet_node_ping_reply() - a reply came: is it the answer to a ping of a node?
 * @rx: reply
 *
 * For whoever does not find its xid. Its bulk data, if any, is thrown away.
 *
 * Context: any but hard interrupt
 * Return: whether it is
 */
bool lnet_node_ping_reply(struct lnet_rx *rx)
{
	struct node_ping *ping;

	if (list_empty(&pings))
		return false;
	spin_lock_bh(&pings_lock);
	ping = __ping_find(rx);
	if (ping) {
		list_del_init(&ping->np_item);
		ping->np_rc = rx->rx_view.status;
		answer_take(ping->np_answer, &rx->rx_view);
		complete(&ping->np_done);
	}
	spin_unlock_bh(&pings_lock);
	return ping;
}

/* Nothing to do: ping_free() waits in lnet_conn_recall(). */
static void ping_sent(struct lnet_tx *tx, int rc)
{
}

static struct node_ping *ping_make(struct lnet_conn *conn, u32 timeout_ms,
				   struct node_ping_answer *answer)
{
	struct node_ping *ping = libcfs_zalloc(sizeof(*ping), GFP_KERNEL);
	struct wire_msg msg = {
		.type = PTL_RPC_MSG_REQUEST,
		.opc = OBD_PING,
		/* Every node has that service, and it is never without a thread. */
		.portal = OST_REQUEST_PORTAL,
		.timeout = DIV_ROUND_UP(timeout_ms, 1000),
	};

	if (!ping)
		return NULL;
	ping->np_conn = conn;
	ping->np_xid = ptlrpc_next_xid();
	ping->np_answer = answer;
	init_completion(&ping->np_done);
	msg.xid = ping->np_xid;
	wire_msg_init(&ping->np_msg, NULL, 0);
	wire_msg_encode(&ping->np_msg, &msg);
	ping->np_tx.tx_msg = &ping->np_msg;
	ping->np_tx.tx_msg_len = sizeof(ping->np_msg);
	ping->np_tx.tx_done = ping_sent;
	spin_lock_bh(&pings_lock);
	list_add_tail(&ping->np_item, &pings);
	spin_unlock_bh(&pings_lock);
	return ping;
}

/* It was sent, or never will be, and no answer is looked for any more. */
static void ping_free(struct node_ping *ping)
{
	spin_lock_bh(&pings_lock);
	list_del_init(&ping->np_item);
	spin_unlock_bh(&pings_lock);
	libcfs_free(ping, sizeof(*ping));
}

static int ping_wait(struct node_ping *ping, unsigned long until)
{
	long rc;

	do {
		rc = wait_for_completion_killable_timeout(&ping->np_done,
							  PING_PERIOD);
		if (rc > 0)
			return ping->np_rc;
		if (rc < 0)
			return -EINTR;
		if (!lnet_conn_is_open(ping->np_conn))
			return -ECONNRESET;
	} while (time_before(jiffies, until));
	return -ETIMEDOUT;
}

static int ping_conn(struct lnet_conn *conn, unsigned long until, u32 timeout_ms,
		     struct node_ping_answer *answer)
{
	struct node_ping *ping = ping_make(conn, timeout_ms, answer);
	u64 begin = ktime_get_ns();
	int rc;

	if (!ping)
		return -ENOMEM;
	rc = lnet_conn_send(conn, &ping->np_tx);
	if (!rc) {
		rc = ping_wait(ping, until);
		answer->pa_usec = div_u64(ktime_get_ns() - begin,
					  NSEC_PER_USEC);
		lnet_conn_recall(conn, &ping->np_tx);
	}
	ping_free(ping);
	return rc;
}

/* Words for what a ping may come to. */
static int ping_words(struct obd_why *why, const struct lnet_nid *nid, int rc)
{
	u32 port = READ_ONCE(lnet_settings.ls_port);
	char text[LNET_NID_TEXT_MAX] = "";

	libcfs_nid_print(nid, text, sizeof(text));
	switch (rc) {
	case -ECONNREFUSED:
		return obd_refuse(why, rc,
				  "%s: nobody listens on port %u there; a target or `lctl network up` makes it listen, and parameter ptlrpc.port is to be the same on every node",
				  text, port);
	case -EHOSTUNREACH:
	case -ENETUNREACH:
		return obd_refuse(why, rc, "%s: there is no way to that address",
				  text);
	case -ETIMEDOUT:
		return obd_refuse(why, rc, "%s: no answer in time", text);
	case -EACCES:
		return obd_refuse(why, rc,
				  "%s: does not let this node in; its parameters ptlrpc.accept and ptlrpc.accept_networks say who may connect",
				  text);
	case -EPROTO:
		return obd_refuse(why, rc,
				  "%s: speaks another protocol on port %u, or no version of this one that this node does",
				  text, port);
	case -ECONNRESET:
		return obd_refuse(why, rc,
				  "%s: ended the connection; its log may say why",
				  text);
	case -EAFNOSUPPORT:
		return obd_refuse(why, rc,
				  "%s: only nodes on networks of type tcp can be reached",
				  text);
	default:
		return obd_refuse(why, rc, "%s: errno %d", text, -rc);
	}
}

static int ping_peer(struct lnet_peer *peer, u32 timeout_ms,
		     struct node_ping_answer *answer)
{
	unsigned long until = jiffies + msecs_to_jiffies(timeout_ms);
	struct lnet_conn *conn;
	int rc;

	conn = lnet_peer_connect(peer, msecs_to_jiffies(timeout_ms), NULL, NULL);
	if (IS_ERR(conn))
		return PTR_ERR(conn);
	rc = ping_conn(conn, until, timeout_ms, answer);
	lnet_conn_put(conn);
	return rc;
}

/**
 * node_ping() - ask a node whether it is there
 * @ns: namespace
 * @nid: node
 * @timeout_ms: at most so long
 * @answer: out
 * @why: words of a refusal
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int node_ping(struct net *ns, const struct lnet_nid *nid, u32 timeout_ms,
	      struct node_ping_answer *answer, struct obd_why *why)
{
	struct lnet_peer *peer = lnet_peer_find(ns, nid);
	int rc;

	answer->pa_count = 0;
	if (IS_ERR(peer))
		return ping_words(why, nid, PTR_ERR(peer));
	rc = ping_peer(peer, timeout_ms, answer);
	lnet_peer_put(peer);
	return rc && rc != -EINTR ? ping_words(why, nid, rc) : rc;
}
