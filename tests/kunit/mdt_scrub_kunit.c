// SPDX-License-Identifier: GPL-2.0-only
/* Objects by FID alone, and their paths. */
#include <linux/limits.h>

#include "mdt_names_fixture.h"

#define SCRUB	MF_PARAMS "oi_scrub"

/* Records of the parameter. */
enum { STATUS, CHECKED, DIRECTORIES, FAILED, INDEXED };

/* The number in a record, or ~0. */
static u64 scrub_number(unsigned int record)
{
	struct params_value_rec *rec;

	if (client_read(fx.client, SCRUB))
		return ~0ULL;
	rec = client_rec(fx.client, record);
	if (!rec || rec->vr_len < sizeof(u64))
		return ~0ULL;
	return *(u64 *)client_rec_value(rec);
}

static struct md_object without_hint(const struct md_object *obj)
{
	return (struct md_object){ .fid = obj->fid };
}

/* MDS_GETATTR by the FID alone. */
static noinline int seek(const struct md_object *obj)
{
	const struct md_object bare = without_hint(obj);
	const struct md_op_data op = mf_op(MDS_GETATTR, &bare);
	struct md_reply rep;
	int rc = mf_call(&op, &rep);

	if (!rc && !lu_fid_eq(&rep.object.fid, &obj->fid))
		rc = -EBADMSG;
	mf_put(&rep);
	return rc;
}

/* Path of the name @number of an object is @path, and @next follows. */
static noinline int path_is(const struct md_object *obj, u32 number, const char *path, u32 next)
{
	const struct md_object bare = without_hint(obj);
	struct md_op_data op = mf_op(MDS_FID2PATH, &bare);
	struct md_reply rep;
	int rc;

	op.cookie = number;
	op.size = PATH_MAX;
	rc = mf_call(&op, &rep);
	if (!rc && (rep.result_len != strlen(path) || memcmp(rep.result, path, rep.result_len) ||
		    rep.length != next))
		rc = -EBADMSG;
	mf_put(&rep);
	return rc;
}

static noinline int path_fails(const struct md_object *obj, u32 size)
{
	struct md_op_data op = mf_op(MDS_FID2PATH, obj);

	op.size = size;
	return mf_try(&op);
}

/* Objects of before the walk, and of after it. */
static void an_object_is_found_by_its_fid(struct kunit *test)
{
	struct md_object old, made, never = mn_new();

	ot_new(test, &ot.root, "old", S_IFREG | 0644);
	old = mf_found(test, &mf.root, "old");
	KUNIT_EXPECT_EQ(test, scrub_number(INDEXED), 0);
	KUNIT_EXPECT_EQ(test, seek(&old), 0);
	KUNIT_EXPECT_EQ(test, scrub_number(INDEXED), 2);
	made = mn_file(test, "made");
	KUNIT_EXPECT_EQ(test, scrub_number(INDEXED), 3);
	KUNIT_EXPECT_EQ(test, scrub_number(CHECKED), 1);
	KUNIT_EXPECT_EQ(test, seek(&made), 0);
	KUNIT_EXPECT_EQ(test, seek(&never), -ENOENT);
	KUNIT_EXPECT_EQ(test, mn_unlink("made", &made), 0);
	KUNIT_EXPECT_EQ(test, scrub_number(INDEXED), 2);
	KUNIT_EXPECT_EQ(test, seek(&made), -ENOENT);
	KUNIT_EXPECT_EQ(test, scrub_number(CHECKED), 1);
}

