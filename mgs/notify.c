// SPDX-License-Identifier: GPL-2.0
/*
 * Who is told of a change, and when. Those who follow a log have a lock on its
 * subject; that they are to give it back tells them. The first are told at once,
 * the others in waves, so that they do not all come back in the same moment. A
 * change that comes while others are still to be told is told with that.
 */
#define DEBUG_SUBSYSTEM S_MGS

#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "mgs_internal.h"

/* A wave each 50 ms. */
#define WAVES_PER_SEC		20
#define JITTER_MAX_MS		10000

/* So many of a subject; what is left then, and whether anything is. */
static u32 tell(struct mgs_device *md, const char *name, u32 type, u32 count)
{
	struct mgs_subject *sj;
	struct ldlm_res_id res;
	u32 told, left = 0;

	if (config_res_id(name, type, &res))
		return 0;
	told = ldlm_server_revoke(md->md_obd, &res, LCK_CR, count);
	mutex_lock(&md->md_nodes_lock);
	sj = mgs_subject_find(md, name, type);
	if (sj) {
		/* Fewer than wanted: nobody is left who has such a lock. */
		left = told < count ? 0 : sj->sj_due - min(sj->sj_due, told);
		sj->sj_due = left;
	}
	mutex_unlock(&md->md_nodes_lock);
	CDEBUG(D_CONFIG, "%s: %u nodes were told of %s, type %u, %u are left\n",
	       md->md_obd->obd_name, told, name, type, left);
	return left;
}

static void wave_queue(struct mgs_device *md)
{
	if (!READ_ONCE(md->md_stopping))
		queue_delayed_work(system_unbound_wq, &md->md_wave,
				   HZ / WAVES_PER_SEC);
}

/*
 * Tell who follows a subject that it changed. Context: may sleep for memory; waits for
 * nobody.
 */
void mgs_notify(struct mgs_device *md, const char *name, u32 type)
{
	u32 first = READ_ONCE(md->md_notify_first);
	struct mgs_subject *sj;
	u32 due = 0;

	mutex_lock(&md->md_nodes_lock);
	sj = mgs_subject_find(md, name, type);
	if (sj) {
		due = sj->sj_follows;
		sj->sj_due = due;
	}
	mutex_unlock(&md->md_nodes_lock);
	if (due && (!first || tell(md, name, type, min(first, due))))
		wave_queue(md);
}

/* Whether an earlier one of the logs has the same subject. */
static bool was_told(const struct mgs_changed *changed, u32 n, u32 type,
		     const char *name)
{
	char other[LUSTRE_MAXFSNAME + 1];
	u32 m;

	for (m = 0; m < n; m++) {
		bool params = !strcmp(changed->ch_logs[m], MGS_PARAMS_LOG);

		if (params == (type == CONFIG_T_PARAMS) &&
		    !mgs_subject_name(changed->ch_logs[m], type, other,
				      sizeof(other)) &&
		    !strcmp(other, name))
			return true;
	}
	return false;
}

/* Tell who follows one of the logs of a change. Context: may sleep for memory. */
void mgs_notify_logs(struct mgs_device *md, const struct mgs_changed *changed)
{
	char name[LUSTRE_MAXFSNAME + 1];
	u32 n, type;

	mgs_nodes_want(md, changed);
	for (n = 0; n < changed->ch_count; n++) {
		type = strcmp(changed->ch_logs[n], MGS_PARAMS_LOG) ?
		       CONFIG_T_CONFIG : CONFIG_T_PARAMS;
		if (!mgs_subject_name(changed->ch_logs[n], type, name,
				      sizeof(name)) &&
		    !was_told(changed, n, type, name))
			mgs_notify(md, name, type);
	}
}

/* A subject with somebody who is still to be told. */
static bool next_due(struct mgs_device *md, char *name, size_t size, u32 *type,
		     u32 *due)
{
	struct mgs_subject *sj;
	bool found = false;
	int bucket;

	mutex_lock(&md->md_nodes_lock);
	hash_for_each(md->md_subjects, bucket, sj, sj_node) {
		if (!sj->sj_due)
			continue;
		strscpy(name, sj->sj_name, size);
		*type = sj->sj_type;
		*due = sj->sj_due;
		found = true;
		break;
	}
	mutex_unlock(&md->md_nodes_lock);
	return found;
}

/* A wave. Context: process. */
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

/* How long readers are to spread over. Return: milliseconds, 0 for few */
u32 mgs_notify_jitter(const struct mgs_device *md, u32 followers)
{
	u32 rate = READ_ONCE(md->md_notify_rate);

	if (followers <= READ_ONCE(md->md_notify_first))
		return 0;
	return min_t(u64, div_u64((u64)followers * MSEC_PER_SEC, rate),
		     JITTER_MAX_MS);
}
