// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the names of servers to their NIDs.
 *
 * Every: 2
 */
#include "obd_fixture.h"

static struct lnet_nid nid_of(struct kunit *test, unsigned int n)
{
	struct lnet_nid nid;
	char text[LNET_NID_TEXT_MAX];

	snprintf(text, sizeof(text), "10.%u.%u.%u@tcp", n >> 16 & 0xff,
		 n >> 8 & 0xff, n & 0xff);
	KUNIT_ASSERT_EQ(test, libcfs_nid_parse(text, strlen(text), &nid, NULL), 0);
	return nid;
}

static int add(struct kunit *test, const char *uuid, unsigned int n)
{
	struct lnet_nid nid = nid_of(test, n);

	return class_add_uuid(0, uuid, &nid);
}

static void a_server_leads_to_its_nids_in_order(struct kunit *test)
{
	struct lnet_nid nids[OBD_UUID_NIDS_MAX], want;
	unsigned int n;

	KUNIT_EXPECT_EQ(test, add(test, "a", 3), 0);
	KUNIT_EXPECT_EQ(test, add(test, "a", 1), 0);
	KUNIT_EXPECT_EQ(test, add(test, "b", 2), 0);
	KUNIT_ASSERT_EQ(test, class_uuid2nids(0, "a", nids, OBD_UUID_NIDS_MAX), 2);
	for (n = 0; n < 2; n++) {
		want = nid_of(test, n ? 1 : 3);
		KUNIT_EXPECT_TRUE(test, libcfs_nid_same(&nids[n], &want));
	}
	KUNIT_ASSERT_EQ(test, class_uuid2nids(0, "b", nids, OBD_UUID_NIDS_MAX), 1);
	KUNIT_EXPECT_EQ(test, class_uuid2nids(0, "c", nids, OBD_UUID_NIDS_MAX),
			-ENOENT);
}

static void what_does_not_fit_is_left_out(struct kunit *test)
{
	struct lnet_nid nids[2] = {}, none = {};

	KUNIT_EXPECT_EQ(test, add(test, "a", 1), 0);
	KUNIT_EXPECT_EQ(test, add(test, "a", 2), 0);
	KUNIT_EXPECT_EQ(test, class_uuid2nids(0, "a", nids, 1), 1);
	KUNIT_EXPECT_TRUE(test, libcfs_nid_same(&nids[1], &none));
}

static void adding_twice_is_harmless(struct kunit *test)
{
	struct lnet_nid nids[OBD_UUID_NIDS_MAX];

	KUNIT_EXPECT_EQ(test, add(test, "a", 1), 0);
	KUNIT_EXPECT_EQ(test, add(test, "a", 1), 0);
	KUNIT_EXPECT_EQ(test, class_uuid2nids(0, "a", nids, OBD_UUID_NIDS_MAX), 1);
}

static void a_server_has_at_most_32_nids(struct kunit *test)
{
	struct lnet_nid nids[OBD_UUID_NIDS_MAX];
	unsigned int n;

	for (n = 0; n < 32; n++)
		KUNIT_EXPECT_EQ(test, add(test, "a", n), 0);
	KUNIT_EXPECT_EQ(test, add(test, "a", 32), -EOVERFLOW);
	/* A NID that it has already is not added again. */
	KUNIT_EXPECT_EQ(test, add(test, "a", 31), 0);
	KUNIT_EXPECT_EQ(test, class_uuid2nids(0, "a", nids, OBD_UUID_NIDS_MAX), 32);
	KUNIT_EXPECT_EQ(test, add(test, "b", 32), 0);
}

static void a_nid_is_known_of_its_server_only(struct kunit *test)
{
	struct lnet_nid one = nid_of(test, 1), found;

	KUNIT_EXPECT_EQ(test, add(test, "a", 1), 0);
	KUNIT_EXPECT_EQ(test, class_uuid2nids(0, "a", &found, 1), 1);
	KUNIT_EXPECT_EQ(test, memcmp(&found, &one, sizeof(one)), 0);
	KUNIT_EXPECT_EQ(test, class_uuid2nids(0, "b", &found, 1), -ENOENT);
	KUNIT_EXPECT_EQ(test, class_uuid2nids(0, "", &found, 1), -ENOENT);
}

