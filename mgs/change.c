// SPDX-License-Identifier: GPL-2.0
/*
 * A change: begun, done, on the disk; remembered for who waits for it; told to who
 * follows the logs that it was in.
 */
#define DEBUG_SUBSYSTEM S_MGS

#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "mgs_internal.h"

static size_t changed_size(u32 room)
{
	return offsetof(struct mgs_changed, ch_logs) +
	       (size_t)room * MGS_LOGNAME_MAX;
}

static struct mgs_changed *changed_new(u32 room)
{
	struct mgs_changed *ch = libcfs_zalloc(changed_size(room),
					       GFP_KERNEL_ACCOUNT);

	if (!ch)
		return NULL;
	refcount_set(&ch->ch_refs, 1);
	INIT_LIST_HEAD(&ch->ch_item);
	ch->ch_room = room;
	return ch;
}

static void changed_put(struct mgs_changed *ch)
{
	if (refcount_dec_and_test(&ch->ch_refs))
		libcfs_free(ch, changed_size(ch->ch_room));
}

/* struct collect - the logs of a change are collected */
struct collect {
	struct mgs_txn		*txn;
	struct mgs_changed	*changed;
};

static bool changed_has(const struct mgs_changed *ch, const char *log)
{
	u32 n;

	for (n = 0; n < ch->ch_count; n++) {
		if (!strcmp(ch->ch_logs[n], log))
			return true;
	}
	return false;
}

static int collect_log(void *data, const struct mgs_log_info *info)
{
	struct collect *co = data;
	struct mgs_changed *ch = co->changed;

	if (!mgs_txn_touched(co->txn, info->li_name) ||
	    changed_has(ch, info->li_name))
		return 0;
	if (WARN_ON_ONCE(ch->ch_count == ch->ch_room))
		return -EOVERFLOW;
	strscpy(ch->ch_logs[ch->ch_count++], info->li_name, MGS_LOGNAME_MAX);
	return 0;
}

/* Those that there are before the change, and those that there are after it. */
static int changed_collect(struct mgs_device *md, struct mgs_txn *txn, u32 logs,
			   struct mgs_changed **changed)
{
	struct collect co = { .txn = txn, .changed = changed_new(logs) };
	int rc;

	if (!co.changed)
		return -ENOMEM;
	rc = mgs_store_each(md->md_store, NULL, collect_log, &co);
	rc = rc ?: mgs_store_each(md->md_store, txn, collect_log, &co);
	if (rc)
		changed_put(co.changed);
	else
		*changed = co.changed;
	return rc;
}

/* The list has it from here on, the oldest one goes. */
static void changed_keep(struct mgs_device *md, struct mgs_changed *ch)
{
	struct mgs_changed *oldest;

	mutex_lock(&md->md_changed_lock);
	refcount_inc(&ch->ch_refs);
	list_add(&ch->ch_item, &md->md_changed);
	if (++md->md_changed_count > MGS_CHANGES_KEPT) {
		oldest = list_last_entry(&md->md_changed, struct mgs_changed,
					 ch_item);
		list_del_init(&oldest->ch_item);
		md->md_changed_count--;
		changed_put(oldest);
	}
	mutex_unlock(&md->md_changed_lock);
}

/**
 * mgs_changed_find() - the logs that a change was in
 * @md: service, md_changed_lock held
 * @generation: of the configuration after it
 *
 * Context: any
 * Return: change, good while the lock is held; NULL for one that is not remembered
 */
const struct mgs_changed *mgs_changed_find(struct mgs_device *md,
					   u64 generation)
{
	const struct mgs_changed *ch;

	lockdep_assert_held(&md->md_changed_lock);
	list_for_each_entry(ch, &md->md_changed, ch_item) {
		if (ch->ch_generation == generation)
			return ch;
	}
	return NULL;
}

/**
 * mgs_changed_free() - forget all changes
 * @md: service that nobody uses any more
 *
 * Context: may sleep
 */
void mgs_changed_free(struct mgs_device *md)
{
	struct mgs_changed *ch, *next;

	list_for_each_entry_safe(ch, next, &md->md_changed, ch_item) {
		list_del_init(&ch->ch_item);
		changed_put(ch);
	}
	md->md_changed_count = 0;
}

static int commit_refused(struct mgs_device *md, struct mgs_change *change,
			  int rc)
{
	mgs_writer_refuse(&md->md_writer, rc, change->why.text,
			  sizeof(change->why.text));
	CERROR("a change by %s is refused: %s\n", change->who.who,
	       change->why.text);
	return rc;
}

/* @txn is gone afterwards. */
static int change_commit(struct mgs_device *md, struct mgs_txn *txn,
			 struct mgs_change *change, struct mgs_changed **changed)
{
	struct mgs_changed *ch;
	int rc;

	mgs_txn_count(txn, &change->logs, &change->records);
	if (change->dry_run) {
		mgs_txn_abort(txn);
		return 0;
	}
	rc = changed_collect(md, txn, change->logs, &ch);
	if (rc) {
		mgs_txn_abort(txn);
		return rc;
	}
	rc = mgs_txn_commit(txn, &change->generation);
	if (!rc && change->done)
		change->done(md, change);
	if (!rc && change->generation) {
		ch->ch_generation = change->generation;
		changed_keep(md, ch);
		*changed = ch;
		return 0;
	}
	changed_put(ch);
	return rc ? commit_refused(md, change, rc) : 0;
}

/**
 * struct making - a change that the writer makes
 * @md: service
 * @change: change
 * @changed: out, the logs that it was in; NULL where it was in none
 */
struct making {
	struct mgs_device	*md;
	struct mgs_change	*change;
	struct mgs_changed	*changed;
};

static int change_make(void *data)
{
	struct making *making = data;
	struct mgs_device *md = making->md;
	struct mgs_change *change = making->change;
	struct mgs_txn *txn;
	int rc;

	lockdep_assert_held(&md->md_writer.wr_lock);
	rc = mgs_txn_begin(md->md_store, &change->who, &txn);
	if (rc)
		return rc == -ENOMEM ? rc : commit_refused(md, change, rc);
	rc = change->fn(txn, change);
	if (rc) {
		mgs_txn_abort(txn);
		return rc;
	}
	return change_commit(md, txn, change, &making->changed);
}

/**
 * mgs_change_do() - make a change, whole or not at all, and tell who follows it
 * @md: service
 * @change: change
 *
 * When this returns 0 it is on the disk. The writer makes it: its function runs there,
 * not in the calling task.
 *
 * Context: may sleep
 * Return: 0; -EINTR: the caller was killed, and nothing was done; what its function
 * says; -EIO and the like when it could not be written
 */
int mgs_change_do(struct mgs_device *md, struct mgs_change *change)
{
	struct making making = { .md = md, .change = change };
	int rc;

	change->generation = 0;
	change->who.when = ktime_get_real_seconds();
	rc = mgs_writer_run(&md->md_writer, change_make, &making, true);
	if (!making.changed)
		return rc;
	CDEBUG(D_CONFIG, "%s: generation %llu by %s from %s: %u records in %u logs\n",
	       md->md_obd->obd_name, change->generation, change->who.who,
	       change->who.from, change->records, change->logs);
	mgs_notify_logs(md, making.changed);
	changed_put(making.changed);
	mgs_live_update(md);
	return rc;
}
