/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common definitions of mgc.ko. Each file owns one noun:
 *
 *	mgc_obd.c	the module; a device: setup, cleanup, events of its import
 *	mgc_node.c	the service's nodes: finding or starting the shared client
 *	mgc_log.c	a followed log: its life, and the logs followed along with it
 *	mgc_follow.c	the lock, and the work that reads, applies and acknowledges
 *	mgc_fetch.c	fetching bytes of a log from the service
 *	mgc_apply.c	applying the bytes of a log: all, appended ones, those of a trial
 *	mgc_conns.c	servers that a log names for its devices, and switching to them
 *	mgc_created.c	devices, targets and pools created by a log
 *	mgc_rules.c	settings of a log, as rules; mgc_rule_key.c their identity
 *	mgc_scope.c	parameters that a setting applies to
 *	mgc_nidtbl.c	restarted targets, and their nodes
 *	mgc_copy.c	copies of logs
 *	mgc_target.c	registering targets, at once or deferred
 *	mgc_params.c	parameters
 */
#ifndef _MGC_INTERNAL_H
#define _MGC_INTERNAL_H

#include <linux/completion.h>
#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/path.h>
#include <linux/rbtree.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <lustre_lite/config_res.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/lustre_dlm.h>
#include <lustre_lite/mgc.h>
#include <lustre_lite/obd_class.h>
#include <lustre_lite/obd_config.h>
#include <lustre_lite/obd_client.h>
#include <lustre_lite/obd_ops.h>
#include <lustre_lite/params.h>
#include <lustre_lite/ptlrpc.h>

/* uuid of a management service; one in each network namespace of a node. */
#define MGC_TARGET		"MGS"

struct params_sink;

/**
 * struct mgc_device - a device of type mgc
 * @mg_cli: common part of client devices
 * @mg_obd: its device
 * @mg_item: in the list of all, from setup to precleanup, under
 *  mgc_devices_lock
 * @mg_lock: guards @mg_logs, @mg_exp, @mg_stopping, @mg_seq and ml_users of its
 *  logs
 * @mg_logs: followed logs, each referenced
 * @mg_seq: rises with every log
 * @mg_stopping: no log is followed from here on
 * @mg_exp: connection to its own import, or NULL
 * @mg_wq: runs the works of the logs
 * @mg_connect: connects the import, until the first success
 * @mg_wait: woken when the state of the import changes, or a log has been read
 * @mg_dynamic_nids: parameter: use NIDs of the table that a log does not name
 */
struct mgc_device {
	struct client_obd	mg_cli;
	struct obd_device	*mg_obd;
	struct list_head	mg_item;
	spinlock_t		mg_lock;
	struct list_head	mg_logs;
	u64			mg_seq;
	bool			mg_stopping;
	struct obd_export	*mg_exp;
	struct workqueue_struct	*mg_wq;
	struct delayed_work	mg_connect;
	struct wait_queue_head	mg_wait;
	bool			mg_dynamic_nids;
};

static inline struct mgc_device *mgc_device(const struct obd_device *obd)
{
	return obd->obd_data;
}

/*
 * A log's life:
 *
 *	            read and applied         something changed, or was lost
 *	MGC_LOG_NEW ---------------> CURRENT <------------------------> BEHIND
 *	   |                            |        read and applied          |
 *	   |                            v                                  |
 *	   +---------------------> MGC_LOG_ENDED <-------------------------+
 *
 * A log of which a copy was applied is NEW, with ml_stale, until it is read.
 */
enum mgc_log_state {
	MGC_LOG_NEW,
	MGC_LOG_CURRENT,
	MGC_LOG_BEHIND,
	MGC_LOG_ENDED,
	MGC_LOG_STATE_COUNT
};

/**
 * struct mgc_version - a version of a log
 * @epoch: generation in which it was written from scratch, 0: the log
 *  does not exist
 * @generation: generation of the last change; of the table of NIDs its version
 * @size: bytes
 * @last_index: index of its last record
 */
