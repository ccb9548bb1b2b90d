// SPDX-License-Identifier: GPL-2.0-only
/*
 * The management client: fetching and following logs, acknowledgements, and its end in any
 * state.
 *
 * Processors: 2
 * Every: 2
 */
#include "mgc_fixture.h"

#define DEVICE		"lustre-dev"
#define SECOND		"lustre-two"

/* Following. */

static void log_is_applied_and_acknowledged(struct kunit *test)
{
	struct mgc_log *log;
	struct mf_ack *ack;

	mf_add_device(MF_LOG, DEVICE);
	log = mf_follow(test);
	KUNIT_EXPECT_TRUE(test, mf_device(DEVICE MF_SUFFIX));
	KUNIT_EXPECT_FALSE(test, mgc_log_stale(log));
	KUNIT_ASSERT_TRUE(test, mf_await_ack(MF_LOG, CONFIG_T_CONFIG));
	ack = mf_ack_find(MF_LOG, CONFIG_T_CONFIG);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(ack->wire.ca_epoch), 101ULL);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(ack->wire.ca_applied), 2U);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(ack->wire.ca_failed), 0U);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(ack->wire.ca_last_index), 6U);
	KUNIT_EXPECT_EQ(test, ack->wire.ca_status, 0U);
	mgc_log_end(log);
	KUNIT_EXPECT_TRUE(test, mf_device(DEVICE MF_SUFFIX));
}

/* Follow MF_LOG as the log of a target. */
static struct mgc_log *follow_server(struct kunit *test)
{
	struct mgc_follow follow = {
		.log = MF_LOG, .instance = MF_INSTANCE, .wait_sec = MF_WAIT_SEC,
		.flags = MGC_FOLLOW_SERVER | MGC_FOLLOW_NO_IR,
	};
	struct mgc_log *log = mgc_log_start(mf.mgc, &follow, NULL);

	KUNIT_ASSERT_FALSE(test, IS_ERR(log));
	return log;
}

static void names_of_a_server_stay(struct kunit *test)
{
	struct mgc_log *log;

	mf_add_device(MF_LOG, DEVICE);
	log = follow_server(test);
	KUNIT_EXPECT_TRUE(test, mf_device(DEVICE));
	mgc_log_end(log);
}

/* All records but those of one device were refused; the reason is that of the first. */
static void expect_refused(struct kunit *test, unsigned int count,
			   const char *words)
{
	struct mf_ack *ack;

	KUNIT_ASSERT_TRUE(test, mf_await_ack(MF_LOG, CONFIG_T_CONFIG));
	ack = mf_ack_find(MF_LOG, CONFIG_T_CONFIG);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(ack->wire.ca_failed), count);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(ack->wire.ca_applied), 2U);
	KUNIT_EXPECT_TRUE_MSG(test, strstr(ack->text, words),
			      "'%s' does not say '%s'", ack->text, words);
	KUNIT_EXPECT_TRUE(test, mf_device(DEVICE));
}

/* A device that a log did not attach is out of its reach. */
static void log_reaches_its_own_devices_only(struct kunit *test)
{
	struct obd_device *other = kc_start(test, SECOND);
	struct mgc_log *log;

	mf_add(MF_LOG, LCFG_PARAM, SECOND, KC_ARGS(KC_NAME ".limit=20"));
	mf_add(MF_LOG, LCFG_ADD_CONN, SECOND, KC_ARGS("server"));
	mf_add(MF_LOG, LCFG_LOV_ADD_OBD, SECOND, KC_ARGS("uuid", "0", "1"));
	mf_add(MF_LOG, LCFG_CLEANUP, SECOND, KC_ARGS("F"));
	mf_add(MF_LOG, LCFG_DETACH, SECOND, NULL);
	mf_add_device(MF_LOG, DEVICE);
	log = follow_server(test);
	expect_refused(test, 5, SECOND ": is not a device that this log attached");
	KUNIT_EXPECT_EQ(test, other->obd_state, OBD_SET_UP);
	KUNIT_EXPECT_EQ(test, kc.processed, 0U);
	KUNIT_EXPECT_EQ(test, kc.limit, 8U);
	/* It is not changed either when the log undoes a refused record. */
	mf_log_new(test, MF_LOG);
	mf_add_device(MF_LOG, DEVICE);
	mf_tell(MF_FS, CONFIG_T_CONFIG);
	KUNIT_EXPECT_TRUE(test, mf_await_ack(MF_LOG, CONFIG_T_CONFIG));
	KUNIT_EXPECT_EQ(test, kc.processed, 0U);
	mgc_log_end(log);
	kt_end(test, other);
}

