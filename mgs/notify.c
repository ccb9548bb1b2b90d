// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notification of nodes, and waiting for them. Every subscriber holds a CR lock on the
 * log's resource; revoking it is the notification. The first subscribers are notified at
 * once, the others in waves, so that they do not all read at the same time. A change
 * that comes meanwhile is covered by the notifications that are still due.
 *
 * Waiting for a change ends when every connected node has applied it. Nodes that
 * disconnect are dropped; nodes that connect meanwhile and read an affected log are
 * added.
 */
#define DEBUG_SUBSYSTEM S_MGS

#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/nid.h>

#include "mgs_internal.h"

/* One wave per 50 ms. */
#define WAVES_PER_SEC		20
#define JITTER_MAX_MS		10000

/* Notify @count subscribers of a resource. Return: how many are left */
static u32 tell(struct mgs_device *md, const char *name, u32 type, u32 count)
{
	struct mgs_resource *rs;
	struct ldlm_res_id res;
	u32 told, left = 0;

	if (config_res_id(name, type, &res))
		return 0;
	told = ldlm_server_revoke(md->md_obd, &res, LCK_CR, count);
	mutex_lock(&md->md_nodes_lock);
	rs = mgs_resource_find(md, name, type);
	if (rs) {
		/* Fewer locks than subscribers: none is left to revoke. */
		left = told < count ? 0 : rs->res_due - min(rs->res_due, told);
		rs->res_due = left;
	}
	mutex_unlock(&md->md_nodes_lock);
	CDEBUG(D_CONFIG, "%s: notified %u nodes of %s, type %u, %u are left\n",
	       md->md_obd->obd_name, told, name, type, left);
	return left;
}

static void wave_queue(struct mgs_device *md)
{
	if (!READ_ONCE(md->md_stopping))
		queue_delayed_work(compat_unbound_wq, &md->md_wave,
				   HZ / WAVES_PER_SEC);
}

/* Notify the subscribers of a resource. Context: may sleep for memory; does not wait. */
void mgs_notify(struct mgs_device *md, const char *name, u32 type)
{
	u32 first = READ_ONCE(md->md_notify_first);
	struct mgs_resource *rs;
	u32 due = 0;

	mutex_lock(&md->md_nodes_lock);
	rs = mgs_resource_find(md, name, type);
	if (rs) {
		due = rs->res_subscribers;
		rs->res_due = due;
	}
	mutex_unlock(&md->md_nodes_lock);
	if (due && (!first || tell(md, name, type, min(first, due))))
		wave_queue(md);
}

/* Whether an earlier log of the change has the same resource */
static bool was_told(const struct mgs_changed *changed, u32 n, u32 type,
		     const char *name)
{
	char other[LUSTRE_MAXFSNAME + 1];
	u32 m;

	for (m = 0; m < n; m++) {
		bool params = !strcmp(changed->cd_logs[m], PARAMS_FILENAME);

		if (params == (type == CONFIG_T_PARAMS) &&
		    !mgs_resource_name(changed->cd_logs[m], type, other,
				      sizeof(other)) &&
		    !strcmp(other, name))
			return true;
	}
	return false;
}

/* Notify the subscribers of the logs of a change. Context: may sleep for memory. */
void mgs_notify_logs(struct mgs_device *md, const struct mgs_changed *changed)
{
	char name[LUSTRE_MAXFSNAME + 1];
	u32 n, type;

	mgs_nodes_want(md, changed);
	for (n = 0; n < changed->cd_count; n++) {
		type = strcmp(changed->cd_logs[n], PARAMS_FILENAME) ?
		       CONFIG_T_CONFIG : CONFIG_T_PARAMS;
		if (!mgs_resource_name(changed->cd_logs[n], type, name,
				      sizeof(name)) &&
		    !was_told(changed, n, type, name))
			mgs_notify(md, name, type);
	}
}

