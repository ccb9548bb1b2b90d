// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pools of OSTs. The state of a pool follows from all its commands in order: removing
 * something is a command too, and no section is skipped.
 */
#include <linux/ctype.h>

#include "log_internal.h"

#define POOL_NAME_MAX	15

/**
 * struct mgs_pool_call - an operation on a pool
 * @change: change of its file system
 * @command: LCFG_POOL_*
 * @pool: name
 * @uuid: uuid of the OST; "" if the command has none
 */
struct mgs_pool_call {
	struct mgs_fs_change	change;
	u32			command;
	const char		*pool;
	char			uuid[MGS_DEVICE_LEN];
};

static bool line_is(const struct mgs_line *line, u32 n, const char *text)
{
	const char *seen = lcfg_string(&line->cfg, n);

	return seen && !strcmp(seen, text);
}

/* Whether a command is about pools */
bool mgs_is_pool(u32 command)
{
	switch (command) {
	case LCFG_POOL_NEW:
	case LCFG_POOL_ADD:
	case LCFG_POOL_REM:
	case LCFG_POOL_DEL:
		return true;
	default:
		return false;
	}
}

/**
 * struct mgs_pool_state - state of a pool after its commands
 * @exists: the pool exists
 * @member: the OST is a member
 * @members: number of members
 */
struct mgs_pool_state {
	bool	exists;
	bool	member;
	int	members;
};

static void pool_step(struct mgs_pool_state *state, const struct mgs_line *line,
		      const char *uuid)
{
	bool mine = uuid[0] && line_is(line, 3, uuid);

	switch (line->cfg.command) {
	case LCFG_POOL_NEW:
	case LCFG_POOL_DEL:
		memset(state, 0, sizeof(*state));
		state->exists = line->cfg.command == LCFG_POOL_NEW;
		break;
	case LCFG_POOL_ADD:
		state->members++;
		state->member |= mine;
		break;
	case LCFG_POOL_REM:
		state->members--;
		state->member &= !mine;
		break;
	}
}

static void pool_look(const struct mgs_sections *image, const char *pool,
		      const char *uuid, struct mgs_pool_state *state)
{
	const struct mgs_section *section;
	const struct mgs_line *line;

	memset(state, 0, sizeof(*state));
	list_for_each_entry(section, &image->sections, list) {
		if (!mgs_section_live(section))
			continue;
		list_for_each_entry(line, &section->lines, list)
			if (mgs_is_pool(line->cfg.command) && line_is(line, 2, pool))
				pool_step(state, line, uuid);
	}
}

static const char *verb_of(u32 command)
{
	switch (command) {
	case LCFG_POOL_NEW:
		return "new";
	case LCFG_POOL_ADD:
		return "add";
	case LCFG_POOL_REM:
		return "rem";
	default:
		return "del";
	}
}

/* @text: out: "add lustre.pool.lustre-OST0000_UUID", MTI_NAME_MAXLEN bytes. @uuid: may be "" */
void mgs_pool_comment(char *comment, u32 command, const char *fsname,
		      const char *pool, const char *uuid)
{
	scnprintf(comment, MTI_NAME_MAXLEN, "%s %s.%s%s%s", verb_of(command),
		  fsname, pool, *uuid ? "." : "", uuid);
}

/* Write one command, in a section of its own. @mdt: NULL: to the client log */
static void pool_put(struct mgs_fs_change *change, const struct mgs_fs_target *mdt,
		     u32 command, const char *pool, const char *uuid)
{
	const struct mgs_fsdb *db = &change->db;
	char lov[MGS_DEVICE_LEN], comment[MTI_NAME_MAXLEN];

	mgs_name(lov, mdt ? "%s-mdtlov" : "%s-clilov",
		 mdt ? mdt->name : db->fsname);
	mgs_pool_comment(comment, command, db->fsname, pool, uuid);
	mgs_section_begin(&change->edit, mdt ? mdt->name : db->log, lov,
			  comment);
	if (*uuid)
		mgs_put_args(&change->edit, command, lov, db->fsname, pool,
			     uuid);
	else
		mgs_put_args(&change->edit, command, lov, db->fsname, pool);
	mgs_section_end(&change->edit);
}

