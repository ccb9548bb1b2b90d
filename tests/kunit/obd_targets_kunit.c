// SPDX-License-Identifier: GPL-2.0-only
/*
 * Volumes and their targets: lov above osc and lmv above mdc, over the transport
 * of this kernel to devices of type obdecho.
 *
 * Processors: 2
 * Every: 2
 */
#include "obd_types.h"

#define LOV	"lov/lov/"
#define OSTS	2

/**
 * struct volume - two servers, a client device for each and a volume above
 * @servers: of 64 and 32 MiB
 * @clients: osc or mdc
 * @top: lov or lmv
 */
static struct volume {
	struct obd_device	*servers[OSTS];
	struct obd_device	*clients[OSTS];
	struct obd_device	*top;
} vol;

static const char * const server_names[OSTS] = { "ost0", "ost1" };
static const char * const server_uuids[OSTS] = { "OST0_UUID", "OST1_UUID" };
static const char * const server_sizes[OSTS] = { "64M", "32M" };
static const char * const client_names[OSTS] = { "osc0", "osc1" };
static const char * const indexes[OSTS] = { "0", "1" };

static void server_start(struct kunit *test, int n)
{
	vol.servers[n] = ty_start(test, "obdecho", server_names[n],
				  server_uuids[n], server_sizes[n], NULL);
}

static void osc_start(struct kunit *test, int n, const char *type)
{
	vol.clients[n] = ty_start(test, type, client_names[n], TY_GROUP,
				  server_uuids[n], "0@lo");
}

static void volume_start(struct kunit *test, const char *top, const char *client)
{
	u32 add = strcmp(top, "lov") ? LCFG_ADD_MDC : LCFG_LOV_ADD_OBD;
	int n;

	vol.top = ty_volume(test, top, top, 0);
	for (n = 0; n < OSTS; n++) {
		server_start(test, n);
		osc_start(test, n, client);
		KUNIT_EXPECT_EQ(test, 0, ty_command(vol.top, add,
						    server_uuids[n], indexes[n],
						    "1", NULL));
	}
}

/* The remaining devices, the volume first. */
static void volume_end(struct kunit *test)
{
	int n;

	if (vol.top)
		kt_end(test, vol.top);
	for (n = 0; n < OSTS; n++)
		if (vol.clients[n])
			kt_end(test, vol.clients[n]);
	for (n = 0; n < OSTS; n++)
		if (vol.servers[n])
			kt_end(test, vol.servers[n]);
	memset(&vol, 0, sizeof(vol));
}

static void osc_end(struct kunit *test, int n)
{
	kt_end(test, vol.clients[n]);
	vol.clients[n] = NULL;
}

static void top_end(struct kunit *test)
{
	kt_end(test, vol.top);
	vol.top = NULL;
}

static int held_above(const struct obd_device *obd)
{
	return atomic_read(&obd->obd_refs[OBD_REF_TARGET]);
}

static void a_volume_sums_up_its_targets(struct kunit *test)
{
	struct obd_export *exp;
	struct obd_statfs st = { };

	volume_start(test, "lov", "osc");
	TY_EXPECT_NUMBER(test, LOV "numobd", 2);
	TY_EXPECT_NUMBER(test, LOV "activeobd", 0);
	KUNIT_EXPECT_EQ(test, 0L, client_read(fx.client, LOV "target_obd"));
	KUNIT_EXPECT_TRUE(test, ty_line_is(0, "0: OST0_UUID INACTIVE"));
	exp = ty_connect(test, vol.top, "user_UUID");
	TY_EXPECT_NUMBER(test, LOV "activeobd", 2);
	TY_EXPECT_LINES(test, LOV "target_obd", 2);
	KUNIT_EXPECT_TRUE(test, ty_line_is(0, "0: OST0_UUID ACTIVE"));
	KUNIT_EXPECT_TRUE(test, ty_line_is(1, "1: OST1_UUID ACTIVE"));
	KUNIT_EXPECT_EQ(test, 0, obd_statfs(exp, &st, 0));
	KUNIT_EXPECT_EQ(test, 96 * TY_MIB, st.os_blocks * st.os_bsize);
	KUNIT_EXPECT_EQ(test, 0, obd_set_info_async(exp, "echo", "x", 1));
	KUNIT_EXPECT_EQ(test, 0, obd_statfs(exp, &st, 0));
	KUNIT_EXPECT_EQ(test, 2ULL, st.os_files);
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(exp));
	TY_EXPECT_NUMBER(test, LOV "activeobd", 0);
	KUNIT_EXPECT_EQ(test, 1U, vol.servers[0]->obd_num_exports);
	volume_end(test);
}

