// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connecting to a node: one task makes the connection, all wait for the result.
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/kernel.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "conn.h"
#include "net.h"

/* Period of polling for cancellation. */
#define CANCEL_PERIOD	(HZ / 10)

static void try_failed(struct lnet_peer *peer, enum lnet_lane lane, int rc)
{
	spin_lock(&peer->lnp_lock);
	__peer_try_ended(&peer->lnp_lanes[lane], rc);
	spin_unlock(&peer->lnp_lock);
	peer_try_notify(peer, lane);
}

/* False if the namespace is going away. */
static bool try_add(struct lnet_peer *peer, struct lnet_conn *conn)
{
	struct lnet *net = peer->lnp_net;
	bool added;

	spin_lock_bh(&net->nn_lock);
	added = __net_conn_add(net, conn);
	if (added) {
		atomic_inc(&peer->lnp_conns);
		spin_lock(&peer->lnp_lock);
		peer->lnp_lanes[conn->cn_lane].pel_starting = conn;
		spin_unlock(&peer->lnp_lock);
	}
	spin_unlock_bh(&net->nn_lock);
	return added;
}

/**
 * peer_try_start() - make a connection; pel_trying is set, and others wait for the result
 * @peer: node
 * @lane: lane
 *
 * Context: may sleep for memory, but waits for no other node
 */
void peer_try_start(struct lnet_peer *peer, enum lnet_lane lane)
{
	unsigned int noio = memalloc_noio_save();
	struct lnet_conn *conn = conn_make(peer->lnp_net, peer, NULL);

	memalloc_noio_restore(noio);
	if (IS_ERR(conn)) {
		try_failed(peer, lane, PTR_ERR(conn));
		return;
	}
	conn->cn_lane = lane;
	if (try_add(peer, conn))
		conn_start(conn);
	else
		try_failed(peer, lane, -ENETDOWN);
	lnet_conn_put(conn);
}

/*
 * Join the running attempt, or start one. Return: number of the attempt to wait
 * for.
 */
static u32 try_join(struct lnet_peer *peer)
{
	struct peer_lane *pl = &peer->lnp_lanes[LNET_CONTROL];
	bool begin;
	u32 tries;

	spin_lock(&peer->lnp_lock);
	tries = pl->pel_tries;
	begin = !pl->pel_trying;
	pl->pel_trying = true;
	pl->pel_waiters++;
	spin_unlock(&peer->lnp_lock);
	if (begin)
		peer_try_start(peer, LNET_CONTROL);
	return tries;
}

/* Stop waiting; the last waiter ends an unfinished attempt. */
static void try_leave(struct lnet_peer *peer, int rc)
{
	struct peer_lane *pl = &peer->lnp_lanes[LNET_CONTROL];
	struct lnet_conn *conn = NULL;

	spin_lock(&peer->lnp_lock);
	if (!--pl->pel_waiters && rc && pl->pel_starting) {
		conn = lnet_conn_get(pl->pel_starting);
		pl->pel_abandoned = true;
	}
	spin_unlock(&peer->lnp_lock);
	if (!conn)
		return;
	lnet_conn_close(conn, rc);
	lnet_conn_put(conn);
}

/* Result of the attempt; 1: still running. */
static int try_result(struct lnet_peer *peer, u32 tries, struct lnet_conn **conn)
{
	struct peer_lane *pl = &peer->lnp_lanes[LNET_CONTROL];
	int rc = 1;

	spin_lock(&peer->lnp_lock);
	*conn = __peer_conn(peer, LNET_CONTROL);
	if (*conn)
		rc = 0;
	else if (pl->pel_tries != tries)
		rc = pl->pel_error ?: -EAGAIN;
	spin_unlock(&peer->lnp_lock);
	return rc;
}

/**
 * struct lnet_try_wait - a wait for a connection
 * @tw_until: jiffies when it ends
 * @tw_cancel: polled; true ends the wait; or NULL
 * @tw_arg: argument of @tw_cancel
 */
struct lnet_try_wait {
	unsigned long	tw_until;
	bool		(*tw_cancel)(void *arg);
	void		*tw_arg;
};

/* 0, or a negative errno to stop waiting. */
static int try_given_up(const struct lnet_try_wait *wait)
{
	if (fatal_signal_pending(current))
		return -EINTR;
	if (wait->tw_cancel && wait->tw_cancel(wait->tw_arg))
		return -ECANCELED;
	return time_after_eq(jiffies, wait->tw_until) ? -ETIMEDOUT : 0;
}

static int try_wait(struct lnet_peer *peer, u32 tries,
		    const struct lnet_try_wait *wait, struct lnet_conn **conn)
{
	long left;
	int rc, stop;

	for (;;) {
		stop = try_given_up(wait);
		rc = try_result(peer, tries, conn);
		if (rc <= 0)
			return rc;
		if (stop)
			return stop;
		left = max_t(long, wait->tw_until - jiffies, 1);
		if (wait->tw_cancel)
			left = min_t(long, left, CANCEL_PERIOD);
		/* try_result() tests whether it is there. */
		compat_wait_event_task_timeout(peer->lnp_wait,
					       try_result(peer, tries, conn) <= 0,
					       left);
		if (*conn)
			return 0;
	}
}

/**
 * lnet_peer_connect() - an open control connection to a node, made if needed
 * @peer: node
 * @timeout: jiffies
 * @cancel: polled; true ends the wait; or NULL
 * @arg: argument of @cancel
 *
 * One task makes the connection, others wait for the same one.
 *
 * Context: may sleep
 * Return: connection, referenced; ERR_PTR: -ETIMEDOUT, -EINTR when killed,
 *  -ECANCELED, -ECONNREFUSED, -EHOSTUNREACH, -EPROTO, -EACCES, -ENETDOWN and
 *  other errors of sockets
 */
struct lnet_conn *lnet_peer_connect(struct lnet_peer *peer, long timeout,
				    bool (*cancel)(void *arg), void *arg)
{
	struct lnet_try_wait wait = {
		.tw_until = jiffies + timeout,
		.tw_cancel = cancel,
		.tw_arg = arg,
	};
	struct lnet_conn *conn = lnet_peer_conn(peer, LNET_CONTROL);
	u32 tries;
	int over;
	int rc;

	if (!IS_ERR(conn))
		return conn;
	/* An attempt that other tasks abandoned tells nothing about the node. */
	do {
		tries = try_join(peer);
		rc = try_wait(peer, tries, &wait, &conn);
		try_leave(peer, rc);
		over = rc == -EAGAIN ? try_given_up(&wait) : rc;
	} while (rc == -EAGAIN && !over);
	return over ? ERR_PTR(over) : conn;
}
