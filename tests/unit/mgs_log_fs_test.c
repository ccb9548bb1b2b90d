// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes of whole logs: other NIDs, logs cleared, copied and erased, an OST removed, single
 * records, logs to be rewritten; and pools.
 */
#include "mgs_log_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void done(int rc)
{
	if (rc)
		fail_msg("%d: %s", rc, env.why.text);
}

#define ok(...)	done(env_do(&env, __VA_ARGS__))

static int info(const char *log, struct mgs_log_info *li)
{
	return mgs_view_info(mgs_now(env.store), log, li);
}

static u64 epoch(const char *log)
{
	struct mgs_log_info li;

	assert_int_equal(info(log, &li), 0);
	return li.li_epoch;
}

/* Something of everything. */
static void fill(void)
{
	ok(MGS_CONF_PARAM, "lustre.sys.timeout", "10");
	ok(MGS_CONF_PARAM, "lustre.sys.timeout", "11");
	ok(MGS_CONF_PARAM, "lustre.lov.stripecount", "3");
	ok(MGS_CONF_PARAM, OST0 ".osc.x", "1");
	ok(MGS_CONF_PARAM, OST1 ".osc.x", "1");
	ok(MGS_CONF_PARAM, OST0 ".ost.x", "1");
	ok(MGS_CONF_PARAM, OST0 ".failover.node", "10.6.0.1@tcp");
	ok(MGS_POOL_NEW, "lustre", "p");
	ok(MGS_POOL_ADD, "lustre", "p", OST0);
	ok(MGS_POOL_ADD, "lustre", "p", OST1);
	ok(MGS_SET_PARAM, "osc.*.a", "1");
	ok(MGS_SET_PARAM, "osc.*.a", "2");
	ok(MGS_SET_PARAM, "osc.lustre-*.a", "3");
}

static void test_replace_nids(void **state)
{
	u64 was = epoch(CLIENT);
	char *meaning;

	fill();
	ok(MGS_REPLACE_NIDS, OST0, "10.8.0.1@tcp,2001:db8::1@tcp:10.8.0.2@tcp");
	assert_true(epoch(CLIENT) > was);
	meaning = env_meaning(&env, CLIENT);
	assert_int_equal(env_count(meaning, "add_uuid - 10.8.0.1@tcp 2001:db8::1@tcp\n"), 1);
	assert_int_equal(env_count(meaning, "add_conn"), 1);
	assert_null(strstr(meaning, "10.6.0.1"));
	free(meaning);
	assert_true(env_has(&env, MDT0, "add_conn lustre-OST0000-osc-MDT0000 10.8.0.2@tcp\n"));
	ok(MGS_REPLACE_NIDS, OST0, "10.8.0.1@tcp,2001:db8::1@tcp:10.8.0.2@tcp");
	assert_int_equal(env.records, 0);
	refuse(-EINVAL, "'lustre' is not a target name", MGS_REPLACE_NIDS,
	       "lustre", "10.8.0.1@tcp");
	refuse(-ENOENT, "has no target lustre-OST0009", MGS_REPLACE_NIDS,
	       "lustre-OST0009", "10.8.0.1@tcp");
	refuse(-ENOENT, "there is no file system none", MGS_REPLACE_NIDS,
	       "none-OST0000", "10.8.0.1@tcp");
	refuse(-EINVAL, "NID ''", MGS_REPLACE_NIDS, OST0, "");
	refuse(-EINVAL, "NID 'a'", MGS_REPLACE_NIDS, OST0, "a");
}

static int meanings(void *data, const struct mgs_log_info *li)
{
	char **all = data, *meaning;
	size_t len = *all ? strlen(*all) : 0, room;

	if (strstr(li->li_name, ".bak"))
		return 0;
	meaning = env_meaning(&env, li->li_name);
	room = len + strlen(li->li_name) + strlen(meaning) + 3;
	*all = realloc(*all, room);
	assert_non_null(*all);
	snprintf(*all + len, room - len, "%s:\n%s", li->li_name, meaning);
	free(meaning);
	return 0;
}

