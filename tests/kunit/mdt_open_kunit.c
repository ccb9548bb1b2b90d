// SPDX-License-Identifier: GPL-2.0-only
/*
 * Open objects of a metadata target, objects without a name, attributes that are set; and
 * clients that change the same names.
 */
#include <linux/xattr.h>

#include <lustre_lite/lov_ea.h>

#include "mdt_names_fixture.h"

#include "../../mdt/mdt_internal.h"
#include "race.h"

#define USER	1000
#define RW	(MDS_FMODE_READ | MDS_FMODE_WRITE)
/* Of a value that is not an ACL. */
#define NO_ACL_RC	(IS_ENABLED(CONFIG_TMPFS_POSIX_ACL) ? -EINVAL : -EOPNOTSUPP)

/* Open what is there. Return: its handle */
static noinline u64 opened(struct kunit *test, const struct md_object *obj)
{
	struct md_reply rep;
	u64 handle;

	KUNIT_ASSERT_EQ(test, mn_open(obj, NULL, NULL, RW, &rep), 0);
	KUNIT_EXPECT_EQ(test, rep.flags, (u32)MDS_BODY_OPENED);
	handle = rep.handle;
	mf_put(&rep);
	return handle;
}

static noinline int try_open(const char *name, const struct md_object *obj, u32 flags)
{
	struct md_reply rep;
	int rc = mn_open(&mf.root, name, obj, flags, &rep);

	if (!rc && rep.flags & MDS_BODY_OPENED)
		rc = mn_close(&rep.object, rep.handle, NULL);
	mf_put(&rep);
	return rc;
}

/* --- open and close ------------------------------------------------------------------- */

static void an_open_creates_what_is_missing(struct kunit *test)
{
	struct md_object new = mn_new(), other = mn_new();
	struct md_reply rep;
	u64 handle;

	KUNIT_EXPECT_EQ(test, try_open("file", &new, RW), -ENOENT);
	KUNIT_ASSERT_EQ(test, mn_open(&mf.root, "file", &new, RW | MDS_OPEN_CREAT, &rep), 0);
	KUNIT_EXPECT_EQ(test, rep.flags, (u32)(MDS_BODY_OPENED | MDS_BODY_CREATED));
	KUNIT_EXPECT_TRUE(test, rep.has_parent);
	KUNIT_EXPECT_EQ(test, rep.attr.mode, (u32)(S_IFREG | 0640));
	KUNIT_EXPECT_TRUE(test, mn_is("file", &new));
	KUNIT_EXPECT_EQ(test, mn_links("file", "file"), 1);
	handle = rep.handle;
	mf_put(&rep);
	KUNIT_ASSERT_EQ(test, mn_open(&mf.root, "file", &other, RW | MDS_OPEN_CREAT, &rep), 0);
	KUNIT_EXPECT_EQ(test, rep.flags, (u32)MDS_BODY_OPENED);
	KUNIT_EXPECT_FALSE(test, rep.has_parent);
	KUNIT_EXPECT_TRUE(test, lu_fid_eq(&rep.object.fid, &new.fid));
	KUNIT_EXPECT_NE(test, rep.handle, handle);
	KUNIT_EXPECT_EQ(test, mn_close(&rep.object, rep.handle, NULL), 0);
	KUNIT_EXPECT_EQ(test, mn_close(&rep.object, handle, NULL), 0);
	KUNIT_EXPECT_EQ(test, mn_close(&rep.object, handle, NULL), -ESTALE);
	KUNIT_EXPECT_EQ(test, mn_close(&rep.object, ~0ULL, NULL), -ESTALE);
	mf_put(&rep);
	KUNIT_EXPECT_EQ(test, try_open("file", &other, RW | MDS_OPEN_CREAT | MDS_OPEN_EXCL),
			-EEXIST);
	other.fid.f_seq = 100;
	KUNIT_EXPECT_EQ(test, try_open("x", &other, RW | MDS_OPEN_CREAT), -EINVAL);
}

