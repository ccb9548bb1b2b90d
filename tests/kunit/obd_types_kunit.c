// SPDX-License-Identifier: GPL-2.0-only
/*
 * The types obdecho, echo_client, osc and mdc: from attach to detach, what
 * their setups refuse, texts that come back, and either end going first.
 *
 * Every: 2
 */
#include <uapi/lustre_lite/wire.h>

#include "obd_types.h"

static void each_type_lives_and_ends(struct kunit *test)
{
	struct obd_device *server, *obd;

	server = ty_start(test, "obdecho", "es", "es_UUID", NULL, NULL);
	obd = ty_start(test, "echo_client", "ec", "ec_UUID", "es", NULL);
	kt_end(test, obd);
	obd = ty_start(test, "osc", "osc", TY_GROUP, "es_UUID", "0@lo");
	kt_end(test, obd);
	obd = ty_start(test, "mdc", "mdc", TY_GROUP, "es_UUID", "0@lo");
	kt_end(test, obd);
	obd = ty_volume(test, "lov", "lov", 0);
	kt_end(test, obd);
	obd = ty_volume(test, "lmv", "lmv", 0);
	kt_end(test, obd);
	kt_end(test, server);
}

/* Setups that are refused, and a word of the reason. */
static const struct refusal {
	const char	*type;
	const char	*first;
	const char	*second;
	int		rc;
	const char	*word;
} refusals[] = {
	{ "obdecho", "much", NULL, -EINVAL, "'much'" },
	{ "obdecho", "12", NULL, -EINVAL, "at least 4K" },
	{ "obdecho", "64Mx", NULL, -EINVAL, "'64Mx'" },
	{ "obdecho", "0", "/nowhere/at/all", -ENOENT, "'/nowhere/at/all'" },
	{ "echo_client", NULL, NULL, -EINVAL, "name or uuid" },
	{ "echo_client", "nobody", NULL, -ENODEV, "'nobody'" },
	{ "echo_client", "first", NULL, -EINVAL, "type echo_client" },
	{ "osc", NULL, NULL, -EINVAL, "target" },
	{ "osc", "es_UUID", NULL, -EINVAL, "server" },
	{ "mdc", "es_UUID", NULL, -EINVAL, "server" },
	{ "lov", NULL, NULL, -EINVAL, "88 bytes" },
	{ "lov", "text", NULL, -EINVAL, "not 5 bytes" },
	{ "lmv", NULL, NULL, -EINVAL, "88 bytes" },
};

static void setups_are_refused_in_words(struct kunit *test)
{
	struct obd_device *server, *client, *obd;
	struct obd_why why;
	size_t n;

	server = ty_start(test, "obdecho", "es", "es_UUID", NULL, NULL);
	client = ty_start(test, "echo_client", "first", "first_UUID", "es",
			  NULL);
	for (n = 0; n < ARRAY_SIZE(refusals); n++) {
		const struct refusal *row = &refusals[n];

		why.text[0] = '\0';
		obd = ty_attach(test, row->type, "refused", "refused_UUID");
		KUNIT_EXPECT_EQ_MSG(test, row->rc,
				    ty_setup(obd, row->first, row->second,
					     &why), "row %zu", n);
		KUNIT_EXPECT_TRUE_MSG(test, !!strstr(why.text, row->word),
				      "row %zu: %s", n, why.text);
		KUNIT_EXPECT_STREQ(test, "AT",
				   obd_status_letters(class_obd_status(obd)));
		kt_end(test, obd);
	}
	kt_end(test, client);
	kt_end(test, server);
}

