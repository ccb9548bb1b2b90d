// SPDX-License-Identifier: GPL-2.0
/*
 * Messages that are lost, late, sent twice or that end their connection, on
 * purpose: rules for what goes out, of each namespace.
 *
 * A message that is late is in nr_held, with a reference on its connection, and
 * has the state LL_TX_HELD. Whoever takes it from there, be it that its time has
 * come, that it is recalled or that its connection ends, moves it to nr_passing
 * first and leaves it there until it was sent or tx_done() has returned: others
 * that look for it wait for that.
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>

#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/obd_class.h>

#include "conn.h"
#include "net_internal.h"

#define RULES_MAX	256
#define RULE_DELAY_MAX	600000
/* Messages that a namespace keeps back; those beyond are sent at once. */
#define HELD_MAX	65536

/**
 * struct net_rule - a rule
 * @ru_item: in nr_rules
 * @ru_rule: what a person sees of it
 * @ru_any_addr: for every address
 * @ru_any_net: for every network
 * @ru_nid: node, or network alone where @ru_any_addr
 */
struct net_rule {
	struct list_head	ru_item;
	struct ll_rpc_rule	ru_rule;
	bool			ru_any_addr;
	bool			ru_any_net;
	struct ll_nid		ru_nid;
};

/**
 * struct held_tx - a message that is late on purpose
 * @he_item: in nr_held or nr_passing
 * @he_conn: its connection, referenced
 * @he_tx: message
 * @he_due: jiffies when it is passed on
 * @he_rule: rule that holds it
 */
struct held_tx {
	struct list_head	he_item;
	struct ll_conn		*he_conn;
	struct ll_tx		*he_tx;
	unsigned long		he_due;
	u32			he_rule;
};

/**
 * struct twin_tx - a copy of a message
 * @tw_tx: sent like any other
 * @tw_size: bytes of this structure, all of it
 * @tw_bulk: parts of its bulk data, each with a reference on its page
 *
 * The copy of the message is behind @tw_bulk.
 */
struct twin_tx {
	struct ll_tx	tw_tx;
	size_t		tw_size;
	struct bio_vec	tw_bulk[];
};

DEFINE_STATIC_KEY_FALSE(ll_rules_key);

/*
 * Which rule a message is for.
 */

static u32 tx_opcode(const struct ll_tx *tx)
{
	const struct ll_wire_msg *msg = tx->tx_msg;

	return tx->tx_msg_len < sizeof(*msg) ? 0 : le32_to_cpu(msg->lm_opc);
}

static bool rule_is_for(const struct net_rule *rule, const struct ll_nid *nid,
			u32 opc)
{
	if (rule->ru_rule.ru_opc && rule->ru_rule.ru_opc != opc)
		return false;
	if (!rule->ru_any_addr)
		return libcfs_nid_same(&rule->ru_nid, nid);
	return rule->ru_any_net ||
	       (rule->ru_nid.nid_type == nid->nid_type &&
		rule->ru_nid.nid_net == nid->nid_net);
}

static bool rule_is_spent(const struct net_rule *rule)
{
	return rule->ru_rule.ru_max &&
	       rule->ru_rule.ru_done >= rule->ru_rule.ru_max;
}

/* The one that is applied to a message, counted; or NULL. */
static struct net_rule *__rule_for(struct ll_net_rules *rules,
				   const struct ll_nid *nid, u32 opc)
{
	struct net_rule *rule;

	lockdep_assert_held(&rules->nr_lock);
	list_for_each_entry(rule, &rules->nr_rules, ru_item) {
		if (rule_is_spent(rule) || !rule_is_for(rule, nid, opc))
			continue;
		rule->ru_rule.ru_seen++;
		if (reciprocal_scale(get_random_u32(), rule->ru_rule.ru_rate))
			continue;
		rule->ru_rule.ru_done++;
		return rule;
	}
	return NULL;
}

/*
 * Late messages.
 */

static void tx_state_set(struct ll_conn *conn, struct ll_tx *tx,
			 enum ll_tx_state state)
{
	spin_lock_bh(&conn->cn_lock);
	tx->tx_state = state;
	spin_unlock_bh(&conn->cn_lock);
}

/* Have the work run when the first one is due. */
static void __release_schedule(struct ll_net_rules *rules)
{
	struct held_tx *first;
	unsigned long now = jiffies;

	lockdep_assert_held(&rules->nr_lock);
	first = list_first_entry_or_null(&rules->nr_held, struct held_tx,
					 he_item);
	if (first)
		mod_delayed_work(ll_net_wq, &rules->nr_release,
				 time_after(first->he_due, now) ?
				 first->he_due - now : 0);
}

