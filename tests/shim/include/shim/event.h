/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_EVENT_H
#define _SHIM_EVENT_H

#include <linux/types.h>
#include <uapi/lustre_lite/netlink.h>

/*
 * Events of the tree are kept, the oldest up to a limit, instead of being sent.
 */
struct shim_event {
	enum ll_params_event	event;
	u32			version;
	char			path[64];
};

void shim_events_clear(void);
unsigned int shim_events(const struct shim_event **events);

#endif /* _SHIM_EVENT_H */
