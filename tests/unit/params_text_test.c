// SPDX-License-Identifier: GPL-2.0-only
/* Text to numbers: valid and invalid texts of each type, and reasons. */
#include "shim_cmocka.h"

#include <stdlib.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <lustre_lite/params.h>

#include "params/params_text.h"

#define KIB	1024ULL
#define MIB	(1024 * KIB)
#define GIB	(1024 * MIB)
#define SEC	1000000000LL

static const char *const colours[] = { "red", "", "Green", "blue", NULL };
static const char *const levels[] = { "trace", "inode", "", "super", NULL };

static u64 any_total(void *data)
{
	return 0;
}

static const struct lustre_params_attr u32_attr = { .type = PARAMS_T_U32 };
static const struct lustre_params_attr u64_attr = { .type = PARAMS_T_U64 };
static const struct lustre_params_attr s32_attr = { .type = PARAMS_T_S32 };
static const struct lustre_params_attr s64_attr = { .type = PARAMS_T_S64 };
static const struct lustre_params_attr bool_attr = { .type = PARAMS_T_BOOL };
static const struct lustre_params_attr small_attr = {
	.type = PARAMS_T_U32, .min = 1, .max = 256,
};
static const struct lustre_params_attr hex_attr = {
	.type = PARAMS_T_U32, .max = 0xff, .hex = 1,
};
static const struct lustre_params_attr below_attr = {
	.type = PARAMS_T_S32, .min = (u64)-10, .max = (u64)-1,
};
static const struct lustre_params_attr least_attr = {
	.type = PARAMS_T_U64, .min = 5,
};
static const struct lustre_params_attr bytes_attr = { .type = PARAMS_T_BYTES };
static const struct lustre_params_attr mib_attr = {
	.type = PARAMS_T_BYTES, .unit = PARAMS_UNIT_MIB,
	.min = MIB, .max = 2 * GIB,
};
static const struct lustre_params_attr pages_attr = {
	.type = PARAMS_T_BYTES, .unit = PARAMS_UNIT_PAGES,
};
static const struct lustre_params_attr share_attr = {
	.type = PARAMS_T_BYTES, .unit = PARAMS_UNIT_MIB, .total = any_total,
};
static const struct lustre_params_attr percent_attr = {
	.type = PARAMS_T_U32, .unit = PARAMS_UNIT_PERCENT, .max = 100,
};
static const struct lustre_params_attr sec_attr = {
	.type = PARAMS_T_TIME, .unit = PARAMS_UNIT_SEC,
};
static const struct lustre_params_attr msec_attr = {
	.type = PARAMS_T_TIME, .unit = PARAMS_UNIT_MSEC,
	.min = 1000000, .max = 3600 * SEC,
};
static const struct lustre_params_attr enum_attr = {
	.type = PARAMS_T_ENUM, .names = colours,
};
static const struct lustre_params_attr mask_attr = {
	.type = PARAMS_T_MASK, .names = levels,
};

/* Each text in a piece of memory of its own, so that a read beyond it shows. */
static int parse(const struct lustre_params_attr *attr, const char *text,
		 size_t len, u64 total, u64 old, u64 *val,
		 struct params_reason *why)
{
	char *copy = malloc(len);
	union params_number num = { .u = 0xdead };
	int rc;

	memcpy(copy, text, len);
	why->text[0] = '\0';
	rc = params_parse(attr, copy, len, total, old, &num, why);
	free(copy);
	*val = num.u;
	return rc;
}

struct good {
	const struct lustre_params_attr	*attr;
	const char			*text;
	u64				val;
	u64				total;
	u64				old;
};

static void takes(const struct good *cases, size_t count)
{
	struct params_reason why;
	size_t n;
	u64 val;

	for (n = 0; n < count; n++) {
		const struct good *c = &cases[n];
		int rc = parse(c->attr, c->text, strlen(c->text), c->total,
			       c->old, &val, &why);

		if (rc || val != c->val || why.text[0])
			fail_msg("'%s' gave %d, %#llx (wanted %#llx), '%s'",
				 c->text, rc, val, c->val, why.text);
		/* A caller that wants no words gets the same. */
		assert_int_equal(params_parse(c->attr, c->text, strlen(c->text),
					      c->total, c->old,
					      &(union params_number){ 0 }, NULL),
				 0);
	}
}

