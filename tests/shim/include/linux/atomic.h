/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_ATOMIC_H
#define _SHIM_LINUX_ATOMIC_H

#include <linux/types.h>

/*
 * Functions that return a value order, those that return none do not, as in the kernel's
 * memory model.
 */
#define SHIM_ATOMIC(prefix, atomic, type)				\
static inline type prefix##_read(const atomic *v)			\
{									\
	return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);		\
}									\
static inline type prefix##_read_acquire(const atomic *v)		\
{									\
	return __atomic_load_n(&v->counter, __ATOMIC_ACQUIRE);		\
}									\
static inline void prefix##_set(atomic *v, type n)			\
{									\
	__atomic_store_n(&v->counter, n, __ATOMIC_RELAXED);		\
}									\
static inline void prefix##_add(type n, atomic *v)			\
{									\
	__atomic_fetch_add(&v->counter, n, __ATOMIC_RELAXED);		\
}									\
static inline void prefix##_sub(type n, atomic *v)			\
{									\
	__atomic_fetch_sub(&v->counter, n, __ATOMIC_RELAXED);		\
}									\
static inline void prefix##_inc(atomic *v)				\
{									\
	prefix##_add(1, v);						\
}									\
static inline void prefix##_dec(atomic *v)				\
{									\
	prefix##_sub(1, v);						\
}									\
static inline type prefix##_add_return(type n, atomic *v)		\
{									\
	return __atomic_add_fetch(&v->counter, n, __ATOMIC_SEQ_CST);	\
}									\
static inline type prefix##_sub_return(type n, atomic *v)		\
{									\
	return __atomic_sub_fetch(&v->counter, n, __ATOMIC_SEQ_CST);	\
}									\
static inline type prefix##_inc_return(atomic *v)			\
{									\
	return prefix##_add_return(1, v);				\
}									\
static inline type prefix##_dec_return(atomic *v)			\
{									\
	return prefix##_sub_return(1, v);				\
}									\
static inline bool prefix##_dec_and_test(atomic *v)			\
{									\
	return !prefix##_dec_return(v);					\
}									\
static inline type prefix##_fetch_or(type n, atomic *v)			\
{									\
	return __atomic_fetch_or(&v->counter, n, __ATOMIC_SEQ_CST);	\
}									\
static inline type prefix##_xchg(atomic *v, type n)			\
{									\
	return __atomic_exchange_n(&v->counter, n, __ATOMIC_SEQ_CST);	\
}									\
static inline type prefix##_cmpxchg(atomic *v, type old, type n)	\
{									\
	__atomic_compare_exchange_n(&v->counter, &old, n, false,	\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);	\
	return old;							\
}									\
static inline bool prefix##_try_cmpxchg(atomic *v, type *old, type n)	\
{									\
	return __atomic_compare_exchange_n(&v->counter, old, n, false,	\
					   __ATOMIC_SEQ_CST,		\
					   __ATOMIC_SEQ_CST);		\
}									\
static inline bool prefix##_add_unless(atomic *v, type n, type not)	\
{									\
	type old = prefix##_read(v);					\
									\
	do {								\
		if (old == not)						\
			return false;					\
	} while (!prefix##_try_cmpxchg(v, &old, old + n));		\
	return true;							\
}

SHIM_ATOMIC(atomic, atomic_t, int)
SHIM_ATOMIC(atomic64, atomic64_t, s64)
SHIM_ATOMIC(atomic_long, atomic_long_t, long)

/* A fence is nothing that ThreadSanitizer knows; an exchange orders as well. */
static inline void smp_mb(void)
{
	int dummy = 0;

	__atomic_exchange_n(&dummy, 1, __ATOMIC_SEQ_CST);
}

#define ATOMIC_INIT(n)		{ (n) }
#define ATOMIC64_INIT(n)	{ (n) }

#endif /* _SHIM_LINUX_ATOMIC_H */
