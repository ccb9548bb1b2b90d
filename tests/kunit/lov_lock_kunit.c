// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks of files: of all objects, cached ones, those of another client, what the owner of a file's
 * data is told and asked, layouts and targets that go, writes that wait at a client.
 *
 * Processors: 2
 */
#include "lov_file.h"

#include "../../ptlrpc/ldlm/ldlm_internal.h"

#define FIRST_END	(2ULL * STRIPE)
#define SECOND_END	(6ULL * STRIPE)

/**
 * struct owner - the owner of a file's data at a client
 * @owner: for the layout
 * @kept: locks that were cancelled
 * @gone: locks that were lost
 * @puts: calls of do_put
 * @knows: it knows newer attributes than the objects
 * @attr: these
 * @gate: do_lost waits here, or NULL
 */
struct owner {
	struct dt_owner	owner;
	atomic_t	kept;
	atomic_t	gone;
	atomic_t	puts;
	bool		knows;
	struct md_attr	attr;
	struct gate	*gate;
};

static struct owner mine, others;
static struct gate gate;

static struct owner *owner_of(struct dt_owner *owner)
{
	return container_of(owner, struct owner, owner);
}

static void owner_lost(struct dt_owner *owner, bool gone)
{
	struct owner *own = owner_of(owner);

	might_sleep();
	kt_pass(own->gate);
	atomic_inc(gone ? &own->gone : &own->kept);
}

static bool owner_attr(struct dt_owner *owner, struct md_attr *attr)
{
	struct owner *own = owner_of(owner);

	if (READ_ONCE(own->knows))
		*attr = own->attr;
	return READ_ONCE(own->knows);
}

static void owner_put(struct dt_owner *owner)
{
	atomic_inc(&owner_of(owner)->puts);
}

static const struct dt_owner_ops owner_ops = {
	.do_lost = owner_lost,
	.do_attr = owner_attr,
	.do_put = owner_put,
	.do_module = THIS_MODULE,
};

static int lock_init(struct kunit *test)
{
	mine = (struct owner){ .owner.dto_ops = &owner_ops };
	others = (struct owner){ .owner.dto_ops = &owner_ops };
	return lf_init(test);
}

/* Threads drop the last references of locks. */
static bool segments_have_no_locks(void)
{
	return !client_read(fx.client, "lov/lov/segments") &&
	       *(u64 *)client_rec_value(client_rec(fx.client, 3)) == 0;
}

static bool mine_is_put(void)
{
	return atomic_read(&mine.puts);
}

static bool one_is_gone(void)
{
	return atomic_read(&mine.gone);
}

static bool all_are_gone(void)
{
	return atomic_read(&mine.gone) == LF_OSTS;
}

/* Threads notify the owner. */
static void expect_lost(struct kunit *test, const struct owner *own, int kept, int gone)
{
	unsigned long until = jiffies + FIXTURE_WAIT;

	while ((atomic_read(&own->kept) < kept || atomic_read(&own->gone) < gone) &&
	       time_before(jiffies, until))
		msleep(20);
	KUNIT_EXPECT_EQ(test, kept, atomic_read(&own->kept));
	KUNIT_EXPECT_EQ(test, gone, atomic_read(&own->gone));
}

/* Locks of target @n, whether they are used or not; others go soon. */
static void expect_locks(struct kunit *test, unsigned int n, u64 count)
{
	unsigned long until = jiffies + FIXTURE_WAIT;
	char path[64];

	snprintf(path, sizeof(path), "ldlm/namespaces/%s/lock_count", lf.ost[n].osc->obd_name);
	while (!client_read(fx.client, path) && client_number(fx.client) != count &&
	       time_before(jiffies, until))
		msleep(20);
	TY_EXPECT_NUMBER(test, path, count);
}

static struct lov_layout *file_get(struct kunit *test, u32 count)
{
	return layout_get_owned(test, lf.exp, &mine.owner, count);
}

static struct lov_layout *file_get_other(struct kunit *test)
{
	return layout_get_owned(test, lf.other_exp, &others.owner, 1);
}

/* Three components: on the first target, on the two others, and without objects. */
static struct lov_layout *file_get_comp(struct kunit *test)
{
	struct lov_layout *layout = layout_owned(test, lf.exp, &mine.owner);
	u8 bytes[512];
	size_t len;

	make_comp(bytes, 1, 1, 3);
	add_comp(bytes, 0, 0, FIRST_END, 0, 1, LOV_PATTERN_RAID0, OBJECT_ID, 0);
	add_comp(bytes, 1, FIRST_END, SECOND_END, 0, 2, LOV_PATTERN_RAID0, OBJECT_ID + 1, 1);
	len = add_comp(bytes, 2, SECOND_END, U64_MAX, 0, 0, LOV_PATTERN_RAID0, 0, 0);
	KUNIT_ASSERT_EQ(test, 1, dt_layout_set(lf.exp, layout, bytes, len, false));
	return layout;
}

/* Locks. */