struct bad {
	const struct lustre_params_attr	*attr;
	const char			*text;
	int				rc;
	const char			*why;
	u64				total;
};

static void refuses(const struct bad *cases, size_t count)
{
	struct params_reason why;
	size_t n;
	u64 val;

	for (n = 0; n < count; n++) {
		const struct bad *c = &cases[n];
		int rc = parse(c->attr, c->text, strlen(c->text), c->total, 0,
			       &val, &why);

		if (rc != c->rc || strcmp(why.text, c->why))
			fail_msg("'%s' gave %d (wanted %d)\n'%s'\n'%s'",
				 c->text, rc, c->rc, why.text, c->why);
		assert_int_equal(params_parse(c->attr, c->text, strlen(c->text),
					      c->total, 0,
					      &(union params_number){ 0 }, NULL),
				 c->rc);
	}
}

static void integers_are_taken(void **state)
{
	static const struct good cases[] = {
		{ &u32_attr, "0", 0 },
		{ &u32_attr, "12", 12 },
		{ &u32_attr, "+12", 12 },
		{ &u32_attr, "-0", 0 },
		{ &u32_attr, "4294967295", 0xffffffff },
		{ &u32_attr, "0x1F", 0x1f },
		{ &u32_attr, "0XfFfFfFfF", 0xffffffff },
		{ &u32_attr, "017", 15 },
		{ &u32_attr, "00", 0 },
		{ &u32_attr, "2.", 2 },
		{ &u32_attr, "7.000", 7 },
		{ &u64_attr, "18446744073709551615", U64_MAX },
		{ &u64_attr, "0xffffffffffffffff", U64_MAX },
		{ &u64_attr, "01777777777777777777777", U64_MAX },
		{ &s32_attr, "-2147483648", (u64)S32_MIN },
		{ &s32_attr, "2147483647", S32_MAX },
		{ &s32_attr, "-0x10", (u64)-16 },
		{ &s64_attr, "-9223372036854775808", 1ULL << 63 },
		{ &s64_attr, "9223372036854775807", S64_MAX },
		{ &s64_attr, "-0", 0 },
	};

	takes(cases, ARRAY_SIZE(cases));
}

static void blanks_and_one_newline_are_ignored(void **state)
{
	static const struct good good[] = {
		{ &u32_attr, "  5", 5 },
		{ &u32_attr, "5\t ", 5 },
		{ &u32_attr, "\t5 \n", 5 },
		{ &u32_attr, "5 \t K", 5 * KIB },
		{ &enum_attr, " red\n", 0 },
		{ &bool_attr, "\ton ", 1 },
	};
	static const struct bad bad[] = {
		{ &u32_attr, "5\n\n", -EINVAL,
		  "'?' is not a valid suffix; valid are: K M G T P E" },
		{ &u32_attr, "\n5", -EINVAL, "'?5' is not a number" },
		{ &u32_attr, "5 5", -EINVAL,
		  "'5' is not a valid suffix; valid are: K M G T P E" },
		{ &u32_attr, "- 5", -EINVAL, "'- 5' is not a number" },
	};

	takes(good, ARRAY_SIZE(good));
	refuses(bad, ARRAY_SIZE(bad));
}

static void an_empty_text_is_refused(void **state)
{
	static const char *const texts[] = { "", " ", "\n", " \t\n" };
	const struct lustre_params_attr *const attrs[] = {
		&u32_attr, &s64_attr, &bool_attr, &bytes_attr, &sec_attr,
		&enum_attr, &mask_attr,
	};
	size_t n, i;

	for (n = 0; n < ARRAY_SIZE(attrs); n++)
		for (i = 0; i < ARRAY_SIZE(texts); i++)
			refuses(&(struct bad){ attrs[n], texts[i], -EINVAL,
				"the value is empty" },
				1);
}

