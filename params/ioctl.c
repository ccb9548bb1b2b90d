// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ioctls of the parameters tree, and its start and end as a part of libcfs. Every length,
 * count, flag and text from user space is validated here; the other files rely on it.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <lustre_lite/libcfs.h>

#include "params_internal.h"
#include "params_text.h"
#include "rule.h"

/* Copy a path of the caller, NUL-terminated and validated; kfree() it. */
static char *params_user_path(u64 user, u32 len)
{
	char *path;
	int rc;

	if (len > PARAMS_PATH_MAX)
		return ERR_PTR(-ENAMETOOLONG);
	path = memdup_user_nul(u64_to_user_ptr(user), len);
	if (IS_ERR(path))
		return path;
	rc = params_path_check(path, len);
	if (!rc)
		return path;
	kfree(path);
	return ERR_PTR(rc);
}

/* A path whose length may include its NUL, as in a list of them. */
static char *params_user_dir(u64 user, u32 len)
{
	char last;

	if (len) {
		if (get_user(last, (char __user *)u64_to_user_ptr(user) +
			     len - 1))
			return ERR_PTR(-EFAULT);
		if (!last)
			len--;
	}
	return params_user_path(user, len);
}

/* An optional path: NULL if it is missing. */
static char *params_user_after(u64 user, u32 len)
{
	return len ? params_user_path(user, len) : NULL;
}

/*
 * Allocate a kernel buffer; kvfree() it. At least one byte, as kvmalloc(0) has
 * no end.
 */
static char *params_user_buf(u64 user, u32 len)
{
	char *buf;

	if (len > PARAMS_BUF_MAX)
		return ERR_PTR(-E2BIG);
	buf = kvmalloc((size_t)len + 1, GFP_KERNEL_ACCOUNT);
	if (!buf)
		return ERR_PTR(-ENOMEM);
	if (copy_from_user(buf, u64_to_user_ptr(user), len)) {
		kvfree(buf);
		return ERR_PTR(-EFAULT);
	}
	buf[len] = '\0';
	return buf;
}

/* Copy out the collected records, if all went well, and return their size. */
static int params_out_finish(struct params_out *out, int rc, u32 *used,
			     u32 *space)
{
	if (!rc)
		rc = params_out_flush(out);
	*used = out->out_done;
	if (rc == -EOVERFLOW)
		*space = out->out_need;
	params_out_free(out);
	return rc;
}

/*
 * Copy the structure back to the caller, also after an error that fills
 * members.
 */
static long params_reply_args(void __user *arg, const void *args, size_t known,
			      size_t size, int rc)
{
	if (rc && rc != -EOVERFLOW && rc != -EINTR)
		return rc;
	if (copy_to_user(arg, args, min(known, size)))
		return -EFAULT;
	return rc;
}

static long params_ioctl_list(struct libcfs_file *lf, void __user *arg,
			      size_t size)
{
	struct params_ioc_list pl;
	struct params_out out;
	char *after;
	char *path;
	int rc;

	rc = copy_struct_from_user(&pl, sizeof(pl), arg, size);
	if (rc)
		return rc;
	if (pl.pl_flags)
		return -EINVAL;
	path = params_user_path(pl.pl_path, pl.pl_path_len);
	if (IS_ERR(path))
		return PTR_ERR(path);
	after = params_user_after(pl.pl_after, pl.pl_after_len);
	if (IS_ERR(after)) {
		rc = PTR_ERR(after);
		goto free_path;
	}
	rc = params_out_init(&out, pl.pl_buf, pl.pl_buf_len);
	if (rc)
		goto free_after;
	rc = params_op_list(&pl, path, after, &out);
	rc = params_out_finish(&out, rc, &pl.pl_used, &pl.pl_buf_len);
free_after:
	kfree(after);
free_path:
	kfree(path);
	return params_reply_args(arg, &pl, sizeof(pl), size, rc);
}

static long params_ioctl_read(struct libcfs_file *lf, void __user *arg,
			      size_t size)
{
	struct params_ioc_read pr;
	char *path = NULL;
	int rc;

	rc = copy_struct_from_user(&pr, sizeof(pr), arg, size);
	if (rc)
		return rc;
	if (pr.pr_flags || pr.pr_reserved)
		return -EINVAL;
	if (pr.pr_buf_len > PARAMS_BUF_MAX)
		return -E2BIG;
	if (!pr.pr_snapshot) {
		path = params_user_path(pr.pr_path, pr.pr_path_len);
		if (IS_ERR(path))
			return PTR_ERR(path);
	}
	rc = params_op_read(lf, &pr, path);
	kfree(path);
	return params_reply_args(arg, &pr, sizeof(pr), size, rc);
}

