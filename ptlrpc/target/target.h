/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of targets have in common, and what the lock manager does for them.
 *
 *	target.c		the targets, what every one answers, their services
 *	connect.c		clients come and go
 *	recovery.c		a target that restarted; recovery_hold.c what waits
 *				meanwhile, recovery_order.c what goes on,
 *				recovery_params.c what is shown of it
 *	ping_evictor.c		clients that are not heard any more
 *	dir.c			targets over a directory
 */
#ifndef _PTLRPC_TARGET_INTERNAL_H
#define _PTLRPC_TARGET_INTERNAL_H

#include "../rpc/rpc.h"
#include "../service/service.h"

struct ldlm_namespace;
struct net;

/**
 * struct target_lock_ops - what targets ask of the lock manager
 * @tl_enqueue: a client asks a target for a lock: shd_fn of LDLM_ENQUEUE
 * @tl_export_gone: the client of an export is gone: so are its locks
 * @tl_namespace_new: make the namespace of a target. Return: it, or ERR_PTR
 * @tl_namespace_free: free that; NULL is fine
 */
struct target_lock_ops {
	int (*tl_enqueue)(struct ptlrpc_svc_req *sr);
	void (*tl_export_gone)(struct obd_export *exp);
	struct ldlm_namespace *(*tl_namespace_new)(struct obd_device *obd);
	void (*tl_namespace_free)(struct ldlm_namespace *ns);
};

extern const struct target_lock_ops *target_locks;

/* target.c: the target with that uuid in a namespace; OBD_REF_LOOKUP, or NULL. */
struct obd_device *target_find(struct net *net, const struct obd_uuid *uuid);
/*
 * The targets that are started, one after the other: NULL at first, and at the
 * end. Drops the reference on @obd, returns one.
 */
struct obd_device *target_next(struct obd_device *obd);

/* connect.c: handlers. */
void target_connect_init(void);
int target_handle_connect(struct ptlrpc_svc_req *sr);
int target_handle_disconnect(struct ptlrpc_svc_req *sr);
/* Part of an export; NULL on allocation failure. */
struct ptlrpc_export *ptlrpc_export_make(struct obd_export *exp);

/* recovery.c, recovery_hold.c: what services ask. */
extern const struct svc_recovery_ops target_recovery_ops;
/*
 * A client connects; @initial: it knows of nothing that it did before. Return:
 * MSG_CONNECT_REPLAYABLE and MSG_CONNECT_RECOVERING as they are to be in the
 * reply, or a negative errno: -EBUSY: it is new, and the target recovers.
 */
int target_recovery_connect(struct obd_device *obd,
			    const struct obd_uuid *client, bool initial);
void target_recovery_disconnect(struct obd_device *obd, struct obd_export *exp);
void target_recovery_free(struct obd_device *obd);
/* recovery_status and what else a target shows of it; by ptlrpc_target_start(). */
int target_recovery_params_add(struct obd_device *obd);
bool target_in_recovery(const struct obd_device *obd);

/* Each returns 0 or a negative errno; the exits undo. */
int ptlrpc_target_init(const struct target_lock_ops *locks);
void ptlrpc_target_exit(void);
int ping_evictor_init(void);
void ping_evictor_exit(void);

#endif /* _PTLRPC_TARGET_INTERNAL_H */
