// SPDX-License-Identifier: GPL-2.0-only
/*
 * The snapshot of a large value. The callback of a value runs once; the records
 * that do not fit into the caller's buffer stay here, with the open file, until
 * they were read, a newer snapshot replaces them, or the file is closed.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <lustre_lite/libcfs.h>

#include "params_internal.h"

static atomic64_t params_snapshot_last;

/**
 * struct params_reader - the newest snapshot of an open file
 * @prd_lock: guards all below; no callback runs under it
 * @prd_id: number of the snapshot, 0 if there is none
 * @prd_buf: its records, kvmalloc'd
 * @prd_used: bytes of them
 * @prd_index: index of the record at @prd_pos
 * @prd_pos: position of the next read
 * @prd_about: properties of the entry
 *
 * Belongs to one struct libcfs_file.
 */
struct params_reader {
	struct mutex		prd_lock;
	u64			prd_id;
	char			*prd_buf;
	size_t			prd_used;
	u32			prd_index;
	size_t			prd_pos;
	struct params_about	prd_about;
};

static void params_reader_drop(struct params_reader *reader)
{
	kvfree(reader->prd_buf);
	reader->prd_buf = NULL;
	reader->prd_id = 0;
}

/* @reader may be NULL. May sleep. */
void params_reader_free(struct params_reader *reader)
{
	if (!reader)
		return;
	params_reader_drop(reader);
	mutex_destroy(&reader->prd_lock);
	kfree(reader);
}

/* lf_release. */
static void params_reader_release(struct libcfs_file *lf)
{
	params_reader_free(lf->lf_reader);
}

/* The reader of an open file, created when first needed. */
static struct params_reader *params_reader_of(struct libcfs_file *lf)
{
	struct params_reader *reader = READ_ONCE(lf->lf_reader);
	struct params_reader *other;

	if (reader)
		return reader;
	reader = kzalloc(sizeof(*reader), GFP_KERNEL_ACCOUNT);
	if (!reader)
		return NULL;
	mutex_init(&reader->prd_lock);
	other = cmpxchg(&lf->lf_reader, NULL, reader);
	if (!other) {
		lf->lf_release = params_reader_release;
		return reader;
	}
	params_reader_free(reader);
	return other;
}

/* The records in allocated memory. */
static char *params_sink_take(struct params_sink *sink)
{
	char *buf = sink->snk_buf;

	if (sink->snk_own) {
		sink->snk_own = false;
		return buf;
	}
	buf = kvmalloc(sink->snk_used, GFP_KERNEL_ACCOUNT);
	/* An empty sink has no buffer. */
	if (buf && sink->snk_used)
		memcpy(buf, sink->snk_buf, sink->snk_used);
	return buf;
}

/**
 * params_reader_save() - save a value that does not fit into the caller's
 * buffer
 * @lf: open file; its previous snapshot is dropped
 * @sink: the value; its memory is taken over
 * @about: properties of the entry
 * @id: out, the snapshot
 *
 * Context: may sleep
 * Return: 0 or -ENOMEM
 */
int params_reader_save(struct libcfs_file *lf, struct params_sink *sink,
		       const struct params_about *about, u64 *id)
{
	struct params_reader *reader = params_reader_of(lf);
	char *buf;

	if (!reader)
		return -ENOMEM;
	buf = params_sink_take(sink);
	if (!buf)
		return -ENOMEM;
	mutex_lock(&reader->prd_lock);
	params_reader_drop(reader);
	reader->prd_buf = buf;
	reader->prd_used = sink->snk_used;
	reader->prd_index = 0;
	reader->prd_pos = 0;
	reader->prd_about = *about;
	reader->prd_id = atomic64_inc_return(&params_snapshot_last);
	*id = reader->prd_id;
	mutex_unlock(&reader->prd_lock);
	return 0;
}

static const struct params_value_rec *
params_reader_rec(const struct params_reader *reader, size_t pos)
{
	return (const void *)(reader->prd_buf + pos);
}

/* Go to record @index. Continuing at the end of the last call costs nothing. */
static int params_reader_seek(struct params_reader *reader, u32 index)
{
	if (index < reader->prd_index) {
		reader->prd_index = 0;
		reader->prd_pos = 0;
	}
	while (reader->prd_index < index && reader->prd_pos < reader->prd_used) {
		reader->prd_pos += params_rec_bytes(params_reader_rec(reader,
							     reader->prd_pos));
		reader->prd_index++;
	}
	return reader->prd_index == index ? 0 : -EINVAL;
}

/* Copy as many whole records as fit. */
static int params_reader_copy(struct params_reader *reader,
			      struct params_ioc_read *pr)
{
	size_t from = reader->prd_pos;
	size_t end = from;
	u32 index = reader->prd_index;

	while (end < reader->prd_used) {
		size_t next = end +
			params_rec_bytes(params_reader_rec(reader, end));

		if (next - from > pr->pr_buf_len) {
			if (end > from)
				break;
			pr->pr_buf_len = next - from;
			return -EOVERFLOW;
		}
		end = next;
		index++;
	}
	if (copy_to_user(u64_to_user_ptr(pr->pr_buf), reader->prd_buf + from,
			 end - from))
		return -EFAULT;
	reader->prd_pos = end;
	reader->prd_index = index;
	pr->pr_used = end - from;
	pr->pr_index = index;
	pr->pr_eof = end == reader->prd_used;
	return 0;
}

/**
 * params_reader_read() - read from the snapshot of an open file
 * @lf: open file
 * @pr: the call: position in pr_snapshot and pr_index, the out members are
 *  filled
 *
 * The snapshot is dropped when it was read to its end.
 *
 * Context: may sleep
 * Return: 0, -ESTALE unless this is the current snapshot, -EINVAL if pr_index
 *  is beyond its end, -EOVERFLOW, -EFAULT
 */
int params_reader_read(struct libcfs_file *lf, struct params_ioc_read *pr)
{
	struct params_reader *reader = READ_ONCE(lf->lf_reader);
	int rc = -ESTALE;

	if (!reader)
		return rc;
	mutex_lock(&reader->prd_lock);
	if (reader->prd_id != pr->pr_snapshot)
		goto unlock;
	rc = params_reader_seek(reader, pr->pr_index);
	if (!rc)
		rc = params_reader_copy(reader, pr);
	if (rc)
		goto unlock;
	pr->pr_version = reader->prd_about.ab_version;
	pr->pr_type = reader->prd_about.ab_type;
	pr->pr_mode = reader->prd_about.ab_mode;
	if (pr->pr_eof) {
		params_reader_drop(reader);
		pr->pr_snapshot = 0;
	}
unlock:
	mutex_unlock(&reader->prd_lock);
	return rc;
}
