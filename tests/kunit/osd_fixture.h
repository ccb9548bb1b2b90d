/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fixture of the osd suites: fixture.h, and a device over an empty directory: the root of a tmpfs
 * of the case, or, with the module parameter "dir", a new directory in that one. When a case has
 * ended, its tmpfs must go.
 */
#ifndef _KUNIT_OSD_FIXTURE_H
#define _KUNIT_OSD_FIXTURE_H

#include <linux/cred.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/stat.h>
#include <linux/xattr.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_why.h>
#include <lustre_lite/osd.h>

#include "fixture.h"

#define OT_FS		"tmpfs"
#define OT_NAME		"kunit-MDT0000"
#define OT_PATH_MAX	128
#define OT_SEQ		FID_SEQ_NORMAL

static char *ot_dir = "";
module_param_named(dir, ot_dir, charp, 0444);
MODULE_PARM_DESC(dir, "directory for the directories of the cases (default: a tmpfs for each)");

static struct {
	struct vfsmount		*mnt;
	struct path		top;
	struct osd_device	*osd;
	struct osd_object	root;
	struct obd_why		why;
	u32			stamps;
	u32			next_oid;
} ot;

/* The directory of the device, without a reference. */
static inline struct path ot_path(void)
{
	return ot.top;
}

/* Whether the case has a tmpfs of its own. */
static inline bool ot_is_tmpfs(void)
{
	return !*ot_dir;
}

static inline int ot_open(enum osd_kind kind)
{
	ot.osd = osd_device_open(&ot.top, kind, OT_NAME, &ot.why);
	if (IS_ERR(ot.osd))
		return PTR_ERR(ot.osd);
	return kind == OSD_KIND_MDT ? osd_object_root(ot.osd, &ot.root) : 0;
}

static inline void ot_close(void)
{
	osd_object_fini(&ot.root);
	if (!IS_ERR_OR_NULL(ot.osd))
		osd_device_close(ot.osd);
	ot.osd = NULL;
}

/* A tmpfs. @options: of the mount, or NULL */
static inline int ot_mount(char *options)
{
	struct file_system_type *type = get_fs_type(OT_FS);

	if (!type)
		return -ENODEV;
	ot.mnt = vfs_kern_mount(type, SB_KERNMOUNT, OT_FS, options);
	module_put(type->owner);
	if (IS_ERR(ot.mnt))
		return PTR_ERR(ot.mnt);
	ot.top = (struct path){ .mnt = mntget(ot.mnt), .dentry = dget(ot.mnt->mnt_root) };
	return 0;
}

static inline void ot_umount(void)
{
	path_put(&ot.top);
	ot.top = (struct path){};
	/* The last reference of a file may be put by a work of its own. */
	flush_delayed_fput();
	if (!IS_ERR_OR_NULL(ot.mnt))
		kern_unmount(ot.mnt);
	ot.mnt = NULL;
}

/* Names of the backend that osd does not make: a plain file or directory. */
static inline int ot_plain_in(const struct path *parent, const char *text, umode_t mode)
{
	struct inode *inode = d_inode(parent->dentry);
	struct dentry *dentry;
	int rc = mnt_want_write(parent->mnt);

	if (rc)
		return rc;
	inode_lock(inode);
	dentry = compat_lookup(parent->dentry, text, strlen(text));
	rc = PTR_ERR_OR_ZERO(dentry);
	if (!rc) {
		rc = S_ISDIR(mode) ? compat_mkdir(compat_nop_idmap, inode, dentry, mode) :
				     compat_create(inode, dentry, mode);
		dput(dentry);
	}
	inode_unlock(inode);
	mnt_drop_write(parent->mnt);
	return rc;
}

static inline void ot_plain(struct kunit *test, struct osd_object *parent, const char *text,
			    umode_t mode)
{
	const struct path path = { .mnt = ot.top.mnt, .dentry = parent->oo_dentry };

	KUNIT_EXPECT_EQ(test, ot_plain_in(&path, text, mode), 0);
}

/* A new directory of the case in the directory that the module parameter names. */
static inline int ot_subdir(void)
{
	static unsigned int number;
	char name[OT_PATH_MAX];
	struct path parent;
	int rc;

	rc = kern_path(ot_dir, LOOKUP_FOLLOW | LOOKUP_DIRECTORY, &parent);
	if (rc)
		return rc;
	snprintf(name, sizeof(name), KBUILD_MODNAME "-%u", ++number);
	rc = ot_plain_in(&parent, name, S_IFDIR | 0755);
	path_put(&parent);
	if (rc)
		return rc;
	snprintf(name, sizeof(name), "%s/" KBUILD_MODNAME "-%u", ot_dir, number);
	return kern_path(name, LOOKUP_DIRECTORY, &ot.top);
}

static inline int ot_init(struct kunit *test)
{
	int rc = fixture_init(test) ?: osd_thread_start();

	memset(&ot, 0, sizeof(ot));
	return rc ?: (ot_is_tmpfs() ? ot_mount(NULL) : ot_subdir()) ?: ot_open(OSD_KIND_MDT);
}

static inline void ot_exit(struct kunit *test)
{
	ot_close();
	ot_umount();
	fixture_exit(test);
}

static inline void ot_reopen(struct kunit *test)
{
	ot_close();
	KUNIT_ASSERT_EQ(test, ot_open(OSD_KIND_MDT), 0);
}

static inline struct lu_fid ot_fid(void)
{
	return (struct lu_fid){ .f_seq = OT_SEQ, .f_oid = ++ot.next_oid };
}

static inline bool ot_fid_is(const struct osd_object *obj, const struct lu_fid *fid)
{
	return !memcmp(&obj->oo_fid, fid, sizeof(*fid));
}

static inline void ot_stamp(struct osd_stamp *stamp)
{
	ot.stamps++;
}

static struct osd_stamp ot_counted = { .osp_fn = ot_stamp };

static inline int ot_make(struct osd_object *dir, const char *text, umode_t mode,
			  struct osd_object *child)
{
	const struct qstr name = QSTR_INIT(text, strlen(text));
	const struct osd_create oc = { .ocr_fid = ot_fid(), .ocr_mode = mode,
				      .ocr_link = "target" };

	return osd_create(dir, &name, &oc, &ot_counted, child);
}

static inline int ot_look(struct osd_object *dir, const char *text, struct osd_object *child)
{
	const struct qstr name = QSTR_INIT(text, strlen(text));

	return osd_lookup(dir, &name, child);
}

/* errno of a lookup. */
static inline int ot_find(struct osd_object *dir, const char *text)
{
	struct osd_object child;
	int rc = ot_look(dir, text, &child);

	if (!rc)
		osd_object_fini(&child);
	return rc;
}

/* A new object that the case does not look at. */
static inline void ot_new(struct kunit *test, struct osd_object *dir, const char *text,
			  umode_t mode)
{
	struct osd_object child;

	KUNIT_ASSERT_EQ(test, ot_make(dir, text, mode, &child), 0);
	osd_object_fini(&child);
}

/* Run as a user: a task of user space without capabilities. */
static inline const struct cred *ot_become(struct kunit *test, u32 uid)
{
	const struct osd_ident id = { .oid_uid = uid, .oid_gid = uid };
	const struct cred *cred = osd_cred_get(ot.osd, &id), *old;

	KUNIT_ASSERT_FALSE(test, IS_ERR(cred));
	old = override_creds(cred);
	put_cred(cred);
	return old;
}

#endif /* _KUNIT_OSD_FIXTURE_H */
