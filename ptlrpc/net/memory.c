// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that the layer above holds for requests: a limit for each address, and
 * one for all. A connection whose message does not fit is not read until memory
 * was granted to it.
 *
 * Admission has two stages, each in order of arrival: the address first, then
 * all. A waiting connection queues at the stage that refused it, and keeps the
 * grant of the earlier stage. Freed memory goes to the head of the queue at
 * once, and its connection is resumed after that. So a resumed connection
 * always makes progress, small messages do not starve a large one, and an
 * address at its limit does not block others.
 *
 * Each lane has queues and limits of its own: requests with bulk data have the limits of
 * the parameters, requests without have a part of these as a reserve. So a cancel, a ping
 * or a disconnect never waits for memory of bulk data.
 *
 * Nor does it wait for memory of other requests without bulk data, which may wait for it:
 * those get a part of the reserve, and do not wait when that is in use.
 *
 * With no memory of its lane in use a message of any size fits.
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/kernel.h>

#include <lustre_lite/debug.h>

#include "conn.h"
#include "net.h"

/* The reserve of requests without bulk data: one part in so many, besides the limit. */
#define CONTROL_SHARE	8
/* The part of the reserve of lnet_peer_try_charge(): one in so many. */
#define TRY_SHARE	2
/* Connections resumed at a time. */
#define RESUME_BATCH	16

/*
 * Guards all below, and the fields noted in struct net_conn and struct
 * net_addr.
 */
static DEFINE_SPINLOCK(memory_lock);

/**
 * struct lnet_lane_memory - memory of all addresses for the requests of a lane
 * @lam_used: bytes
 * @lam_waiters: connections in NC_MEMORY_WAIT_ALL, the oldest first, by nc_memory_item
 * @lam_addrs: addresses with connections in NC_MEMORY_WAIT_ADDR, by am_item
 */
struct lnet_lane_memory {
	u64			lam_used;
	struct list_head	lam_waiters;
	struct list_head	lam_addrs;
};

#define LANE_MEMORY(lane)						\
	[lane] = {							\
		.lam_waiters = LIST_HEAD_INIT(memory_lanes[lane].lam_waiters), \
		.lam_addrs = LIST_HEAD_INIT(memory_lanes[lane].lam_addrs), \
	}

static struct lnet_lane_memory memory_lanes[LNET_LANES] = {
	LANE_MEMORY(LNET_CONTROL),
	LANE_MEMORY(LNET_BULK),
};

static struct addr_memory *node_memory(const struct net_conn *node)
{
	return &node->nc_conn->cn_peer->lnp_addr->na_memory[node->nc_memory_lane];
}

/* The part of a lane in the limit @setting. */
static u64 lane_limit(enum lnet_lane lane, u64 setting)
{
	return lane == LNET_CONTROL ? setting / CONTROL_SHARE : setting;
}

static bool memory_fits(u64 used, u64 limit, u32 bytes)
{
	return !used || used + bytes <= limit;
}

static bool addr_take(struct addr_memory *am, enum lnet_lane lane, u32 bytes)
{
	u64 limit = lane_limit(lane, READ_ONCE(lnet_settings.lns_peer_memory));

	if (!memory_fits(am->am_used, limit, bytes))
		return false;
	am->am_used += bytes;
	return true;
}

static bool all_take(enum lnet_lane lane, u32 bytes)
{
	u64 limit = lane_limit(lane, READ_ONCE(lnet_settings.lns_memory));
	struct lnet_lane_memory *lm = &memory_lanes[lane];

	if (!memory_fits(lm->lam_used, limit, bytes))
		return false;
	lm->lam_used += bytes;
	return true;
}

/* The address has granted its part: wait for the other one. */
static void wait_all(struct net_conn *node)
{
	node->nc_memory_state = NC_MEMORY_WAIT_ALL;
	list_move_tail(&node->nc_memory_item, &memory_lanes[node->nc_memory_lane].lam_waiters);
}

static void wait_addr(struct net_conn *node)
{
	struct addr_memory *am = node_memory(node);

	node->nc_memory_state = NC_MEMORY_WAIT_ADDR;
	list_add_tail(&node->nc_memory_item, &am->am_waiters);
	if (list_empty(&am->am_item))
		list_add_tail(&am->am_item, &memory_lanes[node->nc_memory_lane].lam_addrs);
}