static void __held_insert(struct ll_net_rules *rules, struct held_tx *held)
{
	struct held_tx *before;

	lockdep_assert_held(&rules->nr_lock);
	list_for_each_entry_reverse(before, &rules->nr_held, he_item) {
		if (time_before_eq(before->he_due, held->he_due))
			break;
	}
	list_add(&held->he_item, &before->he_item);
	WRITE_ONCE(rules->nr_held_count, rules->nr_held_count + 1);
	__release_schedule(rules);
}

/* False: it is to be sent at once. */
static bool __rule_delay(struct ll_net_rules *rules,
			 const struct net_rule *rule, struct ll_conn *conn,
			 struct ll_tx *tx)
{
	struct held_tx *held;

	lockdep_assert_held(&rules->nr_lock);
	if (rules->nr_held_count >= HELD_MAX)
		return false;
	held = libcfs_zalloc(sizeof(*held), GFP_ATOMIC | __GFP_NOWARN);
	if (!held)
		return false;
	held->he_conn = ll_conn_get(conn);
	held->he_tx = tx;
	held->he_due = jiffies + msecs_to_jiffies(rule->ru_rule.ru_delay_ms);
	held->he_rule = rule->ru_rule.ru_id;
	tx_state_set(conn, tx, LL_TX_HELD);
	__held_insert(rules, held);
	return true;
}

static void __held_begin(struct ll_net_rules *rules, struct held_tx *held)
{
	lockdep_assert_held(&rules->nr_lock);
	list_move_tail(&held->he_item, &rules->nr_passing);
}

static void held_end(struct ll_net_rules *rules, struct held_tx *held)
{
	spin_lock_bh(&rules->nr_lock);
	list_del(&held->he_item);
	WRITE_ONCE(rules->nr_held_count, rules->nr_held_count - 1);
	spin_unlock_bh(&rules->nr_lock);
	wake_up_all(&rules->nr_wait);
	ll_conn_put(held->he_conn);
	libcfs_free(held, sizeof(*held));
}

/* It will not be sent. */
static void held_fail(struct ll_net_rules *rules, struct held_tx *held, int rc)
{
	tx_state_set(held->he_conn, held->he_tx, LL_TX_IDLE);
	held->he_tx->tx_done(held->he_tx, rc);
	held_end(rules, held);
}

static void held_send(struct ll_net_rules *rules, struct held_tx *held)
{
	int rc = conn_send_now(held->he_conn, held->he_tx);

	if (rc)
		held_fail(rules, held, rc);
	else
		held_end(rules, held);
}

static struct held_tx *held_due(struct ll_net_rules *rules)
{
	struct held_tx *held;

	spin_lock_bh(&rules->nr_lock);
	held = list_first_entry_or_null(&rules->nr_held, struct held_tx,
					he_item);
	if (held && time_after(held->he_due, jiffies))
		held = NULL;
	if (held)
		__held_begin(rules, held);
	else
		__release_schedule(rules);
	spin_unlock_bh(&rules->nr_lock);
	return held;
}

static void rules_release(struct work_struct *work)
{
	struct ll_net_rules *rules = container_of(to_delayed_work(work),
						  struct ll_net_rules,
						  nr_release);
	struct held_tx *held;

	while ((held = held_due(rules)))
		held_send(rules, held);
}

/* One of a connection, of a message where @tx is not NULL. */
static struct held_tx *__held_find(struct list_head *list,
				   const struct ll_conn *conn,
				   const struct ll_tx *tx)
{
	struct held_tx *held;

	list_for_each_entry(held, list, he_item) {
		if (held->he_conn == conn && (!tx || held->he_tx == tx))
			return held;
	}
	return NULL;
}

static struct held_tx *held_take(struct ll_net_rules *rules,
				 const struct ll_conn *conn,
				 const struct ll_tx *tx)
{
	struct held_tx *held;

	spin_lock_bh(&rules->nr_lock);
	held = __held_find(&rules->nr_held, conn, tx);
	if (held)
		__held_begin(rules, held);
	spin_unlock_bh(&rules->nr_lock);
	return held;
}

static bool is_passing(struct ll_net_rules *rules, const struct ll_conn *conn,
		       const struct ll_tx *tx)
{
	bool passing;

	spin_lock_bh(&rules->nr_lock);
	passing = __held_find(&rules->nr_passing, conn, tx);
	spin_unlock_bh(&rules->nr_lock);
	return passing;
}

