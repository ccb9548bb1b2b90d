/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_PERCPU_H
#define _SHIM_LINUX_PERCPU_H

/* One instance of each variable, which all threads share. */
#define DEFINE_PER_CPU(type, name)	type name
#define this_cpu_add_return(var, n)	\
	__atomic_add_fetch(&(var), (n), __ATOMIC_RELAXED)
#define this_cpu_xchg(var, n)		\
	__atomic_exchange_n(&(var), (n), __ATOMIC_RELAXED)
#define per_cpu_ptr(ptr, cpu)		((void)(cpu), (ptr))
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < 1; (cpu)++)

#endif /* _SHIM_LINUX_PERCPU_H */