static void targets_stay_while_anybody_is_connected(struct kunit *test)
{
	struct obd_export *first, *second;

	volume_start(test, "lov", "osc");
	first = ty_connect(test, vol.top, "first_UUID");
	second = ty_connect(test, vol.top, "second_UUID");
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(first));
	TY_EXPECT_NUMBER(test, LOV "activeobd", 2);
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(second));
	TY_EXPECT_NUMBER(test, LOV "activeobd", 0);
	volume_end(test);
}

static void nothing_is_active_without_a_connection(struct kunit *test)
{
	struct obd_statfs st = { };

	volume_start(test, "lov", "osc");
	KUNIT_EXPECT_EQ(test, -ENOTCONN,
			obd_statfs(vol.top->obd_self_export, &st, 0));
	KUNIT_EXPECT_EQ(test, -ENOTCONN,
			obd_set_info_async(vol.top->obd_self_export, "echo",
					   "x", 1));
	volume_end(test);
}

static void wait_for_active(struct kunit *test, u64 count)
{
	unsigned long end = jiffies + FIXTURE_WAIT;

	do {
		KUNIT_ASSERT_EQ(test, 0L,
				client_read(fx.client, LOV "activeobd"));
		if (client_number(fx.client) == count)
			return;
		msleep(20);
	} while (time_before(jiffies, end));
	KUNIT_FAIL(test, "%llu active targets, not %llu",
		   client_number(fx.client), count);
}

/* It is inactive, the rest goes on; when it is back it is connected. */
static void a_target_that_is_not_there_comes_later(struct kunit *test)
{
	struct obd_export *exp;
	struct obd_statfs st = { };

	vol.top = ty_volume(test, "lov", "lov", 0);
	server_start(test, 0);
	osc_start(test, 0, "osc");
	osc_start(test, 1, "osc");
	KUNIT_EXPECT_EQ(test, 0, ty_add(vol.top, "OST0_UUID", "0", NULL));
	KUNIT_EXPECT_EQ(test, 0, ty_add(vol.top, "OST1_UUID", "1", NULL));
	exp = ty_connect(test, vol.top, "user_UUID");
	KUNIT_EXPECT_EQ(test, 0L, client_read(fx.client, LOV "target_obd"));
	KUNIT_EXPECT_TRUE(test, ty_line_is(1, "1: OST1_UUID INACTIVE"));
	KUNIT_EXPECT_EQ(test, 0, obd_statfs(exp, &st, 0));
	KUNIT_EXPECT_EQ(test, 64 * TY_MIB, st.os_blocks * st.os_bsize);
	server_start(test, 1);
	KUNIT_EXPECT_EQ(test, 0,
			import_recover(vol.clients[1]->obd_cli->cl_import,
				       NULL, NULL));
	wait_for_active(test, 2);
	KUNIT_EXPECT_EQ(test, 0, obd_statfs(exp, &st, 0));
	KUNIT_EXPECT_EQ(test, 96 * TY_MIB, st.os_blocks * st.os_bsize);
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(exp));
	volume_end(test);
}

static void evict(struct kunit *test, int n)
{
	struct obd_export *exp = obd_export_by_uuid(vol.servers[n],
						    &vol.clients[n]->obd_uuid);

	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(exp));
	class_fail_export(exp);
	class_export_put(exp);
}

