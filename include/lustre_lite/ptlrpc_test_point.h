/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Points at which a KUnit case interferes: between a decision and the action
 * that follows it. The case sets a hook, which runs in the task that passes the
 * point and does what another CPU could do at that moment. Kernels without
 * KUnit have none of this.
 */
#ifndef _LUSTRE_LITE_PTLRPC_TEST_POINT_H
#define _LUSTRE_LITE_PTLRPC_TEST_POINT_H

#include <linux/compiler.h>
#include <linux/kconfig.h>

/* enum ptlrpc_test_point - the points; the object in parentheses */
enum ptlrpc_test_point {
	PTP_CANCEL_WORK,	/* ldlm_cancel_work() runs (the namespace) */
	PTP_LRU_SCAN,	/* the shrinker has chosen a namespace (the namespace) */
	PTP_LRU_WORK,	/* ldlm_lru_work() runs (the namespace) */
	PTP_LOCK_DROP,	/* a client's lock is about to be dropped (the lock) */
	PTP_LOCK_AST,	/* an AST is about to be sent (the lock) */
	PTP_LOCK_ANSWER,	/* the answer to an enqueue is about to be used (the lock) */
	PTP_LOCK_REPLAY,	/* a client's lock is about to be replayed (the lock) */
	PTP_REQUEST_MEMORY,	/* a request is allocated (bool: fail) */
	PTP_BULK_MEMORY,	/* parts of bulk data are allocated (size_t: bytes; 0: fail) */
	PTP_REPLY_MEMORY,	/* the buffer of a reply is allocated (bool: fail) */
	PTP_REQUEST_LOST,	/* a request is about to wait for the next connect (the request) */
	PTP_LOCK_NOTIFY,	/* the work of a lock was queued already (the lock) */
	PTP_READER_WATCH,	/* whether the reader reads in time (bool: it does) */
	PTP_CONN_OPEN,	/* the other end has said what it accepts (the struct lnet_conn) */
	PTP_TX_CRC,	/* a message goes out, its CRCs are computed (the struct lnet_tx) */
	PTP_SERVICE_MEMORY,	/* a service accepts a request (bool: no memory) */
	PTP_DISCONNECT,	/* a client that disconnects has its transactions on disk (the export) */
	PTP_DEV_INSERT,	/* a device of layouts is about to enter its table (the device) */
};

#if IS_ENABLED(CONFIG_KUNIT)
extern void (*ptlrpc_test_hook)(enum ptlrpc_test_point at, void *object);

static inline void ptlrpc_test_at(enum ptlrpc_test_point at, void *object)
{
	void (*hook)(enum ptlrpc_test_point at, void *object) =
		READ_ONCE(ptlrpc_test_hook);

	if (unlikely(hook))
		hook(at, object);
}
#else
static inline void ptlrpc_test_at(enum ptlrpc_test_point at, void *object)
{
}
#endif

#endif /* _LUSTRE_LITE_PTLRPC_TEST_POINT_H */
