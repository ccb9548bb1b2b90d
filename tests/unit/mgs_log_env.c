// SPDX-License-Identifier: GPL-2.0-only
#include "mgs_log_env.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lustre_lite/config_rules.h>

void env_open(struct env *env)
{
	struct mgs_fault fault;

	memset(env, 0, sizeof(*env));
	env->when = ENV_WHEN;
	assert_int_equal(mgs_store_open(&mem_io, &env->backend, 7, &env->store,
					&fault), 0);
	assert_null(fault.what);
}

static void load_golden(struct env *env, const char *release, const char *log)
{
	char path[512], name[64];
	u8 bytes[65536];
	size_t len;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s/%s", GOLDEN_DIR, release, log);
	snprintf(name, sizeof(name), "CONFIGS/%s", log);
	file = fopen(path, "rb");
	assert_non_null(file);
	len = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	assert_true(len > LLOG_MIN_CHUNK_SIZE && len < sizeof(bytes));
	mem_put(&env->backend, name, bytes, len);
}

void env_open_fs(struct env *env)
{
	env_open(env);
	env_add(env, MDT0, NULL);
	env_add(env, OST0, NULL);
	env_add(env, OST1, NULL);
}

void env_open_golden(struct env *env, const char *release)
{
	struct mgs_fault fault;

	memset(env, 0, sizeof(*env));
	env->when = ENV_WHEN;
	load_golden(env, release, "t32fs-client");
	load_golden(env, release, "t32fs-MDT0000");
	load_golden(env, release, "t32fs-OST0000");
	assert_int_equal(mgs_store_open(&mem_io, &env->backend, 7, &env->store,
					&fault), 0);
	assert_null(fault.what);
}

void env_close(struct env *env)
{
	mgs_store_close(env->store);
	mem_free(&env->backend);
}

/* NULL: no memory. */
static struct mgs_txn *env_begin(struct env *env)
{
	struct mgs_who who = { .who = "root", .from = "10.0.0.1@tcp" };
	struct mgs_txn *txn;
	int rc;

	who.when = env->when;
	memset(&env->why, 0, sizeof(env->why));
	env->generation = 0;
	env->logs = 0;
	env->records = 0;
	rc = mgs_txn_begin(env->store, &who, &txn);
	if (rc)
		assert_int_equal(rc, -ENOMEM);
	return rc ? NULL : txn;
}

static int env_end(struct env *env, struct mgs_txn *txn, int rc)
{
	if (rc) {
		mgs_txn_end(txn);
		return rc;
	}
	mgs_txn_count(txn, &env->logs, &env->records);
	return mgs_txn_commit(txn, &env->generation);
}

static void target_prove(struct mgs_target *to, const struct env_target *from)
{
	u8 key[LIBCFS_KEY_LEN];

	memset(key, 0x77, sizeof(key));
	key[0] = from->key ? from->key : ENV_KEY;
	memset(to->digest, (u8)to->index, sizeof(to->digest));
	if (from->proves)
		libcfs_proof_make(key, to->digest, to->proof);
	else if (!from->keyless)
		memcpy(to->key, key, sizeof(key));
	to->allowed = !from->closed;
}

/* Split "lustre-OST0001" into the fields of mountdata. */
static void target_fill(struct mgs_target *to, const struct env_target *from)
{
	const char *dash = strrchr(from->name, '-');
	unsigned int index = LDD_INDEX_NONE;

	assert_non_null(dash);
	memset(to, 0, sizeof(*to));
	memcpy(to->fsname, from->name, (size_t)(dash - from->name));
	to->flags = from->flags | (dash[1] == 'M' ? LDD_F_SV_TYPE_MDT :
				   LDD_F_SV_TYPE_OST);
	if (dash[4])
		assert_int_equal(sscanf(dash + 4, "%4x", &index), 1);
	else
		to->flags |= LDD_F_NEED_INDEX;
	to->index = index;
	to->params = from->params;
	if (from->id)
		snprintf(to->id, sizeof(to->id), "%s", from->id);
	target_prove(to, from);
}

