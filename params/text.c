// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text to a value of any scalar type, and its range. params_text.h describes
 * the syntax.
 */
#include <linux/bits.h>
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/stdarg.h>
#include <linux/string.h>

#include <lustre_lite/params.h>

#include "params_text.h"

/**
 * params_refuse() - set the reason of a refusal
 * @why: out, the reason, truncated if needed. May be NULL.
 * @fmt: as printk()
 *
 * Context: any
 */
void params_refuse(struct params_reason *why, const char *fmt, ...)
{
	va_list args;

	if (!why)
		return;
	va_start(args, fmt);
	vscnprintf(why->text, sizeof(why->text), fmt, args);
	va_end(args);
}

/**
 * params_quote() - a user's text for a message
 * @quote: buffer
 * @text: text
 *
 * Context: any
 * Return: @quote's text
 */
const char *params_quote(struct params_quote *quote, struct params_span text)
{
	static const char cut[] = "...";
	size_t space = sizeof(quote->text) - sizeof(cut);
	size_t n;

	for (n = 0; n < text.len && n < space; n++)
		quote->text[n] = isascii(text.at[n]) && isprint(text.at[n]) ?
			text.at[n] : '?';
	strscpy(quote->text + n, n < text.len ? cut : "", sizeof(cut));
	return quote->text;
}

/**
 * params_word_is() - compare a part of a text to a name, ignoring case
 * @word: part
 * @name: name
 *
 * Context: any
 * Return: true if they are equal
 */
bool params_word_is(struct params_span word, const char *name)
{
	return strlen(name) == word.len &&
		!strncasecmp(word.at, name, word.len);
}

/**
 * params_trim() - remove one newline at the end, then blanks around
 * @text: text
 * @len: its bytes
 *
 * Context: any
 * Return: the rest
 */
struct params_span params_trim(const char *text, size_t len)
{
	if (len && text[len - 1] == '\n')
		len--;
	while (len && params_is_blank(text[len - 1]))
		len--;
	while (len && params_is_blank(*text)) {
		text++;
		len--;
	}
	return (struct params_span){ text, len };
}

/**
 * params_type_signed() - whether a type's values may be below zero
 * @type: type
 *
 * Context: any
 * Return: true for S32, S64 and TIME
 */
bool params_type_signed(enum params_type type)
{
	return type == PARAMS_T_S32 || type == PARAMS_T_S64 ||
		type == PARAMS_T_TIME;
}

/**
 * params_refuse_names() - refuse with the list of valid names
 * @attr: attribute with names
 * @word: invalid name
 * @why: out, the reason
 *
 * Context: any
 */
void params_refuse_names(const struct lustre_params_attr *attr,
			 struct params_span word, struct params_reason *why)
{
	const char *const *name = attr->names;
	const char *between = "";
	struct params_quote quote;
	size_t len;

	if (!why)
		return;
	params_refuse(why, "'%s' is not one of: ", params_quote(&quote, word));
	for (; *name; name++) {
		if (!**name)
			continue;
		len = strlen(why->text);
		if (len + strlen(*name) + sizeof(", ...") > sizeof(why->text)) {
			strscpy(why->text + len, ", ...",
				sizeof(why->text) - len);
			return;
		}
		scnprintf(why->text + len, sizeof(why->text) - len, "%s%s",
			  between, *name);
		between = ", ";
	}
}

static int params_parse_bool(struct params_span text, u64 *val,
			     struct params_reason *why)
{
	static const char *const known[][2] = {
		{ "0", "1" }, { "n", "y" }, { "no", "yes" }, { "off", "on" },
		{ "false", "true" },
	};
	struct params_quote quote;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(known); n++)
		for (*val = 0; *val < 2; (*val)++)
			if (params_word_is(text, known[n][*val]))
				return 0;
	params_refuse(why, "'%s' is not one of: 0 1, n y, no yes, off on, false true",
		      params_quote(&quote, text));
	return -EINVAL;
}