static void pool_put_all(struct mgs_pool_call *pool)
{
	struct mgs_fs_target *mdt;

	list_for_each_entry(mdt, &pool->change.db.targets, list)
		if (mdt->kind == MGS_LOG_MDT && mdt->own)
			pool_put(&pool->change, mdt, pool->command, pool->pool,
				 pool->uuid);
	pool_put(&pool->change, NULL, pool->command, pool->pool, pool->uuid);
}

static int check_name(const char *name, struct obd_why *why)
{
	size_t len = strlen(name), n;

	for (n = 0; n < len; n++)
		if (!isalnum(name[n]) && name[n] != '_' &&
		    (!n || !strchr("-.", name[n])))
			break;
	if (len && len <= POOL_NAME_MAX && n == len)
		return 0;
	return obd_refuse(why, -EINVAL,
			  "'%.64s' is not a valid name of a pool; give 1 to %d letters, digits, '_', '-' or '.'",
			  name, POOL_NAME_MAX);
}

static int check_target(struct mgs_pool_call *pool, const char *svname,
			struct obd_why *why)
{
	struct mgs_fsdb *db = &pool->change.db;
	struct mgs_log_name name;
	struct mgs_fs_target *ost;

	if (!mgs_target_name_parse(svname, &name) || name.kind != MGS_LOG_OST ||
	    strcmp(name.fsname, db->fsname))
		return obd_refuse(why, -EINVAL,
				  "'%.64s' is not an OST of %s; one is %s-OST0001",
				  svname, db->fsname, db->fsname);
	ost = mgs_fsdb_find(db, MGS_LOG_OST, name.index);
	if (!ost || !ost->client)
		return obd_refuse(why, -ENOENT, "file system %s has no %s",
				  db->fsname, svname);
	mgs_name(pool->uuid, "%s_UUID", svname);
	return 0;
}

static int check_there(const struct mgs_pool_call *pool,
		       const struct mgs_pool_state *state, struct obd_why *why)
{
	if (!state->exists)
		return obd_refuse(why, -ENOENT, "%s has no pool %s",
				  pool->change.db.fsname, pool->pool);
	switch (pool->command) {
	case LCFG_POOL_ADD:
		return !state->member ? 0 :
			obd_refuse(why, -EEXIST, "pool %s has %s already",
				   pool->pool, pool->uuid);
	case LCFG_POOL_REM:
		return state->member ? 0 :
			obd_refuse(why, -ENOENT, "pool %s does not have %s",
				   pool->pool, pool->uuid);
	default:
		return state->members <= 0 ? 0 :
			obd_refuse(why, -ENOTEMPTY,
				   "pool %s has %d OSTs; pool_remove them first",
				   pool->pool, state->members);
	}
}

static int check_state(struct mgs_pool_call *pool, struct obd_why *why)
{
	struct mgs_pool_state state;
	struct mgs_sections image;
	int rc;

	rc = mgs_edit_load(&pool->change.edit, &image, pool->change.db.log);
	if (!rc) {
		pool_look(&image, pool->pool, pool->uuid, &state);
		if (pool->command != LCFG_POOL_NEW)
			rc = check_there(pool, &state, why);
		else if (state.exists)
			rc = obd_refuse(why, -EEXIST,
					"%s has a pool %s already",
					pool->change.db.fsname, pool->pool);
	}
	mgs_sections_free(&image);
	return rc;
}

static int pool_check(struct mgs_pool_call *pool, struct mgs_call *call)
{
	bool target = pool->command == LCFG_POOL_ADD ||
		      pool->command == LCFG_POOL_REM;
	int rc;

	if (!pool->change.db.lov)
		return obd_refuse(call->why, -ENOENT,
				  "there is no file system '%.64s' that has OSTs",
				  call->args[0]);
	rc = check_name(pool->pool, call->why);
	if (!rc && target)
		rc = check_target(pool, call->args[2], call->why);
	return rc ? rc : check_state(pool, call->why);
}

