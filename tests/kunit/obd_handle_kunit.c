// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handles: who finds what by a cookie, and what cannot be found.
 *
 * Processors: 2
 * Every: 2
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/refcount.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/handle.h>
#include <lustre_lite/libcfs.h>

#define LIVE	0x11fe11feU
#define DEAD	0xdeaddeadU

struct thing {
	u32			magic;
	refcount_t		refs;
	struct portals_handle	handle;
	struct rcu_head		rcu;
};

static struct thing *thing_of(struct portals_handle *handle)
{
	return container_of(handle, struct thing, handle);
}

static bool thing_get(struct portals_handle *handle)
{
	return refcount_inc_not_zero(&thing_of(handle)->refs);
}

static const struct portals_handle_ops thing_ops = { "thing", thing_get };
static const struct portals_handle_ops other_ops = { "other", thing_get };

static void thing_init(struct thing *thing)
{
	memset(thing, 0, sizeof(*thing));
	thing->magic = LIVE;
	refcount_set(&thing->refs, 1);
}

static void a_cookie_gives_a_reference(struct kunit *test)
{
	struct thing thing;

	thing_init(&thing);
	KUNIT_ASSERT_EQ(test, class_handle_hash(&thing.handle, &thing_ops), 0);
	KUNIT_EXPECT_NE(test, thing.handle.h_cookie, 0ULL);
	KUNIT_EXPECT_PTR_EQ(test, &thing.handle,
			    class_handle2object(thing.handle.h_cookie,
						&thing_ops));
	KUNIT_EXPECT_EQ(test, refcount_read(&thing.refs), 2U);
	class_handle_unhash(&thing.handle);
	synchronize_rcu();
}

static void who_asks_for_another_kind_gets_nothing(struct kunit *test)
{
	struct thing thing;

	thing_init(&thing);
	KUNIT_ASSERT_EQ(test, class_handle_hash(&thing.handle, &thing_ops), 0);
	KUNIT_EXPECT_NULL(test, class_handle2object(thing.handle.h_cookie,
						    &other_ops));
	KUNIT_EXPECT_EQ(test, refcount_read(&thing.refs), 1U);
	class_handle_unhash(&thing.handle);
	synchronize_rcu();
}

static void no_other_cookie_finds_it(struct kunit *test)
{
	struct thing thing;
	unsigned int bit;

	thing_init(&thing);
	KUNIT_ASSERT_EQ(test, class_handle_hash(&thing.handle, &thing_ops), 0);
	KUNIT_EXPECT_NULL(test, class_handle2object(0, &thing_ops));
	for (bit = 0; bit < 64; bit++)
		KUNIT_EXPECT_NULL(test,
				  class_handle2object(thing.handle.h_cookie ^
						      BIT_ULL(bit),
						      &thing_ops));
	class_handle_unhash(&thing.handle);
	synchronize_rcu();
}

static void what_was_unhashed_is_not_found(struct kunit *test)
{
	struct thing thing;
	u64 cookie;

	thing_init(&thing);
	class_handle_unhash(&thing.handle);
	KUNIT_ASSERT_EQ(test, class_handle_hash(&thing.handle, &thing_ops), 0);
	cookie = thing.handle.h_cookie;
	class_handle_unhash(&thing.handle);
	class_handle_unhash(&thing.handle);
	KUNIT_EXPECT_NULL(test, class_handle2object(cookie, &thing_ops));
	KUNIT_EXPECT_EQ(test, cookie, thing.handle.h_cookie);
	synchronize_rcu();
}

static void what_has_a_cookie_gets_no_other(struct kunit *test)
{
	struct thing thing;
	u64 cookie;

	thing_init(&thing);
	KUNIT_ASSERT_EQ(test, class_handle_hash(&thing.handle, &thing_ops), 0);
	cookie = thing.handle.h_cookie;
	KUNIT_EXPECT_EQ(test, class_handle_hash(&thing.handle, &thing_ops),
			-EEXIST);
	KUNIT_EXPECT_EQ(test, cookie, thing.handle.h_cookie);
	class_handle_unhash(&thing.handle);
	KUNIT_EXPECT_EQ(test, class_handle_hash(&thing.handle, &thing_ops), 0);
	KUNIT_EXPECT_NE(test, cookie, thing.handle.h_cookie);
	KUNIT_EXPECT_NULL(test, class_handle2object(cookie, &thing_ops));
	class_handle_unhash(&thing.handle);
	synchronize_rcu();
}

