// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests that killed tasks have left: ptlrpcd goes on with them, and the target executes them at any
 * time until they end. Requests go over two connections and wait for slots, so a later one may be
 * executed before. A task for which the order counts waits for their end.
 */
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/wait.h>

#include <lustre_lite/compat.h>

#include "request.h"

/**
 * request_left() - the task of a request was killed
 * @req: request that ptlrpcd will go on with
 *
 * Context: any task; by the driver
 */
void request_left(struct ptlrpc_request *req)
{
	struct obd_import *imp = req->rq_import;

	spin_lock(&imp->imp_rq_lock);
	req->rq_left = true;
	WRITE_ONCE(imp->imp_left, imp->imp_left + 1);
	spin_unlock(&imp->imp_rq_lock);
}

/* Under imp_rq_lock: it has ended, or a task had not left it. */
void __request_left_end(struct ptlrpc_request *req)
{
	struct obd_import *imp = req->rq_import;

	lockdep_assert_held(&imp->imp_rq_lock);
	if (!req->rq_left)
		return;
	req->rq_left = false;
	WRITE_ONCE(imp->imp_left, imp->imp_left - 1);
	wake_up_all(&imp->imp_left_wait);
}

static bool __list_has_left(const struct list_head *list, ptlrpc_match_t *match, const void *data)
{
	struct ptlrpc_request *req;

	list_for_each_entry(req, list, rq_import_item)
		if (req->rq_left && match(req, data))
			return true;
	return false;
}

/* One that was refused as the server was busy is in imp_unsent again. */
static bool is_left(struct obd_import *imp, ptlrpc_match_t *match, const void *data)
{
	bool left;

	if (!READ_ONCE(imp->imp_left))
		return false;
	spin_lock(&imp->imp_rq_lock);
	left = __list_has_left(&imp->imp_requests, match, data) ||
	       __list_has_left(&imp->imp_unsent, match, data);
	spin_unlock(&imp->imp_rq_lock);
	return left;
}

/**
 * ptlrpc_left_wait() - wait for the end of requests that killed tasks have left
 * @imp: import
 * @match: which ones; under imp_rq_lock
 * @data: for @match
 * @killable: a signal that kills the task ends the wait
 *
 * They end with the answer, or when the import is invalidated or closed.
 *
 * Context: sleeps
 * Return: 0 or -EINTR
 */
int ptlrpc_left_wait(struct obd_import *imp, ptlrpc_match_t *match, const void *data, bool killable)
{
	if (!is_left(imp, match, data))
		return 0;
	if (killable)
		return compat_wait_event_task_timeout(imp->imp_left_wait,
						      !is_left(imp, match, data),
						      MAX_SCHEDULE_TIMEOUT) < 0 ? -EINTR : 0;
	wait_event_idle(imp->imp_left_wait, !is_left(imp, match, data));
	return 0;
}
EXPORT_SYMBOL_NS_GPL(ptlrpc_left_wait, LUSTRE_LITE);
