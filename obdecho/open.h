/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects that an echo client has open. */
#ifndef _ECHO_OPEN_H
#define _ECHO_OPEN_H

#include <linux/refcount.h>
#include <linux/spinlock.h>

#include <lustre_lite/ptlrpc.h>

#include "echo_internal.h"

/**
 * struct echo_opens - objects that a client has open
 * @eop_refcount: held by the client, by loads and by each struct echo_open
 * @eop_lock: guards what follows, and struct echo_open
 * @eop_list: struct echo_open that can be closed
 * @eop_count: their number
 * @eop_lost: opens that were lost with the server
 */
struct echo_opens {
	refcount_t		eop_refcount;
	spinlock_t		eop_lock;
	struct list_head	eop_list;
	u64			eop_count;
	u64			eop_lost;
};

struct echo_opens * __must_check echo_opens_new(void);
void echo_opens_put(struct echo_opens *opens);
/* Forget all, without a close. May sleep. */
void echo_opens_drop(struct echo_opens *opens);

/* A request that opens or closes an object; an ERR_PTR or NULL on failure. */
struct ptlrpc_request *echo_open_request(struct echo_opens *opens, struct obd_import *imp,
					 u64 object);
struct ptlrpc_request *echo_close_request(struct echo_opens *opens, struct obd_import *imp);
/* rq_interpret of an open. */
int echo_open_done(struct ptlrpc_request *req);

#endif /* _ECHO_OPEN_H */
