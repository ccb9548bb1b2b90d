/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common definitions of the lock manager. Each file owns one noun:
 *
 *	ldlm_type.c		modes and their compatibility
 *	ldlm_set.c		the granted, or the waiting, locks of a resource
 *	ldlm_extent.c		EXTENT locks by their extent; how far one can be widened
 *	ldlm_namespace.c	the locks of a device; start and end of the lock manager
 *	ldlm_resource.c		the objects that locks protect
 *	ldlm_lock.c		a lock: its state, its references, its place
 *	ldlm_queue.c		server: grants, blocking ASTs, the order of waiting locks
 *	ldlm_server.c		server: enqueue, cancel
 *	ldlm_local.c		server: its own locks
 *	ldlm_lvb.c		server: values of resources (LVB)
 *	ldlm_glimpse.c		the newest value: client and server
 *	ldlm_intent.c		client: locks bound by a reply
 *	ldlm_reply.c		server: likewise
 *	ldlm_flock.c		locks of users: their ranges
 *	ldlm_flock_client.c	client: requests of users
 *	ldlm_flock_server.c	server: likewise; deadlocks
 *	ldlm_export.c		server: the locks of a client, by the client's cookie
 *	ldlm_server_cb.c	server: ASTs, and eviction of clients that do not answer
 *	ldlm_client.c		client: enqueue, match, and uses of a lock
 *	ldlm_cancel.c		client: cancel
 *	ldlm_convert.c		downgrade of IBITS locks: client and server
 *	ldlm_elc.c		cancels that another request brings along: client and server
 *	ldlm_client_cb.c	client: ASTs from the server
 *	ldlm_hold.c		client: locks in steady use, which are returned a little later
 *	ldlm_lru.c		client: unused locks
 *	ldlm_replay.c		client: after a restart of the server, or an eviction
 *	ldlm_params.c		parameters
 *
 * Locks, the outermost first: ns_flock_mutex, r_lock of a resource, then ns_lock of its namespace
 * or pe_lock of an export. None is held over a callback or while a message is sent.
 */
#ifndef _PTLRPC_LDLM_INTERNAL_H
#define _PTLRPC_LDLM_INTERNAL_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/refcount.h>
#include <linux/rhashtable-types.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <lustre_lite/lustre_dlm.h>
#include <lustre_lite/ptlrpc_test_point.h>

#include "../rpc/rpc.h"
#include "../service/service.h"
#include "../target/target.h"

/* Most locks that one client may have of a server's namespace. */
#define LDLM_CLIENT_LOCKS_MAX	65536
/*
 * Unused locks of a client where memory sets the bound: least and greatest bound. The latter
 * leaves some of LDLM_CLIENT_LOCKS_MAX for locks in use.
 */
#define LDLM_LRU_AUTO_MIN	2000
#define LDLM_LRU_AUTO_MAX	(LDLM_CLIENT_LOCKS_MAX / 4 * 3)
/* Default age of a client's unused locks. */
#define LDLM_LRU_AGE_MS		3900000U
/* Most locks that the parameter "locks" shows. */
#define LDLM_DUMP_MAX		1000
/* A task that waits looks this often whether the server stops, as nothing wakes it then. */
#define LDLM_STOP_LOOK		(HZ / 4)
/* Seconds that the end of a client's namespace waits for its server. */
#define LDLM_FREE_SEC		5
/* Bytes of a namespace's name: that of a device with a prefix and a suffix. */
#define LDLM_NAME_MAX		(MAX_OBD_NAME + 16)
/* Buffers of messages about a lock. */
#define LDLM_LOCK_BUF		0
#define LDLM_LVB_BUF		1

