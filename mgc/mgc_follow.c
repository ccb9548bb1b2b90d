// SPDX-License-Identifier: GPL-2.0-only
/*
 * Following a log: the lock that is the subscription, and the work that takes it, reads
 * on, applies and acknowledges, until the log has not changed meanwhile.
 *
 *	lcb_blocking	the service has changed the log: cancel the lock, run again
 *	lcb_cancelled	the lock was lost by an eviction: run again
 *
 * The lock is enqueued before the log is read, so later changes cause a blocking AST.
 * A lock held here has a use, so that the LRU does not cancel it.
 */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "mgc_internal.h"

/* Delay until a failed read is repeated: at first, and at most. */
#define RETRY_MS	200
#define RETRY_MAX_MS	5000
/* Longest wait of a log for another one before it is tried again. */
#define ORDER_MS	2000
/* Most successive versions applied without an acknowledgement. */
#define UNSAID_MAX	8

static void follow_queue(struct mgc_log *log, unsigned int ms)
{
	mgc_log_get(log);
	if (mgc_log_ended(log) ||
	    mod_delayed_work(log->ml_mgc->mg_wq, &log->ml_work,
			     msecs_to_jiffies(ms)))
		mgc_log_put(log);
	/* It ended meanwhile, and may have missed the work. */
	if (mgc_log_ended(log) && cancel_delayed_work(&log->ml_work))
		mgc_log_put(log);
}

static unsigned int jitter(const struct mgc_log *log)
{
	u32 ms = READ_ONCE(log->ml_jitter_ms);

	return ms ? get_random_u32() % ms : 0;
}

/**
 * mgc_follow_notice() - the log may have changed
 * @log: log; the caller holds it
 * @now: ignore the delay that the service requested
 *
 * Context: may sleep
 */
void mgc_follow_notice(struct mgc_log *log, bool now)
{
	spin_lock(&log->ml_lock);
	log->ml_want++;
	if (log->ml_state == MGC_LOG_CURRENT)
		mgc_log_move(log, MGC_LOG_BEHIND);
	spin_unlock(&log->ml_lock);
	follow_queue(log, now ? 0 : jitter(log));
}

/**
 * mgc_follow_wake() - the service is available again
 * @log: log; the caller holds it
 *
 * Context: may sleep
 */
void mgc_follow_wake(struct mgc_log *log)
{
	bool behind;

	spin_lock(&log->ml_lock);
	behind = log->ml_done != log->ml_want;
	log->ml_retry_ms = 0;
	spin_unlock(&log->ml_lock);
	if (behind)
		follow_queue(log, 0);
}

/* Acknowledgements. */

