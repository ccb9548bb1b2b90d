// SPDX-License-Identifier: GPL-2.0-only
/*
 * trusted.lov: plain layouts, and those for other programs. Compiles unchanged in the kernel and
 * in user space.
 */
#include <lustre_lite/lov_ea.h>

#define LMM(bytes, field)	((bytes) + offsetof(struct lov_mds_md, field))
#define OBJECT(bytes, field)	((bytes) + offsetof(struct lov_ost_data, field))
#define FOREIGN(bytes, field)	((bytes) + offsetof(struct lov_foreign_md, field))

#define OBJECT_SIZE		sizeof(struct lov_ost_data)

static size_t head_size(u32 magic)
{
	return sizeof(struct lov_mds_md) + (magic == LOV_MAGIC_V1 ? 0 : LOV_MAXPOOLNAME + 1);
}

/**
 * lov_ea_magic() - what kind of layout a value is
 * @bytes: value of trusted.lov
 * @len: bytes of it
 *
 * Context: any
 * Return: LOV_MAGIC_*, or another number; 0 if it is too short
 */
u32 lov_ea_magic(const void *bytes, size_t len)
{
	return len < sizeof(u32) ? 0 : codec_get32(bytes, false);
}
EXPORT_SYMBOL_NS_GPL(lov_ea_magic, LUSTRE_LITE);

/*
 * (object, 0) or a FID. A FID's second half is not zero, as its number is not. Return: -EBADF if
 * it is neither.
 */
static int object_decode(const u8 *from, struct lov_object *object)
{
	u64 id = codec_get64(OBJECT(from, l_ost_oi_id), false);
	u64 seq = codec_get64(OBJECT(from, l_ost_oi_seq), false);

	object->ost = codec_get32(OBJECT(from, l_ost_idx), false);
	if (seq == FID_SEQ_OST_MDT0)
		return id ? fid_idif_make(id, object->ost, &object->fid) : -EBADF;
	object->fid = fid_le_get(from);
	return fid_is_norm(&object->fid) && !object->fid.f_ver && object->fid.f_oid ? 0 : -EBADF;
}

/* An object that real Lustre's LFSCK did not find is all zeros. */
static bool is_hole(const struct lov_ea *ea, u32 n)
{
	static const u8 zeros[OBJECT_SIZE];

	return ea->pattern & LOV_PATTERN_F_HOLE &&
	       !memcmp(ea->objects + n * OBJECT_SIZE, zeros, OBJECT_SIZE);
}

static const char *objects_check(const struct lov_ea *ea)
{
	struct lov_object object;
	u32 n;

	if (ea->object_count != ea->stripe_count)
		return "invalid number of objects";
	if (ea->object_count > LOV_MAX_STRIPE_COUNT)
		return "too many objects";
	if (!ea->stripe_size || ea->stripe_size % LOV_MIN_STRIPE_SIZE)
		return "invalid stripe size";
	for (n = 0; n < ea->object_count; n++)
		if (!is_hole(ea, n) && object_decode(ea->objects + n * OBJECT_SIZE, &object))
			return "invalid object";
	return NULL;
}

/* A list of OSTs follows the head, in the form of objects. */
static const char *list_take(struct lov_ea *ea)
{
	ea->osts = ea->objects;
	ea->ost_count = ea->object_count;
	ea->objects = NULL;
	ea->object_count = 0;
	if (!ea->ost_count || ea->ost_count > LOV_MAX_STRIPE_COUNT)
		return "invalid number of OSTs";
	return NULL;
}

static bool is_plain(u32 magic)
{
	return magic == LOV_MAGIC_V1 || magic == LOV_MAGIC_V3 || magic == LOV_MAGIC_SPECIFIC;
}

/**
 * lov_ea_decode() - decode a plain layout
 * @bytes: value of trusted.lov, or the layout of a component
 * @len: bytes of it
 * @ea: out; refers to @bytes
 *
 * Context: any
 * Return: NULL, or the fault
 */
const char *lov_ea_decode(const void *bytes, size_t len, struct lov_ea *ea)
{
	const u8 *from = (const u8 *)bytes;
	size_t head;

	memset(ea, 0, sizeof(*ea));
	ea->magic = lov_ea_magic(bytes, len);
	if (!is_plain(ea->magic))
		return "unknown magic";
	head = head_size(ea->magic);
	if (len < head)
		return "too short";
	if ((len - head) % OBJECT_SIZE)
		return "invalid length";
	ea->pattern = codec_get32(LMM(from, lmm_pattern), false);
	ea->oi_id = codec_get64(LMM(from, lmm_oi_id), false);
	ea->oi_seq = codec_get64(LMM(from, lmm_oi_seq), false);
	ea->stripe_size = codec_get32(LMM(from, lmm_stripe_size), false);
	ea->stripe_count = codec_get16(LMM(from, lmm_stripe_count));
	ea->gen = codec_get16(LMM(from, lmm_layout_gen));
	if (ea->magic != LOV_MAGIC_V1)
		memcpy(ea->pool, from + sizeof(struct lov_mds_md), LOV_MAXPOOLNAME);
	ea->objects = from + head;
	ea->object_count = (u32)((len - head) / OBJECT_SIZE);
	if (ea->magic == LOV_MAGIC_SPECIFIC)
		return list_take(ea);
	return ea->object_count ? objects_check(ea) : NULL;
}
EXPORT_SYMBOL_NS_GPL(lov_ea_decode, LUSTRE_LITE);