static int params_parse_enum(const struct lustre_params_attr *attr,
			     struct params_span text, u64 *val,
			     struct params_reason *why)
{
	const char *name;

	for (*val = 0; (name = attr->names[*val]); (*val)++)
		if (*name && strlen(name) == text.len &&
		    !memcmp(name, text.at, text.len))
			return 0;
	params_refuse_names(attr, text, why);
	return -EINVAL;
}

static void params_scale_of(const struct lustre_params_attr *attr, u64 total,
			    struct params_scale *scale)
{
	scale->kind = PARAMS_SCALE_COUNT;
	scale->bare = 1;
	scale->percent = attr->total;
	scale->total = total;
	if (!attr->total && attr->unit == PARAMS_UNIT_PERCENT) {
		scale->percent = true;
		scale->total = 100;
	}
	if (attr->type == PARAMS_T_BYTES) {
		scale->kind = PARAMS_SCALE_BYTES;
		scale->bare = params_unit_bytes(attr->unit);
	} else if (attr->type == PARAMS_T_TIME) {
		scale->kind = PARAMS_SCALE_TIME;
		scale->bare = params_unit_ns(attr->unit);
	}
}

/* Tell a number beyond the type's range from a text that is not a number. */
static int params_sign(const struct lustre_params_attr *attr,
		       struct params_span text,
		       const struct params_magnitude *mag,
		       union params_number *num, struct params_reason *why)
{
	u64 most = U64_MAX;
	struct params_quote quote;

	if (params_type_signed(attr->type))
		most = (u64)S64_MAX + mag->negative;
	else if (mag->negative)
		most = 0;
	if (mag->abs <= most) {
		num->u = mag->negative ? 0 - mag->abs : mag->abs;
		return 0;
	}
	params_quote(&quote, text);
	if (most)
		params_refuse(why, "%s does not fit in 64 bits", quote.text);
	else
		params_refuse(why, "%s is negative, where 0 is the smallest value",
			      quote.text);
	return -ERANGE;
}

static int params_parse_figure(const struct lustre_params_attr *attr,
			       struct params_span text, u64 total,
			       union params_number *num,
			       struct params_reason *why)
{
	struct params_magnitude mag;
	struct params_scale scale;
	int rc;

	params_scale_of(attr, total, &scale);
	rc = params_parse_number(text, &scale, &mag, why);
	return rc ?: params_sign(attr, text, &mag, num, why);
}

/**
 * params_parse() - text to the value of a scalar attribute
 * @attr: attribute
 * @text: text, a NUL is not needed
 * @len: its bytes
 * @total: value of 100 %, if the attribute declares one
 * @old: current value, modified by signs in the text of a mask
 * @num: out, the value, within its range
 * @why: out, reason of a refusal; may be NULL
 *
 * Context: any
 * Return: 0, -EINVAL for a malformed text, -ERANGE for a value out of range
 */
int params_parse(const struct lustre_params_attr *attr, const char *text,
		 size_t len, u64 total, u64 old, union params_number *num,
		 struct params_reason *why)
{
	struct params_span word = params_trim(text, len);
	int rc;

	num->u = 0;
	if (!word.len) {
		params_refuse(why, "the value is empty");
		return -EINVAL;
	}
	switch (attr->type) {
	case PARAMS_T_BOOL:
		rc = params_parse_bool(word, &num->u, why);
		break;
	case PARAMS_T_ENUM:
		rc = params_parse_enum(attr, word, &num->u, why);
		break;
	case PARAMS_T_MASK:
		rc = params_parse_mask(attr, word, old, &num->u, why);
		break;
	default:
		rc = params_parse_figure(attr, word, total, num, why);
	}
	return rc ?: params_check_range(attr, *num, why);
}

/**
 * struct params_range - smallest and largest value of an attribute
 * @min: smallest
 * @max: largest
 */
