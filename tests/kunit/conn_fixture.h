/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Connections over the loopback interface, or inside this kernel, with nothing above and
 * beside them: the files of ptlrpc that a connection is made of are compiled in here, and
 * what they ask of nodes, namespaces, rules and the floor above is answered by the case.
 *
 * struct end is what the floor above sees of one end of a connection; struct parcel is a
 * message that a case sends. The buffer and the bulk data of a message follow from its xid,
 * so that the receiver can verify both.
 */
#ifndef _KUNIT_CONN_FIXTURE_H
#define _KUNIT_CONN_FIXTURE_H

#include <linux/if.h>
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/vmalloc.h>
#include <net/net_namespace.h>

#include "fixture.h"

/* The cases look at the states themselves, and the wire is part of this module. */
#define _PTLRPC_TRACE_H
#define trace_lnet_conn_state(conn, from, to)	conn_fx_traced(conn, from, to)
struct lnet_conn;
static void conn_fx_traced(struct lnet_conn *conn, unsigned int from,
			   unsigned int to);

/* The test points of these files are the case's own. */
#define _LUSTRE_LITE_PTLRPC_TEST_POINT_H
enum conn_fx_point { PTP_CONN_OPEN, PTP_TX_CRC, PTP_READER_WATCH };
static void (*conn_fx_hook)(void *object);
/* The case's task reads when it likes, unless it is to lose the role. */
static bool conn_fx_patient = true;
static inline void ptlrpc_test_at(enum conn_fx_point at, void *object)
{
	if (at == PTP_READER_WATCH)
		*(bool *)object = READ_ONCE(conn_fx_patient);
	else if (at == PTP_TX_CRC && conn_fx_hook)
		conn_fx_hook(object);
}

#undef EXPORT_SYMBOL_NS_GPL
#define EXPORT_SYMBOL_NS_GPL(symbol, ns)

#include "../../ptlrpc/net/wire.c"
#include "../../ptlrpc/net/sock.c"
#include "../../ptlrpc/net/hello.c"
#include "../../ptlrpc/net/conn_local.c"
#include "../../ptlrpc/net/conn_tx.c"
#include "../../ptlrpc/net/conn_reader.c"
#include "../../ptlrpc/net/conn_recall.c"
#include "../../ptlrpc/net/conn_rx.c"
#include "../../ptlrpc/net/tx_copy.c"
#include "../../ptlrpc/net/conn.c"

#define CONN_PORT	9988		/* where the case listens */
#define CONN_WAIT	(20 * HZ)	/* longer than any case should take */

/**
 * struct end - one end of a connection, as the floor above sees it
 * @conn: connection, referenced
 * @opened: completes when it is CONN_OPEN
 * @closed: completes when peer_conn_closed() was called
 * @messages: messages that came and are whole
 * @bulk_bytes: bytes of bulk data that came and are right
 * @wrong: messages that are not as they were sent, or out of order
 * @last_xid: of the last message
 * @offers: calls of no_message()
 * @failed: calls of no_received() with an error
 * @failed_rc: the last one
 * @inline_count: messages that the work read
 * @no_closed: calls of it
 * @peer_closed: calls of peer_conn_closed()
 * @refuse: what no_message() returns, but for answers
 * @throw: give no pages for bulk data
 * @unordered: messages come from several tasks
 * @reader: task that read the last message
 * @reclaims: calls from a task that might enter reclaim with I/O
 * @reserved: buffer that no_reply_buffer() returns, or NULL
 * @reserved_len: bytes of it
 * @reserved_xid: xid of the last call
 * @rx_msg: the last message, only compared
 * @wq: woken at each of these
 */
struct end {
	struct lnet_conn		*conn;
	struct completion	opened;
	struct completion	closed;
	atomic_t		messages;
	u64			bulk_bytes;
	atomic_t		wrong;
	u64			last_xid;
	atomic_t		offers;
	atomic_t		failed;
	int			failed_rc;
	atomic_t		inline_count;
	atomic_t		no_closed;
	atomic_t		peer_closed;
	int			refuse;
	bool			throw;
	bool			unordered;
	struct task_struct	*reader;
	atomic_t		reclaims;
	void			*reserved;
	u32			reserved_len;
	u64			reserved_xid;
	const void		*rx_msg;
	wait_queue_head_t	wq;
};

