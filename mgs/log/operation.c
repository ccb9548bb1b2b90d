// SPDX-License-Identifier: GPL-2.0-only
/* The operations by number, and those that remove records: of an OST, or a single one. */
#include "log_internal.h"

/* Whether a section adds the OST to a pool or removes it */
static bool is_pool_of(const struct mgs_section *section, const char *uuid)
{
	const struct mgs_line *line;
	const char *seen;

	list_for_each_entry(line, &section->lines, list) {
		seen = lcfg_string(&line->cfg, 3);
		if ((line->cfg.command == LCFG_POOL_ADD ||
		     line->cfg.command == LCFG_POOL_REM) && seen &&
		    !strcmp(seen, uuid))
			return true;
	}
	return false;
}

static void del_in(struct mgs_fs_change *change, const char *log)
{
	const char *svname = change->target->name;
	struct mgs_edit *edit = &change->edit;
	const struct mgs_section *section;
	struct mgs_sections image;
	char uuid[MGS_DEVICE_LEN];
	u32 count = 0;

	mgs_name(uuid, "%s_UUID", svname);
	mgs_edit_load(edit, &image, log);
	list_for_each_entry(section, &image.sections, list) {
		if (!mgs_section_about(section, svname) &&
		    !is_pool_of(section, uuid))
			continue;
		mgs_section_cancel(edit, log, section);
		count++;
	}
	if (count)
		mgs_log_new_epoch(edit, log);
	mgs_sections_free(&image);
}

static int del_everywhere(struct mgs_fs_change *change)
{
	struct mgs_fs_target *mdt;

	if (change->db.has_client)
		del_in(change, change->db.log);
	list_for_each_entry(mdt, &change->db.targets, list)
		if (mdt->kind == MGS_LOG_MDT && mdt->has_log)
			del_in(change, mdt->name);
	if (change->target->has_log)
		mgs_log_remove(&change->edit, change->target->name);
	mgs_identity_drop(&change->edit, change->target->name);
	return change->edit.rc;
}

/* TARGET */
static int do_del_ost(struct mgs_call *call)
{
	struct mgs_fs_change *change = kzalloc(sizeof(*change), GFP_KERNEL);
	int rc;

	if (!change)
		return -ENOMEM;
	rc = mgs_fs_change_target(change, call->txn, call->args[0], call->why);
	if (!rc && change->target->kind != MGS_LOG_OST)
		rc = obd_refuse(call->why, -EINVAL,
				"%s is not an OST; an MDT cannot be removed",
				change->target->name);
	if (!rc)
		rc = del_everywhere(change);
	mgs_fs_change_fini(change);
	kfree(change);
	return rc;
}

/**
 * struct mgs_cancel_search - search for a record
 * @index: its number
 * @seen: it exists and is not cancelled
 * @marker: it is a marker
 */
struct mgs_cancel_search {
	u32	index;
	bool	seen;
	bool	marker;
};

static int cancel_look(void *data, const struct lcfg_marker *section,
		       const struct mgs_rec *rec)
{
	struct mgs_cancel_search *search = data;

	if (rec->index != search->index)
		return 0;
	search->seen = true;
	search->marker = rec->cfg.command == LCFG_MARKER;
	return 0;
}

static int cancel_check(struct mgs_call *call, struct mgs_edit *edit)
{
	struct mgs_cancel_search search = { .index = call->index };
	const char *log = call->args[0];
	int rc;

	rc = mgs_scan(edit->view, log, cancel_look, &search);
	if (rc == -ENOENT || rc == -EINVAL)
		return obd_refuse(call->why, rc, "there is no log '%.64s'",
				  log);
	if (rc)
		return rc;
	if (!search.seen)
		return obd_refuse(call->why, -ENOENT,
				  "log %s has no record %u that is in force",
				  log, call->index);
	if (search.marker)
		return obd_refuse(call->why, -EINVAL,
				  "record %u of log %s is a marker; cancel the records between two markers",
				  call->index, log);
	return 0;
}

/* log; mc_index */
static int do_cancel(struct mgs_call *call)
{
	const char *log = call->args[0];
	struct mgs_edit edit;
	int rc;

	rc = mgs_edit_init(&edit, call->txn, call->why);
	if (!rc)
		rc = cancel_check(call, &edit);
	if (!rc)
		rc = mgs_txn_cancel(call->txn, log, call->index);
	if (!rc)
		rc = mgs_txn_new_epoch(call->txn, log);
	mgs_edit_fini(&edit);
	return rc;
}

/**
 * struct mgs_operation - one of enum mgs_change_op
 * @op: number
 * @argc: number of texts that it takes
 * @name: command of lctl
 * @usage: its texts, for messages
 * @run: implementation
 */
struct mgs_operation {
	u32		op;
	unsigned int	argc;
	const char	*name;
	const char	*usage;
	int		(*run)(struct mgs_call *call);
};

