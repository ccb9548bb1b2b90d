// SPDX-License-Identifier: GPL-2.0-only
/*
 * Long sequences of random changes, against a model of the settings in force; and every
 * allocation of every change failing in turn.
 */
#include "mgs_log_env.h"
#include "rounds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shim/alloc.h>

#define TARGETS		4
#define PATTERNS	4
#define POOLS		2
#define STEPS		500

static struct env env;

/**
 * struct model - the settings in force
 * @fs: there is one
 * @ost: existing OSTs
 * @mdt: existing MDTs
 * @wide: value of each setting for all nodes, 0 for none
 * @owned: whether it belongs to the file system, which existed when it was set
 * @timeout: sys.timeout, 0 for none
 * @active: osc.active of each OST, 0 for none
 * @pool: existing pools
 * @member: OSTs in them
 */
struct model {
	bool		fs;
	bool		ost[TARGETS];
	bool		mdt[TARGETS];
	unsigned int	wide[PATTERNS];
	bool		owned[PATTERNS];
	unsigned int	timeout;
	unsigned int	active[TARGETS];
	bool		pool[POOLS];
	bool		member[POOLS][TARGETS];
};

static struct model model;
static unsigned int seed;

static unsigned int pick(unsigned int below)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % below;
}

static const char *const patterns[PATTERNS] = {
	"osc.*.a", "osc.fs-OST*.a", "mdc.*.b", "ldlm.namespaces.fs-*.c",
};

static bool any(const bool *what)
{
	unsigned int n;

	for (n = 0; n < TARGETS; n++)
		if (what[n])
			return true;
	return false;
}

static void want(int rc, bool done, const char *what)
{
	if (!rc != done)
		fail_msg("%s: %d, '%s'", what, rc, env.why.text);
}

static char name[64], text[64];

static const char *target(const char *kind, unsigned int n)
{
	snprintf(name, sizeof(name), "fs-%s%04x", kind, n);
	return name;
}

static void do_register(void)
{
	static const u32 flags[] = {
		LDD_F_VIRGIN, LDD_F_WRITECONF, LDD_F_UPDATE, 0, LDD_F_PARAM,
	};
	u32 flag = flags[pick(5)];
	bool is_ost = pick(3);
	unsigned int n = pick(TARGETS);
	bool *there = is_ost ? &model.ost[n] : &model.mdt[n];
	int rc;

	snprintf(text, sizeof(text), "10.%u.%u.%u@tcp", is_ost, n, pick(2));
	rc = env_register(&env, &(struct env_target){
			.name = target(is_ost ? "OST" : "MDT", n),
			.flags = flag, .nids = text });
	/* One that registers as new again is known by its identity. */
	want(rc, flag == LDD_F_VIRGIN || flag == LDD_F_WRITECONF || *there, name);
	if (!rc && is_ost && flag == LDD_F_WRITECONF)
		model.active[n] = 0;
	*there |= !rc;
	model.fs |= !rc;
}

static void do_wide(void)
{
	unsigned int n = pick(PATTERNS), value = pick(3);
	int rc;

	snprintf(text, sizeof(text), "%u", value);
	if (value) {
		want(env_do(&env, MGS_SET_PARAM, patterns[n], text), true,
		     patterns[n]);
	} else {
		rc = env_do(&env, MGS_DEL_PARAM, patterns[n]);
		want(rc, model.wide[n], patterns[n]);
	}
	model.wide[n] = value;
	model.owned[n] = model.fs && n % 2;
}

static void do_timeout(void)
{
	unsigned int value = pick(3);

	snprintf(text, sizeof(text), "%u", value);
	if (value)
		want(env_do(&env, MGS_CONF_PARAM, "fs.sys.timeout", text),
		     model.fs, "sys.timeout");
	else
		want(env_do(&env, MGS_DEL_CONF_PARAM, "fs.sys.timeout"),
		     model.timeout, "sys.timeout");
	model.timeout = model.fs ? value : 0;
}

static void do_active(void)
{
	unsigned int n = pick(TARGETS), value = pick(3);

	snprintf(text, sizeof(text), "%u", value);
	snprintf(name, sizeof(name), "fs-OST%04x.osc.active", n);
	if (value)
		want(env_do(&env, MGS_CONF_PARAM, name, text), model.ost[n],
		     name);
	else
		want(env_do(&env, MGS_DEL_CONF_PARAM, name), model.active[n],
		     name);
	if (model.ost[n])
		model.active[n] = value;
}

static bool pool_empty(unsigned int p)
{
	return !any(model.member[p]);
}

