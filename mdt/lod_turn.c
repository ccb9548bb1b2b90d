// SPDX-License-Identifier: GPL-2.0-only
/* Whose turn it is. */
#include "lod_turn.h"

/* The greatest common divisor: starts of files differ by multiples of it. */
static u32 shift_of(u32 nr, u32 stripes)
{
	u32 rest;

	while (stripes) {
		rest = nr % stripes;
		nr = stripes;
		stripes = rest;
	}
	return nr;
}

u32 lod_turn_begin(struct lod_turn *turn, u32 nr, u32 stripes)
{
	u32 shift = shift_of(nr, stripes), first;

	if (turn->start >= nr) {
		turn->start %= nr;
		/* Once for all starts that the number of stripes leads to. */
		if (shift > 1 && turn->start < shift)
			turn->offset = (turn->offset + 1) % nr;
	}
	first = (turn->start + turn->offset) % nr;
	turn->start += stripes;
	return first;
}

void lod_turn_end(struct lod_turn *turn, u32 stripes, u32 steps)
{
	if (steps > stripes)
		turn->start += steps - stripes;
}
