// SPDX-License-Identifier: GPL-2.0
/*
 * What was counted for a client, and by which requests: so that one that comes
 * once more is known.
 */
#define DEBUG_SUBSYSTEM S_ECHO

#include <linux/err.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>

#include "echo_internal.h"

/* Requests of a client that are remembered; the oldest are forgotten beyond. */
#define TALLY_XIDS_MAX	131072U

/* What is kept of a request: in which life of the server it was executed. */
#define XID_LIFE_BEFORE	xa_mk_value(1)
#define XID_LIFE_NOW	xa_mk_value(2)

static struct echo_tally *tally_find(struct echo_server *server,
				     const struct obd_uuid *uuid)
{
	struct echo_tally *tally;

	lockdep_assert_held(&server->es_lock);
	list_for_each_entry(tally, &server->es_tallies, tl_item)
		if (!memcmp(&tally->tl_uuid, uuid, sizeof(*uuid)))
			return tally;
	return NULL;
}

/**
 * echo_tally_get() - the tally of a client, made if there is none
 * @server: server; the caller holds es_lock
 * @uuid: client
 *
 * Context: may sleep
 * Return: tally, used once more, or NULL for want of memory
 */
struct echo_tally *echo_tally_get(struct echo_server *server,
				  const struct obd_uuid *uuid)
{
	struct echo_tally *tally = tally_find(server, uuid);

	if (!tally) {
		tally = libcfs_zalloc(sizeof(*tally), GFP_KERNEL_ACCOUNT);
		if (!tally)
			return NULL;
		tally->tl_uuid = *uuid;
		xa_init(&tally->tl_xids);
		list_add_tail(&tally->tl_item, &server->es_tallies);
	}
	tally->tl_users++;
	return tally;
}

/**
 * echo_tally_put() - the opposite; with the last use it goes
 * @server: server; the caller holds es_lock
 * @tally: tally
 *
 * Context: may sleep
 */
void echo_tally_put(struct echo_server *server, struct echo_tally *tally)
{
	lockdep_assert_held(&server->es_lock);
	if (--tally->tl_users)
		return;
	list_del(&tally->tl_item);
	xa_destroy(&tally->tl_xids);
	libcfs_free(tally, sizeof(*tally));
}

/**
 * echo_tally_know() - the journal is to remember a client, or not any more
 * @server: server; the caller holds es_lock
 * @uuid: client
 * @known: which of them
 *
 * Context: may sleep
 * Return: 1 when that is a change; 0 when it is so already; -ENOMEM
 */
int echo_tally_know(struct echo_server *server, const struct obd_uuid *uuid,
		    bool known)
{
	struct echo_tally *tally = tally_find(server, uuid);

	if (known == (tally && tally->tl_known))
		return 0;
	if (known) {
		tally = echo_tally_get(server, uuid);
		if (!tally)
			return -ENOMEM;
		tally->tl_known = true;
		return 1;
	}
	tally->tl_known = false;
	echo_tally_put(server, tally);
	return 1;
}

static void xid_forget(struct echo_tally *tally, unsigned long xid)
{
	if (xa_erase(&tally->tl_xids, xid))
		tally->tl_xid_count--;
}

/* The client has the replies to all requests up to @last_xid. */
static void xids_trim(struct echo_tally *tally, u64 last_xid)
{
	unsigned long xid;
	void *life;

	xa_for_each_range(&tally->tl_xids, xid, life, 0, last_xid)
		xid_forget(tally, xid);
	if (tally->tl_xid_count < TALLY_XIDS_MAX)
		return;
	xid = 0;
	if (xa_find(&tally->tl_xids, &xid, ULONG_MAX, XA_PRESENT))
		xid_forget(tally, xid);
}

static int xid_store(struct echo_tally *tally, u64 xid, void *life)
{
	void *old = xa_store(&tally->tl_xids, xid, life, GFP_KERNEL_ACCOUNT);

	if (xa_is_err(old))
		return xa_err(old);
	if (!old)
		tally->tl_xid_count++;
	return 0;
}

/**
 * echo_tally_restore() - a request that was executed before the server restarted
 * @tally: tally; the caller holds es_lock
 * @xid: its number
 *
 * Context: may sleep
 * Return: 0 or -ENOMEM
 */
int echo_tally_restore(struct echo_tally *tally, u64 xid)
{
	return xid_store(tally, xid, XID_LIFE_BEFORE);
}

/* Whether what the request asks for was done and written down in an earlier life. */
static bool done_before(struct echo_server *server, struct echo_tally *tally,
			const struct echo_count *count)
{
	if (count->replay && count->transno <= server->es_restored)
		return true;
	return xa_load(&tally->tl_xids, count->xid) == XID_LIFE_BEFORE;
}

/* Remember the request; one that was executed in this life is executed twice. */
static int note_xid(struct echo_server *server, struct echo_tally *tally,
		    u64 xid)
{
	bool twice = xa_load(&tally->tl_xids, xid);
	int rc = xid_store(tally, xid, XID_LIFE_NOW);

	if (!rc && twice) {
		server->es_twice++;
		CERROR("%s: request %llu of %s is executed twice\n",
		       server->es_obd->obd_name, xid, tally->tl_uuid.uuid);
	}
	return rc;
}

static void add(struct echo_server *server, struct echo_tally *tally,
		struct echo_count *count)
{
	tally->tl_executed++;
	tally->tl_sum += count->number;
	server->es_executed++;
	server->es_sum += count->number;
	if (!server->es_journal) {
		count->transno = 0;
		return;
	}
	if (!count->replay || !count->transno)
		count->transno = server->es_transno + 1;
	server->es_transno = max(server->es_transno, count->transno);
	server->es_change++;
}

/**
 * echo_tally_add() - count
 * @server: server; the caller holds es_lock
 * @tally: of the client
 * @count: in: request; out: its transaction
 *
 * What was done before the server restarted is not done again.
 *
 * Context: may sleep
 * Return: 0 or -ENOMEM
 */
int echo_tally_add(struct echo_server *server, struct echo_tally *tally,
		   struct echo_count *count)
{
	int rc = 0;

	lockdep_assert_held(&server->es_lock);
	xids_trim(tally, count->last_xid);
	if (done_before(server, tally, count)) {
		server->es_rebuilt++;
		if (!count->replay)
			count->transno = 0;
		return 0;
	}
	if (count->xid)
		rc = note_xid(server, tally, count->xid);
	if (!rc)
		add(server, tally, count);
	return rc;
}
