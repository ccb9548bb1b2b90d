// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connecting an import: its servers, their NIDs, the answer of the target; and by hand:
 * activate, deactivate, recover. One task at a time, under imp_connect_mutex. Nothing is
 * called up from here: events are queued, and delivered when the mutex has been released.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/sched/mm.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/ost_grant.h>

#include "import.h"

/**
 * struct ptlrpc_attempt - progress of one connect
 * @imp: import
 * @why: text about each server, may be NULL
 * @used: bytes of the text
 * @rc: of the node or target that was tried last, or -EHOSTUNREACH
 * @final: a target refused for good: no other one is tried
 * @broken: a target answered, and recovery failed then: the end of this connect
 */
struct ptlrpc_attempt {
	struct obd_import	*imp;
	struct obd_why		*why;
	size_t			used;
	int			rc;
	bool			final;
	bool			broken;
};

static __printf(2, 3)
void attempt_note(struct ptlrpc_attempt *at, const char *fmt, ...)
{
	va_list args;

	if (!at->why)
		return;
	va_start(args, fmt);
	at->used += vscnprintf(at->why->text + at->used,
			       sizeof(at->why->text) - at->used, fmt, args);
	va_end(args);
}

static bool granted_too_much(const struct obd_connect_data *asked,
			     const struct obd_connect_data *granted)
{
	return granted->ocd_connect_flags & ~asked->ocd_connect_flags ||
	       granted->ocd_connect_flags2 & ~asked->ocd_connect_flags2;
}

/* Note what was agreed on. */
static void connect_granted(struct obd_import *imp, const struct lnet_nid *nid,
			    const struct import_answer *answer, u64 before)
{
	const struct obd_connect_data *granted = &answer->ia_data;
	bool changed;

	assign_bit(IMPF_REPLAYABLE, &imp->imp_flags, answer->ia_replayable);
	spin_lock(&imp->imp_lock);
	changed = !before || memcmp(&imp->imp_connect_data, granted,
				    sizeof(*granted));
	imp->imp_connect_data = *granted;
	WRITE_ONCE(imp->imp_last_reply_time, ktime_get_seconds());
	spin_unlock(&imp->imp_lock);
	import_conn_end(imp, nid);
	if (changed)
		import_event_add(imp, IMP_EVENT_OCD);
}

/* The target does not know the client any more: its requests and locks are void. */
static int connect_evicted(struct obd_import *imp)
{
	int rc = import_set_state(imp, LUSTRE_IMP_EVICTED);

	CWARN("%s: was evicted by %s\n", imp->imp_obd->obd_name,
	      imp->imp_target_uuid.uuid);
	import_invalidate_locked(imp);
	return rc;
}

/* A target that restarted waits for the requests and locks that it lost. */
static int connect_replay(struct obd_import *imp)
{
	int rc = import_set_state(imp, LUSTRE_IMP_REPLAY);

	if (rc)
		return rc;
	return import_is_on_net(imp) ? ptlrpc_replay(imp) : loopback_replay(imp);
}

/* From the answer of a target that knew the client as @before (0: not) to FULL. */
static int connect_established(struct obd_import *imp,
			       const struct lnet_nid *nid,
			       const struct import_answer *answer, u64 before)
{
	int rc = 0;

	connect_granted(imp, nid, answer, before);
	if (before && answer->ia_replay)
		rc = connect_replay(imp);
	else if (before && before != imp->imp_remote_handle.cookie)
		rc = connect_evicted(imp);
	if (!rc && before)
		rc = import_set_state(imp, LUSTRE_IMP_RECOVER);
	if (rc)
		return rc;
	clear_bit(IMPF_INVALID, &imp->imp_flags);
	rc = import_set_state(imp, LUSTRE_IMP_FULL);
	import_event_add(imp, IMP_EVENT_ACTIVE);
	return rc;
}

/*
 * -EACCES of a target is final. The same from the network, such as from a node that does
 * not accept the source port or a route that is prohibited, is like any other failure: other
 * nodes are tried, and this one again later.
 */
static void connect_failed(struct ptlrpc_attempt *at, const struct import_answer *answer,
			   int rc)
{
	if (answer->ia_reason)
		attempt_note(at, " %s,", answer->ia_reason);
	attempt_note(at, " rc = %d", rc);
	at->final = answer->ia_refused && rc == -EACCES;
}

