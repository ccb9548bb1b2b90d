// SPDX-License-Identifier: GPL-2.0-only
/* Size on the MDT: when replies have the size of a file. */
#include "mdt_lod_fixture.h"

#define UNKNOWN	(-1LL)

/* Return: the size that a reply has */
static noinline s64 known(const struct md_object *obj, struct md_attr *attr)
{
	const struct md_op_data op = mf_op(MDS_GETATTR, obj);
	struct md_reply rep;
	int rc = mf_call(&op, &rep);
	s64 size = !rc && rep.attr.valid & MDS_ATTR_SIZE ? (s64)rep.attr.size : UNKNOWN;

	if (attr)
		*attr = rep.attr;
	mf_put(&rep);
	return rc ?: size;
}

static noinline u64 opened(struct kunit *test, const struct md_object *obj, u32 flags)
{
	struct md_reply rep;
	u64 handle;

	KUNIT_ASSERT_EQ(test, mn_open(obj, NULL, NULL, flags, &rep), 0);
	if (flags & MDS_FMODE_WRITE)
		KUNIT_EXPECT_EQ(test, rep.attr.valid, 0ULL);
	handle = rep.handle;
	mf_put(&rep);
	return handle;
}

/* A new file, which is open for writing. */
static noinline u64 begun(struct kunit *test, const char *name, struct md_object *obj)
{
	struct md_object new = mn_new();
	struct md_reply rep;
	u64 handle;

	KUNIT_ASSERT_EQ(test, mn_open(&mf.root, name, &new, RW | MDS_OPEN_CREAT, &rep), 0);
	KUNIT_ASSERT_GT(test, rep.layout_len, 0U);
	*obj = rep.object;
	handle = rep.handle;
	mf_put(&rep);
	return handle;
}

static noinline int closed(const struct md_object *obj, u64 handle, u32 flags)
{
	struct md_op_data op = mf_op(MDS_CLOSE, obj);

	op.handle = handle;
	op.flags = flags;
	return mf_try(&op);
}

static noinline int done_at(const struct md_object *obj, u64 handle, u64 size,
			    struct md_time time, u32 flags)
{
	const struct md_done done = {
		.handle = handle, .size = size, .blocks = 8, .mtime = time, .ctime = time,
		.flags = flags,
	};
	struct md_op_data op = mf_op(MDS_DONE_WRITING, obj);
	struct lustre_done value;

	md_done_encode(&value, &done);
	op.value = &value;
	op.value_len = sizeof(value);
	return mf_try(&op);
}

static int done(const struct md_object *obj, u64 handle, u64 size)
{
	return done_at(obj, handle, size, (struct md_time){ 1, 0 }, MDS_DONE_EXACT);
}

/* A file whose size is known. */
static noinline struct md_object sized(struct kunit *test, const char *name, u64 size)
{
	struct md_object obj;
	u64 handle = begun(test, name, &obj);

	KUNIT_ASSERT_EQ(test, closed(&obj, handle, MDS_CLOSE_DONE_LATER), 0);
	KUNIT_ASSERT_EQ(test, done(&obj, handle, size), 0);
	KUNIT_ASSERT_EQ(test, known(&obj, NULL), (s64)size);
	return obj;
}

static void a_size_is_known_once_it_is_told(struct kunit *test)
{
	struct md_object file;
	struct md_attr attr;
	u64 handle = begun(test, "file", &file);

	KUNIT_EXPECT_EQ(test, known(&file, NULL), UNKNOWN);
	KUNIT_EXPECT_EQ(test, done(&file, handle, 1), 0);
	KUNIT_EXPECT_EQ(test, closed(&file, handle, MDS_CLOSE_DONE_LATER), 0);
	KUNIT_EXPECT_EQ(test, known(&file, NULL), UNKNOWN);
	KUNIT_EXPECT_EQ(test, closed(&file, handle, 0), -ESTALE);
	KUNIT_EXPECT_EQ(test, done(&file, handle + 1, 2), 0);
	KUNIT_EXPECT_EQ(test, known(&file, NULL), UNKNOWN);
	KUNIT_EXPECT_EQ(test, done(&file, handle, 473), 0);
	KUNIT_EXPECT_EQ(test, known(&file, &attr), 473LL);
	KUNIT_EXPECT_EQ(test, attr.blocks, 8ULL);
	KUNIT_EXPECT_EQ(test, done(&file, handle, 474), 0);
	KUNIT_EXPECT_EQ(test, known(&file, NULL), 473LL);
	KUNIT_EXPECT_EQ(test, closed(&file, opened(test, &file, MDS_FMODE_READ), 0), 0);
	KUNIT_EXPECT_EQ(test, known(&file, NULL), 473LL);
}

