/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A load of calls, which the task that asks for it drives.
 */
#ifndef _ECHO_LOAD_H
#define _ECHO_LOAD_H

#include <lustre_lite/ptlrpc.h>

#include "echo_internal.h"

struct echo_load;

/**
 * struct echo_call - room for one call at a time
 * @ca_item: in el_idle while there is none
 * @ca_load: load
 * @ca_start_ns: when it began
 * @ca_at: place of its bytes in the pattern
 * @ca_pages: READ: pages that it owns, or NULL
 * @ca_vec: READ and WRITE: parts of its bytes
 * @ca_bulk: them, for the request
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
 * struct echo_load - calls that are made for one who asks
 * @el_use: the way to the server
 * @el_et: what is asked for, and what came of it
 * @el_set: calls under way
 * @el_calls: room for et_inflight of them
 * @el_idle: those of @el_calls that are free
 * @el_begun: calls that were begun
 * @el_begin_ns: when the first was
 * @el_end_ns: when the last one may
 * @el_failing: one failed since that was looked at last
 *
 * All of it belongs to the task that drives the calls; they end there.
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
