// SPDX-License-Identifier: GPL-2.0-only
/*
 * Layouts of files: values and their generations, segments that are in use when the layout changes
 * or its inode ends, components, drivers, failed allocations.
 *
 * Processors: 2
 */
#include "lov_file.h"
#include "failslab.h"
#include "../../lov/lov_driver.h"
#include "../../lov/lov_layout.h"

#define RELEASED	(LOV_PATTERN_RAID0 | LOV_PATTERN_F_RELEASED)
#define DRIVER		0x33
#define ROUNDS		300

/* layouts: empty, valid, dead, refs_inode, refs_segment */
static void expect_layouts(struct kunit *test, u64 empty, u64 valid, u64 dead, u64 segments)
{
	expect_count(test, "lov/lov/layouts", 0, empty);
	expect_count(test, "lov/lov/layouts", 1, valid);
	expect_count(test, "lov/lov/layouts", 2, dead);
	expect_count(test, "lov/lov/layouts", 3, empty + valid);
	expect_count(test, "lov/lov/layouts", 4, segments);
}

/* segments: segments, refs_valid, refs_io; no locks */
static void expect_segments(struct kunit *test, u64 segments, u64 valid, u64 io)
{
	expect_count(test, "lov/lov/segments", 0, segments);
	expect_count(test, "lov/lov/segments", 1, valid);
	expect_count(test, "lov/lov/segments", 2, io);
	expect_count(test, "lov/lov/segments", 3, 0);
}

static int layout_change(struct lov_layout *layout, u32 pattern, u16 gen, u64 id)
{
	u8 bytes[256];
	size_t len = make_ea_of(bytes, LF_OSTS, pattern, gen, id, 0);

	return dt_layout_set(lf.exp, layout, bytes, len, false);
}

/* Values. */

static void an_older_value_is_refused(struct kunit *test)
{
	static const struct {
		u16	from;
		u16	to;
		int	rc;
	} rows[] = {
		{ 5, 6, 1 }, { 5, 5, 1 }, { 6, 5, -ESTALE }, { 0xffff, 0, 1 }, { 0xffff, 1, 1 },
		{ 0, 0xffff, -ESTALE }, { 1, 0xfffe, -ESTALE }, { 100, 99, -ESTALE },
	};
	struct lov_layout *layout;
	size_t n;

	lf_connect(test);
	for (n = 0; n < ARRAY_SIZE(rows); n++) {
		layout = layout_empty(test);
		KUNIT_EXPECT_EQ(test, 1, layout_change(layout, LOV_PATTERN_RAID0, rows[n].from,
						       OBJECT_ID));
		KUNIT_EXPECT_EQ_MSG(test, rows[n].rc,
				    layout_change(layout, LOV_PATTERN_RAID0, rows[n].to,
						  OBJECT_ID + 1), "row %zu", n);
		/* One that is older is refused also if it is not served. */
		if (rows[n].rc < 0)
			KUNIT_EXPECT_EQ(test, rows[n].rc,
					layout_change(layout, RELEASED, rows[n].to, OBJECT_ID));
		expect_layouts(test, 0, 1, 0, 1);
		expect_segments(test, 1, 1, 0);
		dt_layout_put(lf.exp, layout);
		expect_layouts(test, 0, 0, 0, 0);
	}
}

static void a_value_that_is_not_served_ends_the_segments(struct kunit *test)
{
	struct lov_layout *layout;
	u64 size;

	lf_connect(test);
	layout = layout_get(test, LF_OSTS);
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, 10, 1, false));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, layout_change(layout, RELEASED, 1, OBJECT_ID));
	expect_layouts(test, 1, 0, 0, 0);
	expect_segments(test, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, write_at(test, layout, 0, 10, 1, false));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, size_of(layout, &size));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, set_size(layout, 0));
	KUNIT_EXPECT_EQ(test, 0, dt_sync(lf.exp, layout));
	KUNIT_EXPECT_EQ(test, 1, layout_change(layout, LOV_PATTERN_RAID0, 2, OBJECT_ID));
	expect_read(test, layout, 0, 20, 0, 10, 1);
	dt_layout_put(lf.exp, layout);
}

