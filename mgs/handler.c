// SPDX-License-Identifier: GPL-2.0-only
/* Requests of nodes: read a log, acknowledge it. All input is validated here. */
#define DEBUG_SUBSYSTEM S_MGS

#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "mgs_internal.h"

/* Whether a received name is NUL-terminated, not empty, and not a path */
bool mgs_name_ok(const char *name, size_t size)
{
	size_t len = strnlen(name, size), n;

	if (!len || len == size || name[0] == '.' || strstr(name, ".."))
		return false;
	for (n = 0; n < len; n++) {
		if (!isascii(name[n]) || !isgraph(name[n]) || name[n] == '/')
			return false;
	}
	return true;
}

/* Replace what cannot be printed. */
static void text_clean(char *text)
{
	for (; *text; text++) {
		if (!isascii(*text) || !isprint(*text))
			*text = '?';
	}
}

/*
 * Prepare the reply of a read. Context: may sleep for memory.
 * Return: its second buffer; NULL on allocation failure
 */
void *mgs_read_reply(struct ptlrpc_svc_req *sr,
		     const struct lustre_config_info *info, u32 len)
{
	const u32 lens[] = { sizeof(*info), len };

	if (ptlrpc_svc_rep_size(sr, lens, ARRAY_SIZE(lens)))
		return NULL;
	memcpy(ptlrpc_svc_rep_buf(sr, 0), info, sizeof(*info));
	return ptlrpc_svc_rep_buf(sr, 1);
}

static int part_parse(const struct ptlrpc_svc_req *sr, struct mgs_part_wanted *part)
{
	const struct lustre_config_read *wire = wire_buf(&sr->sr_msg, 0,
							 sizeof(*wire));

	if (!wire || !mgs_name_ok(wire->crd_name, sizeof(wire->crd_name)))
		return -EINVAL;
	part->name = wire->crd_name;
	part->type = le32_to_cpu(wire->crd_type);
	part->size = min_t(u32, le32_to_cpu(wire->crd_size),
			   WIRE_CONFIG_MAX);
	part->epoch = le64_to_cpu(wire->crd_epoch);
	part->offset = le64_to_cpu(wire->crd_offset);
	return 0;
}

/* Epoch on the wire: unique over all directories. Return: ci_epoch */
u64 mgs_wire_epoch(const struct mgs_device *md, u64 epoch)
{
	if (!epoch)
		return 0;
	return (u64)mgs_store_seed(md->md_store) << 32 | lower_32_bits(epoch);
}

/* A log that does not exist is empty, as of now. */
static int log_info(const struct mgs_view *view, const char *name,
		    struct mgs_log_info *info)
{
	int rc = mgs_view_info(view, name, info);

	if (rc != -ENOENT)
		return rc;
	memset(info, 0, sizeof(*info));
	info->li_generation = mgs_view_generation(view);
	return 0;
}

/* From the offset of the reader; from 0 if it knows the log of another epoch. */
static int part_reply(struct mgs_device *md, const struct mgs_view *view,
		      struct ptlrpc_svc_req *sr,
		      const struct mgs_part_wanted *want, u32 jitter)
{
	struct lustre_config_info wire;
	struct mgs_log_info info;
	u64 epoch, offset = want->offset;
	void *to;
	u32 len;
	int rc = log_info(view, want->name, &info);

	if (rc)
		return rc;
	epoch = mgs_wire_epoch(md, info.li_epoch);
	if (want->epoch != epoch || offset > info.li_size)
		offset = 0;
	len = min_t(u64, want->size, info.li_size - offset);
	wire = (struct lustre_config_info) {
		.ci_epoch = cpu_to_le64(epoch),
		.ci_generation = cpu_to_le64(info.li_generation),
		.ci_offset = cpu_to_le64(offset),
		.ci_size = cpu_to_le64(info.li_size),
		.ci_last_index = cpu_to_le32(info.li_last_index),
		.ci_jitter_ms = cpu_to_le32(jitter),
	};
	to = mgs_read_reply(sr, &wire, len);
	if (!to)
		return -ENOMEM;
	if (len && mgs_view_read(view, want->name, offset, to, len) !=
		   (ssize_t)len)
		return -EIO;
	return 0;
}

/* The node subscribes first, so that it misses no change after the view. */
static int log_read(struct mgs_device *md, struct mgs_node *node,
		    struct ptlrpc_svc_req *sr, const struct mgs_part_wanted *want)
{
	struct mgs_view *view;
	u32 subscribers;
	int rc = mgs_node_subscribe(md, node, want->name, want->type, &subscribers);

