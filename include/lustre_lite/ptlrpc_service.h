/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Services: they handle the requests that arrive at a portal.
 *
 * A request's life at the server:
 *
 *             checked, its export found       a thread takes it, or
 *   message                                   the reader itself (SVH_QUICK)
 *  ---------> SR_NEW --------------> SR_QUEUED ------------------> SR_RUNNING
 *               |                       | ^                            |   |
 *               | not wanted   too late | +----------------------------+   |
 *               v                       v   held until the target has      | replied
 *            SR_DONE <------------------+   recovered                      v
 *               ^------------------------------------------------ SR_REPLYING
 *                                    the reply was sent, or cannot be
 *
 * The handler is called once for each request, in SR_RUNNING, by a thread of the
 * service, without a lock. It fills in the reply and returns the status.
 */
#ifndef _LUSTRE_LITE_PTLRPC_SERVICE_H
#define _LUSTRE_LITE_PTLRPC_SERVICE_H

#include <linux/bvec.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/types.h>

#include <lustre_lite/obd_export.h>
#include <lustre_lite/ptlrpc_net.h>
#include <lustre_lite/wire.h>

struct ptlrpc_service;
struct ptlrpc_svc_req;
struct reply_cache_entry;

/* shd_flags */
#define SVH_EXPORT	0x01	/* needs a connected client: sr_exp is there */
#define SVH_EXPORT_IF	0x40	/* sr_exp is there if the client is connected */
/*
 * Waits for no peer, no disk, and only briefly for locks: the reader of the
 * connection may run it.
 */
#define SVH_QUICK	0x02
#define SVH_HIGH	0x04	/* handled before others, which may wait for it */
/*
 * Not idempotent: its reply is saved until the client has it, and has no bulk
 * data.
 */
#define SVH_ONCE	0x08
#define SVH_BULK_IN	0x10	/* may come with bulk data */
#define SVH_RECOVERY	0x20	/* also handled during recovery of the target */

/**
 * struct ptlrpc_handler - an operation of a service
 * @shd_opc: operation
 * @shd_portal: portal of an operation of a type of targets; those of a service
 *  are accepted at all its portals, and have 0
 * @shd_flags: SVH_*
 * @shd_req_lens: least bytes of each buffer of the request, 0 after the last
 *  one
 * @shd_rep_lens: initial bytes of each buffer of the reply; likewise
 * @shd_rep_bulk: largest bulk data of the reply, computed from the request,
 *  bytes; NULL: none. Called before the request is taken, for the memory
 *  limits. Any context
 * @shd_waits: SVH_QUICK: whether this request, which is complete, waits for a peer or a disk
 *  after all: a thread handles it. NULL: none does. Any context
 * @shd_fn: handler. Return: 0 or a negative errno, the status of the reply
 */
struct ptlrpc_handler {
	u32	shd_opc;
	u16	shd_portal;
	u32	shd_flags;
	u32	shd_req_lens[WIRE_MSG_BUFS_MAX + 1];
	u32	shd_rep_lens[WIRE_MSG_BUFS_MAX + 1];
	u32	(*shd_rep_bulk)(const struct wire_msg *msg);
	bool	(*shd_waits)(const struct ptlrpc_svc_req *sr);
	int	(*shd_fn)(struct ptlrpc_svc_req *sr);
};

enum sr_state {
	SR_NEW,
	SR_QUEUED,
	SR_RUNNING,
	SR_REPLYING,
	SR_DONE,
	SR_STATE_COUNT
};

bool sr_state_may(enum sr_state from, enum sr_state to);

/**
 * struct ptlrpc_svc_req - a request at the server
 * @sr_msg: fields and buffers of the request
 * @sr_exp: export of the client, held as a request (class_export_rpc_inc()), or
 *	NULL where the handler needs none
 * @sr_conn: connection that it came by, referenced
 * @sr_handler: its operation
 * @sr_service: its service
 * @sr_bulk: parts of the bulk data that came, or NULL
 * @sr_bulk_nr: how many
 * @sr_bulk_len: bytes
 * @sr_rep_handle: lm_handle of the reply
 * @sr_rep_committed: last transaction on disk, in the reply to a connect; other replies have that
 *	of the target of @sr_exp
 * @sr_rep_op_flags: lm_op_flags of the reply
 * @sr_transno: transaction that this was, 0 for none
 * @sr_rep_bulk: bulk data of the reply, or NULL. With sr_rep_bulk_owned the
 *  request owns a reference on each page and the kvmalloc()ed array until
 *  SR_DONE; otherwise both belong to the handler and are never freed
 * @sr_rep_bulk_nr: parts
 * @sr_rep_bulk_len: bytes
 * @sr_rep_bulk_owned: see @sr_rep_bulk
 * @sr_status: of the reply
 * @sr_arrival_ns: when it came, ktime_get_ns()
 * @sr_deadline_ns: when the client gives up or resends it
 *
 * Private to the service:
 * @sr_refcount: references
 * @sr_state: enum sr_state, changed by svc_req_move() only
 * @sr_req_msg: the message
 * @sr_reply: the reply, referenced, or NULL while there is none
 * @sr_reply_conn: connection that the reply goes out on, referenced: @sr_conn, or
 *	that of a copy of the request that came later. Guarded by pe_lock of @sr_exp
 *	where there is one
 * @sr_tx: the outgoing reply
 * @sr_charge: bytes charged to @sr_conn (lnet_peer_charge())
 * @sr_lane: whose memory they are
 * @sr_start_ns: when a thread took it
 * @sr_early: early replies sent
 * @sr_item: in the queue or in the list of running requests, under svc_lock
 * @sr_export_item: in pe_requests of @sr_exp, under pe_lock
 * @sr_hist_seq: number in the history
 * @sr_cached: slot for its reply in the reply cache, or NULL
 * @sr_bulk_max: capacity of @sr_bulk, parts
 * @sr_handled: its handler was called
 *
 * Created by the reader of the connection. Held by: its current owner, one at a
 * time - the reader, the queue, a thread, the target's recovery, the network
 * that sends the reply; the thread that runs its handler; the sender of an
 * early reply. The last put frees it.
 */