static void do_pool(void)
{
	unsigned int p = pick(POOLS), n = pick(TARGETS);
	const char *pool = p ? "q" : "p";

	switch (pick(4)) {
	case 0:
		want(env_do(&env, MGS_POOL_NEW, "fs", pool),
		     model.fs && !model.pool[p], "pool_new");
		model.pool[p] |= model.fs;
		break;
	case 1:
		want(env_do(&env, MGS_POOL_DEL, "fs", pool),
		     model.pool[p] && pool_empty(p), "pool_destroy");
		model.pool[p] &= !pool_empty(p);
		break;
	case 2:
		want(env_do(&env, MGS_POOL_ADD, "fs", pool, target("OST", n)),
		     model.pool[p] && model.ost[n] && !model.member[p][n],
		     "pool_add");
		model.member[p][n] |= model.pool[p] && model.ost[n];
		break;
	default:
		want(env_do(&env, MGS_POOL_REM, "fs", pool, target("OST", n)),
		     model.member[p][n], "pool_remove");
		model.member[p][n] = false;
		break;
	}
}

static void do_del_ost(void)
{
	unsigned int n = pick(TARGETS), p;

	want(env_do(&env, MGS_DEL_OST, target("OST", n)), model.ost[n],
	     "del_ost");
	model.ost[n] = false;
	model.active[n] = 0;
	for (p = 0; p < POOLS; p++)
		model.member[p][n] = false;
}

static void do_nids(void)
{
	unsigned int n = pick(TARGETS);
	bool is_ost = pick(2);

	snprintf(text, sizeof(text), "10.%u.%u.%u@tcp:10.9.9.%u@tcp", is_ost, n,
		 pick(2), pick(3));
	target(is_ost ? "OST" : "MDT", n);
	want(env_do(&env, MGS_REPLACE_NIDS, name, text),
	     is_ost ? model.ost[n] : model.mdt[n], "replace_nids");
}

static void do_failover(void)
{
	unsigned int n = pick(TARGETS);

	snprintf(text, sizeof(text), "10.8.8.%u@tcp", pick(3));
	snprintf(name, sizeof(name), "fs-OST%04x.failover.node", n);
	want(env_do(&env, MGS_CONF_PARAM, name, text), model.ost[n], name);
}

static void do_clear(void)
{
	if (pick(2))
		want(env_do(&env, MGS_CLEAR_CONF, "fs"), model.fs, "clear_conf");
	else
		env_do(&env, MGS_CLEAR_CONF, "params");
}

static void do_rare(void)
{
	unsigned int n;

	switch (pick(12)) {
	case 0:
		want(env_do(&env, MGS_ERASE_LCFG, "fs"), model.fs, "erase_lcfg");
		if (!env.generation)
			break;
		/* Its settings are removed with it. */
		if (strncmp(env.why.text, "fs: ", 4))
			fail_msg("%s", env.why.text);
		model.fs = false;
		for (n = 0; n < PATTERNS; n++)
			model.wide[n] = model.owned[n] ? 0 : model.wide[n];
		memset(model.ost, 0, sizeof(model.ost));
		memset(model.mdt, 0, sizeof(model.mdt));
		memset(model.active, 0, sizeof(model.active));
		memset(model.pool, 0, sizeof(model.pool));
		memset(model.member, 0, sizeof(model.member));
		model.timeout = 0;
		break;
	case 1:
		want(env_do(&env, MGS_FORK_LCFG, "fs", "twin"), model.fs,
		     "fork_lcfg");
		if (!env.generation)
			break;
		env_check(&env);
		want(env_do(&env, MGS_ERASE_LCFG, "twin"), true, "erase_lcfg");
		break;
	}
}

static void step(void)
{
	static void (*const steps[])(void) = {
		do_register, do_register, do_register, do_wide, do_timeout,
		do_active, do_pool, do_pool, do_pool, do_del_ost, do_nids,
		do_failover, do_clear, do_rare,
	};

	env.when++;
	steps[pick(sizeof(steps) / sizeof(steps[0]))]();
}

static void check_wide(void)
{
	struct mgs_log_info info;
	unsigned int n;
	char *meaning;
	char line[96];

	if (mgs_view_info(mgs_now(env.store), "params", &info))
		return;
	meaning = env_meaning(&env, "params");
	for (n = 0; n < PATTERNS; n++) {
		/* Its owner depends on whether the file system existed. */
		snprintf(line, sizeof(line), " %s=%u lctl\n", patterns[n],
			 model.wide[n]);
		if (model.wide[n] && !strstr(meaning, line))
			fail_msg("no '%s' in\n%s", line, meaning);
		snprintf(line, sizeof(line), " %s=", patterns[n]);
		if (!model.wide[n] && strstr(meaning, line))
			fail_msg("'%s' in\n%s", line, meaning);
	}
	free(meaning);
}

