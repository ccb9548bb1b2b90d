// SPDX-License-Identifier: GPL-2.0-only
/*
 * Single commands: each takes effect, or is refused with a reason; settings of devices and of
 * the node; profiles.
 *
 * Every: 2
 */
#include "obd_config_fixture.h"

#include "../../obdclass/obd_internal.h"

static void a_device_goes_through_its_life(struct kunit *test)
{
	struct obd_device *obd = kc_start(test, "cfg");

	KUNIT_EXPECT_EQ(test, obd->obd_state, OBD_SET_UP);
	KUNIT_EXPECT_STREQ(test, obd->obd_uuid.uuid, "kc_UUID");
	KUNIT_EXPECT_EQ(test, kc_do(LCFG_CLEANUP, "cfg", KC_ARGS("FA"), NULL),
			0);
	KUNIT_EXPECT_EQ(test, obd->obd_state, OBD_CLEANED_UP);
	KUNIT_EXPECT_TRUE(test, test_bit(OBDF_FORCE, &obd->obd_flags));
	KUNIT_EXPECT_TRUE(test, test_bit(OBDF_FAIL, &obd->obd_flags));
	KUNIT_EXPECT_EQ(test, kc_do(LCFG_DETACH, "cfg", NULL, NULL), 0);
	KUNIT_EXPECT_EQ(test, obd->obd_state, OBD_DETACHED);
	class_decref(obd, OBD_REF_LOOKUP);
}

static void the_device_is_returned_held(struct kunit *test)
{
	struct obd_device *made = NULL, *found = NULL, *given;
	struct lcfg_view cfg;

	kc_command(&cfg, LCFG_ATTACH, "cfg", KC_ARGS(KC_NAME, "u"));
	KUNIT_ASSERT_EQ(test, class_process_config(&cfg, 7, &made, NULL), 0);
	KUNIT_ASSERT_NOT_NULL(test, made);
	if (!made)
		return;
	KUNIT_EXPECT_EQ(test, made->obd_instance, 7ULL);
	KUNIT_EXPECT_EQ(test, atomic_read(&made->obd_refs[OBD_REF_LOOKUP]), 1);
	lcfg_init(&cfg, LCFG_CLEANUP, "cfg");
	KUNIT_EXPECT_EQ(test, class_process_config(&cfg, 0, &found, NULL),
			-ENODEV);
	KUNIT_EXPECT_PTR_EQ(test, found, made);
	KUNIT_EXPECT_EQ(test, atomic_read(&made->obd_refs[OBD_REF_LOOKUP]), 2);
	/* A given device is used, and buffer 0 is ignored. */
	given = made;
	lcfg_init(&cfg, LCFG_SETUP, "other");
	KUNIT_EXPECT_EQ(test, class_process_config(&cfg, 0, &given, NULL), 0);
	KUNIT_EXPECT_PTR_EQ(test, given, made);
	KUNIT_EXPECT_EQ(test, atomic_read(&made->obd_refs[OBD_REF_LOOKUP]), 2);
	class_decref(found, OBD_REF_LOOKUP);
	kt_end(test, made);
}

