// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks of parts of a resource: extents, which are widened, and bits, some of which are not
 * granted; at the server, and the answer at the client.
 */
#include <linux/random.h>

#include "ldlm_fixture.h"

#define EOF_BYTE	LDLM_EXTENT_EOF
#define MIB		(1ULL << 20)

static struct ldlm_enqueue extent_ask(u32 mode, u64 first, u64 last)
{
	struct ldlm_enqueue ask = kl_ask(9, mode);

	ask.type = LDLM_EXTENT;
	ask.policy.extent.first = first;
	ask.policy.extent.last = last;
	return ask;
}

/* A lock of an extent, granted (0) or waiting (1), no wider than asked for. */
static u64 exact(struct kunit *test, struct obd_export *exp, u32 mode, u64 first,
		 u64 last, int waits)
{
	struct ldlm_enqueue ask = extent_ask(mode, first, last);
	u64 cookie;

	ask.flags = LDLM_FL_NO_EXPANSION;
	KUNIT_EXPECT_EQ_MSG(test, waits, kl_enqueue(exp, &ask, &cookie),
			    "%s of %llu to %llu", ldlm_mode_name(mode), first, last);
	return cookie;
}

/* The same, as wide as the server likes it. */
static u64 wide(struct kunit *test, struct obd_export *exp, u32 mode, u64 first,
		u64 last, int waits)
{
	struct ldlm_enqueue ask = extent_ask(mode, first, last);
	u64 cookie;

	KUNIT_EXPECT_EQ_MSG(test, waits, kl_enqueue(exp, &ask, &cookie),
			    "%s of %llu to %llu", ldlm_mode_name(mode), first, last);
	return cookie;
}

static struct ldlm_policy policy_of(u64 cookie)
{
	struct ldlm_lock *lock = ldlm_lock_find(cookie);
	struct ldlm_policy policy = {};

	if (lock) {
		policy = *ldlm_lock_policy(lock);
		ldlm_lock_put(lock);
	}
	return policy;
}

static void has_extent(struct kunit *test, u64 cookie, u64 first, u64 last)
{
	struct ldlm_policy policy = policy_of(cookie);

	KUNIT_EXPECT_EQ(test, first, policy.extent.first);
	KUNIT_EXPECT_EQ(test, last, policy.extent.last);
}

static void extents_conflict_where_they_overlap(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	u64 low, high, mid, far;

	low = exact(test, one, LCK_EX, 0, 9, 0);
	high = exact(test, two, LCK_EX, 10, 19, 0);
	mid = exact(test, one, LCK_EX, 5, 15, 1);
	/* After the one that waits, where it overlaps; and past it elsewhere. */
	exact(test, two, LCK_EX, 12, 30, 1);
	far = exact(test, two, LCK_EX, 100, 200, 0);
	KUNIT_EXPECT_TRUE(test, kl_asked(low));
	KUNIT_EXPECT_TRUE(test, kl_asked(high));
	KUNIT_EXPECT_FALSE(test, kl_asked(far));
	kl_cancel(one, low);
	KL_WAITS(test, mid);
	kl_cancel(two, high);
	KL_GRANTED(test, mid);
	KUNIT_EXPECT_TRUE(test, kl_asked(mid));
}

static void modes_that_go_together_overlap(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	u64 reader = wide(test, one, LCK_PR, 0, 9, 0);
	u64 other = wide(test, two, LCK_PR, 5, 7, 0);
	u64 writer;

	has_extent(test, reader, 0, EOF_BYTE);
	has_extent(test, other, 0, EOF_BYTE);
	writer = wide(test, two, LCK_PW, 1 * MIB, 2 * MIB, 1);
	KUNIT_EXPECT_TRUE(test, kl_asked(reader));
	KUNIT_EXPECT_TRUE(test, kl_asked(other));
	kl_cancel(one, reader);
	kl_cancel(two, other);
	KL_GRANTED(test, writer);
	has_extent(test, writer, 0, EOF_BYTE);
}

static void a_lock_is_widened_up_to_its_neighbours(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	u64 first, last;

	exact(test, one, LCK_PW, 100, 199, 0);
	exact(test, one, LCK_PW, 800, 899, 0);
	first = wide(test, two, LCK_PW, 400, 499, 0);
	has_extent(test, first, 200, 799);
	last = wide(test, two, LCK_PW, 1000, 1000, 0);
	has_extent(test, last, 900, EOF_BYTE);
	first = wide(test, two, LCK_PR, 0, 0, 0);
	has_extent(test, first, 0, 99);
	/* CR only conflicts with EX, NL with nothing. */
	has_extent(test, wide(test, two, LCK_CR, 150, 150, 0), 0, EOF_BYTE);
	has_extent(test, wide(test, two, LCK_NL, 150, 150, 0), 0, EOF_BYTE);
}

