// SPDX-License-Identifier: GPL-2.0
/* Acknowledging the result of a log to the service. */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "mgc_internal.h"

static void ack_fill(struct mgc_log *log, struct lustre_config_ack *ca,
		     char *text, size_t size, int status)
{
	const struct mgc_counts *counts = &log->ml_counts;

	lockdep_assert_held(&log->ml_mutex);
	strscpy(ca->ca_name, log->ml_name, sizeof(ca->ca_name));
	ca->ca_type = cpu_to_le32(log->ml_type);
	ca->ca_status = cpu_to_le32((u32)status);
	ca->ca_born = cpu_to_le64(log->ml_have.born);
	ca->ca_generation = cpu_to_le64(log->ml_have.generation);
	ca->ca_last_index = cpu_to_le32(log->ml_cfg.cfg_last_idx);
	ca->ca_applied = cpu_to_le32(counts->applied);
	ca->ca_failed = cpu_to_le32(counts->failed);
	ca->ca_failed_index = cpu_to_le32(counts->failed_index);
	strscpy(text, counts->why.text, size);
}

static struct ptlrpc_request *ack_request(struct mgc_log *log, int status)
{
	u32 lens[] = { sizeof(CONFIG_ACK_KEY),
		       sizeof(struct lustre_config_ack) + OBD_WHY_MAX };
	struct lustre_config_ack *ca;
	struct ptlrpc_request *req;

	mutex_lock(&log->ml_mutex);
	lens[1] = sizeof(*ca) + strlen(log->ml_counts.why.text) + 1;
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
 * mgc_ack() - acknowledge the current state of a log
 * @log: log
 * @status: 0, or why it could not be read
 *
 * An acknowledgement that cannot be sent is covered by the next one.
 *
 * Context: sleeps until the service has answered; ml_mutex is not held
 * Return: 0, also if there is nothing to acknowledge; -ESTALE: the log has
 *  changed since; -ENOMEM; as ptlrpc_queue_wait()
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
		CDEBUG(D_HA, "%s: cannot acknowledge log %s: rc = %d\n",
		       log->ml_mgc->mg_obd->obd_name, log->ml_name, rc);
	return rc;
}

/* Another log of the device has that name: the node is still subscribed. */
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
 * mgc_ack_end() - notify the service of the end of a subscription
 * @log: log that has ended
 *
 * Changes then no longer wait for this node. A service that cannot be reached
 * notices the end of the connection.
 *
 * Context: sleeps, but does not wait for the service
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
