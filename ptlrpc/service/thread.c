// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads and queues of a service.
 *
 * A further thread starts whenever a request waits and all threads are busy, up
 * to threads_max. The last one of those is reserved for requests of high
 * priority, so that requests that others wait for run even if all other threads
 * wait for them. A thread that is not needed for a while ends.
 *
 * svc_high_ratio requests of high priority are taken in a row while the other
 * queue waits, then one of that queue.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/kthread.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "service.h"

/* Seconds after which an idle thread beyond threads_min ends. */
#define SVC_IDLE_SEC	30

static bool is_high(const struct ptlrpc_svc_req *sr)
{
	return sr->sr_handler->shd_flags & SVH_HIGH;
}

/* A request waits, no thread is free to take it, and more threads are allowed. */
static bool __wants_thread(const struct ptlrpc_service *svc)
{
	lockdep_assert_held(&svc->svc_lock);
	if (svc->svc_stopping || svc->svc_started >= svc->svc_threads_max)
		return false;
	return svc->svc_started < svc->svc_threads_min ||
	       (svc->svc_queued && !svc->svc_idle);
}

static void __grow_if_wanted(struct ptlrpc_service *svc)
{
	if (__wants_thread(svc))
		queue_work(compat_unbound_wq, &svc->svc_grow);
}

/* Run the tick in a second. */
static void __tick_start(struct ptlrpc_service *svc)
{
	lockdep_assert_held(&svc->svc_lock);
	if (!svc->svc_stopping)
		queue_delayed_work(compat_unbound_wq, &svc->svc_tick, HZ);
}

/* The last thread is reserved for high priority. */
static bool __may_take_normal(const struct ptlrpc_service *svc)
{
	return !svc->svc_has_high || svc->svc_threads_max < 2 ||
	       svc->svc_normal + 1 < svc->svc_threads_max;
}

static struct ptlrpc_svc_req *__pick(struct ptlrpc_service *svc)
{
	struct ptlrpc_svc_req *normal = NULL, *high;

	lockdep_assert_held(&svc->svc_lock);
	if (__may_take_normal(svc))
		normal = list_first_entry_or_null(&svc->svc_queue,
						  struct ptlrpc_svc_req,
						  sr_item);
	high = list_first_entry_or_null(&svc->svc_high, struct ptlrpc_svc_req,
					sr_item);
	if (high && (!normal || svc->svc_high_run < svc->svc_high_ratio)) {
		svc->svc_high_run++;
		return high;
	}
	svc->svc_high_run = 0;
	return normal;
}

/* Move a request from a queue to the running ones. */
static void __begin(struct ptlrpc_service *svc, struct ptlrpc_svc_req *sr)
{
	list_move_tail(&sr->sr_item, &svc->svc_working);
	svc->svc_queued--;
	svc->svc_active++;
}

/* The next request for a thread, which is no longer idle then. */
static struct ptlrpc_svc_req *thread_take(struct svc_thread *st)
{
	struct ptlrpc_service *svc = st->st_service;
	struct ptlrpc_svc_req *sr = NULL;

	spin_lock(&svc->svc_lock);
	if (!st->st_stop)
		sr = __pick(svc);
	if (sr) {
		__begin(svc, sr);
		svc->svc_normal += !is_high(sr);
		st->st_idle = false;
		if (!--svc->svc_idle)
			svc->svc_busy_jiffies = jiffies;
		__grow_if_wanted(svc);
	}
	spin_unlock(&svc->svc_lock);
	return sr;
}

static void thread_rest(struct svc_thread *st, bool normal)
{
	struct ptlrpc_service *svc = st->st_service;

	spin_lock(&svc->svc_lock);
	svc->svc_normal -= normal;
	st->st_idle = true;
	svc->svc_idle++;
	spin_unlock(&svc->svc_lock);
}

