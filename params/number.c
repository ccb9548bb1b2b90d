// SPDX-License-Identifier: GPL-2.0-only
/*
 * Numbers as users type them, digits, a fraction, a suffix; and numbers as text. Units: their
 * names and factors. All arithmetic is on integers, so the result is exact.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/string.h>
#include <linux/time64.h>

#include <lustre_lite/params.h>

#include "params_text.h"

/**
 * struct params_unit_desc - a unit
 * @name: name
 * @suffix: suffix of a printed number, which can be typed back
 * @bytes: factor of a unit of memory
 * @ns: factor of a unit of time
 */
struct params_unit_desc {
	const char	*name;
	const char	*suffix;
	u64		bytes;
	s64		ns;
};

static const struct params_unit_desc params_units[PARAMS_UNIT_MAX] = {
	[PARAMS_UNIT_NONE]	= { .name = "" },
	[PARAMS_UNIT_BYTES]	= { "bytes", "B", .bytes = 1 },
	[PARAMS_UNIT_KIB]	= { "KiB", "KiB", .bytes = 1UL << 10 },
	[PARAMS_UNIT_MIB]	= { "MiB", "MiB", .bytes = 1UL << 20 },
	[PARAMS_UNIT_GIB]	= { "GiB", "GiB", .bytes = 1UL << 30 },
	[PARAMS_UNIT_PAGES]	= { "pages", "", .bytes = PAGE_SIZE },
	[PARAMS_UNIT_SEC]	= { "s", "s", .ns = NSEC_PER_SEC },
	[PARAMS_UNIT_MSEC]	= { "ms", "ms", .ns = NSEC_PER_MSEC },
	[PARAMS_UNIT_USEC]	= { "us", "us", .ns = NSEC_PER_USEC },
	[PARAMS_UNIT_NSEC]	= { "ns", "ns", .ns = 1 },
	[PARAMS_UNIT_PERCENT]	= { "percent", "%" },
	[PARAMS_UNIT_REQS]	= { .name = "reqs" },
	[PARAMS_UNIT_LOCKS]	= { .name = "locks" },
	[PARAMS_UNIT_REGS]	= { .name = "regs" },
};

static const struct params_unit_desc *params_unit(enum params_unit unit)
{
	return &params_units[unit < PARAMS_UNIT_MAX ? unit : PARAMS_UNIT_NONE];
}

/**
 * params_unit_bytes() - factor of a unit of memory
 * @unit: unit
 *
 * Context: any
 * Return: bytes; 1 for any other unit
 */
u64 params_unit_bytes(enum params_unit unit)
{
	return params_unit(unit)->bytes ?: 1;
}

/**
 * params_unit_ns() - factor of a unit of time
 * @unit: unit
 *
 * Context: any
 * Return: nanoseconds; those of a second for any other unit
 */
s64 params_unit_ns(enum params_unit unit)
{
	return params_unit(unit)->ns ?: NSEC_PER_SEC;
}

/**
 * params_unit_name() - name of a unit
 * @unit: unit
 *
 * Context: any
 * Return: the name, "" for none
 */
const char *params_unit_name(enum params_unit unit)
{
	return params_unit(unit)->name;
}

/* params_suffix_*() return 0 for an unknown suffix. */
#define PARAMS_POWERS	"kmgtpe"

/**
 * params_suffix_count() - factor of the suffix of a plain number
 * @suffix: K, M, G, T, P or E, ignoring case
 *
 * Context: any
 * Return: a power of 1024, 0 for an unknown suffix
 */
u64 params_suffix_count(struct params_span suffix)
{
	const char *power;

	if (suffix.len != 1)
		return 0;
	power = strchr(PARAMS_POWERS, tolower(*suffix.at));
	return power && *power ? 1ULL << (10 * (power - PARAMS_POWERS + 1)) : 0;
}

/**
 * params_suffix_bytes() - factor of the suffix of a number of bytes
 * @suffix: B, K, KiB (1024) or kB (1000), and so on, ignoring case
 *
 * Context: any
 * Return: bytes, 0 for an unknown suffix
 */
