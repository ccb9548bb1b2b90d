/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The order in which a restarted target executes the replays of its clients: by
 * transaction, over all clients. A client sends one replay at a time, in the
 * order of its own transactions.
 *
 * First come those of transactions that are on disk: opens that still last. They
 * are executed as they arrive, before anything else, because a removal that ran
 * first would destroy files that others have open. So the others wait until each
 * client has sent one beyond these, or has no replays left. Of the others the one
 * with the least number may be executed if it is the very next transaction, or if
 * every client with replays left has one here: later ones have larger numbers.
 *
 * No clock, no lock, no memory: the owner has those.
 */
#ifndef _PTLRPC_RECOVERY_ORDER_H
#define _PTLRPC_RECOVERY_ORDER_H

#include <linux/list.h>
#include <linux/types.h>

/*
 *	          connects         its replays        its locks
 *	RO_MISSING -----> RO_REPLAYING -----> RO_LOCKS -----> RO_DONE
 *	    |                  |                  |
 *	    +------------------+------------------+---------> RO_GONE
 */
enum ro_client_state {
	RO_MISSING,
	RO_REPLAYING,
	RO_LOCKS,
	RO_DONE,
	RO_GONE,	/* evicted or disconnected */
	RO_STATE_COUNT
};

/**
 * struct ro_client - a previous client of the target
 * @state: its progress
 * @waiting: its waiting replays
 * @beyond: it has no more replays of transactions that are on disk
 */
struct ro_client {
	enum ro_client_state	state;
	unsigned int		waiting;
	bool			beyond;
};

/**
 * struct ro_replay - a waiting replay
 * @item: in ro_waiting
 * @transno: transaction
 * @client: its client, index in ro_clients
 */
struct ro_replay {
	struct list_head	item;
	u64			transno;
	unsigned int		client;
};

/**
 * struct recovery_order - order of replays
 * @ro_clients: clients
 * @ro_client_count: their number
 * @ro_states: number of clients in each state
 * @ro_behind: number of clients that are not @beyond
 * @ro_last: last transaction on disk
 * @ro_waiting: waiting replays, the least transaction first
 * @ro_next: the next transaction, if there is no gap
 * @ro_busy: a replay is being executed
 * @ro_busy_client: its client
 */
struct recovery_order {
	struct ro_client	*ro_clients;
	unsigned int		ro_client_count;
	unsigned int		ro_states[RO_STATE_COUNT];
	unsigned int		ro_behind;
	u64			ro_last;
	struct list_head	ro_waiting;
	u64			ro_next;
	bool			ro_busy;
	unsigned int		ro_busy_client;
};

void recovery_order_init(struct recovery_order *ro, struct ro_client *clients,
			 unsigned int count, u64 last_transno);
bool recovery_order_move(struct recovery_order *ro, unsigned int client,
			 enum ro_client_state to);
void recovery_order_add(struct recovery_order *ro, struct ro_replay *replay);
struct ro_replay *recovery_order_take(struct recovery_order *ro);
bool recovery_order_is_awaited(const struct recovery_order *ro, unsigned int client);
void recovery_order_done(struct recovery_order *ro, u64 transno);
bool recovery_order_is_over(const struct recovery_order *ro);

#endif /* _PTLRPC_RECOVERY_ORDER_H */
