// SPDX-License-Identifier: GPL-2.0-only
/* Rules: matching, precedence, and restored values. */
#include "shim_cmocka.h"

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <shim/alloc.h>
#include <shim/event.h>
#include <shim/locks.h>
#include <shim/task.h>

#include "params/params_internal.h"
#include "params/rule.h"
#include "params_client.h"
#include "params_subject.h"

static struct subject s, t;
static struct client cl;
static struct params_rule_result result;

static int setup(void **state)
{
	client_open(&cl, 64 * 1024);
	memset(&t, 0, sizeof(t));
	return tree_setup(state) ?: subject_add(&s, "a");
}

static int teardown(void **state)
{
	client_close(&cl);
	subject_remove(&s);
	if (t.dir)
		subject_remove(&t);
	memset(&t, 0, sizeof(t));
	return tree_teardown(state);
}

static struct params_rule *add(const char *pattern, const char *value)
{
	struct params_rule_spec spec = { .pattern = pattern, .value = value };
	struct params_rule *rule = params_rule_add(&spec, &result);

	assert_false(IS_ERR(rule));
	return rule;
}

/* The source that DESCRIBE reports. */
static const char *source(const char *path)
{
	const struct params_value_rec *rec;
	struct params_ioc_describe pd;
	static char text[32];
	u32 n;

	assert_int_equal(client_describe(&cl, &pd, path), 0);
	for (n = 0; (rec = client_value_rec(cl.buf, cl.used, n)); n++) {
		if (rec->vr_name_len != 6 || memcmp(rec + 1, "source", 6))
			continue;
		assert_int_equal(rec->vr_type, PARAMS_V_STRING);
		memcpy(text, client_value(rec), rec->vr_len);
		text[rec->vr_len] = '\0';
		return text;
	}
	return "";
}

static void a_rule_sets_what_is_there(void **state)
{
	const struct shim_event *events;
	struct params_rule *rule;

	assert_string_equal(source("a/u32"), "default");
	shim_events_clear();
	rule = add("*.u32", "17");
	assert_int_equal(result.matched, 1);
	assert_int_equal(result.refused, 0);
	assert_string_equal(result.why, "");
	assert_int_equal(s.u32, 17);
	assert_string_equal(source("a/u32"), "permanent");
	assert_int_equal(shim_events(&events), 1);
	assert_string_equal(events[0].path, "a/u32");
	params_rule_del(rule);
	assert_int_equal(s.u32, 8);
	assert_string_equal(source("a/u32"), "default");
	assert_int_equal(shim_events(&events), 2);
}

/* One value for each type, and the one that is given back. */
static const struct {
	const char *name;
	const char *value;
	const char *has;
	const char *had;
} types[] = {
	{ "u32", "9", "9", "8" },
	{ "u64", "0x10", "0x10", "0xabc" },
	{ "s32", "-7", "-7", "-5" },
	{ "s64", "99", "99", "-50" },
	{ "bool", "off", "0", "1" },
	{ "enum", "green", "green", NULL },
	{ "mask", "green", "green", NULL },
	{ "bytes", "50%", "512", NULL },
	{ "time", "3s", NULL, NULL },
	{ "string", "other words", "other words", "some text" },
	{ "field", "43", "43", "42" },
};

static void every_type_has_rules(void **state)
{
	char before[256], now[256], path[32], pattern[32];
	size_t n;

	for (n = 0; n < ARRAY_SIZE(types); n++) {
		struct params_rule *rule;

		scnprintf(path, sizeof(path), "a/%s", types[n].name);
		scnprintf(pattern, sizeof(pattern), "?.%s", types[n].name);
		assert_int_equal(client_get(&cl, path, before, sizeof(before)), 0);
		if (types[n].had)
			assert_string_equal(before, types[n].had);
		rule = add(pattern, types[n].value);
		if (result.matched != 1 || result.refused)
			fail_msg("%s: %u %u %s", path, result.matched, result.refused, result.why);
		assert_int_equal(client_get(&cl, path, now, sizeof(now)), 0);
		if (types[n].has)
			assert_string_equal(now, types[n].has);
		assert_string_not_equal(now, before);
		assert_string_equal(source(path), "permanent");
		params_rule_del(rule);
		assert_int_equal(client_get(&cl, path, now, sizeof(now)), 0);
		assert_string_equal(now, before);
		assert_string_equal(source(path), "default");
	}
}

