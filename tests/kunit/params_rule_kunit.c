// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules under load: against parameters that come and go, against what people
 * set, and against each other. What is promised:
 *
 *	every reader of an appearing entry gets the value of its rule
 *	when all rules have gone, so have their values and their source
 *	of two rules added at the same time the later one has the value
 *	when params_rule_del() returned, its callback runs no more
 *
 * Processors: 2
 * Every: 2
 */
#include "race.h"

/* Values: at the start, of users, of rules; and of the one rule that stays. */
#define START		1U
#define PERSON		10U
#define RULED		100U
#define STAYING		77U

struct owner {
	u32	magic;
	u32	value;
	u32	other;
};

/**
 * struct scope - what a rule asks whether it means a parameter
 * @magic: LIVE until its rule is deleted
 * @hits: how often it was asked
 */
struct scope {
	u32		magic;
	atomic_t	hits;
};

static struct owner fixed;

static int owner_get(void *data, u64 *val)
{
	struct owner *owner = data;

	race_alive(&owner->magic);
	*val = READ_ONCE(owner->value);
	return 0;
}

static int owner_set(void *data, u64 val)
{
	struct owner *owner = data;

	race_alive(&owner->magic);
	cond_resched();
	WRITE_ONCE(owner->value, val);
	race_alive(&owner->magic);
	return 0;
}

static const struct lustre_params_attr owner_attrs[] = {
	LP_U32_RW("one", owner_get, owner_set),
	LP_U32_FIELD("two", struct owner, other),
};

static bool scope_applies(const char *path, void *data)
{
	struct scope *scope = data;

	race_alive(&scope->magic);
	atomic_inc(&scope->hits);
	cond_resched();
	race_alive(&scope->magic);
	return strlen(path) > 0;
}

static struct params_rule *rule_add(const char *pattern, u32 value,
				    struct params_rule_result *result)
{
	char text[12];
	struct params_rule_spec spec = { .pattern = pattern, .value = text };

	snprintf(text, sizeof(text), "%u", value);
	return params_rule_add(&spec, result);
}

/* Hidden, filled, published: it has the value of its rule from the start. */
static int add_owner(const char *name, struct owner *owner, bool hidden,
		     struct lustre_params_entry **dir)
{
	int rc;

	*dir = hidden ? params_add_dir_hidden(fx.dir, name, owner) :
			params_add_dir(fx.dir, name, owner);
	if (IS_ERR(*dir))
		return PTR_ERR(*dir);
	rc = params_add_attrs(*dir, owner_attrs, ARRAY_SIZE(owner_attrs), owner);
	if (!rc && hidden)
		rc = params_publish(*dir);
	if (rc)
		params_remove(*dir);
	return rc;
}

static long churn_with(const char *name, bool hidden)
{
	long cycles = 0;

	do {
		struct owner *owner = kzalloc(sizeof(*owner), GFP_KERNEL);
		struct lustre_params_entry *dir = NULL;
		int rc;

		if (!owner)
			return -ENOMEM;
		owner->magic = LIVE;
		owner->value = START;
		rc = add_owner(name, owner, hidden, &dir);
		if (!rc) {
			usleep_range(20, 300);
			params_remove(dir);
		}
		WRITE_ONCE(owner->magic, POISON);
		kfree(owner);
		if (rc)
			return rc;
		cycles++;
	} while (!READ_ONCE(stop));
	return cycles;
}

static long churn(void *name)
{
	return churn_with(name, true);
}

static long churn_seen(void *name)
{
	return churn_with(name, false);
}

/* Add and delete rules, at least one, each with a scope that is freed with it. */
static long rules(void *pattern)
{
	long cycles = 0;

	do {
		struct scope *scope = kzalloc(sizeof(*scope), GFP_KERNEL);
		struct params_rule_spec spec = {
			pattern, "100", scope_applies, scope
		};
		struct params_rule *rule;

		if (!scope)
			return -ENOMEM;
		scope->magic = LIVE;
		rule = params_rule_add(&spec, NULL);
		if (IS_ERR(rule))
			return PTR_ERR(rule);
		usleep_range(20, 200);
		params_rule_del(rule);
		WRITE_ONCE(scope->magic, POISON);
		kfree(scope);
		cycles++;
	} while (!READ_ONCE(stop));
	return cycles;
}

static long once_write(struct client *c, const char *path, long n)
{
	char text[12];

	snprintf(text, sizeof(text), "%ld", (long)PERSON + n % 10);
	usleep_range(5, 50);
	return client_write(c, path, text);
}

