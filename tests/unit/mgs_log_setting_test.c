// SPDX-License-Identifier: GPL-2.0-only
/*
 * Settings: for all nodes (set_param -P), and of targets and file systems (conf_param): their
 * logs, superseded settings, refusals.
 */
#include "mgs_log_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static u64 epoch(const char *log)
{
	struct mgs_log_info info;

	assert_int_equal(mgs_view_info(mgs_now(env.store), log, &info), 0);
	return info.li_epoch;
}

static void test_set_param(void **state)
{
	char *dump;
	u64 was;

	assert_int_equal(env_do(&env, MGS_SET_PARAM, "osc.*.max_dirty_mb",
				"64"), 0);
	assert_int_equal(env.logs, 1);
	assert_int_equal(env.records, 3);
	was = epoch(PARAMS);
	dump = env_dump(&env, PARAMS);
	assert_string_equal(dump,
		"1 marker 2 0x1 general 'osc.*.max_dirty_mb' 1795288853-0\n"
		"2 set_param general osc.*.max_dirty_mb=64 lctl\n"
		"3 marker 2 0x2 general 'osc.*.max_dirty_mb' 1795288853-0\n");
	free(dump);
	/* The same again. */
	assert_int_equal(env_do(&env, MGS_SET_PARAM, "osc.*.max_dirty_mb",
				"64"), 0);
	assert_int_equal(env.records, 0);
	assert_int_equal(env.generation, 0);
	/* Another value: the reader continues. */
	env.when += 5;
	assert_int_equal(env_do(&env, MGS_SET_PARAM, "osc.*.max_dirty_mb",
				"128"), 0);
	assert_int_equal(epoch(PARAMS), was);
	dump = env_dump(&env, PARAMS);
	assert_string_equal(dump,
		"1 marker 2 0x5 general 'osc.*.max_dirty_mb' 1795288853-1795288858\n"
		"2 set_param general osc.*.max_dirty_mb=64 lctl\n"
		"3 marker 2 0x6 general 'osc.*.max_dirty_mb' 1795288853-1795288858\n"
		"4 marker 3 0x1 general 'osc.*.max_dirty_mb' 1795288858-0\n"
		"5 set_param general osc.*.max_dirty_mb=128 lctl\n"
		"6 marker 3 0x2 general 'osc.*.max_dirty_mb' 1795288858-0\n");
	free(dump);
}

static void test_del_param(void **state)
{
	u64 was;

	assert_int_equal(env_do(&env, MGS_SET_PARAM, "a.b", "1"), 0);
	assert_int_equal(env_do(&env, MGS_SET_PARAM, "a.bc", "2"), 0);
	was = epoch(PARAMS);
	assert_int_equal(env_do(&env, MGS_DEL_PARAM, "a.b"), 0);
	assert_true(epoch(PARAMS) > was);
	assert_false(env_has(&env, PARAMS, "set_param general a.b="));
	assert_true(env_has(&env, PARAMS, "set_param general a.bc=2"));
	refuse(-ENOENT, "there is no permanent setting 'a.b'", MGS_DEL_PARAM,
	       "a.b");
	refuse(-ENOENT, "'nothing'", MGS_DEL_PARAM, "nothing");
	/* And again, with an earlier value. */
	assert_int_equal(env_do(&env, MGS_SET_PARAM, "a.b", "1"), 0);
	assert_true(env_has(&env, PARAMS, "set_param general a.b=1"));
}

