// SPDX-License-Identifier: GPL-2.0-only
/*
 * The trial of a setting before it is stored: whether a parameter of this node or of a
 * connected node accepts it. Nodes read the trial like a log, and acknowledge how many of
 * their parameters accept the value, or why one refuses it.
 *
 * A node cannot block a trial: no answer within trial_wait counts as "no such parameter".
 *
 * A setting of set_param that no node has a parameter for is refused. One of conf_param
 * may be for devices that appear later: it is refused if a node has such a device, and the
 * device has no such parameter.
 */
#define DEBUG_SUBSYSTEM S_MGS

#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lustre_cfg.h>
#include <lustre_lite/nid.h>
#include <lustre_lite/obd_config.h>

#include "mgs_internal.h"

/* struct mgs_pattern - a pattern that a trial accepted */
struct mgs_pattern {
	struct list_head	pat_item;
	size_t			pat_size;
	char			pat_text[];
};

/* Move it to the front: the most recently used one. */
static bool pattern_known(struct mgs_device *md, const char *text)
{
	struct mgs_pattern *pt;

	lockdep_assert_held(&md->md_trial_lock);
	list_for_each_entry(pt, &md->md_patterns, pat_item) {
		if (!strcmp(pt->pat_text, text)) {
			list_move(&pt->pat_item, &md->md_patterns);
			return true;
		}
	}
	return false;
}

static void pattern_free(struct mgs_device *md, struct mgs_pattern *pt)
{
	list_del(&pt->pat_item);
	md->md_pattern_count--;
	libcfs_free(pt, pt->pat_size);
}

/* On allocation failure the pattern is tried again next time. */
static void pattern_keep(struct mgs_device *md, const char *text)
{
	size_t size = sizeof(struct mgs_pattern) + strlen(text) + 1;
	struct mgs_pattern *pt;

	if (pattern_known(md, text))
		return;
	pt = libcfs_zalloc(size, GFP_KERNEL_ACCOUNT);
	if (!pt)
		return;
	pt->pat_size = size;
	memcpy(pt->pat_text, text, strlen(text) + 1);
	list_add(&pt->pat_item, &md->md_patterns);
	if (++md->md_pattern_count > MGS_PATTERNS_KEPT)
		pattern_free(md, list_last_entry(&md->md_patterns,
						 struct mgs_pattern, pat_item));
}

/* Free all patterns, at the end of the service. */
void mgs_trial_free(struct mgs_device *md)
{
	struct mgs_pattern *pt, *next;

	list_for_each_entry_safe(pt, next, &md->md_patterns, pat_item)
		pattern_free(md, pt);
}

/**
 * struct mgs_try - a setting that is being tried
 * @md: service
 * @command: LCFG_SET_PARAM, or LCFG_PARAM for a conf_param
 * @pattern: pattern
 * @value: value
 * @why: out
 * @here: parameters of this node that accept it
 * @nodes: nodes that were asked
 * @silent: nodes that did not answer
 * @result: answers of the others
 */
struct mgs_try {
	struct mgs_device	*md;
	u32			command;
	const char		*pattern;
	const char		*value;
	struct obd_why		*why;
	u32			here;
	u32			nodes;
	u32			silent;
	struct mgs_trial	result;
};

static int miss_here(struct mgs_try *try)
{
	scnprintf(try->why->text, sizeof(try->why->text),
		  "a matching device of this node has no parameter '%.96s'; use --force to store the setting anyway",
		  try->pattern);
	return -ENOENT;
}

static int try_here(struct mgs_try *try)
{
	struct params_rule_spec spec = {
		.pattern = try->pattern,
		.value = try->value,
	};
	char words[OBD_WHY_MAX / 2] = "";
	int rc = params_set_matching_where(&spec, PARAMS_W_DRY_RUN, words,
					   sizeof(words));

	if (rc > 0)
		try->here = rc;
	if (rc == -ENOENT && try->command == LCFG_PARAM &&
	    class_param_missing(&spec))
		return miss_here(try);
	if (rc >= 0 || rc == -ENOENT)
		return 0;
	scnprintf(try->why->text, sizeof(try->why->text),
		  "%.64s=%.32s is refused here: %s", try->pattern, try->value,
		  words[0] ? words : "not a value that it takes");
	return rc;
}

