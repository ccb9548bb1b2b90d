// SPDX-License-Identifier: GPL-2.0-only
/*
 * Imperative recovery: the table of NIDs has the running incarnation of each
 * target. An import that is connected to an earlier one, or is not connected,
 * connects at once instead of after a timeout.
 *
 * The servers of an import are those that its log names. With parameter
 * dynamic_nids the NIDs of the entries are added as further servers: so a
 * target that was moved is found. The entries are stored for devices that
 * appear later.
 */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/string.h>
#include <net/net_namespace.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/nid.h>

#include "mgc_internal.h"

/* Most NIDs stored for a target. */
#define NIDS_MAX	32

/**
 * struct mgc_nids - nodes of a target
 * @mnd_item: in ml_nids
 * @mnd_uuid: of the target
 * @mnd_instance: running incarnation
 * @mnd_count: NIDs
 * @mnd_nids: NIDs
 */
struct mgc_nids {
	struct list_head	mnd_item;
	struct obd_uuid		mnd_uuid;
	u32			mnd_instance;
	u32			mnd_count;
	struct lnet_nid		mnd_nids[NIDS_MAX];
};

/**
 * struct mgc_restart - a target that restarted
 * @mg: device
 * @uuid: of the target
 * @instance: running incarnation
 */
struct mgc_restart {
	struct mgc_device	*mg;
	struct obd_uuid		uuid;
	u32			instance;
};

/* Whether an import of that target must reconnect. */
static bool import_is_behind(struct obd_import *imp, const struct mgc_restart *rs)
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

/*
 * Whether it is a client of that target; if so the caller must call
 * obd_op_leave().
 */
static bool is_client_of(struct obd_device *obd, const struct mgc_device *mg,
			 const struct obd_uuid *target)
{
	if (!obd->obd_type->typ_import ||
	    !net_eq(obd->obd_net, mg->mg_obd->obd_net) || !obd_op_enter(obd))
		return false;
	if (obd->obd_cli &&
	    !strcmp(obd->obd_cli->cl_target_uuid.uuid, target->uuid))
		return true;
	obd_op_leave(obd);
	return false;
}

static bool device_is_behind(struct obd_device *obd, const struct mgc_restart *rs)
{
	bool behind;

	if (!is_client_of(obd, rs->mg, &rs->uuid))
		return false;
	behind = import_is_behind(obd->obd_cli->cl_import, rs);
	obd_op_leave(obd);
	return behind;
}

static void restart_apply(const struct mgc_restart *rs)
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

static void entry_uuid(const struct mgc_log *log,
		       const struct lustre_nidtbl *nt, struct obd_uuid *uuid)
{
	memset(uuid, 0, sizeof(*uuid));
	scnprintf(uuid->uuid, sizeof(uuid->uuid), "%s-%s%04x_UUID",
		  log->ml_fsname, nt->nt_type == LL_NIDTBL_MDT ? "MDT" : "OST",
		  le32_to_cpu(nt->nt_index));
}

static struct mgc_nids *nids_get(struct mgc_log *log,
				 const struct obd_uuid *uuid)
{
	struct mgc_nids *mn;

	list_for_each_entry(mn, &log->ml_nids, mnd_item)
		if (!strcmp(mn->mnd_uuid.uuid, uuid->uuid))
			return mn;
	mn = libcfs_zalloc(sizeof(*mn), GFP_KERNEL);
	if (!mn)
		return NULL;
	mn->mnd_uuid = *uuid;
	list_add_tail(&mn->mnd_item, &log->ml_nids);
	return mn;
}

/* Store the NIDs of an entry; unknown ones are skipped. */
static void nids_store(struct mgc_nids *mn, const struct lustre_nidtbl *nt,
		       const void *from)
{
	struct lustre_nid wire;
	struct wire_nid nid;
	unsigned int n;

	BUILD_BUG_ON(sizeof(nid) != sizeof(mn->mnd_nids[0]));
	mn->mnd_instance = le32_to_cpu(nt->nt_instance);
	mn->mnd_count = 0;
	if (nt->nt_nid_size != sizeof(wire))
		return;
	for (n = 0; n < nt->nt_nid_count && mn->mnd_count < NIDS_MAX; n++) {
		memcpy(&wire, from + n * sizeof(wire), sizeof(wire));
		if (wire_nid_decode(&wire, &nid) == WIRE_OK)
			memcpy(&mn->mnd_nids[mn->mnd_count++], &nid, sizeof(nid));
	}
}

/*
 * The name of a server of a device at a NID: the NID, or a shortened one if that is too
 * long.
 */
static int server_name(const struct obd_device *obd, const struct lnet_nid *nid,
		       struct obd_uuid *server)
{
	char text[LNET_NID_TEXT_MAX];
	int len = libcfs_nid_print(nid, text, sizeof(text));

	memset(server, 0, sizeof(*server));
	if (len < 0)
		return len;
	if (len < sizeof(server->uuid)) {
		memcpy(server->uuid, text, len);
		return 0;
	}
	snprintf(server->uuid, sizeof(server->uuid), "NID%*phN",
		 (int)sizeof(nid->nid_addr), nid->nid_addr);
	return class_add_uuid(obd->obd_instance, server->uuid, nid);
}

