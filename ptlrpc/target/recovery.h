/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A target that restarted: what the files have in common that do it,
 * recovery.c and recovery_hold.c, and that show it, recovery_params.c.
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
 * struct target_recovery - a target that restarted
 * @tr_refcount: references
 * @tr_obd: target, which is there until target_recovery_free() returns
 * @tr_lock: guards all below up to @tr_window
 * @tr_state: enum recovery_state
 * @tr_order: clients and their replays
 * @tr_names: their uuids, in the order of ro_clients; never changes
 * @tr_first: hash table of them, as many buckets as clients: number of the first
 *	client of each and one, or 0; likewise
 * @tr_next: for each client the next one of its bucket, in the same way; likewise
 * @tr_held: struct recovery_wait of requests that wait for the end
 * @tr_held_count: how many
 * @tr_running: the replay that is being done, not to be followed, or NULL
 * @tr_running_exp: its export, likewise
 * @tr_replayed: replays that were done
 * @tr_start: when it began, ktime_get_seconds()
 * @tr_start_wall: the same since 1970
 * @tr_deadline: when clients that are not done are given up
 * @tr_end: when it ended
 * @tr_soft: window, seconds
 * @tr_hard: the longest that it is extended to, seconds
 * @tr_window: looks at the deadline
 *
 * Made by ptlrpc_target_recover(). Held by: the device, until
 * target_recovery_free(); who looks at it. Whoever drops the last reference frees
 * it.
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
	u64			tr_start;
	s64			tr_start_wall;
	u64			tr_deadline;
	u64			tr_end;
	u32			tr_soft;
	u32			tr_hard;
	struct delayed_work	tr_window;
};

/* That of a device, referenced, or NULL. */
struct target_recovery *recovery_get(const struct obd_device *obd);
void recovery_put(struct target_recovery *tr);
/* The same while it runs. */
struct target_recovery *recovery_running(const struct obd_device *obd);
/* Index of the client whose export that is, or -ENOENT. */
int recovery_client_of(const struct target_recovery *tr, struct obd_export *exp);
/* A client got further: others may go on, or all of it is over. */
void recovery_client_moves(struct target_recovery *tr, unsigned int client,
			   enum ro_client_state to);
/* Somebody came, or got further; under tr_lock. */
void recovery_window_extend(struct target_recovery *tr);
/* Clients that are not done are given up now. May sleep. */
void recovery_give_up(struct target_recovery *tr);
/* The settings of its window changed. */
void recovery_set_window(struct target_recovery *tr, u32 soft, u32 hard);

/*
 * recovery_hold.c. Under tr_lock: what may go on now, or as recovery is over all
 * that was kept, for recovery_release(), without it. Return: whether that was the
 * end of it.
 */
bool recovery_collect(struct target_recovery *tr, struct list_head *waits);
void recovery_collect_rest(struct target_recovery *tr, struct list_head *waits);
void recovery_release(struct list_head *waits);

/* recovery_params.c: what only a target that restarted has. */
int recovery_params_add(struct obd_device *obd);

#endif /* _PTLRPC_TARGET_RECOVERY_H */
