// SPDX-License-Identifier: GPL-2.0-only
/*
 * Views: the logs of the store as one change left them. A view and all that it refers
 * to is immutable once it is published, so a reader needs its reference only: no
 * lock, no I/O. A commit prepares the next view and swaps the pointer of the store.
 *
 * A change has a view of its own, which lives as long as the change. It shows what the
 * change did so far, on top of the view that the change started from.
 */
#include <linux/slab.h>

#include <lustre_lite/libcfs.h>

#include "store_internal.h"

static bool ends_with(const char *name, const char *suffix)
{
	size_t len = strlen(name), end = strlen(suffix);

	return len >= end && !strcmp(name + len - end, suffix);
}

/*
 * Files of CONFIGS/ that are not logs. ".new" is left by a rename that a power failure
 * prevented.
 */
static bool is_other_file(const char *name)
{
	return !strcmp(name, "mountdata") || !strcmp(name, "nodemap") ||
		ends_with(name, LL_LOG_COPY_SUFFIX) || ends_with(name, ".new");
}

/* Return: 0; -EINVAL for a name that no log can have */
int mgs_log_name_check(const char *log)
{
	const char *p;

	if (!log[0] || log[0] == '.' || strlen(log) >= MGS_LOGNAME_MAX ||
	    is_other_file(log))
		return -EINVAL;
	for (p = log; *p; p++)
		if (*p <= ' ' || *p >= 0x7f || *p == '/')
			return -EINVAL;
	return 0;
}

/* @log: valid name. @name: out, its file; MGS_FILE_MAX bytes */
void mgs_log_file_name(const char *log, char *name)
{
	static const char dir[] = MOUNT_CONFIGS_DIR "/";

	memset(name, 0, MGS_FILE_MAX);
	memcpy(name, dir, sizeof(dir) - 1);
	memcpy(name + sizeof(dir) - 1, log, strlen(log));
}

/*
 * @bytes: referenced by the buffer, or NULL.
 * Return: a buffer with one reference; NULL on allocation failure
 */
struct mgs_buffer *mgs_buffer_new(const struct mgs_log *log,
				  struct mgs_bytes *bytes)
{
	struct mgs_buffer *buffer = libcfs_zalloc(sizeof(*buffer), GFP_KERNEL);

	if (!buffer)
		return NULL;
	refcount_set(&buffer->bf_refs, 1);
	buffer->bf_log = *log;
	buffer->bf_bytes = bytes ? mgs_bytes_get(bytes) : NULL;
	return buffer;
}

void mgs_buffer_put(struct mgs_buffer *buffer)
{
	if (!refcount_dec_and_test(&buffer->bf_refs))
		return;
	mgs_bytes_put(buffer->bf_bytes);
	libcfs_free(buffer, sizeof(*buffer));
}

/* Return: an empty view with one reference; NULL on allocation failure */
struct mgs_view *mgs_view_new(u32 capacity)
{
	struct mgs_view *view = libcfs_zalloc(sizeof(*view), GFP_KERNEL);

	if (!view)
		return NULL;
	refcount_set(&view->vw_refs, 1);
	view->vw_capacity = max_t(u32, capacity, 1);
	view->vw_logs = libcfs_zalloc(view->vw_capacity * sizeof(*view->vw_logs),
				      GFP_KERNEL);
	if (!view->vw_logs) {
		libcfs_free(view, sizeof(*view));
		return NULL;
	}
	return view;
}

/**
 * mgs_view_put() - drop a reference on a view
 * @view: from mgs_store_view(), or NULL
 *
 * Context: any that may free memory
 */
void mgs_view_put(struct mgs_view *view)
{
	u32 n;

	if (!view || !refcount_dec_and_test(&view->vw_refs))
		return;
	for (n = 0; n < view->vw_count; n++)
		mgs_buffer_put(view->vw_logs[n]);
	mgs_bytes_put(view->vw_changes);
	libcfs_free(view->vw_logs, view->vw_capacity * sizeof(*view->vw_logs));
	libcfs_free(view, sizeof(*view));
}

