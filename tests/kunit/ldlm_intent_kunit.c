// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks bound by a reply: at the server, which grants what is free; at the client, whose
 * cookie names an intent first and a lock afterwards.
 *
 * Processors: 2
 */
#include "ldlm_fixture.h"
#include "race.h"

static const struct ldlm_policy all_bytes = { .extent = { 0, LDLM_EXTENT_EOF } };

/*
 * The server.
 */

static struct ldlm_enqueue reply_ask(u32 mode)
{
	struct ldlm_enqueue ask = kl_ask(4, mode);

	ask.type = LDLM_EXTENT;
	ask.policy = all_bytes;
	return ask;
}

/* Return: the server's cookie, 0 if no lock was granted. */
static u64 bind(struct obd_export *exp, const struct ldlm_enqueue *ask,
		struct ldlm_lock *local)
{
	struct lustre_lock answer = { 0 };
	bool granted = ldlm_server_bind(kl.server, exp, ask, local, &answer);

	return granted ? le64_to_cpu(answer.wl_server) : 0;
}

static int server_locks(void)
{
	return atomic_read(&kl.server->ns_locks);
}

static void a_free_lock_comes_with_the_reply(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct ldlm_enqueue ask = reply_ask(LCK_PR);
	u64 cookie = bind(one, &ask, NULL);

	KUNIT_EXPECT_NE(test, 0ULL, cookie);
	KL_GRANTED(test, cookie);
	KUNIT_EXPECT_EQ(test, (u32)LCK_PR, kl_mode(cookie));
	KUNIT_EXPECT_TRUE(test, kl_cancel(one, cookie));
	KUNIT_EXPECT_EQ(test, 0, server_locks());
}

static void a_lock_that_is_not_free_does_not(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct ldlm_enqueue ask = reply_ask(LCK_PR), other = reply_ask(LCK_PW);
	u64 held, waits;

	KUNIT_EXPECT_EQ(test, 0, kl_enqueue(one, &ask, &held));
	/* A writer waits: one more reader would come before it. */
	KUNIT_EXPECT_EQ(test, 1, kl_enqueue(one, &other, &waits));
	ask.client = ++kl.cookies;
	KUNIT_EXPECT_EQ(test, 0ULL, bind(two, &ask, NULL));
	kl_cancel(one, held);
	KL_GRANTED(test, waits);
	KUNIT_EXPECT_EQ(test, 0ULL, bind(two, &ask, NULL));
	/* No client is asked to give up a lock for it. */
	KUNIT_EXPECT_FALSE(test, kl_asked(waits));
	KUNIT_EXPECT_EQ(test, 1, server_locks());
	kl_cancel(one, waits);
}

static struct ldlm_lock *own_lock(struct kunit *test, u32 mode)
{
	struct ldlm_res_id id = { .name = { 4 } };
	struct ldlm_lock *lock = NULL;

	KUNIT_ASSERT_EQ(test, 0, ldlm_local_lock(kl.server_obd, LDLM_EXTENT, &id, mode,
						 &all_bytes, 0, 5, NULL, &lock));
	return lock;
}

static void the_lock_of_the_server_itself_is_converted(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct ldlm_lock *own = own_lock(test, LCK_EX);
	struct ldlm_enqueue ask = reply_ask(LCK_PR), next = reply_ask(LCK_PR);
	u64 cookie, waits;

	KUNIT_EXPECT_EQ(test, 0ULL, bind(one, &ask, NULL));
	cookie = bind(one, &ask, own);
	KL_GRANTED(test, cookie);
	/* Other clients wait until the operation is over. */
	KUNIT_EXPECT_EQ(test, 1, kl_enqueue(two, &next, &waits));
	KL_WAITS(test, waits);
	KUNIT_EXPECT_FALSE(test, kl_asked(cookie));
	ldlm_local_unlock(own);
	KL_GRANTED(test, waits);
	KL_GRANTED(test, cookie);
	KUNIT_EXPECT_EQ(test, 2, server_locks());
}

