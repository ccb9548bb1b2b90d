// SPDX-License-Identifier: GPL-2.0
/*
 * Clients that are not heard of any more: each target is looked at once in a ping
 * interval, and who did not call for so long that six pings or connects got lost,
 * one after the other, is evicted.
 */
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/workqueue.h>

#include <lustre_lite/compat.h>

#include "target.h"

static void evictor_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(evictor, evictor_work);

static void evictor_queue(void)
{
	queue_delayed_work(ptlrpc_wq, &evictor,
			   max_t(unsigned int, obd_ping_interval(), 1) * HZ);
}

/**
 * ptlrpc_evict_seconds() - how long a client may be silent before it is evicted
 *
 * Context: any
 * Return: seconds
 */
unsigned int ptlrpc_evict_seconds(void)
{
	return evict_seconds(READ_ONCE(obd_timeout), obd_ping_interval());
}
EXPORT_SYMBOL_NS_GPL(ptlrpc_evict_seconds, LUSTRE_LITE);

static void evictor_look(struct obd_device *obd)
{
	time64_t silent = ptlrpc_evict_seconds();

	/* Those that are awaited after a restart have a time of their own. */
	if (!target_in_recovery(obd))
		class_disconnect_stale_exports(obd,
					       ktime_get_seconds() - silent);
}

static void evictor_work(struct work_struct *work)
{
	struct obd_device *obd = NULL;

	while ((obd = target_next(obd)))
		evictor_look(obd);
	evictor_queue();
}

/**
 * ping_evictor_init() - begin to look
 *
 * Context: any
 * Return: 0
 */
int ping_evictor_init(void)
{
	evictor_queue();
	return 0;
}

/**
 * ping_evictor_exit() - look no more
 *
 * Context: may sleep
 */
void ping_evictor_exit(void)
{
	cancel_delayed_work_sync(&evictor);
}