/* The caller of statfs notices it, and asks again. */
static void a_target_that_comes_back_is_not_left_out(struct kunit *test)
{
	struct obd_statfs st = { };
	struct obd_export *exp;

	volume_start(test, "lov", "osc");
	exp = ty_connect(test, vol.top, "user_UUID");
	evict(test, 1);
	KUNIT_EXPECT_EQ(test, 0, obd_statfs(exp, &st, 0));
	KUNIT_EXPECT_EQ(test, 96 * TY_MIB, st.os_blocks * st.os_bsize);
	evict(test, 0);
	evict(test, 1);
	KUNIT_EXPECT_EQ(test, 0, obd_statfs(exp, &st, 0));
	KUNIT_EXPECT_EQ(test, 96 * TY_MIB, st.os_blocks * st.os_bsize);
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(exp));
	volume_end(test);
}

/* A target is known by its uuid; its device may come later. */
static void a_target_is_added_before_its_device(struct kunit *test)
{
	struct obd_export *exp;

	vol.top = ty_volume(test, "lov", "lov", 0);
	KUNIT_EXPECT_EQ(test, 0, ty_add(vol.top, "OST0_UUID", "0", NULL));
	TY_EXPECT_NUMBER(test, LOV "numobd", 1);
	server_start(test, 0);
	osc_start(test, 0, "osc");
	KUNIT_EXPECT_EQ(test, 0, held_above(vol.clients[0]));
	exp = ty_connect(test, vol.top, "user_UUID");
	KUNIT_EXPECT_EQ(test, 1, held_above(vol.clients[0]));
	TY_EXPECT_NUMBER(test, LOV "activeobd", 1);
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(exp));
	volume_end(test);
}

static void a_target_is_added_while_connected(struct kunit *test)
{
	struct obd_export *exp;

	vol.top = ty_volume(test, "lov", "lov", 0);
	exp = ty_connect(test, vol.top, "user_UUID");
	server_start(test, 0);
	osc_start(test, 0, "osc");
	KUNIT_EXPECT_EQ(test, 0, ty_add(vol.top, "OST0_UUID", "0", NULL));
	wait_for_active(test, 1);
	KUNIT_EXPECT_EQ(test, 0, ty_command(vol.top, LCFG_LOV_DEL_OBD,
					    "OST0_UUID", "0", "1", NULL));
	TY_EXPECT_NUMBER(test, LOV "numobd", 0);
	KUNIT_EXPECT_EQ(test, 0, held_above(vol.clients[0]));
	KUNIT_EXPECT_EQ(test, 1U, vol.servers[0]->obd_num_exports);
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(exp));
	volume_end(test);
}

/* Commands on targets, one after the other, and their results. */
static const struct target_row {
	u32		command;
	const char	*uuid;
	const char	*index;
	int		rc;
	const char	*word;
	u32		targets;
} target_rows[] = {
	{ LCFG_LOV_ADD_OBD, "OST0_UUID", "0", 0, "", 1 },
	{ LCFG_LOV_ADD_OBD, "OST0_UUID", "0", 0, "", 1 },
	{ LCFG_LOV_ADD_OBD, "other_UUID", "0", -EEXIST, "OST0_UUID", 1 },
	{ LCFG_LOV_ADD_OBD, "other_UUID", "0", -EEXIST, "other_UUID", 1 },
	{ LCFG_LOV_ADD_OBD, "OST0_UUID", "3", -EEXIST, "index 0", 1 },
	{ LCFG_LOV_ADD_OBD, "OST9_UUID", "65535", -EINVAL, "0 to 65534", 1 },
	{ LCFG_LOV_ADD_OBD, "OST9_UUID", "-1", -EINVAL, "'-1'", 1 },
	{ LCFG_LOV_ADD_OBD, "OST9_UUID", "", -EINVAL, "index", 1 },
	{ LCFG_LOV_ADD_OBD, "", "9", -EINVAL, "uuid", 1 },
	{ LCFG_LOV_ADD_OBD, "OST9_UUID", "65534", 0, "", 2 },
	{ LCFG_LOV_DEL_OBD, "OST0_UUID", "7", -ENOENT, "index 7", 2 },
	{ LCFG_LOV_DEL_OBD, "OST9_UUID", "0", -EINVAL, "OST0_UUID", 2 },
	{ LCFG_LOV_DEL_OBD, "OST0_UUID", "0", 0, "", 1 },
	{ LCFG_LOV_DEL_OBD, "OST0_UUID", "0", -ENOENT, "index 0", 1 },
	{ LCFG_ADD_MDC, "MDT0_UUID", "0", -EOPNOTSUPP, "type lov", 1 },
};

