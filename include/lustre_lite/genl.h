/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events on generic netlink, and the network namespaces that receive them.
 *
 * A node has one tree of parameters and one list of devices, and /dev/libcfs shows
 * both to any task that can open it. Netlink needs no file, so a container could read
 * there what its /dev hides. Hence a network namespace sees
 *
 *	all of the node		if it belongs to the initial user namespace: the first
 *				namespace, and those created by "ip netns"
 *	its own devices		if it belongs to another user namespace, as those of
 *				unprivileged containers do
 */
#ifndef _LUSTRE_LITE_GENL_H
#define _LUSTRE_LITE_GENL_H

#include <linux/types.h>

struct genl_family;
struct net;
struct sk_buff;

bool libcfs_genl_sees(const struct net *net, const struct net *of);
bool libcfs_genl_heard(const struct genl_family *family, const struct net *of);
void libcfs_genl_send(const struct genl_family *family, struct sk_buff *skb,
		      const struct net *of);

#endif /* _LUSTRE_LITE_GENL_H */