/* A log that cleaned up its management client would wait for its own end. */
static void log_does_not_reach_its_client(struct kunit *test)
{
	const char *mgc = mf.mgc->obd_name;
	struct mgc_log *log;

	mf_add(MF_LOG, LCFG_CLEANUP, mgc, KC_ARGS("F"));
	mf_add(MF_LOG, LCFG_LOG_END, mgc, KC_ARGS(MF_LOG, "0xabc"));
	mf_add(MF_LOG, LCFG_ATTACH, "MGC2", KC_ARGS("mgc", "u"));
	mf_add(MF_LOG, LCFG_DEL_UUID, NULL, NULL);
	mf_add_device(MF_LOG, DEVICE);
	log = follow_server(test);
	expect_refused(test, 4, mgc);
	KUNIT_EXPECT_EQ(test, mf.mgc->obd_state, OBD_SET_UP);
	KUNIT_EXPECT_FALSE(test, mf_device("MGC2"));
	mgc_log_end(log);
}

/* A name of the client's own node, or of a server of another file system. */
static void log_adds_servers_for_itself(struct kunit *test)
{
	struct lnet_nid nids[2];
	struct mgc_log *log;

	mf_add(MF_LOG, LCFG_ADD_UUID, NULL, KC_ARGS("MGC" MF_NID, "198.51.100.2@tcp"));
	log = mf_follow(test);
	KUNIT_EXPECT_EQ(test, class_uuid2nids(0, "MGC" MF_NID, nids, 2), 1);
	KUNIT_EXPECT_EQ(test, class_uuid2nids(MF_INSTANCE + 1, "MGC" MF_NID, nids, 2), 1);
	KUNIT_EXPECT_EQ(test, class_uuid2nids(MF_INSTANCE, "MGC" MF_NID, nids, 2), 2);
	mgc_log_end(log);
}

static void what_is_appended_is_followed(struct kunit *test)
{
	struct mgc_log *log;

	mf_add_device(MF_LOG, DEVICE);
	log = mf_follow(test);
	mf_add_device(MF_LOG, SECOND);
	mf_tell(MF_FS, CONFIG_T_CONFIG);
	KUNIT_EXPECT_TRUE(test, mf_await_ack(MF_LOG, CONFIG_T_CONFIG));
	KUNIT_EXPECT_TRUE(test, mf_device(SECOND MF_SUFFIX));
	KUNIT_EXPECT_EQ(test, le32_to_cpu(mf_ack_find(MF_LOG, CONFIG_T_CONFIG)
					  ->wire.ca_applied), 4U);
	mgc_log_end(log);
}

static void long_log_comes_in_parts(struct kunit *test)
{
	struct mgc_log *log;
	char name[32];
	int n;

	for (n = 0; n < 40; n++) {
		scnprintf(name, sizeof(name), "lustre-d%d", n);
		mf_add_device(MF_LOG, name);
	}
	mf.room = 4096;
	log = mf_follow(test);
	KUNIT_EXPECT_TRUE(test, mf_device("lustre-d39" MF_SUFFIX));
	KUNIT_EXPECT_GT(test, mf.reads, 4U);
	/* Only the new records, and the header. */
	mf.reads = 0;
	mf_add_device(MF_LOG, SECOND);
	mf_tell(MF_FS, CONFIG_T_CONFIG);
	KUNIT_EXPECT_TRUE(test, mf_await_ack(MF_LOG, CONFIG_T_CONFIG));
	KUNIT_EXPECT_TRUE(test, mf_device(SECOND MF_SUFFIX));
	KUNIT_EXPECT_LT(test, mf.reads, 20U);
	mgc_log_end(log);
}

/* The second part is of another generation already. */
static void grow_at_second(unsigned int n)
{
	if (n == 1)
		mf_add_device(MF_LOG, SECOND);
}

static void log_that_changes_meanwhile_is_read_again(struct kunit *test)
{
	struct mgc_log *log;

	mf_add_device(MF_LOG, DEVICE);
	mf.room = 4096;
	mf.at_read = grow_at_second;
	log = mf_follow(test);
	KUNIT_EXPECT_TRUE(test, mf_device(DEVICE MF_SUFFIX));
	KUNIT_EXPECT_TRUE(test, mf_device(SECOND MF_SUFFIX));
	KUNIT_EXPECT_TRUE(test, mf_await_ack(MF_LOG, CONFIG_T_CONFIG));
	mgc_log_end(log);
}

static void a_rewritten_log_is_applied_once(struct kunit *test)
{
	struct obd_device *before, *after;
	struct mgc_log *log;

	mf_add_device(MF_LOG, DEVICE);
	log = mf_follow(test);
	before = class_name2obd(DEVICE MF_SUFFIX);
	mf_log_new(test, MF_LOG);
	mf_add_device(MF_LOG, SECOND);
	mf_add_device(MF_LOG, DEVICE);
	mf_tell(MF_FS, CONFIG_T_CONFIG);
	KUNIT_EXPECT_TRUE(test, mf_await_ack(MF_LOG, CONFIG_T_CONFIG));
	KUNIT_EXPECT_TRUE(test, mf_device(SECOND MF_SUFFIX));
	after = class_name2obd(DEVICE MF_SUFFIX);
	KUNIT_EXPECT_PTR_EQ(test, before, after);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(mf_ack_find(MF_LOG, CONFIG_T_CONFIG)
					  ->wire.ca_failed), 0U);
	class_decref(before, OBD_REF_LOOKUP);
	class_decref(after, OBD_REF_LOOKUP);
	mgc_log_end(log);
}

