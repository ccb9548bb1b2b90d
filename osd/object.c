// SPDX-License-Identifier: GPL-2.0-only
/* Objects: from FID and hint to an inode, and back. */
#define DEBUG_SUBSYSTEM S_OSD

#include <linux/exportfs.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/file.h>

#include "osd_internal.h"

void osd_object_set(struct osd_device *osd, struct osd_object *obj, struct dentry *dentry,
		    const struct lu_fid *fid)
{
	obj->oo_osd = osd;
	obj->oo_fid = *fid;
	obj->oo_dentry = dentry;
	obj->oo_file = NULL;
}

struct path osd_object_path(const struct osd_object *obj)
{
	return (struct path){
		.mnt = obj->oo_osd->osd_path.mnt,
		.dentry = obj->oo_dentry,
	};
}

static int any_dentry(void *unused, struct dentry *dentry)
{
	return 1;
}

/*
 * A file may stay disconnected: only its inode matters. A directory is connected to the root,
 * so that a rename sees whether it would become its own parent.
 */
static struct dentry *handle_decode(struct vfsmount *mnt, const struct osd_hint *hint)
{
	u32 words[OSD_HINT_WORDS];
	struct fid *handle = (struct fid *)words;
	struct dentry *dentry;

	if (!hint->oh_type || hint->oh_type == FILEID_INVALID ||
	    !hint->oh_words || hint->oh_words > OSD_HINT_WORDS)
		return ERR_PTR(-ESTALE);
	memcpy(words, hint->oh_word, sizeof(words));
	dentry = exportfs_decode_fh(mnt, handle, hint->oh_words, hint->oh_type, NULL, NULL);
	if (IS_ERR(dentry) || !d_is_dir(dentry) || !(dentry->d_flags & DCACHE_DISCONNECTED))
		return dentry;
	dput(dentry);
	return exportfs_decode_fh(mnt, handle, hint->oh_words, hint->oh_type, any_dentry, NULL);
}

int osd_object_locate(struct osd_device *osd, struct osd_object *obj, const struct lu_fid *fid,
		      const struct osd_hint *hint)
{
	const struct cred *old = override_creds(osd->osd_cred);
	/* A directory is connected by lookups that the client need not be permitted. */
	struct dentry *dentry = handle_decode(osd->osd_path.mnt, hint);
	struct lu_fid found;
	int rc;

	revert_creds(old);
	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	rc = osd_lma_read(dentry, &found);
	if (!rc && lu_fid_eq(&found, fid)) {
		osd_object_set(osd, obj, dentry, fid);
		return 0;
	}
	dput(dentry);
	/* An attribute that cannot be read says nothing about the object. */
	return rc == -EIO || rc == -ENOMEM ? rc : -ESTALE;
}
EXPORT_SYMBOL_NS_GPL(osd_object_locate, LUSTRE_LITE);

int osd_object_root(struct osd_device *osd, struct osd_object *obj)
{
	struct lu_fid fid;
	int rc;

	if (!osd->osd_root)
		return -EINVAL;
	rc = osd_lma_read(osd->osd_root, &fid);
	if (rc)
		return rc;
	osd_object_set(osd, obj, dget(osd->osd_root), &fid);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(osd_object_root, LUSTRE_LITE);

int osd_object_hint(const struct osd_object *obj, struct osd_hint *hint)
{
	int words = OSD_HINT_WORDS, type;

	memset(hint, 0, sizeof(*hint));
	/* No parent in the handle: an object that is renamed keeps its hint. */
	type = exportfs_encode_fh(obj->oo_dentry, (struct fid *)hint->oh_word, &words, 0);
	if (type < 0)
		return type;
	if (!type || type >= FILEID_INVALID || words > OSD_HINT_WORDS)
		return -EOVERFLOW;
	hint->oh_type = type;
	hint->oh_words = words;
	return 0;
}
EXPORT_SYMBOL_NS_GPL(osd_object_hint, LUSTRE_LITE);

void osd_object_move(struct osd_object *to, struct osd_object *from)
{
	*to = *from;
	from->oo_dentry = NULL;
	from->oo_file = NULL;
}
EXPORT_SYMBOL_NS_GPL(osd_object_move, LUSTRE_LITE);

void osd_object_fini(struct osd_object *obj)
{
	if (obj->oo_file)
		libcfs_file_close(obj->oo_file);
	dput(obj->oo_dentry);
	obj->oo_file = NULL;
	obj->oo_dentry = NULL;
}
EXPORT_SYMBOL_NS_GPL(osd_object_fini, LUSTRE_LITE);
