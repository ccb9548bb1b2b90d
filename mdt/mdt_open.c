// SPDX-License-Identifier: GPL-2.0-only
/*
 * REINT_OPEN: open handles. mdt_close.c ends them.
 *
 * A handle is in memory only, and belongs to the export of its client. After a restart the client
 * replays its opens, those on disk, too, and gets new handles. So an open is a transaction although
 * it may change nothing.
 */
#define DEBUG_SUBSYSTEM S_MDS

#include <linux/capability.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/random.h>
#include <linux/stat.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/obd_export.h>
#include <lustre_lite/params.h>

#include "mdt_internal.h"

/* Opens whose FIDs are noted under mdt_lock. */
#define OPENS_PART	32

void mdt_opens_init(struct mdt_device *mdt)
{
	xa_init_flags(&mdt->mdt_opens, XA_FLAGS_ALLOC1);
	mdt->mdt_open_life = get_random_u32() | 1;
}

void mdt_opens_fini(struct mdt_device *mdt)
{
	WARN_ON_ONCE(!xa_empty(&mdt->mdt_opens));
	xa_destroy(&mdt->mdt_opens);
}

static u64 mfd_cookie(const struct mdt_device *mdt, const struct mdt_file_data *mfd)
{
	return (u64)mdt->mdt_open_life << 32 | mfd->mfd_number;
}

struct mdt_file_data *mfd_find(struct mdt_device *mdt, const struct mdt_export *me, u64 cookie)
{
	struct mdt_file_data *mfd = NULL;

	lockdep_assert_held(&mdt->mdt_lock);
	if (cookie >> 32 == mdt->mdt_open_life)
		mfd = xa_load(&mdt->mdt_opens, lower_32_bits(cookie));
	return mfd && mfd->mfd_me == me ? mfd : NULL;
}

/* The open that a replay has made before; its client did not get the reply. */
static struct mdt_file_data *mfd_find_replayed(struct mdt_device *mdt,
					       const struct mdt_export *me, u64 xid)
{
	struct mdt_file_data *mfd;

	lockdep_assert_held(&mdt->mdt_lock);
	list_for_each_entry(mfd, &me->me_opens, mfd_item)
		if (mfd->mfd_xid == xid)
			return mfd;
	return NULL;
}

/* Return: 0; -ENOMEM */
static int mfd_insert(struct mdt_device *mdt, struct mdt_file_data *mfd)
{
	int rc;

	lockdep_assert_held(&mdt->mdt_lock);
	rc = xa_alloc_cyclic(&mdt->mdt_opens, &mfd->mfd_number, mfd, xa_limit_32b,
			     &mdt->mdt_open_next, GFP_KERNEL_ACCOUNT);
	if (rc < 0)
		return rc;
	list_add_tail(&mfd->mfd_item, &mfd->mfd_me->me_opens);
	return 0;
}

/* From number @next on. Return: how many, up to OPENS_PART; @next: where to go on */
static unsigned int opens_collect(struct mdt_device *mdt, const struct mdt_export *me,
				  unsigned long *next, struct lu_fid fids[OPENS_PART])
{
	struct mdt_file_data *mfd;
	unsigned int count = 0;
	unsigned long number;

	mutex_lock(&mdt->mdt_lock);
	xa_for_each_start(&mdt->mdt_opens, number, mfd, *next) {
		if (mfd->mfd_me != me || mfd->mfd_done)
			continue;
		fids[count++] = mfd->mfd_obj->mo_lu.lo_fid;
		if (count == OPENS_PART)
			break;
	}
	*next = number + 1;
	mutex_unlock(&mdt->mdt_lock);
	return count;
}

/* Opens are not kept waiting until all are packed. */
void mdt_open_files_put(struct params_sink *sink, struct obd_export *exp)
{
	const struct mdt_export *me = READ_ONCE(exp->exp_data);
	struct mdt_device *mdt = mdt_device(exp->exp_obd);
	struct lu_fid fids[OPENS_PART];
	char text[FID_TEXT_SIZE];
	unsigned int count, n;
	unsigned long next = 0;

	do {
		count = opens_collect(mdt, me, &next, fids);
		for (n = 0; n < count; n++)
			params_put_strf(sink, NULL, "[%s]", fid_text(&fids[n], text));
	} while (count == OPENS_PART);
}

