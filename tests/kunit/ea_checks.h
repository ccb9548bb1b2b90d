/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Values of extended attributes that servers of real Lustre wrote, and for each format a check
 * that it is read, and written again to the same bytes. For the kernel and for user space: a
 * check gives NULL, or what failed.
 */
#ifndef _EA_CHECKS_H
#define _EA_CHECKS_H

#include <lustre_lite/lov_ea.h>
#include <lustre_lite/lustre_ea.h>
#include <lustre_lite/lustre_linkea.h>

/* Of a function with a "why": the first condition that does not hold. */
#define EA_CHECK(cond)			\
do {					\
	if (!why && !(cond))		\
		why = #cond;		\
} while (0)

/* tests/golden/lustre-2.7/attributes: ROOT/rc.local, and its object. */
static const u8 ea_lma_2_7[] = {
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00,
	0x02, 0x00, 0x00, 0x00, 0x1b, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
};

static const u8 ea_link_2_7[] = {
	0xdf, 0xf1, 0xea, 0x11, 0x01, 0x00, 0x00, 0x00, 0x32, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x1a, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x07, 0x00, 0x00,
	0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 'r', 'c', '.', 'l', 'o', 'c', 'a', 'l',
};

static const u8 ea_lov_2_7[] = {
	0xd0, 0x0b, 0xd1, 0x0b, 0x01, 0x00, 0x00, 0x00, 0x1b, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x10, 0x00, 0x01, 0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
};

static const u8 ea_fid_2_7[] = {
	0x00, 0x04, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x1b, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00,
};

/* Object 1186 of document 003: a release since 2.11. */
static const u8 ea_fid_2_11[] = {
	0x11, 0xa8, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x01, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00,
};

static inline const char *ea_check_lma(void)
{
	u8 made[LUSTRE_LMA_SIZE];
	struct lustre_lma lma;
	const char *why = NULL;

	EA_CHECK(!lustre_lma_decode(ea_lma_2_7, sizeof(ea_lma_2_7), &lma));
	EA_CHECK(fid_flatten(&lma.self) == 144115205255725083ULL);
	lustre_lma_encode(made, &lma);
	EA_CHECK(!memcmp(made, ea_lma_2_7, sizeof(made)));
	return why;
}

static inline const char *ea_check_filter_fid(void)
{
	u8 made[FILTER_FID_SIZE];
	struct lustre_filter_fid ff;
	const char *why = NULL;

	EA_CHECK(!lustre_filter_fid_decode(ea_fid_2_7, sizeof(ea_fid_2_7), &ff));
	EA_CHECK(ff.stripe.parent.f_seq == 0x200000400ULL && ff.stripe.parent.f_oid == 0x1b);
	EA_CHECK(!ff.stripe.index && !ff.stripe.size);
	lustre_filter_fid_encode(made, &ff);
	EA_CHECK(!memcmp(made, ea_fid_2_7, sizeof(ea_fid_2_7)));

	EA_CHECK(!lustre_filter_fid_decode(ea_fid_2_11, sizeof(ea_fid_2_11), &ff));
	EA_CHECK(ff.stripe.parent.f_seq == 0x20000a811ULL && ff.stripe.parent.f_oid == 1);
	EA_CHECK(ff.stripe.size == 0x100000 && ff.stripe.count == 1);
	lustre_filter_fid_encode(made, &ff);
	EA_CHECK(!memcmp(made, ea_fid_2_11, sizeof(made)));
	return why;
}

/* The buffer has MAX_LINKEA_SIZE bytes. */
static inline const char *ea_check_link(u8 *room)
{
	struct linkea_entry entry, other = { { FID_SEQ_ROOT, FID_OID_ROOT, 0 }, "other", 5 };
	struct linkea link, made;
	size_t at = 0;
	const char *why = NULL;

	EA_CHECK(!linkea_decode(ea_link_2_7, sizeof(ea_link_2_7), &link));
	EA_CHECK(link.count == 1 && link.len == sizeof(ea_link_2_7) && !link.overflow_time);
	EA_CHECK(linkea_next(&link, &at, &entry));
	EA_CHECK(entry.parent.f_seq == FID_SEQ_ROOT && entry.parent.f_oid == FID_OID_ROOT);
	EA_CHECK(entry.name_len == 8 && !memcmp(entry.name, "rc.local", 8));
	linkea_init(room, &made);
	EA_CHECK(!linkea_add(room, MAX_LINKEA_SIZE, &made, &entry, 1));
	EA_CHECK(made.len == link.len && !memcmp(room, ea_link_2_7, link.len));
	EA_CHECK(linkea_add(room, MAX_LINKEA_SIZE, &made, &entry, 1) == -EEXIST);
	EA_CHECK(!linkea_add(room, MAX_LINKEA_SIZE, &made, &other, 1));
	EA_CHECK(linkea_has(&made, &other) && linkea_has(&made, &entry));
	EA_CHECK(!linkea_del(room, &made, &other));
	EA_CHECK(made.len == link.len && !memcmp(room, ea_link_2_7, link.len));
	EA_CHECK(!linkea_next(&link, &at, &entry));
	return why;
}

static inline const char *ea_check_lov(void)
{
	u8 made[sizeof(ea_lov_2_7)];
	struct lov_object object;
	struct lov_ea ea;
	const char *why = NULL;

	EA_CHECK(lov_ea_magic(ea_lov_2_7, sizeof(ea_lov_2_7)) == LOV_MAGIC_V1);
	EA_CHECK(!lov_ea_decode(ea_lov_2_7, sizeof(ea_lov_2_7), &ea));
	EA_CHECK(ea.pattern == LOV_PATTERN_RAID0 && ea.stripe_size == 0x100000);
	EA_CHECK(ea.oi_seq == 0x200000400ULL && ea.oi_id == 0x1b);
	EA_CHECK(ea.object_count == 1 && ea.stripe_count == 1);
	object = lov_ea_object(&ea, 0);
	EA_CHECK(fid_idif_object(&object.fid) == 20 && !object.ost);
	EA_CHECK(lov_ea_size(&ea) == sizeof(made));
	lov_ea_encode(made, &ea, &object);
	EA_CHECK(!memcmp(made, ea_lov_2_7, sizeof(made)));
	return why;
}

static inline const char *ea_check_som(void)
{
	static const struct lustre_som som = { SOM_FL_STRICT, 473, 8 };
	u8 made[sizeof(struct lustre_som_attrs)];
	struct lustre_som seen;
	const char *why = NULL;

	lustre_som_encode(made, &som);
	EA_CHECK(made[0] == 1 && made[8] == 0xd9 && made[9] == 1 && made[16] == 8);
	EA_CHECK(!lustre_som_decode(made, sizeof(made), &seen));
	EA_CHECK(seen.valid == som.valid && seen.size == 473 && seen.blocks == 8);
	return why;
}

#endif /* _EA_CHECKS_H */
