// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files over objects, through lov and osc: layouts, striped reads and writes, sizes and times,
 * restarts of targets, lost writes, limits, killed tasks.
 *
 * Processors: 2
 */
#include <lustre_lite/ptlrpc_test_point.h>

#include "lov_file.h"

/* Layouts. */

static void what_is_not_served_is_refused(struct kunit *test)
{
	static const struct {
		u32	pattern;
		int	rc;
	} rows[] = {
		{ LOV_PATTERN_RAID0, 1 },
		/* In the same objects. */
		{ LOV_PATTERN_RAID0 | LOV_PATTERN_OVERSTRIPING, 2 },
		{ LOV_PATTERN_RAID0 | LOV_PATTERN_F_RELEASED, -EOPNOTSUPP },
		{ LOV_PATTERN_RAID0 | LOV_PATTERN_F_HOLE, -EOPNOTSUPP },
		{ LOV_PATTERN_MDT, -EOPNOTSUPP },
		{ 0x10, -EOPNOTSUPP },
	};
	struct lov_layout *layout;
	u8 bytes[256];
	size_t n, len;

	lf.lov = ty_volume(test, "lov", "lov", LF_INSTANCE);
	lf.exp = ty_connect(test, lf.lov, "user_UUID");
	layout = layout_empty(test);
	for (n = 0; n < ARRAY_SIZE(rows); n++) {
		len = make_ea(bytes, 2, rows[n].pattern);
		KUNIT_EXPECT_EQ_MSG(test, rows[n].rc,
				    dt_layout_set(lf.exp, layout, bytes, len, false), "row %zu", n);
		/* Known, also that it is refused. */
		KUNIT_EXPECT_EQ_MSG(test, min(rows[n].rc, 0),
				    dt_layout_set(lf.exp, layout, bytes, len, false), "row %zu", n);
	}
	/* Cut off, without objects, of another kind. */
	KUNIT_EXPECT_EQ(test, -EUCLEAN, dt_layout_set(lf.exp, layout, bytes, len - 1, false));
	len = make_ea(bytes, 0, LOV_PATTERN_RAID0);
	KUNIT_EXPECT_EQ(test, -EUCLEAN, dt_layout_set(lf.exp, layout, bytes, len, false));
	KUNIT_EXPECT_EQ(test, -EUCLEAN, dt_layout_set(lf.exp, layout, "", 0, false));
	*(__le32 *)bytes = cpu_to_le32(LOV_MAGIC_FOREIGN);
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, dt_layout_set(lf.exp, layout, bytes, len, false));
	dt_layout_put(lf.exp, layout);
}

/* Reads and writes. */

static void bytes_come_back(struct kunit *test)
{
	struct lov_layout *layout;
	u32 count;

	lf_connect(test);
	for (count = 1; count <= LF_OSTS; count++) {
		layout = layout_get(test, count);
		KUNIT_EXPECT_EQ(test, 0, set_size(layout, 0));
		expect_read(test, layout, 0, 1000, 0, 0, 0);
		KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 1000, 700001, count, false));
		expect_read(test, layout, 0, 800000, 1000, 701001, count);
		expect_read(test, layout, STRIPE - 1, 2, 1000, 701001, count);
		expect_read(test, layout, 701001, 5000, 1000, 701001, count);
		KUNIT_EXPECT_EQ(test, (u64)file_fid.f_oid, lf.ost[0].parent);
		dt_layout_put(lf.exp, layout);
	}
}

/* Byte by byte, with the arithmetic of a person. */
static void objects_have_their_stripes(struct kunit *test)
{
	struct lov_layout *layout;
	const struct lf_object *obj;
	u64 pos, wrong = 0, in;
	u32 stripe;

	lf_connect(test);
	layout = layout_get(test, LF_OSTS);
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, 7 * STRIPE + 5, 1, false));
	for (pos = 0; pos < 7 * STRIPE + 5; pos++) {
		stripe = pos / STRIPE % LF_OSTS;
		in = pos / STRIPE / LF_OSTS * STRIPE + pos % STRIPE;
		obj = lf_object_of(&lf.ost[stripe], OBJECT_ID + stripe);
		wrong += obj->bytes[in] != byte_at(pos, 1);
	}
	KUNIT_EXPECT_EQ(test, 0ULL, wrong);
	KUNIT_EXPECT_EQ(test, 3ULL * STRIPE, lf_object_of(&lf.ost[0], OBJECT_ID)->size);
	KUNIT_EXPECT_EQ(test, 2ULL * STRIPE + 5, lf_object_of(&lf.ost[1], OBJECT_ID + 1)->size);
	KUNIT_EXPECT_EQ(test, 2ULL * STRIPE, lf_object_of(&lf.ost[2], OBJECT_ID + 2)->size);
	dt_layout_put(lf.exp, layout);
}

