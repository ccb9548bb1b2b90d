/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changes of the tree of a metadata target, as requests: mdt_fixture.h, and a call for each
 * operation. What a call did is looked at by ot.osd, beside the target.
 */
#ifndef _KUNIT_MDT_NAMES_FIXTURE_H
#define _KUNIT_MDT_NAMES_FIXTURE_H

#include <lustre_lite/lustre_linkea.h>
#include <uapi/lustre_lite/lustre_ea.h>

#include "mdt_fixture.h"

/* Sequence of the FIDs that the cases give. */
#define MN_SEQ	(FID_SEQ_NORMAL + 7)

/* Calls are not inlined: operations and replies are large, and cases have many of them. */
static struct {
	atomic_t	oid;
	u32		flags;		/* MSG_* of the next calls */
} mn;

static inline struct md_object mn_new(void)
{
	return (struct md_object){
		.fid = { .f_seq = MN_SEQ, .f_oid = atomic_inc_return(&mn.oid) },
	};
}

static inline int mn_init(struct kunit *test)
{
	memset(&mn, 0, sizeof(mn));
	return mf_init(test);
}

/* Operation on @dir and @obj, with a name in @dir. */
static noinline __maybe_unused void mn_op(struct md_op_data *op, u32 reint,
					  const struct md_object *dir,
					  const struct md_object *obj, const char *name)
{
	*op = mf_op(MDS_REINT, dir);
	op->reint = reint;
	if (obj || reint == REINT_OPEN)
		op->objects = 2;
	if (obj)
		op->object[1] = *obj;
	if (name) {
		op->name = name;
		op->name_len = strlen(name);
	}
}

static inline int mn_call(const struct md_op_data *op, struct md_reply *rep)
{
	return mf_call_flags(op, mn.flags, rep);
}

static noinline __maybe_unused int
mn_try(const struct md_op_data *op)
{
	struct md_reply rep;
	int rc = mn_call(op, &rep);

	mf_put(&rep);
	return rc;
}

static noinline __maybe_unused void
mn_create_op(struct md_op_data *op, const struct md_object *dir, const char *name, u32 mode,
	     const struct md_object *obj)
{
	mn_op(op, REINT_CREATE, dir, obj, name);
	op->attr.mode = mode;
	if (S_ISLNK(mode)) {
		op->value = "target";
		op->value_len = 6;
		op->size = PATH_MAX;
	}
}

/* Create @obj, which gets its hint. */
static noinline __maybe_unused int
mn_create(const struct md_object *dir, const char *name, u32 mode, struct md_object *obj)
{
	struct md_op_data op;
	struct md_reply rep;
	int rc;

	*obj = mn_new();
	mn_create_op(&op, dir, name, mode, obj);
	rc = mn_call(&op, &rep);
	if (!rc)
		*obj = rep.object;
	mf_put(&rep);
	return rc;
}

static noinline __maybe_unused struct md_object
mn_made(struct kunit *test, const struct md_object *dir, const char *name, u32 mode)
{
	struct md_object obj;

	KUNIT_ASSERT_EQ_MSG(test, mn_create(dir, name, mode, &obj), 0, "%s", name);
	return obj;
}

static inline struct md_object mn_file(struct kunit *test, const char *name)
{
	return mn_made(test, &mf.root, name, S_IFREG | 0644);
}

static inline struct md_object mn_dir(struct kunit *test, const char *name)
{
	return mn_made(test, &mf.root, name, S_IFDIR | 0755);
}

static noinline __maybe_unused int
mn_link(const struct md_object *obj, const struct md_object *dir, const char *name)
{
	struct md_op_data op;

	mn_op(&op, REINT_LINK, dir, obj, name);
	return mn_try(&op);
}

/* @flags: MDS_BODY_* of the reply */
static noinline __maybe_unused int
mn_remove(const struct md_object *dir, const char *name, const struct md_object *obj, u32 how,
	  u32 *flags)
{
	struct md_op_data op;
	struct md_reply rep;
	int rc;

	mn_op(&op, REINT_UNLINK, dir, obj, name);
	op.flags = how;
	rc = mn_call(&op, &rep);
	if (flags)
		*flags = rep.flags;
	mf_put(&rep);
	return rc;
}

static inline int mn_unlink(const char *name, const struct md_object *obj)
{
	return mn_remove(&mf.root, name, obj, 0, NULL);
}

/* @victim: NULL: nothing has the new name */
static noinline __maybe_unused void
mn_rename_op(struct md_op_data *op, const struct md_object *from, const char *old,
	     const struct md_object *obj, const struct md_object *to, const char *name,
	     const struct md_object *victim)
{
	mn_op(op, REINT_RENAME, from, obj, old);
	op->objects = 4;
	op->object[2] = *to;
	if (victim)
		op->object[3] = *victim;
	op->value = name;
	op->value_len = strlen(name);
}

static noinline __maybe_unused int
mn_rename(const char *old, const struct md_object *obj, const char *name,
	  const struct md_object *victim)
{
	struct md_op_data op;

	mn_rename_op(&op, &mf.root, old, obj, &mf.root, name, victim);
	return mn_try(&op);
}

static noinline __maybe_unused int
mn_open(const struct md_object *dir, const char *name, const struct md_object *obj, u32 flags,
	struct md_reply *rep)
{
	struct md_op_data op;

	mn_op(&op, REINT_OPEN, dir, obj, name);
	op.flags = flags;
	op.attr.mode = 0640;
	return mn_call(&op, rep);
}

static noinline __maybe_unused int
mn_close(const struct md_object *obj, u64 handle, u32 *flags)
{
	struct md_op_data op = mf_op(MDS_CLOSE, obj);
	struct md_reply rep;
	int rc;

	op.handle = handle;
	rc = mn_call(&op, &rep);
	if (flags)
		*flags = rep.flags;
	mf_put(&rep);
	return rc;
}

/* --- looks ---------------------------------------------------------------------------- */

/* The object that has a name of the root, beside the target. */
static noinline __maybe_unused bool
mn_is(const char *name, const struct md_object *obj)
{
	struct osd_object found;
	bool is;

	if (ot_look(&ot.root, name, &found))
		return false;
	is = lu_fid_eq(&found.oo_fid, &obj->fid);
	osd_object_fini(&found);
	return is;
}

static inline int mn_count(struct osd_object *obj, void *data)
{
	++*(u32 *)data;
	return 0;
}

/* Objects in PENDING. */
static inline u32 mn_pending(void)
{
	u32 nr = 0;

	return osd_pending_walk(ot.osd, mn_count, &nr) ? ~0U : nr;
}

/* Entries in the list of names of an object, and whether it has this one of the root. */
static noinline __maybe_unused int
mn_links(const char *name, const char *entry)
{
	static u8 bytes[MAX_LINKEA_SIZE];
	struct linkea_entry wanted = {
		.parent = mf.root.fid, .name = entry, .name_len = strlen(entry),
	};
	struct osd_object obj;
	struct linkea list;
	ssize_t len;

	if (ot_look(&ot.root, name, &obj))
		return -ENOENT;
	len = osd_ea_get(&obj, XATTR_NAME_LINK, bytes, sizeof(bytes));
	osd_object_fini(&obj);
	if (len < 0 || linkea_decode(bytes, len, &list))
		return -EUCLEAN;
	return linkea_has(&list, &wanted) ? list.count : 0;
}

#endif /* _KUNIT_MDT_NAMES_FIXTURE_H */
