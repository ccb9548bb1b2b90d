/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests of a client.
 *
 *	req = ptlrpc_request_new(imp, OST_STATFS, OST_REQUEST_PORTAL, lens, 1);
 *	... fill in ptlrpc_req_buf(req, 0) ...
 *	rc = ptlrpc_queue_wait(req);
 *	... read ptlrpc_rep_buf(req, 0, size) ...
 *	ptlrpc_request_put(req);
 *
 * A request's life:
 *
 *	        added to a set      slot and connection      reply, or its end
 *	RQ_NEW --------------> RQ_WAITING -----------> RQ_RPC -------------------+
 *	                        ^      |                |  |                     |
 *	                        +------|----------------+  | bulk data arriving  |
 *	                       resend  |                   v at its end          v
 *	                               +---------> RQ_UNREGISTERING ----> RQ_INTERPRET
 *	                               +-------------------------------------^   |
 *	                                 end                                     |
 *	                                                                         v
 *	                                                                   RQ_COMPLETE
 *
 * RQ_WAITING: the request waits until the import is in rq_send_state (FULL), and for one of
 * max_rpcs_in_flight slots. RQ_RPC: it is on the wire. After a lost connection or an expired
 * deadline it returns to RQ_WAITING and is sent again with the same xid. It ends without a
 * reply when the import is invalidated (-EIO), deactivated (-ESHUTDOWN) or closed
 * (-ENOTCONN), when the waiting task is killed (-EINTR) unless it has rq_detach and was sent, and
 * with rq_no_resend at the first loss. RQ_UNREGISTERING: it has ended, and the network still
 * writes to its pages. A reply to an earlier sending is accepted in RQ_WAITING, too.
 *
 * The waiting task drives: only the task that waits for the set of a request, or a ptlrpcd
 * thread, changes the phase of the request. Other tasks note events and wake that task.
 */
#ifndef _LUSTRE_LITE_PTLRPC_H
#define _LUSTRE_LITE_PTLRPC_H

#include <linux/bvec.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <lustre_lite/lustre_dlm.h>
#include <lustre_lite/lustre_md.h>
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

/* Bytes reserved for the message of a reply, unless rq_rep_size is set: most have less. */
#define RQ_REPLY_SIZE	1024

/**
 * typedef ptlrpc_interpret_t - completion callback of a request
 * @req: request; with @rc 0 its reply is available
 * @data: rq_interpret_data
 * @rc: 0, the status of the reply, or why there is no reply
 *
 * Called once, in RQ_INTERPRET, by the task that drives the set, without a lock. May
 * sleep; in a ptlrpcd thread it must not wait for another request. It runs under
 * memalloc_noio_save().
 * Return: the new rq_status
 */
typedef int (ptlrpc_interpret_t)(struct ptlrpc_request *req, void *data, int rc);

/* Whether the reply to a request is of no use any more. Does not sleep */
typedef bool (ptlrpc_unwanted_t)(void *data);

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
 * typedef ptlrpc_replayed_t - a request was replayed
 * @req: request, with rq_sticky
 * @answer: with the reply of this time
 *
 * Called for each replay, before the next one is sent, without a lock, by recovery. May
 * sleep, shortly: not for a request, nor for memory.
 */
typedef void (ptlrpc_replayed_t)(struct ptlrpc_request *req,
				 const struct ptlrpc_request *answer);

/**
 * struct ptlrpc_bulk - bulk data of a request, or of a reply
 * @bk_vec: parts; no slab pages
 * @bk_nr: number of parts
 * @bk_len: bytes of all parts, at most WIRE_BULK_MAX
 */
struct ptlrpc_bulk {
	struct bio_vec	*bk_vec;
	unsigned int	bk_nr;
	u32		bk_len;
};

void *ptlrpc_bulk_alloc(size_t size, unsigned int parts);

/**
 * struct ptlrpc_releases - requests that another one releases
 * @rls_count: their number
 * @rls_req: requests, referenced, or NULL
 */
struct ptlrpc_releases {
	u32			rls_count;
	struct ptlrpc_request	*rls_req[];
};