/**
 * struct parcel - a message that a case sends
 * @tx: for the network
 * @done: completes at tx_done()
 * @calls: of tx_done()
 * @rc: what it was told
 * @in_scope: tx_done() was called under memalloc_noio_save()
 * @msg: message
 * @bulk: bulk data, NULL for none
 * @parts: where it is
 */
struct parcel {
	struct lnet_tx		tx;
	struct completion	done;
	atomic_t		calls;
	int			rc;
	bool			in_scope;
	void			*msg;
	u8			*bulk;
	struct bio_vec		*parts;
};

static struct conn_fx {
	struct lnet		net;
	struct socket		*listener;
	bool			turn_away;
	enum lnet_lane		lane;		/* of the next connection made */
	int			faults[WIRE_FAULT_COUNT];
	atomic_t		counters[LNET_COUNTER_COUNT];
	atomic_t		illegal;
	atomic_t		peers;
	unsigned int		timeout;
	u8			*bulk;
	bool			local;		/* connections are inside one kernel */
	bool			close_passive;	/* while it is opened */
	bool			add_fails;	/* the namespace is going away */
	struct end		*passive;	/* the other end of the next one */
	atomic_t		cancels;	/* calls of lnet_peer_charge_cancel() */
	bool			stuck;		/* a case left connections */
} cf;

/* Bulk data is in vmalloc()ed memory, from this byte on. */
#define BULK_AT		77

/*
 * Functions that a connection calls in the files around it.
 */

struct lnet_settings lnet_settings;
const struct lnet_ops *lnet_ops;
struct workqueue_struct *lnet_wq;
struct workqueue_struct *lnet_control_wq;
DEFINE_STATIC_KEY_FALSE(lnet_rules_key);

static void conn_fx_traced(struct lnet_conn *conn, unsigned int from,
			   unsigned int to)
{
	if (!conn_state_may(from, to))
		atomic_inc(&cf.illegal);
}

struct lnet *lnet_get(struct lnet *net)
{
	refcount_inc(&net->nn_refcount);
	return net;
}

void lnet_put(struct lnet *net)
{
	refcount_dec(&net->nn_refcount);
}

bool lnet_is_local(struct lnet *net, const struct lnet_nid *nid)
{
	return cf.local;
}

bool __net_conn_add(struct lnet *net, struct lnet_conn *conn)
{
	struct end *e = cf.passive;

	lockdep_assert_held(&net->nn_lock);
	if (cf.add_fails)
		return false;
	/* As end_start(). */
	conn->cn_upper_data = e;
	e->conn = lnet_conn_get(conn);
	lnet_conn_get(conn);
	return true;
}

void lnet_peer_charge_cancel(struct lnet_conn *conn)
{
	atomic_inc(&cf.cancels);
}

bool lnet_accepts(const struct sockaddr_storage *from)
{
	return !cf.turn_away;
}

void net_conn_init(struct net_conn *node, struct lnet_conn *conn)
{
	node->nc_conn = conn;
}

static struct lnet_peer *conn_fx_peer(const struct lnet_nid *nid)
{
	struct lnet_peer *peer = kzalloc(sizeof(*peer), GFP_KERNEL);

	if (!peer)
		return NULL;
	refcount_set(&peer->lnp_refcount, 1);
	peer->lnp_nid = *nid;
	atomic_inc(&cf.peers);
	return peer;
}

struct lnet_peer *lnet_peer_get(struct lnet_peer *peer)
{
	refcount_inc(&peer->lnp_refcount);
	return peer;
}

void lnet_peer_put(struct lnet_peer *peer)
{
	if (!refcount_dec_and_test(&peer->lnp_refcount))
		return;
	kfree(peer);
	atomic_dec(&cf.peers);
}

const struct lnet_nid *lnet_peer_nid(const struct lnet_peer *peer)
{
	return &peer->lnp_nid;
}

int peer_conn_identify(struct lnet_conn *conn, const struct lnet_nid *nid)
{
	conn->cn_peer = conn_fx_peer(nid);
	conn->cn_nid = *nid;
	return conn->cn_peer ? 0 : -ENOMEM;
}

