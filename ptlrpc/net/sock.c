// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's TCP sockets: creation, settings, callbacks, I/O and release.
 * Nothing here waits for the other end.
 *
 * The callbacks find their connection in sk_user_data, under sk_callback_lock.
 * That pointer is cleared under the same lock before the socket is released,
 * and the connection is freed later: so no callback sees a freed connection.
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/bvec.h>
#include <linux/highmem.h>
#include <linux/kernel.h>
#include <linux/net.h>
#include <linux/sched.h>
#include <linux/tcp.h>
#include <net/ipv6.h>
#include <net/sock.h>
#include <net/tcp.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_class.h>

#include "conn.h"

/* Ports reserved for root; nodes connect from them. */
#define RESERVED_PORT_FIRST	1023
#define RESERVED_PORT_LAST	512

/* Data, connected, or end of the connection: the reader finds out. */
static void sock_event(struct sock *sk)
{
	struct lnet_conn *conn;

	read_lock_bh(&sk->sk_callback_lock);
	conn = sk->sk_user_data;
	if (conn)
		conn_rx_ready(conn);
	read_unlock_bh(&sk->sk_callback_lock);
}

static void sock_write_space(struct sock *sk)
{
	struct lnet_conn *conn;

	read_lock_bh(&sk->sk_callback_lock);
	conn = sk->sk_user_data;
	if (conn && sk_stream_is_writeable(sk)) {
		clear_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
		conn_tx_write_space(conn);
	}
	read_unlock_bh(&sk->sk_callback_lock);
}

/*
 * The result @rc of a socket whose other end has gone depends on what the
 * socket was doing at the time. For a connection it is one event with one
 * errno.
 */
static int sock_result(int rc)
{
	return rc == -EPIPE || rc == -ENOTCONN ? -ECONNRESET : rc;
}

/**
 * conn_sock_watch() - install the callbacks of the socket
 * @conn: connection; the caller is its reader
 *
 * Earlier events are not reported.
 *
 * Context: may sleep
 */
void conn_sock_watch(struct lnet_conn *conn)
{
	struct lnet_conn_private *cp = conn_private(conn);
	struct sock *sk = conn->cn_sock->sk;

	write_lock_bh(&sk->sk_callback_lock);
	cp->cp_data_ready = sk->sk_data_ready;
	cp->cp_write_space = sk->sk_write_space;
	cp->cp_state_change = sk->sk_state_change;
	sk->sk_user_data = conn;
	sk->sk_data_ready = sock_event;
	sk->sk_write_space = sock_write_space;
	sk->sk_state_change = sock_event;
	write_unlock_bh(&sk->sk_callback_lock);
}

static void sock_unwatch(struct lnet_conn *conn)
{
	struct lnet_conn_private *cp = conn_private(conn);
	struct sock *sk = conn->cn_sock->sk;

	write_lock_bh(&sk->sk_callback_lock);
	if (sk->sk_user_data == conn) {
		sk->sk_user_data = NULL;
		sk->sk_data_ready = cp->cp_data_ready;
		sk->sk_write_space = cp->cp_write_space;
		sk->sk_state_change = cp->cp_state_change;
	}
	write_unlock_bh(&sk->sk_callback_lock);
}

/**
 * conn_sock_release() - release the socket, if there is one
 * @conn: connection; no other task uses its socket
 * @abort: discard unsent data and reset the connection; otherwise the kernel
 *  sends the rest
 *
 * Context: may sleep
 */
void conn_sock_release(struct lnet_conn *conn, bool abort)
{
	struct socket *sock = conn->cn_sock;

	if (!sock)
		return;
	sock_unwatch(conn);
	if (abort)
		sock_no_linger(sock->sk);
	WRITE_ONCE(conn->cn_sock, NULL);
	sock_release(sock);
}

/**
 * conn_sock_push() - send data that waits for more
 * @conn: connection; the caller is its sender
 *
 * Context: may sleep
 */
void conn_sock_push(struct lnet_conn *conn)
{
	/* Setting it again makes the socket send what it has. */
	tcp_sock_set_nodelay(conn->cn_sock->sk);
}

/**
 * conn_sock_settings() - settings of every socket of a connection
 * @sock: socket
 *
 * Context: may sleep
 */
