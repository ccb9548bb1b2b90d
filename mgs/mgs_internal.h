/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the management service have in common. Each owns one noun:
 *
 *	mgs_obd.c	the device: setup, cleanup, its clients; the module
 *	handler.c	requests
 *	register.c	a target registers, and is in service
 *	change.c	a change: done, remembered, told, waited for
 *	node.c		nodes that are connected, and the logs that each follows
 *	notify.c	which nodes are told of a change, and when
 *	trial.c		a setting is tried before it is stored
 *	nidtbl.c	tables of NIDs
 *	params.c	parameters
 *	ioctl.c		/dev/libcfs
 *
 * Below it are log/, what is written into the logs, and below that store/, the files
 * and the task that writes them. Neither knows a device, or calls the layer above.
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
#include "store/folder.h"
#include "store/store.h"

#define MGS_TYPE		"mgs"
/* Name of the log of settings that are for all. */
#define MGS_PARAMS_LOG		CONFIG_RES_PARAMS

/* Most logs that a node follows, and most subjects of a service. */
#define MGS_NODE_LOGS_MAX	256
#define MGS_SUBJECTS_MAX	4096
/* Changes whose logs are remembered, for who waits. */
#define MGS_CHANGES_KEPT	64
/* Patterns that need not be tried again. */
#define MGS_PATTERNS_KEPT	256

/**
 * struct mgs_subject - a resource that nodes subscribe to
 * @sj_node: in md_subjects
 * @sj_res: resource
 * @sj_type: enum config_type
 * @sj_name: file system, or "params"
 * @sj_follows: struct mgs_follow of it, which hold it
 * @sj_due: so many have still to be told of a change
 * @sj_want: version of the table of NIDs that they were told of
 * @sj_owing: those of them that do not have it yet
 * @sj_began_ns: when they were told
 *
 * Guarded by md_nodes_lock. Made with the first follower, freed with the last.
 */
struct mgs_subject {
	struct hlist_node	sj_node;
	struct ldlm_res_id	sj_res;
	u32			sj_type;
	char			sj_name[LUSTRE_MAXFSNAME + 1];
	u32			sj_follows;
	u32			sj_due;
	u64			sj_want;
	u32			sj_owing;
	u64			sj_began_ns;
};

/**
 * struct mgs_ack - what a node says of a log: struct lustre_config_ack
 * @name: log; file system of a table of NIDs
 * @type: enum config_type
 * @status: as ca_status
 * @born: as ca_born
 * @generation: ...
 * @last_index: ...
 * @applied: ...
 * @failed: ...
 * @failed_index: ...
 * @why: text, printable; empty
 */
struct mgs_ack {
	char	name[WIRE_LOGNAME_LEN];
	u32	type;
	int	status;
	u64	born;
	u64	generation;
	u32	last_index;
	u32	applied;
	u32	failed;
	u32	failed_index;
	char	why[OBD_WHY_MAX];
};

/**
 * struct mgs_follow - a log that a node follows
 * @mf_item: in mn_follows
 * @mf_subject: held
 * @mf_owes: it was told of a version of the table, and does not have it yet
 * @mf_want: generation of the log that its node was told of last, or is about to be
 * @mf_ack: what it said last
 */
struct mgs_follow {
	struct list_head	mf_item;
	struct mgs_subject	*mf_subject;
	bool			mf_owes;
	u64			mf_want;
	struct mgs_ack		mf_ack;
};

/**
 * struct mgs_peer - a NID that nodes are connected from
 * @mp_item: in md_peers
 * @mp_nid: NID
 * @mp_nodes: struct mgs_node of it, which hold it
 * @mp_follows: logs that they follow, together
 * @mp_registers: registrations that it may make at once
 * @mp_filled: when that was computed, jiffies
 *
 * Guarded by md_nodes_lock. Made with the first node of the NID; freed when none is
 * left and time has passed.
 */
struct mgs_peer {
	struct list_head	mp_item;
	struct lnet_nid		mp_nid;
	u32			mp_nodes;
	u32			mp_follows;
	u32			mp_registers;
	unsigned long		mp_filled;
};

/**
 * struct mgs_serving - a target in service
 * @sv_item: in md_serving
 * @sv_node: node that runs it, which outlives this
 * @sv_instance: number of its start
 * @sv_since: when it registered, seconds since 1970
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
 * @mn_item: in md_nodes, while it is connected
 * @mn_exp: export, which owns this
 * @mn_follows: logs that it follows; none once it has disconnected
 * @mn_count: how many
 * @mn_gone: it has disconnected, or was evicted
 * @mn_peer: its NID, held until then
 *
 * Guarded by md_nodes_lock. Freed with its export.
 */
struct mgs_node {
	struct list_head	mn_item;
	struct obd_export	*mn_exp;
	struct list_head	mn_follows;
	u32			mn_count;
	bool			mn_gone;
	struct mgs_peer		*mn_peer;
};