void peer_conn_opened(struct lnet_conn *conn, u64 incarnation)
{
	struct end *e = conn->cn_upper_data;

	if (incarnation != cf.net.nn_incarnation)
		atomic_inc(&e->wrong);
	/* Its closing work waits until this has returned. */
	if (!test_bit(CNF_RX_BUSY, &conn->cn_flags))
		atomic_inc(&e->wrong);
	if (cf.close_passive && test_bit(CNF_PASSIVE, &conn->cn_flags))
		lnet_conn_close(conn, -EPIPE);
	complete_all(&e->opened);
}

void peer_conn_closed(struct lnet_conn *conn)
{
	struct end *e = conn->cn_upper_data;

	atomic_inc(&e->peer_closed);
	complete_all(&e->closed);
	lnet_conn_put(conn);
}

bool rules_take(struct lnet_conn *conn, struct lnet_tx *tx)
{
	return false;
}

bool rules_recall(struct lnet_conn *conn, struct lnet_tx *tx, int rc)
{
	return false;
}

void rules_wait(struct lnet_conn *conn, struct lnet_tx *tx)
{
}

void rules_conn_closing(struct lnet_conn *conn)
{
}

void lnet_count(enum lnet_counter counter, u64 value)
{
	atomic_add(value, &cf.counters[counter]);
}

void lnet_fault(struct lnet_conn *conn, enum wire_fault fault, const char *what)
{
	cf.faults[fault]++;
}

static inline int conn_fx_counter(enum lnet_counter counter)
{
	return atomic_read(&cf.counters[counter]);
}

/*
 * Parts of a message.
 */

static inline u8 conn_fx_byte(u64 xid, size_t n)
{
	return (u8)(xid * 31 + n * 7 + (n >> 8));
}

static inline void conn_fx_fill(u8 *to, u64 xid, size_t len)
{
	size_t n;

	for (n = 0; n < len; n++)
		to[n] = conn_fx_byte(xid, n);
}

static inline bool conn_fx_is_right(const u8 *from, u64 xid, size_t len)
{
	size_t n;

	for (n = 0; n < len; n++) {
		if (from[n] != conn_fx_byte(xid, n))
			return false;
	}
	return true;
}

/* Parts of at most @part bytes, none of which crosses the end of a page. */
static inline struct bio_vec *conn_fx_parts(u8 *from, u32 len, u32 part,
				     unsigned int *count)
{
	struct bio_vec *parts;
	unsigned int n = 0;
	u32 at = 0;
	u32 next;

	part = min_t(u32, part, PAGE_SIZE);
	parts = kvcalloc(2 * (len / part + 2), sizeof(*parts), GFP_KERNEL);
	for (; parts && at < len; at += next) {
		next = min_t(u32, part, len - at);
		next = min_t(u32, next, PAGE_SIZE - offset_in_page(from + at));
		parts[n].bv_page = vmalloc_to_page(from + at);
		parts[n].bv_offset = offset_in_page(from + at);
		parts[n++].bv_len = next;
	}
	*count = n;
	return parts;
}

/*
 * The floor above.
 */

static inline void conn_fx_look(struct end *e, struct lnet_rx *rx)
{
	const struct wire_msg *msg = &rx->rx_view;

	if (msg->bufcount != 1 ||
	    !conn_fx_is_right(msg->bufs[0], msg->xid, msg->buflens[0]))
		atomic_inc(&e->wrong);
	if (!e->unordered && msg->xid != e->last_xid + 1)
		atomic_inc(&e->wrong);
	e->last_xid = msg->xid;
	e->reader = current;
}

/* A task that reclaim may wait for must not enter it. */
static inline void conn_fx_check_scope(struct end *e)
{
	if (!(current->flags & PF_MEMALLOC_NOIO))
		atomic_inc(&e->reclaims);
}

static inline void *conn_fx_reply_buffer(struct lnet_conn *conn, u64 xid, u32 len)
{
	struct end *e = conn->cn_upper_data;
	void *buf = NULL;

	conn_fx_check_scope(e);
	e->reserved_xid = xid;
	if (len <= e->reserved_len)
		swap(buf, e->reserved);
	return buf;
}

