// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks of users: conflicts, ranges that are cut, split and merged, deadlocks, the end of a
 * client; at the server, and the ranges that a client keeps.
 *
 * Processors: 2
 */
#include <linux/random.h>

#include "ldlm_fixture.h"

#define EOF_BYTE	LDLM_EXTENT_EOF

static struct ldlm_enqueue flock_ask(u64 res, u32 mode, u64 owner, u64 first, u64 last)
{
	struct ldlm_enqueue ask = kl_ask(res, mode);

	ask.type = LDLM_FLOCK;
	ask.policy.flock = (struct ldlm_flock) {
		first, last, owner, wire_flock_who(owner + 1000, LDLM_FLOCK_POSIX),
	};
	return ask;
}

/* Return: 0 granted, 1 waiting, or an errno. */
static int flock_on(struct obd_export *exp, u64 res, u32 mode, u64 owner, u64 first,
		    u64 last, u64 *cookie)
{
	struct ldlm_enqueue ask = flock_ask(res, mode, owner, first, last);

	return kl_enqueue(exp, &ask, cookie);
}

static int flock(struct obd_export *exp, u32 mode, u64 owner, u64 first, u64 last)
{
	u64 cookie;

	return flock_on(exp, 1, mode, owner, first, last, &cookie);
}

static int flock_nowait(struct obd_export *exp, u32 mode, u64 owner, u64 first, u64 last)
{
	struct ldlm_enqueue ask = flock_ask(1, mode, owner, first, last);
	u64 cookie;

	ask.flags = LDLM_FL_BLOCK_NOWAIT;
	return kl_enqueue(exp, &ask, &cookie);
}

/* The first range of an owner that starts at @from or later; under r_lock. */
static struct ldlm_lock *range_next(struct ldlm_resource *res, u64 owner, u64 from)
{
	struct ldlm_lock *lock, *next = NULL;

	list_for_each_entry(lock, &res->r_granted.lset_locks, l_res_item) {
		if (lock->l_policy.flock.owner != owner ||
		    lock->l_policy.flock.first < from)
			continue;
		if (!next || lock->l_policy.flock.first < next->l_policy.flock.first)
			next = lock;
	}
	return next;
}

static int range_print(const struct ldlm_lock *lock, char *text, size_t size, bool more)
{
	return scnprintf(text, size, "%s%s %llu-%lld", more ? " " : "",
			 ldlm_mode_name(lock->l_granted_mode),
			 lock->l_policy.flock.first, (s64)lock->l_policy.flock.last);
}

/* What an owner has, as text: mode, first and last byte of each range, in their order. */
static void has(struct kunit *test, struct ldlm_namespace *ns, u64 owner,
		const char *want)
{
	struct ldlm_res_id id = { .name = { 1 } };
	struct ldlm_resource *res = ldlm_resource_find(ns, &id);
	struct ldlm_lock *next;
	char text[128] = "";
	u64 from = 0;
	int len = 0;

	if (!res) {
		KUNIT_EXPECT_STREQ(test, want, "");
		return;
	}
	spin_lock(&res->r_lock);
	while ((next = range_next(res, owner, from))) {
		len += range_print(next, text + len, sizeof(text) - len, len);
		from = next->l_policy.flock.last + 1;
		if (!from)
			break;
	}
	spin_unlock(&res->r_lock);
	KUNIT_EXPECT_STREQ(test, want, (const char *)text);
	ldlm_resource_put(res);
}

static void owners_conflict_where_they_overlap(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");

	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_PW, 1, 0, 9));
	/* Another owner, and the same number on another client. */
	KUNIT_EXPECT_EQ(test, -EWOULDBLOCK, flock_nowait(one, LCK_PR, 2, 9, 20));
	KUNIT_EXPECT_EQ(test, -EWOULDBLOCK, flock_nowait(two, LCK_PR, 1, 0, 0));
	KUNIT_EXPECT_EQ(test, 0, flock_nowait(two, LCK_PW, 1, 10, EOF_BYTE));
	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_PR, 1, 0, 9));
	KUNIT_EXPECT_EQ(test, 0, flock_nowait(one, LCK_PR, 2, 0, 9));
	KUNIT_EXPECT_EQ(test, -EWOULDBLOCK, flock_nowait(one, LCK_PW, 1, 5, 5));
	has(test, kl.server, 2, "PR 0-9");
}

