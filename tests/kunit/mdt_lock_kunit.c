// SPDX-License-Identifier: GPL-2.0-only
/* Locks of metadata targets: what replies grant, and what changes lock. */
#include "mdt_names_fixture.h"

#define ALL	(MDS_INODELOCK_LOOKUP | MDS_INODELOCK_UPDATE | MDS_INODELOCK_PERM)

static u64 next_cookie = 0x1000;

/* Send @op, which asks for @bits. Return: the granted bits, or a negative errno */
static noinline s64 call_asking(const struct md_op_data *op, u64 bits, struct md_object *obj)
{
	const struct lustre_lock *granted;
	u32 lens[MDS_REQUEST_BUFS];
	struct ptlrpc_request *req;
	struct lustre_lock *wanted;
	struct md_reply rep;
	int rc;

	md_op_lens(op, lens);
	lens[MDS_LOCK] = sizeof(*wanted);
	req = ptlrpc_request_new(kr.imp, op->opc, MDS_REQUEST_PORTAL, lens, MDS_REQUEST_BUFS);
	if (!req)
		return -ENOMEM;
	md_op_encode(req->rq_req_msg, op);
	wanted = ptlrpc_req_buf(req, MDS_LOCK);
	memset(wanted, 0, sizeof(*wanted));
	wanted->wl_client = cpu_to_le64(next_cookie++);
	wanted->wl_type = cpu_to_le32(LDLM_IBITS);
	wanted->wl_req_mode = cpu_to_le32(LCK_PR);
	/* Optional bits only. */
	wanted->wl_policy[1] = cpu_to_le64(bits);
	rc = mf_send(req, &rep);
	granted = rc ? NULL : ptlrpc_rep_buf(req, MDS_GRANT, sizeof(*granted));
	bits = granted && granted->wl_server ? le64_to_cpu(granted->wl_policy[0]) : 0;
	if (obj)
		*obj = rep.object;
	ptlrpc_request_put(req);
	return rc ?: (s64)bits;
}

static noinline s64 getattr_asking(const struct md_object *obj, u64 bits)
{
	const struct md_op_data op = mf_op(MDS_GETATTR, obj);

	return call_asking(&op, bits, NULL);
}

/* A lock of the server, which waits for nothing. Return: as ldlm_local_lock() */
static int lock_now(const struct md_object *obj, u32 mode, u64 bits, struct ldlm_lock **lock)
{
	const struct ldlm_policy part = { .ibits = { .bits = bits } };
	struct ldlm_res_id res;

	ldlm_res_of_fid(&obj->fid, &res);
	return ldlm_local_lock(kr.srv, LDLM_IBITS, &res, mode, &part, LDLM_FL_BLOCK_NOWAIT, 0,
			       NULL, lock);
}

/* Whether a client has a lock of that part. */
static bool is_held(const struct md_object *obj, u64 bits)
{
	struct ldlm_lock *lock;

	if (lock_now(obj, LCK_EX, bits, &lock))
		return true;
	ldlm_local_unlock(lock);
	return false;
}

static void a_getattr_grants_what_is_free(struct kunit *test)
{
	struct ldlm_lock *lock;
	struct md_object file;

	KUNIT_EXPECT_EQ(test, getattr_asking(&mf.root, ALL), (s64)ALL);
	KUNIT_EXPECT_TRUE(test, is_held(&mf.root, MDS_INODELOCK_PERM));
	KUNIT_EXPECT_FALSE(test, is_held(&mf.root, MDS_INODELOCK_XATTR));
	ot_new(test, &ot.root, "file", S_IFREG | 0644);
	file = mf_found(test, &mf.root, "file");
	KUNIT_EXPECT_FALSE(test, is_held(&file, ALL));
	KUNIT_ASSERT_EQ(test, lock_now(&file, LCK_CW, MDS_INODELOCK_UPDATE, &lock), 0);
	KUNIT_EXPECT_EQ(test, getattr_asking(&file, ALL),
			(s64)(MDS_INODELOCK_LOOKUP | MDS_INODELOCK_PERM));
	KUNIT_EXPECT_EQ(test, getattr_asking(&file, MDS_INODELOCK_UPDATE), 0LL);
	ldlm_local_unlock(lock);
	KUNIT_EXPECT_EQ(test, getattr_asking(&file, MDS_INODELOCK_UPDATE),
			(s64)MDS_INODELOCK_UPDATE);
}

