// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks of clients at an object storage target: values of objects, glimpses, progress, and objects
 * that are destroyed. Two clients have locks; the one of the fixture changes objects without.
 *
 * Processors: 2
 */
#include <lustre_lite/lustre_dlm.h>

#include "ofd_fixture.h"
#include "failslab.h"
#include "../../ptlrpc/ldlm/ldlm_internal.h"

#define OLD		1000000000LL
#define CLIENTS		2
#define TMPFS_SIZE	"size=2m"

/**
 * struct owner - a client with locks
 * @obd: device
 * @exp: its use
 * @value: answer to a glimpse
 * @bytes: bytes of it, 0: no answer
 * @blocked: blocking ASTs
 * @cancelled: locks that ended
 */
struct owner {
	struct obd_device	*obd;
	struct obd_export	*exp;
	struct ost_lvb		value;
	u32			bytes;
	atomic_t		blocked;
	atomic_t		cancelled;
};

static struct {
	struct owner		owner[CLIENTS];
	unsigned int		timeout;
} dl;

static const struct ldlm_policy whole = { .extent = { 0, LDLM_EXTENT_EOF } };

/* --- clients -------------------------------------------------------------------------- */

static void owner_blocking(struct ldlm_lock *lock, void *data)
{
	struct owner *owner = data;

	atomic_inc(&owner->blocked);
}

static void owner_cancelled(struct ldlm_lock *lock, void *data)
{
	struct owner *owner = data;

	atomic_inc(&owner->cancelled);
}

static u32 owner_glimpse(struct ldlm_lock *lock, void *data, void *lvb)
{
	struct owner *owner = data;

	memcpy(lvb, &owner->value, sizeof(owner->value));
	return owner->bytes;
}

static const struct ldlm_callbacks owner_cbs = {
	.lcb_blocking	= owner_blocking,
	.lcb_cancelled	= owner_cancelled,
	.lcb_glimpse	= owner_glimpse,
	.lcb_module	= THIS_MODULE,
};

static int owner_start(unsigned int n)
{
	struct owner *owner = &dl.owner[n];
	struct obd_connect_data ocd = {};
	struct obd_uuid uuid;
	char name[16], text[24];
	int rc;

	scnprintf(name, sizeof(name), "kunit_ol%u", n);
	scnprintf(text, sizeof(text), "ol%u_UUID", n);
	uuid = kt_uuid(text);
	rc = df_setup("osc", name, text, DF_UUID, KR_NID, &owner->obd);
	return rc ?: kt_connect_target(&owner->exp, owner->obd, &uuid, &ocd);
}

static void owner_end(struct kunit *test, unsigned int n)
{
	struct owner *owner = &dl.owner[n];

	if (owner->exp)
		obd_disconnect(owner->exp);
	owner->exp = NULL;
	kr_end(test, &owner->obd);
}

static int lock_suite_init(struct kunit_suite *suite)
{
	struct obd_type *type = class_get_type("osc");

	if (!type)
		return -ENODEV;
	class_put_type(type);
	return df_suite_init(suite);
}

static int owners_start(void)
{
	int rc = 0;
	unsigned int n;

	memset(&dl, 0, sizeof(dl));
	dl.timeout = ldlm_timeout;
	for (n = 0; !rc && n < CLIENTS; n++)
		rc = owner_start(n);
	return rc;
}

static int lock_init(struct kunit *test)
{
	char size[] = TMPFS_SIZE;

	return df_init_dir(test, size) ?: df_start() ?: df_connect() ?: owners_start();
}

static void lock_exit(struct kunit *test)
{
	unsigned int n;

	ldlm_timeout = dl.timeout;
	for (n = 0; n < CLIENTS; n++)
		owner_end(test, n);
	df_exit(test);
}

static struct ldlm_res_id res_of(u64 id)
{
	return (struct ldlm_res_id){ .name = { id } };
}

