// SPDX-License-Identifier: GPL-2.0-only
/*
 * Layouts that users ask for: REINT_SETXATTR of trusted.lov.
 *
 * Of a directory it is the default of new files in it, and a new directory in it has the same one.
 * A file that has no layout yet gets objects as asked for. The format is that of trusted.lov:
 *
 *	LOV_MAGIC_V1, _V3		stripe size, count, first target, pool. Objects, as tar
 *					brings them with a file, are ignored, and so is the first
 *					target then
 *	LOV_MAGIC_SPECIFIC		the targets
 *	LOV_MAGIC_COMP_V1		components, each with such a layout
 *
 * In a default 0, 0 and any target remove it.
 *
 * trusted.lov.add and trusted.lov.del change the components of a file that has some: those that no
 * client has written to yet. A replay has the layout that the client got, as of all changes of
 * layouts.
 */
#define DEBUG_SUBSYSTEM S_MDS

#include <linux/capability.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/stat.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lustre_ea.h>
#include <lustre_lite/obd_ops.h>
#include <uapi/lustre_lite/lustre_user.h>

#include "lod.h"
#include "mdt_internal.h"

/**
 * struct lod_asked - a layout that a user asks for
 * @call: call, for messages
 * @obj: the file or directory
 * @wish: what is wanted
 * @ea: likewise, as it was decoded; not of a composite layout
 */
struct lod_asked {
	struct mdt_call		*call;
	struct mdt_object	*obj;
	struct lod_wish		wish;
	struct lov_ea		ea;
};

static int refuse(const struct lod_asked *ask, const char *what, u32 number)
{
	char text[FID_TEXT_SIZE];

	CWARN("%s: [%s]: layout is refused: %s %u: rc = %d\n",
	      ask->call->mtc_mdt->mdt_dir.td_obd->obd_name,
	      fid_text(&ask->obj->mo_lu.lo_fid, text), what, number, -EINVAL);
	return -EINVAL;
}

static int refuse_pool(const struct lod_asked *ask, const char *pool, u32 index)
{
	char text[FID_TEXT_SIZE];

	fid_text(&ask->obj->mo_lu.lo_fid, text);
	if (index == U16_MAX)
		CWARN("%s: [%s]: layout is refused: there is no pool '%s': rc = %d\n",
		      ask->call->mtc_mdt->mdt_dir.td_obd->obd_name, text, pool, -EINVAL);
	else
		CWARN("%s: [%s]: layout is refused: the OST with index %u is not in pool '%s': rc = %d\n",
		      ask->call->mtc_mdt->mdt_dir.td_obd->obd_name, text, index, pool, -EINVAL);
	return -EINVAL;
}

/* @first: start of the first one */
static int decode_comp(struct lod_asked *ask, u64 first)
{
	const struct md_op_data *op = &ask->call->mtc_op;
	struct lov_comp comp;
	const char *fault;
	u32 number;
	int rc;

	if (lov_comp_decode(op->value, op->value_len, &comp))
		return refuse(ask, "malformed components, bytes", op->value_len);
	fault = lod_comp_fault(&comp, first, &number);
	if (fault)
		return refuse(ask, fault, number);
	rc = lod_comp_template(op->value, op->value_len, &ask->wish.lw_comp);
	return rc == -EOPNOTSUPP ? refuse(ask, "a pattern that is not served, components",
					  comp.entry_count) : rc;
}

static int decode(struct lod_asked *ask)
{
	const struct md_op_data *op = &ask->call->mtc_op;
	u32 magic = lov_ea_magic(op->value, op->value_len);

	if (magic == LOV_MAGIC_COMP_V1)
		return decode_comp(ask, 0);
	if (lov_ea_decode(op->value, op->value_len, &ask->ea))
		return refuse(ask, "unknown or malformed layout, magic", magic);
	if (ask->ea.object_count || ask->ea.osts)
		ask->ea.gen = U16_MAX;
	if (ask->ea.osts)
		ask->ea.stripe_count = ask->ea.ost_count;
	return 0;
}

static int check_listed(const struct lod_asked *ask, const struct lov_ea *ea, u32 n)
{
	const u32 index = lov_ea_ost(ea->osts, n);
	u32 m;

	if (!xa_load(&ask->call->mtc_mdt->mdt_lod->lodd_targets, index))
		return refuse(ask, "there is no OST with index", index);
	for (m = 0; m < n; m++)
		if (lov_ea_ost(ea->osts, m) == index)
			return refuse(ask, "an OST is listed twice, index", index);
	return 0;
}

