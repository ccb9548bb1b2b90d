// SPDX-License-Identifier: GPL-2.0-only
/*
 * The journal of a server: a file with the state that survives a restart.
 * journal_format.c has its format, journal_open.c opens and closes it.
 * Acknowledged commits are on disk; later changes are lost with the server, and
 * its clients replay them.
 *
 * A commit writes the whole state: journal_freeze() takes a copy under es_lock while no
 * transaction runs, journal_commit() writes and syncs it.
 */
#define DEBUG_SUBSYSTEM S_ECHO

#include <linux/err.h>
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
static void record_make(struct echo_journal *jn, u64 transno)
{
	struct echo_server *server = jn->ejn_server;
	struct jrn_head *head = &jn->ejn_head;
	struct echo_counts *counts;
	struct jrn_at to;

	lockdep_assert_held(&server->es_lock);
	*head = (struct jrn_head) {
		.seq = jn->ejn_seq + 1,
		.transno = transno,
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

	if (size > LL_ECHO_JRN_SLOT)
		return -EFBIG;
	kvfree(jn->ejn_buf);
	jn->ejn_buf = kvmalloc(len, GFP_KERNEL);
	jn->ejn_buf_len = jn->ejn_buf ? len : 0;
	return jn->ejn_buf ? 0 : -ENOMEM;
}

static int record_take(struct echo_journal *jn, u64 transno)
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
	record_make(jn, transno);
	mutex_unlock(&server->es_lock);
	return 0;
}

static int record_write(struct echo_journal *jn)
{
	const struct jrn_head *head = &jn->ejn_head;
	int rc = libcfs_pwrite(jn->ejn_file, journal_slot(head->seq), jn->ejn_buf, head->len);

	rc = rc ?: vfs_fsync(jn->ejn_file, 0);
	if (rc)
		CERROR("%s: cannot write its journal %pD: rc = %d\n",
		       jn->ejn_server->es_obd->obd_name, jn->ejn_file, rc);
	else
		jn->ejn_seq = head->seq;
	return rc;
}

/* Write the record of an empty journal. May sleep. */
int journal_write_first(struct echo_journal *jn)
{
	return record_take(jn, 0) ?: record_write(jn);
}

static int journal_freeze(struct obd_device *obd, u64 transno)
{
	return record_take(echo_server(obd)->es_journal, transno);
}

static int journal_commit(struct obd_device *obd, u64 transno)
{
	return record_write(echo_server(obd)->es_journal);
}

const struct lu_target_ops journal_ops = {
	.lto_freeze	= journal_freeze,
	.lto_commit	= journal_commit,
};
