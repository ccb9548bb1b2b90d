// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every allocation of every operation is made to fail in turn: the operation does without, or it
 * returns an errno and has changed nothing.
 */
#include "osd_fixture.h"
#include "failslab.h"

#define WALK_MAX	2000
#define NAME_LEN	16

/**
 * struct round - one call of an operation, with names of its own
 * @test: case
 * @obj: "aN"
 * @victim: "bN"
 * @a: name
 * @b: name
 * @text: bytes of @a and @b
 */
struct round {
	struct kunit		*test;
	struct osd_object	obj;
	struct osd_object	victim;
	struct qstr		a;
	struct qstr		b;
	char			text[2][NAME_LEN];
};

/**
 * struct operation - what is walked
 * @mode: of the objects that it starts from; 0: none
 * @run: the operation. Return: >= 0: done; or its errno
 * @check: the state after it. @rc: result of @run
 */
struct operation {
	umode_t	mode;
	int	(*run)(struct round *r);
	void	(*check)(struct round *r, int rc);
};

static void round_name(char *text, struct qstr *name, char letter, u32 number)
{
	int len = snprintf(text, NAME_LEN, "%c%u", letter, number);

	*name = (struct qstr)QSTR_INIT(text, len);
}

static void round_start(struct kunit *test, const struct operation *op, struct round *r,
			u32 number)
{
	*r = (struct round){ .test = test };
	round_name(r->text[0], &r->a, 'a', number);
	round_name(r->text[1], &r->b, 'b', number);
	if (!op->mode)
		return;
	KUNIT_ASSERT_EQ(test, ot_make(&ot.root, r->text[0], op->mode, &r->obj), 0);
	KUNIT_ASSERT_EQ(test, ot_make(&ot.root, r->text[1], op->mode, &r->victim), 0);
}

static void round_end(struct round *r)
{
	osd_object_fini(&r->obj);
	osd_object_fini(&r->victim);
}

/* One round for each allocation, and a last one without a failure. */
static void walk(struct kunit *test, const struct operation *op)
{
	u32 n, noticed = 0;
	bool failed = true;
	struct round r;
	int rc;

	if (sleeping_allocations_fail(true))
		kunit_skip(test, "debugfs is not mounted");
	for (n = 1; failed && n < WALK_MAX; n++) {
		round_start(test, op, &r, n);
		current->fail_nth = n;
		rc = op->run(&r);
		failed = !current->fail_nth;
		current->fail_nth = 0;
		noticed += rc < 0;
		/* tmpfs without memory for an inode says that it is full. */
		KUNIT_EXPECT_TRUE(test, rc >= 0 || rc == -ENOMEM || rc == -ENOSPC);
		KUNIT_EXPECT_TRUE(test, failed || rc >= 0);
		op->check(&r, rc);
		round_end(&r);
	}
	sleeping_allocations_fail(false);
	KUNIT_EXPECT_GT(test, n, 2U);
	kunit_info(test, "%u allocations failed in turn, %u of them noticed\n", n - 2, noticed);
}

static int pending_add_up(struct osd_object *obj, void *data)
{
	++*(u32 *)data;
	return 0;
}

static u32 pending_count(struct kunit *test)
{
	u32 count = 0;

	KUNIT_EXPECT_EQ(test, osd_pending_walk(ot.osd, pending_add_up, &count), 0);
	return count;
}

static void expect_name(struct round *r, const char *text, const struct osd_object *obj)
{
	struct osd_object found = {};
	int rc = ot_look(&ot.root, text, &found);

	KUNIT_EXPECT_EQ(r->test, rc, obj ? 0 : -ENOENT);
	if (!rc && obj)
		KUNIT_EXPECT_TRUE(r->test, ot_fid_is(&found, &obj->oo_fid));
	osd_object_fini(&found);
}

static const struct osd_xattr attrs[] = {
	{ "trusted.lov", "layout", 6 },
	{ "trusted.link", "names", 5 },
};