struct mgc_version {
	u64	epoch;
	u64	generation;
	u64	size;
	u32	last_index;
};

/**
 * struct mgc_counts - results of a log's records since its epoch started
 * @applied: records applied
 * @failed: records that failed
 * @failed_index: the first of those
 * @hidden: one of those may have named an object, and cannot be read
 * @why: reason of the first one
 */
struct mgc_counts {
	u32		applied;
	u32		failed;
	u32		failed_index;
	bool		hidden;
	struct obd_why	why;
};

/**
 * struct mgc_log - a followed log
 * @ml_refcount: references
 * @ml_id: number by which callbacks of its lock find it
 * @ml_mgc: device, which stays until no log is left
 * @ml_item: in mg_logs
 * @ml_users: 1, or the logs that share it
 * @ml_type: enum config_type
 * @ml_seq: order in which logs were started
 * @ml_name: log, or file system
 * @ml_fsname: file system, or PARAMS_FILENAME
 * @ml_flags: MGC_FOLLOW_*
 * @ml_exclude: targets to leave inactive, its own copy, or NULL
 * @ml_exclude_size: bytes of @ml_exclude
 * @ml_net: network namespace of its devices, that of the device
 * @ml_copies: directory of copies, referenced; mnt NULL for none
 * @ml_params: settings of all nodes, of which this is a user; or NULL. Removed
 *  under @ml_lock
 * @ml_trial: trials, likewise
 * @ml_recover: table of NIDs, likewise
 * @ml_work: brings it up to date; holds a reference while queued
 * @ml_save: saves copies, a while after a change; likewise
 * @ml_first: completed when it was read once, or cannot be, or has ended
 * @ml_lock: guards the members up to @ml_mutex
 * @ml_state: enum mgc_log_state, changed by mgc_log_move() only
 * @ml_want: notices of changes so far
 * @ml_done: notices processed
 * @ml_dlm: the subscription, used and referenced; or NULL
 * @ml_early: lock whose callback came before it was stored
 * @ml_jitter_ms: wait for a random part of it
 * @ml_error: error of the last read, or 0
 * @ml_retry_ms: delay until the next attempt
 * @ml_unsaid: successive versions applied and not acknowledged
 * @ml_stale: its state came from a copy
 * @ml_mutex: serializes applying. Guards the members below; not held while
 *  waiting for the service
 * @ml_have: applied version
 * @ml_file: its bytes, or NULL; those after the head change only by appending
 * @ml_whole: it must be fetched whole
 * @ml_other: the service's log does not continue @ml_have: it must be applied whole, too
 * @ml_cfg: consumer of its records
 * @ml_pass: times that it was read whole
 * @ml_counts: results of its records
 * @ml_rules: settings in force, in the order of the log; changed under
 *  @ml_rules_mutex too
 * @ml_rules_by_key: the same, by their key
 * @ml_next: settings read but not in force yet
 * @ml_rules_mutex: for readers of @ml_rules; held briefly
 * @ml_conns: servers of devices
 * @ml_nids: of a table of NIDs: its entries, owned by mgc_nidtbl.c
 * @ml_created: objects it created, in the order of the log
 * @ml_created_hash: the same
 * @ml_created_left: some objects must be removed, and are still in use
 * @ml_saved: version of its copy; this and the next two are owned by mgc_copy.c
 * @ml_saved_params: version of the copy of the settings for all nodes beside it
 * @ml_save_error: error of the last save, or 0
 *
 * Created by mgc_log_start(), or for another log. Held by: mg_logs until it
 * ends; its work while that is queued or runs; each lookup. The last put frees
 * it.
 */
