// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transactions of a target, and its committer: one work item. A commit takes what has been
 * done so far, for all that wait for it; what comes during a commit waits for the next one.
 */
#define DEBUG_SUBSYSTEM S_FILTER

#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/sched/mm.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>

#include "lu_target.h"

/* Runs committers: they wait for disks, and recovery does not wait for them. */
static struct workqueue_struct *target_wq;

/* Bits of a transaction's number within a start of its target. */
#define LUT_EPOCH_BITS		32
#define COMMIT_INTERVAL_MAX	(60ULL * NSEC_PER_SEC)

/* The committer. */

/* Let no transaction run for a moment. Return: the last one, or 0 if all are on disk. */
static u64 commit_freeze(struct lu_target *lut, u64 *count, int *rc)
{
	u64 transno;

	down_write(&lut->lut_gate);
	spin_lock(&lut->lut_lock);
	*count = lut->lut_uncommitted;
	transno = *count ? lut->lut_last : 0;
	lut->lut_bytes = 0;
	spin_unlock(&lut->lut_lock);
	*rc = transno && lut->lut_ops->lto_freeze ?
	      lut->lut_ops->lto_freeze(lut->lut_obd, transno) : 0;
	up_write(&lut->lut_gate);
	return transno;
}

static void commit_end(struct lu_target *lut, u64 transno, u64 count, int rc)
{
	spin_lock(&lut->lut_lock);
	if (rc) {
		WRITE_ONCE(lut->lut_failed, rc);
	} else {
		WRITE_ONCE(lut->lut_committed, transno);
		lut->lut_uncommitted -= count;
		WRITE_ONCE(lut->lut_refused, 0);
	}
	spin_unlock(&lut->lut_lock);
	if (rc)
		CERROR("%s: cannot commit transaction 0x%llx, no more changes are accepted: rc = %d\n",
		       lut->lut_obd->obd_name, transno, rc);
	else
		tgt_clients_committed(lut);
}

/* Call those whose transaction is on disk, and after a failure all. */
static void callbacks_run(struct lu_target *lut)
{
	struct tgt_commit_cb *cb, *next;
	LIST_HEAD(done);
	int rc;

	spin_lock(&lut->lut_lock);
	rc = lut->lut_failed;
	list_for_each_entry_safe(cb, next, &lut->lut_callbacks, tcc_item)
		if (rc || cb->tcc_transno <= lut->lut_committed)
			list_move_tail(&cb->tcc_item, &done);
	spin_unlock(&lut->lut_lock);
	/* Each may be freed by its function. */
	list_for_each_entry_safe(cb, next, &done, tcc_item)
		cb->tcc_fn(cb, rc && cb->tcc_transno > lut->lut_committed ? -EIO : 0);
}

static void commit_run(struct work_struct *work)
{
	struct lu_target *lut = container_of(to_delayed_work(work), struct lu_target,
					     lut_commit);
	unsigned int noio = memalloc_noio_save();
	u64 transno, count;
	int rc;

	if (!READ_ONCE(lut->lut_failed)) {
		transno = commit_freeze(lut, &count, &rc);
		if (transno) {
			rc = rc ?: lut->lut_ops->lto_commit(lut->lut_obd, transno);
			commit_end(lut, transno, count, rc);
		}
	}
	callbacks_run(lut);
	memalloc_noio_restore(noio);
}

/* Waits. */

/**
 * tgt_commit_cb_add() - have a function called when a transaction is on disk
 * @obd: target
 * @cb: with the transaction and the function; it belongs to the target until it is called
 *
 * Does not start a commit. The target calls it before tgt_fini() returns.
 *
 * Context: any task; may call @cb, which may sleep
 */
void tgt_commit_cb_add(struct obd_device *obd, struct tgt_commit_cb *cb)
{
	struct lu_target *lut = obd->obd_lut;
	bool done;
	int rc;

	if (!lut) {
		cb->tcc_fn(cb, 0);
		return;
	}
	spin_lock(&lut->lut_lock);
	done = cb->tcc_transno <= lut->lut_committed;
	rc = done ? 0 : lut->lut_failed;
	if (!done && !rc)
		list_add_tail(&cb->tcc_item, &lut->lut_callbacks);
	spin_unlock(&lut->lut_lock);
	if (done || rc)
		cb->tcc_fn(cb, rc ? -EIO : 0);
}
EXPORT_SYMBOL_NS_GPL(tgt_commit_cb_add, LUSTRE_LITE);

