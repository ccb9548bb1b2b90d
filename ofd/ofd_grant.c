// SPDX-License-Identifier: GPL-2.0-only
/*
 * Grant: space that is reserved for bytes that clients have accepted, and not written yet; see
 * lustre_lite/ost_grant.h for their side. What is free in the backend is, in this order,
 *
 *	the reserve	for metadata of the backend; the target never promises it
 *	granted		promised to clients, for what they write later
 *	pending		of writes that run: the backend may not have taken it yet
 *	left		for new grant, and for writes that have none
 *
 * A write with grant moves it from granted to pending. One without it gets its space from what is
 * left, or fails, unless it only writes where the object has space. A write that has ended is part
 * of what the backend has taken, so og_lock is held while that is asked for.
 *
 * Recovery: replays of writes have found space before the restart. Clients say with their connect
 * what they hold, and get that. Nothing more is given before all of them are back.
 */
#define DEBUG_SUBSYSTEM S_FILTER

#include <linux/sizes.h>
#include <linux/statfs.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/obd_export.h>

#include "ofd_internal.h"

/* One of so many parts of the backend's space is the reserve. */
#define RESERVE_PARTS	64
/* One of so many parts of what is left is given to a client at a time: others want some, too. */
#define GIVE_PARTS	8
/*
 * A write brings more once the client lacks this part of what it has use for: the backend is asked
 * then.
 */
#define LACK_PARTS	4
/* The most that a client gets with its connect; and the least that is given at all: a page. */
#define CONNECT_GRANT	ost_grant_bytes(SZ_8M)
#define LEAST_GRANT	ost_grant_bytes(SZ_4K)
/* A backend without a size, such as a tmpfs with size=0. */
#define LEFT_ANY	(1ULL << 50)

/**
 * struct ofd_export - grant of a client: exp_data; guarded by og_lock
 * @oe_given: bytes since the export was made
 * @oe_spent: those of them that it does not hold any more
 * @oe_dirty: bytes that it has promised to write, as it has said last
 */
struct ofd_export {
	u64	oe_given;
	u64	oe_spent;
	u64	oe_dirty;
};

static u64 held(const struct ofd_export *oe)
{
	return oe->oe_given - oe->oe_spent;
}

/* Bytes that no one was promised. */
static u64 __left(struct ofd_device *ofd)
{
	const struct ofd_grant *og = &ofd->ofd_grant;
	u64 taken = og->og_granted + og->og_pending;
	u64 reserve, bytes;
	struct kstatfs st;

	lockdep_assert_held(&og->og_lock);
	if (osd_statfs(ofd->ofd_osd, &st))
		return 0;
	reserve = st.f_blocks / RESERVE_PARTS;
	bytes = st.f_bavail > reserve ? (st.f_bavail - reserve) * st.f_bsize : 0;
	if (!st.f_blocks)
		bytes = LEFT_ANY;
	return bytes > taken ? bytes - taken : 0;
}

/*
 * The most that a client may hold: all together half of what is not used, so that the rest is there
 * for those that have none.
 */
static u64 __share(struct ofd_device *ofd, u64 left)
{
	/* The device has an export of its own. */
	u32 clients = READ_ONCE(ofd->ofd_dir.td_obd->obd_num_exports) - 1;

	return div_u64((left + ofd->ofd_grant.og_granted) / 2, max(clients, 1U));
}

/* @dirty: what the client has promised to write, as it says */
static void __dirty_set(struct ofd_device *ofd, struct ofd_export *oe, u64 dirty)
{
	ofd->ofd_grant.og_dirty += dirty - oe->oe_dirty;
	oe->oe_dirty = dirty;
}

