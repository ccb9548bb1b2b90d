// SPDX-License-Identifier: GPL-2.0-only
/* An object storage target: objects, their bytes, attributes and numbers, as a client sees them. */
#include "ofd_fixture.h"

#define OLD	1000000000LL

/* --- numbers -------------------------------------------------------------------------- */

static void a_number_is_given_out_once(struct kunit *test)
{
	u64 last;

	df_numbers(test, 10);
	KUNIT_EXPECT_EQ(test, df.rep.first, 1ULL);
	df_numbers(test, OST_CREATE_MAX);
	KUNIT_EXPECT_EQ(test, df.rep.first, 11ULL);
	KUNIT_EXPECT_EQ(test, osd_last_id_get(ot.osd, &last), 0);
	KUNIT_EXPECT_EQ(test, last, 10ULL + OST_CREATE_MAX);
	df_restart(test);
	df_numbers(test, 1);
	KUNIT_EXPECT_EQ(test, df.rep.first, 11ULL + OST_CREATE_MAX);
}

/* The metadata target knows of numbers that the target has forgotten. */
static void numbers_go_on_behind_those_of_files(struct kunit *test)
{
	struct ost_op op = df_op(OST_CREATE, 0);

	df_numbers(test, 10);
	op.len = 5;
	op.offset = 7;
	KUNIT_EXPECT_EQ(test, df_call(&op, NULL), 0);
	KUNIT_EXPECT_EQ(test, df.rep.first, 11ULL);
	op.offset = 1000;
	KUNIT_EXPECT_EQ(test, df_call(&op, NULL), 0);
	KUNIT_EXPECT_EQ(test, df.rep.first, 1001ULL);
	KUNIT_EXPECT_EQ(test, df_write(1000, 0, 1), 0);
	op.offset = 1ULL << FID_IDIF_OBJECT_BITS;
	KUNIT_EXPECT_EQ(test, df_call(&op, NULL), -ENOSPC);
	df_restart(test);
	df_numbers(test, 1);
	KUNIT_EXPECT_EQ(test, df.rep.first, 1006ULL);
}

static void the_last_number_is_the_last(struct kunit *test)
{
	struct ost_op op = df_op(OST_CREATE, 0);

	op.len = 2;
	KUNIT_ASSERT_EQ(test, osd_last_id_set(ot.osd, (1ULL << FID_IDIF_OBJECT_BITS) - 2), 0);
	KUNIT_ASSERT_EQ(test, df_start() ?: df_connect(), 0);
	KUNIT_EXPECT_EQ(test, df_call(&op, NULL), -ENOSPC);
	df_numbers(test, 1);
	KUNIT_EXPECT_EQ(test, df_write(df.rep.first, 0, 1), 0);
}

static void a_damaged_last_id_is_refused(struct kunit *test)
{
	struct path path = ot_path();
	struct file *file = file_open_root(&path, "O/0/LAST_ID", O_RDWR | O_CREAT, 0600);
	loff_t pos = 0;

	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_EQ(test, kernel_write(file, "123", 3, &pos), (ssize_t)3);
	__fput_sync(file);
	KUNIT_EXPECT_EQ(test, df_start(), -EUCLEAN);
	KUNIT_EXPECT_TRUE_MSG(test, !!strstr(ot.why.text, "LAST_ID"), "%s", ot.why.text);
}

/* --- objects -------------------------------------------------------------------------- */

static ssize_t xattr_of(u64 id, const char *name, u8 *value, size_t size)
{
	struct osd_object obj;
	ssize_t len = osd_ost_lookup(ot.osd, id, &obj);

	if (len)
		return len;
	len = osd_ea_get(&obj, name, value, size);
	osd_object_fini(&obj);
	return len;
}