static void commands_on_targets(struct kunit *test)
{
	struct obd_why why;
	size_t n;

	vol.top = ty_volume(test, "lov", "lov", 0);
	for (n = 0; n < ARRAY_SIZE(target_rows); n++) {
		const struct target_row *row = &target_rows[n];

		KUNIT_EXPECT_EQ_MSG(test, row->rc,
				    ty_command(vol.top, row->command, row->uuid,
					       row->index, "1", &why),
				    "row %zu: %s", n, why.text);
		KUNIT_EXPECT_TRUE_MSG(test, !!strstr(why.text, row->word),
				      "row %zu: %s", n, why.text);
		TY_EXPECT_NUMBER(test, LOV "numobd", row->targets);
	}
	KUNIT_EXPECT_EQ(test, -EINVAL,
			ty_command(vol.top, LCFG_LOV_ADD_OBD, "OST1_UUID", "1",
				   "first", &why));
	KUNIT_EXPECT_TRUE(test, !!strstr(why.text, "generation"));
	volume_end(test);
}

/* Excluded by the reader of the log: there, and switched off. */
static void an_excluded_target_waits_to_be_activated(struct kunit *test)
{
	struct obd_import *imp;
	struct obd_export *exp;

	vol.top = ty_volume(test, "lov", "lov", 0);
	server_start(test, 0);
	osc_start(test, 0, "osc");
	KUNIT_EXPECT_EQ(test, 0, ty_command(vol.top, LCFG_LOV_ADD_INA,
					    "OST0_UUID", "0", "1", NULL));
	KUNIT_EXPECT_EQ(test, (int)OBD_STATUS_INACTIVE,
			(int)class_obd_status(vol.clients[0]));
	exp = ty_connect(test, vol.top, "user_UUID");
	TY_EXPECT_NUMBER(test, LOV "activeobd", 0);
	KUNIT_EXPECT_EQ(test, 1U, vol.servers[0]->obd_num_exports);
	imp = vol.clients[0]->obd_cli->cl_import;
	KUNIT_EXPECT_EQ(test, 0, import_set_active(imp, true, NULL));
	wait_for_active(test, 1);
	KUNIT_EXPECT_EQ(test, 0, import_set_active(imp, false, NULL));
	wait_for_active(test, 0);
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(exp));
	volume_end(test);
}

static void the_volume_goes_first(struct kunit *test)
{
	struct obd_export *exp;

	volume_start(test, "lov", "osc");
	exp = ty_connect(test, vol.top, "user_UUID");
	KUNIT_EXPECT_EQ(test, 1, held_above(vol.clients[0]));
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(exp));
	top_end(test);
	KUNIT_EXPECT_EQ(test, 0, held_above(vol.clients[0]));
	KUNIT_EXPECT_EQ(test, 1U, vol.servers[0]->obd_num_exports);
	volume_end(test);
}

static long aside_cleanup(void *obd)
{
	return class_cleanup(obd, false, false, NULL);
}

/*
 * A user is still connected: the targets are free at once, the user gets -ENODEV, and the
 * cleanup ends when it disconnects.
 */
