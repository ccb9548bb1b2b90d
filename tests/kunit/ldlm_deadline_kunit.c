// SPDX-License-Identifier: GPL-2.0-only
/*
 * Deadlines of revoked locks, prolonged by progress under them; and ASTs that are sent
 * again.
 */
#include "ldlm_fixture.h"

static struct {
	struct ldlm_lock	*lock;
	atomic_t		sent;
} ast;

static void ast_sent(enum ptlrpc_test_point at, void *object)
{
	if (at == PTP_LOCK_AST && object == READ_ONCE(ast.lock))
		atomic_inc(&ast.sent);
}

/* A lock of bytes 100 to 199 that another client waits for; referenced. */
static struct ldlm_lock *revoked(struct kunit *test, struct obd_export *holder,
				 struct obd_export *waiter)
{
	struct ldlm_enqueue ask = kl_ask(1, LCK_PW);
	struct ldlm_lock *lock;
	u64 held, waits;

	ask.type = LDLM_EXTENT;
	ask.flags = LDLM_FL_NO_EXPANSION;
	ask.policy.extent = (struct ldlm_extent) { 100, 199 };
	KUNIT_EXPECT_EQ(test, 0, kl_enqueue(holder, &ask, &held));
	ask.client = ++kl.cookies;
	KUNIT_EXPECT_EQ(test, 1, kl_enqueue(waiter, &ask, &waits));
	KUNIT_EXPECT_TRUE(test, kl_asked(held));
	lock = ldlm_lock_find(held);
	KUNIT_ASSERT_NOT_NULL(test, lock);
	return lock;
}

static void progress(struct obd_export *exp, u64 name, u64 first, u64 last)
{
	const struct ldlm_res_id id = { .name = { name } };
	const struct ldlm_extent part = { first, last };

	msleep(20);
	ldlm_server_progress(kl.server_obd, exp, &id, &part);
}

static void progress_prolongs_a_deadline(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct ldlm_lock *lock = revoked(test, one, two);
	unsigned long deadline = lock->l_deadline;

	/* Of its client, on its bytes only. */
	progress(two, 1, 100, 199);
	progress(one, 1, 0, 99);
	progress(one, 1, 200, LDLM_EXTENT_EOF);
	progress(one, 2, 100, 199);
	KUNIT_EXPECT_EQ(test, deadline, lock->l_deadline);
	progress(one, 1, 199, 199);
	KUNIT_EXPECT_TRUE(test, time_after(lock->l_deadline, deadline));
	KL_GRANTED(test, lock->l_handle.h_cookie);
	/* The deadline is bounded. */
	deadline = lock->l_deadline;
	lock->l_deadline_max = deadline;
	progress(one, 1, 0, LDLM_EXTENT_EOF);
	KUNIT_EXPECT_EQ(test, deadline, lock->l_deadline);
	kl_cancel(one, lock->l_handle.h_cookie);
	ldlm_lock_put(lock);
}

static void a_lock_that_is_not_revoked_has_no_deadline(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct ldlm_lock *lock = revoked(test, one, two), *other;
	struct ldlm_enqueue ask = kl_ask(1, LCK_PW);
	u64 cookie;

	ask.type = LDLM_EXTENT;
	ask.policy.extent = (struct ldlm_extent) { 500, 599 };
	KUNIT_EXPECT_EQ(test, 0, kl_enqueue(one, &ask, &cookie));
	other = ldlm_lock_find(cookie);
	KUNIT_ASSERT_NOT_NULL(test, other);
	progress(one, 1, 500, 599);
	KUNIT_EXPECT_EQ(test, 0UL, other->l_deadline);
	/* A resource of another type is left alone. */
	kl_lock(test, one, 3, LCK_EX, 0);
	progress(one, 3, 0, 0);
	kl_cancel(one, cookie);
	kl_cancel(one, lock->l_handle.h_cookie);
	ldlm_lock_put(other);
	ldlm_lock_put(lock);
}

static void await_sent(struct kunit *test, int count)
{
	unsigned int n;

	for (n = 0; n < 1000 && atomic_read(&ast.sent) < count; n++)
		msleep(20);
	KUNIT_EXPECT_LE(test, count, atomic_read(&ast.sent));
}

/* The work that sends ASTs again has run. */
static void resent(void)
{
	struct ldlm_namespace *ns = kl.server;

	mod_delayed_work(compat_percpu_wq, &ns->ns_work, 0);
	flush_delayed_work(&ns->ns_work);
}

/* The clients of these cases have no connection: no AST to them can be sent. */
static void an_ast_that_failed_is_sent_again(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct ldlm_lock *lock = revoked(test, one, two);
	unsigned long deadline = lock->l_deadline;
	int sent;

	atomic_set(&ast.sent, 0);
	WRITE_ONCE(ast.lock, lock);
	WRITE_ONCE(ptlrpc_test_hook, ast_sent);
	await_sent(test, 2);
	/* A client that cannot be reached has no more time than others. */
	KUNIT_EXPECT_EQ(test, deadline, lock->l_deadline);
	kl_cancel(one, lock->l_handle.h_cookie);
	KUNIT_EXPECT_FALSE(test, test_bit(LDLM_LF_RESEND, &lock->l_flags));
	/* An AST that is no longer pending is not sent; one may be on its way now. */
	resent();
	sent = atomic_read(&ast.sent);
	ldlm_callback_failed(lock, -EIO);
	resent();
	KUNIT_EXPECT_EQ(test, sent, atomic_read(&ast.sent));
	WRITE_ONCE(ptlrpc_test_hook, NULL);
	ldlm_lock_put(lock);
}

static void a_server_without_memory_gives_more_time(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct ldlm_lock *lock = revoked(test, one, two);
	unsigned long deadline = lock->l_deadline;

	msleep(20);
	ldlm_callback_failed(lock, -EIO);
	KUNIT_EXPECT_EQ(test, deadline, lock->l_deadline);
	ldlm_callback_failed(lock, -ENOMEM);
	KUNIT_EXPECT_TRUE(test, time_after(lock->l_deadline, deadline));
	KUNIT_EXPECT_TRUE(test, time_before_eq(lock->l_deadline,
					       lock->l_deadline_max));
	kl_cancel(one, lock->l_handle.h_cookie);
	ldlm_lock_put(lock);
}

static struct kunit_case ldlm_deadline_cases[] = {
	KUNIT_CASE(progress_prolongs_a_deadline),
	KUNIT_CASE(a_lock_that_is_not_revoked_has_no_deadline),
	KUNIT_CASE(an_ast_that_failed_is_sent_again),
	KUNIT_CASE(a_server_without_memory_gives_more_time),
	{}
};

static struct kunit_suite ldlm_deadline_suite = {
	.name = "ldlm_deadline",
	.suite_init = client_suite_init,
	.init = kl_init,
	.exit = kl_exit,
	.test_cases = ldlm_deadline_cases,
};
kunit_test_suite(ldlm_deadline_suite);

MODULE_DESCRIPTION("deadlines of revoked locks");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
