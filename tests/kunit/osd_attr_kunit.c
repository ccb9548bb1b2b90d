// SPDX-License-Identifier: GPL-2.0-only
/* Attributes of objects: owner, mode, times, extended attributes, ACLs. */
#include <linux/fs.h>
#include <linux/posix_acl_xattr.h>

#include "osd_fixture.h"

#define USER_A	1000
#define USER_B	1001

static void setattr_changes_what_it_names(struct kunit *test)
{
	struct iattr attr = {
		.ia_valid = ATTR_MODE | ATTR_UID | ATTR_GID | ATTR_MTIME | ATTR_MTIME_SET,
		.ia_mode = S_IFREG | 0751,
		.ia_uid = KUIDT_INIT(10),
		.ia_gid = KGIDT_INIT(11),
		.ia_mtime = { .tv_sec = 1234567 },
	};
	struct osd_object child;
	struct kstat stat;

	KUNIT_ASSERT_EQ(test, ot_make(&ot.root, "file", S_IFREG | 0644, &child), 0);
	KUNIT_EXPECT_EQ(test, osd_setattr(&child, &attr, &ot_counted), 0);
	KUNIT_EXPECT_EQ(test, ot.stamps, 2U);
	KUNIT_EXPECT_EQ(test, osd_getattr(&child, &stat), 0);
	KUNIT_EXPECT_EQ(test, stat.mode, (umode_t)(S_IFREG | 0751));
	KUNIT_EXPECT_EQ(test, from_kuid(&init_user_ns, stat.uid), 10U);
	KUNIT_EXPECT_EQ(test, from_kgid(&init_user_ns, stat.gid), 11U);
	KUNIT_EXPECT_EQ(test, (s64)stat.mtime.tv_sec, 1234567LL);
	attr = (struct iattr){ .ia_valid = ATTR_SIZE, .ia_size = 4097 };
	KUNIT_EXPECT_EQ(test, osd_setattr(&child, &attr, NULL), 0);
	KUNIT_EXPECT_EQ(test, osd_getattr(&child, &stat), 0);
	KUNIT_EXPECT_EQ(test, stat.size, (loff_t)4097);
	KUNIT_EXPECT_EQ(test, osd_setattr(&ot.root, &attr, NULL), -EISDIR);
	osd_object_fini(&child);
}

/* tmpfs has no user.* attributes before 6.6; security.* has no rules of its own here. */
static void xattr_of_a_client_is_set_listed_and_removed(struct kunit *test)
{
	struct osd_xattr xattr = { "trusted.of.client", "value", 5 };
	struct osd_object child;
	char list[128];
	char value[8];
	ssize_t len;

	KUNIT_ASSERT_EQ(test, ot_make(&ot.root, "file", S_IFREG | 0644, &child), 0);
	KUNIT_EXPECT_EQ(test, osd_setxattr(&child, &xattr, XATTR_REPLACE, NULL), -ENODATA);
	KUNIT_EXPECT_EQ(test, osd_setxattr(&child, &xattr, XATTR_CREATE, &ot_counted), 0);
	KUNIT_EXPECT_EQ(test, osd_setxattr(&child, &xattr, XATTR_CREATE, NULL), -EEXIST);
	KUNIT_EXPECT_EQ(test, osd_getxattr(&child, xattr.ox_name, value, sizeof(value)),
			(ssize_t)5);
	len = osd_listxattr(&child, list, sizeof(list));
	KUNIT_EXPECT_EQ(test, len, (ssize_t)(sizeof("trusted.lma") + sizeof("trusted.of.client")));
	KUNIT_EXPECT_EQ(test, osd_listxattr(&child, NULL, 0), len);
	xattr.ox_value = NULL;
	KUNIT_EXPECT_EQ(test, osd_setxattr(&child, &xattr, 0, &ot_counted), 0);
	KUNIT_EXPECT_EQ(test, osd_setxattr(&child, &xattr, 0, NULL), -ENODATA);
	KUNIT_EXPECT_EQ(test, osd_getxattr(&child, xattr.ox_name, value, sizeof(value)),
			(ssize_t)-ENODATA);
	KUNIT_EXPECT_EQ(test, ot.stamps, 3U);
	osd_object_fini(&child);
}

