// SPDX-License-Identifier: GPL-2.0-only
/*
 * osd_cut: changes of names and attributes, each in a directory of its own.
 *
 * In a round of a change, object 0 is called "aN" before the change, and object 1, the victim of
 * the rename, "bN".
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/stat.h>

#include <lustre_lite/lustre_fid.h>

#include "osd_cut.h"

#define ROUNDS_MAX	100
#define PENDING_MAX	(ROUNDS_MAX * 4)
#define NAME_MAX_LEN	8

/* The object of a name. */
enum seen {
	SEEN_NONE,
	SEEN_FIRST,		/* object 0 of the round */
	SEEN_SECOND,		/* object 1 */
	SEEN_ADOPTED,		/* an object that has a FID of its inode */
	SEEN_ERROR,
};

/**
 * struct round - a round of a change
 * @cut: all of it
 * @op: change
 * @dir: its directory
 * @number: of the round
 * @must: the change was committed
 * @pending: what is in PENDING; step=check, and the end of step=replay
 * @nr_pending: number of @pending
 */
struct round {
	struct cut		*cut;
	const struct op		*op;
	struct osd_object	dir;
	u32			number;
	bool			must;
	struct lu_fid		*pending;
	u32			nr_pending;
};

/**
 * struct op - a change
 * @name: its name, and that of its directory
 * @prepare: create what it starts from; may be NULL
 * @run: make it. Return: 0, also if an earlier start made it
 * @check: the expectations of a power cut
 */
struct op {
	const char	*name;
	int		(*prepare)(struct round *r);
	int		(*run)(struct round *r);
	void		(*check)(struct round *r);
};

static const struct osd_xattr two_attrs[] = {
	{ "trusted.lov", "layout", 6 },
	{ "trusted.link", "first", 5 },
};

static const struct osd_xattr new_attr[] = { { "trusted.link", "second", 6 } };
static const struct osd_xattrs new_attrs = { new_attr, 1 };

static bool expect(const struct round *r, bool seen, const char *what)
{
	return cut_expect(r->cut, seen, r->op->name, r->number, what);
}

static struct osd_stamp *stamp_of(struct round *r)
{
	return &r->cut->stamp.stamp;
}

/**
 * struct text - a name
 * @name: it
 * @bytes: its bytes
 */
struct text {
	struct qstr	name;
	char		bytes[NAME_MAX_LEN];
};

static const struct qstr *name_of(struct text *text, char letter, u32 number)
{
	int len = snprintf(text->bytes, sizeof(text->bytes), "%c%u", letter, number);

	text->name = (struct qstr)QSTR_INIT(text->bytes, len);
	return &text->name;
}

static int find(struct round *r, char letter, struct osd_object *obj)
{
	struct text text;

	return osd_lookup(&r->dir, name_of(&text, letter, r->number), obj);
}

static struct lu_fid fid_of(const struct round *r, u32 which);

static int make(struct round *r, char letter, u32 which, umode_t mode, u32 flags,
		struct osd_stamp *stamp)
{
	const struct osd_create oc = {
		.ocr_fid = fid_of(r, which),
		.ocr_mode = mode,
		.ocr_link = "target",
		.ocr_flags = flags,
		.ocr_xattrs = { two_attrs, S_ISREG(mode) ? ARRAY_SIZE(two_attrs) : 0 },
	};
	struct osd_object child = {};
	struct text text;
	int rc = osd_create(&r->dir, name_of(&text, letter, r->number), &oc, stamp, &child);

	if (rc == -EEXIST && flags & OSD_CREATE_REPLAY && lu_fid_eq(&child.oo_fid, &oc.ocr_fid))
		rc = 0;
	osd_object_fini(&child);
	return rc;
}

static enum seen look(struct round *r, char letter, u32 *links)
{
	struct lu_fid first = fid_of(r, 0), second = fid_of(r, 1);
	struct osd_object obj = {};
	enum seen seen;
	int rc;

	rc = find(r, letter, &obj);
	if (rc == -ENOENT)
		return SEEN_NONE;
	if (rc) {
		expect(r, false, "a name has an object");
		return SEEN_ERROR;
	}
	seen = lu_fid_eq(&obj.oo_fid, &first) ? SEEN_FIRST :
	       lu_fid_eq(&obj.oo_fid, &second) ? SEEN_SECOND : SEEN_ADOPTED;
	if (links)
		*links = d_inode(obj.oo_dentry)->i_nlink;
	osd_object_fini(&obj);
	return seen;
}