/* The first client has its range, and replays it when the server starts again. */
static void a_stopping_server_gives_no_range(struct kunit *test)
{
	struct ldlm_enqueue probe = flock_ask(1, LCK_PW, 1, 0, 9);
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	u64 cookie;

	probe.flags = LDLM_FL_TEST;
	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_PW, 1, 0, 9));
	KUNIT_EXPECT_EQ(test, 0, kl_enqueue(two, &probe, &cookie));
	kl_stop(one);
	KUNIT_EXPECT_EQ(test, -ESHUTDOWN, flock(two, LCK_PW, 1, 0, 9));
	KUNIT_EXPECT_EQ(test, -ESHUTDOWN, kl_enqueue(two, &probe, &cookie));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.server->ns_locks));
}

static void ranges_of_an_owner_are_merged(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");

	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_PW, 1, 0, 9));
	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_PW, 1, 20, 29));
	has(test, kl.server, 1, "PW 0-9 PW 20-29");
	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_PW, 1, 10, 19));
	has(test, kl.server, 1, "PW 0-29");
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.server->ns_locks));
	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_PW, 1, 5, 100));
	has(test, kl.server, 1, "PW 0-100");
	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_PW, 1, 102, EOF_BYTE));
	has(test, kl.server, 1, "PW 0-100 PW 102--1");
	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_PW, 1, 101, 101));
	has(test, kl.server, 1, "PW 0--1");
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.server->ns_locks));
}

static void a_range_is_cut_and_split(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");

	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_PR, 1, 0, 99));
	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_PW, 1, 40, 59));
	has(test, kl.server, 1, "PR 0-39 PW 40-59 PR 60-99");
	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_NL, 1, 30, 49));
	has(test, kl.server, 1, "PR 0-29 PW 50-59 PR 60-99");
	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_NL, 1, 10, 14));
	has(test, kl.server, 1, "PR 0-9 PR 15-29 PW 50-59 PR 60-99");
	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_PW, 1, 0, 70));
	has(test, kl.server, 1, "PW 0-70 PR 71-99");
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&kl.server->ns_locks));
	/* Others' ranges are left alone. */
	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_NL, 2, 0, EOF_BYTE));
	has(test, kl.server, 1, "PW 0-70 PR 71-99");
	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_NL, 1, 0, EOF_BYTE));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.server->ns_locks));
}

static void a_waiting_lock_is_granted(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	u64 writer, reader;

	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_PW, 1, 0, 99));
	KUNIT_EXPECT_EQ(test, 1, flock_on(two, 1, LCK_PW, 1, 50, 59, &writer));
	KUNIT_EXPECT_EQ(test, 1, flock_on(two, 1, LCK_PR, 2, 10, 19, &reader));
	/* No owner is asked to give it up. */
	KUNIT_EXPECT_FALSE(test, kl_asked(writer));
	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_PR, 1, 0, 49));
	KL_GRANTED(test, reader);
	KL_WAITS(test, writer);
	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_NL, 1, 55, 70));
	KL_WAITS(test, writer);
	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_NL, 1, 50, 54));
	KL_GRANTED(test, writer);
	has(test, kl.server, 2, "PR 10-19");
}

static void a_waiting_lock_is_cancelled(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	u64 waits, late;

	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_PW, 1, 0, 99));
	KUNIT_EXPECT_EQ(test, 0, flock(two, LCK_PW, 1, 100, 199));
	KUNIT_EXPECT_EQ(test, 1, flock_on(two, 1, LCK_PW, 1, 50, 120, &waits));
	KUNIT_EXPECT_TRUE(test, kl_cancel(two, waits));
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, kl_state(waits));
	KUNIT_EXPECT_EQ(test, 1, flock_on(two, 1, LCK_PW, 1, 90, 99, &late));
	/* It was granted before the cancel: only what was requested is released. */
	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_NL, 1, 0, 99));
	has(test, kl.server, 1, "PW 90-199");
	KUNIT_EXPECT_TRUE(test, kl_cancel(two, late));
	has(test, kl.server, 1, "PW 100-199");
	KUNIT_EXPECT_TRUE(test, list_empty(&kl.server->ns_flocks));
}

