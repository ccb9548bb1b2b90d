// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lock manager at the server: modes, states, who gets a resource and who comes
 * next, and clients that do not give back what they have.
 */
#include "ldlm_fixture.h"

static const u32 modes[LDLM_MODE_COUNT] = {
	LCK_EX, LCK_PW, LCK_PR, LCK_CW, LCK_CR, LCK_NL,
};

/* A row for what there is, a column for what is wanted, in the order of modes[]. */
static const char * const together[LDLM_MODE_COUNT] = {
	"-----+",
	"----++",
	"--+-++",
	"---+++",
	"-+++++",
	"++++++",
};

static void modes_go_together_as_the_table_says(struct kunit *test)
{
	unsigned int a, b;

	for (a = 0; a < LDLM_MODE_COUNT; a++) {
		for (b = 0; b < LDLM_MODE_COUNT; b++)
			KUNIT_EXPECT_EQ_MSG(test, together[a][b] == '+',
					    lockmode_compat(modes[a], modes[b]),
					    "%s and %s",
					    ldlm_mode_name(modes[a]),
					    ldlm_mode_name(modes[b]));
		KUNIT_EXPECT_FALSE(test, lockmode_compat(modes[a], 0));
		KUNIT_EXPECT_FALSE(test, lockmode_compat(3, modes[a]));
		KUNIT_EXPECT_FALSE(test, lockmode_compat(modes[a], 64));
	}
}

/* ... and the server does as it says, for each pair. */
static void a_pair_is_granted_as_the_table_says(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	unsigned int a, b;
	u64 first, second;

	for (a = 0; a < LDLM_MODE_COUNT; a++) {
		for (b = 0; b < LDLM_MODE_COUNT; b++) {
			first = kl_lock(test, one, 5, modes[a], 0);
			second = kl_lock(test, two, 5, modes[b],
					 together[a][b] == '-');
			KUNIT_EXPECT_EQ(test, together[a][b] == '-',
					kl_asked(first));
			KUNIT_EXPECT_TRUE(test, kl_cancel(one, first));
			KL_GRANTED(test, second);
			KUNIT_EXPECT_TRUE(test, kl_cancel(two, second));
		}
	}
}

/* Which of the modes each makes unnecessary. */
static void a_mode_covers_what_it_keeps_out(struct kunit *test)
{
	static const char * const covers[LDLM_MODE_COUNT] = {
		"++++++",
		"-+++++",
		"--+-++",
		"---+++",
		"----++",
		"-----+",
	};
	unsigned int a, b;

	for (a = 0; a < LDLM_MODE_COUNT; a++) {
		for (b = 0; b < LDLM_MODE_COUNT; b++)
			KUNIT_EXPECT_EQ_MSG(test, covers[a][b] == '+',
					    ldlm_mode_covers(modes[a], modes[b]),
					    "%s for %s",
					    ldlm_mode_name(modes[a]),
					    ldlm_mode_name(modes[b]));
	}
}

/* From the row to the column: new, waiting, granted, cancelling, gone. */
static void a_lock_makes_no_other_moves(struct kunit *test)
{
	static const char * const moves[LOCK_STATE_COUNT] = {
		"-++-+",
		"--+++",
		"---++",
		"----+",
		"-----",
	};
	unsigned int from, to;

	for (from = 0; from < LOCK_STATE_COUNT; from++) {
		for (to = 0; to < LOCK_STATE_COUNT; to++)
			KUNIT_EXPECT_EQ_MSG(test, moves[from][to] == '+',
					    ldlm_lock_may(from, to),
					    "%u to %u", from, to);
		KUNIT_EXPECT_FALSE(test, ldlm_lock_may(from, LOCK_STATE_COUNT));
		KUNIT_EXPECT_FALSE(test, ldlm_lock_may(LOCK_STATE_COUNT, from));
	}
}

static void who_may_not_wait_is_refused(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	u64 held = kl_lock(test, one, 1, LCK_PR, 0), cookie;
	struct ldlm_enqueue ask = kl_ask(1, LCK_PW);

	ask.flags = LDLM_FL_BLOCK_NOWAIT;
	KUNIT_EXPECT_EQ(test, -EWOULDBLOCK, kl_enqueue(two, &ask, &cookie));
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, kl_state(cookie));
	KUNIT_EXPECT_FALSE(test, kl_asked(held));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.server->ns_locks));
	kl_cancel(one, held);
	KUNIT_EXPECT_EQ(test, 0, kl_enqueue(two, &ask, &cookie));
}

