// SPDX-License-Identifier: GPL-2.0-only
/*
 * trusted.lmv: directories over several MDTs. It is read, so that such a directory is not taken
 * for an empty one; it is not written. Compiles unchanged in the kernel and in user space.
 */
#include <lustre_lite/lustre_ea.h>

#define LMV(bytes, field)	((bytes) + offsetof(struct lmv_mds_md_v1, field))

/**
 * lustre_lmv_decode() - decode trusted.lmv
 * @bytes: its value
 * @len: bytes of it
 * @lmv: out
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
