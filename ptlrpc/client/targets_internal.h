/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations that the files of targets share.
 */
#ifndef _TARGETS_INTERNAL_H
#define _TARGETS_INTERNAL_H

#include <lustre_lite/libcfs.h>
#include <lustre_lite/obd_client.h>
#include <lustre_lite/obd_config.h>
#include <lustre_lite/obd_ops.h>
#include <lustre_lite/obd_targets.h>

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
