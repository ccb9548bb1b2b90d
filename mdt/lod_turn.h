/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Targets in turn: each file starts at the target after the last one of the file before. When this
 * comes back to where it began, it goes on one target later, as in real Lustre: so each target is
 * equally often the first one of a file.
 *
 * Arithmetic alone: nothing here allocates, locks or logs; it is for the kernel and for user space.
 */
#ifndef _MDT_LOD_TURN_H
#define _MDT_LOD_TURN_H

#include <lustre_lite/codec.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct lod_turn - whose turn it is; zeros at the start
 * @start: targets that had their turn since the start of a round
 * @offset: how many targets later it goes on
 */
struct lod_turn {
	u32	start;
	u32	offset;
};

/**
 * lod_turn_begin() - the first target of a file
 * @turn: turn; the turns of as many targets as the file wants are used
 * @nr: number of targets, not 0
 * @stripes: that the file wants
 *
 * Return: its place among the targets, less than @nr; the others follow it
 */
u32 lod_turn_begin(struct lod_turn *turn, u32 nr, u32 stripes);

/**
 * lod_turn_end() - a file has got its targets
 * @turn: turn
 * @stripes: of lod_turn_begin()
 * @steps: targets that were passed, with those that could not be used
 */
void lod_turn_end(struct lod_turn *turn, u32 stripes, u32 steps);

#ifdef __cplusplus
}
#endif

#endif /* _MDT_LOD_TURN_H */