static void who_comes_first_is_served_first(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	u64 reader = kl_lock(test, one, 1, LCK_PR, 0);
	u64 writer = kl_lock(test, two, 1, LCK_EX, 1);
	u64 late = kl_lock(test, one, 1, LCK_PR, 1);
	u64 later = kl_lock(test, two, 1, LCK_CR, 1);
	u64 other = kl_lock(test, two, 1, LCK_NL, 0);

	/* NL conflicts with no lock; the rest would make the writer wait longer. */
	KL_GRANTED(test, other);
	kl_cancel(one, reader);
	KL_GRANTED(test, writer);
	KL_WAITS(test, late);
	KL_WAITS(test, later);
	/* It was in the way of others when it got it. */
	KUNIT_EXPECT_TRUE(test, kl_asked(writer));
	kl_cancel(two, writer);
	KL_GRANTED(test, late);
	KL_GRANTED(test, later);
	KUNIT_EXPECT_FALSE(test, kl_asked(late));
}

#define READERS	50

/* However many readers come, a writer waits for those before it only. */
static void a_writer_does_not_starve(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	u64 readers[READERS], writer, before = kl_lock(test, one, 1, LCK_PR, 0);
	unsigned int n;

	writer = kl_lock(test, two, 1, LCK_PW, 1);
	for (n = 0; n < READERS; n++)
		readers[n] = kl_lock(test, one, 1, LCK_PR, 1);
	kl_cancel(one, before);
	KL_GRANTED(test, writer);
	for (n = 0; n < READERS; n++)
		KL_WAITS(test, readers[n]);
	KUNIT_EXPECT_EQ(test, READERS, atomic_read(&kl.server->ns_waiting));
	kl_cancel(two, writer);
	for (n = 0; n < READERS; n++)
		KL_GRANTED(test, readers[n]);
}

static void one_that_gives_up_makes_room(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	u64 writer, late;

	kl_lock(test, one, 1, LCK_PR, 0);
	writer = kl_lock(test, two, 1, LCK_EX, 1);
	late = kl_lock(test, one, 1, LCK_PR, 1);
	KUNIT_EXPECT_TRUE(test, kl_cancel(two, writer));
	KL_GRANTED(test, late);
}

static void a_holder_is_asked_once(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	u64 held = kl_lock(test, one, 1, LCK_EX, 0);
	struct ldlm_lock *lock = ldlm_lock_find(held);
	unsigned long deadline;

	KUNIT_ASSERT_NOT_NULL(test, lock);
	KUNIT_EXPECT_TRUE(test, list_empty(&lock->l_waiting_item));
	kl_lock(test, two, 1, LCK_EX, 1);
	KUNIT_EXPECT_TRUE(test, kl_asked(held));
	KUNIT_EXPECT_FALSE(test, list_empty(&lock->l_waiting_item));
	deadline = lock->l_deadline;
	msleep(20);
	kl_lock(test, two, 1, LCK_PR, 1);
	KUNIT_EXPECT_EQ(test, deadline, lock->l_deadline);
	KUNIT_EXPECT_FALSE(test, test_bit(LDLM_LF_SEND_BL, &lock->l_flags));
	kl_cancel(one, held);
	KUNIT_EXPECT_TRUE(test, list_empty(&lock->l_waiting_item));
	ldlm_lock_put(lock);
}