/**
 * struct mgs_trial - a setting that is being tried
 * @tr_number: number of it; rises, over restarts too
 * @tr_cfg: struct lustre_cfg, NULL while there is none
 * @tr_len: its bytes
 * @tr_taken: nodes with a parameter that would take it
 * @tr_refused: nodes that refused it
 * @tr_rc: why the first one did
 * @tr_why: in words
 *
 * Guarded by md_nodes_lock.
 */
struct mgs_trial {
	u64	tr_number;
	void	*tr_cfg;
	u32	tr_len;
	u32	tr_taken;
	u32	tr_refused;
	int	tr_rc;
	char	tr_why[OBD_WHY_MAX];
};

/**
 * struct mgs_writer - the one task that makes changes and writes to the directory
 * @wr_name: name of the service, for messages
 * @wr_path: directory, for messages
 * @wr_store: set and cleared by the jobs that open and close it
 * @wr_lock: held over each job: one change at a time. Only the writer takes it
 * @wr_queue: jobs
 * @wr_retry: tries again to write what could not be written
 * @wr_said: mgs_store_failed() as reported last; under @wr_lock
 */
struct mgs_writer {
	const char		*wr_name;
	const struct path	*wr_path;
	struct mgs_store	*wr_store;
	struct mutex		wr_lock;
	struct workqueue_struct	*wr_queue;
	struct delayed_work	wr_retry;
	int			wr_said;
};

/**
 * struct mgs_device - a management service: obd_data
 * @md_obd: device
 * @md_started: when the service was set up, ktime_get_seconds()
 * @md_refs: the device, until its cleanup, and who waits
 * @md_item: in the list of services, guarded by its lock
 * @md_path: folder, referenced
 * @md_folder: the same for the store
 * @md_writer: the task that makes changes of @md_store. Readers of logs take a view,
 *	mgs_store_view()
 * @md_store: store
 * @md_changed_lock: guards @md_changed; within all others
 * @md_changed: struct mgs_changed, the newest first
 * @md_changed_count: how many
 * @md_nodes_lock: guards @md_nodes, @md_peers, @md_serving, @md_subjects,
 *	@md_subject_count and @md_trial; within @md_writer's lock
 * @md_nodes: clients that are connected
 * @md_peers: struct mgs_peer, those of connected nodes first
 * @md_serving: struct mgs_serving
 * @md_subjects: resources that they subscribe to
 * @md_subject_count: how many
 * @md_news: rises when a node said something, or went
 * @md_wait: who waits for that
 * @md_stopping: nobody is to wait any more
 * @md_wave: tells those who are not told at once
 * @md_notify_first: so many are told at once; parameter, as are the next three
 * @md_notify_rate: and so many within each second after that
 * @md_allow_register: targets that are not known may register
 * @md_refusals: how often refused registrations are told
 * @md_trial_wait: how long nodes are waited for with a trial, nanoseconds
 * @md_trial_lock: one trial at a time; guards @md_patterns; the outermost lock
 * @md_patterns: struct mgs_pattern, the one that was used last first
 * @md_pattern_count: how many
 * @md_trial: trial
 * @md_nidtbl_lock: guards @md_nidtbls, which the writer alone adds to; within all
 *	others
 * @md_nidtbls: tables of NIDs
 * @md_live_lock: guards @md_lives
 * @md_lives: struct mgs_live, until the device is cleaned up
 *
 * Made by o_setup. The last reference frees it; all but memory ends in o_cleanup.
 */