static void test_pattern_owner(void **state)
{
	static const struct {
		const char	*pattern;
		const char	*fsname;
	} owners[] = {
		{ "osc.lustre-OST0000-osc-*.active", "lustre" },
		{ "osc/lustre-OST0000-osc-*/active", "lustre" },
		{ "obdfilter.lustre-*.x", "lustre" },
		{ "llite.lustre-*.x", "lustre" },
		{ "ldlm.namespaces.lustre-OST0000-osc-*.lru_size", "lustre" },
		{ "ldlm/namespaces/lustre-OST0000-osc-*/lru_size", "lustre" },
		{ "ldlm.namespaces.filter-lustre-OST0000_UUID.x", "lustre" },
		{ "ldlm.namespaces.mdt-lustre-MDT0000_UUID.x", "lustre" },
		{ "ldlm.namespaces.*.lru_size", "" },
		{ "ldlm.lustre-x.y", "lustre" },
		{ "osc.*.x", "" },
		{ "osc.lustre*.x", "" },
		{ "osc.lustre.x", "" },
		{ "osc.lustr-OST0000.x", "" },
		{ "osc.xlustre-OST0000.x", "" },
		{ "osc.x.lustre-OST0000", "" },
		{ "osc.a-b-OST0000.x", "a-b" },
		{ "osc.a-c-OST0000.x", "a" },
		{ "osc.a-OST0000.x", "a" },
		{ "lustre-OST0000.x", "" },
		{ "timeout", "" },
		{ "osc.", "" },
		{ "", "" },
	};
	char fsname[16];
	size_t n;

	env_add(&env, "a-OST0000", NULL);
	env_add(&env, "a-b-OST0000", NULL);
	for (n = 0; n < sizeof(owners) / sizeof(owners[0]); n++) {
		assert_int_equal(mgs_pattern_fsname(mgs_now(env.store),
						    owners[n].pattern, fsname,
						    sizeof(fsname)), 0);
		if (strcmp(fsname, owners[n].fsname))
			fail_msg("%s is of '%s', not '%s'", owners[n].pattern,
				 owners[n].fsname, fsname);
	}
	assert_int_equal(mgs_pattern_fsname(mgs_now(env.store), "osc.lustre-x.y",
					    fsname, 3), -EINVAL);
}

/* A file system registers: settings that are repeated for its devices become its own. */
static void test_owner_changes(void **state)
{
	u64 was;

	assert_int_equal(env_do(&env, MGS_SET_PARAM, "osc.new-OST*.x", "1"), 0);
	assert_true(env_has(&env, PARAMS, "set_param general osc.new-OST*.x=1"));
	was = epoch(PARAMS);
	env_add(&env, "new-OST0000", NULL);
	assert_int_equal(env_do(&env, MGS_SET_PARAM, "osc.new-OST*.x", "1"), 0);
	assert_true(env_has(&env, PARAMS, "set_param new osc.new-OST*.x=1"));
	assert_false(env_has(&env, PARAMS, "set_param general"));
	assert_true(epoch(PARAMS) > was);
}

static void test_bad_settings(void **state)
{
	static char longest[8200];

	refuse(-EINVAL, "the value is empty", MGS_SET_PARAM, "a.b", "");
	refuse(-EINVAL, "'' is not a pattern", MGS_SET_PARAM, "", "1");
	refuse(-EINVAL, "'a=b' is not a pattern", MGS_SET_PARAM, "a=b", "1");
	refuse(-EINVAL, "'a b' is not a pattern", MGS_SET_PARAM, "a b", "1");
	refuse(-EINVAL, "'.a' is not a pattern", MGS_SET_PARAM, ".a", "1");
	refuse(-EINVAL, "'a.' is not a pattern", MGS_SET_PARAM, "a.", "1");
	refuse(-EINVAL, "'a..b' is not a pattern", MGS_SET_PARAM, "a..b", "1");
	refuse(-EINVAL, "'a/.b' is not a pattern", MGS_SET_PARAM, "a/.b", "1");
	refuse(-EINVAL, "is not a pattern", MGS_SET_PARAM, "a.b\\", "1");
	assert_int_equal(env_do(&env, MGS_SET_PARAM, "a\\..b", "1"), 0);
	assert_int_equal(env_do(&env, MGS_DEL_PARAM, "a\\..b"), 0);
	refuse(-EINVAL, "a byte that is not printable", MGS_SET_PARAM, "a.b", "1\n2");
	refuse(-EINVAL, "is of one target", MGS_SET_PARAM, "failover.node",
	       "10.0.0.1@tcp");
	refuse(-EINVAL, "is of one target", MGS_SET_PARAM, "mgsnode",
	       "10.0.0.1@tcp");
	refuse(-EINVAL, "give a pattern and a value", MGS_SET_PARAM, "a.b");
	memset(longest, 'x', 1025);
	refuse(-ENAMETOOLONG, "at most 1024 bytes", MGS_SET_PARAM, longest,
	       "1");
	memset(longest, 'x', sizeof(longest) - 1);
	refuse(-E2BIG, "a record takes at most", MGS_SET_PARAM, "a.b", longest);
	refuse(-E2BIG, "a record takes at most", MGS_CONF_PARAM,
	       "lustre.llite.x", longest);
	assert_int_equal(env_do(&env, 999, "x"), -EINVAL);
	assert_int_equal(env_do(&env, 0, "x"), -EINVAL);
}