static void what_cannot_be_asked_for_is_refused(struct kunit *test)
{
	static const struct {
		struct ldlm_enqueue	ask;
		int		rc;
	} bad[] = {
		{ { .type = LDLM_PLAIN, .mode = 0 }, -EINVAL },
		{ { .type = LDLM_PLAIN, .mode = 3 }, -EINVAL },
		{ { .type = LDLM_PLAIN, .mode = 64 }, -EINVAL },
		{ { .type = LDLM_PLAIN, .mode = LCK_PR, .flags = 0x80 },
		  -EINVAL },
		{ { .type = LDLM_PLAIN, .mode = LCK_PR,
		    .flags = LDLM_FL_REPLAY }, -EINVAL },
		{ { .type = 0, .mode = LCK_PR }, -EOPNOTSUPP },
		{ { .type = 9, .mode = LCK_PR }, -EOPNOTSUPP },
		{ { .type = ~0U, .mode = LCK_PR }, -EOPNOTSUPP },
		{ { .type = LDLM_IBITS + 1, .mode = LCK_PR }, -EOPNOTSUPP },
		{ { .type = LDLM_FLOCK, .mode = LCK_PR }, -EINVAL },
		{ { .type = LDLM_PLAIN, .mode = LCK_PR,
		    .policy = { .data = { 1 } } }, -EINVAL },
		{ { .type = LDLM_PLAIN, .mode = LCK_PR,
		    .flags = LDLM_FL_NO_EXPANSION }, -EINVAL },
		{ { .type = LDLM_EXTENT, .mode = LCK_PR,
		    .policy = { .extent = { 9, 8 } } }, -EINVAL },
		{ { .type = LDLM_EXTENT, .mode = LCK_PR,
		    .policy = { .extent = { 8, 9, 1 } } }, -EINVAL },
		{ { .type = LDLM_IBITS, .mode = LCK_PR }, -EINVAL },
		{ { .type = LDLM_IBITS, .mode = LCK_PR,
		    .policy = { .ibits = { 0x80 } } }, -EINVAL },
		{ { .type = LDLM_IBITS, .mode = LCK_PR,
		    .policy = { .ibits = { 1, 1ULL << 63 } } }, -EINVAL },
		{ { .type = LDLM_IBITS, .mode = LCK_PR, .granted = LCK_PR,
		    .flags = LDLM_FL_REPLAY,
		    .policy = { .ibits = { 1, 2 } } }, -EINVAL },
	};
	struct obd_export *one = kl_join(test, "one");
	unsigned int n;
	u64 cookie;

	for (n = 0; n < ARRAY_SIZE(bad); n++)
		KUNIT_EXPECT_EQ_MSG(test, bad[n].rc,
				    kl_enqueue(one, &bad[n].ask, &cookie),
				    "%u", n);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.server->ns_locks));
	KUNIT_EXPECT_EQ(test, 0U, kl.server->ns_resource_count);
}

static void a_resource_has_one_type(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct ldlm_enqueue ask = kl_ask(9, LCK_PR);
	u64 cookie;

	kl_lock(test, one, 9, LCK_PR, 0);
	ask.type = LDLM_EXTENT;
	KUNIT_EXPECT_EQ(test, -EINVAL, kl_enqueue(one, &ask, &cookie));
	ask.type = LDLM_IBITS;
	ask.policy.ibits.bits = MDS_INODELOCK_LOOKUP;
	KUNIT_EXPECT_EQ(test, -EINVAL, kl_enqueue(one, &ask, &cookie));
}

/* A peer cannot take what is another's, nor guess a cookie. */
static void a_client_cancels_its_own(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct ldlm_enqueue ask = kl_ask(1, LCK_EX);
	u64 cookie;

	KUNIT_EXPECT_EQ(test, 0, kl_enqueue(one, &ask, &cookie));
	KUNIT_EXPECT_FALSE(test, kl_cancel(two, cookie));
	KUNIT_EXPECT_FALSE(test, ldlm_server_cancel(kl.server, two, 0,
						    ask.client));
	KUNIT_EXPECT_FALSE(test, ldlm_server_cancel(kl.server, one, 0, 0));
	KUNIT_EXPECT_FALSE(test, kl_cancel(one, one->exp_handle.h_cookie));
	KL_GRANTED(test, cookie);
	/* By its own cookie, where it never learned the server's. */
	KUNIT_EXPECT_TRUE(test, ldlm_server_cancel(kl.server, one, 0,
						   ask.client));
	KUNIT_EXPECT_FALSE(test, kl_cancel(one, cookie));
}