int env_register(struct env *env, const struct env_target *target)
{
	struct mgs_txn *txn = env_begin(env);
	char nids[2048];
	char *p;

	target_fill(&env->target, target);
	if (target->from)
		assert_int_equal(libcfs_nid_parse(target->from,
						  strlen(target->from),
						  &env->target.from, NULL), 0);
	snprintf(nids, sizeof(nids), "%s", target->nids);
	env->target.nids = nids;
	env->target.nid_count = nids[0] ? 1 : 0;
	for (p = nids; *p; p++) {
		if (*p == ' ') {
			*p = '\0';
			env->target.nid_count++;
		}
	}
	if (!txn)
		return -ENOMEM;
	return env_end(env, txn, mgs_log_register(txn, &env->target,
						  &env->why));
}

int env_change(struct env *env, u32 op, u32 index, const char *const *args,
	       unsigned int argc)
{
	struct mgs_txn *txn = env_begin(env);

	if (!txn)
		return -ENOMEM;
	return env_end(env, txn, mgs_log_change(txn, op, args, argc, index,
						&env->why));
}

void env_add(struct env *env, const char *name, const char *params)
{
	struct env_target target = {
		.name = name, .flags = LDD_F_VIRGIN, .params = params,
	};
	const char *kind = strrchr(name, '-') + 1;
	unsigned int index = 0;
	char nid[32];
	int rc;

	sscanf(kind + 3, "%4x", &index);
	snprintf(nid, sizeof(nid), "10.0.%u.%u@tcp", kind[0] == 'M',
		 index + 1);
	target.nids = nid;
	rc = env_register(env, &target);
	if (rc)
		fail_msg("%s: %d: %s", name, rc, env->why.text);
}

/**
 * struct text - a text that grows
 * @bytes: it
 * @len: its bytes
 * @room: buffer for it
 */
struct text {
	char	*bytes;
	size_t	len;
	size_t	room;
};

__attribute__((format(printf, 2, 3)))
static void put(struct text *text, const char *fmt, ...)
{
	va_list args;

	if (text->room - text->len < 16384) {
		text->room = text->room * 2 + 32768;
		text->bytes = realloc(text->bytes, text->room);
		assert_non_null(text->bytes);
	}
	va_start(args, fmt);
	text->len += (size_t)vsnprintf(text->bytes + text->len,
				       text->room - text->len, fmt, args);
	va_end(args);
}

static void put_marker(struct text *text, const struct lcfg_view *cfg)
{
	struct lcfg_marker marker;

	assert_int_equal(lcfg_marker_decode(cfg, &marker), 0);
	put(text, "marker %u %#x %s '%s' %llu-%llu\n", marker.step,
	    marker.flags, marker.tgtname, marker.comment,
	    (unsigned long long)marker.createtime,
	    (unsigned long long)marker.canceltime);
}

static void put_desc(struct text *text, const struct lcfg_view *cfg)
{
	struct lcfg_lov_desc desc;

	assert_int_equal(lcfg_lov_desc_decode(cfg, &desc), 0);
	put(text, " [%u %#x %u %u %llu %lld %u %s]", desc.tgt_count, desc.magic,
	    desc.stripe_count, desc.pattern,
	    (unsigned long long)desc.stripe_size, (long long)desc.stripe_offset,
	    desc.qos_maxage, desc.uuid);
}

static void put_command(struct text *text, const struct lcfg_view *cfg)
{
	u32 n;

	put(text, "%s", lcfg_command_name(cfg->command));
	if (cfg->num)
		put(text, " num=%u", cfg->num);
	if (cfg->nid)
		put(text, " nid=%#llx", (unsigned long long)cfg->nid);
	for (n = 0; n < cfg->bufcount; n++) {
		if (cfg->command == LCFG_SETUP && n == 1 &&
		    cfg->buf[n].len == sizeof(struct lov_desc))
			put_desc(text, cfg);
		else if (!cfg->buf[n].len)
			put(text, " -");
		else
			put(text, " %s", lcfg_string(cfg, n));
	}
	put(text, "\n");
}

static int dump_rec(void *data, const struct mgs_rec *rec)
{
	struct text *text = data;

	put(text, "%u %s", rec->index, rec->live ? "" : "cancelled ");
	if (rec->cfg.command == LCFG_MARKER)
		put_marker(text, &rec->cfg);
	else
		put_command(text, &rec->cfg);
	return 0;
}