/* The client is sure of a value that came with the lock of the layout. */
static void a_sure_value_may_be_older(struct kunit *test)
{
	struct lov_layout *layout;
	u8 bytes[256];
	size_t len;

	lf_connect(test);
	layout = layout_empty(test);
	KUNIT_EXPECT_EQ(test, 1, layout_change(layout, LOV_PATTERN_RAID0, 5, OBJECT_ID));
	len = make_ea_of(bytes, LF_OSTS, LOV_PATTERN_RAID0, 4, OBJECT_ID + 1, 0);
	KUNIT_EXPECT_EQ(test, -ESTALE, dt_layout_set(lf.exp, layout, bytes, len, false));
	KUNIT_EXPECT_EQ(test, 1, dt_layout_set(lf.exp, layout, bytes, len, true));
	KUNIT_EXPECT_EQ(test, 0, dt_layout_set(lf.exp, layout, bytes, len, true));
	KUNIT_EXPECT_EQ(test, 0, dt_layout_set(lf.exp, layout, bytes, len, false));
	dt_layout_put(lf.exp, layout);
	expect_layouts(test, 0, 0, 0, 0);
}

/* Segments in use. */

static long aside_write(void *layout)
{
	struct dt_io io = io_of(true, 0, LF_OSTS * STRIPE);

	return dt_io(lf.exp, layout, &io);
}

static void write_starts(struct kunit *test, struct aside *caller, struct lov_layout *layout)
{
	pages_get(test, LF_OSTS * STRIPE);
	each_byte(true, 0, 0, U64_MAX, 7);
	WRITE_ONCE(lf.wait, true);
	aside_start(test, caller, aside_write, layout);
	KUNIT_EXPECT_TRUE(test, lf_await(lf_all_run));
}

static void write_ends(struct kunit *test, struct aside *caller)
{
	WRITE_ONCE(lf.wait, false);
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, caller));
	pages_put();
}

static void a_write_ends_on_the_segments_of_its_start(struct kunit *test)
{
	struct lov_layout *layout;
	struct aside caller;

	lf_connect(test);
	layout = layout_get(test, LF_OSTS);
	write_starts(test, &caller, layout);
	expect_segments(test, 1, 1, 1);
	KUNIT_EXPECT_EQ(test, 1, layout_change(layout, LOV_PATTERN_RAID0, 1, OBJECT_ID + 50));
	expect_layouts(test, 0, 1, 0, 2);
	expect_segments(test, 2, 1, 1);
	write_ends(test, &caller);
	expect_segments(test, 1, 1, 0);
	/* The bytes are in the objects of before. */
	expect_read(test, layout, 0, 3 * STRIPE, 0, 0, 7);
	KUNIT_EXPECT_EQ(test, 1, layout_change(layout, LOV_PATTERN_RAID0, 2, OBJECT_ID));
	expect_read(test, layout, 0, 3 * STRIPE, 0, 3 * STRIPE, 7);
	dt_layout_put(lf.exp, layout);
	expect_layouts(test, 0, 0, 0, 0);
}

static void a_dead_layout_gets_no_segments(struct kunit *test)
{
	struct lov_layout *layout;
	struct aside caller;

	lf_connect(test);
	layout = layout_get(test, LF_OSTS);
	write_starts(test, &caller, layout);
	dt_layout_put(lf.exp, layout);
	expect_layouts(test, 0, 0, 1, 1);
	/* The segment of the write references it. */
	KUNIT_EXPECT_EQ(test, -ESTALE, layout_change(layout, LOV_PATTERN_RAID0, 1, OBJECT_ID));
	KUNIT_EXPECT_EQ(test, -ESTALE, dt_sync(lf.exp, layout));
	expect_segments(test, 1, 0, 1);
	write_ends(test, &caller);
	expect_layouts(test, 0, 0, 0, 0);
	expect_segments(test, 0, 0, 0);
}

