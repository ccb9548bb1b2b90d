// SPDX-License-Identifier: GPL-2.0-only
/*
 * Listing the names below a directory, and reading values: one, a list of them, or a whole
 * subtree.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "params_internal.h"

static int params_list_one(struct params_out *out,
			   struct lustre_params_entry *lpe, unsigned int depth)
{
	size_t padded = PARAMS_ALIGN((size_t)lpe->lpe_name_len);
	struct params_list_rec *rec;
	struct params_about about;

	rec = params_out_reserve(out, sizeof(*rec) + padded);
	if (IS_ERR(rec))
		return PTR_ERR(rec);
	params_entry_about(lpe, &about);
	rec->lr_len = sizeof(*rec) + padded;
	rec->lr_mode = about.ab_mode;
	rec->lr_name_len = lpe->lpe_name_len;
	rec->lr_type = about.ab_type;
	rec->lr_depth = depth;
	rec->lr_version = about.ab_version;
	rec->lr_flags = about.ab_flags;
	memset(rec->lr_name + padded - 8, 0, 8);
	memcpy(rec->lr_name, lpe->lpe_name, lpe->lpe_name_len);
	return 0;
}

static int params_list_walk(struct params_ioc_list *pl,
			    struct params_walk *walk, struct params_out *out)
{
	struct lustre_params_entry *lpe;
	int rc = 0;

	pl->pl_count = 0;
	pl->pl_eof = 0;
	while ((lpe = params_walk_next(walk))) {
		rc = params_list_one(out, lpe, walk->wk_depth);
		if (rc)
			break;
		pl->pl_count++;
		if (!(pl->pl_count % PARAMS_WALK_BATCH)) {
			cond_resched();
			if (fatal_signal_pending(current))
				return -EINTR;
		}
	}
	if (!lpe)
		pl->pl_eof = 1;
	if (rc == -ENOSPC)
		return pl->pl_count ? 0 : -EOVERFLOW;
	return rc;
}

/**
 * params_op_list() - PARAMS_IOC_LIST
 * @pl: the call; its out members except pl_used and pl_buf_len are filled
 * @path: directory
 * @after: relative path of the entry to continue after, or NULL
 * @out: the caller's buffer
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int params_op_list(struct params_ioc_list *pl, const char *path,
		   const char *after, struct params_out *out)
{
	struct lustre_params_entry *dir;
	struct params_walk walk;
	int rc;

	dir = params_find_dir(path, pl->pl_path_len);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	params_walk_start(&walk, dir, pl->pl_depth);
	if (after)
		params_walk_resume(&walk, after, pl->pl_after_len);
	rc = params_list_walk(pl, &walk, out);
	params_walk_end(&walk);
	params_entry_put(dir);
	return rc;
}

#define PARAMS_SMALL		1024	/* most values need less */

/*
 * Read the value of an entry, a link followed. Its other properties were
 * recorded before.
 */
static int params_take(struct lustre_params_entry *lpe,
		       struct params_sink *sink)
{
	int rc;

	lpe = params_resolve(lpe);
	/* If the entry is being removed, that is the error to report. */
	rc = params_entry_gate(lpe);
	if (!rc)
		rc = params_may_read(lpe);
	if (!rc)
		rc = params_entry_activate(lpe);
	if (rc)
		return rc;
	rc = params_value_pack(lpe, sink);
	params_entry_deactivate(lpe);
	return rc;
}

/* The whole value fits: no snapshot is needed. */
static int params_read_whole(struct params_ioc_read *pr,
			     const struct params_sink *sink,
			     const struct params_about *about)
{
	if (copy_to_user(u64_to_user_ptr(pr->pr_buf), sink->snk_buf,
			 sink->snk_used))
		return -EFAULT;
	pr->pr_used = sink->snk_used;
	pr->pr_version = about->ab_version;
	pr->pr_type = about->ab_type;
	pr->pr_mode = about->ab_mode;
	pr->pr_eof = 1;
	return 0;
}

static u32 params_sink_records(const struct params_sink *sink)
{
	u32 count = 0;
	size_t pos;

	for (pos = 0; pos < sink->snk_used; count++)
		pos += params_rec_bytes((const void *)(sink->snk_buf + pos));
	return count;
}

static int params_read_new(struct libcfs_file *lf, struct params_ioc_read *pr,
			   struct lustre_params_entry *lpe)
{
	struct params_about about;
	struct params_sink sink;
	int rc;

