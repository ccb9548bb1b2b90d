// SPDX-License-Identifier: GPL-2.0-only
/*
 * The layout of a file, trusted.lov.
 *
 * A file that is created by an open has one from the start, written in the step that creates the
 * name. Another file gets one when it is first opened for writing, or given a size. A client names
 * the objects that it has written to, and so a replay has the layout of the first reply: the file
 * gets the same one, unless it has it on disk.
 *
 * A wish that a new file leaves open is that of its directory, else of the root, else of the
 * volume. As in real Lustre, each of them fills in what those before it leave open.
 *
 * While no target can be used, files are created without a layout.
 */
#define DEBUG_SUBSYSTEM S_MDS

#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/stat.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/lustre_ea.h>
#include <lustre_lite/obd_class.h>
#include <lustre_lite/obd_ops.h>

#include "lod.h"
#include "mdd_link.h"

void lod_layout_free(struct lod_layout *layout)
{
	if (layout->ll_bytes != layout->ll_small)
		kvfree(layout->ll_bytes);
	layout->ll_bytes = NULL;
	layout->ll_len = 0;
}

struct osd_xattr lod_layout_xattr(const struct lod_layout *layout)
{
	return (struct osd_xattr){
		.ox_name = XATTR_NAME_LOV,
		.ox_value = layout->ll_bytes,
		.ox_len = layout->ll_len,
	};
}

int lod_layout_space(struct lod_layout *layout, u32 len)
{
	lod_layout_free(layout);
	layout->ll_bytes = len <= sizeof(layout->ll_small) ? layout->ll_small :
							     kvmalloc(len, GFP_KERNEL);
	if (!layout->ll_bytes)
		return -ENOMEM;
	layout->ll_len = len;
	return 0;
}

void lod_layout_move(struct lod_layout *to, struct lod_layout *from)
{
	lod_layout_free(to);
	*to = *from;
	if (from->ll_bytes == from->ll_small)
		to->ll_bytes = to->ll_small;
	from->ll_bytes = NULL;
	from->ll_len = 0;
}

static ssize_t layout_get(const struct osd_object *obj, struct lod_layout *layout)
{
	return osd_ea_get(obj, XATTR_NAME_LOV, layout->ll_bytes, layout->ll_len);
}

static ssize_t layout_get_long(const struct osd_object *obj, struct lod_layout *layout)
{
	ssize_t len = osd_ea_get(obj, XATTR_NAME_LOV, NULL, 0);

	if (len <= 0)
		return len;
	if (len > MDS_XATTR_MAX)
		return -E2BIG;
	return lod_layout_space(layout, len) ?: layout_get(obj, layout);
}

int lod_layout_read(const struct osd_object *obj, struct lod_layout *layout)
{
	ssize_t len;

	lod_layout_space(layout, sizeof(layout->ll_small));
	len = layout_get(obj, layout);
	while (len == -ERANGE)
		len = layout_get_long(obj, layout);
	if (len > 0) {
		layout->ll_len = len;
		return 0;
	}
	lod_layout_free(layout);
	return len == -ENODATA || len == -EOPNOTSUPP ? 0 : len;
}

int lod_layout_has(const struct osd_object *obj)
{
	ssize_t len = osd_ea_get(obj, XATTR_NAME_LOV, NULL, 0);

	if (len == -ENODATA || len == -EOPNOTSUPP)
		return 0;
	return len < 0 ? len : len > 0;
}

static bool has_objects(const void *bytes, size_t len)
{
	struct lov_comp comp;
	struct lov_ea ea;

	if (lod_is_comp(bytes, len))
		return !lov_comp_decode(bytes, len, &comp) &&
		       lov_comp_get(&comp, 0).flags & LCME_FL_INIT;
	return !lov_ea_decode(bytes, len, &ea) && ea.object_count;
}

/* The layout that the client of a replay knows. */
static int layout_replayed(const struct mdt_call *call, struct lod_layout *layout)
{
	const struct md_op_data *op = &call->mtc_op;
	int rc;

	/* One of another kind is on disk, as none is made here. */
	if (!op->value_len || !has_objects(op->value, op->value_len))
		return 0;
	rc = lod_layout_space(layout, op->value_len);
	if (!rc)
		memcpy(layout->ll_bytes, op->value, op->value_len);
	return rc;
}

