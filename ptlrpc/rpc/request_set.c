// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sets of requests, and the task that drives one: it handles noted events and expired
 * deadlines, and sleeps. While it sleeps it has the reader role of the connection that it
 * sent on last, unless another task has it.
 */
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <lustre_lite/compat.h>

#include "request.h"

/* Messages that the reader reads before it looks at its own requests. */
#define SET_READ_BATCH	16

/**
 * request_set_init() - an empty set
 * @set: out
 *
 * Context: any
 */
void request_set_init(struct ptlrpc_request_set *set)
{
	spin_lock_init(&set->set_lock);
	INIT_LIST_HEAD(&set->set_requests);
	INIT_LIST_HEAD(&set->set_ready);
	set->set_left = 0;
	init_waitqueue_head(&set->set_wq);
	set->set_abort = 0;
	set->set_rpcs = 0;
	set->set_look_ns = U64_MAX;
	set->set_conn = NULL;
	set->set_waits = false;
	set->set_reads = false;
	INIT_LIST_HEAD(&set->set_poll.entry);
}

/**
 * request_set_reader_end() - hand over the reader role
 * @set: set, with or without the role; before its driver does anything that takes time
 *
 * Context: any task; by the driver
 */
void request_set_reader_end(struct ptlrpc_request_set *set)
{
	if (!set->set_reads)
		return;
	set->set_reads = false;
	lnet_conn_reader_end(set->set_conn, &set->set_wq);
}

static void set_reader_begin(struct ptlrpc_request_set *set)
{
	if (!set->set_reads)
		set->set_reads = lnet_conn_reader_begin(set->set_conn,
							&set->set_wq);
}

static void set_drop_conn(struct ptlrpc_request_set *set)
{
	request_set_reader_end(set);
	if (set->set_conn)
		lnet_conn_put(set->set_conn);
	set->set_conn = NULL;
}

/**
 * request_set_use_conn() - a request is about to be sent on a connection
 * @set: its set
 * @conn: connection
 *
 * A driver that will wait takes the reader role, unless another task has it: a quick
 * reply then wakes no work item.
 *
 * Context: any task; by the driver
 */
void request_set_use_conn(struct ptlrpc_request_set *set, struct lnet_conn *conn)
{
	if (conn != set->set_conn) {
		set_drop_conn(set);
		set->set_conn = lnet_conn_get(conn);
	}
	if (set->set_waits)
		set_reader_begin(set);
}

/**
 * request_set_fini() - the end of a set
 * @set: set without requests
 *
 * Context: any
 */
void request_set_fini(struct ptlrpc_request_set *set)
{
	WARN_ON_ONCE(set->set_left);
	set_drop_conn(set);
}

/**
 * __request_set_wake() - put a request on the ready list and wake the driver
 * @set: its set
 * @req: request; the caller holds its rq_lock, or drives it
 *
 * Context: any task
 */
void __request_set_wake(struct ptlrpc_request_set *set,
			struct ptlrpc_request *req)
{
	spin_lock(&set->set_lock);
	if (list_empty(&req->rq_ready_item))
		list_add_tail(&req->rq_ready_item, &set->set_ready);
	spin_unlock(&set->set_lock);
	if (wq_has_sleeper(&set->set_wq))
		wake_up(&set->set_wq);
}

/**
 * request_look_at() - a time at which the driver has to look at a request
 * @req: request
 * @ns: time, ktime_get_ns()
 *
 * Context: any; by the driver
 */
void request_look_at(struct ptlrpc_request *req, u64 ns)
{
	struct ptlrpc_request_set *set = req->rq_set;

	if (ns < set->set_look_ns)
		set->set_look_ns = ns;
}

/* When the driver has to look at a request without an event. */
static u64 request_due_ns(const struct ptlrpc_request *req)
{
	if (req->rq_phase == RQ_RPC)
		return READ_ONCE(req->rq_deadline_ns);
	if (req->rq_phase == RQ_WAITING && req->rq_look_ns)
		return req->rq_look_ns;
	return U64_MAX;
}