static void expect_lock(struct kunit *test, const struct ldlm_lock *lock, u64 id, u32 target)
{
	KUNIT_EXPECT_PTR_EQ(test, lf.ost[target].osc, ldlm_lock_ns(lock)->ns_obd);
	KUNIT_EXPECT_EQ(test, id, lock->l_resource->r_id.name[0]);
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(lock));
	KUNIT_EXPECT_EQ(test, 0ULL, ldlm_lock_policy(lock)->extent.first);
	KUNIT_EXPECT_EQ(test, LDLM_EXTENT_EOF, ldlm_lock_policy(lock)->extent.last);
}

static void all_objects_are_locked_in_their_order(struct kunit *test)
{
	struct lov_layout *layout;
	struct dt_locks locks;
	u8 bytes[512];
	size_t len;
	u32 n;

	lf_connect(test);
	layout = layout_owned(test, lf.exp, &mine.owner);
	/* More than need no allocation. */
	make_comp(bytes, 1, 1, 2);
	add_comp(bytes, 0, 0, STRIPE, 0, LF_OSTS, LOV_PATTERN_RAID0, OBJECT_ID, 0);
	len = add_comp(bytes, 1, STRIPE, U64_MAX, 0, LF_OSTS, LOV_PATTERN_RAID0,
		       OBJECT_ID + LF_OSTS, 0);
	KUNIT_ASSERT_EQ(test, 1, dt_layout_set(lf.exp, layout, bytes, len, false));
	KUNIT_ASSERT_EQ(test, 0, dt_enqueue(lf.exp, layout, LCK_PR, DT_LOCK_WAIT, &locks));
	KUNIT_ASSERT_EQ(test, 2U * LF_OSTS, locks.dk_nr);
	for (n = 0; n < locks.dk_nr; n++)
		expect_lock(test, locks.dk_lock[n], OBJECT_ID + n, n % LF_OSTS);
	/* segments, refs_valid, refs_io, refs_lock */
	expect_count(test, "lov/lov/segments", 0, 2);
	expect_count(test, "lov/lov/segments", 1, 2);
	expect_count(test, "lov/lov/segments", 2, 0);
	expect_count(test, "lov/lov/segments", 3, 2 * LF_OSTS);
	KUNIT_EXPECT_FALSE(test, dt_decref(lf.exp, &locks));
	for (n = 0; n < LF_OSTS; n++)
		expect_locks(test, n, 2);
	dt_layout_put(lf.exp, layout);
	KUNIT_EXPECT_TRUE(test, lf_await(mine_is_put));
}

static void a_cached_lock_is_used_again(struct kunit *test)
{
	struct dt_locks locks, again;
	struct lov_layout *layout;

	lf_connect(test);
	layout = file_get(test, 1);
	KUNIT_ASSERT_EQ(test, 0, dt_enqueue(lf.exp, layout, LCK_PW, DT_LOCK_WAIT, &locks));
	/* One for writing is also one for reading. */
	KUNIT_ASSERT_EQ(test, 0, dt_enqueue(lf.exp, layout, LCK_PR, DT_LOCK_WAIT, &again));
	KUNIT_EXPECT_PTR_EQ(test, locks.dk_lock[0], again.dk_lock[0]);
	KUNIT_EXPECT_FALSE(test, dt_decref(lf.exp, &locks));
	KUNIT_EXPECT_FALSE(test, dt_decref(lf.exp, &again));
	KUNIT_ASSERT_EQ(test, 0, dt_enqueue(lf.exp, layout, LCK_PR, DT_LOCK_CACHED, &again));
	KUNIT_EXPECT_PTR_EQ(test, locks.dk_lock[0], again.dk_lock[0]);
	KUNIT_EXPECT_FALSE(test, dt_decref(lf.exp, &again));
	expect_locks(test, 0, 1);
	expect_lost(test, &mine, 0, 0);
	dt_layout_put(lf.exp, layout);
}

static void a_reader_that_writes_gets_another_lock(struct kunit *test)
{
	struct lov_layout *layout;
	struct dt_locks locks;

	lf_connect(test);
	layout = file_get(test, 1);
	KUNIT_EXPECT_EQ(test, 0, lock_once(lf.exp, layout, LCK_PR, DT_LOCK_WAIT, &locks));
	KUNIT_EXPECT_EQ(test, -EWOULDBLOCK,
			lock_once(lf.exp, layout, LCK_PW, DT_LOCK_CACHED, &locks));
	KUNIT_ASSERT_EQ(test, 0, dt_enqueue(lf.exp, layout, LCK_PW, DT_LOCK_WAIT, &locks));
	KUNIT_EXPECT_EQ(test, (u32)LCK_PW, ldlm_lock_mode(locks.dk_lock[0]));
	/* What is cached under the first one stays. */
	expect_locks(test, 0, 2);
	expect_lost(test, &mine, 0, 0);
	KUNIT_EXPECT_FALSE(test, dt_decref(lf.exp, &locks));
	dt_layout_put(lf.exp, layout);
}

