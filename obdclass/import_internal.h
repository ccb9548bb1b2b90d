/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of imports have in common.
 */
#ifndef _IMPORT_INTERNAL_H
#define _IMPORT_INTERNAL_H

#include "obd_internal.h"

/* import_state.c */
unsigned int import_history(struct obd_import *imp,
			    struct import_state_hist *hist);

/* Who follows the import, or NULL. */
static inline const struct obd_import_ops *import_ops(const struct obd_import *imp)
{
	/* Pairs with the full barrier of who set it, of what the ops look at. */
	return smp_load_acquire(&imp->imp_ops);
}

/* Tell who follows the import that something changed. */
void import_changed(struct obd_import *imp);
void import_event_add(struct obd_import *imp, enum obd_import_event event);
void import_events_tell(struct obd_import *imp);

/* import_conn.c */
bool import_conn_begin(struct obd_import *imp, struct obd_uuid *server);
void import_conn_end(struct obd_import *imp, const struct lnet_nid *nid);
void import_conn_leave(struct obd_import *imp);
bool import_conn_prefer(struct obd_import *imp, const struct obd_uuid *uuid);
bool import_conn_is_current(struct obd_import *imp, const struct obd_uuid *uuid);
unsigned int import_conn_count(struct obd_import *imp);
bool import_conn_nth(struct obd_import *imp, unsigned int n,
		     struct obd_import_conn *copy);
void import_conns_free(struct obd_import *imp);
unsigned int import_server_nids(const struct obd_uuid *server,
				struct lnet_nid *nids);

static inline enum lustre_imp_state import_state(const struct obd_import *imp)
{
	return READ_ONCE(imp->imp_state);
}

/* FULL or IDLE: there is somebody to talk to. */
static inline bool import_is_connected(const struct obd_import *imp)
{
	return imp->imp_transport;
}

/*
 * import_connect.c. The caller tells the events afterwards, by import_events_tell() and
 * with no lock held.
 */
int import_open(struct obd_import *imp, const struct obd_connect_data *asked,
		struct obd_why *why);
int import_open_later(struct obd_import *imp,
		      const struct obd_connect_data *asked);
int import_close(struct obd_import *imp);

/* transport.c: the caller puts the transport's module. */
const struct obd_transport *obd_transport_find(const struct lnet_nid *nid);

/* client.c */
struct obd_device *client_watcher_get(struct client_obd *cli);

#endif /* _IMPORT_INTERNAL_H */
