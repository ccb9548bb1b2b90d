// SPDX-License-Identifier: GPL-2.0-only
/*
 * Directories. A position is the server's cookie of what follows. The first ones are the
 * module's own: "." and ".." do not come from the server, and it starts from cookie 0.
 *
 *	position	what follows
 *	0, 1		".", ".."
 *	2		the first entry (cookie 0)
 *	LL_DIR_END	nothing
 *	others		cookie
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_ops.h>

#include "llite_inode.h"
#include "stats.h"

#define LL_DIR_FIRST	2
#define LL_DIR_END	S64_MAX

/*
 * Bytes that a request asks for: about 650 entries. The first one asks for about 40: what the reader does
 * with these decides about the next ones, see ahead.c.
 */
#define LL_DIR_PAGES	32
#define LL_DIR_BYTES	(LL_DIR_PAGES * PAGE_SIZE)
#define LL_DIR_PROBE	2

/**
 * struct ll_dir - an open directory, private_data of struct file
 * @ldr_pos: position of the entry at @ldr_at
 * @ldr_at: offset in @ldr_bytes
 * @ldr_len: bytes in @ldr_bytes
 * @ldr_bytes: entries that are left of the last request, or NULL
 * @ldr_pause: the reader gets these before the next request
 *
 * f_pos_lock of the file guards it.
 */
struct ll_dir {
	loff_t	ldr_pos;
	u32	ldr_at;
	u32	ldr_len;
	void	*ldr_bytes;
	bool	ldr_pause;
};

static int ll_dir_open(struct inode *inode, struct file *file)
{
	struct ll_dir *ld = kzalloc(sizeof(*ld), GFP_KERNEL_ACCOUNT);

	file->private_data = ld;
	return ld ? 0 : -ENOMEM;
}

static int ll_dir_release(struct inode *inode, struct file *file)
{
	struct ll_dir *ld = file->private_data;

	vfree(ld->ldr_bytes);
	kfree(ld);
	return 0;
}

/* Permission is the opener's. A directory that was removed has no entries. */
static int entries_ask(struct file *file, struct ll_dir *ld, struct ll_op *lo, u32 count,
		       unsigned int nr)
{
	struct page *pages[LL_DIR_PAGES];
	struct ll_ahead *la = NULL;
	unsigned int n;
	int rc;

	for (n = 0; n < nr; n++)
		pages[n] = vmalloc_to_page(ld->ldr_bytes + n * PAGE_SIZE);
	if (count)
		la = ll_ahead_new(lo, count, ld->ldr_bytes);
	rc = md_readdir(lo->lop_exp, &lo->lop_data, pages, nr, &ld->ldr_len);
	if (!rc && la)
		ll_ahead_use(la, file->f_path.dentry, lo, ld->ldr_len);
	ll_ahead_free(la);
	if (rc)
		ld->ldr_len = 0;
	return rc == -ESTALE ? -ENOENT : rc;
}

static int ll_dir_read(struct file *file, struct ll_dir *ld, loff_t pos)
{
	struct inode *dir = file_inode(file);
	u32 count = ll_ahead_count(dir);
	bool probe = pos == LL_DIR_FIRST && !count;
	struct ll_op *lo;
	int rc;

	if (!ld->ldr_bytes)
		ld->ldr_bytes = __vmalloc(LL_DIR_BYTES, GFP_KERNEL_ACCOUNT);
	if (!ld->ldr_bytes)
		return -ENOMEM;
	lo = ll_op_new(dir->i_sb, file->f_cred, MDS_READPAGE, 0);
	if (IS_ERR(lo))
		return PTR_ERR(lo);
	ll_op_object(lo, dir);
	lo->lop_data.cookie = pos == LL_DIR_FIRST ? 0 : pos;
	ld->ldr_at = 0;
	ld->ldr_len = 0;
	ld->ldr_pause = probe || count;
	rc = entries_ask(file, ld, lo, count, probe ? LL_DIR_PROBE : LL_DIR_PAGES);
	ll_op_free(lo);
	return rc;
}

/* Return: 1: one was passed on; 0: the caller's buffer is full; negative errno */
static int entry_emit(struct dir_context *ctx, struct ll_dir *ld)
{
	struct md_dirent ent;

	if (md_dirent_decode(ld->ldr_bytes + ld->ldr_at, ld->ldr_len - ld->ldr_at, &ent))
		return -EIO;
	if (!ent.name_len) {
		ctx->pos = LL_DIR_END;
		return 0;
	}
	/* A cookie that is not a position, or does not lead on. */
	if (ent.next <= LL_DIR_FIRST || ent.next > LL_DIR_END)
		return -EIO;
	if (!dir_emit(ctx, ent.name, ent.name_len, fid_flatten(&ent.object.fid) ?: 1, ent.type))
		return 0;
	ld->ldr_at += ent.len;
	ld->ldr_pos = ent.next;
	ctx->pos = ent.next;
	return 1;
}

/* Entries are those of one request as long as the caller reads on. */
static int ll_readdir(struct file *file, struct dir_context *ctx)
{
	struct ll_dir *ld = file->private_data;
	bool passed = false;
	int rc = 1;
	LL_DEFINE_TIMED(file_inode(file)->i_sb, LL_STAT_READDIR);

	if (!dir_emit_dots(file, ctx))
		return 0;
	while (rc > 0 && ctx->pos != LL_DIR_END) {
		if (ctx->pos != ld->ldr_pos || ld->ldr_at == ld->ldr_len) {
			if (passed && ld->ldr_pause)
				return 0;
			rc = ll_dir_read(file, ld, ctx->pos);
			if (rc)
				return rc;
			ld->ldr_pos = ctx->pos;
			if (!ld->ldr_len)
				return -EIO;
		}
		rc = entry_emit(ctx, ld);
		passed = rc > 0;
	}
	return min(rc, 0);
}

/* A caller that seeks wants what is there now. */
static loff_t ll_dir_seek(struct file *file, loff_t offset, int whence)
{
	struct ll_dir *ld = file->private_data;
	loff_t pos = generic_file_llseek_size(file, offset, whence, S64_MAX, LL_DIR_END);

	if (pos >= 0 && pos != ld->ldr_pos)
		ld->ldr_len = ld->ldr_at;
	return pos;
}

const struct file_operations ll_dir_operations = {
	.open		= ll_dir_open,
	.release	= ll_dir_release,
	.llseek		= ll_dir_seek,
	.read		= generic_read_dir,
	.iterate_shared	= ll_readdir,
	.unlocked_ioctl	= ll_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.fsync		= ll_fsync,
	.lock		= ll_file_lock,
	.flock		= ll_file_flock,
	.setlease	= compat_nosetlease,
};
