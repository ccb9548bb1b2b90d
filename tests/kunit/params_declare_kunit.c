// SPDX-License-Identifier: GPL-2.0
/*
 * Typed declarations: a text that a person types goes in, the subsystem sees a
 * number that was parsed, converted and checked, and what it sets is what a
 * reader gets.
 */
#include "fixture.h"

static const char *const colours[] = { "red", "green", "", "blue", NULL };

struct declared {
	u32	u32;
	u64	u64;
	s32	s32;
	s64	s64;
	bool	flag;
	u64	bytes;
	s64	time;
	u64	colour;
	u64	mask;
	char	text[32];
	size_t	text_len;
	u64	sets;
};

static struct declared values;

static int colour_get(void *data, u64 *val)
{
	struct declared *v = data;

	*val = v->colour;
	return 0;
}

static int colour_set(void *data, u64 val)
{
	struct declared *v = data;

	v->colour = val;
	v->sets++;
	return 0;
}

static int mask_get(void *data, u64 *val)
{
	struct declared *v = data;

	*val = v->mask;
	return 0;
}

static int mask_set(void *data, u64 val)
{
	struct declared *v = data;

	v->mask = val;
	v->sets++;
	return 0;
}

static ssize_t text_get(void *data, char *buf, size_t size)
{
	struct declared *v = data;

	if (v->text_len > size)
		return -EOVERFLOW;
	memcpy(buf, v->text, v->text_len);
	return v->text_len;
}

static int text_set(const char *text, size_t len, void *data)
{
	struct declared *v = data;

	v->text_len = min(len, sizeof(v->text));
	memcpy(v->text, text, v->text_len);
	v->sets++;
	return 0;
}

static u64 thousand(void *data)
{
	return 1000;
}

static const struct lustre_params_attr attrs[] = {
	LP_U32_FIELD("u32", struct declared, u32, .min = 1, .max = 256,
		     LP_DEF(8), .doc = "a small number"),
	LP_U64_FIELD("u64", struct declared, u64),
	LP_S32_FIELD("s32", struct declared, s32, .min = (u64)-20, .max = 19),
	LP_S64_FIELD("s64", struct declared, s64),
	LP_BOOL_FIELD("bool", struct declared, flag),
	LP_ENUM_RW("enum", colours, colour_get, colour_set, LP_DEF(3)),
	LP_MASK_RW("mask", colours, mask_get, mask_set),
	LP_BYTES_FIELD("bytes", struct declared, bytes,
		       .unit = PARAMS_UNIT_BYTES),
	LP_BYTES_FIELD("mib", struct declared, bytes, .unit = PARAMS_UNIT_MIB,
		       .max = 1ULL << 40),
	LP_BYTES_FIELD("share", struct declared, bytes,
		       .unit = PARAMS_UNIT_BYTES, .max = 1000,
		       .total = thousand),
	LP_TIME_FIELD("sec", struct declared, time, .unit = PARAMS_UNIT_SEC),
	LP_TIME_FIELD("msec", struct declared, time, .unit = PARAMS_UNIT_MSEC),
	LP_STR_RW("string", text_get, text_set, .min = 1, .max = 8),
};

/**
 * struct text_case - a text and what becomes of it
 * @name: entry
 * @text: what is written
 * @rc: errno
 * @bits: the value as it is kept afterwards, where @rc is 0
 */
struct text_case {
	const char	*name;
	const char	*text;
	long		rc;
	u64		bits;
};