/* Used and referenced. */
static struct ldlm_lock *lock_of(struct kunit *test, unsigned int n, u64 id, u32 mode, u64 first,
				 u64 last)
{
	const struct ldlm_policy part = { .extent = { first, last } };
	const struct ldlm_res_id res = res_of(id);
	struct ldlm_lock *lock = NULL;

	KUNIT_ASSERT_EQ(test, 0, ldlm_cli_enqueue(dl.owner[n].obd, LDLM_EXTENT, &res, mode, &part,
						  LDLM_FL_NO_EXPANSION, &owner_cbs, &dl.owner[n],
						  &lock));
	return lock;
}

static void lock_drop(struct ldlm_lock *lock)
{
	ldlm_lock_decref(lock);
	ldlm_lock_put(lock);
}

/* The value that a lock was granted with. */
static struct md_attr granted_value(struct kunit *test, const struct ldlm_lock *lock)
{
	struct md_attr attr = {};
	struct ost_lvb lvb;

	KUNIT_EXPECT_TRUE(test, ldlm_lock_lvb(lock, &lvb, sizeof(lvb)));
	KUNIT_EXPECT_TRUE(test, ost_lvb_decode(&lvb, &attr));
	return attr;
}

static struct md_attr glimpsed(struct kunit *test, unsigned int n, u64 id)
{
	const struct ldlm_res_id res = res_of(id);
	struct ldlm_lock *lock = NULL;
	struct md_attr attr = {};
	struct ost_lvb lvb;

	KUNIT_EXPECT_EQ(test, 0, ldlm_cli_glimpse(dl.owner[n].obd, &res, &owner_cbs, &dl.owner[n],
						  &lvb, sizeof(lvb), &lock));
	KUNIT_EXPECT_TRUE(test, ost_lvb_decode(&lvb, &attr));
	KUNIT_EXPECT_NULL(test, lock);
	if (lock)
		lock_drop(lock);
	return attr;
}

/* --- the server ----------------------------------------------------------------------- */

/* What the server has stored: the value of a resource with a lock. */
static struct md_attr stored(struct kunit *test, u64 id)
{
	const struct ldlm_res_id name = res_of(id);
	struct ldlm_resource *res = ldlm_resource_find(kr.srv->obd_namespace, &name);
	struct md_attr attr = {};

	KUNIT_ASSERT_NOT_NULL(test, res);
	spin_lock(&res->r_lock);
	KUNIT_EXPECT_TRUE(test, res->r_lvb_valid && ost_lvb_decode((void *)res->r_lvb, &attr));
	spin_unlock(&res->r_lock);
	ldlm_resource_put(res);
	return attr;
}

static void expect_value(struct kunit *test, const struct md_attr *is, const struct md_attr *want)
{
	KUNIT_EXPECT_EQ(test, is->size, want->size);
	KUNIT_EXPECT_EQ(test, is->blocks, want->blocks);
	KUNIT_EXPECT_EQ(test, is->mtime.sec, want->mtime.sec);
	KUNIT_EXPECT_EQ(test, is->mtime.nsec, want->mtime.nsec);
	KUNIT_EXPECT_EQ(test, is->ctime.sec, want->ctime.sec);
	KUNIT_EXPECT_EQ(test, is->ctime.nsec, want->ctime.nsec);
}

/* The stored value is that of the last reply. */
static void expect_stored(struct kunit *test, u64 id)
{
	const struct md_attr attr = stored(test, id);

	expect_value(test, &attr, &df.rep.attr);
}

static bool all_cancelled(void)
{
	return atomic_read(&dl.owner[0].cancelled) && atomic_read(&dl.owner[1].cancelled);
}

static bool first_cancelled(void)
{
	return atomic_read(&dl.owner[0].cancelled);
}

static bool first_blocked(void)
{
	return atomic_read(&dl.owner[0].blocked);
}

