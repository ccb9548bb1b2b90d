// SPDX-License-Identifier: GPL-2.0-only
/*
 * Identity of targets: its storage, refusals of other directories, the node of service before
 * a restart.
 */
#include "mgs_log_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID_A	"0c5a3a1e-7a41-4d39-8a53-0d1f61b2b9a1"
#define ID_B	"0c5a3a1e-7a41-4d39-8a53-0d1f61b2b9a2"
#define NID_A	"10.0.0.1@tcp"

static int reg_id(const char *name, u32 flags, const char *nids, const char *id)
{
	return env_register(&env, &(struct env_target){
			.name = name, .flags = flags, .nids = nids, .id = id });
}

static void reject_id(int rc, const char *words, const struct env_target *target)
{
	u64 generation = mgs_view_generation(mgs_now(env.store));

	refused(rc, env_register(&env, target), words, generation);
}

/* It has registered before: the log does not change, and it gets its name. */
static void again(const char *name, const char *id, const char *svname)
{
	u64 generation = mgs_view_generation(mgs_now(env.store));

	assert_int_equal(reg_id(name, LDD_F_VIRGIN, NID_A, id), 0);
	assert_string_equal(env.target.svname, svname);
	assert_int_equal(env.target.flags & (LDD_F_VIRGIN | LDD_F_NEED_INDEX), 0);
	assert_int_equal(env.records, 0);
	assert_false(env.target.changed);
	assert_int_equal(mgs_view_generation(mgs_now(env.store)), generation);
}

/* The stored uuid of a target; NULL for none. */
static void kept(const char *svname, const char *id)
{
	struct mgs_who who = { .when = ENV_WHEN };
	struct mgs_target_identity is;
	char name[MGS_FILE_MAX];
	struct mgs_txn *txn;
	ssize_t len;

	snprintf(name, sizeof(name), "mgs_targets/%s", svname);
	assert_int_equal(mgs_txn_begin(env.store, &who, &txn), 0);
	len = mgs_txn_get(txn, name, &is, sizeof(is));
	assert_int_equal(len, id ? (ssize_t)sizeof(is) : -ENOENT);
	if (id)
		assert_string_equal(is.ti_id, id);
	mgs_txn_end(txn);
}

/* It lost the connection before it stored that it is registered. */
static void test_again(void **state)
{
	env_add(&env, MDT0, NULL);
	assert_int_equal(reg_id(OST0, LDD_F_VIRGIN, NID_A, ID_A), 0);
	assert_int_equal(env.target.flags & LDD_F_VIRGIN, LDD_F_VIRGIN);
	assert_true(env.target.changed);
	kept(OST0, ID_A);
	again(OST0, ID_A, OST0);
	store_reopen();
	again(OST0, ID_A, OST0);
}

/* An assigned index is not assigned again. */
static void test_again_index(void **state)
{
	env_add(&env, OST0, NULL);
	assert_int_equal(reg_id("lustre-OST", LDD_F_VIRGIN, NID_A, ID_A), 0);
	assert_string_equal(env.target.svname, OST1);
	assert_int_equal(env.target.flags & LDD_F_NEED_INDEX, LDD_F_NEED_INDEX);
	again("lustre-OST", ID_A, OST1);
	assert_int_equal(reg_id("lustre-OST", LDD_F_VIRGIN, NID_A, ID_B), 0);
	assert_string_equal(env.target.svname, "lustre-OST0002");
	again("lustre-OST", ID_A, OST1);
	again("lustre-OST", ID_B, "lustre-OST0002");
	/* Neither kinds nor file systems are mixed up. */
	assert_int_equal(reg_id("lustre-MDT", LDD_F_VIRGIN, NID_A, ID_A), 0);
	assert_string_equal(env.target.svname, MDT0);
	assert_true(env.records > 0);
	assert_int_equal(reg_id("other-OST", LDD_F_VIRGIN, NID_A, ID_A), 0);
	assert_string_equal(env.target.svname, "other-OST0000");
}

