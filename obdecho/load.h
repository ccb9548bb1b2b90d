/* SPDX-License-Identifier: GPL-2.0-only */
/* A load of calls, driven by the requesting task. */
#ifndef _ECHO_LOAD_H
#define _ECHO_LOAD_H

#include <lustre_lite/ptlrpc.h>

#include "unstable.h"

struct echo_load;

/**
 * struct echo_call - one of the concurrent calls
 * @ecc_item: in eld_idle while there is none
 * @ecc_load: load
 * @ecc_start_ns: its start
 * @ecc_at: position of its bytes in the pattern
 * @ecc_pages: READ: pages that it owns, or NULL
 * @ecc_vec: READ and WRITE: parts of its bytes
 * @ecc_bulk: the parts, for the request; not of an unstable write, which has its own
 */
struct echo_call {
	struct list_head	ecc_item;
	struct echo_load	*ecc_load;
	u64			ecc_start_ns;
	u32			ecc_at;
	struct page		**ecc_pages;
	struct bio_vec		*ecc_vec;
	struct ptlrpc_bulk	ecc_bulk;
};

/**
 * struct echo_load - a load of calls
 * @eld_use: connection to the server
 * @eld_et: options and results
 * @eld_set: calls in flight
 * @eld_calls: et_inflight calls
 * @eld_idle: idle ones of @eld_calls
 * @eld_begun: calls started
 * @eld_begin_ns: start of the first one
 * @eld_end_ns: no call starts after this
 * @eld_failing: a call has failed since the last test
 *
 * Owned by the task that drives the calls; they end there.
 */
struct echo_load {
	const struct echo_use		*eld_use;
	struct ll_rpc_ioc_echo		*eld_et;
	struct ptlrpc_request_set	*eld_set;
	struct echo_call		*eld_calls;
	struct list_head		eld_idle;
	u64				eld_begun;
	u64				eld_begin_ns;
	u64				eld_end_ns;
	bool				eld_failing;
};

/* Callers of earlier versions have locks of one type only. */
static inline u32 echo_lock_type(const struct ll_rpc_ioc_echo *et)
{
	return et->et_type ?: LDLM_PLAIN;
}

/* load.c */
void echo_load_note(struct echo_load *load, u64 start_ns, int rc);

/* load_call.c */
int echo_calls_alloc(struct echo_load *load);
void echo_calls_free(struct echo_load *load);
int echo_call_begin(struct echo_call *call);
int echo_call_sync(struct echo_load *load);
int echo_call_direct(struct echo_load *load);

/* load_lock.c */
int echo_call_own_lock(struct echo_load *load);
int echo_call_lock(struct echo_load *load);
int echo_call_glimpse(struct echo_load *load);
int echo_call_getattr(struct echo_load *load);
int echo_call_flock(struct echo_load *load);

/* load_object.c */
int echo_call_destroy(struct echo_load *load);
int echo_call_punch(struct echo_load *load);

#endif /* _ECHO_LOAD_H */
