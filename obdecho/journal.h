/* SPDX-License-Identifier: GPL-2.0-only */
/* Definitions of the journal of a server. */
#ifndef _ECHO_JOURNAL_H
#define _ECHO_JOURNAL_H

#include <linux/fs.h>

#include "echo_internal.h"
#include "journal_format.h"

/**
 * struct echo_journal - the journal of a server
 * @ejn_server: server, which owns this
 * @ejn_file: file, open as long as this exists
 * @ejn_seq: number of the last record
 * @ejn_buf: buffer for a record
 * @ejn_buf_len: its bytes
 * @ejn_head: head of the record in @ejn_buf
 *
 * The committer of the target changes @ejn_seq to @ejn_head.
 */
struct echo_journal {
	struct echo_server	*ejn_server;
	struct file		*ejn_file;
	u64			ejn_seq;
	void			*ejn_buf;
	size_t			ejn_buf_len;
	struct jrn_head		ejn_head;
};

/* Offset of a record in the file. */
static inline loff_t journal_slot(u64 seq)
{
	return seq & 1 ? LL_ECHO_JRN_SLOT : 0;
}

/* journal.c: the operations of commits, and the first record of a new journal. */
extern const struct lu_target_ops journal_ops;
int journal_write_first(struct echo_journal *jn);

#endif /* _ECHO_JOURNAL_H */
