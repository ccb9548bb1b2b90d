// SPDX-License-Identifier: GPL-2.0-only
/*
 * ptlrpcd: threads that drive requests without a waiting task. Each has a set, and any task
 * may add to it.
 */
#include <linux/err.h>
#include <linux/kthread.h>

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