static void what_appears_has_it_before_it_is_seen(void **state)
{
	struct params_rule *number = add("*.u32", "17");
	struct params_rule *text = add("b.*", "words");
	const struct shim_event *events;
	unsigned int n, count;

	assert_int_equal(result.matched, 0);
	shim_events_clear();
	assert_int_equal(subject_add(&t, "b"), 0);
	assert_int_equal(t.u32, 17);
	assert_string_equal(t.text, "words");
	/* No event of a change was sent: the entry appeared with that value. */
	count = shim_events(&events);
	for (n = 0; n < count; n++)
		assert_int_equal(events[n].event, LL_PARAMS_ADDED);
	params_rule_result(text, &result);
	assert_int_equal(result.matched, 20);
	assert_int_equal(result.refused, 19);
	params_rule_result(number, &result);
	assert_int_equal(result.matched, 2);
	subject_remove(&t);
	t.dir = NULL;
	params_rule_result(number, &result);
	assert_int_equal(result.matched, 1);
	params_rule_result(text, &result);
	assert_int_equal(result.matched, 0);
	assert_string_equal(result.why, "");
	params_rule_del(number);
	params_rule_del(text);
}

static void what_is_added_to_what_is_seen_has_it_too(void **state)
{
	static const struct lustre_params_attr more[] = {
		LP_U32_FIELD("one", struct subject, field),
		LP_U32_FIELD("two", struct subject, u32),
	};
	struct params_rule *rule = add("a.one", "77");
	const struct shim_event *events;

	shim_events_clear();
	assert_int_equal(params_add_attrs(s.dir, more, 2, &s), 0);
	assert_int_equal(s.field, 77);
	assert_string_equal(source("a/one"), "permanent");
	assert_string_equal(source("a/two"), "default");
	assert_int_equal(shim_events(&events), 2);
	assert_int_equal(events[0].event, LL_PARAMS_ADDED);
	params_rule_del(rule);
	assert_int_equal(s.field, 42);
}

static void what_cannot_be_added_is_as_before(void **state)
{
	static const struct lustre_params_attr more[] = {
		LP_U32_FIELD("one", struct subject, field),
		LP_U32_FIELD("u32", struct subject, field),
	};
	struct params_rule *rule = add("a.one", "77");

	assert_int_equal(params_add_attrs(s.dir, more, 2, &s), -EEXIST);
	assert_int_equal(s.field, 42);
	params_rule_result(rule, &result);
	assert_int_equal(result.matched, 0);
	params_rule_del(rule);
}

static void a_link_is_matched_by_its_own_path(void **state)
{
	struct params_rule *one = add("l", "20");
	struct params_rule *two;

	assert_int_equal(params_add_link(NULL, "l", "a/u32"), 0);
	assert_int_equal(s.u32, 20);
	two = add("l", "21");
	assert_int_equal(s.u32, 21);
	assert_string_equal(source("l"), "permanent");
	params_rule_del(two);
	assert_int_equal(s.u32, 20);
	params_rule_del(one);
	assert_int_equal(s.u32, 8);
	params_delete_entry(NULL, "l");
}

static void the_later_rule_wins(void **state)
{
	struct params_rule *r1 = add("a.u32", "11");
	struct params_rule *r2 = add("*.u32", "12");
	struct params_rule *r3 = add("a.u*2", "13");

	assert_int_equal(s.u32, 13);
	assert_int_equal(subject_add(&t, "b"), 0);
	assert_int_equal(t.u32, 12);
	params_rule_del(r2);
	assert_int_equal(s.u32, 13);
	assert_int_equal(t.u32, 8);
	params_rule_del(r3);
	assert_int_equal(s.u32, 11);
	params_rule_del(r1);
	assert_int_equal(s.u32, 8);
}

static void a_person_wins_until_a_rule_is_added(void **state)
{
	struct params_rule *r1 = add("a.u32", "11");
	struct params_rule *r2;

	assert_int_equal(client_set(&cl, "a/u32", "50"), 0);
	assert_string_equal(source("a/u32"), "local");
	r2 = add("a.u32", "12");
	assert_int_equal(s.u32, 12);
	assert_string_equal(source("a/u32"), "permanent");
	/* The person's is the last value that no rule gave. */
	params_rule_del(r2);
	assert_int_equal(s.u32, 11);
	params_rule_del(r1);
	assert_int_equal(s.u32, 50);
	assert_string_equal(source("a/u32"), "local");
}