static void a_lock_that_others_wait_for_is_not_converted(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct ldlm_lock *own = own_lock(test, LCK_PR);
	struct ldlm_enqueue ask = reply_ask(LCK_PR), next = reply_ask(LCK_PW);
	u64 waits;

	KUNIT_EXPECT_EQ(test, 1, kl_enqueue(two, &next, &waits));
	KUNIT_EXPECT_EQ(test, 0ULL, bind(one, &ask, own));
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(own));
	ldlm_local_unlock(own);
	KL_GRANTED(test, waits);
	KUNIT_EXPECT_EQ(test, 1, server_locks());
}

static void a_request_that_comes_again_has_its_lock(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct ldlm_enqueue ask = reply_ask(LCK_PR), other;
	u64 cookie = bind(one, &ask, NULL);

	KUNIT_EXPECT_EQ(test, cookie, bind(one, &ask, NULL));
	KUNIT_EXPECT_EQ(test, 1, server_locks());
	/* The name may lead to another resource by now. */
	other = ask;
	other.res.name[0]++;
	KUNIT_EXPECT_EQ(test, 0ULL, bind(one, &other, NULL));
	KL_GRANTED(test, cookie);
	KUNIT_EXPECT_EQ(test, 1, server_locks());
	/* Cookies are each client's own. */
	KUNIT_EXPECT_NE(test, 0ULL, bind(two, &ask, NULL));
	KUNIT_EXPECT_EQ(test, 2, server_locks());
	/* A client that has lost the reply cancels by its own cookie. */
	KUNIT_EXPECT_TRUE(test, ldlm_server_cancel(kl.server, one, 0, ask.client));
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, kl_state(cookie));
}

static void a_client_that_has_gone_has_no_lock(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct ldlm_enqueue ask = reply_ask(LCK_PR);

	class_export_get(one);
	KUNIT_EXPECT_NE(test, 0ULL, bind(one, &ask, NULL));
	class_fail_export(one);
	KUNIT_EXPECT_EQ(test, 0, server_locks());
	ask.client = ++kl.cookies;
	KUNIT_EXPECT_EQ(test, 0ULL, bind(one, &ask, NULL));
	KUNIT_EXPECT_EQ(test, 0, server_locks());
	class_export_put(one);
}

/* Nor does the server take one itself: the operation would change what the first client caches. */
static void a_stopping_server_binds_none(struct kunit *test)
{
	struct obd_export *one = kl_join(test, "one");
	struct obd_export *two = kl_join(test, "two");
	struct ldlm_enqueue ask = reply_ask(LCK_PW);
	struct ldlm_res_id id = { .name = { 4 } };
	struct ldlm_lock *lock;

	KUNIT_EXPECT_NE(test, 0ULL, bind(one, &ask, NULL));
	kl_stop(one);
	ask.client = ++kl.cookies;
	KUNIT_EXPECT_EQ(test, 0ULL, bind(two, &ask, NULL));
	KUNIT_EXPECT_EQ(test, -ESHUTDOWN,
			ldlm_local_lock(kl.server_obd, LDLM_EXTENT, &id, LCK_EX, &all_bytes, 0, 5,
					NULL, &lock));
	KUNIT_EXPECT_EQ(test, 0, server_locks());
}

/*
 * The client.
 */

static atomic_t owners;

static void owner_get(void *data)
{
	atomic_inc(&owners);
}

static void owner_put(void *data)
{
	atomic_dec(&owners);
}

static const struct ldlm_callbacks owner_cbs = {
	.lcb_blocking = kl_blocking,
	.lcb_cancelled = kl_cancelled,
	.lcb_get = owner_get,
	.lcb_put = owner_put,
	.lcb_module = THIS_MODULE,
};

static struct ldlm_intent *intent_new(struct kunit *test, u64 *cookie)
{
	struct lustre_lock packed;
	struct ldlm_intent *intent;

	intent = ldlm_intent_new(kl.client_obd, LDLM_EXTENT, LCK_PR, &all_bytes,
				 &owner_cbs, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, intent);
	ldlm_intent_pack(intent, &packed);
	*cookie = le64_to_cpu(packed.wl_client);
	KUNIT_EXPECT_NE(test, 0ULL, *cookie);
	KUNIT_EXPECT_EQ(test, 0ULL, le64_to_cpu(packed.wl_server));
	KUNIT_EXPECT_EQ(test, (u32)LCK_PR, le32_to_cpu(packed.wl_req_mode));
	KUNIT_EXPECT_EQ(test, 0ULL, le64_to_cpu(packed.wl_res[0]));
	return intent;
}