static long writes(void *path)
{
	return race_calls(once_write, path);
}

/* Existing parameters have the value of the rule that stays, and never another. */
static long once_staying(struct client *c, const char *path, long n)
{
	long rc = client_read(c, path);

	cond_resched();
	if (rc || client_number(c) == STAYING)
		return rc;
	pr_err("params_rule: %s: read %llu\n", path, client_number(c));
	return -EILSEQ;
}

static long reads_staying(void *path)
{
	return race_calls(once_staying, path);
}

static bool source_is(const char *path, const char *source)
{
	struct params_value_rec *rec;
	unsigned int n;

	if (client_describe(fx.client, path))
		return false;
	for (n = 0; (rec = client_rec(fx.client, n)); n++)
		if (rec->vr_name_len == 6 && !memcmp(rec + 1, "source", 6))
			return rec->vr_len == strlen(source) &&
				!memcmp(client_rec_value(rec), source,
					rec->vr_len);
	return false;
}

static void appearing_has_its_value(struct kunit *test)
{
	static const struct racer racers[] = {
		{ churn, "a", "churn of a, hidden at first" },
		{ churn_seen, "b", "churn of b, filled while it is seen" },
		{ reads_staying, FIXTURE_DIR "/a/one", "reads of a/one" },
		{ reads_staying, FIXTURE_DIR "/b/one", "reads of b/one" },
		{ rules, FIXTURE_DIR ".?.two", "rules for others" },
		{ rules, FIXTURE_DIR ".*.*o", "rules for others, by pattern" },
	};
	struct params_rule_result result;
	struct params_rule *rule;

	rule = rule_add(FIXTURE_DIR ".?.one", STAYING, &result);
	KUNIT_ASSERT_FALSE(test, IS_ERR(rule));
	KUNIT_EXPECT_EQ(test, result.matched, 1U);
	race(test, racers, ARRAY_SIZE(racers));
	params_rule_result(rule, &result);
	KUNIT_EXPECT_EQ(test, result.matched, 1U);
	KUNIT_EXPECT_EQ(test, result.refused, 0U);
	params_rule_del(rule);
	KUNIT_EXPECT_EQ(test, fixed.value, START);
}

static void rules_against_rules(struct kunit *test)
{
	static const struct racer racers[] = {
		{ rules, FIXTURE_DIR ".f.one", "rules for one" },
		{ rules, FIXTURE_DIR ".f.*", "rules for all of it" },
		{ rules, FIXTURE_DIR ".*.one", "rules for one of all" },
		{ churn, "a", "churn of a" },
	};

	race(test, racers, ARRAY_SIZE(racers));
	KUNIT_EXPECT_EQ(test, fixed.value, START);
	KUNIT_EXPECT_EQ(test, fixed.other, START);
	KUNIT_EXPECT_TRUE(test, source_is(FIXTURE_DIR "/f/one", "default"));
	KUNIT_EXPECT_TRUE(test, source_is(FIXTURE_DIR "/f/two", "default"));
}

static void rules_against_people(struct kunit *test)
{
	static const struct racer racers[] = {
		{ rules, FIXTURE_DIR ".f.one", "rules for one" },
		{ rules, FIXTURE_DIR ".*.one", "rules for one of all" },
		{ writes, FIXTURE_DIR "/f/one", "writes of one" },
		{ writes, FIXTURE_DIR "/f/one", "more writes of one" },
	};

	race(test, racers, ARRAY_SIZE(racers));
	/* It has a value that no rule gave, and its source says so. */
	KUNIT_EXPECT_LT(test, fixed.value, RULED);
	KUNIT_EXPECT_FALSE(test, source_is(FIXTURE_DIR "/f/one", "permanent"));
	if (fixed.value != START)
		KUNIT_EXPECT_TRUE(test, source_is(FIXTURE_DIR "/f/one", "local"));
}

/* A rule is added while users write: in the end the value is the rule's, or a user's. */
static void the_source_tells_whose_value_it_is(struct kunit *test)
{
	static struct aside people[2];
	unsigned int i, n;

	for (i = 0; i < 50; i++) {
		struct params_rule *rule;
		bool ruled;

		WRITE_ONCE(stop, false);
		for (n = 0; n < ARRAY_SIZE(people); n++)
			aside_start(test, &people[n], writes,
				    FIXTURE_DIR "/f/one");
		usleep_range(100, 2000);
		rule = rule_add(FIXTURE_DIR ".f.one", RULED, NULL);
		WRITE_ONCE(stop, true);
		for (n = 0; n < ARRAY_SIZE(people); n++)
			aside_join(test, &people[n]);
		ruled = fixed.value == RULED;
		KUNIT_EXPECT_TRUE(test, source_is(FIXTURE_DIR "/f/one", ruled ?
						  "permanent" : "local"));
		params_rule_del(rule);
		KUNIT_EXPECT_LT(test, fixed.value, RULED);
	}
}

