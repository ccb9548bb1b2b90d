/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of ptlrpc have in common and nobody else sees. The network (net/) is
 * below, see ptlrpc_net.h; each file owns one noun:
 *
 *	rpc/request.c		a request: made, filled in, freed
 *	rpc/request_drive.c	... driven through its phases; request_slot.c
 *	rpc/request_send.c	... sent; request_reply.c what the answer says
 *	rpc/request_set.c	sets, and the task that drives one
 *	rpc/request_rx.c	replies that come in; xid.c who waits for them
 *	rpc/ptlrpcd.c		threads that drive what nobody waits for
 *	rpc/import_peer.c	what an import has here (struct ptlrpc_import)
 *	rpc/transport.c		struct obd_transport: connect, disconnect, calls
 *	rpc/recover.c		from a lost connection back to FULL; pinger.c
 *	rpc/replay.c		what is replayed, and when not any more
 *	service/		services, see service.h there
 *	target/target.c connect.c	what every target answers
 *	target/recovery*.c	a target that restarted; ping_evictor.c
 *	ldlm/			the lock manager
 *	receive.c		which layer a message is for
 *	module.c		order of start and end
 */
#ifndef _PTLRPC_RPC_H
#define _PTLRPC_RPC_H

#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <lustre_lite/at.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/lustre_dlm.h>
#include <lustre_lite/obd_class.h>
#include <lustre_lite/obd_export.h>
#include <lustre_lite/obd_import.h>
#include <lustre_lite/obd_ops.h>
#include <lustre_lite/params.h>
#include <lustre_lite/ptlrpc.h>
#include <lustre_lite/ptlrpc_net.h>
#include <lustre_lite/ptlrpc_service.h>
#include <lustre_lite/ptlrpc_target.h>

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
 * @pi_low_xid: every reply up to this xid has come
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
	struct ll_peer		*pi_peer;
	struct list_head	pi_peer_item;
	struct list_head	pi_requests;
	struct list_head	pi_waiting;
	unsigned int		pi_slots;
	u64			pi_low_xid;
	struct list_head	pi_replay;
	u64			pi_last_committed;
	struct adaptive_timeout	pi_net_at;
	struct import_at	pi_service_at[IMP_AT_PORTALS];
	struct delayed_work	pi_recover;
	unsigned int		pi_backoff;
};

/**
 * struct ptlrpc_export - what ptlrpc keeps of an export: exp_rpc
 * @pe_lock: guards what is the service's, and what ldlm says
 * @pe_requests: the client's requests that are not answered yet, by
 *	sr_export_item
 * @pe_request_count: how many
 * @pe_replies: struct reply_cache_entry of what must not be done twice, in the
 *	order in which it was done
 * @pe_reply_count: how many
 * @pe_reply_bytes: of their messages
 * @pe_last_xid: the client has every reply up to this
 * @pe_connect_xid: of the connect that is in force
 * @pe_client_import: cookie of the client's import: what callbacks name
 * @pe_used: the client made a request: it knows of this export
 * @pe_written: to_client_new was called for it
 * @pe_locks: its locks, ldlm's
 * @pe_replay: where it is in recovery, target/recovery.c's
 *
 * Callbacks go to exp_imp_reverse, whose node is that of the last connect.
 */
struct ptlrpc_export {
	spinlock_t		pe_lock;
	struct list_head	pe_requests;
	unsigned int		pe_request_count;
	struct list_head	pe_replies;
	unsigned int		pe_reply_count;
	size_t			pe_reply_bytes;
	u64			pe_last_xid;
	u64			pe_connect_xid;
	u64			pe_client_import;
	bool			pe_used;
	bool			pe_written;
	struct list_head	pe_locks;
	u32			pe_replay;
};

static inline struct ptlrpc_export *ptlrpc_export(struct obd_export *exp)
{
	return exp->exp_rpc;
}

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
void ptlrpc_import_set_peer(struct obd_import *imp, struct ll_peer *peer);
/* The open connection to the import's node, referenced, or NULL. */
struct ll_conn *ptlrpc_import_conn(struct obd_import *imp);
/* at the import: seconds that a request to a portal may take, and what it took. */
u32 ptlrpc_import_timeout(struct obd_import *imp, u16 portal);
u32 ptlrpc_import_patience(struct obd_import *imp);
void ptlrpc_import_measured(struct obd_import *imp, u16 portal, u32 service_sec,
			    u64 network_ns);

