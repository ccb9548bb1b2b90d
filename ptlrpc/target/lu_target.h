/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Definitions shared by trans.c and clients.c.
 */
#ifndef _PTLRPC_LU_TARGET_H
#define _PTLRPC_LU_TARGET_H

#include <linux/idr.h>
#include <linux/mutex.h>
#include <linux/rhashtable.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <lustre_lite/lu_target.h>

#include "last_rcvd.h"
#include "target.h"

struct file;

/**
 * struct lu_target - transactions and clients of a target: obd_lut
 * @lut_obd: its device, which owns this
 * @lut_ops: operations of the type
 * @lut_gate: held for reading by transactions; by the committer for a moment
 * @lut_lock: guards the members up to @lut_callbacks
 * @lut_last: last transaction
 * @lut_first: the first one of this start
 * @lut_committed: last one on disk; also read without the lock
 * @lut_uncommitted: transactions that are not on disk
 * @lut_bytes: bytes to write since the last commit started
 * @lut_failed: error of a commit, after which none follows: a negative errno; also read
 *	without the lock
 * @lut_refused: error of a change that the file system refused since the last commit, as it is
 *	read-only or has shut down; also read without the lock
 * @lut_callbacks: struct tgt_commit_cb
 * @lut_interval: nanoseconds from a transaction to its commit
 * @lut_commit: the committer
 * @lut_clients_lock: guards the members below; held over writes to the file, not over syncs
 * @lut_last_rcvd: the file's content
 * @lut_file: the file
 * @lut_clients: struct tgt_client, by uuid
 * @lut_client_list: the same, in a list
 * @lut_client_count: their number
 * @lut_slots: slots in use
 *
 * Created by tgt_init(), freed by tgt_fini().
 */
struct lu_target {
	struct obd_device		*lut_obd;
	const struct lu_target_ops	*lut_ops;
	struct rw_semaphore		lut_gate;
	spinlock_t			lut_lock;
	u64				lut_last;
	u64				lut_first;
	u64				lut_committed;
	u64				lut_uncommitted;
	u64				lut_bytes;
	int				lut_failed;
	int				lut_refused;
	struct list_head		lut_callbacks;
	u64				lut_interval;
	struct delayed_work		lut_commit;
	struct mutex			lut_clients_lock;
	struct last_rcvd		lut_last_rcvd;
	struct file			*lut_file;
	struct rhashtable		lut_clients;
	struct list_head		lut_client_list;
	unsigned int			lut_client_count;
	struct ida			lut_slots;
};

/*
 * clients.c. The list is read and this start noted in it; lut_committed is set. The other
 * one frees everything.
 */
int tgt_clients_open(struct lu_target *lut, const struct tgt_conf *conf,
		     struct obd_why *why);
void tgt_clients_close(struct lu_target *lut);
/* Start recovery with the clients in the list. */
int tgt_clients_recover(struct lu_target *lut);
/* Note lut_committed in the file. */
void tgt_clients_committed(struct lu_target *lut);

#endif /* _PTLRPC_LU_TARGET_H */