static int check_targets(const struct lod_asked *ask, const struct lov_ea *ea)
{
	struct lod_device *lod = ask->call->mtc_mdt->mdt_lod;
	int rc = 0;
	u32 n;

	if (ea->osts && ea->ost_count > LOD_STRIPES_MAX)
		return refuse(ask, "invalid number of targets", ea->ost_count);
	if (!ea->osts && ea->gen != U16_MAX && !xa_load(&lod->lodd_targets, ea->gen))
		return refuse(ask, "there is no OST with index", ea->gen);
	for (n = 0; n < ea->ost_count && !rc; n++)
		rc = check_listed(ask, ea, n);
	return rc;
}

static int check_pool(const struct lod_asked *ask, const struct lov_ea *ea)
{
	const u32 index = ea->gen == U16_MAX ? 0 : ea->gen;
	int rc;

	if (!*ea->pool)
		return 0;
	rc = dt_pool(ask->call->mtc_mdt->mdt_lod->lodd_lov, ea->pool, index);
	if (rc == -ENOENT)
		return refuse_pool(ask, ea->pool, U16_MAX);
	return !rc || ea->gen == U16_MAX ? 0 : refuse_pool(ask, ea->pool, index);
}

static int check_plain(const struct lod_asked *ask, const struct lov_ea *ea)
{
	if (ea->pattern && ea->pattern != LOV_PATTERN_RAID0)
		return refuse(ask, "a pattern that is not served,", ea->pattern);
	if (ea->stripe_size % LOV_MIN_STRIPE_SIZE)
		return refuse(ask, "stripe size is not a multiple of 65536:", ea->stripe_size);
	if (ea->stripe_count != LOD_ALL && ea->stripe_count > LOD_STRIPES_MAX)
		return refuse(ask, "too many stripes:", ea->stripe_count);
	return check_targets(ask, ea) ?: check_pool(ask, ea);
}

static int check(const struct lod_asked *ask)
{
	const struct lod_layout *layout = &ask->wish.lw_comp;
	struct lov_comp_entry entry;
	struct lov_comp comp;
	struct lov_ea ea;
	int rc = 0;
	u32 n;

	if (!layout->ll_len)
		return check_plain(ask, &ask->ea);
	lov_comp_decode(layout->ll_bytes, layout->ll_len, &comp);
	for (n = 0; n < comp.entry_count && !rc; n++) {
		entry = lov_comp_get(&comp, n);
		lov_ea_decode(entry.layout, entry.layout_len, &ea);
		rc = check_plain(ask, &ea);
	}
	return rc;
}

/* Directories. */

static bool is_owner(const struct mdt_call *call, const struct md_attr *attr)
{
	return call->mtc_op.uid == attr->uid || call->mtc_op.caps & BIT_ULL(CAP_FOWNER);
}

static bool is_removal(const struct lod_asked *ask)
{
	const struct md_op_data *op = &ask->call->mtc_op;

	if (op->flags & MDS_XATTR_REMOVE || !op->value_len)
		return true;
	return !ask->wish.lw_comp.ll_len && !ask->ea.stripe_size && !ask->ea.stripe_count && ask->ea.gen == U16_MAX &&
	       !*ask->ea.pool;
}

/* That there was none is not an error, as in real Lustre. */
static int default_remove(const struct lod_asked *ask, struct mdt_trans *mt)
{
	const struct osd_xattr xattr = { .ox_name = XATTR_NAME_LOV };
	const struct cred *old = override_creds(ask->call->mtc_old);
	int rc = osd_setxattr(&ask->obj->mo_osd, &xattr, 0, &mt->mtr_stamp);

	revert_creds(old);
	return rc == -ENODATA ? 0 : rc;
}

static int default_set_comp(struct lod_asked *ask, struct mdt_trans *mt)
{
	const struct osd_xattr xattr = lod_layout_xattr(&ask->wish.lw_comp);
	const struct osd_xattrs xattrs = { .oxs_list = &xattr, .oxs_nr = 1 };

	return osd_ea_set(&ask->obj->mo_osd, &xattrs, &mt->mtr_stamp);
}

static u32 default_magic(const struct lov_ea *ea)
{
	if (ea->osts)
		return LOV_MAGIC_SPECIFIC;
	return *ea->pool ? LOV_MAGIC_V3 : LOV_MAGIC_V1;
}

