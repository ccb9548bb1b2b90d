// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two files of a metadata target swap their layouts: leases, what ends them, restarts in between.
 */
#include "mdt_lod_fixture.h"

#include <uapi/lustre_lite/disk.h>

/* A file without a name, open. */
static noinline struct made made_volatile(struct kunit *test)
{
	struct md_object new = mn_new();
	struct made made;

	KUNIT_ASSERT_EQ(test, open_at(&mf.root, "volatile", &new,
				      RW | MDS_OPEN_CREAT | MDS_OPEN_VOLATILE, NULL, 0, &made), 0);
	return made;
}

/* @flags: MDS_SWAP_*. @made: out: the layout of the reply */
static noinline int swap_at(const struct md_object *file, const struct made *other, u32 flags,
			    struct made *made)
{
	struct md_op_data op = mf_op(MDS_SWAP_LAYOUTS, file);
	struct md_reply rep;
	int rc;

	op.objects = 2;
	op.object[1] = other->obj;
	op.handle = other->handle;
	op.flags = flags;
	rc = mf_call(&op, &rep);
	if (!rc && made) {
		made->len = min_t(u32, rep.layout_len, sizeof(made->bytes));
		memcpy(made->bytes, rep.layout, made->len);
		lov_ea_decode(made->bytes, made->len, &made->ea);
	}
	mf_put(&rep);
	return rc;
}

static noinline int used(const struct md_object *file)
{
	struct md_op_data op = mf_op(MDS_GETATTR, file);

	op.flags = MDS_GETATTR_USED;
	return mf_try(&op);
}

static bool same_objects(const struct made *a, const struct made *b)
{
	struct lov_object first = object_at(a, 0), second = object_at(b, 0);

	return first.ost == second.ost && lu_fid_eq(&first.fid, &second.fid);
}

static u32 destroyed(void)
{
	return ml.ost[0].destroyed + ml.ost[1].destroyed + ml.ost[2].destroyed;
}

static bool one_is_destroyed(void)
{
	return destroyed() == 1;
}

static void a_file_without_a_name_ends_with_its_close(struct kunit *test)
{
	struct made made = made_volatile(test);

	KUNIT_EXPECT_EQ(test, mn_pending(), 1U);
	KUNIT_EXPECT_FALSE(test, mn_is("volatile", &made.obj));
	KUNIT_EXPECT_EQ(test, mn_link(&made.obj, &mf.root, "name"), -ENOENT);
	KUNIT_EXPECT_EQ(test, mn_close(&made.obj, made.handle, NULL), 0);
	KUNIT_EXPECT_TRUE(test, wait_until(pending_is_empty));
	KUNIT_EXPECT_TRUE(test, one_is_destroyed());
}

static void layouts_are_swapped_under_a_lease(struct kunit *test)
{
	struct made file = created(test, "file"), other = made_volatile(test), got = {};
	struct lov_object old = object_at(&file, 0);
	u8 bytes[128];

	KUNIT_EXPECT_EQ(test, swap_at(&file.obj, &other, 0, NULL), -EAGAIN);
	KUNIT_EXPECT_EQ(test, swap_at(&file.obj, &other, MDS_SWAP_LEASE, NULL), 0);
	KUNIT_ASSERT_EQ(test, swap_at(&file.obj, &other, 0, &got), 0);
	KUNIT_EXPECT_TRUE(test, same_objects(&got, &other));
	KUNIT_EXPECT_EQ(test, (u32)got.ea.gen, file.ea.gen + 1U);
	KUNIT_EXPECT_EQ(test, got.ea.oi_id, (u64)file.obj.fid.f_oid);
	KUNIT_EXPECT_EQ(test, looked_up("file", bytes, sizeof(bytes)), got.len);
	KUNIT_EXPECT_EQ(test, memcmp(bytes, got.bytes, got.len), 0);
	/* Asked for again, it is done. */
	KUNIT_EXPECT_EQ(test, swap_at(&file.obj, &other, 0, &got), 0);
	KUNIT_EXPECT_TRUE(test, same_objects(&got, &other));
	/* With the close the old objects go. */
	KUNIT_EXPECT_EQ(test, mn_close(&other.obj, other.handle, NULL), 0);
	KUNIT_EXPECT_TRUE(test, wait_until(pending_is_empty));
	KUNIT_EXPECT_TRUE(test, one_is_destroyed());
	KUNIT_EXPECT_TRUE(test, lu_fid_eq(&ml.ost[old.ost].object, &old.fid));
}