/* --- values --------------------------------------------------------------------------- */

static void a_grant_has_the_attributes(struct kunit *test)
{
	struct ldlm_lock *lock;
	struct md_attr attr;

	df_numbers(test, 2);
	KUNIT_ASSERT_EQ(test, df_write(1, 0, 5000), 0);
	lock = lock_of(test, 0, 1, LCK_PR, 0, LDLM_EXTENT_EOF);
	attr = granted_value(test, lock);
	KUNIT_EXPECT_EQ(test, attr.size, 5000ULL);
	KUNIT_EXPECT_NE(test, attr.ctime.sec, 0LL);
	expect_value(test, &attr, &df.rep.attr);
	lock_drop(lock);
	/* An object without a file. */
	lock = lock_of(test, 0, 2, LCK_PW, 0, LDLM_EXTENT_EOF);
	attr = granted_value(test, lock);
	expect_value(test, &attr, &(struct md_attr){});
	lock_drop(lock);
}

static void a_resource_has_the_name_of_an_object(struct kunit *test)
{
	static const struct ldlm_res_id bad[] = {
		{ { 0 } }, { { 1ULL << FID_IDIF_OBJECT_BITS } }, { { 1, 1 } }, { { 1, 0, 0, 1 } },
	};
	struct ldlm_lock *lock;
	unsigned int n;

	df_numbers(test, 1);
	for (n = 0; n < ARRAY_SIZE(bad); n++)
		KUNIT_EXPECT_LT(test, ldlm_cli_enqueue(dl.owner[0].obd, LDLM_EXTENT, &bad[n],
						       LCK_PR, &whole, 0, &owner_cbs,
						       &dl.owner[0], &lock), 0);
}

static void a_value_follows_each_change(struct kunit *test)
{
	struct ost_op op = df_op(OST_SETATTR, 1);
	struct ldlm_lock *lock;
	const u64 id = 1;

	df_numbers(test, 1);
	/* Unused: a revocation ends it at once. */
	lock = lock_of(test, 0, 1, LCK_PR, 0, LDLM_EXTENT_EOF);
	KUNIT_EXPECT_EQ(test, df_write(1, 0, 5000), 0);
	expect_stored(test, 1);
	KUNIT_EXPECT_EQ(test, df_try(OST_PUNCH, 1, 100), 0);
	KUNIT_EXPECT_EQ(test, stored(test, 1).size, 100ULL);
	expect_stored(test, 1);
	op.attr.valid = MDS_ATTR_MTIME | MDS_ATTR_MTIME_SET;
	op.attr.mtime.sec = OLD;
	KUNIT_EXPECT_EQ(test, df_call(&op, NULL), 0);
	KUNIT_EXPECT_EQ(test, stored(test, 1).mtime.sec, OLD);
	expect_stored(test, 1);
	KUNIT_EXPECT_EQ(test, df_write(1, 50, 10), 0);
	KUNIT_EXPECT_EQ(test, stored(test, 1).size, 100ULL);
	expect_stored(test, 1);
	KUNIT_EXPECT_EQ(test, df_destroy(&id, 1), 0);
	memset(&df.rep, 0, sizeof(df.rep));
	expect_stored(test, 1);
	/* A change that is refused does not bring back the file. */
	KUNIT_EXPECT_EQ(test, df_write(1, 0, 10), -ESTALE);
	expect_stored(test, 1);
	lock_drop(lock);
}

/* The space is used up in the middle of a write. */
static void a_failed_write_changes_the_value(struct kunit *test)
{
	struct ldlm_lock *lock;
	int rc = 0, n;

	df_numbers(test, 1);
	lock = lock_of(test, 0, 1, LCK_PR, 0, LDLM_EXTENT_EOF);
	for (n = 0; n < 64 && !rc; n++)
		rc = df_write(1, (u64)n * KR_BULK_LEN, KR_BULK_LEN);
	KUNIT_EXPECT_EQ(test, rc, -ENOSPC);
	KUNIT_EXPECT_EQ(test, df_try(OST_GETATTR, 1, 0), 0);
	expect_stored(test, 1);
	lock_drop(lock);
}