static void record_that_fails_is_told(struct kunit *test)
{
	struct mgc_log *log;
	struct mf_ack *ack;
	u32 index;

	index = mf_add(MF_LOG, LCFG_SETUP, "lustre-nobody", NULL);
	mf_add_device(MF_LOG, DEVICE);
	log = mf_follow(test);
	KUNIT_EXPECT_TRUE(test, mf_device(DEVICE MF_SUFFIX));
	KUNIT_ASSERT_TRUE(test, mf_await_ack(MF_LOG, CONFIG_T_CONFIG));
	ack = mf_ack_find(MF_LOG, CONFIG_T_CONFIG);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(ack->wire.ca_applied), 2U);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(ack->wire.ca_failed), 1U);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(ack->wire.ca_failed_index), index);
	KUNIT_EXPECT_TRUE_MSG(test, strstr(ack->text, "lustre-nobody"), "%s",
			      ack->text);
	mgc_log_end(log);
}

static void log_that_is_not_there_is_said(struct kunit *test)
{
	struct mgc_follow follow = { .log = "other-client", .wait_sec = MF_WAIT_SEC };
	struct obd_why why = {};

	KUNIT_EXPECT_EQ(test, PTR_ERR(mgc_log_start(mf.mgc, &follow, &why)),
			(long)-ENOENT);
	kc_expect_says(test, &why, "other-client");
	follow.log = "nothing";
	KUNIT_EXPECT_EQ(test, PTR_ERR(mgc_log_start(mf.mgc, &follow, &why)),
			(long)-EINVAL);
	kc_expect_says(test, &why, "FSNAME");
}

static void damaged_log_is_refused(struct kunit *test)
{
	struct obd_why why;
	struct mgc_log *log;
	loff_t pos = 0;

	mf_add_device(MF_LOG, DEVICE);
	kernel_write(mf_log_find(MF_LOG)->file, "damaged!", 8, &pos);
	log = mf_follow_with(test, MF_INSTANCE, NULL, MF_WAIT_SEC, &why);
	KUNIT_EXPECT_EQ(test, PTR_ERR(log), (long)-EIO);
	kc_expect_says(test, &why, "damaged");
}

static void log_is_followed_once_for_an_instance(struct kunit *test)
{
	struct mgc_log *log, *other;
	struct obd_why why;

	mf_add_device(MF_LOG, DEVICE);
	log = mf_follow(test);
	other = mf_follow_with(test, MF_INSTANCE, NULL, MF_WAIT_SEC, &why);
	KUNIT_EXPECT_EQ(test, PTR_ERR(other), (long)-EEXIST);
	other = mf_follow_with(test, MF_INSTANCE + 1, NULL, MF_WAIT_SEC, &why);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(other), "%s", why.text);
	KUNIT_EXPECT_TRUE(test, mf_device(DEVICE "-0000000000000abd"));
	mgc_log_end(log);
	mf_add_device(MF_LOG, SECOND);
	mf_tell(MF_FS, CONFIG_T_CONFIG);
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(mf_device(SECOND "-0000000000000abd")));
	KUNIT_EXPECT_FALSE(test, mf_device(SECOND MF_SUFFIX));
	mgc_log_end(other);
}

/* Settings. */

static void setting_of_a_device_comes_and_goes(struct kunit *test)
{
	struct mgc_log *log;

	mf_add(MF_LOG, LCFG_PARAM, DEVICE, KC_ARGS(KC_NAME ".limit=20"));
	mf_add_device(MF_LOG, DEVICE);
	log = mf_follow(test);
	KUNIT_EXPECT_EQ(test, kc.limit, 20U);
	mf_add(MF_LOG, LCFG_PARAM, DEVICE, KC_ARGS(KC_NAME ".limit=30"));
	mf_tell(MF_FS, CONFIG_T_CONFIG);
	KUNIT_EXPECT_TRUE(test, mf_settings(30));
	mf_log_new(test, MF_LOG);
	mf_add_device(MF_LOG, DEVICE);
	mf_tell(MF_FS, CONFIG_T_CONFIG);
	KUNIT_EXPECT_TRUE(test, mf_settings(8));
	mgc_log_end(log);
}

static void setting_for_all_reaches_what_comes_later(struct kunit *test)
{
	struct mgc_log *log;

	mf_log_new(test, "params");
	mf_add_setting("general", KC_NAME ".*.limit=20");
	mf_add_device(MF_LOG, DEVICE);
	log = mf_follow(test);
	KUNIT_EXPECT_EQ(test, kc.limit, 20U);
	mf_add_setting(MF_FS, KC_NAME ".*.limit=40");
	mf_tell("params", CONFIG_T_PARAMS);
	KUNIT_EXPECT_TRUE(test, mf_settings(40));
	KUNIT_EXPECT_TRUE(test, mf_await_ack("params", CONFIG_T_PARAMS));
	mgc_log_end(log);
	KUNIT_EXPECT_TRUE(test, mf_settings(8));
}