static void a_lease_ends_when_the_objects_are_used(struct kunit *test)
{
	struct made file = created(test, "file"), other = made_volatile(test);

	KUNIT_EXPECT_EQ(test, swap_at(&file.obj, &other, MDS_SWAP_LEASE, NULL), 0);
	KUNIT_EXPECT_EQ(test, used(&file.obj), 0);
	KUNIT_EXPECT_EQ(test, swap_at(&file.obj, &other, 0, NULL), -EAGAIN);
	/* A second one counts. */
	KUNIT_EXPECT_EQ(test, swap_at(&file.obj, &other, MDS_SWAP_LEASE, NULL), 0);
	KUNIT_EXPECT_EQ(test, swap_at(&file.obj, &other, MDS_SWAP_LEASE, NULL), 0);
	KUNIT_EXPECT_EQ(test, swap_at(&file.obj, &other, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, used(&file.obj), 0);
	KUNIT_EXPECT_EQ(test, mn_close(&other.obj, other.handle, NULL), 0);
}

static void what_cannot_be_swapped_is_refused(struct kunit *test)
{
	struct made file = created(test, "file"), named = created(test, "named");
	struct made other = made_volatile(test);
	struct md_object dir = mn_dir(test, "dir"), empty = mn_file(test, "empty");

	KUNIT_EXPECT_EQ(test, swap_at(&file.obj, &named, MDS_SWAP_LEASE, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, swap_at(&dir, &other, MDS_SWAP_LEASE, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, swap_at(&empty, &other, MDS_SWAP_LEASE, NULL), 0);
	KUNIT_EXPECT_EQ(test, swap_at(&empty, &other, 0, NULL), -ENODATA);
	KUNIT_EXPECT_EQ(test, mn_close(&other.obj, other.handle, NULL), 0);
	KUNIT_EXPECT_LT(test, swap_at(&file.obj, &other, MDS_SWAP_LEASE, NULL), 0);
}

/* The target restarts without its client. */
static noinline void restart(struct kunit *test)
{
	mf_end_devices(test);
	KUNIT_ASSERT_EQ(test, mf_start(), 0);
	KUNIT_ASSERT_EQ(test, mf_connect(), 0);
}

static void a_restart_ends_leases_and_keeps_swaps(struct kunit *test)
{
	struct made file = created(test, "file"), other = made_volatile(test), got = {};
	u8 bytes[128];

	KUNIT_EXPECT_EQ(test, swap_at(&file.obj, &other, MDS_SWAP_LEASE, NULL), 0);
	KUNIT_ASSERT_EQ(test, swap_at(&file.obj, &other, 0, &got), 0);
	restart(test);
	KUNIT_EXPECT_EQ(test, looked_up("file", bytes, sizeof(bytes)), got.len);
	KUNIT_EXPECT_EQ(test, memcmp(bytes, got.bytes, got.len), 0);
	KUNIT_EXPECT_TRUE(test, wait_until(pending_is_empty));
	KUNIT_EXPECT_TRUE(test, one_is_destroyed());
}

/* The layout of a file, beside the target. */
static noinline void layout_write(struct kunit *test, const char *name, const struct made *layout)
{
	const struct osd_xattr xattr = {
		.ox_name = XATTR_NAME_LOV, .ox_value = layout->bytes, .ox_len = layout->len,
	};
	const struct osd_xattrs xattrs = { .oxs_list = &xattr, .oxs_nr = 1 };
	struct osd_object obj;

	KUNIT_ASSERT_EQ(test, ot_look(&ot.root, name, &obj), 0);
	KUNIT_EXPECT_EQ(test, osd_ea_set(&obj, &xattrs, NULL), 0);
	osd_object_fini(&obj);
}

static int layout_put(struct osd_object *obj, void *data)
{
	const struct made *layout = data;
	const struct osd_xattr xattr = {
		.ox_name = XATTR_NAME_LOV, .ox_value = layout->bytes, .ox_len = layout->len,
	};
	const struct osd_xattrs xattrs = { .oxs_list = &xattr, .oxs_nr = 1 };

	return osd_ea_set(obj, &xattrs, NULL);
}

/* Both have the same objects: the file without a name was not written any more. */
static void half_a_swap_destroys_no_object_in_use(struct kunit *test)
{
	struct made file = created(test, "file"), other = made_volatile(test);
	struct lov_object old = object_at(&file, 0);

	KUNIT_EXPECT_EQ(test, swap_at(&file.obj, &other, MDS_SWAP_LEASE, NULL), 0);
	KUNIT_ASSERT_EQ(test, swap_at(&file.obj, &other, 0, NULL), 0);
	mf_end_devices(test);
	KUNIT_ASSERT_EQ(test, osd_pending_walk(ot.osd, layout_put, &other), 0);
	KUNIT_ASSERT_EQ(test, mf_start(), 0);
	KUNIT_ASSERT_EQ(test, mf_connect(), 0);
	KUNIT_EXPECT_TRUE(test, wait_until(pending_is_empty));
	KUNIT_EXPECT_TRUE(test, one_is_destroyed());
	KUNIT_EXPECT_TRUE(test, lu_fid_eq(&ml.ost[old.ost].object, &old.fid));
}

/* Only the record was written. */
static void a_swap_that_was_not_made_destroys_the_copy(struct kunit *test)
{
	struct made file = created(test, "file"), other = made_volatile(test);
	struct lov_object copy = object_at(&other, 0);

	KUNIT_EXPECT_EQ(test, swap_at(&file.obj, &other, MDS_SWAP_LEASE, NULL), 0);
	KUNIT_ASSERT_EQ(test, swap_at(&file.obj, &other, 0, NULL), 0);
	mf_end_devices(test);
	layout_write(test, "file", &file);
	KUNIT_ASSERT_EQ(test, osd_pending_walk(ot.osd, layout_put, &other), 0);
	KUNIT_ASSERT_EQ(test, mf_start(), 0);
	KUNIT_ASSERT_EQ(test, mf_connect(), 0);
	KUNIT_EXPECT_TRUE(test, wait_until(pending_is_empty));
	KUNIT_EXPECT_TRUE(test, one_is_destroyed());
	KUNIT_EXPECT_TRUE(test, lu_fid_eq(&ml.ost[copy.ost].object, &copy.fid));
}

static struct kunit_case mdt_swap_cases[] = {
	KUNIT_CASE(a_file_without_a_name_ends_with_its_close),
	KUNIT_CASE(layouts_are_swapped_under_a_lease),
	KUNIT_CASE(a_lease_ends_when_the_objects_are_used),
	KUNIT_CASE(what_cannot_be_swapped_is_refused),
	KUNIT_CASE(a_restart_ends_leases_and_keeps_swaps),
	KUNIT_CASE(half_a_swap_destroys_no_object_in_use),
	KUNIT_CASE(a_swap_that_was_not_made_destroys_the_copy),
	{}
};

static struct kunit_suite mdt_swap_suite = {
	.name = "mdt_swap",
	.suite_init = mf_suite_init,
	.init = ml_init,
	.exit = ml_exit,
	.test_cases = mdt_swap_cases,
};
kunit_test_suite(mdt_swap_suite);

MODULE_DESCRIPTION("KUnit: layouts that two files of a metadata target exchange");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