static void a_caller_may_refuse_to_wait(struct kunit *test)
{
	struct lov_layout *layout, *other;
	struct dt_locks locks, held;

	lf_connect(test);
	lf_connect_other(test);
	layout = file_get(test, LF_OSTS);
	other = file_get_other(test);
	KUNIT_EXPECT_EQ(test, -EWOULDBLOCK,
			lock_once(lf.exp, layout, LCK_PR, DT_LOCK_CACHED, &locks));
	expect_locks(test, 0, 0);
	KUNIT_EXPECT_EQ(test, 0, lock_once(lf.exp, layout, LCK_PR, DT_LOCK_NOWAIT, &locks));
	KUNIT_EXPECT_EQ(test, 0, lock_once(lf.exp, layout, LCK_PR, DT_LOCK_CACHED, &locks));
	/* The lock of the first object goes to the other client. */
	KUNIT_ASSERT_EQ(test, 0, dt_enqueue(lf.other_exp, other, LCK_PW, DT_LOCK_WAIT, &held));
	KUNIT_EXPECT_EQ(test, -EWOULDBLOCK,
			lock_once(lf.exp, layout, LCK_PR, DT_LOCK_CACHED, &locks));
	KUNIT_EXPECT_EQ(test, -EWOULDBLOCK,
			lock_once(lf.exp, layout, LCK_PR, DT_LOCK_NOWAIT, &locks));
	/* Nothing was taken from the other client. */
	KUNIT_EXPECT_FALSE(test, dt_decref(lf.other_exp, &held));
	KUNIT_EXPECT_EQ(test, 0, lock_once(lf.other_exp, other, LCK_PW, DT_LOCK_CACHED, &held));
	expect_lost(test, &others, 0, 0);
	/* The locks of the other objects are not used any more. */
	TY_EXPECT_NUMBER(test, "ldlm/namespaces/osc1/lock_unused_count", 1);
	dt_layout_put(lf.exp, layout);
	dt_layout_put(lf.other_exp, other);
}

static void the_first_taker_knows_the_file(struct kunit *test)
{
	const u64 size = 4 * STRIPE + 10;
	struct lov_layout *layout, *other;
	struct dt_locks locks;

	lf_connect(test);
	lf_connect_other(test);
	layout = file_get(test, LF_OSTS);
	other = file_get_other(test);
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, size, 1, false));
	KUNIT_EXPECT_EQ(test, 0, lock_once(lf.exp, layout, LCK_PW, DT_LOCK_WAIT, &locks));
	KUNIT_EXPECT_TRUE(test, locks.dk_known);
	KUNIT_EXPECT_EQ(test, size, locks.dk_attr.size);
	KUNIT_EXPECT_EQ(test, DIV_ROUND_UP(size, 512), locks.dk_attr.blocks);
	KUNIT_EXPECT_EQ(test, 101LL, locks.dk_attr.mtime.sec);
	KUNIT_EXPECT_EQ(test, 201LL, locks.dk_attr.ctime.sec);
	/* From here on it may have changed the file. */
	KUNIT_EXPECT_EQ(test, 0, set_size(layout, 10));
	KUNIT_EXPECT_EQ(test, 0, lock_once(lf.exp, layout, LCK_PW, DT_LOCK_WAIT, &locks));
	KUNIT_EXPECT_FALSE(test, locks.dk_known);
	/* Another client has had the first object; the locks of the others are those of before. */
	KUNIT_EXPECT_EQ(test, 0, lock_once(lf.other_exp, other, LCK_PR, DT_LOCK_WAIT, &locks));
	KUNIT_EXPECT_TRUE(test, locks.dk_known);
	KUNIT_EXPECT_EQ(test, 10ULL, locks.dk_attr.size);
	KUNIT_EXPECT_EQ(test, 0, lock_once(lf.exp, layout, LCK_PW, DT_LOCK_WAIT, &locks));
	KUNIT_EXPECT_FALSE(test, locks.dk_known);
	dt_layout_put(lf.other_exp, other);
	dt_layout_put(lf.exp, layout);
}

/* Other clients. */

static long aside_lock(void *layout)
{
	struct dt_locks locks;

	allow_signal(SIGKILL);
	return lock_once(lf.other_exp, layout, LCK_PW, DT_LOCK_WAIT, &locks);
}

/* A lock that is asked for is not given to other tasks of its client any more. */
static bool is_asked_for(struct lov_layout *layout)
{
	struct dt_locks more;

	return lock_once(lf.exp, layout, LCK_PR, DT_LOCK_CACHED, &more) == -EWOULDBLOCK;
}

static void another_client_waits_for_the_owner(struct kunit *test)
{
	unsigned long until = jiffies + FIXTURE_WAIT;
	struct lov_layout *layout, *other;
	struct dt_locks locks;
	struct aside caller;

	lf_connect(test);
	lf_connect_other(test);
	layout = file_get(test, 1);
	other = file_get_other(test);
	gate_init(&gate);
	mine.gate = &gate;
	KUNIT_ASSERT_EQ(test, 0, dt_enqueue(lf.exp, layout, LCK_PW, DT_LOCK_WAIT, &locks));
	aside_start(test, &caller, aside_lock, other);
	aside_await_sleep(test, &caller);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&gate.calls));
	while (!is_asked_for(layout) && time_before(jiffies, until))
		msleep(20);
	KUNIT_EXPECT_TRUE(test, is_asked_for(layout));
	KUNIT_EXPECT_FALSE(test, dt_decref(lf.exp, &locks));
	gate_await(test, &gate);
	/* The owner writes under its lock. */
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, 10, 1, false));
	aside_await_sleep(test, &caller);
	complete_all(&gate.leave);
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &caller));
	mine.gate = NULL;
	expect_lost(test, &mine, 1, 0);
	/* And back: the lock of the other one is cached. */
	KUNIT_EXPECT_EQ(test, 0, lock_once(lf.exp, layout, LCK_PW, DT_LOCK_WAIT, &locks));
	KUNIT_EXPECT_TRUE(test, locks.dk_known);
	KUNIT_EXPECT_EQ(test, 10ULL, locks.dk_attr.size);
	expect_lost(test, &others, 1, 0);
	expect_lost(test, &mine, 1, 0);
	dt_layout_put(lf.exp, layout);
	dt_layout_put(lf.other_exp, other);
}

