/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text to numbers, for typed parameters. Pure functions of their arguments; a
 * refusal fills in a reason with the valid values.
 *
 *	text.c		parsing by type; range; booleans, enums and masks
 *	number.c	digits, fraction and suffix, exact; factors of units
 *
 * Blanks around a value and one newline at its end are ignored. Booleans, masks
 * and suffixes ignore case, names of an enum do not.
 *
 *	U32 U64		12, 0x1f, 017 (octal), 1.5K; K M G T P E are powers of 1024
 *	S32 S64		the same, with a sign
 *	BYTES		the same; a bare number is in the attribute's unit, so is
 *			no other: 64, 1.5G, 512 KiB (1024), 10MB (1000 * 1000), 7B
 *	TIME		30, 1.5s, 10ms, 3us, 7ns, 2m, 1h, 1d; bare in its unit
 *	BOOL		0 1, n y, no yes, off on, false true
 *	ENUM		one of its names
 *	MASK		"a b" is just these; "+a -b" starts from the current value, and a
 *			sign holds for the words that follow it; numbers too; "all"
 *			or -1, "none" or 0
 *
 * If the attribute declares the value of 100 %, or has percent as its unit, a
 * number may be a percentage. A fraction of a unit is truncated to whole bytes,
 * nanoseconds or units; a fraction of a unit without a smaller one (1.5
 * requests) is refused. Hexadecimal and octal numbers are integers and take no
 * suffix.
 */
#ifndef _PARAMS_TEXT_H
#define _PARAMS_TEXT_H

#include <linux/types.h>
#include <uapi/lustre_lite/params_ioctl.h>

struct lustre_params_attr;

/**
 * struct params_reason - reason of a refusal, "" while there is none
 * @text: NUL-terminated
 */
struct params_reason {
	char text[PARAMS_REASON_MAX];
};

__printf(2, 3)
void params_refuse(struct params_reason *why, const char *fmt, ...);

/**
 * struct params_number - a value of any scalar type, parsed
 * @u: U32 U64 BOOL ENUM BYTES MASK
 * @s: S32 S64 TIME
 */
union params_number {
	u64 u;
	s64 s;
};

/**
 * struct params_span - a part of a text, without a NUL
 * @at: its first byte
 * @len: its bytes
 */
struct params_span {
	const char	*at;
	size_t		len;
};

static inline bool params_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Enough for any number as text, its unit included. */
#define PARAMS_QUOTE_MAX	48

/**
 * struct params_quote - a user's text, safe to repeat in a message
 * @text: NUL-terminated; unprintable bytes are '?', a long text ends in "..."
 */
struct params_quote {
	char text[PARAMS_QUOTE_MAX];
};

/* text.c */
int params_parse(const struct lustre_params_attr *attr, const char *text,
		 size_t len, u64 total, u64 old, union params_number *num,
		 struct params_reason *why);
int params_check_range(const struct lustre_params_attr *attr,
		       union params_number num, struct params_reason *why);
bool params_type_signed(enum params_type type);
struct params_span params_trim(const char *text, size_t len);
bool params_word_is(struct params_span word, const char *name);
const char *params_quote(struct params_quote *quote, struct params_span text);
void params_refuse_names(const struct lustre_params_attr *attr,
			 struct params_span word, struct params_reason *why);
int params_parse_mask(const struct lustre_params_attr *attr,
		      struct params_span text, u64 old, u64 *mask,
		      struct params_reason *why);

/* number.c */

/**
 * struct params_scale - meaning of a number's digits
 * @kind: valid suffixes: PARAMS_SCALE_*
 * @bare: factor of a number without a suffix
 * @total: value of 100 %, if @percent
 * @percent: a percentage is accepted
 */
struct params_scale {
	enum {
		PARAMS_SCALE_COUNT,	/* K M G T P E */
		PARAMS_SCALE_BYTES,	/* and B, KiB, kB ... */
		PARAMS_SCALE_TIME,	/* ns us ms s m h d */
	}	kind;
	u64	bare;
	u64	total;
	bool	percent;
};

/**
 * struct params_magnitude - a number as absolute value and sign
 * @abs: absolute value
 * @negative: below zero
 */
struct params_magnitude {
	u64	abs;
	bool	negative;
};

int params_parse_number(struct params_span text,
			const struct params_scale *scale,
			struct params_magnitude *num,
			struct params_reason *why);

u64 params_suffix_count(struct params_span suffix);
u64 params_suffix_bytes(struct params_span suffix);
u64 params_suffix_ns(struct params_span suffix);
u64 params_unit_bytes(enum params_unit unit);
s64 params_unit_ns(enum params_unit unit);
const char *params_unit_name(enum params_unit unit);
size_t params_format_bytes(u64 bytes, enum params_unit unit, char *buf,
			   size_t size);
size_t params_format_number(const struct lustre_params_attr *attr,
			    union params_number num, char *buf, size_t size);

#endif /* _PARAMS_TEXT_H */
