/* SPDX-License-Identifier: GPL-2.0 */
/* Definitions of the journal of a server. */
#ifndef _ECHO_JOURNAL_H
#define _ECHO_JOURNAL_H

#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "echo_internal.h"
#include "journal_format.h"

/**
 * struct echo_journal - the journal of a server
 * @jn_server: server, which owns this
 * @jn_file: file, open as long as this exists
 * @jn_interval: nanoseconds from a change to its commit; 0: a change waits for
 *  its commit
 * @jn_commit: serializes commits, held over I/O; guards the members up to
 *  @jn_buf_len
 * @jn_seq: number of the last record
 * @jn_change: es_change on disk
 * @jn_buf: buffer for a record
 * @jn_buf_len: its bytes
 * @jn_committed: transaction on disk, set under @jn_commit
 * @jn_failed: error of a commit, after which none follows: a negative errno;
 *  likewise
 * @jn_work: commits after the interval
 */
struct echo_journal {
	struct echo_server	*jn_server;
	struct file		*jn_file;
	u64			jn_interval;
	struct mutex		jn_commit;
	u64			jn_seq;
	u64			jn_change;
	void			*jn_buf;
	size_t			jn_buf_len;
	u64			jn_committed;
	int			jn_failed;
	struct delayed_work	jn_work;
};

/* Offset of a record in the file. */
static inline loff_t journal_slot(u64 seq)
{
	return seq & 1 ? LL_ECHO_JRN_SLOT : 0;
}

static inline u64 journal_change_now(struct echo_server *server)
{
	u64 change;

	mutex_lock(&server->es_lock);
	change = server->es_change;
	mutex_unlock(&server->es_lock);
	return change;
}

/* journal.c: from jn_work; the first record of a new journal. */
void journal_work(struct work_struct *work);
int journal_write_first(struct echo_journal *jn);

/* journal_params.c */
int journal_params_add(struct echo_server *server);

#endif /* _ECHO_JOURNAL_H */