static const struct osd_xattrs both = { attrs, ARRAY_SIZE(attrs) };

static int make(struct round *r, umode_t mode)
{
	const struct osd_create oc = {
		.ocr_fid = ot_fid(),
		.ocr_mode = mode,
		.ocr_link = "target",
		.ocr_xattrs = both,
	};

	return osd_create(&ot.root, &r->a, &oc, NULL, &r->obj);
}

static int file_make(struct round *r)
{
	return make(r, S_IFREG | 0644);
}

static int dir_make(struct round *r)
{
	return make(r, S_IFDIR | 0755);
}

static int symlink_make(struct round *r)
{
	return make(r, S_IFLNK | 0777);
}

static void made_check(struct round *r, int rc)
{
	expect_name(r, r->text[0], rc ? NULL : &r->obj);
	if (!rc)
		KUNIT_EXPECT_EQ(r->test, osd_ea_get(&r->obj, "trusted.lov", NULL, 0), (ssize_t)6);
}

static void create_is_made_whole_or_not_at_all(struct kunit *test)
{
	walk(test, &(const struct operation){ 0, file_make, made_check });
}

static void mkdir_is_made_whole_or_not_at_all(struct kunit *test)
{
	walk(test, &(const struct operation){ 0, dir_make, made_check });
}

static void symlink_is_made_whole_or_not_at_all(struct kunit *test)
{
	walk(test, &(const struct operation){ 0, symlink_make, made_check });
}

static void unchanged_check(struct round *r, int rc)
{
	expect_name(r, r->text[0], &r->obj);
	expect_name(r, r->text[1], &r->victim);
}

static int link_run(struct round *r)
{
	const struct qstr name = QSTR_INIT("link", 4);

	return osd_link(&r->obj, &ot.root, &name, &both, NULL);
}

static void link_check(struct round *r, int rc)
{
	const struct qstr name = QSTR_INIT("link", 4);

	KUNIT_EXPECT_EQ(r->test, d_inode(r->obj.oo_dentry)->i_nlink, rc ? 1U : 2U);
	expect_name(r, "link", rc ? NULL : &r->obj);
	if (!rc)
		KUNIT_EXPECT_EQ(r->test, osd_unlink(&ot.root, &name, &r->obj, 0, NULL, NULL), 0);
}

static void link_gives_a_name_or_none(struct kunit *test)
{
	walk(test, &(const struct operation){ S_IFREG | 0644, link_run, link_check });
}

static int unlink_run(struct round *r)
{
	return osd_unlink(&ot.root, &r->a, &r->obj, OSD_REMOVE_PENDING, &both, NULL);
}

static void unlink_check(struct round *r, int rc)
{
	expect_name(r, r->text[0], rc < 0 ? &r->obj : NULL);
	KUNIT_EXPECT_EQ(r->test, d_inode(r->obj.oo_dentry)->i_nlink, 1U);
	KUNIT_EXPECT_EQ(r->test, pending_count(r->test), rc < 0 ? 0U : 1U);
	if (rc >= 0)
		KUNIT_EXPECT_EQ(r->test, osd_pending_destroy(ot.osd, &r->obj.oo_fid, NULL), 0);
}

static void unlink_moves_to_pending_or_leaves_the_name(struct kunit *test)
{
	walk(test, &(const struct operation){ S_IFREG | 0644, unlink_run, unlink_check });
}

static int rename_run(struct round *r)
{
	const struct osd_rename ren = {
		.orn_from = &ot.root,
		.orn_from_name = r->a,
		.orn_obj = &r->obj,
		.orn_to = &ot.root,
		.orn_to_name = r->b,
		.orn_victim = &r->victim,
		.orn_flags = OSD_REMOVE_PENDING,
		.orn_xattrs = both,
	};

	return osd_rename(&ren, NULL);
}

