// SPDX-License-Identifier: GPL-2.0-only
/*
 * Eviction of silent clients. Each target is checked once in a ping interval. A
 * client is evicted after a silence in which six successive pings or connects
 * were lost.
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
 * ptlrpc_evict_seconds() - silence after which a client is evicted
 *
 * Context: any
 * Return: seconds
 */
unsigned int ptlrpc_evict_seconds(void)
{
	return evict_seconds(READ_ONCE(obd_timeout), obd_ping_interval());
}
EXPORT_SYMBOL_NS_GPL(ptlrpc_evict_seconds, LUSTRE_LITE);

/*
 * Evict the clients that have been silent for @seconds. After a restart those that are missing
 * have a deadline of their own, and those that have come back may wait for them without a word:
 * their silence starts when recovery is over. Return: how many.
 */
unsigned int target_evict_silent(struct obd_device *obd, unsigned int seconds)
{
	time64_t since = ktime_get_seconds() - seconds;

	if (!target_recovered_before(obd, since))
		return 0;
	return class_disconnect_stale_exports(obd, since);
}
EXPORT_FOR_KUNIT(target_evict_silent);

static void evictor_work(struct work_struct *work)
{
	struct obd_device *obd = NULL;

	while ((obd = target_next(obd)))
		target_evict_silent(obd, ptlrpc_evict_seconds());
	evictor_queue();
}

/* Start the check. Return: 0 */
int ping_evictor_init(void)
{
	evictor_queue();
	return 0;
}

/* Stop it; may sleep. */
void ping_evictor_exit(void)
{
	cancel_delayed_work_sync(&evictor);
}