static void one_or_all_are_forgotten(struct kunit *test)
{
	struct lnet_nid nid;
	unsigned int n;
	char name[8];

	KUNIT_EXPECT_EQ(test, class_del_uuid("a"), -ENOENT);
	for (n = 0; n < 100; n++) {
		snprintf(name, sizeof(name), "s%u", n);
		KUNIT_EXPECT_EQ(test, add(test, name, n), 0);
	}
	KUNIT_EXPECT_EQ(test, class_del_uuid("s7"), 0);
	KUNIT_EXPECT_EQ(test, class_uuid2nids(0, "s7", &nid, 1), -ENOENT);
	KUNIT_EXPECT_EQ(test, class_uuid2nids(0, "s8", &nid, 1), 1);
	KUNIT_EXPECT_EQ(test, class_del_uuid(""), 0);
	for (n = 0; n < 100; n++) {
		snprintf(name, sizeof(name), "s%u", n);
		KUNIT_EXPECT_EQ(test, class_uuid2nids(0, name, &nid, 1), -ENOENT);
	}
	KUNIT_EXPECT_EQ(test, class_del_uuid(NULL), 0);
}

/* Whether a device of an instance finds server "a" at those NIDs; 0 ends them. */
static bool found_at(struct kunit *test, u64 instance, unsigned int first,
		     unsigned int second)
{
	const unsigned int want[] = { first, second, 0 };
	struct lnet_nid nids[OBD_UUID_NIDS_MAX], nid;
	int count, n;

	count = class_uuid2nids(instance, "a", nids, OBD_UUID_NIDS_MAX);
	for (n = 0; n < count; n++) {
		nid = nid_of(test, want[min(n, 2)]);
		if (!libcfs_nid_same(&nids[n], &nid))
			return false;
	}
	return !want[clamp(count, 0, 2)];
}

static void a_log_adds_servers_for_its_devices(struct kunit *test)
{
	struct lnet_nid one = nid_of(test, 1), two = nid_of(test, 2);

	KUNIT_EXPECT_EQ(test, class_add_uuid(7, "a", &one), 0);
	KUNIT_EXPECT_EQ(test, class_add_uuid(8, "a", &two), 0);
	KUNIT_EXPECT_TRUE(test, found_at(test, 7, 1, 0));
	KUNIT_EXPECT_TRUE(test, found_at(test, 8, 2, 0));
	KUNIT_EXPECT_TRUE(test, found_at(test, 0, 0, 0));
	/* Those of an administrator are for all devices. */
	KUNIT_EXPECT_EQ(test, add(test, "a", 1), 0);
	KUNIT_EXPECT_TRUE(test, found_at(test, 7, 1, 0));
	KUNIT_EXPECT_TRUE(test, found_at(test, 8, 2, 1));
	KUNIT_EXPECT_TRUE(test, found_at(test, 9, 1, 0));
	class_del_uuids(8);
	KUNIT_EXPECT_TRUE(test, found_at(test, 8, 1, 0));
	KUNIT_EXPECT_EQ(test, class_del_uuid("a"), 0);
	KUNIT_EXPECT_TRUE(test, found_at(test, 7, 0, 0));
}

static void names_have_a_length(struct kunit *test)
{
	char longest[UUID_MAX + 1];

	memset(longest, 'x', UUID_MAX);
	longest[UUID_MAX] = '\0';
	KUNIT_EXPECT_EQ(test, add(test, "", 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, add(test, NULL, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, add(test, longest, 1), -ENAMETOOLONG);
	KUNIT_EXPECT_EQ(test, class_del_uuid(longest), -ENAMETOOLONG);
	longest[UUID_MAX - 1] = '\0';
	KUNIT_EXPECT_EQ(test, add(test, longest, 1), 0);
	KUNIT_EXPECT_EQ(test, class_del_uuid(longest), 0);
}

static int uuid_init(struct kunit *test)
{
	return fixture_init(test);
}

static void uuid_exit(struct kunit *test)
{
	class_del_uuid(NULL);
	fixture_exit(test);
}

static struct kunit_case uuid_cases[] = {
	KUNIT_CASE(a_server_leads_to_its_nids_in_order),
	KUNIT_CASE(what_does_not_fit_is_left_out),
	KUNIT_CASE(adding_twice_is_harmless),
	KUNIT_CASE(a_server_has_at_most_32_nids),
	KUNIT_CASE(a_nid_is_known_of_its_server_only),
	KUNIT_CASE(one_or_all_are_forgotten),
	KUNIT_CASE(a_log_adds_servers_for_its_devices),
	KUNIT_CASE(names_have_a_length),
	{}
};

static struct kunit_suite uuid_suite = {
	.name = "obd_uuid",
	.suite_init = client_suite_init,
	.init = uuid_init,
	.exit = uuid_exit,
	.test_cases = uuid_cases,
};
kunit_test_suite(uuid_suite);

MODULE_DESCRIPTION("names of servers");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
