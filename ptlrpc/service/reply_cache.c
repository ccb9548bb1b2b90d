// SPDX-License-Identifier: GPL-2.0-only
/*
 * At most once: the unfinished requests of a client, and the replies saved for
 * it.
 *
 * A request of an operation with SVH_ONCE is looked up by its xid, whether or
 * not it is marked as resent, as a network may deliver twice. Its reply is
 * saved from its completion until the client acknowledges it in another request:
 * by lm_last_xid, or, as an earlier request may take long, by a later request with
 * the same tag (lm_tag). From then on the xid is old, and requests with it are dropped.
 * A replay may have an old xid by nature: its reply is saved until the client
 * sends a newer request that is not a replay, or many more replays.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include "service.h"

static bool is_once(const struct ptlrpc_svc_req *sr)
{
	return sr->sr_handler->shd_flags & SVH_ONCE;
}

static bool is_replay(const struct ptlrpc_svc_req *sr)
{
	return sr->sr_msg.flags & MSG_REPLAY;
}

/* After recovery all replays have been done. */
static bool may_be_old(const struct ptlrpc_svc_req *sr)
{
	return is_replay(sr) && svc_recovery->rv_is_running(sr->sr_exp->exp_obd);
}

/*
 * The number of the latest request with the tag of @sr; NULL: it has none. A replay has none: its
 * xid may be older than that of a request from before the restart that was sent again.
 */
static u64 *__tag_xid(struct ptlrpc_export *pe, const struct ptlrpc_svc_req *sr)
{
	u32 tag = sr->sr_msg.tag;

	lockdep_assert_held(&pe->pe_lock);
	return tag && tag <= WIRE_TAG_MAX && !is_replay(sr) ? &pe->pe_tag_xids[tag - 1] : NULL;
}

/* Whether a later request has its tag. */
static bool __is_outdated(struct ptlrpc_export *pe, const struct ptlrpc_svc_req *sr)
{
	const u64 *latest = __tag_xid(pe, sr);

	return latest && sr->sr_msg.xid < *latest;
}

/* Whether the client waits for no answer to it any more. */
static bool __is_old(struct ptlrpc_export *pe, const struct ptlrpc_svc_req *sr)
{
	return __is_outdated(pe, sr) || (sr->sr_msg.xid <= pe->pe_last_xid && !may_be_old(sr));
}

static size_t entry_bytes(const struct reply_cache_entry *entry)
{
	return entry->rce_reply ? entry->rce_reply->srp_len : 0;
}

static void entry_free(struct reply_cache_entry *entry)
{
	if (entry->rce_reply)
		svc_reply_put(entry->rce_reply);
	libcfs_free(entry, sizeof(*entry));
}

static void entries_free(struct list_head *entries)
{
	struct reply_cache_entry *entry, *next;

	list_for_each_entry_safe(entry, next, entries, rce_item)
		entry_free(entry);
}

/*
 * Replays come one at a time, those of locks a few at a time, and all are over with the first other
 * request: the last ones are enough. Otherwise a request from before the restart, whose answer the
 * client still waits for, would keep the replies to all of them.
 */
static bool __is_needed(const struct ptlrpc_export *pe, const struct reply_cache_entry *entry,
			const struct ptlrpc_svc_req *sr)
{
	if (entry->rce_replay && pe->pe_replay_count > SVC_EXPORT_REPLAYS)
		return false;
	if (entry->rce_tag && entry->rce_xid < pe->pe_tag_xids[entry->rce_tag - 1])
		return false;
	return entry->rce_xid > pe->pe_last_xid || (entry->rce_replay && is_replay(sr));
}

/* Free the replies that the client has, and those of replays that are too many. */
static void __cache_trim(struct ptlrpc_export *pe, const struct ptlrpc_svc_req *sr,
			 struct list_head *gone)
{
	u64 *latest = __tag_xid(pe, sr);
	struct reply_cache_entry *entry, *next;

