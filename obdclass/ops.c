// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of operations: the gate, and the statistics of calls.
 */
#include <linux/ktime.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/params.h>

#include "obd_internal.h"

#define OP_STAT(op, text)						\
	[op] = PARAMS_STAT_SAMPLES(text, PARAMS_UNIT_USEC)

static const struct params_stat_desc obd_op_stats[OBD_OP_COUNT] = {
	OP_STAT(OBD_OP_CONNECT, "connect"),
	OP_STAT(OBD_OP_RECONNECT, "reconnect"),
	OP_STAT(OBD_OP_DISCONNECT, "disconnect"),
	OP_STAT(OBD_OP_ADD_CONN, "add_conn"),
	OP_STAT(OBD_OP_DEL_CONN, "del_conn"),
	OP_STAT(OBD_OP_SETUP, "setup"),
	OP_STAT(OBD_OP_PRECLEANUP, "precleanup"),
	OP_STAT(OBD_OP_CLEANUP, "cleanup"),
	OP_STAT(OBD_OP_PROCESS_CONFIG, "process_config"),
	OP_STAT(OBD_OP_GET_INFO, "get_info"),
	OP_STAT(OBD_OP_SET_INFO_ASYNC, "set_info_async"),
	OP_STAT(OBD_OP_IMPORT_EVENT, "import_event"),
	OP_STAT(OBD_OP_HEALTH_CHECK, "health_check"),
	OP_STAT(OBD_OP_NOTIFY, "notify"),
	OP_STAT(OBD_OP_STATFS, "statfs"),
	OP_STAT(OBD_OP_GET_UUID, "get_uuid"),
	OP_STAT(MD_OP_GET_ROOT, "md_get_root"),
	OP_STAT(MD_OP_STATFS, "md_statfs"),
	OP_STAT(MD_OP_FID_ALLOC, "fid_alloc"),
};

#define MD_STAT(op, text)	OP_STAT((op) - OBD_OP_COUNT, text)

/* The names are those of real Lustre's md_stats. */
static const struct params_stat_desc md_op_stats[MD_OP_COUNT] = {
	MD_STAT(MD_OP_CLOSE, "close"),
	MD_STAT(MD_OP_CREATE, "create"),
	MD_STAT(MD_OP_GETATTR, "getattr"),
	MD_STAT(MD_OP_INTENT_LOCK, "intent_lock"),
	MD_STAT(MD_OP_LINK, "link"),
	MD_STAT(MD_OP_RENAME, "rename"),
	MD_STAT(MD_OP_SETATTR, "setattr"),
	MD_STAT(MD_OP_FSYNC, "fsync"),
	MD_STAT(MD_OP_ENQUEUE, "enqueue"),
	MD_STAT(MD_OP_READ_PAGE, "read_page"),
	MD_STAT(MD_OP_UNLINK, "unlink"),
	MD_STAT(MD_OP_SETXATTR, "setxattr"),
	MD_STAT(MD_OP_GETXATTR, "getxattr"),
};

static const struct {
	u32		opc;
	u32		reint;
	enum obd_op	op;
} md_requests[] = {
	{ MDS_GETATTR, 0, MD_OP_GETATTR },
	{ MDS_GETATTR_NAME, 0, MD_OP_INTENT_LOCK },
	{ MDS_READPAGE, 0, MD_OP_READ_PAGE },
	{ MDS_GETXATTR, 0, MD_OP_GETXATTR },
	{ MDS_CLOSE, 0, MD_OP_CLOSE },
	{ MDS_SYNC, 0, MD_OP_FSYNC },
	{ MDS_SWAP_LAYOUTS, 0, MD_OP_SETXATTR },
	{ MDS_REINT, REINT_SETATTR, MD_OP_SETATTR },
	{ MDS_REINT, REINT_CREATE, MD_OP_CREATE },
	{ MDS_REINT, REINT_LINK, MD_OP_LINK },
	{ MDS_REINT, REINT_UNLINK, MD_OP_UNLINK },
	{ MDS_REINT, REINT_RENAME, MD_OP_RENAME },
	{ MDS_REINT, REINT_OPEN, MD_OP_INTENT_LOCK },
	{ MDS_REINT, REINT_SETXATTR, MD_OP_SETXATTR },
	{ MDS_REINT, REINT_LAYOUT, MD_OP_INTENT_LOCK },
};