/**
 * rules_recall() - a message that is held is not to be sent
 * @conn: connection
 * @tx: message, in LL_TX_HELD when it was looked at
 * @rc: for tx_done()
 *
 * Context: may sleep, shortly
 * Return: whether tx_done() was called by this; if not, its state is another by now
 */
bool rules_recall(struct ll_conn *conn, struct ll_tx *tx, int rc)
{
	struct ll_net_rules *rules = &conn->cn_net->nn_rules;
	struct held_tx *held = held_take(rules, conn, tx);

	if (held) {
		held_fail(rules, held, rc);
		return true;
	}
	wait_event(rules->nr_wait, !is_passing(rules, conn, tx));
	return false;
}

/**
 * rules_wait() - a message that is held no more: wait until tx_done() has returned
 * @conn: connection
 * @tx: message, in LL_TX_IDLE when it was looked at under cn_lock
 *
 * Context: may sleep, shortly
 */
void rules_wait(struct ll_conn *conn, struct ll_tx *tx)
{
	struct ll_net_rules *rules = &conn->cn_net->nn_rules;

	if (READ_ONCE(rules->nr_held_count))
		wait_event(rules->nr_wait, !is_passing(rules, conn, tx));
}

/**
 * rules_conn_closing() - a connection ends: nothing of it is held any more
 * @conn: connection, CONN_CLOSING
 *
 * Context: may sleep, shortly
 */
void rules_conn_closing(struct ll_conn *conn)
{
	struct ll_net_rules *rules = &conn->cn_net->nn_rules;
	struct held_tx *held;

	while ((held = held_take(rules, conn, NULL)))
		held_fail(rules, held, conn->cn_error ?: -ENOTCONN);
	wait_event(rules->nr_wait, !is_passing(rules, conn, NULL));
}

/*
 * Messages that are sent twice.
 */

static void twin_free(struct twin_tx *twin)
{
	unsigned int n;

	for (n = 0; n < twin->tw_tx.tx_bulk_nr; n++)
		put_page(twin->tw_bulk[n].bv_page);
	libcfs_free(twin, twin->tw_size);
}

static void twin_done(struct ll_tx *tx, int rc)
{
	twin_free(container_of(tx, struct twin_tx, tw_tx));
}

static struct twin_tx *twin_make(const struct ll_tx *tx)
{
	size_t bulk_size = tx->tx_bulk_nr * sizeof(struct bio_vec);
	size_t size = sizeof(struct twin_tx) + bulk_size + tx->tx_msg_len;
	struct twin_tx *twin = libcfs_zalloc(size, GFP_NOFS | __GFP_NOWARN);
	unsigned int n;
	void *msg;

	if (!twin)
		return NULL;
	twin->tw_size = size;
	msg = (void *)twin->tw_bulk + bulk_size;
	memcpy(msg, tx->tx_msg, tx->tx_msg_len);
	for (n = 0; n < tx->tx_bulk_nr; n++) {
		twin->tw_bulk[n] = tx->tx_bulk[n];
		get_page(twin->tw_bulk[n].bv_page);
	}
	twin->tw_tx.tx_msg = msg;
	twin->tw_tx.tx_msg_len = tx->tx_msg_len;
	twin->tw_tx.tx_bulk = tx->tx_bulk_nr ? twin->tw_bulk : NULL;
	twin->tw_tx.tx_bulk_nr = tx->tx_bulk_nr;
	twin->tw_tx.tx_bulk_len = tx->tx_bulk_len;
	twin->tw_tx.tx_done = twin_done;
	return twin;
}

/* The copy goes first: the message itself is there until it is sent. */
static void twin_send(struct ll_conn *conn, const struct ll_tx *tx)
{
	struct twin_tx *twin = twin_make(tx);

	if (!twin)
		return;
	if (conn_send_now(conn, &twin->tw_tx))
		twin_free(twin);
	else
		ll_net_count(LL_NET_DUPLICATED, 1);
}

/*
 * Applying.
 */

/* What is to be done, 0: nothing. A late message is held when this returns. */
static u32 rule_apply(struct ll_conn *conn, struct ll_tx *tx)
{
	struct ll_net_rules *rules = &conn->cn_net->nn_rules;
	struct net_rule *rule;
	u32 action = 0;

	spin_lock_bh(&rules->nr_lock);
	rule = __rule_for(rules, &conn->cn_nid, tx_opcode(tx));
	if (rule)
		action = rule->ru_rule.ru_action;
	if (action == LL_RPC_RULE_DELAY && !__rule_delay(rules, rule, conn, tx))
		action = 0;
	spin_unlock_bh(&rules->nr_lock);
	return action;
}

