// SPDX-License-Identifier: GPL-2.0-only
/* Names of objects in a directory: links, removal, renames, PENDING, reading. */
#include <uapi/lustre_lite/lustre_ea.h>

#include "osd_fixture.h"

#define USER_A	1000
#define USER_B	1001
#define MANY	300

static const struct osd_xattr names_attr[] = { { "trusted.link", "names", 5 } };
static const struct osd_xattrs names_attrs = { names_attr, 1 };

static struct qstr q(const char *text)
{
	return (struct qstr)QSTR_INIT(text, strlen(text));
}

static void make(struct kunit *test, struct osd_object *dir, const char *text, umode_t mode,
		 struct osd_object *child)
{
	KUNIT_ASSERT_EQ(test, ot_make(dir, text, mode, child), 0);
	ot.stamps = 0;
}

static u32 links_of(const struct osd_object *obj)
{
	return d_inode(obj->oo_dentry)->i_nlink;
}

static int unlink_name(struct osd_object *dir, const char *text, struct osd_object *victim,
		       u32 flags)
{
	const struct qstr name = q(text);

	return osd_unlink(dir, &name, victim, flags, &names_attrs, &ot_counted);
}

static int link_name(struct osd_object *obj, struct osd_object *dir, const char *text)
{
	const struct qstr name = q(text);

	return osd_link(obj, dir, &name, &names_attrs, &ot_counted);
}

/**
 * struct shown - what a walk of PENDING shows
 * @fid: the last one
 * @count: how many
 * @stop: errno to stop with
 */
struct shown {
	struct lu_fid	fid;
	u32		count;
	int		stop;
};

static int show(struct osd_object *obj, void *data)
{
	struct shown *shown = data;

	shown->fid = obj->oo_fid;
	shown->count++;
	return shown->stop;
}

static void expect_pending(struct kunit *test, u32 count)
{
	struct shown shown = {};

	KUNIT_EXPECT_EQ(test, osd_pending_walk(ot.osd, show, &shown), 0);
	KUNIT_EXPECT_EQ(test, shown.count, count);
}

static void link_gives_a_second_name(struct kunit *test)
{
	struct osd_object file, found, dir;

	make(test, &ot.root, "dir", S_IFDIR | 0755, &dir);
	make(test, &ot.root, "file", S_IFREG | 0644, &file);
	KUNIT_EXPECT_EQ(test, link_name(&file, &dir, "other"), 0);
	KUNIT_EXPECT_EQ(test, ot.stamps, 1U);
	KUNIT_EXPECT_EQ(test, links_of(&file), 2U);
	KUNIT_EXPECT_EQ(test, osd_ea_get(&file, "trusted.link", NULL, 0), (ssize_t)5);
	KUNIT_ASSERT_EQ(test, ot_look(&dir, "other", &found), 0);
	KUNIT_EXPECT_TRUE(test, ot_fid_is(&found, &file.oo_fid));
	osd_object_fini(&found);
	KUNIT_EXPECT_EQ(test, link_name(&file, &dir, "other"), -EEXIST);
	KUNIT_EXPECT_EQ(test, link_name(&dir, &ot.root, "loop"), -EPERM);
	KUNIT_EXPECT_EQ(test, link_name(&file, &file, "x"), -ENOTDIR);
	KUNIT_EXPECT_EQ(test, ot.stamps, 1U);
	osd_object_fini(&file);
	osd_object_fini(&dir);
}

