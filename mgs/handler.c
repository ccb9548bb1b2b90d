// SPDX-License-Identifier: GPL-2.0
/*
 * Requests of nodes: read a log, in parts; say what became of it. Whatever they
 * send is looked at before it is used.
 */
#define DEBUG_SUBSYSTEM S_MGS

#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "mgs_internal.h"

/*
 * Whether a name from elsewhere is one; it ends within @room bytes.
 * Return: whether it has a NUL, 1 byte or more, and is no path
 */
bool mgs_name_ok(const char *name, size_t room)
{
	size_t len = strnlen(name, room), n;

	if (!len || len == room || name[0] == '.' || strstr(name, ".."))
		return false;
	for (n = 0; n < len; n++) {
		if (!isascii(name[n]) || !isgraph(name[n]) || name[n] == '/')
			return false;
	}
	return true;
}

/* Make a text from elsewhere one that may be printed */
static void text_clean(char *text)
{
	for (; *text; text++) {
		if (!isascii(*text) || !isprint(*text))
			*text = '?';
	}
}

/*
 * Make the reply of a read. Context: may sleep for memory.
 * Return: second buffer, to be filled in; NULL without memory
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

	if (!wire || !mgs_name_ok(wire->cr_name, sizeof(wire->cr_name)))
		return -EINVAL;
	part->name = wire->cr_name;
	part->type = le32_to_cpu(wire->cr_type);
	part->room = min_t(u32, le32_to_cpu(wire->cr_room),
			   WIRE_CONFIG_MAX);
	part->born = le64_to_cpu(wire->cr_born);
	part->offset = le64_to_cpu(wire->cr_offset);
	return 0;
}

/* The number of a birth as readers have it. Return: ci_born */
u64 mgs_wire_born(const struct mgs_device *md, u64 born)
{
	if (!born)
		return 0;
	return (u64)mgs_store_seed(md->md_store) << 32 | lower_32_bits(born);
}

/* A log that there is not yet is empty, as of now. */
static int log_info(struct mgs_device *md, const char *name,
		    struct mgs_log_info *info)
{
	int rc = mgs_store_info(md->md_store, NULL, name, info);

	if (rc != -ENOENT)
		return rc;
	memset(info, 0, sizeof(*info));
	info->li_generation = mgs_store_generation(md->md_store);
	return 0;
}

/**
 * struct log_part - a part of a log that is sent
 * @info: log
 * @born: as the reader has it
 * @offset: first byte
 * @len: bytes
 */
struct log_part {
	struct mgs_log_info	info;
	u64			born;
	u64			offset;
	u32			len;
};

/* From where the reader is; from the begin where it knows another log. */
static int part_find(struct mgs_device *md, const struct mgs_part_wanted *want,
		     struct log_part *part)
{
	int rc;

	mgs_store_lock(md->md_store);
	rc = log_info(md, want->name, &part->info);
	mgs_store_unlock(md->md_store);
	if (rc)
		return rc;
	part->born = mgs_wire_born(md, part->info.li_born);
	part->offset = want->offset;
	if (want->born != part->born || want->offset > part->info.li_size)
		part->offset = 0;
	part->len = min_t(u64, want->room, part->info.li_size - part->offset);
	return 0;
}

/* Its bytes. Return: 0; -EAGAIN: the log was changed meanwhile; -EIO */
static int part_read(struct mgs_device *md, const struct mgs_part_wanted *want,
		     const struct log_part *part, void *to)
{
	struct mgs_log_info now;
	int rc;

	mgs_store_lock(md->md_store);
	rc = log_info(md, want->name, &now);
	if (!rc && (now.li_generation != part->info.li_generation ||
		    now.li_born != part->info.li_born))
		rc = -EAGAIN;
	if (!rc && mgs_store_read(md->md_store, NULL, want->name, part->offset,
				  to, part->len) != (ssize_t)part->len)
		rc = -EIO;
	mgs_store_unlock(md->md_store);
	return rc;
}

static int part_reply(struct mgs_device *md, struct ptlrpc_svc_req *sr,
		      const struct mgs_part_wanted *want, u32 jitter)
{
	struct lustre_config_info wire;
	struct log_part part;
	void *to;
	int rc = part_find(md, want, &part);

	if (rc)
		return rc;
	wire = (struct lustre_config_info) {
		.ci_born = cpu_to_le64(part.born),
		.ci_generation = cpu_to_le64(part.info.li_generation),
		.ci_offset = cpu_to_le64(part.offset),
		.ci_size = cpu_to_le64(part.info.li_size),
		.ci_last_index = cpu_to_le32(part.info.li_last_index),
		.ci_jitter_ms = cpu_to_le32(jitter),
	};
	to = mgs_read_reply(sr, &wire, part.len);
	if (!to)
		return -ENOMEM;
	return part.len ? part_read(md, want, &part, to) : 0;
}

/* Bytes and what is said of them are of one generation. */
static int log_read(struct mgs_device *md, struct mgs_node *node,
		    struct ptlrpc_svc_req *sr, const struct mgs_part_wanted *want)
{
	u32 followers, jitter;
	int rc = mgs_node_follow(md, node, want->name, want->type, &followers);

	if (rc)
		return rc;
	jitter = mgs_notify_jitter(md, followers);
	do {
		rc = part_reply(md, sr, want, jitter);
	} while (rc == -EAGAIN);
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
		return mgs_trial_read(md, node, sr, part.name, part.room);
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
	ack->born = le64_to_cpu(wire->ca_born);
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
 * A node says what became of a log, or that a target has stopped.
 * Return: 0; -EOPNOTSUPP for another key; -EPROTO, -EINVAL for what makes no sense; as
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