/* One that was removed beside the target: its entry leads nowhere, and goes. */
static void an_entry_that_is_stale_goes(struct kunit *test)
{
	const struct qstr name = QSTR_INIT("gone", 4);
	struct osd_object found;
	struct md_object gone;

	ot_new(test, &ot.root, "gone", S_IFREG | 0644);
	gone = mf_found(test, &mf.root, "gone");
	KUNIT_EXPECT_EQ(test, client_write(fx.client, SCRUB, "start"), 0);
	KUNIT_EXPECT_EQ(test, path_is(&mf.root, 0, "/", 0), 0);
	KUNIT_EXPECT_EQ(test, seek(&(struct md_object){ .fid = mn_new().fid }), -ENOENT);
	KUNIT_ASSERT_EQ(test, ot_look(&ot.root, "gone", &found), 0);
	KUNIT_EXPECT_EQ(test, osd_unlink(&ot.root, &name, &found, 0, NULL, NULL), 0);
	osd_object_fini(&found);
	KUNIT_EXPECT_EQ(test, scrub_number(INDEXED), 2);
	KUNIT_EXPECT_EQ(test, seek(&gone), -ENOENT);
	KUNIT_EXPECT_EQ(test, scrub_number(INDEXED), 1);
}

static void each_name_has_a_path(struct kunit *test)
{
	struct md_object dir = mn_dir(test, "dir"), file = mn_file(test, "file");

	KUNIT_EXPECT_EQ(test, path_is(&file, 0, "file", 0), 0);
	KUNIT_EXPECT_EQ(test, path_is(&dir, 0, "dir", 0), 0);
	KUNIT_EXPECT_EQ(test, mn_link(&file, &dir, "second"), 0);
	KUNIT_EXPECT_EQ(test, path_is(&file, 0, "file", 1), 0);
	KUNIT_EXPECT_EQ(test, path_is(&file, 1, "dir/second", 1), 0);
	KUNIT_EXPECT_EQ(test, path_is(&file, 2, "", 0), -ENODATA);
	KUNIT_EXPECT_EQ(test, path_is(&dir, 1, "", 0), -ENODATA);
	KUNIT_EXPECT_EQ(test, mn_rename("dir", &dir, "moved", NULL), 0);
	KUNIT_EXPECT_EQ(test, path_is(&file, 1, "moved/second", 1), 0);
	KUNIT_EXPECT_EQ(test, mn_unlink("file", &file), 0);
	KUNIT_EXPECT_EQ(test, path_is(&file, 0, "moved/second", 0), 0);
}

static void paths_that_there_are_not(struct kunit *test)
{
	struct md_object file = mn_file(test, "file"), odd = file;

	KUNIT_EXPECT_EQ(test, path_fails(&file, 4), -EOVERFLOW);
	KUNIT_EXPECT_EQ(test, path_fails(&file, 5), 0);
	KUNIT_EXPECT_EQ(test, path_fails(&file, 0), -EOVERFLOW);
	odd.fid = (struct lu_fid){ .f_seq = FID_SEQ_IDIF, .f_oid = 1 };
	KUNIT_EXPECT_EQ(test, path_fails(&odd, PATH_MAX), -EINVAL);
	odd.fid = (struct lu_fid){ .f_seq = FID_SEQ_DOT_LUSTRE, .f_oid = FID_OID_DOT_LUSTRE };
	KUNIT_EXPECT_EQ(test, path_fails(&odd, PATH_MAX), -EINVAL);
	ot_new(test, &ot.root, "unlisted", S_IFREG | 0644);
	odd = mf_found(test, &mf.root, "unlisted");
	KUNIT_EXPECT_EQ(test, path_fails(&odd, PATH_MAX), -ENODATA);
	KUNIT_EXPECT_EQ(test, mn_unlink("file", &file), 0);
	KUNIT_EXPECT_EQ(test, path_fails(&file, PATH_MAX), -ENOENT);
}

static struct kunit_case scrub_cases[] = {
	KUNIT_CASE(an_object_is_found_by_its_fid),
	KUNIT_CASE(an_entry_that_is_stale_goes),
	KUNIT_CASE(each_name_has_a_path),
	KUNIT_CASE(paths_that_there_are_not),
	{}
};

static struct kunit_suite scrub_suite = {
	.name		= "mdt_scrub",
	.suite_init	= mf_suite_init,
	.init		= mn_init,
	.exit		= mf_exit,
	.test_cases	= scrub_cases,
};

kunit_test_suite(scrub_suite);

MODULE_DESCRIPTION("KUnit: objects of a metadata target by FID alone");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
