// SPDX-License-Identifier: GPL-2.0-only
/*
 * The consumer of config logs: what becomes of a record, by its section, by the
 * reader and by its command; following a log; and that the report has it all.
 *
 * Every: 2
 */
#include <linux/shmem_fs.h>

#include "obd_config_fixture.h"

#define INSTANCE	0xabcULL
#define SUFFIX		"-0000000000000abc"
#define REPORTS		32

/* The report about a record. */
struct said {
	u32			index;
	u32			command;
	char			device[32];
	enum obd_replay_done	done;
	int			status;
	struct obd_why		why;
};

/**
 * struct follower - a log, who follows it, and what was reported
 * @cfg: consumer
 * @log: log, open for writing
 * @file: where it is, a file in memory
 * @last: index of the record that was appended last
 * @count: records that were reported
 * @stop: stop after that many
 * @said: the reports
 */
static struct follower {
	struct config_llog_instance	cfg;
	struct llog_handle		*log;
	struct file			*file;
	u32				last;
	unsigned int			count;
	unsigned int			stop;
	struct said			said[REPORTS];
} fo;

static int follower_report(struct config_llog_instance *cfg, u32 index,
			   const struct lcfg_view *view,
			   enum obd_replay_done done, int status,
			   const struct obd_why *why)
{
	struct said *said = &fo.said[fo.count % REPORTS];

	said->index = index;
	said->command = view->command;
	strscpy(said->device, lcfg_string(view, 0) ?: "", sizeof(said->device));
	said->done = done;
	said->status = status;
	said->why = *why;
	return ++fo.count == fo.stop ? LLOG_PROC_BREAK : 0;
}

/* An empty log with these flags, in a file in memory. */
static void log_make(struct kunit *test, u32 flags)
{
	void *chunk = kunit_kzalloc(test, LLOG_MIN_CHUNK_SIZE, GFP_KERNEL);
	loff_t pos = 0;
	ssize_t len;

	KUNIT_ASSERT_NOT_NULL(test, chunk);
	KUNIT_ASSERT_EQ(test, llog_head_encode(chunk, LLOG_MIN_CHUNK_SIZE,
					       flags, "config_uuid", 1), 0);
	fo.file = shmem_file_setup("kunit_config_log", 0, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(fo.file));
	len = kernel_write(fo.file, chunk, LLOG_MIN_CHUNK_SIZE, &pos);
	KUNIT_ASSERT_EQ(test, len, (ssize_t)LLOG_MIN_CHUNK_SIZE);
	fo.log = llog_open_file(fo.file,
				flags & LLOG_F_IS_CAT ? 0 : LLOG_O_WRITE);
	KUNIT_ASSERT_FALSE(test, IS_ERR(fo.log));
}

static void log_end(void)
{
	if (!IS_ERR_OR_NULL(fo.log))
		llog_close(fo.log);
	if (!IS_ERR_OR_NULL(fo.file))
		fput(fo.file);
	fo.log = NULL;
	fo.file = NULL;
}

static int log_fixture_init(struct kunit *test)
{
	int rc = config_fixture_init(test);

	if (rc)
		return rc;
	memset(&fo, 0, sizeof(fo));
	fo.cfg.cfg_report = follower_report;
	log_make(test, LLOG_F_IS_PLAIN);
	return 0;
}

static void log_fixture_exit(struct kunit *test)
{
	log_end();
	class_cleanup_instance(INSTANCE, true, NULL);
	class_del_profiles(INSTANCE);
	config_fixture_exit(test);
}

static void add_raw(struct kunit *test, u32 type, const void *body, size_t len)
{
	KUNIT_ASSERT_EQ(test, llog_append(fo.log, type, body, len, &fo.last), 0);
}

static void add_view(struct kunit *test, const struct lcfg_view *view)
{
	char *bytes = kunit_kzalloc(test, LUSTRE_CFG_SIZE_MAX, GFP_KERNEL);
	ssize_t len;

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	len = lustre_cfg_encode(view, bytes, LUSTRE_CFG_SIZE_MAX);
	KUNIT_ASSERT_GT(test, len, (ssize_t)0);
	add_raw(test, OBD_CFG_REC, bytes, len);
	kunit_kfree(test, bytes);
}

static void add(struct kunit *test, u32 command, const char *device,
		const char *const *args)
{
	struct lcfg_view view;

	kc_command(&view, command, device, args);
	add_view(test, &view);
}

