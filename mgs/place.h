/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a target runs, and whether another start of the same target may take over.
 * Pure: compiles in user space.
 */
#ifndef _MGS_PLACE_H
#define _MGS_PLACE_H

#include <lustre_lite/nid.h>

/**
 * struct mgs_place - a start of a target
 * @nid: NID that its node is connected from
 * @nids: further NIDs of that node, as it said
 * @count: how many
 * @instance: number of the start
 */
struct mgs_place {
	struct ll_nid		nid;
	const struct ll_nid	*nids;
	u32			count;
	u32			instance;
};

/**
 * enum mgs_start - what a start is to the one that is in service
 * @MGS_START_AGAIN: the same start, which registers once more
 * @MGS_START_RESTART: a later start on the same node: the one before is dead
 * @MGS_START_SECOND: a start elsewhere while the first one is in service: refused
 */
enum mgs_start {
	MGS_START_AGAIN,
	MGS_START_RESTART,
	MGS_START_SECOND,
};

enum mgs_start mgs_start_judge(const struct mgs_place *first,
			       const struct mgs_place *now);

#endif /* _MGS_PLACE_H */