/**
 * rules_take() - apply the rules to a message
 * @conn: connection, open
 * @tx: message, LL_TX_IDLE
 *
 * Context: in a task; may sleep for memory
 * Return: whether it is dealt with: it is held, or tx_done() was called
 */
bool rules_take(struct ll_conn *conn, struct ll_tx *tx)
{
	switch (rule_apply(conn, tx)) {
	case LL_RPC_RULE_DROP:
		ll_net_count(LL_NET_DROPPED, 1);
		tx->tx_done(tx, 0);
		return true;
	case LL_RPC_RULE_DELAY:
		ll_net_count(LL_NET_DELAYED, 1);
		return true;
	case LL_RPC_RULE_DUPLICATE:
		twin_send(conn, tx);
		return false;
	case LL_RPC_RULE_RESET:
		ll_net_count(LL_NET_RESET, 1);
		ll_conn_close(conn, -ECONNRESET);
		tx->tx_done(tx, -ECONNRESET);
		return true;
	default:
		return false;
	}
}

/*
 * Adding, deleting, listing.
 */

static int rule_check_dst(struct net_rule *rule, struct obd_why *why)
{
	char *dst = rule->ru_rule.ru_dst;
	const char *reason = "";
	char any[LL_RPC_NID_MAX];

	if (!strcmp(dst, "*")) {
		rule->ru_any_addr = true;
		rule->ru_any_net = true;
		return 0;
	}
	/* Any address will do to have the network understood. */
	rule->ru_any_addr = !strncmp(dst, "*@", 2);
	snprintf(any, sizeof(any), "%s%s", rule->ru_any_addr ? "0.0.0.0" : dst,
		 rule->ru_any_addr ? dst + 1 : "");
	if (libcfs_nid_parse(any, strlen(any), &rule->ru_nid, &reason))
		return obd_refuse(why, -EINVAL,
				  "'%s' is no node: %s; right are a NID such as 10.0.0.1@tcp, * and *@tcp3",
				  dst, reason);
	if (rule->ru_nid.nid_type != LL_NET_TCP)
		return obd_refuse(why, -EAFNOSUPPORT,
				  "'%s': messages go out to networks of type tcp only",
				  dst);
	if (!rule->ru_any_addr)
		libcfs_nid_print(&rule->ru_nid, dst, LL_RPC_NID_MAX);
	return 0;
}

static int rule_check(struct net_rule *rule, struct obd_why *why)
{
	const struct ll_rpc_rule *r = &rule->ru_rule;
	bool delay = r->ru_action == LL_RPC_RULE_DELAY;

	if (r->ru_action < LL_RPC_RULE_DROP || r->ru_action > LL_RPC_RULE_RESET)
		return obd_refuse(why, -EINVAL, "there is no action %u",
				  r->ru_action);
	if (!r->ru_rate)
		return obd_refuse(why, -EINVAL,
				  "a rate of 0 makes no sense; 1: each message, 20: one in 20");
	if (delay != !!r->ru_delay_ms || r->ru_delay_ms > RULE_DELAY_MAX)
		return obd_refuse(why, -EINVAL,
				  "a delay of %u ms: 1 to %u for a rule that delays, 0 for others",
				  r->ru_delay_ms, RULE_DELAY_MAX);
	return rule_check_dst(rule, why);
}

static int rule_insert(struct ll_net *net, struct net_rule *rule,
		       struct obd_why *why)
{
	struct ll_net_rules *rules = &net->nn_rules;
	int rc = 0;

	spin_lock_bh(&rules->nr_lock);
	if (rules->nr_count == RULES_MAX) {
		rc = -ENOSPC;
	} else {
		rule->ru_rule.ru_id = ++rules->nr_next_id;
		list_add_tail(&rule->ru_item, &rules->nr_rules);
		rules->nr_count++;
	}
	spin_unlock_bh(&rules->nr_lock);
	if (rc)
		return obd_refuse(why, rc,
				  "there are %u rules already, and no more are possible",
				  RULES_MAX);
	return 0;
}

/**
 * rules_add() - one rule more
 * @net: namespace
 * @to: in: rule, its text ends; out: as it was taken, with its number
 * @why: words of a refusal
 *
 * Context: may sleep
 * Return: 0; -EINVAL, -EAFNOSUPPORT, -ENOMEM, -ENOSPC
 */
