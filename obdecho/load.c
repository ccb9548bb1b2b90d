// SPDX-License-Identifier: GPL-2.0-only
/* A load of calls: their concurrency, duration and times. */
#define DEBUG_SUBSYSTEM S_ECHO

#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched/signal.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "load.h"

/* Most bytes of buffers for the reads of one load. */
#define LOAD_BYTES_MAX		(256ULL << 20)
#define LOAD_TIME_MAX_MS	600000
#define LOAD_LOCK_MODES		(LCK_EX | LCK_PW | LCK_PR | LCK_CW | LCK_CR | \
				 LCK_NL)

/* Bucket of the histogram for a time. */
static unsigned int bucket_of(u64 ns)
{
	u64 usec = div_u64(ns, NSEC_PER_USEC);
	unsigned int power, bucket;
	u64 base;

	if (!usec)
		return 0;
	power = fls64(usec) - 1;
	base = (u64)NSEC_PER_USEC << power;
	bucket = 4 * power + div64_u64((ns - base) * 4, base);
	return min_t(unsigned int, bucket, LL_ECHO_BUCKETS - 1);
}

static u64 bytes_of(const struct ll_rpc_ioc_echo *et)
{
	return et->et_op == LL_ECHO_READ || et->et_op == LL_ECHO_WRITE ?
	       et->et_size : 0;
}

/**
 * echo_load_note() - a call has ended
 * @load: load
 * @start_ns: its start
 * @rc: 0 or a negative errno
 *
 * Context: the task that drives the load
 */
void echo_load_note(struct echo_load *load, u64 start_ns, int rc)
{
	struct ll_rpc_ioc_echo *et = load->eld_et;
	u64 ns = ktime_get_ns() - start_ns;

	if (rc) {
		if (!et->et_failed++)
			et->et_first_error = rc;
		load->eld_failing = true;
		return;
	}
	if (!et->et_done || ns < et->et_min_ns)
		et->et_min_ns = ns;
	et->et_max_ns = max_t(u64, et->et_max_ns, ns);
	et->et_sum_ns += ns;
	et->et_bytes += bytes_of(et);
	et->et_histogram[bucket_of(ns)]++;
	et->et_done++;
}

/* Whether another call may start. */
static bool load_goes_on(const struct echo_load *load)
{
	const struct ll_rpc_ioc_echo *et = load->eld_et;

	return (!et->et_calls || load->eld_begun < et->et_calls) &&
	       ktime_get_ns() < load->eld_end_ns &&
	       class_connected_export(load->eld_use->eu_exp) &&
	       !fatal_signal_pending(current);
}

/* Calls may fail at once: limit their rate. */
static void load_rest(struct echo_load *load)
{
	if (load->eld_failing)
		schedule_timeout_killable(1);
	load->eld_failing = false;
	cond_resched();
}

/* One call at a time. */
static void run_single(struct echo_load *load,
		       int (*call)(struct echo_load *load))
{
	u64 start;

	while (load_goes_on(load)) {
		load->eld_begun++;
		start = ktime_get_ns();
		echo_load_note(load, start, call(load));
		load_rest(load);
	}
}

static void begin_one(struct echo_load *load)
{
	struct echo_call *call = list_first_entry(&load->eld_idle,
						  struct echo_call, ecc_item);
	int rc;

	load->eld_begun++;
	call->ecc_start_ns = ktime_get_ns();
	rc = echo_call_begin(call);
	if (rc)
		echo_load_note(load, call->ecc_start_ns, rc);
}

/* Whether the client keeps as much as it may. */
static bool is_full(const struct echo_load *load)
{
	return load->eld_et->et_flags & LL_ECHO_UNSTABLE &&
	       atomic64_read(&load->eld_use->eu_unstable->eun_bytes) +
	       load->eld_et->et_size > ECHO_UNSTABLE_MAX;
}

/* Sync the unstable writes on the server. The set is driven to its end first. */
static int sync_all(struct echo_load *load)
{
	int rc = ptlrpc_set_wait(load->eld_set, 0) ?: echo_call_sync(load);

	if (rc && rc != -EINTR) {
		echo_load_note(load, ktime_get_ns(), rc);
		rc = 0;
	}
	return rc;
}