static void mark(struct kunit *test, u32 flags, const char *target)
{
	struct cfg_marker marker = { .cm_flags = cpu_to_le32(flags) };
	struct lcfg_view view;

	strscpy(marker.cm_tgtname, target, sizeof(marker.cm_tgtname));
	lcfg_init(&view, LCFG_MARKER, "");
	lcfg_add_buf(&view, &marker, sizeof(marker));
	add_view(test, &view);
}

/* A section with a device in it. */
static void add_device(struct kunit *test, const char *name)
{
	mark(test, CM_START, name);
	add(test, LCFG_ATTACH, name, KC_ARGS(KC_NAME, "log_UUID"));
	add(test, LCFG_SETUP, name, NULL);
	mark(test, CM_END, name);
}

static int follow(void)
{
	struct llog_fault fault;

	return class_config_parse_llog(fo.log, &fo.cfg, &fault);
}

/* The next report is about the following record. */
static struct said *expect(struct kunit *test, unsigned int n,
			   enum obd_replay_done done, int status)
{
	KUNIT_ASSERT_LT(test, n, fo.count);
	KUNIT_EXPECT_EQ_MSG(test, fo.said[n].done, done, "record %u: %s",
			    fo.said[n].index, fo.said[n].why.text);
	KUNIT_EXPECT_EQ_MSG(test, fo.said[n].status, status, "record %u: %s",
			    fo.said[n].index, fo.said[n].why.text);
	return &fo.said[n];
}

static enum obd_status status_of(const char *name)
{
	struct obd_device *obd = class_name2obd(name);
	enum obd_status status = OBD_STATUS_NONE;

	if (obd) {
		status = class_obd_status(obd);
		class_decref(obd, OBD_REF_LOOKUP);
	}
	return status;
}

static void a_log_makes_the_devices_of_an_instance(struct kunit *test)
{
	struct obd_device *obd;

	fo.cfg.cfg_rules.cr_instance = INSTANCE;
	strscpy(fo.cfg.cfg_rules.cr_uuid, "mine", UUID_MAX);
	add_device(test, "dev");
	mark(test, CM_START, "dev");
	add(test, LCFG_MOUNTOPT, "", KC_ARGS("fs-client", "dev"));
	mark(test, CM_END, "dev");
	KUNIT_EXPECT_EQ(test, follow(), 0);
	obd = class_name2obd("dev" SUFFIX);
	KUNIT_ASSERT_NOT_NULL(test, obd);
	KUNIT_EXPECT_STREQ(test, obd->obd_uuid.uuid, "mine");
	KUNIT_EXPECT_EQ(test, obd->obd_instance, INSTANCE);
	KUNIT_EXPECT_EQ(test, class_obd_status(obd), OBD_STATUS_UP);
	class_decref(obd, OBD_REF_LOOKUP);
	KUNIT_EXPECT_EQ(test, fo.cfg.cfg_applied, 3U);
	KUNIT_EXPECT_EQ(test, fo.cfg.cfg_skipped, 0U);
	KUNIT_EXPECT_EQ(test, fo.cfg.cfg_failed, 0U);
	KUNIT_EXPECT_EQ(test, fo.count, 7U);
	KUNIT_EXPECT_STREQ(test, expect(test, 1, OBD_REPLAY_APPLIED, 0)->device,
			   "dev" SUFFIX);
	expect(test, 0, OBD_REPLAY_MARKER, 0);
	KUNIT_EXPECT_EQ(test, class_cleanup_instance(INSTANCE, false, NULL), 1);
	KUNIT_EXPECT_EQ(test, status_of("dev" SUFFIX), OBD_STATUS_NONE);
}

static void without_an_instance_names_are_taken_as_they_are(struct kunit *test)
{
	struct obd_device *obd;

	add_device(test, "dev");
	KUNIT_EXPECT_EQ(test, follow(), 0);
	obd = class_name2obd("dev");
	KUNIT_ASSERT_NOT_NULL(test, obd);
	KUNIT_EXPECT_STREQ(test, obd->obd_uuid.uuid, "log_UUID");
	kt_end(test, obd);
}