static void check_line(const char *meaning, const char *line, bool there)
{
	if (env_count(meaning, line) != there)
		fail_msg("%s'%s' in\n%s", there ? "no " : "", line, meaning);
}

/* Records of a log for OSTs: @lov and @osc are the names of their devices there. */
static void check_osts(const char *meaning, const char *lov, const char *osc)
{
	unsigned int n, p;
	char line[128];

	for (n = 0; n < TARGETS; n++) {
		snprintf(line, sizeof(line), "lov_add_obd %s fs-OST%04x_UUID %u 1\n", lov, n, n);
		check_line(meaning, line, model.ost[n]);
		snprintf(line, sizeof(line), "param fs-OST%04x-%s osc.active=%u\n", n, osc, model.active[n]);
		check_line(meaning, line, model.active[n]);
		for (p = 0; p < POOLS; p++) {
			snprintf(line, sizeof(line), "pool_add %s fs %s fs-OST%04x_UUID\n", lov, p ? "q" : "p", n);
			/* May exist together with the record that undoes it. */
			if (model.member[p][n])
				assert_true(env_count(meaning, line) > 0);
			else if (!env_count(meaning, "pool_rem"))
				assert_int_equal(env_count(meaning, line), 0);
		}
	}
}

static void check_client(void)
{
	struct mgs_log_info info;
	char *meaning;
	char line[64];

	if (mgs_view_info(mgs_now(env.store), "fs-client", &info)) {
		assert_false(model.fs);
		return;
	}
	meaning = env_meaning(&env, "fs-client");
	check_osts(meaning, "fs-clilov", "osc");
	snprintf(line, sizeof(line), "set_timeout num=%u ", model.timeout);
	check_line(meaning, line, model.timeout);
	free(meaning);
}

static void check_mdt(unsigned int n)
{
	char lov[64], osc[32], line[64];
	char *meaning;

	if (!model.mdt[n])
		return;
	meaning = env_meaning(&env, target("MDT", n));
	snprintf(lov, sizeof(lov), "fs-MDT%04x-mdtlov", n);
	snprintf(osc, sizeof(osc), "osc-MDT%04x", n);
	check_osts(meaning, lov, osc);
	snprintf(line, sizeof(line), "set_timeout num=%u ", model.timeout);
	check_line(meaning, line, model.timeout);
	free(meaning);
}

static void check_all(void)
{
	unsigned int n;

	env_check(&env);
	check_wide();
	check_client();
	for (n = 0; n < TARGETS; n++)
		check_mdt(n);
}

static void sequence(unsigned int from)
{
	unsigned int n;

	memset(&model, 0, sizeof(model));
	env_open(&env);
	seed = from;
	for (n = 0; n < STEPS; n++) {
		step();
		check_all();
	}
	env_close(&env);
}

static void test_sequences(void **state)
{
	unsigned int from;

	for (from = 1; from <= rounds_of(4); from++)
		sequence(from);
}

/**
 * struct call - a change whose allocations fail
 * @op: operation, 0 for a registration
 * @args: its texts
 * @argc: how many
 * @target: who registers
 */
struct call {
	u32			op;
	const char		*args[3];
	unsigned int		argc;
	struct env_target	target;
};

static const struct call calls[] = {
	{ MGS_SET_PARAM, { "osc.fs-*.a", "2" }, 2, { NULL } },
	{ MGS_SET_PARAM, { "osc.*.z", "1" }, 2, { NULL } },
	{ MGS_DEL_PARAM, { "osc.fs-*.a" }, 1, { NULL } },
	{ MGS_CONF_PARAM, { "fs.sys.timeout", "4" }, 2, { NULL } },
	{ MGS_CONF_PARAM, { "fs-OST0000.osc.active", "2" }, 2, { NULL } },
	{ MGS_CONF_PARAM, { "fs-OST0000.failover.node", "10.0.7.7@tcp" }, 2,
	  { NULL } },
	{ MGS_DEL_CONF_PARAM, { "fs-OST0000.osc.active" }, 1, { NULL } },
	{ MGS_REPLACE_NIDS, { "fs-OST0000", "10.0.7.1@tcp:10.0.7.2@tcp" }, 2,
	  { NULL } },
	{ MGS_CLEAR_CONF, { "fs" }, 1, { NULL } },
	{ MGS_FORK_LCFG, { "fs", "twin" }, 2, { NULL } },
	{ MGS_ERASE_LCFG, { "fs" }, 1, { NULL } },
	{ MGS_DEL_OST, { "fs-OST0000" }, 1, { NULL } },
	{ MGS_POOL_NEW, { "fs", "q" }, 2, { NULL } },
	{ MGS_POOL_ADD, { "fs", "p", "fs-OST0001" }, 3, { NULL } },
	{ MGS_WRITECONF, { "fs" }, 1, { NULL } },
	{ MGS_WRITECONF, { "fs-OST0000" }, 1, { NULL } },
	{ 0, { NULL }, 0, { "fs-OST0002", LDD_F_VIRGIN, "10.0.0.3@tcp",
			    "failover.node=10.0.0.4@tcp ost.x=1" } },
	{ 0, { NULL }, 0, { "fs-MDT0001", LDD_F_VIRGIN, "10.0.1.2@tcp",
			    "mdt.x=1" } },
	{ 0, { NULL }, 0, { "fs-OST0000", LDD_F_WRITECONF, "10.0.0.9@tcp",
			    NULL } },
	{ 0, { NULL }, 0, { "fs-OST0000", LDD_F_UPDATE, "10.0.0.9@tcp",
			    NULL } },
	{ 0, { NULL }, 0, { "fs-OST0000", LDD_F_VIRGIN, "10.0.0.9@tcp",
			    NULL } },
};

