// SPDX-License-Identifier: GPL-2.0-only
/* A metadata target: objects, names, attributes and sequences, as a client sees them. */
#include <linux/capability.h>

#include <uapi/lustre_lite/lustre_ea.h>

#include "mdt_fixture.h"

#define USER	1000
#define GROUP	77
#define SEQ	"seq_srv"

static void expect_same(struct kunit *test, const struct md_object *a, const struct md_object *b)
{
	KUNIT_EXPECT_TRUE(test, lu_fid_eq(&a->fid, &b->fid));
	KUNIT_EXPECT_EQ(test, memcmp(&a->hint, &b->hint, sizeof(a->hint)), 0);
}

static noinline int getattr(const struct md_object *obj, struct md_reply *rep)
{
	const struct md_op_data op = mf_op(MDS_GETATTR, obj);

	return mf_call(&op, rep);
}

static noinline int try_getattr(const struct md_object *obj)
{
	struct md_reply rep;
	int rc = getattr(obj, &rep);

	mf_put(&rep);
	return rc;
}

/* --- objects -------------------------------------------------------------------------- */

static void the_root_is_found_without_a_hint(struct kunit *test)
{
	struct md_reply rep;
	struct lu_fid fid;

	KUNIT_EXPECT_EQ(test, md_get_root(kr.srv->obd_self_export, &fid), 0);
	KUNIT_EXPECT_TRUE(test, lu_fid_eq(&fid, &mf.root.fid));
	KUNIT_ASSERT_EQ(test, getattr(&mf.root, &rep), 0);
	KUNIT_EXPECT_TRUE(test, lu_fid_eq(&rep.object.fid, &mf.root.fid));
	KUNIT_EXPECT_TRUE(test, S_ISDIR(rep.attr.mode));
	KUNIT_EXPECT_EQ(test, rep.attr.nlink, 2U);
	KUNIT_EXPECT_EQ(test, try_getattr(&rep.object), 0);
	mf_put(&rep);
}

static void a_name_leads_to_its_object(struct kunit *test)
{
	struct md_object dir, file, again;
	struct osd_object child;
	struct md_reply rep;

	KUNIT_ASSERT_EQ(test, ot_make(&ot.root, "dir", S_IFDIR | 0755, &child), 0);
	ot_new(test, &child, "file", S_IFREG | 0640);
	osd_object_fini(&child);
	dir = mf_found(test, &mf.root, "dir");
	file = mf_found(test, &dir, "file");
	KUNIT_ASSERT_EQ(test, getattr(&file, &rep), 0);
	expect_same(test, &file, &rep.object);
	KUNIT_EXPECT_EQ(test, rep.attr.mode, (u32)(S_IFREG | 0640));
	KUNIT_EXPECT_EQ(test, rep.attr.nlink, 1U);
	KUNIT_EXPECT_NE(test, rep.attr.mtime.sec, 0LL);
	KUNIT_EXPECT_EQ(test, rep.acl_len, 0U);
	mf_put(&rep);
	KUNIT_EXPECT_EQ(test, mf_lookup(&dir, "none", &again), -ENOENT);
	KUNIT_EXPECT_EQ(test, mf_lookup(&file, "file", &again), -ENOTDIR);
	KUNIT_EXPECT_EQ(test, mf_lookup(&dir, "..", &again), -EACCES);
	KUNIT_EXPECT_EQ(test, mf_lookup(&dir, ".", &again), -EPROTO);
}