static void a_cookie_passes_to_another_object(struct kunit *test)
{
	struct thing from, to;
	u64 cookie;

	thing_init(&from);
	thing_init(&to);
	KUNIT_ASSERT_EQ(test, class_handle_hash(&from.handle, &thing_ops), 0);
	cookie = from.handle.h_cookie;
	class_handle_pass(&from.handle, &to.handle, &other_ops);
	KUNIT_EXPECT_NULL(test, class_handle2object(cookie, &thing_ops));
	KUNIT_EXPECT_PTR_EQ(test, &to.handle, class_handle2object(cookie, &other_ops));
	/* The end of the first one leaves the second one alone. */
	class_handle_unhash(&from.handle);
	KUNIT_EXPECT_PTR_EQ(test, &to.handle, class_handle2object(cookie, &other_ops));
	class_handle_unhash(&to.handle);
	KUNIT_EXPECT_NULL(test, class_handle2object(cookie, &other_ops));
	synchronize_rcu();
}

static void what_nobody_holds_is_not_found(struct kunit *test)
{
	struct thing thing;

	thing_init(&thing);
	refcount_set(&thing.refs, 0);
	KUNIT_ASSERT_EQ(test, class_handle_hash(&thing.handle, &thing_ops), 0);
	KUNIT_EXPECT_NULL(test, class_handle2object(thing.handle.h_cookie,
						    &thing_ops));
	class_handle_unhash(&thing.handle);
	synchronize_rcu();
}

#define MANY	1024

/* Each bit is set in about half of them, and no two follow each other. */
static void cookies_cannot_be_guessed(struct kunit *test)
{
	struct thing *things = kunit_kcalloc(test, MANY, sizeof(*things),
					     GFP_KERNEL);
	unsigned int n, bit, set, near = 0;

	KUNIT_ASSERT_NOT_NULL(test, things);
	for (n = 0; n < MANY; n++) {
		thing_init(&things[n]);
		KUNIT_EXPECT_EQ(test, class_handle_hash(&things[n].handle,
							&thing_ops), 0);
		if (n)
			near += abs((s64)(things[n].handle.h_cookie -
					  things[n - 1].handle.h_cookie)) <
				1 << 20;
	}
	KUNIT_EXPECT_EQ(test, near, 0U);
	for (bit = 0; bit < 64; bit++) {
		for (n = 0, set = 0; n < MANY; n++)
			set += !!(things[n].handle.h_cookie & BIT_ULL(bit));
		KUNIT_EXPECT_GT_MSG(test, set, MANY / 4U, "bit %u", bit);
		KUNIT_EXPECT_LT_MSG(test, set, MANY * 3U / 4, "bit %u", bit);
	}
	for (n = 0; n < MANY; n++)
		class_handle_unhash(&things[n].handle);
	synchronize_rcu();
}

#define RACE_MS	500

static u64 race_cookie;
static bool race_stop;
static atomic_t race_found;
static atomic_t race_dead;
static struct completion race_done;

static void thing_put(struct thing *thing)
{
	if (!refcount_dec_and_test(&thing->refs))
		return;
	WRITE_ONCE(thing->magic, DEAD);
	kfree_rcu(thing, rcu);
}

static int race_finder(void *data)
{
	struct portals_handle *handle;

	while (!READ_ONCE(race_stop)) {
		handle = class_handle2object(READ_ONCE(race_cookie),
					     &thing_ops);
		if (handle) {
			atomic_inc(&race_found);
			if (READ_ONCE(thing_of(handle)->magic) != LIVE)
				atomic_inc(&race_dead);
			thing_put(thing_of(handle));
		}
		cond_resched();
	}
	/* The waiting task may hold the last reference on this module. */
	kthread_complete_and_exit(&race_done, 0);
}