	params_sink_init(&sink, NULL, 0);
	params_entry_about(lpe, &about);
	rc = params_take(lpe, &sink);
	if (rc)
		goto free_sink;
	if (!pr->pr_index && sink.snk_used <= pr->pr_buf_len) {
		pr->pr_index = params_sink_records(&sink);
		rc = params_read_whole(pr, &sink, &about);
		goto free_sink;
	}
	rc = params_reader_save(lf, &sink, &about, &pr->pr_snapshot);
	if (!rc)
		rc = params_reader_read(lf, pr);
free_sink:
	params_sink_free(&sink);
	return rc;
}

/**
 * params_op_read() - PARAMS_IOC_READ
 * @lf: open file
 * @pr: the call; its out members are filled
 * @path: entry, NULL to continue with a snapshot
 *
 * Context: may sleep, for as long as the callback does
 * Return: 0 or a negative errno
 */
int params_op_read(struct libcfs_file *lf, struct params_ioc_read *pr,
		   const char *path)
{
	struct lustre_params_entry *lpe;
	int rc;

	if (!path)
		return params_reader_read(lf, pr);
	lpe = params_find(NULL, path, pr->pr_path_len);
	if (IS_ERR(lpe))
		return PTR_ERR(lpe);
	rc = params_read_new(lf, pr, lpe);
	params_entry_put(lpe);
	return rc;
}

/**
 * struct params_item - a record of a batch being built
 * @it_rec: its head, in the kernel's buffer
 * @it_head: bytes of head and name
 * @it_about: properties of the entry
 * @it_more: the value became a snapshot: the batch ends here
 */
struct params_item {
	struct params_entry_rec	*it_rec;
	size_t			it_head;
	struct params_about	it_about;
	bool			it_more;
};

/* Start a record, with space for at least the number of a snapshot. */
static int params_item_begin(struct params_item *item, struct params_out *out,
			     u32 index, const char *name, size_t name_len)
{
	size_t padded = PARAMS_ALIGN(name_len);
	struct params_entry_rec *rec;
	int rc;

	item->it_more = false;
	item->it_head = sizeof(*rec) + padded;
	out->out_need = item->it_head + sizeof(u64);
	if (params_out_left(out) < out->out_need)
		return -ENOSPC;
	rc = params_out_tail(out, item->it_head + PARAMS_SMALL);
	if (rc)
		return rc;
	rec = (void *)(out->out_buf + out->out_fill);
	memset(rec, 0, sizeof(*rec));
	rec->er_index = index;
	rec->er_name_len = name_len;
	if (name_len) {
		memset(rec->er_data + padded - 8, 0, 8);
		memcpy(rec->er_data, name, name_len);
	}
	item->it_rec = rec;
	return 0;
}

static void params_item_end(struct params_item *item, struct params_out *out,
			    int status)
{
	item->it_rec->er_len = item->it_head;
	item->it_rec->er_status = status;
	out->out_fill += item->it_head;
}

/* The value is in the record already, or is copied there from the sink. */
static int params_item_value(struct params_item *item, struct params_out *out,
			     const struct params_sink *sink)
{
	item->it_rec->er_len = item->it_head + sink->snk_used;
	out->out_fill += item->it_head;
	if (sink->snk_own)
		return params_out_copy(out, sink->snk_buf, sink->snk_used);
	out->out_fill += sink->snk_used;
	return 0;
}

/* The value does not fit: it becomes a snapshot, to be read separately. */
static int params_item_snapshot(struct params_item *item,
				struct params_out *out, struct libcfs_file *lf,
				struct params_sink *sink)
{
	u64 id;
	int rc;

	rc = params_reader_save(lf, sink, &item->it_about, &id);
	if (rc)
		return rc;
	item->it_rec->er_len = item->it_head + sizeof(id);
	item->it_rec->er_flags |= PARAMS_EF_MORE;
	memcpy((char *)item->it_rec + item->it_head, &id, sizeof(id));
	out->out_fill += item->it_head + sizeof(id);
	item->it_more = true;
	return 0;
}

static int params_item_read(struct params_item *item, struct params_out *out,
			    struct libcfs_file *lf,
			    struct lustre_params_entry *lpe)
{
	size_t space = min(out->out_size - out->out_fill, params_out_left(out));
	struct params_sink sink;
	int rc;

	params_sink_init(&sink, (char *)item->it_rec + item->it_head,
			 space - item->it_head);
	rc = params_take(lpe, &sink);
	if (!rc && item->it_head + sink.snk_used > params_out_left(out))
		rc = params_item_snapshot(item, out, lf, &sink);
	else if (!rc)
		rc = params_item_value(item, out, &sink);
	if (rc && rc != -EFAULT) {
		params_item_end(item, out, rc);
		rc = 0;
	}
	params_sink_free(&sink);
	return rc;
}