/* Locks are granted while the object is written and truncated. */
static long changes_run(void *arg)
{
	int rc = 0, n;

	for (n = 0; n < 50 && !rc; n++)
		rc = df_write(1, n * PAGE_SIZE, PAGE_SIZE) ?: df_try(OST_PUNCH, 1, n);
	return rc;
}

static void a_value_is_that_of_the_last_change(struct kunit *test)
{
	struct aside aside;
	struct ldlm_lock *lock;

	df_numbers(test, 1);
	aside_start(test, &aside, changes_run, NULL);
	while (!aside_is_done(&aside)) {
		lock = lock_of(test, 0, 1, LCK_PR, 0, LDLM_EXTENT_EOF);
		ldlm_lock_decref(lock);
		KUNIT_EXPECT_EQ(test, ldlm_cli_cancel(lock), 0);
		ldlm_lock_put(lock);
	}
	lock = lock_of(test, 0, 1, LCK_PR, 0, LDLM_EXTENT_EOF);
	KUNIT_EXPECT_EQ(test, aside_join(test, &aside), 0L);
	expect_stored(test, 1);
	lock_drop(lock);
}

struct merge {
	struct md_attr	has;
	struct md_attr	newer;
	struct md_attr	want;
};

#define VALUE(s, b, m, c)							\
	{ .size = (s), .blocks = (b), .mtime = { (m), 1 }, .ctime = { 9, (c) } }

static void the_newer_value_is_that_with_the_newer_ctime(struct kunit *test)
{
	static const struct merge rows[] = {
		/* size, blocks, mtime, ctime */
		{ VALUE(5, 8, 3, 3), VALUE(9, 4, 2, 2), VALUE(9, 8, 3, 3) },
		{ VALUE(5, 8, 3, 3), VALUE(4, 4, 2, 4), VALUE(5, 8, 2, 4) },
		{ VALUE(5, 8, 3, 3), VALUE(5, 9, 2, 2), VALUE(5, 9, 3, 3) },
		{ VALUE(5, 8, 3, 3), VALUE(5, 4, 2, 3), VALUE(5, 8, 2, 3) },
		{ VALUE(5, 8, 3, 3), VALUE(6, 9, 3, 3), VALUE(6, 9, 3, 3) },
		{ VALUE(5, 8, 3, 3), { .size = 1 }, VALUE(5, 8, 3, 3) },
		/* Malformed. */
		{ VALUE(5, 8, 3, 3), VALUE(1ULL << 63, 9, 4, 4), VALUE(5, 8, 3, 3) },
		{ VALUE(5, 8, 3, 3), VALUE(9, 9, 9, 1000000000), VALUE(5, 8, 3, 3) },
		{ VALUE(5, 8, 3, 3), { .size = 9, .mtime = { 9, 1000000000 }, .ctime = { 10, 0 } },
		  VALUE(5, 8, 3, 3) },
	};
	const struct ldlm_lvb_ops *ops = kr.srv->obd_namespace->ns_lvb;
	struct ost_lvb has, newer;
	struct md_attr attr;
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(rows); n++) {
		ost_lvb_encode(&has, &rows[n].has);
		ost_lvb_encode(&newer, &rows[n].newer);
		ops->lvbo_merge(&has, &newer);
		KUNIT_EXPECT_TRUE_MSG(test, ost_lvb_decode(&has, &attr), "row %u", n);
		expect_value(test, &attr, &rows[n].want);
	}
}

/* --- glimpses ------------------------------------------------------------------------- */