static struct lustre_lock answer_of(u64 cookie, u32 mode)
{
	return (struct lustre_lock) {
		.wl_client = cpu_to_le64(cookie),
		.wl_server = cpu_to_le64(0x99),
		.wl_type = cpu_to_le32(LDLM_EXTENT),
		.wl_granted_mode = cpu_to_le32(mode),
		.wl_res = { cpu_to_le64(4) },
		.wl_policy = { 0, cpu_to_le64(LDLM_EXTENT_EOF) },
	};
}

static struct ldlm_lock *match(void)
{
	const struct ldlm_res_id id = { .name = { 4 } };

	return ldlm_cli_match(kl.client_obd, &id, LCK_PR, &all_bytes, &owner_cbs, NULL);
}

static void drop(struct ldlm_lock *lock)
{
	ldlm_lock_decref(lock);
	ldlm_lock_put(lock);
}

static int client_locks(void)
{
	return atomic_read(&kl.client->ns_locks);
}

static void a_reply_binds_the_lock(struct kunit *test)
{
	struct ldlm_lock *lock = NULL, *again;
	struct ldlm_intent *intent;
	struct lustre_lock answer;
	u64 cookie;

	atomic_set(&owners, 0);
	intent = intent_new(test, &cookie);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&owners));
	KUNIT_EXPECT_EQ(test, 0, client_locks());
	KUNIT_EXPECT_NULL(test, match());
	answer = answer_of(cookie, LCK_PR);
	KUNIT_ASSERT_EQ(test, 0, ldlm_intent_bind(intent, &answer, &lock));
	ldlm_intent_free(intent);
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(lock));
	KUNIT_EXPECT_EQ(test, cookie, lock->l_handle.h_cookie);
	KUNIT_EXPECT_EQ(test, 0x99ULL, lock->l_remote);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&owners));
	again = match();
	KUNIT_EXPECT_PTR_EQ(test, lock, again);
	drop(again);
	/* The server finds it by the cookie. */
	KUNIT_EXPECT_EQ(test, 0, ldlm_client_blocking(NULL, cookie, 0));
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.blocked));
	drop(lock);
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.cancelled));
	KUNIT_EXPECT_EQ(test, 0, client_locks());
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&owners));
}

static void an_ast_may_overtake_the_reply(struct kunit *test)
{
	struct ldlm_intent *intent;
	struct lustre_lock answer;
	struct ldlm_lock *lock;
	u8 lvb[LDLM_LVB_MAX];
	u64 cookie;

	intent = intent_new(test, &cookie);
	KUNIT_EXPECT_EQ(test, 0, ldlm_client_glimpse(NULL, cookie, lvb));
	KUNIT_EXPECT_EQ(test, 0, ldlm_client_blocking(NULL, cookie, 0));
	answer = answer_of(cookie, LCK_PR);
	KUNIT_ASSERT_EQ(test, 0, ldlm_intent_bind(intent, &answer, &lock));
	ldlm_intent_free(intent);
	/* It may be used once, and is not cached. */
	KUNIT_EXPECT_NULL(test, match());
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.blocked));
	drop(lock);
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kl.cancelled));
	KUNIT_EXPECT_EQ(test, 0, client_locks());
}

static atomic_t bits_lost;

static void note_bits_lost(struct ldlm_lock *lock, void *data)
{
	atomic_inc(&bits_lost);
}

static const struct ldlm_callbacks bits_cbs = {
	.lcb_cancelled = kl_cancelled,
	.lcb_bits_lost = note_bits_lost,
	.lcb_module = THIS_MODULE,
};

/* A lock of the bits LOOKUP and UPDATE, revoked by ASTs before the reply, and used no more. */
static struct ldlm_lock *revoked_bits(struct kunit *test, const u64 *asts, unsigned int count)
{
	const u64 has = MDS_INODELOCK_LOOKUP | MDS_INODELOCK_UPDATE;
	const struct ldlm_policy all = { .ibits = { .try_bits = has } };
	struct lustre_lock packed, answer;
	struct ldlm_intent *intent;
	struct ldlm_lock *lock;
	u64 cookie;