static const struct config_refusal {
	u32 command;
	const char *device;
	const char *args[3];
	int rc;
	const char *says;
} config_refusals[] = {
	{ LCFG_SETUP, "none", { }, -ENODEV, "device 'none' does not exist" },
	{ LCFG_SETUP, "", { }, -EINVAL, "buffer 0 has no name" },
	{ LCFG_ATTACH, "cfg", { KC_NAME, "u" }, -EEXIST, "'cfg'" },
	{ LCFG_ATTACH, "new", { "no_such_type", "u" }, -ENODEV,
	  "no such type 'no_such_type'" },
	{ LCFG_ATTACH, "new", { KC_NAME }, -EINVAL, "uuid is empty" },
	{ LCFG_SETUP, "cfg", { }, -EEXIST, "already set up" },
	{ LCFG_DETACH, "cfg", { }, -EBUSY, "clean it up first" },
	{ LCFG_CLEANUP, "cfg", { "X" }, -EINVAL, "'X' is not a mode of cleanup" },
	{ LCFG_ADD_UUID, "", { "node", "1.2.3@tcp" }, -EINVAL, "1.2.3@tcp" },
	{ LCFG_ADD_UUID, "", { "node", "1.2.3.4@o2ib" }, -EPROTONOSUPPORT,
	  "tcp and lo" },
	{ LCFG_ADD_UUID, "", { "", "1.2.3.4@tcp" }, -EINVAL, "is not a uuid" },
	{ LCFG_DEL_UUID, "", { "no_such_node" }, -ENOENT, "no_such_node" },
	{ LCFG_MOUNTOPT, "", { "" }, -EINVAL, "no name" },
	{ LCFG_DEL_MOUNTOPT, "", { "none" }, -ENOENT, "'none'" },
	{ LCFG_ADD_CONN, "cfg", { "" }, -EINVAL, "is not a uuid" },
	{ LCFG_DEL_CONN, "cfg", { "node" }, -EOPNOTSUPP, KC_NAME },
	{ LCFG_PARAM, "cfg", { }, -EINVAL, "setting is missing" },
	{ LCFG_PARAM, "cfg", { "limit" }, -EINVAL, "NAME=VALUE" },
	{ LCFG_PARAM, "cfg", { "limit=" }, -EINVAL, "NAME=VALUE" },
	{ LCFG_PARAM, "cfg", { "limit=1" }, -EINVAL, "start with '" KC_NAME },
	{ LCFG_PARAM, "cfg", { "osc.limit=1" }, -EINVAL, "'osc.limit'" },
	{ LCFG_PARAM, "cfg", { KC_NAME ".none=1" }, -ENOENT, "none" },
	{ LCFG_PARAM, "cfg", { KC_NAME ".limit=101" }, -ERANGE, "1..100" },
	{ LCFG_PARAM, "cfg", { KC_NAME ".uuid=x" }, -EACCES, "uuid" },
	{ LCFG_PARAM, "none", { KC_NAME ".limit=1" }, -ENODEV, "'none'" },
	{ LCFG_PARAM, "general", { "no_such_type.limit=1" }, -ENODEV,
	  "no_such_type.limit" },
	{ LCFG_PARAM, "", { "sys.timeou=5" }, -ENOENT, "sys.timeou" },
	{ LCFG_PARAM, "", { "sys.timeout=0" }, -ERANGE, "sys.timeout" },
	{ LCFG_PARAM, "", { "sys.at=5" }, -ENOENT, "sys.at" },
	{ LCFG_SET_PARAM, "general", { "no.such.*=1", "lctl" }, -ENOENT,
	  "no.such.*" },
	{ LCFG_SET_PARAM, "general", { "timeout=5", "/bin/sh" }, -EINVAL,
	  "/bin/sh" },
	{ LCFG_SET_PARAM, "general", { KC_NAME ".*.limit=x" }, -EINVAL,
	  "limit" },
	{ 0xcf0ff, "cfg", { }, -EINVAL, "0xcf0ff is unknown" },
	{ 0xce0ff, "cfg", { }, -EOPNOTSUPP, "optional" },
	{ LCFG_SPTLRPC_CONF, "cfg", { }, -EOPNOTSUPP, "optional" },
};

static void what_cannot_be_is_refused_in_words(struct kunit *test)
{
	struct obd_device *obd = kc_start(test, "cfg");
	struct obd_why why;
	size_t n;
	int rc;

	for (n = 0; n < ARRAY_SIZE(config_refusals); n++) {
		const struct config_refusal *r = &config_refusals[n];
		const char *args[4] = { r->args[0], r->args[1], r->args[2] };

		strscpy(why.text, "left over", sizeof(why.text));
		rc = kc_do(r->command, r->device, args, &why);
		KUNIT_EXPECT_EQ_MSG(test, rc, r->rc, "case %zu", n);
		kc_expect_says(test, &why, r->says);
		/* The same without a callback. */
		KUNIT_EXPECT_EQ(test, kc_do(r->command, r->device, args, NULL),
				r->rc);
	}
	KUNIT_EXPECT_EQ(test, kc.limit, 8U);
	KUNIT_EXPECT_EQ(test, kc.processed, 0U);
	kt_end(test, obd);
}