static void requests_have_a_limit(struct kunit *test)
{
	struct lov_layout *layout;

	lf_connect(test);
	layout = layout_get(test, 1);
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, TY_MIB, 1, false));
	KUNIT_EXPECT_EQ(test, TY_MIB, lf.ost[0].largest);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&lf.ost[0].writes));
	KUNIT_EXPECT_EQ(test, 0L, client_write(fx.client, "osc/osc0/max_pages_per_rpc", "5"));
	lf.ost[0].largest = 0;
	expect_read(test, layout, 1, TY_MIB - 1, 0, TY_MIB, 1);
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 1, TY_MIB - 1, 2, false));
	KUNIT_EXPECT_EQ(test, 5ULL * PAGE_SIZE, lf.ost[0].largest);
	expect_read(test, layout, 1, TY_MIB - 1, 1, TY_MIB, 2);
	dt_layout_put(lf.exp, layout);
}

/* Of two rows of stripes; one range is in two objects. */
static void ranges_of_an_object_go_out_together(struct kunit *test)
{
	static const struct dt_range ranges[] = {
		{ 100, 1000 }, { 1100, 1 }, { 5000, 9000 }, { STRIPE - 10, 20 },
		{ LF_OSTS * STRIPE, 5 },
	};
	struct lov_layout *layout;
	unsigned int n;

	lf_connect(test);
	layout = layout_get(test, LF_OSTS);
	KUNIT_EXPECT_EQ(test, 0, write_ranges(test, layout, ranges, ARRAY_SIZE(ranges), 1));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&lf.ost[0].writes));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&lf.ost[1].writes));
	KUNIT_EXPECT_EQ(test, 10001ULL + 10 + 5, lf.ost[0].largest);
	for (n = 0; n < ARRAY_SIZE(ranges); n++)
		expect_read(test, layout, ranges[n].dtr_pos, ranges[n].dtr_len, 0, U64_MAX, 1);
	expect_read(test, layout, 0, 100, 0, 0, 1);
	expect_read(test, layout, 1101, 5000 - 1101, 0, 0, 1);
	expect_read(test, layout, STRIPE + 10, (LF_OSTS - 1) * STRIPE - 10, 0, 0, 1);
	dt_layout_put(lf.exp, layout);
}

static void many_ranges_are_several_requests(struct kunit *test)
{
	struct lov_layout *layout;
	struct dt_range *ranges;
	unsigned int n, nr = OST_NIOBUFS_MAX + 3;

	lf_connect(test);
	ranges = kunit_kcalloc(test, nr, sizeof(*ranges), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ranges);
	for (n = 0; n < nr; n++)
		ranges[n] = (struct dt_range){ n * 1000, 10 };
	layout = layout_get(test, 1);
	KUNIT_EXPECT_EQ(test, 0, write_ranges(test, layout, ranges, nr, 1));
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&lf.ost[0].writes));
	for (n = 0; n < nr; n++)
		expect_read(test, layout, ranges[n].dtr_pos, 11, 0, ranges[n].dtr_pos + 10, 1);
	dt_layout_put(lf.exp, layout);
}

static long aside_write(void *layout)
{
	struct dt_io io = io_of(true, 0, LF_OSTS * STRIPE);

	allow_signal(SIGKILL);
	return dt_io(lf.exp, layout, &io);
}

static void stripes_go_out_side_by_side(struct kunit *test)
{
	struct lov_layout *layout;
	struct aside caller;

	lf_connect(test);
	layout = layout_get(test, LF_OSTS);
	pages_get(test, LF_OSTS * STRIPE);
	WRITE_ONCE(lf.wait, true);
	aside_start(test, &caller, aside_write, layout);
	KUNIT_EXPECT_TRUE(test, lf_await(lf_all_run));
	WRITE_ONCE(lf.wait, false);
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &caller));
	pages_put();
	dt_layout_put(lf.exp, layout);
}