static void thread_await_stop(void)
{
	for (;;) {
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
}

static int thread_main(void *arg)
{
	struct svc_thread *st = arg;
	struct ptlrpc_service *svc = st->st_service;
	struct ptlrpc_svc_req *sr;
	bool normal;

	for (;;) {
		wait_event_idle_exclusive(svc->svc_wait,
					  (sr = thread_take(st)) ||
					  READ_ONCE(st->st_stop));
		if (!sr)
			break;
		normal = !is_high(sr);
		svc_handle(sr);
		thread_rest(st, normal);
	}
	/* The wakeup may have been meant for a request of another thread. */
	wake_up(&svc->svc_wait);
	thread_await_stop();
	return 0;
}

/* Return: 0; -ECANCELED if the service stops. */
static int thread_start(struct ptlrpc_service *svc)
{
	struct svc_thread *st = libcfs_zalloc(sizeof(*st), GFP_KERNEL);
	bool stopping;

	if (!st)
		return -ENOMEM;
	st->st_service = svc;
	st->st_idle = true;
	st->st_task = kthread_create(thread_main, st, "ll_%s_%02u",
				     svc->svc_conf.psc_name, svc->svc_serial++);
	if (IS_ERR(st->st_task)) {
		int rc = PTR_ERR(st->st_task);

		libcfs_free(st, sizeof(*st));
		return rc;
	}
	spin_lock(&svc->svc_lock);
	stopping = svc->svc_stopping;
	if (!stopping) {
		list_add_tail(&st->st_item, &svc->svc_threads);
		svc->svc_started++;
		svc->svc_idle++;
		__tick_start(svc);
	}
	spin_unlock(&svc->svc_lock);
	if (!stopping) {
		wake_up_process(st->st_task);
		return 0;
	}
	kthread_stop(st->st_task);
	libcfs_free(st, sizeof(*st));
	return -ECANCELED;
}

static bool wants_thread(struct ptlrpc_service *svc)
{
	bool wants;

	spin_lock(&svc->svc_lock);
	wants = __wants_thread(svc);
	spin_unlock(&svc->svc_lock);
	return wants;
}

static void grow_work(struct work_struct *work)
{
	struct ptlrpc_service *svc = container_of(work, struct ptlrpc_service,
						  svc_grow);
	int rc = 0;

	while (!rc && wants_thread(svc))
		rc = thread_start(svc);
	if (rc && rc != -ECANCELED)
		CWARN("%s: cannot start another thread: rc = %d\n",
		      svc->svc_conf.psc_name, rc);
}

/* A thread was idle for a while, or there are more than threads_max. */
static bool __is_too_many(const struct ptlrpc_service *svc)
{
	if (svc->svc_started > svc->svc_threads_max)
		return true;
	return svc->svc_started > svc->svc_threads_min &&
	       time_after(jiffies, svc->svc_busy_jiffies + SVC_IDLE_SEC * HZ);
}

/* Choose a waiting thread to end; it takes no more requests. */
static struct svc_thread *thread_superfluous(struct ptlrpc_service *svc)
{
	struct svc_thread *st, *found = NULL;

	spin_lock(&svc->svc_lock);
	if (__is_too_many(svc)) {
		list_for_each_entry_reverse(st, &svc->svc_threads, st_item) {
			if (!st->st_idle)
				continue;
			found = st;
			list_del(&st->st_item);
			WRITE_ONCE(st->st_stop, true);
			svc->svc_started--;
			svc->svc_idle--;
			break;
		}
	}
	spin_unlock(&svc->svc_lock);
	return found;
}

static void thread_end(struct svc_thread *st)
{
	kthread_stop(st->st_task);
	libcfs_free(st, sizeof(*st));
}

static void tick_work(struct work_struct *work)
{
	struct ptlrpc_service *svc = container_of(to_delayed_work(work),
						  struct ptlrpc_service,
						  svc_tick);
	struct svc_thread *st = thread_superfluous(svc);

	if (st)
		thread_end(st);
	svc_early_replies(svc);
	spin_lock(&svc->svc_lock);
	if (svc->svc_queued || svc->svc_active ||
	    svc->svc_started > svc->svc_threads_min)
		__tick_start(svc);
	spin_unlock(&svc->svc_lock);
}

/**
 * svc_threads_check() - threads_min or threads_max changed
 * @svc: service
 *
 * Context: any task
 */
void svc_threads_check(struct ptlrpc_service *svc)
{
	spin_lock(&svc->svc_lock);
	__grow_if_wanted(svc);
	__tick_start(svc);
	spin_unlock(&svc->svc_lock);
}

/**
 * svc_threads_start() - start the first threads
 * @svc: service that is not published yet
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int svc_threads_start(struct ptlrpc_service *svc)
{
	int rc = 0;

	INIT_WORK(&svc->svc_grow, grow_work);
	INIT_DELAYED_WORK(&svc->svc_tick, tick_work);
	svc->svc_busy_jiffies = jiffies;
	while (!rc && wants_thread(svc))
		rc = thread_start(svc);
	if (rc)
		svc_threads_stop(svc);
	return rc;
}

static struct svc_thread *thread_first(struct ptlrpc_service *svc)
{
	struct svc_thread *st;

	spin_lock(&svc->svc_lock);
	st = list_first_entry_or_null(&svc->svc_threads, struct svc_thread,
				      st_item);
	if (st) {
		list_del(&st->st_item);
		WRITE_ONCE(st->st_stop, true);
		svc->svc_started--;
	}
	spin_unlock(&svc->svc_lock);
	return st;
}

static struct ptlrpc_svc_req *queue_first(struct ptlrpc_service *svc)
{
	struct ptlrpc_svc_req *sr;

	spin_lock(&svc->svc_lock);
	sr = list_first_entry_or_null(&svc->svc_high, struct ptlrpc_svc_req,
				      sr_item) ?:
	     list_first_entry_or_null(&svc->svc_queue, struct ptlrpc_svc_req,
				      sr_item);
	if (sr)
		__begin(svc, sr);
	spin_unlock(&svc->svc_lock);
	return sr;
}

/**
 * svc_threads_stop() - end all threads, drop queued requests
 * @svc: service without portals
 *
 * Context: may sleep, until the running handlers have returned
 */
void svc_threads_stop(struct ptlrpc_service *svc)
{
	struct ptlrpc_svc_req *sr;
	struct svc_thread *st;

	spin_lock(&svc->svc_lock);
	svc->svc_stopping = true;
	spin_unlock(&svc->svc_lock);
	cancel_work_sync(&svc->svc_grow);
	cancel_delayed_work_sync(&svc->svc_tick);
	while ((st = thread_first(svc)))
		thread_end(st);
	while ((sr = queue_first(svc)))
		svc_req_drop(sr);
}

/**
 * svc_enqueue() - have a thread handle a request
 * @sr: request; ownership passes from the caller
 *
 * Context: any task
 */
void svc_enqueue(struct ptlrpc_svc_req *sr)
{
	struct ptlrpc_service *svc = sr->sr_service;
	unsigned int depth = 0;
	bool stopping;

	spin_lock(&svc->svc_lock);
	stopping = svc->svc_stopping;
	if (!stopping) {
		/* A request held by recovery is among the running ones. */
		svc->svc_active -= !list_empty(&sr->sr_item);
		svc_req_move(sr, SR_QUEUED);
		list_move_tail(&sr->sr_item, is_high(sr) ? &svc->svc_high :
							   &svc->svc_queue);
		depth = ++svc->svc_queued;
		svc_count(svc, SVC_STAT_QDEPTH, depth);
		__grow_if_wanted(svc);
		__tick_start(svc);
		wake_up(&svc->svc_wait);
	}
	spin_unlock(&svc->svc_lock);
	if (stopping)
		svc_req_drop(sr);
}

/**
 * ptlrpc_svc_requeue() - queue a request that recovery has held
 * @sr: request held by rv_admit()
 *
 * Context: any task
 */
void ptlrpc_svc_requeue(struct ptlrpc_svc_req *sr)
{
	svc_enqueue(sr);
}

/**
 * svc_leave() - remove a request from the running ones
 * @sr: request; owned by the caller
 *
 * Context: any task
 */
void svc_leave(struct ptlrpc_svc_req *sr)
{
	struct ptlrpc_service *svc = sr->sr_service;

	/*
	 * Handled by the reader: it is in no list, and no other task adds it to
	 * one.
	 */
	if (list_empty(&sr->sr_item))
		return;
	spin_lock(&svc->svc_lock);
	list_del_init(&sr->sr_item);
	svc->svc_active--;
	spin_unlock(&svc->svc_lock);
}

/**
 * svc_needs_admission() - whether recovery must admit a request
 * @sr: request
 *
 * Context: any
 * Return: true to call rv_admit() before the handler
 */
bool svc_needs_admission(const struct ptlrpc_svc_req *sr)
{
	const u32 recovery = MSG_REPLAY | MSG_REQ_REPLAY_DONE |
			     MSG_LOCK_REPLAY_DONE;

	/* A target never enters recovery again once it has left it. */
	if (!sr->sr_exp || !svc_recovery->rv_is_running(sr->sr_exp->exp_obd))
		return false;
	return !(sr->sr_handler->shd_flags & SVH_RECOVERY) ||
	       sr->sr_msg.flags & recovery;
}

/* Return: 0: handle it; 1: it is held; a negative errno: refuse it. */
static int admit(struct ptlrpc_svc_req *sr)
{
	if (!sr->sr_exp)
		return 0;
	if (!class_connected_export(sr->sr_exp))
		return -ENOTCONN;
	if (sr->sr_msg.flags & MSG_REPLAY && !svc_recovery->rv_may_replay(sr))
		return -EPROTO;
	return svc_needs_admission(sr) ? svc_recovery->rv_admit(sr) : 0;
}

/* The reader handles it so quickly that the state need not be visible. */
static void note_begin(struct ptlrpc_svc_req *sr)
{
	struct ptlrpc_service *svc = sr->sr_service;

	svc_count(svc, SVC_STAT_WAIT,
		  (sr->sr_start_ns - sr->sr_arrival_ns) / NSEC_PER_USEC);
	if (list_empty(&sr->sr_item))
		return;
	svc_history_note(sr, sr->sr_start_ns);
	svc_count(svc, SVC_STAT_ACTIVE, READ_ONCE(svc->svc_active));
	svc_count(svc, SVC_STAT_MEMORY, atomic64_read(&svc->svc_memory));
}

/* Its client has given up, or has resent it. */
static bool is_late(struct ptlrpc_svc_req *sr)
{
	if (sr->sr_start_ns <= READ_ONCE(sr->sr_deadline_ns))
		return false;
	svc_count(sr->sr_service, SVC_STAT_LATE, 1);
	CDEBUG(D_RPCTRACE, "%s: request x%llu missed its deadline\n",
	       sr->sr_service->svc_conf.psc_name, sr->sr_msg.xid);
	return true;
}

/*
 * Its target stops, which ended the handler. The client sends it to the next start of the target.
 */
static bool is_cut_off(const struct ptlrpc_svc_req *sr, int rc)
{
	return rc == -ESHUTDOWN && sr->sr_exp &&
	       READ_ONCE(sr->sr_exp->exp_obd->obd_state) != OBD_SET_UP;
}

/**
 * svc_handle() - run the handler of a request
 * @sr: request; ownership passes from the caller
 *
 * Context: may sleep
 */
void svc_handle(struct ptlrpc_svc_req *sr)
{
	int rc;

	sr->sr_start_ns = ktime_get_ns();
	if (is_late(sr)) {
		svc_req_drop(sr);
		return;
	}
	/* If recovery holds it, a thread may answer it before this returns. */
	svc_req_get(sr);
	svc_req_move(sr, SR_RUNNING);
	note_begin(sr);
	rc = admit(sr);
	if (!rc) {
		sr->sr_handled = true;
		rc = sr->sr_handler->shd_fn(sr);
		if (WARN_ON_ONCE(rc > 0))
			rc = -EPROTO;
	}
	/* If recovery holds it, a thread may own it already. */
	if (is_cut_off(sr, rc))
		svc_req_drop(sr);
	else if (rc <= 0)
		svc_answer(sr, rc);
	svc_req_put(sr);
}
