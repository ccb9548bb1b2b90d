// SPDX-License-Identifier: GPL-2.0-only
/* Layouts of files of a metadata target: objects, defaults, what users ask for, removed files. */
#include "mdt_lod_fixture.h"

static void a_created_file_has_an_object(struct kunit *test)
{
	struct made a = created(test, "a"), b = created(test, "b"), c = created(test, "c"), d;
	u8 bytes[128];

	KUNIT_EXPECT_EQ(test, a.ea.stripe_count, 1U);
	KUNIT_EXPECT_EQ(test, a.ea.stripe_size, 1U << 20);
	KUNIT_EXPECT_EQ(test, a.ea.oi_id, (u64)a.obj.fid.f_oid);
	KUNIT_EXPECT_EQ(test, a.ea.oi_seq, a.obj.fid.f_seq);
	/* One after the other. */
	KUNIT_EXPECT_EQ(test, BIT(ost_at(&a, 0)) | BIT(ost_at(&b, 0)) | BIT(ost_at(&c, 0)), 7UL);
	KUNIT_EXPECT_EQ(test, looked_up("a", bytes, sizeof(bytes)), a.len);
	KUNIT_EXPECT_EQ(test, memcmp(bytes, a.bytes, a.len), 0);
	/* An open finds the same one. */
	KUNIT_ASSERT_EQ(test, open_at(&a.obj, NULL, NULL, RW, NULL, 0, &d), 0);
	KUNIT_EXPECT_EQ(test, d.len, a.len);
	KUNIT_EXPECT_EQ(test, memcmp(d.bytes, a.bytes, a.len), 0);
	KUNIT_EXPECT_EQ(test, mn_close(&d.obj, d.handle, NULL), 0);
}

static void numbers_are_used_once(struct kunit *test)
{
	static const char * const names[] = {
		"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13",
	};
	struct lov_object seen[ARRAY_SIZE(names)];
	struct made made;
	u32 n, m;

	/* Ranges follow each other. */
	ml.numbers = 4;
	mf_end_devices(test);
	KUNIT_ASSERT_EQ(test, mf_start(), 0);
	KUNIT_ASSERT_EQ(test, mf_connect(), 0);
	for (n = 0; n < ARRAY_SIZE(names); n++) {
		made = created(test, names[n]);
		KUNIT_ASSERT_GT(test, made.len, 0U);
		seen[n] = object_at(&made, 0);
		for (m = 0; m < n; m++)
			KUNIT_EXPECT_FALSE(test, lu_fid_eq(&seen[m].fid, &seen[n].fid));
	}
}

/* Targets that are new, or from a backup, have forgotten what they gave. */
static void numbers_outlive_the_targets(struct kunit *test)
{
	struct lov_object first, second;
	struct made made = created(test, "first");
	u32 n;

	KUNIT_ASSERT_GT(test, made.len, 0U);
	first = object_at(&made, 0);
	mf_end_devices(test);
	for (n = 0; n < OSTS; n++)
		ml.ost[n].last = 0;
	KUNIT_ASSERT_EQ(test, mf_start(), 0);
	KUNIT_ASSERT_EQ(test, mf_connect(), 0);
	made = created(test, "second");
	KUNIT_ASSERT_GT(test, made.len, 0U);
	second = object_at(&made, 0);
	KUNIT_EXPECT_GT(test, fid_idif_object(&second.fid), fid_idif_object(&first.fid));
	KUNIT_EXPECT_GT(test, fid_idif_object(&second.fid), (u64)ml.numbers);
}

static void the_emptiest_target_gets_most_files(struct kunit *test)
{
	u32 counts[OSTS] = {}, n;
	struct made made;
	char name[8];

	ml.ost[1].blocks = 100 * BLOCKS;
	ml_restart(test);
	for (n = 0; n < 32; n++) {
		snprintf(name, sizeof(name), "%u", n);
		made = created(test, name);
		KUNIT_ASSERT_GT(test, made.len, 0U);
		counts[ost_at(&made, 0)]++;
	}
	KUNIT_EXPECT_GT(test, counts[1], 16U);
}