static void what_was_taken_back_is_skipped(struct kunit *test)
{
	mark(test, CM_START | CM_SKIP, "dev");
	add(test, LCFG_ATTACH, "dev", KC_ARGS(KC_NAME, "u"));
	mark(test, CM_END | CM_SKIP, "dev");
	add(test, LCFG_ATTACH, "dev", KC_ARGS(KC_NAME, "u"));
	KUNIT_EXPECT_EQ(test, follow(), 0);
	kc_expect_says(test, &expect(test, 1, OBD_REPLAY_SKIPPED, 0)->why,
		       "cancelled");
	kc_expect_says(test, &expect(test, 3, OBD_REPLAY_SKIPPED, 0)->why,
		       "outside of any section");
	KUNIT_EXPECT_EQ(test, fo.cfg.cfg_skipped, 2U);
	KUNIT_EXPECT_EQ(test, status_of("dev"), OBD_STATUS_NONE);
}

static void an_excluded_target_is_added_inactive(struct kunit *test)
{
	fo.cfg.cfg_rules.cr_instance = INSTANCE;
	fo.cfg.cfg_rules.cr_exclude = "fs-OST0001";
	add_device(test, "lov");
	mark(test, CM_START, "fs-OST0000");
	add(test, LCFG_LOV_ADD_OBD, "lov", KC_ARGS("fs-OST0000_UUID"));
	mark(test, CM_END, "fs-OST0000");
	KUNIT_EXPECT_EQ(test, follow(), 0);
	KUNIT_EXPECT_EQ(test, kc.command, (u32)LCFG_LOV_ADD_OBD);
	mark(test, CM_START, "fs-OST0001");
	add(test, LCFG_LOV_ADD_OBD, "lov", KC_ARGS("fs-OST0001_UUID"));
	mark(test, CM_END, "fs-OST0001");
	KUNIT_EXPECT_EQ(test, follow(), 0);
	KUNIT_EXPECT_EQ(test, kc.command, (u32)LCFG_LOV_ADD_INA);
	KUNIT_EXPECT_STREQ(test, kc.device, "lov" SUFFIX);
	KUNIT_EXPECT_EQ(test, fo.cfg.cfg_failed, 0U);
}

static void a_log_is_followed_from_where_it_was_left(struct kunit *test)
{
	fo.cfg.cfg_rules.cr_instance = INSTANCE;
	add_device(test, "one");
	KUNIT_EXPECT_EQ(test, follow(), 0);
	KUNIT_EXPECT_EQ(test, fo.cfg.cfg_last_idx, fo.last);
	KUNIT_EXPECT_EQ(test, follow(), 0);
	KUNIT_EXPECT_EQ(test, fo.count, 4U);
	/* In the middle of a section. */
	mark(test, CM_START, "two");
	KUNIT_EXPECT_EQ(test, follow(), 0);
	add(test, LCFG_ATTACH, "two", KC_ARGS(KC_NAME, "u"));
	KUNIT_EXPECT_EQ(test, follow(), 0);
	KUNIT_EXPECT_EQ(test, status_of("two" SUFFIX), OBD_STATUS_ATTACHED);
	KUNIT_EXPECT_EQ(test, fo.cfg.cfg_last_idx, fo.last);
	KUNIT_EXPECT_EQ(test, fo.cfg.cfg_applied, 3U);
}

static void a_report_may_stop_it(struct kunit *test)
{
	fo.cfg.cfg_rules.cr_instance = INSTANCE;
	add_device(test, "dev");
	fo.stop = 2;
	KUNIT_EXPECT_EQ(test, follow(), 0);
	KUNIT_EXPECT_EQ(test, fo.cfg.cfg_last_idx, 2U);
	KUNIT_EXPECT_EQ(test, status_of("dev" SUFFIX), OBD_STATUS_ATTACHED);
	KUNIT_EXPECT_EQ(test, follow(), 0);
	KUNIT_EXPECT_EQ(test, fo.cfg.cfg_last_idx, 4U);
	KUNIT_EXPECT_EQ(test, status_of("dev" SUFFIX), OBD_STATUS_UP);
}

static void a_failed_setup_is_detached(struct kunit *test)
{
	struct said *said;

	kc.setup_rc = -ENXIO;
	add_device(test, "dev");
	KUNIT_EXPECT_EQ(test, follow(), 0);
	said = expect(test, 2, OBD_REPLAY_FAILED, -ENXIO);
	KUNIT_EXPECT_STREQ(test, said->why.text,
			   "told to fail; it was detached");
	KUNIT_EXPECT_EQ(test, status_of("dev"), OBD_STATUS_NONE);
	expect(test, 3, OBD_REPLAY_MARKER, 0);
	KUNIT_EXPECT_EQ(test, fo.cfg.cfg_applied, 1U);
	KUNIT_EXPECT_EQ(test, fo.cfg.cfg_failed, 1U);
	KUNIT_EXPECT_EQ(test, fo.cfg.cfg_last_idx, fo.last);
}