	atomic_set(&bits_lost, 0);
	intent = ldlm_intent_new(kl.client_obd, LDLM_IBITS, LCK_PR, &all, &bits_cbs, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, intent);
	ldlm_intent_pack(intent, &packed);
	cookie = le64_to_cpu(packed.wl_client);
	while (count--)
		KUNIT_EXPECT_EQ(test, 0, ldlm_client_blocking(NULL, cookie, *asts++));
	answer = answer_of(cookie, LCK_PR);
	answer.wl_type = cpu_to_le32(LDLM_IBITS);
	answer.wl_policy[0] = cpu_to_le64(has);
	answer.wl_policy[1] = 0;
	KUNIT_ASSERT_EQ(test, 0, ldlm_intent_bind(intent, &answer, &lock));
	ldlm_intent_free(intent);
	ldlm_lock_decref(lock);
	kl_settle(test);
	return lock;
}

/* The server waits for these bits: to keep all of them would be ignored, and the client evicted. */
static void an_ast_that_overtakes_the_reply_names_bits(struct kunit *test)
{
	const u64 update = MDS_INODELOCK_UPDATE, other = MDS_INODELOCK_XATTR;
	const u64 asts[] = { MDS_INODELOCK_UPDATE, MDS_INODELOCK_LOOKUP };
	struct ldlm_lock *lock = revoked_bits(test, &update, 1);

	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(lock));
	KUNIT_EXPECT_EQ(test, (u64)MDS_INODELOCK_LOOKUP, ldlm_lock_policy(lock)->ibits.bits);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&bits_lost));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.cancelled));
	ldlm_lock_put(lock);
	lock = revoked_bits(test, asts, 2);
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, lock->l_state);
	ldlm_lock_put(lock);
	/* All of it, or what it does not have. */
	lock = revoked_bits(test, &(const u64){ 0 }, 1);
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, lock->l_state);
	ldlm_lock_put(lock);
	lock = revoked_bits(test, &other, 1);
	KUNIT_EXPECT_EQ(test, LOCK_DESTROYED, lock->l_state);
	ldlm_lock_put(lock);
	KUNIT_EXPECT_EQ(test, 3, atomic_read(&kl.cancelled));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&bits_lost));
}

static void an_intent_that_has_ended_is_unknown(struct kunit *test)
{
	struct ldlm_lock *lock = (struct ldlm_lock *)1;
	struct ldlm_intent *intent;
	u8 lvb[LDLM_LVB_MAX];
	u64 cookie;

	intent = intent_new(test, &cookie);
	/* The server refused the lock, or the request failed. */
	KUNIT_EXPECT_EQ(test, -EINTR, ldlm_intent_done(intent, NULL, 1, -EINTR, &lock));
	KUNIT_EXPECT_NULL(test, lock);
	KUNIT_EXPECT_EQ(test, -ESTALE, ldlm_client_blocking(NULL, cookie, 0));
	KUNIT_EXPECT_EQ(test, -ESTALE, ldlm_client_glimpse(NULL, cookie, lvb));
	KUNIT_EXPECT_EQ(test, 0, client_locks());
}

static void answer_is_refused(struct kunit *test, int rc, struct lustre_lock answer)
{
	struct ldlm_lock *lock;
	struct ldlm_intent *intent;
	u64 cookie;

	intent = intent_new(test, &cookie);
	answer.wl_client = cpu_to_le64(cookie);
	KUNIT_EXPECT_EQ(test, rc, ldlm_intent_bind(intent, &answer, &lock));
	ldlm_intent_free(intent);
	kl_settle(test);
	KUNIT_EXPECT_EQ(test, -ESTALE, ldlm_client_blocking(NULL, cookie, 0));
}

static void an_invalid_answer_binds_nothing(struct kunit *test)
{
	struct lustre_lock answer = answer_of(0, LCK_PR);
	struct ldlm_lock *lock;

	atomic_set(&owners, 0);
	answer_is_refused(test, -EPROTO, answer_of(0, LCK_CR));
	answer_is_refused(test, -EPROTO, answer_of(0, 0));
	answer_is_refused(test, -EPROTO, answer_of(0, LCK_PR | LCK_PW));
	answer.wl_policy[1] = cpu_to_le64(4095);
	answer_is_refused(test, -EPROTO, answer);
	/* A resource that the client knows as one of another type. */
	lock = kl_client_lock(test, 4, LCK_PR);
	answer_is_refused(test, -EINVAL, answer_of(0, LCK_PR));
	drop(lock);
	KUNIT_EXPECT_EQ(test, 1, client_locks());
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kl.cancelled));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&owners));
}