/* The command for the nodes. Return: its bytes, from kvmalloc(), or an ERR_PTR */
static void *try_encode(struct mgs_try *try, u32 *len)
{
	char owner[LUSTRE_MAXFSNAME + 1] = "";
	struct mgs_view *logs;
	struct lcfg_view view;
	void *bytes = NULL;
	char *text;
	size_t size;
	int rc;

	logs = mgs_store_view(try->md->md_store);
	rc = mgs_pattern_fsname(logs, try->pattern, owner, sizeof(owner));
	mgs_view_put(logs);
	if (rc)
		return ERR_PTR(rc);
	text = kasprintf(GFP_KERNEL, "%s=%s", try->pattern, try->value);
	if (!text)
		return ERR_PTR(-ENOMEM);
	lcfg_init(&view, try->command, owner[0] ? owner : "general");
	rc = lcfg_add_string(&view, text);
	size = lustre_cfg_size(&view);
	if (!rc)
		bytes = kvzalloc(size, GFP_KERNEL);
	if (bytes)
		lustre_cfg_encode(&view, bytes, size);
	kfree(text);
	*len = size;
	return bytes ?: ERR_PTR(rc ?: -ENOMEM);
}

/* Count nodes that take part in trials, and those that did not answer this one. */
static u32 count_nodes(struct mgs_device *md, u32 *silent)
{
	const struct mgs_node *node;
	const struct mgs_subscription *su;
	u32 count = 0;

	lockdep_assert_held(&md->md_nodes_lock);
	*silent = 0;
	list_for_each_entry(node, &md->md_nodes, mn_item) {
		list_for_each_entry(su, &node->mn_subscriptions, su_item) {
			if (su->su_ack.type != CONFIG_T_TRIAL)
				continue;
			count++;
			*silent += su->su_ack.generation !=
				   md->md_trial.trial_number;
		}
	}
	return count;
}

static void trial_begin(struct mgs_try *try, void *bytes, u32 len)
{
	struct mgs_device *md = try->md;
	struct mgs_trial *tr = &md->md_trial;

	mutex_lock(&md->md_nodes_lock);
	*tr = (struct mgs_trial) {
		.trial_number = tr->trial_number + 1,
		.trial_cfg = bytes,
		.trial_len = len,
	};
	try->nodes = count_nodes(md, &try->silent);
	mutex_unlock(&md->md_nodes_lock);
}

/* End the trial: late answers are ignored. */
static void trial_end(struct mgs_try *try)
{
	struct mgs_device *md = try->md;
	struct mgs_trial *tr = &md->md_trial;

	mutex_lock(&md->md_nodes_lock);
	try->nodes = count_nodes(md, &try->silent);
	try->result = *tr;
	tr->trial_cfg = NULL;
	tr->trial_len = 0;
	mutex_unlock(&md->md_nodes_lock);
}

static bool trial_is_over(struct mgs_device *md)
{
	u32 silent;

	mutex_lock(&md->md_nodes_lock);
	count_nodes(md, &silent);
	mutex_unlock(&md->md_nodes_lock);
	return !silent;
}

/* Neither a stopping service nor a killed caller waits for nodes. */
static int trial_wait(struct mgs_try *try)
{
	long left = nsecs_to_jiffies(READ_ONCE(try->md->md_trial_wait));
	struct mgs_device *md = try->md;
	long part;
	int seen, rc;

	for (;;) {
		seen = atomic_read(&md->md_news);
		if (trial_is_over(md) || left <= 0)
			return 0;
		if (!obd_is_set_up(md->md_obd))
			return -ENODEV;
		part = min_t(long, left, HZ / 5);
		left -= part;
		rc = mgs_wait_news(md, seen, &part, true);
		if (rc)
			return rc;
		left += part;
	}
}

static int try_nodes(struct mgs_try *try)
{
	struct mgs_device *md = try->md;
	struct ldlm_res_id res;
	void *bytes;
	u32 len = 0;
	int rc;

	bytes = try_encode(try, &len);
	if (IS_ERR(bytes))
		return PTR_ERR(bytes);
	trial_begin(try, bytes, len);
	rc = config_res_id(PARAMS_FILENAME, CONFIG_T_TRIAL, &res);
	if (!rc && try->nodes) {
		ldlm_server_revoke(md->md_obd, &res, LCK_CR, UINT_MAX);
		rc = trial_wait(try);
	}
	trial_end(try);
	kvfree(bytes);
	return rc;
}