static void lost_writes_are_those_of_the_next_segments_too(struct kunit *test)
{
	struct lov_layout *layout;
	struct aside caller;
	u8 bytes[256];
	size_t len;
	u64 size;

	lf_connect(test);
	layout = layout_get(test, LF_OSTS);
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, STRIPE, 1, false));
	write_starts(test, &caller, layout);
	/* Another segment, of the first ones of the objects. */
	len = make_ea_of(bytes, LF_OSTS - 1, LOV_PATTERN_RAID0, 1, OBJECT_ID, 0);
	KUNIT_EXPECT_EQ(test, 1, dt_layout_set(lf.exp, layout, bytes, len, false));
	write_ends(test, &caller);
	KUNIT_EXPECT_EQ(test, 1U, obd_export_evict_by_uuid(lf.ost[1].obd, TY_GROUP, NULL));
	(void)size_of(layout, &size);
	KUNIT_EXPECT_EQ(test, 0, size_of(layout, &size));
	KUNIT_EXPECT_EQ(test, -EIO, dt_sync(lf.exp, layout));
	KUNIT_EXPECT_EQ(test, 0, dt_sync(lf.exp, layout));
	dt_layout_put(lf.exp, layout);
}

/* Lookups, changes and ends beside each other. */
static struct {
	struct lov_layout	*layout;
	bool			stop;
} rush;

static long aside_sync(void *unused)
{
	int rc = 0;

	while (!rc && !READ_ONCE(rush.stop)) {
		rc = dt_sync(lf.exp, rush.layout);
		cond_resched();
	}
	return rc;
}

static void changes_leave_the_segments_of_others(struct kunit *test)
{
	struct aside caller;
	unsigned int n;

	lf_connect(test);
	rush.layout = layout_get(test, LF_OSTS);
	rush.stop = false;
	aside_start(test, &caller, aside_sync, NULL);
	for (n = 1; n <= ROUNDS; n++) {
		KUNIT_EXPECT_EQ(test, 1, layout_change(rush.layout, LOV_PATTERN_RAID0, n,
						       OBJECT_ID + n % 2));
		cond_resched();
	}
	WRITE_ONCE(rush.stop, true);
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &caller));
	expect_segments(test, 1, 1, 0);
	dt_layout_put(lf.exp, rush.layout);
	expect_layouts(test, 0, 0, 0, 0);
}

/* Components. */

#define FIRST_END	(2ULL * STRIPE)
#define SECOND_END	(6ULL * STRIPE)

/* On the first target, on the two others, and without objects. */
static struct lov_layout *comp_layout(struct kunit *test)
{
	struct lov_layout *layout = layout_empty(test);
	u8 bytes[512];
	size_t len;

	make_comp(bytes, 1, 1, 3);
	add_comp(bytes, 0, 0, FIRST_END, 0, 1, LOV_PATTERN_RAID0, OBJECT_ID, 0);
	add_comp(bytes, 1, FIRST_END, SECOND_END, 0, 2, LOV_PATTERN_RAID0, OBJECT_ID + 1, 1);
	len = add_comp(bytes, 2, SECOND_END, U64_MAX, 0, 0, LOV_PATTERN_RAID0, 0, 0);
	KUNIT_ASSERT_EQ(test, 1, dt_layout_set(lf.exp, layout, bytes, len, false));
	return layout;
}