/* Object 1186 of OST 1, stripe 0 of [0x20000a811:0x1:0x0], as real Lustre describes it. */
static void the_first_write_makes_the_object(struct kunit *test)
{
	static const u8 lma[] = {
		8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0xa2, 4, 0, 0, 0, 0, 0, 0,
	};
	static const u8 fid[52] = {
		0x11, 0xa8, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 1,
	};
	struct osd_object obj;
	struct kstat stat;
	u8 value[64];

	df_numbers(test, 1186);
	KUNIT_EXPECT_FALSE(test, df_exists(1186));
	KUNIT_ASSERT_EQ(test, df_write(1186, 0, 5000), 0);
	KUNIT_EXPECT_EQ(test, df.rep.count, 5000ULL);
	KUNIT_EXPECT_EQ(test, df.rep.attr.size, 5000ULL);
	KUNIT_EXPECT_EQ(test, xattr_of(1186, XATTR_NAME_LMA, value, 64), (ssize_t)sizeof(lma));
	KUNIT_EXPECT_EQ(test, memcmp(value, lma, sizeof(lma)), 0);
	KUNIT_EXPECT_EQ(test, xattr_of(1186, XATTR_NAME_FID, value, 64), (ssize_t)sizeof(fid));
	KUNIT_EXPECT_EQ(test, memcmp(value, fid, sizeof(fid)), 0);
	KUNIT_ASSERT_EQ(test, osd_ost_lookup(ot.osd, 1186, &obj), 0);
	KUNIT_EXPECT_EQ(test, osd_getattr(&obj, &stat), 0);
	osd_object_fini(&obj);
	KUNIT_EXPECT_EQ(test, stat.mode, (umode_t)(S_IFREG | 0666));
	KUNIT_EXPECT_EQ(test, df_try(OST_GETATTR, 1186, 0), 0);
	KUNIT_EXPECT_EQ(test, df.rep.attr.size, 5000ULL);
	KUNIT_EXPECT_EQ(test, df.rep.attr.blocks, (u64)stat.blocks);
	KUNIT_EXPECT_EQ(test, df.rep.attr.mtime.sec, (s64)stat.mtime.tv_sec);
	KUNIT_EXPECT_EQ(test, df.rep.attr.mode, 0U);
}

