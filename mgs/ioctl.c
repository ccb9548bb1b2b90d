// SPDX-License-Identifier: GPL-2.0-only
/* The ioctls of the service on /dev/libcfs, for the service of the caller's namespace. */
#define DEBUG_SUBSYSTEM S_MGS

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <net/net_namespace.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/nid.h>
#include <lustre_lite/ptlrpc_net.h>

#include "mgs_internal.h"

#define CHANGE_ARGS		4
#define CHANGE_FLAGS		(MGS_CHANGE_DRY_RUN | MGS_CHANGE_FORCE)
#define LOGS_MAX		65536
#define READ_MAX		(1024 * 1024)

/* struct mgs_change_args - arguments of a change */
struct mgs_change_args {
	u32		op;
	u32		index;
	char		*text;
	const char	*argv[CHANGE_ARGS];
	unsigned int	argc;
};

static int args_split(struct mgs_change_args *args, u32 len, struct obd_why *why)
{
	char *at = args->text;

	for (; at < args->text + len; at += strlen(at) + 1) {
		if (args->argc == CHANGE_ARGS)
			return obd_refuse(why, -EINVAL,
				      "a change has at most %u texts",
				      CHANGE_ARGS);
		args->argv[args->argc++] = at;
	}
	return mgs_log_change_check(args->op, args->argc, why);
}

static int args_get(const struct mgs_ioc_change *mc, struct mgs_change_args *args,
		    struct obd_why *why)
{
	u32 len = mc->mc_args_len;

	if (mc->mc_flags & ~CHANGE_FLAGS)
		return obd_refuse(why, -EINVAL, "there are no flags %#x",
			      mc->mc_flags & ~CHANGE_FLAGS);
	if (!len || len > MGS_CHANGE_ARGS_MAX)
		return obd_refuse(why, len ? -E2BIG : -EINVAL,
			      "the texts of a change have 1 to %u bytes",
			      MGS_CHANGE_ARGS_MAX);
	args->op = mc->mc_op;
	args->index = mc->mc_index;
	args->text = memdup_user(u64_to_user_ptr(mc->mc_args), len);
	if (IS_ERR(args->text))
		return PTR_ERR(args->text);
	if (args->text[len - 1])
		return obd_refuse(why, -EINVAL,
			      "each text of a change ends with a NUL");
	return args_split(args, len, why);
}

static int change_logs(struct mgs_txn *txn, struct mgs_change *change)
{
	const struct mgs_change_args *args = change->data;

	return mgs_log_change(txn, args->op, args->argv, args->argc,
			      args->index, &change->why);
}

/* Drop the NID table entries of deleted targets. */
static void change_done(struct mgs_device *md, struct mgs_change *change)
{
	const struct mgs_change_args *args = change->data;

	if (args->op == MGS_DEL_OST || args->op == MGS_ERASE_LCFG)
		mgs_nidtbl_forget(md, args->argv[0]);
}

static void who_is_it(struct mgs_who *who, struct net *net)
{
	uid_t uid = from_kuid(&init_user_ns, current_uid());
	struct lnet_nid nid;

	if (uid)
		scnprintf(who->who, sizeof(who->who), "uid %u (%s)", uid,
			  current->comm);
	else
		scnprintf(who->who, sizeof(who->who), "root (%s)",
			  current->comm);
	if (!lnet_nids(net, &nid, 1) ||
	    libcfs_nid_print(&nid, who->from, sizeof(who->from)) < 0)
		strscpy(who->from, "local", sizeof(who->from));
}

/* The change itself refuses an invalid conf_param, with a reason. */
static int try_conf_param(struct mgs_device *md, const struct mgs_change_args *args,
			  struct obd_why *why)
{
	char *pattern = kmalloc(PARAMS_PATH_MAX, GFP_KERNEL);
	int rc = 0;

	if (!pattern)
		return -ENOMEM;
	if (!mgs_conf_pattern(args->argv[0], pattern, PARAMS_PATH_MAX) &&
	    pattern[0])
		rc = mgs_trial_run(md, LCFG_PARAM, pattern, args->argv[1], why);
	kfree(pattern);
	return rc;
}

