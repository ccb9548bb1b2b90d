// SPDX-License-Identifier: GPL-2.0-only
/*
 * Size on the MDT: trusted.som of a file whose data no client changes has its size, so that a stat
 * asks no object.
 *
 *	an open for writing	marks the value stale, in its transaction. Other clients have
 *				returned UPDATE before, under which they cache the size
 *	a close			by a client that has changed nothing: the value is exact again
 *	MDS_DONE_WRITING	what the client has written is on the disks of the objects: the value is
 *				exact, if no other client could write between its open and now
 *
 * So a value that is not stale is exact: readers look at nothing else. What may be on disk and must
 * not be believed:
 *
 *	a power cut has lost the open	its client replays it, which marks the value again. No value
 *					is believed before recovery has ended
 *	that client does not come back	all values become invalid: they belong to an incarnation of
 *					the target, and it gets another one
 *	a replayed open			if the value is stale already, the target does not know who else had
 *					the file open for writing: its close says no size. Neither does one of
 *					before the incarnation
 *
 * The next incarnation is on disk before recovery starts. If no client is lost, the target goes
 * back to the one of before.
 */
#define DEBUG_SUBSYSTEM S_MDS

#include <linux/fs.h>
#include <linux/random.h>
#include <linux/time64.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lustre_ea.h>

#include "mdt_internal.h"

/**
 * mdt_som_init() - the target starts
 * @mdt: device; before tgt_init(), which syncs the file of the number
 *
 * Context: may sleep
 * Return: 0; errors of the backend
 */
int mdt_som_init(struct mdt_device *mdt)
{
	u64 number = 0;
	int rc = 0;

	/* A backend that is not durable has no replays: values of earlier starts are not used. */
	if (osd_device_durable(mdt->mdt_osd))
		rc = osd_incarnation_get(mdt->mdt_osd, &number);
	if (rc)
		return rc;
	mdt->mdt_som_now = number ?: get_random_u32() | 1;
	if (!osd_device_durable(mdt->mdt_osd))
		return 0;
	rc = osd_incarnation_set(mdt->mdt_osd, mdt->mdt_som_now + 1ULL);
	/* No client was ever here. */
	return rc == -ENOENT ? 0 : rc;
}

/**
 * mdt_som_recovered() - no replay comes any more: values are believed from here on
 * @mdt: device
 * @lost: a client has not replayed what it did
 *
 * Context: may sleep
 */
void mdt_som_recovered(struct mdt_device *mdt, bool lost)
{
	const char *name = mdt->mdt_dir.td_obd->obd_name;
	int rc = 0;

	if (lost) {
		mdt->mdt_som_now++;
		CWARN("%s: not all clients recovered: the size of a file is taken from its objects until it is written again\n",
		      name);
	} else if (osd_device_durable(mdt->mdt_osd)) {
		rc = osd_incarnation_set(mdt->mdt_osd, mdt->mdt_som_now);
	}
	if (rc)
		CERROR("%s: cannot note that no client was lost, the next start will not know sizes of files: rc = %d\n",
		       name, rc);
	/* Pairs with mdt_som_reply(). */
	smp_store_release(&mdt->mdt_som_on, true);
}

/* Return: true: there is a value, of some time */
static bool som_get(const struct osd_object *obj, struct lustre_som *som)
{
	u8 bytes[sizeof(struct lustre_som_attrs)];
	ssize_t len = osd_ea_get(obj, XATTR_NAME_SOM, bytes, sizeof(bytes));

	return len > 0 && !lustre_som_decode(bytes, len, som) && !(som->size >> 63);
}

static bool som_is_exact(const struct mdt_device *mdt, const struct lustre_som *som)
{
	return som->valid == SOM_FL_STRICT && som->incarnation == mdt->mdt_som_now;
}

/* Return: true: @som is exact, unless a replay is still to come */
static bool som_read(const struct mdt_device *mdt, const struct osd_object *obj,
		     struct lustre_som *som)
{
	return som_get(obj, som) && som_is_exact(mdt, som);
}

/* @times: NULL: they stay */
static int som_write(const struct mdt_device *mdt, struct mdt_object *obj, u16 valid, u64 size,
		     u64 blocks, const struct osd_times *times, struct mdt_trans *mt)
{
	const struct lustre_som som = {
		.valid = valid,
		.size = size,
		.blocks = blocks,
		.incarnation = mdt->mdt_som_now,
	};
	u8 bytes[sizeof(struct lustre_som_attrs)];
	const struct osd_xattr xattr = {
		.ox_name = XATTR_NAME_SOM,
		.ox_value = bytes,
		.ox_len = sizeof(bytes),
	};
	const struct osd_xattrs xattrs = {
		.oxs_list = &xattr,
		.oxs_nr = 1,
		.oxs_keep_ctime = true,
		.oxs_times = times,
	};

	lockdep_assert_held(&obj->mo_lock);
	lustre_som_encode(bytes, &som);
	return osd_ea_set(&obj->mo_osd, &xattrs, &mt->mtr_stamp);
}