static void the_volume_goes_while_connected(struct kunit *test)
{
	unsigned long end = jiffies + FIXTURE_WAIT;
	struct obd_export *exp;
	struct obd_statfs st = { };
	struct aside cleanup;

	volume_start(test, "lov", "osc");
	exp = ty_connect(test, vol.top, "user_UUID");
	aside_start(test, &cleanup, aside_cleanup, vol.top);
	while (held_above(vol.clients[1]) && time_before(jiffies, end))
		msleep(20);
	KUNIT_EXPECT_EQ(test, 0, held_above(vol.clients[1]));
	KUNIT_EXPECT_EQ(test, -ENODEV, obd_statfs(exp, &st, 0));
	KUNIT_EXPECT_FALSE(test, aside_is_done(&cleanup));
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(exp));
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &cleanup));
	volume_end(test);
}

/* In the order of an instance's end: the youngest first, and connected. */
static void the_client_devices_go_first(struct kunit *test)
{
	unsigned long began = jiffies;
	struct obd_export *exp;
	struct obd_statfs st = { };
	struct obd_why why = { "" };

	volume_start(test, "lov", "osc");
	exp = ty_connect(test, vol.top, "user_UUID");
	KUNIT_EXPECT_EQ_MSG(test, 0,
			    class_cleanup(vol.clients[1], false, false, &why),
			    "%s", why.text);
	KUNIT_EXPECT_TRUE(test, time_before(jiffies, began + 60 * HZ));
	KUNIT_EXPECT_EQ(test, 0, held_above(vol.clients[1]));
	TY_EXPECT_NUMBER(test, LOV "numobd", 2);
	TY_EXPECT_NUMBER(test, LOV "activeobd", 1);
	KUNIT_EXPECT_EQ(test, 0, obd_statfs(exp, &st, 0));
	KUNIT_EXPECT_EQ(test, 64 * TY_MIB, st.os_blocks * st.os_bsize);
	osc_end(test, 1);
	osc_end(test, 0);
	TY_EXPECT_NUMBER(test, LOV "activeobd", 0);
	KUNIT_EXPECT_EQ(test, -ENOTCONN, obd_statfs(exp, &st, 0));
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(exp));
	volume_end(test);
}

/* Its client device went and came back: adding it again connects it. */
static void a_client_device_is_recreated(struct kunit *test)
{
	struct obd_export *exp;

	volume_start(test, "lov", "osc");
	exp = ty_connect(test, vol.top, "user_UUID");
	osc_end(test, 0);
	TY_EXPECT_NUMBER(test, LOV "activeobd", 1);
	osc_start(test, 0, "osc");
	KUNIT_EXPECT_EQ(test, 0, ty_add(vol.top, "OST0_UUID", "0", NULL));
	wait_for_active(test, 2);
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(exp));
	volume_end(test);
}

/* Two replays of a log: equal uuids, and each volume has its own devices. */
static void instances_do_not_mix(struct kunit *test)
{
	struct obd_device *lov[2], *osc[2];
	u64 n;

	server_start(test, 0);
	for (n = 0; n < 2; n++) {
		lov[n] = ty_volume(test, "lov", n ? "lov-2" : "lov-1", n + 1);
		osc[n] = ty_attach_in(test, "osc", n ? "osc-2" : "osc-1",
				      TY_GROUP, n + 1);
		KUNIT_ASSERT_EQ(test, 0,
				ty_setup(osc[n], "OST0_UUID", "0@lo", NULL));
	}
	KUNIT_EXPECT_EQ(test, 0, ty_add(lov[1], "OST0_UUID", "0", NULL));
	KUNIT_EXPECT_EQ(test, 0, held_above(osc[0]));
	KUNIT_EXPECT_EQ(test, 1, held_above(osc[1]));
	KUNIT_EXPECT_EQ(test, 0, ty_add(lov[0], "OST0_UUID", "0", NULL));
	KUNIT_EXPECT_EQ(test, 1, held_above(osc[0]));
	for (n = 0; n < 2; n++) {
		kt_end(test, lov[n]);
		kt_end(test, osc[n]);
	}
	volume_end(test);
}