static void what_is_found_lives(struct kunit *test)
{
	unsigned long end = jiffies + msecs_to_jiffies(RACE_MS);
	unsigned long last = end + 20 * HZ;
	unsigned int rounds = 0;
	struct thing *thing;

	if (num_online_cpus() < 2)
		kunit_skip(test, "wants two processors");
	race_stop = false;
	atomic_set(&race_found, 0);
	atomic_set(&race_dead, 0);
	init_completion(&race_done);
	KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(race_finder, NULL,
						    "kunit_finder")));
	/* On one busy processor the finder may run late. */
	while (time_before(jiffies, end) ||
	       ((rounds <= 100 || !atomic_read(&race_found)) &&
		time_before(jiffies, last))) {
		thing = kmalloc(sizeof(*thing), GFP_KERNEL);
		if (!thing)
			break;
		thing_init(thing);
		if (!class_handle_hash(&thing->handle, &thing_ops))
			rounds++;
		WRITE_ONCE(race_cookie, thing->handle.h_cookie);
		udelay(rounds % 8);
		class_handle_unhash(&thing->handle);
		thing_put(thing);
		cond_resched();
	}
	WRITE_ONCE(race_stop, true);
	wait_for_completion(&race_done);
	rcu_barrier();
	KUNIT_EXPECT_GT(test, rounds, 100U);
	KUNIT_EXPECT_GT(test, atomic_read(&race_found), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&race_dead), 0);
}

/*
 * All in one bucket: the table is rehashed, and refuses inserts (-EBUSY) while that is
 * under way.
 */
#define CROWD	200

struct one_of_many {
	struct rhash_head	node;
	u32			key;
};

static u32 same_hash(const void *data, u32 len, u32 seed)
{
	return 7;
}

static const struct rhashtable_params crowd_params = {
	.head_offset = offsetof(struct one_of_many, node),
	.key_offset = offsetof(struct one_of_many, key),
	.key_len = sizeof_field(struct one_of_many, key),
	.hashfn = same_hash,
};

/* Not on the stack: it has a work. */
static struct rhashtable table;

static void an_insert_waits_for_a_rehash(struct kunit *test)
{
	struct one_of_many *all = kunit_kcalloc(test, CROWD, sizeof(*all),
						GFP_KERNEL);
	unsigned int n, tries, refused = 0;
	int rc;

	KUNIT_ASSERT_NOT_NULL(test, all);
	KUNIT_ASSERT_EQ(test, rhashtable_init(&table, &crowd_params), 0);
	for (n = 0; n < CROWD; n++) {
		all[n].key = n;
		tries = 0;
		do {
			rc = rhashtable_lookup_insert_fast(&table, &all[n].node,
							   crowd_params);
			refused += rc == -EBUSY;
		} while (libcfs_insert_again(rc, &tries));
		KUNIT_EXPECT_EQ_MSG(test, rc, 0, "%u", n);
	}
	/* Otherwise this case would test nothing. */
	KUNIT_EXPECT_GT(test, refused, 0U);
	KUNIT_EXPECT_EQ(test, atomic_read(&table.nelems), CROWD);
	rhashtable_destroy(&table);
	/* An object that is in the table already is refused at once. */
	tries = 0;
	KUNIT_EXPECT_FALSE(test, libcfs_insert_again(-EEXIST, &tries));
	KUNIT_EXPECT_FALSE(test, libcfs_insert_again(0, &tries));
}

static struct kunit_case handle_cases[] = {
	KUNIT_CASE(a_cookie_gives_a_reference),
	KUNIT_CASE(who_asks_for_another_kind_gets_nothing),
	KUNIT_CASE(no_other_cookie_finds_it),
	KUNIT_CASE(what_was_unhashed_is_not_found),
	KUNIT_CASE(what_has_a_cookie_gets_no_other),
	KUNIT_CASE(a_cookie_passes_to_another_object),
	KUNIT_CASE(what_nobody_holds_is_not_found),
	KUNIT_CASE(cookies_cannot_be_guessed),
	KUNIT_CASE(what_is_found_lives),
	KUNIT_CASE(an_insert_waits_for_a_rehash),
	{}
};

static struct kunit_suite handle_suite = {
	.name = "obd_handle",
	.test_cases = handle_cases,
};
kunit_test_suite(handle_suite);

MODULE_DESCRIPTION("handles");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
