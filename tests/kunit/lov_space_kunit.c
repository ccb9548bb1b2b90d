// SPDX-License-Identifier: GPL-2.0-only
/*
 * Space of files, and holes in them, through lov and osc: ranges that start and end anywhere, on
 * one target and on several, in components; against positions that are looked up byte by byte, and
 * block by block. The targets have blocks of LF_BLOCK bytes.
 */
#include "lov_file.h"
#include "../../lov/lov_stripe.h"

#define PUNCH		(OST_FALLOC_PUNCH_HOLE | OST_FALLOC_KEEP_SIZE)
#define ROWS		7
#define FILE_END	(ROWS * STRIPE + 5ULL)
#define FIRST_END	(2ULL * STRIPE)
#define SECOND_END	(6ULL * STRIPE)

/* @got: out, may be NULL */
static int fallocate_at(struct lov_layout *layout, u32 mode, u64 pos, u64 len, struct md_attr *got)
{
	static const struct md_attr attr = {
		.valid = MDS_ATTR_MTIME | MDS_ATTR_CTIME,
		.mtime = { 300, 1 },
		.ctime = { 400, 2 },
	};
	struct md_attr ignored = {};
	const struct dt_falloc fa = {
		.df_mode = mode,
		.df_pos = pos,
		.df_len = len,
		.df_attr = &attr,
		.df_got = got ?: &ignored,
	};

	return dt_fallocate(lf.exp, layout, &fa);
}

static void expect_size(struct kunit *test, struct lov_layout *layout, u64 size)
{
	u64 seen = 1;

	KUNIT_EXPECT_EQ(test, 0, size_of(layout, &seen));
	KUNIT_EXPECT_EQ(test, size, seen);
}

/* Ranges. */

static const struct {
	u64	pos;
	u64	len;
} ranges[] = {
	{ 0, 1 }, { 1, STRIPE }, { STRIPE, STRIPE }, { STRIPE - 1, 2 }, { 100, 5 * STRIPE },
	{ 2 * STRIPE + 7, 2 * STRIPE }, { 3 * STRIPE, 3 * STRIPE }, { 0, FILE_END },
	{ 6 * STRIPE + 5, 2 * STRIPE }, { FILE_END - 1, 100 },
};

/* All that is before and after the range is as it was. */
static void expect_zeros(struct kunit *test, struct lov_layout *layout, u64 pos, u64 end)
{
	expect_size(test, layout, FILE_END);
	end = min(end, FILE_END);
	if (pos)
		expect_read(test, layout, 0, pos, 0, U64_MAX, 1);
	expect_read(test, layout, pos, end - pos, U64_MAX, U64_MAX, 1);
	if (end < FILE_END)
		expect_read(test, layout, end, FILE_END - end, 0, U64_MAX, 1);
}

static void a_range_becomes_zeros(struct kunit *test)
{
	static const u32 modes[] = { PUNCH, OST_FALLOC_ZERO_RANGE | OST_FALLOC_KEEP_SIZE };
	struct lov_layout *layout;
	u32 count, n;

	lf_connect(test);
	for (count = 1; count <= LF_OSTS; count++) {
		layout = layout_get(test, count);
		KUNIT_EXPECT_EQ(test, 0, set_size(layout, 0));
		for (n = 0; n < ARRAY_SIZE(ranges); n++) {
			KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, FILE_END, 1, false));
			KUNIT_EXPECT_EQ(test, 0, fallocate_at(layout, modes[(n + count) % 2],
							      ranges[n].pos, ranges[n].len, NULL));
			expect_zeros(test, layout, ranges[n].pos, ranges[n].pos + ranges[n].len);
		}
		dt_layout_put(lf.exp, layout);
	}
}

static void space_moves_the_end_of_the_file(struct kunit *test)
{
	struct lov_layout *layout;
	u32 count, n;
	u64 end;

	lf_connect(test);
	for (count = 1; count <= LF_OSTS; count++) {
		layout = layout_get(test, count);
		for (n = 0; n < ARRAY_SIZE(ranges); n++) {
			KUNIT_EXPECT_EQ(test, 0, set_size(layout, 0));
			end = ranges[n].pos + ranges[n].len;
			KUNIT_EXPECT_EQ(test, 0, fallocate_at(layout, OST_FALLOC_KEEP_SIZE,
							      ranges[n].pos, ranges[n].len, NULL));
			expect_size(test, layout, 0);
			KUNIT_EXPECT_EQ(test, 0, fallocate_at(layout, 0, ranges[n].pos,
							      ranges[n].len, NULL));
			expect_size(test, layout, end);
			KUNIT_EXPECT_EQ(test, 0, fallocate_at(layout, 0, 0, 1, NULL));
			expect_size(test, layout, end);
			KUNIT_EXPECT_EQ(test, 0, fallocate_at(layout, OST_FALLOC_ZERO_RANGE, end,
							      3, NULL));
			expect_size(test, layout, end + 3);
		}
		KUNIT_EXPECT_EQ(test, (u64)file_fid.f_oid, lf.ost[0].parent);
		dt_layout_put(lf.exp, layout);
	}
}

