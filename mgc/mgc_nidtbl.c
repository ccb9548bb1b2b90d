// SPDX-License-Identifier: GPL-2.0
/*
 * Imperative recovery: the table of NIDs says which life of a target is the one
 * that runs. An import that is connected to an earlier one, or is not connected,
 * connects at once, instead of when it finds out.
 *
 * NIDs of the entries are not used: servers of an import are those that its log
 * names.
 */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/kernel.h>
#include <linux/string.h>
#include <net/net_namespace.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "mgc_internal.h"

/**
 * struct restart - a target that restarted
 * @mg: device
 * @uuid: of the target
 * @instance: of the life that runs
 */
struct restart {
	struct mgc_device	*mg;
	struct obd_uuid		uuid;
	u32			instance;
};

/* Whether an import of that target is to connect anew. */
static bool import_is_behind(struct obd_import *imp, const struct restart *rs)
{
	bool behind = false;
	u32 instance;

	spin_lock(&imp->imp_lock);
	instance = imp->imp_connect_data.ocd_instance;
	switch (imp->imp_state) {
	case LUSTRE_IMP_DISCON:
		behind = true;
		break;
	case LUSTRE_IMP_CONNECTING:
	case LUSTRE_IMP_FULL:
		behind = instance && instance != rs->instance;
		break;
	default:
		break;
	}
	spin_unlock(&imp->imp_lock);
	return behind && !test_bit(IMPF_DEACTIVE, &imp->imp_flags);
}

static bool device_is_behind(struct obd_device *obd, const struct restart *rs)
{
	struct client_obd *cli;
	bool behind = false;

	if (!obd->obd_type->typ_has_import ||
	    !net_eq(obd->obd_net, rs->mg->mg_obd->obd_net) ||
	    !obd_op_enter(obd))
		return false;
	cli = obd->obd_cli;
	if (cli && !strcmp(cli->cl_target_uuid.uuid, rs->uuid.uuid))
		behind = import_is_behind(cli->cl_import, rs);
	obd_op_leave(obd);
	return behind;
}

static void restart_tell(const struct restart *rs)
{
	struct obd_device *obd;
	u32 next = 0;

	while ((obd = class_next_obd(&next))) {
		if (device_is_behind(obd, rs)) {
			CDEBUG(D_HA, "%s: %s restarted as instance %u, connects at once\n",
			       obd->obd_name, rs->uuid.uuid, rs->instance);
			mgc_recover(rs->mg, obd, NULL, NULL);
		}
		class_decref(obd, OBD_REF_LOOKUP);
	}
}

static void entry_apply(struct mgc_log *log, const struct ll_wire_nidtbl *nt)
{
	struct restart rs = {
		.mg = log->ml_mgc,
		.instance = le32_to_cpu(nt->nt_instance),
	};

	scnprintf(rs.uuid.uuid, sizeof(rs.uuid.uuid), "%s-%s%04x_UUID",
		  log->ml_fsname, nt->nt_type == LL_NIDTBL_MDT ? "MDT" : "OST",
		  le32_to_cpu(nt->nt_index));
	restart_tell(&rs);
}

static bool entry_is_good(const struct ll_wire_nidtbl *nt, u32 left)
{
	u32 len = le32_to_cpu(nt->nt_len);

	return len >= sizeof(*nt) && len <= left &&
	       (nt->nt_type == LL_NIDTBL_MDT || nt->nt_type == LL_NIDTBL_OST) &&
	       len - sizeof(*nt) >= nt->nt_nid_count * (u32)nt->nt_nid_size;
}

/**
 * mgc_nidtbl_apply() - look who is to connect anew
 * @log: log of type RECOVER
 * @part: entries that are newer than what @log has
 *
 * Who begins to follow the table connects its imports by itself: what the table has
 * by then is no news.
 *
 * Context: under ml_mutex; may sleep
 * Return: 0; -EPROTO for what are no entries
 */
int mgc_nidtbl_apply(struct mgc_log *log, const struct mgc_part *part)
{
	bool news = log->ml_pass++;
	struct ll_wire_nidtbl nt;
	u32 at = 0;

	for (; at < part->mp_len; at += le32_to_cpu(nt.nt_len)) {
		if (part->mp_len - at < sizeof(nt))
			return -EPROTO;
		memcpy(&nt, part->mp_bytes + at, sizeof(nt));
		if (!entry_is_good(&nt, part->mp_len - at))
			return -EPROTO;
		if (news)
			entry_apply(log, &nt);
		log->ml_tally.applied++;
	}
	return 0;
}