/* The longest accepted setting can be read. */
static void test_long_setting(void **state)
{
	static char value[8000], pattern[1025];
	char *dump;

	memset(pattern, 'p', sizeof(pattern) - 1);
	memset(value, 'v', 8168 - 512 - 1024);
	assert_int_equal(env_do(&env, MGS_SET_PARAM, pattern, value), 0);
	assert_int_equal(env_do(&env, MGS_SET_PARAM, "a.b",
				"x=y=z 1 2"), 0);
	assert_true(env_has(&env, PARAMS, "set_param general a.b=x=y=z 1 2 lctl\n"));
	/* The marker has only the start of the name; a longer name is another setting. */
	pattern[1023] = 'q';
	assert_int_equal(env_do(&env, MGS_SET_PARAM, pattern, "1"), 0);
	dump = env_meaning(&env, PARAMS);
	assert_int_equal(env_count(dump, "set_param general ppp"), 2);
	free(dump);
	assert_int_equal(env_do(&env, MGS_DEL_PARAM, pattern), 0);
	dump = env_meaning(&env, PARAMS);
	assert_int_equal(env_count(dump, "set_param general ppp"), 1);
	free(dump);
}

/* The pattern with which a conf_param is tried. */
static void test_conf_patterns(void **state)
{
	static const struct {
		const char	*text;
		const char	*pattern;
	} cases[] = {
		{ "lustre-OST0000.osc.max_dirty_mb", "osc.lustre-OST0000-osc*.max_dirty_mb" },
		{ "lustre-OST*.osc.active", "osc.lustre-OST*-osc*.active" },
		{ "lustre-OST0001.ost.a.b", "obdfilter.lustre-OST0001.a.b" },
		{ "lustre-OST0001.ofd.a", "obdfilter.lustre-OST0001.a" },
		{ "lustre-MDT0000.mdc.a", "mdc.lustre-MDT0000-mdc*.a" },
		{ "lustre-MDT0000.mdt.a", "mdt.lustre-MDT0000.a" },
		{ "lustre-MDT0000.lov.stripesize", "lov.lustre-*lov*.stripesize" },
		{ "lustre.llite.a", "llite.lustre-*.a" },
		{ "lustre.sys.at_max", "at_max" },
		{ "lustre-OST0000.failover.node", "" },
		{ "lustre.osc", "" },
	};
	char pattern[64], room[8];
	size_t n;

	for (n = 0; n < ARRAY_SIZE(cases); n++) {
		assert_int_equal(mgs_conf_pattern(cases[n].text, pattern,
						  sizeof(pattern)), 0);
		assert_string_equal(pattern, cases[n].pattern);
	}
	assert_int_equal(mgs_conf_pattern("nonsense", pattern,
					  sizeof(pattern)), -EINVAL);
	assert_int_equal(mgs_conf_pattern(cases[0].text, room, sizeof(room)),
			 -ENAMETOOLONG);
	assert_string_equal(room, "");
}