static void a_killed_task_gets_no_lock(struct kunit *test)
{
	struct lov_layout *layout, *other;
	struct dt_locks locks;
	struct aside caller;

	lf_connect(test);
	lf_connect_other(test);
	layout = file_get(test, 1);
	other = file_get_other(test);
	KUNIT_ASSERT_EQ(test, 0, dt_enqueue(lf.exp, layout, LCK_PW, DT_LOCK_WAIT, &locks));
	aside_start(test, &caller, aside_lock, other);
	aside_await_sleep(test, &caller);
	send_sig(SIGKILL, caller.task, 1);
	KUNIT_EXPECT_EQ(test, (long)-EINTR, aside_join(test, &caller));
	KUNIT_EXPECT_FALSE(test, dt_decref(lf.exp, &locks));
	expect_lost(test, &others, 0, 0);
	dt_layout_put(lf.other_exp, other);
	dt_layout_put(lf.exp, layout);
}

static long aside_truncate(void *layout)
{
	allow_signal(SIGKILL);
	return set_size(layout, 5);
}

static long aside_settle(void *layout)
{
	return dt_settle(lf.exp, layout);
}

static bool one_runs(void)
{
	return atomic_read(&lf.running) == 1;
}

/* The target makes it later: before another client has the lock, and before the owner goes on. */
static void a_change_that_a_killed_task_has_left_comes_first(struct kunit *test)
{
	struct lov_layout *layout, *other;
	struct aside caller, locker, settler;
	struct dt_locks locks;

	lf_connect(test);
	lf_connect_other(test);
	layout = file_get(test, 1);
	other = file_get_other(test);
	KUNIT_ASSERT_EQ(test, 0, dt_enqueue(lf.exp, layout, LCK_PW, DT_LOCK_WAIT, &locks));
	WRITE_ONCE(lf.wait, true);
	aside_start(test, &caller, aside_truncate, layout);
	KUNIT_EXPECT_TRUE(test, lf_await(one_runs));
	send_sig(SIGKILL, caller.task, 1);
	KUNIT_EXPECT_EQ(test, (long)-EINTR, aside_join(test, &caller));
	KUNIT_EXPECT_FALSE(test, dt_decref(lf.exp, &locks));
	aside_start(test, &locker, aside_lock, other);
	aside_start(test, &settler, aside_settle, layout);
	aside_await_sleep(test, &locker);
	aside_await_sleep(test, &settler);
	expect_lost(test, &mine, 0, 0);
	WRITE_ONCE(lf.wait, false);
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &locker));
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &settler));
	KUNIT_EXPECT_EQ(test, 5ULL, lf_object_of(&lf.ost[0], OBJECT_ID)->size);
	expect_lost(test, &mine, 1, 0);
	dt_layout_put(lf.other_exp, other);
	dt_layout_put(lf.exp, layout);
}

/* Sizes that an owner knows are those that others see, by the share of each object. */
static void others_see_the_size_of_the_owner(struct kunit *test)
{
	static const u64 sizes[] = { 1, STRIPE, STRIPE + 1, FIRST_END - 1, FIRST_END, FIRST_END + 1,
				     5 * STRIPE + 7, SECOND_END - 1, SECOND_END };
	struct lov_layout *layout[2];
	struct dt_locks locks;
	struct md_attr attr;
	size_t n, i;

	lf_connect(test);
	layout[0] = file_get_comp(test);
	for (n = 0; n < ARRAY_SIZE(layout); n++) {
		if (n)
			layout[n] = file_get(test, LF_OSTS);
		KUNIT_ASSERT_EQ(test, 0, dt_enqueue(lf.exp, layout[n], LCK_PW, DT_LOCK_WAIT,
						    &locks));
		KUNIT_EXPECT_EQ(test, 0, dt_getattr(lf.exp, layout[n], &attr, true));
		KUNIT_EXPECT_EQ(test, 0ULL, attr.size);
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			mine.attr = (struct md_attr){ .size = sizes[i], .blocks = 80,
						      .mtime = { 50 + i, 1 },
						      .ctime = { 60 + i, 2 } };
			WRITE_ONCE(mine.knows, true);
			KUNIT_EXPECT_EQ(test, 0, dt_getattr(lf.exp, layout[n], &attr, true));
			KUNIT_EXPECT_EQ_MSG(test, sizes[i], attr.size, "layout %zu", n);
			KUNIT_EXPECT_EQ(test, 50LL + (s64)i, attr.mtime.sec);
			KUNIT_EXPECT_EQ(test, 60LL + (s64)i, attr.ctime.sec);
			/* The blocks of a file are not those of each of its objects. */
			KUNIT_EXPECT_EQ(test, 0ULL, attr.blocks);
		}
		WRITE_ONCE(mine.knows, false);
		KUNIT_EXPECT_EQ(test, 0, dt_getattr(lf.exp, layout[n], &attr, true));
		KUNIT_EXPECT_EQ(test, 0ULL, attr.size + attr.ctime.sec);
		KUNIT_EXPECT_FALSE(test, dt_decref(lf.exp, &locks));
		dt_layout_put(lf.exp, layout[n]);
		/* The next layout has the same objects. */
		KUNIT_EXPECT_TRUE(test, lf_await(segments_have_no_locks));
	}
}

