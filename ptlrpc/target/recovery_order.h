/* SPDX-License-Identifier: GPL-2.0 */
/*
 * In which order a target that restarted does again what its clients had done:
 * by transaction, over all clients. A client sends one replay at a time, in the
 * order of its own transactions, so the least of what has come may be done when
 * it is the very next transaction, or when every client that has replays left has
 * one here: whatever comes later has a larger number.
 *
 * No clock, no lock, no memory: its owner has those.
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
	RO_GONE,	/* given up, or it left */
	RO_STATE_COUNT
};

/**
 * struct ro_client - a client that the target knew
 * @state: where it is
 * @waiting: replays of it that wait
 */
struct ro_client {
	enum ro_client_state	state;
	unsigned int		waiting;
};

/**
 * struct ro_replay - a replay that waits
 * @item: in ro_waiting
 * @transno: transaction
 * @client: whose it is, index in ro_clients
 */
struct ro_replay {
	struct list_head	item;
	u64			transno;
	unsigned int		client;
};

/**
 * struct recovery_order - order of replays
 * @ro_clients: clients
 * @ro_client_count: how many
 * @ro_states: how many are in each state
 * @ro_waiting: replays that wait, the least transaction first
 * @ro_next: the next transaction, if no number was left out
 * @ro_busy: one is being done
 */
struct recovery_order {
	struct ro_client	*ro_clients;
	unsigned int		ro_client_count;
	unsigned int		ro_states[RO_STATE_COUNT];
	struct list_head	ro_waiting;
	u64			ro_next;
	bool			ro_busy;
};

void recovery_order_init(struct recovery_order *ro, struct ro_client *clients,
			 unsigned int count, u64 last_transno);
bool recovery_order_move(struct recovery_order *ro, unsigned int client,
			 enum ro_client_state to);
void recovery_order_add(struct recovery_order *ro, struct ro_replay *replay);
struct ro_replay *recovery_order_take(struct recovery_order *ro);
void recovery_order_done(struct recovery_order *ro, u64 transno);
bool recovery_order_is_over(const struct recovery_order *ro);

#endif /* _PTLRPC_RECOVERY_ORDER_H */