static inline int conn_fx_message(struct lnet_rx *rx)
{
	struct end *e = rx->rx_conn->cn_upper_data;
	u32 bulk = rx->rx_frame.bulk_len;
	int rc = READ_ONCE(e->refuse);

	conn_fx_check_scope(e);
	e->rx_msg = rx->rx_msg;
	atomic_inc(&e->offers);
	wake_up_all(&e->wq);
	if (rc)
		return rc;
	conn_fx_look(e, rx);
	if (!bulk || e->throw)
		return 0;
	rx->rx_bulk = conn_fx_parts(cf.bulk + BULK_AT, bulk, 3001,
				    &rx->rx_bulk_nr);
	rx->rx_private = rx->rx_bulk;
	memset(cf.bulk + BULK_AT, 0, bulk);
	return rx->rx_bulk ? 0 : -ENOMEM;
}

static inline void conn_fx_received(struct lnet_rx *rx, int rc)
{
	struct end *e = rx->rx_conn->cn_upper_data;

	conn_fx_check_scope(e);
	kvfree(rx->rx_private);
	if (rc)
		e->failed_rc = rc;
	if (rc)
		atomic_inc(&e->failed);
	else if (rx->rx_bulk &&
		 !conn_fx_is_right(cf.bulk + BULK_AT, rx->rx_view.xid,
				   rx->rx_frame.bulk_len))
		atomic_inc(&e->wrong);
	else if (rx->rx_bulk)
		e->bulk_bytes += rx->rx_frame.bulk_len;
	if (rx->rx_inline)
		atomic_inc(&e->inline_count);
	if (!rc)
		atomic_inc(&e->messages);
	wake_up_all(&e->wq);
}

static inline void conn_fx_closed(struct lnet_conn *conn)
{
	struct end *e = conn->cn_upper_data;

	conn_fx_check_scope(e);
	atomic_inc(&e->no_closed);
}

static const struct lnet_ops conn_fx_ops = {
	.no_reply_buffer = conn_fx_reply_buffer,
	.no_message = conn_fx_message,
	.no_received = conn_fx_received,
	.no_closed = conn_fx_closed,
};

/*
 * Parcels.
 */

static inline void parcel_done(struct lnet_tx *tx, int rc)
{
	struct parcel *p = container_of(tx, struct parcel, tx);

	p->in_scope = current->flags & PF_MEMALLOC_NOIO;
	p->rc = rc;
	atomic_inc(&p->calls);
	complete_all(&p->done);
}

/* Bulk data of @len bytes, in parts that begin and end anywhere. */
static inline void parcel_add_bulk(struct kunit *test, struct parcel *p, u64 xid, u32 len,
			    u32 part)
{
	p->bulk = vmalloc(len + BULK_AT);
	KUNIT_ASSERT_NOT_NULL(test, p->bulk);
	conn_fx_fill(p->bulk + BULK_AT, xid, len);
	p->parts = conn_fx_parts(p->bulk + BULK_AT, len, part,
				 &p->tx.tx_bulk_nr);
	KUNIT_ASSERT_NOT_NULL(test, p->parts);
	p->tx.tx_bulk = p->parts;
	p->tx.tx_bulk_len = len;
}

static inline struct parcel *parcel_make(struct kunit *test, u32 kind, u64 xid, u32 len)
{
	struct parcel *p = kzalloc(sizeof(*p), GFP_KERNEL);
	struct wire_msg msg = { .type = kind, .xid = xid };
	size_t size = wire_msg_size(&len, 1);

	KUNIT_ASSERT_NOT_NULL(test, p);
	p->msg = kmalloc(size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, p->msg);
	wire_msg_init(p->msg, &len, 1);
	wire_msg_encode(p->msg, &msg);
	conn_fx_fill(wire_msg_buf(p->msg, 0), xid, len);
	init_completion(&p->done);
	p->tx.tx_msg = p->msg;
	p->tx.tx_msg_len = size;
	p->tx.tx_done = parcel_done;
	return p;
}

static inline void parcel_free(struct parcel *p)
{
	vfree(p->bulk);
	kvfree(p->parts);
	kfree(p->msg);
	kfree(p);
}

/* Its end, which must have come once. */
static inline void parcel_await(struct kunit *test, struct parcel *p, int rc)
{
	unsigned long left = wait_for_completion_timeout(&p->done, CONN_WAIT);

	KUNIT_ASSERT_TRUE(test, left != 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&p->calls), 1);
	KUNIT_EXPECT_EQ(test, p->rc, rc);
}

