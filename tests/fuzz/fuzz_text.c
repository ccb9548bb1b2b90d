// SPDX-License-Identifier: GPL-2.0
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

/* What a suffix is worth in the reference; 0 for none that is known. */
static u64 suffix_worth(const struct lustre_params_attr *attr, const char *text)
{
	static const struct {
		const char	*text;
		u64		worth;
	} times[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
		{ "s", 1000000000 }, { "m", 60000000000 },
		{ "h", 3600000000000 }, { "d", 86400000000000 },
	};
	static const char powers[] = "KMGTPE";
	char known[5];
	size_t n;
	u64 two = 1, ten = 1;

	for (n = 0; attr->type == PARAMS_T_TIME && n < ARRAY_SIZE(times); n++)
		if (!strcasecmp(text, times[n].text))
			return times[n].worth;
	if (attr->type == PARAMS_T_TIME)
		return 0;
	for (n = 0; powers[n]; n++) {
		two *= 1024;
		ten *= 1000;
		snprintf(known, sizeof(known), "%c", powers[n]);
		if (!strcasecmp(text, known))
			return two;
		if (attr->type != PARAMS_T_BYTES)
			continue;
		snprintf(known, sizeof(known), "%ciB", powers[n]);
		if (!strcasecmp(text, known))
			return two;
		snprintf(known, sizeof(known), "%cB", powers[n]);
		if (!strcasecmp(text, known))
			return ten;
	}
	return attr->type == PARAMS_T_BYTES && !strcasecmp(text, "B");
}

static u64 bare_worth(const struct lustre_params_attr *attr)
{
	if (attr->type == PARAMS_T_BYTES)
		return params_unit_bytes(attr->unit);
	return attr->type == PARAMS_T_TIME ? (u64)params_unit_ns(attr->unit) : 1;
}

enum { AGREED, REFUSED, TOO_LONG };

/*
 * Reads a decimal number of up to 18 digits: those fit with their scale in 128
 * bits. Returns whether it is one, and TOO_LONG for what is not to be compared.
 */
static int reference(const struct lustre_params_attr *attr, const char *text,
		     wide *val)
{
	wide number = 0, tens = 1, worth;
	bool negative = *text == '-';
	size_t digits = 0;

	text += *text == '-' || *text == '+';
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X' ||
			       isdigit(text[1])))
		return TOO_LONG;
	for (; isdigit(*text); text++, digits++)
		if (digits <= 18)
			number = number * 10 + (*text - '0');
	if (*text == '.')
		for (text++; isdigit(*text); text++, digits++) {
			number = number * 10 + (*text - '0');
			tens *= 10;
			if (digits > 18)
				return TOO_LONG;
		}
	if (!digits)
		return REFUSED;
	if (digits > 18)
		return TOO_LONG;
	while (*text == ' ' || *text == '\t')
		text++;
	if (*text == '%')
		return TOO_LONG;
	worth = *text ? suffix_worth(attr, text) : bare_worth(attr);
	if (!worth)
		return REFUSED;
	if (worth == 1 && number % tens)
		return REFUSED;
	*val = number * worth / tens * (negative ? -1 : 1);
	return AGREED;
}

static bool in_range(const struct lustre_params_attr *attr, wide val)
{
	bool is_signed = params_type_signed(attr->type);
	wide low = is_signed ? S64_MIN : 0;
	wide high = is_signed ? S64_MAX : (wide)U64_MAX;
	wide min = is_signed ? (s64)attr->min : (wide)attr->min;
	wide max = is_signed ? (s64)attr->max : (wide)attr->max;

	if (attr->type == PARAMS_T_U32)
		high = U32_MAX;
	if (attr->type == PARAMS_T_S32) {
		low = S32_MIN;
		high = S32_MAX;
	}
	if (val < low || val > high)
		return false;
	if (!attr->min && !attr->max)
		return true;
	return val >= min && (max < min || val <= max);
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

	if (text[0] != '0' || (!isdigit(text[1]) &&
			       (tolower(text[1]) != 'x' || !text[2])) ||
	    strlen(text) > 60)
		return;
	errno = 0;
	want = strtoull(text, &end, 0);
	if (*end) {
		FUZZ_CHECK(rc == -EINVAL);
		return;
	}
	want *= bare_worth(attr);
	if (bare_worth(attr) == 1 && !errno && !rc)
		FUZZ_CHECK(num.u == want);
	if (bare_worth(attr) == 1)
		FUZZ_CHECK(rc == (!errno && in_range(attr, want) ? 0 : -ERANGE));
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