static void objects_get_the_times_of_the_change(struct kunit *test)
{
	struct lov_layout *layout;
	struct md_attr got = {};

	lf_connect(test);
	layout = layout_get(test, 2);
	KUNIT_EXPECT_EQ(test, 0, fallocate_at(layout, 0, 0, STRIPE, &got));
	KUNIT_EXPECT_EQ(test, 300LL, got.mtime.sec);
	KUNIT_EXPECT_EQ(test, 400LL, got.ctime.sec);
	KUNIT_EXPECT_EQ(test, 0, dt_getattr(lf.exp, layout, &got, true));
	KUNIT_EXPECT_EQ(test, 300LL, got.mtime.sec);
	KUNIT_EXPECT_EQ(test, 0LL, lf_object_of(&lf.ost[1], OBJECT_ID + 1)->attr.mtime.sec);
	dt_layout_put(lf.exp, layout);
}

static void a_change_outlives_its_target(struct kunit *test)
{
	struct lov_layout *layout;

	lf_connect(test);
	layout = layout_get(test, LF_OSTS);
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, FILE_END, 1, false));
	KUNIT_EXPECT_EQ(test, 0, fallocate_at(layout, PUNCH, 100, 4 * STRIPE, NULL));
	lf_restart(test, 0);
	lf_restart(test, 1);
	expect_zeros(test, layout, 100, 100 + 4 * STRIPE);
	KUNIT_EXPECT_EQ(test, 0, dt_sync(lf.exp, layout));
	KUNIT_EXPECT_EQ(test, 0, fallocate_at(layout, 0, 0, 20 * STRIPE, NULL));
	lf_restart(test, 1);
	expect_size(test, layout, 20 * STRIPE);
	dt_layout_put(lf.exp, layout);
}

/* A change that is lost is reported as a write is. */
static void a_lost_change_is_reported(struct kunit *test)
{
	struct lov_layout *layout;
	u64 size;

	lf_connect(test);
	layout = layout_get(test, LF_OSTS);
	KUNIT_EXPECT_EQ(test, 0, dt_sync(lf.exp, layout));
	KUNIT_EXPECT_EQ(test, 0, fallocate_at(layout, 0, 0, STRIPE, NULL));
	KUNIT_EXPECT_EQ(test, 1U, obd_export_evict_by_uuid(lf.ost[0].obd, TY_GROUP, NULL));
	(void)size_of(layout, &size);
	KUNIT_EXPECT_EQ(test, 0, size_of(layout, &size));
	KUNIT_EXPECT_EQ(test, -EIO, dt_sync(lf.exp, layout));
	KUNIT_EXPECT_EQ(test, 0, dt_sync(lf.exp, layout));
	dt_layout_put(lf.exp, layout);
}

static void errors_are_those_of_the_file(struct kunit *test)
{
	struct lov_layout *layout;
	u64 pos = 0;

	lf_connect(test);
	layout = layout_get(test, LF_OSTS);
	KUNIT_EXPECT_EQ(test, -EFBIG, fallocate_at(layout, 0, LOV_POS_MAX, 1, NULL));
	KUNIT_EXPECT_EQ(test, -EFBIG, fallocate_at(layout, 0, 0, 1ULL << 63, NULL));
	KUNIT_EXPECT_EQ(test, 0, fallocate_at(layout, PUNCH, 0, LOV_POS_MAX, NULL));
	lf.ost[1].rc = -ENOSPC;
	KUNIT_EXPECT_EQ(test, -ENOSPC, fallocate_at(layout, 0, 0, 2 * STRIPE, NULL));
	KUNIT_EXPECT_EQ(test, 0, fallocate_at(layout, 0, 0, STRIPE, NULL));
	lf.ost[1].rc = -EIO;
	KUNIT_EXPECT_EQ(test, -EIO, dt_seek(lf.exp, layout, false, 2 * STRIPE, &pos));
	lf.ost[1].rc = 0;
	/* A position before the one that was asked for, and one that no file has. */
	lf.ost[1].seek = 1;
	pos = 3 * STRIPE;
	KUNIT_EXPECT_EQ(test, -EPROTO, dt_seek(lf.exp, layout, false, 9 * STRIPE, &pos));
	lf.ost[1].seek = 1ULL << 63;
	KUNIT_EXPECT_EQ(test, -EPROTO, dt_seek(lf.exp, layout, true, 9 * STRIPE, &pos));
	lf.ost[1].seek = OST_SEEK_NONE;
	KUNIT_EXPECT_EQ(test, -EPROTO, dt_seek(lf.exp, layout, true, 9 * STRIPE, &pos));
	dt_layout_put(lf.exp, layout);
}

