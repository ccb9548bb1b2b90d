// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations on all logs of a file system or target: remove superseded records, copy them
 * under another name, erase them, have them rewritten, replace NIDs.
 *
 * The sections that add a target are rewritten with the new NIDs in place, so that later
 * records still find its device.
 */
#include "log_internal.h"

/* Call @fn for each log of a file system. */
static int each_log(struct mgs_fs_change *change,
		    int (*fn)(struct mgs_fs_change *change, const char *log,
		    void *data), void *data)
{
	struct mgs_fs_target *target;
	int rc = 0;

	if (change->db.has_client)
		rc = fn(change, change->db.log, data);
	list_for_each_entry(target, &change->db.targets, list)
		if (!rc && target->has_log)
			rc = fn(change, target->name, data);
	return rc;
}

/* Run @fn on an existing file system. */
static int with_fs(struct mgs_call *call, const char *fsname,
		   int (*fn)(struct mgs_call *call, struct mgs_fs_change *change))
{
	struct mgs_fs_change *change = kzalloc(sizeof(*change), GFP_KERNEL);
	int rc;

	if (!change)
		return -ENOMEM;
	rc = mgs_fs_change_init(change, call->txn, fsname, call->why);
	if (!rc && (mgs_fsname_check(fsname) || !mgs_fsdb_exists(&change->db)))
		rc = obd_refuse(call->why, -ENOENT,
				"there is no file system '%.64s'", fsname);
	if (!rc)
		rc = fn(call, change);
	mgs_fs_change_fini(change);
	kfree(change);
	return rc;
}

/* Rewrite a log with what is in force. @backup: keep the old log as LOG.bak */
int mgs_log_compact(struct mgs_edit *edit, const char *log, bool backup)
{
	const struct mgs_section *section;
	struct mgs_sections image;

	mgs_edit_load(edit, &image, log);
	if (image.useless || image.swapped) {
		if (backup)
			mgs_log_backup(edit, log);
		mgs_log_remove(edit, log);
		list_for_each_entry(section, &image.sections, list)
			if (mgs_section_live(section) &&
			    mgs_section_first(section))
				mgs_section_copy(edit, log, section);
	}
	mgs_sections_free(&image);
	return edit->rc;
}

static int clear_one(struct mgs_fs_change *change, const char *log, void *data)
{
	return mgs_log_compact(&change->edit, log, true);
}

static int clear_fs(struct mgs_call *call, struct mgs_fs_change *change)
{
	return each_log(change, clear_one, NULL);
}

/* FS or a log */
int mgs_do_clear_conf(struct mgs_call *call)
{
	const char *name = call->args[0];
	struct mgs_log_name known;
	struct mgs_log_info info;
	struct mgs_edit edit;
	int rc;

	mgs_log_name_parse(name, &known);
	if (known.kind == MGS_LOG_OTHER)
		return with_fs(call, name, clear_fs);
	rc = mgs_edit_init(&edit, call->txn, call->why);
	if (!rc && mgs_view_info(edit.view, name, &info) == -ENOENT)
		rc = obd_refuse(call->why, -ENOENT, "there is no log '%.64s'",
				name);
	if (!rc)
		rc = mgs_log_compact(&edit, name, true);
	mgs_edit_fini(&edit);
	return rc;
}

/**
 * struct mgs_fork - a copy of logs under another name
 * @call: operation
 * @from: name of the file system
 * @to: name of the new one
 * @buf: buffer for the texts of a command
 */
struct mgs_fork {
	struct mgs_call	*call;
	const char	*from;
	const char	*to;
	char		*buf;
};

/* Whether a text is the file system, or starts with its name and '-' */
static bool fork_names(const struct mgs_fork *fork, const char *text)
{
	size_t len = strlen(fork->from);

	return !strncmp(text, fork->from, len) &&
	       (!text[len] || text[len] == '-');
}

static void fork_text(const struct mgs_fork *fork, char *text, size_t size)
{
	char name[MTI_NAME_MAXLEN];

	if (!fork_names(fork, text))
		return;
	scnprintf(name, sizeof(name), "%s%s", fork->to,
		  text + strlen(fork->from));
	strscpy(text, name, size);
}

/* Replace every name in a command. @cfg: out: points into @fork->buf */
static void fork_cfg(const struct mgs_fork *fork, struct lcfg_view *cfg)
{
	size_t skip = strlen(fork->from), used = 0;
	const char *text;
	int len;
	u32 n;

	for (n = 0; n < cfg->bufcount; n++) {
		text = lcfg_string(cfg, n);
		if (!text || !fork_names(fork, text) ||
		    (cfg->command == LCFG_PARAM && n) ||
		    (mgs_is_pool(cfg->command) && n == 2))
			continue;
		len = scnprintf(fork->buf + used, LUSTRE_CFG_SIZE_MAX - used,
				"%s%s", fork->to, text + skip);
		cfg->buf[n].data = fork->buf + used;
		cfg->buf[n].len = (u32)len + 1;
		used += (size_t)len + 1;
	}
}

