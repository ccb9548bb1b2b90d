// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that the floor above keeps for nodes: so much for each, so much for all.
 * A connection whose message does not fit is not read until memory came back.
 *
 * Nothing is lost: who is refused is on the list first and looks again, and then
 * somebody else has memory that will come back. Memory that comes back is counted
 * first and then looks at the list. With no memory in use, a message fits whatever
 * its size is.
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/atomic.h>
#include <linux/kernel.h>

#include <lustre_lite/debug.h>

#include "conn.h"
#include "net_internal.h"

/* Connections that one look at the list collects. */
#define RESUME_BATCH	16

/* Bytes of all nodes. */
static atomic64_t memory_used = ATOMIC64_INIT(0);
/* Guards the list of those that wait, the oldest first, by nc_memory_item. */
static DEFINE_SPINLOCK(memory_lock);
static LIST_HEAD(memory_waiters);

static bool part_take(atomic64_t *used, u64 limit, u32 bytes)
{
	s64 now = atomic64_read(used);

	do {
		if (now && (u64)now + bytes > limit)
			return false;
	} while (!atomic64_try_cmpxchg(used, &now, now + bytes));
	return true;
}

/* Room is worth a look again when a quarter is free. */
static bool part_has_room(const atomic64_t *used, u64 limit)
{
	s64 now = atomic64_read(used);

	return !now || (u64)now <= limit - limit / 4;
}

static bool conn_has_room(const struct ll_conn *conn)
{
	return part_has_room(&conn->cn_peer->pe_memory,
			     READ_ONCE(ll_net_settings.ls_peer_memory));
}

/* At most RESUME_BATCH that may go on, off the list, referenced. */
static unsigned int waiters_collect(struct ll_conn **batch)
{
	struct net_conn *node, *next;
	unsigned int count = 0;

	spin_lock_bh(&memory_lock);
	list_for_each_entry_safe(node, next, &memory_waiters, nc_memory_item) {
		if (count == RESUME_BATCH)
			break;
		if (!conn_has_room(node->nc_conn))
			continue;
		list_del_init(&node->nc_memory_item);
		batch[count++] = ll_conn_get(node->nc_conn);
	}
	spin_unlock_bh(&memory_lock);
	return count;
}

/**
 * net_memory_resume() - there is memory again, or a limit is another
 *
 * Context: any but hard interrupt
 */
void net_memory_resume(void)
{
	struct ll_conn *batch[RESUME_BATCH];
	unsigned int count, n;

	/* Pairs with that of ll_peer_charge(). */
	smp_mb();
	if (list_empty(&memory_waiters) ||
	    !part_has_room(&memory_used, READ_ONCE(ll_net_settings.ls_memory)))
		return;
	do {
		count = waiters_collect(batch);
		for (n = 0; n < count; n++) {
			ll_conn_resume(batch[n]);
			ll_conn_put(batch[n]);
		}
	} while (count == RESUME_BATCH);
}

static bool memory_take(struct ll_peer *peer, u32 bytes)
{
	if (!part_take(&peer->pe_memory,
		       READ_ONCE(ll_net_settings.ls_peer_memory), bytes))
		return false;
	if (part_take(&memory_used, READ_ONCE(ll_net_settings.ls_memory),
		      bytes))
		return true;
	atomic64_sub(bytes, &peer->pe_memory);
	/* Another connection of the node may have been refused meanwhile. */
	net_memory_resume();
	return false;
}

static void memory_wait(struct net_conn *node)
{
	spin_lock_bh(&memory_lock);
	if (list_empty(&node->nc_memory_item))
		list_add_tail(&node->nc_memory_item, &memory_waiters);
	spin_unlock_bh(&memory_lock);
}

static void memory_wait_end(struct net_conn *node)
{
	spin_lock_bh(&memory_lock);
	list_del_init(&node->nc_memory_item);
	spin_unlock_bh(&memory_lock);
}

/**
 * ll_peer_charge() - memory for a message that came
 * @conn: connection that it came on, open
 * @bytes: how much
 *
 * By the reader of the connection, from no_message().
 *
 * Context: any but hard interrupt
 * Return: false when the node or all of them have too much already; no_message() is
 * to return -EAGAIN then, and is asked again
 */
bool ll_peer_charge(struct ll_conn *conn, u32 bytes)
{
	struct net_conn *node = conn_node(conn);
	struct ll_peer *peer = conn->cn_peer;

	if (likely(memory_take(peer, bytes)))
		return true;
	memory_wait(node);
	/* Either this sees the memory that comes back, or that sees the list. */
	smp_mb();
	if (!memory_take(peer, bytes)) {
		ll_net_count(LL_NET_PAUSED, 1);
		return false;
	}
	memory_wait_end(node);
	return true;
}

/**
 * ll_peer_uncharge() - memory is free again
 * @conn: connection that it was charged for; it may be closed
 * @bytes: how much
 *
 * Context: any but hard interrupt
 */
void ll_peer_uncharge(struct ll_conn *conn, u32 bytes)
{
	atomic64_sub(bytes, &conn->cn_peer->pe_memory);
	atomic64_sub(bytes, &memory_used);
	net_memory_resume();
}

/**
 * net_memory_forget() - a connection is closed, and waits for no memory
 * @conn: connection
 *
 * Context: any but hard interrupt
 */
void net_memory_forget(struct ll_conn *conn)
{
	memory_wait_end(conn_node(conn));
}