/* Commands on pools, one after the other. */
static const struct pool_row {
	u32		command;
	const char	*pool;
	const char	*target;
	int		rc;
	const char	*word;
} pool_rows[] = {
	{ LCFG_POOL_NEW, "fast", NULL, 0, "" },
	{ LCFG_POOL_NEW, "fast", NULL, 0, "" },
	{ LCFG_POOL_NEW, "", NULL, -EINVAL, "''" },
	{ LCFG_POOL_NEW, "a/b", NULL, -EINVAL, "'a/b'" },
	{ LCFG_POOL_NEW, "sixteen_letters_", NULL, -EINVAL, "1 to 15" },
	{ LCFG_POOL_ADD, "slow", "OST0_UUID", -ENOENT, "pool slow does not exist" },
	{ LCFG_POOL_ADD, "fast", "none_UUID", -ENOENT, "none_UUID" },
	{ LCFG_POOL_ADD, "fast", "OST1_UUID", 0, "" },
	{ LCFG_POOL_ADD, "fast", "OST1_UUID", 0, "" },
	{ LCFG_POOL_ADD, "fast", "OST0_UUID", 0, "" },
	{ LCFG_POOL_REM, "fast", "none_UUID", -ENOENT, "not in it" },
};

static void pools_name_targets(struct kunit *test)
{
	struct obd_why why;
	size_t n;

	volume_start(test, "lov", "osc");
	for (n = 0; n < ARRAY_SIZE(pool_rows); n++) {
		const struct pool_row *row = &pool_rows[n];

		KUNIT_EXPECT_EQ_MSG(test, row->rc,
				    ty_command(vol.top, row->command, "fs",
					       row->pool, row->target, &why),
				    "row %zu: %s", n, why.text);
		KUNIT_EXPECT_TRUE_MSG(test, !!strstr(why.text, row->word),
				      "row %zu: %s", n, why.text);
	}
	TY_EXPECT_LINES(test, LOV "pools/fast", 2);
	KUNIT_EXPECT_TRUE(test, ty_line_is(0, "OST1_UUID"));
	KUNIT_EXPECT_TRUE(test, ty_line_is(1, "OST0_UUID"));
	KUNIT_EXPECT_EQ(test, 0, ty_command(vol.top, LCFG_LOV_DEL_OBD,
					    "OST1_UUID", "1", "1", NULL));
	TY_EXPECT_LINES(test, LOV "pools/fast", 1);
	KUNIT_EXPECT_EQ(test, 0, ty_command(vol.top, LCFG_POOL_REM, "fs",
					    "fast", "OST0_UUID", NULL));
	TY_EXPECT_LINES(test, LOV "pools/fast", 0);
	KUNIT_EXPECT_EQ(test, 0, ty_command(vol.top, LCFG_POOL_DEL, "fs",
					    "fast", NULL, NULL));
	KUNIT_EXPECT_EQ(test, -ENOENT,
			(int)client_read(fx.client, LOV "pools/fast"));
	/* One is left for the cleanup. */
	KUNIT_EXPECT_EQ(test, 0, ty_command(vol.top, LCFG_POOL_NEW, "fs",
					    "left", NULL, NULL));
	KUNIT_EXPECT_EQ(test, 0, ty_command(vol.top, LCFG_POOL_ADD, "fs",
					    "left", "OST0_UUID", NULL));
	volume_end(test);
}

/* What is set, what becomes of it, or the errno. */
static const struct setting_row {
	const char	*name;
	const char	*text;
	long		rc;
	s64		value;
} setting_rows[] = {
	{ LOV "stripesize", "1048576", 0, 1048576 },
	{ LOV "stripesize", "100000", 0, 65536 },
	{ LOV "stripesize", "4M", 0, 4 << 20 },
	{ LOV "stripesize", "1", 0, 1048576 },
	{ LOV "stripesize", "4G", -ERANGE, 1048576 },
	{ LOV "stripecount", "0", 0, 0 },
	{ LOV "stripecount", "-1", 0, -1 },
	{ LOV "stripecount", "2001", -ERANGE, -1 },
	{ LOV "stripecount", "2000", 0, 2000 },
	{ LOV "stripeoffset", "-1", 0, -1 },
	{ LOV "stripeoffset", "3", 0, 3 },
	{ LOV "stripeoffset", "65535", -ERANGE, 3 },
	{ LOV "stripetype", "1", 0, 1 },
	{ LOV "stripetype", "2", -EINVAL, 1 },
};

