/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Imports: a device's end of its connection to a target elsewhere.
 *
 *	CLOSED --> NEW --> CONNECTING ----------------------> FULL <--> IDLE
 *	             |      ^  |  |  |                         ^  |
 *	             |      |  |  |  +-> EVICTED -+            |  |
 *	             v      |  |  |               v            |  |
 *	            DISCON -+  |  +----------> RECOVER --------+  |
 *	               ^       |                  ^               |
 *	               |       +-> REPLAY -> REPLAY_LOCKS         |
 *	               |                     -> REPLAY_WAIT       |
 *	               +------------------------------------------+
 *
 * Every state may also become CLOSED: nobody wants the connection. Every one
 * from CONNECTING on may become DISCON: it is wanted, and is not there.
 * import_set_state() knows every legal move, also those of replay that a
 * transport makes. How bytes get to the other side is the business of an
 * obd_transport: one for targets in this kernel is built in.
 *
 * A connection that is lost is noticed by the next call, which fails with
 * -ENOTCONN and leaves the import in DISCON. The call after that connects
 * again, and so does import_recover(). A target that does not know the client
 * any more has evicted it: the import passes through EVICTED, and what was begun
 * before is invalid.
 */
#ifndef _LUSTRE_LITE_OBD_IMPORT_H
#define _LUSTRE_LITE_OBD_IMPORT_H

#include <linux/mutex.h>

#include <lustre_lite/handle.h>
#include <lustre_lite/nid.h>
#include <lustre_lite/obd.h>

#define IMP_STATE_HIST_LEN	16
/* How long one that was lost is expected to be back at once, seconds. */
#define IMP_RETURN_SEC		5
/* Most events that wait to be told; the oldest are forgotten beyond that. */
#define IMP_EVENTS_MAX		16
/* Kinds of events: enum obd_import_event. */
#define IMP_EVENT_KINDS		7

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
 * @oic_tried: the import's imp_try_seq when it was tried last, 0 for never
 * @oic_uptodate: the last attempt was answered
 */
struct obd_import_conn {
	struct list_head	oic_item;
	struct obd_uuid		oic_uuid;
	u32			oic_attempts;
	u32			oic_replied;
	time64_t		oic_last_attempt;
	u64			oic_tried;
	bool			oic_uptodate;
};

/**
 * struct import_answer - what a connect asks for, and is answered
 * @ia_data: in: wanted; out: granted
 * @ia_remote: in: the target's cookie for us from before, or 0; out: what it is
 *	now, the same when the target knew us still
 * @ia_replay: out: the target restarted, remembers us, and waits for what we did
 *	last: tr_replay comes next
 * @ia_replayable: out: the target keeps transactions
 * @ia_refused: out, with an error: the target itself answered with that. Only such an
 *	error can be meant for good; everything between here and the target passes
 * @ia_words: out, with an error: what was refused and by which side, static text; or
 *	NULL
 */
struct import_answer {
	struct obd_connect_data	ia_data;
	struct lustre_handle	ia_remote;
	bool			ia_replay;
	bool			ia_replayable;
	bool			ia_refused;
	const char		*ia_words;
};

struct params_sink;

/**
 * struct import_counts - requests of an import
 * @inflight: that wait for an answer
 * @unregistering: that are over, but for what is still put into their pages
 */
struct import_counts {
	unsigned int	inflight;
	unsigned int	unregistering;
};

/**
 * struct obd_import_ops - who follows an import from its first connect on
 * @io_owner: module, pinned by who sets imp_ops until after @io_free
 * @io_changed: its state, its generation or a flag changed, or somebody wants the
 *	connect under way to end (imp_cancel). May be called under
 *	imp_connect_mutex, not under imp_lock; does not sleep
 * @io_invalidated: what was begun before is void, and nothing new has begun. May
 *	sleep, under imp_connect_mutex: must neither wait for the import nor call up
 * @io_counts: add the requests that it has now
 * @io_timeouts: put the lines of parameter "timeouts" behind the first
 * @io_free: the import is freed now
 */
