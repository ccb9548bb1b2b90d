// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests without a waiting task.
 *
 * ptlrpcd: threads that drive such requests. Each has a set, and any task may add to it.
 *
 * A task that is killed leaves its request: ptlrpcd goes on with it, and the target executes
 * it at any time until it ends. Requests go over two connections and wait for slots, so a
 * later one may be executed before. A task for which the order counts waits for their end.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/wait.h>

#include <lustre_lite/compat.h>

#include "request.h"

#define PTLRPCD_COUNT	2

/**
 * struct ptlrpcd - a thread
 * @pcd_set: the requests that it drives
 * @pcd_task: thread
 */
struct ptlrpcd {
	struct ptlrpc_request_set	pcd_set;
	struct task_struct		*pcd_task;
};

static struct ptlrpcd ptlrpcds[PTLRPCD_COUNT];
static atomic_t ptlrpcd_next;

static int ptlrpcd_main(void *data)
{
	struct ptlrpcd *pd = data;

	while (!kthread_should_stop()) {
		ptlrpc_set_run(&pd->pcd_set);
		request_set_sleep(&pd->pcd_set, SET_THREAD);
	}
	request_set_drain(&pd->pcd_set, -ECANCELED);
	return 0;
}

static int ptlrpcd_start(struct ptlrpcd *pd, unsigned int n)
{
	struct task_struct *task;

	request_set_init(&pd->pcd_set);
	task = kthread_run(ptlrpcd_main, pd, "ptlrpcd_%02u", n);
	if (IS_ERR(task))
		return PTR_ERR(task);
	pd->pcd_task = task;
	return 0;
}

static void ptlrpcd_stop(struct ptlrpcd *pd)
{
	kthread_stop(pd->pcd_task);
	request_set_fini(&pd->pcd_set);
}

static struct ptlrpc_request_set *ptlrpcd_set(void)
{
	unsigned int n = atomic_inc_return(&ptlrpcd_next);

	return &ptlrpcds[n % PTLRPCD_COUNT].pcd_set;
}

/**
 * ptlrpcd_add() - have a request driven by a thread
 * @req: request in RQ_NEW; the caller keeps its reference
 *
 * Context: any task
 */
void ptlrpcd_add(struct ptlrpc_request *req)
{
	ptlrpc_set_add(ptlrpcd_set(), req);
}
EXPORT_SYMBOL_NS_GPL(ptlrpcd_add, LUSTRE_LITE);

/**
 * ptlrpcd_take() - drive a request in place of its task
 * @req: request in RQ_WAITING or RQ_RPC
 *
 * It is sent again, with the same xid: a reply to the first sending counts.
 *
 * Context: any task; by the driver, which is none any more
 */
void ptlrpcd_take(struct ptlrpc_request *req)
{
	if (req->rq_phase == RQ_RPC)
		ptlrpc_set_phase(req, RQ_WAITING);
	ptlrpc_request_get(req);
	request_set_leave(req);
	request_set_join(ptlrpcd_set(), req);
	ptlrpc_request_put(req);
}

static void ptlrpcd_stop_first(unsigned int count)
{
	while (count--)
		ptlrpcd_stop(&ptlrpcds[count]);
}

/* Called when the module is loaded. */
int ptlrpcd_init(void)
{
	unsigned int n;
	int rc;

	for (n = 0; n < PTLRPCD_COUNT; n++) {
		rc = ptlrpcd_start(&ptlrpcds[n], n);
		if (rc) {
			ptlrpcd_stop_first(n);
			return rc;
		}
	}
	return 0;
}

/* No request is added any more; those that are left are aborted. */
void ptlrpcd_exit(void)
{
	ptlrpcd_stop_first(PTLRPCD_COUNT);
}

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
