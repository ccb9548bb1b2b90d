// SPDX-License-Identifier: GPL-2.0
/*
 * A target registers: the records that others need of it, and its entry in the
 * table of NIDs, in one change.
 */
#define DEBUG_SUBSYSTEM S_MGS

#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/nid.h>

#include "mgs_internal.h"

/* Buffers of MGS_TARGET_REG, and of its reply. */
#define REG_TARGET		0
#define REG_NIDS		1
#define REG_PARAMS		2
#define REG_WHY			1

/* What is new to the service. */
#define REG_NEW_FLAGS		(LDD_F_VIRGIN | LDD_F_NEED_INDEX)
/* What a registration has settled. */
#define REG_DONE_FLAGS		(LDD_F_NEED_INDEX | LDD_F_VIRGIN | \
				 LDD_F_UPDATE | LDD_F_WRITECONF | LDD_F_PARAM)

/**
 * struct registration - a target that registers
 * @change: change
 * @md: service
 * @target: target
 * @wire_nids: its NIDs as they came
 * @instance: of its start
 * @version: of the table of NIDs
 * @texts: NIDs as texts
 */
struct registration {
	struct mgs_change		change;
	struct mgs_device		*md;
	struct mgs_target		target;
	const struct ll_wire_nid	*wire_nids;
	u32				instance;
	u64				version;
	char				texts[MGS_TARGET_NIDS_MAX *
					      LL_NID_TEXT_MAX];
};

static int refuse(struct registration *reg, int rc, const char *what)
{
	strscpy(reg->change.why.text, what, sizeof(reg->change.why.text));
	return rc;
}

/* A field of a message: zeros behind it, and it may be empty. */
static bool field_ok(const char *field, size_t size)
{
	return !field[0] || mgs_name_ok(field, size);
}

static int parse_fields(struct registration *reg,
			const struct ll_wire_target *wire)
{
	struct mgs_target *target = &reg->target;

	if (!mgs_name_ok(wire->wt_fsname, sizeof(wire->wt_fsname)) ||
	    !field_ok(wire->wt_svname, sizeof(wire->wt_svname)) ||
	    !field_ok(wire->wt_uuid, sizeof(wire->wt_uuid)) ||
	    !field_ok(wire->wt_id, sizeof(wire->wt_id)))
		return refuse(reg, -EINVAL,
			      "the names of the target are none; mkfs.lustre-lite gives it good ones");
	strscpy(target->fsname, wire->wt_fsname, sizeof(target->fsname));
	strscpy(target->svname, wire->wt_svname, sizeof(target->svname));
	strscpy(target->uuid, wire->wt_uuid, sizeof(target->uuid));
	strscpy(target->id, wire->wt_id, sizeof(target->id));
	target->flags = le32_to_cpu(wire->wt_flags);
	target->index = le32_to_cpu(wire->wt_index);
	target->nid_count = le32_to_cpu(wire->wt_nid_count);
	reg->instance = le32_to_cpu(wire->wt_instance);
	if (mgs_fsname_check(target->fsname))
		return refuse(reg, -EINVAL,
			      "the name of the file system has to have 1 to 8 letters, digits, '_' or '-', a letter first");
	return 0;
}

static int parse_nid(const struct ll_wire_nid *wire, char *text)
{
	struct wire_nid from;
	struct ll_nid nid = {};

	if (wire_nid_decode(wire, &from) != WIRE_OK)
		return -EPROTO;
	nid.nid_type = from.type;
	nid.nid_len = from.len;
	nid.nid_net = from.net;
	memcpy(nid.nid_addr, from.addr, sizeof(nid.nid_addr));
	return libcfs_nid_print(&nid, text, LL_NID_TEXT_MAX);
}

static int parse_nids(struct registration *reg, u32 bytes)
{
	struct mgs_target *target = &reg->target;
	char *at = reg->texts;
	u32 n;
	int rc;

	if (!target->nid_count || target->nid_count > MGS_TARGET_NIDS_MAX)
		return refuse(reg, -EINVAL,
			      "a target has 1 to 32 NIDs; give its node fewer addresses, or one");
	if (bytes != target->nid_count * sizeof(*reg->wire_nids))
		return -EPROTO;
	for (n = 0; n < target->nid_count; n++) {
		rc = parse_nid(&reg->wire_nids[n], at);
		if (rc < 0)
			return refuse(reg, rc, "one of its NIDs is none");
		at += strlen(at) + 1;
	}
	target->nids = reg->texts;
	return 0;
}

