// SPDX-License-Identifier: GPL-2.0-only
/* Setting from within the kernel: by path, by pattern, refused with words. */
#include "shim_cmocka.h"

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <shim/alloc.h>
#include <shim/event.h>

#include "params/params_internal.h"
#include "params_client.h"
#include "params_subject.h"

#define COUNT	4

/* Names that differ for patterns; one has a dot. */
static const char *const names[COUNT] = { "fs-OST0000", "fs-OST0001", "fs-MDT0000", "10.0.0.1@tcp" };
static struct subject s[COUNT];

static int setup(void **state)
{
	int rc = tree_setup(state);
	size_t n;

	for (n = 0; !rc && n < COUNT; n++)
		rc = subject_add(&s[n], names[n]);
	return rc;
}

static int teardown(void **state)
{
	size_t n;

	for (n = 0; n < COUNT; n++)
		subject_remove(&s[n]);
	return tree_teardown(state);
}

static void a_value_is_set_by_path(void **state)
{
	const struct shim_event *events;
	char why[64] = "left over";

	shim_events_clear();
	assert_int_equal(params_set(NULL, "fs-OST0000/u32", "17", 0, why, sizeof(why)), 0);
	assert_int_equal(s[0].u32, 17);
	assert_int_equal(s[1].u32, 8);
	assert_string_equal(why, "");
	assert_int_equal(shim_events(&events), 1);
	assert_string_equal(events[0].path, "fs-OST0000/u32");
	assert_int_equal(params_set(s[0].dir, "string", "two words", 0, NULL, 0), 0);
	assert_string_equal(s[0].text, "two words");
}

static void a_dry_run_changes_nothing(void **state)
{
	char why[64];

	assert_int_equal(params_set(NULL, "fs-OST0000/u32", "17", PARAMS_W_DRY_RUN, why, sizeof(why)), 0);
	assert_int_equal(params_set(NULL, "fs-OST0000/u32", "257", PARAMS_W_DRY_RUN, why, sizeof(why)), -ERANGE);
	assert_int_equal(params_set_matching("fs-*.u32", "9", PARAMS_W_DRY_RUN, NULL, 0), 3);
	assert_int_equal(s[0].u32, 8);
}

static void what_cannot_be_set_is_refused(void **state)
{
	static const struct {
		const char	*path;
		const char	*value;
		int		rc;
		const char	*why;
	} cases[] = {
		{ "fs-OST0000/u32", "257", -ERANGE, "257 is above 256, the largest value (1..256 allowed)" },
		{ "fs-OST0000/u32", "many", -EINVAL, NULL },
		{ "fs-OST0000/string", "", -ERANGE, "0 bytes, where 1 to 1000 are allowed" },
		{ "fs-OST0000/enum", "pink", -EINVAL, NULL },
		{ "fs-OST0000/ro", "1", -EACCES, "" },
		{ "fs-OST0000", "1", -EISDIR, "" },
		{ "fs-OST0000/none", "1", -ENOENT, "" },
		{ "fs-OST0000/u32/deeper", "1", -ENOTDIR, "" },
		{ "fs-OST0000//u32", "1", -EINVAL, "" },
	};
	char why[128];
	size_t n;

	for (n = 0; n < ARRAY_SIZE(cases); n++) {
		int rc = params_set(NULL, cases[n].path, cases[n].value, 0, why, sizeof(why));

		if (rc != cases[n].rc)
			fail_msg("%s=%s gave %d, not %d", cases[n].path, cases[n].value, rc, cases[n].rc);
		if (cases[n].why)
			assert_string_equal(why, cases[n].why);
		else
			assert_true(strlen(why) > 10);
		/* The same without a buffer for the reason. */
		assert_int_equal(params_set(NULL, cases[n].path, cases[n].value, 0, NULL, 0), cases[n].rc);
	}
	assert_int_equal(s[0].u32, 8);
}

