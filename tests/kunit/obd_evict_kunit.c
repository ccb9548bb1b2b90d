// SPDX-License-Identifier: GPL-2.0-only
/*
 * Eviction: the clients that are evicted, those that are not, and the message if there was none.
 *
 * Every: 2
 */
#include "obd_client.h"

#define EVICT	KE_NAME "/ev/evict_client"

static void all_at_a_nid_and_nobody_else(struct kunit *test)
{
	struct obd_device *obd = ke_start(test, "ev");
	struct obd_device *other = ke_start(test, "ew");
	struct obd_export *a = ke_connect(test, obd, "a", "10.0.0.1@tcp");
	struct obd_export *b = ke_connect(test, obd, "b", "10.0.0.1@tcp");
	struct obd_export *c = ke_connect(test, obd, "c", "10.0.0.1@tcp1");
	struct obd_export *d = ke_connect(test, other, "a", "10.0.0.1@tcp");
	struct obd_why why = { "" };

	KUNIT_EXPECT_EQ(test, obd_export_evict_by_nid(obd, "10.0.0.1", &why),
			2U);
	KUNIT_EXPECT_STREQ(test, why.text, "");
	KUNIT_EXPECT_TRUE(test, test_bit(EXPF_FAILED, &a->exp_flags));
	KUNIT_EXPECT_FALSE(test, class_connected_export(a));
	KUNIT_EXPECT_FALSE(test, class_connected_export(b));
	KUNIT_EXPECT_TRUE(test, class_connected_export(c));
	KUNIT_EXPECT_TRUE(test, class_connected_export(d));
	KUNIT_EXPECT_EQ(test, atomic_read(&ke.disconnects), 2);
	KUNIT_EXPECT_TRUE(test, ke.flags & BIT(EXPF_FAILED));
	class_export_put(a);
	class_export_put(b);
	class_disconnect(c);
	class_disconnect(d);
	kt_end(test, other);
	kt_end(test, obd);
}

static void a_client_by_its_uuid(struct kunit *test)
{
	struct obd_device *obd = ke_start(test, "ev");
	struct obd_export *a = ke_connect(test, obd, "a", NULL);
	struct obd_export *b = ke_connect(test, obd, "b", NULL);
	struct obd_why why = { "" };

	KUNIT_EXPECT_EQ(test, obd_export_evict_by_uuid(obd, "a", &why), 1U);
	KUNIT_EXPECT_FALSE(test, class_connected_export(a));
	KUNIT_EXPECT_TRUE(test, class_connected_export(b));
	KUNIT_EXPECT_EQ(test, obd_export_evict_by_uuid(obd, "a", &why), 0U);
	KUNIT_EXPECT_EQ(test, ke_clients(obd), 1U);
	class_export_put(a);
	class_disconnect(b);
	kt_end(test, obd);
}

static void its_own_export_is_never_evicted(struct kunit *test)
{
	struct obd_device *obd = ke_start(test, "ev");
	struct obd_why why = { "" };

	KUNIT_EXPECT_EQ(test, obd_export_evict_by_uuid(obd, "ke_UUID", &why),
			0U);
	KUNIT_EXPECT_EQ(test, obd_export_evict_by_nid(obd, "0@lo", &why), 0U);
	KUNIT_EXPECT_TRUE(test, class_connected_export(obd->obd_self_export));
	kt_end(test, obd);
}

static void what_is_said_when_nobody_was(struct kunit *test)
{
	static const struct {
		const char	*who;
		bool		nid;
		const char	*says;
	} rows[] = {
		{ "nonsense", true, "'nonsense' is not a NID" },
		{ "", true, "is not a NID" },
		{ "10.0.0.1@o2ib", true, "only the networks tcp and lo" },
		{ "10.0.0.1@tcp", true, "no client is connected from NID 10.0.0.1@tcp" },
		{ "nobody", false, "no client nobody is connected" },
		{ "", false, "is not a uuid" },
		{ "1234567890123456789012345678901234567890", false,
		  "one has 1 to 39 characters" },
	};
	struct obd_device *obd = ke_start(test, "ev");
	struct obd_why why;
	unsigned int count;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(rows); n++) {
		why.text[0] = '\0';
		if (rows[n].nid)
			count = obd_export_evict_by_nid(obd, rows[n].who, &why);
		else
			count = obd_export_evict_by_uuid(obd, rows[n].who,
							 &why);
		KUNIT_EXPECT_EQ(test, count, 0U);
		KUNIT_EXPECT_TRUE_MSG(test, strstr(why.text, rows[n].says) &&
				      !strncmp(why.text, "ev: ", 4),
				      "'%s' says: %s", rows[n].who, why.text);
	}
	kt_end(test, obd);
}