/**
 * struct ptlrpc_request - a request
 *
 * Set by the caller of ptlrpc_request_new() before the request is added to a set:
 * @rq_no_resend: send it once; a lost connection or the deadline ends it
 * @rq_no_delay: do not wait for the import: -ENOTCONN unless it is in @rq_send_state; one that
 *	is idle is connected for the next request
 * @rq_no_slot: needs no slot of max_rpcs_in_flight: pings, cancels. Requests that are not
 *	sent in LUSTRE_IMP_FULL need none either
 * @rq_no_count: does not count in imp_inflight, imp_calls and imp_call_ns, and does not
 *	keep an idle import connected: pings of the pinger
 * @rq_detach: when the task that waits for it is killed a ptlrpcd thread goes on with it, if it was
 *	sent: for changes, which the target may have executed. Bulk data that it sends stays until
 *	@rq_committed; @rq_interpret and its data do not need the task
 * @rq_detach_unsent: with @rq_detach, also if it was not sent: for what the target has to be asked
 *	to undo
 * @rq_send_state: state of the import in which it is sent: LUSTRE_IMP_FULL. A connect or a
 *	replay names another state, and ends with -ECANCELED when the connect is cancelled
 *	(imp_cancel). A disconnect names the present state, and is sent on a deactivated
 *	import, too
 * @rq_timeout: seconds, 0: the adaptive timeout
 * @rq_limit_ns: time from sending to the deadline, overrides @rq_timeout; 0: @rq_timeout
 * @rq_msg_flags: MSG_*, besides those that ptlrpc sets
 * @rq_op_flags: lm_op_flags
 * @rq_handle: lm_handle; 0: the handle of the import
 * @rq_replay_transno: transaction to replay, with MSG_REPLAY; or 0
 * @rq_bulk_out: bulk data sent with the request, or NULL. The caller keeps it and its
 *	pages until @rq_committed is called. Without @rq_committed it keeps them until the
 *	request is RQ_COMPLETE, and the target must have them on disk when it replies
 * @rq_bulk_in: destination of the reply's bulk data, or NULL; the caller keeps it until the
 *	request is RQ_COMPLETE
 * @rq_rep_size: bytes reserved for the message of the reply before each sending, at first
 *	RQ_REPLY_SIZE. A longer reply is received if memory can be allocated then
 * @rq_unwanted: whether its reply is of no use any more, or NULL. Asked while the request waits for
 *	the next connect, RQ_UNWANTED_NS after the first time; then it ends with -EREMCHG. The
 *	target may have executed it. Does not sleep
 * @rq_unwanted_data: its argument
 * @rq_interpret: completion callback, or NULL
 * @rq_interpret_data: its argument
 * @rq_committed: the request is replayed with its bulk data until this is called, or NULL
 * @rq_sticky: it is replayed even if its transaction is on disk, until
 *	ptlrpc_replay_release(): for what a target has in memory only, such as open handles.
 *	Needs @rq_committed, which is called after that
 * @rq_releases: request with @rq_sticky, referenced until this one is freed, or NULL. It is
 *	released in the same step in which this one is known to be on disk, so that no replay
 *	comes between: its handle would never be closed
 * @rq_releases_more: further ones, likewise; kmalloc()ed, freed with this one, or NULL
 * @rq_replayed: called after each replay, or NULL
 * @rq_replay_buf: buffer of the request that a replay has from the reply: @rq_replay_from of
 *	it, unless that is empty; or 0
 * @rq_replay_from: buffer of the reply
 * @rq_cb_data: for @rq_committed and @rq_replayed
 * @rq_owner: module of these, pinned until @rq_committed has returned
 *
 * Results:
 * @rq_status: 0 or a negative errno
 * @rq_rep: fields and buffers of the reply; type 0 without a reply
 * @rq_bulk_got: bytes of bulk data received
 *
 * Private to ptlrpc:
 * @rq_refcount: references
 * @rq_phase: enum rq_phase, changed by ptlrpc_set_phase() only
 * @rq_import: import, referenced
 * @rq_opc: operation
 * @rq_portal: service
 * @rq_xid: number, assigned when it is sent for the first time; 0 before
 * @rq_tag: tag, assigned with it; 0: all were taken, or it is a replay
 * @rq_generation: generation of the import when the request was added to its set
 * @rq_conn_cnt: imp_conn_cnt when it was sent
 * @rq_req_msg: message, @rq_req_len bytes after this structure
 * @rq_req_len: its bytes
 * @rq_pooled: from the reserve of requests
 * @rq_rep_buf: reserved for the reply, @rq_rep_size bytes, or NULL
 * @rq_rep_msg: message received, for kvfree(), or NULL
 * @rq_tx: its outgoing message
 * @rq_tx_busy: the network uses @rq_tx, and has a reference
 * @rq_conn: connection that it was sent on last, referenced, or NULL; changed under
 *	@rq_lock
 * @rq_conn_item: in cn_upper of @rq_conn
 * @rq_xid_node: in the table of xids
 * @rq_lock: guards @rq_events, @rq_rep_buf, @rq_rep_msg, @rq_rep, @rq_receiving,
 *	@rq_bulk_error, @rq_tx_busy, @rq_in_xids, @rq_set, @rq_early, @rq_deadline_ns and
 *	@rq_net_error; taken in tasks only
 * @rq_events: events since the driver looked last: RQE_*
 * @rq_net_error: why the connection or the sending failed
 * @rq_receiving: a reply is arriving, and the network fills @rq_bulk_in
 * @rq_rx_conn: connection that it arrives on, while @rq_receiving
 * @rq_bulk_error: why bulk data of the reply was discarded, or 0
 * @rq_sent_ns: when it was sent last, ktime_get_ns()
 * @rq_reply_ns: when the head of the reply arrived
 * @rq_start_ns: when it was added to its set
 * @rq_deadline_ns: when it ends or is sent again
 * @rq_retry_ns: earliest time to send it again
 * @rq_look_ns: when the driver looks at it while RQ_WAITING; 0: at the next event
 * @rq_wait_ns: when it started to wait for a connect; 0: it does not
 * @rq_sends: number of sendings
 * @rq_left: its task was killed, and it goes on; guarded by imp_rq_lock
 * @rq_lost: connect @rq_conn_cnt was reported lost, and does not send the request again
 * @rq_early: early replies received
 * @rq_has_slot: has one of max_rpcs_in_flight slots of its lane; guarded by imp_rq_lock
 * @rq_counted: counts in imp_inflight
 * @rq_in_xids: is in the table of xids
 * @rq_import_item: in imp_unsent or imp_requests of the import
 * @rq_slot_item: in imp_waiting of the import
 * @rq_jobid: job that caused it
 * @rq_set: its set, or NULL
 * @rq_set_item: in set_requests
 * @rq_ready_item: in set_ready
 * @rq_replay_item: in imp_replay or imp_sticky of the import
 * @rq_kept: is in one of these
 * @rq_bulk_users: users of @rq_bulk_out, with @rq_committed: the driver until the request
 *	is RQ_COMPLETE, the replay list, a replay
 * @rq_commit_rc: for @rq_committed; a user of @rq_bulk_users sets it before it leaves
 *
 * Created by ptlrpc_request_new(). Held by: its creator, until ptlrpc_request_put(); its
 * set, until it is RQ_COMPLETE; the table of xids while it accepts a reply; the network
 * while it sends or fills it; the replay list. The last put frees it.
 */
