// SPDX-License-Identifier: GPL-2.0-only
/* Packing: the records of a read callback, its limits, and the bytes for a reader. */
#include "shim_cmocka.h"

#include <stdlib.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "params/params_internal.h"
#include "params_client.h"
#include "params_subject.h"

static struct client cl;

#define HUGE	(300 * 1024)

/* The callback under test, one case after the other. */
static int (*fill)(struct params_sink *sink);

static int fill_read(struct params_sink *sink, void *data)
{
	return fill(sink);
}

static long read_filled(int (*fn)(struct params_sink *sink))
{
	struct params_ioc_read pr;

	fill = fn;
	return client_read(&cl, &pr, "d/value");
}

static const struct params_value_rec *record(u32 n)
{
	return client_value_rec(cl.buf, cl.used, n);
}

static u32 records(void)
{
	u32 n = 0;

	while (record(n))
		n++;
	return n;
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

static void records_have_type_name_and_length(void **state)
{
	unsigned int i;

	assert_int_equal(read_filled(fill_scalars), 0);
	assert_int_equal(records(),
			(unsigned int)ARRAY_SIZE(scalar_records));
	for (i = 0; i < ARRAY_SIZE(scalar_records); i++) {
		const struct params_value_rec *rec = record(i);

		assert_int_equal(rec->vr_type, scalar_records[i].type);
		assert_int_equal(rec->vr_len, scalar_records[i].len);
		assert_int_equal((size_t)rec->vr_name_len,
				strlen(scalar_records[i].name));
		assert_int_equal(memcmp(rec + 1, scalar_records[i].name,
					     rec->vr_name_len), 0);
	}
	assert_int_equal(memcmp(client_value(record(7)),
				     "OST-0011", 8), 0);
}

/* No kernel memory leaks between names and values. */
static void padding_is_zero(void **state)
{
	const struct params_value_rec *rec;
	unsigned int i, at;

	assert_int_equal(read_filled(fill_scalars), 0);
	for (i = 0; (rec = record(i)); i++) {
		const char *name = (const char *)(rec + 1);
		const char *value = client_value(rec);

		for (at = rec->vr_name_len; at < PARAMS_ALIGN(rec->vr_name_len + 0U); at++)
			assert_int_equal(name[at], 0);
		for (at = rec->vr_len; at < PARAMS_ALIGN(rec->vr_len); at++)
			assert_int_equal(value[at], 0);
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

static void name_above_the_limit_is_refused(void **state)
{
	assert_int_equal(read_filled(fill_long_name), -ENAMETOOLONG);
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

static void nesting_has_a_limit(void **state)
{
	assert_int_equal(read_filled(fill_deep), 0);
	assert_int_equal(records(),
			2U * PARAMS_NEST_MAX + 1);
	assert_int_equal(read_filled(fill_too_deep), -E2BIG);
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

static void lists_are_balanced(void **state)
{
	assert_int_equal(read_filled(fill_open_list), -EINVAL);
	assert_int_equal(read_filled(fill_extra_end), -EINVAL);
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

static void the_first_error_sticks(void **state)
{
	assert_int_equal(read_filled(fill_sticky), -EINVAL);
}

/* Records that a callback packs before it fails are not returned. */
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

static void a_failed_callback_gives_no_value(void **state)
{
	assert_int_equal(read_filled(fill_then_fail), -EREMOTEIO);
	assert_int_equal(cl.used, 0U);
	/* Even when the callback itself overlooks the error. */
	assert_int_equal(read_filled(fill_ignored_error), -EINVAL);
}

static char *huge;

static int fill_huge(struct params_sink *sink)
{
	return params_put_strn(sink, "huge", huge, HUGE);
}

/* A long text is split; joined again it is the same. */
static void a_long_text_is_cut_and_joined(void **state)
{
	unsigned int i, at = 0, count;

	huge = malloc(HUGE);
	assert_non_null(huge);
	for (i = 0; i < HUGE; i++)
		huge[i] = 'a' + i % 23;
	assert_int_equal(read_filled(fill_huge), 0);
	count = records();
	assert_true(count > 1);
	for (i = 0; i < count; i++) {
		const struct params_value_rec *rec = record(i);
		bool last = i + 1 == count;

		assert_true(sizeof(*rec) + PARAMS_ALIGN((u32)rec->vr_name_len) +
			    PARAMS_ALIGN(rec->vr_len) <= PARAMS_REC_MAX);
		assert_int_equal((bool)(rec->vr_flags & PARAMS_VF_CONT), !last);
		assert_int_equal(memcmp(client_value(rec), huge + at,
					     rec->vr_len), 0);
		at += rec->vr_len;
	}
	assert_int_equal(at, (unsigned int)HUGE);
	free(huge);
}

static int fill_endless(struct params_sink *sink)
{
	while (!params_put_strn(sink, NULL, huge, PARAMS_TEXT_CHUNK))
		;
	return params_sink_error(sink);
}

/* A callback that never stops is stopped at PARAMS_VALUE_MAX. */
static void a_value_has_a_limit(void **state)
{
	huge = calloc(1, PARAMS_TEXT_CHUNK);
	assert_non_null(huge);
	assert_int_equal(read_filled(fill_endless), -E2BIG);
	free(huge);
}

static int fill_nothing(struct params_sink *sink)
{
	return 0;
}

static int fill_empty_text(struct params_sink *sink)
{
	return params_put_str(sink, NULL, "");
}

static void empty_values_are_values(void **state)
{
	assert_int_equal(read_filled(fill_nothing), 0);
	assert_int_equal(records(), 0U);
	assert_int_equal(read_filled(fill_empty_text), 0);
	assert_int_equal(records(), 1U);
	assert_int_equal(record(0)->vr_type, PARAMS_V_STRING);
	assert_int_equal(record(0)->vr_len, 0);
}

static int setup(void **state)
{
	struct lustre_params_entry *dir;

	client_open(&cl, 4 << 20);
	if (tree_setup(state))
		return -1;
	dir = params_add_dir(NULL, "d", NULL);
	return IS_ERR(dir) ? -1 : params_add_entry(dir, "value", fill_read, NULL, NULL);
}

static int teardown(void **state)
{
	client_close(&cl);
	params_delete_entry(NULL, "d");
	return tree_teardown(state);
}

int main(void)
{
#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(records_have_type_name_and_length),
		TEST(padding_is_zero),
		TEST(name_above_the_limit_is_refused),
		TEST(nesting_has_a_limit),
		TEST(lists_are_balanced),
		TEST(the_first_error_sticks),
		TEST(a_failed_callback_gives_no_value),
		TEST(a_long_text_is_cut_and_joined),
		TEST(a_value_has_a_limit),
		TEST(empty_values_are_values),
	};

	return cmocka_run_group_tests_name("params_sink", tests, NULL, NULL);
}
