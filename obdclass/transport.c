// SPDX-License-Identifier: GPL-2.0
/*
 * Transports: ways to reach targets, and which of them leads to a NID.
 */
#include <linux/export.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>

#include <lustre_lite/compat.h>

#include "import_internal.h"

/* Guards the list; not held over a call of a transport but tr_reaches. */
static DEFINE_MUTEX(transports_lock);
static LIST_HEAD(transports);

/**
 * obd_transport_register() - offer a way to reach targets
 * @tr: all but @tr_list filled in; stays the caller's
 *
 * The transport registered last is asked first.
 *
 * Context: may sleep
 * Return: 0, -EINVAL when an operation is missing
 */
int obd_transport_register(struct obd_transport *tr)
{
	if (!tr->tr_name || !tr->tr_reaches || !tr->tr_connect ||
	    !tr->tr_disconnect || !tr->tr_ping || !tr->tr_statfs ||
	    !tr->tr_get_info || !tr->tr_set_info)
		return -EINVAL;
	mutex_lock(&transports_lock);
	list_add(&tr->tr_list, &transports);
	mutex_unlock(&transports_lock);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(obd_transport_register, LUSTRE_LITE);

/**
 * obd_transport_deregister() - the opposite
 * @tr: transport; its module is not pinned any more, so no import uses it
 *
 * Context: may sleep
 */
void obd_transport_deregister(struct obd_transport *tr)
{
	mutex_lock(&transports_lock);
	list_del(&tr->tr_list);
	mutex_unlock(&transports_lock);
}
EXPORT_SYMBOL_NS_GPL(obd_transport_deregister, LUSTRE_LITE);

/* The way to a NID, its module pinned, or NULL. */
const struct obd_transport *obd_transport_find(const struct lnet_nid *nid)
{
	struct obd_transport *tr, *found = NULL;

	mutex_lock(&transports_lock);
	list_for_each_entry(tr, &transports, tr_list) {
		if (tr->tr_reaches(nid) && try_module_get(tr->tr_owner)) {
			found = tr;
			break;
		}
	}
	mutex_unlock(&transports_lock);
	return found;
}