/* Find a resource with subscribers that are not notified yet. */
static bool next_due(struct mgs_device *md, char *name, size_t size, u32 *type,
		     u32 *due)
{
	struct mgs_resource *rs;
	bool found = false;
	int bucket;

	mutex_lock(&md->md_nodes_lock);
	hash_for_each(md->md_resources, bucket, rs, res_node) {
		if (!rs->res_due)
			continue;
		strscpy(name, rs->res_name, size);
		*type = rs->res_type;
		*due = rs->res_due;
		found = true;
		break;
	}
	mutex_unlock(&md->md_nodes_lock);
	return found;
}

/* Send a wave. Context: work. */
void mgs_notify_work(struct work_struct *work)
{
	struct mgs_device *md = container_of(to_delayed_work(work),
					     struct mgs_device, md_wave);
	u32 budget = DIV_ROUND_UP(READ_ONCE(md->md_notify_rate), WAVES_PER_SEC);
	char name[LUSTRE_MAXFSNAME + 1];
	u32 type, due, count;

	while (next_due(md, name, sizeof(name), &type, &due)) {
		if (!budget) {
			wave_queue(md);
			break;
		}
		count = min(budget, due);
		tell(md, name, type, count);
		budget -= count;
	}
}

/* Return: milliseconds over which subscribers spread their reads; 0 for a few */
u32 mgs_notify_jitter(const struct mgs_device *md, u32 subscribers)
{
	u32 rate = READ_ONCE(md->md_notify_rate);

	if (subscribers <= READ_ONCE(md->md_notify_first))
		return 0;
	return min_t(u64, div_u64((u64)subscribers * MSEC_PER_SEC, rate),
		     JITTER_MAX_MS);
}

#define WAIT_MAX_MS		3600000

/*
 * A remembered change. Context: md_changed_lock is held.
 * Return: change, valid while the lock is held; NULL
 */
static const struct mgs_changed *changed_find(struct mgs_device *md,
					      u64 generation)
{
	const struct mgs_changed *ch;

	lockdep_assert_held(&md->md_changed_lock);
	list_for_each_entry(ch, &md->md_changed, cd_item) {
		if (ch->cd_generation == generation)
			return ch;
	}
	return NULL;
}

static int awaited_add(struct mgs_awaited *aw, const char *log, u64 generation)
{
	unsigned int capacity = max_t(unsigned int, 2 * aw->capacity, 16);
	struct mgs_awaited_log *logs;

	if (aw->count == aw->capacity) {
		logs = kvmalloc_array(capacity, sizeof(*logs), GFP_KERNEL);
		if (!logs)
			return -ENOMEM;
		if (aw->count)
			memcpy(logs, aw->logs, aw->count * sizeof(*logs));
		kvfree(aw->logs);
		aw->logs = logs;
		aw->capacity = capacity;
	}
	strscpy_pad(aw->logs[aw->count].name, log,
		    sizeof(aw->logs[0].name));
	aw->logs[aw->count++].generation = generation;
	return 0;
}

/* Add a log that changed in that generation or later. */
static int awaited_info(void *data, const struct mgs_log_info *info)
{
	struct mgs_awaited *aw = data;

	if (info->li_generation < aw->generation)
		return 0;
	return awaited_add(aw, info->li_name,
			   aw->generation ?: info->li_generation);
}

/*
 * The logs of a remembered change; for an older change, all logs that it may have
 * modified; for generation 0, all logs.
 */
static int __awaited_find(struct mgs_device *md, const struct mgs_view *view,
			  struct mgs_awaited *aw)
{
	const struct mgs_changed *changed;
	int rc = 0;
	u32 n;

	lockdep_assert_held(&md->md_changed_lock);
	if (aw->generation > mgs_view_generation(view))
		return -EINVAL;
	changed = changed_find(md, aw->generation);
	if (!changed)
		return mgs_view_each(view, awaited_info, aw);
	for (n = 0; n < changed->cd_count && !rc; n++)
		rc = awaited_add(aw, changed->cd_logs[n], aw->generation);
	return rc;
}

static const struct mgs_awaited_log *
awaited_log(const struct mgs_awaited *aw, const struct mgs_subscription *su)
{
	unsigned int n;

	if (su->su_ack.type != CONFIG_T_CONFIG &&
	    su->su_ack.type != CONFIG_T_PARAMS)
		return NULL;
	for (n = 0; n < aw->count; n++) {
		if (!strcmp(aw->logs[n].name, su->su_ack.name))
			return &aw->logs[n];
	}
	return NULL;
}

