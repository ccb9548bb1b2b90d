// SPDX-License-Identifier: GPL-2.0-only
/*
 * Open directories. A position is the server's cookie of what follows. The first ones are the
 * module's own: "." and ".." do not come from the server, and it starts from cookie 0.
 *
 *	position	what follows
 *	0, 1		".", ".."
 *	2		the first entry (cookie 0)
 *	LL_DIR_END	nothing
 *	others		cookie
 */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_ops.h>

#include "dir_cache.h"
#include "llite_inode.h"
#include "stats.h"

/*
 * Bytes that a request asks for: about 650 entries. The first one asks for about 40: what the
 * reader does with these decides about the next ones, see ahead.c.
 */
#define LL_DIR_PAGES	32
#define LL_DIR_PROBE	2
/* Likewise the first names that are cached. */
#define LL_DIR_FEW	40

/**
 * struct ll_dir - an open directory, private_data of struct file
 * @ldr_names: names that it reads, referenced; NULL: none yet
 * @ldr_part: the part of these that it reads
 * @ldr_at: offset in that
 * @ldr_pos: position of what follows
 * @ldr_known: the names were cached
 * @ldr_pause: the reader gets those of @ldr_part before the next request
 *
 * f_pos_lock of the file guards it.
 */
struct ll_dir {
	struct ll_names		*ldr_names;
	struct ll_names_part	*ldr_part;
	u32			ldr_at;
	loff_t			ldr_pos;
	bool			ldr_known;
	bool			ldr_pause;
};

static int ll_dir_open(struct inode *inode, struct file *file)
{
	struct ll_dir *ld = kzalloc(sizeof(*ld), GFP_KERNEL_ACCOUNT);

	file->private_data = ld;
	return ld ? 0 : -ENOMEM;
}

static void dir_end(struct ll_dir *ld)
{
	ll_names_put(ld->ldr_names);
	memset(ld, 0, sizeof(*ld));
}

static int ll_dir_release(struct inode *inode, struct file *file)
{
	struct ll_dir *ld = file->private_data;

	dir_end(ld);
	kfree(ld);
	return 0;
}

/*
 * Permission is the opener's. A directory that was removed has no entries. Return: bytes, or an
 * error
 */
static int entries_ask(struct file *file, struct ll_op *lo, u32 count, void *bytes, unsigned int nr)
{
	struct page *pages[LL_DIR_PAGES];
	struct ll_ahead *la = NULL;
	unsigned int n;
	u32 len;
	int rc;

	for (n = 0; n < nr; n++)
		pages[n] = vmalloc_to_page(bytes + n * PAGE_SIZE);
	if (count)
		la = ll_ahead_new(lo, count, bytes);
	rc = md_readdir(lo->lop_exp, &lo->lop_data, pages, nr, &len);
	if (!rc && la)
		ll_ahead_use(la, file->f_path.dentry, lo, len);
	ll_ahead_free(la);
	if (rc)
		return rc == -ESTALE ? -ENOENT : rc;
	return len;
}

/* Its names go on, or others begin, at @pos. */
static int names_ask(struct file *file, struct ll_op *lo, loff_t pos, u32 count, void *bytes,
		     unsigned int nr)
{
	struct inode *dir = file_inode(file);
	struct ll_dir *ld = file->private_data;
	struct ll_names_part *part;
	int len;

	ll_op_object(lo, dir);
	lo->lop_data.cookie = pos == LL_DIR_FIRST ? 0 : pos;
	if (!ld->ldr_names)
		ld->ldr_names = ll_names_new(dir, pos, lo->lop_content[0]);
	if (!ld->ldr_names)
		return -ENOMEM;
	len = entries_ask(file, lo, count, bytes, nr);
	if (len < 0)
		return len;
	ld->ldr_part = NULL;
	part = ll_names_add(ld->ldr_names, bytes, len);
	if (IS_ERR(part))
		return PTR_ERR(part);
	ld->ldr_part = part;
	ld->ldr_at = 0;
	ld->ldr_pos = pos;
	ld->ldr_pause = count || nr == LL_DIR_PROBE;
	if (ld->ldr_names->nms_end)
		ll_names_cache(dir, ld->ldr_names);
	return 0;
}

static int dir_ask(struct file *file, loff_t pos, u32 count)
{
	unsigned int nr = pos == LL_DIR_FIRST && !count ? LL_DIR_PROBE : LL_DIR_PAGES;
	void *bytes = __vmalloc(nr * PAGE_SIZE, GFP_KERNEL_ACCOUNT);
	struct ll_op *lo;
	int rc;

	if (!bytes)
		return -ENOMEM;
	lo = ll_op_new(file_inode(file)->i_sb, file->f_cred, MDS_READPAGE, 0);
	rc = PTR_ERR_OR_ZERO(lo);
	if (!rc) {
		rc = names_ask(file, lo, pos, count, bytes, nr);
		ll_op_free(lo);
	}
	vfree(bytes);
	return rc;
}

