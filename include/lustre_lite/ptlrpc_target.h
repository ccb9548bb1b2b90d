/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Targets: devices that clients on other nodes connect to. ptlrpc handles
 * connect, disconnect, ping, statfs, get_info and set_info through the device's
 * obd_ops. A type of targets declares further operations in a struct
 * ptlrpc_target_ops (obd_type.typ_target).
 *
 * A target that stores its transactions on disk passes the last one and the
 * known clients when it is set up. It is in recovery until all of these clients
 * have reconnected and replayed, or the recovery time is over; see
 * ptlrpc/target/recovery.c.
 */
#ifndef _LUSTRE_LITE_PTLRPC_TARGET_H
#define _LUSTRE_LITE_PTLRPC_TARGET_H

#include <lustre_lite/ptlrpc_service.h>

struct obd_why;
struct target_recovery;

/**
 * struct ptlrpc_target_ops - operations of a type of targets over the wire
 * @to_handlers: operations besides the common ones; searched before those
 * @to_handler_count: elements of @to_handlers
 * @to_last_committed: last transaction that survives a restart; or NULL
 * @to_client_new: an unknown client connects: store it, so that it is known
 *  after a restart; or NULL. An error refuses the connect
 * @to_client_gone: it disconnected, or was evicted; or NULL
 */
struct ptlrpc_target_ops {
	const struct ptlrpc_handler	*to_handlers;
	size_t				to_handler_count;
	u64 (*to_last_committed)(struct obd_device *obd);
	int (*to_client_new)(struct obd_device *obd,
			     const struct obd_uuid *client);
	void (*to_client_gone)(struct obd_device *obd,
			       const struct obd_uuid *client);
};

/*
 * Last step of a target's o_setup, reverted first in o_precleanup: the node
 * listens in the device's network namespace, and requests find the target.
 */
int ptlrpc_target_start(struct obd_device *obd, struct obd_why *why);
void ptlrpc_target_stop(struct obd_device *obd);

/* Reduces @ocd to the supported @flags and stores it in the export. */
void ptlrpc_target_grant(struct obd_export *exp, struct obd_connect_data *ocd, u64 flags);

/* Silence after which a client is evicted, seconds. */
unsigned int ptlrpc_evict_seconds(void);

/*
 * Before ptlrpc_target_start(): the target restarted, knew @clients, and has
 * @last_transno on disk. From then to the end of recovery only replays and
 * operations with SVH_RECOVERY are handled; other requests wait.
 */
int ptlrpc_target_recover(struct obd_device *obd, const struct obd_uuid *clients,
			  unsigned int count, u64 last_transno);

#endif /* _LUSTRE_LITE_PTLRPC_TARGET_H */
