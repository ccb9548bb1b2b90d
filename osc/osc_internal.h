/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Internals of osc.ko.
 *
 *	osc_obd.c	the device: settings, setup and cleanup
 *	osc_request.c	requests: objects, reads and writes
 *	osc_stats.c	statistics of reads and writes
 *	osc_grant.c	grant: what requests say of it, asking for it, giving it back
 */
#ifndef _OSC_INTERNAL_H
#define _OSC_INTERNAL_H

#include <linux/atomic.h>
#include <linux/refcount.h>

#include <lustre_lite/lustre_ost.h>
#include <lustre_lite/obd_client.h>
#include <lustre_lite/ost_grant.h>
#include <lustre_lite/ost_writes.h>
#include <lustre_lite/ptlrpc.h>

struct osc_stats;
struct params_sink;

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
 * @osc_stats: statistics of reads and writes
 * @osc_grant: grant of its import
 * @osc_grant_work: gives back what is not used, and reports what the target may not know of
 * @osc_grant_takes: gr_takes when @osc_grant_work looked last
 * @osc_grant_used: when it saw a charge last, ktime_get_ns()
 * @osc_resend_count: most resends of a request
 * @osc_contention: nanoseconds
 * @osc_lockless_truncate: truncate without a lock of the client
 */
struct osc_device {
	struct client_obd	osc_cli;
	struct client_io	osc_io;
	struct osc_unstable	*osc_unstable;
	struct osc_stats	*osc_stats;
	struct ost_grant	*osc_grant;
	struct delayed_work	osc_grant_work;
	u64			osc_grant_takes;
	u64			osc_grant_used;
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
struct ptlrpc_request *osc_request(struct obd_export *exp, const struct ost_op *op,
				   const struct ptlrpc_bulk *bulk, struct ost_writes *writes);
int osc_reply(const struct ptlrpc_request *req, struct ost_reply *rep);
int osc_settle(struct obd_export *exp, const struct lu_fid *object, bool killable);
int osc_call(struct obd_export *exp, const struct ost_op *op, struct ost_reply *rep);

/* osc_stats.c */
struct osc_stats * __must_check osc_stats_new(void);
void osc_stats_put(struct osc_stats *stats);
struct osc_stats *osc_stats_begin(struct osc_stats *stats, bool is_write, u64 pos, u32 len);
void osc_stats_end(struct osc_stats *stats, bool is_write, const struct ptlrpc_request *req);
int osc_stats_read(struct params_sink *sink, void *data);
int osc_stats_write(const char *text, size_t len, void *data);

/* osc_grant.c */
struct ost_grant *osc_grant(struct obd_export *exp);
bool osc_grant_ask(struct obd_export *exp);
u64 osc_grant_allocate(struct osc_device *osc, struct ptlrpc_request *req, const struct ost_op *op);
void osc_grant_claim(const struct osc_device *osc, struct ost_claim *claim);
int osc_grant_init(struct osc_device *osc);
void osc_grant_start(struct osc_device *osc);
void osc_grant_stop(struct osc_device *osc);

#endif /* _OSC_INTERNAL_H */