/* The target granted something that was not asked for: disconnect from it. */
static int connect_undo(struct ptlrpc_attempt *at, const struct obd_connect_data *granted,
			u64 before)
{
	struct obd_import *imp = at->imp;

	attempt_note(at, " grants 0x%llx 0x%llx, asked were 0x%llx 0x%llx",
		     granted->ocd_connect_flags, granted->ocd_connect_flags2,
		     imp->imp_connect_asked.ocd_connect_flags,
		     imp->imp_connect_asked.ocd_connect_flags2);
	import_link_disconnect(imp, false);
	import_link_set(imp, IMP_LINK_NONE, before);
	return -EPROTO;
}

/* Before requests that waited are sent. */
static void grant_connected(struct obd_import *imp, const struct import_answer *answer)
{
	const struct obd_connect_data *ocd = &answer->ia_data;
	bool gives = ocd->ocd_connect_flags & OBD_CONNECT_GRANT;

	if (imp->imp_grant)
		ost_grant_connected(imp->imp_grant, answer->ia_remote.cookie,
				    gives ? ocd->ocd_grant : 0);
}

static int connect_at(struct ptlrpc_attempt *at, const struct lnet_nid *nid,
		      enum imp_link link)
{
	struct obd_import *imp = at->imp;
	u64 before = imp->imp_remote_handle.cookie;
	struct import_answer answer = {
		.ia_data = imp->imp_connect_asked,
		.ia_remote.cookie = before,
	};
	int rc;

	if (imp->imp_grant)
		answer.ia_data.ocd_grant = ost_grant_held(imp->imp_grant);
	if (link == IMP_LINK_NET)
		rc = import_net_connect(imp, nid, &answer);
	else
		rc = loopback_connect(imp, nid, &answer);
	if (rc) {
		connect_failed(at, &answer, rc);
		return rc;
	}
	import_link_set(imp, link, answer.ia_remote.cookie);
	if (granted_too_much(&imp->imp_connect_asked, &answer.ia_data))
		return connect_undo(at, &answer.ia_data, before);
	grant_connected(imp, &answer);
	rc = connect_established(imp, nid, &answer, before);
	if (rc)
		attempt_note(at, " connected, but recovery failed, rc = %d", rc);
	at->broken = rc;
	return rc;
}

/* No other NID is tried: it worked, is refused for good, or is to end. */
static bool is_over(const struct ptlrpc_attempt *at)
{
	return !at->rc || at->final || at->broken ||
	       atomic_read(&at->imp->imp_cancel);
}

static enum imp_link link_to(const struct lnet_nid *nid)
{
	if (loopback_reaches(nid))
		return IMP_LINK_LOOPBACK;
	return nid->nid_type == LNET_TCP ? IMP_LINK_NET : IMP_LINK_NONE;
}

/* Return: whether that was the end of the connect. */
static bool connect_nid(struct ptlrpc_attempt *at, const struct lnet_nid *nid, bool first)
{
	enum imp_link link = link_to(nid);
	char text[LNET_NID_TEXT_MAX];

	if (libcfs_nid_print(nid, text, sizeof(text)) < 0)
		strscpy(text, "?", sizeof(text));
	attempt_note(at, "%s at %s:", first ? "" : ",", text);
	if (link == IMP_LINK_NONE) {
		attempt_note(at, " the network type is not supported");
		return false;
	}
	at->rc = connect_at(at, nid, link);
	return is_over(at);
}

static bool connect_server(struct ptlrpc_attempt *at, const struct obd_uuid *server)
{
	struct lnet_nid nids[OBD_UUID_NIDS_MAX];
	unsigned int count = import_server_nids(at->imp, server, nids), n;

	attempt_note(at, "; server %s", server->uuid);
	if (!count)
		attempt_note(at, " has no NID; add_uuid it first");
	for (n = 0; n < count; n++) {
		if (connect_nid(at, &nids[n], !n))
			return true;
	}
	return false;
}

/* Each server once. */
static int connect_servers(struct ptlrpc_attempt *at)
{
	unsigned int left = import_conn_count(at->imp);
	struct obd_uuid server;

	if (!left)
		attempt_note(at, "; it has no server, add_conn one first");
	while (left-- && import_conn_begin(at->imp, &server)) {
		if (connect_server(at, &server) && !at->rc)
			return 0;
		import_conn_end(at->imp, NULL);
		if (is_over(at))
			break;
	}
	return at->rc;
}

static int import_connect_refused(const struct obd_import *imp,
				  struct obd_why *why)
{
	const char *name = imp->imp_obd->obd_name;

	if (test_bit(IMPF_DEACTIVE, &imp->imp_flags))
		return obd_refuse(why, -ESHUTDOWN,
				  "%s: is deactivated; activate it first", name);
	if (import_state(imp) == LUSTRE_IMP_CLOSED)
		return obd_refuse(why, -ENOTCONN,
				  "%s: no device is connected to it; connect to it first",
				  name);
	return 0;
}

