// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text to values of every scalar type. Numbers are compared to what a second,
 * plainer reading of the same text gives, in 128 bits; and a value prints to
 * a text that is read as the same value.
 */
#include <errno.h>

#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <lustre_lite/params.h>

#include "params/params_text.h"
#include "fuzz_input.h"

typedef __int128 wide;

static const char *const names[] = {
	"off", "slow", "", "Fast", "a", "ab", "all-of-it", NULL,
};

static u64 no_total(void *data)
{
	return 0;
}

static u64 time_worth(const char *text)
{
	static const struct {
		const char	*text;
		u64		worth;
	} times[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
		{ "s", 1000000000 }, { "m", 60000000000 },
		{ "h", 3600000000000 }, { "d", 86400000000000 },
	};
	size_t n;

	for (n = 0; n < ARRAY_SIZE(times); n++)
		if (!strcasecmp(text, times[n].text))
			return times[n].worth;
	return 0;
}

static bool is_power(const char *text, char power, const char *rest)
{
	return toupper(*text) == power && !strcasecmp(text + 1, rest);
}

static u64 power_worth(const char *text, bool bytes)
{
	static const char powers[] = "KMGTPE";
	u64 two = 1, ten = 1;
	size_t n;

	for (n = 0; powers[n]; n++) {
		two *= 1024;
		ten *= 1000;
		if (is_power(text, powers[n], "") ||
		    (bytes && is_power(text, powers[n], "iB")))
			return two;
		if (bytes && is_power(text, powers[n], "B"))
			return ten;
	}
	return bytes && !strcasecmp(text, "B");
}

/* The factor of a suffix in the reference; 0: it is unknown. */
static u64 suffix_worth(const struct lustre_params_attr *attr, const char *text)
{
	if (attr->type == PARAMS_T_TIME)
		return time_worth(text);
	return power_worth(text, attr->type == PARAMS_T_BYTES);
}

static u64 bare_worth(const struct lustre_params_attr *attr)
{
	if (attr->type == PARAMS_T_BYTES)
		return params_unit_bytes(attr->unit);
	return attr->type == PARAMS_T_TIME ? (u64)params_unit_ns(attr->unit) : 1;
}

enum { AGREED, REFUSED, NOT_COMPARED };

/**
 * struct decimal - digits, read as one number
 * @number: all digits, before and after the point
 * @tens: what it has to be divided by for the point
 * @digits: how many
 */
struct decimal {
	wide	number;
	wide	tens;
	size_t	digits;
};

#define DIGITS_MAX	18	/* these fit with any scale in 128 bits */

static const char *read_digits(struct decimal *d, const char *text, wide tens)
{
	for (; isdigit(*text); text++, d->digits++) {
		if (d->digits >= DIGITS_MAX)
			continue;
		d->number = d->number * 10 + (*text - '0');
		d->tens *= tens;
	}
	return text;
}

/* Hexadecimal and octal numbers are the other check's. */
static bool is_other_base(const char *text)
{
	return text[0] == '0' && (tolower(text[1]) == 'x' || isdigit(text[1]));
}

static int apply_suffix(const struct lustre_params_attr *attr,
			const char *text, const struct decimal *d, wide *val)
{
	wide worth;

	while (*text == ' ' || *text == '\t')
		text++;
	if (*text == '%')
		return NOT_COMPARED;
	worth = *text ? suffix_worth(attr, text) : bare_worth(attr);
	if (!worth || (worth == 1 && d->number % d->tens))
		return REFUSED;
	*val = d->number * worth / d->tens;
	return AGREED;
}

/* Reads a decimal number; says whether it is one, and is to be compared. */
static int reference(const struct lustre_params_attr *attr, const char *text,
		     wide *val)
{
	struct decimal d = { .tens = 1 };
	bool negative = *text == '-';
	int rc;

	text += *text == '-' || *text == '+';
	if (is_other_base(text))
		return NOT_COMPARED;
	text = read_digits(&d, text, 1);
	if (*text == '.')
		text = read_digits(&d, text + 1, 10);
	if (!d.digits)
		return REFUSED;
	if (d.digits > DIGITS_MAX)
		return NOT_COMPARED;
	rc = apply_suffix(attr, text, &d, val);
	if (negative)
		*val = -*val;
	return rc;
}

static bool in_declared(const struct lustre_params_attr *attr, wide val,
			wide min, wide max)
{
	if (!attr->min && !attr->max)
		return true;
	return val >= min && (max < min || val <= max);
}

static bool in_range(const struct lustre_params_attr *attr, wide val)
{
	switch (attr->type) {
	case PARAMS_T_U32:
		return val >= 0 && val <= U32_MAX &&
			in_declared(attr, val, attr->min, attr->max);
	case PARAMS_T_S32:
		return val >= S32_MIN && val <= S32_MAX &&
			in_declared(attr, val, (s64)attr->min, (s64)attr->max);
	case PARAMS_T_S64:
	case PARAMS_T_TIME:
		return val >= S64_MIN && val <= S64_MAX &&
			in_declared(attr, val, (s64)attr->min, (s64)attr->max);
	default:
		return val >= 0 && val <= (wide)U64_MAX &&
			in_declared(attr, val, attr->min, attr->max);
	}
}