static void components_have_their_bytes(struct kunit *test)
{
	struct lov_layout *layout;
	u64 size;

	lf_connect(test);
	layout = comp_layout(test);
	expect_layouts(test, 0, 1, 0, 3);
	expect_segments(test, 3, 3, 0);
	expect_read(test, layout, 0, 8 * STRIPE, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 100, SECOND_END - 100, 1, false));
	/* Bytes of a component are where they would be if its objects had the whole file. */
	KUNIT_EXPECT_EQ(test, FIRST_END, lf_object_of(&lf.ost[0], OBJECT_ID)->size);
	KUNIT_EXPECT_EQ(test, 3ULL * STRIPE, lf_object_of(&lf.ost[1], OBJECT_ID + 1)->size);
	KUNIT_EXPECT_EQ(test, 3ULL * STRIPE, lf_object_of(&lf.ost[2], OBJECT_ID + 2)->size);
	KUNIT_EXPECT_EQ(test, byte_at(FIRST_END, 1),
			lf_object_of(&lf.ost[1], OBJECT_ID + 1)->bytes[STRIPE]);
	KUNIT_EXPECT_EQ(test, 0, size_of(layout, &size));
	KUNIT_EXPECT_EQ(test, SECOND_END, size);
	expect_read(test, layout, 0, 8 * STRIPE, 100, SECOND_END, 1);
	expect_read(test, layout, FIRST_END - 1, 2, 100, SECOND_END, 1);
	expect_read(test, layout, SECOND_END, 10, 0, 0, 1);
	dt_layout_put(lf.exp, layout);
	expect_segments(test, 0, 0, 0);
}

static void a_component_without_objects_is_not_written(struct kunit *test)
{
	struct lov_layout *layout;
	u64 size;

	lf_connect(test);
	layout = comp_layout(test);
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, write_at(test, layout, SECOND_END, 1, 1, false));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, write_at(test, layout, SECOND_END - 10, 11, 1, false));
	/* Of the bytes before it nothing was written either. */
	KUNIT_EXPECT_EQ(test, 0, size_of(layout, &size));
	KUNIT_EXPECT_EQ(test, 0ULL, size);
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, set_size(layout, SECOND_END + 1));
	KUNIT_EXPECT_EQ(test, 0, set_size(layout, SECOND_END));
	KUNIT_EXPECT_EQ(test, 0, size_of(layout, &size));
	KUNIT_EXPECT_EQ(test, SECOND_END, size);
	dt_layout_put(lf.exp, layout);
}

/* The value of comp_layout() when the last component has objects, too. */
static size_t comp_extended(u8 *bytes)
{
	make_comp(bytes, 2, 1, 3);
	add_comp(bytes, 0, 0, FIRST_END, 0, 1, LOV_PATTERN_RAID0, OBJECT_ID, 0);
	add_comp(bytes, 1, FIRST_END, SECOND_END, 0, 2, LOV_PATTERN_RAID0, OBJECT_ID + 1, 1);
	return add_comp(bytes, 2, SECOND_END, U64_MAX, 0, 1, LOV_PATTERN_RAID0, OBJECT_ID + 9, 0);
}

static void a_component_gets_objects(struct kunit *test)
{
	struct lov_layout *layout;
	u8 bytes[512];
	size_t len;
	u64 size;

	lf_connect(test);
	layout = comp_layout(test);
	KUNIT_EXPECT_FALSE(test, dt_lacks(lf.exp, layout, SECOND_END));
	KUNIT_EXPECT_TRUE(test, dt_lacks(lf.exp, layout, SECOND_END + 1));
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, SECOND_END, 1, false));
	len = comp_extended(bytes);
	KUNIT_EXPECT_EQ(test, 2, dt_layout_set(lf.exp, layout, bytes, len, false));
	expect_segments(test, 3, 3, 0);
	KUNIT_EXPECT_FALSE(test, dt_lacks(lf.exp, layout, U64_MAX));
	expect_read(test, layout, 0, SECOND_END + 10, 0, SECOND_END, 1);
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, SECOND_END + 5, 2, false));
	KUNIT_EXPECT_EQ(test, 0, size_of(layout, &size));
	KUNIT_EXPECT_EQ(test, SECOND_END + 5, size);
	expect_read(test, layout, 0, SECOND_END + 10, 0, SECOND_END + 5, 2);
	KUNIT_EXPECT_EQ(test, 0, dt_sync(lf.exp, layout));
	dt_layout_put(lf.exp, layout);
	expect_segments(test, 0, 0, 0);
	expect_layouts(test, 0, 0, 0, 0);
}

