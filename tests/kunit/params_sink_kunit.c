// SPDX-License-Identifier: GPL-2.0
/*
 * Packing: what a read callback may put, its limits, and what a reader gets.
 */
#include <linux/mm.h>

#include "fixture.h"

#define HUGE	(300 * 1024)

/* The callback under test, one case after the other. */
static int (*fill)(struct params_sink *sink);

static int fill_read(struct params_sink *sink, void *data)
{
	return fill(sink);
}

static long read_filled(int (*fn)(struct params_sink *sink))
{
	fill = fn;
	return client_read(fx.client, FIXTURE_DIR "/value");
}

static int fill_scalars(struct params_sink *sink)
{
	params_put_u64(sink, "u", ~0ULL);
	params_put_s64(sink, "s", S64_MIN);
	params_put_hex(sink, "h", 0x1234);
	params_put_bool(sink, "yes", true);
	params_put_bytes(sink, "b", 1ULL << 40);
	params_put_str(sink, NULL, "text");
	params_put_strn(sink, "n", "textual", 4);
	params_put_strf(sink, "f", "%s-%04x", "OST", 17);
	params_put_time(sink, "t", -5, PARAMS_UNIT_MSEC, PARAMS_TIME_SPAN);
	return params_sink_error(sink);
}

static const struct {
	u8		type;
	const char	*name;
	u32		len;
} scalar_records[] = {
	{ PARAMS_V_U64, "u", 8 },
	{ PARAMS_V_S64, "s", 8 },
	{ PARAMS_V_HEX, "h", 8 },
	{ PARAMS_V_BOOL, "yes", 8 },
	{ PARAMS_V_BYTES, "b", 8 },
	{ PARAMS_V_STRING, "", 4 },
	{ PARAMS_V_STRING, "n", 4 },
	{ PARAMS_V_STRING, "f", 8 },
	{ PARAMS_V_TIME, "t", sizeof(struct params_time) },
};

static void records_have_type_name_and_length(struct kunit *test)
{
	unsigned int i;

	KUNIT_ASSERT_EQ(test, read_filled(fill_scalars), 0);
	KUNIT_ASSERT_EQ(test, client_rec_count(fx.client),
			(unsigned int)ARRAY_SIZE(scalar_records));
	for (i = 0; i < ARRAY_SIZE(scalar_records); i++) {
		struct params_value_rec *rec = client_rec(fx.client, i);

		KUNIT_EXPECT_EQ(test, rec->vr_type, scalar_records[i].type);
		KUNIT_EXPECT_EQ(test, rec->vr_len, scalar_records[i].len);
		KUNIT_ASSERT_EQ(test, (size_t)rec->vr_name_len,
				strlen(scalar_records[i].name));
		KUNIT_EXPECT_EQ(test, memcmp(rec + 1, scalar_records[i].name,
					     rec->vr_name_len), 0);
	}
	KUNIT_EXPECT_EQ(test, memcmp(client_rec_value(client_rec(fx.client, 7)),
				     "OST-0011", 8), 0);
}

/* Nothing of the kernel's memory shows between names and values. */
static void padding_is_zero(struct kunit *test)
{
	struct params_value_rec *rec;
	unsigned int i, at;

	KUNIT_ASSERT_EQ(test, read_filled(fill_scalars), 0);
	for (i = 0; (rec = client_rec(fx.client, i)); i++) {
		const char *name = (const char *)(rec + 1);
		const char *value = client_rec_value(rec);

		for (at = rec->vr_name_len; at < PARAMS_ALIGN(rec->vr_name_len + 0U); at++)
			KUNIT_EXPECT_EQ(test, name[at], 0);
		for (at = rec->vr_len; at < PARAMS_ALIGN(rec->vr_len); at++)
			KUNIT_EXPECT_EQ(test, value[at], 0);
	}
}

static int fill_long_name(struct params_sink *sink)
{
	char name[PARAMS_NAME_MAX + 2];

	memset(name, 'x', sizeof(name));
	name[PARAMS_NAME_MAX] = '\0';
	params_put_u64(sink, name, 1);
	if (params_sink_error(sink))
		return -EBADMSG;
	name[PARAMS_NAME_MAX] = 'x';
	name[PARAMS_NAME_MAX + 1] = '\0';
	return params_put_u64(sink, name, 1);
}

static void name_above_the_limit_is_refused(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, read_filled(fill_long_name), -ENAMETOOLONG);
}

static int fill_deep(struct params_sink *sink)
{
	unsigned int i;

	for (i = 0; i < PARAMS_NEST_MAX; i++)
		params_list_begin(sink, "deeper", PARAMS_LIST_MAP);
	params_put_u64(sink, "leaf", 1);
	for (i = 0; i < PARAMS_NEST_MAX; i++)
		params_list_end(sink);
	return params_sink_error(sink);
}

static int fill_too_deep(struct params_sink *sink)
{
	unsigned int i;

	for (i = 0; i <= PARAMS_NEST_MAX; i++)
		params_list_begin(sink, "deeper", PARAMS_LIST_MAP);
	return params_sink_error(sink);
}

static void nesting_has_a_limit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, read_filled(fill_deep), 0);
	KUNIT_EXPECT_EQ(test, client_rec_count(fx.client),
			2U * PARAMS_NEST_MAX + 1);
	KUNIT_EXPECT_EQ(test, read_filled(fill_too_deep), -E2BIG);
}

