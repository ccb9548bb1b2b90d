/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Imports: a device's end of its connection to a target elsewhere.
 *
 *	CLOSED --> NEW --> CONNECTING ----------------------> FULL --> IDLE
 *	             |      ^  |  |  |                         ^  |
 *	             |      |  |  |  +-> EVICTED -+            |  |
 *	             v      |  |  |               v            |  |
 *	            DISCON -+  |  +----------> RECOVER --------+  |
 *	               ^       |                  ^               |
 *	               |       +-> REPLAY -> REPLAY_LOCKS         |
 *	               |                     -> REPLAY_WAIT       |
 *	               +------------------------------------------+
 *
 * Every state may also become CLOSED: the connection is not wanted. Every state from
 * CONNECTING on may become DISCON: the connection is wanted and is not there. IDLE becomes
 * CONNECTING when a request needs the target.
 * import_set_state() knows every legal move.
 *
 * A target on another node is reached by requests (IMP_LINK_NET). The recovery of ptlrpc
 * connects such an import again after a loss. A target in this kernel (NID 0@lo) is
 * reached by calls of its operations (IMP_LINK_LOOPBACK). The loss of such a connection
 * is noticed by the next call, which fails with -ENOTCONN; the call after that connects.
 *
 * A target that does not know the client any more has evicted it. The import then passes
 * through EVICTED, and what was started before is invalid.
 */
#ifndef _LUSTRE_LITE_OBD_IMPORT_H
#define _LUSTRE_LITE_OBD_IMPORT_H

#include <linux/bitmap.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include <lustre_lite/at.h>
#include <lustre_lite/handle.h>
#include <lustre_lite/nid.h>
#include <lustre_lite/obd.h>
#include <uapi/lustre_lite/wire.h>

struct lnet_peer;
struct ost_grant;

#define IMP_STATE_HIST_LEN	16
/* A target that was lost may be back at once for so long, seconds. */
#define IMP_RETURN_SEC		5
/* Most pending events; beyond that events of the same kind coalesce. */
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
/* Not shown: a KUnit case is the target, see ptlrpc/rpc/import.h. */
#define IMPF_STAND_IN		31

/**
 * struct import_state_hist - a state that an import was in
 * @ish_state: state
 * @ish_time: when it was entered, seconds since 1970
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

/* enum imp_link - how the target is reached */
enum imp_link {
	IMP_LINK_NONE,		/* not connected, or the other end connects it */
	IMP_LINK_LOOPBACK,	/* in this kernel, by calls */
	IMP_LINK_NET,		/* by requests over the network */
};

/* Portals of an import that have an estimate of their own. */
#define IMP_AT_PORTALS	8

/* struct import_at - how long the service at a portal takes */
struct import_at {
	u16			iat_portal;
	struct adaptive_timeout	iat_at;
};

