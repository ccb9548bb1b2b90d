// SPDX-License-Identifier: GPL-2.0-only
/*
 * The journal of a server: a file with the state that survives a restart.
 * journal_format.c has its format, journal_open.c opens and closes it.
 * Acknowledged commits are on disk; later changes are lost with the server, and
 * its clients replay them.
 *
 * A commit writes the whole state: it takes a copy under es_lock, and writes
 * and syncs it under ejn_commit. One of several waiting tasks does so for all.
 */
#define DEBUG_SUBSYSTEM S_ECHO

#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/file.h>

#include "journal.h"

#define JOURNAL_ROOM_MIN	4096

static size_t record_size(struct echo_server *server)
{
	size_t size = JRN_HEAD_SIZE;
	struct echo_counts *counts;

	lockdep_assert_held(&server->es_lock);
	list_for_each_entry(counts, &server->es_counts, cts_item)
		if (counts->cts_known)
			size += jrn_client_size(counts->cts_xid_count);
	return size;
}

static bool put_counts(struct jrn_at *to, struct echo_counts *counts)
{
	struct jrn_client client = {
		.executed = counts->cts_executed,
		.sum = counts->cts_sum,
		.xid_count = counts->cts_xid_count,
	};
	unsigned long xid;
	void *life;

	memcpy(client.uuid, counts->cts_uuid.uuid, sizeof(client.uuid));
	if (!jrn_put_client(to, &client))
		return false;
	xa_for_each(&counts->cts_xids, xid, life)
		if (!jrn_put_xid(to, xid))
			return false;
	return true;
}

/* A copy of the state for the disk. */
static void record_make(struct echo_journal *jn, struct jrn_head *head)
{
	struct echo_server *server = jn->ejn_server;
	struct echo_counts *counts;
	struct jrn_at to;

	lockdep_assert_held(&server->es_lock);
	*head = (struct jrn_head) {
		.seq = jn->ejn_seq + 1,
		.transno = server->es_transno,
		.executed = server->es_executed,
		.sum = server->es_sum,
	};
	jrn_begin(&to, jn->ejn_buf, jn->ejn_buf_len);
	list_for_each_entry(counts, &server->es_counts, cts_item) {
		if (!counts->cts_known)
			continue;
		if (WARN_ON_ONCE(!put_counts(&to, counts)))
			return;
		head->clients++;
	}
	jrn_seal(&to, head);
}

/* Buffer for a record of @size bytes, and for additions meanwhile. */
static int buf_grow(struct echo_journal *jn, size_t size)
{
	size_t len = max_t(size_t, size + size / 2, JOURNAL_ROOM_MIN);

	lockdep_assert_held(&jn->ejn_commit);
	if (size > LL_ECHO_JRN_SLOT)
		return -EFBIG;
	kvfree(jn->ejn_buf);
	jn->ejn_buf = kvmalloc(len, GFP_KERNEL);
	jn->ejn_buf_len = jn->ejn_buf ? len : 0;
	return jn->ejn_buf ? 0 : -ENOMEM;
}

static int record_take(struct echo_journal *jn, struct jrn_head *head,
		       u64 *change)
{
	struct echo_server *server = jn->ejn_server;
	size_t size;
	int rc;

	for (;;) {
		mutex_lock(&server->es_lock);
		size = record_size(server);
		if (size <= jn->ejn_buf_len)
			break;
		mutex_unlock(&server->es_lock);
		rc = buf_grow(jn, size);
		if (rc)
			return rc;
	}
	record_make(jn, head);
	*change = server->es_change;
	mutex_unlock(&server->es_lock);
	return 0;
}

static int record_write(struct echo_journal *jn, const struct jrn_head *head)
{
	int rc = libcfs_pwrite(jn->ejn_file, journal_slot(head->seq),
			       jn->ejn_buf, head->len);

	return rc ?: vfs_fsync(jn->ejn_file, 0);
}

static int commit_locked(struct echo_journal *jn)
{
	struct jrn_head head;
	u64 change;
	int rc;

	lockdep_assert_held(&jn->ejn_commit);
	rc = record_take(jn, &head, &change) ?: record_write(jn, &head);
	if (rc) {
		WRITE_ONCE(jn->ejn_failed, rc);
		CERROR("%s: cannot write its journal %pD: rc = %d\n",
		       jn->ejn_server->es_obd->obd_name, jn->ejn_file, rc);
		return rc;
	}
	jn->ejn_seq = head.seq;
	jn->ejn_change = change;
	WRITE_ONCE(jn->ejn_committed, head.transno);
	return 0;
}

int journal_write_first(struct echo_journal *jn)
{
	int rc;

	mutex_lock(&jn->ejn_commit);
	rc = commit_locked(jn);
	mutex_unlock(&jn->ejn_commit);
	return rc;
}

/**
 * echo_journal_commit() - make a change durable
 * @server: server
 * @change: es_change after it
 *
 * Context: sleeps for the disk; es_lock is not held
 * Return: 0, also without a journal; -EIO if it is no longer writable
 */
int echo_journal_commit(struct echo_server *server, u64 change)
{
	struct echo_journal *jn = server->es_journal;
	int rc = 0;

	if (!jn)
		return 0;
	mutex_lock(&jn->ejn_commit);
	if (jn->ejn_failed)
		rc = -EIO;
	else if (jn->ejn_change < change)
		rc = commit_locked(jn) ? -EIO : 0;
	mutex_unlock(&jn->ejn_commit);
	return rc;
}

/* Make all changes so far durable. Context and result as echo_journal_commit(). */
int echo_journal_sync(struct echo_server *server)
{
	u64 change;

	mutex_lock(&server->es_lock);
	change = server->es_change;
	mutex_unlock(&server->es_lock);
	return echo_journal_commit(server, change);
}

void journal_work(struct work_struct *work)
{
	struct echo_journal *jn = container_of(to_delayed_work(work),
					       struct echo_journal, ejn_work);

	echo_journal_sync(jn->ejn_server);
}

/**
 * echo_journal_note() - a count has changed
 * @server: server
 * @change: es_change after it
 * @wait: for its commit, if the interval is 0
 *
 * Context: sleeps for the disk if it waits
 * Return: as echo_journal_commit()
 */
int echo_journal_note(struct echo_server *server, u64 change, bool wait)
{
	struct echo_journal *jn = server->es_journal;
	u64 interval;

	if (!jn)
		return 0;
	interval = READ_ONCE(jn->ejn_interval);
	if (!interval && wait)
		return echo_journal_commit(server, change);
	queue_delayed_work(system_unbound_wq, &jn->ejn_work,
			   nsecs_to_jiffies(interval) ?: 1);
	return 0;
}

/**
 * echo_journal_committed() - the last transaction that survives a restart
 * @server: server
 *
 * Context: any
 * Return: transaction; 0 without a journal
 */
u64 echo_journal_committed(struct echo_server *server)
{
	return server->es_journal ? READ_ONCE(server->es_journal->ejn_committed) :
				    0;
}

/**
 * echo_journal_failed() - whether the journal could not be written
 * @server: server
 *
 * Context: any
 * Return: 0, or the negative errno
 */
int echo_journal_failed(struct echo_server *server)
{
	return server->es_journal ? READ_ONCE(server->es_journal->ejn_failed) : 0;
}