static void setting_of_another_file_system_is_not_ours(struct kunit *test)
{
	struct mgc_log *log;

	mf_log_new(test, "params");
	mf_add_setting("other", KC_NAME ".*.limit=20");
	mf_add_device(MF_LOG, DEVICE);
	log = mf_follow(test);
	KUNIT_EXPECT_TRUE(test, mf_await_ack("params", CONFIG_T_PARAMS));
	KUNIT_EXPECT_EQ(test, kc.limit, 8U);
	mgc_log_end(log);
}

static void setting_that_is_refused_is_told(struct kunit *test)
{
	struct mgc_log *log;
	struct mf_ack *ack;
	u32 index;

	mf_add_device(MF_LOG, DEVICE);
	log = mf_follow(test);
	mf_log_new(test, "params");
	index = mf_add_setting("general", KC_NAME ".*.limit=1000");
	mf_add_setting("general", KC_NAME ".*.limit");
	mf_tell("params", CONFIG_T_PARAMS);
	KUNIT_ASSERT_TRUE(test, mf_await_ack("params", CONFIG_T_PARAMS));
	ack = mf_ack_find("params", CONFIG_T_PARAMS);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(ack->wire.ca_applied), 0U);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(ack->wire.ca_failed), 2U);
	KUNIT_EXPECT_LE(test, le32_to_cpu(ack->wire.ca_failed_index), index + 3);
	KUNIT_EXPECT_EQ(test, kc.limit, 8U);
	mgc_log_end(log);
}

/* The same again, with one fewer, one more and another order. */
static void settings_of_a_rewritten_log(struct kunit *test)
{
	struct mgc_log *log;

	mf_log_new(test, "params");
	mf_add_setting("general", KC_NAME ".*.limit=20");
	mf_add_setting("general", KC_NAME "." DEVICE "*.limit=30");
	mf_add_device(MF_LOG, DEVICE);
	log = mf_follow(test);
	KUNIT_EXPECT_EQ(test, kc.limit, 30U);
	mf_log_new(test, "params");
	mf_add_setting("general", KC_NAME "." DEVICE "*.limit=30");
	mf_add_setting("general", KC_NAME ".*.limit=20");
	mf_tell("params", CONFIG_T_PARAMS);
	KUNIT_EXPECT_TRUE(test, mf_settings(20));
	mf_log_new(test, "params");
	mf_add_setting("general", KC_NAME "." DEVICE "*.limit=30");
	mf_tell("params", CONFIG_T_PARAMS);
	KUNIT_EXPECT_TRUE(test, mf_settings(30));
	mf_log_new(test, "params");
	mf_tell("params", CONFIG_T_PARAMS);
	KUNIT_EXPECT_TRUE(test, mf_settings(8));
	mgc_log_end(log);
}

static void try_command(struct kunit *test, u32 command, const char *text)
{
	struct lcfg_view view;
	ssize_t len;

	lcfg_init(&view, command, "general");
	lcfg_add_string(&view, text);
	mutex_lock(&mf.lock);
	len = lustre_cfg_encode(&view, mf.trial_bytes, sizeof(mf.trial_bytes));
	mf.trial_len = len;
	mf.trial++;
	mutex_unlock(&mf.lock);
	KUNIT_ASSERT_GT(test, len, (ssize_t)0);
	mf_tell("params", CONFIG_T_TRIAL);
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(mf_acked("params", CONFIG_T_TRIAL) ==
					 mf.trial));
}

static void try_setting(struct kunit *test, const char *text)
{
	try_command(test, LCFG_SET_PARAM, text);
}

static void trial_sets_nothing(struct kunit *test)
{
	struct mgc_log *log;
	struct mf_ack *ack;

	mf_add_device(MF_LOG, DEVICE);
	log = mf_follow(test);
	try_setting(test, KC_NAME ".*.limit=20");
	ack = mf_ack_find("params", CONFIG_T_TRIAL);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(ack->wire.ca_applied), 1U);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(ack->wire.ca_failed), 0U);
	try_setting(test, KC_NAME ".*.limit=2000");
	KUNIT_EXPECT_EQ(test, le32_to_cpu(ack->wire.ca_failed), 1U);
	KUNIT_EXPECT_NE(test, ack->text[0], '\0');
	try_setting(test, KC_NAME ".*.nothing=1");
	KUNIT_EXPECT_EQ(test, le32_to_cpu(ack->wire.ca_applied), 0U);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(ack->wire.ca_failed), 0U);
	KUNIT_EXPECT_EQ(test, kc.limit, 8U);
	mgc_log_end(log);
}