static void what_a_callback_says_is_returned(void **state)
{
	s[1].fail_set = -EIO;
	assert_int_equal(params_set(NULL, "fs-OST0001/u32", "9", 0, NULL, 0), -EIO);
	assert_int_equal(params_set_matching("fs-OST*.u32", "9", 0, NULL, 0), -EIO);
	/* One that refuses does not keep others from being set. */
	assert_int_equal(s[0].u32, 9);
	assert_int_equal(s[1].u32, 8);
}

/* An entry is removed while its scope is checked. */
static bool one_goes(const char *path, void *data)
{
	if (!strcmp(path, "fs-OST0001/u32"))
		subject_remove(&s[1]);
	return true;
}

static void what_goes_meanwhile_is_not_there(void **state)
{
	struct params_rule_spec spec = { "fs-OST*.u32", "9", one_goes, NULL };
	char why[64] = "left over";

	assert_int_equal(params_set_matching_where(&spec, PARAMS_W_DRY_RUN, why, sizeof(why)), 1);
	assert_string_equal(why, "");
	assert_int_equal(subject_add(&s[1], names[1]), 0);
	spec.pattern = "fs-OST0001.u32";
	assert_int_equal(params_set_matching_where(&spec, 0, NULL, 0), -ENOENT);
	assert_int_equal(subject_add(&s[1], names[1]), 0);
}

static unsigned int hits(const char *pattern)
{
	unsigned int bits = 0;
	size_t n;
	int rc;

	for (n = 0; n < COUNT; n++)
		s[n].u32 = 8;
	rc = params_set_matching(pattern, "9", 0, NULL, 0);
	for (n = 0; n < COUNT; n++)
		bits |= (s[n].u32 == 9) << n;
	assert_int_equal(rc, bits ? __builtin_popcount(bits) : -ENOENT);
	return bits;
}

static void patterns_match_components(void **state)
{
	static const struct {
		const char	*pattern;
		unsigned int	bits;
	} cases[] = {
		{ "fs-OST0000.u32", 1 }, { "fs-OST0000/u32", 1 },
		{ "fs-OST*.u32", 3 }, { "fs-*.u32", 7 }, { "*.u32", 15 },
		{ "*.u3?", 15 }, { "f*T*0.u32", 5 }, { "*0000*.u32", 5 },
		{ "fs-OST000[01].u32", 3 }, { "fs-OST000[!0].u32", 2 },
		{ "fs-[A-N]*.u32", 4 }, { "fs-[A-NO]*.u32", 7 },
		{ "*?*.u32", 15 }, { "fs-OST0000*.u32", 1 },
		{ "10\\.0\\.0\\.1@tcp.u32", 8 }, { "10.0.0.[12]@tcp.u32", 0 },
		{ "10\\.0\\.0\\.[^.]@tcp/u32", 8 }, { "fs-OST000[^0].u32", 2 },
		{ "fs-OST000[\\0].u32", 1 }, { "fs-OST000[0\\-1].u32", 3 },
		{ "fs-**.u32", 7 }, { "fs-[!{]*.u32", 7 },
		{ "1*/u32", 8 }, { "fs-OST000\\0.u32", 1 },
		/* None of these. */
		{ "u32", 0 }, { "*.*.u32", 0 }, { "fs-OST.u32", 0 },
		{ "s-OST*.u32", 0 }, { "fs-ost*.u32", 0 },
		{ "fs-OST000?*?.u32", 0 }, { "10.0.0.1@tcp.u32", 0 },
		{ "fs-OST0000[.u32", 0 }, { "fs-OST000[0.u32", 0 },
		{ "fs-OST000[].u32", 0 }, { "fs-OST0000\\.u32", 0 },
		{ "nothing*.u32", 0 }, { "fs-OST0000.u3", 0 },
	};
	size_t n;

	for (n = 0; n < ARRAY_SIZE(cases); n++) {
		unsigned int bits = hits(cases[n].pattern);

		if (bits != cases[n].bits)
			fail_msg("%s matched %#x, not %#x", cases[n].pattern, bits, cases[n].bits);
	}
}

