// SPDX-License-Identifier: GPL-2.0-only
/* lov: defaults for new files from its setup. */
#define DEBUG_SUBSYSTEM S_LOV

#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "lov_internal.h"

/**
 * lov_stripe_size() - round a stripe size to a valid one
 * @name: device, for messages
 * @size: requested size
 *
 * As in real Lustre: less than 64 KiB becomes the default, 1 MiB; otherwise it
 * is rounded down to a multiple of 64 KiB.
 *
 * Context: any
 * Return: size
 */
u64 lov_stripe_size(const char *name, u64 size)
{
	u64 fit = size < LOV_STRIPE_SIZE_UNIT ? LOV_STRIPE_SIZE_DEFAULT :
		  round_down(min(size, LOV_STRIPE_SIZE_MAX),
			     LOV_STRIPE_SIZE_UNIT);

	if (size && size != fit)
		CWARN("%s: stripe size %llu is not a multiple of %llu from %llu to %llu: using %llu\n",
		      name, size, LOV_STRIPE_SIZE_UNIT, LOV_STRIPE_SIZE_UNIT,
		      LOV_STRIPE_SIZE_MAX, fit);
	return fit;
}

/**
 * lov_pattern_known() - whether a pattern of striping is supported
 * @pattern: LOV_PATTERN_*
 *
 * Context: any
 * Return: true if it is
 */
bool lov_pattern_known(u64 pattern)
{
	return pattern == LOV_PATTERN_RAID0 || pattern == LOV_PATTERN_MDT ||
	       pattern == (LOV_PATTERN_RAID0 | LOV_PATTERN_OVERSTRIPING);
}

static u32 desc_count(const char *name, u32 count)
{
	if (count == U32_MAX || count <= LOV_STRIPE_COUNT_MAX)
		return count;
	CWARN("%s: stripe count %u is not in the range -1 to %u: using -1\n", name,
	      count, LOV_STRIPE_COUNT_MAX);
	return U32_MAX;
}

static u32 desc_offset(const char *name, u64 offset)
{
	if (offset == U64_MAX || offset <= OBD_TARGET_INDEX_MAX)
		return offset;
	/* -1 of the 32 and 16 bits that it had elsewhere */
	if (offset != U32_MAX && offset != U16_MAX)
		CWARN("%s: stripe offset %llu is not in the range -1 to %u: using -1\n",
		      name, offset, OBD_TARGET_INDEX_MAX);
	return U32_MAX;
}

static u32 desc_pattern(const char *name, u32 pattern)
{
	if (lov_pattern_known(pattern))
		return pattern;
	if (pattern)
		CWARN("%s: unknown stripe pattern %#x: using %#x, raid0\n",
		      name, pattern, LOV_PATTERN_RAID0);
	return LOV_PATTERN_RAID0;
}

/**
 * lov_desc_apply() - apply the descriptor of a setup
 * @lov: device
 * @cfg: LCFG_SETUP
 * @why: out: reason of a refusal
 *
 * Context: any
 * Return: 0 or -EINVAL
 */
int lov_desc_apply(struct lov_device *lov, const struct lcfg_view *cfg,
		   struct obd_why *why)
{
	const char *name = lov->lov_obd->obd_name;
	struct lcfg_lov_desc desc;

	if (lcfg_lov_desc_decode(cfg, &desc))
		return obd_refuse(why, -EINVAL,
				  "%s: setup of a lov needs a struct lov_desc of %zu bytes in buffer 1, not %u bytes",
				  name, sizeof(struct lov_desc),
				  cfg->buf[1].len);
	if (desc.magic != LOV_DESC_MAGIC)
		return obd_refuse(why, -EINVAL,
				  "%s: the struct lov_desc has magic %#x, not %#x",
				  name, desc.magic, LOV_DESC_MAGIC);
	strscpy(lov->lov_targets.ts_desc_uuid, desc.uuid,
		sizeof(lov->lov_targets.ts_desc_uuid));
	lov->lov_stripe_size = lov_stripe_size(name, desc.stripe_size);
	lov->lov_stripe_count = desc_count(name, desc.stripe_count);
	lov->lov_stripe_offset = desc_offset(name, desc.stripe_offset);
	lov->lov_pattern = desc_pattern(name, desc.pattern);
	lov->lov_qos_maxage = clamp_t(u64, desc.qos_maxage ?:
					   LOV_QOS_MAXAGE_DEFAULT,
				      1, LOV_QOS_MAXAGE_MAX) * NSEC_PER_SEC;
	return 0;
}