static void import_set_deactive(struct obd_import *imp, bool deactive)
{
	assign_bit(IMPF_DEACTIVE, &imp->imp_flags, deactive);
	assign_bit(OBDF_INACTIVE, &imp->imp_obd->obd_flags, deactive);
	import_changed(imp);
}

/* As if deactivated by hand. The target is not asked to forget the client. */
static void connect_refused_for_good(struct obd_import *imp, int rc)
{
	bool known = imp->imp_remote_handle.cookie;

	CWARN("%s: target %s refuses this client for good, deactivated: rc = %d\n",
	      imp->imp_obd->obd_name, imp->imp_target_uuid.uuid, rc);
	import_set_deactive(imp, true);
	import_event_add(imp, IMP_EVENT_DEACTIVATE);
	import_link_set(imp, IMP_LINK_NONE, 0);
	if (known)
		import_invalidate_locked(imp);
}

static int import_connect_locked(struct obd_import *imp, struct obd_why *why)
{
	struct ptlrpc_attempt at = { .imp = imp, .why = why, .rc = -EHOSTUNREACH };
	int rc = import_connect_refused(imp, why);
	unsigned int noio;

	lockdep_assert_held(&imp->imp_connect_mutex);
	if (rc || import_state(imp) == LUSTRE_IMP_FULL)
		return rc;
	rc = import_set_state(imp, LUSTRE_IMP_CONNECTING);
	if (rc)
		return rc;
	set_bit(IMPF_CONNECT_TRIED, &imp->imp_flags);
	spin_lock(&imp->imp_lock);
	imp->imp_conn_cnt++;
	spin_unlock(&imp->imp_lock);
	attempt_note(&at, "%s: cannot connect to %s", imp->imp_obd->obd_name,
		     imp->imp_target_uuid.uuid);
	noio = memalloc_noio_save();
	rc = connect_servers(&at);
	memalloc_noio_restore(noio);
	if (!rc) {
		if (why)
			why->text[0] = '\0';
		return 0;
	}
	import_link_drop(imp, false);
	import_set_state(imp, LUSTRE_IMP_DISCON);
	if (at.final)
		connect_refused_for_good(imp, rc);
	return rc;
}

/**
 * import_connect() - connect, unless it is
 * @imp: import; the caller holds it
 * @why: out, why not: the servers, their NIDs and the answer of each
 *
 * Its servers are tried one after the other, each once and at each of its NIDs.
 * One of several callers does it.
 *
 * Context: may sleep, for as long as the network takes; no lock that a receiver of
 * events takes may be held
 * Return: 0; -EHOSTUNREACH when no NID can be reached; -EPROTO when the target granted
 * something that was not asked for; -ESHUTDOWN when it is deactivated; -ENOTCONN when it
 * is closed; -EINTR; the status of the target. On an error it is in LUSTRE_IMP_DISCON
 */
int import_connect(struct obd_import *imp, struct obd_why *why)
{
	int rc = mutex_lock_killable(&imp->imp_connect_mutex);

	if (rc)
		return rc;
	rc = import_connect_locked(imp, why);
	mutex_unlock(&imp->imp_connect_mutex);
	import_events_deliver(imp);
	return rc;
}
EXPORT_FOR_KUNIT(import_connect);

/* The connection is wanted: ask for @asked from now on. */
static void import_ask(struct obd_import *imp,
		       const struct obd_connect_data *asked)
{
	lockdep_assert_held(&imp->imp_connect_mutex);
	imp->imp_connect_asked = *asked;
	if (import_state(imp) == LUSTRE_IMP_CLOSED)
		import_set_state(imp, LUSTRE_IMP_NEW);
}

/* A deactivated import is not connected before it is activated. */
int import_open(struct obd_import *imp, const struct obd_connect_data *asked,
		struct obd_why *why)
{
	int rc = mutex_lock_killable(&imp->imp_connect_mutex);

	if (rc)
		return rc;
	import_ask(imp, asked);
	if (!test_bit(IMPF_DEACTIVE, &imp->imp_flags))
		rc = import_connect_locked(imp, why);
	else if (import_state(imp) == LUSTRE_IMP_NEW)
		rc = import_set_state(imp, LUSTRE_IMP_DISCON);
	mutex_unlock(&imp->imp_connect_mutex);
	return rc;
}

/*
 * The same without waiting for the target: as if the connection had been lost. The
 * caller still has to see to import_connect().
 */
