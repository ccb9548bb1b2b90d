/* SPDX-License-Identifier: GPL-2.0-only */
/* llite.*.stats: calls of a client mount, and their times. */
#ifndef _LLITE_STATS_H
#define _LLITE_STATS_H

#include <linux/ktime.h>

#include <lustre_lite/params.h>

/*
 * enum ll_stat - a counter, in real Lustre's order: bytes of a read or a write that moved some,
 * values of attributes that came from the cache; else calls of the VFS, also failed ones, and their
 * times
 */
enum ll_stat {
	LL_STAT_READ_BYTES,
	LL_STAT_WRITE_BYTES,
	LL_STAT_READ,
	LL_STAT_WRITE,
	LL_STAT_IOCTL,
	LL_STAT_OPEN,
	LL_STAT_CLOSE,
	LL_STAT_MMAP,
	LL_STAT_PAGE_FAULT,
	LL_STAT_PAGE_MKWRITE,
	LL_STAT_SEEK,
	LL_STAT_FSYNC,
	LL_STAT_READDIR,
	LL_STAT_SETATTR,
	LL_STAT_TRUNCATE,
	LL_STAT_FLOCK,
	LL_STAT_GETATTR,
	LL_STAT_FALLOCATE,
	LL_STAT_CREATE,
	LL_STAT_LINK,
	LL_STAT_UNLINK,
	LL_STAT_SYMLINK,
	LL_STAT_MKDIR,
	LL_STAT_RMDIR,
	LL_STAT_MKNOD,
	LL_STAT_RENAME,
	LL_STAT_STATFS,
	LL_STAT_SETXATTR,
	LL_STAT_GETXATTR,
	LL_STAT_GETXATTR_HITS,
	LL_STAT_LISTXATTR,
	LL_STAT_REMOVEXATTR,
	LL_STAT_COUNT
};

/**
 * struct ll_timed - a call that runs
 * @lt_stats: counters of its mount
 * @lt_start: when it began, nanoseconds
 * @lt_stat: its counter
 */
struct ll_timed {
	struct params_stats	*lt_stats;
	u64			lt_start;
	enum ll_stat		lt_stat;
};

/* Return: counters, all 0; NULL on allocation failure. Sleeps */
struct params_stats *ll_stats_new(void);

static inline u64 ll_usec_since(u64 start)
{
	return (ktime_get_ns() - start) / NSEC_PER_USEC;
}

static inline void ll_timed_end(const struct ll_timed *lt)
{
	params_stats_add(lt->lt_stats, lt->lt_stat, ll_usec_since(lt->lt_start));
}

/* The block, from here to its end, is a call that counts as @stat of the mount @sb. */
#define LL_DEFINE_TIMED(sb, stat)							\
	const struct ll_timed ll_timed __maybe_unused					\
		__attribute__((__cleanup__(ll_timed_end))) = {				\
		ll_s2client(sb)->llc_stats, ktime_get_ns(), (stat)			\
	}

#endif /* _LLITE_STATS_H */
