/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations that the files of requests share.
 *
 * Locks, each taken inside of those before it: imp_rq_lock of the import or
 * cn_upper_lock of the connection, rq_lock of a request, set_lock of its set, and
 * that of the wait queue. A bucket of the table of xids is taken inside of none of
 * them, and none inside of it. All are taken in tasks only.
 */
#ifndef _PTLRPC_REQUEST_H
#define _PTLRPC_REQUEST_H

#include <linux/bits.h>

#include "rpc.h"

/* rq_events: events noted for the driver of a request. */
#define RQE_REPLY	BIT(0)	/* the reply has arrived, with all its bulk data */
#define RQE_NET_ERROR	BIT(2)	/* the connection ended, or refused the message */
#define RQE_IMPORT	BIT(3)	/* its import changed */
#define RQE_SLOT	BIT(4)	/* it was granted a slot */
#define RQE_REFUSED	BIT(5)	/* the other end accepts no such message */

/* Delay before a request is sent again to a busy server. */
#define RQ_RETRY_NS	NSEC_PER_SEC
/* Delay before a request is sent again whose reply had damaged bulk data. */
#define RQ_DAMAGED_NS	(NSEC_PER_SEC / 10)
/* Delay before memory for a reply is requested again. */
#define RQ_MEMORY_NS	(NSEC_PER_SEC / 10)
/* Period at which a request that waits for a connection looks for one. */
#define RQ_LOOK_NS	NSEC_PER_SEC
/* So long it waits before it is asked whether it is wanted. */
#define RQ_UNWANTED_NS	(5ULL * NSEC_PER_SEC)
/*
 * Limit for the rest of a reply, once its head has arrived: for each WIRE_BULK_DEFAULT of bulk
 * data.
 */
#define RQ_RECEIVE_NS	(30 * NSEC_PER_SEC)
/* Seconds that each WIRE_BULK_DEFAULT of bulk data after the first adds to the deadline. */
#define RQ_BULK_SEC	4
/* Limit for the time that one early reply asks for, seconds. */
#define RQ_EARLY_MAX	600

/**
 * struct ptlrpc_request_set - requests that are waited for together
 * @set_lock: guards @set_requests, @set_ready and @set_left; whether @set_ready is
 *	empty may be looked at without it, by a driver that is woken by additions
 * @set_requests: requests that are not RQ_COMPLETE, by rq_set_item, each
 *	referenced
 * @set_ready: those of them that something happened to, by rq_ready_item
 * @set_left: how many @set_requests has
 * @set_wq: where the driver sleeps
 * @set_abort: all end with this, a negative errno; or 0. The driver's, as is all
 *	below
 * @set_rpcs: requests in RQ_RPC
 * @set_look_ns: no deadline expires before this time
 * @set_conn: connection that was sent on last, referenced, or NULL
 * @set_waits: the driver sends and then waits, and does nothing else
 * @set_reads: it has the reader role of @set_conn
 * @set_poll: in @set_wq while ptlrpc_set_poll() has left the set without a driver
 * @set_poll_wq: runs @set_poll_work
 * @set_poll_work: calls ptlrpc_set_poll() again
 *
 * On the stack of ptlrpc_queue_wait(), or made by ptlrpc_set_new(), or a thread's.
 * A request points to its set until it is RQ_COMPLETE. A task that notes an event holds
 * rq_lock until it has woken the set, so the set may be freed as soon as the last request
 * has left it.
 */
struct ptlrpc_request_set {
	spinlock_t		set_lock;
	struct list_head	set_requests;
	struct list_head	set_ready;
	unsigned int		set_left;
	wait_queue_head_t	set_wq;
	int			set_abort;
	unsigned int		set_rpcs;
	u64			set_look_ns;
	struct lnet_conn		*set_conn;
	bool			set_waits;
	bool			set_reads;
	struct wait_queue_entry	set_poll;
	struct workqueue_struct	*set_poll_wq;
	struct delayed_work	*set_poll_work;
};

/**
 * struct import_view - state of an import at one moment
 * @iv_state: its state
 * @iv_generation: its generation
 * @iv_conn_cnt: number of its connect
 * @iv_flags: IMPF_*
 * @iv_handle: the target's cookie for this client
 * @iv_adopted: the other end made it, and connects it
 */
struct import_view {
	enum lustre_imp_state	iv_state;
	u32			iv_generation;
	u32			iv_conn_cnt;
	unsigned long		iv_flags;
	u64			iv_handle;
	bool			iv_adopted;
};

/* enum set_sleep - how a driver sleeps */
enum set_sleep {
	SET_KILLABLE,	/* a signal that kills the task ends the sleep */
	SET_FINAL,	/* uninterruptible: aborted requests end soon */
	SET_THREAD,	/* a kernel thread: kthread_should_stop() ends the sleep */
};

/* The connection that it goes out on, and whose slots it takes: constant. */
static inline enum lnet_lane request_lane(const struct ptlrpc_request *req)
{
	return req->rq_bulk_out || req->rq_bulk_in ? LNET_BULK : LNET_CONTROL;
}

/* Whether it ends the client's connection to the target. */
static inline bool request_is_disconnect(const struct ptlrpc_request *req)
{
	switch (req->rq_opc) {
	case OST_DISCONNECT:
	case MDS_DISCONNECT:
	case MGS_DISCONNECT:
		return true;
	default:
		return false;
	}
}

/* request.c */
void ptlrpc_set_phase(struct ptlrpc_request *req, enum rq_phase to);
void request_note(struct ptlrpc_request *req, unsigned long events);
void __request_note(struct ptlrpc_request *req, unsigned long events);
void request_leave_import(struct ptlrpc_request *req);
void request_renumber(struct ptlrpc_request *req);
u64 request_number(struct ptlrpc_request *req);

bool request_slot_get(struct ptlrpc_request *req);
void request_slots_changed(struct obd_import *imp);
void request_begin(struct ptlrpc_request *req);

/* request_bulk.c */
u32 request_bulk_more(const struct ptlrpc_request *req);

/* request_drive.c */
void request_drive(struct ptlrpc_request *req);

/* request_reply.c */
void xid_table_init(void);
void xid_table_exit(void);
void xid_insert(struct ptlrpc_request *req);
void xid_remove(struct ptlrpc_request *req);
bool request_reserve_reply(struct ptlrpc_request *req);
void request_forget_reply(struct ptlrpc_request *req);
bool request_try_forget_reply(struct ptlrpc_request *req);
void request_account_reply(struct ptlrpc_request *req);

/* request_set.c */
void request_set_init(struct ptlrpc_request_set *set);
void request_set_fini(struct ptlrpc_request_set *set);
void request_set_sleep(struct ptlrpc_request_set *set, enum set_sleep how);
void request_set_drain(struct ptlrpc_request_set *set, int rc);
void request_set_join(struct ptlrpc_request_set *set, struct ptlrpc_request *req);
void __request_set_wake(struct ptlrpc_request_set *set,
			struct ptlrpc_request *req);
void request_set_leave(struct ptlrpc_request *req);
void request_set_use_conn(struct ptlrpc_request_set *set, struct lnet_conn *conn);
void request_set_reader_end(struct ptlrpc_request_set *set);
void request_look_at(struct ptlrpc_request *req, u64 ns);

/* ptlrpcd.c */
void ptlrpcd_take(struct ptlrpc_request *req);
void request_left(struct ptlrpc_request *req);
void __request_left_end(struct ptlrpc_request *req);

#endif /* _PTLRPC_REQUEST_H */
