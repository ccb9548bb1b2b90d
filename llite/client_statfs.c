// SPDX-License-Identifier: GPL-2.0
/*
 * Room in a file system: blocks are those of the volume of data, files those of
 * the volume of metadata, but not more than there can be objects for.
 *
 * Parameters may not wait for the network: they tell what was seen last, and have
 * somebody look again.
 */
#define DEBUG_SUBSYSTEM S_LLITE

#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/sched/signal.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_ops.h>

#include "llite_internal.h"

#define ROOM_MAX_AGE_SEC	1
/* Time between two looks at targets that are waited for. */
#define ROOM_LOOK		(HZ / 10)

static struct llite_mount *room_mount(struct llite_room *room)
{
	return container_of(room, struct llite_mount, lm_client.lc_room);
}

static void down_count(struct obd_device *obd, void *arg)
{
	unsigned int *count = arg;

	*count += llite_import_down(obd);
}

/* Files: free inodes, of which only those count that get an object. */
static void files_add(struct obd_statfs *st, const struct obd_statfs *md)
{
	u64 used = md->os_files - md->os_ffree;
	u64 objects = st->os_ffree;

	st->os_ffree = st->os_bsize ? min(md->os_ffree, objects) : md->os_ffree;
	st->os_files = used + st->os_ffree;
	st->os_namelen = md->os_namelen;
}

/*
 * What is down is left out; with nothing left there is nothing to tell. A volume
 * that is down alone counts as one without room.
 */
static int room_look(struct llite_mount *lm, struct obd_statfs *st)
{
	struct llite_client *lc = &lm->lm_client;
	u64 max_age = READ_ONCE(lc->lc_room.lr_max_age);
	struct obd_statfs md = { };
	int rc, md_rc;

	memset(st, 0, sizeof(*st));
	rc = obd_statfs(lc->lc_dt, st, max_age);
	if (rc)
		memset(st, 0, sizeof(*st));
	md_rc = md_statfs(lc->lc_md, &md, max_age);
	if (!md_rc)
		files_add(st, &md);
	else
		st->os_files = st->os_ffree = 0;
	return rc && md_rc ? rc : 0;
}

static int room_update(struct llite_mount *lm, struct obd_statfs *st)
{
	struct llite_room *room = &lm->lm_client.lc_room;
	int rc = room_look(lm, st);

	spin_lock(&room->lr_lock);
	room->lr_st = *st;
	room->lr_rc = rc;
	room->lr_seen = ktime_get_ns();
	spin_unlock(&room->lr_lock);
	return rc;
}

static bool any_down(const struct llite_mount *lm)
{
	unsigned int down = 0;

	llite_imports_each(lm->lm_client.lc_instance, down_count, &down);
	return down;
}

/* Until no target is down, or that is not waited for any longer. */
static int wait_for_all(const struct llite_mount *lm, unsigned long end)
{
	while (any_down(lm)) {
		if (time_after_eq(jiffies, end))
			return -ENOTCONN;
		schedule_timeout_killable(ROOM_LOOK);
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return 0;
}

/* Nothing is left out. */
static int room_whole(struct llite_mount *lm, struct obd_statfs *st)
{
	unsigned long end = jiffies + llite_mgs_wait(LLITE_WAIT_MGS) * HZ;
	int rc;

	do {
		rc = wait_for_all(lm, end);
		if (rc)
			return rc;
		rc = room_update(lm, st);
	} while (any_down(lm));
	return rc;
}

/**
 * llite_client_statfs() - room in a file system, now
 * @lm: client mount
 * @st: out
 *
 * What is down is left out. With nolazystatfs it is waited for, as long as a mount
 * waits for the management service.
 *
 * Context: may sleep, as obd_targets_statfs(); can be killed
 * Return: 0; -ENOTCONN where no target can be reached, or with nolazystatfs one
 * cannot; -EINTR; as obd_statfs()
 */
int llite_client_statfs(struct llite_mount *lm, struct obd_statfs *st)
{
	if (lm->lm_options.op_given & LLITE_OPT_NOLAZYSTATFS)
		return room_whole(lm, st);
	return room_update(lm, st);
}

static void room_work(struct work_struct *work)
{
	struct llite_room *room = container_of(work, struct llite_room,
					       lr_work);
	struct obd_statfs st;

	room_update(room_mount(room), &st);
}

/**
 * llite_room_init() - nothing was seen yet
 * @room: room
 *
 * Context: any
 */
void llite_room_init(struct llite_room *room)
{
	spin_lock_init(&room->lr_lock);
	room->lr_max_age = ROOM_MAX_AGE_SEC * NSEC_PER_SEC;
	INIT_WORK(&room->lr_work, room_work);
}

/**
 * llite_room_seen() - room as it was seen last
 * @lm: client mount
 * @st: out, zero where nothing was seen yet
 *
 * Context: any
 */
void llite_room_seen(struct llite_mount *lm, struct obd_statfs *st)
{
	struct llite_room *room = &lm->lm_client.lc_room;
	bool old;

	spin_lock(&room->lr_lock);
	*st = room->lr_st;
	old = !room->lr_seen ||
	      ktime_get_ns() - room->lr_seen > READ_ONCE(room->lr_max_age);
	spin_unlock(&room->lr_lock);
	if (old)
		queue_work(system_unbound_wq, &room->lr_work);
}
