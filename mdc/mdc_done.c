// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sizes of files that were closed, once what was written is on the disks of the objects. One
 * request has those of up to MDS_DONES_MAX files, DONE_TIME after the first of them. The target has
 * to know the close before. Sizes that the target does not get stay unknown, and nothing is lost.
 */
#define DEBUG_SUBSYSTEM S_MDC

#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/slab.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_export.h>

#include "mdc_internal.h"

#define DONE_TIME	(HZ / 20)

/**
 * struct mdc_dones - opens whose sizes one request has
 * @mdc: device
 * @count: their number
 * @mo: opens, referenced until it is answered
 * @value: of the request
 */
struct mdc_dones {
	struct mdc_device	*mdc;
	u32			count;
	struct mdc_open		*mo[MDS_DONES_MAX];
	struct lustre_done	value[MDS_DONES_MAX];
};

/* The opens of their exports keep the device: nothing of it is used after the last one. */
static void dones_end(struct mdc_dones *dones)
{
	struct mdc_device *mdc = dones->mdc;
	u32 n;

	spin_lock(&mdc->mdc_close_lock);
	for (n = 0; n < dones->count; n++)
		__mdc_pending_end(&dones->mo[n]->mop_telling);
	spin_unlock(&mdc->mdc_close_lock);
	wake_up_all(&mdc->mdc_close_wait);
	for (n = 0; n < dones->count; n++)
		mdc_open_put(dones->mo[n]);
	kfree(dones);
}

/* rq_interpret. */
static int dones_answered(struct ptlrpc_request *req, void *data, int rc)
{
	struct mdc_dones *dones = data;

	if (rc)
		CDEBUG(D_INODE, "%s: cannot say the sizes of %u files: rc = %d\n",
		       dones->mo[0]->mop_open.mop_exp->exp_obd->obd_name, dones->count, rc);
	dones_end(dones);
	return rc;
}

static struct ptlrpc_request *dones_request(struct mdc_dones *dones)
{
	const struct md_op_data op = {
		.opc = MDS_DONE_WRITING,
		.objects = 1,
		.object = { dones->mo[0]->mop_object },
		.value = dones->value,
		.value_len = dones->count * sizeof(dones->value[0]),
	};
	struct mdc_open *mo;
	u32 n;

	for (n = 0; n < dones->count; n++) {
		mo = dones->mo[n];
		spin_lock(&mo->mop_lock);
		mo->mop_done.handle = mo->mop_handle;
		spin_unlock(&mo->mop_lock);
		md_done_encode(&dones->value[n], &mo->mop_done);
	}
	return mdc_op_request(dones->mo[0]->mop_open.mop_exp, &op, NULL);
}

static void dones_send(struct mdc_dones *dones)
{
	struct ptlrpc_request *req = dones_request(dones);

	if (IS_ERR(req)) {
		dones_end(dones);
		return;
	}
	req->rq_interpret = dones_answered;
	req->rq_interpret_data = dones;
	req->rq_owner = THIS_MODULE;
	ptlrpcd_add(req);
	ptlrpc_request_put(req);
}

/* Take up to MDS_DONES_MAX opens whose close was answered. */
static void dones_take(struct mdc_device *mdc, struct mdc_dones *dones)
{
	struct mdc_open *mo, *next;

	spin_lock(&mdc->mdc_close_lock);
	list_for_each_entry_safe(mo, next, &mdc->mdc_dones, mop_dones) {
		if (dones->count == MDS_DONES_MAX)
			break;
		if (!READ_ONCE(mo->mop_closed))
			continue;
		list_del_init(&mo->mop_dones);
		mdc->mdc_dones_nr--;
		dones->mo[dones->count++] = mo;
	}
	/* Those that are left come later. */
	if (mdc->mdc_dones_nr)
		schedule_delayed_work(&mdc->mdc_done_work,
				      dones->count == MDS_DONES_MAX ? 0 : DONE_TIME);
	spin_unlock(&mdc->mdc_close_lock);
}

static void done_work(struct work_struct *work)
{
	struct mdc_device *mdc = container_of(work, struct mdc_device, mdc_done_work.work);
	struct mdc_dones *dones = kzalloc(sizeof(*dones), GFP_NOFS | __GFP_NOFAIL);

	dones->mdc = mdc;
	dones_take(mdc, dones);
	if (dones->count)
		dones_send(dones);
	else
		kfree(dones);
}

void mdc_dones_init(struct mdc_device *mdc)
{
	INIT_LIST_HEAD(&mdc->mdc_dones);
	INIT_DELAYED_WORK(&mdc->mdc_done_work, done_work);
}

/* No export is left, and so no open. */
void mdc_dones_fini(struct mdc_device *mdc)
{
	WARN_ON_ONCE(!list_empty(&mdc->mdc_dones));
	cancel_delayed_work_sync(&mdc->mdc_done_work);
}

/**
 * mdc_done() - m_done of type mdc
 * @exp: export of the device
 * @open: closed with MDS_CLOSE_DONE_LATER; ends
 * @done: size and times; NULL: they are not known
 *
 * Without mdc_lsom the target gets none.
 *
 * Context: any but an interrupt
 */
void mdc_done(struct obd_export *exp, struct md_open *open, const struct md_done *done)
{
	struct mdc_open *mo = container_of(open, struct mdc_open, mop_open);
	struct mdc_device *mdc = mdc_device(exp->exp_obd);
	bool full;

	if (mdc_open_is_lost(mo)) {
		mdc_open_put(mo);
		return;
	}
	if (done && READ_ONCE(mdc->mdc_lsom))
		mo->mop_done = *done;
	spin_lock(&mdc->mdc_close_lock);
	__mdc_pending_begin(mdc, &mo->mop_telling);
	full = ++mdc->mdc_dones_nr == MDS_DONES_MAX;
	list_add_tail(&mo->mop_dones, &mdc->mdc_dones);
	if (full)
		mod_delayed_work(compat_percpu_wq, &mdc->mdc_done_work, 0);
	else
		schedule_delayed_work(&mdc->mdc_done_work, DONE_TIME);
	spin_unlock(&mdc->mdc_close_lock);
}
