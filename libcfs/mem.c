// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bytes of memory that libcfs_zalloc() gave out and libcfs_free() has not taken back.
 *
 * Each CPU counts by itself and adds its count to the global one when it exceeds
 * MEM_LOCAL_MAX, so that an allocation seldom writes a cache line that other CPUs use.
 * The sum over all CPUs is exact while no task allocates.
 */
#include <linux/atomic.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include <lustre_lite/libcfs.h>
#include <lustre_lite/params.h>

#include "libcfs_internal.h"

#define MEM_LOCAL_MAX	SZ_64K

static DEFINE_PER_CPU(long, mem_local);
static atomic_long_t mem_global;
/* Highest sum that was seen: up to MEM_LOCAL_MAX for each CPU below the true one. */
static atomic_long_t mem_max;
/* Memory of libcfs itself at rest; set once, before the parameters exist. */
static long mem_base;

static void mem_raise_max(long used)
{
	long max = atomic_long_read(&mem_max);

	while (used > max && !atomic_long_try_cmpxchg(&mem_max, &max, used))
		;
}

static void mem_count(long bytes)
{
	long local = this_cpu_add_return(mem_local, bytes);

	if (unlikely(abs(local) > MEM_LOCAL_MAX)) {
		local = this_cpu_xchg(mem_local, 0);
		mem_raise_max(atomic_long_add_return(local, &mem_global));
	}
}

static long mem_sum(void)
{
	long sum = atomic_long_read(&mem_global);
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(&mem_local, cpu));
	return sum;
}

/**
 * libcfs_zalloc() - allocate and account zeroed memory
 * @size: bytes; large blocks need GFP_KERNEL, and may be discontiguous
 * @gfp: as of kmalloc()
 *
 * Context: depends on @gfp
 * Return: the memory, for libcfs_free(); NULL on failure
 */
void *libcfs_zalloc(size_t size, gfp_t gfp)
{
	void *ptr = kvzalloc(size, gfp);

	if (likely(ptr))
		mem_count(size);
	return ptr;
}
EXPORT_SYMBOL_NS_GPL(libcfs_zalloc, LUSTRE_LITE);

/**
 * libcfs_free() - free accounted memory
 * @ptr: from libcfs_zalloc(), or NULL
 * @size: the same size
 *
 * Context: any but NMI; task context for a large block allocated with
 *  GFP_KERNEL
 */
void libcfs_free(const void *ptr, size_t size)
{
	if (!ptr)
		return;
	mem_count(-(long)size);
	kvfree(ptr);
}
EXPORT_SYMBOL_NS_GPL(libcfs_free, LUSTRE_LITE);

/* Usage beyond the baseline; libcfs's own may shrink below it. */
static u64 mem_above_base(long used)
{
	return used > mem_base ? used - mem_base : 0;
}

static int mem_used_get(void *data, u64 *val)
{
	*val = mem_above_base(mem_sum());
	return 0;
}

static int mem_max_get(void *data, u64 *val)
{
	mem_raise_max(mem_sum());
	*val = mem_above_base(atomic_long_read(&mem_max));
	return 0;
}

static const struct lustre_params_attr mem_attrs[] = {
	LP_U64_RO("memused", mem_used_get,
		  .doc = "memory allocated by the modules, bytes"),
	LP_U64_RO("memused_max", mem_max_get,
		  .doc = "highest memused that was seen, 64 KiB for each CPU too low at most"),
};

/**
 * libcfs_mem_params_add() - add memused and memused_max
 * @add: params_add_attrs()
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int libcfs_mem_params_add(libcfs_add_attrs_t *add)
{
	return add(NULL, mem_attrs, ARRAY_SIZE(mem_attrs), NULL);
}

/*
 * Take the current usage as libcfs's own. Module init, before the parameters
 * are visible.
 */
void libcfs_mem_baseline(void)
{
	mem_base = mem_sum();
	atomic_long_set(&mem_max, mem_base);
}

/* Report leaked memory. Module exit, after everything else. */
void libcfs_mem_check(void)
{
	long rest = mem_sum();

	if (rest)
		pr_err("libcfs: %ld bytes leaked\n", rest);
}
