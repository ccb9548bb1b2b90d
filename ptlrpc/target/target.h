/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of targets have in common.
 */
#ifndef _PTLRPC_TARGET_INTERNAL_H
#define _PTLRPC_TARGET_INTERNAL_H

#include "../rpc/rpc.h"

struct net;

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

#endif /* _PTLRPC_TARGET_INTERNAL_H */
