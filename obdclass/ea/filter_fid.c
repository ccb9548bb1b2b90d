// SPDX-License-Identifier: GPL-2.0-only
/*
 * trusted.fid: the file of an object of an OST. Compiles unchanged in the kernel and in user
 * space.
 */
#include <lustre_lite/lustre_ea.h>

#define FF(bytes, field)	((bytes) + offsetof(struct filter_fid, field))
#define OLD(bytes, field)	((bytes) + offsetof(struct filter_fid_old, field))

static void layout_decode(const u8 *from, struct ea_stripe *stripe)
{
	stripe->size = codec_get32(FF(from, ff_stripe_size), false);
	stripe->count = codec_get32(FF(from, ff_stripe_count), false);
	stripe->comp_start = codec_get64(FF(from, ff_comp_start), false);
	stripe->comp_end = codec_get64(FF(from, ff_comp_end), false);
	stripe->comp_id = codec_get32(FF(from, ff_comp_id), false);
}

/**
 * lustre_filter_fid_decode() - decode trusted.fid
 * @bytes: its value
 * @len: bytes of it
 * @ff: out
 *
 * Context: any
 * Return: NULL, or the fault
 */
const char *lustre_filter_fid_decode(const void *bytes, size_t len, struct lustre_filter_fid *ff)
{
	const u8 *from = (const u8 *)bytes;

	memset(ff, 0, sizeof(*ff));
	if (len != FILTER_FID_SIZE_OLD && len != FILTER_FID_SIZE_PARENT &&
	    len != FILTER_FID_SIZE_LAYOUT && len != FILTER_FID_SIZE)
		return "invalid length";
	ff->size = len;
	ff->stripe.parent = fid_le_get(from);
	ff->stripe.index = ff->stripe.parent.f_ver;
	ff->stripe.parent.f_ver = 0;
	if (!fid_is_sane(&ff->stripe.parent))
		return "invalid FID";
	if (len == FILTER_FID_SIZE_OLD) {
		ff->object = codec_get64(OLD(from, ff_objid), false);
		ff->object_seq = codec_get64(OLD(from, ff_seq), false);
	}
	if (len >= FILTER_FID_SIZE_LAYOUT)
		layout_decode(from, &ff->stripe);
	if (len == FILTER_FID_SIZE) {
		ff->layout_version = codec_get32(FF(from, ff_layout_version), false);
		ff->range = codec_get32(FF(from, ff_range), false);
	}
	return NULL;
}
EXPORT_SYMBOL_NS_GPL(lustre_filter_fid_decode, LUSTRE_LITE);

/**
 * lustre_filter_fid_encode() - encode trusted.fid
 * @bytes: out, @ff->size bytes
 * @ff: its values; one that is written today has FILTER_FID_SIZE
 *
 * Context: any
 */
void lustre_filter_fid_encode(void *bytes, const struct lustre_filter_fid *ff)
{
	const struct ea_stripe *stripe = &ff->stripe;
	struct lu_fid parent = stripe->parent;
	u8 *to = (u8 *)bytes;

	parent.f_ver = stripe->index;
	fid_le_put(to, &parent);
	if (ff->size == FILTER_FID_SIZE_OLD) {
		codec_put64(OLD(to, ff_objid), ff->object);
		codec_put64(OLD(to, ff_seq), ff->object_seq);
	}
	if (ff->size >= FILTER_FID_SIZE_LAYOUT) {
		codec_put32(FF(to, ff_stripe_size), stripe->size);
		codec_put32(FF(to, ff_stripe_count), stripe->count);
		codec_put64(FF(to, ff_comp_start), stripe->comp_start);
		codec_put64(FF(to, ff_comp_end), stripe->comp_end);
		codec_put32(FF(to, ff_comp_id), stripe->comp_id);
	}
	if (ff->size == FILTER_FID_SIZE) {
		codec_put32(FF(to, ff_layout_version), ff->layout_version);
		codec_put32(FF(to, ff_range), ff->range);
	}
}
EXPORT_SYMBOL_NS_GPL(lustre_filter_fid_encode, LUSTRE_LITE);
