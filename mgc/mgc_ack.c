// SPDX-License-Identifier: GPL-2.0
/*
 * Telling the service what became of a log here.
 */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "mgc_internal.h"

static void ack_fill(struct mgc_log *log, struct lustre_config_ack *ca,
		     char *text, size_t size, int status)
{
	const struct mgc_tally *tally = &log->ml_tally;

	lockdep_assert_held(&log->ml_mutex);
	strscpy(ca->ca_name, log->ml_name, sizeof(ca->ca_name));
	ca->ca_type = cpu_to_le32(log->ml_type);
	ca->ca_status = cpu_to_le32((u32)status);
	ca->ca_born = cpu_to_le64(log->ml_have.born);
	ca->ca_generation = cpu_to_le64(log->ml_have.generation);
	ca->ca_last_index = cpu_to_le32(log->ml_cfg.cfg_last_idx);
	ca->ca_applied = cpu_to_le32(tally->applied);
	ca->ca_failed = cpu_to_le32(tally->failed);
	ca->ca_failed_index = cpu_to_le32(tally->failed_index);
	strscpy(text, tally->why.text, size);
}

static struct ptlrpc_request *ack_request(struct mgc_log *log, int status)
{
	u32 lens[] = { sizeof(CONFIG_ACK_KEY),
		       sizeof(struct lustre_config_ack) + OBD_WHY_MAX };
	struct lustre_config_ack *ca;
	struct ptlrpc_request *req;

	mutex_lock(&log->ml_mutex);
	lens[1] = sizeof(*ca) + strlen(log->ml_tally.why.text) + 1;
	req = ptlrpc_request_new(log->ml_mgc->mg_cli.cl_import, MGS_SET_INFO,
				 MGS_REQUEST_PORTAL, lens, ARRAY_SIZE(lens));
	if (req) {
		memcpy(ptlrpc_req_buf(req, 0), CONFIG_ACK_KEY, lens[0]);
		ca = ptlrpc_req_buf(req, 1);
		ack_fill(log, ca, (char *)(ca + 1), lens[1] - sizeof(*ca),
			 status);
	}
	mutex_unlock(&log->ml_mutex);
	return req;
}

/**
 * mgc_ack() - acknowledge a log, as it is here now
 * @log: log
 * @status: 0, or why it could not be read
 *
 * Who does not get through is acknowledged for by the next one.
 *
 * Context: sleeps until the service has answered; ml_mutex is not held
 * Return: 0, also where there is nothing to be said; -ESTALE: the log has changed since;
 * -ENOMEM; as ptlrpc_queue_wait()
 */
int mgc_ack(struct mgc_log *log, int status)
{
	struct ptlrpc_request *req;
	int rc = -ENOMEM;

	if (mgc_log_ended(log) ||
	    (log->ml_type == CONFIG_T_TRIAL && !log->ml_have.generation))
		return 0;
	req = ack_request(log, status);
	if (req) {
		rc = ptlrpc_queue_wait(req);
		ptlrpc_request_put(req);
	}
	if (rc)
		CDEBUG(D_HA, "%s: log %s is not acknowledged: rc = %d\n",
		       log->ml_mgc->mg_obd->obd_name, log->ml_name, rc);
	return rc;
}

/* Another log of the device has that name: the node follows it on. */
static bool is_followed(struct mgc_log *ended)
{
	struct mgc_device *mg = ended->ml_mgc;
	struct mgc_log *log;
	bool found = false;

	spin_lock(&mg->mg_lock);
	list_for_each_entry(log, &mg->mg_logs, ml_item)
		found = found || (log->ml_type == ended->ml_type &&
				  !strcmp(log->ml_name, ended->ml_name));
	spin_unlock(&mg->mg_lock);
	return found;
}

/**
 * mgc_ack_end() - tell the service that a log is not followed any more
 * @log: log that has ended
 *
 * So that nobody waits for this node to have it. A service that is not there finds
 * out by the end of the connection.
 *
 * Context: sleeps, and waits for nobody
 */
void mgc_ack_end(struct mgc_log *log)
{
	struct ptlrpc_request *req;

	if (!mgc_is_full(log->ml_mgc) || is_followed(log))
		return;
	req = ack_request(log, CONFIG_ACK_END);
	if (!req)
		return;
	req->rq_no_delay = true;
	ptlrpcd_add(req);
	ptlrpc_request_put(req);
}