static void a_glimpse_has_the_value_of_the_writer(struct kunit *test)
{
	struct owner *owner = &dl.owner[0];
	struct ldlm_lock *lock;
	struct md_attr want, attr;

	df_numbers(test, 1);
	KUNIT_ASSERT_EQ(test, df_write(1, 0, 100), 0);
	lock = lock_of(test, 0, 1, LCK_PW, 0, LDLM_EXTENT_EOF);
	/* It knows nothing more. */
	attr = glimpsed(test, 1, 1);
	expect_value(test, &attr, &df.rep.attr);
	/* It has written below the end, and later after it. */
	want = df.rep.attr;
	want.mtime.sec += 5;
	want.ctime.sec += 5;
	ost_lvb_encode(&owner->value, &want);
	owner->bytes = sizeof(owner->value);
	attr = glimpsed(test, 1, 1);
	expect_value(test, &attr, &want);
	want.size = 1ULL << 40;
	ost_lvb_encode(&owner->value, &want);
	attr = glimpsed(test, 1, 1);
	expect_value(test, &attr, &want);
	/* The server does not store it. */
	expect_stored(test, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&owner->blocked), 0);
	lock_drop(lock);
}

static void a_malformed_value_of_a_client_is_ignored(struct kunit *test)
{
	struct owner *owner = &dl.owner[0];
	struct ldlm_lock *lock;
	struct md_attr attr;

	df_numbers(test, 1);
	KUNIT_ASSERT_EQ(test, df_write(1, 0, 100), 0);
	lock = lock_of(test, 0, 1, LCK_PW, 0, LDLM_EXTENT_EOF);
	memset(&owner->value, 0xff, sizeof(owner->value));
	owner->bytes = sizeof(owner->value);
	attr = glimpsed(test, 1, 1);
	expect_value(test, &attr, &df.rep.attr);
	memset(&owner->value, 0x11, sizeof(owner->value));
	owner->bytes = sizeof(owner->value) - 1;
	attr = glimpsed(test, 1, 1);
	expect_value(test, &attr, &df.rep.attr);
	lock_drop(lock);
}

/* --- revoked locks -------------------------------------------------------------------- */

static void a_destroyed_object_loses_its_locks(struct kunit *test)
{
	struct ldlm_lock *writer, *reader, *kept;
	const u64 id = 1;

	df_numbers(test, 2);
	/* Also one that has no file yet. */
	writer = lock_of(test, 0, 1, LCK_PW, 0, 99);
	reader = lock_of(test, 1, 1, LCK_PR, 100, LDLM_EXTENT_EOF);
	kept = lock_of(test, 1, 2, LCK_PR, 0, LDLM_EXTENT_EOF);
	KUNIT_EXPECT_EQ(test, df_destroy(&id, 1), 0);
	/* It does not wait for the users of the locks. */
	lock_drop(writer);
	lock_drop(reader);
	kr_await(all_cancelled);
	KUNIT_EXPECT_EQ(test, atomic_read(&dl.owner[0].cancelled), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&dl.owner[1].cancelled), 1);
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(kept));
	lock_drop(kept);
}

static void an_object_of_another_target_keeps_its_locks(struct kunit *test)
{
	struct lustre_fid other;
	struct ost_op op = df_op(OST_DESTROY, 0);
	struct ldlm_lock *lock, *next;
	const u64 last = 2;
	struct lu_fid fid;

	df_numbers(test, 2);
	lock = lock_of(test, 0, 1, LCK_PW, 0, LDLM_EXTENT_EOF);
	next = lock_of(test, 0, 2, LCK_PW, 0, LDLM_EXTENT_EOF);
	fid_idif_make(1, DF_OST + 1, &fid);
	fid_le_put(&other, &fid);
	op.objects = &other;
	op.nr_objects = 1;
	KUNIT_EXPECT_EQ(test, df_call(&op, NULL), -EINVAL);
	/* The AST of a later destroy comes, and its lock is gone. */
	KUNIT_EXPECT_EQ(test, df_destroy(&last, 1), 0);
	kr_await(first_blocked);
	lock_drop(next);
	kr_await(first_cancelled);
	KUNIT_EXPECT_EQ(test, atomic_read(&dl.owner[0].blocked), 1);
	KUNIT_EXPECT_TRUE(test, ldlm_lock_is_granted(lock));
	lock_drop(lock);
}