/* Put what is due on the ready list, and note the next time. */
static void set_look(struct ptlrpc_request_set *set)
{
	u64 now = ktime_get_coarse_ns(), due, next = U64_MAX;
	struct ptlrpc_request *req;

	if (now < set->set_look_ns)
		return;
	spin_lock(&set->set_lock);
	list_for_each_entry(req, &set->set_requests, rq_set_item) {
		due = request_due_ns(req);
		if (due > now)
			next = min_t(u64, next, due);
		else if (list_empty(&req->rq_ready_item))
			list_add_tail(&req->rq_ready_item, &set->set_ready);
	}
	spin_unlock(&set->set_lock);
	set->set_look_ns = next;
}

static bool set_is_ready(const struct ptlrpc_request_set *set)
{
	return !list_empty_careful(&set->set_ready);
}

/* The set's reference protects it: only the driver drops that. */
static struct ptlrpc_request *set_take(struct ptlrpc_request_set *set)
{
	struct ptlrpc_request *req;

	/* set_is_ready() sees what is added from here on, before the driver sleeps. */
	if (!set_is_ready(set))
		return NULL;
	spin_lock(&set->set_lock);
	req = list_first_entry_or_null(&set->set_ready, struct ptlrpc_request,
				       rq_ready_item);
	if (req)
		list_del_init(&req->rq_ready_item);
	spin_unlock(&set->set_lock);
	return req;
}

/* If several are ready, their messages go out together. */
static struct lnet_conn *set_hold(struct ptlrpc_request_set *set)
{
	struct lnet_conn *conn = set->set_conn;
	bool several = READ_ONCE(set->set_ready.next) !=
		       READ_ONCE(set->set_ready.prev);

	return conn && several && lnet_conn_hold(conn) ? lnet_conn_get(conn) : NULL;
}

/* Other tasks' requests may wait for what is done here, so reclaim may not. */
static void set_drive(struct ptlrpc_request_set *set)
{
	unsigned int noio = memalloc_noio_save();
	struct ptlrpc_request *req;
	struct lnet_conn *held;

	set_look(set);
	held = set_hold(set);
	while ((req = set_take(set)))
		request_drive(req);
	if (held) {
		lnet_conn_release(held);
		lnet_conn_put(held);
	}
	memalloc_noio_restore(noio);
}

/**
 * request_set_leave() - a request is RQ_COMPLETE
 * @req: request; the set's reference on it is dropped
 *
 * Context: any task; by the driver
 */
void request_set_leave(struct ptlrpc_request *req)
{
	struct ptlrpc_request_set *set = req->rq_set;

	spin_lock(&req->rq_lock);
	spin_lock(&set->set_lock);
	list_del_init(&req->rq_set_item);
	list_del_init(&req->rq_ready_item);
	set->set_left--;
	spin_unlock(&set->set_lock);
	req->rq_set = NULL;
	spin_unlock(&req->rq_lock);
	ptlrpc_request_put(req);
}

/* Abort every request; one that the network fills ends a moment later. */
static void set_abort(struct ptlrpc_request_set *set, int rc)
{
	struct ptlrpc_request *req;

	set->set_abort = rc;
	spin_lock(&set->set_lock);
	list_for_each_entry(req, &set->set_requests, rq_set_item) {
		if (list_empty(&req->rq_ready_item))
			list_add_tail(&req->rq_ready_item, &set->set_ready);
	}
	spin_unlock(&set->set_lock);
}

static bool set_is_stopped(enum set_sleep how)
{
	switch (how) {
	case SET_KILLABLE:
		return fatal_signal_pending(current);
	case SET_THREAD:
		return kthread_should_stop();
	default:
		return false;
	}
}

static long set_jiffies(const struct ptlrpc_request_set *set)
{
	u64 now = ktime_get_coarse_ns();

	if (set->set_look_ns == U64_MAX)
		return MAX_SCHEDULE_TIMEOUT;
	if (set->set_look_ns <= now)
		return 0;
	return nsecs_to_jiffies(set->set_look_ns - now) + 1;
}

