// SPDX-License-Identifier: GPL-2.0-only
/*
 * The echo server without a network: what it counts, its journal, and a client
 * that goes by a client device.
 *
 * Every: 2
 */
#include <linux/file.h>
#include <linux/fs.h>

#include <uapi/lustre_lite/echo_journal.h>

#include "obd_types.h"

#define EC	"echo_client/ec/"
#define ES_DIR	"obdecho/es/"
#define FOLDER	"/tmp"
#define JOURNAL	FOLDER "/es.journal"

static int count(struct obd_export *exp, u64 number)
{
	__le64 value = cpu_to_le64(number);

	return obd_set_info_async(exp, "count", &value, sizeof(value));
}

static void what_is_counted_adds_up(struct kunit *test)
{
	struct obd_device *server = ty_start(test, "obdecho", "es", "es_UUID",
					     NULL, NULL);
	struct obd_export *a = ty_connect(test, server, "a_UUID");
	struct obd_export *b = ty_connect(test, server, "b_UUID");

	KUNIT_EXPECT_EQ(test, 0, count(a, 5));
	KUNIT_EXPECT_EQ(test, 0, count(b, 7));
	KUNIT_EXPECT_EQ(test, 0, count(a, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, obd_set_info_async(a, "count", "1", 1));
	TY_EXPECT_NUMBER(test, ES_DIR "executed", 3);
	TY_EXPECT_NUMBER(test, ES_DIR "sum", 12);
	TY_EXPECT_NUMBER(test, ES_DIR "twice", 0);
	KUNIT_EXPECT_EQ(test, -ENOENT,
			(int)client_read(fx.client, ES_DIR "commit_interval"));
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(a));
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(b));
	kt_end(test, server);
}

/* An evicted client does not count. */
static void who_is_not_connected_does_not_count(struct kunit *test)
{
	struct obd_device *server = ty_start(test, "obdecho", "es", "es_UUID",
					     NULL, NULL);
	struct obd_export *exp = ty_connect(test, server, "a_UUID");

	KUNIT_EXPECT_EQ(test, 1U,
			obd_export_evict_by_uuid(server, "a_UUID", NULL));
	KUNIT_EXPECT_EQ(test, -ENOTCONN, count(exp, 1));
	class_export_put(exp);
	TY_EXPECT_NUMBER(test, ES_DIR "executed", 0);
	kt_end(test, server);
}

/* By way of osc or mdc; either end, and the device in between, may go first. */
static void a_client_goes_by_a_client_device(struct kunit *test)
{
	static const char * const ways[] = { "osc", "mdc" };
	struct obd_device *server, *way, *client;
	unsigned long began = jiffies;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(ways); n++) {
		server = ty_start(test, "obdecho", "es", "es_UUID", NULL, NULL);
		way = ty_start(test, ways[n], "way", TY_GROUP, "es_UUID",
			       "0@lo");
		client = ty_start(test, "echo_client", "ec", "ec_UUID", "way",
				  NULL);
		TY_EXPECT_TEXT(test, EC "target", "way");
		TY_EXPECT_NUMBER(test, EC "connected", 1);
		KUNIT_EXPECT_EQ(test, 0L,
				client_write(fx.client, EC "echo", "hello"));
		kt_end(test, way);
		TY_EXPECT_NUMBER(test, EC "connected", 0);
		KUNIT_EXPECT_EQ(test, -ENOTCONN,
				(int)client_write(fx.client, EC "echo", "x"));
		kt_end(test, client);
		kt_end(test, server);
	}
	KUNIT_EXPECT_TRUE(test, time_before(jiffies, began + 60 * HZ));
}