static long second_lock(void *arg)
{
	const struct ldlm_res_id res = res_of(1);

	return ldlm_cli_enqueue(dl.owner[1].obd, LDLM_EXTENT, &res, LCK_PW, &whole, 0, &owner_cbs,
				&dl.owner[1], arg);
}

/* The deadline of the granted lock of object 1. */
static unsigned long deadline_of(struct kunit *test)
{
	const struct ldlm_res_id name = res_of(1);
	struct ldlm_resource *res = ldlm_resource_find(kr.srv->obd_namespace, &name);
	struct ldlm_lock *lock;
	unsigned long deadline;

	KUNIT_ASSERT_NOT_NULL(test, res);
	spin_lock(&res->r_lock);
	lock = list_first_entry_or_null(&res->r_granted.lset_locks, struct ldlm_lock, l_res_item);
	deadline = lock ? lock->l_deadline : 0;
	spin_unlock(&res->r_lock);
	ldlm_resource_put(res);
	/* The next one is another. */
	msleep(20);
	return deadline;
}

static void reads_and_writes_prolong_the_deadline(struct kunit *test)
{
	struct obd_import *imp = kr.imp;
	struct ldlm_lock *lock, *next = NULL;
	unsigned long deadline, later;
	struct aside aside;

	df_numbers(test, 1);
	lock = lock_of(test, 0, 1, LCK_PW, 0, LDLM_EXTENT_EOF);
	aside_start(test, &aside, second_lock, &next);
	kr_await(first_blocked);
	deadline = deadline_of(test);
	KUNIT_EXPECT_NE(test, deadline, 0UL);
	/* Another client. */
	KUNIT_EXPECT_EQ(test, df_write(1, 0, 10), 0);
	KUNIT_EXPECT_EQ(test, deadline_of(test), deadline);
	kr.imp = dl.owner[0].obd->obd_cli->cl_import;
	KUNIT_EXPECT_EQ(test, df_write(1, 0, 10), 0);
	later = deadline_of(test);
	KUNIT_EXPECT_TRUE(test, time_after(later, deadline));
	KUNIT_EXPECT_EQ(test, df_read(1, 0, 10), 0);
	KUNIT_EXPECT_TRUE(test, time_after(deadline_of(test), later));
	kr.imp = imp;
	lock_drop(lock);
	KUNIT_EXPECT_EQ(test, aside_join(test, &aside), 0L);
	KUNIT_ASSERT_NOT_NULL(test, next);
	lock_drop(next);
}

/* --- locks that come with bytes ------------------------------------------------------- */

/*
 * Client @n reads the first @len bytes into df.room, and asks for a lock of that type. Return:
 * status;
 * @lock: out, used and referenced; NULL: none
 */
static int read_with_lock(unsigned int n, u64 id, u32 len, u32 type, struct ldlm_lock **lock)
{
	const struct ldlm_policy bits = { .ibits = { .bits = 1 } };
	struct bio_vec vec = { .bv_page = df.room, .bv_len = len };
	const struct ptlrpc_bulk bulk = { &vec, 1, len };
	struct obd_export *exp = dl.owner[n].exp;
	struct ost_op op = df_op(OST_READ, id);
	struct ptlrpc_request *req;
	struct ldlm_intent *intent;
	struct lustre_lock wanted;
	int rc;

	intent = ldlm_intent_new(exp->exp_obd, type, LCK_PR, type == LDLM_IBITS ? &bits : &whole,
				 &owner_cbs, &dl.owner[n]);
	if (IS_ERR(intent))
		return PTR_ERR(intent);
	ldlm_intent_pack(intent, &wanted);
	op.len = len;
	op.lock = &wanted;
	req = ost_request(exp, &op, &bulk, NULL);
	if (IS_ERR(req))
		return ldlm_intent_done(intent, NULL, OST_GRANTED, PTR_ERR(req), lock);
	rc = ptlrpc_queue_wait(req);
	rc = rc ?: ost_reply(exp, req, &df.rep);
	df.got = req->rq_bulk_got;
	rc = ldlm_intent_done(intent, req, OST_GRANTED, rc, lock);
	ptlrpc_request_put(req);
	return rc;
}

