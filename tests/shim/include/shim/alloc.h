/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_ALLOC_H
#define _SHIM_ALLOC_H

#include <linux/types.h>

/*
 * Memory comes from malloc(), filled with a pattern unless zeros are asked for,
 * so that sanitizers judge its use.
 */
void *shim_alloc(size_t size, gfp_t gfp, bool zero);
void *shim_alloc_array(size_t count, size_t size, gfp_t gfp, bool zero);
void *shim_realloc(const void *ptr, size_t size, gfp_t gfp);
void shim_free(const void *ptr);

/* Let the calling thread's n-th allocation from now fail; 0: none. */
void shim_alloc_fail(unsigned int nth);
/* Whether it came to that; no allocation fails any more. */
bool shim_alloc_failed(void);
/* Pieces of memory that are allocated, of all threads. */
long shim_alloc_live(void);

#endif /* _SHIM_ALLOC_H */