	if (latest)
		*latest = max(*latest, sr->sr_msg.xid);
	if (sr->sr_msg.last_xid <= pe->pe_last_xid && !pe->pe_reply_count)
		return;
	if (sr->sr_msg.last_xid > pe->pe_last_xid)
		WRITE_ONCE(pe->pe_last_xid, sr->sr_msg.last_xid);
	list_for_each_entry_safe(entry, next, &pe->pe_replies, rce_item) {
		if (__is_needed(pe, entry, sr))
			continue;
		list_move(&entry->rce_item, gone);
		pe->pe_reply_count--;
		pe->pe_replay_count -= entry->rce_replay;
		pe->pe_reply_bytes -= entry_bytes(entry);
	}
}

static struct ptlrpc_svc_req *__request_find(struct ptlrpc_export *pe, u64 xid)
{
	struct ptlrpc_svc_req *sr;

	lockdep_assert_held(&pe->pe_lock);
	list_for_each_entry_reverse(sr, &pe->pe_requests, sr_export_item) {
		if (sr->sr_msg.xid == xid)
			return sr;
	}
	return NULL;
}

static struct reply_cache_entry *__reply_find(struct ptlrpc_export *pe, u64 xid)
{
	struct reply_cache_entry *entry;

	lockdep_assert_held(&pe->pe_lock);
	list_for_each_entry_reverse(entry, &pe->pe_replies, rce_item) {
		if (entry->rce_xid == xid)
			return entry;
	}
	return NULL;
}

/*
 * The first one is running: it answers on the connection of the second one. The
 * second one takes over the references on both connections and drops one at its
 * end.
 */
static void __request_attach(struct ptlrpc_svc_req *first,
			     struct ptlrpc_svc_req *second)
{
	swap(first->sr_reply_conn, second->sr_reply_conn);
	if (second->sr_deadline_ns > READ_ONCE(first->sr_deadline_ns))
		WRITE_ONCE(first->sr_deadline_ns, second->sr_deadline_ns);
}

static bool __is_crowded(const struct ptlrpc_export *pe,
			 const struct ptlrpc_svc_req *sr)
{
	if (pe->pe_request_count >= SVC_EXPORT_REQUESTS)
		return true;
	return is_once(sr) &&
	       (pe->pe_reply_count >= SVC_EXPORT_REPLIES ||
		pe->pe_reply_bytes >= SVC_EXPORT_REPLY_BYTES);
}

/* A finished request: its reply in @again, referenced, or NULL. */
static enum reply_cache_verdict __cache_look(struct ptlrpc_export *pe,
					     struct ptlrpc_svc_req *sr,
					     struct reply_cache_entry *again)
{
	struct ptlrpc_svc_req *first = NULL;
	struct reply_cache_entry *entry;

	if (is_once(sr) || sr->sr_msg.flags & MSG_RESENT)
		first = __request_find(pe, sr->sr_msg.xid);
	if (first) {
		__request_attach(first, sr);
		return RCV_ATTACHED;
	}
	entry = is_once(sr) ? __reply_find(pe, sr->sr_msg.xid) : NULL;
	if (entry) {
		*again = *entry;
		if (again->rce_reply)
			refcount_inc(&again->rce_reply->srp_refcount);
		return RCV_ANSWERED;
	}
	if (__is_old(pe, sr))
		return RCV_OLD;
	if (__is_crowded(pe, sr))
		return RCV_CROWDED;
	list_add_tail(&sr->sr_export_item, &pe->pe_requests);
	pe->pe_request_count++;
	return RCV_NEW;
}

static void answer_again(struct ptlrpc_svc_req *sr,
			 const struct reply_cache_entry *again)
{
	if (!again->rce_reply) {
		svc_send_error(sr->sr_conn, &sr->sr_msg,
			       again->rce_status ?: -ENOMEM);
		return;
	}
	svc_send(sr->sr_conn, again->rce_reply);
	svc_reply_put(again->rce_reply);
}

/**
 * reply_cache_begin() - decide whether a request must be handled
 * @sr: request, complete; one without an export is always new
 *
 * Resends the reply of a finished request.
 *
 * Context: may sleep
 * Return: enum reply_cache_verdict; after RCV_NEW no other request with the
 *  same xid is, until reply_cache_end()
 */