static const struct text_case text_cases[] = {
	{ "u32", "17", 0, 17 },
	{ "u32", "17\n", 0, 17 },
	{ "u32", "0x10", 0, 16 },
	{ "u32", "256", 0, 256 },
	{ "u32", "1", 0, 1 },
	{ "u32", "257", -ERANGE },
	{ "u32", "0", -ERANGE },
	{ "u32", "-1", -ERANGE },
	{ "u32", "4294967297", -ERANGE },
	{ "u32", "18446744073709551617", -ERANGE },
	{ "u32", "", -EINVAL },
	{ "u32", "\n", -EINVAL },
	{ "u32", "x", -EINVAL },
	{ "u32", "12 monkeys", -EINVAL },
	{ "u32", "0x", -EINVAL },
	{ "u64", "18446744073709551615", 0, ~0ULL },
	{ "u64", "18446744073709551616", -ERANGE },
	{ "u64", "4K", 0, 4096 },
	{ "u64", "3M", 0, 3ULL << 20 },
	{ "u64", "1E", 0, 1ULL << 60 },
	{ "u64", "16E", -ERANGE },
	{ "s32", "-20", 0, (u64)-20 },
	{ "s32", "19", 0, 19 },
	{ "s32", "-21", -ERANGE },
	{ "s32", "20", -ERANGE },
	{ "s32", "--1", -EINVAL },
	{ "s64", "-9223372036854775808", 0, 1ULL << 63 },
	{ "s64", "-9223372036854775809", -ERANGE },
	{ "s64", "9223372036854775808", -ERANGE },
	{ "bool", "1", 0, 1 },
	{ "bool", "y", 0, 1 },
	{ "bool", "yes", 0, 1 },
	{ "bool", "on", 0, 1 },
	{ "bool", "true", 0, 1 },
	{ "bool", "0", 0, 0 },
	{ "bool", "no", 0, 0 },
	{ "bool", "off", 0, 0 },
	{ "bool", "false", 0, 0 },
	{ "bool", "2", -EINVAL },
	{ "bool", "maybe", -EINVAL },
	{ "bool", "", -EINVAL },
	{ "enum", "red", 0, 0 },
	{ "enum", "blue", 0, 3 },
	{ "enum", "purple", -EINVAL },
	{ "enum", "", -EINVAL },
	{ "enum", "re", -EINVAL },
	{ "mask", "red blue", 0, 9 },
	{ "mask", "+green", 0, 2 },
	{ "mask", "3", 0, 3 },
	{ "mask", "0x8", 0, 8 },
	{ "mask", "purple", -EINVAL },
	{ "mask", "+red -purple", -EINVAL },
	{ "bytes", "100", 0, 100 },
	{ "bytes", "1K", 0, 1024 },
	{ "bytes", "1KiB", 0, 1024 },
	{ "bytes", "1.5GiB", 0, 3ULL << 29 },
	{ "bytes", "-1", -ERANGE },
	{ "bytes", "50%", -EINVAL },
	{ "bytes", "1Q", -EINVAL },
	{ "mib", "16", 0, 16ULL << 20 },
	{ "mib", "16M", 0, 16ULL << 20 },
	{ "mib", "1.5G", 0, 3ULL << 29 },
	{ "mib", "2T", -ERANGE },
	{ "share", "50%", 0, 500 },
	{ "share", "12.5%", 0, 125 },
	{ "share", "101%", -ERANGE },
	{ "sec", "5", 0, 5000000000ULL },
	{ "sec", "20ms", 0, 20000000ULL },
	{ "sec", "0.5s", 0, 500000000ULL },
	{ "msec", "7", 0, 7000000ULL },
	{ "msec", "1s", 0, 1000000000ULL },
	{ "sec", "5 parsecs", -EINVAL },
	{ "sec", "99999999999999999999", -ERANGE },
	{ "string", "abcdefgh", 0, 8 },
	{ "string", "abcdefghi", -ERANGE },
	{ "string", "", -ERANGE },
};

static void text_desc(const struct text_case *tc, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s=%.*s", tc->name,
		 (int)strcspn(tc->text, "\n"), tc->text);
}

KUNIT_ARRAY_PARAM(text, text_cases, text_desc);

/* The value that is kept, whatever its type; of a text its length. */
static u64 kept(const char *name)
{
	static const struct {
		const char *name;
		u64 *val;
	} wide[] = {
		{ "u64", &values.u64 }, { "s64", (u64 *)&values.s64 },
		{ "enum", &values.colour }, { "mask", &values.mask },
		{ "bytes", &values.bytes }, { "mib", &values.bytes },
		{ "share", &values.bytes }, { "sec", (u64 *)&values.time },
		{ "msec", (u64 *)&values.time },
		{ "string", (u64 *)&values.text_len },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wide); i++)
		if (!strcmp(name, wide[i].name))
			return *wide[i].val;
	if (!strcmp(name, "u32"))
		return values.u32;
	if (!strcmp(name, "s32"))
		return (s64)values.s32;
	return values.flag;
}