static void a_glimpse_sees_what_is_not_written(struct kunit *test)
{
	const struct ldlm_res_id res = lf_res(OBJECT_ID);
	struct lov_layout *layout;
	struct dt_locks locks;
	struct ldlm_lock *lock;
	struct md_attr attr;
	struct ost_lvb lvb;

	lf_connect(test);
	lf_connect_other(test);
	layout = file_get(test, 1);
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, 100, 1, false));
	KUNIT_EXPECT_EQ(test, 0, lock_once(lf.exp, layout, LCK_PW, DT_LOCK_WAIT, &locks));
	mine.attr = (struct md_attr){ .size = 5000, .blocks = 80, .mtime = { 500, 1 },
				      .ctime = { 600, 2 } };
	WRITE_ONCE(mine.knows, true);
	KUNIT_ASSERT_EQ(test, 0, ldlm_cli_glimpse(lf.other_osc, &res, NULL, NULL, &lvb, sizeof(lvb),
						  &lock));
	KUNIT_EXPECT_PTR_EQ(test, lock, (struct ldlm_lock *)NULL);
	KUNIT_EXPECT_TRUE(test, ost_lvb_decode(&lvb, &attr));
	KUNIT_EXPECT_EQ(test, 5000ULL, attr.size);
	KUNIT_EXPECT_EQ(test, 500LL, attr.mtime.sec);
	KUNIT_EXPECT_EQ(test, 1ULL, attr.blocks);
	/* The lock stays. */
	KUNIT_EXPECT_EQ(test, 0, lock_once(lf.exp, layout, LCK_PW, DT_LOCK_CACHED, &locks));
	expect_lost(test, &mine, 0, 0);
	dt_layout_put(lf.exp, layout);
}

/* Layouts. */

static void the_end_of_a_layout_cancels_its_locks(struct kunit *test)
{
	struct lov_layout *layout;
	struct dt_locks locks;
	unsigned int n;

	lf_connect(test);
	layout = file_get(test, LF_OSTS);
	KUNIT_EXPECT_EQ(test, 0, lock_once(lf.exp, layout, LCK_PW, DT_LOCK_WAIT, &locks));
	dt_layout_put(lf.exp, layout);
	KUNIT_EXPECT_TRUE(test, lf_await(mine_is_put));
	KUNIT_EXPECT_TRUE(test, segments_have_no_locks());
	for (n = 0; n < LF_OSTS; n++)
		expect_locks(test, n, 0);
	expect_lost(test, &mine, LF_OSTS, 0);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&mine.puts));
}

/* Another segment of the first objects. */
static void stripe_less(struct kunit *test, struct lov_layout *layout)
{
	u8 bytes[256];
	size_t len = make_ea_of(bytes, LF_OSTS - 1, LOV_PATTERN_RAID0, 1, OBJECT_ID, 0);

	KUNIT_EXPECT_EQ(test, 1, dt_layout_set(lf.exp, layout, bytes, len, false));
}

static void another_layout_has_other_locks(struct kunit *test)
{
	struct lov_layout *layout;
	struct dt_locks locks;

	lf_connect(test);
	layout = file_get(test, LF_OSTS);
	KUNIT_EXPECT_EQ(test, 0, lock_once(lf.exp, layout, LCK_PW, DT_LOCK_WAIT, &locks));
	stripe_less(test, layout);
	KUNIT_EXPECT_FALSE(test, dt_current(lf.exp, layout, &locks));
	KUNIT_EXPECT_EQ(test, -EWOULDBLOCK,
			lock_once(lf.exp, layout, LCK_PR, DT_LOCK_CACHED, &locks));
	KUNIT_EXPECT_EQ(test, 0, lock_once(lf.exp, layout, LCK_PW, DT_LOCK_WAIT, &locks));
	KUNIT_EXPECT_TRUE(test, dt_current(lf.exp, layout, &locks));
	expect_lost(test, &mine, LF_OSTS, 0);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&mine.puts));
	/* One that is used when the layout ends goes after that. */
	KUNIT_ASSERT_EQ(test, 0, dt_enqueue(lf.exp, layout, LCK_PR, DT_LOCK_WAIT, &locks));
	dt_layout_put(lf.exp, layout);
	expect_lost(test, &mine, LF_OSTS, 0);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&mine.puts));
	KUNIT_EXPECT_FALSE(test, dt_decref(lf.exp, &locks));
	KUNIT_EXPECT_TRUE(test, lf_await(mine_is_put));
	expect_lost(test, &mine, 2 * LF_OSTS - 1, 0);
}

