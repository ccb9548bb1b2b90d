// SPDX-License-Identifier: GPL-2.0-only
/* Writing: one value, many, all or nothing, by version, typed. */
#include "shim_cmocka.h"

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <shim/event.h>
#include <shim/task.h>

#include "params/change.h"
#include "params/params_internal.h"
#include "params_client.h"
#include "params_subject.h"

static struct subject s;
static struct client cl;

static int setup(void **state)
{
	int rc;

	client_open(&cl, 64 * 1024);
	rc = tree_setup(state) ?: subject_add(&s, "s");
	shim_events_clear();
	return rc;
}

static int teardown(void **state)
{
	client_close(&cl);
	subject_remove(&s);
	return tree_teardown(state);
}

static u32 version_of(const char *path)
{
	struct lustre_params_entry *lpe = params_lookup_entry(NULL, path);
	u32 version;

	assert_false(IS_ERR(lpe));
	version = params_entry_version(lpe);
	params_entry_put(lpe);
	return version;
}

static void values_of_every_type_are_set(void **state)
{
	static const struct {
		const char	*path;
		const char	*set;
		const char	*get;
	} cases[] = {
		{ "s/u32", "17", "17" }, { "s/u64", "1K", "0x400" },
		{ "s/s32", "-7", "-7" }, { "s/s64", "100", "100" },
		{ "s/bool", "off", "0" }, { "s/enum", "red", "red" },
		{ "s/mask", "+green -red", "green blue" },
		{ "s/bytes", "2.5G", "2560" }, { "s/bytes", "50%", "512" },
		{ "s/time", "2m", "120000000000ns" },
		{ "s/string", "another text\n", "another text" },
		{ "s/field", "1000", "1000" },
	};
	const struct shim_event *events;
	char text[64];
	size_t n;

	for (n = 0; n < ARRAY_SIZE(cases); n++) {
		u32 version = version_of(cases[n].path);

		shim_events_clear();
		if (client_set(&cl, cases[n].path, cases[n].set))
			fail_msg("%s: %s", cases[n].path, cl.reason);
		assert_int_equal(client_get(&cl, cases[n].path, text,
					    sizeof(text)), 0);
		assert_string_equal(text, cases[n].get);
		assert_true(version_of(cases[n].path) > version);
		assert_int_equal(shim_events(&events), 1);
		assert_int_equal(events[0].event, LL_PARAMS_CHANGED);
		assert_string_equal(events[0].path, cases[n].path);
		assert_int_equal(events[0].version, version_of(cases[n].path));
	}
}

/* A refusal changes nothing, has a reason, and sends no event. */
static void refusals(void **state)
{
	static const struct {
		const char	*path;
		const char	*text;
		int		rc;
		const char	*why;
	} cases[] = {
		{ "s/u32", "300", -ERANGE,
		  "300 is above 256, the largest value (1..256 allowed)" },
		{ "s/u32", "many", -EINVAL, "'many' is not a number" },
		{ "s/u32", "", -EINVAL,
		  "the value is empty" },
		{ "s/enum", "pink", -EINVAL,
		  "'pink' is not one of: red, green, blue" },
		{ "s/string", "\n", -ERANGE,
		  "0 bytes, where 1 to 1000 are allowed" },
		{ "s/stats", "0", -EINVAL,
		  "statistics accept only the word clear" },
		{ "s/ro", "1", -EACCES, "" },
		{ "s/big", "1", -EACCES, "" },
		{ "s", "1", -EISDIR, "" },
		{ "s/no", "1", -ENOENT, "" },
		{ "no/u32", "1", -ENOENT, "" },
		{ "s/u32/x", "1", -ENOTDIR, "" },
		{ "s//u32", "1", -EINVAL, "" },
		{ "/s/u32", "1", -EINVAL, "" },
		{ "s/u32/", "1", -EINVAL, "" },
		{ "", "1", -EISDIR, "" },
	};
	const struct shim_event *events;
	u32 version = version_of("s/u32");
	struct subject before = s;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(cases); n++) {
		assert_int_equal(client_set(&cl, cases[n].path, cases[n].text),
				 cases[n].rc);
		assert_string_equal(cl.reason, cases[n].why);
	}
	assert_int_equal(version_of("s/u32"), version);
	assert_int_equal(shim_events(&events), 0);
	assert_int_equal(s.calls, 0);
	assert_memory_equal(&s, &before, sizeof(s));
}

