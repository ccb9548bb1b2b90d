// SPDX-License-Identifier: GPL-2.0-only
/*
 * struct lnet, the state of a network namespace, from its first use to its end.
 * conns.c has the list of its connections.
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/kernel.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>

#include "conn.h"
#include "net.h"

/* Period of the messages while rmmod waits. */
#define EXIT_COMPLAIN	(10 * HZ)

/**
 * struct net_slot - a namespace's pointer to its network
 * @nsl_lock: guards all below
 * @nsl_net: network, referenced, or NULL
 * @nsl_gone: the namespace is going away: no network is created any more
 */
struct net_slot {
	spinlock_t	nsl_lock;
	struct lnet	*nsl_net;
	bool		nsl_gone;
};

const struct lnet_ops *lnet_ops;
struct workqueue_struct *lnet_wq;
struct workqueue_struct *lnet_control_wq;

static unsigned int net_id;
/* Every network that is not being torn down; guards nn_item. */
static DEFINE_MUTEX(nets_mutex);
static LIST_HEAD(nets);
/* Networks not freed yet. */
static atomic_t nets_alive = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(nets_wait);

/**
 * lnet_get() - take a reference
 * @net: network, referenced
 *
 * Context: any
 * Return: @net
 */
struct lnet *lnet_get(struct lnet *net)
{
	refcount_inc(&net->nn_refcount);
	return net;
}

/**
 * lnet_put() - drop a reference on a network
 * @net: network
 *
 * Context: any but hard interrupt
 */
void lnet_put(struct lnet *net)
{
	if (!refcount_dec_and_test(&net->nn_refcount))
		return;
	libcfs_free(net, sizeof(*net));
	if (atomic_dec_and_test(&nets_alive))
		wake_up_all(&nets_wait);
}

/* Life. */

static struct lnet *net_make(struct net *ns)
{
	struct lnet *net = libcfs_zalloc(sizeof(*net), GFP_KERNEL);
	unsigned int n;

	if (!net)
		return NULL;
	refcount_set(&net->nn_refcount, 1);
	INIT_LIST_HEAD(&net->nn_item);
	net->nn_net = ns;
	spin_lock_init(&net->nn_lock);
	do
		get_random_bytes(&net->nn_incarnation,
				 sizeof(net->nn_incarnation));
	while (!net->nn_incarnation);
	for (n = 0; n < LNET_PEER_BUCKETS; n++) {
		INIT_HLIST_HEAD(&net->nn_peers[n]);
		INIT_HLIST_HEAD(&net->nn_addrs[n]);
	}
	net_conns_init(net);
	net_listener_init(net);
	rules_init(&net->nn_rules);
	atomic_inc(&nets_alive);
	return net;
}

/**
 * lnet_lookup() - the network of a namespace
 * @ns: namespace
 *
 * Context: any but hard interrupt
 * Return: network, referenced; NULL if it was never used
 */
struct lnet *lnet_lookup(struct net *ns)
{
	struct net_slot *slot = net_generic(ns, net_id);
	struct lnet *net;

	spin_lock_bh(&slot->nsl_lock);
	net = slot->nsl_net;
	if (net)
		lnet_get(net);
	spin_unlock_bh(&slot->nsl_lock);
	return net;
}

/* Make @net that of the namespace, unless it has one or is going away. */
static int slot_fill(struct net_slot *slot, struct lnet *net)
{
	int rc = 0;

	spin_lock_bh(&slot->nsl_lock);
	if (slot->nsl_gone)
		rc = -ENETDOWN;
	else if (slot->nsl_net)
		rc = -EEXIST;
	else
		slot->nsl_net = lnet_get(net);
	spin_unlock_bh(&slot->nsl_lock);
	return rc;
}

/**
 * lnet_find() - the network of a namespace, created if needed
 * @ns: namespace
 *
 * Context: may sleep
 * Return: network, referenced; ERR_PTR: -ENOMEM; -ENETDOWN if the namespace is
 *  going away
 */
struct lnet *lnet_find(struct net *ns)
{
	struct net_slot *slot = net_generic(ns, net_id);
	struct lnet *net = lnet_lookup(ns);
	int rc;

	if (net)
		return net;
	mutex_lock(&nets_mutex);
	net = net_make(ns);
	rc = net ? slot_fill(slot, net) : -ENOMEM;
	if (!rc)
		list_add_tail(&net->nn_item, &nets);
	mutex_unlock(&nets_mutex);
	if (!rc)
		return net;
	if (net)
		lnet_put(net);
	if (rc != -EEXIST)
		return ERR_PTR(rc);
	return lnet_lookup(ns) ?: ERR_PTR(-ENETDOWN);
}