struct ptlrpc_request {
	bool				rq_no_resend;
	bool				rq_no_delay;
	bool				rq_no_slot;
	bool				rq_no_count;
	bool				rq_detach;
	bool				rq_detach_unsent;
	enum lustre_imp_state		rq_send_state;
	u32				rq_timeout;
	u64				rq_limit_ns;
	u32				rq_msg_flags;
	u32				rq_op_flags;
	u64				rq_handle;
	u64				rq_replay_transno;
	const struct ptlrpc_bulk	*rq_bulk_out;
	const struct ptlrpc_bulk	*rq_bulk_in;
	u32				rq_rep_size;
	ptlrpc_unwanted_t		*rq_unwanted;
	void				*rq_unwanted_data;
	ptlrpc_interpret_t		*rq_interpret;
	void				*rq_interpret_data;
	ptlrpc_committed_t		*rq_committed;
	bool				rq_sticky;
	struct ptlrpc_request		*rq_releases;
	struct ptlrpc_releases		*rq_releases_more;
	ptlrpc_replayed_t		*rq_replayed;
	u16				rq_replay_buf;
	u16				rq_replay_from;
	void				*rq_cb_data;
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
	u32				rq_tag;
	u32				rq_generation;
	u32				rq_conn_cnt;
	void				*rq_req_msg;
	u32				rq_req_len;
	bool				rq_pooled;
	void				*rq_rep_buf;
	void				*rq_rep_msg;
	struct lnet_tx			rq_tx;
	bool				rq_tx_busy;
	struct lnet_conn		*rq_conn;
	struct list_head		rq_conn_item;
	struct hlist_node		rq_xid_node;
	spinlock_t			rq_lock;
	unsigned long			rq_events;
	int				rq_net_error;
	bool				rq_receiving;
	struct lnet_conn		*rq_rx_conn;
	int				rq_bulk_error;
	u64				rq_sent_ns;
	u64				rq_reply_ns;
	u64				rq_start_ns;
	u64				rq_deadline_ns;
	u64				rq_retry_ns;
	u64				rq_look_ns;
	u64				rq_wait_ns;
	u32				rq_sends;
	bool				rq_left;
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

/*
 * Requests of up to a page come from a reserve when memory is short: then the caller may
 * sleep until another request is freed. NULL: allocation of a larger one failed, or the
 * message would exceed WIRE_MSG_MAX.
 */
struct ptlrpc_request * __must_check
ptlrpc_request_new(struct obd_import *imp, u32 opc, u16 portal,
		   const u32 *buflens, unsigned int bufcount);
/*
 * A copy of an answered request, to replay it: same operation, xid, buffers but rq_replay_buf, job
 * and flags.
 * The caller sets bulk data, rq_interpret and rq_send_state. NULL: allocation failed.
 */
struct ptlrpc_request * __must_check
ptlrpc_request_again(const struct ptlrpc_request *done);
struct ptlrpc_request *ptlrpc_request_get(struct ptlrpc_request *req);
void ptlrpc_request_put(struct ptlrpc_request *req);

/* Buffer @n of the request, zeroed at first. */
void *ptlrpc_req_buf(struct ptlrpc_request *req, unsigned int n);
/* Buffer @n of the reply, or NULL if it has less than @size bytes. */
const void *ptlrpc_rep_buf(const struct ptlrpc_request *req, unsigned int n,
			   size_t size);

/* The caller of md_call() and others has read the reply. */
static inline void md_reply_put(struct md_reply *rep)
{
	if (rep->lock) {
		ldlm_lock_decref(rep->lock);
		ldlm_lock_put(rep->lock);
	}
	ptlrpc_request_put(rep->req);
	memset(rep, 0, sizeof(*rep));
}

/*
 * Send a request and wait until it is complete. Return: rq_status; -EINTR after a signal
 * that kills the task: one with rq_detach that was sent then goes on.
 */
int ptlrpc_queue_wait(struct ptlrpc_request *req);

/* Whether a request is one of those. Does not sleep */
typedef bool (ptlrpc_match_t)(struct ptlrpc_request *req, const void *data);

/* Until those of them that went on without their killed tasks have ended. Return: 0 or -EINTR */
int ptlrpc_left_wait(struct obd_import *imp, ptlrpc_match_t *match, const void *data,
		     bool killable);

/* A request with rq_sticky is not replayed once it is on disk. May sleep, shortly. */
void ptlrpc_replay_release(struct ptlrpc_request *req);

/*
 * Sets. A set has a reference of its own on each request, until the request is RQ_COMPLETE.
 * Any task may add requests; one task at a time runs the set or waits for it. Requests left
 * when the set is put end with -ECANCELED.
 */
/* NULL: allocation failed. */
struct ptlrpc_request_set * __must_check ptlrpc_set_new(void);
void ptlrpc_set_put(struct ptlrpc_request_set *set);
void ptlrpc_set_add(struct ptlrpc_request_set *set, struct ptlrpc_request *req);
/* Send what was added and was not sent yet, without waiting. */
void ptlrpc_set_run(struct ptlrpc_request_set *set);
/*
 * Wait until at most @left requests are not RQ_COMPLETE. Return: 0; -EINTR after a signal
 * that kills the task: then all are RQ_COMPLETE, or those with rq_detach that were sent are in the
 * hands of ptlrpcd.
 */
int ptlrpc_set_wait(struct ptlrpc_request_set *set, unsigned int left);
int ptlrpc_set_wait_for(struct ptlrpc_request_set *set, u64 ns);
/* Without waiting: 0, or @work, which is the caller, runs again when there is more to do. */
int ptlrpc_set_poll(struct ptlrpc_request_set *set, struct workqueue_struct *wq,
		    struct delayed_work *work);

/*
 * Have a ptlrpcd thread drive a request; rq_interpret reports its end. The import must be
 * closed or invalidated before the data of rq_interpret is freed.
 */
void ptlrpcd_add(struct ptlrpc_request *req);

#endif /* _LUSTRE_LITE_PTLRPC_H */