static void a_text_of_any_length_meets_its_limit(void **state)
{
	char text[1100];
	size_t len;

	for (len = 990; len < 1010; len++) {
		memset(text, 'x', len);
		text[len] = '\0';
		assert_int_equal(client_set(&cl, "s/string", text),
				 len <= 1000 ? 0 : -ERANGE);
	}
	assert_int_equal(strlen(s.text), 1000);
	assert_int_equal(client_get(&cl, "s/string", text, sizeof(text)), 0);
	assert_int_equal(strlen(text), 1000);
}

static void a_nul_in_a_text_is_refused(void **state)
{
	assert_int_equal(client_write_typed(&cl, "s/string", PARAMS_V_STRING,
					    "a\0b", 3), -EINVAL);
	assert_string_equal(cl.reason, "the text contains a NUL");
	assert_int_equal(client_write_typed(&cl, "s/trigger", PARAMS_V_STRING,
					    "\0", 1), -EINVAL);
}

static void triggers_and_statistics_take_words(void **state)
{
	struct params_counter counter;

	params_stats_add(s.stats, 0, 1);
	assert_int_equal(client_set(&cl, "s/stats", "clear\n"), 0);
	params_stats_read(s.stats, 0, &counter);
	assert_int_equal(counter.pc_count, 0);
	assert_int_equal(client_set(&cl, "s/trigger", "go"), 0);
	assert_int_equal(client_set(&cl, "s/trigger", ""), 0);
	s.fail_set = -EBUSY;
	assert_int_equal(client_set(&cl, "s/trigger", "go"), -EBUSY);
}

static void what_a_setter_refuses_is_the_writers(void **state)
{
	const struct shim_event *events;

	s.fail_set = -EREMOTEIO;
	assert_int_equal(client_set(&cl, "s/u32", "9"), -EREMOTEIO);
	assert_int_equal(s.u32, 8);
	assert_int_equal(client_set(&cl, "s/string", "9"), -EREMOTEIO);
	assert_int_equal(shim_events(&events), 0);
}

static void writing_needs_a_privilege(void **state)
{
	struct params_ioc_write_batch wb;
	struct client_batch batch = { .count = 0 };

	client_batch_add(&batch, "s/u32", "9", 0, 0);
	shim_task()->capable = false;
	assert_int_equal(client_set(&cl, "s/u32", "9"), -EPERM);
	assert_int_equal(client_write_batch(&cl, &wb, &batch, 0), -EPERM);
	assert_int_equal(s.calls, 0);
}

static void a_dry_run_checks_and_changes_nothing(void **state)
{
	struct params_ioc_write pw = { .pw_flags = PARAMS_W_DRY_RUN };
	u32 version = version_of("s/u32");

	assert_int_equal(client_write(&cl, &pw, "s/u32", "9"), 0);
	pw = (struct params_ioc_write){ .pw_flags = PARAMS_W_DRY_RUN };
	assert_int_equal(client_write(&cl, &pw, "s/u32", "999"), -ERANGE);
	assert_int_equal(s.u32, 8);
	assert_int_equal(s.calls, 0);
	assert_int_equal(version_of("s/u32"), version);
}

static void a_version_that_is_not_the_one_expected_is_stale(void **state)
{
	struct params_ioc_write pw = {
		.pw_flags = PARAMS_W_VERSION,
		.pw_version = version_of("s/u32"),
	};

	assert_int_equal(client_write(&cl, &pw, "s/u32", "9"), 0);
	assert_int_equal(pw.pw_version, version_of("s/u32"));
	pw = (struct params_ioc_write){
		.pw_flags = PARAMS_W_VERSION,
		.pw_version = version_of("s/u32") - 1,
	};
	assert_int_equal(client_write(&cl, &pw, "s/u32", "10"), -ESTALE);
	assert_int_equal(s.u32, 9);
	/* The current version is returned: enough to read and try again. */
	assert_int_equal(pw.pw_version, version_of("s/u32"));
	pw.pw_reserved = 0;
	assert_int_equal(client_write(&cl, &pw, "s/u32", "10"), 0);
}

