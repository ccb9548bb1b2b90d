/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fault injection: fault points in the code have a number, and the parameter fail_loc
 * selects the point that fails.
 *
 *	if (CFS_FAIL_CHECK(OBD_FAIL_OBD_SETUP))
 *		return libcfs_fail_err(-EIO);
 *
 * fail_loc is a number of 16 bits and flags:
 *
 *	(none)	every time
 *	ONCE	the first time only
 *	SKIP	every time after the first fail_val times (with ONCE: once)
 *	SOME	the first fail_val times
 *	RAND	one time in fail_val, at random
 *	FAILED	set by the code: at least one fault was injected
 *
 * Writing fail_loc resets the counts and wakes every task in CFS_FAIL_TIMEOUT() or
 * CFS_RACE(). While it is 0 a check costs a branch that is not taken.
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

/* Longest sleep of a fault point. */
#define CFS_FAIL_TIMEOUT_MAX_MS	(600 * 1000)

DECLARE_STATIC_KEY_FALSE(libcfs_fail_key);

bool __libcfs_fail_check(u32 id);
bool __libcfs_fail_check_value(u32 id, u32 value);
bool __libcfs_fail_timeout(u32 id, unsigned int ms);
void __libcfs_fail_race(u32 id);
int libcfs_fail_err(int rc);

/**
 * libcfs_fail_check() - whether to fail here, now
 * @id: number of the fault point
 *
 * Context: any
 * Return: true to fail
 */
static __always_inline bool libcfs_fail_check(u32 id)
{
	return static_branch_unlikely(&libcfs_fail_key) &&
	       __libcfs_fail_check(id);
}

/**
 * libcfs_fail_check_value() - whether to fail for this value, now
 * @id: number of the fault point
 * @value: compared with fail_val; only that value fails
 *
 * Context: any
 * Return: true to fail
 */
static __always_inline bool libcfs_fail_check_value(u32 id, u32 value)
{
	return static_branch_unlikely(&libcfs_fail_key) &&
	       __libcfs_fail_check_value(id, value);
}

/**
 * libcfs_fail_timeout() - sleep here if fail_loc selects this point
 * @id: number of the fault point
 * @ms: milliseconds, at most CFS_FAIL_TIMEOUT_MAX_MS
 *
 * A signal or a write of fail_loc ends the sleep.
 *
 * Context: may sleep
 * Return: true if it slept
 */
static __always_inline bool libcfs_fail_timeout(u32 id, unsigned int ms)
{
	return static_branch_unlikely(&libcfs_fail_key) &&
	       __libcfs_fail_timeout(id, ms);
}

/**
 * libcfs_fail_race() - make two tasks meet here
 * @id: number of the fault point
 *
 * The first task sleeps until the second one arrives; the second one does not
 * sleep. A signal or a write of fail_loc ends the sleep.
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
