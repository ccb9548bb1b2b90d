// SPDX-License-Identifier: GPL-2.0-only
/*
 * Super block. The root is an empty directory: files come with the data path,
 * and until then operations that would create one are refused.
 */
#define DEBUG_SUBSYSTEM S_LLITE

#include <linux/pagemap.h>
#include <linux/seq_file.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_mount.h>

#include "llite_internal.h"

static int root_create(struct compat_idmap *idmap, struct inode *dir,
		       struct dentry *dentry, umode_t mode, bool excl)
{
	return -EOPNOTSUPP;
}

static int root_link(struct dentry *old, struct inode *dir,
		     struct dentry *dentry)
{
	return -EOPNOTSUPP;
}

static int root_symlink(struct compat_idmap *idmap, struct inode *dir,
			struct dentry *dentry, const char *target)
{
	return -EOPNOTSUPP;
}

static int root_mkdir(struct compat_idmap *idmap, struct inode *dir,
		      struct dentry *dentry, umode_t mode)
{
	return -EOPNOTSUPP;
}

static int root_mknod(struct compat_idmap *idmap, struct inode *dir,
		      struct dentry *dentry, umode_t mode, dev_t dev)
{
	return -EOPNOTSUPP;
}

static int root_setattr(struct compat_idmap *idmap, struct dentry *dentry,
			struct iattr *attr)
{
	return -EOPNOTSUPP;
}

static const struct inode_operations root_iops = {
	.lookup		= simple_lookup,
	.create		= root_create,
	.link		= root_link,
	.symlink	= root_symlink,
	.mkdir		= root_mkdir,
	.mknod		= root_mknod,
	.setattr	= root_setattr,
};

static int root_iterate(struct file *file, struct dir_context *ctx)
{
	dir_emit_dots(file, ctx);
	return 0;
}

static const struct file_operations root_fops = {
	.iterate_shared	= root_iterate,
	.read		= generic_read_dir,
	.llseek		= generic_file_llseek,
	.fsync		= noop_fsync,
};

static struct dentry *root_make(struct super_block *sb)
{
	struct inode *inode = new_inode(sb);

	if (!inode)
		return NULL;
	inode->i_ino = LLITE_ROOT_INO;
	inode->i_mode = S_IFDIR | 0755;
	inode->i_flags |= S_NOATIME | S_NOCMTIME;
	compat_inode_times_now(inode);
	set_nlink(inode, 2);
	inode->i_op = &root_iops;
	inode->i_fop = &root_fops;
	return d_make_root(inode);
}

static int llite_statfs(struct dentry *dentry, struct kstatfs *st)
{
	struct llite_mount *lm = llite_mount(dentry->d_sb);
	struct obd_statfs space;
	int rc;

	if (lm->llm_source.src_client)
		rc = llite_client_statfs(lm, &space);
	else
		rc = obd_mount_statfs(&lm->llm_target.llt_claim.fc_path,
				      &space);
	if (rc)
		return rc;
	st->f_type = dentry->d_sb->s_magic;
	st->f_bsize = space.os_bsize ?: PAGE_SIZE;
	st->f_frsize = st->f_bsize;
	st->f_blocks = space.os_blocks;
	st->f_bfree = space.os_bfree;
	st->f_bavail = space.os_bavail;
	st->f_files = space.os_files;
	st->f_ffree = space.os_ffree;
	st->f_namelen = space.os_namelen ?: NAME_MAX;
	st->f_fsid = u64_to_fsid(lm->llm_source.src_client ?
				 lm->llm_client.llc_instance :
				 lm->llm_target.llt_instance);
	return 0;
}

static void option_put(void *arg, const char *name, const char *value)
{
	seq_show_option(arg, name, value);
}

static int llite_show_options(struct seq_file *seq, struct dentry *root)
{
	struct llite_mount *lm = llite_mount(root->d_sb);

	if (!lm->llm_source.src_client && !lm->llm_options.op_svname[0])
		seq_show_option(seq, "svname",
				lm->llm_target.llt_ldd->ldd_svname);
	llite_options_show(&lm->llm_options, option_put, seq);
	return 0;
}

/* umount -f: end all waits for targets. */
static void llite_umount_begin(struct super_block *sb)
{
	struct llite_mount *lm = llite_mount(sb);

	WRITE_ONCE(lm->llm_force, true);
	llite_imports_abort(lm->llm_source.src_client ?
			    lm->llm_client.llc_instance :
			    lm->llm_target.llt_instance);
}

const struct super_operations llite_super_ops = {
	.statfs		= llite_statfs,
	.show_options	= llite_show_options,
	.umount_begin	= llite_umount_begin,
	.drop_inode	= generic_delete_inode,
};

/**
 * llite_fill_super() - fill in the super block of a started mount
 * @sb: super block, owns the mount
 * @fc: context
 *
 * Context: may sleep
 * Return: 0; -ENOMEM
 */
int llite_fill_super(struct super_block *sb, struct fs_context *fc)
{
	struct llite_mount *lm = llite_mount(sb);

	sb->s_magic = LLITE_SUPER_MAGIC;
	sb->s_blocksize = PAGE_SIZE;
	sb->s_blocksize_bits = PAGE_SHIFT;
	sb->s_maxbytes = MAX_LFS_FILESIZE;
	sb->s_time_gran = 1;
	sb->s_op = &llite_super_ops;
	sb->s_d_op = &simple_dentry_operations;
	if (!lm->llm_source.src_client)
		sb->s_flags |= SB_RDONLY;
	sb->s_root = root_make(sb);
	return sb->s_root ? 0 : -ENOMEM;
}
