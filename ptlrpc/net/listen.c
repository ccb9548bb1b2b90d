// SPDX-License-Identifier: GPL-2.0-only
/*
 * The listener of a namespace, and connections before their HELLO. The number
 * of these is limited: the newest replaces the oldest.
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/in.h>
#include <linux/in6.h>
#include <linux/kernel.h>
#include <linux/net.h>
#include <linux/sched/mm.h>
#include <net/sock.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_class.h>

#include "conn.h"
#include "net.h"

#define LISTEN_BACKLOG	128
/* Connections accepted in one run of the work. */
#define ACCEPT_BATCH	64
/* Delay of a retry after memory or files ran out. */
#define ACCEPT_RETRY	(HZ / 10)

/* The socket. */

/* A connection came, or an event on a socket accepted from it. */
static void listen_data_ready(struct sock *sk)
{
	struct lnet *net;

	read_lock_bh(&sk->sk_callback_lock);
	net = sk->sk_user_data;
	if (net && sk->sk_state == TCP_LISTEN)
		mod_delayed_work(lnet_wq, &net->nn_accept, 0);
	read_unlock_bh(&sk->sk_callback_lock);
}

static void listen_watch(struct sock *sk, struct lnet *net)
{
	write_lock_bh(&sk->sk_callback_lock);
	net->nn_data_ready = sk->sk_data_ready;
	sk->sk_user_data = net;
	sk->sk_data_ready = listen_data_ready;
	write_unlock_bh(&sk->sk_callback_lock);
}

/* For a listener and for accepted sockets, which inherit its callbacks. */
static void listen_unwatch(struct sock *sk, struct lnet *net)
{
	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_user_data = NULL;
	sk->sk_data_ready = net->nn_data_ready;
	write_unlock_bh(&sk->sk_callback_lock);
}

static int listen_address(int family, u16 port, struct sockaddr_storage *addr)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)addr;
	struct sockaddr_in *in = (struct sockaddr_in *)addr;

	memset(addr, 0, sizeof(*addr));
	addr->ss_family = family;
	if (family == AF_INET6) {
		in6->sin6_port = htons(port);
		return sizeof(*in6);
	}
	in->sin_port = htons(port);
	return sizeof(*in);
}

/* Both IPv4 and IPv6, with any default of the namespace. */
static void listen_both(struct sock *sk)
{
#if IS_ENABLED(CONFIG_IPV6)
	lock_sock(sk);
	sk->sk_ipv6only = false;
	release_sock(sk);
#endif
}

static int listen_bind(struct socket *sock, int family, u16 port)
{
	struct sockaddr_storage addr;
	int len = listen_address(family, port, &addr);
	int rc;

	sock_set_reuseaddr(sock->sk);
	if (family == AF_INET6)
		listen_both(sock->sk);
	rc = kernel_bind(sock, (struct compat_sockaddr *)&addr, len);
	return rc ?: kernel_listen(sock, LISTEN_BACKLOG);
}

static int listen_family(struct net *ns, int family, u16 port,
			 struct socket **sock)
{
	int rc = sock_create_kern(ns, family, SOCK_STREAM, IPPROTO_TCP, sock);

	if (rc)
		return rc;
	rc = listen_bind(*sock, family, port);
	if (rc)
		sock_release(*sock);
	return rc;
}

/* IPv4 alone if IPv6 is disabled. */
static int listen_socket(struct net *ns, u16 port, struct socket **sock)
{
	int rc = listen_family(ns, AF_INET6, port, sock);

	if (rc == -EAFNOSUPPORT || rc == -EADDRNOTAVAIL)
		rc = listen_family(ns, AF_INET, port, sock);
	return rc;
}

static void listener_close(struct lnet *net)
{
	struct socket *sock = net->nn_listener;

	lockdep_assert_held(&net->nn_listen_mutex);
	if (!sock)
		return;
	net->nn_listener = NULL;
	listen_unwatch(sock->sk, net);
	kernel_sock_shutdown(sock, SHUT_RDWR);
	sock_release(sock);
}

/* Nothing to do without users, or if it listens already. */
static int listener_open(struct lnet *net)
{
	u32 port = READ_ONCE(lnet_settings.lns_port);
	struct socket *sock;
	int rc;

	lockdep_assert_held(&net->nn_listen_mutex);
	if (!port || net->nn_listener || READ_ONCE(net->nn_stopping))
		return 0;
	rc = listen_socket(net->nn_net, port, &sock);
	if (rc)
		return rc;
	net->nn_listener = sock;
	listen_watch(sock->sk, net);
	/* A connection may have come before the callback was installed. */
	mod_delayed_work(lnet_wq, &net->nn_accept, 0);
	return 0;
}

