// SPDX-License-Identifier: GPL-2.0-only
/*
 * Written logs, compared record by record with those of management servers of real Lustre 2.9
 * and 2.7. Not compared: the version of the writer in the markers, and the bytes after the
 * NUL of their names, which are stale in logs of real Lustre.
 */
#include "mgs_log_env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FS	"t32fs"

/* Times of the registrations of MDT and OST, and of the third change. */
#define T_MDT	1490901649
#define T_OST	1490901656
#define T_JOB	1490901663

static void golden_mdt(struct env *env, const char *timeout)
{
	char params[256];

	snprintf(params, sizeof(params),
		 "sys.timeout=%s lov.stripesize=1048576 lov.stripecount=0 mdt.identity_upcall=/sbin/l_getidentity mgsnode=10.2.2.59@tcp",
		 timeout);
	env->when = T_MDT;
	assert_int_equal(env_register(env, &(struct env_target){
				.name = FS "-MDT0000",
				.flags = LDD_F_VIRGIN | LDD_F_UPDATE,
				.nids = "10.2.2.59@tcp", .params = params }),
			 0);
}

static void golden_ost(struct env *env)
{
	env->when = T_OST;
	assert_int_equal(env_register(env, &(struct env_target){
				.name = FS "-OST0000",
				.flags = LDD_F_VIRGIN | LDD_F_UPDATE,
				.nids = "10.2.2.59@tcp",
				.params = "mgsnode=10.2.2.59@tcp failover.node=1.2.3.4@tcp,4.3.2.1@tcp sys.timeout=20" }),
			 0);
}

static void golden_job(struct env *env)
{
	env->when = T_JOB;
	assert_int_equal(env_do(env, MGS_CONF_PARAM, FS ".sys.jobid_var",
				"procname_uid"), 0);
}

/* Lines of both logs; @differ lists those that differ. */
static void compare(struct env *env, struct env *real, const char *log,
		    bool (*differ)(unsigned int line, const char *ours,
				   const char *theirs))
{
	char *ours = env_dump(env, log), *theirs = env_dump(real, log);
	char *a = ours, *b = theirs, *end_a, *end_b;
	unsigned int line = 1;

	for (; *a && *b; a = end_a + 1, b = end_b + 1, line++) {
		end_a = strchr(a, '\n');
		end_b = strchr(b, '\n');
		*end_a = '\0';
		*end_b = '\0';
		if (strcmp(a, b) && (!differ || !differ(line, a, b)))
			fail_msg("%s:\n ours: %s\nreal: %s", log, a, b);
	}
	assert_int_equal(*a, 0);
	assert_int_equal(*b, 0);
	free(ours);
	free(theirs);
}

/* The removed value is 21 here; in the log of real Lustre it was 20, too. */
static bool other_timeout(unsigned int line, const char *ours,
			  const char *theirs)
{
	return strstr(ours, "set_timeout num=21 - sys.timeout=21") &&
	       strstr(theirs, "set_timeout num=20 - sys.timeout=20");
}

/*
 * Real Lustre removes and rewrites an unchanged setting; here it is not rewritten. So the
 * MDT registers with 21 seconds, which those of the OST replace: the rest is the same,
 * including numbers, steps and times.
 */
static void test_same_records(void **state)
{
	struct env env, real;

	env_open(&env);
	env_open_golden(&real, "lustre-2.9");
	golden_mdt(&env, "21");
	golden_ost(&env);
	golden_job(&env);
	compare(&env, &real, FS "-client", other_timeout);
	compare(&env, &real, FS "-MDT0000", other_timeout);
	compare(&env, &real, FS "-OST0000", NULL);
	env_check(&env);
	env_close(&env);
	env_close(&real);
}

