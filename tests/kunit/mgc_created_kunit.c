// SPDX-License-Identifier: GPL-2.0-only
/*
 * A rewritten or restored log that names fewer objects: those that it created and no longer
 * names are removed, also if they are in use, and no others.
 *
 * Every: 2
 */
#include "mgc_fixture.h"

#define DEVICE		"lustre-dev"
#define SECOND		"lustre-two"
#define LOV		"lustre-clilov"
#define OSC(n)		"lustre-OST000" n "-osc"
#define OST(n)		"lustre-OST000" n "_UUID"
/* So long a device that is being removed is waited for. */
#define LEAVE_MS	2000LL

static void add_lov(void)
{
	struct lov_desc desc = {
		.ld_magic = cpu_to_le32(LOV_DESC_MAGIC),
		.ld_default_stripe_count = cpu_to_le32(1),
		.ld_pattern = cpu_to_le32(1),
		.ld_default_stripe_size = cpu_to_le64(1024 * 1024),
		.ld_default_stripe_offset = cpu_to_le64(-1),
		.ld_qos_maxage = cpu_to_le32(5),
		.ld_uuid = "lov_UUID",
	};
	struct lcfg_view view;

	mf_add(MF_LOG, LCFG_ATTACH, LOV, KC_ARGS("lov", "lov_UUID"));
	mf_mark(MF_LOG, CM_START);
	lcfg_init(&view, LCFG_SETUP, LOV);
	lcfg_add_buf(&view, &desc, sizeof(desc));
	mf_append(MF_LOG, &view);
	mf_mark(MF_LOG, CM_END);
}

static void add_ost(const char *osc, const char *uuid, const char *index)
{
	mf_add(MF_LOG, LCFG_ADD_UUID, NULL, KC_ARGS("server", "127.0.0.1@tcp"));
	mf_add(MF_LOG, LCFG_ATTACH, osc, KC_ARGS("osc", "osc_UUID"));
	mf_add(MF_LOG, LCFG_SETUP, osc, KC_ARGS(uuid, "server"));
	mf_add(MF_LOG, LCFG_LOV_ADD_OBD, LOV, KC_ARGS(uuid, index, "1"));
}

static void add_pool(const char *pool, const char *uuid)
{
	mf_add(MF_LOG, LCFG_POOL_NEW, LOV, KC_ARGS(MF_FS, pool));
	mf_add(MF_LOG, LCFG_POOL_ADD, LOV, KC_ARGS(MF_FS, pool, uuid));
}

static struct obd_device *servers[2];

/* Any device serves as a target. */
static void server_start(struct kunit *test, unsigned int n, const char *name,
			 const char *uuid)
{
	struct lcfg_view cfg;

	servers[n] = class_attach("kunit_mgs", name, uuid, 0, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(servers[n]));
	lcfg_init(&cfg, LCFG_SETUP, name);
	KUNIT_ASSERT_EQ(test, class_setup(servers[n], &cfg, NULL), 0);
}

static void servers_stop(struct kunit *test)
{
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(servers); n++)
		if (!IS_ERR_OR_NULL(servers[n]))
			kt_end(test, servers[n]);
	memset(servers, 0, sizeof(servers));
}

/* Two targets, the second one in a pool. */
static struct mgc_log *follow_two(struct kunit *test)
{
	server_start(test, 0, "lustre-OST0000", OST("0"));
	server_start(test, 1, "lustre-OST0001", OST("1"));
	add_lov();
	add_ost(OSC("0"), OST("0"), "0");
	add_ost(OSC("1"), OST("1"), "1");
	add_pool("fast", OST("1"));
	return mf_follow(test);
}

/* Return: records that failed */
static u32 read_once_more(struct kunit *test)
{
	mf_tell(MF_FS, CONFIG_T_CONFIG);
	KUNIT_ASSERT_TRUE(test, mf_await_ack(MF_LOG, CONFIG_T_CONFIG));
	return le32_to_cpu(mf_ack_find(MF_LOG, CONFIG_T_CONFIG)->wire.ca_failed);
}

static void read_again(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, read_once_more(test), 0U);
}

static bool is_cleaned_up(const char *name)
{
	struct obd_device *obd = class_name2obd(name);
	bool clean = !obd || READ_ONCE(obd->obd_state) == OBD_CLEANED_UP;

	if (obd)
		class_decref(obd, OBD_REF_LOOKUP);
	return clean;
}

static bool lov_targets_are(u64 count)
{
	return !client_read(fx.client, "lov/" LOV MF_SUFFIX "/numobd") &&
	       client_number(fx.client) == count;
}