struct ptlrpc_svc_req {
	struct wire_msg			sr_msg;
	struct obd_export		*sr_exp;
	struct lnet_conn			*sr_conn;
	const struct ptlrpc_handler	*sr_handler;
	struct ptlrpc_service		*sr_service;
	struct bio_vec			*sr_bulk;
	unsigned int			sr_bulk_nr;
	u32				sr_bulk_len;
	u64				sr_rep_handle;
	u64				sr_rep_committed;
	u32				sr_rep_op_flags;
	u64				sr_transno;
	struct bio_vec			*sr_rep_bulk;
	unsigned int			sr_rep_bulk_nr;
	u32				sr_rep_bulk_len;
	bool				sr_rep_bulk_owned;
	int				sr_status;
	u64				sr_arrival_ns;
	u64				sr_deadline_ns;

	refcount_t			sr_refcount;
	enum sr_state			sr_state;
	void				*sr_req_msg;
	struct svc_reply		*sr_reply;
	struct lnet_conn			*sr_reply_conn;
	struct lnet_tx			sr_tx;
	u32				sr_charge;
	enum lnet_lane			sr_lane;
	u64				sr_start_ns;
	u32				sr_early;
	struct list_head		sr_item;
	struct list_head		sr_export_item;
	u64				sr_hist_seq;
	struct reply_cache_entry	*sr_cached;
	unsigned int			sr_bulk_max;
	bool				sr_handled;
};

/* Most portals of a service. */
#define PTLRPC_SERVICE_PORTALS	4

/**
 * struct ptlrpc_service_conf - a service, declared
 * @psc_name: name, as real Lustre has it: ost, ost_io, mdt, mgs, ldlm_cbd
 * @psc_params: its directory in the tree: "ost.OSS.ost"
 * @psc_portals: portals, 0 after the last one
 * @psc_threads_min: initial threads
 * @psc_threads_max: most threads
 * @psc_handlers: operations; the type of an export's target may add some for
 *  its portals
 * @psc_handler_count: elements of @psc_handlers
 */
struct ptlrpc_service_conf {
	const char			*psc_name;
	const char			*psc_params;
	u16				psc_portals[PTLRPC_SERVICE_PORTALS];
	unsigned int			psc_threads_min;
	unsigned int			psc_threads_max;
	const struct ptlrpc_handler	*psc_handlers;
	size_t				psc_handler_count;
};

struct ptlrpc_service * __must_check
ptlrpc_register_service(const struct ptlrpc_service_conf *conf);
/* Stops taking requests and waits for the running ones. */
void ptlrpc_unregister_service(struct ptlrpc_service *svc);

/* For handlers. */

/*
 * Buffer @n of the reply. The first call allocates all buffers, of shd_rep_lens
 * or as set by ptlrpc_svc_rep_size(). NULL on allocation failure.
 */
void * __must_check ptlrpc_svc_rep_buf(struct ptlrpc_svc_req *sr, unsigned int n);
/*
 * Set the sizes of the reply's buffers, in place of shd_rep_lens. Return: 0,
 * -ENOMEM
 */
int ptlrpc_svc_rep_size(struct ptlrpc_svc_req *sr, const u32 *lens,
			unsigned int count);
/* NID of the client. */
const struct lnet_nid *ptlrpc_svc_nid(const struct ptlrpc_svc_req *sr);
/* Log a request that cannot be decoded; @fault is the reason. Return: -EPROTO */
int ptlrpc_svc_malformed(const struct ptlrpc_svc_req *sr, const char *fault);

#endif /* _LUSTRE_LITE_PTLRPC_SERVICE_H */