/* So that the client holds @wanted, or as much as there is. */
static void __give(struct ofd_device *ofd, struct ofd_export *oe, u64 wanted)
{
	struct ofd_grant *og = &ofd->ofd_grant;
	u64 left, bytes;

	if (wanted <= held(oe) || target_in_recovery(ofd->ofd_dir.td_obd))
		return;
	left = __left(ofd);
	wanted = min(wanted, __share(ofd, left));
	if (wanted <= held(oe))
		return;
	bytes = min_t(u64, wanted - held(oe), left / GIVE_PARTS);
	if (bytes < LEAST_GRANT)
		return;
	oe->oe_given += bytes;
	og->og_granted += bytes;
}

static void __spend(struct ofd_grant *og, struct ofd_export *oe, u64 bytes)
{
	oe->oe_spent += bytes;
	og->og_granted -= bytes;
}

/* --- clients -------------------------------------------------------------------------- */

static void export_destroy(struct obd_export *exp)
{
	struct ofd_grant *og = &ofd_device(exp->exp_obd)->ofd_grant;
	struct ofd_export *oe = exp->exp_data;

	mutex_lock(&og->og_lock);
	og->og_granted -= held(oe);
	og->og_dirty -= oe->oe_dirty;
	mutex_unlock(&og->og_lock);
	libcfs_free(oe, sizeof(*oe));
}

/* @bytes: what the client says that it holds. It counts only after a restart. */
static int export_new(struct ofd_device *ofd, struct obd_export *exp, u32 bytes)
{
	struct ofd_export *oe = libcfs_zalloc(sizeof(*oe), GFP_KERNEL_ACCOUNT);
	struct ofd_grant *og = &ofd->ofd_grant;

	if (!oe)
		return -ENOMEM;
	mutex_lock(&og->og_lock);
	if (target_in_recovery(ofd->ofd_dir.td_obd)) {
		oe->oe_given = min_t(u64, bytes, __left(ofd));
		og->og_granted += oe->oe_given;
	} else {
		__give(ofd, oe, CONNECT_GRANT);
	}
	mutex_unlock(&og->og_lock);
	exp->exp_data = oe;
	exp->exp_destroy = export_destroy;
	return 0;
}

void ofd_grant_init(struct ofd_device *ofd)
{
	mutex_init(&ofd->ofd_grant.og_lock);
}

int ofd_grant_connect(struct obd_export *exp, struct obd_connect_data *ocd)
{
	struct ofd_device *ofd = ofd_device(exp->exp_obd);
	struct ofd_export *oe;
	int rc = 0;

	if (!ocd || !(ocd->ocd_connect_flags & OBD_CONNECT_GRANT))
		return 0;
	if (!exp->exp_data)
		rc = export_new(ofd, exp, ocd->ocd_grant);
	if (rc)
		return rc;
	oe = exp->exp_data;
	mutex_lock(&ofd->ofd_grant.og_lock);
	ocd->ocd_grant = min_t(u64, held(oe), U32_MAX);
	mutex_unlock(&ofd->ofd_grant.og_lock);
	return 0;
}

/* The reply says what this export has given, of which the client may have got another one since. */
static void __reply_given(struct ofd_call *call, const struct ofd_export *oe)
{
	call->ofc_rep.first = oe->oe_given;
	call->ofc_sr->sr_rep_handle = call->ofc_sr->sr_exp->exp_handle.h_cookie;
}

/* --- writes --------------------------------------------------------------------------- */

static bool is_replay(const struct ofd_call *call)
{
	const struct ptlrpc_svc_req *sr = call->ofc_sr;

	return sr->sr_msg.flags & MSG_REPLAY && sr->sr_msg.transno;
}

/*
 * Grant that the request uses, as the client says, of what it holds. A replay has used it before.
 */
static u64 __claim_spend(struct ofd_call *call)
{
	struct ofd_export *oe = call->ofc_sr->sr_exp->exp_data;
	u64 used = call->ofc_op.claim.used;

	if (!oe || is_replay(call))
		return 0;
	if (used > held(oe)) {
		CWARN("%s: cli %s claims %llu GRANT, real grant %llu\n",
		      call->ofc_ofd->ofd_dir.td_obd->obd_name,
		      call->ofc_sr->sr_exp->exp_client_uuid.uuid, used, held(oe));
		used = held(oe);
	}
	__spend(&call->ofc_ofd->ofd_grant, oe, used);
	return used;
}