struct obd_import_ops {
	struct module	*io_owner;
	void (*io_changed)(struct obd_import *imp);
	void (*io_invalidated)(struct obd_import *imp);
	void (*io_counts)(struct obd_import *imp, struct import_counts *counts);
	void (*io_timeouts)(struct obd_import *imp, struct params_sink *sink);
	void (*io_free)(struct obd_import *imp);
};

/**
 * struct obd_transport - a way to reach targets
 * @tr_name: for messages
 * @tr_owner: module, pinned while an import is connected
 * @tr_reaches: whether it leads to that NID
 * @tr_connect: connect @imp to its target at @nid. A transport that may take long
 *	looks at imp_cancel: -ECANCELED. It may set imp_ops and imp_peer, once
 * @tr_replay: after an answer with ia_replay, or NULL: in LUSTRE_IMP_REPLAY; give
 *	the target what it lost, by way of LUSTRE_IMP_REPLAY_LOCKS to
 *	LUSTRE_IMP_REPLAY_WAIT. An error ends the connection
 * @tr_disconnect: end what @tr_connect began; @failed: without telling the
 *	target, which may be gone
 * @tr_ping: whether the target still knows us
 * @tr_statfs: the operation at the target
 * @tr_get_info: ...
 * @tr_set_info: ...
 * @tr_list: obdclass's
 *
 * All but @tr_reaches may sleep. @tr_connect, @tr_replay and @tr_disconnect are
 * called under imp_connect_mutex and must not call up. -ENOTCONN of any other says that the
 * connection is gone.
 */
struct obd_transport {
	const char	*tr_name;
	struct module	*tr_owner;
	bool (*tr_reaches)(const struct lnet_nid *nid);
	int (*tr_connect)(struct obd_import *imp, const struct lnet_nid *nid,
			  struct import_answer *answer);
	int (*tr_replay)(struct obd_import *imp);
	void (*tr_disconnect)(struct obd_import *imp, bool failed);
	int (*tr_ping)(struct obd_import *imp);
	int (*tr_statfs)(struct obd_import *imp, struct obd_statfs *st,
			 u64 max_age);
	int (*tr_get_info)(struct obd_import *imp, const char *key, void *val,
			   u32 *vallen);
	int (*tr_set_info)(struct obd_import *imp, const char *key,
			   const void *val, u32 vallen);
	struct list_head tr_list;
};

/**
 * struct import_events - events that wait to be told
 * @ie_ring: a ring
 * @ie_first: the oldest
 * @ie_count: how many
 * @ie_telling: somebody tells them, one after the other and without a lock
 */
struct import_events {
	enum obd_import_event	ie_ring[IMP_EVENTS_MAX];
	u8			ie_first;
	u8			ie_count;
	bool			ie_telling;
};

/**
 * struct obd_import - an import
 * @imp_handle: cookie
 * @imp_refcount: references
 * @imp_obd: device, referenced
 * @imp_target_uuid: target
 * @imp_connect_mutex: one connect or disconnect at a time; whoever changes the
 *	state holds it
 * @imp_connect_asked: what is asked for at each connect; guarded by
 *	@imp_connect_mutex
 * @imp_lock: guards what follows up to @imp_events
 * @imp_state: state, changed by import_set_state() only
 * @imp_lost_ns: when it ceased to be FULL or IDLE last, ktime_get_ns(); 0: never
 * @imp_flags: IMPF_*, bit operations
 * @imp_generation: rises with every invalidation; requests of an older one fail
 * @imp_conn_cnt: connects tried
 * @imp_conn_list: servers
 * @imp_conn_current: the one connected or connecting to, or NULL
 * @imp_conn_nid: its NID that is in use; nid_len 0 for none
 * @imp_try_seq: servers tried
 * @imp_success_seq: @imp_try_seq when one answered last
 * @imp_connect_data: what was agreed on
 * @imp_remote_handle: the target's cookie for us, 0 when it knows us not
 * @imp_transport: in use, or NULL; set under @imp_connect_mutex too
 * @imp_last_reply_time: seconds since boot
 * @imp_hist_next: next place in @imp_hist
 * @imp_hist: states, a ring
 * @imp_events: events to be told
 * @imp_inval_count: invalidations under way
 * @imp_inflight: calls under way
 * @imp_locks: locks that the target gave or is asked for: it has to go on knowing us,
 *	so the import is not idle
 * @imp_calls: calls that ended
 * @imp_call_ns: the time that those took, nanoseconds
 * @imp_timeouts: calls that ended with -ETIMEDOUT
 * @imp_service_sec: how long the transport thinks a target takes, seconds
 * @imp_network_sec: ... and the way there and back
 * @imp_last_replay: transaction that the transport replayed last
 * @imp_peer_committed: last transaction that the target has on disk
 * @imp_last_checked: ... when the transport looked
 * @imp_cancel: how many want a connect that is under way to end
 * @imp_rpcs_max: requests on the wire: CLIENT_RPCS_DEFAULT, or what its client's
 *	cl_max_rpcs_in_flight is
 * @imp_idle_ns: without requests for so long it may become LUSTRE_IMP_IDLE, 0:
 *	never
 * @imp_ops: who follows it, or NULL; set once, before @imp_peer
 * @imp_peer: what that keeps of it
 * @imp_zombie_work: frees it
 * @imp_rcu: freed after a grace period
 *
 * Made by class_new_import(). Held by: its device (client_obd), or the export
 * whose reverse import it is, until class_destroy_import(); each call in flight;
 * who looked it up. Whoever drops the last reference has it freed by a
 * workqueue, which then drops the reference on the device.
 */