static void a_symbolic_link_comes_with_its_target(struct kunit *test)
{
	struct md_object link;
	struct md_op_data op;
	struct md_reply rep;

	ot_new(test, &ot.root, "link", S_IFLNK | 0777);
	link = mf_found(test, &mf.root, "link");
	op = mf_op(MDS_GETATTR, &link);
	op.size = 6;
	KUNIT_ASSERT_EQ(test, mf_call(&op, &rep), 0);
	KUNIT_EXPECT_TRUE(test, S_ISLNK(rep.attr.mode));
	KUNIT_ASSERT_EQ(test, rep.result_len, 6U);
	KUNIT_EXPECT_EQ(test, memcmp(rep.result, "target", 6), 0);
	mf_put(&rep);
	/* The client has no buffer for it. */
	op.size = 5;
	KUNIT_ASSERT_EQ(test, mf_call(&op, &rep), 0);
	KUNIT_EXPECT_EQ(test, rep.result_len, 0U);
	mf_put(&rep);
}

static void a_device_node_has_its_number(struct kunit *test)
{
	const struct qstr name = QSTR_INIT("node", 4);
	const struct osd_create oc = {
		.ocr_fid = ot_fid(), .ocr_mode = S_IFCHR | 0600, .ocr_rdev = MKDEV(300, 70000),
	};
	struct osd_object child;
	struct md_object node;
	struct md_reply rep;

	KUNIT_ASSERT_EQ(test, osd_create(&ot.root, &name, &oc, NULL, &child), 0);
	osd_object_fini(&child);
	node = mf_found(test, &mf.root, "node");
	KUNIT_ASSERT_EQ(test, getattr(&node, &rep), 0);
	KUNIT_EXPECT_EQ(test, rep.attr.rdev, (u32)new_encode_dev(MKDEV(300, 70000)));
	mf_put(&rep);
}

/* A hint leads to an object with its FID, or nowhere. */
static void a_forged_hint_leads_nowhere(struct kunit *test)
{
	struct md_object one, two, forged;

	ot_new(test, &ot.root, "one", S_IFREG | 0644);
	ot_new(test, &ot.root, "two", S_IFREG | 0644);
	ot_plain(test, &ot.root, "plain", S_IFREG | 0644);
	one = mf_found(test, &mf.root, "one");
	two = mf_found(test, &mf.root, "two");
	forged = one;
	forged.hint = two.hint;
	KUNIT_EXPECT_EQ(test, try_getattr(&forged), -ESTALE);
	memset(&forged.hint, 0xff, sizeof(forged.hint));
	KUNIT_EXPECT_EQ(test, try_getattr(&forged), -ESTALE);
	forged = one;
	forged.fid.f_oid += 1000;
	KUNIT_EXPECT_EQ(test, try_getattr(&forged), -ESTALE);
	forged.fid = (struct lu_fid){ .f_seq = FID_SEQ_NORMAL, .f_oid = 1, .f_ver = 1 };
	KUNIT_EXPECT_EQ(test, try_getattr(&forged), -EPROTO);
	KUNIT_EXPECT_EQ(test, try_getattr(&one), 0);
	KUNIT_EXPECT_EQ(test, try_getattr(&two), 0);
}

/* An object of before a restart is found by the hint of before. */
static void a_hint_outlives_the_target(struct kunit *test)
{
	struct md_object file;

	ot_new(test, &ot.root, "file", S_IFREG | 0644);
	file = mf_found(test, &mf.root, "file");
	mf_end_devices(test);
	KUNIT_ASSERT_EQ(test, mf_start(), 0);
	KUNIT_ASSERT_EQ(test, mf_connect(), 0);
	KUNIT_EXPECT_EQ(test, try_getattr(&file), 0);
}

/* --- malformed requests --------------------------------------------------------------- */

