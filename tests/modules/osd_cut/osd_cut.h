/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * osd_cut: changes of the objects of a target, and what a power cut may leave of them.
 *
 *	step=prepare	create the objects that the changes start from
 *	step=run	make the changes, with a commit after some of them
 *	step=check	each change is there whole, or not at all; what was committed is there
 *	step=replay	make those that were not committed once more: all of them are there
 *
 * The changes have numbers from 1 on; their order is the same in every step.
 */
#ifndef _OSD_CUT_H
#define _OSD_CUT_H

#include <lustre_lite/osd.h>

/* Every so many changes there is a commit. */
#define CUT_COMMIT	4

/**
 * struct cut_stamp - numbers of changes
 * @stamp: for osd
 * @transno: the last one that was made
 */
struct cut_stamp {
	struct osd_stamp	stamp;
	u64			transno;
};

enum cut_step {
	CUT_PREPARE,
	CUT_RUN,
	CUT_CHECK,
	CUT_REPLAY,
};

/**
 * struct cut - a device, and what is done with it
 * @osd: device
 * @step: step of the module
 * @rounds: how often each change is made
 * @stamp: numbers
 * @committed: number of the last commit before the start
 * @bad: violated expectations
 */
struct cut {
	struct osd_device	*osd;
	enum cut_step		step;
	u32			rounds;
	struct cut_stamp	stamp;
	u64			committed;
	u32			bad;
};

/* Return: 0 or a negative errno; expectations that are violated are counted in the cut */
int cut_mdt(struct cut *cut);
int cut_ost(struct cut *cut);

/* Count and log a violation. */
bool cut_expect(struct cut *cut, bool seen, const char *op, u32 round, const char *what);
/* A change was made: number it, and commit now and then. */
int cut_made(struct cut *cut);

#endif /* _OSD_CUT_H */