static void a_device_that_is_not_set_up_says_so(struct kunit *test)
{
	struct obd_device *obd = NULL;
	struct lcfg_view cfg;
	struct obd_why why;

	kc_command(&cfg, LCFG_ATTACH, "cfg", KC_ARGS(KC_NAME, "u"));
	KUNIT_ASSERT_EQ(test, class_process_config(&cfg, 0, &obd, NULL), 0);
	KUNIT_EXPECT_EQ(test, kc_do(LCFG_PARAM, "cfg",
				    KC_ARGS(KC_NAME ".limit=1"), &why),
			-ENODEV);
	kc_expect_says(test, &why, "cfg: is not set up");
	KUNIT_EXPECT_EQ(test, kc_do(LCFG_ADD_CONN, "cfg", KC_ARGS("node"),
				    &why), -ENODEV);
	kc_expect_says(test, &why, "cfg: is not set up");
	KUNIT_EXPECT_EQ(test, kc_do(LCFG_LOV_ADD_OBD, "cfg", NULL, &why),
			-ENODEV);
	kt_end(test, obd);
}

static void other_commands_are_for_the_type(struct kunit *test)
{
	static const u32 commands[] = {
		LCFG_LOV_ADD_OBD, LCFG_LOV_ADD_INA, LCFG_LOV_DEL_OBD,
		LCFG_ADD_MDC, LCFG_DEL_MDC, LCFG_POOL_NEW, LCFG_POOL_ADD,
		LCFG_POOL_REM, LCFG_POOL_DEL, LCFG_PRE_CLEANUP,
	};
	struct obd_device *obd = kc_start(test, "cfg");
	struct obd_why why;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(commands); n++) {
		KUNIT_EXPECT_EQ(test, kc_do(commands[n], "cfg", NULL, NULL), 0);
		KUNIT_EXPECT_EQ(test, kc.command, commands[n]);
		KUNIT_EXPECT_STREQ(test, kc.device, "cfg");
	}
	/* Its errors are passed on; those without a reason get one. */
	kc.process_rc = -ENOSPC;
	KUNIT_EXPECT_EQ(test, kc_do(LCFG_POOL_NEW, "cfg", NULL, &why), -ENOSPC);
	kc_expect_says(test, &why, "cfg: ");
	kt_end(test, obd);
}

static void a_connection_is_added_with_its_priority(struct kunit *test)
{
	struct obd_device *obd = kc_start(test, "cfg");
	struct lcfg_view cfg;

	kc_command(&cfg, LCFG_ADD_CONN, "cfg", KC_ARGS("node"));
	KUNIT_EXPECT_EQ(test, class_process_config(&cfg, 0, NULL, NULL), 0);
	KUNIT_EXPECT_STREQ(test, kc.conn, "node");
	KUNIT_EXPECT_FALSE(test, kc.priority);
	cfg.num = 1;
	KUNIT_EXPECT_EQ(test, class_process_config(&cfg, 0, NULL, NULL), 0);
	KUNIT_EXPECT_TRUE(test, kc.priority);
	kt_end(test, obd);
}

static bool server_is_at(const char *uuid, const struct lnet_nid *nid)
{
	struct lnet_nid found;

	return class_uuid2nids(0, uuid, &found, 1) == 1 && !memcmp(&found, nid, sizeof(found));
}