/* Return: the client's open of this request, which it has or gets; or an ERR_PTR */
static struct mdt_file_data *mfd_get(struct mdt_call *call, struct mdt_file_data *new)
{
	struct mdt_device *mdt = call->mtc_mdt;
	struct mdt_file_data *mfd = NULL;
	int rc = 0;

	mutex_lock(&mdt->mdt_lock);
	if (mdt_call_is_replay(call))
		mfd = mfd_find_replayed(mdt, new->mfd_me, new->mfd_xid);
	if (!mfd)
		rc = mfd_insert(mdt, new);
	mutex_unlock(&mdt->mdt_lock);
	if (mfd)
		return mfd;
	return rc ? ERR_PTR(rc) : new;
}

bool mdt_open_permits(const struct mdt_call *call, const struct mdt_object *obj, u32 mode)
{
	struct mdt_device *mdt = call->mtc_mdt;
	struct mdt_file_data *mfd;
	bool permits;

	if (!call->mtc_op.handle)
		return false;
	mutex_lock(&mdt->mdt_lock);
	mfd = mfd_find(mdt, mdt_call_client(call), call->mtc_op.handle);
	permits = mfd && mfd->mfd_obj == obj && !mfd->mfd_done && (mfd->mfd_mode & mode) == mode;
	mutex_unlock(&mdt->mdt_lock);
	return permits;
}

/* Open. */

bool mdt_is_executed(const struct mdt_object *obj)
{
	return READ_ONCE(obj->mo_execs);
}

/* As the VFS does on one node. Clients that replay were permitted before. */
static int busy_check(const struct mdt_call *call, const struct mdt_object *obj)
{
	u32 flags = call->mtc_op.flags;
	bool busy = (flags & MDS_FMODE_WRITE && READ_ONCE(obj->mo_execs)) ||
		    (flags & MDS_FMODE_EXEC && READ_ONCE(obj->mo_writers));

	return busy && !mdt_call_is_replay(call) ? -ETXTBSY : 0;
}

void __mdt_opens_add(struct mdt_object *obj, u32 mode, int add)
{
	lockdep_assert_held(&obj->mo_lock);
	obj->mo_opens += add;
	if (mode & MDS_FMODE_WRITE)
		WRITE_ONCE(obj->mo_writers, obj->mo_writers + add);
	if (mode & MDS_FMODE_EXEC)
		WRITE_ONCE(obj->mo_execs, obj->mo_execs + add);
}

/* The object may have lost its last name since it was found. */
static int __handle_give(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *obj,
			 struct mdt_file_data **new)
{
	bool written = (*new)->mfd_mode & MDS_FMODE_WRITE;
	struct mdt_file_data *mfd;
	int rc = busy_check(call, obj);

	lockdep_assert_held(&obj->mo_lock);
	if (READ_ONCE(obj->mo_lu.lo_state) != LU_OBJECT_LIVE)
		return -ESTALE;
	rc = rc ?: written ? mdt_som_open(call, obj, mt) : 0;
	if (rc)
		return rc;
	(*new)->mfd_som = obj->mo_som.mso_opens;
	mfd = mfd_get(call, *new);
	if (IS_ERR(mfd))
		return PTR_ERR(mfd);
	if (mfd == *new) {
		*new = NULL;
		lu_object_get(&obj->mo_lu, LU_HOLDER_OPEN);
		__mdt_opens_add(obj, mfd->mfd_mode, 1);
	}
	mdt_trans_note(mt);
	call->mtc_rep.handle = mfd_cookie(call->mtc_mdt, mfd);
	call->mtc_rep.flags |= MDS_BODY_OPENED;
	return 0;
}

static int handle_give(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *obj)
{
	struct mdt_file_data *new = libcfs_zalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	int rc;

	if (!new)
		return -ENOMEM;
	new->mfd_me = mdt_call_client(call);
	new->mfd_obj = obj;
	new->mfd_xid = call->mtc_sr->sr_msg.xid;
	new->mfd_mode = call->mtc_op.flags & (MDS_FMODE_READ | MDS_FMODE_WRITE | MDS_FMODE_EXEC);
	mutex_lock(&obj->mo_lock);
	rc = __handle_give(call, mt, obj, &new);
	mutex_unlock(&obj->mo_lock);
	libcfs_free(new, sizeof(*new));
	return rc;
}

