// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects of an OST: O/0/dN/ID, where N is the last five bits of ID. An object comes into being
 * when it is first written. A number without a file, and an empty file that a power cut left
 * without a FID, are both an object that was not written yet.
 *
 * Numbers of objects that were given out, in real Lustre's files: little-endian words of 8 bytes.
 *
 *	OST	O/0/LAST_ID	the highest one
 *	MDT	lov_objid	the highest one of each OST, at 8 times its index
 *
 * An OST that is replaced, or restored from a backup, gets its number back from the MDT.
 */
#define DEBUG_SUBSYSTEM S_OSD

#include <linux/file.h>
#include <linux/namei.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/file.h>

#include "osd_internal.h"

#define OST_NAME_MAX	24
#define LAST_ID		"LAST_ID"
#define LOV_OBJID	"lov_objid"

/**
 * struct ost_name - where an object is
 * @dir: its directory; only osd_object_fini() follows
 * @name: its name in it
 * @text: of @name
 */
struct ost_name {
	struct osd_object	dir;
	struct qstr		name;
	char			text[OST_NAME_MAX];
};

static int ost_name(struct osd_device *osd, u64 id, struct ost_name *on)
{
	static const struct lu_fid none;
	struct dentry *dentry;
	int len;

	if (osd->osd_kind != OSD_KIND_OST)
		return -EINVAL;
	len = snprintf(on->text, sizeof(on->text), "d%llu", id % OSD_OST_DIRS);
	dentry = compat_lookup_unlocked(osd->osd_objects, on->text, len);
	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	osd_object_set(osd, &on->dir, dentry, &none);
	len = snprintf(on->text, sizeof(on->text), "%llu", id);
	on->name = (struct qstr)QSTR_INIT(on->text, len);
	return 0;
}

/* An object without a FID. Return: -ENOENT: it was not written yet; -EIO */
static int lost_check(const struct osd_device *osd, struct dentry *dentry)
{
	if (!i_size_read(d_inode(dentry)))
		return -ENOENT;
	CERROR("%s: object '%pd2' has data and no " XATTR_NAME_LMA ", as in a copy without extended attributes: rc = %d\n",
	       osd->osd_name, dentry, -EIO);
	return -EIO;
}

/* Return: 0; -ENOENT; -EIO: it has data and no FID */
static int ost_find(struct ost_name *on, struct osd_object *obj)
{
	struct dentry *dentry = compat_lookup_unlocked(on->dir.oo_dentry, on->text,
						       on->name.len);
	struct lu_fid fid;
	int rc;

	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	rc = d_is_negative(dentry) ? -ENOENT : osd_lma_read(dentry, &fid);
	if (!rc) {
		osd_object_set(on->dir.oo_osd, obj, dentry, &fid);
		return 0;
	}
	if (rc == -ENODATA)
		rc = lost_check(on->dir.oo_osd, dentry);
	dput(dentry);
	return rc;
}