static void test_conf_places(void **state)
{
	static const struct {
		const char	*name;
		const char	*log;
		const char	*line;
		unsigned int	logs;
	} places[] = {
		{ "lustre.sys.timeout", CLIENT, "set_timeout num=77 - sys.timeout=77\n", 4 },
		{ "lustre.sys.timeout", MDT0, "set_timeout num=77 - sys.timeout=77\n", 4 },
		{ "lustre.sys.timeout", OST1, "set_timeout num=77 - sys.timeout=77\n", 4 },
		{ "lustre-MDT0000.sys.ldlm_timeout", OST0, "set_ldlm_timeout num=77 - sys.ldlm_timeout=77\n", 4 },
		{ "lustre.sys.at_max", OST0, "param - sys.at_max=77 77\n", 4 },
		{ "lustre-client.llite.x", CLIENT, "param lustre-client llite.x=77\n", 1 },
		{ "lustre.llite.x", CLIENT, "param lustre-client llite.x=77\n", 1 },
		{ "lustre.lmv.x", CLIENT, "param lustre-clilmv lmv.x=77\n", 1 },
		{ "lustre.lov.x", CLIENT, "param lustre-clilov lov.x=77\n", 2 },
		{ "lustre-MDT0000.lov.x", MDT0, "param lustre-MDT0000-mdtlov lov.x=77\n", 2 },
		{ "lustre-OST0001.osc.x.y", CLIENT, "param lustre-OST0001-osc osc.x.y=77\n", 2 },
		{ "lustre-OST0001.osc.x", MDT0, "param lustre-OST0001-osc-MDT0000 osc.x=77\n", 2 },
		{ "lustre-MDT0000.mdc.x", CLIENT, "param lustre-MDT0000-mdc mdc.x=77\n", 1 },
		{ "lustre-MDT0000.mdt.x", MDT0, "param lustre-MDT0000 mdt.x=77\n", 1 },
		{ "lustre-MDT0000.mdd.x", MDT0, "param lustre-MDT0000 mdd.x=77\n", 1 },
		{ "lustre-OST0000.ost.x", OST0, "param lustre-OST0000 ost.x=77\n", 1 },
		{ "lustre-OST0000.ofd.x", OST0, "param lustre-OST0000 ofd.x=77\n", 1 },
		{ "lustre-OST0000.obdfilter.x", OST0, "param lustre-OST0000 obdfilter.x=77\n", 1 },
		{ "lustre-OST*.ost.x", OST0, "param lustre-OST0000 ost.x=77\n", 2 },
		{ "lustre-OST*.ost.x", OST1, "param lustre-OST0001 ost.x=77\n", 2 },
		{ "lustre-MDT*.mdt.x", MDT0, "param lustre-MDT0000 mdt.x=77\n", 1 },
	};
	char *before, *after;
	size_t n;

	for (n = 0; n < sizeof(places) / sizeof(places[0]); n++) {
		before = env_meaning(&env, places[n].log);
		assert_int_equal(env_do(&env, MGS_CONF_PARAM, places[n].name,
					"77"), 0);
		if (env.logs != places[n].logs ||
		    !env_has(&env, places[n].log, places[n].line))
			fail_msg("%s: %u logs", places[n].name, env.logs);
		assert_int_equal(env_do(&env, MGS_CONF_PARAM, places[n].name,
					"77"), 0);
		assert_int_equal(env.records, 0);
		env_check(&env);
		assert_int_equal(env_do(&env, MGS_DEL_CONF_PARAM,
					places[n].name), 0);
		assert_int_equal(env.logs, places[n].logs);
		after = env_meaning(&env, places[n].log);
		assert_string_equal(before, after);
		free(before);
		free(after);
		refuse(-ENOENT, places[n].name, MGS_DEL_CONF_PARAM,
		       places[n].name);
	}
}