static void what_is_no_number_is_refused(void **state)
{
	static const struct bad cases[] = {
		{ &u32_attr, "five", -EINVAL, "'five' is not a number" },
		{ &u32_attr, "-", -EINVAL, "'-' is not a number" },
		{ &u32_attr, "+-1", -EINVAL, "'+-1' is not a number" },
		{ &u32_attr, ".", -EINVAL, "'.' is not a number" },
		{ &u32_attr, "0x", -EINVAL, "'0x' is not a number" },
		{ &u32_attr, "0x1g", -EINVAL, "'0x1g' is not a number" },
		{ &u32_attr, "0x1.8", -EINVAL, "'0x1.8' is not a number" },
		{ &u32_attr, "08", -EINVAL, "'08' is not a number" },
		{ &u32_attr, "01.5", -EINVAL, "'01.5' is not a number" },
		{ &u32_attr, "010K", -EINVAL, "'010K' is not a number" },
		{ &u32_attr, "\x80\x01", -EINVAL, "'?" "?' is not a number" },
		{ &u32_attr, "1.2.3", -EINVAL,
		  "'.3' is not a valid suffix; valid are: K M G T P E" },
		{ &u32_attr, "1,5", -EINVAL,
		  "',5' is not a valid suffix; valid are: K M G T P E" },
		{ &u32_attr, "a text that is far too long to be repeated as it is",
		  -EINVAL,
		  "'a text that is far too long to be repeated a...' is not a number" },
		{ &u64_attr, "5KiB", -EINVAL,
		  "'KiB' is not a valid suffix; valid are: K M G T P E" },
		{ &u64_attr, "5%", -EINVAL,
		  "'%' is not a valid suffix; valid are: K M G T P E" },
		{ &bytes_attr, "5q", -EINVAL,
		  "'q' is not a valid suffix; valid are: K M G T P E, KiB MiB .., kB MB .., B" },
		{ &bytes_attr, "5KiBs", -EINVAL,
		  "'KiBs' is not a valid suffix; valid are: K M G T P E, KiB MiB .., kB MB .., B" },
		{ &bytes_attr, "5 ib", -EINVAL,
		  "'ib' is not a valid suffix; valid are: K M G T P E, KiB MiB .., kB MB .., B" },
		{ &sec_attr, "5min", -EINVAL,
		  "'min' is not a valid suffix; valid are: ns us ms s m h d" },
		{ &share_attr, "5%%", -EINVAL,
		  "'%%' is not a valid suffix; valid are: K M G T P E, KiB MiB .., kB MB .., B, %" },
	};

	refuses(cases, ARRAY_SIZE(cases));
}

static void a_nul_is_no_part_of_a_number(void **state)
{
	struct params_reason why;
	u64 val;

	assert_int_equal(parse(&u32_attr, "5\0", 2, 0, 0, &val, &why), -EINVAL);
	assert_int_equal(parse(&u32_attr, "\0", 1, 0, 0, &val, &why), -EINVAL);
	assert_int_equal(parse(&enum_attr, "red\0", 4, 0, 0, &val, &why),
			 -EINVAL);
	assert_int_equal(parse(&bool_attr, "1\0", 2, 0, 0, &val, &why), -EINVAL);
	assert_int_equal(parse(&mask_attr, "trace\0", 6, 0, 0, &val, &why),
			 -EINVAL);
}

