// SPDX-License-Identifier: GPL-2.0-only
/*
 * trusted.lov: composite layouts. Compiles unchanged in the kernel and in user space.
 */
#include <lustre_lite/lov_ea.h>

#define LCM(bytes, field)	((bytes) + offsetof(struct lov_comp_md_v1, field))
#define LCME(bytes, field)	((bytes) + offsetof(struct lov_comp_md_entry_v1, field))

#define HEAD_SIZE		sizeof(struct lov_comp_md_v1)
#define ENTRY_SIZE		sizeof(struct lov_comp_md_entry_v1)

static const char *layout_check(const struct lov_comp_entry *entry)
{
	struct lov_foreign foreign;
	struct lov_ea ea;

	if (lov_ea_magic(entry->layout, entry->layout_len) == LOV_MAGIC_FOREIGN)
		return lov_foreign_decode(entry->layout, entry->layout_len, &foreign);
	return lov_ea_decode(entry->layout, entry->layout_len, &ea);
}

/*
 * Layouts follow the entries, in their order and without overlap. @from: end of the layout
 * before; out: of this one. Return: NULL, or the fault.
 */
static const char *entry_check(const struct lov_comp *comp, u32 n, size_t *from, size_t size)
{
	const u8 *at = comp->bytes + HEAD_SIZE + n * ENTRY_SIZE;
	size_t offset = codec_get32(LCME(at, lcme_offset), false);
	size_t len = codec_get32(LCME(at, lcme_size), false);
	struct lov_comp_entry entry;

	if (offset < *from || offset > size || len > size - offset)
		return "invalid place of a component";
	*from = offset + len;
	entry = lov_comp_get(comp, n);
	/* A default, and what programs ask for, have no numbers yet. */
	if (!entry.id && (entry.flags & (LCME_FL_INIT | LCME_FL_NEG)) == LCME_FL_INIT)
		return "invalid component";
	if (entry.start >= entry.end)
		return "invalid extent of a component";
	return layout_check(&entry);
}

/**
 * lov_comp_decode() - decode a composite layout
 * @bytes: value of trusted.lov
 * @len: bytes of it
 * @comp: out; refers to @bytes
 *
 * The layout of each component is checked, too.
 *
 * Context: any
 * Return: NULL, or the fault
 */
const char *lov_comp_decode(const void *bytes, size_t len, struct lov_comp *comp)
{
	const u8 *from = (const u8 *)bytes;
	const char *fault = NULL;
	size_t end, size;
	u32 n;

	memset(comp, 0, sizeof(*comp));
	if (lov_ea_magic(bytes, len) != LOV_MAGIC_COMP_V1)
		return "unknown magic";
	if (len < HEAD_SIZE)
		return "too short";
	size = codec_get32(LCM(from, lcm_size), false);
	comp->bytes = from;
	comp->gen = codec_get32(LCM(from, lcm_layout_gen), false);
	comp->flags = codec_get16(LCM(from, lcm_flags));
	comp->entry_count = codec_get16(LCM(from, lcm_entry_count));
	comp->mirror_count = codec_get16(LCM(from, lcm_mirror_count)) + 1U;
	end = HEAD_SIZE + comp->entry_count * ENTRY_SIZE;
	if (size > len || end > size)
		return "invalid length";
	if (!comp->entry_count)
		return "no component";
	for (n = 0; n < comp->entry_count && !fault; n++)
		fault = entry_check(comp, n, &end, size);
	return fault;
}
EXPORT_SYMBOL_NS_GPL(lov_comp_decode, LUSTRE_LITE);

/**
 * lov_comp_get() - a component
 * @comp: decoded
 * @n: which one, less than @comp->entry_count
 *
 * Context: any
 * Return: the component
 */
struct lov_comp_entry lov_comp_get(const struct lov_comp *comp, u32 n)
{
	const u8 *at = comp->bytes + HEAD_SIZE + n * ENTRY_SIZE;
	struct lov_comp_entry entry;

	entry.id = codec_get32(LCME(at, lcme_id), false);
	entry.flags = codec_get32(LCME(at, lcme_flags), false);
	entry.start = codec_get64(LCME(at, lcme_start), false);
	entry.end = codec_get64(LCME(at, lcme_end), false);
	entry.gen = codec_get32(LCME(at, lcme_layout_gen), false);
	entry.layout = comp->bytes + codec_get32(LCME(at, lcme_offset), false);
	entry.layout_len = codec_get32(LCME(at, lcme_size), false);
	memcpy(entry.rest, LCME(at, lcme_timestamp), sizeof(entry.rest));
	return entry;
}
EXPORT_SYMBOL_NS_GPL(lov_comp_get, LUSTRE_LITE);

