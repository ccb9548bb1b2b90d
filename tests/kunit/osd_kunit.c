// SPDX-License-Identifier: GPL-2.0-only
/* Objects in a directory: devices, identities, names, creation. */
#include <linux/fs_struct.h>
#include <linux/statfs.h>

#include <lustre_lite/lustre_ea.h>

#include "osd_fixture.h"

#define USER_A	1000
#define USER_B	1001

static struct osd_device *open_of(const char *fs, unsigned long flags)
{
	struct file_system_type *type = get_fs_type(fs);
	struct osd_device *osd;
	struct vfsmount *mnt;
	struct path path;

	if (!type)
		return ERR_PTR(-ENODEV);
	mnt = vfs_kern_mount(type, SB_KERNMOUNT | flags, fs, NULL);
	module_put(type->owner);
	if (IS_ERR(mnt))
		return ERR_CAST(mnt);
	path = (struct path){ .mnt = mnt, .dentry = mnt->mnt_root };
	osd = osd_device_open(&path, OSD_KIND_MDT, OT_NAME, &ot.why);
	kern_unmount(mnt);
	return osd;
}

static void device_of_an_unfit_file_system_is_refused(struct kunit *test)
{
	struct osd_device *osd = open_of("ramfs", 0);

	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(osd), -EOPNOTSUPP);
	KUNIT_EXPECT_STREQ(test, ot.why.text,
			   OT_NAME ": a directory of ramfs has no file handles; use ext4, xfs, btrfs or tmpfs");
}

static void device_of_a_readonly_file_system_is_refused(struct kunit *test)
{
	struct osd_device *osd = open_of(OT_FS, SB_RDONLY);

	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(osd), -EROFS);
	KUNIT_EXPECT_STREQ(test, ot.why.text,
			   OT_NAME ": the directory is mounted read-only; remount it read-write");
}

static void device_creates_its_directories_once(struct kunit *test)
{
	static const struct lu_fid root = { .f_seq = FID_SEQ_ROOT, .f_oid = FID_OID_ROOT };
	struct kstat stat;

	KUNIT_EXPECT_TRUE(test, ot_fid_is(&ot.root, &root));
	KUNIT_EXPECT_EQ(test, osd_getattr(&ot.root, &stat), 0);
	KUNIT_EXPECT_EQ(test, stat.mode, (umode_t)(S_IFDIR | 0755));
	KUNIT_EXPECT_EQ(test, osd_device_durable(ot.osd), !ot_is_tmpfs());
	ot_new(test, &ot.root, "file", S_IFREG | 0644);
	ot_reopen(test);
	KUNIT_EXPECT_TRUE(test, ot_fid_is(&ot.root, &root));
	KUNIT_EXPECT_EQ(test, ot_find(&ot.root, "file"), 0);
}

static void device_with_a_file_in_the_way_is_refused(struct kunit *test)
{
	struct osd_object top = { .oo_dentry = ot.top.dentry };
	struct osd_device *osd;

	ot_plain(test, &top, "O", S_IFREG | 0600);
	osd = osd_device_open(&ot.top, OSD_KIND_OST, OT_NAME, &ot.why);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(osd), -ENOTDIR);
}

static void object_is_located_by_its_hint(struct kunit *test)
{
	static const umode_t modes[] = { S_IFREG | 0644, S_IFDIR | 0755, S_IFLNK | 0777,
					 S_IFIFO | 0600 };
	struct osd_object child, found;
	struct osd_hint hint;
	char name[8];
	size_t n;

	for (n = 0; n < ARRAY_SIZE(modes); n++) {
		snprintf(name, sizeof(name), "n%zu", n);
		KUNIT_ASSERT_EQ(test, ot_make(&ot.root, name, modes[n], &child), 0);
		KUNIT_EXPECT_EQ(test, osd_object_hint(&child, &hint), 0);
		KUNIT_ASSERT_EQ(test, osd_object_locate(ot.osd, &found, &child.oo_fid, &hint), 0);
		KUNIT_EXPECT_PTR_EQ(test, d_inode(found.oo_dentry), d_inode(child.oo_dentry));
		KUNIT_EXPECT_TRUE(test, ot_fid_is(&found, &child.oo_fid));
		osd_object_fini(&found);
		osd_object_fini(&child);
	}
}

