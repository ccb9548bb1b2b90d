/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A target that restarted: what target_recovery.c, which does it, and
 * recovery_params.c, which shows it, have in common.
 */
#ifndef _PTLRPC_TARGET_RECOVERY_H
#define _PTLRPC_TARGET_RECOVERY_H

#include "recovery_order.h"
#include "rpc.h"

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
/* Clients that are not done are given up now. May sleep. */
void recovery_give_up(struct target_recovery *tr);
/* The settings of its window changed. */
void recovery_set_window(struct target_recovery *tr, u32 soft, u32 hard);

/* recovery_params.c: what only a target that restarted has. */
int recovery_params_add(struct obd_device *obd);

#endif /* _PTLRPC_TARGET_RECOVERY_H */