struct mgc_log {
	refcount_t			ml_refcount;
	u32				ml_id;
	struct mgc_device		*ml_mgc;
	struct list_head		ml_item;
	unsigned int			ml_users;
	enum config_type		ml_type;
	u64				ml_seq;
	char				ml_name[WIRE_LOGNAME_LEN];
	char				ml_fsname[LUSTRE_MAXFSNAME + 1];
	u32				ml_flags;
	char				*ml_exclude;
	size_t				ml_exclude_size;
	struct net			*ml_net;
	struct path			ml_copies;
	struct mgc_log			*ml_params;
	struct mgc_log			*ml_trial;
	struct mgc_log			*ml_recover;
	struct delayed_work		ml_work;
	struct delayed_work		ml_save;
	struct completion		ml_first;
	spinlock_t			ml_lock;
	enum mgc_log_state		ml_state;
	u64				ml_want;
	u64				ml_done;
	struct ldlm_lock		*ml_dlm;
	const struct ldlm_lock		*ml_early;
	u32				ml_jitter_ms;
	int				ml_error;
	unsigned int			ml_retry_ms;
	unsigned int			ml_unsaid;
	bool				ml_stale;
	struct mutex			ml_mutex;
	struct mgc_version		ml_have;
	struct file			*ml_file;
	bool				ml_whole;
	bool				ml_other;
	struct config_llog_instance	ml_cfg;
	u64				ml_pass;
	struct mgc_counts		ml_counts;
	struct list_head		ml_rules;
	struct rb_root			ml_rules_by_key;
	struct list_head		ml_next;
	struct mutex			ml_rules_mutex;
	struct list_head		ml_conns;
	struct list_head		ml_nids;
	struct list_head		ml_created;
	DECLARE_HASHTABLE(ml_created_hash, 6);
	bool				ml_created_left;
	struct mgc_version		ml_saved;
	struct mgc_version		ml_saved_params;
	int				ml_save_error;
};

/**
 * struct mgc_part - fetched bytes, not applied yet
 * @mpt_version: version of the service
 * @mpt_from: version that they continue; epoch 0: all bytes are here
 * @mpt_file: bytes of the log, referenced; NULL if @mpt_bytes has them
 * @mpt_tail: @mpt_bytes were appended to @mpt_from
 * @mpt_bytes: bytes appended, of the table of NIDs, or of a trial
 * @mpt_len: their number
 * @mpt_copy: it comes from a copy
 * @mpt_early: it was requested before there was a lock: later changes may not
 *  have been notified
 */
struct mgc_part {
	struct mgc_version	mpt_version;
	struct mgc_version	mpt_from;
	struct file		*mpt_file;
	void			*mpt_bytes;
	u32			mpt_len;
	bool			mpt_tail;
	bool			mpt_copy;
	bool			mpt_early;
};

/**
 * struct mgc_ahead - a request for a log, in flight while its lock is enqueued
 * @ma_set: drives it; NULL: there is none
 * @ma_req: request
 * @ma_epoch: requested epoch
 * @ma_offset: requested offset
 */
struct mgc_ahead {
	struct ptlrpc_request_set	*ma_set;
	struct ptlrpc_request		*ma_req;
	u64				ma_epoch;
	u64				ma_offset;
};

static inline bool mgc_is_log(const struct mgc_log *log)
{
	return log->ml_type == CONFIG_T_CONFIG ||
	       log->ml_type == CONFIG_T_PARAMS;
}

static inline bool mgc_log_ended(const struct mgc_log *log)
{
	return READ_ONCE(log->ml_state) == MGC_LOG_ENDED;
}

/* mgc_obd.c */
extern struct list_head mgc_devices;
extern spinlock_t mgc_devices_lock;
bool mgc_is_full(const struct mgc_device *mg);
int mgc_wait_full(struct mgc_device *mg, unsigned int seconds,
		  struct obd_why *why);
void mgc_connect(struct mgc_device *mg);
void mgc_abort(struct mgc_device *mg);