void conn_sock_settings(struct socket *sock)
{
	u32 idle = READ_ONCE(lnet_settings.lns_keepalive_idle);
	struct sock *sk = sock->sk;

	/*
	 * Allocations must not start writeback: writeback may depend on this
	 * socket.
	 */
	sk->sk_allocation = GFP_NOFS;
	sk->sk_use_task_frag = false;
	tcp_sock_set_nodelay(sk);
	tcp_sock_set_user_timeout(sk, READ_ONCE(obd_timeout) * MSEC_PER_SEC);
	if (!idle)
		return;
	sock_set_keepalive(sk);
	tcp_sock_set_keepidle(sk, idle);
	tcp_sock_set_keepintvl(sk, READ_ONCE(lnet_settings.lns_keepalive_interval));
	tcp_sock_set_keepcnt(sk, READ_ONCE(lnet_settings.lns_keepalive_count));
}

/* To a local port that others use too, as long as for another remote address. */
static int sock_bind_port(struct socket *sock, int family, u16 port)
{
	struct sockaddr_in6 any6 = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(port),
	};
	struct sockaddr_in any4 = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
	};

	sock_set_reuseaddr(sock->sk);
	if (family == AF_INET6)
		return kernel_bind(sock, (struct compat_sockaddr *)&any6,
				   sizeof(any6));
	return kernel_bind(sock, (struct compat_sockaddr *)&any4, sizeof(any4));
}

/* Connect with a new socket from one port; 0: any port. */
static int sock_connect_from(struct lnet_conn *conn, u16 port)
{
	struct sockaddr_storage to = {};
	struct socket *sock;
	int len;
	int rc;

	len = lnet_nid_to_sockaddr(&conn->cn_nid,
				   READ_ONCE(lnet_settings.lns_port) ?:
				   WIRE_PORT, &to);
	if (!len)
		return -EAFNOSUPPORT;
	rc = sock_create_kern(conn->cn_net->nn_net, to.ss_family, SOCK_STREAM,
			      IPPROTO_TCP, &sock);
	if (rc)
		return rc;
	conn->cn_sock = sock;
	conn_sock_settings(sock);
	rc = port ? sock_bind_port(sock, to.ss_family, port) : 0;
	if (rc)
		goto release;
	conn_sock_watch(conn);
	rc = kernel_connect(sock, (struct compat_sockaddr *)&to, len, O_NONBLOCK);
	if (rc && rc != -EINPROGRESS)
		goto release;
	return rc;

release:
	conn_sock_release(conn, true);
	return rc;
}

static void sock_say_unreserved(const struct lnet_conn *conn)
{
	char nid[LNET_NID_TEXT_MAX];

	if (libcfs_nid_print(&conn->cn_nid, nid, sizeof(nid)) < 0)
		strscpy(nid, "?", sizeof(nid));
	CWARN("%s: no local port from %u to %u is free; with ptlrpc.accept=secure that node will refuse the connection\n",
	      nid, RESERVED_PORT_LAST, RESERVED_PORT_FIRST);
}

/**
 * conn_sock_connect() - start to connect, from a reserved port if possible
 * @conn: active connection without a socket; the caller is its reader
 *
 * Context: may sleep
 * Return: 0 if it is connected, -EINPROGRESS if the socket's callback will
 *  report it, or another negative errno
 */
int conn_sock_connect(struct lnet_conn *conn)
{
	u16 port;
	int rc;

	for (port = RESERVED_PORT_FIRST; port >= RESERVED_PORT_LAST; port--) {
		/* Leave this port to a listener. */
		if (port == WIRE_PORT ||
		    port == READ_ONCE(lnet_settings.lns_port))
			continue;
		rc = sock_connect_from(conn, port);
		if (rc == -EACCES)
			break;
		/* In use, or in use for the same remote address. */
		if (rc != -EADDRINUSE && rc != -EADDRNOTAVAIL)
			return rc;
		cond_resched();
	}
	sock_say_unreserved(conn);
	return sock_connect_from(conn, 0);
}

/**
 * conn_sock_connected() - result of connecting
 * @conn: active connection; the caller is its reader
 *
 * Context: may sleep
 * Return: 0; -EINPROGRESS; another negative errno
 */
int conn_sock_connected(struct lnet_conn *conn)
{
	struct sock *sk = conn->cn_sock->sk;

	switch (inet_sk_state_load(sk)) {
	case TCP_SYN_SENT:
	case TCP_SYN_RECV:
		return -EINPROGRESS;
	case TCP_ESTABLISHED:
	case TCP_CLOSE_WAIT:
		return 0;
	default:
		return sock_result(sock_error(sk)) ?: -ECONNREFUSED;
	}
}

