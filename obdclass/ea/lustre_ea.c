// SPDX-License-Identifier: GPL-2.0-only
/*
 * Extended attributes of an object but for its names and its layout: the FID, the file of an object
 * of an OST, what an MDT knows of a file's data, and the shards of a directory. Compiles unchanged
 * in the kernel and in user space.
 */
#include <lustre_lite/lustre_ea.h>

#define LMA(bytes, field)	((bytes) + offsetof(struct lustre_mdt_attrs, field))
#define LOA(bytes, field)	((bytes) + offsetof(struct lustre_ost_attrs, field))
#define FF(bytes, field)	((bytes) + offsetof(struct filter_fid, field))
#define OLD(bytes, field)	((bytes) + offsetof(struct filter_fid_old, field))
#define SOM(bytes, field)	((bytes) + offsetof(struct lustre_som_attrs, field))
#define HSM(bytes, field)	((bytes) + offsetof(struct hsm_attrs, field))
#define LMV(bytes, field)	((bytes) + offsetof(struct lmv_mds_md_v1, field))

static void stripe_decode(const u8 *from, u32 compat, struct ea_stripe *stripe)
{
	u32 version;

	stripe->parent = fid_le_get(LOA(from, loa_parent_fid));
	version = stripe->parent.f_ver;
	stripe->parent.f_ver = 0;
	stripe->index = version & 0xffff;
	stripe->count = version >> 16;
	stripe->size = codec_get32(LOA(from, loa_stripe_size), false);
	if (!(compat & LMAC_COMP_INFO))
		return;
	stripe->comp_id = codec_get32(LOA(from, loa_comp_id), false);
	stripe->comp_start = codec_get64(LOA(from, loa_comp_start), false);
	stripe->comp_end = codec_get64(LOA(from, loa_comp_end), false);
}

/**
 * lustre_lma_decode() - decode trusted.lma
 * @bytes: its value
 * @len: their number
 * @lma: out; flags that have no name here are kept
 *
 * Releases before 2.4 wrote 40 bytes more, which mean nothing today.
 *
 * Context: any
 * Return: NULL, or the fault
 */
const char *lustre_lma_decode(const void *bytes, size_t len, struct lustre_lma *lma)
{
	const u8 *from = (const u8 *)bytes;

	memset(lma, 0, sizeof(*lma));
	if (len != sizeof(struct lustre_mdt_attrs) && len != sizeof(struct lustre_ost_attrs))
		return "invalid length";
	lma->compat = codec_get32(LMA(from, lma_compat), false);
	lma->incompat = codec_get32(LMA(from, lma_incompat), false);
	lma->self = fid_le_get(LMA(from, lma_self_fid));
	if (!fid_is_sane(&lma->self))
		return "invalid FID";
	if (!(lma->compat & LMAC_STRIPE_INFO))
		return NULL;
	if (len != sizeof(struct lustre_ost_attrs))
		return "too short for a stripe";
	stripe_decode(from, lma->compat, &lma->stripe);
	return NULL;
}
EXPORT_SYMBOL_NS_GPL(lustre_lma_decode, LUSTRE_LITE);

/**
 * lustre_lma_encode() - encode trusted.lma
 * @bytes: out, LUSTRE_LMA_SIZE
 * @lma: its values; without a stripe, which is in trusted.fid
 *
 * Context: any
 */
void lustre_lma_encode(void *bytes, const struct lustre_lma *lma)
{
	u8 *to = (u8 *)bytes;

	codec_put32(LMA(to, lma_compat), lma->compat & ~(u32)(LMAC_STRIPE_INFO | LMAC_COMP_INFO));
	codec_put32(LMA(to, lma_incompat), lma->incompat);
	fid_le_put(LMA(to, lma_self_fid), &lma->self);
}
EXPORT_SYMBOL_NS_GPL(lustre_lma_encode, LUSTRE_LITE);

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

/**
 * lustre_som_decode() - decode trusted.som
 * @bytes: its value
 * @len: bytes of it
 * @som: out
 *
 * Context: any
 * Return: NULL, or the fault
 */