static bool conn_wants_driver(const struct lnet_conn *conn)
{
	return lnet_conn_reader_ready(conn) || !lnet_conn_is_open(conn);
}

/* Sleep until a request is ready, or @conn has something to read. */
static void set_sleep(struct ptlrpc_request_set *set, struct lnet_conn *conn,
		     enum set_sleep how)
{
	long left = set_jiffies(set);

#define SET_WAKES	(set_is_ready(set) || set_is_stopped(how) ||	\
			 (conn && conn_wants_driver(conn)))
	if (how == SET_KILLABLE)
		compat_wait_event_task_timeout(set->set_wq, SET_WAKES, left);
	else if (how == SET_THREAD)
		wait_event_idle_timeout(set->set_wq, SET_WAKES, left);
	else
		wait_event_timeout(set->set_wq, SET_WAKES, left);
#undef SET_WAKES
}

/* Read the replies that have arrived together, unless another task is to run. */
static void set_read(struct lnet_conn *conn)
{
	unsigned int n;

	for (n = 0; n < SET_READ_BATCH && lnet_conn_reader_ready(conn) && !need_resched(); n++)
		lnet_conn_read(conn);
}

/* In the reader role: read for all tasks until a request of the set is ready. */
static void set_read_conn(struct ptlrpc_request_set *set, struct lnet_conn *conn,
		     enum set_sleep how)
{
	do {
		set_sleep(set, conn, how);
		set_read(conn);
	} while (!set_is_ready(set) && !set_is_stopped(how) &&
		 lnet_conn_is_open(conn) &&
		 ktime_get_coarse_ns() < set->set_look_ns);
}

/**
 * request_set_sleep() - sleep until there is something to do for a set
 * @set: set
 * @how: what else ends it
 *
 * Context: sleeps; by the driver
 */
void request_set_sleep(struct ptlrpc_request_set *set, enum set_sleep how)
{
	struct lnet_conn *conn = set->set_conn;

	/* The caller may be an rq_interpret of another set. */
	if (conn)
		lnet_conn_flush(conn);
	if (conn && set->set_rpcs && lnet_conn_is_open(conn))
		set_reader_begin(set);
	else
		set_drop_conn(set);
	if (conn && set->set_reads)
		set_read_conn(set, conn, how);
	else
		set_sleep(set, NULL, how);
	if (!set->set_waits)
		request_set_reader_end(set);
}

/**
 * ptlrpc_set_new() - make a set
 *
 * Context: may sleep
 * Return: set, given back by ptlrpc_set_put(); NULL: no memory
 */
struct ptlrpc_request_set *ptlrpc_set_new(void)
{
	struct ptlrpc_request_set *set = libcfs_zalloc(sizeof(*set), GFP_NOFS);

	if (set)
		request_set_init(set);
	return set;
}
EXPORT_SYMBOL_NS_GPL(ptlrpc_set_new, LUSTRE_LITE);

/**
 * request_set_drain() - abort every request of a set, and wait for their end
 * @set: set
 * @rc: reason, a negative errno
 *
 * Context: sleeps, but waits for this node's network only; by the driver
 */
void request_set_drain(struct ptlrpc_request_set *set, int rc)
{
	set_abort(set, rc);
	set_drive(set);
	while (set->set_left) {
		request_set_sleep(set, SET_FINAL);
		set_drive(set);
	}
}

/**
 * ptlrpc_set_put() - the end of a set
 * @set: set, or NULL; what is left in it ends with -ECANCELED
 *
 * Context: may sleep
 */
void ptlrpc_set_put(struct ptlrpc_request_set *set)
{
	if (!set)
		return;
	request_set_drain(set, -ECANCELED);
	request_set_fini(set);
	libcfs_free(set, sizeof(*set));
}
EXPORT_SYMBOL_NS_GPL(ptlrpc_set_put, LUSTRE_LITE);

