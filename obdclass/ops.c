// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of operations: the gate, and the statistics of calls.
 */
#include <linux/ktime.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/params.h>

#include "obd_internal.h"

#define OP_STAT(op, text)						\
	[op] = { .name = (text), .unit = PARAMS_UNIT_USEC,		\
		 .flags = PARAMS_CF_MINMAX | PARAMS_CF_STDDEV }

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
	OP_STAT(OBD_OP_IOCONTROL, "iocontrol"),
	OP_STAT(OBD_OP_HEALTH_CHECK, "health_check"),
	OP_STAT(OBD_OP_NOTIFY, "notify"),
	OP_STAT(OBD_OP_STATFS, "statfs"),
	OP_STAT(OBD_OP_GET_UUID, "get_uuid"),
	OP_STAT(MD_OP_GET_ROOT, "md_get_root"),
	OP_STAT(MD_OP_STATFS, "md_statfs"),
};

/* Counters for a device; NULL on allocation failure. */
struct params_stats *obd_stats_alloc(void)
{
	return params_stats_alloc(obd_op_stats, OBD_OP_COUNT);
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
	if (obd->obd_stats)
		params_stats_add(obd->obd_stats, op,
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