static void hint_of_another_object_is_stale(struct kunit *test)
{
	const struct lu_fid other = ot_fid();
	struct osd_object child, found;
	struct osd_hint hint;
	int n;

	KUNIT_ASSERT_EQ(test, ot_make(&ot.root, "file", S_IFREG | 0644, &child), 0);
	KUNIT_EXPECT_EQ(test, osd_object_hint(&child, &hint), 0);
	KUNIT_EXPECT_EQ(test, osd_object_locate(ot.osd, &found, &other, &hint), -ESTALE);
	for (n = 0; n < hint.oh_words; n++) {
		hint.oh_word[n] ^= 0x10;
		KUNIT_EXPECT_EQ(test, osd_object_locate(ot.osd, &found, &child.oo_fid, &hint),
				-ESTALE);
		hint.oh_word[n] ^= 0x10;
	}
	osd_object_fini(&child);
}

static void malformed_hint_is_stale(struct kunit *test)
{
	static const u8 shapes[][2] = { {0, 0}, {0, 3}, {1, 0}, {1, 1}, {1, 8}, {1, 255},
					{255, 3}, {2, 3}, {0x81, 7} };
	struct osd_hint hint = {};
	struct osd_object found;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(shapes); n++) {
		hint.oh_type = shapes[n][0];
		hint.oh_words = shapes[n][1];
		KUNIT_EXPECT_EQ(test, osd_object_locate(ot.osd, &found, &ot.root.oo_fid, &hint),
				-ESTALE);
	}
}

/* The directory of the target is in the file system, and has no FID. */
static void hint_outside_the_tree_is_stale(struct kunit *test)
{
	struct osd_object top = { .oo_osd = ot.osd, .oo_dentry = ot.top.dentry }, found;
	struct osd_hint hint;

	KUNIT_EXPECT_EQ(test, osd_object_hint(&top, &hint), 0);
	KUNIT_EXPECT_EQ(test, osd_object_locate(ot.osd, &found, &ot.root.oo_fid, &hint), -ESTALE);
}

static void moved_object_keeps_one_reference(struct kunit *test)
{
	struct osd_object child, owner;

	KUNIT_ASSERT_EQ(test, ot_make(&ot.root, "file", S_IFREG | 0644, &child), 0);
	osd_object_move(&owner, &child);
	osd_object_fini(&child);
	KUNIT_EXPECT_TRUE(test, d_is_positive(owner.oo_dentry));
	osd_object_fini(&owner);
}

static void lookup_finds_what_create_made(struct kunit *test)
{
	struct osd_object dir, child, found;

	KUNIT_ASSERT_EQ(test, ot_make(&ot.root, "dir", S_IFDIR | 0755, &dir), 0);
	KUNIT_ASSERT_EQ(test, ot_make(&dir, "file", S_IFREG | 0644, &child), 0);
	KUNIT_EXPECT_EQ(test, ot.stamps, 2U);
	KUNIT_ASSERT_EQ(test, ot_look(&dir, "file", &found), 0);
	KUNIT_EXPECT_TRUE(test, ot_fid_is(&found, &child.oo_fid));
	osd_object_fini(&found);
	KUNIT_EXPECT_EQ(test, ot_find(&dir, "other"), -ENOENT);
	KUNIT_EXPECT_EQ(test, ot_find(&dir, ".."), -EACCES);
	KUNIT_EXPECT_EQ(test, ot_find(&dir, "a/b"), -EACCES);
	KUNIT_EXPECT_EQ(test, ot_find(&child, "file"), -ENOTDIR);
	osd_object_fini(&child);
	osd_object_fini(&dir);
}

static void create_of_an_existing_name_returns_what_has_it(struct kunit *test)
{
	struct osd_object child, found;

	KUNIT_ASSERT_EQ(test, ot_make(&ot.root, "file", S_IFREG | 0644, &child), 0);
	KUNIT_EXPECT_EQ(test, ot_make(&ot.root, "file", S_IFREG | 0644, &found), -EEXIST);
	KUNIT_EXPECT_EQ(test, ot.stamps, 1U);
	KUNIT_EXPECT_TRUE(test, ot_fid_is(&found, &child.oo_fid));
	osd_object_fini(&found);
	osd_object_fini(&child);
}

