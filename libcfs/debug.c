// SPDX-License-Identifier: GPL-2.0-only
/* The debug log: masks and console output. */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "debug_internal.h"

u32 libcfs_debug_mask = D_DEFAULT;
EXPORT_SYMBOL_NS_GPL(libcfs_debug_mask, LUSTRE_LITE);

u32 libcfs_debug_subsys = S_ALL;
EXPORT_SYMBOL_NS_GPL(libcfs_debug_subsys, LUSTRE_LITE);

/* On while a level is enabled that is off by default. */
DEFINE_STATIC_KEY_FALSE(libcfs_debug_key);
EXPORT_SYMBOL_NS_GPL(libcfs_debug_key, LUSTRE_LITE);

/* Keeps the key in step with the mask. */
static DEFINE_MUTEX(debug_mask_lock);

/**
 * debug_set_mask() - enable levels
 * @mask: D_*; those of D_CANTMASK are always logged
 *
 * Context: may sleep
 * Return: 0
 */
int debug_set_mask(u32 mask)
{
	mutex_lock(&debug_mask_lock);
	WRITE_ONCE(libcfs_debug_mask, mask);
	if (mask & ~(u32)D_DEFAULT)
		static_branch_enable(&libcfs_debug_key);
	else
		static_branch_disable(&libcfs_debug_key);
	mutex_unlock(&debug_mask_lock);
	return 0;
}

/**
 * debug_set_subsys() - enable subsystems
 * @subsys: S_*; unknown bits are ignored, so that -1 means all
 *
 * Context: any
 * Return: 0
 */
int debug_set_subsys(u32 subsys)
{
	WRITE_ONCE(libcfs_debug_subsys, subsys & S_ALL);
	return 0;
}

/* Console messages are printed alone; others with their origin. */
static void debug_print(const struct libcfs_debug_site *site, u32 level,
			struct va_format *vaf)
{
	const char *file = kbasename(site->ds_file);
	int pid = current->pid;

	if (level & D_EMERG)
		pr_emerg("LustreError: %d:0:(%s:%u:%s()) %pV", pid, file,
			 site->ds_line, site->ds_func, vaf);
	else if (level & D_ERROR)
		pr_err("LustreError: %d:0:(%s:%u:%s()) %pV", pid, file,
		       site->ds_line, site->ds_func, vaf);
	else if (level & D_WARNING)
		pr_warn("Lustre: %d:0:(%s:%u:%s()) %pV", pid, file,
			site->ds_line, site->ds_func, vaf);
	else
		pr_info("Lustre: %pV", vaf);
}

/**
 * libcfs_debug_msg() - log a message; called by CDEBUG() and others
 * @site: call site
 * @level: one bit of the level mask
 * @limit: rate limit of printing, NULL for none
 * @fmt: format, ends in a newline
 *
 * Context: any
 */
void libcfs_debug_msg(const struct libcfs_debug_site *site, u32 level,
		      struct ratelimit_state *limit, const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list args;

	va_start(args, fmt);
	debug_log_add(site, level, fmt, args);
	va_end(args);
	if (!(level & D_CANTMASK) || (limit && !__ratelimit(limit)))
		return;
	va_start(args, fmt);
	vaf.va = &args;
	debug_print(site, level, &vaf);
	va_end(args);
}
EXPORT_SYMBOL_NS_GPL(libcfs_debug_msg, LUSTRE_LITE);

/**
 * debug_init() - start the debug log
 * @mask: levels
 * @subsys: subsystems
 * @mb: MiB of the log, 0 for the default
 *
 * Context: module init
 * Return: 0, -ENOMEM or -ERANGE
 */
int debug_init(u32 mask, u32 subsys, unsigned int mb)
{
	int rc = debug_log_init(mb);

	if (rc) {
		pr_err("libcfs: cannot allocate a debug log of %u MiB (at most %u): rc = %d\n",
		       mb, debug_log_max_mb(), rc);
		return rc;
	}
	debug_set_subsys(subsys);
	return debug_set_mask(mask);
}

/* Module exit; no messages follow. */
void debug_exit(void)
{
	debug_log_exit();
}
