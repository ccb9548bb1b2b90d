/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common definitions of targets, and the interface to the lock manager.
 *
 *	target.c	the list of targets, their common operations, their services
 *	connect.c	connects and disconnects
 *	recovery.c	a restarted target; recovery_hold.c held requests,
 *			recovery_order.c order of replays, recovery_params.c
 *	trans.c		transactions and their commit; clients.c clients on disk,
 *			last_rcvd.c their format
 *	ping_evictor.c	eviction of silent clients
 *	dir.c		targets with a backend directory
 */
#ifndef _PTLRPC_TARGET_INTERNAL_H
#define _PTLRPC_TARGET_INTERNAL_H

#include <lustre_lite/lu_target.h>

#include "../rpc/rpc.h"
#include "../service/service.h"

struct ldlm_namespace;
struct net;

/**
 * struct target_lock_ops - operations of the lock manager for targets
 * @tlo_enqueue: handler of LDLM_ENQUEUE: shd_fn
 * @tlo_enqueue_waits: shd_waits of it
 * @tlo_export_gone: drop the locks of a client that has disconnected
 * @tlo_namespace_new: create the namespace of a target. Return: it, or ERR_PTR
 * @tlo_namespace_free: free it; may be NULL
 */
struct target_lock_ops {
	int (*tlo_enqueue)(struct ptlrpc_svc_req *sr);
	bool (*tlo_enqueue_waits)(const struct ptlrpc_svc_req *sr);
	void (*tlo_export_gone)(struct obd_export *exp);
	struct ldlm_namespace *(*tlo_namespace_new)(struct obd_device *obd);
	void (*tlo_namespace_free)(struct ldlm_namespace *ns);
};

extern const struct target_lock_ops *target_locks;

/* target.c: the target with that uuid in a namespace; OBD_REF_LOOKUP, or NULL. */
struct obd_device *target_find(struct net *net, const struct obd_uuid *uuid);
/*
 * Iterate over the started targets: NULL at the start and at the end. Drops the reference on @obd,
 * returns one.
 */
struct obd_device *target_next(struct obd_device *obd);

/* connect.c: handlers. */
void target_connect_init(void);
int target_handle_connect(struct ptlrpc_svc_req *sr);
int target_handle_disconnect(struct ptlrpc_svc_req *sr);
/* Part of an export; NULL on allocation failure. */
struct ptlrpc_export *ptlrpc_export_make(struct obd_export *exp);

/* recovery_hold.c: operations for services. */
extern const struct svc_recovery_ops target_recovery_ops;
/*
 * A client connects; @initial: it remembers no earlier connection. Return:
 * MSG_CONNECT_REPLAYABLE and MSG_CONNECT_RECOVERING for the reply, or a
 * negative errno: -EBUSY: it is new, and the target is in recovery.
 */
int target_recovery_connect(struct obd_device *obd,
			    const struct obd_uuid *client, bool initial);
/*
 * Before ptlrpc_target_start(): the target restarted, knew @clients, and has
 * @last_transno on disk. From then to the end of recovery only replays and
 * operations with SVH_RECOVERY are handled; other requests wait.
 */
int target_recovery_start(struct obd_device *obd, const struct obd_uuid *clients,
			  unsigned int count, u64 last_transno);
void target_recovery_disconnect(struct obd_device *obd, struct obd_export *exp);
void target_recovery_free(struct obd_device *obd);
/* No recovery has been running since @time, ktime_get_seconds(). */
bool target_recovered_before(const struct obd_device *obd, time64_t time);
void target_recovered(struct obd_device *obd);
/* recovery_status and further parameters; by ptlrpc_target_start(). */
int target_recovery_params_add(struct obd_device *obd);

/*
 * trans.c: 0; -EROFS or -EIO: a change was refused as the file system is read-only or has shut
 * down. Any context.
 */
int tgt_refused(const struct obd_device *obd);
/* clients.c: 0, or the negative errno of a read from the directory. Sleeps for the disk. */
int tgt_read_error(const struct obd_device *obd);

/* clients.c: a client connects to a target with transactions; one of its exports ends. */
int tgt_client_add(struct obd_device *obd, const struct obd_uuid *uuid);
void tgt_client_del(struct obd_device *obd, const struct obd_uuid *uuid);

/* Each returns 0 or a negative errno; the exits undo. */
int tgt_trans_init(void);
void tgt_trans_exit(void);
int ptlrpc_target_init(const struct target_lock_ops *locks);
void ptlrpc_target_exit(void);
/* Evict the clients that have been silent for @seconds. Return: how many. May sleep. */
unsigned int target_evict_silent(struct obd_device *obd, unsigned int seconds);
int ping_evictor_init(void);
void ping_evictor_exit(void);

#endif /* _PTLRPC_TARGET_INTERNAL_H */
