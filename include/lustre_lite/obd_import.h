/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Imports: a device's end of its connection to a target elsewhere.
 *
 *	NEW -> CONNECTING -> FULL <-> IDLE
 *	          ^  |         |
 *	          |  v         v
 *	        DISCON <-------+      EVICTED -> RECOVER -> FULL
 *
 * import_set_state() knows every legal move, also those of replay that a
 * transport makes. How bytes get to the other side is the business of an
 * obd_transport: one for targets in this kernel is built in.
 */
#ifndef _LUSTRE_LITE_OBD_IMPORT_H
#define _LUSTRE_LITE_OBD_IMPORT_H

#include <linux/mutex.h>

#include <lustre_lite/handle.h>
#include <lustre_lite/nid.h>
#include <lustre_lite/obd.h>

#define IMP_STATE_HIST_LEN	16

/* imp_flags, bit numbers; the names shown are real Lustre's */
#define IMPF_INVALID		0
#define IMPF_DEACTIVE		1
#define IMPF_REPLAYABLE		2
#define IMPF_PINGABLE		3
#define IMPF_CONNECT_TRIED	4
#define IMPF_NO_PINGER_RECOVER	5

/**
 * struct import_state_hist - a state that an import was in
 * @ish_state: state
 * @ish_time: when it began, seconds since 1970
 */
struct import_state_hist {
	enum lustre_imp_state	ish_state;
	time64_t		ish_time;
};

/**
 * struct obd_import_conn - a server that an import may connect to
 * @oic_item: in imp_conn_list, in the order of priority
 * @oic_uuid: name of the server, which the uuid list leads from to NIDs
 * @oic_attempts: connects tried
 * @oic_replied: connects that were answered
 * @oic_last_attempt: seconds since boot, 0 for never
 * @oic_uptodate: the last attempt was answered
 */
struct obd_import_conn {
	struct list_head	oic_item;
	struct obd_uuid		oic_uuid;
	u32			oic_attempts;
	u32			oic_replied;
	time64_t		oic_last_attempt;
	bool			oic_uptodate;
};

/**
 * struct obd_transport - a way to reach targets
 * @tr_name: for messages
 * @tr_owner: module, pinned while an import is connected
 * @tr_reaches: whether it leads to that NID
 * @tr_connect: connect @imp to its target at @nid. @ocd in: wanted, out:
 *	granted. @remote out: the target's cookie for us. imp_peer is the
 *	transport's. May sleep
 * @tr_disconnect: end what @tr_connect began; @failed: the peer is gone
 * @tr_statfs, @tr_get_info, @tr_set_info: the operation at the target
 */
struct obd_transport {
	const char	*tr_name;
	struct module	*tr_owner;
	bool (*tr_reaches)(const struct ll_nid *nid);
	int (*tr_connect)(struct obd_import *imp, const struct ll_nid *nid,
			  struct obd_connect_data *ocd,
			  struct lustre_handle *remote);
	void (*tr_disconnect)(struct obd_import *imp, bool failed);
	int (*tr_statfs)(struct obd_import *imp, struct obd_statfs *st,
			 u64 max_age);
	int (*tr_get_info)(struct obd_import *imp, const char *key, void *val,
			   u32 *vallen);
	int (*tr_set_info)(struct obd_import *imp, const char *key,
			   const void *val, u32 vallen);
	struct list_head tr_list;	/* obdclass's */
};

/**
 * struct obd_import - an import
 * @imp_handle: cookie
 * @imp_refcount: references
 * @imp_obd: device, referenced
 * @imp_target_uuid: target
 * @imp_connect_mutex: one connect, disconnect or change of servers at a time
 * @imp_lock: guards what follows up to @imp_hist
 * @imp_state: state, changed by import_set_state() only
 * @imp_flags: IMPF_*, bit operations
 * @imp_generation: rises with every invalidation; requests of an older one fail
 * @imp_conn_cnt: connects tried
 * @imp_conn_list: servers
 * @imp_conn_current: the one connected or connecting to, or NULL
 * @imp_conn_nid: its NID that is in use; nid_len 0 for none
 * @imp_connect_data: what was agreed on, and before that is asked for
 * @imp_remote_handle: the target's cookie for us
 * @imp_hist_next: next place in @imp_hist
 * @imp_hist: states, a ring
 * @imp_inval_count: invalidations under way
 * @imp_transport: in use, or NULL; guarded by @imp_connect_mutex
 * @imp_peer: the transport's
 * @imp_last_reply_time: seconds since boot
 * @imp_zombie_work: frees it
 * @imp_rcu: freed after a grace period
 *
 * Held by: its device (client_obd), or the export whose reverse import it is;
 * each request; who looked it up.
 */
