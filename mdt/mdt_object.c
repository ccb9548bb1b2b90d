// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects in memory. The layers of an object are osd, which has located it, and mdt.
 *
 * Only what is open, what a call uses, and directories that were used lately are here: the
 * backend has a cache of its own.
 */
#define DEBUG_SUBSYSTEM S_MDS

#include <linux/err.h>
#include <linux/kdev_t.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/stat.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lustre_ea.h>
#include <lustre_lite/params.h>

#include "mdt_internal.h"

/* Most objects that no call uses. Each pins an inode of the backend. */
#define MDT_CACHED_MAX	4096
/* Seconds that the end of the device waits for its objects: nothing uses them. */
#define DRAIN_SEC	60

/**
 * struct mdt_origin - where a new object comes from
 * @mdt: device
 * @found: what osd has found, which moves into the object; or NULL
 * @hint: else where it is
 */
struct mdt_origin {
	struct mdt_device	*mdt;
	struct osd_object	*found;
	const struct osd_hint	*hint;
};

static int osd_init(struct lu_object *lu, void *arg)
{
	struct mdt_object *obj = mdt_object(lu);
	struct mdt_origin *from = arg;

	/* One that has ended is in PENDING still. */
	if (lod_is_orphan(from->mdt, &lu->lo_fid))
		return -ESTALE;
	if (!from->found)
		return osd_object_locate(from->mdt->mdt_osd, &obj->mo_osd, &lu->lo_fid, from->hint);
	osd_object_move(&obj->mo_osd, from->found);
	return 0;
}

static void osd_free(struct lu_object *lu)
{
	osd_object_fini(&mdt_object(lu)->mo_osd);
}

static const struct lu_object_ops osd_layer = {
	.loo_init	= osd_init,
	.loo_free	= osd_free,
};

static int object_init(struct lu_object *lu, void *arg)
{
	mutex_init(&mdt_object(lu)->mo_lock);
	return 0;
}

static void object_free(struct lu_object *lu)
{
	WARN_ON_ONCE(mdt_object(lu)->mo_opens);
}

static void object_print(const struct lu_object *lu, struct params_sink *sink)
{
	const struct mdt_object *obj = mdt_object(lu);

	params_put_u64(sink, "open", READ_ONCE(obj->mo_opens));
	params_put_bool(sink, "pending", READ_ONCE(obj->mo_pending));
}

static const struct lu_object_ops mdt_layer = {
	.loo_init	= object_init,
	.loo_free	= object_free,
	.loo_print	= object_print,
};

static const struct lu_object_ops *const mdt_layers[] = { &osd_layer, &mdt_layer };

static const struct lu_site_type mdt_site_type = {
	.lst_size		= sizeof(struct mdt_object),
	.lst_layers		= mdt_layers,
	.lst_layer_count	= ARRAY_SIZE(mdt_layers),
	.lst_cached		= MDT_CACHED_MAX,
	.lst_owner		= THIS_MODULE,
};

/* The object of a FID. @from->found is not located any more. */
static struct mdt_object *object_find(const struct lu_fid *fid, struct mdt_origin *from,
				      enum lu_holder holder)
{
	struct lu_object *lu = lu_object_find(from->mdt->mdt_site, fid, from, holder);

	if (from->found)
		osd_object_fini(from->found);
	return IS_ERR(lu) ? ERR_CAST(lu) : mdt_object(lu);
}

static int root_pin(struct mdt_device *mdt)
{
	struct osd_object found;
	struct mdt_origin from = { .mdt = mdt, .found = &found };
	struct mdt_object *root;
	struct lu_fid fid;
	int rc = osd_object_root(mdt->mdt_osd, &found);

	if (rc)
		return rc;
	fid = found.oo_fid;
	root = object_find(&fid, &from, LU_HOLDER_STATE);
	if (IS_ERR(root))
		return PTR_ERR(root);
	mdt->mdt_root = root;
	return 0;
}

int mdt_objects_init(struct mdt_device *mdt)
{
	struct lu_site *site = lu_site_new(&mdt_site_type, mdt->mdt_dir.td_obd->obd_name);
	int rc;

	if (IS_ERR(site))
		return PTR_ERR(site);
	mdt->mdt_site = site;
	rc = root_pin(mdt);
	if (rc)
		mdt_objects_fini(mdt);
	return rc;
}