static int parse(struct registration *reg, const struct ptlrpc_svc_req *sr)
{
	const struct wire_msg *msg = &sr->sr_msg;
	const struct ll_wire_target *wire = wire_buf(msg, REG_TARGET,
						     sizeof(*wire));
	int rc;

	reg->wire_nids = wire_buf(msg, REG_NIDS, sizeof(*reg->wire_nids));
	reg->target.params = wire_text(msg, REG_PARAMS);
	if (!wire || !reg->wire_nids || !reg->target.params ||
	    strlen(reg->target.params) >= LDD_PARAMS_LEN)
		return -EPROTO;
	rc = parse_fields(reg, wire);
	return rc ?: parse_nids(reg, msg->buflens[REG_NIDS]);
}

/* Whether targets that are new may come; one that registered before is none. */
static int check_allowed(struct registration *reg)
{
	struct mgs_device *md = reg->md;

	if (!(reg->target.flags & REG_NEW_FLAGS) ||
	    READ_ONCE(md->md_allow_register))
		return 0;
	scnprintf(reg->change.why.text, sizeof(reg->change.why.text),
		  "the management service takes no new targets; there, 'lctl set_param mgs.%s.allow_register=1' lets them register",
		  md->md_obd->obd_name);
	return -EACCES;
}

static int register_records(struct mgs_txn *txn, struct mgs_change *change)
{
	struct registration *reg = change->data;
	int known = mgs_log_register(txn, &reg->target, &change->why);
	int rc = check_allowed(reg);

	if (!rc)
		rc = known;
	rc = rc ?: mgs_nidtbl_next(reg->md, reg->target.fsname, &reg->version);
	return rc ?: mgs_nidtbl_put(txn, &reg->target, reg->instance,
				    reg->version, reg->wire_nids);
}

static void register_done(struct mgs_device *md, struct mgs_change *change)
{
	struct registration *reg = change->data;

	mgs_nidtbl_set(md, &reg->target, reg->instance, reg->version,
		       reg->wire_nids);
}

static void who_registers(struct registration *reg,
			  const struct ptlrpc_svc_req *sr)
{
	struct mgs_who *who = &reg->change.who;

	strscpy(who->who, reg->target.svname[0] ? reg->target.svname :
						  reg->target.fsname,
		sizeof(who->who));
	mgs_nid_text(sr->sr_exp, who->from, sizeof(who->from));
}

static int register_run(struct registration *reg,
			const struct ptlrpc_svc_req *sr)
{
	int rc = parse(reg, sr);

	if (rc)
		return rc;
	who_registers(reg, sr);
	reg->change.fn = register_records;
	reg->change.done = register_done;
	reg->change.data = reg;
	rc = mgs_change_do(reg->md, &reg->change);
	if (rc)
		return rc;
	CDEBUG(D_CONFIG, "%s: target %s at %s, start %u, is version %llu of its table of NIDs\n",
	       reg->md->md_obd->obd_name, reg->target.svname,
	       reg->change.who.from, reg->instance, reg->version);
	mgs_notify(reg->md, reg->target.fsname, CONFIG_T_RECOVER);
	return 0;
}

static int register_reply(const struct registration *reg,
			  struct ptlrpc_svc_req *sr)
{
	const struct mgs_target *target = &reg->target;
	struct ll_wire_target *to = ptlrpc_svc_rep_buf(sr, REG_TARGET);
	char *why = ptlrpc_svc_rep_buf(sr, REG_WHY);

	if (!to || !why)
		return -ENOMEM;
	to->wt_flags = cpu_to_le32(target->flags & ~REG_DONE_FLAGS);
	to->wt_index = cpu_to_le32(target->index);
	to->wt_instance = cpu_to_le32(reg->instance);
	strscpy(to->wt_fsname, target->fsname, sizeof(to->wt_fsname));
	strscpy(to->wt_svname, target->svname, sizeof(to->wt_svname));
	strscpy(to->wt_uuid, target->uuid, sizeof(to->wt_uuid));
	strscpy(why, reg->change.why.text, OBD_WHY_MAX);
	return 0;
}

/**
 * mgs_target_register() - answer a target that registers
 * @sr: request
 *
 * Context: may sleep
 * Return: 0; -EPROTO, -EINVAL for what makes no sense; -EACCES when it is new and
 * none may come; as mgs_log_register() and mgs_change_do()
 */
int mgs_target_register(struct ptlrpc_svc_req *sr)
{
	struct registration *reg;
	int rc, rc2;

	if (!READ_ONCE(sr->sr_exp->exp_data))
		return -ENOTCONN;
	reg = kzalloc(sizeof(*reg), GFP_KERNEL);
	if (!reg)
		return -ENOMEM;
	reg->md = mgs_device(sr->sr_exp->exp_obd);
	rc = register_run(reg, sr);
	if (rc && rc != -EPROTO)
		CWARN("%s: target '%s' of '%s' at %s is refused: %s: rc = %d\n",
		      reg->md->md_obd->obd_name, reg->target.svname,
		      reg->target.fsname, reg->change.who.from,
		      reg->change.why.text, rc);
	rc2 = register_reply(reg, sr);
	kfree(reg);
	return rc ?: rc2;
}
