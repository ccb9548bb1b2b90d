// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connected nodes and their subscriptions. A node that reads a log subscribes to it, and
 * acknowledges the records that it applied.
 *
 * Subscriptions and registrations are limited for all connections of a NID together. The
 * budget of a NID that disconnected is remembered until it is full again, so that
 * reconnecting does not refill it.
 */
#define DEBUG_SUBSYSTEM S_MGS

#include <linux/jhash.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/nid.h>

#include "mgs_internal.h"

/* Subscriptions of all connections of a NID. */
#define PEER_LOGS_MAX		4096
/* Registrations of a NID: burst, then rate per second. */
#define PEER_REGISTER_BURST	256
#define PEER_REGISTER_RATE	32

static struct mgs_peer *peer_find(struct mgs_device *md, const struct lnet_nid *nid)
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

/* Free NIDs without nodes whose budget is full. */
static void peers_reap(struct mgs_device *md)
{
	struct mgs_peer *peer, *next;

	list_for_each_entry_safe(peer, next, &md->md_peers, mp_item) {
		peer_fill(peer);
		if (!peer->mp_nodes && peer->mp_registers == PEER_REGISTER_BURST)
			peer_free(peer);
	}
}

/*
 * A node connects. Context: md_nodes_lock is held.
 * Return: peer, for __peer_put(); NULL on allocation failure
 */
static struct mgs_peer *__peer_get(struct mgs_device *md, const struct lnet_nid *nid)
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

/* A node disconnects. Context: md_nodes_lock is held. */
static void __peer_put(struct mgs_device *md, struct mgs_peer *peer)
{
	lockdep_assert_held(&md->md_nodes_lock);
	peer->mp_nodes--;
	/* Peers with nodes come first in the list. */
	if (!peer->mp_nodes)
		list_move_tail(&peer->mp_item, &md->md_peers);
}

/* Whether a NID may have one more subscription. Context: md_nodes_lock is held. */
static bool __peer_may_follow(struct mgs_device *md, const struct mgs_peer *peer)
{
	lockdep_assert_held(&md->md_nodes_lock);
	return peer->mp_subscriptions < PEER_LOGS_MAX;
}

/*
 * A NID registers a target.
 * Return: 0; -EAGAIN if it has used up its budget;
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

/* Free all peers, at the end of the service. */
void mgs_peers_free(struct mgs_device *md)
{
	struct mgs_peer *peer, *next;

	list_for_each_entry_safe(peer, next, &md->md_peers, mp_item) {
		WARN_ON_ONCE(peer->mp_nodes || peer->mp_subscriptions);
		peer_free(peer);
	}
}

/* The NID of a client, as text */
void mgs_nid_text(const struct obd_export *exp, char *buf, size_t size)
{
	if (libcfs_nid_print(&exp->exp_nid, buf, size) < 0)
		strscpy(buf, "?", size);
}

/*
 * The file system, or "params", that a log belongs to.
 * Return: 0; -EINVAL if it belongs to none
 */
int mgs_resource_name(const char *log, u32 type, char *name, size_t size)
{
	switch (type) {
	case CONFIG_T_CONFIG:
		if (mgs_log_fsname(log, name, size) || !*name)
			return -EINVAL;
		break;
	case CONFIG_T_RECOVER:
		if (strscpy(name, log, size) < 0)
			return -EINVAL;
		break;
	case CONFIG_T_PARAMS:
	case CONFIG_T_TRIAL:
		if (strcmp(log, PARAMS_FILENAME))
			return -EINVAL;
		strscpy(name, PARAMS_FILENAME, size);
		return 0;
	default:
		return -EINVAL;
	}
	return mgs_fsname_check(name);
}

static u32 resource_hash(const struct ldlm_res_id *res)
{
	return jhash(res->name, sizeof(res->name), 0);
}

/*
 * The resource with subscriptions of that name and type. Context: md_nodes_lock is held.
 * Return: resource, valid while the lock is held; NULL
 */