/* Sizes and times. */

static void a_file_has_the_size_of_its_objects(struct kunit *test)
{
	static const u64 sizes[] = { 1, STRIPE, STRIPE + 1, 5 * STRIPE + 7, 3 * STRIPE, 2, 0 };
	struct lov_layout *layout;
	struct md_attr attr;
	u64 size;
	size_t n;

	lf_connect(test);
	layout = layout_get(test, LF_OSTS);
	KUNIT_EXPECT_EQ(test, 0, dt_getattr(lf.exp, layout, &attr, true));
	KUNIT_EXPECT_EQ(test, 0ULL, attr.size + attr.blocks + attr.ctime.sec);
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, 6 * STRIPE, 1, false));
	for (n = 0; n < ARRAY_SIZE(sizes); n++) {
		KUNIT_EXPECT_EQ(test, 0, set_size(layout, sizes[n]));
		KUNIT_EXPECT_EQ(test, 0, size_of(layout, &size));
		KUNIT_EXPECT_EQ(test, sizes[n], size);
	}
	/* Nothing comes back that was truncated. */
	KUNIT_EXPECT_EQ(test, 0, set_size(layout, 6 * STRIPE));
	KUNIT_EXPECT_EQ(test, 0, size_of(layout, &size));
	KUNIT_EXPECT_EQ(test, 6ULL * STRIPE, size);
	expect_read(test, layout, 0, 6 * STRIPE, 6 * STRIPE, 6 * STRIPE, 0);
	KUNIT_EXPECT_EQ(test, -EFBIG, set_size(layout, 1ULL << 63));
	dt_layout_put(lf.exp, layout);
}

static void times_are_those_of_the_newest_object(struct kunit *test)
{
	struct md_attr attr = { .valid = MDS_ATTR_ATIME | MDS_ATTR_CTIME, .atime = { 7, 8 },
				.ctime = { 1000, 9 } };
	struct lov_layout *layout;
	struct md_attr got;

	lf_connect(test);
	layout = layout_get(test, LF_OSTS);
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, STRIPE, 9, false));
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, STRIPE, STRIPE, 3, false));
	KUNIT_EXPECT_EQ(test, 0, dt_getattr(lf.exp, layout, &got, true));
	KUNIT_EXPECT_EQ(test, 109LL, got.mtime.sec);
	KUNIT_EXPECT_EQ(test, 209LL, got.ctime.sec);
	KUNIT_EXPECT_EQ(test, 2ULL * STRIPE / 512, got.blocks);
	/* A new size says what they are. */
	got = (struct md_attr){ .valid = MDS_ATTR_SIZE, .size = STRIPE };
	KUNIT_EXPECT_EQ(test, 0, dt_setattr(lf.exp, layout, &got));
	KUNIT_EXPECT_EQ(test, 109LL, got.mtime.sec);
	KUNIT_EXPECT_EQ(test, 209LL, got.ctime.sec);
	KUNIT_EXPECT_EQ(test, 0, dt_setattr(lf.exp, layout, &attr));
	KUNIT_EXPECT_EQ(test, 0, dt_getattr(lf.exp, layout, &got, true));
	KUNIT_EXPECT_EQ(test, 1000LL, got.ctime.sec);
	KUNIT_EXPECT_EQ(test, 7LL, got.atime.sec);
	KUNIT_EXPECT_EQ(test, 8U, got.atime.nsec);
	dt_layout_put(lf.exp, layout);
}

/* What is on disk. */

/* So many OST_SYNC came to each target. */
static void expect_syncs(struct kunit *test, int a, int b, int c)
{
	KUNIT_EXPECT_EQ(test, a, atomic_read(&lf.ost[0].syncs));
	KUNIT_EXPECT_EQ(test, b, atomic_read(&lf.ost[1].syncs));
	KUNIT_EXPECT_EQ(test, c, atomic_read(&lf.ost[2].syncs));
}