/* With any flags: every change of logs needs the known identity. */
static void test_takeover(void **state)
{
	static const u32 flags[] = {
		0, LDD_F_VIRGIN, LDD_F_WRITECONF, LDD_F_UPDATE, LDD_F_PARAM,
		LDD_F_VIRGIN | LDD_F_WRITECONF, LDD_F_UPDATE | LDD_F_PARAM,
	};
	struct env_target evil = { .name = OST0, .nids = "10.6.6.6@tcp",
				   .params = "ost.x=1" };
	char *before, *after;
	size_t n;

	env_add(&env, MDT0, NULL);
	assert_int_equal(reg_id(OST0, LDD_F_VIRGIN, NID_A, ID_A), 0);
	before = env_dump(&env, CLIENT);
	for (n = 0; n < sizeof(flags) / sizeof(flags[0]); n++) {
		evil.flags = flags[n];
		evil.closed = n & 1;
		evil.id = ID_B;
		evil.key = 0x66;
		evil.proves = false;
		evil.keyless = false;
		reject_id(-EADDRINUSE, "registered by the directory with uuid " ID_A,
			  &evil);
		evil.id = NULL;
		reject_id(-EADDRINUSE, "not (none)", &evil);
		/* The uuid is visible on the network; the secret is not. */
		evil.id = ID_A;
		reject_id(-EACCES, "target_secret", &evil);
		evil.proves = true;
		reject_id(-EACCES, "replace_target " OST0, &evil);
		evil.keyless = true;
		evil.proves = false;
		reject_id(-EACCES, "target_secret", &evil);
		/* The secret alone is not sufficient, either. */
		evil.id = ID_B;
		evil.key = 0;
		evil.proves = true;
		reject_id(-EADDRINUSE, ID_B, &evil);
	}
	after = env_dump(&env, CLIENT);
	assert_string_equal(before, after);
	free(before);
	free(after);
	kept(OST0, ID_A);
}

/* The known identity may do all of that, by its proof alone. */
static void test_proven(void **state)
{
	struct env_target good = { .name = OST0, .nids = "10.0.0.7@tcp",
				   .id = ID_A, .proves = true, .closed = true };

	env_add(&env, MDT0, NULL);
	assert_int_equal(reg_id(OST0, LDD_F_VIRGIN, NID_A, ID_A), 0);
	assert_int_equal(env_register(&env, &good), 0);
	assert_int_equal(env.generation, 0);
	good.flags = LDD_F_UPDATE;
	assert_int_equal(env_register(&env, &good), 0);
	assert_true(env_has(&env, CLIENT, "setup lustre-OST0000-osc lustre-OST0000_UUID 10.0.0.7@tcp\n"));
	good.flags = LDD_F_WRITECONF;
	good.nids = "10.0.0.8@tcp";
	assert_int_equal(env_register(&env, &good), 0);
	assert_true(env_has(&env, CLIENT, "setup lustre-OST0000-osc lustre-OST0000_UUID 10.0.0.8@tcp\n"));
	/* WRITECONF, the service's own too, keeps the identity. */
	assert_int_equal(env_do(&env, MGS_WRITECONF, "lustre"), 0);
	kept(OST0, ID_A);
	store_reopen();
	good.flags = 0;
	assert_int_equal(env_register(&env, &good), 0);
	assert_true(env.records > 0);
}

/* A target without a stored identity is unknown, not one with VIRGIN. */
static void test_closed(void **state)
{
	static const u32 flags[] = {
		0, LDD_F_VIRGIN, LDD_F_WRITECONF, LDD_F_UPDATE, LDD_F_PARAM,
	};
	struct env_target target = { .nids = NID_A, .id = ID_A, .closed = true };
	size_t n;

	env_add(&env, OST0, NULL);
	forget_identity(OST0);
	for (n = 0; n < sizeof(flags) / sizeof(flags[0]); n++) {
		target.flags = flags[n];
		target.name = OST1;
		reject_id(-EACCES, "allow_register=1", &target);
		target.name = "lustre-OST";
		reject_id(-EACCES, "allow_register=1", &target);
		target.name = OST0;
		reject_id(-EACCES, "allow_register=1", &target);
	}
}

/* Logs without an identity: the first registration establishes one. */
static void test_first_use(void **state)
{
	struct env_target target = { .name = OST0, .nids = NID_A, .id = ID_A,
				     .keyless = true };

	env_add(&env, OST0, NULL);
	forget_identity(OST0);
	reject_id(-EACCES, "offers none", &target);
	target.keyless = false;
	assert_int_equal(env_register(&env, &target), 0);
	assert_int_equal(env.records, 0);
	assert_true(env.target.changed);
	kept(OST0, ID_A);
	target.id = ID_B;
	reject_id(-EADDRINUSE, ID_A, &target);
}