static char *all_meanings(void)
{
	char *all = NULL;

	assert_int_equal(mgs_view_each(mgs_now(env.store), meanings, &all), 0);
	return all;
}

static void test_clear_conf(void **state)
{
	char *before, *after, *dump;
	u64 was;

	fill();
	ok(MGS_DEL_OST, OST1);
	before = all_meanings();
	dump = env_dump(&env, CLIENT);
	was = epoch(CLIENT);
	ok(MGS_CLEAR_CONF, "lustre");
	after = all_meanings();
	assert_string_equal(before, after);
	free(after);
	assert_true(epoch(CLIENT) > was);
	after = env_dump(&env, CLIENT ".bak");
	assert_string_equal(dump, after);
	free(after);
	free(dump);
	dump = env_dump(&env, CLIENT);
	assert_null(strstr(dump, "cancelled"));
	assert_null(strstr(dump, " 0x5 "));
	free(dump);
	ok(MGS_CLEAR_CONF, "lustre");
	assert_int_equal(env.records, 0);
	was = epoch(PARAMS);
	ok(MGS_CLEAR_CONF, PARAMS);
	assert_true(epoch(PARAMS) > was);
	after = all_meanings();
	assert_string_equal(before, after);
	free(before);
	free(after);
	refuse(-ENOENT, "there is no file system 'none'", MGS_CLEAR_CONF,
	       "none");
	refuse(-ENOENT, "there is no file system 'lustre-client.bak'",
	       MGS_CLEAR_CONF, CLIENT ".bak");
	refuse(-ENOENT, "there is no log 'none-client'", MGS_CLEAR_CONF,
	       "none-client");
	refuse(-ENOENT, "there is no file system 'lustre789'", MGS_CLEAR_CONF,
	       "lustre789");
}

/* Steps continue after the existing ones. */
static void test_steps_after_clear(void **state)
{
	char *dump;

	ok(MGS_CLEAR_CONF, "lustre");
	ok(MGS_CONF_PARAM, "lustre.llite.x", "1");
	ok(MGS_CONF_PARAM, "lustre.llite.x", "2");
	ok(MGS_CLEAR_CONF, CLIENT);
	ok(MGS_CONF_PARAM, "lustre.llite.x", "3");
	dump = env_dump(&env, CLIENT);
	assert_non_null(strstr(dump, "'llite.x'"));
	free(dump);
}

static void replace(char *text, const char *from, const char *to)
{
	char *at;

	assert_int_equal(strlen(from), strlen(to));
	while ((at = strstr(text, from)))
		memcpy(at, to, strlen(to));
}

static void test_fork_lcfg(void **state)
{
	static const char *const logs[] = { "client", "MDT0000", "OST0000" };
	char *ours, *theirs;
	char name[32];
	size_t n;

	fill();
	ok(MGS_FORK_LCFG, "lustre", "second");
	for (n = 0; n < 3; n++) {
		snprintf(name, sizeof(name), "lustre-%s", logs[n]);
		ours = env_meaning(&env, name);
		snprintf(name, sizeof(name), "second-%s", logs[n]);
		theirs = env_meaning(&env, name);
		assert_non_null(strstr(theirs, "second"));
		assert_null(strstr(theirs, "lustre"));
		replace(ours, "lustre", "second");
		assert_string_equal(ours, theirs);
		free(ours);
		free(theirs);
	}
	ours = env_dump(&env, "second-client");
	assert_null(strstr(ours, "lustre-"));
	free(ours);
	/* The new log can be changed. */
	env_add(&env, "second-OST0002", NULL);
	ok(MGS_CONF_PARAM, "second-OST0002.osc.x", "1");
	assert_false(env_has(&env, CLIENT, "lov_add_obd second"));
	refuse(-EEXIST, "there is a file system second already", MGS_FORK_LCFG,
	       "lustre", "second");
	refuse(-EEXIST, "already", MGS_FORK_LCFG, "lustre", "lustre");
	refuse(-EINVAL, "is not a valid name of a file system", MGS_FORK_LCFG, "lustre",
	       "toolongname");
	refuse(-ENOENT, "there is no file system 'none'", MGS_FORK_LCFG, "none",
	       "third");
}