struct obd_import {
	struct portals_handle		imp_handle;
	refcount_t			imp_refcount;
	struct obd_device		*imp_obd;
	struct obd_uuid			imp_target_uuid;
	struct mutex			imp_connect_mutex;
	spinlock_t			imp_lock;
	enum lustre_imp_state		imp_state;
	unsigned long			imp_flags;
	u32				imp_generation;
	u32				imp_conn_cnt;
	struct list_head		imp_conn_list;
	struct obd_import_conn		*imp_conn_current;
	struct ll_nid			imp_conn_nid;
	struct obd_connect_data		imp_connect_data;
	struct lustre_handle		imp_remote_handle;
	unsigned int			imp_hist_next;
	struct import_state_hist	imp_hist[IMP_STATE_HIST_LEN];
	atomic_t			imp_inval_count;
	const struct obd_transport	*imp_transport;
	void				*imp_peer;
	time64_t			imp_last_reply_time;
	struct work_struct		imp_zombie_work;
	struct rcu_head			imp_rcu;
};

struct obd_import * __must_check class_new_import(struct obd_device *obd,
						  const struct obd_uuid *target);
void class_destroy_import(struct obd_import *imp);
struct obd_import *class_import_get(struct obd_import *imp);
void class_import_put(struct obd_import *imp);

int import_set_state(struct obd_import *imp, enum lustre_imp_state state);
const char *import_state_name(enum lustre_imp_state state);
int import_add_conn(struct obd_import *imp, const struct obd_uuid *uuid,
		    bool priority, struct obd_why *why);
int import_del_conn(struct obd_import *imp, const struct obd_uuid *uuid);
int import_connect(struct obd_import *imp, struct obd_why *why);
int import_disconnect(struct obd_import *imp);
void import_invalidate(struct obd_import *imp);
int import_set_active(struct obd_import *imp, bool active, struct obd_why *why);
int import_recover(struct obd_import *imp, const struct obd_uuid *uuid,
		   struct obd_why *why);
void import_server_text(struct obd_import *imp, char *buf, size_t size);

int obd_transport_register(struct obd_transport *tr);
void obd_transport_deregister(struct obd_transport *tr);

/* Names of connect flags, by bit; NULL where a bit has none. */
const char *obd_connect_flag_name(unsigned int bit);

/* From the name of a server to its NIDs. */
#define OBD_UUID_NIDS_MAX	32

int class_add_uuid(const char *uuid, const struct ll_nid *nid);
int class_del_uuid(const char *uuid);
int class_uuid2nids(const char *uuid, struct ll_nid *nids, unsigned int max);
bool class_check_uuid(const char *uuid, const struct ll_nid *nid);

/**
 * struct client_obd - what every client type has
 * @cl_obd: its device
 * @cl_lock: guards @cl_conn_count and @cl_export, held over connect and
 *	disconnect
 * @cl_target_uuid: target
 * @cl_import: import, from setup to cleanup
 * @cl_conn_count: those who are connected
 * @cl_export: the export that they share while connected
 * @cl_watcher: device above that is told of events, referenced, or NULL
 * @cl_max_rpcs_in_flight: requests on the wire
 */
struct client_obd {
	struct obd_device	*cl_obd;
	struct mutex		cl_lock;
	struct obd_uuid		cl_target_uuid;
	struct obd_import	*cl_import;
	unsigned int		cl_conn_count;
	struct obd_export	*cl_export;
	struct obd_device	*cl_watcher;
	u32			cl_max_rpcs_in_flight;
};

int client_obd_setup(struct obd_device *obd, struct client_obd *cli,
		     const struct lcfg_view *cfg, struct obd_why *why);
void client_obd_precleanup(struct obd_device *obd);
void client_obd_cleanup(struct obd_device *obd);
int client_connect_import(struct obd_export **exp, struct obd_device *obd,
			  const struct obd_uuid *uuid,
			  struct obd_connect_data *ocd);
int client_disconnect_export(struct obd_export *exp);
int client_import_add_conn(struct obd_device *obd, const struct obd_uuid *uuid,
			   bool priority);
int client_import_del_conn(struct obd_device *obd, const struct obd_uuid *uuid);
int client_statfs(struct obd_export *exp, struct obd_statfs *st, u64 max_age);
int client_get_info(struct obd_export *exp, const char *key, void *val,
		    u32 *vallen);
int client_set_info(struct obd_export *exp, const char *key, const void *val,
		    u32 vallen);
void client_set_watcher(struct obd_device *obd, struct obd_device *watcher);

#endif /* _LUSTRE_LITE_OBD_IMPORT_H */
