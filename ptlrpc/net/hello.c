// SPDX-License-Identifier: GPL-2.0-only
/*
 * The exchange of HELLO: each node's identity, the identity it expects of the
 * other, and the features of both. The connecting node sends first. The other
 * one checks all of it and answers with the agreed features or with an errno.
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/kernel.h>
#include <linux/net.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include <lustre_lite/ptlrpc_test_point.h>

#include "conn.h"

/* The message on the wire. */
struct lnet_hello_bytes {
	struct lnet_frame	frame;
	struct lnet_hello	hello;
} __packed;

static struct wire_nid nid_to_wire(const struct lnet_nid *nid)
{
	struct wire_nid wire = {
		.type = nid->nid_type,
		.len = nid->nid_len,
		.net = nid->nid_net,
	};

	memcpy(wire.addr, nid->nid_addr, sizeof(wire.addr));
	return wire;
}

static struct lnet_nid nid_from_wire(const struct wire_nid *wire)
{
	struct lnet_nid nid = {
		.nid_type = wire->type,
		.nid_len = wire->len,
		.nid_net = wire->net,
	};

	memcpy(nid.nid_addr, wire->addr, sizeof(nid.nid_addr));
	return nid;
}

/*
 * The first bytes that this end sends: a socket that does not take so few at
 * once is unusable.
 */
static int hello_send(struct lnet_conn *conn, const struct wire_hello *hello)
{
	struct conn_writer *wr = &conn_private(conn)->cp_writer;
	struct wire_frame frame = {
		.type = LNET_FRAME_HELLO,
		.msg_len = sizeof(struct lnet_hello),
		.seq = wr->cwr_seq,
	};
	struct lnet_hello_bytes bytes;
	struct kvec vec = {
		.iov_base = &bytes,
		.iov_len = sizeof(bytes),
	};
	int rc;

	wire_hello_encode(&bytes.hello, hello);
	conn_frame_encode(&bytes.frame, &frame);
	rc = conn_sock_send(conn, &vec, 1, sizeof(bytes), false);
	if (rc < 0)
		return rc;
	wr->cwr_seq++;
	return rc == sizeof(bytes) ? 0 : -ECONNRESET;
}

static bool hello_wants_bulk_crc(struct lnet_conn *conn)
{
	const struct lnet_conn_private *cp = conn_private(conn);
	struct lnet_nid here, there;

	switch (READ_ONCE(lnet_settings.lns_bulk_crc)) {
	case LNET_BULK_CRC_OFF:
		return false;
	case LNET_BULK_CRC_ON:
		return true;
	default:
		return lnet_nid_from_sockaddr(&cp->cp_local, 0, &here) ||
		       lnet_nid_from_sockaddr(&cp->cp_remote, 0, &there) ||
		       !libcfs_nid_same(&here, &there);
	}
}

/* The features that this node offers. */
static u32 hello_offer(struct lnet_conn *conn)
{
	u32 features = LNET_FEATURE_LANES | LNET_FEATURE_BULK;

	if (READ_ONCE(lnet_settings.lns_crc))
		features |= LNET_FEATURE_CRC;
	if (hello_wants_bulk_crc(conn))
		features |= LNET_FEATURE_BULK_CRC;
	return features;
}

/*
 * Use the features of both ends. Without LNET_FEATURE_BULK the other end takes the CRC of
 * messages for one of bulk data, too.
 */
static void hello_agree(struct lnet_conn *conn, u32 features)
{
	u32 bulk_crc = features & LNET_FEATURE_BULK ? LNET_FEATURE_BULK_CRC :
						      LNET_FEATURE_CRC;

	conn_private(conn)->cp_features = features;
	if (features & LNET_FEATURE_CRC)
		set_bit(CNF_CRC, &conn->cn_flags);
	if (features & LNET_FEATURE_LANES)
		set_bit(CNF_LANES, &conn->cn_flags);
	if (features & bulk_crc)
		set_bit(CNF_BULK_CRC, &conn->cn_flags);
}

/* This node's HELLO; @net: number of the network. */
static int hello_make(struct lnet_conn *conn, u16 net, struct wire_hello *hello)
{
	struct lnet_conn_private *cp = conn_private(conn);
	struct lnet_nid nid;
	int rc;

	rc = lnet_nid_from_sockaddr(&cp->cp_local, net, &nid);
	if (rc)
		return rc;
	memset(hello, 0, sizeof(*hello));
	hello->version_min = WIRE_VERSION;
	hello->version_max = WIRE_VERSION;
	hello->features = hello_offer(conn);
	hello->lane = conn->cn_lane;
	hello->flavour = WIRE_FLAVOUR_NULL;
	hello->msg_max = WIRE_MSG_MAX;
	hello->bulk_max = WIRE_BULK_MAX;
	hello->incarnation = conn->cn_net->nn_incarnation;
	hello->src = nid_to_wire(&nid);
	return 0;
}

