// SPDX-License-Identifier: GPL-2.0
/*
 * Listing the names below a directory.
 */
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

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
