// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parameters of the debug log. Names are real Lustre's, by bit.
 */
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/limits.h>

#include <lustre_lite/debug.h>
#include <lustre_lite/params.h>

#include "debug_internal.h"

static const char *const debug_level_names[] = {
	"trace", "inode", "super", "iotrace",
	"malloc", "cache", "info", "ioctl",
	"neterror", "net", "warning", "buffs",
	"other", "dentry", "nettrace", "page",
	"dlmtrace", "error", "emerg", "ha",
	"rpctrace", "vfstrace", "reada", "mmap",
	"config", "console", "quota", "sec",
	"lfsck", "hsm", "snapshot", "layout",
	NULL
};

static const char *const debug_subsys_names[] = {
	"undefined", "mdc", "mds", "osc",
	"ost", "class", "log", "llite",
	"rpc", "mgmt", "lnet", "lnd",
	"pinger", "filter", "libcfs", "echo",
	"ldlm", "lov", "lquota", "osd",
	"lfsck", "snapshot", "", "lmv",
	"sec", "gss", "", "mgc",
	"mgs", "fid", "fld",
	NULL
};

static int debug_mask_get(void *data, u64 *val)
{
	*val = READ_ONCE(libcfs_debug_mask);
	return 0;
}

static int debug_mask_set(void *data, u64 val)
{
	return debug_set_mask(val);
}

static int debug_subsys_get(void *data, u64 *val)
{
	*val = READ_ONCE(libcfs_debug_subsys);
	return 0;
}

static int debug_subsys_set(void *data, u64 val)
{
	return debug_set_subsys(val);
}

static int debug_mb_get(void *data, u64 *val)
{
	*val = debug_log_mb();
	return 0;
}

static int debug_mb_set(void *data, u64 val)
{
	return debug_log_resize(val);
}

static const struct lustre_params_attr debug_attrs[] = {
	LP_MASK_RW("debug", debug_level_names, debug_mask_get, debug_mask_set,
		   .max = U32_MAX, LP_DEF(D_DEFAULT),
		   .doc = "levels to log; error, warning and console are always logged"),
	LP_MASK_RW("subsystem_debug", debug_subsys_names, debug_subsys_get,
		   debug_subsys_set, .max = U32_MAX, LP_DEF(S_ALL),
		   .doc = "subsystems to log"),
};

/* Its range depends on the machine. */
static struct lustre_params_attr debug_mb_attr __ro_after_init =
	LP_U32_RW("debug_mb", debug_mb_get, debug_mb_set, .min = 1,
		  .doc = "MiB of the debug log, all processors together");

/**
 * debug_params_add() - add debug, subsystem_debug and debug_mb
 * @add: params_add_attrs()
 *
 * Context: module init
 * Return: 0 or a negative errno; entries already added stay
 */
int __init debug_params_add(libcfs_add_attrs_t *add)
{
	int rc;

	BUILD_BUG_ON(ARRAY_SIZE(debug_level_names) != 32 + 1);
	BUILD_BUG_ON(ARRAY_SIZE(debug_subsys_names) != 31 + 1);
	rc = add(NULL, debug_attrs, ARRAY_SIZE(debug_attrs), NULL);
	if (rc)
		return rc;
	debug_mb_attr.max = debug_log_max_mb();
	return add(NULL, &debug_mb_attr, 1, NULL);
}