struct params_range {
	union params_number min;
	union params_number max;
};

static bool params_less(const struct lustre_params_attr *attr,
			union params_number a, union params_number b)
{
	return params_type_signed(attr->type) ? a.s < b.s : a.u < b.u;
}

static struct params_range params_type_range(enum params_type type)
{
	struct params_range range = { .min.u = 0, .max.u = U64_MAX };

	switch (type) {
	case PARAMS_T_U32:
		range.max.u = U32_MAX;
		break;
	case PARAMS_T_S32:
		range.min.s = S32_MIN;
		range.max.s = S32_MAX;
		break;
	case PARAMS_T_S64:
	case PARAMS_T_TIME:
		range.min.s = S64_MIN;
		range.max.s = S64_MAX;
		break;
	case PARAMS_T_BOOL:
		range.max.u = 1;
		break;
	default:
		break;
	}
	return range;
}

/*
 * A declared range restricts that of the type. A maximum below the minimum
 * counts as not declared.
 */
static struct params_range params_range(const struct lustre_params_attr *attr)
{
	struct params_range range = params_type_range(attr->type);
	union params_number min = { .u = attr->min };
	union params_number max = { .u = attr->max };

	if (!attr->min && !attr->max)
		return range;
	if (params_less(attr, range.min, min))
		range.min = min;
	if (!params_less(attr, max, min) && params_less(attr, max, range.max))
		range.max = max;
	return range;
}

static int params_beyond(const struct lustre_params_attr *attr,
			 union params_number num,
			 const struct params_range *range,
			 struct params_reason *why)
{
	bool below = params_less(attr, num, range->min);
	char text[PARAMS_QUOTE_MAX];
	char min[PARAMS_QUOTE_MAX];
	char max[PARAMS_QUOTE_MAX];

	params_format_number(attr, num, text, sizeof(text));
	params_format_number(attr, range->min, min, sizeof(min));
	params_format_number(attr, range->max, max, sizeof(max));
	params_refuse(why, "%s is %s %s, the %s value (%s..%s allowed)", text,
		      below ? "below" : "above", below ? min : max,
		      below ? "smallest" : "largest", min, max);
	return -ERANGE;
}

/**
 * params_check_range() - whether a value is within its attribute's range
 * @attr: attribute
 * @num: value
 * @why: out, reason of a refusal; may be NULL
 *
 * For an enum: whether it has a name.
 *
 * Context: any
 * Return: 0 or -ERANGE
 */
int params_check_range(const struct lustre_params_attr *attr,
		       union params_number num, struct params_reason *why)
{
	struct params_range range = params_range(attr);
	u64 n;

	if (params_less(attr, num, range.min) ||
	    params_less(attr, range.max, num))
		return params_beyond(attr, num, &range, why);
	if (attr->type != PARAMS_T_ENUM)
		return 0;
	for (n = 0; attr->names[n]; n++)
		if (n == num.u && *attr->names[n])
			return 0;
	params_refuse(why, "%llu has no name", num.u);
	return -ERANGE;
}

#define PARAMS_MASK_BITS	64

/* All named bits. */
static u64 params_mask_all(const struct lustre_params_attr *attr)
{
	unsigned int bit;
	u64 all = 0;

	for (bit = 0; bit < PARAMS_MASK_BITS && attr->names[bit]; bit++)
		if (*attr->names[bit])
			all |= BIT_ULL(bit);
	return all;
}

static bool params_mask_name(const struct lustre_params_attr *attr,
			     struct params_span word, u64 *bits)
{
	unsigned int bit;

	for (bit = 0; bit < PARAMS_MASK_BITS && attr->names[bit]; bit++) {
		if (!*attr->names[bit] || !params_word_is(word, attr->names[bit]))
			continue;
		*bits = BIT_ULL(bit);
		return true;
	}
	return false;
}