static void a_lov_desc_of_another_magic_is_refused(struct kunit *test)
{
	struct obd_device *lov = ty_attach(test, "lov", "lov", TY_GROUP);
	struct obd_device *lmv = ty_attach(test, "lmv", "lmv", TY_GROUP);
	struct lov_desc desc = ty_desc();
	struct obd_why why = { "" };

	desc.ld_magic = cpu_to_le32(0x12345678);
	KUNIT_EXPECT_EQ(test, -EINVAL, ty_setup_desc(lov, &desc, &why));
	KUNIT_EXPECT_TRUE(test, !!strstr(why.text, "0x12345678"));
	KUNIT_EXPECT_EQ(test, -EINVAL, ty_setup_desc(lmv, &desc, NULL));
	desc.ld_magic = 0;
	KUNIT_EXPECT_EQ(test, -EINVAL, ty_setup_desc(lov, &desc, NULL));
	KUNIT_EXPECT_EQ(test, 0, ty_setup_desc(lmv, &desc, NULL));
	kt_end(test, lmv);
	kt_end(test, lov);
}

#define EC	"echo_client/ec/"
#define ES_DIR	"obdecho/es/"

static void texts_come_back(struct kunit *test)
{
	struct obd_device *server, *client;
	struct params_counter counter;

	server = ty_start(test, "obdecho", "es", "es_UUID", NULL, NULL);
	client = ty_start(test, "echo_client", "ec", "ec_UUID", "es_UUID",
			  NULL);
	TY_EXPECT_TEXT(test, EC "target", "es");
	TY_EXPECT_NUMBER(test, EC "connected", 1);
	KUNIT_EXPECT_EQ(test, 0L, client_write(fx.client, EC "echo", "hello"));
	KUNIT_EXPECT_EQ(test, 0L, client_write(fx.client, EC "echo", "again"));
	KUNIT_EXPECT_EQ(test, 0, params_stats_read(server->obd_stats,
						   OBD_OP_GET_INFO, &counter));
	KUNIT_EXPECT_EQ(test, 2ULL, counter.pc_count);
	KUNIT_EXPECT_EQ(test, 0L, client_read(fx.client, ES_DIR "clients"));
	KUNIT_EXPECT_NOT_NULL(test, client_rec(fx.client, 0));
	kt_end(test, client);
	KUNIT_EXPECT_EQ(test, 1U, server->obd_num_exports);
	kt_end(test, server);
}

/* The text is the client's own, and there is one of each. */
static void a_client_has_its_own_text(struct kunit *test)
{
	struct obd_device *server = ty_start(test, "obdecho", "es", "es_UUID",
					     NULL, NULL);
	struct obd_export *a = ty_connect(test, server, "a_UUID");
	struct obd_export *b = ty_connect(test, server, "b_UUID");
	char text[8] = "";
	u32 len = sizeof(text);

	KUNIT_EXPECT_EQ(test, -ENODATA, obd_get_info(a, "echo", text, &len));
	KUNIT_EXPECT_EQ(test, 0, obd_set_info_async(a, "echo", "one", 3));
	KUNIT_EXPECT_EQ(test, 0, obd_set_info_async(b, "echo", "three", 5));
	len = sizeof(text);
	KUNIT_EXPECT_EQ(test, 0, obd_get_info(a, "echo", text, &len));
	KUNIT_EXPECT_EQ(test, 3U, len);
	KUNIT_EXPECT_EQ(test, 0, memcmp(text, "one", 3));
	len = 2;
	KUNIT_EXPECT_EQ(test, -EOVERFLOW, obd_get_info(b, "echo", text, &len));
	KUNIT_EXPECT_EQ(test, 5U, len);
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			obd_set_info_async(a, "other", "x", 1));
	KUNIT_EXPECT_EQ(test, -E2BIG,
			obd_set_info_async(a, "echo", "x", 4097));
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(a));
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(b));
	kt_end(test, server);
}

static void a_uuid_connects_once(struct kunit *test)
{
	struct obd_device *server = ty_start(test, "obdecho", "es", "es_UUID",
					     NULL, NULL);
	struct obd_export *exp = ty_connect(test, server, "a_UUID"), *other;
	struct obd_uuid who = kt_uuid("a_UUID");

	KUNIT_EXPECT_EQ(test, -EALREADY,
			obd_connect(&other, server, &who, NULL, NULL));
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(exp));
	kt_end(test, server);
}

