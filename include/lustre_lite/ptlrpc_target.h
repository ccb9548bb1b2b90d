/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Targets: devices that clients on other nodes connect to. Connect, disconnect,
 * ping, statfs, get_info and set_info are answered by ptlrpc, through the
 * device's obd_ops; what else a type of targets can do over the wire it says in
 * a struct ptlrpc_target_ops (obd_type.typ_target).
 *
 * A target that keeps its transactions on disk says so when it is set up, and
 * which clients it knew then. It is in recovery until all of those have come
 * back and have replayed, or its time is over; see ptlrpc/target/recovery.c.
 */
#ifndef _LUSTRE_LITE_PTLRPC_TARGET_H
#define _LUSTRE_LITE_PTLRPC_TARGET_H

#include <lustre_lite/ptlrpc_service.h>

struct obd_why;
struct target_recovery;

/**
 * struct ptlrpc_target_ops - what a type of targets can do over the wire
 * @to_handlers: operations besides the common ones; looked at before those
 * @to_handler_count: how many
 * @to_last_committed: last transaction that a restart does not lose; or NULL
 * @to_client_new: a client that is not known yet connects: write it down, so
 *	that it is known after a restart; or NULL. May fail, then it is refused
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
 * What o_setup of a target does last, and o_precleanup first: the node listens
 * in the device's network namespace, and requests find the target.
 */
int ptlrpc_target_start(struct obd_device *obd, struct obd_why *why);
void ptlrpc_target_stop(struct obd_device *obd);

/* How long a client may be silent before it is evicted. */
unsigned int ptlrpc_evict_seconds(void);

/*
 * Before ptlrpc_target_start(): the target restarted, knew @clients, and has
 * @last_transno on disk. Between the two and the end of recovery only replays and
 * what has SVH_RECOVERY is answered; other requests wait.
 */
int ptlrpc_target_recover(struct obd_device *obd, const struct obd_uuid *clients,
			  unsigned int count, u64 last_transno);

#endif /* _LUSTRE_LITE_PTLRPC_TARGET_H */
