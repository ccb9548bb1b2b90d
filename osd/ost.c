// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects of an OST: O/0/dN/ID, where N is the last five bits of ID.
 *
 * An object comes into being when it is first written. A number without a file, and an empty file
 * that a power cut left without a FID, are both an object that was not written yet.
 */
#define DEBUG_SUBSYSTEM S_OSD

#include <linux/namei.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "osd_internal.h"

#define OST_NAME_MAX	24

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
