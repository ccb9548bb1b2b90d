// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes of names in the tree of a metadata target: each operation, its refusals, and each
 * executed again after changes that followed it.
 */
#include "mdt_names_fixture.h"

#define USER	1000

/* --- create --------------------------------------------------------------------------- */

static void objects_of_each_type_are_created(struct kunit *test)
{
	static const u32 modes[] = {
		S_IFREG | 0640, S_IFDIR | 0750, S_IFLNK | 0777, S_IFCHR | 0600, S_IFBLK | 0600,
		S_IFIFO | 0644, S_IFSOCK | 0644,
	};
	struct md_op_data op;
	struct md_reply rep;
	char name[8];
	u32 n;

	for (n = 0; n < ARRAY_SIZE(modes); n++) {
		const struct md_object new = mn_new();

		snprintf(name, sizeof(name), "n%u", n);
		mn_create_op(&op, &mf.root, name, modes[n], &new);
		op.attr.rdev = new_encode_dev(MKDEV(300, 70000));
		KUNIT_ASSERT_EQ(test, mn_call(&op, &rep), 0);
		KUNIT_EXPECT_TRUE(test, lu_fid_eq(&rep.object.fid, &new.fid));
		KUNIT_EXPECT_EQ(test, rep.attr.mode & S_IFMT, modes[n] & S_IFMT);
		KUNIT_EXPECT_TRUE(test, rep.has_parent);
		KUNIT_EXPECT_EQ(test, rep.flags, 0U);
		if (S_ISCHR(modes[n]))
			KUNIT_EXPECT_EQ(test, rep.attr.rdev, (u32)op.attr.rdev);
		if (S_ISLNK(modes[n]))
			KUNIT_EXPECT_EQ(test, rep.result_len, 6U);
		mf_put(&rep);
		KUNIT_EXPECT_TRUE(test, mn_is(name, &new));
		KUNIT_EXPECT_EQ(test, mn_links(name, name), 1);
	}
}

static void a_new_object_is_its_creators(struct kunit *test)
{
	struct md_object dir = mn_dir(test, "dir"), new = mn_new();
	struct md_op_data op;
	struct md_reply rep;

	mn_op(&op, REINT_SETATTR, &dir, NULL, NULL);
	op.attr.valid = MDS_ATTR_MODE;
	op.attr.mode = 0777;
	KUNIT_ASSERT_EQ(test, mn_try(&op), 0);
	mn_create_op(&op, &dir, "sub", S_IFDIR | 0777, &new);
	op.uid = USER;
	op.gid = USER;
	op.caps = 0;
	op.umask = 027;
	KUNIT_ASSERT_EQ(test, mn_call(&op, &rep), 0);
	KUNIT_EXPECT_EQ(test, rep.attr.mode, (u32)(S_IFDIR | 0750));
	KUNIT_EXPECT_EQ(test, rep.attr.uid, (u32)USER);
	KUNIT_EXPECT_EQ(test, rep.attr.gid, (u32)USER);
	KUNIT_EXPECT_EQ(test, rep.parent.nlink, 3U);
	mf_put(&rep);
}

static void creates_are_refused(struct kunit *test)
{
	struct md_object file = mn_file(test, "file"), dir = mn_dir(test, "dir"), other = mn_new();
	struct md_op_data op;

	mn_create_op(&op, &mf.root, "file", S_IFREG | 0644, &other);
	KUNIT_EXPECT_EQ(test, mn_try(&op), -EEXIST);
	mn_create_op(&op, &file, "x", S_IFREG | 0644, &other);
	KUNIT_EXPECT_EQ(test, mn_try(&op), -ENOTDIR);
	mn_create_op(&op, &dir, "x", S_IFREG | 0644, &other);
	op.uid = USER;
	op.caps = 0;
	KUNIT_EXPECT_EQ(test, mn_try(&op), -EACCES);
	mn_create_op(&op, &dir, "x", S_IFCHR | 0644, &other);
	op.attr.rdev = 1;
	op.caps = 0;
	KUNIT_EXPECT_EQ(test, mn_try(&op), -EPERM);
	/* A FID that no sequence of clients has. */
	other.fid = (struct lu_fid){ .f_seq = 100, .f_oid = 5 };
	mn_create_op(&op, &dir, "x", S_IFREG | 0644, &other);
	KUNIT_EXPECT_EQ(test, mn_try(&op), -EINVAL);
	/* One that is in use. */
	mn_create_op(&op, &dir, "x", S_IFREG | 0644, &dir);
	KUNIT_EXPECT_EQ(test, mn_try(&op), -EEXIST);
	KUNIT_EXPECT_EQ(test, mn_remove(&mf.root, "dir", &dir, MDS_UNLINK_DIR, NULL), 0);
	mn_create_op(&op, &dir, "x", S_IFREG | 0644, &file);
	KUNIT_EXPECT_EQ(test, mn_try(&op), -ESTALE);
}

