/* SPDX-License-Identifier: GPL-2.0 */
/* Common definitions of targets.c and targets_connect.c. */
#ifndef _TARGETS_INTERNAL_H
#define _TARGETS_INTERNAL_H

#include <lustre_lite/obd_targets.h>

#include "obd_internal.h"

static inline bool target_active(const struct obd_target *tgt)
{
	return tgt->tgt_exp && tgt->tgt_usable;
}

/*
 * With ts_change held: find the client device of an added target, and connect
 * it if the owner is connected; drop its client device.
 */
void target_added(struct obd_targets *ts, struct obd_target *tgt);
void target_let_go(struct obd_targets *ts, struct obd_target *tgt);

/*
 * Wait until each connecting target has answered or failed; bounded. Not with
 * ts_change held.
 */
void targets_settle(struct obd_targets *ts);

void targets_retry_init(struct obd_targets *ts);

#endif /* _TARGETS_INTERNAL_H */