static void deadlocks_are_found(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	u64 first, second, cookie;

	KUNIT_EXPECT_EQ(test, 0, flock_on(one, 1, LCK_PW, 1, 0, 9, &cookie));
	KUNIT_EXPECT_EQ(test, 0, flock_on(two, 2, LCK_PW, 1, 0, 9, &cookie));
	KUNIT_EXPECT_EQ(test, 0, flock_on(two, 3, LCK_PR, 7, 0, 9, &cookie));
	KUNIT_EXPECT_EQ(test, 0, flock_on(one, 3, LCK_PR, 8, 0, 9, &cookie));
	/* One waits for two, and seven for one. */
	KUNIT_EXPECT_EQ(test, 1, flock_on(one, 2, LCK_PW, 1, 5, 5, &first));
	KUNIT_EXPECT_EQ(test, 1, flock_on(two, 1, LCK_PR, 7, 9, 20, &second));
	/* Two owners each, over three resources. */
	KUNIT_EXPECT_EQ(test, -EDEADLK, flock_on(two, 3, LCK_PW, 1, 9, 9, &cookie));
	KUNIT_EXPECT_EQ(test, -EDEADLK, flock_on(two, 1, LCK_PR, 1, 0, 0, &cookie));
	/* The one that no one waits for may wait; so may one without waiting. */
	KUNIT_EXPECT_EQ(test, 1, flock_on(one, 3, LCK_PW, 9, 9, 9, &cookie));
	KUNIT_EXPECT_TRUE(test, kl_cancel(one, cookie));
	KUNIT_EXPECT_EQ(test, -EWOULDBLOCK, flock_nowait(two, LCK_PW, 1, 0, 0));
	KL_WAITS(test, first);
	/* The end of a wait ends the danger. */
	KUNIT_EXPECT_TRUE(test, kl_cancel(one, first));
	KUNIT_EXPECT_EQ(test, 1, flock_on(two, 1, LCK_PR, 1, 0, 0, &first));
	KUNIT_EXPECT_TRUE(test, kl_cancel(two, first));
	KUNIT_EXPECT_TRUE(test, kl_cancel(two, second));
	KUNIT_EXPECT_TRUE(test, list_empty(&kl.server->ns_flocks));
}

static void whole_files_are_another_kind(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct ldlm_enqueue ask = flock_ask(1, LCK_PW, 1, 0, EOF_BYTE);
	u64 cookie;

	ask.policy.flock.who = wire_flock_who(5, LDLM_FLOCK_WHOLE);
	KUNIT_EXPECT_EQ(test, 0, kl_enqueue(one, &ask, &cookie));
	/* A POSIX lock of any owner is not in its way, and not part of it. */
	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_PW, 2, 0, 9));
	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_PR, 1, 10, 19));
	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_NL, 1, 0, EOF_BYTE));
	KL_GRANTED(test, cookie);
	ask.client = ++kl.cookies;
	ask.policy.flock.owner = 2;
	ask.flags = LDLM_FL_BLOCK_NOWAIT;
	KUNIT_EXPECT_EQ(test, -EWOULDBLOCK, kl_enqueue(one, &ask, &cookie));
	ask.policy.flock.last = 100;
	KUNIT_EXPECT_EQ(test, -EINVAL, kl_enqueue(one, &ask, &cookie));
}

static int whole(struct obd_export *exp, u32 mode, u32 flags)
{
	struct ldlm_enqueue ask = flock_ask(1, mode, 1, 0, EOF_BYTE);
	u64 cookie;

	ask.policy.flock.who = wire_flock_who(5, LDLM_FLOCK_WHOLE);
	ask.flags = flags;
	return kl_enqueue(exp, &ask, &cookie);
}