/* With an unchanged value the old section stays and no new one is added. */
static void test_same_value(void **state)
{
	char *dump;
	struct env env;

	env_open(&env);
	golden_mdt(&env, "20");
	golden_ost(&env);
	golden_job(&env);
	dump = env_dump(&env, FS "-client");
	assert_int_equal(env_count(dump, "18 marker 8 0x1 t32fs 'sys.timeout' 1490901649-0"), 1);
	assert_int_equal(env_count(dump, "36 marker 19 0x1 t32fs 'sys.jobid_var' 1490901663-0"), 1);
	assert_int_equal(env_count(dump, "38 marker"), 1);
	assert_int_equal(env_count(dump, "39 "), 0);
	free(dump);
	dump = env_dump(&env, FS "-OST0000");
	assert_int_equal(env_count(dump, "5 marker 18 0x1 t32fs 'sys.timeout' 1490901656-0"), 1);
	free(dump);
	env_check(&env);
	env_close(&env);
}

static size_t log_bytes(struct env *env, const char *log, u8 *bytes,
			size_t size)
{
	ssize_t len = mgs_view_read(mgs_now(env->store), log, 0, bytes, size);

	assert_true(len > LLOG_MIN_CHUNK_SIZE && (size_t)len < size);
	return (size_t)len;
}

/* The header too, and the lengths of all records: only markers may differ. */
static void test_same_bytes(void **state)
{
	u8 ours[65536], theirs[65536];
	struct env env, real;
	size_t len;

	env_open(&env);
	env_open_golden(&real, "lustre-2.9");
	golden_mdt(&env, "21");
	golden_ost(&env);
	golden_job(&env);
	len = log_bytes(&env, FS "-OST0000", ours, sizeof(ours));
	assert_int_equal(log_bytes(&real, FS "-OST0000", theirs,
				   sizeof(theirs)), len);
	assert_memory_equal(ours, theirs, LLOG_MIN_CHUNK_SIZE);
	len = log_bytes(&env, FS "-client", ours, sizeof(ours));
	assert_int_equal(log_bytes(&real, FS "-client", theirs,
				   sizeof(theirs)), len);
	assert_memory_equal(ours, theirs, LLOG_MIN_CHUNK_SIZE);
	env_close(&env);
	env_close(&real);
}

/* The directory of a real server is used: another OST registers. */
static void another_ost(const char *release)
{
	struct env env;
	char *before, *after;

	env_open_golden(&env, release);
	before = env_dump(&env, FS "-client");
	assert_int_equal(env_register(&env, &(struct env_target){
				.name = FS "-OST", .flags = LDD_F_VIRGIN,
				.nids = "10.0.0.9@tcp" }), 0);
	assert_string_equal(env.target.svname, FS "-OST0001");
	assert_string_equal(env.target.uuid, FS "-OST0001_UUID");
	assert_int_equal(env.target.index, 1);
	after = env_dump(&env, FS "-client");
	assert_memory_equal(before, after, strlen(before));
	assert_int_equal(env_count(after, "42 marker 26 0x1 t32fs-OST0001 'add osc'"), 1);
	assert_true(env_has(&env, FS "-client", "lov_add_obd t32fs-clilov t32fs-OST0001_UUID 1 1\n"));
	assert_true(env_has(&env, FS "-MDT0000", "lov_add_obd t32fs-MDT0000-mdtlov t32fs-OST0001_UUID 1 1\n"));
	assert_true(env_has(&env, FS "-OST0001", "setup t32fs-OST0001 dev type f\n"));
	/* Records of all logs of that file system. */
	assert_true(env_has(&env, FS "-OST0001", "set_timeout num=20 - sys.timeout=20\n"));
	assert_true(env_has(&env, FS "-OST0001", "param - sys.jobid_var=procname_uid procname_uid\n"));
	env_check(&env);
	free(before);
	free(after);
	env_close(&env);
}

static void test_another_ost(void **state)
{
	another_ost("lustre-2.9");
	another_ost("lustre-2.7");
}

static void test_conf_param(void **state)
{
	struct env env;

	env_open_golden(&env, "lustre-2.9");
	assert_int_equal(env_do(&env, MGS_CONF_PARAM,
				FS "-OST0000.osc.max_dirty_mb", "64"), 0);
	assert_int_equal(env.logs, 2);
	assert_int_equal(env.records, 6);
	assert_true(env_has(&env, FS "-client", "param t32fs-OST0000-osc osc.max_dirty_mb=64\n"));
	assert_true(env_has(&env, FS "-MDT0000", "param t32fs-OST0000-osc-MDT0000 osc.max_dirty_mb=64\n"));
	assert_int_equal(env_do(&env, MGS_CONF_PARAM, FS ".sys.jobid_var",
				"disable"), 0);
	assert_false(env_has(&env, FS "-client", "param - sys.jobid_var=procname_uid"));
	assert_true(env_has(&env, FS "-OST0000", "param - sys.jobid_var=disable disable\n"));
	env_check(&env);
	env_close(&env);
}

