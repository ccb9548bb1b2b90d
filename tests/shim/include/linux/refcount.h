/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_REFCOUNT_H
#define _SHIM_LINUX_REFCOUNT_H

#include <linux/atomic.h>
#include <linux/bug.h>

typedef struct {
	atomic_t refs;
} refcount_t;

static inline void refcount_set(refcount_t *r, int n)
{
	atomic_set(&r->refs, n);
}

static inline unsigned int refcount_read(const refcount_t *r)
{
	return atomic_read(&r->refs);
}

static inline void refcount_inc(refcount_t *r)
{
	int old = __atomic_fetch_add(&r->refs.counter, 1, __ATOMIC_RELAXED);

	WARN_ON(old <= 0);
}

static inline bool refcount_inc_not_zero(refcount_t *r)
{
	return atomic_add_unless(&r->refs, 1, 0);
}

static inline bool refcount_dec_and_test(refcount_t *r)
{
	int old = __atomic_fetch_sub(&r->refs.counter, 1, __ATOMIC_ACQ_REL);

	WARN_ON(old <= 0);
	return old == 1;
}

#endif /* _SHIM_LINUX_REFCOUNT_H */