static void a_client_may_not_know_it(struct kunit *test)
{
	struct md_object file;
	u64 handle = begun(test, "file", &file);

	KUNIT_EXPECT_EQ(test, closed(&file, handle, MDS_CLOSE_DONE_LATER), 0);
	KUNIT_EXPECT_EQ(test, done_at(&file, handle, 5, (struct md_time){}, 0), 0);
	KUNIT_EXPECT_EQ(test, done(&file, handle, 5), 0);
	KUNIT_EXPECT_EQ(test, known(&file, NULL), UNKNOWN);
	handle = opened(test, &file, RW);
	KUNIT_EXPECT_EQ(test, closed(&file, handle, MDS_CLOSE_DONE_LATER), 0);
	KUNIT_EXPECT_EQ(test, done_at(&file, handle, 5, (struct md_time){ 0, 1000000000 },
				      MDS_DONE_EXACT), -EPROTO);
	KUNIT_EXPECT_EQ(test, done_at(&file, handle, 5, (struct md_time){}, 2), -EPROTO);
	KUNIT_EXPECT_EQ(test, done(&file, handle, 1ULL << 63), -EPROTO);
	KUNIT_EXPECT_EQ(test, known(&file, NULL), UNKNOWN);
	/* The handle is there until its client ends. */
}

static void an_open_for_writing_hides_it(struct kunit *test)
{
	struct md_object file = sized(test, "file", 100);
	u64 one = opened(test, &file, RW), two = opened(test, &file, MDS_FMODE_WRITE);

	KUNIT_EXPECT_EQ(test, known(&file, NULL), UNKNOWN);
	KUNIT_EXPECT_EQ(test, closed(&file, one, MDS_CLOSE_SAME), 0);
	KUNIT_EXPECT_EQ(test, known(&file, NULL), UNKNOWN);
	KUNIT_EXPECT_EQ(test, closed(&file, two, MDS_CLOSE_SAME), 0);
	KUNIT_EXPECT_EQ(test, known(&file, NULL), 100LL);
	one = opened(test, &file, RW);
	two = opened(test, &file, RW);
	KUNIT_EXPECT_EQ(test, closed(&file, one, 0), 0);
	KUNIT_EXPECT_EQ(test, closed(&file, two, MDS_CLOSE_SAME), 0);
	KUNIT_EXPECT_EQ(test, known(&file, NULL), UNKNOWN);
	KUNIT_EXPECT_EQ(test, closed(&file, opened(test, &file, RW), MDS_CLOSE_SAME), 0);
	KUNIT_EXPECT_EQ(test, known(&file, NULL), UNKNOWN);
}

