/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests, as a client makes them.
 *
 *	req = ptlrpc_request_new(imp, OST_STATFS, OST_REQUEST_PORTAL, lens, 1);
 *	... fill in ptlrpc_req_buf(req, 0) ...
 *	rc = ptlrpc_queue_wait(req);
 *	... look at ptlrpc_rep_buf(req, 0, size) ...
 *	ptlrpc_request_put(req);
 *
 * A request's life:
 *
 *	        added to a set      slot and connection      reply, or it is over
 *	RQ_NEW --------------> RQ_WAITING -----------> RQ_RPC -------------------+
 *	                        ^      |                |  |                     |
 *	                        +------|----------------+  | bulk data on its way|
 *	                       resend  |                   v when it is over     v
 *	                               +---------> RQ_UNREGISTERING ----> RQ_INTERPRET
 *	                               +-------------------------------------^   |
 *	                                 over                                    |
 *	                                                                         v
 *	                                                                   RQ_COMPLETE
 *
 * RQ_WAITING: for the import to be what rq_send_state says (FULL), and for one of
 * its max_rpcs_in_flight. RQ_RPC: on the wire. A connection that is lost or a
 * deadline that passes leads back to RQ_WAITING, and the request is sent again
 * with the same xid, until it is answered; until the import is invalidated
 * (-EIO), deactivated (-ESHUTDOWN) or closed (-ENOTCONN); or until its caller is
 * killed (-EINTR) - at once where rq_no_resend is set. RQ_UNREGISTERING: it is
 * over, and the network still puts bytes into its pages. An answer that comes to
 * an earlier sending while it is RQ_WAITING to be sent again is as good as any.
 *
 * The waiting task drives: only the task that waits for the set of a request, or a ptlrpcd
 * thread, changes the phase of the request. Others note events and wake that task.
 */
#ifndef _LUSTRE_LITE_PTLRPC_H
#define _LUSTRE_LITE_PTLRPC_H

#include <linux/bvec.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <lustre_lite/obd_import.h>
#include <lustre_lite/ptlrpc_net.h>
#include <lustre_lite/wire.h>

struct module;
struct ptlrpc_request;
struct ptlrpc_request_set;

enum rq_phase {
	RQ_NEW,
	RQ_WAITING,
	RQ_RPC,
	RQ_UNREGISTERING,
	RQ_INTERPRET,
	RQ_COMPLETE,
	RQ_PHASE_COUNT
};

const char *rq_phase_name(enum rq_phase phase);
bool rq_phase_may(enum rq_phase from, enum rq_phase to);

/**
 * typedef ptlrpc_interpret_t - what becomes of a request
 * @req: request; its reply is there when @rc is 0
 * @data: rq_interpret_data
 * @rc: 0, the status of the reply, or why there is none
 *
 * Called once, in RQ_INTERPRET, by the task that drives the set, without a lock.
 * May sleep; one of ptlrpcd must not wait for another request.
 * Return: rc of the request from here on
 */
typedef int (ptlrpc_interpret_t)(struct ptlrpc_request *req, void *data, int rc);

/**
 * typedef ptlrpc_committed_t - the bulk data of a request is no longer needed
 * @req: request, RQ_COMPLETE
 * @rc: 0: the target has its transaction on disk, or keeps none; otherwise the request
 *	failed, or its transaction is lost: -EIO if the target evicted the client
 *
 * Called exactly once for each request that was added to a set, after rq_interpret,
 * without a lock, by any task. May sleep, shortly: not for a request, nor for memory.
 */
typedef void (ptlrpc_committed_t)(struct ptlrpc_request *req, int rc);

/**
 * struct ptlrpc_bulk - bulk data of a request, or of a reply
 * @bk_vec: parts; no page of a slab
 * @bk_nr: how many
 * @bk_len: bytes of all parts, at most WIRE_BULK_MAX
 */
struct ptlrpc_bulk {
	struct bio_vec	*bk_vec;
	unsigned int	bk_nr;
	u32		bk_len;
};

