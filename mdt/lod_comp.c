// SPDX-License-Identifier: GPL-2.0-only
/*
 * Composite layouts: a file in components, each for some of its bytes, with objects of its own.
 *
 *	lod_comp_template()	a default, or what a user asks for: no component has objects
 *	lod_comp_new()		a new file: the first component has objects
 *	lod_comp_extend()	before a client writes: the components up to there get objects
 *	lod_comp_replay()	likewise, executed again: the objects that the client knows
 *	lod_comp_add(), _del()	a user adds components after the last one, or removes the last ones
 *
 * LCME_FL_INIT of a component says that it has objects. Each change raises the generation of the
 * layout. As in real Lustre no component without objects is before one that has some, and the first
 * target of a component without objects is in lmm_layout_gen.
 */
#define DEBUG_SUBSYSTEM S_MDS

#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "lod.h"
#include "mdt_internal.h"

/* First bytes of components are multiples of it. */
#define EXTENT_UNIT	65536
/* Real Lustre numbers components with 16 bits; this many fit a reply. */
#define NUMBER_MASK	0xffff
#define COMPONENTS_MAX	256
/* Components that get no objects. */
#define NOT_EXTENDED	(LCME_FL_STALE | LCME_FL_OFFLINE | LCME_FL_EXTENSION | LCME_FL_PARITY)

/**
 * struct lod_edit - a composite layout that is changed
 * @comp: its header
 * @entries: its components
 * @parts: layouts of those that were changed
 */
struct lod_edit {
	struct lov_comp		comp;
	struct lov_comp_entry	*entries;
	struct lod_layout	*parts;
};

static void edit_fini(struct lod_edit *edit)
{
	u32 n;

	for (n = 0; edit->parts && n < edit->comp.entry_count; n++)
		lod_layout_free(&edit->parts[n]);
	kvfree(edit->parts);
	kvfree(edit->entries);
}

/* @bytes: they stay until edit_fini(), which follows in any case. Return: 0; -EUCLEAN; -ENOMEM */
static int edit_init(struct lod_edit *edit, const void *bytes, size_t len)
{
	u32 n;

	memset(edit, 0, sizeof(*edit));
	if (lov_comp_decode(bytes, len, &edit->comp))
		return -EUCLEAN;
	edit->entries = kvcalloc(edit->comp.entry_count, sizeof(*edit->entries), GFP_KERNEL);
	edit->parts = kvcalloc(edit->comp.entry_count, sizeof(*edit->parts), GFP_KERNEL);
	if (!edit->entries || !edit->parts)
		return -ENOMEM;
	for (n = 0; n < edit->comp.entry_count; n++)
		edit->entries[n] = lov_comp_get(&edit->comp, n);
	return 0;
}

/* The layout of component @n is the one in @parts. */
static void edit_part(struct lod_edit *edit, u32 n)
{
	edit->entries[n].layout = edit->parts[n].ll_bytes;
	edit->entries[n].layout_len = edit->parts[n].ll_len;
}

static size_t edit_size(const struct lod_edit *edit)
{
	return lov_comp_size(edit->entries, edit->comp.entry_count);
}

/* @layout: replaced; it may have the bytes of edit_init(). Return: 0; -E2BIG; -ENOMEM */
static int edit_encode(const struct lod_edit *edit, struct lod_layout *layout)
{
	struct lod_layout to = {};
	size_t size = edit_size(edit);
	int rc;

	if (size > MDS_XATTR_MAX)
		return -E2BIG;
	rc = lod_layout_space(&to, size);
	if (rc)
		return rc;
	lov_comp_encode(to.ll_bytes, &edit->comp, edit->entries);
	lod_layout_move(layout, &to);
	return 0;
}

/* A component with another file as the owner of its objects. */
static int part_adopt(struct lod_edit *edit, u32 n, const struct lu_fid *fid)
{
	struct lov_comp_entry *entry = &edit->entries[n];
	struct lod_layout *part = &edit->parts[n];
	int rc;

	if (lov_ea_magic(entry->layout, entry->layout_len) == LOV_MAGIC_FOREIGN)
		return -EOPNOTSUPP;
	rc = lod_layout_space(part, entry->layout_len);
	if (rc)
		return rc;
	memcpy(part->ll_bytes, entry->layout, entry->layout_len);
	rc = lod_plain_adopt(part, fid, NULL);
	edit_part(edit, n);
	return rc;
}

