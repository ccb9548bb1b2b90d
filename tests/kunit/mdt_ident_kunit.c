// SPDX-License-Identifier: GPL-2.0-only
/* A metadata target that does not permit all to each node. */
#include <linux/capability.h>

#include "mdt_fixture.h"

/* The nodes of this kernel, and other ones. */
#define OWN		"127.0.0.1@tcp,0@lo"
#define OTHERS		"10.0.0.[2-9]@tcp *@tcp7"

static int set(const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), MF_PARAMS "%s", name);
	return client_write(fx.client, path, text);
}

static bool is(const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), MF_PARAMS "%s", name);
	return !client_read(fx.client, path) && client_text_is(fx.client, text);
}

static int lookup_as(u32 uid, u32 gid, u64 caps)
{
	struct md_op_data op = mf_op_name(MDS_GETATTR_NAME, &mf.root, "dir");
	struct md_reply rep;
	int rc = mf_call(&op, &rep);

	if (rc)
		return rc;
	op = mf_op_name(MDS_GETATTR_NAME, &rep.object, "file");
	op.uid = uid;
	op.gid = gid;
	op.caps = caps;
	mf_put(&rep);
	return mf_try(&op);
}

/* A directory that its owner, user 1000, may search. */
static void private_make(struct kunit *test)
{
	struct iattr attr = { .ia_valid = ATTR_UID, .ia_uid = KUIDT_INIT(1000) };
	struct osd_object child;

	KUNIT_ASSERT_EQ(test, ot_make(&ot.root, "dir", S_IFDIR | 0700, &child), 0);
	KUNIT_EXPECT_EQ(test, osd_setattr(&child, &attr, NULL), 0);
	ot_new(test, &child, "file", S_IFREG | 0644);
	osd_object_fini(&child);
}

static void root_is_a_user_where_it_is_squashed(struct kunit *test)
{
	private_make(test);
	KUNIT_EXPECT_TRUE(test, is("root_squash", "0:0"));
	KUNIT_EXPECT_EQ(test, lookup_as(0, 0, ~0ULL), 0);
	KUNIT_EXPECT_EQ(test, set("root_squash", "1001:77"), 0);
	KUNIT_EXPECT_TRUE(test, is("root_squash", "1001:77"));
	KUNIT_EXPECT_EQ(test, lookup_as(0, 0, ~0ULL), -EACCES);
	/* Capabilities are gone, users are who they are. */
	KUNIT_EXPECT_EQ(test, lookup_as(5, 5, BIT_ULL(CAP_DAC_OVERRIDE)), -EACCES);
	KUNIT_EXPECT_EQ(test, lookup_as(1000, 5, 0), 0);
	KUNIT_EXPECT_EQ(test, set("root_squash", "1000:77"), 0);
	KUNIT_EXPECT_EQ(test, lookup_as(0, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, set("root_squash", "1001:77"), 0);
	KUNIT_EXPECT_EQ(test, set("nosquash_nids", OTHERS), 0);
	KUNIT_EXPECT_EQ(test, lookup_as(0, 0, ~0ULL), -EACCES);
	KUNIT_EXPECT_EQ(test, set("nosquash_nids", OTHERS " " OWN), 0);
	KUNIT_EXPECT_TRUE(test, is("nosquash_nids", OTHERS " " OWN));
	KUNIT_EXPECT_EQ(test, lookup_as(0, 0, ~0ULL), 0);
	KUNIT_EXPECT_EQ(test, set("nosquash_nids", "NONE"), 0);
	KUNIT_EXPECT_TRUE(test, is("nosquash_nids", "NONE"));
	KUNIT_EXPECT_EQ(test, lookup_as(0, 0, ~0ULL), -EACCES);
	KUNIT_EXPECT_EQ(test, set("root_squash", "0:0"), 0);
	KUNIT_EXPECT_EQ(test, lookup_as(0, 0, ~0ULL), 0);
}

static void a_node_has_the_access_that_is_permitted_to_it(struct kunit *test)
{
	const struct md_op_data getattr = mf_op(MDS_GETATTR, &mf.root);

	KUNIT_EXPECT_TRUE(test, is("access", "NONE"));
	KUNIT_EXPECT_EQ(test, set("access", "127.0.0.1@tcp=none,0@lo=none"), 0);
	KUNIT_EXPECT_EQ(test, mf_try(&getattr), -EACCES);
	KUNIT_EXPECT_EQ(test, set("access", "*@tcp=ro 0@lo=ro *@tcp=none"), 0);
	KUNIT_EXPECT_EQ(test, mf_try(&getattr), 0);
	KUNIT_EXPECT_EQ(test, set("access", "10.0.0.[2-9]@tcp=none"), 0);
	KUNIT_EXPECT_EQ(test, mf_try(&getattr), 0);
	KUNIT_EXPECT_EQ(test, set("access", "NONE"), 0);
	KUNIT_EXPECT_EQ(test, mf_try(&getattr), 0);
}

static void malformed_lists_are_refused_and_change_nothing(struct kunit *test)
{
	static const char *const bad_nids[] = {
		"10.0.0", "10.0.0.[5-1]@tcp", "*@o2ib", "*@tcp=rw",
	};
	static const char *const bad_access[] = {
		"*@tcp", "*@tcp=", "*@tcp=r", "=rw", "*@tcp=rwx",
	};
	static const char *const bad_squash[] = { "", "5", "5:", "a:b", "5:6:7", "4294967295:1" };
	size_t n;

	KUNIT_EXPECT_EQ(test, set("nosquash_nids", OTHERS), 0);
	for (n = 0; n < ARRAY_SIZE(bad_nids); n++)
		KUNIT_EXPECT_LT_MSG(test, set("nosquash_nids", bad_nids[n]), 0, "%s", bad_nids[n]);
	KUNIT_EXPECT_TRUE(test, is("nosquash_nids", OTHERS));
	for (n = 0; n < ARRAY_SIZE(bad_access); n++)
		KUNIT_EXPECT_LT_MSG(test, set("access", bad_access[n]), 0, "%s", bad_access[n]);
	KUNIT_EXPECT_TRUE(test, is("access", "NONE"));
	for (n = 0; n < ARRAY_SIZE(bad_squash); n++)
		KUNIT_EXPECT_LT_MSG(test, set("root_squash", bad_squash[n]), 0, "%s",
				    bad_squash[n]);
	KUNIT_EXPECT_TRUE(test, is("root_squash", "0:0"));
}

static struct kunit_case ident_cases[] = {
	KUNIT_CASE(root_is_a_user_where_it_is_squashed),
	KUNIT_CASE(a_node_has_the_access_that_is_permitted_to_it),
	KUNIT_CASE(malformed_lists_are_refused_and_change_nothing),
	{}
};

static struct kunit_suite ident_suite = {
	.name		= "mdt_ident",
	.suite_init	= mf_suite_init,
	.init		= mf_init,
	.exit		= mf_exit,
	.test_cases	= ident_cases,
};

kunit_test_suite(ident_suite);

MODULE_DESCRIPTION("KUnit: nodes that a metadata target does not permit all");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
