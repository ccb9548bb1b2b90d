// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fault-injection rules of a namespace: outgoing messages are dropped, delayed,
 * duplicated, or end their connection. held.c has the delayed messages.
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
#include "net.h"

#define RULES_MAX	256
#define RULE_DELAY_MAX	600000

/**
 * struct net_rule - a rule
 * @nru_item: in nr_rules
 * @nru_rule: as user space sees it
 * @nru_any_addr: matches every address
 * @nru_any_net: matches every network
 * @nru_nid: node; with @nru_any_addr only its network is used
 */
struct net_rule {
	struct list_head	nru_item;
	struct ll_rpc_rule	nru_rule;
	bool			nru_any_addr;
	bool			nru_any_net;
	struct lnet_nid		nru_nid;
};

DEFINE_STATIC_KEY_FALSE(lnet_rules_key);

/* Matching. */

static u32 tx_opcode(const struct lnet_tx *tx)
{
	const struct lustre_msg *msg = tx->tx_msg;

	return tx->tx_msg_len < sizeof(*msg) ? 0 : le32_to_cpu(msg->lm_opc);
}

static bool rule_is_for(const struct net_rule *rule, const struct lnet_nid *nid,
			u32 opc)
{
	if (rule->nru_rule.ru_opc && rule->nru_rule.ru_opc != opc)
		return false;
	if (!rule->nru_any_addr)
		return libcfs_nid_same(&rule->nru_nid, nid);
	return rule->nru_any_net ||
	       (rule->nru_nid.nid_type == nid->nid_type &&
		rule->nru_nid.nid_net == nid->nid_net);
}

static bool rule_is_spent(const struct net_rule *rule)
{
	return rule->nru_rule.ru_max &&
	       rule->nru_rule.ru_done >= rule->nru_rule.ru_max;
}

/* The rule to apply to a message, counted; or NULL. */
static struct net_rule *__rule_for(struct lnet_rules *rules,
				   const struct lnet_nid *nid, u32 opc)
{
	struct net_rule *rule;

	lockdep_assert_held(&rules->nr_lock);
	list_for_each_entry(rule, &rules->nr_rules, nru_item) {
		if (rule_is_spent(rule) || !rule_is_for(rule, nid, opc))
			continue;
		rule->nru_rule.ru_seen++;
		if (reciprocal_scale(get_random_u32(), rule->nru_rule.ru_rate))
			continue;
		rule->nru_rule.ru_done++;
		return rule;
	}
	return NULL;
}

/* Duplicates. */

/* The duplicate goes first: the message itself exists until it is sent. */
static void dup_send(struct lnet_conn *conn, const struct lnet_tx *tx)
{
	struct lnet_tx *dup = tx_copy(tx);

	if (!dup)
		return;
	if (conn_send_now(conn, dup))
		dup->tx_done(dup, -ENOTCONN);
	else
		lnet_count(LNET_DUPLICATED, 1);
}

/* Applying. */

/* The action to take, 0: none. A delayed message is held when this returns. */
static u32 rule_apply(struct lnet_conn *conn, struct lnet_tx *tx)
{
	struct lnet_rules *rules = &conn->cn_net->nn_rules;
	struct net_rule *rule;
	u32 action = 0;

	spin_lock_bh(&rules->nr_lock);
	rule = __rule_for(rules, &conn->cn_nid, tx_opcode(tx));
	if (rule)
		action = rule->nru_rule.ru_action;
	if (action == LL_RPC_RULE_DELAY &&
	    !__held_add(rules, conn, tx, rule->nru_rule.ru_id,
			rule->nru_rule.ru_delay_ms))
		action = 0;
	spin_unlock_bh(&rules->nr_lock);
	return action;
}

/**
 * rules_take() - apply the rules to a message
 * @conn: connection, open
 * @tx: message, LNET_TX_IDLE
 *
 * Context: in a task; may sleep for memory
 * Return: true if nothing is left to do: it is held, or tx_done() was called
 */
bool rules_take(struct lnet_conn *conn, struct lnet_tx *tx)
{
	switch (rule_apply(conn, tx)) {
	case LL_RPC_RULE_DROP:
		lnet_count(LNET_DROPPED, 1);
		tx->tx_done(tx, 0);
		return true;
	case LL_RPC_RULE_DELAY:
		lnet_count(LNET_DELAYED, 1);
		return true;
	case LL_RPC_RULE_DUPLICATE:
		dup_send(conn, tx);
		return false;
	case LL_RPC_RULE_RESET:
		lnet_count(LNET_RESET, 1);
		lnet_conn_close(conn, -ECONNRESET);
		tx->tx_done(tx, -ECONNRESET);
		return true;
	default:
		return false;
	}
}

/* Adding, deleting, listing. */

static int rule_check_dst(struct net_rule *rule, struct obd_why *why)
{
	char *dst = rule->nru_rule.ru_dst;
	const char *reason = "";
	char any[LL_RPC_NID_MAX];

	if (!strcmp(dst, "*")) {
		rule->nru_any_addr = true;
		rule->nru_any_net = true;
		return 0;
	}
	/* Any address makes the network parseable. */
	rule->nru_any_addr = !strncmp(dst, "*@", 2);
	snprintf(any, sizeof(any), "%s%s", rule->nru_any_addr ? "0.0.0.0" : dst,
		 rule->nru_any_addr ? dst + 1 : "");
	if (libcfs_nid_parse(any, strlen(any), &rule->nru_nid, &reason))
		return obd_refuse(why, -EINVAL,
				  "'%s' is not a node: %s; write a NID such as 10.0.0.1@tcp, * or *@tcp3",
				  dst, reason);
	if (rule->nru_nid.nid_type != LNET_TCP)
		return obd_refuse(why, -EAFNOSUPPORT,
				  "'%s': only networks of type tcp are supported",
				  dst);
	if (!rule->nru_any_addr)
		libcfs_nid_print(&rule->nru_nid, dst, LL_RPC_NID_MAX);
	return 0;
}

