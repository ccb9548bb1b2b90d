/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_BUG_H
#define _SHIM_LINUX_BUG_H

#include <linux/compiler.h>

/* A warning ends the test: there is nothing that may be warned of. */
void shim_warn(const char *file, int line, const char *what);

#define WARN_ON(cond) ({					\
	bool __bad = (cond);					\
	if (unlikely(__bad))					\
		shim_warn(__FILE__, __LINE__, #cond);		\
	__bad;							\
})
#define WARN_ON_ONCE(cond)	WARN_ON(cond)
#define WARN_ONCE(cond, ...)	WARN_ON(cond)
#define BUILD_BUG_ON(cond)	_Static_assert(!(cond), #cond)

#endif /* _SHIM_LINUX_BUG_H */