/* One word without its sign: a name, all, none, or a number. */
static int params_mask_word(const struct lustre_params_attr *attr,
			    struct params_span word, u64 *bits,
			    struct params_reason *why)
{
	static const struct params_scale scale = {
		.kind = PARAMS_SCALE_COUNT,
		.bare = 1,
	};
	struct params_magnitude num;
	int rc;

	if (params_mask_name(attr, word, bits))
		return 0;
	if (params_word_is(word, "all") || params_word_is(word, "none")) {
		*bits = params_word_is(word, "all") ? params_mask_all(attr) : 0;
		return 0;
	}
	if (!isdigit(*word.at)) {
		params_refuse_names(attr, word, why);
		return -EINVAL;
	}
	rc = params_parse_number(word, &scale, &num, why);
	*bits = num.abs;
	return rc;
}

static bool params_is_separator(char c)
{
	return c == ' ' || c == '\t' || c == ',' || c == '\n';
}

static bool params_is_sign(char c)
{
	return c == '+' || c == '-';
}

/**
 * struct params_mask_text - unparsed rest of the text of a mask
 * @rest: the text
 * @sign: '+' or '-' of the next word, 0 before the first sign
 */
struct params_mask_text {
	struct params_span	rest;
	char			sign;
};

/* Skip blanks and commas; returns whether a word or a sign follows. */
static bool params_mask_blanks(struct params_mask_text *text)
{
	while (text->rest.len && params_is_separator(*text->rest.at)) {
		text->rest.at++;
		text->rest.len--;
	}
	return text->rest.len;
}

static struct params_span params_mask_split(struct params_mask_text *text)
{
	struct params_span word = { text->rest.at, 0 };

	while (word.len < text->rest.len &&
	       !params_is_separator(word.at[word.len]) &&
	       !params_is_sign(word.at[word.len]))
		word.len++;
	text->rest.at += word.len;
	text->rest.len -= word.len;
	return word;
}

/* The next word and its sign. */
static int params_mask_next(struct params_mask_text *text,
			    struct params_span *word,
			    struct params_reason *why)
{
	if (params_is_sign(*text->rest.at)) {
		text->sign = *text->rest.at;
		text->rest.at++;
		text->rest.len--;
		params_mask_blanks(text);
	}
	*word = params_mask_split(text);
	if (word->len)
		return 0;
	params_refuse(why, "'%c' is not followed by a name", text->sign);
	return -EINVAL;
}

/**
 * params_parse_mask() - names of bits to a mask
 * @attr: attribute of type MASK
 * @text: text, not empty
 * @old: current mask, which a text with a leading sign modifies
 * @mask: out, the mask
 * @why: out, reason of a refusal; may be NULL
 *
 * A sign applies to all words up to the next sign: "+a b -c" adds two. Words
 * before the first sign replace the mask.
 *
 * Context: any
 * Return: 0, -EINVAL for a word that is neither a name nor a number, -ERANGE
 *  for a number beyond 64 bits
 */
int params_parse_mask(const struct lustre_params_attr *attr,
		      struct params_span text, u64 old, u64 *mask,
		      struct params_reason *why)
{
	struct params_mask_text left = { .rest = text };
	struct params_span word;
	u64 bits = 0;
	int rc;

	*mask = params_is_sign(*text.at) ? old : 0;
	if (text.len == 2 && !memcmp(text.at, "-1", 2)) {
		*mask = params_mask_all(attr);
		return 0;
	}
	if (!params_mask_blanks(&left)) {
		params_refuse_names(attr, text, why);
		return -EINVAL;
	}
	do {
		rc = params_mask_next(&left, &word, why);
		if (!rc)
			rc = params_mask_word(attr, word, &bits, why);
		if (rc)
			return rc;
		if (left.sign == '-')
			*mask &= ~bits;
		else
			*mask |= bits;
	} while (params_mask_blanks(&left));
	return 0;
}
