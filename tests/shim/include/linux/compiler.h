/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_COMPILER_H
#define _SHIM_LINUX_COMPILER_H

#define __user
#define __kernel
#define __percpu
#define __must_check		__attribute__((warn_unused_result))
#define __printf(a, b)		__attribute__((format(printf, a, b)))
#define __maybe_unused		__attribute__((unused))
#define __init
#define __exit
#define __ro_after_init
#define __read_mostly
#define ____cacheline_aligned_in_smp	__attribute__((aligned(64)))
#define __acquires(x)
#define __releases(x)
#define __acquire(x)		((void)0)
#define __release(x)		((void)0)
#define noinline		__attribute__((noinline))
#define fallthrough		__attribute__((fallthrough))

#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define _RET_IP_		0UL
#define barrier()		__asm__ __volatile__("" ::: "memory")

/*
 * For ThreadSanitizer: an access is atomic, orders nothing, but a
 * pointer orders what is reached through it.
 */
#define shim_is_pointer(x)	(__builtin_classify_type(x) == 5)
#define READ_ONCE(x)						\
	__builtin_choose_expr(shim_is_pointer(x),		\
			      __atomic_load_n(&(x), __ATOMIC_ACQUIRE),	\
			      __atomic_load_n(&(x), __ATOMIC_RELAXED))
#define WRITE_ONCE(x, val)	__atomic_store_n(&(x), val, __ATOMIC_RELAXED)

#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)
#define cmpxchg(p, old, new)	({				\
	__typeof__(*(p)) __was = (old);				\
	__atomic_compare_exchange_n(p, &__was, new, false,	\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
	__was;							\
})
#define xchg(p, v)		__atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)

#endif /* _SHIM_LINUX_COMPILER_H */