/**
 * mdt_som_reply() - a reply says the size of a file
 * @mdt: device
 * @obj: regular file with a layout
 * @attr: its attributes; out: size, blocks; if these are exact, MDS_ATTR_SIZE
 *
 * Otherwise they are those of the last value, also of one of real Lustre: a client whose objects do
 * not say, as it cannot use the layout, has no better ones.
 *
 * Context: may sleep
 */
void mdt_som_reply(const struct mdt_device *mdt, const struct osd_object *obj, struct md_attr *attr)
{
	struct lustre_som som;

	if (!som_get(obj, &som))
		return;
	/* Pairs with mdt_som_recovered(). */
	if (smp_load_acquire(&mdt->mdt_som_on) && READ_ONCE(mdt->mdt_som_strict) &&
	    som_is_exact(mdt, &som)) {
		attr->size = som.size;
		attr->blocks = som.blocks;
		attr->valid |= MDS_ATTR_SIZE;
	} else {
		/* Data on the metadata target is in its file. */
		attr->size = max(attr->size, som.size);
		attr->blocks = max(attr->blocks, som.blocks);
	}
}

/* Other clients return their cached copies of a value before it becomes inexact. */
static int som_spoil(struct mdt_call *call, struct mdt_object *obj, struct lustre_som *som,
		     struct mdt_trans *mt)
{
	int rc = 0;

	/* Of a new file no client has a lock. */
	if (!(call->mtc_rep.flags & MDS_BODY_CREATED))
		rc = mdt_lock_missing(call, &obj->mo_lu.lo_fid, MDS_INODELOCK_UPDATE);
	return rc ?: som_write(call->mtc_mdt, obj, SOM_FL_STALE, som->size, som->blocks, NULL, mt);
}

/* The first open for writing, after the last one was closed. */
static int som_start(struct mdt_call *call, struct mdt_object *obj, struct mdt_trans *mt)
{
	struct mdt_som *ms = &obj->mo_som;
	struct lustre_som som = {};
	/* Pairs with mdt_som_recovered(). */
	bool on = smp_load_acquire(&call->mtc_mdt->mdt_som_on);
	bool was = som_read(call->mtc_mdt, &obj->mo_osd, &som);
	int rc = was ? som_spoil(call, obj, &som, mt) : 0;

	if (rc)
		return rc;
	*ms = (struct mdt_som) {
		.mso_client = mdt_call_client(call),
		.mso_opens = ms->mso_opens,
		.mso_was = was,
		.mso_shared = !was && !on,
		.mso_incarnation = call->mtc_mdt->mdt_som_now,
		.mso_size = som.size,
		.mso_blocks = som.blocks,
	};
	return 0;
}

/**
 * mdt_som_open() - a client will open a file for writing
 * @call: call
 * @obj: regular file, under mo_lock, not counted in mo_writers yet
 * @mt: transaction
 *
 * Context: may sleep
 * Return: 0; -EAGAIN: as mdt_lock_missing(); errors of the backend
 */
int mdt_som_open(struct mdt_call *call, struct mdt_object *obj, struct mdt_trans *mt)
{
	struct mdt_som *ms = &obj->mo_som;
	int rc = 0;

	lockdep_assert_held(&obj->mo_lock);
	if (!obj->mo_writers)
		rc = som_start(call, obj, mt);
	else if (ms->mso_client != mdt_call_client(call))
		ms->mso_shared = true;
	if (rc)
		return rc;
	ms->mso_opens++;
	/* The reply was made before. */
	call->mtc_rep.attr.valid &= ~MDS_ATTR_SIZE;
	return 0;
}

/* Clients were lost since the file was opened first: they may have written to it. */
static bool is_of_now(const struct mdt_device *mdt, const struct mdt_som *ms)
{
	return ms->mso_incarnation == mdt->mdt_som_now;
}

/**
 * mdt_som_close() - a file that was open for writing is closed
 * @mdt: device
 * @obj: file, under mo_lock; mo_writers is the number of those that are left
 * @flags: MDS_CLOSE_*
 * @mt: transaction; NULL: the target stops
 *
 * Context: may sleep
 */
void mdt_som_close(const struct mdt_device *mdt, struct mdt_object *obj, u32 flags,
		   struct mdt_trans *mt)
{
	struct mdt_som *ms = &obj->mo_som;

