// SPDX-License-Identifier: GPL-2.0-only
/* File system type lustre-lite: from source and options to a mount. */
#define DEBUG_SUBSYSTEM S_LLITE

#include <linux/err.h>
#include <linux/fs_parser.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <net/net_namespace.h>
#include <linux/workqueue.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "llite_inode.h"

/* The reason goes to the context's log, or else to the kernel log. */
static int context_refuse(struct fs_context *fc, const struct obd_why *why,
			  int rc)
{
	/* The kernel log is shared: add a prefix. */
	const char *who = fc->log.log ? "" : "lustre-lite: ";

	if (why->text[0])
		errorf(fc, "%s%s", who, why->text);
	else
		errorf(fc, "%s%s: rc = %d", who, fc->source ?: "no source", rc);
	return rc;
}

static int llite_parse_param(struct fs_context *fc, struct fs_parameter *param)
{
	struct obd_why why = { "" };
	int rc;

	if (!strcmp(param->key, "source"))
		return vfs_parse_fs_param_source(fc, param);
	if (param->type != fs_value_is_flag && param->type != fs_value_is_string)
		return invalf(fc, "option '%s' needs a text value", param->key);
	rc = llite_option_set(fc->fs_private, param->key,
			      param->type == fs_value_is_string ?
			      param->string : NULL, why.text);
	return rc ? context_refuse(fc, &why, rc) : 0;
}

static void mount_stop(struct llite_mount *lm)
{
	if (lm->llm_source.src_client)
		llite_client_stop(lm);
	else
		llite_target_stop(lm);
	libcfs_free(lm, sizeof(*lm));
}

static int mount_check(struct fs_context *fc, struct llite_mount *lm, struct obd_why *why)
{
	int rc;

	if (!fc->source)
		return obd_refuse(why, -EINVAL,
				  "source is missing: NID:/FSNAME or the path of a directory");
	rc = llite_source_parse(fc->source, &lm->llm_source, why->text) ?:
	     llite_options_check(&lm->llm_options, &lm->llm_source, why->text);
	if (rc)
		return rc;
	/* Devices belong to the namespace of the task that attaches them. */
	if (!net_eq(fc->net_ns, current->nsproxy->net_ns))
		return obd_refuse(why, -EINVAL,
				  "the task has changed its network namespace during the mount");
	return 0;
}

/* Return: a mount that is not started; an ERR_PTR */
static struct llite_mount *mount_new(struct fs_context *fc)
{
	struct llite_mount *lm = libcfs_zalloc(sizeof(*lm), GFP_KERNEL_ACCOUNT);
	struct obd_why why = { "" };
	int rc;

	if (!lm)
		return ERR_PTR(-ENOMEM);
	lm->llm_options = *(struct llite_options *)fc->fs_private;
	rc = mount_check(fc, lm, &why);
	if (!rc)
		return lm;
	libcfs_free(lm, sizeof(*lm));
	return ERR_PTR(context_refuse(fc, &why, rc));
}

/* A file system or a target; takes over @lm. */
static int whole_get_tree(struct fs_context *fc, struct llite_mount *lm)
{
	struct obd_why why = { "" };
	int rc;

	rc = lm->llm_source.src_client ? llite_client_start(lm, fc, &why) :
					 llite_target_start(lm, fc, &why);
	if (rc) {
		libcfs_free(lm, sizeof(*lm));
		return context_refuse(fc, &why, rc);
	}
	/* Owned by the context from here on, later by the super block. */
	fc->s_fs_info = lm;
	return get_tree_nodev(fc, llite_fill_super);
}

/* A directory of a file system: its mount has a context of its own, which gives its reasons. */
static int subdir_get_tree(struct fs_context *fc, size_t at)
{
	struct obd_why why = { "" };
	int rc = llite_subdir_get_tree(fc, at, &why);

	return why.text[0] ? context_refuse(fc, &why, rc) : rc;
}

static int llite_get_tree(struct fs_context *fc)
{
	struct llite_mount *lm = mount_new(fc);
	size_t subdir;

	if (IS_ERR(lm))
		return PTR_ERR(lm);
	subdir = lm->llm_source.src_subdir;
	if (!fc->source[subdir])
		return whole_get_tree(fc, lm);
	libcfs_free(lm, sizeof(*lm));
	return subdir_get_tree(fc, subdir);
}

