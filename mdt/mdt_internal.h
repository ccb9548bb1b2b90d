/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Internals of mdt.ko.
 *
 *	mdt_obd.c	the device: its parts, setup and cleanup
 *	mdt_object.c	objects in memory: mdt, and osd below it
 *	mdt_call.c	a request: decoded, with its objects and credentials; its reply
 *	mdt_handler.c	operations that change nothing; table of handlers
 *	mdt_readdir.c	directories
 *	mdt_seq.c	sequences for clients
 *	mdt_reint.c	create, link, unlink, rename, attributes
 *	mdt_open.c	open and close, open handles
 *	mdt_trans.c	transactions, replays of what was done before
 *	mdd_link.c	the list of names of an object
 *	mdt_params.c	parameters
 *
 * Locks, outermost first: a transaction (tgt_trans_start()); mo_lock of the objects whose names or
 * opens change, in the order of their FIDs; i_rwsem of the backend. mdt_lock guards open handles.
 */
#ifndef _MDT_INTERNAL_H
#define _MDT_INTERNAL_H

#include <linux/mutex.h>

#include <lustre_lite/lu_object.h>
#include <lustre_lite/lu_target.h>
#include <lustre_lite/lustre_md.h>
#include <lustre_lite/obd.h>
#include <lustre_lite/osd.h>
#include <lustre_lite/ptlrpc_service.h>
#include <lustre_lite/target_dir.h>

struct cred;

/**
 * struct mdt_device - a device of type mdt
 * @mdt_dir: its directory; must be the first member
 * @mdt_lov: connection to its volume, or NULL
 * @mdt_osd: its backend
 * @mdt_site: its objects
 */
struct mdt_device {
	struct target_dir	mdt_dir;
	struct obd_export	*mdt_lov;
	struct osd_device	*mdt_osd;
	struct lu_site		*mdt_site;
};

/**
 * struct mdt_object - an object
 * @mo_lu: its head
 * @mo_osd: the backend's object, located while this exists
 * @mo_lock: guards @mo_opens, @mo_pending and the object's names; see above
 * @mo_opens: open handles
 * @mo_pending: it has no name, and is in PENDING until it is closed
 */
struct mdt_object {
	struct lu_object	mo_lu;
	struct osd_object	mo_osd;
	struct mutex		mo_lock;
	u32			mo_opens;
	bool			mo_pending;
};

/**
 * struct mdt_trans - a change, and its place in the order of changes
 * @mt_stamp: given to osd; its call takes the number
 * @mt_obd: device
 * @mt_replay: the number that it had before a restart, or 0
 * @mt_transno: its number, 0: nothing was changed
 */
struct mdt_trans {
	struct osd_stamp	mt_stamp;
	struct obd_device	*mt_obd;
	u64			mt_replay;
	u64			mt_transno;
};

/**
 * struct mdt_call - a request of a client
 * @mc_sr: request
 * @mc_mdt: device
 * @mc_op: what it asks for, decoded
 * @mc_cred: credentials of the client, referenced; those of the task meanwhile
 * @mc_old: those of the task
 * @mc_object: objects of mc_op, by mdt_call_object(); referenced (LU_HOLDER_CALL), or NULL
 * @mc_rep: the reply
 */
struct mdt_call {
	struct ptlrpc_svc_req	*mc_sr;
	struct mdt_device	*mc_mdt;
	struct md_op_data	mc_op;
	const struct cred	*mc_cred;
	const struct cred	*mc_old;
	struct mdt_object	*mc_object[MDS_OBJECTS_MAX];
	struct md_reply		mc_rep;
};

static inline struct mdt_device *mdt_device(const struct obd_device *obd)
{
	return obd->obd_data;
}

static inline struct mdt_object *mdt_object(const struct lu_object *obj)
{
	return container_of(obj, struct mdt_object, mo_lu);
}

#endif /* _MDT_INTERNAL_H */