static void the_last_byte_is_one(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	u64 end = exact(test, one, LCK_EX, EOF_BYTE, EOF_BYTE, 0);
	u64 start = exact(test, one, LCK_EX, 0, 0, 0);
	u64 rest = wide(test, two, LCK_EX, 5, 5, 0), all;

	has_extent(test, rest, 1, EOF_BYTE - 1);
	all = exact(test, two, LCK_EX, 0, EOF_BYTE, 1);
	kl_cancel(one, start);
	kl_cancel(one, end);
	kl_cancel(two, rest);
	KL_GRANTED(test, all);
	has_extent(test, all, 0, EOF_BYTE);
}

/* A wide lock in the way of one that waits would be called back at once. */
static void a_lock_is_not_widened_over_waiting_ones(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	u64 held = exact(test, one, LCK_PW, 1000, 1999, 0), waits, low, high;

	waits = exact(test, two, LCK_PW, 500, 2999, 1);
	low = wide(test, one, LCK_PW, 10, 19, 0);
	high = wide(test, one, LCK_PW, 5000, 5099, 0);
	has_extent(test, low, 0, 499);
	has_extent(test, high, 3000, EOF_BYTE);
	KUNIT_EXPECT_FALSE(test, kl_asked(low));
	KUNIT_EXPECT_FALSE(test, kl_asked(high));
	kl_cancel(one, held);
	KL_GRANTED(test, waits);
}

/* Nor one that is waited for when it is granted. */
static void a_lock_that_is_wanted_is_not_widened(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	u64 held = exact(test, one, LCK_PW, 100, 199, 0);
	u64 second = wide(test, two, LCK_PW, 120, 129, 1);
	u64 third = wide(test, one, LCK_PW, 125, 140, 1);

	kl_cancel(one, held);
	KL_GRANTED(test, second);
	has_extent(test, second, 120, 129);
	KUNIT_EXPECT_TRUE(test, kl_asked(second));
	KL_WAITS(test, third);
	kl_cancel(two, second);
	has_extent(test, third, 0, EOF_BYTE);
}

static void widening_is_bounded_among_many(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	u64 cookies[40];
	unsigned int n;

	for (n = 0; n < 4; n++)
		cookies[n] = exact(test, one, LCK_PW, n * 10, n * 10 + 1, 0);
	cookies[39] = wide(test, two, LCK_PW, 50, 50, 0);
	has_extent(test, cookies[39], 32, EOF_BYTE);
	kl_cancel(two, cookies[39]);
	/* More than four: not downwards. */
	cookies[4] = exact(test, one, LCK_PW, 40, 41, 0);
	cookies[39] = wide(test, two, LCK_PW, 50, 50, 0);
	has_extent(test, cookies[39], 50, EOF_BYTE);
	kl_cancel(two, cookies[39]);
	/* More than 32: 32 MiB, or what was asked for. */
	for (n = 5; n < 33; n++)
		cookies[n] = exact(test, one, LCK_PW, n * 10, n * 10 + 1, 0);
	cookies[39] = wide(test, two, LCK_PW, 1000, 1000, 0);
	has_extent(test, cookies[39], 1000, 1000 + 32 * MIB - 1);
	kl_cancel(two, cookies[39]);
	cookies[39] = wide(test, two, LCK_PW, 1000, 1000 + 64 * MIB, 0);
	has_extent(test, cookies[39], 1000, 1000 + 64 * MIB);
	cookies[38] = wide(test, two, LCK_PW, 45, 45, 0);
	has_extent(test, cookies[38], 45, 49);
}

/* First come, first served: of waiting locks too, at any place in the tree. */
static void who_overlaps_an_older_one_waits_for_it(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	u64 held = exact(test, one, LCK_PW, 100, 299, 0);
	u64 older = exact(test, two, LCK_PW, 200, 399, 1);
	u64 younger = exact(test, one, LCK_PW, 50, 250, 1);
	u64 aside = exact(test, two, LCK_PW, 0, 49, 0);
	u64 readers = exact(test, two, LCK_PR, 20, 110, 1);

	kl_cancel(one, held);
	KL_GRANTED(test, older);
	KL_WAITS(test, younger);
	KL_WAITS(test, readers);
	kl_cancel(two, aside);
	KL_WAITS(test, readers);
	/* One that gives up makes room, as one that gives back does. */
	kl_cancel(one, younger);
	KL_GRANTED(test, readers);
	kl_cancel(two, older);
}

