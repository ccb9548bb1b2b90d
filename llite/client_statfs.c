// SPDX-License-Identifier: GPL-2.0-only
/*
 * Free space of a file system: blocks of the data volume, and files of the
 * metadata volume, limited by the objects that can be created.
 *
 * Parameters must not wait for the network: they return cached values and queue
 * an update.
 */
#define DEBUG_SUBSYSTEM S_LLITE

#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/sched/signal.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_ops.h>

#include "llite_internal.h"

#define SPACE_MAX_AGE_SEC	1
/* Period of polling targets that are waited for. */
#define SPACE_POLL		(HZ / 10)

static struct llite_mount *space_mount(struct llite_space *space)
{
	return container_of(space, struct llite_mount, llm_client.llc_space);
}

static void down_count(struct obd_device *obd, void *arg)
{
	unsigned int *count = arg;

	*count += llite_import_down(obd);
}

/* Files: free inodes, limited by the free objects. */
static void files_add(struct obd_statfs *st, const struct obd_statfs *md)
{
	u64 used = md->os_files - md->os_ffree;
	u64 objects = st->os_ffree;

	st->os_ffree = st->os_bsize ? min(md->os_ffree, objects) : md->os_ffree;
	st->os_files = used + st->os_ffree;
	st->os_namelen = md->os_namelen;
}

/*
 * Unreachable targets are omitted; without any left it fails. A single
 * unreachable volume counts as having no space.
 */
static int space_read(struct llite_mount *lm, struct obd_statfs *st)
{
	struct llite_client *lc = &lm->llm_client;
	u64 max_age = READ_ONCE(lc->llc_space.lls_max_age);
	struct obd_statfs md = { };
	int rc, md_rc;

	memset(st, 0, sizeof(*st));
	rc = obd_statfs(lc->llc_dt, st, max_age);
	if (rc)
		memset(st, 0, sizeof(*st));
	md_rc = md_statfs(lc->llc_md, &md, max_age);
	if (!md_rc)
		files_add(st, &md);
	else
		st->os_files = st->os_ffree = 0;
	return rc && md_rc ? rc : 0;
}

static int space_update(struct llite_mount *lm, struct obd_statfs *st)
{
	struct llite_space *space = &lm->llm_client.llc_space;
	int rc = space_read(lm, st);

	spin_lock(&space->lls_lock);
	space->lls_st = *st;
	space->lls_rc = rc;
	space->lls_seen = ktime_get_ns();
	spin_unlock(&space->lls_lock);
	return rc;
}

static bool any_down(const struct llite_mount *lm)
{
	unsigned int down = 0;

	llite_imports_each(lm->llm_client.llc_instance, down_count, &down);
	return down;
}

/* Wait until all targets are up, or the time is over. */
static int wait_for_all(const struct llite_mount *lm, unsigned long end)
{
	while (any_down(lm)) {
		if (time_after_eq(jiffies, end))
			return -ENOTCONN;
		schedule_timeout_killable(SPACE_POLL);
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return 0;
}

/* Complete or failed. */
static int space_complete(struct llite_mount *lm, struct obd_statfs *st)
{
	unsigned long end = jiffies + llite_mgs_wait(LLITE_WAIT_MGS) * HZ;
	int rc;

	do {
		rc = wait_for_all(lm, end);
		if (rc)
			return rc;
		rc = space_update(lm, st);
	} while (any_down(lm));
	return rc;
}

/**
 * llite_client_statfs() - current free space of a file system
 * @lm: client mount
 * @st: out
 *
 * Unreachable targets are omitted. With nolazystatfs they are waited for, as
 * long as a mount waits for the management service.
 *
 * Context: may sleep, as obd_targets_statfs(); can be killed
 * Return: 0; -ENOTCONN if no target can be reached, or with nolazystatfs one
 *  cannot; -EINTR; as obd_statfs()
 */
int llite_client_statfs(struct llite_mount *lm, struct obd_statfs *st)
{
	if (lm->llm_options.op_given & LLITE_OPT_NOLAZYSTATFS)
		return space_complete(lm, st);
	return space_update(lm, st);
}

static void space_work(struct work_struct *work)
{
	struct llite_space *space = container_of(work, struct llite_space,
						 lls_work);
	struct obd_statfs st;

	space_update(space_mount(space), &st);
}

/* Initialize an empty cache. */
void llite_space_init(struct llite_space *space)
{
	spin_lock_init(&space->lls_lock);
	space->lls_max_age = SPACE_MAX_AGE_SEC * NSEC_PER_SEC;
	INIT_WORK(&space->lls_work, space_work);
}

/**
 * llite_space_cached() - cached free space
 * @lm: client mount
 * @st: out, zeros before the first update
 *
 * Context: any
 */
void llite_space_cached(struct llite_mount *lm, struct obd_statfs *st)
{
	struct llite_space *space = &lm->llm_client.llc_space;
	bool old;

	spin_lock(&space->lls_lock);
	*st = space->lls_st;
	old = !space->lls_seen ||
	      ktime_get_ns() - space->lls_seen > READ_ONCE(space->lls_max_age);
	spin_unlock(&space->lls_lock);
	if (old)
		queue_work(compat_unbound_wq, &space->lls_work);
}
