// SPDX-License-Identifier: GPL-2.0-only
/*
 * The last requests of a service, for req_history: one line each, the oldest
 * first,
 *
 *	SEQ:NID:xXID:LENGTH:STATE:ARRIVAL:TOOKs(LEFTs) opc OPC
 *
 * SEQ is its number in the service, NID the client's node, LENGTH bytes of its
 * message and bulk data, ARRIVAL seconds since 1970, TOOK seconds until it was
 * answered ("-" before that), LEFT seconds left until its client's deadline.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/math64.h>

#include "service.h"

/**
 * struct ptlrpc_history_record - a request
 * @hr_seq: number, 0 for none
 * @hr_nid: node
 * @hr_state: last recorded enum sr_state
 * @hr_opc: operation
 * @hr_len: bytes
 * @hr_xid: xid
 * @hr_arrival_ns: since 1970
 * @hr_took_ns: until it was answered
 * @hr_left_ns: until its deadline, at the answer or now
 */
struct ptlrpc_history_record {
	u64		hr_seq;
	struct lnet_nid	hr_nid;
	u8		hr_state;
	u32		hr_opc;
	u32		hr_len;
	u64		hr_xid;
	s64		hr_arrival_ns;
	u64		hr_took_ns;
	s64		hr_left_ns;
};

static size_t ring_bytes(unsigned int size)
{
	return size * sizeof(struct ptlrpc_history_record);
}

static struct ptlrpc_history_record *__place(struct svc_history *hi, u64 seq)
{
	u32 n;

	div_u64_rem(seq, hi->hi_size, &n);
	return &hi->hi_ring[n];
}

/**
 * svc_history_init() - allocate an empty history
 * @hi: out
 * @size: its capacity, requests
 *
 * Context: may sleep
 * Return: 0 or -ENOMEM
 */
int svc_history_init(struct svc_history *hi, unsigned int size)
{
	spin_lock_init(&hi->hi_lock);
	hi->hi_next = 1;
	hi->hi_from = 1;
	hi->hi_size = 0;
	hi->hi_ring = NULL;
	return svc_history_resize(hi, size);
}

/* Free the ring; the history has no user any more. */
void svc_history_free(struct svc_history *hi)
{
	libcfs_free(hi->hi_ring, ring_bytes(hi->hi_size));
	hi->hi_ring = NULL;
	hi->hi_size = 0;
}

/* Number of the oldest record; hi_next if there is none. */
static u64 __first(const struct svc_history *hi)
{
	u64 in_ring = hi->hi_next > hi->hi_size ? hi->hi_next - hi->hi_size : 1;

	return max(in_ring, hi->hi_from);
}

/* Move the records that fit into the new ring. */
static void __ring_move(struct svc_history *hi, struct ptlrpc_history_record *ring,
			unsigned int size)
{
	struct svc_history to = { .hi_ring = ring, .hi_size = size, .hi_next = hi->hi_next,
				  .hi_from = __first(hi) };
	u64 seq;

	hi->hi_from = __first(&to);
	for (seq = hi->hi_from; seq < hi->hi_next; seq++)
		*__place(&to, seq) = *__place(hi, seq);
}

/**
 * svc_history_resize() - change the capacity
 * @hi: history
 * @size: requests; 0: no history
 *
 * Context: may sleep
 * Return: 0 or -ENOMEM
 */
int svc_history_resize(struct svc_history *hi, unsigned int size)
{
	struct ptlrpc_history_record *ring = NULL, *old;
	unsigned int old_size;

	if (size) {
		ring = libcfs_zalloc(ring_bytes(size), GFP_KERNEL);
		if (!ring)
			return -ENOMEM;
	}
	spin_lock(&hi->hi_lock);
	__ring_move(hi, ring, size);
	old = hi->hi_ring;
	old_size = hi->hi_size;
	hi->hi_ring = ring;
	hi->hi_size = size;
	spin_unlock(&hi->hi_lock);
	libcfs_free(old, ring_bytes(old_size));
	return 0;
}

/* Number of requests in the history. */
unsigned int svc_history_len(struct svc_history *hi)
{
	unsigned int len;

	spin_lock(&hi->hi_lock);
	len = hi->hi_next - __first(hi);
	spin_unlock(&hi->hi_lock);
	return len;
}