static void the_newest_open_counts(struct kunit *test)
{
	struct md_object file;
	u64 one = begun(test, "file", &file), two;

	KUNIT_EXPECT_EQ(test, closed(&file, one, MDS_CLOSE_DONE_LATER), 0);
	two = opened(test, &file, RW);
	KUNIT_EXPECT_EQ(test, done(&file, one, 1), 0);
	KUNIT_EXPECT_EQ(test, known(&file, NULL), UNKNOWN);
	KUNIT_EXPECT_EQ(test, closed(&file, two, MDS_CLOSE_DONE_LATER), 0);
	KUNIT_EXPECT_EQ(test, done(&file, one, 1), 0);
	KUNIT_EXPECT_EQ(test, known(&file, NULL), UNKNOWN);
	KUNIT_EXPECT_EQ(test, done(&file, two, 2), 0);
	KUNIT_EXPECT_EQ(test, known(&file, NULL), 2LL);
	/* Closes come in another order. */
	one = opened(test, &file, RW);
	two = opened(test, &file, RW);
	KUNIT_EXPECT_EQ(test, closed(&file, two, MDS_CLOSE_DONE_LATER), 0);
	KUNIT_EXPECT_EQ(test, closed(&file, one, MDS_CLOSE_DONE_LATER), 0);
	KUNIT_EXPECT_EQ(test, done(&file, one, 3), 0);
	KUNIT_EXPECT_EQ(test, known(&file, NULL), UNKNOWN);
	KUNIT_EXPECT_EQ(test, done(&file, two, 4), 0);
	KUNIT_EXPECT_EQ(test, known(&file, NULL), 4LL);
}

static noinline int set(const struct md_object *obj, u64 valid, u64 handle, s64 mtime)
{
	struct md_op_data op;

	mn_op(&op, REINT_SETATTR, obj, NULL, NULL);
	op.attr.valid = valid;
	op.attr.mtime.sec = mtime;
	op.handle = handle;
	return mn_try(&op);
}