struct mgs_resource *mgs_resource_find(struct mgs_device *md, const char *name,
				       u32 type)
{
	struct mgs_resource *rs;
	struct ldlm_res_id res;

	lockdep_assert_held(&md->md_nodes_lock);
	if (config_res_id(name, type, &res))
		return NULL;
	hash_for_each_possible(md->md_resources, rs, res_node,
			       resource_hash(&res)) {
		if (!memcmp(&rs->res_res, &res, sizeof(res)))
			return rs;
	}
	return NULL;
}

/* Add a subscription; the first one creates the resource. */
static struct mgs_resource *resource_get(struct mgs_device *md, const char *name,
					 u32 type)
{
	struct mgs_resource *rs = mgs_resource_find(md, name, type);

	if (!rs) {
		if (md->md_resource_count >= MGS_RESOURCES_MAX)
			return NULL;
		rs = libcfs_zalloc(sizeof(*rs), GFP_KERNEL_ACCOUNT);
		if (!rs)
			return NULL;
		config_res_id(name, type, &rs->res_res);
		rs->res_type = type;
		strscpy(rs->res_name, name, sizeof(rs->res_name));
		hash_add(md->md_resources, &rs->res_node,
			 resource_hash(&rs->res_res));
		md->md_resource_count++;
	}
	rs->res_subscribers++;
	return rs;
}

static void resource_put(struct mgs_device *md, struct mgs_resource *rs)
{
	lockdep_assert_held(&md->md_nodes_lock);
	if (--rs->res_subscribers)
		return;
	hash_del(&rs->res_node);
	md->md_resource_count--;
	libcfs_free(rs, sizeof(*rs));
}

/* A notified node has the version, or disconnected; the last one ends the measurement. */
static void subscription_settled(struct mgs_device *md, struct mgs_subscription *su)
{
	struct mgs_resource *rs = su->su_resource;

	lockdep_assert_held(&md->md_nodes_lock);
	if (!su->su_pending)
		return;
	su->su_pending = false;
	if (!--rs->res_pending)
		mgs_nidtbl_told(md, rs->res_name,
				ktime_get_ns() - rs->res_began_ns);
}

static void subscription_end(struct mgs_device *md, struct mgs_node *node,
			     struct mgs_subscription *su)
{
	lockdep_assert_held(&md->md_nodes_lock);
	subscription_settled(md, su);
	list_del(&su->su_item);
	node->mn_count--;
	node->mn_peer->mp_subscriptions--;
	resource_put(md, su->su_resource);
	libcfs_free(su, sizeof(*su));
}

static struct mgs_subscription *subscription_find(struct mgs_node *node, const char *log,
						  u32 type)
{
	struct mgs_subscription *su;

	list_for_each_entry(su, &node->mn_subscriptions, su_item) {
		if (su->su_ack.type == type && !strcmp(su->su_ack.name, log))
			return su;
	}
	return NULL;
}

/* Return: subscription, or an ERR_PTR: -EINVAL; -E2BIG: too many; -ENOMEM */
static struct mgs_subscription *subscription_new(struct mgs_device *md,
						 struct mgs_node *node, const char *log,
						 u32 type)
{
	char name[LUSTRE_MAXFSNAME + 1];
	struct mgs_subscription *su;
	int rc = mgs_resource_name(log, type, name, sizeof(name));

	if (rc)
		return ERR_PTR(rc);
	if (node->mn_count >= MGS_NODE_LOGS_MAX ||
	    !__peer_may_follow(md, node->mn_peer))
		return ERR_PTR(-E2BIG);
	su = libcfs_zalloc(sizeof(*su), GFP_KERNEL_ACCOUNT);
	if (!su)
		return ERR_PTR(-ENOMEM);
	su->su_resource = resource_get(md, name, type);
	if (!su->su_resource) {
		libcfs_free(su, sizeof(*su));
		return ERR_PTR(-ENOMEM);
	}
	strscpy(su->su_ack.name, log, sizeof(su->su_ack.name));
	su->su_ack.type = type;
	list_add_tail(&su->su_item, &node->mn_subscriptions);
	node->mn_count++;
	node->mn_peer->mp_subscriptions++;
	return su;
}