/**
 * struct ldlm_namespace - the locks of a device
 * @ns_refcount: references
 * @ns_side: server or client
 * @ns_name: name
 * @ns_obd: device; NULL once it was freed. Changed under namespaces_lock
 * @ns_import: client: import to the server, referenced until freed; NULL: there
 *  is no server, and all is local
 * @ns_params: directory ldlm.namespaces.NAME
 * @ns_item: in the list of namespaces, under namespaces_lock
 * @ns_lock: guards @ns_table and the members up to @ns_waiting_locks
 * @ns_table: resources by name
 * @ns_resources: the same as a list, the youngest first
 * @ns_resource_count: number of resources
 * @ns_lru: client: unused locks, the least recently used first
 * @ns_unused: number of unused locks
 * @ns_waiting_locks: server: locks with an AST that their client has not
 *  answered
 * @ns_locks: locks that are not LOCK_DESTROYED
 * @ns_waiting: locks that wait
 * @ns_lvb: server: operations on values of resources, or NULL
 * @ns_flock_mutex: guards the FLOCK resources, see ldlm_flock.c; of a server also the next two
 * @ns_flocks: server: waiting FLOCK locks. Client: releases of users that a ptlrpcd thread sends,
 *  under @ns_lock
 * @ns_flock_walk: number of the last search for a deadlock
 * @ns_flock_wait: client: woken when such a release has ended
 * @ns_timeouts: server: clients evicted because they did not answer an AST
 * @ns_lru_size: client: most unused locks; 0: ldlm_lru_auto
 * @ns_lru_age: client: age limit of unused locks, nanoseconds
 * @ns_shrink: client: locks to cancel for the shrinker
 * @ns_hold_skip: client: so many blocking ASTs wait for no use of their lock
 * @ns_replay_error: client: error of the running replay, or 0
 * @ns_work: client: shrinks @ns_lru; server: checks @ns_waiting_locks. Queued
 *  by __ldlm_namespace_work() only
 * @ns_cancels: client: revoked locks to be cancelled by one request, by l_todo_item,
 *  each referenced; under @ns_lock
 * @ns_cancel_work: client: sends the cancels of @ns_cancels
 * @ns_busy: works of locks that are queued or run, and locks in @ns_cancels
 * @ns_idle: woken when there are none
 * @ns_dead: ldlm_namespace_free() was called: @ns_work is not queued again.
 *  Changed under @ns_lock
 * @ns_free_work: frees it
 *
 * Created by ldlm_namespace_new(). Held by: its device until
 * ldlm_namespace_free(); each resource; each lookup by import. The last put
 * queues @ns_free_work.
 */
struct ldlm_namespace {
	refcount_t			ns_refcount;
	enum ldlm_side			ns_side;
	char				ns_name[LDLM_NAME_MAX];
	struct obd_device		*ns_obd;
	struct obd_import		*ns_import;
	struct lustre_params_entry	*ns_params;
	struct list_head		ns_item;
	spinlock_t			ns_lock;
	struct rhashtable		ns_table;
	struct list_head		ns_resources;
	unsigned int			ns_resource_count;
	struct list_head		ns_lru;
	unsigned int			ns_unused;
	struct list_head		ns_waiting_locks;
	atomic_t			ns_locks;
	atomic_t			ns_waiting;
	const struct ldlm_lvb_ops	*ns_lvb;
	struct mutex			ns_flock_mutex;
	struct list_head		ns_flocks;
	u32				ns_flock_walk;
	wait_queue_head_t		ns_flock_wait;
	atomic_t			ns_timeouts;
	u32				ns_lru_size;
	u64				ns_lru_age;
	atomic_t			ns_shrink;
	atomic_t			ns_hold_skip;
	int				ns_replay_error;
	struct delayed_work		ns_work;
	struct list_head		ns_cancels;
	struct work_struct		ns_cancel_work;
	atomic_t			ns_busy;
	struct wait_queue_head		ns_idle;
	bool				ns_dead;
	struct work_struct		ns_free_work;
};

/* Bits of IBITS locks: 0 .. LDLM_IBITS_COUNT - 1. */
#define LDLM_IBITS_COUNT	9

/* Number of locks, by bit and mode. */
struct ldlm_bit_counts {
	unsigned int	lbc_count[LDLM_IBITS_COUNT][LDLM_MODE_COUNT];
};

/**
 * struct ldlm_set - the granted, or the waiting, locks of a resource
 * @lset_locks: all of them by l_res_item, the oldest first
 * @lset_modes: their number by mode
 * @lset_for: number of those with l_for
 * @lset_bits: IBITS at a server: their number by bit and mode; else NULL, which is the
 *  same as all on bit 0
 * @lset_trees: EXTENT: by mode, each an interval tree of extents
 *
 * The mode of a lock in a set is its l_req_mode, which a grant sets too. Neither it
 * nor the policy changes while the lock is in a set: a lock that loses bits leaves it
 * meanwhile. Under r_lock.
 */
struct ldlm_set {
	struct list_head		lset_locks;
	unsigned int			lset_modes[LDLM_MODE_COUNT];
	unsigned int			lset_for;
	union {
		struct ldlm_bit_counts	*lset_bits;
		struct rb_root_cached	*lset_trees;
	};
};

