/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_EXPORT_H
#define _SHIM_LINUX_EXPORT_H

/* A namespace may be a bare word: it is not looked at. */
#define EXPORT_SYMBOL_GPL(sym)		_Static_assert(1, "")
#define EXPORT_SYMBOL_NS_GPL(sym, ns)	_Static_assert(1, "")

#endif /* _SHIM_LINUX_EXPORT_H */