/**
 * md_op_counted() - the counter of a request to a metadata target
 * @op: request
 *
 * Context: any
 * Return: its number
 */
enum obd_op md_op_counted(const struct md_op_data *op)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(md_requests) - 1; n++) {
		if (md_requests[n].opc == op->opc && md_requests[n].reint == op->reint)
			break;
	}
	return md_requests[n].op;
}
EXPORT_SYMBOL_NS_GPL(md_op_counted, LUSTRE_LITE);

/* Counters for a device. Return: 0 or -ENOMEM */
int obd_stats_alloc(struct obd_device *obd)
{
	const struct md_ops *md = obd->obd_type->typ_md_ops;

	obd->obd_stats = params_stats_alloc(obd_op_stats, OBD_OP_COUNT);
	if (!obd->obd_stats)
		return -ENOMEM;
	if (!md || !md->m_call)
		return 0;
	obd->obd_md_stats = params_stats_alloc(md_op_stats, MD_OP_COUNT);
	if (obd->obd_md_stats)
		return 0;
	obd_stats_free(obd);
	return -ENOMEM;
}

void obd_stats_free(struct obd_device *obd)
{
	params_stats_free(obd->obd_md_stats);
	params_stats_free(obd->obd_stats);
	obd->obd_md_stats = NULL;
	obd->obd_stats = NULL;
}

/**
 * obd_op_enter() - enter the gate of a device for one operation
 * @obd: device that the caller holds, or sees under RCU
 *
 * Until obd_op_leave() it stays set up: its cleanup waits.
 *
 * Context: any
 * Return: false if it is not set up or is stopping
 */
bool obd_op_enter(struct obd_device *obd)
{
	return libcfs_active_get(&obd->obd_active);
}
EXPORT_SYMBOL_NS_GPL(obd_op_enter, LUSTRE_LITE);

/**
 * obd_op_leave() - leave the gate
 * @obd: device
 *
 * Context: any
 */
void obd_op_leave(struct obd_device *obd)
{
	libcfs_active_put(&obd->obd_active);
}
EXPORT_SYMBOL_NS_GPL(obd_op_leave, LUSTRE_LITE);

/**
 * obd_op_count() - count and time a finished call
 * @obd: device, with a user
 * @op: operation
 * @start_ns: its start, ktime_get_ns()
 *
 * Context: any
 */
void obd_op_count(struct obd_device *obd, enum obd_op op, u64 start_ns)
{
	bool md = op >= OBD_OP_COUNT;
	struct params_stats *stats = md ? obd->obd_md_stats : obd->obd_stats;

	if (stats)
		params_stats_add(stats, md ? op - OBD_OP_COUNT : op,
				 (ktime_get_ns() - start_ns) / NSEC_PER_USEC);
}
EXPORT_SYMBOL_NS_GPL(obd_op_count, LUSTRE_LITE);

/**
 * obd_disconnect() - end a connection
 * @exp: export; the caller's reference is consumed in any case
 *
 * Context: may sleep
 * Return: the result of o_disconnect
 */
int obd_disconnect(struct obd_export *exp)
{
	struct obd_device *obd = exp->exp_obd;
	int rc;

	obd_user_get(obd);
	rc = __OBD_COUNTED(obd, OBD_OP_DISCONNECT,
			   OBP(obd, disconnect) ? OBP(obd, disconnect)(exp) :
						  class_disconnect(exp));
	obd_user_put(obd);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(obd_disconnect, LUSTRE_LITE);
