// SPDX-License-Identifier: GPL-2.0
/*
 * Switching an import to another server, or to a restarted one, by a work: the
 * notifying task does not wait.
 */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "mgc_internal.h"

/**
 * struct recovery - an import to recover
 * @work: work
 * @obd: its device, referenced (OBD_REF_LOOKUP)
 * @to: server to connect to; empty: the next one
 * @leave: server to remove afterwards; empty: none
 */
struct recovery {
	struct work_struct	work;
	struct obd_device	*obd;
	struct obd_uuid		to;
	struct obd_uuid		leave;
};

/* The device is set up. */
static void recover_import(struct recovery *r)
{
	struct obd_device *obd = r->obd;
	struct obd_why why = {};
	int rc = import_recover(obd->obd_cli->cl_import, &r->to, &why);

	CDEBUG(D_HA, "%s: recovers: %s: rc = %d\n", obd->obd_name, why.text,
	       rc);
	if (!r->leave.uuid[0])
		return;
	rc = obd_del_conn(obd, &r->leave, &why);
	if (rc && rc != -ENOENT)
		CWARN("%s: still uses server %s, which its log no longer names: rc = %d\n",
		      obd->obd_name, r->leave.uuid, rc);
}

static void recover_work(struct work_struct *work)
{
	struct recovery *r = container_of(work, struct recovery, work);

	if (obd_op_enter(r->obd)) {
		if (r->obd->obd_cli)
			recover_import(r);
		obd_op_leave(r->obd);
	}
	class_decref(r->obd, OBD_REF_LOOKUP);
	libcfs_free(r, sizeof(*r));
}

/**
 * mgc_recover() - recover an import
 * @mg: device whose workqueue runs it
 * @obd: client device; the caller holds it
 * @to: server to connect to, or NULL for the next one
 * @leave: server to remove afterwards, or NULL
 *
 * Context: may sleep; does not wait for servers
 */
void mgc_recover(struct mgc_device *mg, struct obd_device *obd,
		 const struct obd_uuid *to, const struct obd_uuid *leave)
{
	struct recovery *r = libcfs_zalloc(sizeof(*r), GFP_KERNEL);

	if (!r) {
		CERROR("%s: cannot recover at once: rc = %d\n", obd->obd_name,
		       -ENOMEM);
		return;
	}
	INIT_WORK(&r->work, recover_work);
	class_incref(obd, OBD_REF_LOOKUP);
	r->obd = obd;
	if (to)
		r->to = *to;
	if (leave)
		r->leave = *leave;
	queue_work(mg->mg_wq, &r->work);
}
