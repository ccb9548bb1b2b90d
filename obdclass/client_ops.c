// SPDX-License-Identifier: GPL-2.0
/*
 * Operations that are the same for all client types.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_client.h>

#include "obd_internal.h"

/**
 * client_health_check() - o_health_check of a client type
 * @obd: device
 * @why: out, why it is unwell
 *
 * One that nobody uses, or that was deactivated, is well.
 *
 * Context: any
 * Return: 0, or -ENOTCONN when it should be connected and is not
 */
int client_health_check(struct obd_device *obd, struct obd_why *why)
{
	const struct client_obd *cli = obd->obd_cli;
	const struct obd_import *imp = cli->cl_import;
	enum lustre_imp_state state = READ_ONCE(imp->imp_state);

	if (!READ_ONCE(cli->cl_conn_count) ||
	    test_bit(IMPF_DEACTIVE, &imp->imp_flags) ||
	    state == LUSTRE_IMP_FULL || state == LUSTRE_IMP_IDLE)
		return 0;
	return obd_refuse(why, -ENOTCONN, "import of %s is %s",
			  cli->cl_target_uuid.uuid, import_state_name(state));
}
EXPORT_SYMBOL_NS_GPL(client_health_check, LUSTRE_LITE);

/**
 * client_get_uuid() - o_get_uuid of a client type
 * @exp: export of the client device
 * @uuid: out, uuid of the target
 *
 * Context: any
 * Return: 0
 */
int client_get_uuid(struct obd_export *exp, struct obd_uuid *uuid)
{
	*uuid = exp->exp_obd->obd_cli->cl_target_uuid;
	return 0;
}
EXPORT_SYMBOL_NS_GPL(client_get_uuid, LUSTRE_LITE);