void lod_wish_init(struct lod_wish *wish)
{
	*wish = (struct lod_wish){ .lw_offset = LOD_ANY };
}

void lod_wish_add(struct lod_wish *wish, const struct lov_ea *ea)
{
	if (ea->osts) {
		wish->lw_osts = ea->osts;
		wish->lw_nr_osts = ea->ost_count;
		wish->lw_stripe_count = min_t(u32, ea->ost_count, LOD_STRIPES_MAX);
	}
	wish->lw_stripe_size = wish->lw_stripe_size ?: ea->stripe_size;
	wish->lw_stripe_count = wish->lw_stripe_count ?: ea->stripe_count;
	if (!ea->osts && wish->lw_offset == LOD_ANY && !*wish->lw_pool && ea->gen != U16_MAX)
		wish->lw_offset = ea->gen;
	if (!*wish->lw_pool)
		strscpy(wish->lw_pool, ea->pool, sizeof(wish->lw_pool));
}

void lod_wish_fini(struct lod_wish *wish)
{
	lod_layout_free(&wish->lw_comp);
	lod_layout_free(&wish->lw_list);
}

/* A list has its own number of stripes. A request of a user has no list of a default. */
static bool list_counts(const struct lod_wish *wish)
{
	return !wish->lw_asked && !wish->lw_osts && !wish->lw_stripe_count &&
	       wish->lw_offset == LOD_ANY && !*wish->lw_pool;
}

/* A default with a list of targets, which stays with @wish if it counts. */
static void wish_add_list(struct lod_wish *wish, struct lod_layout *layout)
{
	bool counts = list_counts(wish);
	struct lov_ea ea;

	if (counts) {
		lod_layout_move(&wish->lw_list, layout);
		layout = &wish->lw_list;
	}
	if (lov_ea_decode(layout->ll_bytes, layout->ll_len, &ea))
		return;
	if (!counts) {
		ea.osts = NULL;
		ea.gen = U16_MAX;
	}
	lod_wish_add(wish, &ea);
}

/* Once, while the directory is in memory. */
static void say_lost(const struct mdt_device *mdt, struct mdt_object *dir, const char *lost)
{
	char text[FID_TEXT_SIZE];

	if (lost && !xchg(&dir->mo_lost, true))
		CWARN("%s: [%s]: ignoring part of the default layout of this directory, which is not supported: %s\n",
		      mdt->mdt_dir.td_obd->obd_name, fid_text(&dir->mo_lu.lo_fid, text), lost);
}

/*
 * The default of a directory. @said: something was said before: a composite one does not count.
 * Return: whether there is one
 */
static bool wish_add_dir(const struct mdt_device *mdt, struct lod_wish *wish,
			 struct mdt_object *dir, bool said)
{
	struct lod_layout layout = {};
	struct lov_ea ea;
	bool has = !lod_layout_read(&dir->mo_osd, &layout) && layout.ll_len;

	if (has && lod_is_comp(layout.ll_bytes, layout.ll_len)) {
		say_lost(mdt, dir, lod_comp_lost(layout.ll_bytes, layout.ll_len));
		if (!said)
			lod_layout_move(&wish->lw_comp, &layout);
	} else if (has && lov_ea_magic(layout.ll_bytes, layout.ll_len) == LOV_MAGIC_SPECIFIC) {
		wish_add_list(wish, &layout);
	} else if (has && !lov_ea_decode(layout.ll_bytes, layout.ll_len, &ea)) {
		lod_wish_add(wish, &ea);
	}
	lod_layout_free(&layout);
	return has;
}

int lod_wish_volume(struct lod_device *lod, struct lod_wish *wish)
{
	struct dt_desc desc;

	if (dt_desc(lod->lodd_lov, &desc))
		return -EAGAIN;
	wish->lw_stripe_size = wish->lw_stripe_size ?: desc.dd_stripe_size;
	wish->lw_stripe_count = wish->lw_stripe_count ?: min_t(u32, desc.dd_stripe_count, LOD_ALL);
	wish->lw_stripe_count = wish->lw_stripe_count ?: 1;
	if (wish->lw_offset == LOD_ANY && !*wish->lw_pool)
		wish->lw_offset = desc.dd_stripe_offset;
	return 0;
}