static void by_parameter(struct kunit *test)
{
	static const struct {
		const char	*text;
		int		rc;
		unsigned int	left;
	} rows[] = {
		{ "nobody", -ENOENT, 4 },
		{ "nid:9.9.9.9@tcp", -ENOENT, 4 },
		{ "nid:nonsense", -EINVAL, 4 },
		{ "nid:1.1.1.1@o2ib", -EPROTONOSUPPORT, 4 },
		{ "uuid:", -EINVAL, 4 },
		{ "a", 0, 3 },
		{ "a", -ENOENT, 3 },
		{ "uuid:b", 0, 2 },
		{ "nid:10.0.0.1@tcp", 0, 0 },
		{ "nid:10.0.0.1@tcp", -ENOENT, 0 },
	};
	struct obd_device *obd = ke_start(test, "ev");
	size_t n;

	class_export_put(ke_connect(test, obd, "a", "0@lo"));
	class_export_put(ke_connect(test, obd, "b", "10.0.0.1@tcp"));
	class_export_put(ke_connect(test, obd, "c", "10.0.0.1@tcp"));
	class_export_put(ke_connect(test, obd, "d", "10.0.0.1@tcp"));
	for (n = 0; n < ARRAY_SIZE(rows); n++) {
		KUNIT_EXPECT_EQ_MSG(test, client_write(fx.client, EVICT,
						       rows[n].text),
				    rows[n].rc, "row %zu: %s", n, rows[n].text);
		KUNIT_EXPECT_EQ(test, ke_clients(obd), rows[n].left);
	}
	/* The directories are removed within the callback of a parameter beside them. */
	KUNIT_EXPECT_EQ(test, lookup_rc(KE_NAME "/ev/exports/0@lo"), -ENOENT);
	KUNIT_EXPECT_EQ(test, lookup_rc(KE_NAME "/ev/exports/10.0.0.1@tcp"),
			-ENOENT);
	kt_end(test, obd);
}

static void who_was_evicted_may_come_again(struct kunit *test)
{
	struct obd_device *obd = ke_start(test, "ev");
	struct obd_export *before = ke_connect(test, obd, "a", NULL);
	struct obd_export *after;

	KUNIT_EXPECT_EQ(test, client_write(fx.client, EVICT, "a"), 0);
	after = ke_connect(test, obd, "a", NULL);
	KUNIT_EXPECT_PTR_NE(test, before, after);
	KUNIT_EXPECT_NE(test, before->exp_handle.h_cookie,
			after->exp_handle.h_cookie);
	KUNIT_EXPECT_NULL(test,
			  class_conn2export(before->exp_handle.h_cookie));
	class_export_put(before);
	class_disconnect(after);
	kt_end(test, obd);
}

#define CROWD		100
#define EVICTORS	4

static long aside_evict_all(void *data)
{
	struct obd_why why;

	return obd_export_evict_by_nid(data, "0@lo", &why);
}

static void each_is_evicted_by_one(struct kunit *test)
{
	struct obd_device *obd = ke_start(test, "ev");
	struct aside evict[EVICTORS];
	long evicted = 0;
	char client[16];
	int n;

	for (n = 0; n < CROWD; n++) {
		scnprintf(client, sizeof(client), "client-%d", n);
		class_export_put(ke_connect(test, obd, client, NULL));
	}
	for (n = 0; n < EVICTORS; n++)
		aside_start(test, &evict[n], aside_evict_all, obd);
	for (n = 0; n < EVICTORS; n++)
		evicted += aside_join(test, &evict[n]);
	obd_zombie_barrier();
	KUNIT_EXPECT_EQ(test, evicted, (long)CROWD);
	KUNIT_EXPECT_EQ(test, atomic_read(&ke.disconnects), CROWD);
	KUNIT_EXPECT_EQ(test, atomic_read(&ke.destroyed), CROWD);
	KUNIT_EXPECT_EQ(test, ke_clients(obd), 0U);
	kt_end(test, obd);
}

static struct kunit_case evict_cases[] = {
	KUNIT_CASE(all_at_a_nid_and_nobody_else),
	KUNIT_CASE(a_client_by_its_uuid),
	KUNIT_CASE(its_own_export_is_never_evicted),
	KUNIT_CASE(what_is_said_when_nobody_was),
	KUNIT_CASE(by_parameter),
	KUNIT_CASE(who_was_evicted_may_come_again),
	KUNIT_CASE(each_is_evicted_by_one),
	{}
};

static struct kunit_suite evict_suite = {
	.name = "obd_evict",
	.suite_init = client_suite_init,
	.init = ke_init,
	.exit = ke_exit,
	.test_cases = evict_cases,
};
kunit_test_suite(evict_suite);

MODULE_DESCRIPTION("eviction");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