static void create_makes_every_type(struct kunit *test)
{
	static const umode_t modes[] = { S_IFREG | 0640, S_IFDIR | 0751, S_IFLNK | 0777,
					 S_IFCHR | 0600, S_IFBLK | 0600, S_IFIFO | 0622,
					 S_IFSOCK | 0666 };
	struct osd_create oc = { .ocr_link = "a/target", .ocr_rdev = MKDEV(7, 9) };
	struct osd_object child;
	struct kstat stat;
	char name[8];
	size_t n;

	for (n = 0; n < ARRAY_SIZE(modes); n++) {
		const struct qstr q = QSTR_INIT(name, snprintf(name, sizeof(name), "n%zu", n));

		oc.ocr_fid = ot_fid();
		oc.ocr_mode = modes[n];
		KUNIT_ASSERT_EQ(test, osd_create(&ot.root, &q, &oc, NULL, &child), 0);
		KUNIT_EXPECT_EQ(test, osd_getattr(&child, &stat), 0);
		KUNIT_EXPECT_EQ(test, stat.mode, modes[n]);
		if (S_ISCHR(modes[n]) || S_ISBLK(modes[n]))
			KUNIT_EXPECT_EQ(test, stat.rdev, oc.ocr_rdev);
		osd_object_fini(&child);
	}
	oc.ocr_mode = 0644;
	KUNIT_EXPECT_EQ(test, osd_create(&ot.root, &(struct qstr)QSTR_INIT("x", 1), &oc, NULL,
					 &child), -EINVAL);
	KUNIT_EXPECT_EQ(test, ot_find(&ot.root, "x"), -ENOENT);
}

static void create_applies_the_umask_of_the_client(struct kunit *test)
{
	const struct qstr name = QSTR_INIT("file", 4);
	struct osd_create oc = { .ocr_fid = ot_fid(), .ocr_mode = S_IFREG | 0666,
				.ocr_umask = 027 };
	struct osd_object child;
	struct kstat stat;

	KUNIT_ASSERT_EQ(test, osd_create(&ot.root, &name, &oc, NULL, &child), 0);
	KUNIT_EXPECT_EQ(test, osd_getattr(&child, &stat), 0);
	KUNIT_EXPECT_EQ(test, stat.mode, (umode_t)(S_IFREG | 0640));
	KUNIT_EXPECT_EQ(test, current_umask(), 0);
	osd_object_fini(&child);
}

static void create_without_a_fid_is_refused(struct kunit *test)
{
	const struct qstr name = QSTR_INIT("file", 4);
	struct osd_create oc = { .ocr_mode = S_IFREG | 0666 };
	struct osd_object child;

	KUNIT_EXPECT_EQ(test, osd_create(&ot.root, &name, &oc, NULL, &child), -EINVAL);
	oc.ocr_fid = (struct lu_fid){ .f_seq = OT_SEQ, .f_oid = 1, .f_ver = 1 };
	KUNIT_EXPECT_EQ(test, osd_create(&ot.root, &name, &oc, NULL, &child), -EINVAL);
	KUNIT_EXPECT_EQ(test, ot_find(&ot.root, "file"), -ENOENT);
}

static const struct osd_xattr two[] = {
	{ "trusted.lov", "layout", 6 },
	{ "trusted.link", "names", 5 },
};

static void create_sets_attributes_with_the_name(struct kunit *test)
{
	const struct qstr name = QSTR_INIT("file", 4);
	const struct osd_create oc = {
		.ocr_fid = ot_fid(),
		.ocr_mode = S_IFREG | 0644,
		.ocr_xattrs = { two, ARRAY_SIZE(two) },
	};
	struct osd_object child;
	char value[16];

	KUNIT_ASSERT_EQ(test, osd_create(&ot.root, &name, &oc, NULL, &child), 0);
	KUNIT_EXPECT_EQ(test, osd_ea_get(&child, "trusted.lov", value, sizeof(value)), (ssize_t)6);
	KUNIT_EXPECT_EQ(test, osd_ea_get(&child, "trusted.link", value, sizeof(value)), (ssize_t)5);
	KUNIT_EXPECT_EQ(test, memcmp(value, "names", 5), 0);
	KUNIT_EXPECT_EQ(test, osd_ea_get(&child, "trusted.link", value, 3), (ssize_t)-ERANGE);
	KUNIT_EXPECT_EQ(test, osd_ea_get(&child, "trusted.som", value, 3), (ssize_t)-ENODATA);
	osd_object_fini(&child);
}