/* 10.2.2.59@tcp3, as a number and as a text. */
static void a_nid_is_a_number_or_a_text(struct kunit *test)
{
	struct lcfg_view cfg;
	struct obd_why why;
	struct lnet_nid nid;

	KUNIT_ASSERT_EQ(test, libcfs_nid_parse("10.2.2.59@tcp3", 14, &nid,
					       NULL), 0);
	kc_command(&cfg, LCFG_ADD_UUID, "", KC_ARGS("kunit_node"));
	cfg.nid = 0x200030a02023bULL;
	KUNIT_EXPECT_EQ(test, class_process_config(&cfg, 0, NULL, NULL), 0);
	KUNIT_EXPECT_TRUE(test, server_is_at("kunit_node", &nid));
	KUNIT_EXPECT_EQ(test, class_del_uuid("kunit_node"), 0);
	kc_command(&cfg, LCFG_ADD_UUID, "",
		   KC_ARGS("kunit_node", "10.2.2.59@tcp3"));
	KUNIT_EXPECT_EQ(test, class_process_config(&cfg, 0, NULL, NULL), 0);
	KUNIT_EXPECT_TRUE(test, server_is_at("kunit_node", &nid));
	KUNIT_EXPECT_EQ(test, kc_do(LCFG_DEL_UUID, "", KC_ARGS("kunit_node"),
				    NULL), 0);
	KUNIT_EXPECT_FALSE(test, server_is_at("kunit_node", &nid));
	/* A network type that is not supported: o2ib. */
	kc_command(&cfg, LCFG_ADD_UUID, "", KC_ARGS("kunit_node"));
	cfg.nid = 0x500000a02023bULL;
	KUNIT_EXPECT_EQ(test, class_process_config(&cfg, 0, NULL, &why),
			-EPROTONOSUPPORT);
	kc_expect_says(test, &why, "0x500000a02023b");
}

static void parameters_are_those_of_the_device(struct kunit *test)
{
	struct obd_device *obd = kc_start(test, "cfg");
	struct lcfg_view cfg;
	struct obd_why why;

	KUNIT_EXPECT_EQ(test, kc_do(LCFG_PARAM, "cfg",
				    KC_ARGS(KC_NAME ".limit=17"), NULL), 0);
	KUNIT_EXPECT_EQ(test, kc.limit, 17U);
	/* Every setting is tried; the reason is that of the first refusal. */
	KUNIT_EXPECT_EQ(test, kc_do(LCFG_PARAM, "cfg",
				    KC_ARGS(KC_NAME ".limit=1000",
					    KC_NAME ".limit=18",
					    KC_NAME ".none=1"), &why),
			-ERANGE);
	kc_expect_says(test, &why, "1000");
	KUNIT_EXPECT_EQ(test, kc.limit, 18U);
	/* "general": all devices of the type, of the instance. */
	KUNIT_EXPECT_EQ(test, kc_do(LCFG_PARAM, "general",
				    KC_ARGS(KC_NAME ".limit=19"), NULL), 0);
	KUNIT_EXPECT_EQ(test, kc.limit, 19U);
	kc_command(&cfg, LCFG_PARAM, "general", KC_ARGS(KC_NAME ".limit=20"));
	KUNIT_EXPECT_EQ(test, class_process_config(&cfg, 1, NULL, &why),
			-ENODEV);
	KUNIT_EXPECT_EQ(test, kc_do(LCFG_SET_PARAM, "fs",
				    KC_ARGS(KC_NAME ".c*.limit=21", "lctl"),
				    NULL), 0);
	KUNIT_EXPECT_EQ(test, kc.limit, 21U);
	kc_command(&cfg, LCFG_PARAM, "cfg", KC_ARGS(KC_NAME ".limit=22"));
	KUNIT_EXPECT_EQ(test, class_modify_config(obd, &cfg, NULL), 0);
	KUNIT_EXPECT_EQ(test, kc.limit, 22U);
	kt_end(test, obd);
}

static int param_of_node(struct kunit *test, const char *name)
{
	return client_read(fx.client, name) ? -1 : client_number(fx.client);
}