/**
 * struct ldlm_resource - an object that locks protect
 * @r_refcount: references
 * @r_ns: namespace, referenced
 * @r_id: name
 * @r_type: LDLM_PLAIN, LDLM_EXTENT, LDLM_IBITS or LDLM_FLOCK
 * @r_node: in ns_table
 * @r_item: in ns_resources
 * @r_lock: guards the members below, and those noted in struct ldlm_lock
 * @r_granted: granted locks
 * @r_waiting: waiting locks, in the order of l_order
 * @r_orders: l_order of the next lock that waits
 * @r_lvb: EXTENT at a server with values: the device's value, ns_lvb->lvbo_size bytes
 * @r_lvb_changes: changes of the device's value since the resource exists
 * @r_lvb_valid: @r_lvb is filled in
 *
 * Held by: each of its locks; each lookup. The last put removes it from its
 * namespace and frees it.
 */
struct ldlm_resource {
	refcount_t			r_refcount;
	struct ldlm_namespace		*r_ns;
	struct ldlm_res_id		r_id;
	u32				r_type;
	struct rhash_head		r_node;
	struct list_head		r_item;
	spinlock_t			r_lock;
	struct ldlm_set			r_granted;
	struct ldlm_set			r_waiting;
	u64				r_orders;
	void				*r_lvb;
	u32				r_lvb_changes;
	bool				r_lvb_valid;
};

/* l_flags, bit numbers; changed under r_lock except those of a work */
#define LDLM_LF_CBPENDING		0	/* client: a blocking AST came */
#define LDLM_LF_REENQUEUE		1	/* client: enqueue it once more */
#define LDLM_LF_NOTIFY_BLOCKING	2	/* client's work: call lcb_blocking */
#define LDLM_LF_NOTIFY_CANCELLED	3	/* client's work: call lcb_cancelled */
#define LDLM_LF_CANCEL		4	/* client's work: cancel it */
#define LDLM_LF_CONVERT		5	/* client's work: it has lost bits */
#define LDLM_LF_CANCEL_NOW	6	/* client's work: send a cancel besides that of a request */
#define LDLM_LF_ELC		7	/* client: another request cancels it; its owner was notified */
#define LDLM_LF_AST_SENT		8	/* server: a blocking AST was sent */
#define LDLM_LF_SEND_BL		9	/* server: send a blocking AST */
#define LDLM_LF_SEND_CP		10	/* server: send a completion AST */
#define LDLM_LF_EXACT		13	/* server: grant the requested extent, no larger one */
#define LDLM_LF_RESEND		14	/* server: send the pending AST again; ns_lock */
#define LDLM_LF_BL_PENDING	11	/* server: blocking AST sent, not cancelled yet; ns_lock */
#define LDLM_LF_CP_PENDING	12	/* no answer to the completion AST yet; ns_lock */
#define LDLM_LF_SEND_GL		15	/* server: send a glimpse AST */
#define LDLM_LF_GL_PENDING	16	/* no answer to the glimpse AST yet; ns_lock */
#define LDLM_LF_LVB_TAKEN	17	/* client: the owner has taken the value of the grant */
#define LDLM_LF_RELEASED	18	/* client: cancelled, and its owner has written all of it */
#define LDLM_LF_NO_DELAY	19	/* client: its enqueue waits for no connect */
#define LDLM_LF_HELD		20	/* client: a blocking AST came, and waits */
#define LDLM_LF_HELD_USED	21	/* client: it was used since the hold was looked at */

/**
 * struct ldlm_flock_state - more of a FLOCK lock
 * @asked: server: what was requested; the policy is the merged range
 * @item: server: in ns_flocks
 * @next: server: the next one to look at, in a search for a deadlock
 * @walk: server: the last search that has looked at it
 *
 * All under ns_flock_mutex.
 */
struct ldlm_flock_state {
	struct ldlm_flock	asked;
	struct list_head	item;
	struct ldlm_lock	*next;
	u32			walk;
};

