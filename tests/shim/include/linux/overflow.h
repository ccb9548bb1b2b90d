/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_OVERFLOW_H
#define _SHIM_LINUX_OVERFLOW_H

#define check_add_overflow(a, b, d)	__builtin_add_overflow(a, b, d)
#define check_sub_overflow(a, b, d)	__builtin_sub_overflow(a, b, d)
#define check_mul_overflow(a, b, d)	__builtin_mul_overflow(a, b, d)
#define struct_size(p, member, n)	\
	(sizeof(*(p)) + sizeof(*(p)->member) * (n))

#endif /* _SHIM_LINUX_OVERFLOW_H */
