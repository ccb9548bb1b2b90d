// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values of resources (LVB) and glimpses: at the server, whose clients have no network,
 * so that the case answers the ASTs; and at the client.
 *
 * Processors: 2
 */
#include "ldlm_fixture.h"
#include "race.h"

/* A value is a number, the larger one is the newer one. */
static struct {
	u64		of_device;
	unsigned int	inits;
	int		fails;
	bool		changes;
	u64		of_owner;
	int		owners;
} value;

static int value_init(struct obd_device *obd, const struct ldlm_res_id *id, void *lvb)
{
	const u64 changed = 77;

	value.inits++;
	memcpy(lvb, &value.of_device, sizeof(u64));
	if (value.changes) {
		/* Another task changes the object meanwhile. */
		value.changes = false;
		value.of_device = changed;
		ldlm_server_lvb_update(obd, id, &changed);
	}
	return value.fails;
}

static void value_merge(void *lvb, const void *newer)
{
	u64 mine, other;

	memcpy(&mine, lvb, sizeof(mine));
	memcpy(&other, newer, sizeof(other));
	if (other > mine)
		memcpy(lvb, &other, sizeof(other));
}

static bool value_asks(const void *lvb, const struct ldlm_extent *held)
{
	u64 mine;

	memcpy(&mine, lvb, sizeof(mine));
	return held->last >= mine;
}

static const struct ldlm_lvb_ops value_ops = {
	.lvbo_size = sizeof(u64),
	.lvbo_init = value_init,
	.lvbo_merge = value_merge,
	.lvbo_asks = value_asks,
};

static int glimpse_init(struct kunit *test)
{
	int rc = kl_init(test);

	if (rc)
		return rc;
	memset(&value, 0, sizeof(value));
	ldlm_server_lvb_ops(kl.server_obd, &value_ops);
	return 0;
}

static struct ldlm_enqueue value_ask(u32 mode, u64 first, u64 last, u64 *lvb)
{
	struct ldlm_enqueue ask = kl_ask(5, mode);

	ask.type = LDLM_EXTENT;
	ask.flags = LDLM_FL_NO_EXPANSION;
	ask.policy.extent = (struct ldlm_extent) { first, last };
	ask.lvb = lvb;
	return ask;
}

static struct ldlm_lock *writer(struct kunit *test, struct obd_export *exp, u64 first,
				u64 last)
{
	struct ldlm_enqueue ask = value_ask(LCK_PW, first, last, NULL);
	struct ldlm_lock *lock;
	u64 cookie;

	KUNIT_EXPECT_EQ(test, 0, kl_enqueue(exp, &ask, &cookie));
	lock = ldlm_lock_find(cookie);
	KUNIT_ASSERT_NOT_NULL(test, lock);
	return lock;
}

static void writer_ends(struct obd_export *exp, struct ldlm_lock *lock)
{
	kl_cancel(exp, lock->l_handle.h_cookie);
	ldlm_lock_put(lock);
}

static void an_answer_has_the_value(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	u64 lvb = 0, cookie, newer = 900, older = 5;
	struct ldlm_enqueue ask = value_ask(LCK_PR, 0, 9, &lvb);
	const struct ldlm_res_id id = { .name = { 5 } };

	value.of_device = 100;
	KUNIT_EXPECT_EQ(test, 0, kl_enqueue(one, &ask, &cookie));
	KUNIT_EXPECT_EQ(test, 100ULL, lvb);
	/* The device says what has changed; it is asked once. */
	ldlm_server_lvb_update(kl.server_obd, &id, &newer);
	ldlm_server_lvb_update(kl.server_obd, &id, &older);
	ask.client = ++kl.cookies;
	KUNIT_EXPECT_EQ(test, 0, kl_enqueue(one, &ask, &cookie));
	KUNIT_EXPECT_EQ(test, 900ULL, lvb);
	/* The same enqueue again. */
	lvb = 0;
	KUNIT_EXPECT_EQ(test, 0, kl_enqueue(one, &ask, &cookie));
	KUNIT_EXPECT_EQ(test, 900ULL, lvb);
	KUNIT_EXPECT_EQ(test, 1U, value.inits);
}