void mdt_objects_fini(struct mdt_device *mdt)
{
	lu_site_stop(mdt->mdt_site);
	if (mdt->mdt_root)
		lu_object_put(&mdt->mdt_root->mo_lu, LU_HOLDER_STATE);
	mdt->mdt_root = NULL;
	lu_site_drain(mdt->mdt_site, DRAIN_SEC);
	lu_site_put(mdt->mdt_site);
	mdt->mdt_site = NULL;
}

struct mdt_object *mdt_object_find(struct mdt_device *mdt, const struct md_object *name)
{
	struct osd_hint hint;
	struct mdt_origin from = { .mdt = mdt, .hint = &hint };

	BUILD_BUG_ON(sizeof(hint) != sizeof(name->hint));
	if (fid_is_zero(&name->fid) || !fid_is_sane(&name->fid))
		return ERR_PTR(-EINVAL);
	memcpy(&hint, &name->hint, sizeof(hint));
	return object_find(&name->fid, &from, LU_HOLDER_CALL);
}

struct mdt_object *mdt_object_take(struct mdt_device *mdt, struct osd_object *found)
{
	struct mdt_origin from = { .mdt = mdt, .found = found };
	const struct lu_fid fid = found->oo_fid;

	return object_find(&fid, &from, LU_HOLDER_CALL);
}

void mdt_object_put(struct mdt_object *obj)
{
	if (obj)
		lu_object_put(&obj->mo_lu, LU_HOLDER_CALL);
}

int mdt_object_name(const struct osd_object *obj, struct md_object *name)
{
	struct osd_hint hint;
	int rc = osd_object_hint(obj, &hint);

	if (rc)
		return rc;
	name->fid = obj->oo_fid;
	memcpy(&name->hint, &hint, sizeof(hint));
	return 0;
}

/* The first four bytes are the magic number. */
static bool is_striped(const struct osd_object *obj)
{
	ssize_t len = osd_ea_get(obj, XATTR_NAME_LMV, NULL, 0);
	bool striped = false;
	u8 *bytes;

	if (len < (ssize_t)sizeof(struct lmv_mds_md_v1))
		return false;
	bytes = kvmalloc(len, GFP_KERNEL);
	/* Of that length, a name is not added to it now. */
	if (!bytes || osd_ea_get(obj, XATTR_NAME_LMV, bytes, len) != len ||
	    codec_get32(bytes, false) == LMV_MAGIC_V1)
		striped = true;
	kvfree(bytes);
	return striped;
}

int mdt_object_takes_names(const struct mdt_device *mdt, struct mdt_object *dir)
{
	char text[FID_TEXT_SIZE];
	u8 striped = READ_ONCE(dir->mo_striped);

	if (striped == MDT_STRIPED_UNKNOWN) {
		striped = is_striped(&dir->mo_osd) ? MDT_STRIPED_YES : MDT_STRIPED_NO;
		if (striped == MDT_STRIPED_YES)
			CWARN("%s: [%s]: directory is striped over metadata targets (" XATTR_NAME_LMV "), which this release does not serve: it shows its shards, and no name can be added: rc = %d\n",
			      mdt->mdt_dir.td_obd->obd_name, fid_text(&dir->mo_lu.lo_fid, text),
			      -EREMOTE);
		WRITE_ONCE(dir->mo_striped, striped);
	}
	return striped == MDT_STRIPED_YES ? -EREMOTE : 0;
}

static struct md_time time_of(const struct timespec64 *time)
{
	return (struct md_time){ .sec = time->tv_sec, .nsec = time->tv_nsec };
}

int mdt_object_attr(const struct osd_object *obj, struct md_attr *attr)
{
	struct kstat stat;
	int rc = osd_getattr(obj, &stat);

	if (rc)
		return rc;
	*attr = (struct md_attr){
		.size = stat.size,
		.blocks = stat.blocks,
		.atime = time_of(&stat.atime),
		.mtime = time_of(&stat.mtime),
		.ctime = time_of(&stat.ctime),
		.mode = stat.mode,
		.uid = from_kuid(&init_user_ns, stat.uid),
		.gid = from_kgid(&init_user_ns, stat.gid),
		.nlink = stat.nlink,
		.rdev = new_encode_dev(stat.rdev),
	};
	if (stat.result_mask & STATX_BTIME)
		attr->btime = time_of(&stat.btime);
	return 0;
}