static void rename_check(struct round *r, int rc)
{
	expect_name(r, r->text[0], rc < 0 ? &r->obj : NULL);
	expect_name(r, r->text[1], rc < 0 ? &r->victim : &r->obj);
	KUNIT_EXPECT_EQ(r->test, pending_count(r->test), rc < 0 ? 0U : 1U);
	if (rc >= 0)
		KUNIT_EXPECT_EQ(r->test, osd_pending_destroy(ot.osd, &r->victim.oo_fid, NULL), 0);
}

static void rename_replaces_or_changes_nothing(struct kunit *test)
{
	walk(test, &(const struct operation){ S_IFREG | 0644, rename_run, rename_check });
}

static int setxattr_run(struct round *r)
{
	return osd_setxattr(&r->obj, &attrs[0], 0, NULL);
}

static void setxattr_check(struct round *r, int rc)
{
	KUNIT_EXPECT_EQ(r->test, osd_ea_get(&r->obj, attrs[0].ox_name, NULL, 0),
			rc ? (ssize_t)-ENODATA : (ssize_t)6);
}

static void setxattr_sets_the_value_or_none(struct kunit *test)
{
	walk(test, &(const struct operation){ S_IFREG | 0644, setxattr_run, setxattr_check });
}

static int entry_count(const struct osd_dirent *ent, void *data)
{
	++*(u32 *)data;
	return 0;
}

static int read_run(struct round *r)
{
	struct osd_dir *od = osd_dir_open(&ot.root);
	u32 count = 0;
	int rc;

	if (IS_ERR(od))
		return PTR_ERR(od);
	rc = osd_dir_read(od, 0, entry_count, &count);
	osd_dir_close(od);
	return rc;
}

static void directory_is_read_or_says_why(struct kunit *test)
{
	walk(test, &(const struct operation){ S_IFREG | 0644, read_run, unchanged_check });
}

static int cred_run(struct round *r)
{
	static u32 uid;
	const struct osd_ident id = { .oid_uid = ++uid };
	const struct cred *cred = osd_cred_get(ot.osd, &id);

	if (IS_ERR(cred))
		return PTR_ERR(cred);
	put_cred(cred);
	return 0;
}

static void no_check(struct round *r, int rc)
{
}

static void identity_is_found_or_says_why(struct kunit *test)
{
	walk(test, &(const struct operation){ 0, cred_run, no_check });
}

static int open_run(struct round *r)
{
	struct osd_device *osd = osd_device_open(&ot.top, OSD_KIND_OST, OT_NAME, &ot.why);

	if (IS_ERR(osd))
		return PTR_ERR(osd);
	osd_device_close(osd);
	return 0;
}

static void device_is_opened_or_says_why(struct kunit *test)
{
	walk(test, &(const struct operation){ 0, open_run, no_check });
}

static struct kunit_case osd_fail_cases[] = {
	KUNIT_CASE(create_is_made_whole_or_not_at_all),
	KUNIT_CASE(mkdir_is_made_whole_or_not_at_all),
	KUNIT_CASE(symlink_is_made_whole_or_not_at_all),
	KUNIT_CASE(link_gives_a_name_or_none),
	KUNIT_CASE(unlink_moves_to_pending_or_leaves_the_name),
	KUNIT_CASE(rename_replaces_or_changes_nothing),
	KUNIT_CASE(setxattr_sets_the_value_or_none),
	KUNIT_CASE(directory_is_read_or_says_why),
	KUNIT_CASE(identity_is_found_or_says_why),
	KUNIT_CASE(device_is_opened_or_says_why),
	{}
};

static struct kunit_suite osd_fail_suite = {
	.name		= "osd_fail",
	.suite_init	= client_suite_init,
	.init		= ot_init,
	.exit		= ot_exit,
	.test_cases	= osd_fail_cases,
};

kunit_test_suite(osd_fail_suite);

MODULE_DESCRIPTION("KUnit: failing allocations of objects in a directory");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