static void a_lookup_grants_a_lock_of_what_it_found(struct kunit *test)
{
	struct md_op_data op = mf_op_name(MDS_GETATTR_NAME, &mf.root, "file");
	struct md_object file;

	KUNIT_EXPECT_EQ(test, call_asking(&op, ALL, NULL), (s64)-ENOENT);
	ot_new(test, &ot.root, "file", S_IFREG | 0644);
	KUNIT_EXPECT_EQ(test, call_asking(&op, ALL, &file), (s64)ALL);
	KUNIT_EXPECT_TRUE(test, is_held(&file, MDS_INODELOCK_LOOKUP));
	KUNIT_EXPECT_FALSE(test, is_held(&mf.root, MDS_INODELOCK_UPDATE));
}

static void a_create_grants_a_lock_of_the_new_object(struct kunit *test)
{
	struct md_object new = mn_new(), made;
	struct md_op_data op;

	mn_op(&op, REINT_CREATE, &mf.root, &new, "dir");
	op.attr.mode = S_IFDIR | 0755;
	KUNIT_EXPECT_EQ(test, call_asking(&op, ALL, &made), (s64)ALL);
	KUNIT_EXPECT_TRUE(test, is_held(&made, ALL));
	KUNIT_EXPECT_FALSE(test, is_held(&mf.root, MDS_INODELOCK_UPDATE));
	new = mn_new();
	mn_op(&op, REINT_OPEN, &mf.root, &new, "file");
	op.flags = MDS_FMODE_READ | MDS_OPEN_CREAT;
	op.attr.mode = S_IFREG | 0644;
	KUNIT_EXPECT_EQ(test, call_asking(&op, ALL, &made), (s64)ALL);
	KUNIT_EXPECT_TRUE(test, is_held(&made, ALL));
	/* The second time it exists. */
	KUNIT_EXPECT_EQ(test, call_asking(&op, ALL, &made), (s64)ALL);
}

/* All attributes of an object come with a lock of them; one, or the names, without. */
static void attributes_come_with_a_lock(struct kunit *test)
{
	struct md_op_data op;
	struct md_object file;
	struct ldlm_lock *lock;

	ot_new(test, &ot.root, "file", S_IFREG | 0644);
	file = mf_found(test, &mf.root, "file");
	op = mf_op(MDS_GETXATTR, &file);
	op.size = 64;
	KUNIT_EXPECT_EQ(test, call_asking(&op, MDS_INODELOCK_XATTR, NULL), 0LL);
	op.flags = MDS_XATTR_ALL;
	KUNIT_ASSERT_EQ(test, lock_now(&file, LCK_CW, MDS_INODELOCK_XATTR, &lock), 0);
	KUNIT_EXPECT_EQ(test, call_asking(&op, MDS_INODELOCK_XATTR, NULL), 0LL);
	ldlm_local_unlock(lock);
	KUNIT_EXPECT_EQ(test, call_asking(&op, MDS_INODELOCK_XATTR, NULL),
			(s64)MDS_INODELOCK_XATTR);
	KUNIT_EXPECT_TRUE(test, is_held(&file, MDS_INODELOCK_XATTR));
}

static void an_own_change_leaves_the_own_locks(struct kunit *test)
{
	struct md_object new = mn_new();
	struct md_op_data op;

	KUNIT_EXPECT_EQ(test, getattr_asking(&mf.root, ALL), (s64)ALL);
	mn_op(&op, REINT_CREATE, &mf.root, &new, "dir");
	op.attr.mode = S_IFDIR | 0755;
	KUNIT_EXPECT_EQ(test, mf_try(&op), 0);
	KUNIT_EXPECT_TRUE(test, is_held(&mf.root, MDS_INODELOCK_UPDATE));
	op = mf_op(MDS_REINT, &mf.root);
	op.reint = REINT_SETATTR;
	op.attr.valid = MDS_ATTR_MODE;
	op.attr.mode = 0711;
	KUNIT_EXPECT_EQ(test, mf_try(&op), 0);
	KUNIT_EXPECT_TRUE(test, is_held(&mf.root, MDS_INODELOCK_PERM));
}

