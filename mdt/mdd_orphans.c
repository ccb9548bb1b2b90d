// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects without a name, and what recovery keeps.
 *
 * An object that loses its last name while a client has it open goes to PENDING, and is destroyed
 * by the last close. After a restart, clients replay their opens, in any order with what others do:
 * until recovery has ended, each file that loses its last name goes to PENDING, and what is there
 * is pinned in memory. What no client has open then is destroyed.
 *
 * Objects that replays create are pinned as well: later replays name them by FID, with the hint of
 * an inode that the restart may have lost.
 *
 * A file that is created without a name (MDS_OPEN_VOLATILE) is there from the start.
 *
 * A file with objects goes to PENDING with its last name, too, and stays until these are destroyed;
 * see lod_destroy.c.
 */
#define DEBUG_SUBSYSTEM S_MDS

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/stat.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lov_ea.h>
#include <lustre_lite/lustre_ea.h>

#include "mdt_internal.h"

/* Bytes of the longest layout without objects: the header of LOV_MAGIC_V3. */
#define LAYOUT_EMPTY_MAX	64

/**
 * mdd_has_data() - whether a file has data on other targets
 * @obj: object
 *
 * Context: may sleep
 * Return: true if its layout has objects, or is one that is not known
 */
bool mdd_has_data(const struct osd_object *obj)
{
	u8 bytes[LAYOUT_EMPTY_MAX];
	ssize_t len = osd_ea_get(obj, XATTR_NAME_LOV, bytes, sizeof(bytes));
	struct lov_ea ea;

	if (len == -ERANGE)
		return true;
	if (len <= 0)
		return false;
	return lov_ea_decode(bytes, len, &ea) || ea.object_count;
}

/* Return: 0: it is there, located; as osd_pending_create() */
static int volatile_make(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *dir,
			 struct osd_object *found)
{
	const struct md_op_data *op = &call->mtc_op;
	struct osd_xattr xattr;
	struct osd_create oc = {
		.ocr_fid = op->object[1].fid,
		.ocr_mode = S_IFREG | (op->attr.mode & S_IALLUGO),
		.ocr_umask = op->umask,
		.ocr_flags = mdt_call_is_again(call) ? OSD_CREATE_REPLAY : 0,
		.ocr_xattrs = { .oxs_list = &xattr },
	};
	int rc = lod_layout_new(call, dir, &oc.ocr_fid, oc.ocr_mode, &call->mtc_layout);

	if (rc)
		return rc;
	if (call->mtc_layout.ll_len) {
		xattr = lod_layout_xattr(&call->mtc_layout);
		oc.ocr_xattrs.oxs_nr = 1;
	}
	mdt_guard(call, &oc.ocr_fid);
	rc = osd_pending_create(call->mtc_mdt->mdt_osd, &oc, &mt->mtr_stamp, found);
	/* Created by a request that comes again. */
	return rc == -EEXIST && found->oo_dentry && mdt_call_is_again(call) ? 0 : rc;
}

/* A replay needs neither the directory nor the permission. Return: NULL: not needed; an ERR_PTR */
static struct mdt_object *volatile_dir(struct mdt_call *call)
{
	struct mdt_object *dir;
	int rc;

	if (mdt_call_is_replay(call))
		return NULL;
	dir = mdt_call_object(call, 0);
	if (IS_ERR(dir))
		return dir;
	rc = osd_permission(&dir->mo_osd, MAY_WRITE | MAY_EXEC);
	return rc ? ERR_PTR(rc) : dir;
}

struct mdt_object *mdd_volatile_create(struct mdt_call *call, struct mdt_trans *mt)
{
	struct mdt_object *dir = volatile_dir(call), *obj;
	struct osd_object found = {};
	int rc = PTR_ERR_OR_ZERO(dir);

	if (!rc && !fid_is_norm(&call->mtc_op.object[1].fid))
		rc = -EINVAL;
	rc = rc ?: osd_thread_start() ?: volatile_make(call, mt, dir, &found);
	if (rc) {
		osd_object_fini(&found);
		return ERR_PTR(rc);
	}
	obj = mdt_object_take(call->mtc_mdt, &found);
	if (IS_ERR(obj))
		return obj;
	call->mtc_object[1] = obj;
	call->mtc_rep.flags |= MDS_BODY_CREATED;
	mutex_lock(&obj->mo_lock);
	obj->mo_pending = true;
	mutex_unlock(&obj->mo_lock);
	if (mdt_call_is_replay(call))
		mdd_pin(call->mtc_mdt, obj);
	return obj;
}

