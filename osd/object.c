// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects: the FID of an inode, in its trusted.lma; from FID and hint to an inode, and back; the
 * path of a directory, which is connected to the root once it was located.
 */
#define DEBUG_SUBSYSTEM S_OSD

#include <linux/err.h>
#include <linux/exportfs.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/xattr.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/file.h>

#include "osd_internal.h"

/* Flags of objects that are served; the layout and the parent are not a matter of this module. */
#define LMAI_SERVED	(LMAI_RELEASED | LMAI_REMOTE_PARENT | LMAI_STRIPED | LMAI_ORPHAN)

/* Return: 0; -ENODATA: there is none; as osd_lookup() */
int osd_lma_read(struct dentry *dentry, struct lu_fid *fid)
{
	u8 value[sizeof(struct lustre_ost_attrs)];
	ssize_t len = __vfs_getxattr(dentry, d_inode(dentry), XATTR_NAME_LMA, value, sizeof(value));
	struct lustre_lma lma;
	const char *fault;

	if (len < 0 && len != -ERANGE)
		return len;
	fault = lustre_lma_decode(value, len < 0 ? 0 : len, &lma);
	if (fault) {
		CERROR("'%pd' on %s: " XATTR_NAME_LMA ": %s; remove the attribute if the object is to get a new FID\n",
		       dentry, d_inode(dentry)->i_sb->s_id, fault);
		return -EUCLEAN;
	}
	*fid = lma.self;
	if (lma.incompat & LMAI_AGENT)
		return -EREMOTE;
	if (!(lma.incompat & ~LMAI_SERVED))
		return 0;
	CWARN("'%pd' on %s: " XATTR_NAME_LMA ": flags %#x are not served%s: rc = %d\n", dentry,
	      d_inode(dentry)->i_sb->s_id, lma.incompat & ~LMAI_SERVED,
	      lma.incompat & LMAI_ENCRYPT ? " (it is encrypted by a client)" : "", -EOPNOTSUPP);
	return -EOPNOTSUPP;
}

int __osd_lma_write(struct dentry *dentry, const struct lu_fid *fid, u32 compat)
{
	const struct lustre_lma lma = { .compat = compat, .self = *fid };
	u8 value[LUSTRE_LMA_SIZE];

	lustre_lma_encode(value, &lma);
	osd_step(dentry);
	return __vfs_setxattr(compat_nop_idmap, dentry, d_inode(dentry), XATTR_NAME_LMA, value,
			      sizeof(value), 0);
}

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

/* Whether the client may search each directory above @dir. */
static int above_check(const struct osd_object *dir)
{
	struct dentry *at = dget(dir->oo_dentry), *up;
	int rc = 0;

	while (!rc && at != dir->oo_osd->osd_root) {
		if (IS_ROOT(at)) {
			rc = -ESTALE;
			break;
		}
		up = dget_parent(at);
		dput(at);
		at = up;
		rc = inode_permission(compat_nop_idmap, d_inode(at), MAY_EXEC);
	}
	dput(at);
	return rc;
}

/* Bytes of the path of the root in its file system, or a negative errno. */
static ssize_t root_length(struct osd_device *osd)
{
	char *buf = kmalloc(PATH_MAX, GFP_KERNEL), *path;
	ssize_t len;

	if (!buf)
		return -ENOMEM;
	path = dentry_path_raw(osd->osd_root, buf, PATH_MAX);
	len = IS_ERR(path) ? PTR_ERR(path) : strlen(path);
	kfree(buf);
	return len;
}

/* Whether a directory has a path that the client may know. */
static int path_check(const struct osd_object *dir)
{
	if (!d_is_dir(dir->oo_dentry))
		return -ENOTDIR;
	if (!dir->oo_osd->osd_root)
		return -ESTALE;
	return d_unlinked(dir->oo_dentry) ? -ENOENT : above_check(dir);
}

char *osd_dir_path(const struct osd_object *dir, char *buf, size_t size)
{
	ssize_t root;
	char *path;
	int rc = path_check(dir);

	if (rc)
		return ERR_PTR(rc);
	root = root_length(dir->oo_osd);
	if (root < 0)
		return ERR_PTR(root);
	path = dentry_path_raw(dir->oo_dentry, buf, size);
	if (IS_ERR(path))
		return path;
	/* The root of the tree is never the root of its file system, nor renamed. */
	path += root;
	if (path > buf + size - 1 || (*path && *path != '/'))
		return ERR_PTR(-ESTALE);
	return *path ? path + 1 : path;
}
EXPORT_SYMBOL_NS_GPL(osd_dir_path, LUSTRE_LITE);