static void a_change_by_its_owner_is_a_version_too(void **state)
{
	struct lustre_params_entry *lpe = params_lookup_entry(NULL, "s/u32");
	const struct shim_event *events;
	u32 version = version_of("s/u32");

	params_changed(lpe);
	assert_int_equal(version_of("s/u32"), version + 1);
	assert_int_equal(shim_events(&events), 1);
	assert_int_equal(events[0].event, LL_PARAMS_CHANGED);
	params_entry_put(lpe);
}

/*
 * Version of a directory, which rises with each added and removed entry; 0: no such
 * directory.
 */
static u32 version_of_dir(const char *name)
{
	const struct params_list_rec *rec;
	struct params_ioc_list pl;
	u32 n;

	assert_int_equal(client_list(&cl, &pl, "", NULL, 1), 0);
	for (n = 0; (rec = client_list_rec(&cl, n)); n++) {
		if (rec->lr_name_len == strlen(name) &&
		    !memcmp(rec->lr_name, name, rec->lr_name_len))
			return rec->lr_version;
	}
	return 0;
}

static void a_version_of_a_directory_is_of_its_children(void **state)
{
	u32 before = version_of_dir("s"), added;

	assert_int_not_equal(before, 0);
	assert_false(IS_ERR(params_add_dir(s.dir, "new", NULL)));
	added = version_of_dir("s");
	assert_true(added > before);
	assert_int_equal(params_delete_entry(s.dir, "new"), 0);
	assert_true(version_of_dir("s") > added);
}

/* Names that no path could reach, and one that there is. */
static void impossible_names_are_not_added(void **state)
{
	static const struct {
		struct lustre_params_attr attr;
		int rc;
	} cases[] = {
		{ LP_U32_FIELD("sl/ash", struct subject, u32), -EINVAL },
		{ LP_U32_FIELD("", struct subject, u32), -EINVAL },
		{ LP_U32_FIELD("u32", struct subject, u32), -EEXIST },
	};
	char name[PARAMS_NAME_MAX + 2];
	size_t n;

	for (n = 0; n < ARRAY_SIZE(cases); n++)
		assert_int_equal(params_add_attrs(s.dir, &cases[n].attr, 1, &s),
				 cases[n].rc);
	memset(name, 'n', sizeof(name));
	name[PARAMS_NAME_MAX + 1] = '\0';
	assert_int_equal(PTR_ERR(params_add_dir(s.dir, name, NULL)),
			 -ENAMETOOLONG);
	name[PARAMS_NAME_MAX] = '\0';
	assert_false(IS_ERR(params_add_dir(s.dir, name, NULL)));
}

/* The records of a READ can be written back. */
static void what_is_read_can_be_written(void **state)
{
	static const char *const paths[] = {
		"s/u32", "s/u64", "s/s32", "s/s64", "s/bool", "s/enum", "s/mask", "s/bytes",
		"s/time", "s/string", "s/field",
	};
	const struct params_value_rec *rec;
	struct subject before = s;
	struct params_ioc_read pr;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(paths); n++) {
		assert_int_equal(client_read(&cl, &pr, paths[n]), 0);
		rec = client_value_rec(cl.buf, cl.used, 0);
		assert_non_null(rec);
		if (client_write_typed(&cl, paths[n], rec->vr_type,
				       client_value(rec), rec->vr_len))
			fail_msg("%s: %s", paths[n], cl.reason);
	}
	before.calls = s.calls;
	assert_memory_equal(&before, &s, sizeof(s));
}