/**
 * lov_ea_object() - an object
 * @ea: decoded
 * @n: stripe, less than @ea->object_count
 *
 * Context: any
 * Return: the object; its FID is zero if it is missing, which LOV_PATTERN_F_HOLE says
 */
struct lov_object lov_ea_object(const struct lov_ea *ea, u32 n)
{
	struct lov_object object = { { 0, 0, 0 }, 0 };

	object_decode(ea->objects + n * OBJECT_SIZE, &object);
	return object;
}
EXPORT_SYMBOL_NS_GPL(lov_ea_object, LUSTRE_LITE);

/**
 * lov_ea_ost() - an OST to use
 * @osts: of a decoded layout
 * @n: which one, less than its ost_count
 *
 * Context: any
 * Return: its index
 */
u32 lov_ea_ost(const u8 *osts, u32 n)
{
	return codec_get32(OBJECT(osts + n * OBJECT_SIZE, l_ost_idx), false);
}
EXPORT_SYMBOL_NS_GPL(lov_ea_ost, LUSTRE_LITE);

/**
 * lov_ea_size() - bytes of a plain layout
 * @ea: its values
 *
 * Context: any
 * Return: what lov_ea_encode() writes
 */
size_t lov_ea_size(const struct lov_ea *ea)
{
	return head_size(ea->magic) + (ea->object_count + ea->ost_count) * OBJECT_SIZE;
}
EXPORT_SYMBOL_NS_GPL(lov_ea_size, LUSTRE_LITE);

static void object_encode(u8 *to, const struct lov_object *object)
{
	if (fid_is_idif(&object->fid))
		codec_put64(OBJECT(to, l_ost_oi_id), fid_idif_object(&object->fid));
	else
		fid_le_put(to, &object->fid);
	codec_put32(OBJECT(to, l_ost_idx), object->ost);
}

/**
 * lov_ea_encode() - encode a plain layout
 * @bytes: out, lov_ea_size() bytes
 * @ea: its values; objects are counted, but not read, and OSTs are read
 * @objects: @ea->object_count objects
 *
 * Context: any
 */
void lov_ea_encode(void *bytes, const struct lov_ea *ea, const struct lov_object *objects)
{
	size_t head = head_size(ea->magic);
	u8 *to = (u8 *)bytes;
	u32 n;

	memset(to, 0, lov_ea_size(ea));
	codec_put32(LMM(to, lmm_magic), ea->magic);
	codec_put32(LMM(to, lmm_pattern), ea->pattern);
	codec_put64(LMM(to, lmm_oi_id), ea->oi_id);
	codec_put64(LMM(to, lmm_oi_seq), ea->oi_seq);
	codec_put32(LMM(to, lmm_stripe_size), ea->stripe_size);
	codec_put16(LMM(to, lmm_stripe_count), ea->stripe_count);
	codec_put16(LMM(to, lmm_layout_gen), ea->gen);
	if (ea->magic != LOV_MAGIC_V1)
		memcpy(to + sizeof(struct lov_mds_md), ea->pool, LOV_MAXPOOLNAME);
	for (n = 0; n < ea->object_count; n++)
		object_encode(to + head + n * OBJECT_SIZE, &objects[n]);
	for (n = 0; n < ea->ost_count; n++)
		codec_put32(OBJECT(to + head + n * OBJECT_SIZE, l_ost_idx), lov_ea_ost(ea->osts, n));
}
EXPORT_SYMBOL_NS_GPL(lov_ea_encode, LUSTRE_LITE);

/**
 * lov_foreign_decode() - decode a layout for other programs
 * @bytes: value of trusted.lov, or the layout of a component
 * @len: bytes of it
 * @foreign: out; refers to @bytes
 *
 * Context: any
 * Return: NULL, or the fault
 */
const char *lov_foreign_decode(const void *bytes, size_t len, struct lov_foreign *foreign)
{
	const u8 *from = (const u8 *)bytes;

	memset(foreign, 0, sizeof(*foreign));
	if (lov_ea_magic(bytes, len) != LOV_MAGIC_FOREIGN)
		return "unknown magic";
	if (len < sizeof(struct lov_foreign_md))
		return "too short";
	if (codec_get32(FOREIGN(from, lfm_length), false) > len - sizeof(struct lov_foreign_md))
		return "invalid length";
	foreign->type = codec_get32(FOREIGN(from, lfm_type), false);
	foreign->flags = codec_get32(FOREIGN(from, lfm_flags), false);
	foreign->value = from + sizeof(struct lov_foreign_md);
	foreign->len = codec_get32(FOREIGN(from, lfm_length), false);
	return NULL;
}
EXPORT_FOR_KUNIT(lov_foreign_decode);