/*
 * @need: bytes that the request may take. Return: whether there are so many, which are pending now
 */
static bool __reserve(struct ofd_call *call, u64 need)
{
	u64 more = need > call->ofc_pending ? need - call->ofc_pending : 0;

	if (more && !is_replay(call) && more > __left(call->ofc_ofd))
		return false;
	call->ofc_pending += more;
	call->ofc_ofd->ofd_grant.og_pending += more;
	return true;
}

/* Only bytes without space need some. */
static int reserve_holes(struct ofd_call *call)
{
	struct ofd_object *obj = ofd_call_object(call);
	const struct ost_op *op = &call->ofc_op;
	u64 holes = 0, pos, len;
	bool fits;
	u32 n;

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	for (n = 0; n < ost_op_ranges(op); n++) {
		pos = ost_op_range(op, n, &len);
		holes += ofd_object_exists(obj) ? osd_holes(&obj->fo_osd, pos, len) : len;
	}
	mutex_lock(&call->ofc_ofd->ofd_grant.og_lock);
	fits = __reserve(call, ost_grant_bytes(holes));
	mutex_unlock(&call->ofc_ofd->ofd_grant.og_lock);
	return fits ? 0 : -ENOSPC;
}

int ofd_grant_begin(struct ofd_call *call)
{
	struct ofd_grant *og = &call->ofc_ofd->ofd_grant;
	bool fits;

	mutex_lock(&og->og_lock);
	call->ofc_pending = __claim_spend(call);
	og->og_pending += call->ofc_pending;
	fits = __reserve(call, ost_grant_bytes(call->ofc_op.len));
	mutex_unlock(&og->og_lock);
	return fits ? 0 : reserve_holes(call);
}

void ofd_grant_end(struct ofd_call *call)
{
	struct ofd_export *oe = call->ofc_sr->sr_exp->exp_data;
	const struct ost_claim *claim = &call->ofc_op.claim;
	struct ofd_grant *og = &call->ofc_ofd->ofd_grant;

	mutex_lock(&og->og_lock);
	og->og_pending -= call->ofc_pending;
	call->ofc_pending = 0;
	if (oe) {
		if (!is_replay(call)) {
			__dirty_set(call->ofc_ofd, oe, claim->dirty);
			if (held(oe) < claim->undirty - claim->undirty / LACK_PARTS)
				__give(call->ofc_ofd, oe, claim->undirty);
		}
		__reply_given(call, oe);
	}
	mutex_unlock(&og->og_lock);
}

/* --- OST_GRANT ------------------------------------------------------------------------ */

static int grant(struct ofd_call *call)
{
	struct obd_export *exp = call->ofc_sr->sr_exp;
	const struct ost_claim *claim = &call->ofc_op.claim;
	struct ofd_grant *og = &call->ofc_ofd->ofd_grant;
	struct ofd_export *oe = exp->exp_data;
	u64 spent;

	/* It did not ask for grant when it connected. */
	if (!oe)
		return -EOPNOTSUPP;
	mutex_lock(&og->og_lock);
	spent = min(claim->spent, oe->oe_given);
	if (claim->export == exp->exp_handle.h_cookie && spent > oe->oe_spent)
		__spend(og, oe, spent - oe->oe_spent);
	__dirty_set(call->ofc_ofd, oe, claim->dirty);
	__give(call->ofc_ofd, oe, claim->undirty);
	__reply_given(call, oe);
	call->ofc_rep.count = oe->oe_spent;
	mutex_unlock(&og->og_lock);
	return 0;
}

int ofd_grant(struct ptlrpc_svc_req *sr)
{
	return ofd_call_run(sr, OFD_STAT_GRANT, grant);
}