static void only_what_is_not_on_disk_is_synced(struct kunit *test)
{
	struct lov_layout *layout;

	lf_connect(test);
	layout = layout_get(test, LF_OSTS);
	/* Of changes before this layout nothing is known. */
	KUNIT_EXPECT_EQ(test, 0, dt_sync(lf.exp, layout));
	expect_syncs(test, 1, 1, 1);
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, STRIPE, 10, 1, false));
	KUNIT_EXPECT_EQ(test, 0, dt_sync(lf.exp, layout));
	KUNIT_EXPECT_EQ(test, 0, dt_sync(lf.exp, layout));
	expect_syncs(test, 1, 2, 1);
	KUNIT_EXPECT_EQ(test, 0U, READ_ONCE(lf_import(1)->imp_replay_count));
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, 10, 1, true));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&lf.ost[0].stable));
	KUNIT_EXPECT_EQ(test, 0, dt_sync(lf.exp, layout));
	expect_syncs(test, 1, 2, 1);
	dt_layout_put(lf.exp, layout);
}

static void sizes_and_times_are_synced(struct kunit *test)
{
	struct md_attr times = { .valid = MDS_ATTR_MTIME, .mtime = { 7, 8 } };
	struct lov_layout *layout;

	lf_connect(test);
	layout = layout_get(test, LF_OSTS);
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, 2 * STRIPE, 1, false));
	KUNIT_EXPECT_EQ(test, 0, dt_sync(lf.exp, layout));
	expect_syncs(test, 1, 1, 1);
	KUNIT_EXPECT_EQ(test, 0, set_size(layout, 10));
	KUNIT_EXPECT_EQ(test, 0, dt_sync(lf.exp, layout));
	expect_syncs(test, 2, 2, 2);
	KUNIT_EXPECT_EQ(test, 0, dt_setattr(lf.exp, layout, &times));
	KUNIT_EXPECT_EQ(test, 0, dt_sync(lf.exp, layout));
	expect_syncs(test, 3, 3, 3);
	KUNIT_EXPECT_EQ(test, 0, dt_sync(lf.exp, layout));
	expect_syncs(test, 3, 3, 3);
	/* A truncate that is lost is reported as a write is. */
	KUNIT_EXPECT_EQ(test, 0, set_size(layout, 5));
	KUNIT_EXPECT_EQ(test, 1U, obd_export_evict_by_uuid(lf.ost[0].obd, TY_GROUP, NULL));
	(void)dt_getattr(lf.exp, layout, &(struct md_attr){}, true);
	KUNIT_EXPECT_EQ(test, 0, dt_getattr(lf.exp, layout, &(struct md_attr){}, true));
	KUNIT_EXPECT_EQ(test, -EIO, dt_sync(lf.exp, layout));
	KUNIT_EXPECT_EQ(test, 0, dt_sync(lf.exp, layout));
	dt_layout_put(lf.exp, layout);
}

static void answered_writes_outlive_their_target(struct kunit *test)
{
	struct lov_layout *layout;
	u64 size;

	lf_connect(test);
	layout = layout_get(test, LF_OSTS);
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, 7 * STRIPE, 1, false));
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, 7 * STRIPE, 2, false));
	KUNIT_EXPECT_EQ(test, 0, set_size(layout, 6 * STRIPE + 5));
	lf_restart(test, 0);
	lf_restart(test, 1);
	KUNIT_EXPECT_EQ(test, 0, size_of(layout, &size));
	KUNIT_EXPECT_EQ(test, 6ULL * STRIPE + 5, size);
	expect_read(test, layout, 0, 7 * STRIPE, 0, 6 * STRIPE + 5, 2);
	KUNIT_EXPECT_EQ(test, 0, dt_sync(lf.exp, layout));
	/* The layout may go before its writes are on disk. */
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, 10, 3, false));
	dt_layout_put(lf.exp, layout);
}

static void a_lost_write_is_reported_once(struct kunit *test)
{
	struct lov_layout *layout;
	u64 size;

	lf_connect(test);
	layout = layout_get(test, LF_OSTS);
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, 2 * STRIPE, 1, false));
	KUNIT_EXPECT_EQ(test, 0, dt_error(lf.exp, layout));
	KUNIT_EXPECT_EQ(test, 1U, obd_export_evict_by_uuid(lf.ost[1].obd, TY_GROUP, NULL));
	/* The first call finds that out, and fails unless it comes later. */
	(void)size_of(layout, &size);
	KUNIT_EXPECT_EQ(test, 0, size_of(layout, &size));
	KUNIT_EXPECT_EQ(test, -EIO, dt_sync(lf.exp, layout));
	KUNIT_EXPECT_EQ(test, 0, dt_sync(lf.exp, layout));
	KUNIT_EXPECT_EQ(test, 0, dt_error(lf.exp, layout));
	dt_layout_put(lf.exp, layout);
}

