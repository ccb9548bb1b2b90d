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
 * With no memory in use a message of any size fits.
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/kernel.h>

#include <lustre_lite/debug.h>

#include "conn.h"
#include "net.h"

/* Connections resumed at a time. */
#define RESUME_BATCH	16

/*
 * Guards all below, and the fields noted in struct net_conn and struct
 * net_addr.
 */
static DEFINE_SPINLOCK(memory_lock);
/* Bytes of all addresses. */
static u64 memory_used;
/* Connections in NC_MEMORY_WAIT_ALL, the oldest first, by nc_memory_item. */
static LIST_HEAD(memory_waiters);
/* Addresses with connections in NC_MEMORY_WAIT_ADDR, by na_wait_item. */
static LIST_HEAD(memory_addrs);

static struct net_addr *node_addr(const struct net_conn *node)
{
	return node->nc_conn->cn_peer->lnp_addr;
}

static bool memory_fits(u64 used, u64 limit, u32 bytes)
{
	return !used || used + bytes <= limit;
}

static bool addr_take(struct net_addr *addr, u32 bytes)
{
	if (!memory_fits(addr->na_memory,
			 READ_ONCE(lnet_settings.ls_peer_memory), bytes))
		return false;
	addr->na_memory += bytes;
	return true;
}

static bool all_take(u32 bytes)
{
	if (!memory_fits(memory_used, READ_ONCE(lnet_settings.ls_memory),
			 bytes))
		return false;
	memory_used += bytes;
	return true;
}

/* The address has granted its part: wait for the other one. */
static void wait_all(struct net_conn *node)
{
	node->nc_memory_state = NC_MEMORY_WAIT_ALL;
	list_move_tail(&node->nc_memory_item, &memory_waiters);
}

static void wait_addr(struct net_conn *node)
{
	struct net_addr *addr = node_addr(node);

	node->nc_memory_state = NC_MEMORY_WAIT_ADDR;
	list_add_tail(&node->nc_memory_item, &addr->na_waiters);
	if (list_empty(&addr->na_wait_item))
		list_add_tail(&addr->na_wait_item, &memory_addrs);
}

/* Move connections of an address to the second stage. */
static void addr_pump(struct net_addr *addr)
{
	struct net_conn *node, *next;

	list_for_each_entry_safe(node, next, &addr->na_waiters, nc_memory_item) {
		if (!addr_take(addr, node->nc_memory_want))
			break;
		wait_all(node);
	}
	if (list_empty(&addr->na_waiters))
		list_del_init(&addr->na_wait_item);
}

/* Grant memory to the next ones, at most RESUME_BATCH; each referenced. */
static unsigned int all_pump(struct lnet_conn **batch)
{
	struct net_conn *node, *next;
	unsigned int count = 0;

	list_for_each_entry_safe(node, next, &memory_waiters, nc_memory_item) {
		if (count == RESUME_BATCH || !all_take(node->nc_memory_want))
			break;
		node->nc_memory_state = NC_MEMORY_GRANTED;
		list_del_init(&node->nc_memory_item);
		batch[count++] = lnet_conn_get(node->nc_conn);
	}
	return count;
}

/* Memory of @addr was freed, or a limit changed (NULL): grant it. */
static void memory_pump(struct net_addr *addr)
{
	struct lnet_conn *batch[RESUME_BATCH];
	struct net_addr *at, *next;
	unsigned int count, n;

	do {
		spin_lock_bh(&memory_lock);
		if (addr) {
			addr_pump(addr);
		} else {
			list_for_each_entry_safe(at, next, &memory_addrs,
						 na_wait_item)
				addr_pump(at);
		}
		count = all_pump(batch);
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
	memory_pump(NULL);
}

/* Return the memory that @node waits with, or was granted and did not use. */
static void memory_leave(struct net_conn *node)
{
	struct net_addr *addr;

	lockdep_assert_held(&memory_lock);
	if (node->nc_memory_state == NC_MEMORY_NONE)
		return;
	addr = node_addr(node);
	list_del_init(&node->nc_memory_item);
	if (node->nc_memory_state != NC_MEMORY_WAIT_ADDR)
		addr->na_memory -= node->nc_memory_want;
	if (node->nc_memory_state == NC_MEMORY_GRANTED)
		memory_used -= node->nc_memory_want;
	if (list_empty(&addr->na_waiters))
		list_del_init(&addr->na_wait_item);
	node->nc_memory_state = NC_MEMORY_NONE;
}

/**
 * lnet_peer_uncharge() - return memory
 * @conn: connection that it was charged to; may be closed
 * @bytes: amount
 *
 * Context: any but hard interrupt
 */
void lnet_peer_uncharge(struct lnet_conn *conn, u32 bytes)
{
	struct net_addr *addr = conn->cn_peer->lnp_addr;
	bool waited;

	spin_lock_bh(&memory_lock);
	addr->na_memory -= bytes;
	memory_used -= bytes;
	waited = !list_empty(&addr->na_waiters) || !list_empty(&memory_waiters);
	spin_unlock_bh(&memory_lock);
	if (waited)
		memory_pump(addr);
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
	if (left)
		memory_pump(conn->cn_peer->lnp_addr);
}

/* Return: true if @node has memory for its message; otherwise it is queued. */
static bool memory_request(struct net_conn *node, u32 bytes)
{
	struct net_addr *addr = node_addr(node);

	lockdep_assert_held(&memory_lock);
	node->nc_memory_want = bytes;
	if (!list_empty(&addr->na_waiters) || !addr_take(addr, bytes)) {
		wait_addr(node);
		return false;
	}
	if (!list_empty(&memory_waiters) || !all_take(bytes)) {
		wait_all(node);
		return false;
	}
	return true;
}

/**
 * lnet_peer_charge() - memory for an incoming message
 * @conn: connection that it came on, open
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
bool lnet_peer_charge(struct lnet_conn *conn, u32 bytes)
{
	struct net_conn *node = conn_node(conn);
	bool charged = false, pauses = false;

	if (READ_ONCE(node->nc_memory_state) != NC_MEMORY_NONE &&
	    node->nc_memory_want != bytes)
		lnet_peer_charge_cancel(conn);
	spin_lock_bh(&memory_lock);
	if (node->nc_memory_state == NC_MEMORY_GRANTED) {
		node->nc_memory_state = NC_MEMORY_NONE;
		charged = true;
	} else if (node->nc_memory_state == NC_MEMORY_NONE) {
		charged = memory_request(node, bytes);
		pauses = !charged;
	}
	spin_unlock_bh(&memory_lock);
	if (pauses)
		lnet_count(LNET_PAUSED, 1);
	return charged;
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
	u64 used;

	spin_lock_bh(&memory_lock);
	used = addr->na_memory;
	spin_unlock_bh(&memory_lock);
	return used;
}