static void a_server_grants_what_it_knows(struct kunit *test)
{
	struct obd_device *server = ty_start(test, "obdecho", "es", "es_UUID",
					     NULL, NULL);
	struct obd_connect_data ocd = {
		.ocd_connect_flags = OBD_CONNECT_VERSION | OBD_CONNECT_GRANT |
				     OBD_CONNECT_BRW_SIZE,
		.ocd_brw_size = 2 * WIRE_BULK_MAX,
	};
	struct obd_uuid who = kt_uuid("a_UUID");
	struct obd_export *exp = NULL;

	KUNIT_ASSERT_EQ(test, 0, obd_connect(&exp, server, &who, NULL, &ocd));
	KUNIT_EXPECT_EQ(test, (u64)(OBD_CONNECT_VERSION | OBD_CONNECT_BRW_SIZE),
			ocd.ocd_connect_flags);
	KUNIT_EXPECT_EQ(test, WIRE_BULK_MAX, ocd.ocd_brw_size);
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(exp));
	kt_end(test, server);
}

static void a_server_goes_before_its_clients(struct kunit *test)
{
	struct obd_device *server, *ec, *other;
	unsigned long began = jiffies;
	struct obd_why why = { "" };

	server = ty_start(test, "obdecho", "es", "es_UUID", NULL, NULL);
	ec = ty_start(test, "echo_client", "ec", "ec_UUID", "es", NULL);
	other = ty_start(test, "echo_client", "other", "other_UUID", "es",
			 NULL);
	KUNIT_EXPECT_EQ_MSG(test, 0, class_cleanup(server, false, false, &why),
			    "%s", why.text);
	KUNIT_EXPECT_TRUE(test, time_before(jiffies, began + 60 * HZ));
	KUNIT_EXPECT_EQ(test, -ENOTCONN,
			(int)client_write(fx.client, EC "echo", "hello"));
	TY_EXPECT_NUMBER(test, EC "connected", 0);
	KUNIT_EXPECT_EQ(test, -ENOTCONN, obd_health_check(ec, &why));
	KUNIT_EXPECT_TRUE(test, !!strstr(why.text, "es"));
	KUNIT_EXPECT_EQ(test, 0, class_detach(server, NULL));
	class_decref(server, OBD_REF_LOOKUP);
	kt_end(test, other);
	kt_end(test, ec);
}

static void an_evicted_client_says_so(struct kunit *test)
{
	struct obd_device *server, *ec;

	server = ty_start(test, "obdecho", "es", "es_UUID", NULL, NULL);
	ec = ty_start(test, "echo_client", "ec", "ec_UUID", "es", NULL);
	KUNIT_EXPECT_EQ(test, 1U,
			obd_export_evict_by_uuid(server, "ec_UUID", NULL));
	KUNIT_EXPECT_EQ(test, -ENOTCONN,
			(int)client_write(fx.client, EC "echo", "hello"));
	TY_EXPECT_NUMBER(test, EC "connected", 0);
	KUNIT_EXPECT_EQ(test, 0, class_cleanup(server, false, false, NULL));
	kt_end(test, server);
	kt_end(test, ec);
}

static void room_is_what_was_configured(struct kunit *test)
{
	struct obd_device *server = ty_start(test, "obdecho", "es", "es_UUID",
					     "64M", NULL);
	struct obd_export *exp = ty_connect(test, server, "a_UUID");
	static char text[4096];
	struct obd_statfs st = { };

	KUNIT_EXPECT_EQ(test, 0, obd_statfs(exp, &st, 0));
	KUNIT_EXPECT_EQ(test, 64 * TY_MIB, st.os_blocks * st.os_bsize);
	KUNIT_EXPECT_EQ(test, st.os_blocks, st.os_bfree);
	KUNIT_EXPECT_EQ(test, 0,
			obd_set_info_async(exp, "echo", text, sizeof(text)));
	KUNIT_EXPECT_EQ(test, 0, obd_statfs(exp, &st, 0));
	KUNIT_EXPECT_EQ(test, st.os_blocks - 1, st.os_bfree);
	KUNIT_EXPECT_EQ(test, 1ULL, st.os_files);
	KUNIT_EXPECT_EQ(test, 0L, client_write(fx.client, ES_DIR "capacity", "0"));
	KUNIT_EXPECT_EQ(test, 0, obd_statfs(exp, &st, 0));
	KUNIT_EXPECT_EQ(test, (u64)totalram_pages() * PAGE_SIZE,
			st.os_blocks * st.os_bsize);
	KUNIT_EXPECT_GT(test, st.os_bfree, 0ULL);
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(exp));
	kt_end(test, server);
}

