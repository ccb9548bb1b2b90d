// SPDX-License-Identifier: GPL-2.0-only
/* The calling thread as kernel code sees it, and the clocks. */
#include <stdatomic.h>
#include <time.h>

#include <linux/bug.h>
#include <linux/ktime.h>
#include <shim/locks.h>
#include <shim/task.h>

unsigned int shim_cpus = 4;

static atomic_int next_pid = 1;

struct task_struct *shim_task(void)
{
	static _Thread_local struct task_struct task;

	if (!task.pid) {
		task = (struct task_struct){ .comm = "test", .capable = true };
		task.pid = atomic_fetch_add(&next_pid, 1);
		task.cpu = task.pid % shim_cpus;
	}
	return &task;
}

bool shim_signalled(struct task_struct *task)
{
	if (task->signals_after > 1) {
		task->signals_after--;
		return false;
	}
	return task->signals_after;
}

void shim_might_sleep(const char *what)
{
	if (shim_locks_held(SHIM_SPIN))
		shim_warn(what, 0, "may sleep, under a spinlock");
}

static u64 clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

u64 ktime_get_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

u64 ktime_get_real_ns(void)
{
	return clock_ns(CLOCK_REALTIME);
}