/*
 * Fill in open wishes: of the directory, NULL if it is not known; of the root; of the volume. A
 * composite default of one of them is taken whole, if nothing was said before. Return: 0; -EAGAIN:
 * the volume cannot be used now
 */
static int wish_complete(struct mdt_device *mdt, struct mdt_object *dir, struct lod_wish *wish)
{
	bool said = wish->lw_asked;

	if (dir)
		said |= wish_add_dir(mdt, wish, dir, said);
	if (dir != mdt->mdt_root && !wish->lw_comp.ll_len)
		wish_add_dir(mdt, wish, mdt->mdt_root, said);
	return wish->lw_comp.ll_len ? 0 : lod_wish_volume(mdt->mdt_lod, wish);
}

static int layout_encode(const struct lod_wish *wish, const struct lu_fid *fid,
			 const struct lov_object *objects, u32 nr, struct lod_layout *layout)
{
	struct lov_ea ea = {
		.magic = *wish->lw_pool ? LOV_MAGIC_V3 : LOV_MAGIC_V1,
		.pattern = LOV_PATTERN_RAID0,
		.oi_id = fid->f_oid,
		.oi_seq = fid->f_seq,
		.stripe_size = wish->lw_stripe_size,
		.stripe_count = nr,
		.object_count = nr,
	};
	int rc;

	strscpy(ea.pool, wish->lw_pool, sizeof(ea.pool));
	rc = lod_layout_space(layout, lov_ea_size(&ea));
	if (!rc)
		lov_ea_encode(layout->ll_bytes, &ea, objects);
	return rc;
}

static u32 stripes_wanted(struct lod_device *lod, const struct lod_wish *wish)
{
	u32 nr = wish->lw_stripe_count;

	if (nr == LOD_ALL)
		nr = lod_active(lod);
	return clamp_t(u32, nr, 1, LOD_STRIPES_MAX);
}

/* Return: as lod_choose(); -ENOMEM */
static int plain_choose(struct lod_device *lod, const struct lod_wish *wish,
			 const struct lu_fid *fid, struct lod_layout *layout)
{
	u32 nr = stripes_wanted(lod, wish);
	struct lov_object *objects = kvmalloc_array(nr, sizeof(*objects), GFP_KERNEL);
	int rc;

	if (!objects)
		return -ENOMEM;
	rc = lod_choose(lod, wish, objects, &nr);
	if (!rc)
		rc = layout_encode(wish, fid, objects, nr, layout);
	kvfree(objects);
	return rc;
}

/* A default that cannot be satisfied does not fail a create, or a write. */
int lod_layout_choose(struct lod_device *lod, const struct lod_wish *wish, const struct lu_fid *fid,
		      struct lod_layout *layout)
{
	struct lod_wish any;
	int rc = plain_choose(lod, wish, fid, layout);

	if (rc != -EINVAL && rc != -ENODEV)
		return rc;
	lod_wish_init(&any);
	any.lw_stripe_size = wish->lw_stripe_size;
	any.lw_stripe_count = wish->lw_stripe_count;
	return plain_choose(lod, &any, fid, layout);
}

static int choose_default(struct lod_device *lod, const struct lod_wish *wish,
			  const struct lu_fid *fid, struct lod_layout *layout)
{
	return wish->lw_comp.ll_len ? lod_comp_new(lod, &wish->lw_comp, fid, layout) :
				      lod_layout_choose(lod, wish, fid, layout);
}

static int choose_asked(struct lod_device *lod, const struct lod_wish *wish,
			const struct lu_fid *fid, struct lod_layout *layout)
{
	return wish->lw_comp.ll_len ? lod_comp_new(lod, &wish->lw_comp, fid, layout) :
				      plain_choose(lod, wish, fid, layout);
}