static int count_log(void *data, const struct mgs_log_info *li)
{
	++*(unsigned int *)data;
	return 0;
}

static void test_erase_lcfg(void **state)
{
	unsigned int logs = 0;
	u64 was;

	fill();
	env_add(&env, "other-OST0000", NULL);
	ok(MGS_SET_PARAM, "osc.other-*.a", "4");
	ok(MGS_CLEAR_CONF, "lustre");
	was = epoch(PARAMS);
	ok(MGS_ERASE_LCFG, "lustre");
	assert_string_equal(env.why.text, "lustre: 4 logs erased, and 1 settings for all its nodes");
	assert_int_equal(mgs_view_each(mgs_now(env.store), count_log, &logs), 0);
	assert_int_equal(logs, 3);
	assert_true(epoch(PARAMS) > was);
	assert_false(env_has(&env, PARAMS, "set_param lustre"));
	assert_true(env_has(&env, PARAMS, "set_param general osc.*.a=2"));
	assert_true(env_has(&env, PARAMS, "set_param other osc.other-*.a=4"));
	refuse(-ENOENT, "there is no file system 'lustre'", MGS_ERASE_LCFG,
	       "lustre");
	/* It may come again. */
	env_add(&env, OST0, NULL);
}

static void test_del_ost(void **state)
{
	struct mgs_log_info li;
	char *dump;
	u64 was;

	fill();
	was = epoch(CLIENT);
	ok(MGS_DEL_OST, OST0);
	assert_true(epoch(CLIENT) > was);
	assert_int_equal(info(OST0, &li), -ENOENT);
	dump = env_meaning(&env, CLIENT);
	assert_null(strstr(dump, "OST0000"));
	assert_non_null(strstr(dump, "pool_add lustre-clilov lustre p lustre-OST0001_UUID\n"));
	free(dump);
	dump = env_meaning(&env, MDT0);
	assert_null(strstr(dump, "OST0000"));
	free(dump);
	dump = env_dump(&env, MDT0);
	assert_non_null(strstr(dump, "cancelled lov_add_obd lustre-MDT0000-mdtlov lustre-OST0000_UUID"));
	free(dump);
	refuse(-ENOENT, "has no target lustre-OST0000", MGS_DEL_OST, OST0);
	refuse(-EINVAL, "is not an OST", MGS_DEL_OST, MDT0);
	refuse(-EINVAL, "is not a target name", MGS_DEL_OST, "OST0000");
	/* Its index is free. */
	env_add(&env, "lustre-OST0000", NULL);
}

static void test_cancel(void **state)
{
	u64 was;

	ok(MGS_SET_PARAM, "a.b", "1");
	ok(MGS_SET_PARAM, "a.c", "1");
	was = epoch(PARAMS);
	assert_int_equal(env_change(&env, MGS_CANCEL_RECORD, 2,
				    (const char *const []){ PARAMS }, 1), 0);
	assert_int_equal(env.records, 1);
	assert_true(epoch(PARAMS) > was);
	assert_false(env_has(&env, PARAMS, "set_param general a.b"));
	assert_int_equal(env_change(&env, MGS_CANCEL_RECORD, 2,
				    (const char *const []){ PARAMS }, 1),
			 -ENOENT);
	assert_non_null(strstr(env.why.text, "log params has no record 2 that is in force"));
	assert_int_equal(env_change(&env, MGS_CANCEL_RECORD, 1,
				    (const char *const []){ PARAMS }, 1),
			 -EINVAL);
	assert_non_null(strstr(env.why.text, "is a marker"));
	assert_int_equal(env_change(&env, MGS_CANCEL_RECORD, 99,
				    (const char *const []){ PARAMS }, 1),
			 -ENOENT);
	refuse(-ENOENT, "there is no log 'none'", MGS_CANCEL_RECORD, "none");
	/* The rest of the section is removed when the log is cleared. */
	ok(MGS_CLEAR_CONF, PARAMS);
	assert_int_equal(env.logs, 2);
	ok(MGS_CLEAR_CONF, PARAMS);
	assert_int_equal(env.logs, 0);
}