static void malformed_requests_are_refused(struct kunit *test)
{
	static const u32 opcodes[] = {
		MDS_GETATTR, MDS_GETATTR_NAME, MDS_READPAGE, MDS_GETXATTR, MDS_SYNC,
		MDS_FID2PATH,
	};
	struct md_op_data op;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(opcodes); n++) {
		/* No object, and too many. */
		op = mf_op(opcodes[n], NULL);
		KUNIT_EXPECT_LT_MSG(test, mf_try(&op), 0, "%u", opcodes[n]);
		op = mf_op_name(opcodes[n], &mf.root, "name");
		op.objects = 2;
		op.object[1] = mf.root;
		KUNIT_EXPECT_EQ_MSG(test, mf_try(&op), -EPROTO, "%u", opcodes[n]);
	}
	op = mf_op(MDS_GETATTR_NAME, &mf.root);
	KUNIT_EXPECT_EQ(test, mf_try(&op), -EPROTO);
	op = mf_op_name(MDS_GETATTR_NAME, &mf.root, "a/b");
	KUNIT_EXPECT_EQ(test, mf_try(&op), -EPROTO);
	op = mf_op_name(MDS_GETATTR, &mf.root, "name");
	KUNIT_EXPECT_EQ(test, mf_try(&op), -EPROTO);
	op = mf_op(MDS_GETATTR, &mf.root);
	op.uid = -1;
	KUNIT_EXPECT_EQ(test, mf_try(&op), -EINVAL);
}

/* --- users ---------------------------------------------------------------------------- */

static noinline int lookup_as(u32 uid, u32 gid, u64 caps, const __le32 *groups, u32 nr_groups,
		     const struct md_object *dir)
{
	struct md_op_data op = mf_op_name(MDS_GETATTR_NAME, dir, "file");

	op.uid = uid;
	op.gid = gid;
	op.caps = caps;
	op.groups = groups;
	op.nr_groups = nr_groups;
	return mf_try(&op);
}

static void permissions_are_those_of_the_client(struct kunit *test)
{
	const __le32 groups[] = { cpu_to_le32(5), cpu_to_le32(GROUP) };
	struct iattr attr = { .ia_valid = ATTR_GID, .ia_gid = KGIDT_INIT(GROUP) };
	struct osd_object child;
	struct md_op_data op;
	struct md_object dir;

	KUNIT_ASSERT_EQ(test, ot_make(&ot.root, "dir", S_IFDIR | 0710, &child), 0);
	KUNIT_EXPECT_EQ(test, osd_setattr(&child, &attr, NULL), 0);
	ot_new(test, &child, "file", S_IFREG | 0600);
	osd_object_fini(&child);
	dir = mf_found(test, &mf.root, "dir");
	KUNIT_EXPECT_EQ(test, lookup_as(USER, USER, 0, NULL, 0, &dir), -EACCES);
	KUNIT_EXPECT_EQ(test, lookup_as(USER, GROUP, 0, NULL, 0, &dir), 0);
	KUNIT_EXPECT_EQ(test, lookup_as(USER, USER, 0, groups, 2, &dir), 0);
	KUNIT_EXPECT_EQ(test, lookup_as(USER, USER, 0, groups, 1, &dir), -EACCES);
	KUNIT_EXPECT_EQ(test, lookup_as(USER, USER, BIT_ULL(CAP_DAC_READ_SEARCH), NULL, 0, &dir),
			0);
	/* The group may search the directory, and not read it. */
	op = mf_op(MDS_READPAGE, &dir);
	op.uid = USER;
	op.gid = GROUP;
	op.caps = 0;
	op.size = PAGE_SIZE;
	KUNIT_EXPECT_EQ(test, mf_try(&op), -EACCES);
}

/* --- extended attributes -------------------------------------------------------------- */

/* Return: length, or a negative errno. The value is compared with @bytes of @len, unless NULL */
static noinline int getxattr(struct kunit *test, const struct md_object *obj, const char *name,
			     u64 caps, u32 size, const char *bytes, u32 len)
{
	struct md_op_data op = mf_op(MDS_GETXATTR, obj);
	struct md_reply rep;
	int rc;

	op.caps = caps;
	op.size = size;
	op.name = name;
	op.name_len = name ? strlen(name) : 0;
	rc = mf_call(&op, &rep);
	if (rc)
		return rc;
	if (bytes) {
		KUNIT_EXPECT_EQ(test, rep.result_len, len);
		KUNIT_EXPECT_EQ(test, memcmp(rep.result, bytes, min(len, rep.result_len)), 0);
	}
	rc = rep.length;
	mf_put(&rep);
	return rc;
}

