// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages held by fault-injection rules.
 *
 * A held message is in nr_held with a reference on its connection, in the state
 * LNET_TX_HELD. A task that removes it, because its time has come, it is
 * withdrawn or its connection ends, moves it to nr_passing first, and leaves it
 * there until it was sent or tx_done() has returned: tasks that look for it
 * wait for that.
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/kernel.h>
#include <linux/slab.h>

#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>

#include "conn.h"
#include "net.h"

/* Most messages held in a namespace; further ones are sent at once. */
#define HELD_MAX	65536

/**
 * struct lnet_held_tx - a held message
 * @ht_item: in nr_held or nr_passing
 * @ht_conn: its connection, referenced
 * @ht_tx: message
 * @ht_due: jiffies when it is sent
 * @ht_rule: number of the rule that holds it
 */
struct lnet_held_tx {
	struct list_head	ht_item;
	struct lnet_conn		*ht_conn;
	struct lnet_tx		*ht_tx;
	unsigned long		ht_due;
	u32			ht_rule;
};

static void tx_state_set(struct lnet_conn *conn, struct lnet_tx *tx,
			 enum lnet_tx_state state)
{
	spin_lock_bh(&conn->cn_lock);
	tx->tx_state = state;
	spin_unlock_bh(&conn->cn_lock);
}

/* Schedule the work for the first message due. */
static void __release_schedule(struct lnet_rules *rules)
{
	struct lnet_held_tx *first;
	unsigned long now = jiffies;

	lockdep_assert_held(&rules->nr_lock);
	first = list_first_entry_or_null(&rules->nr_held, struct lnet_held_tx,
					 ht_item);
	if (first)
		mod_delayed_work(lnet_wq, &rules->nr_release,
				 time_after(first->ht_due, now) ?
				 first->ht_due - now : 0);
}

static void __held_insert(struct lnet_rules *rules, struct lnet_held_tx *held)
{
	struct lnet_held_tx *before;

	lockdep_assert_held(&rules->nr_lock);
	list_for_each_entry_reverse(before, &rules->nr_held, ht_item) {
		if (time_before_eq(before->ht_due, held->ht_due))
			break;
	}
	list_add(&held->ht_item, &before->ht_item);
	WRITE_ONCE(rules->nr_held_count, rules->nr_held_count + 1);
	__release_schedule(rules);
}

/**
 * __held_add() - hold a message
 * @rules: rules of the namespace
 * @conn: its connection
 * @tx: message
 * @rule: number of the rule
 * @delay_ms: milliseconds
 *
 * Context: nr_lock is held
 * Return: false to send it at once: out of memory, or too many are held
 */
bool __held_add(struct lnet_rules *rules, struct lnet_conn *conn,
		struct lnet_tx *tx, u32 rule, u32 delay_ms)
{
	struct lnet_held_tx *held;

	lockdep_assert_held(&rules->nr_lock);
	if (rules->nr_held_count >= HELD_MAX)
		return false;
	held = libcfs_zalloc(sizeof(*held), GFP_ATOMIC | __GFP_NOWARN);
	if (!held)
		return false;
	held->ht_conn = lnet_conn_get(conn);
	held->ht_tx = tx;
	held->ht_due = jiffies + msecs_to_jiffies(delay_ms);
	held->ht_rule = rule;
	tx_state_set(conn, tx, LNET_TX_HELD);
	__held_insert(rules, held);
	return true;
}

static void __held_begin(struct lnet_rules *rules, struct lnet_held_tx *held)
{
	lockdep_assert_held(&rules->nr_lock);
	list_move_tail(&held->ht_item, &rules->nr_passing);
}

static void held_end(struct lnet_rules *rules, struct lnet_held_tx *held)
{
	spin_lock_bh(&rules->nr_lock);
	list_del(&held->ht_item);
	WRITE_ONCE(rules->nr_held_count, rules->nr_held_count - 1);
	spin_unlock_bh(&rules->nr_lock);
	wake_up_all(&rules->nr_wait);
	lnet_conn_put(held->ht_conn);
	libcfs_free(held, sizeof(*held));
}

/* Complete it with an error. */
static void held_fail(struct lnet_rules *rules, struct lnet_held_tx *held, int rc)
{
	tx_state_set(held->ht_conn, held->ht_tx, LNET_TX_IDLE);
	held->ht_tx->tx_done(held->ht_tx, rc);
	held_end(rules, held);
}

static void held_send(struct lnet_rules *rules, struct lnet_held_tx *held)
{
	int rc = conn_send_now(held->ht_conn, held->ht_tx);

	if (rc)
		held_fail(rules, held, rc);
	else
		held_end(rules, held);
}

static struct lnet_held_tx *held_due(struct lnet_rules *rules)
{
	struct lnet_held_tx *held;