static void a_replay_is_not_widened(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct ldlm_enqueue ask = extent_ask(LCK_PW, 100, 199);
	u64 cookie;

	ask.flags = LDLM_FL_REPLAY;
	ask.granted = LCK_PW;
	KUNIT_EXPECT_EQ(test, 0, kl_enqueue(one, &ask, &cookie));
	has_extent(test, cookie, 100, 199);
	ask = extent_ask(LCK_PW, 199, 300);
	ask.flags = LDLM_FL_REPLAY;
	ask.granted = LCK_PW;
	KUNIT_EXPECT_EQ(test, -ESTALE, kl_enqueue(two, &ask, &cookie));
}

/* The answer, and the one to the same request again, say what was granted. */
static void the_answer_has_the_granted_extent(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct ldlm_enqueue ask = extent_ask(LCK_PW, 100, 199);
	struct lustre_lock answer;
	unsigned int n;

	for (n = 0; n < 2; n++) {
		memset(&answer, 0, sizeof(answer));
		KUNIT_EXPECT_EQ(test, 0, ldlm_server_enqueue(kl.server, one, &ask,
							     &answer));
		KUNIT_EXPECT_EQ(test, 0ULL, le64_to_cpu(answer.wl_policy[0]));
		KUNIT_EXPECT_EQ(test, EOF_BYTE, le64_to_cpu(answer.wl_policy[1]));
	}
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.server->ns_locks));
}

/*
 * Bits.
 */

static u64 bits(struct kunit *test, struct obd_export *exp, u32 mode, u64 wanted,
		u64 try, int rc)
{
	struct ldlm_enqueue ask = kl_ask(8, mode);
	u64 cookie;

	ask.type = LDLM_IBITS;
	ask.policy.ibits.bits = wanted;
	ask.policy.ibits.try_bits = try;
	KUNIT_EXPECT_EQ_MSG(test, rc, kl_enqueue(exp, &ask, &cookie),
			    "%s of %#llx, %#llx", ldlm_mode_name(mode), wanted, try);
	return cookie;
}

static void has_bits(struct kunit *test, u64 cookie, u64 wanted)
{
	struct ldlm_policy policy = policy_of(cookie);

	KUNIT_EXPECT_EQ(test, wanted, policy.ibits.bits);
	KUNIT_EXPECT_EQ(test, 0ULL, policy.ibits.try_bits);
}

static void bits_conflict_where_they_are_common(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	u64 lookup = bits(test, one, LCK_EX, MDS_INODELOCK_LOOKUP, 0, 0);
	u64 update = bits(test, two, LCK_EX, MDS_INODELOCK_UPDATE, 0, 0);
	u64 both = bits(test, two, LCK_PR,
			MDS_INODELOCK_LOOKUP | MDS_INODELOCK_UPDATE, 0, 1);
	u64 late = bits(test, one, LCK_EX, MDS_INODELOCK_UPDATE, 0, 1);
	u64 size = bits(test, one, LCK_EX, MDS_INODELOCK_SIZE, 0, 0);

	KUNIT_EXPECT_TRUE(test, kl_asked(lookup));
	KUNIT_EXPECT_TRUE(test, kl_asked(update));
	KUNIT_EXPECT_FALSE(test, kl_asked(size));
	kl_cancel(two, update);
	KL_WAITS(test, both);
	KL_WAITS(test, late);
	kl_cancel(one, lookup);
	KL_GRANTED(test, both);
	KL_WAITS(test, late);
	KUNIT_EXPECT_TRUE(test, kl_asked(both));
	kl_cancel(two, both);
	KL_GRANTED(test, late);
	has_bits(test, late, MDS_INODELOCK_UPDATE);
}

