/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common definitions of services.
 *
 *	service.c	services, their portals and operations; requests: states,
 *			references, end
 *	rx.c		incoming requests: export, handler, validation
 *	thread.c	queues and threads
 *	reply.c		replies, and early replies
 *	params.c	parameters and statistics
 *	reply_cache.c	replies of operations that must not run twice
 *	history.c	the last requests
 *
 * Locks, taken in tasks only: pe_lock inside of svc_lock; hi_lock alone.
 */
#ifndef _PTLRPC_SERVICE_INTERNAL_H
#define _PTLRPC_SERVICE_INTERNAL_H

#include <linux/percpu-refcount.h>
#include <linux/refcount.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <lustre_lite/at.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/obd_class.h>
#include <lustre_lite/obd_export.h>
#include <lustre_lite/params.h>
#include <lustre_lite/ptlrpc_net.h>
#include <lustre_lite/ptlrpc_service.h>
#include <lustre_lite/ptlrpc_target.h>

/* Most unfinished requests of one client; further ones are refused. */
#define SVC_EXPORT_REQUESTS	1024
/* Replies saved for one client, and their bytes; beyond that it is refused. */
#define SVC_EXPORT_REPLIES	512
#define SVC_EXPORT_REPLY_BYTES	(1024 * 1024)
/* Replies to replays among them: the last ones, as many as a client has in flight. */
#define SVC_EXPORT_REPLAYS	64
/* Limit of the timeout in a client's request, seconds. */
#define SVC_TIMEOUT_MAX		3600
#define SVC_THREADS_LIMIT	512
#define SVC_HISTORY_DEFAULT	256
#define SVC_HISTORY_LIMIT	16384
#define SVC_HIGH_RATIO		10

/**
 * struct ptlrpc_export - ptlrpc's part of an export: exp_rpc
 * @pe_lock: guards the members of service/, and those noted in ldlm/
 * @pe_requests: the client's unanswered requests, by sr_export_item
 * @pe_request_count: their number
 * @pe_replies: struct reply_cache_entry in the order of completion
 * @pe_reply_count: their number
 * @pe_replay_count: those of replays among them
 * @pe_reply_bytes: bytes of their messages
 * @pe_last_xid: the client has every reply up to this
 * @pe_tag_xids: of each tag, the latest request: the client has the replies to those before it
 * @pe_connect_xid: of the connect in force
 * @pe_client_import: cookie of the client's import, named by callbacks
 * @pe_peer: NID of the last connect, where its requests come from; compared only, the import of
 *	callbacks holds it
 * @pe_used: the client has made a request, so it knows this export
 * @pe_written: it is a user of its client's slot on disk
 * @pe_locks: its locks; owned by ldlm
 * @pe_replay: index in recovery; owned by target/
 *
 * Callbacks go to exp_imp_reverse, to the node of the last connect.
 */
struct ptlrpc_export {
	spinlock_t		pe_lock;
	struct list_head	pe_requests;
	unsigned int		pe_request_count;
	struct list_head	pe_replies;
	unsigned int		pe_reply_count;
	unsigned int		pe_replay_count;
	size_t			pe_reply_bytes;
	u64			pe_last_xid;
	u64			pe_tag_xids[WIRE_TAG_MAX];
	u64			pe_connect_xid;
	u64			pe_client_import;
	const struct lnet_peer	*pe_peer;
	bool			pe_used;
	bool			pe_written;
	struct list_head	pe_locks;
	u32			pe_replay;
};

static inline struct ptlrpc_export *ptlrpc_export(struct obd_export *exp)
{
	return exp->exp_rpc;
}

/**
 * struct svc_recovery_ops - operations of the recovery of targets
 * @rv_is_running: whether the target waits for clients of before its restart
 * @rv_may_replay: whether a request with MSG_REPLAY has the number of one
 * @rv_admit: before a handler runs. Return: 0: go on; 1: it is held, and
 *  ptlrpc_svc_requeue()d later; a negative errno: refuse it
 * @rv_replayed: a request is over: a replay was done, or never will be
 *  (sr_handled)
 * @rv_last_committed: last transaction that survives a restart of the target
 */
struct svc_recovery_ops {
	bool (*rv_is_running)(const struct obd_device *obd);
	bool (*rv_may_replay)(const struct ptlrpc_svc_req *sr);
	int (*rv_admit)(struct ptlrpc_svc_req *sr);
	void (*rv_replayed)(struct ptlrpc_svc_req *sr);
	u64 (*rv_last_committed)(const struct obd_device *obd);
};

extern const struct svc_recovery_ops *svc_recovery;