static int default_set(struct lod_asked *ask, struct mdt_trans *mt)
{
	struct lod_layout layout = {};
	struct osd_xattr xattr;
	const struct osd_xattrs xattrs = { .oxs_list = &xattr, .oxs_nr = 1 };
	int rc;

	ask->ea.magic = default_magic(&ask->ea);
	ask->ea.pattern = LOV_PATTERN_RAID0;
	ask->ea.oi_id = 0;
	ask->ea.oi_seq = 0;
	ask->ea.object_count = 0;
	rc = lod_layout_space(&layout, lov_ea_size(&ask->ea));
	if (rc)
		return rc;
	lov_ea_encode(layout.ll_bytes, &ask->ea, NULL);
	xattr = lod_layout_xattr(&layout);
	rc = osd_ea_set(&ask->obj->mo_osd, &xattrs, &mt->mtr_stamp);
	lod_layout_free(&layout);
	return rc;
}

static int set_default(struct lod_asked *ask, struct mdt_trans *mt)
{
	int rc = 0;

	if (ask->call->mtc_op.value_len)
		rc = decode(ask) ?: mdt_call_is_replay(ask->call) ? 0 : check(ask);
	if (rc)
		return rc;
	if (ask->wish.lw_comp.ll_len)
		return default_set_comp(ask, mt);
	return is_removal(ask) ? default_remove(ask, mt) : default_set(ask, mt);
}

/* Files. */

static int may_write(const struct lod_asked *ask)
{
	if (mdt_open_permits(ask->call, ask->obj, MDS_FMODE_WRITE))
		return 0;
	return osd_permission(&ask->obj->mo_osd, MAY_WRITE);
}

/* Without a target there is nothing to ask for. */
static int set_file(struct lod_asked *ask, struct mdt_trans *mt)
{
	int rc = may_write(ask);

	if (!rc && ask->call->mtc_op.flags & MDS_XATTR_REMOVE)
		rc = -EPERM;
	rc = rc ?: decode(ask) ?: check(ask);
	if (rc)
		return rc;
	if (!ask->wish.lw_comp.ll_len)
		lod_wish_add(&ask->wish, &ask->ea);
	ask->wish.lw_asked = true;
	return lod_layout_ask(ask->call, mt, ask->obj, &ask->wish);
}

/* Components. */

static bool is_named(const struct lod_asked *ask, const char *name)
{
	return !strcmp(ask->call->mtc_op.name, name);
}

/* The first time, before a restart, may have added them. */
static bool was_added(const struct lod_asked *ask, const struct lov_comp *comp)
{
	struct lov_comp_entry first;
	struct lov_comp more;
	u32 n;

	if (!mdt_call_is_again(ask->call) ||
	    lov_comp_decode(ask->call->mtc_op.value, ask->call->mtc_op.value_len, &more))
		return false;
	first = lov_comp_get(&more, 0);
	for (n = 0; n < comp->entry_count; n++)
		if (lov_comp_get(comp, n).start == first.start)
			return true;
	return false;
}

/* Return: 1: @layout has changed; 0: it was done before; a negative errno */
static int comp_add(struct lod_asked *ask, const struct lov_comp *comp, struct lod_layout *layout)
{
	struct lod_device *lod = ask->call->mtc_mdt->mdt_lod;
	const u64 end = lov_comp_get(comp, comp->entry_count - 1).end;
	int rc;

	if (was_added(ask, comp))
		return 0;
	if (end == U64_MAX)
		return refuse(ask, "the last component ends with the file, number", comp->entry_count);
	rc = decode_comp(ask, end) ?: check(ask) ?:
	     lod_comp_add(lod, &ask->wish.lw_comp, &ask->obj->mo_lu.lo_fid, layout);
	return rc == -EAGAIN ? -EIO : rc ?: 1;
}

static int del_refuse(const struct lod_asked *ask, enum lov_del why, u32 number)
{
	static const char *const what[] = {
		[LOV_DEL_MISSING]	= "no such component is there, of",
		[LOV_DEL_NOT_LAST]	= "not the last one: component",
		[LOV_DEL_OBJECTS]	= "it has objects: component",
		[LOV_DEL_ALL]		= "components that would be left:",
	};

	return refuse(ask, what[why], number);
}

/* Return: as comp_add() */
static int comp_del(struct lod_asked *ask, const struct lov_comp *comp, struct lod_layout *layout)
{
	const struct md_op_data *op = &ask->call->mtc_op;
	struct lov_comp_entry which;
	struct lov_comp asked;
	enum lov_del why;
	u32 n;

	if (lov_comp_decode(op->value, op->value_len, &asked))
		return refuse(ask, "malformed components, bytes", op->value_len);
	which = lov_comp_get(&asked, 0);
	if (!which.id == !which.flags || which.flags & ~(LCME_FL_INIT | LCME_FL_NEG))
		return refuse(ask, "neither a number nor the flag init, flags", which.flags);
	why = lov_comp_del(comp, &which, &n);
	if (why == LOV_DEL_MISSING && mdt_call_is_again(ask->call))
		return 0;
	return why ? del_refuse(ask, why, n) : lod_comp_del(layout, n) ?: 1;
}