static void a_value_that_changes_is_read_again(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	u64 lvb = 0, cookie;
	struct ldlm_enqueue ask = value_ask(LCK_PR, 0, 9, &lvb);

	value.of_device = 10;
	value.changes = true;
	KUNIT_EXPECT_EQ(test, 0, kl_enqueue(one, &ask, &cookie));
	KUNIT_EXPECT_EQ(test, 77ULL, lvb);
	KUNIT_EXPECT_EQ(test, 2U, value.inits);
}

static void a_device_without_the_value_refuses(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	u64 lvb = 0, cookie;
	struct ldlm_enqueue ask = value_ask(LCK_PR, 0, 9, &lvb);

	value.fails = -EIO;
	KUNIT_EXPECT_EQ(test, -EIO, kl_enqueue(one, &ask, &cookie));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.server->ns_locks));
	value.fails = 0;
	KUNIT_EXPECT_EQ(test, 0, kl_enqueue(one, &ask, &cookie));
	/* Resources of other types have no value. */
	kl_lock(test, one, 6, LCK_EX, 0);
	KUNIT_EXPECT_EQ(test, 2U, value.inits);
}

/* A glimpse in a task of its own. */
struct glance {
	struct obd_export	*exp;
	struct ldlm_enqueue	ask;
	struct lustre_lock	answer;
	u64			lvb;
	struct aside		aside;
};

static long glance_run(void *arg)
{
	struct glance *glance = arg;

	return ldlm_server_glimpse(kl.server, glance->exp, &glance->ask,
				   &glance->answer);
}

static void glance_start(struct kunit *test, struct glance *glance,
			 struct obd_export *exp)
{
	memset(glance, 0, sizeof(*glance));
	glance->exp = exp;
	glance->ask = value_ask(LCK_PR, 0, LDLM_EXTENT_EOF, &glance->lvb);
	glance->ask.flags = LDLM_FL_GLIMPSE;
	aside_start(test, &glance->aside, glance_run, glance);
}

/* Return: the value; no lock was granted. */
static u64 glance_end(struct kunit *test, struct glance *glance)
{
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &glance->aside));
	KUNIT_EXPECT_EQ(test, 0ULL, le64_to_cpu(glance->answer.wl_server));
	KUNIT_EXPECT_EQ(test, 0U, le32_to_cpu(glance->answer.wl_granted_mode));
	return glance->lvb;
}

/* The AST of that number has been sent to the holder. */
static void await_ast(struct kunit *test, struct ldlm_lock *lock, u32 sent)
{
	unsigned int n;

	for (n = 0; n < 500 && (READ_ONCE(lock->l_gl_sent) != sent ||
				!test_bit(LDLM_LF_GL_PENDING, &lock->l_flags)); n++)
		msleep(20);
	KUNIT_EXPECT_EQ(test, sent, READ_ONCE(lock->l_gl_sent));
	KUNIT_EXPECT_TRUE(test, test_bit(LDLM_LF_GL_PENDING, &lock->l_flags));
}

/* So many glimpses wait for the answer of the holder. */
static void await_waiters(struct kunit *test, struct ldlm_lock *lock, size_t nr)
{
	size_t seen = 0;
	unsigned int n;

	for (n = 0; n < 500 && seen != nr; n++) {
		spin_lock_irq(&lock->l_wait.lock);
		seen = list_count_nodes(&lock->l_wait.head);
		spin_unlock_irq(&lock->l_wait.lock);
		if (seen != nr)
			msleep(20);
	}
	KUNIT_EXPECT_EQ(test, seen, nr);
}

static void answer(struct ldlm_lock *lock, u64 lvb)
{
	ldlm_glimpse_answered(lock, &lvb, lvb ? sizeof(lvb) : 0);
}

static void a_free_lock_is_granted(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct glance glance;

	value.of_device = 4096;
	glance_start(test, &glance, one);
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &glance.aside));
	KUNIT_EXPECT_EQ(test, (u32)LCK_PR, le32_to_cpu(glance.answer.wl_granted_mode));
	KL_GRANTED(test, le64_to_cpu(glance.answer.wl_server));
	KUNIT_EXPECT_EQ(test, 4096ULL, glance.lvb);
}