/* The file system refuses an attribute: neither name is left. */
static void create_that_fails_leaves_no_name(struct kunit *test)
{
	static const struct osd_xattr bad[] = {
		{ "trusted.lov", "layout", 6 },
		{ "nothing.knows.it", "names", 5 },
	};
	const struct qstr file = QSTR_INIT("file", 4), dir = QSTR_INIT("dir", 3);
	struct osd_create oc = {
		.ocr_fid = ot_fid(),
		.ocr_mode = S_IFREG | 0644,
		.ocr_xattrs = { bad, ARRAY_SIZE(bad) },
	};
	struct osd_object child;

	KUNIT_EXPECT_EQ(test, osd_create(&ot.root, &file, &oc, &ot_counted, &child), -EOPNOTSUPP);
	oc.ocr_mode = S_IFDIR | 0755;
	KUNIT_EXPECT_EQ(test, osd_create(&ot.root, &dir, &oc, &ot_counted, &child), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, ot_find(&ot.root, "file"), -ENOENT);
	KUNIT_EXPECT_EQ(test, ot_find(&ot.root, "dir"), -ENOENT);
	KUNIT_EXPECT_EQ(test, ot.stamps, 0U);
}

static void name_without_a_fid_is_adopted(struct kunit *test)
{
	struct osd_object found, again;

	ot_plain(test, &ot.root, "copied", S_IFDIR | 0755);
	ot_plain(test, &ot.root, "empty", S_IFREG | 0644);
	KUNIT_ASSERT_EQ(test, ot_look(&ot.root, "copied", &found), 0);
	KUNIT_EXPECT_EQ(test, found.oo_fid.f_seq, (u64)d_inode(found.oo_dentry)->i_ino);
	KUNIT_EXPECT_EQ(test, found.oo_fid.f_oid, d_inode(found.oo_dentry)->i_generation);
	KUNIT_ASSERT_EQ(test, ot_look(&ot.root, "copied", &again), 0);
	KUNIT_EXPECT_TRUE(test, ot_fid_is(&again, &found.oo_fid));
	osd_object_fini(&again);
	osd_object_fini(&found);
	KUNIT_EXPECT_EQ(test, ot_find(&ot.root, "empty"), 0);
}

static void file_with_data_and_without_a_fid_is_an_error(struct kunit *test)
{
	struct file *file = file_open_root(&ot.top, "ROOT/data", O_CREAT | O_WRONLY, 0600);
	struct osd_object child;
	loff_t pos = 0;

	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_EQ(test, kernel_write(file, "bytes", 5, &pos), (ssize_t)5);
	__fput_sync(file);
	KUNIT_EXPECT_EQ(test, ot_find(&ot.root, "data"), -EIO);
	KUNIT_EXPECT_EQ(test, ot_make(&ot.root, "data", S_IFREG | 0644, &child), -EIO);
}

static void malformed_fid_is_an_error(struct kunit *test)
{
	static const struct osd_xattr bad = { "trusted.lma", "0123456789", 10 };
	const struct osd_xattrs one = { &bad, 1 };
	struct osd_object child;

	KUNIT_ASSERT_EQ(test, ot_make(&ot.root, "file", S_IFREG | 0644, &child), 0);
	KUNIT_EXPECT_EQ(test, osd_ea_set(&child, &one, NULL), 0);
	KUNIT_EXPECT_EQ(test, ot_find(&ot.root, "file"), -EUCLEAN);
	osd_object_fini(&child);
}

static void object_that_is_not_served_is_an_error(struct kunit *test)
{
	static const struct { u32 flag; int rc; } flags[] = {
		{ LMAI_RELEASED, 0 }, { LMAI_AGENT, -EREMOTE }, { LMAI_STRIPED, 0 },
		{ LMAI_ENCRYPT, -EOPNOTSUPP }, { 0x80, -EOPNOTSUPP },
	};
	u8 value[LUSTRE_LMA_SIZE];
	const struct osd_xattr lma = { "trusted.lma", value, sizeof(value) };
	const struct osd_xattrs one = { &lma, 1 };
	struct osd_object child;
	size_t n;

	KUNIT_ASSERT_EQ(test, ot_make(&ot.root, "file", S_IFREG | 0644, &child), 0);
	for (n = 0; n < ARRAY_SIZE(flags); n++) {
		lustre_lma_encode(value, &(struct lustre_lma){ .incompat = flags[n].flag,
							       .self = child.oo_fid });
		KUNIT_EXPECT_EQ(test, osd_ea_set(&child, &one, NULL), 0);
		KUNIT_EXPECT_EQ(test, ot_find(&ot.root, "file"), flags[n].rc);
	}
	osd_object_fini(&child);
}