static void overflow_is_out_of_range(void **state)
{
	static const struct bad cases[] = {
		{ &u64_attr, "18446744073709551616", -ERANGE,
		  "18446744073709551616 does not fit in 64 bits" },
		{ &u64_attr, "0x10000000000000000", -ERANGE,
		  "0x10000000000000000 does not fit in 64 bits" },
		{ &u64_attr, "16E", -ERANGE, "16E does not fit in 64 bits" },
		{ &s64_attr, "9223372036854775808", -ERANGE,
		  "9223372036854775808 does not fit in 64 bits" },
		{ &s64_attr, "-9223372036854775809", -ERANGE,
		  "-9223372036854775809 does not fit in 64 bits" },
		{ &sec_attr, "9223372037", -ERANGE,
		  "9223372037 does not fit in 64 bits" },
		{ &u32_attr, "4294967296", -ERANGE,
		  "4294967296 is above 4294967295, the largest value (0..4294967295 allowed)" },
		{ &u32_attr, "4G", -ERANGE,
		  "4294967296 is above 4294967295, the largest value (0..4294967295 allowed)" },
		{ &s32_attr, "2147483648", -ERANGE,
		  "2147483648 is above 2147483647, the largest value (-2147483648..2147483647 allowed)" },
		{ &s32_attr, "-2147483649", -ERANGE,
		  "-2147483649 is below -2147483648, the smallest value (-2147483648..2147483647 allowed)" },
		{ &u32_attr, "-1", -ERANGE,
		  "-1 is negative, where 0 is the smallest value" },
		{ &bytes_attr, "-1K", -ERANGE,
		  "-1K is negative, where 0 is the smallest value" },
		{ &u64_attr,
		  "00000000000000000000000000000000000000000000000000000000000000000",
		  -ERANGE, "a number of more than 64 digits" },
	};

	refuses(cases, ARRAY_SIZE(cases));
}

static void a_range_is_kept_and_told(void **state)
{
	static const struct good good[] = {
		{ &small_attr, "1", 1 }, { &small_attr, "256", 256 },
		{ &below_attr, "-10", (u64)-10 }, { &below_attr, "-1", (u64)-1 },
		{ &least_attr, "5", 5 },
		{ &least_attr, "18446744073709551615", U64_MAX },
		{ &mib_attr, "1", MIB }, { &mib_attr, "2G", 2 * GIB },
		{ &msec_attr, "1", SEC / 1000 }, { &msec_attr, "1h", 3600 * SEC },
	};
	static const struct bad bad[] = {
		{ &small_attr, "300", -ERANGE,
		  "300 is above 256, the largest value (1..256 allowed)" },
		{ &small_attr, "0", -ERANGE,
		  "0 is below 1, the smallest value (1..256 allowed)" },
		{ &hex_attr, "256", -ERANGE,
		  "0x100 is above 0xff, the largest value (0x0..0xff allowed)" },
		{ &below_attr, "0", -ERANGE,
		  "0 is above -1, the largest value (-10..-1 allowed)" },
		{ &below_attr, "-11", -ERANGE,
		  "-11 is below -10, the smallest value (-10..-1 allowed)" },
		{ &least_attr, "4", -ERANGE,
		  "4 is below 5, the smallest value (5..18446744073709551615 allowed)" },
		{ &mib_attr, "2049", -ERANGE,
		  "2049MiB is above 2048MiB, the largest value (1MiB..2048MiB allowed)" },
		{ &mib_attr, "512K", -ERANGE,
		  "0.5MiB is below 1MiB, the smallest value (1MiB..2048MiB allowed)" },
		{ &msec_attr, "10us", -ERANGE,
		  "0.01ms is below 1ms, the smallest value (1ms..3600000ms allowed)" },
	};

	takes(good, ARRAY_SIZE(good));
	refuses(bad, ARRAY_SIZE(bad));
}

static void suffixes_of_counts_are_powers_of_1024(void **state)
{
	static const struct good cases[] = {
		{ &u64_attr, "1k", KIB }, { &u64_attr, "1K", KIB },
		{ &u64_attr, "3m", 3 * MIB }, { &u64_attr, "1G", GIB },
		{ &u64_attr, "1T", KIB * GIB }, { &u64_attr, "1P", MIB * GIB },
		{ &u64_attr, "15e", 15 * GIB * GIB },
		{ &u64_attr, "1.5K", 1536 }, { &u64_attr, ".5K", 512 },
		{ &s64_attr, "-1.5K", (u64)-1536 }, { &s32_attr, "-2G", (u64)S32_MIN },
	};

	takes(cases, ARRAY_SIZE(cases));
}