static void a_writer_is_asked(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct ldlm_lock *lock;
	struct glance glance;

	value.of_device = 4096;
	lock = writer(test, one, 0, LDLM_EXTENT_EOF);
	glance_start(test, &glance, two);
	await_ast(test, lock, 1);
	KUNIT_EXPECT_FALSE(test, aside_is_done(&glance.aside));
	answer(lock, 8192);
	KUNIT_EXPECT_EQ(test, 8192ULL, glance_end(test, &glance));
	KUNIT_EXPECT_FALSE(test, test_bit(LDLM_LF_GL_PENDING, &lock->l_flags));
	KUNIT_EXPECT_TRUE(test, list_empty(&lock->l_waiting_item));
	/* It keeps its lock, and is asked each time. */
	KL_GRANTED(test, lock->l_handle.h_cookie);
	KUNIT_EXPECT_FALSE(test, kl_asked(lock->l_handle.h_cookie));
	glance_start(test, &glance, two);
	await_ast(test, lock, 2);
	answer(lock, 0);
	KUNIT_EXPECT_EQ(test, 4096ULL, glance_end(test, &glance));
	writer_ends(one, lock);
}

static void who_cannot_know_more_is_not_asked(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct ldlm_lock *low = writer(test, one, 0, 99);
	struct ldlm_lock *mid = writer(test, two, 100, 199);
	struct ldlm_lock *high = writer(test, one, 200, LDLM_EXTENT_EOF);
	struct glance glance;

	/* The last of 150 bytes is in the middle. */
	value.of_device = 150;
	ldlm_server_lvb_update(kl.server_obd, &low->l_resource->r_id,
			       &value.of_device);
	glance_start(test, &glance, two);
	await_ast(test, mid, 1);
	await_ast(test, high, 1);
	KUNIT_EXPECT_EQ(test, 0U, low->l_gl_sent);
	answer(high, 0);
	KUNIT_EXPECT_FALSE(test, aside_is_done(&glance.aside));
	answer(mid, 180);
	KUNIT_EXPECT_EQ(test, 180ULL, glance_end(test, &glance));
	writer_ends(one, low);
	writer_ends(two, mid);
	writer_ends(one, high);
}

/* What it wrote is in the value of the device when the lock is gone. */
static void a_writer_that_cancels_has_written(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct ldlm_lock *lock = writer(test, one, 0, LDLM_EXTENT_EOF);
	u64 written = 5000;
	struct glance glance;

	glance_start(test, &glance, two);
	await_ast(test, lock, 1);
	ldlm_server_lvb_update(kl.server_obd, &lock->l_resource->r_id, &written);
	writer_ends(one, lock);
	KUNIT_EXPECT_EQ(test, 5000ULL, glance_end(test, &glance));
}

/* An answer from before a glimpse says nothing about what came between. */
static void later_glimpses_share_the_next_ast(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct ldlm_lock *lock = writer(test, one, 0, LDLM_EXTENT_EOF);
	struct glance first, second, third;

	glance_start(test, &first, two);
	await_ast(test, lock, 1);
	glance_start(test, &second, two);
	glance_start(test, &third, two);
	await_waiters(test, lock, 3);
	KUNIT_EXPECT_EQ(test, 1U, lock->l_gl_sent);
	answer(lock, 10);
	KUNIT_EXPECT_EQ(test, 10ULL, glance_end(test, &first));
	await_ast(test, lock, 2);
	KUNIT_EXPECT_FALSE(test, aside_is_done(&second.aside));
	KUNIT_EXPECT_FALSE(test, aside_is_done(&third.aside));
	answer(lock, 20);
	KUNIT_EXPECT_EQ(test, 20ULL, glance_end(test, &second));
	KUNIT_EXPECT_EQ(test, 20ULL, glance_end(test, &third));
	KUNIT_EXPECT_EQ(test, 2U, lock->l_gl_sent);
	writer_ends(one, lock);
}