/**
 * struct target_commit_wait - a task that waits for a transaction
 * @cb: callback
 * @done: completed by it
 * @rc: its result
 */
struct target_commit_wait {
	struct tgt_commit_cb	cb;
	struct completion	done;
	int			rc;
};

static void commit_wake(struct tgt_commit_cb *cb, int rc)
{
	struct target_commit_wait *wait = container_of(cb, struct target_commit_wait, cb);

	wait->rc = rc;
	complete(&wait->done);
}

/**
 * tgt_commit() - wait until a transaction is on disk
 * @obd: target
 * @transno: transaction
 *
 * All tasks that wait share one commit.
 *
 * Context: sleeps for the disk; no transaction of the caller runs, and no lock that one takes
 *	is held
 * Return: 0; -EIO if it was lost
 */
int tgt_commit(struct obd_device *obd, u64 transno)
{
	struct target_commit_wait wait = {
		.cb = { .tcc_transno = transno, .tcc_fn = commit_wake },
		.done = COMPLETION_INITIALIZER_ONSTACK(wait.done),
	};
	struct lu_target *lut = obd->obd_lut;

	if (!lut)
		return 0;
	tgt_commit_cb_add(obd, &wait.cb);
	if (!completion_done(&wait.done))
		mod_delayed_work(target_wq, &lut->lut_commit, 0);
	wait_for_completion(&wait.done);
	return wait.rc;
}
EXPORT_SYMBOL_NS_GPL(tgt_commit, LUSTRE_LITE);

static u64 last_transno(struct lu_target *lut)
{
	u64 transno;

	spin_lock(&lut->lut_lock);
	transno = lut->lut_last;
	spin_unlock(&lut->lut_lock);
	return transno;
}

/**
 * tgt_sync() - wait until all transactions so far are on disk
 * @obd: target
 *
 * Context: as tgt_commit()
 * Return: 0; -EIO if one was lost
 */
int tgt_sync(struct obd_device *obd)
{
	return obd->obd_lut ? tgt_commit(obd, last_transno(obd->obd_lut)) : 0;
}
EXPORT_SYMBOL_NS_GPL(tgt_sync, LUSTRE_LITE);

/**
 * tgt_last_committed() - the last transaction that survives a restart
 * @obd: target
 *
 * Context: any
 * Return: transaction; 0 for a target without transactions
 */
u64 tgt_last_committed(const struct obd_device *obd)
{
	return obd->obd_lut ? READ_ONCE(obd->obd_lut->lut_committed) : 0;
}
EXPORT_SYMBOL_NS_GPL(tgt_last_committed, LUSTRE_LITE);

/**
 * tgt_failed() - whether a commit failed
 * @obd: target
 *
 * Context: any
 * Return: 0 or the negative errno of the commit
 */
int tgt_failed(const struct obd_device *obd)
{
	return obd->obd_lut ? READ_ONCE(obd->obd_lut->lut_failed) : 0;
}
EXPORT_SYMBOL_NS_GPL(tgt_failed, LUSTRE_LITE);

/* Transactions. */

/**
 * tgt_trans_start() - start a transaction
 * @obd: target
 *
 * Context: may sleep, shortly; the task is in no other transaction. Nothing in a transaction
 *	waits for a client
 * Return: 0; -EIO after a commit failed
 */
