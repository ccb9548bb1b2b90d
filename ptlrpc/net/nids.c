// SPDX-License-Identifier: GPL-2.0-only
/*
 * The NIDs of this node in a namespace: the addresses of its interfaces that are
 * up, IPv4 and IPv6, of global scope, on network tcp.
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/inetdevice.h>
#include <linux/kernel.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>
#include <net/route.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "net.h"

/**
 * struct nid_list - NIDs, sorted
 * @nil_nids: buffer
 * @nil_max: its capacity
 * @nil_count: number of NIDs, including those that did not fit
 */
struct nid_list {
	struct lnet_nid	*nil_nids;
	unsigned int	nil_max;
	unsigned int	nil_count;
};

static void nid_make(struct lnet_nid *nid, const void *addr, u8 len)
{
	memset(nid, 0, sizeof(*nid));
	nid->nid_type = LNET_TCP;
	nid->nid_len = len;
	memcpy(nid->nid_addr, addr, len);
}

/* IPv4 before IPv6. */
static int nid_compare(const struct lnet_nid *a, const struct lnet_nid *b)
{
	if (a->nid_len != b->nid_len)
		return a->nid_len < b->nid_len ? -1 : 1;
	return memcmp(a->nid_addr, b->nid_addr, a->nid_len);
}

/* If it is full, the last one is dropped. */
static void list_add_nid(struct nid_list *list, const struct lnet_nid *nid)
{
	unsigned int used = min(list->nil_count, list->nil_max);
	unsigned int at = 0;

	while (at < used && nid_compare(&list->nil_nids[at], nid) < 0)
		at++;
	if (at < used && !nid_compare(&list->nil_nids[at], nid))
		return;
	list->nil_count++;
	if (at == list->nil_max)
		return;
	if (used == list->nil_max)
		used--;
	memmove(&list->nil_nids[at + 1], &list->nil_nids[at],
		(used - at) * sizeof(*nid));
	list->nil_nids[at] = *nid;
}

static void list_add_v4(struct nid_list *list, struct net_device *dev)
{
	struct in_device *in_dev = __in_dev_get_rcu(dev);
	const struct in_ifaddr *ifa;
	struct lnet_nid nid;

	if (!in_dev)
		return;
	in_dev_for_each_ifa_rcu(ifa, in_dev) {
		if (ifa->ifa_scope != RT_SCOPE_UNIVERSE)
			continue;
		nid_make(&nid, &ifa->ifa_local, sizeof(ifa->ifa_local));
		list_add_nid(list, &nid);
	}
}

#if IS_ENABLED(CONFIG_IPV6)
/* Not temporary, and not shared with other nodes. */
static bool v6_is_good(const struct inet6_ifaddr *ifp)
{
	if (ipv6_addr_type(&ifp->addr) & (IPV6_ADDR_LINKLOCAL |
					  IPV6_ADDR_LOOPBACK |
					  IPV6_ADDR_MULTICAST))
		return false;
	return !(ifp->flags & (IFA_F_TENTATIVE | IFA_F_DADFAILED |
			       IFA_F_TEMPORARY));
}

static void list_add_v6(struct nid_list *list, struct net_device *dev)
{
	struct inet6_dev *idev = __in6_dev_get(dev);
	struct inet6_ifaddr *ifp;
	struct lnet_nid nid;

	if (!idev)
		return;
	read_lock_bh(&idev->lock);
	list_for_each_entry(ifp, &idev->addr_list, if_list) {
		if (!v6_is_good(ifp))
			continue;
		nid_make(&nid, &ifp->addr, sizeof(ifp->addr));
		list_add_nid(list, &nid);
	}
	read_unlock_bh(&idev->lock);
}
#else
static void list_add_v6(struct nid_list *list, struct net_device *dev)
{
}
#endif

/**
 * lnet_nids() - the NIDs of this node
 * @ns: namespace
 * @nids: out, sorted
 * @max: its capacity
 *
 * A node without another address is 127.0.0.1@tcp.
 *
 * Context: any but hard interrupt
 * Return: number of NIDs, which may exceed @max
 */
unsigned int lnet_nids(struct net *ns, struct lnet_nid *nids, unsigned int max)
{
	struct nid_list list = { .nil_nids = nids, .nil_max = max };
	const __be32 loopback = htonl(INADDR_LOOPBACK);
	struct net_device *dev;
	struct lnet_nid nid;

	rcu_read_lock();
	for_each_netdev_rcu(ns, dev) {
		if (!(dev->flags & IFF_UP) || dev->flags & IFF_LOOPBACK)
			continue;
		list_add_v4(&list, dev);
		list_add_v6(&list, dev);
	}
	rcu_read_unlock();
	if (!list.nil_count) {
		nid_make(&nid, &loopback, sizeof(loopback));
		list_add_nid(&list, &nid);
	}
	return list.nil_count;
}
EXPORT_SYMBOL_NS_GPL(lnet_nids, LUSTRE_LITE);

/**
 * lnet_is_local() - whether an address is one of this node
 * @net: namespace
 * @nid: NID; its network is ignored
 *
 * Context: any but hard interrupt
 * Return: true if it is
 */
bool lnet_is_local(struct lnet *net, const struct lnet_nid *nid)
{
	struct in6_addr in6;
	__be32 in;

	if (nid->nid_type != LNET_TCP)
		return false;
	if (nid->nid_len == sizeof(in)) {
		memcpy(&in, nid->nid_addr, sizeof(in));
		return inet_addr_type(net->nn_net, in) == RTN_LOCAL;
	}
	memcpy(&in6, nid->nid_addr, sizeof(in6));
	return IS_ENABLED(CONFIG_IPV6) &&
	       ipv6_chk_addr(net->nn_net, &in6, NULL, 0);
}