static void a_writer_that_does_not_answer_is_evicted(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct ldlm_lock *lock = writer(test, one, 0, LDLM_EXTENT_EOF);
	struct glance glance;

	ldlm_timeout = 1;
	value.of_device = 33;
	ldlm_server_lvb_update(kl.server_obd, &lock->l_resource->r_id, &value.of_device);
	glance_start(test, &glance, two);
	KUNIT_EXPECT_EQ(test, 33ULL, glance_end(test, &glance));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.server->ns_timeouts));
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, lock->l_state);
	ldlm_lock_put(lock);
}

/* The writer has written nothing when the server drops its lock. */
static void a_stopping_server_knows_no_value(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct ldlm_lock *lock = writer(test, one, 0, LDLM_EXTENT_EOF);
	struct glance glance;

	glance_start(test, &glance, two);
	await_ast(test, lock, 1);
	kl_stop(one);
	KUNIT_EXPECT_EQ(test, (long)-ESHUTDOWN, aside_join(test, &glance.aside));
	ldlm_lock_put(lock);
}

/* A client that glimpses all the time does not give the holder of a revoked lock more time. */
static void glimpses_do_not_prolong_a_deadline(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct ldlm_lock *lock = writer(test, one, 0, LDLM_EXTENT_EOF);
	struct ldlm_enqueue ask = value_ask(LCK_PW, 0, 9, NULL);
	unsigned long deadline;
	struct glance glance;
	u64 waits;

	KUNIT_EXPECT_EQ(test, 1, kl_enqueue(two, &ask, &waits));
	deadline = lock->l_deadline;
	msleep(20);
	glance_start(test, &glance, two);
	await_ast(test, lock, 1);
	KUNIT_EXPECT_EQ(test, deadline, lock->l_deadline);
	answer(lock, 1);
	glance_end(test, &glance);
	KUNIT_EXPECT_TRUE(test, test_bit(LDLM_LF_BL_PENDING, &lock->l_flags));
	KUNIT_EXPECT_FALSE(test, list_empty(&lock->l_waiting_item));
	writer_ends(one, lock);
}

static void a_value_of_another_size_is_ignored(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct ldlm_lock *lock = writer(test, one, 0, LDLM_EXTENT_EOF);
	const u8 bytes[LDLM_LVB_MAX + 8] = { 0xff, 0xff, 0xff };
	struct glance glance;
	unsigned int n;

	for (n = 1; n <= sizeof(bytes); n += 3) {
		glance_start(test, &glance, two);
		await_ast(test, lock, n / 3 + 1);
		ldlm_glimpse_answered(lock, bytes, n);
		KUNIT_EXPECT_EQ(test, 0ULL, glance_end(test, &glance));
	}
	writer_ends(one, lock);
}

/* The server itself asks for the newest value, as a client that glimpses does. */
static long server_value(void *lvb)
{
	const struct ldlm_res_id id = { .name = { 5 } };

	return ldlm_server_value(kl.server_obd, &id, lvb);
}

static void a_server_asks_writers_for_the_value(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct ldlm_enqueue ask = value_ask(LCK_PR, 0, 99, NULL);
	struct ldlm_lock *first, *second;
	u64 lvb = 0, reads, newer = 500;
	struct aside aside;

	value.of_device = 100;
	KUNIT_EXPECT_EQ(test, 0L, server_value(&lvb));
	KUNIT_EXPECT_EQ(test, 100ULL, lvb);
	/* It has no lock afterwards. */
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.server->ns_locks));
	/* A reader knows nothing more. */
	KUNIT_EXPECT_EQ(test, 0, kl_enqueue(one, &ask, &reads));
	KUNIT_EXPECT_EQ(test, 0L, server_value(&lvb));
	KUNIT_EXPECT_TRUE(test, kl_cancel(one, reads));
	first = writer(test, one, 0, 299);
	second = writer(test, two, 300, LDLM_EXTENT_EOF);
	aside_start(test, &aside, server_value, &lvb);
	await_ast(test, first, 1);
	await_ast(test, second, 1);
	answer(first, 200);
	KUNIT_EXPECT_FALSE(test, aside_is_done(&aside));
	answer(second, 400);
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &aside));
	KUNIT_EXPECT_EQ(test, 400ULL, lvb);
	/* Locks stay; one that is cancelled meanwhile is not waited for. */
	KL_GRANTED(test, first->l_handle.h_cookie);
	aside_start(test, &aside, server_value, &lvb);
	await_ast(test, first, 2);
	await_ast(test, second, 2);
	answer(first, 0);
	ldlm_server_lvb_update(kl.server_obd, &second->l_resource->r_id, &newer);
	writer_ends(two, second);
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &aside));
	KUNIT_EXPECT_EQ(test, 500ULL, lvb);
	writer_ends(one, first);
}