static void typed_values_are_set(void **state)
{
	struct params_time two = { .pt_ns = 2000000000 };
	u64 num = 200;
	s64 neg = -5;

	assert_int_equal(client_write_typed(&cl, "s/u32", PARAMS_V_U64, &num,
					    8), 0);
	assert_int_equal(s.u32, 200);
	assert_int_equal(client_write_typed(&cl, "s/s32", PARAMS_V_S64, &neg,
					    8), 0);
	assert_int_equal(s.s32, -5);
	assert_int_equal(client_write_typed(&cl, "s/u32", PARAMS_V_S64, &neg,
					    8), -ERANGE);
	assert_int_equal(client_write_typed(&cl, "s/time", PARAMS_V_TIME, &two,
					    sizeof(two)), 0);
	assert_int_equal(s.time, 2000000000);
	assert_int_equal(client_write_typed(&cl, "s/enum", PARAMS_V_STRING,
					    "green", 5), 0);
	assert_int_equal(s.colour, 1);
	num = 2;
	assert_int_equal(client_write_typed(&cl, "s/enum", PARAMS_V_U64, &num,
					    8), -ERANGE);
	num = 1ULL << 63;
	assert_int_equal(client_write_typed(&cl, "s/s64", PARAMS_V_U64, &num,
					    8), -ERANGE);
	assert_int_equal(client_write_typed(&cl, "s/bytes", PARAMS_V_BYTES, &num,
					    8), -ERANGE);
	assert_int_equal(client_write_typed(&cl, "s/string", PARAMS_V_STRING,
					    "typed", 5), 0);
	assert_string_equal(s.text, "typed");
}

static void typed_values_that_make_no_sense_are_refused(void **state)
{
	u64 num[2] = { 5, 5 };

	assert_int_equal(client_write_typed(&cl, "s/u32", PARAMS_V_U64, num, 4),
			 -EINVAL);
	assert_int_equal(client_write_typed(&cl, "s/u32", PARAMS_V_U64, num,
					    16), -EINVAL);
	assert_int_equal(client_write_typed(&cl, "s/u32", PARAMS_V_LIST_BEGIN,
					    num, 8), -EINVAL);
	assert_int_equal(client_write_typed(&cl, "s/u32", 99, num, 8), -EINVAL);
	assert_int_equal(client_write_typed(&cl, "s/time", PARAMS_V_TIME, num,
					    8), -EINVAL);
	assert_int_equal(client_write_typed(&cl, "s/string", PARAMS_V_U64, num,
					    8), -EINVAL);
	assert_int_equal(s.calls, 0);
}

static void a_typed_value_that_lies_about_its_length_is_refused(void **state)
{
	struct params_value_rec rec[3] = {
		{ .vr_type = PARAMS_V_STRING, .vr_len = 1000 },
	};
	struct params_ioc_write pw = { .pw_flags = PARAMS_W_TYPED };
	char text[sizeof(rec) + 1];
	size_t len;

	/* client_write() uses strlen(): the text must not start with a zero byte. */
	memset(rec, 1, sizeof(rec));
	for (len = 1; len <= sizeof(rec); len++) {
		memcpy(text, rec, len);
		text[len] = '\0';
		assert_int_equal(client_write(&cl, &pw, "s/string", text),
				 -EINVAL);
		assert_int_equal(client_write(&cl, &pw, "s/u32", text),
				 -EINVAL);
	}
}

static void batch_sets_each_on_its_own(void **state)
{
	struct params_ioc_write_batch wb;
	struct client_batch batch = { .count = 0 };
	const struct params_reply_rec *rec;

	client_batch_add(&batch, "s/u32", "9", 0, 0);
	client_batch_add(&batch, "s/u32", "999", 0, 0);
	client_batch_add(&batch, "s/no", "9", 0, 0);
	client_batch_add(&batch, "s/bool", "no", 0, 0);
	client_batch_add(&batch, "s/ro", "1", 0, 0);
	client_batch_add(&batch, "s", "1", 0, 0);
	client_batch_add(&batch, "s/u64", "9", 0, 0);
	s.fail_set = -EBUSY;
	s.good_sets = 2;
	assert_int_equal(client_write_batch(&cl, &wb, &batch, 0), 0);
	assert_int_equal(wb.bw_failed, 5);
	assert_int_equal(s.u32, 9);
	assert_int_equal(s.boolean, 0);
	rec = client_reply(&cl, 0);
	assert_int_equal(rec->rr_status, 0);
	assert_int_equal(rec->rr_version, version_of("s/u32"));
	assert_int_equal(rec->rr_reason_len, 0);
	rec = client_reply(&cl, 1);
	assert_int_equal(rec->rr_status, -ERANGE);
	assert_memory_equal(rec->rr_reason, "999 is above 256", 16);
	assert_int_equal(client_reply(&cl, 2)->rr_status, -ENOENT);
	assert_int_equal(client_reply(&cl, 3)->rr_status, 0);
	assert_int_equal(client_reply(&cl, 4)->rr_status, -EACCES);
	assert_int_equal(client_reply(&cl, 5)->rr_status, -EISDIR);
	assert_int_equal(client_reply(&cl, 6)->rr_status, -EBUSY);
	assert_null(client_reply(&cl, 7));
}

