// SPDX-License-Identifier: GPL-2.0
/*
 * Zombies: what had its last put is freed by a workqueue, as the put may come
 * from where nothing may sleep.
 *
 * Something is a zombie from the very put that was its last, and is waited for
 * by the barrier from then on: it stays in whatever list it is in until its work
 * runs.
 */
#include <linux/workqueue.h>

#include <lustre_lite/compat.h>

#include "obd_internal.h"

/*
 * Freeing one thing may be the last put of another, that of a third and so on:
 * an export stops its device, whose import goes, and so through a pile of
 * devices. No pile is as high as this.
 */
#define ZOMBIE_CHAIN_MAX	64

static struct workqueue_struct *zombie_wq;
static atomic64_t zombies_queued = ATOMIC64_INIT(0);

/**
 * obd_zombie_queue() - have something freed
 * @work: frees it; queued once
 *
 * Context: any
 */
void obd_zombie_queue(struct work_struct *work)
{
	atomic64_inc(&zombies_queued);
	WARN_ON_ONCE(!queue_work(zombie_wq, work));
}

/**
 * obd_zombie_barrier() - wait until what is being freed is freed
 *
 * Waits for all that had its last put before, and for what had its last put
 * because of that. Others may go on putting meanwhile: it does not wait for them
 * for ever.
 *
 * Context: sleeps; must not be called while something is freed: not from
 * o_cleanup, nor from exp_destroy
 */
void obd_zombie_barrier(void)
{
	unsigned int link = 0;
	s64 queued;

	/* Each flush frees what was queued before: one more link of a chain. */
	do {
		queued = atomic64_read(&zombies_queued);
		flush_workqueue(zombie_wq);
	} while (queued != atomic64_read(&zombies_queued) &&
		 ++link < ZOMBIE_CHAIN_MAX);
}
EXPORT_SYMBOL_NS_GPL(obd_zombie_barrier, LUSTRE_LITE);

/**
 * obd_zombie_init() - start the workqueue
 *
 * Context: may sleep
 * Return: 0 or -ENOMEM
 */
int obd_zombie_init(void)
{
	zombie_wq = alloc_workqueue("obd_zombid", WQ_UNBOUND, 0);
	return zombie_wq ? 0 : -ENOMEM;
}

/**
 * obd_zombie_exit() - free what is left, and end
 *
 * Context: may sleep; nobody puts any more
 */
void obd_zombie_exit(void)
{
	obd_zombie_barrier();
	destroy_workqueue(zombie_wq);
}