/* Two who share a file and want it alone do not wait for each other. */
static void a_conversion_gives_up_what_there_was(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");

	KUNIT_EXPECT_EQ(test, 0, whole(one, LCK_PR, 0));
	KUNIT_EXPECT_EQ(test, 0, whole(two, LCK_PR, 0));
	KUNIT_EXPECT_EQ(test, -EWOULDBLOCK, whole(one, LCK_PW, LDLM_FL_BLOCK_NOWAIT));
	KUNIT_EXPECT_EQ(test, 0, whole(two, LCK_PW, LDLM_FL_BLOCK_NOWAIT));
	/* What can be granted is not given up for a moment. */
	KUNIT_EXPECT_EQ(test, 1, whole(one, LCK_PR, 0));
	KUNIT_EXPECT_EQ(test, 0, whole(two, LCK_PW, LDLM_FL_BLOCK_NOWAIT));
	has(test, kl.server, 1, "PW 0--1");
}

static void a_test_locks_nothing(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct ldlm_enqueue ask = flock_ask(1, LCK_PR, 1, 0, 99);
	struct lustre_lock answer = { 0 };

	ask.flags = LDLM_FL_TEST;
	KUNIT_EXPECT_EQ(test, 0, ldlm_server_enqueue(kl.server, two, &ask, &answer));
	KUNIT_EXPECT_EQ(test, (u32)LCK_NL, le32_to_cpu(answer.wl_granted_mode));
	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_PW, 4, 20, 29));
	KUNIT_EXPECT_EQ(test, 0, ldlm_server_enqueue(kl.server, two, &ask, &answer));
	KUNIT_EXPECT_EQ(test, (u32)LCK_PW, le32_to_cpu(answer.wl_granted_mode));
	KUNIT_EXPECT_EQ(test, 20ULL, le64_to_cpu(answer.wl_policy[0]));
	KUNIT_EXPECT_EQ(test, 29ULL, le64_to_cpu(answer.wl_policy[1]));
	KUNIT_EXPECT_EQ(test, 1004U, (u32)le64_to_cpu(answer.wl_policy[3]));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.server->ns_locks));
	/* Its own are not in its way. */
	ask.policy.flock.owner = 4;
	KUNIT_EXPECT_EQ(test, 0, ldlm_server_enqueue(kl.server, one, &ask, &answer));
	KUNIT_EXPECT_EQ(test, (u32)LCK_NL, le32_to_cpu(answer.wl_granted_mode));
}

static void a_client_that_is_evicted_has_none(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	u64 waits, cookie;

	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_PR, 1, 0, 99));
	KUNIT_EXPECT_EQ(test, 0, flock(one, LCK_PW, 1, 40, 59));
	KUNIT_EXPECT_EQ(test, 0, flock(two, LCK_PW, 1, 200, 200));
	KUNIT_EXPECT_EQ(test, 1, flock_on(one, 1, LCK_PW, 2, 200, 200, &cookie));
	KUNIT_EXPECT_EQ(test, 1, flock_on(two, 1, LCK_PW, 1, 0, 99, &waits));
	class_fail_export(one);
	KL_GRANTED(test, waits);
	has(test, kl.server, 1, "PW 0-99 PW 200-200");
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&kl.server->ns_locks));
	KUNIT_EXPECT_TRUE(test, list_empty(&kl.server->ns_flocks));
}

static void a_range_is_replayed(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct ldlm_enqueue ask = flock_ask(1, LCK_PW, 1, 10, 19);
	u64 cookie;

	ask.flags = LDLM_FL_REPLAY;
	ask.granted = LCK_PW;
	KUNIT_EXPECT_EQ(test, 0, kl_enqueue(one, &ask, &cookie));
	has(test, kl.server, 1, "PW 10-19");
	/* Another client got it meanwhile. */
	ask.client = ++kl.cookies;
	KUNIT_EXPECT_EQ(test, -ESTALE, kl_enqueue(two, &ask, &cookie));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.server->ns_locks));
}

