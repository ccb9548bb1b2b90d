// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parameters of a target's recovery, in real Lustre's text. Their data is the
 * device; they are removed before it is stopped.
 */
#include <linux/ktime.h>

#include <lustre_lite/params.h>

#include "recovery.h"

/**
 * struct target_recovery_numbers - copy of the numbers, to print without a lock
 * @state: tr_state
 * @states: clients in each state
 * @clients: all of them
 * @replayed: executed replays
 * @queued: held requests
 * @next: next transaction
 * @left: seconds until unfinished clients are evicted
 * @took: duration, seconds
 */
struct target_recovery_numbers {
	enum recovery_state	state;
	unsigned int		states[RO_STATE_COUNT];
	unsigned int		clients;
	unsigned int		replayed;
	unsigned int		queued;
	u64			next;
	u64			left;
	u64			took;
};

static unsigned int replays_waiting(const struct recovery_order *ro)
{
	const struct ro_replay *replay;
	unsigned int count = 0;

	list_for_each_entry(replay, &ro->ro_waiting, item)
		count++;
	return count;
}

static void get_numbers(struct target_recovery *tr, struct target_recovery_numbers *nr)
{
	u64 now = ktime_get_seconds();

	spin_lock(&tr->tr_lock);
	nr->state = tr->tr_state;
	memcpy(nr->states, tr->tr_order.ro_states, sizeof(nr->states));
	nr->clients = tr->tr_order.ro_client_count;
	nr->replayed = tr->tr_replayed;
	nr->queued = tr->tr_held_count + replays_waiting(&tr->tr_order);
	nr->next = tr->tr_order.ro_next;
	nr->left = tr->tr_deadline > now ? tr->tr_deadline - now : 0;
	nr->took = tr->tr_end - tr->tr_start;
	spin_unlock(&tr->tr_lock);
}

static void put_running(struct params_sink *sink,
			const struct target_recovery_numbers *nr)
{
	params_put_u64(sink, "time_remaining", nr->left);
	params_put_strf(sink, "connected_clients", "%u/%u",
			nr->clients - nr->states[RO_MISSING] -
			nr->states[RO_GONE], nr->clients);
	params_put_u64(sink, "req_replay_clients", nr->states[RO_REPLAYING]);
	params_put_u64(sink, "lock_replay_clients", nr->states[RO_LOCKS]);
	params_put_u64(sink, "completed_clients", nr->states[RO_DONE]);
	params_put_u64(sink, "evicted_clients", nr->states[RO_GONE]);
	params_put_u64(sink, "replayed_requests", nr->replayed);
	params_put_u64(sink, "queued_requests", nr->queued);
	params_put_u64(sink, "next_transno", nr->next);
}

static void put_complete(struct params_sink *sink,
			 const struct target_recovery_numbers *nr)
{
	params_put_u64(sink, "recovery_duration", nr->took);
	params_put_strf(sink, "completed_clients", "%u/%u",
			nr->states[RO_DONE], nr->clients);
	params_put_u64(sink, "evicted_clients", nr->states[RO_GONE]);
	params_put_u64(sink, "replayed_requests", nr->replayed);
	params_put_u64(sink, "last_transno", nr->next - 1);
	params_put_str(sink, "VBR", "DISABLED");
	params_put_str(sink, "IR", "DISABLED");
}

static int status_read(struct params_sink *sink, void *data)
{
	struct target_recovery *tr = recovery_get(data);
	struct target_recovery_numbers nr;

	if (!tr) {
		params_put_str(sink, "status", "INACTIVE");
		return params_sink_error(sink);
	}
	get_numbers(tr, &nr);
	params_put_str(sink, "status", nr.state == RECOVERY_RUNS ?
				       "RECOVERING" : "COMPLETE");
	params_put_s64(sink, "recovery_start", tr->tr_start_wall);
	if (nr.state == RECOVERY_RUNS)
		put_running(sink, &nr);
	else
		put_complete(sink, &nr);
	recovery_put(tr);
	return params_sink_error(sink);
}

static int window_get(void *data, u64 *val, bool hard)
{
	struct target_recovery *tr = recovery_get(data);

	if (!tr)
		return -ENODEV;
	*val = hard ? READ_ONCE(tr->tr_hard) : READ_ONCE(tr->tr_soft);
	recovery_put(tr);
	return 0;
}

static int window_set(void *data, u64 val, bool hard)
{
	struct target_recovery *tr = recovery_get(data);

	if (!tr)
		return -ENODEV;
	if (hard)
		recovery_set_window(tr, READ_ONCE(tr->tr_soft), val);
	else
		recovery_set_window(tr, val, READ_ONCE(tr->tr_hard));
	recovery_put(tr);
	return 0;
}

static int soft_get(void *data, u64 *val)
{
	return window_get(data, val, false);
}

static int soft_set(void *data, u64 val)
{
	return window_set(data, val, false);
}

static int hard_get(void *data, u64 *val)
{
	return window_get(data, val, true);
}

static int hard_set(void *data, u64 val)
{
	return window_set(data, val, true);
}

static int abort_write(const char *text, size_t len, void *data)
{
	struct target_recovery *tr = recovery_get(data);

	if (!tr)
		return -ENODEV;
	recovery_give_up(tr);
	recovery_put(tr);
	return 0;
}

static const struct lustre_params_attr status_attrs[] = {
	LP_READER("recovery_status", status_read,
		  .doc = "recovery after a restart: state, clients and their progress"),
};

#define WINDOW_MAX	86400
static const struct lustre_params_attr recovery_attrs[] = {
	LP_U32_RW("recovery_time_soft", soft_get, soft_set, .min = 1,
		  .max = WINDOW_MAX, .unit = PARAMS_UNIT_SEC,
		  .doc = "time to wait for clients; each client that connects restarts it"),
	LP_U32_RW("recovery_time_hard", hard_get, hard_set, .min = 1,
		  .max = WINDOW_MAX, .unit = PARAMS_UNIT_SEC,
		  .doc = "limit of the time to wait for clients"),
	LP_TRIGGER("abort_recovery", abort_write,
		   .doc = "end recovery now: evict unfinished clients"),
};

/* Add recovery_status, which every target has. Return: 0 or a negative errno. */
int target_recovery_params_add(struct obd_device *obd)
{
	return params_add_attrs(obd->obd_params, status_attrs,
				ARRAY_SIZE(status_attrs), obd);
}

int recovery_params_add(struct obd_device *obd)
{
	return params_add_attrs(obd->obd_params, recovery_attrs,
				ARRAY_SIZE(recovery_attrs), obd);
}
