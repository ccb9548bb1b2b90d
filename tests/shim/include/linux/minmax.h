/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_MINMAX_H
#define _SHIM_LINUX_MINMAX_H

#define min(a, b) ({			\
	__typeof__(a) __a = (a);	\
	__typeof__(b) __b = (b);	\
	__a < __b ? __a : __b;		\
})
#define max(a, b) ({			\
	__typeof__(a) __a = (a);	\
	__typeof__(b) __b = (b);	\
	__a > __b ? __a : __b;		\
})
#define min_t(type, a, b)		min((type)(a), (type)(b))
#define max_t(type, a, b)		max((type)(a), (type)(b))
#define clamp_t(type, v, lo, hi)	min_t(type, max_t(type, v, lo), hi)
#define clamp(v, lo, hi)		min(max(v, lo), hi)

#endif /* _SHIM_LINUX_MINMAX_H */