static void what_a_person_set_since_stays(void **state)
{
	struct params_rule *r1 = add("a.u32", "11");
	struct params_rule *r2 = add("a.u32", "12");

	assert_int_equal(params_set(NULL, "a/u32", "60", 0, NULL, 0), 0);
	params_rule_del(r2);
	assert_int_equal(s.u32, 60);
	params_rule_del(r1);
	assert_int_equal(s.u32, 60);
	assert_string_equal(source("a/u32"), "local");
	/* And a refused write is none. */
	r1 = add("a.u32", "11");
	assert_int_equal(client_set(&cl, "a/u32", "100000"), -ERANGE);
	s.fail_set = -EIO;
	assert_int_equal(client_set(&cl, "a/u32", "61"), -EIO);
	s.fail_set = 0;
	assert_string_equal(source("a/u32"), "permanent");
	params_rule_del(r1);
	assert_int_equal(s.u32, 60);
}

static void a_refusal_leaves_it_to_the_rule_before(void **state)
{
	struct params_rule *r1 = add("a.u32", "11");
	struct params_rule *r2 = add("a.u32", "many");

	assert_int_equal(result.matched, 1);
	assert_int_equal(result.refused, 1);
	assert_non_null(strstr(result.why, "a/u32: "));
	assert_non_null(strstr(result.why, "many"));
	assert_int_equal(s.u32, 11);
	params_rule_del(r1);
	assert_int_equal(s.u32, 8);
	params_rule_del(r2);
	/* One that refuses does not keep others from being set. */
	assert_int_equal(subject_add(&t, "b"), 0);
	s.fail_set = -EIO;
	r1 = add("*.u32", "11");
	assert_int_equal(result.matched, 2);
	assert_int_equal(result.refused, 1);
	assert_string_equal(result.why, "a/u32: refused, errno 5");
	assert_int_equal(t.u32, 11);
	s.fail_set = 0;
	params_rule_del(r1);
}

static void what_is_no_setting_is_refused_with_words(void **state)
{
	static const struct {
		const char *pattern;
		const char *why;
	} cases[] = {
		{ "a.trigger", "a/trigger: is a trigger and has no value" },
		{ "a.stats", "a/stats: is statistics and cannot be set" },
		{ "a.ro", "a/ro: cannot be set" },
		{ "a.big", "a/big: cannot be set" },
	};
	struct params_rule *rule;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(cases); n++) {
		unsigned int calls = s.calls;

		rule = add(cases[n].pattern, "clear");
		assert_int_equal(result.matched, 1);
		assert_int_equal(result.refused, 1);
		assert_string_equal(result.why, cases[n].why);
		assert_int_equal(s.calls, calls);
		params_rule_del(rule);
	}
	/* A directory is not a parameter. */
	rule = add("a", "1");
	assert_int_equal(result.matched, 0);
	params_rule_del(rule);
}

static void what_is_no_pattern_is_no_rule(void **state)
{
	static const char *const patterns[] = { "", "a..b", "a.{b,c}", "a.**.b", ".a" };
	struct params_rule_spec spec = { .value = "1" };
	size_t n;

	for (n = 0; n < ARRAY_SIZE(patterns); n++) {
		spec.pattern = patterns[n];
		assert_int_equal(PTR_ERR(params_rule_add(&spec, &result)), -EINVAL);
		assert_true(strlen(result.why) > 10);
	}
	params_rule_del(NULL);
	params_rule_del(ERR_PTR(-EINVAL));
}

static void names_of_bits_start_from_before_the_rules(void **state)
{
	struct params_rule *r1, *r2;
	u64 before = s.mask;

	r1 = add("*.mask", "+green");
	assert_int_not_equal(s.mask, before);
	r2 = add("*.mask", "+blue");
	assert_int_equal(subject_add(&t, "b"), 0);
	assert_int_equal(s.mask, t.mask);
	params_rule_del(r2);
	assert_int_equal(s.mask, t.mask);
	params_rule_del(r1);
	assert_int_equal(s.mask, before);
}

/* "wo" cannot be read and has no declared default: its value stays. */
static void what_cannot_be_read_cannot_be_given_back(void **state)
{
	static const struct lustre_params_attr attr = {
		.name = "wd", .type = PARAMS_T_U32, .mode = 0644, .field = 1,
		.offset = offsetof(struct subject, field), .max = 1000,
	};
	struct params_rule *rule = add("a.wo", "5");

	assert_int_equal(result.refused, 0);
	assert_int_equal(s.u32, 5);
	params_rule_del(rule);
	assert_int_equal(s.u32, 5);
	assert_string_equal(source("a/wo"), "local");
	assert_int_equal(params_add_attrs(s.dir, &attr, 1, &s), 0);
}