static void settings_of_the_node_are_set_by_exact_name(struct kunit *test)
{
	unsigned int timeout = obd_timeout, ldlm = ldlm_timeout;
	struct lcfg_view cfg;

	lcfg_init(&cfg, LCFG_SET_TIMEOUT, "");
	cfg.num = 21;
	KUNIT_EXPECT_EQ(test, class_process_config(&cfg, 0, NULL, NULL), 0);
	KUNIT_EXPECT_EQ(test, obd_timeout, 21U);
	KUNIT_EXPECT_EQ(test, param_of_node(test, "timeout"), 21);
	KUNIT_EXPECT_EQ(test, param_of_node(test, "ping_interval"), 5);
	cfg.num = 0;
	KUNIT_EXPECT_EQ(test, class_process_config(&cfg, 0, NULL, NULL),
			-ERANGE);
	lcfg_init(&cfg, LCFG_SET_LDLM_TIMEOUT, "");
	cfg.num = 9;
	KUNIT_EXPECT_EQ(test, class_process_config(&cfg, 0, NULL, NULL), 0);
	KUNIT_EXPECT_EQ(test, ldlm_timeout, 9U);
	/* The prefix decides; existing devices do not matter. */
	KUNIT_EXPECT_EQ(test, kc_do(LCFG_PARAM, "none",
				    KC_ARGS("sys.timeout=22", "22"), NULL), 0);
	KUNIT_EXPECT_EQ(test, obd_timeout, 22U);
	KUNIT_EXPECT_EQ(test, obd_global_set("timeou", "5", 0, NULL), -ENOENT);
	KUNIT_EXPECT_EQ(test, obd_global_set("timeouts", "5", 0, NULL), -ENOENT);
	/* It is in the tree, but a log may not set it. */
	KUNIT_EXPECT_EQ(test, obd_global_set("debug", "0", 0, NULL), -ENOENT);
	KUNIT_EXPECT_EQ(test, obd_timeout, 22U);
	obd_timeout = timeout;
	ldlm_timeout = ldlm;
}