static void attributes_are_those_that_a_client_may_see(struct kunit *test)
{
	static const struct osd_xattr list[] = { { "trusted.of.client", "value", 5 } };
	static const struct osd_xattrs xattrs = { list, 1 };
	const u64 admin = BIT_ULL(CAP_SYS_ADMIN);
	struct osd_object child;
	struct md_object file;

	KUNIT_ASSERT_EQ(test, ot_make(&ot.root, "file", S_IFREG | 0644, &child), 0);
	KUNIT_EXPECT_EQ(test, osd_ea_set(&child, &xattrs, NULL), 0);
	osd_object_fini(&child);
	file = mf_found(test, &mf.root, "file");
	KUNIT_EXPECT_EQ(test, getxattr(test, &file, "trusted.of.client", admin, 64, "value", 5), 5);
	KUNIT_EXPECT_EQ(test, getxattr(test, &file, "trusted.of.client", admin, 0, "", 0), 5);
	KUNIT_EXPECT_EQ(test, getxattr(test, &file, "trusted.of.client", admin, 4, NULL, 0),
			-ERANGE);
	KUNIT_EXPECT_EQ(test, getxattr(test, &file, "trusted.of.client", 0, 64, NULL, 0), -ENODATA);
	KUNIT_EXPECT_EQ(test, getxattr(test, &file, "trusted.none", admin, 64, NULL, 0), -ENODATA);
	KUNIT_EXPECT_EQ(test, getxattr(test, &file, XATTR_NAME_LMA, 0, 64, NULL, 0), 24);
	/* Names: the server's own are not among them. */
	KUNIT_EXPECT_EQ(test, getxattr(test, &file, NULL, admin, 64, "trusted.of.client", 18), 18);
	KUNIT_EXPECT_EQ(test, getxattr(test, &file, NULL, admin, 0, "", 0), 18);
	KUNIT_EXPECT_EQ(test, getxattr(test, &file, NULL, 0, 64, "", 0), 0);
}

/* All attributes of an object as text: "NAME=VALUE ", and "NAME? ", "NAME! " without a value. */
static noinline const char *all_of(struct kunit *test, const struct md_object *obj, u64 caps, u32 size)
{
	struct md_op_data op = mf_op(MDS_GETXATTR, obj);
	char *text = kunit_kzalloc(test, 256, GFP_KERNEL);
	struct md_reply rep;
	struct md_xattr xa;
	size_t len = 0;
	u32 at;
	int rc;

	KUNIT_ASSERT_NOT_NULL(test, text);
	op.flags = MDS_XATTR_ALL;
	op.caps = caps;
	op.size = size;
	rc = mf_call(&op, &rep);
	if (rc) {
		scnprintf(text, 256, "%d", rc);
		return text;
	}
	for (at = 0; at < rep.result_len; at += xa.len) {
		KUNIT_ASSERT_NULL(test, md_xattr_decode(rep.result + at, rep.result_len - at, &xa));
		len += scnprintf(text + len, 256 - len, "%.*s%s%.*s ", xa.name_len, xa.name,
				 xa.flags & MDS_XATTR_LEFT ? "?" : xa.flags ? "!" : "=",
				 xa.value_len, (const char *)xa.value ?: "");
	}
	mf_put(&rep);
	return text;
}