/* How often an object is in PENDING. */
static u32 pending(const struct round *r, u32 which)
{
	struct lu_fid fid = fid_of(r, which);
	u32 n, count = 0;

	for (n = 0; n < r->nr_pending; n++)
		count += lu_fid_eq(&r->pending[n], &fid);
	return count;
}

/* Whether an attribute of the object with this name is @value. */
static bool attr_is(struct round *r, char letter, const char *name, const char *value)
{
	struct osd_object obj = {};
	ssize_t len = -ENOENT;
	char seen[16];

	if (!find(r, letter, &obj))
		len = osd_ea_get(&obj, name, seen, sizeof(seen));
	osd_object_fini(&obj);
	return len == strlen(value) && !memcmp(seen, value, len);
}

static void new_attr_check(struct round *r)
{
	expect(r, attr_is(r, 'a', "trusted.link", "second") ||
	       (!r->must && attr_is(r, 'a', "trusted.link", "first")),
	       "the attribute is the old or the new one");
}

/* --- creation --------------------------------------------------------------------------- */

static int create_run(struct round *r)
{
	return make(r, 'a', 0, S_IFREG | 0644, OSD_CREATE_REPLAY, stamp_of(r));
}

static int mkdir_run(struct round *r)
{
	return make(r, 'a', 0, S_IFDIR | 0755, OSD_CREATE_REPLAY, stamp_of(r));
}

static int symlink_run(struct round *r)
{
	return make(r, 'a', 0, S_IFLNK | 0777, OSD_CREATE_REPLAY, stamp_of(r));
}

static int mknod_run(struct round *r)
{
	return make(r, 'a', 0, S_IFIFO | 0600, OSD_CREATE_REPLAY, stamp_of(r));
}

static void create_check(struct round *r)
{
	enum seen seen = look(r, 'a', NULL);

	expect(r, seen == SEEN_FIRST || !r->must, "it is there");
	expect(r, seen == SEEN_FIRST || seen == SEEN_NONE || seen == SEEN_ADOPTED,
	       "it has its FID, or none");
}

static void create_file_check(struct round *r)
{
	create_check(r);
	if (look(r, 'a', NULL) != SEEN_FIRST)
		return;
	expect(r, attr_is(r, 'a', "trusted.lov", "layout"), "a file with a FID has its layout");
	expect(r, attr_is(r, 'a', "trusted.link", "first"), "a file with a FID has its names");
}

/* --- names ------------------------------------------------------------------------------ */

static int file_prepare(struct round *r)
{
	return make(r, 'a', 0, S_IFREG | 0600, 0, NULL);
}

static int dir_prepare(struct round *r)
{
	return make(r, 'a', 0, S_IFDIR | 0700, 0, NULL);
}

static int two_files_prepare(struct round *r)
{
	return file_prepare(r) ?: make(r, 'b', 1, S_IFREG | 0600, 0, NULL);
}

static int link_run(struct round *r)
{
	struct osd_object obj = {};
	struct text text;
	int rc = find(r, 'a', &obj);

	if (!rc)
		rc = osd_link(&obj, &r->dir, name_of(&text, 'b', r->number), &new_attrs,
			      stamp_of(r));
	/* The name was given, and its list was not. */
	if (rc == -EEXIST)
		rc = osd_ea_set(&obj, &new_attrs, stamp_of(r));
	osd_object_fini(&obj);
	return rc;
}

static void link_check(struct round *r)
{
	u32 links = 0;
	enum seen a = look(r, 'a', &links), b = look(r, 'b', NULL);

	expect(r, a == SEEN_FIRST, "the first name stays");
	expect(r, b == SEEN_FIRST || (b == SEEN_NONE && !r->must), "the second name is there");
	expect(r, links == 1 + (b == SEEN_FIRST), "the number of links is that of the names");
	new_attr_check(r);
}

static int remove_run(struct round *r, u32 flags, const struct osd_xattrs *xattrs)
{
	struct osd_object obj = {};
	struct text text;
	int rc = find(r, 'a', &obj);

	if (rc == -ENOENT)
		return 0;
	if (!rc)
		rc = osd_unlink(&r->dir, name_of(&text, 'a', r->number), &obj, flags, xattrs,
				stamp_of(r));
	osd_object_fini(&obj);
	return rc < 0 ? rc : 0;
}

static int unlink_run(struct round *r)
{
	return remove_run(r, 0, NULL);
}

static int rmdir_run(struct round *r)
{
	return remove_run(r, OSD_REMOVE_DIR, NULL);
}

static int pending_run(struct round *r)
{
	return remove_run(r, OSD_REMOVE_PENDING, &new_attrs);
}