/*
 * The layout that the client of a replay got, unless there is a later one. There is none if the
 * client that gave the file its layout is lost. Return: as comp_add()
 */
static int comps_replay(struct lod_asked *ask, struct lod_layout *layout)
{
	const struct md_op_data *op = &ask->call->mtc_op;
	struct lov_comp known, comp;
	int rc;

	if (lov_comp_decode(op->value, op->value_len, &known))
		return 0;
	if (layout->ll_len && (lov_comp_decode(layout->ll_bytes, layout->ll_len, &comp) ||
			       (s32)(known.gen - comp.gen) <= 0))
		return 0;
	rc = lod_layout_space(layout, op->value_len);
	if (rc)
		return rc;
	memcpy(layout->ll_bytes, op->value, op->value_len);
	return 1;
}

/* Return: as comp_add() */
static int comps_edit(struct lod_asked *ask, struct lod_layout *layout)
{
	struct lov_comp comp;

	if (!lod_is_comp(layout->ll_bytes, layout->ll_len))
		return refuse(ask, "a file without components, bytes of its layout", layout->ll_len);
	if (lov_comp_decode(layout->ll_bytes, layout->ll_len, &comp))
		return -EUCLEAN;
	if (comp.mirror_count > 1)
		return refuse(ask, "a file with mirrors, number", comp.mirror_count);
	return is_named(ask, XATTR_NAME_LOV_ADD) ? comp_add(ask, &comp, layout) :
						   comp_del(ask, &comp, layout);
}

static int __comps_change(struct lod_asked *ask, struct mdt_trans *mt, struct lod_layout *layout)
{
	struct mdt_object *obj = ask->obj;
	int rc = lod_layout_read(&obj->mo_osd, layout);

	lockdep_assert_held(&obj->mo_lock);
	if (rc)
		return rc;
	if (READ_ONCE(obj->mo_lu.lo_state) != LU_OBJECT_LIVE)
		return -ESTALE;
	rc = mdt_call_is_replay(ask->call) ? comps_replay(ask, layout) : comps_edit(ask, layout);
	return rc <= 0 ? rc : lod_layout_write(&obj->mo_osd, layout, &mt->mtr_stamp);
}

/* As for other attributes that are not of users, writing is not enough. */
static int may_change(const struct lod_asked *ask, const struct md_attr *attr)
{
	return may_write(ask) ?: is_owner(ask->call, attr) ? 0 : -EPERM;
}

static int comps_change(struct lod_asked *ask, struct mdt_trans *mt, const struct md_attr *attr)
{
	struct lod_layout layout = {};
	int rc = mdt_call_is_replay(ask->call) ? 0 : may_change(ask, attr);

	if (rc)
		return rc;
	mutex_lock(&ask->obj->mo_lock);
	rc = __comps_change(ask, mt, &layout);
	mutex_unlock(&ask->obj->mo_lock);
	lod_layout_free(&layout);
	return rc;
}

static int asked_set(struct lod_asked *ask, struct mdt_trans *mt, const struct md_attr *attr)
{
	if (!is_named(ask, XATTR_NAME_LOV))
		return S_ISREG(attr->mode) ? comps_change(ask, mt, attr) : -EINVAL;
	if (S_ISREG(attr->mode))
		return set_file(ask, mt);
	if (!S_ISDIR(attr->mode))
		return -EINVAL;
	return is_owner(ask->call, attr) ? set_default(ask, mt) : -EPERM;
}

int lod_setxattr(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *obj)
{
	struct lod_asked ask = { .call = call, .obj = obj };
	struct md_attr attr;
	int rc = mdt_object_attr(&obj->mo_osd, &attr);

	if (rc)
		return rc;
	if (S_ISREG(attr.mode) && mdt_call_is_replay(call) && is_named(&ask, XATTR_NAME_LOV))
		return lod_layout_make(call, mt, obj);
	if (!call->mtc_mdt->mdt_lod)
		return -EOPNOTSUPP;
	lod_wish_init(&ask.wish);
	rc = asked_set(&ask, mt, &attr);
	lod_wish_fini(&ask.wish);
	return rc;
}
