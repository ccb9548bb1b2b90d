/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Services: who answers the requests that come to a portal.
 *
 * A request's life at the server:
 *
 *	           checked, its export found       a thread takes it, or
 *	 message                                   the reader itself (SVH_QUICK)
 *	---------> SR_NEW --------------> SR_QUEUED ------------------> SR_RUNNING
 *	             |                       | ^                            |   |
 *	             | not wanted   too late | +----------------------------+   |
 *	             v                       v   kept until the target has      | replied
 *	          SR_DONE <------------------+   recovered                      v
 *	             ^------------------------------------------------ SR_REPLYING
 *	                                  the reply went out, or cannot
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
 * Waits for no peer, no disk, and no lock for long: the reader of the connection
 * may run it.
 */
#define SVH_QUICK	0x02
#define SVH_HIGH	0x04	/* goes before others: what lets others go on */
/*
 * Not to be done twice: its reply is kept until the client has it, and has no bulk
 * data.
 */
#define SVH_ONCE	0x08
#define SVH_BULK_IN	0x10	/* may come with bulk data */
#define SVH_RECOVERY	0x20	/* answered while the target recovers, too */

/**
 * struct ptlrpc_handler - an operation of a service
 * @shd_opc: operation
 * @shd_portal: portal that it is accepted at, of an operation of a type of targets; those
 *	of a service are accepted at its portals, and have 0
 * @shd_flags: SVH_*
 * @shd_req_lens: least bytes of each buffer of the request; behind the last one 0
 * @shd_rep_lens: bytes of each buffer of the reply as it is at first; likewise
 * @shd_rep_bulk: bytes of bulk data that the reply may have, as the request asks for;
 *	NULL: none. Called before the request is taken, for the limits of memory. Any
 *	context
 * @shd_fn: does it. Return: 0 or a negative errno, the status of the reply
 */
struct ptlrpc_handler {
	u32	shd_opc;
	u16	shd_portal;
	u32	shd_flags;
	u32	shd_req_lens[WIRE_MSG_BUFS_MAX + 1];
	u32	shd_rep_lens[WIRE_MSG_BUFS_MAX + 1];
	u32	(*shd_rep_bulk)(const struct wire_msg *msg);
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
 * @sr_rep_op_flags: lm_op_flags of the reply
 * @sr_transno: transaction that this was, 0 for none
 * @sr_rep_bulk: bulk data of the reply, or NULL. Its pages are referenced by this
 *	until SR_DONE, when each is put and the array, which is kvmalloc()ed, freed,
 *	where sr_rep_bulk_owned; else they are the handler's, and stay for good
 * @sr_rep_bulk_nr: parts
 * @sr_rep_bulk_len: bytes
 * @sr_rep_bulk_owned: see @sr_rep_bulk
 * @sr_status: of the reply
 * @sr_arrival_ns: when it came, ktime_get_ns()
 * @sr_deadline_ns: when the client gives it up, or asks again
 *
 * The service's:
 * @sr_refcount: references
 * @sr_state: enum sr_state, changed by svc_req_move() only
 * @sr_req_msg: the message
 * @sr_reply: the reply, referenced, or NULL while there is none
 * @sr_reply_conn: connection that the reply goes out on, referenced: @sr_conn, or
 *	that of a copy of the request that came later. Guarded by pe_lock of @sr_exp
 *	where there is one
 * @sr_tx: the reply on its way out
 * @sr_charge: bytes that @sr_conn is charged for (lnet_peer_charge())
 * @sr_start_ns: when it began to be worked on
 * @sr_early: early replies that were sent
 * @sr_item: in the queue, or with those that are worked on, under svc_lock
 * @sr_export_item: in pe_requests of @sr_exp, under pe_lock
 * @sr_hist_seq: number in the history
 * @sr_cached: where its reply will be kept, or NULL
 * @sr_bulk_room: parts that @sr_bulk has room for
 * @sr_handled: its handler was called
 *
 * Made by the reader of the connection. Held by: whoever has to answer it, which
 * is one at a time - the reader, the queue, a thread, the target's recovery, the
 * network that sends the reply; the thread that runs its handler; who sends an early
 * reply. Whoever drops the last reference frees it.
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
	u64				sr_start_ns;
	u32				sr_early;
	struct list_head		sr_item;
	struct list_head		sr_export_item;
	u64				sr_hist_seq;
	struct reply_cache_entry	*sr_cached;
	unsigned int			sr_bulk_room;
	bool				sr_handled;
};

/* Most portals of a service. */
#define PTLRPC_SERVICE_PORTALS	4

/**
 * struct ptlrpc_service_conf - a service, declared
 * @psc_name: name, as real Lustre has it: ost, ost_io, mdt, mgs, ldlm_cbd
 * @psc_params: its directory in the tree: "ost.OSS.ost"
 * @psc_portals: portals that it answers, 0 behind the last one
 * @psc_threads_min: threads at first
 * @psc_threads_max: most threads
 * @psc_handlers: operations; an export's target may have further ones for its portals
 * @psc_handler_count: how many
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
/* No request is taken any more, those that are worked on are waited for. */
void ptlrpc_unregister_service(struct ptlrpc_service *svc);

/*
 * For handlers.
 */

/*
 * Buffer @n of the reply; the first call of any makes it, of shd_rep_lens, or of
 * what ptlrpc_svc_rep_size() said before. NULL: no memory.
 */
void * __must_check ptlrpc_svc_rep_buf(struct ptlrpc_svc_req *sr, unsigned int n);
/* Bytes of the buffers of the reply, other than shd_rep_lens. Return: 0, -ENOMEM */
int ptlrpc_svc_rep_size(struct ptlrpc_svc_req *sr, const u32 *lens,
			unsigned int count);
/* NID of the client. */
const struct lnet_nid *ptlrpc_svc_nid(const struct ptlrpc_svc_req *sr);

#endif /* _LUSTRE_LITE_PTLRPC_SERVICE_H */