static void __record_note(struct ptlrpc_history_record *hr,
			  const struct ptlrpc_svc_req *sr, u64 now)
{
	enum sr_state state = READ_ONCE(sr->sr_state);

	/* Its reply is complete: the service is done with it. */
	hr->hr_state = state == SR_REPLYING ? SR_DONE : state;
	hr->hr_took_ns = hr->hr_state == SR_DONE ? now - sr->sr_arrival_ns : 0;
	hr->hr_left_ns = READ_ONCE(sr->sr_deadline_ns) - now;
}

/* Add a new request, which gets its number. */
void svc_history_add(struct ptlrpc_svc_req *sr)
{
	struct svc_history *hi = &sr->sr_service->svc_history;
	ktime_t arrival = ktime_mono_to_real(ns_to_ktime(sr->sr_arrival_ns));
	struct ptlrpc_history_record *hr;

	spin_lock(&hi->hi_lock);
	sr->sr_hist_seq = hi->hi_next++;
	if (hi->hi_size) {
		hr = __place(hi, sr->sr_hist_seq);
		hr->hr_seq = sr->sr_hist_seq;
		hr->hr_nid = sr->sr_conn->cn_nid;
		hr->hr_opc = sr->sr_msg.opc;
		hr->hr_len = sr->sr_charge - sizeof(*sr);
		hr->hr_xid = sr->sr_msg.xid;
		hr->hr_arrival_ns = ktime_to_ns(arrival);
		__record_note(hr, sr, sr->sr_arrival_ns);
	}
	spin_unlock(&hi->hi_lock);
}

/**
 * svc_history_note() - record a change of a request's state
 * @sr: request
 * @now: ktime_get_ns()
 *
 * Context: any task
 */
void svc_history_note(struct ptlrpc_svc_req *sr, u64 now)
{
	struct svc_history *hi = &sr->sr_service->svc_history;
	struct ptlrpc_history_record *hr;

	if (!sr->sr_hist_seq)
		return;
	spin_lock(&hi->hi_lock);
	hr = hi->hi_size ? __place(hi, sr->sr_hist_seq) : NULL;
	if (hr && hr->hr_seq == sr->sr_hist_seq)
		__record_note(hr, sr, now);
	spin_unlock(&hi->hi_lock);
}

/*
 * The record with the lowest number from @seq on. Return: false if there is
 * none.
 */
static bool history_next(struct svc_history *hi, u64 seq,
			 struct ptlrpc_history_record *out)
{
	bool found;

	spin_lock(&hi->hi_lock);
	seq = max(seq, __first(hi));
	found = seq < hi->hi_next;
	if (found)
		*out = *__place(hi, seq);
	spin_unlock(&hi->hi_lock);
	return found;
}

static void seconds_print(char *buf, size_t size, s64 ns)
{
	s64 usec = div_s64(ns, NSEC_PER_USEC);
	u64 value = abs(usec);
	u32 rest;

	value = div_u64_rem(value, USEC_PER_SEC, &rest);
	scnprintf(buf, size, "%s%llu.%06u", usec < 0 ? "-" : "", value, rest);
}

static int record_put(struct params_sink *sink, const struct ptlrpc_history_record *hr)
{
	char nid[LNET_NID_TEXT_MAX], arrival[32], took[32] = "-", left[32];

	if (libcfs_nid_print(&hr->hr_nid, nid, sizeof(nid)) < 0)
		strscpy(nid, "?", sizeof(nid));
	seconds_print(arrival, sizeof(arrival), hr->hr_arrival_ns);
	if (hr->hr_state == SR_DONE)
		seconds_print(took, sizeof(took), hr->hr_took_ns);
	seconds_print(left, sizeof(left), hr->hr_left_ns);
	return params_put_strf(sink, NULL, "%llu:%s:x%llu:%u:%s:%s:%ss(%ss) opc %u",
			       hr->hr_seq, nid, hr->hr_xid, hr->hr_len,
			       svc_state_name(hr->hr_state), arrival, took, left,
			       hr->hr_opc);
}

/* Parameter req_history. */
int svc_history_read(struct params_sink *sink, void *data)
{
	struct ptlrpc_service *svc = data;
	struct ptlrpc_history_record hr;
	u64 seq = 1;
	int rc = 0;

	while (!rc && history_next(&svc->svc_history, seq, &hr)) {
		rc = record_put(sink, &hr);
		seq = hr.hr_seq + 1;
	}
	return rc;
}
