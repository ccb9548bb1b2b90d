// SPDX-License-Identifier: GPL-2.0
/*
 * Total free space of the targets of a device.
 *
 * Unreachable targets are omitted. A target whose connection is just ending may
 * be back soon, as after a restart of its server: it is waited for briefly, and
 * asked again.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "targets_internal.h"

static u64 blocks_of(u64 blocks, u32 from, u32 to)
{
	return from == to ? blocks : mul_u64_u64_div_u64(blocks, from, to);
}

/* Add the space of one target; the first one sets the block size. */
static void statfs_add(struct obd_statfs *sum, const struct obd_statfs *one)
{
	u32 bsize = one->os_bsize ?: 1;

	if (!sum->os_bsize) {
		*sum = *one;
		sum->os_bsize = bsize;
		return;
	}
	sum->os_blocks += blocks_of(one->os_blocks, bsize, sum->os_bsize);
	sum->os_bfree += blocks_of(one->os_bfree, bsize, sum->os_bsize);
	sum->os_bavail += blocks_of(one->os_bavail, bsize, sum->os_bsize);
	sum->os_files += one->os_files;
	sum->os_ffree += one->os_ffree;
	sum->os_namelen = min(sum->os_namelen, one->os_namelen);
}

static bool client_away(struct obd_device *obd)
{
	bool away;

	if (!obd_op_enter(obd))
		return true;
	away = import_is_away(obd->obd_cli->cl_import);
	obd_op_leave(obd);
	return away;
}

/*
 * One target. @lost: set if the connection has failed; also for an error of the
 * target itself, as a retry is harmless.
 */
static int statfs_one(struct obd_export *exp, struct obd_statfs *one,
		      u64 max_age, bool *lost)
{
	int rc;

	if (client_away(exp->exp_obd))
		return -ENOTCONN;
	rc = obd_statfs(exp, one, max_age);
	if (rc == -ENOTCONN || rc == -EIO)
		*lost = true;
	return rc;
}

/* Return: 0 if at least one target answered, or the last error. */
static int statfs_sum(struct obd_targets *ts, struct obd_statfs *st,
		      u64 max_age, bool *lost)
{
	int failed = -ENOTCONN, rc;
	struct obd_statfs one;
	struct obd_export *exp;
	u32 index = 0;

	memset(st, 0, sizeof(*st));
	while ((exp = obd_targets_export(ts, &index))) {
		rc = statfs_one(exp, &one, max_age, lost);
		if (rc) {
			CDEBUG(D_INFO, "%s: statfs of %s: rc = %d\n",
			       ts->ts_obd->obd_name, exp->exp_obd->obd_name,
			       rc);
			failed = rc;
		} else {
			statfs_add(st, &one);
		}
		class_export_put(exp);
	}
	return st->os_bsize ? 0 : failed;
}

static u64 client_return_ns(struct obd_device *obd)
{
	u64 ns;

	if (!obd_op_enter(obd))
		return 0;
	ns = import_return_ns(obd->obd_cli->cl_import);
	obd_op_leave(obd);
	return ns;
}

/* Time until the last target that may be back soon; 0: there is none. */
static u64 targets_return_ns(struct obd_targets *ts)
{
	struct obd_target *tgt;
	unsigned long index;
	u64 ns = 0;

	spin_lock(&ts->ts_lock);
	xa_for_each(&ts->ts_table, index, tgt)
		if (tgt->tgt_exp)
			ns = max_t(u64, ns, client_return_ns(tgt->tgt_obd));
	spin_unlock(&ts->ts_lock);
	return ns;
}

/* A target that comes back, or is deleted, wakes this: target_look(). */
static int targets_wait(struct obd_targets *ts)
{
	u64 ns = targets_return_ns(ts);
	long left;

	if (!ns)
		return 0;
	left = wait_event_killable_timeout(ts->ts_wait, !targets_return_ns(ts),
					   nsecs_to_jiffies(ns) + 1);
	return left < 0 ? -EINTR : 0;
}

/**
 * obd_targets_statfs() - total free space of all active targets
 * @ts: table
 * @st: out
 * @max_age: age limit, nanoseconds
 *
 * Targets lost less than IMP_RETURN_SEC ago are waited for until then; also
 * those lost during the call, which are asked once more.
 *
 * Context: may sleep; an operation of the device
 * Return: 0 if at least one target answered; -ENOTCONN if none is active;
 *  -EINTR when killed; the last error
 */
int obd_targets_statfs(struct obd_targets *ts, struct obd_statfs *st,
		       u64 max_age)
{
	bool lost = false;
	int rc;

	rc = targets_wait(ts) ?: statfs_sum(ts, st, max_age, &lost);
	if (!lost)
		return rc;
	return targets_wait(ts) ?: statfs_sum(ts, st, max_age, &lost);
}
EXPORT_SYMBOL_NS_GPL(obd_targets_statfs, LUSTRE_LITE);