struct obd_import {
	struct portals_handle		imp_handle;
	refcount_t			imp_refcount;
	struct obd_device		*imp_obd;
	struct obd_uuid			imp_target_uuid;
	struct mutex			imp_connect_mutex;
	struct obd_connect_data		imp_connect_asked;
	spinlock_t			imp_lock;
	enum lustre_imp_state		imp_state;
	u64				imp_lost_ns;
	unsigned long			imp_flags;
	u32				imp_generation;
	u32				imp_conn_cnt;
	struct list_head		imp_conn_list;
	struct obd_import_conn		*imp_conn_current;
	struct lnet_nid			imp_conn_nid;
	u64				imp_try_seq;
	u64				imp_success_seq;
	struct obd_connect_data		imp_connect_data;
	struct lustre_handle		imp_remote_handle;
	const struct obd_transport	*imp_transport;
	time64_t			imp_last_reply_time;
	unsigned int			imp_hist_next;
	struct import_state_hist	imp_hist[IMP_STATE_HIST_LEN];
	struct import_events		imp_events;
	atomic_t			imp_inval_count;
	atomic_t			imp_inflight;
	atomic_t			imp_locks;
	atomic64_t			imp_calls;
	atomic64_t			imp_call_ns;
	atomic_t			imp_timeouts;
	u32				imp_service_sec;
	u32				imp_network_sec;
	u64				imp_last_replay;
	u64				imp_peer_committed;
	u64				imp_last_checked;
	atomic_t			imp_cancel;
	u32				imp_rpcs_max;
	u64				imp_idle_ns;
	const struct obd_import_ops	*imp_ops;
	void				*imp_peer;
	struct work_struct		imp_zombie_work;
	struct rcu_head			imp_rcu;
};

struct obd_import * __must_check class_new_import(struct obd_device *obd,
						  const struct obd_uuid *target);
void class_destroy_import(struct obd_import *imp);
struct obd_import *class_import_get(struct obd_import *imp);
void class_import_put(struct obd_import *imp);
struct obd_import * __must_check class_handle2import(u64 cookie);

int import_set_state(struct obd_import *imp, enum lustre_imp_state state);
const char *import_state_name(enum lustre_imp_state state);
bool import_is_usable(const struct obd_import *imp);
bool import_is_away(const struct obd_import *imp);
u64 import_return_ns(struct obd_import *imp);
bool import_has_nid(struct obd_import *imp, const struct lnet_nid *nid);
int import_add_conn(struct obd_import *imp, const struct obd_uuid *uuid,
		    bool priority, struct obd_why *why);
int import_del_conn(struct obd_import *imp, const struct obd_uuid *uuid);
int import_connect(struct obd_import *imp, struct obd_why *why);
int import_disconnect(struct obd_import *imp);
void import_lost(struct obd_import *imp, u32 conn_cnt);
int import_idle(struct obd_import *imp);
void import_adopt(struct obd_import *imp);
void import_invalidate(struct obd_import *imp);
int import_set_active(struct obd_import *imp, bool active, struct obd_why *why);
int import_recover(struct obd_import *imp, const struct obd_uuid *uuid,
		   struct obd_why *why);