static void settings_of_new_files(struct kunit *test)
{
	size_t n;

	vol.top = ty_volume(test, "lov", "lov", 0);
	TY_EXPECT_NUMBER(test, LOV "stripecount", 1);
	TY_EXPECT_NUMBER(test, LOV "stripeoffset", -1);
	TY_EXPECT_TEXT(test, LOV "desc_uuid", "volume_UUID");
	for (n = 0; n < ARRAY_SIZE(setting_rows); n++) {
		const struct setting_row *row = &setting_rows[n];

		KUNIT_EXPECT_EQ_MSG(test, row->rc,
				    client_write(fx.client, row->name,
						 row->text), "row %zu", n);
		KUNIT_EXPECT_EQ(test, 0L, client_read(fx.client, row->name));
		KUNIT_EXPECT_EQ_MSG(test, row->value,
				    (s64)client_number(fx.client), "row %zu",
				    n);
	}
	volume_end(test);
}

static void a_param_of_a_log_sets(struct kunit *test)
{
	struct obd_why why = { "" };

	vol.top = ty_volume(test, "lov", "lov", 0);
	KUNIT_EXPECT_EQ_MSG(test, 0,
			    ty_command(vol.top, LCFG_PARAM,
				       "lov.stripesize=2097152",
				       "lov.stripecount=0", NULL, &why), "%s",
			    why.text);
	TY_EXPECT_NUMBER(test, LOV "stripesize", 2097152);
	TY_EXPECT_NUMBER(test, LOV "stripecount", 0);
	volume_end(test);
}

static void metadata_targets_do_the_same(struct kunit *test)
{
	struct obd_export *exp;
	struct obd_statfs st = { };
	struct lu_fid fid;

	volume_start(test, "lmv", "mdc");
	exp = ty_connect(test, vol.top, "user_UUID");
	TY_EXPECT_NUMBER(test, "lmv/lmv/activeobd", 2);
	KUNIT_EXPECT_EQ(test, 0, md_statfs(exp, &st, 0));
	KUNIT_EXPECT_EQ(test, 96 * TY_MIB, st.os_blocks * st.os_bsize);
	/* obdecho has no root */
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, md_get_root(exp, &fid));
	osc_end(test, 0);
	KUNIT_EXPECT_EQ(test, -ENOTCONN, md_get_root(exp, &fid));
	KUNIT_EXPECT_EQ(test, 0, obd_disconnect(exp));
	volume_end(test);
}

/* Client devices and volumes come and go under each other. */
#define TURNS	40

static long osc_turns(void *data)
{
	struct obd_device *osc;
	long failed = 0;
	int n;

	for (n = 0; n < TURNS; n++) {
		osc = class_attach("osc", "osc0", TY_GROUP, 0, NULL);
		if (IS_ERR(osc))
			return PTR_ERR(osc);
		failed = failed ?: ty_setup(osc, "OST0_UUID", "0@lo", NULL);
		failed = failed ?: class_manual_cleanup(osc, false, NULL);
		class_decref(osc, OBD_REF_LOOKUP);
	}
	return failed;
}

static void a_device_that_comes_and_goes_below_a_busy_volume(struct kunit *test)
{
	struct aside below;
	struct obd_export *exp;
	struct obd_statfs st = { };

	vol.top = ty_volume(test, "lov", "lov", 0);
	server_start(test, 0);
	aside_start(test, &below, osc_turns, NULL);
	while (!aside_is_done(&below)) {
		KUNIT_EXPECT_EQ(test, 0,
				ty_add(vol.top, "OST0_UUID", "0", NULL));
		exp = ty_connect(test, vol.top, "user_UUID");
		obd_statfs(exp, &st, 0);
		KUNIT_EXPECT_EQ(test, 0, obd_disconnect(exp));
	}
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &below));
	TY_EXPECT_NUMBER(test, LOV "activeobd", 0);
	volume_end(test);
}