/* A component gets objects: what is cached of the others stays, under their locks. */
static void objects_that_stay_keep_their_locks(struct kunit *test)
{
	struct dt_locks locks, more;
	struct lov_layout *layout;
	u8 bytes[512];
	size_t len;

	lf_connect(test);
	layout = file_get_comp(test);
	KUNIT_ASSERT_EQ(test, 0, dt_enqueue(lf.exp, layout, LCK_PW, DT_LOCK_WAIT, &locks));
	KUNIT_EXPECT_EQ(test, 3U, locks.dk_nr);
	dt_cover(lf.exp, &locks);
	make_comp(bytes, 2, 1, 3);
	add_comp(bytes, 0, 0, FIRST_END, 0, 1, LOV_PATTERN_RAID0, OBJECT_ID, 0);
	add_comp(bytes, 1, FIRST_END, SECOND_END, 0, 2, LOV_PATTERN_RAID0, OBJECT_ID + 1, 1);
	len = add_comp(bytes, 2, SECOND_END, U64_MAX, 0, 1, LOV_PATTERN_RAID0, OBJECT_ID + 9, 0);
	KUNIT_EXPECT_EQ(test, 2, dt_layout_set(lf.exp, layout, bytes, len, false));
	expect_lost(test, &mine, 0, 0);
	/* They lack that of the new object. */
	KUNIT_EXPECT_FALSE(test, dt_current(lf.exp, layout, &locks));
	KUNIT_EXPECT_EQ(test, -EWOULDBLOCK,
			lock_once(lf.exp, layout, LCK_PR, DT_LOCK_CACHED, &more));
	KUNIT_ASSERT_EQ(test, 0, dt_enqueue(lf.exp, layout, LCK_PW, DT_LOCK_WAIT, &more));
	KUNIT_EXPECT_EQ(test, 4U, more.dk_nr);
	KUNIT_EXPECT_EQ(test, DT_COVER_NEW, dt_cover_state(lf.exp, &more));
	KUNIT_EXPECT_PTR_EQ(test, locks.dk_lock[0], more.dk_lock[0]);
	KUNIT_EXPECT_TRUE(test, dt_current(lf.exp, layout, &more));
	KUNIT_EXPECT_FALSE(test, dt_decref(lf.exp, &more));
	KUNIT_EXPECT_FALSE(test, dt_decref(lf.exp, &locks));
	dt_layout_put(lf.exp, layout);
	KUNIT_EXPECT_TRUE(test, lf_await(mine_is_put));
	expect_lost(test, &mine, 4, 0);
}

static long aside_read_lock(void *layout)
{
	struct dt_locks locks;

	return lock_once(lf.exp, layout, LCK_PR, DT_LOCK_WAIT, &locks);
}

/* Tasks that ask at the same time get a lock each. */
static void all_locks_of_an_object_end_with_the_layout(struct kunit *test)
{
	struct lov_layout *layout, *other;
	struct aside callers[2];
	struct dt_locks locks;
	size_t n;

	lf_connect(test);
	lf_connect_other(test);
	layout = file_get(test, 1);
	other = file_get_other(test);
	KUNIT_ASSERT_EQ(test, 0, dt_enqueue(lf.other_exp, other, LCK_PW, DT_LOCK_WAIT, &locks));
	for (n = 0; n < ARRAY_SIZE(callers); n++) {
		aside_start(test, &callers[n], aside_read_lock, layout);
		aside_await_sleep(test, &callers[n]);
	}
	KUNIT_EXPECT_FALSE(test, dt_decref(lf.other_exp, &locks));
	for (n = 0; n < ARRAY_SIZE(callers); n++)
		KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &callers[n]));
	expect_locks(test, 0, ARRAY_SIZE(callers));
	dt_layout_put(lf.exp, layout);
	KUNIT_EXPECT_TRUE(test, lf_await(mine_is_put));
	expect_locks(test, 0, 0);
	expect_lost(test, &mine, ARRAY_SIZE(callers), 0);
	dt_layout_put(lf.other_exp, other);
}

/* No call would find one of them, and no layout end them. */
static void locks_that_come_after_a_layout_are_not_cached(struct kunit *test)
{
	struct lov_layout *layout, *other;
	struct dt_locks locks;
	struct aside caller;

	lf_connect(test);
	lf_connect_other(test);
	layout = file_get(test, 1);
	other = file_get_other(test);
	KUNIT_ASSERT_EQ(test, 0, dt_enqueue(lf.other_exp, other, LCK_PW, DT_LOCK_WAIT, &locks));
	aside_start(test, &caller, aside_read_lock, layout);
	aside_await_sleep(test, &caller);
	stripe_less(test, layout);
	expect_count(test, "lov/lov/segments", 0, 2);
	KUNIT_EXPECT_FALSE(test, dt_decref(lf.other_exp, &locks));
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &caller));
	KUNIT_EXPECT_TRUE(test, lf_await(segments_have_no_locks));
	expect_lost(test, &mine, 1, 0);
	dt_layout_put(lf.exp, layout);
	KUNIT_EXPECT_TRUE(test, lf_await(mine_is_put));
	dt_layout_put(lf.other_exp, other);
}

/* Targets. */

static void set_active(struct kunit *test, const char *value)
{
	char path[32];
	unsigned int n;

	for (n = 0; n < LF_OSTS; n++) {
		snprintf(path, sizeof(path), "osc/osc%u/active", n);
		KUNIT_EXPECT_EQ(test, 0L, client_write(fx.client, path, value));
	}
}

