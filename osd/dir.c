// SPDX-License-Identifier: GPL-2.0-only
/*
 * Directories that are read.
 *
 * The file system calls back under i_rwsem, where nothing may be looked up. So names are copied
 * to a buffer, and looked up from there. What the reader did not take stays in the buffer.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs_types.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/libcfs.h>

#include "osd_internal.h"

#define DIR_BUFFER	16384

/**
 * struct osd_entry - a name in the buffer; padded to a multiple of 8 bytes
 * @cookie: where it is
 * @type: DT_*
 * @len: bytes of @name
 * @name: without a NUL
 */
struct osd_entry {
	loff_t	cookie;
	u8	type;
	u8	len;
	char	name[];
};

/**
 * struct osd_dir - an open directory
 * @odr_obj: it; oo_file is open for reading
 * @odr_cookie: where a reader would continue without a seek
 * @odr_end: the cookie after the last entry in the buffer
 * @odr_at: offset of the next entry in the buffer
 * @odr_len: bytes of the buffer in use
 * @od_buffer: entries
 */
struct osd_dir {
	struct osd_object	odr_obj;
	loff_t			odr_cookie;
	loff_t			odr_end;
	u32			odr_at;
	u32			odr_len;
	u8			od_buffer[DIR_BUFFER] __aligned(8);
};

struct osd_dir *osd_dir_open(struct osd_object *obj)
{
	struct path path = osd_object_path(obj);
	struct osd_dir *od;
	struct file *file;
	int rc;

	if (!d_is_dir(obj->oo_dentry))
		return ERR_PTR(-ENOTDIR);
	/* dentry_open() checks none. */
	rc = inode_permission(compat_nop_idmap, d_inode(obj->oo_dentry), MAY_READ);
	if (rc)
		return ERR_PTR(rc);
	od = libcfs_zalloc(sizeof(*od), GFP_KERNEL_ACCOUNT);
	if (!od)
		return ERR_PTR(-ENOMEM);
	file = dentry_open(&path, O_RDONLY | O_DIRECTORY | O_LARGEFILE, current_cred());
	if (IS_ERR(file)) {
		libcfs_free(od, sizeof(*od));
		return ERR_CAST(file);
	}
	osd_object_set(obj->oo_osd, &od->odr_obj, dget(obj->oo_dentry), &obj->oo_fid);
	od->odr_obj.oo_file = file;
	return od;
}
EXPORT_SYMBOL_NS_GPL(osd_dir_open, LUSTRE_LITE);

void osd_dir_close(struct osd_dir *od)
{
	osd_object_fini(&od->odr_obj);
	libcfs_free(od, sizeof(*od));
}
EXPORT_SYMBOL_NS_GPL(osd_dir_close, LUSTRE_LITE);

/**
 * struct osd_filling - a call of iterate_dir()
 * @ctx: what the file system fills
 * @od: directory
 */
struct osd_filling {
	struct dir_context	ctx;
	struct osd_dir		*od;
};

static u32 entry_size(u32 len)
{
	return round_up(sizeof(struct osd_entry) + len, 8);
}

/* Return: false: the buffer is full, the entry comes with the next call */
static bool fill_entry(struct dir_context *ctx, const char *name, int len, loff_t cookie,
		       u64 ino, unsigned int type)
{
	struct osd_dir *od = container_of(ctx, struct osd_filling, ctx)->od;
	struct osd_entry *entry = (struct osd_entry *)(od->od_buffer + od->odr_len);

	if (len > NAME_MAX || od->odr_len + entry_size(len) > DIR_BUFFER)
		return false;
	entry->cookie = cookie;
	entry->type = type;
	entry->len = len;
	memcpy(entry->name, name, len);
	od->odr_len += entry_size(len);
	return true;
}

