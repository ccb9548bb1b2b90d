// SPDX-License-Identifier: GPL-2.0-only
/* Order of targets: whose turn it is; weights and penalties. The numbers are real Lustre's. */
#include "lod_qos.h"

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

static u64 less(u64 from, u64 by)
{
	return from > by ? from - by : 0;
}

/* Whether the largest free space exceeds the smallest one by less than the threshold. */
static bool is_even(const struct lod_qos *qos, struct qos_target *const *targets, u32 nr)
{
	u64 min = ~0ULL, max = 0;
	u32 n;

	for (n = 0; n < nr; n++) {
		if (!targets[n]->space)
			continue;
		min = targets[n]->space < min ? targets[n]->space : min;
		max = targets[n]->space > max ? targets[n]->space : max;
	}
	return qos_is_even(qos, min, max);
}

/* The penalty of a target that is not used is halved every 8 * @maxage. */
static void decay(struct qos_penalty *cost, u32 maxage, u64 now)
{
	u64 age = less(now, cost->used) / 8;

	if (age > 32ULL * maxage)
		cost->penalty = 0;
	else if (age > maxage)
		cost->penalty >>= age / maxage;
}

static void reset(struct lod_qos *qos, struct qos_target *const *targets, u32 nr)
{
	u32 n;

	for (n = 0; n < nr; n++)
		targets[n]->cost.penalty = 0;
	for (n = 0; n < QOS_SERVERS; n++)
		qos->cost[n].penalty = 0;
}

/**
 * struct lod_sums - servers of the targets
 * @space: free space of each
 * @targets: targets of each
 * @servers: servers that have one
 */
struct lod_sums {
	u64	space[QOS_SERVERS];
	u32	targets[QOS_SERVERS];
	u32	servers;
};

static void sum_up(struct qos_target *const *targets, u32 nr, struct lod_sums *sums)
{
	u32 n;

	memset(sums, 0, sizeof(*sums));
	for (n = 0; n < nr; n++) {
		sums->servers += !sums->targets[targets[n]->server]++;
		sums->space[targets[n]->server] += targets[n]->space;
	}
}

static void server_prepare(struct lod_qos *qos, u32 server, const struct lod_sums *sums, u64 now)
{
	u64 wide = QOS_WHOLE - qos->prio_free;
	u64 others = sums->servers > 1 ? sums->servers - 1 : 1;

	if (!sums->targets[server])
		return;
	qos->cost[server].step = wide * sums->space[server] / QOS_WHOLE /
				 (sums->targets[server] * others) / 2;
	decay(&qos->cost[server], qos->maxage, now);
}

bool qos_prepare(struct lod_qos *qos, struct qos_target *const *targets, u32 nr, u64 now)
{
	u64 wide = QOS_WHOLE - qos->prio_free;
	struct lod_sums sums;
	u32 n;

	if (nr < 2 || is_even(qos, targets, nr)) {
		reset(qos, targets, nr);
		return false;
	}
	sum_up(targets, nr, &sums);
	for (n = 0; n < nr; n++) {
		targets[n]->cost.step = wide * targets[n]->space / (2 * QOS_WHOLE) / (nr - 1);
		if (sums.servers == 1)
			targets[n]->cost.step *= 2;
		decay(&targets[n]->cost, qos->maxage, now);
	}
	for (n = 0; n < QOS_SERVERS; n++)
		server_prepare(qos, n, &sums, now);
	return true;
}

static u64 weight(const struct lod_qos *qos, const struct qos_target *target)
{
	if (!target->usable)
		return 0;
	return less(target->space, target->cost.penalty + qos->cost[target->server].penalty);
}

static void use(struct qos_penalty *cost, u64 number, u64 now)
{
	cost->penalty = cost->penalty / 2 + cost->step * number;
	cost->used = now;
}

/* All others become cheaper. */
static void used(struct lod_qos *qos, struct qos_target *const *targets, u32 nr, u32 drawn,
		 u64 now)
{
	struct lod_sums sums;
	u32 n;

	sum_up(targets, nr, &sums);
	targets[drawn]->usable = false;
	use(&targets[drawn]->cost, nr, now);
	use(&qos->cost[targets[drawn]->server], sums.servers, now);
	for (n = 0; n < nr; n++)
		targets[n]->cost.penalty = less(targets[n]->cost.penalty, targets[n]->cost.step);
	for (n = 0; n < QOS_SERVERS; n++)
		qos->cost[n].penalty = less(qos->cost[n].penalty, qos->cost[n].step);
}

/* Without a weight that is left: the first one that can be drawn. */
static u32 draw(const struct lod_qos *qos, struct qos_target *const *targets, u32 nr, u64 random)
{
	u64 total = 0, at = 0;
	u32 n;

	for (n = 0; n < nr; n++)
		total += weight(qos, targets[n]);
	for (n = 0; total && n < nr; n++) {
		at += weight(qos, targets[n]);
		if (at > random % total)
			return n;
	}
	for (n = 0; n < nr && !targets[n]->usable; n++)
		;
	return n;
}

u32 qos_draw(struct lod_qos *qos, struct qos_target *const *targets, u32 nr, u64 random, u64 now)
{
	u32 drawn = draw(qos, targets, nr, random);

	if (drawn < nr)
		used(qos, targets, nr, drawn, now);
	return drawn;
}