/* An IPv4 address mapped to IPv6, as a dual-stack socket has it, becomes IPv4. */
static void sock_unmap(struct sockaddr_storage *addr)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)addr;
	struct sockaddr_in in4 = { .sin_family = AF_INET };

	if (addr->ss_family != AF_INET6 ||
	    !ipv6_addr_v4mapped(&in6->sin6_addr))
		return;
	in4.sin_port = in6->sin6_port;
	in4.sin_addr.s_addr = in6->sin6_addr.s6_addr32[3];
	memset(addr, 0, sizeof(*addr));
	memcpy(addr, &in4, sizeof(in4));
}

/**
 * conn_sock_names() - get the addresses of both ends
 * @conn: connection whose socket is connected
 *
 * Context: may sleep
 * Return: 0 or a negative errno: -ECONNRESET: the other end has gone
 */
int conn_sock_names(struct lnet_conn *conn)
{
	struct lnet_conn_private *cp = conn_private(conn);
	struct sockaddr_storage remote = {};
	struct sockaddr_storage local = {};
	int rc;

	rc = kernel_getsockname(conn->cn_sock, (struct sockaddr *)&local);
	if (rc >= 0)
		rc = kernel_getpeername(conn->cn_sock,
					(struct sockaddr *)&remote);
	if (rc < 0)
		return sock_result(rc);
	sock_unmap(&local);
	sock_unmap(&remote);
	spin_lock_bh(&conn->cn_lock);
	cp->cp_local = local;
	cp->cp_remote = remote;
	spin_unlock_bh(&conn->cn_lock);
	return 0;
}

/**
 * conn_sock_has_ended() - whether no more data will arrive
 * @conn: connection; the caller is its reader
 *
 * Context: any
 * Return: true if the other end, or the socket, has ended
 */
bool conn_sock_has_ended(struct lnet_conn *conn)
{
	const struct sock *sk = conn->cn_sock->sk;

	return (READ_ONCE(sk->sk_shutdown) & RCV_SHUTDOWN) ||
	       READ_ONCE(sk->sk_err);
}

/**
 * conn_sock_send() - send bytes
 * @conn: connection; the caller is its sender
 * @vec: buffers
 * @nr: their number
 * @len: bytes
 * @more: more follow at once
 *
 * Context: may sleep, for memory
 * Return: bytes sent, -EAGAIN, -ECONNRESET if the other end has gone, or
 *  another negative errno
 */
int conn_sock_send(struct lnet_conn *conn, struct kvec *vec, unsigned int nr,
		   size_t len, bool more)
{
	struct msghdr msg = {
		.msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL |
			     (more ? MSG_MORE : 0),
	};

	return sock_result(kernel_sendmsg(conn->cn_sock, &msg, vec, nr, len));
}

/**
 * conn_sock_send_bulk() - send bulk data without a copy
 * @conn: connection; the caller is its sender
 * @parts: bulk data, from the first part that is not sent whole
 * @nr: number of parts
 * @done: bytes of the first one already sent
 * @len: bytes to send
 *
 * Context: may sleep, for memory
 * Return: as conn_sock_send()
 */
int conn_sock_send_bulk(struct lnet_conn *conn, const struct bio_vec *parts,
			unsigned int nr, u32 done, u32 len)
{
	return sock_result(compat_sock_send_parts(conn->cn_sock, parts, nr, done,
						  len));
}

/**
 * conn_sock_recv() - receive available data
 * @conn: connection; the caller is its reader
 * @vec: buffers
 * @nr: their number
 * @len: most bytes
 *
 * Context: may sleep
 * Return: bytes, 0 at the end, -EAGAIN, -ECONNRESET, or another negative errno
 */
int conn_sock_recv(struct lnet_conn *conn, struct kvec *vec, unsigned int nr,
		   size_t len)
{
	struct msghdr msg = {};

	return sock_result(kernel_recvmsg(conn->cn_sock, &msg, vec, nr, len,
					  MSG_DONTWAIT));
}

/**
 * conn_sock_recv_bulk() - receive bulk data into its destination
 * @conn: connection; the caller is its reader
 * @parts: destination; NULL discards it
 * @nr: number of parts
 * @done: bytes of them already received
 * @len: most bytes
 *
 * Context: may sleep
 * Return: as conn_sock_recv()
 */