static void suffixes_of_bytes(void **state)
{
	static const struct good cases[] = {
		{ &bytes_attr, "5", 5 }, { &bytes_attr, "5B", 5 },
		{ &bytes_attr, "5b", 5 }, { &bytes_attr, "5K", 5 * KIB },
		{ &bytes_attr, "5KiB", 5 * KIB }, { &bytes_attr, "5kib", 5 * KIB },
		{ &bytes_attr, "5kB", 5000 }, { &bytes_attr, "5KB", 5000 },
		{ &bytes_attr, "5MB", 5000000 }, { &bytes_attr, "5MiB", 5 * MIB },
		{ &bytes_attr, "2GB", 2000000000 }, { &bytes_attr, "2 GiB", 2 * GIB },
		{ &bytes_attr, "1TB", 1000000000000 },
		{ &bytes_attr, "1PB", 1000000000000000 },
		{ &bytes_attr, "18EB", 18000000000000000000ULL },
		{ &bytes_attr, "1TiB", KIB * GIB }, { &bytes_attr, "1EiB", GIB * GIB },
		/* A bare number is in the attribute's unit, no other. */
		{ &mib_attr, "5", 5 * MIB }, { &mib_attr, "1048576B", MIB },
		{ &mib_attr, "1024K", MIB }, { &pages_attr, "3", 3 * 4096 },
		{ &pages_attr, "8K", 8192 },
	};

	takes(cases, ARRAY_SIZE(cases));
}

static void suffixes_of_times(void **state)
{
	static const struct good cases[] = {
		{ &sec_attr, "5", 5 * SEC }, { &sec_attr, "5s", 5 * SEC },
		{ &sec_attr, "5 S", 5 * SEC }, { &sec_attr, "5ms", 5000000 },
		{ &sec_attr, "5us", 5000 }, { &sec_attr, "5ns", 5 },
		{ &sec_attr, "2m", 120 * SEC }, { &sec_attr, "2M", 120 * SEC },
		{ &sec_attr, "1.5h", 5400 * SEC }, { &sec_attr, "1d", 86400 * SEC },
		{ &sec_attr, "-1.5s", (u64)(-3 * SEC / 2) },
		{ &sec_attr, "0.000000001", 1 },
		{ &sec_attr, "9223372036.854775807", S64_MAX },
		{ &sec_attr, "-9223372036.854775808s", 1ULL << 63 },
		{ &msec_attr, "5", 5000000 }, { &msec_attr, "1.5", 1500000 },
	};

	takes(cases, ARRAY_SIZE(cases));
}

static void fractions_are_exact(void **state)
{
	static const struct good good[] = {
		{ &bytes_attr, "1.5G", 3 * GIB / 2 },
		{ &bytes_attr, "0.1K", 102 },	/* 102.4 */
		{ &bytes_attr, "0.9999999999999999999999999999K", 1023 },
		{ &bytes_attr, "0.0009765625K", 1 },
		{ &bytes_attr, "0.0009765624K", 0 },
		/* 2^60 - 1: more than a double can tell apart from 2^60 */
		{ &bytes_attr, "0.999999999999999999132638262011596452794037759304046630859375E",
		  (1ULL << 60) - 1 },
		{ &bytes_attr, "15.999999999999999999132638262011596452794037759304046630859375E",
		  U64_MAX },
		{ &bytes_attr, "0.0000019073486328125M", 2 },
		{ &sec_attr, "1.0000000019", SEC + 1 },
	};
	static const struct bad bad[] = {
		{ &u32_attr, "1.5", -EINVAL, "1.5 is not a whole number" },
		{ &u32_attr, "0.00001", -EINVAL, "0.00001 is not a whole number" },
		{ &bytes_attr, "1.5B", -EINVAL, "1.5B is not a whole number" },
		{ &sec_attr, "1.5ns", -EINVAL, "1.5ns is not a whole number" },
	};

	takes(good, ARRAY_SIZE(good));
	refuses(bad, ARRAY_SIZE(bad));
}