/* Targets of a new file with @stripes from @offset on, as bits. */
static unsigned long targets_of(struct kunit *test, const char *name, u32 stripes, u32 offset)
{
	struct md_object file = mn_file(test, name);
	unsigned long targets = 0;
	struct lov_ea ea;
	u8 bytes[128];
	u32 n;

	KUNIT_ASSERT_EQ(test, ask_plain(&file, 65536, stripes, offset, NULL), 0);
	KUNIT_ASSERT_NULL(test, lov_ea_decode(bytes, looked_up(name, bytes, sizeof(bytes)), &ea));
	for (n = 0; n < ea.stripe_count; n++) {
		KUNIT_EXPECT_FALSE(test, targets & BIT(lov_ea_object(&ea, n).ost));
		targets |= BIT(lov_ea_object(&ea, n).ost);
	}
	return targets;
}

static void degraded_targets_are_used_last(struct kunit *test)
{
	ml.ost[1].state = OS_STATFS_DEGRADED;
	ml_restart(test);
	KUNIT_EXPECT_EQ(test, targets_of(test, "a", 1, 0xffff) |
			targets_of(test, "b", 1, 0xffff) | targets_of(test, "c", 1, 0xffff) |
			targets_of(test, "d", 1, 0xffff), BIT(0) | BIT(2));
	KUNIT_EXPECT_EQ(test, targets_of(test, "two", 2, 0xffff), BIT(0) | BIT(2));
	KUNIT_EXPECT_EQ(test, targets_of(test, "all", 3, 0xffff), BIT(0) | BIT(1) | BIT(2));
	/* It is asked for. */
	KUNIT_EXPECT_EQ(test, targets_of(test, "one", 1, 1), BIT(1));
	KUNIT_EXPECT_EQ(test, targets_of(test, "from", 2, 1), BIT(1) | BIT(2));
}

static void without_others_degraded_targets_take_turns(struct kunit *test)
{
	u32 n;

	for (n = 0; n < OSTS; n++)
		ml.ost[n].state = n ? OS_STATFS_DEGRADED : OS_STATFS_READONLY;
	ml_restart(test);
	KUNIT_EXPECT_EQ(test, targets_of(test, "a", 1, 0xffff) | targets_of(test, "b", 1, 0xffff) |
			targets_of(test, "c", 1, 0xffff), BIT(0) | BIT(1) | BIT(2));
	KUNIT_EXPECT_EQ(test, targets_of(test, "all", 3, 2), BIT(0) | BIT(1) | BIT(2));
}

static void a_node_gets_objects_when_it_is_written(struct kunit *test)
{
	struct md_object file = mn_file(test, "file"), new = mn_new();
	struct made made, again;
	u8 bytes[128];

	KUNIT_EXPECT_EQ(test, looked_up("file", bytes, sizeof(bytes)), 0U);
	KUNIT_ASSERT_EQ(test, open_at(&file, NULL, NULL, MDS_FMODE_READ, NULL, 0, &made), 0);
	KUNIT_EXPECT_EQ(test, made.len, 0U);
	KUNIT_EXPECT_EQ(test, mn_close(&file, made.handle, NULL), 0);
	KUNIT_ASSERT_EQ(test, open_at(&file, NULL, NULL, RW, NULL, 0, &made), 0);
	KUNIT_EXPECT_EQ(test, made.ea.stripe_count, 1U);
	KUNIT_EXPECT_EQ(test, mn_close(&file, made.handle, NULL), 0);
	KUNIT_ASSERT_EQ(test, open_at(&mf.root, "later", &new, RW | MDS_OPEN_CREAT |
				      MDS_OPEN_DELAY, NULL, 0, &again), 0);
	KUNIT_EXPECT_EQ(test, again.len, 0U);
	KUNIT_EXPECT_EQ(test, mn_close(&again.obj, again.handle, NULL), 0);
}

