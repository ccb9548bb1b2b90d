/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rounds of tests that try very many things: a part of them, or all with
 * LUSTRE_LITE_FULL=1 (scripts/check --full). Which part: LUSTRE_LITE_TURN, the number of the
 * commit, so that a few commits in a row have all.
 */
#ifndef LL_TEST_ROUNDS_H
#define LL_TEST_ROUNDS_H

#include <stdbool.h>
#include <stdlib.h>

static inline bool rounds_full(void)
{
	const char *full = getenv("LUSTRE_LITE_FULL");

	return full && full[0];
}

/* How many of @all rounds are made. */
static inline unsigned int rounds_of(unsigned int all)
{
	return rounds_full() ? all : (all + 9) / 10;
}

/* Which part of @parts this run has, from 0. */
static inline unsigned int rounds_turn(unsigned int parts)
{
	const char *turn = getenv("LUSTRE_LITE_TURN");

	return rounds_full() || !turn ? 0 : strtoul(turn, NULL, 10) % parts;
}

/* How far apart things are that are tried: 1 tries each of them. */
static inline unsigned int rounds_step(unsigned int step)
{
	return rounds_full() ? 1 : step;
}

#endif