/* A conf_param needs no device; an existing device must have the parameter. */
static void trial_of_a_device(struct kunit *test)
{
	struct mgc_log *log;
	struct mf_ack *ack;

	mf_add_device(MF_LOG, DEVICE);
	log = mf_follow(test);
	try_command(test, LCFG_PARAM, KC_NAME ".lustre-dev*.limit=20");
	ack = mf_ack_find("params", CONFIG_T_TRIAL);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(ack->wire.ca_applied), 1U);
	try_command(test, LCFG_PARAM, KC_NAME ".lustre-gone*.limit=20");
	KUNIT_EXPECT_EQ(test, le32_to_cpu(ack->wire.ca_applied), 0U);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(ack->wire.ca_failed), 0U);
	try_command(test, LCFG_PARAM, KC_NAME ".lustre-dev*.nothing=20");
	KUNIT_EXPECT_EQ(test, le32_to_cpu(ack->wire.ca_failed), 1U);
	KUNIT_EXPECT_TRUE(test, strstr(ack->text, "nothing"));
	KUNIT_EXPECT_EQ(test, kc.limit, 8U);
	mgc_log_end(log);
}

/* The lock. */

static void evicted_client_comes_again(struct kunit *test)
{
	struct obd_export *exp;
	struct mgc_log *log;

	mf_add_device(MF_LOG, DEVICE);
	log = mf_follow(test);
	KUNIT_EXPECT_TRUE(test, mf_await_ack(MF_LOG, CONFIG_T_CONFIG));
	exp = mf_client_export(test);
	class_fail_export(exp);
	class_export_put(exp);
	mf_add_device(MF_LOG, SECOND);
	/* The client notices it with its next request. */
	import_ping(mf.mgc->obd_cli->cl_import);
	KUNIT_EXPECT_TRUE(test, mf_await_ack(MF_LOG, CONFIG_T_CONFIG));
	KUNIT_EXPECT_TRUE(test, mf_device(SECOND MF_SUFFIX));
	mf_add_device(MF_LOG, "lustre-three");
	mf_tell(MF_FS, CONFIG_T_CONFIG);
	KUNIT_EXPECT_TRUE(test, mf_await_ack(MF_LOG, CONFIG_T_CONFIG));
	mgc_log_end(log);
}

static void service_that_restarts_is_followed(struct kunit *test)
{
	struct mgc_log *log;

	mf_add_device(MF_LOG, DEVICE);
	log = mf_follow(test);
	KUNIT_EXPECT_TRUE(test, mf_await_ack(MF_LOG, CONFIG_T_CONFIG));
	mf_server_stop(test);
	mf_add_device(MF_LOG, SECOND);
	mf_server_start(test);
	mf_recover();
	KUNIT_EXPECT_TRUE(test, mf_await_ack(MF_LOG, CONFIG_T_CONFIG));
	KUNIT_EXPECT_TRUE(test, mf_device(SECOND MF_SUFFIX));
	mgc_log_end(log);
}

static void lock_goes_back_at_the_end(struct kunit *test)
{
	struct ldlm_res_id res;
	struct mgc_log *log;

	mf_add_device(MF_LOG, DEVICE);
	log = mf_follow(test);
	mgc_log_end(log);
	KUNIT_ASSERT_EQ(test, config_res_id(MF_FS, CONFIG_T_CONFIG, &res), 0);
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(!ldlm_server_revoke(mf.server, &res,
							     LCK_CR, 10)));
}

/* Servers of devices. */

#define OSC		"lustre-OST0001-osc"
#define OSC_TARGET	"lustre-OST0001_UUID"

static void add_osc(const char *server)
{
	mf_add(MF_LOG, LCFG_ADD_UUID, NULL, KC_ARGS(server, "127.0.0.1@tcp"));
	mf_add(MF_LOG, LCFG_ATTACH, OSC, KC_ARGS("osc", "osc_UUID"));
	mf_add(MF_LOG, LCFG_SETUP, OSC, KC_ARGS(OSC_TARGET, server));
}

static void servers_of_a_rewritten_log(struct kunit *test)
{
	struct mgc_log *log;
	char servers[128];

	add_osc("server-a");
	mf_add(MF_LOG, LCFG_ADD_UUID, NULL, KC_ARGS("server-b", "127.0.0.2@tcp"));
	mf_add(MF_LOG, LCFG_ADD_CONN, OSC, KC_ARGS("server-b"));
	log = mf_follow(test);
	mf_import_servers(test, OSC MF_SUFFIX, servers, sizeof(servers));
	KUNIT_EXPECT_STREQ(test, servers, "server-a server-b ");
	mf_log_new(test, MF_LOG);
	add_osc("server-c");
	mf_add(MF_LOG, LCFG_ADD_UUID, NULL, KC_ARGS("server-b", "127.0.0.2@tcp"));
	mf_add(MF_LOG, LCFG_ADD_CONN, OSC, KC_ARGS("server-b"));
	mf_tell(MF_FS, CONFIG_T_CONFIG);
	KUNIT_ASSERT_TRUE(test, mf_await_ack(MF_LOG, CONFIG_T_CONFIG));
	mf_import_servers(test, OSC MF_SUFFIX, servers, sizeof(servers));
	KUNIT_EXPECT_STREQ(test, servers, "server-c server-b ");
	KUNIT_EXPECT_EQ(test, le32_to_cpu(mf_ack_find(MF_LOG, CONFIG_T_CONFIG)
					  ->wire.ca_failed), 0U);
	mgc_log_end(log);
}