static int hello_set_state(struct lnet_conn *conn, enum lnet_conn_state state)
{
	bool moved;

	spin_lock_bh(&conn->cn_lock);
	moved = conn_set_state(conn, state);
	spin_unlock_bh(&conn->cn_lock);
	return moved ? 0 : -ESHUTDOWN;
}

/**
 * conn_hello_connected() - send HELLO to the node that this one has connected
 * to
 * @conn: active connection in CONN_NEW; the caller is its reader
 *
 * Context: may sleep
 * Return: 0, or a negative errno that ends the connection
 */
int conn_hello_connected(struct lnet_conn *conn)
{
	struct wire_hello hello;
	int rc;

	rc = conn_sock_names(conn);
	if (!rc)
		rc = hello_make(conn, conn->cn_nid.nid_net, &hello);
	if (!rc)
		rc = hello_set_state(conn, CONN_HELLO);
	if (rc)
		return rc;
	hello.dst = nid_to_wire(&conn->cn_nid);
	return hello_send(conn, &hello);
}

/**
 * conn_hello_await() - wait for HELLO of the node that has connected
 * @conn: passive connection in CONN_NEW; the caller is its reader
 *
 * Context: may sleep
 * Return: 0, or a negative errno that ends the connection
 */
int conn_hello_await(struct lnet_conn *conn)
{
	conn_sock_settings(conn->cn_sock);
	conn_sock_watch(conn);
	return hello_set_state(conn, CONN_HELLO);
}

/* The same address, on any network. */
static bool hello_is_at(const struct wire_nid *wire,
			const struct sockaddr_storage *addr)
{
	struct lnet_nid nid = nid_from_wire(wire);
	struct lnet_nid real;

	if (lnet_nid_from_sockaddr(addr, nid.nid_net, &real))
		return false;
	return libcfs_nid_same(&nid, &real);
}

static bool hello_is_for_us(struct lnet_conn *conn, const struct wire_nid *wire)
{
	struct lnet_nid nid = nid_from_wire(wire);

	return hello_is_at(wire, &conn_private(conn)->cp_local) ||
	       lnet_is_local(conn->cn_net, &nid);
}

static bool hello_speaks_our_version(const struct wire_hello *hello)
{
	return hello->version_min <= WIRE_VERSION &&
	       hello->version_max >= WIRE_VERSION;
}

/* Validate the HELLO of a connecting node. Return: 0 or a negative errno. */
static int hello_check_call(struct lnet_conn *conn, enum wire_fault fault,
			    const struct wire_hello *hello)
{
	const char *what = NULL;
	int rc = -EPROTO;

	if (fault == WIRE_OK && !hello_speaks_our_version(hello)) {
		fault = WIRE_BAD_VERSION;
		what = "no protocol version in common";
	}
	if (fault == WIRE_OK &&
	    !hello_is_at(&hello->src, &conn_private(conn)->cp_remote)) {
		fault = WIRE_BAD_NID;
		what = "source address does not match its NID";
		rc = -EACCES;
	}
	if (fault == WIRE_OK && !hello_is_for_us(conn, &hello->dst)) {
		fault = WIRE_BAD_NID;
		what = "its destination NID is not one of this node";
		rc = -EADDRNOTAVAIL;
	}
	if (fault == WIRE_OK)
		return 0;
	lnet_fault(conn, fault, what);
	return rc;
}

/* Whether the node may connect; sets its identity. */
static int hello_admit(struct lnet_conn *conn, const struct wire_hello *hello)
{
	const struct sockaddr_storage *from = &conn_private(conn)->cp_remote;
	struct lnet_nid nid = nid_from_wire(&hello->src);

	return lnet_accepts(from) ? peer_conn_identify(conn, &nid) : -EACCES;
}

static void hello_refused(struct lnet_conn *conn)
{
	conn_private(conn)->cp_refused = true;
	lnet_count(LNET_REFUSED, 1);
}

/*
 * Answer; @rc: 0, or a negative errno to refuse. The features are those of the
 * connection: parameters may have changed since they were negotiated.
 * Return: @rc, or an error of sending.
 */
static int hello_answer(struct lnet_conn *conn, const struct wire_hello *got, int rc)
{
	struct wire_hello hello;
	int sent;

	sent = hello_make(conn, got->dst.net, &hello);
	if (sent)
		return sent;
	hello.features = conn_private(conn)->cp_features;
	hello.status = -rc;
	hello.dst = got->src;
	/*
	 * An invalid claimed NID cannot be sent back: answer with the observed
	 * one.
	 */
	if (rc && hello.dst.len != 4 && hello.dst.len != 16)
		hello.dst = hello.src;
	sent = hello_send(conn, &hello);
	if (rc)
		hello_refused(conn);
	return rc ?: sent;
}