/* Only the version tells an error of a callback from an entry that is not there. */
static void version_of_what_is_not_there_is_0(void **state)
{
	static const char * const paths[] = { "t/no", "t/u32/no", "t/u32" };
	struct params_ioc_write_batch wb;
	struct client_batch batch = { .count = 0 };
	struct params_change ch;
	struct subject t;
	size_t n;

	assert_int_equal(subject_add(&t, "t"), 0);
	for (n = 0; n < ARRAY_SIZE(paths); n++)
		client_batch_add(&batch, paths[n], "9", 0, 0);
	t.fail_set = -ENOENT;
	assert_int_equal(client_write_batch(&cl, &wb, &batch, 0), 0);
	assert_int_equal(client_reply(&cl, 0)->rr_status, -ENOENT);
	assert_int_equal(client_reply(&cl, 0)->rr_version, 0);
	assert_int_equal(client_reply(&cl, 1)->rr_status, -ENOTDIR);
	assert_int_equal(client_reply(&cl, 1)->rr_version, 0);
	assert_int_equal(client_reply(&cl, 2)->rr_status, -ENOENT);
	assert_int_equal(client_reply(&cl, 2)->rr_version, version_of("t/u32"));
	/* One that is removed meanwhile is not there, either. */
	assert_int_equal(params_change_init(&ch, "t/u32", 5, "9", 1, 0, 0), 0);
	assert_int_not_equal(params_change_version(&ch), 0);
	subject_remove(&t);
	assert_int_equal(params_change_version(&ch), 0);
	params_change_fini(&ch);
}

static void batch_replies_where_words_have_no_room(void **state)
{
	struct params_ioc_write_batch wb;
	struct client_batch batch = { .count = 0 };
	u32 n;

	for (n = 0; n < 3; n++)
		client_batch_add(&batch, "s/u32", "999", 0, 0);
	cl.size = 3 * sizeof(struct params_reply_rec) - 8;
	assert_int_equal(client_write_batch(&cl, &wb, &batch, 0), -EOVERFLOW);
	assert_int_equal(wb.bw_out_len, 3 * sizeof(struct params_reply_rec));
	for (cl.size = 48; cl.size < 400; cl.size += 8) {
		assert_int_equal(client_write_batch(&cl, &wb, &batch, 0), 0);
		assert_int_equal(wb.bw_failed, 3);
		for (n = 0; n < 3; n++)
			assert_int_equal(client_reply(&cl, n)->rr_status,
					 -ERANGE);
		assert_null(client_reply(&cl, 3));
	}
}

static void all_or_nothing_is_all(void **state)
{
	struct params_ioc_write_batch wb;
	struct client_batch batch = { .count = 0 };

	client_batch_add(&batch, "s/u32", "9", 0, 0);
	client_batch_add(&batch, "s/string", "new", 0, 0);
	client_batch_add(&batch, "s/field", "7", 0, 0);
	client_batch_add(&batch, "s/u32", "10", 0, 0);
	client_batch_add(&batch, "s/trigger", "go", 0, 0);
	assert_int_equal(client_write_batch(&cl, &wb, &batch, PARAMS_W_ATOMIC),
			 0);
	assert_int_equal(wb.bw_failed, 0);
	/* In the order of their arrival. */
	assert_int_equal(s.u32, 10);
	assert_string_equal(s.text, "new");
	assert_int_equal(s.field, 7);
}