static int rule_check(struct net_rule *rule, struct obd_why *why)
{
	const struct ll_rpc_rule *r = &rule->nru_rule;
	bool delay = r->ru_action == LL_RPC_RULE_DELAY;

	if (r->ru_action < LL_RPC_RULE_DROP || r->ru_action > LL_RPC_RULE_RESET)
		return obd_refuse(why, -EINVAL, "unknown action %u",
				  r->ru_action);
	if (!r->ru_rate)
		return obd_refuse(why, -EINVAL,
				  "a rate of 0 is invalid; 1: each message, 20: one in 20");
	if (delay != !!r->ru_delay_ms || r->ru_delay_ms > RULE_DELAY_MAX)
		return obd_refuse(why, -EINVAL,
				  "a delay of %u ms: 1 to %u for a rule that delays, 0 for others",
				  r->ru_delay_ms, RULE_DELAY_MAX);
	return rule_check_dst(rule, why);
}

static int rule_insert(struct lnet *net, struct net_rule *rule,
		       struct obd_why *why)
{
	struct lnet_rules *rules = &net->nn_rules;
	int rc = 0;

	spin_lock_bh(&rules->nr_lock);
	if (rules->nr_count == RULES_MAX) {
		rc = -ENOSPC;
	} else {
		rule->nru_rule.ru_id = ++rules->nr_next_id;
		list_add_tail(&rule->nru_item, &rules->nr_rules);
		rules->nr_count++;
	}
	spin_unlock_bh(&rules->nr_lock);
	if (rc)
		return obd_refuse(why, rc,
				  "there are %u rules already, the maximum",
				  RULES_MAX);
	return 0;
}

/**
 * rules_add() - add a rule
 * @net: namespace
 * @to: in: rule, its text is NUL-terminated; out: the rule as added, with its
 *  number
 * @why: reason of a refusal
 *
 * Context: may sleep
 * Return: 0; -EINVAL, -EAFNOSUPPORT, -ENOMEM, -ENOSPC
 */
int rules_add(struct lnet *net, struct ll_rpc_rule *to, struct obd_why *why)
{
	struct net_rule *rule = libcfs_zalloc(sizeof(*rule), GFP_KERNEL);
	int rc;

	if (!rule)
		return -ENOMEM;
	rule->nru_rule = *to;
	rule->nru_rule.ru_seen = 0;
	rule->nru_rule.ru_done = 0;
	static_branch_inc(&lnet_rules_key);
	rc = rule_check(rule, why) ?: rule_insert(net, rule, why);
	if (rc) {
		static_branch_dec(&lnet_rules_key);
		libcfs_free(rule, sizeof(*rule));
		return rc;
	}
	*to = rule->nru_rule;
	return 0;
}

static unsigned int rules_unlink(struct lnet_rules *rules, u32 id,
				 struct list_head *gone)
{
	struct net_rule *rule, *next;
	unsigned int count = 0;

	spin_lock_bh(&rules->nr_lock);
	list_for_each_entry_safe(rule, next, &rules->nr_rules, nru_item) {
		if (id && rule->nru_rule.ru_id != id)
			continue;
		list_move_tail(&rule->nru_item, gone);
		rules->nr_count--;
		count++;
	}
	if (count)
		__held_release(rules, id);
	spin_unlock_bh(&rules->nr_lock);
	return count;
}

static void rules_free_list(struct list_head *gone)
{
	struct net_rule *rule, *next;

	list_for_each_entry_safe(rule, next, gone, nru_item) {
		static_branch_dec(&lnet_rules_key);
		libcfs_free(rule, sizeof(*rule));
	}
}

/**
 * rules_del() - delete rules; the messages they hold are sent
 * @net: namespace
 * @id: number of the rule, 0: all
 * @why: reason of a refusal
 *
 * Context: may sleep
 * Return: 0; -ENOENT if there is no such rule
 */
int rules_del(struct lnet *net, u32 id, struct obd_why *why)
{
	LIST_HEAD(gone);

	if (!rules_unlink(&net->nn_rules, id, &gone) && id)
		return obd_refuse(why, -ENOENT,
				  "rule %u does not exist; lctl net_drop_list lists the rules",
				  id);
	rules_free_list(&gone);
	return 0;
}

/**
 * rules_list() - copies of the rules, the oldest first
 * @net: namespace
 * @to: buffer
 * @max: its capacity
 *
 * Context: any but hard interrupt
 * Return: number of rules
 */
unsigned int rules_list(struct lnet *net, struct ll_rpc_rule *to,
			unsigned int max)
{
	struct lnet_rules *rules = &net->nn_rules;
	struct net_rule *rule;
	unsigned int count = 0;

	spin_lock_bh(&rules->nr_lock);
	list_for_each_entry(rule, &rules->nr_rules, nru_item) {
		if (count < max)
			to[count] = rule->nru_rule;
		count++;
	}
	spin_unlock_bh(&rules->nr_lock);
	return count;
}

/* Constructor. */
void rules_init(struct lnet_rules *rules)
{
	spin_lock_init(&rules->nr_lock);
	INIT_LIST_HEAD(&rules->nr_rules);
	held_init(rules);
}

/* Destructor; the namespace has no connection any more. */
void rules_free(struct lnet_rules *rules)
{
	LIST_HEAD(gone);

	rules_unlink(rules, 0, &gone);
	rules_free_list(&gone);
	cancel_delayed_work_sync(&rules->nr_release);
}