/**
 * struct ldlm_lock - a lock
 * @l_handle: cookie
 * @l_refcount: references
 * @l_resource: resource, referenced until it is freed
 * @l_policy: the part of the resource that was requested, from the grant on the
 *  part that was granted
 * @l_remote: the peer's cookie of it, 0 while it is not known
 * @l_state: enum ldlm_lock_state, changed by ldlm_lock_move() only
 * @l_req_mode: requested mode
 * @l_granted_mode: granted mode, 0 for none
 * @l_flags: LDLM_LF_*, bit operations
 * @l_since: time of the last change of state, seconds since boot
 * @l_order: place among the waiting locks of the resource
 * @l_res_item: in lset_locks of a set of the resource
 * @l_extent_node: EXTENT: in lset_trees of the same set
 * @l_extent_last: EXTENT: last byte of all extents at and below @l_extent_node
 * @l_lvb: EXTENT: client: value of the resource at the grant; server: the holder's answer to the
 *  last glimpse AST
 * @l_flock: FLOCK
 * @l_lvb_len: EXTENT: bytes of @l_lvb, 0 for none
 * @l_todo_item: server: in a list of ASTs to send; client: of locks cancelled
 *  together
 *
 * Server:
 * @l_export: client, held until LOCK_DESTROYED; NULL: a lock of the server itself
 * @l_for: lock of the server itself: client whose request it is for, held by its holder; or NULL
 * @l_exp_item: in pe_locks of the client, under pe_lock; client: in a list of
 *  locks to be replayed
 * @l_exp_node: in the table of ldlm_export.c, by @l_export and @l_remote, which
 *  do not change from then on
 * @l_in_table: @l_exp_node is in the table
 * @l_waiting_item: in ns_waiting_locks, under ns_lock
 * @l_deadline: deadline of the client's answer, jiffies; under ns_lock
 * @l_gl_sent: glimpse ASTs started
 * @l_gl_done: those answered; one at a time is in flight
 * @l_deadline_max: the latest that @l_deadline may be prolonged to; under ns_lock
 *
 * Client:
 * @l_cbs: callbacks of its owner
 * @l_data: their data
 * @l_users: uses
 * @l_wanted: IBITS: bits that others wait for, with LDLM_LF_CBPENDING; all ones: all of it
 * @l_generation: of the import when it was enqueued
 * @l_error: why it is LOCK_DESTROYED, or 0
 * @l_lru_item: in ns_lru, under ns_lock
 * @l_unused_ns: end of the last use, ktime_get_ns()
 * @l_wait: tasks that wait for another state
 * @l_work: calls the owner, and the server
 * @l_rcu: frees it
 *
 * r_lock guards everything from @l_remote on, unless said otherwise. Created by
 * ldlm_lock_new(). Held by: its place in the resource until LOCK_DESTROYED; its
 * owner, until ldlm_lock_put(); its work; each list of @l_todo_item; each
 * request about it; each lookup. Freed after a grace period, as cookies are
 * looked up under RCU.
 */
struct ldlm_lock {
	struct portals_handle		l_handle;
	refcount_t			l_refcount;
	struct ldlm_resource		*l_resource;
	struct ldlm_policy		l_policy;
	u64				l_remote;
	enum ldlm_lock_state		l_state;
	u32				l_req_mode;
	u32				l_granted_mode;
	unsigned long			l_flags;
	time64_t			l_since;
	u64				l_order;
	struct list_head		l_res_item;
	struct rb_node			l_extent_node;
	u64				l_extent_last;
	union {
		u8			l_lvb[LDLM_LVB_MAX];
		struct ldlm_flock_state	l_flock;
	};
	u32				l_lvb_len;
	struct list_head		l_todo_item;

	struct obd_export		*l_export;
	const struct obd_export		*l_for;
	struct list_head		l_exp_item;
	struct rhash_head		l_exp_node;
	bool				l_in_table;
	struct list_head		l_waiting_item;
	unsigned long			l_deadline;
	unsigned long			l_deadline_max;
	u32				l_gl_sent;
	u32				l_gl_done;

	const struct ldlm_callbacks	*l_cbs;
	void				*l_data;
	unsigned int			l_users;
	u64				l_wanted;
	u32				l_generation;
	int				l_error;
	struct list_head		l_lru_item;
	u64				l_unused_ns;
	struct wait_queue_head		l_wait;
	struct work_struct		l_work;
	struct rcu_head			l_rcu;
};

/*
 * Works that call owners of locks run on a queue of their own, as an owner may write for a
 * long time. Works of ldlm_wq call owners that do not (lcb_quick), send cancels, check deadlines
 * and shorten caches; they wait for no peer.
 */
extern struct workqueue_struct *ldlm_wq;
extern struct workqueue_struct *ldlm_owner_wq;