static void a_server_without_the_value_says_so(struct kunit *test)
{
	const struct ldlm_res_id id = { .name = { 5 } };
	u64 lvb = 7;

	value.fails = -EIO;
	KUNIT_EXPECT_EQ(test, (long)-EIO, server_value(&lvb));
	kl.server->ns_lvb = NULL;
	KUNIT_EXPECT_EQ(test, (long)-ENODATA, server_value(&lvb));
	kl.server->ns_lvb = &value_ops;
	/* A client does not serve values. */
	KUNIT_EXPECT_EQ(test, -ENODATA, ldlm_server_value(kl.client_obd, &id, &lvb));
	KUNIT_EXPECT_EQ(test, 7ULL, lvb);
}

static void only_readers_of_extents_glimpse(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct ldlm_enqueue ask;
	struct lustre_lock to;
	u64 lvb;

	ask = value_ask(LCK_PW, 0, LDLM_EXTENT_EOF, &lvb);
	ask.flags = LDLM_FL_GLIMPSE;
	KUNIT_EXPECT_EQ(test, -EINVAL, ldlm_server_glimpse(kl.server, one, &ask, &to));
	ask = kl_ask(7, LCK_PR);
	ask.flags = LDLM_FL_GLIMPSE;
	KUNIT_EXPECT_EQ(test, -ENODATA, ldlm_server_glimpse(kl.server, one, &ask, &to));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.server->ns_locks));
}

/*
 * Locks of one client that do not conflict with each other.
 */

static const struct ldlm_lvb_ops own_ops = {
	.lvbo_size = sizeof(u64),
	.lvbo_own = true,
	.lvbo_init = value_init,
	.lvbo_merge = value_merge,
	.lvbo_asks = value_asks,
};

/* Return: flags of the answer; the status is 0 */
static u32 own_enqueue(struct kunit *test, struct obd_export *exp, u32 mode, u64 *cookie)
{
	struct lustre_lock answer = {};
	u64 lvb;
	struct ldlm_enqueue ask = value_ask(mode, 0, LDLM_EXTENT_EOF, &lvb);

	KUNIT_EXPECT_EQ(test, 0, ldlm_server_enqueue(kl.server, exp, &ask, &answer));
	*cookie = le64_to_cpu(answer.wl_server);
	return le32_to_cpu(answer.wl_flags);
}

static void a_client_is_not_in_its_own_way(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one"), *two = kl_join(test, "two");
	struct ldlm_lock *waits;
	u64 reads, writes, others;

	kl.server->ns_lvb = &own_ops;
	KUNIT_EXPECT_EQ(test, 0U, own_enqueue(test, one, LCK_PR, &reads));
	KUNIT_EXPECT_EQ(test, 0U, own_enqueue(test, one, LCK_PW, &writes));
	/* Another client waits for both. */
	KUNIT_EXPECT_TRUE(test, own_enqueue(test, two, LCK_PW, &others) & LDLM_FL_BLOCK_GRANTED);
	waits = ldlm_lock_find(others);
	KUNIT_ASSERT_NOT_NULL(test, waits);
	kl_cancel(one, writes);
	KUNIT_EXPECT_FALSE(test, ldlm_lock_is_granted(waits));
	/* The client does not pass it. */
	KUNIT_EXPECT_TRUE(test, own_enqueue(test, one, LCK_PW, &writes) & LDLM_FL_BLOCK_GRANTED);
	kl_cancel(one, reads);
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(waits));
	kl_cancel(two, others);
	kl_cancel(one, writes);
	ldlm_lock_put(waits);
}

