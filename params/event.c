// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of the tree, on generic netlink.
 *
 * A node has one tree. Its events go to each network namespace that may see all
 * of the node, <lustre_lite/genl.h>. Without listeners an event costs an
 * increment and a test of each namespace.
 */
#include <linux/atomic.h>
#include <linux/mutex.h>
#include <net/genetlink.h>

#include <lustre_lite/genl.h>

#include "params_internal.h"

static const struct genl_multicast_group params_event_groups[] = {
	{ .name = LL_GENL_GROUP_PARAMS },
};

static struct genl_family params_event_family __ro_after_init = {
	.name = LL_GENL_FAMILY,
	.version = LL_GENL_VERSION,
	.module = THIS_MODULE,
	.maxattr = LL_PARAMS_A_MAX,
	.netnsok = true,
	.mcgrps = params_event_groups,
	.n_mcgrps = ARRAY_SIZE(params_event_groups),
};

/* Number of the last event, including those that could not be sent. */
static atomic64_t params_event_seq;

/* Guards the path below, and serializes events in the order of their numbers. */
static DEFINE_MUTEX(params_event_lock);
static char params_event_path[PARAMS_PATH_MAX + 1];

static struct sk_buff *params_event_alloc(size_t path_len)
{
	return genlmsg_new(nla_total_size(sizeof(u8)) +
			   nla_total_size(path_len + 1) +
			   nla_total_size(sizeof(u32)) +
			   nla_total_size_64bit(sizeof(u64)), GFP_KERNEL);
}

static int params_event_fill(struct sk_buff *skb, enum ll_params_event event,
			     u32 version, u64 seq)
{
	void *head = genlmsg_put(skb, 0, 0, &params_event_family, 0,
				 LL_CMD_PARAMS_EVENT);

	if (!head ||
	    nla_put_u8(skb, LL_PARAMS_A_EVENT, event) ||
	    nla_put_string(skb, LL_PARAMS_A_PATH, params_event_path) ||
	    nla_put_u32(skb, LL_PARAMS_A_VERSION, version) ||
	    nla_put_u64_64bit(skb, LL_PARAMS_A_SEQ, seq, LL_PARAMS_A_PAD))
		return -EMSGSIZE;
	genlmsg_end(skb, head);
	return 0;
}

/* On failure the listener sees a gap in the numbers. */
static void params_event_multicast(enum ll_params_event event,
				   struct lustre_params_entry *lpe)
{
	u64 seq = atomic64_inc_return(&params_event_seq);
	struct sk_buff *skb;
	int len;

	lockdep_assert_held(&params_event_lock);
	len = params_entry_path(lpe, params_event_path,
				sizeof(params_event_path));
	if (len < 0)
		return;
	skb = params_event_alloc(len);
	if (!skb)
		return;
	if (params_event_fill(skb, event, params_version(lpe), seq)) {
		nlmsg_free(skb);
		return;
	}
	libcfs_genl_send(&params_event_family, skb, NULL);
}

/**
 * params_event_send() - send an event of an entry
 * @event: kind of event
 * @lpe: entry; the caller has or borrows a reference
 *
 * Context: may sleep
 */
void params_event_send(enum ll_params_event event,
		       struct lustre_params_entry *lpe)
{
	if (!libcfs_genl_heard(&params_event_family, NULL)) {
		atomic64_inc(&params_event_seq);
		return;
	}
	mutex_lock(&params_event_lock);
	params_event_multicast(event, lpe);
	mutex_unlock(&params_event_lock);
}

/**
 * params_event_init() - register the family
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int params_event_init(void)
{
	return genl_register_family(&params_event_family);
}

/* Unregister the family; no event follows. May sleep. */
void params_event_exit(void)
{
	genl_unregister_family(&params_event_family);
}