/* The server's own are not among them, nor are values that do not fit. */
static void all_attributes_come_at_once(struct kunit *test)
{
	static const struct osd_xattr list[] = {
		{ "trusted.a", "a value of 22 bytes...", 22 }, { "trusted.b", "b", 1 },
	};
	static const struct osd_xattrs xattrs = { list, 2 };
	const u64 admin = BIT_ULL(CAP_SYS_ADMIN);
	struct osd_object child;
	struct md_object file;

	KUNIT_ASSERT_EQ(test, ot_make(&ot.root, "file", S_IFREG | 0644, &child), 0);
	file = mf_found(test, &mf.root, "file");
	KUNIT_EXPECT_STREQ(test, all_of(test, &file, admin, 256), "");
	KUNIT_EXPECT_EQ(test, osd_ea_set(&child, &xattrs, NULL), 0);
	osd_object_fini(&child);
	KUNIT_EXPECT_STREQ(test, all_of(test, &file, 0, 256), "");
	KUNIT_EXPECT_NOT_NULL(test, strstr(all_of(test, &file, admin, 256),
					   "trusted.a=a value of 22 bytes... "));
	KUNIT_EXPECT_NOT_NULL(test, strstr(all_of(test, &file, admin, 256), "trusted.b=b "));
	/* Each name takes 24 bytes. */
	KUNIT_EXPECT_NOT_NULL(test, strstr(all_of(test, &file, admin, 64), "trusted.a? "));
	KUNIT_EXPECT_NOT_NULL(test, strstr(all_of(test, &file, admin, 64), "trusted.b=b "));
	KUNIT_EXPECT_NOT_NULL(test, strstr(all_of(test, &file, admin, 48), "trusted.b? "));
	KUNIT_EXPECT_STREQ(test, all_of(test, &file, admin, 47), "-34");
	KUNIT_EXPECT_STREQ(test, all_of(test, &file, admin, 0), "-34");
}

/* --- directories ---------------------------------------------------------------------- */

#define MANY	300

/**
 * struct listing - what a client has read of a directory
 * @page: bulk data
 * @cookie: where it continues
 * @seen: names by their numbers
 * @count: entries
 * @size: bytes that it asks for
 * @ended: it has seen the end
 */
struct listing {
	struct page	*page;
	u64		cookie;
	u8		seen[MANY];
	u32		count;
	u32		size;
	bool		ended;
};

static void entry_note(struct kunit *test, struct listing *list, const struct md_dirent *ent)
{
	char name[16] = "";
	u32 n;

	memcpy(name, ent->name, min_t(u32, ent->name_len, sizeof(name) - 1));
	KUNIT_ASSERT_EQ(test, kstrtou32(name, 10, &n), 0);
	KUNIT_ASSERT_LT(test, n, (u32)MANY);
	list->seen[n]++;
	list->count++;
	KUNIT_EXPECT_EQ(test, ent->attr.mode, (u32)(S_IFREG | 0644));
	KUNIT_EXPECT_EQ(test, ent->type, (u8)DT_REG);
	if (n % 50 == 0)
		KUNIT_EXPECT_EQ(test, try_getattr(&ent->object), 0);
}

static void listing_decode(struct kunit *test, struct listing *list, u32 bytes)
{
	const u8 *from = page_address(list->page);
	struct md_dirent ent;
	const char *fault;

	while (bytes && !list->ended) {
		fault = md_dirent_decode(from, bytes, &ent);
		KUNIT_ASSERT_TRUE_MSG(test, !fault, "%s", fault);
		list->cookie = ent.next;
		if (ent.name_len)
			entry_note(test, list, &ent);
		else
			list->ended = true;
		from += ent.len;
		bytes -= ent.len;
	}
	KUNIT_EXPECT_EQ(test, bytes, 0U);
}

/* One request. Return: its status */
static int listing_read(struct kunit *test, struct listing *list, const struct md_object *dir,
			u32 uid)
{
	struct bio_vec vec = { .bv_page = list->page, .bv_len = list->size };
	const struct ptlrpc_bulk bulk = { &vec, 1, list->size };
	struct md_op_data op = mf_op(MDS_READPAGE, dir);
	struct ptlrpc_request *req;
	struct md_reply rep;
	int rc;

	op.uid = uid;
	op.size = list->size;
	op.cookie = list->cookie;
	req = mf_request(&op);
	KUNIT_ASSERT_TRUE(test, req != NULL);
	req->rq_bulk_in = &bulk;
	rc = mf_send(req, &rep);
	if (!rc)
		listing_decode(test, list, req->rq_bulk_got);
	ptlrpc_request_put(req);
	return rc;
}

