/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A node that a case plays itself: a TCP connection to this node's own listener,
 * over which it sends what it likes, byte by byte, and reads what comes. It says
 * that it is 127.0.0.1@tcp, or @tcp1 and so on, and knows no CRC.
 *
 *	struct wire_peer *wp = wire_peer_open(test);
 *	struct wire_msg msg = { .type = PTL_RPC_MSG_REQUEST, .opc = ... };
 *
 *	wire_peer_send(wp, &msg, NULL, NULL, 0, 0);
 *	KUNIT_ASSERT_EQ(test, wire_peer_recv(wp), 0);
 *	... wp->rep.status ...
 *	wire_peer_close(wp);
 */
#ifndef _KUNIT_WIRE_PEER_H
#define _KUNIT_WIRE_PEER_H

#include <kunit/test.h>
#include <linux/crc32c.h>
#include <linux/in.h>
#include <linux/net.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include <net/sock.h>
#include <net/tcp.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/wire.h>

#define WIRE_PEER_WAIT	(60 * HZ)	/* limit for an expected message */
#define WIRE_PEER_QUIET	(HZ / 2)	/* time in which no message may come */
#define WIRE_PEER_ROOM	(64 * 1024)

/**
 * struct wire_peer - an open connection
 * @sock: socket
 * @net: number of the network of its NID
 * @seq: frames that were sent
 * @rep: fields of the message that came last
 * @bulk_len: bytes of bulk data that came with it, and were thrown away
 * @in: that message
 * @out: buffer for one that is sent
 */
struct wire_peer {
	struct socket	*sock;
	u16		net;
	u32		seq;
	struct wire_msg	rep;
	u32		bulk_len;
	u8		*in;
	u8		*out;
};

static inline int wire_peer_write(struct wire_peer *wp, const void *from,
				  size_t len)
{
	struct kvec vec = { .iov_base = (void *)from, .iov_len = len };
	struct msghdr msg = { .msg_flags = MSG_NOSIGNAL };
	int rc = kernel_sendmsg(wp->sock, &msg, &vec, 1, len);

	return rc == (int)len ? 0 : -EPIPE;
}

/* Return: 0; -EAGAIN if nothing came in time; -EPIPE at the end */
static inline int wire_peer_read(struct wire_peer *wp, void *to, size_t len,
				 long timeout)
{
	struct kvec vec = { .iov_base = to, .iov_len = len };
	struct msghdr msg = {};
	int rc;

	wp->sock->sk->sk_rcvtimeo = timeout;
	rc = kernel_recvmsg(wp->sock, &msg, &vec, 1, len, MSG_WAITALL);
	if (rc == -EAGAIN || rc == -EWOULDBLOCK)
		return -EAGAIN;
	return rc == (int)len ? 0 : -EPIPE;
}

static inline int wire_peer_frame(struct wire_peer *wp, u8 type, u32 msg_len,
				  u32 bulk_len)
{
	struct wire_frame frame = {
		.type = type, .msg_len = msg_len, .bulk_len = bulk_len,
		.seq = wp->seq++,
	};
	struct lnet_frame head;

	wire_frame_encode(&head, &frame);
	wire_frame_seal(&head, ~crc32c(~0U, &head, WIRE_FRAME_CRC_LEN));
	return wire_peer_write(wp, &head, sizeof(head));
}

/* The head and the message of the next frame; its bulk data is discarded. */
static inline int wire_peer_take(struct wire_peer *wp, u8 type, u32 *len,
				 long timeout)
{
	struct wire_frame frame;
	struct lnet_frame head;
	u32 left, part;
	int rc = wire_peer_read(wp, &head, sizeof(head), timeout);

	if (rc)
		return rc;
	if (wire_frame_decode(&head, ~crc32c(~0U, &head, WIRE_FRAME_CRC_LEN),
			      &frame) != WIRE_OK || frame.type != type)
		return -EPROTO;
	for (left = frame.bulk_len, wp->bulk_len = left; ; left -= part) {
		if (left == frame.bulk_len)
			rc = wire_peer_read(wp, wp->in, frame.msg_len,
					    WIRE_PEER_WAIT);
		part = min_t(u32, left, PAGE_SIZE);
		if (rc || !part)
			break;
		rc = wire_peer_read(wp, wp->out, part, WIRE_PEER_WAIT);
	}
	*len = frame.msg_len;
	return rc;
}