void import_server_text(struct obd_import *imp, char *buf, size_t size);

/**
 * struct import_call - a call of the target through an import
 * @ic_imp: import, referenced
 * @ic_transport: transport, its module pinned
 * @ic_generation: of the import when the call began
 * @ic_conn_cnt: of the import when the call began
 * @ic_start_ns: when it began
 */
struct import_call {
	struct obd_import		*ic_imp;
	const struct obd_transport	*ic_transport;
	u32				ic_generation;
	u32				ic_conn_cnt;
	u64				ic_start_ns;
};

int import_call_begin(struct obd_import *imp, struct import_call *call);
int import_call_end(struct import_call *call, int rc);
int import_ping(struct obd_import *imp);

int obd_transport_register(struct obd_transport *tr);
void obd_transport_deregister(struct obd_transport *tr);

/* Names of connect flags, by bit; NULL where a bit has none. */
const char *obd_connect_flag_name(unsigned int bit);

/* From the name of a server to its NIDs. */
#define OBD_UUID_NIDS_MAX	32

int class_add_uuid(const char *uuid, const struct lnet_nid *nid);
int class_del_uuid(const char *uuid);
int class_uuid2nids(const char *uuid, struct lnet_nid *nids, unsigned int max);
bool class_check_uuid(const char *uuid, const struct lnet_nid *nid);

#define CLIENT_RPCS_DEFAULT	8
#define CLIENT_RPCS_MAX		256

/**
 * struct client_obd - what every client type has
 * @cl_obd: its device
 * @cl_lock: guards @cl_conn_count and @cl_export, held over connect and
 *	disconnect
 * @cl_target_uuid: target
 * @cl_import: import, from setup to cleanup
 * @cl_conn_count: those who are connected
 * @cl_export: the export that they share while connected, referenced, or NULL
 * @cl_watcher_lock: guards @cl_watcher
 * @cl_watcher: device above that is told of events, referenced, or NULL
 * @cl_max_rpcs_in_flight: requests on the wire
 * @cl_connecting: @cl_connect is queued or runs: the first answer of the target is
 *	waited for
 * @cl_connect: connects for a device above
 *
 * Part of the type's own data. It is there from client_obd_setup() to
 * client_obd_cleanup(), and who looks at it from outside comes in through
 * obd_op_enter().
 */
struct client_obd {
	struct obd_device	*cl_obd;
	struct mutex		cl_lock;
	struct obd_uuid		cl_target_uuid;
	struct obd_import	*cl_import;
	unsigned int		cl_conn_count;
	struct obd_export	*cl_export;
	spinlock_t		cl_watcher_lock;
	struct obd_device	*cl_watcher;
	u32			cl_max_rpcs_in_flight;
	bool			cl_connecting;
	struct work_struct	cl_connect;
};

int client_obd_setup(struct obd_device *obd, struct client_obd *cli,
		     const struct lcfg_view *cfg, struct obd_why *why);
int client_obd_precleanup(struct obd_device *obd);
void client_obd_cleanup(struct obd_device *obd);
int client_connect_import(struct obd_export **exp, struct obd_device *obd,
			  const struct obd_uuid *uuid,
			  const struct lnet_nid *nid,
			  struct obd_connect_data *ocd);
int client_disconnect_export(struct obd_export *exp);
int client_import_add_conn(struct obd_device *obd, const struct obd_uuid *uuid,
			   bool priority, struct obd_why *why);
int client_import_del_conn(struct obd_device *obd, const struct obd_uuid *uuid,
			   struct obd_why *why);
int client_statfs(struct obd_export *exp, struct obd_statfs *st, u64 max_age);
int client_get_info(struct obd_export *exp, const char *key, void *val,
		    u32 *vallen);
int client_set_info(struct obd_export *exp, const char *key, const void *val,
		    u32 vallen);
void client_set_watcher(struct obd_device *obd, struct obd_device *watcher);

#endif /* _LUSTRE_LITE_OBD_IMPORT_H */
