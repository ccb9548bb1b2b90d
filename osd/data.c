// SPDX-License-Identifier: GPL-2.0-only
/*
 * Data of objects. A file is opened once, and stays open as long as its object is located: its
 * read-ahead goes on from one request to the next.
 */
#include <linux/err.h>
#include <linux/fadvise.h>
#include <linux/falloc.h>
#include <linux/fiemap.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/splice.h>
#include <linux/uio.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/file.h>

#include "osd_internal.h"

/* The longest range that is looked at block by block. */
#define HOLES_MAX	SZ_16M

static struct file *file_open(const struct osd_object *obj)
{
	struct path path = osd_object_path(obj);

	if (!d_is_reg(obj->oo_dentry))
		return ERR_PTR(d_is_dir(obj->oo_dentry) ? -EISDIR : -EINVAL);
	return dentry_open(&path, O_RDWR | O_LARGEFILE, obj->oo_osd->osd_cred);
}

/* Tasks may open it at the same time: the first one wins. */
static struct file *object_file(struct osd_object *obj)
{
	struct file *file = READ_ONCE(obj->oo_file), *first;

	if (file)
		return file;
	file = file_open(obj);
	if (IS_ERR(file))
		return file;
	first = cmpxchg(&obj->oo_file, NULL, file);
	if (!first)
		return file;
	libcfs_file_close(file);
	return first;
}

/* The parts of a read so far, and how many there may be. */
struct osd_read_parts {
	struct bio_vec	*vec;
	unsigned int	nr;
	unsigned int	max;
};

/* A splice_actor: one part. Return: its bytes; -ENOSPC */
static int part_take(struct pipe_inode_info *pipe, struct pipe_buffer *buf, struct splice_desc *sd)
{
	struct osd_read_parts *parts = sd->u.data;

	if (parts->nr == parts->max)
		return -ENOSPC;
	get_page(buf->page);
	bvec_set_page(&parts->vec[parts->nr++], buf->page, sd->len, buf->offset);
	return sd->len;
}

static int parts_take(struct pipe_inode_info *pipe, struct splice_desc *sd)
{
	return __splice_from_pipe(pipe, sd, part_take);
}

/*
 * Have the disk read all bytes at once. The read-ahead of the file is left for small reads: large
 * ones of one file run side by side, and it would follow none of them.
 */
static void read_start(struct file *file, loff_t pos, size_t len)
{
	if (len >> PAGE_SHIFT > file->f_ra.ra_pages)
		vfs_fadvise(file, pos, len, POSIX_FADV_WILLNEED);
}

ssize_t osd_read(struct osd_object *obj, loff_t pos, size_t len, struct bio_vec *vec,
		 unsigned int *nr)
{
	struct osd_read_parts parts = { .vec = vec, .max = OSD_READ_PARTS(pos, len) };
	struct file *file = object_file(obj);
	size_t done = 0;
	ssize_t rc;

	if (IS_ERR(file))
		return PTR_ERR(file);
	read_start(file, pos, len);
	do {
		struct splice_desc sd = {
			.total_len = len - done,
			.pos = pos + done,
			.u.data = &parts,
		};

		rc = splice_direct_to_actor(file, &sd, parts_take);
		if (rc > 0)
			done += rc;
	} while (rc > 0 && done < len);
	*nr = parts.nr;
	return rc < 0 ? rc : done;
}
EXPORT_SYMBOL_NS_GPL(osd_read, LUSTRE_LITE);

int osd_write(struct osd_object *obj, struct iov_iter *iter, loff_t pos)
{
	struct file *file = object_file(obj);
	ssize_t rc;

	if (IS_ERR(file))
		return PTR_ERR(file);
	while (iov_iter_count(iter)) {
		rc = compat_iter_write(file, iter, &pos);
		if (rc <= 0)
			return rc ?: -EIO;
	}
	return 0;
}
EXPORT_SYMBOL_NS_GPL(osd_write, LUSTRE_LITE);

int osd_fallocate(struct osd_object *obj, int mode, loff_t pos, loff_t len)
{
	struct file *file = object_file(obj);
	loff_t most;

	if (IS_ERR(file))
		return PTR_ERR(file);
	most = file_inode(file)->i_sb->s_maxbytes;
	if (mode & FALLOC_FL_PUNCH_HOLE) {
		if (pos >= most)
			return 0;
		len = min(len, most - pos);
	}
	return vfs_fallocate(file, mode, pos, len);
}
EXPORT_SYMBOL_NS_GPL(osd_fallocate, LUSTRE_LITE);

u64 osd_size_max(const struct osd_device *osd)
{
	return osd->osd_path.dentry->d_sb->s_maxbytes;
}
EXPORT_SYMBOL_NS_GPL(osd_size_max, LUSTRE_LITE);

/* Whether a block has no space: data that the backend writes later has some. */
static bool is_hole(struct inode *inode, u64 pos, u64 len)
{
	struct fiemap_extent_info found = {};

	return !inode->i_op->fiemap(inode, &found, pos, len) && !found.fi_extents_mapped;
}

static u64 holes_by_size(const struct osd_object *obj, loff_t pos, loff_t len)
{
	u64 space = d_inode(obj->oo_dentry)->i_blocks << 9;
	u64 end = (u64)pos + len;

	return end > space ? min_t(u64, end - space, len) : 0;
}

u64 osd_holes(struct osd_object *obj, loff_t pos, loff_t len)
{
	struct inode *inode = d_inode(obj->oo_dentry);
	u64 block = i_blocksize(inode), at, holes = 0;

	if (!inode->i_op->fiemap || len > HOLES_MAX)
		return holes_by_size(obj, pos, len);
	for (at = round_down((u64)pos, block); at < (u64)pos + len; at += block) {
		if (is_hole(inode, at, block))
			holes += block;
	}
	return holes;
}
EXPORT_SYMBOL_NS_GPL(osd_holes, LUSTRE_LITE);

/* The position that the open file keeps of it has no users. */
loff_t osd_seek(struct osd_object *obj, bool hole, loff_t pos)
{
	struct file *file = object_file(obj);
	loff_t found;

	if (IS_ERR(file))
		return PTR_ERR(file);
	found = vfs_llseek(file, pos, hole ? SEEK_HOLE : SEEK_DATA);
	/*
	 * ext4 with blocks smaller than pages: the hole after an unwritten block may be called
	 * data.
	 */
	if (!hole && found >= 0 && vfs_llseek(file, found, SEEK_HOLE) == found)
		found = vfs_llseek(file, found + 1, SEEK_DATA);
	return found;
}
EXPORT_SYMBOL_NS_GPL(osd_seek, LUSTRE_LITE);