/* As pages that were changed under the locks of the last dt_cover(). */
static int write_covered(struct kunit *test, struct lov_layout *layout)
{
	struct dt_io io;

	pages_get(test, STRIPE);
	io = io_of(true, 0, STRIPE);
	io.di_covered = true;
	return dt_io(lf.exp, layout, &io);
}

static void a_lock_of_a_lost_target_is_gone(struct kunit *test)
{
	struct lov_layout *layout;
	struct dt_locks locks;

	lf_connect(test);
	layout = file_get(test, LF_OSTS);
	KUNIT_ASSERT_EQ(test, 0, dt_enqueue(lf.exp, layout, LCK_PW, DT_LOCK_WAIT, &locks));
	KUNIT_EXPECT_EQ(test, DT_COVER_NEW, dt_cover_state(lf.exp, &locks));
	dt_cover(lf.exp, &locks);
	KUNIT_EXPECT_EQ(test, DT_COVERED, dt_cover_state(lf.exp, &locks));
	KUNIT_EXPECT_EQ(test, 0, write_covered(test, layout));
	set_active(test, "0");
	KUNIT_EXPECT_TRUE(test, lf_await(all_are_gone));
	KUNIT_EXPECT_TRUE(test, dt_decref(lf.exp, &locks));
	KUNIT_EXPECT_EQ(test, -EIO, lock_once(lf.exp, layout, LCK_PR, DT_LOCK_WAIT, &locks));
	set_active(test, "1");
	KUNIT_ASSERT_EQ(test, 0, dt_enqueue(lf.exp, layout, LCK_PW, DT_LOCK_WAIT, &locks));
	KUNIT_EXPECT_TRUE(test, locks.dk_known);
	/* Bytes of before are not written under them. */
	KUNIT_EXPECT_EQ(test, DT_COVER_LOST, dt_cover_state(lf.exp, &locks));
	KUNIT_EXPECT_EQ(test, -EIO, write_covered(test, layout));
	dt_cover(lf.exp, &locks);
	KUNIT_EXPECT_EQ(test, 0, write_covered(test, layout));
	KUNIT_EXPECT_FALSE(test, dt_decref(lf.exp, &locks));
	expect_lost(test, &mine, 0, LF_OSTS);
	dt_layout_put(lf.exp, layout);
}

/*
 * Bytes that were changed under the locks of earlier objects of the file are not written to its new
 * ones.
 */
static void other_objects_are_not_covered(struct kunit *test)
{
	struct lov_layout *layout;
	struct dt_locks locks;

	lf_connect(test);
	layout = file_get(test, LF_OSTS);
	KUNIT_ASSERT_EQ(test, 0, dt_enqueue(lf.exp, layout, LCK_PW, DT_LOCK_WAIT, &locks));
	dt_cover(lf.exp, &locks);
	KUNIT_EXPECT_FALSE(test, dt_decref(lf.exp, &locks));
	stripe_less(test, layout);
	KUNIT_EXPECT_EQ(test, -EIO, write_covered(test, layout));
	KUNIT_ASSERT_EQ(test, 0, dt_enqueue(lf.exp, layout, LCK_PW, DT_LOCK_WAIT, &locks));
	dt_cover(lf.exp, &locks);
	KUNIT_EXPECT_EQ(test, 0, write_covered(test, layout));
	KUNIT_EXPECT_FALSE(test, dt_decref(lf.exp, &locks));
	dt_layout_put(lf.exp, layout);
}

/* Of one target: the locks of the others stay. */
static void an_eviction_takes_a_lock(struct kunit *test)
{
	struct lov_layout *layout;
	struct dt_locks locks;
	u64 size;

	lf_connect(test);
	layout = file_get(test, LF_OSTS);
	KUNIT_ASSERT_EQ(test, 0, dt_enqueue(lf.exp, layout, LCK_PR, DT_LOCK_WAIT, &locks));
	dt_cover(lf.exp, &locks);
	KUNIT_EXPECT_EQ(test, 1U, obd_export_evict_by_uuid(lf.ost[1].obd, TY_GROUP, NULL));
	/* The first call finds that out, and fails unless it comes later. */
	(void)size_of(layout, &size);
	KUNIT_EXPECT_EQ(test, 0, size_of(layout, &size));
	KUNIT_EXPECT_TRUE(test, lf_await(one_is_gone));
	KUNIT_EXPECT_TRUE(test, dt_decref(lf.exp, &locks));
	KUNIT_ASSERT_EQ(test, 0, dt_enqueue(lf.exp, layout, LCK_PR, DT_LOCK_WAIT, &locks));
	KUNIT_EXPECT_EQ(test, DT_COVER_LOST, dt_cover_state(lf.exp, &locks));
	/* Of two objects something may have been changed under the locks of before. */
	KUNIT_EXPECT_FALSE(test, locks.dk_known);
	KUNIT_EXPECT_FALSE(test, dt_decref(lf.exp, &locks));
	expect_lost(test, &mine, 0, 1);
	dt_layout_put(lf.exp, layout);
}

/* Grant. */