static void a_client_that_goes_leaves_nothing(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	u64 writer, cookie;
	unsigned int n;
	struct ldlm_enqueue ask = kl_ask(1, LCK_EX);

	for (n = 0; n < READERS; n++)
		kl_lock(test, one, n, LCK_PR, 0);
	writer = kl_lock(test, two, 3, LCK_EX, 1);
	kl_lock(test, one, 3, LCK_EX, 1);
	class_export_get(one);
	class_fail_export(one);
	KL_GRANTED(test, writer);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.server->ns_locks));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&one->exp_locks_count));
	KUNIT_EXPECT_EQ(test, -ENOTCONN, kl_enqueue(one, &ask, &cookie));
	class_export_put(one);
}

static void who_does_not_give_back_is_evicted(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct ldlm_lock *lock;
	u64 held, waits;
	unsigned int n;

	ldlm_timeout = 1;
	held = kl_lock(test, one, 1, LCK_EX, 0);
	waits = kl_lock(test, two, 1, LCK_EX, 1);
	/* The other one has all the time that it may need. */
	ldlm_timeout = kl.timeout;
	class_export_get(one);
	lock = ldlm_lock_find(waits);
	KUNIT_ASSERT_NOT_NULL(test, lock);
	/* Until it owes an answer to the completion callback; and it answers. */
	for (n = 0; n < 400 && list_empty_careful(&lock->l_waiting_item); n++)
		msleep(50);
	KUNIT_EXPECT_FALSE(test, list_empty(&lock->l_waiting_item));
	ldlm_waiting_lock_del(lock, LDLM_LF_CP_PENDING);
	KUNIT_EXPECT_TRUE(test, list_empty(&lock->l_waiting_item));
	ldlm_lock_put(lock);
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, kl_state(held));
	KL_GRANTED(test, waits);
	KUNIT_EXPECT_TRUE(test, test_bit(EXPF_FAILED, &one->exp_flags));
	KUNIT_EXPECT_FALSE(test, test_bit(EXPF_FAILED, &two->exp_flags));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.server->ns_timeouts));
	class_export_put(one);
}

static void who_does_not_take_what_it_gets_is_evicted(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct obd_export *three = kl_join(test, "three");
	u64 held, waits, last;
	unsigned int n;

	held = kl_lock(test, one, 1, LCK_EX, 0);
	waits = kl_lock(test, two, 1, LCK_PR, 1);
	class_export_get(two);
	ldlm_timeout = 1;
	kl_cancel(one, held);
	for (n = 0; n < 100 && kl_state(waits) == LOCK_GRANTED; n++)
		msleep(50);
	KUNIT_EXPECT_TRUE(test, test_bit(EXPF_FAILED, &two->exp_flags));
	KUNIT_EXPECT_FALSE(test, test_bit(EXPF_FAILED, &one->exp_flags));
	last = kl_lock(test, three, 1, LCK_EX, 0);
	KL_GRANTED(test, last);
	class_export_put(two);
}

/* Outside of a recovery a replay gets what is free, and waits for nothing. */
static void a_replay_takes_nothing_from_others(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct ldlm_enqueue ask = kl_ask(1, LCK_EX);
	u64 cookie;

	ask.flags = LDLM_FL_REPLAY;
	ask.granted = LCK_PR;
	KUNIT_EXPECT_EQ(test, 0, kl_enqueue(one, &ask, &cookie));
	KUNIT_EXPECT_EQ(test, (u32)LCK_PR, kl_mode(cookie));
	ask.granted = LCK_PW;
	KUNIT_EXPECT_EQ(test, -ESTALE, kl_enqueue(two, &ask, &cookie));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.server->ns_locks));
}

static void an_end_with_locks_ends_them(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct ldlm_lock *lock;
	u64 held = kl_lock(test, one, 1, LCK_EX, 0);

	kl_lock(test, two, 1, LCK_PR, 1);
	kl_lock(test, two, 2, LCK_PR, 0);
	lock = ldlm_lock_find(held);
	KUNIT_ASSERT_NOT_NULL(test, lock);
	if (!lock)
		return;
	ldlm_server_namespace_end(kl.server);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.server->ns_locks));
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, lock->l_state);
	ldlm_lock_put(lock);
}