char *env_dump(struct env *env, const char *log)
{
	struct text text = { NULL };

	put(&text, "%s", "");
	assert_int_equal(mgs_view_walk(mgs_now(env->store), log, dump_rec, &text),
			 0);
	return text.bytes;
}

/**
 * struct meaning - the effect of a log
 * @rules: where it stands
 * @text: what it did
 */
struct meaning {
	struct config_rules	rules;
	struct text		text;
};

static int meaning_rec(void *data, const struct mgs_rec *rec)
{
	struct meaning *meaning = data;
	struct config_names names;
	struct lcfg_view out;
	const char *why;

	if (rec->live && config_rule(&meaning->rules, &rec->cfg, &out, &names,
				     &why) == CONFIG_APPLY)
		put_command(&meaning->text, &out);
	return 0;
}

char *env_meaning(struct env *env, const char *log)
{
	struct meaning meaning = { .text = { NULL } };

	put(&meaning.text, "%s", "");
	assert_int_equal(mgs_view_walk(mgs_now(env->store), log, meaning_rec,
					&meaning), 0);
	return meaning.text.bytes;
}

unsigned int env_count(const char *dump, const char *line)
{
	size_t len = strlen(line);
	unsigned int count = 0;
	const char *at;

	for (at = dump; *at; at = strchr(at, '\n') + 1)
		count += !strncmp(at, line, len);
	return count;
}

bool env_has(struct env *env, const char *log, const char *line)
{
	char *text = env_meaning(env, log);
	bool has = env_count(text, line) > 0;

	free(text);
	return has;
}

/**
 * struct check - a log being checked
 * @name: its name
 * @inside: in a section
 * @start: its START
 * @step: of the section before
 */
struct check {
	const char		*name;
	bool			inside;
	struct lcfg_marker	start;
	u32			step;
};

static int check_rec(void *data, const struct mgs_rec *rec)
{
	struct lcfg_marker marker;
	struct check *check = data;

	if (!rec->live)
		return 0;
	if (rec->cfg.command != LCFG_MARKER) {
		assert_true(check->inside);
		return 0;
	}
	assert_int_equal(lcfg_marker_decode(&rec->cfg, &marker), 0);
	if (marker.flags & CM_START) {
		assert_false(check->inside);
		assert_true(marker.step > check->step);
		check->step = marker.step;
		check->start = marker;
		check->inside = true;
		return 0;
	}
	assert_true(check->inside);
	check->inside = false;
	assert_int_equal(marker.flags ^ CM_END, check->start.flags ^ CM_START);
	assert_int_equal(marker.step, check->start.step);
	assert_int_equal(marker.createtime, check->start.createtime);
	assert_int_equal(marker.canceltime, check->start.canceltime);
	assert_string_equal(marker.tgtname, check->start.tgtname);
	assert_string_equal(marker.comment, check->start.comment);
	return 0;
}

/**
 * struct replay - a reader that applies a log
 * @rules: where it stands
 * @log: log
 * @index: record
 * @names: existing objects: "attach DEVICE", "setup DEVICE", "target LOV UUID", "pool LOV
 *	NAME", "member LOV NAME UUID", "uuid NODE"
 * @count: how many
 */
struct replay {
	struct config_rules	rules;
	const char		*log;
	u32			index;
	char			names[512][96];
	unsigned int		count;
};

__attribute__((format(printf, 3, 4)))
static void replay_name(struct replay *replay, int want, const char *fmt, ...)
{
	char name[96];
	unsigned int n;
	va_list args;
	bool there;

	va_start(args, fmt);
	assert_true(vsnprintf(name, sizeof(name), fmt, args) <
		    (int)sizeof(name));
	va_end(args);
	for (n = 0; n < replay->count; n++)
		if (!strcmp(replay->names[n], name))
			break;
	there = n < replay->count;
	if (there != (want <= 0))
		fail_msg("%s: record %u: '%s' is %s", replay->log,
			 replay->index, name,
			 there ? "there already" : "not there");
	if (want > 0) {
		assert_true(replay->count < 512);
		memcpy(replay->names[replay->count++], name, sizeof(name));
	} else if (want < 0) {
		memcpy(replay->names[n], replay->names[--replay->count],
		       sizeof(name));
	}
}

/* Operations of replay_name(). */
#define NEW	1
#define THERE	0
#define GONE	(-1)