/* Accepting. */

/* Number of those from an address, and the oldest of them. */
static unsigned int unfinished_of(struct lnet *net,
				  const struct lnet_nid *addr,
				  struct net_conn **oldest)
{
	struct net_conn *node;
	unsigned int count = 0;

	lockdep_assert_held(&net->nn_lock);
	list_for_each_entry(node, &net->nn_unfinished, nc_unfinished_item) {
		if (!libcfs_nid_same(&node->nc_addr, addr))
			continue;
		if (!count++)
			*oldest = node;
	}
	return count;
}

/*
 * The connection to close in favour of a new one: unlinked, referenced; or
 * NULL.
 */
static struct lnet_conn *unfinished_victim(struct lnet *net,
					   const struct lnet_nid *addr)
{
	struct net_conn *oldest = NULL;

	lockdep_assert_held(&net->nn_lock);
	if (unfinished_of(net, addr, &oldest) <
	    READ_ONCE(lnet_settings.lns_unfinished_addr)) {
		if (net->nn_unfinished_count <
		    READ_ONCE(lnet_settings.lns_unfinished_max))
			return NULL;
		oldest = list_first_entry(&net->nn_unfinished, struct net_conn,
					  nc_unfinished_item);
	}
	list_del_init(&oldest->nc_unfinished_item);
	net->nn_unfinished_count--;
	return lnet_conn_get(oldest->nc_conn);
}

/* False if the namespace is going away. */
static bool unfinished_add(struct lnet *net, struct lnet_conn *conn)
{
	struct net_conn *node = conn_node(conn);
	struct lnet_conn *victim = NULL;
	bool added;

	spin_lock_bh(&net->nn_lock);
	added = __net_conn_add(net, conn);
	if (added) {
		victim = unfinished_victim(net, &node->nc_addr);
		list_add_tail(&node->nc_unfinished_item, &net->nn_unfinished);
		net->nn_unfinished_count++;
	}
	spin_unlock_bh(&net->nn_lock);
	if (victim) {
		lnet_count(LNET_REFUSED, 1);
		lnet_conn_close(victim, -ECONNABORTED);
		lnet_conn_put(victim);
	}
	return added;
}

/*
 * Whether it may connect is checked after its HELLO, so the node gets an
 * answer.
 * Return: true if the socket has an owner now.
 */
static bool accept_socket(struct lnet *net, struct socket *sock)
{
	struct sockaddr_storage from;
	struct lnet_conn *conn;

	if (kernel_getpeername(sock, (struct sockaddr *)&from) < 0)
		return false;
	conn = conn_make(net, NULL, sock);
	if (IS_ERR(conn))
		return false;
	lnet_nid_from_sockaddr(&from, 0, &conn_node(conn)->nc_addr);
	if (unfinished_add(net, conn))
		conn_start(conn);
	lnet_conn_put(conn);
	return true;
}

/* Accept one connection. Return: 0 or a negative errno. */
static int accept_one(struct lnet *net)
{
	struct socket *sock;
	int rc = kernel_accept(net->nn_listener, &sock, O_NONBLOCK);

	if (rc)
		return rc;
	listen_unwatch(sock->sk, net);
	if (!accept_socket(net, sock))
		sock_release(sock);
	return 0;
}

static bool accept_again(int rc)
{
	return !rc || rc == -ECONNABORTED || rc == -EINTR;
}

static void net_accept(struct work_struct *work)
{
	struct lnet *net = container_of(to_delayed_work(work), struct lnet,
					nn_accept);
	unsigned int noio = memalloc_noio_save();
	unsigned int n;
	int rc = 0;

	mutex_lock(&net->nn_listen_mutex);
	for (n = 0; net->nn_listener && n < ACCEPT_BATCH &&
	     accept_again(rc); n++)
		rc = accept_one(net);
	if (net->nn_listener && rc != -EAGAIN)
		queue_delayed_work(lnet_wq, &net->nn_accept,
				   accept_again(rc) ? 0 : ACCEPT_RETRY);
	mutex_unlock(&net->nn_listen_mutex);
	memalloc_noio_restore(noio);
}

/* Users. */

static int listen_words(struct obd_why *why, int rc)
{
	u32 port = READ_ONCE(lnet_settings.lns_port);

	if (rc == -EADDRINUSE)
		return obd_refuse(why, rc,
				  "cannot listen on port %u: the port is in use; stop the other program, or set parameter ptlrpc.port to a free port on every node",
				  port);
	return obd_refuse(why, rc,
			  "cannot listen on port %u (parameter ptlrpc.port): errno %d",
			  port, -rc);
}