/* The requested number of concurrent calls. */
static int run_many(struct echo_load *load)
{
	unsigned int most = load->eld_et->et_inflight - 1;
	int rc = 0;

	while (!rc && load_goes_on(load)) {
		if (is_full(load)) {
			rc = sync_all(load);
			load_rest(load);
			continue;
		}
		if (!list_empty(&load->eld_idle) && !load->eld_failing) {
			begin_one(load);
			continue;
		}
		rc = ptlrpc_set_wait(load->eld_set, most);
		load_rest(load);
	}
	return ptlrpc_set_wait(load->eld_set, 0) ?: rc;
}

static int run_requests(struct echo_load *load)
{
	int rc = echo_pattern_make() ?: echo_calls_alloc(load);

	if (rc)
		return rc;
	load->eld_set = ptlrpc_set_new();
	if (load->eld_set) {
		rc = run_many(load);
		ptlrpc_set_put(load->eld_set);
	} else {
		rc = -ENOMEM;
	}
	echo_calls_free(load);
	return rc;
}

static int run(struct echo_load *load)
{
	if (!load->eld_use->eu_imp)
		run_single(load, echo_call_direct);
	else if (load->eld_et->et_op == LL_ECHO_LOCK)
		run_single(load, echo_call_lock);
	else if (load->eld_et->et_op == LL_ECHO_GLIMPSE)
		run_single(load, echo_call_glimpse);
	else if (load->eld_et->et_op == LL_ECHO_GETATTR)
		run_single(load, echo_call_getattr);
	else if (load->eld_et->et_op == LL_ECHO_FLOCK)
		run_single(load, echo_call_flock);
	else if (load->eld_et->et_op == LL_ECHO_DESTROY)
		run_single(load, echo_call_destroy);
	else if (load->eld_et->et_op == LL_ECHO_PUNCH)
		run_single(load, echo_call_punch);
	else
		return run_requests(load);
	return fatal_signal_pending(current) ? -EINTR : 0;
}

static int check_numbers(const struct ll_rpc_ioc_echo *et, struct obd_why *why)
{
	if (et->et_flags & ~(LL_ECHO_CHECK | LL_ECHO_EXACT | LL_ECHO_KEEP |
			     LL_ECHO_UNSTABLE | LL_ECHO_GROW | LL_ECHO_NOWAIT |
			     LL_ECHO_TEST))
		return obd_refuse(why, -EINVAL, "unknown flags 0x%x",
				  et->et_flags);
	if (et->et_flags & LL_ECHO_UNSTABLE && et->et_op != LL_ECHO_WRITE)
		return obd_refuse(why, -EINVAL, "only writes can be unstable");
	if (!et->et_inflight || et->et_inflight > LL_ECHO_INFLIGHT_MAX)
		return obd_refuse(why, -EINVAL,
				  "%u calls at a time is out of range 1 to %u",
				  et->et_inflight, LL_ECHO_INFLIGHT_MAX);
	if (!et->et_time_ms || et->et_time_ms > LOAD_TIME_MAX_MS)
		return obd_refuse(why, -EINVAL,
				  "%u milliseconds is out of range 1 to %u",
				  et->et_time_ms, LOAD_TIME_MAX_MS);
	return 0;
}

static int check_transfer(const struct ll_rpc_ioc_echo *et, struct obd_why *why)
{
	if (!et->et_size || et->et_size > WIRE_BULK_MAX)
		return obd_refuse(why, -EINVAL,
				  "%u bytes is out of range 1 to %u",
				  et->et_size, WIRE_BULK_MAX);
	if ((u64)et->et_size * et->et_inflight > LOAD_BYTES_MAX)
		return obd_refuse(why, -E2BIG,
				  "%u calls at a time of %u bytes each; together at most %llu",
				  et->et_inflight, et->et_size, LOAD_BYTES_MAX);
	return 0;
}

/* A writer has the last byte of the object. */
static int check_grow(const struct ll_rpc_ioc_echo *et, struct obd_why *why)
{
	const u64 size = et->et_object_size;

	if (!(et->et_flags & LL_ECHO_GROW))
		return 0;
	if (et->et_type != LDLM_EXTENT || !(et->et_mode & (LCK_PW | LCK_EX)))
		return obd_refuse(why, -EINVAL,
				  "an object grows under a lock of an extent in mode PW or EX");
	if (!size || size > LONG_MAX || size - 1 < et->et_policy[0] ||
	    size - 1 > et->et_policy[1])
		return obd_refuse(why, -EINVAL,
				  "the last of %llu bytes is not in the extent", size);
	return 0;
}