static void without_targets_files_have_no_objects(struct kunit *test)
{
	struct made made;
	u32 n;

	for (n = 0; n < OSTS; n++)
		ml.ost[n].blocks = 0;
	ml_restart(test);
	made.obj = mn_new();
	KUNIT_EXPECT_EQ(test, open_at(&mf.root, "full", &made.obj, RW | MDS_OPEN_CREAT, NULL, 0,
				      &made), -ENOSPC);
	for (n = 0; n < OSTS; n++)
		ml.ost[n].active = false;
	made = created(test, "none");
	KUNIT_EXPECT_EQ(test, made.len, 0U);
	ml.ost[1].blocks = BLOCKS;
	ml.ost[1].active = true;
	KUNIT_ASSERT_EQ(test, open_at(&made.obj, NULL, NULL, RW, NULL, 0, &made), 0);
	KUNIT_ASSERT_GT(test, made.len, 0U);
	KUNIT_EXPECT_EQ(test, ost_at(&made, 0), 1U);
	KUNIT_EXPECT_EQ(test, mn_close(&made.obj, made.handle, NULL), 0);
}

/* The target disconnects its volume before the last requests have ended. */
static void requests_outlive_the_connection(struct kunit *test)
{
	struct mdt_device *mdt = kr.srv->obd_data;
	struct obd_export *lov = xchg(&mdt->mdt_lov, NULL);
	struct made made = created(test, "late");

	KUNIT_EXPECT_GT(test, made.len, 0U);
	KUNIT_EXPECT_EQ(test, ask_plain(&mf.root, 65536, 1, 0xffff, "two"), 0);
	mdt->mdt_lov = lov;
}

static void a_default_is_inherited(struct kunit *test)
{
	struct md_object dir = mn_dir(test, "dir"), sub;
	struct made made;

	KUNIT_EXPECT_EQ(test, ask_plain(&dir, 65536, 2, 1, NULL), 0);
	sub = mn_made(test, &dir, "sub", S_IFDIR | 0755);
	made = created_in(test, &sub, "file");
	KUNIT_EXPECT_EQ(test, made.ea.stripe_count, 2U);
	KUNIT_EXPECT_EQ(test, made.ea.stripe_size, 65536U);
	KUNIT_EXPECT_EQ(test, ost_at(&made, 0), 1U);
	KUNIT_EXPECT_EQ(test, ost_at(&made, 1), 2U);
	/* The default of the root completes that of a directory. */
	KUNIT_EXPECT_EQ(test, ask_plain(&mf.root, 131072, 0xffff, 0xffff, NULL), 0);
	KUNIT_EXPECT_EQ(test, ask_plain(&sub, 0, 0, 0xffff, NULL), 0);
	made = created_in(test, &sub, "other");
	KUNIT_EXPECT_EQ(test, made.ea.stripe_count, 3U);
	KUNIT_EXPECT_EQ(test, made.ea.stripe_size, 131072U);
	KUNIT_EXPECT_EQ(test, ask_plain(&dir, 0, 1, 0xffff, "two"), 0);
	made = created_in(test, &dir, "pool");
	KUNIT_EXPECT_EQ(test, made.ea.magic, (u32)LOV_MAGIC_V3);
	KUNIT_EXPECT_STREQ(test, made.ea.pool, "two");
	KUNIT_EXPECT_GT(test, ost_at(&made, 0), 0U);
}

/* Set a parameter of lod.VOLUME. */
static noinline int lod_set(const char *name, const char *value, char *why, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "lod/" MF_VOLUME "/%s", name);
	return params_set(NULL, path, value, 0, why, size);
}

static void the_default_of_the_file_system_is_set(struct kunit *test)
{
	char why[PARAMS_RULE_WHY] = "";
	struct made made;

	KUNIT_EXPECT_EQ(test, lod_set("stripecount", "2", why, sizeof(why)), 0);
	KUNIT_EXPECT_EQ(test, lod_set("stripesize", "128k", why, sizeof(why)), 0);
	KUNIT_EXPECT_EQ(test, lod_set("stripeoffset", "2", why, sizeof(why)), 0);
	made = created(test, "a");
	KUNIT_EXPECT_EQ(test, made.ea.stripe_count, 2U);
	KUNIT_EXPECT_EQ(test, made.ea.stripe_size, 128U << 10);
	KUNIT_EXPECT_EQ(test, ost_at(&made, 0), 2U);
	KUNIT_EXPECT_EQ(test, ost_at(&made, 1), 0U);
	KUNIT_EXPECT_EQ(test, lod_set("stripecount", "2001", why, sizeof(why)), -ERANGE);
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(why, "2000"), "%s", why);
	/* The root says otherwise. */
	KUNIT_EXPECT_EQ(test, ask_plain(&mf.root, 65536, 1, 1, NULL), 0);
	made = created(test, "b");
	KUNIT_EXPECT_EQ(test, made.ea.stripe_count, 1U);
	KUNIT_EXPECT_EQ(test, made.ea.stripe_size, 65536U);
	KUNIT_EXPECT_EQ(test, ost_at(&made, 0), 1U);
}