/* @end: position after the bytes that it is for; 0: there is none */
static struct ost_grant *grant_at(struct kunit *test, struct lov_layout *layout, u64 pos, u64 end)
{
	u64 until = 0;
	struct ost_grant *gr = dt_grant(lf.exp, layout, pos, &until);

	KUNIT_EXPECT_EQ_MSG(test, end, until, "at %llu", pos);
	KUNIT_EXPECT_EQ(test, end == 0, gr == NULL);
	ost_grant_put(gr);
	return gr;
}

static void a_byte_has_the_grant_of_its_target(struct kunit *test)
{
	struct lov_layout *layout;
	struct ost_grant *first;

	lf_connect(test);
	layout = file_get(test, 2);
	first = grant_at(test, layout, 0, STRIPE);
	KUNIT_EXPECT_PTR_EQ(test, first, grant_at(test, layout, STRIPE - 1, STRIPE));
	KUNIT_EXPECT_PTR_NE(test, first, grant_at(test, layout, STRIPE, 2 * STRIPE));
	KUNIT_EXPECT_PTR_EQ(test, first, grant_at(test, layout, 2 * STRIPE + 1, 3 * STRIPE));
	grant_at(test, layout, U64_MAX, 0);
	dt_layout_put(lf.exp, layout);
	layout = file_get_comp(test);
	KUNIT_EXPECT_PTR_EQ(test, first, grant_at(test, layout, FIRST_END - 1, FIRST_END));
	grant_at(test, layout, SECOND_END, 0);
	dt_layout_put(lf.exp, layout);
	layout = layout_owned(test, lf.exp, NULL);
	grant_at(test, layout, 0, 0);
	dt_layout_put(lf.exp, layout);
}

static void replies_give_grant(struct kunit *test)
{
	const u64 page = OST_GRANT_PAGE;
	struct ost_grant_sums sums;
	struct lov_layout *layout;
	struct ost_grant *gr;
	u64 end;

	lf_connect(test);
	layout = file_get(test, 1);
	KUNIT_EXPECT_FALSE(test, dt_grant_ask(lf.exp, layout, 0));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&lf.ost[0].asked));
	/* It had none: a write asks from now on. */
	lf.ost[0].grant = 2 * page;
	KUNIT_EXPECT_FALSE(test, dt_grant_ask(lf.exp, layout, 0));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&lf.ost[0].asked));
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, 5, 1, false));
	gr = dt_grant(lf.exp, layout, 0, &end);
	KUNIT_ASSERT_NOT_NULL(test, gr);
	sums = ost_grant_sums(gr);
	KUNIT_EXPECT_EQ(test, (s64)(2 * page), ost_grant_available(&sums));
	KUNIT_EXPECT_TRUE(test, dt_grant_ask(lf.exp, layout, 0));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&lf.ost[0].asked));
	/* Bytes that are not in charged pages use it, too. */
	KUNIT_EXPECT_EQ(test, 0ULL, lf.ost[0].used);
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, 2 * PAGE_SIZE, 1, false));
	KUNIT_EXPECT_EQ(test, 2 * page, lf.ost[0].used);
	sums = ost_grant_sums(gr);
	KUNIT_EXPECT_EQ(test, 0LL, ost_grant_available(&sums));
	KUNIT_EXPECT_EQ(test, 2 * page, sums.spent);
	KUNIT_EXPECT_EQ(test, 0ULL, sums.sent);
	ost_grant_put(gr);
	dt_layout_put(lf.exp, layout);
}

static struct kunit_case lov_lock_cases[] = {
	KUNIT_CASE(all_objects_are_locked_in_their_order),
	KUNIT_CASE(a_cached_lock_is_used_again),
	KUNIT_CASE(a_reader_that_writes_gets_another_lock),
	KUNIT_CASE(a_caller_may_refuse_to_wait),
	KUNIT_CASE(the_first_taker_knows_the_file),
	KUNIT_CASE(another_client_waits_for_the_owner),
	KUNIT_CASE(a_killed_task_gets_no_lock),
	KUNIT_CASE(a_change_that_a_killed_task_has_left_comes_first),
	KUNIT_CASE(others_see_the_size_of_the_owner),
	KUNIT_CASE(a_glimpse_sees_what_is_not_written),
	KUNIT_CASE(the_end_of_a_layout_cancels_its_locks),
	KUNIT_CASE(another_layout_has_other_locks),
	KUNIT_CASE(objects_that_stay_keep_their_locks),
	KUNIT_CASE(all_locks_of_an_object_end_with_the_layout),
	KUNIT_CASE(locks_that_come_after_a_layout_are_not_cached),
	KUNIT_CASE(a_lock_of_a_lost_target_is_gone),
	KUNIT_CASE(other_objects_are_not_covered),
	KUNIT_CASE(an_eviction_takes_a_lock),
	KUNIT_CASE(a_byte_has_the_grant_of_its_target),
	KUNIT_CASE(replies_give_grant),
	{}
};

static struct kunit_suite lov_lock_suite = {
	.name = "lov_lock",
	.suite_init = ty_suite_init,
	.init = lock_init,
	.exit = lf_exit,
	.test_cases = lov_lock_cases,
};
kunit_test_suite(lov_lock_suite);

MODULE_DESCRIPTION("locks of files");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