static struct obd_export *connect_to(struct kunit *test, const char *name)
{
	struct obd_device *obd = class_name2obd(name);
	struct obd_uuid who = kt_uuid("user");
	struct obd_connect_data ocd = {
		.ocd_connect_flags = OBD_CONNECT_VERSION,
	};
	struct obd_export *exp = NULL;

	KUNIT_ASSERT_NOT_NULL(test, obd);
	KUNIT_ASSERT_EQ(test, 0, kt_connect_target(&exp, obd, &who, &ocd));
	class_decref(obd, OBD_REF_LOOKUP);
	return exp;
}

static void target_that_is_named_no_more_goes(struct kunit *test)
{
	struct obd_export *volume;
	struct mgc_log *log;

	log = follow_two(test);
	volume = connect_to(test, LOV MF_SUFFIX);
	mf_log_new(test, MF_LOG);
	add_lov();
	add_ost(OSC("0"), OST("0"), "0");
	read_again(test);
	KUNIT_EXPECT_TRUE(test, lov_targets_are(1));
	KUNIT_EXPECT_TRUE(test, mf_device(OSC("0") MF_SUFFIX));
	KUNIT_EXPECT_FALSE(test, mf_device(OSC("1") MF_SUFFIX));
	mgc_log_end(log);
	obd_disconnect(volume);
}

/*
 * The second target may be created again, also while the former device is being removed: that is
 * waited for, but not for as long as a stalled host may take.
 */
static void second_is_created_again(struct kunit *test)
{
	ktime_t begin = ktime_get();

	add_ost(OSC("1"), OST("1"), "1");
	if (!read_once_more(test))
		return;
	KUNIT_EXPECT_GE(test, ktime_ms_delta(ktime_get(), begin), LEAVE_MS);
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(is_cleaned_up(OSC("1") MF_SUFFIX)));
	mf_log_new(test, MF_LOG);
	add_lov();
	add_ost(OSC("0"), OST("0"), "0");
	add_ost(OSC("1"), OST("1"), "1");
	read_again(test);
}

static void user_of_what_goes_is_told(struct kunit *test)
{
	struct obd_export *volume, *user;
	struct obd_statfs st;
	struct mgc_log *log;
	ktime_t begin;

	log = follow_two(test);
	KUNIT_EXPECT_TRUE(test, lov_targets_are(2));
	volume = connect_to(test, LOV MF_SUFFIX);
	user = connect_to(test, OSC("1") MF_SUFFIX);
	mf_log_new(test, MF_LOG);
	add_lov();
	add_ost(OSC("0"), OST("0"), "0");
	begin = ktime_get();
	read_again(test);
	KUNIT_EXPECT_LT(test, ktime_ms_delta(ktime_get(), begin), MF_SOON_MS);
	KUNIT_EXPECT_TRUE(test, lov_targets_are(1));
	KUNIT_EXPECT_TRUE(test, mf_device(OSC("0") MF_SUFFIX));
	KUNIT_EXPECT_LT(test, client_read(fx.client, "lov/" LOV MF_SUFFIX
					  "/pools/fast"), 0L);
	KUNIT_EXPECT_EQ(test, obd_statfs(user, &st, 0), -ENODEV);
	obd_disconnect(user);
	second_is_created_again(test);
	KUNIT_EXPECT_TRUE(test, lov_targets_are(2));
	KUNIT_EXPECT_TRUE(test, mf_device(OSC("1") MF_SUFFIX));
	mgc_log_end(log);
	obd_disconnect(volume);
}

/* The removed volume still has targets and a user. */
static void volume_that_is_named_no_more_goes(struct kunit *test)
{
	struct obd_export *volume;
	struct mgc_log *log;

	log = follow_two(test);
	volume = connect_to(test, LOV MF_SUFFIX);
	mf_log_new(test, MF_LOG);
	mf_add(MF_LOG, LCFG_ATTACH, OSC("0"), KC_ARGS("osc", "osc_UUID"));
	read_again(test);
	KUNIT_EXPECT_TRUE(test, mf_device(OSC("0") MF_SUFFIX));
	KUNIT_EXPECT_FALSE(test, mf_device(OSC("1") MF_SUFFIX));
	obd_disconnect(volume);
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(is_cleaned_up(LOV MF_SUFFIX)));
	KUNIT_EXPECT_TRUE(test, mf_device(LOV MF_SUFFIX));
	/* It has no users any more: it is removed when the log is processed again. */
	mf_add_device(MF_LOG, DEVICE);
	read_again(test);
	KUNIT_EXPECT_FALSE(test, mf_device(LOV MF_SUFFIX));
	mgc_log_end(log);
}