static int fill_open_list(struct params_sink *sink)
{
	params_list_begin(sink, "never closed", PARAMS_LIST_MAP);
	return params_put_u64(sink, "leaf", 1);
}

static int fill_extra_end(struct params_sink *sink)
{
	params_put_u64(sink, "leaf", 1);
	return params_list_end(sink);
}

static void lists_are_balanced(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, read_filled(fill_open_list), -EINVAL);
	KUNIT_EXPECT_EQ(test, read_filled(fill_extra_end), -EINVAL);
}

static int fill_sticky(struct params_sink *sink)
{
	if (params_list_end(sink) != -EINVAL)
		return -EBADMSG;
	if (params_put_u64(sink, NULL, 1) != -EINVAL)
		return -EBADMSG;
	if (params_put_str(sink, NULL, "x") != -EINVAL)
		return -EBADMSG;
	return params_sink_error(sink);
}

static void the_first_error_sticks(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, read_filled(fill_sticky), -EINVAL);
}

/* What a callback packs before it fails is not seen by anyone. */
static int fill_then_fail(struct params_sink *sink)
{
	params_put_str(sink, NULL, "half of it");
	return -EREMOTEIO;
}

static int fill_ignored_error(struct params_sink *sink)
{
	params_list_end(sink);
	return 0;
}

static void a_failed_callback_gives_no_value(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, read_filled(fill_then_fail), -EREMOTEIO);
	KUNIT_EXPECT_EQ(test, fx.client->used, 0U);
	/* Even when the callback itself overlooks the error. */
	KUNIT_EXPECT_EQ(test, read_filled(fill_ignored_error), -EINVAL);
}

static char *huge;

static int fill_huge(struct params_sink *sink)
{
	return params_put_strn(sink, "huge", huge, HUGE);
}

/* A long text is cut; put together again it is what it was. */
static void a_long_text_is_cut_and_joined(struct kunit *test)
{
	unsigned int i, at = 0, count;

	huge = kvmalloc(HUGE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, huge);
	for (i = 0; i < HUGE; i++)
		huge[i] = 'a' + i % 23;
	KUNIT_EXPECT_EQ(test, read_filled(fill_huge), 0);
	count = client_rec_count(fx.client);
	KUNIT_EXPECT_GT(test, count, 1U);
	for (i = 0; i < count; i++) {
		struct params_value_rec *rec = client_rec(fx.client, i);
		bool last = i + 1 == count;

		KUNIT_EXPECT_LE(test, client_rec_len(rec), (size_t)PARAMS_REC_MAX);
		KUNIT_EXPECT_EQ(test, (bool)(rec->vr_flags & PARAMS_VF_CONT), !last);
		KUNIT_EXPECT_EQ(test, memcmp(client_rec_value(rec), huge + at,
					     rec->vr_len), 0);
		at += rec->vr_len;
	}
	KUNIT_EXPECT_EQ(test, at, (unsigned int)HUGE);
	kvfree(huge);
}

static int fill_endless(struct params_sink *sink)
{
	while (!params_put_strn(sink, NULL, huge, PARAMS_TEXT_CHUNK))
		cond_resched();
	return params_sink_error(sink);
}

/* A callback that never stops is stopped at PARAMS_VALUE_MAX. */
static void a_value_has_a_limit(struct kunit *test)
{
	huge = kvzalloc(PARAMS_TEXT_CHUNK, GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, huge);
	KUNIT_EXPECT_EQ(test, read_filled(fill_endless), -E2BIG);
	kvfree(huge);
}

static int fill_nothing(struct params_sink *sink)
{
	return 0;
}

static int fill_empty_text(struct params_sink *sink)
{
	return params_put_str(sink, NULL, "");
}

static void empty_values_are_values(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, read_filled(fill_nothing), 0);
	KUNIT_EXPECT_EQ(test, client_rec_count(fx.client), 0U);
	KUNIT_EXPECT_EQ(test, read_filled(fill_empty_text), 0);
	KUNIT_EXPECT_EQ(test, client_rec_count(fx.client), 1U);
	KUNIT_EXPECT_TRUE(test, client_text_is(fx.client, ""));
}

static struct kunit_case sink_cases[] = {
	KUNIT_CASE(records_have_type_name_and_length),
	KUNIT_CASE(padding_is_zero),
	KUNIT_CASE(name_above_the_limit_is_refused),
	KUNIT_CASE(nesting_has_a_limit),
	KUNIT_CASE(lists_are_balanced),
	KUNIT_CASE(the_first_error_sticks),
	KUNIT_CASE(a_failed_callback_gives_no_value),
	KUNIT_CASE(a_long_text_is_cut_and_joined),
	KUNIT_CASE(a_value_has_a_limit),
	KUNIT_CASE(empty_values_are_values),
	{}
};

static int sink_init(struct kunit *test)
{
	int rc = fixture_init(test);

	return rc ?: params_add_entry(fx.dir, "value", fill_read, NULL, NULL);
}

static struct kunit_suite sink_suite = {
	.name = "params_sink",
	.suite_init = client_suite_init,
	.init = sink_init,
	.exit = fixture_exit,
	.test_cases = sink_cases,
};
kunit_test_suite(sink_suite);

MODULE_DESCRIPTION("packing of parameter values");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
