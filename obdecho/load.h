/* SPDX-License-Identifier: GPL-2.0 */
/* A load of calls, driven by the requesting task. */
#ifndef _ECHO_LOAD_H
#define _ECHO_LOAD_H

#include <lustre_lite/ptlrpc.h>

#include "echo_internal.h"

struct echo_load;

/**
 * struct echo_call - one of the concurrent calls
 * @ca_item: in el_idle while there is none
 * @ca_load: load
 * @ca_start_ns: its start
 * @ca_at: position of its bytes in the pattern
 * @ca_pages: READ: pages that it owns, or NULL
 * @ca_vec: READ and WRITE: parts of its bytes
 * @ca_bulk: the parts, for the request
 */
struct echo_call {
	struct list_head	ca_item;
	struct echo_load	*ca_load;
	u64			ca_start_ns;
	u32			ca_at;
	struct page		**ca_pages;
	struct bio_vec		*ca_vec;
	struct ptlrpc_bulk	ca_bulk;
};

/**
 * struct echo_load - a load of calls
 * @el_use: connection to the server
 * @el_et: options and results
 * @el_set: calls in flight
 * @el_calls: et_inflight calls
 * @el_idle: idle ones of @el_calls
 * @el_begun: calls started
 * @el_begin_ns: start of the first one
 * @el_end_ns: no call starts after this
 * @el_failing: a call has failed since the last test
 *
 * Owned by the task that drives the calls; they end there.
 */
struct echo_load {
	const struct echo_use		*el_use;
	struct ll_rpc_ioc_echo		*el_et;
	struct ptlrpc_request_set	*el_set;
	struct echo_call		*el_calls;
	struct list_head		el_idle;
	u64				el_begun;
	u64				el_begin_ns;
	u64				el_end_ns;
	bool				el_failing;
};

/* load.c */
void echo_load_note(struct echo_load *load, u64 start_ns, int rc);

/* load_call.c */
int echo_calls_alloc(struct echo_load *load);
void echo_calls_free(struct echo_load *load);
int echo_call_begin(struct echo_call *call);
int echo_call_direct(struct echo_load *load);
int echo_call_lock(struct echo_load *load);

#endif /* _ECHO_LOAD_H */
