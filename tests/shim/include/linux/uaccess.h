/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_UACCESS_H
#define _SHIM_LINUX_UACCESS_H

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <shim/user.h>

unsigned long copy_from_user(void *to, const void *from, unsigned long len);
unsigned long copy_to_user(void *to, const void *from, unsigned long len);
int copy_struct_from_user(void *to, size_t known, const void *from,
			  size_t size);
void *memdup_user(const void *from, size_t len);
void *memdup_user_nul(const void *from, size_t len);
void *vmemdup_user(const void *from, size_t len);

#define get_user(var, ptr) ({					\
	__typeof__(*(ptr)) __val;				\
	int __rc = copy_from_user(&__val, ptr, sizeof(__val)) ?	\
		-EFAULT : 0;					\
	(var) = __rc ? 0 : __val;				\
	__rc;							\
})
#define put_user(val, ptr) ({					\
	__typeof__(*(ptr)) __val = (val);			\
	copy_to_user(ptr, &__val, sizeof(__val)) ? -EFAULT : 0;	\
})

#endif /* _SHIM_LINUX_UACCESS_H */