static void an_optional_bit_is_not_waited_for(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	const u64 lookup = MDS_INODELOCK_LOOKUP, layout = MDS_INODELOCK_LAYOUT;
	const u64 perm = MDS_INODELOCK_PERM;
	u64 held = bits(test, one, LCK_EX, layout, 0, 0), cookie;

	cookie = bits(test, two, LCK_PR, lookup, layout | perm, 0);
	has_bits(test, cookie, lookup | perm);
	KUNIT_EXPECT_FALSE(test, kl_asked(held));
	kl_cancel(two, cookie);
	/* Nor taken from one that waits for it. */
	bits(test, two, LCK_EX, layout, 0, 1);
	kl_cancel(one, held);
	cookie = bits(test, one, LCK_PR, lookup, layout, 0);
	has_bits(test, cookie, lookup);
	/* Nothing else, and none of it is free. */
	bits(test, one, LCK_PR, 0, layout, -EWOULDBLOCK);
	has_bits(test, bits(test, one, LCK_PR, 0, layout | perm, 0), perm);
	/* A required bit is not optional. */
	has_bits(test, bits(test, one, LCK_PR, perm, perm, 0), perm);
}

/* The optional bits are looked at when the rest is granted. */
static void a_waiting_lock_gets_optional_bits_later(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	const u64 lookup = MDS_INODELOCK_LOOKUP, layout = MDS_INODELOCK_LAYOUT;
	u64 held = bits(test, one, LCK_EX, lookup | layout, 0, 0);
	u64 waits = bits(test, two, LCK_EX, lookup, layout, 1);

	kl_cancel(one, held);
	KL_GRANTED(test, waits);
	has_bits(test, waits, lookup | layout);
}

/*
 * The client.
 */

static struct ldlm_lock *client_ask(struct kunit *test, u32 type, u32 mode,
				    const struct ldlm_policy *policy)
{
	struct ldlm_res_id id = { .name = { type } };
	struct ldlm_lock *lock;

	lock = ldlm_client_lock_new(kl.client, type, &id, mode, policy, &kl_cbs,
				    NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, lock);
	return lock;
}

static int client_granted(struct ldlm_lock *lock, u32 mode,
			  const struct ldlm_policy *policy)
{
	return ldlm_client_completion(NULL, lock->l_handle.h_cookie, 0x77, mode,
				      policy, NULL);
}

static bool client_match(u32 type, u32 mode, const struct ldlm_policy *policy)
{
	struct ldlm_res_id id = { .name = { type } };
	struct ldlm_lock *lock;

	lock = ldlm_client_match(kl.client, &id, mode, policy, &kl_cbs, NULL);
	if (!lock)
		return false;
	ldlm_lock_decref(lock);
	ldlm_lock_put(lock);
	return true;
}

static void client_drop(struct ldlm_lock *lock)
{
	ldlm_lock_decref(lock);
	ldlm_lock_put(lock);
}

static void a_client_takes_what_was_granted(struct kunit *test)
{
	const struct ldlm_policy wanted = { .extent = { 100, 199 } };
	const struct ldlm_policy granted = { .extent = { 50, 999 } };
	const struct ldlm_policy inside = { .extent = { 50, 60 } };
	const struct ldlm_policy beyond = { .extent = { 900, 1000 } };
	struct ldlm_lock *lock = client_ask(test, LDLM_EXTENT, LCK_PW, &wanted);

	KUNIT_EXPECT_FALSE(test, client_match(LDLM_EXTENT, LCK_PW, &wanted));
	KUNIT_EXPECT_EQ(test, 0, client_granted(lock, LCK_PW, &granted));
	KUNIT_EXPECT_EQ(test, 999ULL, ldlm_lock_policy(lock)->extent.last);
	KUNIT_EXPECT_TRUE(test, client_match(LDLM_EXTENT, LCK_PW, &inside));
	KUNIT_EXPECT_TRUE(test, client_match(LDLM_EXTENT, LCK_CR, &granted));
	KUNIT_EXPECT_FALSE(test, client_match(LDLM_EXTENT, LCK_PW, &beyond));
	KUNIT_EXPECT_FALSE(test, client_match(LDLM_EXTENT, LCK_EX, &inside));
	client_drop(lock);
}