/* --- link and unlink ------------------------------------------------------------------ */

static void names_of_a_file_are_listed(struct kunit *test)
{
	struct md_object file = mn_file(test, "one"), dir = mn_dir(test, "dir");
	u32 flags;

	KUNIT_EXPECT_EQ(test, mn_link(&file, &mf.root, "two"), 0);
	KUNIT_EXPECT_TRUE(test, mn_is("two", &file));
	KUNIT_EXPECT_EQ(test, mn_links("two", "one"), 2);
	KUNIT_EXPECT_EQ(test, mn_links("two", "two"), 2);
	KUNIT_EXPECT_EQ(test, mn_link(&file, &mf.root, "two"), -EEXIST);
	KUNIT_EXPECT_EQ(test, mn_link(&dir, &mf.root, "three"), -EPERM);
	KUNIT_EXPECT_EQ(test, mn_link(&file, &dir, "two"), 0);
	KUNIT_EXPECT_EQ(test, mn_links("two", "two"), 3);
	KUNIT_EXPECT_EQ(test, mn_remove(&mf.root, "one", &file, 0, &flags), 0);
	KUNIT_EXPECT_EQ(test, flags, 0U);
	KUNIT_EXPECT_EQ(test, mn_links("two", "two"), 2);
	KUNIT_EXPECT_EQ(test, mn_links("two", "one"), 0);
	KUNIT_EXPECT_EQ(test, mn_remove(&dir, "two", &file, 0, &flags), 0);
	KUNIT_EXPECT_EQ(test, mn_remove(&mf.root, "two", &file, 0, &flags), 0);
	KUNIT_EXPECT_EQ(test, flags, (u32)MDS_BODY_GONE);
	KUNIT_EXPECT_EQ(test, mn_link(&file, &mf.root, "four"), -ESTALE);
	KUNIT_EXPECT_EQ(test, mn_pending(), 0U);
}

static void unlinks_are_refused(struct kunit *test)
{
	struct md_object file = mn_file(test, "file"), other = mn_file(test, "other");
	struct md_object dir = mn_dir(test, "dir");
	struct md_op_data op;
	u32 flags;

	mn_op(&op, REINT_UNLINK, &mf.root, &file, "file");
	mn_made(test, &dir, "in", S_IFREG | 0644);
	KUNIT_EXPECT_EQ(test, mn_unlink("file", &other), -ESTALE);
	KUNIT_EXPECT_EQ(test, mn_unlink("none", &file), -ENOENT);
	KUNIT_EXPECT_EQ(test, mn_unlink("dir", &dir), -EISDIR);
	KUNIT_EXPECT_EQ(test, mn_remove(&mf.root, "file", &file, MDS_UNLINK_DIR, NULL), -ENOTDIR);
	KUNIT_EXPECT_EQ(test, mn_remove(&mf.root, "dir", &dir, MDS_UNLINK_DIR, NULL), -ENOTEMPTY);
	op.uid = USER;
	op.caps = 0;
	KUNIT_EXPECT_EQ(test, mn_try(&op), -EACCES);
	KUNIT_EXPECT_TRUE(test, mn_is("file", &file));
	other = mf_found(test, &dir, "in");
	KUNIT_EXPECT_EQ(test, mn_remove(&dir, "in", &other, 0, &flags), 0);
	KUNIT_EXPECT_EQ(test, flags, (u32)MDS_BODY_GONE);
	KUNIT_EXPECT_EQ(test, mn_remove(&mf.root, "dir", &dir, MDS_UNLINK_DIR, &flags), 0);
	KUNIT_EXPECT_EQ(test, flags, (u32)MDS_BODY_GONE);
	KUNIT_EXPECT_EQ(test, mn_create(&dir, "late", S_IFREG | 0644, &other), -ESTALE);
}