/* Add the NIDs that the import lacks, and switch to the first of them. */
static void nids_use(struct mgc_device *mg, struct obd_device *obd,
		     const struct mgc_nids *mn)
{
	struct obd_import *imp = obd->obd_cli->cl_import;
	struct obd_uuid server, first = {};
	struct obd_why why = {};
	unsigned int n;
	int rc;

	for (n = 0; n < mn->mnd_count; n++) {
		if (import_has_nid(imp, &mn->mnd_nids[n]))
			continue;
		rc = server_name(obd, &mn->mnd_nids[n], &server) ?:
		     import_add_conn(imp, &server, false, &why);
		if (rc)
			CWARN("%s: cannot use %s of the table of NIDs: %s: rc = %d\n",
			      obd->obd_name, server.uuid, why.text, rc);
		else if (!first.uuid[0])
			first = server;
	}
	if (!first.uuid[0])
		return;
	CWARN("%s: %s is also at %s, which its log does not name\n",
	      obd->obd_name, mn->mnd_uuid.uuid, first.uuid);
	if (READ_ONCE(imp->imp_state) != LUSTRE_IMP_FULL)
		mgc_recover(mg, obd, &first, NULL);
}

static void nids_apply(struct mgc_device *mg, const struct mgc_nids *mn)
{
	struct obd_device *obd;
	u32 next = 0;

	while ((obd = class_next_obd(&next))) {
		if (is_client_of(obd, mg, &mn->mnd_uuid)) {
			nids_use(mg, obd, mn);
			obd_op_leave(obd);
		}
		class_decref(obd, OBD_REF_LOOKUP);
	}
}

/* Entries that existed when following started need no recovery. */
static void entry_apply(struct mgc_log *log, const struct lustre_nidtbl *nt,
			const void *nids, bool news)
{
	struct mgc_restart rs = {
		.mg = log->ml_mgc,
		.instance = le32_to_cpu(nt->nt_instance),
	};
	struct mgc_nids *mn;

	entry_uuid(log, nt, &rs.uuid);
	mn = nids_get(log, &rs.uuid);
	if (mn)
		nids_store(mn, nt, nids);
	if (mn && READ_ONCE(log->ml_mgc->mg_dynamic_nids))
		nids_apply(log->ml_mgc, mn);
	if (news)
		restart_apply(&rs);
}

static bool entry_is_good(const struct lustre_nidtbl *nt, u32 left)
{
	u32 len = le32_to_cpu(nt->nt_len);

	return len >= sizeof(*nt) && len <= left &&
	       (nt->nt_type == LL_NIDTBL_MDT || nt->nt_type == LL_NIDTBL_OST) &&
	       len - sizeof(*nt) >= nt->nt_nid_count * (u32)nt->nt_nid_size;
}

/* Devices may have appeared since the entries came. */
static void entries_use(struct mgc_log *log)
{
	struct mgc_nids *mn;

	if (!READ_ONCE(log->ml_mgc->mg_dynamic_nids))
		return;
	list_for_each_entry(mn, &log->ml_nids, mnd_item)
		nids_apply(log->ml_mgc, mn);
}

/**
 * mgc_nidtbl_apply() - recover imports of restarted targets
 * @log: log of type RECOVER
 * @part: entries that are newer than the state of @log
 *
 * When following starts, imports connect by themselves: existing entries need
 * no recovery.
 *
 * Context: under ml_mutex; may sleep
 * Return: 0; -EPROTO for malformed entries
 */
int mgc_nidtbl_apply(struct mgc_log *log, const struct mgc_part *part)
{
	bool news = log->ml_pass++;
	struct lustre_nidtbl nt;
	u32 at = 0;

	entries_use(log);
	for (; at < part->mpt_len; at += le32_to_cpu(nt.nt_len)) {
		if (part->mpt_len - at < sizeof(nt))
			return -EPROTO;
		memcpy(&nt, part->mpt_bytes + at, sizeof(nt));
		if (!entry_is_good(&nt, part->mpt_len - at))
			return -EPROTO;
		entry_apply(log, &nt, part->mpt_bytes + at + sizeof(nt), news);
		log->ml_counts.applied++;
	}
	return 0;
}

/**
 * mgc_nidtbl_again() - devices or the parameter may have changed
 * @mg: device
 *
 * Context: may sleep; a work processes the entries
 */
void mgc_nidtbl_again(struct mgc_device *mg)
{
	struct mgc_log *log;
	u64 seq = 0;

	if (!READ_ONCE(mg->mg_dynamic_nids))
		return;
	while ((log = mgc_log_next(mg, &seq))) {
		if (log->ml_type == CONFIG_T_RECOVER)
			mgc_follow_notice(log, true);
		mgc_log_put(log);
	}
}

/* Free the entries; the log has no other references. */
void mgc_nidtbl_free(struct mgc_log *log)
{
	struct mgc_nids *mn, *next;

	list_for_each_entry_safe(mn, next, &log->ml_nids, mnd_item) {
		list_del(&mn->mnd_item);
		libcfs_free(mn, sizeof(*mn));
	}
}