static long aside_both(void *layout)
{
	struct dt_io io = io_of(true, 0, SECOND_END);

	return dt_io(lf.exp, layout, &io);
}

/* A segment that stays has one reference for the VALID bit, whether it is in use or not. */
static void segments_in_use_stay_with_their_objects(struct kunit *test)
{
	struct lov_layout *layout;
	struct aside caller;
	u8 bytes[512];
	size_t len;

	lf_connect(test);
	layout = comp_layout(test);
	pages_get(test, SECOND_END);
	each_byte(true, 0, 0, U64_MAX, 7);
	WRITE_ONCE(lf.wait, true);
	aside_start(test, &caller, aside_both, layout);
	KUNIT_EXPECT_TRUE(test, lf_await(lf_all_run));
	expect_segments(test, 3, 3, 3);
	len = comp_extended(bytes);
	KUNIT_EXPECT_EQ(test, 2, dt_layout_set(lf.exp, layout, bytes, len, false));
	/* The one without objects that the write has, and the one in its place. */
	expect_segments(test, 4, 3, 3);
	write_ends(test, &caller);
	expect_segments(test, 3, 3, 0);
	expect_read(test, layout, 0, SECOND_END, 0, SECOND_END, 7);
	dt_layout_put(lf.exp, layout);
	expect_segments(test, 0, 0, 0);
}

static void components_share_a_size(struct kunit *test)
{
	static const u64 sizes[] = { SECOND_END, FIRST_END + STRIPE + 1, FIRST_END + 1, FIRST_END,
				     FIRST_END - 1, 1, 0, 5, FIRST_END + 3 };
	struct lov_layout *layout;
	u64 size;
	size_t n;

	lf_connect(test);
	layout = comp_layout(test);
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, SECOND_END, 1, false));
	for (n = 0; n < ARRAY_SIZE(sizes); n++) {
		KUNIT_EXPECT_EQ(test, 0, set_size(layout, sizes[n]));
		KUNIT_EXPECT_EQ(test, 0, size_of(layout, &size));
		KUNIT_EXPECT_EQ_MSG(test, sizes[n], size, "row %zu", n);
	}
	/* Truncated bytes do not come back. */
	expect_read(test, layout, 0, FIRST_END + 3, FIRST_END + 3, FIRST_END + 3, 1);
	dt_layout_put(lf.exp, layout);
}