/**
 * struct ptlrpc_request - a request
 *
 * What its maker may set before it is sent:
 * @rq_no_resend: sent once; a lost connection or a deadline is the end
 * @rq_no_delay: not waited for the import: -ENOTCONN where it is not in
 *	@rq_send_state
 * @rq_no_slot: is none of max_rpcs_in_flight: pings, cancels; nor is any that is
 *	not sent in LUSTRE_IMP_FULL
 * @rq_no_count: is not a use of the import, and does not count in imp_inflight,
 *	imp_calls and imp_call_ns: the pinger's
 * @rq_send_state: state of the import that it is sent in: LUSTRE_IMP_FULL; a
 *	connect, or a replay, names another, and ends with -ECANCELED when the connect
 *	is to end (imp_cancel). A disconnect says the state that it
 *	is called in, and is also sent where the import is deactivated
 * @rq_timeout: seconds, 0: what the adaptive timeout says
 * @rq_limit_ns: the deadline comes so long after sending, whatever @rq_timeout says; 0:
 *	@rq_timeout
 * @rq_msg_flags: MSG_*, besides those that the engine sets
 * @rq_op_flags: lm_op_flags
 * @rq_handle: lm_handle; 0: that of the import
 * @rq_replay_transno: transaction to be replayed, with MSG_REPLAY; or 0
 * @rq_bulk_out: bulk data that goes out with the request, or NULL. Kept by its
 *	maker, with its pages, until @rq_committed, or without it until the request is
 *	RQ_COMPLETE; then the target must have it on disk when it replies
 * @rq_bulk_in: where bulk data of the reply goes, or NULL; likewise
 * @rq_interpret: called in the end, or NULL
 * @rq_interpret_data: for it
 * @rq_committed: the request is replayed with its bulk data until this is called, or
 *	NULL
 * @rq_owner: module of @rq_committed, pinned until that has returned
 *
 * What is there in the end:
 * @rq_status: 0 or a negative errno
 * @rq_rep: fields and buffers of the reply; type 0 when there is none
 * @rq_bulk_got: bytes of bulk data that came
 *
 * The engine's:
 * @rq_refcount: references
 * @rq_phase: enum rq_phase, changed by ptlrpc_set_phase() only
 * @rq_import: import, referenced
 * @rq_opc: operation
 * @rq_portal: service
 * @rq_xid: number, given when it is made
 * @rq_generation: of the import when it was added to its set
 * @rq_conn_cnt: of the import when it was sent
 * @rq_req_msg: message, @rq_req_len bytes behind this
 * @rq_req_len: its bytes
 * @rq_rep_msg: message that came, kmalloc()ed, or NULL
 * @rq_tx: on its way out
 * @rq_tx_busy: the network knows @rq_tx, and has a reference
 * @rq_conn: connection that it was sent on last, referenced, or NULL; changed
 *	under @rq_lock
 * @rq_conn_item: in cn_upper of @rq_conn
 * @rq_xid_node: in the table of xids
 * @rq_lock: guards @rq_events, @rq_rep_msg, @rq_rep, @rq_receiving,
 *	@rq_bulk_error, @rq_tx_busy, @rq_in_xids, @rq_set, @rq_early, @rq_deadline_ns
 *	and @rq_net_error; taken in tasks only
 * @rq_events: what happened since the driver looked last: RQE_*
 * @rq_net_error: why the connection or the sending failed
 * @rq_receiving: a reply is coming in, and the network fills @rq_bulk_in
 * @rq_rx_conn: connection that it comes in by, while @rq_receiving
 * @rq_bulk_error: why bulk data of the reply was thrown away, or 0
 * @rq_sent_ns: when it was sent last, ktime_get_ns()
 * @rq_reply_ns: when the head of the reply came
 * @rq_start_ns: when it was added to its set
 * @rq_deadline_ns: when it is given up or sent again
 * @rq_retry_ns: it is not sent again before
 * @rq_look_ns: it is looked at again then while RQ_WAITING; 0: when an event is noted
 * @rq_sends: times that it was sent
 * @rq_lost: connect @rq_conn_cnt was reported lost: the request is not sent by it again
 * @rq_early: early replies that came
 * @rq_has_slot: holds one of max_rpcs_in_flight; guarded by pi_lock
 * @rq_counted: is one of imp_inflight
 * @rq_in_xids: is in the table of xids
 * @rq_import_item: in pi_requests of the import
 * @rq_slot_item: in pi_waiting of the import
 * @rq_jobid: job that caused it
 * @rq_set: set, while it is in one
 * @rq_set_item: in its list
 * @rq_ready_item: in set_ready
 * @rq_replay_item: in the import's list of what is to be replayed
 * @rq_kept: is in that list
 * @rq_bulk_users: of @rq_bulk_out, where there is @rq_committed: the driver until the
 *	request is RQ_COMPLETE, the list of what is to be replayed, a replay
 * @rq_commit_rc: for @rq_committed; set by a user of @rq_bulk_users before it leaves
 *
 * Made by ptlrpc_request_new(). Held by: its maker, until ptlrpc_request_put();
 * its set, until it is RQ_COMPLETE; the table of xids while a reply may come; the
 * network while it sends or fills it; the list of what is to be replayed. Whoever
 * drops the last reference frees it.
 */