/* Send a message and wait until it is out. */
static inline void parcel_send(struct kunit *test, struct lnet_conn *conn, u64 xid, u32 len)
{
	struct parcel *p = parcel_make(test, PTL_RPC_MSG_REQUEST, xid, len);

	KUNIT_EXPECT_EQ(test, lnet_conn_send(conn, &p->tx), 0);
	parcel_await(test, p, 0);
	parcel_free(p);
}

/*
 * Ends.
 */

static inline void end_init(struct end *e)
{
	memset(e, 0, sizeof(*e));
	init_completion(&e->opened);
	init_completion(&e->closed);
	init_waitqueue_head(&e->wq);
}

/* The connection, with a reference for the case besides the namespace's own. */
static inline void end_start(struct kunit *test, struct end *e, struct lnet_peer *peer,
		      struct socket *sock)
{
	e->conn = conn_make(&cf.net, peer, sock);
	KUNIT_ASSERT_FALSE(test, IS_ERR(e->conn));
	if (peer)
		e->conn->cn_lane = cf.lane;
	e->conn->cn_upper_data = e;
	lnet_conn_get(e->conn);
	conn_start(e->conn);
}

static inline void end_connect(struct kunit *test, struct end *e, const char *nid)
{
	struct lnet_peer *peer;
	struct lnet_nid n;

	end_init(e);
	KUNIT_ASSERT_EQ(test, libcfs_nid_parse(nid, strlen(nid), &n, NULL), 0);
	peer = conn_fx_peer(&n);
	KUNIT_ASSERT_NOT_NULL(test, peer);
	end_start(test, e, peer, NULL);
	lnet_peer_put(peer);
}

static inline struct socket *conn_fx_accept(struct kunit *test)
{
	unsigned long end = jiffies + CONN_WAIT;
	struct socket *sock = NULL;
	int rc;

	do {
		rc = kernel_accept(cf.listener, &sock, O_NONBLOCK);
		if (rc == -EAGAIN)
			usleep_range(100, 1000);
	} while (rc == -EAGAIN && time_before(jiffies, end));
	KUNIT_ASSERT_EQ(test, rc, 0);
	return sock;
}

static inline void end_accept(struct kunit *test, struct end *e)
{
	end_init(e);
	end_start(test, e, NULL, conn_fx_accept(test));
}

static inline void end_await_open(struct kunit *test, struct end *e)
{
	unsigned long left = wait_for_completion_timeout(&e->opened, CONN_WAIT);

	KUNIT_ASSERT_TRUE(test, left != 0);
}

/* Its end, once and for this reason; the case's reference is dropped. */
static inline void end_await_closed(struct kunit *test, struct end *e, int rc)
{
	unsigned long left = wait_for_completion_timeout(&e->closed, CONN_WAIT);
	bool opened = completion_done(&e->opened);

	KUNIT_ASSERT_TRUE(test, left != 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&e->peer_closed), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&e->no_closed), opened ? 1 : 0);
	KUNIT_EXPECT_EQ(test, e->conn->cn_error, rc);
	KUNIT_EXPECT_EQ(test, (int)e->conn->cn_state, CONN_CLOSED);
	KUNIT_EXPECT_EQ(test, atomic_read(&e->wrong), 0);
	lnet_conn_put(e->conn);
}

static inline void end_close(struct kunit *test, struct end *e)
{
	lnet_conn_close(e->conn, 0);
	end_await_closed(test, e, 0);
}

/* @a has connected to @b. */
static inline void conn_fx_pair(struct kunit *test, struct end *a, struct end *b)
{
	if (cf.local) {
		end_init(b);
		cf.passive = b;
	}
	end_connect(test, a, "127.0.0.1@tcp");
	if (!cf.local)
		end_accept(test, b);
	end_await_open(test, a);
	end_await_open(test, b);
}

/* End both, @a first; the other one sees that it is gone. */
static inline void conn_fx_part(struct kunit *test, struct end *a, struct end *b)
{
	end_close(test, a);
	end_await_closed(test, b, -ECONNRESET);
	KUNIT_EXPECT_EQ(test, atomic_read(&a->reclaims), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&b->reclaims), 0);
}