static void xattr_without_permission_is_refused(struct kunit *test)
{
	const struct osd_xattr xattr = { "trusted.of.client", "value", 5 };
	const struct cred *old;
	struct osd_object child;
	char value[8];

	KUNIT_ASSERT_EQ(test, ot_make(&ot.root, "file", S_IFREG | 0644, &child), 0);
	old = ot_become(test, USER_A);
	KUNIT_EXPECT_EQ(test, osd_setxattr(&child, &xattr, 0, &ot_counted), -EPERM);
	KUNIT_EXPECT_EQ(test, osd_getxattr(&child, "trusted.lma", value, sizeof(value)),
			(ssize_t)-ENODATA);
	KUNIT_EXPECT_EQ(test, osd_ea_get(&child, "trusted.lma", NULL, 0), (ssize_t)24);
	revert_creds(old);
	KUNIT_EXPECT_EQ(test, ot.stamps, 1U);
	osd_object_fini(&child);
}

static void acl_of_a_file_system_without_them_is_refused(struct kunit *test)
{
	const struct osd_xattr acl = { "system.posix_acl_access", "", 0 };

	if (IS_POSIXACL(d_inode(ot.root.oo_dentry)))
		kunit_skip(test, "tmpfs of this kernel has ACLs");
	KUNIT_EXPECT_EQ(test, osd_setxattr(&ot.root, &acl, 0, &ot_counted), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, osd_getxattr(&ot.root, acl.ox_name, NULL, 0), (ssize_t)-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, ot.stamps, 0U);
}

/* u::rw-,u:USER_A:r--,g::---,m::r--,o::---, as setfacl makes it. */
static const struct {
	struct posix_acl_xattr_header	head;
	struct posix_acl_xattr_entry	entries[5];
} user_may_read = {
	.head.a_version = cpu_to_le32(POSIX_ACL_XATTR_VERSION),
	.entries = {
		{ cpu_to_le16(ACL_USER_OBJ), cpu_to_le16(6), cpu_to_le32(ACL_UNDEFINED_ID) },
		{ cpu_to_le16(ACL_USER), cpu_to_le16(4), cpu_to_le32(USER_A) },
		{ cpu_to_le16(ACL_GROUP_OBJ), cpu_to_le16(0), cpu_to_le32(ACL_UNDEFINED_ID) },
		{ cpu_to_le16(ACL_MASK), cpu_to_le16(4), cpu_to_le32(ACL_UNDEFINED_ID) },
		{ cpu_to_le16(ACL_OTHER), cpu_to_le16(0), cpu_to_le32(ACL_UNDEFINED_ID) },
	},
};

static void need_acls(struct kunit *test)
{
	if (!IS_POSIXACL(d_inode(ot.root.oo_dentry)))
		kunit_skip(test, "this file system has no ACLs");
}

static int permission(const struct osd_object *obj, u32 uid, int mask, struct kunit *test)
{
	const struct cred *old = ot_become(test, uid);
	int rc = inode_permission(compat_nop_idmap, d_inode(obj->oo_dentry), mask);

	revert_creds(old);
	return rc;
}