static void percentages_where_they_are_declared(void **state)
{
	static const struct good good[] = {
		{ &share_attr, "50%", 500, 1000 },
		{ &share_attr, "50 %", 500, 1000 },
		{ &share_attr, "100%", 1000, 1000 },
		{ &share_attr, "0%", 0, 1000 },
		{ &share_attr, "7%", 70, 1000 },
		{ &share_attr, ".5%", 5, 1000 },
		{ &share_attr, "12.5%", 125, 1000 },
		{ &share_attr, "150%", 1500, 1000 },
		{ &share_attr, "33.333%", 333, 1000 },
		{ &share_attr, "3 %", 3 * (U64_MAX / 100), U64_MAX },
		{ &share_attr, "100%", U64_MAX, U64_MAX },
		{ &share_attr, "99.999999999999999999999999999%", U64_MAX - 1,
		  U64_MAX },
		{ &share_attr, "1", MIB, 1000 },
		{ &percent_attr, "70", 70 }, { &percent_attr, "70%", 70 },
		{ &percent_attr, "100%", 100 },
	};
	static const struct bad bad[] = {
		{ &share_attr, "101%", -ERANGE, "101% does not fit in 64 bits",
		  U64_MAX },
		{ &percent_attr, "101%", -ERANGE,
		  "101 is above 100, the largest value (0..100 allowed)" },
		{ &mib_attr, "50%", -EINVAL,
		  "'%' is not a valid suffix; valid are: K M G T P E, KiB MiB .., kB MB .., B" },
	};

	takes(good, ARRAY_SIZE(good));
	refuses(bad, ARRAY_SIZE(bad));
}

static void booleans(void **state)
{
	static const struct good good[] = {
		{ &bool_attr, "0", 0 }, { &bool_attr, "1", 1 },
		{ &bool_attr, "n", 0 }, { &bool_attr, "Y", 1 },
		{ &bool_attr, "no", 0 }, { &bool_attr, "yes", 1 },
		{ &bool_attr, "OFF", 0 }, { &bool_attr, "on", 1 },
		{ &bool_attr, "false", 0 }, { &bool_attr, "True\n", 1 },
	};
	static const struct bad bad[] = {
		{ &bool_attr, "2", -EINVAL,
		  "'2' is not one of: 0 1, n y, no yes, off on, false true" },
		{ &bool_attr, "o", -EINVAL,
		  "'o' is not one of: 0 1, n y, no yes, off on, false true" },
		{ &bool_attr, "yess", -EINVAL,
		  "'yess' is not one of: 0 1, n y, no yes, off on, false true" },
		{ &bool_attr, "00", -EINVAL,
		  "'00' is not one of: 0 1, n y, no yes, off on, false true" },
	};

	takes(good, ARRAY_SIZE(good));
	refuses(bad, ARRAY_SIZE(bad));
}

static void enums_take_their_names_only(void **state)
{
	static const char *const many[] = {
		"a-name-of-some-length-0", "a-name-of-some-length-1",
		"a-name-of-some-length-2", "a-name-of-some-length-3",
		"a-name-of-some-length-4", "a-name-of-some-length-5",
		"a-name-of-some-length-6", "a-name-of-some-length-7",
		"a-name-of-some-length-8", "a-name-of-some-length-9", NULL,
	};
	static const struct lustre_params_attr many_attr = {
		.type = PARAMS_T_ENUM, .names = many,
	};
	static const struct good good[] = {
		{ &enum_attr, "red", 0 }, { &enum_attr, "Green", 2 },
		{ &enum_attr, "blue\n", 3 },
	};
	static const struct bad bad[] = {
		{ &enum_attr, "green", -EINVAL,
		  "'green' is not one of: red, Green, blue" },
		{ &enum_attr, "0", -EINVAL, "'0' is not one of: red, Green, blue" },
		{ &enum_attr, "blu", -EINVAL,
		  "'blu' is not one of: red, Green, blue" },
		{ &enum_attr, "blue2", -EINVAL,
		  "'blue2' is not one of: red, Green, blue" },
		{ &many_attr, "x", -EINVAL,
		  "'x' is not one of: a-name-of-some-length-0, a-name-of-some-length-1, a-name-of-some-length-2, a-name-of-some-length-3, a-name-of-some-length-4, a-name-of-some-length-5, a-name-of-some-length-6, a-name-of-some-length-7, a-name-of-some-length-8, ..." },
	};

	takes(good, ARRAY_SIZE(good));
	refuses(bad, ARRAY_SIZE(bad));
}

