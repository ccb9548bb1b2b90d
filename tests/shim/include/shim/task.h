/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_TASK_H
#define _SHIM_TASK_H

#include <linux/types.h>

#define SHIM_CPUS_MAX	64

/**
 * struct task_struct - what kernel code sees of the calling thread
 * @comm: name
 * @pid: number
 * @cpu: processor it says to run on
 * @capable: has every capability
 * @signals_after: 0, or how often signals are asked for until there is one
 */
struct task_struct {
	char		comm[16];
	int		pid;
	unsigned int	cpu;
	bool		capable;
	unsigned int	signals_after;
};

struct task_struct *shim_task(void);
bool shim_signalled(struct task_struct *task);

#define current			shim_task()
#define task_pid_nr(task)	((task)->pid)

/* How many processors there are; to be set while nothing runs. */
extern unsigned int shim_cpus;

void shim_might_sleep(const char *what);

#endif /* _SHIM_TASK_H */
