/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of a log's handle have in common:
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
 * @file: its file, one reference
 * @writer_link: in the list of those who write, one for an inode
 * @write_lock: one writer at a time, over all of its I/O. Nobody else waits for it.
 *	Guards @store against other writers
 * @head_lock: guards what readers copy of @store: bitmap, count, last index and
 *	end. Writers change them with @write_lock and, for a moment, this one, when
 *	they are on the disk
 * @store: what to write where
 * @size: bytes of the memory of @store
 *
 * Has one holder, the opener, who closes it when nobody uses it any more.
 */
struct llog_handle {
	struct file		*file;
	struct list_head	writer_link;
	struct mutex		write_lock;	/* I/O of writers */
	struct mutex		head_lock;	/* what readers copy */
	struct llog_store	store;
	size_t			size;
};

ssize_t llog_file_read(void *file, u64 offset, void *bytes, size_t len);

#endif /* _LLOG_INTERNAL_H */
