// SPDX-License-Identifier: GPL-2.0-only
/*
 * Extended attributes as the module has them. Damaged values need no kernel: see
 * tests/unit/ea_*_test.c.
 *
 * Every: 2
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "ea_checks.h"

#define EXPECT_NO_FAULT(test, check)					\
do {									\
	const char *__why = (check);					\
	KUNIT_EXPECT_TRUE_MSG(test, !__why, "%s", __why);		\
} while (0)

static void values_of_real_lustre_are_read_and_written(struct kunit *test)
{
	u8 *room = kunit_kzalloc(test, MAX_LINKEA_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, room);
	EXPECT_NO_FAULT(test, ea_check_lma());
	EXPECT_NO_FAULT(test, ea_check_filter_fid());
	EXPECT_NO_FAULT(test, ea_check_link(room));
	EXPECT_NO_FAULT(test, ea_check_lov());
	EXPECT_NO_FAULT(test, ea_check_som());
}

static void values_of_another_format_are_refused(struct kunit *test)
{
	struct lov_foreign foreign;
	struct lov_comp comp;
	struct lustre_hsm hsm;
	struct lustre_lmv lmv;
	struct lu_fid fid;

	KUNIT_EXPECT_STREQ(test, lov_comp_decode(ea_lov_2_7, sizeof(ea_lov_2_7), &comp),
			   "unknown magic");
	KUNIT_EXPECT_STREQ(test, lov_foreign_decode(ea_lov_2_7, sizeof(ea_lov_2_7), &foreign),
			   "unknown magic");
	KUNIT_EXPECT_STREQ(test, lustre_lmv_decode(ea_lov_2_7, sizeof(ea_lov_2_7), &lmv),
			   "unknown magic");
	KUNIT_EXPECT_STREQ(test, lustre_hsm_decode(ea_lov_2_7, sizeof(ea_lov_2_7), &hsm),
			   "invalid length");
	KUNIT_EXPECT_EQ(test, fid_parse("0x1", 3, &fid), -EINVAL);
	KUNIT_EXPECT_EQ(test, fid_idif_make(1, 1 << 16, &fid), -EBADF);
}

static void a_component_is_found(struct kunit *test)
{
	struct lov_comp_entry entry;
	struct lov_comp comp;
	struct lov_ea ea;
	u8 *bytes;

	bytes = kunit_kzalloc(test, 32 + 48 + sizeof(ea_lov_2_7), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, bytes);
	codec_put32(bytes, LOV_MAGIC_COMP_V1);
	codec_put32(bytes + 4, 32 + 48 + sizeof(ea_lov_2_7));
	codec_put16(bytes + 14, 1);
	codec_put32(bytes + 32, 1);
	codec_put32(bytes + 36, LCME_FL_INIT);
	codec_put64(bytes + 48, ~0ULL);
	codec_put32(bytes + 56, 80);
	codec_put32(bytes + 60, sizeof(ea_lov_2_7));
	memcpy(bytes + 80, ea_lov_2_7, sizeof(ea_lov_2_7));
	KUNIT_ASSERT_NULL(test, lov_comp_decode(bytes, 80 + sizeof(ea_lov_2_7), &comp));
	KUNIT_EXPECT_EQ(test, comp.entry_count, 1U);
	entry = lov_comp_get(&comp, 0);
	KUNIT_EXPECT_EQ(test, entry.end, ~0ULL);
	KUNIT_EXPECT_NULL(test, lov_ea_decode(entry.layout, entry.layout_len, &ea));
	KUNIT_EXPECT_EQ(test, ea.object_count, 1U);
}

static struct kunit_case ea_cases[] = {
	KUNIT_CASE(values_of_real_lustre_are_read_and_written),
	KUNIT_CASE(values_of_another_format_are_refused),
	KUNIT_CASE(a_component_is_found),
	{}
};

static struct kunit_suite ea_suite = {
	.name = "obd_ea",
	.test_cases = ea_cases,
};
kunit_test_suite(ea_suite);

MODULE_DESCRIPTION("Extended attributes");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
