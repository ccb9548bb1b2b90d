// SPDX-License-Identifier: GPL-2.0-only
/* Waiting for a variable: one queue for all of them does. */
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include <linux/ktime.h>
#include <shim/locks.h>
#include <shim/task.h>
#include <shim/wait.h>

static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;

void shim_wait_begin(struct shim_wait *wait, const void *var, long jiffies)
{
	shim_might_sleep("wait");
	shim_assert_no_rwsem("wait");
	wait->var = var;
	/* On the clock that pthread_cond_timedwait() goes by. */
	wait->deadline = ktime_get_real_ns() + jiffies * NSEC_PER_MSEC;
	pthread_mutex_lock(&queue);
}

/* False when time is up. */
bool shim_wait_sleep(struct shim_wait *wait)
{
	struct timespec until = {
		.tv_sec = wait->deadline / NSEC_PER_SEC,
		.tv_nsec = wait->deadline % NSEC_PER_SEC,
	};

	return pthread_cond_timedwait(&woken, &queue, &until) != ETIMEDOUT;
}

void shim_wait_end(struct shim_wait *wait)
{
	wait->var = NULL;
	pthread_mutex_unlock(&queue);
}

/* All are woken, and look whether it was for them. */
void shim_wake_up(const void *var)
{
	(void)var;
	pthread_mutex_lock(&queue);
	pthread_cond_broadcast(&woken);
	pthread_mutex_unlock(&queue);
}
