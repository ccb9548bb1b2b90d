// SPDX-License-Identifier: GPL-2.0-only
/*
 * Logs that no writer produces: real ones with modified bytes, which the store still accepts.
 * With any contents, every list and every change ends, within its memory; under a sanitizer.
 */
#include "mgs_log_env.h"
#include "rounds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS	rounds_of(400)

static struct env env;
static unsigned int seed = 1;

static unsigned int pick(unsigned int below)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % below;
}

/* Bytes between head and tail of records, so that most are read as commands. */
static void spoil(const char *name)
{
	struct mem_file *file = mem_find(&env.backend, name);
	u64 at = LLOG_MIN_CHUNK_SIZE;
	unsigned int n;
	u32 len;

	assert_non_null(file);
	for (; at + 24 < file->now.size; at += len) {
		len = codec_get32(file->now.bytes + at, false);
		if (len < 24 || at + len > file->now.size)
			return;
		if (pick(15))
			continue;
		for (n = 1 + pick(4); n; n--) {
			u64 where = at + 16 + pick(len - 24);

			file->now.bytes[where] = pick(3) ? pick(256) : 0xff;
			file->disk.bytes[where] = file->now.bytes[where];
		}
	}
}

static void reopen(void)
{
	struct mgs_fault fault;

	assert_int_equal(mgs_store_open(&mem_io, &env.backend, 7, &env.store,
					&fault), 0);
}

static int any_setting(void *data, const struct mgs_setting *setting)
{
	/* All of them are texts, and in memory. */
	assert_true(strlen(setting->log) < MGS_LOGNAME_MAX);
	*(size_t *)data += strlen(setting->owner) + strlen(setting->name) +
			   strlen(setting->value);
	return 0;
}

static int any_name(void *data, const char *name)
{
	*(size_t *)data += strlen(name);
	return 0;
}

static void look(void)
{
	size_t sum = 0;

	mgs_log_settings(mgs_now(env.store), any_setting, &sum);
	mgs_log_fsnames(mgs_now(env.store), any_name, &sum);
	mgs_log_targets(mgs_now(env.store), "t32fs", any_name, &sum);
	assert_true(sum > 0);
}

static void try_all(void)
{
	static const struct {
		u32		op;
		const char	*args[3];
		unsigned int	argc;
	} calls[] = {
		{ MGS_CONF_PARAM, { "t32fs.sys.timeout", "4" }, 2 },
		{ MGS_CONF_PARAM, { "t32fs-OST0000.osc.x", "4" }, 2 },
		{ MGS_CONF_PARAM, { "t32fs-OST0000.failover.node",
				    "10.0.0.7@tcp" }, 2 },
		{ MGS_DEL_CONF_PARAM, { "t32fs.lov.stripecount" }, 1 },
		{ MGS_REPLACE_NIDS, { "t32fs-OST0000", "10.0.0.8@tcp" }, 2 },
		{ MGS_REPLACE_NIDS, { "t32fs-MDT0000", "10.0.0.9@tcp" }, 2 },
		{ MGS_POOL_NEW, { "t32fs", "p" }, 2 },
		{ MGS_POOL_ADD, { "t32fs", "p", "t32fs-OST0000" }, 3 },
		{ MGS_FORK_LCFG, { "t32fs", "fork" }, 2 },
		{ MGS_CLEAR_CONF, { "t32fs" }, 1 },
		{ MGS_WRITECONF, { "t32fs-OST0000" }, 1 },
		{ MGS_DEL_OST, { "t32fs-OST0000" }, 1 },
		{ MGS_ERASE_LCFG, { "t32fs" }, 1 },
	};
	size_t n;
	int rc;

	for (n = 0; n < sizeof(calls) / sizeof(calls[0]); n++) {
		rc = env_change(&env, calls[n].op, 0, calls[n].args,
				calls[n].argc);
		assert_true(rc <= 0);
		if (calls[n].op != MGS_ERASE_LCFG)
			look();
	}
}

static void register_all(void)
{
	env_register(&env, &(struct env_target){
			.name = "t32fs-OST", .flags = LDD_F_VIRGIN,
			.nids = "10.0.0.3@tcp", .params = "osc.y=1" });
	env_register(&env, &(struct env_target){
			.name = "t32fs-MDT0001", .flags = LDD_F_VIRGIN,
			.nids = "10.0.0.4@tcp" });
	env_register(&env, &(struct env_target){
			.name = "t32fs-OST0000", .flags = LDD_F_UPDATE,
			.nids = "10.0.0.5@tcp" });
	env_register(&env, &(struct env_target){
			.name = "t32fs-MDT0000", .flags = LDD_F_WRITECONF,
			.nids = "10.0.0.5@tcp" });
}

static void test_spoiled(void **state)
{
	unsigned int round;

	for (round = 0; round < ROUNDS; round++) {
		env_open_golden(&env, round % 2 ? "lustre-2.9" : "lustre-2.7");
		mgs_store_close(env.store);
		spoil("CONFIGS/t32fs-client");
		spoil("CONFIGS/t32fs-MDT0000");
		if (round % 3 == 0)
			spoil("CONFIGS/t32fs-OST0000");
		reopen();
		look();
		register_all();
		try_all();
		env_close(&env);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spoiled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