/* Holes. */

/* The blocks of the file that have data, as the case has written them. */
static DECLARE_BITMAP(has_data, ROWS * STRIPE / LF_BLOCK + 1);

static void write_block(struct kunit *test, struct lov_layout *layout, u64 block)
{
	u64 pos = block * LF_BLOCK;

	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, pos, min(FILE_END - pos, LF_BLOCK), 1,
					  false));
	__set_bit(block, has_data);
}

/* One step after the other. */
static u64 expected(u64 pos, bool hole)
{
	while (pos < FILE_END && test_bit(pos / LF_BLOCK, has_data) == hole)
		pos = round_down(pos, LF_BLOCK) + LF_BLOCK;
	return min(pos, FILE_END);
}

static void expect_seek(struct kunit *test, struct lov_layout *layout, u64 from, bool hole)
{
	u64 want = expected(from, hole), pos = from;
	int rc = dt_seek(lf.exp, layout, hole, FILE_END, &pos);

	if (want == FILE_END && !hole) {
		KUNIT_EXPECT_EQ_MSG(test, -ENXIO, rc, "data from %llu", from);
		return;
	}
	KUNIT_EXPECT_EQ(test, 0, rc);
	KUNIT_EXPECT_EQ_MSG(test, want, pos, "%s from %llu", hole ? "hole" : "data", from);
}

static void expect_seeks(struct kunit *test, struct lov_layout *layout, u64 from)
{
	expect_seek(test, layout, from, false);
	expect_seek(test, layout, from, true);
}

/* From the start of each block, and from before and after each stripe starts. */
static void expect_all_seeks(struct kunit *test, struct lov_layout *layout)
{
	u64 at;

	for (at = 0; at < FILE_END; at += LF_BLOCK)
		expect_seeks(test, layout, at);
	for (at = STRIPE; at < FILE_END; at += STRIPE) {
		expect_seeks(test, layout, at - 1);
		expect_seeks(test, layout, at + 1);
	}
}

static void holes_of_a_file_are_those_of_its_objects(struct kunit *test)
{
	static const u32 blocks[] = { 1, 2, 15, 16, 31, 32, 40, 79, 96, 97, 111 };
	struct lov_layout *layout;
	u32 count, n;

	lf_connect(test);
	for (count = 1; count <= LF_OSTS; count++) {
		bitmap_zero(has_data, ROWS * STRIPE / LF_BLOCK + 1);
		layout = layout_get(test, count);
		KUNIT_EXPECT_EQ(test, 0, set_size(layout, 0));
		KUNIT_EXPECT_EQ(test, 0, set_size(layout, FILE_END));
		expect_all_seeks(test, layout);
		for (n = 0; n < ARRAY_SIZE(blocks); n++)
			write_block(test, layout, blocks[n]);
		expect_all_seeks(test, layout);
		write_block(test, layout, ROWS * STRIPE / LF_BLOCK);
		expect_all_seeks(test, layout);
		dt_layout_put(lf.exp, layout);
	}
}

/* An object that ends early is a hole up to the end of the file. */
static void a_short_object_is_a_hole(struct kunit *test)
{
	struct lov_layout *layout;
	u64 pos = 5;

	lf_connect(test);
	layout = layout_get(test, LF_OSTS);
	KUNIT_EXPECT_EQ(test, -ENXIO, dt_seek(lf.exp, layout, false, 5, &pos));
	KUNIT_EXPECT_EQ(test, -ENXIO, dt_seek(lf.exp, layout, true, 5, &pos));
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, STRIPE, 1, false));
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 2 * STRIPE, STRIPE, 1, false));
	KUNIT_EXPECT_EQ(test, 0, dt_seek(lf.exp, layout, true, 3 * STRIPE, &pos));
	KUNIT_EXPECT_EQ(test, 1ULL * STRIPE, pos);
	pos = STRIPE + 3;
	KUNIT_EXPECT_EQ(test, 0, dt_seek(lf.exp, layout, false, 3 * STRIPE, &pos));
	KUNIT_EXPECT_EQ(test, 2ULL * STRIPE, pos);
	KUNIT_EXPECT_EQ(test, 0, dt_seek(lf.exp, layout, true, 3 * STRIPE, &pos));
	KUNIT_EXPECT_EQ(test, 3ULL * STRIPE, pos);
	dt_layout_put(lf.exp, layout);
}

