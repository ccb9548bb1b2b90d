// SPDX-License-Identifier: GPL-2.0-only
/*
 * Super blocks of clients and of targets.
 */
#define DEBUG_SUBSYSTEM S_LLITE

#include <linux/backing-dev.h>
#include <linux/err.h>
#include <linux/pagemap.h>
#include <linux/seq_file.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_mount.h>
#include <uapi/lustre_lite/wire.h>

#include "llite_inode.h"
#include "stats.h"

static const struct inode_operations root_iops = {
	.lookup		= simple_lookup,
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

/* The root of a target mount is empty. */
static struct inode *target_root(struct super_block *sb)
{
	struct inode *inode = new_inode(sb);

	if (!inode)
		return ERR_PTR(-ENOMEM);
	inode->i_ino = LLITE_ROOT_INO;
	inode->i_mode = S_IFDIR | 0755;
	inode->i_flags |= S_NOATIME | S_NOCMTIME;
	compat_inode_times_now(inode);
	set_nlink(inode, 2);
	inode->i_op = &root_iops;
	inode->i_fop = &root_fops;
	return inode;
}

static int llite_statfs(struct dentry *dentry, struct kstatfs *st)
{
	struct llite_mount *lm = llite_mount(dentry->d_sb);
	struct obd_statfs space;
	int rc;

	if (lm->llm_source.src_client) {
		LL_DEFINE_TIMED(dentry->d_sb, LL_STAT_STATFS);

		rc = llite_client_statfs(lm, &space);
	} else {
		rc = obd_mount_statfs(&lm->llm_target.llt_claim.fc_path,
				      &space);
	}
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

/*
 * sync(2) and others must not wait for a server that does not answer. An umount, where s_root is
 * NULL, needs none: the server commits when the client disconnects.
 */
static int client_sync_fs(struct super_block *sb, int wait)
{
	struct llite_client *lc = ll_s2client(sb);
	int rc;

	if (!wait || !sb->s_root)
		return 0;
	rc = ll_data_sync_all(lc);
	if (llite_mdts_down(lc->llc_instance))
		return -ENOTCONN;
	ll_som_tell(sb);
	return ll_sync(d_inode(sb->s_root)) ?: rc;
}

static const struct super_operations target_super_ops = {
	.statfs		= llite_statfs,
	.show_options	= llite_show_options,
	.umount_begin	= llite_umount_begin,
	.drop_inode	= compat_just_drop,
};

static const struct super_operations client_super_ops = {
	.alloc_inode	= ll_alloc_inode,
	.evict_inode	= ll_evict_inode,
	.free_inode	= ll_free_inode,
	.sync_fs	= client_sync_fs,
	.statfs		= llite_statfs,
	.show_options	= llite_show_options,
	.umount_begin	= llite_umount_begin,
};

static void target_super(struct super_block *sb)
{
	sb->s_op = &target_super_ops;
	sb->s_flags |= SB_RDONLY;
	compat_dentries_uncached(sb);
}

/* Pages have to stay as they are while they are sent: a message has a checksum. */
static int client_pages(struct super_block *sb)
{
	int rc = super_setup_bdi(sb);

	if (rc)
		return rc;
	sb->s_bdi->ra_pages = LL_READ_AHEAD;
	sb->s_bdi->io_pages = LL_READ_AHEAD;
	sb->s_iflags |= SB_I_STABLE_WRITES;
	return 0;
}

/* A client cannot be exported by NFS: it has no export operations. */
static int client_super(struct super_block *sb)
{
	sb->s_op = &client_super_ops;
	sb->s_flags |= SB_NOSEC;
	sb->s_xattr = ll_xattr_handlers;
	if (!(llite_mount(sb)->llm_options.op_given & LLITE_OPT_NOACL))
		sb->s_flags |= SB_POSIXACL;
	compat_dentry_ops_set(sb, &ll_d_ops);
	return client_pages(sb);
}

/**
 * llite_fill_super() - fill in the super block of a started mount
 * @sb: super block, owns the mount
 * @fc: context
 *
 * Context: may sleep; sends no request
 * Return: 0; -ENOMEM
 */
int llite_fill_super(struct super_block *sb, struct fs_context *fc)
{
	bool client = llite_mount(sb)->llm_source.src_client;
	struct inode *root;
	int rc = 0;

	sb->s_magic = LLITE_SUPER_MAGIC;
	sb->s_blocksize = PAGE_SIZE;
	sb->s_blocksize_bits = PAGE_SHIFT;
	sb->s_maxbytes = MAX_LFS_FILESIZE;
	sb->s_time_gran = 1;
	if (client)
		rc = client_super(sb);
	else
		target_super(sb);
	if (rc)
		return rc;
	root = client ? ll_root_iget(sb) : target_root(sb);
	if (IS_ERR(root))
		return PTR_ERR(root);
	sb->s_root = d_make_root(root);
	return sb->s_root ? 0 : -ENOMEM;
}