static void components_that_are_not_served_are_refused(struct kunit *test)
{
	static const struct {
		u16	mirrors;
		u64	start;
		u64	end;
		u32	flags;
		u32	pattern;
		int	rc;
	} rows[] = {
		{ 1, STRIPE, U64_MAX, 0, LOV_PATTERN_RAID0, 1 },
		/* Bytes that no component has. */
		{ 1, 3 * STRIPE, 4 * STRIPE, 0, LOV_PATTERN_RAID0, 1 },
		{ 1, STRIPE - 1, U64_MAX, 0, LOV_PATTERN_RAID0, -EUCLEAN },
		{ 1, 0, U64_MAX, 0, LOV_PATTERN_RAID0, -EUCLEAN },
		{ 2, STRIPE, U64_MAX, 0, LOV_PATTERN_RAID0, -EOPNOTSUPP },
		{ 1, STRIPE, U64_MAX, LCME_FL_STALE, LOV_PATTERN_RAID0, -EOPNOTSUPP },
		{ 1, STRIPE, U64_MAX, LCME_FL_PARITY, LOV_PATTERN_RAID0, -EOPNOTSUPP },
		{ 1, STRIPE, U64_MAX, 0, LOV_PATTERN_MDT, -EOPNOTSUPP },
		{ 1, STRIPE, U64_MAX, 0, RELEASED, -EOPNOTSUPP },
		{ 1, STRIPE, U64_MAX, 0, 0x10, -EOPNOTSUPP },
	};
	struct lov_layout *layout;
	u8 bytes[512];
	size_t n, len;

	lf_connect(test);
	layout = layout_empty(test);
	for (n = 0; n < ARRAY_SIZE(rows); n++) {
		make_comp(bytes, n, rows[n].mirrors, 2);
		add_comp(bytes, 0, 0, STRIPE, 0, 1, LOV_PATTERN_RAID0, OBJECT_ID, 0);
		len = add_comp(bytes, 1, rows[n].start, rows[n].end, rows[n].flags, 1,
			       rows[n].pattern, OBJECT_ID + 1, 1);
		KUNIT_EXPECT_EQ_MSG(test, rows[n].rc,
				    dt_layout_set(lf.exp, layout, bytes, len, false), "row %zu", n);
		expect_segments(test, rows[n].rc > 0 ? 2 : 0, rows[n].rc > 0 ? 2 : 0, 0);
	}
	dt_layout_put(lf.exp, layout);
	expect_segments(test, 0, 0, 0);
}

/* Drivers. */

/* One object after the other; the last one has the rest. */
static bool is_last(const struct lov_seg *seg, u32 stripe)
{
	return stripe == seg->lsg_stripes.count - 1;
}

static u64 row_object_end(const struct lov_seg *seg, u32 stripe, u64 end)
{
	u64 before = (u64)stripe * STRIPE, bytes = end > before ? end - before : 0;

	return is_last(seg, stripe) ? bytes : min_t(u64, bytes, STRIPE);
}

static u64 row_file_pos(const struct lov_seg *seg, u32 stripe, u64 pos, u64 *run)
{
	*run = is_last(seg, stripe) ? U64_MAX - pos : STRIPE - pos;
	return (u64)stripe * STRIPE + pos;
}

static u64 row_file_end(const struct lov_seg *seg, u32 stripe, u64 size)
{
	return size ? (u64)stripe * STRIPE + size : 0;
}

static int row_segs;

static struct lov_seg *row_alloc(const struct lov_ea *ea)
{
	might_sleep();
	row_segs++;
	return lov_seg_alloc(ea);
}

static void row_free(struct lov_seg *seg)
{
	might_sleep();
	row_segs--;
	lov_seg_free(seg);
}

static struct lov_driver row_driver = {
	.ldv_id = DRIVER,
	.ldv_name = "row",
	.ldv_owner = THIS_MODULE,
	.ldv_seg_alloc = row_alloc,
	.ldv_seg_free = row_free,
	.ldv_object_end = row_object_end,
	.ldv_file_pos = row_file_pos,
	.ldv_file_end = row_file_end,
};

