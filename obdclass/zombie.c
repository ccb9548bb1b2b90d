// SPDX-License-Identifier: GPL-2.0
/*
 * Zombies: objects are freed by a workqueue, as the last put may come from
 * atomic context.
 *
 * An object is a zombie from its last put on, and the barrier waits for it from
 * then on: it stays in its lists until its work runs.
 */
#include <linux/workqueue.h>

#include <lustre_lite/compat.h>

#include "obd_internal.h"

/*
 * Freeing an object may be the last put of another one, and so on: an export
 * stops its device, whose import goes, and so through a stack of devices. This
 * limits the depth.
 */
#define ZOMBIE_CHAIN_MAX	64

static struct workqueue_struct *zombie_wq;
static atomic64_t zombies_queued = ATOMIC64_INIT(0);

/**
 * obd_zombie_queue() - queue freeing an object
 * @work: frees it; queued once
 *
 * Context: any
 */
void obd_zombie_queue(struct work_struct *work)
{
	atomic64_inc(&zombies_queued);
	WARN_ON_ONCE(!queue_work(zombie_wq, work));
}
EXPORT_SYMBOL_NS_GPL(obd_zombie_queue, LUSTRE_LITE);

/**
 * obd_zombie_barrier() - wait until all zombies are freed
 *
 * Waits for all objects with an earlier last put, and for those freed as a
 * consequence. It does not wait for concurrent last puts without a bound.
 *
 * Context: sleeps; must not be called while an object is freed: not from
 *  o_cleanup, nor from exp_destroy
 */
void obd_zombie_barrier(void)
{
	unsigned int link = 0;
	s64 queued;

	/*
	 * Each flush frees the objects queued before: one more link of a chain.
	 */
	do {
		queued = atomic64_read(&zombies_queued);
		flush_workqueue(zombie_wq);
	} while (queued != atomic64_read(&zombies_queued) &&
		 ++link < ZOMBIE_CHAIN_MAX);
}
EXPORT_SYMBOL_NS_GPL(obd_zombie_barrier, LUSTRE_LITE);

/* Allocate the workqueue. Return: 0 or -ENOMEM */
int obd_zombie_init(void)
{
	zombie_wq = alloc_workqueue("obd_zombid", WQ_UNBOUND, 0);
	return zombie_wq ? 0 : -ENOMEM;
}

/* Free what is left; no puts follow. May sleep. */
void obd_zombie_exit(void)
{
	obd_zombie_barrier();
	destroy_workqueue(zombie_wq);
}