/* --- rename --------------------------------------------------------------------------- */

static void a_rename_replaces_what_the_client_saw(struct kunit *test)
{
	struct md_object a = mn_file(test, "a"), b = mn_file(test, "b"), c = mn_file(test, "c");

	KUNIT_EXPECT_EQ(test, mn_rename("a", &a, "d", NULL), 0);
	KUNIT_EXPECT_TRUE(test, mn_is("d", &a));
	KUNIT_EXPECT_EQ(test, ot_find(&ot.root, "a"), -ENOENT);
	KUNIT_EXPECT_EQ(test, mn_links("d", "d"), 1);
	KUNIT_EXPECT_EQ(test, mn_rename("d", &a, "b", NULL), -ESTALE);
	KUNIT_EXPECT_EQ(test, mn_rename("d", &a, "b", &c), -ESTALE);
	KUNIT_EXPECT_EQ(test, mn_rename("d", &b, "x", NULL), -ESTALE);
	KUNIT_EXPECT_EQ(test, mn_rename("a", &a, "x", NULL), -ENOENT);
	KUNIT_EXPECT_EQ(test, mn_rename("d", &a, "b", &b), 0);
	KUNIT_EXPECT_TRUE(test, mn_is("b", &a));
	KUNIT_EXPECT_EQ(test, mn_links("b", "b"), 1);
	/* The victim keeps its other name. */
	KUNIT_EXPECT_EQ(test, mn_link(&c, &mf.root, "c2"), 0);
	KUNIT_EXPECT_EQ(test, mn_rename("b", &a, "c", &c), 0);
	KUNIT_EXPECT_EQ(test, mn_links("c2", "c2"), 1);
	/* Two names of one file both stay. */
	KUNIT_EXPECT_EQ(test, mn_link(&a, &mf.root, "a2"), 0);
	KUNIT_EXPECT_EQ(test, mn_rename("c", &a, "a2", &a), 0);
	KUNIT_EXPECT_TRUE(test, mn_is("c", &a) && mn_is("a2", &a));
	KUNIT_EXPECT_EQ(test, mn_links("c", "c"), 2);
}

static void directories_are_renamed(struct kunit *test)
{
	struct md_object a = mn_dir(test, "a"), b = mn_dir(test, "b"), file = mn_file(test, "file");
	struct md_object in = mn_made(test, &b, "in", S_IFDIR | 0755);
	struct md_op_data op;

	mn_rename_op(&op, &mf.root, "b", &b, &in, "x", NULL);
	KUNIT_EXPECT_EQ(test, mn_try(&op), -EINVAL);
	KUNIT_EXPECT_EQ(test, mn_rename("a", &a, "b", &b), -ENOTEMPTY);
	KUNIT_EXPECT_EQ(test, mn_rename("a", &a, "file", &file), -ENOTDIR);
	KUNIT_EXPECT_EQ(test, mn_rename("file", &file, "a", &a), -EISDIR);
	mn_rename_op(&op, &b, "in", &in, &mf.root, "a", &a);
	KUNIT_EXPECT_EQ(test, mn_try(&op), 0);
	KUNIT_EXPECT_TRUE(test, mn_is("a", &in));
	KUNIT_EXPECT_EQ(test, mn_links("a", "a"), 1);
	KUNIT_EXPECT_EQ(test, mn_rename("b", &b, "c", NULL), 0);
	KUNIT_EXPECT_EQ(test, mn_links("c", "c"), 1);
	mn_rename_op(&op, &mf.root, "c", &b, &a, "x", NULL);
	KUNIT_EXPECT_EQ(test, mn_try(&op), -ESTALE);
}

/* --- executed again ------------------------------------------------------------------- */