/* Devices of others, and the target of the log, stay. */
static void what_is_not_its_own_stays(struct kunit *test)
{
	struct mgc_follow follow = {
		.log = MF_LOG, .instance = MF_INSTANCE, .wait_sec = MF_WAIT_SEC,
		.flags = MGC_FOLLOW_SERVER | MGC_FOLLOW_NO_IR,
	};
	struct obd_device *other;
	struct mgc_log *log;

	other = class_attach(KC_NAME, DEVICE, "other_UUID", MF_INSTANCE + 1,
			     NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(other));
	mf_add_device(MF_LOG, DEVICE);
	mf_add_device(MF_LOG, SECOND);
	mf_add_device(MF_LOG, MF_LOG);
	log = mgc_log_start(mf.mgc, &follow, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(log));
	mf_log_new(test, MF_LOG);
	mf_mark(MF_LOG, CM_START);
	mf_mark(MF_LOG, CM_END);
	read_again(test);
	KUNIT_EXPECT_TRUE(test, mf_device(DEVICE));
	KUNIT_EXPECT_TRUE(test, mf_device(MF_LOG));
	KUNIT_EXPECT_FALSE(test, mf_device(SECOND));
	mgc_log_end(log);
	KUNIT_EXPECT_EQ(test, class_manual_cleanup(other, true, NULL), 0);
	class_decref(other, OBD_REF_LOOKUP);
}

/* A record that undoes it counts as no record. */
static void what_a_record_undid_is_not_undone_again(struct kunit *test)
{
	struct obd_device *obd;
	struct mgc_log *log;

	mf_add_device(MF_LOG, DEVICE);
	mf_add(MF_LOG, LCFG_CLEANUP, DEVICE, NULL);
	mf_add(MF_LOG, LCFG_DETACH, DEVICE, NULL);
	mf_add_device(MF_LOG, SECOND);
	log = mf_follow(test);
	KUNIT_EXPECT_FALSE(test, mf_device(DEVICE MF_SUFFIX));
	obd = class_attach(KC_NAME, DEVICE MF_SUFFIX, "other_UUID", MF_INSTANCE,
			   NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(obd));
	mf_log_new(test, MF_LOG);
	mf_add_device(MF_LOG, SECOND);
	read_again(test);
	KUNIT_EXPECT_TRUE(test, mf_device(DEVICE MF_SUFFIX));
	mgc_log_end(log);
	class_decref(obd, OBD_REF_LOOKUP);
}

/* Follow a log of two devices. Then one of the first device replaces it, without a notification. */
static struct mgc_log *follow_two_then_one(struct kunit *test)
{
	struct mgc_log *log;

	mf_add_device(MF_LOG, DEVICE);
	mf_add_device(MF_LOG, SECOND);
	log = mf_follow(test);
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(mf_ack_find(MF_LOG, CONFIG_T_CONFIG)));
	mf_log_new(test, MF_LOG);
	mf_add_device(MF_LOG, DEVICE);
	return log;
}

/* The readable part of a damaged log does not tell which objects are obsolete. */
static void damaged_log_takes_nothing(struct kunit *test)
{
	struct mgc_log *log = follow_two_then_one(test);
	loff_t pos = LLOG_MIN_CHUNK_SIZE + 8;
	struct mf_ack *ack;

	mutex_lock(&mf.lock);
	kernel_write(mf_log_find(MF_LOG)->file, "\xff\xff\xff\xff", 4, &pos);
	mutex_unlock(&mf.lock);
	mf_tell(MF_FS, CONFIG_T_CONFIG);
	/* It has been read. */
	ack = mf_ack_find(MF_LOG, CONFIG_T_CONFIG);
	KUNIT_ASSERT_NOT_NULL(test, ack);
	KUNIT_EXPECT_TRUE(test, MF_AWAIT((s32)le32_to_cpu(ack->wire.ca_status) == -EBADMSG));
	KUNIT_EXPECT_TRUE(test, mf_device(DEVICE MF_SUFFIX));
	KUNIT_EXPECT_TRUE(test, mf_device(SECOND MF_SUFFIX));
	mgc_log_end(log);
}

