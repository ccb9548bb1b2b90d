// SPDX-License-Identifier: GPL-2.0-only
/*
 * Layouts that two files exchange. One of them is in PENDING: with its end the objects of the
 * layout that it has then are destroyed.
 *
 * The backend writes one attribute after the other, in this order:
 *
 *	1. a record in the file in PENDING: the other file, and its layout
 *	2. the layout of the other file
 *	3. the layout of the file in PENDING
 *
 * A power cut after 2 leaves both with the same objects. lod_swap_layout() finds that out: then
 * those of the record are the ones that the file in PENDING has. The record stays after 3, so that
 * a swap that is asked for again is known to be done.
 */
#define DEBUG_SUBSYSTEM S_MDS

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lustre_ea.h>
#include <uapi/lustre_lite/disk.h>

#include "lod.h"
#include "mdt_internal.h"

/**
 * struct lod_swap_record - trusted.lite.swap, decoded
 * @lsr_file: the other file; zeros: there is no record
 * @lsr_hint: where it is
 * @lsr_layout: its layout before the swap
 */
struct lod_swap_record {
	struct lu_fid		lsr_file;
	struct osd_hint		lsr_hint;
	struct lod_layout	lsr_layout;
};

static bool first_is_same(const struct lod_layout *a, const struct lod_layout *b)
{
	struct lov_object first, second;

	return lod_layout_first(a, &first) && lod_layout_first(b, &second) &&
	       first.ost == second.ost && lu_fid_eq(&first.fid, &second.fid);
}

/* --- the record ----------------------------------------------------------------------- */

static int record_decode(const void *bytes, size_t len, struct lod_swap_record *rec)
{
	const struct ll_swap_record *from = bytes;
	int rc;

	BUILD_BUG_ON(sizeof(from->sr_hint) != sizeof(rec->lsr_hint));
	if (len < sizeof(*from) || le32_to_cpu(from->sr_magic) != LL_SWAP_RECORD_MAGIC ||
	    le32_to_cpu(from->sr_len) != len - sizeof(*from))
		return -EUCLEAN;
	rc = lod_layout_space(&rec->lsr_layout, len - sizeof(*from));
	if (rc)
		return rc;
	memcpy(rec->lsr_layout.ll_bytes, from + 1, rec->lsr_layout.ll_len);
	rec->lsr_file = fid_le_get(&from->sr_file);
	memcpy(&rec->lsr_hint, from->sr_hint, sizeof(rec->lsr_hint));
	return 0;
}

/* @rec: out, whose layout is to be freed. Return: 0; -EUCLEAN; -ENOMEM; errors of the backend */
static int record_read(const struct osd_object *obj, struct lod_swap_record *rec)
{
	ssize_t len = osd_ea_get(obj, XATTR_NAME_SWAP, NULL, 0);
	void *bytes;
	int rc;

	memset(rec, 0, sizeof(*rec));
	if (len <= 0)
		return len == -ENODATA || len == -EOPNOTSUPP ? 0 : len;
	bytes = kvmalloc(len, GFP_KERNEL);
	if (!bytes)
		return -ENOMEM;
	len = osd_ea_get(obj, XATTR_NAME_SWAP, bytes, len);
	rc = len < 0 ? len : record_decode(bytes, len, rec);
	kvfree(bytes);
	return rc;
}

/* @file: NULL: the record is not used any more */
static int record_write(struct osd_object *obj, const struct osd_object *file,
			const struct lod_layout *layout)
{
	const size_t len = sizeof(struct ll_swap_record) + layout->ll_len;
	struct ll_swap_record *rec = kvzalloc(len, GFP_KERNEL);
	const struct osd_xattr xattr = {
		.ox_name = XATTR_NAME_SWAP, .ox_value = rec, .ox_len = len,
	};
	const struct osd_xattrs xattrs = { .oxs_list = &xattr, .oxs_nr = 1 };
	struct osd_hint hint = {};
	int rc = rec ? 0 : -ENOMEM;

	if (!rc && file)
		rc = osd_object_hint(file, &hint);
	if (!rc) {
		rec->sr_magic = cpu_to_le32(LL_SWAP_RECORD_MAGIC);
		rec->sr_len = cpu_to_le32(layout->ll_len);
		if (file)
			fid_le_put(&rec->sr_file, &file->oo_fid);
		memcpy(rec->sr_hint, &hint, sizeof(hint));
		memcpy(rec + 1, layout->ll_bytes, layout->ll_len);
		rc = osd_ea_set(obj, &xattrs, NULL);
	}
	kvfree(rec);
	return rc;
}

/* Whether the file of a record has the objects of @layout. Return: 1; 0; a negative errno */
static int file_has(const struct osd_object *obj, const struct lod_swap_record *rec,
		    const struct lod_layout *layout)
{
	struct lod_layout other = {};
	struct osd_object file;
	int rc = osd_object_locate(obj->oo_osd, &file, &rec->lsr_file, &rec->lsr_hint);

	if (rc)
		return rc;
	rc = lod_layout_read(&file, &other);
	if (!rc)
		rc = first_is_same(&other, layout);
	lod_layout_free(&other);
	osd_object_fini(&file);
	return rc;
}