/* A power cut between the two steps of a create. */
static void replayed_create_gives_its_fid_to_the_remains(struct kunit *test)
{
	const struct qstr name = QSTR_INIT("file", 4), other = QSTR_INIT("dir", 3);
	struct osd_create oc = {
		.ocr_fid = ot_fid(),
		.ocr_mode = S_IFREG | 0644,
		.ocr_flags = OSD_CREATE_REPLAY,
		.ocr_xattrs = { two, ARRAY_SIZE(two) },
	};
	struct osd_object child;

	ot_plain(test, &ot.root, "file", S_IFREG | 0644);
	ot_plain(test, &ot.root, "dir", S_IFDIR | 0755);
	KUNIT_ASSERT_EQ(test, osd_create(&ot.root, &name, &oc, &ot_counted, &child), 0);
	KUNIT_EXPECT_TRUE(test, ot_fid_is(&child, &oc.ocr_fid));
	KUNIT_EXPECT_EQ(test, osd_ea_get(&child, "trusted.lov", NULL, 0), (ssize_t)6);
	KUNIT_EXPECT_EQ(test, ot.stamps, 1U);
	osd_object_fini(&child);
	/* A second replay finds it done; another type is another object. */
	KUNIT_EXPECT_EQ(test, osd_create(&ot.root, &name, &oc, NULL, &child), -EEXIST);
	KUNIT_EXPECT_TRUE(test, ot_fid_is(&child, &oc.ocr_fid));
	osd_object_fini(&child);
	KUNIT_EXPECT_EQ(test, osd_create(&ot.root, &other, &oc, NULL, &child), -EEXIST);
	KUNIT_EXPECT_FALSE(test, ot_fid_is(&child, &oc.ocr_fid));
	osd_object_fini(&child);
}

static void identity_decides_on_permission_and_owner(struct kunit *test)
{
	struct osd_object dir, child;
	const struct cred *old;
	struct kstat stat;

	KUNIT_ASSERT_EQ(test, ot_make(&ot.root, "tmp", S_IFDIR | S_ISVTX | 0777, &dir), 0);
	old = ot_become(test, USER_A);
	KUNIT_EXPECT_EQ(test, ot_make(&ot.root, "mine", S_IFREG | 0600, &child), -EACCES);
	KUNIT_EXPECT_EQ(test, ot_make(&dir, "node", S_IFBLK | 0600, &child), -EPERM);
	KUNIT_EXPECT_EQ(test, ot_make(&dir, "mine", S_IFREG | 0600, &child), 0);
	KUNIT_EXPECT_EQ(test, osd_getattr(&child, &stat), 0);
	KUNIT_EXPECT_EQ(test, from_kuid(&init_user_ns, stat.uid), (uid_t)USER_A);
	KUNIT_EXPECT_EQ(test, from_kgid(&init_user_ns, stat.gid), (gid_t)USER_A);
	revert_creds(old);
	old = ot_become(test, USER_B);
	KUNIT_EXPECT_EQ(test, osd_setattr(&child, &(struct iattr){ .ia_valid = ATTR_MODE,
					  .ia_mode = S_IFREG | 0666 }, &ot_counted), -EPERM);
	revert_creds(old);
	KUNIT_EXPECT_EQ(test, ot.stamps, 2U);
	osd_object_fini(&child);
	osd_object_fini(&dir);
}

static void identity_is_cached_by_all_it_contains(struct kunit *test)
{
	static const u32 groups[] = { 5, 7 };
	struct osd_ident id = { .oid_uid = 1, .oid_gid = 2 };
	const struct cred *first = osd_cred_get(ot.osd, &id);
	const struct cred *cred = osd_cred_get(ot.osd, &id);

	KUNIT_EXPECT_PTR_EQ(test, cred, first);
	put_cred(cred);
	id.oid_nr_groups = 2;
	id.oid_groups = groups;
	cred = osd_cred_get(ot.osd, &id);
	KUNIT_EXPECT_PTR_NE(test, cred, first);
	KUNIT_EXPECT_EQ(test, cred->group_info->ngroups, 2);
	KUNIT_EXPECT_EQ(test, from_kgid(&init_user_ns, cred->group_info->gid[1]), 7U);
	put_cred(cred);
	id.oid_nr_groups = 0;
	id.oid_caps = BIT_ULL(CAP_CHOWN) | BIT_ULL(CAP_SYS_ADMIN);
	cred = osd_cred_get(ot.osd, &id);
	KUNIT_EXPECT_PTR_NE(test, cred, first);
	KUNIT_EXPECT_TRUE(test, cap_raised(cred->cap_effective, CAP_CHOWN));
	KUNIT_EXPECT_FALSE(test, cap_raised(cred->cap_effective, CAP_SYS_ADMIN));
	put_cred(cred);
	put_cred(first);
	id.oid_uid = ~0U;
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(osd_cred_get(ot.osd, &id)), -EINVAL);
	id = (struct osd_ident){ .oid_nr_groups = 65537, .oid_groups = groups };
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(osd_cred_get(ot.osd, &id)), -EINVAL);
}