int rules_add(struct ll_net *net, struct ll_rpc_rule *to, struct obd_why *why)
{
	struct net_rule *rule = libcfs_zalloc(sizeof(*rule), GFP_KERNEL);
	int rc;

	if (!rule)
		return -ENOMEM;
	rule->ru_rule = *to;
	rule->ru_rule.ru_seen = 0;
	rule->ru_rule.ru_done = 0;
	static_branch_inc(&ll_rules_key);
	rc = rule_check(rule, why) ?: rule_insert(net, rule, why);
	if (rc) {
		static_branch_dec(&ll_rules_key);
		libcfs_free(rule, sizeof(*rule));
		return rc;
	}
	*to = rule->ru_rule;
	return 0;
}

/* What a rule holds goes out now. @id 0: of all rules. */
static void __rule_let_go(struct ll_net_rules *rules, u32 id)
{
	struct held_tx *held, *next;
	LIST_HEAD(due);

	lockdep_assert_held(&rules->nr_lock);
	list_for_each_entry_safe(held, next, &rules->nr_held, he_item) {
		if (id && held->he_rule != id)
			continue;
		held->he_due = jiffies;
		list_move_tail(&held->he_item, &due);
	}
	list_splice(&due, &rules->nr_held);
	__release_schedule(rules);
}

static unsigned int rules_unlink(struct ll_net_rules *rules, u32 id,
				 struct list_head *gone)
{
	struct net_rule *rule, *next;
	unsigned int count = 0;

	spin_lock_bh(&rules->nr_lock);
	list_for_each_entry_safe(rule, next, &rules->nr_rules, ru_item) {
		if (id && rule->ru_rule.ru_id != id)
			continue;
		list_move_tail(&rule->ru_item, gone);
		rules->nr_count--;
		count++;
	}
	if (count)
		__rule_let_go(rules, id);
	spin_unlock_bh(&rules->nr_lock);
	return count;
}

static void rules_free_list(struct list_head *gone)
{
	struct net_rule *rule, *next;

	list_for_each_entry_safe(rule, next, gone, ru_item) {
		static_branch_dec(&ll_rules_key);
		libcfs_free(rule, sizeof(*rule));
	}
}

/**
 * rules_del() - rules less; what they hold goes out
 * @net: namespace
 * @id: number of the rule, 0: all of them
 * @why: words of a refusal
 *
 * Context: may sleep
 * Return: 0; -ENOENT when there is no such rule
 */
int rules_del(struct ll_net *net, u32 id, struct obd_why *why)
{
	LIST_HEAD(gone);

	if (!rules_unlink(&net->nn_rules, id, &gone) && id)
		return obd_refuse(why, -ENOENT,
				  "there is no rule %u; lctl net_drop_list shows those there are",
				  id);
	rules_free_list(&gone);
	return 0;
}

/**
 * rules_list() - copies of the rules, the oldest first
 * @net: namespace
 * @to: room
 * @max: how many it is for
 *
 * Context: any but hard interrupt
 * Return: how many there are
 */
unsigned int rules_list(struct ll_net *net, struct ll_rpc_rule *to,
			unsigned int max)
{
	struct ll_net_rules *rules = &net->nn_rules;
	struct net_rule *rule;
	unsigned int count = 0;

	spin_lock_bh(&rules->nr_lock);
	list_for_each_entry(rule, &rules->nr_rules, ru_item) {
		if (count < max)
			to[count] = rule->ru_rule;
		count++;
	}
	spin_unlock_bh(&rules->nr_lock);
	return count;
}

/**
 * rules_init() - of a namespace that is being made
 * @rules: zeroed
 *
 * Context: any
 */
void rules_init(struct ll_net_rules *rules)
{
	spin_lock_init(&rules->nr_lock);
	INIT_LIST_HEAD(&rules->nr_rules);
	INIT_LIST_HEAD(&rules->nr_held);
	INIT_LIST_HEAD(&rules->nr_passing);
	init_waitqueue_head(&rules->nr_wait);
	INIT_DELAYED_WORK(&rules->nr_release, rules_release);
}

/**
 * rules_free() - of a namespace that has no connection any more
 * @rules: rules
 *
 * Context: may sleep
 */
void rules_free(struct ll_net_rules *rules)
{
	LIST_HEAD(gone);

	rules_unlink(rules, 0, &gone);
	rules_free_list(&gone);
	cancel_delayed_work_sync(&rules->nr_release);
}