/* Under a lock for writing that it has not given back. */
static void a_client_that_may_know_more_gets_no_value(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one"), *two = kl_join(test, "two");
	u64 writes, reads, others;

	kl.server->ns_lvb = &own_ops;
	KUNIT_EXPECT_EQ(test, 0U, own_enqueue(test, one, LCK_PW, &writes));
	KUNIT_EXPECT_EQ(test, (u32)LDLM_FL_NO_LVB, own_enqueue(test, one, LCK_PR, &reads));
	kl_cancel(one, writes);
	KUNIT_EXPECT_EQ(test, 0U, own_enqueue(test, two, LCK_PR, &others));
	kl_cancel(one, reads);
	kl_cancel(two, others);
}

/*
 * The client.
 */

static u32 owner_glimpse(struct ldlm_lock *lock, void *data, void *lvb)
{
	memcpy(lvb, &value.of_owner, sizeof(u64));
	return value.of_owner ? sizeof(u64) : 0;
}

static void owner_get(void *data)
{
	value.owners++;
}

static void owner_put(void *data)
{
	value.owners--;
}

static const struct ldlm_callbacks owner_cbs = {
	.lcb_cancelled = kl_cancelled,
	.lcb_glimpse = owner_glimpse,
	.lcb_get = owner_get,
	.lcb_put = owner_put,
	.lcb_module = THIS_MODULE,
};

static struct ldlm_lock *owned(struct kunit *test)
{
	static const struct ldlm_policy all = { .extent = { 0, LDLM_EXTENT_EOF } };
	struct ldlm_res_id id = { .name = { 5 } };
	struct ldlm_lock *lock;

	lock = ldlm_client_lock_new(kl.client, LDLM_EXTENT, &id, LCK_PW, &all,
				    &owner_cbs, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, lock);
	return lock;
}

static void the_owner_is_asked(struct kunit *test)
{
	struct ldlm_lock *lock = owned(test);
	u64 cookie = lock->l_handle.h_cookie, lvb[LDLM_LVB_MAX / 8];
	LIST_HEAD(taken);

	value.of_owner = 123;
	/* It does not have the lock yet. */
	KUNIT_EXPECT_EQ(test, 0, ldlm_client_glimpse(NULL, cookie, lvb));
	KUNIT_EXPECT_EQ(test, 0, kl_client_cp(lock, LCK_PW));
	KUNIT_EXPECT_EQ(test, 8, ldlm_client_glimpse(NULL, cookie, lvb));
	KUNIT_EXPECT_EQ(test, 123ULL, lvb[0]);
	ldlm_lock_decref(lock);
	/* It may still be writing while the lock is cancelled. */
	KUNIT_EXPECT_EQ(test, 1U, ldlm_lru_take(kl.client, 1, U64_MAX, &taken));
	KUNIT_EXPECT_EQ(test, LOCK_CANCELLING, lock->l_state);
	KUNIT_EXPECT_EQ(test, 8, ldlm_client_glimpse(NULL, cookie, lvb));
	KUNIT_EXPECT_FALSE(test, ldlm_lock_is_lost(lock));
	ldlm_cancel_send(&taken, 1, false);
	KUNIT_EXPECT_EQ(test, -ESTALE, ldlm_client_glimpse(NULL, cookie, lvb));
	ldlm_lock_put(lock);
	/* A lock whose owner has no values. */
	lock = kl_client_lock(test, 1, LCK_PW);
	KUNIT_EXPECT_EQ(test, 0, ldlm_client_glimpse(NULL, lock->l_handle.h_cookie, lvb));
	ldlm_lock_decref(lock);
	ldlm_lock_put(lock);
}