static void acl_decides_on_permission(struct kunit *test)
{
	struct osd_xattr acl = { XATTR_NAME_POSIX_ACL_ACCESS, &user_may_read,
				 sizeof(user_may_read) };
	u8 seen[sizeof(user_may_read)];
	struct osd_object child;

	need_acls(test);
	KUNIT_ASSERT_EQ(test, ot_make(&ot.root, "file", S_IFREG | 0600, &child), 0);
	KUNIT_EXPECT_EQ(test, permission(&child, USER_A, MAY_READ, test), -EACCES);
	KUNIT_EXPECT_EQ(test, osd_setxattr(&child, &acl, 0, &ot_counted), 0);
	KUNIT_EXPECT_EQ(test, ot.stamps, 2U);
	KUNIT_EXPECT_EQ(test, permission(&child, USER_A, MAY_READ, test), 0);
	KUNIT_EXPECT_EQ(test, permission(&child, USER_A, MAY_WRITE, test), -EACCES);
	KUNIT_EXPECT_EQ(test, permission(&child, USER_B, MAY_READ, test), -EACCES);
	KUNIT_EXPECT_EQ(test, osd_getxattr(&child, acl.ox_name, seen, sizeof(seen)),
			(ssize_t)sizeof(seen));
	KUNIT_EXPECT_EQ(test, memcmp(seen, &user_may_read, sizeof(seen)), 0);
	KUNIT_EXPECT_EQ(test, osd_getxattr(&child, acl.ox_name, seen, 8), (ssize_t)-ERANGE);
	acl.ox_value = NULL;
	acl.ox_len = 0;
	KUNIT_EXPECT_EQ(test, osd_setxattr(&child, &acl, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, osd_getxattr(&child, acl.ox_name, NULL, 0), (ssize_t)-ENODATA);
	KUNIT_EXPECT_EQ(test, permission(&child, USER_A, MAY_READ, test), -EACCES);
	osd_object_fini(&child);
}

static void malformed_acl_is_refused(struct kunit *test)
{
	const struct osd_xattr acl = { XATTR_NAME_POSIX_ACL_ACCESS, &user_may_read, 11 };
	const struct osd_xattr def = { XATTR_NAME_POSIX_ACL_DEFAULT, &user_may_read,
				       sizeof(user_may_read) };
	struct osd_object child;

	need_acls(test);
	KUNIT_ASSERT_EQ(test, ot_make(&ot.root, "file", S_IFREG | 0600, &child), 0);
	KUNIT_EXPECT_EQ(test, osd_setxattr(&child, &acl, 0, &ot_counted), -EINVAL);
	KUNIT_EXPECT_EQ(test, osd_setxattr(&child, &def, 0, &ot_counted), -EACCES);
	KUNIT_EXPECT_EQ(test, ot.stamps, 1U);
	osd_object_fini(&child);
}

/* It replaces the umask of the client. */
static void default_acl_is_inherited(struct kunit *test)
{
	const struct osd_xattr acl = { XATTR_NAME_POSIX_ACL_DEFAULT, &user_may_read,
				       sizeof(user_may_read) };
	const struct osd_create oc = {
		.ocr_fid = ot_fid(),
		.ocr_mode = S_IFREG | 0666,
		.ocr_umask = 0077,
	};
	const struct qstr name = QSTR_INIT("file", 4);
	struct osd_object dir, child;

	need_acls(test);
	KUNIT_ASSERT_EQ(test, ot_make(&ot.root, "dir", S_IFDIR | 0755, &dir), 0);
	KUNIT_EXPECT_EQ(test, osd_setxattr(&dir, &acl, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, osd_create(&dir, &name, &oc, NULL, &child), 0);
	KUNIT_EXPECT_EQ(test, d_inode(child.oo_dentry)->i_mode & 0777, 0640);
	KUNIT_EXPECT_EQ(test, permission(&child, USER_A, MAY_READ, test), 0);
	osd_object_fini(&child);
	osd_object_fini(&dir);
}

static struct kunit_case osd_attr_cases[] = {
	KUNIT_CASE(setattr_changes_what_it_names),
	KUNIT_CASE(xattr_of_a_client_is_set_listed_and_removed),
	KUNIT_CASE(xattr_without_permission_is_refused),
	KUNIT_CASE(acl_of_a_file_system_without_them_is_refused),
	KUNIT_CASE(acl_decides_on_permission),
	KUNIT_CASE(malformed_acl_is_refused),
	KUNIT_CASE(default_acl_is_inherited),
	{}
};

static struct kunit_suite osd_attr_suite = {
	.name		= "osd_attr",
	.suite_init	= client_suite_init,
	.init		= ot_init,
	.exit		= ot_exit,
	.test_cases	= osd_attr_cases,
};

kunit_test_suite(osd_attr_suite);

MODULE_DESCRIPTION("KUnit: attributes of objects in a directory");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