/* It reads the cached names of the directory. Return: false: there are none */
static bool dir_use_known(struct inode *dir, struct ll_dir *ld)
{
	ld->ldr_names = ll_names_known(dir);
	if (!ld->ldr_names)
		return false;
	ld->ldr_part = list_first_entry(&ld->ldr_names->nms_parts, struct ll_names_part, nmp_item);
	ld->ldr_pos = LL_DIR_FIRST;
	ld->ldr_known = true;
	return true;
}

/* From another position on, or for the first time. */
static int dir_begin(struct file *file, loff_t pos)
{
	struct ll_dir *ld = file->private_data;
	struct inode *dir = file_inode(file);
	u32 count = ll_ahead_count(dir);

	dir_end(ld);
	if (pos == LL_DIR_FIRST && !count && dir_use_known(dir, ld))
		return 0;
	return dir_ask(file, pos, count);
}

static bool part_is_last(const struct ll_dir *ld)
{
	return list_is_last(&ld->ldr_part->nmp_item, &ld->ldr_names->nms_parts);
}

/* Return: 1: one was passed on; 0: the caller's buffer is full */
static int name_emit(struct dir_context *ctx, struct ll_dir *ld)
{
	const struct ll_name *name = (const void *)ld->ldr_part->nmp_bytes + ld->ldr_at;

	if (!dir_emit(ctx, name->nme_name, name->nme_len, name->nme_ino, name->nme_type))
		return 0;
	ld->ldr_at += ll_name_size(name->nme_len);
	ld->ldr_pos = name->nme_next;
	ctx->pos = name->nme_next;
	return 1;
}

/*
 * All of its part is read. Return: 1: there is another one; 0: the caller is to read on later, or
 * all was read; negative errno
 */
static int part_next(struct file *file, struct dir_context *ctx, bool passed)
{
	struct ll_dir *ld = file->private_data;

	if (!part_is_last(ld)) {
		ld->ldr_part = list_next_entry(ld->ldr_part, nmp_item);
		ld->ldr_at = 0;
		return 1;
	}
	if (ld->ldr_names->nms_end) {
		ctx->pos = LL_DIR_END;
		return 0;
	}
	if (passed && ld->ldr_pause)
		return 0;
	return dir_ask(file, ctx->pos, ll_ahead_count(file_inode(file))) ?: 1;
}

/* The next name. Return: 1: it was passed on; as part_next() */
static int dir_next(struct file *file, struct dir_context *ctx, bool passed)
{
	struct ll_dir *ld = file->private_data;
	int rc;

	if (!ld->ldr_part || ctx->pos != ld->ldr_pos) {
		rc = dir_begin(file, ctx->pos);
		if (rc)
			return rc;
	}
	while (ld->ldr_at == ld->ldr_part->nmp_len) {
		rc = part_next(file, ctx, passed);
		if (rc <= 0)
			return rc;
	}
	return name_emit(ctx, ld);
}

/*
 * Whether a reader of cached names asks for attributes that are not cached: the next names are
 * asked for, with theirs, if they are the same.
 */
static bool reader_wants_more(struct inode *dir, const struct ll_dir *ld)
{
	return ld->ldr_known && ll_names_are_known(dir, ld->ldr_names) && ll_ahead_count(dir);
}

/* Names are those of the directory when the caller began, as long as it reads on. */
static int ll_readdir(struct file *file, struct dir_context *ctx)
{
	struct ll_dir *ld = file->private_data;
	bool begins = ctx->pos <= LL_DIR_FIRST;
	unsigned int passed = 0;
	int rc;
	LL_DEFINE_TIMED(file_inode(file)->i_sb, LL_STAT_READDIR);

	if (!dir_emit_dots(file, ctx))
		return 0;
	if (!begins && ctx->pos == ld->ldr_pos && reader_wants_more(file_inode(file), ld))
		dir_end(ld);
	while (ctx->pos != LL_DIR_END) {
		rc = dir_next(file, ctx, passed);
		if (rc <= 0)
			return rc;
		passed++;
		if (begins && ld->ldr_known && passed == LL_DIR_FEW)
			return 0;
	}
	return 0;
}

/* A caller that seeks wants what is there now. */
static loff_t ll_dir_seek(struct file *file, loff_t offset, int whence)
{
	struct ll_dir *ld = file->private_data;
	loff_t pos = generic_file_llseek_size(file, offset, whence, S64_MAX, LL_DIR_END);

	if (pos >= 0 && pos != ld->ldr_pos)
		dir_end(ld);
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
