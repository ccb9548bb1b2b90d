// SPDX-License-Identifier: GPL-2.0-only
/* Health: the parameter health_check calls all reporters. */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/health.h>
#include <lustre_lite/params.h>

#include "libcfs_internal.h"

#define HEALTH_WHY_LEN	128

/* Guards the list and lh_list; not held over lh_check(). */
static DEFINE_MUTEX(health_lock);
static LIST_HEAD(health_list);

/**
 * libcfs_health_register() - register a reporter
 * @health: name, check and data filled in
 *
 * Context: may sleep
 */
void libcfs_health_register(struct libcfs_health *health)
{
	libcfs_active_init(&health->lh_active, "libcfs_health");
	libcfs_active_open(&health->lh_active);
	mutex_lock(&health_lock);
	list_add_tail(&health->lh_list, &health_list);
	mutex_unlock(&health_lock);
}
EXPORT_SYMBOL_NS_GPL(libcfs_health_register, LUSTRE_LITE);

static void health_name(void *arg, char *buf, size_t size)
{
	struct libcfs_health *health = arg;

	snprintf(buf, size, "health reporter %s", health->lh_name);
}

/**
 * libcfs_health_deregister() - unregister a reporter
 * @health: reporter
 *
 * It stays in the list until its last check has returned, so that the iteration
 * finds the next one.
 *
 * Context: may sleep; waits for a running check
 */
void libcfs_health_deregister(struct libcfs_health *health)
{
	libcfs_active_kill(&health->lh_active);
	libcfs_active_drain(&health->lh_active, health_name, health);
	mutex_lock(&health_lock);
	list_del(&health->lh_list);
	mutex_unlock(&health_lock);
}
EXPORT_SYMBOL_NS_GPL(libcfs_health_deregister, LUSTRE_LITE);

/* The next reporter, active; @prev is released. */
static struct libcfs_health *health_next(struct libcfs_health *prev)
{
	struct libcfs_health *next = prev;

	mutex_lock(&health_lock);
	if (!prev)
		next = list_entry(&health_list, struct libcfs_health, lh_list);
	do {
		next = list_next_entry(next, lh_list);
	} while (&next->lh_list != &health_list &&
		 !libcfs_active_get(&next->lh_active));
	if (prev)
		libcfs_active_put(&prev->lh_active);
	mutex_unlock(&health_lock);
	return &next->lh_list == &health_list ? NULL : next;
}

/* "healthy", or "NOT HEALTHY name: reason; name: reason" */
static ssize_t health_get(void *data, char *buf, size_t size)
{
	struct libcfs_health *health = NULL;
	char why[HEALTH_WHY_LEN];
	size_t used = 0;

	while ((health = health_next(health))) {
		why[0] = '\0';
		if (health->lh_check(health->lh_data, why, sizeof(why)))
			continue;
		used += snprintf(buf + min(used, size),
				 size - min(used, size), "%s %s: %s",
				 used ? ";" : "NOT HEALTHY", health->lh_name,
				 why);
	}
	if (!used)
		used = snprintf(buf, size, "healthy");
	return used < size ? used : -EOVERFLOW;
}

static const struct lustre_params_attr health_attrs[] = {
	LP_STR_RO("health_check", health_get,
		  .doc = "healthy, or NOT HEALTHY and the failing reporters"),
};

/**
 * libcfs_health_params_add() - add health_check
 * @add: params_add_attrs()
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int libcfs_health_params_add(libcfs_add_attrs_t *add)
{
	return add(NULL, health_attrs, ARRAY_SIZE(health_attrs), NULL);
}