/* Move connections of an address to the second stage. */
static void addr_pump(struct addr_memory *am, enum lnet_lane lane)
{
	struct net_conn *node, *next;

	list_for_each_entry_safe(node, next, &am->am_waiters, nc_memory_item) {
		if (!addr_take(am, lane, node->nc_memory_want))
			break;
		wait_all(node);
	}
	if (list_empty(&am->am_waiters))
		list_del_init(&am->am_item);
}

/* Grant memory to the next ones, at most RESUME_BATCH; each referenced. */
static unsigned int all_pump(enum lnet_lane lane, struct lnet_conn **batch)
{
	struct net_conn *node, *next;
	unsigned int count = 0;

	list_for_each_entry_safe(node, next, &memory_lanes[lane].lam_waiters,
				 nc_memory_item) {
		if (count == RESUME_BATCH || !all_take(lane, node->nc_memory_want))
			break;
		node->nc_memory_state = NC_MEMORY_GRANTED;
		list_del_init(&node->nc_memory_item);
		batch[count++] = lnet_conn_get(node->nc_conn);
	}
	return count;
}

/* Memory of @am was freed, or a limit changed (NULL): grant it. */
static void memory_pump(struct addr_memory *am, enum lnet_lane lane)
{
	struct lnet_conn *batch[RESUME_BATCH];
	struct addr_memory *at, *next;
	unsigned int count, n;

	do {
		spin_lock_bh(&memory_lock);
		if (am) {
			addr_pump(am, lane);
		} else {
			list_for_each_entry_safe(at, next, &memory_lanes[lane].lam_addrs,
						 am_item)
				addr_pump(at, lane);
		}
		count = all_pump(lane, batch);
		spin_unlock_bh(&memory_lock);
		for (n = 0; n < count; n++) {
			lnet_conn_resume(batch[n]);
			lnet_conn_put(batch[n]);
		}
	} while (count == RESUME_BATCH);
}

/**
 * net_memory_limits() - a limit changed
 *
 * Context: any but hard interrupt
 */
void net_memory_limits(void)
{
	memory_pump(NULL, LNET_CONTROL);
	memory_pump(NULL, LNET_BULK);
}

/* Return the memory that @node waits with, or was granted and did not use. */
static void memory_leave(struct net_conn *node)
{
	struct addr_memory *am;

	lockdep_assert_held(&memory_lock);
	if (node->nc_memory_state == NC_MEMORY_NONE)
		return;
	am = node_memory(node);
	list_del_init(&node->nc_memory_item);
	if (node->nc_memory_state != NC_MEMORY_WAIT_ADDR)
		am->am_used -= node->nc_memory_want;
	if (node->nc_memory_state == NC_MEMORY_GRANTED)
		memory_lanes[node->nc_memory_lane].lam_used -= node->nc_memory_want;
	if (list_empty(&am->am_waiters))
		list_del_init(&am->am_item);
	node->nc_memory_state = NC_MEMORY_NONE;
}

/**
 * lnet_peer_uncharge() - return memory
 * @conn: connection that it was charged to; may be closed
 * @lane: as it was charged
 * @bytes: amount
 *
 * Context: any but hard interrupt
 */
void lnet_peer_uncharge(struct lnet_conn *conn, enum lnet_lane lane, u32 bytes)
{
	struct addr_memory *am = &conn->cn_peer->lnp_addr->na_memory[lane];
	struct lnet_lane_memory *lm = &memory_lanes[lane];
	bool waited;

	spin_lock_bh(&memory_lock);
	am->am_used -= bytes;
	lm->lam_used -= bytes;
	waited = !list_empty(&am->am_waiters) || !list_empty(&lm->lam_waiters);
	spin_unlock_bh(&memory_lock);
	if (waited)
		memory_pump(am, lane);
}

/**
 * lnet_peer_charge_cancel() - stop waiting for memory
 * @conn: connection; closed, or its message was refused
 *
 * Context: any but hard interrupt
 */
void lnet_peer_charge_cancel(struct lnet_conn *conn)
{
	struct net_conn *node = conn_node(conn);
	bool left;

	spin_lock_bh(&memory_lock);
	left = node->nc_memory_state != NC_MEMORY_NONE;
	memory_leave(node);
	spin_unlock_bh(&memory_lock);
	/* Only the connection's reader, which is the caller or has ended, changes its lane. */
	if (left)
		memory_pump(node_memory(node), node->nc_memory_lane);
}