static void an_unwell_server_says_why(struct kunit *test)
{
	struct obd_device *server = ty_start(test, "obdecho", "es", "es_UUID",
					     NULL, NULL);
	struct obd_why why = { "" };

	KUNIT_EXPECT_EQ(test, 0, obd_health_check(server, &why));
	KUNIT_EXPECT_EQ(test, 0L,
			client_write(fx.client, ES_DIR "unhealthy", "a cold"));
	KUNIT_EXPECT_EQ(test, -EIO, obd_health_check(server, &why));
	KUNIT_EXPECT_STREQ(test, why.text, "a cold");
	TY_EXPECT_TEXT(test, "health_check",
		       "NOT HEALTHY device: es: a cold");
	KUNIT_EXPECT_EQ(test, 0L, client_write(fx.client, ES_DIR "unhealthy", ""));
	KUNIT_EXPECT_EQ(test, 0, obd_health_check(server, &why));
	kt_end(test, server);
}

/* osc and mdc to a server through the transport of this kernel. */
static const char * const client_types[] = { "osc", "mdc" };

static void a_client_type_reaches_its_target(struct kunit *test)
{
	struct obd_device *server, *client;
	struct obd_export *exp = NULL;
	struct obd_uuid uuid;
	struct obd_statfs st = { };
	char text[8];
	size_t n;
	u32 len;

	server = ty_start(test, "obdecho", "es", "es_UUID", "64M", NULL);
	for (n = 0; n < ARRAY_SIZE(client_types); n++) {
		client = ty_start(test, client_types[n], "client", TY_GROUP,
				  "es_UUID", "0@lo");
		exp = ty_connect(test, client, "user_UUID");
		KUNIT_EXPECT_EQ(test, 2U, server->obd_num_exports);
		KUNIT_EXPECT_EQ(test, 0, obd_statfs(exp, &st, 0));
		KUNIT_EXPECT_EQ(test, 64 * TY_MIB, st.os_blocks * st.os_bsize);
		KUNIT_EXPECT_EQ(test, 0,
				obd_set_info_async(exp, "echo", "abc", 3));
		len = sizeof(text);
		KUNIT_EXPECT_EQ(test, 0, obd_get_info(exp, "echo", text, &len));
		KUNIT_EXPECT_EQ(test, 3U, len);
		KUNIT_EXPECT_EQ(test, 0, obd_get_uuid(exp, &uuid));
		KUNIT_EXPECT_STREQ(test, "es_UUID", uuid.uuid);
		KUNIT_EXPECT_EQ(test, 0, obd_health_check(client, NULL));
		KUNIT_EXPECT_EQ(test, 0, obd_disconnect(exp));
		kt_end(test, client);
		KUNIT_EXPECT_EQ(test, 1U, server->obd_num_exports);
	}
	kt_end(test, server);
}

static void a_client_type_says_that_its_target_is_gone(struct kunit *test)
{
	struct obd_device *server, *osc;
	struct obd_why why = { "" };
	struct obd_export *exp = NULL;
	struct obd_statfs st = { };

	server = ty_start(test, "obdecho", "es", "es_UUID", NULL, NULL);
	osc = ty_start(test, "osc", "osc", TY_GROUP, "es_UUID", "0@lo");
	exp = ty_connect(test, osc, "user_UUID");
	KUNIT_EXPECT_EQ(test, 0, class_cleanup(server, false, false, NULL));
	KUNIT_EXPECT_EQ(test, -ENOTCONN, obd_statfs(exp, &st, 0));
	KUNIT_EXPECT_EQ(test, -ENOTCONN, obd_health_check(osc, &why));
	KUNIT_EXPECT_TRUE(test, !!strstr(why.text, "es_UUID is DISCONN"));
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(exp));
	KUNIT_EXPECT_EQ(test, 0, obd_health_check(osc, &why));
	kt_end(test, osc);
	kt_end(test, server);
}