static void params_item_describe(struct params_item *item,
				 struct lustre_params_entry *lpe)
{
	params_entry_about(lpe, &item->it_about);
	item->it_rec->er_mode = item->it_about.ab_mode;
	item->it_rec->er_type = item->it_about.ab_type;
	item->it_rec->er_flags = item->it_about.ab_flags;
	item->it_rec->er_version = item->it_about.ab_version;
}

/* Result of a batch: an error only if not even one record fitted. */
static int params_batch_end(struct params_out *out, int rc)
{
	if (rc == -ENOSPC)
		return out->out_done + out->out_fill ? 0 : -EOVERFLOW;
	return rc;
}

static int params_batch_pause(void)
{
	cond_resched();
	return fatal_signal_pending(current) ? -EINTR : 0;
}

static int params_list_item(struct libcfs_file *lf, struct params_out *out,
			    struct params_item *item, u32 index,
			    const char *path)
{
	size_t len = strlen(path);
	struct lustre_params_entry *lpe;
	int rc;

	rc = params_item_begin(item, out, index, NULL, 0);
	if (rc)
		return rc;
	rc = params_path_check(path, len);
	lpe = rc ? ERR_PTR(rc) : params_find(NULL, path, len);
	if (IS_ERR(lpe)) {
		params_item_end(item, out, PTR_ERR(lpe));
		return 0;
	}
	params_item_describe(item, lpe);
	rc = params_item_read(item, out, lf, lpe);
	params_entry_put(lpe);
	return rc;
}

/**
 * params_op_read_list() - PARAMS_IOC_READ_BATCH of a list of paths
 * @lf: open file
 * @rb: the call; its out members except rb_used and rb_buf_len are filled
 * @paths: rb_count paths, each NUL-terminated
 * @out: the caller's buffer
 *
 * Context: may sleep, for as long as the callbacks do
 * Return: 0 or a negative errno
 */
int params_op_read_list(struct libcfs_file *lf,
			struct params_ioc_read_batch *rb, const char *paths,
			struct params_out *out)
{
	struct params_item item = { .it_more = false };
	u32 n;
	int rc = 0;

	for (n = 0; n < rb->rb_next && n < rb->rb_count; n++)
		paths += strlen(paths) + 1;
	while (n < rb->rb_count && !rc && !item.it_more) {
		rc = params_list_item(lf, out, &item, n, paths);
		if (rc)
			break;
		n++;
		paths += strlen(paths) + 1;
		rc = params_batch_pause();
	}
	rb->rb_next = n;
	rb->rb_eof = n >= rb->rb_count;
	return params_batch_end(out, rc);
}

/* Directories, links and entries with PARAMS_EF_VOLATILE come without a value. */
static bool params_has_value(const struct params_about *about)
{
	return S_ISREG(about->ab_mode) &&
		!(about->ab_flags & PARAMS_EF_VOLATILE);
}

static int params_subtree_item(struct libcfs_file *lf, struct params_out *out,
			       struct params_item *item, unsigned int depth,
			       struct lustre_params_entry *lpe)
{
	int rc;

	rc = params_item_begin(item, out, depth, lpe->lpe_name,
			       lpe->lpe_name_len);
	if (rc)
		return rc;
	params_item_describe(item, lpe);
	if (params_has_value(&item->it_about))
		return params_item_read(item, out, lf, lpe);
	params_item_end(item, out, 0);
	return 0;
}

/**
 * params_op_read_subtree() - PARAMS_IOC_READ_BATCH of all below a directory
 * @lf: open file
 * @rb: the call; its out members except rb_used and rb_buf_len are filled
 * @path: directory
 * @after: relative path of the entry to continue after, or NULL
 * @out: the caller's buffer
 *
 * Context: may sleep, for as long as the callbacks do
 * Return: 0 or a negative errno
 */
int params_op_read_subtree(struct libcfs_file *lf,
			   struct params_ioc_read_batch *rb, const char *path,
			   const char *after, struct params_out *out)
{
	struct params_item item = { .it_more = false };
	struct lustre_params_entry *lpe;
	struct lustre_params_entry *dir;
	struct params_walk walk;
	int rc = 0;

	dir = params_find_dir(path, strlen(path));
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	params_walk_start(&walk, dir, 0);
	if (after)
		params_walk_resume(&walk, after, rb->rb_after_len);
	rb->rb_eof = 0;
	while (!rc && !item.it_more) {
		lpe = params_walk_next(&walk);
		if (!lpe) {
			rb->rb_eof = 1;
			break;
		}
		rc = params_subtree_item(lf, out, &item, walk.wk_depth, lpe);
		if (!rc)
			rc = params_batch_pause();
	}
	params_walk_end(&walk);
	params_entry_put(dir);
	return params_batch_end(out, rc);
}
