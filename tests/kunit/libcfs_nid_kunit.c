// SPDX-License-Identifier: GPL-2.0
/*
 * NID text: what is taken, how it prints, and what is refused.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/string.h>

#include <lustre_lite/nid.h>

static const struct nid_text_case {
	const char *text;
	const char *prints;
} good[] = {
	{ "10.0.0.1@tcp",		"10.0.0.1@tcp" },
	{ "10.0.0.1@tcp0",		"10.0.0.1@tcp" },
	{ "10.0.0.1",			"10.0.0.1@tcp" },
	{ "192.168.255.0@tcp3",		"192.168.255.0@tcp3" },
	{ "1.2.3.4@tcp65535",		"1.2.3.4@tcp65535" },
	{ "0@lo",			"0@lo" },
	{ "2001:db8::1@tcp",		"2001:db8::1@tcp" },
	{ "2001:DB8:0:0:0:0:0:1@tcp2",	"2001:db8::1@tcp2" },
	{ "[fe80::1]@tcp",		"fe80::1@tcp" },
	{ "::@tcp",			"::@tcp" },
	{ "::ffff:1.2.3.4@tcp",		"::ffff:1.2.3.4@tcp" },
	{ "1:0:2:0:0:3:0:0",		"1:0:2::3:0:0@tcp" },
};

static void good_text_prints_canonically(struct kunit *test)
{
	char buf[LL_NID_TEXT_MAX];
	struct ll_nid nid, again;
	size_t n;
	int len;

	for (n = 0; n < ARRAY_SIZE(good); n++) {
		KUNIT_EXPECT_EQ_MSG(test, libcfs_nid_parse(good[n].text,
							   strlen(good[n].text),
							   &nid, NULL), 0,
				    "%s", good[n].text);
		len = libcfs_nid_print(&nid, buf, sizeof(buf));
		KUNIT_EXPECT_EQ(test, len, (int)strlen(good[n].prints));
		KUNIT_EXPECT_STREQ(test, buf, good[n].prints);
		KUNIT_EXPECT_EQ(test, libcfs_nid_parse(buf, strlen(buf), &again,
						       NULL), 0);
		KUNIT_EXPECT_TRUE(test, libcfs_nid_same(&nid, &again));
	}
}

static const struct nid_bad_case {
	const char *text;
	int rc;
} bad[] = {
	{ "",			-EINVAL },
	{ "@tcp",		-EINVAL },
	{ "10.0.0.1@",		-EINVAL },
	{ "10.0.0@tcp",		-EINVAL },
	{ "10.0.0.256@tcp",	-EINVAL },
	{ "10.0.0.01@tcp",	-EINVAL },
	{ "10.0.0.1 @tcp",	-EINVAL },
	{ "10.0.0.1@tcp65536",	-EINVAL },
	{ "10.0.0.1@tcp03",	-EINVAL },
	{ "10.0.0.1@tcp@tcp",	-EINVAL },
	{ "[10.0.0.1]@tcp",	-EINVAL },
	{ "[::1@tcp",		-EINVAL },
	{ "1:2:3:4:5:6:7@tcp",	-EINVAL },
	{ "1::2::3@tcp",	-EINVAL },
	{ "12345::@tcp",	-EINVAL },
	{ "1@lo",		-EINVAL },
	{ "0@lo1",		-EINVAL },
	{ "node1@tcp",		-EINVAL },
	{ "10.0.0.1@o2ib",	-EPROTONOSUPPORT },
	{ "10.0.0.1@o2ib3",	-EPROTONOSUPPORT },
};

static void bad_text_is_refused_with_words(struct kunit *test)
{
	struct ll_nid nid;
	const char *why;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(bad); n++) {
		why = NULL;
		KUNIT_EXPECT_EQ_MSG(test, libcfs_nid_parse(bad[n].text,
							   strlen(bad[n].text),
							   &nid, &why),
				    bad[n].rc, "'%s'", bad[n].text);
		KUNIT_EXPECT_NOT_ERR_OR_NULL(test, why);
	}
}

static void print_needs_room(struct kunit *test)
{
	char buf[LL_NID_TEXT_MAX];
	struct ll_nid nid;

	KUNIT_ASSERT_EQ(test, libcfs_nid_parse("10.0.0.1@tcp", 12, &nid, NULL),
			0);
	KUNIT_EXPECT_EQ(test, libcfs_nid_print(&nid, buf, 12), -EOVERFLOW);
	KUNIT_EXPECT_EQ(test, libcfs_nid_print(&nid, buf, 13), 12);
	nid.nid_len = 5;
	KUNIT_EXPECT_EQ(test, libcfs_nid_print(&nid, buf, sizeof(buf)),
			-EINVAL);
}

static struct kunit_case nid_cases[] = {
	KUNIT_CASE(good_text_prints_canonically),
	KUNIT_CASE(bad_text_is_refused_with_words),
	KUNIT_CASE(print_needs_room),
	{}
};

static struct kunit_suite nid_suite = {
	.name = "libcfs_nid",
	.test_cases = nid_cases,
};
kunit_test_suite(nid_suite);

MODULE_DESCRIPTION("NID text");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
