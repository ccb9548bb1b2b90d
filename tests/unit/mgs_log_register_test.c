// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registration: index, logs, nodes; refusals and their reasons.
 */
#include "mgs_log_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MDT1	"lustre-MDT0001"

static int reg(const char *name, u32 flags, const char *nids,
	       const char *params)
{
	return env_register(&env, &(struct env_target){
			.name = name, .flags = flags, .nids = nids,
			.params = params });
}

static void reject(int rc, const char *words, const char *name, u32 flags,
		   const char *nids, const char *params)
{
	u64 generation = mgs_view_generation(mgs_now(env.store));

	refused(rc, reg(name, flags, nids, params), words, generation);
}

static void three(void)
{
	env_add(&env, MDT0, NULL);
	env_add(&env, OST0, NULL);
	env_add(&env, OST1, NULL);
}

static void test_lowest_index(void **state)
{
	assert_int_equal(reg("lustre-OST", LDD_F_VIRGIN, "10.0.0.1@tcp", NULL),
			 0);
	assert_string_equal(env.target.svname, OST0);
	env_add(&env, "lustre-OST0002", NULL);
	assert_int_equal(reg("lustre-OST", LDD_F_VIRGIN, "10.0.0.2@tcp", NULL),
			 0);
	assert_string_equal(env.target.svname, OST1);
	assert_int_equal(env.target.index, 1);
	assert_int_equal(reg("lustre-OST", 0, "10.0.0.4@tcp", NULL), 0);
	assert_string_equal(env.target.svname, "lustre-OST0003");
	assert_string_equal(env.target.uuid, "lustre-OST0003_UUID");
	/* Indexes of another kind or file system are counted separately. */
	assert_int_equal(reg("lustre-MDT", LDD_F_VIRGIN, "10.0.0.5@tcp", NULL),
			 0);
	assert_string_equal(env.target.svname, MDT0);
	assert_int_equal(reg("other-OST", LDD_F_VIRGIN, "10.0.0.5@tcp", NULL),
			 0);
	assert_string_equal(env.target.svname, "other-OST0000");
}

static void test_index_in_use(void **state)
{
	three();
	forget_identity(OST0);
	forget_identity(MDT0);
	reject(-EADDRINUSE, OST0 " is in use by a target of another node", OST0,
	       LDD_F_VIRGIN, "10.9.9.9@tcp", NULL);
	assert_string_equal(env.target.svname, OST0);
	reject(-EALREADY, OST0 " is registered at this node already", OST0,
	       LDD_F_VIRGIN, "10.9.9.9@tcp 10.0.0.1@tcp", NULL);
	assert_string_equal(env.target.svname, OST0);
	reject(-EADDRINUSE, MDT0, MDT0, LDD_F_VIRGIN, "10.9.9.9@tcp", NULL);
}

static void test_nothing_to_do(void **state)
{
	three();
	assert_int_equal(reg(OST1, 0, "10.0.0.2@tcp", NULL), 0);
	assert_string_equal(env.target.uuid, OST1 "_UUID");
	assert_int_equal(env.records, 0);
	assert_int_equal(env.generation, 0);
	/* Its parameters are written if it has PARAM. */
	assert_int_equal(reg(OST1, 0, "10.0.0.2@tcp", "ost.x=1"), 0);
	assert_int_equal(env.records, 0);
	reject(-ENOENT, "lustre-OST0007 says that it is registered",
	       "lustre-OST0007", 0, "10.0.0.8@tcp", NULL);
	reject(-ENOENT, "--writeconf", "lustre-OST0007", LDD_F_UPDATE,
	       "10.0.0.8@tcp", NULL);
}

static void test_bad_names(void **state)
{
	static const char *const names[] = {
		"lustre789-OST0000", "-OST0000", "1fs-OST0000", "a b-OST0000",
		"a.b-OST0000", "a/b-OST0000", "general-OST0000", "_a-OST0000",
	};
	size_t n;

	for (n = 0; n < sizeof(names) / sizeof(names[0]); n++)
		reject(-EINVAL, "is not the name of a file system", names[n],
		       LDD_F_VIRGIN, "10.0.0.1@tcp", NULL);
	assert_int_equal(reg("a-b_9-x-OST0000", LDD_F_VIRGIN, "10.0.0.1@tcp",
			     NULL), 0);
	assert_string_equal(env.target.svname, "a-b_9-x-OST0000");
}

