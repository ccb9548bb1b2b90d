/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fault injection: places in the code have a number, and the parameter fail_loc
 * says at which of them something is to go wrong.
 *
 *	if (CFS_FAIL_CHECK(MGS_CONNECT_NET))
 *		return libcfs_fail_err(-ENOTCONN);
 *
 * fail_loc is a number of 16 bits and flags:
 *
 *	(none)	each time
 *	ONCE	the first time
 *	SKIP	not the first fail_val times, then each time (with ONCE: once)
 *	SOME	the first fail_val times
 *	RAND	one time in fail_val, by chance
 *	FAILED	set by the code: it has gone wrong at least once
 *
 * Setting fail_loc starts the counts anew and wakes up whoever sleeps in
 * CFS_FAIL_TIMEOUT() or CFS_RACE(). While it is 0 a check costs a branch that is
 * not taken.
 */
#ifndef _LUSTRE_LITE_FAIL_H
#define _LUSTRE_LITE_FAIL_H

#include <linux/compiler.h>
#include <linux/jump_label.h>
#include <linux/types.h>

#define CFS_FAIL_ONCE		0x80000000
#define CFS_FAILED		0x40000000
#define CFS_FAIL_SKIP		0x20000000
#define CFS_FAIL_SOME		0x10000000
#define CFS_FAIL_RAND		0x08000000
#define CFS_FAIL_MASK_LOC	0x0000ffff

/* No sleep for a fault is longer than this. */
#define CFS_FAIL_TIMEOUT_MAX_MS	(600 * 1000)

DECLARE_STATIC_KEY_FALSE(libcfs_fail_key);

bool __libcfs_fail_check(u32 id);
bool __libcfs_fail_check_value(u32 id, u32 value);
bool __libcfs_fail_timeout(u32 id, unsigned int ms);
void __libcfs_fail_race(u32 id);
int libcfs_fail_err(int rc);

/**
 * libcfs_fail_check() - whether to go wrong here, now
 * @id: number of the place
 *
 * Context: any
 * Return: whether to
 */
static __always_inline bool libcfs_fail_check(u32 id)
{
	return static_branch_unlikely(&libcfs_fail_key) &&
	       __libcfs_fail_check(id);
}

/**
 * libcfs_fail_check_value() - whether to go wrong with this one, now
 * @id: number of the place
 * @value: which one it is; only the one that fail_val names goes wrong
 *
 * Context: any
 * Return: whether to
 */
static __always_inline bool libcfs_fail_check_value(u32 id, u32 value)
{
	return static_branch_unlikely(&libcfs_fail_key) &&
	       __libcfs_fail_check_value(id, value);
}

/**
 * libcfs_fail_timeout() - sleep here, if asked to
 * @id: number of the place
 * @ms: for how long, at most CFS_FAIL_TIMEOUT_MAX_MS
 *
 * A signal or a new fail_loc ends it.
 *
 * Context: may sleep
 * Return: whether it slept
 */
static __always_inline bool libcfs_fail_timeout(u32 id, unsigned int ms)
{
	return static_branch_unlikely(&libcfs_fail_key) &&
	       __libcfs_fail_timeout(id, ms);
}

/**
 * libcfs_fail_race() - make two tasks meet here
 * @id: number of the place
 *
 * The first to come sleeps until the second comes, who passes. A signal or a
 * new fail_loc ends it.
 *
 * Context: may sleep
 */
static __always_inline void libcfs_fail_race(u32 id)
{
	if (static_branch_unlikely(&libcfs_fail_key))
		__libcfs_fail_race(id);
}

#define CFS_FAIL_CHECK(id)		libcfs_fail_check(id)
#define CFS_FAIL_CHECK_VALUE(id, value)	libcfs_fail_check_value(id, value)
#define CFS_FAIL_TIMEOUT(id, sec)	libcfs_fail_timeout(id, (sec) * 1000)
#define CFS_FAIL_TIMEOUT_MS(id, ms)	libcfs_fail_timeout(id, ms)
#define CFS_RACE(id)			libcfs_fail_race(id)

#endif /* _LUSTRE_LITE_FAIL_H */