static int listen_begin(struct lnet *net, struct obd_why *why)
{
	int rc = listener_open(net);

	if (rc)
		return listen_words(why, rc);
	net->nn_listen_users++;
	return 0;
}

static void listen_end(struct lnet *net)
{
	lockdep_assert_held(&net->nn_listen_mutex);
	if (!WARN_ON_ONCE(!net->nn_listen_users) && !--net->nn_listen_users)
		listener_close(net);
}

/**
 * lnet_listen() - listen in a namespace, for one more user
 * @ns: namespace
 * @why: reason of a failure
 *
 * Context: may sleep
 * Return: 0, also if parameter ptlrpc.port is 0 and there is no listener;
 *  -ENOMEM, -ENETDOWN, -EADDRINUSE and other errors of sockets
 */
int lnet_listen(struct net *ns, struct obd_why *why)
{
	struct lnet *net = lnet_find(ns);
	int rc;

	if (IS_ERR(net))
		return PTR_ERR(net);
	mutex_lock(&net->nn_listen_mutex);
	rc = listen_begin(net, why);
	mutex_unlock(&net->nn_listen_mutex);
	lnet_put(net);
	return rc;
}
EXPORT_FOR_KUNIT(lnet_listen);

/**
 * lnet_unlisten() - drop a user of the listener
 * @ns: namespace
 *
 * Context: may sleep
 */
void lnet_unlisten(struct net *ns)
{
	struct lnet *net = lnet_lookup(ns);

	if (!net)
		return;
	mutex_lock(&net->nn_listen_mutex);
	listen_end(net);
	mutex_unlock(&net->nn_listen_mutex);
	lnet_put(net);
}
EXPORT_FOR_KUNIT(lnet_unlisten);

/**
 * net_listen_up() - start or stop listening for an administrator
 * @net: namespace
 * @up: start
 * @why: reason of a failure
 *
 * Idempotent.
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int net_listen_up(struct lnet *net, bool up, struct obd_why *why)
{
	int rc = 0;

	mutex_lock(&net->nn_listen_mutex);
	if (up && !READ_ONCE(lnet_settings.lns_port))
		rc = obd_refuse(why, -EINVAL,
				"parameter ptlrpc.port is 0, so the node does not listen; the usual port is %u",
				WIRE_PORT);
	else if (up && !net->nn_up)
		rc = listen_begin(net, why);
	else if (!up && net->nn_up)
		listen_end(net);
	if (!rc)
		net->nn_up = up;
	mutex_unlock(&net->nn_listen_mutex);
	return rc;
}

/* Listen on the current port. */
static int listen_again(struct lnet *net, void *arg)
{
	int rc = 0;

	mutex_lock(&net->nn_listen_mutex);
	if (net->nn_listen_users) {
		listener_close(net);
		rc = listener_open(net);
	}
	mutex_unlock(&net->nn_listen_mutex);
	return rc;
}

/**
 * net_listen_port() - change the port, of running listeners too
 * @port: port; 0: do not listen
 * Context: may sleep
 * Return: 0; a negative errno if a namespace cannot listen there, and the port
 *  is unchanged
 */
int net_listen_port(u32 port)
{
	static DEFINE_MUTEX(port_mutex);
	u32 old;
	int rc;

	mutex_lock(&port_mutex);
	old = READ_ONCE(lnet_settings.lns_port);
	rc = 0;
	if (port != old) {
		WRITE_ONCE(lnet_settings.lns_port, port);
		rc = net_for_each(listen_again, NULL);
		if (rc) {
			WRITE_ONCE(lnet_settings.lns_port, old);
			if (net_for_each(listen_again, NULL))
				CERROR("port %u: cannot resume listening there\n",
				       old);
		}
	}
	mutex_unlock(&port_mutex);
	return rc;
}

/* Constructor. */
void net_listener_init(struct lnet *net)
{
	mutex_init(&net->nn_listen_mutex);
	INIT_DELAYED_WORK(&net->nn_accept, net_accept);
}

/* Destructor; nn_stopping is set, may sleep. */
void net_listener_stop(struct lnet *net)
{
	mutex_lock(&net->nn_listen_mutex);
	listener_close(net);
	mutex_unlock(&net->nn_listen_mutex);
	cancel_delayed_work_sync(&net->nn_accept);
}
