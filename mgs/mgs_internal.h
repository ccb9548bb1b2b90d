/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the files of the management service. Each owns one noun:
 *
 *	mgs_obd.c	the device: setup, cleanup, connections; the module
 *	handler.c	requests of nodes
 *	register.c	registration of targets, and targets in service
 *	change.c	changes, and the task that makes them
 *	node.c		connected nodes and their subscriptions
 *	notify.c	notification of nodes, and waiting for them
 *	trial.c		trial of a setting before it is stored
 *	nidtbl.c	NID tables
 *	params.c	parameters
 *	ioctl.c		/dev/libcfs
 *
 * The layers below are log/, the contents of the logs, and store/, their files. Neither
 * knows a device or calls a higher layer.
 */
#ifndef _MGS_INTERNAL_H
#define _MGS_INTERNAL_H

#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/path.h>
#include <linux/ratelimit.h>
#include <linux/refcount.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <lustre_lite/config_res.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/obd_class.h>
#include <lustre_lite/obd_export.h>
#include <lustre_lite/obd_ops.h>
#include <lustre_lite/params.h>
#include <lustre_lite/ptlrpc_target.h>

#include "log/log.h"
#include "store/store.h"

#define MGS_TYPE		"mgs"

/* Limits of subscriptions of a node, and of resources of a service */
#define MGS_NODE_LOGS_MAX	256
#define MGS_RESOURCES_MAX	4096
/* Number of remembered changes, for tasks that wait */
#define MGS_CHANGES_KEPT	64
/* Number of patterns that are not tried again */
#define MGS_PATTERNS_KEPT	256

/**
 * struct mgs_resource - a resource that nodes subscribe to
 * @res_node: in md_resources
 * @res_res: resource
 * @res_type: enum config_type
 * @res_name: file system, or "params"
 * @res_subscribers: subscriptions (struct mgs_subscription), which hold it
 * @res_due: subscribers that are not notified of a change yet
 * @res_want: version of the NID table that they were notified of
 * @res_pending: subscribers that do not have that version yet
 * @res_began_ns: time of the notification
 *
 * Guarded by md_nodes_lock. Created with the first subscription, freed with the last.
 */
struct mgs_resource {
	struct hlist_node	res_node;
	struct ldlm_res_id	res_res;
	u32			res_type;
	char			res_name[LUSTRE_MAXFSNAME + 1];
	u32			res_subscribers;
	u32			res_due;
	u64			res_want;
	u32			res_pending;
	u64			res_began_ns;
};

/**
 * struct mgs_ack - acknowledgement of a log by a node: struct lustre_config_ack
 * @name: log; file system of a NID table
 * @type: enum config_type
 * @status: as ca_status
 * @epoch: epoch that it read
 * @generation: generation that it applied
 * @last_index: last record that it applied
 * @applied: number of records that it applied
 * @failed: number of records that failed
 * @failed_index: first of these
 * @why: why that failed, printable; or empty
 */
struct mgs_ack {
	char	name[WIRE_LOGNAME_LEN];
	u32	type;
	int	status;
	u64	epoch;
	u64	generation;
	u32	last_index;
	u32	applied;
	u32	failed;
	u32	failed_index;
	char	why[OBD_WHY_MAX];
};

/**
 * struct mgs_subscription - a subscription of a node to a log
 * @su_item: in mn_subscriptions
 * @su_resource: resource, held
 * @su_pending: the node was notified of a version of the NID table that it does not have yet
 * @su_want: generation of the log that the node is notified of
 * @su_ack: its last acknowledgement
 */
struct mgs_subscription {
	struct list_head	su_item;
	struct mgs_resource	*su_resource;
	bool			su_pending;
	u64			su_want;
	struct mgs_ack		su_ack;
};

/**
 * struct mgs_peer - a NID that nodes are connected from
 * @mp_item: in md_peers
 * @mp_nid: NID
 * @mp_nodes: its nodes (struct mgs_node), which hold it
 * @mp_subscriptions: subscriptions of all of them
 * @mp_registers: budget of registrations
 * @mp_filled: time when the budget was computed, jiffies
 *
 * Guarded by md_nodes_lock. Created with the first node of the NID; freed without nodes
 * when the budget is full.
 */
struct mgs_peer {
	struct list_head	mp_item;
	struct lnet_nid		mp_nid;
	u32			mp_nodes;
	u32			mp_subscriptions;
	u32			mp_registers;
	unsigned long		mp_filled;
};

/**
 * struct mgs_serving - a target in service
 * @sv_item: in md_serving
 * @sv_node: node that runs it; outlives this
 * @sv_instance: instance of its start
 * @sv_since: time of its registration, seconds since 1970
 * @sv_name: target
 *
 * Guarded by md_nodes_lock.
 */