static u32 connects(struct obd_device *obd)
{
	return READ_ONCE(obd->obd_cli->cl_import->imp_conn_cnt);
}

/* No other task would try: an import that cannot be connected has no user. */
static void target_that_restarts_is_connected_at_once(struct kunit *test)
{
	struct obd_uuid who = kt_uuid("who_UUID");
	struct obd_export *exp;
	struct obd_device *obd;
	struct mgc_log *log;
	u32 before;

	add_osc("server-a");
	log = mf_follow(test);
	obd = class_name2obd(OSC MF_SUFFIX);
	KUNIT_ASSERT_NOT_NULL(test, obd);
	KUNIT_ASSERT_NE(test, obd_connect(&exp, obd, &who, NULL, NULL), 0);
	before = connects(obd);
	mf_tell_table(2, 7, NULL);
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(mf_acked(MF_FS, CONFIG_T_RECOVER) ==
					 mf.table));
	KUNIT_EXPECT_EQ(test, connects(obd), before);
	mf_tell_table(1, 7, NULL);
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(connects(obd) > before));
	class_decref(obd, OBD_REF_LOOKUP);
	mgc_log_end(log);
}

static void table_that_is_none_is_said(struct kunit *test)
{
	struct mgc_log *log;
	struct mf_ack *ack;

	mf_add_device(MF_LOG, DEVICE);
	log = mf_follow(test);
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(mf_ack_find(MF_FS, CONFIG_T_RECOVER)));
	mutex_lock(&mf.lock);
	mf.table = 5;
	mf.table_len = 10;
	mutex_unlock(&mf.lock);
	mf_tell(MF_FS, CONFIG_T_RECOVER);
	ack = mf_ack_find(MF_FS, CONFIG_T_RECOVER);
	KUNIT_ASSERT_NOT_NULL(test, ack);
	KUNIT_EXPECT_TRUE(test, MF_AWAIT((s32)le32_to_cpu(ack->wire.ca_status) ==
					 -EPROTO));
	mgc_log_end(log);
}

/* Without the service. */

static void follow_without_service(struct kunit *test)
{
	struct obd_why why;
	struct mgc_log *log = mf_follow_with(test, MF_INSTANCE, NULL, 2, &why);

	KUNIT_EXPECT_EQ(test, PTR_ERR(log), (long)-ENOTCONN);
	kc_expect_says(test, &why, MF_LOG);
}

static void start_without_service_ends(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(mf_connected()));
	mf_server_stop(test);
	/* The client notices it with its next request. */
	import_ping(mf.mgc->obd_cli->cl_import);
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(!mf_connected()));
	KUNIT_EXPECT_TRUE(test, MF_IS_QUICK(follow_without_service(test), 10000));
}

static void service_that_comes_later_is_waited_for(struct kunit *test)
{
	struct mgc_log *log;

	mf_mgc_stop();
	mf_server_stop(test);
	mf_add_device(MF_LOG, DEVICE);
	mf_mgc_start(test);
	msleep(100);
	mf_server_start(test);
	log = mf_follow(test);
	KUNIT_EXPECT_TRUE(test, mf_device(DEVICE MF_SUFFIX));
	mgc_log_end(log);
}

static long follow_aside(void *arg)
{
	struct mgc_follow follow = {
		.log = MF_LOG, .instance = MF_INSTANCE, .wait_sec = MF_WAIT_SEC,
	};

	allow_signal(SIGKILL);
	*(struct task_struct **)arg = current;
	return PTR_ERR(mgc_log_start(mf.mgc, &follow, NULL));
}

static void start_can_be_killed(struct kunit *test)
{
	struct task_struct *task = NULL;
	struct aside aside;

	mf_server_stop(test);
	aside_start(test, &aside, follow_aside, &task);
	KUNIT_ASSERT_TRUE(test, MF_AWAIT(READ_ONCE(task)));
	aside_await_sleep(test, &aside);
	send_sig(SIGKILL, READ_ONCE(task), 1);
	KUNIT_EXPECT_EQ(test, aside_join(test, &aside), (long)-EINTR);
}

static long follow_all_aside(void *arg)
{
	struct mgc_follow follow = {
		.log = MF_LOG, .instance = MF_INSTANCE, .wait_sec = MF_WAIT_SEC,
	};
	struct mgc_log **log = arg;

	*log = mgc_log_start(mf.mgc, &follow, NULL);
	return PTR_ERR_OR_ZERO(*log);
}