static void invalid_requests_are_refused(struct kunit *test)
{
	static const u32 modes[] = { LCK_EX, LCK_CW, LCK_CR };
	struct obd_export *one = kl_join(test, "one");
	struct ldlm_enqueue ask;
	u64 cookie;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(modes); n++)
		KUNIT_EXPECT_EQ(test, -EINVAL, flock(one, modes[n], 1, 0, 9));
	KUNIT_EXPECT_EQ(test, -EINVAL, flock(one, LCK_PW, 0, 0, 9));
	KUNIT_EXPECT_EQ(test, -EINVAL, flock(one, LCK_PW, 1, 10, 9));
	ask = flock_ask(1, LCK_PW, 1, 0, 9);
	ask.policy.flock.who = wire_flock_who(1, 3);
	KUNIT_EXPECT_EQ(test, -EINVAL, kl_enqueue(one, &ask, &cookie));
	ask = flock_ask(1, LCK_NL, 1, 0, 9);
	ask.flags = LDLM_FL_TEST;
	KUNIT_EXPECT_EQ(test, -EINVAL, kl_enqueue(one, &ask, &cookie));
	kl_lock(test, one, 1, LCK_PR, 0);
	KUNIT_EXPECT_EQ(test, -EINVAL, flock(one, LCK_PW, 1, 0, 9));
	KUNIT_EXPECT_EQ(test, -EINVAL, flock(one, LCK_NL, 1, 0, 9));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.server->ns_locks));
}

/* Random requests of three owners, against an array of bytes. */
#define BYTES	24
#define OWNERS	3

static u32 model[OWNERS][BYTES];

static bool model_conflicts(unsigned int owner, u32 mode, unsigned int first,
			    unsigned int last)
{
	unsigned int o, b;

	for (o = 0; o < OWNERS; o++)
		for (b = first; o != owner && b <= last; b++)
			if (model[o][b] && !lockmode_compat(model[o][b], mode))
				return true;
	return false;
}

/* Each byte is in one range at most, ranges that could be merged are. */
static void model_check(struct kunit *test, unsigned int owner)
{
	char want[128] = "";
	unsigned int b, from;
	int len = 0;

	for (b = 0; b < BYTES; b++) {
		if (!model[owner][b])
			continue;
		for (from = b; b + 1 < BYTES && model[owner][b + 1] == model[owner][from];)
			b++;
		len += scnprintf(want + len, sizeof(want) - len, "%s%s %u-%u",
				 len ? " " : "", ldlm_mode_name(model[owner][from]),
				 from, b);
	}
	has(test, kl.server, owner + 1, want);
}

static void ranges_are_those_of_a_model(struct kunit *test)
{
	static const u32 modes[] = { LCK_PR, LCK_PW, LCK_NL };
	struct obd_export *one = kl_join(test, "one");
	unsigned int round, owner, first, last, b;
	u32 mode;
	int rc;

	memset(model, 0, sizeof(model));
	for (round = 0; round < 2000; round++) {
		owner = get_random_u32() % OWNERS;
		mode = modes[get_random_u32() % ARRAY_SIZE(modes)];
		first = get_random_u32() % BYTES;
		last = first + get_random_u32() % (BYTES - first);
		rc = flock_nowait(one, mode, owner + 1, first, last);
		if (mode != LCK_NL && model_conflicts(owner, mode, first, last)) {
			KUNIT_ASSERT_EQ(test, -EWOULDBLOCK, rc);
			continue;
		}
		KUNIT_ASSERT_EQ(test, 0, rc);
		for (b = first; b <= last; b++)
			model[owner][b] = mode == LCK_NL ? 0 : mode;
		model_check(test, owner);
	}
}

/*
 * The client, without a server.
 */

static struct ldlm_lock *client_range(struct kunit *test, u32 mode, u64 first, u64 last)
{
	const struct ldlm_policy policy = { .flock = {
		first, last, 1, wire_flock_who(0, LDLM_FLOCK_POSIX) } };
	struct ldlm_res_id id = { .name = { 1 } };
	struct ldlm_flock_op op = { .mode = mode, .asked = policy.flock };
	struct ldlm_lock *lock;