struct mgs_serving {
	struct list_head	sv_item;
	struct mgs_node		*sv_node;
	u32			sv_instance;
	time64_t		sv_since;
	char			sv_name[LDD_SVNAME_LEN];
};

/**
 * struct mgs_node - a client: exp_data of its export
 * @mn_item: in md_nodes while it is connected
 * @mn_exp: export, which owns this
 * @mn_subscriptions: subscriptions; none after it has disconnected
 * @mn_count: number of subscriptions
 * @mn_gone: it has disconnected or was evicted
 * @mn_peer: its NID, held until @mn_gone
 *
 * Guarded by md_nodes_lock. Freed with its export.
 */
struct mgs_node {
	struct list_head	mn_item;
	struct obd_export	*mn_exp;
	struct list_head	mn_subscriptions;
	u32			mn_count;
	bool			mn_gone;
	struct mgs_peer		*mn_peer;
};

/**
 * struct mgs_trial - a setting that is being tried
 * @trial_number: number of the trial; rises over restarts too
 * @trial_cfg: struct lustre_cfg; NULL: no trial
 * @trial_len: length of @trial_cfg
 * @trial_taken: nodes with a parameter that accepts it
 * @trial_refused: nodes that refused it
 * @trial_rc: errno of the first refusal
 * @trial_why: its reason
 *
 * Guarded by md_nodes_lock.
 */
struct mgs_trial {
	u64	trial_number;
	void	*trial_cfg;
	u32	trial_len;
	u32	trial_taken;
	u32	trial_refused;
	int	trial_rc;
	char	trial_why[OBD_WHY_MAX];
};

/**
 * struct mgs_writer - the one task that makes changes and writes to the directory
 * @wtr_name: name of the service, for messages
 * @wtr_path: directory, for messages
 * @wtr_store: set and cleared by the jobs that open and close it
 * @wtr_lock: held over each job: one change at a time. Only the writer takes it
 * @wtr_queue: jobs
 * @wtr_retry: tries again to write what could not be written
 * @wtr_said: mgs_store_failed() as reported last; under @wtr_lock
 */
struct mgs_writer {
	const char		*wtr_name;
	const struct path	*wtr_path;
	struct mgs_store	*wtr_store;
	struct mutex		wtr_lock;
	struct workqueue_struct	*wtr_queue;
	struct delayed_work	wtr_retry;
	int			wtr_said;
};

/**
 * struct mgs_device - a management service: obd_data
 * @md_obd: device
 * @md_started: time of the setup, ktime_get_seconds()
 * @md_refs: the device, until its cleanup; tasks that wait for nodes
 * @md_item: in the list of services, guarded by its lock
 * @md_path: directory, referenced
 * @md_backend: the same for the store
 * @md_writer: the task that makes changes of @md_store. Readers of logs take a view,
 *	mgs_store_view()
 * @md_store: store
 * @md_changed_lock: guards @md_changed; within all others
 * @md_changed: struct mgs_changed, the newest first
 * @md_changed_count: number of these
 * @md_nodes_lock: guards @md_nodes, @md_peers, @md_serving, @md_resources,
 *	@md_resource_count and @md_trial; within @md_writer's lock
 * @md_nodes: connected clients
 * @md_peers: struct mgs_peer, those of connected nodes first
 * @md_serving: struct mgs_serving
 * @md_resources: resources that they subscribe to
 * @md_resource_count: how many
 * @md_news: rises when a node acknowledges or disconnects
 * @md_wait: tasks that wait for that
 * @md_stopping: waiting ends
 * @md_wave: notifies the subscribers after the first ones
 * @md_notify_first: number of subscribers that are notified at once; a parameter
 * @md_notify_rate: notifications per second after these; a parameter
 * @md_allow_register: targets without a known identity may register; a parameter
 * @md_refusals: limits messages about refused registrations
 * @md_trial_wait: time that a trial waits for nodes, nanoseconds; a parameter
 * @md_trial_lock: one trial at a time; guards @md_patterns; the outermost lock
 * @md_patterns: struct mgs_pattern, the most recently used first
 * @md_pattern_count: number of these
 * @md_trial: trial
 * @md_nidtbl_lock: guards @md_nidtbls, to which only the writer adds; within all others
 * @md_nidtbls: NID tables
 * @md_live_lock: guards @md_lives
 * @md_lives: struct mgs_live, until the device is cleaned up
 *
 * Created by o_setup. All but its memory ends in o_cleanup; the last reference frees it.
 */