static void an_open_is_refused(struct kunit *test)
{
	struct md_object dir = mn_dir(test, "dir"), file = mn_file(test, "file"), new = mn_new();
	struct md_op_data op;

	mn_op(&op, REINT_OPEN, &mf.root, &new, "file");
	mn_made(test, &mf.root, "link", S_IFLNK | 0777);
	mn_made(test, &mf.root, "fifo", S_IFIFO | 0644);
	KUNIT_EXPECT_EQ(test, try_open("dir", &new, MDS_FMODE_READ), 0);
	KUNIT_EXPECT_EQ(test, try_open("dir", &new, MDS_FMODE_WRITE), -EISDIR);
	KUNIT_EXPECT_EQ(test, try_open("dir", &new, MDS_FMODE_READ | MDS_OPEN_CREAT), -EISDIR);
	KUNIT_EXPECT_EQ(test, try_open("file", &new, MDS_FMODE_READ | MDS_OPEN_DIRECTORY),
			-ENOTDIR);
	KUNIT_EXPECT_EQ(test, try_open("fifo", &new, MDS_FMODE_READ | MDS_OPEN_DIRECTORY),
			-ENOTDIR);
	KUNIT_EXPECT_EQ(test, try_open("fifo", &new, MDS_FMODE_READ), 0);
	KUNIT_EXPECT_EQ(test, try_open("link", &new, MDS_FMODE_READ), 0);
	op.uid = USER;
	op.caps = 0;
	op.flags = MDS_FMODE_WRITE;
	KUNIT_EXPECT_EQ(test, mn_try(&op), -EACCES);
	op.flags = MDS_FMODE_READ | MDS_OPEN_TRUNC;
	KUNIT_EXPECT_EQ(test, mn_try(&op), -EACCES);
	op.flags = MDS_FMODE_EXEC;
	KUNIT_EXPECT_EQ(test, mn_try(&op), -EACCES);
	op.name = "new";
	op.name_len = 3;
	op.flags = RW | MDS_OPEN_CREAT;
	KUNIT_EXPECT_EQ(test, mn_try(&op), -EACCES);
	KUNIT_EXPECT_EQ(test, mn_remove(&mf.root, "dir", &dir, MDS_UNLINK_DIR, NULL), 0);
	mn_op(&op, REINT_OPEN, &dir, NULL, NULL);
	KUNIT_EXPECT_EQ(test, mn_try(&op), -ESTALE);
	KUNIT_EXPECT_TRUE(test, mn_is("file", &file));
}

static void what_is_executed_is_not_written(struct kunit *test)
{
	struct md_object file = mn_made(test, &mf.root, "file", S_IFREG | 0755);
	struct md_op_data cut;
	struct md_reply rep;

	mn_op(&cut, REINT_SETATTR, &file, NULL, NULL);
	cut.attr.valid = MDS_ATTR_SIZE;
	KUNIT_ASSERT_EQ(test, mn_open(&file, NULL, NULL, MDS_FMODE_EXEC, &rep), 0);
	KUNIT_EXPECT_EQ(test, try_open("file", &file, RW), -ETXTBSY);
	KUNIT_EXPECT_EQ(test, mn_try(&cut), -ETXTBSY);
	KUNIT_EXPECT_EQ(test, try_open("file", &file, MDS_FMODE_READ), 0);
	KUNIT_EXPECT_EQ(test, try_open("file", &file, MDS_FMODE_EXEC), 0);
	KUNIT_EXPECT_EQ(test, mn_close(&file, rep.handle, NULL), 0);
	mf_put(&rep);
	KUNIT_EXPECT_EQ(test, mn_try(&cut), 0);
	KUNIT_ASSERT_EQ(test, mn_open(&file, NULL, NULL, RW, &rep), 0);
	KUNIT_EXPECT_EQ(test, try_open("file", &file, MDS_FMODE_EXEC), -ETXTBSY);
	KUNIT_EXPECT_EQ(test, try_open("file", &file, RW), 0);
	KUNIT_EXPECT_EQ(test, mn_close(&file, rep.handle, NULL), 0);
	mf_put(&rep);
	KUNIT_EXPECT_EQ(test, try_open("file", &file, MDS_FMODE_EXEC), 0);
}

/* --- objects without a name ----------------------------------------------------------- */

