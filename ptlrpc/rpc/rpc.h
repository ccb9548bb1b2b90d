/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Imports and requests, for ptlrpc itself: the server's side and the lock manager use
 * them. They use the network (net/), and ask the lock manager by struct import_lock_ops.
 * Each file owns one noun:
 *
 *	client.c		a client device: setup, its users, its operations
 *	grant.c			grant: bytes that a client may write later
 *	import.c		an import: its end, its node, the estimates of its target
 *	import_state.c		... its states, the end of a connection, its events
 *	import_conn.c		... its servers
 *	import_connect.c	... connected, activated, recovered
 *	import_net.c		... its messages: connect, disconnect, ping, operations
 *	loopback.c		... the same for a target in this kernel
 *	import_params.c		... its parameters
 *	recover.c		from a lost connection back to FULL; the pinger
 *	replay.c		requests that are kept, and replayed
 *	request.c		a request: made, filled in, freed; its slot
 *	request_bulk.c		... its bulk data
 *	request_drive.c		... driven through its phases, and sent
 *	request_reply.c		xids; replies: their requests, memory and contents
 *	request_set.c		sets, and the task that drives one
 *	ptlrpcd.c		requests without a waiting task: their threads
 *	node_ping.c		a ping of a node
 */
#ifndef _PTLRPC_RPC_H
#define _PTLRPC_RPC_H

#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <lustre_lite/at.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/obd_class.h>
#include <lustre_lite/obd_import.h>
#include <lustre_lite/obd_ops.h>
#include <lustre_lite/params.h>
#include <lustre_lite/ptlrpc.h>
#include <lustre_lite/ptlrpc_net.h>

/* The part of obd_timeout that a connect may take at each NID; at least, seconds. */
#define CONNECT_PER_TIMEOUT	20
#define CONNECT_TIMEOUT_MIN	5
/* Messages of a client that may get lost before it is evicted. */
#define EVICT_TRIES		6

static inline unsigned int connect_seconds(unsigned int timeout)
{
	return max_t(unsigned int, CONNECT_TIMEOUT_MIN,
		     timeout / CONNECT_PER_TIMEOUT);
}

/*
 * The most time that a lost ping or connect costs. Not a ping interval alone: with a
 * short timeout a connect is waited for longer.
 */
static inline unsigned int try_seconds(unsigned int timeout,
				       unsigned int ping_interval)
{
	return max(ping_interval, connect_seconds(timeout));
}

/* A client that was silent for so long does not come back any more. */
static inline unsigned int evict_seconds(unsigned int timeout,
					 unsigned int ping_interval)
{
	return EVICT_TRIES * try_seconds(timeout, ping_interval);
}

/**
 * struct import_lock_ops - what an import asks of the lock manager
 * @il_replay: replay each lock of the import's namespace; sleeps. Return: 0 or a negative
 *	errno
 * @il_invalidated: all locks of its namespace are gone, without a message to the server;
 *	does not sleep
 * @il_has_locks: whether its namespace has locks: then it cannot be idle
 *
 * An import may be without a namespace.
 */
struct import_lock_ops {
	int (*il_replay)(struct obd_import *imp);
	void (*il_invalidated)(struct obd_import *imp);
	bool (*il_has_locks)(struct obd_import *imp);
};

extern const struct import_lock_ops *import_locks;

/* Workqueue for what may sleep and wait for a peer; not under memory pressure. */
extern struct workqueue_struct *ptlrpc_wq;

/*
 * import.c: requests go to that node from now on, or with NULL to none; those that wait are
 * looked at again. By a connect, and by the maker of a reverse import with each connect of
 * the client. Any context but interrupts.
 */
void import_set_node(struct obd_import *imp, struct lnet_peer *peer);
/* The open connection to the import's node, referenced, or ERR_PTR as lnet_peer_conn(). */
struct lnet_conn *import_node_conn(struct obd_import *imp, enum lnet_lane lane);
void imports_conn_closed(struct lnet_conn *conn);
void imports_node_connected(struct lnet_peer *peer);

/* import.c: seconds that a request to a portal may take, and what it took. */
u32 import_timeout(struct obd_import *imp, u16 portal);
u32 import_patience(struct obd_import *imp);
void import_measured(struct obd_import *imp, u16 portal, u32 service_sec,
		     u64 network_ns);

/* import_params.c: TYPE.NAME.import, state, connect_flags, active ... */
int import_params_add(struct obd_device *obd);

/* request_reply.c */
void *ptlrpc_reply_buffer(struct lnet_conn *conn, u64 xid, u32 len);
int ptlrpc_rx_reply(struct lnet_rx *rx);
/* node_ping.c: lnet_ops.no_ping() */
int node_ping(struct net *ns, const struct lnet_nid *nid, u32 timeout_ms,
	      struct node_ping_answer *answer, struct obd_why *why);
void ptlrpc_rx_reply_done(struct lnet_rx *rx, int rc);
void ptlrpc_requests_conn_closed(struct lnet_conn *conn);
u64 ptlrpc_next_xid(void);

/* request.c: something of the import changed: state, generation, flags, its node. */
void ptlrpc_requests_import_changed(struct obd_import *imp);

/* recover.c: connect @conn_cnt of the import is lost; start to recover. */
void import_note_loss(struct obd_import *imp, u32 conn_cnt);
/*
 * A request waits for an import that is not connected: connect at once, unless that is
 * under way or failed a moment ago. Neither this nor import_note_loss() blocks; an import
 * that the other end made is left to that end.
 */
void import_note_wanted(struct obd_import *imp);

/* request_bulk.c: bytes that stay as they are while they are sent. */
struct ptlrpc_bulk *ptlrpc_bulk_copy(const struct ptlrpc_bulk *bulk);
void ptlrpc_bulk_copy_free(struct ptlrpc_bulk *copy);

/* replay.c: keep an answered request; drop those that are on disk; replay. */
void ptlrpc_replay_begin(struct ptlrpc_request *req);
void ptlrpc_replay_end(struct ptlrpc_request *req);
bool ptlrpc_replay_note(struct ptlrpc_request *req);
void ptlrpc_replay_drop(struct obd_import *imp);
int ptlrpc_replay(struct obd_import *imp);

/* Each returns 0 or a negative errno; the exits undo, in reverse order. */
int ptlrpc_requests_init(void);
void ptlrpc_requests_exit(void);
int ptlrpcd_init(void);
void ptlrpcd_exit(void);
int ptlrpc_import_init(const struct import_lock_ops *locks);
void ptlrpc_import_exit(void);
int ptlrpc_pinger_init(void);
void ptlrpc_pinger_exit(void);

#endif /* _PTLRPC_RPC_H */