/* Try a setting before it is stored. */
static int change_try(struct mgs_device *md, const struct mgs_ioc_change *mc,
		      const struct mgs_change_args *args, struct obd_why *why)
{
	if (mc->mc_flags & MGS_CHANGE_FORCE)
		return 0;
	if (mc->mc_op == MGS_CONF_PARAM)
		return try_conf_param(md, args, why);
	if (mc->mc_op == MGS_SET_PARAM)
		return mgs_trial_run(md, LCFG_SET_PARAM, args->argv[0],
				     args->argv[1], why);
	return 0;
}

static int change_run(struct mgs_device *md, struct mgs_ioc_change *mc,
		      struct mgs_change_args *args, struct obd_why *why)
{
	struct mgs_change change = {
		.fn = change_logs,
		.done = change_done,
		.data = args,
		.dry_run = mc->mc_flags & MGS_CHANGE_DRY_RUN,
	};
	int rc;

	rc = change_try(md, mc, args, why);
	if (rc)
		return rc;
	who_is_it(&change.who, md->md_obd->obd_net);
	rc = mgs_change_do(md, &change);
	if (rc || change.why.text[0])
		*why = change.why;
	mc->mc_generation = change.generation;
	mc->mc_records = change.records;
	mc->mc_logs = change.logs;
	return rc;
}

static int do_change(struct obd_device *obd, void *arg)
{
	struct mgs_ioc_change *mc = arg;
	struct mgs_change_args args = {};
	struct obd_why *why;
	int rc;

	mc->mc_generation = 0;
	mc->mc_records = 0;
	mc->mc_logs = 0;
	why = kzalloc(sizeof(*why), GFP_KERNEL);
	if (!why)
		return -ENOMEM;
	rc = args_get(mc, &args, why);
	rc = rc ?: change_run(mgs_device(obd), mc, &args, why);
	if (!IS_ERR(args.text))
		kfree(args.text);
	BUILD_BUG_ON(sizeof(why->text) != sizeof(mc->mc_why));
	strscpy_pad(mc->mc_why, why->text, sizeof(mc->mc_why));
	kfree(why);
	return rc;
}

/**
 * struct mgs_logs - a list of logs
 * @info: entries
 * @max: allocated entries
 * @count: number of logs, which may be larger than @max
 */
struct mgs_logs {
	struct mgs_log_info	*info;
	u32			max;
	u32			count;
};

static int logs_add(void *data, const struct mgs_log_info *info)
{
	struct mgs_logs *logs = data;

	if (logs->count < logs->max)
		logs->info[logs->count] = *info;
	logs->count++;
	return 0;
}

static int do_logs(struct obd_device *obd, void *arg)
{
	struct mgs_device *md = mgs_device(obd);
	struct mgs_ioc_logs *ml = arg;
	struct mgs_logs logs = { .max = min_t(u32, ml->logs_max, LOGS_MAX) };
	struct mgs_view *view;
	int rc;

	logs.info = kvcalloc(max_t(u32, logs.max, 1), sizeof(*logs.info),
			     GFP_KERNEL_ACCOUNT);
	if (!logs.info)
		return -ENOMEM;
	view = mgs_store_view(md->md_store);
	rc = mgs_view_each(view, logs_add, &logs);
	mgs_view_put(view);
	ml->logs_count = logs.count;
	if (!rc && copy_to_user(u64_to_user_ptr(ml->logs_buf), logs.info,
				min(logs.count, logs.max) *
				sizeof(*logs.info)))
		rc = -EFAULT;
	kvfree(logs.info);
	return rc;
}

static int log_bytes(const struct mgs_view *view, struct mgs_ioc_read *mr,
		     void *bytes)
{
	u64 want = mr->mr_generation;
	struct mgs_log_info info;
	ssize_t len = 0;
	int rc;

	rc = mgs_view_info(view, mr->mr_name, &info);
	if (rc)
		return rc;
	mr->mr_size = info.li_size;
	mr->mr_generation = info.li_generation;
	if (want && want != info.li_generation)
		return -ESTALE;
	if (mr->mr_offset < info.li_size && mr->mr_len)
		len = mgs_view_read(view, mr->mr_name, mr->mr_offset, bytes,
				    min_t(u64, mr->mr_len,
					  info.li_size - mr->mr_offset));
	if (len < 0)
		return len;
	mr->mr_used = len;
	return 0;
}