int lod_comp_adopt(struct lod_layout *layout, const struct lu_fid *fid, u32 gen)
{
	struct lod_edit edit;
	int rc = edit_init(&edit, layout->ll_bytes, layout->ll_len);
	u32 n;

	for (n = 0; !rc && n < edit.comp.entry_count; n++)
		rc = part_adopt(&edit, n, fid);
	edit.comp.gen = gen;
	rc = rc ?: edit_encode(&edit, layout);
	edit_fini(&edit);
	return rc;
}

bool lod_is_comp(const void *bytes, size_t len)
{
	return lov_ea_magic(bytes, len) == LOV_MAGIC_COMP_V1;
}

static bool entry_lacks(const struct lov_comp_entry *entry, u64 end)
{
	return entry->start < end && !(entry->flags & LCME_FL_INIT);
}

bool lod_comp_lacks(const struct lod_layout *layout, u64 end)
{
	struct lov_comp_entry entry;
	struct lov_comp comp;
	u32 n;

	if (!layout->ll_len || lov_comp_decode(layout->ll_bytes, layout->ll_len, &comp))
		return false;
	for (n = 0; n < comp.entry_count; n++) {
		entry = lov_comp_get(&comp, n);
		if (entry_lacks(&entry, end))
			return true;
	}
	return false;
}

const char *lod_comp_fault(const struct lov_comp *comp, u64 start, u32 *number)
{
	struct lov_comp_entry entry;
	u64 end = start;
	u32 n;

	*number = comp->entry_count;
	if (comp->entry_count > COMPONENTS_MAX)
		return "too many components:";
	for (n = 0; n < comp->entry_count; n++) {
		entry = lov_comp_get(comp, n);
		*number = n + 1;
		if (entry.start != end)
			return "bytes without or with two components before the end of number";
		if (entry.end != U64_MAX && entry.end % EXTENT_UNIT)
			return "the end is not a multiple of 65536, of component";
		if (lov_ea_magic(entry.layout, entry.layout_len) == LOV_MAGIC_FOREIGN)
			return "a component for other programs:";
		end = entry.end;
	}
	return NULL;
}

/* Why a new file does not get a component of its default as it is, or NULL. */
static const char *entry_lost(const struct lov_comp_entry *entry)
{
	struct lov_ea ea;

	if (lov_ea_decode(entry->layout, entry->layout_len, &ea))
		return "a component for other programs";
	if (entry->flags & NOT_EXTENDED)
		return "a component that extends others, or has erasure codes";
	if (ea.pattern & LOV_PATTERN_MDT)
		return "data on the metadata target";
	return !ea.pattern || (ea.pattern & ~LOV_PATTERN_OVERSTRIPING) == LOV_PATTERN_RAID0 ?
	       NULL : "an unknown pattern";
}

const char *lod_comp_lost(const void *bytes, size_t len)
{
	struct lov_comp_entry entry;
	const char *lost = NULL;
	struct lov_comp comp;
	u32 n;

	if (lov_comp_decode(bytes, len, &comp))
		return "a malformed layout";
	if (comp.mirror_count > 1)
		return "mirrors";
	for (n = 0; n < comp.entry_count && !lost; n++) {
		entry = lov_comp_get(&comp, n);
		lost = entry_lost(&entry);
	}
	return lost;
}

/* A component without objects. @wish: what it wants */
static int part_head(struct lod_edit *edit, u32 n, const struct lu_fid *fid,
		     const struct lod_wish *wish)
{
	struct lod_layout *part = &edit->parts[n];
	struct lov_ea ea = {
		.magic = *wish->lw_pool ? LOV_MAGIC_V3 : LOV_MAGIC_V1,
		.pattern = LOV_PATTERN_RAID0,
		.oi_id = fid->f_oid,
		.oi_seq = fid->f_seq,
		.stripe_size = wish->lw_stripe_size,
		.stripe_count = wish->lw_stripe_count,
		.gen = wish->lw_offset == LOD_ANY ? U16_MAX : wish->lw_offset,
		.osts = wish->lw_osts,
		.ost_count = wish->lw_nr_osts,
	};
	int rc;

	if (wish->lw_osts)
		ea.magic = LOV_MAGIC_SPECIFIC;
	strscpy(ea.pool, wish->lw_pool, sizeof(ea.pool));
	rc = lod_layout_space(part, lov_ea_size(&ea));
	if (rc)
		return rc;
	lov_ea_encode(part->ll_bytes, &ea, NULL);
	edit_part(edit, n);
	edit->entries[n].id = n + 1;
	edit->entries[n].flags = 0;
	edit->entries[n].gen = 0;
	memset(edit->entries[n].rest, 0, sizeof(edit->entries[n].rest));
	return 0;
}

