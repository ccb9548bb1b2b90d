/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_MODULE_H
#define _SHIM_LINUX_MODULE_H

#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/slab.h>

struct module;

#define THIS_MODULE		((struct module *)NULL)
#define try_module_get(module)	((void)(module), true)
#define module_put(module)	((void)(module))

#endif /* _SHIM_LINUX_MODULE_H */