int tgt_trans_start(struct obd_device *obd)
{
	struct lu_target *lut = obd->obd_lut;

	if (!lut)
		return 0;
	if (READ_ONCE(lut->lut_failed))
		return -EIO;
	down_read(&lut->lut_gate);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(tgt_trans_start, LUSTRE_LITE);

/**
 * tgt_trans_number() - give a transaction its number
 * @obd: target
 * @replay: of a replay: number that it had; or 0
 *
 * During recovery a transaction of the target itself has the number of the last one: a number of
 * its own would be above those of all replays to come, and as soon as it is on disk clients would
 * drop these. So tgt_commit() must not be called for it.
 *
 * Context: any task, in a transaction, under the lock that orders it among those that change
 *	the same
 * Return: number; 0 for a target without transactions
 */
u64 tgt_trans_number(struct obd_device *obd, u64 replay)
{
	struct lu_target *lut = obd->obd_lut;
	bool recovers = target_in_recovery(obd);
	u64 transno;

	if (!lut)
		return 0;
	lockdep_assert_held(&lut->lut_gate);
	spin_lock(&lut->lut_lock);
	if (replay)
		transno = replay;
	else if (recovers)
		transno = lut->lut_last ?: 1;
	else
		transno = max(lut->lut_last + 1, lut->lut_first);
	lut->lut_last = max(lut->lut_last, transno);
	lut->lut_uncommitted++;
	spin_unlock(&lut->lut_lock);
	return transno;
}
EXPORT_SYMBOL_NS_GPL(tgt_trans_number, LUSTRE_LITE);

/**
 * tgt_change_refused() - a change failed: say so if the file system is read-only or shut down
 * @obd: target
 * @rc: its error, or 0
 *
 * After an error of its disk a file system becomes read-only without any sign of it in its
 * flags, or shuts down: nothing can be read either, with -EIO (xfs; ext4 of Linux 6.12).
 *
 * Context: any task; reads a file
 */
void tgt_change_refused(struct obd_device *obd, int rc)
{
	struct lu_target *lut = obd->obd_lut;
	int said;

	if (!lut || (rc != -EROFS && (rc != -EIO || !tgt_read_error(obd))))
		return;
	spin_lock(&lut->lut_lock);
	said = lut->lut_refused;
	WRITE_ONCE(lut->lut_refused, rc);
	spin_unlock(&lut->lut_lock);
	if (!said)
		CERROR("%s: the file system of its directory %s; see the kernel log, repair it, and mount both again: rc = %d\n",
		       obd->obd_name,
		       rc == -EROFS ? "is read-only, changes fail" :
				      "has shut down after an error, reads and changes fail",
		       rc);
}
EXPORT_SYMBOL_NS_GPL(tgt_change_refused, LUSTRE_LITE);

/**
 * tgt_refused() - whether the file system has refused a change since the last commit
 * @obd: target
 *
 * Context: any
 * Return: 0; -EROFS: it is read-only; -EIO: it has shut down
 */
int tgt_refused(const struct obd_device *obd)
{
	return obd->obd_lut ? READ_ONCE(obd->obd_lut->lut_refused) : 0;
}

/* Return: whether there is enough for a commit now. */
static bool bytes_add(struct lu_target *lut, u64 bytes)
{
	bool enough;

	spin_lock(&lut->lut_lock);
	lut->lut_bytes += bytes;
	enough = lut->lut_bytes >= LUT_COMMIT_BYTES;
	spin_unlock(&lut->lut_lock);
	return enough;
}

/**
 * tgt_trans_stop() - end a transaction
 * @obd: target
 * @transno: its number; 0 if it changed nothing
 * @bytes: bytes that its commit writes
 * @async: do not wait for the disk
 *
 * Its commit comes after commit_interval, or at once with LUT_COMMIT_BYTES.
 *
 * Context: sleeps for the disk unless @async, if commit_interval is 0
 * Return: 0; -EIO if its commit failed
 */
int tgt_trans_stop(struct obd_device *obd, u64 transno, u64 bytes, bool async)
{
	struct lu_target *lut = obd->obd_lut;
	u64 interval;

	if (!lut)
		return 0;
	up_read(&lut->lut_gate);
	if (!transno)
		return 0;
	interval = READ_ONCE(lut->lut_interval);
	if (!interval && !async)
		return tgt_commit(obd, transno);
	if (bytes_add(lut, bytes))
		mod_delayed_work(target_wq, &lut->lut_commit, 0);
	else
		queue_delayed_work(target_wq, &lut->lut_commit,
				   nsecs_to_jiffies(interval) ?: 1);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(tgt_trans_stop, LUSTRE_LITE);

/* Parameters. */

static int interval_get(void *data, s64 *val)
{
	const struct lu_target *lut = data;

	*val = READ_ONCE(lut->lut_interval);
	return 0;
}

/* Pending transactions do not wait for the old interval. */
static int interval_set(void *data, s64 val)
{
	struct lu_target *lut = data;

	WRITE_ONCE(lut->lut_interval, val);
	return tgt_sync(lut->lut_obd);
}

static int committed_get(void *data, u64 *val)
{
	const struct lu_target *lut = data;

	*val = READ_ONCE(lut->lut_committed);
	return 0;
}

static int transno_get(void *data, u64 *val)
{
	*val = last_transno(data);
	return 0;
}

static int uncommitted_get(void *data, u64 *val)
{
	struct lu_target *lut = data;

	spin_lock(&lut->lut_lock);
	*val = lut->lut_uncommitted;
	spin_unlock(&lut->lut_lock);
	return 0;
}

static const struct lustre_params_attr trans_attrs[] = {
	LP_TIME_RW("commit_interval", interval_get, interval_set,
		   .unit = PARAMS_UNIT_MSEC, .max = COMMIT_INTERVAL_MAX,
		   .doc = "time from a transaction to its commit; 0: each transaction waits for its commit, except unstable writes, which are committed at once"),
	LP_U64_RO("committed", committed_get,
		  .doc = "last transaction on disk; the high half of the number is that of the target's start"),
	LP_U64_RO("transno", transno_get, .doc = "last transaction"),
	LP_U64_RO("uncommitted", uncommitted_get,
		  .doc = "number of transactions that are not on disk"),
};

/* Start and end. */

int tgt_trans_init(void)
{
	target_wq = alloc_workqueue("ll_target", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return target_wq ? 0 : -ENOMEM;
}

/* No target is left. */
void tgt_trans_exit(void)
{
	destroy_workqueue(target_wq);
}

static struct lu_target *lut_alloc(struct obd_device *obd, const struct tgt_conf *conf)
{
	struct lu_target *lut = libcfs_zalloc(sizeof(*lut), GFP_KERNEL_ACCOUNT);

	if (!lut)
		return NULL;
	lut->lut_obd = obd;
	lut->lut_ops = conf->tgc_ops;
	lut->lut_committed = conf->tgc_committed;
	lut->lut_last = conf->tgc_committed;
	lut->lut_interval = conf->tgc_interval;
	init_rwsem(&lut->lut_gate);
	spin_lock_init(&lut->lut_lock);
	INIT_LIST_HEAD(&lut->lut_callbacks);
	INIT_DELAYED_WORK(&lut->lut_commit, commit_run);
	return lut;
}

static void lut_free(struct lu_target *lut)
{
	libcfs_free(lut, sizeof(*lut));
}

/**
 * tgt_init() - start transactions of a target
 * @obd: device, in its o_setup, before ptlrpc_target_start()
 * @conf: what it is
 * @why: out: reason of a failure
 *
 * Context: sleeps for the disk
 * Return: 0; -EUCLEAN if its list of clients is damaged; errors of opening, reading and
 *	writing it
 */
int tgt_init(struct obd_device *obd, const struct tgt_conf *conf, struct obd_why *why)
{
	struct lu_target *lut = lut_alloc(obd, conf);
	int rc;

	if (!lut)
		return -ENOMEM;
	rc = tgt_clients_open(lut, conf, why);
	if (rc) {
		lut_free(lut);
		return rc;
	}
	lut->lut_first = ((u64)lut->lut_last_rcvd.lrd_server.start_epoch << LUT_EPOCH_BITS) + 1;
	obd->obd_lut = lut;
	rc = params_add_attrs(obd->obd_params, trans_attrs, ARRAY_SIZE(trans_attrs), lut) ?:
	     tgt_clients_recover(lut);
	if (rc)
		tgt_fini(obd);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tgt_init, LUSTRE_LITE);

/**
 * tgt_fini() - end transactions of a target
 * @obd: device without exports; may be one without transactions
 *
 * After a cleanup that simulates a failure of the machine nothing more is written.
 *
 * Context: sleeps for the disk
 */
void tgt_fini(struct obd_device *obd)
{
	struct lu_target *lut = obd->obd_lut;

	target_recovery_free(obd);
	if (!lut)
		return;
	if (!test_bit(OBDF_FAIL, &obd->obd_flags))
		tgt_sync(obd);
	cancel_delayed_work_sync(&lut->lut_commit);
	spin_lock(&lut->lut_lock);
	lut->lut_failed = lut->lut_failed ?: -ESHUTDOWN;
	spin_unlock(&lut->lut_lock);
	callbacks_run(lut);
	obd->obd_lut = NULL;
	tgt_clients_close(lut);
	lut_free(lut);
}
EXPORT_SYMBOL_NS_GPL(tgt_fini, LUSTRE_LITE);