/* A volume and a client device of it, both in use, are cleaned up side by side. */
static void both_ends_go_at_once(struct kunit *test)
{
	struct aside above, below;
	struct obd_export *exp;
	int turn;

	for (turn = 0; turn < TURNS / 2; turn++) {
		volume_start(test, "lov", "osc");
		exp = ty_connect(test, vol.top, "user_UUID");
		aside_start(test, &above, aside_cleanup, vol.top);
		aside_start(test, &below, aside_cleanup, vol.clients[0]);
		KUNIT_EXPECT_EQ(test, 0, obd_disconnect(exp));
		KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &above));
		KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &below));
		KUNIT_EXPECT_EQ(test, 0, held_above(vol.clients[0]));
		KUNIT_EXPECT_EQ(test, 0, held_above(vol.top));
		volume_end(test);
	}
}

static long pool_turns(void *data)
{
	int n, rc = 0;

	for (n = 0; n < TURNS && !rc; n++) {
		rc = ty_command(vol.top, LCFG_POOL_NEW, "fs", "p", NULL, NULL);
		rc = rc ?: ty_command(vol.top, LCFG_POOL_ADD, "fs", "p",
				      "OST0_UUID", NULL);
		rc = rc ?: ty_command(vol.top, LCFG_POOL_DEL, "fs", "p", NULL,
				      NULL);
	}
	return rc;
}

/* Readers see a pool, or that it is not there or going. */
static void pools_come_and_go_under_readers(struct kunit *test)
{
	struct aside pools;
	long rc;

	volume_start(test, "lov", "osc");
	aside_start(test, &pools, pool_turns, NULL);
	while (!aside_is_done(&pools)) {
		rc = client_read(fx.client, LOV "pools/p");
		KUNIT_EXPECT_TRUE(test, !rc || rc == -ENOENT || rc == -ENODEV);
	}
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &pools));
	volume_end(test);
}

static struct kunit_case targets_cases[] = {
	KUNIT_CASE(a_volume_sums_up_its_targets),
	KUNIT_CASE(targets_stay_while_anybody_is_connected),
	KUNIT_CASE(nothing_is_active_without_a_connection),
	KUNIT_CASE(a_target_that_is_not_there_comes_later),
	KUNIT_CASE(a_target_that_comes_back_is_not_left_out),
	KUNIT_CASE(a_target_is_added_before_its_device),
	KUNIT_CASE(a_target_is_added_while_connected),
	KUNIT_CASE(commands_on_targets),
	KUNIT_CASE(an_excluded_target_waits_to_be_activated),
	KUNIT_CASE(the_volume_goes_first),
	KUNIT_CASE(the_volume_goes_while_connected),
	KUNIT_CASE(the_client_devices_go_first),
	KUNIT_CASE(a_client_device_is_recreated),
	KUNIT_CASE(instances_do_not_mix),
	KUNIT_CASE(pools_name_targets),
	KUNIT_CASE(settings_of_new_files),
	KUNIT_CASE(a_param_of_a_log_sets),
	KUNIT_CASE(metadata_targets_do_the_same),
	KUNIT_CASE(a_device_that_comes_and_goes_below_a_busy_volume),
	KUNIT_CASE(both_ends_go_at_once),
	KUNIT_CASE(pools_come_and_go_under_readers),
	{}
};

static struct kunit_suite targets_suite = {
	.name = "obd_targets",
	.suite_init = ty_suite_init,
	.init = obd_fixture_init,
	.exit = obd_fixture_exit,
	.test_cases = targets_cases,
};
kunit_test_suite(targets_suite);

MODULE_DESCRIPTION("volumes and their targets");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