/* A client device that others use too stays connected when the client goes. */
static void a_client_shares_its_client_device(struct kunit *test)
{
	struct obd_device *server, *osc, *client;
	struct obd_export *exp;

	server = ty_start(test, "obdecho", "es", "es_UUID", NULL, NULL);
	osc = ty_start(test, "osc", "osc", TY_GROUP, "es_UUID", "0@lo");
	exp = ty_connect(test, osc, "user_UUID");
	client = ty_start(test, "echo_client", "ec", "ec_UUID", "osc", NULL);
	KUNIT_EXPECT_EQ(test, 2U, server->obd_num_exports);
	kt_end(test, client);
	KUNIT_EXPECT_EQ(test, 2U, server->obd_num_exports);
	KUNIT_EXPECT_EQ(test, 0, obd_set_info_async(exp, "echo", "abc", 3));
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(exp));
	KUNIT_EXPECT_EQ(test, 1U, server->obd_num_exports);
	kt_end(test, osc);
	kt_end(test, server);
}

/* The journal's file as it is to be: @bytes at @pos, or empty without any. */
static void journal_make(struct kunit *test, const void *bytes, size_t len,
			 loff_t pos)
{
	struct file *file = filp_open(JOURNAL,
				      O_RDWR | O_CREAT | (bytes ? 0 : O_TRUNC),
				      0600);

	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	if (bytes)
		KUNIT_EXPECT_EQ(test, (ssize_t)len,
				kernel_write(file, bytes, len, &pos));
	fput(file);
}

/* A server with a journal, and a client of it. */
static struct obd_device *journal_start(struct kunit *test,
					struct obd_export **exp)
{
	struct obd_device *server = ty_start(test, "obdecho", "es", "es_UUID",
					     "0", FOLDER);

	*exp = ty_connect(test, server, "a_UUID");
	return server;
}

static void journal_end(struct kunit *test, struct obd_device *server,
			struct obd_export *exp, bool failover)
{
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(exp));
	KUNIT_EXPECT_EQ(test, 0, class_cleanup(server, false, failover, NULL));
	kt_end(test, server);
}

static u64 es_number(struct kunit *test, const char *path)
{
	KUNIT_EXPECT_EQ(test, 0L, client_read(fx.client, path));
	return client_number(fx.client);
}

static void a_journal_outlives_its_server(struct kunit *test)
{
	struct obd_device *server;
	struct obd_export *exp;
	unsigned int life;
	u64 last = 0;

	journal_make(test, NULL, 0, 0);
	for (life = 0; life < 5; life++) {
		server = journal_start(test, &exp);
		TY_EXPECT_NUMBER(test, ES_DIR "executed", life);
		TY_EXPECT_NUMBER(test, ES_DIR "committed", last);
		KUNIT_EXPECT_EQ(test, 0, count(exp, 10));
		TY_EXPECT_NUMBER(test, ES_DIR "uncommitted", 0);
		/* The start is the high half of the number. */
		KUNIT_EXPECT_GT(test, es_number(test, ES_DIR "committed") >> 32, last >> 32);
		last = es_number(test, ES_DIR "committed");
		TY_EXPECT_NUMBER(test, ES_DIR "transno", last);
		TY_EXPECT_NUMBER(test, ES_DIR "sum", (life + 1) * 10);
		journal_end(test, server, exp, life & 1);
	}
}

/* Uncommitted writes go with a machine that fails, and with no other. */
static void what_is_not_committed_may_be_lost(struct kunit *test)
{
	struct obd_device *server;
	struct obd_export *exp;

	journal_make(test, NULL, 0, 0);
	server = journal_start(test, &exp);
	KUNIT_EXPECT_EQ(test, 0, count(exp, 1));
	KUNIT_EXPECT_EQ(test, 0L,
			client_write(fx.client, ES_DIR "commit_interval", "60000"));
	KUNIT_EXPECT_EQ(test, 0, count(exp, 1));
	TY_EXPECT_NUMBER(test, ES_DIR "uncommitted", 1);
	KUNIT_EXPECT_EQ(test, es_number(test, ES_DIR "transno"),
			es_number(test, ES_DIR "committed") + 1);
	journal_end(test, server, exp, true);

	server = journal_start(test, &exp);
	TY_EXPECT_NUMBER(test, ES_DIR "executed", 1);
	KUNIT_EXPECT_EQ(test, 0L,
			client_write(fx.client, ES_DIR "commit_interval", "60000"));
	KUNIT_EXPECT_EQ(test, 0, count(exp, 1));
	journal_end(test, server, exp, false);

	server = journal_start(test, &exp);
	TY_EXPECT_NUMBER(test, ES_DIR "executed", 2);
	journal_end(test, server, exp, false);
}