/*
 * Settings come first, and are unavailable: a log is tried again and again, so that no worker
 * blocks; nothing is applied before the settings, and everything at once after them.
 */
static void log_waits_for_settings_in_turns(struct kunit *test)
{
	struct mgc_log *log = NULL;
	struct aside aside;

	mf_add_device(MF_LOG, DEVICE);
	WRITE_ONCE(mf.params_rc, -ETIMEDOUT);
	aside_start(test, &aside, follow_all_aside, &log);
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(READ_ONCE(mf.reads) > 1));
	KUNIT_EXPECT_FALSE(test, aside_is_done(&aside));
	KUNIT_EXPECT_FALSE(test, mf_device(DEVICE MF_SUFFIX));
	WRITE_ONCE(mf.params_rc, 0);
	KUNIT_ASSERT_EQ(test, aside_join(test, &aside), 0L);
	KUNIT_EXPECT_TRUE(test, mf_device(DEVICE MF_SUFFIX));
	mgc_log_end(log);
}

/* The service cannot read them: the error is reported, and no log waits for them. */
static void log_does_not_wait_for_damaged_settings(struct kunit *test)
{
	struct mgc_log *log;
	struct mf_ack *ack;

	mf_add_device(MF_LOG, DEVICE);
	WRITE_ONCE(mf.params_rc, -EIO);
	log = mf_follow(test);
	KUNIT_EXPECT_TRUE(test, mf_device(DEVICE MF_SUFFIX));
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(mf_ack_find("params", CONFIG_T_PARAMS)));
	ack = mf_ack_find("params", CONFIG_T_PARAMS);
	KUNIT_ASSERT_NOT_NULL(test, ack);
	KUNIT_EXPECT_EQ(test, (s32)le32_to_cpu(ack->wire.ca_status), -EBADMSG);
	/* They can be read again: the client notices it without a notification. */
	mf_log_new(test, "params");
	mf_add_setting("general", KC_NAME ".*.limit=20");
	WRITE_ONCE(mf.params_rc, 0);
	KUNIT_EXPECT_TRUE(test, mf_settings(20));
	mgc_log_end(log);
}

/* The service is reachable, and does not answer. */
static void end_is_bounded(struct kunit *test)
{
	struct mgc_log *log;
	ktime_t begin;

	mf_add_device(MF_LOG, DEVICE);
	log = mf_follow(test);
	KUNIT_EXPECT_TRUE(test, mf_await_ack(MF_LOG, CONFIG_T_CONFIG));
	WRITE_ONCE(mf.held, true);
	mf_tell(MF_FS, CONFIG_T_CONFIG);
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(atomic_read(&mf.waiting)));
	begin = ktime_get();
	mgc_log_end(log);
	KUNIT_EXPECT_LT(test, ktime_ms_delta(ktime_get(), begin), MF_SOON_MS);
	mf_mgc_stop();
	KUNIT_EXPECT_LT(test, ktime_ms_delta(ktime_get(), begin), MF_SOON_MS);
	complete_all(&mf.hold);
}

/* The client. */

static void nodes_are_parsed(struct kunit *test)
{
	static const char * const bad[] = {
		"", ":", "10.0.0.1@tcp,", "10.0.0.1@tcp:", "host", "0@lo",
		"10.0.0.1@tcp,,10.0.0.2@tcp", "10.0.0.1@ib",
	};
	static const char * const good[] = {
		"10.9.0.1@tcp", "10.9.0.1", "10.9.0.1@tcp,10.9.1.1@tcp",
		"10.9.0.1@tcp:10.9.0.2@tcp", "10.9.0.1:10.9.0.2,10.9.1.2",
		"2001:db8::1@tcp,10.9.0.1:2001:db8::2@tcp", "[2001:db8::1]",
		"[2001:db8::1]@tcp1:10.9.0.1",
	};
	struct obd_device *obd;
	struct obd_why why;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(bad); n++) {
		why.text[0] = '\0';
		obd = mgc_get(&init_net, bad[n], &why);
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR(obd), (long)-EINVAL, "%s",
				    bad[n]);
		KUNIT_EXPECT_NE_MSG(test, why.text[0], '\0', "%s", bad[n]);
	}
	for (n = 0; n < ARRAY_SIZE(good); n++) {
		obd = mgc_get(&init_net, good[n], &why);
		KUNIT_EXPECT_FALSE_MSG(test, IS_ERR(obd), "%s: %s", good[n],
				       why.text);
		if (!IS_ERR(obd))
			mgc_put(obd);
	}
}

static void client_is_shared(struct kunit *test)
{
	struct obd_device *again = mgc_get(&init_net, MF_NID, NULL);

	KUNIT_EXPECT_PTR_EQ(test, again, mf.mgc);
	KUNIT_EXPECT_STREQ(test, again->obd_name, "MGC" MF_NID);
	mgc_put(again);
	KUNIT_EXPECT_TRUE(test, mf_device("MGC" MF_NID));
	mf_mgc_stop();
	KUNIT_EXPECT_FALSE(test, mf_device("MGC" MF_NID));
}