static void a_driver_places_the_bytes(struct kunit *test)
{
	struct lov_driver other = row_driver;
	struct lov_layout *layout;
	u64 size;
	int pins;

	lf_connect(test);
	layout = layout_empty(test);
	pins = module_refcount(THIS_MODULE);
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, layout_change(layout, DRIVER, 1, OBJECT_ID));
	KUNIT_ASSERT_EQ(test, 0, lov_driver_register(&row_driver));
	KUNIT_EXPECT_EQ(test, -EEXIST, lov_driver_register(&other));
	other.ldv_id = 0;
	KUNIT_EXPECT_EQ(test, -EINVAL, lov_driver_register(&other));
	KUNIT_EXPECT_EQ(test, 1, layout_change(layout, DRIVER, 2, OBJECT_ID));
	KUNIT_EXPECT_EQ(test, 1, row_segs);
	KUNIT_EXPECT_EQ(test, pins + 1, module_refcount(THIS_MODULE));
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 10, 5 * STRIPE, 1, false));
	KUNIT_EXPECT_EQ(test, (u64)STRIPE, lf_object_of(&lf.ost[0], OBJECT_ID)->size);
	KUNIT_EXPECT_EQ(test, (u64)STRIPE, lf_object_of(&lf.ost[1], OBJECT_ID + 1)->size);
	KUNIT_EXPECT_EQ(test, 3ULL * STRIPE + 10, lf_object_of(&lf.ost[2], OBJECT_ID + 2)->size);
	KUNIT_EXPECT_EQ(test, 0, size_of(layout, &size));
	KUNIT_EXPECT_EQ(test, 5ULL * STRIPE + 10, size);
	expect_read(test, layout, 0, 6 * STRIPE, 10, 5 * STRIPE + 10, 1);
	KUNIT_EXPECT_EQ(test, 1, layout_change(layout, LOV_PATTERN_RAID0, 3, OBJECT_ID));
	KUNIT_EXPECT_EQ(test, 0, row_segs);
	KUNIT_EXPECT_EQ(test, pins, module_refcount(THIS_MODULE));
	lov_driver_unregister(&row_driver);
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, layout_change(layout, DRIVER, 4, OBJECT_ID));
	dt_layout_put(lf.exp, layout);
}

/* Devices. */

/* devices: devices, refs_table, refs_slot */
static void expect_devices(struct kunit *test, u64 devices, u64 table, u64 slots)
{
	expect_count(test, "lov/lov/devices", 0, devices);
	expect_count(test, "lov/lov/devices", 1, table);
	expect_count(test, "lov/lov/devices", 2, slots);
}

static void a_device_is_found_by_the_first_request(struct kunit *test)
{
	struct lov_layout *layout, *other;

	lf_connect(test);
	layout = layout_get(test, LF_OSTS);
	other = layout_get(test, LF_OSTS);
	expect_devices(test, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, STRIPE, 10, 1, false));
	expect_devices(test, 1, 1, 1);
	KUNIT_EXPECT_TRUE(test, ty_line_is(3, "1: ost1_UUID generation 1, references 2"));
	expect_count(test, "lov/lov/servers", 0, 1);
	KUNIT_EXPECT_TRUE(test, ty_line_is(1, LF_NID ": 1: ost1_UUID FULL, references 2"));
	KUNIT_EXPECT_EQ(test, 0, write_at(test, other, STRIPE, 2 * STRIPE, 1, false));
	expect_devices(test, 2, 2, 3);
	dt_layout_put(lf.exp, layout);
	expect_devices(test, 2, 2, 2);
	dt_layout_put(lf.exp, other);
	expect_devices(test, 2, 2, 0);
}

static void move_target(struct kunit *test, u32 command, const char *uuid, const char *index)
{
	struct obd_why why;

	KUNIT_EXPECT_EQ_MSG(test, 0, ty_command(lf.lov, command, uuid, index, "1", &why), "%s",
			    why.text);
}

static void another_target_does_not_have_the_objects(struct kunit *test)
{
	struct lov_layout *layout, *other;

	lf_connect(test);
	layout = layout_get(test, 1);
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, 10, 1, false));
	move_target(test, LCFG_LOV_DEL_OBD, "ost0_UUID", "0");
	expect_devices(test, 1, 0, 1);
	KUNIT_EXPECT_EQ(test, -EIO, write_at(test, layout, 0, 10, 1, false));
	/* It is back. */
	move_target(test, LCFG_LOV_ADD_OBD, "ost0_UUID", "0");
	expect_read(test, layout, 0, 20, 0, 10, 1);
	move_target(test, LCFG_LOV_DEL_OBD, "ost0_UUID", "0");
	move_target(test, LCFG_LOV_DEL_OBD, "ost1_UUID", "1");
	move_target(test, LCFG_LOV_ADD_OBD, "ost1_UUID", "0");
	KUNIT_EXPECT_EQ(test, -EIO, write_at(test, layout, 0, 10, 2, false));
	other = layout_get(test, 1);
	KUNIT_EXPECT_EQ(test, 0, write_at(test, other, 0, 5, 2, false));
	expect_devices(test, 2, 1, 2);
	KUNIT_EXPECT_EQ(test, 5ULL, lf_object_of(&lf.ost[1], OBJECT_ID)->size);
	KUNIT_EXPECT_EQ(test, 10ULL, lf_object_of(&lf.ost[0], OBJECT_ID)->size);
	dt_layout_put(lf.exp, other);
	dt_layout_put(lf.exp, layout);
	expect_devices(test, 1, 1, 0);
}