/* mgc_log.c */
struct mgc_log *mgc_log_get(struct mgc_log *log);
void mgc_log_put(struct mgc_log *log);
struct mgc_log *mgc_log_by_id(u32 id);
void mgc_log_move(struct mgc_log *log, enum mgc_log_state to);
void mgc_log_stop(struct mgc_log *log);
struct mgc_log *mgc_log_next(struct mgc_device *mg, u64 *seq);

/* mgc_follow.c */
void mgc_follow_work(struct work_struct *work);
void mgc_follow_notice(struct mgc_log *log, bool now);
void mgc_follow_wake(struct mgc_log *log);
void mgc_follow_unlock(struct mgc_log *log);
void mgc_follow_unsubscribe(struct mgc_log *log);

/* mgc_fetch.c */
int mgc_fetch(struct mgc_log *log, struct mgc_part *part,
	      struct mgc_ahead *ahead);
void mgc_fetch_ahead(struct mgc_log *log, struct mgc_ahead *ahead);
void mgc_fetch_ahead_end(struct mgc_ahead *ahead);
void mgc_part_drop(struct mgc_part *part);
struct file *mgc_file_new(const char *name);

/* mgc_apply.c */
int mgc_apply(struct mgc_log *log, struct mgc_part *part);
__printf(5, 6)
void mgc_apply_failed(struct mgc_log *log, u32 index, const char *what, int rc,
		      const char *fmt, ...);

/* mgc_conns.c */
void mgc_recover(struct mgc_device *mg, struct obd_device *obd,
		 const struct obd_uuid *to, const struct obd_uuid *leave);
int mgc_conns_hook(struct mgc_log *log, const struct lcfg_view *view,
		   bool exists);
void mgc_conns_sync(struct mgc_log *log);
void mgc_conns_free(struct mgc_log *log);

/* mgc_created.c */
void mgc_created_hook(struct mgc_log *log, const struct lcfg_view *view);
bool mgc_created_hidden(u32 command, int rc);
void mgc_created_sync(struct mgc_log *log, bool whole);
void mgc_created_free(struct mgc_log *log);

/* mgc_rules.c */
bool mgc_rules_mine(const struct lcfg_view *view);
int mgc_rules_note(struct mgc_log *log, u32 index, const struct lcfg_view *view,
		   struct obd_why *why);
void mgc_rules_sync(struct mgc_log *log, bool all);
void mgc_rules_discard(struct mgc_log *log);
void mgc_rules_free(struct mgc_log *log);
int mgc_rules_put(struct mgc_log *log, struct params_sink *sink);

/**
 * struct mgc_scope - parameters that a setting applies to
 * @msc_mgc: client of the service that has it
 * @msc_fsname: file system; "": all
 * @msc_instance: only devices of that instance; 0: any
 */
struct mgc_scope {
	struct mgc_device	*msc_mgc;
	char			msc_fsname[LUSTRE_MAXFSNAME + 1];
	u64			msc_instance;
};

/* mgc_scope.c */
void mgc_scope_init(struct mgc_scope *scope, struct mgc_device *mg,
		    const char *owner);
bool mgc_scope_applies(const char *path, void *data);

/* mgc_nidtbl.c */
int mgc_nidtbl_apply(struct mgc_log *log, const struct mgc_part *part);
void mgc_nidtbl_again(struct mgc_device *mg);
void mgc_nidtbl_free(struct mgc_log *log);

/* mgc_copy.c */
int mgc_copy_use(struct mgc_log *log);
void mgc_copy_save_deferred(struct mgc_log *log);
void mgc_copy_save_end(struct mgc_log *log);
void mgc_copy_save_work(struct work_struct *work);

/* mgc_target.c */
void mgc_deferred_wake(struct mgc_device *mg);
void mgc_deferred_lost(struct mgc_device *mg);
int mgc_deferred_put_all(struct mgc_device *mg, struct params_sink *sink);

/* mgc_params.c */
int mgc_params_add(struct obd_device *obd, struct mgc_device *mg);

#endif /* _MGC_INTERNAL_H */