/* Open without a name. Return: stripes of the layout that the file has got */
static noinline u32 stripes_by_fid(struct kunit *test, const struct md_object *file,
				   const struct md_object *dir)
{
	struct made made;

	KUNIT_ASSERT_EQ(test, open_at(file, NULL, dir, RW, NULL, 0, &made), 0);
	KUNIT_EXPECT_EQ(test, mn_close(&made.obj, made.handle, NULL), 0);
	return made.ea.stripe_count;
}

static void an_open_by_fid_has_the_default_of_the_directory(struct kunit *test)
{
	struct md_object dir = mn_dir(test, "dir"), other = mn_dir(test, "other");
	struct md_object a = mn_made(test, &dir, "a", S_IFREG | 0644);
	struct md_object b = mn_made(test, &dir, "b", S_IFREG | 0644);
	struct md_object c = mn_made(test, &dir, "c", S_IFREG | 0644);

	KUNIT_EXPECT_EQ(test, ask_plain(&mf.root, 0, 3, 0xffff, NULL), 0);
	KUNIT_EXPECT_EQ(test, ask_plain(&dir, 0, 2, 0xffff, NULL), 0);
	KUNIT_EXPECT_EQ(test, ask_plain(&other, 0, 1, 0xffff, NULL), 0);
	KUNIT_EXPECT_EQ(test, stripes_by_fid(test, &a, &dir), 2U);
	/* The file is not in it; the directory is not known. */
	KUNIT_EXPECT_EQ(test, stripes_by_fid(test, &b, &other), 3U);
	KUNIT_EXPECT_EQ(test, stripes_by_fid(test, &c, NULL), 3U);
}