static void say(struct mgs_ioc_wait *wait, const struct mgs_node *node,
		const struct mgs_subscription *su, bool failed)
{
	char nid[LNET_NID_TEXT_MAX];

	mgs_nid_text(node->mn_exp, nid, sizeof(nid));
	if (failed)
		scnprintf(wait->mw_why, sizeof(wait->mw_why),
			  "%s, %s: %u records failed: %s", nid,
			  su->su_ack.name, su->su_ack.failed,
			  su->su_ack.why);
	else
		scnprintf(wait->mw_why, sizeof(wait->mw_why),
			  "%s, %s: has generation %llu%s%s", nid,
			  su->su_ack.name, su->su_ack.generation,
			  su->su_ack.why[0] ? ": " : "", su->su_ack.why);
}

/**
 * struct mgs_standing - how far a node is
 * @follows: it follows one of the logs
 * @behind: first log whose change it has not applied yet, or NULL
 * @failed: first log of which it could not apply all records, or NULL
 */
struct mgs_standing {
	bool			follows;
	const struct mgs_subscription	*behind;
	const struct mgs_subscription	*failed;
};

static void node_standing(const struct mgs_awaited *aw,
			  const struct mgs_node *node, struct mgs_standing *st)
{
	const struct mgs_awaited_log *log;
	const struct mgs_subscription *su;

	list_for_each_entry(su, &node->mn_subscriptions, su_item) {
		log = awaited_log(aw, su);
		if (!log)
			continue;
		st->follows = true;
		if (su->su_ack.generation < log->generation)
			st->behind = st->behind ?: su;
		else if (su->su_ack.failed || su->su_ack.status)
			st->failed = st->failed ?: su;
	}
}

/* A failed node is reported in preference to one that is behind. */
static void count_node(const struct mgs_awaited *aw,
		       const struct mgs_node *node, struct mgs_ioc_wait *wait)
{
	struct mgs_standing st = {};

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

/* A node acknowledged or disconnected. */
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
 * Wait until a node acknowledges or disconnects, or the service stops. @left: in, out:
 * jiffies that are left. Context: may sleep; the caller holds @md.
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
 * Collect the logs to wait for. @wait: request; out: reason of an error. @aw: out, for
 * mgs_wait_end().
 * Return: 0; -EINVAL for a future generation; -ENOMEM
 */
int mgs_wait_prepare(struct mgs_device *md, struct mgs_ioc_wait *wait,
		     struct mgs_awaited *aw)
{
	struct mgs_view *view;
	int rc;

	memset(aw, 0, sizeof(*aw));
	aw->generation = wait->mw_generation;
	if (wait->mw_timeout_ms > WAIT_MAX_MS || wait->mw_reserved)
		return -EINVAL;
	view = mgs_store_view(md->md_store);
	mutex_lock(&md->md_changed_lock);
	rc = __awaited_find(md, view, aw);
	mutex_unlock(&md->md_changed_lock);
	mgs_view_put(view);
	if (rc == -EINVAL)
		scnprintf(wait->mw_why, sizeof(wait->mw_why),
			  "there is no generation %llu yet; the parameter generation of the service is the newest",
			  wait->mw_generation);
	return rc;
}

/* Call it also if mgs_wait_prepare() failed. */
void mgs_wait_end(struct mgs_awaited *aw)
{
	kvfree(aw->logs);
}

/*
 * Wait until the connected nodes have applied the change.
 * Return: 0; -ETIMEDOUT: some are behind; -EINTR; -ENODEV: the service stops
 */
int mgs_wait_nodes(struct mgs_device *md, const struct mgs_awaited *aw,
		   struct mgs_ioc_wait *wait)
{
	long left = msecs_to_jiffies(wait->mw_timeout_ms);
	int seen, rc;

	for (;;) {
		seen = atomic_read(&md->md_news);
		count_nodes(md, aw, wait);
		/* A stopping service has no nodes: do not report success. */
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
