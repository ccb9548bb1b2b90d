/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_CPUMASK_H
#define _SHIM_LINUX_CPUMASK_H

#include <shim/task.h>

#define nr_cpu_ids	shim_cpus

#endif /* _SHIM_LINUX_CPUMASK_H */
