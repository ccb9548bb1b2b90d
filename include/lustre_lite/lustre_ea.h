/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Extended attributes that real Lustre has on the files of its targets: from bytes to values and
 * back. Nothing here allocates, locks, logs or does I/O; it is for the kernel and for user space.
 *
 *	attribute	on				here
 *	trusted.lma	every object			struct lustre_lma
 *
 * A decoder gets bytes that anyone may have written. It checks every length before it reads, and
 * gives NULL, or the fault as text. What an encoder writes is what real Lustre writes.
 */
#ifndef _LUSTRE_LITE_LUSTRE_EA_H
#define _LUSTRE_LITE_LUSTRE_EA_H

#include <lustre_lite/lustre_fid.h>
#include <uapi/lustre_lite/lustre_ea.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LUSTRE_LMA_SIZE	sizeof(struct lustre_mdt_attrs)

/**
 * struct ea_stripe - the place of an OST object in its file
 * @parent: FID of the file
 * @index: stripe
 * @size: bytes of a stripe, zero if it is not known
 * @count: stripes of the component, zero if it is not known
 * @comp_id: component, zero in a plain file
 * @comp_start: first byte of the component
 * @comp_end: first byte after it, zero in a plain file
 */
struct ea_stripe {
	struct lu_fid	parent;
	u32		index;
	u32		size;
	u32		count;
	u32		comp_id;
	u64		comp_start;
	u64		comp_end;
};

/**
 * struct lustre_lma - trusted.lma
 * @compat: LMAC_*
 * @incompat: LMAI_*; an object with a flag that the caller does not know is left alone
 * @self: FID of the object
 * @stripe: the place of the object, with LMAC_STRIPE_INFO; else zero
 */
struct lustre_lma {
	u32			compat;
	u32			incompat;
	struct lu_fid		self;
	struct ea_stripe	stripe;
};

const char *lustre_lma_decode(const void *bytes, size_t len, struct lustre_lma *lma);
void lustre_lma_encode(void *bytes, const struct lustre_lma *lma);

#ifdef __cplusplus
}
#endif

#endif /* _LUSTRE_LITE_LUSTRE_EA_H */