/* The paths of a batch are NUL-terminated, and their number is as given. */
static int params_paths_check(const struct params_ioc_read_batch *rb,
			      const char *paths)
{
	const char *end = paths + rb->rb_paths_len;
	u32 n;

	for (n = 0; n < rb->rb_count && paths < end; n++) {
		paths = memchr(paths, '\0', end - paths);
		if (!paths)
			return -EINVAL;
		paths++;
	}
	return n == rb->rb_count && paths == end ? 0 : -EINVAL;
}

static int params_batch_list(struct libcfs_file *lf,
			     struct params_ioc_read_batch *rb,
			     struct params_out *out)
{
	char *paths;
	int rc;

	if (rb->rb_count > PARAMS_BATCH_MAX)
		return -E2BIG;
	if (rb->rb_after_len)
		return -EINVAL;
	paths = params_user_buf(rb->rb_paths, rb->rb_paths_len);
	if (IS_ERR(paths))
		return PTR_ERR(paths);
	rc = params_paths_check(rb, paths);
	if (!rc)
		rc = params_op_read_list(lf, rb, paths, out);
	kvfree(paths);
	return rc;
}

static int params_batch_subtree(struct libcfs_file *lf,
				struct params_ioc_read_batch *rb,
				struct params_out *out)
{
	char *after;
	char *path;
	int rc;

	if (rb->rb_next || rb->rb_count > 1)
		return -EINVAL;
	path = params_user_dir(rb->rb_paths, rb->rb_paths_len);
	if (IS_ERR(path))
		return PTR_ERR(path);
	after = params_user_after(rb->rb_after, rb->rb_after_len);
	if (IS_ERR(after)) {
		kfree(path);
		return PTR_ERR(after);
	}
	rc = params_op_read_subtree(lf, rb, path, after, out);
	kfree(after);
	kfree(path);
	return rc;
}

static long params_ioctl_read_batch(struct libcfs_file *lf, void __user *arg,
				    size_t size)
{
	struct params_ioc_read_batch rb;
	struct params_out out;
	int rc;

	rc = copy_struct_from_user(&rb, sizeof(rb), arg, size);
	if (rc)
		return rc;
	if (rb.rb_flags & ~PARAMS_RB_SUBTREE)
		return -EINVAL;
	rc = params_out_init(&out, rb.rb_buf, rb.rb_buf_len);
	if (rc)
		return rc;
	if (rb.rb_flags & PARAMS_RB_SUBTREE)
		rc = params_batch_subtree(lf, &rb, &out);
	else
		rc = params_batch_list(lf, &rb, &out);
	rc = params_out_finish(&out, rc, &rb.rb_used, &rb.rb_buf_len);
	return params_reply_args(arg, &rb, sizeof(rb), size, rc);
}

/* The reason of a refusal is copied besides the errno. */
static int params_user_reason(struct params_ioc_write *pw,
			      const struct params_reason *why)
{
	size_t len = min_t(size_t, strlen(why->text), pw->pw_reason_len);

	pw->pw_reason_len = len;
	if (len && copy_to_user(u64_to_user_ptr(pw->pw_reason), why->text, len))
		return -EFAULT;
	return 0;
}

static int params_write_user(struct params_ioc_write *pw,
			     struct params_reason *why)
{
	char *value;
	char *path;
	int rc;

	path = params_user_path(pw->pw_path, pw->pw_path_len);
	if (IS_ERR(path))
		return PTR_ERR(path);
	value = params_user_buf(pw->pw_value, pw->pw_value_len);
	rc = PTR_ERR_OR_ZERO(value);
	if (!rc) {
		rc = params_op_write(pw, path, value, why);
		kvfree(value);
	}
	kfree(path);
	return rc;
}

static long params_ioctl_write(struct libcfs_file *lf, void __user *arg,
			       size_t size)
{
	struct params_reason why = { "" };
	struct params_ioc_write pw;
	int rc;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	rc = copy_struct_from_user(&pw, sizeof(pw), arg, size);
	if (rc)
		return rc;
	if (pw.pw_reserved || (pw.pw_flags & ~(PARAMS_W_TYPED |
					       PARAMS_W_VERSION |
					       PARAMS_W_DRY_RUN)))
		return -EINVAL;
	rc = params_write_user(&pw, &why);
	if (params_user_reason(&pw, &why) ||
	    copy_to_user(arg, &pw, min(sizeof(pw), size)))
		return -EFAULT;
	return rc;
}

