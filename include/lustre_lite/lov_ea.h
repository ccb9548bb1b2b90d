/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trusted.lov: where the bytes of a file are, or the default of a directory.
 *
 *	magic			decoder			meaning
 *	LOV_MAGIC_V1, _V3	lov_ea_decode()		stripes over objects; V3 has a pool
 *	LOV_MAGIC_SPECIFIC	lov_ea_decode()		of a default or a request: the OSTs to use
 *	LOV_MAGIC_COMP_V1	lov_comp_decode()	components, each one a layout of its own
 *	LOV_MAGIC_FOREIGN	lov_foreign_decode()	for other programs
 *
 * Nothing here allocates, locks or logs. Decoded structures point into the caller's bytes.
 */
#ifndef _LUSTRE_LITE_LOV_EA_H
#define _LUSTRE_LITE_LOV_EA_H

#include <lustre_lite/lustre_fid.h>
#include <uapi/lustre_lite/lustre_ea.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct lov_ea - a plain layout
 * @magic: LOV_MAGIC_V1, LOV_MAGIC_V3, LOV_MAGIC_SPECIFIC
 * @pattern: LOV_PATTERN_*
 * @oi_id: number of the file's FID
 * @oi_seq: its sequence
 * @stripe_size: bytes
 * @stripe_count: stripes; without objects it can be a request, as 0 or 0xffff
 * @gen: generation of a layout with objects; else the first OST, or 0xffff
 * @pool: NUL-terminated; empty in V1
 * @objects: objects in the caller's bytes, for lov_ea_object()
 * @object_count: stripe_count, or 0: default of a directory, or a component without objects
 * @osts: the OSTs to use in the caller's bytes, for lov_ea_ost(); LOV_MAGIC_SPECIFIC only, else
 *	NULL
 * @ost_count: their number
 */
struct lov_ea {
	u32		magic;
	u32		pattern;
	u64		oi_id;
	u64		oi_seq;
	u32		stripe_size;
	u16		stripe_count;
	u16		gen;
	char		pool[LOV_MAXPOOLNAME + 1];
	const u8	*objects;
	u32		object_count;
	const u8	*osts;
	u32		ost_count;
};

/**
 * struct lov_object - an object of a layout
 * @fid: its FID; an IDIF for those that MDT0000 made; zero: a hole of the layout
 * @ost: index of its OST
 */
struct lov_object {
	struct lu_fid	fid;
	u32		ost;
};

/**
 * struct lov_comp - a composite layout
 * @bytes: the value
 * @gen: generation
 * @flags: state of the mirrors
 * @entry_count: components
 * @mirror_count: mirrors, at least 1
 */
struct lov_comp {
	const u8	*bytes;
	u32		gen;
	u16		flags;
	u32		entry_count;
	u32		mirror_count;
};

/**
 * enum lov_del - whether components can be removed
 * @LOV_DEL_OK: they can
 * @LOV_DEL_MISSING: there is no such component
 * @LOV_DEL_NOT_LAST: another one is after one of them
 * @LOV_DEL_OBJECTS: one of them has objects
 * @LOV_DEL_ALL: none would be left
 */
enum lov_del {
	LOV_DEL_OK,
	LOV_DEL_MISSING,
	LOV_DEL_NOT_LAST,
	LOV_DEL_OBJECTS,
	LOV_DEL_ALL,
};

/* Bytes of an entry that are copied. */
#define LOV_COMP_REST	12

/**
 * struct lov_comp_entry - a component
 * @id: mirror << 16 | number
 * @flags: LCME_FL_*
 * @start: first byte
 * @end: first byte after it, or all ones
 * @gen: generation
 * @layout: its layout, of magic V1, V3, SPECIFIC or FOREIGN
 * @layout_len: bytes of @layout
 * @rest: lcme_timestamp and lcme_rest, which are kept
 */
struct lov_comp_entry {
	u32		id;
	u32		flags;
	u64		start;
	u64		end;
	u32		gen;
	const u8	*layout;
	size_t		layout_len;
	u8		rest[LOV_COMP_REST];
};

/**
 * struct lov_foreign - a layout for other programs
 * @type: what it is for
 * @flags: of that type
 * @value: its bytes
 * @len: their number
 */
struct lov_foreign {
	u32		type;
	u32		flags;
	const u8	*value;
	size_t		len;
};

u32 lov_ea_magic(const void *bytes, size_t len);
const char *lov_ea_decode(const void *bytes, size_t len, struct lov_ea *ea);
struct lov_object lov_ea_object(const struct lov_ea *ea, u32 n);
u32 lov_ea_ost(const u8 *osts, u32 n);
size_t lov_ea_size(const struct lov_ea *ea);
void lov_ea_encode(void *bytes, const struct lov_ea *ea, const struct lov_object *objects);
const char *lov_comp_decode(const void *bytes, size_t len, struct lov_comp *comp);
struct lov_comp_entry lov_comp_get(const struct lov_comp *comp, u32 n);
enum lov_del lov_comp_del(const struct lov_comp *comp, const struct lov_comp_entry *which, u32 *n);
size_t lov_comp_size(const struct lov_comp_entry *entries, u32 nr);
void lov_comp_encode(void *bytes, const struct lov_comp *comp, const struct lov_comp_entry *entries);
const char *lov_foreign_decode(const void *bytes, size_t len, struct lov_foreign *foreign);

#ifdef __cplusplus
}
#endif

#endif /* _LUSTRE_LITE_LOV_EA_H */