static int reg(const char *name, const char *nid)
{
	return env_register(&env, &(struct env_target){
			.name = name, .nids = nid });
}

static void test_writeconf_target(void **state)
{
	char *meaning;

	fill();
	ok(MGS_WRITECONF, OST0);
	assert_string_equal(env.why.text, "lustre-OST0000: its log is written when it is mounted next");
	meaning = env_meaning(&env, OST0);
	assert_string_equal(meaning, "");
	free(meaning);
	/* Clients apply it until then. */
	assert_true(env_has(&env, CLIENT, "lov_add_obd lustre-clilov lustre-OST0000_UUID"));
	refuse(-ENOENT, "it is written when that is mounted next",
	       MGS_CONF_PARAM, OST0 ".ost.x", "1");
	ok(MGS_CONF_PARAM, "lustre.sys.timeout", "55");
	assert_int_equal(reg(OST0, "10.0.0.1@tcp"), 0);
	assert_true(env_has(&env, OST0, "setup lustre-OST0000 dev type f\n"));
	assert_true(env_has(&env, OST0, "set_timeout num=55 "));
	assert_false(env_has(&env, OST0, "param lustre-OST0000"));
	assert_false(env_has(&env, CLIENT, "param lustre-OST0000-osc"));
	refuse(-ENOENT, "has no target", MGS_WRITECONF, "lustre-OST0007");
}

static void test_writeconf_fs(void **state)
{
	char *meaning;

	fill();
	ok(MGS_WRITECONF, "lustre");
	meaning = env_meaning(&env, CLIENT);
	assert_null(strstr(meaning, "param"));
	assert_null(strstr(meaning, "pool"));
	assert_null(strstr(meaning, "set_timeout"));
	assert_non_null(strstr(meaning, "lov_add_obd"));
	free(meaning);
	/* In any order. */
	assert_int_equal(reg(OST1, "10.0.0.2@tcp"), 0);
	assert_int_equal(reg(MDT0, "10.0.1.1@tcp"), 0);
	assert_int_equal(reg(OST0, "10.0.0.1@tcp"), 0);
	meaning = env_meaning(&env, MDT0);
	assert_int_equal(env_count(meaning, "lov_add_obd"), 2);
	assert_int_equal(env_count(meaning, "param"), 0);
	free(meaning);
	meaning = env_meaning(&env, CLIENT);
	assert_int_equal(env_count(meaning, "lov_add_obd"), 2);
	assert_int_equal(env_count(meaning, "add_mdc"), 1);
	assert_int_equal(env_count(meaning, "mount_option"), 1);
	free(meaning);
	assert_true(env_has(&env, PARAMS, "set_param lustre osc.lustre-*.a=3"));
	refuse(-ENOENT, "there is no file system 'none'", MGS_WRITECONF, "none");
}