static int check_lock(const struct ll_rpc_ioc_echo *et, struct obd_why *why)
{
	struct ldlm_policy policy;

	if (hweight32(et->et_mode) != 1 || et->et_mode & ~LOAD_LOCK_MODES)
		return obd_refuse(why, -EINVAL, "0x%x is not a lock mode",
				  et->et_mode);
	memcpy(policy.data, et->et_policy, sizeof(policy.data));
	if (et->et_reserved ||
	    !wire_policy_is_valid(echo_lock_type(et), &policy))
		return obd_refuse(why, -EINVAL,
				  "the extent or the bits are invalid for a lock of type %u",
				  echo_lock_type(et));
	if (et->et_flags & LL_ECHO_EXACT && et->et_type != LDLM_EXTENT)
		return obd_refuse(why, -EINVAL,
				  "only a lock of an extent can be exact");
	return check_grow(et, why);
}

static int check_flock(const struct ll_rpc_ioc_echo *et, struct obd_why *why)
{
	struct ldlm_policy policy;

	memcpy(policy.data, et->et_policy, sizeof(policy.data));
	if (et->et_type || et->et_reserved || !wire_flock_is_valid(&policy) ||
	    (et->et_mode != LCK_PR && et->et_mode != LCK_PW && et->et_mode != LCK_NL))
		return obd_refuse(why, -EINVAL,
				  "the mode or the bytes are invalid for a lock of a user");
	if (et->et_flags & LL_ECHO_TEST && et->et_mode == LCK_NL)
		return obd_refuse(why, -EINVAL, "nothing is in the way of a release");
	return 0;
}

static int check_punch(const struct ll_rpc_ioc_echo *et, struct obd_why *why)
{
	if (et->et_object_size > LONG_MAX)
		return obd_refuse(why, -EFBIG, "an object has no %llu bytes",
				  et->et_object_size);
	return 0;
}

static int check_op(const struct ll_rpc_ioc_echo *et, struct obd_why *why)
{
	switch (et->et_op) {
	case LL_ECHO_PING:
	case LL_ECHO_COUNT:
	case LL_ECHO_OPEN:
	case LL_ECHO_CLOSE:
	case LL_ECHO_GLIMPSE:
	case LL_ECHO_GETATTR:
	case LL_ECHO_DESTROY:
		return 0;
	case LL_ECHO_READ:
	case LL_ECHO_WRITE:
		return check_transfer(et, why);
	case LL_ECHO_LOCK:
		return check_lock(et, why);
	case LL_ECHO_FLOCK:
		return check_flock(et, why);
	case LL_ECHO_PUNCH:
		return check_punch(et, why);
	default:
		return obd_refuse(why, -EINVAL, "unknown operation %u",
				  et->et_op);
	}
}

/* Calls within this kernel have no requests; a server has locks of its own. */
static int check_way(const struct echo_use *use,
		     const struct ll_rpc_ioc_echo *et, struct obd_why *why)
{
	if (use->eu_imp || et->et_op == LL_ECHO_PING ||
	    et->et_op == LL_ECHO_COUNT)
		return 0;
	if (et->et_op == LL_ECHO_LOCK && !use->eu_local_imp &&
	    !(et->et_flags & (LL_ECHO_KEEP | LL_ECHO_GROW)))
		return 0;
	return obd_refuse(why, -EOPNOTSUPP,
			  "%s is reached within this kernel, where only ping, count and the server's own locks, which are not kept, can be tried; the rest goes over the network",
			  use->eu_exp->exp_obd->obd_name);
}

/**
 * echo_load_run() - make calls
 * @use: connection to the server
 * @et: in: options; out: results
 * @why: out: reason if there was no test
 *
 * Context: sleeps for the requested time, and until the calls in flight have
 *  ended; ends when the caller is killed, or the connection is closed
 * Return: 0, also if calls failed; -EINVAL, -E2BIG, -EOPNOTSUPP for invalid
 *  options; -EINTR; -ENOMEM
 */
int echo_load_run(const struct echo_use *use, struct ll_rpc_ioc_echo *et,
		  struct obd_why *why)
{
	struct echo_load load = { .eld_use = use, .eld_et = et };
	int rc;

	rc = check_numbers(et, why) ?: check_op(et, why) ?:
	     check_way(use, et, why);
	if (rc)
		return rc;
	INIT_LIST_HEAD(&load.eld_idle);
	load.eld_begin_ns = ktime_get_ns();
	load.eld_end_ns = load.eld_begin_ns + et->et_time_ms * NSEC_PER_MSEC;
	rc = run(&load);
	et->et_ns = ktime_get_ns() - load.eld_begin_ns;
	return rc;
}
