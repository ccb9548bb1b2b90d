/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Order of targets, as in real Lustre.
 *
 * In turn: each file starts at the target after the last one of the file before. When this comes
 * back to where it began, it goes on one target later: so each target is equally often the first
 * one of a file.
 *
 * By free space: where it differs by more than the threshold, a target is drawn by its weight, the
 * free space less penalties. Each use of a target adds to its penalty and to that of its server, so
 * that objects in a row spread.
 *
 * Arithmetic alone: nothing here allocates, locks or logs; it is for the kernel and for user space.
 */
#ifndef _MDT_LOD_QOS_H
#define _MDT_LOD_QOS_H

#include <lustre_lite/codec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of the threshold and of the priority: parts of the whole. */
#define QOS_WHOLE		256
/* 17 %, and 90 %. */
#define QOS_THRESHOLD		43
#define QOS_PRIO_FREE		230
/* Servers that are told apart; the others count as the last one. */
#define QOS_SERVERS		64

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
 * struct qos_penalty - what uses have cost
 * @penalty: present one, in units of 256 bytes
 * @step: of one object
 * @used: second of the last use
 */
struct qos_penalty {
	u64	penalty;
	u64	step;
	u64	used;
};

/**
 * struct qos_target - a target
 * @space: free bytes / 256
 * @server: index of its server
 * @usable: it can be drawn
 * @cost: of its uses
 */
struct qos_target {
	u64			space;
	u32			server;
	bool			usable;
	struct qos_penalty	cost;
};

/**
 * struct lod_qos - targets of a volume
 * @threshold: difference of free space that counts, of QOS_WHOLE
 * @prio_free: weight of free space against spreading, likewise
 * @maxage: seconds for which a value of free space is used; a penalty falls after 8 times that
 * @cost: of the uses of each server
 */
struct lod_qos {
	u32			threshold;
	u32			prio_free;
	u32			maxage;
	struct qos_penalty	cost[QOS_SERVERS];
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

/**
 * qos_is_even() - whether the free space of targets differs by less than the threshold
 * @qos: volume
 * @min: the smallest one
 * @max: the largest one
 *
 * Context: any
 * Return: whether it does
 */
static inline bool qos_is_even(const struct lod_qos *qos, u64 min, u64 max)
{
	return max / QOS_WHOLE * (QOS_WHOLE - qos->threshold) < min;
}

/**
 * qos_prepare() - penalties for the present free space
 * @qos: volume
 * @targets: targets that can be drawn
 * @nr: their number
 * @now: second
 *
 * Context: any
 * Return: whether targets are drawn by weight; else they are used in turn, and penalties are zero
 */
bool qos_prepare(struct lod_qos *qos, struct qos_target *const *targets, u32 nr, u64 now);

/**
 * qos_draw() - draw a target
 * @qos: volume, prepared
 * @targets: targets
 * @nr: their number
 * @random: any number
 * @now: second
 *
 * The target cannot be drawn again until the caller says that it is usable.
 *
 * Context: any
 * Return: its place in @targets; @nr: none is left
 */
u32 qos_draw(struct lod_qos *qos, struct qos_target *const *targets, u32 nr, u64 random, u64 now);

#ifdef __cplusplus
}
#endif

#endif /* _MDT_LOD_QOS_H */