static void unlink_removes_the_name_of_its_victim_only(struct kunit *test)
{
	struct osd_object file, other;

	make(test, &ot.root, "other", S_IFREG | 0644, &other);
	make(test, &ot.root, "file", S_IFREG | 0644, &file);
	KUNIT_EXPECT_EQ(test, unlink_name(&ot.root, "file", &other, 0), -ESTALE);
	KUNIT_EXPECT_EQ(test, unlink_name(&ot.root, "none", &file, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, unlink_name(&ot.root, "file", &file, OSD_REMOVE_DIR), -ENOTDIR);
	KUNIT_EXPECT_EQ(test, ot.stamps, 0U);
	KUNIT_EXPECT_EQ(test, unlink_name(&ot.root, "file", &file, 0), 0);
	KUNIT_EXPECT_EQ(test, ot.stamps, 1U);
	KUNIT_EXPECT_EQ(test, links_of(&file), 0U);
	KUNIT_EXPECT_EQ(test, ot_find(&ot.root, "file"), -ENOENT);
	expect_pending(test, 0);
	osd_object_fini(&file);
	osd_object_fini(&other);
}

static void directory_is_removed_when_it_is_empty(struct kunit *test)
{
	struct osd_object dir, file, late;

	make(test, &ot.root, "dir", S_IFDIR | 0755, &dir);
	make(test, &dir, "file", S_IFREG | 0644, &file);
	KUNIT_EXPECT_EQ(test, unlink_name(&ot.root, "dir", &dir, 0), -EISDIR);
	KUNIT_EXPECT_EQ(test, unlink_name(&ot.root, "dir", &dir, OSD_REMOVE_DIR), -ENOTEMPTY);
	KUNIT_EXPECT_EQ(test, unlink_name(&dir, "file", &file, 0), 0);
	KUNIT_EXPECT_EQ(test, unlink_name(&ot.root, "dir", &dir,
					  OSD_REMOVE_DIR | OSD_REMOVE_PENDING), 0);
	KUNIT_EXPECT_EQ(test, ot_find(&ot.root, "dir"), -ENOENT);
	KUNIT_EXPECT_EQ(test, ot_make(&dir, "late", S_IFREG | 0644, &late), -ENOENT);
	osd_object_fini(&file);
	osd_object_fini(&dir);
}

static void last_name_goes_to_pending(struct kunit *test)
{
	struct osd_object file, found;
	struct shown shown = {};
	struct osd_hint hint;

	make(test, &ot.root, "file", S_IFREG | 0644, &file);
	KUNIT_EXPECT_EQ(test, osd_object_hint(&file, &hint), 0);
	KUNIT_EXPECT_EQ(test, link_name(&file, &ot.root, "other"), 0);
	KUNIT_EXPECT_EQ(test, unlink_name(&ot.root, "file", &file, OSD_REMOVE_PENDING), 0);
	expect_pending(test, 0);
	KUNIT_EXPECT_EQ(test, unlink_name(&ot.root, "other", &file, OSD_REMOVE_PENDING), 1);
	KUNIT_EXPECT_EQ(test, ot.stamps, 3U);
	KUNIT_EXPECT_EQ(test, ot_find(&ot.root, "other"), -ENOENT);
	osd_object_move(&found, &file);
	osd_object_fini(&found);
	ot_reopen(test);
	KUNIT_EXPECT_EQ(test, osd_pending_walk(ot.osd, show, &shown), 0);
	KUNIT_EXPECT_EQ(test, shown.count, 1U);
	KUNIT_ASSERT_EQ(test, osd_object_locate(ot.osd, &found, &shown.fid, &hint), 0);
	KUNIT_EXPECT_EQ(test, links_of(&found), 1U);
	osd_object_fini(&found);
	KUNIT_EXPECT_EQ(test, osd_pending_destroy(ot.osd, &shown.fid, &ot_counted), 0);
	KUNIT_EXPECT_EQ(test, osd_pending_destroy(ot.osd, &shown.fid, &ot_counted), -ENOENT);
	KUNIT_EXPECT_EQ(test, ot.stamps, 4U);
	KUNIT_EXPECT_EQ(test, osd_object_locate(ot.osd, &found, &shown.fid, &hint), -ESTALE);
	expect_pending(test, 0);
}

static void refused_unlink_leaves_nothing_in_pending(struct kunit *test)
{
	struct osd_object dir, file;
	const struct cred *old;

	make(test, &ot.root, "tmp", S_IFDIR | S_ISVTX | 0777, &dir);
	old = ot_become(test, USER_A);
	make(test, &dir, "file", S_IFREG | 0666, &file);
	revert_creds(old);
	old = ot_become(test, USER_B);
	KUNIT_EXPECT_EQ(test, unlink_name(&dir, "file", &file, OSD_REMOVE_PENDING), -EPERM);
	revert_creds(old);
	KUNIT_EXPECT_EQ(test, ot.stamps, 0U);
	KUNIT_EXPECT_EQ(test, links_of(&file), 1U);
	expect_pending(test, 0);
	old = ot_become(test, USER_A);
	KUNIT_EXPECT_EQ(test, unlink_name(&dir, "file", &file, OSD_REMOVE_PENDING), 1);
	revert_creds(old);
	expect_pending(test, 1);
	osd_object_fini(&file);
	osd_object_fini(&dir);
}

/* A power cut in osd_pending_create(): the name is there, and has no FID yet. */
static void walk_removes_an_interrupted_create(struct kunit *test)
{
	const struct osd_create oc = {
		.ocr_fid = ot_fid(), .ocr_mode = S_IFREG | 0600, .ocr_flags = OSD_CREATE_REPLAY,
	};
	struct osd_object file;

	KUNIT_ASSERT_EQ(test, osd_pending_create(ot.osd, &oc, &ot_counted, &file), 0);
	inode_lock(d_inode(file.oo_dentry));
	KUNIT_EXPECT_EQ(test, __vfs_removexattr(compat_nop_idmap, file.oo_dentry, XATTR_NAME_LMA),
			0);
	inode_unlock(d_inode(file.oo_dentry));
	osd_object_fini(&file);
	expect_pending(test, 0);
	KUNIT_ASSERT_EQ(test, osd_pending_create(ot.osd, &oc, &ot_counted, &file), 0);
	KUNIT_EXPECT_TRUE(test, ot_fid_is(&file, &oc.ocr_fid));
	osd_object_fini(&file);
	expect_pending(test, 1);
	KUNIT_EXPECT_EQ(test, osd_pending_destroy(ot.osd, &oc.ocr_fid, &ot_counted), 0);
}

/* Names that real Lustre gives: those of a file, a directory, and a file that still has a name. */
static void walk_moves_what_real_lustre_left(struct kunit *test)
{
	static const char *const names[] = {
		"0000000200000bd0:00000001:00000000: 0", "0000000200000bd0:00000002:00000000: 0",
		"0000000200000bd0:00000003:00000000: 0",
	};
	struct osd_object pending = { .oo_osd = ot.osd }, file, dir, named;
	struct shown shown = {};
	struct lu_fid fid;

	pending.oo_dentry = compat_lookup_unlocked(ot.top.dentry, "PENDING", 7);
	KUNIT_ASSERT_FALSE(test, IS_ERR(pending.oo_dentry));
	make(test, &pending, names[0], S_IFREG | 0644, &file);
	make(test, &pending, names[1], S_IFDIR | 0755, &dir);
	make(test, &ot.root, "named", S_IFREG | 0644, &named);
	KUNIT_EXPECT_EQ(test, link_name(&named, &pending, names[2]), 0);
	fid = file.oo_fid;
	osd_object_fini(&dir);
	osd_object_fini(&file);
	KUNIT_EXPECT_EQ(test, osd_pending_walk(ot.osd, show, &shown), 0);
	KUNIT_EXPECT_EQ(test, shown.count, 1U);
	KUNIT_EXPECT_TRUE(test, lu_fid_eq(&shown.fid, &fid));
	KUNIT_EXPECT_EQ(test, links_of(&named), 1U);
	KUNIT_EXPECT_EQ(test, ot_find(&ot.root, "named"), 0);
	KUNIT_EXPECT_EQ(test, ot_find(&pending, names[1]), -ENOENT);
	expect_pending(test, 1);
	/* A directory of the device has no FID, and gets none. */
	dir.oo_dentry = compat_lookup_unlocked(pending.oo_dentry, "1f", 2);
	KUNIT_EXPECT_EQ(test, vfs_getxattr(compat_nop_idmap, dir.oo_dentry, XATTR_NAME_LMA, NULL, 0),
			(ssize_t)-ENODATA);
	dput(dir.oo_dentry);
	KUNIT_EXPECT_EQ(test, osd_pending_destroy(ot.osd, &fid, &ot_counted), 0);
	expect_pending(test, 0);
	osd_object_fini(&named);
	osd_object_fini(&pending);
}

/* A power cut between the two steps: the name and the link in PENDING. */
static void walk_removes_the_link_of_an_uncommitted_removal(struct kunit *test)
{
	struct osd_object file, dir;
	struct shown shown = { .stop = -EINTR };

	make(test, &ot.root, "file", S_IFREG | 0644, &file);
	make(test, &ot.root, "dir", S_IFDIR | 0755, &dir);
	KUNIT_EXPECT_EQ(test, unlink_name(&ot.root, "file", &file, OSD_REMOVE_PENDING), 1);
	KUNIT_EXPECT_EQ(test, osd_pending_walk(ot.osd, show, &shown), -EINTR);
	KUNIT_EXPECT_EQ(test, link_name(&file, &dir, "file"), 0);
	expect_pending(test, 0);
	KUNIT_EXPECT_EQ(test, links_of(&file), 1U);
	KUNIT_EXPECT_EQ(test, ot_find(&dir, "file"), 0);
	osd_object_fini(&file);
	osd_object_fini(&dir);
}

/**
 * struct pair - two directories, an object in the first
 * @ren: rename of "old" in @a to "new" in @b
 * @a: one
 * @b: other
 * @obj: object
 */
struct pair {
	struct osd_rename	ren;
	struct osd_object	a;
	struct osd_object	b;
	struct osd_object	obj;
};

static void pair_make(struct kunit *test, struct pair *p, umode_t mode)
{
	make(test, &ot.root, "a", S_IFDIR | 0755, &p->a);
	make(test, &ot.root, "b", S_IFDIR | 0755, &p->b);
	make(test, &p->a, "old", mode, &p->obj);
	p->ren = (struct osd_rename){
		.orn_from = &p->a,
		.orn_from_name = q("old"),
		.orn_obj = &p->obj,
		.orn_to = &p->b,
		.orn_to_name = q("new"),
		.orn_xattrs = names_attrs,
	};
}

static void pair_put(struct pair *p)
{
	osd_object_fini(&p->obj);
	osd_object_fini(&p->a);
	osd_object_fini(&p->b);
}

static void rename_moves_the_name(struct kunit *test)
{
	struct osd_object found;
	struct osd_hint hint;
	struct pair p;

	pair_make(test, &p, S_IFREG | 0644);
	KUNIT_EXPECT_EQ(test, osd_object_hint(&p.obj, &hint), 0);
	KUNIT_EXPECT_EQ(test, osd_rename(&p.ren, &ot_counted), 0);
	KUNIT_EXPECT_EQ(test, ot.stamps, 1U);
	KUNIT_EXPECT_EQ(test, ot_find(&p.a, "old"), -ENOENT);
	KUNIT_EXPECT_EQ(test, ot_find(&p.b, "new"), 0);
	KUNIT_EXPECT_EQ(test, osd_ea_get(&p.obj, "trusted.link", NULL, 0), (ssize_t)5);
	KUNIT_ASSERT_EQ(test, osd_object_locate(ot.osd, &found, &p.obj.oo_fid, &hint), 0);
	osd_object_fini(&found);
	KUNIT_EXPECT_EQ(test, osd_rename(&p.ren, &ot_counted), -ENOENT);
	pair_put(&p);
}

static void rename_replaces_its_victim_only(struct kunit *test)
{
	struct osd_object victim;
	struct pair p;

	pair_make(test, &p, S_IFREG | 0644);
	make(test, &p.b, "new", S_IFREG | 0644, &victim);
	KUNIT_EXPECT_EQ(test, osd_rename(&p.ren, &ot_counted), -EEXIST);
	p.ren.orn_victim = &p.obj;
	KUNIT_EXPECT_EQ(test, osd_rename(&p.ren, &ot_counted), -ESTALE);
	KUNIT_EXPECT_EQ(test, ot.stamps, 0U);
	p.ren.orn_victim = &victim;
	KUNIT_EXPECT_EQ(test, osd_rename(&p.ren, &ot_counted), 0);
	KUNIT_EXPECT_EQ(test, links_of(&victim), 0U);
	expect_pending(test, 0);
	osd_object_fini(&victim);
	pair_put(&p);
}

static void rename_keeps_its_victim_in_pending(struct kunit *test)
{
	struct osd_object victim;
	struct pair p;

	pair_make(test, &p, S_IFREG | 0644);
	make(test, &p.b, "new", S_IFREG | 0644, &victim);
	p.ren.orn_victim = &victim;
	p.ren.orn_flags = OSD_REMOVE_PENDING;
	p.ren.orn_from_name = q("none");
	KUNIT_EXPECT_EQ(test, osd_rename(&p.ren, &ot_counted), -ENOENT);
	expect_pending(test, 0);
	p.ren.orn_from_name = q("old");
	KUNIT_EXPECT_EQ(test, osd_rename(&p.ren, &ot_counted), 1);
	KUNIT_EXPECT_EQ(test, ot.stamps, 1U);
	KUNIT_EXPECT_EQ(test, links_of(&victim), 1U);
	expect_pending(test, 1);
	osd_object_fini(&victim);
	pair_put(&p);
}

static void rename_to_a_name_of_the_same_object_does_nothing(struct kunit *test)
{
	struct pair p;

	pair_make(test, &p, S_IFREG | 0644);
	KUNIT_EXPECT_EQ(test, link_name(&p.obj, &p.b, "new"), 0);
	p.ren.orn_victim = &p.obj;
	p.ren.orn_flags = OSD_REMOVE_PENDING;
	KUNIT_EXPECT_EQ(test, osd_rename(&p.ren, NULL), 0);
	KUNIT_EXPECT_EQ(test, links_of(&p.obj), 2U);
	KUNIT_EXPECT_EQ(test, ot_find(&p.a, "old"), 0);
	pair_put(&p);
}

static void directory_is_not_moved_below_itself(struct kunit *test)
{
	struct osd_object below;
	struct pair p;

	pair_make(test, &p, S_IFDIR | 0755);
	make(test, &p.obj, "below", S_IFDIR | 0755, &below);
	p.ren.orn_to = &below;
	KUNIT_EXPECT_EQ(test, osd_rename(&p.ren, &ot_counted), -EINVAL);
	/* Nor does a directory replace one that it is in. */
	p.ren = (struct osd_rename){
		.orn_from = &p.obj,
		.orn_from_name = q("below"),
		.orn_obj = &below,
		.orn_to = &ot.root,
		.orn_to_name = q("a"),
		.orn_victim = &p.a,
	};
	KUNIT_EXPECT_EQ(test, osd_rename(&p.ren, &ot_counted), -ENOTEMPTY);
	KUNIT_EXPECT_EQ(test, ot.stamps, 0U);
	osd_object_fini(&below);
	pair_put(&p);
}

/**
 * struct listing - entries of a directory
 * @seen: how often each name of MANY was shown
 * @count: entries
 * @limit: entries to take
 * @next: ode_next of the last one that was taken
 * @type: DT_* of the last one
 * @rc: ode_rc of the last one
 */
struct listing {
	u8	seen[MANY];
	u32	count;
	u32	limit;
	loff_t	next;
	u8	type;
	int	rc;
};

/* Long enough that all of them do not fit the buffer of a directory. */
#define NAME_WIDTH	80

static void many_name(char *text, u32 n)
{
	snprintf(text, NAME_WIDTH + 1, "%0*u", NAME_WIDTH, n);
}

static int list(const struct osd_dirent *ent, void *data)
{
	struct listing *l = data;
	char text[NAME_WIDTH + 1] = "";
	u32 n;

	if (l->count == l->limit)
		return 1;
	memcpy(text, ent->ode_name.name, min_t(u32, ent->ode_name.len, NAME_WIDTH));
	if (!kstrtou32(text, 10, &n) && n < MANY)
		l->seen[n]++;
	l->count++;
	l->next = ent->ode_next;
	l->type = ent->ode_type;
	l->rc = ent->ode_rc;
	return 0;
}

static struct listing *listing_of(struct kunit *test, struct osd_object *dir)
{
	struct listing *l = kunit_kzalloc(test, sizeof(*l), GFP_KERNEL);
	char text[NAME_WIDTH + 1];
	u32 n;

	KUNIT_ASSERT_NOT_NULL(test, l);
	make(test, &ot.root, "dir", S_IFDIR | 0755, dir);
	for (n = 0; n < MANY; n++) {
		many_name(text, n);
		ot_new(test, dir, text, S_IFIFO | 0644);
	}
	l->limit = U32_MAX;
	return l;
}

static void expect_once(struct kunit *test, const struct listing *l)
{
	u32 n;

	KUNIT_EXPECT_EQ(test, l->count, (u32)MANY);
	for (n = 0; n < MANY; n++)
		KUNIT_EXPECT_EQ(test, l->seen[n], 1);
}

static void directory_shows_every_name_once(struct kunit *test)
{
	struct osd_object dir;
	struct listing *l = listing_of(test, &dir);
	struct osd_dir *od = osd_dir_open(&dir);

	KUNIT_ASSERT_FALSE(test, IS_ERR(od));
	KUNIT_EXPECT_EQ(test, osd_dir_read(od, 0, list, l), 0);
	expect_once(test, l);
	KUNIT_EXPECT_EQ(test, l->type, DT_FIFO);
	KUNIT_EXPECT_EQ(test, osd_dir_read(od, l->next, list, l), 0);
	KUNIT_EXPECT_EQ(test, l->count, (u32)MANY);
	memset(l->seen, 0, sizeof(l->seen));
	l->count = 0;
	KUNIT_EXPECT_EQ(test, osd_dir_read(od, 0, list, l), 0);
	expect_once(test, l);
	osd_dir_close(od);
	osd_object_fini(&dir);
}

static void directory_is_read_in_parts(struct kunit *test)
{
	struct osd_object dir;
	struct listing *l = listing_of(test, &dir);
	struct osd_dir *od = osd_dir_open(&dir);
	int rc;

	KUNIT_ASSERT_FALSE(test, IS_ERR(od));
	do {
		l->limit = l->count + 7;
		rc = osd_dir_read(od, l->next, list, l);
	} while (rc == 1);
	KUNIT_EXPECT_EQ(test, rc, 0);
	expect_once(test, l);
	/* The object is the reader's own: the directory may be dropped. */
	osd_object_fini(&dir);
	l->limit = U32_MAX;
	KUNIT_EXPECT_EQ(test, osd_dir_read(od, 0, list, l), 0);
	KUNIT_EXPECT_EQ(test, l->count, 2U * MANY);
	osd_dir_close(od);
}

static void name_that_is_removed_meanwhile_is_not_shown(struct kunit *test)
{
	struct osd_object dir, file;
	struct listing *l = listing_of(test, &dir);
	struct osd_dir *od = osd_dir_open(&dir);
	char text[NAME_WIDTH + 1];
	u32 n;

	KUNIT_ASSERT_FALSE(test, IS_ERR(od));
	l->limit = 1;
	KUNIT_EXPECT_EQ(test, osd_dir_read(od, 0, list, l), 1);
	for (n = 0; n < MANY; n++) {
		many_name(text, n);
		KUNIT_ASSERT_EQ(test, ot_look(&dir, text, &file), 0);
		KUNIT_EXPECT_EQ(test, unlink_name(&dir, text, &file, 0), 0);
		osd_object_fini(&file);
	}
	l->limit = U32_MAX;
	KUNIT_EXPECT_EQ(test, osd_dir_read(od, l->next, list, l), 0);
	KUNIT_EXPECT_EQ(test, l->count, 1U);
	KUNIT_EXPECT_EQ(test, unlink_name(&ot.root, "dir", &dir, OSD_REMOVE_DIR), 0);
	KUNIT_EXPECT_EQ(test, osd_dir_read(od, 0, list, l), 0);
	KUNIT_EXPECT_EQ(test, l->count, 1U);
	osd_dir_close(od);
	osd_object_fini(&dir);
}

static void name_without_an_object_is_shown_with_its_errno(struct kunit *test)
{
	static const struct osd_xattr bad = { "trusted.lma", "0123456789", 10 };
	const struct osd_xattrs one = { &bad, 1 };
	struct listing l = { .limit = U32_MAX };
	struct osd_object dir, file;
	struct osd_dir *od;

	make(test, &ot.root, "dir", S_IFDIR | 0755, &dir);
	make(test, &dir, "bad", S_IFREG | 0644, &file);
	KUNIT_EXPECT_EQ(test, osd_ea_set(&file, &one, NULL), 0);
	osd_object_fini(&file);
	od = osd_dir_open(&dir);
	KUNIT_ASSERT_FALSE(test, IS_ERR(od));
	KUNIT_EXPECT_EQ(test, osd_dir_read(od, 0, list, &l), 0);
	KUNIT_EXPECT_EQ(test, l.count, 1U);
	KUNIT_EXPECT_EQ(test, l.rc, -EUCLEAN);
	osd_dir_close(od);
	osd_object_fini(&dir);
}

/* Names need permission to read, objects do not: mode 0744 is enough for another user. */
static void directory_is_read_with_permission_only(struct kunit *test)
{
	struct listing l = { .limit = U32_MAX };
	struct osd_object shut, dir;
	const struct cred *old;
	struct osd_dir *od;

	make(test, &ot.root, "shut", S_IFDIR | 0711, &shut);
	make(test, &ot.root, "dir", S_IFDIR | 0744, &dir);
	ot_new(test, &dir, "n1", S_IFREG | 0600);
	old = ot_become(test, USER_A);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(osd_dir_open(&shut)), -EACCES);
	KUNIT_EXPECT_EQ(test, ot_find(&dir, "n1"), -EACCES);
	od = osd_dir_open(&dir);
	KUNIT_EXPECT_FALSE(test, IS_ERR(od));
	if (!IS_ERR(od)) {
		KUNIT_EXPECT_EQ(test, osd_dir_read(od, 0, list, &l), 0);
		osd_dir_close(od);
	}
	revert_creds(old);
	KUNIT_EXPECT_EQ(test, l.count, 1U);
	KUNIT_EXPECT_EQ(test, l.rc, 0);
	osd_object_fini(&shut);
	osd_object_fini(&dir);
}