/* Components: on the first target, on the two others, and with @last objects from the first on. */
static struct lov_layout *comp_layout(struct kunit *test, u32 last)
{
	struct lov_layout *layout = layout_empty(test);
	u8 bytes[512];
	size_t len;

	make_comp(bytes, 1, 1, 3);
	add_comp(bytes, 0, 0, FIRST_END, 0, 1, LOV_PATTERN_RAID0, OBJECT_ID, 0);
	add_comp(bytes, 1, FIRST_END + STRIPE, SECOND_END, 0, 2, LOV_PATTERN_RAID0, OBJECT_ID + 1,
		 1);
	len = add_comp(bytes, 2, SECOND_END, U64_MAX, 0, last, LOV_PATTERN_RAID0, OBJECT_ID + 50,
		       0);
	KUNIT_ASSERT_EQ(test, 1, dt_layout_set(lf.exp, layout, bytes, len, false));
	return layout;
}

/* No component has the bytes of the third stripe. */
static void bytes_of_no_component_are_a_hole(struct kunit *test)
{
	struct lov_layout *layout;

	lf_connect(test);
	bitmap_zero(has_data, ROWS * STRIPE / LF_BLOCK + 1);
	layout = comp_layout(test, 1);
	write_block(test, layout, FIRST_END / LF_BLOCK - 1);
	write_block(test, layout, SECOND_END / LF_BLOCK - 1);
	expect_all_seeks(test, layout);
	write_block(test, layout, FILE_END / LF_BLOCK);
	write_block(test, layout, SECOND_END / LF_BLOCK);
	write_block(test, layout, 4 * STRIPE / LF_BLOCK);
	expect_all_seeks(test, layout);
	KUNIT_EXPECT_EQ(test, 0, fallocate_at(layout, PUNCH, 0, FILE_END, NULL));
	bitmap_zero(has_data, ROWS * STRIPE / LF_BLOCK + 1);
	expect_all_seeks(test, layout);
	expect_size(test, layout, FILE_END);
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, fallocate_at(layout, 0, FIRST_END - 1, 2, NULL));
	dt_layout_put(lf.exp, layout);
}

static void a_component_without_objects_has_no_space(struct kunit *test)
{
	struct lov_layout *layout;
	u64 pos = SECOND_END;

	lf_connect(test);
	layout = comp_layout(test, 0);
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, fallocate_at(layout, 0, SECOND_END, 1, NULL));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, fallocate_at(layout, OST_FALLOC_ZERO_RANGE,
							SECOND_END - 10, 11, NULL));
	/* Of the bytes before it nothing was done either. */
	expect_size(test, layout, 0);
	KUNIT_EXPECT_EQ(test, 0, fallocate_at(layout, 0, SECOND_END - 10, 10, NULL));
	KUNIT_EXPECT_EQ(test, 0, fallocate_at(layout, PUNCH, SECOND_END - 10, 100, NULL));
	expect_size(test, layout, SECOND_END);
	KUNIT_EXPECT_EQ(test, 0, dt_seek(lf.exp, layout, true, FILE_END, &pos));
	KUNIT_EXPECT_EQ(test, SECOND_END, pos);
	KUNIT_EXPECT_EQ(test, -ENXIO, dt_seek(lf.exp, layout, false, FILE_END, &pos));
	dt_layout_put(lf.exp, layout);
}

static struct kunit_case lov_space_cases[] = {
	KUNIT_CASE(a_range_becomes_zeros),
	KUNIT_CASE(space_moves_the_end_of_the_file),
	KUNIT_CASE(objects_get_the_times_of_the_change),
	KUNIT_CASE(a_change_outlives_its_target),
	KUNIT_CASE(a_lost_change_is_reported),
	KUNIT_CASE(errors_are_those_of_the_file),
	KUNIT_CASE(holes_of_a_file_are_those_of_its_objects),
	KUNIT_CASE(a_short_object_is_a_hole),
	KUNIT_CASE(bytes_of_no_component_are_a_hole),
	KUNIT_CASE(a_component_without_objects_has_no_space),
	{}
};

static struct kunit_suite lov_space_suite = {
	.name = "lov_space",
	.suite_init = ty_suite_init,
	.init = lf_init,
	.exit = lf_exit,
	.test_cases = lov_space_cases,
};
kunit_test_suite(lov_space_suite);

MODULE_DESCRIPTION("space of files, and holes in them");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