int osd_ost_lookup(struct osd_device *osd, u64 id, struct osd_object *obj)
{
	const struct cred *old = override_creds(osd->osd_cred);
	struct ost_name on;
	int rc = ost_name(osd, id, &on);

	if (!rc) {
		rc = ost_find(&on, obj);
		osd_object_fini(&on.dir);
	}
	revert_creds(old);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(osd_ost_lookup, LUSTRE_LITE);

int osd_ost_create(struct osd_device *osd, u64 id, const struct osd_create *oc,
		   struct osd_stamp *stamp, struct osd_object *obj)
{
	const struct osd_create file = {
		.ocr_fid = oc->ocr_fid,
		.ocr_mode = S_IFREG | 0666,
		.ocr_flags = OSD_CREATE_REPLAY,
		.ocr_xattrs = oc->ocr_xattrs,
	};
	const struct cred *old = override_creds(osd->osd_cred);
	struct ost_name on;
	int rc = ost_name(osd, id, &on);

	if (!rc) {
		rc = osd_create(&on.dir, &on.name, &file, stamp, obj);
		osd_object_fini(&on.dir);
	}
	revert_creds(old);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(osd_ost_create, LUSTRE_LITE);

static int ost_remove(struct ost_name *on, struct osd_stamp *stamp)
{
	struct osd_object obj;
	int rc = ost_find(on, &obj);

	if (rc)
		return rc;
	rc = osd_unlink(&on->dir, &on->name, &obj, 0, NULL, stamp);
	osd_object_fini(&obj);
	return rc;
}

int osd_ost_destroy(struct osd_device *osd, u64 id, struct osd_stamp *stamp)
{
	const struct cred *old = override_creds(osd->osd_cred);
	struct ost_name on;
	int rc = ost_name(osd, id, &on);

	if (!rc) {
		rc = ost_remove(&on, stamp);
		osd_object_fini(&on.dir);
	}
	revert_creds(old);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(osd_ost_destroy, LUSTRE_LITE);

/* struct numbers - a file: its directory and name */
struct numbers {
	struct path	dir;
	const char	*name;
};

static int numbers_of(struct osd_device *osd, enum osd_kind kind, struct numbers *of)
{
	if (osd->osd_kind != kind)
		return -EINVAL;
	of->dir = osd->osd_path;
	of->name = LOV_OBJID;
	if (kind == OSD_KIND_OST) {
		of->dir.dentry = osd->osd_objects;
		of->name = LAST_ID;
	}
	return 0;
}

static struct file *numbers_open(struct osd_device *osd, const struct numbers *of, int flags)
{
	const struct cred *old = override_creds(osd->osd_cred);
	struct file *file = file_open_root(&of->dir, of->name, flags | O_NOFOLLOW, 0600);

	revert_creds(old);
	return file;
}

static int number_get(struct osd_device *osd, enum osd_kind kind, u32 index, u64 *id)
{
	struct numbers of;
	struct file *file;
	ssize_t len;
	__le64 last;
	int rc = numbers_of(osd, kind, &of);

	*id = 0;
	if (rc)
		return rc;
	file = numbers_open(osd, &of, O_RDONLY);
	if (IS_ERR(file))
		return PTR_ERR(file) == -ENOENT ? 0 : PTR_ERR(file);
	len = libcfs_pread(file, index * sizeof(last), &last, sizeof(last));
	libcfs_file_close(file);
	if (len < 0)
		return len;
	/* A power cut after the create leaves an empty file: no number was given out. */
	if (len && len != sizeof(last))
		return -EUCLEAN;
	*id = len ? le64_to_cpu(last) : 0;
	return 0;
}

static int number_set(struct osd_device *osd, enum osd_kind kind, u32 index, u64 id)
{
	const __le64 last = cpu_to_le64(id);
	struct numbers of;
	struct file *file;
	bool first;
	int rc = numbers_of(osd, kind, &of);

	if (rc)
		return rc;
	file = numbers_open(osd, &of, O_RDWR | O_CREAT);
	if (IS_ERR(file))
		return PTR_ERR(file);
	first = !i_size_read(file_inode(file));
	rc = libcfs_pwrite(file, index * sizeof(last), &last, sizeof(last)) ?:
	     vfs_fsync(file, 0);
	libcfs_file_close(file);
	return rc ?: first ? libcfs_path_sync(&of.dir) : 0;
}

int osd_last_id_get(struct osd_device *osd, u64 *id)
{
	return number_get(osd, OSD_KIND_OST, 0, id);
}
EXPORT_SYMBOL_NS_GPL(osd_last_id_get, LUSTRE_LITE);

int osd_last_id_set(struct osd_device *osd, u64 id)
{
	return number_set(osd, OSD_KIND_OST, 0, id);
}
EXPORT_SYMBOL_NS_GPL(osd_last_id_set, LUSTRE_LITE);

int osd_lov_objid_get(struct osd_device *osd, u32 index, u64 *id)
{
	return number_get(osd, OSD_KIND_MDT, index, id);
}
EXPORT_SYMBOL_NS_GPL(osd_lov_objid_get, LUSTRE_LITE);

int osd_lov_objid_set(struct osd_device *osd, u32 index, u64 id)
{
	return number_set(osd, OSD_KIND_MDT, index, id);
}
EXPORT_SYMBOL_NS_GPL(osd_lov_objid_set, LUSTRE_LITE);