static void check_number(const struct lustre_params_attr *attr,
			 const char *text, int rc, union params_number num)
{
	wide have = params_type_signed(attr->type) ? num.s : (wide)num.u;
	wide want = 0;

	switch (reference(attr, text, &want)) {
	case REFUSED:
		FUZZ_CHECK(rc == -EINVAL);
		break;
	case AGREED:
		FUZZ_CHECK(rc == (in_range(attr, want) ? 0 : -ERANGE));
		FUZZ_CHECK(rc || have == want);
		break;
	}
}

/* Hexadecimal and octal: as strtoull() has it. */
static void check_base(const struct lustre_params_attr *attr, const char *text,
		       int rc, union params_number num)
{
	unsigned long long want;
	char *end;

	if (!is_other_base(text) || strlen(text) > 60 || bare_worth(attr) != 1)
		return;
	errno = 0;
	want = strtoull(text, &end, 0);
	if (*end) {
		FUZZ_CHECK(rc == -EINVAL);
		return;
	}
	FUZZ_CHECK(rc == (!errno && in_range(attr, want) ? 0 : -ERANGE));
	FUZZ_CHECK(rc || num.u == want);
}

/* A value of a number's type says itself, and that is read as the same. */
static void check_again(const struct lustre_params_attr *attr,
			union params_number num)
{
	char text[PARAMS_QUOTE_MAX];
	union params_number again;
	size_t len;

	len = params_format_number(attr, num, text, sizeof(text));
	FUZZ_CHECK(len == strlen(text) && len < sizeof(text) - 1);
	FUZZ_CHECK(!params_parse(attr, text, len, 0, 0, &again, NULL));
	FUZZ_CHECK(again.u == num.u);
}

static void check_value(const struct lustre_params_attr *attr,
			const char *text, int rc, union params_number num)
{
	switch (attr->type) {
	case PARAMS_T_BOOL:
		FUZZ_CHECK(rc || num.u <= 1);
		break;
	case PARAMS_T_ENUM:
		FUZZ_CHECK(rc || !strcmp(names[num.u], text));
		break;
	case PARAMS_T_MASK:
		if (!rc)
			check_again(attr, num);
		break;
	default:
		check_number(attr, text, rc, num);
		check_base(attr, text, rc, num);
		if (!rc)
			check_again(attr, num);
	}
}

static void decode(struct fuzz_input *in, struct lustre_params_attr *attr)
{
	static const u8 types[] = {
		PARAMS_T_U32, PARAMS_T_U64, PARAMS_T_S32, PARAMS_T_S64,
		PARAMS_T_BOOL, PARAMS_T_ENUM, PARAMS_T_BYTES, PARAMS_T_TIME,
		PARAMS_T_MASK,
	};
	u8 flags = fuzz_u8(in);

	attr->type = types[fuzz_u8(in) % sizeof(types)];
	attr->unit = fuzz_u8(in) % PARAMS_UNIT_MAX;
	attr->names = names;
	attr->hex = !!(flags & 1);
	if (flags & 2)
		attr->total = no_total;
	if (flags & 4) {
		attr->min = fuzz_u64(in);
		attr->max = fuzz_u64(in);
	}
	/* A range that its own type does not know is not to be declared. */
	if (attr->type == PARAMS_T_BOOL || attr->type == PARAMS_T_ENUM)
		attr->min = attr->max = 0;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fuzz_input in = { data, size };
	struct lustre_params_attr attr = { .name = "fuzz" };
	struct params_reason why = { "" };
	union params_number num, same;
	struct params_span word;
	u64 total, old;
	char *text;
	int rc;

	decode(&in, &attr);
	total = fuzz_u64(&in);
	old = fuzz_u64(&in);
	size = in.left;
	/* Of its own size, so that a read beyond it is seen. */
	text = malloc(size ? size : 1);
	fuzz_bytes(&in, text, size);
	rc = params_parse(&attr, text, size, total, old, &num, &why);
	FUZZ_CHECK(!rc || rc == -EINVAL || rc == -ERANGE);
	FUZZ_CHECK(strnlen(why.text, sizeof(why.text)) < sizeof(why.text));
	FUZZ_CHECK(!rc == !why.text[0]);
	FUZZ_CHECK(params_parse(&attr, text, size, total, old, &same, NULL) == rc);
	FUZZ_CHECK(rc || same.u == num.u);
	word = params_trim(text, size);
	if (word.len && word.len < 200 && !memchr(word.at, '\0', word.len)) {
		char copy[201];

		memcpy(copy, word.at, word.len);
		copy[word.len] = '\0';
		check_value(&attr, copy, rc, num);
	}
	free(text);
	return 0;
}