struct mgs_device {
	struct obd_device		*md_obd;
	time64_t			md_started;
	refcount_t			md_refs;
	struct list_head		md_item;
	struct path			md_path;
	struct mgs_folder		*md_folder;
	struct mgs_writer		md_writer;
	struct mgs_store		*md_store;
	struct mutex			md_changed_lock;
	struct list_head		md_changed;
	unsigned int			md_changed_count;
	struct mutex			md_nodes_lock;
	struct list_head		md_nodes;
	struct list_head		md_peers;
	struct list_head		md_serving;
	DECLARE_HASHTABLE(md_subjects, 6);
	unsigned int			md_subject_count;
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
/*
 * The service of a network namespace: its device, inside of its gate and referenced
 * (OBD_REF_LOOKUP); or NULL.
 */
struct obd_device * __must_check mgs_find(const struct net *net);
void mgs_find_done(struct obd_device *obd);

/* handler.c */
int mgs_set_info(struct obd_export *exp, const char *key, const void *val,
		 u32 vallen);
/**
 * struct mgs_part_wanted - a part of a log that is asked for
 * @name: log, or file system
 * @type: enum config_type
 * @room: most bytes
 * @born: that the reader knows
 * @offset: first byte; of a table of NIDs the version that it has
 */
struct mgs_part_wanted {
	const char	*name;
	u32		type;
	u32		room;
	u64		born;
	u64		offset;
};

u64 mgs_wire_born(const struct mgs_device *md, u64 born);
/* A name from elsewhere: 1 to WIRE_LOGNAME_LEN - 1 bytes, no path. */
bool mgs_name_ok(const char *name, size_t room);
/* The reply of a read, with room for @len bytes of the log. */
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
 * @fn: does it, within @txn
 * @done: told by the writer when it is on the disk; or NULL
 * @data: for both
 * @dry_run: only say what it would do
 * @why: out, why not
 * @generation: out, 0 when it changed nothing
 * @logs: out
 * @records: out
 */
struct mgs_change {
	struct mgs_who	who;
	int		(*fn)(struct mgs_txn *txn, struct mgs_change *change);
	void		(*done)(struct mgs_device *md, struct mgs_change *change);
	void		*data;
	bool		dry_run;
	struct mgs_words why;
	u64		generation;
	u32		logs;
	u32		records;
};

/**
 * struct mgs_changed - the logs that a change was in
 * @ch_item: in md_changed
 * @ch_refs: the list, and who tells of it
 * @ch_generation: generation after it
 * @ch_count: logs
 * @ch_room: room for so many
 * @ch_logs: their names
 */
struct mgs_changed {
	struct list_head	ch_item;
	refcount_t		ch_refs;
	u64			ch_generation;
	u32			ch_count;
	u32			ch_room;
	char			ch_logs[][MGS_LOGNAME_MAX];
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
/*
 * It reads a log, and so follows it. @followers: out, nodes that are told of the
 * same changes.
 */
int mgs_node_follow(struct mgs_device *md, struct mgs_node *node,
		    const char *log, u32 type, u32 *followers);
void mgs_nodes_owe(struct mgs_device *md, const char *fsname, u64 version);
void mgs_nodes_want(struct mgs_device *md, const struct mgs_changed *changed);
int mgs_node_ack(struct mgs_device *md, struct mgs_node *node,
		 const struct mgs_ack *ack);
struct mgs_subject *mgs_subject_find(struct mgs_device *md, const char *name,
				     u32 type);
/* Name of the subject that a log belongs to. */
int mgs_subject_name(const char *log, u32 type, char *name, size_t size);
void mgs_nid_text(const struct obd_export *exp, char *buf, size_t size);

int mgs_peer_register(struct mgs_device *md, struct mgs_node *node);
void mgs_peers_free(struct mgs_device *md);

/* notify.c */
void mgs_notify(struct mgs_device *md, const char *name, u32 type);
void mgs_notify_logs(struct mgs_device *md, const struct mgs_changed *changed);
void mgs_notify_work(struct work_struct *work);
/* How long readers are to spread over, where so many follow. */
u32 mgs_notify_jitter(const struct mgs_device *md, u32 followers);

/* struct mgs_awaited_log - a log, and what a node needs to have of it */
struct mgs_awaited_log {
	char	name[MGS_LOGNAME_MAX];
	u64	generation;
};

/**
 * struct mgs_awaited - what is waited for
 * @generation: of the configuration
 * @count: logs
 * @room: room for so many
 * @logs: logs, from kvmalloc()
 */
struct mgs_awaited {
	u64			generation;
	unsigned int		count;
	unsigned int		room;
	struct mgs_awaited_log	*logs;
};

int mgs_wait_prepare(struct mgs_device *md, struct mgs_ioc_wait *wait,
		     struct mgs_awaited *aw);
int mgs_wait_nodes(struct mgs_device *md, const struct mgs_awaited *aw,
		   struct mgs_ioc_wait *wait);
void mgs_wait_end(struct mgs_awaited *aw);
/* A node said something or went. */
void mgs_wait_wake(struct mgs_device *md);
/* Until that, the service stops, or the time is over. -EINTR when a signal comes. */
int mgs_wait_news(struct mgs_device *md, int seen, long *left, bool killable);

/* trial.c */
int mgs_trial_run(struct mgs_device *md, u32 command, const char *pattern,
		  const char *value, struct mgs_words *why);
int mgs_trial_read(struct mgs_device *md, struct mgs_node *node,
		   struct ptlrpc_svc_req *sr, const char *log, u32 room);
/* A node answers; md_nodes_lock is held. */
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
/* Whether its entry is this one already. */
bool mgs_nidtbl_same(struct mgs_device *md, const struct mgs_target *target,
		     u32 instance, const struct lustre_nid *nids);
void mgs_nidtbl_set(struct mgs_device *md, const struct mgs_target *target,
		    u32 instance, u64 version, const struct lustre_nid *nids);
int mgs_nidtbl_read(struct mgs_device *md, struct mgs_node *node,
		    struct ptlrpc_svc_req *sr,
		    const struct mgs_part_wanted *want);
void mgs_nidtbl_see(struct mgs_device *md, const struct mgs_target *target);
bool mgs_nidtbl_seen(struct mgs_device *md, const struct mgs_target *target);
void mgs_nidtbl_told(struct mgs_device *md, const char *fsname, u64 ns);
void mgs_nidtbl_ir(struct mgs_device *md, const char *fsname,
		   struct mgs_ir *ir);
void mgs_nidtbl_free(struct mgs_device *md);

/* params.c; live.FS: updated after each change */
int mgs_live_init(struct mgs_device *md);
void mgs_live_update(struct mgs_device *md);
void mgs_live_free(struct mgs_device *md);

int mgs_params_add(struct mgs_device *md);

/* ioctl.c */
int mgs_ioctl_init(void);
void mgs_ioctl_exit(void);

#endif /* _MGS_INTERNAL_H */