static inline int wire_peer_hello(struct wire_peer *wp)
{
	const struct wire_nid here = {
		.type = 2, .len = 4, .addr = { 127, 0, 0, 1 },
	};
	struct wire_hello hello = {
		.version_min = WIRE_VERSION,
		.version_max = WIRE_VERSION,
		.msg_max = WIRE_MSG_MAX,
		.bulk_max = WIRE_BULK_MAX,
		.incarnation = 4711,
		.src = here,
		.dst = here,
	};
	struct lnet_hello wire;
	u32 len;
	int rc;

	hello.src.net = wp->net;
	hello.dst.net = wp->net;
	wire_hello_encode(&wire, &hello);
	rc = wire_peer_frame(wp, LNET_FRAME_HELLO, sizeof(wire), 0);
	if (!rc)
		rc = wire_peer_write(wp, &wire, sizeof(wire));
	if (!rc)
		rc = wire_peer_take(wp, LNET_FRAME_HELLO, &len, WIRE_PEER_WAIT);
	if (!rc && wire_hello_decode(wp->in, len, &hello) != WIRE_OK)
		rc = -EPROTO;
	return rc ?: -(int)hello.status;
}

/* From a privileged port, a different one each time. */
static inline int wire_peer_connect(struct wire_peer *wp)
{
	static u16 last = 1023;
	struct sockaddr_in from = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	struct sockaddr_in to = from;
	int rc = -EADDRINUSE, tries;

	to.sin_port = htons(WIRE_PORT);
	sock_set_reuseaddr(wp->sock->sk);
	tcp_sock_set_nodelay(wp->sock->sk);
	for (tries = 0; tries < 400 && rc == -EADDRINUSE; tries++) {
		last = last > 623 ? last - 1 : 1023;
		from.sin_port = htons(last);
		rc = kernel_bind(wp->sock, (struct compat_sockaddr *)&from,
				 sizeof(from));
	}
	return rc ?: kernel_connect(wp->sock, (struct compat_sockaddr *)&to,
				    sizeof(to), 0);
}

/* At once, so that the port is free again. */
static inline void wire_peer_close(struct wire_peer *wp)
{
	if (!wp)
		return;
	if (wp->sock) {
		sock_no_linger(wp->sock->sk);
		sock_release(wp->sock);
	}
	kvfree(wp->in);
	kvfree(wp->out);
	kfree(wp);
}

static inline struct wire_peer *wire_peer_open_at(struct kunit *test, u16 net)
{
	struct wire_peer *wp = kzalloc(sizeof(*wp), GFP_KERNEL);
	int rc = -ENOMEM;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, wp);
	wp->net = net;
	wp->in = kvzalloc(WIRE_PEER_ROOM, GFP_KERNEL);
	wp->out = kvzalloc(WIRE_PEER_ROOM, GFP_KERNEL);
	if (wp->in && wp->out)
		rc = sock_create_kern(&init_net, AF_INET, SOCK_STREAM,
				      IPPROTO_TCP, &wp->sock);
	if (!rc)
		rc = wire_peer_connect(wp);
	if (!rc)
		rc = wire_peer_hello(wp);
	if (rc) {
		wire_peer_close(wp);
		wp = NULL;
	}
	KUNIT_ASSERT_EQ(test, rc, 0);
	return wp;
}

static inline struct wire_peer *wire_peer_open(struct kunit *test)
{
	return wire_peer_open_at(test, 0);
}

/*
 * Send a message: @count buffers of @lens bytes from @bufs, which may be NULL for
 * zeros; @bulk_len zeros of bulk data.
 */
static inline int wire_peer_send(struct wire_peer *wp,
				 const struct wire_msg *msg, const u32 *lens,
				 const void *const *bufs, unsigned int count,
				 u32 bulk_len)
{
	size_t len = wire_msg_size(lens, count);
	unsigned int n;
	int rc;

	wire_msg_init(wp->out, lens, count);
	wire_msg_encode(wp->out, msg);
	for (n = 0; n < count; n++) {
		if (bufs && bufs[n])
			memcpy(wire_msg_buf(wp->out, n), bufs[n], lens[n]);
	}
	rc = wire_peer_frame(wp, LNET_FRAME_MSG, len, bulk_len);
	if (!rc)
		rc = wire_peer_write(wp, wp->out, len);
	memset(wp->out, 0, PAGE_SIZE);
	for (; !rc && bulk_len; bulk_len -= min_t(u32, bulk_len, PAGE_SIZE))
		rc = wire_peer_write(wp, wp->out,
				     min_t(u32, bulk_len, PAGE_SIZE));
	return rc;
}

static inline int wire_peer_recv_within(struct wire_peer *wp, long timeout)
{
	u32 len;
	int rc = wire_peer_take(wp, LNET_FRAME_MSG, &len, timeout);

	if (!rc && wire_msg_view(wp->in, len, &wp->rep) != WIRE_OK)
		rc = -EPROTO;
	return rc;
}

/* The next message, in @rep. */
static inline int wire_peer_recv(struct wire_peer *wp)
{
	return wire_peer_recv_within(wp, WIRE_PEER_WAIT);
}

/* Whether no message comes. */
static inline bool wire_peer_is_quiet(struct wire_peer *wp)
{
	return wire_peer_recv_within(wp, WIRE_PEER_QUIET) == -EAGAIN;
}

#endif /* _KUNIT_WIRE_PEER_H */