static struct listing *listing_new(struct kunit *test, u32 size)
{
	struct listing *list = kunit_kzalloc(test, sizeof(*list), GFP_KERNEL);

	KUNIT_ASSERT_TRUE(test, list != NULL);
	list->page = alloc_pages(GFP_KERNEL, MF_BULK_ORDER);
	KUNIT_ASSERT_TRUE(test, list->page != NULL);
	list->size = size;
	return list;
}

static void listing_end(struct kunit *test, struct listing *list)
{
	u32 n;

	KUNIT_EXPECT_TRUE(test, list->ended);
	KUNIT_EXPECT_EQ(test, list->count, (u32)MANY);
	for (n = 0; n < MANY; n++)
		KUNIT_EXPECT_EQ_MSG(test, list->seen[n], (u8)1, "%u", n);
	__free_pages(list->page, MF_BULK_ORDER);
}

static struct md_object many_make(struct kunit *test)
{
	struct osd_object child;
	char name[16];
	u32 n;

	KUNIT_ASSERT_EQ(test, ot_make(&ot.root, "many", S_IFDIR | 0755, &child), 0);
	for (n = 0; n < MANY; n++) {
		snprintf(name, sizeof(name), "%u", n);
		ot_new(test, &child, name, S_IFREG | 0644);
	}
	osd_object_fini(&child);
	return mf_found(test, &mf.root, "many");
}

/* Each reader continues where it has stopped, also where tmpfs has no stable cookies. */
static void a_directory_is_read_in_parts_by_two_users(struct kunit *test)
{
	struct listing *one = listing_new(test, 4096), *two = listing_new(test, 8000);
	struct md_object dir = many_make(test);
	u32 n;

	for (n = 0; n < MANY && !(one->ended && two->ended); n++) {
		if (!one->ended)
			KUNIT_ASSERT_EQ(test, listing_read(test, one, &dir, 0), 0);
		if (!two->ended)
			KUNIT_ASSERT_EQ(test, listing_read(test, two, &dir, USER), 0);
	}
	KUNIT_EXPECT_GT(test, n, 10U);
	listing_end(test, one);
	listing_end(test, two);
}

static void a_directory_is_read_at_once(struct kunit *test)
{
	struct listing *list = listing_new(test, MF_BULK);
	struct md_object dir = many_make(test);

	/* 300 entries of 184 bytes fit. */
	KUNIT_EXPECT_EQ(test, listing_read(test, list, &dir, 0), 0);
	listing_end(test, list);
}

/* The client goes in the middle; its directories that are kept go, too. */
static void a_directory_that_was_not_read_to_its_end_is_closed(struct kunit *test)
{
	struct listing *list = listing_new(test, 4096);
	struct md_object dir = many_make(test);

	KUNIT_EXPECT_EQ(test, listing_read(test, list, &dir, 0), 0);
	KUNIT_EXPECT_FALSE(test, list->ended);
	__free_pages(list->page, MF_BULK_ORDER);
}

static void a_directory_is_not_read(struct kunit *test)
{
	struct listing *list = listing_new(test, MF_BULK);
	struct md_object file;

	ot_new(test, &ot.root, "file", S_IFREG | 0644);
	file = mf_found(test, &mf.root, "file");
	KUNIT_EXPECT_EQ(test, listing_read(test, list, &file, 0), -ENOTDIR);
	list->size = 64;
	KUNIT_EXPECT_EQ(test, listing_read(test, list, &mf.root, 0), -EINVAL);
	__free_pages(list->page, MF_BULK_ORDER);
}