static void test_bad_kind(void **state)
{
	reject(-EINVAL, "not those of an MDT or an OST", OST0,
	       LDD_F_VIRGIN | LDD_F_SV_TYPE_MDT, "10.0.0.1@tcp", NULL);
	env.target.flags = LDD_F_SV_TYPE_OST;
	reject(-EINVAL, "is invalid; give 0 to", "lustre-OSTffff", LDD_F_VIRGIN,
	       "10.0.0.1@tcp", NULL);
}

static void test_bad_nids(void **state)
{
	reject(-EINVAL, "no NID is known", OST0, LDD_F_VIRGIN, "", NULL);
	reject(-EINVAL, "no NID is known", OST0, LDD_F_VIRGIN, "0@lo", NULL);
	reject(-EINVAL, "NID 'here'", OST0, LDD_F_VIRGIN, "here", NULL);
	reject(-EPROTONOSUPPORT, "NID '10.0.0.1@o2ib'", OST0, LDD_F_VIRGIN,
	       "10.0.0.1@o2ib", NULL);
	reject(-EINVAL, "NID 'x'", OST0, LDD_F_VIRGIN, "10.0.0.1@tcp",
	       "failover.node=x");
	reject(-EINVAL, "0@lo", OST0, LDD_F_VIRGIN, "10.0.0.1@tcp",
	       "failover.node=0@lo");
	reject(-EINVAL, "NID ''", OST0, LDD_F_VIRGIN, "10.0.0.1@tcp",
	       "failover.node=10.0.0.2@tcp:");
	reject(-EINVAL, "NID ''", OST0, LDD_F_VIRGIN, "10.0.0.1@tcp",
	       "failover.node=10.0.0.2@tcp,");
}

static void test_too_many_nids(void **state)
{
	char nids[2048] = "";
	unsigned int n;

	for (n = 0; n < MGS_TARGET_NIDS_MAX; n++)
		snprintf(nids + strlen(nids), sizeof(nids) - strlen(nids),
			 "%s10.0.1.%u@tcp", n ? " " : "", n);
	reject(-E2BIG, "at most 32 NIDs", OST0, LDD_F_VIRGIN, nids,
	       "failover.node=10.0.2.1@tcp");
	assert_int_equal(reg(OST0, LDD_F_VIRGIN, nids, NULL), 0);
	assert_true(env_has(&env, CLIENT, "add_uuid nid=0x200000a00011f - 10.0.1.0@tcp\n"));
}

static void test_bad_params(void **state)
{
	static const struct {
		const char	*params;
		int		rc;
		const char	*words;
	} bad[] = {
		{ "nothing", -EINVAL, "'nothing' sets nothing" },
		{ "=5", -EINVAL, "'' is not a permanent setting" },
		{ "ost.x=", -EINVAL, "ost.x: the value is empty" },
		{ "ost.=1", -EINVAL, "'ost.' is not the name of a parameter" },
		{ "ost=1", -EINVAL, "'ost' is not a permanent setting" },
		{ "foo.bar=1", -EINVAL, "'foo.bar' is not a permanent setting" },
		{ "mdt.x=1", -EINVAL, "mdt.x is a setting of an MDT" },
		{ "lov.stripecount=1", -EINVAL, "not of lustre-OST0000" },
		{ "sys.none=1", -EINVAL, "there is no sys.none" },
		{ "sys.timeout=soon", -EINVAL, "give a number of seconds" },
		{ "sys.timeout=0", -EINVAL, "give a number of seconds" },
		{ "sys.timeout=99999999999999999999", -EINVAL, "give a number" },
		{ "failover.mode=both", -EINVAL, "give failout or failover" },
		{ "network=tcp", -EINVAL, "network cannot be set permanently here" },
		{ "ost.a=1 osc.b", -EINVAL, "'osc.b' sets nothing" },
	};
	size_t n;

	for (n = 0; n < sizeof(bad) / sizeof(bad[0]); n++)
		reject(bad[n].rc, bad[n].words, OST0, LDD_F_VIRGIN,
		       "10.0.0.1@tcp", bad[n].params);
	assert_int_equal(mgs_view_generation(mgs_now(env.store)), 0);
}