/* The cache drops the oldest; credentials in use stay. */
static void many_identities_leave_those_in_use(struct kunit *test)
{
	struct osd_ident id = { .oid_uid = 1 };
	const struct cred *first = osd_cred_get(ot.osd, &id), *cred;
	u32 n;

	for (n = 2; n < 700; n++) {
		id.oid_uid = n;
		cred = osd_cred_get(ot.osd, &id);
		KUNIT_ASSERT_FALSE(test, IS_ERR(cred));
		put_cred(cred);
	}
	KUNIT_EXPECT_EQ(test, from_kuid(&init_user_ns, first->fsuid), 1U);
	id.oid_uid = 1;
	cred = osd_cred_get(ot.osd, &id);
	KUNIT_EXPECT_PTR_NE(test, cred, first);
	put_cred(cred);
	put_cred(first);
}

static void symbolic_link_is_read(struct kunit *test)
{
	struct osd_object child;
	char text[16];

	KUNIT_ASSERT_EQ(test, ot_make(&ot.root, "link", S_IFLNK | 0777, &child), 0);
	KUNIT_EXPECT_EQ(test, osd_readlink(&child, text, sizeof(text)), (ssize_t)6);
	KUNIT_EXPECT_STREQ(test, text, "target");
	KUNIT_EXPECT_EQ(test, osd_readlink(&child, text, 6), (ssize_t)-ERANGE);
	KUNIT_EXPECT_EQ(test, osd_readlink(&ot.root, text, sizeof(text)), (ssize_t)-EINVAL);
	osd_object_fini(&child);
}

static void space_is_that_of_the_file_system(struct kunit *test)
{
	struct kstatfs st;

	KUNIT_EXPECT_EQ(test, osd_statfs(ot.osd, &st), 0);
	KUNIT_EXPECT_EQ(test, st.f_namelen, (long)NAME_MAX);
}

static struct kunit_case osd_cases[] = {
	KUNIT_CASE(device_of_an_unfit_file_system_is_refused),
	KUNIT_CASE(device_of_a_readonly_file_system_is_refused),
	KUNIT_CASE(device_creates_its_directories_once),
	KUNIT_CASE(device_with_a_file_in_the_way_is_refused),
	KUNIT_CASE(object_is_located_by_its_hint),
	KUNIT_CASE(hint_of_another_object_is_stale),
	KUNIT_CASE(malformed_hint_is_stale),
	KUNIT_CASE(hint_outside_the_tree_is_stale),
	KUNIT_CASE(moved_object_keeps_one_reference),
	KUNIT_CASE(lookup_finds_what_create_made),
	KUNIT_CASE(create_of_an_existing_name_returns_what_has_it),
	KUNIT_CASE(create_makes_every_type),
	KUNIT_CASE(create_applies_the_umask_of_the_client),
	KUNIT_CASE(create_without_a_fid_is_refused),
	KUNIT_CASE(create_sets_attributes_with_the_name),
	KUNIT_CASE(create_that_fails_leaves_no_name),
	KUNIT_CASE(name_without_a_fid_is_adopted),
	KUNIT_CASE(file_with_data_and_without_a_fid_is_an_error),
	KUNIT_CASE(malformed_fid_is_an_error),
	KUNIT_CASE(object_that_is_not_served_is_an_error),
	KUNIT_CASE(replayed_create_gives_its_fid_to_the_remains),
	KUNIT_CASE(identity_decides_on_permission_and_owner),
	KUNIT_CASE(identity_is_cached_by_all_it_contains),
	KUNIT_CASE(many_identities_leave_those_in_use),
	KUNIT_CASE(symbolic_link_is_read),
	KUNIT_CASE(space_is_that_of_the_file_system),
	{}
};

static struct kunit_suite osd_suite = {
	.name		= "osd",
	.suite_init	= client_suite_init,
	.init		= ot_init,
	.exit		= ot_exit,
	.test_cases	= osd_cases,
};

kunit_test_suite(osd_suite);

MODULE_DESCRIPTION("KUnit: objects in a directory");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