/* A setting that waits less takes effect at once, and time does the rest. */
static void a_commit_comes_after_its_interval(struct kunit *test)
{
	struct obd_device *server;
	struct obd_export *exp;
	unsigned int n;

	journal_make(test, NULL, 0, 0);
	server = journal_start(test, &exp);
	KUNIT_EXPECT_EQ(test, 0L,
			client_write(fx.client, ES_DIR "commit_interval", "20"));
	KUNIT_EXPECT_EQ(test, 0, count(exp, 1));
	for (n = 0; n < 200; n++) {
		KUNIT_EXPECT_EQ(test, 0L,
				client_read(fx.client, ES_DIR "uncommitted"));
		if (!client_number(fx.client))
			break;
		msleep(20);
	}
	KUNIT_EXPECT_LT(test, n, 200U);
	journal_end(test, server, exp, false);
}

static int start_damaged(struct kunit *test, struct obd_why *why)
{
	struct obd_device *obd = ty_attach(test, "obdecho", "es", "es_UUID");
	int rc;

	why->text[0] = '\0';
	rc = ty_setup(obd, "0", FOLDER, why);
	kt_end(test, obd);
	return rc;
}

/* The record before the last one is there when the last one is damaged. */
static void a_damaged_journal_is_refused(struct kunit *test)
{
	struct obd_device *server;
	struct obd_export *exp;
	struct obd_why why;

	journal_make(test, NULL, 0, 0);
	server = journal_start(test, &exp);
	KUNIT_EXPECT_EQ(test, 0, count(exp, 1));
	KUNIT_EXPECT_EQ(test, 0, count(exp, 1));
	journal_end(test, server, exp, true);
	/* Records 1, 2 and 3: the last one is the second of the file. */
	journal_make(test, "damage", 6, LL_ECHO_JRN_SLOT + 20);
	server = journal_start(test, &exp);
	TY_EXPECT_NUMBER(test, ES_DIR "executed", 1);
	journal_end(test, server, exp, true);
	journal_make(test, "damage", 6, 20);
	KUNIT_EXPECT_EQ(test, -EUCLEAN, start_damaged(test, &why));
	KUNIT_EXPECT_TRUE_MSG(test, !!strstr(why.text, "damaged"), "%s",
			      why.text);
	journal_make(test, NULL, 0, 0);
	journal_make(test, "x", 1, 0);
	KUNIT_EXPECT_EQ(test, -EUCLEAN, start_damaged(test, &why));
	KUNIT_EXPECT_TRUE_MSG(test, !!strstr(why.text, "too short"), "%s",
			      why.text);
}

static struct kunit_case echo_cases[] = {
	KUNIT_CASE(what_is_counted_adds_up),
	KUNIT_CASE(who_is_not_connected_does_not_count),
	KUNIT_CASE(a_client_goes_by_a_client_device),
	KUNIT_CASE(a_client_shares_its_client_device),
	KUNIT_CASE(a_journal_outlives_its_server),
	KUNIT_CASE(what_is_not_committed_may_be_lost),
	KUNIT_CASE(a_commit_comes_after_its_interval),
	KUNIT_CASE(a_damaged_journal_is_refused),
	{}
};

static struct kunit_suite echo_suite = {
	.name = "obd_echo",
	.suite_init = ty_suite_init,
	.init = obd_fixture_init,
	.exit = obd_fixture_exit,
	.test_cases = echo_cases,
};
kunit_test_suite(echo_suite);

MODULE_DESCRIPTION("the echo server's counts and journal");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