static void prepare(void)
{
	env_open(&env);
	env_add(&env, "fs-MDT0000", NULL);
	env_add(&env, "fs-OST0000", NULL);
	env_add(&env, "fs-OST0001", NULL);
	env_do(&env, MGS_SET_PARAM, "osc.fs-*.a", "1");
	env_do(&env, MGS_CONF_PARAM, "fs.sys.timeout", "2");
	env_do(&env, MGS_CONF_PARAM, "fs.sys.timeout", "3");
	env_do(&env, MGS_CONF_PARAM, "fs-OST0000.osc.active", "1");
	env_do(&env, MGS_POOL_NEW, "fs", "p");
	env_do(&env, MGS_POOL_ADD, "fs", "p", "fs-OST0000");
}

static int call_do(const struct call *call)
{
	if (call->op)
		return env_change(&env, call->op, 0, call->args, call->argc);
	return env_register(&env, &call->target);
}

/*
 * Refused with -ENOMEM, without an effect on the store; or done completely.
 */
static void fail_each(const struct call *call)
{
	unsigned int nth;
	int right, rc;
	bool failed;
	u64 was;

	prepare();
	right = call_do(call);
	env_close(&env);
	prepare();
	for (nth = 1;; nth++) {
		was = mgs_view_generation(mgs_now(env.store));
		shim_alloc_fail(nth);
		rc = call_do(call);
		failed = shim_alloc_failed();
		if (failed && rc == -ENOMEM) {
			assert_int_equal(mgs_view_generation(mgs_now(env.store)), was);
			assert_int_equal(mgs_store_failed(env.store), 0);
			continue;
		}
		if (rc != right)
			fail_msg("operation %u, allocation %u: %d, not %d",
				 call->op, nth, rc, right);
		env_check(&env);
		env_close(&env);
		if (!failed)
			break;
		prepare();
	}
	assert_true(nth > 3);
}

static void test_no_memory(void **state)
{
	long live = shim_alloc_live();
	size_t n;

	for (n = 0; n < sizeof(calls) / sizeof(calls[0]); n++)
		fail_each(&calls[n]);
	assert_int_equal(shim_alloc_live(), live);
}

static int count_any(void *data, const struct mgs_setting *setting)
{
	++*(unsigned int *)data;
	return 0;
}

static int count_name(void *data, const char *one)
{
	++*(unsigned int *)data;
	return 0;
}

static void test_lists_no_memory(void **state)
{
	unsigned int nth, count, right = 0;
	int rc;

	prepare();
	assert_int_equal(mgs_log_settings(mgs_now(env.store), count_any, &right), 0);
	assert_true(right > 4);
	for (nth = 1;; nth++) {
		count = 0;
		shim_alloc_fail(nth);
		rc = mgs_log_settings(mgs_now(env.store), count_any, &count);
		if (!shim_alloc_failed())
			break;
		assert_int_equal(rc, -ENOMEM);
	}
	assert_int_equal(count, right);
	for (nth = 1;; nth++) {
		count = 0;
		shim_alloc_fail(nth);
		rc = mgs_log_targets(mgs_now(env.store), "fs", count_name, &count);
		if (!shim_alloc_failed())
			break;
		assert_int_equal(rc, -ENOMEM);
		assert_int_equal(count, 0);
	}
	assert_int_equal(count, 3);
	for (nth = 1;; nth++) {
		count = 0;
		shim_alloc_fail(nth);
		rc = mgs_log_fsnames(mgs_now(env.store), count_name, &count);
		if (!shim_alloc_failed())
			break;
		assert_int_equal(rc, -ENOMEM);
	}
	assert_int_equal(count, 1);
	env_close(&env);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sequences),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_lists_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