/**
 * struct two - one of two rules that are added at the same time
 * @rule: the rule
 * @value: its value
 */
struct two {
	struct params_rule	*rule;
	u32			value;
};

static long add_one_of_two(void *arg)
{
	struct two *two = arg;

	two->rule = rule_add(FIXTURE_DIR ".f.one", two->value, NULL);
	return PTR_ERR_OR_ZERO(two->rule);
}

static void the_later_of_two_wins(struct kunit *test)
{
	static struct two two[2] = { { NULL, RULED }, { NULL, RULED + 1 } };
	static struct aside asides[2];
	unsigned int i, n;

	for (i = 0; i < 200; i++) {
		unsigned int winner;

		for (n = 0; n < 2; n++)
			aside_start(test, &asides[n], add_one_of_two, &two[n]);
		for (n = 0; n < 2; n++)
			KUNIT_ASSERT_EQ(test, aside_join(test, &asides[n]), 0L);
		winner = fixed.value - RULED;
		KUNIT_ASSERT_LT(test, winner, 2U);
		params_rule_del(two[winner].rule);
		KUNIT_EXPECT_EQ(test, fixed.value, two[!winner].value);
		params_rule_del(two[!winner].rule);
		KUNIT_EXPECT_EQ(test, fixed.value, START);
	}
}

static const struct lustre_params_attr slow_attrs[] = {
	LP_U32_RW("slow", gate_get, gate_set),
	LP_U32_FIELD("quick", struct gate, calls),
};

static long add_slow(void *arg)
{
	struct params_rule **rule = arg;

	*rule = rule_add(FIXTURE_DIR ".g.slow", 5, NULL);
	return PTR_ERR_OR_ZERO(*rule);
}

/* A slow setter delays only writers of the same parameter. */
static void a_slow_setter_is_waited_for_by_few(struct kunit *test)
{
	static struct params_rule *slow;
	struct params_rule_result result;
	struct lustre_params_entry *dir;
	struct params_rule *quick;
	static struct aside adder, remover;
	static struct gate gate;

	gate_init(&gate);
	dir = params_add_dir(fx.dir, "g", NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(dir));
	KUNIT_ASSERT_EQ(test, params_add_attrs(dir, slow_attrs,
					       ARRAY_SIZE(slow_attrs), &gate), 0);
	aside_start(test, &adder, add_slow, &slow);
	gate_await(test, &gate);
	quick = rule_add(FIXTURE_DIR ".*.quick", 9, &result);
	KUNIT_EXPECT_EQ(test, result.matched, 1U);
	KUNIT_EXPECT_EQ(test, result.refused, 0U);
	params_rule_del(quick);
	aside_start(test, &remover, aside_remove, dir);
	aside_await_sleep(test, &remover);
	aside_await_sleep(test, &adder);
	complete_all(&gate.leave);
	KUNIT_EXPECT_EQ(test, aside_join(test, &adder), 0L);
	aside_join(test, &remover);
	params_rule_result(slow, &result);
	KUNIT_EXPECT_EQ(test, result.matched, 0U);
	params_rule_del(slow);
}

static struct kunit_case rule_cases[] = {
	KUNIT_CASE(appearing_has_its_value),
	KUNIT_CASE(rules_against_rules),
	KUNIT_CASE(rules_against_people),
	KUNIT_CASE(the_source_tells_whose_value_it_is),
	KUNIT_CASE(the_later_of_two_wins),
	KUNIT_CASE(a_slow_setter_is_waited_for_by_few),
	{}
};

static int rule_init(struct kunit *test)
{
	struct lustre_params_entry *dir;
	int rc = fixture_init(test);

	atomic_set(&late, 0);
	fixed = (struct owner){ LIVE, START, START };
	return rc ?: add_owner("f", &fixed, true, &dir);
}

static struct kunit_suite rule_suite = {
	.name = "params_rule",
	.suite_init = client_suite_init,
	.init = rule_init,
	.exit = fixture_exit,
	.test_cases = rule_cases,
};
kunit_test_suite(rule_suite);

MODULE_DESCRIPTION("rules of the parameters tree under load");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
