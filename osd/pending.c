// SPDX-License-Identifier: GPL-2.0-only
/*
 * PENDING: objects whose last name was removed while they are open, or while their data is still
 * on other targets.
 *
 * An object gets its name here before it loses the other one. So after a power cut it has a name,
 * or both: osd_pending_walk() then removes the one here, as the removal was not committed. That
 * takes no lock on two directories, and the file system checks the client's permission to remove.
 *
 * Real Lustre has such files, and directories, in PENDING itself, under other names: the walk moves
 * the files to where they would be here, and removes the directories.
 */
#define DEBUG_SUBSYSTEM S_OSD

#include <linux/namei.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "osd_internal.h"

bool osd_pending_wanted(const struct osd_object *obj)
{
	const struct inode *inode = d_inode(obj->oo_dentry);

	return !S_ISDIR(inode->i_mode) && inode->i_nlink == 1;
}

/* Return: the referenced directory of a FID, or an ERR_PTR */
static struct dentry *pending_dir(struct osd_device *osd, const struct lu_fid *fid)
{
	struct dentry *dentry;
	char name[OSD_PENDING_NAME + 1];

	if (osd->osd_kind != OSD_KIND_MDT)
		return ERR_PTR(-EINVAL);
	snprintf(name, sizeof(name), "%x", fid->f_oid % OSD_PENDING_DIRS);
	dentry = compat_lookup_unlocked(osd->osd_objects, name, strlen(name));
	if (IS_ERR(dentry) || d_is_dir(dentry))
		return dentry;
	dput(dentry);
	return ERR_PTR(-ENOENT);
}

static struct dentry *__pending_name(struct dentry *dir, const struct lu_fid *fid)
{
	char text[FID_TEXT_SIZE];

	fid_text(fid, text);
	return compat_lookup(dir, text, strlen(text));
}

/*
 * @obj: to link, or NULL: to remove. An object that is to be linked has one name. If that is the
 * one here, it has none that could be removed.
 */
static int __pending_change(struct dentry *dir, struct dentry *dentry, struct osd_object *obj)
{
	if (!obj)
		return d_is_negative(dentry) ? -ENOENT :
		       vfs_unlink(compat_nop_idmap, d_inode(dir), dentry, NULL);
	if (d_is_positive(dentry))
		return d_inode(dentry) == d_inode(obj->oo_dentry) ? -ENOENT : -EEXIST;
	return vfs_link(obj->oo_dentry, compat_nop_idmap, d_inode(dir), dentry, NULL);
}

static int pending_change(struct osd_device *osd, const struct lu_fid *fid,
			  struct osd_object *obj, struct osd_stamp *stamp)
{
	const struct cred *old = override_creds(osd->osd_cred);
	struct dentry *dir = pending_dir(osd, fid), *dentry;
	int rc = PTR_ERR_OR_ZERO(dir);

	if (rc)
		goto revert;
	osd_lock_parent(dir);
	dentry = __pending_name(dir, fid);
	rc = PTR_ERR_OR_ZERO(dentry) ?: __pending_change(dir, dentry, obj);
	if (!rc)
		osd_stamped(stamp);
	osd_unlock_parent(dir);
	if (!IS_ERR(dentry))
		dput(dentry);
	dput(dir);
revert:
	revert_creds(old);
	return rc;
}

int __osd_pending_add(struct osd_object *obj)
{
	return pending_change(obj->oo_osd, &obj->oo_fid, obj, NULL);
}

/* A link that stays is removed by the walk at start. */
int __osd_pending_undo(struct osd_object *obj, int rc)
{
	pending_change(obj->oo_osd, &obj->oo_fid, NULL, NULL);
	return rc;
}

int osd_pending_destroy(struct osd_device *osd, const struct lu_fid *fid,
			struct osd_stamp *stamp)
{
	int rc = osd_want_write(osd);

	if (rc)
		return rc;
	rc = pending_change(osd, fid, NULL, stamp);
	osd_drop_write(osd);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(osd_pending_destroy, LUSTRE_LITE);

/* PENDING belongs to root, and so does what is created there. */
static int owner_set(struct osd_object *obj, const struct cred *cred)
{
	struct iattr attr = {
		.ia_valid = ATTR_UID | ATTR_GID,
		.ia_uid = cred->fsuid,
		.ia_gid = cred->fsgid,
	};

	return osd_setattr(obj, &attr, NULL);
}

int osd_pending_create(struct osd_device *osd, const struct osd_create *oc,
		       struct osd_stamp *stamp, struct osd_object *child)
{
	const struct cred *client = current_cred(), *old = override_creds(osd->osd_cred);
	struct dentry *dentry = pending_dir(osd, &oc->ocr_fid);
	char text[FID_TEXT_SIZE];
	struct osd_object dir;
	struct qstr name;
	int rc = PTR_ERR_OR_ZERO(dentry);