enum reply_cache_verdict reply_cache_begin(struct ptlrpc_svc_req *sr)
{
	struct reply_cache_entry again = {}, *entry = NULL;
	enum reply_cache_verdict verdict;
	struct ptlrpc_export *pe;
	LIST_HEAD(gone);

	if (!sr->sr_exp)
		return RCV_NEW;
	pe = ptlrpc_export(sr->sr_exp);
	if (is_once(sr)) {
		entry = libcfs_zalloc(sizeof(*entry), GFP_KERNEL);
		if (!entry)
			return RCV_NO_MEMORY;
	}
	spin_lock(&pe->pe_lock);
	pe->pe_used = true;
	__cache_trim(pe, sr, &gone);
	verdict = __cache_look(pe, sr, &again);
	if (verdict == RCV_NEW)
		swap(sr->sr_cached, entry);
	spin_unlock(&pe->pe_lock);
	entries_free(&gone);
	libcfs_free(entry, sizeof(*entry));
	if (verdict == RCV_ANSWERED)
		answer_again(sr, &again);
	return verdict;
}

/* Save the reply, in its reserved entry. */
static void __reply_keep(struct ptlrpc_export *pe, struct ptlrpc_svc_req *sr)
{
	struct reply_cache_entry *entry = sr->sr_cached;

	lockdep_assert_held(&pe->pe_lock);
	entry->rce_xid = sr->sr_msg.xid;
	entry->rce_tag = __tag_xid(pe, sr) ? sr->sr_msg.tag : 0;
	entry->rce_replay = is_replay(sr);
	entry->rce_status = sr->sr_status;
	entry->rce_reply = sr->sr_reply;
	if (entry->rce_reply)
		refcount_inc(&entry->rce_reply->srp_refcount);
	list_add_tail(&entry->rce_item, &pe->pe_replies);
	pe->pe_reply_count++;
	pe->pe_replay_count += entry->rce_replay;
	pe->pe_reply_bytes += entry_bytes(entry);
	sr->sr_cached = NULL;
}

/**
 * reply_cache_end() - a request is answered now, or dropped
 * @sr: request; its sr_reply_conn belongs to the caller from here on
 * @done: it was handled, and its reply is complete unless its allocation
 *  failed; if false, it is handled when it comes again
 *
 * Context: any task
 */
void reply_cache_end(struct ptlrpc_svc_req *sr, bool done)
{
	struct ptlrpc_export *pe;

	if (!sr->sr_exp)
		return;
	pe = ptlrpc_export(sr->sr_exp);
	spin_lock(&pe->pe_lock);
	if (!list_empty(&sr->sr_export_item)) {
		list_del_init(&sr->sr_export_item);
		pe->pe_request_count--;
		if (done && sr->sr_cached && !__is_outdated(pe, sr))
			__reply_keep(pe, sr);
	}
	spin_unlock(&pe->pe_lock);
	libcfs_free(sr->sr_cached, sizeof(*sr->sr_cached));
	sr->sr_cached = NULL;
}

/**
 * reply_cache_conn() - the connection for the reply of a request
 * @sr: request that the caller holds, its export too
 *
 * Context: any task
 * Return: connection, referenced
 */
struct lnet_conn *reply_cache_conn(struct ptlrpc_svc_req *sr)
{
	struct ptlrpc_export *pe = sr->sr_exp ? ptlrpc_export(sr->sr_exp) : NULL;
	struct lnet_conn *conn;

	if (!pe)
		return lnet_conn_get(sr->sr_reply_conn);
	spin_lock(&pe->pe_lock);
	conn = lnet_conn_get(sr->sr_reply_conn);
	spin_unlock(&pe->pe_lock);
	return conn;
}

/**
 * reply_cache_free() - free all replies of a disconnected client
 * @pe: part of an export without other references
 *
 * Context: any task
 */
void reply_cache_free(struct ptlrpc_export *pe)
{
	WARN_ON_ONCE(!list_empty(&pe->pe_requests));
	entries_free(&pe->pe_replies);
	INIT_LIST_HEAD(&pe->pe_replies);
	pe->pe_reply_count = 0;
	pe->pe_replay_count = 0;
	pe->pe_reply_bytes = 0;
}