/* Said once, until files get layouts again. */
static int without_layout(struct lod_device *lod, int rc)
{
	const char *name = lod->lodd_mdt->mdt_dir.td_obd->obd_name;

	if (!rc && READ_ONCE(lod->lodd_silent)) {
		WRITE_ONCE(lod->lodd_silent, false);
		CWARN("%s: new files have objects again\n", name);
	}
	if (rc != -EAGAIN)
		return rc;
	if (!xchg(&lod->lodd_silent, true))
		CWARN("%s: no object storage target can be used: new files have no objects until they are opened for writing\n",
		      name);
	return 0;
}

static int layout_default(struct mdt_call *call, struct mdt_object *dir,
			  const struct lu_fid *fid, struct lod_layout *layout)
{
	struct lod_device *lod = call->mtc_mdt->mdt_lod;
	struct lod_wish wish;
	int rc;

	if (!lod)
		return 0;
	lod_wish_init(&wish);
	rc = wish_complete(call->mtc_mdt, dir, &wish) ?:
	     choose_default(lod, &wish, fid, layout);
	lod_wish_fini(&wish);
	/* A composite default that cannot be satisfied. */
	if (rc == -EUCLEAN || rc == -EOPNOTSUPP || rc == -E2BIG) {
		lod_wish_init(&wish);
		rc = lod_wish_volume(lod, &wish) ?: lod_layout_choose(lod, &wish, fid, layout);
	}
	return without_layout(lod, rc);
}

/* The root's default is looked up when it is needed. */
static int layout_inherit(struct mdt_call *call, const struct mdt_object *dir,
			  struct lod_layout *layout)
{
	return dir == call->mtc_mdt->mdt_root ? 0 : lod_layout_read(&dir->mo_osd, layout);
}

int lod_layout_new(struct mdt_call *call, struct mdt_object *dir, const struct lu_fid *fid,
		   umode_t mode, struct lod_layout *layout)
{
	const struct md_op_data *op = &call->mtc_op;

	if (S_ISDIR(mode))
		return layout_inherit(call, dir, layout);
	if (!S_ISREG(mode) || op->reint != REINT_OPEN)
		return 0;
	if (mdt_call_is_replay(call))
		return layout_replayed(call, layout);
	if (op->flags & MDS_OPEN_DELAY)
		return 0;
	return layout_default(call, dir, fid, layout);
}

int lod_layout_write(struct osd_object *obj, const struct lod_layout *layout,
		     struct osd_stamp *stamp)
{
	const struct osd_xattr xattr = lod_layout_xattr(layout);
	/* For the user the file has not changed. */
	const struct osd_xattrs xattrs = {
		.oxs_list = &xattr,
		.oxs_nr = 1,
		.oxs_keep_ctime = true,
	};

	return osd_ea_set(obj, &xattrs, stamp);
}

static int layout_set(struct mdt_trans *mt, struct mdt_object *obj,
		      const struct lod_layout *layout)
{
	return lod_layout_write(&obj->mo_osd, layout, &mt->mtr_stamp);
}

/*
 * The directory whose default an opened file gets: that of the open by name, or the one that the
 * client names, if trusted.link has it, too. NULL: not known.
 */
static struct mdt_object *open_dir(struct mdt_call *call, const struct mdt_object *obj)
{
	const struct md_op_data *op = &call->mtc_op;
	struct mdt_object *dir;

	if (op->reint != REINT_OPEN)
		return NULL;
	if (op->name)
		return call->mtc_object[0];
	if (fid_is_zero(&op->object[1].fid) || !mdd_links_in(&obj->mo_osd, &op->object[1].fid))
		return NULL;
	dir = mdt_call_object(call, 1);
	return IS_ERR(dir) ? NULL : dir;
}

static int __layout_make(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *obj,
			 struct lod_layout *layout)
{
	int rc = lod_layout_has(&obj->mo_osd);