/* One that is refused when it is checked: none was even begun. */
static void all_or_nothing_checks_all_before_it_begins(void **state)
{
	struct params_ioc_write_batch wb;
	struct client_batch batch = { .count = 0 };
	const struct params_reply_rec *rec;

	client_batch_add(&batch, "s/u32", "9", 0, 0);
	client_batch_add(&batch, "s/enum", "pink", 0, 0);
	client_batch_add(&batch, "s/no", "1", 0, 0);
	assert_int_equal(client_write_batch(&cl, &wb, &batch, PARAMS_W_ATOMIC),
			 0);
	assert_int_equal(wb.bw_failed, 3);
	assert_int_equal(client_reply(&cl, 0)->rr_status, -ECANCELED);
	rec = client_reply(&cl, 1);
	assert_int_equal(rec->rr_status, -EINVAL);
	assert_memory_equal(rec->rr_reason, "'pink' is not one of", 17);
	assert_int_equal(client_reply(&cl, 2)->rr_status, -ENOENT);
	assert_int_equal(s.calls, 0);
}

/* One that refuses when it is set: those before it have their old value. */
static void all_or_nothing_gives_old_values_back(void **state)
{
	static const char *const paths[] = {
		"s/u32", "s/u64", "s/s32", "s/s64", "s/bool", "s/enum",
		"s/mask", "s/bytes", "s/time", "s/string", "s/field",
	};
	static const char *const values[] = {
		"9", "9", "9", "9", "0", "red", "green", "9", "9", "new", "9",
	};
	struct params_ioc_write_batch wb;
	struct client_batch batch = { .count = 0 };
	struct subject before;
	u32 n;

	for (n = 0; n < ARRAY_SIZE(paths); n++)
		client_batch_add(&batch, paths[n], values[n], 0, 0);
	/* It is checked that it can be undone; a trigger at the end need not. */
	client_batch_add(&batch, "t/trigger", "go", 0, 0);
	s.calls = 0;
	before = s;
	{
		struct subject t;

		assert_int_equal(subject_add(&t, "t"), 0);
		t.fail_set = -EREMOTEIO;
		assert_int_equal(client_write_batch(&cl, &wb, &batch,
						    PARAMS_W_ATOMIC), 0);
		subject_remove(&t);
	}
	assert_int_equal(wb.bw_failed, n + 1);
	assert_int_equal(client_reply(&cl, n)->rr_status, -EREMOTEIO);
	while (n-- > 0)
		assert_int_equal(client_reply(&cl, n)->rr_status, -ECANCELED);
	before.calls = s.calls;
	assert_memory_equal(&s, &before, sizeof(s));
}

/* A value that cannot be restored is reported, with a reason. */
static void all_or_nothing_tells_what_it_could_not_give_back(void **state)
{
	struct params_ioc_write_batch wb;
	struct client_batch batch = { .count = 0 };
	client_batch_add(&batch, "s/u32", "9", 0, 0);
	client_batch_add(&batch, "s/field", "9", 0, 0);
	client_batch_add(&batch, "s/string", "new", 0, 0);
	s.fail_set = -EREMOTEIO;
	s.good_sets = 1;
	assert_int_equal(client_write_batch(&cl, &wb, &batch, PARAMS_W_ATOMIC),
			 0);
	assert_int_equal(wb.bw_failed, 3);
	assert_int_equal(client_reply(&cl, 0)->rr_status, -EIO);
	assert_memory_equal(client_reply(&cl, 0)->rr_reason,
			    "its old value could not be restored: errno 121",
			    46);
	assert_int_equal(client_reply(&cl, 1)->rr_status, -ECANCELED);
	assert_int_equal(client_reply(&cl, 2)->rr_status, -EREMOTEIO);
	assert_int_equal(s.u32, 9);
	assert_int_equal(s.field, 42);
}

static void what_cannot_be_undone_may_only_be_last(void **state)
{
	static const char *const paths[] = { "s/trigger", "s/wo", "s/stats" };
	struct params_ioc_write_batch wb;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(paths); n++) {
		struct client_batch batch = { .count = 0 };

		client_batch_add(&batch, paths[n], n == 1 ? "5" : "clear", 0, 0);
		client_batch_add(&batch, "s/u32", "9", 0, 0);
		s.calls = 0;
		assert_int_equal(client_write_batch(&cl, &wb, &batch,
						    PARAMS_W_ATOMIC), 0);
		assert_int_equal(client_reply(&cl, 0)->rr_status, -EOPNOTSUPP);
		assert_int_equal(client_reply(&cl, 1)->rr_status, -ECANCELED);
		assert_int_equal(s.calls, 0);
	}
}