/* The first client still has its locks, and replays them when the server starts again. */
static void a_stopping_server_grants_nothing(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct ldlm_enqueue ask = kl_ask(1, LCK_PR);
	u64 waits, cookie;

	kl_lock(test, one, 1, LCK_PW, 0);
	waits = kl_lock(test, two, 1, LCK_PW, 1);
	kl_stop(one);
	KL_WAITS(test, waits);
	KUNIT_EXPECT_TRUE(test, kl_cancel(two, waits));
	KUNIT_EXPECT_EQ(test, -ESHUTDOWN, kl_enqueue(two, &ask, &cookie));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.server->ns_locks));
}

static void its_parameters_show_it(struct kunit *test)
{
	static const char dir[] = "ldlm/namespaces/filter-" KL_SERVER "_UUID/";
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	static const struct {
		const char	*name;
		u64		value;
	} numbers[] = {
		{ "lock_count", 3 }, { "resource_count", 2 },
		{ "waiting_count", 1 }, { "lock_timeouts", 0 },
	};
	char path[128];
	unsigned int n;

	kl_lock(test, one, 1, LCK_EX, 0);
	kl_lock(test, two, 1, LCK_PR, 1);
	kl_lock(test, two, 2, LCK_PR, 0);
	for (n = 0; n < ARRAY_SIZE(numbers); n++) {
		scnprintf(path, sizeof(path), "%s%s", dir, numbers[n].name);
		KUNIT_EXPECT_EQ(test, 0L, client_read(fx.client, path));
		KUNIT_EXPECT_EQ_MSG(test, numbers[n].value,
				    client_number(fx.client), "%s", path);
	}
	scnprintf(path, sizeof(path), "%slocks", dir);
	KUNIT_EXPECT_EQ(test, 0L, client_read(fx.client, path));
	KUNIT_EXPECT_GT(test, client_rec_count(fx.client), 3U * 10);
}

/* It did not hear the answer, and asks again: there is one lock, and one answer. */
static void a_cookie_names_one_lock(struct kunit *test)
{
	struct obd_export *exp = kl_join(test, "one"), *other = kl_join(test, "two");
	struct ldlm_enqueue ask = kl_ask(1, LCK_EX), another = kl_ask(2, LCK_EX);
	u64 first, again;

	KUNIT_EXPECT_EQ(test, 0, kl_enqueue(exp, &ask, &first));
	KUNIT_EXPECT_EQ(test, 0, kl_enqueue(exp, &ask, &again));
	KUNIT_EXPECT_EQ(test, first, again);
	/* A replay, as well: in EX a second lock would be refused. */
	ask.flags = LDLM_FL_REPLAY;
	ask.granted = LCK_EX;
	KUNIT_EXPECT_EQ(test, 0, kl_enqueue(exp, &ask, &again));
	KUNIT_EXPECT_EQ(test, first, again);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&exp->exp_locks_count));
	another.client = ask.client;
	KUNIT_EXPECT_EQ(test, -EEXIST, kl_enqueue(exp, &another, &again));
	/* Another client's cookies are its own. */
	KUNIT_EXPECT_EQ(test, 0, kl_enqueue(other, &another, &again));
	KUNIT_EXPECT_NE(test, first, again);
	KUNIT_EXPECT_TRUE(test, ldlm_server_cancel(kl.server, exp, 0, ask.client));
	KUNIT_EXPECT_FALSE(test, ldlm_server_cancel(kl.server, exp, 0, ask.client));
	KUNIT_EXPECT_EQ(test, LOCK_GRANTED, kl_state(again));
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, kl_state(first));
}

#define MANY_LOCKS	20000
#define SOME_LOCKS	200
#define FEW_LOCKS	20

/*
 * Cancel @count locks whose first cookie is @first. Return: nanoseconds of one, of the
 * fastest FEW_LOCKS in a row: the machine may stall in others.
 */
static u64 cancel_last_first(struct kunit *test, struct obd_export *exp, u64 first,
			     unsigned int count)
{
	u64 start = ktime_get_ns(), least = U64_MAX;
	unsigned int n, failed = 0;

	for (n = count; n > 0; n--) {
		failed += !ldlm_server_cancel(kl.server, exp, 0, first + n - 1);
		if ((n - 1) % FEW_LOCKS)
			continue;
		least = min(least, ktime_get_ns() - start);
		cond_resched();
		start = ktime_get_ns();
	}
	KUNIT_EXPECT_EQ(test, 0U, failed);
	return div_u64(least, FEW_LOCKS);
}