static void writers_wait_for_the_disk(struct kunit *test)
{
	struct lov_layout *layout;
	unsigned int n;

	lf_connect(test);
	layout = layout_get(test, 1);
	KUNIT_EXPECT_EQ(test, 0L, client_write(fx.client, "osc/osc0/max_dirty_mb", "1"));
	for (n = 0; n < 4; n++)
		KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, TY_MIB / 2 + 1, n, false));
	KUNIT_EXPECT_EQ(test, 3, atomic_read(&lf.ost[0].syncs));
	KUNIT_EXPECT_EQ(test, 1U, READ_ONCE(lf_import(0)->imp_replay_count));
	KUNIT_EXPECT_EQ(test, 0L, client_read(fx.client, "osc/osc0/unstable_stats"));
	KUNIT_EXPECT_TRUE(test, ty_line_is(0, "unstable_pages:          128"));
	dt_layout_put(lf.exp, layout);
}

/* Failures. */

static void an_error_of_one_target_is_one_of_the_file(struct kunit *test)
{
	struct lov_layout *layout;
	u64 size;

	lf_connect(test);
	layout = layout_get(test, LF_OSTS);
	lf.ost[2].rc = -ENOSPC;
	KUNIT_EXPECT_EQ(test, -ENOSPC, write_at(test, layout, 0, 3 * STRIPE, 1, false));
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, 2 * STRIPE, 1, false));
	KUNIT_EXPECT_EQ(test, -ENOSPC, size_of(layout, &size));
	/* The task has seen it. */
	KUNIT_EXPECT_EQ(test, 0, dt_sync(lf.exp, layout));
	lf.ost[2].rc = 0;
	lf.ost[0].count_off = 1;
	KUNIT_EXPECT_EQ(test, -EIO, write_at(test, layout, 0, 10, 1, false));
	pages_get(test, 10);
	KUNIT_EXPECT_EQ(test, -EPROTO, ({
		const struct dt_io io = io_of(false, 0, 10);

		dt_io(lf.exp, layout, &io);
	}));
	pages_put();
	dt_layout_put(lf.exp, layout);
}

static void a_target_that_is_not_used_fails_at_once(struct kunit *test)
{
	struct lov_layout *layout;

	lf_connect(test);
	layout = layout_get(test, LF_OSTS);
	KUNIT_EXPECT_EQ(test, 0L, client_write(fx.client, "osc/osc1/active", "0"));
	KUNIT_EXPECT_EQ(test, -EIO, write_at(test, layout, 0, 2 * STRIPE, 1, false));
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 2 * STRIPE, STRIPE, 1, false));
	KUNIT_EXPECT_EQ(test, 0L, client_write(fx.client, "osc/osc1/active", "1"));
	dt_layout_put(lf.exp, layout);
}

static bool pages_are_free(void)
{
	unsigned int n;

	for (n = 0; n < buf.nr; n++)
		if (page_count(buf.page[n]) != 1)
			return false;
	return true;
}

static long aside_getattr(void *layout)
{
	struct md_attr attr;

	allow_signal(SIGKILL);
	return dt_getattr(lf.other_exp, layout, &attr, true);
}