u64 params_suffix_bytes(struct params_span suffix)
{
	struct params_span letter = { suffix.at, 1 };
	struct params_span rest = { suffix.at + 1, suffix.len - 1 };
	u64 binary;
	u64 decimal = 1;

	if (params_word_is(suffix, "b"))
		return 1;
	binary = suffix.len ? params_suffix_count(letter) : 0;
	if (!binary || !rest.len || params_word_is(rest, "ib"))
		return binary;
	if (!params_word_is(rest, "b"))
		return 0;
	for (; binary > 1; binary >>= 10)
		decimal *= 1000;
	return decimal;
}

/**
 * params_suffix_ns() - factor of the suffix of a duration
 * @suffix: ns, us, ms, s, m, h or d, ignoring case
 *
 * Context: any
 * Return: nanoseconds, 0 for an unknown suffix
 */
u64 params_suffix_ns(struct params_span suffix)
{
	static const struct {
		const char	*name;
		u64		ns;
	} known[] = {
		{ "ns", 1 },
		{ "us", NSEC_PER_USEC },
		{ "ms", NSEC_PER_MSEC },
		{ "s", NSEC_PER_SEC },
		{ "m", 60 * NSEC_PER_SEC },
		{ "h", 3600 * NSEC_PER_SEC },
		{ "d", 86400 * NSEC_PER_SEC },
	};
	size_t n;

	for (n = 0; n < ARRAY_SIZE(known); n++)
		if (params_word_is(suffix, known[n].name))
			return known[n].ns;
	return 0;
}

/*
 * @part / @whole as decimals, all of them: with a power of two or of ten as
 * denominator their number is finite.
 */
static size_t params_format_fraction(u64 part, u64 whole, char *buf,
				     size_t size)
{
	size_t len = scnprintf(buf, size, ".");

	for (; part && len + 1 < size; part %= whole) {
		part *= 10;
		buf[len++] = '0' + part / whole;
		buf[len] = '\0';
	}
	return len;
}

static size_t params_format_scaled(u64 val, u64 scale, char *buf, size_t size)
{
	size_t len = scnprintf(buf, size, "%llu", val / scale);

	if (val % scale)
		len += params_format_fraction(val % scale, scale, buf + len,
					      size - len);
	return len;
}

/**
 * params_format_bytes() - a number of bytes, in a unit, exactly
 * @bytes: number
 * @unit: unit of memory
 * @buf: buffer for the text and a NUL
 * @size: bytes of @buf; PARAMS_QUOTE_MAX are enough for any number
 *
 * Without a suffix: the text can be written to a parameter of that unit.
 *
 * Context: any
 * Return: bytes of the text without NUL
 */
size_t params_format_bytes(u64 bytes, enum params_unit unit, char *buf,
			   size_t size)
{
	return params_format_scaled(bytes, params_unit_bytes(unit), buf, size);
}

static size_t params_format_time(s64 ns, enum params_unit unit, char *buf,
				 size_t size)
{
	u64 abs = ns < 0 ? 0 - (u64)ns : (u64)ns;
	size_t len = scnprintf(buf, size, "%s", ns < 0 ? "-" : "");

	return len + params_format_scaled(abs, params_unit_ns(unit), buf + len,
					  size - len);
}

/**
 * params_format_number() - a value for a message
 * @attr: attribute
 * @num: value of it
 * @buf: buffer for the text and a NUL
 * @size: bytes of @buf; PARAMS_QUOTE_MAX are enough
 *
 * With its unit, if that has a suffix.
 *
 * Context: any
 * Return: bytes of the text without NUL
 */
size_t params_format_number(const struct lustre_params_attr *attr,
			    union params_number num, char *buf, size_t size)
{
	const struct params_unit_desc *unit = params_unit(attr->unit);
	const char *suffix;
	size_t len;