static void test_replace(void **state)
{
	struct env_target old = { .name = OST0, .nids = NID_A, .id = ID_A };
	struct env_target new = { .name = OST0, .nids = "10.0.0.9@tcp",
				  .id = ID_B, .key = 0x22, .closed = true };

	env_add(&env, MDT0, NULL);
	old.flags = LDD_F_VIRGIN;
	assert_int_equal(env_register(&env, &old), 0);
	assert_int_equal(env_do(&env, MGS_CONF_PARAM, OST0 ".ost.x", "1"), 0);
	old.flags = 0;
	reject_id(-EADDRINUSE, ID_A, &new);
	refuse(-ENOENT, "has no target lustre-OST0007", MGS_REPLACE_TARGET,
	       "lustre-OST0007");
	refuse(-EINVAL, "is not a target name", MGS_REPLACE_TARGET, "lustre");
	/* The lost directory registers again: the permission ends. */
	assert_int_equal(env_do(&env, MGS_REPLACE_TARGET, OST0), 0);
	assert_true(env.generation > 0);
	assert_int_equal(env_register(&env, &old), 0);
	reject_id(-EADDRINUSE, ID_A, &new);
	/* It does not: the next directory takes its place, its NIDs are in the logs. */
	assert_int_equal(env_do(&env, MGS_REPLACE_TARGET, OST0), 0);
	store_reopen();
	new.flags = LDD_F_VIRGIN;
	assert_int_equal(env_register(&env, &new), 0);
	kept(OST0, ID_B);
	assert_int_equal(env.target.flags & LDD_F_VIRGIN, 0);
	assert_true(env_has(&env, CLIENT, "setup lustre-OST0000-osc lustre-OST0000_UUID 10.0.0.9@tcp\n"));
	assert_true(env_has(&env, OST0, "param lustre-OST0000 ost.x=1\n"));
	reject_id(-EADDRINUSE, ID_B, &old);
	new.proves = true;
	assert_int_equal(env_register(&env, &new), 0);
}

/* With a damaged identity no target may register, until replace_target permits it. */
static void test_damaged_identity(void **state)
{
	struct env_target target = { .name = OST0, .nids = NID_A, .id = ID_A };
	struct mgs_who who = { .when = ENV_WHEN };
	struct mgs_txn *txn;

	assert_int_equal(reg_id(OST0, LDD_F_VIRGIN, NID_A, ID_A), 0);
	assert_int_equal(mgs_txn_begin(env.store, &who, &txn), 0);
	assert_int_equal(mgs_txn_put(txn, "mgs_targets/" OST0, ID_A, 36), 0);
	assert_int_equal(mgs_txn_commit(txn, &env.generation), 0);
	reject_id(-EIO, "mgs_targets/" OST0 " of the service, is damaged",
		  &target);
	assert_int_equal(env_do(&env, MGS_REPLACE_TARGET, OST0), 0);
	assert_int_equal(env_register(&env, &target), 0);
	kept(OST0, ID_A);
}

static void reg_from(const char *from, bool changes, const char *before)
{
	const struct env_target target = {
		.name = OST0, .nids = NID_A, .id = ID_A, .from = from,
	};
	char text[LNET_NID_TEXT_MAX] = "";

	assert_int_equal(env_register(&env, &target), 0);
	if (env.target.before.nid_type)
		libcfs_nid_print(&env.target.before, text, sizeof(text));
	assert_string_equal(text, before);
	assert_int_equal(env.target.changed, changes);
}

static void stops(const char *svname)
{
	struct mgs_who who = { .when = ENV_WHEN };
	struct mgs_txn *txn;

	assert_int_equal(mgs_txn_begin(env.store, &who, &txn), 0);
	assert_int_equal(mgs_log_stop(txn, svname), 0);
	assert_int_equal(mgs_txn_commit(txn, &env.generation), 0);
}

/* As an earlier release wrote it. */
static void cut_identity(void)
{
	struct mgs_who who = { .when = ENV_WHEN };
	u8 bytes[MGS_IDENTITY_OLD];
	struct mgs_txn *txn;

	assert_int_equal(mgs_txn_begin(env.store, &who, &txn), 0);
	assert_int_equal(mgs_txn_get(txn, "mgs_targets/" OST0, bytes,
				     sizeof(bytes)), sizeof(bytes));
	assert_int_equal(mgs_txn_put(txn, "mgs_targets/" OST0, bytes,
				     sizeof(bytes)), 0);
	assert_int_equal(mgs_txn_commit(txn, &env.generation), 0);
}

