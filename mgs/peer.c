// SPDX-License-Identifier: GPL-2.0
/*
 * Nodes by their NID: what all connections from one NID may have together, so that one
 * node cannot use up what is there for all.
 *
 * A NID that has just left is remembered until it may register as often as a new one:
 * connecting again gives nothing back.
 */
#define DEBUG_SUBSYSTEM S_MGS

#include <linux/jiffies.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>

#include "mgs_internal.h"

/* Subscriptions of all connections of a NID. */
#define PEER_LOGS_MAX		4096
/* Registrations of a NID at once, and within each second after that. */
#define PEER_REGISTER_BURST	256
#define PEER_REGISTER_RATE	32

static struct mgs_peer *peer_find(struct mgs_device *md, const struct ll_nid *nid)
{
	struct mgs_peer *peer;

	lockdep_assert_held(&md->md_nodes_lock);
	list_for_each_entry(peer, &md->md_peers, mp_item) {
		if (libcfs_nid_same(&peer->mp_nid, nid))
			return peer;
	}
	return NULL;
}

static void peer_fill(struct mgs_peer *peer)
{
	unsigned long now = jiffies;
	u64 more = (u64)(now - peer->mp_filled) * PEER_REGISTER_RATE / HZ;

	if (!more)
		return;
	peer->mp_registers = min_t(u64, peer->mp_registers + more,
				   PEER_REGISTER_BURST);
	peer->mp_filled = now;
}

static void peer_free(struct mgs_peer *peer)
{
	list_del(&peer->mp_item);
	libcfs_free(peer, sizeof(*peer));
}

/* Those that have left, and are as good as new. */
static void peers_reap(struct mgs_device *md)
{
	struct mgs_peer *peer, *next;

	list_for_each_entry_safe(peer, next, &md->md_peers, mp_item) {
		peer_fill(peer);
		if (!peer->mp_nodes && peer->mp_registers == PEER_REGISTER_BURST)
			peer_free(peer);
	}
}

/**
 * __mgs_peer_get() - a node connects
 * @md: service, md_nodes_lock held
 * @nid: its NID
 *
 * Context: may sleep
 * Return: peer, for __mgs_peer_put(); NULL on allocation failure
 */
struct mgs_peer *__mgs_peer_get(struct mgs_device *md, const struct ll_nid *nid)
{
	struct mgs_peer *peer = peer_find(md, nid);

	if (!peer) {
		peers_reap(md);
		peer = libcfs_zalloc(sizeof(*peer), GFP_KERNEL_ACCOUNT);
		if (!peer)
			return NULL;
		peer->mp_nid = *nid;
		peer->mp_registers = PEER_REGISTER_BURST;
		peer->mp_filled = jiffies;
		INIT_LIST_HEAD(&peer->mp_item);
	}
	list_move(&peer->mp_item, &md->md_peers);
	peer->mp_nodes++;
	return peer;
}

/**
 * __mgs_peer_put() - a node has disconnected
 * @md: service, md_nodes_lock held
 * @peer: its NID
 *
 * Context: any
 */
void __mgs_peer_put(struct mgs_device *md, struct mgs_peer *peer)
{
	lockdep_assert_held(&md->md_nodes_lock);
	peer->mp_nodes--;
	/* What is found first is what is in use. */
	if (!peer->mp_nodes)
		list_move_tail(&peer->mp_item, &md->md_peers);
}

/**
 * __mgs_peer_may_follow() - whether a NID may have one more subscription
 * @md: service, md_nodes_lock held
 * @peer: NID
 *
 * Context: any
 * Return: whether it may
 */
bool __mgs_peer_may_follow(struct mgs_device *md, const struct mgs_peer *peer)
{
	lockdep_assert_held(&md->md_nodes_lock);
	return peer->mp_follows < PEER_LOGS_MAX;
}

/**
 * mgs_peer_register() - a NID registers a target
 * @md: service
 * @node: node that does
 *
 * Context: may sleep
 * Return: 0; -EAGAIN when it has registered too often within the last seconds;
 * -ENOTCONN
 */
int mgs_peer_register(struct mgs_device *md, struct mgs_node *node)
{
	struct mgs_peer *peer;
	int rc = 0;

	mutex_lock(&md->md_nodes_lock);
	peer = node->mn_peer;
	if (node->mn_gone) {
		rc = -ENOTCONN;
	} else {
		peer_fill(peer);
		if (peer->mp_registers)
			peer->mp_registers--;
		else
			rc = -EAGAIN;
	}
	mutex_unlock(&md->md_nodes_lock);
	return rc;
}

/**
 * mgs_peers_free() - forget all NIDs
 * @md: service that nobody uses any more
 *
 * Context: may sleep
 */
void mgs_peers_free(struct mgs_device *md)
{
	struct mgs_peer *peer, *next;

	list_for_each_entry_safe(peer, next, &md->md_peers, mp_item) {
		WARN_ON_ONCE(peer->mp_nodes || peer->mp_follows);
		peer_free(peer);
	}
}