static void a_lock_holds_its_owner(struct kunit *test)
{
	unsigned int modules = module_refcount(THIS_MODULE);
	struct ldlm_lock *lock = owned(test), *other;

	KUNIT_EXPECT_EQ(test, 1, value.owners);
	KUNIT_EXPECT_EQ(test, modules + 1, (unsigned int)module_refcount(THIS_MODULE));
	/* Also one that is never granted. */
	other = owned(test);
	KUNIT_EXPECT_EQ(test, 2, value.owners);
	ldlm_client_abandon(other, -EIO);
	ldlm_lock_put(other);
	KUNIT_EXPECT_EQ(test, 1, value.owners);
	KUNIT_EXPECT_EQ(test, 0, kl_client_cp(lock, LCK_PW));
	ldlm_client_drop(lock, -EIO);
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_lost(lock));
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.cancelled));
	KUNIT_EXPECT_EQ(test, 1, value.owners);
	ldlm_lock_put(lock);
	KUNIT_EXPECT_EQ(test, 0, value.owners);
	KUNIT_EXPECT_EQ(test, modules, (unsigned int)module_refcount(THIS_MODULE));
}

/* A completion AST with a value of that many bytes. */
static int completion(struct ldlm_lock *lock, const void *bytes, u32 len)
{
	const struct wire_msg msg = {
		.bufcount = 2,
		.buflens = { sizeof(struct lustre_lock), len },
		.bufs = { NULL, bytes },
	};
	const struct ldlm_policy policy = lock->l_policy;

	return ldlm_client_completion(NULL, lock->l_handle.h_cookie, 0x77, LCK_PW,
				      &policy, &msg);
}

static void a_grant_brings_the_value(struct kunit *test)
{
	const u64 bytes[LDLM_LVB_MAX / 8 + 1] = { 42 }, later[1] = { 43 };
	struct ldlm_lock *lock = owned(test), *other = owned(test);
	u64 lvb = 0;

	KUNIT_EXPECT_EQ(test, 0, completion(lock, bytes, sizeof(lvb)));
	KUNIT_EXPECT_TRUE(test, ldlm_lock_lvb(lock, &lvb, sizeof(lvb)));
	KUNIT_EXPECT_EQ(test, 42ULL, lvb);
	KUNIT_EXPECT_FALSE(test, ldlm_lock_lvb(lock, &lvb, 4));
	/* The answer may come after the AST; the value is that of the grant. */
	KUNIT_EXPECT_EQ(test, 0, completion(lock, later, sizeof(lvb)));
	KUNIT_EXPECT_TRUE(test, ldlm_lock_lvb(lock, &lvb, sizeof(lvb)));
	KUNIT_EXPECT_EQ(test, 42ULL, lvb);
	/* One that is too long is none. */
	KUNIT_EXPECT_EQ(test, 0, completion(other, bytes, sizeof(bytes)));
	KUNIT_EXPECT_FALSE(test, ldlm_lock_lvb(other, &lvb, sizeof(lvb)));
	ldlm_lock_decref(lock);
	ldlm_lock_decref(other);
	ldlm_lock_put(lock);
	ldlm_lock_put(other);
}

/* The answer to an enqueue, of the server's lock 0x77, with a value of 42. */
static int answered(struct kunit *test, struct ldlm_lock *lock, u32 flags)
{
	static const u64 bytes[1] = { 42 };
	struct ptlrpc_request *req = kunit_kzalloc(test, sizeof(*req), GFP_KERNEL);
	struct obd_import *imp = kunit_kzalloc(test, sizeof(*imp), GFP_KERNEL);
	struct lustre_lock answer;

	KUNIT_ASSERT_NOT_NULL(test, req);
	KUNIT_ASSERT_NOT_NULL(test, imp);
	spin_lock_init(&imp->imp_lock);
	req->rq_import = imp;
	ldlm_lock_to_wire(lock, &answer, LDLM_SERVER);
	answer.wl_server = cpu_to_le64(0x77);
	answer.wl_granted_mode = answer.wl_req_mode;
	answer.wl_flags = cpu_to_le32(flags);
	/* There is one. */
	req->rq_rep_msg = &answer;
	req->rq_rep = (struct wire_msg){
		.bufcount = 2,
		.buflens = { sizeof(answer), sizeof(bytes) },
		.bufs = { &answer, bytes },
	};
	return ldlm_client_answered(lock, req);
}