/* ldlm_type.c */
bool ldlm_mode_is_one(u32 mode);
unsigned int ldlm_mode_index(u32 mode);
bool ldlm_mode_covers(u32 has, u32 wanted);
u32 ldlm_modes_conflicting(u32 mode);
u32 ldlm_modes_covering(u32 mode);
const char *ldlm_type_name(u32 type);

/* ldlm_set.c, under r_lock */
int ldlm_set_init(struct ldlm_set *set, u32 type, enum ldlm_side side);
void ldlm_set_exit(struct ldlm_set *set, u32 type);
void ldlm_set_add(struct ldlm_set *set, struct ldlm_lock *lock);
void ldlm_set_del(struct ldlm_set *set, struct ldlm_lock *lock);
struct ldlm_lock *ldlm_set_next(struct ldlm_set *set, u32 type, u32 modes,
				const struct ldlm_policy *part,
				struct ldlm_lock *prev);
bool ldlm_set_conflicts(struct ldlm_set *set, u32 type, u32 mode,
			const struct ldlm_policy *policy);
unsigned int ldlm_set_count(const struct ldlm_set *set, u32 modes);
unsigned int ldlm_set_bit_count(const struct ldlm_set *set, unsigned int bit,
				unsigned int mode);
void ldlm_bits_count(struct ldlm_bit_counts *counts, const struct ldlm_lock *lock,
		     int by);
bool ldlm_bits_conflict(const struct ldlm_bit_counts *counts, u32 mode, u64 bits);
u64 ldlm_policy_bits(u32 type, const struct ldlm_policy *policy);

/* ldlm_extent.c, under r_lock */
void ldlm_extent_add(struct rb_root_cached *tree, struct ldlm_lock *lock);
void ldlm_extent_del(struct rb_root_cached *tree, struct ldlm_lock *lock);
struct ldlm_lock *ldlm_extent_first(struct rb_root_cached *tree,
				    const struct ldlm_extent *part);
struct ldlm_lock *ldlm_extent_next(struct ldlm_lock *lock,
				   const struct ldlm_extent *part);
void ldlm_extent_widen(struct ldlm_resource *res, u32 mode,
		       struct ldlm_extent *extent);

/* ldlm_namespace.c */
struct ldlm_namespace *ldlm_namespace_get(struct ldlm_namespace *ns);
void ldlm_namespace_put(struct ldlm_namespace *ns);
struct ldlm_namespace *ldlm_namespace_of_import(struct obd_import *imp);
struct ldlm_namespace *ldlm_namespace_of_obd(struct obd_device *obd,
					     enum ldlm_side side);
struct ldlm_namespace *ldlm_namespace_next(struct ldlm_namespace *ns);
void __ldlm_namespace_work(struct ldlm_namespace *ns, unsigned long delay,
			   bool sooner);

/* Whether a server's device is cleaned up: it grants nothing, see ldlm_queue.c. */
static inline bool ldlm_is_stopping(const struct ldlm_namespace *ns)
{
	return libcfs_active_is_dead(&ns->ns_obd->obd_active);
}

/* ldlm_resource.c */
int ldlm_resources_init(struct ldlm_namespace *ns);
void ldlm_resources_exit(struct ldlm_namespace *ns);
struct ldlm_resource *ldlm_resource_find(struct ldlm_namespace *ns,
					 const struct ldlm_res_id *id);
struct ldlm_resource *ldlm_resource_make(struct ldlm_namespace *ns, u32 type,
					 const struct ldlm_res_id *id);
void ldlm_resource_put(struct ldlm_resource *res);
struct ldlm_resource *ldlm_resource_next(struct ldlm_namespace *ns,
					 struct ldlm_resource *res);
int ldlm_resource_text(const struct ldlm_res_id *id, char *buf, size_t size);
#define LDLM_RES_TEXT_MAX	80

/* ldlm_lock.c */
struct ldlm_lock *ldlm_lock_new(struct ldlm_resource *res, u32 mode,
				const struct ldlm_policy *policy);
bool ldlm_lock_may(enum ldlm_lock_state from, enum ldlm_lock_state to);
int ldlm_lock_move(struct ldlm_lock *lock, enum ldlm_lock_state to);
const char *ldlm_lock_state_name(enum ldlm_lock_state state);
void ldlm_lock_grant(struct ldlm_lock *lock, u32 mode,
		     const struct ldlm_policy *policy);
