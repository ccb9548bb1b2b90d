// SPDX-License-Identifier: GPL-2.0
/*
 * Targets in service: which node runs each, from its registration until it says that
 * it stopped, or its node disconnects or is evicted. A second start of a target that
 * is in service elsewhere is refused.
 */
#define DEBUG_SUBSYSTEM S_MGS

#include <linux/ktime.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "mgs_internal.h"

static struct mgs_serving *serving_find(struct mgs_device *md, const char *svname)
{
	struct mgs_serving *sv;

	lockdep_assert_held(&md->md_nodes_lock);
	list_for_each_entry(sv, &md->md_serving, sv_item) {
		if (!strcmp(sv->sv_name, svname))
			return sv;
	}
	return NULL;
}

static void serving_free(struct mgs_serving *sv)
{
	list_del(&sv->sv_item);
	libcfs_free(sv, sizeof(*sv));
}

static int refuse_second(const struct mgs_serving *sv, struct mgs_words *why)
{
	char nid[LL_NID_TEXT_MAX];

	mgs_nid_text(sv->sv_node->mn_exp, nid, sizeof(nid));
	scnprintf(why->text, sizeof(why->text),
		  "%s is in service at %s since %ptTs UTC; umount it there, or wait until that node is evicted, before it starts elsewhere",
		  sv->sv_name, nid, &sv->sv_since);
	return -EBUSY;
}

/**
 * mgs_serving_check() - whether a start of a target may register
 * @md: service
 * @svname: target
 * @now: the start
 * @why: out, why not
 *
 * Context: may sleep; called by the writer, so that the answer holds until mgs_serving_begin()
 * Return: 0; -EBUSY when the target is in service at another node
 */
int mgs_serving_check(struct mgs_device *md, const char *svname,
		      const struct mgs_place *now, struct mgs_words *why)
{
	struct mgs_place first = {};
	struct mgs_serving *sv;
	int rc = 0;

	lockdep_assert_held(&md->md_writer.wr_lock);
	mutex_lock(&md->md_nodes_lock);
	sv = serving_find(md, svname);
	if (sv) {
		first.nid = sv->sv_node->mn_exp->exp_nid;
		first.instance = sv->sv_instance;
		if (mgs_start_judge(&first, now) == MGS_START_SECOND)
			rc = refuse_second(sv, why);
	}
	mutex_unlock(&md->md_nodes_lock);
	return rc;
}

/**
 * mgs_serving_begin() - a target is in service from now on
 * @md: service
 * @node: node that runs it; one that has gone meanwhile runs nothing
 * @svname: target
 * @instance: number of the start
 * @sv: memory for it, from mgs_serving_new(); it is used up
 *
 * Context: may sleep
 */
void mgs_serving_begin(struct mgs_device *md, struct mgs_node *node,
		       const char *svname, u32 instance, struct mgs_serving *sv)
{
	struct mgs_serving *first;

	mutex_lock(&md->md_nodes_lock);
	first = serving_find(md, svname);
	sv->sv_node = node;
	sv->sv_instance = instance;
	sv->sv_since = ktime_get_real_seconds();
	strscpy(sv->sv_name, svname, sizeof(sv->sv_name));
	if (first) {
		if (first->sv_instance == instance)
			sv->sv_since = first->sv_since;
		serving_free(first);
	}
	list_add_tail(&sv->sv_item, &md->md_serving);
	if (node->mn_gone)
		serving_free(sv);
	mutex_unlock(&md->md_nodes_lock);
}

/**
 * mgs_serving_end() - a node says that a target has stopped
 * @md: service
 * @node: node
 * @svname: target
 * @instance: number of the start
 *
 * Context: may sleep
 * Return: 0; -ENOENT when the node runs no such start
 */
int mgs_serving_end(struct mgs_device *md, struct mgs_node *node,
		    const char *svname, u32 instance)
{
	struct mgs_serving *sv;
	int rc = -ENOENT;

	mutex_lock(&md->md_nodes_lock);
	sv = serving_find(md, svname);
	if (sv && sv->sv_node == node && sv->sv_instance == instance) {
		serving_free(sv);
		rc = 0;
	}
	mutex_unlock(&md->md_nodes_lock);
	return rc;
}

/**
 * __mgs_serving_node_gone() - a node runs nothing any more
 * @md: service, md_nodes_lock held
 * @node: node
 *
 * Context: may sleep
 */
void __mgs_serving_node_gone(struct mgs_device *md, struct mgs_node *node)
{
	struct mgs_serving *sv, *next;

	lockdep_assert_held(&md->md_nodes_lock);
	list_for_each_entry_safe(sv, next, &md->md_serving, sv_item) {
		if (sv->sv_node == node)
			serving_free(sv);
	}
}

/**
 * mgs_serving_read() - parameter targets: what is in service
 * @sink: where to
 * @data: service
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int mgs_serving_read(struct params_sink *sink, void *data)
{
	struct mgs_device *md = data;
	char nid[LL_NID_TEXT_MAX];
	struct mgs_serving *sv;

	params_list_begin(sink, "targets", PARAMS_LIST_SEQ);
	mutex_lock(&md->md_nodes_lock);
	list_for_each_entry(sv, &md->md_serving, sv_item) {
		mgs_nid_text(sv->sv_node->mn_exp, nid, sizeof(nid));
		params_list_begin(sink, NULL, PARAMS_LIST_FLOW_MAP);
		params_put_str(sink, "name", sv->sv_name);
		params_put_str(sink, "nid", nid);
		params_put_u64(sink, "instance", sv->sv_instance);
		params_put_time(sink, "since", sv->sv_since * NSEC_PER_SEC,
				PARAMS_UNIT_SEC, PARAMS_TIME_WALL);
		params_list_end(sink);
	}
	mutex_unlock(&md->md_nodes_lock);
	params_list_end(sink);
	return params_sink_error(sink);
}