bool mdd_pin(struct mdt_device *mdt, struct mdt_object *obj)
{
	bool pinning;

	mutex_lock(&mdt->mdt_lock);
	pinning = mdt->mdt_pinning;
	if (pinning && !obj->mo_pinned) {
		obj->mo_pinned = true;
		lu_object_get(&obj->mo_lu, LU_HOLDER_STATE);
		list_add_tail(&obj->mo_pin, &mdt->mdt_pins);
	}
	mutex_unlock(&mdt->mdt_lock);
	return pinning;
}

/**
 * mdd_orphan_destroy() - destroy an object without a name that no client has open
 * @mdt: device
 * @obj: object; the caller holds mo_lock, and a reference
 * @mt: transaction
 *
 * One with objects stays in PENDING until they are destroyed. One that cannot be destroyed stays
 * there until the next start. During recovery all stay: a client may still replay its open.
 *
 * Context: may sleep
 */
void mdd_orphan_destroy(struct mdt_device *mdt, struct mdt_object *obj, struct mdt_trans *mt)
{
	const struct lu_fid *fid = &obj->mo_lu.lo_fid;
	char text[FID_TEXT_SIZE];
	int rc;

	lockdep_assert_held(&obj->mo_lock);
	if (!obj->mo_pending || obj->mo_opens || mdd_pin(mdt, obj))
		return;
	rc = lod_destroy(mdt, obj, mt);
	if (rc >= 0)
		rc = rc ? 0 : osd_pending_destroy(mdt->mdt_osd, fid, &mt->mtr_stamp);
	/* A directory is not there. */
	if (rc && rc != -ENOENT)
		CERROR("%s: cannot destroy [%s], which stays in PENDING: rc = %d\n",
		       mdt->mdt_dir.td_obd->obd_name, fid_text(fid, text), rc);
	obj->mo_pending = false;
	lu_object_kill(&obj->mo_lu);
}

/**
 * mdd_name_removed() - an object has lost its last name
 * @mdt: device
 * @obj: object; the caller holds mo_lock, and a reference
 * @pending: it is in PENDING
 * @mt: transaction
 *
 * Context: may sleep
 */
void mdd_name_removed(struct mdt_device *mdt, struct mdt_object *obj, bool pending,
		      struct mdt_trans *mt)
{
	lockdep_assert_held(&obj->mo_lock);
	mdt_scrub_forget(mdt, &obj->mo_lu.lo_fid);
	if (!pending && !obj->mo_opens) {
		lu_object_kill(&obj->mo_lu);
		return;
	}
	obj->mo_pending = true;
	mdd_orphan_destroy(mdt, obj, mt);
}

static int orphan_found(struct osd_object *found, void *data)
{
	struct mdt_device *mdt = data;
	struct mdt_object *obj;

	obj = mdt_object_take(mdt, found);
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	mutex_lock(&obj->mo_lock);
	obj->mo_pending = true;
	mutex_unlock(&obj->mo_lock);
	mdd_pin(mdt, obj);
	mdt_object_put(obj);
	return 0;
}

int mdd_orphans_init(struct mdt_device *mdt)
{
	INIT_LIST_HEAD(&mdt->mdt_pins);
	mdt->mdt_pinning = true;
	return osd_pending_walk(mdt->mdt_osd, orphan_found, mdt);
}

static void pins_take(struct mdt_device *mdt, struct list_head *pins)
{
	mutex_lock(&mdt->mdt_lock);
	WRITE_ONCE(mdt->mdt_pinning, false);
	list_splice_init(&mdt->mdt_pins, pins);
	mutex_unlock(&mdt->mdt_lock);
}

void mdd_orphans_fini(struct mdt_device *mdt)
{
	struct mdt_object *obj, *next;
	LIST_HEAD(pins);

	pins_take(mdt, &pins);
	list_for_each_entry_safe(obj, next, &pins, mo_pin)
		lu_object_put(&obj->mo_lu, LU_HOLDER_STATE);
}

static void orphan_check(struct mdt_device *mdt, struct mdt_object *obj)
{
	struct mdt_trans mt;

	/* After a failed commit it stays. */
	if (mdt_own_trans_start(mdt, &mt))
		return;
	mutex_lock(&obj->mo_lock);
	mdd_orphan_destroy(mdt, obj, &mt);
	mutex_unlock(&obj->mo_lock);
	mdt_own_trans_stop(&mt);
}

void mdd_orphans_recovered(struct obd_device *obd)
{
	struct mdt_device *mdt = mdt_device(obd);
	struct mdt_object *obj, *next;
	LIST_HEAD(pins);

	pins_take(mdt, &pins);
	list_for_each_entry_safe(obj, next, &pins, mo_pin) {
		orphan_check(mdt, obj);
		lu_object_put(&obj->mo_lu, LU_HOLDER_STATE);
	}
}