/* The node of service is known after a restart, unless the target reported its stop. */
static void test_place(void **state)
{
	assert_int_equal(env_register(&env, &(struct env_target){
				.name = OST0, .nids = NID_A, .id = ID_A,
				.flags = LDD_F_VIRGIN, .from = "10.0.0.1@tcp" }), 0);
	store_reopen();
	reg_from("10.0.0.1@tcp", false, "10.0.0.1@tcp");
	reg_from("2001:db8::1@tcp1", true, "10.0.0.1@tcp");
	reg_from("10.0.0.2@tcp", true, "2001:db8::1@tcp1");
	stops(OST0);
	store_reopen();
	reg_from("10.0.0.2@tcp", true, "");
	reg_from("10.0.0.2@tcp", false, "10.0.0.2@tcp");
	stops(OST0);
	assert_int_equal(env_do(&env, MGS_REPLACE_TARGET, OST0), 0);
	reg_from("10.0.0.3@tcp", true, "");
	cut_identity();
	store_reopen();
	reg_from("10.0.0.4@tcp", true, "");
	reg_from("10.0.0.4@tcp", false, "10.0.0.4@tcp");
	stops("lustre-OST0009");
}

static void test_identity_goes(void **state)
{
	env_add(&env, MDT0, NULL);
	assert_int_equal(reg_id(OST0, LDD_F_VIRGIN, NID_A, ID_A), 0);
	assert_int_equal(reg_id(OST1, LDD_F_VIRGIN, NID_A, ID_B), 0);
	assert_int_equal(env_do(&env, MGS_FORK_LCFG, "lustre", "other"), 0);
	kept("other-OST0000", NULL);
	assert_int_equal(env_do(&env, MGS_DEL_OST, OST0), 0);
	kept(OST0, NULL);
	kept(OST1, ID_B);
	/* Its log must be written: by its own registration, with any flags. */
	assert_int_equal(env_do(&env, MGS_WRITECONF, "lustre"), 0);
	kept(OST1, ID_B);
	assert_int_equal(reg_id("lustre-OST", LDD_F_VIRGIN, NID_A, ID_B), 0);
	assert_string_equal(env.target.svname, OST1);
	assert_true(env.records > 0);
	assert_int_equal(env_do(&env, MGS_ERASE_LCFG, "lustre"), 0);
	kept(OST1, NULL);
}

/* Its own log is lost, and it did not store that it is registered. */
static void test_again_lost_log(void **state)
{
	struct mgs_who who = { .when = ENV_WHEN };
	struct mgs_txn *txn;

	assert_int_equal(reg_id(OST0, LDD_F_VIRGIN, NID_A, ID_A), 0);
	assert_int_equal(mgs_txn_begin(env.store, &who, &txn), 0);
	assert_int_equal(mgs_txn_remove(txn, OST0), 0);
	assert_int_equal(mgs_txn_commit(txn, &env.generation), 0);
	assert_int_equal(reg_id(OST0, LDD_F_VIRGIN, NID_A, ID_B), -EADDRINUSE);
	assert_int_equal(reg_id(OST0, LDD_F_VIRGIN, NID_A, ID_A), 0);
	assert_true(env_has(&env, OST0, "setup lustre-OST0000 dev type f\n"));
}

/*
 * The power fails at each operation of the registration; the target registers again and is
 * there once, with the first index.
 */
static void test_again_after_cuts(void **state)
{
	unsigned int at = 0, how;
	bool dead = true;
	char *meaning;

	while (dead) {
		at++;
		for (how = MEM_LOST; how <= MEM_MIXED; how++) {
			env_close(&env);
			env_open(&env);
			env.backend.dead_at = env.backend.ops + at;
			(void)reg_id("lustre-OST", LDD_F_VIRGIN, NID_A, ID_A);
			mgs_store_close(env.store);
			dead = env.backend.ops >= env.backend.dead_at;
			mem_power_cut(&env.backend, (enum mem_cut)how, at + how);
			env.store = NULL;
			store_reopen();
			assert_int_equal(reg_id("lustre-OST", LDD_F_VIRGIN,
						NID_A, ID_A), 0);
			again("lustre-OST", ID_A, OST0);
			meaning = env_meaning(&env, CLIENT);
			assert_int_equal(env_count(meaning, "lov_add_obd"), 1);
			free(meaning);
		}
	}
	assert_true(at > 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		env_case(test_again),
		env_case(test_again_index),
		env_case(test_takeover),
		env_case(test_proven),
		env_case(test_closed),
		env_case(test_first_use),
		env_case(test_replace),
		env_case(test_damaged_identity),
		env_case(test_identity_goes),
		env_case(test_place),
		env_case(test_again_lost_log),
		env_case(test_again_after_cuts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