const char *lustre_som_decode(const void *bytes, size_t len, struct lustre_som *som)
{
	const u8 *from = (const u8 *)bytes;

	memset(som, 0, sizeof(*som));
	if (len != sizeof(struct lustre_som_attrs))
		return "invalid length";
	som->valid = codec_get16(SOM(from, lsa_valid));
	som->incarnation = codec_get16(SOM(from, lsa_reserved[1])) |
			   (u32)codec_get16(SOM(from, lsa_reserved[2])) << 16;
	som->size = codec_get64(SOM(from, lsa_size), false);
	som->blocks = codec_get64(SOM(from, lsa_blocks), false);
	return NULL;
}
EXPORT_SYMBOL_NS_GPL(lustre_som_decode, LUSTRE_LITE);

/**
 * lustre_som_encode() - encode trusted.som
 * @bytes: out, of sizeof(struct lustre_som_attrs)
 * @som: its values
 *
 * Context: any
 */
void lustre_som_encode(void *bytes, const struct lustre_som *som)
{
	u8 *to = (u8 *)bytes;

	memset(to, 0, sizeof(struct lustre_som_attrs));
	codec_put16(SOM(to, lsa_valid), som->valid);
	codec_put16(SOM(to, lsa_reserved[1]), (u16)som->incarnation);
	codec_put16(SOM(to, lsa_reserved[2]), (u16)(som->incarnation >> 16));
	codec_put64(SOM(to, lsa_size), som->size);
	codec_put64(SOM(to, lsa_blocks), som->blocks);
}
EXPORT_SYMBOL_NS_GPL(lustre_som_encode, LUSTRE_LITE);

/**
 * lustre_hsm_decode() - decode trusted.hsm
 * @bytes: its value
 * @len: bytes of it
 * @hsm: out
 *
 * Context: any
 * Return: NULL, or the fault
 */
const char *lustre_hsm_decode(const void *bytes, size_t len, struct lustre_hsm *hsm)
{
	const u8 *from = (const u8 *)bytes;

	memset(hsm, 0, sizeof(*hsm));
	if (len != sizeof(struct hsm_attrs))
		return "invalid length";
	hsm->compat = codec_get32(HSM(from, hsm_compat), false);
	hsm->flags = codec_get32(HSM(from, hsm_flags), false);
	hsm->archive = codec_get64(HSM(from, hsm_arch_id), false);
	hsm->version = codec_get64(HSM(from, hsm_arch_ver), false);
	return NULL;
}
EXPORT_FOR_KUNIT(lustre_hsm_decode);

/**
 * lustre_lmv_decode() - decode trusted.lmv
 * @bytes: its value
 * @len: bytes of it
 * @lmv: out
 *
 * It is read, so that such a directory is not taken for an empty one; it is not written.
 *
 * Context: any
 * Return: NULL, or the fault
 */
const char *lustre_lmv_decode(const void *bytes, size_t len, struct lustre_lmv *lmv)
{
	const u8 *from = (const u8 *)bytes;
	size_t fids;

	memset(lmv, 0, sizeof(*lmv));
	if (len < sizeof(struct lmv_mds_md_v1))
		return "too short";
	lmv->magic = codec_get32(LMV(from, lmv_magic), false);
	if (lmv->magic != LMV_MAGIC_V1 && lmv->magic != LMV_MAGIC_STRIPE)
		return "unknown magic";
	lmv->stripe_count = codec_get32(LMV(from, lmv_stripe_count), false);
	lmv->master = codec_get32(LMV(from, lmv_master_mdt_index), false);
	lmv->hash_type = codec_get32(LMV(from, lmv_hash_type), false);
	lmv->layout_version = codec_get32(LMV(from, lmv_layout_version), false);
	lmv->migrate_offset = codec_get32(LMV(from, lmv_migrate_offset), false);
	lmv->migrate_hash = codec_get32(LMV(from, lmv_migrate_hash), false);
	memcpy(lmv->pool, LMV(from, lmv_pool_name), LOV_MAXPOOLNAME);
	fids = len - sizeof(struct lmv_mds_md_v1);
	if (!fids)
		return NULL;
	if (fids % FID_SIZE || fids / FID_SIZE != lmv->stripe_count)
		return "invalid length";
	lmv->fids = from + sizeof(struct lmv_mds_md_v1);
	return NULL;
}
EXPORT_FOR_KUNIT(lustre_lmv_decode);