static void a_read_brings_its_lock(struct kunit *test)
{
	struct ldlm_lock *lock, *again;
	struct md_attr written;

	df_numbers(test, 2);
	KUNIT_ASSERT_EQ(test, df_write(1, 0, 3000), 0);
	written = df.rep.attr;
	KUNIT_ASSERT_EQ(test, read_with_lock(0, 1, PAGE_SIZE, LDLM_EXTENT, &lock), 0);
	KUNIT_ASSERT_NOT_NULL(test, lock);
	KUNIT_EXPECT_EQ(test, df.got, 3000U);
	expect_value(test, &df.rep.attr, &written);
	KUNIT_EXPECT_EQ(test, ldlm_lock_policy(lock)->extent.last, LDLM_EXTENT_EOF);
	/* It is one as any other: cached, and revoked for a writer. */
	ldlm_lock_decref(lock);
	again = lock_of(test, 0, 1, LCK_PR, 0, LDLM_EXTENT_EOF);
	KUNIT_EXPECT_PTR_EQ(test, lock, again);
	lock_drop(again);
	again = lock_of(test, 1, 1, LCK_PW, 0, LDLM_EXTENT_EOF);
	kr_await(first_cancelled);
	lock_drop(again);
	ldlm_lock_put(lock);
	/* An object without a file. */
	KUNIT_ASSERT_EQ(test, read_with_lock(0, 2, PAGE_SIZE, LDLM_EXTENT, &lock), 0);
	KUNIT_ASSERT_NOT_NULL(test, lock);
	KUNIT_EXPECT_EQ(test, df.got, 0U);
	KUNIT_EXPECT_EQ(test, df.rep.attr.size, 0ULL);
	lock_drop(lock);
}

static void a_read_without_its_lock_has_no_bytes(struct kunit *test)
{
	struct ldlm_lock *lock, *held;
	const u64 id = 1;

	df_numbers(test, 1);
	KUNIT_ASSERT_EQ(test, df_write(1, 0, 3000), 0);
	held = lock_of(test, 1, 1, LCK_PW, 0, LDLM_EXTENT_EOF);
	KUNIT_EXPECT_EQ(test, read_with_lock(0, 1, PAGE_SIZE, LDLM_EXTENT, &lock), 0);
	KUNIT_EXPECT_NULL(test, lock);
	KUNIT_EXPECT_EQ(test, df.got, 0U);
	/* The writer keeps its lock. */
	KUNIT_EXPECT_EQ(test, atomic_read(&dl.owner[1].blocked), 0);
	lock_drop(held);
	/* Locks of objects have another type. */
	KUNIT_EXPECT_EQ(test, read_with_lock(0, 1, PAGE_SIZE, LDLM_IBITS, &lock), 0);
	KUNIT_EXPECT_NULL(test, lock);
	KUNIT_EXPECT_EQ(test, df.got, 0U);
	KUNIT_EXPECT_EQ(test, df_destroy(&id, 1), 0);
	KUNIT_EXPECT_EQ(test, read_with_lock(0, 1, PAGE_SIZE, LDLM_EXTENT, &lock), 0);
	KUNIT_EXPECT_NULL(test, lock);
	KUNIT_EXPECT_EQ(test, df.got, 0U);
}

