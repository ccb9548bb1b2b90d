// SPDX-License-Identifier: GPL-2.0-only
/*
 * Numbers of objects that were given out, in real Lustre's files: little-endian words of 8 bytes.
 *
 *	OST	O/0/LAST_ID	the highest one
 *	MDT	lov_objid	the highest one of each OST, at 8 times its index
 *
 * An OST that is replaced, or restored from a backup, gets its number back from the MDT.
 */
#include <linux/file.h>
#include <linux/namei.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/file.h>

#include "osd_internal.h"

#define LAST_ID		"LAST_ID"
#define LOV_OBJID	"lov_objid"

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
