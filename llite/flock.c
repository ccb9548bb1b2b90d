// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks of users: flock(), and those of fcntl(). The metadata target decides; what it grants is
 * noted in the VFS, which releases it when the file is closed.
 *
 *	lock	the target first. The VFS may still have a lock of another task of this node that the
 *		target does not have: it is about to be replaced, or was lost by an eviction. Then
 *		this one waits for that, too, or is refused
 *	unlock	the VFS first: a task of this node that gets the bytes next finds nothing there
 *
 * An owner is what the VFS says: the table of open files of a process, or an open file.
 */
#include <linux/fcntl.h>
#include <linux/once.h>
#include <linux/random.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_ops.h>

#include "llite_inode.h"
#include "stats.h"

/* Unique within this node; an address of the kernel is not shown to others. */
static u64 flock_owner(const struct file_lock *fl)
{
	static u64 secret __read_mostly;

	get_random_once(&secret, sizeof(secret));
	return ((u64)(uintptr_t)compat_flock(fl, owner) ^ secret) ?: 1;
}

static struct ldlm_flock flock_of(const struct file_lock *fl)
{
	u32 kind = compat_flock(fl, flags) & FL_FLOCK ? LDLM_FLOCK_WHOLE : LDLM_FLOCK_POSIX;

	return (struct ldlm_flock) {
		.first = fl->fl_start,
		.last = fl->fl_end == OFFSET_MAX ? LDLM_EXTENT_EOF : fl->fl_end,
		.owner = flock_owner(fl),
		.who = wire_flock_who(compat_flock(fl, pid), kind),
	};
}

static int flock_call(struct inode *inode, const struct file_lock *fl, u32 mode, u32 flags)
{
	struct ldlm_flock flock = flock_of(fl);

	return md_flock(ll_s2client(inode->i_sb)->llc_md, ll_inode2fid(inode), &mode, &flock, flags);
}

static u32 mode_of(const struct file_lock *fl)
{
	switch (compat_flock(fl, type)) {
	case F_RDLCK:
		return LCK_PR;
	case F_WRLCK:
		return LCK_PW;
	default:
		return LCK_NL;
	}
}

static int flock_release(struct file *file, struct file_lock *fl)
{
	return locks_lock_file_wait(file, fl) ?: flock_call(file_inode(file), fl, LCK_NL, 0);
}

/* The target has granted @fl. What cannot be noted is released: the VFS will not do that. */
static int flock_note(struct file *file, struct file_lock *fl)
{
	int rc = locks_lock_file_wait(file, fl);

	if (rc) {
		compat_flock(fl, type) = F_UNLCK;
		flock_release(file, fl);
	}
	return rc;
}

/*
 * An open file gives up the lock that it has of the whole file, or gets it back below. Then nothing
 * in the VFS is in the way of others of this node that the target grants the file meanwhile.
 */
static void flock_forget(struct file *file, struct file_lock *fl)
{
	unsigned char type = compat_flock(fl, type);

	compat_flock(fl, type) = F_UNLCK;
	locks_lock_file_wait(file, fl);
	compat_flock(fl, type) = type;
}

static int flock_set(struct file *file, struct file_lock *fl)
{
	bool whole = compat_flock(fl, flags) & FL_FLOCK;
	bool wait = compat_flock(fl, flags) & FL_SLEEP;
	u32 mode = mode_of(fl);
	int rc;

	if (mode == LCK_NL)
		return flock_release(file, fl);
	if (whole)
		flock_forget(file, fl);
	rc = flock_call(file_inode(file), fl, mode, wait ? 0 : LDLM_FL_BLOCK_NOWAIT);
	if (!rc)
		return flock_note(file, fl);
	/* Of other errors the target may not know. */
	if (whole && rc != -EWOULDBLOCK)
		flock_call(file_inode(file), fl, LCK_NL, 0);
	/* A signal with a handler: the call is repeated after it if the task wants that. */
	return rc == -EINTR && wait ? -ERESTARTSYS : rc;
}

/* A lock in the way of @fl, which becomes that. The pid of another node's process is negative. */
static int flock_test(struct file *file, struct file_lock *fl)
{
	struct inode *inode = file_inode(file);
	struct ldlm_flock flock = flock_of(fl);
	u32 mode = mode_of(fl);
	int rc;

	posix_test_lock(file, fl);
	if (compat_flock(fl, type) != F_UNLCK)
		return 0;
	rc = md_flock(ll_s2client(inode->i_sb)->llc_md, ll_inode2fid(inode), &mode, &flock,
		      LDLM_FL_TEST);
	if (rc || mode == LCK_NL)
		return rc;
	compat_flock(fl, type) = mode == LCK_PR ? F_RDLCK : F_WRLCK;
	compat_flock(fl, pid) = -(pid_t)wire_flock_pid(&flock);
	fl->fl_start = min_t(u64, flock.first, OFFSET_MAX);
	fl->fl_end = min_t(u64, flock.last, OFFSET_MAX);
	return 0;
}

static u32 given(const struct file *file)
{
	return llite_mount(file_inode(file)->i_sb)->llm_options.op_given;
}

/**
 * ll_file_flock() - flock of struct file_operations
 * @file: file
 * @cmd: F_SETLK or F_SETLKW
 * @fl: lock
 *
 * Context: sleeps; with FL_SLEEP a signal ends the wait
 * Return: 0; -EAGAIN; -EOPNOTSUPP with noflock; another errno
 */
int ll_file_flock(struct file *file, int cmd, struct file_lock *fl)
{
	LL_DEFINE_TIMED(file_inode(file)->i_sb, LL_STAT_FLOCK);

	if (given(file) & LLITE_OPT_NOFLOCK)
		return -EOPNOTSUPP;
	return given(file) & LLITE_OPT_LOCALFLOCK ? locks_lock_file_wait(file, fl) :
						    flock_set(file, fl);
}

/**
 * ll_file_lock() - lock of struct file_operations: POSIX locks, and those of open files
 * @file: file
 * @cmd: F_SETLK, F_SETLKW or F_GETLK
 * @fl: lock
 *
 * Context: sleeps; with FL_SLEEP a signal ends the wait
 * Return: 0; -EAGAIN; -EDEADLK; -EOPNOTSUPP with noflock; another errno
 */
int ll_file_lock(struct file *file, int cmd, struct file_lock *fl)
{
	if (cmd != F_GETLK || given(file) & LLITE_OPT_NOFLOCK)
		return ll_file_flock(file, cmd, fl);
	if (!(given(file) & LLITE_OPT_LOCALFLOCK))
		return flock_test(file, fl);
	posix_test_lock(file, fl);
	return 0;
}