/**
 * struct import_events - pending events of an import
 * @ie_ring: a ring
 * @ie_first: the oldest
 * @ie_count: how many
 * @ie_telling: a task delivers them, one after the other and without a lock
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
 * @imp_connect_mutex: one connect or disconnect at a time; the task that changes the
 *	state holds it
 * @imp_connect_asked: wanted at each connect; guarded by @imp_connect_mutex
 * @imp_lock: guards the fields from here to @imp_events
 * @imp_state: state, changed by import_set_state() only
 * @imp_lost_ns: when it ceased to be FULL or IDLE last, ktime_get_ns(); 0: never
 * @imp_flags: IMPF_*, bit operations
 * @imp_generation: rises with every invalidation; requests of an older one fail
 * @imp_conn_cnt: connects tried
 * @imp_conn_list: servers
 * @imp_conn_current: server connected or connecting to, or NULL
 * @imp_conn_nid: its NID that is in use; nid_len 0 for none
 * @imp_try_seq: servers tried
 * @imp_success_seq: @imp_try_seq when a server answered last
 * @imp_connect_data: what was agreed on
 * @imp_remote_handle: the target's cookie for this client, 0 when it does not know it
 * @imp_link: how the target is reached; set under @imp_connect_mutex too
 * @imp_adopted: the other end connects it, see import_adopt()
 * @imp_last_reply_time: seconds since boot
 * @imp_hist_next: next place in @imp_hist
 * @imp_hist: states, a ring
 * @imp_events: pending events
 * @imp_inval_count: invalidations under way
 * @imp_inflight: calls under way
 * @imp_locks: locks granted by the target or requested from it: the target has to keep
 *	the client, so the import is not idle
 * @imp_calls: calls that ended
 * @imp_call_ns: their time, nanoseconds
 * @imp_timeouts: calls that ended with -ETIMEDOUT
 * @imp_cancel: tasks that want a connect under way to end
 * @imp_rpcs_max: most requests of each lane on the wire: CLIENT_RPCS_DEFAULT, or
 *	cl_max_rpcs_in_flight of its client
 * @imp_idle_ns: after this time without requests it may become LUSTRE_IMP_IDLE, 0: never
 * @imp_grant: grant of the client, referenced; NULL: it writes no data
 * @imp_networked: a connect over the network or a request was tried: recovery and the
 *	pinger look after the import from then on
 * @imp_rq_lock: guards the fields from here to @imp_replay_generation; taken in tasks
 *	only
 * @imp_node: node that it is connected or connecting to, referenced, or NULL
 * @imp_node_item: in the list of imports that have a node, under imports_lock of import.c
 * @imp_unsent: requests from RQ_NEW on that have not been sent, by rq_import_item
 * @imp_requests: requests up to RQ_INTERPRET that have been sent, or are replays, likewise,
 *	in the order of xids
 * @imp_tags: those that requests have; tag N is bit N - 1
 * @imp_waiting: requests that wait for a slot, the oldest first; of each lane
 * @imp_slots: requests of each lane that hold one of max_rpcs_in_flight
 * @imp_left: requests that killed tasks have left
 * @imp_left_wait: woken at the end of each of them
 * @imp_net_at: estimate of the way there and back
 * @imp_service_at: estimates of the services
 * @imp_service_sec: the slowest of @imp_service_at, seconds
 * @imp_network_sec: @imp_net_at, seconds
 * @imp_lost: connect @imp_lost_cnt was found lost, and recovery has not seen that yet
 * @imp_lost_cnt: see @imp_lost
 * @imp_wanted: a request waits for a connection
 * @imp_want_idle: give the connection up, as it is not used
 * @imp_pinging: a ping of the pinger is under way
 * @imp_replay: requests that are done and not known to be committed, by transno,
 *	referenced
 * @imp_replay_count: how many
 * @imp_sticky: those with rq_sticky that are committed, likewise
 * @imp_replay_warned: @imp_replay_count when a warning was printed last
 * @imp_replay_generation: @imp_generation when @imp_replay was started
 * @imp_last_committed: last transaction that the target has on disk
 * @imp_replayed_to: @imp_remote_handle when @imp_replay was sent; guarded by
 *  @imp_connect_mutex
 * @imp_last_replay: last transaction replayed to it, and answered
 * @imp_recover: connects again
 * @imp_backoff: seconds until the next try
 * @imp_said_rc: the failure that was logged last, see recover_log()
 * @imp_used: @imp_calls when the pinger looked last
 * @imp_used_ns: when the pinger saw it used last, ktime_get_ns()
 * @imp_zombie_work: frees it
 * @imp_rcu: freed after a grace period
 *
 * Made by class_new_import(). Held by: its device (client_obd), or the export whose
 * reverse import it is, until class_destroy_import(); each request; each queued
 * @imp_recover; each lookup. The last put has it freed by a workqueue, which then drops
 * the reference on the device.
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
	enum imp_link			imp_link;
	bool				imp_adopted;
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
	atomic_t			imp_cancel;
	u32				imp_rpcs_max;
	u64				imp_idle_ns;
	struct ost_grant		*imp_grant;
	bool				imp_networked;
	spinlock_t			imp_rq_lock;
	struct lnet_peer		*imp_node;
	struct list_head		imp_node_item;
	struct list_head		imp_unsent;
	struct list_head		imp_requests;
	DECLARE_BITMAP(imp_tags, WIRE_TAG_MAX);
	struct list_head		imp_waiting[LNET_LANES];
	unsigned int			imp_slots[LNET_LANES];
	unsigned int			imp_left;
	wait_queue_head_t		imp_left_wait;
	struct adaptive_timeout		imp_net_at;
	struct import_at		imp_service_at[IMP_AT_PORTALS];
	u32				imp_service_sec;
	u32				imp_network_sec;
	bool				imp_lost;
	u32				imp_lost_cnt;
	bool				imp_wanted;
	bool				imp_want_idle;
	bool				imp_pinging;
	struct list_head		imp_replay;
	struct list_head		imp_sticky;
	unsigned int			imp_replay_count;
	unsigned int			imp_replay_warned;
	u32				imp_replay_generation;
	u64				imp_last_committed;
	u64				imp_replayed_to;
	u64				imp_last_replay;
	struct delayed_work		imp_recover;
	unsigned int			imp_backoff;
	int				imp_said_rc;
	s64				imp_used;
	u64				imp_used_ns;
	struct work_struct		imp_zombie_work;
	struct rcu_head			imp_rcu;
};

/* Most requests of an import on the wire: by default, and at all. */
#define CLIENT_RPCS_DEFAULT	8
#define CLIENT_RPCS_MAX		256

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

int import_ping(struct obd_import *imp);

#endif /* _LUSTRE_LITE_OBD_IMPORT_H */
