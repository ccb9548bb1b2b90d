/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recovery of a restarted target: common definitions of recovery.c,
 * recovery_hold.c and recovery_params.c.
 */
#ifndef _PTLRPC_TARGET_RECOVERY_H
#define _PTLRPC_TARGET_RECOVERY_H

#include "recovery_order.h"
#include "target.h"

/* enum recovery_state - tr_state */
enum recovery_state {
	RECOVERY_RUNS,
	RECOVERY_COMPLETE,
};

/**
 * struct target_recovery - recovery of a restarted target
 * @tr_refcount: references
 * @tr_obd: target, valid until target_recovery_free() returns
 * @tr_lock: guards all below up to @tr_window
 * @tr_state: enum recovery_state
 * @tr_order: clients and their replays
 * @tr_names: their uuids, in the order of ro_clients; constant
 * @tr_first: hash table of clients, as many buckets as clients: index plus one
 *  of the first client of each, or 0; constant
 * @tr_next: for each client index plus one of the next one in its bucket, or 0;
 *  constant
 * @tr_held: struct target_recovery_wait of requests that wait for the end
 * @tr_held_count: their number
 * @tr_running: the replay being executed, only compared, or NULL
 * @tr_running_exp: its export, likewise
 * @tr_replayed: executed replays
 * @tr_lost: a client will not replay what it has done: it did not come back, or left
 * @tr_start: start, ktime_get_seconds()
 * @tr_start_wall: the same since 1970
 * @tr_deadline: time at which unfinished clients are evicted
 * @tr_end: end, ktime_get_seconds()
 * @tr_soft: window, seconds
 * @tr_hard: limit of its extension, seconds
 * @tr_window: work that checks the deadline
 * @tr_over: work that tells the type that recovery is over
 *
 * Created by target_recovery_start(). Held by: the device, until
 * target_recovery_free(); each lookup. The last put frees it.
 */
struct target_recovery {
	refcount_t		tr_refcount;
	struct obd_device	*tr_obd;
	spinlock_t		tr_lock;
	enum recovery_state	tr_state;
	struct recovery_order	tr_order;
	struct obd_uuid		*tr_names;
	u32			*tr_first;
	u32			*tr_next;
	struct list_head	tr_held;
	unsigned int		tr_held_count;
	const void		*tr_running;
	const void		*tr_running_exp;
	unsigned int		tr_replayed;
	bool			tr_lost;
	u64			tr_start;
	s64			tr_start_wall;
	u64			tr_deadline;
	u64			tr_end;
	u32			tr_soft;
	u32			tr_hard;
	struct delayed_work	tr_window;
	struct work_struct	tr_over;
};

/* The recovery of a device, referenced, or NULL. */
struct target_recovery *recovery_get(const struct obd_device *obd);
void recovery_put(struct target_recovery *tr);
/* NULL unless it is running. */
struct target_recovery *recovery_running(const struct obd_device *obd);
/* Index of the client of an export, or -ENOENT. */
int recovery_client_of(const struct target_recovery *tr, struct obd_export *exp);
/* A client has advanced: held requests may go on, or recovery is over. */
void recovery_client_moves(struct target_recovery *tr, unsigned int client,
			   enum ro_client_state to);
/* A client has connected or advanced; under tr_lock. */
void recovery_window_extend(struct target_recovery *tr);
/* Evict unfinished clients now. May sleep. */
void recovery_give_up(struct target_recovery *tr);
/* Parameters of its window have changed. */
void recovery_set_window(struct target_recovery *tr, u32 soft, u32 hard);

/*
 * recovery_hold.c. Under tr_lock: collect the requests that may go on now, or
 * at the end all held ones, for recovery_release(), which is called without it.
 * Return: true at the end.
 */
bool recovery_collect(struct target_recovery *tr, struct list_head *waits);
void recovery_collect_rest(struct target_recovery *tr, struct list_head *waits);
void recovery_release(struct list_head *waits);

/* recovery_params.c: further parameters of a restarted target. */
int recovery_params_add(struct obd_device *obd);

#endif /* _PTLRPC_TARGET_RECOVERY_H */