/* As a replay, twice. */
static void again(struct kunit *test, const struct md_op_data *op, u32 flags)
{
	struct md_reply rep;
	u32 n;

	mn.flags = MSG_REPLAY;
	for (n = 0; n < 2; n++) {
		KUNIT_EXPECT_EQ(test, mn_call(op, &rep), 0);
		KUNIT_EXPECT_EQ(test, rep.flags, flags);
		mf_put(&rep);
	}
	mn.flags = 0;
}

static void a_create_is_executed_again(struct kunit *test)
{
	struct md_object file = mn_file(test, "file"), other;
	struct md_op_data op;

	mn_create_op(&op, &mf.root, "file", S_IFREG | 0644, &file);
	again(test, &op, 0);
	KUNIT_EXPECT_TRUE(test, mn_is("file", &file));
	/* Nothing is left of it. */
	KUNIT_EXPECT_EQ(test, mn_unlink("file", &file), 0);
	again(test, &op, 0);
	KUNIT_EXPECT_TRUE(test, mn_is("file", &file));
	/* A later rename has survived: there is one object of a FID. */
	KUNIT_EXPECT_EQ(test, mn_rename("file", &file, "moved", NULL), 0);
	again(test, &op, 0);
	KUNIT_EXPECT_EQ(test, ot_find(&ot.root, "file"), -ENOENT);
	KUNIT_EXPECT_TRUE(test, mn_is("moved", &file));
	/* A later unlink and create have. */
	KUNIT_EXPECT_EQ(test, mn_unlink("moved", &file), 0);
	other = mn_file(test, "file");
	again(test, &op, MDS_BODY_GONE);
	KUNIT_EXPECT_TRUE(test, mn_is("file", &other));
}

/* A power cut left the name without a FID. */
static void what_is_left_of_a_create_is_completed(struct kunit *test)
{
	struct md_object file = mn_new();
	struct md_op_data op;

	mn_create_op(&op, &mf.root, "file", S_IFREG | 0644, &file);
	ot_plain(test, &ot.root, "file", S_IFREG | 0644);
	again(test, &op, 0);
	KUNIT_EXPECT_TRUE(test, mn_is("file", &file));
	KUNIT_EXPECT_EQ(test, mn_links("file", "file"), 1);
}