/* Whether a change waits for a lock of another one, and is done when that is released. */
static void expect_waits(struct kunit *test, const struct md_op_data *op,
			 const struct md_object *obj, u64 bits)
{
	struct ptlrpc_request *req = mf_request(op);
	struct ldlm_lock *lock, *second;
	unsigned int n;

	KUNIT_ASSERT_NOT_NULL(test, req);
	KUNIT_ASSERT_EQ(test, lock_now(obj, LCK_PR, bits, &lock), 0);
	ptlrpc_request_get(req);
	ptlrpcd_add(req);
	/* A lock that conflicts with a waiting one is not granted. */
	for (n = 0; n < 1500; n++) {
		if (lock_now(obj, LCK_PR, bits, &second))
			break;
		ldlm_local_unlock(second);
		msleep(20);
	}
	KUNIT_EXPECT_LT(test, n, 1500U);
	KUNIT_EXPECT_NE(test, (int)READ_ONCE(req->rq_phase), (int)RQ_COMPLETE);
	ldlm_local_unlock(lock);
	for (n = 0; n < 1500 && READ_ONCE(req->rq_phase) != RQ_COMPLETE; n++)
		msleep(20);
	KUNIT_EXPECT_EQ(test, (int)READ_ONCE(req->rq_phase), (int)RQ_COMPLETE);
	KUNIT_EXPECT_EQ(test, req->rq_status, 0);
	ptlrpc_request_put(req);
	ptlrpc_request_put(req);
	KUNIT_EXPECT_FALSE(test, is_held(obj, ALL));
}

static void a_change_waits_for_locks_of_others(struct kunit *test)
{
	struct md_object new = mn_new(), file;
	struct md_op_data op;

	ot_new(test, &ot.root, "file", S_IFREG | 0644);
	file = mf_found(test, &mf.root, "file");
	mn_op(&op, REINT_CREATE, &mf.root, &new, "dir");
	op.attr.mode = S_IFDIR | 0755;
	expect_waits(test, &op, &mf.root, MDS_INODELOCK_UPDATE);
	new = mn_new();
	mn_op(&op, REINT_OPEN, &mf.root, &new, "made");
	op.flags = MDS_FMODE_READ | MDS_OPEN_CREAT;
	op.attr.mode = S_IFREG | 0644;
	expect_waits(test, &op, &mf.root, MDS_INODELOCK_UPDATE);
	mn_op(&op, REINT_LINK, &mf.root, &file, "second");
	expect_waits(test, &op, &file, MDS_INODELOCK_UPDATE);
	mn_op(&op, REINT_UNLINK, &mf.root, &file, "second");
	expect_waits(test, &op, &file, MDS_INODELOCK_LOOKUP);
	op = mf_op(MDS_REINT, &file);
	op.reint = REINT_SETATTR;
	op.attr.valid = MDS_ATTR_MODE;
	op.attr.mode = 0600;
	expect_waits(test, &op, &file, MDS_INODELOCK_PERM);
	/* Capabilities go with the old owner. */
	op.attr.valid = MDS_ATTR_UID;
	expect_waits(test, &op, &file, MDS_INODELOCK_XATTR);
}

/* --- directories ---------------------------------------------------------------------- */

#define MOST	8

/**
 * struct listing - entries of a directory, as one request brings them
 * @page: bulk data
 * @ent: entries, with the end
 * @count: their number
 */
struct listing {
	struct page		*page;
	struct md_dirent	ent[MOST];
	u32			count;
};

static struct listing *listing_new(struct kunit *test)
{
	struct listing *list = kunit_kzalloc(test, sizeof(*list), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, list);
	list->page = alloc_pages(GFP_KERNEL, MF_BULK_ORDER);
	KUNIT_ASSERT_NOT_NULL(test, list->page);
	return list;
}

static void listing_decode(struct kunit *test, struct listing *list, u32 bytes)
{
	const u8 *at = page_address(list->page);

	list->count = 0;
	while (bytes) {
		struct md_dirent *ent = &list->ent[list->count++];

		KUNIT_ASSERT_LE(test, list->count, (u32)MOST);
		KUNIT_ASSERT_NULL(test, md_dirent_decode(at, bytes, ent));
		at += ent->len;
		bytes -= ent->len;
	}
}