static int pool_do(struct mgs_call *call, u32 command)
{
	struct mgs_pool_call *pool = kzalloc(sizeof(*pool), GFP_KERNEL);
	int rc;

	if (!pool)
		return -ENOMEM;
	pool->command = command;
	pool->pool = call->args[1];
	rc = mgs_fs_change_init(&pool->change, call->txn, call->args[0],
			     call->why);
	if (!rc)
		rc = pool_check(pool, call);
	if (!rc) {
		pool_put_all(pool);
		rc = pool->change.edit.rc;
	}
	mgs_fs_change_fini(&pool->change);
	kfree(pool);
	return rc;
}

/* FS, pool */
int mgs_do_pool_new(struct mgs_call *call)
{
	return pool_do(call, LCFG_POOL_NEW);
}

/* FS, pool, TARGET */
int mgs_do_pool_add(struct mgs_call *call)
{
	return pool_do(call, LCFG_POOL_ADD);
}

/* FS, pool, TARGET */
int mgs_do_pool_rem(struct mgs_call *call)
{
	return pool_do(call, LCFG_POOL_REM);
}

/* FS, pool */
int mgs_do_pool_del(struct mgs_call *call)
{
	return pool_do(call, LCFG_POOL_DEL);
}

/* Copy all pool commands of the client log for the lov of a metadata target. */
static void inherit_mdt(struct mgs_fs_change *change, const struct mgs_sections *image)
{
	const struct mgs_section *section;
	const struct mgs_line *line;
	const char *pool, *uuid;

	list_for_each_entry(section, &image->sections, list) {
		if (!mgs_section_live(section))
			continue;
		list_for_each_entry(line, &section->lines, list) {
			pool = lcfg_string(&line->cfg, 2);
			uuid = lcfg_string(&line->cfg, 3);
			if (mgs_is_pool(line->cfg.command) && pool)
				pool_put(change, change->target,
					 line->cfg.command, pool,
					 uuid ? uuid : "");
		}
	}
}

/* The pool that a section adds the OST to or removes it from; NULL */
static const char *pool_of(const struct mgs_section *section, const char *uuid)
{
	const struct mgs_line *line = mgs_section_first(section);

	if (!line || !mgs_section_live(section) || !line_is(line, 3, uuid) ||
	    (line->cfg.command != LCFG_POOL_ADD &&
	     line->cfg.command != LCFG_POOL_REM))
		return NULL;
	return lcfg_string(&line->cfg, 2);
}

/* Whether this is the last section about the OST in that pool */
static bool pool_last(const struct mgs_sections *image,
		      const struct mgs_section *section, const char *pool,
		      const char *uuid)
{
	const struct mgs_section *other, *last = NULL;
	const char *seen;

	list_for_each_entry(other, &image->sections, list) {
		seen = pool_of(other, uuid);
		if (seen && !strcmp(seen, pool))
			last = other;
	}
	return last == section;
}

/* Repeat the pool commands of an OST after the section that adds it again. */
static void readd_in(struct mgs_fs_change *change,
		     const struct mgs_fs_target *mdt)
{
	const char *log = mdt ? mdt->name : change->db.log;
	const struct mgs_section *section;
	struct mgs_sections image;
	struct mgs_pool_state state;
	char uuid[MGS_DEVICE_LEN];
	const char *pool;

	mgs_name(uuid, "%s_UUID", change->target->name);
	mgs_edit_load(&change->edit, &image, log);
	list_for_each_entry(section, &image.sections, list) {
		pool = pool_of(section, uuid);
		if (!pool)
			continue;
		mgs_section_skip(&change->edit, log, section);
		pool_look(&image, pool, uuid, &state);
		if (state.member && pool_last(&image, section, pool, uuid))
			pool_put(change, mdt, LCFG_POOL_ADD, pool, uuid);
	}
	mgs_sections_free(&image);
}

/* Write the pools of the target of a change, after its other sections. */
void mgs_pool_inherit(struct mgs_fs_change *change)
{
	struct mgs_fs_target *mdt;
	struct mgs_sections image;

	if (change->target->kind == MGS_LOG_OST) {
		readd_in(change, NULL);
		list_for_each_entry(mdt, &change->db.targets, list)
			if (mdt->kind == MGS_LOG_MDT && mdt->own)
				readd_in(change, mdt);
		return;
	}
	if (!mgs_edit_load(&change->edit, &image, change->db.log))
		inherit_mdt(change, &image);
	mgs_sections_free(&image);
}
