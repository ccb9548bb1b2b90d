// SPDX-License-Identifier: GPL-2.0-only
/*
 * Grant at an object storage target: what a client gets, and when; writes with it and without on a
 * target that is nearly full; what is given back. The file system has 2 MiB.
 */
#include "ofd_fixture.h"
#include "../../ofd/ofd_internal.h"

#define TMPFS_SIZE	"size=2m"
#define LEN		((u64)KR_BULK_LEN)
/* More than the file system has. */
#define WANTED		((u64)SZ_64M)

static struct obd_connect_data granted;

static int grant_init(struct kunit *test)
{
	char size[] = TMPFS_SIZE;

	granted = (struct obd_connect_data){
		.ocd_connect_flags = OBD_CONNECT_GRANT,
		/* Only a target that has restarted believes it. */
		.ocd_grant = SZ_1G,
	};
	return df_init_dir(test, size) ?: df_start() ?: df_connect_with(&granted);
}

static struct ofd_grant sums(void)
{
	struct ofd_grant *og = &ofd_device(kr.srv)->ofd_grant;
	struct ofd_grant copy = {};

	mutex_lock(&og->og_lock);
	copy.og_granted = og->og_granted;
	copy.og_dirty = og->og_dirty;
	copy.og_pending = og->og_pending;
	mutex_unlock(&og->og_lock);
	return copy;
}

/* A write of LEN bytes that uses @used. */
static int write_with(u64 id, u64 offset, u64 used, u64 undirty)
{
	struct ost_op op = df_op(OST_WRITE, id);

	op.offset = offset;
	op.claim = (struct ost_claim){ .used = used, .undirty = undirty, .dirty = 5 };
	return df_write_op(&op, LEN);
}

static int ask(u64 undirty, u64 spent, u64 export)
{
	struct ost_op op = df_op(OST_GRANT, 0);

	op.claim = (struct ost_claim){ .undirty = undirty, .spent = spent, .export = export };
	return df_call(&op, NULL);
}

static u64 own_export(void)
{
	return kr.imp->imp_remote_handle.cookie;
}

static void a_connect_gives_a_part_of_what_is_left(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, granted.ocd_connect_flags & OBD_CONNECT_GRANT);
	KUNIT_EXPECT_GT(test, granted.ocd_grant, (u32)SZ_128K);
	KUNIT_EXPECT_LE(test, granted.ocd_grant, (u32)SZ_256K);
	KUNIT_EXPECT_EQ(test, sums().og_granted, (u64)granted.ocd_grant);
	/* With the end of the export all of it is free. */
	obd_disconnect(kr.exp);
	kr.exp = NULL;
	obd_zombie_barrier();
	KUNIT_EXPECT_EQ(test, sums().og_granted, 0ULL);
}

static void a_write_uses_grant_and_brings_more(struct kunit *test)
{
	const u64 first = granted.ocd_grant, used = ost_grant_bytes(LEN);

	df_numbers(test, 1);
	KUNIT_ASSERT_EQ(test, write_with(1, 0, used, 0), 0);
	KUNIT_EXPECT_EQ(test, df.rep.first, first);
	KUNIT_EXPECT_EQ(test, sums().og_granted, first - used);
	KUNIT_EXPECT_EQ(test, sums().og_dirty, 5ULL);
	KUNIT_EXPECT_EQ(test, sums().og_pending, 0ULL);
	KUNIT_ASSERT_EQ(test, write_with(1, LEN, used, first), 0);
	KUNIT_EXPECT_EQ(test, df.rep.first, first + 2 * used);
	KUNIT_EXPECT_EQ(test, sums().og_granted, first);
	/* More than it holds is not used up. */
	KUNIT_ASSERT_EQ(test, write_with(1, 0, SZ_1M, 0), 0);
	KUNIT_EXPECT_EQ(test, sums().og_granted, 0ULL);
	KUNIT_ASSERT_EQ(test, write_with(1, 0, used, 0), 0);
	KUNIT_EXPECT_EQ(test, sums().og_granted, 0ULL);
}

/* Write without grant until there is no more space. Return: bytes */
static u64 fill(struct kunit *test, u64 id)
{
	u64 at = 0;
	int rc;

	do {
		rc = df_write(id, at, LEN);
		at += rc ? 0 : LEN;
	} while (!rc && at < SZ_8M);
	KUNIT_EXPECT_EQ(test, rc, -ENOSPC);
	KUNIT_EXPECT_EQ(test, sums().og_pending, 0ULL);
	return at;
}