static int nobody_takes_it(const struct mgs_try *try)
{
	char silent[48] = "";

	if (try->silent)
		scnprintf(silent, sizeof(silent), " (%u did not answer)",
			  try->silent);
	scnprintf(try->why->text, sizeof(try->why->text),
		  "no parameter here or on %u connected nodes%s matches '%.96s'; --force stores it all the same",
		  try->nodes, silent, try->pattern);
	return -ENOENT;
}

static int try_decide(const struct mgs_try *try)
{
	if (try->result.trial_refused) {
		scnprintf(try->why->text, sizeof(try->why->text), "%s",
			  try->result.trial_why);
		return try->result.trial_rc;
	}
	if (!try->here && !try->result.trial_taken &&
	    try->command == LCFG_SET_PARAM)
		return nobody_takes_it(try);
	if (try->silent)
		scnprintf(try->why->text, sizeof(try->why->text),
			  "%u of %u connected nodes did not say whether they take it",
			  try->silent, try->nodes);
	return 0;
}

static int __trial_run(struct mgs_try *try)
{
	struct mgs_device *md = try->md;
	int rc;

	lockdep_assert_held(&md->md_trial_lock);
	if (pattern_known(md, try->pattern))
		return 0;
	rc = try_nodes(try);
	rc = rc ?: try_decide(try);
	if (!rc && (try->here || try->result.trial_taken))
		pattern_keep(md, try->pattern);
	return rc;
}

/*
 * Whether a setting may be stored. @why: out: why not, or a remark. Context: may sleep for
 * trial_wait, and for earlier trials.
 * Return: 0; -ENOENT: no node has such a parameter; the errno of the first refusal;
 * -EINTR; -ENODEV: the service stops; -ENOMEM
 */
int mgs_trial_run(struct mgs_device *md, u32 command, const char *pattern,
		  const char *value, struct obd_why *why)
{
	struct mgs_try *try = kzalloc(sizeof(*try), GFP_KERNEL);
	int rc;

	if (!try)
		return -ENOMEM;
	try->md = md;
	try->command = command;
	try->pattern = pattern;
	try->value = value;
	try->why = why;
	rc = try_here(try);
	rc = rc ?: mutex_lock_killable(&md->md_trial_lock);
	if (!rc) {
		rc = __trial_run(try);
		mutex_unlock(&md->md_trial_lock);
	}
	kfree(try);
	return rc;
}

/*
 * A node reads the trial.
 * Return: 0; -EOVERFLOW if its buffer is too small; -ENOMEM; as mgs_node_subscribe()
 */
int mgs_trial_read(struct mgs_device *md, struct mgs_node *node,
		   struct ptlrpc_svc_req *sr, const char *log, u32 size)
{
	const struct mgs_trial *tr = &md->md_trial;
	struct lustre_config_info info = {};
	u32 subscribers;
	void *to;
	int rc;

	rc = mgs_node_subscribe(md, node, log, CONFIG_T_TRIAL, &subscribers);
	if (rc)
		return rc;
	mutex_lock(&md->md_nodes_lock);
	if (tr->trial_len > size) {
		rc = -EOVERFLOW;
	} else {
		info.ci_epoch = cpu_to_le64(tr->trial_cfg ? tr->trial_number : 0);
		info.ci_generation = info.ci_epoch;
		info.ci_size = cpu_to_le64(tr->trial_len);
		to = mgs_read_reply(sr, &info, tr->trial_len);
		if (to && tr->trial_len)
			memcpy(to, tr->trial_cfg, tr->trial_len);
		rc = to ? 0 : -ENOMEM;
	}
	mutex_unlock(&md->md_nodes_lock);
	return rc;
}

/* A node answers a trial. Context: md_nodes_lock is held. */
void __mgs_trial_ack(struct mgs_device *md, struct mgs_node *node,
		     const struct mgs_ack *ack)
{
	struct mgs_trial *tr = &md->md_trial;
	char nid[LNET_NID_TEXT_MAX];

	lockdep_assert_held(&md->md_nodes_lock);
	if (!tr->trial_cfg || ack->generation != tr->trial_number)
		return;
	if (!ack->failed) {
		tr->trial_taken += min_t(u32, ack->applied, 1);
		return;
	}
	if (tr->trial_refused++)
		return;
	mgs_nid_text(node->mn_exp, nid, sizeof(nid));
	tr->trial_rc = ack->status ?: -EINVAL;
	scnprintf(tr->trial_why, sizeof(tr->trial_why), "node %s refuses it: %s",
		  nid, ack->why);
}
