/* SPDX-License-Identifier: GPL-2.0-only */
/* Unstable writes of an echo client. */
#ifndef _ECHO_UNSTABLE_H
#define _ECHO_UNSTABLE_H

#include <linux/atomic.h>
#include <linux/refcount.h>

#include <lustre_lite/ptlrpc.h>

#include "echo_internal.h"

/* At so many bytes the client has the server write to disk before it sends more. */
#define ECHO_UNSTABLE_MAX	(64 << 20)

/**
 * struct echo_unstable - account of a client
 * @eun_refcount: held by the client and by each unstable write
 * @eun_bytes: bytes kept
 * @eun_lost: writes that failed, or that were answered and lost with the server
 */
struct echo_unstable {
	refcount_t	eun_refcount;
	atomic64_t	eun_bytes;
	atomic64_t	eun_lost;
};

struct echo_unstable * __must_check echo_unstable_new(void);
void echo_unstable_put(struct echo_unstable *eun);
const struct ptlrpc_bulk *echo_write_new(struct echo_unstable *eun, u32 at, u32 size);
void echo_write_committed(struct ptlrpc_request *req, int rc);

#endif /* _ECHO_UNSTABLE_H */