/* A device that another task set up is not removed. */
static void what_was_set_up_before_stays(struct kunit *test)
{
	struct obd_device *obd = kc_start(test, "dev");

	add_device(test, "dev");
	KUNIT_EXPECT_EQ(test, follow(), 0);
	expect(test, 1, OBD_REPLAY_FAILED, -EEXIST);
	expect(test, 2, OBD_REPLAY_FAILED, -EEXIST);
	KUNIT_EXPECT_EQ(test, obd->obd_state, OBD_SET_UP);
	kt_end(test, obd);
}

static void what_is_optional_may_be_unknown(struct kunit *test)
{
	struct obd_device *obd = kc_start(test, "dev");

	mark(test, CM_START, "dev");
	add(test, 0xcf0ff, "dev", NULL);
	add(test, 0xce0ff, "dev", NULL);
	add(test, LCFG_SPTLRPC_CONF, "dev", NULL);
	add(test, LCFG_SET_PARAM, "general", KC_ARGS("no.such=1", "lctl"));
	add(test, LCFG_SET_PARAM, "general", KC_ARGS("timeout=0", "lctl"));
	add(test, LCFG_POOL_NEW, "none", KC_ARGS("fs", "pool"));
	kc.process_rc = -EOPNOTSUPP;
	add(test, LCFG_POOL_NEW, "dev", KC_ARGS("fs", "pool"));
	add(test, LCFG_ADD_MDC, "dev", KC_ARGS("fs", "pool"));
	mark(test, CM_END, "dev");
	KUNIT_EXPECT_EQ(test, follow(), 0);
	expect(test, 1, OBD_REPLAY_FAILED, -EINVAL);
	expect(test, 2, OBD_REPLAY_IGNORED, -EOPNOTSUPP);
	expect(test, 3, OBD_REPLAY_IGNORED, -EOPNOTSUPP);
	expect(test, 4, OBD_REPLAY_IGNORED, -ENOENT);
	/* A known command with invalid contents is a failure, optional or not. */
	expect(test, 5, OBD_REPLAY_FAILED, -ERANGE);
	expect(test, 6, OBD_REPLAY_FAILED, -ENODEV);
	expect(test, 7, OBD_REPLAY_IGNORED, -EOPNOTSUPP);
	expect(test, 8, OBD_REPLAY_FAILED, -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, fo.cfg.cfg_skipped, 4U);
	KUNIT_EXPECT_EQ(test, fo.cfg.cfg_failed, 4U);
	kt_end(test, obd);
}

static void a_failure_does_not_end_the_log(struct kunit *test)
{
	static const char junk[] = "this is not a lustre_cfg at all, and long";

	fo.cfg.cfg_rules.cr_instance = INSTANCE;
	mark(test, CM_START, "dev");
	add(test, LCFG_SETUP, "none", NULL);
	add_raw(test, OBD_CFG_REC, junk, sizeof(junk));
	add_raw(test, LLOG_GEN_REC, junk, sizeof(junk));
	mark(test, 0, "dev");
	add_device(test, "dev");
	KUNIT_EXPECT_EQ(test, follow(), 0);
	expect(test, 1, OBD_REPLAY_FAILED, -ENODEV);
	expect(test, 2, OBD_REPLAY_FAILED, -EINVAL);
	expect(test, 3, OBD_REPLAY_FAILED, -EINVAL);
	expect(test, 4, OBD_REPLAY_FAILED, -EINVAL);
	KUNIT_EXPECT_EQ(test, status_of("dev" SUFFIX), OBD_STATUS_UP);
	KUNIT_EXPECT_EQ(test, fo.cfg.cfg_failed, 4U);
	KUNIT_EXPECT_EQ(test, fo.cfg.cfg_applied, 2U);
}

static void cancelled_records_are_not_seen(struct kunit *test)
{
	fo.cfg.cfg_rules.cr_instance = INSTANCE;
	add_device(test, "one");
	add_device(test, "two");
	/* The attach of the first. */
	KUNIT_EXPECT_EQ(test, llog_cancel(fo.log, 2), 0);
	KUNIT_EXPECT_EQ(test, follow(), 0);
	KUNIT_EXPECT_EQ(test, fo.count, 7U);
	KUNIT_EXPECT_EQ(test, fo.said[1].index, 3U);
	expect(test, 1, OBD_REPLAY_FAILED, -ENODEV);
	KUNIT_EXPECT_EQ(test, status_of("two" SUFFIX), OBD_STATUS_UP);
}