static int llite_reconfigure(struct fs_context *fc)
{
	struct llite_mount *lm = llite_mount(fc->root->d_sb);
	struct llite_options *op = fc->fs_private;
	struct obd_why why = { "" };
	int rc = 0;

	/* A target's own name is shown as an option, and may be given. */
	if (!lm->llm_source.src_client) {
		fc->sb_flags |= SB_RDONLY;
		if (!strcmp(op->op_svname, lm->llm_target.llt_ldd->ldd_svname))
			op->op_given &= ~LLITE_OPT_SVNAME;
	}
	rc = llite_options_check(op, &lm->llm_source, why.text) ?:
	     llite_options_change(&lm->llm_options, op, why.text);
	return rc ? context_refuse(fc, &why, rc) : 0;
}

/* End a mount that has no super block. */
static void llite_free(struct fs_context *fc)
{
	if (fc->s_fs_info)
		mount_stop(fc->s_fs_info);
	if (fc->fs_private)
		libcfs_free(fc->fs_private, sizeof(struct llite_options));
}

static int llite_dup(struct fs_context *fc, struct fs_context *from)
{
	fc->fs_private = libcfs_zalloc(sizeof(struct llite_options), GFP_KERNEL_ACCOUNT);
	if (!fc->fs_private)
		return -ENOMEM;
	*(struct llite_options *)fc->fs_private = *(struct llite_options *)from->fs_private;
	return 0;
}

static const struct fs_context_operations llite_context_ops = {
	.free		= llite_free,
	.dup		= llite_dup,
	.parse_param	= llite_parse_param,
	.get_tree	= llite_get_tree,
	.reconfigure	= llite_reconfigure,
};

static int llite_init_fs_context(struct fs_context *fc)
{
	fc->fs_private = libcfs_zalloc(sizeof(struct llite_options),
				       GFP_KERNEL_ACCOUNT);
	if (!fc->fs_private)
		return -ENOMEM;
	fc->ops = &llite_context_ops;
	return 0;
}

/* An umount waits so many times obd_timeout until everything is written. */
#define UMOUNT_TIMEOUTS	3

/**
 * struct ll_umount_limit - how long an umount waits for targets that do not answer
 * @ul_work: ends the wait
 * @ul_instance: devices of the mount
 */
struct ll_umount_limit {
	struct delayed_work	ul_work;
	u64			ul_instance;
};

static void umount_limit_reached(struct work_struct *work)
{
	struct ll_umount_limit *limit = container_of(to_delayed_work(work), struct ll_umount_limit,
						     ul_work);

	llite_imports_abort_down(limit->ul_instance);
	schedule_delayed_work(&limit->ul_work, READ_ONCE(obd_timeout) * HZ);
}

/* Inodes write their pages. Those for a target that is down are lost after a time, and logged. */
static void client_kill_super(struct super_block *sb, u64 instance)
{
	struct ll_umount_limit limit = { .ul_instance = instance };

	INIT_DELAYED_WORK_ONSTACK(&limit.ul_work, umount_limit_reached);
	schedule_delayed_work(&limit.ul_work, UMOUNT_TIMEOUTS * READ_ONCE(obd_timeout) * HZ);
	ll_reopen_umount(&llite_mount(sb)->llm_client);
	ll_som_umount(sb);
	kill_anon_super(sb);
	cancel_delayed_work_sync(&limit.ul_work);
	destroy_delayed_work_on_stack(&limit.ul_work);
}

/* The super block goes first: waiting for peers then blocks no other task. */
static void llite_kill_sb(struct super_block *sb)
{
	struct llite_mount *lm = llite_mount(sb);

	if (lm && lm->llm_source.src_client)
		client_kill_super(sb, lm->llm_client.llc_instance);
	else
		kill_anon_super(sb);
	if (lm)
		mount_stop(lm);
}

static struct file_system_type llite_fs_type = {
	.owner			= THIS_MODULE,
	.name			= "lustre-lite",
	.init_fs_context	= llite_init_fs_context,
	.kill_sb		= llite_kill_sb,
};
MODULE_ALIAS_FS("lustre-lite");

/* Register the type. */
int llite_fs_register(void)
{
	return register_filesystem(&llite_fs_type);
}

/* Unregister it; no mount is left. */
void llite_fs_unregister(void)
{
	unregister_filesystem(&llite_fs_type);
}