static void test_params(void **state)
{
	env_add(&env, MDT0, NULL);
	env_add(&env, OST0, "  ost.a=1  osc.b=x=y failover.mode=failout ");
	assert_true(env_has(&env, OST0, "setup lustre-OST0000 dev type n\n"));
	assert_true(env_has(&env, OST0, "param lustre-OST0000 ost.a=1\n"));
	assert_true(env_has(&env, CLIENT, "param lustre-OST0000-osc osc.b=x=y\n"));
	assert_true(env_has(&env, MDT0, "param lustre-OST0000-osc-MDT0000 osc.b=x=y\n"));
	assert_int_equal(reg(OST0, LDD_F_PARAM, "10.0.0.1@tcp", "ost.a=2"), 0);
	assert_true(env_has(&env, OST0, "param lustre-OST0000 ost.a=2\n"));
	assert_false(env_has(&env, OST0, "param lustre-OST0000 ost.a=1\n"));
	assert_int_equal(env.logs, 1);
}

static void test_nodes(void **state)
{
	env_add(&env, MDT0, NULL);
	assert_int_equal(reg(OST0, LDD_F_VIRGIN,
			     "0@lo 10.0.0.1@tcp 2001:db8::1@tcp1",
			     "failover.node=10.0.0.2@tcp,2001:db8::2@tcp:[fe80::3]@tcp:10.0.0.4 failover.node=10.0.0.5@tcp"),
			 0);
	assert_true(env_has(&env, CLIENT, "add_uuid nid=0x200000a000001 - 10.0.0.1@tcp\n"));
	assert_true(env_has(&env, CLIENT, "add_uuid - 10.0.0.1@tcp 2001:db8::1@tcp1\n"));
	assert_true(env_has(&env, CLIENT, "add_uuid nid=0x200000a000002 - 10.0.0.2@tcp\n"));
	assert_true(env_has(&env, CLIENT, "add_uuid - 10.0.0.2@tcp 2001:db8::2@tcp\n"));
	assert_true(env_has(&env, CLIENT, "add_uuid - fe80::3@tcp fe80::3@tcp\n"));
	assert_true(env_has(&env, CLIENT, "add_conn lustre-OST0000-osc fe80::3@tcp\n"));
	assert_true(env_has(&env, CLIENT, "add_conn lustre-OST0000-osc 10.0.0.4@tcp\n"));
	assert_true(env_has(&env, MDT0, "add_conn lustre-OST0000-osc-MDT0000 10.0.0.5@tcp\n"));
	assert_true(env_has(&env, MDT0, "setup lustre-OST0000-osc-MDT0000 lustre-OST0000_UUID 10.0.0.1@tcp\n"));
}

static void test_service_nodes(void **state)
{
	assert_int_equal(reg(OST0, LDD_F_VIRGIN | LDD_F_NO_PRIMNODE,
			     "10.0.0.9@tcp",
			     "failover.node=10.0.0.2@tcp:10.0.0.3@tcp"), 0);
	assert_true(env_has(&env, CLIENT, "setup lustre-OST0000-osc lustre-OST0000_UUID 10.0.0.2@tcp\n"));
	assert_true(env_has(&env, CLIENT, "add_conn lustre-OST0000-osc 10.0.0.3@tcp\n"));
	assert_false(env_has(&env, CLIENT, "add_uuid nid=0x200000a000009"));
	assert_int_equal(reg(OST1, LDD_F_VIRGIN | LDD_F_NO_PRIMNODE,
			     "10.0.0.9@tcp", NULL), 0);
	assert_true(env_has(&env, CLIENT, "setup lustre-OST0001-osc lustre-OST0001_UUID 10.0.0.9@tcp\n"));
}