static void test_bad_conf(void **state)
{
	static const struct {
		const char	*name;
		int		rc;
		const char	*words;
	} bad[] = {
		{ "", -EINVAL, "give TARGET.NAME or FS.NAME" },
		{ "lustre", -EINVAL, "give TARGET.NAME or FS.NAME" },
		{ ".x.y", -EINVAL, "give TARGET.NAME or FS.NAME" },
		{ "lu stre.sys.timeout", -EINVAL, "give TARGET.NAME" },
		{ "lustre*.sys.timeout", -EINVAL, "give TARGET.NAME" },
		{ "lustre-*.sys.timeout", -EINVAL, "give TARGET.NAME" },
		{ "lustre-OST00000.ost.x", -EINVAL, "give TARGET.NAME" },
		{ "none.sys.timeout", -ENOENT, "there is no file system none" },
		{ "none-OST*.ost.x", -ENOENT, "there is no file system none" },
		{ "lustre-OST0009.ost.x", -ENOENT, "no target of that name" },
		{ "lustre.osc.x", -EINVAL, "is a setting of an OST" },
		{ "lustre.mdc.x", -EINVAL, "is a setting of an MDT" },
		{ "lustre-OST0000.lov.x", -EINVAL, "not of lustre-OST0000" },
		{ "lustre-MDT0000.ost.x", -EINVAL, "not of lustre-MDT0000" },
		{ "lustre-OST0000.ost", -EINVAL, "'ost' is not a permanent" },
		{ "lustre-OST0000.ost.", -EINVAL, "'ost.' is not the name" },
		{ "lustre-OST0000.ost.a b", -EINVAL, "is not the name" },
		{ "lustre-OST0000.ost.a=b", -EINVAL, "is not the name" },
		{ "lustre-OST0000.mgsnode", -EINVAL, "tunefs.lustre-lite" },
		{ "lustre-OST0000.failover.mode", -EPERM, "tunefs.lustre-lite" },
		{ "lustre.failover.node", -EINVAL, "is of one target" },
		{ "lustre-OST0000.failover.node", -EINVAL, "NID 'x'" },
		{ "lustre.sys.timeout", -EINVAL, "give a number of seconds" },
		{ "lustre.sys.foo", -EINVAL, "there is no sys.foo" },
		{ "lustre-OST0000.ost.0123456789012345678901234567890123456789012345678901234567890123456789", -ENAMETOOLONG, "63 bytes" },
	};
	size_t n;

	for (n = 0; n < sizeof(bad) / sizeof(bad[0]); n++)
		refuse(bad[n].rc, bad[n].words, MGS_CONF_PARAM, bad[n].name,
		       "x");
	refuse(-EINVAL, "the value is empty", MGS_CONF_PARAM, "lustre.llite.x",
	       "");
	refuse(-ENOENT, "no permanent setting", MGS_DEL_CONF_PARAM,
	       "lustre.llite.x");
}

static void test_failover_node(void **state)
{
	char *meaning;

	assert_int_equal(env_do(&env, MGS_CONF_PARAM,
				"lustre-OST0000.failover.node",
				"10.1.0.1@tcp,10.1.0.2@tcp:2001:db8::5@tcp"), 0);
	assert_int_equal(env.logs, 2);
	assert_true(env_has(&env, CLIENT, "add_uuid nid=0x200000a010002 - 10.1.0.1@tcp\n"));
	assert_true(env_has(&env, CLIENT, "add_conn lustre-OST0000-osc 10.1.0.1@tcp\n"));
	assert_true(env_has(&env, MDT0, "add_conn lustre-OST0000-osc-MDT0000 2001:db8::5@tcp\n"));
	assert_int_equal(env_do(&env, MGS_CONF_PARAM,
				"lustre-OST0000.failover.node",
				"10.1.0.1@tcp,10.1.0.2@tcp:2001:db8::5@tcp"), 0);
	assert_int_equal(env.records, 0);
	assert_int_equal(env_do(&env, MGS_CONF_PARAM,
				"lustre-OST0000.failover.node",
				"10.1.0.9@tcp"), 0);
	meaning = env_meaning(&env, CLIENT);
	assert_int_equal(env_count(meaning, "add_conn"), 1);
	free(meaning);
	assert_int_equal(env_do(&env, MGS_CONF_PARAM,
				"lustre-MDT0000.failover.node",
				"10.1.0.9@tcp"), 0);
	assert_true(env_has(&env, CLIENT, "add_conn lustre-MDT0000-mdc 10.1.0.9@tcp\n"));
	assert_int_equal(env_do(&env, MGS_DEL_CONF_PARAM,
				"lustre-OST0000.failover.node"), 0);
	assert_false(env_has(&env, MDT0, "add_conn"));
	refuse(-ENOENT, "no permanent setting", MGS_DEL_CONF_PARAM,
	       "lustre-OST0000.failover.node");
	/* replace_nids takes precedence. */
	assert_int_equal(env_do(&env, MGS_REPLACE_NIDS, MDT0, "10.2.0.1@tcp"),
			 0);
	assert_false(env_has(&env, CLIENT, "add_conn"));
}