static void remove_check(struct round *r)
{
	enum seen a = look(r, 'a', NULL);

	expect(r, a == SEEN_NONE || (a == SEEN_FIRST && !r->must), "the name is gone");
	expect(r, !pending(r, 0), "it is not in PENDING");
}

static void pending_check(struct round *r)
{
	u32 links = 1;
	enum seen a = look(r, 'a', &links);

	expect(r, a == SEEN_NONE || (a == SEEN_FIRST && !r->must), "the name is gone");
	expect(r, pending(r, 0) == (a == SEEN_NONE), "it is in PENDING, or has its name");
	expect(r, links == 1, "it has one link");
}

static int destroy_prepare(struct round *r)
{
	return file_prepare(r) ?: pending_run(r);
}

static int destroy_run(struct round *r)
{
	struct lu_fid fid = fid_of(r, 0);
	int rc = osd_pending_destroy(r->cut->osd, &fid, stamp_of(r));

	return rc == -ENOENT ? 0 : rc;
}

static void destroy_check(struct round *r)
{
	expect(r, !pending(r, 0) || !r->must, "it is not in PENDING");
	expect(r, look(r, 'a', NULL) == SEEN_NONE, "it has no name");
}

static int rename_objects(struct round *r, struct osd_object *obj, struct osd_object *victim,
			  u32 flags)
{
	struct text from, to;
	const struct osd_rename ren = {
		.orn_from = &r->dir,
		.orn_from_name = *name_of(&from, 'a', r->number),
		.orn_obj = obj,
		.orn_to = &r->dir,
		.orn_to_name = *name_of(&to, 'b', r->number),
		.orn_victim = victim,
		.orn_flags = flags,
		.orn_xattrs = new_attrs,
	};

	return osd_rename(&ren, stamp_of(r));
}

static int rename_run(struct round *r)
{
	struct osd_object obj = {};
	int rc = find(r, 'a', &obj);

	if (rc == -ENOENT)
		return 0;
	if (!rc)
		rc = rename_objects(r, &obj, NULL, 0);
	osd_object_fini(&obj);
	return rc;
}

static void rename_check(struct round *r)
{
	enum seen a = look(r, 'a', NULL), b = look(r, 'b', NULL);

	expect(r, (a == SEEN_NONE && b == SEEN_FIRST) ||
	       (a == SEEN_FIRST && b == SEEN_NONE && !r->must), "it has one of its names");
}

static int replace_run(struct round *r)
{
	struct osd_object obj = {}, victim = {};
	int rc = find(r, 'a', &obj);

	if (rc == -ENOENT)
		return 0;
	if (!rc)
		rc = find(r, 'b', &victim);
	if (!rc)
		rc = rename_objects(r, &obj, &victim, OSD_REMOVE_PENDING);
	osd_object_fini(&obj);
	osd_object_fini(&victim);
	return rc < 0 ? rc : 0;
}

static void replace_check(struct round *r)
{
	enum seen a = look(r, 'a', NULL), b = look(r, 'b', NULL);
	bool done = a == SEEN_NONE && b == SEEN_FIRST;

	expect(r, done || (a == SEEN_FIRST && b == SEEN_SECOND && !r->must),
	       "each has its name, or the victim has none");
	expect(r, pending(r, 1) == done, "a victim without a name is in PENDING");
	expect(r, !pending(r, 0), "the other one is not");
}

/* --- attributes ------------------------------------------------------------------------- */

static int setattr_run(struct round *r)
{
	struct iattr attr = { .ia_valid = ATTR_MODE | ATTR_UID, .ia_mode = S_IFREG | 0755,
			      .ia_uid = KUIDT_INIT(77) };
	struct osd_object obj = {};
	int rc = find(r, 'a', &obj);

	if (!rc)
		rc = osd_setattr(&obj, &attr, stamp_of(r));
	osd_object_fini(&obj);
	return rc;
}

static void setattr_check(struct round *r)
{
	struct osd_object obj = {};
	struct kstat stat = {};
	int rc = find(r, 'a', &obj);
	bool old, new;

	if (!rc)
		rc = osd_getattr(&obj, &stat);
	osd_object_fini(&obj);
	old = stat.mode == (S_IFREG | 0600) && uid_eq(stat.uid, GLOBAL_ROOT_UID);
	new = stat.mode == (S_IFREG | 0755) && uid_eq(stat.uid, KUIDT_INIT(77));
	expect(r, !rc && (new || (old && !r->must)), "both attributes are old, or both are new");
}

static int setxattr_run(struct round *r)
{
	struct osd_object obj = {};
	int rc = find(r, 'a', &obj);

	if (!rc)
		rc = osd_setxattr(&obj, new_attr, 0, stamp_of(r));
	osd_object_fini(&obj);
	return rc;
}

