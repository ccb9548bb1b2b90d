// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transactions of requests.
 *
 * A request that changed something before the server restarted comes again: as a replay, with the
 * number that it had, or resent, if its client has no reply. Part or all of the change may have
 * survived. Nothing is stored about requests. Each operation recognizes by FIDs what it did, and
 * does the rest; see Documentation/mdt.md.
 *
 * A replay takes its number also if there is nothing left to do: the next commit then tells the
 * client that it is on disk.
 */
#define DEBUG_SUBSYSTEM S_MDS

#include <lustre_lite/compat.h>

#include "mdt_internal.h"

/* Bytes that a client keeps of a change until it is on disk, about: see LUT_COMMIT_BYTES. */
#define CHANGE_BYTES	4096

bool mdt_call_is_replay(const struct mdt_call *call)
{
	return call->mtc_sr->sr_msg.flags & MSG_REPLAY;
}

/* A server that started without clients has no life of before. */
bool mdt_call_is_again(const struct mdt_call *call)
{
	if (mdt_call_is_replay(call))
		return true;
	return call->mtc_sr->sr_msg.flags & MSG_RESENT &&
	       READ_ONCE(call->mtc_mdt->mdt_dir.td_obd->obd_recovery);
}

void mdt_trans_note(struct mdt_trans *mt)
{
	/* Sticky opens are replayed long after they were committed. */
	if (mt->mtr_transno ||
	    (mt->mtr_replay && mt->mtr_replay <= tgt_last_committed(mt->mtr_obd)))
		return;
	mt->mtr_transno = tgt_trans_number(mt->mtr_obd, mt->mtr_replay);
}

static void trans_stamp(struct osd_stamp *stamp)
{
	mdt_trans_note(container_of(stamp, struct mdt_trans, mtr_stamp));
}

static int trans_start(struct mdt_trans *mt, struct obd_device *obd, u64 replay)
{
	*mt = (struct mdt_trans){
		.mtr_stamp.osp_fn = trans_stamp,
		.mtr_obd = obd,
		.mtr_replay = replay,
	};
	return tgt_trans_start(obd);
}

int mdt_trans_start(struct mdt_call *call, struct mdt_trans *mt)
{
	return trans_start(mt, call->mtc_mdt->mdt_dir.td_obd,
			   mdt_call_is_replay(call) ? call->mtc_sr->sr_msg.transno : 0);
}

int mdt_trans_stop(struct mdt_call *call, struct mdt_trans *mt, int rc)
{
	int stop = tgt_trans_stop(mt->mtr_obd, mt->mtr_transno, CHANGE_BYTES, false);

	tgt_change_refused(mt->mtr_obd, rc);
	if (!rc)
		call->mtc_sr->sr_transno = mt->mtr_transno ?: mt->mtr_replay;
	return rc ?: stop;
}

int mdt_own_trans_start(struct mdt_device *mdt, struct mdt_trans *mt)
{
	return trans_start(mt, mdt->mdt_dir.td_obd, 0);
}

/* No client waits for it to be on disk. */
void mdt_own_trans_stop(struct mdt_trans *mt)
{
	tgt_trans_stop(mt->mtr_obd, mt->mtr_transno, 0, true);
}
