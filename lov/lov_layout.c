// SPDX-License-Identifier: GPL-2.0-only
/*
 * Layouts of files, from the value of trusted.lov. What is not served is refused by its name in the
 * log: a file whose bytes are elsewhere must not look like an empty one.
 */
#define DEBUG_SUBSYSTEM S_LOV

#include <linux/err.h>
#include <linux/overflow.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lov_ea.h>

#include "lov_internal.h"
#include "lov_layout.h"

/* Return: what a plain layout is that is not served, or NULL */
static const char *plain_refused(const struct lov_ea *ea)
{
	u32 served = LOV_PATTERN_RAID0 | LOV_PATTERN_OVERSTRIPING;

	if (ea->pattern & LOV_PATTERN_F_RELEASED)
		return "a released file, whose data is in an archive";
	if (ea->pattern & LOV_PATTERN_MDT)
		return "data on the metadata target";
	if (ea->pattern & LOV_PATTERN_F_HOLE)
		return "a file with missing objects";
	if (ea->pattern & ~served || !(ea->pattern & LOV_PATTERN_RAID0))
		return "an unknown pattern";
	return NULL;
}

/* A composite file of one component, which has all bytes, is as good as a plain one. */
static const char *comp_refused(const struct lov_comp *comp, struct lov_comp_entry *entry)
{
	if (comp->mirror_count > 1)
		return "mirrors";
	if (comp->entry_count != 1)
		return "several components";
	*entry = lov_comp_get(comp, 0);
	if (entry->start || entry->end != U64_MAX)
		return "a component that has not all bytes of the file";
	return NULL;
}

/*
 * Find the plain layout. @fault: out: of a malformed value. Return: what the layout is that is not
 * served, or NULL
 */
static const char *ea_read(const void *bytes, size_t len, struct lov_ea *ea, const char **fault)
{
	struct lov_comp_entry entry;
	struct lov_comp comp;
	const char *refused;

	*fault = NULL;
	switch (lov_ea_magic(bytes, len)) {
	case LOV_MAGIC_COMP_V1:
		*fault = lov_comp_decode(bytes, len, &comp);
		if (*fault)
			return NULL;
		refused = comp_refused(&comp, &entry);
		if (refused)
			return refused;
		if (lov_ea_magic(entry.layout, entry.layout_len) == LOV_MAGIC_FOREIGN)
			return "a component for other programs";
		*fault = lov_ea_decode(entry.layout, entry.layout_len, ea);
		break;
	case LOV_MAGIC_FOREIGN:
		return "a layout for other programs";
	default:
		*fault = lov_ea_decode(bytes, len, ea);
	}
	return *fault ? NULL : plain_refused(ea);
}

/* Return: NULL, or what is not served */
static const char *objects_fill(struct lov_layout *layout, const struct lov_ea *ea)
{
	struct lov_object object;
	u32 n;

	for (n = 0; n < ea->object_count; n++) {
		object = lov_ea_object(ea, n);
		if (!fid_is_idif(&object.fid))
			return "objects that another metadata target has numbered";
		layout->lo_objects[n].los_fid = object.fid;
		layout->lo_objects[n].los_ost = object.ost;
	}
	return NULL;
}

static struct lov_layout *refuse(struct obd_export *exp, const struct lu_fid *file,
				 const char *what, int rc)
{
	char text[FID_TEXT_SIZE];

	CERROR("%s: file [%s]: %s%s: rc = %d\n", exp->exp_obd->obd_name, fid_text(file, text),
	       rc == -EUCLEAN ? "malformed layout: " : "this release does not serve ", what, rc);
	return ERR_PTR(rc);
}

/**
 * lov_layout_new() - d_layout of type lov
 * @exp: export of the device
 * @file: FID of the file
 * @ea: value of its trusted.lov
 * @len: bytes of it
 *
 * Context: may sleep
 * Return: layout, referenced; ERR_PTR: -EOPNOTSUPP: of a kind that is not served; -EUCLEAN:
 *  malformed; -ENOMEM
 */
struct lov_layout *lov_layout_new(struct obd_export *exp, const struct lu_fid *file,
				  const void *ea, size_t len)
{
	const char *fault, *refused;
	struct lov_layout *layout;
	struct lov_ea plain;

	refused = ea_read(ea, len, &plain, &fault);
	if (!fault && !refused && !plain.object_count)
		fault = "no objects";
	if (fault || refused)
		return refuse(exp, file, fault ?: refused, fault ? -EUCLEAN : -EOPNOTSUPP);
	layout = libcfs_zalloc(struct_size(layout, lo_objects, plain.object_count),
			       GFP_NOFS | __GFP_ACCOUNT);
	if (!layout)
		return ERR_PTR(-ENOMEM);
	refcount_set(&layout->lo_refcount, 1);
	layout->lo_file = *file;
	layout->lo_stripes.size = plain.stripe_size;
	layout->lo_stripes.count = plain.object_count;
	refused = objects_fill(layout, &plain);
	if (!refused)
		return layout;
	lov_layout_put(layout);
	return refuse(exp, file, refused, -EOPNOTSUPP);
}

/**
 * lov_layout_put() - d_layout_put of type lov
 * @layout: layout
 *
 * Context: any
 */
void lov_layout_put(struct lov_layout *layout)
{
	u32 count = layout->lo_stripes.count, n;

	if (!refcount_dec_and_test(&layout->lo_refcount))
		return;
	for (n = 0; n < count; n++)
		ost_writes_put(layout->lo_objects[n].los_writes);
	libcfs_free(layout, struct_size(layout, lo_objects, count));
}

/**
 * lov_layout_writes() - the account of the changes of an object
 * @layout: layout
 * @stripe: number of the object
 *
 * Context: may sleep
 * Return: account, the layout's; NULL on allocation failure
 */
struct ost_writes *lov_layout_writes(struct lov_layout *layout, u32 stripe)
{
	struct ost_writes **at = &layout->lo_objects[stripe].los_writes;
	struct ost_writes *writes = READ_ONCE(*at), *made;

	if (writes)
		return writes;
	made = ost_writes_new();
	if (!made)
		return NULL;
	writes = cmpxchg(at, NULL, made);
	if (!writes)
		return made;
	ost_writes_put(made);
	return writes;
}

/**
 * lov_layout_error() - d_error of type lov
 * @layout: layout
 *
 * Context: any
 * Return: 0; -EIO if changes were lost since the last call
 */
int lov_layout_error(struct lov_layout *layout)
{
	bool lost = false;
	u32 n;

	for (n = 0; n < layout->lo_stripes.count; n++)
		lost |= ost_writes_error(READ_ONCE(layout->lo_objects[n].los_writes)) != 0;
	return lost ? -EIO : 0;
}