/* The entries after @cookie, @locks of them with locks. */
static void listing_read(struct kunit *test, struct listing *list, u64 cookie, u32 locks)
{
	struct bio_vec vec = { .bv_page = list->page, .bv_len = MF_BULK };
	const struct ptlrpc_bulk bulk = { &vec, 1, MF_BULK };
	struct md_op_data op = mf_op(MDS_READPAGE, &mf.root);
	struct ptlrpc_request *req;
	struct md_reply rep;
	__le64 client[MOST];
	u32 n;

	for (n = 0; n < locks; n++)
		client[n] = cpu_to_le64(next_cookie++);
	op.size = MF_BULK;
	op.cookie = cookie;
	op.value = client;
	op.value_len = locks * sizeof(client[0]);
	req = mf_request(&op);
	KUNIT_ASSERT_NOT_NULL(test, req);
	req->rq_bulk_in = &bulk;
	KUNIT_EXPECT_EQ(test, mf_send(req, &rep), 0);
	listing_decode(test, list, req->rq_bulk_got);
	ptlrpc_request_put(req);
}

static void entry_expect(struct kunit *test, const struct md_dirent *ent, u32 bits)
{
	KUNIT_EXPECT_EQ(test, ent->bits, bits);
	KUNIT_EXPECT_EQ(test, !!ent->lock, !!bits);
	KUNIT_EXPECT_EQ(test, (int)ent->flags, bits ? MDS_DIRENT_WHOLE : 0);
	KUNIT_EXPECT_EQ(test, ent->attr.mode, (u32)(S_IFREG | 0644));
	if (bits)
		KUNIT_EXPECT_TRUE(test, is_held(&ent->object, bits));
}

#define ALL_OF_FILE	(ALL | MDS_INODELOCK_XATTR | MDS_INODELOCK_LAYOUT)

/* As many as there are cookies, and of each the bits that are free. */
static void a_listing_grants_locks_of_its_entries(struct kunit *test)
{
	static const char * const names[] = { "a", "b", "c" };
	struct listing *list = listing_new(test);
	struct md_object first;
	struct ldlm_lock *lock;
	u32 n;

	for (n = 0; n < ARRAY_SIZE(names); n++)
		ot_new(test, &ot.root, names[n], S_IFREG | 0644);
	listing_read(test, list, 0, 0);
	KUNIT_ASSERT_EQ(test, list->count, 4U);
	for (n = 0; n < 3; n++)
		entry_expect(test, &list->ent[n], 0);
	first = list->ent[0].object;
	KUNIT_ASSERT_EQ(test, lock_now(&first, LCK_CW, MDS_INODELOCK_UPDATE, &lock), 0);
	listing_read(test, list, 0, 2);
	ldlm_local_unlock(lock);
	KUNIT_ASSERT_EQ(test, list->count, 2U);
	entry_expect(test, &list->ent[0], ALL_OF_FILE & ~MDS_INODELOCK_UPDATE);
	entry_expect(test, &list->ent[1], ALL_OF_FILE);
	KUNIT_EXPECT_FALSE(test, is_held(&mf.root, ALL));
	listing_read(test, list, list->ent[1].next, 2);
	KUNIT_ASSERT_EQ(test, list->count, 2U);
	entry_expect(test, &list->ent[0], ALL_OF_FILE);
	KUNIT_EXPECT_EQ(test, list->ent[1].name_len, 0U);
	__free_pages(list->page, MF_BULK_ORDER);
}

/* Names would not be covered. */
static void a_directory_that_changes_grants_none(struct kunit *test)
{
	struct listing *list = listing_new(test);
	struct ldlm_lock *lock;

	ot_new(test, &ot.root, "a", S_IFREG | 0644);
	KUNIT_ASSERT_EQ(test, lock_now(&mf.root, LCK_CW, MDS_INODELOCK_UPDATE, &lock), 0);
	listing_read(test, list, 0, 2);
	ldlm_local_unlock(lock);
	KUNIT_ASSERT_EQ(test, list->count, 2U);
	entry_expect(test, &list->ent[0], 0);
	__free_pages(list->page, MF_BULK_ORDER);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_getattr_grants_what_is_free),
	KUNIT_CASE(a_lookup_grants_a_lock_of_what_it_found),
	KUNIT_CASE(a_create_grants_a_lock_of_the_new_object),
	KUNIT_CASE(attributes_come_with_a_lock),
	KUNIT_CASE(an_own_change_leaves_the_own_locks),
	KUNIT_CASE(a_change_waits_for_locks_of_others),
	KUNIT_CASE(a_listing_grants_locks_of_its_entries),
	KUNIT_CASE(a_directory_that_changes_grants_none),
	{}
};

static struct kunit_suite suite = {
	.name = "mdt_lock",
	.suite_init = mf_suite_init,
	.init = mn_init,
	.exit = mf_exit,
	.test_cases = cases,
};
kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: locks of metadata targets");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