struct mgs_device {
	struct obd_device		*md_obd;
	time64_t			md_started;
	refcount_t			md_refs;
	struct list_head		md_item;
	struct path			md_path;
	struct mgs_backend		*md_backend;
	struct mgs_writer		md_writer;
	struct mgs_store		*md_store;
	struct mutex			md_changed_lock;
	struct list_head		md_changed;
	unsigned int			md_changed_count;
	struct mutex			md_nodes_lock;
	struct list_head		md_nodes;
	struct list_head		md_peers;
	struct list_head		md_serving;
	DECLARE_HASHTABLE(md_resources, 6);
	unsigned int			md_resource_count;
	atomic_t			md_news;
	wait_queue_head_t		md_wait;
	bool				md_stopping;
	struct delayed_work		md_wave;
	u32				md_notify_first;
	u32				md_notify_rate;
	bool				md_allow_register;
	struct ratelimit_state		md_refusals;
	u64				md_trial_wait;
	struct mutex			md_trial_lock;
	struct list_head		md_patterns;
	unsigned int			md_pattern_count;
	struct mgs_trial		md_trial;
	struct mutex			md_nidtbl_lock;
	struct list_head		md_nidtbls;
	struct mutex			md_live_lock;
	struct list_head		md_lives;
};

static inline struct mgs_device *mgs_device(struct obd_device *obd)
{
	return obd->obd_data;
}

extern struct obd_type mgs_type;
extern const struct ptlrpc_target_ops mgs_target_ops;

/* mgs_obd.c */
struct mgs_device *mgs_device_get(struct mgs_device *md);
void mgs_device_put(struct mgs_device *md);
struct obd_device * __must_check mgs_find(const struct net *net);
void mgs_find_done(struct obd_device *obd);

/* handler.c */
int mgs_set_info(struct obd_export *exp, const char *key, const void *val,
		 u32 vallen);
/**
 * struct mgs_part_wanted - a request to read a part of a log
 * @name: log, or file system
 * @type: enum config_type
 * @size: size of the reader's buffer
 * @epoch: epoch that the reader knows
 * @offset: first byte; of a NID table: the version that the reader has
 */
struct mgs_part_wanted {
	const char	*name;
	u32		type;
	u32		size;
	u64		epoch;
	u64		offset;
};

u64 mgs_wire_epoch(const struct mgs_device *md, u64 epoch);
bool mgs_name_ok(const char *name, size_t size);
void *mgs_read_reply(struct ptlrpc_svc_req *sr,
		     const struct lustre_config_info *info, u32 len);

/* register.c */
int mgs_target_register(struct ptlrpc_svc_req *sr);
int mgs_target_stop(struct obd_export *exp, const void *val, u32 vallen);
int mgs_serving_read(struct params_sink *sink, void *data);
void __mgs_serving_node_gone(struct mgs_device *md, struct mgs_node *node);

/**
 * struct mgs_change - a change
 * @who: who makes it
 * @fn: edits the logs within @txn; the writer calls it
 * @done: called by the writer after the commit; or NULL
 * @data: for both
 * @dry_run: only count what it would modify
 * @why: out: reason of a refusal
 * @generation: out: generation after it; 0: it modified nothing
 * @logs: out: number of logs that it modified
 * @records: out: number of records that it wrote or cancelled
 */
struct mgs_change {
	struct mgs_who	who;
	int		(*fn)(struct mgs_txn *txn, struct mgs_change *change);
	void		(*done)(struct mgs_device *md, struct mgs_change *change);
	void		*data;
	bool		dry_run;
	struct obd_why why;
	u64		generation;
	u32		logs;
	u32		records;
};

/**
 * struct mgs_changed - the logs that a change modified
 * @cd_item: in md_changed
 * @cd_refs: the list; the task that notifies the nodes
 * @cd_generation: generation after the change
 * @cd_count: number of logs
 * @cd_capacity: allocated entries
 * @cd_logs: their names
 */
struct mgs_changed {
	struct list_head	cd_item;
	refcount_t		cd_refs;
	u64			cd_generation;
	u32			cd_count;
	u32			cd_capacity;
	char			cd_logs[][MGS_LOGNAME_MAX];
};

/* change.c */
typedef int (*mgs_job_fn)(void *data);
int mgs_writer_start(struct mgs_writer *wr, const char *name,
		     const struct path *path);
void mgs_writer_idle(struct mgs_writer *wr);
void mgs_writer_stop(struct mgs_writer *wr);
int mgs_writer_run(struct mgs_writer *wr, mgs_job_fn fn, void *data,
		   bool killable);
int mgs_change_do(struct mgs_device *md, struct mgs_change *change);
void mgs_changed_free(struct mgs_device *md);