static void what_is_promised_is_kept(struct kunit *test)
{
	const u64 used = ost_grant_bytes(LEN);
	u64 held, at = 0, end;

	df_numbers(test, 2);
	KUNIT_ASSERT_EQ(test, ask(WANTED, 0, 0), 0);
	held = df.rep.first;
	KUNIT_EXPECT_GT(test, held, 2 * used);
	end = fill(test, 1);
	KUNIT_EXPECT_GT(test, end, (u64)SZ_1M);
	/* Others have no space; what has its space needs none. */
	KUNIT_EXPECT_EQ(test, df_write(2, 0, LEN), -ENOSPC);
	KUNIT_EXPECT_EQ(test, df_fallocate(1, 0, end, SZ_1M), -ENOSPC);
	KUNIT_EXPECT_EQ(test, df_write(1, 0, LEN), 0);
	KUNIT_EXPECT_EQ(test, df_fallocate(1, 0, 0, end), 0);
	for (; held >= used; held -= used, at += LEN)
		KUNIT_EXPECT_EQ(test, write_with(2, at, used, 0), 0);
	KUNIT_EXPECT_EQ(test, sums().og_granted, held);
}

static void a_full_target_gives_none(struct kunit *test)
{
	u64 before;
	int n;

	df_numbers(test, 1);
	/* Each time a part of what is left. */
	for (n = 0, before = 0; n < 100; n++) {
		KUNIT_ASSERT_EQ(test, ask(WANTED, 0, 0), 0);
		if (df.rep.first == before)
			break;
		before = df.rep.first;
	}
	KUNIT_EXPECT_LT(test, n, 100);
	/* All together half of it. */
	KUNIT_EXPECT_GT(test, before, (u64)SZ_512K);
	KUNIT_EXPECT_LT(test, before, (u64)SZ_1M);
	fill(test, 1);
	KUNIT_ASSERT_EQ(test, ask(WANTED, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, df.rep.first, before);
}

static void a_client_gives_grant_back(struct kunit *test)
{
	const u64 first = granted.ocd_grant;

	KUNIT_EXPECT_EQ(test, ask(0, 100, own_export() + 1), 0);
	KUNIT_EXPECT_EQ(test, df.rep.count, 0ULL);
	KUNIT_EXPECT_EQ(test, ask(0, 100, own_export()), 0);
	KUNIT_EXPECT_EQ(test, df.rep.count, 100ULL);
	KUNIT_EXPECT_EQ(test, df.rep.first, first);
	/* One that is late; and more than there is. */
	KUNIT_EXPECT_EQ(test, ask(0, 50, own_export()), 0);
	KUNIT_EXPECT_EQ(test, df.rep.count, 100ULL);
	KUNIT_EXPECT_EQ(test, sums().og_granted, first - 100);
	KUNIT_EXPECT_EQ(test, ask(0, first + 1, own_export()), 0);
	KUNIT_EXPECT_EQ(test, df.rep.count, first);
	KUNIT_EXPECT_EQ(test, sums().og_granted, 0ULL);
}

static void one_without_the_flag_has_none(struct kunit *test)
{
	df_end_devices(test);
	KUNIT_ASSERT_EQ(test, df_start() ?: df_connect(), 0);
	df_numbers(test, 1);
	KUNIT_EXPECT_EQ(test, sums().og_granted, 0ULL);
	KUNIT_EXPECT_EQ(test, ask(WANTED, 0, 0), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, write_with(1, 0, LEN, WANTED), 0);
	KUNIT_EXPECT_EQ(test, df.rep.first, 0ULL);
	KUNIT_EXPECT_EQ(test, sums().og_granted, 0ULL);
}

/* The case starts the target itself: a file system without a size. */
static void space_without_a_size_has_no_limit(struct kunit *test)
{
	granted = (struct obd_connect_data){ .ocd_connect_flags = OBD_CONNECT_GRANT };
	KUNIT_ASSERT_EQ(test, df_start() ?: df_connect_with(&granted), 0);
	KUNIT_EXPECT_EQ(test, granted.ocd_grant, (u32)ost_grant_bytes(SZ_8M));
	KUNIT_EXPECT_EQ(test, ask(WANTED, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, df.rep.first, WANTED);
}

static struct kunit_case grant_cases[] = {
	KUNIT_CASE(a_connect_gives_a_part_of_what_is_left),
	KUNIT_CASE(a_write_uses_grant_and_brings_more),
	KUNIT_CASE(what_is_promised_is_kept),
	KUNIT_CASE(a_full_target_gives_none),
	KUNIT_CASE(a_client_gives_grant_back),
	KUNIT_CASE(one_without_the_flag_has_none),
	{}
};

static struct kunit_suite grant_suite = {
	.name		= "ofd_grant",
	.suite_init	= df_suite_init,
	.init		= grant_init,
	.exit		= df_exit,
	.test_cases	= grant_cases,
};

static struct kunit_case start_cases[] = {
	KUNIT_CASE(space_without_a_size_has_no_limit),
	{}
};

static int start_init(struct kunit *test)
{
	char unlimited[] = "size=0";

	return df_init_dir(test, unlimited);
}

static struct kunit_suite start_suite = {
	.name		= "ofd_grant_start",
	.suite_init	= df_suite_init,
	.init		= start_init,
	.exit		= df_exit,
	.test_cases	= start_cases,
};

kunit_test_suites(&grant_suite, &start_suite);

MODULE_DESCRIPTION("KUnit: grant at an object storage target");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
