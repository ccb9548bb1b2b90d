// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects in memory, and their files. The layers of an object are osd, which has found its file if
 * there is one, and ofd.
 *
 * The file of an object stays open while the object is here, also when no call uses it, so that the
 * backend's read-ahead goes on from one request to the next. Destroying an object frees its space
 * when its last user is gone.
 */
#define DEBUG_SUBSYSTEM S_FILTER

#include <linux/err.h>
#include <linux/module.h>
#include <linux/stat.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/params.h>

#include "ofd_internal.h"

/* Most objects that no call uses. Each pins an inode and an open file of the backend. */
#define OFD_CACHED_MAX	4096
/* Seconds that the end of the device waits for its objects: nothing uses them. */
#define DRAIN_SEC	60

static int osd_init(struct lu_object *lu, void *arg)
{
	struct ofd_object *obj = ofd_object(lu);
	struct ofd_device *ofd = arg;
	char text[FID_TEXT_SIZE];
	int rc = osd_ost_lookup(ofd->ofd_osd, fid_idif_object(&lu->lo_fid), &obj->fo_osd);

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	obj->fo_exists = true;
	if (lu_fid_eq(&obj->fo_osd.oo_fid, &lu->lo_fid))
		return 0;
	CERROR("%s: the file of object %llu has the FID [%s]: rc = %d\n",
	       ofd->ofd_dir.td_obd->obd_name, fid_idif_object(&lu->lo_fid),
	       fid_text(&obj->fo_osd.oo_fid, text), -EIO);
	osd_object_fini(&obj->fo_osd);
	return -EIO;
}

static void osd_free(struct lu_object *lu)
{
	osd_object_fini(&ofd_object(lu)->fo_osd);
}

static const struct lu_object_ops osd_layer = {
	.loo_init	= osd_init,
	.loo_free	= osd_free,
};

static int object_init(struct lu_object *lu, void *arg)
{
	mutex_init(&ofd_object(lu)->fo_lock);
	return 0;
}

static void object_print(const struct lu_object *lu, struct params_sink *sink)
{
	params_put_bool(sink, "exists", ofd_object_exists(ofd_object(lu)));
}

static const struct lu_object_ops ofd_layer = {
	.loo_init	= object_init,
	.loo_print	= object_print,
};

static const struct lu_object_ops *const ofd_layers[] = { &osd_layer, &ofd_layer };

static const struct lu_site_type ofd_site_type = {
	.lst_size		= sizeof(struct ofd_object),
	.lst_layers		= ofd_layers,
	.lst_layer_count	= ARRAY_SIZE(ofd_layers),
	.lst_cached		= OFD_CACHED_MAX,
	.lst_owner		= THIS_MODULE,
};

int ofd_objects_init(struct ofd_device *ofd)
{
	struct lu_site *site = lu_site_new(&ofd_site_type, ofd->ofd_dir.td_obd->obd_name);

	if (IS_ERR(site))
		return PTR_ERR(site);
	ofd->ofd_site = site;
	return 0;
}

void ofd_objects_fini(struct ofd_device *ofd)
{
	lu_site_stop(ofd->ofd_site);
	lu_site_drain(ofd->ofd_site, DRAIN_SEC);
	lu_site_put(ofd->ofd_site);
	ofd->ofd_site = NULL;
}

struct ofd_object *ofd_object_find(struct ofd_device *ofd, const struct lu_fid *fid)
{
	struct lu_object *lu;

	if (fid_idif_ost(fid) != ofd->ofd_dir.td_index)
		return ERR_PTR(-EINVAL);
	lu = lu_object_find(ofd->ofd_site, fid, ofd, LU_HOLDER_CALL);
	return IS_ERR(lu) ? ERR_CAST(lu) : ofd_object(lu);
}

struct ofd_object *ofd_object_find_there(struct ofd_device *ofd, const struct lu_fid *fid)
{
	struct ofd_object *obj = ofd_object_find(ofd, fid);

	if (IS_ERR(obj) || ofd_object_exists(obj) || !ofd_id_is_gone(ofd, fid_idif_object(fid)))
		return obj;
	ofd_object_put(obj);
	return ERR_PTR(-ESTALE);
}

