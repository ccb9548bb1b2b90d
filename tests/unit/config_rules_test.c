// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rules of a config log, over logs that real Lustre wrote and over records
 * made here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <lustre_lite/config_rules.h>
#include <lustre_lite/llog_format.h>

#define INSTANCE	0xffff9c0123456789ULL
#define SUFFIX		"-ffff9c0123456789"
#define UUID		"8db901eb-d71b-49a5-b88b-46f52d472496"

static void rules_init(struct config_rules *rules, u64 instance, const char *uuid)
{
	memset(rules, 0, sizeof(*rules));
	rules->cr_instance = instance;
	strcpy(rules->cr_uuid, uuid);
	rules->cr_exclude = NULL;
}

/* The output must be well formed for every input. */
static void check_encodes(const struct lcfg_view *view)
{
	static char bytes[2 * LUSTRE_CFG_SIZE_MAX];
	struct lcfg_view again;
	const char *why = NULL;
	ssize_t len = lustre_cfg_encode(view, bytes, sizeof(bytes));
	u32 n;

	assert_true(len > 0 && len <= LUSTRE_CFG_SIZE_MAX);
	assert_int_equal(lustre_cfg_decode(bytes, len, &again, &why), 0);
	assert_int_equal(again.command, view->command);
	assert_int_equal(again.bufcount, view->bufcount);
	for (n = 0; n < view->bufcount; n++) {
		assert_int_equal(again.buf[n].len, view->buf[n].len);
		if (view->buf[n].len)
			assert_memory_equal(again.buf[n].data, view->buf[n].data, view->buf[n].len);
	}
}

/* A log in memory and a walk through its records. */
struct log {
	u8			*bytes;
	size_t			size;
	struct llog_head	head;
	struct llog_walk	walk;
};

static void log_read(struct log *log, const char *name)
{
	struct llog_fault fault = { 0 };
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", GOLDEN, name);
	file = fopen(path, "rb");
	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	log->size = ftell(file);
	rewind(file);
	log->bytes = malloc(log->size);
	assert_int_equal(fread(log->bytes, 1, log->size, file), log->size);
	fclose(file);
	assert_int_equal(llog_head_decode(log->bytes, log->size, &log->head, &fault), 0);
	llog_walk_init(&log->walk, &log->head);
	assert_true(log->size > log->head.chunk_size && log->size <= 2 * log->head.chunk_size);
	llog_walk_chunk(&log->walk, log->bytes + log->head.chunk_size, log->size - log->head.chunk_size,
			log->head.chunk_size);
}

static bool log_next(struct log *log, struct llog_record *rec)
{
	struct llog_fault fault = { 0 };
	enum llog_step step;

	do
		step = llog_walk_next(&log->walk, rec, &fault);
	while (step == LLOG_STEP_RECORD && (!rec->live || rec->type == LLOG_PAD_MAGIC));
	assert_int_not_equal(step, LLOG_STEP_FAULT);
	return step == LLOG_STEP_RECORD;
}

static const char *text(const struct lcfg_view *view, u32 n)
{
	if (n >= view->bufcount || !view->buf[n].len)
		return "";
	return lcfg_string(view, n);
}

/* A row: the expected result for a record of a golden log. */
struct row {
	u32			index;
	enum config_verdict	verdict;
	u32			command;
	const char		*device;
	const char		*args[3];
};

static void check_row(const struct row *row, enum config_verdict verdict, const struct lcfg_view *out, const char *why)
{
	u32 n;

	assert_int_equal(verdict, row->verdict);
	assert_true((verdict == CONFIG_SKIP) == (why != NULL));
	if (verdict != CONFIG_APPLY)
		return;
	assert_int_equal(out->command, row->command);
	assert_string_equal(text(out, 0), row->device);
	for (n = 0; n < 3; n++)
		if (row->args[n])
			assert_string_equal(text(out, n + 1), row->args[n]);
	check_encodes(out);
}