static void an_object_without_a_file_is_empty(struct kunit *test)
{
	struct ost_op op = df_op(OST_SETATTR, 3);
	const u64 id = 3;

	df_numbers(test, 3);
	KUNIT_EXPECT_EQ(test, df_read(3, 0, PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, df.got, 0U);
	KUNIT_EXPECT_EQ(test, df.rep.count, 0ULL);
	KUNIT_EXPECT_EQ(test, df_try(OST_GETATTR, 3, 0), 0);
	KUNIT_EXPECT_EQ(test, df.rep.attr.size, 0ULL);
	KUNIT_EXPECT_EQ(test, df.rep.attr.ctime.sec, 0LL);
	op.attr.valid = MDS_ATTR_MTIME;
	op.attr.mtime.sec = OLD;
	KUNIT_EXPECT_EQ(test, df_call(&op, NULL), 0);
	KUNIT_EXPECT_EQ(test, df.rep.attr.mtime.sec, 0LL);
	KUNIT_EXPECT_EQ(test, df_try(OST_PUNCH, 3, 0), 0);
	KUNIT_EXPECT_EQ(test, df_try(OST_SYNC, 3, 0), 0);
	KUNIT_EXPECT_FALSE(test, df_exists(3));
	KUNIT_EXPECT_EQ(test, df_destroy(&id, 1), 0);
}

static void a_read_ends_where_the_object_ends(struct kunit *test)
{
	const u32 hole = 3 * PAGE_SIZE;

	df_numbers(test, 1);
	KUNIT_ASSERT_EQ(test, df_write(1, hole + 10, 10001), 0);
	KUNIT_EXPECT_EQ(test, df_read(1, 0, KR_BULK_LEN), 0);
	KUNIT_EXPECT_EQ(test, df.got, hole + 10011);
	KUNIT_EXPECT_EQ(test, df.rep.count, (u64)df.got);
	KUNIT_EXPECT_EQ(test, df.rep.attr.size, (u64)df.got);
	KUNIT_EXPECT_TRUE(test, df_byte_is(0, 0) && df_byte_is(hole + 9, 0));
	KUNIT_EXPECT_TRUE(test, df_byte_is(hole + 11, kr_byte(1)));
	KUNIT_EXPECT_TRUE(test, df_byte_is(hole + 10010, kr_byte(10000)));
	KUNIT_EXPECT_EQ(test, df_read(1, hole + 5010, 1), 0);
	KUNIT_EXPECT_TRUE(test, df.got == 1 && df_byte_is(0, kr_byte(5000)));
	KUNIT_EXPECT_EQ(test, df_read(1, hole + 10011, 100), 0);
	KUNIT_EXPECT_EQ(test, df.got, 0U);
	KUNIT_EXPECT_EQ(test, df_read(1, LLONG_MAX - 100, 100), 0);
	KUNIT_EXPECT_EQ(test, df.got, 0U);
}

static void a_later_write_replaces_bytes(struct kunit *test)
{
	df_numbers(test, 1);
	KUNIT_ASSERT_EQ(test, df_write(1, 0, KR_BULK_LEN), 0);
	KUNIT_ASSERT_EQ(test, df_write(1, 1001, 3000), 0);
	KUNIT_EXPECT_EQ(test, df_read(1, 0, KR_BULK_LEN), 0);
	KUNIT_EXPECT_EQ(test, df.got, (u32)KR_BULK_LEN);
	KUNIT_EXPECT_TRUE(test, df_byte_is(1000, kr_byte(1000)));
	KUNIT_EXPECT_TRUE(test, df_byte_is(1002, kr_byte(1)));
	KUNIT_EXPECT_TRUE(test, df_byte_is(4000, kr_byte(2999)));
	KUNIT_EXPECT_TRUE(test, df_byte_is(4001, kr_byte(4001)));
	df_restart(test);
	KUNIT_EXPECT_EQ(test, df_read(1, 1001, 3000), 0);
	KUNIT_EXPECT_TRUE(test, df_byte_is(2999, kr_byte(2999)));
}

static void a_punch_sets_the_size(struct kunit *test)
{
	df_numbers(test, 2);
	KUNIT_ASSERT_EQ(test, df_write(1, 0, 10000), 0);
	KUNIT_EXPECT_EQ(test, df_try(OST_PUNCH, 1, 100), 0);
	KUNIT_EXPECT_EQ(test, df.rep.attr.size, 100ULL);
	KUNIT_EXPECT_EQ(test, df_try(OST_PUNCH, 1, 200), 0);
	KUNIT_EXPECT_EQ(test, df_read(1, 0, PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, df.got, 200U);
	KUNIT_EXPECT_TRUE(test, df_byte_is(99, kr_byte(99)) && df_byte_is(100, 0));
	KUNIT_EXPECT_EQ(test, df_try(OST_PUNCH, 2, 1ULL << 32), 0);
	KUNIT_EXPECT_EQ(test, df.rep.attr.size, 1ULL << 32);
	KUNIT_EXPECT_EQ(test, df_try(OST_PUNCH, 2, 0), 0);
	KUNIT_EXPECT_EQ(test, df.rep.attr.size, 0ULL);
	KUNIT_EXPECT_TRUE(test, df_exists(2));
}

#define PUNCH	(OST_FALLOC_PUNCH_HOLE | OST_FALLOC_KEEP_SIZE)

static void a_range_gets_space_or_zeros(struct kunit *test)
{
	df_numbers(test, 3);
	/* A hole needs no object. */
	KUNIT_EXPECT_EQ(test, df_fallocate(1, PUNCH, 0, 1ULL << 40), 0);
	KUNIT_EXPECT_FALSE(test, df_exists(1));
	KUNIT_EXPECT_EQ(test, df_fallocate(1, 0, 5000, 10001), 0);
	KUNIT_EXPECT_EQ(test, df.rep.attr.size, 15001ULL);
	KUNIT_EXPECT_GE(test, df.rep.attr.blocks, 10001ULL / 512);
	KUNIT_EXPECT_EQ(test, df_fallocate(2, OST_FALLOC_KEEP_SIZE, 0, 8192), 0);
	KUNIT_EXPECT_TRUE(test, df_exists(2));
	KUNIT_EXPECT_EQ(test, df.rep.attr.size, 0ULL);
	KUNIT_EXPECT_EQ(test, df_write(1, 0, 12000), 0);
	KUNIT_EXPECT_EQ(test, df_fallocate(1, PUNCH, 1000, 10000), 0);
	KUNIT_EXPECT_EQ(test, df.rep.attr.size, 15001ULL);
	KUNIT_EXPECT_EQ(test, df_read(1, 0, KR_BULK_LEN), 0);
	KUNIT_EXPECT_EQ(test, df.got, 15001U);
	KUNIT_EXPECT_TRUE(test, df_byte_is(999, kr_byte(999)) && df_byte_is(1000, 0));
	KUNIT_EXPECT_TRUE(test, df_byte_is(10999, 0) && df_byte_is(11000, kr_byte(11000)));
	/* Not by a tmpfs; nor what no fallocate() is. */
	KUNIT_EXPECT_EQ(test, df_fallocate(1, OST_FALLOC_ZERO_RANGE, 0, 1), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, df_fallocate(1, OST_FALLOC_PUNCH_HOLE, 0, 1), -EPROTO);
	KUNIT_EXPECT_EQ(test, df_fallocate(1, 0x8, 0, 4096), -EPROTO);
	KUNIT_EXPECT_EQ(test, df_fallocate(1, 0, 0, 0), -EPROTO);
	KUNIT_EXPECT_EQ(test, df_fallocate(4, 0, 0, 1), -ENOENT);
	KUNIT_EXPECT_EQ(test, df_destroy((const u64[]){ 1 }, 1), 0);
	KUNIT_EXPECT_EQ(test, df_fallocate(1, 0, 0, 1), -ESTALE);
	KUNIT_EXPECT_EQ(test, df_fallocate(1, PUNCH, 0, 1), 0);
	KUNIT_EXPECT_FALSE(test, df_exists(1));
}

static void an_object_has_holes(struct kunit *test)
{
	df_numbers(test, 2);
	/* One without a file is one hole, and so is what comes after the end. */
	KUNIT_EXPECT_EQ(test, df_seek(1, true, 77), 77LL);
	KUNIT_EXPECT_EQ(test, df_seek(1, false, 77), (s64)OST_SEEK_NONE);
	KUNIT_EXPECT_FALSE(test, df_exists(1));
	KUNIT_ASSERT_EQ(test, df_write(1, 16 * PAGE_SIZE, 100), 0);
	KUNIT_EXPECT_EQ(test, df_seek(1, false, 0), 16LL * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, df.rep.attr.size, 16ULL * PAGE_SIZE + 100);
	KUNIT_EXPECT_EQ(test, df_seek(1, true, 16 * PAGE_SIZE), 16LL * PAGE_SIZE + 100);
	KUNIT_EXPECT_EQ(test, df_seek(1, true, 1ULL << 40), 1LL << 40);
	KUNIT_EXPECT_EQ(test, df_seek(1, false, 16 * PAGE_SIZE + 100), (s64)OST_SEEK_NONE);
	KUNIT_EXPECT_EQ(test, df_fallocate(1, PUNCH, 0, 1ULL << 62), 0);
	KUNIT_EXPECT_EQ(test, df_seek(1, false, 0), (s64)OST_SEEK_NONE);
	KUNIT_EXPECT_EQ(test, df_destroy((const u64[]){ 1 }, 1), 0);
	KUNIT_EXPECT_EQ(test, df_seek(1, false, 0), (s64)-ESTALE);
	KUNIT_EXPECT_EQ(test, df_seek(1, true, 7), (s64)-ESTALE);
}

/* kr_byte(0) to kr_byte(2), and the rest beyond a hole. */
static void a_write_may_have_several_ranges(struct kunit *test)
{
	const struct niobuf_remote ranges[] = {
		{ cpu_to_le64(7), cpu_to_le32(3), 0 },
		{ cpu_to_le64(10000), cpu_to_le32(6000), 0 },
	};
	struct ost_op op = df_op(OST_WRITE, 1);

	df_numbers(test, 1);
	op.offset = 7;
	op.niobufs = ranges;
	op.nr_niobufs = ARRAY_SIZE(ranges);
	KUNIT_ASSERT_EQ(test, df_write_op(&op, 6003), 0);
	KUNIT_EXPECT_EQ(test, df.rep.count, 6003ULL);
	KUNIT_EXPECT_EQ(test, df.rep.attr.size, 16000ULL);
	KUNIT_EXPECT_EQ(test, df_read(1, 0, KR_BULK_LEN), 0);
	KUNIT_EXPECT_TRUE(test, df_byte_is(6, 0));
	KUNIT_EXPECT_TRUE(test, df_byte_is(7, kr_byte(0)));
	KUNIT_EXPECT_TRUE(test, df_byte_is(9, kr_byte(2)));
	KUNIT_EXPECT_TRUE(test, df_byte_is(10, 0));
	KUNIT_EXPECT_TRUE(test, df_byte_is(9999, 0));
	KUNIT_EXPECT_TRUE(test, df_byte_is(10000, kr_byte(3)));
	KUNIT_EXPECT_TRUE(test, df_byte_is(15999, kr_byte(6002)));
}

static void times_are_those_of_the_client(struct kunit *test)
{
	struct ost_op op = df_op(OST_WRITE, 1);

	df_numbers(test, 1);
	op.attr.valid = MDS_ATTR_MTIME | MDS_ATTR_CTIME;
	op.attr.mtime = (struct md_time){ OLD, 5 };
	KUNIT_EXPECT_EQ(test, df_write_op(&op, 10), 0);
	KUNIT_EXPECT_EQ(test, df.rep.attr.mtime.sec, OLD);
	KUNIT_EXPECT_EQ(test, df.rep.attr.mtime.nsec, 5U);
	KUNIT_EXPECT_GT(test, df.rep.attr.ctime.sec, OLD);
	op = df_op(OST_SETATTR, 1);
	op.attr.valid = MDS_ATTR_ATIME | MDS_ATTR_MTIME | MDS_ATTR_ATIME_SET | MDS_ATTR_MTIME_SET;
	op.attr.atime.sec = -1;
	op.attr.mtime.sec = OLD + 1;
	KUNIT_EXPECT_EQ(test, df_call(&op, NULL), 0);
	KUNIT_EXPECT_EQ(test, df.rep.attr.atime.sec, -1LL);
	KUNIT_EXPECT_EQ(test, df.rep.attr.mtime.sec, OLD + 1);
	op = df_op(OST_PUNCH, 1);
	op.attr.valid = MDS_ATTR_MTIME;
	op.attr.mtime.sec = OLD + 2;
	op.offset = 3;
	KUNIT_EXPECT_EQ(test, df_call(&op, NULL), 0);
	KUNIT_EXPECT_EQ(test, df.rep.attr.mtime.sec, OLD + 2);
	KUNIT_EXPECT_EQ(test, df.rep.attr.size, 3ULL);
}

static void a_destroyed_object_stays_destroyed(struct kunit *test)
{
	const u64 ids[] = { 1, 2, 3 };

	df_numbers(test, 4);
	KUNIT_ASSERT_EQ(test, df_write(1, 0, 10) ?: df_write(2, 0, 10) ?: df_write(4, 0, 10), 0);
	KUNIT_EXPECT_EQ(test, df_destroy(ids, 3), 0);
	KUNIT_EXPECT_FALSE(test, df_exists(1) || df_exists(2) || df_exists(3));
	KUNIT_EXPECT_TRUE(test, df_exists(4));
	KUNIT_EXPECT_EQ(test, df_write(1, 0, 10), -ESTALE);
	KUNIT_EXPECT_EQ(test, df_write(3, 0, 10), -ESTALE);
	KUNIT_EXPECT_EQ(test, df_try(OST_PUNCH, 2, 5), -ESTALE);
	/* Nor is it an empty one. */
	KUNIT_EXPECT_EQ(test, df_read(1, 0, 10), -ESTALE);
	KUNIT_EXPECT_EQ(test, df_read(3, 0, 10), -ESTALE);
	KUNIT_EXPECT_EQ(test, df_try(OST_GETATTR, 1, 0), -ESTALE);
	KUNIT_EXPECT_EQ(test, df_try(OST_SEEK, 1, 0), -ESTALE);
	KUNIT_EXPECT_EQ(test, df_try(OST_SETATTR, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, df_try(OST_SYNC, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, df_destroy(ids, 3), 0);
	KUNIT_EXPECT_FALSE(test, df_exists(1));
}

static void requests_are_refused(struct kunit *test)
{
	struct ost_op op = df_op(OST_GETATTR, 1);
	const struct ptlrpc_bulk bulk = { kr.pages, 1, PAGE_SIZE };

	df_numbers(test, 1);
	/* A number that was not given out. */
	KUNIT_EXPECT_EQ(test, df_write(2, 0, 10), -ENOENT);
	KUNIT_EXPECT_FALSE(test, df_exists(2));
	/* Bulk data of another length than the request says. */
	op = df_op(OST_WRITE, 1);
	op.len = 10;
	KUNIT_EXPECT_EQ(test, df_call(&op, &bulk), -EPROTO);
	/* An object of another target, and the FID of a file. */
	fid_idif_make(1, DF_OST + 1, &op.object);
	op.opc = OST_GETATTR;
	op.len = 0;
	KUNIT_EXPECT_EQ(test, df_call(&op, NULL), -EINVAL);
	op.object = (struct lu_fid){ .f_seq = FID_SEQ_NORMAL, .f_oid = 1 };
	KUNIT_EXPECT_EQ(test, df_call(&op, NULL), -EPROTO);
}

/* An object that real Lustre made in advance, and one whose file is of another. */
static void files_of_real_lustre_are_taken_over(struct kunit *test)
{
	struct osd_create oc = {};
	struct osd_object obj;
	u8 value[64];

	df_numbers(test, 3);
	fid_idif_make(1, DF_OST, &oc.ocr_fid);
	KUNIT_ASSERT_EQ(test, osd_ost_create(ot.osd, 1, &oc, NULL, &obj), 0);
	osd_object_fini(&obj);
	KUNIT_EXPECT_EQ(test, xattr_of(1, XATTR_NAME_FID, value, 64), (ssize_t)-ENODATA);
	KUNIT_EXPECT_EQ(test, df_write(1, 0, 10), 0);
	KUNIT_EXPECT_EQ(test, xattr_of(1, XATTR_NAME_FID, value, 64), (ssize_t)FILTER_FID_SIZE);
	KUNIT_ASSERT_EQ(test, osd_ost_create(ot.osd, 2, &oc, NULL, &obj), 0);
	osd_object_fini(&obj);
	KUNIT_EXPECT_EQ(test, df_write(2, 0, 10), -EIO);
	KUNIT_EXPECT_EQ(test, df_read(2, 0, 10), -EIO);
}

static void a_full_directory_is_an_error_of_the_write(struct kunit *test)
{
	const u64 id = 1;
	int rc, n;

	KUNIT_ASSERT_EQ(test, df_start() ?: df_connect(), 0);
	df_numbers(test, 2);
	for (n = 0, rc = 0; n < 16 && !rc; n++)
		rc = df_write(1, (u64)n * KR_BULK_LEN, KR_BULK_LEN);
	KUNIT_EXPECT_EQ(test, rc, -ENOSPC);
	KUNIT_EXPECT_EQ(test, df_fallocate(1, 0, 0, SZ_1M), -ENOSPC);
	KUNIT_EXPECT_EQ(test, df_destroy(&id, 1), 0);
	/* The space is free when a work has dropped the object. */
	for (n = 0, rc = -ENOSPC; n < 1000 && rc == -ENOSPC; n++) {
		rc = df_write(2, 0, KR_BULK_LEN);
		if (rc)
			msleep(20);
	}
	KUNIT_EXPECT_EQ(test, rc, 0);
}

static void operations_are_counted(struct kunit *test)
{
	struct obd_statfs st = {};

	df_numbers(test, 1);
	KUNIT_EXPECT_EQ(test, df_write(1, 0, 10), 0);
	KUNIT_EXPECT_EQ(test, df_try(OST_SYNC, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, obd_statfs(kr.srv->obd_self_export, &st, 0), 0);
	KUNIT_EXPECT_NE(test, st.os_bsize, 0U);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, DF_PARAMS "stats"), 0L);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, DF_PARAMS "site"), 0L);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, DF_PARAMS "last_id"), 0L);
}