static void a_client_refuses_a_grant_of_less(struct kunit *test)
{
	static const struct {
		u32			type;
		struct ldlm_policy	wanted;
		struct ldlm_policy	granted;
	} bad[] = {
		{ LDLM_EXTENT, { .extent = { 100, 199 } }, { .extent = { 101, 199 } } },
		{ LDLM_EXTENT, { .extent = { 100, 199 } }, { .extent = { 100, 198 } } },
		{ LDLM_EXTENT, { .extent = { 100, 199 } }, { .extent = { 0, 300, 7 } } },
		{ LDLM_EXTENT, { .extent = { 100, 199 } }, { .extent = { 300, 0 } } },
		{ LDLM_IBITS, { .ibits = { 3 } }, { .ibits = { 1 } } },
		{ LDLM_IBITS, { .ibits = { 1, 8 } }, { .ibits = { 3 } } },
		{ LDLM_IBITS, { .ibits = { 1, 8 } }, { .ibits = { 1, 8 } } },
		{ LDLM_IBITS, { .ibits = { 0, 8 } }, { .ibits = { 0 } } },
		{ LDLM_PLAIN, { }, { .data = { 1 } } },
	};
	struct ldlm_lock *lock;
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(bad); n++) {
		lock = client_ask(test, bad[n].type, LCK_PR, &bad[n].wanted);
		KUNIT_EXPECT_EQ_MSG(test, -EPROTO,
				    client_granted(lock, LCK_PR, &bad[n].granted),
				    "%u", n);
		KUNIT_EXPECT_EQ_MSG(test, LOCK_WAITING, lock->l_state, "%u", n);
		ldlm_client_abandon(lock, -EPROTO);
		ldlm_lock_put(lock);
	}
}

static void a_client_matches_bits(struct kunit *test)
{
	const struct ldlm_policy wanted = { .ibits = { 1, 8 } };
	const struct ldlm_policy without = { .ibits = { 1 } };
	const struct ldlm_policy both = { .ibits = { 9 } };
	const struct ldlm_policy only = { .ibits = { 0, 8 } };
	struct ldlm_lock *lock = client_ask(test, LDLM_IBITS, LCK_PR, &wanted);
	struct ldlm_lock *more;

	KUNIT_EXPECT_EQ(test, 0, client_granted(lock, LCK_PR, &without));
	KUNIT_EXPECT_TRUE(test, client_match(LDLM_IBITS, LCK_PR, &without));
	KUNIT_EXPECT_TRUE(test, client_match(LDLM_IBITS, LCK_PR, &wanted));
	KUNIT_EXPECT_FALSE(test, client_match(LDLM_IBITS, LCK_PR, &both));
	KUNIT_EXPECT_FALSE(test, client_match(LDLM_IBITS, LCK_PR, &only));
	more = client_ask(test, LDLM_IBITS, LCK_PR, &only);
	KUNIT_EXPECT_EQ(test, 0, client_granted(more, LCK_PR,
						&(struct ldlm_policy) {
							.ibits = { 8 },
						}));
	KUNIT_EXPECT_TRUE(test, client_match(LDLM_IBITS, LCK_PR, &only));
	client_drop(lock);
	client_drop(more);
}

/*
 * Random locks of two clients, and a model of what is granted: no two that conflict
 * are, and when all are given back none waits.
 */
#define RANDOM_LOCKS	64
#define RANDOM_ROUNDS	4000

struct random_lock {
	struct obd_export	*exp;
	u64			cookie;
};

static bool conflict(const struct ldlm_lock *a, const struct ldlm_lock *b)
{
	return !lockmode_compat(a->l_granted_mode, b->l_granted_mode) &&
	       a->l_policy.extent.first <= b->l_policy.extent.last &&
	       b->l_policy.extent.first <= a->l_policy.extent.last;
}

/* Of the resource of a lock. */
static unsigned int count_conflicts(u64 cookie)
{
	struct ldlm_lock *lock = ldlm_lock_find(cookie), *a, *b;
	struct ldlm_resource *res;
	unsigned int count = 0;

	if (!lock)
		return 0;
	res = lock->l_resource;
	spin_lock(&res->r_lock);
	list_for_each_entry(a, &res->r_granted.lset_locks, l_res_item) {
		b = a;
		list_for_each_entry_continue(b, &res->r_granted.lset_locks, l_res_item)
			count += conflict(a, b);
	}
	spin_unlock(&res->r_lock);
	ldlm_lock_put(lock);
	return count;
}

static void random_step(struct kunit *test, struct rnd_state *rnd,
			struct obd_export **exps, struct random_lock *lock)
{
	struct ldlm_enqueue ask;
	u64 first = prandom_u32_state(rnd) % 1000;

	if (lock->cookie) {
		kl_cancel(lock->exp, lock->cookie);
		lock->cookie = 0;
		return;
	}
	lock->exp = exps[prandom_u32_state(rnd) % 2];
	ask = extent_ask(BIT(prandom_u32_state(rnd) % LDLM_MODE_COUNT), first,
			 first + prandom_u32_state(rnd) % 100);
	if (prandom_u32_state(rnd) % 2)
		ask.flags = LDLM_FL_NO_EXPANSION;
	KUNIT_EXPECT_LE(test, 0, kl_enqueue(lock->exp, &ask, &lock->cookie));
}

