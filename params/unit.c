// SPDX-License-Identifier: GPL-2.0
/* Units: their names, their factors, and numbers printed in them. */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/mm.h>
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