static noinline int getattr(const struct md_object *obj, struct md_attr *attr)
{
	const struct md_op_data op = mf_op(MDS_GETATTR, obj);
	struct md_reply rep;
	int rc = mf_call(&op, &rep);

	*attr = rep.attr;
	mf_put(&rep);
	return rc;
}

static void an_open_file_outlives_its_name(struct kunit *test)
{
	struct md_object file = mn_file(test, "file"), b = mn_file(test, "b");
	u64 one = opened(test, &file), two = opened(test, &file);
	struct md_attr attr;
	u32 flags;

	KUNIT_EXPECT_EQ(test, mn_remove(&mf.root, "file", &file, 0, &flags), 0);
	KUNIT_EXPECT_EQ(test, flags, 0U);
	KUNIT_EXPECT_EQ(test, mn_pending(), 1U);
	KUNIT_EXPECT_EQ(test, getattr(&file, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.nlink, 0U);
	/* It gets no name any more, and its removal again does no harm. */
	KUNIT_EXPECT_EQ(test, mn_link(&file, &mf.root, "x"), -ENOENT);
	KUNIT_EXPECT_EQ(test, mn_unlink("file", &file), -ENOENT);
	KUNIT_EXPECT_EQ(test, mn_rename("b", &b, "file", &file), -ESTALE);
	KUNIT_EXPECT_EQ(test, mn_pending(), 1U);
	KUNIT_EXPECT_EQ(test, mn_close(&file, one, &flags), 0);
	KUNIT_EXPECT_EQ(test, flags, 0U);
	KUNIT_EXPECT_EQ(test, mn_pending(), 1U);
	KUNIT_EXPECT_EQ(test, mn_close(&file, two, &flags), 0);
	KUNIT_EXPECT_EQ(test, flags, (u32)MDS_BODY_GONE);
	KUNIT_EXPECT_EQ(test, mn_pending(), 0U);
	KUNIT_EXPECT_EQ(test, getattr(&file, &attr), -ESTALE);
}

static void an_open_file_is_replaced(struct kunit *test)
{
	struct md_object a = mn_file(test, "a"), b = mn_file(test, "b");
	u64 handle = opened(test, &b);
	u32 flags;

	KUNIT_EXPECT_EQ(test, mn_rename("a", &a, "b", &b), 0);
	KUNIT_EXPECT_EQ(test, mn_pending(), 1U);
	KUNIT_EXPECT_EQ(test, mn_close(&b, handle, &flags), 0);
	KUNIT_EXPECT_EQ(test, flags, (u32)MDS_BODY_GONE);
	KUNIT_EXPECT_EQ(test, mn_pending(), 0U);
	KUNIT_EXPECT_TRUE(test, mn_is("b", &a));
}

static void an_open_directory_is_removed(struct kunit *test)
{
	struct md_object dir = mn_dir(test, "dir"), file;
	u64 handle;
	struct md_reply rep;
	u32 flags;

	KUNIT_ASSERT_EQ(test, mn_open(&dir, NULL, NULL, MDS_FMODE_READ, &rep), 0);
	handle = rep.handle;
	mf_put(&rep);
	KUNIT_EXPECT_EQ(test, mn_remove(&mf.root, "dir", &dir, MDS_UNLINK_DIR, &flags), 0);
	KUNIT_EXPECT_EQ(test, flags, 0U);
	KUNIT_EXPECT_EQ(test, mn_create(&dir, "in", S_IFREG | 0644, &file), -ENOENT);
	KUNIT_EXPECT_EQ(test, mn_close(&dir, handle, &flags), 0);
	KUNIT_EXPECT_EQ(test, flags, (u32)MDS_BODY_GONE);
}

static void await_pending(struct kunit *test, u32 nr)
{
	unsigned long end = jiffies + FIXTURE_WAIT;

	while (mn_pending() != nr && time_before(jiffies, end))
		msleep(20);
	KUNIT_EXPECT_EQ(test, mn_pending(), nr);
}

static void an_evicted_client_has_nothing_open(struct kunit *test)
{
	struct md_object file = mn_file(test, "file"), kept = mn_file(test, "kept");

	opened(test, &file);
	opened(test, &kept);
	KUNIT_EXPECT_EQ(test, mn_unlink("file", &file), 0);
	KUNIT_EXPECT_EQ(test, mn_pending(), 1U);
	KUNIT_EXPECT_EQ(test, obd_export_evict_by_uuid(kr.srv, kr.cli->obd_uuid.uuid, NULL), 1U);
	await_pending(test, 0);
	KUNIT_EXPECT_TRUE(test, mn_is("kept", &kept));
}

/* Without clients to wait for, the next start destroys it. */
static void a_restart_destroys_what_nobody_opens(struct kunit *test)
{
	struct md_object file = mn_file(test, "file");

	opened(test, &file);
	KUNIT_EXPECT_EQ(test, mn_unlink("file", &file), 0);
	mf_stop(test);
	mf_end_devices(test);
	KUNIT_EXPECT_EQ(test, mn_pending(), 1U);
	KUNIT_ASSERT_EQ(test, mf_start(), 0);
	KUNIT_EXPECT_EQ(test, mn_pending(), 0U);
	KUNIT_ASSERT_EQ(test, mf_connect(), 0);
}

/* Another client may have it open, and come later than the one that removes it. */
static void a_removal_waits_for_the_end_of_recovery(struct kunit *test)
{
	struct md_object file = mn_file(test, "file"), gone = mn_file(test, "gone");
	struct md_op_data op;
	struct md_reply rep;
	u64 handle;

	WRITE_ONCE(mdt_device(kr.srv)->mdt_pinning, true);
	KUNIT_EXPECT_EQ(test, mn_unlink("file", &file), 0);
	KUNIT_EXPECT_EQ(test, mn_unlink("gone", &gone), 0);
	KUNIT_EXPECT_EQ(test, mn_pending(), 2U);
	mn_op(&op, REINT_OPEN, &mf.root, &file, "file");
	op.flags = RW;
	mn.flags = MSG_REPLAY;
	KUNIT_ASSERT_EQ(test, mn_call(&op, &rep), 0);
	handle = rep.handle;
	mf_put(&rep);
	/* A close and an open of before: the last one counts. */
	KUNIT_EXPECT_EQ(test, mn_close(&file, handle, NULL), 0);
	KUNIT_EXPECT_EQ(test, mn_pending(), 2U);
	KUNIT_ASSERT_EQ(test, mn_call(&op, &rep), 0);
	handle = rep.handle;
	mf_put(&rep);
	mn.flags = 0;
	kr.srv->obd_type->typ_target->to_recovered(kr.srv);
	KUNIT_EXPECT_EQ(test, mn_pending(), 1U);
	KUNIT_EXPECT_EQ(test, mn_close(&file, handle, NULL), 0);
	KUNIT_EXPECT_EQ(test, mn_pending(), 0U);
}

/* --- files with data ------------------------------------------------------------------ */

/* As real Lustre has written it: one stripe. */
static noinline void give_data(struct kunit *test, const char *name, struct md_object *file)
{
	static const struct lov_object object = {
		.fid = { .f_seq = FID_SEQ_IDIF, .f_oid = 77 },
	};
	const struct lov_ea ea = {
		.magic = LOV_MAGIC_V1, .pattern = LOV_PATTERN_RAID0, .oi_id = file->fid.f_oid,
		.oi_seq = file->fid.f_seq, .stripe_size = 1 << 20, .stripe_count = 1,
		.object_count = 1,
	};
	struct osd_xattr xattr = { .ox_name = XATTR_NAME_LOV, .ox_len = lov_ea_size(&ea) };
	const struct osd_xattrs xattrs = { .oxs_list = &xattr, .oxs_nr = 1 };
	struct osd_object obj;
	u8 bytes[128];

	KUNIT_ASSERT_LE(test, xattr.ox_len, sizeof(bytes));
	lov_ea_encode(bytes, &ea, &object);
	xattr.ox_value = bytes;
	KUNIT_ASSERT_EQ(test, ot_look(&ot.root, name, &obj), 0);
	KUNIT_EXPECT_EQ(test, osd_ea_set(&obj, &xattrs, NULL), 0);
	osd_object_fini(&obj);
}

static noinline void setattr_op(struct md_op_data *op, const struct md_object *obj, u64 valid)
{
	mn_op(op, REINT_SETATTR, obj, NULL, NULL);
	op->attr.valid = valid;
}

/* Clients truncate the objects; the file of the metadata target stays empty. */
static void the_size_is_that_of_the_objects(struct kunit *test)
{
	struct md_object file = mn_file(test, "file"), data = mn_file(test, "data");
	struct md_op_data op;
	struct md_attr attr;
	u32 flags;

	setattr_op(&op, &file, MDS_ATTR_SIZE);
	give_data(test, "data", &data);
	KUNIT_EXPECT_EQ(test, mn_try(&op), 0);
	op.attr.size = 1;
	KUNIT_EXPECT_EQ(test, mn_try(&op), -EOPNOTSUPP);
	setattr_op(&op, &data, MDS_ATTR_SIZE);
	op.attr.size = 1;
	KUNIT_EXPECT_EQ(test, mn_try(&op), 0);
	KUNIT_EXPECT_EQ(test, try_open("file", &data, RW | MDS_OPEN_TRUNC), 0);
	KUNIT_EXPECT_EQ(test, try_open("data", &data, RW | MDS_OPEN_TRUNC), 0);
	KUNIT_EXPECT_EQ(test, getattr(&data, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.size, 0ULL);
	/* Its objects are known by the file alone. */
	KUNIT_EXPECT_EQ(test, mn_remove(&mf.root, "data", &data, 0, &flags), 0);
	KUNIT_EXPECT_EQ(test, flags, (u32)MDS_BODY_GONE);
	KUNIT_EXPECT_EQ(test, mn_unlink("data", &data), -ENOENT);
	KUNIT_EXPECT_EQ(test, mn_pending(), 1U);
	mf_end_devices(test);
	KUNIT_ASSERT_EQ(test, mf_start(), 0);
	KUNIT_EXPECT_EQ(test, mn_pending(), 1U);
	KUNIT_ASSERT_EQ(test, mf_connect(), 0);
}

/* --- attributes ----------------------------------------------------------------------- */

static void attributes_are_set(struct kunit *test)
{
	struct md_object file = mn_file(test, "file");
	struct md_op_data op;
	struct md_attr attr;

	setattr_op(&op, &file, MDS_ATTR_MODE);
	op.attr.mode = S_IFDIR | 06755;
	KUNIT_EXPECT_EQ(test, mn_try(&op), 0);
	KUNIT_EXPECT_EQ(test, getattr(&file, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.mode, (u32)(S_IFREG | 06755));
	setattr_op(&op, &file, MDS_ATTR_UID | MDS_ATTR_GID | MDS_ATTR_KILL_SUID |
			MDS_ATTR_KILL_SGID);
	op.attr.uid = USER;
	op.attr.gid = USER + 1;
	KUNIT_EXPECT_EQ(test, mn_try(&op), 0);
	KUNIT_EXPECT_EQ(test, getattr(&file, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.mode, (u32)(S_IFREG | 0755));
	KUNIT_EXPECT_EQ(test, attr.uid, (u32)USER);
	KUNIT_EXPECT_EQ(test, attr.gid, (u32)USER + 1);
	setattr_op(&op, &file, MDS_ATTR_MODE | MDS_ATTR_KILL_SUID);
	op.attr.mode = 0600;
	KUNIT_EXPECT_EQ(test, mn_try(&op), 0);
	setattr_op(&op, &file, MDS_ATTR_ATIME | MDS_ATTR_ATIME_SET | MDS_ATTR_MTIME |
			MDS_ATTR_MTIME_SET);
	op.attr.atime = (struct md_time){ -5, 7 };
	op.attr.mtime = (struct md_time){ 1234567890, 999999999 };
	KUNIT_EXPECT_EQ(test, mn_try(&op), 0);
	KUNIT_EXPECT_EQ(test, getattr(&file, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.atime.sec, -5LL);
	KUNIT_EXPECT_EQ(test, attr.mtime.sec, 1234567890LL);
	KUNIT_EXPECT_EQ(test, attr.mtime.nsec, 999999999U);
	setattr_op(&op, &file, MDS_ATTR_ATIME | MDS_ATTR_MTIME);
	KUNIT_EXPECT_EQ(test, mn_try(&op), 0);
	KUNIT_EXPECT_EQ(test, getattr(&file, &attr), 0);
	KUNIT_EXPECT_GT(test, attr.mtime.sec, 1234567890LL);
	setattr_op(&op, &file, MDS_ATTR_UID);
	op.attr.uid = ~0U;
	KUNIT_EXPECT_EQ(test, mn_try(&op), -EINVAL);
	setattr_op(&op, &mf.root, MDS_ATTR_SIZE);
	KUNIT_EXPECT_EQ(test, mn_try(&op), -EISDIR);
}

static void others_set_no_attributes(struct kunit *test)
{
	static const u64 valid[] = {
		MDS_ATTR_MODE, MDS_ATTR_UID, MDS_ATTR_GID, MDS_ATTR_MTIME | MDS_ATTR_MTIME_SET,
		MDS_ATTR_ATIME | MDS_ATTR_MTIME, MDS_ATTR_SIZE, MDS_ATTR_KILL_PRIV,
	};
	struct md_object file = mn_file(test, "file");
	struct md_op_data op;
	u32 n;
	int rc;

	for (n = 0; n < ARRAY_SIZE(valid); n++) {
		setattr_op(&op, &file, valid[n]);
		op.uid = USER;
		op.gid = USER;
		op.caps = 0;
		op.attr.uid = USER;
		op.attr.gid = USER;
		rc = mn_try(&op);
		KUNIT_EXPECT_TRUE_MSG(test, rc == -EPERM || rc == -EACCES, "%llx: %d", valid[n],
				      rc);
		/* It was permitted the first time. */
		mn.flags = MSG_REPLAY;
		KUNIT_EXPECT_EQ(test, mn_try(&op), 0);
		mn.flags = 0;
	}
}

/* An open for writing permits what the mode does not. */
static void a_handle_permits_a_truncate(struct kunit *test)
{
	struct md_object new = mn_new();
	struct md_op_data op, truncate;
	struct md_reply rep;

	setattr_op(&op, &mf.root, MDS_ATTR_MODE);
	op.attr.mode = 0777;
	KUNIT_ASSERT_EQ(test, mn_try(&op), 0);
	mn_op(&op, REINT_OPEN, &mf.root, &new, "file");
	op.flags = RW | MDS_OPEN_CREAT | MDS_OPEN_EXCL;
	op.uid = USER;
	op.caps = 0;
	KUNIT_ASSERT_EQ(test, mn_call(&op, &rep), 0);
	setattr_op(&truncate, &rep.object, MDS_ATTR_SIZE | MDS_ATTR_MTIME);
	truncate.uid = USER;
	truncate.caps = 0;
	KUNIT_EXPECT_EQ(test, mn_try(&truncate), -EACCES);
	truncate.handle = rep.handle;
	KUNIT_EXPECT_EQ(test, mn_try(&truncate), 0);
	KUNIT_EXPECT_EQ(test, mn_close(&rep.object, rep.handle, NULL), 0);
	KUNIT_EXPECT_EQ(test, mn_try(&truncate), -EACCES);
	mf_put(&rep);
}

static void extended_attributes_are_set(struct kunit *test)
{
	static const struct {
		const char	*name;
		u64		caps;
		u32		flags;
		int		rc;
		int		again;
	} table[] = {
		{ "trusted.mine", ~0ULL, XATTR_REPLACE, -ENODATA, 0 },
		{ "trusted.mine", ~0ULL, XATTR_CREATE, -EEXIST, 0 },
		{ "trusted.mine", ~0ULL, 0, 0, 0 },
		{ "trusted.mine", 0, 0, -EPERM, 0 },
		{ "trusted.lma", ~0ULL, 0, 0, 0 },
		{ "trusted.lma", 0, 0, -EPERM, 0 },
		{ "trusted.lov", ~0ULL, 0, -EOPNOTSUPP, 0 },
		{ "trusted.link", ~0ULL, MDS_XATTR_REMOVE, 0, 0 },
		{ "trusted.som", ~0ULL, 0, -EPERM, 0 },
		{ "security.selinux", 0, 0, -EPERM, 0 },
		{ "lustre.lov", ~0ULL, 0, -EOPNOTSUPP, -EOPNOTSUPP },
		{ "system.posix_acl_access", ~0ULL, 0, NO_ACL_RC, NO_ACL_RC },
		{ "trusted.mine", ~0ULL, MDS_XATTR_REMOVE, 0, 0 },
		{ "trusted.mine", ~0ULL, MDS_XATTR_REMOVE, -ENODATA, 0 },
	};
	struct md_object file = mn_file(test, "file");
	struct md_op_data op;
	u32 n;

	for (n = 0; n < ARRAY_SIZE(table); n++) {
		mn_op(&op, REINT_SETXATTR, &file, NULL, table[n].name);
		op.flags = table[n].flags;
		op.caps = table[n].caps;
		if (!(op.flags & MDS_XATTR_REMOVE)) {
			op.value = "v";
			op.value_len = 1;
		}
		KUNIT_EXPECT_EQ_MSG(test, mn_try(&op), table[n].rc, "%u: %s", n, op.name);
		mn.flags = MSG_REPLAY;
		KUNIT_EXPECT_EQ_MSG(test, mn_try(&op), table[n].again, "%u: %s", n, op.name);
		mn.flags = 0;
	}
}

/* --- executed again ------------------------------------------------------------------- */

static void an_open_is_executed_again(struct kunit *test)
{
	struct md_object file = mn_new();
	struct md_op_data op;
	struct md_reply rep;
	u64 handle;

	KUNIT_ASSERT_EQ(test, mn_open(&mf.root, "file", &file, RW | MDS_OPEN_CREAT, &rep), 0);
	mn_op(&op, REINT_OPEN, &mf.root, &rep.object, "file");
	file = rep.object;
	handle = rep.handle;
	mf_put(&rep);
	op.flags = RW | MDS_OPEN_CREAT | MDS_OPEN_EXCL;
	op.caps = 0;
	op.uid = USER;
	/* Under another name, and by a user who may not open it any more. */
	KUNIT_EXPECT_EQ(test, mn_rename("file", &file, "moved", NULL), 0);
	mn_file(test, "file");
	mn.flags = MSG_REPLAY;
	KUNIT_ASSERT_EQ(test, mn_call(&op, &rep), 0);
	KUNIT_EXPECT_TRUE(test, lu_fid_eq(&rep.object.fid, &file.fid));
	KUNIT_EXPECT_EQ(test, mn_close(&file, rep.handle, NULL), 0);
	mf_put(&rep);
	/* Its last name was removed, and it is in PENDING. */
	KUNIT_EXPECT_EQ(test, mn_unlink("moved", &file), 0);
	KUNIT_ASSERT_EQ(test, mn_call(&op, &rep), 0);
	KUNIT_EXPECT_EQ(test, mn_close(&file, handle, NULL), 0);
	KUNIT_EXPECT_EQ(test, mn_pending(), 1U);
	KUNIT_EXPECT_EQ(test, mn_close(&file, rep.handle, NULL), 0);
	mf_put(&rep);
	KUNIT_EXPECT_EQ(test, mn_pending(), 0U);
	/* A close that was executed has no handle, and an object that is gone is not opened. */
	KUNIT_EXPECT_EQ(test, mn_close(&file, handle, NULL), 0);
	KUNIT_EXPECT_EQ(test, mn_try(&op), -ENOENT);
	mn.flags = 0;
}

/* --- races ---------------------------------------------------------------------------- */

#define RACE_NAMES	3
#define RACE_CALLS	64

static bool is_fine(int rc)
{
	return !rc || rc == -ENOENT || rc == -EEXIST || rc == -ESTALE;
}

static void race_name(char *name, u32 n)
{
	snprintf(name, 8, "r%u", n % RACE_NAMES);
}

/* Each call on names that others change, too. Return: how many, or an errno */
static long race_loop(int (*once)(const char *one, const char *two))
{
	char one[8], two[8];
	long calls = 0;
	int rc;

	do {
		race_name(one, get_random_u32());
		race_name(two, get_random_u32());
		rc = once(one, two);
		if (!is_fine(rc))
			return rc;
		/* The clock of User-Mode Linux may stand still until all tasks sleep. */
		if (!(++calls % RACE_CALLS))
			msleep(20);
	} while (!READ_ONCE(stop));
	return calls;
}

static int create_once(const char *one, const char *two)
{
	struct md_object obj;

	return mn_create(&mf.root, one, S_IFREG | 0644, &obj);
}

static int unlink_once(const char *one, const char *two)
{
	struct md_object obj;

	return mf_lookup(&mf.root, one, &obj) ?: mn_unlink(one, &obj);
}

static int rename_once(const char *one, const char *two)
{
	struct md_object obj, victim;

	return mf_lookup(&mf.root, one, &obj) ?: mf_lookup(&mf.root, two, &victim) ?:
	       mn_rename(one, &obj, two, &victim);
}

static int link_once(const char *one, const char *two)
{
	struct md_object obj;

	return mf_lookup(&mf.root, one, &obj) ?: mn_link(&obj, &mf.root, two);
}

static int open_once(const char *one, const char *two)
{
	const struct md_object obj = mn_new();

	return try_open(one, &obj, RW | MDS_OPEN_CREAT);
}

static long race_create(void *arg)
{
	return race_loop(create_once);
}

static long race_unlink(void *arg)
{
	return race_loop(unlink_once);
}

static long race_rename(void *arg)
{
	return race_loop(rename_once);
}

static long race_link(void *arg)
{
	return race_loop(link_once);
}

static long race_open(void *arg)
{
	return race_loop(open_once);
}

/* Every name that is left has its object, and is in the object's list; no object is without one. */
static void clients_change_the_same_names(struct kunit *test)
{
	static const struct racer racers[] = {
		{ race_create, NULL, "create" }, { race_unlink, NULL, "unlink" },
		{ race_rename, NULL, "rename" }, { race_link, NULL, "link" },
		{ race_open, NULL, "open" },
	};
	struct md_object obj;
	char name[8];
	u32 n;

	race(test, racers, ARRAY_SIZE(racers));
	KUNIT_EXPECT_EQ(test, mn_pending(), 0U);
	for (n = 0; n < RACE_NAMES; n++) {
		race_name(name, n);
		if (mf_lookup(&mf.root, name, &obj))
			continue;
		KUNIT_EXPECT_GT_MSG(test, mn_links(name, name), 0, "%s", name);
		KUNIT_EXPECT_EQ_MSG(test, mn_unlink(name, &obj), 0, "%s", name);
	}
	KUNIT_EXPECT_EQ(test, mn_pending(), 0U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(an_open_creates_what_is_missing),
	KUNIT_CASE(an_open_is_refused),
	KUNIT_CASE(what_is_executed_is_not_written),
	KUNIT_CASE(an_open_file_outlives_its_name),
	KUNIT_CASE(an_open_file_is_replaced),
	KUNIT_CASE(an_open_directory_is_removed),
	KUNIT_CASE(an_evicted_client_has_nothing_open),
	KUNIT_CASE(a_restart_destroys_what_nobody_opens),
	KUNIT_CASE(a_removal_waits_for_the_end_of_recovery),
	KUNIT_CASE(the_size_is_that_of_the_objects),
	KUNIT_CASE(attributes_are_set),
	KUNIT_CASE(others_set_no_attributes),
	KUNIT_CASE(a_handle_permits_a_truncate),
	KUNIT_CASE(extended_attributes_are_set),
	KUNIT_CASE(an_open_is_executed_again),
	KUNIT_CASE(clients_change_the_same_names),
	{}
};

static struct kunit_suite suite = {
	.name = "mdt_open",
	.suite_init = mf_suite_init,
	.init = mn_init,
	.exit = mf_exit,
	.test_cases = cases,
};
kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: open objects and attributes of a metadata target");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
