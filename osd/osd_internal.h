/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Internals of osd.ko.
 *
 * Locks, outermost first: i_rwsem of a parent (I_MUTEX_PARENT), i_rwsem of a child, osd_lock.
 */
#ifndef _OSD_INTERNAL_H
#define _OSD_INTERNAL_H

#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/mount.h>
#include <linux/path.h>
#include <linux/spinlock.h>

#include <lustre_lite/fail.h>
#include <lustre_lite/lustre_ea.h>
#include <lustre_lite/osd.h>

/* For fail_loc: between two steps of a change, the file system commits its journal. */
#define OSD_FAIL_STEP		0x1f0

#define OSD_NAME_MAX		64
#define OSD_CRED_BITS		6
#define OSD_PENDING_DIRS	32
/* Characters of the longest of their names. */
#define OSD_PENDING_NAME	2
#define OSD_OST_DIRS		32

/**
 * struct osd_device - the directory of a target
 * @osd_name: name of the target
 * @osd_kind: what it is for
 * @osd_path: its directory, referenced
 * @osd_cred: credentials of the kernel, referenced
 * @osd_root: MDT: ROOT, referenced
 * @osd_objects: MDT: PENDING; OST: O/0; referenced
 * @osd_durable: a power cut leaves what was committed
 * @osd_wb_err: errors of writeback that the last commit has seen
 * @osd_lock: guards @osd_creds, @osd_cred_lru and @osd_nr_creds
 * @osd_creds: identities by hash
 * @osd_cred_lru: the same, most recently used first
 * @osd_nr_creds: their number
 */
struct osd_device {
	char			osd_name[OSD_NAME_MAX];
	enum osd_kind		osd_kind;
	struct path		osd_path;
	const struct cred	*osd_cred;
	struct dentry		*osd_root;
	struct dentry		*osd_objects;
	bool			osd_durable;
	errseq_t		osd_wb_err;
	spinlock_t		osd_lock;
	DECLARE_HASHTABLE(osd_creds, OSD_CRED_BITS);
	struct list_head	osd_cred_lru;
	u32			osd_nr_creds;
};

/* cred.c */
const struct cred *osd_cred_kernel(void);
void osd_creds_drop(struct osd_device *osd);

/* object.c */
/* The FID in trusted.lma. */
int osd_lma_read(struct dentry *dentry, struct lu_fid *fid);
/* i_rwsem of the inode is held, and write access to the mount. @compat: LMAC_* */
int __osd_lma_write(struct dentry *dentry, const struct lu_fid *fid, u32 compat);
/* @dentry: its reference becomes the object's. */
void osd_object_set(struct osd_device *osd, struct osd_object *obj, struct dentry *dentry,
		    const struct lu_fid *fid);
struct path osd_object_path(const struct osd_object *obj);

/* pending.c: write access to the mount is held, and no i_rwsem. */
bool osd_pending_wanted(const struct osd_object *obj);
int __osd_pending_add(struct osd_object *obj);
/* Return: @rc, the error that makes it necessary */
int __osd_pending_undo(struct osd_object *obj, int rc);

/* attr.c: i_rwsem of the inode is held, and write access to the mount. */
int __osd_ea_set(struct dentry *dentry, const struct osd_xattrs *xattrs);

/* Write access to the mount; waits while the file system is frozen. */
static inline int osd_want_write(struct osd_device *osd)
{
	return mnt_want_write(osd->osd_path.mnt);
}

static inline void osd_drop_write(struct osd_device *osd)
{
	mnt_drop_write(osd->osd_path.mnt);
}

static inline void osd_stamped(struct osd_stamp *stamp)
{
	if (stamp)
		stamp->osp_fn(stamp);
}

/*
 * Two steps of a change follow each other, here. So a test has every state in the journal that a
 * power cut may leave. The write access to the mount keeps the file system mounted.
 */
static inline void osd_step(const struct dentry *dentry)
{
	struct super_block *sb = dentry->d_sb;

	if (!CFS_FAIL_CHECK(OSD_FAIL_STEP) || !sb->s_op->sync_fs)
		return;
	/* Locks of inodes are held, which s_umount comes before. */
	if (down_read_trylock(&sb->s_umount)) {
		sb->s_op->sync_fs(sb, 1);
		up_read(&sb->s_umount);
	}
}

/* A change of the object's inode: write access to the mount, then i_rwsem. */
static inline int osd_change_begin(struct osd_object *obj)
{
	int rc = osd_want_write(obj->oo_osd);

	if (!rc)
		inode_lock(d_inode(obj->oo_dentry));
	return rc;
}

/* @rc: its result, which is returned */
static inline int osd_change_end(struct osd_object *obj, int rc, struct osd_stamp *stamp)
{
	if (!rc)
		osd_stamped(stamp);
	inode_unlock(d_inode(obj->oo_dentry));
	osd_drop_write(obj->oo_osd);
	return rc;
}

static inline void osd_lock_parent(struct dentry *dir)
{
	inode_lock_nested(d_inode(dir), I_MUTEX_PARENT);
}

static inline void osd_unlock_parent(struct dentry *dir)
{
	inode_unlock(d_inode(dir));
}

#endif /* _OSD_INTERNAL_H */