	switch (attr->type) {
	case PARAMS_T_BYTES:
		len = params_format_bytes(num.u, attr->unit, buf, size);
		suffix = unit->bytes ? unit->suffix : "";
		break;
	case PARAMS_T_TIME:
		len = params_format_time(num.s, attr->unit, buf, size);
		suffix = unit->ns ? unit->suffix : "s";
		break;
	case PARAMS_T_MASK:
		return scnprintf(buf, size, "0x%llx", num.u);
	default:
		if (params_type_signed(attr->type))
			return scnprintf(buf, size, "%lld", num.s);
		return scnprintf(buf, size, attr->hex ? "0x%llx" : "%llu",
				 num.u);
	}
	return len + scnprintf(buf + len, size - len, "%s", suffix);
}

#define PARAMS_DIGITS_MAX	64	/* limit of the length of a number */

/**
 * struct params_figure - a number, split into its parts
 * @text: all of it, for messages
 * @digits: before the point
 * @base: 8, 10 or 16
 * @fraction: digits after the point
 * @suffix: the rest
 * @negative: there was a minus
 */
struct params_figure {
	struct params_span	text;
	struct params_span	digits;
	unsigned int		base;
	struct params_span	fraction;
	struct params_span	suffix;
	bool			negative;
};

static void params_skip(struct params_span *text, size_t len)
{
	text->at += len;
	text->len -= len;
}

/* Split off the leading digits. */
static struct params_span params_take_digits(struct params_span *text,
					     unsigned int base)
{
	struct params_span digits = { text->at, 0 };

	while (digits.len < text->len) {
		int digit = hex_to_bin(digits.at[digits.len]);

		if (digit < 0 || digit >= (int)base)
			break;
		digits.len++;
	}
	params_skip(text, digits.len);
	return digits;
}

static bool params_take_char(struct params_span *text, char c)
{
	if (!text->len || *text->at != c)
		return false;
	params_skip(text, 1);
	return true;
}

/* As elsewhere in the kernel: 0x is hexadecimal, a 0 before a digit octal. */
static unsigned int params_take_base(struct params_span *text)
{
	if (text->len < 2 || text->at[0] != '0')
		return 10;
	if (tolower(text->at[1]) == 'x') {
		params_skip(text, 2);
		return 16;
	}
	return isdigit(text->at[1]) ? 8 : 10;
}

static int params_no_number(struct params_span text, struct params_reason *why)
{
	struct params_quote quote;

	params_refuse(why, "'%s' is not a number", params_quote(&quote, text));
	return -EINVAL;
}

static int params_take_apart(struct params_span text,
			     struct params_figure *fig,
			     struct params_reason *why)
{
	struct params_span rest = text;

	memset(fig, 0, sizeof(*fig));
	fig->text = text;
	fig->negative = params_take_char(&rest, '-');
	if (!fig->negative)
		params_take_char(&rest, '+');
	fig->base = params_take_base(&rest);
	fig->digits = params_take_digits(&rest, fig->base);
	if (fig->base == 10 && params_take_char(&rest, '.'))
		fig->fraction = params_take_digits(&rest, 10);
	if (!(fig->digits.len + fig->fraction.len))
		return params_no_number(text, why);
	while (rest.len && params_is_blank(*rest.at))
		params_skip(&rest, 1);
	fig->suffix = rest;
	if (fig->base != 10 && rest.len)
		return params_no_number(text, why);
	if (fig->digits.len + fig->fraction.len <= PARAMS_DIGITS_MAX)
		return 0;
	params_refuse(why, "a number of more than %u digits",
		      PARAMS_DIGITS_MAX);
	return -ERANGE;
}

static int params_too_large(const struct params_figure *fig,
			    struct params_reason *why)
{
	struct params_quote quote;

	params_refuse(why, "%s does not fit in 64 bits",
		      params_quote(&quote, fig->text));
	return -ERANGE;
}

static bool params_whole(struct params_span digits, unsigned int base, u64 *val)
{
	size_t n;

	*val = 0;
	for (n = 0; n < digits.len; n++)
		if (check_mul_overflow(*val, (u64)base, val) ||
		    check_add_overflow(*val, (u64)hex_to_bin(digits.at[n]), val))
			return false;
	return true;
}

/*
 * The digits after a point as a fraction of @scale, truncated to an integer.
 * From the last digit to the first, each step is
 *
 *   floor((digit * scale + previous) / 10)
 *
 * and the floor of a sum with a floor in it is the floor of the sum, so the
 * result is exact. The product is split so that it cannot overflow.
 */