static void test_pools(void **state)
{
	char *dump;
	u64 was = epoch(CLIENT);

	ok(MGS_POOL_NEW, "lustre", "p");
	assert_int_equal(env.logs, 2);
	ok(MGS_POOL_ADD, "lustre", "p", OST0);
	dump = env_dump(&env, CLIENT);
	assert_non_null(strstr(dump, " lustre-clilov 'new lustre.p' "));
	assert_non_null(strstr(dump, " pool_new lustre-clilov lustre p\n"));
	assert_non_null(strstr(dump, " lustre-clilov 'add lustre.p.lustre-OST0000_UUID' "));
	assert_non_null(strstr(dump, " pool_add lustre-clilov lustre p lustre-OST0000_UUID\n"));
	free(dump);
	assert_true(env_has(&env, MDT0, "pool_add lustre-MDT0000-mdtlov lustre p lustre-OST0000_UUID\n"));
	refuse(-EEXIST, "lustre has a pool p already", MGS_POOL_NEW, "lustre",
	       "p");
	refuse(-EEXIST, "pool p has lustre-OST0000_UUID already", MGS_POOL_ADD,
	       "lustre", "p", OST0);
	refuse(-ENOENT, "pool p does not have lustre-OST0001_UUID",
	       MGS_POOL_REM, "lustre", "p", OST1);
	refuse(-ENOENT, "lustre has no pool q", MGS_POOL_ADD, "lustre", "q",
	       OST0);
	refuse(-ENOENT, "lustre has no pool q", MGS_POOL_DEL, "lustre", "q");
	refuse(-ENOTEMPTY, "pool p has 1 OSTs", MGS_POOL_DEL, "lustre", "p");
	ok(MGS_POOL_REM, "lustre", "p", OST0);
	ok(MGS_POOL_DEL, "lustre", "p");
	ok(MGS_POOL_NEW, "lustre", "p");
	ok(MGS_POOL_ADD, "lustre", "p", OST0);
	assert_int_equal(epoch(CLIENT), was);
}

static void test_bad_pools(void **state)
{
	refuse(-EINVAL, "'' is not a valid name of a pool", MGS_POOL_NEW, "lustre", "");
	refuse(-EINVAL, "is not a valid name of a pool", MGS_POOL_NEW, "lustre",
	       "sixteen-letters-");
	refuse(-EINVAL, "is not a valid name of a pool", MGS_POOL_NEW, "lustre", ".p");
	refuse(-EINVAL, "is not a valid name of a pool", MGS_POOL_NEW, "lustre", "a b");
	refuse(-ENOENT, "there is no file system 'none'", MGS_POOL_NEW, "none",
	       "p");
	refuse(-ENOENT, "there is no file system 'lustre789'", MGS_POOL_NEW,
	       "lustre789", "p");
	ok(MGS_POOL_NEW, "lustre", "fifteen-letters");
	refuse(-EINVAL, "'lustre-MDT0000' is not an OST of lustre", MGS_POOL_ADD,
	       "lustre", "fifteen-letters", MDT0);
	refuse(-EINVAL, "'other-OST0000' is not an OST of lustre", MGS_POOL_ADD,
	       "lustre", "fifteen-letters", "other-OST0000");
	refuse(-ENOENT, "file system lustre has no lustre-OST0005",
	       MGS_POOL_ADD, "lustre", "fifteen-letters", "lustre-OST0005");
}

/* Removed from a pool, then rewritten: it is not in that pool. */
static void test_pool_writeconf(void **state)
{
	char *meaning;

	ok(MGS_POOL_NEW, "lustre", "p");
	ok(MGS_POOL_NEW, "lustre", "q");
	ok(MGS_POOL_ADD, "lustre", "p", OST0);
	ok(MGS_POOL_ADD, "lustre", "q", OST0);
	ok(MGS_POOL_REM, "lustre", "p", OST0);
	ok(MGS_POOL_REM, "lustre", "q", OST0);
	ok(MGS_POOL_ADD, "lustre", "q", OST0);
	ok(MGS_WRITECONF, OST0);
	assert_int_equal(reg(OST0, "10.0.0.1@tcp"), 0);
	meaning = env_meaning(&env, MDT0);
	assert_int_equal(env_count(meaning, "pool_add"), 1);
	assert_int_equal(env_count(meaning, "pool_rem"), 0);
	assert_int_equal(env_count(meaning, "pool_add lustre-MDT0000-mdtlov lustre q lustre-OST0000_UUID\n"), 1);
	free(meaning);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		fs_case(test_replace_nids),
		fs_case(test_clear_conf),
		fs_case(test_steps_after_clear),
		fs_case(test_fork_lcfg),
		fs_case(test_erase_lcfg),
		fs_case(test_del_ost),
		fs_case(test_cancel),
		fs_case(test_writeconf_target),
		fs_case(test_writeconf_fs),
		fs_case(test_pools),
		fs_case(test_bad_pools),
		fs_case(test_pool_writeconf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