/* The NIDs of the image are mapped to those of an existing network. */
static void test_replace_nids(void **state)
{
	char *before, *after;
	struct env env;

	env_open_golden(&env, "lustre-2.9");
	before = env_dump(&env, FS "-client");
	assert_int_equal(env_do(&env, MGS_REPLACE_NIDS, FS "-MDT0000",
				"10.1.0.1@tcp"), 0);
	after = env_dump(&env, FS "-client.bak");
	assert_string_equal(before, after);
	free(before);
	free(after);
	assert_int_equal(env_do(&env, MGS_REPLACE_NIDS, FS "-OST0000",
				"10.1.0.2@tcp,10.1.1.2@tcp:10.1.0.3@tcp"), 0);
	after = env_meaning(&env, FS "-client");
	assert_int_equal(env_count(after, "setup t32fs-MDT0000-mdc t32fs-MDT0000_UUID 10.1.0.1@tcp\n"), 1);
	assert_int_equal(env_count(after, "add_uuid nid=0x200000a010001 - 10.1.0.1@tcp\n"), 1);
	assert_int_equal(env_count(after, "add_uuid nid=0x200000a010102 - 10.1.0.2@tcp\n"), 1);
	assert_int_equal(env_count(after, "setup t32fs-OST0000-osc t32fs-OST0000_UUID 10.1.0.2@tcp\n"), 1);
	assert_int_equal(env_count(after, "add_conn t32fs-OST0000-osc 10.1.0.3@tcp\n"), 1);
	assert_int_equal(env_count(after, "add_conn"), 1);
	assert_int_equal(env_count(after, "add_uuid"), 4);
	assert_null(strstr(after, "10.2.2.59"));
	free(after);
	assert_false(env_has(&env, FS "-MDT0000", "add_uuid nid=0x200000a02023b"));
	assert_true(env_has(&env, FS "-MDT0000", "add_conn t32fs-OST0000-osc-MDT0000 10.1.0.3@tcp\n"));
	env_check(&env);
	/* The same again changes nothing. */
	assert_int_equal(env_do(&env, MGS_REPLACE_NIDS, FS "-MDT0000",
				"10.1.0.1@tcp"), 0);
	assert_int_equal(env.records, 0);
	env_close(&env);
}

/* Removed settings disappear; the effect of the logs stays. */
static void test_clear_conf(void **state)
{
	static const char *const logs[] = {
		FS "-client", FS "-MDT0000", FS "-OST0000",
	};
	char *before[3], *after;
	struct env env;
	int n;

	env_open_golden(&env, "lustre-2.9");
	for (n = 0; n < 3; n++)
		before[n] = env_meaning(&env, logs[n]);
	assert_int_equal(env_do(&env, MGS_CLEAR_CONF, FS), 0);
	for (n = 0; n < 3; n++) {
		after = env_meaning(&env, logs[n]);
		assert_string_equal(before[n], after);
		free(before[n]);
		free(after);
	}
	after = env_dump(&env, FS "-client");
	assert_int_equal(env_count(after, "38 "), 1);
	assert_int_equal(env_count(after, "39 "), 0);
	free(after);
	env_check(&env);
	assert_int_equal(env_do(&env, MGS_CLEAR_CONF, FS), 0);
	assert_int_equal(env.records, 0);
	env_close(&env);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_records),
		cmocka_unit_test(test_same_value),
		cmocka_unit_test(test_same_bytes),
		cmocka_unit_test(test_another_ost),
		cmocka_unit_test(test_conf_param),
		cmocka_unit_test(test_replace_nids),
		cmocka_unit_test(test_clear_conf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
