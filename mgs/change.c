// SPDX-License-Identifier: GPL-2.0
/*
 * A change: made by the writer, on the disk; remembered for those that wait for it;
 * told to the nodes that follow the logs that it was in.
 *
 * Waiting ends when every connected node has applied it. Nodes that disconnect are
 * dropped; nodes that connect meanwhile and read an affected log are added.
 */
#define DEBUG_SUBSYSTEM S_MGS

#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/nid.h>

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

/*
 * The logs that a change was in. md_changed_lock is held.
 * Return: change, good while the lock is held; NULL for one that is not remembered
 */
static const struct mgs_changed *changed_find(struct mgs_device *md,
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

/* Forget all changes. Nobody uses the service any more. */
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

/*
 * Make a change, whole or not at all, and tell who follows it. When this returns 0 it
 * is on the disk. The writer makes it: its function runs there, not in the calling
 * task.
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

#define WAIT_MAX_MS		3600000

static int awaited_add(struct mgs_awaited *aw, const char *log, u64 generation)
{
	unsigned int room = max_t(unsigned int, 2 * aw->room, 16);
	struct mgs_awaited_log *logs;

	if (aw->count == aw->room) {
		logs = kvmalloc_array(room, sizeof(*logs), GFP_KERNEL);
		if (!logs)
			return -ENOMEM;
		if (aw->count)
			memcpy(logs, aw->logs, aw->count * sizeof(*logs));
		kvfree(aw->logs);
		aw->logs = logs;
		aw->room = room;
	}
	strscpy_pad(aw->logs[aw->count].name, log,
		    sizeof(aw->logs[0].name));
	aw->logs[aw->count++].generation = generation;
	return 0;
}

/* A log that was changed in that generation, or since. */
static int awaited_info(void *data, const struct mgs_log_info *info)
{
	struct mgs_awaited *aw = data;

	if (info->li_generation < aw->generation)
		return 0;
	return awaited_add(aw, info->li_name,
			   aw->generation ?: info->li_generation);
}

/*
 * The logs of a change that is remembered; of an older one those that it may have
 * been; of generation 0 all.
 */
static int __awaited_find(struct mgs_device *md, struct mgs_awaited *aw)
{
	const struct mgs_changed *changed;
	int rc = 0;
	u32 n;

	lockdep_assert_held(&md->md_changed_lock);
	if (aw->generation > mgs_store_generation(md->md_store))
		return -EINVAL;
	changed = changed_find(md, aw->generation);
	if (!changed)
		return mgs_store_each(md->md_store, NULL, awaited_info, aw);
	for (n = 0; n < changed->ch_count && !rc; n++)
		rc = awaited_add(aw, changed->ch_logs[n], aw->generation);
	return rc;
}

static const struct mgs_awaited_log *
awaited_log(const struct mgs_awaited *aw, const struct mgs_follow *mf)
{
	unsigned int n;

	if (mf->mf_ack.type != CONFIG_T_CONFIG &&
	    mf->mf_ack.type != CONFIG_T_PARAMS)
		return NULL;
	for (n = 0; n < aw->count; n++) {
		if (!strcmp(aw->logs[n].name, mf->mf_ack.name))
			return &aw->logs[n];
	}
	return NULL;
}

static void say(struct mgs_ioc_wait *wait, const struct mgs_node *node,
		const struct mgs_follow *mf, bool failed)
{
	char nid[LNET_NID_TEXT_MAX];

	mgs_nid_text(node->mn_exp, nid, sizeof(nid));
	if (failed)
		scnprintf(wait->mw_why, sizeof(wait->mw_why),
			  "%s, %s: %u records failed: %s", nid,
			  mf->mf_ack.name, mf->mf_ack.failed,
			  mf->mf_ack.why);
	else
		scnprintf(wait->mw_why, sizeof(wait->mw_why),
			  "%s, %s: has generation %llu%s%s", nid,
			  mf->mf_ack.name, mf->mf_ack.generation,
			  mf->mf_ack.why[0] ? ": " : "", mf->mf_ack.why);
}

/**
 * struct standing - how far a node is
 * @follows: it follows one of the logs
 * @behind: first one that it does not have yet, or NULL
 * @failed: first one that it has, and could not apply whole, or NULL
 */
struct standing {
	bool			follows;
	const struct mgs_follow	*behind;
	const struct mgs_follow	*failed;
};

static void node_standing(const struct mgs_awaited *aw,
			  const struct mgs_node *node, struct standing *st)
{
	const struct mgs_awaited_log *log;
	const struct mgs_follow *mf;

	list_for_each_entry(mf, &node->mn_follows, mf_item) {
		log = awaited_log(aw, mf);
		if (!log)
			continue;
		st->follows = true;
		if (mf->mf_ack.generation < log->generation)
			st->behind = st->behind ?: mf;
		else if (mf->mf_ack.failed || mf->mf_ack.status)
			st->failed = st->failed ?: mf;
	}
}

/* A node that has all, and could not apply something, is told of first. */
static void count_node(const struct mgs_awaited *aw,
		       const struct mgs_node *node, struct mgs_ioc_wait *wait)
{
	struct standing st = {};

	node_standing(aw, node, &st);
	wait->mw_nodes += st.follows;
	if (st.behind) {
		if (!wait->mw_behind++ && !wait->mw_failed)
			say(wait, node, st.behind, false);
	} else if (st.failed && !wait->mw_failed++) {
		say(wait, node, st.failed, true);
	}
}

static void count_nodes(struct mgs_device *md, const struct mgs_awaited *aw,
			struct mgs_ioc_wait *wait)
{
	const struct mgs_node *node;

	wait->mw_nodes = 0;
	wait->mw_behind = 0;
	wait->mw_failed = 0;
	memset(wait->mw_why, 0, sizeof(wait->mw_why));
	mutex_lock(&md->md_nodes_lock);
	list_for_each_entry(node, &md->md_nodes, mn_item)
		count_node(aw, node, wait);
	mutex_unlock(&md->md_nodes_lock);
}

/* A node said something or went */
void mgs_wait_wake(struct mgs_device *md)
{
	atomic_inc(&md->md_news);
	wake_up_all(&md->md_wait);
}

static bool has_news(struct mgs_device *md, int seen)
{
	return atomic_read(&md->md_news) != seen ||
	       READ_ONCE(md->md_stopping);
}

/*
 * Until a node says something or goes, or the service stops. @left: in, out: jiffies
 * that are left. Context: may sleep; the caller keeps @md.
 * Return: 0; -EINTR
 */
int mgs_wait_news(struct mgs_device *md, int seen, long *left, bool killable)
{
	long rc = killable ?
		wait_event_killable_timeout(md->md_wait, has_news(md, seen),
					    *left) :
		wait_event_interruptible_timeout(md->md_wait,
						 has_news(md, seen), *left);

	if (rc < 0)
		return -EINTR;
	*left = rc;
	return 0;
}

/*
 * Which logs are waited for. @wait: what the caller wants; out: why not. @aw: out, for
 * mgs_wait_end().
 * Return: 0; -EINVAL for a generation that there was not yet; -ENOMEM
 */
int mgs_wait_prepare(struct mgs_device *md, struct mgs_ioc_wait *wait,
		     struct mgs_awaited *aw)
{
	int rc;

	memset(aw, 0, sizeof(*aw));
	aw->generation = wait->mw_generation;
	if (wait->mw_timeout_ms > WAIT_MAX_MS || wait->mw_reserved)
		return -EINVAL;
	mgs_store_lock(md->md_store);
	mutex_lock(&md->md_changed_lock);
	rc = __awaited_find(md, aw);
	mutex_unlock(&md->md_changed_lock);
	mgs_store_unlock(md->md_store);
	if (rc == -EINVAL)
		scnprintf(wait->mw_why, sizeof(wait->mw_why),
			  "there is no generation %llu yet; the parameter generation of the service is the newest",
			  wait->mw_generation);
	return rc;
}

/* The opposite of mgs_wait_prepare(), also where that failed */
void mgs_wait_end(struct mgs_awaited *aw)
{
	kvfree(aw->logs);
}

/*
 * Wait until the connected nodes have that.
 * Return: 0; -ETIMEDOUT while some are behind; -EINTR; -ENODEV: the service stops
 */
int mgs_wait_nodes(struct mgs_device *md, const struct mgs_awaited *aw,
		   struct mgs_ioc_wait *wait)
{
	long left = msecs_to_jiffies(wait->mw_timeout_ms);
	int seen, rc;

	for (;;) {
		seen = atomic_read(&md->md_news);
		count_nodes(md, aw, wait);
		/* A service that stops has no nodes. */
		if (!obd_is_set_up(md->md_obd))
			return -ENODEV;
		if (!wait->mw_behind)
			return 0;
		if (!left)
			return -ETIMEDOUT;
		rc = mgs_wait_news(md, seen, &left, false);
		if (rc)
			return rc;
	}
}