static void replay_pool(struct replay *replay, const struct lcfg_view *cfg)
{
	const char *lov = lcfg_string(cfg, 0), *pool = lcfg_string(cfg, 2);
	const char *uuid = lcfg_string(cfg, 3);

	replay_name(replay, THERE, "setup %s", lov);
	if (cfg->command == LCFG_POOL_NEW) {
		replay_name(replay, NEW, "pool %s %s", lov, pool);
	} else if (cfg->command == LCFG_POOL_DEL) {
		replay_name(replay, GONE, "pool %s %s", lov, pool);
	} else {
		replay_name(replay, THERE, "pool %s %s", lov, pool);
		replay_name(replay, THERE, "target %s %s", lov, uuid);
		replay_name(replay, cfg->command == LCFG_POOL_ADD ? NEW : GONE,
			    "member %s %s %s", lov, pool, uuid);
	}
}

static void replay_setup(struct replay *replay, const struct lcfg_view *cfg)
{
	const char *device = lcfg_string(cfg, 0);

	replay_name(replay, THERE, "attach %s", device);
	replay_name(replay, NEW, "setup %s", device);
	if (cfg->bufcount == 3)
		replay_name(replay, THERE, "uuid %s", lcfg_string(cfg, 2));
}

/* A node may have several NIDs. */
static void replay_uuid(struct replay *replay, const char *uuid)
{
	unsigned int n;
	char name[96];

	snprintf(name, sizeof(name), "uuid %s", uuid);
	for (n = 0; n < replay->count; n++)
		if (!strcmp(replay->names[n], name))
			return;
	replay_name(replay, NEW, "uuid %s", uuid);
}

/* A parameter is of a device, of the node, or of the mount. */
static void replay_param(struct replay *replay, const char *device)
{
	if (device && !strstr(device, "-client"))
		replay_name(replay, THERE, "setup %s", device);
}

static void replay_command(struct replay *replay, const struct lcfg_view *cfg)
{
	const char *device = lcfg_string(cfg, 0), *text = lcfg_string(cfg, 1);

	switch (cfg->command) {
	case LCFG_ATTACH:
		replay_name(replay, NEW, "attach %s", device);
		break;
	case LCFG_SETUP:
		replay_setup(replay, cfg);
		break;
	case LCFG_ADD_UUID:
		replay_uuid(replay, text);
		break;
	case LCFG_ADD_CONN:
		replay_name(replay, THERE, "setup %s", device);
		replay_name(replay, THERE, "uuid %s", text);
		break;
	case LCFG_LOV_ADD_OBD:
	case LCFG_ADD_MDC:
		replay_name(replay, THERE, "setup %s", device);
		replay_name(replay, NEW, "target %s %s", device, text);
		break;
	case LCFG_PARAM:
		replay_param(replay, device);
		break;
	case LCFG_POOL_NEW:
	case LCFG_POOL_ADD:
	case LCFG_POOL_REM:
	case LCFG_POOL_DEL:
		replay_pool(replay, cfg);
		break;
	case LCFG_SET_PARAM:
		replay_name(replay, NEW, "%.90s", text);
		break;
	}
}

static int replay_rec(void *data, const struct mgs_rec *rec)
{
	struct replay *replay = data;
	struct config_names names;
	struct lcfg_view out;
	const char *why;

	replay->index = rec->index;
	if (rec->live && config_rule(&replay->rules, &rec->cfg, &out, &names,
				     &why) == CONFIG_APPLY)
		replay_command(replay, &out);
	return 0;
}

static void replay_log(struct env *env, const char *log)
{
	static struct replay replay;

	memset(&replay, 0, sizeof(replay));
	replay.log = log;
	assert_int_equal(mgs_view_walk(mgs_now(env->store), log, replay_rec,
					&replay), 0);
}

static int check_log(void *data, const struct mgs_log_info *info)
{
	struct check check = { .name = info->li_name };
	struct env *env = data;

	assert_int_equal(mgs_view_walk(mgs_now(env->store), info->li_name,
					check_rec, &check), 0);
	assert_false(check.inside);
	replay_log(env, info->li_name);
	return 0;
}

void env_check(struct env *env)
{
	assert_int_equal(mgs_view_each(mgs_now(env->store), check_log, env), 0);
}