static void fork_line(const struct mgs_fork *fork, struct mgs_edit *edit,
		      const struct mgs_line *line)
{
	struct lcfg_view cfg = line->cfg;
	struct lov_desc desc;

	fork_cfg(fork, &cfg);
	if (cfg.command == LCFG_SETUP && cfg.bufcount > 1 &&
	    cfg.buf[1].len == sizeof(desc)) {
		memcpy(&desc, line->cfg.buf[1].data, sizeof(desc));
		desc.ld_uuid[sizeof(desc.ld_uuid) - 1] = '\0';
		fork_text(fork, desc.ld_uuid, sizeof(desc.ld_uuid));
		cfg.buf[1].data = (const char *)&desc;
	}
	mgs_put(edit, &cfg);
}

/* Markers of pools contain names. */
static void fork_comment(const struct mgs_fork *fork, struct mgs_section *section)
{
	const struct mgs_line *line = mgs_section_first(section);
	struct lcfg_view cfg;
	const char *pool, *uuid;

	if (!line || !mgs_is_pool(line->cfg.command))
		return;
	cfg = line->cfg;
	fork_cfg(fork, &cfg);
	pool = lcfg_string(&cfg, 2);
	uuid = lcfg_string(&cfg, 3);
	if (pool)
		mgs_pool_comment(section->raw.cm_comment, cfg.command, fork->to,
				 pool, uuid ? uuid : "");
}

static void fork_section(const struct mgs_fork *fork, struct mgs_edit *edit,
			 const char *log, struct mgs_section *section)
{
	const struct mgs_line *line;

	fork_text(fork, section->raw.cm_tgtname,
		  sizeof(section->raw.cm_tgtname));
	fork_comment(fork, section);
	mgs_section_open(edit, log, section);
	list_for_each_entry(line, &section->lines, list)
		fork_line(fork, edit, line);
	mgs_section_end(edit);
}

static int fork_log(struct mgs_fs_change *change, const char *log, void *data)
{
	struct mgs_edit *edit = &change->edit;
	const struct mgs_fork *fork = data;
	struct mgs_section *section;
	struct mgs_sections image;
	char to[MGS_DEVICE_LEN];

	mgs_name(to, "%s%s", fork->to, log + strlen(fork->from));
	mgs_edit_load(edit, &image, log);
	list_for_each_entry(section, &image.sections, list)
		if (mgs_section_live(section))
			fork_section(fork, edit, to, section);
	mgs_sections_free(&image);
	return edit->rc;
}

static int fork_check(struct mgs_call *call, struct mgs_edit *edit)
{
	const char *to = call->args[1];
	struct mgs_fsdb db;
	int rc;

	if (mgs_fsname_check(to))
		return obd_refuse(call->why, -EINVAL,
				  "'%.64s' is not a valid name of a file system; give 1 to %d letters, digits, '_' or '-', a letter first",
				  to, LUSTRE_MAXFSNAME);
	rc = mgs_fsdb_load(&db, edit->txn, to);
	if (!rc && mgs_fsdb_exists(&db))
		rc = obd_refuse(call->why, -EEXIST,
				"there is a file system %s already", to);
	mgs_fsdb_free(&db);
	return rc;
}

static int fork_fs(struct mgs_call *call, struct mgs_fs_change *change)
{
	struct mgs_fork fork = {
		.call = call,
		.from = call->args[0],
		.to = call->args[1],
	};
	int rc;

	rc = fork_check(call, &change->edit);
	if (rc)
		return rc;
	fork.buf = kvmalloc(LUSTRE_CFG_SIZE_MAX, GFP_KERNEL);
	if (!fork.buf)
		return -ENOMEM;
	rc = each_log(change, fork_log, &fork);
	kvfree(fork.buf);
	return rc;
}

/* FS, new name */
int mgs_do_fork_lcfg(struct mgs_call *call)
{
	return with_fs(call, call->args[0], fork_fs);
}

static int erase_one(struct mgs_fs_change *change, const char *log, void *data)
{
	struct mgs_edit *edit = &change->edit;
	struct mgs_log_info info;
	char backup[MGS_DEVICE_LEN];

	++*(u32 *)data;
	mgs_log_remove(edit, log);
	mgs_name(backup, "%s" MGS_BACKUP_SUFFIX, log);
	if (mgs_view_info(edit->view, backup, &info) != -ENOENT)
		mgs_log_remove(edit, backup);
	return edit->rc;
}

