// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order of replays.
 */
#include "recovery_order.h"

/**
 * recovery_order_init() - initialize
 * @ro: out
 * @clients: array with an element for each previous client
 * @count: their number
 * @last_transno: last transaction on disk
 *
 * Context: any
 */
void recovery_order_init(struct recovery_order *ro, struct ro_client *clients,
			 unsigned int count, u64 last_transno)
{
	*ro = (struct recovery_order) {
		.ro_clients = clients,
		.ro_client_count = count,
		.ro_behind = count,
		.ro_last = last_transno,
		.ro_next = last_transno + 1,
	};
	ro->ro_states[RO_MISSING] = count;
	INIT_LIST_HEAD(&ro->ro_waiting);
}

static void note_beyond(struct recovery_order *ro, struct ro_client *cl)
{
	ro->ro_behind -= !cl->beyond;
	cl->beyond = true;
}

/* RO_GONE is final, and no client goes back. */
static bool may_move(enum ro_client_state from, enum ro_client_state to)
{
	return from < to && from < RO_DONE;
}

/**
 * recovery_order_move() - a client has advanced
 * @ro: order
 * @client: its index
 * @to: its new state
 *
 * Context: any
 * Return: true if the state has changed
 */
bool recovery_order_move(struct recovery_order *ro, unsigned int client,
			 enum ro_client_state to)
{
	struct ro_client *cl = &ro->ro_clients[client];

	if (!may_move(cl->state, to))
		return false;
	ro->ro_states[cl->state]--;
	ro->ro_states[to]++;
	cl->state = to;
	if (to > RO_REPLAYING)
		note_beyond(ro, cl);
	return true;
}

/**
 * recovery_order_add() - a replay has arrived
 * @ro: order
 * @replay: its @transno and @client filled in; valid until it is taken
 *
 * Context: any
 */
void recovery_order_add(struct recovery_order *ro, struct ro_replay *replay)
{
	struct ro_replay *at;

	list_for_each_entry_reverse(at, &ro->ro_waiting, item) {
		if (at->transno <= replay->transno)
			break;
	}
	list_add(&replay->item, &at->item);
	ro->ro_clients[replay->client].waiting++;
	if (replay->transno > ro->ro_last)
		note_beyond(ro, &ro->ro_clients[replay->client]);
}

/* The client may still send a replay with a smaller number. */
static bool is_awaited(const struct ro_client *cl)
{
	return cl->state == RO_MISSING ||
	       (cl->state == RO_REPLAYING && !cl->waiting);
}

/**
 * recovery_order_is_awaited() - whether replays of others may wait for a client
 * @ro: order
 * @client: its index
 *
 * Context: any
 * Return: true if it may still send a replay with a smaller number
 */
bool recovery_order_is_awaited(const struct recovery_order *ro, unsigned int client)
{
	return is_awaited(&ro->ro_clients[client]) &&
	       !(ro->ro_busy && ro->ro_busy_client == client);
}

static bool all_heard(const struct recovery_order *ro)
{
	unsigned int n;

	if (ro->ro_states[RO_MISSING])
		return false;
	for (n = 0; n < ro->ro_client_count; n++) {
		if (is_awaited(&ro->ro_clients[n]))
			return false;
	}
	return true;
}

/* Whether the first of the waiting ones may be executed. */
static bool may_run(const struct recovery_order *ro, u64 transno)
{
	if (transno <= ro->ro_last)
		return true;
	return !ro->ro_behind && (transno <= ro->ro_next || all_heard(ro));
}

/**
 * recovery_order_take() - the next replay to execute
 * @ro: order
 *
 * Context: any
 * Return: a replay, owned by the caller and being executed until
 *  recovery_order_done(); NULL if there is none yet
 */
struct ro_replay *recovery_order_take(struct recovery_order *ro)
{
	struct ro_replay *first;

	first = list_first_entry_or_null(&ro->ro_waiting, struct ro_replay,
					 item);
	if (!first || ro->ro_busy || !may_run(ro, first->transno))
		return NULL;
	list_del_init(&first->item);
	ro->ro_clients[first->client].waiting--;
	ro->ro_busy = true;
	ro->ro_busy_client = first->client;
	return first;
}

/**
 * recovery_order_done() - the replay taken last was executed, or never will be
 * @ro: order
 * @transno: its transaction, 0 if it was not executed
 *
 * Context: any
 */
void recovery_order_done(struct recovery_order *ro, u64 transno)
{
	ro->ro_busy = false;
	if (transno >= ro->ro_next)
		ro->ro_next = transno + 1;
}

/**
 * recovery_order_is_over() - whether all clients have finished
 * @ro: order
 *
 * Context: any
 * Return: true if each client is done or gone
 */
bool recovery_order_is_over(const struct recovery_order *ro)
{
	return ro->ro_states[RO_DONE] + ro->ro_states[RO_GONE] ==
	       ro->ro_client_count;
}