/* Each metadata target has every OST, in any order of registration. */
static void test_orders(void **state)
{
	env_add(&env, OST0, "failover.node=10.7.7.7@tcp");
	assert_true(env_has(&env, CLIENT, "setup lustre-clilov ["));
	assert_false(env_has(&env, CLIENT, "setup lustre-clilmv ["));
	env_add(&env, MDT0, NULL);
	assert_true(env_has(&env, CLIENT, "mount_option - lustre-client lustre-clilov lustre-clilmv\n"));
	env_add(&env, OST1, NULL);
	assert_int_equal(env_do(&env, MGS_CONF_PARAM, OST0 ".osc.x", "7"), 0);
	assert_int_equal(env_do(&env, MGS_CONF_PARAM, "lustre.lov.stripecount",
				"2"), 0);
	assert_int_equal(env_do(&env, MGS_CONF_PARAM, "lustre.sys.at_max",
				"99"), 0);
	assert_int_equal(env_do(&env, MGS_CONF_PARAM, "lustre.llite.y", "1"),
			 0);
	assert_int_equal(env_do(&env, MGS_POOL_NEW, "lustre", "fast"), 0);
	assert_int_equal(env_do(&env, MGS_POOL_ADD, "lustre", "fast", OST1), 0);
	env_add(&env, MDT1, NULL);
	assert_true(env_has(&env, MDT1, "setup lustre-MDT0001 lustre-MDT0001_UUID 1 lustre-MDT0001-mdtlov f\n"));
	assert_true(env_has(&env, MDT1, "lov_add_obd lustre-MDT0001-mdtlov lustre-OST0000_UUID 0 1\n"));
	assert_true(env_has(&env, MDT1, "lov_add_obd lustre-MDT0001-mdtlov lustre-OST0001_UUID 1 1\n"));
	assert_true(env_has(&env, MDT1, "add_conn lustre-OST0000-osc-MDT0001 10.7.7.7@tcp\n"));
	assert_true(env_has(&env, MDT1, "param lustre-OST0000-osc-MDT0001 osc.x=7\n"));
	assert_true(env_has(&env, MDT1, "param lustre-MDT0001-mdtlov lov.stripecount=2\n"));
	assert_true(env_has(&env, MDT1, "param - sys.at_max=99 99\n"));
	assert_false(env_has(&env, MDT1, "param lustre-client"));
	assert_true(env_has(&env, MDT1, "pool_new lustre-MDT0001-mdtlov lustre fast\n"));
	assert_true(env_has(&env, MDT1, "pool_add lustre-MDT0001-mdtlov lustre fast lustre-OST0001_UUID\n"));
	assert_true(env_has(&env, CLIENT, "add_mdc lustre-clilmv lustre-MDT0001_UUID 1 1 lustre-MDT0001-mdc_UUID\n"));
	env_add(&env, "lustre-OST000a", NULL);
	assert_true(env_has(&env, MDT0, "lov_add_obd lustre-MDT0000-mdtlov lustre-OST000a_UUID 10 1\n"));
	assert_true(env_has(&env, MDT1, "lov_add_obd lustre-MDT0001-mdtlov lustre-OST000a_UUID 10 1\n"));
}

static u64 epoch(const char *log)
{
	struct mgs_log_info info;

	assert_int_equal(mgs_view_info(mgs_now(env.store), log, &info), 0);
	return info.li_epoch;
}

/* A registration only appends to the logs of others; their readers continue. */
static void test_adds_keep_epoch(void **state)
{
	u64 was;

	env_add(&env, MDT0, NULL);
	was = epoch(CLIENT);
	env_add(&env, OST0, "sys.timeout=30");
	assert_int_equal(env_do(&env, MGS_CONF_PARAM, "lustre.sys.timeout",
				"31"), 0);
	assert_int_equal(epoch(CLIENT), was);
	assert_int_equal(epoch(MDT0), was);
	assert_int_equal(env_do(&env, MGS_DEL_CONF_PARAM,
				"lustre.sys.timeout"), 0);
	assert_true(epoch(CLIENT) > was);
}