void ofd_object_put(struct ofd_object *obj)
{
	if (obj)
		lu_object_put(&obj->fo_lu, LU_HOLDER_CALL);
}

/* The value of trusted.fid, as an attribute to set. @bytes: its memory, FILTER_FID_SIZE */
static struct osd_xattr parent_xattr(const struct lustre_filter_fid *parent, u8 *bytes)
{
	lustre_filter_fid_encode(bytes, parent);
	return (struct osd_xattr){
		.ox_name = XATTR_NAME_FID,
		.ox_value = bytes,
		.ox_len = parent->size,
	};
}

/* An object that real Lustre made in advance gets its place with its first change. */
static int __object_name(struct ofd_object *obj, const struct lustre_filter_fid *parent)
{
	u8 bytes[FILTER_FID_SIZE];
	struct osd_xattr xattr;
	const struct osd_xattrs xattrs = { .oxs_list = &xattr, .oxs_nr = 1 };
	int rc = 0;

	if (obj->fo_named || !parent->size)
		return 0;
	if (osd_ea_get(&obj->fo_osd, XATTR_NAME_FID, NULL, 0) == -ENODATA) {
		xattr = parent_xattr(parent, bytes);
		rc = osd_ea_set(&obj->fo_osd, &xattrs, NULL);
	}
	obj->fo_named = !rc;
	return rc;
}

static int __object_create(struct ofd_device *ofd, struct ofd_object *obj,
			   const struct lustre_filter_fid *parent)
{
	const u64 id = fid_idif_object(&obj->fo_lu.lo_fid);
	u8 bytes[FILTER_FID_SIZE];
	const struct osd_xattr xattr = parent_xattr(parent, bytes);
	const struct osd_create oc = {
		.ocr_fid = obj->fo_lu.lo_fid,
		.ocr_xattrs = { .oxs_list = &xattr, .oxs_nr = parent->size ? 1 : 0 },
	};
	struct osd_object found;
	int rc = ofd_id_check(ofd, id);

	rc = rc ?: osd_ost_create(ofd->ofd_osd, id, &oc, NULL, &found);
	if (rc)
		return rc;
	osd_object_move(&obj->fo_osd, &found);
	obj->fo_named = parent->size;
	/* Pairs with ofd_object_exists(). */
	smp_store_release(&obj->fo_exists, true);
	return 0;
}

int ofd_object_make(struct ofd_device *ofd, struct ofd_object *obj,
		    const struct lustre_filter_fid *parent)
{
	lockdep_assert_held(&obj->fo_lock);
	if (obj->fo_gone)
		return -ESTALE;
	return obj->fo_exists ? __object_name(obj, parent) : __object_create(ofd, obj, parent);
}

int ofd_object_destroy(struct ofd_device *ofd, struct ofd_object *obj)
{
	const u64 id = fid_idif_object(&obj->fo_lu.lo_fid);
	int rc = 0;

	lockdep_assert_held(&obj->fo_lock);
	if (obj->fo_gone)
		return 0;
	if (obj->fo_exists)
		rc = osd_ost_destroy(ofd->ofd_osd, id, NULL);
	if (rc && rc != -ENOENT)
		return rc;
	obj->fo_gone = true;
	ofd_id_gone(ofd, id);
	lu_object_kill(&obj->fo_lu);
	return 0;
}

static struct md_time time_of(const struct timespec64 *time)
{
	return (struct md_time){ .sec = time->tv_sec, .nsec = time->tv_nsec };
}

int ofd_object_attr(const struct ofd_object *obj, struct md_attr *attr)
{
	struct kstat stat;
	int rc;

	*attr = (struct md_attr){};
	if (!ofd_object_exists(obj))
		return 0;
	rc = osd_getattr(&obj->fo_osd, &stat);
	if (rc)
		return rc;
	attr->size = stat.size;
	attr->blocks = stat.blocks;
	attr->atime = time_of(&stat.atime);
	attr->mtime = time_of(&stat.mtime);
	attr->ctime = time_of(&stat.ctime);
	return 0;
}