	spin_lock_bh(&rules->nr_lock);
	held = list_first_entry_or_null(&rules->nr_held, struct lnet_held_tx,
					ht_item);
	if (held && time_after(held->ht_due, jiffies))
		held = NULL;
	if (held)
		__held_begin(rules, held);
	else
		__release_schedule(rules);
	spin_unlock_bh(&rules->nr_lock);
	return held;
}

static void held_release(struct work_struct *work)
{
	struct lnet_rules *rules = container_of(to_delayed_work(work),
						struct lnet_rules,
						nr_release);
	struct lnet_held_tx *held;

	while ((held = held_due(rules)))
		held_send(rules, held);
}

/* A held message of a connection; @tx itself if not NULL. */
static struct lnet_held_tx *__held_find(struct list_head *list,
					const struct lnet_conn *conn,
					const struct lnet_tx *tx)
{
	struct lnet_held_tx *held;

	list_for_each_entry(held, list, ht_item) {
		if (held->ht_conn == conn && (!tx || held->ht_tx == tx))
			return held;
	}
	return NULL;
}

static struct lnet_held_tx *held_take(struct lnet_rules *rules,
				      const struct lnet_conn *conn,
				      const struct lnet_tx *tx)
{
	struct lnet_held_tx *held;

	spin_lock_bh(&rules->nr_lock);
	held = __held_find(&rules->nr_held, conn, tx);
	if (held)
		__held_begin(rules, held);
	spin_unlock_bh(&rules->nr_lock);
	return held;
}

static bool is_passing(struct lnet_rules *rules, const struct lnet_conn *conn,
		       const struct lnet_tx *tx)
{
	bool passing;

	spin_lock_bh(&rules->nr_lock);
	passing = __held_find(&rules->nr_passing, conn, tx);
	spin_unlock_bh(&rules->nr_lock);
	return passing;
}

/**
 * rules_recall() - withdraw a held message
 * @conn: connection
 * @tx: message, in LNET_TX_HELD when it was looked at
 * @rc: for tx_done()
 *
 * Context: may sleep, shortly
 * Return: true if this called tx_done(); if not, its state has changed
 *  meanwhile
 */
bool rules_recall(struct lnet_conn *conn, struct lnet_tx *tx, int rc)
{
	struct lnet_rules *rules = &conn->cn_net->nn_rules;
	struct lnet_held_tx *held = held_take(rules, conn, tx);

	if (held) {
		held_fail(rules, held, rc);
		return true;
	}
	wait_event(rules->nr_wait, !is_passing(rules, conn, tx));
	return false;
}

/**
 * rules_wait() - wait until tx_done() of a message held before has returned
 * @conn: connection
 * @tx: message, in LNET_TX_IDLE when it was looked at under cn_lock
 *
 * Context: may sleep, shortly
 */
void rules_wait(struct lnet_conn *conn, struct lnet_tx *tx)
{
	struct lnet_rules *rules = &conn->cn_net->nn_rules;

	if (READ_ONCE(rules->nr_held_count))
		wait_event(rules->nr_wait, !is_passing(rules, conn, tx));
}

/**
 * rules_conn_closing() - a connection ends: complete its held messages
 * @conn: connection, CONN_CLOSING
 *
 * Context: may sleep, shortly
 */
void rules_conn_closing(struct lnet_conn *conn)
{
	struct lnet_rules *rules = &conn->cn_net->nn_rules;
	struct lnet_held_tx *held;

	while ((held = held_take(rules, conn, NULL)))
		held_fail(rules, held, conn->cn_error ?: -ENOTCONN);
	wait_event(rules->nr_wait, !is_passing(rules, conn, NULL));
}

/**
 * __held_release() - send the messages held by a rule
 * @rules: rules of the namespace
 * @id: number of the rule; 0: all
 *
 * Context: nr_lock is held
 */
void __held_release(struct lnet_rules *rules, u32 id)
{
	struct lnet_held_tx *held, *next;
	LIST_HEAD(due);

	lockdep_assert_held(&rules->nr_lock);
	list_for_each_entry_safe(held, next, &rules->nr_held, ht_item) {
		if (id && held->ht_rule != id)
			continue;
		held->ht_due = jiffies;
		list_move_tail(&held->ht_item, &due);
	}
	list_splice(&due, &rules->nr_held);
	__release_schedule(rules);
}

/* Constructor. */
void held_init(struct lnet_rules *rules)
{
	INIT_LIST_HEAD(&rules->nr_held);
	INIT_LIST_HEAD(&rules->nr_passing);
	init_waitqueue_head(&rules->nr_wait);
	INIT_DELAYED_WORK(&rules->nr_release, held_release);
}