static void test_writeconf(void **state)
{
	char *before, *after;
	u64 was;

	three();
	assert_int_equal(env_do(&env, MGS_CONF_PARAM, OST0 ".osc.x", "1"), 0);
	assert_int_equal(env_do(&env, MGS_CONF_PARAM, OST0 ".ost.y", "1"), 0);
	assert_int_equal(env_do(&env, MGS_CONF_PARAM, "lustre.sys.timeout",
				"33"), 0);
	assert_int_equal(env_do(&env, MGS_SET_PARAM, "osc.lustre-OST0000*.z",
				"1"), 0);
	assert_int_equal(env_do(&env, MGS_POOL_NEW, "lustre", "p"), 0);
	assert_int_equal(env_do(&env, MGS_POOL_ADD, "lustre", "p", OST0), 0);
	before = env_dump(&env, OST1);
	was = epoch(CLIENT);
	assert_int_equal(reg(OST0, LDD_F_WRITECONF, "10.5.5.5@tcp", NULL), 0);
	assert_true(epoch(CLIENT) > was);
	after = env_dump(&env, OST1);
	assert_string_equal(before, after);
	free(before);
	free(after);
	/* Settings of the target are removed, settings for all stay. */
	assert_false(env_has(&env, CLIENT, "param lustre-OST0000-osc"));
	assert_false(env_has(&env, MDT0, "param lustre-OST0000-osc"));
	assert_false(env_has(&env, OST0, "param lustre-OST0000"));
	assert_true(env_has(&env, OST0, "set_timeout num=33"));
	assert_true(env_has(&env, "params", "set_param lustre osc.lustre-OST0000*.z=1 lctl\n"));
	assert_true(env_has(&env, CLIENT, "setup lustre-OST0000-osc lustre-OST0000_UUID 10.5.5.5@tcp\n"));
	assert_false(env_has(&env, CLIENT, "add_uuid nid=0x200000a000001 "));
	/* It is in its pool, after the record that adds it. */
	before = env_meaning(&env, CLIENT);
	after = strstr(before, "lov_add_obd lustre-clilov lustre-OST0000_UUID");
	assert_non_null(after);
	assert_non_null(strstr(after, "pool_add lustre-clilov lustre p lustre-OST0000_UUID\n"));
	assert_int_equal(env_count(before, "pool_add"), 1);
	free(before);
}

static void test_writeconf_mdt(void **state)
{
	three();
	assert_int_equal(env_do(&env, MGS_CONF_PARAM, MDT0 ".mdt.y", "1"), 0);
	assert_int_equal(env_do(&env, MGS_CONF_PARAM, "lustre.lov.stripecount",
				"4"), 0);
	assert_int_equal(reg(MDT0, LDD_F_WRITECONF, "10.5.5.5@tcp", NULL), 0);
	assert_false(env_has(&env, MDT0, "param lustre-MDT0000 "));
	assert_true(env_has(&env, MDT0, "param lustre-MDT0000-mdtlov lov.stripecount=4\n"));
	assert_true(env_has(&env, MDT0, "lov_add_obd lustre-MDT0000-mdtlov lustre-OST0001_UUID 1 1\n"));
	assert_true(env_has(&env, CLIENT, "setup lustre-MDT0000-mdc lustre-MDT0000_UUID 10.5.5.5@tcp\n"));
	assert_true(env_has(&env, CLIENT, "mount_option - lustre-client"));
}

/* A new target with WRITECONF is treated as new. */
static void test_writeconf_new(void **state)
{
	assert_int_equal(reg(OST0, LDD_F_WRITECONF, "10.5.5.5@tcp", NULL), 0);
	assert_true(env_has(&env, CLIENT, "lov_add_obd lustre-clilov lustre-OST0000_UUID 0 1\n"));
}