static void masks(void **state)
{
	static const struct good good[] = {
		{ &mask_attr, "trace", 1 },
		{ &mask_attr, "trace super", 9 },
		{ &mask_attr, "trace,super", 9 },
		{ &mask_attr, "TRACE  inode\n", 3 },
		{ &mask_attr, "+inode", 3, 0, 1 },
		{ &mask_attr, "-trace", 8, 0, 9 },
		{ &mask_attr, "+inode -trace", 10, 0, 9 },
		{ &mask_attr, "+inode-trace", 10, 0, 9 },
		{ &mask_attr, "+ inode", 3, 0, 1 },
		/* A sign applies to the texts after it. */
		{ &mask_attr, "+trace inode", 11, 0, 8 },
		{ &mask_attr, "-trace inode +super", 8, 0, 3 },
		/* Without a sign the text is the whole set. */
		{ &mask_attr, "trace inode -trace", 2, 0, 8 },
		{ &mask_attr, "5", 5, 0, 8 },
		{ &mask_attr, "0x10", 16, 0, 8 },
		{ &mask_attr, "0", 0, 0, 8 },
		{ &mask_attr, "none", 0, 0, 8 },
		{ &mask_attr, "none +trace", 1, 0, 8 },
		{ &mask_attr, "+0x10 -1", 24, 0, 9 },
		{ &mask_attr, "all", 11, 0, 4 },
		{ &mask_attr, "-1", 11, 0, 4 },
		{ &mask_attr, "-all", 4, 0, 15 },
		{ &mask_attr, "all -inode", 9, 0, 4 },
		{ &mask_attr, "0xffffffffffffffff", U64_MAX },
	};
	static const struct bad bad[] = {
		{ &mask_attr, "tracer", -EINVAL,
		  "'tracer' is not one of: trace, inode, super" },
		{ &mask_attr, "+trace nosuch", -EINVAL,
		  "'nosuch' is not one of: trace, inode, super" },
		{ &mask_attr, "+", -EINVAL, "'+' is not followed by a name" },
		{ &mask_attr, "+trace -", -EINVAL, "'-' is not followed by a name" },
		{ &mask_attr, "+-trace", -EINVAL, "'+' is not followed by a name" },
		{ &mask_attr, ",", -EINVAL,
		  "',' is not one of: trace, inode, super" },
		{ &mask_attr, "0x10000000000000000", -ERANGE,
		  "0x10000000000000000 does not fit in 64 bits" },
	};

	takes(good, ARRAY_SIZE(good));
	refuses(bad, ARRAY_SIZE(bad));
}

static void typed_numbers_are_checked_as_texts_are(void **state)
{
	static const struct {
		const struct lustre_params_attr	*attr;
		u64				val;
		int				rc;
	} cases[] = {
		{ &enum_attr, 0, 0 }, { &enum_attr, 3, 0 },
		{ &enum_attr, 1, -ERANGE },	/* a hole */
		{ &enum_attr, 4, -ERANGE }, { &enum_attr, U64_MAX, -ERANGE },
		{ &bool_attr, 1, 0 }, { &bool_attr, 2, -ERANGE },
		{ &u32_attr, 1ULL << 32, -ERANGE },
		{ &s32_attr, (u64)-5, 0 }, { &s32_attr, 1ULL << 31, -ERANGE },
		{ &small_attr, 0, -ERANGE }, { &small_attr, 256, 0 },
		{ &mask_attr, U64_MAX, 0 },
	};
	struct params_reason why;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(cases); n++) {
		union params_number num = { .u = cases[n].val };

		why.text[0] = '\0';
		assert_int_equal(params_check_range(cases[n].attr, num, &why),
				 cases[n].rc);
		assert_int_equal(!!why.text[0], !!cases[n].rc);
	}
	params_check_range(&enum_attr, (union params_number){ .u = 1 }, &why);
	assert_string_equal(why.text, "1 has no name");
}

