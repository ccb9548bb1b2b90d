// SPDX-License-Identifier: GPL-2.0
/*
 * Until the nodes have a change. Who is not connected any more does not count, and
 * who connects meanwhile and reads one of its logs does.
 */
#define DEBUG_SUBSYSTEM S_MGS

#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/nid.h>

#include "mgs_internal.h"

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
	changed = mgs_changed_find(md, aw->generation);
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
	char nid[LL_NID_TEXT_MAX];

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

/**
 * mgs_wait_wake() - a node said something or went
 * @md: service
 *
 * Context: any
 */
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

/**
 * mgs_wait_news() - until a node says something or goes, or the service stops
 * @md: service
 * @seen: md_news, as it was before the caller looked
 * @left: in, out: jiffies that are left
 * @killable: only a signal that kills ends it
 *
 * Context: may sleep; the caller keeps @md
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

/**
 * mgs_wait_prepare() - which logs are waited for
 * @md: service, which is not cleaned up meanwhile
 * @wait: what the caller wants; out: why not
 * @aw: out, for mgs_wait_end()
 *
 * Context: may sleep
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

/**
 * mgs_wait_end() - the opposite of mgs_wait_prepare(), also where that failed
 * @aw: what was waited for
 *
 * Context: may sleep
 */
void mgs_wait_end(struct mgs_awaited *aw)
{
	kvfree(aw->logs);
}

/**
 * mgs_wait_nodes() - wait until the connected nodes have that
 * @md: service; the caller keeps its memory and its device, which may be cleaned up
 *	meanwhile
 * @aw: what is waited for
 * @wait: in, out
 *
 * Context: may sleep
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
