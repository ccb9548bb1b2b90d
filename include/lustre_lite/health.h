/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Health: the parameter health_check. A module whose objects can become
 * unhealthy registers a reporter.
 */
#ifndef _LUSTRE_LITE_HEALTH_H
#define _LUSTRE_LITE_HEALTH_H

#include <linux/list.h>
#include <linux/types.h>

#include <lustre_lite/active.h>

/**
 * struct libcfs_health - a reporter
 * @lh_name: printed when unhealthy
 * @lh_check: returns whether all is well; if not, fills in a short reason. May
 *  sleep; no lock of libcfs is held. Must not deregister itself.
 * @lh_data: argument of @lh_check
 * @lh_list: in the list of reporters, guarded by its mutex
 * @lh_active: held around @lh_check
 *
 * The structure belongs to the registering module until
 * libcfs_health_deregister() has returned.
 */
struct libcfs_health {
	const char		*lh_name;
	bool			(*lh_check)(void *data, char *why, size_t size);
	void			*lh_data;
	/* private to libcfs */
	struct list_head	lh_list;
	struct libcfs_active	lh_active;
};

void libcfs_health_register(struct libcfs_health *health);
void libcfs_health_deregister(struct libcfs_health *health);

#endif /* _LUSTRE_LITE_HEALTH_H */