static void bytes_print_exactly(void **state)
{
	static const struct {
		u64			bytes;
		enum params_unit	unit;
		const char		*text;
	} cases[] = {
		{ 0, PARAMS_UNIT_MIB, "0" },
		{ 123, PARAMS_UNIT_NONE, "123" },
		{ 123, PARAMS_UNIT_BYTES, "123" },
		{ 3 * MIB, PARAMS_UNIT_MIB, "3" },
		{ 3 * MIB / 2, PARAMS_UNIT_MIB, "1.5" },
		{ 1, PARAMS_UNIT_MIB, "0.00000095367431640625" },
		{ 6144, PARAMS_UNIT_PAGES, "1.5" },
		{ U64_MAX, PARAMS_UNIT_GIB,
		  "17179869183.999999999068677425384521484375" },
		{ U64_MAX, PARAMS_UNIT_KIB, "18014398509481983.9990234375" },
	};
	char text[PARAMS_QUOTE_MAX];
	struct params_reason why;
	size_t n;
	u64 val;

	for (n = 0; n < ARRAY_SIZE(cases); n++) {
		struct lustre_params_attr attr = {
			.type = PARAMS_T_BYTES, .unit = cases[n].unit,
		};

		assert_int_equal(params_format_bytes(cases[n].bytes,
						     cases[n].unit, text,
						     sizeof(text)),
				 strlen(cases[n].text));
		assert_string_equal(text, cases[n].text);
		/* The output can be typed as input. */
		assert_int_equal(parse(&attr, text, strlen(text), 0, 0, &val,
				       &why), 0);
		assert_int_equal(val, cases[n].bytes);
	}
}

static void a_small_buffer_cuts_the_text(void **state)
{
	char text[8];
	size_t size;

	for (size = 1; size <= sizeof(text); size++) {
		memset(text, 'x', sizeof(text));
		assert_int_equal(params_format_bytes(1, PARAMS_UNIT_MIB, text,
						     size), size - 1);
		assert_int_equal(text[size - 1], '\0');
		assert_true(size == sizeof(text) || text[size] == 'x');
	}
}

static void units_are_named(void **state)
{
	int unit;

	for (unit = PARAMS_UNIT_NONE + 1; unit < PARAMS_UNIT_MAX; unit++)
		assert_true(params_unit_name(unit)[0]);
	assert_string_equal(params_unit_name(PARAMS_UNIT_NONE), "");
	assert_string_equal(params_unit_name(PARAMS_UNIT_MAX), "");
	assert_int_equal(params_unit_bytes(PARAMS_UNIT_REQS), 1);
	assert_int_equal(params_unit_bytes(PARAMS_UNIT_GIB), GIB);
	assert_int_equal(params_unit_ns(PARAMS_UNIT_USEC), 1000);
	assert_int_equal(params_unit_ns(PARAMS_UNIT_NONE), SEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_are_taken),
		cmocka_unit_test(blanks_and_one_newline_are_ignored),
		cmocka_unit_test(an_empty_text_is_refused),
		cmocka_unit_test(what_is_no_number_is_refused),
		cmocka_unit_test(a_nul_is_no_part_of_a_number),
		cmocka_unit_test(overflow_is_out_of_range),
		cmocka_unit_test(a_range_is_kept_and_told),
		cmocka_unit_test(suffixes_of_counts_are_powers_of_1024),
		cmocka_unit_test(suffixes_of_bytes),
		cmocka_unit_test(suffixes_of_times),
		cmocka_unit_test(fractions_are_exact),
		cmocka_unit_test(percentages_where_they_are_declared),
		cmocka_unit_test(booleans),
		cmocka_unit_test(enums_take_their_names_only),
		cmocka_unit_test(masks),
		cmocka_unit_test(typed_numbers_are_checked_as_texts_are),
		cmocka_unit_test(bytes_print_exactly),
		cmocka_unit_test(a_small_buffer_cuts_the_text),
		cmocka_unit_test(units_are_named),
	};

	return cmocka_run_group_tests_name("params_text", tests, NULL, NULL);
}