/* Every record of a log must be in the table; markers are those that are not. */
static void check_log(const char *name, struct config_rules *rules, const struct row *rows, size_t count)
{
	static const struct row marker = { .verdict = CONFIG_MARKER };
	enum config_verdict verdict;
	struct config_names names;
	struct lcfg_view in, out;
	struct llog_record rec;
	struct log log;
	size_t seen = 0;

	log_read(&log, name);
	while (log_next(&log, &rec)) {
		const struct row *row = &marker;
		const char *why = NULL;

		assert_int_equal(lustre_cfg_decode(rec.body, rec.body_len, &in, &why), 0);
		if (seen < count && rows[seen].index == rec.index)
			row = &rows[seen++];
		verdict = config_rule(rules, &in, &out, &names, &why);
		check_row(row, verdict, &out, why);
	}
	assert_int_equal(seen, count);
	assert_int_equal(rules->cr_state, 0);
	free(log.bytes);
}

#define APPLY(index, command, device, ...) \
	{ index, CONFIG_APPLY, LCFG_##command, device, { __VA_ARGS__ } }
#define SKIP(index)	{ index, CONFIG_SKIP, 0, NULL, { NULL } }

#define NODE	"10.2.2.59@tcp"

static void a_client_log_gives_an_instance(void **state)
{
	static const struct row rows[] = {
		APPLY(2, ATTACH, "t32fs-clilov" SUFFIX, "lov", UUID),
		APPLY(3, SETUP, "t32fs-clilov" SUFFIX),
		APPLY(6, ATTACH, "t32fs-clilmv" SUFFIX, "lmv", UUID),
		APPLY(7, SETUP, "t32fs-clilmv" SUFFIX),
		APPLY(10, ADD_UUID, "", NODE),
		APPLY(11, ATTACH, "t32fs-MDT0000-mdc" SUFFIX, "mdc", UUID),
		APPLY(12, SETUP, "t32fs-MDT0000-mdc" SUFFIX, "t32fs-MDT0000_UUID", NODE),
		APPLY(13, ADD_MDC, "t32fs-clilmv" SUFFIX, "t32fs-MDT0000_UUID", "0", "1"),
		APPLY(16, MOUNTOPT, "", "t32fs-client", "t32fs-clilov" SUFFIX, "t32fs-clilmv" SUFFIX),
		SKIP(19),
		APPLY(22, PARAM, "t32fs-clilov" SUFFIX, "lov.stripesize=1048576"),
		APPLY(25, PARAM, "t32fs-clilov" SUFFIX, "lov.stripecount=0"),
		APPLY(28, ADD_UUID, "", NODE),
		APPLY(29, ATTACH, "t32fs-OST0000-osc" SUFFIX, "osc", UUID),
		APPLY(30, SETUP, "t32fs-OST0000-osc" SUFFIX, "t32fs-OST0000_UUID", NODE),
		APPLY(31, ADD_UUID, "", "1.2.3.4@tcp"),
		APPLY(32, ADD_UUID, "", "1.2.3.4@tcp"),
		APPLY(33, ADD_CONN, "t32fs-OST0000-osc" SUFFIX, "1.2.3.4@tcp"),
		APPLY(34, LOV_ADD_OBD, "t32fs-clilov" SUFFIX, "t32fs-OST0000_UUID", "0", "1"),
		APPLY(37, SET_TIMEOUT, ""),
		APPLY(40, PARAM, "", "sys.jobid_var=procname_uid"),
	};
	struct config_rules rules;

	rules_init(&rules, INSTANCE, UUID);
	check_log("lustre-2.9/t32fs-client", &rules, rows, ARRAY_SIZE(rows));
}

static void uuids_stay_where_the_reader_has_none(void **state)
{
	static const struct row rows[] = {
		APPLY(2, ATTACH, "t32fs-clilov" SUFFIX, "lov", "t32fs-clilov_UUID"),
		APPLY(3, SETUP, "t32fs-clilov" SUFFIX),
		APPLY(6, ATTACH, "t32fs-clilmv" SUFFIX, "lmv", "t32fs-clilmv_UUID"),
		APPLY(7, SETUP, "t32fs-clilmv" SUFFIX),
		APPLY(10, ADD_UUID, "", "192.168.56.102@tcp"),
		APPLY(11, ATTACH, "t32fs-MDT0000-mdc" SUFFIX, "mdc", "t32fs-clilmv_UUID"),
		APPLY(12, SETUP, "t32fs-MDT0000-mdc" SUFFIX, "t32fs-MDT0000_UUID"),
		APPLY(13, ADD_MDC, "t32fs-clilmv" SUFFIX, "t32fs-MDT0000_UUID", "0", "1"),
		APPLY(16, MOUNTOPT, "", "t32fs-client", "t32fs-clilov" SUFFIX, "t32fs-clilmv" SUFFIX),
		SKIP(19),
		APPLY(22, PARAM, "t32fs-clilov" SUFFIX, "lov.stripesize=1048576"),
		APPLY(25, PARAM, "t32fs-clilov" SUFFIX, "lov.stripecount=0"),
		APPLY(28, ADD_UUID, "", "192.168.56.102@tcp"),
		APPLY(29, ATTACH, "t32fs-OST0000-osc" SUFFIX, "osc", "t32fs-clilov_UUID"),
		APPLY(30, SETUP, "t32fs-OST0000-osc" SUFFIX, "t32fs-OST0000_UUID"),
		APPLY(31, ADD_UUID, "", "1.2.3.4@tcp"),
		APPLY(32, ADD_UUID, "", "1.2.3.4@tcp"),
		APPLY(33, ADD_CONN, "t32fs-OST0000-osc" SUFFIX, "1.2.3.4@tcp"),
		APPLY(34, LOV_ADD_INA, "t32fs-clilov" SUFFIX, "t32fs-OST0000_UUID", "0", "1"),
		APPLY(37, SET_TIMEOUT, ""),
		APPLY(40, PARAM, "", "sys.jobid_var=procname_uid"),
	};
	struct config_rules rules;

	rules_init(&rules, INSTANCE, "");
	rules.cr_exclude = "t32fs-OST0001:t32fs-OST0000";
	check_log("lustre-2.7/t32fs-client", &rules, rows, ARRAY_SIZE(rows));
}

static void a_server_log_is_taken_as_it_is(void **state)
{
	static const struct row mdt[] = {
		APPLY(2, ATTACH, "t32fs-MDT0000-mdtlov", "lov", "t32fs-MDT0000-mdtlov_UUID"),
		APPLY(3, SETUP, "t32fs-MDT0000-mdtlov"),
		APPLY(6, ATTACH, "t32fs-MDT0000", "mdt", "t32fs-MDT0000_UUID"),
		APPLY(7, MOUNTOPT, "", "t32fs-MDT0000", "t32fs-MDT0000-mdtlov", ""),
		APPLY(8, SETUP, "t32fs-MDT0000", "t32fs-MDT0000_UUID", "0", "t32fs-MDT0000-mdtlov"),
		SKIP(11),
		APPLY(14, PARAM, "t32fs-MDT0000-mdtlov", "lov.stripesize=1048576"),
		APPLY(17, PARAM, "t32fs-MDT0000-mdtlov", "lov.stripecount=0"),
		APPLY(20, PARAM, "t32fs-MDT0000", "mdt.identity_upcall=/sbin/l_getidentity"),
		APPLY(23, ADD_UUID, "", NODE),
		APPLY(24, ATTACH, "t32fs-OST0000-osc-MDT0000", "osc", "t32fs-MDT0000-mdtlov_UUID"),
		APPLY(25, SETUP, "t32fs-OST0000-osc-MDT0000", "t32fs-OST0000_UUID", NODE),
		APPLY(26, ADD_UUID, "", "1.2.3.4@tcp"),
		APPLY(27, ADD_UUID, "", "1.2.3.4@tcp"),
		APPLY(28, ADD_CONN, "t32fs-OST0000-osc-MDT0000", "1.2.3.4@tcp"),
		APPLY(29, LOV_ADD_OBD, "t32fs-MDT0000-mdtlov", "t32fs-OST0000_UUID", "0", "1"),
		APPLY(32, SET_TIMEOUT, ""),
		APPLY(35, PARAM, "", "sys.jobid_var=procname_uid"),
	};
	static const struct row ost[] = {
		APPLY(2, ATTACH, "t32fs-OST0000", "obdfilter", "t32fs-OST0000_UUID"),
		APPLY(3, SETUP, "t32fs-OST0000", "dev", "type", "f"),
		APPLY(6, SET_TIMEOUT, ""),
		APPLY(9, PARAM, "", "sys.jobid_var=procname_uid"),
	};
	struct config_rules rules;

	rules_init(&rules, 0, "");
	check_log("lustre-2.9/t32fs-MDT0000", &rules, mdt, ARRAY_SIZE(mdt));
	check_log("lustre-2.9/t32fs-OST0000", &rules, ost, ARRAY_SIZE(ost));
	check_log("lustre-2.7/t32fs-OST0000", &rules, ost, ARRAY_SIZE(ost));
}

/* Records made here. */

static enum config_verdict rule(struct config_rules *rules, const struct lcfg_view *in, struct lcfg_view *out,
				const char **why)
{
	static struct config_names names;

	return config_rule(rules, in, out, &names, why);
}

static enum config_verdict mark(struct config_rules *rules, u32 flags, const char *target)
{
	struct cfg_marker marker = { .cm_flags = htole32(flags) };
	struct lcfg_view in, out;
	const char *why;

	strcpy(marker.cm_tgtname, target);
	lcfg_init(&in, LCFG_MARKER, "");
	assert_int_equal(lcfg_add_buf(&in, &marker, sizeof(marker)), 0);
	return rule(rules, &in, &out, &why);
}

static void only_what_is_in_a_section_counts(void **state)
{
	struct config_rules rules;
	struct lcfg_view in, out;
	const char *why;

	rules_init(&rules, 0, "");
	lcfg_init(&in, LCFG_SETUP, "dev");
	assert_int_equal(rule(&rules, &in, &out, &why), CONFIG_SKIP);
	assert_string_equal(why, "outside of any section");
	assert_int_equal(mark(&rules, CM_START, "t"), CONFIG_MARKER);
	assert_int_equal(rule(&rules, &in, &out, &why), CONFIG_APPLY);
	assert_null(why);
	assert_int_equal(mark(&rules, CM_END, "t"), CONFIG_MARKER);
	assert_int_equal(rule(&rules, &in, &out, &why), CONFIG_SKIP);
	assert_int_equal(mark(&rules, CM_START | CM_SKIP, "t"), CONFIG_MARKER);
	assert_int_equal(rule(&rules, &in, &out, &why), CONFIG_SKIP);
	assert_string_equal(why, "its section was cancelled");
	/* A section without an end ends where the next one starts. */
	assert_int_equal(mark(&rules, CM_START, "t"), CONFIG_MARKER);
	assert_int_equal(rule(&rules, &in, &out, &why), CONFIG_APPLY);
}

static void a_marker_is_one_end(void **state)
{
	static const u32 bad[] = { 0, CM_START | CM_END, CM_SKIP, CM_EXCLUDE };
	struct config_rules rules;
	struct lcfg_view in, out;
	const char *why;
	size_t n;

	rules_init(&rules, 0, "");
	assert_int_equal(mark(&rules, CM_START, "t"), CONFIG_MARKER);
	for (n = 0; n < ARRAY_SIZE(bad); n++)
		assert_int_equal(mark(&rules, bad[n], "t"), CONFIG_BAD);
	lcfg_init(&in, LCFG_MARKER, "");
	assert_int_equal(rule(&rules, &in, &out, &why), CONFIG_BAD);
	assert_string_equal(why, "buffer 1 is not a marker");
	/* None of them changed where the reader stands. */
	assert_int_equal(rules.cr_state, CFG_F_START);
}

static bool excluded(const char *list, u32 flags, const char *target)
{
	struct config_rules rules;

	rules_init(&rules, 0, "");
	rules.cr_exclude = list;
	assert_int_equal(mark(&rules, CM_START | flags, target), CONFIG_MARKER);
	return rules.cr_state & CFG_F_EXCLUDE;
}

static void exclusion_is_by_whole_name(void **state)
{
	assert_true(excluded("fs-OST0001", 0, "fs-OST0001"));
	assert_true(excluded("fs-OST0000:fs-OST0001", 0, "fs-OST0001"));
	assert_true(excluded("fs-OST0001:fs-OST0000", 0, "fs-OST0001"));
	assert_true(excluded("::fs-OST0001:", 0, "fs-OST0001"));
	assert_true(excluded(NULL, CM_EXCLUDE, "fs-OST0001"));
	assert_false(excluded("fs-OST00012:fs-OST000", 0, "fs-OST0001"));
	assert_false(excluded("xfs-OST0001", 0, "fs-OST0001"));
	assert_false(excluded("", 0, "fs-OST0001"));
	assert_false(excluded("::", 0, ""));
	assert_false(excluded(NULL, 0, "fs-OST0001"));
	/* A cancelled record does not count as excluded. */
	assert_false(excluded("fs-OST0001", CM_SKIP, "fs-OST0001"));
}

static const char *device_of(u32 command, const char *name)
{
	static struct lcfg_view out;
	struct config_rules rules;
	struct lcfg_view in;
	const char *why;

	rules_init(&rules, 0xab, "");
	rules.cr_state = CFG_F_START;
	lcfg_init(&in, command, name);
	assert_int_equal(lcfg_add_string(&in, "argument"), 0);
	assert_int_equal(rule(&rules, &in, &out, &why), CONFIG_APPLY);
	check_encodes(&out);
	return text(&out, 0);
}

static void names_of_devices_get_the_instance(void **state)
{
	static const u32 for_device[] = {
		LCFG_ATTACH, LCFG_DETACH, LCFG_SETUP, LCFG_CLEANUP, LCFG_ADD_CONN, LCFG_DEL_CONN, LCFG_PARAM,
		LCFG_LOV_ADD_OBD, LCFG_LOV_ADD_INA, LCFG_LOV_DEL_OBD, LCFG_ADD_MDC, LCFG_DEL_MDC, LCFG_PRE_CLEANUP,
		LCFG_POOL_NEW, LCFG_POOL_ADD, LCFG_POOL_REM, LCFG_POOL_DEL,
	};
	static const u32 for_none[] = {
		LCFG_ADD_UUID, LCFG_DEL_UUID, LCFG_DEL_MOUNTOPT, LCFG_SET_TIMEOUT, LCFG_SET_LDLM_TIMEOUT,
		LCFG_SET_PARAM, LCFG_SPTLRPC_CONF, LCFG_LOG_START, LCFG_LOG_END, 0xcf0ff, 0xce0ff, 0,
	};
	size_t n;

	for (n = 0; n < ARRAY_SIZE(for_device); n++) {
		assert_true(config_for_device(for_device[n]));
		assert_string_equal(device_of(for_device[n], "dev"), "dev-00000000000000ab");
		/* Settings of the node have no device. */
		assert_string_equal(device_of(for_device[n], ""), "");
	}
	for (n = 0; n < ARRAY_SIZE(for_none); n++) {
		assert_false(config_for_device(for_none[n]));
		assert_string_equal(device_of(for_none[n], "dev"), "dev");
	}
	/* "general" is every device, and no device's name but elsewhere. */
	assert_string_equal(device_of(LCFG_PARAM, "general"), "general");
	assert_string_equal(device_of(LCFG_SETUP, "general"), "general-00000000000000ab");
}

static void names_that_do_not_fit_are_refused(void **state)
{
	char name[MAX_OBD_NAME];
	struct config_rules rules;
	struct lcfg_view in, out;
	const char *why;

	rules_init(&rules, 1, "");
	rules.cr_state = CFG_F_START;
	memset(name, 'n', sizeof(name));
	name[MAX_OBD_NAME - 1 - 17] = '\0';
	lcfg_init(&in, LCFG_SETUP, name);
	assert_int_equal(rule(&rules, &in, &out, &why), CONFIG_APPLY);
	assert_int_equal(strlen(text(&out, 0)), MAX_OBD_NAME - 1);
	name[MAX_OBD_NAME - 1 - 17] = 'n';
	name[MAX_OBD_NAME - 17] = '\0';
	lcfg_init(&in, LCFG_SETUP, name);
	assert_int_equal(rule(&rules, &in, &out, &why), CONFIG_BAD);
	assert_string_equal(why, "the name of a device, with its instance, is longer than 127 bytes");
	/* So are those of a profile, the second of them too. */
	lcfg_init(&in, LCFG_MOUNTOPT, "");
	assert_int_equal(lcfg_add_string(&in, "fs-client") | lcfg_add_string(&in, "fs-clilov") |
			 lcfg_add_string(&in, name), 0);
	assert_int_equal(rule(&rules, &in, &out, &why), CONFIG_BAD);
}

static void a_name_that_is_no_text_is_refused(void **state)
{
	struct config_rules rules;
	struct lcfg_view in, out;
	const char *why;

	rules_init(&rules, 1, "");
	rules.cr_state = CFG_F_START;
	lcfg_init(&in, LCFG_SETUP, "device");
	in.buf[0].len--;
	assert_int_equal(rule(&rules, &in, &out, &why), CONFIG_BAD);
	assert_string_equal(why, "the name of a device is not a text");
}

static void a_plain_reader_keeps_the_names(void **state)
{
	struct config_rules rules;
	struct lcfg_view in, out;
	const char *why;

	rules_init(&rules, INSTANCE, "");
	rules.cr_plain = true;
	rules.cr_state = CFG_F_START;
	lcfg_init(&in, LCFG_ATTACH, "lustre-OST0001");
	assert_int_equal(rule(&rules, &in, &out, &why), CONFIG_APPLY);
	assert_string_equal(lcfg_string(&out, 0), "lustre-OST0001");
	rules.cr_plain = false;
	assert_int_equal(rule(&rules, &in, &out, &why), CONFIG_APPLY);
	assert_string_equal(lcfg_string(&out, 0), "lustre-OST0001" SUFFIX);
}

static void a_command_that_grows_too_long_is_refused(void **state)
{
	static char filler[LUSTRE_CFG_SIZE_MAX];
	struct config_rules rules;
	struct lcfg_view in, out;
	const char *why;

	rules_init(&rules, 1, "");
	rules.cr_state = CFG_F_START;
	lcfg_init(&in, LCFG_SETUP, "dev");
	/* 40 bytes of head and 8 of the name leave this many. */
	assert_int_equal(lcfg_add_buf(&in, filler, LUSTRE_CFG_SIZE_MAX - 48), 0);
	assert_int_equal(lustre_cfg_size(&in), LUSTRE_CFG_SIZE_MAX);
	assert_int_equal(rule(&rules, &in, &out, &why), CONFIG_BAD);
	assert_string_equal(why, "the command is longer than 8192 bytes with rewritten names");
	rules.cr_instance = 0;
	assert_int_equal(rule(&rules, &in, &out, &why), CONFIG_APPLY);
}

/* Commands of a log, by the kind of log: all others are refused. */

static const u32 log_commands[] = {
	LCFG_ATTACH, LCFG_DETACH, LCFG_SETUP, LCFG_CLEANUP, LCFG_ADD_UUID, LCFG_MOUNTOPT, LCFG_DEL_MOUNTOPT,
	LCFG_SET_TIMEOUT, LCFG_SET_LDLM_TIMEOUT, LCFG_SET_UPCALL, LCFG_ADD_CONN, LCFG_DEL_CONN, LCFG_PARAM,
	LCFG_LOV_ADD_OBD, LCFG_LOV_ADD_INA, LCFG_LOV_DEL_OBD, LCFG_ADD_MDC, LCFG_DEL_MDC, LCFG_SPTLRPC_CONF,
	LCFG_POOL_NEW, LCFG_POOL_ADD, LCFG_POOL_REM, LCFG_POOL_DEL,
};

static void log_rules_init(struct config_rules *rules, enum config_log log)
{
	rules_init(rules, INSTANCE, "");
	rules->cr_state = CFG_F_START;
	rules->cr_log = log;
	rules->cr_plain = log == CONFIG_LOG_TARGET;
	rules->cr_target = log == CONFIG_LOG_TARGET ? "lustre-OST0001" : NULL;
}

static enum config_verdict log_rule(enum config_log log, u32 command, const char *device, const char *arg,
				    const char **why)
{
	struct config_rules rules;
	struct lcfg_view in, out;

	log_rules_init(&rules, log);
	lcfg_init(&in, command, device);
	if (arg)
		assert_int_equal(lcfg_add_string(&in, arg), 0);
	return rule(&rules, &in, &out, why);
}

static bool is_log_command(u32 command)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(log_commands); n++)
		if (log_commands[n] == command)
			return true;
	return false;
}

