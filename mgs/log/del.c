// SPDX-License-Identifier: GPL-2.0
/*
 * Records taken out: all of an OST, or a single one.
 */
#include "log_internal.h"

/* Whether it puts the OST into a pool, or takes it out. */
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
		mgs_log_reborn(edit, log);
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
int mgs_do_del_ost(struct mgs_call *call)
{
	struct mgs_fs_change *change = kzalloc(sizeof(*change), GFP_KERNEL);
	int rc;

	if (!change)
		return -ENOMEM;
	rc = mgs_fs_change_target(change, call->txn, call->args[0], call->why);
	if (!rc && change->target->kind != MGS_LOG_OST)
		rc = mgs_refuse(call->why, -EINVAL,
				"%s is no OST; an MDT cannot be taken out",
				change->target->name);
	if (!rc)
		rc = del_everywhere(change);
	mgs_fs_change_fini(change);
	kfree(change);
	return rc;
}

/**
 * struct cancel_search - a record being looked for
 * @index: its number
 * @seen: it is there and not cancelled
 * @marker: and is one
 */
struct cancel_search {
	u32	index;
	bool	seen;
	bool	marker;
};

static int cancel_look(void *data, const struct lcfg_marker *section,
		       const struct mgs_rec *rec)
{
	struct cancel_search *search = data;

	if (rec->index != search->index)
		return 0;
	search->seen = true;
	search->marker = rec->cfg.command == LCFG_MARKER;
	return 0;
}

static int cancel_check(struct mgs_call *call, struct mgs_edit *edit)
{
	struct cancel_search search = { .index = call->index };
	const char *log = call->args[0];
	int rc;

	rc = mgs_scan(edit->store, call->txn, log, cancel_look, &search);
	if (rc == -ENOENT || rc == -EINVAL)
		return mgs_refuse(call->why, rc, "there is no log '%.64s'",
				  log);
	if (rc)
		return rc;
	if (!search.seen)
		return mgs_refuse(call->why, -ENOENT,
				  "log %s has no record %u that is in force",
				  log, call->index);
	if (search.marker)
		return mgs_refuse(call->why, -EINVAL,
				  "record %u of log %s is a marker; cancel what is between two of them",
				  call->index, log);
	return 0;
}

/* log; mc_index */
int mgs_do_cancel(struct mgs_call *call)
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
		rc = mgs_txn_reborn(call->txn, log);
	mgs_edit_fini(&edit);
	return rc;
}