/**
 * mgs_store_view() - the logs as the last change left them
 * @store: store
 *
 * Context: any; takes ms_view_lock
 * Return: view, referenced: for mgs_view_put()
 */
struct mgs_view *mgs_store_view(struct mgs_store *store)
{
	struct mgs_view *view;

	spin_lock(&store->ms_view_lock);
	view = store->ms_view;
	refcount_inc(&view->vw_refs);
	spin_unlock(&store->ms_view_lock);
	return view;
}

/* Replace the current view; the caller's reference on @view becomes the store's. */
void mgs_view_publish(struct mgs_store *store, struct mgs_view *view)
{
	struct mgs_view *old;

	spin_lock(&store->ms_view_lock);
	old = store->ms_view;
	store->ms_view = view;
	spin_unlock(&store->ms_view_lock);
	mgs_view_put(old);
}

/* The position of a log; of a missing one, where it would be inserted. */
static u32 place_of(const struct mgs_view *view, const char *log, bool *found)
{
	u32 low = 0, high = view->vw_count, middle;
	int way;

	*found = false;
	while (low < high) {
		middle = low + (high - low) / 2;
		way = strcmp(view->vw_logs[middle]->bf_log.lg_info.li_name, log);
		if (!way) {
			*found = true;
			return middle;
		}
		if (way < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * A log of a view; of a change's own view: as it was before the change.
 * Return: buffer, good as long as the view is; NULL
 */
struct mgs_buffer *mgs_view_find(const struct mgs_view *view, const char *log)
{
	bool found;
	u32 at = place_of(view, log, &found);

	return found ? view->vw_logs[at] : NULL;
}

/* A copy of @from to be edited, with space for @more logs. Return: 0, -ENOMEM */
int mgs_view_next(struct mgs_view **next, const struct mgs_view *from, u32 more)
{
	struct mgs_view *view = mgs_view_new(from->vw_count + more);
	u32 n;

	if (!view)
		return -ENOMEM;
	for (n = 0; n < from->vw_count; n++) {
		view->vw_logs[n] = from->vw_logs[n];
		refcount_inc(&view->vw_logs[n]->bf_refs);
	}
	view->vw_count = from->vw_count;
	view->vw_generation = from->vw_generation;
	if (from->vw_changes)
		view->vw_changes = mgs_bytes_get(from->vw_changes);
	*next = view;
	return 0;
}

/*
 * Insert or replace a log. @view: unpublished; has space if the log is new. The caller's
 * reference on @buffer becomes the view's.
 */
void mgs_view_set(struct mgs_view *view, struct mgs_buffer *buffer)
{
	bool found;
	u32 at = place_of(view, buffer->bf_log.lg_info.li_name, &found);

	if (found) {
		mgs_buffer_put(view->vw_logs[at]);
	} else {
		memmove(view->vw_logs + at + 1, view->vw_logs + at,
			(view->vw_count - at) * sizeof(*view->vw_logs));
		view->vw_count++;
	}
	view->vw_logs[at] = buffer;
}

/* Remove a log, if it is there. @view: unpublished */
void mgs_view_drop(struct mgs_view *view, const char *log)
{
	bool found;
	u32 at = place_of(view, log, &found);

	if (!found)
		return;
	mgs_buffer_put(view->vw_logs[at]);
	view->vw_count--;
	memmove(view->vw_logs + at, view->vw_logs + at + 1,
		(view->vw_count - at) * sizeof(*view->vw_logs));
}

/**
 * mgs_view_generation() - generation of the configuration
 * @view: view
 *
 * Context: any
 * Return: generation, 0 before the first change; of a change's view: before that change
 */
u64 mgs_view_generation(const struct mgs_view *view)
{
	return view->vw_generation;
}

/**
 * mgs_view_history() - the end of mgs_changes
 * @view: view from mgs_store_view()
 * @bytes: out
 * @len: size of @bytes
 * @cut: out: the file is longer
 *
 * Context: any
 * Return: length; -EIO if the file could not be read
 */
ssize_t mgs_view_history(const struct mgs_view *view, void *bytes, size_t len,
			 bool *cut)
{
	const struct mgs_bytes *from = view->vw_changes;
	u64 size = from ? from->by_size : 0;

	*cut = size > len;
	return from ? (ssize_t)mgs_bytes_read(from, *cut ? size - len : 0,
					      bytes, len) : -EIO;
}

/* @bytes: out: its bytes, borrowed from the view; or NULL. Return: 0, -ENOENT, -EINVAL */
static int log_find(const struct mgs_view *view, const char *name,
		    struct mgs_log *log, struct mgs_bytes **bytes)
{
	struct mgs_txn_log *tl = view->vw_txn ?
		mgs_txn_log_find(view->vw_txn, name) : NULL;
	struct mgs_buffer *buffer;
	int rc = mgs_log_name_check(name);

	if (rc)
		return rc;
	if (tl) {
		mgs_txn_log_facts(view->vw_txn, tl, log);
		*bytes = mgs_txn_log_bytes(tl);
		return tl->tl_there ? 0 : -ENOENT;
	}
	buffer = mgs_view_find(view, name);
	if (!buffer)
		return -ENOENT;
	*log = buffer->bf_log;
	*bytes = buffer->bf_bytes;
	return 0;
}

/**
 * mgs_view_info() - facts about a log
 * @view: view
 * @log: name
 * @info: out, for a damaged log too
 *
 * Context: any
 * Return: 0; -ENOENT; -EIO for a damaged log; -EINVAL for a name that no log can have
 */
int mgs_view_info(const struct mgs_view *view, const char *log,
		  struct mgs_log_info *info)
{
	struct mgs_bytes *bytes;
	struct mgs_log found;
	int rc = log_find(view, log, &found, &bytes);

	if (rc)
		return rc;
	*info = found.lg_info;
	return found.lg_damaged ? -EIO : 0;
}

/**
 * mgs_view_read() - read bytes of a log
 * @view: view
 * @log: name
 * @offset: first byte
 * @to: out
 * @len: size of @to
 *
 * Context: any
 * Return: length, less than @len at the end of the log; as mgs_view_info()
 */
ssize_t mgs_view_read(const struct mgs_view *view, const char *log, u64 offset,
		      void *to, size_t len)
{
	struct mgs_bytes *bytes;
	struct mgs_log found;
	int rc = log_find(view, log, &found, &bytes);

	if (rc)
		return rc;
	if (found.lg_damaged || !bytes)
		return -EIO;
	if (offset >= found.lg_info.li_size)
		return 0;
	len = min_t(u64, len, found.lg_info.li_size - offset);
	return (ssize_t)mgs_bytes_read(bytes, offset, to, len);
}

/* The log that follows @name, those that only the change has included. */
static bool log_after(const struct mgs_view *view, const char *name, char *next)
{
	struct mgs_txn_log *tl;
	const char *best = NULL;
	bool found;
	u32 at = place_of(view, name, &found);

	if (found)
		at++;
	if (at < view->vw_count)
		best = view->vw_logs[at]->bf_log.lg_info.li_name;
	if (view->vw_txn) {
		list_for_each_entry(tl, &view->vw_txn->mt_logs, tl_item) {
			const char *other = tl->tl_log.lg_info.li_name;

			if (strcmp(other, name) > 0 &&
			    (!best || strcmp(other, best) < 0))
				best = other;
		}
	}
	if (best)
		memcpy(next, best, MGS_LOGNAME_MAX);
	return best;
}

/**
 * mgs_view_each() - iterate over the logs, by name
 * @view: view
 * @fn: called for each log, damaged ones too, until it returns nonzero; it may modify
 *	logs if @view is its change's
 * @data: its argument
 *
 * Context: as @fn
 * Return: what @fn returned last
 */
int mgs_view_each(const struct mgs_view *view,
		  int (*fn)(void *data, const struct mgs_log_info *info),
		  void *data)
{
	char name[MGS_LOGNAME_MAX] = "";
	struct mgs_bytes *bytes;
	struct mgs_log log;
	int rc = 0;

	while (!rc && log_after(view, name, name))
		if (!log_find(view, name, &log, &bytes))
			rc = fn(data, &log.lg_info);
	return rc;
}

/**
 * struct mgs_walk - mgs_view_walk()
 * @rec: record, as @fn gets it
 * @marker: the same, if it is a marker
 * @fn: called for each record
 * @data: its argument
 */
struct mgs_walk {
	struct mgs_rec		rec;
	struct cfg_marker	marker;
	int			(*fn)(void *data, const struct mgs_rec *rec);
	void			*data;
};

/* A marker of the other byte order is converted. */
static bool walk_marker(struct mgs_walk *walk)
{
	struct cfg_marker *to = &walk->marker;
	struct lcfg_marker from;

	if (walk->rec.cfg.command != LCFG_MARKER ||
	    lcfg_marker_decode(&walk->rec.cfg, &from))
		return false;
	if (!walk->rec.cfg.swapped) {
		memcpy(to, walk->rec.cfg.buf[1].data, sizeof(*to));
		return true;
	}
	memset(to, 0, sizeof(*to));
	codec_put32(&to->cm_step, from.step);
	codec_put32(&to->cm_flags, from.flags);
	codec_put32(&to->cm_vers, from.vers);
	codec_put64(&to->cm_createtime, from.createtime);
	codec_put64(&to->cm_canceltime, from.canceltime);
	memcpy(to->cm_tgtname, from.tgtname, sizeof(to->cm_tgtname));
	memcpy(to->cm_comment, from.comment, sizeof(to->cm_comment));
	return true;
}

static int walk_record(void *data, const struct llog_record *rec)
{
	struct mgs_walk *walk = data;

	if (rec->type != OBD_CFG_REC)
		return 0;
	if (lustre_cfg_decode(rec->body, rec->body_len, &walk->rec.cfg, NULL))
		return rec->live ? -EIO : 0;
	walk->rec.index = rec->index;
	walk->rec.offset = rec->offset;
	walk->rec.live = rec->live;
	walk->rec.marker = walk_marker(walk) ? &walk->marker : NULL;
	return walk->fn(walk->data, &walk->rec);
}

/**
 * mgs_view_walk_from() - iterate over the commands of a log, from one record on
 * @view: view
 * @log: name
 * @index: number of the record; 0: from the first record
 * @offset: where it starts
 * @fn: as mgs_view_walk()
 * @data: its argument
 *
 * Context: may sleep for memory
 * Return: as mgs_view_walk(); -EIO also if there is no such record
 */
int mgs_view_walk_from(const struct mgs_view *view, const char *log, u32 index,
		       u64 offset,
		       int (*fn)(void *data, const struct mgs_rec *rec),
		       void *data)
{
	struct mgs_fault fault;
	struct mgs_bytes *bytes;
	struct mgs_log found;
	struct mgs_walk *walk;
	int rc = log_find(view, log, &found, &bytes);

	if (rc)
		return rc;
	if (found.lg_damaged || !bytes)
		return -EIO;
	walk = libcfs_zalloc(sizeof(*walk), GFP_KERNEL);
	if (!walk)
		return -ENOMEM;
	walk->fn = fn;
	walk->data = data;
	/* @fn may replace the bytes if @view is its change's. */
	mgs_bytes_get(bytes);
	rc = mgs_log_scan_from(bytes, &found, index, offset, walk_record, walk,
			       &fault);
	mgs_bytes_put(bytes);
	libcfs_free(walk, sizeof(*walk));
	return rc;
}

/**
 * mgs_view_walk() - iterate over the commands of a log
 * @view: view
 * @log: name
 * @fn: called for each command, cancelled ones too, until it returns nonzero; what it
 *	appends is not visited
 * @data: its argument
 *
 * Context: may sleep for memory
 * Return: what @fn returned last; -ENOENT; -EINVAL; -EIO for a damaged log; -ENOMEM
 */
int mgs_view_walk(const struct mgs_view *view, const char *log,
		  int (*fn)(void *data, const struct mgs_rec *rec), void *data)
{
	return mgs_view_walk_from(view, log, 0, 0, fn, data);
}