static void a_directory_is_created_again(struct kunit *test)
{
	struct md_object dir = mn_dir(test, "dir"), file = mn_made(test, &dir, "f", S_IFREG | 0644);
	struct md_op_data mkdir, create;

	mn_create_op(&mkdir, &mf.root, "dir", S_IFDIR | 0755, &dir);
	mn_create_op(&create, &dir, "f", S_IFREG | 0644, &file);
	KUNIT_EXPECT_EQ(test, mn_remove(&dir, "f", &file, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, mn_remove(&mf.root, "dir", &dir, MDS_UNLINK_DIR, NULL), 0);
	/* The directory's hint is that of an inode that is gone. */
	again(test, &create, MDS_BODY_GONE);
	again(test, &mkdir, 0);
	again(test, &create, 0);
	file = mf_found(test, &dir, "f");
	KUNIT_EXPECT_TRUE(test, lu_fid_eq(&file.fid, &create.object[1].fid));
}

static void a_link_is_executed_again(struct kunit *test)
{
	struct md_object file = mn_file(test, "file"), other;
	struct md_op_data link, rename;

	mn_op(&link, REINT_LINK, &mf.root, &file, "two");
	mn_rename_op(&rename, &mf.root, "two", &file, &mf.root, "three", NULL);
	again(test, &link, 0);
	KUNIT_EXPECT_EQ(test, mn_links("file", "two"), 2);
	/* A later rename has survived: the link is made again, and goes with the rename. */
	KUNIT_EXPECT_EQ(test, mn_rename("two", &file, "three", NULL), 0);
	again(test, &link, 0);
	KUNIT_EXPECT_TRUE(test, mn_is("two", &file));
	again(test, &rename, 0);
	KUNIT_EXPECT_EQ(test, ot_find(&ot.root, "two"), -ENOENT);
	KUNIT_EXPECT_EQ(test, mn_links("file", "three"), 2);
	/* Another object has the name. */
	other = mn_file(test, "two");
	again(test, &link, 0);
	KUNIT_EXPECT_TRUE(test, mn_is("two", &other));
	KUNIT_EXPECT_EQ(test, mn_unlink("file", &file), 0);
	KUNIT_EXPECT_EQ(test, mn_unlink("three", &file), 0);
	again(test, &link, MDS_BODY_GONE);
}

static void an_unlink_is_executed_again(struct kunit *test)
{
	struct md_object file = mn_file(test, "file"), dir = mn_dir(test, "dir"), other;
	struct md_op_data unlink, rmdir;

	mn_op(&unlink, REINT_UNLINK, &mf.root, &file, "file");
	mn_op(&rmdir, REINT_UNLINK, &mf.root, &dir, "dir");
	rmdir.flags = MDS_UNLINK_DIR;
	again(test, &unlink, MDS_BODY_GONE);
	again(test, &rmdir, MDS_BODY_GONE);
	other = mn_file(test, "file");
	again(test, &unlink, MDS_BODY_GONE);
	KUNIT_EXPECT_TRUE(test, mn_is("file", &other));
	/* It has another name. */
	unlink.object[1] = other;
	KUNIT_EXPECT_EQ(test, mn_link(&other, &mf.root, "two"), 0);
	again(test, &unlink, 0);
	KUNIT_EXPECT_TRUE(test, mn_is("two", &other));
	KUNIT_EXPECT_EQ(test, ot_find(&ot.root, "file"), -ENOENT);
}

static void a_rename_is_executed_again(struct kunit *test)
{
	struct md_object a = mn_file(test, "a"), b = mn_file(test, "b"), other;
	struct md_op_data op;

	mn_rename_op(&op, &mf.root, "a", &a, &mf.root, "b", &b);
	again(test, &op, 0);
	KUNIT_EXPECT_TRUE(test, mn_is("b", &a));
	KUNIT_EXPECT_EQ(test, ot_find(&ot.root, "a"), -ENOENT);
	/* Another object has the old name, the object another one. */
	other = mn_file(test, "a");
	again(test, &op, 0);
	KUNIT_EXPECT_EQ(test, mn_rename("b", &a, "c", NULL), 0);
	again(test, &op, 0);
	KUNIT_EXPECT_TRUE(test, mn_is("a", &other) && mn_is("c", &a));
	/* All are gone. */
	KUNIT_EXPECT_EQ(test, mn_unlink("c", &a), 0);
	again(test, &op, MDS_BODY_GONE);
	KUNIT_EXPECT_TRUE(test, mn_is("a", &other));
}

/* A client of before that did not come back has done something else with the new name. */
static void a_rename_replaces_nothing_unseen(struct kunit *test)
{
	struct md_object a = mn_file(test, "a"), b = mn_file(test, "b");
	struct md_op_data op;

	mn_rename_op(&op, &mf.root, "a", &a, &mf.root, "b", NULL);
	mn.flags = MSG_REPLAY;
	KUNIT_EXPECT_EQ(test, mn_try(&op), -EEXIST);
	mn.flags = 0;
	KUNIT_EXPECT_TRUE(test, mn_is("a", &a) && mn_is("b", &b));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(objects_of_each_type_are_created),
	KUNIT_CASE(a_new_object_is_its_creators),
	KUNIT_CASE(creates_are_refused),
	KUNIT_CASE(names_of_a_file_are_listed),
	KUNIT_CASE(unlinks_are_refused),
	KUNIT_CASE(a_rename_replaces_what_the_client_saw),
	KUNIT_CASE(directories_are_renamed),
	KUNIT_CASE(a_create_is_executed_again),
	KUNIT_CASE(what_is_left_of_a_create_is_completed),
	KUNIT_CASE(a_directory_is_created_again),
	KUNIT_CASE(a_link_is_executed_again),
	KUNIT_CASE(an_unlink_is_executed_again),
	KUNIT_CASE(a_rename_is_executed_again),
	KUNIT_CASE(a_rename_replaces_nothing_unseen),
	{}
};

static struct kunit_suite suite = {
	.name = "mdt_reint",
	.suite_init = mf_suite_init,
	.init = mn_init,
	.exit = mf_exit,
	.test_cases = cases,
};
kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: changes of names in the tree of a metadata target");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