static void ack_fill(struct mgc_log *log, struct lustre_config_ack *ca,
		     char *text, size_t size, int status)
{
	const struct mgc_counts *counts = &log->ml_counts;

	lockdep_assert_held(&log->ml_mutex);
	strscpy(ca->ca_name, log->ml_name, sizeof(ca->ca_name));
	ca->ca_type = cpu_to_le32(log->ml_type);
	ca->ca_status = cpu_to_le32((u32)status);
	ca->ca_epoch = cpu_to_le64(log->ml_have.epoch);
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

/*
 * Acknowledge the current state of a log. @status: 0, or why it could not be read: that is for a
 * service that answers now. The next acknowledgement covers one that cannot be sent. Sleeps until
 * the service has answered; ml_mutex is not held.
 * Return: 0, also if there is nothing to acknowledge; -ESTALE: the log has changed since;
 * -ENOMEM; as ptlrpc_queue_wait()
 */
static int ack_send(struct mgc_log *log, int status)
{
	struct ptlrpc_request *req;
	int rc = -ENOMEM;

	if (mgc_log_ended(log) ||
	    (log->ml_type == CONFIG_T_TRIAL && !log->ml_have.generation))
		return 0;
	req = ack_request(log, status);
	if (req) {
		req->rq_no_delay = status;
		req->rq_no_resend = status;
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
 * mgc_follow_unsubscribe() - notify the service of the end of a subscription
 * @log: log that has ended
 *
 * Changes then no longer wait for this node. A service that cannot be reached
 * notices the end of the connection.
 *
 * Context: sleeps, but does not wait for the service
 */
void mgc_follow_unsubscribe(struct mgc_log *log)
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

/* The lock. */

/*
 * Take the lock out of the log, with its use and reference. Return: true if it
 * was there.
 */
static bool dlm_take(struct mgc_log *log, const struct ldlm_lock *lock)
{
	bool mine;

	spin_lock(&log->ml_lock);
	mine = log->ml_dlm == lock;
	if (mine)
		log->ml_dlm = NULL;
	else
		log->ml_early = lock;
	spin_unlock(&log->ml_lock);
	return mine;
}

static void dlm_drop(struct ldlm_lock *lock)
{
	ldlm_lock_decref(lock);
	ldlm_lock_put(lock);
}

static void dlm_notify(struct ldlm_lock *lock, void *data, bool now)
{
	struct mgc_log *log = mgc_log_by_id((u32)(unsigned long)data);

	if (!log)
		return;
	if (dlm_take(log, lock)) {
		dlm_drop(lock);
		mgc_follow_notice(log, now);
	}
	mgc_log_put(log);
}

static void dlm_blocking(struct ldlm_lock *lock, void *data)
{
	dlm_notify(lock, data, false);
}

static void dlm_cancelled(struct ldlm_lock *lock, void *data)
{
	dlm_notify(lock, data, true);
}

static const struct ldlm_callbacks dlm_callbacks = {
	.lcb_blocking	= dlm_blocking,
	.lcb_cancelled	= dlm_cancelled,
};

/*
 * Return: true if it is stored; false if it was lost or has a blocking AST
 *  already.
 */
static bool dlm_store(struct mgc_log *log, struct ldlm_lock *lock)
{
	bool keep;

	spin_lock(&log->ml_lock);
	keep = log->ml_state != MGC_LOG_ENDED && log->ml_early != lock &&
	       ldlm_lock_is_granted(lock);
	if (keep)
		log->ml_dlm = lock;
	spin_unlock(&log->ml_lock);
	if (!keep)
		dlm_drop(lock);
	return keep;
}

/* Return: 0; -EAGAIN to enqueue it again; as ldlm_cli_enqueue() */
static int follow_lock(struct mgc_log *log)
{
	struct obd_device *obd = log->ml_mgc->mg_obd;
	struct ldlm_lock *lock;
	struct ldlm_res_id res;
	int rc;

	spin_lock(&log->ml_lock);
	lock = log->ml_dlm;
	log->ml_early = NULL;
	spin_unlock(&log->ml_lock);
	if (lock)
		return 0;
	rc = config_res_id(log->ml_fsname, log->ml_type, &res);
	if (!rc)
		rc = ldlm_cli_enqueue(obd, LDLM_PLAIN, &res, LCK_CR, NULL,
				      0, &dlm_callbacks,
				      (void *)(unsigned long)log->ml_id, &lock);
	if (rc)
		return rc;
	return dlm_store(log, lock) ? 0 : -EAGAIN;
}

/**
 * mgc_follow_unlock() - cancel the lock of a log that has ended
 * @log: log in MGC_LOG_ENDED
 *
 * Context: may sleep; does not wait for the service
 */
void mgc_follow_unlock(struct mgc_log *log)
{
	struct ldlm_lock *lock;

	spin_lock(&log->ml_lock);
	lock = log->ml_dlm;
	log->ml_dlm = NULL;
	spin_unlock(&log->ml_lock);
	if (!lock)
		return;
	dlm_drop(lock);
	/*
	 * Locks of other logs are in use: the unused ones are those of ended
	 * logs.
	 */
	ldlm_cli_cancel_unused(log->ml_mgc->mg_obd);
}

/* The work. */

/*
 * Settings come first: wait until those of all nodes have been read, or cannot
 * be. That may take as long as the service is away, so a worker waits at most
 * ORDER_MS.
 * Return: 0; -EINPROGRESS to try again
 */
static int follow_order(struct mgc_log *log)
{
	struct mgc_log *params = NULL;
	long left;

	if (log->ml_type != CONFIG_T_CONFIG ||
	    READ_ONCE(log->ml_have.generation))
		return 0;
	spin_lock(&log->ml_lock);
	if (log->ml_params)
		params = mgc_log_get(log->ml_params);
	spin_unlock(&log->ml_lock);
	if (!params)
		return 0;
	left = wait_event_idle_timeout(log->ml_mgc->mg_wait, mgc_log_ended(log) ||
				       completion_done(&params->ml_first),
				       msecs_to_jiffies(ORDER_MS));
	mgc_log_put(params);
	return left ? 0 : -EINPROGRESS;
}

/* Apply fetched bytes, unless the state has changed meanwhile. */
static int follow_apply(struct mgc_log *log, struct mgc_part *part)
{
	int rc = 0;

	mutex_lock(&log->ml_mutex);
	if (mgc_log_ended(log))
		rc = -ESHUTDOWN;
	else if (part->mpt_from.epoch != log->ml_have.epoch ||
		 part->mpt_from.generation != log->ml_have.generation)
		rc = -EAGAIN;
	else
		rc = mgc_apply(log, part);
	mutex_unlock(&log->ml_mutex);
	return rc;
}

/*
 * A changed log is read while the lock is enqueued. A change between the two
 * causes no blocking AST; the answer to the acknowledgement, which is sent with
 * the lock held, reports it.
 */
static bool may_read_ahead(struct mgc_log *log)
{
	bool may;

	spin_lock(&log->ml_lock);
	may = !log->ml_dlm && mgc_is_log(log) &&
	      log->ml_state == MGC_LOG_BEHIND && !log->ml_stale;
	spin_unlock(&log->ml_lock);
	return may && mgc_is_full(log->ml_mgc);
}

/* @early: out, as mpt_early */
static int follow_once(struct mgc_log *log, bool *early)
{
	struct mgc_ahead ahead = {};
	struct mgc_part part = {};
	int rc;

	if (may_read_ahead(log))
		mgc_fetch_ahead(log, &ahead);
	rc = follow_lock(log) ?: mgc_fetch(log, &part, &ahead);
	mgc_fetch_ahead_end(&ahead);
	*early = part.mpt_early;
	if (!rc)
		rc = follow_order(log) ?: follow_apply(log, &part);
	mgc_part_drop(&part);
	return rc;
}

/*
 * Errors that end when the service is available again are not reported; waiting
 * tasks go on waiting.
 */
static bool is_passing(int rc)
{
	switch (rc) {
	case 0:
	case -EAGAIN:
	case -ECANCELED:
	case -ECONNREFUSED:
	case -EHOSTUNREACH:
	case -EINPROGRESS:
	case -EINTR:
	case -EIO:
	case -ENETDOWN:
	case -ENODEV:
	case -ENOTCONN:
	case -ESHUTDOWN:
	case -ETIMEDOUT:
		return true;
	default:
		return false;
	}
}

/* Whether there is something to do; the work may run once more than needed. */
static bool follow_wanted(const struct mgc_log *log, u64 want)
{
	return READ_ONCE(log->ml_done) != want && !mgc_log_ended(log);
}

/* Return: true if the log changed meanwhile, and must be read on at once. */
static bool follow_done(struct mgc_log *log, u64 want)
{
	bool again;

	spin_lock(&log->ml_lock);
	log->ml_done = want;
	log->ml_error = 0;
	log->ml_retry_ms = 0;
	again = log->ml_want != want;
	if (!again)
		mgc_log_move(log, MGC_LOG_CURRENT);
	spin_unlock(&log->ml_lock);
	return again;
}

/* Queue the logs that wait for the settings of all nodes. */
static void follow_others(struct mgc_device *mg)
{
	struct mgc_log *log;
	u64 seq = 0;

	while ((log = mgc_log_next(mg, &seq))) {
		if (log->ml_type == CONFIG_T_CONFIG)
			mgc_follow_wake(log);
		mgc_log_put(log);
	}
}

static void follow_first(struct mgc_log *log)
{
	bool first = !completion_done(&log->ml_first);

	complete_all(&log->ml_first);
	wake_up_all(&log->ml_mgc->mg_wait);
	if (first && log->ml_type == CONFIG_T_PARAMS)
		follow_others(log->ml_mgc);
}

static void follow_failed(struct mgc_log *log, int rc)
{
	bool told = READ_ONCE(log->ml_error) == rc;
	unsigned int ms;

	spin_lock(&log->ml_lock);
	log->ml_error = is_passing(rc) ? 0 : rc;
	ms = log->ml_retry_ms ?: RETRY_MS;
	log->ml_retry_ms = min_t(unsigned int, 2 * ms, RETRY_MAX_MS);
	spin_unlock(&log->ml_lock);
	if (mgc_log_ended(log))
		return;
	CDEBUG(D_HA, "%s: cannot read log %s: rc = %d\n",
	       log->ml_mgc->mg_obd->obd_name, log->ml_name, rc);
	if (!is_passing(rc)) {
		if (!told)
			CERROR("%s: cannot read log %s, will retry: rc = %d\n",
			       log->ml_mgc->mg_obd->obd_name, log->ml_name, rc);
		/* The mount that waits for the log may end it after that. */
		ack_send(log, rc);
		follow_first(log);
	}
	follow_queue(log, rc == -EAGAIN ? 0 : ms);
}

/* There may have been changes without a notice. */
static void follow_reread(struct mgc_log *log)
{
	spin_lock(&log->ml_lock);
	log->ml_want++;
	if (log->ml_state == MGC_LOG_CURRENT)
		mgc_log_move(log, MGC_LOG_BEHIND);
	spin_unlock(&log->ml_lock);
}

/*
 * Acknowledge to the service; of versions in quick succession only some.
 * Return: 0; 1 if the log has changed since; -EIO if it may have
 */
static int follow_ack(struct mgc_log *log, bool again, bool early)
{
	int rc;

	if (again && ++log->ml_unsaid <= UNSAID_MAX)
		return 1;
	log->ml_unsaid = 0;
	rc = ack_send(log, 0);
	if (rc != -ESTALE && (!rc || !early))
		return again;
	follow_reread(log);
	return rc == -ESTALE ? 1 : -EIO;
}

/**
 * mgc_follow_work() - bring a log up to date
 * @work: ml_work
 *
 * Context: process; waits for the service, for as long as that takes
 */
void mgc_follow_work(struct work_struct *work)
{
	struct mgc_log *log = container_of(to_delayed_work(work),
					   struct mgc_log, ml_work);
	bool again, early;
	u64 want;
	int rc;

	do {
		want = READ_ONCE(log->ml_want);
		if (!follow_wanted(log, want))
			goto put_log;
		rc = follow_once(log, &early);
		if (rc)
			break;
		again = follow_done(log, want);
		follow_first(log);
		rc = follow_ack(log, again, early);
	} while (rc > 0);
	if (rc)
		follow_failed(log, rc);
	else
		mgc_copy_save_deferred(log);
put_log:
	mgc_log_put(log);
}