static void random_extents_never_conflict(struct kunit *test)
{
	struct obd_export *exps[2] = { kl_join(test, "one"), kl_join(test, "two") };
	struct random_lock *locks = kunit_kcalloc(test, RANDOM_LOCKS, sizeof(*locks),
						  GFP_KERNEL);
	unsigned int n, which, bad = 0;
	struct rnd_state rnd;

	KUNIT_ASSERT_NOT_NULL(test, locks);
	prandom_seed_state(&rnd, 1234);
	for (n = 0; n < RANDOM_ROUNDS; n++) {
		which = prandom_u32_state(&rnd) % RANDOM_LOCKS;
		random_step(test, &rnd, exps, &locks[which]);
		bad += count_conflicts(locks[which].cookie);
		cond_resched();
	}
	KUNIT_EXPECT_EQ(test, 0U, bad);
	for (n = 0; n < RANDOM_LOCKS; n++) {
		if (locks[n].cookie)
			kl_cancel(locks[n].exp, locks[n].cookie);
	}
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.server->ns_locks));
}

#define IN_A_ROW	20

/*
 * Enqueue @count exact locks next to each other, from @from on. Return: nanoseconds of
 * one, of the fastest IN_A_ROW: the machine may stall in others.
 */
static u64 time_of(struct kunit *test, struct obd_export *exp, u64 *cookies,
		   unsigned int from, unsigned int count)
{
	u64 start = ktime_get_ns(), least = U64_MAX;
	unsigned int n;

	for (n = from; n < from + count; n++) {
		cookies[n] = exact(test, exp, LCK_PW, n * 10, n * 10 + 9, 0);
		if ((n + 1) % IN_A_ROW)
			continue;
		least = min(least, ktime_get_ns() - start);
		cond_resched();
		start = ktime_get_ns();
	}
	return div_u64(least, IN_A_ROW);
}

#define MANY		10000
#define SAMPLE		200

/* A list would have some hundred times as many steps for one of many. */
static void one_of_many_extents_costs_no_more(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	u64 *cookies = kunit_kcalloc(test, MANY + SAMPLE, sizeof(*cookies), GFP_KERNEL);
	u64 few, many;
	unsigned int n;

	KUNIT_ASSERT_NOT_NULL(test, cookies);
	few = time_of(test, one, cookies, 0, SAMPLE);
	time_of(test, one, cookies, SAMPLE, MANY - SAMPLE);
	many = time_of(test, one, cookies, MANY, SAMPLE);
	kunit_info(test, "enqueue among %u: %llu ns, among %u: %llu ns", SAMPLE, few,
		   MANY, many);
	KUNIT_EXPECT_LT(test, many, 8 * few);
	for (n = 0; n < MANY + SAMPLE; n++)
		kl_cancel(one, cookies[n]);
}

static struct kunit_case ldlm_policy_cases[] = {
	KUNIT_CASE(extents_conflict_where_they_overlap),
	KUNIT_CASE(modes_that_go_together_overlap),
	KUNIT_CASE(a_lock_is_widened_up_to_its_neighbours),
	KUNIT_CASE(the_last_byte_is_one),
	KUNIT_CASE(a_lock_is_not_widened_over_waiting_ones),
	KUNIT_CASE(a_lock_that_is_wanted_is_not_widened),
	KUNIT_CASE(widening_is_bounded_among_many),
	KUNIT_CASE(who_overlaps_an_older_one_waits_for_it),
	KUNIT_CASE(a_replay_is_not_widened),
	KUNIT_CASE(the_answer_has_the_granted_extent),
	KUNIT_CASE(bits_conflict_where_they_are_common),
	KUNIT_CASE(an_optional_bit_is_not_waited_for),
	KUNIT_CASE(a_waiting_lock_gets_optional_bits_later),
	KUNIT_CASE(a_client_takes_what_was_granted),
	KUNIT_CASE(a_client_refuses_a_grant_of_less),
	KUNIT_CASE(a_client_matches_bits),
	KUNIT_CASE(random_extents_never_conflict),
	KUNIT_CASE(one_of_many_extents_costs_no_more),
	{}
};

static struct kunit_suite ldlm_policy_suite = {
	.name = "ldlm_policy",
	.suite_init = client_suite_init,
	.init = kl_init,
	.exit = kl_exit,
	.test_cases = ldlm_policy_cases,
};
kunit_test_suite(ldlm_policy_suite);

MODULE_DESCRIPTION("locks of parts of a resource");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