static int low_get(void *data, u64 *val)
{
	*val = READ_ONCE(((u32 *)data)[0]);
	return 0;
}

/* Accepts values less than the next one. */
static int low_set(void *data, u64 val)
{
	u32 *values = data;

	if (val >= values[1])
		return -ERANGE;
	values[0] = val;
	return 0;
}

static const struct lustre_params_attr neighbours[] = {
	LP_U32_RW("a_low", low_get, low_set),
	{ .name = "b_high", .type = PARAMS_T_U32, .mode = 0644, .field = 1,
	  .offset = sizeof(u32) },
};

/* The order of the names does not matter: the order of setting counts. */
static void values_that_depend_on_others_appear(void **state)
{
	struct params_rule *high = add("n?.b_high", "64");
	struct params_rule *low = add("n?.a_low", "32");
	u32 hidden[2] = { 1, 8 }, seen[2] = { 1, 8 };
	struct lustre_params_entry *dir;

	dir = params_add_dir_hidden(NULL, "nh", NULL);
	assert_int_equal(params_add_attrs(dir, neighbours, 2, hidden), 0);
	assert_int_equal(hidden[1], 8);
	assert_int_equal(params_publish(dir), 0);
	assert_int_equal(hidden[0], 32);
	assert_int_equal(hidden[1], 64);
	dir = params_add_dir(NULL, "ns", NULL);
	assert_int_equal(params_add_attrs(dir, neighbours, 2, seen), 0);
	assert_int_equal(seen[0], 32);
	params_rule_result(low, &result);
	assert_int_equal(result.matched, 2);
	assert_int_equal(result.refused, 0);
	params_rule_del(low);
	params_rule_del(high);
	assert_int_equal(hidden[0], 1);
	assert_int_equal(seen[1], 8);
	params_delete_entry(NULL, "nh");
	params_delete_entry(NULL, "ns");
}

struct scope {
	const char	*prefix;
	unsigned int	calls;
};

static bool in_scope(const char *path, void *data)
{
	struct scope *scope = data;

	shim_assert_no_rwsem("applies");
	shim_might_sleep("applies");
	scope->calls++;
	return !strncmp(path, scope->prefix, strlen(scope->prefix));
}

static void a_rule_asks_what_is_meant(void **state)
{
	struct scope scope = { .prefix = "b/" };
	struct params_rule_spec spec = { "*.u32", "17", in_scope, &scope };
	struct params_rule *rule = params_rule_add(&spec, &result);

	assert_int_equal(result.matched, 0);
	assert_int_equal(scope.calls, 1);
	assert_int_equal(s.u32, 8);
	assert_int_equal(subject_add(&t, "b"), 0);
	assert_int_equal(t.u32, 17);
	assert_int_equal(params_set_matching_where(&spec, PARAMS_W_DRY_RUN, NULL, 0), 1);
	scope.prefix = "c/";
	assert_int_equal(params_set_matching_where(&spec, 0, NULL, 0), -ENOENT);
	params_rule_del(rule);
	assert_int_equal(t.u32, 8);
}

/* All or nothing, and it is nothing: the source is unchanged, too. */
static void an_undone_write_was_none(void **state)
{
	struct params_ioc_write_batch wb;
	struct client_batch batch = { .count = 0 };
	struct params_rule *rule = add("a.u32", "11");

	client_batch_add(&batch, "a/u32", "9", 0, 0);
	client_batch_add(&batch, "a/s32", "9", 0, 0);
	client_batch_add(&batch, "a/trigger", "refused", 0, 0);
	s.fail_trigger = -EREMOTEIO;
	assert_int_equal(client_write_batch(&cl, &wb, &batch, PARAMS_W_ATOMIC), 0);
	assert_int_equal(wb.bw_failed, 3);
	assert_int_equal(s.u32, 11);
	assert_string_equal(source("a/u32"), "permanent");
	assert_string_equal(source("a/s32"), "default");
	params_rule_del(rule);
	assert_int_equal(s.u32, 8);
}

