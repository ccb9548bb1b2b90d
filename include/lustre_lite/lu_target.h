/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Transactions of a target, and the list of its clients on disk.
 *
 * A target that keeps what its clients do calls tgt_init() in its o_setup and tgt_fini() in
 * its o_cleanup. An operation that changes something durable is a transaction:
 *
 *	rc = tgt_trans_start(obd);
 *	if (rc)
 *		return rc;
 *	... take the lock that orders it ...
 *	transno = tgt_trans_number(obd, 0);
 *	... change ...
 *	... release the lock ...
 *	return tgt_trans_stop(obd, transno, bytes, async);
 *
 * The commit waits for the transactions that run, notes the last number, lets the type take
 * a copy (lto_freeze), lets transactions go on, and has the type write (lto_commit). Then all
 * numbers up to that one are on disk: replies say so, and clients drop their requests.
 *
 * The high half of a number is the number of the target's start, which is on disk before the
 * first transaction. So numbers rise over restarts without being stored, and those that were
 * lost in a restart are not used again.
 *
 * A target without tgt_init() has no transactions: these functions do nothing, and numbers
 * are 0.
 */
#ifndef _LUSTRE_LITE_LU_TARGET_H
#define _LUSTRE_LITE_LU_TARGET_H

#include <linux/list.h>
#include <linux/types.h>

#include <lustre_lite/obd.h>
#include <uapi/lustre_lite/last_rcvd.h>

struct obd_why;
struct path;

/* So many uncommitted bytes are committed at once. */
#define LUT_COMMIT_BYTES	(64U << 20)

/**
 * struct lu_target_ops - how a type makes transactions durable
 * @lto_freeze: copy what lto_commit() is to write: the state after @transno, the last
 *	transaction; none runs. Or NULL
 * @lto_commit: write it, and all else that transactions up to @transno changed, so that it
 *	survives a power cut
 *
 * By the committer, which calls one at a time. Both may sleep; under memalloc_noio_save().
 * Return: 0; after a negative errno there are no more transactions.
 */
struct lu_target_ops {
	int (*lto_freeze)(struct obd_device *obd, u64 transno);
	int (*lto_commit)(struct obd_device *obd, u64 transno);
};

/**
 * struct tgt_conf - a target that starts
 * @tgc_ops: operations
 * @tgc_dir: its directory
 * @tgc_name: name of the list of clients in it
 * @tgc_incompat: OBD_INCOMPAT_OST or OBD_INCOMPAT_MDT
 * @tgc_committed: last transaction that is on disk
 * @tgc_interval: commit_interval at start, nanoseconds
 */
struct tgt_conf {
	const struct lu_target_ops	*tgc_ops;
	const struct path		*tgc_dir;
	const char			*tgc_name;
	u32				tgc_incompat;
	u64				tgc_committed;
	u64				tgc_interval;
};

/* tgc_interval of targets of files: clients have what is lost in a power cut, and replay it. */
#define TGT_COMMIT_INTERVAL	(5 * NSEC_PER_SEC)

/*
 * Before ptlrpc_target_start(): read the list, note the start on disk, start recovery with
 * the clients in the list, add parameters. Return: 0; -EUCLEAN if the list is damaged.
 */
int tgt_init(struct obd_device *obd, const struct tgt_conf *conf, struct obd_why *why);
/* No export is left. Commits, unless the cleanup simulates a failure. */
void tgt_fini(struct obd_device *obd);

/* Return: 0, and tgt_trans_stop() must follow; -EIO after a commit failed. */
int __must_check tgt_trans_start(struct obd_device *obd);
/* Number of the transaction; @replay: the one that it had, or 0. */
u64 tgt_trans_number(struct obd_device *obd, u64 replay);
/*
 * @transno: 0 if nothing was changed. @bytes: to write in a commit. @async: do not wait for
 * the disk; otherwise wait if commit_interval is 0. Return: 0; -EIO if that commit failed.
 */
int tgt_trans_stop(struct obd_device *obd, u64 transno, u64 bytes, bool async);

/**
 * struct tgt_commit_cb - a wait for a transaction
 * @tcc_item: in lut_callbacks
 * @tcc_transno: transaction
 * @tcc_fn: called once, without a lock, when it is on disk (@rc 0), or never will be
 */
struct tgt_commit_cb {
	struct list_head	tcc_item;
	u64			tcc_transno;
	void (*tcc_fn)(struct tgt_commit_cb *cb, int rc);
};

/* tcc_transno and tcc_fn are set. Calls it at once if the transaction is on disk. */
void tgt_commit_cb_add(struct obd_device *obd, struct tgt_commit_cb *cb);
/* Wait until a transaction, or all so far, are on disk. Return: 0 or -EIO. */
int tgt_commit(struct obd_device *obd, u64 transno);
int tgt_sync(struct obd_device *obd);
/* Last transaction on disk. Any context. */
u64 tgt_last_committed(const struct obd_device *obd);
/* Why there are no more transactions, or 0. Any context. */
int tgt_failed(const struct obd_device *obd);
/* A change failed with @rc, or not: -EROFS is logged once, until a commit succeeds. Any task. */
void tgt_change_refused(struct obd_device *obd, int rc);

/* Whether a client is in the list. */
bool tgt_client_known(struct obd_device *obd, const struct obd_uuid *client);

#endif /* _LUSTRE_LITE_LU_TARGET_H */