static void a_layout_is_asked_for(struct kunit *test)
{
	struct md_object file = mn_file(test, "file"), listed = mn_file(test, "listed");
	struct md_object dir = mn_dir(test, "dir");
	struct {
		u8	head[48];
		struct lov_ost_data ost[2];
	} list = {};
	struct lov_ea head = {
		.magic = LOV_MAGIC_V3, .pattern = LOV_PATTERN_RAID0, .stripe_size = 65536,
		.stripe_count = 2, .gen = 0xffff,
	};
	struct made made;
	struct lov_ea ea;
	u8 bytes[128];
	u32 len;
	int rc;

	KUNIT_EXPECT_EQ(test, ask_plain(&file, 65535, 1, 0xffff, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, ask_plain(&file, 65536, 1, 7, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, ask_plain(&file, 65536, 1, 0xffff, "none"), -EINVAL);
	/* The target is not in the pool. */
	KUNIT_EXPECT_EQ(test, ask_plain(&file, 65536, 1, 0, "two"), -EINVAL);
	KUNIT_EXPECT_EQ(test, ask_plain(&file, 65536, 3, 2, NULL), 0);
	KUNIT_EXPECT_EQ(test, ask_plain(&file, 65536, 3, 2, NULL), -EEXIST);
	len = looked_up("file", bytes, sizeof(bytes));
	KUNIT_ASSERT_TRUE(test, !lov_ea_decode(bytes, len, &ea));
	KUNIT_EXPECT_EQ(test, ea.stripe_count, 3U);
	KUNIT_EXPECT_EQ(test, lov_ea_object(&ea, 0).ost, 2U);
	KUNIT_EXPECT_EQ(test, lov_ea_object(&ea, 1).ost, 0U);
	lov_ea_encode(&list, &head, NULL);
	codec_put32(list.head, LOV_USER_MAGIC_SPECIFIC);
	list.ost[0].l_ost_idx = cpu_to_le32(1);
	list.ost[1].l_ost_idx = cpu_to_le32(1);
	KUNIT_EXPECT_EQ(test, ask(&listed, &list, sizeof(list)), -EINVAL);
	list.ost[0].l_ost_idx = cpu_to_le32(2);
	KUNIT_EXPECT_EQ(test, ask(&dir, &list, sizeof(list)), 0);
	for (len = 0; len < 2; len++) {
		made = created_in(test, &dir, len ? "second" : "first");
		KUNIT_EXPECT_EQ(test, made.ea.stripe_count, 2U);
		KUNIT_EXPECT_EQ(test, ost_at(&made, 0), 2U);
		KUNIT_EXPECT_EQ(test, ost_at(&made, 1), 1U);
	}
	/* A default that cannot be satisfied does not fail a create. */
	ml.ost[1].active = false;
	made = created_in(test, &dir, "third");
	KUNIT_EXPECT_EQ(test, made.ea.stripe_count, 2U);
	ml.ost[1].active = true;
	/* A work may have seen that it was not, and sees each second how it is. */
	for (len = 0; (rc = ask(&listed, &list, sizeof(list))) == -ENODEV && len < WAIT_MS / 20; len++)
		msleep(20);
	KUNIT_EXPECT_EQ(test, rc, 0);
	len = looked_up("listed", bytes, sizeof(bytes));
	KUNIT_ASSERT_TRUE(test, !lov_ea_decode(bytes, len, &ea));
	KUNIT_EXPECT_EQ(test, lov_ea_object(&ea, 0).ost, 2U);
	KUNIT_EXPECT_EQ(test, lov_ea_object(&ea, 1).ost, 1U);
}

/* With a stripe on each of them, too. */
static void each_target_is_the_first_one_in_turn(struct kunit *test)
{
	static const char *const names[] = { "a", "b", "c", "d" };
	struct md_object file;
	struct lov_ea ea;
	u8 bytes[128];
	u32 len, n;

	for (n = 0; n < ARRAY_SIZE(names); n++) {
		file = mn_file(test, names[n]);
		KUNIT_ASSERT_EQ(test, ask_plain(&file, 65536, 0xffff, 0xffff, NULL), 0);
		len = looked_up(names[n], bytes, sizeof(bytes));
		KUNIT_ASSERT_TRUE(test, !lov_ea_decode(bytes, len, &ea));
		KUNIT_EXPECT_EQ(test, ea.stripe_count, (u16)OSTS);
		KUNIT_EXPECT_EQ(test, lov_ea_object(&ea, 0).ost, n % OSTS);
	}
}

/* The client of a replay may have written to the objects of the first reply. */
static void a_replay_makes_the_same_layout(struct kunit *test)
{
	struct md_object new = mn_new();
	struct made first = created(test, "first"), made, node;

	mn.flags = MSG_REPLAY;
	KUNIT_ASSERT_EQ(test, open_at(&mf.root, "again", &new, RW | MDS_OPEN_CREAT, first.bytes,
				      first.len, &made), 0);
	KUNIT_EXPECT_EQ(test, made.len, first.len);
	KUNIT_EXPECT_EQ(test, memcmp(made.bytes, first.bytes, first.len), 0);
	/* The one on disk stays. */
	first.bytes[first.len - 4] ^= 1;
	KUNIT_ASSERT_EQ(test, open_at(&made.obj, NULL, NULL, RW, first.bytes, first.len, &made),
			0);
	KUNIT_EXPECT_NE(test, memcmp(made.bytes, first.bytes, first.len), 0);
	node.obj = mn_file(test, "node");
	KUNIT_ASSERT_EQ(test, open_at(&node.obj, NULL, NULL, RW, NULL, 0, &node), 0);
	KUNIT_EXPECT_EQ(test, node.len, 0U);
	KUNIT_ASSERT_EQ(test, open_at(&node.obj, NULL, NULL, RW, first.bytes, first.len, &node),
			0);
	KUNIT_EXPECT_EQ(test, memcmp(node.bytes, first.bytes, first.len), 0);
	mn.flags = 0;
}

static void objects_of_removed_files_are_destroyed(struct kunit *test)
{
	struct made file = created(test, "file"), open;
	struct lov_object object = object_at(&file, 0);
	struct fake_ost *ost = &ml.ost[object.ost];

	KUNIT_EXPECT_EQ(test, mn_unlink("file", &file.obj), 0);
	KUNIT_EXPECT_TRUE(test, wait_until(pending_is_empty));
	KUNIT_EXPECT_EQ(test, ost->destroyed, 1U);
	KUNIT_EXPECT_TRUE(test, lu_fid_eq(&ost->object, &object.fid));
	KUNIT_EXPECT_TRUE(test, ost->synced);
	/* Not while it is open. */
	file = created(test, "open");
	object = object_at(&file, 0);
	ost = &ml.ost[object.ost];
	ost->destroyed = 0;
	KUNIT_ASSERT_EQ(test, open_at(&file.obj, NULL, NULL, RW, NULL, 0, &open), 0);
	KUNIT_EXPECT_EQ(test, mn_unlink("open", &file.obj), 0);
	KUNIT_EXPECT_EQ(test, mn_pending(), 1U);
	KUNIT_EXPECT_EQ(test, mn_close(&file.obj, open.handle, NULL), 0);
	KUNIT_EXPECT_TRUE(test, wait_until(pending_is_empty));
	KUNIT_EXPECT_EQ(test, ost->destroyed, 1U);
}

static void a_target_that_is_away_keeps_its_files(struct kunit *test)
{
	struct made file = created(test, "file"), open;
	struct fake_ost *ost = &ml.ost[ost_at(&file, 0)];

	ost->active = false;
	mf_end_devices(test);
	KUNIT_ASSERT_EQ(test, mf_start(), 0);
	KUNIT_ASSERT_EQ(test, mf_connect(), 0);
	file.obj = mf_found(test, &mf.root, "file");
	KUNIT_EXPECT_EQ(test, mn_unlink("file", &file.obj), 0);
	/* It has ended: no client finds it by its hint. */
	KUNIT_EXPECT_EQ(test, open_at(&file.obj, NULL, NULL, RW, NULL, 0, &open), -ESTALE);
	mf_end_devices(test);
	KUNIT_EXPECT_EQ(test, ost->destroyed, 0U);
	KUNIT_EXPECT_EQ(test, mn_pending(), 1U);
	/* The next start finds it. */
	ost->active = true;
	KUNIT_ASSERT_EQ(test, mf_start(), 0);
	KUNIT_ASSERT_EQ(test, mf_connect(), 0);
	KUNIT_EXPECT_TRUE(test, wait_until(pending_is_empty));
	KUNIT_EXPECT_EQ(test, ost->destroyed, 1U);
}

static struct kunit_case mdt_lod_cases[] = {
	KUNIT_CASE(a_created_file_has_an_object),
	KUNIT_CASE(numbers_are_used_once),
	KUNIT_CASE(numbers_outlive_the_targets),
	KUNIT_CASE(the_emptiest_target_gets_most_files),
	KUNIT_CASE(degraded_targets_are_used_last),
	KUNIT_CASE(without_others_degraded_targets_take_turns),
	KUNIT_CASE(a_node_gets_objects_when_it_is_written),
	KUNIT_CASE(without_targets_files_have_no_objects),
	KUNIT_CASE(requests_outlive_the_connection),
	KUNIT_CASE(a_default_is_inherited),
	KUNIT_CASE(the_default_of_the_file_system_is_set),
	KUNIT_CASE(an_open_by_fid_has_the_default_of_the_directory),
	KUNIT_CASE(a_layout_is_asked_for),
	KUNIT_CASE(each_target_is_the_first_one_in_turn),
	KUNIT_CASE(a_replay_makes_the_same_layout),
	KUNIT_CASE(objects_of_removed_files_are_destroyed),
	KUNIT_CASE(a_target_that_is_away_keeps_its_files),
	{}
};

static struct kunit_suite mdt_lod_suite = {
	.name = "mdt_lod",
	.suite_init = mf_suite_init,
	.init = ml_init,
	.exit = ml_exit,
	.test_cases = mdt_lod_cases,
};
kunit_test_suite(mdt_lod_suite);

MODULE_DESCRIPTION("KUnit: layouts of files of a metadata target");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