static const struct mgs_operation operations[] = {
	{ MGS_SET_PARAM, 2, "set_param", "a pattern and a value",
	  mgs_do_set_param },
	{ MGS_DEL_PARAM, 1, "set_param -d", "a pattern", mgs_do_del_param },
	{ MGS_CONF_PARAM, 2, "conf_param", "TARGET.NAME or FS.NAME and a value",
	  mgs_do_conf_param },
	{ MGS_DEL_CONF_PARAM, 1, "conf_param -d", "TARGET.NAME or FS.NAME",
	  mgs_do_del_conf_param },
	{ MGS_REPLACE_NIDS, 2, "replace_nids", "a target and its NIDs",
	  mgs_do_replace_nids },
	{ MGS_CLEAR_CONF, 1, "clear_conf", "a file system or a log",
	  mgs_do_clear_conf },
	{ MGS_FORK_LCFG, 2, "fork_lcfg", "a file system and a new name",
	  mgs_do_fork_lcfg },
	{ MGS_ERASE_LCFG, 1, "erase_lcfg", "a file system", mgs_do_erase_lcfg },
	{ MGS_DEL_OST, 1, "del_ost", "an OST", do_del_ost },
	{ MGS_POOL_NEW, 2, "pool_new", "a file system and a pool",
	  mgs_do_pool_new },
	{ MGS_POOL_ADD, 3, "pool_add", "a file system, a pool and an OST",
	  mgs_do_pool_add },
	{ MGS_POOL_REM, 3, "pool_remove", "a file system, a pool and an OST",
	  mgs_do_pool_rem },
	{ MGS_POOL_DEL, 2, "pool_destroy", "a file system and a pool",
	  mgs_do_pool_del },
	{ MGS_CANCEL_RECORD, 1, "llog_cancel", "a log", do_cancel },
	{ MGS_WRITECONF, 1, "writeconf", "a file system or a target",
	  mgs_do_writeconf },
	{ MGS_REPLACE_TARGET, 1, "replace_target", "a target",
	  mgs_do_replace_target },
};

/* "conf_param lustre.sys.timeout=20", for mgs_changes */
static int change_say(const struct mgs_operation *op, const struct mgs_call *call)
{
	const char *third = op->argc > 2 ? call->args[2] : "";
	const char *second = op->argc > 1 ? call->args[1] : "";
	bool value = op->op == MGS_SET_PARAM || op->op == MGS_CONF_PARAM;
	char *text;
	int rc;

	if (op->op == MGS_CANCEL_RECORD)
		text = kasprintf(GFP_KERNEL, "%s %s %u", op->name,
				 call->args[0], call->index);
	else
		text = kasprintf(GFP_KERNEL, "%s %s%s%s%s%s", op->name,
				 call->args[0],
				 value ? "=" : *second ? " " : "", second,
				 *third ? " " : "", third);
	if (!text)
		return -ENOMEM;
	rc = mgs_txn_say(call->txn, text);
	kfree(text);
	return rc;
}

static const struct mgs_operation *operation_find(u32 op)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(operations); n++)
		if (operations[n].op == op)
			return &operations[n];
	return NULL;
}

/**
 * mgs_log_change_check() - whether an operation exists and takes so many texts
 * @op: enum mgs_change_op
 * @argc: number of texts
 * @why: out: reason of a refusal; or NULL
 *
 * Context: any
 * Return: 0; -EINVAL
 */
int mgs_log_change_check(u32 op, unsigned int argc, struct obd_why *why)
{
	const struct mgs_operation *operation = operation_find(op);

	if (!operation)
		return obd_refuse(why, -EINVAL, "there is no operation %u", op);
	if (operation->argc != argc)
		return obd_refuse(why, -EINVAL, "%s: %u texts were given; give %s",
				  operation->name, argc, operation->usage);
	return 0;
}

/**
 * mgs_log_change() - make a change of the configuration
 * @txn: change
 * @op: enum mgs_change_op
 * @args: texts that it takes
 * @argc: number of @args
 * @index: record, for MGS_CANCEL_RECORD
 * @why: out: reason of a refusal, or a remark on success; or NULL
 *
 * Context: the writer; the caller commits or aborts
 * Return: 0, also if nothing had to be changed (mgs_txn_count()); -EINVAL for an
 * invalid argument or unknown operation; -ENOENT, -EEXIST; -E2BIG, -ENAMETOOLONG; -EIO for a
 * damaged log; -ENOMEM; as the store
 */
int mgs_log_change(struct mgs_txn *txn, u32 op, const char *const *args,
		   unsigned int argc, u32 index, struct obd_why *why)
{
	struct mgs_call call = {
		.txn = txn,
		.why = why,
		.args = args,
		.index = index,
	};
	int rc;

	if (why)
		why->text[0] = '\0';
	rc = mgs_log_change_check(op, argc, why);
	if (rc)
		return rc;
	rc = operation_find(op)->run(&call);
	return rc ? rc : change_say(operation_find(op), &call);
}