/* --- failed allocations --------------------------------------------------------------- */

#ifdef CONFIG_FAULT_INJECTION
static struct obd_export *export_of(struct kunit *test, unsigned int n)
{
	struct obd_export *exp, *found = NULL;
	char text[24];

	scnprintf(text, sizeof(text), "ol%u_UUID", n);
	spin_lock(&kr.srv->obd_export_lock);
	list_for_each_entry(exp, &kr.srv->obd_exports, exp_obd_chain) {
		if (!strcmp(exp->exp_client_uuid.uuid, text))
			found = class_export_get(exp);
	}
	spin_unlock(&kr.srv->obd_export_lock);
	KUNIT_ASSERT_NOT_NULL(test, found);
	return found;
}

/* An object that is not in memory, and a resource without a lock, each time. */
static void a_failed_allocation_refuses_the_lock(struct kunit *test)
{
	struct obd_export *exp = export_of(test, 0);
	struct ldlm_namespace *ns = kr.srv->obd_namespace;
	struct lustre_lock answer;
	struct ost_lvb lvb;
	struct ldlm_enqueue ask = {
		.type = LDLM_EXTENT, .mode = LCK_PR, .policy = whole, .lvb = &lvb,
	};
	bool failed = true;
	u32 n, noticed = 0;
	int rc;

	if (sleeping_allocations_fail(true))
		kunit_skip(test, "debugfs is not mounted");
	for (n = 1; failed && n < 300; n++) {
		ask.client = 0x1000 + n;
		ask.res = res_of(n);
		current->fail_nth = n;
		rc = ldlm_server_enqueue(ns, exp, &ask, &answer);
		failed = !current->fail_nth;
		current->fail_nth = 0;
		noticed += rc == -ENOMEM;
		KUNIT_EXPECT_TRUE(test, !rc || (failed && rc == -ENOMEM));
		if (!rc)
			ldlm_server_cancel(ns, exp, le64_to_cpu(answer.wl_server), 0);
		KUNIT_EXPECT_EQ(test, atomic_read(&ns->ns_locks), 0);
		KUNIT_EXPECT_EQ(test, ns->ns_resource_count, 0U);
	}
	sleeping_allocations_fail(false);
	/* Resource, value, object, lock. */
	KUNIT_EXPECT_GE(test, noticed, 4U);
	class_export_put(exp);
}
#endif

static struct kunit_case lock_cases[] = {
	KUNIT_CASE(a_grant_has_the_attributes),
	KUNIT_CASE(a_resource_has_the_name_of_an_object),
	KUNIT_CASE(a_value_follows_each_change),
	KUNIT_CASE(a_failed_write_changes_the_value),
	KUNIT_CASE(a_value_is_that_of_the_last_change),
	KUNIT_CASE(the_newer_value_is_that_with_the_newer_ctime),
	KUNIT_CASE(a_glimpse_has_the_value_of_the_writer),
	KUNIT_CASE(a_malformed_value_of_a_client_is_ignored),
	KUNIT_CASE(a_destroyed_object_loses_its_locks),
	KUNIT_CASE(an_object_of_another_target_keeps_its_locks),
	KUNIT_CASE(reads_and_writes_prolong_the_deadline),
	KUNIT_CASE(a_read_brings_its_lock),
	KUNIT_CASE(a_read_without_its_lock_has_no_bytes),
#ifdef CONFIG_FAULT_INJECTION
	KUNIT_CASE(a_failed_allocation_refuses_the_lock),
#endif
	{}
};

static struct kunit_suite lock_suite = {
	.name		= "ofd_lock",
	.suite_init	= lock_suite_init,
	.init		= lock_init,
	.exit		= lock_exit,
	.test_cases	= lock_cases,
};

kunit_test_suites(&lock_suite);

MODULE_DESCRIPTION("KUnit: locks of clients at an object storage target");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