	lock = ldlm_client_lock_new(kl.client, LDLM_FLOCK, &id, mode, &policy, NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, lock);
	KUNIT_EXPECT_EQ(test, 0, ldlm_client_completion(NULL, lock->l_handle.h_cookie, 5,
							mode, &policy, NULL));
	op.res = lock->l_resource;
	op.lock = lock;
	mutex_lock(&kl.client->ns_flock_mutex);
	KUNIT_EXPECT_EQ(test, 0, ldlm_flock_apply(&op));
	mutex_unlock(&kl.client->ns_flock_mutex);
	return lock;
}

static void the_client_keeps_the_same_ranges(struct kunit *test)
{
	struct ldlm_lock *lock = client_range(test, LCK_PR, 0, 99);

	KUNIT_EXPECT_EQ(test, LOCK_GRANTED, lock->l_state);
	ldlm_lock_put(lock);
	ldlm_lock_put(client_range(test, LCK_PW, 40, 49));
	has(test, kl.client, 1, "PR 0-39 PW 40-49 PR 50-99");
	ldlm_lock_put(client_range(test, LCK_PR, 40, 49));
	has(test, kl.client, 1, "PR 0-99");
	/* They are not cached: the shrinker and lru_size leave them alone. */
	KUNIT_EXPECT_EQ(test, 0U, kl.client->ns_unused);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.client->ns_locks));
	/* An eviction takes them. */
	ldlm_client_drop_all(kl.client, NULL, -EIO);
	has(test, kl.client, 1, "");
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.client->ns_locks));
}

static void a_client_without_a_server_has_no_users(struct kunit *test)
{
	struct ldlm_flock range = { 0, 9, 1, wire_flock_who(0, LDLM_FLOCK_POSIX) };
	struct ldlm_res_id id = { .name = { 1 } };
	u32 mode = LCK_PR;

	KUNIT_EXPECT_EQ(test, -ENOTCONN, ldlm_cli_flock(kl.client_obd, &id, LCK_PW,
							&range, 0));
	KUNIT_EXPECT_EQ(test, -ENOTCONN, ldlm_cli_flock(kl.client_obd, &id, LCK_NL,
							&range, 0));
	KUNIT_EXPECT_EQ(test, -ENOTCONN, ldlm_cli_flock_test(kl.client_obd, &id, &mode,
							     &range));
	KUNIT_EXPECT_EQ(test, -EINVAL, ldlm_cli_flock(kl.client_obd, &id, LCK_EX,
						      &range, 0));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, ldlm_cli_flock(kl.server_obd, &id, LCK_PW,
							  &range, 0));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.client->ns_locks));
}

static struct kunit_case ldlm_flock_cases[] = {
	KUNIT_CASE(owners_conflict_where_they_overlap),
	KUNIT_CASE(a_stopping_server_gives_no_range),
	KUNIT_CASE(ranges_of_an_owner_are_merged),
	KUNIT_CASE(a_range_is_cut_and_split),
	KUNIT_CASE(a_waiting_lock_is_granted),
	KUNIT_CASE(a_waiting_lock_is_cancelled),
	KUNIT_CASE(deadlocks_are_found),
	KUNIT_CASE(whole_files_are_another_kind),
	KUNIT_CASE(a_conversion_gives_up_what_there_was),
	KUNIT_CASE(a_test_locks_nothing),
	KUNIT_CASE(a_client_that_is_evicted_has_none),
	KUNIT_CASE(a_range_is_replayed),
	KUNIT_CASE(invalid_requests_are_refused),
	KUNIT_CASE(ranges_are_those_of_a_model),
	KUNIT_CASE(the_client_keeps_the_same_ranges),
	KUNIT_CASE(a_client_without_a_server_has_no_users),
	{}
};

static struct kunit_suite ldlm_flock_suite = {
	.name = "ldlm_flock",
	.suite_init = client_suite_init,
	.init = kl_init,
	.exit = kl_exit,
	.test_cases = ldlm_flock_cases,
};
kunit_test_suite(ldlm_flock_suite);

MODULE_DESCRIPTION("locks of users");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