static void a_jobs_id_has_rules(struct kunit *test)
{
	static const char * const good[] = {
		"procname_uid", "session", "nodelocal", "SLURM_JOB_ID", "_x",
		"disable",
	};
	static const char * const bad[] = {
		"", "a b", "a-b", "1a", "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345",
	};
	size_t n;

	for (n = 0; n < ARRAY_SIZE(good); n++)
		KUNIT_EXPECT_EQ_MSG(test,
				    obd_global_set("jobid_var", good[n], 0,
						   NULL), 0, "%s", good[n]);
	for (n = 0; n < ARRAY_SIZE(bad); n++)
		KUNIT_EXPECT_NE_MSG(test,
				    obd_global_set("jobid_var", bad[n], 0,
						   NULL), 0, "%s", bad[n]);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, "jobid_var"), 0);
	KUNIT_EXPECT_TRUE(test, client_text_is(fx.client, "disable"));
	KUNIT_EXPECT_NE(test, obd_global_set("jobid_name", "%x", 0, NULL), 0);
	KUNIT_EXPECT_NE(test, obd_global_set("jobid_name", "a%", 0, NULL), 0);
	KUNIT_EXPECT_NE(test, obd_global_set("jobid_name", "a b", 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, obd_global_set("jobid_name", "%h.%e", 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, obd_global_set("jobid_name", "%e.%u", 0, NULL), 0);
}

static void profile_is(struct kunit *test, const char *name, u64 instance,
		       const char *dt, const char *md)
{
	struct lustre_profile *lp = class_get_profile(name, instance);

	KUNIT_ASSERT_NOT_NULL(test, lp);
	KUNIT_EXPECT_STREQ(test, lp->lp_dt, dt);
	KUNIT_EXPECT_STREQ(test, lp->lp_md, md);
	class_put_profile(lp);
}

static void profiles_are_by_name_and_instance(struct kunit *test)
{
	struct lustre_profile *held;

	KUNIT_EXPECT_EQ(test, kc_do(LCFG_MOUNTOPT, "",
				    KC_ARGS("fs-client", "lov", "lmv"), NULL),
			0);
	KUNIT_EXPECT_EQ(test, class_add_profile("fs-client", "l2", "", 2), 0);
	profile_is(test, "fs-client", 0, "lov", "lmv");
	profile_is(test, "fs-client", 2, "l2", "");
	KUNIT_EXPECT_NULL(test, class_get_profile("fs-client", 1));
	KUNIT_EXPECT_NULL(test, class_get_profile("fs", 0));
	/* A holder keeps its profile, also if the name is redefined meanwhile. */
	held = class_get_profile("fs-client", 0);
	KUNIT_ASSERT_NOT_NULL(test, held);
	KUNIT_EXPECT_EQ(test, class_add_profile("fs-client", "new", "lmv", 0),
			0);
	profile_is(test, "fs-client", 0, "new", "lmv");
	KUNIT_EXPECT_STREQ(test, held->lp_dt, "lov");
	KUNIT_EXPECT_EQ(test, refcount_read(&held->lp_refcount), 1U);
	class_put_profile(held);
	KUNIT_EXPECT_EQ(test, kc_do(LCFG_DEL_MOUNTOPT, "",
				    KC_ARGS("fs-client"), NULL), 0);
	KUNIT_EXPECT_NULL(test, class_get_profile("fs-client", 0));
	profile_is(test, "fs-client", 2, "l2", "");
	class_del_profiles(2);
	KUNIT_EXPECT_NULL(test, class_get_profile("fs-client", 2));
	KUNIT_EXPECT_EQ(test, class_del_profile("fs-client", 2), -ENOENT);
}

#define CONTENDERS	4
#define ROUNDS		2000

static long contend_for_profile(void *arg)
{
	struct lustre_profile *lp;
	long bad = 0;
	int n;

	for (n = 0; n < ROUNDS; n++) {
		bad += class_add_profile("kunit-race", "dt", "md", 3) != 0;
		lp = class_get_profile("kunit-race", 3);
		if (lp)
			bad += strcmp(lp->lp_dt, "dt") != 0;
		class_put_profile(lp);
		class_del_profile("kunit-race", 3);
		if (n % 64 == 0)
			class_del_profiles(3);
	}
	return bad;
}

/* The check of memory after the case finds none of them. */
static void contenders_for_a_profile_leave_nothing(struct kunit *test)
{
	struct aside aside[CONTENDERS];
	int n;

	for (n = 0; n < CONTENDERS; n++)
		aside_start(test, &aside[n], contend_for_profile, NULL);
	for (n = 0; n < CONTENDERS; n++)
		KUNIT_EXPECT_EQ(test, aside_join(test, &aside[n]), 0);
	class_del_profiles(3);
}

/* Whether one of the records is that text. */
static bool record_is(struct client *c, const char *text)
{
	struct params_value_rec *rec;
	unsigned int n;

	for (n = 0; n < client_rec_count(c); n++) {
		rec = client_rec(c, n);
		if (rec->vr_len == strlen(text) &&
		    !memcmp(client_rec_value(rec), text, rec->vr_len))
			return true;
	}
	return false;
}

static void devices_lists_what_there_is(struct kunit *test)
{
	struct obd_device *obd = kc_start(test, "cfg");
	char line[64];

	/* References: the table, its setup, its own export and this case. */
	scnprintf(line, sizeof(line), "%3u UP " KC_NAME " cfg kc_UUID 4",
		  obd->obd_minor);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, "devices"), 0);
	KUNIT_EXPECT_TRUE_MSG(test, record_is(fx.client, line), "%s", line);
	kt_end(test, obd);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, "devices"), 0);
	KUNIT_EXPECT_EQ(test, client_rec_count(fx.client),
			class_obd_devs_count());
}

static struct kunit_case config_cases[] = {
	KUNIT_CASE(a_device_goes_through_its_life),
	KUNIT_CASE(the_device_is_returned_held),
	KUNIT_CASE(what_cannot_be_is_refused_in_words),
	KUNIT_CASE(a_device_that_is_not_set_up_says_so),
	KUNIT_CASE(other_commands_are_for_the_type),
	KUNIT_CASE(a_connection_is_added_with_its_priority),
	KUNIT_CASE(a_nid_is_a_number_or_a_text),
	KUNIT_CASE(parameters_are_those_of_the_device),
	KUNIT_CASE(settings_of_the_node_are_set_by_exact_name),
	KUNIT_CASE(a_jobs_id_has_rules),
	KUNIT_CASE(profiles_are_by_name_and_instance),
	KUNIT_CASE(contenders_for_a_profile_leave_nothing),
	KUNIT_CASE(devices_lists_what_there_is),
	{}
};

static struct kunit_suite config_suite = {
	.name = "obd_config",
	.suite_init = client_suite_init,
	.init = config_fixture_init,
	.exit = config_fixture_exit,
	.test_cases = config_cases,
};
kunit_test_suite(config_suite);

MODULE_DESCRIPTION("configuration commands, settings of the node, profiles");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
