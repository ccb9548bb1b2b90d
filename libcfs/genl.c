// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events on generic netlink, to the network namespaces that may see them. Each
 * family here has one multicast group.
 */
#include <linux/netlink.h>
#include <linux/rcupdate.h>
#include <linux/user_namespace.h>
#include <net/genetlink.h>
#include <net/net_namespace.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/genl.h>

/**
 * libcfs_genl_sees() - whether a network namespace may see an event
 * @net: namespace of the listener
 * @of: namespace of the event's object; NULL for the node as a whole
 *
 * Context: any
 * Return: true if it may
 */
bool libcfs_genl_sees(const struct net *net, const struct net *of)
{
	return net->user_ns == &init_user_ns || net == of;
}
EXPORT_SYMBOL_NS_GPL(libcfs_genl_sees, LUSTRE_LITE);

/**
 * libcfs_genl_heard() - whether an event has a listener
 * @family: family of the event
 * @of: namespace of the event; NULL for the node as a whole
 *
 * Context: any
 * Return: true if a namespace that may see it has one
 */
bool libcfs_genl_heard(const struct genl_family *family, const struct net *of)
{
	bool heard = false;
	struct net *net;

	rcu_read_lock();
	for_each_net_rcu(net) {
		heard = libcfs_genl_sees(net, of) &&
			genl_has_listeners(family, net, 0);
		if (heard)
			break;
	}
	rcu_read_unlock();
	return heard;
}
EXPORT_SYMBOL_NS_GPL(libcfs_genl_heard, LUSTRE_LITE);

/**
 * libcfs_genl_send() - send an event to all namespaces that may see it
 * @family: family of the event
 * @skb: message, consumed
 * @of: namespace of the event; NULL for the node as a whole
 *
 * After an allocation failure a listener sees a gap in the sequence numbers.
 *
 * Context: any
 */
void libcfs_genl_send(const struct genl_family *family, struct sk_buff *skb,
		      const struct net *of)
{
	struct sk_buff *copy;
	struct net *net;

	rcu_read_lock();
	for_each_net_rcu(net) {
		if (!libcfs_genl_sees(net, of) ||
		    !genl_has_listeners(family, net, 0))
			continue;
		copy = skb_clone(skb, GFP_ATOMIC);
		/* -ESRCH: the last listener left meanwhile. The copy is consumed. */
		if (copy)
			genlmsg_multicast_netns(family, net, copy, 0, 0,
						GFP_ATOMIC);
	}
	rcu_read_unlock();
	nlmsg_free(skb);
}
EXPORT_SYMBOL_NS_GPL(libcfs_genl_send, LUSTRE_LITE);