static struct kunit_case ofd_cases[] = {
	KUNIT_CASE(a_number_is_given_out_once),
	KUNIT_CASE(numbers_go_on_behind_those_of_files),
	KUNIT_CASE(the_first_write_makes_the_object),
	KUNIT_CASE(an_object_without_a_file_is_empty),
	KUNIT_CASE(a_read_ends_where_the_object_ends),
	KUNIT_CASE(a_later_write_replaces_bytes),
	KUNIT_CASE(a_write_may_have_several_ranges),
	KUNIT_CASE(a_punch_sets_the_size),
	KUNIT_CASE(a_range_gets_space_or_zeros),
	KUNIT_CASE(an_object_has_holes),
	KUNIT_CASE(times_are_those_of_the_client),
	KUNIT_CASE(a_destroyed_object_stays_destroyed),
	KUNIT_CASE(requests_are_refused),
	KUNIT_CASE(files_of_real_lustre_are_taken_over),
	KUNIT_CASE(operations_are_counted),
	{}
};

/* The case starts the target itself. */
static struct kunit_case start_cases[] = {
	KUNIT_CASE(the_last_number_is_the_last),
	KUNIT_CASE(a_damaged_last_id_is_refused),
	KUNIT_CASE(a_full_directory_is_an_error_of_the_write),
	{}
};

static int start_init(struct kunit *test)
{
	char small[] = "size=512k";

	return df_init_dir(test, small);
}

static struct kunit_suite ofd_suite = {
	.name		= "ofd",
	.suite_init	= df_suite_init,
	.init		= df_init,
	.exit		= df_exit,
	.test_cases	= ofd_cases,
};

static struct kunit_suite start_suite = {
	.name		= "ofd_start",
	.suite_init	= df_suite_init,
	.init		= start_init,
	.exit		= df_exit,
	.test_cases	= start_cases,
};

kunit_test_suites(&ofd_suite, &start_suite);

MODULE_DESCRIPTION("KUnit: an object storage target");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