/* Return: true if @node has memory for its message; otherwise it is queued. */
static bool memory_request(struct net_conn *node, enum lnet_lane lane, u32 bytes)
{
	struct addr_memory *am;

	lockdep_assert_held(&memory_lock);
	node->nc_memory_lane = lane;
	node->nc_memory_want = bytes;
	am = node_memory(node);
	if (!list_empty(&am->am_waiters) || !addr_take(am, lane, bytes)) {
		wait_addr(node);
		return false;
	}
	if (!list_empty(&memory_lanes[lane].lam_waiters) || !all_take(lane, bytes)) {
		wait_all(node);
		return false;
	}
	return true;
}

/**
 * lnet_peer_charge() - memory for an incoming message
 * @conn: connection that it came on, open
 * @lane: lane of the message, not of @conn
 * @bytes: amount
 *
 * Called by the reader of the connection, from no_message().
 *
 * Context: any but hard interrupt
 * Return: false if its address, or all of them, are at the limit: the
 *  connection waits in a queue. no_message() must return -EAGAIN then, and is
 *  called again when the memory was granted; it calls this again, or
 *  lnet_peer_charge_cancel()
 */
bool lnet_peer_charge(struct lnet_conn *conn, enum lnet_lane lane, u32 bytes)
{
	struct net_conn *node = conn_node(conn);
	bool charged = false, pauses = false;

	if (READ_ONCE(node->nc_memory_state) != NC_MEMORY_NONE &&
	    (node->nc_memory_want != bytes || node->nc_memory_lane != lane))
		lnet_peer_charge_cancel(conn);
	spin_lock_bh(&memory_lock);
	if (node->nc_memory_state == NC_MEMORY_GRANTED) {
		node->nc_memory_state = NC_MEMORY_NONE;
		charged = true;
	} else if (node->nc_memory_state == NC_MEMORY_NONE) {
		charged = memory_request(node, lane, bytes);
		pauses = !charged;
	}
	spin_unlock_bh(&memory_lock);
	if (pauses)
		lnet_count(LNET_PAUSED, 1);
	return charged;
}

/* Whether the part of lnet_peer_try_charge() in the limit @setting has space. */
static bool try_fits(u64 used, u64 setting, u32 bytes)
{
	return memory_fits(used, lane_limit(LNET_CONTROL, setting) / TRY_SHARE, bytes);
}

/**
 * lnet_peer_try_charge() - memory for an incoming message without bulk data
 * @conn: connection that it came on, open
 * @bytes: amount
 *
 * Called by the reader of the connection, from no_message(). The connection does not wait.
 *
 * Context: any but hard interrupt
 * Return: false if such messages of its address, or of all of them, are at their part of the
 *  limit
 */
bool lnet_peer_try_charge(struct lnet_conn *conn, u32 bytes)
{
	struct addr_memory *am = &conn->cn_peer->lnp_addr->na_memory[LNET_CONTROL];
	struct lnet_lane_memory *lm = &memory_lanes[LNET_CONTROL];
	bool fits;

	if (READ_ONCE(conn_node(conn)->nc_memory_state) != NC_MEMORY_NONE)
		lnet_peer_charge_cancel(conn);
	spin_lock_bh(&memory_lock);
	fits = try_fits(am->am_used, READ_ONCE(lnet_settings.lns_peer_memory), bytes) &&
	       try_fits(lm->lam_used, READ_ONCE(lnet_settings.lns_memory), bytes);
	if (fits) {
		am->am_used += bytes;
		lm->lam_used += bytes;
	}
	spin_unlock_bh(&memory_lock);
	return fits;
}

/**
 * net_memory_used() - memory of the requests of an address
 * @addr: address
 *
 * Context: any but hard interrupt
 * Return: bytes
 */
u64 net_memory_used(struct net_addr *addr)
{
	unsigned int lane;
	u64 used = 0;

	spin_lock_bh(&memory_lock);
	for (lane = 0; lane < LNET_LANES; lane++)
		used += addr->na_memory[lane].am_used;
	spin_unlock_bh(&memory_lock);
	return used;
}