/* The client has lost its connection, and sends the request again before it is decided about. */
static void a_request_that_is_being_handled_is_sent_again(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct ldlm_enqueue ask = kl_ask(1, LCK_PR);
	struct ldlm_lock *lock = ldlm_server_lock_new(kl.server, one, &ask);
	u64 cookie;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, lock);
	KUNIT_EXPECT_EQ(test, -EINPROGRESS, kl_enqueue(one, &ask, &cookie));
	ldlm_server_drop(lock);
	ldlm_lock_put(lock);
	KUNIT_EXPECT_EQ(test, 0, kl_enqueue(one, &ask, &cookie));
}

/*
 * Each by the client's own cookie, the worst ones of a list first: a walk over a list
 * would look at some hundred times as many for the last of 20 000 as for the last of 200.
 */
static void many_locks_are_cancelled_by_their_cookies(struct kunit *test)
{
	struct obd_export *exp = kl_join(test, "one");
	u64 first = kl.cookies + 1, cookie, many, few;
	unsigned int n, failed = 0;

	for (n = 0; n < MANY_LOCKS; n++) {
		struct ldlm_enqueue ask = kl_ask(n, LCK_PR);

		failed += !!kl_enqueue(exp, &ask, &cookie);
		if (n % 256 == 0)
			cond_resched();
	}
	KUNIT_EXPECT_EQ(test, 0U, failed);
	many = cancel_last_first(test, exp, first + MANY_LOCKS - SOME_LOCKS,
				 SOME_LOCKS);
	cancel_last_first(test, exp, first + SOME_LOCKS,
			  MANY_LOCKS - 2 * SOME_LOCKS);
	few = cancel_last_first(test, exp, first, SOME_LOCKS);
	kunit_info(test, "a cancel among %u: %llu ns, among %u: %llu ns", MANY_LOCKS,
		   many, SOME_LOCKS, few);
	KUNIT_EXPECT_LT(test, many, 4 * few);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&exp->exp_locks_count));
}

static struct kunit_case ldlm_cases[] = {
	KUNIT_CASE(modes_go_together_as_the_table_says),
	KUNIT_CASE(a_pair_is_granted_as_the_table_says),
	KUNIT_CASE(a_mode_covers_what_it_keeps_out),
	KUNIT_CASE(a_lock_makes_no_other_moves),
	KUNIT_CASE(who_may_not_wait_is_refused),
	KUNIT_CASE(who_comes_first_is_served_first),
	KUNIT_CASE(a_writer_does_not_starve),
	KUNIT_CASE(one_that_gives_up_makes_room),
	KUNIT_CASE(a_holder_is_asked_once),
	KUNIT_CASE(what_cannot_be_asked_for_is_refused),
	KUNIT_CASE(a_resource_has_one_type),
	KUNIT_CASE(a_client_cancels_its_own),
	KUNIT_CASE(a_client_that_goes_leaves_nothing),
	KUNIT_CASE(who_does_not_give_back_is_evicted),
	KUNIT_CASE(who_does_not_take_what_it_gets_is_evicted),
	KUNIT_CASE(a_replay_takes_nothing_from_others),
	KUNIT_CASE(an_end_with_locks_ends_them),
	KUNIT_CASE(a_stopping_server_grants_nothing),
	KUNIT_CASE(its_parameters_show_it),
	KUNIT_CASE(a_cookie_names_one_lock),
	KUNIT_CASE(a_request_that_is_being_handled_is_sent_again),
	KUNIT_CASE(many_locks_are_cancelled_by_their_cookies),
	{}
};

static struct kunit_suite ldlm_suite = {
	.name = "ldlm",
	.suite_init = client_suite_init,
	.init = kl_init,
	.exit = kl_exit,
	.test_cases = ldlm_cases,
};
kunit_test_suite(ldlm_suite);

MODULE_DESCRIPTION("the lock manager's server");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