/* The metadata target may use a new target before this client knows of it. */
static void a_target_that_is_not_known_yet_is_waited_for(struct kunit *test)
{
	struct obd_why why = { "" };
	struct lov_layout *layout, *two;
	struct md_attr attr;
	struct aside caller;
	struct obd_device *osc;

	lf_connect(test);
	lf_connect_other(test);
	layout = layout_get_of(test, lf.other_exp, LF_OSTS);
	two = layout_get_of(test, lf.other_exp, 2);
	aside_start(test, &caller, aside_getattr, two);
	aside_await_sleep(test, &caller);
	/* It has the settings of the volume. */
	KUNIT_EXPECT_EQ(test, 0, obd_set_info_async(lf.other_exp, KEY_CHECKSUM, &(u32){ 0 },
						    sizeof(u32)));
	osc = ty_attach_in(test, "osc", "other1", "other_UUID", LF_INSTANCE + 1);
	KUNIT_EXPECT_EQ(test, 0, ty_setup(osc, "ost1_UUID", LF_NID, &why));
	KUNIT_EXPECT_FALSE(test, aside_is_done(&caller));
	TY_EXPECT_NUMBER(test, "osc/other1/checksums", 1);
	KUNIT_EXPECT_EQ(test, 0, ty_add(lf.other_lov, "ost1_UUID", "1", &why));
	TY_EXPECT_NUMBER(test, "osc/other1/checksums", 0);
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &caller));
	/* Another one: a task that is killed does not wait. */
	aside_start(test, &caller, aside_getattr, layout);
	aside_await_sleep(test, &caller);
	send_sig(SIGKILL, caller.task, 1);
	KUNIT_EXPECT_EQ(test, (long)-EIO, aside_join(test, &caller));
	/* One that was deleted is not waited for. */
	KUNIT_EXPECT_EQ(test, 0, ty_command(lf.other_lov, LCFG_LOV_DEL_OBD, "ost1_UUID", "1", "1",
					    &why));
	KUNIT_EXPECT_EQ(test, -EIO, dt_getattr(lf.other_exp, two, &attr, true));
	dt_layout_put(lf.other_exp, layout);
	dt_layout_put(lf.other_exp, two);
	kt_end(test, osc);
}

static void a_killed_write_gives_its_pages_back(struct kunit *test)
{
	struct lov_layout *layout;
	struct aside caller;

	lf_connect(test);
	layout = layout_get(test, LF_OSTS);
	pages_get(test, LF_OSTS * STRIPE);
	WRITE_ONCE(lf.wait, true);
	aside_start(test, &caller, aside_write, layout);
	KUNIT_EXPECT_TRUE(test, lf_await(lf_all_run));
	send_sig(SIGKILL, caller.task, 1);
	KUNIT_EXPECT_EQ(test, (long)-EINTR, aside_join(test, &caller));
	WRITE_ONCE(lf.wait, false);
	/* It goes on without its task. */
	KUNIT_EXPECT_EQ(test, 0, dt_settle(lf.exp, layout));
	KUNIT_EXPECT_EQ(test, 0, dt_sync(lf.exp, layout));
	KUNIT_EXPECT_TRUE(test, lf_await(pages_are_free));
	pages_put();
	dt_layout_put(lf.exp, layout);
}

/* Targets. */

/* Messages with bytes, and those of them without a checksum. */
static atomic_t sent, plain;

static void at_sending(enum ptlrpc_test_point at, void *object)
{
	const struct lnet_tx *tx = object;

	if (at != PTP_TX_CRC || !tx->tx_bulk_len)
		return;
	atomic_inc(&sent);
	if (tx->tx_bulk_plain)
		atomic_inc(&plain);
}

/* A write, and a read of the same bytes. */
static void expect_plain(struct kunit *test, struct lov_layout *layout, int count)
{
	atomic_set(&sent, 0);
	atomic_set(&plain, 0);
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, 10000, 1, false));
	expect_read(test, layout, 0, 10000, 0, 10000, 1);
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&sent));
	KUNIT_EXPECT_EQ(test, count, atomic_read(&plain));
}

static void checksums_may_be_left_out(struct kunit *test)
{
	struct lov_layout *layout;

	lnet_settings.lns_local_conn = false;
	lf_connect(test);
	layout = layout_get(test, 1);
	WRITE_ONCE(ptlrpc_test_hook, at_sending);
	expect_plain(test, layout, 0);
	KUNIT_EXPECT_EQ(test, 0L, client_write(fx.client, "osc/osc0/checksums", "0"));
	expect_plain(test, layout, 2);
	KUNIT_EXPECT_EQ(test, 0L, client_write(fx.client, "osc/osc0/checksums", "1"));
	expect_plain(test, layout, 0);
	/* Of all client devices of the volume. */
	KUNIT_EXPECT_EQ(test, 0, obd_set_info_async(lf.exp, KEY_CHECKSUM, &(u32){ 0 }, sizeof(u32)));
	expect_plain(test, layout, 2);
	TY_EXPECT_NUMBER(test, "osc/osc1/checksums", 0);
	KUNIT_EXPECT_EQ(test, -EINVAL, obd_set_info_async(lf.exp, KEY_CHECKSUM, "0", 1));
	KUNIT_EXPECT_EQ(test, 0, obd_set_info_async(lf.exp, KEY_CHECKSUM, &(u32){ 1 }, sizeof(u32)));
	TY_EXPECT_NUMBER(test, "osc/osc1/checksums", 1);
	expect_plain(test, layout, 0);
	WRITE_ONCE(ptlrpc_test_hook, NULL);
	lnet_settings.lns_local_conn = true;
	dt_layout_put(lf.exp, layout);
}