/* The grant may bring none, as its client may know a newer one: that of the answer is older. */
static void the_value_of_a_lock_that_waits_is_not_that_of_its_grant(struct kunit *test)
{
	struct ldlm_lock *waits = owned(test), *granted = owned(test);
	u64 lvb = 0;

	KUNIT_EXPECT_EQ(test, 0, answered(test, waits, LDLM_FL_BLOCK_GRANTED));
	KUNIT_EXPECT_EQ(test, 0, completion(waits, NULL, 0));
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(waits));
	KUNIT_EXPECT_FALSE(test, ldlm_lock_lvb(waits, &lvb, sizeof(lvb)));
	KUNIT_EXPECT_EQ(test, 0, answered(test, granted, 0));
	KUNIT_EXPECT_TRUE(test, ldlm_lock_lvb(granted, &lvb, sizeof(lvb)));
	KUNIT_EXPECT_EQ(test, 42ULL, lvb);
	ldlm_lock_decref(waits);
	ldlm_lock_decref(granted);
	ldlm_lock_put(waits);
	ldlm_lock_put(granted);
}

/* It may be older than what the owner has changed since it took it. */
static void a_value_is_taken_once(struct kunit *test)
{
	struct ldlm_lock *lock = owned(test), *none = owned(test);
	const u64 bytes[1] = { 42 };
	u64 lvb = 0;

	KUNIT_EXPECT_EQ(test, 0, completion(lock, bytes, sizeof(bytes)));
	KUNIT_EXPECT_TRUE(test, ldlm_lock_lvb_take(lock, &lvb, sizeof(lvb)));
	KUNIT_EXPECT_EQ(test, 42ULL, lvb);
	KUNIT_EXPECT_FALSE(test, ldlm_lock_lvb_take(lock, &lvb, sizeof(lvb)));
	KUNIT_EXPECT_TRUE(test, ldlm_lock_lvb(lock, &lvb, sizeof(lvb)));
	KUNIT_EXPECT_EQ(test, 0, completion(none, NULL, 0));
	KUNIT_EXPECT_FALSE(test, ldlm_lock_lvb_take(none, &lvb, sizeof(lvb)));
	ldlm_lock_decref(lock);
	ldlm_lock_decref(none);
	ldlm_lock_put(lock);
	ldlm_lock_put(none);
}

static struct kunit_case ldlm_glimpse_cases[] = {
	KUNIT_CASE(an_answer_has_the_value),
	KUNIT_CASE(a_value_that_changes_is_read_again),
	KUNIT_CASE(a_device_without_the_value_refuses),
	KUNIT_CASE(a_free_lock_is_granted),
	KUNIT_CASE(a_writer_is_asked),
	KUNIT_CASE(who_cannot_know_more_is_not_asked),
	KUNIT_CASE(a_writer_that_cancels_has_written),
	KUNIT_CASE(later_glimpses_share_the_next_ast),
	KUNIT_CASE(a_writer_that_does_not_answer_is_evicted),
	KUNIT_CASE(a_stopping_server_knows_no_value),
	KUNIT_CASE(glimpses_do_not_prolong_a_deadline),
	KUNIT_CASE(a_value_of_another_size_is_ignored),
	KUNIT_CASE(a_server_asks_writers_for_the_value),
	KUNIT_CASE(a_server_without_the_value_says_so),
	KUNIT_CASE(only_readers_of_extents_glimpse),
	KUNIT_CASE(a_client_is_not_in_its_own_way),
	KUNIT_CASE(a_client_that_may_know_more_gets_no_value),
	KUNIT_CASE(the_owner_is_asked),
	KUNIT_CASE(a_lock_holds_its_owner),
	KUNIT_CASE(a_grant_brings_the_value),
	KUNIT_CASE(the_value_of_a_lock_that_waits_is_not_that_of_its_grant),
	KUNIT_CASE(a_value_is_taken_once),
	{}
};

static struct kunit_suite ldlm_glimpse_suite = {
	.name = "ldlm_glimpse",
	.suite_init = client_suite_init,
	.init = glimpse_init,
	.exit = kl_exit,
	.test_cases = ldlm_glimpse_cases,
};
kunit_test_suite(ldlm_glimpse_suite);

MODULE_DESCRIPTION("values of resources, and glimpses");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