static void check_command(enum config_log log, u32 command, bool has)
{
	const char *why;

	/*
	 * Unknown commands are passed on; a later step distinguishes optional from
	 * required ones.
	 */
	has |= !strcmp(lcfg_command_name(command), "unknown command");
	assert_int_equal(log_rule(log, command, "dev", NULL, &why), has ? CONFIG_APPLY : CONFIG_BAD);
	if (has)
		assert_null(why);
	else
		assert_string_equal(why, "is not a command of such a log");
}

static void a_log_has_the_commands_of_its_kind(void **state)
{
	const char *why;
	u32 command;

	for (command = 0xce000; command < 0xcf100; command++) {
		if (command == LCFG_MARKER)
			continue;
		assert_int_equal(log_rule(CONFIG_LOG_LOCAL, command, "dev", NULL, &why), CONFIG_APPLY);
		check_command(CONFIG_LOG_CLIENT, command, is_log_command(command));
		check_command(CONFIG_LOG_TARGET, command, is_log_command(command));
		check_command(CONFIG_LOG_PARAMS, command, command == LCFG_SET_PARAM);
	}
}

static void a_log_attaches_no_service_of_the_node(void **state)
{
	static const char *const types[] = { "mgc", "mgs", "obdecho", "echo_client" };
	const char *why;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(types); n++) {
		assert_int_equal(log_rule(CONFIG_LOG_LOCAL, LCFG_ATTACH, "dev", types[n], &why), CONFIG_APPLY);
		assert_int_equal(log_rule(CONFIG_LOG_CLIENT, LCFG_ATTACH, "dev", types[n], &why), CONFIG_BAD);
		assert_string_equal(why, "a log must not attach devices of this type");
		assert_int_equal(log_rule(CONFIG_LOG_TARGET, LCFG_ATTACH, "dev", types[n], &why), CONFIG_BAD);
	}
	assert_int_equal(log_rule(CONFIG_LOG_CLIENT, LCFG_ATTACH, "dev", "osc", &why), CONFIG_APPLY);
}