/* Return: 0, and the buffer is empty at the end of the directory */
static int dir_fill(struct osd_dir *od)
{
	struct osd_filling filling = { .ctx.actor = fill_entry, .od = od };
	struct file *file = od->odr_obj.oo_file;
	int rc;

	od->odr_at = 0;
	od->odr_len = 0;
	rc = iterate_dir(file, &filling.ctx);
	od->odr_end = file->f_pos;
	/* A directory that was removed is empty. */
	if (rc == -ENOENT)
		return 0;
	return rc < 0 ? rc : 0;
}

static int dir_seek(struct osd_dir *od, loff_t cookie)
{
	loff_t rc;

	if (cookie == od->odr_cookie)
		return 0;
	rc = vfs_llseek(od->odr_obj.oo_file, cookie, SEEK_SET);
	if (rc < 0)
		return rc;
	od->odr_at = 0;
	od->odr_len = 0;
	od->odr_cookie = cookie;
	return 0;
}

/* Objects are found as by the server itself: a client may read names and not search them. */
static int entry_find(struct osd_dir *od, struct osd_dirent *ent, struct osd_object *child)
{
	struct osd_device *osd = od->odr_obj.oo_osd;
	const struct cred *old = override_creds(osd->osd_cred);
	int rc = osd_lookup(&od->odr_obj, &ent->ode_name, child);

	revert_creds(old);
	ent->ode_rc = rc;
	ent->ode_obj = rc ? NULL : child;
	ent->ode_fid = child->oo_fid;
	if (!rc)
		ent->ode_type = fs_umode_to_dtype(d_inode(child->oo_dentry)->i_mode);
	return rc == -ENOMEM ? rc : 0;
}

/* "." and "..", and the directories in PENDING, which have no FID and get none. */
static bool is_skipped(const struct osd_dir *od, const struct qstr *name)
{
	const struct osd_object *dir = &od->odr_obj;

	if (dir->oo_dentry == dir->oo_osd->osd_objects && name->len <= OSD_PENDING_NAME)
		return true;
	return name->name[0] == '.' &&
	       (name->len == 1 || (name->len == 2 && name->name[1] == '.'));
}

static int entry_show(struct osd_dir *od, struct osd_dirent *ent,
		      int (*fn)(const struct osd_dirent *ent, void *data), void *data)
{
	struct osd_object child = {};
	int rc;

	if (is_skipped(od, &ent->ode_name))
		return 0;
	rc = entry_find(od, ent, &child);
	if (!rc && ent->ode_rc != -ENOENT)
		rc = fn(ent, data);
	osd_object_fini(&child);
	return rc;
}

/* The next entry in the buffer; the position moves on if it was taken. */
static int entry_next(struct osd_dir *od, int (*fn)(const struct osd_dirent *ent, void *data),
		      void *data)
{
	const struct osd_entry *entry = (const struct osd_entry *)(od->od_buffer + od->odr_at);
	u32 after = od->odr_at + entry_size(entry->len);
	struct osd_dirent ent = {
		.ode_name = QSTR_INIT(entry->name, entry->len),
		.ode_type = entry->type,
		.ode_next = od->odr_end,
	};
	int rc;

	if (after < od->odr_len)
		ent.ode_next = ((const struct osd_entry *)(od->od_buffer + after))->cookie;
	rc = entry_show(od, &ent, fn, data);
	if (rc)
		return rc;
	od->odr_at = after;
	od->odr_cookie = ent.ode_next;
	return 0;
}

int osd_dir_read(struct osd_dir *od, loff_t cookie,
		 int (*fn)(const struct osd_dirent *ent, void *data), void *data)
{
	int rc = dir_seek(od, cookie);

	while (!rc) {
		if (od->odr_at == od->odr_len) {
			rc = dir_fill(od);
			if (rc || !od->odr_len)
				break;
		}
		rc = entry_next(od, fn, data);
	}
	return rc;
}
EXPORT_SYMBOL_NS_GPL(osd_dir_read, LUSTRE_LITE);