static void settings_have_ranges(struct kunit *test)
{
	struct obd_device *server, *osc, *mdc;

	server = ty_start(test, "obdecho", "es", "es_UUID", NULL, NULL);
	osc = ty_start(test, "osc", "osc", TY_GROUP, "es_UUID", "0@lo");
	mdc = ty_start(test, "mdc", "mdc", TY_GROUP, "es_UUID", "0@lo");
	TY_EXPECT_NUMBER(test, "osc/osc/max_dirty_mb", 2000);
	KUNIT_EXPECT_EQ(test, 0L,
			client_write(fx.client, "osc/osc/max_dirty_mb", "135"));
	TY_EXPECT_NUMBER(test, "osc/osc/max_dirty_mb", 135);
	KUNIT_EXPECT_EQ(test, -ERANGE,
			(int)client_write(fx.client, "osc/osc/max_dirty_mb",
					  "0"));
	KUNIT_EXPECT_EQ(test, 0L,
			client_write(fx.client, "osc/osc/max_pages_per_rpc",
				     "1M"));
	TY_EXPECT_NUMBER(test, "osc/osc/max_pages_per_rpc", TY_MIB / PAGE_SIZE);
	TY_EXPECT_TEXT(test, "osc/osc/checksum_type", "crc32c");
	KUNIT_EXPECT_EQ(test, -EINVAL,
			(int)client_write(fx.client, "osc/osc/checksum_type",
					  "blah"));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			(int)client_write(fx.client, "osc/osc/checksum_type", "adler"));
	KUNIT_EXPECT_EQ(test, 0L, client_write(fx.client, "osc/osc/checksum_type", "crc32c"));
	KUNIT_EXPECT_EQ(test, -ERANGE,
			(int)client_write(fx.client,
					  "mdc/mdc/max_mod_rpcs_in_flight",
					  "8"));
	KUNIT_EXPECT_EQ(test, 0L,
			client_write(fx.client,
				     "mdc/mdc/max_rpcs_in_flight", "9"));
	KUNIT_EXPECT_EQ(test, 0L,
			client_write(fx.client,
				     "mdc/mdc/max_mod_rpcs_in_flight", "8"));
	kt_end(test, mdc);
	kt_end(test, osc);
	kt_end(test, server);
}

static struct kunit_case types_cases[] = {
	KUNIT_CASE(each_type_lives_and_ends),
	KUNIT_CASE(setups_are_refused_in_words),
	KUNIT_CASE(a_lov_desc_of_another_magic_is_refused),
	KUNIT_CASE(texts_come_back),
	KUNIT_CASE(a_client_has_its_own_text),
	KUNIT_CASE(a_uuid_connects_once),
	KUNIT_CASE(a_server_grants_what_it_knows),
	KUNIT_CASE(a_server_goes_before_its_clients),
	KUNIT_CASE(an_evicted_client_says_so),
	KUNIT_CASE(room_is_what_was_configured),
	KUNIT_CASE(an_unwell_server_says_why),
	KUNIT_CASE(a_client_type_reaches_its_target),
	KUNIT_CASE(a_client_type_says_that_its_target_is_gone),
	KUNIT_CASE(settings_have_ranges),
	{}
};

static struct kunit_suite types_suite = {
	.name = "obd_types",
	.suite_init = ty_suite_init,
	.init = obd_fixture_init,
	.exit = obd_fixture_exit,
	.test_cases = types_cases,
};
kunit_test_suite(types_suite);

MODULE_DESCRIPTION("types obdecho, echo_client, osc, mdc");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