static u64 params_fraction(struct params_span digits, u64 scale, u64 behind)
{
	size_t n = digits.len;

	while (n-- > 0) {
		u64 digit = hex_to_bin(digits.at[n]);

		behind = digit * (scale / 10) + behind / 10 +
			 (behind % 10 + digit * (scale % 10)) / 10;
	}
	return behind;
}

/* A percentage is a number whose point is two digits further left. */
static int params_percentage(const struct params_figure *fig, u64 total,
			     u64 *val, struct params_reason *why)
{
	size_t keep = fig->digits.len > 2 ? fig->digits.len - 2 : 0;
	struct params_span whole = { fig->digits.at, keep };
	struct params_span below = { fig->digits.at + keep,
				     fig->digits.len - keep };
	u64 part = params_fraction(fig->fraction, total, 0);
	u64 times;

	part = params_fraction(below, total, part);
	/* A single digit has a 0 before it. */
	if (below.len < 2)
		part /= 10;
	if (!below.len)
		part /= 10;
	if (!params_whole(whole, 10, &times) ||
	    check_mul_overflow(times, total, val) ||
	    check_add_overflow(*val, part, val))
		return params_too_large(fig, why);
	return 0;
}

static int params_scaled(const struct params_figure *fig, u64 scale, u64 *val,
			 struct params_reason *why)
{
	u64 part = params_fraction(fig->fraction, scale, 0);
	struct params_quote quote;
	size_t n;

	if (!params_whole(fig->digits, fig->base, val) ||
	    check_mul_overflow(*val, scale, val) ||
	    check_add_overflow(*val, part, val))
		return params_too_large(fig, why);
	for (n = 0; scale == 1 && n < fig->fraction.len; n++) {
		if (fig->fraction.at[n] == '0')
			continue;
		params_refuse(why, "%s is not a whole number",
			      params_quote(&quote, fig->text));
		return -EINVAL;
	}
	return 0;
}

static int params_no_suffix(const struct params_figure *fig,
			    const struct params_scale *scale,
			    struct params_reason *why)
{
	static const char *const known[] = {
		[PARAMS_SCALE_COUNT] = "K M G T P E",
		[PARAMS_SCALE_BYTES] = "K M G T P E, KiB MiB .., kB MB .., B",
		[PARAMS_SCALE_TIME] = "ns us ms s m h d",
	};
	struct params_quote quote;

	params_refuse(why, "'%s' is not a valid suffix; valid are: %s%s",
		      params_quote(&quote, fig->suffix), known[scale->kind],
		      scale->percent ? ", %" : "");
	return -EINVAL;
}

static u64 params_suffix(struct params_span suffix,
			 const struct params_scale *scale)
{
	switch (scale->kind) {
	case PARAMS_SCALE_BYTES:
		return params_suffix_bytes(suffix);
	case PARAMS_SCALE_TIME:
		return params_suffix_ns(suffix);
	default:
		return params_suffix_count(suffix);
	}
}

/**
 * params_parse_number() - digits, fraction and suffix
 * @text: text, without blanks around it
 * @scale: meaning of digits and suffixes
 * @num: out, the number
 * @why: out, reason of a refusal
 *
 * Context: any
 * Return: 0, -EINVAL unless it is a number, -ERANGE beyond 64 bits
 */
int params_parse_number(struct params_span text,
			const struct params_scale *scale,
			struct params_magnitude *num,
			struct params_reason *why)
{
	struct params_figure fig;
	u64 worth = scale->bare;
	int rc;

	rc = params_take_apart(text, &fig, why);
	if (rc)
		return rc;
	num->negative = fig.negative;
	if (scale->percent && params_word_is(fig.suffix, "%"))
		return params_percentage(&fig, scale->total, &num->abs, why);
	if (fig.suffix.len)
		worth = params_suffix(fig.suffix, scale);
	if (!worth)
		return params_no_suffix(&fig, scale, why);
	return params_scaled(&fig, worth, &num->abs, why);
}