static void a_volume_names_its_targets(struct kunit *test)
{
	struct obd_export *target;
	struct dt_desc desc;
	struct obd_why why;
	u32 index = 0, n;

	lf_connect(test);
	for (n = 0; n < LF_OSTS; n++) {
		target = dt_target_next(lf.exp, &index);
		KUNIT_ASSERT_NOT_NULL(test, target);
		KUNIT_EXPECT_EQ(test, n + 1, index);
		KUNIT_EXPECT_PTR_EQ(test, lf.ost[n].osc, target->exp_obd);
		class_export_put(target);
	}
	KUNIT_EXPECT_PTR_EQ(test, dt_target_next(lf.exp, &index), (struct obd_export *)NULL);
	KUNIT_EXPECT_PTR_EQ(test, dt_target(lf.exp, LF_OSTS), (struct obd_export *)NULL);
	target = dt_target(lf.exp, 2);
	KUNIT_ASSERT_NOT_NULL(test, target);
	class_export_put(target);
	KUNIT_EXPECT_EQ(test, -ENOENT, dt_pool(lf.exp, "fast", 0));
	KUNIT_EXPECT_EQ(test, 0, ty_command(lf.lov, LCFG_POOL_NEW, "lov", "fast", NULL, &why));
	KUNIT_EXPECT_EQ(test, 0, ty_command(lf.lov, LCFG_POOL_ADD, "lov", "fast", "ost1_UUID",
					    &why));
	KUNIT_EXPECT_EQ(test, -ENODEV, dt_pool(lf.exp, "fast", 0));
	KUNIT_EXPECT_EQ(test, 0, dt_pool(lf.exp, "fast", 1));
	KUNIT_EXPECT_EQ(test, -ENODEV, dt_pool(lf.exp, "fast", 99));
	KUNIT_EXPECT_EQ(test, 0, dt_desc(lf.exp, &desc));
	KUNIT_EXPECT_EQ(test, TY_MIB, desc.dd_stripe_size);
	KUNIT_EXPECT_EQ(test, 1U, desc.dd_stripe_count);
	KUNIT_EXPECT_EQ(test, U32_MAX, desc.dd_stripe_offset);
}

static struct kunit_case lov_cases[] = {
	KUNIT_CASE(what_is_not_served_is_refused),
	KUNIT_CASE(bytes_come_back),
	KUNIT_CASE(objects_have_their_stripes),
	KUNIT_CASE(requests_have_a_limit),
	KUNIT_CASE(ranges_of_an_object_go_out_together),
	KUNIT_CASE(many_ranges_are_several_requests),
	KUNIT_CASE(stripes_go_out_side_by_side),
	KUNIT_CASE(a_file_has_the_size_of_its_objects),
	KUNIT_CASE(times_are_those_of_the_newest_object),
	KUNIT_CASE(only_what_is_not_on_disk_is_synced),
	KUNIT_CASE(sizes_and_times_are_synced),
	KUNIT_CASE(answered_writes_outlive_their_target),
	KUNIT_CASE(a_lost_write_is_reported_once),
	KUNIT_CASE(writers_wait_for_the_disk),
	KUNIT_CASE(an_error_of_one_target_is_one_of_the_file),
	KUNIT_CASE(a_target_that_is_not_used_fails_at_once),
	KUNIT_CASE(a_target_that_is_not_known_yet_is_waited_for),
	KUNIT_CASE(a_killed_write_gives_its_pages_back),
	KUNIT_CASE(checksums_may_be_left_out),
	KUNIT_CASE(a_volume_names_its_targets),
	{}
};

static struct kunit_suite lov_suite = {
	.name = "lov",
	.suite_init = ty_suite_init,
	.init = lf_init,
	.exit = lf_exit,
	.test_cases = lov_cases,
};
kunit_test_suite(lov_suite);

MODULE_DESCRIPTION("files over objects");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
