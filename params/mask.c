// SPDX-License-Identifier: GPL-2.0
/* Names of bits to a mask: "a b" or "+a -b", as in real Lustre's debug masks. */
#include <linux/bits.h>
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/params.h>

#include "params_text.h"

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