/* A client connects. Return: 0, -ENOMEM */
int mgs_node_new(struct mgs_device *md, struct obd_export *exp)
{
	struct mgs_node *node = libcfs_zalloc(sizeof(*node),
					      GFP_KERNEL_ACCOUNT);

	if (!node)
		return -ENOMEM;
	node->mn_exp = exp;
	INIT_LIST_HEAD(&node->mn_subscriptions);
	mutex_lock(&md->md_nodes_lock);
	node->mn_peer = __peer_get(md, &exp->exp_nid);
	if (node->mn_peer) {
		list_add_tail(&node->mn_item, &md->md_nodes);
		WRITE_ONCE(exp->exp_data, node);
	}
	mutex_unlock(&md->md_nodes_lock);
	if (node->mn_peer)
		return 0;
	libcfs_free(node, sizeof(*node));
	return -ENOMEM;
}

/* A node disconnects or is evicted: its subscriptions end. */
void mgs_node_gone(struct mgs_device *md, struct mgs_node *node)
{
	struct mgs_subscription *su, *next;

	mutex_lock(&md->md_nodes_lock);
	if (!node->mn_gone) {
		node->mn_gone = true;
		list_del_init(&node->mn_item);
		list_for_each_entry_safe(su, next, &node->mn_subscriptions, su_item)
			subscription_end(md, node, su);
		__mgs_serving_node_gone(md, node);
		__peer_put(md, node->mn_peer);
	}
	mutex_unlock(&md->md_nodes_lock);
	mgs_wait_wake(md);
}

/* struct mgs_followable - search for a log of a file system */
struct mgs_followable {
	char	fsname[LUSTRE_MAXFSNAME + 1];
	bool	found;
};

static int followable_look(void *data, const struct mgs_log_info *info)
{
	struct mgs_followable *fo = data;
	char fsname[LUSTRE_MAXFSNAME + 1];

	fo->found = !mgs_log_fsname(info->li_name, fsname, sizeof(fsname)) &&
		    !strcmp(fsname, fo->fsname);
	return fo->found;
}

/*
 * Whether a node may subscribe to a log. A log of a file system without any log has no
 * subscriptions, so that made-up names take no memory.
 * Return: 1 or 0; -EINVAL for a log that belongs to no file system
 */
static int node_may_subscribe(struct mgs_device *md, const char *log, u32 type)
{
	struct mgs_followable fo = {};
	struct mgs_log_info info;
	struct mgs_view *view;
	int rc = mgs_resource_name(log, type, fo.fsname, sizeof(fo.fsname));

	if (rc)
		return rc;
	if (type == CONFIG_T_PARAMS || type == CONFIG_T_TRIAL)
		return 1;
	view = mgs_store_view(md->md_store);
	fo.found = type == CONFIG_T_CONFIG && !mgs_view_info(view, log, &info);
	if (!fo.found)
		mgs_view_each(view, followable_look, &fo);
	mgs_view_put(view);
	return fo.found;
}

/*
 * A node reads a log, and so subscribes to it. Call it before taking the view of the
 * logs: the node is notified of every later change. @subscribers: out: subscribers that are
 * notified of the same changes; 0 if there is no subscription, see node_may_subscribe().
 * Return: 0; -EINVAL for a log that belongs to no file system; -E2BIG: too many
 * subscriptions; -ENOTCONN; -ENOMEM
 */
int mgs_node_subscribe(struct mgs_device *md, struct mgs_node *node,
		       const char *log, u32 type, u32 *subscribers)
{
	int may = node_may_subscribe(md, log, type);
	struct mgs_subscription *su;

	*subscribers = 0;
	if (may < 0)
		return may;
	mutex_lock(&md->md_nodes_lock);
	su = node->mn_gone ? ERR_PTR(-ENOTCONN) : subscription_find(node, log, type);
	if (!su && may)
		su = subscription_new(md, node, log, type);
	if (!IS_ERR_OR_NULL(su))
		*subscribers = su->su_resource->res_subscribers;
	mutex_unlock(&md->md_nodes_lock);
	return PTR_ERR_OR_ZERO(su);
}

/*
 * The subscribers of a NID table are about to be notified of a version. The time until
 * all of them have it is part of the statistics of the table.
 */