	if (rc)
		return rc;
	view = mgs_store_view(md->md_store);
	rc = part_reply(md, view, sr, want, mgs_notify_jitter(md, subscribers));
	mgs_view_put(view);
	if (rc == -EIO)
		CERROR("%s: log %s is damaged, %s cannot read it: rc = %d\n",
		       md->md_obd->obd_name, want->name,
		       node->mn_exp->exp_client_uuid.uuid, rc);
	return rc;
}

static int config_read(struct ptlrpc_svc_req *sr)
{
	struct mgs_device *md = mgs_device(sr->sr_exp->exp_obd);
	struct mgs_node *node = READ_ONCE(sr->sr_exp->exp_data);
	struct mgs_part_wanted part;
	int rc = part_parse(sr, &part);

	if (rc)
		return rc;
	if (!node)
		return -ENOTCONN;
	switch (part.type) {
	case CONFIG_T_CONFIG:
	case CONFIG_T_PARAMS:
		return log_read(md, node, sr, &part);
	case CONFIG_T_RECOVER:
		return mgs_nidtbl_read(md, node, sr, &part);
	case CONFIG_T_TRIAL:
		return mgs_trial_read(md, node, sr, part.name, part.size);
	default:
		return -EOPNOTSUPP;
	}
}

static int ack_parse(const void *val, u32 len, struct mgs_ack *ack)
{
	const struct lustre_config_ack *wire = val;
	const char *text = (const char *)(wire + 1);

	if (len < sizeof(*wire) || (len > sizeof(*wire) &&
				    ((const char *)val)[len - 1]))
		return -EPROTO;
	if (!mgs_name_ok(wire->ca_name, sizeof(wire->ca_name)))
		return -EINVAL;
	memset(ack, 0, sizeof(*ack));
	strscpy(ack->name, wire->ca_name, sizeof(ack->name));
	ack->type = le32_to_cpu(wire->ca_type);
	ack->status = (int)le32_to_cpu(wire->ca_status);
	ack->epoch = le64_to_cpu(wire->ca_epoch);
	ack->generation = le64_to_cpu(wire->ca_generation);
	ack->last_index = le32_to_cpu(wire->ca_last_index);
	ack->applied = le32_to_cpu(wire->ca_applied);
	ack->failed = le32_to_cpu(wire->ca_failed);
	ack->failed_index = le32_to_cpu(wire->ca_failed_index);
	if (ack->status > 0 || ack->status < -MAX_ERRNO)
		return -EPROTO;
	if (len > sizeof(*wire))
		strscpy(ack->why, text, sizeof(ack->why));
	text_clean(ack->why);
	return 0;
}

/*
 * A node acknowledges a log, or reports that a target has stopped.
 * Return: 0; -EOPNOTSUPP for another key; -EPROTO, -EINVAL for an invalid message; as
 * mgs_node_ack() and mgs_target_stop()
 */
int mgs_set_info(struct obd_export *exp, const char *key, const void *val,
		 u32 vallen)
{
	struct mgs_node *node = READ_ONCE(exp->exp_data);
	struct mgs_ack *ack;
	int rc;

	if (!strcmp(key, TARGET_STOP_KEY))
		return mgs_target_stop(exp, val, vallen);
	if (strcmp(key, CONFIG_ACK_KEY))
		return -EOPNOTSUPP;
	if (!node)
		return -ENOTCONN;
	ack = kzalloc(sizeof(*ack), GFP_KERNEL);
	if (!ack)
		return -ENOMEM;
	rc = ack_parse(val, vallen, ack);
	rc = rc ?: mgs_node_ack(mgs_device(exp->exp_obd), node, ack);
	kfree(ack);
	return rc;
}

static const struct ptlrpc_handler mgs_handlers[] = {
	{
		.shd_opc = MGS_CONFIG_READ,
		.shd_portal = MGS_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT,
		.shd_req_lens = { sizeof(struct lustre_config_read) },
		.shd_rep_lens = { sizeof(struct lustre_config_info) },
		.shd_fn = config_read,
	},
	{
		.shd_opc = MGS_TARGET_REG,
		.shd_portal = MGS_REQUEST_PORTAL,
		.shd_flags = SVH_EXPORT | SVH_ONCE,
		.shd_req_lens = { sizeof(struct lustre_target),
				  sizeof(struct lustre_nid), 1 },
		.shd_rep_lens = { sizeof(struct lustre_target), OBD_WHY_MAX },
		.shd_fn = mgs_target_register,
	},
};

const struct ptlrpc_target_ops mgs_target_ops = {
	.to_handlers		= mgs_handlers,
	.to_handler_count	= ARRAY_SIZE(mgs_handlers),
};