/* --- all of them ------------------------------------------------------------------------ */

static const struct op ops[] = {
	{ "create", NULL, create_run, create_file_check },
	{ "mkdir", NULL, mkdir_run, create_check },
	{ "symlink", NULL, symlink_run, create_check },
	{ "mknod", NULL, mknod_run, create_check },
	{ "link", file_prepare, link_run, link_check },
	{ "unlink", file_prepare, unlink_run, remove_check },
	{ "rmdir", dir_prepare, rmdir_run, remove_check },
	{ "pending", file_prepare, pending_run, pending_check },
	{ "destroy", destroy_prepare, destroy_run, destroy_check },
	{ "rename", file_prepare, rename_run, rename_check },
	{ "replace", two_files_prepare, replace_run, replace_check },
	{ "setattr", file_prepare, setattr_run, setattr_check },
	{ "setxattr", file_prepare, setxattr_run, new_attr_check },
};

static struct lu_fid fid_of(const struct round *r, u32 which)
{
	return (struct lu_fid){
		.f_seq = FID_SEQ_NORMAL + 1 + (r->op - ops),
		.f_oid = r->number * 2 + which + 1,
	};
}

/* The directory of a change; the first round of step=prepare creates it. */
static int op_dir(struct round *r, struct osd_object *root)
{
	const struct qstr name = QSTR_INIT(r->op->name, strlen(r->op->name));
	const struct osd_create oc = {
		.ocr_fid = { .f_seq = FID_SEQ_NORMAL, .f_oid = r->op - ops + 1 },
		.ocr_mode = S_IFDIR | 0755,
	};

	if (r->cut->step == CUT_PREPARE && !r->number)
		return osd_create(root, &name, &oc, NULL, &r->dir);
	return osd_lookup(root, &name, &r->dir);
}

static int op_step(struct round *r, enum cut_step step)
{
	struct cut *cut = r->cut;
	u64 before = cut->stamp.transno;
	int rc = 0;

	switch (step) {
	case CUT_PREPARE:
		rc = r->op->prepare ? r->op->prepare(r) : 0;
		cut->stamp.transno = 0;
		return rc;
	case CUT_RUN:
		return r->op->run(r) ?: cut_made(cut);
	case CUT_REPLAY:
		rc = r->must ? 0 : r->op->run(r);
		cut->stamp.transno = before + 1;
		expect(r, !rc, "the replay succeeds");
		return 0;
	default:
		r->op->check(r);
		return 0;
	}
}

/* Changes of a round follow each other, then comes the next round. */
static int all_steps(struct cut *cut, struct osd_object *root, struct round *r,
		     enum cut_step step)
{
	u64 number = 0;
	int rc = 0;
	size_t n;

	for (r->number = 0; !rc && r->number < cut->rounds; r->number++)
		for (n = 0; !rc && n < ARRAY_SIZE(ops); n++) {
			r->op = &ops[n];
			r->must = ++number <= cut->committed;
			rc = op_dir(r, root) ?: op_step(r, step);
			osd_object_fini(&r->dir);
		}
	return rc;
}

static int pending_show(struct osd_object *obj, void *data)
{
	struct round *r = data;

	if (r->nr_pending == PENDING_MAX)
		return -E2BIG;
	r->pending[r->nr_pending++] = obj->oo_fid;
	return 0;
}

static int pending_read(struct round *r)
{
	r->nr_pending = 0;
	return osd_pending_walk(r->cut->osd, pending_show, r);
}

static int mdt_steps(struct cut *cut, struct osd_object *root, struct round *r)
{
	int rc = 0;

	/* The walk at the start, before any replay. */
	if (cut->step != CUT_PREPARE)
		rc = pending_read(r);
	if (!rc)
		rc = all_steps(cut, root, r, cut->step);
	if (rc || cut->step != CUT_REPLAY)
		return rc;
	cut->committed = cut->stamp.transno;
	return pending_read(r) ?: all_steps(cut, root, r, CUT_CHECK);
}

int cut_mdt(struct cut *cut)
{
	struct osd_object root = {};
	struct round r = { .cut = cut };
	int rc;

	if (cut->rounds > ROUNDS_MAX)
		return -EINVAL;
	r.pending = kcalloc(PENDING_MAX, sizeof(*r.pending), GFP_KERNEL);
	if (!r.pending)
		return -ENOMEM;
	rc = osd_object_root(cut->osd, &root);
	if (!rc)
		rc = mdt_steps(cut, &root, &r);
	osd_object_fini(&root);
	kfree(r.pending);
	return rc;
}