/* --- sequences, and the whole target -------------------------------------------------- */

static int seq_query(struct lustre_seq_range *seq)
{
	struct ptlrpc_request *req = ptlrpc_request_new(kr.imp, SEQ_QUERY, MDS_REQUEST_PORTAL,
							NULL, 0);
	const struct lustre_seq_range *got;
	int rc;

	if (!req)
		return -ENOMEM;
	rc = ptlrpc_queue_wait(req);
	got = rc ? NULL : ptlrpc_rep_buf(req, 0, sizeof(*got));
	if (got)
		*seq = *got;
	else if (!rc)
		rc = -EBADMSG;
	ptlrpc_request_put(req);
	return rc;
}

static void expect_seq(struct kunit *test, u64 start)
{
	struct lustre_seq_range seq = {};

	KUNIT_EXPECT_EQ(test, seq_query(&seq), 0);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(seq.sr_start), start);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(seq.sr_end), start + 1);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(seq.sr_index), 0U);
}

/* The file as it is, or as a case wants it (@write). */
static void seq_file(struct kunit *test, struct lustre_seq_range *seq, size_t len, bool write)
{
	const struct path path = ot_path();
	struct file *file = file_open_root(&path, SEQ, O_RDWR | O_CREAT, 0644);
	loff_t pos = 0;

	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	if (write)
		KUNIT_EXPECT_EQ(test, kernel_write(file, seq, len, &pos), (ssize_t)len);
	else
		KUNIT_EXPECT_EQ(test, kernel_read(file, seq, len, &pos), (ssize_t)len);
	__fput_sync(file);
}

static void a_sequence_is_given_out_once(struct kunit *test)
{
	struct lustre_seq_range seq;

	expect_seq(test, FID_SEQ_NORMAL);
	expect_seq(test, FID_SEQ_NORMAL + 1);
	seq_file(test, &seq, sizeof(seq), false);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(seq.sr_start), FID_SEQ_NORMAL + 2);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(seq.sr_end), FID_SEQ_NORMAL + (1ULL << 30));
	mf_end_devices(test);
	KUNIT_ASSERT_EQ(test, mf_start(), 0);
	KUNIT_ASSERT_EQ(test, mf_connect(), 0);
	expect_seq(test, FID_SEQ_NORMAL + 2);
}

static struct lustre_seq_range seq_of(u64 start, u64 end, u32 index, u32 flags)
{
	return (struct lustre_seq_range){
		.sr_start = cpu_to_le64(start), .sr_end = cpu_to_le64(end),
		.sr_index = cpu_to_le32(index), .sr_flags = cpu_to_le32(flags),
	};
}

/* Of the file system lustre-2.9 that real Lustre wrote. */
static void the_sequences_of_real_lustre_are_continued(struct kunit *test)
{
	struct lustre_seq_range seq = seq_of(0x2000013a0, 0x240000400, 0, 0);

	seq_file(test, &seq, sizeof(seq), true);
	KUNIT_ASSERT_EQ(test, mf_start(), 0);
	KUNIT_ASSERT_EQ(test, mf_connect(), 0);
	expect_seq(test, 0x2000013a0);
	expect_seq(test, 0x2000013a1);
}

static void the_last_sequence_is_the_last(struct kunit *test)
{
	struct lustre_seq_range seq = seq_of(0x2400003ff, 0x240000400, 0, 0);

	seq_file(test, &seq, sizeof(seq), true);
	KUNIT_ASSERT_EQ(test, mf_start(), 0);
	KUNIT_ASSERT_EQ(test, mf_connect(), 0);
	expect_seq(test, 0x2400003ff);
	KUNIT_EXPECT_EQ(test, seq_query(&seq), -ENOSPC);
}