static void only_valid_locks_are_asked_for(struct kunit *test)
{
	const struct ldlm_policy bits = { .ibits = { 1 } };

	KUNIT_EXPECT_EQ(test, -EINVAL,
			PTR_ERR_OR_ZERO(ldlm_intent_new(kl.client_obd, LDLM_EXTENT, 3,
							&all_bytes, NULL, NULL)));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			PTR_ERR_OR_ZERO(ldlm_intent_new(kl.client_obd, LDLM_PLAIN,
							LCK_PR, &bits, NULL, NULL)));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			PTR_ERR_OR_ZERO(ldlm_intent_new(kl.server_obd, LDLM_PLAIN,
							LCK_PR, &kl_all, NULL, NULL)));
}

/* One binds, one sends ASTs: each AST finds the intent or the lock. */
static struct {
	u64		cookie;
	atomic_t	lost;
	bool		stop;
} crossing;

static long send_asts(void *arg)
{
	long count = 0;
	u64 cookie;

	while (!READ_ONCE(crossing.stop)) {
		cookie = READ_ONCE(crossing.cookie);
		if (cookie && ldlm_client_blocking(NULL, cookie, 0) &&
		    READ_ONCE(crossing.cookie) == cookie)
			atomic_inc(&crossing.lost);
		count++;
		cond_resched();
	}
	return count;
}

static void asts_find_the_intent_or_the_lock(struct kunit *test)
{
	struct ldlm_intent *intent;
	struct lustre_lock answer;
	struct ldlm_lock *lock;
	struct aside aside;
	unsigned int n;
	u64 cookie;

	memset(&crossing, 0, sizeof(crossing));
	aside_start(test, &aside, send_asts, NULL);
	for (n = 0; n < 2000; n++) {
		intent = intent_new(test, &cookie);
		answer = answer_of(cookie, LCK_PR);
		WRITE_ONCE(crossing.cookie, cookie);
		KUNIT_ASSERT_EQ(test, 0, ldlm_intent_bind(intent, &answer, &lock));
		/* It is in use: a revoked lock stays until the use ends. */
		WRITE_ONCE(crossing.cookie, 0);
		ldlm_intent_free(intent);
		drop(lock);
		cond_resched();
	}
	WRITE_ONCE(crossing.stop, true);
	KUNIT_EXPECT_GT(test, aside_join(test, &aside), 0L);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&crossing.lost));
	kl_settle(test);
}

static struct kunit_case ldlm_intent_cases[] = {
	KUNIT_CASE(a_free_lock_comes_with_the_reply),
	KUNIT_CASE(a_lock_that_is_not_free_does_not),
	KUNIT_CASE(the_lock_of_the_server_itself_is_converted),
	KUNIT_CASE(a_lock_that_others_wait_for_is_not_converted),
	KUNIT_CASE(a_request_that_comes_again_has_its_lock),
	KUNIT_CASE(a_client_that_has_gone_has_no_lock),
	KUNIT_CASE(a_stopping_server_binds_none),
	KUNIT_CASE(a_reply_binds_the_lock),
	KUNIT_CASE(an_ast_may_overtake_the_reply),
	KUNIT_CASE(an_ast_that_overtakes_the_reply_names_bits),
	KUNIT_CASE(an_intent_that_has_ended_is_unknown),
	KUNIT_CASE(an_invalid_answer_binds_nothing),
	KUNIT_CASE(only_valid_locks_are_asked_for),
	KUNIT_CASE(asts_find_the_intent_or_the_lock),
	{}
};

static struct kunit_suite ldlm_intent_suite = {
	.name = "ldlm_intent",
	.suite_init = client_suite_init,
	.init = kl_init,
	.exit = kl_exit,
	.test_cases = ldlm_intent_cases,
};
kunit_test_suite(ldlm_intent_suite);

MODULE_DESCRIPTION("locks bound by a reply");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