static int open_mask(u32 flags)
{
	int mask = 0;

	if (flags & MDS_FMODE_READ)
		mask |= MAY_READ;
	if (flags & (MDS_FMODE_WRITE | MDS_OPEN_TRUNC))
		mask |= MAY_WRITE;
	if (flags & MDS_FMODE_EXEC)
		mask |= MAY_EXEC;
	return mask;
}

/* Permission was checked when the file was opened first; the creator needs none. */
static int open_check(const struct mdt_call *call, const struct mdt_object *obj, u32 mode)
{
	u32 flags = call->mtc_op.flags;

	if (flags & MDS_OPEN_DIRECTORY && !S_ISDIR(mode))
		return -ENOTDIR;
	if (S_ISDIR(mode) && flags & (MDS_FMODE_WRITE | MDS_OPEN_TRUNC | MDS_OPEN_CREAT))
		return -EISDIR;
	if (mdt_call_is_replay(call) || call->mtc_rep.flags & MDS_BODY_CREATED)
		return 0;
	return osd_permission(&obj->mo_osd, open_mask(flags)) ?: busy_check(call, obj);
}

/* What a truncate by a user without privileges takes away. */
static u32 truncate_kills(const struct mdt_call *call, u32 mode)
{
	u32 kills = 0;

	if (call->mtc_op.caps & BIT_ULL(CAP_FSETID))
		return 0;
	if (mode & S_ISUID)
		kills |= ATTR_KILL_SUID;
	if (mode & S_ISGID && mode & 0010)
		kills |= ATTR_KILL_SGID;
	return kills;
}

/* O_TRUNC: the times change; the client truncates the objects. Permission was checked. */
static int open_truncate(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *obj,
			 u32 mode)
{
	struct iattr attr = {
		.ia_valid = ATTR_CTIME | ATTR_OPEN | ATTR_FORCE | truncate_kills(call, mode),
	};
	int rc;

	if (!(call->mtc_op.flags & MDS_OPEN_TRUNC) || mdt_call_is_replay(call) ||
	    call->mtc_rep.flags & MDS_BODY_CREATED)
		return 0;
	rc = mdt_lock_missing(call, &obj->mo_lu.lo_fid,
			      MDS_INODELOCK_UPDATE | MDS_INODELOCK_PERM | MDS_INODELOCK_XATTR) ?:
	     mdt_truncate(call, mt, obj, 0, &attr);
	return rc ?: osd_setattr(&obj->mo_osd, &attr, &mt->mtr_stamp);
}

/* A file that is opened for writing has objects to write to. */
static int open_layout(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *obj)
{
	u32 flags = call->mtc_op.flags;

	if (!(flags & MDS_FMODE_WRITE) || flags & MDS_OPEN_DELAY)
		return 0;
	return lod_layout_make(call, mt, obj);
}

static int open_file(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *obj,
		     u32 mode)
{
	return open_truncate(call, mt, obj, mode) ?: open_layout(call, mt, obj);
}

static int open_object(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *obj)
{
	struct md_attr attr;
	int rc = mdt_object_attr(&obj->mo_osd, &attr);

	if (rc)
		return rc;
	/* The client opens what these stand for. */
	if (!S_ISREG(attr.mode) && !S_ISDIR(attr.mode))
		return call->mtc_op.flags & MDS_OPEN_DIRECTORY && !S_ISLNK(attr.mode) ?
		       -ENOTDIR : mdt_reply_object(call, obj);
	rc = open_check(call, obj, attr.mode);
	if (!rc && S_ISREG(attr.mode))
		rc = open_file(call, mt, obj, attr.mode);
	return rc ?: mdt_reply_object(call, obj) ?: handle_give(call, mt, obj);
}

static int open_create(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *dir,
		       struct osd_object *found)
{
	const umode_t mode = S_IFREG | (call->mtc_op.attr.mode & S_IALLUGO);

	return mdt_lock_missing(call, &dir->mo_lu.lo_fid, MDS_INODELOCK_UPDATE) ?:
	       mdt_create_name(call, dir, mode, mt, found);
}

/* Return: 0; 1: created; a negative errno. @found is located after the first two. */
static int open_lookup(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *dir,
		       struct osd_object *found)
{
	const struct md_op_data *op = &call->mtc_op;
	const struct qstr name = QSTR_INIT(op->name, op->name_len);
	int rc = -ENOENT;