static void a_batch_that_is_a_dry_run_changes_nothing(void **state)
{
	static const u32 flags[] = {
		PARAMS_W_DRY_RUN, PARAMS_W_DRY_RUN | PARAMS_W_ATOMIC,
	};
	struct params_ioc_write_batch wb;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(flags); n++) {
		struct client_batch batch = { .count = 0 };

		client_batch_add(&batch, "s/u32", "9", 0, 0);
		assert_int_equal(client_write_batch(&cl, &wb, &batch, flags[n]), 0);
		assert_int_equal(wb.bw_failed, 0);
		client_batch_add(&batch, "s/u32", "999", 0, 0);
		assert_int_equal(client_write_batch(&cl, &wb, &batch, flags[n]), 0);
		/* All or nothing: both of them. */
		assert_int_equal(wb.bw_failed, n + 1);
		assert_int_equal(client_reply(&cl, 1)->rr_status, -ERANGE);
	}
	assert_int_equal(s.calls, 0);
}

/* The same entry twice: undoing in reverse order restores the first value. */
static void all_or_nothing_with_an_entry_twice(void **state)
{
	struct params_ioc_write_batch wb;
	struct client_batch batch = { .count = 0 };

	client_batch_add(&batch, "s/u32", "9", 0, 0);
	client_batch_add(&batch, "s/u32", "10", 0, 0);
	client_batch_add(&batch, "s/u32", "11", PARAMS_W_VERSION,
			 version_of("s/u32"));
	assert_int_equal(client_write_batch(&cl, &wb, &batch, PARAMS_W_ATOMIC),
			 0);
	assert_int_equal(client_reply(&cl, 2)->rr_status, -ESTALE);
	assert_int_equal(s.u32, 8);
	batch.in_len = 0;
	batch.count = 0;
	client_batch_add(&batch, "s/mask", "none", 0, 0);
	client_batch_add(&batch, "s/mask", "+red", 0, 0);
	client_batch_add(&batch, "s/mask", "+green", 0, 0);
	assert_int_equal(client_write_batch(&cl, &wb, &batch, 0), 0);
	assert_int_equal(wb.bw_failed, 0);
	assert_int_equal(s.mask, 3);
}

int main(void)
{
#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(values_of_every_type_are_set),
		TEST(refusals),
		TEST(a_text_of_any_length_meets_its_limit),
		TEST(a_nul_in_a_text_is_refused),
		TEST(triggers_and_statistics_take_words),
		TEST(what_a_setter_refuses_is_the_writers),
		TEST(writing_needs_a_privilege),
		TEST(a_dry_run_checks_and_changes_nothing),
		TEST(a_version_that_is_not_the_one_expected_is_stale),
		TEST(a_change_by_its_owner_is_a_version_too),
		TEST(a_version_of_a_directory_is_of_its_children),
		TEST(impossible_names_are_not_added),
		TEST(what_is_read_can_be_written),
		TEST(typed_values_are_set),
		TEST(typed_values_that_make_no_sense_are_refused),
		TEST(a_typed_value_that_lies_about_its_length_is_refused),
		TEST(batch_sets_each_on_its_own),
		TEST(version_of_what_is_not_there_is_0),
		TEST(batch_replies_where_words_have_no_room),
		TEST(all_or_nothing_is_all),
		TEST(all_or_nothing_checks_all_before_it_begins),
		TEST(all_or_nothing_gives_old_values_back),
		TEST(all_or_nothing_tells_what_it_could_not_give_back),
		TEST(what_cannot_be_undone_may_only_be_last),
		TEST(a_batch_that_is_a_dry_run_changes_nothing),
		TEST(all_or_nothing_with_an_entry_twice),
	};

	return cmocka_run_group_tests_name("params_write", tests, NULL, NULL);
}