static void text_is_parsed_and_checked(struct kunit *test)
{
	const struct text_case *tc = test->param_value;
	struct declared before = values;
	char path[40];
	long rc;

	snprintf(path, sizeof(path), FIXTURE_DIR "/%s", tc->name);
	rc = client_write(fx.client, path, tc->text);
	KUNIT_EXPECT_EQ(test, rc, tc->rc);
	if (!tc->rc) {
		KUNIT_EXPECT_EQ(test, kept(tc->name), tc->bits);
		KUNIT_EXPECT_STREQ(test, fx.client->reason, "");
		return;
	}
	/* Refused: nothing has changed, and the words say why. */
	KUNIT_EXPECT_EQ(test, memcmp(&before, &values, sizeof(before)), 0);
	KUNIT_EXPECT_GT(test, strlen(fx.client->reason), (size_t)0);
}

static void dry_run_checks_only(struct kunit *test)
{
	struct params_ioc_write pw = { .pw_flags = PARAMS_W_DRY_RUN };

	values.u32 = 3;
	KUNIT_EXPECT_EQ(test, client_write_with(fx.client, FIXTURE_DIR "/u32",
						"5", 1, &pw), 0);
	KUNIT_EXPECT_EQ(test, client_write_with(fx.client, FIXTURE_DIR "/u32",
						"500", 3, &pw), -ERANGE);
	KUNIT_EXPECT_EQ(test, values.u32, 3U);
}

static void mask_adds_and_removes_names(struct kunit *test)
{
	values.mask = BIT(0);
	KUNIT_EXPECT_EQ(test, client_write(fx.client, FIXTURE_DIR "/mask",
					   "+blue -red"), 0);
	KUNIT_EXPECT_EQ(test, values.mask, (u64)BIT(3));
	KUNIT_EXPECT_EQ(test, client_read(fx.client, FIXTURE_DIR "/mask"), 0);
	KUNIT_EXPECT_TRUE(test, client_text_is(fx.client, "blue"));
	values.mask = BIT(0) | BIT(1);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, FIXTURE_DIR "/mask"), 0);
	KUNIT_EXPECT_TRUE(test, client_text_is(fx.client, "red green"));
}

static void refusal_says_the_range(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, client_write(fx.client, FIXTURE_DIR "/u32",
					   "1000"), -ERANGE);
	KUNIT_EXPECT_PTR_NE(test, strstr(fx.client->reason, "256"),
			    (char *)NULL);
	KUNIT_EXPECT_EQ(test, client_write(fx.client, FIXTURE_DIR "/enum",
					   "purple"), -EINVAL);
	KUNIT_EXPECT_PTR_NE(test, strstr(fx.client->reason, "green"),
			    (char *)NULL);
}

/* What was set, in typed form: the records of a READ can be written back. */
static void what_is_read_can_be_written(struct kunit *test)
{
	static const char *const names[] = {
		"u32", "u64", "s32", "s64", "bool", "enum", "bytes", "sec",
		"string",
	};
	struct declared before;
	unsigned int i;

	values = (struct declared){
		.u32 = 9, .u64 = ~0ULL, .s32 = -7, .s64 = S64_MIN, .flag = true,
		.colour = 1, .bytes = 77, .time = 3000000000LL, .text = "abc",
		.text_len = 3,
	};
	before = values;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		struct params_ioc_write pw = { .pw_flags = PARAMS_W_TYPED };
		char path[40];

		snprintf(path, sizeof(path), FIXTURE_DIR "/%s", names[i]);
		KUNIT_ASSERT_EQ(test, client_read(fx.client, path), 0);
		KUNIT_EXPECT_EQ_MSG(test, client_write_with(fx.client, path,
							    fx.client->buf,
							    fx.client->used, &pw),
				    0, "%s: %s", path, fx.client->reason);
	}
	before.sets = values.sets;
	KUNIT_EXPECT_EQ(test, memcmp(&before, &values, sizeof(before)), 0);
}

