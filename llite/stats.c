// SPDX-License-Identifier: GPL-2.0-only
/* llite.*.stats. */
#include <linux/kernel.h>

#include "stats.h"

#define BYTES(n)	PARAMS_STAT_SAMPLES(n, PARAMS_UNIT_BYTES)
#define CALL(n)		PARAMS_STAT_SAMPLES(n, PARAMS_UNIT_USEC)
#define COUNT(n)	{ .name = (n), .unit = PARAMS_UNIT_REQS }

static const struct params_stat_desc stat_descs[LL_STAT_COUNT] = {
	[LL_STAT_READ_BYTES]	= BYTES("read_bytes"),
	[LL_STAT_WRITE_BYTES]	= BYTES("write_bytes"),
	[LL_STAT_READ]		= CALL("read"),
	[LL_STAT_WRITE]		= CALL("write"),
	[LL_STAT_IOCTL]		= CALL("ioctl"),
	[LL_STAT_OPEN]		= CALL("open"),
	[LL_STAT_CLOSE]		= CALL("close"),
	[LL_STAT_MMAP]		= CALL("mmap"),
	[LL_STAT_PAGE_FAULT]	= CALL("page_fault"),
	[LL_STAT_PAGE_MKWRITE]	= CALL("page_mkwrite"),
	[LL_STAT_SEEK]		= CALL("seek"),
	[LL_STAT_FSYNC]		= CALL("fsync"),
	[LL_STAT_READDIR]	= CALL("readdir"),
	[LL_STAT_SETATTR]	= CALL("setattr"),
	[LL_STAT_TRUNCATE]	= CALL("truncate"),
	[LL_STAT_FLOCK]		= CALL("flock"),
	[LL_STAT_GETATTR]	= CALL("getattr"),
	[LL_STAT_FALLOCATE]	= CALL("fallocate"),
	[LL_STAT_CREATE]	= CALL("create"),
	[LL_STAT_LINK]		= CALL("link"),
	[LL_STAT_UNLINK]	= CALL("unlink"),
	[LL_STAT_SYMLINK]	= CALL("symlink"),
	[LL_STAT_MKDIR]		= CALL("mkdir"),
	[LL_STAT_RMDIR]		= CALL("rmdir"),
	[LL_STAT_MKNOD]		= CALL("mknod"),
	[LL_STAT_RENAME]	= CALL("rename"),
	[LL_STAT_STATFS]	= CALL("statfs"),
	[LL_STAT_SETXATTR]	= CALL("setxattr"),
	[LL_STAT_GETXATTR]	= CALL("getxattr"),
	[LL_STAT_GETXATTR_HITS]	= COUNT("getxattr_hits"),
	[LL_STAT_LISTXATTR]	= CALL("listxattr"),
	[LL_STAT_REMOVEXATTR]	= CALL("removexattr"),
};

struct params_stats *ll_stats_new(void)
{
	return params_stats_alloc(stat_descs, LL_STAT_COUNT);
}