int ldlm_lock_wait(struct ldlm_lock *lock);
bool ldlm_lock_destroy(struct ldlm_lock *lock);
bool __ldlm_lock_destroy(struct ldlm_lock *lock);
void ldlm_lock_destroyed(struct ldlm_lock *lock, bool placed);
struct ldlm_lock *ldlm_lock_find(u64 cookie);
void ldlm_lock_to_wire(const struct ldlm_lock *lock, struct lustre_lock *to,
		       enum ldlm_side by);
void ldlm_res_to_wire(const struct ldlm_res_id *id, struct lustre_lock *to);
void ldlm_res_from_wire(const struct lustre_lock *from,
			struct ldlm_res_id *id);
struct ldlm_lock *ldlm_lock_alloc(struct ldlm_resource *res, u32 mode,
				  const struct ldlm_policy *policy);
void ldlm_lock_take_handle(struct ldlm_lock *lock, struct portals_handle *from);

static inline struct ldlm_namespace *ldlm_lock_ns(const struct ldlm_lock *lock)
{
	return lock->l_resource->r_ns;
}

static inline spinlock_t *ldlm_lock_lock(struct ldlm_lock *lock)
{
	return &lock->l_resource->r_lock;
}

/* ldlm_queue.c: under r_lock; ASTs to send go into @todo. */
int ldlm_queue_enter(struct ldlm_lock *lock, u32 flags, struct list_head *todo);
unsigned int ldlm_queue_revoke(struct ldlm_resource *res, u32 mode,
			       unsigned int max, struct list_head *todo);
int ldlm_queue_replayed(struct ldlm_lock *lock, u32 mode);
void ldlm_queue_next(const struct ldlm_lock *gone, struct list_head *todo);
void ldlm_queue_converted(struct ldlm_lock *lock, struct list_head *todo);
u64 ldlm_queue_wanted(const struct ldlm_lock *lock);

/**
 * struct ldlm_enqueue - an enqueue request
 * @type: type of the resource
 * @flags: LDLM_FL_*
 * @mode: requested mode
 * @granted: mode granted before, with LDLM_FL_REPLAY
 * @client: its cookie
 * @res: resource
 * @policy: part of the resource
 * @lvb: out: value of the resource; NULL: not needed
 */
struct ldlm_enqueue {
	u32			type;
	u32			flags;
	u32			mode;
	u32			granted;
	u64			client;
	struct ldlm_res_id	res;
	struct ldlm_policy	policy;
	void			*lvb;
};

/* ldlm_server.c; @answer: out, the lock in the reply */
struct ldlm_lock *ldlm_server_lock_new(struct ldlm_namespace *ns, struct obd_export *exp,
				       const struct ldlm_enqueue *enq);
int ldlm_server_enqueue(struct ldlm_namespace *ns, struct obd_export *exp,
			const struct ldlm_enqueue *enq, struct lustre_lock *answer);
struct ldlm_lock *ldlm_server_same(struct ldlm_namespace *ns, struct obd_export *exp,
				   const struct ldlm_enqueue *enq);
int ldlm_server_again(struct ldlm_namespace *ns, struct obd_export *exp,
		      const struct ldlm_enqueue *enq, struct lustre_lock *answer);
struct ldlm_lock *ldlm_server_lock(struct ldlm_namespace *ns, struct obd_export *exp,
				   u64 server, u64 client);
bool ldlm_server_cancel(struct ldlm_namespace *ns, struct obd_export *exp,
			u64 server, u64 client);
void ldlm_server_drop(struct ldlm_lock *lock);
void ldlm_server_namespace_end(struct ldlm_namespace *ns);
int ldlm_server_init(void);
void ldlm_server_exit(void);

/**
 * struct ldlm_flock_op - a request of an owner
 * @res: resource
 * @exp: client; NULL at a client
 * @mode: LCK_PR, LCK_PW, LCK_NL
 * @asked: bytes and owner
 * @lock: lock that is granted, or NULL
 */
struct ldlm_flock_op {
	struct ldlm_resource	*res;
	struct obd_export	*exp;
	u32			mode;
	struct ldlm_flock	asked;
	struct ldlm_lock	*lock;
};

/* ldlm_flock.c */
bool ldlm_flock_is_owner(const struct ldlm_lock *lock, const struct obd_export *exp,
			 const struct ldlm_flock *flock);