static void a_truncate_hides_it(struct kunit *test)
{
	struct md_object file = sized(test, "file", 100);
	u64 handle;

	KUNIT_EXPECT_EQ(test, set(&file, MDS_ATTR_SIZE, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, known(&file, NULL), UNKNOWN);
	handle = opened(test, &file, RW);
	KUNIT_EXPECT_EQ(test, set(&file, MDS_ATTR_SIZE, handle, 0), 0);
	KUNIT_EXPECT_EQ(test, closed(&file, handle, MDS_CLOSE_DONE_LATER), 0);
	KUNIT_EXPECT_EQ(test, set(&file, MDS_ATTR_SIZE, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, done(&file, handle, 0), 0);
	KUNIT_EXPECT_EQ(test, known(&file, NULL), UNKNOWN);
	handle = opened(test, &file, RW);
	KUNIT_EXPECT_EQ(test, set(&file, MDS_ATTR_SIZE, handle, 0), 0);
	KUNIT_EXPECT_EQ(test, closed(&file, handle, MDS_CLOSE_DONE_LATER), 0);
	KUNIT_EXPECT_EQ(test, done(&file, handle, 0), 0);
	KUNIT_EXPECT_EQ(test, known(&file, NULL), 0LL);
}

static void times_are_those_of_the_last_change(struct kunit *test)
{
	const u64 at = MDS_ATTR_MTIME | MDS_ATTR_MTIME_SET;
	const struct md_time later = { 1LL << 33, 5 }, early = { 7, 0 };
	struct md_object file = sized(test, "file", 1);
	struct md_attr before, after;
	u64 handle = opened(test, &file, RW);

	/* A write of after the last change of the target. */
	KUNIT_EXPECT_EQ(test, closed(&file, handle, MDS_CLOSE_DONE_LATER), 0);
	KUNIT_EXPECT_EQ(test, done_at(&file, handle, 2, later, MDS_DONE_EXACT), 0);
	KUNIT_EXPECT_EQ(test, known(&file, &after), 2LL);
	KUNIT_EXPECT_EQ(test, after.mtime.sec, later.sec);
	KUNIT_EXPECT_EQ(test, after.ctime.sec, later.sec);
	/* The size stays known when times are set. */
	KUNIT_EXPECT_EQ(test, set(&file, at, 0, 1000), 0);
	KUNIT_EXPECT_EQ(test, known(&file, &before), 2LL);
	KUNIT_EXPECT_EQ(test, before.mtime.sec, 1000LL);
	/* Times that were set after the last close stay. */
	handle = opened(test, &file, RW);
	KUNIT_EXPECT_EQ(test, closed(&file, handle, MDS_CLOSE_DONE_LATER), 0);
	KUNIT_EXPECT_EQ(test, set(&file, at, 0, 2000), 0);
	KUNIT_EXPECT_EQ(test, done_at(&file, handle, 3, later, MDS_DONE_EXACT), 0);
	KUNIT_EXPECT_EQ(test, known(&file, &after), 3LL);
	KUNIT_EXPECT_EQ(test, after.mtime.sec, 2000LL);
	/* An earlier write changes nothing. */
	before = after;
	handle = opened(test, &file, RW);
	KUNIT_EXPECT_EQ(test, closed(&file, handle, MDS_CLOSE_DONE_LATER), 0);
	KUNIT_EXPECT_EQ(test, done_at(&file, handle, 4, early, MDS_DONE_EXACT), 0);
	KUNIT_EXPECT_EQ(test, known(&file, &after), 4LL);
	KUNIT_EXPECT_EQ(test, after.mtime.sec, 2000LL);
	KUNIT_EXPECT_EQ(test, after.ctime.sec, before.ctime.sec);
}

static void a_removed_file_ends_its_handle(struct kunit *test)
{
	struct md_object file;
	u64 handle = begun(test, "file", &file);

	KUNIT_EXPECT_EQ(test, closed(&file, handle, MDS_CLOSE_DONE_LATER), 0);
	KUNIT_EXPECT_EQ(test, mn_unlink("file", &file), 0);
	KUNIT_EXPECT_EQ(test, done(&file, handle, 1), 0);
	KUNIT_EXPECT_EQ(test, known(&file, NULL), (s64)-ESTALE);
}

/* Opens that come before recovery has ended: of a stale value, and of one of before a loss. */
static void a_replayed_open_says_no_size(struct kunit *test)
{
	struct md_object file, other = sized(test, "other", 200), kept = sized(test, "kept", 300);
	u64 one = begun(test, "file", &file), two, three;

	KUNIT_EXPECT_EQ(test, closed(&file, one, 0), 0);
	mdt_device(kr.srv)->mdt_som_on = false;
	one = opened(test, &file, RW);
	two = opened(test, &other, RW);
	three = opened(test, &kept, RW);
	kr.srv->obd_type->typ_target->to_recovered(kr.srv);
	KUNIT_EXPECT_EQ(test, closed(&file, one, MDS_CLOSE_DONE_LATER), 0);
	KUNIT_EXPECT_EQ(test, done(&file, one, 50), 0);
	KUNIT_EXPECT_EQ(test, known(&file, NULL), UNKNOWN);
	/* No other client had it open. */
	KUNIT_EXPECT_EQ(test, closed(&kept, three, MDS_CLOSE_SAME), 0);
	KUNIT_EXPECT_EQ(test, known(&kept, NULL), 300LL);
	/* Clients were lost. */
	mdt_device(kr.srv)->mdt_som_now++;
	KUNIT_EXPECT_EQ(test, closed(&other, two, MDS_CLOSE_SAME), 0);
	KUNIT_EXPECT_EQ(test, known(&other, NULL), UNKNOWN);
	one = opened(test, &file, RW);
	KUNIT_EXPECT_EQ(test, closed(&file, one, MDS_CLOSE_DONE_LATER), 0);
	KUNIT_EXPECT_EQ(test, done(&file, one, 50), 0);
	KUNIT_EXPECT_EQ(test, known(&file, NULL), 50LL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_size_is_known_once_it_is_told),
	KUNIT_CASE(a_client_may_not_know_it),
	KUNIT_CASE(an_open_for_writing_hides_it),
	KUNIT_CASE(the_newest_open_counts),
	KUNIT_CASE(a_truncate_hides_it),
	KUNIT_CASE(times_are_those_of_the_last_change),
	KUNIT_CASE(a_removed_file_ends_its_handle),
	KUNIT_CASE(a_replayed_open_says_no_size),
	{}
};

static struct kunit_suite suite = {
	.name = "mdt_som",
	.suite_init = mf_suite_init,
	.init = ml_init,
	.exit = ml_exit,
	.test_cases = cases,
};
kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: size on the MDT");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
