// SPDX-License-Identifier: GPL-2.0-only
/*
 * trusted.lma. Compiles unchanged in the kernel and in user space.
 */
#include <lustre_lite/lustre_ea.h>

#define LMA(bytes, field)	((bytes) + offsetof(struct lustre_mdt_attrs, field))
#define LOA(bytes, field)	((bytes) + offsetof(struct lustre_ost_attrs, field))

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