/**
 * conn_hello_refuse() - refuse a node without a common protocol version
 * @conn: connection in CONN_HELLO; the caller is its reader
 * @rc: negative errno
 *
 * Context: may sleep
 */
void conn_hello_refuse(struct lnet_conn *conn, int rc)
{
	struct wire_hello nothing = {};

	if (test_bit(CNF_PASSIVE, &conn->cn_flags))
		hello_answer(conn, &nothing, rc);
}

/* The exchange is complete: use the features of both. */
static int hello_open(struct lnet_conn *conn, const struct wire_hello *hello)
{
	struct lnet_conn_private *cp = conn_private(conn);
	bool passive = test_bit(CNF_PASSIVE, &conn->cn_flags);
	int rc;

	cp->cp_peer_msg_max = hello->msg_max;
	cp->cp_peer_bulk_max = hello->bulk_max;
	cp->cp_incarnation = hello->incarnation;
	ptlrpc_test_at(PTP_CONN_OPEN, conn);
	cp->cp_opened = true;
	rc = hello_set_state(conn, CONN_OPEN);
	if (rc) {
		cp->cp_opened = false;
		return rc;
	}
	lnet_count(passive ? LNET_ACCEPTS : LNET_CONNECTS, 1);
	peer_conn_opened(conn, hello->incarnation);
	return 0;
}

/**
 * conn_hello_local() - open a connection whose ends are both in this kernel
 * @conn: connection in CONN_NEW
 *
 * Nothing is exchanged: both ends are the same node.
 *
 * Context: may sleep
 * Return: 0; -ESHUTDOWN: it is being closed
 */
int conn_hello_local(struct lnet_conn *conn)
{
	const struct wire_hello hello = {
		.msg_max = WIRE_MSG_MAX,
		.bulk_max = WIRE_BULK_MAX,
		.incarnation = conn->cn_net->nn_incarnation,
	};

	hello_agree(conn, LNET_FEATURE_LANES | LNET_FEATURE_BULK);
	return hello_set_state(conn, CONN_HELLO) ?: hello_open(conn, &hello);
}

/* HELLO of a connecting node. */
static int hello_received_passive(struct lnet_conn *conn, enum wire_fault fault,
				  const struct wire_hello *hello)
{
	int rc;

	rc = hello_check_call(conn, fault, hello);
	/* Before the answer: the frame after it may have a CRC. */
	if (!rc) {
		hello_agree(conn, hello->features & hello_offer(conn));
		WRITE_ONCE(conn->cn_lane, hello->lane);
		rc = hello_admit(conn, hello);
	}
	rc = hello_answer(conn, hello, rc);
	return rc ?: hello_open(conn, hello);
}

/* The answer must come from the called node, for this one. */
static enum wire_fault hello_check_answer(struct lnet_conn *conn,
					  const struct wire_hello *hello)
{
	struct lnet_nid src = nid_from_wire(&hello->src);

	if (!libcfs_nid_same(&src, &conn->cn_nid) ||
	    !hello_is_at(&hello->dst, &conn_private(conn)->cp_local))
		return WIRE_BAD_NID;
	if (!hello_speaks_our_version(hello))
		return WIRE_BAD_VERSION;
	if (hello->features & ~LNET_FEATURES ||
	    hello->lane != conn->cn_lane)
		return WIRE_BAD_FLAGS;
	return WIRE_OK;
}

/* The answer of the node that this one has connected to. */
static int hello_received_active(struct lnet_conn *conn, enum wire_fault fault,
				 const struct wire_hello *hello)
{
	if (fault == WIRE_OK && hello->status) {
		hello_refused(conn);
		return -(int)hello->status;
	}
	if (fault == WIRE_OK)
		fault = hello_check_answer(conn, hello);
	if (fault != WIRE_OK) {
		lnet_fault(conn, fault, "invalid answer to HELLO");
		return -EPROTO;
	}
	hello_agree(conn, hello->features);
	return hello_open(conn, hello);
}

/**
 * conn_hello_received() - HELLO or its answer has come
 * @conn: connection in CONN_HELLO; the caller is its reader
 * @msg: message
 * @len: its bytes
 *
 * Context: may sleep
 * Return: 0: CONN_OPEN; a negative errno that ends the connection
 */
int conn_hello_received(struct lnet_conn *conn, const void *msg, u32 len)
{
	struct wire_hello hello;
	enum wire_fault fault;

	fault = wire_hello_decode(msg, len, &hello);
	if (test_bit(CNF_PASSIVE, &conn->cn_flags))
		return hello_received_passive(conn, fault, &hello);
	return hello_received_active(conn, fault, &hello);
}