#ifdef CONFIG_FAULT_INJECTION
/* Each allocation of a change in turn, and a last time none. */
static void a_failed_allocation_leaves_the_value(struct kunit *test)
{
	struct lov_layout *layout;
	bool failed = true;
	u32 n, noticed = 0;
	int rc;

	lf_connect(test);
	if (sleeping_allocations_fail(true))
		kunit_skip(test, "debugfs is not mounted");
	layout = layout_get(test, 1);
	for (n = 1; failed && n < ROUNDS; n++) {
		current->fail_nth = n;
		rc = layout_change(layout, LOV_PATTERN_RAID0, n, OBJECT_ID + n % 2);
		failed = !current->fail_nth;
		current->fail_nth = 0;
		noticed += rc == -ENOMEM;
		/* 2: the value that stayed has the same objects. */
		KUNIT_EXPECT_TRUE(test, rc > 0 || (failed && rc == -ENOMEM));
		expect_layouts(test, 0, 1, 0, 1);
		KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, 10, n, false));
	}
	KUNIT_EXPECT_EQ(test, 2U, noticed);
	dt_layout_put(lf.exp, layout);
	/* The first one. */
	layout = layout_empty(test);
	current->fail_nth = 1;
	KUNIT_EXPECT_EQ(test, -ENOMEM, layout_change(layout, LOV_PATTERN_RAID0, 1, OBJECT_ID));
	current->fail_nth = 0;
	sleeping_allocations_fail(false);
	expect_layouts(test, 1, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, -ENOMEM, dt_sync(lf.exp, layout));
	dt_layout_put(lf.exp, layout);
	expect_layouts(test, 0, 0, 0, 0);
}
#endif

static struct kunit_case lov_layout_cases[] = {
	KUNIT_CASE(an_older_value_is_refused),
	KUNIT_CASE(a_sure_value_may_be_older),
	KUNIT_CASE(a_value_that_is_not_served_ends_the_segments),
	KUNIT_CASE(a_write_ends_on_the_segments_of_its_start),
	KUNIT_CASE(a_dead_layout_gets_no_segments),
	KUNIT_CASE(lost_writes_are_those_of_the_next_segments_too),
	KUNIT_CASE(changes_leave_the_segments_of_others),
	KUNIT_CASE(components_have_their_bytes),
	KUNIT_CASE(a_component_without_objects_is_not_written),
	KUNIT_CASE(a_component_gets_objects),
	KUNIT_CASE(segments_in_use_stay_with_their_objects),
	KUNIT_CASE(components_share_a_size),
	KUNIT_CASE(components_that_are_not_served_are_refused),
#ifdef CONFIG_FAULT_INJECTION
	KUNIT_CASE(a_failed_allocation_leaves_the_value),
#endif
	KUNIT_CASE(a_driver_places_the_bytes),
	KUNIT_CASE(a_device_is_found_by_the_first_request),
	KUNIT_CASE(another_target_does_not_have_the_objects),
	{}
};

static struct kunit_suite lov_layout_suite = {
	.name = "lov_layout",
	.suite_init = ty_suite_init,
	.init = lf_init,
	.exit = lf_exit,
	.test_cases = lov_layout_cases,
};
kunit_test_suite(lov_layout_suite);

MODULE_DESCRIPTION("layouts of files");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