	lockdep_assert_held(&obj->mo_lock);
	if (rc)
		return min(rc, 0);
	if (READ_ONCE(obj->mo_lu.lo_state) != LU_OBJECT_LIVE)
		return -ESTALE;
	/* Of a new file no client has a lock. */
	if (!(call->mtc_rep.flags & MDS_BODY_CREATED))
		rc = mdt_lock_missing(call, &obj->mo_lu.lo_fid,
				      MDS_INODELOCK_UPDATE | MDS_INODELOCK_LAYOUT);
	if (rc)
		return rc;
	rc = mdt_call_is_replay(call) ? layout_replayed(call, layout) :
	     layout_default(call, open_dir(call, obj), &obj->mo_lu.lo_fid, layout);
	if (rc || !layout->ll_len)
		return rc;
	return layout_set(mt, obj, layout);
}

int lod_layout_make(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *obj)
{
	struct lod_layout layout = {};
	int rc;

	mutex_lock(&obj->mo_lock);
	rc = __layout_make(call, mt, obj, &layout);
	mutex_unlock(&obj->mo_lock);
	lod_layout_free(&layout);
	return rc;
}

static int __layout_ask(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *obj,
			struct lod_wish *wish, struct lod_layout *layout)
{
	struct mdt_device *mdt = call->mtc_mdt;
	int rc = lod_layout_has(&obj->mo_osd);

	lockdep_assert_held(&obj->mo_lock);
	if (rc)
		return rc < 0 ? rc : -EEXIST;
	rc = wish_complete(mdt, NULL, wish) ?:
	     choose_asked(mdt->mdt_lod, wish, &obj->mo_lu.lo_fid, layout);
	if (rc)
		return rc == -EAGAIN ? -EIO : rc;
	return layout_set(mt, obj, layout);
}

int lod_layout_ask(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *obj,
		   struct lod_wish *wish)
{
	struct lod_layout layout = {};
	int rc;

	mutex_lock(&obj->mo_lock);
	rc = __layout_ask(call, mt, obj, wish, &layout);
	mutex_unlock(&obj->mo_lock);
	lod_layout_free(&layout);
	return rc;
}

static int extend_refuse(const struct mdt_call *call, const struct mdt_object *obj, int rc)
{
	char text[FID_TEXT_SIZE];

	CWARN("%s: [%s]: components before byte %llu get no objects: rc = %d\n",
	      call->mtc_mdt->mdt_dir.td_obd->obd_name, fid_text(&obj->mo_lu.lo_fid, text),
	      call->mtc_op.attr.size, rc);
	return rc;
}

/* Return: 1: @layout has changed; 0; a negative errno */
static int extend(struct mdt_call *call, const struct mdt_object *obj, struct lod_layout *layout)
{
	struct lod_device *lod = call->mtc_mdt->mdt_lod;
	const struct md_op_data *op = &call->mtc_op;
	int rc;

	if (mdt_call_is_replay(call))
		return op->value_len ? lod_comp_replay(op->value, op->value_len, layout) : 0;
	if (!lod)
		return -EOPNOTSUPP;
	rc = lod_comp_extend(lod, &obj->mo_lu.lo_fid, op->attr.size, layout);
	if (rc > 0)
		without_layout(lod, 0);
	else
		rc = without_layout(lod, rc);
	return rc < 0 ? extend_refuse(call, obj, rc) : rc;
}

static int __layout_extend(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *obj,
			   struct lod_layout *layout)
{
	int rc = lod_layout_read(&obj->mo_osd, layout);

	lockdep_assert_held(&obj->mo_lock);
	if (rc || !lod_comp_lacks(layout, call->mtc_op.attr.size))
		return rc;
	if (READ_ONCE(obj->mo_lu.lo_state) != LU_OBJECT_LIVE)
		return -ESTALE;
	rc = mdt_lock_missing(call, &obj->mo_lu.lo_fid, MDS_INODELOCK_LAYOUT) ?:
	     extend(call, obj, layout);
	return rc > 0 ? layout_set(mt, obj, layout) : rc;
}

int lod_layout_extend(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *obj)
{
	struct lod_layout layout = {};
	int rc;

	mutex_lock(&obj->mo_lock);
	rc = __layout_extend(call, mt, obj, &layout);
	mutex_unlock(&obj->mo_lock);
	lod_layout_free(&layout);
	return rc;
}