static void cleanup_by_hand_ends_what_is_followed(struct kunit *test)
{
	struct mgc_log *log;

	mf_add_device(MF_LOG, DEVICE);
	log = mf_follow(test);
	KUNIT_EXPECT_EQ(test, class_cleanup(mf.mgc, true, false, NULL), 0);
	KUNIT_EXPECT_TRUE(test, IS_ERR(mgc_get(&init_net, MF_NID, NULL)));
	mgc_log_end(log);
}

static void many_start_and_end(struct kunit *test)
{
	struct mgc_log *log;
	int n;

	mf_add_device(MF_LOG, DEVICE);
	for (n = 0; n < 50; n++) {
		log = mf_follow(test);
		mf_tell(MF_FS, CONFIG_T_CONFIG);
		mgc_log_end(log);
		class_cleanup_instance(MF_INSTANCE, true, NULL);
	}
	KUNIT_EXPECT_FALSE(test, mf_device(DEVICE MF_SUFFIX));
}

static void parameters_show_what_is_followed(struct kunit *test)
{
	struct mgc_log *log;

	mf_log_new(test, "params");
	mf_add_setting("general", KC_NAME ".*.limit=20");
	mf_add_device(MF_LOG, DEVICE);
	log = mf_follow(test);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, "mgc/MGC" MF_NID "/logs"),
			0L);
	KUNIT_EXPECT_GT(test, client_rec_count(fx.client), 40U);
	KUNIT_EXPECT_EQ(test, client_read(fx.client,
					  "mgc/MGC" MF_NID "/permanent"), 0L);
	KUNIT_EXPECT_GT(test, client_rec_count(fx.client), 7U);
	KUNIT_EXPECT_EQ(test, client_read(fx.client,
					  "mgc/MGC" MF_NID "/ir_state"), 0L);
	KUNIT_EXPECT_EQ(test, client_read(fx.client,
					  "mgc/MGC" MF_NID "/mgs_conn_uuid"),
			0L);
	KUNIT_EXPECT_TRUE(test, client_text_is(fx.client, MF_NID));
	mgc_log_end(log);
}

static struct kunit_case mgc_cases[] = {
	KUNIT_CASE(log_is_applied_and_acknowledged),
	KUNIT_CASE(names_of_a_server_stay),
	KUNIT_CASE(log_reaches_its_own_devices_only),
	KUNIT_CASE(log_does_not_reach_its_client),
	KUNIT_CASE(log_adds_servers_for_itself),
	KUNIT_CASE(what_is_appended_is_followed),
	KUNIT_CASE(long_log_comes_in_parts),
	KUNIT_CASE(log_that_changes_meanwhile_is_read_again),
	KUNIT_CASE(a_rewritten_log_is_applied_once),
	KUNIT_CASE(record_that_fails_is_told),
	KUNIT_CASE(log_that_is_not_there_is_said),
	KUNIT_CASE(damaged_log_is_refused),
	KUNIT_CASE(log_is_followed_once_for_an_instance),
	KUNIT_CASE(setting_of_a_device_comes_and_goes),
	KUNIT_CASE(setting_for_all_reaches_what_comes_later),
	KUNIT_CASE(setting_of_another_file_system_is_not_ours),
	KUNIT_CASE(setting_that_is_refused_is_told),
	KUNIT_CASE(settings_of_a_rewritten_log),
	KUNIT_CASE(trial_sets_nothing),
	KUNIT_CASE(trial_of_a_device),
	KUNIT_CASE(evicted_client_comes_again),
	KUNIT_CASE(service_that_restarts_is_followed),
	KUNIT_CASE(lock_goes_back_at_the_end),
	KUNIT_CASE(servers_of_a_rewritten_log),
	KUNIT_CASE(target_that_restarts_is_connected_at_once),
	KUNIT_CASE(table_that_is_none_is_said),
	KUNIT_CASE(start_without_service_ends),
	KUNIT_CASE(service_that_comes_later_is_waited_for),
	KUNIT_CASE(start_can_be_killed),
	KUNIT_CASE(log_waits_for_settings_in_turns),
	KUNIT_CASE(log_does_not_wait_for_damaged_settings),
	KUNIT_CASE(end_is_bounded),
	KUNIT_CASE(nodes_are_parsed),
	KUNIT_CASE(client_is_shared),
	KUNIT_CASE(cleanup_by_hand_ends_what_is_followed),
	KUNIT_CASE(many_start_and_end),
	KUNIT_CASE(parameters_show_what_is_followed),
	{}
};

static struct kunit_suite mgc_suite = {
	.name = "mgc",
	.suite_init = mf_suite_init,
	.init = mf_init,
	.exit = mf_exit,
	.test_cases = mgc_cases,
};
kunit_test_suite(mgc_suite);

MODULE_DESCRIPTION("the management client");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
