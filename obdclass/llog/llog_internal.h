/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common definitions of log handles:
 *
 *	file.c		opening and closing, the file
 *	records.c	append, cancel, read
 */
#ifndef _LLOG_INTERNAL_H
#define _LLOG_INTERNAL_H

#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mutex.h>

#include <lustre_lite/llog.h>
#include <lustre_lite/llog_store.h>

/**
 * struct llog_handle - an open log
 * @file: its file, referenced
 * @writer_link: in the list of writers, one for an inode
 * @write_lock: serializes writers, over all of their I/O. Readers do not take
 *  it. Guards @store against other writers
 * @head_lock: guards the parts of @store that readers copy: bitmap, count, last
 *  index and end. Writers change them with @write_lock and, briefly, this one,
 *  once they are on disk
 * @store: state of the file
 * @size: bytes of the memory of @store
 *
 * Owned by the opener, who closes it after the last use.
 */
struct llog_handle {
	struct file		*file;
	struct list_head	writer_link;
	struct mutex		write_lock;	/* I/O of writers */
	struct mutex		head_lock;	/* members that readers copy */
	struct llog_store	store;
	size_t			size;
};

ssize_t llog_file_read(void *file, u64 offset, void *bytes, size_t len);

#endif /* _LLOG_INTERNAL_H */
