// SPDX-License-Identifier: GPL-2.0
/*
 * Other NIDs of a target: the sections that add it are written with them where they
 * are, so what comes after still finds its device.
 */
#include "log_internal.h"

/**
 * struct renid - a target that gets other NIDs
 * @change: change
 * @nodes: its nodes from now on
 * @backup: keep the logs as LOG.bak
 */
struct renid {
	struct mgs_fs_change	*change;
	const struct mgs_nodes	*nodes;
	bool			backup;
};

/* "add failnid": further nodes of a target, by conf_param. */
bool mgs_is_failnid(const struct mgs_section *section, const char *svname)
{
	return mgs_section_live(section) &&
	       !strcmp(section->marker.comment, "add failnid") &&
	       !strcmp(section->marker.tgtname, svname);
}

static bool is_failnid(const struct renid *renid,
		       const struct mgs_section *section)
{
	return mgs_is_failnid(section, renid->change->target->name);
}

static bool is_add(const struct renid *renid, const struct mgs_section *section)
{
	return mgs_section_live(section) &&
	       mgs_section_adds(section, renid->change->target->name);
}

/* Whether a log has other nodes, or names them in another way. */
static bool log_differs(const struct renid *renid,
			const struct mgs_sections *image)
{
	const struct mgs_section *section;
	struct mgs_nodes *nodes;
	bool differs = false;

	nodes = kzalloc(sizeof(*nodes), GFP_KERNEL);
	if (!nodes) {
		renid->change->edit.rc = -ENOMEM;
		return false;
	}
	list_for_each_entry(section, &image->sections, list) {
		if (!is_add(renid, section) && !is_failnid(renid, section))
			continue;
		nodes->count = 0;
		mgs_nodes_of(nodes, section);
		if (is_failnid(renid, section) ||
		    !mgs_nodes_same(nodes, renid->nodes))
			differs = true;
	}
	kfree(nodes);
	return differs;
}

static void put_setup(struct mgs_edit *edit, const struct mgs_line *line,
		      const char *uuid)
{
	struct lcfg_view cfg = line->cfg;

	if (cfg.bufcount > 2) {
		cfg.buf[2].data = uuid;
		cfg.buf[2].len = (u32)strlen(uuid) + 1;
	}
	mgs_put(edit, &cfg);
}

/* The section that adds the target, with its new nodes. */
static void rewrite_add(const struct renid *renid, const char *log,
			const struct mgs_section *section)
{
	struct mgs_edit *edit = &renid->change->edit;
	const char *device = NULL;
	const struct mgs_line *line;
	char uuid[LNET_NID_TEXT_MAX];

	mgs_section_open(edit, log, section);
	mgs_put_primary(edit, renid->nodes, uuid);
	list_for_each_entry(line, &section->lines, list) {
		switch (line->cfg.command) {
		case LCFG_ADD_UUID:
		case LCFG_ADD_CONN:
			break;
		case LCFG_SETUP:
			device = lcfg_string(&line->cfg, 0);
			put_setup(edit, line, uuid);
			if (device)
				mgs_put_failover(edit, renid->nodes, device, 1);
			break;
		default:
			mgs_put(edit, &line->cfg);
			break;
		}
	}
	mgs_section_end(edit);
}

static void rewrite_log(const struct renid *renid, const char *log,
			const struct mgs_sections *image)
{
	struct mgs_edit *edit = &renid->change->edit;
	const struct mgs_section *section;

	if (renid->backup)
		mgs_log_backup(edit, log);
	mgs_log_remove(edit, log);
	list_for_each_entry(section, &image->sections, list) {
		if (is_add(renid, section))
			rewrite_add(renid, log, section);
		else if (!is_failnid(renid, section))
			mgs_section_copy(edit, log, section);
	}
}

static void renid_log(const struct renid *renid, const char *log)
{
	struct mgs_edit *edit = &renid->change->edit;
	struct mgs_sections image;

	if (!mgs_edit_load(edit, &image, log) && log_differs(renid, &image))
		rewrite_log(renid, log, &image);
	mgs_sections_free(&image);
}

static int renid_run(const struct renid *renid)
{
	struct mgs_fs_change *change = renid->change;
	struct mgs_fs_target *mdt;

	if (change->db.has_client)
		renid_log(renid, change->db.log);
	list_for_each_entry(mdt, &change->db.targets, list)
		if (change->target->kind == MGS_LOG_OST &&
		    mdt->kind == MGS_LOG_MDT && mdt->has_log)
			renid_log(renid, mdt->name);
	return change->edit.rc;
}

/* The change's target is at other nodes now. */
int mgs_replace_nodes(struct mgs_fs_change *change, const struct mgs_nodes *nodes)
{
	const struct renid renid = { .change = change, .nodes = nodes };

	return renid_run(&renid);
}

static int renid_parse(struct mgs_call *call, struct mgs_fs_change *change,
		       struct mgs_nodes *nodes)
{
	int rc;

	rc = mgs_fs_change_target(change, call->txn, call->args[0], call->why);
	if (rc)
		return rc;
	if (!change->target->client)
		return mgs_refuse(call->why, -ENOENT,
				  "the client log does not have %s; it is as it registers",
				  change->target->name);
	return mgs_nodes_parse(nodes, call->args[1], strlen(call->args[1]),
			       call->why);
}

/* TARGET, "NID[,NID][:NID[,NID]]" */
int mgs_do_replace_nids(struct mgs_call *call)
{
	struct mgs_fs_change *change = kzalloc(sizeof(*change), GFP_KERNEL);
	struct mgs_nodes *nodes = kzalloc(sizeof(*nodes), GFP_KERNEL);
	const struct renid renid = {
		.change = change,
		.nodes = nodes,
		.backup = true,
	};
	int rc = -ENOMEM;

	if (!change || !nodes)
		goto out_free;
	rc = renid_parse(call, change, nodes);
	if (!rc)
		rc = renid_run(&renid);
	mgs_fs_change_fini(change);
out_free:
	kfree(nodes);
	kfree(change);
	return rc;
}