static struct kunit_case osd_names_cases[] = {
	KUNIT_CASE(link_gives_a_second_name),
	KUNIT_CASE(unlink_removes_the_name_of_its_victim_only),
	KUNIT_CASE(directory_is_removed_when_it_is_empty),
	KUNIT_CASE(last_name_goes_to_pending),
	KUNIT_CASE(refused_unlink_leaves_nothing_in_pending),
	KUNIT_CASE(walk_moves_what_real_lustre_left),
	KUNIT_CASE(walk_removes_an_interrupted_create),
	KUNIT_CASE(walk_removes_the_link_of_an_uncommitted_removal),
	KUNIT_CASE(rename_moves_the_name),
	KUNIT_CASE(rename_replaces_its_victim_only),
	KUNIT_CASE(rename_keeps_its_victim_in_pending),
	KUNIT_CASE(rename_to_a_name_of_the_same_object_does_nothing),
	KUNIT_CASE(directory_is_not_moved_below_itself),
	KUNIT_CASE(directory_shows_every_name_once),
	KUNIT_CASE(directory_is_read_in_parts),
	KUNIT_CASE(name_that_is_removed_meanwhile_is_not_shown),
	KUNIT_CASE(name_without_an_object_is_shown_with_its_errno),
	KUNIT_CASE(directory_is_read_with_permission_only),
	{}
};

static struct kunit_suite osd_names_suite = {
	.name		= "osd_names",
	.suite_init	= client_suite_init,
	.init		= ot_init,
	.exit		= ot_exit,
	.test_cases	= osd_names_cases,
};

kunit_test_suite(osd_names_suite);

MODULE_DESCRIPTION("KUnit: names of objects in a directory");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
