// SPDX-License-Identifier: GPL-2.0
/*
 * Writers of a log: one at a time, and readers see what is on the disk.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/lockdep.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "llog_internal.h"

/* The change is on the disk: let readers see it. */
static void llog_publish(struct llog_handle *log,
			 const struct llog_store_change *change)
{
	lockdep_assert_held(&log->write_lock);
	mutex_lock(&log->head_lock);
	llog_store_apply(&log->store, change);
	mutex_unlock(&log->head_lock);
}

static void llog_append_failed(struct llog_handle *log, int rc)
{
	const struct llog_store *store = &log->store;

	lockdep_assert_held(&log->write_lock);
	if (store->failed)
		CERROR("%pD: what is on the disk is not known; nothing more is written until the log is opened anew: rc = %d\n",
		       log->file, rc);
	else if (rc == -ENOSPC &&
		 store->head.last_index + 2 >= store->head.bitmap_bits)
		CERROR("%pD: the log is full, it has had %u records of at most %u: rc = %d\n",
		       log->file, store->head.last_index,
		       store->head.bitmap_bits - 1, rc);
	else
		CERROR("%pD: cannot append record %u: rc = %d\n", log->file,
		       store->head.last_index + 1, rc);
}

/**
 * llog_append() - one more record
 * @log: handle that writes
 * @type: type, as OBD_CFG_REC
 * @body: body
 * @body_len: its bytes
 * @index: out, number of the record; may be NULL
 *
 * Context: may sleep; no lock of the caller is needed
 * Return: 0 when it is on the disk. Anything else, and the log is as it was: -ENOSPC
 * where the bitmap or the disk is full, -E2BIG for a record larger than a chunk,
 * -EBADF for a handle that reads, -EINVAL for a type of no record, as the file
 * system. After an I/O error whose outcome is not known there is no writing until
 * the log is opened anew, which settles it.
 */
int llog_append(struct llog_handle *log, u32 type, const void *body,
		size_t body_len, u32 *index)
{
	struct llog_store_change change;
	int rc;

	mutex_lock(&log->write_lock);
	rc = llog_store_append(&log->store, type, body, body_len, &change);
	if (rc)
		llog_append_failed(log, rc);
	else
		llog_publish(log, &change);
	mutex_unlock(&log->write_lock);
	if (!rc && index)
		*index = change.index;
	return rc;
}
EXPORT_SYMBOL_NS_GPL(llog_append, LUSTRE_LITE);

/**
 * llog_cancel() - take a record back
 * @log: handle that writes
 * @index: number of the record
 *
 * Context: may sleep; no lock of the caller is needed
 * Return: 0 when that is on the disk; -ENOENT where no such record is live; -EBADF
 * for a handle that reads; as llog_append()
 */
int llog_cancel(struct llog_handle *log, u32 index)
{
	struct llog_store_change change;
	int rc;

	mutex_lock(&log->write_lock);
	rc = llog_store_cancel(&log->store, index, &change);
	if (!rc)
		llog_publish(log, &change);
	else if (rc != -ENOENT)
		CERROR("%pD: cannot cancel record %u: rc = %d\n", log->file,
		       index, rc);
	mutex_unlock(&log->write_lock);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(llog_cancel, LUSTRE_LITE);