static bool is_chosen(const struct lov_comp_entry *entry, const struct lov_comp_entry *which)
{
	const u32 flags = which->flags & ~LCME_FL_NEG;

	if (which->id)
		return entry->id == which->id;
	return which->flags & LCME_FL_NEG ? !(entry->flags & flags) : entry->flags & flags;
}

/**
 * lov_comp_del() - whether components of a file can be removed
 * @comp: its layout
 * @which: those with its id; without an id those with its flags, or with LCME_FL_NEG without them
 * @n: out: LOV_DEL_OK: how many are left; LOV_DEL_NOT_LAST, LOV_DEL_OBJECTS: id of the component
 *
 * Context: any
 * Return: LOV_DEL_OK, or why not
 */
enum lov_del lov_comp_del(const struct lov_comp *comp, const struct lov_comp_entry *which, u32 *n)
{
	u32 left = comp->entry_count, at;
	struct lov_comp_entry entry;

	for (at = comp->entry_count; at--;) {
		entry = lov_comp_get(comp, at);
		if (!is_chosen(&entry, which))
			continue;
		*n = entry.id;
		if (at + 1 != left)
			return LOV_DEL_NOT_LAST;
		if (entry.flags & LCME_FL_INIT)
			return LOV_DEL_OBJECTS;
		left = at;
	}
	*n = left;
	if (left == comp->entry_count)
		return LOV_DEL_MISSING;
	return left ? LOV_DEL_OK : LOV_DEL_ALL;
}
EXPORT_SYMBOL_NS_GPL(lov_comp_del, LUSTRE_LITE);

/**
 * lov_comp_size() - bytes of a composite layout
 * @entries: its components, of which the lengths of their layouts count
 * @nr: their number
 *
 * Context: any
 * Return: what lov_comp_encode() writes
 */
size_t lov_comp_size(const struct lov_comp_entry *entries, u32 nr)
{
	size_t size = HEAD_SIZE + nr * ENTRY_SIZE;
	u32 n;

	for (n = 0; n < nr; n++)
		size += entries[n].layout_len;
	return size;
}
EXPORT_SYMBOL_NS_GPL(lov_comp_size, LUSTRE_LITE);

static void entry_encode(u8 *to, const struct lov_comp_entry *entry, size_t offset)
{
	codec_put32(LCME(to, lcme_id), entry->id);
	codec_put32(LCME(to, lcme_flags), entry->flags);
	codec_put64(LCME(to, lcme_start), entry->start);
	codec_put64(LCME(to, lcme_end), entry->end);
	codec_put32(LCME(to, lcme_offset), (u32)offset);
	codec_put32(LCME(to, lcme_size), (u32)entry->layout_len);
	codec_put32(LCME(to, lcme_layout_gen), entry->gen);
	memcpy(LCME(to, lcme_timestamp), entry->rest, sizeof(entry->rest));
}

/**
 * lov_comp_encode() - encode a composite layout
 * @bytes: out, lov_comp_size() bytes; none of the layouts of @entries is there
 * @comp: generation, flags, numbers of components and mirrors
 * @entries: components, in their order
 *
 * Context: any
 */
void lov_comp_encode(void *bytes, const struct lov_comp *comp, const struct lov_comp_entry *entries)
{
	size_t offset = HEAD_SIZE + comp->entry_count * ENTRY_SIZE;
	u8 *to = (u8 *)bytes;
	u32 n;

	memset(to, 0, HEAD_SIZE);
	codec_put32(LCM(to, lcm_magic), LOV_MAGIC_COMP_V1);
	codec_put32(LCM(to, lcm_size), (u32)lov_comp_size(entries, comp->entry_count));
	codec_put32(LCM(to, lcm_layout_gen), comp->gen);
	codec_put16(LCM(to, lcm_flags), comp->flags);
	codec_put16(LCM(to, lcm_entry_count), (u16)comp->entry_count);
	codec_put16(LCM(to, lcm_mirror_count), (u16)(comp->mirror_count - 1));
	for (n = 0; n < comp->entry_count; n++) {
		entry_encode(to + HEAD_SIZE + n * ENTRY_SIZE, &entries[n], offset);
		memcpy(to + offset, entries[n].layout, entries[n].layout_len);
		offset += entries[n].layout_len;
	}
}
EXPORT_SYMBOL_NS_GPL(lov_comp_encode, LUSTRE_LITE);
