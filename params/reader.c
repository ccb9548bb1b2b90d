// SPDX-License-Identifier: GPL-2.0
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
#include "reader.h"

static atomic64_t params_snapshot_last;

/**
 * struct params_reader - the newest snapshot of an open file
 * @rd_lock: guards all below; no callback runs under it
 * @rd_id: number of the snapshot, 0 if there is none
 * @rd_buf: its records, kvmalloc'd
 * @rd_used: bytes of them
 * @rd_index: index of the record at @rd_pos
 * @rd_pos: position of the next read
 * @rd_about: properties of the entry
 *
 * Belongs to one struct libcfs_file.
 */
struct params_reader {
	struct mutex		rd_lock;
	u64			rd_id;
	char			*rd_buf;
	size_t			rd_used;
	u32			rd_index;
	size_t			rd_pos;
	struct params_about	rd_about;
};

static void params_reader_drop(struct params_reader *reader)
{
	kvfree(reader->rd_buf);
	reader->rd_buf = NULL;
	reader->rd_id = 0;
}

/* An open file is closed; @reader may be NULL. May sleep. */
void params_reader_free(struct params_reader *reader)
{
	if (!reader)
		return;
	params_reader_drop(reader);
	mutex_destroy(&reader->rd_lock);
	kfree(reader);
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
	mutex_init(&reader->rd_lock);
	other = cmpxchg(&lf->lf_reader, NULL, reader);
	if (!other)
		return reader;
	params_reader_free(reader);
	return other;
}

/* The records in allocated memory. */
static char *params_sink_take(struct params_sink *sink)
{
	char *buf = sink->ps_buf;

	if (sink->ps_own) {
		sink->ps_own = false;
		return buf;
	}
	buf = kvmalloc(sink->ps_used, GFP_KERNEL_ACCOUNT);
	/* An empty sink has no buffer. */
	if (buf && sink->ps_used)
		memcpy(buf, sink->ps_buf, sink->ps_used);
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
	mutex_lock(&reader->rd_lock);
	params_reader_drop(reader);
	reader->rd_buf = buf;
	reader->rd_used = sink->ps_used;
	reader->rd_index = 0;
	reader->rd_pos = 0;
	reader->rd_about = *about;
	reader->rd_id = atomic64_inc_return(&params_snapshot_last);
	*id = reader->rd_id;
	mutex_unlock(&reader->rd_lock);
	return 0;
}

static const struct params_value_rec *
params_reader_rec(const struct params_reader *reader, size_t pos)
{
	return (const void *)(reader->rd_buf + pos);
}

/* Go to record @index. Continuing at the end of the last call costs nothing. */
static int params_reader_seek(struct params_reader *reader, u32 index)
{
	if (index < reader->rd_index) {
		reader->rd_index = 0;
		reader->rd_pos = 0;
	}
	while (reader->rd_index < index && reader->rd_pos < reader->rd_used) {
		reader->rd_pos += params_rec_bytes(params_reader_rec(reader,
							     reader->rd_pos));
		reader->rd_index++;
	}
	return reader->rd_index == index ? 0 : -EINVAL;
}

/* Copy as many whole records as fit. */
static int params_reader_copy(struct params_reader *reader,
			      struct params_ioc_read *pr)
{
	size_t from = reader->rd_pos;
	size_t end = from;
	u32 index = reader->rd_index;

	while (end < reader->rd_used) {
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
	if (copy_to_user(u64_to_user_ptr(pr->pr_buf), reader->rd_buf + from,
			 end - from))
		return -EFAULT;
	reader->rd_pos = end;
	reader->rd_index = index;
	pr->pr_used = end - from;
	pr->pr_index = index;
	pr->pr_eof = end == reader->rd_used;
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
	mutex_lock(&reader->rd_lock);
	if (reader->rd_id != pr->pr_snapshot)
		goto unlock;
	rc = params_reader_seek(reader, pr->pr_index);
	if (!rc)
		rc = params_reader_copy(reader, pr);
	if (rc)
		goto unlock;
	pr->pr_version = reader->rd_about.pa_version;
	pr->pr_type = reader->rd_about.pa_type;
	pr->pr_mode = reader->rd_about.pa_mode;
	if (pr->pr_eof) {
		params_reader_drop(reader);
		pr->pr_snapshot = 0;
	}
unlock:
	mutex_unlock(&reader->rd_lock);
	return rc;
}