static void test_update(void **state)
{
	char *meaning, *at;

	three();
	assert_int_equal(env_do(&env, MGS_CONF_PARAM, OST0 ".osc.x", "1"), 0);
	assert_int_equal(reg(OST0, LDD_F_UPDATE, "10.0.0.1@tcp", NULL), 0);
	assert_int_equal(env.records, 0);
	assert_int_equal(reg(OST0, LDD_F_UPDATE, "10.0.8.1@tcp 10.0.8.2@tcp",
			     "failover.node=10.0.9.1@tcp"), 0);
	meaning = env_meaning(&env, CLIENT);
	assert_null(strstr(meaning, "nid=0x200000a000001 "));
	assert_int_equal(env_count(meaning, "add_uuid nid=0x200000a000802 - 10.0.8.1@tcp\n"), 1);
	assert_int_equal(env_count(meaning, "add_conn lustre-OST0000-osc 10.0.9.1@tcp\n"), 1);
	/* Still before the records that need the device. */
	at = strstr(meaning, "setup lustre-OST0000-osc lustre-OST0000_UUID 10.0.8.1@tcp\n");
	assert_non_null(at);
	assert_non_null(strstr(at, "param lustre-OST0000-osc osc.x=1\n"));
	free(meaning);
	assert_true(env_has(&env, MDT0, "setup lustre-OST0000-osc-MDT0000 lustre-OST0000_UUID 10.0.8.1@tcp\n"));
	assert_int_equal(reg(MDT0, LDD_F_UPDATE, "10.0.8.3@tcp", NULL), 0);
	assert_true(env_has(&env, CLIENT, "setup lustre-MDT0000-mdc lustre-MDT0000_UUID 10.0.8.3@tcp\n"));
	/* PARAM with other nodes does the same. */
	assert_int_equal(reg(MDT0, LDD_F_PARAM, "10.0.8.3@tcp",
			     "failover.node=10.0.9.3@tcp"), 0);
	assert_true(env_has(&env, CLIENT, "add_conn lustre-MDT0000-mdc 10.0.9.3@tcp\n"));
}

/* Its own log is lost: it is written again, and no record is duplicated. */
static void test_lost_log(void **state)
{
	struct mgs_txn *txn;
	struct mgs_who who = { .when = ENV_WHEN };

	three();
	assert_int_equal(mgs_txn_begin(env.store, &who, &txn), 0);
	assert_int_equal(mgs_txn_remove(txn, OST0), 0);
	assert_int_equal(mgs_txn_commit(txn, &env.generation), 0);
	assert_int_equal(reg(OST0, 0, "10.0.0.1@tcp", NULL), 0);
	assert_true(env_has(&env, OST0, "setup lustre-OST0000 dev type f\n"));
}

static void damage(const char *name)
{
	struct mem_file *file;

	file = mem_find(&env.backend, name);
	assert_non_null(file);
	memset(file->now.bytes + LLOG_MIN_CHUNK_SIZE + 8, 0xff, 8);
	memset(file->disk.bytes + LLOG_MIN_CHUNK_SIZE + 8, 0xff, 8);
}

/* A damaged log is rewritten only on request. */
static void test_damaged_log(void **state)
{
	three();
	store_reopen();
	mgs_store_close(env.store);
	damage("CONFIGS/" OST0);
	env.store = NULL;
	store_reopen();
	reject(-EIO, "the log of lustre-OST0000 is damaged", OST0, 0,
	       "10.0.0.1@tcp", NULL);
	reject(-EIO, "--writeconf", OST0, LDD_F_VIRGIN, "10.0.0.1@tcp", NULL);
	env_add(&env, "lustre-OST0002", NULL);
	assert_int_equal(env_do(&env, MGS_CONF_PARAM, OST0 ".ost.x", "1"),
			 -EIO);
	assert_non_null(strstr(env.why.text, OST0));
	assert_int_equal(reg(OST0, LDD_F_WRITECONF, "10.0.0.1@tcp", NULL), 0);
	assert_true(env_has(&env, OST0, "setup lustre-OST0000 dev type f\n"));
}

static void put_nids(const char *svname)
{
	struct mgs_who who = { .when = ENV_WHEN };
	char name[MGS_FILE_MAX];
	struct mgs_txn *txn;

	snprintf(name, sizeof(name), "mgs_nids/%s", svname);
	assert_int_equal(mgs_txn_begin(env.store, &who, &txn), 0);
	assert_int_equal(mgs_txn_put(txn, name, "entry", 5), 0);
	assert_int_equal(mgs_txn_commit(txn, &env.generation), 0);
}