int import_open_later(struct obd_import *imp,
		      const struct obd_connect_data *asked)
{
	int rc = mutex_lock_killable(&imp->imp_connect_mutex);

	if (rc)
		return rc;
	import_ask(imp, asked);
	if (import_state(imp) == LUSTRE_IMP_NEW)
		rc = import_set_state(imp, LUSTRE_IMP_DISCON);
	mutex_unlock(&imp->imp_connect_mutex);
	return rc;
}

/**
 * import_adopt() - an import that the other end made: an export's reverse import
 * @imp: import that its maker holds, in LUSTRE_IMP_NEW or LUSTRE_IMP_DISCON
 *
 * It is LUSTRE_IMP_FULL from now on, with IMP_LINK_NONE: its requests go to the node of
 * import_set_node(), and this end does not connect it again.
 *
 * Context: may sleep
 */
void import_adopt(struct obd_import *imp)
{
	mutex_lock(&imp->imp_connect_mutex);
	if (import_state(imp) != LUSTRE_IMP_FULL) {
		spin_lock(&imp->imp_lock);
		imp->imp_adopted = true;
		spin_unlock(&imp->imp_lock);
		import_set_state(imp, LUSTRE_IMP_CONNECTING);
		import_set_state(imp, LUSTRE_IMP_FULL);
	}
	mutex_unlock(&imp->imp_connect_mutex);
}
EXPORT_FOR_KUNIT(import_adopt);

static void deactivate_locked(struct obd_import *imp)
{
	import_set_deactive(imp, true);
	import_event_add(imp, IMP_EVENT_DEACTIVATE);
	if (import_is_connected(imp))
		import_disconnect_locked(imp, true);
	import_invalidate_locked(imp);
}

static int activate_locked(struct obd_import *imp, struct obd_why *why)
{
	import_set_deactive(imp, false);
	import_event_add(imp, IMP_EVENT_ACTIVATE);
	if (import_state(imp) != LUSTRE_IMP_DISCON)
		return 0;
	return import_connect_locked(imp, why);
}

/**
 * import_set_active() - activate or deactivate by hand
 * @imp: import; the caller holds it
 * @active: whether it may be used
 * @why: out, why not
 *
 * A deactivated import disconnects and stays so. When it is activated and its device has
 * users, it connects.
 *
 * Context: as import_connect()
 * Return: 0, also when it was so before; an activated import that cannot connect
 * is active and returns what import_connect() does
 */
int import_set_active(struct obd_import *imp, bool active, struct obd_why *why)
{
	int rc = 0;

	if (active)
		rc = mutex_lock_killable(&imp->imp_connect_mutex);
	else
		import_interrupt(imp);
	if (rc)
		return rc;
	if (active == test_bit(IMPF_DEACTIVE, &imp->imp_flags)) {
		if (active)
			rc = activate_locked(imp, why);
		else
			deactivate_locked(imp);
	}
	mutex_unlock(&imp->imp_connect_mutex);
	import_events_deliver(imp);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(import_set_active, LUSTRE_LITE);

static int recover_locked(struct obd_import *imp, const struct obd_uuid *uuid,
			  struct obd_why *why)
{
	int rc = import_connect_refused(imp, why);

	if (rc)
		return rc;
	if (uuid && !import_conn_prefer(imp, uuid))
		return obd_refuse(why, -ENOENT,
				  "%s: '%s' is none of its servers; add_conn it first",
				  imp->imp_obd->obd_name, uuid->uuid);
	if (import_is_connected(imp))
		import_disconnect_locked(imp, false);
	rc = import_connect_locked(imp, why);
	if (!rc && uuid && !import_conn_is_current(imp, uuid))
		rc = obd_refuse(why, -EHOSTUNREACH,
				"%s: server %s does not answer, connected to another",
				imp->imp_obd->obd_name, uuid->uuid);
	return rc;
}

/**
 * import_recover() - connect again, in any state
 * @imp: import; the caller holds it
 * @uuid: server to go to, or NULL for the next one
 * @why: out, why not
 *
 * Context: as import_connect()
 * Return: 0; -ENOENT when @uuid is none of the servers; -EHOSTUNREACH when
 * another than @uuid answered; as import_connect()
 */
int import_recover(struct obd_import *imp, const struct obd_uuid *uuid,
		   struct obd_why *why)
{
	int rc;

	if (uuid && !uuid->uuid[0])
		uuid = NULL;
	import_interrupt(imp);
	rc = recover_locked(imp, uuid, why);
	mutex_unlock(&imp->imp_connect_mutex);
	import_events_deliver(imp);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(import_recover, LUSTRE_LITE);