/* What a component wants. Objects that it has, as tar restores them, are ignored. */
static int part_wish(const struct lov_comp_entry *entry, struct lod_wish *wish)
{
	struct lov_ea ea;

	lod_wish_init(wish);
	if (lov_ea_decode(entry->layout, entry->layout_len, &ea))
		return -EUCLEAN;
	if ((ea.pattern & ~LOV_PATTERN_OVERSTRIPING) != LOV_PATTERN_RAID0 && ea.pattern)
		return -EOPNOTSUPP;
	if (ea.object_count)
		ea.gen = U16_MAX;
	lod_wish_add(wish, &ea);
	return 0;
}

/* The components of the first mirror, whose bytes follow each other. */
static u32 first_mirror(const struct lod_edit *edit)
{
	u32 n = 1;

	while (n < edit->comp.entry_count && edit->entries[n].start >= edit->entries[n - 1].end)
		n++;
	return n;
}

/*
 * Component @n of a default. One with data on the metadata target is as the next one, or as the
 * volume says.
 */
static int part_wish_default(const struct lod_edit *edit, u32 n, struct lod_wish *wish)
{
	int rc = part_wish(&edit->entries[n], wish);

	if (rc != -EOPNOTSUPP)
		return rc;
	if (n + 1 < edit->comp.entry_count)
		rc = part_wish(&edit->entries[n + 1], wish);
	if (rc)
		lod_wish_init(wish);
	return 0;
}

/* @lod: NULL: what a component leaves open stays open, and each is served */
static int comp_heads(struct lod_edit *edit, struct lod_device *lod, const struct lu_fid *fid)
{
	struct lod_wish wish;
	int rc = 0;
	u32 n;

	edit->comp.entry_count = first_mirror(edit);
	for (n = 0; n < edit->comp.entry_count && !rc; n++) {
		rc = lod ? part_wish_default(edit, n, &wish) : part_wish(&edit->entries[n], &wish);
		if (!rc && lod)
			rc = lod_wish_volume(lod, &wish);
		rc = rc ?: part_head(edit, n, fid, &wish);
	}
	edit->comp.flags = 0;
	edit->comp.mirror_count = 1;
	return rc;
}

int lod_comp_template(const void *bytes, size_t len, struct lod_layout *layout)
{
	static const struct lu_fid none;
	struct lod_edit edit;
	int rc = edit_init(&edit, bytes, len) ?: comp_heads(&edit, NULL, &none);

	edit.comp.gen = 0;
	rc = rc ?: edit_encode(&edit, layout);
	edit_fini(&edit);
	return rc;
}

/* Objects for a component. The layout has to fit a reply. Return: as lod_choose(); -EOPNOTSUPP */
static int part_extend(struct lod_edit *edit, u32 n, struct lod_device *lod,
		       const struct lu_fid *fid)
{
	struct lov_comp_entry *entry = &edit->entries[n];
	u32 most = (MDS_XATTR_MAX - edit_size(edit)) / sizeof(struct lov_ost_data);
	struct lod_wish wish;
	int rc = entry->flags & NOT_EXTENDED ? -EOPNOTSUPP : part_wish(entry, &wish);

	rc = rc ?: lod_wish_volume(lod, &wish);
	if (rc)
		return rc;
	if (wish.lw_stripe_count == LOD_ALL)
		wish.lw_stripe_count = lod_active(lod);
	wish.lw_stripe_count = min(wish.lw_stripe_count, most);
	if (!most)
		return -E2BIG;
	rc = lod_layout_choose(lod, &wish, fid, &edit->parts[n]);
	if (rc)
		return rc;
	edit_part(edit, n);
	entry->flags |= LCME_FL_INIT;
	return 0;
}

/*
 * The first failure ends it; those before it have their objects. Return: number; a negative errno
 */
static int comp_extend(struct lod_edit *edit, struct lod_device *lod, const struct lu_fid *fid,
		       u64 end)
{
	int made = 0, rc = 0;
	u32 n;

	if (edit->comp.mirror_count > 1)
		return -EOPNOTSUPP;
	for (n = 0; n < edit->comp.entry_count && !rc; n++) {
		if (!entry_lacks(&edit->entries[n], end))
			continue;
		rc = part_extend(edit, n, lod, fid);
		made += !rc;
	}
	return made ?: rc;
}

int lod_comp_extend(struct lod_device *lod, const struct lu_fid *fid, u64 end,
		    struct lod_layout *layout)
{
	struct lod_edit edit;
	int rc = edit_init(&edit, layout->ll_bytes, layout->ll_len) ?:
		 comp_extend(&edit, lod, fid, end);

