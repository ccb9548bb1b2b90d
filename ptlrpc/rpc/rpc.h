/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the clients' side of requests is for ptlrpc itself: the server's side and the
 * lock manager use it. It uses the network (net/), and asks the lock manager by struct
 * import_lock_ops. Each file owns one noun:
 *
 *	request.c		a request: made, filled in, freed; its slot
 *	request_drive.c		... driven through its phases, and sent
 *	request_reply.c		replies: the request that each is for, what it says
 *	request_set.c		sets, and the task that drives one
 *	ptlrpcd.c		threads that drive what nobody waits for
 *	node_ping.c		asking a node whether it is there
 *	import_peer.c		what an import has here (struct ptlrpc_import)
 *	transport.c		struct obd_transport: connect, disconnect, calls
 *	recover.c		from a lost connection back to FULL; pinger.c
 *	replay.c		what is replayed, and when not any more
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

/* Portals of an import that have an estimate of their own. */
#define IMP_AT_PORTALS	8

/* struct import_at - how long the service at a portal takes */
struct import_at {
	u16			ia_portal;
	struct adaptive_timeout	ia_at;
};

/**
 * struct ptlrpc_import - what ptlrpc keeps of an import: imp_peer
 * @pi_import: import, which owns this
 * @pi_lock: guards all below but the works; taken in tasks only
 * @pi_peer: node it is connected or connecting to, referenced, or NULL
 * @pi_peer_item: in the list of imports that are connected, under imports_lock of
 *	import_peer.c
 * @pi_requests: requests from made to RQ_INTERPRET, by rq_import_item, in the
 *	order of xids
 * @pi_waiting: those of them that wait for a slot, the oldest first
 * @pi_slots: requests that hold one of max_rpcs_in_flight
 * @pi_replay: requests that are done and not known to be committed, by transno,
 *	referenced
 * @pi_last_committed: of the target
 * @pi_net_at: how long the way there and back takes
 * @pi_service_at: how long services take
 * @pi_recover: connects again
 * @pi_backoff: seconds until the next try
 *
 * Made when the import is first used over the network, and freed with it.
 */
struct ptlrpc_import {
	struct obd_import	*pi_import;
	spinlock_t		pi_lock;
	struct lnet_peer		*pi_peer;
	struct list_head	pi_peer_item;
	struct list_head	pi_requests;
	struct list_head	pi_waiting;
	unsigned int		pi_slots;
	struct list_head	pi_replay;
	u64			pi_last_committed;
	struct adaptive_timeout	pi_net_at;
	struct import_at	pi_service_at[IMP_AT_PORTALS];
	struct delayed_work	pi_recover;
	unsigned int		pi_backoff;
};

/* What of obd_timeout a connect may take at each NID, and the least, seconds. */
#define CONNECT_PER_TIMEOUT	20
#define CONNECT_TIMEOUT_MIN	5
/* Tries of a client to be heard that may get lost. */
#define EVICT_TRIES		6

static inline unsigned int connect_seconds(unsigned int timeout)
{
	return max_t(unsigned int, CONNECT_TIMEOUT_MIN,
		     timeout / CONNECT_PER_TIMEOUT);
}

/*
 * What a ping or a connect that gets lost costs at most. Not a ping interval alone:
 * with a short timeout that is less than a connect is waited for.
 */
static inline unsigned int try_seconds(unsigned int timeout,
				       unsigned int ping_interval)
{
	return max(ping_interval, connect_seconds(timeout));
}

/* A client that was not heard for so long does not come back any more. */
static inline unsigned int evict_seconds(unsigned int timeout,
					 unsigned int ping_interval)
{
	return EVICT_TRIES * try_seconds(timeout, ping_interval);
}

/**
 * struct import_lock_ops - what an import asks of the lock manager
 * @il_replay: tell the server of each lock that the import's namespace has; sleeps.
 *	Return: 0 or a negative errno
 * @il_invalidated: the import lost what it had: all locks of its namespace go, without
 *	a word; does not sleep
 * @il_has_locks: whether its namespace has any: it cannot be idle then
 *
 * An import without a namespace is fine.
 */
struct import_lock_ops {
	int (*il_replay)(struct obd_import *imp);
	void (*il_invalidated)(struct obd_import *imp);
	bool (*il_has_locks)(struct obd_import *imp);
};

extern const struct import_lock_ops *import_locks;

/* Workqueue for what may sleep and wait for a peer; not under memory pressure. */
extern struct workqueue_struct *ptlrpc_wq;

/* import_peer.c: NULL for want of memory; made once. */
struct ptlrpc_import *ptlrpc_import_make(struct obd_import *imp);
/* NULL where it is not there. */
static inline struct ptlrpc_import *ptlrpc_import(const struct obd_import *imp)
{
	return READ_ONCE(imp->imp_peer);
}
/*
 * It is reached at that node from now on, or with NULL nowhere; what waits is
 * looked at again. The transport says it, and who makes a reverse import: again
 * with each connect of the client. Any context but interrupts.
 */
void ptlrpc_import_set_peer(struct obd_import *imp, struct lnet_peer *peer);
/* The open connection to the import's node, referenced, or NULL. */
struct lnet_conn *ptlrpc_import_conn(struct obd_import *imp);
/* at the import: seconds that a request to a portal may take, and what it took. */
u32 ptlrpc_import_timeout(struct obd_import *imp, u16 portal);
u32 ptlrpc_import_patience(struct obd_import *imp);
void ptlrpc_import_measured(struct obd_import *imp, u16 portal, u32 service_sec,
			    u64 network_ns);

/* request_reply.c */
int ptlrpc_rx_reply(struct lnet_rx *rx);
/*
 * node_ping.c: lnet_ops.no_ping(), and whether a reply that no request waits for is
 * the answer to one.
 */
int node_ping(struct net *ns, const struct lnet_nid *nid, u32 timeout_ms,
	      struct node_ping_answer *answer, struct obd_why *why);
bool lnet_node_ping_reply(struct lnet_rx *rx);
void ptlrpc_rx_reply_done(struct lnet_rx *rx, int rc);
void ptlrpc_requests_conn_closed(struct lnet_conn *conn);
u64 ptlrpc_next_xid(void);

/* request_drive.c: something of the import changed: state, generation, flags. */
void ptlrpc_requests_import_changed(struct obd_import *imp);

/* recover.c: connect @conn_cnt of the import is no more; begin to recover. */
void ptlrpc_import_lost(struct obd_import *imp, u32 conn_cnt);
void ptlrpc_imports_conn_closed(struct lnet_conn *conn);
/*
 * A request waits for an import that is not connected: connect at once, unless
 * that is under way or failed a moment ago. Neither this nor ptlrpc_import_lost()
 * blocks; an import that the other end made is left to that.
 */
void ptlrpc_import_wanted(struct obd_import *imp);

/* replay.c: a reply with a transaction came; what is on disk is forgotten. */
void ptlrpc_replay_note(struct ptlrpc_request *req);
void ptlrpc_replay_drop(struct obd_import *imp);
int ptlrpc_replay(struct obd_import *imp);

/* Each returns 0 or a negative errno; the exits undo, in reverse order. */
int ptlrpc_xid_init(void);
void ptlrpc_xid_exit(void);
int ptlrpcd_init(void);
void ptlrpcd_exit(void);
int ptlrpc_import_init(const struct import_lock_ops *locks);
void ptlrpc_import_exit(void);
int ptlrpc_pinger_init(void);
void ptlrpc_pinger_exit(void);
int ptlrpc_transport_init(void);
void ptlrpc_transport_exit(void);

#endif /* _PTLRPC_RPC_H */