static void a_log_attaches_no_target_but_its_own(void **state)
{
	static const char *const types[] = { "mdt", "obdfilter" };
	const char *why;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(types); n++) {
		assert_int_equal(log_rule(CONFIG_LOG_TARGET, LCFG_ATTACH, "lustre-OST0001", types[n], &why),
				 CONFIG_APPLY);
		assert_int_equal(log_rule(CONFIG_LOG_TARGET, LCFG_ATTACH, "lustre-OST0002", types[n], &why),
				 CONFIG_BAD);
		assert_string_equal(why, "attaches a target of another log");
		assert_int_equal(log_rule(CONFIG_LOG_CLIENT, LCFG_ATTACH, "lustre-OST0001", types[n], &why),
				 CONFIG_BAD);
	}
}

/* The mount decides which directory a target has. */
static void a_log_names_no_directory(void **state)
{
	const char *why;

	assert_int_equal(log_rule(CONFIG_LOG_TARGET, LCFG_SETUP, "lustre-OST0001", "/etc", &why), CONFIG_BAD);
	assert_string_equal(why, "names a directory for the target, which the mount sets");
	assert_int_equal(log_rule(CONFIG_LOG_TARGET, LCFG_SETUP, "lustre-OST0001", "dev", &why), CONFIG_APPLY);
	assert_int_equal(log_rule(CONFIG_LOG_TARGET, LCFG_SETUP, "lustre-MDT0000-mdtlov", "/", &why), CONFIG_APPLY);
	assert_int_equal(log_rule(CONFIG_LOG_LOCAL, LCFG_SETUP, "lustre-OST0001", "/etc", &why), CONFIG_APPLY);
}