static int tell(void *data, const struct mgs_setting *setting)
{
	char *all = data;

	sprintf(all + strlen(all), "%s %s %s=%s %llu\n", setting->log,
		setting->owner, setting->name, setting->value,
		(unsigned long long)setting->when - ENV_WHEN);
	return 0;
}

static int tell_once(void *data, const struct mgs_setting *setting)
{
	return 78;
}

static void test_settings(void **state)
{
	char all[4096] = "";

	env.when++;
	assert_int_equal(env_do(&env, MGS_SET_PARAM, "osc.*.x", "a=b"), 0);
	assert_int_equal(env_do(&env, MGS_SET_PARAM, "osc.lustre-*.x", "1"), 0);
	env.when++;
	assert_int_equal(env_do(&env, MGS_SET_PARAM, "osc.lustre-*.x", "2"), 0);
	assert_int_equal(env_do(&env, MGS_SET_PARAM, "gone", "2"), 0);
	assert_int_equal(env_do(&env, MGS_DEL_PARAM, "gone"), 0);
	assert_int_equal(env_do(&env, MGS_CONF_PARAM, "lustre.sys.timeout",
				"9"), 0);
	assert_int_equal(env_do(&env, MGS_CONF_PARAM, "lustre.sys.jobid_var",
				"j"), 0);
	assert_int_equal(env_do(&env, MGS_CONF_PARAM, "lustre-OST0000.osc.x",
				"3"), 0);
	assert_int_equal(env_do(&env, MGS_CLEAR_CONF, PARAMS), 0);
	assert_int_equal(mgs_log_settings(mgs_now(env.store), tell, all), 0);
	assert_string_equal(all,
		"lustre-MDT0000 lustre sys.timeout=9 2\n"
		"lustre-MDT0000 lustre sys.jobid_var=j 2\n"
		"lustre-MDT0000 lustre-OST0000-osc-MDT0000 osc.x=3 2\n"
		"lustre-OST0000 lustre sys.timeout=9 2\n"
		"lustre-OST0000 lustre sys.jobid_var=j 2\n"
		"lustre-OST0001 lustre sys.timeout=9 2\n"
		"lustre-OST0001 lustre sys.jobid_var=j 2\n"
		"lustre-client lustre sys.timeout=9 2\n"
		"lustre-client lustre sys.jobid_var=j 2\n"
		"lustre-client lustre-OST0000-osc osc.x=3 2\n"
		"params general osc.*.x=a=b 1\n"
		"params lustre osc.lustre-*.x=2 2\n");
	assert_int_equal(mgs_log_settings(mgs_now(env.store), tell_once, NULL), 78);
}

/* The history has the description of a change. */
static void test_said(void **state)
{
	struct mem_file *file;
	char text[16384];

	assert_int_equal(env_do(&env, MGS_SET_PARAM, "a.b", "x y"), 0);
	assert_int_equal(env_do(&env, MGS_DEL_PARAM, "a.b"), 0);
	assert_int_equal(env_do(&env, MGS_POOL_NEW, "lustre", "p"), 0);
	assert_int_equal(env_do(&env, MGS_POOL_ADD, "lustre", "p", OST0), 0);
	file = mem_find(&env.backend, "mgs_changes");
	assert_non_null(file);
	assert_true(file->now.size < sizeof(text));
	memcpy(text, file->now.bytes, file->now.size);
	text[file->now.size] = '\0';
	assert_non_null(strstr(text, "root 10.0.0.1@tcp register lustre-MDT0000, its logs written, its first time\n"));
	assert_non_null(strstr(text, " set_param a.b=x y\n"));
	assert_non_null(strstr(text, " set_param -d a.b\n"));
	assert_non_null(strstr(text, " pool_new lustre p\n"));
	assert_non_null(strstr(text, " pool_add lustre p lustre-OST0000\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		fs_case(test_set_param),
		fs_case(test_del_param),
		fs_case(test_pattern_owner),
		fs_case(test_owner_changes),
		fs_case(test_bad_settings),
		fs_case(test_long_setting),
		cmocka_unit_test(test_conf_patterns),
		fs_case(test_conf_places),
		fs_case(test_bad_conf),
		fs_case(test_failover_node),
		fs_case(test_settings),
		fs_case(test_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