/* request_rx.c, xid.c */
int ptlrpc_rx_reply(struct ll_rx *rx);
/* node_ping.c: whether a reply that no request waits for is the answer to one. */
bool ll_node_ping_reply(struct ll_rx *rx);
void ptlrpc_rx_reply_done(struct ll_rx *rx, int rc);
void ptlrpc_requests_conn_closed(struct ll_conn *conn);
u64 ptlrpc_next_xid(void);

/* request_drive.c: something of the import changed: state, generation, flags. */
void ptlrpc_requests_import_changed(struct obd_import *imp);

/* recover.c: connect @conn_cnt of the import is no more; begin to recover. */
void ptlrpc_import_lost(struct obd_import *imp, u32 conn_cnt);
void ptlrpc_imports_conn_closed(struct ll_conn *conn);
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

/* service/rx.c */
int ptlrpc_rx_request(struct ll_rx *rx);
void ptlrpc_rx_request_done(struct ll_rx *rx, int rc);
/* service/thread.c: have a request that was kept handled again, from any task. */
void ptlrpc_svc_requeue(struct ptlrpc_svc_req *sr);

/*
 * target/recovery.c: before a handler runs. Return: 0: go on; 1: it is kept, and
 * ptlrpc_svc_requeue()d later; a negative errno: refuse it.
 */
int target_recovery_admit(struct ptlrpc_svc_req *sr);
/* A request is over: a replay was done, or never will be (sr_handled). */
void target_recovery_replayed(struct ptlrpc_svc_req *sr);
/*
 * A client connects; @initial: it knows of nothing that it did before. Return:
 * MSG_CONNECT_REPLAYABLE and MSG_CONNECT_RECOVERING as they are to be in the
 * reply, or a negative errno: -EBUSY: it is new, and the target recovers.
 */
int target_recovery_connect(struct obd_device *obd,
			    const struct obd_uuid *client, bool initial);
void target_recovery_disconnect(struct obd_device *obd, struct obd_export *exp);
void target_recovery_free(struct obd_device *obd);
/* recovery_status and what else a target shows of it; by ptlrpc_target_start(). */
int target_recovery_params_add(struct obd_device *obd);
bool target_in_recovery(const struct obd_device *obd);

/* target/connect.c: part of an export; NULL for want of memory. */
struct ptlrpc_export *ptlrpc_export_make(struct obd_export *exp);
/* target/target.c: the common operations of targets. */
extern const struct ptlrpc_handler target_handlers[];
extern const size_t target_handler_count;

/* ldlm: operations of a server (in a target's portals), and of both. */
extern const struct ptlrpc_handler ldlm_server_handlers[];
extern const size_t ldlm_server_handler_count;
/* The import lost what it had: all locks of its namespace go, without a word. */
void ldlm_import_invalidated(struct obd_import *imp);
/* Tell the server of each lock that the import's namespace has. */
int ldlm_replay_locks(struct obd_import *imp);
/* Whether the import's namespace has any: it cannot be idle then. */
bool ldlm_import_has_locks(struct obd_import *imp);
/* The client of an export is gone: so are its locks. */
void ldlm_export_gone(struct obd_export *exp);

/* receive.c: what the network calls. */
extern const struct ll_net_ops ptlrpc_net_ops;

/* Each returns 0 or a negative errno; the exits undo, in reverse order. */
int ptlrpc_xid_init(void);
void ptlrpc_xid_exit(void);
int ptlrpcd_init(void);
void ptlrpcd_exit(void);
int ptlrpc_import_init(void);
void ptlrpc_import_exit(void);
int ptlrpc_service_init(void);
void ptlrpc_service_exit(void);
int ptlrpc_target_init(void);
void ptlrpc_target_exit(void);
int ping_evictor_init(void);
void ping_evictor_exit(void);
int ptlrpc_pinger_init(void);
void ptlrpc_pinger_exit(void);
int ldlm_init(void);
void ldlm_exit(void);
int ptlrpc_transport_init(void);
void ptlrpc_transport_exit(void);

#endif /* _PTLRPC_RPC_H */