	edit.comp.gen++;
	if (rc > 0)
		rc = edit_encode(&edit, layout) ?: 1;
	edit_fini(&edit);
	return rc;
}

int lod_comp_new(struct lod_device *lod, const struct lod_layout *wanted, const struct lu_fid *fid,
		 struct lod_layout *layout)
{
	struct lod_edit edit;
	int rc = edit_init(&edit, wanted->ll_bytes, wanted->ll_len) ?:
		 comp_heads(&edit, lod, fid);

	/* Each component counts, as in real Lustre; the first one below. */
	edit.comp.gen = edit.comp.entry_count - 1;
	rc = rc ?: edit_encode(&edit, layout);
	edit_fini(&edit);
	if (!rc)
		rc = lod_comp_extend(lod, fid, 1, layout);
	if (rc < 0)
		lod_layout_free(layout);
	return min(rc, 0);
}

/* Whether one of the first @count components has it, or none can. */
static bool id_is_used(const struct lod_edit *edit, u32 count, u32 id)
{
	u32 n;

	for (n = 0; n < count; n++)
		if (edit->entries[n].id == id)
			return true;
	return !id;
}

/* As in real Lustre the number of a component is the generation that it comes with. */
static u32 next_id(struct lod_edit *edit, u32 count)
{
	do {
		edit->comp.gen++;
	} while (id_is_used(edit, count, edit->comp.gen & NUMBER_MASK));
	return edit->comp.gen & NUMBER_MASK;
}

/* @to becomes the components of @base and then those of @more, which keep their layouts. */
static int comps_join(struct lod_edit *to, const struct lod_edit *base, const struct lod_edit *more)
{
	const u32 count = base->comp.entry_count;
	u32 n;

	to->comp = base->comp;
	to->comp.entry_count = count + more->comp.entry_count;
	if (to->comp.entry_count > COMPONENTS_MAX)
		return -E2BIG;
	to->entries = kvcalloc(to->comp.entry_count, sizeof(*to->entries), GFP_KERNEL);
	if (!to->entries)
		return -ENOMEM;
	memcpy(to->entries, base->entries, count * sizeof(*to->entries));
	memcpy(to->entries + count, more->entries,
	       more->comp.entry_count * sizeof(*to->entries));
	for (n = count; n < to->comp.entry_count; n++)
		to->entries[n].id = next_id(to, n);
	return 0;
}

int lod_comp_add(struct lod_device *lod, const struct lod_layout *wanted, const struct lu_fid *fid,
		 struct lod_layout *layout)
{
	struct lod_edit base, more = {}, all = {};
	int rc = edit_init(&base, layout->ll_bytes, layout->ll_len) ?:
		 edit_init(&more, wanted->ll_bytes, wanted->ll_len) ?:
		 comp_heads(&more, lod, fid) ?: comps_join(&all, &base, &more) ?:
		 edit_encode(&all, layout);

	edit_fini(&all);
	edit_fini(&more);
	edit_fini(&base);
	return rc;
}

int lod_comp_del(struct lod_layout *layout, u32 left)
{
	struct lod_edit edit;
	int rc = edit_init(&edit, layout->ll_bytes, layout->ll_len);

	edit.comp.entry_count = left;
	edit.comp.gen++;
	rc = rc ?: edit_encode(&edit, layout);
	edit_fini(&edit);
	return rc;
}

/*
 * A component of @known with the same bytes and objects, for one without. Return: whether there is
 */
static bool part_take(struct lov_comp_entry *entry, const struct lov_comp *known)
{
	struct lov_comp_entry from;
	u32 n;

	for (n = 0; n < known->entry_count; n++) {
		from = lov_comp_get(known, n);
		if (from.id != entry->id || from.start != entry->start || from.end != entry->end ||
		    !(from.flags & LCME_FL_INIT))
			continue;
		*entry = from;
		return true;
	}
	return false;
}

int lod_comp_replay(const void *bytes, size_t len, struct lod_layout *layout)
{
	struct lov_comp known;
	struct lod_edit edit;
	int rc = edit_init(&edit, layout->ll_bytes, layout->ll_len), taken = 0;
	u32 n;

	if (!rc && lov_comp_decode(bytes, len, &known))
		rc = -EUCLEAN;
	for (n = 0; !rc && n < edit.comp.entry_count; n++)
		if (!(edit.entries[n].flags & LCME_FL_INIT))
			taken += part_take(&edit.entries[n], &known);
	if (taken) {
		if ((s32)(known.gen - edit.comp.gen) > 0)
			edit.comp.gen = known.gen;
		rc = edit_encode(&edit, layout) ?: 1;
	}
	edit_fini(&edit);
	return rc;
}