/* Nor does one with a name that cannot be read. */
static void unreadable_name_takes_nothing(struct kunit *test)
{
	struct mgc_log *log = follow_two_then_one(test);
	struct mf_ack *ack;

	mf_add(MF_LOG, LCFG_ATTACH, "lustre-\x01\x02", KC_ARGS(KC_NAME, "damaged_UUID"));
	mf_tell(MF_FS, CONFIG_T_CONFIG);
	ack = mf_ack_find(MF_LOG, CONFIG_T_CONFIG);
	KUNIT_ASSERT_NOT_NULL(test, ack);
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(le32_to_cpu(ack->wire.ca_failed) == 1));
	KUNIT_EXPECT_TRUE(test, mf_device(DEVICE MF_SUFFIX));
	KUNIT_EXPECT_TRUE(test, mf_device(SECOND MF_SUFFIX));
	/* It was repaired. */
	mf_log_new(test, MF_LOG);
	mf_add_device(MF_LOG, DEVICE);
	read_again(test);
	KUNIT_EXPECT_TRUE(test, mf_device(DEVICE MF_SUFFIX));
	KUNIT_EXPECT_FALSE(test, mf_device(SECOND MF_SUFFIX));
	mgc_log_end(log);
}

/* A log of that epoch from a backup, without SECOND; some devices are added afterwards. */
static void restore_log(struct kunit *test, unsigned int devices, u64 generation)
{
	struct mf_log *log = mf_log_find(MF_LOG);
	u64 epoch = log->epoch;
	char name[32];
	unsigned int n;

	mf_log_new(test, MF_LOG);
	mf_add_device(MF_LOG, DEVICE);
	for (n = 0; n < devices; n++) {
		scnprintf(name, sizeof(name), "lustre-r%u", n);
		mf_add_device(MF_LOG, name);
	}
	log->epoch = epoch;
	log->generation = generation;
	mf_tell(MF_FS, CONFIG_T_CONFIG);
}

/* The service's directory was restored: its log is older, or has changed since and is shorter. */
static void restored_log_is_applied_whole(struct kunit *test)
{
	static const struct {
		unsigned int	devices;
		int		later;
	} rows[] = {
		{ 0, -1 }, { 1, -1 }, { 2, -1 },
		{ 0, 1 },
	};
	struct mgc_log *log;
	size_t n;

	mf_add_device(MF_LOG, DEVICE);
	mf_add_device(MF_LOG, SECOND);
	log = mf_follow(test);
	for (n = 0; n < ARRAY_SIZE(rows); n++) {
		KUNIT_EXPECT_TRUE(test, MF_AWAIT(mf_device(SECOND MF_SUFFIX)));
		KUNIT_EXPECT_TRUE(test, mf_await_ack(MF_LOG, CONFIG_T_CONFIG));
		restore_log(test, rows[n].devices, mf_generation(MF_LOG) + rows[n].later);
		KUNIT_EXPECT_TRUE(test, mf_await_ack(MF_LOG, CONFIG_T_CONFIG));
		KUNIT_EXPECT_TRUE_MSG(test, MF_AWAIT(!mf_device(SECOND MF_SUFFIX)),
				      "row %zu", n);
		KUNIT_EXPECT_EQ_MSG(test, mf_device("lustre-r0" MF_SUFFIX),
				    rows[n].devices > 0, "row %zu", n);
		KUNIT_EXPECT_EQ_MSG(test, mf_device("lustre-r1" MF_SUFFIX),
				    rows[n].devices > 1, "row %zu", n);
		KUNIT_EXPECT_TRUE(test, mf_device(DEVICE MF_SUFFIX));
		/* As before, in another epoch. */
		mf_log_new(test, MF_LOG);
		mf_add_device(MF_LOG, DEVICE);
		mf_add_device(MF_LOG, SECOND);
		mf_tell(MF_FS, CONFIG_T_CONFIG);
	}
	mgc_log_end(log);
}

static int made_suite_init(struct kunit_suite *suite)
{
	struct obd_type *lov = class_get_type("lov");

	if (!lov)
		return -ENODEV;
	class_put_type(lov);
	return mf_suite_init(suite);
}

static void made_exit(struct kunit *test)
{
	class_cleanup_instance(MF_INSTANCE, true, NULL);
	servers_stop(test);
	mf_exit(test);
}

static struct kunit_case mgc_created_cases[] = {
	KUNIT_CASE(target_that_is_named_no_more_goes),
	KUNIT_CASE(user_of_what_goes_is_told),
	KUNIT_CASE(volume_that_is_named_no_more_goes),
	KUNIT_CASE(what_is_not_its_own_stays),
	KUNIT_CASE(what_a_record_undid_is_not_undone_again),
	KUNIT_CASE(damaged_log_takes_nothing),
	KUNIT_CASE(unreadable_name_takes_nothing),
	KUNIT_CASE(restored_log_is_applied_whole),
	{}
};

static struct kunit_suite mgc_created_suite = {
	.name = "mgc_created",
	.suite_init = made_suite_init,
	.init = mf_init,
	.exit = made_exit,
	.test_cases = mgc_created_cases,
};
kunit_test_suite(mgc_created_suite);

MODULE_DESCRIPTION("what the management client's logs made");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