/* Typed values are refused by the same rules. */
static void typed_values_are_checked_too(struct kunit *test)
{
	struct {
		struct params_value_rec rec;
		u64 val;
	} typed = {
		.rec = { .vr_type = PARAMS_V_U64, .vr_len = 8 },
		.val = 300,
	};
	struct params_ioc_write pw = { .pw_flags = PARAMS_W_TYPED };

	values.u32 = 3;
	KUNIT_EXPECT_EQ(test, client_write_with(fx.client, FIXTURE_DIR "/u32",
						&typed, sizeof(typed), &pw),
			-ERANGE);
	typed.val = 30;
	/* A record that says it is longer than what was given. */
	typed.rec.vr_len = 16;
	KUNIT_EXPECT_EQ(test, client_write_with(fx.client, FIXTURE_DIR "/u32",
						&typed, sizeof(typed), &pw),
			-EINVAL);
	typed.rec.vr_len = 8;
	KUNIT_EXPECT_EQ(test, client_write_with(fx.client, FIXTURE_DIR "/u32",
						&typed, sizeof(typed) - 1, &pw),
			-EINVAL);
	typed.rec.vr_type = PARAMS_V_LIST_BEGIN;
	KUNIT_EXPECT_EQ(test, client_write_with(fx.client, FIXTURE_DIR "/u32",
						&typed, sizeof(typed), &pw),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, values.u32, 3U);
	typed.rec.vr_type = PARAMS_V_U64;
	KUNIT_EXPECT_EQ(test, client_write_with(fx.client, FIXTURE_DIR "/u32",
						&typed, sizeof(typed), &pw), 0);
	KUNIT_EXPECT_EQ(test, values.u32, 30U);
}

/* Record of a DESCRIBE by its name. */
static struct params_value_rec *described(const char *name)
{
	struct params_value_rec *rec;
	unsigned int i;

	for (i = 0; (rec = client_rec(fx.client, i)); i++)
		if (rec->vr_name_len == strlen(name) &&
		    !memcmp(rec + 1, name, rec->vr_name_len))
			return rec;
	return NULL;
}

static void describe_says_what_was_declared(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, client_describe(fx.client, FIXTURE_DIR "/u32"), 0);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, described("min"));
	KUNIT_EXPECT_EQ(test, *(u64 *)client_rec_value(described("min")), 1ULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, described("max"));
	KUNIT_EXPECT_EQ(test, *(u64 *)client_rec_value(described("max")), 256ULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, described("default"));
	KUNIT_EXPECT_EQ(test, *(u64 *)client_rec_value(described("default")), 8ULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, described("doc"));
	KUNIT_EXPECT_EQ(test, memcmp(client_rec_value(described("doc")),
				     "a small number", 14), 0);
	KUNIT_ASSERT_EQ(test, client_describe(fx.client, FIXTURE_DIR "/u64"), 0);
	KUNIT_EXPECT_PTR_EQ(test, described("min"),
			    (struct params_value_rec *)NULL);
	KUNIT_ASSERT_EQ(test, client_describe(fx.client, FIXTURE_DIR "/enum"), 0);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, described("values"));
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, described("default"));
	KUNIT_EXPECT_EQ(test, memcmp(client_rec_value(described("default")),
				     "blue", 4), 0);
}

/* Names that no path could reach; a bad type or callback is a WARN besides. */
static void impossible_names_are_not_added(struct kunit *test)
{
	static const struct lustre_params_attr impossible[] = {
		LP_U32_RO("sl/ash", colour_get),
		LP_U32_RO("", colour_get),
		LP_U32_RO("u32", colour_get),
	};
	static const int errors[] = { -EINVAL, -EINVAL, -EEXIST };
	long count = client_count(fx.client, FIXTURE_DIR);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(impossible); i++)
		KUNIT_EXPECT_EQ_MSG(test, params_add_attrs(fx.dir, &impossible[i],
							   1, &values),
				    errors[i], "'%s'", impossible[i].name);
	KUNIT_EXPECT_EQ(test, client_count(fx.client, FIXTURE_DIR), count);
}

static struct kunit_case declare_cases[] = {
	KUNIT_CASE_PARAM(text_is_parsed_and_checked, text_gen_params),
	KUNIT_CASE(dry_run_checks_only),
	KUNIT_CASE(mask_adds_and_removes_names),
	KUNIT_CASE(refusal_says_the_range),
	KUNIT_CASE(what_is_read_can_be_written),
	KUNIT_CASE(typed_values_are_checked_too),
	KUNIT_CASE(describe_says_what_was_declared),
	KUNIT_CASE(impossible_names_are_not_added),
	{}
};

static int declare_init(struct kunit *test)
{
	int rc = fixture_init(test);

	values = (struct declared){ .u32 = 8, .colour = 3, .text = "start",
				    .text_len = 5 };
	return rc ?: params_add_attrs(fx.dir, attrs, ARRAY_SIZE(attrs), &values);
}

static struct kunit_suite declare_suite = {
	.name = "params_declare",
	.suite_init = client_suite_init,
	.init = declare_init,
	.exit = fixture_exit,
	.test_cases = declare_cases,
};
kunit_test_suite(declare_suite);

MODULE_DESCRIPTION("typed declarations of parameters");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