#define end_await(test, end, cond)						\
	KUNIT_ASSERT_TRUE(test, wait_event_timeout((end)->wq, cond, CONN_WAIT))

static inline void end_await_messages(struct kunit *test, struct end *e, int count)
{
	end_await(test, e, atomic_read(&e->messages) >= count);
	KUNIT_EXPECT_EQ(test, atomic_read(&e->messages), count);
}

/*
 * Around a case.
 */

static inline int conn_fx_listen(int family, u16 port)
{
	struct sockaddr_in6 any6 = { .sin6_family = AF_INET6 };
	struct sockaddr_in any4 = { .sin_family = AF_INET };
	struct compat_sockaddr *addr = (struct compat_sockaddr *)&any4;
	int len = sizeof(any4);
	int rc;

	any4.sin_port = htons(port);
	any6.sin6_port = htons(port);
	if (family == AF_INET6) {
		addr = (struct compat_sockaddr *)&any6;
		len = sizeof(any6);
	}
	rc = sock_create_kern(&init_net, family, SOCK_STREAM, IPPROTO_TCP,
			      &cf.listener);
	if (rc)
		return rc;
	sock_set_reuseaddr(cf.listener->sk);
	rc = kernel_bind(cf.listener, addr, len);
	return rc ?: kernel_listen(cf.listener, 16);
}

static inline int conn_fx_loopback(void)
{
	int rc;

	rtnl_lock();
	rc = dev_open(init_net.loopback_dev, NULL);
	rtnl_unlock();
	return rc;
}

static inline void conn_fx_defaults(void)
{
	memset(&cf, 0, sizeof(cf));
	cf.net.nn_net = &init_net;
	cf.net.nn_incarnation = 0x1234567890ULL;
	spin_lock_init(&cf.net.nn_lock);
	refcount_set(&cf.net.nn_refcount, 1);
	cf.timeout = obd_timeout;
	lnet_ops = &conn_fx_ops;
	lnet_settings.lns_port = CONN_PORT;
	lnet_settings.lns_crc = true;
	lnet_settings.lns_local_conn = true;
	lnet_settings.lns_bulk_crc = LNET_BULK_CRC_ON;
	conn_fx_hook = NULL;
	lnet_settings.lns_keepalive_idle = 30;
	lnet_settings.lns_keepalive_interval = 2;
	lnet_settings.lns_keepalive_count = 10;
}

static inline int conn_fx_init(struct kunit *test)
{
	if (cf.stuck)
		return -EBUSY;
	conn_fx_defaults();
	lnet_wq = alloc_workqueue("lnet_conn_kunit", WQ_UNBOUND, 0);
	lnet_control_wq = lnet_wq;
	cf.bulk = vmalloc(WIRE_BULK_DEFAULT + BULK_AT);
	if (!lnet_wq || !cf.bulk)
		return -ENOMEM;
	return conn_fx_loopback() ?: conn_fx_listen(AF_INET6, CONN_PORT) ?:
	       fixture_init(test);
}

/* Both ends of each connection are in this kernel. */
static inline int conn_fx_init_local(struct kunit *test)
{
	int rc = conn_fx_init(test);

	cf.local = true;
	cf.net.nn_listener = cf.listener;
	return rc;
}

/* Connections of a case that was aborted stay: the other cases cannot run. */
static inline void conn_fx_give_up(struct kunit *test)
{
	KUNIT_FAIL(test, "%d connections are left", atomic_read(&conn_count));
	cf.stuck = true;
	__module_get(THIS_MODULE);
}

static inline void conn_fx_exit(struct kunit *test)
{
	if (cf.stuck)
		return;
	if (cf.listener)
		sock_release(cf.listener);
	cf.listener = NULL;
	if (!wait_event_timeout(conn_count_wait, !atomic_read(&conn_count), CONN_WAIT)) {
		conn_fx_give_up(test);
		return;
	}
	conn_wait_freed();
	destroy_workqueue(lnet_wq);
	KUNIT_EXPECT_EQ(test, refcount_read(&cf.net.nn_refcount), 1U);
	KUNIT_EXPECT_EQ(test, atomic_read(&cf.peers), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&cf.illegal), 0);
	vfree(cf.bulk);
	obd_timeout = cf.timeout;
	fixture_exit(test);
}

#endif /* _KUNIT_CONN_FIXTURE_H */
