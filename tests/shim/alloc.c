// SPDX-License-Identifier: GPL-2.0-only
/* Memory, with an allocation that fails when a test wants it to. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <linux/gfp.h>
#include <shim/alloc.h>
#include <shim/locks.h>
#include <shim/task.h>

#define GARBAGE	0xa5

static atomic_long live;
static _Thread_local unsigned int fail_in;
static _Thread_local bool failed;

/* Whether this allocation is the one that fails. */
static bool falls(gfp_t gfp)
{
	if (gfp & __GFP_SLEEPS) {
		shim_might_sleep("allocation");
		shim_assert_no_rwsem("allocation");
	}
	if (!fail_in || --fail_in)
		return false;
	failed = true;
	return true;
}

void *shim_alloc(size_t size, gfp_t gfp, bool zero)
{
	void *ptr = falls(gfp) ? NULL : malloc(size);

	if (!ptr)
		return NULL;
	memset(ptr, zero ? 0 : GARBAGE, size);
	atomic_fetch_add(&live, 1);
	return ptr;
}

void *shim_alloc_array(size_t count, size_t size, gfp_t gfp, bool zero)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		return NULL;
	return shim_alloc(bytes, gfp, zero);
}

void *shim_realloc(const void *ptr, size_t size, gfp_t gfp)
{
	if (!ptr)
		return shim_alloc(size, gfp, false);
	return falls(gfp) ? NULL : realloc((void *)ptr, size);
}

void shim_free(const void *ptr)
{
	if (!ptr)
		return;
	atomic_fetch_sub(&live, 1);
	free((void *)ptr);
}

void shim_alloc_fail(unsigned int nth)
{
	fail_in = nth;
	failed = false;
}

bool shim_alloc_failed(void)
{
	fail_in = 0;
	return failed;
}

long shim_alloc_live(void)
{
	return atomic_load(&live);
}