static int do_read(struct obd_device *obd, void *arg)
{
	struct mgs_device *md = mgs_device(obd);
	struct mgs_ioc_read *mr = arg;
	struct mgs_view *view;
	void *bytes;
	int rc;

	mr->mr_used = 0;
	mr->mr_size = 0;
	if (!mgs_name_ok(mr->mr_name, sizeof(mr->mr_name)))
		return -EINVAL;
	if (mr->mr_len > READ_MAX)
		return -E2BIG;
	bytes = kvmalloc(max_t(u32, mr->mr_len, 1), GFP_KERNEL_ACCOUNT);
	if (!bytes)
		return -ENOMEM;
	view = mgs_store_view(md->md_store);
	rc = log_bytes(view, mr, bytes);
	mgs_view_put(view);
	if (!rc && copy_to_user(u64_to_user_ptr(mr->mr_buf), bytes,
				mr->mr_used))
		rc = -EFAULT;
	kvfree(bytes);
	return rc;
}

/**
 * struct call - an ioctl
 * @size: bytes of its argument
 * @fn: called inside the gate of the service
 */
struct call {
	size_t	size;
	int	(*fn)(struct obd_device *obd, void *arg);
};

static const struct call calls[] = {
	[_IOC_NR(MGS_IOC_CHANGE) - LIBCFS_IOC_NR_MGS] = {
		sizeof(struct mgs_ioc_change), do_change },
	[_IOC_NR(MGS_IOC_LOGS) - LIBCFS_IOC_NR_MGS] = {
		sizeof(struct mgs_ioc_logs), do_logs },
	[_IOC_NR(MGS_IOC_READ) - LIBCFS_IOC_NR_MGS] = {
		sizeof(struct mgs_ioc_read), do_read },
	[_IOC_NR(MGS_IOC_WAIT) - LIBCFS_IOC_NR_MGS] = {
		sizeof(struct mgs_ioc_wait), NULL },
};

static int call_service(const struct call *call, void *arg)
{
	struct obd_device *obd = mgs_find(current->nsproxy->net_ns);
	int rc;

	if (!obd)
		return -ENODEV;
	rc = call->fn(obd, arg);
	mgs_find_done(obd);
	return rc;
}

/*
 * The wait may take an hour and must not block the cleanup of the service, so it holds only
 * the memory of the service and of its device.
 */
static int call_wait(struct mgs_ioc_wait *wait)
{
	struct obd_device *obd = mgs_find(current->nsproxy->net_ns);
	struct mgs_awaited aw;
	struct mgs_device *md;
	int rc;

	if (!obd)
		return -ENODEV;
	wait->mw_nodes = 0;
	wait->mw_behind = 0;
	wait->mw_failed = 0;
	memset(wait->mw_why, 0, sizeof(wait->mw_why));
	md = mgs_device_get(mgs_device(obd));
	rc = mgs_wait_prepare(md, wait, &aw);
	obd_op_leave(obd);
	rc = rc ?: mgs_wait_nodes(md, &aw, wait);
	mgs_wait_end(&aw);
	mgs_device_put(md);
	class_decref(obd, OBD_REF_LOOKUP);
	return rc;
}

static long call_run(const struct call *call, void __user *arg, size_t size)
{
	void *copy = kzalloc(call->size, GFP_KERNEL);
	int rc;

	if (!copy)
		return -ENOMEM;
	rc = copy_struct_from_user(copy, call->size, arg, size);
	if (rc)
		goto free_copy;
	rc = call->fn ? call_service(call, copy) : call_wait(copy);
	if (copy_to_user(arg, copy, min(call->size, size)))
		rc = -EFAULT;
free_copy:
	kfree(copy);
	return rc;
}

static long mgs_ioctl(struct libcfs_file *lf, unsigned int nr,
		      void __user *arg, size_t size)
{
	unsigned int n = nr - LIBCFS_IOC_NR_MGS;

	if (n >= ARRAY_SIZE(calls))
		return -ENOTTY;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	return call_run(&calls[n], arg, size);
}

static struct libcfs_ioctl_range mgs_range = {
	.lir_name = "mgs",
	.lir_owner = THIS_MODULE,
	.lir_first = LIBCFS_IOC_NR_MGS,
	.lir_last = LIBCFS_IOC_NR_MGS + 0xf,
	.lir_handler = mgs_ioctl,
};

/* Register MGS_IOC_*. Return: 0 or a negative errno */
int mgs_ioctl_init(void)
{
	return libcfs_register_ioctl(&mgs_range);
}

/* Deregister them; waits for running calls. */
void mgs_ioctl_exit(void)
{
	libcfs_deregister_ioctl(&mgs_range);
}