/**
 * net_for_each() - call a function for each network
 * @fn: function; may sleep
 * @arg: its argument
 *
 * Context: may sleep
 * Return: 0, or the first error, which ends the loop
 */
int net_for_each(int (*fn)(struct lnet *net, void *arg), void *arg)
{
	struct lnet *net;
	int rc = 0;

	mutex_lock(&nets_mutex);
	list_for_each_entry(net, &nets, nn_item) {
		rc = fn(net, arg);
		if (rc)
			break;
	}
	mutex_unlock(&nets_mutex);
	return rc;
}

/* Stop new users, close, wait: afterwards nothing touches the namespace. */
static void net_stop(struct lnet *net)
{
	mutex_lock(&nets_mutex);
	list_del_init(&net->nn_item);
	mutex_unlock(&nets_mutex);

	spin_lock_bh(&net->nn_lock);
	net->nn_stopping = true;
	spin_unlock_bh(&net->nn_lock);
	net_listener_stop(net);
	net_conns_end(net);
	rules_free(&net->nn_rules);
}

static int __net_init net_slot_init(struct net *ns)
{
	struct net_slot *slot = net_generic(ns, net_id);

	spin_lock_init(&slot->nsl_lock);
	return 0;
}

static void __net_exit net_slot_exit(struct net *ns)
{
	struct net_slot *slot = net_generic(ns, net_id);
	struct lnet *net;

	spin_lock_bh(&slot->nsl_lock);
	slot->nsl_gone = true;
	net = slot->nsl_net;
	slot->nsl_net = NULL;
	spin_unlock_bh(&slot->nsl_lock);
	if (!net)
		return;
	net_stop(net);
	lnet_put(net);
}

static struct pernet_operations net_ops = {
	.init = net_slot_init,
	.exit = net_slot_exit,
	.id = &net_id,
	.size = sizeof(struct net_slot),
};

/*
 * The control lane is bound: its works run on the processor that the message came to, and wake no
 * other. The bulk lane is not: one end copies and checks megabytes while the other does, which
 * takes two processors.
 */
static int wq_init(void)
{
	lnet_wq = alloc_workqueue("lnet", WQ_MEM_RECLAIM | WQ_UNBOUND, 0);
	if (!lnet_wq)
		return -ENOMEM;
	lnet_control_wq = alloc_workqueue("lnet_control",
					  WQ_MEM_RECLAIM | WQ_HIGHPRI | COMPAT_WQ_PERCPU, 0);
	if (lnet_control_wq)
		return 0;
	destroy_workqueue(lnet_wq);
	return -ENOMEM;
}

static void wq_exit(void)
{
	destroy_workqueue(lnet_control_wq);
	destroy_workqueue(lnet_wq);
}

static int slots_init(void)
{
	return register_pernet_subsys(&net_ops);
}

/* A reference on a connection or a node pins its network, and this code. */
static void slots_exit(void)
{
	unregister_pernet_subsys(&net_ops);
	conn_wait_freed();
	while (!wait_event_timeout(nets_wait, !atomic_read(&nets_alive),
				   EXIT_COMPLAIN))
		CWARN("network: nodes of %d namespaces are still in use\n",
		      atomic_read(&nets_alive));
	net_networks_free();
}

static const struct {
	int (*init)(void);
	void (*exit)(void);
} net_parts[] = {
	{ net_stats_init, net_stats_exit },
	{ wq_init, wq_exit },
	{ slots_init, slots_exit },
	{ net_params_init, net_params_exit },
	{ net_ioctl_init, net_ioctl_exit },
};

static void net_parts_exit(size_t count)
{
	while (count--)
		net_parts[count].exit();
}

/**
 * lnet_init() - start the network
 * @ops: layer above
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int lnet_init(const struct lnet_ops *ops)
{
	size_t n;
	int rc;

	lnet_ops = ops;
	for (n = 0; n < ARRAY_SIZE(net_parts); n++) {
		rc = net_parts[n].init();
		if (rc) {
			net_parts_exit(n);
			return rc;
		}
	}
	return 0;
}

/**
 * lnet_exit() - stop it: every connection is closed when this returns
 *
 * Context: may sleep
 */
void lnet_exit(void)
{
	net_parts_exit(ARRAY_SIZE(net_parts));
}
