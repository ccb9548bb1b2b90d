// SPDX-License-Identifier: GPL-2.0
/*
 * Whether a start of a target may take over from the one that is in service.
 *
 * One kernel runs one target of a name. A node that registers the same target with
 * another instance has therefore ended the one before: after a crash, or after an umount
 * that the service has not heard of yet. Elsewhere the target may run on, so a start
 * there has to wait until the first one stops, or its node is evicted.
 */
#include "place.h"

/* One of the NIDs of the node that starts it is the NID of the first one's node. */
static bool same_node(const struct mgs_place *first, const struct mgs_place *now)
{
	u32 n;

	if (libcfs_nid_same(&first->nid, &now->nid))
		return true;
	for (n = 0; n < now->count; n++)
		if (now->nids[n].nid_type != LL_NET_LO &&
		    libcfs_nid_same(&first->nid, &now->nids[n]))
			return true;
	return false;
}

/**
 * mgs_start_judge() - what a start is to the one that is in service
 * @first: the one in service: @nid and @instance
 * @now: the one that registers
 *
 * Context: any
 * Return: verdict
 */
enum mgs_start mgs_start_judge(const struct mgs_place *first,
			       const struct mgs_place *now)
{
	if (!same_node(first, now))
		return MGS_START_SECOND;
	return first->instance == now->instance ? MGS_START_AGAIN :
						  MGS_START_RESTART;
}
