/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What targets.c and targets_connect.c have in common.
 */
#ifndef _TARGETS_INTERNAL_H
#define _TARGETS_INTERNAL_H

#include <lustre_lite/obd_targets.h>

#include "obd_internal.h"

static inline bool target_active(const struct obd_target *tgt)
{
	return tgt->tgt_exp && tgt->tgt_usable;
}

/*
 * Both with ts_change held: find the client device of a target that was added,
 * and connect it if the owner is connected; give up its client device.
 */
void target_added(struct obd_targets *ts, struct obd_target *tgt);
void target_let_go(struct obd_targets *ts, struct obd_target *tgt);

/*
 * Until each target that was connected has answered, or not; bounded. Not with
 * ts_change held.
 */
void targets_settle(struct obd_targets *ts);

void targets_retry_init(struct obd_targets *ts);

#endif /* _TARGETS_INTERNAL_H */