	if (!(op->flags & MDS_OPEN_EXCL))
		rc = osd_lookup(&dir->mo_osd, &name, found);
	if (rc != -ENOENT || !(op->flags & MDS_OPEN_CREAT))
		return rc;
	rc = open_create(call, mt, dir, found);
	if (!rc)
		return 1;
	if (rc != -EEXIST || !found->oo_dentry)
		return rc;
	/* This client's own, created by a request that comes again. */
	if (lu_fid_eq(&found->oo_fid, &op->object[1].fid))
		return 1;
	if (!(op->flags & MDS_OPEN_EXCL) || mdt_call_is_replay(call))
		return 0;
	osd_object_fini(found);
	return -EEXIST;
}

/*
 * A replay opens what was opened, and nothing else that has the name by now. Without a hint the
 * client sends the FID of a new object: its task had not looked at the reply yet.
 */
static bool is_superseded(const struct mdt_call *call, const struct osd_object *found)
{
	const struct md_object *was = &call->mtc_op.object[1];

	return mdt_call_is_replay(call) && memchr_inv(&was->hint, 0, sizeof(was->hint)) &&
	       !lu_fid_eq(&found->oo_fid, &was->fid);
}

/* Return: the object, held by the call; or an ERR_PTR */
static struct mdt_object *open_by_name(struct mdt_call *call, struct mdt_trans *mt)
{
	const struct qstr name = QSTR_INIT(call->mtc_op.name, call->mtc_op.name_len);
	struct mdt_object *dir = mdt_call_object(call, 0), *obj;
	struct osd_object found = {};
	int rc;

	if (IS_ERR(dir))
		return dir;
	rc = open_lookup(call, mt, dir, &found);
	if (rc < 0)
		return ERR_PTR(rc);
	if (is_superseded(call, &found)) {
		osd_object_fini(&found);
		return ERR_PTR(-ENOENT);
	}
	if (rc)
		call->mtc_rep.flags |= MDS_BODY_CREATED;
	else
		mdt_guard_name(call, dir, &name, &found.oo_fid);
	rc = rc ? mdt_call_parent(call, &dir->mo_osd) : 0;
	if (rc) {
		osd_object_fini(&found);
		return ERR_PTR(rc);
	}
	obj = mdt_object_take(call->mtc_mdt, &found);
	if (!IS_ERR(obj)) {
		call->mtc_object[1] = obj;
		if (mdt_call_is_replay(call))
			mdd_pin(call->mtc_mdt, obj);
	}
	return obj;
}

/* The object of the request that was executed before. It may have another name, or none. */
static struct mdt_object *open_again(struct mdt_call *call)
{
	if (!mdt_call_is_again(call) || fid_is_zero(&call->mtc_op.object[1].fid))
		return ERR_PTR(-ESTALE);
	return mdt_call_object(call, 1);
}

/* Nothing but an open keeps a file that has just been created without a name. */
static int open_volatile(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *obj)
{
	int rc = open_object(call, mt, obj);

	if (!rc)
		return 0;
	mutex_lock(&obj->mo_lock);
	mdd_orphan_destroy(call->mtc_mdt, obj, mt);
	mutex_unlock(&obj->mo_lock);
	return rc;
}

static void say_open(const struct mdt_call *call)
{
	const struct md_op_data *op = &call->mtc_op;
	char dir[FID_TEXT_SIZE], fid[FID_TEXT_SIZE];

	CDEBUG(D_INODE, "%s: open of [%s]/%s, new FID [%s], flags 0x%x, mode 0%o, message flags 0x%x\n",
	       call->mtc_mdt->mdt_dir.td_obd->obd_name, fid_text(&op->object[0].fid, dir),
	       op->name ?: "", fid_text(&op->object[1].fid, fid), op->flags, op->attr.mode,
	       call->mtc_sr->sr_msg.flags);
}

int mdt_reint_open(struct mdt_call *call, struct mdt_trans *mt)
{
	const struct md_op_data *op = &call->mtc_op;
	struct mdt_object *obj;

	say_open(call);
	if (!op->name) {
		obj = mdt_call_object(call, 0);
		if (!IS_ERR(obj))
			mdt_guard(call, &obj->mo_lu.lo_fid);
	} else {
		obj = open_again(call);
		if (IS_ERR(obj) && PTR_ERR(obj) == -ESTALE)
			obj = op->flags & MDS_OPEN_VOLATILE ? mdd_volatile_create(call, mt) :
							      open_by_name(call, mt);
	}
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	return op->flags & MDS_OPEN_VOLATILE ? open_volatile(call, mt, obj) :
					       open_object(call, mt, obj);
}