int conn_sock_recv_bulk(struct lnet_conn *conn, const struct bio_vec *parts,
			unsigned int nr, size_t done, size_t len)
{
	struct msghdr msg = {};

	if (parts) {
		iov_iter_bvec(&msg.msg_iter, ITER_DEST, parts, nr, done + len);
		iov_iter_advance(&msg.msg_iter, done);
	} else {
		iov_iter_discard(&msg.msg_iter, ITER_DEST, len);
	}
	return sock_result(sock_recvmsg(conn->cn_sock, &msg, MSG_DONTWAIT));
}

/* A range of bytes of @parts. */
static struct bvec_iter parts_iter(const struct bio_vec *parts, u32 from, u32 len)
{
	struct bvec_iter iter = { .bi_size = from + len };

	bvec_iter_advance(parts, &iter, from);
	return iter;
}

/**
 * conn_crc_parts() - CRC32C of bytes in pages, as crc32c()
 * @crc: CRC of the preceding bytes
 * @parts: pages
 * @from: first byte
 * @len: bytes
 *
 * Context: may sleep
 * Return: the CRC
 */
u32 conn_crc_parts(u32 crc, const struct bio_vec *parts, u32 from, u32 len)
{
	struct bvec_iter iter, start = parts_iter(parts, from, len);
	struct bio_vec part;
	void *at;

	for_each_bvec(part, parts, iter, start) {
		at = bvec_kmap_local(&part);
		crc = conn_crc(crc, at, part.bv_len);
		kunmap_local(at);
		cond_resched();
	}
	return crc;
}

/**
 * conn_copy_parts() - copy bytes into pages
 * @parts: pages
 * @from: first byte in them
 * @buf: what to copy
 * @len: bytes
 *
 * Context: any
 */
void conn_copy_parts(const struct bio_vec *parts, u32 from, const u8 *buf, u32 len)
{
	struct bvec_iter iter, start = parts_iter(parts, from, len);
	const u8 *next = buf;
	struct bio_vec part;

	for_each_bvec(part, parts, iter, start) {
		memcpy_to_bvec(&part, next);
		next += part.bv_len;
	}
}

/**
 * lnet_nid_from_sockaddr() - NID of an address
 * @addr: address; IPv4 mapped to IPv6 is IPv4
 * @net: number of the network
 * @nid: out
 *
 * Context: any
 * Return: 0, or -EAFNOSUPPORT
 */
int lnet_nid_from_sockaddr(const struct sockaddr_storage *addr, u16 net,
			   struct lnet_nid *nid)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)addr;
	const struct sockaddr_in *in4 = (const struct sockaddr_in *)addr;

	memset(nid, 0, sizeof(*nid));
	nid->nid_type = LNET_TCP;
	nid->nid_net = net;
	if (addr->ss_family == AF_INET) {
		nid->nid_len = sizeof(in4->sin_addr);
		memcpy(nid->nid_addr, &in4->sin_addr, nid->nid_len);
	} else if (addr->ss_family != AF_INET6) {
		return -EAFNOSUPPORT;
	} else if (ipv6_addr_v4mapped(&in6->sin6_addr)) {
		nid->nid_len = sizeof(in4->sin_addr);
		memcpy(nid->nid_addr, &in6->sin6_addr.s6_addr32[3],
		       nid->nid_len);
	} else {
		nid->nid_len = sizeof(in6->sin6_addr);
		memcpy(nid->nid_addr, &in6->sin6_addr, nid->nid_len);
	}
	return 0;
}

/**
 * lnet_nid_to_sockaddr() - address of a NID
 * @nid: NID
 * @port: port, in host order
 * @addr: out
 *
 * Context: any
 * Return: bytes of the address; 0 for a NID that is not of tcp
 */
int lnet_nid_to_sockaddr(const struct lnet_nid *nid, u16 port,
			 struct sockaddr_storage *addr)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)addr;
	struct sockaddr_in *in4 = (struct sockaddr_in *)addr;

	memset(addr, 0, sizeof(*addr));
	if (nid->nid_type != LNET_TCP)
		return 0;
	if (nid->nid_len == sizeof(in4->sin_addr)) {
		in4->sin_family = AF_INET;
		in4->sin_port = htons(port);
		memcpy(&in4->sin_addr, nid->nid_addr, sizeof(in4->sin_addr));
		return sizeof(*in4);
	}
	if (nid->nid_len != sizeof(in6->sin6_addr))
		return 0;
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(port);
	memcpy(&in6->sin6_addr, nid->nid_addr, sizeof(in6->sin6_addr));
	return sizeof(*in6);
}