static long params_ioctl_write_batch(struct libcfs_file *lf, void __user *arg,
				     size_t size)
{
	struct params_ioc_write_batch wb;
	struct params_out out;
	char *in;
	int rc;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	rc = copy_struct_from_user(&wb, sizeof(wb), arg, size);
	if (rc)
		return rc;
	if (wb.bw_reserved ||
	    (wb.bw_flags & ~(PARAMS_W_ATOMIC | PARAMS_W_DRY_RUN)))
		return -EINVAL;
	if (wb.bw_count > PARAMS_BATCH_MAX)
		return -E2BIG;
	in = params_user_buf(wb.bw_in, wb.bw_in_len);
	if (IS_ERR(in))
		return PTR_ERR(in);
	rc = params_out_init(&out, wb.bw_out, wb.bw_out_len);
	if (!rc) {
		rc = params_op_write_batch(&wb, in, &out);
		rc = params_out_finish(&out, rc, &wb.bw_used, &wb.bw_out_len);
	}
	kvfree(in);
	return params_reply_args(arg, &wb, sizeof(wb), size, rc);
}

static int params_describe_user(struct params_ioc_describe *pd,
				struct lustre_params_entry *lpe)
{
	struct params_sink sink;
	int rc;

	params_sink_init(&sink, NULL, 0);
	rc = params_describe(lpe, &sink);
	pd->dsc_used = 0;
	if (!rc && sink.snk_used > pd->dsc_buf_len) {
		pd->dsc_buf_len = sink.snk_used;
		rc = -EOVERFLOW;
	} else if (!rc) {
		pd->dsc_used = sink.snk_used;
		if (copy_to_user(u64_to_user_ptr(pd->dsc_buf), sink.snk_buf,
				 sink.snk_used))
			rc = -EFAULT;
	}
	params_sink_free(&sink);
	return rc;
}

static long params_ioctl_describe(struct libcfs_file *lf, void __user *arg,
				  size_t size)
{
	struct params_ioc_describe pd;
	struct lustre_params_entry *lpe;
	char *path;
	int rc;

	rc = copy_struct_from_user(&pd, sizeof(pd), arg, size);
	if (rc)
		return rc;
	if (pd.dsc_flags)
		return -EINVAL;
	path = params_user_path(pd.dsc_path, pd.dsc_path_len);
	if (IS_ERR(path))
		return PTR_ERR(path);
	lpe = params_find(NULL, path, pd.dsc_path_len);
	kfree(path);
	if (IS_ERR(lpe))
		return PTR_ERR(lpe);
	rc = params_describe_user(&pd, lpe);
	params_entry_put(lpe);
	return params_reply_args(arg, &pd, sizeof(pd), size, rc);
}

/**
 * params_ioctl() - handle a call of the parameters tree's range
 * @lf: open file
 * @nr: number of the call
 * @arg: the caller's structure
 * @size: its bytes, from its head
 *
 * Context: process, may sleep for as long as callbacks do
 * Return: 0 or a negative errno, see uapi/lustre_lite/params_ioctl.h
 */
long params_ioctl(struct libcfs_file *lf, unsigned int nr, void __user *arg,
		  size_t size)
{
	switch (nr) {
	case _IOC_NR(PARAMS_IOC_LIST):
		return params_ioctl_list(lf, arg, size);
	case _IOC_NR(PARAMS_IOC_READ):
		return params_ioctl_read(lf, arg, size);
	case _IOC_NR(PARAMS_IOC_READ_BATCH):
		return params_ioctl_read_batch(lf, arg, size);
	case _IOC_NR(PARAMS_IOC_WRITE):
		return params_ioctl_write(lf, arg, size);
	case _IOC_NR(PARAMS_IOC_WRITE_BATCH):
		return params_ioctl_write_batch(lf, arg, size);
	case _IOC_NR(PARAMS_IOC_DESCRIBE):
		return params_ioctl_describe(lf, arg, size);
	default:
		return -ENOTTY;
	}
}

static struct libcfs_ioctl_range params_ioctl_range = {
	.lir_name	= "params",
	.lir_owner	= THIS_MODULE,
	.lir_first	= LIBCFS_IOC_NR_PARAMS,
	.lir_last	= LIBCFS_IOC_NR_PARAMS + 0xf,
	.lir_handler	= params_ioctl,
};

/**
 * params_init() - create the tree and open it to user space
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int params_init(void)
{
	int rc;

	params_rules_init();
	rc = params_tree_init();
	if (rc)
		return rc;
	rc = params_event_init();
	if (rc)
		goto exit_tree;
	rc = libcfs_register_ioctl(&params_ioctl_range);
	if (rc)
		goto exit_event;
	return 0;

exit_event:
	params_event_exit();
exit_tree:
	params_tree_exit();
	return rc;
}

/**
 * params_exit() - close the tree to user space and remove it
 *
 * Context: may sleep; all other modules have removed their entries
 */
void params_exit(void)
{
	libcfs_deregister_ioctl(&params_ioctl_range);
	params_tree_exit();
	params_event_exit();
}