int lod_swap_layout(const struct osd_object *obj, struct lod_layout *layout)
{
	struct lod_swap_record rec;
	int rc = record_read(obj, &rec) ?: lod_layout_read(obj, layout);

	/* Without a record, or with that of a swap that was done. */
	if (rc || fid_is_zero(&rec.lsr_file) || first_is_same(layout, &rec.lsr_layout))
		goto free_record;
	rc = file_has(obj, &rec, layout);
	if (rc > 0) {
		lod_layout_move(layout, &rec.lsr_layout);
		rc = 0;
	}
free_record:
	lod_layout_free(&rec.lsr_layout);
	return rc;
}

bool lod_swap_is_done(const struct mdt_object *file, struct mdt_object *other)
{
	struct lod_layout layout = {};
	struct lod_swap_record rec;
	bool done;

	lockdep_assert_held(&other->mo_lock);
	done = !record_read(&other->mo_osd, &rec) &&
	       lu_fid_eq(&rec.lsr_file, &file->mo_lu.lo_fid) &&
	       !lod_layout_read(&other->mo_osd, &layout) &&
	       first_is_same(&layout, &rec.lsr_layout);
	lod_layout_free(&layout);
	lod_layout_free(&rec.lsr_layout);
	return done;
}

/* --- the swap ------------------------------------------------------------------------- */

int lod_plain_adopt(struct lod_layout *layout, const struct lu_fid *fid, const u32 *gen)
{
	struct lov_mds_md *lmm = layout->ll_bytes;
	struct lov_ea ea;

	if (lov_ea_decode(layout->ll_bytes, layout->ll_len, &ea))
		return -EUCLEAN;
	codec_put64(&lmm->lmm_oi_id, fid->f_oid);
	codec_put64(&lmm->lmm_oi_seq, fid->f_seq);
	if (gen)
		codec_put16(&lmm->lmm_layout_gen, *gen);
	return 0;
}

static u32 generation(const struct lod_layout *layout)
{
	struct lov_comp comp;
	struct lov_ea ea;

	if (lod_is_comp(layout->ll_bytes, layout->ll_len))
		return lov_comp_decode(layout->ll_bytes, layout->ll_len, &comp) ? 0 : comp.gen;
	return lov_ea_decode(layout->ll_bytes, layout->ll_len, &ea) ? 0 : ea.gen;
}

/* @to: the layout @from as that of @obj, after one of generation @gen */
static int adopt(const struct mdt_object *obj, u32 gen, const struct lod_layout *from,
		 struct lod_layout *to)
{
	const struct lu_fid *fid = &obj->mo_lu.lo_fid;
	int rc = lod_layout_space(to, from->ll_len);

	if (rc)
		return rc;
	memcpy(to->ll_bytes, from->ll_bytes, from->ll_len);
	gen++;
	return lod_is_comp(to->ll_bytes, to->ll_len) ? lod_comp_adopt(to, fid, gen) :
						       lod_plain_adopt(to, fid, &gen);
}

/**
 * struct lod_swap - a swap
 * @file: file
 * @other: file in PENDING
 * @had: their layouts
 * @gets: the new ones
 */
struct lod_swap {
	struct mdt_object	*file;
	struct mdt_object	*other;
	struct lod_layout	had[2];
	struct lod_layout	gets[2];
};

static int swap_read(struct lod_swap *swap)
{
	int rc = lod_layout_read(&swap->file->mo_osd, &swap->had[0]) ?:
		 lod_layout_read(&swap->other->mo_osd, &swap->had[1]);

	if (rc)
		return rc;
	if (!swap->had[0].ll_len || !swap->had[1].ll_len)
		return -ENODATA;
	if (lov_ea_magic(swap->had[0].ll_bytes, swap->had[0].ll_len) == LOV_MAGIC_FOREIGN)
		return -EOPNOTSUPP;
	return adopt(swap->file, generation(&swap->had[0]), &swap->had[1], &swap->gets[0]) ?:
	       adopt(swap->other, generation(&swap->had[1]), &swap->had[0], &swap->gets[1]);
}

/*
 * If that fails the file in PENDING stays as it is: its end finds that the objects are not its own.
 */
static void swap_undo(struct lod_swap *swap, int rc)
{
	char text[FID_TEXT_SIZE];
	int undo = lod_layout_write(&swap->file->mo_osd, &swap->had[0], NULL);

	if (undo)
		CERROR("[%s]: a swap of layouts has failed (rc = %d), and the file keeps the new one: rc = %d\n",
		       fid_text(&swap->file->mo_lu.lo_fid, text), rc, undo);
}

static int swap_write(struct lod_swap *swap, struct mdt_trans *mt)
{
	struct osd_object *file = &swap->file->mo_osd, *other = &swap->other->mo_osd;
	int rc = record_write(other, file, &swap->had[0]);

	if (rc)
		return rc;
	rc = lod_layout_write(file, &swap->gets[0], &mt->mtr_stamp);
	if (rc) {
		record_write(other, NULL, &swap->had[0]);
		return rc;
	}
	rc = lod_layout_write(other, &swap->gets[1], NULL);
	if (rc)
		swap_undo(swap, rc);
	return rc;
}

int lod_swap(struct mdt_object *file, struct mdt_object *other, struct mdt_trans *mt)
{
	struct lod_swap swap = { .file = file, .other = other };
	int rc, n;

	lockdep_assert_held(&file->mo_lock);
	lockdep_assert_held(&other->mo_lock);
	rc = swap_read(&swap) ?: swap_write(&swap, mt);
	for (n = 0; n < 2; n++) {
		lod_layout_free(&swap.had[n]);
		lod_layout_free(&swap.gets[n]);
	}
	return rc;
}