/**
 * request_set_join() - a request that has begun is driven by the driver of a set
 * @set: set, referencing the request from here on
 * @req: request without a set
 *
 * Context: any task
 */
void request_set_join(struct ptlrpc_request_set *set, struct ptlrpc_request *req)
{
	ptlrpc_request_get(req);
	spin_lock(&req->rq_lock);
	req->rq_set = set;
	spin_lock(&set->set_lock);
	list_add_tail(&req->rq_set_item, &set->set_requests);
	set->set_left++;
	spin_unlock(&set->set_lock);
	__request_set_wake(set, req);
	spin_unlock(&req->rq_lock);
}

/**
 * ptlrpc_set_add() - add a request
 * @set: set
 * @req: request in RQ_NEW; the caller keeps its reference
 *
 * It is sent by ptlrpc_set_run(), or by the task that waits for the set.
 *
 * Context: any task
 */
void ptlrpc_set_add(struct ptlrpc_request_set *set, struct ptlrpc_request *req)
{
	if (WARN_ON_ONCE(req->rq_phase != RQ_NEW))
		return;
	request_begin(req);
	request_set_join(set, req);
}
EXPORT_SYMBOL_NS_GPL(ptlrpc_set_add, LUSTRE_LITE);

/**
 * ptlrpc_set_run() - send what was added, without waiting for replies
 * @set: set
 *
 * Context: may sleep shortly, or as long as an rq_interpret of the set
 */
void ptlrpc_set_run(struct ptlrpc_request_set *set)
{
	set_drive(set);
}
EXPORT_SYMBOL_NS_GPL(ptlrpc_set_run, LUSTRE_LITE);

/* The target may execute it, or has to. */
static bool is_detached(const struct ptlrpc_request *req)
{
	return req->rq_detach && (req->rq_sends || req->rq_detach_unsent) &&
	       (req->rq_phase == RQ_WAITING || req->rq_phase == RQ_RPC);
}

/* A request that goes on without its task. */
static struct ptlrpc_request *set_next_detached(struct ptlrpc_request_set *set)
{
	struct ptlrpc_request *req, *found = NULL;

	spin_lock(&set->set_lock);
	list_for_each_entry(req, &set->set_requests, rq_set_item) {
		if (!is_detached(req))
			continue;
		found = req;
		break;
	}
	spin_unlock(&set->set_lock);
	return found;
}

static void set_killed(struct ptlrpc_request_set *set)
{
	struct ptlrpc_request *req;

	while ((req = set_next_detached(set))) {
		request_left(req);
		ptlrpcd_take(req);
	}
	request_set_drain(set, -EINTR);
	set->set_abort = 0;
}

/* @until_ns: ktime_get_ns(). Return: 0; -EINTR: all requests have ended or left; -ETIMEDOUT */
static int set_wait(struct ptlrpc_request_set *set, unsigned int left, u64 until_ns)
{
	set_drive(set);
	while (READ_ONCE(set->set_left) > left) {
		if (fatal_signal_pending(current)) {
			set_killed(set);
			return -EINTR;
		}
		if (ktime_get_ns() >= until_ns)
			return -ETIMEDOUT;
		set->set_look_ns = min(set->set_look_ns, until_ns);
		request_set_sleep(set, SET_KILLABLE);
		set_drive(set);
	}
	return 0;
}

static int set_wait_as_driver(struct ptlrpc_request_set *set, unsigned int left, u64 until_ns)
{
	int rc;

	set->set_waits = true;
	rc = set_wait(set, left, until_ns);
	set->set_waits = false;
	request_set_reader_end(set);
	return rc;
}

/**
 * ptlrpc_set_wait() - wait until at most @left requests are not RQ_COMPLETE
 * @set: set
 * @left: how many
 *
 * Context: sleeps
 * Return: 0; -EINTR when the task was killed: all are RQ_COMPLETE, but those with rq_detach that
 *  were sent
 */