/* enum svc_stat - statistics of a service; followed by one for each operation */
enum svc_stat {
	SVC_STAT_WAIT,		/* from arrival until a thread takes it */
	SVC_STAT_QDEPTH,
	SVC_STAT_ACTIVE,
	SVC_STAT_TIMEOUT,	/* estimate */
	SVC_STAT_MEMORY,	/* bytes charged to connections */
	SVC_STAT_EARLY,		/* early replies */
	SVC_STAT_LATE,		/* dropped, as its deadline had passed */
	SVC_STAT_NO_EXPORT,
	SVC_STAT_STALE,		/* sent before the last connect */
	SVC_STAT_OLD_XID,	/* the client has the reply */
	SVC_STAT_ATTACHED,	/* resent while the first one runs */
	SVC_STAT_ANSWERED,	/* resent, answered with the saved reply */
	SVC_STAT_CROWDED,	/* too many of one client */
	SVC_STAT_BAD_BUFFERS,
	SVC_STAT_BAD_BULK,
	SVC_STAT_BAD_OPCODE,
	SVC_STAT_NO_MEMORY,
	SVC_STAT_COUNT
};

/**
 * struct svc_reply - a reply: sent, saved, sent again
 * @srp_refcount: references: of its request, of the reply cache, of each sending
 * @srp_len: bytes of the message
 * @rp_msg: message
 */
struct svc_reply {
	refcount_t	srp_refcount;
	u32		srp_len;
	u8		rp_msg[] __aligned(8);
};

/**
 * struct reply_cache_entry - a saved reply
 * @rce_item: in pe_replies
 * @rce_xid: request
 * @rce_tag: its tag, or 0
 * @rce_replay: it was a replay: its xid may be older than the acknowledged ones
 * @rce_status: of the reply
 * @rce_reply: reply, referenced; NULL after an allocation failure
 */
struct reply_cache_entry {
	struct list_head	rce_item;
	u64			rce_xid;
	u32			rce_tag;
	bool			rce_replay;
	int			rce_status;
	struct svc_reply	*rce_reply;
};

/**
 * struct svc_thread - a thread of a service
 * @st_service: service
 * @st_task: thread
 * @st_item: in svc_threads
 * @st_idle: waits for a request
 * @st_stop: takes no more requests
 */
struct svc_thread {
	struct ptlrpc_service	*st_service;
	struct task_struct	*st_task;
	struct list_head	st_item;
	bool			st_idle;
	bool			st_stop;
};

struct ptlrpc_history_record;

/**
 * struct svc_history - the last requests of a service
 * @hi_lock: guards all of it
 * @hi_ring: ring of records; NULL for none
 * @hi_size: its capacity
 * @hi_next: number of the next request, from 1 on
 * @hi_from: requests before this one are not in the ring: it was smaller
 */
struct svc_history {
	spinlock_t		hi_lock;
	struct ptlrpc_history_record	*hi_ring;
	unsigned int		hi_size;
	u64			hi_next;
	u64			hi_from;
};

/**
 * struct ptlrpc_service - a service
 * @svc_conf: declaration
 * @svc_table: its operations, by number
 * @svc_table_count: their number
 * @svc_users: references of the registration and of each unanswered request, counted per CPU
 * @svc_unused: the last one was dropped
 * @svc_has_high: some operations have high priority
 * @svc_lock: guards the members up to @svc_at
 * @svc_queue: waiting requests, the oldest first
 * @svc_high: waiting requests of high priority
 * @svc_working: running requests, and those held by recovery
 * @svc_queued: requests in @svc_queue and @svc_high
 * @svc_active: requests in @svc_working
 * @svc_high_run: requests taken from @svc_high in a row, while others waited
 * @svc_normal: threads that run requests of normal priority
 * @svc_threads: threads
 * @svc_started: their number
 * @svc_idle: threads that wait, or have not started yet
 * @svc_serial: number of the next thread
 * @svc_busy_jiffies: when no thread was idle last
 * @svc_threads_min: parameter
 * @svc_threads_max: parameter
 * @svc_high_ratio: parameter high_priority_ratio
 * @svc_stopping: takes no more requests
 * @svc_at: estimate of service times
 * @svc_wait: wait queue of threads
 * @svc_memory: bytes charged for its requests
 * @svc_grow: starts threads
 * @svc_tick: sends early replies, ends threads; queued while there is something
 *  to do
 * @svc_history: the last requests
 * @svc_stats: enum svc_stat, then operations
 * @svc_params: directory
 *
 * Created by ptlrpc_register_service(), freed by ptlrpc_unregister_service()
 * after the last reference was dropped.
 */
struct ptlrpc_service {
	struct ptlrpc_service_conf	svc_conf;
	const struct ptlrpc_handler	**svc_table;
	size_t				svc_table_count;
	struct percpu_ref		svc_users;
	struct completion		svc_unused;
	bool				svc_has_high;

