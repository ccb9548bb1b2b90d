// SPDX-License-Identifier: GPL-2.0
/*
 * Units: what they are called, what they are worth, and numbers printed in
 * them.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/time64.h>

#include <lustre_lite/params.h>

#include "params_text.h"

/**
 * struct params_unit_desc - a unit
 * @name: what it is called
 * @suffix: what is put behind a number, so that it can be typed back
 * @bytes: its worth, of a unit of memory
 * @ns: its worth, of a unit of time
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
 * params_unit_bytes() - what a unit of memory is worth
 * @unit: unit
 *
 * Context: any
 * Return: bytes; 1 for what is no unit of memory
 */
u64 params_unit_bytes(enum params_unit unit)
{
	return params_unit(unit)->bytes ?: 1;
}

/**
 * params_unit_ns() - what a unit of time is worth
 * @unit: unit
 *
 * Context: any
 * Return: nanoseconds; those of a second for what is no unit of time
 */
s64 params_unit_ns(enum params_unit unit)
{
	return params_unit(unit)->ns ?: NSEC_PER_SEC;
}

/**
 * params_unit_name() - what a unit is called
 * @unit: unit
 *
 * Context: any
 * Return: the name, "" for none
 */
const char *params_unit_name(enum params_unit unit)
{
	return params_unit(unit)->name;
}

/* 0 is what params_suffix_*() say of a suffix that they do not know. */
#define PARAMS_POWERS	"kmgtpe"

/**
 * params_suffix_count() - what a suffix of a plain number is worth
 * @suffix: K, M, G, T, P or E, in either case
 *
 * Context: any
 * Return: a power of 1024, 0 when it is no such suffix
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
 * params_suffix_bytes() - what a suffix of a number of bytes is worth
 * @suffix: B, K, KiB (1024) or kB (1000), and so on, in either case
 *
 * Context: any
 * Return: bytes, 0 when it is no such suffix
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
 * params_suffix_ns() - what a suffix of a duration is worth
 * @suffix: ns, us, ms, s, m, h or d, in either case
 *
 * Context: any
 * Return: nanoseconds, 0 when it is no such suffix
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
 * @part / @whole as decimals, all of them: a power of two in the denominator
 * or of ten always comes to an end.
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
 * @bytes: how many
 * @unit: unit of memory
 * @buf: where to put the text and a NUL
 * @size: bytes of @buf; PARAMS_QUOTE_MAX are enough for any number
 *
 * Without a suffix: what a person types back into a parameter of that unit.
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
 * params_format_number() - a value, as it is said in a message
 * @attr: attribute
 * @num: value of it
 * @buf: where to put the text and a NUL
 * @size: bytes of @buf; PARAMS_QUOTE_MAX are enough
 *
 * With its unit, where it has one that can be typed.
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