	lockdep_assert_held(&obj->mo_lock);
	if (!(flags & MDS_CLOSE_SAME))
		ms->mso_changed = true;
	if (obj->mo_writers || !ms->mso_was || ms->mso_changed || !mt || !is_of_now(mdt, ms))
		return;
	/* If it cannot be written, it stays stale. */
	som_write(mdt, obj, SOM_FL_STRICT, ms->mso_size, ms->mso_blocks, NULL, mt);
}

/* The times that the file has, with those of the last write. Return: false: they are the same */
static bool times_merge(const struct mdt_object *obj, const struct md_done *done,
			struct osd_times *times)
{
	const struct timespec64 mtime = { done->mtime.sec, done->mtime.nsec };
	const struct timespec64 ctime = { done->ctime.sec, done->ctime.nsec };
	struct kstat stat;

	if (osd_getattr(&obj->mo_osd, &stat))
		return false;
	times->ot_mtime = mtime;
	times->ot_ctime = ctime;
	/* Changed here since: mtime may be that of a later write all the same. */
	if (timespec64_compare(&ctime, &stat.ctime) < 0) {
		times->ot_ctime = stat.ctime;
		if (timespec64_compare(&mtime, &stat.mtime) < 0)
			times->ot_mtime = stat.mtime;
	}
	return true;
}

/**
 * mdt_som_done() - what a client has written is on disk
 * @mdt: device
 * @obj: file, under mo_lock
 * @opens: mso_opens of the open that was closed
 * @done: size and times
 * @mt: transaction
 *
 * Nothing happens if another open followed that one, or the file was open for writing elsewhere.
 *
 * Context: may sleep
 */
void mdt_som_done(const struct mdt_device *mdt, struct mdt_object *obj, u32 opens,
		  const struct md_done *done, struct mdt_trans *mt)
{
	const struct mdt_som *ms = &obj->mo_som;
	struct osd_times times;
	bool newer;

	lockdep_assert_held(&obj->mo_lock);
	if (!(done->flags & MDS_DONE_EXACT) || obj->mo_writers || ms->mso_opens != opens ||
	    ms->mso_shared || !is_of_now(mdt, ms) ||
	    READ_ONCE(obj->mo_lu.lo_state) != LU_OBJECT_LIVE)
		return;
	newer = !ms->mso_times && times_merge(obj, done, &times);
	som_write(mdt, obj, SOM_FL_STRICT, done->size, done->blocks, newer ? &times : NULL, mt);
}

/**
 * mdt_som_forget() - size and blocks of a file change otherwise than by a client that has it open
 * @mdt: device
 * @obj: file, under mo_lock
 * @mt: transaction
 *
 * Clients that have it open for writing do not say them, either.
 *
 * Context: may sleep
 * Return: 0; errors of the backend
 */
int mdt_som_forget(const struct mdt_device *mdt, struct mdt_object *obj, struct mdt_trans *mt)
{
	struct mdt_som *ms = &obj->mo_som;
	struct lustre_som som;

	lockdep_assert_held(&obj->mo_lock);
	ms->mso_shared = true;
	ms->mso_changed = true;
	ms->mso_opens++;
	if (!som_read(mdt, &obj->mo_osd, &som))
		return 0;
	return som_write(mdt, obj, SOM_FL_STALE, som.size, som.blocks, NULL, mt);
}

/**
 * mdt_som_truncate() - a client will change the size of a file
 * @call: call, which has locked UPDATE
 * @obj: file
 * @mt: transaction
 *
 * It does so after the reply. Unless it has the file open for writing, what others say of the file
 * until then is not exact. A replay may have the handle of before the restart, so none is looked
 * at.
 *
 * Context: may sleep
 * Return: 0; errors of the backend
 */
int mdt_som_truncate(struct mdt_call *call, struct mdt_object *obj, struct mdt_trans *mt)
{
	int rc = 0;

	mutex_lock(&obj->mo_lock);
	if (!obj->mo_writers || obj->mo_som.mso_client != mdt_call_client(call))
		rc = mdt_som_forget(call->mtc_mdt, obj, mt);
	mutex_unlock(&obj->mo_lock);
	return rc;
}

/**
 * mdt_som_times() - a client sets the mtime of a file
 * @call: call
 * @obj: object
 *
 * Earlier writes, of which a client tells later, do not set it back.
 *
 * Context: may sleep
 */
void mdt_som_times(const struct mdt_call *call, struct mdt_object *obj)
{
	struct mdt_som *ms = &obj->mo_som;

	mutex_lock(&obj->mo_lock);
	if (!obj->mo_writers)
		ms->mso_times = true;
	else if (ms->mso_client != mdt_call_client(call))
		ms->mso_shared = true;
	mutex_unlock(&obj->mo_lock);
}
