/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of imports and their recovery have in common.
 */
#ifndef _PTLRPC_IMPORT_PEER_H
#define _PTLRPC_IMPORT_PEER_H

#include <linux/minmax.h>

#include "rpc.h"

/* Longest time between two tries to connect, seconds. */
#define RECOVER_BACKOFF_MAX	30

/**
 * struct import_own - struct ptlrpc_import, and what only recovery looks at
 * @po_import: what all look at; its pi_lock guards the rest
 * @po_lost: connect @po_lost_cnt was found to be gone, and that was not seen to yet
 * @po_lost_cnt: see @po_lost
 * @po_said_rc: why it could not connect, as the log has it; the recovery work's own
 * @po_wanted: a request waits for a connection
 * @po_idle: the connection is to be given up, as nobody needs it
 * @po_pinging: a ping is on its way
 * @po_used: imp_calls when the pinger looked last
 * @po_used_ns: when it saw last that it was used, ktime_get_ns(); its own
 * @po_replay_count: requests in pi_replay
 * @po_replay_told: how many there were when it was said last that they are many
 * @po_generation: of the import, when pi_replay was begun
 */
struct import_own {
	struct ptlrpc_import	po_import;
	bool			po_lost;
	u32			po_lost_cnt;
	int			po_said_rc;
	bool			po_wanted;
	bool			po_idle;
	bool			po_pinging;
	s64			po_used;
	u64			po_used_ns;
	unsigned int		po_replay_count;
	unsigned int		po_replay_told;
	u32			po_generation;
};

static inline struct import_own *import_own(const struct obd_import *imp)
{
	struct ptlrpc_import *pi = ptlrpc_import(imp);

	return pi ? container_of(pi, struct import_own, po_import) : NULL;
}

/* Seconds to wait before the next try, after @backoff before this one. */
static inline unsigned int recover_backoff_next(unsigned int backoff,
						unsigned int max)
{
	return min_t(unsigned int, backoff ? backoff * 2 : 1, max_t(u32, max, 1));
}

/*
 * The same in milliseconds, a quarter more or less by chance: many clients of a
 * server that restarts do not come all at once.
 */
static inline unsigned int recover_delay_ms(unsigned int backoff, u32 chance)
{
	unsigned int ms = backoff * 1000;

	return ms - ms / 4 + (ms ? chance % (ms / 2 + 1) : 0);
}

/*
 * Note whether it was used since the pinger, whose own requests do not count,
 * asked last. Return: nanoseconds since it was used.
 */
static inline u64 import_unused_ns(struct import_own *own, u64 now)
{
	const struct obd_import *imp = own->po_import.pi_import;
	s64 used = atomic64_read(&imp->imp_calls);

	if (used != own->po_used || atomic_read(&imp->imp_inflight))
		own->po_used_ns = now;
	own->po_used = used;
	return now - own->po_used_ns;
}

/* import_peer.c: settings of the node for the estimates. */
void import_at_settings(struct at_settings *set);

/* recover.c: a state or flag of the import changed; does not sleep. */
void recover_import_changed(struct obd_import *imp);
/* ... try again soon, if it should be connected and nothing is under way. */
void recover_kick(struct obd_import *imp);
/* ... give it up, unless it is used again by then. */
void recover_idle(struct obd_import *imp);
void recover_init_import(struct import_own *own);

/* replay.c: forget all of it when the import was invalidated. */
void replay_import_changed(struct obd_import *imp);
void replay_forget(struct import_own *own);

/* transport.c */
bool transport_is_tcp(const struct obd_import *imp);
u16 transport_portal(const struct obd_import *imp);

#endif /* _PTLRPC_IMPORT_PEER_H */