/* node.c */
int mgs_node_new(struct mgs_device *md, struct obd_export *exp);
void mgs_node_gone(struct mgs_device *md, struct mgs_node *node);
int mgs_node_subscribe(struct mgs_device *md, struct mgs_node *node,
		       const char *log, u32 type, u32 *subscribers);
void mgs_nodes_await(struct mgs_device *md, const char *fsname, u64 version);
void mgs_nodes_want(struct mgs_device *md, const struct mgs_changed *changed);
int mgs_node_ack(struct mgs_device *md, struct mgs_node *node,
		 const struct mgs_ack *ack);
struct mgs_resource *mgs_resource_find(struct mgs_device *md, const char *name,
				       u32 type);
int mgs_resource_name(const char *log, u32 type, char *name, size_t size);
void mgs_nid_text(const struct obd_export *exp, char *buf, size_t size);

int mgs_peer_register(struct mgs_device *md, struct mgs_node *node);
void mgs_peers_free(struct mgs_device *md);

/* notify.c */
void mgs_notify(struct mgs_device *md, const char *name, u32 type);
void mgs_notify_logs(struct mgs_device *md, const struct mgs_changed *changed);
void mgs_notify_work(struct work_struct *work);
u32 mgs_notify_jitter(const struct mgs_device *md, u32 subscribers);

/* struct mgs_awaited_log - a log, and the generation that nodes must have applied */
struct mgs_awaited_log {
	char	name[MGS_LOGNAME_MAX];
	u64	generation;
};

/**
 * struct mgs_awaited - what a task waits for
 * @generation: of the configuration
 * @count: number of logs
 * @capacity: allocated entries
 * @logs: logs, from kvmalloc()
 */
struct mgs_awaited {
	u64			generation;
	unsigned int		count;
	unsigned int		capacity;
	struct mgs_awaited_log	*logs;
};

int mgs_wait_prepare(struct mgs_device *md, struct mgs_ioc_wait *wait,
		     struct mgs_awaited *aw);
int mgs_wait_nodes(struct mgs_device *md, const struct mgs_awaited *aw,
		   struct mgs_ioc_wait *wait);
void mgs_wait_end(struct mgs_awaited *aw);
void mgs_wait_wake(struct mgs_device *md);
int mgs_wait_news(struct mgs_device *md, int seen, long *left, bool killable);

/* trial.c */
int mgs_trial_run(struct mgs_device *md, u32 command, const char *pattern,
		  const char *value, struct obd_why *why);
int mgs_trial_read(struct mgs_device *md, struct mgs_node *node,
		   struct ptlrpc_svc_req *sr, const char *log, u32 size);
void __mgs_trial_ack(struct mgs_device *md, struct mgs_node *node,
		     const struct mgs_ack *ack);
void mgs_trial_free(struct mgs_device *md);

/* struct mgs_ir - statistics of a NID table: how long subscribers took to get a version */
struct mgs_ir {
	u64	version;
	u64	total_ns;
	u64	max_ns;
	u32	count;
};

/* nidtbl.c */
void mgs_nidtbl_load(struct mgs_device *md);
int mgs_nidtbl_next(struct mgs_device *md, const char *fsname, u64 *version);
int mgs_nidtbl_put(struct mgs_txn *txn, const struct mgs_target *target,
		   u32 instance, u64 version, const struct lustre_nid *nids);
void mgs_nidtbl_forget(struct mgs_device *md, const char *name);
bool mgs_nidtbl_same(struct mgs_device *md, const struct mgs_target *target,
		     u32 instance, const struct lustre_nid *nids);
void mgs_nidtbl_set(struct mgs_device *md, const struct mgs_target *target,
		    u32 instance, u64 version, const struct lustre_nid *nids);
int mgs_nidtbl_read(struct mgs_device *md, struct mgs_node *node,
		    struct ptlrpc_svc_req *sr,
		    const struct mgs_part_wanted *want);
void mgs_nidtbl_see(struct mgs_device *md, const struct mgs_target *target);
bool mgs_nidtbl_seen(struct mgs_device *md, const struct mgs_target *target);
bool mgs_nidtbl_refuse(struct mgs_device *md, const struct mgs_target *target, u32 instance);
void mgs_nidtbl_told(struct mgs_device *md, const char *fsname, u64 ns);
void mgs_nidtbl_ir(struct mgs_device *md, const char *fsname,
		   struct mgs_ir *ir);
void mgs_nidtbl_free(struct mgs_device *md);

/* params.c */
int mgs_live_init(struct mgs_device *md);
void mgs_live_update(struct mgs_device *md);
void mgs_live_free(struct mgs_device *md);

int mgs_params_add(struct mgs_device *md);

/* ioctl.c */
int mgs_ioctl_init(void);
void mgs_ioctl_exit(void);

#endif /* _MGS_INTERNAL_H */
