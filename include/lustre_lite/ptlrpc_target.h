/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Targets: devices that clients on other nodes connect to. ptlrpc handles
 * connect, disconnect, ping, statfs, get_info and set_info through the device's
 * obd_ops. A type of targets declares further operations in a struct
 * ptlrpc_target_ops (obd_type.typ_target).
 *
 * A target that stores its transactions on disk calls tgt_init() (lu_target.h). After a
 * restart it is in recovery until all clients of before have reconnected and replayed, or
 * the recovery time is over; see ptlrpc/target/recovery.c.
 */
#ifndef _LUSTRE_LITE_PTLRPC_TARGET_H
#define _LUSTRE_LITE_PTLRPC_TARGET_H

#include <lustre_lite/ptlrpc_service.h>

struct obd_why;

/**
 * struct ptlrpc_target_ops - operations of a type of targets over the wire
 * @to_handlers: operations besides the common ones; searched before those
 * @to_handler_count: elements of @to_handlers
 * @to_client_gone: an export of a client ended for good: it disconnected, or was evicted, or
 *  did not come back after a restart. It may have connected again meanwhile. Or NULL
 * @to_recovered: recovery has ended: no replay comes any more. Once in each start, by a work; or by
 *  ptlrpc_target_start(), if no client is waited for. Not for a target that stops before. Or NULL
 */
struct ptlrpc_target_ops {
	const struct ptlrpc_handler	*to_handlers;
	size_t				to_handler_count;
	void (*to_client_gone)(struct obd_device *obd,
			       const struct obd_uuid *client);
	void (*to_recovered)(struct obd_device *obd);
};

/*
 * Last step of a target's o_setup, reverted first in o_precleanup: the node
 * listens in the device's network namespace, and requests find the target.
 */
int ptlrpc_target_start(struct obd_device *obd, struct obd_why *why);
void ptlrpc_target_stop(struct obd_device *obd);

/* Reduces @ocd to the supported @flags and stores it in the export. */
void ptlrpc_target_grant(struct obd_export *exp, struct obd_connect_data *ocd, u64 flags);

/* Whether it waits for its clients of before a restart. Any context. */
bool target_in_recovery(const struct obd_device *obd);
bool target_recovery_lost(const struct obd_device *obd);

/* Silence after which a client is evicted, seconds. */
unsigned int ptlrpc_evict_seconds(void);

#endif /* _LUSTRE_LITE_PTLRPC_TARGET_H */
