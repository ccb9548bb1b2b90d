/* SPDX-License-Identifier: GPL-2.0-only */
/* The loopback interface, which may be down on a machine that was just booted. */
#ifndef _KUNIT_LOOPBACK_H
#define _KUNIT_LOOPBACK_H

#include <linux/if.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/net_namespace.h>

/* It stays up. Return: 0 or a negative errno */
static inline int loopback_up(void)
{
	struct net_device *lo = init_net.loopback_dev;
	int rc = 0;

	rtnl_lock();
	if (!(lo->flags & IFF_UP))
		rc = dev_change_flags(lo, lo->flags | IFF_UP, NULL);
	rtnl_unlock();
	return rc;
}

#endif /* _KUNIT_LOOPBACK_H */