static bool has_nids(const char *svname)
{
	struct mgs_who who = { .when = ENV_WHEN };
	char name[MGS_FILE_MAX], byte;
	struct mgs_txn *txn;
	ssize_t len;

	snprintf(name, sizeof(name), "mgs_nids/%s", svname);
	assert_int_equal(mgs_txn_begin(env.store, &who, &txn), 0);
	len = mgs_txn_get(txn, name, &byte, 1);
	mgs_txn_end(txn);
	return len == 1;
}

/* The stored node of a target is removed with it. */
static void test_nids_go(void **state)
{
	three();
	put_nids(OST0);
	put_nids(OST1);
	put_nids(MDT0);
	assert_int_equal(env_do(&env, MGS_DEL_OST, OST0), 0);
	assert_false(has_nids(OST0));
	assert_true(has_nids(OST1));
	assert_int_equal(env_do(&env, MGS_ERASE_LCFG, "lustre"), 0);
	assert_false(has_nids(OST1));
	assert_false(has_nids(MDT0));
}

static int fs_name(void *data, const char *name)
{
	char *all = data;

	strcat(strcat(all, name), " ");
	return 0;
}

static int stop(void *data, const char *name)
{
	return 77;
}

static void test_lists(void **state)
{
	char all[512] = "";

	env_add(&env, "a-b-OST0000", NULL);
	env_add(&env, "a-MDT0000", NULL);
	env_add(&env, "a-OST0001", NULL);
	assert_int_equal(env_do(&env, MGS_CLEAR_CONF, "a"), 0);
	assert_int_equal(mgs_log_fsnames(mgs_now(env.store), fs_name, all), 0);
	assert_string_equal(all, "a a-b ");
	all[0] = '\0';
	assert_int_equal(mgs_log_targets(mgs_now(env.store), "a", fs_name, all), 0);
	assert_string_equal(all, "a-OST0001 a-MDT0000 ");
	all[0] = '\0';
	assert_int_equal(mgs_log_targets(mgs_now(env.store), "none", fs_name, all), 0);
	assert_string_equal(all, "");
	assert_int_equal(mgs_log_fsnames(mgs_now(env.store), stop, NULL), 77);
	assert_int_equal(mgs_log_targets(mgs_now(env.store), "a", stop, NULL), 77);
}

static void test_log_fsname(void **state)
{
	static const struct {
		const char	*log;
		const char	*fsname;
		int		rc;
	} logs[] = {
		{ "lustre-OST0001", "lustre", 0 },
		{ "a-b-client", "a-b", 0 },
		{ "x-MDTfffe", "x", 0 },
		{ "params", "", 0 },
		{ "lustre-client.bak", "", -EINVAL },
		{ "lustre-MDTffff", "", -EINVAL },
		{ "lustre-OST00001", "", -EINVAL },
		{ "lustre-OST001", "", -EINVAL },
		{ "lustre-OST001G", "", -EINVAL },
		{ "lustre-sptlrpc", "", -EINVAL },
		{ "lustre678-client", "", -EINVAL },
		{ "-client", "", -EINVAL },
		{ "client", "", -EINVAL },
		{ "", "", -EINVAL },
	};
	char fsname[16];
	size_t n;

	for (n = 0; n < sizeof(logs) / sizeof(logs[0]); n++) {
		assert_int_equal(mgs_log_fsname(logs[n].log, fsname,
						sizeof(fsname)), logs[n].rc);
		assert_string_equal(fsname, logs[n].fsname);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		env_case(test_lowest_index),
		env_case(test_index_in_use),
		env_case(test_nothing_to_do),
		env_case(test_bad_names),
		env_case(test_bad_kind),
		env_case(test_bad_nids),
		env_case(test_too_many_nids),
		env_case(test_bad_params),
		env_case(test_params),
		env_case(test_nodes),
		env_case(test_service_nodes),
		env_case(test_orders),
		env_case(test_adds_keep_epoch),
		env_case(test_writeconf),
		env_case(test_writeconf_mdt),
		env_case(test_writeconf_new),
		env_case(test_update),
		env_case(test_lost_log),
		env_case(test_damaged_log),
		env_case(test_nids_go),
		env_case(test_lists),
		env_case(test_log_fsname),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