	child->oo_dentry = NULL;
	if (!rc) {
		fid_text(&oc->ocr_fid, text);
		name = (struct qstr)QSTR_INIT(text, strlen(text));
		osd_object_set(osd, &dir, dentry, &oc->ocr_fid);
		rc = osd_create(&dir, &name, oc, stamp, child);
		osd_object_fini(&dir);
		if (!rc)
			rc = owner_set(child, client);
		if (rc && rc != -EEXIST && child->oo_dentry) {
			osd_pending_destroy(osd, &oc->ocr_fid, NULL);
			osd_object_fini(child);
		}
	}
	revert_creds(old);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(osd_pending_create, LUSTRE_LITE);

/**
 * struct osd_pending_walk - a walk
 * @osd: device
 * @fn: callback
 * @data: its argument
 */
struct osd_pending_walk {
	struct osd_device	*osd;
	int			(*fn)(struct osd_object *obj, void *data);
	void			*data;
};

/*
 * Whether it has its name from its FID. A power cut in osd_pending_create() leaves one that had
 * none: the client creates it again.
 */
static bool is_complete(const struct osd_dirent *ent)
{
	char text[FID_TEXT_SIZE];

	fid_text(&ent->ode_obj->oo_fid, text);
	return ent->ode_name.len == strlen(text) &&
	       !memcmp(ent->ode_name.name, text, ent->ode_name.len);
}

static int entry_remove(struct osd_device *osd, struct dentry *dentry)
{
	struct dentry *dir = dget_parent(dentry);
	int rc = osd_want_write(osd);

	if (!rc) {
		osd_lock_parent(dir);
		rc = d_is_dir(dentry) ? compat_rmdir(d_inode(dir), dentry) :
					vfs_unlink(compat_nop_idmap, d_inode(dir), dentry, NULL);
		osd_unlock_parent(dir);
		osd_drop_write(osd);
	}
	dput(dir);
	return rc;
}

static int pending_show(const struct osd_dirent *ent, void *data)
{
	const struct osd_pending_walk *walk = data;
	const struct inode *inode;

	if (!ent->ode_obj) {
		CERROR("%s: PENDING: '%.*s' is skipped: rc = %d\n", walk->osd->osd_name,
		       ent->ode_name.len, ent->ode_name.name, ent->ode_rc);
		return 0;
	}
	inode = d_inode(ent->ode_obj->oo_dentry);
	if (!S_ISDIR(inode->i_mode) && (inode->i_nlink > 1 || !is_complete(ent)))
		return entry_remove(walk->osd, ent->ode_obj->oo_dentry);
	return walk->fn(ent->ode_obj, walk->data);
}

/*
 * A file without another name gets the one that it would have here. Return: 0 or a negative errno
 */
static int foreign_link(struct osd_object *obj)
{
	int rc;

	if (d_is_dir(obj->oo_dentry) || d_inode(obj->oo_dentry)->i_nlink > 1)
		return 0;
	rc = osd_want_write(obj->oo_osd);
	if (rc)
		return rc;
	rc = __osd_pending_add(obj);
	osd_drop_write(obj->oo_osd);
	return rc;
}

/* An entry of PENDING itself but for the directories of pending_dir(): one of real Lustre. */
static int foreign_show(const struct osd_dirent *ent, void *data)
{
	const struct osd_pending_walk *walk = data;
	int rc = ent->ode_rc;

	if (ent->ode_obj)
		rc = foreign_link(ent->ode_obj) ?:
		     entry_remove(walk->osd, ent->ode_obj->oo_dentry);
	if (rc)
		CERROR("%s: PENDING: '%.*s' of real Lustre stays there: rc = %d\n",
		       walk->osd->osd_name, ent->ode_name.len, ent->ode_name.name, rc);
	return 0;
}

/* @dentry: referenced, which this drops */
static int pending_walk_dir(struct osd_pending_walk *walk, struct dentry *dentry,
			    int (*show)(const struct osd_dirent *ent, void *data))
{
	static const struct lu_fid none;
	struct osd_object dir;
	struct osd_dir *od;
	int rc;

	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	osd_object_set(walk->osd, &dir, dentry, &none);
	od = osd_dir_open(&dir);
	rc = PTR_ERR_OR_ZERO(od);
	if (!rc) {
		rc = osd_dir_read(od, 0, show, walk);
		osd_dir_close(od);
	}
	osd_object_fini(&dir);
	return rc;
}

int osd_pending_walk(struct osd_device *osd, int (*fn)(struct osd_object *obj, void *data),
		     void *data)
{
	struct osd_pending_walk walk = { .osd = osd, .fn = fn, .data = data };
	const struct cred *old = override_creds(osd->osd_cred);
	struct lu_fid fid = {};
	int rc = pending_walk_dir(&walk, dget(osd->osd_objects), foreign_show);

	for (; fid.f_oid < OSD_PENDING_DIRS && !rc; fid.f_oid++)
		rc = pending_walk_dir(&walk, pending_dir(osd, &fid), pending_show);
	revert_creds(old);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(osd_pending_walk, LUSTRE_LITE);