static void what_is_no_config_log_is_refused(struct kunit *test)
{
	struct llog_fault fault;

	log_end();
	log_make(test, LLOG_F_IS_CAT);
	KUNIT_EXPECT_EQ(test, class_config_parse_llog(fo.log, &fo.cfg, &fault),
			-EINVAL);
	KUNIT_EXPECT_NOT_NULL(test, fault.what);
	KUNIT_EXPECT_EQ(test, fo.count, 0U);
}

static void a_dry_run_only_looks(struct kunit *test)
{
	unsigned int timeout = obd_timeout;
	struct lcfg_view view;
	struct lnet_nid nid;

	fo.cfg.cfg_dry_run = true;
	fo.cfg.cfg_rules.cr_instance = INSTANCE;
	add_device(test, "dev");
	mark(test, CM_START, "dev");
	add(test, LCFG_ATTACH, "other", KC_ARGS("no_such_type", "u"));
	lcfg_init(&view, LCFG_SET_TIMEOUT, "");
	view.num = 33;
	add_view(test, &view);
	add(test, LCFG_ADD_UUID, "", KC_ARGS("kunit_dry", "1.2.3.4@tcp"));
	add(test, LCFG_ADD_UUID, "", KC_ARGS("kunit_dry", "1.2.3@tcp"));
	add(test, LCFG_MOUNTOPT, "", KC_ARGS("fs-client", "dev"));
	add(test, LCFG_PARAM, "dev", KC_ARGS(KC_NAME ".limit=1"));
	add(test, LCFG_PARAM, "", KC_ARGS("sys.none=1"));
	add(test, 0xcf0ff, "dev", NULL);
	mark(test, CM_END, "dev");
	KUNIT_EXPECT_EQ(test, follow(), 0);
	expect(test, 1, OBD_REPLAY_APPLIED, 0);
	expect(test, 2, OBD_REPLAY_APPLIED, 0);
	expect(test, 5, OBD_REPLAY_FAILED, -ENODEV);
	expect(test, 6, OBD_REPLAY_APPLIED, 0);
	expect(test, 7, OBD_REPLAY_APPLIED, 0);
	expect(test, 8, OBD_REPLAY_FAILED, -EINVAL);
	expect(test, 9, OBD_REPLAY_APPLIED, 0);
	expect(test, 10, OBD_REPLAY_APPLIED, 0);
	expect(test, 11, OBD_REPLAY_FAILED, -ENOENT);
	expect(test, 12, OBD_REPLAY_FAILED, -EINVAL);
	KUNIT_EXPECT_EQ(test, kt.devices, class_obd_devs_count());
	KUNIT_EXPECT_EQ(test, obd_timeout, timeout);
	KUNIT_EXPECT_EQ(test, kc.limit, 8U);
	KUNIT_EXPECT_NULL(test, class_get_profile("fs-client", INSTANCE));
	KUNIT_EXPECT_LT(test, class_uuid2nids(INSTANCE, "kunit_dry", &nid, 1), 1);
}

static struct kunit_case log_cases[] = {
	KUNIT_CASE(a_log_makes_the_devices_of_an_instance),
	KUNIT_CASE(without_an_instance_names_are_taken_as_they_are),
	KUNIT_CASE(what_was_taken_back_is_skipped),
	KUNIT_CASE(an_excluded_target_is_added_inactive),
	KUNIT_CASE(a_log_is_followed_from_where_it_was_left),
	KUNIT_CASE(a_report_may_stop_it),
	KUNIT_CASE(a_failed_setup_is_detached),
	KUNIT_CASE(what_was_set_up_before_stays),
	KUNIT_CASE(what_is_optional_may_be_unknown),
	KUNIT_CASE(a_failure_does_not_end_the_log),
	KUNIT_CASE(cancelled_records_are_not_seen),
	KUNIT_CASE(what_is_no_config_log_is_refused),
	KUNIT_CASE(a_dry_run_only_looks),
	{}
};

static struct kunit_suite log_suite = {
	.name = "obd_config_log",
	.suite_init = client_suite_init,
	.init = log_fixture_init,
	.exit = log_fixture_exit,
	.test_cases = log_cases,
};
kunit_test_suite(log_suite);

MODULE_DESCRIPTION("the consumer of config logs");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
