/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Health: what the parameter health_check says. Whoever has something that can
 * be unwell registers a reporter.
 */
#ifndef _LUSTRE_LITE_HEALTH_H
#define _LUSTRE_LITE_HEALTH_H

#include <linux/list.h>
#include <linux/types.h>

#include <lustre_lite/active.h>

/**
 * struct libcfs_health - somebody to ask
 * @lh_name: named when unwell
 * @lh_check: whether all is well; if not, it fills in why, in a few words.
 *	May sleep; runs under no lock of libcfs's. Must not deregister itself.
 * @lh_data: argument of @lh_check
 * @lh_list: place in the list, guarded by its mutex
 * @lh_active: held around @lh_check
 *
 * The structure belongs to the registering module and stays until
 * libcfs_health_deregister() returned.
 */
struct libcfs_health {
	const char		*lh_name;
	bool			(*lh_check)(void *data, char *why, size_t size);
	void			*lh_data;
	/* libcfs's own */
	struct list_head	lh_list;
	struct libcfs_active	lh_active;
};

void libcfs_health_register(struct libcfs_health *health);
void libcfs_health_deregister(struct libcfs_health *health);

#endif /* _LUSTRE_LITE_HEALTH_H */