static int erase_fs(struct mgs_call *call, struct mgs_fs_change *change)
{
	struct mgs_edit *edit = &change->edit;
	struct mgs_fs_target *target;
	u32 logs = 0, settings;
	int rc;

	rc = each_log(change, erase_one, &logs);
	if (rc)
		return rc;
	list_for_each_entry(target, &change->db.targets, list)
		mgs_identity_drop(edit, target->name);
	settings = mgs_params_forget(edit, change->db.fsname);
	if (edit->rc)
		return edit->rc;
	return obd_refuse(call->why, 0,
			  "%s: %u logs erased, and %u settings for all its nodes",
			  change->db.fsname, logs, settings);
}

/* FS */
int mgs_do_erase_lcfg(struct mgs_call *call)
{
	return with_fs(call, call->args[0], erase_fs);
}

static bool any_section(const struct mgs_section *section, const char *name)
{
	return true;
}

/* Whether a section of the client log is a setting or a pool */
static bool is_setting(const struct mgs_section *section, const char *name)
{
	const struct mgs_line *line = mgs_section_first(section);

	switch (line ? line->cfg.command : 0) {
	case LCFG_PARAM:
	case LCFG_SET_TIMEOUT:
	case LCFG_SET_LDLM_TIMEOUT:
		return true;
	default:
		return line && mgs_is_pool(line->cfg.command);
	}
}

/* A log with nothing in force is rewritten when its target registers. */
static int writeconf_fs(struct mgs_call *call, struct mgs_fs_change *change)
{
	struct mgs_fs_target *target;

	if (change->db.has_client)
		mgs_edit_skip(&change->edit, change->db.log, is_setting, NULL);
	list_for_each_entry(target, &change->db.targets, list)
		if (target->own)
			mgs_edit_skip(&change->edit, target->name, any_section,
				      NULL);
	if (change->edit.rc)
		return change->edit.rc;
	return obd_refuse(call->why, 0,
			  "%s: settings and pools are gone; each target's log is written when that is mounted next",
			  change->db.fsname);
}

static int writeconf_target(struct mgs_call *call)
{
	struct mgs_fs_change *change = kzalloc(sizeof(*change), GFP_KERNEL);
	int rc;

	if (!change)
		return -ENOMEM;
	rc = mgs_fs_change_target(change, call->txn, call->args[0], call->why);
	if (!rc && change->target->own)
		mgs_edit_skip(&change->edit, change->target->name, any_section,
			      NULL);
	rc = rc ? rc : change->edit.rc;
	if (!rc)
		obd_refuse(call->why, 0,
			   "%s: its log is written when it is mounted next",
			   change->target->name);
	mgs_fs_change_fini(change);
	kfree(change);
	return rc;
}

/* FS or TARGET */
int mgs_do_writeconf(struct mgs_call *call)
{
	struct mgs_log_name name;

	if (mgs_target_name_parse(call->args[0], &name))
		return writeconf_target(call);
	return with_fs(call, call->args[0], writeconf_fs);
}

/**
 * struct mgs_renid - new NIDs of a target
 * @change: change
 * @nodes: its new nodes
 * @backup: keep the logs as LOG.bak
 */
struct mgs_renid {
	struct mgs_fs_change	*change;
	const struct mgs_nodes	*nodes;
	bool			backup;
};

/* "add failnid": failover nodes of a target, by conf_param */
bool mgs_is_failnid(const struct mgs_section *section, const char *svname)
{
	return mgs_section_live(section) &&
	       !strcmp(section->marker.comment, "add failnid") &&
	       !strcmp(section->marker.tgtname, svname);
}

static bool is_failnid(const struct mgs_renid *renid,
		       const struct mgs_section *section)
{
	return mgs_is_failnid(section, renid->change->target->name);
}

static bool is_add(const struct mgs_renid *renid, const struct mgs_section *section)
{
	return mgs_section_live(section) &&
	       mgs_section_adds(section, renid->change->target->name);
}

/* Whether a log has other nodes, or other names for them */
static bool log_differs(const struct mgs_renid *renid,
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

/* Write the section that adds the target, with its new nodes. */
static void rewrite_add(const struct mgs_renid *renid, const char *log,
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

static void rewrite_log(const struct mgs_renid *renid, const char *log,
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

static void renid_log(const struct mgs_renid *renid, const char *log)
{
	struct mgs_edit *edit = &renid->change->edit;
	struct mgs_sections image;

	if (!mgs_edit_load(edit, &image, log) && log_differs(renid, &image))
		rewrite_log(renid, log, &image);
	mgs_sections_free(&image);
}

static int renid_run(const struct mgs_renid *renid)
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

/* Replace the nodes of the target of a change. */
int mgs_replace_nodes(struct mgs_fs_change *change, const struct mgs_nodes *nodes)
{
	const struct mgs_renid renid = { .change = change, .nodes = nodes };

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
		return obd_refuse(call->why, -ENOENT,
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
	const struct mgs_renid renid = {
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
