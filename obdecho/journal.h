/* SPDX-License-Identifier: GPL-2.0-only */
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
 * @ejn_server: server, which owns this
 * @ejn_file: file, open as long as this exists
 * @ejn_interval: nanoseconds from a change to its commit; 0: a change waits for
 *  its commit
 * @ejn_commit: serializes commits, held over I/O; guards the members up to
 *  @ejn_buf_len
 * @ejn_seq: number of the last record
 * @ejn_change: es_change on disk
 * @ejn_buf: buffer for a record
 * @ejn_buf_len: its bytes
 * @ejn_committed: transaction on disk, set under @ejn_commit
 * @ejn_failed: error of a commit, after which none follows: a negative errno;
 *  likewise
 * @ejn_work: commits after the interval
 */
struct echo_journal {
	struct echo_server	*ejn_server;
	struct file		*ejn_file;
	u64			ejn_interval;
	struct mutex		ejn_commit;
	u64			ejn_seq;
	u64			ejn_change;
	void			*ejn_buf;
	size_t			ejn_buf_len;
	u64			ejn_committed;
	int			ejn_failed;
	struct delayed_work	ejn_work;
};

/* Offset of a record in the file. */
static inline loff_t journal_slot(u64 seq)
{
	return seq & 1 ? LL_ECHO_JRN_SLOT : 0;
}

/* journal.c: from ejn_work; the first record of a new journal. */
void journal_work(struct work_struct *work);
int journal_write_first(struct echo_journal *jn);

/* journal_params.c */
int journal_params_add(struct echo_server *server);

#endif /* _ECHO_JOURNAL_H */
