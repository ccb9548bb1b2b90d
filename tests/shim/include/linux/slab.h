/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_SLAB_H
#define _SHIM_LINUX_SLAB_H

#include <stdarg.h>
#include <stdlib.h>
#include <linux/string.h>

#include <linux/gfp.h>
#include <linux/kernel.h>
#include <shim/alloc.h>

#define kmalloc(size, gfp)		shim_alloc(size, gfp, false)
#define kzalloc(size, gfp)		shim_alloc(size, gfp, true)
#define kvmalloc(size, gfp)		shim_alloc(size, gfp, false)
#define kvzalloc(size, gfp)		shim_alloc(size, gfp, true)
#define kmalloc_array(n, size, gfp)	shim_alloc_array(n, size, gfp, false)
#define kcalloc(n, size, gfp)		shim_alloc_array(n, size, gfp, true)
#define kvmalloc_array(n, size, gfp)	shim_alloc_array(n, size, gfp, false)
#define kvcalloc(n, size, gfp)		shim_alloc_array(n, size, gfp, true)
#define krealloc(p, size, gfp)		shim_realloc(p, size, gfp)
#define kvrealloc(p, old, size, gfp)	shim_realloc(p, size, gfp)
#define kfree(p)			shim_free(p)
#define kvfree(p)			shim_free(p)

#endif /* _SHIM_LINUX_SLAB_H */