int ptlrpc_set_wait(struct ptlrpc_request_set *set, unsigned int left)
{
	return set_wait_as_driver(set, left, U64_MAX);
}
EXPORT_SYMBOL_NS_GPL(ptlrpc_set_wait, LUSTRE_LITE);

/**
 * ptlrpc_set_wait_for() - wait until all requests are RQ_COMPLETE, for a time
 * @set: set
 * @ns: nanoseconds
 *
 * Context: sleeps
 * Return: as ptlrpc_set_wait(); -ETIMEDOUT: some are not RQ_COMPLETE, and go on when the set is
 *  waited for again
 */
int ptlrpc_set_wait_for(struct ptlrpc_request_set *set, u64 ns)
{
	return set_wait_as_driver(set, 0, ktime_get_ns() + ns);
}
EXPORT_SYMBOL_NS_GPL(ptlrpc_set_wait_for, LUSTRE_LITE);

/* A request is ready: the work drives the set. Under the lock of set_wq */
static int poll_wake(struct wait_queue_entry *wait, unsigned int mode, int flags, void *key)
{
	struct ptlrpc_request_set *set = container_of(wait, struct ptlrpc_request_set, set_poll);

	list_del_init(&wait->entry);
	mod_delayed_work(set->set_poll_wq, set->set_poll_work, 0);
	return 1;
}

/* From here on nothing starts the work, which runs now or was never started. */
static void poll_end(struct ptlrpc_request_set *set, struct delayed_work *work)
{
	spin_lock_irq(&set->set_wq.lock);
	list_del_init(&set->set_poll.entry);
	spin_unlock_irq(&set->set_wq.lock);
	cancel_delayed_work(work);
}

/**
 * ptlrpc_set_poll() - drive a set without waiting
 * @set: set
 * @wq: runs @work
 * @work: calls this again, each time that it runs, until the result is 0. The caller is this work
 *
 * Meanwhile no task is the driver. The set is not put before the result was 0.
 *
 * Context: as ptlrpc_set_run()
 * Return: 0: all requests are RQ_COMPLETE; -EINPROGRESS: @work runs when there is more to do
 */
int ptlrpc_set_poll(struct ptlrpc_request_set *set, struct workqueue_struct *wq,
		    struct delayed_work *work)
{
	long left;

	poll_end(set, work);
	set_drive(set);
	if (set->set_conn)
		lnet_conn_flush(set->set_conn);
	if (!READ_ONCE(set->set_left))
		return 0;
	left = set_jiffies(set);
	if (left != MAX_SCHEDULE_TIMEOUT)
		queue_delayed_work(wq, work, left);
	set->set_poll_wq = wq;
	set->set_poll_work = work;
	init_waitqueue_func_entry(&set->set_poll, poll_wake);
	add_wait_queue(&set->set_wq, &set->set_poll);
	/* Pairs with wq_has_sleeper() of a task that has made a request ready. */
	smp_mb();
	if (set_is_ready(set))
		mod_delayed_work(wq, work, 0);
	return -EINPROGRESS;
}
EXPORT_SYMBOL_NS_GPL(ptlrpc_set_poll, LUSTRE_LITE);

/**
 * ptlrpc_queue_wait() - send a request and wait until it is complete
 * @req: request in RQ_NEW
 *
 * Context: sleeps
 * Return: rq_status: 0; -EINTR if the task was killed; -EIO, -ESHUTDOWN or -ENOTCONN if
 * the import was invalidated, deactivated or closed; the status of the reply or of
 * rq_interpret
 */
int ptlrpc_queue_wait(struct ptlrpc_request *req)
{
	struct ptlrpc_request_set set;
	int rc;

	request_set_init(&set);
	ptlrpc_set_add(&set, req);
	rc = ptlrpc_set_wait(&set, 0);
	request_set_fini(&set);
	return rc && req->rq_detach ? rc : req->rq_status;
}
EXPORT_SYMBOL_NS_GPL(ptlrpc_queue_wait, LUSTRE_LITE);