	spinlock_t			svc_lock;
	struct list_head		svc_queue;
	struct list_head		svc_high;
	struct list_head		svc_working;
	unsigned int			svc_queued;
	unsigned int			svc_active;
	unsigned int			svc_high_run;
	unsigned int			svc_normal;
	struct list_head		svc_threads;
	unsigned int			svc_started;
	unsigned int			svc_idle;
	unsigned int			svc_serial;
	unsigned long			svc_busy_jiffies;
	u32				svc_threads_min;
	u32				svc_threads_max;
	u32				svc_high_ratio;
	bool				svc_stopping;
	struct adaptive_timeout		svc_at;

	struct wait_queue_head		svc_wait;
	atomic64_t			svc_memory;
	struct work_struct		svc_grow;
	struct delayed_work		svc_tick;
	struct svc_history		svc_history;
	struct params_stats		*svc_stats;
	struct lustre_params_entry	*svc_params;
};

/* service.c */
struct ptlrpc_service *svc_find(u16 portal);
void svc_put(struct ptlrpc_service *svc);
const struct ptlrpc_handler *svc_handler(const struct ptlrpc_service *svc,
					 const struct obd_export *exp,
					 u16 portal, u32 opc);
int ptlrpc_service_init(const struct svc_recovery_ops *recovery);
void ptlrpc_service_exit(void);

const char *svc_state_name(enum sr_state state);
bool svc_req_move(struct ptlrpc_svc_req *sr, enum sr_state to);
struct ptlrpc_svc_req *svc_req_new(struct ptlrpc_service *svc,
				   const struct ptlrpc_handler *handler,
				   struct lnet_rx *rx, u32 charge);
struct ptlrpc_svc_req *svc_req_get(struct ptlrpc_svc_req *sr);
void svc_req_put(struct ptlrpc_svc_req *sr);
void svc_req_release(struct ptlrpc_svc_req *sr);
void svc_req_drop(struct ptlrpc_svc_req *sr);

/* rx.c: called by the network. */
int ptlrpc_rx_request(struct lnet_rx *rx);
void ptlrpc_rx_request_done(struct lnet_rx *rx, int rc);

/* thread.c: queue a request that recovery has held, from any task. */
void ptlrpc_svc_requeue(struct ptlrpc_svc_req *sr);
int svc_threads_start(struct ptlrpc_service *svc);
void svc_threads_stop(struct ptlrpc_service *svc);
void svc_threads_check(struct ptlrpc_service *svc);
void svc_enqueue(struct ptlrpc_svc_req *sr);
void svc_handle(struct ptlrpc_svc_req *sr);
void svc_leave(struct ptlrpc_svc_req *sr);
bool svc_needs_admission(const struct ptlrpc_svc_req *sr);

/* reply.c */
void svc_reply_put(struct svc_reply *reply);
int svc_send_error(struct lnet_conn *conn, const struct wire_msg *request,
		   int status);
int svc_send(struct lnet_conn *conn, struct svc_reply *reply);
void svc_answer(struct ptlrpc_svc_req *sr, int status);
u32 svc_estimate(struct ptlrpc_service *svc);
void svc_early_replies(struct ptlrpc_service *svc);

/* enum reply_cache_verdict - decision about a request */
enum reply_cache_verdict {
	RCV_NEW,	/* handle it; recorded from now on */
	RCV_OLD,	/* the client has the reply */
	RCV_ATTACHED,	/* the first one runs and will be answered here */
	RCV_ANSWERED,	/* was handled, and the reply was resent */
	RCV_CROWDED,	/* the client has too many */
	RCV_NO_MEMORY,
};

/* reply_cache.c */
enum reply_cache_verdict reply_cache_begin(struct ptlrpc_svc_req *sr);
void reply_cache_end(struct ptlrpc_svc_req *sr, bool done);
void reply_cache_free(struct ptlrpc_export *pe);
struct lnet_conn *reply_cache_conn(struct ptlrpc_svc_req *sr);

/* history.c */
int svc_history_init(struct svc_history *hi, unsigned int size);
void svc_history_free(struct svc_history *hi);
int svc_history_resize(struct svc_history *hi, unsigned int size);
void svc_history_add(struct ptlrpc_svc_req *sr);
void svc_history_note(struct ptlrpc_svc_req *sr, u64 now);
unsigned int svc_history_len(struct svc_history *hi);
int svc_history_read(struct params_sink *sink, void *data);

/* params.c */
int svc_params_add(struct ptlrpc_service *svc);
void svc_params_remove(struct ptlrpc_service *svc);
void svc_count(struct ptlrpc_service *svc, unsigned int stat, u64 value);
void svc_count_op(struct ptlrpc_service *svc, u32 opc, u64 usec);

#endif /* _PTLRPC_SERVICE_INTERNAL_H */