/* No record of a log that real Lustre wrote is refused. */
static void check_golden(const char *name, enum config_log log_kind)
{
	struct config_names names;
	struct config_rules rules;
	struct lcfg_view in, out;
	struct llog_record rec;
	unsigned int applied = 0;
	struct log log;
	const char *why;

	log_rules_init(&rules, log_kind);
	rules.cr_state = 0;
	rules.cr_target = strchr(name, '/') + 1;
	log_read(&log, name);
	while (log_next(&log, &rec)) {
		assert_int_equal(lustre_cfg_decode(rec.body, rec.body_len, &in, &why), 0);
		switch (config_rule(&rules, &in, &out, &names, &why)) {
		case CONFIG_BAD:
			fail_msg("%s: record %u: %s", name, rec.index, why);
			break;
		case CONFIG_APPLY:
			applied++;
			break;
		default:
			break;
		}
	}
	assert_true(applied > 3);
	free(log.bytes);
}

static void golden_logs_have_nothing_that_is_refused(void **state)
{
	check_golden("lustre-2.7/t32fs-client", CONFIG_LOG_CLIENT);
	check_golden("lustre-2.9/t32fs-client", CONFIG_LOG_CLIENT);
	check_golden("lustre-2.7/t32fs-MDT0000", CONFIG_LOG_TARGET);
	check_golden("lustre-2.9/t32fs-MDT0000", CONFIG_LOG_TARGET);
	check_golden("lustre-2.7/t32fs-OST0000", CONFIG_LOG_TARGET);
	check_golden("lustre-2.9/t32fs-OST0000", CONFIG_LOG_TARGET);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_client_log_gives_an_instance),
		cmocka_unit_test(uuids_stay_where_the_reader_has_none),
		cmocka_unit_test(a_server_log_is_taken_as_it_is),
		cmocka_unit_test(only_what_is_in_a_section_counts),
		cmocka_unit_test(a_marker_is_one_end),
		cmocka_unit_test(exclusion_is_by_whole_name),
		cmocka_unit_test(names_of_devices_get_the_instance),
		cmocka_unit_test(names_that_do_not_fit_are_refused),
		cmocka_unit_test(a_name_that_is_no_text_is_refused),
		cmocka_unit_test(a_plain_reader_keeps_the_names),
		cmocka_unit_test(a_command_that_grows_too_long_is_refused),
		cmocka_unit_test(a_log_has_the_commands_of_its_kind),
		cmocka_unit_test(a_log_attaches_no_service_of_the_node),
		cmocka_unit_test(a_log_attaches_no_target_but_its_own),
		cmocka_unit_test(a_log_names_no_directory),
		cmocka_unit_test(golden_logs_have_nothing_that_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