struct ldlm_lock *ldlm_flock_blocker(const struct ldlm_flock_op *op,
				     struct ldlm_lock *prev);
bool ldlm_flock_has_any(const struct ldlm_flock_op *op);
bool ldlm_flock_end(struct ldlm_lock *lock);
int ldlm_flock_apply(const struct ldlm_flock_op *op);

/* ldlm_flock_server.c */
int ldlm_flock_enqueue(struct ldlm_namespace *ns, struct obd_export *exp,
		       const struct ldlm_enqueue *enq, struct lustre_lock *answer);
void ldlm_flock_drop(struct ldlm_lock *lock);
void ldlm_flock_cancel(struct ldlm_lock *lock);

/* ldlm_reply.c */
bool ldlm_server_bind(struct ldlm_namespace *ns, struct obd_export *exp,
		      const struct ldlm_enqueue *enq, struct ldlm_lock *local,
		      struct lustre_lock *answer);

/* ldlm_intent.c */
int ldlm_intent_bind(struct ldlm_intent *intent, const struct lustre_lock *answer,
		     struct ldlm_lock **lock);
int ldlm_intent_blocking(struct obd_import *imp, u64 client, u64 bits);
bool ldlm_intent_exists(struct obd_import *imp, u64 client);
void ldlm_intent_free(struct ldlm_intent *intent);

/* ldlm_lvb.c */
u32 ldlm_lvb_size(const struct ldlm_namespace *ns, u32 type);
int ldlm_lvb_init(struct ldlm_resource *res);
u32 ldlm_lvb_read(const struct ldlm_resource *res, void *lvb);
u32 ldlm_lvb_grant(const struct ldlm_lock *lock, void *lvb);

/* ldlm_glimpse.c */
int ldlm_server_glimpse(struct ldlm_namespace *ns, struct obd_export *exp,
			const struct ldlm_enqueue *enq, struct lustre_lock *answer);
void ldlm_glimpse_answered(struct ldlm_lock *lock, const void *lvb, u32 len);

/* ldlm_export.c */
int ldlm_export_attach(struct ldlm_lock *lock, struct obd_export *exp);
void ldlm_export_detach(struct ldlm_lock *lock);
struct ldlm_lock *ldlm_export_lock(struct obd_export *exp, u64 cookie);
int ldlm_export_init(void);
void ldlm_export_exit(void);

/* ldlm_server_cb.c */
void ldlm_callbacks_send(struct list_head *todo);
void ldlm_waiting_lock_add(struct ldlm_lock *lock, unsigned int what);
void ldlm_waiting_lock_del(struct ldlm_lock *lock, unsigned int what);
void ldlm_callback_failed(struct ldlm_lock *lock, int rc);
void ldlm_waiting_locks_work(struct work_struct *work);

/* ldlm_client.c */
struct ldlm_lock *ldlm_client_match(struct ldlm_namespace *ns,
				    const struct ldlm_res_id *id, u32 mode,
				    const struct ldlm_policy *policy,
				    const struct ldlm_callbacks *cbs,
				    void *data);
void ldlm_client_lock_own(struct ldlm_lock *lock, const struct ldlm_callbacks *cbs,
			  void *data, u32 generation);
void ldlm_owner_get(const struct ldlm_callbacks *cbs, void *data);
void ldlm_owner_put(const struct ldlm_callbacks *cbs, void *data);
u32 ldlm_client_generation(const struct ldlm_namespace *ns);
struct ldlm_lock *ldlm_client_lock_new(struct ldlm_namespace *ns, u32 type,
				       const struct ldlm_res_id *id, u32 mode,
				       const struct ldlm_policy *policy,
				       const struct ldlm_callbacks *cbs,
				       void *data);
struct ptlrpc_request *ldlm_client_request(struct ldlm_lock *lock, u32 opc,
					   u32 flags);
int ldlm_client_granted(struct ldlm_lock *lock, u32 mode,
			const struct ldlm_policy *policy, u64 remote);
/* enum ldlm_signals - signals that end the wait for a lock */
enum ldlm_signals {
	LDLM_SIGNALS_FATAL,
	LDLM_SIGNALS_ALL,
};

