// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts of a client, and the requests that made them: so that a repeated
 * request is recognized.
 */
#define DEBUG_SUBSYSTEM S_ECHO

#include <linux/err.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>

#include "echo_internal.h"

/* Most requests of a client to remember; older ones are dropped. */
#define COUNTS_XIDS_MAX	131072U

/* State of a request: the incarnation of the server that executed it. */
#define XID_LIFE_BEFORE	xa_mk_value(1)
#define XID_LIFE_NOW	xa_mk_value(2)

static struct echo_counts *counts_find(struct echo_server *server,
				       const struct obd_uuid *uuid)
{
	struct echo_counts *counts;

	lockdep_assert_held(&server->es_lock);
	list_for_each_entry(counts, &server->es_counts, cts_item)
		if (!memcmp(&counts->cts_uuid, uuid, sizeof(*uuid)))
			return counts;
	return NULL;
}

/**
 * echo_counts_get() - the counts of a client, created if needed
 * @server: server; the caller holds es_lock
 * @uuid: client
 *
 * Context: may sleep
 * Return: counts, used once more, or NULL on allocation failure
 */
struct echo_counts *echo_counts_get(struct echo_server *server,
				    const struct obd_uuid *uuid)
{
	struct echo_counts *counts = counts_find(server, uuid);

	if (!counts) {
		counts = libcfs_zalloc(sizeof(*counts), GFP_KERNEL_ACCOUNT);
		if (!counts)
			return NULL;
		counts->cts_uuid = *uuid;
		xa_init(&counts->cts_xids);
		list_add_tail(&counts->cts_item, &server->es_counts);
	}
	counts->cts_users++;
	return counts;
}

/**
 * echo_counts_put() - drop a use; the last one frees the counts
 * @server: server; the caller holds es_lock
 * @counts: counts
 *
 * Context: may sleep
 */
void echo_counts_put(struct echo_server *server, struct echo_counts *counts)
{
	lockdep_assert_held(&server->es_lock);
	if (--counts->cts_users)
		return;
	list_del(&counts->cts_item);
	xa_destroy(&counts->cts_xids);
	libcfs_free(counts, sizeof(*counts));
}

/**
 * echo_counts_know() - add a client to the journal, or remove it
 * @server: server; the caller holds es_lock
 * @uuid: client
 * @known: add
 *
 * Context: may sleep
 * Return: 1 after a change; 0 without one; -ENOMEM
 */
int echo_counts_know(struct echo_server *server, const struct obd_uuid *uuid,
		     bool known)
{
	struct echo_counts *counts = counts_find(server, uuid);

	if (known == (counts && counts->cts_known))
		return 0;
	if (known) {
		counts = echo_counts_get(server, uuid);
		if (!counts)
			return -ENOMEM;
		counts->cts_known = true;
		return 1;
	}
	counts->cts_known = false;
	echo_counts_put(server, counts);
	return 1;
}

static void xid_forget(struct echo_counts *counts, unsigned long xid)
{
	if (xa_erase(&counts->cts_xids, xid))
		counts->cts_xid_count--;
}

/* The client has the replies to all requests up to @last_xid. */
static void xids_trim(struct echo_counts *counts, u64 last_xid)
{
	unsigned long xid;
	void *life;

	xa_for_each_range(&counts->cts_xids, xid, life, 0, last_xid)
		xid_forget(counts, xid);
	if (counts->cts_xid_count < COUNTS_XIDS_MAX)
		return;
	xid = 0;
	if (xa_find(&counts->cts_xids, &xid, ULONG_MAX, XA_PRESENT))
		xid_forget(counts, xid);
}

static int xid_store(struct echo_counts *counts, u64 xid, void *life)
{
	void *old = xa_store(&counts->cts_xids, xid, life, GFP_KERNEL_ACCOUNT);

	if (xa_is_err(old))
		return xa_err(old);
	if (!old)
		counts->cts_xid_count++;
	return 0;
}

/**
 * echo_counts_restore() - add a request executed before the server restarted
 * @counts: counts; the caller holds es_lock
 * @xid: its number
 *
 * Context: may sleep
 * Return: 0 or -ENOMEM
 */
int echo_counts_restore(struct echo_counts *counts, u64 xid)
{
	return xid_store(counts, xid, XID_LIFE_BEFORE);
}

/**
 * echo_counts_done() - whether a request was executed before the server restarted
 * @server: server; the caller holds es_lock
 * @counts: of the client
 * @count: request
 *
 * Context: any
 * Return: true if it was, and that is on disk
 */
bool echo_counts_done(struct echo_server *server, struct echo_counts *counts,
		      const struct echo_count *count)
{
	if (count->replay && count->transno <= server->es_restored)
		return true;
	return xa_load(&counts->cts_xids, count->xid) == XID_LIFE_BEFORE;
}

/* Remember the request; one of this incarnation would be executed twice. */
static int note_xid(struct echo_server *server, struct echo_counts *counts,
		    u64 xid)
{
	bool twice = xa_load(&counts->cts_xids, xid);
	int rc = xid_store(counts, xid, XID_LIFE_NOW);

	if (!rc && twice) {
		server->es_twice++;
		CERROR("%s: request %llu of %s was executed twice\n",
		       server->es_obd->obd_name, xid, counts->cts_uuid.uuid);
	}
	return rc;
}

static void take_transno(struct echo_server *server, struct echo_count *count)
{
	count->transno = tgt_trans_number(server->es_obd, count->replay ? count->transno : 0);
	count->executed = true;
}

static void add(struct echo_server *server, struct echo_counts *counts,
		struct echo_count *count)
{
	counts->cts_executed++;
	counts->cts_sum += count->number;
	server->es_executed++;
	server->es_sum += count->number;
	take_transno(server, count);
}

/* A write whose reply was lost: its bytes are the same, its transaction is a new one. */
static bool is_rewritten(struct echo_counts *counts, const struct echo_count *count)
{
	return count->unstable && xa_load(&counts->cts_xids, count->xid) == XID_LIFE_NOW;
}

/**
 * echo_counts_add() - count
 * @server: server; the caller is in a transaction and holds es_lock
 * @counts: of the client
 * @count: in: request; out: its transaction
 *
 * A request executed before the server restarted is not counted again.
 *
 * Context: may sleep
 * Return: 0 or -ENOMEM
 */
int echo_counts_add(struct echo_server *server, struct echo_counts *counts,
		    struct echo_count *count)
{
	int rc = 0;

	lockdep_assert_held(&server->es_lock);
	xids_trim(counts, count->last_xid);
	if (echo_counts_done(server, counts, count)) {
		server->es_rebuilt++;
		if (count->renumber && !count->replay)
			take_transno(server, count);
		else if (!count->replay)
			count->transno = 0;
		return 0;
	}
	if (is_rewritten(counts, count)) {
		take_transno(server, count);
		return 0;
	}
	if (count->xid)
		rc = note_xid(server, counts, count->xid);
	if (!rc)
		add(server, counts, count);
	return rc;
}