/* The dots of a NID after MGC are of the name, in a pattern of NIDs too. */
static void nids_are_one_component(void **state)
{
	static struct subject mgc;
	static const char *const yes[] = {
		"MGC10.0.0.1@tcp.u32", "MGC10.0.0.1@*.u32", "MGC10.0.*@tcp/u32",
		"MGC10.0.0.[12]@tcp.u32", "*.u32", "MGC10\\.0\\.0\\.1@tcp.u32",
	};
	static const char *const no[] = { "MGC10.0.0.2@tcp.u32", "MGC10.0.0.1@tcp1.u32", "MGC10.0.u32" };
	size_t n;

	assert_int_equal(subject_add(&mgc, "MGC10.0.0.1@tcp"), 0);
	for (n = 0; n < ARRAY_SIZE(yes); n++) {
		mgc.u32 = 8;
		assert_true(params_set_matching(yes[n], "9", 0, NULL, 0) > 0);
		if (mgc.u32 != 9)
			fail_msg("%s does not match", yes[n]);
	}
	for (n = 0; n < ARRAY_SIZE(no); n++)
		assert_int_equal(params_set_matching(no[n], "9", 0, NULL, 0), -ENOENT);
	subject_remove(&mgc);
}

static void what_is_no_pattern_is_refused(void **state)
{
	static const char *const cases[] = { "", ".", ".u32", "fs-OST0000.", "a..b", "a//b", "/" };
	char deep[2 * PARAMS_DEPTH_MAX + 2];
	char why[128];
	size_t n;

	for (n = 0; n < ARRAY_SIZE(cases); n++) {
		assert_int_equal(params_set_matching(cases[n], "9", 0, why, sizeof(why)), -EINVAL);
		assert_string_equal(why, "a pattern has 1 to 32 components joined by '.', none of them empty");
	}
	assert_int_equal(params_set_matching("fs-{OST,MDT}0000.u32", "9", 0, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, "{a,b} and ** are not supported in patterns that the kernel applies");
	assert_int_equal(params_set_matching("**.u32", "9", 0, why, sizeof(why)), -EINVAL);
	assert_int_equal(params_set_matching("fs-\\{OST.u32", "9", 0, why, sizeof(why)), -ENOENT);
	for (n = 0; n < sizeof(deep) - 1; n++)
		deep[n] = n % 2 ? '.' : '*';
	deep[sizeof(deep) - 1] = '\0';
	assert_int_equal(params_set_matching(deep, "9", 0, why, sizeof(why)), -EINVAL);
	deep[sizeof(deep) - 3] = '\0';
	assert_int_equal(params_set_matching(deep, "9", 0, why, sizeof(why)), -ENOENT);
	assert_string_equal(why, "");
}

static void the_first_refusal_of_a_pattern_is_told(void **state)
{
	char why[128];

	assert_int_equal(params_set_matching("fs-*.u32", "0", 0, why, sizeof(why)), -ERANGE);
	assert_string_equal(why, "u32: 0 is below 1, the smallest value (1..256 allowed)");
	assert_int_equal(params_set_matching("fs-OST0000.*", "9", 0, why, sizeof(why)), -EACCES);
	assert_string_equal(why, "big");
}

static void without_memory_nothing_is_left_behind(void **state)
{
	int rc = -ENOMEM;
	unsigned int n;

	for (n = 1; rc == -ENOMEM && n < 100; n++) {
		shim_alloc_fail(n);
		rc = params_set_matching("fs-OST*.string", "text", 0, NULL, 0);
		shim_alloc_fail(0);
	}
	assert_int_equal(rc, 2);
	assert_true(n > 3);
}

#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_value_is_set_by_path),
		TEST(a_dry_run_changes_nothing),
		TEST(what_cannot_be_set_is_refused),
		TEST(what_a_callback_says_is_returned),
		TEST(what_goes_meanwhile_is_not_there),
		TEST(patterns_match_components),
		TEST(nids_are_one_component),
		TEST(what_is_no_pattern_is_refused),
		TEST(the_first_refusal_of_a_pattern_is_told),
		TEST(without_memory_nothing_is_left_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