int ldlm_client_enqueue(struct ldlm_lock *lock, u32 flags, enum ldlm_signals signals);
bool ldlm_client_reconnected(const struct ptlrpc_request *req);
int ldlm_client_answered(struct ldlm_lock *lock, const struct ptlrpc_request *req);
void ldlm_client_lvb(struct ldlm_lock *lock, const struct wire_msg *msg);
void ldlm_client_abandon(struct ldlm_lock *lock, int rc);
void ldlm_client_abandon_wait(struct ldlm_lock *lock, int rc);
void ldlm_client_settle(struct ldlm_lock *lock);
u16 ldlm_client_portal(const struct ldlm_namespace *ns);

/* ldlm_cancel.c */
bool ldlm_cancel_begin(struct ldlm_lock *lock);
void ldlm_cancel_end(struct list_head *locks);
/* Most locks of one request, which fits into the reserve of requests. */
#define LDLM_CANCEL_BATCH	256

void ldlm_cancel_send(struct list_head *locks, unsigned int count, bool bounded);
void ldlm_cancel_one(struct ldlm_lock *lock);
void ldlm_cancel_cookie(struct ldlm_namespace *ns, u64 client);
void ldlm_cancel_cookies(struct ldlm_namespace *ns, const __le64 *client, unsigned int count);
void ldlm_cancel_queue(struct ldlm_lock *lock);
void ldlm_cancel_start(struct ldlm_lock *lock);
void ldlm_cancel_work(struct work_struct *work);
int ldlm_cancel_wait(struct ldlm_lock *lock);
void ldlm_cancel_notify(struct ldlm_lock *lock);

/* ldlm_convert.c */
bool ldlm_convert_wanted(struct ldlm_lock *lock, u64 bits);
bool ldlm_convert_begin(struct ldlm_lock *lock);
void ldlm_convert_send(struct ldlm_lock *lock);
int ldlm_server_convert(struct ldlm_lock *lock, u64 bits);
int ldlm_handle_convert(struct ptlrpc_svc_req *sr);

/* ldlm_elc.c */
void ldlm_elc_revoked(struct ldlm_lock *lock);

/* ldlm_client_cb.c */
int ldlm_client_cb_init(void);
void ldlm_client_cb_exit(void);
void ldlm_lock_notify(struct ldlm_lock *lock, unsigned int what);
void ldlm_work_end(struct ldlm_namespace *ns, unsigned int count);
void ldlm_lock_work(struct work_struct *work);
int ldlm_lock_blocked(struct ldlm_lock *lock, u64 bits);
int ldlm_client_blocking(struct obd_import *imp, u64 client, u64 bits);
int ldlm_client_completion(struct obd_import *imp, u64 client, u64 server,
			   u32 mode, const struct ldlm_policy *policy,
			   const struct wire_msg *msg);
int ldlm_client_glimpse(struct obd_import *imp, u64 client, void *lvb);

/* ldlm_hold.c */
bool ldlm_hold_begin(struct ldlm_lock *lock);

/* ldlm_lru.c */
extern unsigned int ldlm_lru_auto;
void ldlm_lru_auto_set(unsigned int clients);
int ldlm_lru_init(void);
void ldlm_lru_exit(void);
void ldlm_lru_add(struct ldlm_lock *lock);
void ldlm_lru_del(struct ldlm_lock *lock);
unsigned int ldlm_lru_take(struct ldlm_namespace *ns, unsigned int max,
			   u64 unused_before, struct list_head *locks);
unsigned int ldlm_lru_cancel(struct ldlm_namespace *ns, unsigned int max,
			     u64 unused_before, bool bounded);
unsigned int ldlm_lru_shorten(struct ldlm_namespace *ns);
unsigned long ldlm_lru_shrink(unsigned long want);
void ldlm_lru_work(struct work_struct *work);

/* ldlm_replay.c */
void ldlm_client_drop_all(struct ldlm_namespace *ns, const u32 *generation,
			  int error);
void ldlm_client_drop(struct ldlm_lock *lock, int error);

/* ldlm_params.c */
int ldlm_params_init(void);
void ldlm_params_exit(void);
int ldlm_params_add(struct ldlm_namespace *ns);
void ldlm_params_remove(struct ldlm_namespace *ns);

/* Operations of the lock manager for the import. */
extern const struct import_lock_ops ldlm_import_ops;
extern const struct target_lock_ops ldlm_target_ops;
/* ldlm_export.c: drop the locks of a client that has disconnected. */
void ldlm_export_gone(struct obd_export *exp);

/* Each returns 0 or a negative errno; the exits undo. */
int ldlm_init(void);
void ldlm_exit(void);

#endif /* _PTLRPC_LDLM_INTERNAL_H */