/* Files of sequences, and what the target says when it starts. */
static const struct seq_row {
	u64		start;
	u64		end;
	u32		index;
	u32		flags;
	size_t		len;
	int		rc;
	const char	*word;
} seq_rows[] = {
	{ 0x2000013a0, 0x240000400, 0, 0, 10, -EUCLEAN, "too short" },
	{ 0x400, 0x240000400, 0, 0, 24, -EUCLEAN, "range" },
	{ 0x240000400, 0x2000013a0, 0, 0, 24, -EUCLEAN, "range" },
	{ 0x2000013a0, 0x240000400, 7, 0, 24, -EUCLEAN, "another target" },
	{ 0x2000013a0, 0x240000400, 0, 1, 24, -EUCLEAN, "metadata" },
	{ 0, 0, 0, 0, 24, 0, "" },
};

static void a_damaged_file_of_sequences_is_refused(struct kunit *test)
{
	struct lustre_seq_range seq;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(seq_rows); n++) {
		const struct seq_row *row = &seq_rows[n];

		seq = seq_of(row->start, row->end, row->index, row->flags);
		seq_file(test, &seq, row->len, true);
		KUNIT_EXPECT_EQ_MSG(test, mf_start(), row->rc, "row %zu", n);
		KUNIT_EXPECT_TRUE_MSG(test, !!strstr(ot.why.text, row->word), "row %zu: %s", n,
				      ot.why.text);
		mf_stop(test);
	}
}

static void sync_and_statfs_are_counted(struct kunit *test)
{
	const struct md_op_data op = mf_op(MDS_SYNC, &mf.root);
	struct obd_statfs st = {};

	KUNIT_EXPECT_EQ(test, mf_try(&op), 0);
	KUNIT_EXPECT_EQ(test, md_statfs(kr.srv->obd_self_export, &st, 0), 0);
	KUNIT_EXPECT_NE(test, st.os_bsize, 0U);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, MF_PARAMS "md_stats"), 0L);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, MF_PARAMS "site"), 0L);
}

static struct kunit_case mdt_cases[] = {
	KUNIT_CASE(the_root_is_found_without_a_hint),
	KUNIT_CASE(a_name_leads_to_its_object),
	KUNIT_CASE(a_symbolic_link_comes_with_its_target),
	KUNIT_CASE(a_device_node_has_its_number),
	KUNIT_CASE(a_forged_hint_leads_nowhere),
	KUNIT_CASE(a_hint_outlives_the_target),
	KUNIT_CASE(malformed_requests_are_refused),
	KUNIT_CASE(permissions_are_those_of_the_client),
	KUNIT_CASE(attributes_are_those_that_a_client_may_see),
	KUNIT_CASE(all_attributes_come_at_once),
	KUNIT_CASE(a_directory_is_read_in_parts_by_two_users),
	KUNIT_CASE(a_directory_is_read_at_once),
	KUNIT_CASE(a_directory_that_was_not_read_to_its_end_is_closed),
	KUNIT_CASE(a_directory_is_not_read),
	KUNIT_CASE(a_sequence_is_given_out_once),
	KUNIT_CASE(sync_and_statfs_are_counted),
	{}
};

/* The case starts the target itself. */
static struct kunit_case start_cases[] = {
	KUNIT_CASE(the_sequences_of_real_lustre_are_continued),
	KUNIT_CASE(the_last_sequence_is_the_last),
	KUNIT_CASE(a_damaged_file_of_sequences_is_refused),
	{}
};

static struct kunit_suite mdt_suite = {
	.name		= "mdt",
	.suite_init	= mf_suite_init,
	.init		= mf_init,
	.exit		= mf_exit,
	.test_cases	= mdt_cases,
};

static struct kunit_suite start_suite = {
	.name		= "mdt_start",
	.suite_init	= mf_suite_init,
	.init		= mf_init_dir,
	.exit		= mf_exit,
	.test_cases	= start_cases,
};

kunit_test_suites(&mdt_suite, &start_suite);

MODULE_DESCRIPTION("KUnit: a metadata target, operations that change nothing");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
