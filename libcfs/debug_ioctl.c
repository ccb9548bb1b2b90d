// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ioctls of the debug log.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#define DEBUG_SUBSYSTEM S_LIBCFS
#include <lustre_lite/debug.h>
#include <uapi/lustre_lite/params_ioctl.h>

#include "debug_internal.h"

/*
 * Copy records out until the buffer is full or the log ends. If not even one
 * fits, dbg_buf_len returns its size.
 */
static long read_records(struct libcfs_ioc_debug *debug,
			 struct debug_reader *reader,
			 struct libcfs_debug_rec *rec)
{
	char __user *to = u64_to_user_ptr(debug->dbg_buf);
	u32 used = 0;
	u32 len;

	while ((len = debug_reader_peek(reader)) &&
	       len <= debug->dbg_buf_len - used) {
		if (!debug_reader_take(reader, rec))
			continue;
		if (copy_to_user(to + used, rec, len))
			return -EFAULT;
		used += len;
		cond_resched();
	}
	if (len && !used) {
		debug->dbg_buf_len = len;
		return -EOVERFLOW;
	}
	debug->dbg_used = used;
	debug->dbg_cursor = reader->dbr_next;
	debug->dbg_lost = reader->dbr_lost;
	debug->dbg_eof = !len;
	return 0;
}

static long ioctl_read(struct libcfs_ioc_debug *debug)
{
	struct debug_reader *reader;
	struct libcfs_debug_rec *rec;
	long rc;

	if (debug->dbg_buf_len > PARAMS_BUF_MAX)
		return -E2BIG;
	rec = kmalloc(DEBUG_REC_MAX, GFP_KERNEL);
	if (!rec)
		return -ENOMEM;
	reader = debug_reader_start(debug->dbg_cursor);
	if (IS_ERR(reader)) {
		rc = PTR_ERR(reader);
		goto free_rec;
	}
	rc = read_records(debug, reader, rec);
	debug_reader_end(reader);
free_rec:
	kfree(rec);
	return rc;
}

static long ioctl_clear(const struct libcfs_ioc_debug *debug)
{
	u64 newest = debug_log_newest();

	if (debug->dbg_cursor > newest + 1)
		return -EINVAL;
	debug_log_clear(debug->dbg_cursor ? debug->dbg_cursor - 1 : newest);
	return 0;
}

/* A text of one line: a newline at its end is removed, others are refused. */
static long ioctl_mark(const struct libcfs_ioc_debug *debug)
{
	size_t len = debug->dbg_buf_len;
	char *text;
	long rc = 0;

	if (len > LIBCFS_DEBUG_MARK_MAX)
		return -E2BIG;
	text = memdup_user_nul(u64_to_user_ptr(debug->dbg_buf), len);
	if (IS_ERR(text))
		return PTR_ERR(text);
	if (len && text[len - 1] == '\n')
		text[--len] = '\0';
	if (len && !strpbrk(text, "\n") && strlen(text) == len)
		CDEBUG(D_CONSOLE, "DEBUG MARKER: %s\n", text);
	else
		rc = -EINVAL;
	kfree(text);
	return rc;
}

static long ioctl_dispatch(unsigned int nr, struct libcfs_ioc_debug *debug)
{
	switch (nr) {
	case _IOC_NR(LIBCFS_IOC_DEBUG_READ):
		return ioctl_read(debug);
	case _IOC_NR(LIBCFS_IOC_DEBUG_CLEAR):
		return ioctl_clear(debug);
	case _IOC_NR(LIBCFS_IOC_DEBUG_MARK):
		return ioctl_mark(debug);
	}
	return -ENOTTY;
}

/**
 * debug_ioctl() - LIBCFS_IOC_DEBUG_READ, _CLEAR and _MARK
 * @nr: number of the ioctl
 * @arg: the caller's struct libcfs_ioc_debug
 * @size: its size as the caller knows it
 *
 * Context: may sleep
 * Return: 0; -EPERM without CAP_SYS_ADMIN; -EINVAL for an invalid cursor or
 *  text; -EOVERFLOW if the buffer cannot hold the next record; -E2BIG, -EFAULT,
 *  -ENOMEM
 */
long debug_ioctl(unsigned int nr, void __user *arg, size_t size)
{
	struct libcfs_ioc_debug debug;
	long rc;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	rc = copy_struct_from_user(&debug, sizeof(debug), arg, size);
	if (rc)
		return rc;
	if (debug.dbg_reserved)
		return -EINVAL;
	debug.dbg_used = 0;
	debug.dbg_lost = 0;
	debug.dbg_eof = 0;
	rc = ioctl_dispatch(nr, &debug);
	if ((!rc || rc == -EOVERFLOW) &&
	    copy_to_user(arg, &debug, min(size, sizeof(debug))))
		return -EFAULT;
	return rc;
}
