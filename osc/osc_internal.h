/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Internals of osc.ko.
 *
 *	osc_obd.c	the device: settings, setup and cleanup
 *	osc_request.c	requests: objects, reads and writes
 */
#ifndef _OSC_INTERNAL_H
#define _OSC_INTERNAL_H

#include <linux/atomic.h>
#include <linux/refcount.h>

#include <lustre_lite/lustre_ost.h>
#include <lustre_lite/obd_client.h>
#include <lustre_lite/ost_writes.h>
#include <lustre_lite/ptlrpc.h>

/**
 * struct osc_unstable - bytes that the target has answered, and not on disk yet
 * @ou_refcount: held by the device, and by each write until it is on disk
 * @ou_bytes: how many
 */
struct osc_unstable {
	refcount_t	ou_refcount;
	atomic64_t	ou_bytes;
};

/**
 * struct osc_device - a device of type osc
 * @osc_cli: common part of client devices
 * @osc_io: settings of the data path
 * @osc_unstable: written bytes that are not on disk
 * @osc_keep: bytes that may be written later, as the target has said
 * @osc_keep_known: the target was asked, or has said it
 * @osc_resend_count: most resends of a request
 * @osc_contention: nanoseconds
 * @osc_lockless_truncate: truncate without a lock of the client
 */
struct osc_device {
	struct client_obd	osc_cli;
	struct client_io	osc_io;
	struct osc_unstable	*osc_unstable;
	u64			osc_keep;
	bool			osc_keep_known;
	u32			osc_resend_count;
	u64			osc_contention;
	bool			osc_lockless_truncate;
};

static inline struct osc_device *osc_device(const struct obd_device *obd)
{
	return obd->obd_data;
}

/* osc_request.c */
struct osc_unstable * __must_check osc_unstable_new(void);
void osc_unstable_put(struct osc_unstable *unstable);
u32 osc_rpc_bytes(struct obd_export *exp);
bool osc_may_keep(struct obd_export *exp, u64 bytes);
struct ptlrpc_request *osc_request(struct obd_export *exp, const struct ost_op *op,
				   const struct ptlrpc_bulk *bulk, struct ost_writes *writes);
int osc_reply(const struct ptlrpc_request *req, struct ost_reply *rep);
int osc_call(struct obd_export *exp, const struct ost_op *op, struct ost_reply *rep);

#endif /* _OSC_INTERNAL_H */
