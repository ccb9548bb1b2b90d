/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_SMP_H
#define _SHIM_LINUX_SMP_H

#include <shim/task.h>

#define raw_smp_processor_id()	(shim_task()->cpu)
#define smp_processor_id()	(shim_task()->cpu)

#endif /* _SHIM_LINUX_SMP_H */