/* More rules for one entry than are looked at in one go. */
static void many_rules_for_one_entry(void **state)
{
	struct params_rule *rules[100];
	unsigned int n;
	char value[8];

	for (n = 0; n < 100; n++) {
		scnprintf(value, sizeof(value), "%u", n + 1);
		rules[n] = add(n % 3 ? "b.u32" : "b.*32", value);
	}
	assert_int_equal(subject_add(&t, "b"), 0);
	assert_int_equal(t.u32, 100);
	for (n = 100; n-- > 0;) {
		params_rule_result(rules[n], &result);
		assert_int_equal(result.matched, n % 3 ? 1 : 2);
		params_rule_del(rules[n]);
		assert_int_equal(t.u32, n ? n : 8);
	}
}

/* For every failing allocation: the failure is reported, and no memory leaks. */
static void adding_a_rule_without_memory(void **state)
{
	struct scope scope = { .prefix = "a/" };
	struct params_rule_spec spec = { "?.[us][0-9t]*", "9", in_scope, &scope };
	struct subject before = s;
	unsigned int nth, half = 0;

	for (nth = 1; nth < 1000; nth++) {
		long live = shim_alloc_live();
		struct params_rule *rule;
		bool failed;

		shim_alloc_fail(nth);
		rule = params_rule_add(&spec, &result);
		failed = shim_alloc_failed();
		if (IS_ERR(rule)) {
			assert_int_equal(PTR_ERR(rule), -ENOMEM);
			assert_string_equal(result.why, "");
		} else {
			/* u32 u64 s32 s64 string stats, the last refused anyway. */
			assert_int_equal(result.matched, 6);
			assert_in_range(result.refused, 1, failed ? 2 : 1);
			half += result.refused == 2;
		}
		/* Giving back needs none. */
		shim_alloc_fail(1);
		params_rule_del(rule);
		assert_false(shim_alloc_failed());
		assert_int_equal(shim_alloc_live(), live);
		assert_int_equal(s.u32, before.u32);
		assert_int_equal(s.s64, before.s64);
		assert_string_equal(s.text, before.text);
		if (!failed)
			break;
	}
	assert_true(half > 10);
	assert_true(nth < 1000);
}

static void appearing_without_memory(void **state)
{
	struct params_rule *rules[2] = { add("b.u32", "9"), add("b.string", "words") };
	unsigned int nth, taken, lost = 0;

	for (nth = 1; nth < 1000; nth++) {
		long live = shim_alloc_live();
		bool failed;
		int rc;

		shim_alloc_fail(nth);
		rc = subject_add(&t, "b");
		failed = shim_alloc_failed();
		if (rc) {
			assert_int_equal(rc, -ENOMEM);
			t.dir = NULL;
			assert_int_equal(shim_alloc_live(), live);
			continue;
		}
		/*
		 * The entry appears all the same; a rule without memory is refused, or
		 * tried again.
		 */
		taken = (t.u32 == 9) + !strcmp(t.text, "words");
		assert_in_range(taken, failed ? 1 : 2, 2);
		lost += taken == 1;
		if (!failed)
			break;
		subject_remove(&t);
		t.dir = NULL;
		assert_int_equal(shim_alloc_live(), live);
	}
	assert_true(lost > 1);
	params_rule_result(rules[0], &result);
	assert_true(result.refused > 0);
	params_rule_del(rules[0]);
	params_rule_del(rules[1]);
	assert_int_equal(t.u32, 8);
}

int main(void)
{
#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_rule_sets_what_is_there),
		TEST(every_type_has_rules),
		TEST(what_appears_has_it_before_it_is_seen),
		TEST(what_is_added_to_what_is_seen_has_it_too),
		TEST(what_cannot_be_added_is_as_before),
		TEST(a_link_is_matched_by_its_own_path),
		TEST(the_later_rule_wins),
		TEST(a_person_wins_until_a_rule_is_added),
		TEST(what_a_person_set_since_stays),
		TEST(a_refusal_leaves_it_to_the_rule_before),
		TEST(what_is_no_setting_is_refused_with_words),
		TEST(what_is_no_pattern_is_no_rule),
		TEST(names_of_bits_start_from_before_the_rules),
		TEST(what_cannot_be_read_cannot_be_given_back),
		TEST(values_that_depend_on_others_appear),
		TEST(a_rule_asks_what_is_meant),
		TEST(an_undone_write_was_none),
		TEST(many_rules_for_one_entry),
		TEST(adding_a_rule_without_memory),
		TEST(appearing_without_memory),
	};

	return cmocka_run_group_tests_name("params_rule", tests, NULL, NULL);
}