void mgs_nodes_await(struct mgs_device *md, const char *fsname, u64 version)
{
	struct mgs_resource *rs;
	struct mgs_node *node;
	struct mgs_subscription *su;

	mutex_lock(&md->md_nodes_lock);
	rs = mgs_resource_find(md, fsname, CONFIG_T_RECOVER);
	if (rs) {
		rs->res_want = version;
		rs->res_pending = rs->res_subscribers;
		rs->res_began_ns = ktime_get_ns();
		list_for_each_entry(node, &md->md_nodes, mn_item) {
			su = subscription_find(node, fsname, CONFIG_T_RECOVER);
			if (su)
				su->su_pending = true;
		}
	}
	mutex_unlock(&md->md_nodes_lock);
}

static bool is_changed(const struct mgs_changed *changed,
		       const struct mgs_subscription *su)
{
	u32 n;

	if (su->su_ack.type != CONFIG_T_CONFIG &&
	    su->su_ack.type != CONFIG_T_PARAMS)
		return false;
	for (n = 0; n < changed->cd_count; n++) {
		if (!strcmp(changed->cd_logs[n], su->su_ack.name))
			return true;
	}
	return false;
}

/*
 * The subscribers of the logs of a change are about to be notified. Call it before revoking
 * their locks: a node that reads before it has a lock, and may miss the notification,
 * learns of the change from the answer to its acknowledgement.
 */
void mgs_nodes_want(struct mgs_device *md, const struct mgs_changed *changed)
{
	struct mgs_node *node;
	struct mgs_subscription *su;

	mutex_lock(&md->md_nodes_lock);
	list_for_each_entry(node, &md->md_nodes, mn_item) {
		list_for_each_entry(su, &node->mn_subscriptions, su_item) {
			if (is_changed(changed, su))
				su->su_want = max(su->su_want,
						  changed->cd_generation);
		}
	}
	mutex_unlock(&md->md_nodes_lock);
}

/* The text is printable: ack_parse() replaced other bytes. */
static void say_failed(struct mgs_device *md, const struct mgs_node *node,
		       const struct mgs_ack *ack)
{
	const char *colon = *ack->why ? ": " : "";
	char nid[LNET_NID_TEXT_MAX];

	mgs_nid_text(node->mn_exp, nid, sizeof(nid));
	if (ack->status)
		CWARN("%s: node %s could not read %s%s%s: rc = %d\n",
		      md->md_obd->obd_name, nid, ack->name, colon, ack->why,
		      ack->status);
	else
		CWARN("%s: node %s could not apply %u records of %s, the first is %u%s%s\n",
		      md->md_obd->obd_name, nid, ack->failed, ack->name,
		      ack->failed_index, colon, ack->why);
}

static bool is_news(const struct mgs_subscription *su, const struct mgs_ack *ack)
{
	return (ack->status || ack->failed) &&
	       (su->su_ack.status != ack->status ||
		su->su_ack.failed != ack->failed ||
		su->su_ack.generation != ack->generation);
}

static int __node_ack(struct mgs_device *md, struct mgs_node *node,
		      const struct mgs_ack *ack)
{
	struct mgs_subscription *su = subscription_find(node, ack->name, ack->type);

	if (!su)
		return node->mn_gone ? -ENOTCONN : -ENOENT;
	if (ack->status == CONFIG_ACK_END) {
		subscription_end(md, node, su);
		return 0;
	}
	if (ack->type == CONFIG_T_TRIAL)
		__mgs_trial_ack(md, node, ack);
	else if (is_news(su, ack))
		say_failed(md, node, ack);
	su->su_ack = *ack;
	if (ack->generation >= su->su_resource->res_want)
		subscription_settled(md, su);
	return ack->generation < su->su_want ? -ESTALE : 0;
}

/*
 * A node acknowledges a log.
 * Return: 0; -ESTALE: accepted, and the log has changed since; -ENOENT if it has no such
 * subscription; -ENOTCONN
 */
int mgs_node_ack(struct mgs_device *md, struct mgs_node *node,
		 const struct mgs_ack *ack)
{
	int rc;

	mutex_lock(&md->md_nodes_lock);
	rc = __node_ack(md, node, ack);
	mutex_unlock(&md->md_nodes_lock);
	if (!rc || rc == -ESTALE)
		mgs_wait_wake(md);
	return rc;
}