struct ptlrpc_request {
	bool				rq_no_resend;
	bool				rq_no_delay;
	bool				rq_no_slot;
	bool				rq_no_count;
	enum lustre_imp_state		rq_send_state;
	u32				rq_timeout;
	u64				rq_limit_ns;
	u32				rq_msg_flags;
	u32				rq_op_flags;
	u64				rq_handle;
	u64				rq_replay_transno;
	const struct ptlrpc_bulk	*rq_bulk_out;
	const struct ptlrpc_bulk	*rq_bulk_in;
	ptlrpc_interpret_t		*rq_interpret;
	void				*rq_interpret_data;
	ptlrpc_committed_t		*rq_committed;
	struct module			*rq_owner;

	int				rq_status;
	struct wire_msg			rq_rep;
	u32				rq_bulk_got;

	refcount_t			rq_refcount;
	enum rq_phase			rq_phase;
	struct obd_import		*rq_import;
	u32				rq_opc;
	u16				rq_portal;
	u64				rq_xid;
	u32				rq_generation;
	u32				rq_conn_cnt;
	void				*rq_req_msg;
	u32				rq_req_len;
	void				*rq_rep_msg;
	struct lnet_tx			rq_tx;
	bool				rq_tx_busy;
	struct lnet_conn			*rq_conn;
	struct list_head		rq_conn_item;
	struct hlist_node		rq_xid_node;
	spinlock_t			rq_lock;
	unsigned long			rq_events;
	int				rq_net_error;
	bool				rq_receiving;
	struct lnet_conn			*rq_rx_conn;
	int				rq_bulk_error;
	u64				rq_sent_ns;
	u64				rq_reply_ns;
	u64				rq_start_ns;
	u64				rq_deadline_ns;
	u64				rq_retry_ns;
	u64				rq_look_ns;
	u32				rq_sends;
	bool				rq_lost;
	u32				rq_early;
	bool				rq_has_slot;
	bool				rq_counted;
	bool				rq_in_xids;
	char				rq_jobid[WIRE_MSG_JOBID_LEN + 1];
	struct list_head		rq_import_item;
	struct list_head		rq_slot_item;
	struct ptlrpc_request_set	*rq_set;
	struct list_head		rq_set_item;
	struct list_head		rq_ready_item;
	struct list_head		rq_replay_item;
	bool				rq_kept;
	atomic_t			rq_bulk_users;
	int				rq_commit_rc;
};

/* NULL: no memory; nor is there a request of more bytes than WIRE_MSG_MAX. */
struct ptlrpc_request * __must_check
ptlrpc_request_new(struct obd_import *imp, u32 opc, u16 portal,
		   const u32 *buflens, unsigned int bufcount);
/*
 * One that was answered, once more: operation, xid, buffers, job and flags are
 * the same, bulk data, interpret and state to be sent in are to be set. To replay
 * it. NULL: no memory.
 */
struct ptlrpc_request * __must_check
ptlrpc_request_again(const struct ptlrpc_request *done);
struct ptlrpc_request *ptlrpc_request_get(struct ptlrpc_request *req);
void ptlrpc_request_put(struct ptlrpc_request *req);

/* Buffer @n of the request, which is zeroed at first. */
void *ptlrpc_req_buf(struct ptlrpc_request *req, unsigned int n);
/* Buffer @n of the reply, or NULL when it has fewer than @size bytes. */
const void *ptlrpc_rep_buf(const struct ptlrpc_request *req, unsigned int n,
			   size_t size);

/*
 * Send it and wait for the end of it. Return: rq_status. A signal that kills the
 * task ends it: -EINTR.
 */
int ptlrpc_queue_wait(struct ptlrpc_request *req);

/*
 * Sets. The set takes a reference of its own on each request and drops it when
 * that is RQ_COMPLETE. Any task may add; one task at a time kicks or waits. What is
 * left when the set goes ends with -ECANCELED.
 */
/* NULL: no memory. */
struct ptlrpc_request_set * __must_check ptlrpc_set_new(void);
void ptlrpc_set_put(struct ptlrpc_request_set *set);
void ptlrpc_set_add(struct ptlrpc_request_set *set, struct ptlrpc_request *req);
/* Send what was added and did not go out yet, without waiting. */
void ptlrpc_set_kick(struct ptlrpc_request_set *set);
/*
 * Until @left or fewer of them are not RQ_COMPLETE. 0, or -EINTR when killed: all
 * are RQ_COMPLETE then.
 */
int ptlrpc_set_wait(struct ptlrpc_request_set *set, unsigned int left);

/*
 * By a ptlrpcd thread: no task waits, rq_interpret is called at the end. The import must
 * be closed or invalidated before the data of rq_interpret is freed.
 */
void ptlrpcd_add(struct ptlrpc_request *req);

#endif /* _LUSTRE_LITE_PTLRPC_H */
